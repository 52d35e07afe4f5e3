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
//! Several analyses take turns, with efforts in a fixed proportion.
//!
//! | module | analysis |
//! |---|---|
//! | `forward` | the approximations of the reachable states, with a bound that grows from round to round |
//! | `backward` | the same from the bad states on: it keeps its distance from states that are reached within the bound, and its complement is an invariant when it is closed |
//! | `lemmas` | minimal inductive clauses that exclude states which lead to an error, as the paper suggests; they constrain all others |
//! | `layers` | a forward analysis with a small bound that makes its images more precise where they meet such states |
//!
//! The paper also suggests k-induction, which is helped by the lemmas; and the search for errors goes on all the time.

mod backward;
mod forward;
mod layers;
mod lemmas;
#[cfg(test)]
mod tests;

use super::bmc::Bmc;
use super::kind::Induction;
use super::{Outcome, Proof};
use backward::Backward;
use bolide_base::{Budget, Gauge, Interrupt, Stats};
use bolide_model::circuit::{Aig, Bit, Circuit, Formula};
use forward::{Forward, Progress};
use layers::Precise;
use lemmas::{Lemmas, without_errors};
use std::time::{Duration, Instant};

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

/// The effort that k-induction may always have; later it has half as much more as the forward analysis.
const INDUCTION_EFFORT: u64 = 20_000;
/// The effort that the forward and the precise analysis may always have.
const LEAST_EFFORT: u64 = 5_000;

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
    /// Inductive clauses that exclude states which lead to an error.
    lemmas: u64,
    /// States that lead to an error and were met by images that are made more precise.
    refined: u64,
}

/// The time that the parts took.
#[derive(Default)]
struct Times {
    errors: Duration,
    induction: Duration,
    forward: Duration,
    backward: Duration,
    precise: Duration,
}

/// Adds the time that the work takes.
fn timed<R>(time: &mut Duration, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = work();
    *time += start.elapsed();
    result
}

/// Proves or refutes the first property of the circuit.
pub fn run(circuit: &Circuit, config: Config, budget: &Budget, stats: &mut Stats) -> Outcome {
    let (mut counters, mut times) = (Counters::default(), Times::default());
    let result = prove(circuit, config, budget, &mut counters, &mut times);
    for (name, count) in [
        ("approx rounds", counters.rounds),
        ("approx images", counters.images),
        ("approx preimages", counters.preimages),
        ("approx blocked cubes", counters.blocked),
        ("approx weakened bounds", counters.weakened),
        ("approx restarts", counters.restarts),
        ("approx restarts avoided", counters.restarts_avoided),
        ("approx approximations reused", counters.reused),
        ("approx lemmas", counters.lemmas),
        ("approx refinements", counters.refined),
    ] {
        stats.count(name, count);
    }
    for (name, time) in [
        ("approx search for errors", times.errors),
        ("approx induction", times.induction),
        ("approx forwards", times.forward),
        ("approx backwards", times.backward),
        ("approx precise images", times.precise),
    ] {
        stats.time(name, time);
    }
    result.unwrap_or_else(Outcome::unknown)
}

fn prove(
    circuit: &Circuit,
    config: Config,
    budget: &Budget,
    counters: &mut Counters,
    times: &mut Times,
) -> Result<Outcome, Interrupt> {
    let mut errors = Bmc::new(circuit);
    let mut induction = Induction::new(circuit);
    let mut forward = Forward::new(circuit);
    let mut precise = Precise::new(circuit);
    let mut backward = Backward::new(circuit);
    let restricted = without_errors(circuit);
    let mut lemmas = Lemmas::new(circuit, &restricted, budget);
    let mut bound = 2;
    loop {
        budget.note(Gauge::Depth, bound as u64);
        if let Some(error) = timed(&mut times.errors, || errors.reach(bound, budget))? {
            return Ok(error);
        }
        // The forward analysis goes on for a while, then the others with an effort that depends on its.
        let limit = LEAST_EFFORT + forward.cost() + forward.cost() / 2;
        let advance = || forward.advance(config, limit, &mut lemmas, budget, counters);
        let is_finished = match timed(&mut times.forward, advance)? {
            Progress::Invariant(invariant) => return Ok(Outcome::Safe(Proof::inductive(invariant))),
            Progress::Finished => true,
            Progress::Paused => false,
        };
        counters.lemmas = lemmas.cubes.len() as u64;
        induction.learn(&lemmas.cubes);
        let cost = forward.cost();
        if timed(&mut times.induction, || induction.keep_up(cost / 2 + INDUCTION_EFFORT, budget))? {
            return induction.complete(&mut errors, budget);
        }
        let refine = || precise.keep_up(cost + LEAST_EFFORT, budget, counters);
        if let Some(outcome) = timed(&mut times.precise, refine)? {
            return Ok(outcome);
        }
        if let Some(error) = timed(&mut times.errors, || errors.keep_up(2 * cost, budget))? {
            return Ok(error);
        }
        if is_finished {
            let round = || backward.round(LEAST_EFFORT / 5 + cost / 4, budget, counters);
            if let Some(invariant) = timed(&mut times.backward, round)? {
                return Ok(Outcome::Safe(Proof::inductive(invariant)));
            }
            bound += 1;
            forward.extend();
            backward.extend();
        }
    }
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
