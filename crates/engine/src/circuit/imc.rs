//! Interpolation-based model checking (McMillan, "Interpolation and SAT-Based Model Checking", CAV 2003).
//!
//! The interpolant between one step from a set of states and the next `k - 1` steps into a bad state over-approximates
//! the image of the set and keeps `k - 1` steps distance from bad states. Images are taken until they add nothing: then
//! their union is an invariant. If an image comes too close to a bad state, all begins again with a larger `k`.

use super::images::{Image, Images, Inclusion, Method};
use super::{Outcome, Proof};
use bolide_base::{Budget, Interrupt, Stats};
use bolide_model::circuit::{Circuit, Formula, Trace};

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

/// What came of a sequence of images.
enum Round {
    Fixed(Formula),
    Error(Trace),
    /// An image came too close to a bad state.
    TooWeak,
}

impl Imc<'_> {
    fn prove(&mut self, config: Config, budget: &Budget) -> Result<Outcome, Interrupt> {
        if let Some(trace) = initial_error(self.circuit, budget)? {
            return Ok(Outcome::Unsafe(trace));
        }
        let mut images = Images::new(self.circuit, config.method);
        loop {
            match self.round(&mut images, budget)? {
                Round::Fixed(invariant) => return Ok(Outcome::Safe(Proof::inductive(invariant))),
                Round::Error(trace) => return Ok(Outcome::Unsafe(trace)),
                Round::TooWeak => {}
            }
            self.restarts += 1;
            images.extend();
        }
    }

    /// Takes images of the initial states until nothing is added.
    fn round(&mut self, images: &mut Images<'_>, budget: &Budget) -> Result<Round, Interrupt> {
        let mut inclusion = Inclusion::new();
        let mut reached = images.reset;
        let mut from = images.reset;
        loop {
            budget.check()?;
            let image = match images.image(from, budget)? {
                Image::Set(image) => image,
                Image::Bad if from == images.reset => {
                    return Ok(images.trace().map_or(Round::TooWeak, Round::Error));
                }
                Image::Bad => return Ok(Round::TooWeak),
            };
            self.images += 1;
            if inclusion.implies(&images.states, image, reached, budget)? {
                return Ok(Round::Fixed(images.formula(reached)));
            }
            self.largest = self.largest.max(images.states.cone_size([image]) as u64);
            reached = images.states.or(reached, image);
            from = image;
        }
    }
}

/// A run into a bad initial state, if there is one.
pub(super) fn initial_error(circuit: &Circuit, budget: &Budget) -> Result<Option<Trace>, Interrupt> {
    match super::bmc::Bmc::new(circuit).next(budget)? {
        Some(Outcome::Unsafe(trace)) => Ok(Some(trace)),
        _ => Ok(None),
    }
}

