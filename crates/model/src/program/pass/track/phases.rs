//! Loops in phases: before their counter comes to the place of a cell, and after.
//!
//! A loop that runs over an array touches a cell in one round. What holds of the cell before that round and after it are two
//! facts, and an invariant of the loop needs both, each under a condition on the counter. Interpolants are bad at such
//! disjunctions. So the head of the loop is split: a copy for the rounds up to the place, one for those after it, and one for
//! a loop that started beyond it and never comes there. The condition is control flow then, and what is left to find is one
//! fact for each copy. As phases of loops have been split for numerical programs (Sharma, Dillig, Dillig and Aiken, CAV 2011).
//!
//! Rounds that only count are taken in one step, however many they are: otherwise every path through a loop of a thousand rounds
//! would be refuted by the number of its rounds.
//!
//! Whatever is split, the result has all executions of the program: on every edge into a head all phases are possible, each
//! under its condition.

use crate::program::back::map::{BackMap, Copy, Grounds, OUTERMOST, Origin};
use crate::program::pass::blocks::back_edges;
use crate::{Action, Edge, EdgeId, Input, InputId, LocId, ProcId, Procedure, Program, Span, Step, VarId};
use bolide_base::{IdVec, Rational};
use bolide_term::{Func, Op, Sort, Store, Substitution, Term};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashSet;

/// How many places the rounds of one loop are told apart by.
const PLACES: usize = 2;
/// Programs that would have more locations or edges are left alone.
const MAX_LOCATIONS: usize = 200;
const MAX_EDGES: usize = 1_000;

/// How the loops of a program are split.
#[derive(Clone, Debug)]
pub(super) struct Phases {
    loops: Vec<Loop>,
}

#[derive(Clone, Debug)]
struct Loop {
    head: LocId,
    /// Its locations.
    body: FxHashSet<LocId>,
    /// By what its rounds are told apart.
    splits: Vec<Split>,
}

/// A counter of a loop, and a place that it runs over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Split {
    variable: VarId,
    counter: Term,
    place: Term,
    direction: Direction,
}

/// Where the counter of a loop is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Phase {
    /// Not beyond the place.
    Before,
    /// Beyond it, after it was there.
    After,
    /// Beyond it since the loop began.
    Skipped,
}

/// The phases of all loops at a location; those of loops around it are known.
type Phased = Vec<Option<Phase>>;

/// The copies of locations.
type Copies = IndexSet<(LocId, Phased)>;

/// What an edge of the program leads from and to, by the numbers of copies.
type Links = Vec<(usize, usize, EdgeId)>;

impl Phases {
    /// How to split the loops of a program with cells at some places; `None` if no loop runs over one of them, or if there are
    /// too many copies.
    pub(super) fn plan(store: &mut Store, program: &Program, places: &[Term]) -> Option<Phases> {
        let main = program.main();
        let mut loops = Vec::new();
        for (head, body) in natural_loops(main) {
            if body.contains(&main.entry) {
                return None;
            }
            let mut splits = splits(store, program, &body, places);
            splits.truncate(PLACES);
            if !splits.is_empty() {
                loops.push(Loop { head, body, splits });
            }
        }
        let phases = Phases { loops };
        let (nodes, edges) = phases.explore(main);
        let is_small = nodes.len() <= MAX_LOCATIONS && edges.len() <= MAX_EDGES;
        (is_small && !phases.loops.is_empty()).then_some(phases)
    }

    /// The program with its loops split.
    pub(super) fn apply(&self, store: &mut Store, program: &Program) -> (Program, BackMap) {
        let main = program.main();
        let (nodes, edges) = self.explore(main);
        let mut new = program.clone();
        let rounds = new.inputs.push(Input {
            name: "rounds that only count".into(),
            sort: Sort::INT,
            range: None,
            preferred: None,
            span: Span::default(),
        });
        let mut out = Procedure {
            params: main.params.clone(),
            result: main.result,
            ..Procedure::new(&*main.name, main.span)
        };
        let (mut origins, mut cases) = (IdVec::new(), IdVec::new());
        for (n, (location, phased)) in nodes.iter().enumerate() {
            origins.push(Origin { proc: program.entry, location: *location, context: OUTERMOST });
            cases.push(self.case(store, *location, phased));
            let copy = main.locations[*location].clone();
            if n < 2 {
                out.locations[LocId::new(n)] = copy;
            } else {
                out.locations.push(copy);
            }
        }
        for (from, to, edge) in edges {
            let original = &main.edges[edge];
            let Some(step) = original.step() else { continue };
            let step = self.step(store, program, step, &nodes[from], &nodes[to], rounds);
            let [from, to] = [from, to].map(LocId::new);
            out.edges.push(Edge { from, to, action: Action::Step(step), ..original.clone() });
        }
        new.procs[program.entry] = out;
        let mut map = BackMap { grounds: Grounds::Cases(cases), ..BackMap::identity(&new, no_copies(&new)) };
        map.locations[program.entry] = origins;
        (new, map)
    }

    /// A step from one copy of a location to another one.
    fn step(
        &self,
        store: &mut Store,
        program: &Program,
        step: &Step,
        from: &(LocId, Phased),
        to: &(LocId, Phased),
        rounds: InputId,
    ) -> Step {
        let case = self.case(store, to.0, &to.1);
        let mut after = Substitution::new();
        step.assigns.iter().for_each(|&(v, t)| after.insert(program.vars[v].term, t));
        let case = after.apply(store, case);
        let mut guard = store.and(&[step.guard, case]);
        let mut assigns = step.assigns.clone();
        let phases = from.1.iter().zip(&to.1);
        for ((head, split), (&before, &after)) in self.splits().zip(phases) {
            let Some(phase) = before.filter(|_| head == from.0) else { continue };
            let progress = split.progress(store, &assigns);
            let goes_back = phase != Phase::Before && after == Some(Phase::Before);
            if goes_back && progress.as_ref().is_some_and(|d| !d.is_negative()) {
                guard = store.fls();
            }
            let Some(is_there) = split.is_there(phase, after.filter(|_| head == to.0), progress) else {
                continue;
            };
            let terms: Vec<Term> = [guard].into_iter().chain(assigns.iter().map(|a| a.1)).collect();
            let mut known = Substitution::new();
            for t in store.post_order(terms).collect::<Vec<_>>() {
                if split.is_meeting(store, t) {
                    known.insert(t, store.bool(is_there));
                }
            }
            guard = known.apply(store, guard);
            assigns.iter_mut().for_each(|(_, t)| *t = known.apply(store, *t));
        }
        assigns.retain(|&(v, t)| t != program.vars[v].term);
        let mut inputs = step.inputs.clone();
        if from == to
            && let Some(moves) = moves(store, program, &assigns)
        {
            // Any number of rounds that only count. The last one of them is possible.
            let count = store.fresh_var("rounds", Sort::INT);
            let one = store.int(1);
            let others = store.sub(count, one);
            let mut last = Substitution::new();
            assigns.clear();
            for (v, step) in moves {
                let counter = program.vars[v].term;
                let [before, all] = [others, count].map(|n| store.scale(&step, n));
                last.insert(counter, store.add(&[counter, before]));
                assigns.push((v, store.add(&[counter, all])));
            }
            let is_possible = last.apply(store, guard);
            let is_some = store.le(one, count);
            guard = store.and(&[is_possible, is_some]);
            inputs.push((count, rounds));
        }
        let case = self.case(store, from.0, &from.1);
        let guard = store.and(&[guard, case]);
        Step { guard, assigns, inputs }
    }

    /// All splits, with the heads of their loops.
    fn splits(&self) -> impl Iterator<Item = (LocId, &Split)> {
        self.loops.iter().flat_map(|l| l.splits.iter().map(|s| (l.head, s)))
    }

    /// What holds at a copy of a location.
    fn case(&self, store: &mut Store, location: LocId, phased: &Phased) -> Term {
        let mut parts = Vec::new();
        for ((_, split), phase) in self.splits().zip(phased).filter(|((head, _), _)| *head == location) {
            let before = split.is_not_before(store, split.place, split.counter);
            match phase {
                Some(Phase::Before) => parts.push(before),
                Some(_) => parts.push(store.not(before)),
                None => {}
            }
        }
        store.and(&parts)
    }

    /// The copies of locations, the entry and the exit first, and the edges between them.
    fn explore(&self, main: &Procedure) -> (Copies, Links) {
        let none: Phased = self.splits().map(|_| None).collect();
        let mut nodes = Copies::new();
        nodes.insert((main.entry, none.clone()));
        nodes.insert((main.exit, none));
        let outgoing = main.outgoing();
        let mut edges = Vec::new();
        let mut n = 0;
        while n < nodes.len() && nodes.len() <= MAX_LOCATIONS && edges.len() <= MAX_EDGES {
            let (location, phased) = nodes[n].clone();
            for &edge in &outgoing[location] {
                for after in self.after(&phased, main.edges[edge].to) {
                    let to = nodes.insert_full((main.edges[edge].to, after)).0;
                    edges.push((n, to, edge));
                }
            }
            n += 1;
        }
        (nodes, edges)
    }

    /// The phases after an edge to a location.
    fn after(&self, phased: &Phased, to: LocId) -> Vec<Phased> {
        let mut all: Vec<Phased> = vec![Vec::with_capacity(phased.len())];
        let mut at = phased.iter().copied();
        for l in &self.loops {
            for phase in l.splits.iter().map(|_| at.next().flatten()) {
                let next: &[Option<Phase>] = match phase {
                    _ if !l.body.contains(&to) => &[None],
                    _ if l.head != to => &[phase],
                    None => &[Some(Phase::Before), Some(Phase::Skipped)],
                    Some(Phase::Before) => &[Some(Phase::Before), Some(Phase::After)],
                    Some(Phase::After) => &[Some(Phase::After), Some(Phase::Before)],
                    Some(Phase::Skipped) => &[Some(Phase::Skipped), Some(Phase::Before)],
                };
                let old = std::mem::take(&mut all);
                for phases in old {
                    all.extend(next.iter().map(|&p| phases.iter().copied().chain([p]).collect()));
                }
            }
        }
        all
    }
}

impl Split {
    /// How far the counter comes with some assignments, if that is known.
    fn progress(&self, store: &Store, assigns: &[(VarId, Term)]) -> Option<Rational> {
        let value = assigns.iter().find(|a| a.0 == self.variable).map_or(self.counter, |a| a.1);
        let difference = store.linear_difference(value, self.counter);
        difference.terms.is_empty().then_some(match self.direction {
            Direction::Down => -difference.constant,
            _ => difference.constant,
        })
    }

    /// Is the counter at the place before a step between two phases that brings it forward? `None` if that is not known.
    fn is_there(&self, before: Phase, after: Option<Phase>, progress: Option<Rational>) -> Option<bool> {
        match (before, after?, progress) {
            (Phase::Before, Phase::Before, Some(d)) if !d.is_negative() && !d.is_zero() => Some(false),
            (Phase::Before, Phase::After, Some(d)) if d.is_one() => Some(true),
            (Phase::After | Phase::Skipped, ..) => Some(false),
            _ => None,
        }
    }

    /// Is a term the equation of the counter and the place?
    fn is_meeting(&self, store: &mut Store, t: Term) -> bool {
        meeting(store, t, self.counter) == Some(self.place)
    }

    /// That the counter comes to one value not before another one.
    fn is_not_before(&self, store: &mut Store, one: Term, other: Term) -> Term {
        match self.direction {
            Direction::Down => store.le(one, other),
            _ => store.le(other, one),
        }
    }
}

/// How far some assignments move their variables, if they only count.
fn moves(store: &Store, program: &Program, assigns: &[(VarId, Term)]) -> Option<Vec<(VarId, Rational)>> {
    let step = |&(v, t): &(VarId, Term)| {
        let is_number = program.vars[v].sort == Sort::INT;
        let difference = is_number.then(|| store.linear_difference(t, program.vars[v].term))?;
        difference.terms.is_empty().then_some((v, difference.constant))
    };
    let moves: Option<Vec<_>> = assigns.iter().map(step).collect();
    moves.filter(|m| !m.is_empty())
}

/// The value of a counter that makes an equation true: the sum of what else is in it.
fn meeting(store: &mut Store, equation: Term, counter: Term) -> Option<Term> {
    if store.op(equation) != Op::Eq || store.sort_of(store.arg(equation, 0)) != Sort::INT {
        return None;
    }
    let difference = store.linear_difference(store.arg(equation, 0), store.arg(equation, 1));
    let (_, factor) = difference.terms.iter().find(|(t, _)| *t == counter)?;
    if !factor.is_one() && *factor != Rational::MINUS_ONE {
        return None;
    }
    let mut rest = vec![store.num(-(&difference.constant * factor), Sort::INT)];
    for (part, c) in difference.terms.iter().filter(|(t, _)| *t != counter) {
        rest.push(store.scale(&-(c * factor), *part));
    }
    Some(store.add(&rest))
}

/// Edges that have no way back for traces.
fn no_copies(program: &Program) -> IdVec<ProcId, IdVec<EdgeId, Option<Copy>>> {
    program.procs.iter().map(|p| p.edges.iter().map(|_| None).collect()).collect()
}

/// The loops of a procedure: their heads, each with the locations from which it is reached again without passing it.
fn natural_loops(main: &Procedure) -> IndexMap<LocId, FxHashSet<LocId>> {
    let incoming = main.incoming();
    let mut loops: IndexMap<LocId, FxHashSet<LocId>> = IndexMap::new();
    for edge in back_edges(main, &main.outgoing()) {
        let Edge { from, to: head, .. } = main.edges[edge];
        let body = loops.entry(head).or_insert_with(|| FxHashSet::from_iter([head]));
        let mut work = vec![from];
        while let Some(l) = work.pop() {
            if body.insert(l) {
                work.extend(incoming[l].iter().map(|&e| main.edges[e].from));
            }
        }
    }
    loops.sort_unstable_keys();
    loops
}

/// The counters of a loop and the places that they run over.
fn splits(store: &mut Store, program: &Program, body: &FxHashSet<LocId>, places: &[Term]) -> Vec<Split> {
    let of_places = store.symbols(places.iter().copied());
    let edges = program.main().edges.iter().filter(|e| body.contains(&e.from) && body.contains(&e.to));
    let steps: Vec<&Step> = edges.filter_map(Edge::step).collect();
    let mut directions: IndexMap<VarId, Option<Direction>> = IndexMap::new();
    for &(v, t) in steps.iter().flat_map(|s| &s.assigns) {
        let own = direction(store, t, program.vars[v].term);
        let known = directions.entry(v).or_insert(Some(Direction::Still));
        *known = known.zip(own).and_then(|(a, b)| a.and(b));
    }
    let vars = program.var_of_symbol(store);
    let is_equation = |t: &Term| store.op(*t) == Op::Eq;
    let equations: Vec<Term> =
        store.post_order(steps.iter().flat_map(|s| s.terms())).filter(is_equation).collect();
    let mut out: IndexSet<Split> = IndexSet::new();
    for t in equations {
        for f in store.symbols([t]) {
            let Some(&variable) = vars.get(&f) else { continue };
            let Some(direction) = directions.get(&variable).copied().flatten() else { continue };
            let counter = program.vars[variable].term;
            let Some(place) = meeting(store, t, counter).filter(|_| direction != Direction::Still) else {
                continue;
            };
            if store.post_order([place]).any(|t| matches!(store.op(t), Op::Ite | Op::Mod | Op::Div)) {
                continue;
            }
            let symbols = store.symbols([place]);
            let is_moving = |f: &Func| vars.get(f).is_some_and(|v| directions.contains_key(v));
            if !symbols.is_empty() && symbols.iter().all(|f| of_places.contains(f) && !is_moving(f)) {
                out.insert(Split { variable, counter, place, direction });
            }
        }
    }
    // A counter that goes on one by one comes to its place.
    let all = || steps.iter().flat_map(|s| &s.assigns);
    let is_slow = |split: &Split| {
        let mut own = all().filter(|a| a.0 == split.variable);
        own.all(|a| split.progress(store, &[*a]).is_none_or(|d| d.is_zero() || d.is_one()))
    };
    if out.iter().any(is_slow) {
        out.retain(is_slow);
    }
    out.into_iter().collect()
}

/// How a variable moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Direction {
    Still,
    Up,
    Down,
}

impl Direction {
    /// The direction of a variable that moves in either way, if that is one direction.
    fn and(self, other: Direction) -> Option<Direction> {
        match (self, other) {
            (Direction::Still, d) | (d, Direction::Still) => Some(d),
            (a, b) => (a == b).then_some(a),
        }
    }
}

/// How a variable moves if it is assigned a term, as long as nothing wraps around.
fn direction(store: &mut Store, value: Term, variable: Term) -> Option<Direction> {
    let smallest_wrap = Rational::from(1 << 7);
    let mut sums = vec![value];
    let mut found = Some(Direction::Still);
    while let Some(t) = sums.pop() {
        let own = match store.op(t) {
            Op::Ite => {
                sums.extend([store.arg(t, 1), store.arg(t, 2)]);
                Some(Direction::Still)
            }
            _ => {
                let t = without_wraps(store, t);
                let difference = store.linear_difference(t, variable);
                match difference.terms.is_empty() {
                    true if difference.constant.abs() >= smallest_wrap => Some(Direction::Still),
                    true if difference.constant.is_zero() => Some(Direction::Still),
                    true if difference.constant.is_negative() => Some(Direction::Down),
                    true => Some(Direction::Up),
                    false => None,
                }
            }
        };
        found = found.zip(own).and_then(|(a, b)| a.and(b));
    }
    found
}

/// A sum without the remainders in it.
fn without_wraps(store: &mut Store, t: Term) -> Term {
    let zero = store.int(0);
    let sum = store.linear_difference(t, zero);
    let mut parts = vec![store.num(sum.constant.clone(), Sort::INT)];
    for (part, c) in &sum.terms {
        let part = if store.op(*part) == Op::Mod { store.arg(*part, 0) } else { *part };
        parts.push(store.scale(c, part));
    }
    store.add(&parts)
}
