//! Polynomial equations of machine integers, which hold modulo a power of two whether sums and products wrap or not.

mod common;

use common::{Folder, bolide};

/// Two numbers are subtracted from each other as for their greatest common divisor, and two others are added in turn; nothing bounds any of them.
const PRODUCTS: &str = "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);\n\
    int main(void) {\n\
      unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();\n\
      unsigned x = a, y = b, u = b, v = a;\n\
      while (x != y) {\n\
        if (x > y) { x = x - y; v = v + u; } else { y = y - x; u = u + v; }\n\
      }\n\
      if (x * u + y * v != FACTOR * a * b) reach_error();\n\
      return 0; }\n";

#[test]
fn equations_modulo_a_power_of_two_are_proved_by_algebra() {
    let folder = Folder::new("polynomials");
    for (factor, verdict) in [("2", "safe"), ("3", "unsafe")] {
        let task = folder.file("products.c", &PRODUCTS.replace("FACTOR", factor));
        let file = folder.path("products.cert");
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
