//! Helpers for the tests: random numbers, brute force, and a reader of proofs.

#![allow(dead_code, reason = "every test file uses a part of it")]

use bolide_sat::{Inference, LemmaId, Lit, Origin, Outcome, Solver, StepKind, Theory};
pub use bolide_testkit::Random;

/// One of some variables or its negation.
fn random_lit(random: &mut Random, vars: &[Lit]) -> Lit {
    let var = vars[random.below(vars.len())];
    if random.one_in(2) { var } else { !var }
}

/// A clause that may have duplicates and be a tautology.
pub fn clause(random: &mut Random, vars: &[Lit], len: usize) -> Vec<Lit> {
    (0..len).map(|_| random_lit(random, vars)).collect()
}

/// A clause over different variables.
pub fn proper_clause(random: &mut Random, vars: &[Lit], len: usize) -> Vec<Lit> {
    let mut clause: Vec<Lit> = Vec::new();
    while clause.len() < len.min(vars.len()) {
        let lit = random_lit(random, vars);
        if clause.iter().all(|other| other.var() != lit.var()) {
            clause.push(lit);
        }
    }
    clause
}

pub fn lit(dimacs: i32) -> Lit {
    Lit::new(dimacs).unwrap()
}

pub fn never() -> bool {
    false
}

/// Whether bit `var - 1` of the assignment makes the literal true.
pub fn holds(assignment: u64, lit: Lit) -> bool {
    (assignment >> (lit.var() - 1) & 1 == 1) == lit.is_positive()
}

pub fn satisfies(assignment: u64, clauses: &[Vec<Lit>]) -> bool {
    clauses.iter().all(|clause| clause.iter().any(|&lit| holds(assignment, lit)))
}

/// Whether some assignment of the variables satisfies clauses, assumptions and `extra`.
pub fn brute_force(
    vars: usize,
    clauses: &[Vec<Lit>],
    assumptions: &[Lit],
    extra: impl Fn(u64) -> bool,
) -> bool {
    (0..1u64 << vars).any(|assignment| {
        assumptions.iter().all(|&lit| holds(assignment, lit))
            && satisfies(assignment, clauses)
            && extra(assignment)
    })
}

/// Counts of what a proof check went through.
#[derive(Default, Debug)]
pub struct Checked {
    pub refutations: usize,
    pub resolutions: usize,
    pub lemmas: usize,
    pub derived: usize,
}

/// Checks the proof behind an unsatisfiable answer: every step of the trimmed refutation, that inputs are the clauses
/// given, that lemmas are good, and that the conclusion speaks of failed assumptions only.
pub fn check_refutation<T: Theory>(
    solver: &mut Solver<T>,
    inputs: &[Vec<Lit>],
    assumptions: &[Lit],
    mut is_lemma: impl FnMut(LemmaId, &[Lit]) -> bool,
    checked: &mut Checked,
) {
    let conclusion = {
        let proof = solver.proof().expect("a proof");
        let refutation = proof.last_refutation().unwrap_or_else(|error| panic!("{error}"));
        let mut ready = std::collections::HashSet::new();
        for (step, inference) in refutation.steps() {
            match inference {
                Inference::Original(Origin::Input(clause)) => {
                    assert_eq!(proof.clause(step), &inputs[clause.0 as usize]);
                }
                Inference::Original(Origin::Lemma(lemma)) => {
                    checked.lemmas += 1;
                    assert!(is_lemma(lemma, proof.clause(step)), "bad lemma {:?}", proof.clause(step));
                }
                Inference::Tautology => assert!(proof.clause(step).len() == 2),
                Inference::Resolution { start, pivots } => {
                    checked.resolutions += pivots.len();
                    assert!(ready.contains(&start));
                    assert!(pivots.iter().all(|pivot| ready.contains(&pivot.antecedent)));
                }
            }
            ready.insert(step);
        }
        checked.refutations += 1;
        let last = proof.conclusion().unwrap();
        assert_eq!(refutation.steps().next_back().unwrap().0, last);
        proof.clause(last).to_vec()
    };
    for lit in conclusion {
        assert!(assumptions.contains(&!lit), "{lit} is no negated assumption");
        assert!(solver.failed(!lit));
    }
}

/// Checks every derived step of the whole proof, needed or not.
pub fn check_all_steps<T: Theory>(solver: &Solver<T>, checked: &mut Checked) {
    let proof = solver.proof().expect("a proof");
    for step in proof.steps() {
        if proof.kind(step) == StepKind::Derived {
            proof.chain(step).unwrap_or_else(|error| panic!("{error}"));
            checked.derived += 1;
        }
    }
}

/// The model as bits, and a check that it satisfies clauses and assumptions.
pub fn model<T: Theory>(
    solver: &mut Solver<T>,
    vars: &[Lit],
    clauses: &[Vec<Lit>],
    assumptions: &[Lit],
) -> u64 {
    let mut bits = 0;
    for &var in vars {
        if solver.value(var).expect("a model") {
            bits |= 1 << (var.var() - 1);
        }
        assert_eq!(solver.value(!var), solver.value(var).map(|value| !value));
    }
    for clause in clauses.iter().chain(&assumptions.iter().map(|&lit| vec![lit]).collect::<Vec<_>>()) {
        assert!(clause.iter().any(|&lit| solver.value(lit) == Some(true)), "model violates {clause:?}");
    }
    bits
}

pub fn expect(outcome: Outcome, satisfiable: bool) {
    assert_eq!(outcome, if satisfiable { Outcome::Sat } else { Outcome::Unsat });
}
