//! The symbols that the theories of SMT-LIB define, and the words that its grammar reserves.

macro_rules! symbols {
    ($(#[$doc:meta])* $kind:ident { $($variant:ident $name:literal)* }) => {
        $(#[$doc])*
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        pub(crate) enum $kind { $($variant,)* }

        impl $kind {
            pub(crate) const ALL: &[$kind] = &[$($kind::$variant,)*];

            /// The symbol as it is written.
            pub(crate) fn name(self) -> &'static str {
                match self { $($kind::$variant => $name,)* }
            }
        }
    };
}

symbols! {
    /// A word of the grammar of terms. Between bars it is an ordinary symbol.
    Reserved {
        Let "let" Forall "forall" Exists "exists" Annotate "!" Index "_" As "as" Match "match" Par "par"
        Lambda "lambda"
    }
}

symbols! {
    /// A function symbol of a theory.
    Builtin {
        True "true" False "false" Not "not" And "and" Or "or" Xor "xor" Implies "=>" ImpliesWord "implies"
        Eq "=" Distinct "distinct" Ite "ite"
        Add "+" Sub "-" Neg "~" Mul "*" RealDiv "/" Div "div" Mod "mod" Abs "abs"
        Le "<=" Lt "<" Ge ">=" Gt ">" ToReal "to_real" ToInt "to_int" IsInt "is_int"
        ArraySelect "select" ArrayStore "store"
        Concat "concat" BvNot "bvnot" BvNeg "bvneg" BvAnd "bvand" BvOr "bvor" BvXor "bvxor"
        BvNand "bvnand" BvNor "bvnor" BvXnor "bvxnor" BvComp "bvcomp"
        BvAdd "bvadd" BvSub "bvsub" BvMul "bvmul" BvUdiv "bvudiv" BvUrem "bvurem" BvSdiv "bvsdiv"
        BvSrem "bvsrem" BvSmod "bvsmod" BvShl "bvshl" BvLshr "bvlshr" BvAshr "bvashr"
        BvUdivI "bvudiv_i" BvUremI "bvurem_i" BvSdivI "bvsdiv_i" BvSremI "bvsrem_i" BvSmodI "bvsmod_i"
        BvUlt "bvult" BvUle "bvule" BvUgt "bvugt" BvUge "bvuge"
        BvSlt "bvslt" BvSle "bvsle" BvSgt "bvsgt" BvSge "bvsge"
        BvNegO "bvnego" BvUaddO "bvuaddo" BvSaddO "bvsaddo" BvUmulO "bvumulo" BvSmulO "bvsmulo"
        BvUsubO "bvusubo" BvSsubO "bvssubo" BvSdivO "bvsdivo"
        BvToNat "bv2nat" UbvToInt "ubv_to_int" SbvToInt "sbv_to_int"
        Fp "fp" FpAbs "fp.abs" FpNeg "fp.neg" FpAdd "fp.add" FpSub "fp.sub" FpMul "fp.mul" FpDiv "fp.div"
        FpFma "fp.fma" FpSqrt "fp.sqrt" FpRem "fp.rem" FpRoundToIntegral "fp.roundToIntegral"
        FpMin "fp.min" FpMax "fp.max" FpLeq "fp.leq" FpLt "fp.lt" FpGeq "fp.geq" FpGt "fp.gt" FpEq "fp.eq"
        FpIsNormal "fp.isNormal" FpIsSubnormal "fp.isSubnormal" FpIsZero "fp.isZero"
        FpIsInfinite "fp.isInfinite" FpIsNan "fp.isNaN" FpIsNegative "fp.isNegative"
        FpIsPositive "fp.isPositive" FpToReal "fp.to_real" FpToIeeeBv "fp.to_ieee_bv"
    }
}

impl Builtin {
    /// Is this a function of the theory of floating-point numbers?
    pub(crate) fn is_float(self) -> bool {
        self as usize >= Builtin::Fp as usize
    }

    /// May a user declare a symbol of this name? Logics without arithmetic, arrays or bit-vectors leave
    /// the names of those theories free; the core theory is everywhere.
    pub(crate) fn can_be_shadowed(self) -> bool {
        use Builtin::*;
        !matches!(self, True | False | Not | And | Or | Xor | Implies | Eq | Distinct | Ite)
    }
}

symbols! {
    /// A function symbol with numeral indices, written `(_ name i ...)`.
    Indexed {
        Extract "extract" ZeroExtend "zero_extend" SignExtend "sign_extend" Repeat "repeat"
        RotateLeft "rotate_left" RotateRight "rotate_right" Int2Bv "int2bv" Nat2Bv "nat2bv"
        IntToBv "int_to_bv" ToFp "to_fp" ToFpUnsigned "to_fp_unsigned" FpToUbv "fp.to_ubv" FpToSbv "fp.to_sbv"
    }
}

impl Indexed {
    /// How many indices the symbol has.
    pub(crate) fn indices(self) -> usize {
        match self {
            Indexed::Extract | Indexed::ToFp | Indexed::ToFpUnsigned => 2,
            _ => 1,
        }
    }
}
