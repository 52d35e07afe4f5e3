//! Whole stretches of rounds of a loop at once.
//!
//! Where a loop takes the same way again and again ([`bolide_base::Rounds`]), a period of it is executed on values that are polynomials in the
//! number of the period ([`bolide_base::Progression`]). Those that the next few periods would have show what the polynomials may be; an
//! execution that starts from them and comes out where they are one period later shows that they are right, as long as every condition
//! on the way keeps its answer and nothing wraps around whose exact value matters. That bounds the number of periods, and all of them but
//! the last are skipped: what changed gets the value that it has then, and the last one is executed as any other.
//!
//! A period may ask for one input, as long as that has the same value again and again, and may write the same value to a place that moves on:
//! then a stretch of memory is filled.
//!
//! This is the acceleration of loops (Kroening, Lewis and Weissenbacher: Under-approximating loops in C programs for fast counterexample
//! detection, CAV 2013) in an execution, where all values are known. Nothing about it is a guess in the end, so traces may be long: the number
//! of rounds costs nothing.

mod value;
mod walk;

use super::{Happening, Interpreter, Oracle};
use crate::c::hir::{BlockId, FuncId};
use bolide_base::Way;
use walk::{Asked, Skip};

/// Fewer periods are not worth it.
const FEWEST_PERIODS: u64 = 8;
/// What a jump on a way costs, in bytes that library functions go through.
const COST: u64 = 320;

/// The loops of an execution.
pub(super) type Rounds = bolide_base::Rounds<(FuncId, BlockId), BlockId>;

impl Interpreter<'_> {
    /// A jump was taken in the active function. Where it closes a loop, rounds may be skipped.
    pub(super) fn note_jump(&mut self, from: BlockId, to: BlockId, oracle: &mut dyn Oracle) {
        if self.unit.tracks_contents {
            return;
        }
        if to <= from && self.leave_out(from, to) {
            return;
        }
        let (head, depth) = ((self.frame().func, to), self.frames.len());
        let ways = self.rounds.jump(head, depth, to, to <= from);
        if ways.is_empty() {
            return;
        }
        match ways.into_iter().find(|way| self.skip(head, way, oracle)) {
            Some(way) => self.rounds.succeed(head, way),
            None => self.rounds.fail(head),
        }
    }

    /// Skips rounds of a loop that take some way.
    fn skip(&mut self, head: (FuncId, BlockId), way: &Way<BlockId>, oracle: &mut dyn Oracle) -> bool {
        self.debt += COST * way.jumps.len() as u64;
        let Some(Skip { periods, values, sweeps, input }) = self.plan(&way.jumps, FEWEST_PERIODS, oracle)
        else {
            return false;
        };
        let span = self.unit.funcs[head.0].blocks[head.1].span;
        self.record(span, Happening::Rounds(periods.saturating_mul(way.rounds)));
        if let Some(Asked { site, place, span, value }) = input {
            oracle.repeat(site, periods);
            self.record_store(place, value, span, true);
        }
        for sweep in sweeps {
            self.sweep(&sweep, periods);
        }
        for (cell, value) in values {
            self.set_value(&cell, value);
            if let Some(var) = cell.variable(self.unit)
                && !self.unit.vars[var].name.contains('$')
                && let ty = self.unit.vars[var].ty
                && let Some(representation) = self.unit.types.representation(ty)
            {
                let value = representation.wrap(value);
                self.record(
                    span,
                    Happening::Store { var: Some(var), part: None, ty, value, is_input: false },
                );
            }
        }
        true
    }
}
