//! Constructors and evaluation against definitions on machine integers.

use super::testkit::*;
use crate::{Op, Store, Term};
use dashu_int::UBig;

fn constant(s: &mut Store, w: u32, v: u128) -> Term {
    s.bv_const(w, UBig::from(v))
}

/// Every operator on variables, constants and equal operands.
fn check_width(s: &mut Store, rng: &mut Random, w: u32, samples: usize) -> usize {
    let pair = Pair::new(s, w);
    let (x, y) = (pair.x, pair.y);
    let values = pair.values(rng, samples);
    let mut checks = 0;
    for op in BINARY {
        let (xy, xx) = ((op.build)(s, x, y), (op.build)(s, x, x));
        for &(a, b) in &values {
            let (ka, kb) = (constant(s, w, a), constant(s, w, b));
            let (kk, xk, ky) = ((op.build)(s, ka, kb), (op.build)(s, x, kb), (op.build)(s, ka, y));
            let m = pair.model(s, a, b);
            let expected = (op.calc)(w, a, b).value();
            assert!(s.is_value(kk), "{} of constants {a} {b} at {w} is folded", op.name);
            for t in [kk, xk, ky, xy] {
                assert_eq!(value(s, &m, t), expected, "{} {a} {b} at {w}", op.name);
            }
            assert_eq!(value(s, &m, xx), (op.calc)(w, a, a).value(), "{} {a} {a} at {w}", op.name);
            checks += 5;
        }
    }
    for &(op, name) in NODES {
        let (t, calc) = raw_node(s, op, name, x, y);
        for &(a, b) in &values {
            assert_eq!(value(s, &pair.model(s, a, b), t), calc(w, a, b).value(), "{op:?} {a} {b} at {w}");
            checks += 1;
        }
    }
    for op in UNARY {
        for _ in 0..samples {
            let (n, (a, _)) = (rng.bits() as u32 >> 4, values[rng.below(values.len())]);
            let k = constant(s, w, a);
            let (t, folded) = ((op.build)(s, n, x), (op.build)(s, n, k));
            let m = pair.model(s, a, 0);
            let expected = (op.calc)(w, n, a).value();
            assert!(s.is_value(folded), "{} {n} of a constant is folded", op.name);
            assert_eq!(value(s, &m, t), expected, "{} {n} {a} at {w}", op.name);
            assert_eq!(value(s, &m, folded), expected, "{} {n} {a} at {w}", op.name);
            checks += 2;
        }
    }
    checks
}

#[test]
fn all_operators_at_small_widths() {
    let (mut s, mut rng) = (Store::new(), Random::new(1));
    let checks: usize = (1..=4).map(|w| check_width(&mut s, &mut rng, w, 60)).sum();
    assert!(checks > 60_000, "{checks}");
}

#[test]
fn all_operators_at_large_widths() {
    let (mut s, mut rng) = (Store::new(), Random::new(2));
    for w in 5..=70 {
        check_width(&mut s, &mut rng, w, 12);
    }
}

#[test]
fn random_nested_terms() {
    let mut rng = Random::new(3);
    for round in 0..400 {
        let mut s = Store::new();
        let small = round % 2 == 0;
        let widths = if small { [1, 2, 3, 3, 4] } else { [8, 8, 33, 64, 65] };
        let p = Program::random(&mut s, &mut rng, &widths, 60, if small { 12 } else { 100 });
        for _ in 0..6 {
            let inputs = p.random_inputs(&mut rng);
            let m = p.model(&inputs);
            let mut e = crate::Evaluator::new(&s, &m);
            for (&t, out) in p.terms.iter().zip(p.run(&inputs)) {
                assert_eq!(e.eval(t).expect("a value"), out.value(), "round {round}");
            }
        }
    }
}

#[test]
fn rebuilding_preserves_values() {
    let mut rng = Random::new(4);
    for round in 0..200 {
        let mut s = Store::new();
        let p = Program::random(&mut s, &mut rng, &[3, 3, 8, 8], 40, 70);
        let inputs = p.random_inputs(&mut rng);
        let m = p.model(&inputs);
        // One input becomes a constant, which sends every term through the constructors again.
        let mut subst = crate::Substitution::new();
        let k = constant(&mut s, 8, inputs[2]);
        subst.insert(p.terms[2], k);
        let expected = p.run(&inputs);
        for (&t, out) in p.terms.iter().zip(expected) {
            let u = subst.apply(&mut s, t);
            assert_eq!(value(&s, &m, u), out.value(), "round {round}");
        }
    }
}

#[test]
fn simplifications() {
    let mut s = Store::new();
    let sort = s.bv_sort(8);
    let (x, y) = (s.var("x", sort), s.var("y", sort));
    let (zero, one, ones) = (s.bv_zero(8), s.bv_u64(8, 1), s.bv_ones(8));
    let not_x = s.bv_not(x);
    let minus_x = s.bv_neg(x);
    let nine = s.bv_u64(8, 9);
    assert_eq!(s.bv_not(not_x), x);
    assert_eq!(s.bv_and(x, zero), zero);
    assert_eq!(s.bv_and(x, ones), x);
    assert_eq!(s.bv_and(x, not_x), zero);
    assert_eq!(s.bv_or(x, ones), ones);
    assert_eq!(s.bv_or(zero, x), x);
    assert_eq!(s.bv_xor(x, x), zero);
    assert_eq!(s.bv_xor(x, ones), not_x);
    assert_eq!(s.bv_xor(x, not_x), ones);
    assert_eq!(s.bv_add(x, zero), x);
    assert_eq!(s.bv_sub(x, x), zero);
    assert_eq!(s.bv_neg(minus_x), x);
    assert_eq!(s.bv_mul(x, zero), zero);
    assert_eq!(s.bv_mul(one, x), x);
    assert_eq!(s.bv_mul(x, ones), minus_x);
    assert_eq!(s.bv_shl(x, nine), zero);
    assert_eq!(s.bv_urem(x, one), zero);
    assert_eq!(s.bv_udiv(x, one), x);
    assert_eq!(s.bv_and(x, y), s.bv_and(y, x));
    assert_eq!(s.bv_ult(x, zero), s.fls());
    assert_eq!(s.bv_ult(ones, x), s.fls());
    assert_eq!(s.bv_ule(x, x), s.tru());
    // One constraint, one atom.
    let (k4, k5) = (s.bv_u64(8, 4), s.bv_u64(8, 5));
    let at_most_4 = s.bv_ule(x, k4);
    assert_eq!(s.bv_ult(x, k5), at_most_4);
    let at_least_5 = s.bv_uge(x, k5);
    assert_eq!(at_least_5, s.not(at_most_4));
    // Sums: constants gather, opposites cancel.
    let x4 = s.bv_add(x, k4);
    let x9 = s.bv_add(k5, x4);
    assert_eq!(x9, s.bv_add(x, nine));
    assert_eq!(s.bv_sub(x9, x4), k5);
    let difference = s.bv_sub(x, y);
    assert_eq!(s.bv_add(difference, y), x);
    assert_eq!(s.bv_eq(x9, x4), s.fls());
    assert_eq!(s.bv_eq(x4, nine), s.eq(x, k5));
    // Slices.
    let (high, low) = (s.bv_extract(7, 3, x), s.bv_extract(2, 0, x));
    assert_eq!(s.bv_concat(high, low), x);
    let xy = s.bv_concat(x, y);
    assert_eq!(s.bv_extract(7, 0, xy), y);
    assert_eq!(s.bv_extract(14, 9, xy), s.bv_extract(6, 1, x));
    let deep = s.bv_extract(5, 2, x);
    assert_eq!(s.bv_extract(2, 1, deep), s.bv_extract(4, 3, x));
    let wide = s.bv_sign_extend(8, x);
    assert_eq!(s.bv_extract(7, 0, wide), x);
    assert_eq!(s.bv_bit(15, wide), s.bv_bit(7, x));
    let bit = s.bv_bit(3, x);
    assert_eq!(s.bv_bit(3, not_x), s.not(bit));
    let both = s.bv_and(x, y);
    let bit_y = s.bv_bit(3, y);
    assert_eq!(s.bv_bit(3, both), s.and(&[bit, bit_y]));
}

#[test]
fn only_bit_tests_make_bits() {
    let mut rng = Random::new(5);
    let signed = ["bv_sdiv", "bv_srem", "bv_smod", "bv_saddo", "bv_ssubo"];
    let mut s = Store::new();
    for w in [1, 2, 5, 8] {
        let pair = Pair::new(&mut s, w);
        let k = constant(&mut s, w, word(&mut rng, w));
        for op in BINARY.iter().filter(|o| !signed.contains(&o.name)) {
            for (a, b) in [(pair.x, pair.y), (pair.x, k), (k, pair.y), (pair.x, pair.x)] {
                let t = (op.build)(&mut s, a, b);
                assert!(s.post_order([t]).all(|u| !matches!(s.op(u), Op::Bit(_))), "{}", op.name);
            }
        }
    }
}

#[test]
fn long_chains_are_no_problem() {
    let mut s = Store::new();
    let sort = s.bv_sort(8);
    let x = s.var("x", sort);
    let mut sum = x;
    let mut word = x;
    for i in 0..100_000u32 {
        let y = s.var(&format!("y{}", i % 1000), sort);
        sum = match i % 5 {
            0 => s.bv_add(sum, y),
            1 => s.bv_not(sum),
            2 => s.bv_mul(sum, y),
            3 => s.bv_neg(sum),
            _ => s.bv_xor(sum, y),
        };
        word = s.bv_concat(y, word);
    }
    assert_eq!(s.bv_extract(7, 0, word), x);
    let bit = s.bv_bit(0, word);
    assert!(matches!(s.op(bit), Op::Bit(0)));
    let m = crate::Model::new();
    assert!(crate::Evaluator::new(&s, &m).eval(sum).is_ok());
}
