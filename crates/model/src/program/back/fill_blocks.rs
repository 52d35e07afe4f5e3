//! Formulas for locations that lie between block heads.
//!
//! An invariant of large blocks says nothing about the locations inside of them. If one of these needs a formula after all,
//! it is an interpolant: what can be said in the variables there that follows from the ways to the location, and excludes
//! that the ways from it lead out of the invariant. Locations are looked at in the order of the ways, so that what was found
//! for one counts for the next.

use super::prophecy::{Prophecy, When};
use crate::program::pass::blocks::large_blocks_at;
use crate::{EdgeId, LocId, ProcId, Procedure, Program, Step, VarId};
use bolide_base::{Budget, IdVec, Interrupt};
use bolide_term::{Func, Store, Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Finds a formula in the symbols that two formulas share, which follows from the first and contradicts the second.
pub type Separate<'a> = dyn FnMut(&mut Store, Term, Term) -> Option<Term> + 'a;

/// The formulas of some inner locations of the blocks of a procedure, as far as they can be found. They may speak of its
/// variables, and of some constants. What is prophesied about ways through them is prophesied about their ends, too.
pub(in crate::program) fn formulas_between(
    store: &mut Store,
    (program, proc): (&Program, ProcId),
    (constants, prophecies): (&FxHashSet<Func>, &mut Vec<Prophecy>),
    at_heads: &FxHashMap<LocId, Term>,
    inner: &[LocId],
    separate: &mut Separate<'_>,
    budget: &Budget,
) -> Result<Vec<(LocId, Term)>, Interrupt> {
    let (blocks, map) = large_blocks_at(store, program, proc, inner, budget)?;
    let origin = |l: LocId| map.origin(proc, l).location;
    let main = &blocks.procs[proc];
    let mut formulas: IdVec<LocId, Option<Term>> =
        main.locations.ids().map(|l| at_heads.get(&origin(l)).copied()).collect();
    let wanted: FxHashSet<LocId> = inner.iter().copied().collect();
    let is_inner: IdVec<LocId, bool> = main.locations.ids().map(|l| wanted.contains(&origin(l))).collect();
    let mut gaps = Gaps {
        prophecies: FxHashMap::default(),
        vars: blocks.var_of_symbol(store),
        incoming: main.incoming(),
        outgoing: main.outgoing(),
        program: &blocks,
        proc: main,
        constants,
        is_inner,
    };
    let order = gaps.order();
    gaps.prophesy(&order, origin, prophecies);
    let mut violations: FxHashMap<LocId, Term> = FxHashMap::default();
    for &l in order.iter().rev() {
        budget.poll()?;
        let violation = gaps.violation(store, l, &formulas, &violations);
        violations.insert(l, violation);
    }
    let mut names = FxHashMap::default();
    let mut found = Vec::new();
    for l in order {
        budget.check()?;
        if let Some(formula) = gaps.formula(store, l, &formulas, violations[&l], &mut names, separate) {
            formulas[l] = Some(formula);
            found.push((origin(l), formula));
        }
    }
    Ok(found)
}

/// A program in blocks, some heads of which have no formula yet.
struct Gaps<'a> {
    program: &'a Program,
    proc: &'a Procedure,
    constants: &'a FxHashSet<Func>,
    vars: FxHashMap<Func, VarId>,
    incoming: IdVec<LocId, Vec<EdgeId>>,
    outgoing: IdVec<LocId, Vec<EdgeId>>,
    /// The locations without a formula, among which there is no cycle.
    is_inner: IdVec<LocId, bool>,
    /// The prophecies about the way from an inner location to another location.
    prophecies: FxHashMap<(LocId, LocId), Vec<Prophecy>>,
}

impl Gaps<'_> {
    /// The inner locations, each after those that lead to it.
    fn order(&self) -> Vec<LocId> {
        let main = self.proc;
        let inner = |l: LocId| self.is_inner[l];
        let mut waiting: IdVec<LocId, usize> = self
            .incoming
            .iter()
            .map(|edges| edges.iter().filter(|&&e| inner(main.edges[e].from)).count())
            .collect();
        let mut order: Vec<LocId> = main.locations.ids().filter(|&l| inner(l) && waiting[l] == 0).collect();
        let mut next = 0;
        while let Some(&l) = order.get(next) {
            next += 1;
            for to in self.outgoing[l].iter().map(|&e| main.edges[e].to).filter(|&to| inner(to)) {
                waiting[to] -= 1;
                if waiting[to] == 0 {
                    order.push(to);
                }
            }
        }
        order
    }

    /// What is prophesied about a way is prophesied about its end, as if what it speaks of did not change before. Which
    /// shows later.
    fn prophesy(&mut self, order: &[LocId], origin: impl Fn(LocId) -> LocId, prophecies: &mut Vec<Prophecy>) {
        let edges = &self.proc.edges;
        let mut about: FxHashMap<(LocId, LocId), Vec<Prophecy>> = FxHashMap::default();
        prophecies.iter().for_each(|&f| about.entry((f.from, f.to)).or_default().push(f));
        let mut starts: FxHashMap<LocId, BTreeSet<LocId>> = FxHashMap::default();
        for &l in order {
            let mut own = BTreeSet::new();
            for from in self.incoming[l].iter().map(|&e| edges[e].from) {
                match starts.get(&from) {
                    Some(earlier) => own.extend(earlier),
                    None => _ = own.insert(from),
                }
            }
            for to in self.outgoing[l].iter().map(|&e| edges[e].to) {
                let known = self.prophecies.entry((l, to)).or_default();
                let news = own.iter().filter_map(|&start| about.get(&(origin(start), origin(to)))).flatten();
                for f in news {
                    if known.iter().all(|k| k.constant != f.constant) {
                        known.push(*f);
                        prophecies.push(Prophecy { from: origin(l), ..*f });
                    }
                }
            }
            starts.insert(l, own);
        }
    }

    fn step(&self, edge: EdgeId) -> Option<&Step> {
        self.proc.edges[edge].step()
    }

    /// The states of a location from which a way leads out of the invariant.
    fn violation(
        &self,
        store: &mut Store,
        l: LocId,
        formulas: &IdVec<LocId, Option<Term>>,
        known: &FxHashMap<LocId, Term>,
    ) -> Term {
        let mut ways = Vec::new();
        for &e in &self.outgoing[l] {
            let Some(step) = self.step(e) else { continue };
            let to = self.proc.edges[e].to;
            let after = match known.get(&to) {
                Some(&violation) => violation,
                None => {
                    let kept = formulas[to].unwrap_or(store.fls());
                    store.not(kept)
                }
            };
            let mut subst = Substitution::new();
            step.assigns.iter().for_each(|&(v, t)| subst.insert(self.program.vars[v].term, t));
            let mut way = vec![step.guard, subst.apply(store, after)];
            for f in self.prophecies.get(&(l, to)).into_iter().flatten() {
                let value = match f.when {
                    When::Start => f.value,
                    When::End => subst.apply(store, f.value),
                };
                way.push(store.eq(f.constant, value));
            }
            ways.push(store.and(&way));
        }
        store.or(&ways)
    }

    /// A formula for a location whose predecessors have theirs.
    fn formula(
        &self,
        store: &mut Store,
        l: LocId,
        formulas: &IdVec<LocId, Option<Term>>,
        violation: Term,
        names: &mut FxHashMap<VarId, Term>,
        separate: &mut Separate<'_>,
    ) -> Option<Term> {
        if violation == store.fls() {
            return Some(store.tru());
        }
        let here = self.variables(store, violation);
        let mut ways = Vec::new();
        for &e in &self.incoming[l] {
            let from = formulas[self.proc.edges[e].from].unwrap_or(store.tru());
            let Some(step) = self.step(e).filter(|_| from != store.fls()) else { continue };
            let step = step.with_fresh_inputs(store, self.program, &mut FxHashMap::default());
            ways.push(self.way(store, from, &step, &here, names));
        }
        let before = store.or(&ways);
        if before == store.fls() {
            return Some(before);
        }
        let mut after = vec![violation];
        after.extend(here.iter().map(|&v| self.range(store, v, self.program.vars[v].term)));
        let after = store.and(&after);
        let formula = separate(store, before, after)?;
        let is_known = |f: &Func| self.vars.contains_key(f) || self.constants.contains(f);
        let is_about_variables = store.symbols([formula]).iter().all(is_known);
        is_about_variables.then_some(formula)
    }

    /// The states to which a step leads from where a formula holds, as far as some variables are concerned. The values before
    /// it have other names.
    fn way(
        &self,
        store: &mut Store,
        from: Term,
        step: &Step,
        here: &[VarId],
        names: &mut FxHashMap<VarId, Term>,
    ) -> Term {
        let value = |v: VarId| step.value_of(v).unwrap_or(self.program.vars[v].term);
        let values: Vec<Term> = here.iter().map(|&v| value(v)).collect();
        let mut read = vec![from, step.guard];
        read.extend(&values);
        let mut subst = Substitution::new();
        let mut parts = Vec::new();
        for f in store.symbols(read.iter().copied()) {
            let Some(&v) = self.vars.get(&f) else { continue };
            let sort = self.program.vars[v].sort;
            let name = *names.entry(v).or_insert_with(|| store.fresh_var("before", sort));
            subst.insert(self.program.vars[v].term, name);
            parts.push(self.range(store, v, name));
        }
        let [from, guard] = [from, step.guard].map(|t| subst.apply(store, t));
        parts.extend([from, guard]);
        for (&v, t) in here.iter().zip(values) {
            let t = subst.apply(store, t);
            parts.push(store.eq(self.program.vars[v].term, t));
        }
        store.and(&parts)
    }

    fn range(&self, store: &mut Store, v: VarId, t: Term) -> Term {
        self.program.in_range(store, t, self.program.vars[v].range)
    }

    /// The variables of a formula.
    fn variables(&self, store: &Store, formula: Term) -> Vec<VarId> {
        store.symbols([formula]).iter().filter_map(|f| self.vars.get(f).copied()).collect()
    }
}
