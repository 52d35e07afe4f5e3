//! Summaries guessed from executions of programs with calls.
//!
//! The clauses are those of the calls that happen, so that a fact about a procedure has the preconditions of its calls. What random executions
//! show at its locations, entries and exits suggests equations, bounds, divisors and remainders; those that are inductive together (Flanagan and Leino,
//! *Houdini*, FME 2001) are lemmas with which `pdr` starts.

use super::{Settings, Solution, check_interpretation, separate, solve_with};
use crate::board::{Board, Seat};
use crate::program::guess_calls::guesses;
use crate::{Engine, Verdict};
use bolide_base::{Budget, Stats};
use bolide_model::Trace;
use bolide_model::horn::back::{BackMap, derivation_back, interpretation_back};
use bolide_model::horn::pass::prepare_with;
use bolide_model::horn::{Clause, Horn, Interpretation, ProgramMap, from_called, from_program};
use bolide_model::{Bias, Program};
use bolide_smt::{Answer, Solver};
use bolide_term::{Evaluator, Sort, Store, Term};

/// The steps that one question about guesses may take, and one about a single guess.
const STEPS: u64 = 10_000;
const STEPS_OF_ONE: u64 = 2_000;
/// Where guesses do not suffice, the share is so many times smaller from then on.
const CEDES: u32 = 4;

/// Decides a program with calls by clauses of the calls that happen, with facts that executions suggest.
pub fn solve_calls(
    store: &mut Store,
    program: &Program,
    settings: &Settings,
    budget: &Budget,
    stats: &mut Stats,
) -> Verdict<Solution, Trace> {
    let edges = program.procs.iter().flat_map(|p| &p.edges);
    if let Some(under) = edges.flat_map(|e| &e.approximations).find(|a| a.bias == Bias::Under) {
        return Verdict::Unknown(crate::program::partly_represented(&under.what));
    }
    let (called, called_map) = from_called(store, program);
    let (prepared, maps) = match prepare_with(store, &called, settings.preparation, budget) {
        Ok(done) => done,
        Err(interrupt) => return Verdict::unknown(interrupt),
    };
    let calls = Calls { program, called, called_map, prepared, maps };
    let guessed = guesses(store, program, (&calls.called, &calls.called_map), budget);
    if let Some(trace) = guessed.error {
        return Verdict::Unsafe(trace);
    }
    let mut facts: Vec<Vec<Term>> = calls.prepared.preds.iter().map(|_| Vec::new()).collect();
    for stage in guessed.stages {
        let mut new = calls.about_prepared(store, stage);
        for (new, known) in new.iter_mut().zip(&facts) {
            new.retain(|f| !known.contains(f));
        }
        keep_inductive(store, &calls.prepared, &facts, &mut new, budget);
        facts.iter_mut().zip(new).for_each(|(known, new)| known.extend(new));
        if excludes_error(store, &calls.prepared, &facts, budget) {
            let facts = needed(store, &calls.prepared, facts, budget);
            let found = Interpretation::new(facts.iter().map(|own| store.and(own)).collect());
            return calls.proved(store, found, budget);
        }
    }
    stats.count("facts guessed", facts.iter().map(|f| f.len() as u64).sum());
    // What is guessed is mostly the proof; where it is not, the plain clauses lead to one as often.
    budget.cede(CEDES);
    let board = Board::new(store.mark());
    let posted: Vec<(usize, Term)> =
        facts.iter().enumerate().flat_map(|(pred, own)| own.iter().map(move |&f| (pred, f))).collect();
    Seat::new(&board).post(store, &posted);
    let settings = Settings { board: Some(Seat::new(&board)), ..settings.clone() };
    match solve_with(store, &calls.prepared, Engine::Pdr, &settings, budget, stats) {
        Verdict::Safe(found) => calls.proved(store, found.into_inner(), budget),
        Verdict::Unsafe(derivation) => {
            let found = derivation_back(store, &calls.maps, derivation.into_inner());
            match found.and_then(|d| calls.called_map.trace(store, program, &d)) {
                Some(trace) => Verdict::Unsafe(trace),
                None => Verdict::unknown("the execution that shows the error is too long"),
            }
        }
        Verdict::Unknown(reason) => Verdict::Unknown(reason),
    }
}

/// The clauses of the calls that happen in a program, and what they were prepared to.
struct Calls<'a> {
    program: &'a Program,
    called: Horn,
    called_map: ProgramMap,
    prepared: Horn,
    maps: Vec<BackMap>,
}

impl Calls<'_> {
    /// The facts about predicates that are left, in what is left of their arguments.
    fn about_prepared(&self, store: &Store, facts: Vec<Vec<Term>>) -> Vec<Vec<Term>> {
        let definitions = self.prepared.definitions();
        let mut out = facts;
        for ((own, pred), definitions) in out.iter_mut().zip(&self.prepared.preds).zip(&definitions) {
            let params: Vec<_> = pred.params.iter().filter_map(|&p| store.as_var(p)).collect();
            own.retain(|&f| {
                !definitions.is_empty() && store.symbols([f]).iter().all(|symbol| params.contains(symbol))
            });
        }
        out
    }

    /// The solution of the clauses of the program that one of the prepared clauses is.
    fn proved(&self, store: &mut Store, found: Interpretation, budget: &Budget) -> Verdict<Solution, Trace> {
        let back = interpretation_back(store, &self.maps, &mut |s, a, b| separate(s, a, b, budget), found);
        let Some(found) = back else { return Verdict::unknown("the summaries could not be mapped back") };
        let (horn, map) = from_program(store, self.program);
        let called = (&self.called, &self.called_map);
        let found = map.under_preconditions(store, self.program, &horn, called, &found);
        match check_interpretation(store, &horn, found, budget) {
            Ok(interpretation) => Verdict::Safe(Solution { horn, map, interpretation }),
            Err(reason) => Verdict::Unknown(reason),
        }
    }
}

/// Do facts contradict every query?
fn excludes_error(store: &mut Store, horn: &Horn, facts: &[Vec<Term>], budget: &Budget) -> bool {
    horn.clauses.iter().filter(|c| c.head.is_none()).all(|clause| {
        let mut solver = Solver::default();
        assume(store, &mut solver, horn, clause, facts);
        solver.check_unconfirmed(store, &[], &budget.clone().with_steps(STEPS)) == Answer::Unsat
    })
}

/// Those of some inductive facts that the proof needs, as far as unsatisfiable cores tell: those that contradict the queries, and those from which these
/// follow.
fn needed(store: &mut Store, horn: &Horn, facts: Vec<Vec<Term>>, budget: &Budget) -> Vec<Vec<Term>> {
    let mut is_needed: Vec<Vec<bool>> = facts.iter().map(|own| vec![false; own.len()]).collect();
    let mut names: Vec<Vec<Term>> = Vec::new();
    for own in &facts {
        names.push(own.iter().map(|_| store.fresh_var("fact", Sort::BOOL)).collect());
    }
    let mut solvers: Vec<Solver> = Vec::new();
    for clause in &horn.clauses {
        let mut solver = Solver::default();
        solver.assert(clause.constraint);
        for premise in &clause.body {
            let pred = premise.pred.index();
            for (&f, &name) in facts[pred].iter().zip(&names[pred]) {
                let here = horn.instantiate(store, f, premise);
                solver.assert(store.implies(name, here));
            }
        }
        solvers.push(solver);
    }
    // The queries come first; then there are facts to be shown.
    let mut todo: Vec<Option<(usize, usize)>> = vec![None];
    while let Some(goal) = todo.pop() {
        for (clause, solver) in horn.clauses.iter().zip(&mut solvers) {
            let head = clause.head.as_ref().map(|h| h.pred.index());
            if head != goal.map(|(pred, _)| pred) {
                continue;
            }
            let mut assumed: Vec<Term> =
                clause.body.iter().flat_map(|premise| names[premise.pred.index()].iter().copied()).collect();
            if let (Some(head), Some((pred, n))) = (&clause.head, goal) {
                let here = horn.instantiate(store, facts[pred][n], head);
                assumed.push(store.not(here));
            }
            if solver.check_assuming(store, &assumed, &budget.clone().with_steps(STEPS)) != Answer::Unsat {
                return facts;
            }
            let core = solver.core().to_vec();
            for premise in clause.body.iter().map(|premise| premise.pred.index()) {
                for (n, name) in names[premise].iter().enumerate() {
                    if core.contains(name) && !std::mem::replace(&mut is_needed[premise][n], true) {
                        todo.push(Some((premise, n)));
                    }
                }
            }
        }
    }
    let keep = |(own, needed): (Vec<Term>, &Vec<bool>)| {
        own.into_iter().zip(needed).filter(|(_, n)| **n).map(|(f, _)| f).collect()
    };
    facts.into_iter().zip(&is_needed).map(keep).collect()
}

/// Drops facts until the rest is inductive together with those that are known. What is not decided soon counts as refuted.
fn keep_inductive(
    store: &mut Store,
    horn: &Horn,
    known: &[Vec<Term>],
    facts: &mut [Vec<Term>],
    budget: &Budget,
) {
    let mut is_open: Vec<bool> = horn.clauses.iter().map(|_| true).collect();
    while let Some(n) = is_open.iter().position(|&o| o) {
        is_open[n] = false;
        let clause = &horn.clauses[n];
        let Some(head) = &clause.head else { continue };
        let pred = head.pred.index();
        if facts[pred].is_empty() {
            continue;
        }
        let after: Vec<Term> = facts[pred].iter().map(|&f| horn.instantiate(store, f, head)).collect();
        let mut fresh = |store: &mut Store| {
            let mut solver = Solver::default();
            assume(store, &mut solver, horn, clause, known);
            assume(store, &mut solver, horn, clause, facts);
            solver
        };
        let alive = implied(store, &mut fresh, &after, budget);
        if alive.contains(&false) {
            let mut keep = alive.iter();
            facts[pred].retain(|_| keep.next() == Some(&true));
            for (open, c) in is_open.iter_mut().zip(&horn.clauses) {
                *open |= c.body.iter().any(|a| a.pred == head.pred);
            }
        }
        if budget.exhausted() {
            facts.iter_mut().for_each(Vec::clear);
            return;
        }
    }
}

/// Tells a solver the constraint of a clause and facts about its premises.
fn assume(store: &mut Store, solver: &mut Solver, horn: &Horn, clause: &Clause, facts: &[Vec<Term>]) {
    solver.assert(clause.constraint);
    for premise in &clause.body {
        for &f in &facts[premise.pred.index()] {
            let here = horn.instantiate(store, f, premise);
            solver.assert(here);
        }
    }
}

/// Which facts follow from what a new solver knows.
fn implied(
    store: &mut Store,
    fresh: &mut dyn FnMut(&mut Store) -> Solver,
    facts: &[Term],
    budget: &Budget,
) -> Vec<bool> {
    let mut alive = vec![true; facts.len()];
    let mut solver = fresh(store);
    let mut is_decided = true;
    while is_decided {
        let open = (0..facts.len()).filter(|&n| alive[n]);
        let denied: Vec<Term> = open.map(|n| store.not(facts[n])).collect();
        if denied.is_empty() {
            return alive;
        }
        let some = store.or(&denied);
        match solver.check_assuming(store, &[some], &budget.clone().with_steps(STEPS)) {
            Answer::Unsat => return alive,
            Answer::Unknown(_) => is_decided = false,
            Answer::Sat => refute(store, &solver, facts, &mut alive),
        }
    }
    for n in 0..facts.len() {
        if !alive[n] {
            continue;
        }
        let denied = store.not(facts[n]);
        let mut answer = solver.check_assuming(store, &[denied], &budget.clone().with_steps(STEPS_OF_ONE));
        if matches!(answer, Answer::Unknown(_)) {
            // What the other questions have learned may be in the way.
            solver = fresh(store);
            answer = solver.check_assuming(store, &[denied], &budget.clone().with_steps(2 * STEPS_OF_ONE));
        }
        match answer {
            Answer::Unsat => {}
            Answer::Unknown(_) => alive[n] = false,
            Answer::Sat => {
                refute(store, &solver, facts, &mut alive);
                alive[n] = false;
            }
        }
    }
    alive
}

/// Facts that a model refutes are not implied.
fn refute(store: &Store, solver: &Solver, facts: &[Term], alive: &mut [bool]) {
    let model = solver.model().cloned().unwrap_or_default();
    let mut evaluator = Evaluator::new(store, &model);
    for (alive, &fact) in alive.iter_mut().zip(facts) {
        *alive &= evaluator.holds(fact) == Ok(true);
    }
}
