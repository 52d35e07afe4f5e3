//! The lazy loop between the SAT solver and the split prover.

use super::abstraction::Abstraction;
use super::language::Language;
use super::lemmas::Lemma;
use super::nodes::{Claim, Nodes};
use super::prover::{Hypothesis, Outcome, Prover};
use super::vocabulary::{Range, Vocabulary};
use crate::{Config, Failure, Tree, interpolate_refutation, tidy};
use bolide_base::Budget;
use bolide_smt::{Answer, Reason, Solver, implicant};
use bolide_term::{Model, Store, Term, Value};
use rustc_hash::FxHashSet;

/// So many case splits are made at once.
const SPLITS_AT_ONCE: usize = 8;

/// So many case splits are made at most.
const MAX_SPLITS: usize = 512;

/// How an attempt ended.
pub(super) enum Verdict {
    Interpolants(Vec<Term>),
    /// An assignment could not be refuted by facts of the language.
    Open,
}

/// One attempt to refute the parts.
pub(super) struct Refuter<'a> {
    pub store: &'a mut Store,
    pub prover: Prover,
    pub abstraction: Abstraction,
    pub budget: &'a Budget,
    config: &'a Config,
    solver: Solver,
    /// The part of each assertion of the solver.
    part_of: Vec<usize>,
    /// The abstracted parts.
    formulas: Vec<Term>,
    /// Proxies whose values the prover is told although no part needs them: the case splits.
    decided: Vec<Term>,
    asserted: FxHashSet<(u32, Term)>,
    parts: usize,
}

impl<'a> Refuter<'a> {
    pub fn new(
        store: &'a mut Store,
        parts: &[Term],
        language: &Language,
        config: &'a Config,
        budget: &'a Budget,
    ) -> Refuter<'a> {
        let mut vocabulary = Vocabulary::new(store, parts);
        let mut abstraction = Abstraction::new(store, &vocabulary, parts.len());
        let mut plain = Vec::with_capacity(parts.len());
        for (n, &p) in parts.iter().enumerate() {
            plain.push(abstraction.without_choices(store, &mut vocabulary, n, p));
        }
        let nodes = Nodes::new(store, vocabulary, language.clone());
        let solver =
            Solver::new(bolide_smt::Config { proofs: true, seed: config.seed, ..Default::default() });
        let mut refuter = Refuter {
            store,
            prover: Prover::new(nodes),
            abstraction,
            budget,
            config,
            solver,
            part_of: Vec::new(),
            formulas: Vec::new(),
            decided: Vec::new(),
            asserted: FxHashSet::default(),
            parts: parts.len(),
        };
        for (n, p) in plain.into_iter().enumerate() {
            let formula = refuter.abstracted(n as u32, p);
            refuter.formulas.push(formula);
            refuter.solver.assert(formula);
            refuter.part_of.push(n);
        }
        refuter
    }

    fn abstracted(&mut self, part: u32, formula: Term) -> Term {
        self.abstraction.formula(self.store, &self.prover.nodes, part, formula)
    }

    /// Refutes assignment after assignment.
    pub fn refute(&mut self) -> Result<Verdict, Failure> {
        loop {
            match self.solver.check(self.store, self.budget) {
                Answer::Unsat => return self.interpolants().map(Verdict::Interpolants),
                Answer::Unknown(reason) => return Err(Failure::Unknown(reason)),
                Answer::Sat => {}
            }
            let model = self.solver.model().cloned().unwrap_or_default();
            let Some(hypotheses) = self.hypotheses(&model) else { return Ok(Verdict::Open) };
            match self.saturate(&hypotheses)? {
                Outcome::Refuted(f) => {
                    let lemmas = self.prover.lemmas(self.store, f);
                    if !self.learn(&lemmas) {
                        return Ok(Verdict::Open);
                    }
                }
                Outcome::Open(pairs) => {
                    if !self.split_cases(&pairs) {
                        return Ok(Verdict::Open);
                    }
                }
            }
        }
    }

    pub fn saturate(&mut self, hypotheses: &[Hypothesis]) -> Result<Outcome, Failure> {
        self.prover
            .saturate(self.store, hypotheses, self.budget)
            .map_err(|i| Failure::Unknown(Reason::Interrupted(i)))
    }

    /// The literals by which an assignment satisfies the parts.
    fn hypotheses(&mut self, model: &Model) -> Option<Vec<Hypothesis>> {
        let mut literals = implicant(self.store, &self.formulas, model)?;
        for &proxy in &self.decided {
            let f = self.store.as_var(proxy)?;
            let holds = matches!(model.value(f), Some(Value::Bool(true)));
            literals.push(if holds { proxy } else { self.store.not(proxy) });
        }
        let everywhere = self.prover.nodes.vocabulary.everywhere();
        let mut out = Vec::with_capacity(literals.len());
        for l in literals {
            if let Some((literal, part)) = self.abstraction.proxies.meaning(self.store, l) {
                let range = part.map_or(everywhere, |p| Range { first: p, last: p });
                out.push(Hypothesis { literal, range });
            }
        }
        Some(out)
    }

    /// Adds lemmas to their parts. False if all of them were there.
    pub fn learn(&mut self, lemmas: &[Lemma]) -> bool {
        let before = self.part_of.len();
        for lemma in lemmas {
            let mut clause: Vec<Term> = lemma.premises.iter().map(|&p| self.store.not(p)).collect();
            clause.extend(lemma.conclusion);
            let clause = self.store.or(&clause);
            if self.asserted.insert((lemma.part, clause)) {
                let formula = self.abstracted(lemma.part, clause);
                self.solver.assert(formula);
                self.part_of.push(lemma.part as usize);
            }
        }
        self.part_of.len() > before
    }

    /// Has the SAT solver decide how some pairs of terms compare. False if it decides all of them already.
    fn split_cases(&mut self, pairs: &[(Claim, u32)]) -> bool {
        let before = self.decided.len();
        for (claim, part) in pairs {
            if self.decided.len() >= MAX_SPLITS || self.decided.len() >= before + SPLITS_AT_ONCE {
                break;
            }
            let opposite = match claim {
                Claim::Bound { u, v, c, strict } => {
                    Some(Claim::Bound { u: *v, v: *u, c: -c, strict: *strict })
                }
                _ => None,
            };
            for claim in [Some(claim.clone()), opposite].into_iter().flatten() {
                let literal = self.prover.nodes.literal(self.store, &claim);
                let formula = self.abstracted(*part, literal);
                let proxy = self.store.literal(formula).0;
                if self.store.as_var(proxy).is_some() && !self.decided.contains(&proxy) {
                    self.decided.push(proxy);
                }
            }
        }
        self.decided.len() > before
    }

    /// The interpolants of the abstracted parts and lemmas, with atoms again.
    fn interpolants(&mut self) -> Result<Vec<Term>, Failure> {
        let refutation = self
            .solver
            .refutation(self.store)
            .map_err(|reason| Failure::NotInterpolable { cut: 0, reason })?;
        let tree = Tree::sequence(self.parts);
        let config = Config { verify: false, ..self.config.clone() };
        let found =
            interpolate_refutation(self.store, &refutation, &self.part_of, &tree, &config, self.budget)?;
        let concrete = self.abstraction.proxies.concrete(self.store, &found);
        Ok(concrete.into_iter().map(|t| tidy::tidy(self.store, t)).collect())
    }
}
