//! Convergence: propagation of annotations, and the largest inductive subset of them (Flanagan and Leino, *Houdini*,
//! FME 2001).

use super::Annotator;
use bolide_model::horn::Interpretation;
use bolide_smt::{Answer, Solver};
use bolide_term::{Evaluator, Op, Sort, Term};
use rustc_hash::FxHashSet;

impl Annotator<'_> {
    /// A solution from the annotations of all instances, if they contain one.
    pub fn converge(&mut self, bound: usize) -> Result<Option<Interpretation>, String> {
        if self.config.propagate {
            for steps in 2..=bound {
                for pred in 0..self.horn.preds.len() {
                    self.propagate_to(pred, steps, true)?;
                }
            }
        }
        let mut candidates: Vec<Vec<Term>> = Vec::new();
        for instances in &self.annotations[..self.horn.preds.len()] {
            let mut seen = FxHashSet::default();
            let mut own = Vec::new();
            let mut todo: Vec<Term> = instances[1..].iter().flatten().copied().collect();
            while let Some(t) = todo.pop() {
                match self.store.op(t) {
                    Op::And => todo.extend(self.store.args(t)),
                    _ if seen.insert(t) => own.push(t),
                    _ => {}
                }
            }
            candidates.push(own);
        }
        self.shrink(&mut candidates)?;
        let formulas: Vec<Term> = candidates.iter().map(|c| self.store.and(c)).collect();
        let solution = Interpretation { formulas };
        for n in self.rules[self.horn.preds.len()].clone() {
            if !self.clause_holds(n, &solution)? {
                return Ok(None);
            }
        }
        Ok(Some(solution))
    }

    /// Is a query contradicted by an interpretation?
    fn clause_holds(&mut self, clause: usize, i: &Interpretation) -> Result<bool, String> {
        let c = &self.horn.clauses[clause];
        let mut solver = Solver::default();
        solver.assert(c.constraint);
        for a in &c.body {
            let f = self.horn.instantiate(self.store, i.formulas[a.pred.index()], a);
            solver.assert(f);
        }
        match solver.check(self.store, self.budget) {
            Answer::Unknown(reason) => Err(reason.to_string()),
            answer => Ok(answer == Answer::Unsat),
        }
    }

    /// Removes candidates until the rest is inductive.
    fn shrink(&mut self, candidates: &mut [Vec<Term>]) -> Result<(), String> {
        let mut acts: Vec<Vec<Term>> = Vec::new();
        for own in candidates.iter() {
            acts.push(own.iter().map(|_| self.store.fresh_var("candidate", Sort::BOOL)).collect());
        }
        let mut solvers: Vec<(usize, Solver)> = Vec::new();
        for (n, c) in self.horn.clauses.iter().enumerate().filter(|(_, c)| c.head.is_some()) {
            let mut solver = Solver::default();
            solver.assert(c.constraint);
            for a in &c.body {
                for (&f, &act) in candidates[a.pred.index()].iter().zip(&acts[a.pred.index()]) {
                    let here = self.horn.instantiate(self.store, f, a);
                    let guarded = self.store.implies(act, here);
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
                    let here = self.horn.instantiate(self.store, candidates[p][k], head);
                    assumptions.push(self.store.not(here));
                    match solver.check_assuming(self.store, &assumptions, self.budget) {
                        Answer::Unsat => continue,
                        Answer::Unknown(reason) => return Err(reason.to_string()),
                        Answer::Sat => {}
                    }
                    changed = true;
                    // The model may refute other candidates as well.
                    let model = solver.model().cloned().unwrap_or_default();
                    for j in k..candidates[p].len() {
                        let here = self.horn.instantiate(self.store, candidates[p][j], head);
                        if alive[p][j] && Evaluator::new(self.store, &model).holds(here) == Ok(false) {
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
