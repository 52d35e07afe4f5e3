//! Interval analysis, and the simplification of terms by what it finds.
//!
//! A front end writes machine arithmetic with wraps (`(t + h) mod 2h - h`). Where the intervals of the variables show
//! that the argument of a `mod` stays within one period, the wrap is replaced by an exact sum without it; comparisons
//! that the intervals decide become constants, and so do variables with a single value. Wraps whose argument may lie in
//! a few periods become choices between exact sums, which solvers and interpolants understand better than remainders.
//! The analysis follows Cousot and Cousot: widening at loop heads, first to constants of the program and then to the
//! declared range, and two descending rounds.

use super::Interval;
use super::blocks::exclusive;
use super::shared_map::SharedMap;
use crate::program::back::map::{BackMap, Copy, Grounds};
use crate::program::graph::int_term;
use crate::{Action, Edge, EdgeId, LocId, ProcId, Program, Step, VarId, VarKind};
use bolide_base::{Budget, IdVec, Interrupt, Rational};
use bolide_term::{Func, Linear, Op, Sort, Store, Term};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Visits of a loop head before its bounds are widened, and before they are widened all the way.
const DELAY: u32 = 3;
const THRESHOLD_VISITS: u32 = 10;
/// Rounds that tighten the result of the widening.
const DESCENTS: usize = 2;

/// Remainders by these numbers are taken for wraps of machine integers.
const WRAPS: [i128; 3] = [1 << 16, 1 << 32, 1 << 64];

/// How many periods a wrap may span that becomes a choice.
const PERIODS: i128 = 3;

/// Removes wraps and comparisons that the intervals of the variables decide.
pub fn narrow(
    store: &mut Store,
    program: &Program,
    budget: &Budget,
) -> Result<(Program, BackMap), Interrupt> {
    run(store, program, KEEP, budget).map(|(program, map, _)| (program, map))
}

/// Like [`narrow`], and turns the wraps that remain into choices if they span few periods. Intervals say less about
/// choices than about wraps, so this is for the last time that intervals are looked at.
pub fn split_wraps(
    store: &mut Store,
    program: &Program,
    budget: &Budget,
) -> Result<(Program, BackMap), Interrupt> {
    run(store, program, SPLIT, budget).map(|(program, map, _)| (program, map))
}

/// Like [`narrow`], and assumes of the wraps that remain that they never happen. The result allows less than the program
/// does: its traces are traces of the program, its invariants are candidates at most.
pub fn drop_wraps(
    store: &mut Store,
    program: &Program,
    budget: &Budget,
) -> Result<(Program, BackMap), Interrupt> {
    run(store, program, DROP, budget).map(|(program, map, _)| (program, map))
}

/// What is done to the wraps that intervals do not decide.
#[derive(Copy, Clone, Debug)]
pub(in crate::program) struct Wraps {
    /// How many periods a wrap may span that is replaced.
    periods: i128,
    /// Are wraps assumed not to happen?
    drop: bool,
}

/// See [`narrow`], [`split_wraps`] and [`drop_wraps`].
pub(in crate::program) const KEEP: Wraps = Wraps { periods: 1, drop: false };
pub(in crate::program) const SPLIT: Wraps = Wraps { periods: PERIODS, drop: false };
pub(in crate::program) const DROP: Wraps = Wraps { periods: 1, drop: true };

/// The pass, and what it found about each procedure.
pub(in crate::program) fn run(
    store: &mut Store,
    program: &Program,
    wraps: Wraps,
    budget: &Budget,
) -> Result<(Program, BackMap, IdVec<ProcId, States>), Interrupt> {
    let symbols = Symbols::new(store, program);
    let mut new = program.clone();
    let mut copies = IdVec::new();
    let mut of_procs = IdVec::new();
    for (proc, p) in program.procs.iter_enumerated() {
        let states = Analysis::new(store, program, proc, &symbols).run(budget)?;
        let mut list = IdVec::new();
        for (edge, e) in p.edges.iter_enumerated() {
            list.push(Some(Copy::faithful(proc, edge, e)));
            let target = &mut new.procs[proc].edges[edge].action;
            match &states[e.from] {
                Some(state) => simplify(store, &symbols, state, wraps, target),
                None => unreachable_edge(store, target),
            }
        }
        copies.push(list);
        // Guards become stronger, which cannot be seen of two that were the negations of each other.
        for (location, edges) in p.outgoing().iter_enumerated() {
            new.procs[proc].locations[location].exclusive = exclusive(store, p, location, edges);
        }
        of_procs.push(states);
    }
    let map = BackMap { grounds: Grounds::Intervals, ..BackMap::identity(program, copies) };
    Ok((new, map, of_procs))
}

fn unreachable_edge(store: &Store, action: &mut Action) {
    if let Action::Step(s) = action {
        s.guard = store.fls();
    }
}

fn simplify(store: &mut Store, symbols: &Symbols, state: &State, wraps: Wraps, action: &mut Action) {
    match action {
        Action::Step(s) => {
            let before = s.guard;
            let mut assumed = Vec::new();
            let guard = rewrite(store, symbols, state, wraps, s.guard, &mut assumed);
            if let Some(refined) = assume(store, symbols, state, before) {
                for (_, t) in &mut s.assigns {
                    *t = rewrite(store, symbols, &refined, wraps, *t, &mut assumed);
                }
                assumed.push(guard);
                s.guard = store.and(&assumed);
            } else {
                s.guard = store.fls();
            }
        }
        // Arguments of calls cannot be guarded, so they keep their wraps.
        Action::Call(c) => {
            c.args.iter_mut().for_each(|t| *t = rewrite(store, symbols, state, KEEP, *t, &mut Vec::new()));
        }
    }
}

/// Which symbols are variables or inputs, and their ranges.
pub(in crate::program) struct Symbols {
    vars: FxHashMap<Func, VarId>,
    inputs: FxHashMap<Func, Interval>,
    ranges: IdVec<VarId, Interval>,
    thresholds: Vec<i128>,
    /// The difference of the two sides of each literal that was met, if its numbers are small.
    sums: RefCell<FxHashMap<Term, Option<Rc<IntSum>>>>,
}

impl Symbols {
    pub(in crate::program) fn new(store: &Store, program: &Program) -> Symbols {
        let mut inputs = FxHashMap::default();
        let mut constants = BTreeSet::new();
        let steps = || program.procs.iter().flat_map(|p| p.edges.iter().filter_map(Edge::step));
        for &(c, i) in steps().flat_map(|s| &s.inputs) {
            let func = store.as_var(c).expect("an input is a constant");
            inputs.insert(func, Interval::from_range(program.inputs[i].range));
        }
        // Normal forms move the constant of a bound to the far side, so its negation counts too.
        for t in store.post_order(steps().map(|s| s.guard)) {
            if let Some(k) = store.as_num(t).and_then(wide) {
                constants.extend([k - 1, k, k + 1, -k - 1, -k, 1 - k]);
            }
        }
        Symbols {
            vars: program.var_of_symbol(store),
            inputs,
            ranges: program.vars.iter().map(|v| Interval::from_range(v.range)).collect(),
            thresholds: constants.into_iter().collect(),
            sums: RefCell::default(),
        }
    }

    /// The left side of an equation or inequation minus the right one.
    fn sum(&self, store: &Store, atom: Term) -> Option<Rc<IntSum>> {
        let difference = || {
            let sum = store.linear_difference(store.arg(atom, 0), store.arg(atom, 1));
            IntSum::new(&sum).map(Rc::new)
        };
        self.sums.borrow_mut().entry(atom).or_insert_with(difference).clone()
    }
}

/// A numeral of moderate size.
fn wide(r: &Rational) -> Option<i128> {
    r.to_ibig().filter(|_| r.bit_size() < 100).and_then(|v| i128::try_from(v).ok())
}

/// Intervals of the variables that are tighter than their ranges.
pub(in crate::program) type State = SharedMap;

/// The interval of a variable.
pub(in crate::program) fn lookup(symbols: &Symbols, state: &State, v: VarId) -> Interval {
    state.get(v).unwrap_or(symbols.ranges[v])
}

/// Sets the interval of a variable.
pub(in crate::program) fn set(symbols: &Symbols, state: &mut State, v: VarId, i: Interval) {
    let range = symbols.ranges[v];
    // The range is an invariant: what lies outside cannot happen.
    let i = i.meet(&range).unwrap_or(range);
    state.set(v, Some(i).filter(|&i| i != range));
}

/// The analysis of a procedure.
pub(in crate::program) struct Analysis<'a> {
    store: &'a Store,
    program: &'a Program,
    proc: ProcId,
    symbols: &'a Symbols,
}

/// The states at the locations of a procedure; none where execution cannot get.
pub(in crate::program) type States = IdVec<LocId, Option<State>>;

impl<'a> Analysis<'a> {
    pub(in crate::program) fn new(
        store: &'a Store,
        program: &'a Program,
        proc: ProcId,
        symbols: &'a Symbols,
    ) -> Self {
        Analysis { store, program, proc, symbols }
    }

    fn run(&self, budget: &Budget) -> Result<States, Interrupt> {
        let p = &self.program.procs[self.proc];
        let outgoing = p.outgoing();
        let (order, loop_heads) = depth_first(p, &outgoing);
        let mut states: States = p.locations.iter().map(|_| None).collect();
        states[p.entry] = Some(State::new(self.program.vars.len()));
        let mut visits: IdVec<LocId, u32> = p.locations.iter().map(|_| 0).collect();
        let mut work = BTreeSet::from([(order[p.entry], p.entry)]);
        while let Some((_, l)) = work.pop_first() {
            budget.poll()?;
            let state = states[l].clone().expect("a location in the work list was reached");
            for &e in &outgoing[l] {
                let edge = &p.edges[e];
                let Some(post) = self.post(&state, edge) else { continue };
                let joined = match &states[edge.to] {
                    None => post,
                    Some(old) => {
                        let mut joined = self.join(old, &post);
                        if loop_heads[edge.to] {
                            visits[edge.to] += 1;
                            joined = self.widen(old, joined, visits[edge.to]);
                        }
                        joined
                    }
                };
                if states[edge.to].as_ref().is_none_or(|old| *old != joined) {
                    states[edge.to] = Some(joined);
                    work.insert((order[edge.to], edge.to));
                }
            }
        }
        // What was not widened, and depends on nothing that was, cannot become tighter.
        let is_widened = |l: &LocId| visits[*l] > DELAY && *l != p.entry;
        let mut work: BTreeSet<(u32, LocId)> =
            p.locations.ids().filter(is_widened).map(|l| (order[l], l)).collect();
        for _ in 0..DESCENTS {
            work = self.descend(&mut states, &order, &outgoing, work, budget)?;
        }
        Ok(states)
    }

    /// One more round without widening, over some locations and those that depend on what has changed there; what is left for
    /// the next round.
    fn descend(
        &self,
        states: &mut States,
        order: &IdVec<LocId, u32>,
        outgoing: &IdVec<LocId, Vec<EdgeId>>,
        mut work: BTreeSet<(u32, LocId)>,
        budget: &Budget,
    ) -> Result<BTreeSet<(u32, LocId)>, Interrupt> {
        let p = &self.program.procs[self.proc];
        let incoming = p.incoming();
        let mut next = BTreeSet::new();
        while let Some((at, l)) = work.pop_first() {
            budget.poll()?;
            let mut joined: Option<State> = None;
            for &e in &incoming[l] {
                let edge = &p.edges[e];
                let Some(from) = &states[edge.from] else { continue };
                let Some(post) = self.post(from, edge) else { continue };
                joined = Some(match joined {
                    None => post,
                    Some(j) => self.join(&j, &post),
                });
            }
            if states[l] == joined {
                continue;
            }
            states[l] = joined;
            for to in outgoing[l].iter().map(|&e| p.edges[e].to).filter(|&to| to != p.entry) {
                let later = if order[to] > at { &mut work } else { &mut next };
                later.insert((order[to], to));
            }
        }
        Ok(next)
    }

    /// The state after an edge; `None` if it cannot be taken.
    pub(in crate::program) fn post(&self, state: &State, edge: &Edge) -> Option<State> {
        match &edge.action {
            Action::Step(s) => self.post_step(state, s),
            Action::Call(c) => {
                let is_kept = |v: VarId| self.program.vars[v].kind != VarKind::Global && Some(v) != c.result;
                Some(state.retain(is_kept))
            }
        }
    }

    fn post_step(&self, state: &State, step: &Step) -> Option<State> {
        if step.is_skip(self.store) {
            return Some(state.clone());
        }
        let refined = assume(self.store, self.symbols, state, step.guard)?;
        let mut eval = Eval::new(self.store, self.symbols, &refined);
        let values: Vec<(VarId, Interval)> = step
            .assigns
            .iter()
            .filter(|a| self.program.vars[a.0].sort == Sort::INT)
            .map(|&(v, t)| (v, eval.interval(t)))
            .collect();
        let mut next = refined;
        for (v, i) in values {
            set(self.symbols, &mut next, v, i);
        }
        Some(next)
    }

    /// The least state that contains two.
    pub(in crate::program) fn join(&self, a: &State, b: &State) -> State {
        a.merge(b, &mut |v, i, j| Some(i?.join(&j?)).filter(|&joined| joined != self.symbols.ranges[v]))
    }

    /// Moves the bounds that grew to the next constant of the program, later to the end of the range.
    fn widen(&self, old: &State, new: State, visits: u32) -> State {
        if visits <= DELAY {
            return new;
        }
        let thresholds = &self.symbols.thresholds;
        let gradual = visits <= THRESHOLD_VISITS;
        new.merge(old, &mut |v, i, before| {
            let (i, range) = (i?, self.symbols.ranges[v]);
            let before = before.unwrap_or(range);
            let mut wide = i;
            if i.low != before.low {
                let below =
                    i.low.and_then(|l| thresholds[..thresholds.partition_point(|&t| t <= l)].last().copied());
                wide.low = below.filter(|_| gradual);
            }
            if i.high != before.high {
                let above = i
                    .high
                    .and_then(|h| thresholds[thresholds.partition_point(|&t| t < h)..].first().copied());
                wide.high = above.filter(|_| gradual);
            }
            wide.meet(&range).filter(|&wide| wide != range)
        })
    }
}

/// A reverse post-order of the locations and the loop heads.
pub(in crate::program) fn depth_first(
    p: &crate::Procedure,
    outgoing: &IdVec<LocId, Vec<EdgeId>>,
) -> (IdVec<LocId, u32>, IdVec<LocId, bool>) {
    let mut order: IdVec<LocId, u32> = p.locations.iter().map(|_| 0).collect();
    let mut heads: IdVec<LocId, bool> = p.locations.iter().map(|_| false).collect();
    let mut open: IdVec<LocId, Option<bool>> = p.locations.iter().map(|_| None).collect();
    let mut next = p.locations.len() as u32;
    let mut stack = vec![(p.entry, 0)];
    open[p.entry] = Some(true);
    while let Some(&mut (l, ref mut child)) = stack.last_mut() {
        let Some(&e) = outgoing[l].get(*child) else {
            open[l] = Some(false);
            order[l] = next;
            next -= 1;
            stack.pop();
            continue;
        };
        *child += 1;
        let to = p.edges[e].to;
        match open[to] {
            None => {
                open[to] = Some(true);
                stack.push((to, 0));
            }
            Some(true) => heads[to] = true,
            Some(false) => {}
        }
    }
    (order, heads)
}

/// Evaluates terms over intervals. Truth values are the integers 0 and 1; an array is the interval of its elements.
struct Eval<'a> {
    store: &'a Store,
    symbols: &'a Symbols,
    state: &'a State,
    /// Disregard the ranges of inputs and of array elements. Guards are what enforces these ranges, so a guard must
    /// not be dropped because of them.
    strict: bool,
    memo: FxHashMap<Term, Interval>,
}

const BOTH: Interval = Interval { low: Some(0), high: Some(1) };

fn is_leaf(store: &Store, t: Term) -> bool {
    store.args(t).is_empty()
}

fn truth(value: Option<bool>) -> Interval {
    value.map_or(BOTH, |v| Interval::point(v.into()))
}

impl<'a> Eval<'a> {
    fn new(store: &'a Store, symbols: &'a Symbols, state: &'a State) -> Eval<'a> {
        Eval { store, symbols, state, strict: false, memo: FxHashMap::default() }
    }

    fn strict(store: &'a Store, symbols: &'a Symbols, state: &'a State) -> Eval<'a> {
        Eval { strict: true, ..Eval::new(store, symbols, state) }
    }

    fn interval(&mut self, t: Term) -> Interval {
        let store = self.store;
        let mut work = vec![(t, false)];
        while let Some((t, is_ready)) = work.pop() {
            if is_ready {
                let i = self.node(t);
                self.memo.insert(t, i);
            } else if !is_leaf(store, t) && !self.memo.contains_key(&t) {
                bolide_base::spend(1);
                work.push((t, true));
                work.extend(store.args(t).iter().filter(|&&a| !is_leaf(store, a)).map(|&a| (a, false)));
            }
        }
        self.known(t)
    }

    /// The interval of a term that has been evaluated. Terms without arguments are evaluated whenever they are met, which costs less than
    /// to remember them.
    fn known(&self, t: Term) -> Interval {
        if is_leaf(self.store, t) { self.node(t) } else { self.memo[&t] }
    }

    fn node(&self, t: Term) -> Interval {
        let arg = |i: usize| self.known(self.store.arg(t, i));
        let args = || self.store.args(t).iter().map(|&a| self.known(a));
        let point = |i: Interval| if i.low == i.high { i.low } else { None };
        match self.store.op(t) {
            Op::True => Interval::point(1),
            Op::False => Interval::point(0),
            Op::Not => Interval::point(1).add(&arg(0).scale(-1)),
            // Nothing is known about a variable that is a truth value: its interval has no ends.
            Op::And => Interval {
                low: Some(i128::from(args().all(|i| i.low == Some(1)))),
                high: Some(i128::from(args().all(|i| i.high != Some(0)))),
            },
            Op::Or => Interval {
                low: Some(i128::from(args().any(|i| i.low == Some(1)))),
                high: Some(i128::from(args().any(|i| i.high != Some(0)))),
            },
            Op::Ite | Op::Store => match (self.store.op(t), point(arg(0))) {
                (Op::Ite, Some(c)) => arg(if c == 1 { 1 } else { 2 }),
                (Op::Ite, None) => arg(1).join(&arg(2)),
                _ => arg(0).join(&arg(2)),
            },
            Op::Eq => truth(match (point(arg(0)), point(arg(1))) {
                (Some(a), Some(b)) if self.store.sort_of(self.store.arg(t, 0)) != Sort::REAL => Some(a == b),
                _ if arg(0).meet(&arg(1)).is_none() => Some(false),
                _ => None,
            }),
            Op::Le => truth(match (arg(0), arg(1)) {
                (Interval { high: Some(a), .. }, Interval { low: Some(b), .. }) if a <= b => Some(true),
                (Interval { low: Some(a), .. }, Interval { high: Some(b), .. }) if a > b => Some(false),
                _ => None,
            }),
            Op::Num(n) => {
                let value = self.store.num_value(n);
                let whole = value.is_integer().then(|| wide(value)).flatten();
                whole.map_or(Interval::ALL, Interval::point)
            }
            Op::Add => args().fold(Interval::point(0), |sum, i| sum.add(&i)),
            Op::Mul => args().fold(Interval::point(1), |product, i| match point(product) {
                Some(k) => i.scale(k),
                None => product.mul(&i),
            }),
            Op::Div => match point(arg(1)) {
                Some(k) if k > 0 => arg(0).div(k),
                _ => Interval::ALL,
            },
            Op::Mod => match arg(1) {
                Interval { low: Some(l), high: Some(h) } if l > 0 => {
                    match arg(0).period(l).and_then(|q| q.checked_mul(-l)) {
                        Some(shift) if l == h => arg(0).add(&Interval::point(shift)),
                        _ => Interval::new(0, h - 1),
                    }
                }
                _ => Interval::ALL,
            },
            Op::Select if self.strict => Interval::ALL,
            Op::Select | Op::ConstArray => arg(0),
            Op::Apply(f) => match (self.symbols.vars.get(&f), self.symbols.inputs.get(&f)) {
                (Some(&v), _) => lookup(self.symbols, self.state, v),
                (None, Some(&i)) if !self.strict => i,
                _ if self.store.sort_of(t) == Sort::BOOL => BOTH,
                _ => Interval::ALL,
            },
            _ if self.store.sort_of(t) == Sort::BOOL => BOTH,
            _ => Interval::ALL,
        }
    }
}

/// The state refined by a formula; `None` if the formula is false in it.
fn assume(store: &Store, symbols: &Symbols, state: &State, formula: Term) -> Option<State> {
    let mut refined = state.clone();
    if formula == store.tru() {
        return Some(refined);
    }
    let mut work = vec![(formula, true)];
    while let Some((t, positive)) = work.pop() {
        match (store.op(t), positive) {
            (Op::Not, _) => work.push((store.arg(t, 0), !positive)),
            (Op::And, true) | (Op::Or, false) => work.extend(store.args(t).iter().map(|&a| (a, positive))),
            _ => {
                let value = Eval::new(store, symbols, &refined).interval(t);
                if value == Interval::point(i128::from(!positive)) {
                    return None;
                }
                refine(store, symbols, &mut refined, t, positive)?;
            }
        }
    }
    Some(refined)
}

/// Tightens the variables of one literal.
fn refine(store: &Store, symbols: &Symbols, state: &mut State, atom: Term, positive: bool) -> Option<()> {
    let op = store.op(atom);
    if !matches!(op, Op::Le | Op::Eq) || store.sort_of(store.arg(atom, 0)) != Sort::INT {
        return Some(());
    }
    let Some(sum) = symbols.sum(store, atom) else { return Some(()) };
    match (op, positive) {
        (Op::Le, true) => sum.at_most_zero(store, symbols, state),
        (Op::Le, false) => sum.negated(1).map_or(Some(()), |n| n.at_most_zero(store, symbols, state)),
        (_, true) => {
            sum.at_most_zero(store, symbols, state)?;
            sum.negated(0).map_or(Some(()), |n| n.at_most_zero(store, symbols, state))
        }
        (_, false) => sum.not_zero(store, symbols, state),
    }
}

/// A sum with small integer coefficients.
pub(in crate::program) struct IntSum {
    pub constant: i128,
    pub terms: Vec<(Term, i128)>,
}

impl IntSum {
    pub(in crate::program) fn new(l: &Linear) -> Option<IntSum> {
        let terms: Option<Vec<(Term, i128)>> = l.terms.iter().map(|(t, k)| Some((*t, wide(k)?))).collect();
        Some(IntSum { constant: wide(&l.constant)?, terms: terms? })
    }

    /// `offset` minus the sum, if its numbers are not too large.
    fn negated(&self, offset: i128) -> Option<IntSum> {
        let terms: Option<Vec<(Term, i128)>> =
            self.terms.iter().map(|&(t, k)| Some((t, k.checked_neg()?))).collect();
        Some(IntSum { constant: offset.checked_sub(self.constant)?, terms: terms? })
    }

    pub(in crate::program) fn variable(store: &Store, symbols: &Symbols, t: Term) -> Option<VarId> {
        store.as_var(t).and_then(|f| symbols.vars.get(&f).copied())
    }

    /// `k * x <= -(constant + rest)` bounds each variable `x` by the least value of the rest.
    fn at_most_zero(&self, store: &Store, symbols: &Symbols, state: &mut State) -> Option<()> {
        let parts: Vec<Interval> = {
            let mut eval = Eval::new(store, symbols, state);
            self.terms.iter().map(|&(t, k)| eval.interval(t).scale(k)).collect()
        };
        // The least value of the sum without one part, for all parts at once.
        let unbounded = parts.iter().filter(|p| p.low.is_none()).count();
        let lows = parts.iter().filter_map(|p| p.low);
        // Numbers that are too large bound nothing.
        let Some(total) = lows.into_iter().try_fold(self.constant, |a, l| a.checked_add(l)) else {
            return Some(());
        };
        for (&(t, k), part) in self.terms.iter().zip(&parts) {
            let Some(v) = Self::variable(store, symbols, t) else { continue };
            let rest = match (unbounded, part.low) {
                (0, Some(l)) => total.checked_sub(l),
                (1, None) => Some(total),
                _ => None,
            };
            let Some(bound) = rest.and_then(i128::checked_neg) else { continue };
            let side = if k > 0 {
                Interval { low: None, high: Some(bound.div_euclid(k)) }
            } else {
                // k x <= bound with k < 0: x >= bound / k, rounded up.
                Interval { low: Some(-(bound.div_euclid(-k))), high: None }
            };
            let met = lookup(symbols, state, v).meet(&side)?;
            set(symbols, state, v, met);
        }
        Some(())
    }

    /// A single variable that differs from the end of its interval.
    fn not_zero(&self, store: &Store, symbols: &Symbols, state: &mut State) -> Option<()> {
        let [(t, k)] = self.terms[..] else { return Some(()) };
        let Some(v) = Self::variable(store, symbols, t) else { return Some(()) };
        if self.constant % k != 0 {
            return Some(());
        }
        let excluded = -self.constant / k;
        let mut i = lookup(symbols, state, v);
        if i.low == Some(excluded) {
            i.low = Some(excluded + 1);
        }
        if i.high == Some(excluded) {
            i.high = Some(excluded - 1);
        }
        let met = i.meet(&Interval::ALL)?;
        set(symbols, state, v, met);
        Some(())
    }
}

/// The remainder or quotient of a term by a constant, plus an offset, where the quotient lies between two bounds.
#[derive(Clone)]
struct Periods {
    op: Op,
    of: Term,
    k: i128,
    low: i128,
    high: i128,
    offset: i128,
}

impl Periods {
    /// The term for one value of the quotient.
    fn piece(&self, store: &mut Store, q: i128) -> Term {
        if self.op == Op::Div {
            int_term(store, q + self.offset)
        } else {
            let shift = int_term(store, self.offset - q * self.k);
            store.add(&[self.of, shift])
        }
    }

    /// A choice between the pieces.
    fn term(&self, store: &mut Store) -> Term {
        let mut result = self.piece(store, self.low);
        for q in self.low + 1..=self.high {
            let start = int_term(store, q * self.k);
            let (reached, value) = (store.le(start, self.of), self.piece(store, q));
            result = store.ite(reached, value, result);
        }
        result
    }
}

/// The term simplified by the intervals of a state; what has to be assumed for that is added to `assumed`.
fn rewrite(
    store: &mut Store,
    symbols: &Symbols,
    state: &State,
    wraps: Wraps,
    t: Term,
    assumed: &mut Vec<Term>,
) -> Term {
    let order: Vec<Term> = store.post_order([t]).collect();
    let mut new: FxHashMap<Term, Term> = FxHashMap::default();
    let mut split: FxHashMap<Term, Periods> = FxHashMap::default();
    let evaluated = |mut eval: Eval| {
        eval.interval(t);
        eval.memo
    };
    let intervals = evaluated(Eval::new(store, symbols, state));
    let strict = evaluated(Eval::strict(store, symbols, state));
    let interval = |store: &Store, t: Term| match is_leaf(store, t) {
        true => Eval::new(store, symbols, state).node(t),
        false => intervals[&t],
    };
    for sub in order {
        let args: Vec<Term> = store.args(sub).iter().map(|a| new[a]).collect();
        let mut result = store.rebuild(sub, &args);
        match store.op(sub) {
            Op::Le | Op::Eq => match strict[&sub] {
                Interval { low: Some(1), .. } => result = store.tru(),
                Interval { high: Some(0), .. } => result = store.fls(),
                _ => {}
            },
            Op::Apply(f) if symbols.vars.contains_key(&f) && store.sort_of(sub) == Sort::INT => {
                if let Interval { low: Some(low), high: Some(high) } = interval(store, sub)
                    && low == high
                {
                    result = int_term(store, low);
                }
            }
            op @ (Op::Mod | Op::Div) => {
                let modulus = store.as_num(store.arg(sub, 1)).and_then(wide).filter(|&k| k > 0);
                let periods = modulus.map(|k| (k, interval(store, store.arg(sub, 0)).div(k)));
                match periods {
                    Some((k, Interval { low: Some(low), high: Some(high) }))
                        if high - low < wraps.periods =>
                    {
                        let pieces = Periods { op, of: args[0], k, low, high, offset: 0 };
                        result = pieces.term(store);
                        split.insert(result, pieces);
                    }
                    Some((k, _)) if wraps.drop && op == Op::Mod && WRAPS.contains(&k) => {
                        let (zero, last) = (int_term(store, 0), int_term(store, k - 1));
                        assumed.extend([store.le(zero, args[0]), store.le(args[0], last)]);
                        result = args[0];
                    }
                    _ => {}
                }
            }
            // The offset goes into the pieces.
            Op::Add => {
                let (choices, others): (Vec<Term>, Vec<Term>) =
                    args.iter().partition(|a| split.contains_key(*a));
                let constants: Option<Vec<i128>> =
                    others.iter().map(|&a| store.as_num(a).and_then(wide)).collect();
                if let ([choice], Some(constants)) = (&choices[..], constants) {
                    let mut pieces = split[choice].clone();
                    pieces.offset += constants.iter().sum::<i128>();
                    result = pieces.term(store);
                }
            }
            _ => {}
        }
        new.insert(sub, result);
    }
    new[&t]
}

/// Bounds of the integer variables at the locations of the entry procedure, as formulas; `None` where execution cannot get.
pub fn bounds(
    store: &mut Store,
    program: &Program,
    budget: &Budget,
) -> Result<IdVec<LocId, Option<Vec<Term>>>, Interrupt> {
    let states = intervals(store, program, budget)?;
    Ok(states.iter().map(|s| s.as_ref().map(|s| facts(store, program, s, |_| true, false))).collect())
}

/// The intervals at the locations of the entry procedure.
pub(in crate::program) fn intervals(
    store: &Store,
    program: &Program,
    budget: &Budget,
) -> Result<States, Interrupt> {
    let symbols = Symbols::new(store, program);
    Analysis::new(store, program, program.entry, &symbols).run(budget)
}

/// What a state says about some integer variables, as formulas. Single values are equations, or two bounds as well.
pub(in crate::program) fn facts(
    store: &mut Store,
    program: &Program,
    state: &State,
    wanted: impl Fn(VarId) -> bool,
    equations: bool,
) -> Vec<Term> {
    let mut facts = Vec::new();
    let is_wanted = |v: VarId| program.vars[v].sort == Sort::INT && wanted(v);
    for (v, interval) in state.iter().filter(|(v, _)| is_wanted(*v)) {
        let x = program.vars[v].term;
        let [low, high] = [interval.low, interval.high].map(|end| end.map(|end| int_term(store, end)));
        match (low, high) {
            (Some(low), Some(high)) if equations && low == high => facts.push(store.eq(x, low)),
            _ => {
                facts.extend(low.map(|low| store.le(low, x)));
                facts.extend(high.map(|high| store.le(x, high)));
            }
        }
    }
    facts
}
