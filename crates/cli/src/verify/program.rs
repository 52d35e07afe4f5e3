//! C programs.

mod contracts;
mod evidence;
mod forms;
mod harness;
mod inputs;
pub(super) mod pictures;
mod testing;
mod told;
mod trace;
mod vacuity;
mod values;
mod witness;

use super::{Refused, Unwinders};
use crate::arguments::{BlocksName, Chosen, DataModel, Ints, PropertyName, VerifyOptions};
use crate::cache::{Lookup, Question};
use crate::exit;
use crate::report::{Report, Word};
use bolide_base::{Budget, Stats};
use bolide_cert::program::{BLOCKS, INLINE_LIMIT, SINGLE, write_by_position, write_options, write_solution};
use bolide_cert::{Certificate, Section};
use bolide_engine::program::settle;
use bolide_engine::program::unwrapped::{self, Found};
use bolide_engine::program::{Invariant, ProgramVerdict, impact, relax};
use bolide_engine::{Candidate, Verdict, horn, portfolio};
use bolide_front::c::{self, Source, Task};
use bolide_model::pass::{self, BackMap, Blocks, Trace};
use bolide_model::{Action, Listing, Program, PropertyId};
use bolide_term::Store;
use forms::{
    ABSTRACT_EDGES, Abstracted, Form, OtherProof, Procedures, by_abstraction, first_attempt, is_known,
};
use pictures::Sketch;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

/// How deep recursive calls are followed, one attempt after the other.
const DEPTHS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Decides a C program.
pub fn verify(
    file: &Path,
    text: &[u8],
    options: &VerifyOptions,
    lookup: &mut Lookup,
    budget: &Budget,
) -> Result<Report, Refused> {
    let Some(engines) = Engine::by_name(&options.engine) else {
        eprintln!(
            "bolide: there is no engine `{}` for C programs; known are {}",
            options.engine,
            horn::Engine::NAMES
        );
        return Err(Refused(exit::USAGE));
    };
    let mut store = Store::new();
    let front = front_options(options);
    let reading = budget.phase("reading");
    let source = text_of(file, text, &options.cpp)?;
    let task = parse(&mut store, file, &source, &front)?;
    reading.finish_phase();
    let name = file.display().to_string();
    let specification = witness::specification(&front.properties);
    let subject = witness::Subject { file: &name, text, data_model: front.data_model, specification };
    let sketch = Sketch::new(&task);
    let round =
        Round { task: &task, subject: &subject, front: &front, engines: &engines, options, sketch: &sketch };
    if let Some(mut report) = round.look_up(&store, &source, lookup, budget) {
        if options.all {
            round.go_on(&mut store, &mut report, budget);
        }
        round.examine(&mut store, &mut report, text, budget);
        return Ok(report);
    }
    let mut report = match round.test(&mut store, budget) {
        Some(report) => report,
        None => round.decide(&mut store, &task.program, budget),
    };
    let unwinds = engines.iter().any(|(engine, _)| engine.unwinds() && report.engine == engine.name());
    let unwinding = sketch.take().filter(|_| unwinds);
    if options.all {
        round.go_on(&mut store, &mut report, budget);
    }
    round.examine(&mut store, &mut report, text, budget);
    if let Some(details) = &mut report.details {
        details.unwinding = unwinding;
    }
    Ok(report)
}

/// Adds to a report what a certificate says about the program as it was read.
pub fn tell(
    file: &Path,
    text: &[u8],
    source: &[u8],
    report: &mut Report,
    options: &VerifyOptions,
    certificate: &Certificate,
) {
    let mut store = Store::new();
    let front = front_options(options);
    let name = file.display().to_string();
    let Ok(task) = c::load(&mut store, &name, source, &front) else { return };
    let specification = witness::specification(&front.properties);
    let subject = witness::Subject { file: &name, text, data_model: front.data_model, specification };
    told::tell(&mut store, &task, &subject, report, certificate);
}

/// What the attempts to decide a task share.
struct Round<'a> {
    task: &'a Task,
    subject: &'a witness::Subject<'a>,
    front: &'a c::Options,
    engines: &'a [(Engine, u32)],
    options: &'a VerifyOptions,
    sketch: &'a Sketch<'a>,
}

impl Round<'_> {
    /// Adds what is said of a verdict besides its evidence: whether it is vacuous, and the drawings of a page.
    fn examine(&self, store: &mut Store, report: &mut Report, text: &[u8], budget: &Budget) {
        if report.verdict == Word::Safe && !self.options.no_vacuity {
            let mut decide =
                |store: &mut Store, program: &Program, budget: &Budget| self.settle(store, program, budget);
            report.vacuity = vacuity::examine(store, self.task, &mut decide, budget);
        }
        if self.options.report.is_some() {
            let details = pictures::details(self.task, self.subject.file, text, report);
            report.details = Some(Box::new(details));
        }
    }

    /// Asks the cache.
    fn look_up(&self, store: &Store, source: &[u8], lookup: &mut Lookup, budget: &Budget) -> Option<Report> {
        if !lookup.is_on() {
            return None;
        }
        let mut store = store.clone();
        let (prepared, _) = pass::prepare(&mut store, &self.task.program, INLINE_LIMIT, budget).ok()?;
        let content = Listing(&store, &prepared).to_string();
        let options = write_options(self.front);
        let question =
            Question { kind: bolide_cert::Kind::C, options: &options, content: &content, task: source };
        let found = lookup.ask(&question, budget)?;
        let evidence_options = found.options.clone();
        let report = evidence::recall(&mut store, self.task, self.subject, &prepared, found, budget)?;
        Some(Report { engine: "cache".into(), evidence_options, ..report })
    }

    /// Looks for an error by testing, if the engines are not the user's choice.
    fn test(&self, store: &mut Store, budget: &Budget) -> Option<Report> {
        if self.options.engine != "auto" || self.options.ints != Ints::Machine {
            return None;
        }
        let testing = budget.phase("testing");
        let found = testing::search(store, self.task, &testing);
        testing.finish_phase();
        let report = match found? {
            testing::Found::Trace(trace) => {
                let (program, verdict) = (&self.task.program, Verdict::Unsafe(trace));
                evidence::report(store, self.task, self.subject, program, verdict, None, budget)
            }
            testing::Found::Inputs(inputs) => evidence::of_test(self.task, self.subject, inputs, budget)?,
        };
        let evidence_options = write_options(self.front);
        let is_error = report.verdict == Word::Unsafe;
        is_error.then(|| Report { engine: "testing".into(), evidence_options, ..report })
    }

    /// Decides whether any error location of a program can be reached: the task's, perhaps with fewer of them.
    fn decide(&self, store: &mut Store, program: &Program, budget: &Budget) -> Report {
        let prepared = match self.prepare(store, program, budget) {
            Ok(prepared) => prepared,
            Err(reason) => return Report::unknown(&reason),
        };
        let finish = |engine: &'static str,
                      store: &mut Store,
                      verdict: ProgramVerdict,
                      statistics: Stats,
                      budget: &Budget| {
            let proof = prepared.other_proof(engine);
            let procedures = proof.as_ref().and_then(|proof| proof.procedures.as_deref());
            let (task, subject) = (self.task, self.subject);
            let report =
                evidence::report(store, task, subject, &prepared.program, verdict, procedures, budget);
            let known = !matches!(report.verdict, Word::Unknown(_));
            let mut report = Report {
                engine: engine.into(),
                statistics,
                evidence_options: write_options(self.front),
                ..report
            };
            if report.verdict == Word::Safe
                && let Some(proof) = proof
            {
                report.evidence = vec![Section { name: "invariant".into(), text: proof.invariant }];
                let is_bounded = matches!(proof.form, Form::Bounded(_));
                report.evidence_options.push(proof.form.option());
                if is_bounded {
                    return (known, report);
                }
            }
            if report.verdict == Word::Safe && self.blocks() == Blocks::Single {
                report.evidence_options.push((BLOCKS.into(), SINGLE.into()));
            }
            (known, report)
        };
        let candidates = candidates(self.engines, &prepared, self.options, self.sketch);
        portfolio(store, &candidates, super::jobs(self.options), budget, &finish)
    }

    /// The same for a program with other error locations, without a report. A proof comes without its invariant.
    fn settle(&self, store: &mut Store, program: &Program, budget: &Budget) -> ProgramVerdict {
        let prepared = match self.prepare(store, program, budget) {
            Ok(prepared) => prepared,
            Err(reason) => return Verdict::Unknown(reason),
        };
        let finish =
            |_: &'static str, _: &mut Store, verdict: ProgramVerdict, _: Stats, _: &Budget| match verdict {
                Verdict::Safe(_) => (true, Verdict::Safe(Invariant::default())),
                verdict => (verdict.is_known(), verdict),
            };
        let candidates = candidates(self.engines, &prepared, self.options, self.sketch);
        portfolio(store, &candidates, super::jobs(self.options), budget, &finish)
    }

    fn blocks(&self) -> Blocks {
        match self.options.blocks {
            BlocksName::Large => Blocks::Large,
            BlocksName::Single => Blocks::Single,
        }
    }

    /// Makes a program ready for the engines, or says why that is not possible.
    fn prepare(&self, store: &mut Store, program: &Program, budget: &Budget) -> Result<Prepared, String> {
        let blocks = self.blocks();
        let preparing = budget.phase("preparing");
        let prepared = match self.options.ints {
            Ints::Machine => pass::prepare_both(store, program, blocks, INLINE_LIMIT, budget)
                .map(|(program, unwrapped)| (program, Some(unwrapped))),
            Ints::Unbounded => pass::prepare_blocks(store, program, blocks, INLINE_LIMIT, budget)
                .map(|program| (program, None)),
        };
        preparing.finish_phase();
        let ((prepared, maps), unwrapped) = prepared.map_err(|error| error.to_string())?;
        let original = program.clone();
        let is_small = prepared.main().edges.len() <= ABSTRACT_EDGES && !has_calls(&prepared);
        let abstracted = if is_small { self.abstractions(store, program, budget) } else { Vec::new() };
        Ok(Prepared { program: prepared, maps, unwrapped, abstracted, original, proofs: Mutex::default() })
    }

    /// After a violation: decides the other properties, about the executions that do not violate the first ones before.
    fn go_on(&self, store: &mut Store, report: &mut Report, budget: &Budget) {
        let mut program = self.task.program.clone();
        while report.verdict == Word::Unsafe {
            for location in program.procs.iter_mut().flat_map(|p| p.locations.iter_mut()) {
                let violated = |p: PropertyId| report.properties[p.index()].verdict == Word::Unsafe;
                location.error = location.error.filter(|&p| !violated(p));
            }
            let next = self.decide(store, &program, budget);
            let mut is_news = false;
            for (n, property) in report.properties.iter_mut().enumerate() {
                if property.verdict == Word::Unsafe {
                    continue;
                }
                property.verdict = match &next.verdict {
                    Word::Unsafe => match next.properties.get(n) {
                        Some(p) if p.verdict == Word::Unsafe => {
                            is_news = true;
                            Word::Unsafe
                        }
                        _ => continue,
                    },
                    word => word.clone(),
                };
            }
            if !is_news {
                break;
            }
            report.trace.extend(next.trace);
            report.inputs.extend(next.inputs);
        }
    }
}

/// What the front end is asked for.
fn front_options(options: &VerifyOptions) -> c::Options {
    let chosen = |name| options.property.iter().any(|Chosen(names)| names.contains(&name));
    let asked = |name| chosen(name) || chosen(PropertyName::All);
    let default = c::Properties::default();
    let properties = c::Properties {
        errors: options.property.is_empty() || asked(PropertyName::Errors),
        labels: if options.property.is_empty() { default.labels } else { Some(asked(PropertyName::Labels)) },
        overflow: asked(PropertyName::Overflow),
        div_by_zero: asked(PropertyName::DivByZero),
        bounds: asked(PropertyName::Bounds),
        null: asked(PropertyName::Null),
        shift: asked(PropertyName::Shift),
    };
    let ints = match options.ints {
        Ints::Machine => c::Ints::Machine,
        Ints::Unbounded => c::Ints::Unbounded,
    };
    let data_model = front_model(options.data_model);
    c::Options { data_model, ints, properties, entry: Some(options.entry.clone()) }
}

/// The front end's name for a data model.
pub fn front_model(data_model: DataModel) -> c::DataModel {
    match data_model {
        DataModel::Ilp32 => c::DataModel::Ilp32,
        DataModel::Lp64 => c::DataModel::Lp64,
    }
}

/// A C program that has been read, and what the engines work on or why that could not be made.
pub type Loaded = (Task, Result<(Program, Vec<BackMap>), String>);

/// Reads a C program and prepares it for the engines, or says why it cannot be prepared.
pub fn load(
    store: &mut Store,
    file: &Path,
    text: &[u8],
    front: &c::Options,
    cpp: &str,
    budget: &Budget,
) -> Result<Loaded, Refused> {
    let task = read(store, file, text, front, cpp)?;
    let prepared = pass::prepare(store, &task.program, INLINE_LIMIT, budget);
    Ok((task, prepared.map_err(|error| error.to_string())))
}

/// Reads a C program.
pub fn read(
    store: &mut Store,
    file: &Path,
    text: &[u8],
    front: &c::Options,
    cpp: &str,
) -> Result<Task, Refused> {
    let text = text_of(file, text, cpp)?;
    parse(store, file, &text, front)
}

/// Reads a C program that needs no preprocessing.
fn parse(store: &mut Store, file: &Path, text: &[u8], front: &c::Options) -> Result<Task, Refused> {
    let name = file.display().to_string();
    c::load(store, &name, text, front).map_err(|rejection| {
        for error in &rejection.diagnostics {
            let line = error.source_line.trim_end();
            let before: String =
                line.chars().take(error.position.column.saturating_sub(1) as usize).collect();
            let blank: String = before.chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            eprintln!("{}: error: {}\n  {line}\n  {blank}^", error.position, error.message);
        }
        Refused(exit::BAD_INPUT)
    })
}

/// The text of a C program, preprocessed if need be.
pub fn text_of(file: &Path, text: &[u8], cpp: &str) -> Result<Vec<u8>, Refused> {
    if Source::needs_preprocessing(text) { preprocess(file, cpp) } else { Ok(text.to_vec()) }
}

/// Runs a C preprocessor: a command, split at blanks, that is given the file.
fn preprocess(file: &Path, cpp: &str) -> Result<Vec<u8>, Refused> {
    let mut words = cpp.split_whitespace();
    let Some(program) = words.next() else {
        eprintln!("bolide: --cpp needs a command");
        return Err(Refused(exit::USAGE));
    };
    let output = Command::new(program).args(words).arg(file).output().map_err(|error| {
        eprintln!(
            "{}: error: the file needs a preprocessor, but `{cpp}` cannot be run: {error}\n  \
             Install a C compiler, name another command with --cpp, or preprocess the file yourself.",
            file.display()
        );
        Refused(exit::BAD_INPUT)
    })?;
    if !output.status.success() {
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        eprintln!("{}: error: `{cpp}` failed", file.display());
        return Err(Refused(exit::BAD_INPUT));
    }
    Ok(output.stdout)
}

/// An engine for C programs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Engine {
    /// Lazy abstraction with interpolants.
    Impact,
    /// Lazy predicate abstraction.
    Relax,
    /// An engine for Horn clauses.
    Horn(horn::Engine),
}

impl Engine {
    /// The engines that `auto` runs, with their parts of the time.
    const AUTO: &[(Engine, u32)] =
        &[(Engine::Impact, 4), (Engine::Horn(horn::Engine::Bmc), 1), (Engine::Horn(horn::Engine::Pdr), 4)];

    /// Can it find proofs?
    fn proves(self) -> bool {
        self != Engine::Horn(horn::Engine::Bmc)
    }

    /// Does it unwind one procedure?
    fn unwinds(self) -> bool {
        matches!(self, Engine::Impact | Engine::Relax)
    }

    fn name(self) -> &'static str {
        match self {
            Engine::Impact => "impact",
            Engine::Relax => "relax",
            Engine::Horn(engine) => engine.name(),
        }
    }

    /// The engines that a name stands for.
    fn by_name(name: &str) -> Option<Vec<(Engine, u32)>> {
        match name {
            "auto" => Some(Engine::AUTO.to_vec()),
            "impact" => Some(vec![(Engine::Impact, 1)]),
            "relax" => Some(vec![(Engine::Relax, 1)]),
            _ => horn::Engine::by_name(name).map(|e| vec![(Engine::Horn(e), 1)]),
        }
    }
}

/// A program as the engines want it, with the way back to the program that was read.
struct Prepared {
    program: Program,
    maps: Vec<BackMap>,
    /// The same under the assumption that integers do not wrap.
    unwrapped: Option<(Program, Vec<BackMap>)>,
    /// Programs that allow more.
    abstracted: Vec<Abstracted>,
    /// The program as it was read.
    original: Program,
    /// Proofs about the program in another form, and the engines that found them.
    proofs: Mutex<Vec<(&'static str, OtherProof)>>,
}

impl Prepared {
    fn keep_proof(
        &self,
        engine: Engine,
        form: Form,
        invariant: Option<String>,
        procedures: Option<Procedures>,
    ) {
        if let Some(invariant) = invariant {
            let procedures = procedures.map(Arc::new);
            let mut proofs = self.proofs.lock().unwrap_or_else(|e| e.into_inner());
            proofs.push((engine.name(), OtherProof { form, invariant, procedures }));
        }
    }

    fn other_proof(&self, engine: &str) -> Option<OtherProof> {
        let proofs = self.proofs.lock().unwrap_or_else(|e| e.into_inner());
        proofs.iter().find(|(name, _)| *name == engine).map(|(_, proof)| proof.clone())
    }
}

/// The engines as candidates; their traces are traces of the program that was read.
fn candidates<'a>(
    engines: &[(Engine, u32)],
    prepared: &'a Prepared,
    options: &VerifyOptions,
    sketch: &'a Sketch<'a>,
) -> Vec<Candidate<'a, Invariant, Trace>> {
    let config = Unwinders::new(options);
    let candidate = |&(engine, weight): &(Engine, u32)| {
        let config = config.clone();
        let engine_run =
            move |store: &mut Store, program: &Program, budget: &Budget, stats: &mut Stats| match engine {
                Engine::Impact => {
                    let (verdict, own, picture) =
                        impact::run_with_picture(store, program, &config.impact, budget);
                    stats.merge(&own);
                    sketch.keep(store, program, picture);
                    verdict
                }
                Engine::Relax => {
                    let (verdict, own, picture) =
                        relax::run_with_picture(store, program, &config.relax, budget);
                    stats.merge(&own);
                    sketch.keep(store, program, picture);
                    verdict
                }
                Engine::Horn(engine) => horn::solve_program(store, program, engine, budget, stats),
            };
        let with_summaries = move |store: &mut Store, horn_engine, budget: &Budget, stats: &mut Stats| {
            let (verdict, solution) =
                horn::solve_with_solution(store, &prepared.program, horn_engine, budget, stats);
            if let Some(s) = solution {
                let text = write_solution(store, &s.horn, &s.interpretation);
                let procedures = Procedures::new(store, &prepared.program, &s);
                prepared.keep_proof(engine, Form::Summaries, text, Some(procedures));
            }
            verdict
        };
        let run = move |store: &mut Store, budget: &Budget, stats: &mut Stats| {
            let program = &prepared.program;
            let with_calls = has_calls(program);
            if engine.unwinds() && with_calls {
                return to_growing_depth(store, prepared, engine, &engine_run, budget, stats);
            }
            let attempt =
                |store: &mut Store, budget: &Budget, stats: &mut Stats| match (&prepared.unwrapped, engine) {
                    (_, Engine::Horn(horn)) if with_calls => {
                        Found::Program(with_summaries(store, horn, budget, stats))
                    }
                    (Some((unwrapped, _)), _) if engine.proves() => {
                        unwrapped::solve(store, program, unwrapped, &engine_run, budget, stats)
                    }
                    _ => Found::Program(engine_run(store, program, budget, stats)),
                };
            let mut found = None;
            if engine.proves() && !prepared.abstracted.is_empty() {
                // Proofs about the program itself tell more, so they get a chance.
                let first = attempt(store, &budget.child(first_attempt(budget)), stats);
                if is_known(&first) {
                    found = Some(first);
                } else if by_abstraction(store, prepared, engine, &engine_run, budget, stats) {
                    return Verdict::Safe(Invariant::default());
                }
            }
            let found = found.unwrap_or_else(|| attempt(store, budget, stats));
            let (trace, program, maps) = match (found, &prepared.unwrapped) {
                (Found::Program(Verdict::Unsafe(trace)), _) => (trace, program, &prepared.maps),
                (Found::Unwrapped(trace), Some((unwrapped, maps))) => (trace, unwrapped, maps),
                (Found::Program(verdict), _) => return verdict,
                (Found::Unwrapped(_), None) => unreachable!("there is no such program"),
            };
            let trace = settle(store, program, trace, budget);
            match pass::trace_back(store, maps, trace) {
                Some(trace) => Verdict::Unsafe(trace),
                None => Verdict::Unknown("the trace cannot be brought back to the program".into()),
            }
        };
        Candidate { name: engine.name(), weight, run: Box::new(run) }
    };
    engines.iter().map(candidate).collect()
}

/// Runs an engine on the program with its recursion followed to one depth after the other.
fn to_growing_depth(
    store: &mut Store,
    task: &Prepared,
    engine: Engine,
    run: &unwrapped::Run<'_>,
    budget: &Budget,
    stats: &mut Stats,
) -> ProgramVerdict {
    let mut reason = "there are calls that cannot be inlined".to_string();
    for depth in DEPTHS {
        let Some(bounded) = pass::bound_recursion(store, &task.original, depth) else { break };
        let (prepared, mut maps) = match pass::prepare(store, &bounded.program, INLINE_LIMIT, budget) {
            Ok(prepared) => prepared,
            Err(error) => return Verdict::Unknown(format!("{reason}; {error}")),
        };
        maps.insert(0, bounded.map);
        match run(store, &prepared, budget, stats) {
            Verdict::Unsafe(trace) => {
                let trace = settle(store, &prepared, trace, budget);
                let end = trace.steps.last().map(|s| prepared.procs[s.proc].edges[s.edge].to);
                if end.and_then(|l| prepared.main().locations[l].error) != Some(bounded.too_deep) {
                    return match pass::trace_back(store, &maps, trace) {
                        Some(trace) => Verdict::Unsafe(trace),
                        None => Verdict::Unknown("the trace cannot be brought back to the program".into()),
                    };
                }
                reason = format!("recursive calls are followed to a depth of {depth}");
            }
            // The invariant was checked; its locations are copies that the program that was read does not have.
            Verdict::Safe(invariant) => {
                let text = write_by_position(store, &prepared, &invariant.formulas);
                task.keep_proof(engine, Form::Bounded(depth), text, None);
                return Verdict::Safe(Invariant::default());
            }
            verdict => return verdict,
        }
    }
    Verdict::Unknown(reason)
}

/// Are there calls that could not be inlined?
fn has_calls(program: &Program) -> bool {
    program.main().edges.iter().any(|e| matches!(e.action, Action::Call(_)))
}
