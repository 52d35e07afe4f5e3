//! One solver for each rule: its constraint is encoded once, the annotations of its premises once each.

use super::Annotator;
use bolide_smt::{Answer, Solver};
use bolide_term::{Sort, Term};
use rustc_hash::FxHashMap;

/// After so many queries a solver has seen too many formulas that are of no use any more.
const QUERIES: u32 = 400;

/// A solver that knows the constraint of a rule.
pub struct RuleSolver {
    pub solver: Solver,
    /// For each premise and conjunct the literal under which it holds, and the conjunct at the premise.
    known: FxHashMap<(usize, Term), (Term, Term)>,
    queries: u32,
}

impl RuleSolver {
    pub fn new(constraint: Term) -> RuleSolver {
        let mut solver = Solver::default();
        solver.assert(constraint);
        RuleSolver { solver, known: FxHashMap::default(), queries: 0 }
    }
}

impl Annotator<'_> {
    /// The annotations of the premises of a rule that have so many steps: literals to assume, and what they stand for.
    pub fn premises(&mut self, rule: usize, steps: usize) -> Vec<(Term, Term)> {
        let clause = &self.horn.clauses[rule];
        let own = &mut self.solvers[rule];
        own.queries += 1;
        if own.queries > QUERIES {
            *own = RuleSolver::new(clause.constraint);
        }
        let mut out = Vec::new();
        for (n, atom) in clause.body.iter().enumerate() {
            for &conjunct in &self.annotations[atom.pred.index()][steps] {
                let entry = match own.known.get(&(n, conjunct)) {
                    Some(&entry) => entry,
                    None => {
                        let here = self.horn.instantiate(self.store, conjunct, atom);
                        let literal = self.store.fresh_var("holds", Sort::BOOL);
                        let guarded = self.store.implies(literal, here);
                        own.solver.assert(guarded);
                        own.known.insert((n, conjunct), (literal, here));
                        (literal, here)
                    }
                };
                out.push(entry);
            }
        }
        out
    }

    /// Do all rules give an instance only facts that satisfy a formula?
    pub fn holds_at(&mut self, pred: usize, formula: Term, steps: usize) -> Result<bool, String> {
        for n in 0..self.rules[pred].len() {
            let rule = self.rules[pred][n];
            let Some(head) = &self.horn.clauses[rule].head else { continue };
            if steps <= 1 && !self.horn.clauses[rule].body.is_empty() {
                continue;
            }
            let here = self.horn.instantiate(self.store, formula, head);
            let mut assumptions = vec![self.store.not(here)];
            assumptions.extend(self.premises(rule, steps.saturating_sub(1)).iter().map(|p| p.0));
            match self.solvers[rule].solver.check_assuming(self.store, &assumptions, self.budget) {
                Answer::Unsat => {}
                Answer::Sat => return Ok(false),
                Answer::Unknown(reason) => return Err(reason.to_string()),
            }
        }
        Ok(true)
    }

    /// Copies the annotation of the instance before this one where all rules allow it. What was refused before is tried
    /// again only on demand, and only if more is known about the premises.
    pub fn propagate_to(&mut self, pred: usize, steps: usize, again: bool) -> Result<(), String> {
        if steps < 2 {
            return Ok(());
        }
        for n in 0..self.annotations[pred][steps - 1].len() {
            let formula = self.annotations[pred][steps - 1][n];
            if self.annotations[pred][steps].contains(&formula) {
                continue;
            }
            let known = self.known_about_premises(pred, steps - 1);
            if self.refused.get(&(pred, steps, formula)).is_some_and(|&k| !again || k == known) {
                continue;
            }
            if self.holds_at(pred, formula, steps)? {
                self.annotations[pred][steps].push(formula);
            } else {
                self.refused.insert((pred, steps, formula), known);
            }
        }
        Ok(())
    }

    /// How many conjuncts annotate the premises of a predicate's rules that have so many steps; it only grows.
    fn known_about_premises(&self, pred: usize, steps: usize) -> usize {
        let bodies = self.rules[pred].iter().flat_map(|&r| &self.horn.clauses[r].body);
        bodies.map(|a| self.annotations[a.pred.index()][steps].len()).sum()
    }
}
