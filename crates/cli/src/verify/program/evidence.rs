//! The evidence for a verdict on a C program, in the words of the program.

use super::harness;
use super::witness::{self, Subject};
use crate::report::{Fact, Moment, PropertyReport, Report, Word};
use bolide_base::Budget;
use bolide_cert::{Certificate, Section, program as cert};
use bolide_engine::Verdict;
use bolide_engine::program::{Invariant, ProgramVerdict};
use bolide_front::c::interp::{End, Event, Interpreter, Oracle, Part, Replay};
use bolide_front::c::{Expressions, Task};
use bolide_model::pass::Trace;
use bolide_model::{InputId, Outcome, Program, PropertyId, Runner};
use bolide_smtlib::print_term;
use bolide_term::Store;

/// Formulas longer than this are left out of reports.
const LONGEST_FORMULA: usize = 2000;

/// The report on a verdict: an invariant of the prepared program, or a trace of the program that was read.
pub fn report(
    store: &mut Store,
    task: &Task,
    subject: &Subject<'_>,
    prepared: &Program,
    verdict: ProgramVerdict,
    budget: &Budget,
) -> Report {
    let mut report = match verdict {
        Verdict::Safe(invariant) => {
            let properties = properties(task, |_| Word::Safe);
            // Proofs about a program that was changed before it was prepared come without formulas.
            let has_formulas = !invariant.formulas.is_empty();
            let section = has_formulas.then(|| cert::write_invariant(store, &invariant.formulas)).flatten();
            let mut evidence: Vec<Section> =
                section.into_iter().map(|text| Section { name: "invariant".into(), text }).collect();
            if !evidence.is_empty() {
                let reachable: Vec<_> =
                    invariant.formulas.iter().copied().filter(|(_, f)| *f != store.fls()).collect();
                let text = cert::write_places(&task.source, prepared, &reachable);
                evidence.push(Section { name: cert::PLACES.into(), text });
            }
            let shown = facts(store, task, prepared, &invariant);
            let witness = witness::correctness(store, task, subject, prepared, &invariant);
            Report {
                properties,
                invariant: shown,
                evidence,
                witness: Some(witness),
                ..Report::new(Word::Safe)
            }
        }
        Verdict::Unknown(reason) => Report::unknown(&reason),
        Verdict::Unsafe(trace) => match replay(store, task, &trace, budget) {
            Ok(run) => return reached(task, subject, &run),
            Err(reason) => Report::unknown(&reason),
        },
    };
    report.assumptions = assumptions(task);
    report
}

/// The report on a verdict whose certificate was found and checked; `None` if it cannot be told in the words of the program.
pub fn recall(
    store: &mut Store,
    task: &Task,
    subject: &Subject<'_>,
    prepared: &Program,
    certificate: &Certificate,
    budget: &Budget,
) -> Option<Report> {
    match certificate.verdict {
        bolide_cert::Verdict::Safe => {
            let section = certificate.section("invariant")?;
            // The formulas may be about another form of the program than the one at hand.
            let formulas = match certificate.option(cert::RECURSION).or(certificate.option(cert::BLOCKS)) {
                Some(_) => Vec::new(),
                None => cert::read_invariant(store, prepared, section).ok()?,
            };
            Some(report(store, task, subject, prepared, Verdict::Safe(Invariant { formulas }), budget))
        }
        bolide_cert::Verdict::Unsafe => {
            let inputs = Replay::read(certificate.section("inputs")?).ok()?;
            Some(reached(task, subject, &execute(task, inputs, budget)?))
        }
    }
}

fn assumptions(task: &Task) -> Vec<String> {
    task.program.assumptions.iter().map(|a| a.text.clone()).collect()
}

/// The report on a run into an error.
fn reached(task: &Task, subject: &Subject<'_>, run: &Run) -> Report {
    let evidence = vec![Section { name: "inputs".into(), text: run.inputs.write() }];
    let witness = Some(witness::violation(task, subject, &run.values, run.violated));
    let harness = Some(harness::write(task, subject.file, &run.values));
    let assumptions = assumptions(task);
    Report { evidence, harness, witness, assumptions, ..violation(task, run.violated, &run.events) }
}

fn properties(task: &Task, verdict: impl Fn(PropertyId) -> Word) -> Vec<PropertyReport> {
    let property = |(id, p): (PropertyId, &bolide_model::Property)| PropertyReport {
        name: p.name.clone(),
        place: Some(task.source.position(p.span)),
        verdict: verdict(id),
    };
    task.program.properties.iter_enumerated().map(property).collect()
}

/// The invariant at the places where the prepared program has locations.
fn facts(store: &Store, task: &Task, prepared: &Program, invariant: &Invariant) -> Vec<Fact> {
    let expressions = Expressions::new(store, prepared, None);
    let mut facts = Vec::new();
    for &(location, formula) in &invariant.formulas {
        let span = prepared.main().locations[location].span;
        let is_bound = location == prepared.main().entry || location == prepared.main().exit;
        if is_bound || [store.tru(), store.fls()].contains(&formula) {
            continue;
        }
        let formula = expressions.write(formula).unwrap_or_else(|| print_term(store, formula).to_string());
        if formula.len() <= LONGEST_FORMULA {
            facts.push(Fact { place: task.source.position(span), formula });
        }
    }
    facts.sort_by_key(|f| (f.place.line, f.place.column));
    facts
}

fn violation(task: &Task, violated: PropertyId, events: &[Event]) -> Report {
    let others = "not decided: another property is violated";
    let verdict = |id| if id == violated { Word::Unsafe } else { Word::Unknown(others.into()) };
    let moment = |e: &Event| {
        let name = e.var.map_or("memory", |v| task.unit.vars[v].name.as_str());
        let name = name.rsplit_once("::").map_or(name, |(_, name)| name);
        // What the translation stores away is known by its text.
        let name = if name.starts_with('$') { task.source.text(e.span) } else { name };
        Moment { place: task.source.position(e.span), what: format!("{name} = {}", e.value) }
    };
    let mut trace: Vec<Moment> = events.iter().map(moment).collect();
    let property = &task.program.properties[violated];
    let place = task.source.position(property.span);
    trace.push(Moment { place, what: property.name.clone() });
    let properties = properties(task, verdict);
    Report { properties, trace, ..Report::new(Word::Unsafe) }
}

/// A run into an error.
struct Run {
    violated: PropertyId,
    /// What was stored on the way.
    events: Vec<Event>,
    inputs: Replay,
    /// The scalars among them in the order in which they were asked for.
    values: Vec<(InputId, i128)>,
}

/// Serves inputs and remembers their order.
struct Recorder {
    inputs: Replay,
    values: Vec<(InputId, i128)>,
}

impl Oracle for Recorder {
    fn scalar(&mut self, site: InputId) -> i128 {
        let value = self.inputs.scalar(site);
        self.values.push((site, value));
        value
    }

    fn object(&mut self, site: InputId) -> Vec<Part> {
        self.inputs.object(site)
    }

    fn memory(&mut self) -> Vec<(i128, u32, i128)> {
        self.inputs.memory()
    }
}

/// Executes the trace on the program as it was read and on the typed C program; only an error there is an error.
fn replay(store: &Store, task: &Task, trace: &Trace, budget: &Budget) -> Result<Run, String> {
    let mut runner = Runner::new(store, &task.program, &trace.initial);
    let Some(Outcome::Error(property)) = runner.replay(store, trace) else {
        return Err("the trace of an error does not replay on the program".into());
    };
    let inputs = Replay::new(&task.program, &task.encoding, trace);
    execute(task, inputs, budget)
        .filter(|run| run.violated == property)
        .ok_or_else(|| "the trace of an error does not replay in the C interpreter".into())
}

/// Executes the typed C program on inputs; `None` if that ends without an error.
fn execute(task: &Task, inputs: Replay, budget: &Budget) -> Option<Run> {
    let mut oracle = Recorder { inputs: inputs.clone(), values: Vec::new() };
    let mut interpreter = Interpreter::new(&task.unit);
    interpreter.events = Some(Vec::new());
    match interpreter.run(&mut oracle, budget) {
        End::Error(violated) => {
            let events = interpreter.events.take().unwrap_or_default();
            Some(Run { violated, events, inputs, values: oracle.values })
        }
        _ => None,
    }
}
