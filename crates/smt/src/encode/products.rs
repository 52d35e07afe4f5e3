//! Products of variables: facts about them where the arithmetic model has them wrong.
//!
//! Incremental linearisation (Cimatti, Griggio, Irfan, Roveri and Sebastiani, *Incremental Linearization for Satisfiability
//! and Verification Modulo Nonlinear Arithmetic*, 2018): for linear arithmetic a product is a variable like others. A
//! model in which its value is not the product of the factors' is cut off by a plane that touches the product at that
//! point, or at the bounds of the factors; and one factor is proposed to keep its value, since then the product is linear.

use super::{Encoder, Work};
use crate::arith::Side;
use bolide_base::Rational;
use bolide_proof::Axiom;
use bolide_term::{Op, Store, Term};

/// So many products are corrected at once.
const AT_ONCE: usize = 8;
/// So many facts are added about a product of fractions, each about a point with a larger denominator.
const FRACTIONS: u32 = 40;

/// A factor, its value, and the bounds that it has now.
struct Factor {
    term: Term,
    value: Rational,
    low: Option<Rational>,
    high: Option<Rational>,
}

impl Encoder {
    /// A product of variables becomes known.
    pub(super) fn add_product(&mut self, t: Term) {
        self.nonlinear = true;
        self.products.insert(t, 0);
        self.work.push(Work::Axiom(Axiom::Expansion(t)));
    }

    /// A quotient or a remainder becomes known. By zero they have no value, so that is avoided.
    pub(super) fn add_division(&mut self, store: &mut Store, t: Term) {
        self.add_axiom(store, Axiom::Division(t));
        let divisor = store.arg(t, 1);
        let zero = store.num(Rational::ZERO, store.sort_of(divisor));
        let is_zero = store.arith_eq(divisor, zero);
        let lit = self.lit(store, is_zero);
        self.sat.prefer(!lit);
    }

    /// Adds facts about products that have the wrong value in the arithmetic model; false if there are none.
    pub fn correct_products(&mut self, store: &mut Store) -> bool {
        self.fulfilling = true;
        let mut corrected = 0;
        // Products of some of the factors become known on the way.
        let mut n = 0;
        while n < self.products.len() && corrected < AT_ONCE {
            let (&product, &facts) = self.products.get_index(n).expect("there are so many");
            n += 1;
            // The others are multiplied out.
            if !store.args(product).iter().all(|&f| store.is_base(f)) {
                continue;
            }
            let (first, rest) = (store.arg(product, 0), store.args(product)[1..].to_vec());
            let rest = store.mul(&rest);
            let (x, y) = (self.factor(store, first), self.factor(store, rest));
            let value = self.value_of(store, product);
            let exact = &x.value * &y.value;
            let is_fraction = !x.value.is_integer() || !y.value.is_integer();
            if value == exact || is_fraction && facts > FRACTIONS {
                continue;
            }
            self.products.insert(product, facts + 1);
            corrected += 1;
            if facts == 0 {
                self.work.push(Work::Axiom(Axiom::Product(product)));
                continue;
            }
            let is_low = value < exact;
            let at_bounds = touching_points(&x, &y, is_low);
            let cutting = at_bounds.iter().find(|(a, b)| {
                let plane = b * &x.value + a * &y.value - a * b;
                if is_low { value < plane } else { value > plane }
            });
            let here = (near(&x.value, facts), near(&y.value, facts));
            let (a, b) = cutting.unwrap_or(&here);
            self.touch(store, &x, a, &y, b);
            let (proposed, value) = if is_nearer(&y.value, &x.value) { (&y, here.1) } else { (&x, here.0) };
            self.propose(store, proposed, value);
        }
        corrected > 0
    }

    fn factor(&mut self, store: &mut Store, term: Term) -> Factor {
        let value = self.value_of(store, term);
        let base = if store.op(term) == Op::ToReal { store.arg(term, 0) } else { term };
        let var = self.arith_var(store, base);
        let theories = self.sat.theory();
        let bound = |side| theories.arith.bound(var, side).map(|(delta, _)| delta.real.clone());
        Factor { term, value, low: bound(Side::Lower), high: bound(Side::Upper) }
    }

    /// Adds the planes that touch the product of two factors where these have certain values.
    fn touch(&mut self, store: &mut Store, x: &Factor, a: &Rational, y: &Factor, b: &Rational) {
        let shifted = |store: &mut Store, f: &Factor, by: &Rational| {
            let by = store.num(by.clone(), store.sort_of(f.term));
            store.sub(f.term, by)
        };
        let (u, v) = (shifted(store, x, a), shifted(store, y, b));
        let carrier = store.mul(&[u, v]);
        self.work.push(Work::Axiom(Axiom::Product(carrier)));
    }

    /// Proposes a value for a factor.
    fn propose(&mut self, store: &mut Store, f: &Factor, value: Rational) {
        let value = store.num(value, store.sort_of(f.term));
        let e = store.arith_eq(f.term, value);
        let lit = self.lit(store, e);
        self.sat.prefer(lit);
    }
}

/// The corners of the box in which two factors lie where planes touch the product from below or from above.
fn touching_points(x: &Factor, y: &Factor, from_below: bool) -> Vec<(Rational, Rational)> {
    let corners = match from_below {
        true => [(&x.low, &y.low), (&x.high, &y.high)],
        false => [(&x.low, &y.high), (&x.high, &y.low)],
    };
    corners.into_iter().filter_map(|(a, b)| Some((a.clone()?, b.clone()?))).collect()
}

/// A value with a small denominator near another one; the nearer, the more facts there are.
fn near(value: &Rational, facts: u32) -> Rational {
    if value.is_integer() {
        return value.clone();
    }
    let size = if value.abs() > Rational::ONE { value.abs() } else { Rational::ONE };
    let radius = size / Rational::pow2(facts + 2);
    Rational::simplest_between(&(value - &radius), &(value + &radius))
}

/// Is a value nearer to zero than another?
fn is_nearer(a: &Rational, b: &Rational) -> bool {
    a.abs() < b.abs()
}
