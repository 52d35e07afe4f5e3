//! Programs in which inputs decide nothing are proved by running them, and the checker runs them again.

mod common;

use common::{Folder, bolide};

/// Primes, a recursive function, memory from the heap, and values from outside that are not looked at.
const PRIMES: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void); extern void *malloc(unsigned long);\n\
    static int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }\n\
    int main(void) {\n\
      int waste = __VERIFIER_nondet_int(); char sieve[200]; int *found = malloc(50 * sizeof *found), n = 0;\n\
      for (int i = 0; i < 200; i++) sieve[i] = 1;\n\
      for (int i = 2; i < 200; i++) {\n\
        if (!sieve[i]) continue;\n\
        found[n++] = i; waste += i;\n\
        for (int j = 2 * i; j < 200; j += i) sieve[j] = 0;\n\
      }\n\
      if (n != 46 || found[45] != LAST || ack(2, 3) != 9) reach_error();\n\
      return waste; }\n";

fn with_last(last: &str) -> String {
    PRIMES.replace("LAST", last)
}

#[test]
fn a_program_without_inputs_is_run() {
    let folder = Folder::new("execution");
    let task = folder.file("primes.c", &with_last("199"));
    let certificate = folder.path("primes.cert");
    let run = bolide(&["verify", "--timeout", "60", "--certificate", &certificate, &task]);
    assert_eq!(run.stdout.lines().next(), Some("safe"), "{run:?}");
    let text = std::fs::read_to_string(&certificate).expect("a certificate");
    assert!(text.contains("by execution"), "{text}");
    let checked = bolide(&["check", &task, &certificate]);
    assert_eq!((checked.code, checked.stdout.lines().next()), (0, Some("accepted: safe")), "{checked:?}");
}

#[test]
fn a_forged_execution_is_rejected() {
    let folder = Folder::new("forged-execution");
    let right = folder.file("right.c", &with_last("199"));
    let certificate = folder.path("right.cert");
    bolide(&["verify", "--timeout", "60", "--certificate", &certificate, &right]);
    let text = std::fs::read_to_string(&certificate).expect("a certificate");
    let hash = |file: &str| {
        let run = bolide(&["verify", "--timeout", "60", "--certificate", &folder.path("other.cert"), file]);
        assert!(run.code < 2, "{run:?}");
        let other = std::fs::read_to_string(folder.path("other.cert")).expect("a certificate");
        other.lines().find(|l| l.starts_with("task")).expect("the hash").to_string()
    };
    let ours = text.lines().find(|l| l.starts_with("task")).expect("the hash").to_string();
    // A program that fails, and one in which an input decides, under the certificate of the first one.
    let failing = with_last("197");
    let deciding = with_last("199")
        .replace("waste += i;", "if (waste == i) continue;")
        .replace("n != 46 || ", "n < 0 || ");
    for (name, other) in [("failing.c", failing), ("deciding.c", deciding)] {
        let task = folder.file(name, &other);
        let forged = folder.file("forged.cert", &text.replace(&ours, &hash(&task)));
        let run = bolide(&["check", &task, &forged]);
        assert_eq!(run.code, 1, "{name}: {run:?}");
    }
}

#[test]
fn what_memory_holds_at_first_is_not_known() {
    let folder = Folder::new("unknown-memory");
    let text = "extern void reach_error(void); extern void *malloc(unsigned long);\n\
        int main(void) { int *p = malloc(8); int x; if (p[1] == 5 || x == 7) reach_error(); return 0; }\n";
    let task = folder.file("unset.c", text);
    let run = bolide(&["verify", "--timeout", "60", &task]);
    assert_eq!(run.stdout.lines().next(), Some("unsafe"), "{run:?}");
}

/// A loop in two phases, with a call in it, of hundreds of millions of rounds.
const PHASES: &str = "extern void reach_error(void);\n\
    static unsigned next(unsigned x) { return x + 2; }\n\
    int main(void) {\n\
      unsigned x = 0;\n\
      while (x < 1000000000) { if (x < 100000000) x++; else x = next(x); }\n\
      if (x != LAST) reach_error();\n\
      return 0; }\n";

#[test]
fn long_loops_are_run_in_strides() {
    let folder = Folder::new("strides");
    for (last, verdict) in [("1000000000", "safe"), ("1000000001", "unsafe")] {
        let task = folder.file("phases.c", &PHASES.replace("LAST", last));
        let certificate = folder.path("phases.cert");
        let run = bolide(&["verify", "--timeout", "60", "--certificate", &certificate, &task]);
        assert_eq!(run.stdout.lines().next(), Some(verdict), "{run:?}");
        let is_told = run.stdout.contains("the loop goes on for 449999916 rounds");
        assert_eq!(is_told, verdict == "unsafe", "{run:?}");
        let checked = bolide(&["check", &task, &certificate]);
        let accepted = format!("accepted: {verdict}");
        assert_eq!(
            (checked.code, checked.stdout.lines().next()),
            (0, Some(accepted.as_str())),
            "{checked:?}"
        );
    }
}

/// The inputs of many rounds, one after the other, are found by going through the states; each state is visited once, so those behind wrong
/// inputs cost nothing.
#[test]
fn errors_behind_sequences_of_inputs_are_found() {
    let digits = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8];
    let steps: String =
        digits.iter().enumerate().map(|(n, d)| format!("n == {n} && in == {d} ? {} : ", n + 1)).collect();
    let text = format!(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
         static int next(int n, int in) {{ return {steps}0; }}\n\
         int main(void) {{\n  int n = 0;\n  while (1) {{\n    int in = __VERIFIER_nondet_int();\n    if (in < 0 || in > 9) return 1;\n    \
         n = next(n, in);\n    if (n == {}) reach_error();\n  }}\n}}\n",
        digits.len()
    );
    let folder = Folder::new("states");
    let task = folder.file("lock.c", &text);
    let run = bolide(&["verify", "--timeout", "60", "--json", &task]);
    assert!(run.code == 1 && run.stdout.contains("\"engine\":\"testing\""), "{run:?}");
}

/// The first state satisfies an assumption that chosen inputs do not; the error shows after many rounds of a loop.
const PROTOCOL: &str = "extern void reach_error(void); extern void __VERIFIER_assume(int);\n\
    extern int __VERIFIER_nondet_int(void); static int a, b, c, d; static unsigned char round;\n\
    static int is_start(void) { if (a > 1000 && b == 3 * a + 7) { if (c == a || d == b - 5) return d - c == 77777; } return 0; }\n\
    int main(void) {\n\
      a = __VERIFIER_nondet_int(); b = __VERIFIER_nondet_int(); c = __VERIFIER_nondet_int(); d = __VERIFIER_nondet_int();\n\
      __VERIFIER_assume(a < 100000 && is_start());\n\
      int started = 0;\n\
      while (1) { round++; if (round > 2) started = 1; if (started && round == 0) reach_error(); } }\n";

#[test]
fn errors_long_after_an_assumption_are_found() {
    let folder = Folder::new("behind-assumptions");
    let task = folder.file("protocol.c", PROTOCOL);
    let run = bolide(&["verify", "--timeout", "60", &task]);
    assert_eq!(run.stdout.lines().next(), Some("unsafe"), "{run:?}");
}

/// Loops in loops of 2^60 rounds, whose results nobody reads; the counters and another variable matter.
const UNREAD: &str = "extern void reach_error(void);\n\
    int main(void) {\n\
      static char array[1024 * 1024] = { 1 };\n\
      unsigned a = 1, i, j, k;\n\
      for (i = 0; i < sizeof(array); i++)\n\
        for (j = 0; j < sizeof(array); j++)\n\
          for (k = 0; k < sizeof(array); k++)\n\
            array[i] = array[j] + array[k];\n\
      if (CONDITION) reach_error();\n\
      return array[100]; }\n";

#[test]
fn loops_are_left_out_whose_results_nobody_reads() {
    let folder = Folder::new("unread");
    for condition in ["a != 0", "i + j + k == 3 << 20 && a == 1"] {
        let task = folder.file("nest.c", &UNREAD.replace("CONDITION", condition));
        let certificate = folder.path("nest.cert");
        let run = bolide(&["verify", "--timeout", "90", "--jobs", "1", "--certificate", &certificate, &task]);
        assert_eq!((run.code, run.stdout.lines().next()), (1, Some("unsafe")), "{condition}: {run:?}");
        let checked = bolide(&["check", &task, &certificate]);
        assert_eq!(
            (checked.code, checked.stdout.lines().next()),
            (0, Some("accepted: unsafe")),
            "{condition}: {checked:?}"
        );
    }
}
