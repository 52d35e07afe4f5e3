//! The scripts in `tools`, where Python is installed.

mod common;

use common::{Folder, bolide};
use std::path::Path;
use std::process::Command;

/// A safe program whose executions depend on an input.
const SAFE: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) { int i = 0, n = __VERIFIER_nondet_int(); while (i < n) i++; if (n > 0 && i > n) reach_error(); return 0; }
";

/// Exported proofs are confirmed by a checker of LRAT that knows nothing of Bolide, and not if a step is changed.
#[test]
fn exported_proofs_are_confirmed() {
    let folder = Folder::new("exported");
    let (task, certificate, proofs) =
        (folder.file("task.c", SAFE), folder.path("cert"), folder.path("proofs"));
    assert_eq!(bolide(&["verify", "--certificate", &certificate, &task]).code, 0);
    assert_eq!(bolide(&["check", "--export-proofs", &proofs, &task, &certificate]).code, 0);
    let files = folder.list("proofs");
    assert!(files.len() >= 6 && files.len().is_multiple_of(3), "{files:?}");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/check-proofs");
    let confirmed = || {
        let run = Command::new("python3")
            .arg("-B")
            .arg(&script)
            .arg(&proofs)
            .args(["--solver", ""])
            .output()
            .ok()?;
        let said = String::from_utf8_lossy(&run.stdout).into_owned();
        (run.status.code() != Some(127)).then_some((run.status.success(), said))
    };
    let Some((is_confirmed, said)) = confirmed() else { return };
    assert!(is_confirmed, "{said}");
    let largest = files
        .iter()
        .filter(|f| f.ends_with(".lrat"))
        .max_by_key(|f| std::fs::metadata(folder.path(&format!("proofs/{f}"))).map_or(0, |m| m.len()));
    let largest = folder.path(&format!("proofs/{}", largest.expect("a proof")));
    let text = std::fs::read_to_string(&largest).expect("a proof");
    let fewer: String = text.lines().skip(1).map(|line| format!("{line}\n")).collect();
    for spoilt in [String::new(), fewer, text.replacen(" 0 ", " 1 0 ", 1)] {
        std::fs::write(&largest, &spoilt).expect("a proof is spoilt");
        assert_eq!(confirmed().map(|(is_confirmed, _)| is_confirmed), Some(false), "{spoilt}");
    }
}

/// The witness circuit of a safe circuit passes the conditions of Certifaiger, also if the induction looks back over several steps, and
/// not for a circuit that is not safe.
#[test]
fn witness_circuits_are_confirmed() {
    let folder = Folder::new("witness-circuits");
    // Three counters, each a step behind the one before; the property is about the last.
    let counters = |limit: u32| {
        format!(
            "1 sort bitvec 3\n2 zero 1\n3 state 1\n4 state 1\n5 state 1\n6 init 1 3 2\n7 init 1 4 2\n8 init 1 5 2\n9 one 1\n\
             10 sort bitvec 1\n11 constd 1 {limit}\n12 ult 10 3 11\n13 add 1 3 9\n14 ite 1 12 13 2\n15 next 1 3 14\n\
             16 next 1 4 3\n17 next 1 5 4\n18 constd 1 6\n19 eq 10 5 18\n20 bad 19\n"
        )
    };
    let model = |limit: u32| {
        let task = folder.file(&format!("{limit}.btor2"), &counters(limit));
        let model = folder.path(&format!("{limit}.aag"));
        assert_eq!(bolide(&["show", "--aiger", &model, &task]).code, 0);
        (task, model)
    };
    let ((task, safe), (_, other)) = (model(5), model(6));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/check-witness-circuit");
    for engine in ["pdr", "kind"] {
        let witness = folder.path("witness.aag");
        assert_eq!(bolide(&["verify", "--engine", engine, "--witness", &witness, &task]).code, 0);
        for (model, expected) in [(&safe, true), (&other, false)] {
            let run = Command::new("python3").arg("-B").arg(&script).args([model, &witness]).output();
            let Ok(run) = run else { return };
            let said = String::from_utf8_lossy(&run.stdout).into_owned();
            if !run.stderr.is_empty() {
                // There is no SAT solver here.
                return;
            }
            assert_eq!(run.status.success(), expected, "{engine}: {said}");
        }
    }
}

/// The tables that compare engines ask for options that these engines have.
#[test]
fn engines_are_compared() {
    let folder = Folder::new("tables");
    let task = folder.file("task.c", SAFE);
    let list = folder.file("tasks.tsv", "set\tpath\texpected\targs\nall\ttask.c\tsafe\t\n");
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools");
    for (tool, file, expected) in [
        ("impact-table", &task, "`relax` decides 1 of 1, `impact` 1."),
        ("split-table", &task, "| decided | 1 | 1 | | | 1 | 1 | |"),
        ("schedule-table", &list, "| all | 1 | 1 | 1 | 1 |"),
    ] {
        let mut command = Command::new("python3");
        command.arg("-B").arg(tools.join(tool)).args(["--bolide", env!("CARGO_BIN_EXE_bolide")]);
        let Ok(run) = command.arg(file).output() else { return };
        let table = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success(), "{tool}: {}", String::from_utf8_lossy(&run.stderr));
        assert!(table.contains(expected), "{tool}: {table}");
    }
}

#[test]
fn the_module_for_benchexec_passes_its_tests() {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools");
    let run = Command::new("python3").arg("-B").arg(tools.join("benchexec/test_bolide.py")).output();
    if let Ok(output) = run {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
