//! Parity constraints as a theory, against the same constraints as clauses. Long searches: restarts, clause deletion,
//! explanations out of order.

mod common;

use bolide_sat::{Config, Context, LemmaId, Lit, NoTheory, Outcome, Solver, Theory};
use common::*;
use std::collections::HashMap;

/// An odd number of these is true.
type Constraint = Vec<Lit>;

#[derive(Default)]
struct Parity {
    constraints: Vec<Constraint>,
    /// By variable.
    occurrences: HashMap<u32, Vec<usize>>,
    value: HashMap<u32, bool>,
    position: HashMap<u32, usize>,
    trail: Vec<Lit>,
    levels: Vec<usize>,
    /// First literal of the trail that was not looked at.
    next: usize,
    /// The constraint that propagated, and the length of the trail at that time.
    reasons: HashMap<Lit, (usize, usize)>,
    given: HashMap<LemmaId, Vec<Lit>>,
    explanations: usize,
}

impl Parity {
    fn add(&mut self, constraint: Constraint) {
        for lit in &constraint {
            self.occurrences.entry(lit.var()).or_default().push(self.constraints.len());
        }
        self.constraints.push(constraint);
        self.next = 0;
    }

    fn truth(&self, lit: Lit) -> Option<bool> {
        self.value.get(&lit.var()).map(|&value| value == lit.is_positive())
    }

    /// The clause that rules out the present values of the constraint, with `but` in place of its unassigned literal.
    fn clause(&self, constraint: usize, but: Option<Lit>) -> Vec<Lit> {
        (self.constraints[constraint].iter())
            .map(|&lit| match but {
                Some(but) if but.var() == lit.var() => but,
                _ if self.truth(lit) == Some(true) => !lit,
                _ => lit,
            })
            .collect()
    }

    fn look_at(&mut self, index: usize, ctx: &mut Context<'_>) -> bool {
        let constraint = &self.constraints[index];
        let mut open = constraint.iter().filter(|&&lit| self.truth(lit).is_none());
        let odd = constraint.iter().filter(|&&lit| self.truth(lit) == Some(true)).count() % 2 == 1;
        match (open.next().copied(), open.next()) {
            (None, _) if !odd => {
                let clause = self.clause(index, None);
                let id = ctx.conflict(&clause);
                self.given.insert(id, clause);
                false
            }
            (Some(lit), None) => {
                let implied = if odd { !lit } else { lit };
                self.reasons.insert(implied, (index, self.trail.len()));
                ctx.propagate(implied);
                true
            }
            _ => true,
        }
    }
}

impl Theory for Parity {
    fn assign(&mut self, lit: Lit) {
        assert!(self.value.insert(lit.var(), lit.is_positive()).is_none());
        self.position.insert(lit.var(), self.trail.len());
        self.trail.push(lit);
    }

    fn new_level(&mut self) {
        self.levels.push(self.trail.len());
    }

    fn backtrack(&mut self, level: usize) {
        let start = self.levels[level];
        self.levels.truncate(level);
        for lit in self.trail.drain(start..) {
            self.value.remove(&lit.var());
        }
        self.next = self.next.min(start);
        self.reasons.retain(|_, &mut (_, depth)| depth <= start);
    }

    fn propagate(&mut self, ctx: &mut Context<'_>) {
        if self.next == 0 {
            // Constraints may be new.
            for index in 0..self.constraints.len() {
                if !self.look_at(index, ctx) {
                    return;
                }
            }
        }
        while self.next < self.trail.len() {
            let lit = self.trail[self.next];
            for index in self.occurrences.get(&lit.var()).cloned().unwrap_or_default() {
                if !self.look_at(index, ctx) {
                    return;
                }
            }
            self.next += 1;
        }
    }

    fn explain(&mut self, lit: Lit, lemma: LemmaId, out: &mut Vec<Lit>) {
        self.explanations += 1;
        let (index, depth) = self.reasons[&lit];
        out.extend(self.clause(index, Some(lit)));
        for &other in out.iter().filter(|&&other| other != lit) {
            assert_eq!(self.truth(other), Some(false));
            assert!(self.position[&other.var()] < depth);
        }
        self.given.insert(lemma, out.clone());
    }

    fn check_model(&mut self, ctx: &mut Context<'_>, model: &[Lit]) -> bool {
        assert_eq!(model.len(), self.trail.len());
        let wrong = (0..self.constraints.len()).find(|&index| {
            self.constraints[index].iter().filter(|&&lit| self.truth(lit) == Some(true)).count() % 2 == 0
        });
        wrong.is_none_or(|index| self.look_at(index, ctx))
    }
}

/// The clauses that say that an odd number of the literals is true.
fn clauses_of(constraint: &[Lit]) -> Vec<Vec<Lit>> {
    (0..1usize << constraint.len())
        .filter(|bits| bits.count_ones() % 2 == 0)
        .map(|bits| {
            let negate = |(i, &lit): (usize, &Lit)| if bits >> i & 1 == 1 { !lit } else { lit };
            constraint.iter().enumerate().map(negate).collect()
        })
        .collect()
}

fn run(config: Config, count: usize, seed: u64, checked: &mut Checked) -> (Outcome, usize) {
    let mut rng = Random::new(seed);
    let mut solver = Solver::new(config, Parity::default());
    let mut plain = Solver::new(Config::hard(), NoTheory);
    let vars: Vec<Lit> = (0..count).map(|_| solver.new_var()).collect();
    for &var in &vars {
        solver.observe(var);
        plain.new_var();
    }
    let mut clauses = Vec::new();
    let mut last = Outcome::Unknown;
    for _ in 0..5 {
        for _ in 0..count / 5 {
            let constraint = proper_clause(&mut rng, &vars, 3);
            clauses_of(&constraint).iter().for_each(|clause| {
                plain.add_clause(clause);
            });
            solver.theory_mut().add(constraint);
            let len = 3 + rng.below(2);
            let clause = proper_clause(&mut rng, &vars, len);
            plain.add_clause(&clause);
            solver.add_clause(&clause);
            clauses.push(clause);
        }
        for len in [0, 2, 5] {
            let assumptions = proper_clause(&mut rng, &vars, len);
            last = solver.solve(&assumptions, &never);
            assert_eq!(last, plain.solve(&assumptions, &never));
            if last == Outcome::Sat {
                for lit in vars.iter().copied() {
                    let value = solver.value(lit).unwrap();
                    assert_eq!(solver.theory().truth(lit), Some(value));
                }
            } else if config.proof {
                let (constraints, given) = {
                    let theory = solver.theory();
                    (theory.constraints.clone(), theory.given.clone())
                };
                let is_lemma = |id, clause: &[Lit]| {
                    let mut sorted = clause.to_vec();
                    sorted.sort();
                    let mut expected = given[&id].clone();
                    expected.sort();
                    sorted == expected
                        && constraints.iter().any(|constraint| {
                            clauses_of(constraint)
                                .iter()
                                .any(|valid| valid.iter().all(|l| clause.contains(l)))
                        })
                };
                check_refutation(&mut solver, &clauses, &assumptions, is_lemma, checked);
            }
        }
    }
    if config.proof {
        check_all_steps(&solver, checked);
    }
    (last, solver.theory().explanations)
}

fn run_all(config: Config, count: usize, seeds: u64) {
    let mut checked = Checked::default();
    let (mut unsat, mut explanations) = (0, 0);
    for seed in 0..seeds {
        let (outcome, explained) = run(config, count, seed, &mut checked);
        unsat += usize::from(outcome == Outcome::Unsat);
        explanations += explained;
    }
    println!("{unsat} of {seeds} unsat, {explanations} explanations, {checked:?}");
    assert!(explanations > 1000);
}

#[test]
fn parity_agrees_with_clauses() {
    run_all(Config::incremental(), 60, 40);
    run_all(Config::hard(), 60, 40);
}

#[test]
fn parity_proofs_check() {
    run_all(Config::incremental().with_proof(), 50, 20);
    run_all(Config::incremental().with_proof(), 200, 4);
    run_all(Config::hard().with_proof(), 50, 20);
    run_all(Config::hard().with_proof(), 200, 4);
}
