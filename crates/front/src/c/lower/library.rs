//! Functions of the C library and of operating systems that are not written down as models: those that a program cannot
//! notice, those that read input into variables, and those that do more than can be represented.

use super::builtin::INPUT_TEXT;
use super::ctype::{CType, Ct, INT, LONG, LONG_LONG, Q};
use super::names::Outcome;
use super::object::{Lowered, Object, Value, Whole};
use super::scan::{NO_SPACE, UNLIMITED, set};
use super::{Lower, Result, Symbol, issue, names, unsupported};
use crate::c::hir::{Base, BinOp, CmpOp, Expr, ExprId, FuncId, InstrKind, Place, Storage, Terminator, VarId};
use crate::c::syntax::ast::{self, BinaryOp, ExprKind};
use crate::c::types::{IntType, Type, TypeId};
use bolide_model::Span;

impl<'a> Lower<'a> {
    /// A call of a function of the library that has no body here.
    pub(super) fn library(
        &mut self,
        name: &str,
        f: FuncId,
        args: &'a [ast::ExprId],
        span: Span,
    ) -> Result<Option<Lowered>> {
        let plain = names::plain(name);
        if let Some(lowered) = self.system_call(plain, args, span)? {
            self.may_fail(span)?;
            return Ok(Some(lowered));
        }
        if let Some(what) = names::refused(plain).filter(|_| !self.knows_sizes(plain)) {
            return unsupported(span, format_args!("'{name}' ({what})"));
        }
        if let Some(format) = names::scanner(name) {
            let count = self.scan(name, format, args, span)?;
            self.may_fail(span)?;
            return Ok(Some(count));
        }
        if let Some(target) = names::filler(plain) {
            let status = self.fill_structure(name, target, args, span)?;
            self.may_fail(span)?;
            return Ok(Some(status));
        }
        let mut limit = None;
        if let Some(format) = names::printer(plain) {
            self.print(name, format, args, span)?;
        } else if matches!(plain, "setbuf" | "setvbuf") {
            self.refuse_buffer(name, args, span)?;
        } else if names::is_unnoticed(plain) {
            let counted = match self.outcome(plain, f, span)? {
                Some(Outcome::UpTo(_, at)) => Some(at),
                _ => None,
            };
            if counted.is_some() || self.checks_reads() {
                let mut values = self.values(args, span)?;
                for v in &mut values {
                    v.e = self.saved(v.e, span)?;
                }
                limit = counted.and_then(|at| values.get(at).copied());
                if self.checks_reads() {
                    self.read_arguments(plain, &values, span)?;
                }
            } else {
                for &a in args {
                    self.effect(a)?;
                }
            }
        } else if names::is_hardened(name) {
            return unsupported(span, format_args!("'{name}'"));
        } else {
            return Ok(None);
        }
        self.may_fail(span)?;
        let result = self.function_type_of(f, span)?.result.ty;
        if self.ctypes.is_void(result) {
            return Ok(Some(Lowered::Void));
        }
        let lowered = self.arbitrary(name, result, span)?;
        self.limit_outcome(plain, f, limit, lowered, span).map(Some)
    }

    /// What is known of the result of a library function, if it is declared like that one, and its result is wanted.
    fn outcome(&self, plain: &str, f: FuncId, span: Span) -> Result<Option<Outcome>> {
        if self.unwanted == Some(span) || self.is_unevaluated {
            return Ok(None);
        }
        let ty = self.function_type_of(f, span)?;
        let kind = |q: &Q| match self.ctypes.pointee(q.ty).map(|to| self.ctypes.get(to.ty)) {
            Some(CType::Char) => 's',
            Some(_) => 'p',
            None if self.ctypes.as_int(q.ty).is_some() => 'i',
            None => '?',
        };
        let parameters: Option<String> = ty.params.as_ref().map(|p| p.iter().map(kind).collect());
        Ok(parameters.and_then(|p| names::outcome(plain, &p)))
    }

    /// The result of a function that returns a status or a count lies within the bounds that its manual gives; `limit` is the value of
    /// the argument that says how much there is to do.
    pub(super) fn limit_outcome(
        &mut self,
        plain: &str,
        f: FuncId,
        limit: Option<Value>,
        result: Lowered,
        span: Span,
    ) -> Result<Lowered> {
        let ty = self.type_of_lowered(&result).ty;
        let (Some(outcome), Some(number)) = (self.outcome(plain, f, span)?, self.ctypes.as_int(ty)) else {
            return Ok(result);
        };
        let (least, greatest) = match outcome {
            Outcome::Between(least, greatest) => (least, Some(greatest)),
            Outcome::AtLeast(least) | Outcome::UpTo(least, _) => (least, None),
        };
        let whole = self.whole(result, span)?;
        let value = self.scalar(whole, span)?;
        let (plain, int) = (self.hir(ty), self.types.int());
        let inside = Span { start: span.start, end: span.start };
        if least >= number.range().0 {
            let least = self.int(least, plain, inside);
            let holds = self.make(Expr::Compare(CmpOp::Le, least, value.e), int, inside);
            self.emit(InstrKind::Assume(holds), inside)?;
        }
        if let Some(greatest) = greatest.filter(|&g| g <= number.range().1) {
            let greatest = self.int(greatest, plain, inside);
            let holds = self.make(Expr::Compare(CmpOp::Le, value.e, greatest), int, inside);
            self.emit(InstrKind::Assume(holds), inside)?;
        }
        if let Some(limit) = limit.filter(|l| self.ctypes.as_int(l.ty).is_some()) {
            let limit = self.converted(limit, ty, inside)?.e;
            let zero = self.int(0, plain, inside);
            // A count that the type of the result does not hold says nothing.
            let is_other = self.make(Expr::Compare(CmpOp::Lt, limit, zero), int, inside);
            let is_below = self.make(Expr::Compare(CmpOp::Le, value.e, limit), int, inside);
            let holds = self.make(Expr::LogicOr(is_other, is_below), int, inside);
            self.emit(InstrKind::Assume(holds), inside)?;
        }
        Ok(Lowered::Value(value))
    }

    /// Calls of the operating system that mean something for some arguments only.
    fn system_call(&mut self, plain: &str, args: &'a [ast::ExprId], span: Span) -> Result<Option<Lowered>> {
        let int = self.ctypes.int();
        match (plain, args) {
            // If it does not fail, another program runs from here.
            ("execl" | "execlp" | "execle" | "execv" | "execve" | "execvp" | "execvpe", _) => {
                self.values(args, span)?;
                Ok(Some(Lowered::Value(self.int_of(-1, int, span))))
            }
            ("fcntl" | "ioctl" | "fcntl64", [_, _, rest @ ..]) => {
                let mut is_plain = true;
                for &a in rest {
                    let lowered = self.unevaluated(a)?;
                    let q = self.type_of_lowered(&lowered);
                    is_plain &= self.ctypes.as_int(q.ty).is_some();
                }
                if !is_plain {
                    return Ok(None);
                }
                self.values(args, span)?;
                Ok(Some(self.arbitrary(plain, int, span)?))
            }
            // The default, or nothing, is done when the signal comes.
            ("signal" | "__sysv_signal" | "bsd_signal", &[_, handler]) => {
                let handler = self.unevaluated_value(handler)?;
                if !matches!(self.int_value(handler.e), Some(0 | 1)) {
                    return Ok(None);
                }
                self.values(args, span)?;
                Ok(Some(self.arbitrary(plain, handler.ty, span)?))
            }
            _ => Ok(None),
        }
    }

    /// Fills the structure that an argument points to with anything, if the result is zero; otherwise it is -1.
    fn fill_structure(
        &mut self,
        name: &str,
        target: usize,
        args: &'a [ast::ExprId],
        span: Span,
    ) -> Result<Lowered> {
        let values = self.values(args, span)?;
        let Some(pointer) = values.get(target) else {
            return issue(span, format!("a call of '{name}' with too few arguments"));
        };
        let plain = self.record_behind(pointer.ty, name, span)?;
        let address = self.saved(values[target].e, span)?;
        let (int, c_int) = (self.types.int(), self.ctypes.int());
        let status = self.arbitrary_scalar(name, c_int, span)?;
        let (zero, failed) = (self.int(0, int, span), self.int(-1, int, span));
        let is_done = self.make(Expr::Compare(CmpOp::Eq, status, zero), int, span);
        let is_failed = self.make(Expr::Compare(CmpOp::Eq, status, failed), int, span);
        let possible = self.make(Expr::LogicOr(is_done, is_failed), int, span);
        self.emit(InstrKind::Assume(possible), span)?;
        let inside = Span { start: span.start, end: span.start };
        let (yes, next) = (self.block(), self.block());
        let null = self.int(0, self.ty(address), span);
        let is_object = self.make(Expr::Compare(CmpOp::Ne, address, null), int, span);
        let is_filled = self.make(Expr::LogicAnd(is_done, is_object), int, span);
        self.end(Terminator::Branch(is_filled, yes, next), inside, yes);
        self.fill_record(name, address, plain, inside)?;
        self.end(Terminator::Goto(next), inside, next);
        Ok(self.scalar_result(status))
    }

    /// Fills a structure that a pointer leads to with anything.
    fn fill_record(&mut self, name: &str, address: ExprId, record: TypeId, span: Span) -> Result<()> {
        let t = self.temp(record, span);
        let input = self.input(name, record, span);
        self.emit(InstrKind::Fresh(t, Some(input)), span)?;
        self.emit(InstrKind::Copy(Place::deref(address, record), Place::var(t, record)), span)
    }

    /// `gmtime`, `localtime` and their twins with a structure of the caller: a date, or null if the year cannot be told. What the structure
    /// has besides the parts of a date (the offset and the name of the time zone) is anything.
    pub(super) fn calendar(
        &mut self,
        name: &str,
        f: FuncId,
        args: &'a [ast::ExprId],
        span: Span,
    ) -> Result<Option<Lowered>> {
        let plain = names::plain(name);
        let (twin, own_arguments) = match plain {
            "gmtime_r" | "localtime_r" => (plain, 2),
            "gmtime" => ("gmtime_r", 1),
            "localtime" => ("localtime_r", 1),
            _ => return Ok(None),
        };
        if args.len() != own_arguments || self.model_of(twin).is_none() {
            return Ok(None);
        }
        let mut values = self.values(args, span)?;
        for v in &mut values {
            v.e = self.saved(v.e, span)?;
        }
        if own_arguments == 1 {
            let pointer = self.function_type_of(f, span)?.result.ty;
            let record = self.record_behind(pointer, name, span)?;
            let room = self.common_date(record, span);
            let e = self.address(Place::var(room, record), span);
            values.push(self.converted(Value { e, ty: pointer }, pointer, span)?);
        }
        let record = self.record_behind(values[1].ty, name, span)?;
        // Not what the call returns.
        let inside = Span { start: span.start, end: span.start };
        self.fill_record(name, values[1].e, record, inside)?;
        let result = self.call_model(twin, &values, span)?;
        self.may_fail(span)?;
        Ok(Some(Lowered::Value(self.converted(result, values[1].ty, span)?)))
    }

    /// The date that `gmtime` and `localtime` give, which is the same for both.
    fn common_date(&mut self, record: TypeId, span: Span) -> VarId {
        match self.common_date {
            Some(v) if self.vars[v].ty == record => v,
            _ => {
                let v = self.new_var("date", record, Storage::Static, span);
                self.common_date = Some(v);
                v
            }
        }
    }

    /// The structure that a pointer leads to.
    fn record_behind(&mut self, pointer: Ct, name: &str, span: Span) -> Result<TypeId> {
        let record = self.ctypes.pointee(pointer).map(|q| q.ty);
        match record.filter(|&ty| self.ctypes.is_record(ty) && self.ctypes.size_of(ty).is_some()) {
            Some(record) => Ok(self.hir(record)),
            None => unsupported(span, format_args!("'{name}' of something that is not a structure")),
        }
    }

    /// A buffer that the program shares with a file changes whenever something is written.
    fn refuse_buffer(&mut self, name: &str, args: &'a [ast::ExprId], span: Span) -> Result<()> {
        for (n, &a) in args.iter().enumerate() {
            let value = self.scalar_value(a)?;
            if n == 1 && self.int_value(value) != Some(0) {
                return unsupported(span, format_args!("'{name}' with a buffer"));
            }
        }
        Ok(())
    }

    /// A function of the library may have set the number of an error: to anything but zero.
    pub(super) fn may_fail(&mut self, span: Span) -> Result<()> {
        let Some(v) = self.error_number() else { return Ok(()) };
        let (int, place) = (self.types.int(), Place::var(v, self.vars[v].ty));
        if place.ty != int {
            return Ok(());
        }
        let old = self.load_var(v, span);
        let old = self.saved(old, span)?;
        let input = self.input("errno", int, span);
        self.emit(InstrKind::Input(place, input), span)?;
        let (new, zero) = (self.load_var(v, span), self.int(0, int, span));
        let is_set = self.make(Expr::Compare(CmpOp::Ne, new, zero), int, span);
        let is_same = self.make(Expr::Compare(CmpOp::Eq, new, old), int, span);
        let possible = self.make(Expr::LogicOr(is_set, is_same), int, span);
        self.emit(InstrKind::Assume(possible), span)
    }

    /// The variable behind `errno`, if the program mentions it.
    pub(super) fn error_number(&self) -> Option<VarId> {
        if let Some(Symbol::Var(v)) = self.scopes[0].names.get("errno") {
            return Some(*v);
        }
        let model = self.model_of("__errno_location")?;
        self.funcs[model].blocks.iter().find_map(|b| match b.end {
            Terminator::Return(Some(e)) => match &self.exprs[e].expr {
                Expr::Addr(Place { base: Base::Var(v), .. }) => Some(*v),
                _ => None,
            },
            _ => None,
        })
    }

    /// `div` and its kin: a structure of the quotient and the remainder.
    pub(super) fn divide(
        &mut self,
        f: FuncId,
        a: ast::ExprId,
        b: ast::ExprId,
        span: Span,
    ) -> Result<Lowered> {
        let result = self.function_type_of(f, span)?.result.ty;
        let (quotient, ..) = self.field(result, "quot", span)?;
        let (remainder, ..) = self.field(result, "rem", span)?;
        let values = self.values(&[a, b], span)?;
        let ty = quotient.ty.ty;
        let (a, b) = (self.converted(values[0], ty, span)?, self.converted(values[1], ty, span)?);
        let a = Value { e: self.saved(a.e, span)?, ..a };
        let b = Value { e: self.saved(b.e, span)?, ..b };
        let plain = self.hir(result);
        let t = self.temp(plain, span);
        self.emit(InstrKind::Fresh(t, None), span)?;
        for (field, op) in [(quotient, BinaryOp::Div), (remainder, BinaryOp::Rem)] {
            let part = self.hir(field.ty.ty);
            let place = Place { offset: field.offset as i64, ty: part, ..Place::var(t, plain) };
            let value = self.binary(op, a, b, span)?;
            self.store(&Object::new(place, field.ty), Whole::Scalar(value), "assignment", span)?;
        }
        Ok(self.temporary(t, result))
    }

    /// The text of a format, if it is a literal.
    pub(super) fn format(&self, e: ast::ExprId) -> Option<String> {
        let ExprKind::String(s) = &self.tree.exprs[e].kind else { return None };
        let text = s.units.iter().map(|&u| char::from_u32(u).unwrap_or('?'));
        Some(text.take_while(|&c| c != '\0').collect())
    }

    /// Reads values into variables: the first of them, as many as the result says.
    fn scan(&mut self, name: &str, format: usize, args: &'a [ast::ExprId], span: Span) -> Result<Lowered> {
        let Some(text) = args.get(format).and_then(|&a| self.format(a)) else {
            return unsupported(span, format_args!("'{name}' with a format that is not a literal"));
        };
        let Some(conversions) = conversions(&text) else {
            return unsupported(span, format_args!("the format of this '{name}'"));
        };
        for &a in &args[..format] {
            self.effect(a)?;
        }
        let mut targets = Vec::new();
        for &a in &args[format + 1..] {
            let e = self.scalar_value(a)?;
            targets.push((self.saved(e, span)?, self.span(a)));
        }
        if targets.len() < conversions.len() {
            return issue(span, "there are more conversions than arguments");
        }
        let int = self.types.int();
        let c_int = self.ctypes.int();
        let count = self.arbitrary_scalar(name, c_int, span)?;
        let (least, most) = (self.int(-1, int, span), self.int(conversions.len() as i128, int, span));
        let low = self.make(Expr::Compare(CmpOp::Le, least, count), int, span);
        let high = self.make(Expr::Compare(CmpOp::Le, count, most), int, span);
        self.emit(InstrKind::Assume(low), span)?;
        self.emit(InstrKind::Assume(high), span)?;
        // Not what the call returns.
        let inside = Span { start: span.start, end: span.start };
        for (n, (&(target, at), conversion)) in targets.iter().zip(conversions).enumerate() {
            let ty = self.types.pointee(self.ty(target)).filter(|&ty| self.types.is_scalar(ty));
            let Some(ty) = ty.filter(|&ty| self.is_written(ty, &conversion)) else {
                return unsupported(at, "a conversion to another type than that of the variable");
            };
            let number = self.int(n as i128, int, span);
            let is_read = self.make(Expr::Compare(CmpOp::Lt, number, count), int, span);
            let (yes, next) = (self.block(), self.block());
            self.end(Terminator::Branch(is_read, yes, next), inside, yes);
            if let Conversion::Text(text) = &conversion {
                self.input_text(target, text, inside)?;
            } else {
                let input = self.input(name, ty, inside);
                let place = match &self.exprs[target].expr {
                    Expr::Addr(place) => place.clone(),
                    _ => Place::deref(target, ty),
                };
                self.emit(InstrKind::Input(place.clone(), input), inside)?;
                if let Conversion::Int { range: Some((low, high)), .. } = conversion {
                    let value = self.load(place, inside);
                    self.assume_written(value, low, high, inside)?;
                }
            }
            self.end(Terminator::Goto(next), inside, next);
        }
        Ok(self.scalar_result(count))
    }

    /// A text from the input is stored behind a pointer.
    fn input_text(&mut self, target: ExprId, text: &Text, span: Span) -> Result<()> {
        let to = self.plain_value(target);
        let (long, wide) = (self.ctypes.int_of(LONG, true), self.ctypes.int_of(LONG_LONG, false));
        let mut values = vec![to, self.int_of(text.limit, long, span)];
        values.extend([text.is_ended, text.is_behind_space].map(|b| self.int_of(b.into(), long, span)));
        values.extend(text.set.map(|bits| self.int_of(bits.into(), wide, span)));
        self.call_model(INPUT_TEXT, &values, span).map(|_| ())
    }

    /// The integer that was read is within a range, as it is stored in its type.
    fn assume_written(&mut self, value: ExprId, low: i128, high: i128, span: Span) -> Result<()> {
        let (ty, int) = (self.ty(value), self.types.int());
        let Some(stored) = self.types.as_int(ty) else { return Ok(()) };
        // Nothing is left out if more numbers are written than the type has.
        if high - low >= 1 << stored.bits.min(64) || stored.wrap(high) < 0 {
            return Ok(());
        }
        let (least, most) = (self.int(stored.wrap(low), ty, span), self.int(high, ty, span));
        let is_above = self.make(Expr::Compare(CmpOp::Le, least, value), int, span);
        let is_below = self.make(Expr::Compare(CmpOp::Le, value, most), int, span);
        let is_possible = match stored.wrap(low) == low {
            true => Expr::LogicAnd(is_above, is_below),
            false => Expr::LogicOr(is_above, is_below),
        };
        let is_possible = self.make(is_possible, int, span);
        self.emit(InstrKind::Assume(is_possible), span)
    }

    /// Is a value of this type what a conversion writes?
    fn is_written(&self, ty: TypeId, conversion: &Conversion) -> bool {
        match (self.types.get(ty), conversion) {
            (Type::Float(bytes), Conversion::Float(wanted)) => bytes == wanted,
            (Type::Int(i), Conversion::Int { rank, .. }) => i.rank == *rank,
            (Type::Int(i), Conversion::Text(_)) => i.bits == 8,
            (Type::Pointer(_), Conversion::Pointer) => true,
            _ => false,
        }
    }

    /// `__builtin_add_overflow` and its like: the exact result is stored, wrapped, and did it have to be?
    pub(super) fn overflow(
        &mut self,
        name: &str,
        args: &'a [ast::ExprId],
        span: Span,
    ) -> Result<Option<Lowered>> {
        let (Some((op, operands)), &[a, b, target]) = (overflowing(name), args) else { return Ok(None) };
        let is_question = name.ends_with("_p");
        let mut values = self.values(&[a, b, target], span)?;
        if let Some((rank, signed)) = operands {
            let ty = self.ctypes.int_of(rank, signed);
            for v in &mut values[..2] {
                *v = self.converted(*v, ty, span)?;
            }
        }
        for v in &values {
            self.refuse_wide(v.ty, span)?;
        }
        let (a, b) = (self.saved(values[0].e, span)?, self.saved(values[1].e, span)?);
        let target = self.saved(values[2].e, span)?;
        let ty = if is_question { Some(self.ty(target)) } else { self.types.pointee(self.ty(target)) };
        let result = ty.and_then(|ty| self.types.as_int(ty).zip(Some(ty)));
        let operands = self.types.as_int(self.ty(a)).zip(self.types.as_int(self.ty(b)));
        let (Some((int_type, ty)), Some((x, y))) = (result, operands) else {
            return issue(span, "this works on integers");
        };
        let int = self.types.int();
        let (value, overflows) = if op == BinOp::Mul && !x.signed && !y.signed && x.bits.max(y.bits) > 32 {
            self.wide_product(a, b, ty, int_type, span)?
        } else {
            let wide = self.types.intern(Type::Int(IntType::WIDE));
            let (a, b) = (self.convert(a, wide, span)?, self.convert(b, wide, span)?);
            let exact = self.make(Expr::Binary(op, a, b), wide, span);
            let value = self.convert(exact, ty, span)?;
            let back = self.convert(value, wide, span)?;
            (value, self.make(Expr::Compare(CmpOp::Ne, exact, back), int, span))
        };
        let overflows = self.saved(overflows, span)?;
        if !is_question {
            let value = self.saved(value, span)?;
            let o = self.target(values[2], span)?;
            self.check_pending(&o.pending)?;
            let place = match &self.exprs[target].expr {
                Expr::Addr(p) => p.clone(),
                _ => Place::deref(target, ty),
            };
            self.emit(InstrKind::Assign(place, value), span)?;
        }
        let bool = self.ctypes.intern(CType::Bool);
        let overflows = self.plain_value(overflows);
        self.converted(overflows, bool, span).map(|v| Some(Lowered::Value(v)))
    }

    /// The product of two unsigned integers, wrapped to a type, and is it beyond that type? The product may have 128 bits.
    fn wide_product(
        &mut self,
        a: ExprId,
        b: ExprId,
        ty: TypeId,
        int_type: IntType,
        span: Span,
    ) -> Result<(ExprId, ExprId)> {
        let (int, long) = (self.types.int(), self.types.int_of(5, false));
        let (a, b) = (self.convert(a, long, span)?, self.convert(b, long, span)?);
        let product = self.make(Expr::Binary(BinOp::Mul, a, b), long, span);
        let value = self.convert(product, ty, span)?;
        let (zero, one) = (self.int(0, long, span), self.int(1, long, span));
        let most = self.int(int_type.range().1, long, span);
        let is_zero = self.make(Expr::Compare(CmpOp::Eq, b, zero), int, span);
        let divisor = self.make(Expr::Cond(is_zero, one, b), long, span);
        let bound = self.make(Expr::Binary(BinOp::Div, most, divisor), long, span);
        let is_beyond = self.make(Expr::Compare(CmpOp::Lt, bound, a), int, span);
        let is_not_zero = self.make(Expr::LogicNot(is_zero), int, span);
        Ok((value, self.make(Expr::LogicAnd(is_not_zero, is_beyond), int, span)))
    }
}

/// The operation of a builtin that tells whether it overflows, and rank and sign of its operands if they do not keep their types.
fn overflowing(name: &str) -> Option<(BinOp, Option<(u8, bool)>)> {
    let name = name.strip_prefix("__builtin_")?.trim_end_matches("_p").strip_suffix("_overflow")?;
    let (sign, rest) = match name.as_bytes().first()? {
        b'u' => (Some(false), &name[1..]),
        b's' if !name.starts_with("sub") => (Some(true), &name[1..]),
        _ => (None, name),
    };
    let operations = [("add", BinOp::Add), ("sub", BinOp::Sub), ("mul", BinOp::Mul)];
    let (op, size) = operations.into_iter().find_map(|(n, op)| Some((op, rest.strip_prefix(n)?)))?;
    match (sign, size) {
        (None, "") => Some((op, None)),
        (Some(signed), "") => Some((op, Some((INT, signed)))),
        (Some(signed), "l") => Some((op, Some((LONG, signed)))),
        (Some(signed), "ll") => Some((op, Some((LONG_LONG, signed)))),
        _ => None,
    }
}

/// What a conversion of a format writes.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Conversion {
    /// An integer of a rank, between two numbers if its width limits it.
    Int { rank: u8, range: Option<(i128, i128)> },
    /// A floating value of so many bytes.
    Float(u32),
    /// An address.
    Pointer,
    /// Characters.
    Text(Text),
}

/// Characters that a conversion reads.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Text {
    /// At most so many of them.
    limit: i128,
    /// Is a terminator stored behind them?
    is_ended: bool,
    /// Has white space been skipped before, so that the first one is something else?
    is_behind_space: bool,
    /// Those that may be among them, a bit for each.
    set: [u64; 4],
}

/// The numbers that fit a width, in the base of a conversion.
fn numbers(conversion: u8, width: u32) -> Option<(i128, i128)> {
    // What is wider than this fits no type anyway.
    if width == 0 || width > 18 {
        return None;
    }
    // The greatest number, and the greatest one behind a prefix.
    let most = |digits: u32| match conversion {
        b'x' | b'X' => 16i128.pow(digits) - 1,
        b'o' => 8i128.pow(digits) - 1,
        b'i' => (10i128.pow(digits) - 1).max(16i128.pow(digits.saturating_sub(2)) - 1),
        _ => 10i128.pow(digits) - 1,
    };
    Some((-most(width - 1), most(width)))
}

/// What a format for reading stores, if all of that is known. What one conversion leaves for the next one is not followed: a
/// format in which this would matter to texts is not known.
fn conversions(format: &str) -> Option<Vec<Conversion>> {
    let bytes: Option<Vec<u8>> = format.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
    let mut out = Vec::new();
    let mut rest = bytes?.into_iter().peekable();
    let mut before = Before::Else;
    while let Some(c) = rest.next() {
        if c != b'%' || rest.next_if_eq(&b'%').is_some() {
            if let Before::Text(set) = before
                && set[usize::from(c / 64)] >> (c % 64) & 1 == 1
            {
                return None;
            }
            let is_space = c.is_ascii_whitespace() || c == 11;
            before = if is_space { Before::Space } else { Before::Else };
            continue;
        }
        let is_skipped = rest.next_if_eq(&b'*').is_some();
        let mut width: u32 = 0;
        while let Some(d) = rest.next_if(u8::is_ascii_digit) {
            width = width.saturating_mul(10).saturating_add(u32::from(d - b'0'));
        }
        let mut length = String::new();
        while let Some(l) = rest.next_if(|c| b"hlLjzt".contains(c)) {
            length.push(char::from(l));
        }
        let limit = if width == 0 { UNLIMITED } else { i128::from(width).min(UNLIMITED) };
        let is_behind_space = matches!(before, Before::Space);
        let is_plain = matches!(before, Before::Space | Before::Else);
        let letter = rest.next()?;
        let conversion = match (letter, length.as_str()) {
            (c @ (b'd' | b'i' | b'u' | b'x' | b'X' | b'o'), length) => {
                let rank = match length {
                    "hh" => 1,
                    "h" => 2,
                    "" => INT,
                    "l" | "z" | "t" => LONG,
                    "ll" | "j" => LONG_LONG,
                    _ => return None,
                };
                Conversion::Int { rank, range: numbers(c, width) }
            }
            (b'c', "") if width == 0 && matches!(before, Before::Number(_) | Before::Else) => {
                let possible = if let Before::Number(set) = before { set } else { [!0; 4] };
                match possible == [!0; 4] {
                    true => Conversion::Int { rank: 1, range: None },
                    false => Conversion::Text(Text {
                        limit: 1,
                        is_ended: false,
                        is_behind_space: false,
                        set: possible,
                    }),
                }
            }
            (b'c', "") if is_plain => {
                let limit = i128::from(width.max(1)).min(UNLIMITED);
                Conversion::Text(Text { limit, is_ended: false, is_behind_space, set: [!0; 4] })
            }
            (b's', "") => {
                Conversion::Text(Text { limit, is_ended: true, is_behind_space: false, set: NO_SPACE })
            }
            (b'[', "") if is_plain => {
                Conversion::Text(Text { limit, is_ended: true, is_behind_space, set: set(&mut rest)? })
            }
            (b'f' | b'e' | b'g' | b'a' | b'F' | b'E' | b'G' | b'A', "") => Conversion::Float(4),
            (b'f' | b'e' | b'g' | b'a' | b'F' | b'E' | b'G' | b'A', "l") => Conversion::Float(8),
            (b'p', "") => Conversion::Pointer,
            _ => return None,
        };
        before = match &conversion {
            Conversion::Text(text) if text.is_ended => Before::Text(text.set),
            _ if letter == b'c' => Before::Else,
            _ => Before::Number(behind_number(letter, width)),
        };
        if !is_skipped {
            out.push(conversion);
        }
    }
    Some(out)
}

/// The characters that may come behind a number: none that would belong to it, unless the width has ended it.
fn behind_number(conversion: u8, width: u32) -> [u64; 4] {
    let digits: &[u8] = match conversion {
        _ if width > 0 => b"",
        b'd' | b'u' => b"0123456789",
        b'x' | b'X' => b"0123456789abcdefABCDEF",
        b'o' | b'i' => b"01234567",
        _ => b"",
    };
    let mut set = [!0; 4];
    digits.iter().for_each(|&c| set[usize::from(c / 64)] &= !(1 << (c % 64)));
    set
}

/// What stands in front of a part of a format.
enum Before {
    Space,
    /// A conversion of a number, which leaves one of these characters.
    Number([u64; 4]),
    /// A conversion that reads characters of a set as long as there are any.
    Text([u64; 4]),
    /// Something that leaves the input anywhere.
    Else,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_and_texts() {
        assert_eq!(numbers(b'd', 2), Some((-9, 99)));
        assert_eq!(numbers(b'x', 1), Some((0, 15)));
        assert_eq!(numbers(b'i', 0), None);
        let word = Text { limit: 7, is_ended: true, is_behind_space: false, set: NO_SPACE };
        let letter = Text { limit: 1, is_ended: false, is_behind_space: true, set: [!0; 4] };
        let int = Conversion::Int { rank: INT, range: None };
        let expected = vec![int.clone(), Conversion::Text(word), Conversion::Text(letter)];
        assert_eq!(conversions("%d %*[%a]%7s %c"), Some(expected));
        let behind = |conversion, width| {
            let found = conversions(&format!("%{width}{conversion}%c")).unwrap_or_default();
            let Some(Conversion::Text(Text { set, limit: 1, is_ended: false, .. })) = found.get(1) else {
                return String::new();
            };
            (0..128u8).filter(|c| set[usize::from(c / 64)] >> (c % 64) & 1 == 0).map(char::from).collect()
        };
        assert_eq!(behind('d', ""), "0123456789");
        assert_eq!(behind('i', ""), "01234567");
        assert_eq!(behind('x', ""), "0123456789ABCDEFabcdef");
        assert_eq!(behind('d', "3"), "");
        assert_eq!(conversions("%d%c%d").map(|c| c.len()), Some(3));
        assert_eq!(conversions("%[a-z]:%d").map(|c| c.len()), Some(2));
        for format in ["%n", "%ms", "%s%c", "%d%[a]", "%hhd%[a]", "%s,%d", "%[a-z]z"] {
            assert_eq!(conversions(format), None, "{format}");
        }
    }
}
