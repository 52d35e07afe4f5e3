//! Which interpolants are wanted.

use crate::system::System;

/// Which interpolants are wanted.
#[derive(Clone, Debug)]
pub struct Config {
    /// The labelling of shared literals.
    pub system: System,
    /// How Farkas lemmas are interpolated.
    pub farkas: FarkasStyle,
    /// Verify every interpolant with fresh solvers before it is handed out. On in debug builds.
    pub verify: bool,
    /// Configuration of the solver that refutes the parts.
    pub seed: u32,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            system: System::default(),
            farkas: FarkasStyle::default(),
            verify: cfg!(debug_assertions),
            seed: 0,
        }
    }
}

/// How the inequality between the two sides of a Farkas lemma is handed out.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum FarkasStyle {
    /// One inequality: the sum of the left constraints.
    Plain,
    /// A conjunction of simpler inequalities, where the left constraints fall apart into independent groups
    /// (Blicha, Hyvärinen, Kofroň, Sharygina, *Decomposing Farkas Interpolants*, 2019).
    #[default]
    Decomposed,
}
