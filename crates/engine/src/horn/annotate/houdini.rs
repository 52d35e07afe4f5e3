//! Convergence: the largest inductive subset of the annotations (Flanagan and Leino, *Houdini*,
//! FME 2001).

use super::Annotator;
use crate::horn::frames::Stop;
use bolide_model::horn::Interpretation;
use bolide_smt::{Answer, Solver};
use bolide_term::Term;

impl Annotator<'_> {
    /// The largest inductive subset of the annotations, if it is a solution.
    pub fn inductive_subset(&mut self) -> Result<Option<Interpretation>, Stop> {
        let mut candidates: Vec<Vec<Term>> = vec![Vec::new(); self.known.preds.len()];
        for l in self.known.lemmas.iter().filter(|l| l.alive && l.pred < self.horn.preds.len()) {
            candidates[l.pred].push(l.formula);
        }
        let budget = self.known.budget;
        self.known.keep_inductive(&mut candidates, budget)?;
        let formulas: Vec<Term> =
            candidates[..self.horn.preds.len()].iter().map(|c| self.known.store.and(c)).collect();
        let solution = Interpretation::new(formulas);
        for n in self.known.preds[self.known.error()].rules.clone() {
            if !self.clause_holds(n, &solution)? {
                return Ok(None);
            }
        }
        Ok(Some(solution))
    }

    /// Is a query contradicted by an interpretation?
    fn clause_holds(&mut self, clause: usize, i: &Interpretation) -> Result<bool, Stop> {
        let c = &self.horn.clauses[clause];
        let mut solver = Solver::default();
        solver.assert(c.constraint);
        for a in &c.body {
            let f = self.horn.instantiate(self.known.store, i.formulas[a.pred.index()], a);
            solver.assert(f);
        }
        match solver.check_unconfirmed(self.known.store, &[], self.known.budget) {
            Answer::Unknown(reason) => Err(Stop::Solver(reason)),
            answer => Ok(answer == Answer::Unsat),
        }
    }
}
