//! The terms that the split prover reasons about, as nodes of its graph.

use super::language::{Kind, Language};
use super::shape::{difference, octagonal};
use super::vocabulary::{Range, Vocabulary};
use bolide_base::Rational;
use bolide_term::{Linear, Op, Sort, Store, Term};
use rustc_hash::FxHashMap;

/// A node: a term, or the negation of an arithmetic term, or the number zero of one sort.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Node(u32);

/// Zero among the integers and among the reals.
const ZEROS: usize = 2;

impl Node {
    fn new(index: usize, negative: bool) -> Node {
        Node((index as u32) << 1 | u32::from(negative))
    }

    /// Position of the term in [`Nodes`].
    pub fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Position in tables that have two entries for each term.
    pub fn slot(self) -> usize {
        self.0 as usize
    }

    pub fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    pub fn is_zero(self) -> bool {
        self.index() < ZEROS
    }

    /// The node of the opposite value.
    pub fn opposite(self) -> Node {
        if self.is_zero() { self } else { Node(self.0 ^ 1) }
    }
}

/// A node plus a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Offset {
    pub node: Node,
    pub plus: Rational,
}

/// What is known of a term.
pub(super) struct Data {
    /// The term; meaningless for the zeros.
    pub term: Term,
    pub sort: Sort,
    /// Where it is visible.
    pub range: Range,
    /// May it occur in atoms of the language?
    pub in_language: bool,
    /// Is it a constant that differs from all other such constants?
    pub is_value: bool,
    /// Arguments, if it is an application of a function.
    pub args: Vec<Offset>,
}

/// What a literal says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// The first node is less than or equal to the second plus a number, or less if strict.
    Bound { u: Node, v: Node, c: Rational, strict: bool },
    /// Two terms that are no numbers are equal.
    Equal(Node, Node),
    /// Two terms that are no numbers differ.
    Apart(Node, Node),
    /// A sum of more than two terms, or of terms of different weights, is at most zero, or less if strict.
    Linear { linear: Box<Linear>, strict: bool, sort: Sort },
}

impl Claim {
    /// The nodes that it is about; the zero twice if it is about more than two.
    pub fn ends(&self) -> (Node, Node) {
        match *self {
            Claim::Linear { sort, .. } => (Nodes::zero(sort), Nodes::zero(sort)),
            Claim::Bound { u, v, .. } | Claim::Equal(u, v) | Claim::Apart(u, v) => (u, v),
        }
    }
}

/// The nodes of a path.
pub(super) struct Nodes {
    pub vocabulary: Vocabulary,
    pub language: Language,
    data: Vec<Data>,
    index: FxHashMap<Term, usize>,
    /// Applications in which a term is an argument, by position of the term.
    parents: Vec<Vec<Node>>,
    /// Are sums of two terms reasoned about? Only then negations of terms are nodes. They are where a sum occurs, and
    /// where nothing else helps.
    pub octagonal: bool,
}

impl Nodes {
    pub fn new(store: &Store, vocabulary: Vocabulary, language: Language) -> Nodes {
        let range = vocabulary.everywhere();
        let zero = |sort| Data {
            term: store.tru(),
            sort,
            range,
            in_language: true,
            is_value: false,
            args: Vec::new(),
        };
        Nodes {
            vocabulary,
            language,
            data: vec![zero(Sort::INT), zero(Sort::REAL)],
            index: FxHashMap::default(),
            parents: vec![Vec::new(), Vec::new()],
            octagonal: false,
        }
    }

    pub fn len(&self) -> usize {
        self.data.len()
    }

    pub fn data(&self, n: Node) -> &Data {
        &self.data[n.index()]
    }

    pub fn is_arith(&self, n: Node) -> bool {
        self.data(n).sort.is_arith()
    }

    pub fn is_int(&self, n: Node) -> bool {
        self.data(n).sort == Sort::INT
    }

    /// The applications in which a term is an argument.
    pub fn parents(&self, n: Node) -> &[Node] {
        &self.parents[n.index()]
    }

    /// Zero at a sort.
    pub fn zero(sort: Sort) -> Node {
        Node::new(usize::from(sort != Sort::INT), false)
    }

    /// Where both nodes are visible.
    pub fn common_range(&self, u: Node, v: Node) -> Option<Range> {
        self.data(u).range.meet(self.data(v).range)
    }

    /// The node of a term that is not a number; none if the term is nowhere visible or binds variables.
    pub fn node(&mut self, store: &Store, t: Term) -> Option<Node> {
        if let Some(&n) = self.index.get(&t) {
            return Some(Node::new(n, false));
        }
        let mut stack = vec![t];
        while let Some(&top) = stack.last() {
            if self.index.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            for &a in store.args(top) {
                let inner = base_of(store, a);
                stack.extend(inner.filter(|b| !self.index.contains_key(b)));
            }
            if stack.len() > before {
                continue;
            }
            self.insert(store, top)?;
            stack.pop();
        }
        self.index.get(&t).map(|&n| Node::new(n, false))
    }

    /// Adds a term whose arguments are known.
    fn insert(&mut self, store: &Store, t: Term) -> Option<()> {
        let range = self.vocabulary.range(store, t)?;
        if matches!(store.op(t), Op::Forall | Op::Exists) {
            return None;
        }
        let is_sum = matches!(store.op(t), Op::Add | Op::Mul);
        let mut args = Vec::new();
        if !is_sum {
            for &a in store.args(t) {
                args.push(self.known_offset(store, a)?);
            }
        }
        let n = Node::new(self.data.len(), false);
        for (i, a) in args.iter().enumerate() {
            if args[..i].iter().all(|b| b.node.index() != a.node.index()) {
                self.parents[a.node.index()].push(n);
            }
        }
        let in_language = self.language.contains_term(store, t);
        self.index.insert(t, self.data.len());
        let is_value = store.is_value(t);
        self.data.push(Data { term: t, sort: store.sort_of(t), range, in_language, is_value, args });
        self.parents.push(Vec::new());
        Some(())
    }

    /// A term as node plus number, if its node exists.
    fn known_offset(&self, store: &Store, t: Term) -> Option<Offset> {
        let sort = store.sort_of(t);
        if !sort.is_arith() {
            return Some(Offset { node: Node::new(*self.index.get(&t)?, false), plus: Rational::ZERO });
        }
        let l = store.linear(t);
        match l.terms[..] {
            [] => Some(Offset { node: Nodes::zero(sort), plus: l.constant }),
            [(x, ref c)] if c.is_one() => {
                Some(Offset { node: Node::new(*self.index.get(&x)?, false), plus: l.constant })
            }
            _ => Some(Offset { node: Node::new(*self.index.get(&t)?, false), plus: Rational::ZERO }),
        }
    }

    /// The term of a node plus a number.
    pub fn offset_term(&self, store: &mut Store, o: &Offset) -> Term {
        let data = self.data(o.node);
        if !data.sort.is_arith() {
            return data.term;
        }
        let mut l = Linear::constant(o.plus.clone());
        self.add(&mut l, o.node, &Rational::ONE);
        store.from_linear(&l, data.sort)
    }

    fn add(&self, l: &mut Linear, n: Node, factor: &Rational) {
        if !n.is_zero() {
            let factor = if n.is_negative() { -factor } else { factor.clone() };
            let one = Linear { constant: Rational::ZERO, terms: vec![(self.data(n).term, Rational::ONE)] };
            l.add_scaled(&one, &factor);
        }
    }

    /// What a literal says, as far as the prover can reason about it: two things for an equality of numbers.
    pub fn claims(&mut self, store: &mut Store, literal: Term) -> Vec<Claim> {
        let Some((mut l, sort)) = difference(store, literal).filter(|_| store.op(literal) == Op::Eq) else {
            return self.claim(store, literal).into_iter().collect();
        };
        let upper = self.bound(store, &l, sort, false);
        l.scale(&Rational::MINUS_ONE);
        let lower = self.bound(store, &l, sort, false);
        upper.into_iter().chain(lower).collect()
    }

    /// What a literal other than an equality of numbers says.
    fn claim(&mut self, store: &mut Store, literal: Term) -> Option<Claim> {
        let (atom, positive) = store.literal(literal);
        match store.op(atom) {
            Op::Le => {
                let (mut l, sort) = difference(store, atom)?;
                if !positive {
                    l.scale(&Rational::MINUS_ONE);
                }
                self.bound(store, &l, sort, !positive)
            }
            Op::Eq => {
                let (a, b) = (store.arg(atom, 0), store.arg(atom, 1));
                if store.sort_of(a).is_arith() {
                    return None;
                }
                let (u, v) = (self.node(store, a)?, self.node(store, b)?);
                Some(if positive { Claim::Equal(u, v) } else { Claim::Apart(u, v) })
            }
            _ if store.args(atom).is_empty() => None,
            _ => {
                // A predicate: equal to a truth value.
                let value = store.bool(positive);
                let (u, v) = (self.node(store, atom)?, self.node(store, value)?);
                Some(Claim::Equal(u, v))
            }
        }
    }

    /// The claim `l <= 0`, or `l < 0` if strict.
    fn bound(&mut self, store: &Store, l: &Linear, sort: Sort, strict: bool) -> Option<Claim> {
        for &(t, _) in &l.terms {
            self.node(store, t)?;
        }
        let claim = self.known_bound(l, sort, strict)?;
        let (u, v) = claim.ends();
        self.octagonal |= u.is_negative() || v.is_negative();
        Some(claim)
    }

    /// The same if all its terms are known.
    pub fn known_bound(&self, l: &Linear, sort: Sort, strict: bool) -> Option<Claim> {
        let Some(o) = octagonal(l) else {
            let mut linear = Box::new(l.clone());
            let is_int = sort == Sort::INT;
            if strict && is_int {
                linear.constant += &Rational::ONE;
            }
            let strict = strict && !is_int;
            return Some(Claim::Linear { linear, strict, sort });
        };
        let mut ends = Vec::with_capacity(2);
        for &(t, positive) in &o.terms {
            let n = self.known_node(t)?;
            ends.push(if positive { n } else { n.opposite() });
        }
        let zero = Nodes::zero(sort);
        let (u, v) = match ends[..] {
            [x] if x.is_negative() => (zero, x.opposite()),
            [x] => (x, zero),
            [x, y] if x.is_negative() && !y.is_negative() => (y, x.opposite()),
            [x, y] => (x, y.opposite()),
            _ => return None,
        };
        let (c, strict) = self.rounded(u, o.bound, strict);
        Some(Claim::Bound { u, v, c, strict })
    }

    /// A bound on a difference of integers is a whole number and not strict.
    pub fn rounded(&self, u: Node, c: Rational, strict: bool) -> (Rational, bool) {
        if !self.is_int(u) {
            return (c, strict);
        }
        if strict && c.is_integer() { (c - Rational::ONE, false) } else { (c.floor(), false) }
    }

    /// The node of a term, if it has one.
    pub fn known_node(&self, t: Term) -> Option<Node> {
        self.index.get(&t).map(|&n| Node::new(n, false))
    }

    /// The expression that a bound says is at most zero.
    pub fn linear(&self, claim: &Claim) -> Linear {
        match claim {
            Claim::Linear { linear, .. } => (**linear).clone(),
            Claim::Bound { u, v, c, .. } => {
                let mut l = Linear::constant(-c);
                self.add(&mut l, *u, &Rational::ONE);
                self.add(&mut l, *v, &Rational::MINUS_ONE);
                l
            }
            Claim::Equal(..) | Claim::Apart(..) => Linear::default(),
        }
    }

    /// The literal that a claim is.
    pub fn literal(&self, store: &mut Store, claim: &Claim) -> Term {
        match *claim {
            Claim::Bound { strict, .. } | Claim::Linear { strict, .. } => {
                let mut l = self.linear(claim);
                let sort = self.data(claim.ends().0).sort;
                if strict {
                    l.scale(&Rational::MINUS_ONE);
                    let opposite = store.linear_le(l, sort);
                    store.not(opposite)
                } else {
                    store.linear_le(l, sort)
                }
            }
            Claim::Equal(u, v) => store.eq(self.data(u).term, self.data(v).term),
            Claim::Apart(u, v) => {
                let equal = store.eq(self.data(u).term, self.data(v).term);
                store.not(equal)
            }
        }
    }

    /// The strongest claim of the language that follows from a claim.
    pub fn weakened(&self, claim: &Claim) -> Option<Claim> {
        let (u, v) = claim.ends();
        // A bound on twice a term is halved first.
        let is_double = u == v.opposite() && self.is_arith(u);
        if is_double || !self.data(u).in_language || !self.data(v).in_language {
            return None;
        }
        match *claim {
            Claim::Linear { .. } => None,
            Claim::Equal(..) | Claim::Apart(..) => Some(claim.clone()),
            Claim::Bound { ref c, strict, .. } => {
                let kind = match (u.is_zero(), v.is_zero()) {
                    (false, true) if !u.is_negative() => Kind::Upper,
                    (true, false) if v.is_negative() => Kind::Upper,
                    (false, true) | (true, false) => Kind::Lower,
                    _ => Kind::Pair,
                };
                let (c, strict) = self.language.weaken(kind, self.is_int(u), c, strict)?;
                Some(Claim::Bound { u, v, c, strict })
            }
        }
    }
}

/// The term that stands for the non-constant part of an argument: the base term if it is one plus a number.
fn base_of(store: &Store, t: Term) -> Option<Term> {
    if !store.sort_of(t).is_arith() {
        return Some(t);
    }
    let l = store.linear(t);
    match l.terms[..] {
        [] => None,
        [(x, ref c)] if c.is_one() => Some(x),
        _ => Some(t),
    }
}
