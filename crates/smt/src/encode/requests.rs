//! Fulfilling what the theories ask for.

use super::{Encoder, Work};
use crate::arith::{Cut, Premise, VarId};
use crate::theories::Request;
use bolide_base::Rational;
use bolide_proof::{Axiom, Lemma, Literal, Rule};
use bolide_sat::Lit;
use bolide_term::{Linear, Op, Sort, Store, Term};

impl Encoder {
    /// Makes the terms, literals and clauses that a request is about.
    pub fn fulfil(&mut self, store: &mut Store, request: Request) {
        match request {
            Request::Branch(var, floor) => {
                let x = self.var_term(var);
                let k = store.num(floor, Sort::INT);
                let atom = store.le(x, k);
                self.lit(store, atom);
            }
            Request::Disequality(lit) => self.separate_sides(store, lit),
            Request::Cut(cut) => self.add_cut(store, cut),
            Request::Axiom(axiom) => self.work.push(Work::Axiom(axiom)),
            Request::Read(array, index) => {
                let index = self.pure_index(store, array, index);
                let read = store.raw_select(array, index);
                let axiom = match store.op(array) {
                    Op::Store => Axiom::ReadOverWrite(read),
                    _ => Axiom::ReadConstant(read),
                };
                self.work.push(Work::Axiom(axiom));
            }
            Request::Equality(a, b) => {
                let e = store.eq(a, b);
                let lit = self.lit(store, e);
                let (x, y) = (self.node(store, a), self.node(store, b));
                self.sat.observe(lit);
                self.sat.theory_mut().tie_equality(lit, x, y);
                if store.array_sorts(store.sort_of(a)).is_some() && store.op(e) == Op::Eq {
                    self.sat.theory_mut().arrays.equalities.push((lit, e));
                }
            }
        }
    }

    fn var_term(&self, var: VarId) -> Term {
        self.var_terms[var.index()].expect("an original variable")
    }

    /// An equality between terms of different parts does not hold, although both sides have the same value now:
    /// lets the search move either side away from that value, one part at a time.
    fn separate_sides(&mut self, store: &mut Store, lit: Lit) {
        let e = self.atoms[lit.var() as usize].expect("an equality atom");
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

    fn add_cut(&mut self, store: &mut Store, cut: Cut) {
        let mut linear = Linear { constant: -cut.bound, terms: Vec::new() };
        for (c, v) in &cut.coeffs {
            let t = self.var_term(*v);
            linear.terms.push((t, c.clone()));
        }
        linear.terms.sort_by_key(|&(t, _)| t);
        let atom = store.linear_le(linear, Sort::INT);
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

    /// A term equal to the index now, such that reading the array there stays within one part.
    fn pure_index(&mut self, store: &mut Store, array: Term, index: Term) -> Term {
        let Some(purity) = &mut self.purity else { return index };
        let Some(home) = purity.parts(store, array) else { return index };
        let node = self.nodes[&index];
        let theories = self.sat.theory();
        let fits = |purity: &mut crate::purity::Purity, t: Term| match purity.parts(store, t) {
            None => true,
            Some(parts) => parts.iter().any(|p| home.binary_search(p).is_ok()),
        };
        if fits(purity, index) {
            return index;
        }
        theories
            .euf
            .members(node)
            .map(|m| self.node_terms[m.index()])
            .find(|&t| fits(purity, t))
            .unwrap_or(index)
    }
}
