//! Commands of a script, after all names in them have been resolved.

use crate::error::Span;
use bolide_base::Rational;
use bolide_term::{Func, Sort, Term};

/// A command and its place in the text.
#[derive(Clone, PartialEq, Debug)]
pub struct Located {
    /// The command.
    pub command: Command,
    /// From its opening parenthesis to its closing one.
    pub span: Span,
}

/// A command of SMT-LIB 2.6, of the interpolation extension, or of Z3's fixedpoint extension.
///
/// Declarations have already taken effect in the [`Scope`](crate::Scope) when the command is handed out; all that is
/// left to do for a solver is in the assertions and queries.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// `(set-logic l)`
    SetLogic(String),
    /// `(set-option :k v)`
    SetOption {
        /// The keyword with its colon.
        keyword: String,
        /// Its value.
        value: AttributeValue,
    },
    /// `(set-info :k v)`
    SetInfo {
        /// The keyword with its colon.
        keyword: String,
        /// Its value.
        value: AttributeValue,
    },
    /// `(declare-sort S n)`
    DeclareSort {
        /// The name.
        name: String,
        /// The number of parameters.
        arity: usize,
    },
    /// `(define-sort S (params) body)`; uses are expanded.
    DefineSort {
        /// The name.
        name: String,
        /// The number of parameters.
        arity: usize,
    },
    /// `(declare-datatype T ...)` or `(declare-datatypes ((T n) ...) ...)`
    DeclareDatatypes {
        /// The names of the sorts.
        names: Vec<String>,
    },
    /// `(declare-fun f (args) S)` or `(declare-const f S)`
    DeclareFun(Func),
    /// `(define-fun f (params) S body)` or `(define-const f S body)`; uses are expanded.
    DefineFun {
        /// The name.
        name: String,
        /// Constants that stand for the parameters in the body and occur nowhere else.
        params: Vec<Term>,
        /// The sort of the result.
        sort: Sort,
        /// The body.
        body: Term,
    },
    /// `(assert t)`
    Assert {
        /// The formula.
        term: Term,
        /// The name that `(! t :named n)` around the whole formula gives it.
        name: Option<String>,
        /// All formulas in it that `:named` gives a name, the inner ones first.
        labels: Vec<(String, Term)>,
    },
    /// `(push n)`
    Push(usize),
    /// `(pop n)`; there are that many levels.
    Pop(usize),
    /// `(check-sat)`
    CheckSat,
    /// `(check-sat-assuming (l ...))`
    CheckSatAssuming(Vec<SourceTerm>),
    /// `(get-model)`
    GetModel,
    /// `(get-value (t ...))`
    GetValue(Vec<SourceTerm>),
    /// `(get-unsat-core)`
    GetUnsatCore,
    /// `(get-unsat-assumptions)`
    GetUnsatAssumptions,
    /// `(get-assertions)`
    GetAssertions,
    /// `(get-assignment)`
    GetAssignment,
    /// `(get-proof)`
    GetProof,
    /// `(get-info :k)`, with the colon.
    GetInfo(String),
    /// `(get-option :k)`, with the colon.
    GetOption(String),
    /// `(get-interpolants p ...)`
    GetInterpolants(InterpolationTree),
    /// `(echo "text")`, without the quotation marks.
    Echo(String),
    /// `(reset)`
    Reset,
    /// `(reset-assertions)`
    ResetAssertions,
    /// `(exit)`, the last command that a reader hands out.
    Exit,
    /// `(declare-rel p (args))`: a predicate of a fixedpoint problem.
    DeclareRel(Func),
    /// `(declare-var x S)`: a constant that all rules quantify universally.
    DeclareVar(Func),
    /// `(rule t name)`
    Rule {
        /// The implication or fact.
        term: Term,
        /// Its name, if it has one.
        name: Option<String>,
    },
    /// `(query q)`
    Query(QueryGoal),
}

/// What a fixedpoint query asks for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum QueryGoal {
    /// Is this predicate non-empty?
    Relation(Func),
    /// Is there an instance of this formula?
    Formula(Term),
}

/// A term and the text from which it was read.
#[derive(Clone, PartialEq, Debug)]
pub struct SourceTerm {
    /// The term.
    pub term: Term,
    /// Its text, to be echoed in answers.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// The value of an option or of an information attribute.
#[derive(Clone, PartialEq, Debug)]
pub enum AttributeValue {
    /// There is none.
    None,
    /// A numeral or decimal.
    Number(Rational),
    /// A string, without its quotation marks.
    Str(String),
    /// A symbol, such as `true`, without bars.
    Symbol(String),
    /// Anything else, as text.
    Other(String),
}

impl AttributeValue {
    /// The truth value, if it is `true` or `false`.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            AttributeValue::Symbol(s) if s == "true" => Some(true),
            AttributeValue::Symbol(s) if s == "false" => Some(false),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<&Rational> {
        match self {
            AttributeValue::Number(n) => Some(n),
            _ => None,
        }
    }

    /// The characters of a string or symbol.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            AttributeValue::Str(s) | AttributeValue::Symbol(s) => Some(s),
            _ => None,
        }
    }
}

/// The names of the assertions that form one part of an interpolation problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partition {
    /// One name for `n`, several for `(and n1 n2 ...)`.
    pub names: Vec<String>,
    /// Its place.
    pub span: Span,
}

/// The partitions of an interpolation problem and the tree that they form.
///
/// The syntax is that of "Interpolation in SMTLIB 2.0" (Christ, Hoenicke), which OpenSMT shares for sequences. The
/// partitions stand in post-order. In `(get-interpolants A B C)` every partition is the only child of the next one,
/// and the last one is the root: a sequence. A group in parentheses starts a new subtree beside what precedes it, and
/// the first partition after the groups has all of them, and the partition before them, as its children. So in
/// `(get-interpolants A (B C) D)` the leaf B is the child of C, and D has the children A and C:
///
/// ```text
///         D            partitions     A B C D
///        / \           subtree_start  0 1 1 0
///       A   C
///           |
///           B
/// ```
///
/// With no partitions at all, `(get-interpolants)` asks for a sequence of all assertions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InterpolationTree {
    /// The partitions in post-order; the last one is the root.
    pub partitions: Vec<Partition>,
    /// For each partition the position of the first partition in its subtree, its own position for a leaf.
    pub subtree_start: Vec<usize>,
}

impl InterpolationTree {
    /// Is every partition the child of the next one?
    pub fn is_sequence(&self) -> bool {
        self.subtree_start.iter().all(|&s| s == 0)
    }

    /// The children of a partition, the last one first.
    pub fn children(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let mut end = i;
        std::iter::from_fn(move || {
            // The subtrees of the children fill `subtree_start[i]..i` from the right.
            (end > self.subtree_start[i]).then(|| {
                let child = end - 1;
                end = self.subtree_start[child];
                child
            })
        })
    }
}
