//! Global guidance (Vediramana Krishnan, Chen, Shoham, Gurfinkel, CAV 2020): lemmas and goals that look alike are
//! looked at together.
//!
//! The cubes of lemmas and goals about one predicate that differ only in the constants of their bounds form a
//! *cluster*; each is a point, the vector of its constants. When three points lie on a line, the search is probably
//! counting along it. Then questions about all points of the line at once are asked: without the bounds that move
//! (*conjecture*), with what the bounds that move in opposite directions imply together (*subsume*), moreover with the
//! bounds that only tighten, and with a bound that only weakens moved to a numeral of the problem. A bound from both
//! sides that moves in steps becomes a remainder; one that moves together with an excluded value says that two sums
//! differ.

use super::Pdr;
use crate::horn::frames::Stop;
use crate::horn::frames::cube::{Shape, literal, shape, sort_of};
use bolide_base::Rational;
use bolide_model::horn::Clause;
use bolide_term::{Linear, Sort, Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many of the latest points are looked at.
const RECENT: usize = 8;
/// How many numerals a bound is moved to.
const JUMPS: usize = 8;
/// Cubes with more literals are not clustered.
const MAX_LITERALS: usize = 24;

/// The lemmas and goals of a search by what they look like.
#[derive(Default)]
pub struct Clusters {
    points: FxHashMap<(usize, Vec<Shape>), Vec<Vec<Rational>>>,
    /// Questions that were asked.
    asked: FxHashSet<(usize, Vec<Term>)>,
}

/// The factor by which one vector is a positive multiple of another that is not zero.
fn parallel(a: &[Rational], b: &[Rational]) -> bool {
    let Some(n) = b.iter().position(|x| !x.is_zero()) else { return false };
    let factor = &a[n] / &b[n];
    factor.is_positive() && a.iter().zip(b).all(|(x, y)| *x == y * &factor)
}

fn difference(a: &[Rational], b: &[Rational]) -> Vec<Rational> {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}

/// A line through the last point and two earlier ones: the first of them and the smallest step.
fn line(points: &[Vec<Rational>]) -> Option<(&[Rational], Vec<Rational>)> {
    let (last, earlier) = points.split_last()?;
    let recent = &earlier[earlier.len().saturating_sub(RECENT)..];
    for (n, middle) in recent.iter().enumerate().rev() {
        let step = difference(last, middle);
        for first in recent[..n].iter().rev() {
            let before = difference(middle, first);
            if parallel(&step, &before) {
                let n = step.iter().position(|x| !x.is_zero())?;
                let smaller = if step[n].abs() < before[n].abs() { step } else { before };
                return Some((first, smaller));
            }
        }
    }
    None
}

impl Pdr<'_> {
    /// Puts the cube of a new lemma or goal into its cluster. Returns questions about the whole cluster that are worth a goal;
    /// those that have an answer at once become lemmas.
    pub fn guide(&mut self, pred: usize, cube: &[Term], level: usize) -> Result<Vec<Vec<Term>>, Stop> {
        if cube.len() > MAX_LITERALS {
            return Ok(Vec::new());
        }
        let mut parts: Vec<(Shape, Rational)> = cube.iter().map(|&l| shape(self.known.store, l)).collect();
        parts.sort();
        let (shapes, point): (Vec<Shape>, Vec<Rational>) = parts.into_iter().unzip();
        let points = self.clusters.points.entry((pred, shapes.clone())).or_default();
        if !points.contains(&point) {
            points.push(point);
        }
        let Some((first, step)) = line(points) else { return Ok(Vec::new()) };
        let (first, last) = (first.to_vec(), points.last().cloned().unwrap_or_default());
        let mut goals = Vec::new();
        let store = &mut *self.known.store;
        let implied = implied(store, &shapes, &first, &step);
        // Whether each of them is worth a goal if it has no answer at once.
        let mut asked: Vec<(Vec<Term>, bool)> = Vec::new();
        asked.extend(questions(store, &shapes, &first, &step, &implied).into_iter().map(|q| (q, true)));
        asked
            .extend(jumps(store, &self.numerals, &shapes, &last, &step, &[]).into_iter().map(|q| (q, false)));
        if !implied.is_empty() {
            let phases = jumps(store, &self.numerals, &shapes, &last, &step, &implied);
            asked.extend(phases.into_iter().map(|q| (q, true)));
        }
        for (question, is_worth) in asked {
            if question.is_empty() || !self.clusters.asked.insert((pred, question.clone())) {
                continue;
            }
            match self.known.is_inductive(pred, &question, level)? {
                Some(found) => {
                    self.known.generalise(pred, found.core, level)?;
                    self.guided += 1;
                    return Ok(Vec::new());
                }
                None if is_worth => goals.push(question),
                None => {}
            }
        }
        Ok(goals)
    }
}

/// What the literals that move imply together on the whole line.
fn implied(store: &mut Store, shapes: &[Shape], first: &[Rational], step: &[Rational]) -> Vec<Term> {
    let rising: Vec<usize> = (0..step.len()).filter(|&n| step[n].is_positive()).collect();
    let falling: Vec<usize> = (0..step.len()).filter(|&n| step[n].is_negative()).collect();
    let mut out = Vec::new();
    for &up in &rising {
        for &down in &falling {
            out.extend(combine(store, shapes, first, step, up, down));
            for &n in rising.iter().chain(&falling) {
                out.extend(differ(store, shapes, first, step, n, (up, down)));
            }
        }
    }
    out
}

/// The cubes that stand for all points of a line, the weakest first.
fn questions(
    store: &mut Store,
    shapes: &[Shape],
    first: &[Rational],
    step: &[Rational],
    implied: &[Term],
) -> Vec<Vec<Term>> {
    let mut literals = |which: &dyn Fn(usize) -> bool| -> Vec<Term> {
        (0..step.len()).filter(|&n| which(n)).map(|n| literal(store, &shapes[n], &first[n])).collect()
    };
    let fixed = literals(&|n| step[n].is_zero());
    let tightening = literals(&|n| step[n].is_negative() && matches!(shapes[n], Shape::Bound(..)));
    let all = |parts: &[&[Term]]| {
        let mut cube = parts.concat();
        cube.sort_unstable();
        cube.dedup();
        cube
    };
    vec![all(&[&fixed]), all(&[&fixed, implied]), all(&[&fixed, implied, &tightening])]
}

/// Cubes in which one bound that weakens has moved on to a numeral, the farthest first; of other bounds that move only
/// what they imply is left. A loop that changes its ways at a numeral has such invariants.
fn jumps(
    store: &mut Store,
    numerals: &[Rational],
    shapes: &[Shape],
    last: &[Rational],
    step: &[Rational],
    implied: &[Term],
) -> Vec<Vec<Term>> {
    let weakens = |n: &usize| step[*n].is_positive() && matches!(shapes[*n], Shape::Bound(..));
    let mut out = Vec::new();
    for n in (0..step.len()).filter(weakens) {
        let from = numerals.partition_point(|k| *k <= last[n]);
        for k in numerals[from..].iter().take(JUMPS).rev() {
            let mut cube: Vec<Term> = (0..step.len())
                .filter(|&i| step[i].is_zero())
                .map(|i| literal(store, &shapes[i], &last[i]))
                .collect();
            cube.extend(implied);
            cube.push(literal(store, &shapes[n], k));
            cube.sort_unstable();
            cube.dedup();
            out.push(cube);
        }
    }
    out
}

/// The numerals of the problem with their neighbours and negations, ordered.
pub fn numerals<'a>(store: &Store, clauses: impl Iterator<Item = &'a Clause>) -> Vec<Rational> {
    let mut out = vec![Rational::ZERO];
    for t in store.post_order(clauses.flat_map(|c| c.terms())) {
        if let Some(k) = store.as_num(t) {
            for n in [k.clone(), -k] {
                out.extend([&n - &Rational::ONE, &n + &Rational::ONE, n]);
            }
        }
    }
    out.sort();
    out.dedup();
    out
}

/// What two bounds that move in opposite directions imply on the whole line.
fn combine(
    store: &mut Store,
    shapes: &[Shape],
    first: &[Rational],
    step: &[Rational],
    up: usize,
    down: usize,
) -> Option<Term> {
    let (Shape::Bound(a, strict_a), Shape::Bound(b, strict_b)) = (&shapes[up], &shapes[down]) else {
        return None;
    };
    // a <= c + k d and b <= c' - k d' give d' a + d b <= d' c + d c'.
    let (d, other) = (&step[up], -&step[down]);
    let mut sum = Linear { constant: -&first[up], terms: a.clone() };
    sum.scale(&other);
    sum.add_scaled(&Linear { constant: -&first[down], terms: b.clone() }, d);
    let sort = sort_of(store, a);
    if !sum.is_constant() {
        let (t, zero) = (store.from_linear(&sum, sort), store.num(Rational::ZERO, sort));
        return Some(if *strict_a || *strict_b { store.lt(t, zero) } else { store.le(t, zero) });
    }
    // One sum of monomials from both sides: if it has one value at a time, its remainder never changes.
    let is_value = sum.constant.is_zero() && sort == Sort::INT;
    if !is_value || !d.is_integer() || *d <= Rational::ONE {
        return None;
    }
    let value = Linear { constant: -&first[up], terms: a.clone() };
    let (t, d) = (store.from_linear(&value, sort), store.num(d.clone(), sort));
    let (remainder, zero) = (store.modulo(t, d), store.int(0));
    Some(store.eq(remainder, zero))
}

/// What it implies on the whole line that a sum differs from a value that moves, while another sum has a value that moves as well,
/// by its bounds `up` and `down`: a combination of both sums differs from a fixed value.
fn differ(
    store: &mut Store,
    shapes: &[Shape],
    first: &[Rational],
    step: &[Rational],
    n: usize,
    (up, down): (usize, usize),
) -> Option<Term> {
    let (Shape::Differs(a), Shape::Bound(b, false), Shape::Bound(c, false)) =
        (&shapes[n], &shapes[up], &shapes[down])
    else {
        return None;
    };
    let is_opposite = |(x, y): (&(Term, Rational), &(Term, Rational))| x.0 == y.0 && x.1 == -&y.1;
    let is_value = b.len() == c.len()
        && b.iter().zip(c).all(is_opposite)
        && first[up] == -&first[down]
        && step[up] == -&step[down];
    if !is_value {
        return None;
    }
    // a != c + k d and b = c' + k d' give d' a - d b != d' c - d c'.
    let mut sum = Linear { constant: -&first[n], terms: a.clone() };
    sum.scale(&step[up]);
    sum.add_scaled(&Linear { constant: -&first[up], terms: b.clone() }, &-&step[n]);
    if sum.is_constant() {
        return None;
    }
    let equal = store.linear_eq(sum, sort_of(store, a));
    Some(store.not(equal))
}
