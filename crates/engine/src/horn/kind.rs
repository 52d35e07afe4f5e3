//! k-induction on linear clauses (Sheeran, Singh, Stålmarck, *Checking safety properties using induction and a SAT
//! solver*, FMCAD 2000).
//!
//! If no bad state is reached in fewer than `k` steps, and none follows `k` states in a row that are not bad, there is no
//! bad state at all. The solution is then the set of states from which no path of fewer than `k` steps leads to a bad one:
//! it has the initial states by the first, and is closed by the second. It is computed backwards, by enumerating
//! projections.

use super::HornVerdict;
use super::moves::{Case, Moves, State, any, derivation};
use crate::Verdict;
use bolide_base::{Budget, Gauge, Stats};
use bolide_model::horn::{Horn, Interpretation};
use bolide_smt::{Answer, Solver, project};
use bolide_term::{Store, Term};

/// A set of states of more projections is given up.
const MAX_PROJECTIONS: usize = 2000;

/// Searches for a solution or a derivation of linear clauses.
pub fn solve(store: &mut Store, horn: &Horn, budget: &Budget, stats: &mut Stats) -> HornVerdict {
    let Some(moves) = Moves::new(store, horn) else {
        return Verdict::Unknown("the clauses are not a transition system".into());
    };
    let states = vec![moves.here.clone()];
    let mut induction = Induction { store, moves, budget, states, steps: Vec::new() };
    let result = induction.run();
    stats.count("kind depth", induction.states.len() as u64);
    result.unwrap_or_else(Verdict::Unknown)
}

struct Induction<'a> {
    store: &'a mut Store,
    moves: Moves<'a>,
    budget: &'a Budget,
    /// States of a path, the first over the parameters themselves.
    states: Vec<State>,
    /// From each state to the next.
    steps: Vec<Vec<Case>>,
}

impl Induction<'_> {
    fn run(&mut self) -> Result<HornVerdict, String> {
        let outright = self.moves.outright(self.store);
        let mut nothing = Solver::default();
        if let Some(found) = self.ends(&mut nothing, vec![outright])? {
            return Ok(found);
        }
        let here = self.moves.here.clone();
        let initial = self.moves.initial(self.store, &here);
        let bad = self.moves.bad(self.store, &here);
        let bad = any(self.store, &bad);
        let bad = self.projected(bad)?;
        let (mut base, mut step) = (Solver::default(), Solver::default());
        let start = any(self.store, &initial);
        base.assert(start);
        let mut path = vec![initial];
        loop {
            self.budget.note(Gauge::Depth, self.states.len() as u64);
            let last = self.states[self.states.len() - 1].clone();
            let end = self.moves.bad(self.store, &last);
            let mut whole = path.clone();
            whole.push(end);
            if let Some(found) = self.ends(&mut base, whole)? {
                return Ok(found);
            }
            let next = self.moves.state(self.store);
            let cases = self.moves.step(self.store, &last, &next);
            let moved = any(self.store, &cases);
            base.assert(moved);
            step.assert(moved);
            let bad_here = self.moves.rename(self.store, bad, &here, &last);
            let good = self.store.not(bad_here);
            step.assert(good);
            let bad_next = self.moves.rename(self.store, bad, &here, &next);
            step.push();
            step.assert(bad_next);
            let answer = step.check(self.store, self.budget);
            step.pop(1);
            path.push(cases.clone());
            self.steps.push(cases);
            self.states.push(next);
            match answer {
                Answer::Unsat => return self.solution(bad).map(Verdict::Safe),
                Answer::Sat => {}
                Answer::Unknown(reason) => return Err(reason.to_string()),
            }
        }
    }

    /// The derivation that a path stands for if its last part, the only one not asserted, is possible too.
    fn ends(&mut self, solver: &mut Solver, path: Vec<Vec<Case>>) -> Result<Option<HornVerdict>, String> {
        let Some(end) = path.last() else { return Ok(None) };
        let end = any(self.store, end);
        solver.push();
        solver.assert(end);
        let answer = solver.check(self.store, self.budget);
        let model = solver.model().cloned().unwrap_or_default();
        solver.pop(1);
        match answer {
            Answer::Unsat => Ok(None),
            Answer::Unknown(reason) => Err(reason.to_string()),
            Answer::Sat => {
                let found = derivation(self.store, &path, &model).ok_or("a term cannot be evaluated")?;
                Ok(Some(Verdict::Unsafe(found)))
            }
        }
    }

    /// The states from which no path of fewer steps than the depth leads to a bad one.
    fn solution(&mut self, bad: Term) -> Result<Interpretation, String> {
        let (here, next) = (self.states[0].clone(), self.states[1].clone());
        let step = any(self.store, &self.steps[0]);
        let (mut all, mut reach) = (vec![bad], bad);
        for _ in 2..self.states.len() {
            let after = self.moves.rename(self.store, reach, &here, &next);
            let before = self.store.and(&[step, after]);
            reach = self.projected(before)?;
            all.push(reach);
        }
        let lost = self.store.or(&all);
        let set = self.store.not(lost);
        Ok(self.moves.interpretation(self.store, set))
    }

    /// A formula over the parameters that says that the given one has a solution in everything else.
    fn projected(&mut self, formula: Term) -> Result<Term, String> {
        let kept = &self.states[0];
        let constants = self.store.post_order([formula]).filter(|t| self.store.as_var(*t).is_some());
        let gone: Vec<Term> = constants.filter(|t| !kept.contains(t)).collect();
        let mut solver = Solver::default();
        solver.assert(formula);
        let mut found = Vec::new();
        while found.len() < MAX_PROJECTIONS {
            match solver.check(self.store, self.budget) {
                Answer::Unsat => return Ok(self.store.or(&found)),
                Answer::Unknown(reason) => return Err(reason.to_string()),
                Answer::Sat => {}
            }
            let model = solver.model().cloned().unwrap_or_default();
            let literals =
                project(self.store, &[formula], &gone, &model).ok_or("a term cannot be evaluated")?;
            let cube = self.store.and(&literals);
            let others = self.store.not(cube);
            solver.assert(others);
            found.push(cube);
        }
        Err("a set of states has too many parts".into())
    }
}
