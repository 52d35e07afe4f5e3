//! The atoms of the caller, and the list of those that are implied.

use rustc_hash::FxHashMap;

use super::equalities::EqId;
use super::{Apart, AtomId, small};

/// A literal that follows from the asserted facts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Implied {
    /// The atom.
    pub atom: AtomId,
    /// Whether it is true or false.
    pub positive: bool,
}

struct Atom {
    id: AtomId,
    equality: EqId,
    /// Its position in the list of implied literals.
    implied: Option<u32>,
}

#[derive(Default)]
pub(super) struct Atoms {
    index: FxHashMap<AtomId, u32>,
    atoms: Vec<Atom>,
    /// The implied literals, oldest first; those before `taken` have been delivered.
    implied: Vec<Implied>,
    /// For each implied literal its atom, and what refutes it if it is false (the left of the two nodes that
    /// are apart equals the left side of the atom).
    causes: Vec<(u32, Option<Apart>)>,
    taken: usize,
}

impl Atoms {
    /// The index of a new atom, or `None` if the atom is known.
    pub(super) fn add(&mut self, id: AtomId, equality: EqId) -> Option<u32> {
        let atom = small(self.atoms.len());
        if *self.index.entry(id).or_insert(atom) != atom {
            return None;
        }
        self.atoms.push(Atom { id, equality, implied: None });
        Some(atom)
    }

    pub(super) fn equality(&self, atom: u32) -> EqId {
        self.atoms[atom as usize].equality
    }

    /// Adds a literal to the implied ones, true if nothing refutes it. It may be there already.
    pub(super) fn imply(&mut self, atom: u32, refuted_by: Option<Apart>) {
        let slot = &mut self.atoms[atom as usize];
        if slot.implied.is_none() {
            slot.implied = Some(small(self.implied.len()));
            self.implied.push(Implied { atom: slot.id, positive: refuted_by.is_none() });
            self.causes.push((atom, refuted_by));
        }
    }

    /// The equality of an implied atom, and what refutes it if it is false.
    pub(super) fn cause(&self, id: AtomId) -> Option<(EqId, Option<Apart>)> {
        let atom = &self.atoms[*self.index.get(&id)? as usize];
        let (_, refuted_by) = self.causes[atom.implied? as usize];
        Some((atom.equality, refuted_by))
    }

    pub(super) fn take(&mut self) -> &[Implied] {
        let first = std::mem::replace(&mut self.taken, self.implied.len());
        &self.implied[first..]
    }

    /// How many literals are implied, and how many of them were taken.
    pub(super) fn progress(&self) -> (usize, usize) {
        (self.implied.len(), self.taken)
    }

    /// Returns to an earlier progress.
    pub(super) fn rewind(&mut self, (implied, taken): (usize, usize)) {
        for (atom, _) in self.causes.drain(implied..) {
            self.atoms[atom as usize].implied = None;
        }
        self.implied.truncate(implied);
        self.taken = taken;
    }
}
