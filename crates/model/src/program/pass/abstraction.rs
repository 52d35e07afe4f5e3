//! Over-approximations: programs with all executions of the one they come from and more, which are easier to prove.

use super::{Log, Symbolic, Tracking};
use crate::Program;
use crate::program::back::prophecy::Prophecies;
use bolide_term::Store;

/// A way to over-approximate. A proof about the result is a proof about the program; a trace of it means nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abstraction {
    /// Cells instead of arrays; see [`Tracking`].
    Cells,
    /// Unknown constants instead of large ones; see [`Symbolic`].
    Constants,
    /// Both.
    CellsAndConstants,
}

impl Abstraction {
    /// All of them, the one that most often leads to a proof first.
    pub const ALL: [Abstraction; 3] =
        [Abstraction::CellsAndConstants, Abstraction::Cells, Abstraction::Constants];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Abstraction::Cells => "cells",
            Abstraction::Constants => "constants",
            Abstraction::CellsAndConstants => "cells,constants",
        }
    }

    /// The one of that name.
    pub fn by_name(name: &str) -> Option<Abstraction> {
        Abstraction::ALL.into_iter().find(|a| a.name() == name)
    }

    /// The abstraction of a prepared program, and of others that are the same up to guards and the terms that are
    /// assigned; `None` if there is nothing to abstract from. It depends on the first program alone.
    pub fn apply(self, store: &mut Store, program: &Program, others: &[&Program]) -> Option<Vec<Program>> {
        let mut programs: Vec<Program> =
            std::iter::once(program).chain(others.iter().copied()).cloned().collect();
        if self != Abstraction::Constants {
            let cells = Tracking::plan(store, &programs[0])?;
            programs = programs.iter().map(|p| cells.apply(store, p)).collect::<Option<_>>()?;
        }
        if self != Abstraction::Cells {
            let constants = Symbolic::plan(store, &programs[0])?;
            programs = programs.iter().map(|p| constants.apply(store, p)).collect::<Option<_>>()?;
        }
        Some(programs)
    }

    /// The abstraction of a prepared program, with what the way back of an invariant needs.
    pub(in crate::program) fn record(
        self,
        store: &mut Store,
        program: &Program,
        log: &mut Log,
    ) -> Option<(Program, Prophecies)> {
        let (mut program, mut prophecies) = (program.clone(), Prophecies::default());
        if self != Abstraction::Constants {
            let cells = Tracking::plan(store, &program)?;
            (program, prophecies) = cells.record(store, &program, log)?;
        }
        if self != Abstraction::Cells {
            let constants = Symbolic::plan(store, &program)?;
            program = constants.record(store, &program, log)?;
        }
        Some((program, prophecies))
    }
}
