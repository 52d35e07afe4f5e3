//! The library and the command give the same answers, and the same ones on a busy machine as on an idle one.

mod common;

use bolide::{Budget, Kind, Options, Task};
use common::{Folder, SAFE, UNSAFE, bolide};
use std::sync::atomic::{AtomicBool, Ordering};

const CLAUSES: &str = "(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (forall ((x Int)) (=> (= x 0) (p x))))
(assert (forall ((x Int)) (=> (and (p x) (< x 10)) (p (+ x 1)))))
(assert (forall ((x Int)) (=> (and (p x) (> x 10)) false)))
";

/// A program that takes the engines a while.
const LOOPS: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int(), i = 0, j = 0, k = 0;
  if (n < 1 || n > 1000 || m < 1 || m > 1000) return 0;
  while (i < n) { i++; k++; }
  while (j < m) { j++; k++; }
  if (k != n + m) reach_error();
  return 0;
}
";

fn tasks() -> [(&'static str, Kind, &'static str); 5] {
    [
        ("safe.c", Kind::Program, SAFE),
        ("unsafe.c", Kind::Program, UNSAFE),
        ("loops.c", Kind::Program, LOOPS),
        ("clauses.smt2", Kind::Horn, CLAUSES),
        ("toggle.aag", Kind::Aiger, "aag 3 0 2 0 1 1\n2 3 0\n4 5 1\n6\n6 2 4\n"),
    ]
}

#[test]
fn the_library_answers_as_the_command_does() {
    let folder = Folder::new("embedding");
    for (name, kind, text) in tasks() {
        let file = folder.file(name, text);
        let run = bolide(&["verify", "--jobs", "1", &file]);
        let task = Task::new(file, kind, text);
        let report = bolide::verify(&task, &Options::default(), &Budget::unlimited()).expect("a report");
        assert_eq!(bolide_report::text(&report), run.stdout, "{name}");
    }
}

#[test]
fn a_task_that_cannot_be_read_is_an_error() {
    let error = bolide::verify(&Task::c("x.c", "int main( {"), &Options::default(), &Budget::unlimited());
    assert!(matches!(error, Err(bolide::Error::C(_))));
    let mut options = Options::default();
    options.engine = bolide::Engine::by_name("itpseq");
    let error = bolide::verify(&Task::c("x.c", SAFE), &options, &Budget::unlimited());
    assert!(
        matches!(error, Err(bolide::Error::Usage(message)) if message.contains("itpseq does not work on C programs"))
    );
}

/// What is said about the tasks with one job, and their certificates.
fn answers(folder: &Folder, limit: &str) -> Vec<(String, String)> {
    let answer = |(name, _, text): (&str, Kind, &str)| {
        let file = folder.file(name, text);
        let certificate = folder.path("certificate");
        let arguments = ["--jobs", "1", "--timeout", limit, "--certificate", &certificate, &file];
        let run = bolide(&[&["verify"], &arguments[..]].concat());
        (run.stdout, std::fs::read_to_string(certificate).unwrap_or_default())
    };
    tasks().into_iter().map(answer).collect()
}

#[test]
fn load_and_limit_change_nothing() {
    let folder = Folder::new("load");
    let quiet = answers(&folder, "600");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 * std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let loaded = answers(&folder, "300");
        done.store(true, Ordering::Relaxed);
        assert_eq!(loaded, quiet);
    });
}
