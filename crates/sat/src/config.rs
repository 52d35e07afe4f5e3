//! What a solver is made for, and the CaDiCaL options that follow from it.

use cadical_sys::CaDiCal;

/// How a [`Solver`](crate::Solver) is set up.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Config {
    /// The kind of queries to expect.
    pub preset: Preset,
    /// Whether to record a resolution proof. Costs time and memory on every clause.
    pub proof: bool,
    /// Seed of the solver's random choices: the same seed gives the same run.
    pub seed: u32,
}

/// The kind of queries that a solver is tuned for.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Preset {
    /// Many small queries that share most of their clauses: no inprocessing, lucky phases or local search, and the
    /// trail of common assumptions is kept from one query to the next.
    Incremental,
    /// Few large queries, as bit-level circuits give: everything CaDiCaL can do.
    Hard,
}

impl Config {
    /// For many small queries, without a proof.
    pub const fn incremental() -> Config {
        Config { preset: Preset::Incremental, proof: false, seed: 0 }
    }

    /// For few large queries, without a proof.
    pub const fn hard() -> Config {
        Config { preset: Preset::Hard, proof: false, seed: 0 }
    }

    /// The same with proof recording on.
    pub const fn with_proof(self) -> Config {
        Config { proof: true, ..self }
    }

    /// The same with another seed.
    pub const fn with_seed(self, seed: u32) -> Config {
        Config { seed, ..self }
    }

    /// Sets the options. The solver must be fresh: options freeze with the first clause.
    pub(crate) fn apply(&self, cadical: &mut CaDiCal, has_theory: bool) {
        set_all(cadical, COMMON);
        match self.preset {
            Preset::Incremental => set_all(cadical, INCREMENTAL),
            Preset::Hard if has_theory => set_all(cadical, HARD_WITH_THEORY),
            Preset::Hard => {}
        }
        if self.seed != 0 {
            set_all(cadical, &[("seed", i32::try_from(self.seed).unwrap_or(i32::MAX))]);
        }
    }
}

impl Default for Config {
    fn default() -> Config {
        Config::incremental()
    }
}

/// The terminator is asked at every step, which is cheap because our side decides when to look at the caller's budget;
/// no extension variables, as their clauses are not resolvents.
const COMMON: &[(&str, i32)] = &[("terminateint", 0), ("factor", 0)];

const INCREMENTAL: &[(&str, i32)] =
    &[("inprocessing", 0), ("lucky", 0), ("walk", 0), ("ilb", 1), ("rephase", 2)];

/// Any variable may be observed later, and CaDiCaL cannot observe one that it has eliminated or substituted: the
/// techniques that do so are off.
const HARD_WITH_THEORY: &[(&str, i32)] =
    &[("elim", 0), ("fastelim", 0), ("decompose", 0), ("congruence", 0), ("sweep", 0)];

fn set_all(cadical: &mut CaDiCal, options: &[(&str, i32)]) {
    for (name, value) in options {
        let known = cadical.set(name, *value);
        debug_assert!(known, "unknown option {name}");
    }
}
