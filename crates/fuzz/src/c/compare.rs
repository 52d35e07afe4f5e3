//! What must agree with the compiler: the interpreter, the encoded program, the prepared program, and the verdicts.

use super::compiler::Target;
use crate::guard::catch;
use bolide_base::{Budget, Rational};
use bolide_front::c::interp::{End, Interpreter};
use bolide_front::c::{DataModel, Options, load};
use bolide_model::program::back::trace_back;
use bolide_model::program::pass::prepare;
use bolide_model::{InputId, Outcome, Program, Runner};
use bolide_term::{Store, Value};
use std::path::Path;
use std::process::Command;

/// Where Bolide departs from the compiler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Who departs, in a word, to tell findings apart.
    pub kind: &'static str,
    /// What it said.
    pub detail: String,
}

/// What became of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// All agree.
    Same,
    /// The front end refuses it, with this reason.
    Refused(String),
    /// Something took more steps than it may.
    Open(&'static str),
    /// They differ.
    Different(Difference),
}

fn different(kind: &'static str, detail: impl Into<String>) -> Comparison {
    Comparison::Different(Difference { kind, detail: detail.into() })
}

/// The task whose error is reached if the checksum passes a test of the variable `s`.
pub fn task(text: &str, id: usize, test: &str) -> String {
    format!(
        "{}{text}extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nint main(void) {{\n\
         int input = __VERIFIER_nondet_int();\nif (input < 0 || input >= {}) return 0;\n\
         unsigned long long s = run_{id}(input);\nif ({test}) reach_error();\nreturn 0;\n}}\n",
        super::PRELUDE,
        super::INPUTS
    )
}

/// The test that holds of a checksum of the program.
fn is_sum(sum: u64) -> String {
    format!("s == {sum}ull")
}

/// The test that holds of the checksums of the program for their inputs.
fn is_sum_of_input(sums: &[u64]) -> String {
    let tests: Vec<String> =
        sums.iter().enumerate().map(|(input, sum)| format!("input == {input} && {}", is_sum(*sum))).collect();
    tests.join(" || ")
}

/// The test that holds of no checksum of the program.
fn is_none_of(sums: &[u64]) -> String {
    let tests: Vec<String> = sums.iter().map(|s| format!("s != {s}ull")).collect();
    tests.join(" && ")
}

fn data_model(target: Target) -> DataModel {
    match target {
        Target::Bits32 => DataModel::Ilp32,
        Target::Bits64 => DataModel::Lp64,
    }
}

/// Runs all readings of a program on all inputs.
pub fn readings(text: &str, id: usize, sums: &[u64], target: Target) -> Comparison {
    catch(|| run_readings(text, id, sums, target)).unwrap_or_else(|panic| different("panic", panic))
}

fn run_readings(text: &str, id: usize, sums: &[u64], target: Target) -> Comparison {
    let budget = || Budget::unlimited().with_steps(4_000_000);
    let options = Options { data_model: data_model(target), ..Options::default() };
    // The error is reached exactly by the checksums of the compiler, each with its input.
    let text = task(text, id, &is_sum_of_input(sums));
    let mut store = Store::new();
    let task = match load(&mut store, "random.c", &text, &options) {
        Ok(task) => task,
        Err(e) => {
            let message = e.diagnostics.first().map_or_else(String::new, |d| d.message.clone());
            return match message.starts_with("internal error") {
                true => Comparison::Different(Difference { kind: "internal error", detail: message }),
                false => Comparison::Refused(message),
            };
        }
    };
    if let Some((_, refusal)) = task.unsupported.first() {
        return Comparison::Refused(refusal.message.clone());
    }
    let Ok((prepared, maps)) = prepare(&mut store, &task.program, 1_000_000, &budget()) else {
        return Comparison::Open("preparation");
    };
    for (input, &sum) in sums.iter().enumerate() {
        let mut interpreter = Interpreter::new(&task.unit);
        let sites = &task.unit.inputs;
        let mut oracle = |site| if is_input(&sites[site].name) { input as i128 } else { 0 };
        match interpreter.run(&mut oracle, &budget()) {
            End::Error(_) => {}
            end => {
                let found = interpreter.global("sum");
                return different(
                    "interpreter",
                    format!("input {input}: {end:?}, sum {found:?}, expected {sum}"),
                );
            }
        }
        let number = Value::Num(Rational::from(input as i64));
        let mut runner = Runner::new(&store, &task.program, &[]);
        match runner.run(&store, inputs(&store, &task.program, &number), &budget()).0 {
            Outcome::Error(_) => {}
            outcome => return different("encoded", format!("input {input}: {outcome:?}, expected {sum}")),
        }
        let (outcome, trace) =
            Runner::new(&store, &prepared, &[]).run(&store, inputs(&store, &prepared, &number), &budget());
        if !matches!(outcome, Outcome::Error(_)) {
            return different("prepared", format!("input {input}: {outcome:?}, expected {sum}"));
        }
        let Some(trace) = trace_back(&store, &maps, trace) else {
            return different("way back", format!("input {input}: the trace has no way back"));
        };
        let replayed = Runner::new(&store, &task.program, &[]).replay(&store, &trace);
        if replayed != Some(outcome) {
            return different("replay", format!("input {input}: {replayed:?}"));
        }
    }
    Comparison::Same
}

/// Is this the name of a site where the program asks for its input?
fn is_input(name: &str) -> bool {
    name.contains("nondet_int")
}

/// The input of a program where it asks for it, and default values where something else comes from outside.
fn inputs<'a>(
    store: &'a Store,
    program: &'a Program,
    number: &'a Value,
) -> impl FnMut(InputId) -> Value + 'a {
    move |site| {
        let input = &program.inputs[site];
        match is_input(&input.name) {
            true => number.clone(),
            false => program.default_value(store, input.sort, input.range),
        }
    }
}

/// Asks `bolide verify` in both directions.
pub fn verdicts(
    bolide: &Path,
    text: &str,
    id: usize,
    sums: &[u64],
    target: Target,
    folder: &Path,
) -> Comparison {
    let model = match target {
        Target::Bits32 => "ILP32",
        Target::Bits64 => "LP64",
    };
    let mut open = false;
    let tests = [(1, is_sum(sums[id % sums.len()])), (0, is_none_of(sums))];
    for (expected, test) in tests {
        let file = folder.join("verify.c");
        if let Err(e) = std::fs::write(&file, task(text, id, &test)) {
            return different("file", e.to_string());
        }
        let output = Command::new(bolide)
            .args(["verify", "--timeout", "5", "--data-model", model])
            .arg(&file)
            .output();
        match output.as_ref().map(|o| o.status.code()) {
            Ok(Some(2)) => open = true,
            Ok(Some(code)) if code == expected => {}
            Ok(Some(code)) => {
                let said = output.map_or(String::new(), |o| String::from_utf8_lossy(&o.stderr).into_owned());
                return different(
                    if expected == 1 { "wrong safe" } else { "wrong unsafe" },
                    format!("exit {code} for {test} {said}"),
                );
            }
            Ok(None) => return different("crash", "ended by a signal"),
            Err(e) => return different("file", e.to_string()),
        }
    }
    if open { Comparison::Open("verify") } else { Comparison::Same }
}
