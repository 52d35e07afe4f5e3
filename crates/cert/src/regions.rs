//! Obligations of formulas at cut points: one for each loop-free region between two of them.
//!
//! This is Floyd's method. Every cycle on the way to an error has a location with a formula. From each of these
//! and from the entry the program is executed with symbols up to the next ones, and the formula there must hold. Error
//! locations have the formula `false`. Ways that meet are one way from there on: what they agree on is kept, and where
//! they differ, a condition that tells them apart decides, or else a constant that may be true or false.
//!
//! A formula that is a disjunction is taken apart: there is an obligation for each alternative. The equations of variables
//! or reads of arrays with numerals in it are used at once, so that branches which cannot be taken do not make the formulas large.
//! Formulas may be quantified and speak of values that no variable keeps; see [`ghosts`].

pub(crate) mod ghosts;

use crate::Obligations;
use crate::program::Ranges;
use bolide_base::{Budget, IdVec};
use bolide_model::{Edge, EdgeId, LocId, Procedure, Program, Step, VarId};
use bolide_term::{Func, Op, Sort, Store, Substitution, Term};
use ghosts::{Ghosts, Instance};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// The obligations of formulas at locations of a program without calls, or why they show nothing.
pub(crate) fn obligations(
    store: Store,
    program: &Program,
    formulas: &[(LocId, Term)],
    ghosts: &Ghosts,
    budget: &Budget,
) -> Result<Obligations, String> {
    let mut out = Obligations::new(store);
    let ranges = Ranges::new(&mut out.store, program);
    let regions = Regions::new(&mut out.store, program, formulas)?;
    let entry = program.main().entry;
    let at_entry: Vec<Term> = regions.at[entry].iter().flatten().map(|a| a.formula).collect();
    let at_entry = out.store.or(&at_entry);
    ranges.push(&mut out, "the invariant holds at the entry".into(), Vec::new(), at_entry);
    for from in program.main().locations.ids() {
        if !regions.relevant[from] || program.main().locations[from].error.is_some() {
            continue;
        }
        for (n, alternative) in regions.at[from].iter().flatten().enumerate() {
            for (to, state) in regions.execute(&mut out.store, from, alternative, budget)? {
                let mut values = regions.values(&state);
                let instance = ghosts.instance(&mut out.store, from, to, &mut values);
                let mut premises = instance.at_start(&mut out.store, &alternative.parts);
                premises.extend(&state.conditions);
                let goal = regions.goal(&mut out.store, to, &state, &instance, &premises);
                ranges.push(&mut out, format!("from {from}, alternative {n}, to {to}"), premises, goal);
            }
        }
    }
    Ok(out)
}

/// One disjunct of a formula.
struct Alternative {
    formula: Term,
    /// Its conjuncts.
    parts: Vec<Term>,
    /// The variables that are numerals in it.
    constants: Vec<(VarId, Term)>,
    /// The array variables that hold numerals at numerals.
    cells: Vec<(VarId, Term, Term)>,
}

/// What is known on all ways that have come to a location: conditions that hold on them, and the values of variables
/// that have changed, both in terms of the values at the start.
#[derive(Clone, Default)]
struct State {
    conditions: Vec<Term>,
    values: BTreeMap<VarId, Term>,
}

struct Regions<'a> {
    program: &'a Program,
    proc: &'a Procedure,
    outgoing: IdVec<LocId, Vec<EdgeId>>,
    steps: IdVec<EdgeId, Step>,
    /// The variables that steps read.
    reads: IdVec<EdgeId, Vec<VarId>>,
    /// The locations to which the graph leads and from which it leads to an error. The others do not matter.
    relevant: IdVec<LocId, bool>,
    /// The alternatives at cut points.
    at: IdVec<LocId, Option<Vec<Alternative>>>,
    /// Positions of the other locations in a topological order.
    order: IdVec<LocId, u32>,
}

impl<'a> Regions<'a> {
    fn new(
        store: &mut Store,
        program: &'a Program,
        formulas: &[(LocId, Term)],
    ) -> Result<Regions<'a>, String> {
        let proc = program.main();
        let vars = program.var_of_symbol(store);
        let outgoing = proc.outgoing();
        let relevant = relevant(proc, &outgoing);
        let mut at: IdVec<LocId, Option<Vec<Alternative>>> = proc.locations.iter().map(|_| None).collect();
        for &(l, formula) in formulas {
            if proc.locations[l].error.is_some() {
                return Err("section `invariant`: an error has no formula".into());
            }
            at[l] = Some(alternatives(store, &vars, formula));
        }
        for (l, location) in proc.locations.iter_enumerated() {
            if location.error.is_some() {
                at[l] = Some(Vec::new());
            }
        }
        if at[proc.entry].is_none() {
            at[proc.entry] = Some(alternatives(store, &vars, store.tru()));
        }
        let steps = separate_inputs(store, program)?;
        let mut reads = IdVec::new();
        for step in &steps {
            let symbols = store.symbols(step.terms());
            reads.push(symbols.iter().filter_map(|f| vars.get(f).copied()).collect());
        }
        let order = topological(proc, &outgoing, |l| relevant[l] && at[l].is_none())?;
        Ok(Regions { program, proc, outgoing, steps, reads, relevant, at, order })
    }

    /// Executes the program from a cut point where an alternative holds: the states at the cut points that it comes to.
    fn execute(
        &self,
        store: &mut Store,
        from: LocId,
        alternative: &Alternative,
        budget: &Budget,
    ) -> Result<Vec<(LocId, State)>, String> {
        let mut inside: BTreeMap<(u32, LocId), Vec<State>> = BTreeMap::new();
        let mut ends: BTreeMap<LocId, Vec<State>> = BTreeMap::new();
        let mut next = Some((from, self.start(store, alternative)));
        while let Some((l, mut state)) = next {
            budget.poll().map_err(|interrupt| interrupt.to_string())?;
            let ways: Vec<EdgeId> =
                self.outgoing[l].iter().copied().filter(|&e| self.relevant[self.proc.edges[e].to]).collect();
            for (n, &e) in ways.iter().enumerate() {
                // The last one takes the state with it: on straight code nothing is copied.
                let state = if n + 1 == ways.len() { std::mem::take(&mut state) } else { state.clone() };
                let Some(after) = self.advance(store, state, e) else { continue };
                let to = self.proc.edges[e].to;
                match self.at[to] {
                    Some(_) => ends.entry(to).or_default().push(after),
                    None => inside.entry((self.order[to], to)).or_default().push(after),
                }
            }
            next = inside.pop_first().map(|((_, l), states)| (l, self.merge_all(store, states)));
        }
        Ok(ends.into_iter().map(|(l, states)| (l, self.merge_all(store, states))).collect())
    }

    /// The state at the start. An array that holds a value does not change when the value is written to it.
    fn start(&self, store: &mut Store, alternative: &Alternative) -> State {
        let mut values: BTreeMap<VarId, Term> = alternative.constants.iter().copied().collect();
        for &(array, index, value) in &alternative.cells {
            let known = values.entry(array).or_insert(self.program.vars[array].term);
            *known = store.store(*known, index, value);
        }
        State { conditions: Vec::new(), values }
    }

    /// The state after one more edge; `None` if its guard is false there.
    fn advance(&self, store: &mut Store, mut state: State, edge: EdgeId) -> Option<State> {
        let step = &self.steps[edge];
        let mut subst = Substitution::new();
        for &v in &self.reads[edge] {
            if let Some(&t) = state.values.get(&v) {
                subst.insert(self.program.vars[v].term, t);
            }
        }
        let guard = subst.apply(store, step.guard);
        for condition in store.conjuncts(guard) {
            if condition == store.fls() || state.conditions.contains(&store.not(condition)) {
                return None;
            }
            if condition != store.tru() && !state.conditions.contains(&condition) {
                state.conditions.push(condition);
            }
        }
        for &(v, t) in &step.assigns {
            let value = subst.apply(store, t);
            // Every edge keeps the ranges of variables. Of a sum without a wrap that cannot be seen.
            if is_plain_sum(store, t) {
                let in_range = self.program.in_range(store, value, self.program.vars[v].range);
                let open = store.conjuncts(in_range);
                state.conditions.extend(open.into_iter().filter(|c| *c != store.fls()));
            }
            state.values.insert(v, value);
        }
        Some(state)
    }

    /// The state of all of some ways. Merging from the last one keeps the conditions of a chain of alternatives nested.
    fn merge_all(&self, store: &mut Store, mut states: Vec<State>) -> State {
        let mut merged = states.pop().unwrap_or_default();
        while let Some(earlier) = states.pop() {
            merged = self.merge(store, earlier, merged);
        }
        merged
    }

    /// The state of both of two ways. The choice is a condition of the first whose negation is one of the second, or
    /// else it is free.
    fn merge(&self, store: &mut Store, a: State, b: State) -> State {
        let shared = a.conditions.iter().zip(&b.conditions).take_while(|(x, y)| x == y).count();
        let (mut own, mut other) = (a.conditions[shared..].to_vec(), b.conditions[shared..].to_vec());
        let others: FxHashSet<Term> = other.iter().copied().collect();
        let told_apart = own.iter().copied().find(|&c| others.contains(&store.not(c)));
        let choice = told_apart.unwrap_or_else(|| {
            let choice = store.fresh_var("way", Sort::BOOL);
            own.insert(0, choice);
            other.insert(0, store.not(choice));
            choice
        });
        let (own, other) = (store.and(&own), store.and(&other));
        let mut conditions = a.conditions;
        conditions.truncate(shared);
        let either = store.or(&[own, other]);
        if either != store.tru() {
            conditions.push(either);
        }
        let mut values = a.values;
        for &v in b.values.keys() {
            values.entry(v).or_insert(self.program.vars[v].term);
        }
        for (&v, t) in &mut values {
            let other = b.values.get(&v).copied().unwrap_or(self.program.vars[v].term);
            *t = choose(store, choice, *t, other);
        }
        State { conditions, values }
    }

    /// The values of the variables that have changed.
    fn values(&self, state: &State) -> Substitution {
        let mut subst = Substitution::new();
        state.values.iter().for_each(|(&v, &t)| subst.insert(self.program.vars[v].term, t));
        subst
    }

    /// The formula of a cut point for a state that has come to it, without the conjuncts that are known.
    fn goal(&self, store: &mut Store, to: LocId, state: &State, instance: &Instance, known: &[Term]) -> Term {
        let known: FxHashSet<Term> = known.iter().copied().collect();
        let mut subst = self.values(state);
        instance.end.iter().for_each(|&(ghost, value)| subst.insert(ghost, value));
        let mut goals = Vec::new();
        for alternative in self.at[to].iter().flatten() {
            if !is_excluded(store, state, alternative) {
                let mut open = Vec::new();
                for &part in &alternative.parts {
                    let part = subst.apply(store, part);
                    open.extend(store.conjuncts(part).into_iter().filter(|p| !known.contains(p)));
                }
                goals.push(store.and(&open));
            }
        }
        store.or(&goals)
    }
}

/// Is this a sum, and no remainder is part of it?
fn is_plain_sum(store: &Store, t: Term) -> bool {
    let is_wrap = |t: Term| store.op(t) == Op::Mod;
    store.op(t) == Op::Add
        && !store.args(t).iter().any(|&a| is_wrap(a) || store.args(a).iter().any(|&b| is_wrap(b)))
}

/// `(ite c a b)`. Of arrays that differ only in cells at numerals, these cells are chosen.
fn choose(store: &mut Store, c: Term, a: Term, b: Term) -> Term {
    if a == b || store.array_sorts(store.sort_of(a)).is_none() {
        return store.ite(c, a, b);
    }
    let ((base, first), (other_base, second)) = (cells(store, a), cells(store, b));
    if base != other_base {
        return store.ite(c, a, b);
    }
    let indices: BTreeSet<Term> = first.keys().chain(second.keys()).copied().collect();
    let mut result = base;
    for index in indices {
        let before = store.select(base, index);
        let [x, y] = [&first, &second].map(|cells| cells.get(&index).copied().unwrap_or(before));
        let value = store.ite(c, x, y);
        if value != before {
            result = store.store(result, index, value);
        }
    }
    result
}

/// What was written to an array at numerals last, and the array below.
fn cells(store: &Store, mut array: Term) -> (Term, BTreeMap<Term, Term>) {
    let mut cells = BTreeMap::new();
    while store.op(array) == Op::Store && store.as_num(store.arg(array, 1)).is_some() {
        cells.entry(store.arg(array, 1)).or_insert(store.arg(array, 2));
        array = store.arg(array, 0);
    }
    (array, cells)
}

/// The disjuncts of a formula.
fn alternatives(store: &Store, vars: &FxHashMap<Func, VarId>, formula: Term) -> Vec<Alternative> {
    let disjuncts = match store.op(formula) {
        Op::Or => store.args(formula).to_vec(),
        Op::False => Vec::new(),
        _ => vec![formula],
    };
    let variable = |t: Term| store.as_var(t).and_then(|f| vars.get(&f)).copied();
    let alternative = |formula: Term| {
        let parts = store.conjuncts(formula);
        let (mut constants, mut cells) = (Vec::new(), Vec::new());
        for &part in parts.iter().filter(|&&part| store.op(part) == Op::Eq) {
            let (a, b) = (store.arg(part, 0), store.arg(part, 1));
            let Some((x, c)) = [(a, b), (b, a)].into_iter().find(|(_, c)| store.as_num(*c).is_some()) else {
                continue;
            };
            if let Some(v) = variable(x) {
                constants.push((v, c));
            } else if store.op(x) == Op::Select
                && let (array, index) = (store.arg(x, 0), store.arg(x, 1))
                && let Some(v) = variable(array).filter(|_| store.as_num(index).is_some())
            {
                cells.push((v, index, c));
            }
        }
        Alternative { formula, parts, constants, cells }
    };
    disjuncts.into_iter().map(alternative).collect()
}

/// Is it plain that an alternative does not hold in a state, because it has another numeral for something?
fn is_excluded(store: &mut Store, state: &State, alternative: &Alternative) -> bool {
    let differs = |store: &Store, t: Term, c: Term| t != c && store.as_num(t).is_some();
    let of = |v: &VarId| state.values.get(v).copied();
    alternative.constants.iter().any(|(v, c)| of(v).is_some_and(|t| differs(store, t, *c)))
        || alternative.cells.iter().any(|(v, index, c)| {
            let Some(array) = of(v) else { return false };
            let value = store.select(array, *index);
            differs(store, value, *c)
        })
}

/// The steps of the edges, such that edges which leave different locations have different inputs.
fn separate_inputs(store: &mut Store, program: &Program) -> Result<IdVec<EdgeId, Step>, String> {
    let mut owners: FxHashMap<Term, LocId> = FxHashMap::default();
    let mut steps = IdVec::new();
    for edge in &program.main().edges {
        let step = edge.step().ok_or("the program is recursive")?;
        let mut is_own = true;
        for &(constant, _) in &step.inputs {
            is_own &= *owners.entry(constant).or_insert(edge.from) == edge.from;
        }
        steps.push(match is_own {
            true => step.clone(),
            false => step.with_fresh_inputs(store, program, &mut FxHashMap::default()),
        });
    }
    Ok(steps)
}

/// The locations on the ways of the graph from the entry to errors.
fn relevant(proc: &Procedure, outgoing: &IdVec<LocId, Vec<EdgeId>>) -> IdVec<LocId, bool> {
    let leads_to_error = proc.leads_to_error();
    let mut relevant: IdVec<LocId, bool> = proc.locations.iter().map(|_| false).collect();
    let mut work = vec![proc.entry];
    while let Some(l) = work.pop() {
        if leads_to_error[l] && !std::mem::replace(&mut relevant[l], true) {
            work.extend(outgoing[l].iter().map(|&e| proc.edges[e].to));
        }
    }
    relevant
}

/// Positions in a topological order of some locations; an error if there is a cycle of them.
fn topological(
    proc: &Procedure,
    outgoing: &IdVec<LocId, Vec<EdgeId>>,
    is_inner: impl Fn(LocId) -> bool,
) -> Result<IdVec<LocId, u32>, String> {
    let inner = |e: &Edge| is_inner(e.from) && is_inner(e.to);
    let mut waiting: IdVec<LocId, u32> = proc.locations.iter().map(|_| 0).collect();
    proc.edges.iter().filter(|e| inner(e)).for_each(|e| waiting[e.to] += 1);
    let mut order: IdVec<LocId, u32> = proc.locations.iter().map(|_| 0).collect();
    let mut ready: Vec<LocId> = proc.locations.ids().filter(|&l| is_inner(l) && waiting[l] == 0).collect();
    let mut next = 0;
    while let Some(l) = ready.pop() {
        order[l] = next;
        next += 1;
        for edge in outgoing[l].iter().map(|&e| &proc.edges[e]).filter(|e| inner(e)) {
            waiting[edge.to] -= 1;
            if waiting[edge.to] == 0 {
                ready.push(edge.to);
            }
        }
    }
    match proc.locations.ids().filter(|&l| is_inner(l)).count() == next as usize {
        true => Ok(order),
        false => Err("section `invariant`: there is a loop without a formula".into()),
    }
}

#[cfg(test)]
mod tests;
