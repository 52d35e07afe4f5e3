//! Interpolation-based model checking (McMillan, "Interpolation and SAT-Based Model Checking", CAV 2003).
//!
//! The interpolant between one step from a set of states and the next `k - 1` steps into a bad state over-approximates
//! the image of the set and keeps `k - 1` steps distance from bad states. Images are taken until they add nothing: then
//! their union is an invariant. If an image comes too close to a bad state, all begins again with a larger `k`.

use super::bmc::Bmc;
use super::images::{Images, Inclusion, Method};
use super::{Outcome, Proof};
use bolide_base::{Budget, Interrupt, Stats};
use bolide_model::circuit::{Circuit, Formula};

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
    result.unwrap_or_else(|interrupt| Outcome::Unknown(interrupt.to_string()))
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
        if let Some(error) = errors.next(budget)? {
            return Ok(error);
        }
        loop {
            if let Some(error) = errors.next(budget)? {
                return Ok(error);
            }
            if let Some(invariant) = self.reach_fixed_point(&mut images, budget)? {
                return Ok(Outcome::Safe(Proof::inductive(invariant)));
            }
            self.restarts += 1;
            images.extend();
        }
    }

    /// Takes images of the initial states until nothing is added; `None` if one comes too close to a bad state.
    fn reach_fixed_point(
        &mut self,
        images: &mut Images<'_>,
        budget: &Budget,
    ) -> Result<Option<Formula>, Interrupt> {
        let mut inclusion = Inclusion::new();
        let mut reached = images.reset;
        let mut from = images.reset;
        loop {
            budget.check()?;
            let Some(image) = images.image(from, budget)? else { return Ok(None) };
            self.images += 1;
            if inclusion.implies(&images.states, image, reached, budget)? {
                return Ok(Some(images.formula(reached)));
            }
            self.largest = self.largest.max(images.states.cone_size([image]) as u64);
            reached = images.states.or(reached, image);
            from = image;
        }
    }
}
