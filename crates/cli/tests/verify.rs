//! The contract of `bolide verify`: exit codes, first lines, JSON, options.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn file(name: &str, text: &str) -> String {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("verify");
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a task is written");
    path.display().to_string()
}

/// Exit code, standard output, standard error.
fn verify(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_bolide"))
        .arg("verify")
        .args(arguments)
        .output()
        .expect("bolide runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

const SAFE: &str = "extern void reach_error(void);
int main(void) { int i = 0; while (i < 10) i++; if (i != 10) reach_error(); return 0; }
";
const UNSAFE: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x * 2 == 84) reach_error();
  return 0;
}
";

#[test]
fn verdicts_and_exit_codes() {
    let (safe, unsafe_) = (file("safe.c", SAFE), file("unsafe.c", UNSAFE));
    let (code, out, _) = verify(&[&safe]);
    assert_eq!((code, out.lines().next()), (0, Some("safe")));
    let (code, out, _) = verify(&[&unsafe_]);
    assert_eq!((code, out.lines().next()), (1, Some("unsafe")));
    assert!(out.contains("unsafe.c:4:"), "{out}");
    let (code, out, _) = verify(&["--timeout", "0", &safe]);
    assert_eq!(code, 2);
    assert!(out.starts_with("unknown: "), "{out}");
    assert_eq!(verify(&["--no-such-option"]).0, 64);
    assert_eq!(verify(&["--engine", "none", &safe]).0, 64);
    assert_eq!(verify(&["--timeout", "-1", &safe]).0, 64);
    assert_eq!(verify(&["no-such-file.c"]).0, 65);
    assert_eq!(verify(&[&file("task.xyz", "")]).0, 65);
}

#[test]
fn several_files_are_told_apart() {
    let (safe, unsafe_) = (file("first.c", SAFE), file("second.c", UNSAFE));
    let (code, out, _) = verify(&[&safe, &unsafe_]);
    assert_eq!(code, 1);
    assert!(out.contains("first.c: safe\n") && out.contains("second.c: unsafe\n"), "{out}");
}

#[test]
fn json_has_verdict_evidence_and_statistics() {
    for (name, text, verdict, evidence) in
        [("json-safe.c", SAFE, "safe", "invariant"), ("json-unsafe.c", UNSAFE, "unsafe", "trace")]
    {
        let (_, out, _) = verify(&["--json", &file(name, text)]);
        let value: Value = serde_json::from_str(&out).expect("one JSON value");
        assert_eq!(value["schema"], 1);
        assert_eq!(value["verdict"], verdict);
        assert_eq!(value["kind"], "c");
        assert_eq!(value["properties"][0]["verdict"], verdict);
        assert!(value["statistics"].is_object() && value["seconds"].is_number());
        let evidence = value[evidence].as_array().expect("evidence");
        assert!(verdict == "safe" || !evidence.is_empty(), "{out}");
    }
}

#[test]
fn horn_clauses_are_sat_or_unsat() {
    let text = |bound: u32| {
        format!(
            "(set-logic HORN) (declare-fun p (Int) Bool) (assert (forall ((x Int)) (=> (= x 0) (p x))))
             (assert (forall ((x Int)) (=> (and (p x) (< x 5)) (p (+ x 1)))))
             (assert (forall ((x Int)) (=> (and (p x) (> x {bound})) false))) (check-sat)"
        )
    };
    assert_eq!(verify(&[&file("sat.smt2", &text(5))]).1, "sat\n");
    assert_eq!(verify(&[&file("unsat.smt2", &text(4))]).1, "unsat\n");
    let (code, out, err) = verify(&["--timeout", "0", &file("unknown.smt2", &text(5))]);
    assert_eq!((code, out.as_str()), (2, "unknown\n"));
    assert!(err.contains("unknown: "), "{err}");
}

#[test]
fn properties_are_chosen() {
    let text = "extern int __VERIFIER_nondet_int(void);
int a[4];
int main(void) {
  int i = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int();
  if (i < 0 || i > 4) return 0;
  a[i] = 1;
  return 10 / k + (k + 1);
}
";
    let file = file("properties.c", text);
    assert_eq!(verify(&[&file]).0, 0);
    for property in ["overflow", "div-by-zero", "bounds"] {
        let (code, out, _) = verify(&["--property", property, &file]);
        assert_eq!(code, 1, "{property}: {out}");
    }
    assert_eq!(verify(&["--property", "shift,null", &file]).0, 0);
    assert_eq!(verify(&["--property", "beauty", &file]).0, 64);
}

#[test]
fn unbounded_integers_are_said_to_be_so() {
    let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) { int x = __VERIFIER_nondet_int(); if (x > 0 && x + 1 < x) reach_error(); return 0; }
";
    let file = file("wrap.c", text);
    assert_eq!(verify(&[&file]).0, 1);
    let (code, out, _) = verify(&["--ints", "unbounded", &file]);
    assert_eq!(code, 0);
    assert!(out.contains("mathematical"), "{out}");
}

#[test]
fn bad_input_is_located() {
    for (name, text, place) in [
        ("syntax.c", "int main(void) {\n  int x = ;\n}\n", "syntax.c:2:"),
        ("name.c", "int main(void) {\n  return y;\n}\n", "name.c:2:"),
        ("horn.smt2", "(set-logic HORN)\n(assert (p 1))\n", "horn.smt2:2:"),
        ("circuit.aag", "aag 1 1 0 0 0\nx\n", "circuit.aag:2:"),
        ("words.btor2", "1 sort bitvec 4\n2 add 1 7 7\n", "words.btor2:2:"),
    ] {
        let (code, _, err) = verify(&[&file(name, text)]);
        assert_eq!(code, 65, "{name}: {err}");
        assert!(err.contains(place), "{name}: {err}");
    }
}

#[test]
fn the_preprocessor_can_be_chosen() {
    let file = file(
        "macro.c",
        "#define LIMIT 3\nextern void reach_error(void);\nint main(void) { if (LIMIT != 3) reach_error(); return 0; }\n",
    );
    assert_eq!(verify(&[&file]).0, 0);
    let (code, _, err) = verify(&["--cpp", "no-such-preprocessor -E", &file]);
    assert_eq!(code, 65);
    assert!(err.contains("no-such-preprocessor"), "{err}");
}

/// Headers and macros of the compiler are those of the machine that the data model is about, also where headers for 32 bits are not installed.
#[test]
fn files_are_preprocessed_for_their_data_model() {
    let file = file(
        "model.c",
        "#include <limits.h>\n#include <stdlib.h>\n#define BYTES __SIZEOF_LONG__\nextern void reach_error(void);\n\
         int main(void) { if (sizeof(long) != BYTES || LONG_MAX != (1ul << (8 * BYTES - 1)) - 1) reach_error(); return 0; }\n",
    );
    for model in ["ILP32", "LP64"] {
        assert_eq!(verify(&["--data-model", model, &file]).0, 0, "{model}");
    }
}

#[test]
fn all_engines_run_on_c() {
    let (safe, unsafe_) = (file("engines-safe.c", SAFE), file("engines-unsafe.c", UNSAFE));
    for engine in ["auto", "impact", "pdr", "annotate", "bmc"] {
        let (code, out, _) = verify(&["--engine", engine, "--timeout", "30", &safe]);
        assert!(code == 0 || ["annotate", "bmc"].contains(&engine) && code == 2, "{engine}: {out}");
        assert_eq!(verify(&["--engine", engine, "--timeout", "30", &unsafe_]).0, 1, "{engine}");
    }
}

/// The harness of a violation makes the program fail when it is compiled and run.
#[test]
fn harnesses_make_real_programs_fail() {
    let text = "extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int); extern void reach_error(void); extern void *__VERIFIER_nondet_pointer(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == 7) return __VERIFIER_nondet_pointer() != 0;
  unsigned char c = __VERIFIER_nondet_uchar();
  __VERIFIER_assume(x < -5);
  int y = __VERIFIER_nondet_int();
  if (x + y == 1000 && c == 200) reach_error();
  return 0;
}
";
    let task = file("harness-task.c", text);
    let harness = file("harness.c", "");
    let binary = format!("{harness}.run");
    assert_eq!(verify(&["--harness", &harness, &task]).0, 1);
    // Without a compiler there is nothing to run.
    let Ok(built) = Command::new("cc").args(["-w", "-o", &binary, &task, &harness]).output() else { return };
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let run = Command::new(&binary).output().expect("the program runs");
    assert_eq!(run.status.code(), Some(42));
}

/// A harness defines the functions that give inputs of any type, and the variables that the program only declares.
#[test]
fn harnesses_define_what_is_only_declared() {
    let text = "typedef signed char S8; typedef unsigned long long u64; struct pair { int a, b; };
extern S8 __VERIFIER_nondet_S8(void); extern u64 __VERIFIER_nondet_u64(void); extern void reach_error(void);
extern int limit; extern double scale; extern struct pair pair; extern short list[6]; extern char room[1 << 20];
int main(void) {
  u64 large = __VERIFIER_nondet_u64();
  if (__VERIFIER_nondet_S8() == -7 && large == 12345678901ull && limit == -300 && scale == 2.5 &&
      pair.a == 9 && pair.b == -70000 && list[4] == -2 && room[1 << 19] == 3) reach_error();
  return pair.a;
}
";
    let (task, harness) = (file("declared-task.c", text), file("declared.c", ""));
    let binary = format!("{harness}.run");
    assert_eq!(verify(&["--harness", &harness, &task]).0, 1);
    let Ok(built) = Command::new("cc").args(["-w", "-o", &binary, &task, &harness]).output() else { return };
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let run = Command::new(&binary).output().expect("the program runs");
    assert_eq!(run.status.code(), Some(42));
}

/// An error after forty million rounds with an input and a write in each is found, told in a few lines, accepted by the checker, and real.
#[test]
fn inputs_of_long_loops_are_told_once() {
    let text = "extern int __VERIFIER_nondet_int(void); extern char __VERIFIER_nondet_char(void);
extern void reach_error(void); void *malloc(unsigned long);
int main(void) {
  int size = __VERIFIER_nondet_int(), n = 0;
  if (size <= 0) return 0;
  char *text = malloc(size);
  while (n < size) {
    text[n] = __VERIFIER_nondet_char();
    if (text[n] == 0) break;
    ++n;
  }
  if (n < size && n > 40000000) reach_error();
  return 0;
}
";
    let task = file("long-loop.c", text);
    let (harness, certificate) = (file("long-loop-harness.c", ""), file("long-loop.certificate", ""));
    let (code, out, _) = verify(&[
        "--jobs",
        "1",
        "--harness",
        &harness,
        "--certificate",
        &certificate,
        "--timeout",
        "60",
        &task,
    ]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains(" times)") && out.lines().count() < 60, "{out}");
    let checked = Command::new(env!("CARGO_BIN_EXE_bolide")).args(["check", &task, &certificate]).output();
    assert!(checked.expect("bolide runs").status.success());
    let binary = format!("{harness}.run");
    let Ok(built) = Command::new("cc").args(["-w", "-o", &binary, &task, &harness]).output() else { return };
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let run = Command::new(&binary).output().expect("the program runs");
    assert_eq!(run.status.code(), Some(42));
}

/// A witness has what the format asks for.
#[test]
fn witnesses_have_the_form_of_the_community() {
    let (safe, unsafe_) = (file("witness-safe.c", SAFE), file("witness-unsafe.c", UNSAFE));
    let (_, out, _) = verify(&["--witness", "-", &safe]);
    for part in
        ["entry_type: invariant_set", "format_version: \"2.0\"", "input_file_hashes:", "data_model: LP64"]
    {
        assert!(out.contains(part), "{part} is missing in {out}");
    }
    let (_, out, _) = verify(&["--witness", "-", "--data-model", "ILP32", &unsafe_]);
    for part in
        ["entry_type: violation_sequence", "type: function_return", "type: target", "data_model: ILP32"]
    {
        assert!(out.contains(part), "{part} is missing in {out}");
    }
    assert!(out.contains("\\\\result == "), "{out}");
}

#[test]
fn completions_and_manual_pages_are_printed() {
    for (arguments, part) in [
        (&["completions", "bash"][..], "bolide"),
        (&["completions", "fish"], "verify"),
        (&["man"], ".TH"),
        (&["man", "verify"], "certificate"),
    ] {
        let output =
            Command::new(env!("CARGO_BIN_EXE_bolide")).args(arguments).output().expect("bolide runs");
        assert_eq!(output.status.code(), Some(0));
        assert!(String::from_utf8_lossy(&output.stdout).contains(part), "{arguments:?}");
    }
}

#[test]
fn every_property_has_its_own_verdict() {
    let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == 5) reach_error();
  if (x > 5 && x < 5) reach_error();
  if (x == 123456) reach_error();
  return 0;
}
";
    let file = file("all.c", text);
    let (code, out, _) = verify(&["--all", "--json", &file]);
    assert_eq!(code, 1);
    let value: Value = serde_json::from_str(&out).expect("one JSON value");
    let verdicts: Vec<&str> = value["properties"]
        .as_array()
        .expect("properties")
        .iter()
        .filter_map(|p| p["verdict"].as_str())
        .collect();
    assert_eq!(verdicts, ["unsafe", "safe", "unsafe"]);
}

#[test]
fn a_long_execution_without_inputs_is_followed() {
    let text = "extern void reach_error(void);\nint a[100000];\nint main(void) {\n  for (int i = 0; i < 100000; i++) a[i] = i;\n  \
                for (int i = 0; i < 100000; i++) if (a[i] == 99999) reach_error();\n  return 0;\n}\n";
    let task = file("long-run.c", text);
    let (code, report, _) = verify(&["--json", &task]);
    assert_eq!(code, 1);
    assert!(report.contains("\"engine\":\"testing\"") && report.contains("steps omitted"));
}

#[test]
fn a_counterexample_has_no_needless_rounds() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  int held = 0;\n  \
                for (int i = 0; i < 10; i++) {\n    int x = __VERIFIER_nondet_int();\n    if (held) reach_error();\n    \
                if (x == 77) held = 1;\n  }\n  return 0;\n}\n";
    let task = file("rounds.c", text);
    let (code, report, _) = verify(&[&task]);
    assert_eq!(code, 1);
    assert_eq!(report.matches("__VERIFIER_nondet_int() gives").count(), 2, "{report}");
}

#[test]
fn bit_fields_that_do_not_overlap_are_sums() {
    let text = "extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned value = __VERIFIER_nondet_uint();
  unsigned packed = (value & 0xffu) << 24 | (value >> 8 & 0xffu) << 16 | (value >> 16 & 0xffu) << 8 | value >> 24;
  if (__builtin_bswap32(packed) != value) reach_error();
  if ((packed ^ 0u) != packed || (value << 8 & 0xf0u) != 0) reach_error();
  return 0;
}
";
    let (code, out, _) = verify(&["--timeout", "60", &file("swapped-bytes.c", text)]);
    assert_eq!((code, out.lines().next()), (0, Some("safe")));
}

#[test]
fn options_that_do_not_apply_are_refused() {
    let (program, clauses) =
        (file("options.c", SAFE), file("options.smt2", "(set-logic HORN)\n(check-sat)\n"));
    let circuit = file("options.aag", "aag 0 0 0 0 0 1\n0\n");
    for arguments in [
        &["--engine", "pdr", "--refine", "split", &program] as &[&str],
        // Also if it is said what is the default anyway.
        &["--engine", "pdr", "--system", "mcmillan", &program],
        &["--engine", "kind", "--order", "depth", &clauses],
        &["--engine", "impact", "--annotate-without", "houdini", &program],
        &["--engine", "itpseq", &program],
        &["--engine", "impact", &circuit],
        &["--order", "breadth", &circuit],
        &["--harness", "/tmp/never.c", &clauses],
        &["--property", "overflow", &clauses],
        &["--vcd", "/tmp/never.vcd", &program],
        &["--alethe", "/tmp/never.alethe", &program],
    ] {
        let (code, out, messages) = verify(arguments);
        assert_eq!(code, 64, "{arguments:?}: {out}");
        assert!(messages.starts_with("bolide: "), "{arguments:?}: {messages}");
    }
}

#[test]
fn reasons_have_codes() {
    let program = file(
        "reason.c",
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
  if (x > 2 && y > 2 && z > 2 && x * x * x + y * y * y == z * z * z) reach_error(); return 0; }",
    );
    let (code, out, _) = verify(&["--json", "--timeout", "0.01", &program]);
    assert_eq!(code, 2, "{out}");
    assert!(out.contains("\"reason_code\":\"timeout\""), "{out}");
}
