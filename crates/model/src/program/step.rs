//! Steps: a guard and a parallel assignment, and how steps compose.
//!
//! A step means the relation `guard(x, in) ∧ x' = t(x, in)` with every variable that is not assigned unchanged. The
//! form is closed under sequential composition and under the merge of two exclusive steps, which is all that the
//! large-block encoding of Beyer et al. needs.

use crate::{InputId, Program, VarId};
use bolide_term::{Store, Substitution, Term};
use rustc_hash::FxHashMap;

/// A guard and a parallel assignment, with the inputs that both may mention.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Must hold before the step.
    pub guard: Term,
    /// Variables with their new values, ordered by variable, each at most once.
    pub assigns: Vec<(VarId, Term)>,
    /// Constants that stand for values from outside, in the order of their reading. Only edges that no path takes one
    /// after the other without passing a loop head may share a constant.
    pub inputs: Vec<(Term, InputId)>,
}

impl Step {
    /// Does nothing.
    pub fn skip(store: &Store) -> Step {
        Step { guard: store.tru(), assigns: Vec::new(), inputs: Vec::new() }
    }

    /// Proceeds only if a formula holds.
    pub fn assume(formula: Term) -> Step {
        Step { guard: formula, assigns: Vec::new(), inputs: Vec::new() }
    }

    /// Assigns one variable.
    pub fn assign(store: &Store, var: VarId, value: Term) -> Step {
        Step { guard: store.tru(), assigns: vec![(var, value)], inputs: Vec::new() }
    }

    /// Is this the step that does nothing?
    pub fn is_skip(&self, store: &Store) -> bool {
        self.guard == store.tru() && self.assigns.is_empty()
    }

    /// The value that the step gives to a variable.
    pub fn value_of(&self, var: VarId) -> Option<Term> {
        self.assigns.binary_search_by_key(&var, |a| a.0).ok().map(|n| self.assigns[n].1)
    }

    /// All terms of the step.
    pub fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        std::iter::once(self.guard).chain(self.assigns.iter().map(|a| a.1))
    }

    /// This step and then another one.
    pub fn then(&self, store: &mut Store, program: &Program, next: &Step) -> Step {
        let mut subst = Substitution::new();
        for &(v, t) in &self.assigns {
            subst.insert(program.vars[v].term, t);
        }
        let rename = |store: &mut Store, subst: &mut Substitution, t: Term| {
            if self.assigns.is_empty() { t } else { subst.apply(store, t) }
        };
        let guard = rename(store, &mut subst, next.guard);
        let assigns: Vec<(VarId, Term)> =
            next.assigns.iter().map(|&(v, t)| (v, rename(store, &mut subst, t))).collect();
        Step {
            guard: store.and(&[self.guard, guard]),
            assigns: overlay(&self.assigns, &assigns),
            inputs: self.inputs.iter().chain(&next.inputs).copied().collect(),
        }
    }

    /// The step that does either this or the other one, whose guards must exclude each other.
    pub fn or_else(&self, store: &mut Store, program: &Program, other: &Step) -> Step {
        let mut assigns = Vec::with_capacity(self.assigns.len().max(other.assigns.len()));
        for v in merged_vars(&self.assigns, &other.assigns) {
            let unchanged = program.vars[v].term;
            let (a, b) = (self.value_of(v).unwrap_or(unchanged), other.value_of(v).unwrap_or(unchanged));
            assigns.push((v, store.ite(self.guard, a, b)));
        }
        let mut inputs = self.inputs.clone();
        let known: rustc_hash::FxHashSet<Term> = inputs.iter().map(|i| i.0).collect();
        inputs.extend(other.inputs.iter().filter(|i| !known.contains(&i.0)));
        Step { guard: store.or(&[self.guard, other.guard]), assigns, inputs }
    }

    /// A copy with inputs of its own; copies made with the same table share those that they shared before.
    pub fn with_fresh_inputs(
        &self,
        store: &mut Store,
        program: &Program,
        known: &mut FxHashMap<Term, Term>,
    ) -> Step {
        if self.inputs.is_empty() {
            return self.clone();
        }
        let mut subst = Substitution::new();
        let mut inputs = Vec::with_capacity(self.inputs.len());
        for &(constant, input) in &self.inputs {
            let fresh = *known.entry(constant).or_insert_with(|| program.input_value(store, input));
            subst.insert(constant, fresh);
            inputs.push((fresh, input));
        }
        let guard = subst.apply(store, self.guard);
        let assigns = self.assigns.iter().map(|&(v, t)| (v, subst.apply(store, t))).collect();
        Step { guard, assigns, inputs }
    }

    /// The transition formula over the variables' terms and, for those that change, over their primed terms.
    /// Inputs stay free.
    pub fn formula(&self, store: &mut Store, program: &Program) -> Term {
        let mut parts = vec![self.guard];
        for &(v, t) in &self.assigns {
            let primed = program.primed(store, v);
            parts.push(store.eq(primed, t));
        }
        store.and(&parts)
    }
}

impl Program {
    /// The constant that denotes a variable after an edge.
    pub fn primed(&self, store: &mut Store, var: VarId) -> Term {
        let v = &self.vars[var];
        let name = format!("{}'", v.name);
        store.var(&name, v.sort)
    }
}

/// Two ordered assignments, the second one winning.
fn overlay(first: &[(VarId, Term)], second: &[(VarId, Term)]) -> Vec<(VarId, Term)> {
    let mut out = Vec::with_capacity(first.len() + second.len());
    let mut rest = second.iter().copied().peekable();
    for &(v, t) in first {
        while let Some(s) = rest.next_if(|s| s.0 < v) {
            out.push(s);
        }
        out.push(rest.next_if(|s| s.0 == v).unwrap_or((v, t)));
    }
    out.extend(rest);
    out
}

/// The variables of two ordered assignments, in order.
fn merged_vars(a: &[(VarId, Term)], b: &[(VarId, Term)]) -> Vec<VarId> {
    overlay(a, b).into_iter().map(|x| x.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VarKind;
    use bolide_term::Sort;

    #[test]
    fn composition_substitutes_and_merge_chooses() {
        let mut s = Store::new();
        let mut p = Program::new("main");
        let x = p.variable(&mut s, "x", Sort::INT, VarKind::Global, None);
        let y = p.variable(&mut s, "y", Sort::INT, VarKind::Global, None);
        let (tx, ty) = (p.vars[x].term, p.vars[y].term);
        let one = s.int(1);
        let x1 = s.add(&[tx, one]);
        let inc = Step::assign(&s, x, x1);
        let copy = Step::assign(&s, y, tx);
        let both = inc.then(&mut s, &p, &copy);
        assert_eq!(both.assigns, vec![(x, x1), (y, x1)]);
        let c = s.le(tx, one);
        let nc = s.not(c);
        let low = Step::assume(c).then(&mut s, &p, &inc);
        let high = Step::assume(nc).then(&mut s, &p, &copy);
        let either = low.or_else(&mut s, &p, &high);
        assert_eq!(either.guard, s.tru());
        assert_eq!(either.value_of(x), Some(s.ite(c, x1, tx)));
        assert_eq!(either.value_of(y), Some(s.ite(c, ty, tx)));
        let primed = p.primed(&mut s, y);
        let formula = copy.formula(&mut s, &p);
        assert_eq!(formula, s.eq(primed, tx));
    }
}
