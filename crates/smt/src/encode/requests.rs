//! Fulfilling what the theories ask for.

use super::{Encoder, Work};
use crate::arith::{Cut, Premise, VarId};
use crate::theories::{Request, WriteChain};
use bolide_base::Rational;
use bolide_proof::{Axiom, Lemma, Literal, Rule, reconstruction};
use bolide_sat::Lit;
use bolide_term::{Linear, Op, Sort, Store, Term, UBig};

/// So often the sides of an equality may meet before they are compared.
const MAX_SEPARATIONS: u32 = 3;

impl Encoder {
    /// Makes the terms, literals and clauses that a request is about.
    pub fn fulfil(&mut self, store: &mut Store, request: Request) {
        match request {
            Request::Branch(form, floor) => {
                let towards_zero = !floor.is_negative();
                let atom = self.at_most(store, &form, floor);
                let lit = self.lit(store, atom);
                // Unbounded variables would wander off for ever if the search preferred the far side.
                self.sat.prefer(if towards_zero { lit } else { !lit });
            }
            Request::Disequality(lit) => self.separate_sides(store, lit),
            Request::Cut(cut) => self.add_cut(store, cut),
            Request::Axiom(axiom) => self.work.push(Work::Axiom(axiom)),
            Request::Read(array, index) => {
                self.add_read(store, array, index);
            }
            Request::ReadAt(array, bits) => {
                let index = constant_index(store, array, &bits);
                self.add_read(store, array, index);
            }
            Request::WriteChain(leap) => self.add_leap(store, &leap),
            Request::Destructor(t, constructor) => {
                let whole = reconstruction(store, constructor, t);
                let e = store.plain_eq(t, whole);
                self.work.push(Work::Axiom(Axiom::Destructor(e)));
            }
            Request::Acyclic(whole, path) => {
                let take = |t, (constructor, field)| store.raw_field(constructor, field, t);
                let part = path.into_iter().fold(whole, take);
                let e = store.plain_eq(whole, part);
                self.work.push(Work::Axiom(Axiom::Acyclic(e)));
            }
            Request::Concretise(index) => {
                let value = self.index_value(store, index);
                self.fulfil(store, Request::Equality(index, value));
            }
            Request::Equality(a, b) => {
                let e = store.plain_eq(a, b);
                let lit = self.lit(store, e);
                let (x, y) = (self.node(store, a), self.node(store, b));
                if x != y {
                    self.tie(lit, x, y);
                }
            }
        }
    }

    /// Adds the axiom about a read of an array at an index, because of one that was asked for.
    fn add_read(&mut self, store: &mut Store, array: Term, index: Term) {
        let read = store.raw_select(array, index);
        let axiom = match store.op(array) {
            Op::Store => Axiom::ReadOverWrite(read),
            _ => Axiom::ReadConstant(read),
        };
        self.work.push(Work::Node(read));
        self.work.push(Work::Axiom(axiom));
    }

    /// Adds the clause that the index is outside of the gap, or the read passes the writes. It follows from the axioms
    /// about the single writes; only searches without a proof ask for it.
    fn add_leap(&mut self, store: &mut Store, leap: &WriteChain) {
        debug_assert!(self.inputs.is_none(), "leaps have no proof");
        let after = store.raw_select(leap.top, leap.index);
        let before = store.select(leap.bottom, leap.index);
        let sort = store.sort_of(leap.index);
        let mut clause = Vec::with_capacity(3);
        if let Some(low) = &leap.low {
            let low = store.num(low.clone(), sort);
            clause.push(store.le(leap.index, low));
        }
        if let Some(high) = &leap.high {
            let high = store.num(high.clone(), sort);
            clause.push(store.ge(leap.index, high));
        }
        clause.push(store.definition(after, before));
        self.work.push(Work::Node(after));
        let lits: Vec<Lit> = clause.into_iter().map(|t| self.lit(store, t)).collect();
        self.sat.add_clause(&lits);
    }

    fn var_term(&self, var: VarId) -> Term {
        self.var_terms[var.index()].expect("an original variable")
    }

    /// An equality between terms of different parts does not hold, although both sides have the same value now:
    /// lets the search move either side away from that value, one part at a time.
    ///
    /// Both sides may go on meeting elsewhere for ever, so that after a few attempts they are compared after all.
    fn separate_sides(&mut self, store: &mut Store, lit: Lit) {
        let e = self.atoms[lit.var() as usize].expect("an equality atom");
        let attempts = self.separations.entry(e).or_default();
        *attempts += 1;
        if *attempts > MAX_SEPARATIONS {
            self.split_equality(store, e);
            return;
        }
        for side in [store.arg(e, 0), store.arg(e, 1)] {
            if store.as_num(side).is_some() {
                continue;
            }
            let value = self.value_of(store, side);
            let k = store.num(value, store.sort_of(side));
            let (le, ge) = (store.le(side, k), store.ge(side, k));
            self.lit(store, le);
            self.lit(store, ge);
        }
    }

    /// The value of a numeric term in the arithmetic model.
    pub fn value_of(&mut self, store: &Store, t: Term) -> Rational {
        let linear = self.expression(store, t);
        let mut value = linear.constant.clone();
        for (x, c) in &linear.terms {
            let v = self.arith_var(store, *x);
            value.add_mul(&self.sat.theory().arith.value(v), c);
        }
        value
    }

    /// The constant that an index equals now; the index itself if its sort has no constants.
    fn index_value(&mut self, store: &mut Store, index: Term) -> Term {
        let sort = store.sort_of(index);
        if sort.is_arith() {
            let value = self.value_of(store, index);
            return store.num(value, sort);
        }
        match store.bits_of_sort(sort) {
            Some(width) => {
                let bits = self.schemes.bits(store, index);
                let mut value = bolide_term::UBig::ZERO;
                for (i, bit) in bits.into_iter().enumerate() {
                    let lit = self.lit(store, bit);
                    if self.sat.theory().value(lit) == Some(true) {
                        value.set_bit(i);
                    }
                }
                bolide_term::Value::Bv(width, value).to_term(store, sort)
            }
            None => index,
        }
    }

    /// The atom that a form over integer variables is at most a bound.
    fn at_most(&self, store: &mut Store, form: &[(Rational, VarId)], bound: Rational) -> Term {
        let mut terms: Vec<_> = form.iter().map(|(c, v)| (self.var_term(*v), c.clone())).collect();
        terms.sort_by_key(|&(t, _)| t);
        store.linear_le(Linear { constant: -bound, terms }, Sort::INT)
    }

    fn add_cut(&mut self, store: &mut Store, cut: Cut) {
        let atom = self.at_most(store, &cut.coeffs, cut.bound);
        let (mut clause, mut coeffs) = self.farkas(&cut.premises);
        clause.push(Literal::of(store, atom));
        coeffs.push(Rational::ONE);
        self.add_clause(store, &clause, Rule::Theory(Lemma::Farkas(coeffs)));
    }

    /// The clause that forbids the premises, with the coefficient of each literal's own constraint.
    pub fn farkas(&self, premises: &[Premise]) -> (Vec<Literal>, Vec<Rational>) {
        let mut clause: Vec<Literal> = Vec::with_capacity(premises.len());
        let mut coeffs: Vec<Rational> = Vec::with_capacity(premises.len());
        for p in premises {
            let (lit, coeff) = self.premise(p);
            match clause.iter().position(|&l| l == !lit) {
                Some(n) => coeffs[n] += &coeff,
                None => {
                    clause.push(!lit);
                    coeffs.push(coeff);
                }
            }
        }
        (clause, coeffs)
    }

    /// The literal of a premise and the coefficient of the literal's constraint.
    pub fn premise(&self, p: &Premise) -> (Literal, Rational) {
        use crate::arith::{Relation, Side};
        let theories = self.sat.theory();
        let lit = self.literal(theories.lit_of_atom(p.lit).expect("a tied atom"));
        let scale = &self.scales[p.lit.atom.index()];
        let is_equality = theories.arith.atom(p.lit.atom).relation == Relation::Eq;
        let coeff = match (is_equality, p.side) {
            (false, _) => &p.coeff / &scale.abs(),
            (true, Side::Upper) => &p.coeff / scale,
            (true, Side::Lower) => -(&p.coeff / scale),
        };
        (lit, coeff)
    }
}

/// The constant with these bits of the sort of an array's indices, which are words or Booleans.
fn constant_index(store: &mut Store, array: Term, bits: &[bool]) -> Term {
    let (index, _) = store.array_sorts(store.sort_of(array)).expect("an array term");
    let Some(width) = store.bits_of_sort(index) else { return store.bool(bits.first() == Some(&true)) };
    let mut value = UBig::ZERO;
    for (i, _) in bits.iter().enumerate().filter(|(_, b)| **b) {
        value.set_bit(i);
    }
    bolide_term::Value::Bv(width, value).to_term(store, index)
}
