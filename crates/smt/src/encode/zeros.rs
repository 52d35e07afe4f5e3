//! Polynomials that are zero because others are.
//!
//! That `p = 0` implies `g = 0`, modulo `2^n` or as it is, is linear arithmetic if `g` is a sum of multiples of `p` by numerals, but with quotients by `2^n` hard
//! arithmetic; and if the multiples are by terms, they have to be found. Both is done by the division of polynomials: see [`bolide_proof::ideal`]. First with
//! what is asserted, before any search, and then with what is zero in a model in which a product has a wrong value.

use super::{Encoder, Work};
use bolide_base::Rational;
use bolide_proof::ideal::{self, Zero};
use bolide_proof::{Axiom, residue};
use bolide_term::{Op, Sort, Store, Term};

/// Of more remainders nothing is said beyond what they are.
const MOST_REMAINDERS: usize = 100;
/// Wraps by less are not looked for.
const LEAST_SIZE: i64 = 1 << 8;
/// A wrap chooses between so many values.
const MOST_VALUES: usize = 9;
/// So many equations are premises, or conclusions, and so many quotients have their equations.
const MOST_EQUATIONS: usize = 60;
/// Equations of so few terms may be inequalities that are tight.
const SHORT: usize = 3;

impl Encoder {
    /// A remainder by a numeral becomes known.
    pub(super) fn add_remainder(&mut self, store: &Store, t: Term) {
        let Some((dividend, _)) = residue::remainder(store, t) else { return };
        if self.residues.len() < MOST_REMAINDERS && residue::has_products(store, dividend) {
            self.residues.push(t);
            self.work.push(Work::Axiom(Axiom::Residue(t)));
        }
    }

    /// The remainders of the differences of numbers that wrap and are compared: where they are zero, the numbers are equal.
    fn compare_wraps(&mut self, store: &mut Store) {
        let equations: Vec<Term> = self.equations(store, Op::Eq).skip(self.compared).collect();
        self.compared += equations.len();
        for e in equations.into_iter().take(MOST_EQUATIONS) {
            let difference = store.sub(store.arg(e, 0), store.arg(e, 1));
            if !residue::has_products(store, difference) {
                continue;
            }
            let size = store.linear(difference).terms.iter().find_map(|(t, _)| size_of_wrap(store, *t));
            if let Some(size) = size {
                let size = store.num(size, Sort::INT);
                let remainder = store.modulo(difference, size);
                self.arith_var(store, remainder);
            }
        }
        self.flush(store);
    }

    /// Says which remainders and products are zero because of what is asserted.
    pub fn derive_zeros(&mut self, store: &mut Store, asserted: &[Term]) {
        if self.derived == (asserted.len(), self.atoms.len()) {
            return;
        }
        self.compare_wraps(store);
        let is_known = |a: &Term| self.lits.contains_key(a);
        let known = asserted.iter().copied().filter(is_known).take(MOST_EQUATIONS);
        let mut known: Vec<Zero> = known.filter_map(|a| Zero::of(store, a)).collect();
        self.quotients(store, &mut known);
        // What is derived may be about choices between remainders, which become known in turn.
        let mut seen = 0;
        while seen < self.residues.len() {
            let remainders = self.residues[seen..].to_vec();
            seen = self.residues.len();
            for t in remainders {
                let zero = store.int(0);
                let goal = store.arith_eq(t, zero);
                self.derive(store, &known, goal, asserted);
            }
            self.flush(store);
        }
        let equations: Vec<Term> = self.equations(store, Op::Eq).take(MOST_EQUATIONS).collect();
        for goal in equations {
            self.derive(store, &known, goal, asserted);
        }
        self.flush(store);
        self.derived = (asserted.len(), self.atoms.len());
    }

    /// Says that an equation follows from others if it is about products and does.
    fn derive(&mut self, store: &mut Store, known: &[Zero], goal: Term, except: &[Term]) -> bool {
        if except.contains(&goal) {
            return false;
        }
        let Some(zero) = Zero::of(store, goal).filter(Zero::is_nonlinear) else { return false };
        let Some(premises) = ideal::premises(store, known, &zero) else { return false };
        let name = ideal::implication(store, &premises, goal);
        let is_pure = self.purity.as_mut().is_none_or(|p| p.is_pure(store, name));
        let is_new = is_pure && store.op(name) == Op::Or && !self.axioms.contains(&Axiom::Membership(name));
        if is_new {
            self.work.push(Work::Axiom(Axiom::Membership(name)));
        }
        is_new
    }

    /// Says why more is zero than is so in the model, because of what is zero there; false if nothing was found.
    pub fn explain_zeros(&mut self, store: &mut Store) -> bool {
        self.fulfilling = true;
        let (mut known, mut goals) = (Vec::new(), Vec::new());
        for t in self.residues.clone() {
            let zero = store.int(0);
            let equation = store.arith_eq(t, zero);
            match self.value_of(store, t).is_zero() {
                true => known.extend(Zero::of(store, equation)),
                false => goals.push(equation),
            }
        }
        let all: Vec<Term> = self.equations(store, Op::Eq).chain(self.equations(store, Op::Le)).collect();
        for atom in all {
            let (a, b) = (store.arg(atom, 0), store.arg(atom, 1));
            let is_equation = store.op(atom) == Op::Eq;
            let is_zero = self.value_of(store, a) == self.value_of(store, b);
            if known.len() < MOST_EQUATIONS && is_zero {
                let is_short = is_equation || store.linear_difference(a, b).terms.len() <= SHORT;
                let equation = store.arith_eq(a, b);
                known.extend(Zero::of(store, equation).filter(|_| is_short));
            } else if goals.len() < MOST_EQUATIONS && is_equation && !is_zero {
                goals.push(atom);
            }
        }
        self.quotients(store, &mut known);
        let mut found = false;
        for goal in goals {
            found |= self.derive(store, &known, goal, &[]);
        }
        found
    }

    /// The known atoms between integers with an operator.
    fn equations<'a>(&'a self, store: &'a Store, op: Op) -> impl Iterator<Item = Term> + 'a {
        let is_one = move |t: &Term| store.op(*t) == op && store.sort_of(store.arg(*t, 0)) == Sort::INT;
        self.atoms.iter().flatten().copied().filter(is_one)
    }

    /// What the known quotients are.
    fn quotients(&mut self, store: &mut Store, known: &mut Vec<Zero>) {
        let mut quotients: Vec<Term> = self.vars.keys().copied().collect();
        quotients.retain(|&t| store.op(t) == Op::Div);
        quotients.sort_unstable();
        known.extend(quotients.into_iter().take(MOST_EQUATIONS).filter_map(|t| ideal::quotient(store, t)));
    }
}

/// The numeral by which a number wraps: that of a remainder, or by which the values of a choice are apart.
fn size_of_wrap(store: &Store, t: Term) -> Option<Rational> {
    if let Some((_, size)) = residue::remainder(store, t) {
        return Some(size).filter(|size| *size >= Rational::from(LEAST_SIZE));
    }
    let mut open = vec![t];
    let mut values: Vec<Term> = Vec::new();
    while let Some(t) = open.pop() {
        match store.op(t) {
            Op::Ite if values.len() < MOST_VALUES => open.extend(&store.args(t)[1..]),
            _ => values.push(t),
        }
    }
    let mut size = Rational::ZERO;
    for &value in &values[1..] {
        let apart = store.linear_difference(values[0], value);
        if apart.is_constant() {
            size = size.gcd(&apart.constant);
        }
    }
    let is_wrap = size >= Rational::from(LEAST_SIZE)
        && residue::polynomial(store, t, &size).is_some_and(|p| !p.contains_key(&vec![t]));
    is_wrap.then_some(size)
}
