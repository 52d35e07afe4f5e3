//! Floating-point numbers: reading, printing, and what is wrong with them.

use bolide_smtlib::{Command, Reader, Scope, print_term, read_term};
use bolide_term::Store;

const DECLARATIONS: &str =
    "(declare-const x Float32) (declare-const y Float32) (declare-const h (_ FloatingPoint 5 11))
    (declare-const m RoundingMode) (declare-const b (_ BitVec 32))\n";

/// A term as it prints, or how the message says what is wrong with it.
fn check(text: &str, expected: &str) {
    let (mut store, mut scope) = (Store::new(), Scope::new());
    let mut reader = Reader::new(DECLARATIONS);
    while let Some(next) = reader.next_command(&mut store, &mut scope) {
        assert!(!matches!(next.unwrap().command, Command::Assert { .. }));
    }
    match read_term(text, &mut store, &mut scope) {
        Ok(term) => {
            let shown = print_term(&store, term).to_string();
            assert_eq!(shown, expected, "{text}");
            assert_eq!(read_term(&shown, &mut store, &mut scope).unwrap(), term, "{text}");
        }
        Err(error) => assert!(error.message.starts_with(expected), "{text}: {}", error.message),
    }
}

#[test]
fn constants() {
    check("(fp #b0 #x7f #b10000000000000000000000)", "(fp #b0 #x7f #b10000000000000000000000)");
    check("(fp #b1 #xff #b00000000000000000000001)", "(_ NaN 8 24)");
    check("((_ to_fp 8 24) #xff800000)", "(_ -oo 8 24)");
    check("(_ -zero 3 4)", "(_ -zero 3 4)");
    check("((_ to_fp 5 11) RNE 0.1)", "(fp #b0 #b01011 #b1001100110)");
    check("((_ to_fp 5 11) RTP (- (/ 1.0 3.0)))", "(fp #b1 #b01101 #b0101010101)");
    check("((_ to_fp 5 11) roundTowardZero (/ 100000 1))", "(fp #b0 #b11110 #b1111111111)");
    check("(fp.to_real (fp #b0 #b011 #b100))", "(/ 3.0 2.0)");
}

#[test]
fn operators() {
    check("(fp.add m x y)", "(fp.add m x y)");
    check("(fp.rem x y)", "(fp.rem x y)");
    check("(fp.fma RTZ x y x)", "(fp.fma RTZ x y x)");
    check("(fp.lt x y)", "(fp.lt x y)");
    check("(fp.gt x y)", "(fp.lt y x)");
    check("(fp.isNaN x)", "(= x (_ NaN 8 24))");
    check("((_ to_fp 8 24) m h)", "((_ to_fp 8 24) m h)");
    check("((_ to_fp 8 24) m b)", "((_ to_fp 8 24) m b)");
    check("((_ to_fp_unsigned 8 24) m b)", "((_ to_fp_unsigned 8 24) m b)");
    check("((_ to_fp 8 24) (fp.to_ieee_bv x))", "x");
    check("(fp.neg (fp.neg ((_ to_fp 8 24) RNE 1.0)))", "(fp #b0 #x7f #b00000000000000000000000)");
    check("(fp.roundToIntegral RNE ((_ to_fp 5 11) RNE 2.5))", "(fp #b0 #b10000 #b0000000000)");
    check("((_ fp.to_sbv 8) RTZ ((_ to_fp 5 11) RNE (- 3.75)))", "#xfd");
}

#[test]
fn errors() {
    check("(fp.add x y)", "expected RoundingMode but found (_ FloatingPoint 8 24) in argument 1 of `fp.add`");
    check(
        "(fp.add m x h)",
        "expected (_ FloatingPoint 8 24) but found (_ FloatingPoint 5 11) in argument 3 of `fp.add`",
    );
    check(
        "(fp #b0 #b1 #b0)",
        "a floating-point format has 2 to 20 bits of exponent and 2 to 65536 bits of significand",
    );
    check("((_ to_fp 5 11) #x00)", "expected (_ BitVec 16) but found (_ BitVec 8) in argument 1 of `to_fp`");
}
