//! The way back of invariants: from the prepared program to the one whose calls were inlined and to which nothing else
//! was done.
//!
//! Each pass has an answer to the question what an invariant of its result says about the program that it was
//! given. Tidying: the same. Slicing: the same about variables whose assignments are still there. Scalar
//! replacement: the cell of an array is a read of the array. Pruning: a location that is gone cannot be reached, or
//! it does not matter what holds there. Narrowing: what the new program keeps, the old one keeps within the
//! intervals that were found. Specialisation: the variables hold the constants of one of the copies of a location,
//! and what holds in that copy; likewise for phases of loops. Large blocks: formulas are there at block heads only;
//! what lies between them gets interpolants. Abstraction: unknown constants are the numerals that they stand for,
//! tracked cells are reads of their arrays, and prophecies are quantified or written down; see [`Prophecy`].
//!
//! Nothing here needs to be believed. The formulas are a candidate, which has to be shown to be an invariant of the program
//! that it came back to.

use super::eliminate::without;
use super::fill_blocks::{Separate, formulas_between};
use super::map::{BackMap, Context, EdgeMap, Grounds, OUTERMOST, Split};
use super::prophecy::{Open, Prophecies, Prophecy, is_about};
use crate::program::live::{Uses, VarSet, effects, live_at};
use crate::program::pass::blocks::back_edges;
use crate::program::pass::narrow::{States, facts};
use crate::program::pass::prune::reachable;
use crate::program::pass::{
    Abstraction, BLOCKS_FIRST, Blocks, Log, PrepareError, Prepared, finish, inline, inlined_size, narrow,
    simplify,
};
use crate::{Action, Edge, EdgeId, LocId, ProcId, Procedure, Program, VarId};
use bolide_base::{Budget, IdVec, Interrupt};
use bolide_term::{Func, Op, Store, Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::fmt;

/// A program that was prepared, with all that is needed for the way back of an invariant.
pub struct Recorded {
    /// The program and the maps of the passes.
    pub prepared: Prepared,
    /// What each pass made.
    programs: Vec<Program>,
    /// The intervals that passes found in each procedure.
    states: Vec<Option<IdVec<ProcId, States>>>,
    /// The program whose calls were inlined and to which nothing else was done.
    pub inlined: Program,
    inlined_map: BackMap,
    /// Were procedures made into large blocks before they were inlined?
    pub(crate) in_blocks: bool,
    /// How many passes had run when cells took the place of arrays.
    concrete: usize,
    /// The prophecies about the program at hand then.
    prophecies: Prophecies,
}

/// What an invariant says about a procedure of a program whose calls were inlined.
#[derive(Clone, Debug, Default)]
pub struct Annotation {
    /// A formula for each loop head from which an error may be reached, and perhaps for others. If arrays were
    /// abstracted from, it may begin with a quantifier over constants, and have others free in it.
    pub formulas: Vec<(LocId, Term)>,
    /// What these constants turn out to be, between locations with formulas, the entry and errors.
    pub prophecies: Vec<Prophecy>,
}

/// Prepares a program as [`prepare_blocks`](crate::program::pass::prepare_blocks) does, and keeps what the way back of an invariant needs.
pub fn prepare_recorded(
    store: &mut Store,
    program: &Program,
    blocks: Blocks,
    limit: usize,
    budget: &Budget,
) -> Result<Recorded, PrepareError> {
    let mut log = Log { is_recording: true, ..Log::default() };
    let p = simplify(store, program, blocks, limit, budget, &mut log)?;
    let p = finish(store, p, narrow::SPLIT, blocks, budget, &mut log)?;
    let (inlined, inlined_map) = inline(store, program, limit)?;
    let Log { maps, programs, states, .. } = log;
    let in_blocks = programs.first().is_none_or(|pruned| inlined_size(pruned) > BLOCKS_FIRST);
    Ok(Recorded {
        concrete: maps.len(),
        prophecies: Prophecies::default(),
        prepared: (p, maps),
        programs,
        states,
        inlined,
        inlined_map,
        in_blocks,
    })
}

/// Why an invariant cannot be mapped back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoWayBack {
    /// Calls are left.
    Recursion,
    /// Calls were inlined in blocks.
    TooLarge,
    /// The budget ran out.
    Interrupted(Interrupt),
}

impl From<Interrupt> for NoWayBack {
    fn from(interrupt: Interrupt) -> Self {
        NoWayBack::Interrupted(interrupt)
    }
}

impl fmt::Display for NoWayBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoWayBack::Recursion => f.write_str("the program is recursive"),
            NoWayBack::TooLarge => f.write_str("the program is too large"),
            NoWayBack::Interrupted(interrupt) => interrupt.fmt(f),
        }
    }
}

impl std::error::Error for NoWayBack {}

/// The loop heads of the entry procedure from which an error may be reached: every cycle that matters has one.
pub fn cut_points(program: &Program) -> Vec<LocId> {
    let relevant = program.main().leads_to_error();
    let mut heads = loop_heads(program.main());
    heads.retain(|&l| relevant[l]);
    heads
}

/// The loop heads of a procedure.
pub fn loop_heads(p: &Procedure) -> Vec<LocId> {
    let mut heads: Vec<LocId> = back_edges(p, &p.outgoing()).into_iter().map(|e| p.edges[e].to).collect();
    heads.sort_unstable();
    heads.dedup();
    heads
}

/// What is known of the states at a location: the conjuncts of one of these alternatives hold. If there is none, the
/// location cannot be reached.
type Alternatives = Vec<Vec<Term>>;

/// What is known at the locations that matter.
type Table = FxHashMap<LocId, Alternatives>;

/// The number of the pass that inlines calls. The one before removes from procedures what cannot matter.
const INLINING: usize = 1;

impl Recorded {
    /// The same with an abstraction of the program as a last pass; `None` if there is nothing to abstract from.
    pub fn abstracted(self, store: &mut Store, abstraction: Abstraction) -> Option<Recorded> {
        let (program, maps) = self.prepared;
        let mut log = Log { maps, is_recording: true, programs: self.programs, states: self.states };
        let (program, prophecies) = abstraction.record(store, &program, &mut log)?;
        let Log { maps, programs, states, .. } = log;
        Some(Recorded { prepared: (program, maps), programs, states, prophecies, ..self })
    }

    /// The formulas at the cut points of the inlined program that an invariant of the prepared program stands for.
    pub fn invariant_back(
        &self,
        store: &mut Store,
        invariant: &[(LocId, Term)],
        separate: &mut Separate<'_>,
        budget: &Budget,
    ) -> Result<Annotation, NoWayBack> {
        if self.inlined.main().edges.iter().any(|e| e.step().is_none()) {
            return Err(NoWayBack::Recursion);
        }
        if self.in_blocks {
            return Err(NoWayBack::TooLarge);
        }
        let cuts = self.cut_points();
        let constants = self.prophecies.constants.iter().filter_map(|k| store.as_var(k.term)).collect();
        let claims = Claims { proc: self.inlined.entry, at: invariant, always: &[], constants: &constants };
        self.formulas_back(store, &claims, cuts, separate, budget)
    }

    /// The formulas at some locations of a procedure of the inlined program that formulas at the locations of the prepared one
    /// stand for.
    pub(crate) fn formulas_back(
        &self,
        store: &mut Store,
        claims: &Claims<'_>,
        cuts: Vec<LocId>,
        separate: &mut Separate<'_>,
        budget: &Budget,
    ) -> Result<Annotation, NoWayBack> {
        let proc = claims.proc;
        let places = self.places(proc);
        let wanted = self.wanted(proc, cuts.iter().filter_map(|l| places.get(l).copied()).collect());
        let mut table = prepared_table(store, claims, wanted.last().map_or(&[][..], |w| w));
        let mut prophecies = Vec::new();
        for (stage, both) in wanted.windows(2).enumerate().rev() {
            budget.check()?;
            let number = INLINING + 1 + stage;
            let [before, after] = [number - 1, number].map(|n| &self.programs[n]);
            let map = &self.prepared.1[number];
            let states = self.states[number].as_ref().map(|states| &states[proc]);
            let constants = claims.constants;
            let leg = Leg { proc, before, after, map, states, constants, old: &both[0], new: &both[1] };
            if number < self.concrete {
                prophecies = leg.prophecies_back(store, prophecies);
            } else if number == self.concrete {
                prophecies.clone_from(&self.prophecies.all);
            }
            table = leg.back(store, table, &mut prophecies, separate, budget)?;
        }
        let origins: FxHashMap<LocId, LocId> = places.iter().map(|(&l, &place)| (place, l)).collect();
        let mut prophecies: Vec<Prophecy> =
            prophecies.into_iter().filter_map(|f| f.moved(|l| origins.get(&l).copied())).collect();
        prophecies.retain(|f| is_about(store, &self.inlined, f.value));
        let open = Open::new(&self.inlined, &self.prophecies.constants, &prophecies);
        let reached = reachable(store, &self.inlined.procs[proc]);
        let mut out = Vec::with_capacity(cuts.len());
        for l in cuts {
            let mut known = match places.get(&l) {
                Some(place) => table.remove(place).unwrap_or_default(),
                None => unknown(reached[l]),
            };
            known.retain_mut(|parts| simplify_parts(store, parts));
            let formula = formula(store, &known);
            out.push((l, open.quantify(store, l, formula)));
        }
        Ok(Annotation { formulas: out, prophecies })
    }

    /// The locations of the inlined program that need a formula: its loop heads, and where there are prophecies.
    fn cut_points(&self) -> Vec<LocId> {
        let mut cuts = cut_points(&self.inlined);
        if self.prophecies.all.is_empty() {
            return cuts;
        }
        let entry = self.inlined.entry;
        let places = self.places(entry);
        let maps = &self.prepared.1[INLINING + 1..self.concrete];
        let origin = |l: LocId| maps.iter().rev().fold(l, |l, map| map.origin(entry, l).location);
        let starts: FxHashSet<LocId> = self.prophecies.all.iter().map(|f| origin(f.from)).collect();
        let is_start = |l: LocId| places.get(&l).is_some_and(|place| starts.contains(place));
        let main = self.inlined.main();
        cuts.extend(main.locations.ids().filter(|&l| l != main.entry && is_start(l)));
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    }

    /// Was a procedure left out when calls were inlined, because no call of it matters?
    pub(crate) fn is_dropped(&self, proc: ProcId) -> bool {
        self.programs[INLINING].procs[proc].edges.is_empty()
    }

    /// The locations that come from some of the inlined program, after each pass from inlining on.
    fn wanted(&self, proc: ProcId, mut first: Vec<LocId>) -> Vec<Vec<LocId>> {
        first.sort_unstable();
        let mut wanted = vec![first];
        for map in &self.prepared.1[INLINING + 1..] {
            let before = &wanted[wanted.len() - 1];
            // Between heads a formula depends on those of the heads around.
            let in_blocks = matches!(map.edges, EdgeMap::Blocks { .. });
            let is_wanted =
                |n: &LocId| in_blocks || before.binary_search(&map.origin(proc, *n).location).is_ok();
            let after = map.locations[proc].ids().filter(is_wanted).collect();
            wanted.push(after);
        }
        wanted
    }

    /// Where the locations of a procedure of the inlined program are in the one that was inlined after procedures were pruned. Both have
    /// the same chains of calls, as far as they are left.
    fn places(&self, proc: ProcId) -> FxHashMap<LocId, LocId> {
        let [pruned, inlined] = [0, INLINING].map(|n| &self.prepared.1[n]);
        let EdgeMap::Copies(edges) = &pruned.edges else { return FxHashMap::default() };
        let calls: FxHashMap<(Context, ProcId, EdgeId), Context> = self
            .inlined_map
            .contexts
            .iter_enumerated()
            .filter_map(|(context, call)| Some(((*call)?, context)))
            .collect();
        let mut contexts: IdVec<Context, Option<Context>> = IdVec::new();
        for call in &inlined.contexts {
            contexts.push(match call {
                None => Some(OUTERMOST),
                Some((parent, caller, edge)) => contexts[*parent].and_then(|parent| {
                    let edge = edges[*caller][*edge].as_ref()?.edge;
                    calls.get(&(parent, *caller, edge)).copied()
                }),
            });
        }
        let own: FxHashMap<(ProcId, LocId, Context), LocId> = self.inlined_map.locations[proc]
            .iter_enumerated()
            .map(|(l, o)| ((o.proc, o.location, o.context), l))
            .collect();
        let mut places = FxHashMap::default();
        for (l, o) in inlined.locations[proc].iter_enumerated() {
            let origin = pruned.origin(o.proc, o.location);
            let found = contexts[o.context].and_then(|c| own.get(&(origin.proc, origin.location, c)));
            if let Some(&found) = found {
                places.insert(found, l);
            }
        }
        places
    }
}

/// Nothing is known of a location, or that it cannot be reached.
fn unknown(is_reachable: bool) -> Alternatives {
    if is_reachable { vec![Vec::new()] } else { Vec::new() }
}

/// Drops the conjuncts that follow from equations of terms and numerals among them; false if one contradicts these.
fn simplify_parts(store: &mut Store, parts: &mut Vec<Term>) -> bool {
    let is_num = |store: &Store, t: Term| store.as_num(t).is_some();
    let mut subst = Substitution::new();
    let mut equations = FxHashSet::default();
    let mut is_known = FxHashSet::default();
    for &part in parts.iter().filter(|&&part| store.op(part) == Op::Eq) {
        let (a, b) = (store.arg(part, 0), store.arg(part, 1));
        let sides = [(a, b), (b, a)].into_iter().find(|&(t, c)| !is_num(store, t) && is_num(store, c));
        if let Some((t, c)) = sides.filter(|&(t, _)| is_known.insert(t)) {
            subst.insert(t, c);
            equations.insert(part);
        }
    }
    let mut is_possible = true;
    parts.retain(|&part| {
        let value = if equations.contains(&part) { part } else { subst.apply(store, part) };
        is_possible &= value != store.fls();
        value != store.tru()
    });
    is_possible
}

/// Alternatives as a formula. What all of them say is said once.
fn formula(store: &mut Store, alternatives: &Alternatives) -> Term {
    let Some((first, others)) = alternatives.split_first() else { return store.fls() };
    let others_say: Vec<FxHashSet<Term>> =
        others.iter().map(|parts| parts.iter().copied().collect()).collect();
    let is_common = |part: &Term| others_say.iter().all(|parts| parts.contains(part));
    let mut common: Vec<Term> = first.iter().copied().filter(is_common).collect();
    let said: FxHashSet<Term> = common.iter().copied().collect();
    let mut cases = Vec::with_capacity(alternatives.len());
    for parts in alternatives {
        let own: Vec<Term> = parts.iter().copied().filter(|part| !said.contains(part)).collect();
        cases.push(store.and(&own));
    }
    common.push(store.or(&cases));
    store.and(&common)
}

/// A formula as alternatives.
fn alternatives(store: &Store, formula: Term) -> Alternatives {
    match store.op(formula) {
        Op::False => Vec::new(),
        Op::Or => store.args(formula).iter().map(|&d| store.conjuncts(d)).collect(),
        _ => vec![store.conjuncts(formula)],
    }
}

/// What is said about a procedure of the prepared program.
pub(crate) struct Claims<'a> {
    pub(crate) proc: ProcId,
    /// At its locations. The others cannot be reached.
    pub(crate) at: &'a [(LocId, Term)],
    /// At each of them.
    pub(crate) always: &'a [Term],
    /// Other symbols than variables that may occur.
    pub(crate) constants: &'a FxHashSet<Func>,
}

/// What is said at some locations of the prepared program.
fn prepared_table(store: &Store, claims: &Claims<'_>, wanted: &[LocId]) -> Table {
    let at: FxHashMap<LocId, Term> = claims.at.iter().copied().collect();
    let of = |l: LocId| {
        let mut known = at.get(&l).map_or(Vec::new(), |&f| alternatives(store, f));
        known.iter_mut().for_each(|parts| parts.extend(claims.always));
        known
    };
    wanted.iter().map(|&l| (l, of(l))).collect()
}

/// The way back of what is known about a procedure through one pass.
struct Leg<'a> {
    proc: ProcId,
    /// The program that it was given.
    before: &'a Program,
    /// The program that it made.
    after: &'a Program,
    map: &'a BackMap,
    /// The intervals that it found.
    states: Option<&'a States>,
    /// Other symbols than variables that may occur.
    constants: &'a FxHashSet<Func>,
    /// The locations of that program that matter.
    old: &'a [LocId],
    /// The locations of the new program that come from them.
    new: &'a [LocId],
}

impl Leg<'_> {
    fn back(
        &self,
        store: &mut Store,
        mut after: Table,
        prophecies: &mut Vec<Prophecy>,
        separate: &mut Separate<'_>,
        budget: &Budget,
    ) -> Result<Table, Interrupt> {
        let mut cells = self.cells(store);
        let mut before = Table::default();
        for &n in self.new {
            let mut alternatives = after.remove(&n).unwrap_or_default();
            for part in alternatives.iter_mut().flatten() {
                *part = cells.as_mut().map_or(*part, |c| c.apply(store, *part));
            }
            let case = self.case(store, n);
            alternatives.iter_mut().for_each(|parts| parts.extend(&case));
            before.entry(self.map.origin(self.proc, n).location).or_default().append(&mut alternatives);
        }
        if matches!(self.map.edges, EdgeMap::Blocks { .. }) {
            self.add_between(store, &mut before, prophecies, separate, budget)?;
        }
        self.add_missing(store, &mut before);
        match self.map.grounds {
            Grounds::Influence => self.drop_stale(store, &mut before),
            Grounds::Intervals => self.add_bounds(store, &mut before),
            _ => {}
        }
        for l in self.old {
            for parts in before.get_mut(l).into_iter().flatten() {
                let mut seen = FxHashSet::default();
                parts.retain(|&p| p != store.tru() && seen.insert(p));
            }
        }
        Ok(before)
    }

    /// Adds formulas of locations that lie between heads.
    fn add_between(
        &self,
        store: &mut Store,
        table: &mut Table,
        prophecies: &mut Vec<Prophecy>,
        separate: &mut Separate<'_>,
        budget: &Budget,
    ) -> Result<(), Interrupt> {
        let inner: Vec<LocId> = self.old.iter().copied().filter(|l| !table.contains_key(l)).collect();
        if inner.is_empty() {
            return Ok(());
        }
        let mut at_heads = FxHashMap::default();
        for l in self.before.procs[self.proc].locations.ids() {
            if let Some(alternatives) = table.get(&l) {
                at_heads.insert(l, formula(store, alternatives));
            }
        }
        let place = (self.before, self.proc);
        let prophecies = (self.constants, prophecies);
        let found = formulas_between(store, place, prophecies, &at_heads, &inner, separate, budget)?;
        for (l, formula) in found {
            table.insert(l, alternatives(store, formula));
        }
        Ok(())
    }

    /// Adds the intervals that the pass relied on, of variables that may still be read.
    fn add_bounds(&self, store: &mut Store, table: &mut Table) {
        let Some(states) = self.states else { return };
        let mut uses = Uses::new(store, self.before);
        let effects = effects(self.before, &mut uses);
        let live = live_at(self.before, &mut uses, &effects)[self.proc].clone();
        for &l in self.old {
            let Some(alternatives) = table.get_mut(&l) else { continue };
            match &states[l] {
                Some(state) => {
                    let facts = facts(store, self.before, state, |v| live[l].contains(v), true);
                    alternatives.iter_mut().for_each(|parts| parts.extend(&facts));
                }
                None => alternatives.clear(),
            }
        }
    }

    /// Drops what is said about variables whose assignments were sliced away, except for what follows about others.
    fn drop_stale(&self, store: &mut Store, table: &mut Table) {
        let stale = self.stale();
        let mut found: Vec<(LocId, Vec<usize>)> = Vec::new();
        let mut uses = Uses::new(store, self.before);
        for &l in self.old {
            let mut is_stale = |part: Term| uses.of(part).iter().any(|&v| stale[l].contains(v));
            let alternatives = table.get(&l).into_iter().flatten().enumerate();
            let own = alternatives.filter(|(_, parts)| parts.iter().any(|&p| is_stale(p))).map(|(n, _)| n);
            found.push((l, own.collect()));
        }
        for (l, own) in found.into_iter().filter(|(_, own)| !own.is_empty()) {
            let Some(alternatives) = table.get_mut(&l) else { continue };
            let symbols = stale[l].iter().filter_map(|v| store.as_var(self.before.vars[v].term)).collect();
            for n in own {
                let parts = std::mem::take(&mut alternatives[n]);
                alternatives[n] = without(store, &symbols, parts);
            }
        }
    }

    /// The variables that may have another value at a location than before they were sliced.
    fn stale(&self) -> IdVec<LocId, VarSet> {
        let [old, new] = [self.before, self.after].map(|p| &p.procs[self.proc]);
        let outgoing = old.outgoing();
        let mut stale: IdVec<LocId, VarSet> = old.locations.iter().map(|_| VarSet::default()).collect();
        let mut queued: IdVec<LocId, bool> = old.locations.iter().map(|_| true).collect();
        let mut work: VecDeque<LocId> = old.locations.ids().collect();
        while let Some(l) = work.pop_front() {
            queued[l] = false;
            for &e in &outgoing[l] {
                let mut after = stale[l].clone();
                assigned(&old.edges[e]).into_iter().for_each(|v| _ = after.insert(v));
                assigned(&new.edges[e]).into_iter().for_each(|v| after.remove(v));
                let to = old.edges[e].to;
                if stale[to].union(&after) && !std::mem::replace(&mut queued[to], true) {
                    work.push_back(to);
                }
            }
        }
        stale
    }

    /// The prophecies about the new program, said of the one that the pass was given.
    fn prophecies_back(&self, store: &mut Store, prophecies: Vec<Prophecy>) -> Vec<Prophecy> {
        let mut cells = self.cells(store).unwrap_or_default();
        let origin = |l: LocId| Some(self.map.origin(self.proc, l).location);
        let moved = prophecies.into_iter().filter_map(|f| f.moved(origin));
        let in_blocks = matches!(self.map.edges, EdgeMap::Blocks { .. });
        let told = moved.map(|f| {
            let told = f.said(store, &mut cells);
            if in_blocks { told.within(store, self.before) } else { told }
        });
        told.collect()
    }

    /// The arrays whose cells the pass replaced, read at their indices, and the numerals that it made unknown.
    fn cells(&self, store: &mut Store) -> Option<Substitution> {
        let mut subst = Substitution::new();
        for Split { array, cells, .. } in &self.map.split {
            for &(index, cell) in cells {
                let read = store.select(self.before.vars[*array].term, index);
                subst.insert(self.after.vars[cell].term, read);
            }
        }
        if let Grounds::Numerals(numerals) = &self.map.grounds {
            numerals.iter().for_each(|&(v, n)| subst.insert(self.after.vars[v].term, n));
        }
        let is_used = !self.map.split.is_empty() || matches!(self.map.grounds, Grounds::Numerals(_));
        is_used.then_some(subst)
    }

    /// What holds at a copy of a location by the way that it was split.
    fn case(&self, store: &mut Store, n: LocId) -> Vec<Term> {
        match &self.map.grounds {
            Grounds::Constants(at) => {
                at[n].iter().map(|&(v, c)| store.eq(self.before.vars[v].term, c)).collect()
            }
            Grounds::Cases(at) => vec![at[n]],
            _ => Vec::new(),
        }
    }

    /// What is known where the pass left no location.
    fn add_missing(&self, store: &Store, table: &mut Table) {
        let reached = match self.map.grounds {
            Grounds::Graph => Some(reachable(store, &self.before.procs[self.proc])),
            _ => None,
        };
        let in_blocks = matches!(self.map.edges, EdgeMap::Blocks { .. });
        for &l in self.old {
            let is_possible = reached.as_ref().map_or(in_blocks, |r| r[l]);
            table.entry(l).or_insert_with(|| unknown(is_possible));
        }
    }
}

/// The variables that an edge assigns. A global that a callee assigns matters after the call, so that it is not sliced away.
fn assigned(edge: &Edge) -> Vec<VarId> {
    match &edge.action {
        Action::Step(step) => step.assigns.iter().map(|a| a.0).collect(),
        Action::Call(call) => call.result.into_iter().collect(),
    }
}
