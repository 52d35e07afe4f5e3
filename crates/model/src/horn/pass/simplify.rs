//! Simplifies clauses one by one: arguments of bodies become distinct constants, equations are solved for constants
//! that stand in no body, and constants that must have one value are replaced by it.

use crate::horn::back::BackMap;
use crate::horn::system::fresh_like;
use crate::horn::{Clause, Derivation, Horn, isolate};
use bolide_base::{Budget, Interrupt, Rational};
use bolide_term::{Evaluator, Linear, Op, Sort, Store, Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// Rounds of solving per clause.
const ROUNDS: usize = 60;

/// What [`simplify`] did.
#[derive(Clone, Debug)]
pub struct Simplified {
    /// For each clause the constants that are gone, with terms for their values, in the order of elimination: a
    /// term may contain constants that were eliminated later.
    solved: Vec<Vec<(Term, Term)>>,
}

/// Simplifies all clauses; none is removed.
pub fn simplify(store: &mut Store, horn: &Horn, budget: &Budget) -> Result<(Horn, BackMap), Interrupt> {
    let mut clauses = Vec::with_capacity(horn.clauses.len());
    let mut solved = Vec::with_capacity(horn.clauses.len());
    for c in &horn.clauses {
        budget.check()?;
        let mut work = Work::new(store, c);
        work.run(store);
        clauses.push(work.clause);
        solved.push(work.solved);
    }
    Ok((Horn { preds: horn.preds.clone(), clauses }, BackMap::Simplified(Simplified { solved })))
}

/// A clause that is being simplified.
struct Work {
    clause: Clause,
    /// Constants in the body.
    fixed: FxHashSet<Term>,
    /// Equations `constant = value` about constants in the body, which have been replaced elsewhere.
    pinned: Vec<(Term, Term)>,
    solved: Vec<(Term, Term)>,
}

impl Work {
    /// Makes the arguments of bodies distinct constants.
    fn new(store: &mut Store, clause: &Clause) -> Work {
        let mut clause = clause.clone();
        let mut fixed = FxHashSet::default();
        let mut equations = vec![clause.constraint];
        for atom in &mut clause.body {
            for arg in &mut atom.args {
                if store.as_var(*arg).is_none() || !fixed.insert(*arg) {
                    let v = fresh_like(store, *arg);
                    equations.push(store.eq(v, *arg));
                    fixed.insert(v);
                    *arg = v;
                }
            }
        }
        clause.constraint = store.and(&equations);
        Work { clause, fixed, pinned: Vec::new(), solved: Vec::new() }
    }

    fn run(&mut self, store: &mut Store) {
        for _ in 0..ROUNDS {
            let conjuncts = store.conjuncts(self.clause.constraint);
            let conjuncts = join_bounds(store, conjuncts);
            self.clause.constraint = store.and(&conjuncts);
            let batch = self.batch(store, &conjuncts);
            if batch.is_empty() {
                break;
            }
            let mut subst = Substitution::new();
            for &(v, t) in &batch {
                subst.insert(v, t);
                if self.fixed.contains(&v) {
                    self.pinned.push((v, t));
                } else {
                    self.solved.push((v, t));
                }
            }
            self.clause.constraint = subst.apply(store, self.clause.constraint);
            if let Some(h) = &mut self.clause.head {
                for a in &mut h.args {
                    *a = subst.apply(store, *a);
                }
            }
        }
        let mut parts = vec![self.clause.constraint];
        for &(v, t) in &self.pinned {
            parts.push(store.eq(v, t));
        }
        self.clause.constraint = store.and(&parts);
    }

    /// Replacements that do not depend on each other.
    fn batch(&self, store: &mut Store, conjuncts: &[Term]) -> Vec<(Term, Term)> {
        let mut batch = Vec::new();
        let (mut chosen, mut used) = (FxHashSet::default(), FxHashSet::default());
        for &c in conjuncts {
            let Some((v, t)) = self.solve(store, c, &chosen, &used) else { continue };
            used.extend(store.post_order([t]).filter(|&u| store.as_var(u).is_some()));
            chosen.insert(v);
            batch.push((v, t));
        }
        batch
    }

    /// Reads a conjunct as the definition of a constant that is not yet used, by constants that are not chosen.
    fn solve(
        &self,
        store: &mut Store,
        conjunct: Term,
        chosen: &FxHashSet<Term>,
        used: &FxHashSet<Term>,
    ) -> Option<(Term, Term)> {
        let (atom, sign) = store.literal(conjunct);
        let usable =
            |store: &Store, v: Term| store.as_var(v).is_some() && !chosen.contains(&v) && !used.contains(&v);
        if store.as_var(atom).is_some() {
            return usable(store, atom).then(|| (atom, store.bool(sign)));
        }
        if store.op(atom) != Op::Eq {
            return None;
        }
        let (a, b) = (store.arg(atom, 0), store.arg(atom, 1));
        let sort = store.sort_of(a);
        if sort.is_arith() && sign {
            return self.solve_linear(store, a, b, sort, &usable, chosen);
        }
        for (v, t) in [(a, b), (b, a)] {
            let local = !self.fixed.contains(&v) || store.is_value(t);
            if (sign || sort == Sort::BOOL) && local && usable(store, v) {
                let t = if sign { t } else { store.not(t) };
                if store.post_order([t]).all(|u| u != v && !chosen.contains(&u)) {
                    return Some((v, t));
                }
            }
        }
        if !sign || store.bv_width(sort).is_none() {
            return None;
        }
        let is_wanted = |store: &Store, v: Term| usable(store, v) && !self.fixed.contains(&v);
        let (v, t) = isolate(store, atom, &is_wanted)?;
        store.post_order([t]).all(|u| !chosen.contains(&u)).then_some((v, t))
    }

    fn solve_linear(
        &self,
        store: &mut Store,
        a: Term,
        b: Term,
        sort: Sort,
        usable: &dyn Fn(&Store, Term) -> bool,
        chosen: &FxHashSet<Term>,
    ) -> Option<(Term, Term)> {
        let l = store.linear_difference(a, b);
        let single = l.terms.len() == 1;
        let at = l.terms.iter().position(|(v, c)| {
            let unit = sort == Sort::REAL || c.abs().is_one();
            unit && usable(store, *v) && (single || !self.fixed.contains(v))
        })?;
        let (v, c) = l.terms[at].clone();
        let mut rest = l;
        rest.terms.remove(at);
        rest.scale(&-c.recip());
        let t = store.from_linear(&rest, sort);
        store.post_order([t]).all(|u| u != v && !chosen.contains(&u)).then_some((v, t))
    }
}

/// Replaces `a <= b` and `b <= a` by `a = b`.
fn join_bounds(store: &mut Store, conjuncts: Vec<Term>) -> Vec<Term> {
    let mut bounds: FxHashMap<(Vec<(Term, Rational)>, Rational), usize> = FxHashMap::default();
    let mut out: Vec<Option<Term>> = Vec::with_capacity(conjuncts.len());
    for c in conjuncts {
        let Some((l, sort)) = upper_bound(store, c) else {
            out.push(Some(c));
            continue;
        };
        let mut opposite = l.clone();
        opposite.scale(&Rational::MINUS_ONE);
        if let Some(&n) = bounds.get(&(opposite.terms, opposite.constant)) {
            out[n] = None;
            out.push(Some(store.linear_eq(l, sort)));
        } else {
            bounds.insert((l.terms, l.constant), out.len());
            out.push(Some(c));
        }
    }
    out.into_iter().flatten().collect()
}

/// The linear expression that a literal says is at most zero.
fn upper_bound(store: &Store, literal: Term) -> Option<(Linear, Sort)> {
    let (atom, sign) = store.literal(literal);
    if store.op(atom) != Op::Le {
        return None;
    }
    let (a, b) = (store.arg(atom, 0), store.arg(atom, 1));
    let sort = store.sort_of(a);
    if sign {
        return Some((store.linear_difference(a, b), sort));
    }
    let mut l = store.linear_difference(b, a);
    (sort == Sort::INT).then(|| {
        l.constant += &Rational::ONE;
        (l, sort)
    })
}

impl Simplified {
    pub(in crate::horn) fn derivation(&self, store: &Store, mut d: Derivation) -> Option<Derivation> {
        for step in &mut d.steps {
            for &(v, t) in self.solved.get(step.clause)?.iter().rev() {
                let value = Evaluator::new(store, &step.values).eval(t).ok()?;
                step.values.set(store.as_var(v)?, value);
            }
        }
        Some(d)
    }
}
