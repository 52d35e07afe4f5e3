//! How a task is decided.

use crate::{Error, Kind};
use bolide_engine::Engine;
use bolide_engine::horn::Settings;
use bolide_front::c;
use bolide_model::program::pass::Blocks;
use std::time::Duration;

/// How a task is decided. The default is what the command does without options, with one job.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The only engine that takes part; without one, those of the strategy.
    pub engine: Option<Engine>,
    /// How many engines go on at a time. With one the run is deterministic.
    pub jobs: usize,
    /// How a C program is read, and what is checked in it.
    pub program: c::Options,
    /// What an edge of a C program stands for.
    pub blocks: Blocks,
    /// Go on after the first violation in a C program, until every property has its own verdict.
    pub all: bool,
    /// How the engines work.
    pub engines: Settings,
    /// C: look for a condition on the arguments of the entry under which it is safe, if it is not.
    pub suggest: bool,
    /// Look for assertions that no execution reaches.
    pub vacuity: bool,
    /// Make what a page shows: sources, graphs, waveforms.
    pub details: bool,
    /// Say what a proof about another form of a C program says about the original one, as far as that can be found out.
    pub original_facts: bool,
    /// Is a proof about a C program confirmed on the program as it was read?
    pub confirm: Confirm,
    /// Make a certificate.
    pub certificate: bool,
    /// Make the obligations of a proof, for other solvers.
    pub obligations: bool,
    /// The time for proofs in certificates; without it, what is left of the budget.
    pub certificate_time: Option<Duration>,
}

/// When a proof, which is about the form of a C program that the engines had, is confirmed on the program as it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Confirm {
    /// Only if something else needs that, such as a certificate.
    Never,
    /// If that takes no more effort than the proof took.
    Cheap,
    /// As far as the budget goes.
    Always,
}

impl Default for Options {
    fn default() -> Options {
        let mut engines = Settings::default();
        engines.impact.short_ends = true;
        Options {
            engine: None,
            jobs: 1,
            program: c::Options { entry: Some("main".into()), ..c::Options::default() },
            blocks: Blocks::Large,
            all: false,
            engines,
            suggest: false,
            vacuity: true,
            details: false,
            original_facts: false,
            confirm: Confirm::Cheap,
            certificate: false,
            obligations: false,
            certificate_time: None,
        }
    }
}

impl Options {
    /// Do the options fit tasks of a kind?
    pub(crate) fn fit(&self, kind: Kind) -> Result<(), Error> {
        match self.engine {
            Some(engine) if !engine.works_on(kind.input()) => Err(Error::Usage(format!(
                "engine {engine} does not work on {}; auto, {} do",
                kind.input().noun(),
                Engine::names(kind.input())
            ))),
            _ => Ok(()),
        }
    }
}
