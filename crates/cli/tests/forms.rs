//! Random C programs, made so that passes have something to do and no error can be reached: the certificate of each proof is
//! accepted, and nearly all of them are about the program as it was read.

mod common;

use bolide_testkit::{Random, rounds};
use common::{Folder, bolide};
use std::fmt::Write;

/// Control state in memory for specialisation, cells for scalar replacement, counters for intervals, variables that do not matter
/// for slicing, a function that is called twice for inlining, and branches that no execution takes.
fn program(rng: &mut Random) -> String {
    let mut text = String::from(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
         struct s { int state; int level; int waste; };\nstatic struct s m; static int a[4]; static unsigned u;\n\
         static int up(int x, int n) { for (int k = 0; k < n; k++) { x++; m.waste += x; } return x; }\n\
         int main(void) {\n  int i = 0, j = 0, in, dead = 3;\n",
    );
    let rounds = 2 + rng.below(5);
    let head = match rng.below(3) {
        0 => format!("  while (i < {rounds}) {{\n    i++;\n"),
        1 => format!("  for (; j < {rounds}; j++) {{\n"),
        _ => "  while (1) {\n".to_string(),
    };
    text += &head;
    text += "    in = __VERIFIER_nondet_int();\n    dead = dead * in + 1;\n    switch (m.state) {\n";
    let states = 2 + rng.below(3);
    for state in 0..states {
        let next = rng.below(states);
        let action = match rng.below(6) {
            0 => format!("m.level = {};", rng.below(4)),
            1 => "if (m.level < 6) m.level++;".into(),
            2 => format!("a[{}] = m.state;", rng.below(4)),
            3 => format!("u += {}u;", 1 + rng.below(3)),
            4 => format!("m.level = up({}, {});", rng.below(3), 1 + rng.below(3)),
            _ => "a[in & 3] = 2;".into(),
        };
        let test = rng.pick(&["in > 0", "in == 7", "m.level > 2", "1"]);
        let _ = writeln!(text, "    case {state}: {action} if ({test}) m.state = {next}; break;");
    }
    text += "    default: reach_error();\n    }\n";
    let claim = rng.pick(&[
        "m.level > 6 || m.level < 0",
        "a[1] > 4 || a[1] < 0",
        "m.state > 4",
        "i > 100 || j > 100",
        "up(1, 2) != 3",
    ]);
    let _ = writeln!(text, "    if ({claim}) reach_error();\n  }}\n  return 0;\n}}");
    text
}

#[test]
fn certificates_of_random_programs_are_accepted() {
    let folder = Folder::new("forms");
    let mut rng = Random::new(0x7e57_ed00_c0de_1234);
    let (mut proofs, mut originals) = (0, 0);
    let count = rounds(40);
    for n in 0..count {
        let file = folder.file(&format!("{n}.c"), &program(&mut rng));
        let certificate = folder.path(&format!("{n}.cert"));
        let run =
            bolide(&["verify", "--no-vacuity", "--timeout", "10", "--certificate", &certificate, &file]);
        if run.code != 0 {
            assert_eq!(run.code, 2, "{n}: {run:?}");
            continue;
        }
        let check = bolide(&["check", &file, &certificate]);
        assert!(check.stdout.starts_with("accepted: safe\n"), "{n}: {run:?}\n{check:?}");
        proofs += 1;
        originals += usize::from(check.stdout.contains("form: original"));
    }
    println!("{originals} of {proofs} proofs are about the original program");
    assert!(proofs * 4 >= count * 3 && originals * 10 >= proofs * 9, "{originals} of {proofs}");
}

/// A loop that counts by a number between 0 and 10: for each of them that is linear.
const STEPS: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
    int main(void) {\n\
      int i, k = __VERIFIER_nondet_int();\n\
      if (k < 0 || k > 10) return 0;\n\
      for (i = 0; i < 1000000 * k; i += k) { }\n\
      if (i != LAST) reach_error();\n\
      return 0; }\n";

#[test]
fn loops_count_by_numbers_of_few_values() {
    let folder = Folder::new("steps");
    let task = folder.file("steps.c", &STEPS.replace("LAST", "1000000 * k"));
    let certificate = folder.path("steps.cert");
    let run = bolide(&["verify", "--timeout", "90", "--jobs", "1", "--certificate", &certificate, &task]);
    assert_eq!(run.stdout.lines().next(), Some("safe"), "{run:?}");
    let text = std::fs::read_to_string(&certificate).expect("a certificate");
    assert!(text.contains("option form original"), "{text:.400}");
    let checked = bolide(&["check", &task, &certificate]);
    assert_eq!((checked.code, checked.stdout.lines().next()), (0, Some("accepted: safe")), "{checked:?}");
    let wrong = folder.file("wrong.c", &STEPS.replace("LAST", "1000000 * k + (k == 9 ? 9 : 0)"));
    let run = bolide(&["verify", "--timeout", "90", "--jobs", "1", &wrong]);
    assert_eq!((run.code, run.stdout.lines().next()), (1, Some("unsafe")), "{run:?}");
}
