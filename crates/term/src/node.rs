//! What a term is made of: operators, function symbols and the term index itself.

use crate::Sort;

/// A term: an index into the [`Store`](crate::Store) that made it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Term(pub(crate) u32);

impl Term {
    /// The position of this term in its store, for side tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The term at a position obtained from [`Term::index`].
    pub fn from_index(index: usize) -> Term {
        Term(u32::try_from(index).expect("more than 2^32 terms"))
    }
}

/// A declared function symbol; a constant is a function without arguments.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Func(pub(crate) u32);

impl Func {
    /// The position of this symbol in its store, for side tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The symbol at a position obtained from [`Func::index`].
    pub fn from_index(index: usize) -> Func {
        Func(u32::try_from(index).expect("more than 2^32 symbols"))
    }
}

/// Name and signature of a function symbol.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FuncDecl {
    /// The name as the user wrote it, without `|` quotes.
    pub name: Box<str>,
    /// Sorts of the arguments; empty for a constant.
    pub args: Box<[Sort]>,
    /// Sort of the result.
    pub result: Sort,
}

/// An interned numeral.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NumId(pub(crate) u32);

/// The operator at the root of a term.
///
/// Operators of SMT-LIB that are not listed are written in terms of these by the constructors.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// `true`
    True,
    /// `false`
    False,
    /// Negation; its argument is never itself a negation or a truth constant.
    Not,
    /// Conjunction of two or more distinct terms, ordered by index.
    And,
    /// Disjunction of two or more distinct terms, ordered by index.
    Or,
    /// `ite` at any sort; the condition is never a negation.
    Ite,
    /// Equality at any sort, Bool included.
    Eq,
    /// A numeral; the sort of the term says whether it is an Int or a Real.
    Num(NumId),
    /// A sum: an optional numeral first, then monomials ordered by their base term.
    Add,
    /// A product: `[numeral, term]` if linear, otherwise two or more non-constant factors.
    Mul,
    /// `<=` at Int or Real, in the normal form described in [`crate::Linear`].
    Le,
    /// Integer division by a non-zero numeral, or by any term (then non-linear).
    Div,
    /// Integer remainder, never negative; same restriction as [`Op::Div`].
    Mod,
    /// Real division by a term that is not a numeral.
    RealDiv,
    /// The real number equal to an integer term that is neither sum nor numeral.
    ToReal,
    /// Floor of a real term.
    ToInt,
    /// `select`
    Select,
    /// `store`
    Store,
    /// The constant array of the term's sort.
    ConstArray,
    /// A constructor of a datatype, which is the sort of the term, applied to its fields.
    Construct(u32),
    /// A field of a value of a datatype; see [`Store::field`](crate::Store::field).
    Field {
        /// The constructor that should have made the value.
        constructor: u32,
        /// The position of the field.
        field: u32,
    },
    /// Was a value of a datatype made by this constructor? Never asked of one without fields, nor of the only one,
    /// except in axioms.
    Is(u32),
    /// A bit-vector constant; the numeral is in `[0, 2^width)`.
    BvConst(NumId),
    /// Concatenation of two bit-vectors, the first being the high part.
    Concat,
    /// Bits `hi` down to `lo`.
    Extract {
        /// The highest bit taken.
        hi: u32,
        /// The lowest bit taken.
        lo: u32,
    },
    /// Bitwise complement.
    BvNot,
    /// Bitwise and.
    BvAnd,
    /// Bitwise or.
    BvOr,
    /// Bitwise exclusive or.
    BvXor,
    /// Two's complement negation.
    BvNeg,
    /// Addition modulo `2^width`.
    BvAdd,
    /// Multiplication modulo `2^width`.
    BvMul,
    /// Unsigned division; all ones when dividing by zero.
    BvUdiv,
    /// Unsigned remainder; the dividend when dividing by zero.
    BvUrem,
    /// Shift left.
    BvShl,
    /// Logical shift right.
    BvLshr,
    /// Arithmetic shift right.
    BvAshr,
    /// Sign extension by so many bits.
    SignExtend(u32),
    /// Unsigned less-than.
    BvUlt,
    /// Unsigned less-or-equal.
    BvUle,
    /// Signed less-than.
    BvSlt,
    /// Signed less-or-equal.
    BvSle,
    /// The Boolean value of bit number `i` of a bit-vector.
    Bit(u32),
    /// The bit-vector of the term's width congruent to an integer.
    IntToBv,
    /// The natural number that a bit-vector denotes.
    BvToNat,
    /// A floating-point constant: the bits of a number, the canonical ones for NaN.
    FloatConst(NumId),
    /// A floating-point operator.
    Float(crate::FloatOp),
    /// A declared symbol applied to arguments; no arguments for a constant.
    Apply(Func),
    /// Universal quantifier: the bound constants first, the body last.
    Forall,
    /// Existential quantifier: the bound constants first, the body last.
    Exists,
}
