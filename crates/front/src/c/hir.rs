//! The typed program: functions as basic blocks of simple instructions over pure expressions.
//!
//! Everything implicit in C is explicit here: conversions, decay of arrays, scaling of pointer arithmetic, order of
//! side effects, padding of initialisers. Expressions live in one arena, and operands come before the expressions that
//! use them, so walks need no recursion.

mod kinds;

use super::syntax::source::Issue;
use super::types::{TypeId, Types};
use bolide_base::{IdVec, index_type};
use bolide_model::{Assumption, InputId, Property, PropertyId, Span};

pub use kinds::Disguises;

index_type! {
    /// A variable of the typed program.
    pub struct VarId("x");
}
index_type! {
    /// A function.
    pub struct FuncId("g");
}
index_type! {
    /// An expression.
    pub struct ExprId("e");
}
index_type! {
    /// A basic block of one function.
    pub struct BlockId("b");
}

/// An integer operator; operands and result have the type of the expression, except for the amount of a shift.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`, truncating
    Div,
    /// `%`, with the sign of the dividend
    Rem,
    /// `<<`
    Shl,
    /// `>>`, arithmetic for signed types
    Shr,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
}

/// A comparison of two operands of the same type; the result is an `int`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CmpOp {
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `==`
    Eq,
    /// `!=`
    Ne,
}

/// A function of the mathematical library whose result IEEE 754 or C defines exactly.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Math {
    /// `fabs`
    Abs,
    /// `copysign`
    CopySign,
    /// `sqrt`, correctly rounded
    Sqrt,
    /// `floor`
    Floor,
    /// `ceil`
    Ceil,
    /// `trunc`
    Trunc,
    /// `round`: halves away from zero
    Round,
    /// `rint` and `nearbyint`: halves to even
    Rint,
    /// `fmod`
    Mod,
    /// `fmin`
    Min,
    /// `fmax`
    Max,
    /// `isnan`, an `int` like the results of all that follow
    IsNan,
    /// `isinf`: 1 for both infinities
    IsInf,
    /// The same with -1 for the negative one
    InfinitySign,
    /// `isfinite`
    IsFinite,
    /// `signbit`
    SignBit,
    /// `fpclassify`, with the numbers of glibc
    Classify,
}

impl Math {
    /// Is the result an `int`, and not of the type of the operands?
    pub fn gives_int(self) -> bool {
        use Math::{Classify, InfinitySign, IsFinite, IsInf, IsNan, SignBit};
        matches!(self, IsNan | IsInf | InfinitySign | IsFinite | SignBit | Classify)
    }

    /// Does it have two operands?
    pub fn is_binary(self) -> bool {
        matches!(self, Math::CopySign | Math::Mod | Math::Min | Math::Max)
    }
}

/// A pure expression.
#[derive(Clone, Debug)]
pub enum Expr {
    /// An integer or an address.
    Int(i128),
    /// A floating constant of its type; of `long double` only near to it.
    Float(f64),
    /// The value of a scalar.
    Load(Place),
    /// The address of an object.
    Addr(Place),
    /// The address of a function.
    Func(FuncId),
    /// `-`
    Neg(ExprId),
    /// `~`
    Not(ExprId),
    /// Arithmetic.
    Binary(BinOp, ExprId, ExprId),
    /// Comparison.
    Compare(CmpOp, ExprId, ExprId),
    /// Both are not zero. Both sides are evaluated: they are pure and total.
    LogicAnd(ExprId, ExprId),
    /// One is not zero.
    LogicOr(ExprId, ExprId),
    /// Is zero.
    LogicNot(ExprId),
    /// The second if the first is not zero, otherwise the third.
    Cond(ExprId, ExprId, ExprId),
    /// Conversion to the type of this expression.
    Cast(ExprId),
    /// A function of floating values; one with a single operand has it twice.
    Math(Math, ExprId, ExprId),
    /// A pointer moved by an integer times a number of bytes.
    PtrAdd(ExprId, ExprId, i64),
    /// The distance of two pointers in units of so many bytes.
    PtrSub(ExprId, ExprId, i64),
}

/// An expression with its type.
#[derive(Clone, Debug)]
pub struct TypedExpr {
    /// What it is.
    pub expr: Expr,
    /// Its type.
    pub ty: TypeId,
    /// Where it is.
    pub span: Span,
}

/// What a place starts from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Base {
    /// A variable.
    Var(VarId),
    /// The object at an address.
    Deref(ExprId),
}

/// A part of an object.
#[derive(Clone, Debug)]
pub struct Place {
    /// The object.
    pub base: Base,
    /// Bytes from its start.
    pub offset: i64,
    /// Further offsets that are not constant: an index and the bytes per unit.
    pub dynamic: Vec<(ExprId, i64)>,
    /// Where there are such offsets: first byte and end of the outermost array indexed.
    pub extent: Option<(i64, i64)>,
    /// The type of the part.
    pub ty: TypeId,
    /// First bit and width of a bit-field.
    pub bits: Option<(u32, u32)>,
}

/// A value that is passed around.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A scalar.
    Scalar(ExprId),
    /// A structure or union.
    Record(Place),
}

/// Who is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    /// A function with a body.
    Direct(FuncId),
    /// The function at an address, with the input that stands for its result if no candidate is there.
    Indirect(ExprId, Option<InputId>, Expected),
}

/// What a call through a pointer expects of the function that is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expected {
    /// The type of functions that the pointer leads to.
    pub ty: TypeId,
    /// What is violated if the function is of another kind: no execution is followed into it.
    pub misfit: PropertyId,
}

/// How long an object lives that was made by an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lifetime {
    /// Until it is freed.
    Heap,
    /// Until its block or function is left; [`Guard::Kill`] says when.
    Scope,
    /// As long as the program.
    Program,
}

/// What is checked, and noted for checks, where the safety of memory is asked for. Other programs have none of this.
#[derive(Clone, Debug)]
pub enum Guard {
    /// A pointer has just got the address of a new object of so many bytes.
    New(Place, ExprId, Lifetime),
    /// Stores the number of bytes of the object that a pointer leads to; zero if there is none.
    Size(Place, ExprId),
    /// A place is accessed, if a condition is not zero: it lies inside of a live object.
    Access(Place, Option<ExprId>, PropertyId),
    /// A place is accessed, if a condition is not zero: where its pointer leads to a live object, it lies inside of that.
    Inside(Place, Option<ExprId>, PropertyId),
    /// A place is written, if a condition is not zero: it lies in no constant object.
    Writable(Place, Option<ExprId>, PropertyId),
    /// Something is accessed through a pointer, if a condition is not zero: the pointer is a multiple of a number.
    Aligned(ExprId, u64, Option<ExprId>, PropertyId),
    /// The value of a scalar place is used, if a condition is not zero: it has been set.
    Initialised(Place, Option<ExprId>, PropertyId),
    /// An expression moves a pointer, if a condition is not zero: it stays in its object, or just behind.
    Moved(ExprId, Option<ExprId>, PropertyId),
    /// Two pointers are compared or subtracted, if a condition is not zero: they belong to one object.
    Related(ExprId, ExprId, Option<ExprId>, PropertyId),
    /// So many bytes from an address are accessed: they lie inside of a live object.
    Range(ExprId, ExprId, PropertyId),
    /// So many bytes from an address are accessed: where the pointer leads to a live object, they lie inside of that.
    RangeInside(ExprId, ExprId, PropertyId),
    /// The function at an address is called: there is one.
    Callee(ExprId, PropertyId),
    /// An object of the heap is freed, if the pointer is not null. The property is none if this is not to be checked.
    Free(ExprId, Option<PropertyId>),
    /// The object at an address ends, if the pointer is not null.
    Kill(ExprId),
    /// The lifetime of a variable ends.
    End(VarId),
    /// The program ends: what was allocated has been freed, or can still be reached.
    Leak(PropertyId, Ending),
}

/// How much of what was allocated may be left at the end of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Nothing.
    Clean,
    /// What static objects lead to.
    Return,
    /// What static objects and the variables of functions that are active lead to.
    Exit,
}

impl Place {
    /// The bytes that an access touches: offset and number. Of a bit-field, those that hold it.
    pub fn bytes(&self, types: &Types) -> (i64, u64) {
        match self.bits {
            Some((first, width)) => {
                let (low, high) = (first / 8, (first + width).div_ceil(8));
                (self.offset + i64::from(low), u64::from(high.max(low + 1) - low))
            }
            None => (self.offset, types.size_of(self.ty).unwrap_or(1)),
        }
    }
}

impl Guard {
    /// The expressions that are evaluated.
    pub fn operands(&self) -> Vec<ExprId> {
        match self {
            Guard::New(p, n, _) | Guard::Size(p, n) => p.operands().chain([*n]).collect(),
            Guard::Access(p, condition, _)
            | Guard::Inside(p, condition, _)
            | Guard::Writable(p, condition, _)
            | Guard::Initialised(p, condition, _) => p.operands().chain(*condition).collect(),
            Guard::Moved(e, condition, _) | Guard::Aligned(e, _, condition, _) => {
                [*e].into_iter().chain(*condition).collect()
            }
            Guard::Related(a, b, condition, _) => [*a, *b].into_iter().chain(*condition).collect(),
            Guard::Range(p, n, _) | Guard::RangeInside(p, n, _) => vec![*p, *n],
            Guard::Callee(e, _) | Guard::Free(e, _) | Guard::Kill(e) => vec![*e],
            Guard::End(_) | Guard::Leak(..) => Vec::new(),
        }
    }
}

/// What an instruction does.
#[derive(Clone, Debug)]
pub enum InstrKind {
    /// Stores a scalar.
    Assign(Place, ExprId),
    /// Copies a structure or union.
    Copy(Place, Place),
    /// Calls a function; the arguments are scalars, since records travel through slots. The result goes to a scalar.
    Call(Option<Place>, Callee, Vec<ExprId>),
    /// Stores a value from outside.
    Input(Place, InputId),
    /// The lifetime of a local starts. Its contents become arbitrary, or will be set at once if there is no input.
    Fresh(VarId, Option<InputId>),
    /// All bytes of a variable become zero.
    Zero(VarId),
    /// Execution goes on only if the expression is not zero.
    Assume(ExprId),
    /// Stores the address of a new object of so many bytes; with zeros or with arbitrary contents.
    Alloc(Place, ExprId, bool),
    /// Sets bytes: address, value, number.
    Fill(ExprId, ExprId, ExprId),
    /// Copies bytes: destination, source, number; they may overlap.
    Move(ExprId, ExprId, ExprId),
    /// Code outside of the program learns values: pointers that come from there may lead to what these lead to.
    Escape(Vec<ExprId>),
    /// Checks the safety of memory, or notes what such checks need.
    Guard(Guard),
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Instr {
    /// What it does.
    pub kind: InstrKind,
    /// Where it is.
    pub span: Span,
}

/// How a block ends.
#[derive(Clone, Debug)]
pub enum Terminator {
    /// Continues elsewhere.
    Goto(BlockId),
    /// Continues at the first block if the expression is not zero, otherwise at the second.
    Branch(ExprId, BlockId, BlockId),
    /// Continues where the value lies in a range, otherwise at the last block.
    Switch(ExprId, Vec<(i128, i128, BlockId)>, BlockId),
    /// Returns, with a scalar or without.
    Return(Option<ExprId>),
    /// Execution ends.
    Halt,
    /// A property is violated.
    Error(PropertyId),
}

/// A basic block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its instructions.
    pub instrs: Vec<Instr>,
    /// Its end.
    pub end: Terminator,
    /// Where its end is.
    pub span: Span,
}

/// How long a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// As long as the program.
    Static,
    /// As long as an activation of a function.
    Auto(FuncId),
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name, with the function in front for a local.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Its lifetime.
    pub storage: Storage,
    /// Is its address used?
    pub address_taken: bool,
    /// Must it not be changed? Strings in the text and static objects that are `const` are in read-only memory.
    pub is_constant: bool,
    /// Does it only carry records into and out of functions, or the addresses of locals into nested ones? A slot is static, but no object of
    /// the program: nothing is kept by it, and of a record in it no more is set than was copied there.
    pub is_slot: bool,
    /// The alignment in bytes that its declaration asks for; zero if that of its type will do.
    pub align: u64,
    /// Where it is declared.
    pub span: Span,
}

/// A scalar of a static initialiser.
#[derive(Clone, Debug)]
pub struct StaticValue {
    /// The variable.
    pub var: VarId,
    /// Bytes from its start.
    pub offset: u64,
    /// The type of the scalar.
    pub ty: TypeId,
    /// First bit and width of a bit-field.
    pub bits: Option<(u32, u32)>,
    /// The value, a constant or an address plus a constant.
    pub value: ExprId,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Its parameters.
    pub params: Vec<VarId>,
    /// Its blocks, the entry first; empty without a body.
    pub blocks: IdVec<BlockId, Block>,
    /// Is its address used?
    pub address_taken: bool,
    /// Where it is.
    pub span: Span,
}

/// Where values come from outside.
#[derive(Clone, Debug)]
pub struct InputSite {
    /// The name for traces.
    pub name: String,
    /// The type of the values.
    pub ty: TypeId,
    /// Where it is.
    pub span: Span,
    /// Is the value not free, but that of a mathematical function, of which at most the range is known here? Proofs are about all
    /// values; an execution that comes here is not followed.
    pub is_computed: bool,
}

/// A typed program.
#[derive(Debug)]
pub struct Unit {
    /// Its types.
    pub types: Types,
    /// Its variables.
    pub vars: IdVec<VarId, Variable>,
    /// Its functions.
    pub funcs: IdVec<FuncId, Function>,
    /// Its expressions.
    pub exprs: IdVec<ExprId, TypedExpr>,
    /// Initial values of static objects that are not zero.
    pub statics: Vec<StaticValue>,
    /// Its inputs, with the indices of the encoded program.
    pub inputs: IdVec<InputId, InputSite>,
    /// Its properties.
    pub properties: IdVec<PropertyId, Property>,
    /// What was taken for granted, and in which function; none for what holds wherever execution goes.
    pub assumptions: Vec<(Option<FuncId>, Assumption)>,
    /// Functions whose bodies have something unsupported in them, and that; only a problem if they can be called.
    pub(super) refused: Vec<(FuncId, Issue)>,
    /// Where an execution would come to something unsupported: properties that are only violated in that sense.
    pub(super) unsupported: Vec<(PropertyId, Issue)>,
    /// Where execution starts.
    pub entry: FuncId,
    /// Is the safety of memory checked? Then objects have lifetimes, and no address is used twice.
    pub guards_memory: bool,
    /// Is the use of values checked that were never set?
    pub tracks_contents: bool,
    /// How the program is taken apart at its contracts, where that is asked for and there are any.
    pub modular: Option<Modular>,
}

/// A program of which each part is verified on its own.
#[derive(Clone, Debug)]
pub struct Modular {
    /// The function that calls one part, whichever; while parts are being encoded, the entry of the whole program.
    pub start: FuncId,
    /// Does execution start anywhere, or are there only functions with contracts?
    pub has_entry: bool,
    /// The functions with contracts.
    pub parts: Vec<Part>,
}

/// A function that has a contract.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The function.
    pub subject: FuncId,
    /// What is called in its place: the precondition is checked, whatever the function may write becomes arbitrary, and the
    /// postcondition is assumed.
    pub stand_in: FuncId,
    /// Calls the function in an arbitrary state that meets the precondition.
    pub proof: FuncId,
}

impl Place {
    /// A whole variable.
    pub fn var(var: VarId, ty: TypeId) -> Place {
        Place { base: Base::Var(var), offset: 0, dynamic: Vec::new(), extent: None, ty, bits: None }
    }

    /// The object at an address.
    pub fn deref(address: ExprId, ty: TypeId) -> Place {
        Place { base: Base::Deref(address), offset: 0, dynamic: Vec::new(), extent: None, ty, bits: None }
    }

    /// The expressions that a place depends on.
    pub fn operands(&self) -> impl Iterator<Item = ExprId> + '_ {
        let base = match self.base {
            Base::Deref(e) => Some(e),
            Base::Var(_) => None,
        };
        base.into_iter().chain(self.dynamic.iter().map(|d| d.0))
    }
}

impl Expr {
    /// The operands, those of a place included.
    pub fn operands(&self) -> Vec<ExprId> {
        match self {
            Expr::Int(_) | Expr::Float(_) | Expr::Func(_) => Vec::new(),
            Expr::Load(p) | Expr::Addr(p) => p.operands().collect(),
            Expr::Neg(a) | Expr::Not(a) | Expr::LogicNot(a) | Expr::Cast(a) => vec![*a],
            Expr::Binary(_, a, b)
            | Expr::Compare(_, a, b)
            | Expr::LogicAnd(a, b)
            | Expr::LogicOr(a, b)
            | Expr::Math(_, a, b)
            | Expr::PtrAdd(a, b, _)
            | Expr::PtrSub(a, b, _) => vec![*a, *b],
            Expr::Cond(a, b, c) => vec![*a, *b, *c],
        }
    }
}

impl Unit {
    /// Some expressions and all that they depend on, operands first.
    pub fn post_order(&self, roots: impl IntoIterator<Item = ExprId>) -> Vec<ExprId> {
        let mut out = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack: Vec<ExprId> = roots.into_iter().collect();
        while let Some(e) = stack.pop() {
            if seen.insert(e) {
                out.push(e);
                stack.extend(self.exprs[e].expr.operands());
            }
        }
        // Operands have smaller indices than what uses them.
        out.sort_unstable();
        out
    }

    /// Does a property only say that execution comes to something unsupported?
    pub fn is_unsupported(&self, property: PropertyId) -> bool {
        self.unsupported.iter().any(|(p, _)| *p == property)
    }

    /// The value of an expression that is an integer constant.
    pub fn as_int(&self, e: ExprId) -> Option<i128> {
        match self.exprs[e].expr {
            Expr::Int(v) => Some(v),
            _ => None,
        }
    }
}

impl InstrKind {
    /// The places that an instruction names.
    pub fn places(&self) -> Vec<&Place> {
        match self {
            InstrKind::Assign(p, _) | InstrKind::Input(p, _) | InstrKind::Alloc(p, _, _) => vec![p],
            InstrKind::Copy(a, b) => vec![a, b],
            InstrKind::Call(dst, _, _) => dst.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The expressions that an instruction reads, those inside places included.
    pub fn operands(&self) -> Vec<ExprId> {
        let mut out: Vec<ExprId> =
            self.places().iter().flat_map(|p| p.operands().collect::<Vec<_>>()).collect();
        match self {
            InstrKind::Assign(_, e) | InstrKind::Assume(e) | InstrKind::Alloc(_, e, _) => out.push(*e),
            InstrKind::Call(_, callee, args) => {
                if let Callee::Indirect(e, ..) = callee {
                    out.push(*e);
                }
                out.extend(args);
            }
            InstrKind::Fill(a, b, c) | InstrKind::Move(a, b, c) => out.extend([*a, *b, *c]),
            InstrKind::Escape(values) => out.extend(values),
            InstrKind::Guard(guard) => out.extend(guard.operands()),
            InstrKind::Copy(..) | InstrKind::Input(..) | InstrKind::Fresh(..) | InstrKind::Zero(_) => {}
        }
        out
    }
}
