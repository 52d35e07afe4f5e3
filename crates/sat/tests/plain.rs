//! Plain SAT against brute force, with every proof checked.

mod common;

use bolide_sat::{Config, Lit, NoTheory, Outcome, Solver, StepKind};
use common::*;

fn solver(config: Config, count: usize) -> (Solver, Vec<Lit>) {
    let mut solver = Solver::new(config, NoTheory);
    let vars = (0..count).map(|_| solver.new_var()).collect();
    (solver, vars)
}

/// Rounds of clauses and queries on one solver.
fn run_incremental(config: Config, seed: u64, checked: &mut Checked) {
    let mut rng = Random::new(seed);
    let (mut solver, vars) = solver(config, 4 + rng.below(7));
    let mut clauses = Vec::new();
    for _ in 0..12 {
        for _ in 0..1 + rng.below(6) {
            let len = if rng.one_in(12) { 1 } else { 2 + rng.below(3) };
            let clause = if rng.one_in(4) {
                clause(&mut rng, &vars, len)
            } else {
                proper_clause(&mut rng, &vars, len)
            };
            assert_eq!(solver.add_clause(&clause).0 as usize, clauses.len());
            clauses.push(clause);
        }
        for _ in 0..3 {
            let len = rng.below(5);
            let assumptions = if rng.one_in(4) {
                clause(&mut rng, &vars, len)
            } else {
                proper_clause(&mut rng, &vars, len)
            };
            let outcome = solver.solve(&assumptions, &never);
            expect(outcome, brute_force(vars.len(), &clauses, &assumptions, |_| true));
            if outcome == Outcome::Sat {
                model(&mut solver, &vars, &clauses, &assumptions);
            } else {
                let core: Vec<Lit> = assumptions.iter().copied().filter(|&lit| solver.failed(lit)).collect();
                assert!(!brute_force(vars.len(), &clauses, &core, |_| true));
                if config.proof {
                    check_refutation(&mut solver, &clauses, &assumptions, |_, _| false, checked);
                }
            }
            for &var in &vars {
                if let Some(value) = solver.fixed(var) {
                    let other = if value { !var } else { var };
                    assert!(!brute_force(vars.len(), &clauses, &[other], |_| true));
                }
            }
        }
    }
    if config.proof {
        check_all_steps(&solver, checked);
    }
}

#[test]
fn random_incremental_queries_agree_with_brute_force() {
    let mut checked = Checked::default();
    for seed in 0..300 {
        run_incremental(Config::incremental().with_proof(), seed, &mut checked);
        run_incremental(Config::hard().with_proof(), seed, &mut checked);
        run_incremental(Config::incremental(), seed, &mut checked);
        run_incremental(Config::hard(), seed, &mut checked);
    }
    println!("{checked:?}");
    assert!(checked.refutations > 1000 && checked.resolutions > 1000);
}

/// Random 3-SAT around the threshold: long proofs.
fn run_3sat(config: Config, vars: usize, seed: u64, checked: &mut Checked) -> Outcome {
    let mut rng = Random::new(seed);
    let (mut solver, vars) = solver(config, vars);
    let clauses: Vec<_> = (0..vars.len() * 45 / 10).map(|_| proper_clause(&mut rng, &vars, 3)).collect();
    for clause in &clauses {
        solver.add_clause(clause);
    }
    let outcome = solver.solve(&[], &never);
    match outcome {
        Outcome::Sat => {
            for clause in &clauses {
                assert!(clause.iter().any(|&lit| solver.value(lit) == Some(true)));
            }
        }
        Outcome::Unsat => check_refutation(&mut solver, &clauses, &[], |_, _| false, checked),
        Outcome::Unknown => panic!("nobody interrupted"),
    }
    check_all_steps(&solver, checked);
    // The same under assumptions, which make it unsatisfiable quickly.
    let assumptions = proper_clause(&mut rng, &vars, 20);
    if solver.solve(&assumptions, &never) == Outcome::Unsat {
        check_refutation(&mut solver, &clauses, &assumptions, |_, _| false, checked);
    }
    outcome
}

#[test]
fn random_3sat_proofs_check() {
    let mut checked = Checked::default();
    let mut unsat = 0;
    for seed in 0..12 {
        for config in [Config::incremental().with_proof(), Config::hard().with_proof()] {
            unsat += usize::from(run_3sat(config, 120, seed, &mut checked) == Outcome::Unsat);
        }
    }
    println!("{unsat} unsat, {checked:?}");
    assert!(unsat >= 6 && checked.derived > 10_000);
}

#[test]
fn pigeons_do_not_fit() {
    for config in [Config::incremental().with_proof(), Config::hard().with_proof()] {
        let holes = 7;
        let (mut solver, vars) = solver(config, (holes + 1) * holes);
        let at = |pigeon: usize, hole: usize| vars[pigeon * holes + hole];
        let mut clauses: Vec<Vec<Lit>> =
            (0..=holes).map(|pigeon| (0..holes).map(|hole| at(pigeon, hole)).collect()).collect();
        for hole in 0..holes {
            for left in 0..=holes {
                for right in 0..left {
                    clauses.push(vec![!at(left, hole), !at(right, hole)]);
                }
            }
        }
        for clause in &clauses {
            solver.add_clause(clause);
        }
        assert_eq!(solver.solve(&[], &never), Outcome::Unsat);
        let mut checked = Checked::default();
        check_refutation(&mut solver, &clauses, &[], |_, _| false, &mut checked);
        check_all_steps(&solver, &mut checked);
        println!("{checked:?}");
    }
}

#[test]
fn odd_clauses_are_understood() {
    let (mut solver, vars) = solver(Config::incremental().with_proof(), 4);
    let [a, b, c, d] = vars[..] else { unreachable!() };
    let clauses = vec![
        vec![a, !a],       // a tautology
        vec![b, b],        // a unit in disguise
        vec![!b, c, c, d], // strengthened by the unit b, and a duplicate
        vec![!b, !c, c],   // a tautology
        vec![!c, !c, !b],  // now a unit
        vec![!d, a, !a],   // a tautology
        vec![!d, !b, c],   // the contradiction
        vec![a, b],        // after it
    ];
    for clause in &clauses {
        solver.add_clause(clause);
    }
    assert_eq!(solver.solve(&[a], &never), Outcome::Unsat);
    let mut checked = Checked::default();
    check_refutation(&mut solver, &clauses, &[a], |_, _| false, &mut checked);
    check_all_steps(&solver, &mut checked);
    assert!(!solver.failed(a));
    let proof = solver.proof().unwrap();
    assert!(proof.clause(proof.conclusion().unwrap()).is_empty());
}

#[test]
fn the_empty_clause_is_a_refutation() {
    let (mut solver, _) = solver(Config::incremental().with_proof(), 0);
    assert_eq!(solver.solve(&[], &never), Outcome::Sat);
    assert!(solver.proof().unwrap().conclusion().is_none());
    solver.add_clause(&[]);
    for _ in 0..2 {
        assert_eq!(solver.solve(&[], &never), Outcome::Unsat);
        check_refutation(&mut solver, &[vec![]], &[], |_, _| false, &mut Checked::default());
    }
}

#[test]
fn assumptions_that_contradict_each_other_end_in_a_tautology() {
    let (mut solver, vars) = solver(Config::incremental().with_proof(), 2);
    let clauses = vec![vec![vars[0], vars[1]]];
    solver.add_clause(&clauses[0]);
    let assumptions = [vars[0], vars[1], !vars[0]];
    assert_eq!(solver.solve(&assumptions, &never), Outcome::Unsat);
    check_refutation(&mut solver, &clauses, &assumptions, |_, _| false, &mut Checked::default());
    let proof = solver.proof().unwrap();
    assert_eq!(proof.kind(proof.conclusion().unwrap()), StepKind::Tautology);
}

#[test]
fn answers_expire() {
    let (mut solver, vars) = solver(Config::incremental().with_proof(), 2);
    solver.add_clause(&[vars[0]]);
    assert_eq!(solver.value(vars[0]), None);
    assert_eq!(solver.solve(&[], &never), Outcome::Sat);
    assert_eq!(solver.value(vars[0]), Some(true));
    assert!(!solver.failed(vars[0]));
    solver.add_clause(&[!vars[0], vars[1]]);
    assert_eq!(solver.value(vars[0]), None);
    assert_eq!(solver.solve(&[!vars[1]], &never), Outcome::Unsat);
    assert!(solver.failed(!vars[1]));
    assert!(solver.proof().unwrap().conclusion().is_some());
    assert_eq!(solver.value(vars[0]), None);
    assert_eq!(solver.solve(&[], &never), Outcome::Sat);
    assert!(solver.proof().unwrap().conclusion().is_none());
    // A literal that nobody made.
    assert_eq!(solver.value(lit(100)), Some(false));
    assert_eq!(solver.fixed(lit(100)), None);
    assert_eq!(solver.solve(&[lit(100)], &never), Outcome::Sat);
    assert!(solver.new_var().var() > 100);
}

#[test]
fn a_preference_is_followed() {
    let (mut solver, vars) = solver(Config::incremental(), 2);
    solver.add_clause(&vars);
    solver.prefer(!vars[0]);
    solver.prefer(vars[1]);
    assert_eq!(solver.solve(&[], &never), Outcome::Sat);
    assert_eq!(solver.value(vars[0]), Some(false));
    assert_eq!(solver.value(vars[1]), Some(true));
}

#[test]
fn long_implications_conclude() {
    // The depth of the implication graph is the input's choice.
    let (mut solver, vars) = solver(Config::incremental().with_proof(), 20_000);
    let clauses: Vec<_> = vars.windows(2).map(|pair| vec![!pair[0], pair[1]]).collect();
    for clause in &clauses {
        solver.add_clause(clause);
    }
    let assumptions = [vars[0], !vars[vars.len() - 1]];
    assert_eq!(solver.solve(&assumptions, &never), Outcome::Unsat);
    check_refutation(&mut solver, &clauses, &assumptions, |_, _| false, &mut Checked::default());
}

#[test]
fn the_same_input_gives_the_same_proof() {
    let run = || {
        let mut rng = Random::new(5);
        let (mut solver, vars) = solver(Config::hard().with_proof(), 100);
        for _ in 0..460 {
            let clause = proper_clause(&mut rng, &vars, 3);
            solver.add_clause(&clause);
        }
        solver.solve(&[], &never);
        let proof = solver.proof().unwrap();
        proof.steps().map(|step| proof.clause(step).to_vec()).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

/// Large solvers are freed by a thread of their own; with a proof, and while others go on.
#[test]
fn large_solvers_are_freed() {
    for config in [Config::incremental(), Config::incremental().with_proof()] {
        let mut solver = Solver::new(config, NoTheory);
        let lits: Vec<Lit> = (0..1000).map(|_| solver.new_var()).collect();
        for round in 0..510 {
            for at in 0..lits.len() {
                let other = lits[(at + round + 1) % lits.len()];
                solver.add_clause(&[lits[at], !other, lits[(at + 7) % lits.len()]]);
            }
        }
        assert_eq!(solver.solve(&[], &|| false), Outcome::Sat);
    }
    let mut small = Solver::new(Config::incremental(), NoTheory);
    let lit = small.new_var();
    small.add_clause(&[lit]);
    assert_eq!(small.solve(&[!lit], &|| false), Outcome::Unsat);
}
