//! Differential tests against the big rationals, on values around every boundary of the small representation.

use bolide_testkit::Random;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use super::*;

/// A word whose magnitude is spread over all bit lengths, with a taste for the extremes.
fn word(random: &mut Random) -> i64 {
    match random.bits() % 16 {
        0 => i64::MAX,
        1 => i64::MIN,
        2 => i64::MIN + 1,
        3 => 0,
        _ => (random.bits() as i64) >> (random.bits() % 64),
    }
}

fn rational(random: &mut Random) -> (Rational, RBig) {
    let (num, den) = (word(random), word(random));
    let den = match random.bits() % 3 {
        0 => 1,
        _ if den == 0 => 7,
        _ => den,
    };
    let big = RBig::from_parts_signed(num.into(), den.into());
    match random.bits() % 8 {
        0 => {
            let factor = IBig::from(word(random));
            (Rational::from_big(&big * &factor), big * factor)
        }
        _ => (Rational::new(num, den), big),
    }
}

fn hash(x: &Rational) -> u64 {
    let mut hasher = DefaultHasher::new();
    x.hash(&mut hasher);
    hasher.finish()
}

#[track_caller]
fn same(small: &Rational, big: RBig) {
    assert_eq!(small.to_rbig(), big);
    let rebuilt = Rational::from_big(big);
    assert_eq!(*small, rebuilt);
    assert_eq!(hash(small), hash(&rebuilt));
}

#[test]
fn is_sixteen_bytes() {
    assert_eq!(std::mem::size_of::<Rational>(), 16);
}

#[test]
fn agrees_with_big_rationals() {
    let mut rng = Random::new(0x9e37_79b9_7f4a_7c15);
    for _ in 0..200_000 {
        let ((a, x), (b, y)) = (rational(&mut rng), rational(&mut rng));
        same(&a, x.clone());
        same(&(&a + &b), &x + &y);
        same(&(&a - &b), &x - &y);
        same(&(&a * &b), &x * &y);
        assert_eq!(a.cmp(&b), x.cmp(&y));
        assert_eq!(a == b, x == y);
        same(&-&a, -x.clone());
        same(&a.abs(), x.clone().abs());
        same(&a.floor(), x.floor().into());
        same(&a.ceil(), x.ceil().into());
        assert_eq!(a.fract(), &a - a.floor());
        assert_eq!(a.is_integer(), x.is_int());
        assert_eq!(a.signum(), x.numerator().signum().try_into().unwrap_or(9));
        same(&(a.numer() / a.denom()), x.clone());
        if !b.is_zero() {
            same(&(&a / &b), &x / &y);
            same(&b.recip(), RBig::ONE / &y);
        }
        let (c, z) = rational(&mut rng);
        let (mut sum, mut difference) = (c.clone(), c);
        sum.add_mul(&a, &b);
        difference.sub_mul(&a, &b);
        same(&sum, &z + &x * &y);
        same(&difference, z - &x * &y);
        assert_eq!(Rational::parse(&a.to_string()), Some(a));
    }
}

#[test]
fn euclidean_division_and_gcd() {
    let mut rng = Random::new(77);
    for _ in 0..50_000 {
        let ((a, _), (b, _)) = (rational(&mut rng), rational(&mut rng));
        match (a.div_euclid(&b), a.rem_euclid(&b)) {
            (Some(q), Some(r)) => {
                assert!(q.is_integer() && !r.is_negative() && r < b.abs(), "{a} div {b}");
                assert_eq!(&b * &q + &r, a);
            }
            (q, r) => assert!(b.is_zero() && q.is_none() && r.is_none()),
        }
        let g = a.gcd(&b);
        if a.is_zero() && b.is_zero() {
            assert!(g.is_zero());
            continue;
        }
        let (p, q) = (&a / &g, &b / &g);
        assert!(g.is_positive() && p.is_integer() && q.is_integer());
        assert!(p.gcd(&q).is_one());
        assert_eq!(a.lcm(&b) * g, (a * b).abs());
    }
    let r = |n: i64| Rational::from(n);
    assert_eq!((r(-7).div_euclid(&r(2)), r(-7).rem_euclid(&r(2))), (Some(r(-4)), Some(r(1))));
    assert_eq!((r(-7).div_euclid(&r(-2)), r(-7).rem_euclid(&r(-2))), (Some(r(4)), Some(r(1))));
}

#[test]
fn text() {
    for (text, printed) in [
        ("0", "0"),
        ("-0", "0"),
        ("007", "7"),
        ("6/4", "3/2"),
        ("-6/4", "-3/2"),
        ("2.50", "5/2"),
        ("-0.125", "-1/8"),
        ("9223372036854775808", "9223372036854775808"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("100000000000000000000000000000000/10", "10000000000000000000000000000000"),
    ] {
        assert_eq!(Rational::parse(text).map(|r| r.to_string()).as_deref(), Some(printed));
    }
    for text in ["", "-", "1/0", "1.", ".5", "--1", "+1", "1/-2", "1e3", " 1", "1_0", "1.2.3", "1/2/3", "٣"]
    {
        assert_eq!(Rational::parse(text), None, "{text}");
    }
}

#[test]
fn machine_integers_and_bits() {
    assert_eq!(Rational::from(i64::MIN).to_i64(), Some(i64::MIN));
    assert_eq!(Rational::from(u64::MAX).to_string(), u64::MAX.to_string());
    assert_eq!(Rational::new(1, 2).to_i64(), None);
    assert_eq!(Rational::pow2(200).to_i64(), None);
    assert_eq!(Rational::pow2(62), Rational::from(1i64 << 62));
    assert_eq!(Rational::pow2(63).to_ibig(), Some(IBig::from(1u64 << 63)));
    assert_eq!(Rational::pow2(64).bit_size(), 66);
    assert_eq!(Rational::new(-5, 3).bit_size(), 5);
    assert!((Rational::new(-5, 4).to_f64() + 1.25).abs() < 1e-12);
    for value in [0i64, 1, -1, 5, -6, i64::MAX, i64::MIN] {
        for width in [0, 1, 3, 64, 70] {
            let (exact, modulus) = (Rational::from(value), Rational::pow2(width as u32));
            let bits = exact.to_bits_le(width).unwrap_or_default();
            assert_eq!(bits.len(), width);
            assert_eq!(Some(Rational::from_bits_le(&bits)), exact.rem_euclid(&modulus));
        }
    }
    assert_eq!(Rational::new(1, 2).to_bits_le(4), None);
}
