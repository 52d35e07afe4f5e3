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
    /// The same, and loops in phases: before they come to the place of a cell, and after.
    CellsInPhases,
    /// Unknown constants instead of large ones; see [`Symbolic`].
    Constants,
    /// Both.
    CellsAndConstants,
}

impl Abstraction {
    /// All of them, the one that most often leads to a proof first.
    pub const ALL: [Abstraction; 4] = [
        Abstraction::CellsAndConstants,
        Abstraction::CellsInPhases,
        Abstraction::Cells,
        Abstraction::Constants,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Abstraction::Cells => "cells",
            Abstraction::CellsInPhases => "cells,phases",
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
        if let Some(cells) = self.cells(store, &programs[0])? {
            programs = programs.iter().map(|p| cells.apply(store, p)).collect::<Option<_>>()?;
        }
        if self.has_constants() {
            let constants = Symbolic::plan(store, &programs[0])?;
            programs = programs.iter().map(|p| constants.apply(store, p)).collect::<Option<_>>()?;
        }
        Some(programs)
    }

    /// The cells of a program that take the place of its arrays, if they do; `None` if there are none.
    fn cells(self, store: &mut Store, program: &Program) -> Option<Option<Tracking>> {
        match self {
            Abstraction::Constants => Some(None),
            Abstraction::CellsInPhases => Tracking::plan(store, program)?.in_phases(store, program).map(Some),
            Abstraction::Cells | Abstraction::CellsAndConstants => Tracking::plan(store, program).map(Some),
        }
    }

    /// Do unknown constants take the place of large ones?
    fn has_constants(self) -> bool {
        matches!(self, Abstraction::Constants | Abstraction::CellsAndConstants)
    }

    /// The abstraction of a prepared program, with what the way back of an invariant needs.
    pub(in crate::program) fn record(
        self,
        store: &mut Store,
        program: &Program,
        log: &mut Log,
    ) -> Option<(Program, Prophecies)> {
        let (mut program, mut prophecies) = (program.clone(), Prophecies::default());
        if let Some(cells) = self.cells(store, &program)? {
            (program, prophecies) = cells.record(store, &program, log)?;
        }
        if self.has_constants() {
            let constants = Symbolic::plan(store, &program)?;
            program = constants.record(store, &program, log)?;
        }
        Some((program, prophecies))
    }
}
