//! The lazy loop between the SAT solver and the split prover.

use super::abstraction::{Abstraction, with_divisions};
use super::language::Language;
use super::nodes::{Claim, Nodes};
use super::prover::{FactId, Hypothesis, Outcome, Prover};
use super::vocabulary::{Range, Vocabulary};
use crate::{Config, Failure, Tree, interpolate_refutation, tidy};
use bolide_base::Budget;
use bolide_smt::{Answer, Reason, Solver, implicant};
use bolide_term::{Func, Model, Store, Term, Value};
use rustc_hash::FxHashSet;

/// So many case splits are made at once.
const SPLITS_AT_ONCE: usize = 8;

/// So many case splits are made at most.
const MAX_SPLITS: usize = 512;

/// So many conflicts that could not be split are tried first.
const MAX_SUSPECTS: usize = 4;

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
    /// Decides the abstracted parts and the lemmas.
    solver: Solver,
    /// Finds small conflicts among literals.
    theory: Solver,
    /// Proxies of conflicts that could not be split.
    suspects: Vec<Vec<Term>>,
    /// The part of each assertion of the solver.
    part_of: Vec<usize>,
    /// The parts without choices between terms.
    plain: Vec<Term>,
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
        kept: &[(Func, usize)],
        language: &Language,
        config: &'a Config,
        budget: &'a Budget,
    ) -> Refuter<'a> {
        let mut vocabulary = Vocabulary::new(store, parts, kept);
        let mut abstraction = Abstraction::new(store, &vocabulary, parts.len());
        let mut plain = Vec::with_capacity(parts.len());
        for (n, &p) in parts.iter().enumerate() {
            let p = abstraction.without_choices(store, &mut vocabulary, n, p);
            plain.push(with_divisions(store, p));
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
            theory: Solver::default(),
            suspects: Vec::new(),
            part_of: Vec::new(),
            plain,
            formulas: Vec::new(),
            decided: Vec::new(),
            asserted: FxHashSet::default(),
            parts: parts.len(),
        };
        for n in 0..parts.len() {
            let p = refuter.plain[n];
            let formula = refuter.abstracted(n as u32, p);
            refuter.formulas.push(formula);
            refuter.solver.assert(formula);
            refuter.part_of.push(n);
        }
        refuter.abstraction.all_parts_seen();
        refuter
    }

    fn abstracted(&mut self, part: u32, formula: Term) -> Term {
        self.abstraction.formula(self.store, &self.prover.nodes, part, formula)
    }

    /// Refutes assignment after assignment. Those that contain a conflict which could not be split come first, since
    /// they are the ones that may turn out to be irrefutable.
    pub fn refute(&mut self) -> Result<Verdict, Failure> {
        loop {
            let assumptions = self.suspects.last().cloned().unwrap_or_default();
            match self.solver.check_assuming(self.store, &assumptions, self.budget) {
                Answer::Unsat if self.suspects.pop().is_some() => continue,
                Answer::Unsat => return self.interpolants().map(Verdict::Interpolants),
                Answer::Unknown(reason) => return Err(Failure::Unknown(reason)),
                Answer::Sat => {}
            }
            let model = self.solver.model().cloned().unwrap_or_default();
            let Some(hypotheses) = self.hypotheses(&model) else { return Ok(Verdict::Open) };
            match self.refute_assignment(&hypotheses)? {
                Outcome::Refuted(f) => {
                    if !self.learn(&f)? {
                        return Ok(Verdict::Open);
                    }
                }
                Outcome::Open(pairs) => {
                    if !self.split_cases(&pairs) && !self.try_sums() && !self.refute_by_sums(&hypotheses)? {
                        return Ok(Verdict::Open);
                    }
                }
            }
        }
    }

    /// Has the prover refute an assignment: first those of its literals that an ordinary refutation needs, for they are
    /// few; only if these have no split proof, all.
    fn refute_assignment(&mut self, hypotheses: &[Hypothesis]) -> Result<Outcome, Failure> {
        let literals: Vec<Term> = hypotheses.iter().map(|h| h.literal).collect();
        if self.theory.check_assuming(self.store, &literals, self.budget) == Answer::Unsat {
            let core: FxHashSet<Term> = self.theory.core().iter().copied().collect();
            let needed: Vec<Hypothesis> =
                hypotheses.iter().copied().filter(|h| core.contains(&h.literal)).collect();
            if let refuted @ Outcome::Refuted(_) = self.saturate(&needed)? {
                return Ok(refuted);
            }
        }
        self.saturate(hypotheses)
    }

    /// Has the prover reason about sums, where two bounds may have one in the language when neither of them is in it.
    /// False if it did before.
    fn try_sums(&mut self) -> bool {
        !std::mem::replace(&mut self.prover.nodes.octagonal, true)
    }

    /// Remembers a conflict that could not be split.
    pub fn suspect(&mut self, hypotheses: &[Hypothesis]) {
        if self.suspects.len() < MAX_SUSPECTS {
            let proxies = hypotheses.iter().map(|h| self.abstracted(h.origin.first, h.literal)).collect();
            self.suspects.push(proxies);
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
                let range = part.map_or(everywhere, Range::of);
                let origin = self.abstraction.origin(self.store.literal(literal).0).unwrap_or(range);
                out.push(Hypothesis { literal, range, origin });
            }
        }
        Some(out)
    }

    /// Adds the lemmas behind one of some contradictions to their parts. False if all of them were there.
    pub fn learn(&mut self, contradictions: &[FactId]) -> Result<bool, Failure> {
        let before = self.part_of.len();
        let checked = self.config.verify.then_some(&self.plain[..]);
        let lemmas = self.prover.refuting_lemmas(self.store, contradictions, checked)?;
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
        Ok(self.part_of.len() > before)
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
            .map_err(|e| Failure::NotInterpolable { cut: 0, reason: e.to_string() })?;
        let tree = Tree::sequence(self.parts);
        let config = Config { verify: false, ..self.config.clone() };
        let found =
            interpolate_refutation(self.store, &refutation, &self.part_of, &tree, &config, self.budget)?;
        let concrete = self.abstraction.proxies.concrete(self.store, &found);
        Ok(concrete.into_iter().map(|t| tidy::tidy(self.store, t)).collect())
    }
}
