//! The syntax tree of a translation unit.
//!
//! Expressions and statements live in arenas of the [`Tree`], so that dropping a tree needs no stack and a chain of a
//! hundred thousand operators is only long, not deep. Children come before their parents. What a specifier, a declarator or
//! an attribute means is not decided here: the tree says what is written, the lowering says what it is.

use bolide_base::{IdVec, index_type};
use bolide_model::Span;
use std::sync::Arc;

index_type! {
    /// An expression.
    pub struct ExprId("e");
}
index_type! {
    /// A statement.
    pub struct StmtId("s");
}

/// An identifier; equal names share their text. Universal character names are written out as UTF-8.
pub type Name = Arc<str>;

/// An identifier with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// What it is.
    pub name: Name,
    /// Where it is.
    pub span: Span,
}

/// A translation unit.
#[derive(Debug, Default)]
pub struct Tree {
    /// All expressions.
    pub exprs: IdVec<ExprId, Expr>,
    /// All statements.
    pub stmts: IdVec<StmtId, Stmt>,
    /// What stands at file scope, in order.
    pub items: Vec<Item>,
    /// The names that `#pragma weak` declares so.
    pub weak: Vec<Name>,
    /// How deeply constructs nest at most: expressions, statements, declarators, initialisers. A bound on the recursion of
    /// whoever walks the tree.
    pub depth: usize,
}

/// What stands at file scope.
#[derive(Debug)]
pub enum Item {
    /// A declaration.
    Declaration(Declaration),
    /// A function with its body.
    Function(Box<FunctionDefinition>),
    /// `_Static_assert` at file scope.
    StaticAssert(StaticAssert),
    /// `asm("…");` at file scope.
    Asm(Asm),
}

/// An expression with its place.
#[derive(Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is; of an operation, from the first byte of its operands to the last.
    pub span: Span,
}

/// What an expression is. `__extension__` and parentheses leave no trace, except where the parentheses matter: see
/// [`ExprKind::Parenthesised`].
#[derive(Debug)]
pub enum ExprKind {
    /// An identifier.
    Name(Name),
    /// An integer constant.
    Integer(IntegerLiteral),
    /// A floating constant.
    Floating(FloatingLiteral),
    /// A character constant.
    Character(CharacterLiteral),
    /// A string, neighbours joined.
    String(StringLiteral),
    /// A string in parentheses, which initialises no array.
    Parenthesised(ExprId),
    /// An operator with one operand.
    Unary(UnaryOp, ExprId),
    /// An operator with two operands, the logical ones included.
    Binary(BinaryOp, ExprId, ExprId),
    /// `a = b`, or `a op= b`.
    Assign(Option<BinaryOp>, ExprId, ExprId),
    /// `a ? b : c`; without the second for `a ?: c`.
    Conditional(ExprId, Option<ExprId>, ExprId),
    /// `a, b`.
    Comma(ExprId, ExprId),
    /// `(T) e`.
    Cast(Box<TypeName>, ExprId),
    /// `(T) { … }`.
    CompoundLiteral(Box<TypeName>, Box<Initializer>),
    /// `sizeof e`.
    SizeofExpr(ExprId),
    /// `sizeof(T)`.
    SizeofType(Box<TypeName>),
    /// `_Alignof e` (GNU).
    AlignofExpr(ExprId),
    /// `_Alignof(T)`.
    AlignofType(Box<TypeName>),
    /// `a[b]`.
    Index(ExprId, ExprId),
    /// `f(args)`; builtins that take only expressions are calls, too.
    Call(ExprId, Vec<ExprId>),
    /// `e.m`, or `e->m` if the flag is set.
    Member(ExprId, Ident, bool),
    /// `_Generic(e, T: a, default: b)`.
    Generic(GenericControl, Vec<(Option<TypeName>, ExprId)>),
    /// `({ … })`.
    Statement(StmtId),
    /// `&&label`.
    LabelAddress(Ident),
    /// `__builtin_va_arg(list, T)`.
    VaArg(ExprId, Box<TypeName>),
    /// `__builtin_offsetof(T, a.b[c])`.
    Offsetof(Box<TypeName>, Vec<Designator>),
    /// `__builtin_types_compatible_p(T, U)`.
    TypesCompatible(Box<TypeName>, Box<TypeName>),
    /// `__builtin_convertvector(e, T)`.
    ConvertVector(ExprId, Box<TypeName>),
    /// `__builtin_bit_cast(T, e)`.
    BitCast(Box<TypeName>, ExprId),
    /// Where an error was recovered from; there is a message for it.
    Error,
}

/// What chooses in `_Generic`.
#[derive(Debug)]
pub enum GenericControl {
    /// The type of an expression after conversion of lvalues.
    Expr(ExprId),
    /// A type as it is (C2y, clang).
    Type(Box<TypeName>),
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `~`
    Complement,
    /// `!`
    Not,
    /// `*`
    Deref,
    /// `&`
    Address,
    /// `++x`
    PreIncrement,
    /// `--x`
    PreDecrement,
    /// `x++`
    PostIncrement,
    /// `x--`
    PostDecrement,
    /// `__real__`
    Real,
    /// `__imag__`
    Imag,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `<`
    Lt,
    /// `>`
    Gt,
    /// `<=`
    Le,
    /// `>=`
    Ge,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`
    LogicAnd,
    /// `||`
    LogicOr,
}

/// How many times `long` is written in a suffix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Longs {
    /// None.
    Zero,
    /// `l`
    One,
    /// `ll`
    Two,
}

/// An integer constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IntegerLiteral {
    /// Its value.
    pub value: u128,
    /// Is it written in decimal? Others may become unsigned types.
    pub decimal: bool,
    /// Has it the suffix `u`?
    pub unsigned: bool,
    /// Its `l`s.
    pub longs: Longs,
    /// Has it the suffix `i` or `j`?
    pub imaginary: bool,
}

/// The type that the suffix of a floating constant asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatingSuffix {
    /// `double`
    None,
    /// `f`
    F,
    /// `l`
    L,
    /// `q` or `f128`: 128 bits
    Q,
    /// `w` or `f64x`: as `long double` on x86
    W,
    /// `f16`
    F16,
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// `f32x`
    F32x,
    /// `df`, `dd` or `dl`: decimal
    Decimal,
}

/// A floating constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FloatingLiteral {
    /// Digits, point and exponent as written, decimal or hexadecimal with `0x`, without suffix and digit separators.
    pub text: Box<str>,
    /// Its type.
    pub suffix: FloatingSuffix,
    /// Has it the suffix `i` or `j`?
    pub imaginary: bool,
}

/// The prefix of a character constant or string.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Encoding {
    /// None: bytes of type `char`.
    Plain,
    /// `u8`: bytes of type `char`.
    Utf8,
    /// `L`: `wchar_t`, 32 bits and signed on our targets.
    Wide,
    /// `u`: 16 bits, unsigned.
    Char16,
    /// `U`: 32 bits, unsigned.
    Char32,
}

/// A character constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CharacterLiteral {
    /// Its prefix.
    pub encoding: Encoding,
    /// The units in order, after escapes: bytes if plain, code units otherwise. At least one.
    pub units: Vec<u32>,
}

/// A string literal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StringLiteral {
    /// The prefix of the joined string.
    pub encoding: Encoding,
    /// The units in order, after escapes, without the terminator: bytes of the file as they are if plain or UTF-8, code
    /// units otherwise.
    pub units: Vec<u32>,
}

/// A declaration.
#[derive(Debug)]
pub struct Declaration {
    /// What is common to its declarators.
    pub specifiers: Specifiers,
    /// What it declares; empty for a tag alone.
    pub declarators: Vec<InitDeclarator>,
    /// Where it is.
    pub span: Span,
}

/// A declarator with what may follow it.
#[derive(Debug)]
pub struct InitDeclarator {
    /// The declarator; attributes after it are in its list.
    pub declarator: Declarator,
    /// The name that `asm("…")` gives it in the object file.
    pub asm_label: Option<Box<str>>,
    /// Its initialiser.
    pub initializer: Option<Initializer>,
}

/// A function with its body.
#[derive(Debug)]
pub struct FunctionDefinition {
    /// Its specifiers.
    pub specifiers: Specifiers,
    /// Its declarator.
    pub declarator: Declarator,
    /// The declarations of parameters in old style.
    pub old_style: Vec<Declaration>,
    /// Its body, a compound statement.
    pub body: StmtId,
    /// Where it is.
    pub span: Span,
}

/// Storage classes; several may be set, which is for the lowering to judge.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Storage {
    /// `typedef`
    pub is_typedef: bool,
    /// `extern`
    pub is_extern: bool,
    /// `static`
    pub is_static: bool,
    /// `auto`
    pub is_auto: bool,
    /// `register`
    pub is_register: bool,
    /// `_Thread_local`, `__thread`
    pub is_thread_local: bool,
    /// `constexpr`, which is no storage class by itself: the value is a constant.
    pub is_constexpr: bool,
}

/// Qualifiers of a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Qualifiers {
    /// `const`
    pub is_const: bool,
    /// `volatile`
    pub is_volatile: bool,
    /// `restrict`
    pub is_restrict: bool,
    /// `_Atomic`
    pub is_atomic: bool,
}

/// Specifiers of a declaration, a type name or a member.
#[derive(Debug)]
pub struct Specifiers {
    /// Storage classes.
    pub storage: Storage,
    /// Qualifiers of the type.
    pub qualifiers: Qualifiers,
    /// The type.
    pub ty: TypeSpecifier,
    /// `inline`
    pub is_inline: bool,
    /// `_Noreturn`
    pub is_noreturn: bool,
    /// Every `_Alignas`.
    pub alignas: Vec<Alignas>,
    /// Attributes among the specifiers; those after the braces of a record or enumeration are in its own list.
    pub attributes: Vec<Attribute>,
    /// Where they are.
    pub span: Span,
}

/// What `_Alignas` says.
#[derive(Debug)]
pub enum Alignas {
    /// A number of bytes.
    Expr(ExprId),
    /// As much as a type.
    Type(Box<TypeName>),
}

/// A type specifier, after its words have been put together.
#[derive(Debug)]
pub enum TypeSpecifier {
    /// None is written: `int`, where old C allows that.
    Implicit,
    /// A basic type; complex if the flag is set (`_Complex` alone is `_Complex double`).
    Basic(Basic, bool),
    /// A structure or union.
    Record(Box<RecordSpecifier>),
    /// An enumeration.
    Enum(Box<EnumSpecifier>),
    /// A name that a `typedef` in scope gave.
    Typedef(Name),
    /// `typeof(e)`; without qualifiers for `typeof_unqual`.
    TypeofExpr(ExprId, bool),
    /// `typeof(T)`; without qualifiers for `typeof_unqual`.
    TypeofType(Box<TypeName>, bool),
    /// `_Atomic(T)`
    Atomic(Box<TypeName>),
    /// `__auto_type`, or `auto` without a type as in C23.
    Auto,
    /// `__builtin_va_list`
    VaList,
    /// Where an error was recovered from.
    Error,
}

/// Basic types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Basic {
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// `char`
    Char,
    /// `signed char`
    SignedChar,
    /// `unsigned char`
    UnsignedChar,
    /// `short`
    Short,
    /// `unsigned short`
    UnsignedShort,
    /// `int`
    Int,
    /// `unsigned`
    UnsignedInt,
    /// `long`
    Long,
    /// `unsigned long`
    UnsignedLong,
    /// `long long`
    LongLong,
    /// `unsigned long long`
    UnsignedLongLong,
    /// `__int128`
    Int128,
    /// `unsigned __int128`
    UnsignedInt128,
    /// `_Float16`
    Float16,
    /// `float`
    Float,
    /// `_Float32`
    Float32,
    /// `double`
    Double,
    /// `_Float64`
    Float64,
    /// `_Float32x`
    Float32x,
    /// `long double`
    LongDouble,
    /// `_Float64x`
    Float64x,
    /// `_Float128`, `__float128`
    Float128,
    /// `_Decimal32`
    Decimal32,
    /// `_Decimal64`
    Decimal64,
    /// `_Decimal128`
    Decimal128,
}

/// `struct` or `union`, a mention or a definition.
#[derive(Debug)]
pub struct RecordSpecifier {
    /// Is it a union?
    pub is_union: bool,
    /// Its tag.
    pub tag: Option<Ident>,
    /// Its members, if it is defined here.
    pub members: Option<Vec<MemberDeclaration>>,
    /// Attributes before the tag and after the braces.
    pub attributes: Vec<Attribute>,
    /// The greatest alignment of members by `#pragma pack` at its end.
    pub pack: Option<u64>,
    /// Where it is.
    pub span: Span,
}

/// A line among the members of a record.
#[derive(Debug)]
pub enum MemberDeclaration {
    /// Members with common specifiers; no declarator for an anonymous record.
    Members(Specifiers, Vec<MemberDeclarator>),
    /// `_Static_assert`
    StaticAssert(StaticAssert),
}

/// A member.
#[derive(Debug)]
pub struct MemberDeclarator {
    /// Its name and type; without a name for an unnamed bit-field.
    pub declarator: Declarator,
    /// The width of a bit-field.
    pub width: Option<ExprId>,
}

/// `enum`, a mention or a definition.
#[derive(Debug)]
pub struct EnumSpecifier {
    /// Its tag.
    pub tag: Option<Ident>,
    /// The type that C23 lets it name.
    pub underlying: Option<Box<TypeName>>,
    /// Its constants, if it is defined here.
    pub constants: Option<Vec<Enumerator>>,
    /// Attributes before the tag and after the braces.
    pub attributes: Vec<Attribute>,
    /// Where it is.
    pub span: Span,
}

/// A constant of an enumeration.
#[derive(Debug)]
pub struct Enumerator {
    /// Its name.
    pub ident: Ident,
    /// Its value, if written.
    pub value: Option<ExprId>,
    /// Attributes after its name.
    pub attributes: Vec<Attribute>,
}

/// A declarator: what a name is, read from the name outwards.
#[derive(Debug, Default)]
pub struct Declarator {
    /// The name; none in type names and abstract parameters.
    pub ident: Option<Ident>,
    /// The first is what the name itself is: `int *a[3]` has an array and then a pointer.
    pub derived: Vec<Derived>,
    /// Attributes that belong to what is declared: those after the declarator, and after `asm("…")`.
    pub attributes: Vec<Attribute>,
    /// Where it is.
    pub span: Span,
}

/// A layer of a declarator.
#[derive(Debug)]
pub enum Derived {
    /// `*` with qualifiers and attributes of the pointer.
    Pointer(Qualifiers, Vec<Attribute>),
    /// `[…]`
    Array(ArrayDeclarator),
    /// `(…)`
    Function(FunctionDeclarator),
}

/// `[…]` in a declarator.
#[derive(Debug)]
pub struct ArrayDeclarator {
    /// What stands inside.
    pub length: ArrayLength,
    /// Qualifiers inside, of a parameter.
    pub qualifiers: Qualifiers,
    /// Is `static` inside?
    pub is_static: bool,
    /// Where it is.
    pub span: Span,
}

/// The length of an array as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArrayLength {
    /// `[]`
    None,
    /// `[*]`
    Star,
    /// `[e]`
    Expr(ExprId),
}

/// `(…)` in a declarator.
#[derive(Debug)]
pub struct FunctionDeclarator {
    /// The parameters.
    pub parameters: Parameters,
    /// Where it is.
    pub span: Span,
}

/// Parameters of a function.
#[derive(Debug)]
pub enum Parameters {
    /// `()`: nothing is said.
    Unspecified,
    /// `(a, b)` of a definition in old style.
    Identifiers(Vec<Ident>),
    /// A prototype; `(void)` is one without parameters. The flag says whether `...` ends it.
    Prototype(Vec<Parameter>, bool),
}

/// A parameter.
#[derive(Debug)]
pub struct Parameter {
    /// Its specifiers.
    pub specifiers: Specifiers,
    /// Its declarator.
    pub declarator: Declarator,
}

/// A type name, as in casts.
#[derive(Debug)]
pub struct TypeName {
    /// Its specifiers.
    pub specifiers: Specifiers,
    /// Its declarator, without a name.
    pub declarator: Declarator,
    /// Where it is.
    pub span: Span,
}

impl TypeName {
    /// Is this `void`?
    pub fn is_void(&self) -> bool {
        matches!(self.specifiers.ty, TypeSpecifier::Basic(Basic::Void, false))
            && self.declarator.derived.is_empty()
    }
}

/// An initialiser.
#[derive(Debug)]
pub enum Initializer {
    /// An expression.
    Expr(ExprId),
    /// A list in braces.
    List(Vec<InitializerItem>, Span),
}

/// An element of a list of initialisers.
#[derive(Debug)]
pub struct InitializerItem {
    /// What it is for; empty for whatever comes next.
    pub designators: Vec<Designator>,
    /// Its value.
    pub value: Initializer,
}

/// A step to a part of an object.
#[derive(Debug)]
pub enum Designator {
    /// `[e]`
    Index(ExprId),
    /// `[e ... f]`
    Range(ExprId, ExprId),
    /// `.m`, also in the old form `m:`.
    Member(Ident),
}

/// `_Static_assert(e, "…")`.
#[derive(Debug)]
pub struct StaticAssert {
    /// What must hold.
    pub condition: ExprId,
    /// What to say if it does not.
    pub message: Option<StringLiteral>,
    /// Where it is.
    pub span: Span,
}

/// One attribute of `__attribute__((…))`, `[[…]]` or `__declspec(…)`.
#[derive(Debug)]
pub struct Attribute {
    /// Its name without underscores around it: `packed` for `__packed__`. A prefix (`gnu::`) is left out.
    pub name: Name,
    /// Its arguments; none if there are no parentheses.
    pub arguments: Vec<AttributeArgument>,
    /// Where it is.
    pub span: Span,
}

/// An argument of an attribute.
#[derive(Debug)]
pub enum AttributeArgument {
    /// An expression; names are expressions, too.
    Expr(ExprId),
    /// A type.
    Type(Box<TypeName>),
    /// Anything else.
    Other(Span),
}

/// A statement with its place.
#[derive(Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it is; of those that hold others, to their end.
    pub span: Span,
}

/// What a statement is.
///
/// Labels are statements of their own that stand before the one that they name; one that is the body of an `if` or of a loop
/// stands with it in a compound statement. So a long row of labels is flat.
#[derive(Debug)]
pub enum StmtKind {
    /// `;`, with attributes such as `fallthrough`.
    Empty(Vec<Attribute>),
    /// An expression.
    Expr(ExprId),
    /// `{ … }`
    Compound(Vec<BlockItem>),
    /// `if`
    If(ExprId, StmtId, Option<StmtId>),
    /// `switch`
    Switch(ExprId, StmtId),
    /// `while`
    While(ExprId, StmtId),
    /// `do … while`
    DoWhile(StmtId, ExprId),
    /// `for`
    For(Box<For>),
    /// `case a:`, or `case a ... b:`
    Case(ExprId, Option<ExprId>),
    /// `default:`
    Default,
    /// `name:`
    Label(Ident, Vec<Attribute>),
    /// `goto name`
    Goto(Ident),
    /// `goto *e`
    GotoComputed(ExprId),
    /// `continue`
    Continue,
    /// `break`
    Break,
    /// `return`
    Return(Option<ExprId>),
    /// `asm`
    Asm(Box<Asm>),
    /// Where an error was recovered from.
    Error,
}

/// A `for` loop.
#[derive(Debug)]
pub struct For {
    /// What is done first.
    pub init: ForInit,
    /// The condition.
    pub condition: Option<ExprId>,
    /// What is done after each round.
    pub step: Option<ExprId>,
    /// The body.
    pub body: StmtId,
}

/// How a `for` loop starts.
#[derive(Debug)]
pub enum ForInit {
    /// With nothing.
    None,
    /// With an expression.
    Expr(ExprId),
    /// With a declaration.
    Declaration(Declaration),
}

/// What stands in a compound statement.
#[derive(Debug)]
pub enum BlockItem {
    /// A statement.
    Stmt(StmtId),
    /// A declaration.
    Declaration(Declaration),
    /// A nested function.
    Function(Box<FunctionDefinition>),
    /// `__label__ a, b;`
    LocalLabels(Vec<Ident>),
    /// `_Static_assert`
    StaticAssert(StaticAssert),
}

/// An `asm` statement or declaration.
#[derive(Debug)]
pub struct Asm {
    /// Is it `volatile`?
    pub is_volatile: bool,
    /// Is it `asm goto`?
    pub is_goto: bool,
    /// The instructions.
    pub template: StringLiteral,
    /// Outputs.
    pub outputs: Vec<AsmOperand>,
    /// Inputs.
    pub inputs: Vec<AsmOperand>,
    /// What else it changes.
    pub clobbers: Vec<StringLiteral>,
    /// Where `asm goto` may jump.
    pub labels: Vec<Ident>,
    /// Where it is.
    pub span: Span,
}

/// An operand of `asm`.
#[derive(Debug)]
pub struct AsmOperand {
    /// Its symbolic name.
    pub name: Option<Ident>,
    /// Its constraint.
    pub constraint: StringLiteral,
    /// The expression.
    pub expr: ExprId,
}
