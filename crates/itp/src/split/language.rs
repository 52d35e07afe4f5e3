//! The restriction languages `L_0`, `L_1`, …: which atoms an interpolant may be made of.
//!
//! As in Jhala and McMillan's *A Practical and Complete Approach to Predicate Refinement* (TACAS 2006), a language is
//! finite over any finite vocabulary, closed under Boolean connectives, and each is contained in the next:
//!
//! - *difference bounds* `x - y <= c` and, beyond the paper, the other octagonal bounds `±x ±y <= c`, with `c` in
//!   `C_D`: the numbers from `-k` to `k`, and those within `k` of a large constant of the program or its negation;
//! - beyond the paper, over the integers, other linear inequalities whose coefficients are whole, coprime and add up to
//!   at most `k + 5`, with a constant in `C_D`;
//! - *bounds* `x <= c`, `x >= c` with `c` in `C_B`: within `k` of a constant of the program or of zero;
//! - equalities of terms of any other sort, Boolean constants and predicates;
//! - terms whose functions (array reads included) are nested at most `k + 2` deep.
//!
//! Closure under negation makes `x - y < c` a formula of the language whenever `x - y >= c` is one; over the integers
//! this is `x - y <= c - 1`.

use super::shape::{difference, is_connective, octagonal, primitive};
use bolide_base::Rational;
use bolide_term::{Linear, Op, Sort, Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// Constants of a program beyond this are *large*: differences near them belong to every language.
const LARGE: i64 = 16;

/// The coefficients of a sum in `L_0` over more than two terms add up to at most this.
const WEIGHT: u32 = 5;

/// The language `L_k` for a program with some constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Language {
    level: u32,
    /// Has it inequalities over more than two terms?
    sums: bool,
    /// Constants of the program and zero, in order.
    constants: Vec<Rational>,
    /// `C_D`, in order, for reals and for integers; closed under negation.
    differences: [Vec<Rational>; 2],
    /// `C_B`, in order, for reals and for integers.
    uppers: [Vec<Rational>; 2],
    /// The negations of `C_B`, in order: what `-x` may be bounded by.
    lowers: [Vec<Rational>; 2],
}

/// What a bound speaks of.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Two terms: `±x ±y <= c`.
    Pair,
    /// `x <= c`.
    Upper,
    /// `-x <= c`.
    Lower,
}

impl Language {
    /// The language `L_k` for a program in which these constants occur.
    pub fn new(k: u32, constants: impl IntoIterator<Item = Rational>) -> Language {
        let mut constants: Vec<Rational> = constants.into_iter().chain([Rational::ZERO]).collect();
        constants.sort_unstable();
        constants.dedup();
        let k64 = i64::from(k);
        let is_large = |c: &&Rational| c.abs() > Rational::from(LARGE);
        let large = constants.iter().filter(is_large);
        let centres: Vec<Rational> = large.flat_map(|c| [c.clone(), -c]).chain([Rational::ZERO]).collect();
        let differences = near(&centres, k64);
        let bounds = near(&constants, k64);
        let negated: Vec<Rational> = bounds.iter().rev().map(|c| -c).collect();
        Language {
            level: k,
            differences: by_sort(differences),
            uppers: by_sort(bounds),
            lowers: by_sort(negated),
            constants,
            sums: true,
        }
    }

    /// The number `k` of `L_k`.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// The next language.
    pub fn raised(&self) -> Language {
        let next = Language::new(self.level.saturating_add(1), self.constants.iter().cloned());
        Language { sums: self.sums, ..next }
    }

    /// What the coefficients of a sum over more than two terms may add up to.
    pub fn weight(&self) -> u32 {
        if self.sums { self.level.saturating_add(WEIGHT) } else { 0 }
    }

    /// The language without inequalities over more than two terms.
    pub fn octagonal(self) -> Language {
        Language { sums: false, ..self }
    }

    /// How deep functions may be nested.
    pub fn depth(&self) -> u32 {
        self.level.saturating_add(2)
    }

    /// Is the formula a Boolean combination of atoms of the language?
    pub fn contains(&self, store: &Store, t: Term) -> bool {
        let mut seen = FxHashSet::default();
        let mut stack = vec![t];
        while let Some(t) = stack.pop() {
            if !seen.insert(t) {
                continue;
            }
            if is_connective(store, t) {
                stack.extend(store.args(t));
            } else if !self.contains_atom(store, t) {
                return false;
            }
        }
        true
    }

    /// Is the atom in the language?
    pub(super) fn contains_atom(&self, store: &Store, atom: Term) -> bool {
        let Some((mut l, sort)) = difference(store, atom) else {
            return match store.op(atom) {
                Op::Forall | Op::Exists => false,
                _ => store.args(atom).iter().all(|&a| self.contains_term(store, a)),
            };
        };
        if !self.contains_bound(store, &l, sort) {
            return false;
        }
        if store.op(atom) == Op::Le {
            return true;
        }
        l.scale(&Rational::MINUS_ONE);
        self.contains_bound(store, &l, sort)
    }

    /// Is `l <= 0` in the language?
    fn contains_bound(&self, store: &Store, l: &Linear, sort: Sort) -> bool {
        let Some(o) = octagonal(l) else { return self.contains_sum(store, l, sort) };
        let kind = match o.terms[..] {
            [(_, true)] => Kind::Upper,
            [_] => Kind::Lower,
            _ => Kind::Pair,
        };
        let is_int = sort == Sort::INT;
        self.weaken(kind, is_int, &o.bound, false) == Some((o.bound.clone(), false))
            && o.terms.iter().all(|&(t, _)| self.contains_term(store, t))
    }

    /// Is `l <= 0`, over more than two terms or with unequal weights, in the language?
    fn contains_sum(&self, store: &Store, l: &Linear, sort: Sort) -> bool {
        let (l, _) = primitive(l);
        let weight = l.terms.iter().fold(Rational::ZERO, |sum, (_, c)| sum + c.abs());
        let bound = -&l.constant;
        sort == Sort::INT
            && !l.is_constant()
            && weight <= Rational::from(i64::from(self.weight()))
            && self.weaken(Kind::Pair, true, &bound, false) == Some((bound.clone(), false))
            && l.terms.iter().all(|&(t, _)| self.contains_term(store, t))
    }

    /// May the term occur in atoms of the language?
    pub(super) fn contains_term(&self, store: &Store, t: Term) -> bool {
        store.as_var(t).is_some() || self.contains_term_or_write(store, t, false)
    }

    /// Is it a term whose depth and numbers the language allows? Writes may be allowed or not.
    pub(super) fn contains_term_or_write(&self, store: &Store, t: Term, writes: bool) -> bool {
        // Depths of the subterms; sums and multiples are no functions.
        let mut depths: FxHashMap<Term, u32> = FxHashMap::default();
        for u in store.post_order([t]) {
            let below = store.args(u).iter().map(|a| depths[a]).max().unwrap_or(0);
            let depth = match store.op(u) {
                Op::Store | Op::ConstArray if !writes => return false,
                Op::Ite | Op::Forall | Op::Exists => return false,
                Op::Num(n) if !self.contains_number(store.num_value(n)) => return false,
                Op::Add | Op::Mul => below,
                Op::Store => below,
                _ if store.args(u).is_empty() => 0,
                _ => below + 1,
            };
            if depth > self.depth() {
                return false;
            }
            depths.insert(u, depth);
        }
        true
    }

    /// May the number occur inside a term, such as an index?
    fn contains_number(&self, n: &Rational) -> bool {
        n.is_one()
            || n.is_minus_one()
            || self.differences[0].binary_search(n).is_ok()
            || self.uppers[0].binary_search(n).is_ok()
    }

    /// The strongest bound of the language that follows from a bound: the same, or a weaker one. A strict bound over
    /// the integers has been turned into the other kind before.
    pub(super) fn weaken(
        &self,
        kind: Kind,
        is_int: bool,
        bound: &Rational,
        strict: bool,
    ) -> Option<(Rational, bool)> {
        let sets = match kind {
            Kind::Pair => &self.differences,
            Kind::Upper => &self.uppers,
            Kind::Lower => &self.lowers,
        };
        let set = &sets[usize::from(is_int)];
        let n = set.partition_point(|c| c < bound);
        let next = set.get(n)?;
        Some(if next == bound {
            (bound.clone(), strict)
        } else if is_int {
            // The negation of the opposite bound by `next`.
            (next - Rational::ONE, false)
        } else {
            (next.clone(), true)
        })
    }

    /// All bounds of the language on some arithmetic constants of one sort: each inequality in one direction, since the
    /// language has the negations as well.
    pub fn bounds_over(&self, store: &mut Store, vars: &[Term]) -> Vec<Term> {
        let mut out = Vec::new();
        let mut seen = FxHashSet::default();
        let mut add = |store: &mut Store, terms: Vec<(Term, Rational)>, bound: &Rational, sort: Sort| {
            let mut l = Linear::constant(-bound);
            l.add_scaled(&Linear { constant: Rational::ZERO, terms }, &Rational::ONE);
            let t = store.linear_le(l, sort);
            let atom = store.literal(t).0;
            if seen.insert(atom) {
                out.push(atom);
            }
        };
        let signs = [Rational::ONE, Rational::MINUS_ONE];
        for (n, &x) in vars.iter().enumerate() {
            let sort = store.sort_of(x);
            let is_int = usize::from(sort == Sort::INT);
            for c in &self.uppers[is_int] {
                add(store, vec![(x, Rational::ONE)], c, sort);
            }
            for c in &self.lowers[is_int] {
                add(store, vec![(x, Rational::MINUS_ONE)], c, sort);
            }
            for &y in &vars[n + 1..] {
                for (p, q) in signs.iter().flat_map(|p| signs.iter().map(move |q| (p, q))) {
                    for c in &self.differences[is_int] {
                        add(store, vec![(x, p.clone()), (y, q.clone())], c, sort);
                    }
                }
            }
        }
        out
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let k = self.level;
        let list =
            |constants: &[Rational]| constants.iter().map(|c| c.to_string()).collect::<Vec<_>>().join(", ");
        let mut large: Vec<Rational> =
            self.constants.iter().map(Rational::abs).filter(|c| *c > Rational::from(LARGE)).collect();
        large.sort_unstable();
        large.dedup();
        write!(f, "L_{k}: differences and sums of weight {} up to {k}", self.weight().max(2))?;
        if !large.is_empty() {
            write!(f, " or within {k} of ±{{{}}}", list(&large))?;
        }
        write!(
            f,
            ", bounds within {k} of {{{}}}, functions nested up to {}",
            list(&self.constants),
            self.depth()
        )
    }
}

/// The numbers within `k` of some centres, by whole steps, in order.
fn near(centres: &[Rational], k: i64) -> Vec<Rational> {
    let mut out: Vec<Rational> =
        centres.iter().flat_map(|c| (-k..=k).map(move |d| c + Rational::from(d))).collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// A set for the reals and its whole numbers for the integers.
fn by_sort(set: Vec<Rational>) -> [Vec<Rational>; 2] {
    let whole = set.iter().filter(|c| c.is_integer()).cloned().collect();
    [set, whole]
}
