//! The evidence for a verdict on a C program, in the words of the program.

use super::certify::Kept;
use super::proof::Proof;
use super::{checks, contracts, inputs, trace, witness};
use crate::cache::Accepted;
use crate::report::{About, Assumption, Fact, PropertyReport, Report, Subject};
use crate::{Reason, ReasonCode, Verdict};
use bolide_base::{Budget, IBig, Rational};
use bolide_cert::program as cert;
use bolide_front::c::interp::{End, Event, Fault, Given, Interpreter, Oracle, Part, Replay};
use bolide_front::c::{Expressions, Task};
use bolide_model::Trace;
use bolide_model::{InputId, LocId, Outcome, Procedure, Program, PropertyId, Runner, Span, VarId};
use bolide_smtlib::print_term;
use bolide_term::{Func, Op, Store, Term};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Formulas longer than this are left out of reports.
pub(super) const LONGEST_FORMULA: usize = 2000;

/// The report on a proof.
pub fn proved(
    store: &mut Store,
    task: &Task,
    subject: &Subject,
    prepared: &Program,
    proof: &Proof,
) -> Report {
    let verdict = match proof {
        Proof::Summaries(summaries) => Verdict::safe(&summaries.solution.interpretation),
        Proof::Invariant(_, invariant)
        | Proof::Bounded(_, _, invariant)
        | Proof::Abstract(_, _, invariant)
        | Proof::Words(_, invariant)
        | Proof::Skipped(_, invariant) => Verdict::safe(invariant),
        Proof::Execution(executed) => Verdict::safe(executed),
        Proof::Shapes(shapes) => Verdict::safe(shapes),
        Proof::Unwinding(ended) => Verdict::safe(ended),
        Proof::Boxes(boxes) => Verdict::safe(boxes),
    };
    let mut report = safe(store, task, subject, prepared, verdict, proof.of_main());
    if let Proof::Summaries(summaries) = proof {
        let mut places = witness::places(store, prepared.main(), proof.of_main());
        for contract in &summaries.contracts {
            let facts = contracts::facts(store, task, (prepared, &summaries.entry), contract);
            report.invariant.extend(facts);
            places.extend(witness::places(store, &prepared.procs[contract.proc], &contract.at));
        }
        report.invariant.sort_by_key(|f| (f.place.line, f.place.column));
        report.evidence = witness::correctness(store, task, subject, prepared, &places);
    }
    report
}

/// The report on a verdict with what holds at locations of the main procedure.
fn safe(
    store: &mut Store,
    task: &Task,
    subject: &Subject,
    prepared: &Program,
    verdict: Verdict,
    formulas: &[(LocId, Term)],
) -> Report {
    let mut invariant = facts(store, task, prepared, formulas);
    invariant.sort_by_key(|f| (f.place.line, f.place.column));
    let places = witness::places(store, prepared.main(), formulas);
    let evidence = witness::correctness(store, task, subject, prepared, &places);
    Report {
        properties: properties(task, |_| verdict.clone()),
        invariant,
        evidence,
        assumptions: assumptions(task),
        ..Report::new(verdict)
    }
}

/// The report if there is no verdict.
pub fn unknown(task: &Task, reason: Reason) -> Report {
    Report { assumptions: assumptions(task), ..Report::new(Verdict::unknown(reason)) }
}

/// The report on a verdict whose certificate was found and checked; `None` if it cannot be told in the words of the program.
pub fn recall(
    mut store: Store,
    task: &Task,
    subject: &Subject,
    prepared: &Program,
    found: &Accepted,
    budget: &Budget,
) -> Option<(Report, Option<Kept>)> {
    let certificate = found.certificate();
    if certificate.verdict == bolide_cert::Verdict::Unsafe {
        let run = execute(task, Replay::read(certificate.section("inputs")?).ok()?, budget)?;
        let report = reached(task, subject, &run, budget);
        return Some((report, Some(Kept::Inputs(run.inputs))));
    }
    if certificate.option(cert::BY).is_some() {
        return Some((safe(&mut store, task, subject, prepared, Verdict::certified(found), &[]), None));
    }
    let section = certificate.section("invariant")?;
    // The formulas may be about another form of the program than the one at hand.
    let forms = [cert::RECURSION, cert::ABSTRACTION, cert::BLOCKS, cert::CALLS];
    let other = forms.iter().find_map(|o| certificate.option(o));
    let formulas = match other {
        Some(_) => Vec::new(),
        None => cert::read_invariant(&mut store, prepared, section).ok()?,
    };
    let report = safe(&mut store, task, subject, prepared, Verdict::certified(found), &formulas);
    let reachable: Vec<_> = formulas.into_iter().filter(|(_, f)| *f != store.fls()).collect();
    let places = cert::write_places(&task.source, prepared, &reachable);
    let kept = other.is_none().then_some(Kept::Places(places));
    Some((report, kept))
}

/// The run with inputs that are made simpler first; `None` if it does not run into an error.
pub fn of_test(task: &Task, inputs: Replay, budget: &Budget) -> Option<Run> {
    let run = execute(task, inputs, budget)?;
    Some(simplified(task, run, budget))
}

fn assumptions(task: &Task) -> Vec<Assumption> {
    let assumption = |a: &bolide_model::Assumption| {
        let place = (a.span != Span::default()).then(|| task.source.position(a.span));
        Assumption { text: a.text.clone(), place }
    };
    task.program.assumptions.iter().map(assumption).collect()
}

/// The report on a run into an error.
pub fn reached(task: &Task, subject: &Subject, run: &Run, budget: &Budget) -> Report {
    let others = Reason::new(ReasonCode::NotDecided, "not decided: another property is violated");
    let verdict = Verdict::r#unsafe(run);
    let of = |id| if id == run.violated { verdict.clone() } else { Verdict::unknown(others.clone()) };
    let mut properties = properties(task, of);
    if let Some(violated) = properties.get_mut(run.violated.index()) {
        violated.place = Some(task.source.position(checks::violation(task, run)));
    }
    Report {
        properties,
        trace: trace::steps(task, run),
        inputs: inputs::examine(task, run, budget),
        evidence: witness::violation(task, subject, run),
        assumptions: assumptions(task),
        ..Report::new(verdict.clone())
    }
}

fn properties(task: &Task, verdict: impl Fn(PropertyId) -> Verdict) -> Vec<PropertyReport> {
    let property = |(id, p): (PropertyId, &bolide_model::Property)| PropertyReport {
        name: p.name.clone(),
        place: checks::place(task, id),
        verdict: verdict(id),
    };
    task.program.properties.iter_enumerated().map(property).collect()
}

/// The invariant at the places where the prepared program has locations. Copies of a location share its place, and what
/// holds there is what holds in one of them.
fn facts(store: &mut Store, task: &Task, prepared: &Program, formulas: &[(LocId, Term)]) -> Vec<Fact> {
    let at = by_place(store, prepared, prepared.main(), formulas);
    let expressions = Expressions::new(store, prepared, None);
    let mut facts = Vec::new();
    for (span, formula) in at {
        if formula == store.tru() || !task.source.is_own(span) {
            continue;
        }
        let formula = expressions.write(formula).unwrap_or_else(|| print_term(store, formula).to_string());
        if formula.len() <= LONGEST_FORMULA {
            facts.push(Fact { place: task.source.position(span), about: About::Place, formula });
        }
    }
    facts
}

/// What holds at the places of a procedure, apart from its entry and exit.
pub(super) fn by_place(
    store: &mut Store,
    program: &Program,
    p: &Procedure,
    formulas: &[(LocId, Term)],
) -> Vec<(Span, Term)> {
    let vars = program.var_of_symbol(store);
    let mut at: BTreeMap<(u32, u32), Vec<Term>> = BTreeMap::new();
    for &(location, formula) in formulas {
        let is_bound = location == p.entry || location == p.exit;
        if !is_bound && formula != store.fls() {
            let span = p.locations[location].span;
            let formula = without_ranges(store, program, &vars, formula);
            at.entry((span.start, span.end)).or_default().push(formula);
        }
    }
    at.into_iter().map(|((start, end), f)| (Span { start, end }, store.or(&f))).collect()
}

/// A run of the C program into an error. Only the interpreter makes one, by executing the program.
pub(crate) struct Run {
    violated: PropertyId,
    events: Vec<Event>,
    inputs: Replay,
    values: Vec<Given>,
    fault: Option<Fault>,
}

impl Run {
    /// What was wrong with an access to memory.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// The property that it violates.
    pub fn violated(&self) -> PropertyId {
        self.violated
    }

    /// What happened on the way.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What came from outside.
    pub fn inputs(&self) -> Replay {
        self.inputs.clone()
    }

    /// The same inputs with other scalars.
    pub fn with_scalars(&self, scalars: &[Given]) -> Replay {
        self.inputs.with_scalars(scalars)
    }

    /// The scalars among the inputs in the order in which they were asked for.
    pub fn values(&self) -> &[Given] {
        &self.values
    }
}

/// Serves inputs and remembers their order.
pub struct Recorder {
    inputs: Replay,
    /// The scalars in the order in which they were asked for.
    pub values: Vec<Given>,
}

impl Recorder {
    /// Serves these inputs.
    pub fn new(inputs: Replay) -> Recorder {
        Recorder { inputs, values: Vec::new() }
    }
}

impl Oracle for Recorder {
    fn scalar(&mut self, site: InputId) -> i128 {
        let value = self.inputs.scalar(site);
        self.values.push((site, value).into());
        value
    }

    fn steady(&self, site: InputId) -> Option<(i128, u64)> {
        self.inputs.steady(site)
    }

    fn repeat(&mut self, site: InputId, times: u64) {
        let value = self.inputs.steady(site).map_or(0, |s| s.0);
        self.inputs.repeat(site, times);
        self.values.push(Given { site, value, times });
    }

    fn object(&mut self, site: InputId) -> Vec<Part> {
        self.inputs.object(site)
    }

    fn memory(&mut self) -> Vec<(i128, u32, i128)> {
        self.inputs.memory()
    }
}

/// Executes the trace on the program as it was read and on the typed C program; only an error there is an error.
pub fn replay(store: &Store, task: &Task, trace: &Trace, budget: &Budget) -> Result<Run, Reason> {
    let mut runner = Runner::new(store, &task.program, &trace.initial);
    let Some(Outcome::Error(property)) = runner.replay(store, trace) else {
        let text = "the trace of an error does not replay on the program";
        return Err(Reason::new(ReasonCode::TraceRejected, text));
    };
    if let Some((_, diagnostic)) = task.unsupported.iter().find(|(p, _)| *p == property) {
        return Err(Reason::new(ReasonCode::Unsupported, diagnostic.to_string()));
    }
    let inputs = Replay::new(&task.program, &task.encoding, trace);
    match execute(task, inputs, budget) {
        Some(run) if run.violated == property => Ok(simplified(task, run, budget)),
        _ => Err(not_replayed(task, trace)),
    }
}

/// Why a trace of the program is no run of the C program: mostly, because it goes through something approximated.
fn not_replayed(task: &Task, trace: &Trace) -> Reason {
    let reason = "the trace of an error does not replay in the C interpreter";
    let edges = trace.steps.iter().map(|s| &task.program.procs[s.proc].edges[s.edge]);
    let text = match edges.flat_map(|e| &e.approximations).last() {
        Some(a) => {
            format!("{reason}; approximated on the way: {} at {}", a.what, task.source.position(a.span))
        }
        None => reason.into(),
    };
    Reason::new(ReasonCode::TraceRejected, text)
}

/// A run that violates the same property with inputs that are as simple as can be found.
fn simplified(task: &Task, run: Run, budget: &Budget) -> Run {
    let simpler = inputs::simplify(task, &run, budget);
    let again = simpler.and_then(|inputs| execute(task, inputs, budget));
    again.filter(|a| a.violated == run.violated).unwrap_or(run)
}

/// Executes the typed C program; nothing if it does not run into an error.
fn execute(task: &Task, inputs: Replay, budget: &Budget) -> Option<Run> {
    let mut oracle = Recorder::new(inputs.clone());
    let mut interpreter = Interpreter::new(&task.unit);
    interpreter.events = Some(Vec::new());
    match interpreter.run(&mut oracle, budget) {
        End::Error(violated) => {
            let events = interpreter.events.take().unwrap_or_default();
            let fault = interpreter.fault.take();
            Some(Run { violated, events, inputs, values: oracle.values, fault })
        }
        _ => None,
    }
}

/// A formula in which comparisons that the types of the variables decide are decided.
pub(super) fn without_ranges(
    store: &mut Store,
    program: &Program,
    vars: &FxHashMap<Func, VarId>,
    formula: Term,
) -> Term {
    let order: Vec<Term> = store.post_order([formula]).collect();
    let mut done: FxHashMap<Term, Term> = FxHashMap::default();
    for t in order {
        let known = (store.op(t) == Op::Le).then(|| decided(store, program, vars, t)).flatten();
        let new = match known {
            Some(true) => store.tru(),
            Some(false) => store.fls(),
            None => {
                let args: Vec<Term> = store.args(t).iter().map(|a| done[a]).collect();
                if args == store.args(t) { t } else { store.rebuild(t, &args) }
            }
        };
        done.insert(t, new);
    }
    done[&formula]
}

/// Is a bound of a variable true or false in all of its range?
fn decided(store: &Store, program: &Program, vars: &FxHashMap<Func, VarId>, atom: Term) -> Option<bool> {
    let difference = store.linear_difference(store.args(atom)[0], store.args(atom)[1]);
    let [(var, factor)] = difference.terms.as_slice() else { return None };
    let (low, high) = program.vars[*vars.get(&store.as_var(*var)?)?].range?;
    // `factor * x + constant <= 0` at both ends of the range.
    let holds = |end: i128| {
        let value = factor.clone() * Rational::from(IBig::from(end)) + difference.constant.clone();
        !value.is_positive()
    };
    (holds(low) == holds(high)).then(|| holds(low))
}
