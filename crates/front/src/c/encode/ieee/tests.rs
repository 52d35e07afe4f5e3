//! Results of the machine satisfy the relations, wrong ones do not.

use super::*;
use bolide_testkit::{Random, rounds};

const OPERATORS: [BinOp; 4] = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div];
const FUNCTIONS: [Math; 5] = [Math::Sqrt, Math::Mod, Math::Min, Math::Max, Math::CopySign];
const ROUNDINGS: [Math; 5] = [Math::Floor, Math::Ceil, Math::Trunc, Math::Round, Math::Rint];
const QUESTIONS: [Math; 6] =
    [Math::IsNan, Math::IsInf, Math::InfinitySign, Math::IsFinite, Math::SignBit, Math::Classify];

/// Patterns of all kinds: any bits, small integers, special values, neighbours of constants.
fn pattern(random: &mut Random, format: Format) -> i128 {
    let special =
        [0.0, -0.0, 1.0, 0.1, 3.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX, 5e-324, 1e-45];
    let bits = random.bits();
    match bits % 4 {
        0 => i128::from(random.bits()) & (2 * format.sign_bit() - 1),
        1 => format.pattern((bits >> 8) as f64 % 33.0 - 16.0),
        2 => format.pattern(special[(bits >> 8) as usize % special.len()]),
        _ => format.pattern([0.1, 1.0, 3.5, 1e10][(bits >> 8) as usize % 4]) + i128::from(bits >> 20 & 3),
    }
}

/// The relations hold for what the operations compute; they are evaluated on numbers.
#[test]
fn results_satisfy_the_relations() {
    let mut store = Store::new();
    let infinity = two_to(1024);
    let nan = infinity.clone() * Rational::from(2);
    let numbers = Numbers { infinity, nan, constants: vec![0.1, 1.0, 3.5, 1e10] };
    let mut rng = Random::new(0x1234_5678_9abc_def1);
    let mut checked = 0;
    for round in 0..rounds(20_000) {
        let format = if round % 2 == 0 { Format::Single } else { Format::Double };
        let (a, b) = (pattern(&mut rng, format), pattern(&mut rng, format));
        let mut relations = Relations { store: &mut store, numbers: &numbers };
        let term = |this: &mut Relations<'_>, v: f64| this.real(this.numbers.of(v));
        let (x, y) = (term(&mut relations, format.value(a)), term(&mut relations, format.value(b)));
        let mut formulas = Vec::new();
        for op in OPERATORS {
            let r = format.operate(op, a, b).unwrap();
            let r = term(&mut relations, format.value(r));
            formulas.push((format!("{op:?}"), relations.operation(op, format, x, y, r)));
        }
        for f in FUNCTIONS {
            let Ok(r) = format.call(f, a, b) else { continue };
            let r = term(&mut relations, format.value(r));
            formulas.push((format!("{f:?}"), relations.function(f, format, x, y, r)));
        }
        for f in ROUNDINGS {
            let r = format.value(format.call(f, a, b).unwrap());
            let n = if r.is_finite() { exact(r) } else { Rational::ZERO };
            let n = relations.store.num(n, Sort::INT);
            let r = term(&mut relations, r);
            formulas.push((format!("{f:?}"), relations.integral(f, x, n, r)));
        }
        for f in QUESTIONS {
            let Ok(n) = format.call(f, a, b) else { continue };
            let n = relations.store.int(n as i64);
            formulas.push((format!("{f:?}"), relations.question(f, x, n)));
        }
        for op in [CmpOp::Lt, CmpOp::Le, CmpOp::Eq, CmpOp::Ne] {
            let holds = relations.compare(op, x, y);
            let expected = relations.store.bool(format.compare(op, a, b));
            formulas.push((format!("{op:?}"), relations.store.iff(holds, expected)));
        }
        let narrow = term(&mut relations, Format::Single.value(format.convert(a, Format::Single)));
        formulas.push(("narrowed".into(), relations.narrowed(Format::Single, x, narrow)));
        let range = (-1 << 31, (1 << 31) - 1);
        if let Some(n) = format.to_int(a, range) {
            let n = relations.store.int(n as i64);
            formulas.push(("truncated".into(), relations.truncated(x, n, range)));
        }
        let integer = rng.bits() as i64 >> (rng.bits() % 60);
        let s = relations.real(Rational::from(integer));
        let r = term(&mut relations, format.from_int(integer.into()));
        formulas.push(("converted".into(), relations.converted(format, s, r)));
        for (what, formula) in formulas {
            let text = (format.show(a), format.show(b));
            assert_eq!(store.as_bool(formula), Some(true), "{what} of {text:?} in {format:?}");
            checked += 1;
        }
    }
    assert!(checked > rounds(400_000), "{checked}");
}

/// They are not true of everything.
#[test]
fn wrong_results_do_not_satisfy_the_relations() {
    let mut store = Store::new();
    let numbers = Numbers { infinity: two_to(1024), nan: two_to(1025), constants: vec![2.0, 4.0] };
    let mut relations = Relations { store: &mut store, numbers: &numbers };
    let [one, two, four, five] = [1, 2, 4, 5].map(|n| relations.real(Rational::from(n)));
    let sixth = relations.real(Rational::new(1, 6));
    for formula in [
        relations.operation(BinOp::Add, Format::Single, two, two, five),
        relations.operation(BinOp::Mul, Format::Single, two, two, two),
        relations.operation(BinOp::Div, Format::Single, four, two, four),
        relations.narrowed(Format::Single, sixth, one),
        relations.function(Math::Sqrt, Format::Double, four, four, four),
        relations.function(Math::Mod, Format::Double, five, two, two),
    ] {
        assert_eq!(relations.store.as_bool(formula), Some(false));
    }
}
