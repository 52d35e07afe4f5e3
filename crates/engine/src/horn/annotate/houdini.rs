//! Convergence: the largest inductive subset of the annotations (Flanagan and Leino, *Houdini*,
//! FME 2001).

use super::Annotator;
use crate::horn::frames::Stop;
use bolide_model::horn::Interpretation;
use bolide_smt::{Answer, Solver};
use bolide_term::{Evaluator, Sort, Term};

impl Annotator<'_> {
    /// The largest inductive subset of the annotations, if it is a solution.
    pub fn inductive_subset(&mut self) -> Result<Option<Interpretation>, Stop> {
        let mut candidates: Vec<Vec<Term>> = vec![Vec::new(); self.horn.preds.len()];
        for l in self.known.lemmas.iter().filter(|l| l.alive && l.pred < self.horn.preds.len()) {
            candidates[l.pred].push(l.formula);
        }
        self.shrink(&mut candidates)?;
        let formulas: Vec<Term> = candidates.iter().map(|c| self.known.store.and(c)).collect();
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

    /// Removes candidates until the rest is inductive.
    fn shrink(&mut self, candidates: &mut [Vec<Term>]) -> Result<(), Stop> {
        let mut acts: Vec<Vec<Term>> = Vec::new();
        for own in candidates.iter() {
            acts.push(own.iter().map(|_| self.known.store.fresh_var("candidate", Sort::BOOL)).collect());
        }
        let mut solvers: Vec<(usize, Solver)> = Vec::new();
        for (n, c) in self.horn.clauses.iter().enumerate().filter(|(_, c)| c.head.is_some()) {
            let mut solver = Solver::default();
            solver.assert(c.constraint);
            for a in &c.body {
                for (&f, &act) in candidates[a.pred.index()].iter().zip(&acts[a.pred.index()]) {
                    let here = self.horn.instantiate(self.known.store, f, a);
                    let guarded = self.known.store.implies(act, here);
                    solver.assert(guarded);
                }
            }
            solvers.push((n, solver));
        }
        let mut alive: Vec<Vec<bool>> = candidates.iter().map(|c| vec![true; c.len()]).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (n, solver) in &mut solvers {
                let c = &self.horn.clauses[*n];
                let Some(head) = &c.head else { continue };
                let p = head.pred.index();
                for k in 0..candidates[p].len() {
                    if !alive[p][k] {
                        continue;
                    }
                    let mut assumptions = Vec::new();
                    for a in &c.body {
                        let q = a.pred.index();
                        assumptions
                            .extend(acts[q].iter().zip(&alive[q]).filter(|(_, l)| **l).map(|(&t, _)| t));
                    }
                    let here = self.horn.instantiate(self.known.store, candidates[p][k], head);
                    assumptions.push(self.known.store.not(here));
                    match solver.check_assuming(self.known.store, &assumptions, self.known.budget) {
                        Answer::Unsat => continue,
                        Answer::Unknown(reason) => return Err(Stop::Solver(reason)),
                        Answer::Sat => {}
                    }
                    changed = true;
                    // The model may refute other candidates as well.
                    let model = solver.model().cloned().unwrap_or_default();
                    for j in k..candidates[p].len() {
                        let here = self.horn.instantiate(self.known.store, candidates[p][j], head);
                        if alive[p][j] && Evaluator::new(self.known.store, &model).holds(here) == Ok(false) {
                            alive[p][j] = false;
                        }
                    }
                    alive[p][k] = false;
                }
            }
        }
        for (own, alive) in candidates.iter_mut().zip(&alive) {
            let mut n = 0;
            own.retain(|_| {
                n += 1;
                alive[n - 1]
            });
        }
        Ok(())
    }
}
