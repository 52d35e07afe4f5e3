//! Obligations of formulas at cut points: one for each loop-free region between two of them.
//!
//! This is Floyd's method. Every cycle on the way to an error has a location with a formula. From each of these
//! and from the entry the program is executed with symbols up to the next ones, and the formula there must hold. Error
//! locations have the formula `false`. Ways that meet are one way from there on: what they agree on is kept, and where
//! they differ, a condition that tells them apart decides, or else a constant that may be true or false.
//!
//! If that makes proofs hard, ways are kept apart; see `control`.
//!
//! A formula that is a disjunction is taken apart: there is an obligation for each alternative. The equations of variables
//! or reads of arrays with numerals in it are used at once, so that branches which cannot be taken do not make the formulas large.
//! Formulas may be quantified and speak of values that no variable keeps; see [`ghosts`].

mod calls;
mod control;
pub(crate) mod ghosts;

use crate::ranges::Ranges;
use crate::{Flaw, Obligations};
use bolide_base::{Budget, IdVec};
use bolide_model::program::back::ProcLoc;
use bolide_model::program::pass::EntryValues;
use bolide_model::{Edge, EdgeId, LocId, ProcId, Procedure, Program, Step, VarId};
use bolide_term::{Func, Op, Sort, Store, Substitution, Term};
use calls::{Procedures, Sites, called, sites};
use control::Control;
use ghosts::{Ghosts, Instance};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The obligations of formulas at locations of the procedures of a program, or why they show nothing. Ways may be kept apart.
/// Only a program without calls has ghosts.
pub(crate) fn obligations(
    store: Store,
    entry: &EntryValues,
    formulas: &[(ProcLoc, Term)],
    ghosts: &Ghosts,
    apart: bool,
    budget: &Budget,
) -> Result<Obligations, Flaw> {
    let program = &entry.program;
    let mut out = Obligations::new(store);
    let ranges = Ranges::new(&mut out.store, program);
    let procedures = Procedures::new(entry, formulas);
    let relevant: IdVec<ProcId, _> = program.procs.ids().map(|p| relevant(&procedures, p)).collect();
    let matters = |proc: ProcId, edge: &Edge| {
        relevant[proc][edge.from] && (relevant[proc][edge.to] || procedures.is_faulty(edge))
    };
    for proc in called(program, matters) {
        let of_proc = formulas.iter().filter(|((p, _), _)| *p == proc).map(|&((_, l), formula)| (l, formula));
        let of_proc: Vec<(LocId, Term)> = of_proc.collect();
        let mut regions = Regions::new(&mut out.store, &procedures, proc, &relevant[proc], &of_proc)?;
        if apart {
            regions.control = Some(Control::new(regions.at.iter().flatten()));
        }
        if proc == program.entry {
            let at_entry: Vec<Term> =
                regions.at[program.main().entry].iter().flatten().map(|a| a.formula).collect();
            let at_entry = out.store.or(&at_entry);
            ranges.push(&mut out, "the invariant holds at the entry".into(), Vec::new(), at_entry);
        }
        regions.obligations(&mut out, &ranges, ghosts, budget)?;
    }
    Ok(out)
}

/// Where a way ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// At a call, of which the callee requires something.
    Call(EdgeId),
    /// At a cut point.
    Cut(LocId),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Call(edge) => write!(f, "the call on {edge}"),
            End::Cut(location) => location.fmt(f),
        }
    }
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
    /// The edges that are calls instead.
    calls: Sites<'a>,
    /// The variables that steps read.
    reads: IdVec<EdgeId, Vec<VarId>>,
    /// The locations to which the graph leads and from which it leads to an error. The others do not matter.
    relevant: &'a IdVec<LocId, bool>,
    /// The alternatives at cut points.
    at: IdVec<LocId, Option<Vec<Alternative>>>,
    /// Positions of the other locations in a topological order.
    order: IdVec<LocId, u32>,
    /// What tells ways apart, if they are kept apart.
    control: Option<Control>,
}

impl<'a> Regions<'a> {
    fn new(
        store: &mut Store,
        procedures: &Procedures<'a>,
        id: ProcId,
        relevant: &'a IdVec<LocId, bool>,
        formulas: &[(LocId, Term)],
    ) -> Result<Regions<'a>, Flaw> {
        let program = procedures.program;
        let proc = &program.procs[id];
        let vars = program.var_of_symbol(store);
        let outgoing = proc.outgoing();
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
        let steps = separate_inputs(store, program, proc);
        let matters = |edge: &Edge| relevant[edge.from] && (relevant[edge.to] || procedures.is_faulty(edge));
        let calls = sites(store, procedures, proc, matters)?;
        let mut reads = IdVec::new();
        for step in &steps {
            let symbols = store.symbols(step.terms());
            reads.push(symbols.iter().filter_map(|f| vars.get(f).copied()).collect());
        }
        let order = topological(proc, &outgoing, |l| relevant[l] && at[l].is_none())?;
        Ok(Regions { program, proc, outgoing, steps, calls, reads, relevant, at, order, control: None })
    }

    /// Adds the obligations of the regions from all cut points.
    fn obligations(
        &self,
        out: &mut Obligations,
        ranges: &Ranges,
        ghosts: &Ghosts,
        budget: &Budget,
    ) -> Result<(), Flaw> {
        let whose = match self.proc.name == self.program.main().name {
            true => String::new(),
            false => format!("{}: ", self.proc.name),
        };
        for from in self.proc.locations.ids() {
            if !self.relevant[from] || self.proc.locations[from].error.is_some() {
                continue;
            }
            for (n, alternative) in self.at[from].iter().flatten().enumerate() {
                for (to, state) in self.execute(&mut out.store, from, alternative, budget)? {
                    let (premises, goal) = match to {
                        End::Cut(to) => {
                            let mut values = self.values(&state);
                            let instance = ghosts.instance(&mut out.store, from, to, &mut values);
                            let mut premises = instance.at_start(&mut out.store, &alternative.parts);
                            premises.extend(&state.conditions);
                            let goal = self.goal(&mut out.store, to, &state, &instance, &premises);
                            (premises, goal)
                        }
                        End::Call(edge) => {
                            let premises = [alternative.parts.as_slice(), &state.conditions].concat();
                            (premises, self.required(&mut out.store, &self.calls[&edge], &state))
                        }
                    };
                    let name = format!("{whose}from {from}, alternative {n}, to {to}");
                    ranges.push(out, name, premises, goal);
                }
            }
        }
        Ok(())
    }

    /// Executes the program from a cut point where an alternative holds: the states at the cut points and calls that it
    /// comes to.
    fn execute(
        &self,
        store: &mut Store,
        from: LocId,
        alternative: &Alternative,
        budget: &Budget,
    ) -> Result<Vec<(End, State)>, Flaw> {
        let mut inside: BTreeMap<(u32, LocId), Vec<State>> = BTreeMap::new();
        let mut ends: BTreeMap<End, Vec<State>> = BTreeMap::new();
        let mut next: Vec<(LocId, State)> = vec![(from, self.start(store, alternative))];
        while let Some((l, mut state)) = next.pop() {
            budget.poll()?;
            for (&e, site) in self.outgoing[l].iter().filter_map(|e| Some((e, self.calls.get(e)?))) {
                if site.requires_something(store) {
                    ends.entry(End::Call(e)).or_default().push(state.clone());
                }
            }
            let ways: Vec<EdgeId> =
                self.outgoing[l].iter().copied().filter(|&e| self.relevant[self.proc.edges[e].to]).collect();
            for (n, &e) in ways.iter().enumerate() {
                // The last one takes the state with it: on straight code nothing is copied.
                let state = if n + 1 == ways.len() { std::mem::take(&mut state) } else { state.clone() };
                let Some(after) = self.advance(store, state, e) else { continue };
                let to = self.proc.edges[e].to;
                match self.at[to] {
                    Some(_) => ends.entry(End::Cut(to)).or_default().push(after),
                    None => inside.entry((self.order[to], to)).or_default().push(after),
                }
            }
            if next.is_empty()
                && let Some(((_, l), states)) = inside.pop_first()
            {
                next.extend(self.merged(store, states).into_iter().map(|state| (l, state)));
            }
        }
        let mut out = Vec::new();
        for (end, states) in ends {
            out.extend(self.merged(store, states).into_iter().map(|state| (end, state)));
        }
        Ok(out)
    }

    /// The states of the ways that have come to a location, merged unless they are kept apart.
    fn merged(&self, store: &mut Store, states: Vec<State>) -> Vec<State> {
        let groups = match &self.control {
            Some(control) => control.groups(store, self.program, states),
            None => vec![states],
        };
        groups.into_iter().map(|states| self.merge_all(store, states)).collect()
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
        if let Some(site) = self.calls.get(&edge) {
            return self.returned(store, site, state);
        }
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
            self.keep_range(store, &mut state, v, t, value);
            state.values.insert(v, value);
        }
        Some(state)
    }

    /// Every edge keeps the ranges of variables. Of a sum without a wrap that cannot be seen in its value.
    fn keep_range(&self, store: &mut Store, state: &mut State, v: VarId, t: Term, value: Term) {
        if is_plain_sum(store, t) {
            let in_range = self.program.in_range(store, value, self.program.vars[v].range);
            let open = store.conjuncts(in_range);
            state.conditions.extend(open.into_iter().filter(|c| *c != store.fls()));
        }
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
fn separate_inputs(store: &mut Store, program: &Program, proc: &Procedure) -> IdVec<EdgeId, Step> {
    let mut owners: FxHashMap<Term, LocId> = FxHashMap::default();
    let mut steps = IdVec::new();
    for edge in &proc.edges {
        let Some(step) = edge.step() else {
            steps.push(Step::skip(store));
            continue;
        };
        let mut is_own = true;
        for &(constant, _) in &step.inputs {
            is_own &= *owners.entry(constant).or_insert(edge.from) == edge.from;
        }
        steps.push(match is_own {
            true => step.clone(),
            false => step.with_fresh_inputs(store, program, &mut FxHashMap::default()),
        });
    }
    steps
}

/// The locations on the ways of the graph of a procedure from its entry to errors, to calls in which an error can happen and, if
/// it is called, to its exit.
fn relevant(procedures: &Procedures<'_>, id: ProcId) -> IdVec<LocId, bool> {
    let proc = &procedures.program.procs[id];
    let (incoming, outgoing) = (proc.incoming(), proc.outgoing());
    let is_goal = |l: LocId| {
        proc.locations[l].error.is_some()
            || id != procedures.program.entry && l == proc.exit
            || outgoing[l].iter().any(|&e| procedures.is_faulty(&proc.edges[e]))
    };
    let goals: Vec<LocId> = proc.locations.ids().filter(|&l| is_goal(l)).collect();
    let back = flood(proc, goals, |l| incoming[l].iter().map(|&e| proc.edges[e].from).collect());
    let forth = flood(proc, vec![proc.entry], |l| outgoing[l].iter().map(|&e| proc.edges[e].to).collect());
    proc.locations.ids().map(|l| back[l] && forth[l]).collect()
}

/// The locations that are found from some.
fn flood(proc: &Procedure, mut work: Vec<LocId>, next: impl Fn(LocId) -> Vec<LocId>) -> IdVec<LocId, bool> {
    let mut seen: IdVec<LocId, bool> = proc.locations.iter().map(|_| false).collect();
    while let Some(l) = work.pop() {
        if !std::mem::replace(&mut seen[l], true) {
            work.extend(next(l));
        }
    }
    seen
}

/// Positions in a topological order of some locations; an error if there is a cycle of them.
fn topological(
    proc: &Procedure,
    outgoing: &IdVec<LocId, Vec<EdgeId>>,
    is_inner: impl Fn(LocId) -> bool,
) -> Result<IdVec<LocId, u32>, Flaw> {
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
