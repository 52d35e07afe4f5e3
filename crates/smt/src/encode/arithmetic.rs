//! Arithmetic atoms.

use super::{Encoder, Work};
use crate::arith::{AtomLit, VarId};
use bolide_base::Rational;
use bolide_proof::linear::{Constraint, Relation, strip_to_real};
use bolide_proof::{Axiom, Lemma, Literal, Rule};
use bolide_sat::Lit;
use bolide_term::{Linear, Op, Sort, Store, Term};

impl Encoder {
    /// The arithmetic variable of a base term; what the term means is put on the list of work.
    pub fn arith_var(&mut self, store: &Store, t: Term) -> VarId {
        if let Some(&v) = self.vars.get(&t) {
            return v;
        }
        let v = self.sat.theory_mut().arith.new_var(store.sort_of(t) == Sort::INT);
        self.vars.insert(t, v);
        if v.index() >= self.var_terms.len() {
            self.var_terms.resize(v.index() + 1, None);
        }
        self.var_terms[v.index()] = Some(t);
        if let Some(purity) = &mut self.purity
            && let Some(parts) = purity.parts(store, t)
        {
            let mut theories = self.sat.theory_mut();
            theories.cut_filter.get_or_insert_default().parts.insert(v, parts.to_vec());
        }
        match store.op(t) {
            Op::Ite => self.work.push(Work::Axiom(Axiom::Choice(t))),
            Op::Div | Op::Mod if store.as_num(store.arg(t, 1)).is_some() => {
                if store.op(t) == Op::Div {
                    self.sat.theory_mut().arith.mark_quotient(v);
                }
                self.work.push(Work::Axiom(Axiom::Rounding(t)));
                self.add_remainder(store, t);
            }
            Op::ToInt => self.work.push(Work::Axiom(Axiom::Rounding(t))),
            Op::BvToNat => self.work.push(Work::Axiom(Axiom::WordValue(t))),
            Op::Apply(_) if !store.args(t).is_empty() => self.work.push(Work::Node(t)),
            Op::Select | Op::Field { .. } => self.work.push(Work::Node(t)),
            Op::Mul => self.add_product(t),
            Op::Div | Op::Mod | Op::RealDiv => {
                self.nonlinear = true;
                self.work.push(Work::Division(t));
                if store.op(t) != Op::RealDiv {
                    // Equal numbers have equal quotients.
                    self.work.push(Work::Node(t));
                }
            }
            _ => {}
        }
        v
    }

    /// The scale and variable of the linear form of an expression, the constant aside.
    pub fn row(&mut self, store: &Store, linear: &Linear) -> (Rational, VarId) {
        let form: Vec<(Rational, VarId)> =
            linear.terms.iter().map(|(t, c)| (c.clone(), self.arith_var(store, *t))).collect();
        self.sat.theory_mut().arith.scaled_row(&form)
    }

    /// The arithmetic atom of a constraint, and the scale between its variable and the constraint.
    fn atom(&mut self, store: &Store, constraint: &Constraint) -> AtomLit {
        let (scale, var) = self.row(store, &constraint.linear);
        let bound = -(&constraint.linear.constant / &scale);
        let mut theories = self.sat.theory_mut();
        let atom = match constraint.relation {
            Relation::Le if scale.is_positive() => AtomLit::new(theories.arith.atom_le(var, bound), true),
            Relation::Le => AtomLit::new(theories.arith.atom_ge(var, bound), true),
            Relation::Lt if scale.is_positive() => AtomLit::new(theories.arith.atom_ge(var, bound), false),
            Relation::Lt => AtomLit::new(theories.arith.atom_le(var, bound), false),
            Relation::Eq => AtomLit::new(theories.arith.atom_eq(var, bound), true),
        };
        drop(theories);
        let n = atom.atom.index();
        if n >= self.scales.len() {
            self.scales.resize(n + 1, Rational::ONE);
        }
        self.scales[n] = scale;
        atom
    }

    /// An inequality becomes a bound on a variable or slack.
    pub(super) fn encode_inequality(&mut self, store: &mut Store, t: Term) {
        let constraint = Constraint::of(store, Literal::new(t, true)).expect("an inequality");
        let atom = self.atom(store, &constraint);
        let tied = self.sat.theory().lit_of_atom(atom);
        let lit = self.new_var(Some(t));
        match tied {
            None => self.tie_atom(lit, atom),
            Some(twin) => {
                // The same bound under another name (an integer and the real equal to it).
                let twin = self.literal(twin);
                let t = Literal::new(t, true);
                let farkas = || Rule::Theory(Lemma::Farkas(vec![Rational::ONE; 2]));
                self.add_clause(store, &[!t, twin], farkas());
                self.add_clause(store, &[t, !twin], farkas());
            }
        }
    }

    fn tie_atom(&mut self, lit: Lit, atom: AtomLit) {
        self.sat.observe(lit);
        self.sat.theory_mut().tie_arith(lit, atom);
    }

    /// `p = q` is `p <= q` and `p >= q`. An equality between terms of different parts of a partition stays whole,
    /// so that no inequality between them arises.
    pub(super) fn encode_arith_equality(&mut self, store: &mut Store, t: Term) {
        let e = Literal::new(t, true);
        let constraint = Constraint::of(store, e).expect("an arithmetic equality");
        let sides_are_nodes = store.args(t).iter().all(|a| self.nodes.contains_key(a));
        let lit = self.new_var(Some(t));
        if sides_are_nodes {
            self.work.push(Work::TieEquality(t));
        }
        let all_integers = constraint.linear.terms.iter().all(|&(x, _)| store.sort_of(x) == Sort::INT);
        if all_integers && !constraint.linear.constant.is_integer() {
            let premise = bolide_proof::EqualityPremise { first: 0, second: None, coeff: Rational::ONE };
            let lemma = Lemma::Divisibility { premises: vec![premise], modulus: Rational::ONE };
            self.add_clause(store, &[!e], Rule::Theory(lemma));
            return;
        }
        if self.purity.as_mut().is_some_and(|p| !p.is_pure(store, t)) {
            let atom = self.atom(store, &constraint);
            if self.sat.theory().lit_of_atom(atom).is_none() {
                self.tie_atom(lit, atom);
                return;
            }
        }
        self.split_equality(store, t);
    }

    /// Defines an arithmetic equality by its two inequalities.
    pub(super) fn split_equality(&mut self, store: &mut Store, t: Term) {
        let e = Literal::new(t, true);
        let (a, b) = (store.arg(t, 0), store.arg(t, 1));
        let (le, ge) = (store.le(a, b), store.ge(a, b));
        let (le, ge) = (Literal::of(store, le), Literal::of(store, ge));
        let (zero, one) = (Rational::ZERO, Rational::ONE);
        let farkas = |coeffs: [Rational; 2]| Rule::Theory(Lemma::Farkas(coeffs.to_vec()));
        self.add_clause(store, &[!e, le], farkas([one.clone(), one.clone()]));
        self.add_clause(store, &[!e, ge], farkas([Rational::MINUS_ONE, one.clone()]));
        let tight = Lemma::TightBounds {
            equality: 0,
            upper: vec![zero.clone(), one.clone(), zero.clone()],
            lower: vec![zero.clone(), zero, one.clone()],
        };
        self.add_clause(store, &[e, !le, !ge], Rule::Theory(tight));
        self.add_clause(store, &[le, ge], farkas([one.clone(), one]));
    }

    /// The linear expression of a term over arithmetic variables' base terms.
    pub fn expression(&self, store: &Store, t: Term) -> Linear {
        let mut linear = store.linear(t);
        strip_to_real(store, &mut linear);
        linear
    }
}
