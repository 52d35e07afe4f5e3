//! Cubes: sets of states, as conjunctions of latch literals.

use bolide_model::circuit::{Circuit, Latch};

/// A latch and the value it has.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct StateLit(u32);

impl StateLit {
    pub fn new(latch: usize, value: bool) -> StateLit {
        StateLit((latch as u32) << 1 | value as u32)
    }

    pub fn latch(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub fn value(self) -> bool {
        self.0 & 1 == 1
    }

    /// Does the latch start with another value?
    pub fn excludes_reset(self, latches: &[Latch]) -> bool {
        latches[self.latch()].reset == Some(!self.value())
    }
}

/// A conjunction of literals, sorted, no latch twice; with a signature that makes most inclusion tests fail fast.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cube {
    lits: Box<[StateLit]>,
    signature: u64,
}

impl Cube {
    pub fn new(mut lits: Vec<StateLit>) -> Cube {
        lits.sort_unstable();
        let signature = lits.iter().fold(0, |signature, lit| signature | 1 << (lit.0 % 64));
        Cube { lits: lits.into(), signature }
    }

    pub fn lits(&self) -> &[StateLit] {
        &self.lits
    }

    /// Is every literal of this cube one of the other?
    pub fn is_part_of(&self, other: &Cube) -> bool {
        if self.signature & !other.signature != 0 || self.lits.len() > other.lits.len() {
            return false;
        }
        let mut rest = other.lits.iter();
        self.lits.iter().all(|lit| rest.by_ref().find(|other| *other >= lit) == Some(lit))
    }
}

/// Is there an initial state in the cube?
pub fn meets_reset(lits: &[StateLit], circuit: &Circuit) -> bool {
    !lits.iter().any(|lit| lit.excludes_reset(&circuit.latches))
}
