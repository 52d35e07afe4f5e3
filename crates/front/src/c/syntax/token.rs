//! Tokens and keywords.

/// A token. Its place is in the text after line splicing, see [`Spliced`](super::splice::Spliced).
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// What it is.
    pub kind: T,
    /// Is it the first of its line?
    pub starts_line: bool,
    /// The symbol of an identifier or keyword.
    pub symbol: Symbol,
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

/// An interned identifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Symbol(pub u32);

macro_rules! tokens {
    (others { $($other:ident $shown:literal,)* } keywords { $($keyword:ident $($text:literal)+,)* }) => {
        /// What a token is.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum T { $($other,)* $($keyword,)* }

        /// The spellings of keywords; their symbols are their positions here.
        pub(super) const KEYWORDS: &[(&str, T)] = &[$($(($text, T::$keyword),)+)*];

        impl T {
            /// How messages name an expected token.
            pub fn shown(self) -> &'static str {
                match self {
                    $(T::$other => $shown,)*
                    $(T::$keyword => tokens!(@first $($text)+),)*
                }
            }
        }
    };
    (@first $first:literal $($rest:literal)*) => { $first };
}

tokens! {
    others {
        Eof "end of file", Ident "an identifier", Number "a number", Char "a character constant", Str "a string",
        LParen "(", RParen ")", LBracket "[", RBracket "]", LBrace "{", RBrace "}",
        Dot ".", Arrow "->", Ellipsis "...", Increment "++", Decrement "--",
        Amp "&", Star "*", Plus "+", Minus "-", Tilde "~", Bang "!", Slash "/", Percent "%",
        Shl "<<", Shr ">>", Lt "<", Gt ">", Le "<=", Ge ">=", EqEq "==", Ne "!=", Caret "^", Pipe "|",
        AndAnd "&&", OrOr "||", Question "?", Colon ":", Semi ";", Comma ",",
        Assign "=", StarAssign "*=", SlashAssign "/=", PercentAssign "%=", PlusAssign "+=", MinusAssign "-=",
        ShlAssign "<<=", ShrAssign ">>=", AmpAssign "&=", CaretAssign "^=", PipeAssign "|=",
    }
    keywords {
        KwAuto "auto", KwBreak "break", KwCase "case", KwChar "char", KwConst "const" "__const" "__const__",
        KwContinue "continue", KwDefault "default", KwDo "do", KwDouble "double", KwElse "else", KwEnum "enum",
        KwExtern "extern", KwFloat "float", KwFor "for", KwGoto "goto", KwIf "if",
        KwInline "inline" "__inline" "__inline__", KwInt "int", KwLong "long", KwRegister "register",
        KwRestrict "restrict" "__restrict" "__restrict__", KwReturn "return", KwShort "short",
        KwSigned "signed" "__signed" "__signed__", KwSizeof "sizeof", KwStatic "static", KwStruct "struct",
        KwSwitch "switch", KwTypedef "typedef", KwUnion "union", KwUnsigned "unsigned", KwVoid "void",
        KwVolatile "volatile" "__volatile" "__volatile__", KwWhile "while",
        KwAlignas "_Alignas", KwAlignof "_Alignof" "__alignof" "__alignof__", KwAtomic "_Atomic", KwBool "_Bool",
        KwComplex "_Complex" "__complex" "__complex__", KwGeneric "_Generic", KwImaginary "_Imaginary",
        KwNoreturn "_Noreturn", KwStaticAssert "_Static_assert", KwThreadLocal "_Thread_local" "__thread",
        KwAsm "asm" "__asm" "__asm__", KwAttribute "__attribute__" "__attribute", KwDeclspec "__declspec",
        KwTypeof "typeof" "__typeof" "__typeof__", KwTypeofUnqual "typeof_unqual" "__typeof_unqual" "__typeof_unqual__",
        KwAutoType "__auto_type", KwExtension "__extension__", KwLabel "__label__",
        KwReal "__real__" "__real", KwImag "__imag__" "__imag",
        KwInt128 "__int128" "__int128__", KwInt128Typedef "__int128_t", KwUint128Typedef "__uint128_t",
        KwFloat16 "_Float16", KwFloat32 "_Float32", KwFloat64 "_Float64", KwFloat32x "_Float32x",
        KwFloat64x "_Float64x" "__float80", KwFloat128 "_Float128" "__float128",
        KwDecimal32 "_Decimal32", KwDecimal64 "_Decimal64", KwDecimal128 "_Decimal128", KwBitInt "_BitInt",
        KwVaList "__builtin_va_list" "__builtin_sysv_va_list", KwVaArg "__builtin_va_arg", KwOffsetof "__builtin_offsetof",
        KwTypesCompatible "__builtin_types_compatible_p", KwConvertVector "__builtin_convertvector",
        KwBitCast "__builtin_bit_cast", KwPragma "_Pragma",
        KwNullability "_Nonnull" "_Nullable" "_Null_unspecified",
    }
}
