//! The vocabulary of the solver: variables, atoms, literals, and the certificates it hands out.

use std::ops::Not;

use bolide_base::{Interrupt, Rational, index_type};

index_type! {
    /// An arithmetic variable: an original one, or the slack of a linear form.
    pub struct VarId("v");
}

index_type! {
    /// A registered atom.
    pub struct AtomId("a");
}

index_type! {
    /// An implied literal with its explanation, good until the level of the implication is popped.
    pub struct ReasonId("r");
}

/// How an atom compares its variable with its constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// `variable <= constant`
    Le,
    /// `variable >= constant`
    Ge,
    /// `variable = constant`
    Eq,
}

/// An atom or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AtomLit {
    /// The atom.
    pub atom: AtomId,
    /// Whether the atom holds.
    pub positive: bool,
}

impl AtomLit {
    /// The literal that says that `atom` is `positive`.
    pub const fn new(atom: AtomId, positive: bool) -> Self {
        Self { atom, positive }
    }
}

impl Not for AtomLit {
    type Output = AtomLit;
    fn not(self) -> AtomLit {
        AtomLit { atom: self.atom, positive: !self.positive }
    }
}

/// One of the two bounds of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// `variable >= ...`
    Lower,
    /// `variable <= ...`
    Upper,
}

impl Not for Side {
    type Output = Side;
    fn not(self) -> Side {
        match self {
            Side::Lower => Side::Upper,
            Side::Upper => Side::Lower,
        }
    }
}

/// A linear form: the sum of these multiples of variables.
pub type Form = [(Rational, VarId)];

/// A literal used as one inequality in a linear combination.
///
/// The inequality is the bound on the given side that the literal puts on its variable. On integer variables it is
/// rounded inwards: `x <= 5/2` is `x <= 2`, and the negation of `x <= 2` is `x >= 3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Premise {
    /// The literal.
    pub lit: AtomLit,
    /// Which of its bounds is used: an equality has two.
    pub side: Side,
    /// The factor in the combination; always positive.
    pub coeff: Rational,
}

/// The equality `var = value`, used in a combination of equalities over the integers.
///
/// It is justified by the lower bound of one literal and the upper bound of another (or the same, an equality).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedPremise {
    /// The integer variable.
    pub var: VarId,
    /// Its value.
    pub value: Rational,
    /// The literal with `var >= value`.
    pub lower: AtomLit,
    /// The literal with `var <= value`.
    pub upper: AtomLit,
    /// The integer factor in the combination; never zero.
    pub coeff: Rational,
}

/// A set of literals that cannot hold together, with the reason why. Slacks stand for their linear forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// The combination of the premises, written as `... <= constant`, has no variables left, and its constant is
    /// negative, or zero while a strict premise takes part (Farkas' lemma).
    Farkas(Vec<Premise>),
    /// The negated equality `atom: x = c` clashes with `x >= c` and `x <= c`: the premises of `lower` add up to
    /// `-x <= -c` and those of `upper` to `x <= c`.
    Disequality {
        /// The equality whose negation takes part.
        atom: AtomId,
        /// A combination that yields the lower bound.
        lower: Vec<Premise>,
        /// A combination that yields the upper bound.
        upper: Vec<Premise>,
    },
    /// The combination of the equalities has only integer variables, all with coefficients divisible by `modulus`,
    /// but a right-hand side that is not.
    Divisibility {
        /// The equalities.
        premises: Vec<FixedPremise>,
        /// The integer that divides the left-hand side; at least 2.
        modulus: Rational,
    },
}

impl Conflict {
    /// The literals that cannot hold together; one may occur more than once.
    pub fn literals(&self) -> Vec<AtomLit> {
        match self {
            Conflict::Farkas(premises) => premises.iter().map(|p| p.lit).collect(),
            Conflict::Disequality { atom, lower, upper } => {
                let bounds = lower.iter().chain(upper).map(|p| p.lit);
                bounds.chain([AtomLit::new(*atom, false)]).collect()
            }
            Conflict::Divisibility { premises, .. } => {
                premises.iter().flat_map(|p| [p.lower, p.upper]).collect()
            }
        }
    }
}

/// A Chvátal-Gomory cut: the premises add up to `coeffs <= b` with integer coefficients on original integer
/// variables, so `coeffs <= bound` holds for the integer `bound = floor(b)`.
///
/// `{premises, coeffs >= bound + 1}` is an ordinary Farkas conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The linear form over original variables, in the order of the variables and without common factors.
    pub coeffs: Vec<(Rational, VarId)>,
    /// What the form is at most.
    pub bound: Rational,
    /// The combination from which the cut follows.
    pub premises: Vec<Premise>,
}

/// How a feasibility check ended, if not in a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The asserted bounds hold together over the rationals.
    Feasible,
    /// The budget ran out; the check may be resumed.
    Interrupted(Interrupt),
}

/// The outcome of a final check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FinalCheck {
    /// All asserted literals hold in the model that [`value`](super::Arith::value) gives.
    Ok,
    /// The asserted literals cannot hold together.
    Conflict(Conflict),
    /// The asserted negation of the equality `atom: x = c` is violated; split on `x <= c` and `x >= c`.
    SplitDisequality {
        /// The equality.
        atom: AtomId,
    },
    /// A form with integer coefficients over original integer variables, mostly a single one, has a fractional value;
    /// split on `form <= floor` and `form >= floor + 1`.
    Branch {
        /// The form.
        form: Vec<(Rational, VarId)>,
        /// The integer below its value.
        floor: Rational,
    },
    /// A consequence of the asserted literals that the current assignment violates.
    Cut(Cut),
    /// The budget ran out.
    Interrupted(Interrupt),
}
