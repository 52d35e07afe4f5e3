//! First queries: each theory, with the refutation checked.

use bolide_base::Budget;
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
