//! Datatypes by axioms on demand.
//!
//! Applications of constructors come with axioms that say what their fields are. A class of terms that no constructor made
//! is split into cases only if a selector or a tester looks at it, or if its sort has finitely many values; any other one
//! can have a value of its own in a model. That no value is part of itself is looked for in the classes.

use super::{Request, Theories};
use crate::euf::{Euf, Node};
use bolide_proof::Axiom;
use bolide_term::Term;
use rustc_hash::{FxHashMap, FxHashSet};

/// A term of a datatype.
#[derive(Copy, Clone, Debug)]
pub(crate) struct DataTerm {
    pub term: Term,
    pub node: Node,
    /// Has the datatype only one constructor?
    pub single: bool,
    /// May the datatype have only finitely many values?
    pub finite: bool,
}

/// An application of a constructor.
#[derive(Clone, Debug)]
pub(crate) struct Construct {
    pub term: Term,
    pub node: Node,
    pub constructor: u32,
    /// The fields that are of datatypes themselves, by their positions.
    pub parts: Vec<(u32, Node)>,
}

/// The question whether a constructor made a term.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Tester {
    pub node: Node,
    pub of: Term,
    pub of_node: Node,
    pub constructor: u32,
}

/// The terms of datatypes that the theories know.
#[derive(Default, Debug)]
pub(crate) struct Datatypes {
    pub terms: Vec<DataTerm>,
    pub constructs: Vec<Construct>,
    pub testers: Vec<Tester>,
    /// The terms of which a field is selected.
    pub inspected: Vec<Node>,
    /// Terms that were split into cases.
    split: FxHashSet<Term>,
    /// Terms that were taken apart.
    rebuilt: FxHashSet<(Term, u32)>,
    /// Cycles that were excluded.
    excluded: FxHashSet<(Term, Vec<(u32, u32)>)>,
}

impl Datatypes {
    /// By class: an application of a constructor in it.
    pub fn construct_of_class(&self, euf: &Euf) -> FxHashMap<Node, usize> {
        let mut out = FxHashMap::default();
        for (n, c) in self.constructs.iter().enumerate() {
            out.entry(euf.find(c.node)).or_insert(n);
        }
        out
    }
}

impl Theories {
    /// Asks for the axioms that the current classes of terms of datatypes need.
    pub(super) fn check_datatypes(&mut self) {
        if self.datatypes.terms.is_empty() {
            return;
        }
        let made = self.datatypes.construct_of_class(&self.euf);
        self.split_cases(&made);
        if self.requests.is_empty() {
            self.exclude_cycle(&made);
        }
    }

    fn split_cases(&mut self, made: &FxHashMap<Node, usize>) {
        let find = |n: Node| self.euf.find(n);
        let testers = self.datatypes.testers.iter();
        let mut looked_at: FxHashSet<Node> = self.datatypes.inspected.iter().map(|&n| find(n)).collect();
        looked_at.extend(testers.clone().map(|t| find(t.of_node)));
        let yes = testers.filter(|t| self.euf.same(t.node, Euf::TRUE));
        let answers: FxHashMap<Node, Tester> = yes.map(|t| (find(t.of_node), *t)).collect();
        let mut done: FxHashSet<Node> = FxHashSet::default();
        for t in &self.datatypes.terms {
            let class = find(t.node);
            if made.contains_key(&class) || !(t.finite || looked_at.contains(&class)) || !done.insert(class) {
                continue;
            }
            let (term, constructor) = match answers.get(&class) {
                Some(tester) => (tester.of, tester.constructor),
                None if t.single => (t.term, 0),
                None => {
                    if self.datatypes.split.insert(t.term) {
                        self.requests.push(Request::Axiom(Axiom::Cases(t.term)));
                    }
                    continue;
                }
            };
            if self.datatypes.rebuilt.insert((term, constructor)) {
                self.requests.push(Request::Destructor(term, constructor));
            }
        }
    }

    /// Asks for the axiom against a cycle of classes each of which is part of the one before, if there is one.
    fn exclude_cycle(&mut self, made: &FxHashMap<Node, usize>) {
        let mut finished: FxHashSet<Node> = FxHashSet::default();
        for start in 0..self.datatypes.constructs.len() {
            // The path from the start: classes, their constructors, and the part that comes next.
            let class = self.euf.find(self.datatypes.constructs[start].node);
            let mut path: Vec<(Node, usize, usize)> = vec![(class, start, 0)];
            let mut on_path: FxHashMap<Node, usize> = FxHashMap::from_iter([(class, 0)]);
            while let Some(&mut (class, construct, ref mut next)) = path.last_mut() {
                let part = self.datatypes.constructs[construct].parts.get(*next).copied();
                *next += 1;
                let Some((_, part)) = part.filter(|_| !finished.contains(&class)) else {
                    finished.insert(class);
                    on_path.remove(&class);
                    path.pop();
                    continue;
                };
                let class = self.euf.find(part);
                if let Some(&from) = on_path.get(&class) {
                    let step = |&(_, n, next): &(Node, usize, usize)| {
                        let c = &self.datatypes.constructs[n];
                        (c.constructor, c.parts[next - 1].0)
                    };
                    let fields: Vec<(u32, u32)> = path[from..].iter().map(step).collect();
                    let whole = self.datatypes.constructs[path[from].1].term;
                    if self.datatypes.excluded.insert((whole, fields.clone())) {
                        self.requests.push(Request::Acyclic(whole, fields));
                    }
                    return;
                }
                if let Some(&n) = made.get(&class)
                    && !finished.contains(&class)
                {
                    on_path.insert(class, path.len());
                    path.push((class, n, 0));
                }
            }
        }
    }
}
