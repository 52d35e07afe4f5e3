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
use bolide_term::{Op, Sort, Store, Term};

/// So many products are corrected at once.
const AT_ONCE: usize = 8;
/// So many equations, each of so few terms, are multiplied by a factor.
const EQUATIONS: usize = 4;
const SHORT: usize = 3;
/// A product is compared with so many others.
const COMPARED: usize = 4;
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
            match facts {
                0 => {
                    self.work.push(Work::Axiom(Axiom::Product(product)));
                    self.relate_divisions(store, product);
                }
                1 => {
                    self.compare(store, product);
                    self.multiply_equations(store, product);
                }
                _ => {}
            }
            if facts <= 1 {
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

    /// Adds facts about the difference of a product and others that have a factor in common with it: how they compare
    /// follows from how the other factors do.
    fn compare(&mut self, store: &mut Store, product: Term) {
        let [x, y] = *store.args(product) else { return };
        let mut pairs = Vec::new();
        for &other in self.products.keys().filter(|&&other| other != product) {
            let [u, v] = *store.args(other) else { continue };
            let shared = [(x, y, u, v), (x, y, v, u), (y, x, u, v), (y, x, v, u)];
            pairs.extend(shared.into_iter().find(|(a, _, b, _)| a == b).map(|(a, y, _, v)| (a, y, v)));
            if pairs.len() == COMPARED {
                break;
            }
        }
        for (shared, y, v) in pairs {
            let difference = store.sub(y, v);
            let is_int = store.sort_of(shared) == Sort::INT;
            for apart in if is_int { &[0, 1, -1][..] } else { &[0] } {
                let apart = store.num(Rational::from(*apart), store.sort_of(shared));
                let factor = store.sub(difference, apart);
                let carrier = store.mul(&[shared, factor]);
                self.add_signs(store, carrier);
            }
        }
    }

    /// Multiplies equations about one of two factors, which hold in the model, by the other factor. Two inequalities may be an equation,
    /// too: those that are equations in the model come after the others.
    fn multiply_equations(&mut self, store: &mut Store, product: Term) {
        let mut carriers = Vec::new();
        self.multiples(store, product, Op::Eq, EQUATIONS, &mut carriers);
        self.multiples(store, product, Op::Le, 2 * EQUATIONS, &mut carriers);
        carriers.into_iter().for_each(|carrier| self.add_signs(store, carrier));
    }

    /// Multiples of what short atoms with an operator say about a factor, if it is an equation in the model; no more than so many.
    fn multiples(&mut self, store: &mut Store, product: Term, op: Op, most: usize, carriers: &mut Vec<Term>) {
        let [x, y] = *store.args(product) else { return };
        for n in 0..self.atoms.len() {
            let Some(e) = self.atoms[n].filter(|&e| compares(store, e, op)) else { continue };
            let (a, b) = (store.arg(e, 0), store.arg(e, 1));
            if carriers.len() >= most || self.value_of(store, a) != self.value_of(store, b) {
                continue;
            }
            let terms = store.linear_difference(a, b).terms;
            if terms.len() > SHORT || !terms.iter().all(|(t, _)| store.op(*t) != Op::Mul) {
                continue;
            }
            for (about, by) in [(x, y), (y, x)] {
                if terms.iter().any(|(t, _)| *t == about) {
                    let difference = store.sub(a, b);
                    let carrier = store.mul(&[difference, by]);
                    if !carriers.contains(&carrier) {
                        carriers.push(carrier);
                    }
                }
            }
        }
    }

    /// Adds the facts about the sign of a product, unless its symbols belong to different parts.
    pub(super) fn add_signs(&mut self, store: &Store, product: Term) {
        if self.purity.as_mut().is_none_or(|p| p.is_pure(store, product)) {
            self.work.push(Work::Axiom(Axiom::Product(product)));
        }
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

/// Does an atom compare numbers with this operator?
fn compares(store: &Store, t: Term, op: Op) -> bool {
    store.op(t) == op && store.sort_of(store.arg(t, 0)).is_arith()
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
