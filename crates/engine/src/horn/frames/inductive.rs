//! Facts that are inductive together (Flanagan and Leino, *Houdini*, FME 2001): lemmas that need no level, and facts of others that become such
//! lemmas.

use super::rule::ALWAYS;
use super::{Frames, Stop};
use bolide_base::Budget;
use bolide_smt::{Answer, Solver};
use bolide_term::{Evaluator, Op, Sort, Store, Term};
use rustc_hash::FxHashSet;

/// The steps that a search for facts that are inductive together may take.
const STEPS: u64 = 20_000;

impl Frames<'_> {
    /// Removes candidates, in lists by predicate, until the rest is inductive together with the lemmas that always hold.
    pub fn keep_inductive(&mut self, candidates: &mut [Vec<Term>], budget: &Budget) -> Result<(), Stop> {
        let mut acts: Vec<Vec<Term>> = Vec::new();
        for own in candidates.iter() {
            acts.push(own.iter().map(|_| self.store.fresh_var("candidate", Sort::BOOL)).collect());
        }
        let error = self.error();
        let mut solvers: Vec<(usize, Solver)> = Vec::new();
        for n in 0..self.rules.len() {
            let head = self.rules[n].head;
            if head != error && !candidates[head].is_empty() {
                solvers.push((n, self.knowing(n, candidates, &acts)));
            }
        }
        let mut alive: Vec<Vec<bool>> = candidates.iter().map(|c| vec![true; c.len()]).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (n, solver) in &mut solvers {
                let Frames { store, rules, .. } = self;
                let rule = &mut rules[*n];
                let p = rule.head;
                for k in 0..candidates[p].len() {
                    if !alive[p][k] {
                        continue;
                    }
                    let mut assumptions = Vec::new();
                    for q in rule.premises.iter().map(|p| p.pred) {
                        assumptions
                            .extend(acts[q].iter().zip(&alive[q]).filter(|(_, l)| **l).map(|(&t, _)| t));
                    }
                    let here = rule.at_head(store, candidates[p][k]);
                    assumptions.push(store.not(here));
                    match solver.check_assuming(store, &assumptions, budget) {
                        Answer::Unsat => continue,
                        Answer::Unknown(reason) => return Err(Stop::Solver(reason)),
                        Answer::Sat => {}
                    }
                    changed = true;
                    // The model may refute other candidates as well.
                    let model = solver.model().cloned().unwrap_or_default();
                    for j in k..candidates[p].len() {
                        let here = rule.at_head(store, candidates[p][j]);
                        if alive[p][j] && Evaluator::new(store, &model).holds(here) == Ok(false) {
                            alive[p][j] = false;
                        }
                    }
                    alive[p][k] = false;
                }
            }
        }
        for (own, alive) in candidates.iter_mut().zip(&alive) {
            let mut alive = alive.iter();
            own.retain(|_| alive.next() == Some(&true));
        }
        Ok(())
    }

    /// A solver that knows a rule, what always holds of its premises, and the candidates about them under literals.
    fn knowing(&mut self, rule: usize, candidates: &[Vec<Term>], acts: &[Vec<Term>]) -> Solver {
        let Frames { store, rules, preds, lemmas, .. } = self;
        let rule = &mut rules[rule];
        let mut solver = Solver::default();
        solver.assert(rule.constraint);
        for premise in &mut rule.premises {
            let q = premise.pred;
            for l in preds[q].lemmas.iter().map(|&n| &lemmas[n]).filter(|l| l.alive && l.level == ALWAYS) {
                solver.assert(premise.at(store, l.formula));
            }
            for (&f, &act) in candidates[q].iter().zip(&acts[q]) {
                let here = premise.at(store, f);
                solver.assert(store.implies(act, here));
            }
        }
        solver
    }

    /// Finds lemmas that are inductive together. They hold always from now on, and are returned with their predicates.
    pub fn find_invariants(&mut self) -> Result<Vec<(usize, Term)>, Stop> {
        let error = self.error();
        let mut candidates: Vec<Vec<Term>> = vec![Vec::new(); self.preds.len()];
        for l in self.lemmas.iter().filter(|l| l.alive && l.level != ALWAYS && l.pred != error) {
            candidates[l.pred].push(l.formula);
        }
        self.keep_some(&mut candidates)?;
        let mut found = Vec::new();
        for n in 0..self.lemmas.len() {
            let l = &self.lemmas[n];
            if l.alive && l.level != ALWAYS && candidates[l.pred].contains(&l.formula) {
                found.push((l.pred, l.formula));
                self.raise(n, ALWAYS);
            }
        }
        Ok(found)
    }

    /// Makes lemmas of those facts of others that are inductive together here. Says how many there are.
    pub fn adopt(&mut self, facts: Vec<(usize, Term)>) -> Result<u64, Stop> {
        let error = self.error();
        let mut candidates: Vec<Vec<Term>> = vec![Vec::new(); self.preds.len()];
        for (pred, fact) in facts {
            if pred >= error || self.preds[pred].rules.is_empty() {
                continue;
            }
            for part in self.store.conjuncts(fact) {
                if self.speaks_of(pred, part) && !candidates[pred].contains(&part) {
                    candidates[pred].push(part);
                }
            }
        }
        self.keep_some(&mut candidates)?;
        let mut adopted = 0;
        for (pred, own) in candidates.into_iter().enumerate() {
            for fact in own {
                let cube = cube_against(self.store, fact);
                let subsumed = self.preds[pred].lemmas.iter().map(|&n| &self.lemmas[n]);
                if !subsumed.clone().any(|l| l.level == ALWAYS && l.cube.iter().all(|c| cube.contains(c))) {
                    self.add_lemma(pred, cube, ALWAYS);
                    adopted += 1;
                }
            }
        }
        Ok(adopted)
    }

    /// The inductive ones among candidates; none if that cannot be found out soon.
    fn keep_some(&mut self, candidates: &mut [Vec<Term>]) -> Result<(), Stop> {
        if candidates.iter().all(Vec::is_empty) {
            return Ok(());
        }
        let limited = self.budget.clone().with_steps(STEPS);
        if let Err(stop) = self.keep_inductive(candidates, &limited) {
            if self.budget.exhausted() {
                return Err(stop);
            }
            candidates.iter_mut().for_each(Vec::clear);
        }
        Ok(())
    }

    /// Are all constants of a formula parameters of a predicate?
    fn speaks_of(&self, pred: usize, formula: Term) -> bool {
        let params: FxHashSet<_> =
            self.preds[pred].params.iter().filter_map(|&p| self.store.as_var(p)).collect();
        self.store.symbols([formula]).iter().all(|f| params.contains(f))
    }
}

/// The literals that a fact excludes together.
fn cube_against(store: &mut Store, fact: Term) -> Vec<Term> {
    let literals = if store.op(fact) == Op::Or { store.args(fact).to_vec() } else { vec![fact] };
    if fact == store.fls() {
        return Vec::new();
    }
    literals.into_iter().map(|l| store.not(l)).collect()
}
