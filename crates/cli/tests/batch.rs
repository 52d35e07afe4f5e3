//! Several tasks at once: files, directories, task files; `bolide bench`; `bolide.toml`; Ctrl-C.

mod common;

use common::{Folder, SAFE, UNSAFE, bolide};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::Duration;

const CLAUSES: &str =
    "(set-logic HORN)(declare-fun p (Int) Bool)(assert (forall ((x Int)) (=> (= x 0) (p x))))
(assert (forall ((x Int)) (=> (and (p x) (< x 0)) false)))(check-sat)
";
const REACH: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";
const TASK: &str = "format_version: '2.0'
input_files: 'loop.c'
properties:
  - property_file: termination.prp
    expected_verdict: true
  - property_file: unreach-call.prp
    expected_verdict: true
options:
  language: C
  data_model: ILP32
";

fn tasks(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.file("all/a.c", SAFE);
    folder.file("all/deep/b.c", UNSAFE);
    folder.file("all/deep/c.smt2", CLAUSES);
    folder.file("all/notes.txt", "not a task");
    folder
}

#[test]
fn directories_are_searched_and_summed_up() {
    let folder = tasks("batch-directory");
    let run = bolide(&["verify", "--jobs", "2", &folder.path("all")]);
    assert_eq!(run.code, 1, "{run:?}");
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[0].ends_with("a.c: safe"), "{run:?}");
    assert!(run.stdout.contains("b.c: unsafe\n") && run.stdout.contains("c.smt2: sat\n"), "{run:?}");
    assert!(lines.last().is_some_and(|l| l.starts_with("3 tasks in ")), "{run:?}");
    assert!(run.stdout.ends_with("2 safe, 1 unsafe, 0 unknown\n"), "{run:?}");
    assert_eq!(run.stderr, "", "nothing but reports when nobody looks");

    let run = bolide(&["verify", "--json", &folder.path("all/a.c"), &folder.path("all/deep"), "no-such.c"]);
    assert_eq!(run.code, 65);
    let all: Value = serde_json::from_str(&run.stdout).expect("an array");
    let verdicts: Vec<&str> =
        all.as_array().expect("an array").iter().filter_map(|r| r["verdict"].as_str()).collect();
    assert_eq!(verdicts, ["safe", "unsafe", "safe", "error"]);

    let empty = Folder::new("batch-empty");
    assert_eq!(bolide(&["verify", &empty.path("")]).code, 65);
}

#[test]
fn every_task_has_its_own_outputs() {
    let folder = tasks("batch-outputs");
    let (certificates, witnesses) = (folder.path("certificates"), folder.path("new/witnesses"));
    let run =
        bolide(&["verify", "--certificate", &certificates, "--witness", &witnesses, &folder.path("all")]);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(folder.list("certificates"), ["a.c.cert", "b.c.cert", "c.smt2.cert"]);
    assert_eq!(folder.list("new/witnesses").len(), 3);
    let check = bolide(&["check", &folder.path("all/a.c"), &folder.path("certificates/a.c.cert")]);
    assert_eq!(check.stdout, "accepted: safe\nform: original\n");
    assert_eq!(bolide(&["verify", "--witness", "/dev/null/no", &folder.path("all")]).code, 64);
}

#[test]
fn task_files_say_what_to_check() {
    let folder = Folder::new("batch-yml");
    folder.file("loop.c", SAFE);
    folder.file("unreach-call.prp", REACH);
    folder.file("termination.prp", "CHECK( init(main()), LTL(F end) )\n");
    let task = folder.file("task.yml", TASK);
    let run = bolide(&["verify", "--json", &task]);
    let value: Value = serde_json::from_str(&run.stdout).expect("one object");
    assert_eq!((run.code, value["verdict"].as_str()), (0, Some("safe")), "{run:?}");
    // The program of a task file is not a task of its own.
    let run = bolide(&["verify", &folder.path("")]);
    assert!(run.code == 0 && !run.stdout.contains("tasks in"), "{run:?}");
    // A property that cannot be checked is unknown.
    let only = folder.file("only.yml", &TASK.replace("unreach-call", "termination"));
    let run = bolide(&["verify", &only]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stdout.starts_with("unknown: ") && run.stdout.contains("LTL(Fend)"), "{run:?}");
    for (from, to) in [("'2.0'", "'3.0'"), ("'loop.c'", "[]"), ("ILP32", "none")] {
        let bad = folder.file("bad.yml", &TASK.replace(from, to));
        let run = bolide(&["verify", &bad]);
        assert!(run.code == 65 && run.stderr.contains("bad.yml: error: "), "{run:?}");
    }
    // Specifications on the command line, as BenchExec gives them.
    let program = folder.path("loop.c");
    assert_eq!(bolide(&["verify", "--property", &folder.path("unreach-call.prp"), &program]).code, 0);
    assert_eq!(bolide(&["verify", "--property", &folder.path("termination.prp"), &program]).code, 64);
}

#[test]
fn benchmarks_are_run_and_compared() {
    let folder = tasks("bench");
    let list = "set\tpath\texpected\targs\nc\tall/a.c\tsafe\t--data-model ILP32\nc\tall/deep/b.c\tunsafe\nchc\tall/deep/c.smt2\tsat\n";
    let manifest = folder.file("list.tsv", list);
    let (csv, json) = (folder.path("new.csv"), folder.path("new.json"));
    let run = bolide(&["bench", &manifest, "--timeout", "20", "--csv", &csv, "--json", &json]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.stdout.lines().last().is_some_and(|l| l.starts_with("all        3       3      0")),
        "{run:?}"
    );
    let results = std::fs::read_to_string(&json).expect("results");
    let results: Value = serde_json::from_str(&results).expect("JSON");
    assert_eq!(results["results"].as_array().map(Vec::len), Some(3));
    assert!(results["results"][0]["cpu"].is_number() && results["results"][0]["memory"].is_number());

    // Wrong answers come first and are told by the exit code.
    let wrong = folder.file("wrong.tsv", &list.replace("\tsafe", "\tunsafe"));
    let plots = folder.path("plots");
    let run = bolide(&["bench", &wrong, "--compare", &csv, "--plots", &plots, "--only", "all/a"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.starts_with("WRONG: all/a.c: safe, expected unsafe\n"), "{run:?}");
    assert!(run.stdout.contains("wrong: 0 -> 1\n"), "{run:?}");
    assert_eq!(folder.list("plots"), ["cactus.svg", "scatter.svg"]);

    assert_eq!(bolide(&["bench", &csv, "--compare", &csv]).code, 0);
    assert_eq!(bolide(&["bench", "no-such.tsv"]).code, 65);
    assert_eq!(bolide(&["bench", &manifest, "--compare", &manifest]).code, 65);
    assert_eq!(bolide(&["bench", &csv, "--csv", "/no/such/folder/new.csv"]).code, 64);
}

#[test]
fn projects_have_defaults() {
    let folder = tasks("config");
    let text = UNSAFE.replace("if (x == 42)", "if (x > 0 && x < 50) x++; if (x == 42)");
    let task = folder.file("all/deep/b.c", &text);
    folder.file("bolide.toml", "[verify]\njson = true\nproperty = [\"overflow\", \"shift\"]\ncache = \"kept\"\n\n[smt]\ncheck = true\n");
    let run = bolide(&["verify", &task]);
    let value: Value = serde_json::from_str(&run.stdout).expect("JSON, as the project asks for");
    assert_eq!((run.code, value["verdict"].as_str()), (0, Some("safe")), "{run:?}");
    assert_eq!(folder.list("kept").len(), 1, "paths are relative to the file");
    // The command line goes before, and may ignore the file.
    assert_eq!(bolide(&["verify", "--property", "errors", &task]).code, 1);
    assert!(bolide(&["verify", "--no-config", &task]).stdout.starts_with("unsafe\n"));
    for (text, line, message) in [
        ("[verify]\n\nbeauty = 1\n", 3, "`bolide verify` has no option `beauty`"),
        ("[prove]\n", 1, "unknown command `prove`"),
        ("[verify]\ntimeout = \"soon\"\n", 2, "invalid value 'soon'"),
        ("[verify]\njson = 3\n", 2, "`json` is true or false"),
        ("[smt]\nx = 3\n", 2, "`bolide smt` has no option `x`"),
        ("[verify]\nengine = { }\n", 2, "`engine` cannot be a"),
        ("[verify\n", 1, ""),
        ("verify = 3\n", 1, "must be a table"),
    ] {
        let path = folder.file("bolide.toml", text);
        let run = bolide(&["verify", &task]);
        assert_eq!((run.code, run.stdout.as_str()), (64, ""), "{text}: {run:?}");
        assert!(run.stderr.starts_with(&format!("{path}:{line}: error: ")), "{text}: {run:?}");
        assert!(run.stderr.contains(message), "{text}: {run:?}");
    }
}

/// A counter that reaches its bad state after a million million steps.
const HARD: &str = "1 sort bitvec 64\n2 zero 1\n3 state 1 c\n4 init 1 3 2\n5 one 1\n6 add 1 3 5\n7 next 1 3 6\n\
                    8 constd 1 1099511627776\n9 sort bitvec 1\n10 eq 9 3 8\n11 bad 10\n";

#[cfg(unix)]
#[test]
fn an_interrupt_stops_cleanly() {
    let folder = Folder::new("interrupt");
    let task = folder.file("hard.btor2", HARD);
    let child = Command::new(env!("CARGO_BIN_EXE_bolide"))
        .args(["verify", "--timeout", "60", &task])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("bolide runs");
    std::thread::sleep(Duration::from_millis(1500));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.is_ok_and(|s| s.success()));
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.starts_with(b"unknown: interrupted\n"));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("interrupted: ") && told.contains("processor time"), "{told}");
}
