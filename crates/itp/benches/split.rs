//! The split prover against the ordinary interpolator, as in Figure 1 of Jhala and McMillan's paper.
//!
//! `cargo bench -p bolide-itp --bench split` takes paths of its own making; with `-- FOLDER` it takes the SMT-LIB
//! scripts in the folder whose assertions contradict each other, are difference logic, and are taken to be the parts of
//! a sequence; with `-- --all FOLDER` those beyond difference logic too. The split prover is restricted to `L_0`. Where
//! that has no interpolants, the time is shown but does not count. The target is a ratio of at most 2.

use bolide_base::{Budget, Rational};
use bolide_itp::split::{self, Language, Split};
use bolide_itp::{Config, Failure};
use bolide_smtlib::{Command, Reader, Scope};
use bolide_term::{Op, Store, Term};
use std::path::Path;
use std::time::{Duration, Instant};

const MIN_ROUNDS: usize = 3;
const MAX_ROUNDS: usize = 40;
const ENOUGH: Duration = Duration::from_millis(100);
const LIMIT: Duration = Duration::from_secs(10);

/// A path with its name.
struct Problem {
    name: String,
    store: Store,
    parts: Vec<Term>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let all = arguments.iter().any(|a| a == "--all");
    let problems = match arguments.iter().find(|a| !a.starts_with("--")) {
        Some(folder) => read_folder(Path::new(folder)),
        None => (1..=12).map(|n| generated(n * 10)).collect(),
    };
    let config = Config { verify: false, ..Config::default() };
    println!("{:44} {:>6} {:>12} {:>12} {:>7}", "path", "parts", "ordinary ms", "split ms", "ratio");
    let (mut total, mut counted, mut outside) = ([Duration::ZERO; 2], 0, 0);
    let mut logs = 0.0;
    for p in problems {
        if !all && !is_difference_logic(&p.store, &p.parts) {
            continue;
        }
        let ordinary = best(&p.store, |store, budget| {
            match bolide_itp::interpolate_sequence(store, &p.parts, &config, budget) {
                Ok(_) => Some("found"),
                Err(Failure::Sat(_)) => None,
                Err(_) => Some("failed"),
            }
        });
        let Some((ordinary_says, ordinary)) = ordinary else { continue };
        let language = Language::new(0, constants(&p.store, &p.parts));
        let split = best(&p.store, |store, budget| {
            match split::interpolate_sequence_with(store, &p.parts, &language, &config, budget) {
                Ok(Split::Interpolants(_)) => Some("found"),
                Ok(Split::NotInLanguage) => Some("not in L_0"),
                Ok(Split::Feasible(_)) => None,
                Err(_) => Some("failed"),
            }
        });
        let Some((split_says, split)) = split else { continue };
        let ratio = split.as_secs_f64() / ordinary.as_secs_f64();
        let note = match (ordinary_says, split_says) {
            ("found", "found") => "",
            (_, "found") => "ordinary failed",
            (_, other) => other,
        };
        let [o, s] = [ordinary, split].map(|d| d.as_secs_f64() * 1e3);
        println!("{:44} {:>6} {o:>12.2} {s:>12.2} {ratio:>7.2} {note}", p.name, p.parts.len());
        if note.is_empty() {
            total[0] += ordinary;
            total[1] += split;
            logs += ratio.ln();
            counted += 1;
        } else {
            outside += 1;
        }
    }
    let ratio = total[1].as_secs_f64() / total[0].as_secs_f64();
    let mean = (logs / f64::from(counted)).exp();
    println!(
        "{counted} paths: ratio of the totals {ratio:.2}, geometric mean {mean:.2}; {outside} not counted"
    );
}

/// The shortest time of several runs on fresh copies of the store, with what the run says. Short runs are repeated more
/// often, since something else may run in between.
fn best<'a>(
    store: &Store,
    run: impl Fn(&mut Store, &Budget) -> Option<&'a str>,
) -> Option<(&'a str, Duration)> {
    let mut best: Option<(&str, Duration)> = None;
    let mut spent = Duration::ZERO;
    let mut rounds = 0;
    while rounds < MIN_ROUNDS && spent < LIMIT || rounds < MAX_ROUNDS && spent < ENOUGH {
        let mut store = store.clone();
        let budget = Budget::unlimited().with_time(LIMIT);
        let clock = Instant::now();
        let says = run(&mut store, &budget)?;
        let time = clock.elapsed();
        if best.is_none_or(|(_, t)| time < t) {
            best = Some((says, time));
        }
        spent += time;
        rounds += 1;
    }
    best
}

fn read_folder(folder: &Path) -> Vec<Problem> {
    let mut paths: Vec<_> = match std::fs::read_dir(folder) {
        Ok(entries) => entries.filter_map(|e| Some(e.ok()?.path())).collect(),
        Err(e) => {
            eprintln!("{}: {e}", folder.display());
            return Vec::new();
        }
    };
    paths.sort();
    paths.iter().filter_map(|p| read(p)).collect()
}

/// The assertions of a script.
fn read(path: &Path) -> Option<Problem> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut store = Store::new();
    let mut scope = Scope::new();
    let mut reader = Reader::new(&text);
    let mut parts = Vec::new();
    while let Some(command) = reader.next_command(&mut store, &mut scope) {
        if let Command::Assert { term, .. } = command.ok()?.command {
            parts.push(term);
        }
    }
    let name = path.file_name()?.to_string_lossy().into_owned();
    Some(Problem { name, store, parts })
}

/// A path through a loop: three counters that move on, one of two ways in each round, against a limit.
fn generated(rounds: usize) -> Problem {
    let mut store = Store::new();
    let int = store.int_sort();
    let [zero, one] = [0, 1].map(|n| store.int(n));
    let limit = store.var("n", int);
    let vars: Vec<[Term; 3]> =
        (0..=rounds).map(|s| ["i", "j", "k"].map(|v| store.var(&format!("{v}_{s}"), int))).collect();
    let start: Vec<Term> = vars[0].iter().map(|&v| store.eq(v, zero)).collect();
    let mut parts = vec![store.and(&start)];
    for s in 1..=rounds {
        let ([i, j, k], [i2, j2, k2]) = (vars[s - 1], vars[s]);
        let [up_i, up_j, up_k] = [i, j, k].map(|v| store.add(&[v, one]));
        let both = [store.lt(i, limit), store.eq(i2, up_i), store.eq(j2, up_j)];
        let either = {
            let (moved, stayed) = (store.eq(k2, up_k), store.eq(k2, k));
            store.or(&[moved, stayed])
        };
        parts.push(store.and(&[both[0], both[1], both[2], either]));
    }
    let [i, j, k] = vars[rounds];
    let wrong = [store.lt(i, k), store.gt(j, limit)];
    parts.push(store.or(&wrong));
    Problem { name: format!("counters, {rounds} rounds"), store, parts }
}

/// Are all arithmetic atoms bounds on one variable or on a difference of two?
fn is_difference_logic(store: &Store, parts: &[Term]) -> bool {
    store.post_order(parts.iter().copied()).all(|t| match store.op(t) {
        Op::Le | Op::Eq if store.sort_of(store.arg(t, 0)).is_arith() => {
            let l = store.linear_difference(store.arg(t, 0), store.arg(t, 1));
            match &l.terms[..] {
                [_] => true,
                [(_, a), (_, b)] => (a + b).is_zero(),
                _ => false,
            }
        }
        Op::Div | Op::Mod | Op::RealDiv | Op::ToReal | Op::ToInt | Op::Select | Op::Store => false,
        _ => true,
    })
}

/// The numerals of some formulas.
fn constants(store: &Store, parts: &[Term]) -> Vec<Rational> {
    store.post_order(parts.iter().copied()).filter_map(|t| store.as_num(t).cloned()).collect()
}
