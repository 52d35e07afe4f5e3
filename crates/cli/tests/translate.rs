//! Translations are read back by Bolide and must have the verdict of the task.

mod common;

use bolide_testkit::Random;
use common::{Scratch, bolide, bolide_on};
use std::fmt::Write;

/// The exit code of a task, and that of its translation to BTOR2.
fn both(name: &str, text: &str) -> (i32, i32) {
    let task = Scratch::new(name, text);
    let direct = bolide(&["verify", "--timeout", "20", task.path()]);
    let written = bolide(&["translate", "--to", "btor2", task.path()]);
    assert_eq!(written.code, 0, "{text}\n{}", written.stderr);
    let system = Scratch::new(&format!("{name}.btor2"), &written.stdout);
    let read = bolide(&["verify", "--timeout", "20", system.path()]);
    assert!(read.code < 2, "{text}\n{}\n{}", written.stdout, read.stderr);
    (direct.code, read.code)
}

/// What the bounded question about a task is answered with.
fn bounded(name: &str, text: &str, bound: &str) -> String {
    let task = Scratch::new(name, text);
    let written = bolide(&["translate", "--to", "smt2", "--bound", bound, task.path()]);
    assert_eq!(written.code, 0, "{text}\n{}", written.stderr);
    let answer = bolide_on(&[], written.stdout.as_bytes());
    assert_eq!(answer.code, 0, "{}\n{}", written.stdout, answer.stderr);
    answer.stdout.lines().next().unwrap_or("").to_string()
}

/// A linear system over words of three bits and Booleans.
fn random_clauses(r: &mut Random) -> String {
    let mut out = String::from("(set-logic HORN)\n");
    for p in ["p", "q"] {
        let _ = writeln!(out, "(declare-fun {p} ((_ BitVec 3) (_ BitVec 3) Bool) Bool)");
    }
    let quantified = "((x (_ BitVec 3)) (y (_ BitVec 3)) (z (_ BitVec 3)) (b Bool) (c Bool))";
    let word = |r: &mut Random| {
        let leaf = |r: &mut Random| r.pick(&["x", "y", "z", "#b001", "#b110"]);
        let op = r.pick(&[
            "bvadd", "bvmul", "bvsub", "bvand", "bvor", "bvxor", "bvudiv", "bvurem", "bvshl", "bvlshr",
            "bvashr", "bvsdiv", "bvsrem", "bvsmod",
        ]);
        match r.below(4) {
            0 => leaf(r).to_string(),
            1 => format!("((_ sign_extend 1) ((_ extract 2 1) {}))", leaf(r)),
            2 => format!("(concat ((_ extract 0 0) {}) ((_ extract 1 0) {}))", leaf(r), leaf(r)),
            _ => format!("({op} {} {})", leaf(r), leaf(r)),
        }
    };
    let truth = |r: &mut Random| match r.below(5) {
        0 => r.pick(&["b", "c", "(not b)", "(= b c)"]).to_string(),
        1 => format!("(= {} {})", word(r), word(r)),
        _ => {
            let op = r.pick(&["bvult", "bvule", "bvslt", "bvsle"]);
            format!("({op} {} {})", word(r), word(r))
        }
    };
    for n in 0..6 {
        let body = if n == 0 { String::new() } else { format!("({} x y b) ", r.pick(&["p", "q"])) };
        let head = match n {
            5 => "false".to_string(),
            _ => format!("({} {} {} {})", r.pick(&["p", "q"]), word(r), word(r), truth(r)),
        };
        let condition = if n == 0 { "(= x #b010)".into() } else { format!("{} {}", truth(r), truth(r)) };
        let _ = writeln!(out, "(assert (forall {quantified} (=> (and {body}{condition}) {head})))");
    }
    out + "(check-sat)\n"
}

#[test]
fn random_clauses_over_words() {
    let mut r = Random::new(0x2545_f491_4f6c_dd1d);
    let mut verdicts = [0, 0];
    for n in 0..30 {
        let text = random_clauses(&mut r);
        let (direct, read) = both(&format!("words{n}.smt2"), &text);
        if direct < 2 {
            assert_eq!(direct, read, "{text}");
            verdicts[read as usize] += 1;
        }
        // At most 2 * 2^7 states: no shortest derivation is longer.
        let answer = bounded(&format!("bounded{n}.smt2"), &text, "12");
        assert!(read == 1 || answer == "unsat", "{text}");
    }
    assert!(verdicts.iter().all(|&v| v > 4), "{verdicts:?}");
}

const COUNTER: &str = "extern void __VERIFIER_error(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
  unsigned char n = __VERIFIER_nondet_uchar();
  short s = -40;
  int i = 0;
  while (i < n) { i++; s += 7; }
  if (CONDITION) __VERIFIER_error();
  return 0;
}
";

#[test]
fn programs() {
    let conditions = [
        ("n == 0 && s != -40", 0),
        ("s / 4 == -8 && n % 5 == 1", 1),
        ("n < 2 && s / 4 < -10", 0),
        ("-s / 3 == 4 && s % 3 == 0", 1),
        ("(n * n & 7) == 1 && n == 3", 1),
        ("(n & 3) == 3 && (n & 1) == 0", 0),
    ];
    for (n, (condition, verdict)) in conditions.into_iter().enumerate() {
        let text = COUNTER.replace("CONDITION", condition);
        assert_eq!(both(&format!("counter{n}.c"), &text), (verdict, verdict), "{condition}");
    }
    let reached = COUNTER.replace("CONDITION", "s == -19");
    assert_eq!(bounded("short.c", &reached, "2"), "unsat");
    assert_eq!(bounded("long.c", &reached, "12"), "sat");
}

#[test]
fn what_cannot_be_translated() {
    let refused = |name: &str, text: &str, to: &str, place: &str, reason: &str| {
        let task = Scratch::new(name, text);
        let run = bolide(&["translate", "--to", to, task.path()]);
        assert_eq!((run.code, run.stdout.as_str()), (65, ""), "{}", run.stderr);
        let expected = format!("{}{place}", task.path());
        assert!(run.stderr.starts_with(&expected) && run.stderr.contains(": error: "), "{}", run.stderr);
        assert!(run.stderr.contains(reason), "{}", run.stderr);
    };
    let recursive = "int f(int n) { return n <= 0 ? 0 : 1 + f(n - 1); }
void __VERIFIER_error(void);
int main(void) {
  if (f(3) < 0) __VERIFIER_error();
  return 0;
}
";
    refused("recursive.c", recursive, "btor2", ":4:7", "no stack");
    refused("recursive.c", recursive, "smt2", ":4:7", "no stack");
    let clauses = |sort: &str, body: &str| {
        format!(
            "(set-logic HORN)\n(declare-fun p ({sort}) Bool)\n(assert (forall ((x {sort})) (=> (= x (+ x x)) (p x))))
(assert (forall ((x {sort}) (y {sort})) (=> (and {body}) (p (+ x y 1)))))\n(assert (forall ((x {sort})) (=> (and (p x) (> x 9)) false)))\n(check-sat)\n"
        )
    };
    refused("tree.smt2", &clauses("Int", "(p x) (p y)"), "smt2", ":4:1", "two predicates");
    refused("integers.smt2", &clauses("Int", "(p x)"), "btor2", ":", "known bounds");
    refused("reals.smt2", &clauses("Real", "(p x)"), "btor2", ":", "real number");
    refused("circuit.aag", "aag 0 0 0 0 0\n", "btor2", "", "only .c");
}
