//! Literals of proof clauses.

use bolide_term::{Store, Term};
use std::ops::Not;

/// A Boolean term or its negation. The term is never itself a negation.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Literal(u32);

impl Literal {
    /// The literal for an atom with a sign.
    pub fn new(atom: Term, positive: bool) -> Literal {
        Literal((atom.index() as u32) << 1 | u32::from(!positive))
    }

    /// The literal that a Boolean term is.
    pub fn of(store: &Store, t: Term) -> Literal {
        let (atom, positive) = store.literal(t);
        Literal::new(atom, positive)
    }

    /// The atom.
    pub fn atom(self) -> Term {
        Term::from_index((self.0 >> 1) as usize)
    }

    /// Is the atom not negated?
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// The term of this literal.
    pub fn term(self, store: &mut Store) -> Term {
        if self.is_positive() { self.atom() } else { store.not(self.atom()) }
    }
}

impl Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}
