//! From the SAT solver's resolution proof and the theories' explanations to a checkable refutation.

use crate::arith::{Conflict, Relation};
use crate::encode::Encoder;
use crate::euf::{self, ApartWhy, Claim, Link, Node, Why};
use crate::theories::LemmaRecord;
use bolide_base::Rational;
use bolide_proof::{EqualityPremise, Lemma, Literal, Refutation, Rule, StepId, equality_literal};
use bolide_sat::{ChainError, Inference, Origin};
use bolide_term::{Store, Term};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::fmt;

/// Why there is no refutation of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoRefutation {
    /// There was no query.
    NoQuery,
    /// Proofs are not recorded.
    NotRecorded,
    /// The assumptions contradict each other.
    Assumptions,
    /// The proof of the SAT solver has a gap.
    Chain(ChainError),
}

impl fmt::Display for NoRefutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoRefutation::NoQuery => f.write_str("no query was made"),
            NoRefutation::NotRecorded => f.write_str("no proof was recorded"),
            NoRefutation::Assumptions => f.write_str("the assumptions contradict each other"),
            NoRefutation::Chain(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NoRefutation {}

impl Encoder {
    /// The refutation behind the last unsatisfiable answer of a query without assumptions.
    pub fn refutation(&self, store: &mut Store, assertions: Vec<Term>) -> Result<Refutation, NoRefutation> {
        let proof = self.sat.proof().ok_or(NoRefutation::NotRecorded)?;
        let trimmed = proof.last_refutation().map_err(NoRefutation::Chain)?;
        let inputs = self.inputs.as_ref().ok_or(NoRefutation::NotRecorded)?;
        let mut builder = Builder { encoder: self, store, out: Refutation { assertions, steps: Vec::new() } };
        let mut ids: FxHashMap<bolide_sat::StepId, StepId> = FxHashMap::default();
        // A lemma may turn out to need fewer literals than its theory said; from then on every clause may be stronger than
        // that of the SAT solver.
        let mut is_stronger = false;
        for (id, inference) in trimmed.steps() {
            let step = match inference {
                Inference::Original(Origin::Input(n)) => {
                    let record = &inputs[n.0 as usize];
                    builder.out.push(record.clause.clone(), record.rule.clone())
                }
                Inference::Original(Origin::Lemma(n)) => {
                    let step = builder.lemma(n.0 as usize)?;
                    is_stronger |= builder.out.step(step).clause.len() < proof.clause(id).len();
                    step
                }
                Inference::Tautology => return Err(NoRefutation::Assumptions),
                Inference::Resolution { start, pivots } => {
                    let clause: Vec<Literal> = proof.clause(id).iter().map(|&l| self.literal(l)).collect();
                    let chain = pivots.iter().map(|p| (self.literal(!p.lit), ids[&p.antecedent]));
                    if is_stronger {
                        builder.resolve_stronger(ids[&start], chain)
                    } else {
                        let chain = chain.collect();
                        builder.out.push(clause, Rule::Resolution { start: ids[&start], chain })
                    }
                }
            };
            ids.insert(id, step);
        }
        Ok(builder.out)
    }
}

struct Builder<'a> {
    encoder: &'a Encoder,
    store: &'a mut Store,
    out: Refutation,
}

impl Builder<'_> {
    /// The steps of a theory lemma.
    fn lemma(&mut self, n: usize) -> Result<StepId, NoRefutation> {
        let theories = self.encoder.sat.theory();
        let record =
            theories.lemmas.as_ref().and_then(|l| l.get(n)).cloned().ok_or(NoRefutation::NotRecorded)?;
        drop(theories);
        Ok(match record {
            LemmaRecord::Arith(conflict) => self.arith(conflict),
            LemmaRecord::Conflict(conflict) => self.congruence_conflict(&conflict),
            LemmaRecord::Implied(explanation) => self.explanation(&explanation),
        })
    }

    fn arith(&mut self, conflict: Conflict) -> StepId {
        match conflict {
            Conflict::Farkas(premises) => {
                let (clause, coeffs) = self.encoder.farkas(&premises);
                self.out.push(clause, Rule::Theory(Lemma::Farkas(coeffs)))
            }
            Conflict::Disequality { atom, lower, upper } => self.tight_bounds(atom, &lower, &upper),
            Conflict::Divisibility { premises, modulus } => self.divisibility(&premises, modulus),
        }
    }

    fn tight_bounds(
        &mut self,
        atom: crate::arith::AtomId,
        lower: &[crate::arith::Premise],
        upper: &[crate::arith::Premise],
    ) -> StepId {
        let scale = self.encoder.scales[atom.index()].clone();
        let equality = self.literal_of(crate::arith::AtomLit::new(atom, true));
        let (lower, upper) = if scale.is_negative() { (upper, lower) } else { (lower, upper) };
        let mut clause = vec![equality];
        let mut sides = Vec::with_capacity(2);
        for premises in [upper, lower] {
            let mut coeffs = vec![Rational::ZERO; clause.len()];
            for p in premises {
                let (lit, coeff) = self.encoder.premise(p);
                let n = clause.iter().position(|&l| l == !lit).unwrap_or_else(|| {
                    clause.push(!lit);
                    coeffs.push(Rational::ZERO);
                    clause.len() - 1
                });
                coeffs[n].add_mul(&coeff, &scale.abs());
            }
            sides.push(coeffs);
        }
        for coeffs in &mut sides {
            coeffs.resize(clause.len(), Rational::ZERO);
        }
        let lower = sides.pop().unwrap_or_default();
        let upper = sides.pop().unwrap_or_default();
        self.out.push(clause, Rule::Theory(Lemma::TightBounds { equality: 0, upper, lower }))
    }

    fn literal_of(&self, atom: crate::arith::AtomLit) -> Literal {
        let lit = self.encoder.sat.theory().lit_of_atom(atom).expect("a tied atom");
        self.encoder.literal(lit)
    }

    fn divisibility(&mut self, premises: &[crate::arith::FixedPremise], modulus: Rational) -> StepId {
        let mut clause: Vec<Literal> = Vec::new();
        let mut position = |lit: Literal| {
            clause.iter().position(|&l| l == !lit).unwrap_or_else(|| {
                clause.push(!lit);
                clause.len() - 1
            })
        };
        let mut out = Vec::with_capacity(premises.len());
        for p in premises {
            let scale = &self.encoder.scales[p.upper.atom.index()];
            let is_equality = self.encoder.sat.theory().arith.atom(p.upper.atom).relation == Relation::Eq
                && p.upper.positive;
            out.push(if is_equality {
                let first = position(self.literal_of(p.upper));
                EqualityPremise { first, second: None, coeff: &p.coeff / scale }
            } else {
                let lower_is_equality = self.encoder.sat.theory().arith.atom(p.lower.atom).relation
                    == Relation::Eq
                    && p.lower.positive;
                if lower_is_equality {
                    let scale = &self.encoder.scales[p.lower.atom.index()];
                    let first = position(self.literal_of(p.lower));
                    EqualityPremise { first, second: None, coeff: &p.coeff / scale }
                } else {
                    let first = position(self.literal_of(p.upper));
                    let second = Some(position(self.literal_of(p.lower)));
                    EqualityPremise { first, second, coeff: &p.coeff / &scale.abs() }
                }
            });
        }
        self.out.push(clause, Rule::Theory(Lemma::Divisibility { premises: out, modulus }))
    }

    fn term(&self, node: Node) -> Term {
        self.encoder.node_terms[node.index()]
    }

    /// For each path of a proof the step that derives the equality of its ends; none where that equality is
    /// itself an asserted literal.
    fn paths(&mut self, proof: &euf::Proof) -> Vec<Option<StepId>> {
        let mut done: Vec<Option<StepId>> = Vec::with_capacity(proof.paths().len());
        for path in proof.paths() {
            let edges = proof.edges(path);
            let step = match edges {
                [edge] => match edge.why {
                    Why::Literal(_) => None,
                    Why::Congruence(_) => Some(self.congruence(proof, *edge, &done)),
                },
                _ => Some(self.path(proof, edges.iter().copied().map(Leg::Edge), &done)),
            };
            done.push(step);
        }
        done
    }

    /// The step for a congruence edge.
    fn congruence(&mut self, proof: &euf::Proof, edge: euf::Edge, done: &[Option<StepId>]) -> StepId {
        let Why::Congruence(id) = edge.why else { unreachable!("a congruence edge") };
        let (f, g) = (self.term(edge.from), self.term(edge.to));
        let pairs: Vec<(Term, Term)> =
            self.store.args(f).iter().copied().zip(self.store.args(g).iter().copied()).collect();
        let mut clause = Vec::with_capacity(pairs.len() + 1);
        let mut resolve_with = Vec::new();
        for ((a, b), link) in pairs.into_iter().zip(proof.arguments(id)) {
            if a == b {
                continue;
            }
            let e = equality_literal(self.store, a, b);
            push_literal(self.store, &mut clause, !e);
            if let Some(step) = link.and_then(|path| done[path.index()]) {
                resolve_with.push((e, step));
            }
        }
        let conclusion = equality_literal(self.store, f, g);
        push_literal(self.store, &mut clause, conclusion);
        let start = self.out.push(clause, Rule::Theory(Lemma::Congruence(f, g)));
        self.resolve(start, &resolve_with)
    }

    /// The step for a path of legs: transitivity, then the derived equalities resolved in.
    fn path(
        &mut self,
        proof: &euf::Proof,
        legs: impl Iterator<Item = Leg>,
        done: &[Option<StepId>],
    ) -> StepId {
        let mut terms: Vec<Term> = Vec::new();
        let mut clause = Vec::new();
        let mut resolve_with: Vec<(Literal, StepId)> = Vec::new();
        for leg in legs {
            let (from, to, step) = match leg {
                Leg::Edge(edge) => {
                    let step = match edge.why {
                        Why::Literal(_) => None,
                        Why::Congruence(_) => Some(self.congruence(proof, edge, done)),
                    };
                    (self.term(edge.from), self.term(edge.to), step)
                }
                Leg::Claimed(a, b) => (self.term(a), self.term(b), None),
            };
            if terms.is_empty() {
                terms.push(from);
            }
            terms.push(to);
            let e = equality_literal(self.store, from, to);
            push_literal(self.store, &mut clause, !e);
            if let Some(step) = step {
                resolve_with.push((e, step));
            }
        }
        let (first, last) = (terms[0], terms[terms.len() - 1]);
        let conclusion = equality_literal(self.store, first, last);
        push_literal(self.store, &mut clause, conclusion);
        let start = self.out.push(clause, Rule::Theory(Lemma::Transitivity(terms)));
        self.resolve(start, &resolve_with)
    }

    /// Resolves a clause with derived equalities in turn; those that the clause does not need are skipped.
    fn resolve(&mut self, start: StepId, with: &[(Literal, StepId)]) -> StepId {
        let mut clause: Vec<Literal> = self.out.step(start).clause.to_vec();
        let mut chain = Vec::with_capacity(with.len());
        for &(pivot, step) in with {
            let Some(n) = clause.iter().position(|&l| l == !pivot) else { continue };
            if !self.out.step(step).clause.contains(&pivot) {
                continue;
            }
            clause.swap_remove(n);
            for &l in &self.out.step(step).clause {
                if l != pivot && !clause.contains(&l) {
                    clause.push(l);
                }
            }
            chain.push((pivot, step));
        }
        if chain.is_empty() {
            return start;
        }
        self.out.push(clause, Rule::Resolution { start, chain: chain.into() })
    }

    /// Resolves a clause with others in turn, where each may lack literals that the chain expects. The result is a subset
    /// of the resolvent of the whole clauses.
    fn resolve_stronger(
        &mut self,
        mut start: StepId,
        with: impl Iterator<Item = (Literal, StepId)>,
    ) -> StepId {
        let mut clause: BTreeSet<Literal> = self.literals(start);
        let mut chain: Vec<(Literal, StepId)> = Vec::new();
        for (pivot, step) in with {
            if !clause.contains(&!pivot) {
                continue;
            }
            let mut other = self.literals(step);
            if other.remove(&pivot) {
                clause.remove(&!pivot);
                clause.extend(other);
                chain.push((pivot, step));
            } else {
                (start, clause) = (step, other);
                chain.clear();
            }
        }
        if chain.is_empty() {
            return start;
        }
        self.out.push(clause.into_iter().collect::<Vec<_>>(), Rule::Resolution { start, chain: chain.into() })
    }

    fn literals(&self, step: StepId) -> BTreeSet<Literal> {
        self.out.step(step).clause.iter().copied().collect()
    }

    fn congruence_conflict(&mut self, conflict: &euf::Conflict) -> StepId {
        let done = self.paths(&conflict.proof);
        let path = conflict.path.expect("a conflict has a path");
        match done[path.index()] {
            Some(step) => step,
            None => {
                // One asserted equality between two different values.
                let edge = conflict.proof.edges(path)[0];
                self.path(&conflict.proof, [Leg::Edge(edge)].into_iter(), &done)
            }
        }
    }

    fn explanation(&mut self, explanation: &euf::Explanation) -> StepId {
        let proof = &explanation.proof;
        let done = self.paths(proof);
        match explanation.claim {
            Claim::Equal { path, .. } => {
                let path = path.expect("a propagated equality has a path");
                match done[path.index()] {
                    Some(step) => step,
                    None => {
                        let edge = proof.edges(path)[0];
                        self.path(proof, [Leg::Edge(edge)].into_iter(), &done)
                    }
                }
            }
            Claim::Unequal { a, b, apart, left, right } => {
                let legs = self.unequal_legs(proof, (a, b), (apart.left, apart.right), left, right);
                debug_assert!(matches!(apart.why, ApartWhy::Asserted(_) | ApartWhy::Values));
                self.path(proof, legs.into_iter(), &done)
            }
        }
    }

    /// From the left of the two nodes that are apart to `a`, over the claimed equality to `b`, to the right one.
    fn unequal_legs(
        &self,
        proof: &euf::Proof,
        (a, b): (Node, Node),
        (left_end, _right_end): (Node, Node),
        left: Link,
        right: Link,
    ) -> Vec<Leg> {
        let mut legs: Vec<Leg> = Vec::new();
        if left.is_some() {
            legs.extend(proof.walk(left, left_end).map(Leg::Edge));
        }
        legs.push(Leg::Claimed(a, b));
        if right.is_some() {
            legs.extend(proof.walk(right, b).map(Leg::Edge));
        }
        legs
    }
}

/// One step of a path: an edge of the congruence closure, or the equality that an explanation refutes.
#[derive(Copy, Clone)]
enum Leg {
    Edge(euf::Edge),
    Claimed(Node, Node),
}

/// Adds a literal to a clause unless it is there or is false.
fn push_literal(store: &Store, clause: &mut Vec<Literal>, l: Literal) {
    let is_false = store.as_bool(l.atom()).is_some_and(|v| v != l.is_positive());
    if !is_false && !clause.contains(&l) {
        clause.push(l);
    }
}
