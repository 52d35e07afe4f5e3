//! Vacuity: assertions that no execution reaches, and assumptions that no execution satisfies.
//!
//! A proof of a program in which nothing is checked is worth nothing. So after `safe` there are *probes*: the places where
//! an assertion is decided, and the places after assumptions. Executions on random inputs reach most of them. For the
//! others the engines are asked whether they can be reached at all, like for any error.

use super::testing::{Tester, constants};
use super::values::of_input;
use crate::report::{Shown, Vacuity};
use bolide_base::{Budget, IdVec};
use bolide_front::c::Task;
use bolide_front::c::hir::InstrKind;
use bolide_front::c::interp::Oracle;
use bolide_model::Trace;
use bolide_model::{
    Action, EdgeId, InputId, LocId, Outcome, ProcId, Procedure, Program, Property, PropertyId, Runner, Span,
};
use bolide_term::{Sort, Store};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many executions are tried, and how many steps one of them may have.
const TESTS: usize = 300;
const STEPS: u64 = 3000;
/// How many steps all of them may have, and the engines.
const TEST_STEPS: u64 = 300_000;
const PROOF_STEPS: u64 = 20_000;
/// Larger programs are only tested.
const LARGEST: usize = 30_000;
/// How many probes are reported.
const REPORTED: usize = 20;

/// A location of a program.
type Spot = (ProcId, LocId);

/// Something that ought to be reached.
struct Probe {
    kind: &'static str,
    text: String,
    span: Span,
    /// Where it is reached.
    spots: Vec<Spot>,
    /// If given, the probe counts only where this is reached.
    after: Option<Spot>,
}

/// Decides whether an error location of a program can be reached, with the engines of the task: a trace to it, or nothing if it
/// cannot; `None` if they do not know.
pub type Reach<'a> = dyn FnMut(&mut Store, &Program, &Budget) -> Option<Option<Trace>> + 'a;

/// What a proof of a task does not say.
pub fn examine(store: &mut Store, task: &Task, reach: &mut Reach<'_>, budget: &Budget) -> Vec<Vacuity> {
    let locations = task.program.procs.iter().flat_map(|p| &p.locations);
    if locations.filter(|l| l.error.is_some()).count() == 0 {
        let text = "The program has no property that an execution could violate: nothing was checked".into();
        return vec![Vacuity { kind: "nothing-to-check", text, place: None, shown: Shown::Proof }];
    }
    let mut open = probes(store, task);
    let (reached, is_tested) = test(store, task, &open, budget);
    open.retain(|p| !p.spots.iter().any(|s| reached.contains(s)));
    // What is behind an assumption that nobody reaches is not the fault of that assumption.
    open.retain(|p| p.after.is_none_or(|s| reached.contains(&s)));
    let is_proved = open.is_empty() || prove(store, task, &mut open, reach, budget);
    let shown = match (is_proved, is_tested) {
        (true, _) => Shown::Proof,
        (false, true) => Shown::Tests,
        (false, false) => return Vec::new(),
    };
    let report = |p: Probe| {
        let place = Some(task.source.position(p.span));
        Vacuity { kind: p.kind, text: p.text, place, shown }
    };
    open.into_iter().take(REPORTED).map(report).collect()
}

/// All probes of a task.
fn probes(store: &Store, task: &Task) -> Vec<Probe> {
    let flow = Flow::new(&task.program);
    let mut probes = Vec::new();
    let checked = task.program.properties.iter_enumerated().filter(|(id, _)| !task.unit.is_unsupported(*id));
    for (id, property) in checked {
        if let Some(spots) = flow.deciders(id).filter(|spots| !spots.is_empty()) {
            let text = format!("No execution decides this property: {}", property.name);
            let kind = "unreachable-assertion";
            probes.push(Probe { kind, text, span: property.span, spots, after: None });
        }
    }
    flow.calls_of_assertions(&mut probes);
    assumptions(store, task, &mut probes);
    probes
}

/// The places after assumptions.
fn assumptions(store: &Store, task: &Task, probes: &mut Vec<Probe>) {
    let instructions = task.unit.funcs.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.instrs);
    let assumed: FxHashSet<Span> =
        instructions.filter(|i| matches!(i.kind, InstrKind::Assume(_))).map(|i| i.span).collect();
    for (proc, procedure) in task.program.procs.iter_enumerated() {
        let outgoing = procedure.outgoing();
        let mut last: FxHashMap<Span, EdgeId> = FxHashMap::default();
        let mut order = Vec::new();
        for (e, edge) in procedure.edges.iter_enumerated() {
            let is_guard = edge.step().is_some_and(|s| s.guard != store.tru() && s.inputs.is_empty());
            let is_assumption = is_guard && assumed.contains(&edge.span) && outgoing[edge.from].len() == 1;
            if is_assumption && last.insert(edge.span, e).is_none() {
                order.push(edge.span);
            }
        }
        for span in order {
            let edge = &procedure.edges[last[&span]];
            probes.push(Probe {
                kind: "contradictory-assumption",
                text: "No execution satisfies this assumption".into(),
                span,
                spots: vec![(proc, edge.to)],
                after: Some((proc, edge.from)),
            });
        }
    }
}

/// The edges of a program by where they lead.
struct Flow<'a> {
    program: &'a Program,
    incoming: IdVec<ProcId, IdVec<LocId, Vec<EdgeId>>>,
    outgoing: IdVec<ProcId, IdVec<LocId, Vec<EdgeId>>>,
    /// The error locations of each property.
    errors: FxHashMap<PropertyId, Vec<Spot>>,
    /// The locations that each procedure is called from, with the text of the call.
    callers: IdVec<ProcId, Vec<(Spot, Span)>>,
}

impl<'a> Flow<'a> {
    fn new(program: &'a Program) -> Flow<'a> {
        let mut callers: IdVec<ProcId, Vec<(Spot, Span)>> =
            program.procs.iter().map(|_| Vec::new()).collect();
        let mut errors: FxHashMap<PropertyId, Vec<Spot>> = FxHashMap::default();
        for (proc, procedure) in program.procs.iter_enumerated() {
            for (l, location) in procedure.locations.iter_enumerated() {
                if let Some(property) = location.error {
                    errors.entry(property).or_default().push((proc, l));
                }
            }
            for edge in &procedure.edges {
                if let Action::Call(call) = &edge.action {
                    callers[call.callee].push(((proc, edge.from), edge.span));
                }
            }
        }
        let incoming = program.procs.iter().map(Procedure::incoming).collect();
        let outgoing = program.procs.iter().map(Procedure::outgoing).collect();
        Flow { program, incoming, outgoing, errors, callers }
    }

    /// The locations where it is decided whether a property is violated: the last ones with a choice on the ways to the
    /// error. Nothing if there is a way without any choice, or if the property is decided in an assertion of the user's
    /// own, whose calls are probed instead.
    fn deciders(&self, property: PropertyId) -> Option<Vec<Spot>> {
        let mut targets: Vec<Spot> = self.errors.get(&property).cloned().unwrap_or_default();
        let mut seen: FxHashSet<Spot> = targets.iter().copied().collect();
        let mut deciders = Vec::new();
        while let Some((proc, location)) = targets.pop() {
            let procedure = &self.program.procs[proc];
            let mut before: Vec<Spot> = Vec::new();
            if location == procedure.entry {
                if proc == self.program.entry {
                    return None;
                }
                before.extend(self.callers[proc].iter().map(|c| c.0));
            }
            for &e in &self.incoming[proc][location] {
                let from = procedure.edges[e].from;
                match self.outgoing[proc][from].len() {
                    1 => before.push((proc, from)),
                    _ if self.is_assertion(proc) => return None,
                    _ => deciders.push((proc, from)),
                }
            }
            targets.extend(before.into_iter().filter(|&s| seen.insert(s)));
        }
        Some(deciders)
    }

    /// Is the procedure an assertion of the user's own?
    fn is_assertion(&self, proc: ProcId) -> bool {
        proc != self.program.entry
            && !self.callers[proc].is_empty()
            && self.program.procs[proc].name.to_ascii_lowercase().contains("assert")
    }

    /// A probe for each call of an assertion.
    fn calls_of_assertions(&self, probes: &mut Vec<Probe>) {
        for (proc, procedure) in self.program.procs.iter_enumerated() {
            let has_error = procedure.locations.iter().any(|l| l.error.is_some());
            if !has_error || !self.is_assertion(proc) {
                continue;
            }
            for &(spot, span) in &self.callers[proc] {
                probes.push(Probe {
                    kind: "unreachable-assertion",
                    text: format!("No execution reaches this call of {}", procedure.name),
                    span,
                    spots: vec![spot],
                    after: None,
                });
            }
        }
    }
}

/// The locations that executions on chosen inputs reach, and whether there were any executions.
fn test(store: &Store, task: &Task, probes: &[Probe], budget: &Budget) -> (FxHashSet<Spot>, bool) {
    let budget = budget.clone().with_steps(TEST_STEPS);
    let program = &task.program;
    let constants = constants(store, task);
    let mut reached: FxHashSet<Spot> = FxHashSet::default();
    let mut state = 0x2545_f491_4f6c_dd1d;
    let mut tests = 0;
    while tests < TESTS && !budget.exhausted() {
        if probes.iter().all(|p| p.spots.iter().any(|s| reached.contains(s))) {
            break;
        }
        let mut tester = Tester::new(task, &constants, state, tests % 6);
        let input = |site: InputId| {
            let input = &program.inputs[site];
            let is_number = input.sort == Sort::INT || store.float_format(input.sort).is_some();
            let chosen = is_number.then(|| tester.scalar(site));
            let value = chosen.and_then(|value| of_input(store, program, site, value));
            value.unwrap_or_else(|| program.default_value(store, input.sort, input.range))
        };
        let steps = budget.clone().with_steps(STEPS);
        let (_, trace) = Runner::new(store, program, &[]).run(store, input, &steps);
        for step in &trace.steps {
            let edge = &program.procs[step.proc].edges[step.edge];
            reached.extend([(step.proc, edge.from), (step.proc, edge.to)]);
        }
        state = tester.random();
        tests += 1;
    }
    (reached, tests > 0)
}

/// Asks the engines about probes until all that are left cannot be reached; those that can are dropped. False if the
/// engines do not know.
fn prove(
    store: &mut Store,
    task: &Task,
    open: &mut Vec<Probe>,
    reach: &mut Reach<'_>,
    budget: &Budget,
) -> bool {
    if task.program.size().0 > LARGEST {
        return false;
    }
    let budget = budget.clone().with_steps(PROOF_STEPS);
    while !open.is_empty() {
        let program = marked(&task.program, open);
        let trace = match reach(store, &program, &budget) {
            Some(None) => return true,
            Some(Some(trace)) => trace,
            None => return false,
        };
        let mut runner = Runner::new(store, &program, &trace.initial);
        let Some(Outcome::Error(_)) = runner.replay(store, &trace) else { return false };
        let reached = runner.position();
        open.retain(|p| !p.spots.contains(&reached));
    }
    true
}

/// The program with probes for errors.
fn marked(program: &Program, probes: &[Probe]) -> Program {
    let mut marked = program.clone();
    let property = |p: &Probe| Property { name: p.text.clone(), span: p.span };
    marked.properties = probes.iter().map(property).collect();
    marked.procs.iter_mut().flat_map(|p| p.locations.iter_mut()).for_each(|l| l.error = None);
    for (id, probe) in marked.properties.ids().zip(probes) {
        for &(proc, location) in &probe.spots {
            marked.procs[proc].locations[location].error = Some(id);
        }
    }
    marked
}
