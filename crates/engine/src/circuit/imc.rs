//! Interpolation-based model checking (McMillan, "Interpolation and SAT-Based Model Checking", CAV 2003).
//!
//! The interpolant between one step from a set of states and the next `k - 1` steps into a bad state over-approximates
//! the image of the set and keeps `k - 1` steps distance from bad states. Images are taken until they add nothing: then
//! their union is an invariant. If an image comes too close to a bad state, all begins again with a larger `k`.

use super::bmc::Bmc;
use super::images::{Images, Inclusion, Method};
use super::{Outcome, Proof};
use bolide_base::{Budget, Gauge, Interrupt, Stats};
use bolide_model::circuit::Circuit;

/// How the engine works.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// How interpolants are made.
    pub method: Method,
}

/// Proves or refutes the first property of the circuit.
pub fn run(circuit: &Circuit, config: Config, budget: &Budget, stats: &mut Stats) -> Outcome {
    let mut imc = Imc { circuit, images: 0, restarts: 0, largest: 0 };
    let result = imc.prove(config, budget);
    stats.count("imc images", imc.images);
    stats.count("imc restarts", imc.restarts);
    stats.count("imc largest image in gates", imc.largest);
    result.unwrap_or_else(Outcome::unknown)
}

struct Imc<'a> {
    circuit: &'a Circuit,
    images: u64,
    restarts: u64,
    largest: u64,
}

impl Imc<'_> {
    fn prove(&mut self, config: Config, budget: &Budget) -> Result<Outcome, Interrupt> {
        let mut errors = Bmc::new(self.circuit);
        let mut images = Images::new(self.circuit, config.method);
        for bound in 2.. {
            budget.note(Gauge::Depth, bound as u64);
            budget.note(Gauge::Refinements, self.restarts);
            if let Some(error) = errors.reach(bound, budget)? {
                return Ok(error);
            }
            if let Some(outcome) = self.reach_fixed_point(&mut images, &mut errors, budget)? {
                return Ok(outcome);
            }
            self.restarts += 1;
            images.extend();
        }
        Ok(Outcome::Unknown("the bound is exhausted".into()))
    }

    /// Takes images of the initial states until nothing is added; `None` if one comes too close to a bad state. The
    /// search for errors goes on beside that, with as much effort.
    fn reach_fixed_point(
        &mut self,
        images: &mut Images<'_>,
        errors: &mut Bmc<'_>,
        budget: &Budget,
    ) -> Result<Option<Outcome>, Interrupt> {
        let mut inclusion = Inclusion::new();
        let mut reached = images.reset;
        let mut from = images.reset;
        loop {
            budget.check()?;
            let Some(image) = images.image(from, budget)? else { return Ok(None) };
            self.images += 1;
            if inclusion.implies(&images.states, image, reached, budget)? {
                return Ok(Some(Outcome::Safe(Proof::inductive(images.formula(reached)))));
            }
            if let Some(error) = errors.keep_up(images.effort(), budget)? {
                return Ok(Some(error));
            }
            self.largest = self.largest.max(images.states.cone_size([image]) as u64);
            reached = images.states.or(reached, image);
            from = image;
        }
    }
}
