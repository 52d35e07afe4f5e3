//! Projections of random formulas: true in the model, free of what must disappear, and implying that it exists.

use super::*;
use crate::{Answer, Solver};
use bolide_base::Budget;
use bolide_testkit::Random;

fn random_term(s: &mut Store, r: &mut Random, vars: &[Term], sort: Sort, arrays: &[Term]) -> Term {
    let mut parts = Vec::new();
    for _ in 0..=r.below(2) {
        let v = if !arrays.is_empty() && r.below(3) == 0 {
            let i = vars[r.below(vars.len() as u64) as usize];
            let a = arrays[r.below(arrays.len() as u64) as usize];
            s.select(a, i)
        } else {
            vars[r.below(vars.len() as u64) as usize]
        };
        let factor = bolide_base::Rational::from(r.below(7) as i64 - 3);
        parts.push(s.scale(&factor, v));
    }
    let k = bolide_base::Rational::from(r.below(9) as i64 - 4);
    parts.push(s.num(k, sort));
    let sum = s.add(&parts);
    if sort == Sort::INT && r.below(5) == 0 {
        let m = s.int(2 + r.below(3) as i64);
        return if r.below(2) == 0 { s.modulo(sum, m) } else { s.div(sum, m) };
    }
    sum
}

fn random_formula(
    s: &mut Store,
    r: &mut Random,
    vars: &[Term],
    sort: Sort,
    arrays: &[Term],
    depth: u64,
) -> Term {
    if depth == 0 || r.below(4) == 0 {
        if !arrays.is_empty() && r.below(3) == 0 {
            let a = arrays[r.below(arrays.len() as u64) as usize];
            let b = arrays[r.below(arrays.len() as u64) as usize];
            let (i, v) = (random_term(s, r, vars, sort, &[]), random_term(s, r, vars, sort, &[]));
            let w = s.store(a, i, v);
            let e = s.eq(b, w);
            return if r.below(4) == 0 { s.not(e) } else { e };
        }
        let a = random_term(s, r, vars, sort, arrays);
        let b = random_term(s, r, vars, sort, arrays);
        return match r.below(4) {
            0 => s.eq(a, b),
            1 => s.lt(a, b),
            2 => {
                let e = s.eq(a, b);
                s.not(e)
            }
            _ => s.le(a, b),
        };
    }
    let a = random_formula(s, r, vars, sort, arrays, depth - 1);
    let b = random_formula(s, r, vars, sort, arrays, depth - 1);
    match r.below(4) {
        0 => s.or(&[a, b]),
        1 => {
            let c = random_formula(s, r, vars, sort, arrays, 0);
            s.ite(c, a, b)
        }
        _ => s.and(&[a, b]),
    }
}

/// Enough for almost all of the queries below.
fn budget() -> Budget {
    Budget::unlimited().with_steps(5_000)
}

fn check(rounds: u64, sort: Sort, with_arrays: bool) {
    let mut r = Random::new(0x9e37_79b9_7f4a_7c15 ^ rounds ^ sort.index() as u64);
    let mut projected = 0;
    for _ in 0..rounds {
        let mut s = Store::new();
        let vars: Vec<Term> = ["x", "y", "z", "u"].iter().map(|n| s.var(n, sort)).collect();
        let array_sort = s.array_sort(sort, sort);
        let arrays: Vec<Term> = if with_arrays {
            ["a", "b", "c"].iter().map(|n| s.var(n, array_sort)).collect()
        } else {
            Vec::new()
        };
        let f = random_formula(&mut s, &mut r, &vars, sort, &arrays, 3);
        let mut solver = Solver::default();
        solver.assert(f);
        if solver.check(&mut s, &budget()) != Answer::Sat {
            continue;
        }
        let model = solver.model().unwrap().clone();
        let mut gone: Vec<Term> = vars[..1 + r.below(3) as usize].to_vec();
        gone.extend(arrays.iter().take(r.below(3) as usize));
        let Some(literals) = project(&mut s, &[f], &gone, &model) else { panic!("no projection") };
        projected += 1;
        let mut evaluator = Evaluator::new(&s, &model);
        for &l in &literals {
            assert_eq!(evaluator.holds(l), Ok(true), "a literal is false in the model");
        }
        let symbols = s.symbols(literals.iter().copied());
        for &v in &gone {
            assert!(!symbols.contains(&s.as_var(v).unwrap()), "a constant did not disappear");
        }
        // Other models of the projection extend to models of the formula.
        for _ in 0..3 {
            let mut other = Solver::default();
            literals.iter().for_each(|&l| other.assert(l));
            let (v, k) = (vars[3], s.num(bolide_base::Rational::from(r.below(20) as i64 - 10), sort));
            let moved = s.le(v, k);
            other.assert(moved);
            if other.check(&mut s, &budget()) != Answer::Sat {
                continue;
            }
            let point = other.model().unwrap().clone();
            let mut extend = Solver::default();
            extend.assert(f);
            for &v in vars.iter().chain(&arrays).filter(|v| !gone.contains(v)) {
                let sort = s.sort_of(v);
                let value = Evaluator::new(&s, &point).eval(v).unwrap().to_term(&mut s, sort);
                let fixed = s.eq(v, value);
                extend.assert(fixed);
            }
            assert_ne!(extend.check(&mut s, &budget()), Answer::Unsat, "the projection is too weak");
        }
    }
    assert!(projected > rounds / 4);
}

#[test]
fn integers() {
    check(150, Sort::INT, false);
}

#[test]
fn reals() {
    check(200, Sort::REAL, false);
}

#[test]
fn arrays() {
    check(100, Sort::INT, true);
}

/// Lists of integers with random literals about them.
fn random_list_literal(s: &mut Store, r: &mut Random, lists: &[Term], numbers: &[Term]) -> Term {
    let sort = s.sort_of(lists[0]);
    let pick = |r: &mut Random, from: &[Term]| from[r.below(from.len() as u64) as usize];
    let list = |s: &mut Store, r: &mut Random| {
        let l = pick(r, lists);
        match r.below(5) {
            0 => s.construct(sort, 0, &[]),
            1 => s.field(1, 1, l),
            2 | 3 => {
                let head = pick(r, numbers);
                s.construct(sort, 1, &[head, l])
            }
            _ => l,
        }
    };
    let literal = match r.below(4) {
        0 => {
            let l = list(s, r);
            s.is_constructor(1, l)
        }
        1 => {
            let l = pick(r, lists);
            let (head, n) = (s.field(1, 0, l), pick(r, numbers));
            s.le(head, n)
        }
        _ => {
            let (a, b) = (list(s, r), list(s, r));
            s.eq(a, b)
        }
    };
    if r.below(3) == 0 { s.not(literal) } else { literal }
}

#[test]
fn datatypes() {
    let mut r = Random::new(0x1234_5678_9abc_def1);
    let mut projected = 0;
    for _ in 0..200 {
        let mut s = Store::new();
        let sort = s.new_datatype("list", &[]);
        let cons = ("cons".into(), vec![("head".into(), Sort::INT), ("tail".into(), sort)]);
        s.define_datatypes(&[(sort, vec![("nil".into(), vec![]), cons])]).unwrap();
        let lists: Vec<Term> = ["k", "l", "m"].iter().map(|n| s.var(n, sort)).collect();
        let numbers: Vec<Term> = ["x", "y"].iter().map(|n| s.var(n, Sort::INT)).collect();
        let literals: Vec<Term> =
            (0..4).map(|_| random_list_literal(&mut s, &mut r, &lists, &numbers)).collect();
        let f = s.and(&literals);
        let mut solver = Solver::default();
        solver.assert(f);
        if solver.check(&mut s, &budget()) != Answer::Sat {
            continue;
        }
        let model = solver.model().unwrap().clone();
        let gone = [lists[0], lists[1], numbers[0]];
        let Some(literals) = project(&mut s, &[f], &gone, &model) else { panic!("no projection") };
        projected += 1;
        let mut evaluator = Evaluator::new(&s, &model);
        assert!(literals.iter().all(|&l| evaluator.holds(l) == Ok(true)), "a literal is false in the model");
        let symbols = s.symbols(literals.iter().copied());
        assert!(
            gone.iter().all(|&v| !symbols.contains(&s.as_var(v).unwrap())),
            "a constant did not disappear"
        );
        // Another model of the projection extends to a model of the formula.
        let mut other = Solver::default();
        literals.iter().for_each(|&l| other.assert(l));
        let ten = s.int(10);
        let moved = s.ge(numbers[1], ten);
        other.assert(moved);
        if other.check(&mut s, &budget()) != Answer::Sat {
            continue;
        }
        let point = other.model().unwrap().clone();
        let mut extend = Solver::default();
        extend.assert(f);
        for v in [lists[2], numbers[1]] {
            let sort = s.sort_of(v);
            let value = Evaluator::new(&s, &point).eval(v).unwrap().to_term(&mut s, sort);
            let fixed = s.eq(v, value);
            extend.assert(fixed);
        }
        let answer = extend.check(&mut s, &budget());
        assert_ne!(answer, Answer::Unsat, "the projection is too weak");
    }
    assert!(projected > 40);
}
