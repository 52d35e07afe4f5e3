//! Transition power abstraction for linear clauses (Blicha, Fedyukovich, Hyvärinen, Sharygina, *Transition power
//! abstractions for deep counterexample detection*, TACAS 2022).
//!
//! The `n`-th power is a relation that contains all pairs of states with a path of at most `2^n` steps between them: the
//! zeroth is exact, the others are conjunctions of interpolants. Whether a set can be reached from another in
//! `2^n` steps is asked of two powers one after the other; a model gives a set of states in the middle, and the same
//! question is asked about both halves. If one half fails, its power becomes more precise; otherwise the answer is a
//! chain of sets in which every state has a predecessor in the set before. Long counterexamples take few questions.
//!
//! If conjuncts of a power are closed under one more step, they hold for any number of steps; the states that they relate
//! to initial ones are then a solution.

use super::HornClaim;
use super::check::without;
use super::transition_system::{Case, State, TransitionSystem, any, chosen};
use crate::{Reason, ReasonCode, Verdict};
use bolide_base::{Budget, Stats};
use bolide_itp::{Config, Failure, interpolate_sequence};
use bolide_model::horn::{Derivation, DerivationStep, Horn, Interpretation};
use bolide_smt::{Answer, Solver, project};
use bolide_term::{Evaluator, Model, Sort, Store, Term, Value};

/// Longer paths than two to this power are not looked for.
const MAX_POWER: usize = 24;

/// Searches for a solution or a derivation of linear clauses.
pub fn solve(store: &mut Store, horn: &Horn, budget: &Budget, stats: &mut Stats) -> HornClaim {
    let Some(moves) = TransitionSystem::new(store, horn) else {
        return Verdict::Unknown(Reason::new(
            ReasonCode::Inapplicable,
            "the clauses are not a transition system",
        ));
    };
    let states = [moves.here.clone(), moves.state(store), moves.state(store)];
    let mut tpa =
        Tpa { store, moves, budget, states, powers: vec![Vec::new()], regions: Vec::new(), questions: 0 };
    let result = tpa.run();
    stats.count("tpa powers", tpa.powers.len() as u64);
    stats.count("tpa questions", tpa.questions);
    stats.count("tpa regions", tpa.regions.len() as u64);
    result.unwrap_or_else(Verdict::Unknown)
}

/// A set of states, all of them reachable.
struct Region {
    /// Over the first state.
    formula: Term,
    /// The region of their predecessors; none for initial states.
    before: Option<usize>,
}

struct Tpa<'a> {
    store: &'a mut Store,
    moves: TransitionSystem<'a>,
    budget: &'a Budget,
    /// Constants for three states in a row.
    states: [State; 3],
    /// Conjuncts over the first two states; the zeroth power is the step itself.
    powers: Vec<Vec<Term>>,
    regions: Vec<Region>,
    questions: u64,
}

impl Tpa<'_> {
    fn run(&mut self) -> Result<HornClaim, Reason> {
        let outright = self.moves.outright(self.store);
        let formula = any(self.store, &outright);
        if let Some(model) = self.satisfiable(&[formula])? {
            let step = chosen(self.store, &outright, &model, Vec::new());
            return Ok(step.map_or(Verdict::Unknown("a term cannot be evaluated".into()), |step| {
                Verdict::Unsafe(Derivation::new(vec![step]))
            }));
        }
        let [first, ..] = self.states.clone();
        let initial = self.moves.initial(self.store, &first);
        let initial = any(self.store, &initial);
        self.regions.push(Region { formula: initial, before: None });
        let bad = self.moves.bad(self.store, &first);
        let bad = any(self.store, &bad);
        for power in 0..MAX_POWER {
            if let Some(last) = self.reach(power, 0, bad)? {
                return Ok(match self.derivation(last)? {
                    Some(found) => Verdict::Unsafe(found),
                    None => Verdict::Unknown("the derivation could not be made concrete".into()),
                });
            }
            if let Some(solution) = self.solution(power, initial, bad)? {
                return Ok(Verdict::Safe(solution));
            }
            self.powers.push(Vec::new());
        }
        Ok(Verdict::Unknown("no derivation was found".into()))
    }

    /// A region inside a target that is reached from a region in at most `2^power` steps. Calls are nested no deeper than
    /// the power.
    fn reach(&mut self, power: usize, from: usize, target: Term) -> Result<Option<usize>, Reason> {
        if power == 0 {
            return self.reach_at_once(from, target);
        }
        let [first, middle, last] = self.states.clone();
        let source = self.regions[from].formula;
        let end = self.moves.rename(self.store, target, &first, &last);
        loop {
            let (left, right) =
                (self.power(power - 1, &first, &middle), self.power(power - 1, &middle, &last));
            let Some(model) = self.satisfiable(&[source, left, right, end])? else {
                let between = self.store.and(&[left, right]);
                let ends = self.store.and(&[source, end]);
                let config = Config { verify: false, ..Config::default() };
                let found = interpolate_sequence(self.store, &[between, ends], &config, self.budget)
                    .map_err(|failure| match failure {
                        Failure::Unknown(reason) => reason.into(),
                        other => Reason::from(other.to_string()),
                    })?;
                let learnt = self.moves.rename(self.store, found[0], &last, &middle);
                self.powers[power].push(learnt);
                return Ok(None);
            };
            let half = self.projected(&[source, left, right, end], &model, &middle)?;
            let half = self.moves.rename(self.store, half, &middle, &first);
            let Some(reached) = self.reach(power - 1, from, half)? else { continue };
            if let Some(found) = self.reach(power - 1, reached, target)? {
                return Ok(Some(found));
            }
        }
    }

    /// A region inside a target that is reached from a region in one step or none.
    fn reach_at_once(&mut self, from: usize, target: Term) -> Result<Option<usize>, Reason> {
        let [first, middle, _] = self.states.clone();
        let source = self.regions[from].formula;
        if let Some(model) = self.satisfiable(&[source, target])? {
            let formula = self.projected(&[source, target], &model, &first)?;
            let before = self.regions[from].before;
            return Ok(Some(self.add(Region { formula, before })));
        }
        let step = self.moves.step(self.store, &first, &middle);
        let step = any(self.store, &step);
        let end = self.moves.rename(self.store, target, &first, &middle);
        let Some(model) = self.satisfiable(&[source, step, end])? else { return Ok(None) };
        let formula = self.projected(&[source, step, end], &model, &middle)?;
        let formula = self.moves.rename(self.store, formula, &middle, &first);
        Ok(Some(self.add(Region { formula, before: Some(from) })))
    }

    /// The solution that the conjuncts of a power contain that are closed under steps, if they keep initial states from
    /// bad ones.
    fn solution(&mut self, power: usize, initial: Term, bad: Term) -> Result<Option<Interpretation>, Reason> {
        let [first, middle, _] = self.states.clone();
        let closed = self.closed(power)?;
        if closed.is_empty() {
            return Ok(None);
        }
        let all = self.store.and(&closed);
        let bad = self.moves.rename(self.store, bad, &first, &middle);
        if self.satisfiable(&[initial, all, bad])?.is_some() {
            return Ok(None);
        }
        let related = self.store.and(&[initial, all]);
        let is_gone = |t: &Term| self.store.as_var(*t).is_some() && !middle.contains(t);
        let gone: Vec<Term> = self.store.post_order([related]).filter(is_gone).collect();
        let Some(reachable) = without(self.store, related, &gone, self.budget) else { return Ok(None) };
        let reachable = self.moves.rename(self.store, reachable, &middle, &first);
        Ok(Some(self.moves.interpretation(self.store, reachable)))
    }

    /// The largest set of conjuncts of a power that is closed under one more step.
    fn closed(&mut self, power: usize) -> Result<Vec<Term>, Reason> {
        let [_, middle, last] = self.states.clone();
        let step = self.moves.step(self.store, &middle, &last);
        let mut solver = Solver::default();
        solver.assert(any(self.store, &step));
        // Conjuncts under literals, and what they say after the step.
        let mut alive: Vec<(Term, Term, Term)> = Vec::new();
        for c in self.powers[power].clone() {
            let holds = self.store.fresh_var("holds", Sort::BOOL);
            let guarded = self.store.implies(holds, c);
            solver.assert(guarded);
            alive.push((c, holds, self.moves.rename(self.store, c, &middle, &last)));
        }
        let mut n = 0;
        while n < alive.len() {
            let mut assumptions: Vec<Term> = alive.iter().map(|c| c.1).collect();
            assumptions.push(self.store.not(alive[n].2));
            self.questions += 1;
            match solver.check_assuming(self.store, &assumptions, self.budget) {
                Answer::Unsat => n += 1,
                Answer::Unknown(reason) => return Err(reason.into()),
                Answer::Sat => {
                    let refuted = alive[n].1;
                    let model = solver.model().cloned().unwrap_or_default();
                    let mut evaluator = Evaluator::new(self.store, &model);
                    alive.retain(|c| c.1 != refuted && evaluator.holds(c.2) != Ok(false));
                    n = 0;
                }
            }
        }
        Ok(alive.iter().map(|c| c.0).collect())
    }

    fn add(&mut self, region: Region) -> usize {
        self.regions.push(region);
        self.regions.len() - 1
    }

    /// A power as a formula about two states.
    fn power(&mut self, power: usize, from: &State, to: &State) -> Term {
        if power == 0 {
            let step = self.moves.step(self.store, from, to);
            let step = any(self.store, &step);
            let same: Vec<Term> = from.iter().zip(to).map(|(&a, &b)| self.store.eq(a, b)).collect();
            let stay = self.store.and(&same);
            return self.store.or(&[stay, step]);
        }
        let [first, middle, last] = self.states.clone();
        let all = self.store.and(&self.powers[power]);
        if *from == first && *to == middle {
            return all;
        }
        // From the second and third state to these: the order matters, as states overlap.
        let shifted = self.moves.rename(self.store, all, &middle, &last);
        self.moves.rename(self.store, shifted, &first, from)
    }

    fn satisfiable(&mut self, formulas: &[Term]) -> Result<Option<Model>, Reason> {
        self.questions += 1;
        let mut solver = Solver::default();
        formulas.iter().for_each(|&f| solver.assert(f));
        match solver.check(self.store, self.budget) {
            Answer::Sat => Ok(Some(solver.model().cloned().unwrap_or_default())),
            Answer::Unsat => Ok(None),
            Answer::Unknown(reason) => Err(reason.into()),
        }
    }

    /// States around the one of a model for which the formulas have a solution.
    fn projected(&mut self, formulas: &[Term], model: &Model, kept: &State) -> Result<Term, Reason> {
        let gone: Vec<Term> = self
            .store
            .post_order(formulas.iter().copied())
            .filter(|t| self.store.as_var(*t).is_some() && !kept.contains(t))
            .collect();
        let literals = project(self.store, formulas, &gone, model).ok_or("a term cannot be evaluated")?;
        Ok(self.store.and(&literals))
    }

    /// The derivation of a bad state in a region: from the last state back to an initial one.
    fn derivation(&mut self, last: usize) -> Result<Option<Derivation>, Reason> {
        let [first, middle, _] = self.states.clone();
        let bad = self.moves.bad(self.store, &first);
        let Some(mut steps) = self.concrete(last, bad, None)?.map(|(step, state)| (vec![step], state)) else {
            return Ok(None);
        };
        let mut at = last;
        loop {
            let before = self.regions[at].before;
            let (cases, from) = match before {
                Some(n) => (self.moves.step(self.store, &first, &middle), n),
                None => (self.moves.initial(self.store, &middle), 0),
            };
            let Some((step, state)) = self.concrete_before(before.map(|_| from), cases, &steps.1)? else {
                return Ok(None);
            };
            steps.0.push(step);
            steps.1 = state;
            match before {
                Some(n) => at = n,
                None => break,
            }
        }
        let mut steps = steps.0;
        steps.reverse();
        for (n, step) in steps.iter_mut().enumerate() {
            step.premises = n.checked_sub(1).into_iter().collect();
        }
        Ok(Some(Derivation::new(steps)))
    }

    /// A state of a region for which one of the cases holds, and the step that it is.
    fn concrete(
        &mut self,
        region: usize,
        cases: Vec<Case>,
        also: Option<Term>,
    ) -> Result<Option<(DerivationStep, Vec<Value>)>, Reason> {
        let parts = [self.regions[region].formula, any(self.store, &cases), also.unwrap_or(self.store.tru())];
        let Some(model) = self.satisfiable(&parts)? else { return Ok(None) };
        self.read(&cases, &model)
    }

    /// A state of a region, or any if there is none, from which one of the cases leads to a given second state.
    fn concrete_before(
        &mut self,
        region: Option<usize>,
        cases: Vec<Case>,
        state: &[Value],
    ) -> Result<Option<(DerivationStep, Vec<Value>)>, Reason> {
        let second = self.states[1].clone();
        let mut equations = Vec::with_capacity(state.len());
        for (&t, value) in second.iter().zip(state) {
            let sort = self.store.sort_of(t);
            let value = value.to_term(self.store, sort);
            equations.push(self.store.eq(t, value));
        }
        let there = self.store.and(&equations);
        match region {
            Some(n) => self.concrete(n, cases, Some(there)),
            None => {
                let formula = any(self.store, &cases);
                let Some(model) = self.satisfiable(&[formula, there])? else { return Ok(None) };
                self.read(&cases, &model)
            }
        }
    }

    /// The step among some cases and the first state that a model chooses.
    fn read(
        &mut self,
        cases: &[Case],
        model: &Model,
    ) -> Result<Option<(DerivationStep, Vec<Value>)>, Reason> {
        let Some(step) = chosen(self.store, cases, model, Vec::new()) else { return Ok(None) };
        let mut evaluator = Evaluator::new(self.store, model);
        let values: Option<Vec<Value>> = self.states[0].iter().map(|&t| evaluator.eval(t).ok()).collect();
        Ok(values.map(|values| (step, values)))
    }
}
