//! Programs that are too large to be inlined: calls that do not matter are skipped.

mod common;

use common::{Scratch, bolide};

/// A driver with functions that call each other in many ways, and with a lock that they do not touch. `last` is the statement
/// that comes after the call of the outermost of them.
fn driver(last: &str) -> String {
    let mut text = String::from(
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
         static int table[8], lock, count;\n\
         static void take(void) { if (lock) reach_error(); lock = 1; }\n\
         static void give(void) { if (!lock) reach_error(); lock = 0; }\n\
         static int work0(int n) { if (n > 3) table[n & 7] = n; else count++; return table[count & 7]; }\n",
    );
    for n in 1..13 {
        let inner = n - 1;
        text += &format!(
            "static int work{n}(int n) {{ int a = work{inner}(n); if (a) a = work{inner}(a + 1); return a + work{inner}(count); }}\n"
        );
    }
    text + &format!(
        "int main(void) {{ while (__VERIFIER_nondet_int()) {{ take(); int r = work12(__VERIFIER_nondet_int()); {last} give(); }} return 0; }}\n"
    )
}

#[test]
fn a_proof_that_skips_calls_is_checked() {
    let file = Scratch::new("large-safe.c", &driver(""));
    let certificate = Scratch::new("large-safe.cert", "");
    let run = bolide(&["verify", "--timeout", "60", "--certificate", certificate.path(), file.path()]);
    assert_eq!(run.stdout.lines().next(), Some("safe"), "{}{}", run.stdout, run.stderr);
    let text = std::fs::read_to_string(certificate.path()).expect("a certificate");
    assert!(text.contains("option calls skipped"), "{}", &text[..text.len().min(500)]);
    let check = bolide(&["check", file.path(), certificate.path()]);
    assert_eq!(check.stdout.lines().next(), Some("accepted: safe"), "{}{}", check.stdout, check.stderr);
}

#[test]
fn an_error_is_not_lost() {
    let file = Scratch::new("large-unsafe.c", &driver("if (r != 1000000) give();"));
    let run = bolide(&["verify", "--timeout", "60", file.path()]);
    assert_ne!(run.stdout.lines().next(), Some("safe"), "{}{}", run.stdout, run.stderr);
}
