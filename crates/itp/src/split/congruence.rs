//! Equality with uninterpreted functions, up to the depth of the language.
//!
//! Congruence closure over the terms of the hypotheses refutes, but does not find all consequences: from `a = b` and
//! `f(a) = c`, where only `b`, `c` and `f` are visible elsewhere, `f(b) = c` has to be found, although `f(b)` occurs
//! nowhere. So where two arguments are known to be equal and one of them is visible in parts in which the other is not,
//! the application is repeated with that one, as long as the result is a term of the language's depth.

use super::nodes::{Claim, Node, Nodes, Offset};
use super::prover::{FactId, Prover, Why};
use super::vocabulary::Range;
use bolide_base::Rational;
use bolide_term::{Op, Store, Term};

/// What some part knows of two terms.
pub(super) enum Comparison {
    Equal,
    /// They differ in these parts, by this fact if it is not obvious.
    Apart(Option<FactId>, Range),
    Unknown,
}

/// The claim that one number is at most another.
pub(super) fn at_most(a: &Offset, b: &Offset) -> Claim {
    Claim::Bound { u: a.node, v: b.node, c: &b.plus - &a.plus, strict: false }
}

impl Prover {
    /// What follows for applications from a fact that has just been found.
    pub(super) fn congruences(&mut self, store: &mut Store, f: FactId) {
        let fact = &self.facts[f as usize];
        match fact.claim {
            Claim::Equal(u, v) => {
                let range = fact.known;
                self.equal(store, u, v, &Rational::ZERO, range);
                self.equal(store, v, u, &Rational::ZERO, range);
            }
            Claim::Bound { u, v, ref c, strict: false } if self.may_matter(u, v) => {
                let c = c.clone();
                let opposite = -&c;
                let ranges: Vec<Range> = self
                    .bounds_at_most(v, u, &opposite)
                    .filter_map(|g| self.facts[g as usize].known.meet(self.facts[f as usize].known))
                    .collect();
                for range in ranges {
                    self.equal(store, u, v, &c, range);
                    self.equal(store, v, u, &opposite, range);
                }
            }
            _ => {}
        }
    }

    /// Can an equality of two numbers make two applications equal?
    fn may_matter(&self, u: Node, v: Node) -> bool {
        let has_parents = |n: Node| self.nodes.parents(n).iter().any(|&p| self.is_active(p));
        !u.is_negative() && !v.is_negative() && (has_parents(u) || has_parents(v))
    }

    /// The facts that say `u <= v + c`.
    fn bounds_at_most<'a>(&'a self, u: Node, v: Node, c: &'a Rational) -> impl Iterator<Item = FactId> + 'a {
        self.about(u, v)
            .filter(move |&f| matches!(&self.facts[f as usize].claim, Claim::Bound { c: d, .. } if d <= c))
    }

    /// Some parts know that `u = v + c`: what follows for the applications that have `u` as an argument.
    fn equal(&mut self, store: &mut Store, u: Node, v: Node, c: &Rational, range: Range) {
        let parents: Vec<Node> =
            self.nodes.parents(u).iter().copied().filter(|&p| self.is_active(p)).collect();
        for &p in &parents {
            self.congruent_to_others(store, p, range);
        }
        if self.nodes.data(u).range.includes(self.nodes.data(v).range) {
            return;
        }
        // What happens to have a known number as its value is no better name for it.
        if !self.nodes.data(v).args.is_empty() && self.is_number(u, range) {
            return;
        }
        for p in parents {
            if self.nodes.data(p).range.meet(range).is_some() {
                self.repeat(store, p, u, v, c);
            }
        }
    }

    /// The application with `v + c` in place of `u`.
    fn repeat(&mut self, store: &mut Store, p: Node, u: Node, v: Node, c: &Rational) {
        let args: Vec<Offset> = self.nodes.data(p).args.clone();
        let mut terms = Vec::with_capacity(args.len());
        for a in args {
            let a = if a.node == u { Offset { node: v, plus: a.plus + c } } else { a };
            terms.push(self.nodes.offset_term(store, &a));
        }
        let old = self.nodes.data(p).term;
        let Some(term) = application(store, old, &terms) else { return };
        if !self.nodes.language.contains_term_or_write(store, term, true) {
            return;
        }
        let Some(n) = self.nodes.node(store, term) else { return };
        // Writes are in no language: they only help parts that did not see them before.
        let writes = store.op(term) == Op::Store || store.op(terms[0]) == Op::Store;
        if writes && self.nodes.data(p).range.includes(self.nodes.data(n).range) {
            return;
        }
        self.join(store, n);
    }

    /// Do some parts know the value of a term?
    fn is_number(&self, u: Node, range: Range) -> bool {
        let zero = Nodes::zero(self.nodes.data(u).sort);
        self.about(u, zero).any(|f| match &self.facts[f as usize].claim {
            Claim::Bound { c, strict: false, .. } if self.facts[f as usize].known.meet(range).is_some() => {
                let opposite = -c;
                self.bounds_at_most(zero, u, &opposite)
                    .any(|g| self.facts[g as usize].known.meet(range).is_some())
            }
            _ => false,
        })
    }

    /// Has an application take part in the saturation from now on.
    pub(super) fn join(&mut self, store: &mut Store, n: Node) {
        if self.is_active(n) {
            return;
        }
        self.activate(store, n);
        self.congruent_to_others(store, n, self.nodes.data(n).range);
        if store.op(self.nodes.data(n).term) == Op::Store {
            self.read_write(store, n);
        }
    }

    /// Compares an application with all others of its operator.
    fn congruent_to_others(&mut self, store: &Store, p: Node, within: Range) {
        let op = store.op(self.nodes.data(p).term);
        for q in self.applications(op).to_vec() {
            if q != p && self.nodes.data(q).range.meet(within).is_some() {
                self.congruent(p, q, within);
            }
        }
    }

    /// Two applications of the same operator are equal where some part knows that their arguments are.
    fn congruent(&mut self, p: Node, q: Node, within: Range) {
        let Some(mut range) = self.nodes.common_range(p, q).and_then(|r| r.meet(within)) else { return };
        if self.nodes.data(p).args.len() != self.nodes.data(q).args.len() {
            return;
        }
        let mut premises: Vec<FactId> = Vec::new();
        for n in 0..self.nodes.data(p).args.len() {
            let (a, b) = (&self.nodes.data(p).args[n], &self.nodes.data(q).args[n]);
            let Some((facts, known)) = self.equality(a, b, range) else { return };
            range = known;
            premises.extend(facts);
        }
        premises.sort_unstable();
        premises.dedup();
        let (p, q) = (Offset { node: p, plus: Rational::ZERO }, Offset { node: q, plus: Rational::ZERO });
        self.add_equality(&p, &q, range, &Why::Congruence(premises.into()));
    }

    /// Numbers that differ because a function of them does, where no part knows which is the larger one: pairs to be
    /// decided by cases.
    pub(super) fn arguments_apart(&self) -> Vec<(Claim, u32)> {
        let mut open = Vec::new();
        for op in self.functions().into_iter().map(Op::Apply).chain([Op::Select]) {
            let all = self.applications(op);
            for (n, &p) in all.iter().enumerate() {
                for &q in &all[n + 1..] {
                    open.extend(self.argument_apart(p, q));
                }
            }
        }
        open
    }

    /// The only arguments of two applications that are not known to be equal, if they are numbers and the
    /// applications differ.
    fn argument_apart(&self, p: Node, q: Node) -> Option<(Claim, u32)> {
        let within = self.nodes.common_range(p, q)?;
        let whole = |node| Offset { node, plus: Rational::ZERO };
        let Comparison::Apart(_, known) = self.compare(&whole(p), &whole(q), within) else { return None };
        let pairs = self.nodes.data(p).args.iter().zip(&self.nodes.data(q).args);
        let mut unequal = pairs.filter(|(a, b)| self.equality(a, b, known).is_none());
        let (a, b) = unequal.next()?;
        let decides = unequal.next().is_none() && self.nodes.is_arith(a.node);
        let is_open = decides && matches!(self.compare(a, b, known), Comparison::Unknown);
        is_open.then(|| (at_most(a, b), known.first))
    }

    /// What is known of two terms in some part of a range.
    pub(super) fn compare(&self, a: &Offset, b: &Offset, within: Range) -> Comparison {
        if a.node == b.node && a.plus != b.plus {
            return Comparison::Apart(None, within);
        }
        if self.nodes.data(a.node).is_value && self.nodes.data(b.node).is_value && a.node != b.node {
            return Comparison::Apart(None, within);
        }
        if self.equality(a, b, within).is_some() {
            return Comparison::Equal;
        }
        let c = &b.plus - &a.plus;
        for (u, v, c) in [(a.node, b.node, c.clone()), (b.node, a.node, -c)] {
            for f in self.about(u, v) {
                let fact = &self.facts[f as usize];
                let apart = match fact.claim {
                    Claim::Bound { c: ref d, strict, .. } => *d < c || *d == c && strict,
                    Claim::Apart(..) => true,
                    Claim::Equal(..) | Claim::Linear { .. } => false,
                };
                if let (true, Some(known)) = (apart, fact.known.meet(within)) {
                    return Comparison::Apart(Some(f), known);
                }
            }
        }
        Comparison::Unknown
    }

    /// Facts from which the equality of two arguments follows, and the parts within a range that know them.
    pub(super) fn equality(&self, a: &Offset, b: &Offset, within: Range) -> Option<(Vec<FactId>, Range)> {
        if a.node == b.node {
            return (a.plus == b.plus).then(|| (Vec::new(), within));
        }
        if !self.nodes.is_arith(a.node) {
            return self.about(a.node, b.node).find_map(|f| {
                let fact = &self.facts[f as usize];
                let is_equality = matches!(fact.claim, Claim::Equal(..));
                is_equality.then(|| fact.known.meet(within)).flatten().map(|r| (vec![f], r))
            });
        }
        let c = &b.plus - &a.plus;
        let opposite = -&c;
        for f in self.bounds_at_most(a.node, b.node, &c) {
            let Some(within) = self.facts[f as usize].known.meet(within) else { continue };
            for g in self.bounds_at_most(b.node, a.node, &opposite) {
                if let Some(range) = self.facts[g as usize].known.meet(within) {
                    return Some((vec![f, g], range));
                }
            }
        }
        None
    }

    /// Adds the equality of two terms that some parts can deduce.
    pub(super) fn add_equality(&mut self, a: &Offset, b: &Offset, birth: Range, why: &Why) {
        let (u, v) = (a.node, b.node);
        if !self.nodes.is_arith(u) {
            self.add(Claim::Equal(u, v), birth, why.clone());
            return;
        }
        let c = &b.plus - &a.plus;
        let opposite = -&c;
        self.add(Claim::Bound { u, v, c, strict: false }, birth, why.clone());
        self.add(Claim::Bound { u: v, v: u, c: opposite, strict: false }, birth, why.clone());
    }
}

/// The operator of an application with other arguments, not simplified to something else.
fn application(store: &mut Store, old: Term, args: &[Term]) -> Option<Term> {
    let new = match store.op(old) {
        Op::Select => store.raw_select(args[0], args[1]),
        Op::Apply(f) => store.apply(f, args),
        _ => store.rebuild(old, args),
    };
    (store.op(new) == store.op(old)).then_some(new)
}

impl Nodes {
    /// The argument of an application, by position.
    pub(super) fn argument(&self, p: Node, n: usize) -> Option<&Offset> {
        self.data(p).args.get(n)
    }
}
