//! Elimination of variables that an assertion defines.
//!
//! Path formulas are full of definitions: `x_3 = x_2 + 1` where `x_3` is new. Such a variable need not reach the
//! theories: it is replaced by its definition in everything asserted from then on, as long as the scope of the
//! definition is open. A variable can be eliminated only before it is *frozen*, that is before it occurs in
//! something that was encoded. Models get the values of eliminated variables by evaluation.
//!
//! Solvers that record proofs do not eliminate anything.

use bolide_base::Rational;
use bolide_term::{Func, Linear, Op, Sort, Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// Definitions with more monomials than this are left to the theories.
const LARGE_SUM: usize = 12;
/// Definitions with more subterms than this are left to the theories.
const LARGE_DEFINITION: usize = 200;
/// The same for arrays: memories that many writes have made. To the theories they would be arrays with a value of their
/// own, about which they would have to know everything.
const LARGE_ARRAY: usize = 20_000;

/// A position to return to.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Mark {
    definitions: usize,
    frozen: usize,
}

/// The definitions in force.
#[derive(Debug, Default)]
pub(crate) struct Elimination {
    /// What each eliminated variable stands for, over variables that are not eliminated.
    definition: FxHashMap<Term, Term>,
    /// Eliminated variables in the order of their elimination.
    eliminated: Vec<Term>,
    /// Variables that may not be eliminated any more.
    frozen: FxHashSet<Func>,
    frozen_order: Vec<Func>,
}

impl Elimination {
    /// Where we are now.
    pub fn mark(&self) -> Mark {
        Mark { definitions: self.eliminated.len(), frozen: self.frozen_order.len() }
    }

    /// Forgets what came after the mark.
    pub fn return_to(&mut self, mark: Mark) {
        for t in self.eliminated.drain(mark.definitions..) {
            self.definition.remove(&t);
        }
        for f in self.frozen_order.drain(mark.frozen..) {
            self.frozen.remove(&f);
        }
    }

    /// The eliminated variables with their definitions.
    pub fn definitions(&self) -> impl Iterator<Item = (Term, Term)> + '_ {
        self.eliminated.iter().map(|&t| (t, self.definition[&t]))
    }

    /// The conjuncts of an assertion that remain to be encoded, after its definitions were taken out of it and all
    /// definitions in force were put in.
    pub fn process(&mut self, store: &mut Store, assertion: Term) -> Vec<Term> {
        let mut rest = Vec::new();
        for conjunct in store.conjuncts(assertion) {
            let is_candidate = match store.op(conjunct) {
                Op::Eq => true,
                Op::Not => store.as_var(store.arg(conjunct, 0)).is_some(),
                _ => store.as_var(conjunct).is_some(),
            };
            if !is_candidate {
                rest.push(conjunct);
                continue;
            }
            let equation = self.apply(store, conjunct);
            match self.solve(store, equation) {
                Some((x, definition)) => self.define(store, x, definition),
                None => rest.push(equation),
            }
        }
        for t in &mut rest {
            *t = self.apply(store, *t);
        }
        rest.retain(|&t| t != store.tru());
        self.freeze(store, &rest);
        rest
    }

    /// The term with all definitions in force put in.
    pub fn apply(&self, store: &mut Store, t: Term) -> Term {
        if self.definition.is_empty() {
            return t;
        }
        let mut memo: FxHashMap<Term, Term> = FxHashMap::default();
        let mut stack = vec![t];
        let mut args: Vec<Term> = Vec::new();
        while let Some(&top) = stack.last() {
            if memo.contains_key(&top) {
                stack.pop();
                continue;
            }
            if let Some(&definition) = self.definition.get(&top) {
                memo.insert(top, definition);
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(store.args(top).iter().filter(|a| !memo.contains_key(a)));
            if stack.len() > before {
                continue;
            }
            args.clear();
            args.extend(store.args(top).iter().map(|a| memo[a]));
            let new = store.rebuild(top, &args);
            memo.insert(top, new);
            stack.pop();
        }
        memo[&t]
    }

    fn define(&mut self, store: &Store, x: Term, definition: Term) {
        self.definition.insert(x, definition);
        self.eliminated.push(x);
        // What the definition mentions must stay, or definitions would have to be updated.
        self.freeze(store, &[definition]);
    }

    /// The variables of what is encoded cannot be eliminated any more.
    pub fn freeze(&mut self, store: &Store, terms: &[Term]) {
        for t in store.post_order(terms.iter().copied()) {
            if let Some(f) = store.as_var(t)
                && self.frozen.insert(f)
            {
                self.frozen_order.push(f);
            }
        }
    }

    fn may_eliminate(&self, store: &Store, t: Term) -> bool {
        store.as_var(t).is_some_and(|f| !self.frozen.contains(&f)) && !self.definition.contains_key(&t)
    }

    /// Solves an equation, or a Boolean variable that is asserted, for a variable that may be eliminated.
    fn solve(&self, store: &mut Store, equation: Term) -> Option<(Term, Term)> {
        let (atom, positive) = store.literal(equation);
        if self.may_eliminate(store, atom) {
            return Some((atom, store.bool(positive)));
        }
        if !positive || store.op(atom) != Op::Eq {
            return None;
        }
        let (a, b) = (store.arg(atom, 0), store.arg(atom, 1));
        if store.sort_of(a).is_arith() {
            return self.solve_linear(store, a, b);
        }
        for (x, definition) in [(a, b), (b, a)] {
            if self.may_eliminate(store, x) && is_small_and_free_of(store, &[definition], x) {
                return Some((x, definition));
            }
        }
        None
    }

    fn solve_linear(&self, store: &mut Store, a: Term, b: Term) -> Option<(Term, Term)> {
        let sort = store.sort_of(a);
        let mut difference = store.linear_difference(a, b);
        if difference.terms.len() > LARGE_SUM {
            return None;
        }
        let solvable = |c: &Rational| sort == Sort::REAL || c.abs().is_one();
        // The youngest variable is the likeliest to be new on a path.
        let n = (0..difference.terms.len()).rev().find(|&n| {
            let (t, c) = &difference.terms[n];
            solvable(c) && self.may_eliminate(store, *t)
        })?;
        let (x, c) = difference.terms.remove(n);
        let others: Vec<Term> = difference.terms.iter().map(|&(t, _)| t).collect();
        if !is_small_and_free_of(store, &others, x) {
            return None;
        }
        let mut definition = Linear::default();
        definition.add_scaled(&difference, &-c.recip());
        Some((x, store.from_linear(&definition, sort)))
    }
}

fn is_small_and_free_of(store: &Store, terms: &[Term], x: Term) -> bool {
    let is_array = store.array_sorts(store.sort_of(x)).is_some();
    let limit = if is_array { LARGE_ARRAY } else { LARGE_DEFINITION };
    let mut size = 0;
    for t in store.post_order(terms.iter().copied()) {
        size += 1;
        let is_unsuitable = match store.op(t) {
            Op::Forall | Op::Exists => true,
            // A divisor that is zero must be noticed.
            Op::Div | Op::Mod | Op::RealDiv => store.as_num(store.arg(t, 1)).is_none(),
            _ => false,
        };
        if t == x || size > limit || is_unsuitable {
            return false;
        }
    }
    true
}
