//! Small C programs, each for a step of IMPACT or for a trap that once was met; the name of a file ends in its verdict.

use std::path::Path;
use std::process::Command;

/// Runs `bolide verify` on every program and compares the verdicts.
fn check_all(options: &[&str]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let entries = std::fs::read_dir(&folder).expect("the programs are there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "c"));
    files.sort();
    assert!(files.len() >= 12);
    for file in files {
        let name = file.file_stem().and_then(|name| name.to_str()).expect("a name");
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
    check_all(&["--engine", "impact", "--check"]);
}

#[test]
fn breadth_first_search_decides_them_too() {
    check_all(&["--engine", "impact", "--order", "breadth"]);
}

#[test]
fn other_interpolants_decide_them_too() {
    check_all(&["--engine", "impact", "--system", "pudlak", "--farkas", "plain"]);
}
