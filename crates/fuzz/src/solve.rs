//! One formula: what must hold of the answers of all kinds of solvers.

use crate::guard::catch;
use crate::report::{Finding, Kind};
use bolide_base::Budget;
use bolide_proof::Refutation;
use bolide_smt::{Answer, Config, Reason, Solver};
use bolide_smtlib::{Command, read_script};
use bolide_term::{Store, Term};
use std::time::{Duration, Instant};

/// What came of a formula.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// `sat`, `unsat` or `unknown`, by the plain solver.
    pub answer: &'static str,
    /// Time of the plain solver.
    pub time: Duration,
    /// What is wrong, if something is.
    pub finding: Option<Finding>,
}

/// Reads the assertions of a script.
pub fn assertions(text: &str, store: &mut Store) -> Result<Vec<Term>, Finding> {
    let commands = read_script(text, store).map_err(|e| Finding::new(Kind::Reader, e.to_string()))?;
    let terms = commands.into_iter().filter_map(|c| match c.command {
        Command::Assert { term, .. } => Some(term),
        _ => None,
    });
    Ok(terms.collect())
}

/// The answer in one word.
pub fn word(answer: &Answer) -> &'static str {
    match answer {
        Answer::Sat => "sat",
        Answer::Unsat => "unsat",
        Answer::Unknown(_) => "unknown",
    }
}

/// Solves the assertions of a script in all ways and compares.
pub fn solve(text: &str, limit: Duration, seed: u32) -> Outcome {
    let mut outcome = Outcome { answer: "unknown", time: Duration::ZERO, finding: None };
    let finding = catch(|| check_all(text, limit, seed, &mut outcome));
    outcome.finding = match finding {
        Ok(Ok(())) => None,
        Ok(Err(finding)) => Some(finding),
        Err(panic) => Some(Finding::new(Kind::Panic, panic)),
    };
    outcome
}

fn check_all(text: &str, limit: Duration, seed: u32, outcome: &mut Outcome) -> Result<(), Finding> {
    let mut store = Store::new();
    let terms = assertions(text, &mut store)?;
    let begin = Instant::now();
    let plain = answer(&mut store, &terms, Config { seed, ..Config::default() }, limit, "plain")?;
    outcome.time = begin.elapsed();
    outcome.answer = word(&plain);
    with_proof(text, &mut store, &terms, &plain, limit, seed)?;
    if plain == Answer::Unsat {
        core(&mut store, &terms, limit, seed)?;
    }
    Ok(())
}

/// The answer of a solver with this configuration; anything but `sat` and `unsat` is a finding.
fn answer(
    store: &mut Store,
    terms: &[Term],
    config: Config,
    limit: Duration,
    who: &str,
) -> Result<Answer, Finding> {
    let mut solver = Solver::new(config);
    terms.iter().for_each(|&t| solver.assert(t));
    decided(solver.check(store, &Budget::unlimited().with_time(limit)), who)
}

/// Passes on `sat` and `unsat`.
pub fn decided(answer: Answer, who: &str) -> Result<Answer, Finding> {
    match answer {
        Answer::Unknown(Reason::Interrupted(_) | Reason::NonLinear) => {
            Err(Finding::new(Kind::Timeout, format!("{who} solver")))
        }
        Answer::Unknown(reason) => Err(Finding::new(Kind::Unknown, format!("{who} solver: {reason}"))),
        answer => Ok(answer),
    }
}

fn with_proof(
    text: &str,
    store: &mut Store,
    terms: &[Term],
    plain: &Answer,
    limit: Duration,
    seed: u32,
) -> Result<(), Finding> {
    let mut solver = Solver::new(Config { proofs: true, seed, ..Config::default() });
    terms.iter().for_each(|&t| solver.assert(t));
    let answer = decided(solver.check(store, &Budget::unlimited().with_time(limit)), "proving")?;
    if answer != *plain {
        let detail = format!("plain {}, proving {}", word(plain), word(&answer));
        return Err(Finding::new(Kind::Answers, detail));
    }
    if answer == Answer::Unsat {
        let refutation = solver.refutation(store).map_err(|e| Finding::new(Kind::Proof, e.to_string()))?;
        bolide_proof::check(store, &refutation).map_err(|e| Finding::new(Kind::Proof, e.to_string()))?;
        read_back(text, store, refutation)?;
    }
    Ok(())
}

/// A refutation must survive being written and read by somebody who knows nothing but the script.
fn read_back(text: &str, store: &mut Store, refutation: Refutation) -> Result<(), Finding> {
    let finding = |what: String| Finding::new(Kind::ReadBack, what);
    let written = bolide_proof::text::write(store, &[refutation]);
    let mut fresh = Store::new();
    let terms = assertions(text, &mut fresh)?;
    let read = bolide_proof::text::read(&mut fresh, &written).map_err(|e| finding(e.to_string()))?;
    for refutation in &read {
        if refutation.assertions.iter().any(|a| !terms.contains(a)) {
            return Err(finding("the proof is about another formula".into()));
        }
        bolide_proof::check(&mut fresh, refutation).map_err(|e| finding(e.to_string()))?;
    }
    Ok(())
}

/// The assertions as assumptions: same answer, and a core that is unsatisfiable by itself.
fn core(store: &mut Store, terms: &[Term], limit: Duration, seed: u32) -> Result<(), Finding> {
    let mut solver = Solver::new(Config { seed, ..Config::default() });
    let budget = Budget::unlimited().with_time(limit);
    let assuming = decided(solver.check_assuming(store, terms, &budget), "assuming")?;
    if assuming != Answer::Unsat {
        return Err(Finding::new(Kind::Answers, "asserted unsat, assumed sat"));
    }
    let core = solver.core().to_vec();
    let again = answer(store, &core, Config { seed, ..Config::default() }, limit, "core")?;
    if again != Answer::Unsat {
        return Err(Finding::new(Kind::Core, "the core is satisfiable"));
    }
    Ok(())
}
