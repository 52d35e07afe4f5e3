//! The constraint of a goal without constants that no subgoal mentions, where that loses nothing.
//!
//! Unlike a projection this never narrows the goal: equations are solved, Booleans that stand alone go, and so do
//! numbers that are bounded from one side only.

use bolide_base::Rational;
use bolide_term::{Op, Sort, Store, Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// A literal and the last frame that it stems from.
type Sourced = (Term, usize);

/// Removes constants that are not kept from a conjunction that has a model, as long as what remains is equivalent to the existence of values
/// for them.
pub fn eliminate(store: &mut Store, literals: &mut Vec<Sourced>, kept: &FxHashSet<Term>) {
    drop_booleans(store, literals, kept);
    solve_equations(store, literals, kept);
    drop_booleans(store, literals, kept);
    drop_one_sided(store, literals, kept);
    tidy(store, literals);
}

/// Removes what is trivially true, and of equal literals all but the oldest.
fn tidy(store: &Store, literals: &mut Vec<Sourced>) {
    let mut oldest: FxHashMap<Term, usize> = FxHashMap::default();
    for &(l, from) in literals.iter() {
        let known = oldest.entry(l).or_insert(from);
        *known = from.min(*known);
    }
    literals.retain_mut(|l| match oldest.remove(&l.0) {
        Some(from) => {
            l.1 = from;
            l.0 != store.tru()
        }
        None => false,
    });
}

/// Literals that consist of a Boolean constant say nothing about the others, if it occurs nowhere else.
fn drop_booleans(store: &Store, literals: &mut Vec<Sourced>, kept: &FxHashSet<Term>) {
    let is_alone = |l: Term| store.as_var(store.literal(l).0).is_some();
    let compound = literals.iter().map(|l| l.0).filter(|&l| !is_alone(l));
    let elsewhere: FxHashSet<Term> = store
        .post_order(compound)
        .filter(|&t| store.sort_of(t) == Sort::BOOL && store.as_var(t).is_some())
        .collect();
    literals.retain(|&(l, _)| {
        let atom = store.literal(l).0;
        !is_alone(l) || kept.contains(&atom) || elsewhere.contains(&atom)
    });
}

/// Replaces constants by what equations say they are.
fn solve_equations(store: &mut Store, literals: &mut Vec<Sourced>, kept: &FxHashSet<Term>) {
    let mut n = 0;
    while n < literals.len() {
        let (l, from) = literals[n];
        let Some((v, t)) = solution(store, l, kept) else {
            n += 1;
            continue;
        };
        literals.swap_remove(n);
        let mut subst = Substitution::new();
        subst.insert(v, t);
        let mut restart = false;
        for (at, other) in literals.iter_mut().enumerate() {
            let new = subst.apply(store, other.0);
            if new != other.0 {
                *other = (new, from.max(other.1));
                restart |= at < n;
            }
        }
        if restart {
            n = 0;
        }
    }
}

/// Reads an equation as the definition of a constant that need not be kept.
fn solution(store: &mut Store, literal: Term, kept: &FxHashSet<Term>) -> Option<(Term, Term)> {
    if store.op(literal) != Op::Eq {
        return None;
    }
    let (a, b) = (store.arg(literal, 0), store.arg(literal, 1));
    let is_free = |store: &Store, v: Term| store.as_var(v).is_some() && !kept.contains(&v);
    let mentions = |store: &Store, t: Term, v: Term| store.post_order([t]).any(|u| u == v);
    let sort = store.sort_of(a);
    if !sort.is_arith() {
        let pairs = [(a, b), (b, a)];
        return pairs.into_iter().find(|&(v, t)| is_free(store, v) && !mentions(store, t, v));
    }
    let sum = store.linear_difference(a, b);
    for (n, (v, c)) in sum.terms.iter().enumerate() {
        if !is_free(store, *v) || sort == Sort::INT && !c.abs().is_one() {
            continue;
        }
        let mut rest = sum.clone();
        rest.terms.remove(n);
        rest.scale(&-c.recip());
        let t = store.from_linear(&rest, sort);
        if !mentions(store, t, *v) {
            return Some((*v, t));
        }
    }
    None
}

/// Which bounds of a constant occur.
#[derive(Copy, Clone, Default)]
struct Sides {
    lower: bool,
    upper: bool,
    other: bool,
}

/// Removes the bounds of numbers that are bounded from one side only: far enough on the other all of them hold.
fn drop_one_sided(store: &Store, literals: &mut Vec<Sourced>, kept: &FxHashSet<Term>) {
    loop {
        let mut sides: FxHashMap<Term, Sides> = FxHashMap::default();
        for &(l, _) in literals.iter() {
            let bounded = bound(store, l);
            let direct: FxHashMap<Term, bool> = bounded.into_iter().flatten().collect();
            for v in store.post_order([l]).filter(|&v| store.as_var(v).is_some() && !kept.contains(&v)) {
                let s = sides.entry(v).or_default();
                match direct.get(&v) {
                    Some(true) => s.upper = true,
                    Some(false) => s.lower = true,
                    None => s.other = true,
                }
            }
        }
        let before = literals.len();
        literals.retain(|&(l, _)| {
            let loose = |v: &Term| sides.get(v).is_some_and(|s| !s.other && s.lower != s.upper);
            !bound(store, l).into_iter().flatten().any(|(v, _)| loose(&v))
        });
        if literals.len() == before {
            return;
        }
    }
}

/// The constants that a literal bounds, from above or not; nothing if it is no bound or a constant occurs inside others.
fn bound(store: &Store, literal: Term) -> Option<Vec<(Term, bool)>> {
    let (atom, positive) = store.literal(literal);
    if store.op(atom) != Op::Le {
        return None;
    }
    let sum = store.linear_difference(store.arg(atom, 0), store.arg(atom, 1));
    if sum.terms.iter().any(|m| store.as_var(m.0).is_none()) {
        return None;
    }
    let from_above = |c: &Rational| c.is_positive() == positive;
    Some(sum.terms.iter().map(|(v, c)| (*v, from_above(c))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_base::Budget;
    use bolide_smt::{Answer, Solver};
    use bolide_testkit::Random;

    /// A random literal over numbers and Booleans.
    fn literal(s: &mut Store, rng: &mut Random, numbers: &[Term], booleans: &[Term]) -> Term {
        let sort = s.sort_of(numbers[0]);
        let l = if rng.below(4) == 0 {
            booleans[rng.below(booleans.len() as u64) as usize]
        } else {
            let mut sum = bolide_term::Linear::constant(Rational::from(rng.below(7) as i64 - 3));
            for _ in 0..1 + rng.below(3) {
                let v = numbers[rng.below(numbers.len() as u64) as usize];
                let one = bolide_term::Linear { constant: Rational::ZERO, terms: vec![(v, Rational::ONE)] };
                sum.add_scaled(&one, &Rational::from(rng.below(5) as i64 - 2));
            }
            if rng.below(3) == 0 { s.linear_eq(sum, sort) } else { s.linear_le(sum, sort) }
        };
        if rng.below(3) == 0 { s.not(l) } else { l }
    }

    fn satisfiable(s: &mut Store, parts: &[Term]) -> bool {
        let mut solver = Solver::default();
        parts.iter().for_each(|&p| solver.assert(p));
        solver.check(s, &Budget::unlimited()) == Answer::Sat
    }

    #[test]
    fn nothing_is_lost() {
        let mut rng = Random::new(0x9e37_79b9_7f4a_7c15);
        for round in 0..300 {
            let mut s = Store::new();
            let sort = if round % 2 == 0 { Sort::INT } else { Sort::REAL };
            let numbers: Vec<Term> = (0..5).map(|n| s.var(&format!("x{n}"), sort)).collect();
            let booleans: Vec<Term> = (0..3).map(|n| s.var(&format!("b{n}"), Sort::BOOL)).collect();
            let before: Vec<Term> = (0..6).map(|_| literal(&mut s, &mut rng, &numbers, &booleans)).collect();
            if !satisfiable(&mut s, &before) {
                continue;
            }
            let kept: FxHashSet<Term> = [numbers[0], numbers[1], booleans[0]].into_iter().collect();
            let mut after: Vec<Sourced> = before.iter().map(|&l| (l, 0)).collect();
            eliminate(&mut s, &mut after, &kept);
            let after: Vec<Term> = after.iter().map(|l| l.0).collect();
            for (x, y) in (-3..4).flat_map(|x| (-3..4).map(move |y| (x, y))) {
                for b in [false, true] {
                    let (k, m) = (s.num(Rational::from(x), sort), s.num(Rational::from(y), sort));
                    let point = [
                        s.eq(numbers[0], k),
                        s.eq(numbers[1], m),
                        if b { booleans[0] } else { s.not(booleans[0]) },
                    ];
                    let (mut p, mut q) = (before.clone(), after.clone());
                    p.extend(point);
                    q.extend(point);
                    assert_eq!(satisfiable(&mut s, &p), satisfiable(&mut s, &q), "round {round}");
                }
            }
        }
    }
}
