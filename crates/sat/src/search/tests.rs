//! Random formulas against all assignments: answers, models, cores, and clauses of one query only.

use super::{Answer, Lit, Search};
use bolide_testkit::Random;

fn clause(random: &mut Random, vars: usize, len: usize) -> Vec<Lit> {
    (0..len).map(|_| Lit::new(random.below(vars), random.below(2) == 1)).collect()
}

fn holds(lit: Lit, assignment: usize) -> bool {
    (assignment >> lit.var() & 1 == 1) != lit.is_negated()
}

fn is_satisfiable(vars: usize, clauses: &[Vec<Lit>], units: &[Lit]) -> bool {
    (0..1 << vars).any(|assignment| {
        units.iter().all(|&lit| holds(lit, assignment))
            && clauses.iter().all(|clause| clause.iter().any(|&lit| holds(lit, assignment)))
    })
}

#[test]
fn queries_agree_with_enumeration() {
    let mut random = Random::new(3);
    let (mut sat, mut unsat) = (0, 0);
    for _ in 0..400 {
        let vars = 4 + random.below(7);
        let mut search = Search::new(vars);
        let mut clauses: Vec<Vec<Lit>> = Vec::new();
        for _ in 0..25 {
            for _ in 0..1 + random.below(4) {
                let len = 2 + random.below(2);
                let clause = clause(&mut random, vars, len);
                search.add_clause(&clause);
                clauses.push(clause);
            }
            let count = random.below(4);
            let assumptions = clause(&mut random, vars, count);
            let extra = if random.below(2) == 0 { clause(&mut random, vars, 2) } else { Vec::new() };
            let mut all = clauses.clone();
            all.extend((!extra.is_empty()).then(|| extra.clone()));
            let answer = search.solve(&assumptions, &extra, 0..vars, &|| false);
            if is_satisfiable(vars, &all, &assumptions) {
                assert_eq!(answer, Answer::Sat);
                let of = |&lit: &Lit| search.value(lit) == Some(true);
                assert!(assumptions.iter().all(of));
                assert!(all.iter().all(|clause| clause.iter().any(of)));
                sat += 1;
            } else {
                assert_eq!(answer, Answer::Unsat);
                let core: Vec<Lit> = assumptions.iter().copied().filter(|&lit| search.in_core(lit)).collect();
                assert!(!is_satisfiable(vars, &all, &core), "the core is enough");
                unsat += 1;
            }
        }
    }
    assert!(sat > 500 && unsat > 500, "{sat} and {unsat}");
}

#[test]
fn clauses_can_be_removed_behind_a_switch() {
    let mut random = Random::new(5);
    for _ in 0..300 {
        let vars = 8;
        let mut search = Search::new(vars);
        let fixed: Vec<Vec<Lit>> = (0..20).map(|_| clause(&mut random, vars, 3)).collect();
        fixed.iter().for_each(|clause| {
            search.add_clause(clause);
        });
        for _ in 0..20 {
            let on = Lit::new(search.new_var(), false);
            let added: Vec<Vec<Lit>> = (0..15).map(|_| clause(&mut random, vars, 3)).collect();
            let mut handles = Vec::new();
            for clause in &added {
                let mut switched = clause.clone();
                switched.push(!on);
                handles.extend(search.add_clause(&switched));
            }
            let all = [fixed.as_slice(), added.as_slice()].concat();
            let expected = if is_satisfiable(vars, &all, &[]) { Answer::Sat } else { Answer::Unsat };
            assert_eq!(search.solve(&[on], &[], 0..vars, &|| false), expected);
            search.add_clause(&[!on]);
            handles.into_iter().for_each(|handle| search.remove_clause(handle));
            let expected = if is_satisfiable(vars, &fixed, &[]) { Answer::Sat } else { Answer::Unsat };
            assert_eq!(search.solve(&[], &[], 0..vars, &|| false), expected);
        }
    }
}
