//! k-induction on linear clauses (Sheeran, Singh, Stålmarck, *Checking safety properties using induction and a SAT
//! solver*, FMCAD 2000).
//!
//! If no bad state is reached in fewer than `k` steps, and none follows `k` states in a row that are not bad, there is no
//! bad state at all. The solution is then the set of states from which no path of fewer than `k` steps leads to a bad one:
//! it has the initial states by the first, and is closed by the second. It is computed backwards, by enumerating
//! projections.

use super::HornClaim;
use super::check::without;
use super::transition_system::{Case, TransitionSystem, any, derivation};
use crate::{Reason, ReasonCode, Verdict};
use bolide_base::{Budget, Gauge, Stats};
use bolide_model::horn::{Horn, Interpretation};
use bolide_smt::{Answer, Solver};
use bolide_term::{Store, Term};

/// Searches for a solution or a derivation of linear clauses.
pub fn solve(store: &mut Store, horn: &Horn, budget: &Budget, stats: &mut Stats) -> HornClaim {
    let Some(moves) = TransitionSystem::new(store, horn) else {
        return Verdict::Unknown(Reason::new(
            ReasonCode::Inapplicable,
            "the clauses are not a transition system",
        ));
    };
    let mut induction = Induction { store, moves, budget, depth: 0 };
    let result = induction.run();
    stats.count("kind depth", induction.depth as u64);
    result.unwrap_or_else(Verdict::Unknown)
}

struct Induction<'a> {
    store: &'a mut Store,
    moves: TransitionSystem<'a>,
    budget: &'a Budget,
    /// The number of states in a row that the step case takes for not bad.
    depth: usize,
}

impl Induction<'_> {
    fn run(&mut self) -> Result<HornClaim, Reason> {
        let outright = self.moves.outright(self.store);
        if let Some(found) = self.ends(&mut Solver::default(), &[outright])? {
            return Ok(found);
        }
        let here = self.moves.here.clone();
        let bad = self.moves.bad(self.store, &here);
        let bad = any(self.store, &bad);
        let bad = self.projected(bad)?;
        let initial = self.moves.initial(self.store, &here);
        let (mut base, mut step) = (Solver::default(), Solver::default());
        let start = any(self.store, &initial);
        base.assert(start);
        let (mut path, mut last) = (vec![initial], here.clone());
        loop {
            self.depth += 1;
            self.budget.note(Gauge::Depth, self.depth as u64);
            path.push(self.moves.bad(self.store, &last));
            if let Some(found) = self.ends(&mut base, &path)? {
                return Ok(found);
            }
            path.pop();
            let next = self.moves.state(self.store);
            let cases = self.moves.step(self.store, &last, &next);
            let moved = any(self.store, &cases);
            path.push(cases);
            base.assert(moved);
            step.assert(moved);
            let bad_before = self.moves.rename(self.store, bad, &here, &last);
            let good = self.store.not(bad_before);
            step.assert(good);
            step.push();
            let bad_after = self.moves.rename(self.store, bad, &here, &next);
            step.assert(bad_after);
            let answer = step.check_unconfirmed(self.store, &[], self.budget);
            step.pop(1);
            match answer {
                Answer::Unsat => return self.solution(bad).map(Verdict::Safe),
                Answer::Sat => last = next,
                Answer::Unknown(reason) => return Err(reason.into()),
            }
        }
    }

    /// The derivation that a path stands for if its last part, the only one not asserted, is possible too.
    fn ends(&mut self, solver: &mut Solver, path: &[Vec<Case>]) -> Result<Option<HornClaim>, Reason> {
        let Some(end) = path.last() else { return Ok(None) };
        let end = any(self.store, end);
        solver.push();
        solver.assert(end);
        let answer = solver.check(self.store, self.budget);
        let model = solver.model().cloned();
        solver.pop(1);
        match answer {
            Answer::Unsat => Ok(None),
            Answer::Unknown(reason) => Err(reason.into()),
            Answer::Sat => {
                let model = model.unwrap_or_default();
                let found = derivation(self.store, path, &model).ok_or("a term cannot be evaluated")?;
                Ok(Some(Verdict::Unsafe(found)))
            }
        }
    }

    /// The states from which no path of fewer steps than the depth leads to a bad one.
    fn solution(&mut self, bad: Term) -> Result<Interpretation, Reason> {
        let (here, next) = (self.moves.here.clone(), self.moves.state(self.store));
        let step = self.moves.step(self.store, &here, &next);
        let step = any(self.store, &step);
        let (mut lost, mut reach) = (vec![bad], bad);
        for _ in 1..self.depth {
            let after = self.moves.rename(self.store, reach, &here, &next);
            let before = self.store.and(&[step, after]);
            reach = self.projected(before)?;
            lost.push(reach);
        }
        let lost = self.store.or(&lost);
        let set = self.store.not(lost);
        Ok(self.moves.interpretation(self.store, set))
    }

    /// What a formula says about the parameters.
    fn projected(&mut self, formula: Term) -> Result<Term, Reason> {
        let here = &self.moves.here;
        let constants = self.store.post_order([formula]).filter(|t| self.store.as_var(*t).is_some());
        let others: Vec<Term> = constants.filter(|t| !here.contains(t)).collect();
        without(self.store, formula, &others, self.budget)
            .ok_or_else(|| "a set of states could not be computed".into())
    }
}
