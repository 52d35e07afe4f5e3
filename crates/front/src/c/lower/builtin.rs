//! Functions that mean something to a verifier, to the memory model or to compilers.

use super::ctype::{CType, Q};
use super::object::{Lowered, Value, Whole};
use super::{Lower, Result, names, unsupported};
use crate::c::hir::{Base, BinOp, CmpOp, Expr, ExprId, FuncId, InstrKind, Place, Terminator};
use crate::c::syntax::ast::{self, BinaryOp, ExprKind};
use crate::c::types::Type;
use bolide_model::Span;

/// Library functions written in C, read along with the task.
pub(in crate::c) const MODELS: &str = concat!(
    include_str!("models.c"),
    include_str!("models/strings.c"),
    include_str!("models/wide.c"),
    include_str!("models/system.c"),
    include_str!("models/curves.c"),
    include_str!("models/format.c"),
    include_str!("models/numbers.c"),
    include_str!("models/scan.c"),
    include_str!("models/pointers.c"),
);
/// The prefix of their names.
pub(super) const MODEL: &str = "__bolide_model_";
/// How the names of models begin that read values from a text.
pub(super) const SCANNING: &str = "__scan_";
/// The model that reads characters from the input.
pub(super) const INPUT_TEXT: &str = "__input_text";
/// How the names of models begin that stand for functions which are instructions here, where their address is taken.
pub(super) const POINTED: &str = "__pointer_";
/// The signals that end a program that does not handle them: hang-up, interrupt, quit, illegal instruction, abort,
/// arithmetic error, kill, bad address, broken pipe, alarm and termination.
const DEADLY: [i128; 11] = [1, 2, 3, 4, 6, 8, 9, 11, 13, 14, 15];

/// The library function that a function is the model of.
pub(super) fn modelled(name: &str) -> Option<&str> {
    name.strip_prefix(MODEL)
}

impl<'a> Lower<'a> {
    /// What compilers decide when they read it.
    pub(super) fn compile_time(
        &mut self,
        name: &str,
        args: &'a [ast::ExprId],
        span: Span,
    ) -> Result<Option<Lowered>> {
        Ok(Some(match (name, args) {
            ("__builtin_choose_expr", [c, yes, no]) => {
                let (taken, other) = if self.constant(*c)? != 0 { (yes, no) } else { (no, yes) };
                self.skipped(*other)?;
                self.lower(*taken)?
            }
            ("__bolide_old", [e]) => self.old_value(*e, span)?,
            ("__builtin_constant_p", [e]) => self.is_constant(*e, span)?,
            ("__builtin_classify_type", [e]) => {
                let lowered = self.unevaluated(*e)?;
                let q = self.type_of_lowered(&lowered);
                let class = match self.ctypes.get(q.ty) {
                    CType::Void => 0,
                    CType::Pointer(_) | CType::Array(..) | CType::Function(_) => 5,
                    CType::Float(_) => 8,
                    CType::Complex(_) => 9,
                    CType::Record(r) if self.ctypes.records[*r].is_union => 13,
                    CType::Record(_) => 12,
                    _ => 1,
                };
                let int = self.ctypes.int();
                Lowered::Value(self.int_of(class, int, span))
            }
            ("__builtin_object_size" | "__builtin_dynamic_object_size", [e, kind]) => {
                let target = self.skipped(*e)?;
                let kind = self.constant(*kind)?;
                let size_t = self.ctypes.size_t();
                let most = self.ctypes.as_int(size_t).map_or(0, |i| i.range().1);
                let value = match self.rest_of_object(target) {
                    Some((rest, is_whole)) if kind & 1 == 0 || is_whole => rest,
                    Some(_) => return unsupported(span, format_args!("'{name}' of a part of an object")),
                    None if kind & 2 == 0 => most,
                    None => 0,
                };
                Lowered::Value(self.int_of(value, size_t, span))
            }
            _ => return Ok(None),
        }))
    }

    /// The bytes from an address to the end of a variable or of a string, where the address itself says which; and whether these belong
    /// to no smaller object, as they do in structures and in arrays of arrays.
    fn rest_of_object(&self, target: Option<Lowered>) -> Option<(i128, bool)> {
        let mut moved = 0;
        let place = match target? {
            Lowered::Value(v) => {
                let mut e = v.e;
                loop {
                    match &self.exprs[e].expr {
                        Expr::Addr(place) => break place.clone(),
                        Expr::Cast(inner) if self.types.pointee(self.ty(*inner)).is_some() => e = *inner,
                        Expr::PtrAdd(inner, by, scale) => {
                            moved += self.int_value(*by)?.checked_mul(i128::from(*scale))?;
                            e = *inner;
                        }
                        _ => return None,
                    }
                }
            }
            Lowered::Object(o) if matches!(self.ctypes.get(o.ty.ty), CType::Array(..)) => o.place,
            _ => return None,
        };
        let Base::Var(v) = place.base else { return None };
        if !place.dynamic.is_empty() || self.variable_arrays.contains(&v) {
            return None;
        }
        let whole = self.vars[v].ty;
        let element = match self.types.get(whole) {
            Type::Array(element, _) => *element,
            _ => whole,
        };
        let has_parts = matches!(self.types.get(element), Type::Array(..) | Type::Record(_));
        let is_whole = !has_parts || place.offset == 0 && moved == 0 && place.ty == whole;
        let size = i128::from(self.types.size_of(whole)?);
        let offset = i128::from(place.offset) + moved;
        (0..=size).contains(&offset).then_some((size - offset, is_whole))
    }

    /// The values of arguments, the last one evaluated first.
    pub(super) fn values(&mut self, args: &[ast::ExprId], span: Span) -> Result<Vec<Value>> {
        let mut out: Vec<Value> = Vec::with_capacity(args.len());
        for &a in args.iter().rev() {
            let mark = self.mark();
            let value = self.value(a)?;
            for later in &mut out {
                later.e = self.as_of(mark, later.e, span);
            }
            out.push(value);
        }
        out.reverse();
        Ok(out)
    }

    /// Functions that mean something to a verifier or to the memory model.
    pub(super) fn known(
        &mut self,
        name: &str,
        f: FuncId,
        args: &'a [ast::ExprId],
        span: Span,
    ) -> Result<Option<Lowered>> {
        if let Some(builtin) = name.strip_prefix("__builtin_")
            && let Some(lowered) = self.known_to_compilers(builtin, args, span)?
        {
            return Ok(Some(lowered));
        }
        Ok(Some(match (names::plain(name), args) {
            ("__VERIFIER_assume" | "assume", [c]) => {
                let c = self.condition(*c)?;
                self.emit(InstrKind::Assume(c), span)?;
                Lowered::Void
            }
            ("__VERIFIER_assert" | "assert", [c]) if self.properties_wanted.errors => {
                let c = self.condition(*c)?;
                self.check(c, "assertion", span)?;
                Lowered::Void
            }
            ("__bolide_requires", [c]) => {
                self.requires(*c, span)?;
                Lowered::Void
            }
            ("__bolide_ensures", [c]) => {
                self.ensures(*c, span)?;
                Lowered::Void
            }
            ("__bolide_invariant", [c]) => {
                self.holds(*c, "invariant", span)?;
                Lowered::Void
            }
            ("raise", [number]) => {
                let number = self.scalar_value(*number)?;
                if !self.int_value(number).is_some_and(|n| DEADLY.contains(&n)) {
                    return unsupported(span, "'raise' of a signal that may be ignored");
                }
                return self.halt(f, &[], span).map(Some);
            }
            ("div" | "ldiv" | "lldiv" | "imaxdiv", [a, b]) => self.divide(f, *a, *b, span)?,
            ("malloc" | "alloca" | "kmalloc" | "xmalloc" | "valloc", [size, ..]) => {
                let size = self.length(*size)?;
                self.allocate((size, None), false, f, span)?
            }
            ("calloc" | "kcalloc", [count, size, ..]) => {
                let values = self.values(&[*count, *size], span)?;
                let (count, size) = (self.as_length(values[0], span)?, self.as_length(values[1], span)?);
                self.allocate((size, Some(count)), true, f, span)?
            }
            ("kzalloc", [size, ..]) => {
                let size = self.length(*size)?;
                self.allocate((size, None), true, f, span)?
            }
            ("free" | "kfree" | "cfree", [p]) => {
                self.free(*p, span)?;
                Lowered::Void
            }
            ("__bolide_object_size", [p]) => self.object_size(*p, span)?,
            ("__bolide_reads", [p, n]) => {
                let values = self.values(&[*p, *n], span)?;
                self.read_bytes(values[0], &values[1..], span)?;
                Lowered::Void
            }
            ("memset", [p, v, n, ..]) => {
                let values = self.values(&[*p, *v, *n], span)?;
                let (p, n) = (self.saved(values[0].e, span)?, self.as_length(values[2], span)?);
                let p = self.as_pointer(p, span)?;
                self.fill(p, values[1], n, span)?;
                self.scalar_result(p)
            }
            ("bzero", [p, n]) => {
                let values = self.values(&[*p, *n], span)?;
                let n = self.as_length(values[1], span)?;
                let p = self.as_pointer(values[0].e, span)?;
                let int = self.ctypes.int();
                let zero = self.int_of(0, int, span);
                self.fill(p, zero, n, span)?;
                Lowered::Void
            }
            ("memcpy" | "memmove" | "mempcpy", [d, s, n, ..]) => {
                let values = self.values(&[*d, *s, *n], span)?;
                let (d, n) = (self.saved(values[0].e, span)?, self.as_length(values[2], span)?);
                let n = self.saved(n, span)?;
                let (d, s) = (self.as_pointer(d, span)?, self.as_pointer(values[1].e, span)?);
                self.check_range(d, n, span)?;
                self.check_range(s, n, span)?;
                self.emit(InstrKind::Move(d, s, n), span)?;
                if names::plain(name) != "mempcpy" {
                    return Ok(Some(self.scalar_result(d)));
                }
                let ty = self.void_pointer();
                let ty = self.hir(ty);
                let d = self.convert(d, ty, span)?;
                let end = self.make(Expr::PtrAdd(d, n, 1), ty, span);
                self.scalar_result(end)
            }
            ("va_start", [list, ..]) => self.start_list(*list, span)?,
            ("va_copy", [to, from]) => self.copy_list(*to, *from, span)?,
            ("va_end", _) => Lowered::Void,
            _ => return Ok(None),
        }))
    }

    /// The truth of an argument.
    pub(super) fn condition(&mut self, e: ast::ExprId) -> Result<ExprId> {
        let span = self.span(e);
        let whole = self.whole_value(e)?;
        self.truth_of(&whole, span)
    }

    fn void_pointer(&mut self) -> super::ctype::Ct {
        let void = self.ctypes.void();
        self.ctypes.pointer_to(void)
    }

    /// A pointer, also where a program without prototypes passes an integer.
    pub(super) fn as_pointer(&mut self, e: ExprId, span: Span) -> Result<ExprId> {
        if self.types.pointee(self.ty(e)).is_some() {
            return Ok(e);
        }
        let ty = self.void_pointer();
        let plain = self.hir(ty);
        self.convert(e, plain, span)
    }

    fn fill(&mut self, p: ExprId, value: Value, n: ExprId, span: Span) -> Result<()> {
        let n = self.saved(n, span)?;
        self.check_range(p, n, span)?;
        let int = self.ctypes.int();
        let value = self.converted(value, int, span)?;
        self.emit(InstrKind::Fill(p, value.e, n), span)
    }

    /// A range of bytes that is accessed does not start at the null pointer, unless it is empty.
    fn check_range(&mut self, p: ExprId, n: ExprId, span: Span) -> Result<()> {
        if !self.properties_wanted.null || matches!(self.exprs[p].expr, Expr::Addr(_)) {
            return Ok(());
        }
        let (zero, none, int) =
            (self.int(0, self.ty(p), span), self.int(0, self.ty(n), span), self.types.int());
        let is_empty = self.make(Expr::Compare(CmpOp::Eq, n, none), int, span);
        let is_object = self.make(Expr::Compare(CmpOp::Ne, p, zero), int, span);
        let fine = self.make(Expr::LogicOr(is_empty, is_object), int, span);
        self.check(fine, "null pointer dereference", span)
    }

    /// Functions that exist in compilers only, by their names without the prefix.
    fn known_to_compilers(
        &mut self,
        name: &str,
        args: &'a [ast::ExprId],
        span: Span,
    ) -> Result<Option<Lowered>> {
        Ok(Some(match (name, args) {
            ("trap" | "unreachable", []) => {
                self.stop(Terminator::Halt, span);
                Lowered::Void
            }
            ("expect" | "expect_with_probability", [value, hints @ ..]) => {
                let long = self.ctypes.int_of(super::ctype::LONG, true);
                let v = self.value(*value)?;
                let mut v = self.converted(v, long, span)?;
                let is_plain = |h: &ast::ExprId| {
                    matches!(self.tree.exprs[*h].kind, ExprKind::Integer(_) | ExprKind::Floating(_))
                };
                if !hints.iter().all(is_plain) {
                    v.e = self.saved(v.e, span)?;
                    hints.iter().try_for_each(|&h| self.effect(h))?;
                }
                Lowered::Value(v)
            }
            ("assume_aligned", [p, hints @ ..]) => {
                let v = self.value(*p)?;
                let v = Value { e: self.saved(v.e, span)?, ..v };
                hints.iter().try_for_each(|&h| self.effect(h))?;
                let ty = self.void_pointer();
                Lowered::Value(self.converted(v, ty, span)?)
            }
            ("prefetch" | "__clear_cache", _) => {
                args.iter().try_for_each(|&a| self.effect(a))?;
                Lowered::Void
            }
            ("shuffle", [_, _] | [_, _, _]) => self.shuffle(args, span)?,
            ("complex", [re, im]) => {
                let values = self.values(&[*re, *im], span)?;
                let (re, im, part) = self.balanced(values[0], values[1], span)?;
                let ty = self.ctypes.intern(CType::Complex(part));
                self.make_complex(re, im, ty, span)?
            }
            _ => return Ok(None),
        }))
    }

    fn length(&mut self, n: ast::ExprId) -> Result<ExprId> {
        let v = self.value(n)?;
        self.as_length(v, self.span(n))
    }

    fn as_length(&mut self, v: Value, span: Span) -> Result<ExprId> {
        let size_t = self.ctypes.size_t();
        let whole = self.assigned(Whole::Scalar(v), Q::plain(size_t), "argument", span)?;
        Ok(self.scalar(whole, span)?.e)
    }

    /// A new object of so many bytes, or of so many times as many.
    fn allocate(
        &mut self,
        (size, count): (ExprId, Option<ExprId>),
        is_zero: bool,
        f: FuncId,
        span: Span,
    ) -> Result<Lowered> {
        let mut bytes = size;
        let mut size_known = self.int_value(bytes);
        if let Some(count) = count {
            size_known =
                size_known.zip(self.int_value(count)).map(|(size, count)| size.saturating_mul(count));
            let (a, b) = (self.plain_value(bytes), self.plain_value(count));
            bytes = self.binary(BinaryOp::Mul, a, b, span)?.e;
        }
        let most = (1 << (8 * self.types.pointer_size() - 1)) - 1;
        let gives_null = self.gives_null_beyond(f, span);
        if !gives_null && size_known.is_some_and(|n| n > most) {
            return unsupported(span, "an object that is larger than the memory");
        }
        let declared = self.function_type_of(f, span)?.result.ty;
        let ty = if self.ctypes.is_pointer(declared) { declared } else { self.void_pointer() };
        let plain = self.hir(ty);
        let t = self.temp(plain, span);
        let oversized = match size_known {
            _ if !gives_null => None,
            Some(n) if n <= most => None,
            _ => {
                let is_larger = self.exceeds(size, count, most, span);
                Some(self.null_if(is_larger, t, span)?)
            }
        };
        let failed = self.allocation_fails(t, f, span)?;
        self.emit(InstrKind::Alloc(Place::var(t, plain), bytes, is_zero), span)?;
        self.note_allocation(t, bytes, f, span)?;
        for join in [failed, oversized].into_iter().flatten() {
            self.end(Terminator::Goto(join), span, join);
        }
        Ok(self.temporary(t, ty))
    }

    /// Is a size, or a size times a number, larger than the largest one?
    fn exceeds(&mut self, size: ExprId, count: Option<ExprId>, most: i128, span: Span) -> ExprId {
        let (ty, int) = (self.ty(size), self.types.int());
        let most_of = |this: &mut Self, n: i128| this.int(most / n, ty, span);
        let (limited, limit) = match count {
            None => (size, most_of(self, 1)),
            Some(count) => match (self.int_value(size), self.int_value(count)) {
                (Some(0), _) | (_, Some(0)) => return self.int(0, int, span),
                (Some(n), _) => (count, most_of(self, n)),
                (_, Some(n)) => (size, most_of(self, n)),
                (None, None) => {
                    // A quotient by zero means nothing, and then there is nothing to limit.
                    let (zero, all) = (self.int(0, ty, span), most_of(self, 1));
                    let is_some = self.make(Expr::Compare(CmpOp::Ne, count, zero), int, span);
                    let limit = self.make(Expr::Binary(BinOp::Div, all, count), ty, span);
                    let is_larger = self.make(Expr::Compare(CmpOp::Lt, limit, size), int, span);
                    return self.make(Expr::LogicAnd(is_some, is_larger), int, span);
                }
            },
        };
        self.make(Expr::Compare(CmpOp::Lt, limit, limited), int, span)
    }
}
