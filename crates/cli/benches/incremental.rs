//! 10,000 small path and entailment queries on one solver with scopes, beside z3 on the same script.
//!
//! `cargo bench -p bolide-cli --bench incremental`. The script is what a tree-unwinding engine asks: steps of a program
//! path are pushed and popped along a depth-first search, each followed by a query, and between them
//! entailments between labels. Both solvers run it as one process; the ratio of the times is printed. Without z3 in
//! the path only our own time is.

use bolide_testkit::Random;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const QUERIES: usize = 10_000;
const VARIABLES: usize = 8;

/// One step of a path from version `k` of the variables to version `k + 1`.
fn step(random: &mut Random, k: usize) -> String {
    let mut out = String::from("(and");
    let changed = random.below(VARIABLES as u64) as usize;
    for v in 0..VARIABLES {
        let _ = if v == changed {
            match random.below(4) {
                0 => write!(out, " (= x{v}_{} (+ x{v}_{k} {}))", k + 1, random.below(5)),
                1 => write!(out, " (= x{v}_{} (- x{}_{k} x{v}_{k}))", k + 1, (v + 1) % VARIABLES),
                2 => write!(out, " (= x{v}_{} {})", k + 1, random.below(10)),
                _ => write!(
                    out,
                    " (= x{v}_{} (ite (< x{v}_{k} x{}_{k}) x{v}_{k} (+ x{}_{k} 1)))",
                    k + 1,
                    (v + 1) % VARIABLES,
                    (v + 2) % VARIABLES
                ),
            }
        } else {
            write!(out, " (= x{v}_{} x{v}_{k})", k + 1)
        };
    }
    let (a, b) = (random.below(VARIABLES as u64), random.below(VARIABLES as u64));
    let guard = ["<", "<=", "=", ">"][random.below(4) as usize];
    let _ =
        write!(out, " (or ({guard} x{a}_{k} (+ x{b}_{k} {})) (not b{})))", random.below(4), random.below(4));
    out
}

fn label(random: &mut Random) -> String {
    let mut literal = || {
        let (a, b) = (random.below(VARIABLES as u64), random.below(VARIABLES as u64));
        let guard = ["<=", ">=", "=", "<"][random.below(4) as usize];
        format!("({guard} x{a}_0 (+ x{b}_0 {}))", random.below(6))
    };
    format!("(and {} (or {} {}) {})", literal(), literal(), literal(), literal())
}

fn script() -> String {
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    let mut out = String::from("(set-logic QF_LIA)\n");
    const DEPTH: usize = 30;
    for k in 0..=DEPTH {
        for v in 0..VARIABLES {
            let _ = writeln!(out, "(declare-fun x{v}_{k} () Int)");
        }
    }
    for b in 0..4 {
        let _ = writeln!(out, "(declare-fun b{b} () Bool)");
    }
    let labels: Vec<String> = (0..200).map(|_| label(&mut random)).collect();
    let (mut depth, mut queries) = (0, 0);
    while queries < QUERIES {
        if depth > 0 && (depth == DEPTH || random.below(3) == 0) {
            let n = 1 + random.below(depth.min(4) as u64) as usize;
            let _ = writeln!(out, "(pop {n})");
            depth -= n;
        }
        let _ = writeln!(out, "(push 1)\n(assert {})\n(check-sat)", step(&mut random, depth));
        depth += 1;
        queries += 1;
        if random.below(2) == 0 {
            let (a, b) = (random.below(200) as usize, random.below(200) as usize);
            let _ = writeln!(
                out,
                "(push 1)\n(assert (and {} {}))\n(assert (not {}))\n(check-sat)\n(pop 1)",
                labels[a],
                labels[(a + 7) % 200],
                labels[b]
            );
            queries += 1;
        }
    }
    out
}

fn time(program: &Path, arguments: &[&str], script: &Path) -> Option<(Duration, String)> {
    let start = Instant::now();
    let output = Command::new(program).args(arguments).arg(script).output().ok()?;
    Some((start.elapsed(), String::from_utf8_lossy(&output.stdout).into_owned()))
}

fn main() {
    let path = std::env::temp_dir().join(format!("bolide-incremental-{}.smt2", std::process::id()));
    std::fs::write(&path, script()).expect("the temporary directory is writable");
    let bolide = Path::new(env!("CARGO_BIN_EXE_bolide"));
    let (ours, answers) = time(bolide, &["smt"], &path).expect("bolide runs");
    let sat = answers.lines().filter(|l| *l == "sat").count();
    let unsat = answers.lines().filter(|l| *l == "unsat").count();
    println!("bolide: {:.3} s for {sat} sat, {unsat} unsat", ours.as_secs_f64());
    match time(Path::new("z3"), &[], &path) {
        None => println!("z3 is not installed: no comparison"),
        Some((theirs, expected)) => {
            println!("z3:     {:.3} s", theirs.as_secs_f64());
            println!("same answers: {}", answers == expected);
            println!("ratio:  {:.2}", ours.as_secs_f64() / theirs.as_secs_f64());
        }
    }
    let _ = std::fs::remove_file(&path);
}
