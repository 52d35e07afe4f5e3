//! The engines on a C program and on other forms of it, as candidates of a portfolio.
//!
//! | form | what it is |
//! |---|---|
//! | the program | as it was prepared |
//! | without overflow | under the assumption that integers do not wrap; what is proved there is carried over |
//! | over-approximations | proofs about them are proofs about the program, but say less to a reader |
//! | on words | integers are words; the engines for circuits decide it bit by bit |
//! | bounded recursion | for engines that want one procedure, deeper and deeper |
//! | summaries | clauses in which procedures have summaries |
//! | calls | the same for the calls that happen, with facts that executions suggest |
//! | accelerated | clauses, and among them some for many rounds of a loop at once |

use super::Verification;
use super::accelerated;
use super::behind_assumptions;
use super::directed;
use super::explore;
use super::pictures;
use super::prepared::{Abstracted, Prepared, reason};
use super::proof::{Proof, Shaped, Summaries, Unwinding};
use super::steady;
use super::testing;
use crate::certificate::PREPARING;
use crate::details::Drawing;
use crate::strategy::{self, Facts};
use bolide_base::{Budget, Stats};
use bolide_cert::program::{INLINE_LIMIT, prepare_unwinding, prepare_words};
use bolide_engine::board::Seat;
use bolide_engine::horn::{Settings, solve_calls, solve_program, solve_with_summaries};
use bolide_engine::program::no_overflow::{self, Found};
use bolide_engine::program::{ProgramVerdict, affine, impact, prefer_inputs, relax};
use bolide_engine::{Candidate, Engine, Input, Reason, ReasonCode, Verdict};
use bolide_front::c::interp::Replay;
use bolide_model::Program;
use bolide_model::Trace;
use bolide_model::program::back::{self, BackMap};
use bolide_model::program::pass::{self, Abstraction};
use bolide_model::program::unwind::{self, Numbers};
use bolide_term::{Sort, Store};

/// How deep recursive calls are followed, one attempt after the other.
const DEPTHS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];
/// The share of a long test. Its steps cost little: this is about a quarter of the time.
const TEST_SHARE: u32 = 200;

/// The share of the search for shapes, which reports more effort than engines do for the same time: this is about an eighth of the time.
const SHAPES_SHARE: u32 = 192;

/// The share of following all executions to their ends, with each kind of values, and how often loops go round, one attempt after the other.
const UNWINDING_SHARE: u32 = 12;
const UNWINDING_ROUNDS: [usize; 6] = [4, 12, 40, 130, 400, 1200];
/// If loops go round more often than an attempt has followed them and the attempts have cost so much, the next ones rarely come to an end,
/// and their share is so many times smaller. So it is if that question is hard to decide.
const UNWINDING_EFFORT: u64 = 1_000_000;
const UNWINDING_CEDES: u32 = 4;
/// Programs that inline to more locations are not unwound next to the engines, but before them, if only a part of them is in loops.
const UNWINDING_SIZE: usize = 4_000;
/// The effort for that: a few seconds at most, where preparing the program for the engines takes longer.
const LARGE_EFFORT: u64 = 30_000_000;
/// Of so many locations one at most may be in a loop.
const LARGE_LOOPS: usize = 4;

/// Of programs with calls and more locations, mostly drivers, few are decided by way of summaries.
const MANY_LOCATIONS: usize = 2_000;

/// The share of directed tests, which end soon.
const DIRECTED_SHARE: u32 = 32;

/// The share of tests behind assumptions, which end soon.
const BEHIND_ASSUMPTIONS_SHARE: u32 = 32;

/// The share of the search through states: about an eighth of the time.
const STATES_SHARE: u32 = 100;

/// The share of tests with steady inputs, which end soon: about a twelfth of the time until then.
const STEADY_SHARE: u32 = 128;

/// What the engines are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// A verdict on the task, also by tests if these are wanted.
    Verdict { tests: bool },
    /// Whether a program made of the task's can reach an error. Nobody executes the trace as a C program.
    Reachability,
}

/// A search for an execution that runs into an error.
type Search<'a> = Box<dyn Fn(&mut Store, &Budget) -> Option<testing::Found> + Send + Sync + 'a>;

/// What an engine says, in words about the program that was read.
pub type Claim = Verdict<Proof, testing::Found>;

/// What came of an engine.
pub struct Attempt {
    /// What it says.
    pub claim: Claim,
    /// Its unwinding, if it has one and it is to be drawn.
    pub drawing: Option<Drawing>,
}

/// The form of the program that a candidate works on.
#[derive(Clone, Copy)]
enum Form<'a> {
    Program,
    NoOverflow(&'a Program),
    Abstract(&'a Abstracted),
    AbstractNoOverflow(&'a Abstracted),
    Words(Facts),
    BoundedRecursion,
    Summaries,
    Calls,
    Accelerated,
}

impl Verification<'_> {
    /// The candidates; those of engines that unwind come first.
    pub fn candidates<'a>(
        &'a self,
        store: &Store,
        prepared: &'a Prepared,
        purpose: Purpose,
    ) -> Vec<Candidate<'a, Store, Attempt>> {
        let tests = purpose == Purpose::Verdict { tests: true };
        let mut candidates = Vec::new();
        let mut forms: Vec<(Engine, Form<'a>, u32)> = Vec::new();
        for (engine, share) in strategy::engines(Input::Program, self.options.engine) {
            forms.extend(
                forms_of(engine, self.options.engine.is_some(), prepared)
                    .into_iter()
                    .map(|(form, part)| (engine, form, share * part)),
            );
        }
        if prepared.suits_words(store) {
            let on_words = strategy::on_words(self.options.engine);
            forms.extend(
                on_words.into_iter().map(|(engine, facts, share)| (engine, Form::Words(facts), share)),
            );
        }
        for (engine, form, share) in forms {
            let run = move |store: &mut Store, budget: &Budget, stats: &mut Stats| {
                let worker = Worker { verification: self, prepared, engine, purpose, drawing: None };
                worker.run(form, store, budget, stats)
            };
            candidates.push(Candidate { name: engine.name(), share, run: Box::new(run) });
        }
        if tests && self.task.unit.guards_memory {
            let run = move |_: &mut Store, budget: &Budget, _: &mut Stats| Attempt {
                claim: match Shaped::new(self.task, budget) {
                    Ok(shapes) => Verdict::Safe(Proof::Shapes(shapes)),
                    Err(why) => Verdict::unknown(why.0),
                },
                drawing: None,
            };
            candidates.push(Candidate { name: "shapes", share: SHAPES_SHARE, run: Box::new(run) });
        }
        if tests && !prepared.has_calls() && pass::inlined_size(&self.task.program) <= UNWINDING_SIZE {
            for numbers in [Numbers::Integers, Numbers::Words] {
                let run = move |store: &mut Store, budget: &Budget, _: &mut Stats| Attempt {
                    claim: self.unwind(store, prepared, numbers, budget),
                    drawing: None,
                };
                candidates.push(Candidate { name: "unwinding", share: UNWINDING_SHARE, run: Box::new(run) });
            }
        }
        if !tests {
            return candidates;
        }
        let mut test = |name, share, search: Search<'a>| {
            let run = move |store: &mut Store, budget: &Budget, _: &mut Stats| Attempt {
                claim: search(store, budget)
                    .map_or_else(|| Verdict::unknown("no test fails"), Verdict::Unsafe),
                drawing: None,
            };
            candidates.push(Candidate { name, share, run: Box::new(run) });
        };
        if let Some(long) = testing::LongTest::new(self.read, self.task) {
            let run = move |_: &mut Store, budget: &Budget| long.run(self.task, testing::LONG_STEPS, budget);
            test("testing", TEST_SHARE, Box::new(run));
        }
        if !self.task.program.inputs.is_empty() {
            let run = |store: &mut Store, budget: &Budget| directed::search(store, self.task, budget);
            test("directed tests", DIRECTED_SHARE, Box::new(run));
            let run = |_: &mut Store, budget: &Budget| {
                let values =
                    explore::wide_search(self.read, self.task, &budget.clone().with_steps(explore::STEPS))?;
                // The interpreter alone says what is an error.
                Some(testing::Found::Inputs(Replay::default().with_scalars(&values)))
            };
            test("states", STATES_SHARE, Box::new(run));
            let run = |_: &mut Store, budget: &Budget| {
                steady::search(self.task, &budget.clone().with_steps(steady::STEPS))
            };
            test("steady tests", STEADY_SHARE, Box::new(run));
            if !prepared.has_calls() {
                let run = |store: &mut Store, budget: &Budget| {
                    behind_assumptions::search(store, self.task, prepared, budget)
                };
                test("tests behind assumptions", BEHIND_ASSUMPTIONS_SHARE, Box::new(run));
            }
        }
        candidates
    }

    /// Follows all executions of a large program to their ends, if that is likely to be possible: hardly any of it is in loops. Programs
    /// that are made of threads with a bound on their rounds look like that, and preparing them for the engines takes longer than this.
    pub fn unwind_large(&self, store: &mut Store, sought: &Program, budget: &Budget) -> Option<Claim> {
        let task = &self.task.program;
        // Words have no values of real numbers.
        let mut sorts = task.vars.iter().map(|v| v.sort).chain(task.inputs.iter().map(|i| i.sort));
        if pass::inlined_size(task) <= UNWINDING_SIZE || sorts.any(|sort| sort == Sort::REAL) {
            return None;
        }
        let budget = budget.clone().with_effort(LARGE_EFFORT);
        let (program, maps) = prepare_unwinding(store, self.task, &budget).ok()?;
        if unwind::in_loops(program.main()) > program.main().locations.len() / LARGE_LOOPS {
            return None;
        }
        let claim = self.follow(store, &program, &maps, sought, Numbers::Words, &budget);
        Some(claim).filter(Verdict::is_known)
    }

    /// Follows all executions to their ends, if they have ends, or until one runs into an error.
    fn unwind(&self, store: &mut Store, prepared: &Prepared, numbers: Numbers, budget: &Budget) -> Claim {
        match prepare_unwinding(store, self.task, budget) {
            Ok((program, maps)) => self.follow(store, &program, &maps, &prepared.original, numbers, budget),
            Err(why) => Verdict::unknown(why.to_string()),
        }
    }

    /// The same for a program that is prepared, with the way back from it. What is `sought` has the errors that are looked for.
    fn follow(
        &self,
        store: &mut Store,
        program: &Program,
        maps: &[BackMap],
        sought: &Program,
        numbers: Numbers,
        budget: &Budget,
    ) -> Claim {
        let mut has_ceded = false;
        let mut cede = || {
            if !std::mem::replace(&mut has_ceded, true) {
                budget.cede(UNWINDING_CEDES);
            }
        };
        for rounds in UNWINDING_ROUNDS {
            if budget.spent() > UNWINDING_EFFORT {
                cede();
            }
            // What one attempt made is of no use for the next one.
            match Unwinding::new(&mut store.clone(), program, numbers, rounds, budget, &mut cede) {
                Unwinding::Safe(ended) => return Verdict::Safe(Proof::Unwinding(ended)),
                Unwinding::Unsafe(trace) if is_wanted(sought, program, &trace) => {
                    let trace = prefer_inputs(store, program, trace, budget);
                    return mapped_back(store, maps, trace);
                }
                Unwinding::Longer => {}
                Unwinding::Open | Unwinding::Unsafe(_) => {
                    return Verdict::unknown("not all executions could be followed");
                }
            }
        }
        Verdict::unknown("loops go round too often")
    }
}

/// Does a trace lead into an error that is still looked for?
fn is_wanted(sought: &Program, program: &Program, trace: &Trace) -> bool {
    let end = trace.steps.last().map(|s| program.procs[s.proc].edges[s.edge].to);
    let Some(violated) = end.and_then(|l| program.main().locations[l].error) else { return false };
    sought.procs.iter().any(|p| p.locations.iter().any(|l| l.error == Some(violated)))
}

/// The forms of a program that an engine works on, with their parts of its share. The program itself comes first: proofs about it
/// tell most.
fn forms_of<'a>(engine: Engine, chosen: bool, prepared: &'a Prepared) -> Vec<(Form<'a>, u32)> {
    if prepared.has_calls() {
        let locations: usize = prepared.original.procs.iter().map(|p| p.locations.len()).sum();
        return match unwinds(engine) {
            true => vec![(Form::BoundedRecursion, 4)],
            false if engine == Engine::Pdr && locations <= MANY_LOCATIONS => {
                vec![(Form::Summaries, 4), (Form::Calls, 2)]
            }
            false => vec![(Form::Summaries, if locations > MANY_LOCATIONS { 2 } else { 4 })],
        };
    }
    if !engine.proves() {
        return vec![(Form::Program, 4), (Form::Accelerated, 2)];
    }
    let mut forms = Vec::new();
    match &prepared.no_overflow {
        Some((program, _)) if no_overflow::is_useful(&prepared.program, program) => {
            forms.push((Form::NoOverflow(program), 3));
            forms.push((Form::Program, 2));
        }
        _ => forms.push((Form::Program, 4)),
    }
    for abstracted in &prepared.abstracted {
        // The first one leads to a proof most often, and phases do so soon.
        let part = match abstracted.abstraction {
            Abstraction::CellsAndConstants => 3,
            Abstraction::CellsInPhases => 2,
            Abstraction::Cells | Abstraction::Constants => 1,
        };
        if no_overflow::is_useful(&abstracted.program, &abstracted.no_overflow) {
            forms.push((Form::AbstractNoOverflow(abstracted), part));
            if abstracted.abstraction == Abstraction::CellsAndConstants {
                forms.push((Form::Abstract(abstracted), 1));
            }
        } else {
            forms.push((Form::Abstract(abstracted), part));
        }
    }
    if strategy::is_accelerated(engine) && (chosen || engine == Engine::Pdr) {
        forms.push((Form::Accelerated, 1));
    }
    forms
}

/// Does an engine unwind one procedure?
fn unwinds(engine: Engine) -> bool {
    matches!(engine, Engine::Impact | Engine::Relax)
}

/// An engine at work on one form of a program.
struct Worker<'a> {
    verification: &'a Verification<'a>,
    prepared: &'a Prepared,
    engine: Engine,
    purpose: Purpose,
    /// The latest unwinding.
    drawing: Option<Drawing>,
}

impl Worker<'_> {
    fn run(mut self, form: Form<'_>, store: &mut Store, budget: &Budget, stats: &mut Stats) -> Attempt {
        let prepared = self.prepared;
        let program = &prepared.program;
        let claim = match form {
            Form::Program => {
                let verdict = self.engine(store, program, budget, stats);
                self.about_program(store, Found::Program(verdict), budget)
            }
            Form::NoOverflow(no_overflow) => {
                let mut run = |store: &mut Store, p: &Program, budget: &Budget, stats: &mut Stats| {
                    self.engine(store, p, budget, stats)
                };
                let found = no_overflow::solve(store, program, no_overflow, &mut run, budget, stats);
                self.about_program(store, found, budget)
            }
            Form::Abstract(a) => {
                let verdict = self.engine(store, &a.program, budget, stats);
                about_abstraction(a, Found::Program(verdict))
            }
            Form::AbstractNoOverflow(a) => {
                let mut run = |store: &mut Store, p: &Program, budget: &Budget, stats: &mut Stats| {
                    self.engine(store, p, budget, stats)
                };
                let found = no_overflow::solve(store, &a.program, &a.no_overflow, &mut run, budget, stats);
                about_abstraction(a, found)
            }
            Form::Words(facts) => self.on_words(facts, store, budget, stats),
            Form::BoundedRecursion => self.with_growing_depth(store, budget, stats),
            Form::Summaries | Form::Calls => self.with_summaries(form, store, budget, stats),
            Form::Accelerated => self.accelerated(store, budget, stats),
        };
        Attempt { claim, drawing: self.drawing }
    }

    /// Runs the engine on a program without calls.
    fn engine(
        &mut self,
        store: &mut Store,
        program: &Program,
        budget: &Budget,
        stats: &mut Stats,
    ) -> ProgramVerdict {
        let settings = &self.verification.options.engines;
        let board = self.prepared.board(program).map(Seat::new);
        let picture = if self.verification.options.details { pictures::VERTICES } else { 0 };
        let (verdict, own, picture) = match self.engine {
            Engine::Impact => {
                let config = impact::Config { picture, board, ..settings.impact.clone() };
                impact::run_with_picture(store, program, &config, budget)
            }
            Engine::Relax => {
                let config = relax::Config { picture, ..settings.relax.clone() };
                relax::run_with_picture(store, program, &config, budget)
            }
            engine => {
                let settings = Settings { board, ..settings.clone() };
                return solve_program(store, program, engine, &settings, budget, stats);
            }
        };
        stats.merge(&own);
        self.drawing = picture.map(|p| pictures::unwinding(store, self.verification.task, program, &p));
        verdict
    }

    /// Runs the engine on clauses among which some are for many rounds of a loop at once.
    fn accelerated(&self, store: &mut Store, budget: &Budget, stats: &mut Stats) -> Claim {
        let program = &self.prepared.program;
        let settings = Settings { accelerate: true, ..self.verification.options.engines.clone() };
        let trace = match solve_program(store, program, self.engine, &settings, budget, stats) {
            Verdict::Unsafe(trace) => trace,
            verdict => return self.about_program(store, Found::Program(verdict), budget),
        };
        match accelerated::run(program, trace) {
            Some(accelerated::Run::Listed(trace)) => {
                self.back(store, program, &self.prepared.maps, trace, budget)
            }
            Some(accelerated::Run::Inputs(inputs)) => Verdict::Unsafe(inputs),
            None => Verdict::unknown("the execution that shows the error is too long"),
        }
    }

    /// A verdict on the prepared program, said about the program that was read.
    fn about_program(&self, store: &mut Store, found: Found, budget: &Budget) -> Claim {
        let prepared = self.prepared;
        let (trace, program, maps) = match (found, &prepared.no_overflow) {
            (Found::Program(Verdict::Safe(invariant)), _) => {
                return Verdict::Safe(Proof::Invariant(prepared.program.clone(), invariant));
            }
            (Found::Program(Verdict::Unknown(reason)), _) => return Verdict::Unknown(reason),
            (Found::Program(Verdict::Unsafe(trace)), _) => (trace, &prepared.program, &prepared.maps),
            (Found::NoOverflow(trace), Some((no_overflow, maps))) => (trace, no_overflow, maps),
            (Found::NoOverflow(_), None) => return Verdict::Unknown(unmapped()),
        };
        self.back(store, program, maps, trace, budget)
    }

    /// A trace of a prepared program as one of the program that was read.
    fn back(
        &self,
        store: &mut Store,
        program: &Program,
        maps: &[BackMap],
        trace: Trace,
        budget: &Budget,
    ) -> Claim {
        let trace = match self.purpose {
            Purpose::Verdict { .. } => prefer_inputs(store, program, trace, budget),
            Purpose::Reachability => trace,
        };
        mapped_back(store, maps, trace)
    }

    /// Runs the engine for circuits on the program on words.
    fn on_words(&self, facts: Facts, store: &mut Store, budget: &Budget, stats: &mut Stats) -> Claim {
        let before = budget.spent();
        let (on_words, maps) = match prepare_words(store, &self.prepared.original, budget) {
            Ok(prepared) => prepared,
            Err(why) => return Verdict::unknown(why.to_string()),
        };
        stats.count(PREPARING, budget.spent() - before);
        let settings = Settings { bits: true, ..self.verification.options.engines.clone() };
        let mut solve = |store: &mut Store, program: &Program, budget: &Budget, stats: &mut Stats| {
            solve_program(store, program, self.engine, &settings, budget, stats)
        };
        let verdict = match facts {
            Facts::None => solve(store, &on_words.program, budget, stats),
            Facts::Affine => affine::solve(store, &on_words.program, &mut solve, budget, stats),
        };
        match verdict {
            Verdict::Safe(invariant) => Verdict::Safe(Proof::Words(on_words.program, invariant)),
            Verdict::Unsafe(trace) => match on_words.trace_back(&trace) {
                Some(trace) => mapped_back(store, &maps, trace),
                None => Verdict::Unknown(unmapped()),
            },
            Verdict::Unknown(reason) => Verdict::Unknown(reason),
        }
    }

    /// Runs the engine on the clauses of a program with calls.
    fn with_summaries(&self, form: Form<'_>, store: &mut Store, budget: &Budget, stats: &mut Stats) -> Claim {
        let program = &self.prepared.program;
        let settings = &self.verification.options.engines;
        let verdict = match form {
            Form::Calls => solve_calls(store, program, settings, budget, stats),
            _ => solve_with_summaries(store, program, self.engine, settings, budget, stats),
        };
        match verdict {
            Verdict::Safe(solution) => {
                Verdict::Safe(Proof::Summaries(Box::new(Summaries::new(store, program, solution))))
            }
            Verdict::Unsafe(trace) => self.back(store, program, &self.prepared.maps, trace, budget),
            Verdict::Unknown(reason) => Verdict::Unknown(reason),
        }
    }

    /// Runs the engine on the program with its recursion followed to one depth after the other.
    fn with_growing_depth(&mut self, store: &mut Store, budget: &Budget, stats: &mut Stats) -> Claim {
        let mut known = "there are calls that cannot be inlined".to_string();
        for depth in DEPTHS {
            let before = budget.spent();
            let Some(bounded) = pass::bound_recursion(store, &self.prepared.original, depth) else { break };
            let (prepared, mut maps) = match pass::prepare(store, &bounded.program, INLINE_LIMIT, budget) {
                Ok(prepared) => prepared,
                Err(error) => {
                    let reason = reason(error);
                    let text = format!("{known}; {reason}");
                    return Verdict::Unknown(reason.with_text(text));
                }
            };
            maps.insert(0, bounded.map);
            stats.count(PREPARING, budget.spent() - before);
            match self.engine(store, &prepared, budget, stats) {
                Verdict::Unsafe(trace) => {
                    let end = trace.steps.last().map(|s| prepared.procs[s.proc].edges[s.edge].to);
                    if end.and_then(|l| prepared.main().locations[l].error) != Some(bounded.too_deep) {
                        let count = self.prepared.original.vars.len();
                        return without_copies(self.back(store, &prepared, &maps, trace, budget), count);
                    }
                    known = format!("recursive calls are followed to a depth of {depth}");
                }
                // The locations are copies that the program that was read does not have.
                Verdict::Safe(invariant) => {
                    return Verdict::Safe(Proof::Bounded(depth, prepared, invariant));
                }
                Verdict::Unknown(reason) => return Verdict::Unknown(reason),
            }
        }
        Verdict::Unknown(Reason::new(ReasonCode::Incomplete, known))
    }
}

/// A verdict on an over-approximation: only a proof says something about the program.
fn about_abstraction(abstracted: &Abstracted, found: Found) -> Claim {
    match found {
        Found::Program(Verdict::Safe(invariant)) => {
            Verdict::Safe(Proof::Abstract(abstracted.abstraction, abstracted.program.clone(), invariant))
        }
        Found::Program(Verdict::Unknown(reason)) => Verdict::Unknown(reason),
        Found::Program(Verdict::Unsafe(_)) | Found::NoOverflow(_) => {
            Verdict::unknown("the over-approximation has an error")
        }
    }
}

fn mapped_back(store: &Store, maps: &[BackMap], trace: Trace) -> Claim {
    match back::trace_back(store, maps, trace) {
        Some(trace) => Verdict::Unsafe(testing::Found::Trace(trace)),
        None => Verdict::Unknown(unmapped()),
    }
}

/// A trace without the first values of variables that a program has for deeper calls, behind its own ones.
fn without_copies(claim: Claim, count: usize) -> Claim {
    match claim {
        Verdict::Unsafe(testing::Found::Trace(mut trace)) => {
            trace.initial.retain(|(v, _)| v.index() < count);
            Verdict::Unsafe(testing::Found::Trace(trace))
        }
        other => other,
    }
}

fn unmapped() -> Reason {
    Reason::new(ReasonCode::Internal, "internal: the trace could not be mapped back to the source")
}
