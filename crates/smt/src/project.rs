//! Model-based projection: a formula over fewer constants that a model satisfies and that implies the existence of
//! values for the others (Komuravelli, Gurfinkel, Chaki, *SMT-based model checking for recursive programs*, 2014).
//!
//! The formula is first narrowed to a conjunction of literals that the model satisfies (`implicant`). Booleans then
//! disappear by themselves, values of datatypes field by field (`datatypes`), arrays by solving for them or by naming what is read from them (`arrays`), reals by
//! virtual substitution of the greatest lower bound (Loos and Weispfenning), integers by Cooper's method with the one
//! case that the model chooses (`arith`). What remains takes its value in the model. For arithmetic there are only
//! finitely many projections of one formula, which is what makes procedures that enumerate them stop.

mod arith;
mod arrays;
mod datatypes;
mod implicant;

use bolide_term::{Evaluator, Model, Sort, Store, Substitution, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Literals true in the model, without the constants to be eliminated, that imply `exists eliminated. formulas`.
///
/// The model must satisfy the formulas. Nothing is returned if a term has no value in it (a quantifier, a division by
/// zero).
pub fn project(
    store: &mut Store,
    formulas: &[Term],
    eliminated: &[Term],
    model: &Model,
) -> Option<Vec<Term>> {
    let mut p = Projector {
        store,
        model: model.clone(),
        gone: eliminated.iter().copied().collect(),
        order: eliminated.to_vec(),
        literals: Vec::new(),
        vars: FxHashMap::default(),
    };
    p.narrow(formulas)?;
    p.eliminate_booleans();
    p.solve_equations()?;
    p.eliminate_datatypes()?;
    p.eliminate_arrays()?;
    p.solve_equations()?;
    p.eliminate_datatypes()?;
    p.eliminate_arithmetic()?;
    p.eliminate_by_value()?;
    Some(p.literals)
}

/// Literals true in the model that together imply the formulas.
pub fn implicant(store: &mut Store, formulas: &[Term], model: &Model) -> Option<Vec<Term>> {
    project(store, formulas, &[], model)
}

/// A projection on its way.
struct Projector<'a> {
    store: &'a mut Store,
    /// The model, with values for the constants that were added.
    model: Model,
    /// Constants that must disappear.
    gone: FxHashSet<Term>,
    /// The same in order.
    order: Vec<Term>,
    /// The current conjunction.
    literals: Vec<Term>,
    /// For each term that was asked about, the constants in it that must disappear.
    vars: FxHashMap<Term, Vec<Term>>,
}

impl Projector<'_> {
    fn value(&self, t: Term) -> Option<Value> {
        Evaluator::new(self.store, &self.model).eval(t).ok()
    }

    /// A new constant that must disappear, with its value.
    fn fresh(&mut self, sort: Sort, value: Value) -> Option<Term> {
        let v = self.store.fresh_var("w", sort);
        self.model.set(self.store.as_var(v)?, value);
        self.gone.insert(v);
        self.order.push(v);
        Some(v)
    }

    /// The constants of a term that must disappear.
    fn gone_in(&mut self, t: Term) -> &[Term] {
        let Projector { store, gone, vars, .. } = self;
        vars.entry(t).or_insert_with(|| store.post_order([t]).filter(|v| gone.contains(v)).collect())
    }

    fn mentions(&mut self, t: Term, v: Term) -> bool {
        self.gone_in(t).contains(&v)
    }

    /// Replaces a constant everywhere.
    fn substitute(&mut self, v: Term, by: Term) {
        let mut subst = Substitution::new();
        subst.insert(v, by);
        for n in 0..self.literals.len() {
            let l = self.literals[n];
            if self.mentions(l, v) {
                self.literals[n] = subst.apply(self.store, l);
            }
        }
        self.tidy();
    }

    /// Removes duplicates and what is trivially true.
    fn tidy(&mut self) {
        let mut seen = FxHashSet::default();
        let tru = self.store.tru();
        self.literals.retain(|&l| l != tru && seen.insert(l));
    }

    /// Literals that consist of a Boolean constant say nothing about the others.
    fn eliminate_booleans(&mut self) {
        let Projector { store, literals, gone, .. } = self;
        literals.retain(|&l| !gone.contains(&store.literal(l).0));
    }

    /// Whatever is left takes the value that it has in the model.
    fn eliminate_by_value(&mut self) -> Option<()> {
        let mut left: Vec<Term> = Vec::new();
        for n in 0..self.literals.len() {
            let l = self.literals[n];
            left.extend_from_slice(self.gone_in(l));
        }
        let mut seen = FxHashSet::default();
        left.retain(|&v| seen.insert(v));
        if left.is_empty() {
            return Some(());
        }
        let mut subst = Substitution::new();
        for v in left {
            let sort = self.store.sort_of(v);
            let value = self.value(v)?.to_term(self.store, sort);
            subst.insert(v, value);
        }
        for l in &mut self.literals {
            *l = subst.apply(self.store, *l);
        }
        self.tidy();
        Some(())
    }
}

#[cfg(test)]
mod tests;
