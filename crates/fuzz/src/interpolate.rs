//! One interpolation problem: all systems, both ways with Farkas lemmas, every interpolant verified.

use crate::guard::catch;
use crate::report::{Finding, Kind, Tally};
use crate::solve::{assertions, decided};
use crate::syntax::Script;
use bolide_base::Budget;
use bolide_itp::{Config, Failure, FarkasStyle, Flaw, System, Tree, interpolate_refutation};
use bolide_smt::{Answer, Solver};
use bolide_smtlib::print_term;
use bolide_term::{Store, Term};
use std::time::Duration;

/// What came of an interpolation problem.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Is it one? Otherwise the parts are satisfiable.
    pub unsat: bool,
    /// Configurations that gave interpolants, and reasons why others did not.
    pub tally: Tally,
    /// The interpolants of one configuration, printed.
    pub interpolants: Vec<String>,
    /// What is wrong, if something is.
    pub finding: Option<Finding>,
}

/// All configurations.
pub const CONFIGURATIONS: [(System, FarkasStyle); 6] = [
    (System::McMillan, FarkasStyle::Decomposed),
    (System::Pudlak, FarkasStyle::Decomposed),
    (System::Dual, FarkasStyle::Decomposed),
    (System::McMillan, FarkasStyle::Plain),
    (System::Pudlak, FarkasStyle::Plain),
    (System::Dual, FarkasStyle::Plain),
];

/// Interpolates in all configurations; the interpolants of number `shown` are printed.
pub fn interpolate(script: &Script, limit: Duration, seed: u32, shown: usize) -> Outcome {
    let mut outcome = Outcome::default();
    let result = catch(|| run(script, limit, seed, shown, &mut outcome));
    outcome.finding = match result {
        Ok(Ok(())) => None,
        Ok(Err(finding)) => Some(finding),
        Err(panic) => Some(Finding::new(Kind::Panic, panic)),
    };
    outcome
}

fn run(
    script: &Script,
    limit: Duration,
    seed: u32,
    shown: usize,
    outcome: &mut Outcome,
) -> Result<(), Finding> {
    let mut store = Store::new();
    let parts = assertions(&script.text(""), &mut store)?;
    let first = script.tree.clone().unwrap_or_else(|| vec![0; parts.len()]);
    let tree = Tree::from_subtrees(first).ok_or(Finding::new(Kind::Reader, "not a tree"))?;
    let printed = all_configurations(&mut store, &parts, &tree, limit, seed, shown, outcome)?;
    outcome.interpolants = printed.iter().map(|&i| print_term(&store, i).to_string()).collect();
    Ok(())
}

/// Refutes the parts once and interpolates in all configurations. The first flaw of any is a finding.
pub fn all_configurations(
    store: &mut Store,
    parts: &[Term],
    tree: &Tree,
    limit: Duration,
    seed: u32,
    shown: usize,
    outcome: &mut Outcome,
) -> Result<Vec<Term>, Finding> {
    let mut solver = Solver::new(bolide_smt::Config { proofs: true, seed, ..Default::default() });
    parts.iter().for_each(|&p| solver.assert(p));
    let budget = Budget::unlimited().with_time(limit);
    if decided(solver.check(store, &budget), "proving")? == Answer::Sat {
        return Ok(Vec::new());
    }
    outcome.unsat = true;
    let refutation = solver.refutation(store).map_err(|e| Finding::new(Kind::Proof, e.to_string()))?;
    bolide_proof::check(store, &refutation).map_err(|e| Finding::new(Kind::Proof, e.to_string()))?;
    let part_of: Vec<usize> = (0..parts.len()).collect();
    let mut kept = Vec::new();
    for (n, &(system, farkas)) in CONFIGURATIONS.iter().enumerate() {
        let config = Config { system, farkas, verify: true, seed };
        let budget = Budget::unlimited().with_time(limit);
        match interpolate_refutation(store, &refutation, &part_of, tree, &config, &budget) {
            Ok(interpolants) => {
                outcome.tally.count("interpolated");
                if n == shown {
                    kept = interpolants;
                }
            }
            Err(failure) => count_failure(failure, &format!("{system:?}/{farkas:?}"), outcome)?,
        }
    }
    Ok(kept)
}

fn count_failure(failure: Failure, config: &str, outcome: &mut Outcome) -> Result<(), Finding> {
    match failure {
        Failure::NotInterpolable { reason, .. } => {
            outcome.tally.count(format!("not interpolable ({reason})"));
            Ok(())
        }
        Failure::Unknown(reason) | Failure::Rejected(Flaw::Undecided(_, reason)) => {
            decided(Answer::Unknown(reason), config).map(|_| ())
        }
        failure => Err(Finding::new(Kind::Interpolant, format!("{config}: {failure}"))),
    }
}

/// The queries whose unsatisfiability makes the printed interpolants right, for another solver.
pub fn obligations(script: &Script, interpolants: &[String]) -> Vec<String> {
    let parts: Vec<String> = script.assertions().map(|e| e.to_string()).collect();
    let first = script.tree.clone().unwrap_or_else(|| vec![0; parts.len()]);
    let Some(tree) = Tree::from_subtrees(first) else { return Vec::new() };
    let query = |n: usize| {
        let mut text = script.preamble();
        for child in tree.children(n) {
            text += &format!("(assert {})\n", interpolants[child]);
        }
        text += &format!("(assert {})\n", parts[n]);
        if let Some(i) = interpolants.get(n) {
            text += &format!("(assert (not {i}))\n");
        }
        text + "(check-sat)\n"
    };
    (0..parts.len()).map(query).collect()
}
