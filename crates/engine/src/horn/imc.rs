//! Interpolation-based model checking of linear clauses (McMillan, *Interpolation and SAT-based model checking*, CAV
//! 2003).
//!
//! With a bound `k` no path of `k` steps from a set of states to a bad one exists; the interpolant after the first step
//! contains the successors of the set and still has no path of `k - 1` steps. It is added to the set until nothing new
//! comes, or until a path appears that may be spurious, and the bound grows.

use super::HornClaim;
use super::transition_system::{Case, State, TransitionSystem, any, derivation};
use crate::{Reason, ReasonCode, Verdict};
use bolide_base::{Budget, Stats};
use bolide_itp::{Config, Failure, interpolate_sequence};
use bolide_model::horn::{Horn, Interpretation};
use bolide_smt::{Answer, Solver};
use bolide_term::{Store, Term};

/// Images for one bound before the next one is tried, beyond twice the bound.
const IMAGES: usize = 8;

/// Searches for a solution or a derivation of linear clauses.
pub fn solve(store: &mut Store, horn: &Horn, budget: &Budget, stats: &mut Stats) -> HornClaim {
    let Some(moves) = TransitionSystem::new(store, horn) else {
        return Verdict::Unknown(Reason::new(
            ReasonCode::Inapplicable,
            "the clauses are not a transition system",
        ));
    };
    let start = moves.here.clone();
    let initial = moves.initial(store, &start);
    let next = moves.state(store);
    let first = moves.step(store, &start, &next);
    let mut imc = Imc { store, moves, budget, initial, first, states: vec![start, next], later: Vec::new() };
    let result = imc.run();
    stats.count("imc bound", imc.later.len() as u64 + 1);
    result.unwrap_or_else(Verdict::Unknown)
}

struct Imc<'a> {
    store: &'a mut Store,
    moves: TransitionSystem<'a>,
    budget: &'a Budget,
    initial: Vec<Case>,
    /// From the first state to the second.
    first: Vec<Case>,
    states: Vec<State>,
    /// From the second state on.
    later: Vec<Vec<Case>>,
}

impl Imc<'_> {
    fn run(&mut self) -> Result<HornClaim, Reason> {
        let outright = self.moves.outright(self.store);
        let bad = self.moves.bad(self.store, &self.states[0]);
        for path in [vec![outright], vec![self.initial.clone(), bad]] {
            if let Some(found) = self.path(&path)? {
                return Ok(found);
            }
        }
        loop {
            if let Some(found) = self.counterexample()? {
                return Ok(found);
            }
            if let Some(solution) = self.images()? {
                return Ok(Verdict::Safe(solution));
            }
            let next = self.moves.state(self.store);
            let last = self.states[self.states.len() - 1].clone();
            self.later.push(self.moves.step(self.store, &last, &next));
            self.states.push(next);
        }
    }

    /// Is there a path to a bad state with exactly the number of steps of the bound?
    fn counterexample(&mut self) -> Result<Option<HornClaim>, Reason> {
        let mut path = vec![self.initial.clone(), self.first.clone()];
        path.extend(self.later.iter().cloned());
        let last = self.states[self.states.len() - 1].clone();
        path.push(self.moves.bad(self.store, &last));
        self.path(&path)
    }

    /// The derivation that a path stands for, if it is possible.
    fn path(&mut self, path: &[Vec<Case>]) -> Result<Option<HornClaim>, Reason> {
        let mut solver = Solver::default();
        for cases in path {
            let formula = any(self.store, cases);
            solver.assert(formula);
        }
        match solver.check(self.store, self.budget) {
            Answer::Unsat => Ok(None),
            Answer::Unknown(reason) => Err(reason.into()),
            Answer::Sat => {
                let model = solver.model().cloned().unwrap_or_default();
                let found = derivation(self.store, path, &model).ok_or("a term cannot be evaluated")?;
                Ok(Some(Verdict::Unsafe(found)))
            }
        }
    }

    /// Adds images to the initial states until nothing new comes; nothing if the bound must grow.
    fn images(&mut self) -> Result<Option<Interpretation>, Reason> {
        let (start, next) = (self.states[0].clone(), self.states[1].clone());
        let rest = self.rest();
        let step = any(self.store, &self.first);
        let initial = any(self.store, &self.initial);
        let bad = self.moves.bad(self.store, &start);
        let bad = any(self.store, &bad);
        let further = self.store.and(&[step, rest]);
        let all = self.store.or(&[bad, further]);
        // An interpolant has no constants that belong to clauses, as the initial states have.
        let Some(mut set) = self.separated(initial, all)? else { return Ok(None) };
        for _ in 0..2 * self.states.len() + IMAGES {
            let before = self.store.and(&[set, step]);
            let Some(image) = self.separated(before, rest)? else { return Ok(None) };
            let image = self.moves.rename(self.store, image, &next, &start);
            if self.implies(image, set)? {
                return Ok(Some(self.moves.interpretation(self.store, set)));
            }
            set = self.store.or(&[set, image]);
        }
        Ok(None)
    }

    /// An interpolant; nothing if the formulas are satisfiable together, or there is none.
    fn separated(&mut self, a: Term, b: Term) -> Result<Option<Term>, Reason> {
        let config = Config { verify: false, ..Config::default() };
        match interpolate_sequence(self.store, &[a, b], &config, self.budget) {
            Ok(found) => Ok(found.first().copied()),
            Err(Failure::Unknown(reason)) => Err(reason.into()),
            Err(_) => Ok(None),
        }
    }

    /// The paths from the second state to a bad one.
    fn rest(&mut self) -> Term {
        let mut bad = Vec::new();
        for state in &self.states[1..] {
            let cases = self.moves.bad(self.store, state);
            bad.push(any(self.store, &cases));
        }
        // A bad state anywhere on a path of which only the part before it must exist.
        let mut rest = self.store.fls();
        for (n, bad) in bad.into_iter().enumerate().rev() {
            let further = match self.later.get(n) {
                Some(cases) => {
                    let step = any(self.store, cases);
                    self.store.and(&[step, rest])
                }
                None => self.store.fls(),
            };
            rest = self.store.or(&[bad, further]);
        }
        rest
    }

    fn implies(&mut self, a: Term, b: Term) -> Result<bool, Reason> {
        let mut solver = Solver::default();
        let denied = self.store.not(b);
        solver.assert(a);
        solver.assert(denied);
        match solver.check_unconfirmed(self.store, &[], self.budget) {
            Answer::Unknown(reason) => Err(reason.into()),
            answer => Ok(answer == Answer::Unsat),
        }
    }
}
