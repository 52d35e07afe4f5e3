//! Agreement between the theories about the terms that they share (model-based theory combination).
//!
//! Arithmetic and bit-vectors give each shared term a value, the congruence closure puts it in a class. The two
//! views must fit: terms of one class must have one value, and applications whose arguments have the same
//! values must have the same value. Where they do not, the equality in question becomes a literal that the
//! SAT solver decides.

use super::{Request, Theories};
use crate::arith::{Form, VarId};
use crate::euf::{Func, Node};
use bolide_base::Rational;
use bolide_sat::Lit;
use bolide_term::Term;
use rustc_hash::{FxHashMap, FxHashSet};

/// Where a shared term gets its value from.
#[derive(Clone, Debug)]
pub(crate) enum SharedValue {
    /// `scale * var + constant`.
    Arith(Rational, VarId, Rational),
    /// A numeral.
    Constant(Rational),
    /// The literals of the bits, lowest first.
    Bits(Vec<Lit>),
    /// The class decides; arrays that are arguments of functions may be equal though their classes differ.
    Array,
}

/// A term that more than one theory looks at.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub term: Term,
    pub node: Node,
    pub value: SharedValue,
}

/// The shared terms, and the applications in which agreement matters.
#[derive(Default, Debug)]
pub(crate) struct Sharing {
    pub terms: Vec<Shared>,
    /// Position in `terms`, by node.
    pub by_node: FxHashMap<Node, usize>,
    /// Applications of uninterpreted functions and reads.
    pub apps: Vec<Node>,
    asked: FxHashSet<(Term, Term)>,
}

impl Sharing {
    pub fn add(&mut self, term: Term, node: Node, value: SharedValue) {
        self.by_node.insert(node, self.terms.len());
        self.terms.push(Shared { term, node, value });
    }

    fn ask(&mut self, a: Term, b: Term, requests: &mut Vec<Request>) {
        if self.asked.insert((a.min(b), a.max(b))) {
            requests.push(Request::Equality(a, b));
        }
    }
}

/// The parts of a partition in which each arithmetic variable occurs; a linear form is pure if some part has
/// all of its variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct PureVars {
    pub parts: FxHashMap<VarId, Vec<u32>>,
}

impl PureVars {
    pub fn is_pure(&self, form: &Form) -> bool {
        let mut common: Option<Vec<u32>> = None;
        for (_, var) in form {
            let Some(parts) = self.parts.get(var) else { continue };
            common = Some(match common {
                None => parts.clone(),
                Some(c) => c.into_iter().filter(|p| parts.binary_search(p).is_ok()).collect(),
            });
        }
        common.is_none_or(|c| !c.is_empty())
    }
}

/// What an argument looks like to a function: a value, a class, or anything.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Look {
    Number(Rational),
    Bits(Vec<bool>),
    Class(Node),
    Any,
}

impl Theories {
    pub(super) fn look(&self, node: Node) -> Look {
        match self.sharing.by_node.get(&node).map(|&n| &self.sharing.terms[n].value) {
            Some(SharedValue::Arith(scale, var, constant)) => {
                Look::Number(&(scale * &self.arith.value(*var)) + constant)
            }
            Some(SharedValue::Constant(value)) => Look::Number(value.clone()),
            Some(SharedValue::Bits(bits)) => {
                Look::Bits(bits.iter().map(|&b| self.value(b) == Some(true)).collect())
            }
            Some(SharedValue::Array) => Look::Any,
            None => Look::Class(self.euf.find(node)),
        }
    }

    /// Asks for the equalities on which the theories disagree.
    pub(super) fn check_sharing(&mut self) {
        let mut requests = Vec::new();
        self.check_classes(&mut requests);
        if requests.is_empty() {
            self.check_applications(&mut requests);
        }
        self.requests.append(&mut requests);
    }

    /// Shared terms of one class must have the same value.
    fn check_classes(&mut self, requests: &mut Vec<Request>) {
        let mut first_of: FxHashMap<Node, usize> = FxHashMap::default();
        for n in 0..self.sharing.terms.len() {
            let s = &self.sharing.terms[n];
            if matches!(s.value, SharedValue::Array) {
                continue;
            }
            let first = *first_of.entry(self.euf.find(s.node)).or_insert(n);
            if first != n && self.look(s.node) != self.look(self.sharing.terms[first].node) {
                let (a, b) = (self.sharing.terms[first].term, self.sharing.terms[n].term);
                self.sharing.ask(a, b, requests);
            }
        }
    }

    /// Applications that look alike must look the same themselves.
    fn check_applications(&mut self, requests: &mut Vec<Request>) {
        let mut groups: FxHashMap<(Func, Vec<Look>), Vec<Node>> = FxHashMap::default();
        for n in 0..self.sharing.apps.len() {
            let app = self.sharing.apps[n];
            let Some((func, args)) = self.euf.app(app) else { continue };
            let args = args.to_vec();
            let is_read = func == super::SELECT;
            let looks = args
                .iter()
                .enumerate()
                .map(|(i, &a)| if is_read && i == 0 { Look::Class(self.euf.find(a)) } else { self.look(a) })
                .collect::<Vec<Look>>();
            let has_arrays = looks.contains(&Look::Any);
            let group = groups.entry((func, looks)).or_default();
            // One look at a representative of each different result is enough, unless arrays with the same look may
            // hold different things.
            let differs = |other: &Node| {
                !self.euf.same(*other, app)
                    && match (self.look(*other), self.look(app)) {
                        (Look::Any, _) | (_, Look::Any) => true,
                        (x, y) => x != y,
                    }
            };
            let rivals: Vec<Node> = group.iter().copied().filter(differs).collect();
            if has_arrays || group.is_empty() || rivals.len() == group.len() {
                group.push(app);
            }
            for rival in rivals {
                let other = self.euf.app(rival).expect("an application").1.to_vec();
                for (&a, &b) in args.iter().zip(&other) {
                    // Arrays that are apart may still hold the same: their equality gets a witness when it is asked for.
                    let is_array = self.look(a) == Look::Any;
                    if self.euf.same(a, b) || (!is_array && self.euf.apart(a, b).is_some()) {
                        continue;
                    }
                    if let (Some(&x), Some(&y)) = (self.sharing.by_node.get(&a), self.sharing.by_node.get(&b))
                    {
                        let (x, y) = (self.sharing.terms[x].term, self.sharing.terms[y].term);
                        self.sharing.ask(x, y, requests);
                    }
                }
            }
        }
    }
}
