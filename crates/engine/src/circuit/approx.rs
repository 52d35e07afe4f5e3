//! Approximation refinement (D'Silva, Purandare and Kroening, "Approximation Refinement for Interpolation-Based Model
//! Checking", VMCAI 2008): procedure VERIFY of Figure 2.
//!
//! Where plain interpolation meets a possible counterexample it throws its images away and begins again with a larger
//! bound. Here a *counterexample-free* approximation is completed instead: what makes the formula satisfiable is taken
//! out, either the states that lead to an error (lifted to cubes) or, when these are too many, the last steps of the
//! bound. The approximation may then fail to be inductive, but only by steps into states that lead to an error within
//! the bound. It contains all reachable states if the circuit is safe, and so it constrains all images of the next
//! round, whose larger bound rules those steps out: an approximation of that round that needed no force is inductive.
//!
//! Forwards and backwards take turns. The backward approximation starts from the bad states and keeps its distance from
//! states that are reached within the bound; its complement is an invariant when it is closed. As the paper suggests,
//! every round also tries k-induction, with as much effort as the forward analysis.

mod backward;
mod forward;

use super::bmc::Bmc;
use super::kind::Induction;
use super::{Outcome, Proof};
use backward::Backward;
use bolide_base::{Budget, Gauge, Interrupt, Stats};
use bolide_model::circuit::{Aig, Bit, Circuit, Formula};
use forward::Forward;

/// How the engine works.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// How many cubes that lead to an error are taken out in one round before the bound is weakened.
    pub blocked: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config { blocked: 20 }
    }
}

/// The effort that k-induction has before the forward analysis begins; later it has as much more as that.
const INDUCTION_EFFORT: u64 = 20_000;

/// What the rounds did.
#[derive(Default)]
struct Counters {
    rounds: u64,
    images: u64,
    preimages: u64,
    blocked: u64,
    weakened: u64,
    /// Rounds that were given up because force took too much effort.
    restarts: u64,
    /// Rounds that were completed where plain interpolation would have begun again.
    restarts_avoided: u64,
    /// Rounds that were constrained by an approximation of an earlier one.
    reused: u64,
}

/// Proves or refutes the first property of the circuit.
pub fn run(circuit: &Circuit, config: Config, budget: &Budget, stats: &mut Stats) -> Outcome {
    let mut counters = Counters::default();
    let result = prove(circuit, config, budget, &mut counters);
    for (name, count) in [
        ("approx rounds", counters.rounds),
        ("approx images", counters.images),
        ("approx preimages", counters.preimages),
        ("approx blocked cubes", counters.blocked),
        ("approx weakened bounds", counters.weakened),
        ("approx restarts", counters.restarts),
        ("approx restarts avoided", counters.restarts_avoided),
        ("approx approximations reused", counters.reused),
    ] {
        stats.count(name, count);
    }
    result.unwrap_or_else(|interrupt| Outcome::Unknown(interrupt.to_string()))
}

fn prove(
    circuit: &Circuit,
    config: Config,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Outcome, Interrupt> {
    let mut errors = Bmc::new(circuit);
    let mut induction = Induction::new(circuit);
    let mut forward = Forward::new(circuit);
    let mut backward = Backward::new(circuit);
    for bound in 2.. {
        counters.rounds += 1;
        budget.note(Gauge::Depth, bound as u64);
        if let Some(error) = errors.reach(bound, budget)? {
            return Ok(error);
        }
        if induction.keep_up(forward.effort() + INDUCTION_EFFORT, budget)? {
            return induction.complete(&mut errors, budget);
        }
        let before = forward.queries();
        if let Some(invariant) = forward.round(config, budget, counters)? {
            return Ok(Outcome::Safe(Proof::inductive(invariant)));
        }
        // Backwards as much effort as forwards.
        let effort = forward.queries() - before + forward::LEAST_EFFORT;
        if let Some(invariant) = backward.round(effort, budget, counters)? {
            return Ok(Outcome::Safe(Proof::inductive(invariant)));
        }
        // The search for errors goes on with as much effort.
        if let Some(error) = errors.keep_up(forward.effort(), budget)? {
            return Ok(error);
        }
        forward.extend();
        backward.extend();
    }
    Ok(Outcome::Unknown("the bound is exhausted".into()))
}

/// A set of states of the graph, whose first leaves are the latches, as a formula of its own.
fn formula_of(circuit: &Circuit, states: &Aig, set: Bit) -> Formula {
    let mut formula = Formula::over(circuit);
    let latches: Vec<Bit> = (0..circuit.latches.len()).map(|number| formula.latch(number)).collect();
    let mut source = Formula::over(circuit);
    source.aig = states.clone();
    source.root = set;
    formula.root = source.instantiate(&mut formula.aig, &latches, &[]);
    formula
}
