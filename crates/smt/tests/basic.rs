//! First queries: each theory, with the refutation checked.

use bolide_base::{Budget, Stat};
use bolide_smt::{Answer, Config, Solver};
use bolide_term::{Store, Term};

fn decide(store: &mut Store, parts: &[Term]) -> Answer {
    let mut plain = Solver::default();
    let mut proving = Solver::new(Config { proofs: true, ..Config::default() });
    for &p in parts {
        plain.assert(p);
        proving.assert(p);
    }
    let answer = plain.check(store, &Budget::unlimited());
    assert_eq!(answer, proving.check(store, &Budget::unlimited()));
    if answer == Answer::Unsat {
        let refutation = proving.refutation(store).unwrap();
        bolide_proof::check(store, &refutation).unwrap();
    }
    answer
}

#[test]
fn linear_arithmetic() {
    let mut s = Store::new();
    let int = s.int_sort();
    let (x, y) = (s.var("x", int), s.var("y", int));
    let (two, three) = (s.int(2), s.int(3));
    let dx = s.mul(&[two, x]);
    let dy = s.mul(&[two, y]);
    let sum = s.add(&[dx, dy]);
    let bound = s.gt(sum, two);
    let other = s.lt(sum, three);
    let between = s.and(&[bound, other]);
    assert_eq!(decide(&mut s, &[between]), Answer::Unsat);
    let four = s.int(4);
    let e = s.eq(sum, four);
    assert_eq!(decide(&mut s, &[bound, e]), Answer::Sat);
}

#[test]
fn functions_over_integers() {
    let mut s = Store::new();
    let int = s.int_sort();
    let f = s.func("f", &[int], int);
    let (x, y) = (s.var("x", int), s.var("y", int));
    let (fx, fy) = (s.apply(f, &[x]), s.apply(f, &[y]));
    let (a, b) = (s.le(x, y), s.le(y, x));
    let e = s.eq(fx, fy);
    let d = s.not(e);
    assert_eq!(decide(&mut s, &[a, b, d]), Answer::Unsat);
    assert_eq!(decide(&mut s, &[a, d]), Answer::Sat);
}

#[test]
fn arrays_with_integer_indices() {
    let mut s = Store::new();
    let int = s.int_sort();
    let arr = s.array_sort(int, int);
    let (a, b) = (s.var("a", arr), s.var("b", arr));
    let (i, j) = (s.var("i", int), s.var("j", int));
    let five = s.int(5);
    let written = s.store(a, i, five);
    let e = s.eq(b, written);
    let read = s.select(b, j);
    let (lo, hi) = (s.le(i, j), s.le(j, i));
    let is_five = s.eq(read, five);
    let not_five = s.not(is_five);
    assert_eq!(decide(&mut s, &[e, lo, hi, not_five]), Answer::Unsat);
    assert_eq!(decide(&mut s, &[e, lo, not_five]), Answer::Sat);
}

#[test]
fn words() {
    let mut s = Store::new();
    let w = s.bv_sort(8);
    let (x, y) = (s.var("x", w), s.var("y", w));
    let (a, b) = (s.bv_add(x, y), s.bv_add(y, x));
    let n = s.bv_mul(a, x);
    let m = s.bv_mul(x, b);
    let e = s.eq(n, m);
    let d = s.not(e);
    assert_eq!(decide(&mut s, &[d]), Answer::Unsat);
    let lt = s.bv_ult(a, x);
    assert_eq!(decide(&mut s, &[lt]), Answer::Sat);
    let ge = s.bv_ule(x, y);
    let zero = s.bv_const(8, 0u8.into());
    let e0 = s.eq(y, zero);
    let x0 = s.eq(x, zero);
    let nx = s.not(x0);
    assert_eq!(decide(&mut s, &[ge, e0, nx]), Answer::Unsat);
}

/// A memory that was written at many constant indices, read at unknown ones: what is written is met only where a
/// read may meet it.
#[test]
fn reads_leap_over_long_lines_of_writes() {
    let mut s = Store::new();
    let int = s.int_sort();
    let arr = s.array_sort(int, int);
    let (a, b) = (s.var("a", arr), s.var("b", arr));
    let (i, j) = (s.var("i", int), s.var("j", int));
    let (mut written, n) = (a, 400);
    for k in 0..n {
        let at = s.int(1000 + 2 * k);
        let x = s.var(&format!("x{k}"), int);
        let divisor = s.int(256);
        let value = s.modulo(x, divisor);
        written = s.store(written, at, value);
    }
    let (after, before) = (s.select(written, i), s.select(a, i));
    let same = s.eq(after, before);
    let differs = s.not(same);
    let decide = |s: &mut Store, parts: &[Term], answer: Answer| {
        let mut solver = Solver::default();
        parts.iter().for_each(|&p| solver.assert(p));
        assert_eq!(solver.check(s, &Budget::unlimited()), answer);
        match solver.statistics().get("congruence nodes") {
            Some(Stat::Count(n)) => n,
            _ => 0,
        }
    };
    // Somewhere: few values are looked at.
    let few = decide(&mut s, &[differs], Answer::Sat);
    assert!(few < 1500, "{few} nodes");
    // Between two writes, below all, above all, at an odd index.
    for (low, high) in [(1003, 1003), (-5, 999), (1801, 5000)] {
        let (low, high) = (s.int(low), s.int(high));
        let inside = [s.ge(i, low), s.le(i, high), differs];
        decide(&mut s, &inside, Answer::Unsat);
    }
    // At a write: what was written.
    let (at, two) = (s.int(1200), s.int(256));
    let here = s.eq(i, at);
    let large = s.ge(after, two);
    decide(&mut s, &[here, large], Answer::Unsat);
    // Arrays that are compared know all of it, from above and from below.
    let equal = s.eq(written, b);
    let (read, other) = (s.select(b, j), s.select(a, j));
    let same = s.eq(read, other);
    let differs = s.not(same);
    let (low, high) = (s.int(1500), s.int(1502));
    let inside = [equal, differs, s.gt(j, low), s.lt(j, high)];
    decide(&mut s, &inside, Answer::Unsat);
    let inside = [equal, differs, s.ge(j, low), s.lt(j, high)];
    decide(&mut s, &inside, Answer::Sat);
}

#[test]
fn floating_point() {
    use bolide_term::{FloatFormat, FloatOp, RoundingMode};
    let mut s = Store::new();
    let half = FloatFormat::HALF;
    let sort = s.float_sort(half);
    let (x, y) = (s.var("x", sort), s.var("y", sort));
    let nearest = s.rounding_mode(RoundingMode::NearestEven);
    // The sum of a number and zero is that number, but for the sign of zero.
    let zero = s.float_zero(half, false);
    let sum = s.float_add(nearest, x, zero);
    let (same, is_zero) = (s.eq(sum, x), s.float_is_zero(x));
    let differs = s.not(same);
    assert_eq!(decide(&mut s, &[differs]), Answer::Sat);
    let not_zero = s.not(is_zero);
    assert_eq!(decide(&mut s, &[differs, not_zero]), Answer::Unsat);
    // A square is not negative; a root of a number is a number unless that is negative or none.
    let square = s.float_mul(nearest, x, x);
    let negative = s.float_is_negative(square);
    assert_eq!(decide(&mut s, &[negative]), Answer::Unsat);
    let root = s.float_op(FloatOp::Sqrt, sort, &[nearest, y]);
    let (none, positive) = (s.float_is_nan(root), s.float_is_positive(y));
    assert_eq!(decide(&mut s, &[none, positive]), Answer::Unsat);
    assert_eq!(decide(&mut s, &[none]), Answer::Sat);
    // NaN has the same bits everywhere, also as an argument of a function.
    let f = s.func("f", &[sort], sort);
    let (fx, fy) = (s.apply(f, &[x]), s.apply(f, &[y]));
    let (nan_x, nan_y) = (s.float_is_nan(x), s.float_is_nan(y));
    let e = s.eq(fx, fy);
    let d = s.not(e);
    assert_eq!(decide(&mut s, &[nan_x, nan_y, d]), Answer::Unsat);
}
