//! Programs whose loops end after a few rounds are proved by following all their executions at once, and the checker follows them again.

mod common;

use common::{Folder, bolide};

/// Bits of two numbers, interleaved by a loop and by masks.
const INTERLEAVED: &str = "extern unsigned char __VERIFIER_nondet_uchar(void); extern void reach_error(void);\n\
    int main(void) {\n\
      unsigned char x = __VERIFIER_nondet_uchar(), y = __VERIFIER_nondet_uchar();\n\
      unsigned z = 0;\n\
      for (unsigned i = 0; i < 8; i++) z |= (x & 1u << i) << i | (y & 1u << i) << (i + 1);\n\
      unsigned a = x, b = y;\n\
      a = (a | a << 4) & 0x0f0f; a = (a | a << 2) & 0x3333; a = (a | a << 1) & 0x5555;\n\
      b = (b | b << 4) & 0x0f0f; b = (b | b << 2) & 0x3333; b = (b | b << 1) & MASK;\n\
      if (z != (a | b << 1)) reach_error();\n\
      return 0; }\n";

/// A sum that does not depend on the order of an array.
const ROTATED: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
    static int weigh(int *a) { long long s = 0; for (int i = 0; i < 30; i++) { s += a[i]; } return s; }\n\
    int main(void) {\n\
      int a[30]; for (int i = 0; i < 30; i++) a[i] = __VERIFIER_nondet_int();\n\
      int before = weigh(a), first = a[0];\n\
      for (int i = 0; i < 29; i++) a[i] = a[i + 1];\n\
      a[29] = first;\n\
      if (before != weigh(a)) reach_error();\n\
      return 0; }\n";

/// Processes in a ring elect the one with the greatest name: each passes on names that are greater than its own. What they send is one of
/// the names, and which one it is depends on comparisons of others.
fn election(processes: usize, rounds: usize) -> String {
    let all = 0..processes;
    let each = |f: &dyn Fn(usize) -> String| all.clone().map(f).collect::<String>();
    let before = |i: usize| (i + processes - 1) % processes;
    let differ = each(&|i| (0..i).map(|j| format!(" && name{i} != name{j}")).collect());
    let start = each(&|i| format!(" && name{i} >= 0 && send{i} == name{i} && won{i} == 0"));
    format!(
        "extern char __VERIFIER_nondet_char(void); extern void __VERIFIER_assume(int); extern void reach_error(void);\n\
         int main(void) {{\n  {}\n  __VERIFIER_assume(1{start}{differ});\n\
         for (int round = 0; round < {rounds}; round++) {{\n    char got = -1;\n{}{}  }}\n\
         if (0{} != 1) reach_error();\n  return 0; }}\n",
        each(&|i| format!(
            "char name{i} = __VERIFIER_nondet_char(), send{i} = __VERIFIER_nondet_char(), \
            won{i} = __VERIFIER_nondet_char(), mail{i} = -1;\n  "
        )),
        each(&|i| format!("    mail{i} = send{i}; send{i} = -1;\n")),
        each(&|i| format!(
            "    got = mail{}; if (got > name{i}) send{i} = got; else if (got == name{i}) won{i} = 1;\n",
            before(i)
        )),
        each(&|i| format!(" + won{i}")),
    )
}

fn proved(folder: &Folder, name: &str, text: &str) -> (String, String) {
    let task = folder.file(name, text);
    let certificate = folder.path(&format!("{name}.cert"));
    let run = bolide(&["verify", "--timeout", "90", "--jobs", "1", "--certificate", &certificate, &task]);
    assert_eq!(run.stdout.lines().next(), Some("safe"), "{run:?}");
    (task, std::fs::read_to_string(&certificate).expect("a certificate"))
}

#[test]
fn bits_and_sums_of_bounded_loops() {
    let folder = Folder::new("unwinding");
    let bits = INTERLEAVED.replace("MASK", "0x5555");
    for (name, text, numbers) in [("bits.c", bits.as_str(), "words"), ("sums.c", ROTATED, "integers")] {
        let (task, certificate) = proved(&folder, name, text);
        assert!(certificate.contains("option by unwinding"), "{certificate:.400}");
        assert!(certificate.contains(&format!("option numbers {numbers}")), "{certificate:.400}");
        let file = folder.path(&format!("{name}.cert"));
        let checked = bolide(&["check", &task, &file]);
        assert_eq!((checked.code, checked.stdout.lines().next()), (0, Some("accepted: safe")), "{checked:?}");
    }
}

#[test]
fn names_that_are_passed_on_are_compared_case_by_case() {
    let folder = Folder::new("election");
    let (task, certificate) = proved(&folder, "election.c", &election(7, 7));
    assert!(certificate.contains("option numbers words"), "{certificate:.400}");
    let file = folder.path("election.c.cert");
    let checked = bolide(&["check", &task, &file]);
    assert_eq!((checked.code, checked.stdout.lines().next()), (0, Some("accepted: safe")), "{checked:?}");
    // The greatest name needs as many rounds as there are processes.
    let short = folder.file("short.c", &election(7, 6));
    let run = bolide(&["verify", "--timeout", "90", "--jobs", "1", &short]);
    assert_eq!(run.stdout.lines().next(), Some("unsafe"), "{run:?}");
}

#[test]
fn a_forged_unwinding_is_rejected() {
    let folder = Folder::new("forged-unwinding");
    let (task, text) = proved(&folder, "bits.c", &INTERLEAVED.replace("MASK", "0x5555"));
    let line = |of: &str| text.lines().find(|l| l.starts_with(of)).expect("a line").to_string();
    // Fewer rounds than the loop goes, none, too many, another kind of numbers.
    let rounds = line("option rounds");
    for (old, new) in [
        (rounds.clone(), "option rounds 3".to_string()),
        (rounds.clone(), "option rounds 0".into()),
        (rounds, "option rounds 99999999".into()),
        (line("option numbers"), "option numbers reals".into()),
    ] {
        let forged = folder.file("forged.cert", &text.replace(&old, &new));
        let run = bolide(&["check", &task, &forged]);
        assert_eq!(run.code, 1, "{new}: {run:?}");
    }
    // The same proof for a program with another mask, which fails.
    let other = folder.file("other.c", &INTERLEAVED.replace("MASK", "0x5554"));
    let run = bolide(&["verify", "--timeout", "90", "--certificate", &folder.path("other.cert"), &other]);
    assert_eq!(run.stdout.lines().next(), Some("unsafe"), "{run:?}");
    let hash = std::fs::read_to_string(folder.path("other.cert")).expect("a certificate");
    let hash = hash.lines().find(|l| l.starts_with("task")).expect("the hash").to_string();
    let forged = folder.file("forged.cert", &text.replace(&line("task"), &hash));
    let run = bolide(&["check", &other, &forged]);
    assert_eq!(run.code, 1, "{run:?}");
}

/// Errors are found in the same way, and replayed; also where an array that nobody has set is read at places that inputs tell.
#[test]
fn errors_of_bounded_loops() {
    let folder = Folder::new("unwinding-errors");
    let mixed = "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);\n\
        int main(void) {\n\
          unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();\n\
          for (int i = 0; i < 3; i++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; x += y & ~(y >> 3); y = (y << 7) | (y >> 25); }\n\
          if (x == 0x1234567 && (y & 0xff) == 0x5a) reach_error();\n\
          return 0; }\n";
    let array = "extern unsigned char __VERIFIER_nondet_uchar(void); extern void reach_error(void);\n\
        int main(void) {\n\
          unsigned char a[256]; unsigned char i = __VERIFIER_nondet_uchar(), n = 0;\n\
          for (int k = 0; k < 3; k++) { i = a[i] ^ (i << 1 | i >> 7); n += i & 0x35; }\n\
          if (n == 0x6b && i == 0xc1) reach_error();\n\
          return 0; }\n";
    for (name, text) in [("mixed.c", mixed), ("array.c", array)] {
        let task = folder.file(name, text);
        let run = bolide(&["verify", "--timeout", "90", "--jobs", "1", &task]);
        assert_eq!((run.code, run.stdout.lines().next()), (1, Some("unsafe")), "{run:?}");
    }
}

/// Two threads that take turns, made sequential: each runs through all phases of a context bound, with what the other one has left in a phase. The
/// first values of phases are guessed, and compared at the end. The second thread waits for a value of `turn`.
fn threads(waits_for: u8) -> String {
    const PHASES: usize = 3;
    let tests: String = (0..130).map(|n| format!("if (seen & {}) seen ^= {}; ", 1 << (n % 8), n)).collect();
    let mut text = format!(
        "extern unsigned char __VERIFIER_nondet_uchar(void); extern void __VERIFIER_assume(int); extern void reach_error(void);\n\
         unsigned char phase, wrong, seen, turn[{PHASES}], turn_at_first[{PHASES}], inside[{PHASES}], inside_at_first[{PHASES}];\n\
         void context(void) {{ unsigned char next = __VERIFIER_nondet_uchar();\n\
           __VERIFIER_assume(next >= phase && next < {PHASES}); phase = next; }}\n\
         void note(void) {{ {tests} }}\n\
         void visit(unsigned char me, unsigned char waits_for) {{\n\
           context(); note();\n\
           if (turn[phase] == waits_for) {{\n\
             context(); if (inside[phase] != 0) wrong = 1; inside[phase] = 1;\n\
             context(); inside[phase] = 0; turn[phase] = 1 - me; }} }}\n\
         int main(void) {{\n"
    );
    for k in 1..PHASES {
        for shared in ["turn", "inside"] {
            text += &format!("{shared}[{k}] = {shared}_at_first[{k}] = __VERIFIER_nondet_uchar();\n");
        }
    }
    for (me, waits_for) in [(0, 0), (1, waits_for)] {
        text += "phase = 0;\n";
        text += &format!("visit({me}, {waits_for});\n").repeat(6);
    }
    for (k, next) in (1..PHASES).enumerate() {
        for shared in ["turn", "inside"] {
            text += &format!("__VERIFIER_assume({shared}[{k}] == {shared}_at_first[{next}]);\n");
        }
    }
    text + "if (wrong) reach_error();\nreturn 0; }\n"
}

/// Threads with a bound on their context switches make large programs with hardly a loop. Preparing them for the engines took longer than
/// deciding them takes.
#[test]
fn large_programs_without_loops() {
    let folder = Folder::new("unwinding-large");
    for (name, waits_for, verdict) in [("turns.c", 1, "safe"), ("no-turns.c", 0, "unsafe")] {
        let task = folder.file(name, &threads(waits_for));
        let run = bolide(&["verify", "--timeout", "90", "--jobs", "1", "--json", &task]);
        assert!(run.stdout.contains("\"engine\":\"unwinding\""), "{verdict}: {run:?}");
        assert!(run.stdout.contains(&format!("\"verdict\":\"{verdict}\"")), "{verdict}: {run:?}");
    }
}

/// Counts, sums by cases, and the least and the greatest element do not depend on the order of an array either.
#[test]
fn orders_do_not_matter() {
    let folder = Folder::new("orders");
    for (name, start, body) in [
        ("parities.c", "long long s = 0;", "if (a[i] % 2 == 0) s++; else s--;"),
        ("cases.c", "int s = 0;", "if (a[i] > 0) s += 3; else if (a[i] < -5) s -= 2;"),
        ("greatest.c", "long long s = 0;", "s = s < a[i] ? a[i] : s;"),
        ("least.c", "int s = a[0];", "if (!(s <= a[i])) s = a[i];"),
    ] {
        let text =
            ROTATED.replace("long long s = 0;", start).replace("{ s += a[i]; }", &format!("{{ {body} }}"));
        let (task, certificate) = proved(&folder, name, &text);
        assert!(certificate.contains("option numbers integers"), "{name}: {certificate:.400}");
        let file = folder.path(&format!("{name}.cert"));
        let checked = bolide(&["check", &task, &file]);
        assert_eq!((checked.code, checked.stdout.lines().next()), (0, Some("accepted: safe")), "{checked:?}");
        // Another element in the end.
        let wrong = folder.file("wrong.c", &text.replace("a[29] = first;", "a[29] = a[0] ^ 3;"));
        let run = bolide(&["verify", "--timeout", "90", "--jobs", "1", &wrong]);
        assert_eq!((run.code, run.stdout.lines().next()), (1, Some("unsafe")), "{name}: {run:?}");
    }
}
