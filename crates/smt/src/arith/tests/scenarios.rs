//! Hand-made situations.

use std::time::Duration;

use super::*;

fn r(n: i64) -> Rational {
    n.into()
}

fn lit(atom: AtomId) -> AtomLit {
    AtomLit::new(atom, true)
}

#[test]
fn rows_are_shared() {
    let mut arith = Arith::new(Config::default());
    let (x, y) = (arith.new_var(true), arith.new_var(true));
    let sum = arith.row(&[(r(1), x), (r(1), y)]);
    assert_eq!(arith.row(&[(r(2), y), (r(1), x), (r(-1), y)]), sum);
    assert_eq!(arith.row(&[(r(1), sum), (r(-1), y)]), x);
    assert_eq!(arith.scaled_row(&[(r(-6), y), (r(-6), x)]), (r(-6), sum));
    assert_eq!(arith.scaled_row(&[(Rational::new(-1, 2), x)]), (Rational::new(-1, 2), x));
    assert!(arith.is_int(sum));
    let half = arith.row(&[(Rational::new(1, 2), x)]);
    assert!(!arith.is_int(half));
    assert_eq!(arith.atom_le(x, Rational::new(5, 2)), arith.atom_le(x, r(2)));
}

#[test]
fn the_empty_form_is_zero() {
    let mut checked = Checked::new(Config::default());
    let x = checked.arith.new_var(false);
    let zero = checked.arith.row(&[(r(1), x), (r(-1), x)]);
    let positive = checked.arith.atom_ge(zero, r(1));
    let different = checked.arith.atom_eq(zero, r(0));
    checked.push();
    assert!(checked.assert(lit(positive)) && !checked.check());
    checked.pop(1);
    checked.push();
    assert!(checked.assert(AtomLit::new(different, false)));
    assert!(!checked.solve(&mut 10));
    checked.pop(1);
    assert!(checked.solve(&mut 10));
}

#[test]
fn parity_over_two_equations() {
    // y = 2a + 1 and y = 2b: neither equation alone has no solution, and nothing is bounded.
    let mut checked = Checked::new(Config::default());
    let [y, a, b] = [0; 3].map(|_| checked.arith.new_var(true));
    let odd = checked.arith.row(&[(r(1), y), (r(-2), a)]);
    let even = checked.arith.row(&[(r(1), y), (r(-2), b)]);
    let (odd, even) = (checked.arith.atom_eq(odd, r(1)), checked.arith.atom_eq(even, r(0)));
    assert!(checked.assert(lit(odd)) && checked.assert(lit(even)) && checked.check());
    assert!(!checked.solve(&mut 1));
    assert_eq!(checked.divisibility, 1);
}

#[test]
fn strict_cycle_of_rationals() {
    // x < y, y < z, z < x
    let mut checked = Checked::new(Config::default());
    let vars = [0; 3].map(|_| checked.arith.new_var(false));
    for i in 0..3 {
        let row = checked.arith.row(&[(r(1), vars[i]), (r(-1), vars[(i + 1) % 3])]);
        let at_least = checked.arith.atom_ge(row, r(0));
        assert!(checked.assert(AtomLit::new(at_least, false)));
    }
    assert!(!checked.check());
}

#[test]
fn bounds_imply_weaker_atoms_both_ways() {
    let mut checked = Checked::new(Config::default());
    let x = checked.arith.new_var(true);
    let atoms: Vec<AtomId> = (0..10).map(|c| checked.arith.atom_le(x, r(c))).collect();
    let seven = checked.arith.atom_eq(x, r(7));
    checked.push();
    assert!(checked.assert(lit(atoms[7])));
    let implied: Vec<AtomLit> = checked.implied.iter().map(|&(l, _, _)| l).collect();
    assert_eq!(implied, [lit(atoms[8]), lit(atoms[9])]);
    assert!(checked.assert(!lit(atoms[6])));
    assert_eq!(checked.arith.fixed_value(x), Some(&r(7)));
    assert_eq!(checked.implications, 2 + 6 + 1);
    checked.pop(1);
    assert!(checked.assert(AtomLit::new(seven, false)));
    assert!(checked.assert(lit(atoms[7])));
    assert!(!checked.assert(!lit(atoms[6])));
}

#[test]
fn interrupted_checks_resume() {
    let mut checked = Checked::new(Config::default());
    let vars: Vec<VarId> = (0..40).map(|_| checked.arith.new_var(true)).collect();
    for pair in vars.windows(2) {
        let step = checked.arith.row(&[(r(1), pair[1]), (r(-1), pair[0])]);
        let one = checked.arith.atom_eq(step, r(1));
        assert!(checked.assert(lit(one)));
    }
    let tired = Budget::unlimited().with_steps(3);
    assert!(matches!(checked.arith.check(&tired), Ok(Status::Interrupted(_))));
    checked.verify_state(false);
    assert!(checked.check());
    let over = Budget::unlimited().with_time(Duration::ZERO);
    let last = checked.arith.atom_ge(vars[39], r(100));
    assert!(checked.assert(lit(last)));
    assert!(matches!(checked.arith.final_check(&over, &mut |_| true), FinalCheck::Interrupted(_)));
    assert!(checked.solve(&mut 10));
    assert!(checked.arith.value(vars[0]) >= r(61));
}

#[test]
fn idle_rows_leave_the_tableau() {
    let mut checked = Checked::new(Config::default());
    let vars: Vec<VarId> = (0..60).map(|_| checked.arith.new_var(true)).collect();
    for round in 0..8 {
        checked.push();
        for i in 0..59 {
            let row = checked.arith.row(&[(r(1), vars[i]), (r(2 + round), vars[i + 1])]);
            let atom = checked.arith.atom_ge(row, r(round));
            assert!(checked.assert(lit(atom)));
        }
        assert!(checked.check());
        assert!(checked.solve(&mut 200));
        checked.pop(1);
    }
    assert!(checked.arith.tableau.num_rows() < 8 * 59 / 2, "{}", checked.arith.tableau.num_rows());
}

#[test]
fn a_long_path_of_assignments() {
    // x_{i+1} = x_i + 1 and x_0 = 0 imply x_n = n; asserting x_n < n is refuted by all of them.
    let mut checked = Checked::new(Config::default());
    let n = 300;
    let vars: Vec<VarId> = (0..=n).map(|_| checked.arith.new_var(true)).collect();
    let start = checked.arith.atom_eq(vars[0], r(0));
    assert!(checked.assert(lit(start)));
    for pair in vars.windows(2) {
        let step = checked.arith.row(&[(r(1), pair[1]), (r(-1), pair[0])]);
        let one = checked.arith.atom_eq(step, r(1));
        checked.push();
        assert!(checked.assert(lit(one)));
        assert_eq!(checked.arith.check(&checked.budget), Ok(Status::Feasible));
    }
    let below = checked.arith.atom_ge(vars[n], r(n as i64));
    checked.push();
    let accepted = checked.assert(AtomLit::new(below, false));
    assert!(!accepted || !checked.check());
    checked.pop(1);
    assert!(checked.check());
    assert_eq!(checked.arith.current(vars[n]), Delta::exact(r(n as i64)));
}

#[test]
fn rows_wait_until_they_are_violated() {
    let mut checked = Checked::new(Config::default());
    let (x, y) = (checked.arith.new_var(false), checked.arith.new_var(false));
    let sum = checked.arith.row(&[(r(1), x), (r(1), y)]);
    let difference = checked.arith.row(&[(r(1), x), (r(-1), y)]);
    let small_sum = checked.arith.atom_le(sum, r(5));
    let small_difference = checked.arith.atom_le(difference, r(3));
    assert!(checked.assert(lit(small_sum)) && checked.assert(lit(small_difference)));
    assert!(checked.check());
    assert_eq!(checked.arith.tableau.num_rows(), 0);
    let large_x = checked.arith.atom_ge(x, r(4));
    assert!(checked.assert(lit(large_x)) && checked.check());
    assert_eq!(checked.arith.tableau.num_rows(), 1);
    checked.push();
    let large_y = checked.arith.atom_ge(y, r(2));
    assert!(!checked.assert(lit(large_y)) || !checked.check());
    checked.pop(1);
    assert!(checked.check());
    assert!(checked.solve(&mut 10));
}

#[test]
fn a_disequality_of_a_waiting_row_is_repaired() {
    let mut checked = Checked::new(Config::default());
    let vars: Vec<VarId> = (0..3).map(|n| checked.arith.new_var(n > 0)).collect();
    for pair in vars.windows(2) {
        let sum = checked.arith.row(&[(r(1), pair[0]), (r(1), pair[1])]);
        let zero = checked.arith.atom_eq(sum, r(0));
        let most = checked.arith.atom_le(sum, r(2));
        assert!(checked.assert(AtomLit::new(zero, false)) && checked.assert(lit(most)));
    }
    assert!(checked.check());
    assert_eq!(checked.arith.tableau.num_rows(), 0);
    assert!(checked.solve(&mut 10));
}
