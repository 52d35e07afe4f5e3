//! A theory in the search: answers against brute force, proofs with their lemmas checked.

mod common;
#[path = "common/difference.rs"]
mod difference;

use bolide_sat::{Config, Lit, Outcome, Solver};
use common::*;
use difference::{Atom, Difference, Style, consistent};
use std::collections::HashMap;

struct Bench {
    solver: Solver<Difference>,
    rng: Random,
    points: usize,
    /// Atoms and plain variables.
    vars: Vec<Lit>,
    atoms: HashMap<u32, Atom>,
    clauses: Vec<Vec<Lit>>,
}

impl Bench {
    fn new(config: Config, style: Style, seed: u64) -> Bench {
        let mut rng = Random::new(seed);
        let points = 3 + rng.below(2);
        let solver = Solver::new(config, Difference::new(points, style));
        Bench { solver, rng, points, vars: vec![], atoms: HashMap::new(), clauses: vec![] }
    }

    fn add_atom(&mut self, observe_now: bool) {
        let x = self.rng.below(self.points);
        let y = (x + 1 + self.rng.below(self.points - 1)) % self.points;
        let c = self.rng.below(5) as i64 - 2;
        let atom = if self.rng.one_in(3) { Atom::Eq(x, y, c) } else { Atom::Le(x, y, c) };
        if self.solver.theory().by_atom.contains_key(&atom) {
            return;
        }
        let var = self.solver.new_var();
        self.vars.push(var);
        if observe_now {
            self.observe(var, atom);
        } else {
            self.atoms.insert(var.var(), atom);
        }
    }

    fn observe(&mut self, var: Lit, atom: Atom) {
        self.atoms.insert(var.var(), atom);
        self.solver.theory_mut().register(var, atom);
        self.solver.observe(var);
    }

    fn add_clauses(&mut self, count: usize) {
        for _ in 0..count {
            let len = 1 + self.rng.below(4);
            let clause = if self.rng.one_in(5) {
                clause(&mut self.rng, &self.vars, len)
            } else {
                proper_clause(&mut self.rng, &self.vars, len.max(2))
            };
            self.solver.add_clause(&clause);
            self.clauses.push(clause);
        }
    }

    /// Brute force over the variables, of which there may be unused numbers in between.
    fn satisfiable(&self, assumptions: &[Lit]) -> bool {
        let vars = &self.vars;
        (0..1u64 << vars.len()).any(|bits| {
            let truth = |lit: Lit| {
                let index = vars.iter().position(|var| var.var() == lit.var()).unwrap();
                (bits >> index & 1 == 1) == lit.is_positive()
            };
            assumptions.iter().all(|&lit| truth(lit))
                && self.clauses.iter().all(|clause| clause.iter().any(|&lit| truth(lit)))
                && self.is_consistent(truth)
        })
    }

    fn is_consistent(&self, truth: impl Fn(Lit) -> bool) -> bool {
        let lits: Vec<Lit> = (self.vars.iter())
            .filter(|var| self.atoms.contains_key(&var.var()))
            .map(|&var| if truth(var) { var } else { !var })
            .collect();
        consistent(self.points, &self.atoms, &lits)
    }

    fn query(&mut self, checked: &mut Checked) -> Outcome {
        let len = self.rng.below(4);
        let assumptions = clause(&mut self.rng, &self.vars, len);
        let outcome = self.solver.solve(&assumptions, &never);
        expect(outcome, self.satisfiable(&assumptions));
        if outcome == Outcome::Sat {
            let truth: HashMap<u32, bool> =
                self.vars.iter().map(|&var| (var.var(), self.solver.value(var).unwrap())).collect();
            for clause in self.clauses.iter().chain([&assumptions].into_iter().filter(|a| a.len() == 1)) {
                assert!(clause.iter().any(|lit| truth[&lit.var()] == lit.is_positive()));
            }
            assert!(self.is_consistent(|var| truth[&var.var()]));
        } else {
            let core: Vec<Lit> = assumptions.iter().copied().filter(|&lit| self.solver.failed(lit)).collect();
            assert!(!self.satisfiable(&core));
            if self.solver.proof().is_some() {
                self.check_proof(&assumptions, checked);
            }
        }
        outcome
    }

    fn check_proof(&mut self, assumptions: &[Lit], checked: &mut Checked) {
        let given = self.solver.theory().given.clone();
        let atoms = self.solver.theory().atoms.clone();
        let points = self.points;
        let is_lemma = |id, clause: &[Lit]| {
            let negated: Vec<Lit> = clause.iter().map(|&lit| !lit).collect();
            sorted(&given[&id]) == sorted(clause) && !consistent(points, &atoms, &negated)
        };
        check_refutation(&mut self.solver, &self.clauses, assumptions, is_lemma, checked);
    }
}

fn sorted(clause: &[Lit]) -> Vec<Lit> {
    let mut clause = clause.to_vec();
    clause.sort();
    clause
}

fn styles() -> impl Iterator<Item = Style> {
    (0..16).map(|bits| Style {
        propagates: bits & 1 != 0,
        lazy: bits & 2 != 0,
        keeps: bits & 4 != 0,
        decides: bits & 8 != 0,
    })
}

fn run(config: Config, seeds: std::ops::Range<u64>) {
    let mut checked = Checked::default();
    let (mut sat, mut unsat, mut explanations, mut splits) = (0, 0, 0, 0);
    for seed in seeds {
        for style in styles() {
            let mut bench = Bench::new(config, style, seed);
            for _ in 0..6 {
                bench.add_atom(true);
            }
            for _ in 0..2 {
                let var = bench.solver.new_var();
                bench.vars.push(var);
            }
            for round in 0..5 {
                // New atoms arrive between queries, also for variables that are in clauses already.
                bench.add_atom(true);
                bench.add_clauses(3);
                let seen = bench.rng.below(bench.vars.len());
                let var = bench.vars[seen];
                let atom = Atom::Le(0, 1, 3 + round);
                if !bench.atoms.contains_key(&var.var()) && !bench.solver.theory().by_atom.contains_key(&atom)
                {
                    bench.observe(var, atom);
                }
                if bench.rng.one_in(3) {
                    bench.solver.rewind_theory();
                }
                for _ in 0..3 {
                    match bench.query(&mut checked) {
                        Outcome::Sat => sat += 1,
                        _ => unsat += 1,
                    }
                }
            }
            explanations += bench.solver.theory().explanations;
            splits += bench.solver.theory().splits;
            if config.proof {
                check_all_steps(&bench.solver, &mut checked);
            }
        }
    }
    println!("{sat} sat, {unsat} unsat, {explanations} explanations, {splits} splits, {checked:?}");
    assert!(sat > 100 && unsat > 100 && explanations > 100 && splits > 100);
    assert!(!config.proof || (checked.refutations == unsat && checked.lemmas > 100));
}

#[test]
fn difference_logic_agrees_with_brute_force() {
    run(Config::incremental(), 0..20);
}

#[test]
fn difference_logic_with_inprocessing_agrees_with_brute_force() {
    run(Config::hard(), 100..120);
}

#[test]
fn difference_logic_proofs_check() {
    run(Config::incremental().with_proof(), 200..220);
}

#[test]
fn difference_logic_proofs_with_inprocessing_check() {
    run(Config::hard().with_proof(), 300..320);
}

/// Problems too large for brute force: models and proofs are evidence enough.
fn run_large(
    config: Config,
    points: usize,
    atoms: usize,
    style: Style,
    seed: u64,
    checked: &mut Checked,
) -> Outcome {
    let mut bench = Bench::new(config, style, seed);
    bench.points = points;
    bench.solver.theory_mut().points = points;
    while bench.vars.len() < atoms {
        bench.add_atom(true);
    }
    let mut last = Outcome::Unknown;
    for _ in 0..4 {
        for _ in 0..bench.vars.len() {
            let clause = proper_clause(&mut bench.rng, &bench.vars, 3);
            bench.solver.add_clause(&clause);
            bench.clauses.push(clause);
        }
        for len in [0, 3] {
            let assumptions = proper_clause(&mut bench.rng, &bench.vars, len);
            last = bench.solver.solve(&assumptions, &never);
            if last == Outcome::Sat {
                let truth: HashMap<u32, bool> =
                    bench.vars.iter().map(|&var| (var.var(), bench.solver.value(var).unwrap())).collect();
                for clause in &bench.clauses {
                    assert!(clause.iter().any(|lit| truth[&lit.var()] == lit.is_positive()));
                }
                let lits = bench.solver.theory().trail.clone();
                let inequalities: Vec<Lit> = (lits.into_iter())
                    .filter(|lit| {
                        let theory = bench.solver.theory();
                        lit.is_positive() || matches!(theory.atoms[&lit.var()], Atom::Le(..))
                    })
                    .collect();
                assert!(consistent(points, &bench.solver.theory().atoms, &inequalities));
            } else {
                bench.check_proof(&assumptions, checked);
            }
        }
    }
    check_all_steps(&bench.solver, checked);
    last
}

#[test]
fn large_difference_problems_are_proved() {
    let mut checked = Checked::default();
    let mut unsat = 0;
    for config in [Config::incremental().with_proof(), Config::hard().with_proof()] {
        for style in styles().filter(|style| !style.lazy) {
            for seed in 0..3 {
                unsat += usize::from(run_large(config, 7, 60, style, seed, &mut checked) == Outcome::Unsat);
            }
        }
    }
    println!("{unsat} unsat, {checked:?}");
    assert!(unsat > 10);
}
