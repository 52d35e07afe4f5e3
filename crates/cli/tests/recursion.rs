//! Recursive programs whose summaries are guessed from executions; the name of a file ends in its verdict.

use bolide_testkit::Folder;
use std::path::Path;
use std::process::Command;

/// The verdict is right, and the certificate is accepted.
fn check(name: &str, verdict: &str) {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recursion").join(format!("{name}-{verdict}.c"));
    let folder = Folder::new(&format!("recursion-{name}"));
    let certificate = folder.path("certificate");
    let output = Command::new(env!("CARGO_BIN_EXE_bolide"))
        .args(["verify", "--jobs", "1", "--timeout", "120", "--certificate"])
        .arg(&certificate)
        .arg(&file)
        .output()
        .expect("bolide runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.lines().next(), Some(verdict), "{name}\n{text}");
    let output = Command::new(env!("CARGO_BIN_EXE_bolide"))
        .arg("check")
        .arg(&file)
        .arg(&certificate)
        .output()
        .expect("bolide runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.lines().next(), Some(format!("accepted: {verdict}").as_str()), "{name}\n{text}");
}

#[test]
fn divisors_are_found() {
    check("divisor", "safe");
    check("divisor", "unsafe");
}

#[test]
fn remainders_are_found() {
    check("remainder", "safe");
}

#[test]
fn polynomials_hold_modulo_the_size_of_integers() {
    check("product", "safe");
    check("sum", "safe");
}

#[test]
fn recurrences_go_on() {
    check("fibonacci", "safe");
}

#[test]
fn small_numbers_are_tried() {
    check("steps", "unsafe");
}
