//! Circuits against exact arithmetic, exact arithmetic against a table of all numbers and against the machine.

use super::*;
use crate::bv::testkit::{Random, word};
use crate::{Evaluator, Func, Model};
use std::cmp::Ordering;

const TINY: [FloatFormat; 5] = [
    FloatFormat { exponent: 2, significand: 2 },
    FloatFormat { exponent: 2, significand: 3 },
    FloatFormat { exponent: 3, significand: 2 },
    FloatFormat { exponent: 3, significand: 3 },
    FloatFormat { exponent: 2, significand: 4 },
];

/// All finite numbers of a format with their bits, in order, zero once.
fn table(format: FloatFormat) -> Vec<(Rational, UBig)> {
    let all = (0..1u32 << format.width()).map(UBig::from);
    let mut out: Vec<(Rational, UBig)> = all.filter_map(|b| Some((format.to_rational(&b)?, b))).collect();
    out.sort();
    out.retain(|(v, b)| !v.is_zero() || b.is_zero());
    out
}

/// The bits of a number by looking it up between two neighbours; not for zero.
fn looked_up(format: FloatFormat, table: &[(Rational, UBig)], mode: RoundingMode, value: &Rational) -> UBig {
    if let Some((_, bits)) = table.iter().find(|(v, _)| v == value) {
        return bits.clone();
    }
    let negative = value.is_negative();
    let n = table.partition_point(|(v, _)| v < value);
    // What lies beyond the greatest number is as far away as the next power of two.
    let beyond = Rational::pow2(format.bias() as u32 + 1);
    let low = n.checked_sub(1).map_or((-beyond.clone(), format.infinity(true)), |i| table[i].clone());
    let high = table.get(n).cloned().unwrap_or((beyond, format.infinity(false)));
    let (down, up) = (value.clone() - low.0.clone(), high.0.clone() - value.clone());
    let outside = n == 0 || n == table.len();
    let even = |bits: &UBig| bits.clone() % UBig::from(2u32) == UBig::ZERO;
    let pick_high = match mode {
        RoundingMode::Positive => true,
        RoundingMode::Negative => false,
        RoundingMode::Zero => negative,
        RoundingMode::NearestEven | RoundingMode::NearestAway => match up.cmp(&down) {
            Ordering::Less => true,
            Ordering::Greater => false,
            Ordering::Equal if mode == RoundingMode::NearestAway => !negative,
            Ordering::Equal if outside => !negative,
            Ordering::Equal => even(&high.1),
        },
    };
    let bits = if pick_high { high.1 } else { low.1 };
    // A negative number that becomes zero keeps its sign.
    if bits.is_zero() { format.zero(negative) } else { bits }
}

fn exact_value(op: FloatOp, format: FloatFormat, mode: RoundingMode, args: &[&UBig]) -> UBig {
    let operands = Operands { mode, format, result: Some(format), width: 0, args };
    match exact::evaluate(op, &operands) {
        Outcome::Bits(bits) => bits,
        Outcome::Truth(b) => UBig::from(u8::from(b)),
    }
}

#[test]
fn exact_arithmetic_agrees_with_a_table_of_all_numbers() {
    for format in TINY {
        let table = table(format);
        for (x, a) in &table {
            for (y, b) in &table {
                for mode in RoundingMode::ALL {
                    let check = |op, value: Option<Rational>| {
                        let Some(value) = value.filter(|v| !v.is_zero()) else { return };
                        let expected = looked_up(format, &table, mode, &value);
                        assert_eq!(
                            exact_value(op, format, mode, &[a, b]),
                            expected,
                            "{op:?} {x} {y} {mode:?} {format:?}"
                        );
                        assert_eq!(format.of_rational(mode, &value), expected);
                    };
                    check(FloatOp::Add, Some(x.clone() + y.clone()));
                    check(FloatOp::Mul, Some(x.clone() * y.clone()));
                    check(FloatOp::Div, x.checked_div(y));
                }
                if !y.is_zero() {
                    let q = x.checked_div(y).expect("not by zero");
                    let half = Rational::new(1, 2);
                    let (low, fraction) = (q.floor(), q.fract());
                    let odd = !low.rem_euclid(&Rational::from(2)).expect("not by zero").is_zero();
                    let up = fraction > half || fraction == half && odd;
                    let n = if up { low + Rational::ONE } else { low };
                    let rest = x.clone() - n * y.clone();
                    let found = exact_value(FloatOp::Rem, format, RoundingMode::Zero, &[a, b]);
                    assert_eq!(format.to_rational(&found), Some(rest), "{x} rem {y} {format:?}");
                }
            }
        }
    }
}

#[test]
fn exact_roots_and_integers_agree_with_their_definitions() {
    for format in TINY {
        let table = table(format);
        for (x, a) in table.iter().filter(|(x, _)| x.is_positive()) {
            for mode in RoundingMode::ALL {
                let found = exact_value(FloatOp::Sqrt, format, mode, &[a]);
                // The last number whose square is not above, and the next one.
                let n = table.partition_point(|(v, _)| !v.is_positive() || v.clone() * v.clone() <= *x);
                let (low, high) = (&table[n - 1], &table[n]);
                let middle = (low.0.clone() + high.0.clone()) * Rational::new(1, 2);
                let is_exact = low.0.clone() * low.0.clone() == *x;
                let above = match mode {
                    RoundingMode::Positive => true,
                    RoundingMode::NearestEven | RoundingMode::NearestAway => middle.clone() * middle < *x,
                    _ => false,
                };
                let expected = if above && !is_exact { &high.1 } else { &low.1 };
                assert_eq!(found, *expected, "root of {x} {mode:?} {format:?}");
            }
        }
        for (x, a) in &table {
            for mode in RoundingMode::ALL {
                let (low, fraction, half) = (x.floor(), x.fract(), Rational::new(1, 2));
                let odd = !low.rem_euclid(&Rational::from(2)).expect("not by zero").is_zero();
                let up = match mode {
                    RoundingMode::NearestEven => fraction > half || fraction == half && odd,
                    RoundingMode::NearestAway => fraction > half || fraction == half && !x.is_negative(),
                    RoundingMode::Positive => !fraction.is_zero(),
                    RoundingMode::Negative => false,
                    RoundingMode::Zero => x.is_negative() && !fraction.is_zero(),
                };
                let whole = if up { low + Rational::ONE } else { low };
                let found = exact_value(FloatOp::RoundToIntegral, format, mode, &[a]);
                let expected = if whole.is_zero() {
                    format.zero(x.is_negative())
                } else {
                    looked_up(format, &table, mode, &whole)
                };
                assert_eq!(found, expected, "{x} as an integer {mode:?} {format:?}");
            }
        }
    }
}

/// A term over variables, evaluated through its circuit.
struct Case {
    circuit: Term,
    mode: Func,
    vars: Vec<Func>,
}

impl Case {
    fn new(s: &mut Store, op: FloatOp, args: &[Sort], sort: Sort) -> Case {
        let modes = s.rounding_mode_sort();
        let m = s.var("m", modes);
        let vars: Vec<Term> = args.iter().enumerate().map(|(i, &a)| s.var(&format!("x{i}"), a)).collect();
        let mut all = if op.rounds() { vec![m] } else { Vec::new() };
        all.extend(&vars);
        let t = s.float_op(op, sort, &all);
        let circuit = s.float_circuit(t);
        let func = |s: &Store, t| s.as_var(t).expect("a constant");
        Case { circuit, mode: func(s, m), vars: vars.iter().map(|&v| func(s, v)).collect() }
    }

    fn run(&self, s: &mut Store, mode: RoundingMode, args: &[UBig]) -> UBig {
        let mut model = Model::new();
        let modes = s.rounding_mode_sort();
        let data = crate::DataValue::new(modes, mode as u32, Vec::new());
        model.set(self.mode, Value::Data(std::sync::Arc::new(data)));
        for (&v, bits) in self.vars.iter().zip(args) {
            let width = s.bits_of_sort(s.decl(v).result).expect("a number");
            model.set(v, Value::Bv(width, bits.clone()));
        }
        match Evaluator::new(s, &model).eval(self.circuit).expect("a value") {
            Value::Bv(_, bits) => bits,
            other => UBig::from(u8::from(other == Value::Bool(true))),
        }
    }
}

fn canonical(format: FloatFormat) -> Vec<UBig> {
    let all = (0..1u32 << format.width()).map(UBig::from);
    all.filter(|b| format.canonical(b.clone()) == *b).collect()
}

fn modes_of(op: FloatOp) -> &'static [RoundingMode] {
    if op.rounds() { &RoundingMode::ALL } else { &RoundingMode::ALL[..1] }
}

#[test]
fn circuits_of_tiny_formats() {
    use FloatOp::*;
    for format in TINY {
        let mut s = Store::new();
        let sort = s.float_sort(format);
        let numbers = canonical(format);
        for op in [Add, Mul, Div, Rem, Lt, Le] {
            let result = if matches!(op, Lt | Le) { Sort::BOOL } else { sort };
            let case = Case::new(&mut s, op, &[sort, sort], result);
            for a in &numbers {
                for b in &numbers {
                    for &mode in modes_of(op) {
                        let found = case.run(&mut s, mode, &[a.clone(), b.clone()]);
                        let expected = exact_value(op, format, mode, &[a, b]);
                        assert_eq!(found, expected, "{op:?} {a:#b} {b:#b} {mode:?} {format:?}");
                    }
                }
            }
        }
        for op in [Sqrt, RoundToIntegral] {
            let case = Case::new(&mut s, op, &[sort], sort);
            for a in &numbers {
                for mode in RoundingMode::ALL {
                    let found = case.run(&mut s, mode, std::slice::from_ref(a));
                    assert_eq!(
                        found,
                        exact_value(op, format, mode, &[a]),
                        "{op:?} {a:#b} {mode:?} {format:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn circuits_of_products_with_sums() {
    let mut rng = Random::new(5);
    for format in TINY {
        let mut s = Store::new();
        let sort = s.float_sort(format);
        let numbers = canonical(format);
        let case = Case::new(&mut s, FloatOp::Fma, &[sort; 3], sort);
        for _ in 0..6000 {
            let args: Vec<UBig> = (0..3).map(|_| numbers[rng.below(numbers.len())].clone()).collect();
            let mode = RoundingMode::ALL[rng.below(5usize)];
            let refs: Vec<&UBig> = args.iter().collect();
            let expected = exact_value(FloatOp::Fma, format, mode, &refs);
            assert_eq!(case.run(&mut s, mode, &args), expected, "{args:?} {mode:?} {format:?}");
        }
    }
}

#[test]
fn circuits_of_conversions() {
    use FloatOp::*;
    for format in TINY {
        let mut s = Store::new();
        let sort = s.float_sort(format);
        for to in TINY {
            let other = s.float_sort(to);
            if sort == other {
                continue;
            }
            let case = Case::new(&mut s, ToFloat, &[sort], other);
            for a in canonical(format) {
                for mode in RoundingMode::ALL {
                    let operands = Operands { mode, format, result: Some(to), width: 0, args: &[&a] };
                    let Outcome::Bits(expected) = exact::evaluate(ToFloat, &operands) else { panic!("bits") };
                    assert_eq!(case.run(&mut s, mode, std::slice::from_ref(&a)), expected, "{a:#b} {mode:?}");
                }
            }
        }
        for width in [1, 2, 3, 5, 8] {
            let word = s.bv_sort(width);
            for op in [FromSigned, FromUnsigned, ToSigned, ToUnsigned] {
                let from_word = matches!(op, FromSigned | FromUnsigned);
                let (arg, result) = if from_word { (word, sort) } else { (sort, word) };
                let case = Case::new(&mut s, op, &[arg], result);
                let values = match from_word {
                    true => (0..1u32 << width).map(UBig::from).collect(),
                    false => canonical(format),
                };
                for a in values {
                    for mode in RoundingMode::ALL {
                        let result = from_word.then_some(format);
                        let operands = Operands { mode, format, result, width, args: &[&a] };
                        let Outcome::Bits(expected) = exact::evaluate(op, &operands) else { panic!("bits") };
                        let found = case.run(&mut s, mode, std::slice::from_ref(&a));
                        assert_eq!(found, expected, "{op:?} {a:#b} {mode:?} {format:?} {width}");
                    }
                }
            }
        }
    }
}

/// Bits of a number that are likely to make trouble.
fn interesting(rng: &mut Random, format: FloatFormat) -> UBig {
    let w = format.width();
    let random = UBig::from(word(rng, w.min(128)));
    let bits = match rng.below(6) {
        0 => format.infinity(rng.flip()),
        1 => format.zero(rng.flip()) + UBig::from(rng.below(3u32)),
        2 => format.greatest(rng.flip()) - UBig::from(rng.below(3u32)),
        // An exponent near the middle.
        3 | 4 => {
            let stored = format.significand as usize - 1;
            let mut fraction = random;
            fraction %= UBig::ONE << stored;
            let field = UBig::from((format.bias() as usize + rng.below(8usize)).saturating_sub(4));
            format.signed(rng.flip(), (field << stored) + fraction)
        }
        _ => random % (UBig::ONE << w as usize),
    };
    format.canonical(bits)
}

#[test]
fn circuits_of_the_usual_formats() {
    use FloatOp::*;
    let mut rng = Random::new(6);
    for (format, rounds) in [(FloatFormat::HALF, 60), (FloatFormat::SINGLE, 40), (FloatFormat::DOUBLE, 12)] {
        let mut s = Store::new();
        let sort = s.float_sort(format);
        for (op, count) in [(Add, 2), (Mul, 2), (Div, 2), (Fma, 3), (Sqrt, 1), (RoundToIntegral, 1)] {
            let case = Case::new(&mut s, op, &vec![sort; count], sort);
            for _ in 0..rounds {
                let args: Vec<UBig> = (0..count).map(|_| interesting(&mut rng, format)).collect();
                let mode = RoundingMode::ALL[rng.below(5usize)];
                let refs: Vec<&UBig> = args.iter().collect();
                let expected = exact_value(op, format, mode, &refs);
                assert_eq!(case.run(&mut s, mode, &args), expected, "{op:?} {args:?} {mode:?} {format:?}");
            }
        }
    }
}

#[test]
fn exact_arithmetic_agrees_with_the_machine() {
    let mut rng = Random::new(7);
    let mode = RoundingMode::NearestEven;
    let canonical32 = |v: f32| FloatFormat::SINGLE.canonical(UBig::from(v.to_bits()));
    let canonical64 = |v: f64| FloatFormat::DOUBLE.canonical(UBig::from(v.to_bits()));
    for _ in 0..20_000 {
        let bits: Vec<UBig> = (0..3).map(|_| interesting(&mut rng, FloatFormat::SINGLE)).collect();
        let [x, y, z] = [0, 1, 2].map(|i| f32::from_bits(u32::try_from(&bits[i]).expect("32 bits")));
        let of = |op, args: &[&UBig]| exact_value(op, FloatFormat::SINGLE, mode, args);
        let (a, b, c) = (&bits[0], &bits[1], &bits[2]);
        assert_eq!(of(FloatOp::Add, &[a, b]), canonical32(x + y), "{x} + {y}");
        assert_eq!(of(FloatOp::Mul, &[a, b]), canonical32(x * y), "{x} * {y}");
        assert_eq!(of(FloatOp::Div, &[a, b]), canonical32(x / y), "{x} / {y}");
        assert_eq!(of(FloatOp::Sqrt, &[a]), canonical32(x.sqrt()), "root of {x}");
        assert_eq!(of(FloatOp::Fma, &[a, b, c]), canonical32(x.mul_add(y, z)), "{x} * {y} + {z}");
        assert_eq!(of(FloatOp::RoundToIntegral, &[a]), canonical32(x.round_ties_even()), "{x}");
        assert_eq!(of(FloatOp::Lt, &[a, b]), UBig::from(u8::from(x < y)), "{x} < {y}");
        assert_eq!(of(FloatOp::Le, &[a, b]), UBig::from(u8::from(x <= y)), "{x} <= {y}");
        let operands = |result, args| Operands { mode, format: FloatFormat::SINGLE, result, width: 32, args };
        let Outcome::Bits(wide) =
            exact::evaluate(FloatOp::ToFloat, &operands(Some(FloatFormat::DOUBLE), &[a]))
        else {
            panic!("bits")
        };
        assert_eq!(wide, canonical64(f64::from(x)));
        let bits: Vec<UBig> = (0..2).map(|_| interesting(&mut rng, FloatFormat::DOUBLE)).collect();
        let [x, y] = [0, 1].map(|i| f64::from_bits(u64::try_from(&bits[i]).expect("64 bits")));
        let of = |op, args: &[&UBig]| exact_value(op, FloatFormat::DOUBLE, mode, args);
        let (a, b) = (&bits[0], &bits[1]);
        assert_eq!(of(FloatOp::Add, &[a, b]), canonical64(x + y), "{x} + {y}");
        assert_eq!(of(FloatOp::Mul, &[a, b]), canonical64(x * y), "{x} * {y}");
        assert_eq!(of(FloatOp::Div, &[a, b]), canonical64(x / y), "{x} / {y}");
        assert_eq!(of(FloatOp::Sqrt, &[a]), canonical64(x.sqrt()), "root of {x}");
        let n = word(&mut rng, 32) as u32;
        let operands = Operands {
            mode,
            format: FloatFormat::SINGLE,
            result: Some(FloatFormat::SINGLE),
            width: 32,
            args: &[&UBig::from(n)],
        };
        let Outcome::Bits(converted) = exact::evaluate(FloatOp::FromSigned, &operands) else {
            panic!("bits")
        };
        assert_eq!(converted, canonical32(n as i32 as f32));
    }
}
