//! Programs whose invariants are about bits are proved on words by the engines for circuits, and the checker puts them on words again.

mod common;

use common::{Folder, bolide};

/// A shift register in two ways: with a choice, and with a product.
const REGISTERS: &str = "extern unsigned char __VERIFIER_nondet_uchar(void); extern void reach_error(void);\n\
    int main(void) {\n\
      unsigned char a = 0, b = 0;\n\
      while (__VERIFIER_nondet_uchar()) {\n\
        unsigned char x = __VERIFIER_nondet_uchar();\n\
        a ^= x; b ^= x;\n\
        for (int i = 0; i < 8; i++) {\n\
          if (a & 0x80) a = (unsigned char)((a << 1) ^ 0x07); else a = (unsigned char)(a << 1);\n\
          b = (unsigned char)((b << 1) ^ ((b >> 7) * TAPS)); }\n\
        if (a != b) reach_error(); }\n\
      return 0; }\n";

/// One bit that goes round, and a number that says where it is.
const RING: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
    int main(void) {\n\
      unsigned short ring = 1; unsigned char at = 0; int k;\n\
      while ((k = __VERIFIER_nondet_int()) != 0) {\n\
        if (k > 0) ring = (unsigned short)((ring << 1) | (ring >> 15)); else ring = (unsigned short)((ring >> 1) | (ring << 15));\n\
        at = (unsigned char)((at + (k > 0 ? 1 : 255)) & 15);\n\
        if (ring != (unsigned short)(1u << at)) reach_error(); }\n\
      return 0; }\n";

#[test]
fn bits_of_long_loops_are_proved_and_checked() {
    let folder = Folder::new("words");
    let registers = REGISTERS.replace("TAPS", "0x07");
    for (name, text) in [("registers.c", registers.as_str()), ("ring.c", RING)] {
        let task = folder.file(name, text);
        let file = folder.path(&format!("{name}.cert"));
        let run = bolide(&[
            "verify",
            "--timeout",
            "120",
            "--jobs",
            "1",
            "--engine",
            "pdr",
            "--certificate",
            &file,
            &task,
        ]);
        assert_eq!(run.stdout.lines().next(), Some("safe"), "{run:?}");
        let certificate = std::fs::read_to_string(&file).expect("a certificate");
        assert!(certificate.contains("option numbers words"), "{certificate:.400}");
        let checked = bolide(&["check", &task, &file]);
        assert_eq!((checked.code, checked.stdout.lines().next()), (0, Some("accepted: safe")), "{checked:?}");
        // The same formulas are no invariant of the program on integers.
        let forged = folder.file("forged.cert", &certificate.replace("option numbers words\n", ""));
        assert_eq!(bolide(&["check", &task, &forged]).code, 1);
    }
}

#[test]
fn errors_on_words_are_replayed() {
    let folder = Folder::new("words-errors");
    let task = folder.file("registers.c", &REGISTERS.replace("TAPS", "0x0f"));
    for engine in ["pdr", "imc", "kind"] {
        let run = bolide(&["verify", "--timeout", "120", "--jobs", "1", "--engine", engine, &task]);
        assert_eq!((run.code, run.stdout.lines().next()), (1, Some("unsafe")), "{engine}: {run:?}");
    }
}
