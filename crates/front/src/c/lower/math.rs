//! The functions of the mathematical library whose results are defined exactly, by the names that headers and compilers
//! give them.

use super::complex::complex_function;
use super::object::Lowered;
use super::{Lower, Result, unsupported};
use crate::c::hir::{BinOp, CmpOp, Expr, ExprId, FuncId, InstrKind, Math};
use crate::c::syntax::ast;
use crate::c::types::{Type, TypeId};
use bolide_model::Span;

/// Functions that exist for each floating type, by the name of the one for `double`.
const FUNCTIONS: &[(&str, Math)] = &[
    ("fabs", Math::Abs),
    ("copysign", Math::CopySign),
    ("sqrt", Math::Sqrt),
    ("floor", Math::Floor),
    ("ceil", Math::Ceil),
    ("trunc", Math::Trunc),
    ("round", Math::Round),
    ("rint", Math::Rint),
    ("nearbyint", Math::Rint),
    ("fmod", Math::Mod),
    ("fmin", Math::Min),
    ("fmax", Math::Max),
    ("__isnan", Math::IsNan),
    ("isnan", Math::IsNan),
    ("__isinf", Math::InfinitySign),
    ("__finite", Math::IsFinite),
    ("finite", Math::IsFinite),
    ("__signbit", Math::SignBit),
    ("__fpclassify", Math::Classify),
];

/// Functions of the type of their operand.
const GENERIC: &[(&str, Math)] = &[
    ("__builtin_isnan", Math::IsNan),
    ("isnan", Math::IsNan),
    ("__builtin_isinf", Math::IsInf),
    ("isinf", Math::IsInf),
    ("__builtin_isinf_sign", Math::InfinitySign),
    ("__builtin_isfinite", Math::IsFinite),
    ("__builtin_finite", Math::IsFinite),
    ("isfinite", Math::IsFinite),
    ("__builtin_signbit", Math::SignBit),
    ("__builtin_signbitf", Math::SignBit),
    ("__builtin_signbitl", Math::SignBit),
    ("signbit", Math::SignBit),
    ("fpclassify", Math::Classify),
];

/// Functions that round to an integer type: how, and the rank of the type.
const ROUNDING: &[(&str, Math, u8)] = &[
    ("lround", Math::Round, 4),
    ("llround", Math::Round, 5),
    ("lrint", Math::Rint, 4),
    ("llrint", Math::Rint, 5),
];

/// Comparisons that raise no exception: whether the operands change sides.
const COMPARISONS: &[(&str, CmpOp, bool)] = &[
    ("isless", CmpOp::Lt, false),
    ("islessequal", CmpOp::Le, false),
    ("isgreater", CmpOp::Lt, true),
    ("isgreaterequal", CmpOp::Le, true),
];

/// Functions that change how results are rounded.
const CHANGES_ROUNDING: [&str; 8] = [
    "fesetround",
    "__fesetround",
    "__builtin_fesetround",
    "fesetenv",
    "feupdateenv",
    "fesetmode",
    "_mm_setcsr",
    "__builtin_ia32_ldmxcsr",
];

impl<'a> Lower<'a> {
    /// A call of such a function; nothing if it is another one.
    pub(super) fn math_call(
        &mut self,
        name: &str,
        f: FuncId,
        args: &'a [ast::ExprId],
        span: Span,
    ) -> Result<Option<Lowered>> {
        if CHANGES_ROUNDING.contains(&name) {
            return unsupported(span, "a change of the rounding mode");
        }
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let int = self.types.int();
        let is_as_known = match self.types.get(self.funcs[f].ty) {
            Type::Function(s) => s.result == int,
            _ => false,
        };
        if let Some(&(_, function)) = GENERIC.iter().find(|g| g.0 == name)
            && let (&[a], true) = (args, is_as_known)
        {
            let a = self.floating_operand(a, None, span)?;
            let value = self.math(function, a, a, span);
            if function == Math::SignBit {
                return self.some_truth(name, value, span).map(Some);
            }
            return Ok(Some(self.scalar_result(value)));
        }
        if let Some(&(_, op, swapped)) = COMPARISONS.iter().find(|c| c.0 == plain)
            && let &[a, b] = args
        {
            let values = self.values(&[a, b], span)?;
            let (a, b, _) = self.balanced(values[0], values[1], span)?;
            let (a, b) = (a.e, b.e);
            let (a, b) = if swapped { (b, a) } else { (a, b) };
            let e = self.make(Expr::Compare(op, a, b), int, span);
            return Ok(Some(self.scalar_result(e)));
        }
        match (plain, args) {
            ("isunordered", &[a, b]) => {
                let (a, b) = (self.floating_operand(a, None, span)?, self.floating_operand(b, None, span)?);
                let (a, b) = (self.math(Math::IsNan, a, a, span), self.math(Math::IsNan, b, b, span));
                let e = self.make(Expr::LogicOr(a, b), int, span);
                return Ok(Some(self.scalar_result(e)));
            }
            ("islessgreater", &[a, b]) => {
                let values = self.values(&[a, b], span)?;
                let (a, b, _) = self.balanced(values[0], values[1], span)?;
                let (a, b) = (a.e, b.e);
                let less = self.make(Expr::Compare(CmpOp::Lt, a, b), int, span);
                let greater = self.make(Expr::Compare(CmpOp::Lt, b, a), int, span);
                let e = self.make(Expr::LogicOr(less, greater), int, span);
                return Ok(Some(self.scalar_result(e)));
            }
            ("isnormal", &[a]) => {
                let a = self.floating_operand(a, None, span)?;
                let class = self.math(Math::Classify, a, a, span);
                let normal = self.int(4, int, span);
                return Ok(Some({
                    let e = self.make(Expr::Compare(CmpOp::Eq, class, normal), int, span);
                    self.scalar_result(e)
                }));
            }
            ("fpclassify", &[ref classes @ .., a]) if classes.len() == 5 => {
                return self.classify(classes, a, span).map(Some);
            }
            _ => {}
        }
        if let Some(lowered) = self.complex_call(plain, args, span)? {
            return Ok(Some(lowered));
        }
        self.library_function(plain, f, args, span)
    }

    /// A call of a function of the compiler whose value is always the same.
    pub(super) fn math_constant(&mut self, name: &str, args: &[ast::ExprId], span: Span) -> Option<Lowered> {
        let plain = name.strip_prefix("__builtin_")?;
        let (suffix, value) = match suffix_of(plain, "huge_val").or_else(|| suffix_of(plain, "inf")) {
            Some(suffix) => (suffix, f64::INFINITY),
            None => {
                let is_plain = |&e: &ast::ExprId| match &self.tree.exprs[e].kind {
                    ast::ExprKind::String(text) => text.units.iter().all(|&u| u == 0),
                    _ => false,
                };
                (suffix_of(plain, "nan").filter(|_| args.iter().all(is_plain))?, f64::NAN)
            }
        };
        let ty = self.float_type(suffix);
        let e = self.make(Expr::Float(value), ty, span);
        Some(self.scalar_result(e))
    }

    /// A function with a suffix for the type of its operands.
    fn library_function(
        &mut self,
        name: &str,
        f: FuncId,
        args: &'a [ast::ExprId],
        span: Span,
    ) -> Result<Option<Lowered>> {
        if let Some(suffix) = suffix_of(name, "fdim")
            && let &[a, b] = args
        {
            return self.positive_difference(suffix, f, (a, b), span);
        }
        let named = FUNCTIONS.iter().find_map(|&(n, m)| Some((m, suffix_of(name, n)?, None)));
        let rounding =
            || ROUNDING.iter().find_map(|&(n, m, rank)| Some((m, suffix_of(name, n)?, Some(rank))));
        let Some((function, suffix, rank)) = named.or_else(rounding) else { return Ok(None) };
        let ty = self.float_type(suffix);
        let result = match rank {
            Some(rank) => self.types.int_of(rank, true),
            None if function.gives_int() => self.types.int(),
            None => ty,
        };
        // A function that the program declares otherwise is another function.
        if let Type::Function(s) = self.types.get(self.funcs[f].ty)
            && s.params.is_some()
            && s.result != result
        {
            return Ok(None);
        }
        let operands = match (args, function.is_binary()) {
            (&[a], false) => {
                let a = self.floating_operand(a, Some(ty), span)?;
                (a, a)
            }
            (&[a, b], true) => {
                (self.floating_operand(a, Some(ty), span)?, self.floating_operand(b, Some(ty), span)?)
            }
            _ => return Ok(None),
        };
        if rank.is_some() || matches!(function, Math::Sqrt | Math::Mod) {
            self.may_fail(span)?;
        }
        let value = self.math(function, operands.0, operands.1, span);
        let value = self.convert(value, result, span)?;
        Ok(Some(self.scalar_result(value)))
    }

    /// `fdim`: the difference if it is positive or NaN, otherwise zero.
    fn positive_difference(
        &mut self,
        suffix: &str,
        f: FuncId,
        (a, b): (ast::ExprId, ast::ExprId),
        span: Span,
    ) -> Result<Option<Lowered>> {
        let (ty, int) = (self.float_type(suffix), self.types.int());
        if let Type::Function(s) = self.types.get(self.funcs[f].ty)
            && s.params.is_some()
            && s.result != ty
        {
            return Ok(None);
        }
        let (a, b) = (self.floating_operand(a, Some(ty), span)?, self.floating_operand(b, Some(ty), span)?);
        self.may_fail(span)?;
        let is_less = self.make(Expr::Compare(CmpOp::Le, a, b), int, span);
        let (zero, difference) =
            (self.make(Expr::Float(0.0), ty, span), self.make(Expr::Binary(BinOp::Sub, a, b), ty, span));
        let e = self.make(Expr::Cond(is_less, zero, difference), ty, span);
        Ok(Some(self.scalar_result(e)))
    }

    /// A truth value of which nothing is known but whether it is zero.
    fn some_truth(&mut self, name: &str, truth: ExprId, span: Span) -> Result<Lowered> {
        let truth = self.saved(truth, span)?;
        let int = self.types.int();
        let c_int = self.ctypes.int();
        let value = self.arbitrary_scalar(name, c_int, span)?;
        let zero = self.int(0, int, span);
        let is_other = self.make(Expr::Compare(CmpOp::Ne, value, zero), int, span);
        self.emit(InstrKind::Assume(is_other), span)?;
        let e = self.make(Expr::Cond(truth, value, zero), int, span);
        Ok(self.scalar_result(e))
    }

    fn math(&mut self, function: Math, a: ExprId, b: ExprId, span: Span) -> ExprId {
        let ty = if function.gives_int() { self.types.int() } else { self.ty(a) };
        self.make(Expr::Math(function, a, b), ty, span)
    }

    /// The type with a suffix; `double` without one.
    fn float_type(&mut self, suffix: &str) -> TypeId {
        let long_double = if self.types.pointer_size() == 4 { 12 } else { 16 };
        self.types.intern(Type::Float(match suffix {
            "f" => 4,
            "l" => long_double,
            _ => 8,
        }))
    }

    /// An operand as a floating value, of a type or else its own.
    fn floating_operand(&mut self, e: ast::ExprId, ty: Option<TypeId>, span: Span) -> Result<ExprId> {
        let value = self.scalar_value(e)?;
        let own = self.ty(value);
        let ty = match ty {
            Some(ty) => ty,
            None if self.types.is_float(own) => own,
            None => self.float_type(""),
        };
        self.convert(value, ty, span)
    }

    /// The argument that belongs to the class of a number: NaN, infinite, normal, subnormal, zero.
    fn classify(&mut self, classes: &'a [ast::ExprId], a: ast::ExprId, span: Span) -> Result<Lowered> {
        let int = self.types.int();
        let a = self.floating_operand(a, None, span)?;
        let class = self.math(Math::Classify, a, a, span);
        let mut out = class;
        // The order of the arguments, in glibc's numbers.
        for (&e, number) in classes.iter().zip([0, 1, 4, 3, 2]) {
            let value = self.scalar_value(e)?;
            let at = self.span(e);
            let value = self.convert(value, int, at)?;
            let number = self.int(number, int, span);
            let is_this = self.make(Expr::Compare(CmpOp::Eq, class, number), int, span);
            out = self.make(Expr::Cond(is_this, value, out), int, span);
        }
        Ok(self.scalar_result(out))
    }
}

/// Is this a function whose results are defined exactly, or one that would change them?
pub(super) fn is_exact(name: &str) -> bool {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    CHANGES_ROUNDING.contains(&name)
        || FUNCTIONS.iter().any(|f| suffix_of(plain, f.0).is_some())
        || ROUNDING.iter().any(|r| suffix_of(plain, r.0).is_some())
        || complex_function(plain).is_some()
}

/// The rest of a name after another one, if it is a suffix of a floating type.
pub(super) fn suffix_of<'a>(name: &'a str, of: &str) -> Option<&'a str> {
    name.strip_prefix(of).filter(|s| matches!(*s, "" | "f" | "l"))
}
