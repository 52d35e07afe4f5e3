//! Specialisation: control locations are split by the constants that some variables hold there.
//!
//! State machines written in C keep their control state in variables that only ever hold a few constants. Following
//! these variables explicitly, as in conditional constant propagation (Wegman and Zadeck) made polyvariant, turns
//! that state back into control flow: guards on it disappear, and what is left between the loops is small. A variable
//! is followed only while it is live, so that copies meet again when it no longer matters.
//!
//! The number of copies is bounded. Where a procedure would exceed the bound, the variables that split it most are no
//! longer followed, and the exploration starts again. Neither are variables that split a loop head in vain: n flags that each round sets
//! in any combination make 2^n copies of it, nearly all of which follow each other, so that there are 4^n edges between them, and
//! nothing is learned from that which the guards do not say.
//!
//! After that, *counters* are followed, too, variables that are computed from their own value alone: loops that are run
//! through a small constant number of times are unrolled, as long as the procedure does not grow much. And where loops count by a variable
//! of few values (`cases`), each of the values gets its own copies.

mod cases;

use super::blocks::back_edges;
use crate::program::back::map::{BackMap, Copy, EdgeMap, Grounds, OUTERMOST, Origin, no_contexts};
use crate::program::graph::int_term;
use crate::program::live::{Uses, VarSet, effects, live_at};
use crate::{Action, Edge, EdgeId, LocId, Procedure, Program, Step, VarId};
use bolide_base::{Budget, IdVec, Interrupt};
use bolide_term::{Func, Op, Sort, Store, Substitution, Term};
use cases::Cases;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::hash::BuildHasher;

/// A variable with more possible values is not followed.
const MAX_VALUES: usize = 64;

/// Unrolled loops may add half of the locations that there are, or so many.
const UNROLLED: usize = 400;

/// How often the loops of a counter may turn out to be too long before no counter is followed.
const MAX_ATTEMPTS: usize = 8;

/// A loop head with fewer copies is left alone, even if they all follow each other.
const MANY_COPIES: usize = 16;

/// Nearly all copies of a loop head follow each other if so many percent do or more.
const NEARLY_ALL: usize = 50;

/// From so many copies of a loop head those that follow are sought.
const STARTS: usize = 8;

/// A variable is independent of the others at a loop head if so many percent of its copies, or more, differ from another one in nothing
/// else.
const INDEPENDENT: usize = 45;

/// How many copies are looked at to find out which variables split most, roughly.
const SAMPLE: usize = 10_000;

/// Splits the locations of the entry procedure by the constants that variables hold, into at most about `limit`
/// locations. A procedure with calls stays as it is.
pub fn specialise(
    store: &mut Store,
    program: &Program,
    limit: usize,
    budget: &Budget,
) -> Result<(Program, BackMap), Interrupt> {
    if program.main().has_calls() {
        return Ok(unchanged(program));
    }
    let followed = finite_variables(store, program);
    let counters = counters(store, program, &followed);
    let cases = Cases::find(store, program, budget)?;
    if followed.is_empty() && counters.is_empty() && cases.is_empty() {
        return Ok(unchanged(program));
    }
    let mut uses = Uses::new(store, program);
    let effects = effects(program, &mut uses);
    let live = live_at(program, &mut uses, &effects)[program.entry].clone();
    let mut explorer = Explorer::new(store, program, live, followed, limit);
    loop {
        if explorer.explore(store, budget)? != Outcome::Done {
            explorer.follow_fewer();
        } else if !explorer.forget_independent() {
            break;
        }
    }
    explorer.unroll(store, counters, budget)?;
    explorer.distinguish(store, cases, budget)?;
    if explorer.followed.iter().all(|f| !f) {
        return Ok(unchanged(program));
    }
    Ok(explorer.finish())
}

/// What came of an exploration.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Outcome {
    /// Everything was visited.
    Done,
    /// There are too many copies.
    TooMany,
    /// A counter has too many values.
    Runaway(VarId),
}

/// Do nearly all of some copies of a loop head follow each other within one round, as far as some of them tell?
fn nearly_all_follow_each_other(successors: &IdVec<LocId, Vec<LocId>>, copies: &[LocId]) -> bool {
    let is_copy: FxHashSet<LocId> = copies.iter().copied().collect();
    let starts: Vec<LocId> = copies.iter().copied().step_by(copies.len().div_ceil(STARTS)).collect();
    let mut following = 0;
    for &start in &starts {
        let (mut work, mut seen) = (vec![start], FxHashSet::default());
        while let Some(at) = work.pop() {
            for &to in &successors[at] {
                if seen.insert(to) {
                    if is_copy.contains(&to) {
                        following += 1;
                    } else {
                        work.push(to);
                    }
                }
            }
        }
    }
    100 * following >= NEARLY_ALL * starts.len() * copies.len()
}

fn unchanged(program: &Program) -> (Program, BackMap) {
    let copies = program.procs.iter_enumerated().map(|(proc, p)| {
        p.edges.iter_enumerated().map(|(edge, e)| Some(Copy::faithful(proc, edge, e))).collect()
    });
    (program.clone(), BackMap::identity(program, copies.collect()))
}

/// What a variable can hold as far as assignments alone tell.
#[derive(Clone, Default)]
struct Values {
    constants: BTreeSet<Term>,
    /// Variables whose values it can take over.
    copies: Vec<VarId>,
    /// Assigned from arithmetic: following it could unroll loops without end.
    computed: bool,
}

/// The integer variables that are only assigned constants, values from outside, or other such variables, and that hold
/// at least one constant.
fn finite_variables(store: &Store, program: &Program) -> Vec<VarId> {
    let vars = program.var_of_symbol(store);
    let mut values: IdVec<VarId, Values> = program.vars.iter().map(|_| Values::default()).collect();
    for step in program.main().edges.iter().filter_map(Edge::step) {
        for &(v, t) in &step.assigns {
            collect_leaves(store, &vars, t, &mut values[v]);
        }
    }
    let mut work: Vec<VarId> = program.vars.ids().collect();
    let mut readers: IdVec<VarId, Vec<VarId>> = program.vars.iter().map(|_| Vec::new()).collect();
    for (v, of) in values.iter_enumerated() {
        of.copies.iter().for_each(|&from| readers[from].push(v));
    }
    while let Some(from) = work.pop() {
        let Values { constants, computed, .. } = values[from].clone();
        for &to in &readers[from] {
            let target = &mut values[to];
            let before = (target.constants.len(), target.computed);
            target.computed |= computed;
            if !target.computed {
                target.constants.extend(&constants);
                target.computed = target.constants.len() > MAX_VALUES;
            }
            if before != (target.constants.len(), target.computed) {
                work.push(to);
            }
        }
    }
    let is_finite = |v: &VarId| {
        let of = &values[*v];
        program.vars[*v].sort == Sort::INT
            && !of.computed
            && !of.constants.is_empty()
            && of.constants.len() <= MAX_VALUES
    };
    program.vars.ids().filter(is_finite).collect()
}

/// The other integer variables that are only assigned constants and terms over their own value, and both of them.
fn counters(store: &Store, program: &Program, followed: &[VarId]) -> Vec<VarId> {
    let mut starts: IdVec<VarId, bool> = program.vars.iter().map(|_| false).collect();
    let mut moves = starts.clone();
    let mut others = starts.clone();
    for &(v, t) in program.main().edges.iter().filter_map(Edge::step).flat_map(|s| &s.assigns) {
        let own = store.as_var(program.vars[v].term);
        match store.symbols([t]).as_slice() {
            [] => starts[v] = true,
            [f] if Some(*f) == own => moves[v] = true,
            _ => others[v] = true,
        }
    }
    let is_counter = |v: &VarId| {
        program.vars[*v].sort == Sort::INT && starts[*v] && moves[*v] && !others[*v] && !followed.contains(v)
    };
    program.vars.ids().filter(is_counter).collect()
}

/// Adds what the alternatives of an assigned term can be.
fn collect_leaves(store: &Store, vars: &FxHashMap<Func, VarId>, t: Term, into: &mut Values) {
    let (mut work, mut seen) = (vec![t], FxHashSet::default());
    while let Some(t) = work.pop() {
        if !seen.insert(t) {
            continue;
        }
        if store.as_num(t).is_some() {
            into.constants.insert(t);
        } else if let Some(&v) = store.as_var(t).and_then(|f| vars.get(&f)) {
            into.copies.push(v);
        } else {
            match store.op(t) {
                Op::Ite => work.extend(&store.args(t)[1..]),
                Op::Select => {}
                _ => into.computed |= store.symbols([t]).iter().any(|f| vars.contains_key(f)),
            }
        }
    }
}

/// The constants of the variables that are followed, ordered by variable.
type Valuation = Vec<(VarId, Term)>;

/// An edge of the result.
struct NewEdge {
    from: LocId,
    to: LocId,
    original: EdgeId,
    step: Step,
}

struct Explorer<'a> {
    program: &'a Program,
    outgoing: IdVec<LocId, Vec<EdgeId>>,
    /// The variables that each edge reads.
    reads: IdVec<EdgeId, Vec<VarId>>,
    live: IdVec<LocId, VarSet>,
    followed: IdVec<VarId, bool>,
    /// The counters that are followed, with the values that they had.
    counters: FxHashMap<VarId, FxHashSet<Term>>,
    /// The variables of which all values are followed.
    cases: Cases,
    vars: FxHashMap<Func, VarId>,
    limit: usize,
    /// The locations of the result: a location with a valuation.
    nodes: IndexSet<(LocId, Valuation), FxBuildHasher>,
    edges: Vec<NewEdge>,
    /// Steps simplified by the constants of what they read.
    simplified: FxHashMap<(EdgeId, Valuation), Step>,
}

impl<'a> Explorer<'a> {
    fn new(
        store: &Store,
        program: &'a Program,
        live: IdVec<LocId, VarSet>,
        follow: Vec<VarId>,
        limit: usize,
    ) -> Explorer<'a> {
        let p = program.main();
        let mut uses = Uses::new(store, program);
        let mut reads = IdVec::new();
        for e in &p.edges {
            let mut read: Vec<VarId> =
                e.step().into_iter().flat_map(Step::terms).flat_map(|t| uses.of(t).to_vec()).collect();
            read.sort_unstable();
            read.dedup();
            reads.push(read);
        }
        let mut followed: IdVec<VarId, bool> = program.vars.iter().map(|_| false).collect();
        follow.into_iter().for_each(|v| followed[v] = true);
        Explorer {
            program,
            outgoing: p.outgoing(),
            reads,
            live,
            followed,
            counters: FxHashMap::default(),
            cases: Cases::default(),
            vars: program.var_of_symbol(store),
            limit: limit.max(2 * p.locations.len()),
            nodes: IndexSet::default(),
            edges: Vec::new(),
            simplified: FxHashMap::default(),
        }
    }

    /// Follows those of the counters that do not make the procedure much larger than it is now.
    fn unroll(&mut self, store: &mut Store, counters: Vec<VarId>, budget: &Budget) -> Result<(), Interrupt> {
        let size = self.nodes.len();
        self.limit = size + (size / 2).max(UNROLLED);
        self.follow_counters(counters);
        let mut attempts = 0;
        while !self.counters.is_empty() {
            let culprit = match self.explore(store, budget)? {
                Outcome::Done => return Ok(()),
                Outcome::TooMany => {
                    let blame = self.blame_of_sample();
                    self.counters.keys().copied().max_by_key(|&v| (blame[v], v))
                }
                Outcome::Runaway(v) => Some(v),
            };
            attempts += 1;
            let is_kept = |v: &VarId| Some(*v) != culprit && attempts < MAX_ATTEMPTS;
            let kept = self.counters.keys().copied().filter(is_kept).collect();
            self.follow_counters(kept);
        }
        self.limit = usize::MAX;
        self.explore(store, budget)?;
        Ok(())
    }

    /// Splits locations by all values of some variables, unless that are too many copies.
    fn distinguish(&mut self, store: &mut Store, cases: Cases, budget: &Budget) -> Result<(), Interrupt> {
        if cases.is_empty() {
            return Ok(());
        }
        self.limit = self.nodes.len() + UNROLLED;
        cases.variables().for_each(|v| self.followed[v] = true);
        self.cases = cases;
        if self.explore(store, budget)? == Outcome::Done {
            return Ok(());
        }
        let cases = std::mem::take(&mut self.cases);
        cases.variables().for_each(|v| self.followed[v] = false);
        self.limit = usize::MAX;
        self.explore(store, budget)?;
        Ok(())
    }

    /// Follows these counters and no others.
    fn follow_counters(&mut self, counters: Vec<VarId>) {
        for (v, _) in self.counters.drain() {
            self.followed[v] = false;
        }
        for v in counters {
            self.followed[v] = true;
            self.counters.insert(v, FxHashSet::default());
        }
    }

    /// Visits everything that can be reached, as far as that is not too much.
    fn explore(&mut self, store: &mut Store, budget: &Budget) -> Result<Outcome, Interrupt> {
        let p = self.program.main();
        self.nodes.clear();
        self.edges.clear();
        self.simplified.clear();
        self.counters.values_mut().for_each(FxHashSet::clear);
        self.nodes.insert((p.entry, Valuation::new()));
        self.nodes.insert((p.exit, Valuation::new()));
        let mut next = 0;
        while let Some((location, valuation)) = self.nodes.get_index(next).cloned() {
            budget.poll()?;
            if self.nodes.len() > self.limit {
                return Ok(Outcome::TooMany);
            }
            for &(v, value) in &valuation {
                if let Some(values) = self.counters.get_mut(&v)
                    && values.insert(value)
                    && values.len() > MAX_VALUES
                {
                    return Ok(Outcome::Runaway(v));
                }
            }
            self.expand(store, LocId::new(next), location, &valuation);
            next += 1;
        }
        Ok(Outcome::Done)
    }

    /// Adds the edges that leave a location of the result.
    fn expand(&mut self, store: &mut Store, from: LocId, location: LocId, valuation: &Valuation) {
        let mut inputs = FxHashMap::default();
        for n in 0..self.outgoing[location].len() {
            let e = self.outgoing[location][n];
            let step = self.simplify(store, e, valuation);
            if step.guard == store.fls() {
                continue;
            }
            let to = self.program.main().edges[e].to;
            let ways = if to == self.program.main().exit {
                vec![(step, Valuation::new())]
            } else {
                let after = self.after(store, to, valuation, &step);
                self.ways(store, to, step, after)
            };
            for (step, after) in ways {
                let (to, _) = self.nodes.insert_full((to, after));
                let step = step.with_fresh_inputs(store, self.program, &mut inputs);
                self.edges.push(NewEdge { from, to: LocId::new(to), original: e, step });
            }
        }
    }

    /// A step to a location, one for each value of the variables that are told apart there, with what is known after it.
    fn ways(&self, store: &mut Store, to: LocId, step: Step, after: Valuation) -> Vec<(Step, Valuation)> {
        let mut ways = vec![(step, after)];
        for (v, values) in self.cases.at(to) {
            if !self.live[to].contains(v) {
                continue;
            }
            let mut split = Vec::new();
            for (step, after) in ways {
                let Err(place) = after.binary_search_by_key(&v, |x| x.0) else {
                    split.push((step, after));
                    continue;
                };
                let value = step.value_of(v).unwrap_or(self.program.vars[v].term);
                for n in values.clone() {
                    let n = int_term(store, n);
                    let is_it = store.eq(value, n);
                    let guard = store.and(&[step.guard, is_it]);
                    if guard != store.fls() {
                        let mut after = after.clone();
                        after.insert(place, (v, n));
                        split.push((Step { guard, ..step.clone() }, after));
                    }
                }
            }
            ways = split;
        }
        ways
    }

    /// The step of an edge under a valuation.
    fn simplify(&mut self, store: &mut Store, e: EdgeId, valuation: &Valuation) -> Step {
        let step = self.program.main().edges[e].step().expect("there are no calls");
        let known: Valuation =
            valuation.iter().filter(|(v, _)| self.reads[e].binary_search(v).is_ok()).copied().collect();
        if known.is_empty() {
            return step.clone();
        }
        let program = self.program;
        let simplified = self.simplified.entry((e, known)).or_insert_with_key(|(_, known)| {
            let mut subst = Substitution::new();
            known.iter().for_each(|&(v, c)| subst.insert(program.vars[v].term, c));
            let guard = subst.apply(store, step.guard);
            let assigns = step.assigns.iter().map(|&(v, t)| (v, subst.apply(store, t))).collect();
            Step { guard, assigns, inputs: step.inputs.clone() }
        });
        simplified.clone()
    }

    /// What is known after an edge to a location of those variables that may still be read.
    fn after(&self, store: &Store, to: LocId, before: &Valuation, step: &Step) -> Valuation {
        let mut after: Valuation =
            before.iter().filter(|(v, _)| step.value_of(*v).is_none()).copied().collect();
        let learned = equalities(store, &self.vars, step.guard);
        let unchanged =
            |v: VarId| step.value_of(v).is_none() && before.binary_search_by_key(&v, |x| x.0).is_err();
        after.extend(learned.into_iter().filter(|&(v, _)| unchanged(v)));
        after.extend(step.assigns.iter().filter(|(_, t)| store.as_num(*t).is_some()));
        after.retain(|(v, _)| self.followed[*v] && self.live[to].contains(*v));
        after.sort_unstable();
        after.dedup_by_key(|x| x.0);
        after
    }

    /// After too much splitting: drops the quarter of the variables whose values split most.
    fn follow_fewer(&mut self) {
        let blame = self.blame_of_sample();
        let mut followed: Vec<VarId> = self.program.vars.ids().filter(|&v| self.followed[v]).collect();
        followed.sort_by_key(|&v| blame[v]);
        let kept = followed.len() * 3 / 4;
        followed[kept..].iter().for_each(|&v| self.followed[v] = false);
    }

    /// Drops the variables that take any combination of values at a loop head whose copies nearly all follow each other. Did it?
    fn forget_independent(&mut self) -> bool {
        let heads: BTreeSet<LocId> = {
            let p = self.program.main();
            back_edges(p, &self.outgoing).into_iter().map(|e| p.edges[e].to).collect()
        };
        let mut copies: FxHashMap<LocId, Vec<LocId>> = FxHashMap::default();
        for (n, (l, _)) in self.nodes.iter().enumerate().filter(|(_, (l, _))| heads.contains(l)) {
            copies.entry(*l).or_default().push(LocId::new(n));
        }
        copies.retain(|_, of_head| of_head.len() >= MANY_COPIES);
        if copies.is_empty() {
            return false;
        }
        let mut successors: IdVec<LocId, Vec<LocId>> = self.nodes.iter().map(|_| Vec::new()).collect();
        self.edges.iter().for_each(|e| successors[e.from].push(e.to));
        let mut forgot = false;
        for head in heads {
            let Some(of_head) = copies.get(&head) else { continue };
            if !nearly_all_follow_each_other(&successors, of_head) {
                continue;
            }
            let blame = self.blame(|l| l == head);
            for v in self.program.vars.ids() {
                if self.followed[v] && 100 * blame[v] >= INDEPENDENT * of_head.len() {
                    self.followed[v] = false;
                    forgot = true;
                }
            }
        }
        forgot
    }

    /// How many copies each variable is to blame for, on a sample of the locations.
    fn blame_of_sample(&self) -> IdVec<VarId, usize> {
        let rate = 1 + self.nodes.len() / SAMPLE;
        self.blame(|l| l.index() % rate == 0)
    }

    /// How many copies of some locations each variable is to blame for: those that differ from another one in nothing else.
    fn blame(&self, is_looked_at: impl Fn(LocId) -> bool) -> IdVec<VarId, usize> {
        let hash = |part: (VarId, Term)| FxBuildHasher.hash_one(part);
        let mut others: IdVec<VarId, FxHashSet<u64>> =
            self.program.vars.iter().map(|_| FxHashSet::default()).collect();
        let mut copies: IdVec<VarId, usize> = self.program.vars.iter().map(|_| 0).collect();
        for (location, valuation) in self.nodes.iter().filter(|(l, _)| is_looked_at(*l)) {
            let all =
                valuation.iter().fold(FxBuildHasher.hash_one(location), |h, &x| h.wrapping_add(hash(x)));
            for &x in valuation {
                copies[x.0] += 1;
                others[x.0].insert(all.wrapping_sub(hash(x)));
            }
        }
        copies.iter().zip(&others).map(|(&n, o)| n - o.len()).collect()
    }

    /// The new program and the way back.
    fn finish(self) -> (Program, BackMap) {
        let p = self.program.main();
        let proc = self.program.entry;
        let mut out =
            Procedure { params: p.params.clone(), result: p.result, ..Procedure::new(&*p.name, p.span) };
        let (mut origins, mut constants) = (IdVec::new(), IdVec::new());
        for (n, (location, valuation)) in self.nodes.into_iter().enumerate() {
            constants.push(valuation);
            origins.push(Origin { proc, location, context: OUTERMOST });
            if n < 2 {
                out.locations[LocId::new(n)] = p.locations[location].clone();
            } else {
                out.locations.push(p.locations[location].clone());
            }
        }
        let mut copies = IdVec::new();
        for e in self.edges {
            let original = &p.edges[e.original];
            let action = Action::Step(e.step);
            out.edges.push(Edge { from: e.from, to: e.to, action, ..original.clone() });
            copies.push(Some(Copy::faithful(proc, e.original, original)));
        }
        let (mut new, mut map) = unchanged(self.program);
        new.procs[proc] = out;
        map.locations[proc] = origins;
        if let EdgeMap::Copies(edges) = &mut map.edges {
            edges[proc] = copies;
        }
        map.contexts = no_contexts();
        map.grounds = Grounds::Constants(constants);
        (new, map)
    }
}

/// The equalities between a variable and a constant among the conjuncts of a guard.
fn equalities(store: &Store, vars: &FxHashMap<Func, VarId>, guard: Term) -> Valuation {
    let mut out = Valuation::new();
    for t in store.conjuncts(guard).into_iter().filter(|&t| store.op(t) == Op::Eq) {
        let (a, b) = (store.arg(t, 0), store.arg(t, 1));
        for (x, c) in [(a, b), (b, a)] {
            if let Some(&v) = store.as_var(x).and_then(|f| vars.get(&f))
                && store.as_num(c).is_some()
            {
                out.push((v, c));
            }
        }
    }
    out
}
