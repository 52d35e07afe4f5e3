//! Small C programs, each for a step of IMPACT or for a trap that once was met; the name of a file ends in its verdict.

use bolide_testkit::is_long;
use std::path::Path;
use std::process::Command;

/// Runs `bolide verify` on every program of a folder and compares the verdicts.
fn check_all(folder: &str, options: &[&str]) {
    check_each(1, folder, options, &[]);
}

/// The same under other settings than those that matter most, and where programs take long: long tests look at every program but some, others
/// at one of three.
fn check_variation(folder: &str, options: &[&str], left_out: &[&str]) {
    check_each(if is_long() { 1 } else { 3 }, folder, options, left_out);
}

fn check_each(step: usize, folder: &str, options: &[&str], left_out: &[&str]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(&folder).expect("the programs are there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "c"));
    files.sort();
    assert!(files.len() >= 11);
    // Different settings look at different programs.
    let first = options.len() % step;
    for file in files.into_iter().skip(first).step_by(step) {
        let name = file.file_stem().and_then(|name| name.to_str()).expect("a name");
        if left_out.contains(&name) {
            continue;
        }
        let expected = name.rsplit('-').next().expect("a verdict");
        let output = Command::new(env!("CARGO_BIN_EXE_bolide"))
            .arg("verify")
            .args(options)
            .args(["--timeout", "60"])
            .arg(&file)
            .output()
            .expect("bolide runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(text.lines().next(), Some(expected), "{name} with {options:?}\n{text}");
    }
}

#[test]
fn impact_decides_small_programs() {
    check_all("tests/programs", &["--engine", "impact", "--check"]);
}

#[test]
fn breadth_first_search_decides_them_too() {
    check_variation("tests/programs", &["--engine", "impact", "--order", "breadth"], &[]);
}

#[test]
fn single_blocks_decide_them_too() {
    check_variation("tests/programs", &["--engine", "impact", "--blocks", "single"], &["sum-of-loops-safe"]);
}

#[test]
fn other_interpolants_decide_them_too() {
    check_variation(
        "tests/programs",
        &["--engine", "impact", "--system", "pudlak", "--farkas", "plain"],
        &[],
    );
}

#[test]
fn objects_are_where_compilers_put_them() {
    check_all("tests/programs/memory", &["--check"]);
}

#[test]
fn constructs_of_c_mean_what_they_mean_to_gcc() {
    check_all("tests/programs/constructs", &["--data-model", "LP64"]);
}

#[test]
fn loops_over_long_arrays_are_decided() {
    check_each(if is_long() { 1 } else { 6 }, "tests/programs/arrays", &["--check"], &[]);
}

#[test]
fn floating_point_is_decided() {
    check_variation("tests/programs/floats", &["--check"], &[]);
}

#[test]
fn functions_of_the_library_do_what_they_should() {
    check_all("tests/programs/library", &["--check"]);
}

/// Programs of the kinds of Jhala and McMillan, *A Practical and Complete Approach to Predicate Refinement*.
const SPLIT: &str = "tests/programs/split";

#[test]
fn the_split_prover_finds_the_invariants_of_index_loops() {
    check_variation(SPLIT, &["--engine", "relax", "--refine", "split"], &[]);
}

#[test]
fn impact_with_the_split_prover_finds_them_too() {
    let options = ["--engine", "impact", "--refine", "split", "--no-conjectures"];
    check_variation(SPLIT, &options, &[]);
}

#[test]
fn predicate_abstraction_decides_small_programs() {
    // Ordinary interpolants diverge, and three need congruences, sums of several variables or products.
    let beyond = ["steps-of-two-safe", "sum-of-loops-safe", "two-counters-safe", "sum-of-counter-safe"];
    let settings =
        [("boolean", "large"), ("cartesian", "single"), ("boolean", "single"), ("cartesian", "large")];
    for (abstraction, blocks) in settings.into_iter().take(if is_long() { 4 } else { 1 }) {
        let options = ["--engine", "relax", "--abstraction", abstraction, "--blocks", blocks, "--check"];
        check_each(if is_long() { 1 } else { 6 }, "tests/programs", &options, &beyond);
    }
}
