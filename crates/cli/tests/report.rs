//! Pages, SARIF, vacuity and inputs of traces.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

fn folder() -> PathBuf {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn path(name: &str) -> String {
    folder().join(name).display().to_string()
}

/// Writes a task. Tests that run side by side may write the same one: the file is replaced as a whole, so that none of them reads half of it.
fn file(name: &str, text: &str) -> String {
    static WRITTEN: AtomicUsize = AtomicUsize::new(0);
    let path = path(name);
    let part = format!("{path}.{}", WRITTEN.fetch_add(1, Ordering::Relaxed));
    std::fs::write(&part, text).expect("a task is written");
    std::fs::rename(&part, &path).expect("a task gets its name");
    path
}

/// Exit code, standard output, standard error.
fn verify(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_bolide"))
        .args(["verify", "--timeout", "60"])
        .args(arguments)
        .output()
        .expect("bolide runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn json(arguments: &[&str]) -> Value {
    let (_, out, err) = verify(&[&["--json"], arguments].concat());
    serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}{err}"))
}

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int);
extern void __VERIFIER_assert(int); extern void reach_error(void);
";

fn program(name: &str, body: &str) -> String {
    file(name, &format!("{HEAD}int main(void) {{\n{body}\n  return 0;\n}}\n"))
}

fn violation() -> String {
    program(
        "violation.c",
        "  int a[2], x = __VERIFIER_nondet_int();
  int y = __VERIFIER_nondet_int();
  a[1] = y;
  if (x > 1000 && x < 2000000000) { a[0] = x; if (a[0] > a[1] || y == x) reach_error(); }",
    )
}

fn proof() -> String {
    program("proof.c", "  int i = 0;\n  while (i < 10) i++;\n  if (i != 10) reach_error();")
}

#[test]
fn a_page_for_every_kind_of_task() {
    let tasks = [
        (violation(), "Source and trace"),
        (proof(), "Control flow"),
        (
            file(
                "model.smt2",
                "(set-logic HORN)(declare-fun p (Int) Bool)(assert (forall ((x Int)) (=> (= x 0) (p x))))
(assert (forall ((x Int)) (=> (and (p x) (< x 0)) false)))(check-sat)",
            ),
            "Model",
        ),
        (
            file(
                "derivation.smt2",
                "(set-logic HORN)(declare-fun p (Int) Bool)(assert (forall ((x Int)) (=> (= x 0) (p x))))
(assert (forall ((x Int)) (=> (and (p x) (< x 5)) false)))(check-sat)",
            ),
            "Derivation",
        ),
        (file("run.aag", "aag 1 0 1 0 0 1\n2 3\n2\n"), "Waveform"),
    ];
    for (task, part) in &tasks {
        let page = path("page.html");
        let (code, out, err) = verify(&["--report", &page, task]);
        assert!(code == 0 || code == 1, "{task}: {out}{err}");
        let text = std::fs::read_to_string(&page).expect("a page was written");
        assert!(text.starts_with("<!doctype html>") && text.ends_with("</html>\n"), "{task}");
        assert!(text.contains(&format!(">{part}</a>")), "{task} has no {part}");
    }
}

#[test]
fn the_unwinding_has_labels_and_covers() {
    let task = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/browser/tasks/search.c");
    let task = task.display().to_string();
    let page = path("unwinding.html");
    let (code, out, err) = verify(&[
        "--engine",
        "impact",
        "--jobs",
        "1",
        "--no-conjectures",
        "--blocks",
        "single",
        "--report",
        &page,
        &task,
    ]);
    assert_eq!(code, 0, "{out}{err}");
    let text = std::fs::read_to_string(&page).expect("a page was written");
    assert!(text.contains("aria-label=\"Unwinding of the program\""));
    assert!(text.contains("class=\"edge cover\""), "there are covers");
}

#[test]
fn what_cannot_be_written_is_said_and_nothing_is_left_behind() {
    let task = proof();
    for option in ["--report", "--sarif"] {
        let missing = path("no-such-folder/out");
        let (code, _, err) = verify(&[option, &missing, &task]);
        assert_eq!(code, 64, "{option}");
        assert!(err.contains("no-such-folder"), "{err}");
    }
    let entries = std::fs::read_dir(folder()).expect("the folder can be read");
    let names: Vec<String> =
        entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    assert!(!names.iter().any(|n| n.ends_with(".part")), "{names:?}");
}

#[test]
fn several_tasks_have_a_directory_of_pages() {
    let pages = path("pages");
    let (code, out, err) = verify(&["--report", &pages, &proof(), &violation()]);
    assert_eq!(code, 1, "{out}{err}");
    for name in ["proof.c.html", "violation.c.html"] {
        assert!(Path::new(&pages).join(name).exists(), "{name}");
    }
}

#[test]
fn inputs_are_simple_and_those_that_matter_are_known() {
    let report = json(&[&violation()]);
    assert_eq!(report["verdict"], "unsafe");
    let inputs = report["inputs"].as_array().expect("inputs are listed");
    assert_eq!(inputs.len(), 2);
    assert_eq!((&inputs[0]["value"], &inputs[0]["matters"]), (&"1001".into(), &true.into()));
    assert_eq!(inputs[1]["value"], "0");
    let trace = report["trace"].as_array().expect("there is a trace");
    let stored: Vec<&str> = trace.iter().filter_map(|m| m["what"].as_str()).collect();
    assert!(stored.contains(&"a[0] = 1001") && stored.contains(&"a[1] = 0"), "{stored:?}");
    assert!(stored.iter().any(|s| s.ends_with("is true")), "{stored:?}");
    assert!(trace.iter().all(|m| m["place"]["line"].as_u64() > Some(3)));
}

#[test]
fn vacuous_proofs_say_so() {
    let kinds = |task: &str| -> Vec<(String, u64, String)> {
        let report = json(&[task]);
        assert_eq!(report["verdict"], "safe", "{report}");
        let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
        let of = |v: &Value| (text(&v["kind"]), v["place"]["line"].as_u64().unwrap_or(0), text(&v["shown"]));
        report["vacuity"].as_array().expect("vacuity is listed").iter().map(of).collect()
    };
    assert!(kinds(&proof()).is_empty());
    let dead = program(
        "dead.c",
        "  int x = __VERIFIER_nondet_int();\n  if (x > 5 && x < 3)\n    __VERIFIER_assert(x == 7);",
    );
    assert_eq!(kinds(&dead), [("unreachable-assertion".into(), 6, "proof".into())]);
    let contradiction = program(
        "contradiction.c",
        "  int x = __VERIFIER_nondet_int();\n  __VERIFIER_assume(x > 5);\n  __VERIFIER_assume(x < 3);\n  __VERIFIER_assert(x == 7);",
    );
    let found = kinds(&contradiction);
    assert!(found.contains(&("contradictory-assumption".into(), 6, "proof".into())), "{found:?}");
    assert!(found.contains(&("unreachable-assertion".into(), 7, "proof".into())), "{found:?}");
    let (_, out, _) = verify(&[&contradiction]);
    assert!(
        out.contains("warning: ") && out.contains("No execution satisfies this assumption (proved)"),
        "{out}"
    );
    let own = file(
        "own.c",
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
void check_assert(int c) { if (!c) reach_error(); }
int main(void) { int x = __VERIFIER_nondet_int();
  check_assert(x * 0 == 0);
  if (x != x) check_assert(0);
  return 0; }
",
    );
    assert_eq!(kinds(&own), [("unreachable-assertion".into(), 5, "proof".into())]);
    let nothing = program("nothing.c", "");
    assert_eq!(kinds(&nothing), [("nothing-to-check".into(), 0, "proof".into())]);
    let report = json(&["--no-vacuity", &nothing]);
    assert_eq!(report["vacuity"].as_array().map(Vec::len), Some(0));
}

#[test]
fn undefined_functions_and_other_integers_are_assumptions() {
    let task = file(
        "undefined.c",
        "extern int sensor(void); extern void reach_error(void);
int main(void) { int x = sensor(); if (x > x + 1) reach_error(); return 0; }
",
    );
    let report = json(&["--ints", "unbounded", &task]);
    let assumptions = report["assumptions"].to_string();
    assert!(assumptions.contains("'sensor'") && assumptions.contains("mathematical"), "{assumptions}");
}

/// The essentials of the schema: what must be there, of which type, and which values are allowed.
fn check_sarif(log: &Value) {
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().is_some_and(|s| s.ends_with("sarif-schema-2.1.0.json")));
    for run in log["runs"].as_array().expect("runs") {
        let driver = &run["tool"]["driver"];
        assert!(driver["name"].is_string());
        let rules = driver["rules"].as_array().expect("rules");
        for rule in rules {
            assert!(rule["id"].is_string() && rule["shortDescription"]["text"].is_string());
        }
        for result in run["results"].as_array().expect("results") {
            let index = result["ruleIndex"].as_u64().expect("an index") as usize;
            assert_eq!(result["ruleId"], rules[index]["id"]);
            assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().unwrap_or("")));
            assert!(result["message"]["text"].as_str().is_some_and(|t| !t.is_empty()));
            let flows = result["codeFlows"].as_array().map(Vec::as_slice).unwrap_or_default();
            let threads = flows.iter().flat_map(|f| f["threadFlows"].as_array().expect("thread flows"));
            let steps = threads.flat_map(|t| t["locations"].as_array().expect("locations"));
            let on_the_way = steps.map(|s| &s["location"]);
            for location in result["locations"].as_array().expect("locations").iter().chain(on_the_way) {
                let place = &location["physicalLocation"];
                let uri = place["artifactLocation"]["uri"].as_str().expect("a uri");
                assert!(!uri.is_empty() && !uri.contains(' '), "{uri}");
                if let Some(region) = place.get("region") {
                    assert!(
                        region["startLine"].as_u64() >= Some(1) && region["startColumn"].as_u64() >= Some(1)
                    );
                }
            }
        }
        for invocation in run["invocations"].as_array().expect("invocations") {
            assert!(invocation["executionSuccessful"].is_boolean());
        }
    }
}

#[test]
fn sarif_of_several_tasks() {
    let out = path("all.sarif");
    let dead = program("dead again.c", "  int x = 0;\n  if (x > 1) __VERIFIER_assert(x == 7);");
    let (code, stdout, stderr) = verify(&["--sarif", &out, &violation(), &proof(), &dead]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    let log: Value = serde_json::from_str(&std::fs::read_to_string(&out).expect("a log")).expect("JSON");
    check_sarif(&log);
    let results = log["runs"][0]["results"].as_array().expect("results");
    let ids: Vec<&str> = results.iter().filter_map(|r| r["ruleId"].as_str()).collect();
    assert_eq!(ids, ["error-call", "unreachable-assertion"]);
    let steps = &results[0]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert!(steps.as_array().map_or(0, Vec::len) > 4, "{steps}");
}

/// Runs the browser test if everything that it needs is installed; `tests/browser/run.sh` says what is missing otherwise.
#[test]
fn pages_work_in_a_browser() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/browser/run.sh");
    let output = Command::new("sh").arg(script).arg(env!("CARGO_BIN_EXE_bolide")).output().expect("sh runs");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    println!("{text}");
    assert!([Some(0), Some(77)].contains(&output.status.code()), "{text}");
}
