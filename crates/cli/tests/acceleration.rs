//! Proofs that many rounds of a loop at once make possible: a lemma must also be kept by the accelerated clauses, which few wrong ones are.

mod common;

use common::{Folder, bolide};

/// The place is a polynomial of the second degree: it falls as long as the speed is negative.
const RISING: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
    int main(void) {\n\
      int place = -30, speed = __VERIFIER_nondet_int();\n\
      if (speed <= -500 || speed >= 1000000) return 0;\n\
      while (place < 0) { place = place + speed; speed += 2; }\n\
      if (speed <= LEAST) reach_error();\n\
      return 0; }\n";

#[test]
fn facts_about_polynomials_are_found_with_accelerated_clauses() {
    let folder = Folder::new("acceleration");
    for (least, verdict) in [("0", "safe"), ("12", "unsafe")] {
        let task = folder.file("rising.c", &RISING.replace("LEAST", least));
        let file = folder.path("rising.cert");
        let run = bolide(&["verify", "--timeout", "120", "--jobs", "1", "--certificate", &file, &task]);
        assert_eq!(run.stdout.lines().next(), Some(verdict), "{run:?}");
        let checked = bolide(&["check", &task, &file]);
        let accepted = format!("accepted: {verdict}");
        assert_eq!(
            (checked.code, checked.stdout.lines().next()),
            (0, Some(accepted.as_str())),
            "{checked:?}"
        );
    }
}
