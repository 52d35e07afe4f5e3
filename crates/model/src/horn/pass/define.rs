//! Takes definitions out of disjunctions.
//!
//! A transition relation is often written as a disjunction of steps, each of which gives the next values by equations. No equation
//! holds in all steps, so none can be solved, and the next values are constants of their own that are merely constrained. Where
//! the disjuncts of `D1 or … or Dn` say `x = t1`, …, `x = tn`, this pass writes `x = (ite c1 t1 …)` next to a disjunction of `ci and Di`, with the
//! equations gone from `Di`: new truth values choose the disjunct. Then the next values are functions of the arguments before the
//! step, the choice, and of what is really free.
//!
//! The disjunction and what replaces it are equivalent, up to the values of the new constants, which stand in no atom; so evidence is the same.

use crate::horn::back::BackMap;
use crate::horn::system::fresh_like;
use crate::horn::{Clause, Horn, isolate};
use bolide_base::{Budget, Interrupt};
use bolide_term::{Op, Sort, Store, Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// Takes definitions of constants that stand in no body out of the disjunctions of all clauses.
pub fn define(store: &mut Store, horn: &Horn, budget: &Budget) -> Result<(Horn, BackMap), Interrupt> {
    let mut clauses = Vec::with_capacity(horn.clauses.len());
    for clause in &horn.clauses {
        let fixed = clause.body.iter().flat_map(|a| &a.args).copied().collect();
        let constraint = Definer { store, fixed, budget }.formula(clause.constraint)?;
        clauses.push(Clause { constraint, ..clause.clone() });
    }
    Ok((Horn { preds: horn.preds.clone(), clauses }, BackMap::Same))
}

/// Rewrites the constraint of one clause.
struct Definer<'a> {
    store: &'a mut Store,
    /// The constants in the body.
    fixed: FxHashSet<Term>,
    budget: &'a Budget,
}

/// A disjunct.
struct Case {
    /// What it says of constants by equations.
    definitions: FxHashMap<Term, Term>,
    /// For each equation the constant that it is about.
    conjuncts: Vec<(Term, Option<Term>)>,
}

impl Definer<'_> {
    /// Rewrites the disjunctions that stand under nothing but conjunctions and disjunctions, inner ones first.
    fn formula(&mut self, root: Term) -> Result<Term, Interrupt> {
        let mut done: FxHashMap<Term, Term> = FxHashMap::default();
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if done.contains_key(&t) {
                stack.pop();
                continue;
            }
            self.budget.check()?;
            let op = self.store.op(t);
            if !matches!(op, Op::And | Op::Or) {
                done.insert(t, t);
                continue;
            }
            let before = stack.len();
            stack.extend(self.store.args(t).iter().filter(|a| !done.contains_key(a)));
            if stack.len() > before {
                continue;
            }
            let args: Vec<Term> = self.store.args(t).iter().map(|a| done[a]).collect();
            let new = if op == Op::And { self.store.and(&args) } else { self.disjunction(&args) };
            done.insert(t, new);
        }
        Ok(done[&root])
    }

    /// The disjunction of terms, with definitions in front of it.
    fn disjunction(&mut self, disjuncts: &[Term]) -> Term {
        let cases: Vec<Case> = disjuncts.iter().map(|&d| self.case(d)).collect();
        let defined = defined(&cases);
        if defined.is_empty() {
            return self.store.or(disjuncts);
        }
        let chosen = self.choices(cases.len());
        let is_defined: FxHashSet<Term> = defined.iter().copied().collect();
        let mut values: Vec<Vec<Term>> = Vec::with_capacity(defined.len());
        for &v in &defined {
            let free = fresh_like(self.store, v);
            values.push(cases.iter().map(|c| c.definitions.get(&v).copied().unwrap_or(free)).collect());
        }
        let mut rest = Vec::with_capacity(cases.len());
        for (n, case) in cases.iter().enumerate() {
            let mut subst = Substitution::new();
            for (&v, values) in defined.iter().zip(&values) {
                subst.insert(v, values[n]);
            }
            let mut parts = vec![chosen[n]];
            for &(conjunct, about) in &case.conjuncts {
                if about.is_none_or(|v| !is_defined.contains(&v)) {
                    parts.push(subst.apply(self.store, conjunct));
                }
            }
            rest.push(self.store.and(&parts));
        }
        let mut parts = vec![self.store.or(&rest)];
        for (&v, values) in defined.iter().zip(&values) {
            let value = self.chosen_value(&chosen, values);
            parts.push(self.store.eq(v, value));
        }
        self.store.and(&parts)
    }

    /// Reads the conjuncts of a disjunct as definitions.
    fn case(&mut self, disjunct: Term) -> Case {
        let mut definitions = FxHashMap::default();
        let mut conjuncts = Vec::new();
        for conjunct in self.store.conjuncts(disjunct) {
            let about = self.definition(conjunct).and_then(|(v, t)| match definitions.contains_key(&v) {
                true => None,
                false => {
                    definitions.insert(v, t);
                    Some(v)
                }
            });
            conjuncts.push((conjunct, about));
        }
        Case { definitions, conjuncts }
    }

    /// A conjunct as the definition of a constant that stands in no body.
    fn definition(&mut self, conjunct: Term) -> Option<(Term, Term)> {
        let (atom, sign) = self.store.literal(conjunct);
        let is_wanted = |store: &Store, v: Term| store.as_var(v).is_some() && !self.fixed.contains(&v);
        if is_wanted(self.store, atom) {
            return Some((atom, self.store.bool(sign)));
        }
        if sign { isolate(self.store, atom, &is_wanted) } else { None }
    }

    /// Conditions of which new truth values make at most one true.
    fn choices(&mut self, count: usize) -> Vec<Term> {
        let width = usize::BITS - (count - 1).leading_zeros();
        let bits: Vec<Term> = (0..width).map(|_| self.store.fresh_var("choice", Sort::BOOL)).collect();
        let chosen = |n: usize| {
            let literal = |(i, &bit): (usize, &Term)| match n >> i & 1 {
                1 => bit,
                _ => self.store.not(bit),
            };
            let literals: Vec<Term> = bits.iter().enumerate().map(literal).collect();
            self.store.and(&literals)
        };
        (0..count).map(chosen).collect()
    }

    /// The value whose condition holds.
    fn chosen_value(&mut self, chosen: &[Term], values: &[Term]) -> Term {
        let mut groups: Vec<(Term, Vec<Term>)> = Vec::new();
        for (&condition, &value) in chosen.iter().zip(values) {
            match groups.iter_mut().find(|g| g.0 == value) {
                Some((_, conditions)) => conditions.push(condition),
                None => groups.push((value, vec![condition])),
            }
        }
        // What most cases agree on needs no condition.
        groups.sort_by_key(|g| std::cmp::Reverse(g.1.len()));
        let mut groups = groups.into_iter();
        let mut out = groups.next().map_or(values[0], |g| g.0);
        for (value, conditions) in groups {
            let condition = self.store.or(&conditions);
            out = self.store.ite(condition, value, out);
        }
        out
    }
}

/// The constants that at least two cases, and half of all, define.
fn defined(cases: &[Case]) -> Vec<Term> {
    let mut counts: FxHashMap<Term, usize> = FxHashMap::default();
    for v in cases.iter().flat_map(|c| c.definitions.keys()) {
        *counts.entry(*v).or_default() += 1;
    }
    let mut out: Vec<Term> =
        counts.into_iter().filter(|&(_, n)| n >= 2 && 2 * n >= cases.len()).map(|(v, _)| v).collect();
    out.sort_unstable();
    out
}
