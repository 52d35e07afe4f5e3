//! Scripts of scopes and queries: one solver that lives through all of it, against a fresh one for each query.

use crate::guard::catch;
use crate::report::{Finding, Kind};
use crate::solve::{decided, word};
use bolide_base::Budget;
use bolide_smt::{Answer, Config, Solver};
use bolide_smtlib::{Command, read_script};
use bolide_term::{Store, Term};
use std::time::Duration;

/// The answers to the queries of a script, or what is wrong with one.
pub fn incremental(text: &str, limit: Duration, seed: u32) -> Result<Vec<&'static str>, Finding> {
    catch(|| run(text, limit, seed)).unwrap_or_else(|panic| Err(Finding::new(Kind::Panic, panic)))
}

fn run(text: &str, limit: Duration, seed: u32) -> Result<Vec<&'static str>, Finding> {
    let mut store = Store::new();
    let commands = read_script(text, &mut store).map_err(|e| Finding::new(Kind::Reader, e.to_string()))?;
    let config = Config { seed, ..Config::default() };
    let mut living = Solver::new(config.clone());
    let mut proving = Solver::new(Config { proofs: true, ..config });
    let mut answers = Vec::new();
    for located in commands {
        match located.command {
            Command::Assert { term, .. } => {
                living.assert(term);
                proving.assert(term);
            }
            Command::Push(n) => (0..n).for_each(|_| {
                living.push();
                proving.push();
            }),
            Command::Pop(n) => {
                living.pop(n);
                proving.pop(n);
            }
            Command::CheckSat => answers.push(query(&mut store, &mut living, &mut proving, &[], limit)?),
            Command::CheckSatAssuming(assumptions) => {
                let terms: Vec<Term> = assumptions.iter().map(|a| a.term).collect();
                answers.push(query(&mut store, &mut living, &mut proving, &terms, limit)?);
            }
            _ => {}
        }
    }
    Ok(answers)
}

/// Asks all solvers; their answers must be the same, and cores must be cores.
fn query(
    store: &mut Store,
    living: &mut Solver,
    proving: &mut Solver,
    assumptions: &[Term],
    limit: Duration,
) -> Result<&'static str, Finding> {
    let budget = || Budget::unlimited().with_time(limit);
    let answer = decided(living.check_assuming(store, assumptions, &budget()), "incremental")?;
    let core: Vec<Term> = living.core().to_vec();
    let with_proof = decided(proving.check_assuming(store, assumptions, &budget()), "proving")?;
    let mut fresh = Solver::default();
    living.assertions().iter().chain(assumptions).for_each(|&t| fresh.assert(t));
    let expected = decided(fresh.check(store, &budget()), "fresh")?;
    if answer != expected || with_proof != expected {
        let detail = format!(
            "incremental {}, proving {}, fresh {}",
            word(&answer),
            word(&with_proof),
            word(&expected)
        );
        return Err(Finding::new(Kind::Answers, detail));
    }
    if answer == Answer::Unsat {
        if let Some(stranger) = core.iter().find(|t| !assumptions.contains(t)) {
            return Err(Finding::new(Kind::Core, format!("{stranger:?} was not assumed")));
        }
        let mut again = Solver::default();
        living.assertions().iter().chain(&core).for_each(|&t| again.assert(t));
        if decided(again.check(store, &budget()), "core")? != Answer::Unsat {
            return Err(Finding::new(Kind::Core, "the failed assumptions are satisfiable"));
        }
        if assumptions.is_empty() {
            let refutation =
                proving.refutation(store).map_err(|e| Finding::new(Kind::Proof, e.to_string()))?;
            bolide_proof::check(store, &refutation).map_err(|e| Finding::new(Kind::Proof, e.to_string()))?;
        }
    }
    Ok(word(&answer))
}
