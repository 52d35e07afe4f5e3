//! C programs.

mod accelerated;
mod attempt;
mod behind_assumptions;
mod certificate_facts;
mod certify;
mod checks;
mod contracts;
mod directed;
mod evidence;
mod explore;
mod inputs;
mod modular;
pub(crate) mod pictures;
mod prepared;
mod proof;
mod steady;
mod suggest;
mod testing;
mod trace;
mod vacuity;
mod values;
mod witness;

pub(crate) use evidence::Run;
pub(crate) use proof::{Boxed, Ended, Executed, Shaped};

use crate::cache::{Lookup, Question};
use crate::details::Drawing;
use crate::report::Subject;
use crate::{Error, Options, Report, Task, certificate, strategy};
use attempt::{Attempt, Claim, Purpose};
use bolide_base::{Budget, Stats};
use bolide_cert::Text;
use bolide_cert::format::hash;
use bolide_cert::program::INLINE_LIMIT;
use bolide_engine::{Reason, ReasonCode, portfolio};
use bolide_front::c::{self, DataModel, Floats, Ints, Rejection, Source};
use bolide_model::Trace;
use bolide_model::program::boxes;
use bolide_model::program::pass::{self};
use bolide_model::{Listing, Program, PropertyId};
use bolide_term::{Sort, Store};
use certify::{Kept, ProgramCertifier};
use prepared::Prepared;
use proof::Proof;
use testing::Tested;

/// The steps of the first round on a program with floating values, encoded one way and the other; the next round has four times as many.
const FLOAT_STEPS: u64 = 150_000;
const FLOAT_ROUNDS: u32 = 9;

/// Programs that inline to more locations are proved with calls skipped, if that is possible in so many steps.
const SKIP_CALLS: usize = 10_000;
const SKIPPED_STEPS: u64 = 300_000;

/// The effort for a proof by boxes, before anything else is tried on a program that may be made for one: a few seconds at most.
const BOXES_EFFORT: u64 = 20_000_000;

/// Decides a C program, part by part if that is asked for. If it is unsafe, a precondition of the entry is looked for.
pub(crate) fn verify(
    task: &Task,
    options: &Options,
    lookup: &mut Lookup<'_>,
    budget: &Budget,
    proofs: &dyn Fn() -> Budget,
) -> Result<Report, Error> {
    if options.program.modular {
        return modular::verify(task, options, lookup, budget, proofs);
    }
    let mut report = verify_program(task, options, lookup, budget, proofs)?;
    if options.suggest && report.verdict.is_unsafe() {
        report.suggestion = suggest::precondition(task, options, budget);
    }
    Ok(report)
}

/// Decides a C program. One with floating values is encoded in two ways, with real numbers and bit by bit, which take turns that
/// grow longer.
fn verify_program(
    task: &Task,
    options: &Options,
    lookup: &mut Lookup<'_>,
    budget: &Budget,
    proofs: &dyn Fn() -> Budget,
) -> Result<Report, Error> {
    let (mut reals, has_floats) = verify_encoded(task, options, lookup, None, budget, proofs)?;
    if !has_floats || options.program.ints != Ints::Machine || options.program.floats == Floats::Exact {
        return Ok(reals);
    }
    let mut exactly = options.clone();
    exactly.program.floats = Floats::Exact;
    let mut exact: Option<Report> = None;
    for round in 0..FLOAT_ROUNDS {
        if reals.verdict.is_known() || budget.exhausted() {
            return Ok(reals);
        }
        let steps = FLOAT_STEPS << (2 * round);
        if exact.as_ref().is_none_or(may_go_on) {
            let (report, _) = verify_encoded(task, &exactly, lookup, Some(steps), budget, proofs)?;
            if report.verdict.is_known() {
                return Ok(report);
            }
            exact = Some(report);
        }
        if budget.exhausted() || !may_go_on(&reals) && !exact.as_ref().is_some_and(may_go_on) {
            return Ok(reals);
        }
        if may_go_on(&reals) {
            (reals, _) = verify_encoded(task, options, lookup, Some(4 * steps), budget, proofs)?;
        }
    }
    Ok(reals)
}

/// Could more steps decide it?
fn may_go_on(report: &Report) -> bool {
    use ReasonCode::{Incomplete, ProofRejected, Steps, TraceRejected};
    let code = report.verdict.reason().map(|reason| reason.code);
    matches!(code, Some(Steps | Incomplete | ProofRejected | TraceRejected))
}

/// Decides a C program as its options say that it is encoded, within so many steps; and whether there are floating values in it. Without
/// a number of steps there is a limit only if there are.
fn verify_encoded(
    task: &Task,
    options: &Options,
    lookup: &mut Lookup<'_>,
    steps: Option<u64>,
    budget: &Budget,
    proofs: &dyn Fn() -> Budget,
) -> Result<(Report, bool), Error> {
    let source = task.source();
    if task.preprocessed.is_none() && Source::needs_preprocessing(source) {
        return Err(Error::NeedsPreprocessing);
    }
    let reading = budget.phase("reading");
    let mut store = Store::new();
    let program = c::load(&mut store, &task.name, source, &options.program).map_err(Error::C)?;
    reading.finish_phase();
    let has_floats = has_floats(task, &store, &program, &options.program);
    let may_change = has_floats && options.program.ints == Ints::Machine;
    // Bit by bit such a program is executed; with real numbers it has to be proved.
    let is_execution = may_change
        && steps.is_none()
        && options.program.floats != Floats::Exact
        && testing::asks_nothing(&store, &program);
    let first_steps = if is_execution { 1 } else { FLOAT_STEPS };
    let verification = Verification {
        task: &program,
        subject: subject(task, &options.program),
        read: &store,
        text: &task.text,
        certified: task.certified(),
        claim: task.kind.claim(&options.program),
        is_portable: task.is_portable,
        options,
        steps: steps.or(may_change.then_some(first_steps)),
        is_first: steps.is_none(),
    };
    let (mut report, kept) = verification.decide_task(lookup, budget);
    if let Some(rejection) = verification.rejection(&report) {
        return Err(Error::C(rejection));
    }
    let mut certifier = ProgramCertifier { verification: &verification, kept };
    certificate::add(task.kind, &mut report, options, lookup, &mut certifier, budget, &proofs());
    checks::list(&program, &mut report);
    modular::list(&program, &mut report);
    Ok((report, has_floats))
}

/// Do floating values matter? Whatever cannot be called may have some in it, and then both encodings are the same.
fn has_floats(task: &Task, store: &Store, program: &c::Task, options: &c::Options) -> bool {
    let encoded = &program.program;
    if program.unit.exprs.iter().all(|e| program.unit.types.format(e.ty).is_none()) {
        return false;
    }
    let mut sorts = encoded.vars.iter().map(|v| v.sort).chain(encoded.inputs.iter().map(|i| i.sort));
    if options.floats == Floats::Exact || sorts.any(|sort| sort == Sort::REAL) {
        return true;
    }
    let exactly = c::Options { floats: Floats::Exact, ..options.clone() };
    let mut other = Store::new();
    let Ok(exact) = c::load(&mut other, &task.name, task.source(), &exactly) else { return true };
    Listing(store, encoded).to_string() != Listing(&other, &exact.program).to_string()
}

/// What witnesses say about their task.
fn subject(task: &Task, options: &c::Options) -> Subject {
    let data_model = match options.data_model {
        DataModel::Ilp32 => "ILP32",
        DataModel::Lp64 => "LP64",
    };
    let specification = witness::specification(&options.properties);
    Subject { file: task.name.clone(), hash: hash(&task.text), data_model, specification }
}

/// What the attempts to decide a task share.
struct Verification<'a> {
    task: &'a c::Task,
    subject: Subject,
    /// The store that the task was read with, as it was then.
    read: &'a Store,
    /// The bytes of the file.
    text: &'a [u8],
    /// The text that was read, after preprocessing, for certificates.
    certified: Text<'a>,
    /// Do certificates carry the text?
    is_portable: bool,
    /// What is asked.
    claim: bolide_cert::Claim,
    options: &'a Options,
    /// The steps that the engines may take together, if there is a limit.
    steps: Option<u64>,
    /// Has nothing been tried yet?
    is_first: bool,
}

/// The answer of an engine: what is said about it, what a certificate is made of, and the unwinding.
struct Answer {
    report: Report,
    kept: Option<Kept>,
    drawing: Option<Drawing>,
}

/// The interpreter and the encoded program disagree about an execution.
struct Disagreement;

/// Why a proof is then no verdict.
fn disagreement() -> Reason {
    let message = "the interpreter runs into an error that the encoded program does not allow";
    Reason::new(ReasonCode::Internal, message)
}

impl Verification<'_> {
    /// Decides the task, and says what there is to say about its verdict.
    fn decide_task(&self, lookup: &mut Lookup<'_>, budget: &Budget) -> (Report, Option<Kept>) {
        let mut store = self.read.clone();
        let answer = self.look_up(lookup, budget).unwrap_or_else(|| match self.test(&mut store, budget) {
            Ok(Some(answer)) => answer,
            Ok(None) => self.decide(&mut store, &self.task.program, budget),
            Err(Disagreement) => match self.decide(&mut store, &self.task.program, budget) {
                answer if answer.report.verdict.is_safe() => self.unknown(disagreement()),
                answer => answer,
            },
        });
        let answer = match self.reaches_unsupported(&answer.report) {
            true => self.beside_unsupported(&mut store, answer, budget),
            false => answer,
        };
        let Answer { mut report, kept, drawing } = answer;
        if self.options.all {
            self.go_on(&mut store, &mut report, budget);
        }
        if report.verdict.is_safe() && self.options.vacuity {
            let mut reach =
                |store: &mut Store, program: &Program, budget: &Budget| self.reach(store, program, budget);
            report.vacuity = vacuity::examine(&mut store, self.task, &mut reach, budget);
        }
        if self.options.details {
            let mut details = pictures::details(self.task, &self.subject.file, self.text, &report);
            details.unwinding = drawing;
            report.details = Some(Box::new(details));
        }
        (report, kept)
    }

    /// Was an execution found that comes to something unsupported?
    fn reaches_unsupported(&self, report: &Report) -> bool {
        let reason = report.verdict.reason();
        !self.task.unsupported.is_empty() && reason.is_some_and(|r| r.code == ReasonCode::Unsupported)
    }

    /// Why the program is rejected: an execution comes to something unsupported.
    fn rejection(&self, report: &Report) -> Option<Rejection> {
        let reason = report.verdict.reason().filter(|_| self.reaches_unsupported(report))?;
        let found = self.task.unsupported.iter().find(|(_, d)| d.to_string() == reason.text)?;
        Some(Rejection { diagnostics: vec![found.1.clone()] })
    }

    /// An execution comes to something unsupported, so nothing can be proved; but others may run into an error before.
    fn beside_unsupported(&self, store: &mut Store, answer: Answer, budget: &Budget) -> Answer {
        let mut program = self.task.program.clone();
        for location in program.procs.iter_mut().flat_map(|p| p.locations.iter_mut()) {
            location.error = location.error.filter(|&p| !self.task.unit.is_unsupported(p));
        }
        if !program.procs.iter().any(|p| p.locations.iter().any(|l| l.error.is_some())) {
            return answer;
        }
        let other = self.decide(store, &program, budget);
        if other.report.verdict.is_unsafe() { other } else { answer }
    }

    /// Asks the cache.
    fn look_up(&self, lookup: &mut Lookup<'_>, budget: &Budget) -> Option<Answer> {
        if !lookup.is_on() {
            return None;
        }
        let mut store = self.read.clone();
        let (prepared, _) = pass::prepare(&mut store, &self.task.program, INLINE_LIMIT, budget).ok()?;
        let content = Listing(&store, &prepared).to_string();
        let question = Question { claim: &self.claim, content: &content, task: &self.certified };
        let found = lookup.ask(&question, budget)?;
        let (report, kept) = evidence::recall(store, self.task, &self.subject, &prepared, found, budget)?;
        Some(Answer { report: Report { engine: "cache".into(), ..report }, kept, drawing: None })
    }

    /// Looks for an error by testing, if the engines are not the user's choice.
    fn test(&self, store: &mut Store, budget: &Budget) -> Result<Option<Answer>, Disagreement> {
        if !self.tests() {
            return Ok(None);
        }
        let testing = budget.phase("testing");
        if testing::may_be_only(store, self.task)
            && let Some(answer) = self.execute(store, &testing)
        {
            return Ok(Some(answer));
        }
        if !self.is_first {
            // The same tests would come to the same end.
            return Ok(None);
        }
        let tested = match testing::search(store, self.task, &testing) {
            Tested::Nothing => {
                let steps = testing.clone().with_steps(explore::first_steps(self.task));
                explore::search(store, self.task, &steps).map_or(Tested::Nothing, |values| {
                    testing::found(store, self.task, &values, &testing)
                        .map_or(Tested::Difference, Tested::Error)
                })
            }
            tested => tested,
        };
        let found = match tested {
            Tested::Difference => return Err(Disagreement),
            Tested::Error(found) => Some(found),
            Tested::Nothing => testing::LongTest::new(self.read, self.task)
                .and_then(|test| test.run(self.task, testing::FIRST_LONG_STEPS, &testing)),
        };
        testing.finish_phase();
        let Some(found) = found else { return Ok(None) };
        let answer = self.reached(store, found, budget).map_err(|_| Disagreement)?;
        Ok(Some(Answer { report: Report { engine: "testing".into(), ..answer.report }, ..answer }))
    }

    /// The proof that running the program is, if inputs decide nothing in it.
    fn execute(&self, store: &mut Store, budget: &Budget) -> Option<Answer> {
        let budget = budget.clone().with_steps(testing::ONLY_STEPS);
        let proof = Proof::Execution(Executed::new(store, self.task, &budget)?);
        let report = evidence::proved(store, self.task, &self.subject, &self.task.program, &proof);
        let kept = Kept::Proof { store: Box::new(store.clone()), proof: Box::new(proof) };
        let report = Report { engine: "execution".into(), ..report };
        Some(Answer { report, kept: Some(kept), drawing: None })
    }

    /// Is the program tested before engines start?
    fn tests(&self) -> bool {
        let is_whole = self.task.unit.modular.is_none();
        is_whole && self.options.engine.is_none() && self.options.program.ints == Ints::Machine
    }

    /// The answer that a run into an error is, if it replays.
    fn reached(&self, store: &Store, found: testing::Found, budget: &Budget) -> Result<Answer, Reason> {
        let run = match found {
            testing::Found::Trace(trace) => evidence::replay(store, self.task, &trace, budget)?,
            testing::Found::Inputs(inputs) => evidence::of_test(self.task, inputs, budget)
                .ok_or_else(|| Reason::new(ReasonCode::TraceRejected, "the test does not fail again"))?,
        };
        let report = evidence::reached(self.task, &self.subject, &run, budget);
        Ok(Answer { report, kept: Some(Kept::Inputs(run.inputs())), drawing: None })
    }

    /// Decides whether any error location of a program can be reached: the task's, perhaps with fewer of them.
    fn decide(&self, store: &mut Store, program: &Program, budget: &Budget) -> Answer {
        let whole = budget;
        let budget = match self.steps {
            Some(steps) => &budget.clone().with_steps(steps),
            None => budget,
        };
        if let Some(answer) = self.prove_with_calls_skipped(store, program, budget) {
            return answer;
        }
        if let Some(answer) = self.prove_by_boxes(budget) {
            return answer;
        }
        if let Some(answer) = self.follow_executions(program, whole) {
            return answer;
        }
        let prepared = match self.prepare(store, program, budget) {
            Ok(prepared) => prepared,
            Err(reason) => return self.unknown(reason),
        };
        let finish = |engine: &'static str,
                      store: &mut Store,
                      attempt: Attempt,
                      statistics: Stats,
                      budget: &Budget| {
            let mut answer = match attempt.claim {
                Claim::Safe(proof) => self.proved(store, &prepared.program, proof),
                Claim::Unsafe(found) if self.task.unit.modular.is_some() => {
                    self.unknown(modular::too_weak(self.task, &found))
                }
                Claim::Unsafe(found) => match self.reached(store, found, budget) {
                    Ok(answer) => answer,
                    Err(reason) => self.unknown(reason),
                },
                Claim::Unknown(reason) => self.unknown(reason),
            };
            answer.report.engine = engine.into();
            answer.report.statistics = statistics;
            answer.drawing = attempt.drawing;
            (answer.report.verdict.is_known(), answer)
        };
        let candidates = self.candidates(store, &prepared, Purpose::Verdict { tests: self.tests() });
        let answer = portfolio(store, &candidates, self.options.jobs, budget, &finish);
        answer.unwrap_or_else(|| self.unknown(strategy::nothing_ran()))
    }

    /// The answer that a proof is about a program, which the engines have prepared.
    fn proved(&self, store: &mut Store, prepared: &Program, proof: Proof) -> Answer {
        let report = evidence::proved(store, self.task, &self.subject, prepared, &proof);
        let kept = Kept::Proof { store: Box::new(std::mem::take(store)), proof: Box::new(proof) };
        Answer { report, kept: Some(kept), drawing: None }
    }

    /// The proof by boxes of a program whose guards mostly compare variables with constants, if one is found soon.
    fn prove_by_boxes(&self, budget: &Budget) -> Option<Answer> {
        if !self.tests() || !self.is_first || !boxes::suits(self.read, &self.task.program) {
            return None;
        }
        let budget = budget.phase("boxes").with_effort(BOXES_EFFORT);
        // The checker prepares the program with this store, too, so that locations have the same numbers.
        let mut store = self.read.clone();
        let proof = Boxed::new(&mut store, self.task, &budget);
        budget.finish_phase();
        let mut answer = self.proved(&mut store, &self.task.program, Proof::Boxes(proof?));
        answer.report.engine = "boxes".into();
        Some(answer)
    }

    /// The answer about a large program whose executions can soon be followed to their ends; it is asked for once.
    fn follow_executions(&self, program: &Program, budget: &Budget) -> Option<Answer> {
        if !self.tests() || self.steps.is_some_and(|steps| steps > FLOAT_STEPS) {
            return None;
        }
        let mut store = self.read.clone();
        let unwinding = budget.phase("unwinding");
        let claim = self.unwind_large(&mut store, program, &unwinding);
        unwinding.finish_phase();
        let mut answer = match claim? {
            Claim::Safe(proof) => self.proved(&mut store, &self.task.program, proof),
            Claim::Unsafe(found) => self.reached(&store, found, budget).ok()?,
            Claim::Unknown(_) => return None,
        };
        answer.report.engine = "unwinding".into();
        Some(answer)
    }

    /// The proof of a large program that needs none of the calls that can be skipped, if one is found soon. Preparing such
    /// a program takes longer than proving it, if it is possible at all.
    fn prove_with_calls_skipped(&self, store: &Store, program: &Program, budget: &Budget) -> Option<Answer> {
        if pass::inlined_size(program) <= SKIP_CALLS {
            return None;
        }
        let mut store = store.clone();
        let skipped = pass::skip_calls(&mut store, program)?;
        let budget = budget.clone().with_steps(SKIPPED_STEPS);
        let prepared = self.prepare(&mut store, &skipped, &budget).ok()?;
        // What is proved about recursion says nothing without the calls that it is about.
        if prepared.has_calls() {
            return None;
        }
        let finish =
            |engine: &'static str, store: &mut Store, attempt: Attempt, statistics: Stats, _: &Budget| {
                let (program, invariant) = match attempt.claim {
                    Claim::Safe(Proof::Invariant(program, invariant)) => (program, invariant),
                    // No engine proves it then.
                    Claim::Unsafe(_) => return (true, None),
                    _ => return (false, None),
                };
                let mut answer = self.proved(store, &prepared.program, Proof::Skipped(program, invariant));
                answer.report.engine = engine.into();
                answer.report.statistics = statistics;
                (true, Some(answer))
            };
        let candidates = self.candidates(&store, &prepared, Purpose::Reachability);
        portfolio(&store, &candidates, self.options.jobs, &budget, &finish).flatten()
    }

    fn unknown(&self, reason: Reason) -> Answer {
        let report = evidence::unknown(self.task, reason);
        Answer { report, kept: None, drawing: None }
    }

    /// Can an error location of a program be reached? `None` if that is not known; the trace if it can. What shows that it cannot
    /// is of no interest.
    fn reach(&self, store: &mut Store, program: &Program, budget: &Budget) -> Option<Option<Trace>> {
        let prepared = self.prepare(store, program, budget).ok()?;
        let finish =
            |_: &'static str, _: &mut Store, attempt: Attempt, _: Stats, _: &Budget| match attempt.claim {
                Claim::Safe(_) => (true, Some(None)),
                Claim::Unsafe(testing::Found::Trace(trace)) => (true, Some(Some(trace))),
                _ => (false, None),
            };
        let candidates = self.candidates(store, &prepared, Purpose::Reachability);
        portfolio(store, &candidates, self.options.jobs, budget, &finish).flatten()
    }

    /// Makes a program ready for the engines, or says why that is not possible.
    fn prepare(&self, store: &mut Store, program: &Program, budget: &Budget) -> Result<Prepared, Reason> {
        let preparing = budget.phase("preparing");
        let prepared = Prepared::new(store, program, self.options, budget);
        preparing.finish_phase();
        prepared
    }

    /// After a violation: decides the other properties, about the executions that do not violate the first ones before.
    fn go_on(&self, store: &mut Store, report: &mut Report, budget: &Budget) {
        let mut program = self.task.program.clone();
        while report.verdict.is_unsafe() {
            for location in program.procs.iter_mut().flat_map(|p| p.locations.iter_mut()) {
                let violated = |p: PropertyId| report.properties[p.index()].verdict.is_unsafe();
                location.error = location.error.filter(|&p| !violated(p));
            }
            let next = self.decide(store, &program, budget).report;
            let mut is_news = false;
            for (n, property) in report.properties.iter_mut().enumerate() {
                if property.verdict.is_unsafe() {
                    continue;
                }
                property.verdict = match next.verdict.is_unsafe() {
                    true => match next.properties.get(n) {
                        Some(p) if p.verdict.is_unsafe() => {
                            is_news = true;
                            p.verdict.clone()
                        }
                        _ => continue,
                    },
                    false => next.verdict.clone(),
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
