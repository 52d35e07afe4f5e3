//! C programs.

use super::{Refused, Report};
use crate::arguments::{DataModel, VerifyOptions};
use crate::exit;
use bolide_base::{Budget, Stats};
use bolide_engine::program::{Invariant, ProgramVerdict, impact};
use bolide_engine::{Candidate, Verdict, horn, portfolio};
use bolide_front::c::interp::{End, Interpreter, Replay};
use bolide_front::c::{self, Source, Task};
use bolide_model::pass::{self, BackMap, Trace};
use bolide_model::{Action, Outcome, Program, Runner};
use bolide_term::Store;
use std::path::Path;
use std::process::Command;

/// Inlining stops when the program has this many edges.
const INLINE_LIMIT: usize = 200_000;

/// Decides a C program.
pub fn verify(file: &Path, text: &[u8], options: &VerifyOptions, budget: &Budget) -> Result<Report, Refused> {
    let Some(engines) = Engine::by_name(&options.engine) else {
        eprintln!(
            "bolide: there is no engine `{}` for C programs; known are impact, {}",
            options.engine,
            horn::Engine::NAMES
        );
        return Err(Refused(exit::USAGE));
    };
    let mut store = Store::new();
    let (task, prepared) = load(&mut store, file, text, options.data_model, budget)?;
    let (program, maps) = match prepared {
        Ok(prepared) => prepared,
        Err(reason) => return Ok(Report::unknown(&reason)),
    };
    let finish = |store: &mut Store, verdict: ProgramVerdict, statistics: Stats, budget: &Budget| {
        let report = report(store, &task, &maps, verdict, statistics, budget);
        (report.code != exit::UNKNOWN, report)
    };
    let candidates = candidates(&engines, &program, options);
    Ok(portfolio(&store, &candidates, super::jobs(options), budget, &finish))
}

/// Reads a C program and prepares it for the engines, or says why it cannot be prepared.
pub fn load(
    store: &mut Store,
    file: &Path,
    text: &[u8],
    data_model: DataModel,
    budget: &Budget,
) -> Result<(Task, Result<(Program, Vec<BackMap>), String>), Refused> {
    let name = file.display().to_string();
    let text = String::from_utf8_lossy(text).into_owned();
    let text = if Source::needs_preprocessing(&text) { preprocess(file)? } else { text };
    let data_model = match data_model {
        DataModel::Ilp32 => c::DataModel::Ilp32,
        DataModel::Lp64 => c::DataModel::Lp64,
    };
    let front = c::Options { data_model, ..c::Options::default() };
    let task = c::load(store, &name, &text, &front).map_err(|error| {
        eprintln!("{}: error: {}\n  {}", error.position, error.message, error.source_line.trim_end());
        Refused(exit::BAD_INPUT)
    })?;
    let prepared = pass::prepare(store, &task.program, INLINE_LIMIT, budget);
    Ok((task, prepared.map_err(|error| error.to_string())))
}

/// Runs the system's C preprocessor.
fn preprocess(file: &Path) -> Result<String, Refused> {
    let output = Command::new("cc").arg("-E").arg(file).output().map_err(|error| {
        eprintln!(
            "{}: error: the file needs a preprocessor, but `cc -E` cannot be run: {error}",
            file.display()
        );
        Refused(exit::BAD_INPUT)
    })?;
    if !output.status.success() {
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        eprintln!("{}: error: `cc -E` failed", file.display());
        return Err(Refused(exit::BAD_INPUT));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// An engine for C programs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Engine {
    /// Lazy abstraction with interpolants.
    Impact,
    /// An engine for Horn clauses.
    Horn(horn::Engine),
}

impl Engine {
    /// The engines that `auto` runs, with their parts of the time.
    const AUTO: &[(Engine, u32)] =
        &[(Engine::Impact, 4), (Engine::Horn(horn::Engine::Bmc), 1), (Engine::Horn(horn::Engine::Pdr), 4)];

    /// The engines that a name stands for.
    fn by_name(name: &str) -> Option<Vec<(Engine, u32)>> {
        match name {
            "auto" => Some(Engine::AUTO.to_vec()),
            "impact" => Some(vec![(Engine::Impact, 1)]),
            _ => horn::Engine::by_name(name).map(|e| vec![(Engine::Horn(e), 1)]),
        }
    }
}

fn candidates<'a>(
    engines: &[(Engine, u32)],
    program: &'a Program,
    options: &VerifyOptions,
) -> Vec<Candidate<'a, Invariant, Trace>> {
    let mut config = impact::Config::default();
    config.interpolation.verify |= options.check;
    let candidate = |&(engine, weight): &(Engine, u32)| {
        let config = config.clone();
        let run = move |store: &mut Store, budget: &Budget, stats: &mut Stats| match engine {
            Engine::Impact if has_calls(program) => {
                Verdict::Unknown("impact does not follow recursive calls; pdr does".into())
            }
            Engine::Impact => {
                let (verdict, own) = impact::run(store, program, &config, budget);
                *stats = own;
                verdict
            }
            Engine::Horn(engine) => horn::solve_program(store, program, engine, budget, stats),
        };
        Candidate { weight, run: Box::new(run) }
    };
    engines.iter().map(candidate).collect()
}

/// Are there calls that could not be inlined?
fn has_calls(program: &Program) -> bool {
    program.main().edges.iter().any(|e| matches!(e.action, Action::Call(_)))
}

fn report(
    store: &Store,
    task: &Task,
    maps: &[BackMap],
    verdict: ProgramVerdict,
    statistics: Stats,
    budget: &Budget,
) -> Report {
    let mut report = match verdict {
        Verdict::Safe(_) => {
            Report { verdict: "safe".into(), code: 0, witness: None, statistics: Stats::new() }
        }
        Verdict::Unknown(reason) => Report::unknown(&reason),
        Verdict::Unsafe(trace) => match replay(store, task, maps, trace, budget) {
            Ok(text) => Report {
                verdict: "unsafe".into(),
                code: exit::UNSAFE,
                witness: Some(text),
                statistics: Stats::new(),
            },
            Err(reason) => Report::unknown(&reason),
        },
    };
    report.statistics = statistics;
    report
}

/// Executes the trace on the program as it was read and on the typed C program; only an error there is an error.
fn replay(
    store: &Store,
    task: &Task,
    maps: &[BackMap],
    trace: Trace,
    budget: &Budget,
) -> Result<String, String> {
    let trace =
        pass::trace_back(store, maps, trace).ok_or("the trace cannot be brought back to the program")?;
    let mut runner = Runner::new(store, &task.program, &trace.initial);
    let Some(Outcome::Error(property)) = runner.replay(store, &trace) else {
        return Err("the trace of an error does not replay on the program".into());
    };
    let mut inputs = Replay::new(&task.program, &task.encoding, &trace);
    let mut interpreter = Interpreter::new(&task.unit);
    match interpreter.run(&mut inputs, budget) {
        End::Error(reached) if reached == property => {
            let property = &task.program.properties[property];
            let position = task.source.position(property.span);
            Ok(format!("{position}: {}\n", property.name))
        }
        _ => Err("the trace of an error does not replay in the C interpreter".into()),
    }
}
