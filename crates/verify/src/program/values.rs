//! The values of inputs by their types: how they are written, and which of them are worth a try.

use bolide_base::{IBig, Rational};
use bolide_front::c::Task;
use bolide_front::c::float::Format;
use bolide_front::c::hir::Expr;
use bolide_model::{InputId, Program};
use bolide_term::{Sort, Store, UBig, Value};

/// Values at the ends and in the middle of the floating-point numbers.
const SPECIAL: [f64; 18] = [
    0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    10.0,
    -0.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN,
    f32::MAX as f64,
    f32::MIN as f64,
    f32::MIN_POSITIVE as f64,
    f64::MIN_POSITIVE,
    1e-45,
];

/// The format of the values of an input; none if they are not floating.
pub fn format(task: &Task, site: InputId) -> Option<Format> {
    let inputs = &task.unit.inputs;
    (site.index() < inputs.len()).then(|| task.unit.types.format(inputs[site].ty)).flatten()
}

/// The value of an input in the encoded program that stands for a number or for a pattern of bits; none if its values are of
/// another kind.
pub fn of_input(store: &Store, program: &Program, site: InputId, value: i128) -> Option<Value> {
    let sort = program.inputs[site].sort;
    if let Some(format) = store.float_format(sort) {
        let bits = format.canonical(UBig::try_from(value).ok()?);
        return Some(Value::Bv(format.width(), bits));
    }
    (sort == Sort::INT).then(|| Value::Num(Rational::from(IBig::from(value))))
}

/// The value of an input as text.
pub fn show(task: &Task, site: InputId, value: i128) -> String {
    format(task, site).map_or_else(|| value.to_string(), |f| f.show(value))
}

/// The floating constants of a program, zero, and the same with the other sign.
pub fn constants(task: &Task) -> Vec<f64> {
    let constant = |e: &Expr| match e {
        Expr::Float(v) if v.is_finite() => Some(v.abs()),
        _ => None,
    };
    let mut found: Vec<f64> = task.unit.exprs.iter().filter_map(|e| constant(&e.expr)).chain([0.0]).collect();
    found.sort_unstable_by(f64::total_cmp);
    found.dedup();
    let negative: Vec<f64> = found.iter().map(|v| -v).collect();
    found.extend(negative);
    found
}

/// A floating value for a test, from random bits. The manner: 0 special values, 1 small numbers, 2 constants and their
/// neighbours, 3 numbers between two constants, beyond that any bits or one of these.
pub fn choose(format: Format, constants: &[f64], manner: usize, bits: u64, more: u64) -> i128 {
    let manner = if manner < 4 { manner } else { bits as usize % 5 };
    let choice = (bits >> 8) as usize;
    let constant = |n: usize| constants.get(n % constants.len().max(1)).copied().unwrap_or(0.0);
    match manner {
        0 => format.pattern(SPECIAL[choice % SPECIAL.len()]),
        1 => format.pattern((choice % 513) as f64 / [1.0, 2.0, 10.0, 64.0][choice / 513 % 4] - 20.0),
        2 => neighbour(format, constant(choice), (more % 5) as i128 - 2),
        3 => {
            let (low, high) = (constant(choice), constant(choice / 64));
            let part = (more >> 11) as f64 / (1u64 << 53) as f64;
            format.pattern(low + (high - low) * part)
        }
        _ => i128::from(more) & (2 * format.sign_bit() - 1),
    }
}

/// The number so many places from the nearest one to a value, away from zero.
fn neighbour(format: Format, value: f64, steps: i128) -> i128 {
    let pattern = format.pattern(value);
    let moved = pattern + steps;
    let is_there = (moved ^ pattern) & format.sign_bit() == 0 && moved >= 0;
    if is_there { moved } else { pattern }
}

/// Numbers that are simpler than a floating value, the simplest first: small ones, and the value with fewer digits.
pub fn simpler(format: Format, value: i128) -> Vec<i128> {
    let number = format.value(value);
    let mut out: Vec<i128> = SPECIAL[..7].iter().map(|&v| format.pattern(v)).collect();
    if number.is_finite() {
        out.push(format.pattern(number.trunc()));
        for digits in 0..5 {
            let text = format!("{number:.digits$e}");
            out.extend(text.parse().ok().map(|v: f64| format.pattern(v)));
        }
    }
    out.truncate(out.iter().position(|&v| v == value).unwrap_or(out.len()));
    out
}

/// Other numbers than a floating value, to see whether it matters.
pub fn others(format: Format, value: i128) -> Vec<i128> {
    let mut out: Vec<i128> = SPECIAL[..11].iter().map(|&v| format.pattern(v)).collect();
    let most = 2 * format.sign_bit() - 1;
    out.extend([value - 1, value + 1].into_iter().filter(|v| (0..=most).contains(v)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simpler_numbers_come_first() {
        let f = Format::Single;
        let texts: Vec<String> = simpler(f, f.pattern(0.123_456)).into_iter().map(|v| f.show(v)).collect();
        assert_eq!(texts[7..], ["0.0", "0.1", "0.12", "0.123", "0.1235", "0.12346"]);
        assert!(simpler(f, f.pattern(0.0)).is_empty());
        assert_eq!(simpler(f, f.pattern(f64::NAN)).len(), 7);
    }

    #[test]
    fn values_for_tests_fit_their_format() {
        let constants = [0.0, 1.2, -1.2];
        let mut state = 0x1234_5678_9abc_def1_u64;
        for n in 0..5000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let value = choose(Format::Single, &constants, n % 6, state, state.rotate_left(17));
            assert!((0..1 << 32).contains(&value), "{value:x}");
            if n % 6 == 3 {
                assert!(Format::Single.value(value).abs() <= 1.200_001);
            }
        }
    }
}
