//! Sorts: interned, so that comparing two sorts is comparing two integers.

/// An interned sort; ask the store for its [`SortKind`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Sort(pub(crate) u32);

impl Sort {
    /// `Bool`, the same in every store.
    pub const BOOL: Sort = Sort(0);
    /// `Int`, the same in every store.
    pub const INT: Sort = Sort(1);
    /// `Real`, the same in every store.
    pub const REAL: Sort = Sort(2);

    /// Is this `Int` or `Real`?
    pub fn is_arith(self) -> bool {
        self == Sort::INT || self == Sort::REAL
    }

    /// The position of this sort in its store, for side tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a sort is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SortKind {
    /// Truth values.
    Bool,
    /// Mathematical integers.
    Int,
    /// Real numbers.
    Real,
    /// Bit-vectors of the given width, which is at least 1.
    BitVec(u32),
    /// Floating-point numbers of a format.
    Float(crate::FloatFormat),
    /// Arrays from the first sort to the second.
    Array(Sort, Sort),
    /// A datatype, by its number; the store knows its [`Datatype`](crate::Datatype).
    Datatype(u32),
    /// An uninterpreted sort, by name.
    Uninterpreted(Box<str>),
}
