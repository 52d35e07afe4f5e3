//! `--cache`: verdicts that come back are answered from certificates, which are checked again.

mod common;

use bolide_testkit::is_long;
use common::{Folder, Run, UNSAFE, bolide};
use serde_json::Value;

const SAFE: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0, j = 0;
  if (n < 0 || n > 1000) return 0;
  while (i < n) { i++; j++; }
  if (j != n) reach_error();
  return 0;
}
";
const CLAUSES: &str = "(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (p x y))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (< x 10)) (p (+ x 1) (+ y 2)))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (> y 20)) false)))
(check-sat)
";

/// Verifies with a cache: the run, the verdict and the engine.
fn verify(folder: &Folder, file: &str) -> (Run, String, String) {
    let run = bolide(&["verify", "--json", "--timeout", "60", "--cache", &folder.path("cache"), file]);
    let value: Value = serde_json::from_str(&run.stdout).expect("one object");
    let word = |name: &str| value[name].as_str().unwrap_or("").to_string();
    (run, word("verdict"), word("engine"))
}

#[test]
fn what_comes_back_is_answered_from_the_cache() {
    let tasks = [
        ("safe.c", SAFE, "safe"),
        ("unsafe.c", UNSAFE, "unsafe"),
        ("safe.smt2", CLAUSES, "safe"),
        ("unsafe.smt2", &CLAUSES.replace("20", "19"), "unsafe"),
        ("safe.aag", "aag 3 0 2 0 1 1\n2 3 0\n4 5 1\n6\n6 2 4\n", "safe"),
        ("unsafe.aag", "aag 3 1 2 0 0 1\n2\n4 2\n6 4\n6\n", "unsafe"),
    ];
    let folder = Folder::new("cache");
    for (name, text, expected) in tasks {
        let file = folder.file(name, text);
        let (run, verdict, engine) = verify(&folder, &file);
        assert_eq!(verdict, expected, "{name}: {run:?}");
        assert_ne!(engine, "cache");
        let (run, verdict, engine) = verify(&folder, &file);
        assert_eq!((verdict.as_str(), engine.as_str()), (expected, "cache"), "{name}: {run:?}");
        // The evidence is as complete as that of an engine.
        let certificate = folder.path("again.cert");
        let run = bolide(&["verify", "--cache", &folder.path("cache"), "--certificate", &certificate, &file]);
        assert_eq!(run.code, i32::from(expected == "unsafe"), "{name}: {run:?}");
        let run = bolide(&["check", &file, &certificate]);
        assert_eq!(run.stdout.lines().next(), Some(&*format!("accepted: {expected}")), "{name}");
    }
    assert_eq!(folder.list("cache").len(), tasks.len());
}

/// Verifies every property with a cache: the verdicts, the engine.
fn verify_all(folder: &Folder, file: &str) -> (Vec<String>, String) {
    let run =
        bolide(&["verify", "--all", "--json", "--timeout", "60", "--cache", &folder.path("cache"), file]);
    let value: Value = serde_json::from_str(&run.stdout).expect("one object");
    let verdict = |p: &Value| p["verdict"].as_str().unwrap_or("").to_string();
    let verdicts = value["properties"].as_array().expect("properties").iter().map(verdict).collect();
    (verdicts, value["engine"].as_str().unwrap_or("").to_string())
}

#[test]
fn several_properties_are_answered_together() {
    let two_checks = SAFE.replace("if (j != n)", "if (j > 1000) reach_error();\n  if (j != n)");
    let one_fails = SAFE.replace("if (j != n)", "if (j == 7) reach_error();\n  if (j != n)");
    let tasks = [
        ("two.c", two_checks.as_str(), ["safe", "safe"]),
        ("two.aag", "aag 3 0 2 0 1 2\n2 3 0\n4 5 1\n6\n6\n6 2 4\n", ["safe", "safe"]),
        ("one.c", one_fails.as_str(), ["unsafe", "safe"]),
    ];
    let folder = Folder::new("cache-of-several");
    for (name, text, expected) in tasks {
        let file = folder.file(name, text);
        let (verdicts, engine) = verify_all(&folder, &file);
        assert!(verdicts == expected && engine != "cache", "{name}: {verdicts:?} by {engine}");
        let (verdicts, engine) = verify_all(&folder, &file);
        assert!(verdicts == expected && engine == "cache", "{name}: {verdicts:?} by {engine}");
    }
}

#[test]
fn what_does_not_matter_may_change() {
    let folder = Folder::new("cache-changes");
    let more = "/* a comment */ int unused(int x) { return x / 2; }\n";
    let (_, _, engine) = verify(&folder, &folder.file("a.c", SAFE));
    assert_ne!(engine, "cache");
    let (run, verdict, engine) = verify(&folder, &folder.file("b.c", &format!("{more}{SAFE}")));
    assert_eq!((verdict.as_str(), engine.as_str()), ("safe", "cache"), "{run:?}");
    let value: Value = serde_json::from_str(&run.stdout).expect("one object");
    assert_eq!(value["invariant"][0]["place"]["line"], 6, "places are those of the new file: {run:?}");
    // What matters, and how the task is read, makes another key.
    let (_, verdict, engine) = verify(&folder, &folder.file("c.c", &SAFE.replace("j != n", "j == n")));
    assert_eq!((verdict.as_str(), engine == "cache"), ("unsafe", false));
    let cache = folder.path("cache");
    let run = bolide(&["verify", "--json", "--cache", &cache, "--data-model", "ILP32", &folder.path("a.c")]);
    assert!(!run.stdout.contains("\"engine\":\"cache\""), "{run:?}");
}

#[test]
fn spoilt_entries_are_ignored() {
    let folder = Folder::new("cache-spoilt");
    let file = folder.file("a.c", SAFE);
    verify(&folder, &file);
    let entry = folder.path(&format!("cache/{}", folder.list("cache")[0]));
    let good = std::fs::read_to_string(&entry).expect("an entry");
    let spoilt = [
        String::new(),
        good[..good.len() / 2].to_string(),
        good.replace("verdict safe", "verdict unsafe"),
        good.replace("LP64", "ILP32"),
        "\u{1F4A5}".into(),
    ];
    for text in spoilt {
        std::fs::write(&entry, &text).expect("the entry is spoilt");
        let (run, verdict, engine) = verify(&folder, &file);
        assert_eq!((verdict.as_str(), engine == "cache"), ("safe", false), "{run:?}");
        assert!(run.stderr.contains("warning: ignored: "), "{run:?}");
        assert_eq!(verify(&folder, &file).2, "cache", "the entry is good again");
    }
    assert_eq!(bolide(&["verify", "--cache", "/dev/null/cache", &file]).code, 64);
}

/// After an edit of one function, only what depends on it is proved again: of 81 functions in 20 files (33 in 8 in quick tests), two.
#[test]
fn an_edit_concerns_what_depends_on_it() {
    let count = if is_long() { 20 } else { 8 };
    let folder = Folder::new("cache-project");
    let file = |n: usize, limit: usize| {
        let next = if n % 5 == 4 { "r".into() } else { format!("take{}(r)", n + 1) };
        format!(
            "extern void reach_error(void); int take{}(int);\nstatic int table{n}[16];\n\
             static int clamp(int n, int high) {{ if (n < 0) return 0; return n > high ? high : n; }}\n\
             int sum{n}(int n) {{ int s = 0; n = clamp(n, 15); for (int k = 0; k < n; k++) {{ table{n}[k] = {n}; s++; }}\n\
               if (s != n) reach_error(); return s; }}\n\
             int take{n}(int n) {{ int r = clamp(n, {n}); if (r > {limit}) reach_error(); return {next}; }}\n\
             int both{n}(int n) {{ int a = sum{n}(n), b = take{n}(n); if (a > 15) reach_error(); return a + b; }}\n",
            n + 1
        )
    };
    let mut files: Vec<String> = (0..count).map(|n| folder.file(&format!("f{n}.c"), &file(n, n))).collect();
    files.push(folder.file("main.c", "int sum0(int); int main(void) { return sum0(3); }\n"));
    let cache = folder.path("cache");
    let verify = || {
        let flags = [
            "verify",
            "--jobs",
            "1",
            "--link",
            "--functions",
            "--timeout",
            "60",
            "--property",
            "errors,bounds",
        ];
        let words: Vec<&str> = files.iter().map(String::as_str).collect();
        let run = bolide(&[&flags[..], &["--cache", &cache, "--json"], &words[..]].concat());
        let tasks: Vec<Value> = serde_json::from_str(&run.stdout)
            .or_else(|_| run.stdout.lines().map(serde_json::from_str).collect())
            .expect("one object for each function");
        assert!(tasks.iter().all(|t| t["verdict"] == "safe"), "{run:?}");
        (tasks.len(), tasks.iter().filter(|t| t["engine"] != "cache").count())
    };
    let (functions, proved) = verify();
    assert_eq!((functions, proved), (4 * count + 1, functions));
    assert_eq!(verify().1, 0);
    folder.file("f7.c", &file(7, 8));
    // take7 itself and both7. The others that call it pass so little that its check cannot fail, before and after.
    assert_eq!(verify().1, 2);
}
