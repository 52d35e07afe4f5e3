//! The evidence for a verdict on a C program, in the words of the program.

use super::forms::Procedures;
use super::witness::{self, Subject};
use super::{contracts, harness, inputs, trace};
use crate::report::{About, Assumption, Fact, PropertyReport, Report, Word};
use bolide_base::{Budget, IBig, Rational};
use bolide_cert::{Certificate, Section, program as cert};
use bolide_engine::Verdict;
use bolide_engine::program::{Invariant, ProgramVerdict};
use bolide_front::c::interp::{End, Event, Interpreter, Oracle, Part, Replay};
use bolide_front::c::{Expressions, Task};
use bolide_model::pass::Trace;
use bolide_model::{InputId, LocId, Outcome, Procedure, Program, PropertyId, Runner, Span, VarId};
use bolide_smtlib::print_term;
use bolide_term::{Func, Op, Store, Term};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Formulas longer than this are left out of reports.
pub(super) const LONGEST_FORMULA: usize = 2000;

/// The report on a verdict: an invariant of the prepared program, perhaps with what is known about its procedures, or a trace of
/// the program that was read.
pub fn report(
    store: &mut Store,
    task: &Task,
    subject: &Subject<'_>,
    prepared: &Program,
    verdict: ProgramVerdict,
    procedures: Option<&Procedures>,
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
            let mut shown = facts(store, task, prepared, &invariant);
            let mut places = witness::places(store, prepared.main(), &invariant.formulas);
            for (entry, said) in procedures.iter().flat_map(|p| p.said.iter().map(|said| (&p.entry, said))) {
                shown.extend(contracts::facts(store, task, (prepared, entry), said));
                places.extend(witness::places(store, &prepared.procs[said.proc], &said.at));
            }
            shown.sort_by_key(|f| (f.place.line, f.place.column));
            let witness = witness::correctness(store, task, subject, prepared, &places);
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
            Ok(run) => return reached(task, subject, &run, budget),
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
            let other =
                [cert::RECURSION, cert::ABSTRACTION, cert::BLOCKS].iter().find_map(|o| certificate.option(o));
            let formulas = match other {
                Some(_) => Vec::new(),
                None => cert::read_invariant(store, prepared, section).ok()?,
            };
            Some(report(store, task, subject, prepared, Verdict::Safe(Invariant { formulas }), None, budget))
        }
        bolide_cert::Verdict::Unsafe => {
            let inputs = Replay::read(certificate.section("inputs")?).ok()?;
            of_inputs(task, subject, inputs, budget)
        }
    }
}

/// The report on the execution with some inputs; `None` if it does not run into an error.
pub fn of_inputs(task: &Task, subject: &Subject<'_>, inputs: Replay, budget: &Budget) -> Option<Report> {
    Some(reached(task, subject, &execute(task, inputs, budget)?, budget))
}

/// The same with inputs that are made simpler first.
pub fn of_test(task: &Task, subject: &Subject<'_>, inputs: Replay, budget: &Budget) -> Option<Report> {
    let run = execute(task, inputs, budget)?;
    Some(reached(task, subject, &simplified(task, run, budget), budget))
}

fn assumptions(task: &Task) -> Vec<Assumption> {
    let assumption = |a: &bolide_model::Assumption| {
        let place = (a.span != Span::default()).then(|| task.source.position(a.span));
        Assumption { text: a.text.clone(), place }
    };
    task.program.assumptions.iter().map(assumption).collect()
}

/// The report on a run into an error.
fn reached(task: &Task, subject: &Subject<'_>, run: &Run, budget: &Budget) -> Report {
    let evidence = vec![Section { name: "inputs".into(), text: run.inputs.write() }];
    let witness = Some(witness::violation(task, subject, &run.values, run.violated));
    let harness = Some(harness::write(task, subject.file, &run.values));
    let assumptions = assumptions(task);
    let trace = trace::moments(task, run);
    let inputs = inputs::examine(task, run, budget);
    Report { trace, inputs, evidence, harness, witness, assumptions, ..violation(task, run.violated) }
}

fn properties(task: &Task, verdict: impl Fn(PropertyId) -> Word) -> Vec<PropertyReport> {
    let property = |(id, p): (PropertyId, &bolide_model::Property)| PropertyReport {
        name: p.name.clone(),
        place: Some(task.source.position(p.span)),
        verdict: verdict(id),
    };
    task.program.properties.iter_enumerated().map(property).collect()
}

/// The invariant at the places where the prepared program has locations. Copies of a location share its place, and what
/// holds there is what holds in one of them.
fn facts(store: &mut Store, task: &Task, prepared: &Program, invariant: &Invariant) -> Vec<Fact> {
    let at = by_place(store, prepared, prepared.main(), &invariant.formulas);
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

fn violation(task: &Task, violated: PropertyId) -> Report {
    let others = "not decided: another property is violated";
    let verdict = |id| if id == violated { Word::Unsafe } else { Word::Unknown(others.into()) };
    Report { properties: properties(task, verdict), ..Report::new(Word::Unsafe) }
}

/// A run into an error.
pub struct Run {
    /// The property that it violates.
    pub violated: PropertyId,
    /// What happened on the way.
    pub events: Vec<Event>,
    /// What came from outside.
    pub inputs: Replay,
    /// The scalars among them in the order in which they were asked for.
    pub values: Vec<(InputId, i128)>,
}

/// Serves inputs and remembers their order.
pub struct Recorder {
    inputs: Replay,
    /// The scalars in the order in which they were asked for.
    pub values: Vec<(InputId, i128)>,
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
    match execute(task, inputs, budget) {
        Some(run) if run.violated == property => Ok(simplified(task, run, budget)),
        _ => Err(not_replayed(task, trace)),
    }
}

/// Why a trace of the program is no run of the C program: mostly, because it goes through something approximated.
fn not_replayed(task: &Task, trace: &Trace) -> String {
    let reason = "the trace of an error does not replay in the C interpreter";
    let edges = trace.steps.iter().map(|s| &task.program.procs[s.proc].edges[s.edge]);
    match edges.flat_map(|e| &e.approximations).last() {
        Some(a) => {
            format!("{reason}; approximated on the way: {} at {}", a.what, task.source.position(a.span))
        }
        None => reason.into(),
    }
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
            Some(Run { violated, events, inputs, values: oracle.values })
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
