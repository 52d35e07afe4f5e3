//! The operations of compilers on shared variables (`__sync_*`, `__atomic_*`, `__c11_atomic_*`). Programs are sequential, so each
//! of them is the sequence of its reads and writes.

use super::ctype::CType;
use super::object::{Lowered, Object, Value, Whole};
use super::{Lower, Result, issue, unsupported};
use crate::c::hir::{BinOp, CmpOp, Expr, ExprId};
use crate::c::syntax::ast::{self, BinaryOp};
use bolide_model::Span;

/// What an operation does with the variable that its first argument points to.
#[derive(Clone, Copy)]
enum Atomic {
    Load,
    Store,
    /// Stores zero.
    Release,
    Exchange,
    /// An arithmetical operation that gives the new value or the old one.
    Update(Update, bool),
    /// Stores the third argument if the second one is there: does it tell whether it was?
    Swap(bool),
    /// The same with an expected value behind a pointer, which receives the one that was there; may it fail for no reason?
    Compare(Option<bool>),
    /// The same three with values behind pointers.
    LoadTo,
    StoreFrom,
    ExchangeFrom,
    /// Compares with an expected value behind a pointer; the desired one is behind another.
    CompareFrom,
    /// Sets a byte and tells whether it was set.
    TestAndSet,
    Fence,
}

#[derive(Clone, Copy)]
enum Update {
    By(BinOp),
    /// The complement of the conjunction.
    Nand,
}

impl<'a> Lower<'a> {
    /// A call of such an operation; nothing if it is another function.
    pub(super) fn atomic(
        &mut self,
        name: &str,
        args: &'a [ast::ExprId],
        span: Span,
    ) -> Result<Option<Lowered>> {
        if !["__sync_", "__atomic_", "__c11_atomic_"].iter().any(|p| name.starts_with(p)) {
            return Ok(None);
        }
        if let ("__atomic_is_lock_free" | "__atomic_always_lock_free", &[size, object]) = (name, args) {
            // What fits a word is, on both machines.
            let (size, boolean) = (self.constant(size)?, self.ctypes.intern(CType::Bool));
            if size > i128::from(self.types.pointer_size()) || !matches!(size, 1 | 2 | 4 | 8) {
                return unsupported(span, format_args!("'{name}' of this size"));
            }
            self.effect(object)?;
            return Ok(Some(Lowered::Value(self.int_of(1, boolean, span))));
        }
        let Some(operation) = operation(name) else { return unsupported(span, format_args!("'{name}'")) };
        let mut values = self.values(args, span)?;
        for v in &mut values {
            v.e = self.saved(v.e, span)?;
        }
        if let Atomic::Fence = operation {
            return Ok(Some(Lowered::Void));
        }
        let Some(&pointer) = values.first() else { return issue(span, "a call with too few arguments") };
        let is_flag =
            matches!(operation, Atomic::TestAndSet | Atomic::Release) && name.starts_with("__atomic_");
        let pointer = if is_flag { self.flag(pointer, span)? } else { pointer };
        let o = self.target(pointer, span)?;
        let is_pointer = self.ctypes.is_pointer(o.ty.ty);
        if !is_pointer && self.ctypes.as_int(o.ty.ty).is_none() {
            return unsupported(span, format_args!("'{name}' on something that is not an integer"));
        }
        let is_update = matches!(operation, Atomic::Update(..));
        if is_update && (is_pointer || self.ctypes.as_int(o.ty.ty).is_some_and(|i| i.rank == 0)) {
            return unsupported(span, format_args!("'{name}' on something that is not an integer"));
        }
        let old = self.read(&o, span)?;
        let old = Value { e: self.saved(old.e, span)?, ..old };
        let o = Object { pending: Vec::new(), ..o };
        self.operate(operation, o, old, &values[1..], span).map(Some)
    }

    fn operate(
        &mut self,
        operation: Atomic,
        o: Object,
        old: Value,
        args: &[Value],
        span: Span,
    ) -> Result<Lowered> {
        match (operation, args) {
            (Atomic::Load, _) => Ok(Lowered::Value(old)),
            (Atomic::Store, &[value, ..]) => {
                self.store(&o, Whole::Scalar(value), "assignment", span)?;
                Ok(Lowered::Void)
            }
            (Atomic::Release, _) => {
                let int = self.ctypes.int();
                let zero = self.int_of(0, int, span);
                self.store(&o, Whole::Scalar(zero), "assignment", span)?;
                Ok(Lowered::Void)
            }
            (Atomic::Exchange, &[value, ..]) => {
                self.store(&o, Whole::Scalar(value), "assignment", span)?;
                Ok(Lowered::Value(old))
            }
            (Atomic::Update(update, gives_new), &[value, ..]) => {
                let new = self.updated(update, old, value, span)?;
                let new = Value { e: self.saved(new, span)?, ..old };
                self.store(&o, Whole::Scalar(new), "assignment", span)?;
                Ok(Lowered::Value(if gives_new { new } else { old }))
            }
            (Atomic::LoadTo, &[to, ..]) => {
                let to = self.behind(to, &o, span)?;
                self.store(&to, Whole::Scalar(old), "assignment", span)?;
                Ok(Lowered::Void)
            }
            (Atomic::StoreFrom, &[from, ..]) => {
                let value = self.value_behind(from, &o, span)?;
                self.store(&o, Whole::Scalar(value), "assignment", span)?;
                Ok(Lowered::Void)
            }
            (Atomic::ExchangeFrom, &[from, to, ..]) => {
                let value = self.value_behind(from, &o, span)?;
                self.store(&o, Whole::Scalar(value), "assignment", span)?;
                let to = self.behind(to, &o, span)?;
                self.store(&to, Whole::Scalar(old), "assignment", span)?;
                Ok(Lowered::Void)
            }
            (Atomic::TestAndSet, _) => {
                let int = self.ctypes.int();
                let one = self.int_of(1, int, span);
                self.store(&o, Whole::Scalar(one), "assignment", span)?;
                let bool = self.ctypes.intern(CType::Bool);
                self.converted(old, bool, span).map(Lowered::Value)
            }
            (Atomic::CompareFrom, &[expected, desired, ref more @ ..]) => {
                let desired = self.value_behind(desired, &o, span)?;
                let args = [&[expected, desired], more].concat();
                self.operate(Atomic::Compare(None), o, old, &args, span)
            }
            (Atomic::Swap(tells), &[expected, desired, ..]) => {
                let expected = self.converted(expected, o.ty.ty, span)?;
                let is_there = self.is_equal(old, expected, span)?;
                self.replace_if(is_there, &o, desired, old, span)?;
                if tells {
                    let bool = self.ctypes.intern(CType::Bool);
                    return self.converted(is_there, bool, span).map(Lowered::Value);
                }
                Ok(Lowered::Value(old))
            }
            (Atomic::Compare(weak), &[pointer, desired, ref more @ ..]) => {
                let place = self.behind(pointer, &o, span)?;
                let expected = self.read(&place, span)?;
                let expected = Value { e: self.saved(expected.e, span)?, ..expected };
                let mut is_there = self.is_equal(old, expected, span)?;
                let may_fail =
                    weak.unwrap_or_else(|| more.first().and_then(|w| self.int_value(w.e)) != Some(0));
                if may_fail {
                    is_there.e = self.unless_it_fails(is_there.e, span)?;
                }
                self.replace_if(is_there, &o, desired, old, span)?;
                self.replace_if(is_there, &place, expected, old, span)?;
                let bool = self.ctypes.intern(CType::Bool);
                self.converted(is_there, bool, span).map(Lowered::Value)
            }
            _ => issue(span, "a call with too few arguments"),
        }
    }

    /// What a pointer to a value for a shared variable leads to.
    fn behind(&mut self, pointer: Value, o: &Object, span: Span) -> Result<Object> {
        let place = self.target(pointer, span)?;
        if place.place.ty != o.place.ty {
            return unsupported(span, "a value of another type for a shared variable");
        }
        Ok(place)
    }

    fn value_behind(&mut self, pointer: Value, o: &Object, span: Span) -> Result<Value> {
        let place = self.behind(pointer, o, span)?;
        let value = self.read(&place, span)?;
        Ok(Value { e: self.saved(value.e, span)?, ..value })
    }

    /// The byte that a flag is, behind a pointer of any type.
    fn flag(&mut self, pointer: Value, span: Span) -> Result<Value> {
        let byte = self.ctypes.int_of(1, false);
        let ty = self.ctypes.pointer_to(byte);
        self.converted(pointer, ty, span)
    }

    /// The new value, which wraps around even if its type is signed.
    fn updated(&mut self, update: Update, old: Value, value: Value, span: Span) -> Result<ExprId> {
        let (old, value) = (old.e, value.e);
        let ty = self.ty(old);
        let rank = self.types.as_int(ty).map_or(3, |i| i.rank.max(3));
        let wide = self.types.int_of(rank, false);
        let value = self.convert(value, ty, span)?;
        let (a, b) = (self.convert(old, wide, span)?, self.convert(value, wide, span)?);
        let new = match update {
            Update::By(op) => self.make(Expr::Binary(op, a, b), wide, span),
            Update::Nand => {
                let both = self.make(Expr::Binary(BinOp::And, a, b), wide, span);
                self.make(Expr::Not(both), wide, span)
            }
        };
        self.convert(new, ty, span)
    }

    fn is_equal(&mut self, a: Value, b: Value, span: Span) -> Result<Value> {
        let equal = self.binary(BinaryOp::Eq, a, b, span)?;
        Ok(Value { e: self.saved(equal.e, span)?, ..equal })
    }

    /// A condition that a weak comparison may not notice.
    fn unless_it_fails(&mut self, condition: ExprId, span: Span) -> Result<ExprId> {
        let int = self.types.int();
        let c_int = self.ctypes.int();
        let luck = self.arbitrary_scalar("weak comparison", c_int, span)?;
        let zero = self.int(0, int, span);
        let luck = self.make(Expr::Compare(CmpOp::Ne, luck, zero), int, span);
        let both = self.make(Expr::LogicAnd(condition, luck), int, span);
        self.saved(both, span)
    }

    fn replace_if(&mut self, condition: Value, o: &Object, yes: Value, no: Value, span: Span) -> Result<()> {
        let (yes, no) = (self.converted(yes, o.ty.ty, span)?, self.converted(no, o.ty.ty, span)?);
        let e = self.make(Expr::Cond(condition.e, yes.e, no.e), o.place.ty, span);
        self.store(o, Whole::Scalar(Value { e, ty: o.ty.ty }), "assignment", span)
    }
}

/// What the operation of a name does, if it is one of those that are represented.
fn operation(name: &str) -> Option<Atomic> {
    if let Some(name) = name.strip_prefix("__sync_") {
        return Some(match name {
            "synchronize" => Atomic::Fence,
            "lock_test_and_set" => Atomic::Exchange,
            "lock_release" => Atomic::Release,
            "bool_compare_and_swap" => Atomic::Swap(true),
            "val_compare_and_swap" => Atomic::Swap(false),
            _ => match name.strip_prefix("fetch_and_") {
                Some(op) => Atomic::Update(update(op)?, false),
                None => Atomic::Update(update(name.strip_suffix("_and_fetch")?)?, true),
            },
        });
    }
    if let Some(name) = name.strip_prefix("__c11_atomic_") {
        return Some(match name {
            "load" => Atomic::Load,
            "store" | "init" => Atomic::Store,
            "exchange" => Atomic::Exchange,
            "compare_exchange_strong" => Atomic::Compare(Some(false)),
            "compare_exchange_weak" => Atomic::Compare(Some(true)),
            "thread_fence" | "signal_fence" => Atomic::Fence,
            _ => Atomic::Update(update(name.strip_prefix("fetch_")?)?, false),
        });
    }
    let name = name.strip_prefix("__atomic_")?;
    Some(match name {
        "load_n" => Atomic::Load,
        "load" => Atomic::LoadTo,
        "store" => Atomic::StoreFrom,
        "exchange" => Atomic::ExchangeFrom,
        "compare_exchange" => Atomic::CompareFrom,
        "test_and_set" => Atomic::TestAndSet,
        "clear" => Atomic::Release,
        "store_n" => Atomic::Store,
        "exchange_n" => Atomic::Exchange,
        "compare_exchange_n" => Atomic::Compare(None),
        "thread_fence" | "signal_fence" => Atomic::Fence,
        _ => match name.strip_prefix("fetch_") {
            Some(op) => Atomic::Update(update(op)?, false),
            None => Atomic::Update(update(name.strip_suffix("_fetch")?)?, true),
        },
    })
}

fn update(name: &str) -> Option<Update> {
    Some(Update::By(match name {
        "add" => BinOp::Add,
        "sub" => BinOp::Sub,
        "and" => BinOp::And,
        "or" => BinOp::Or,
        "xor" => BinOp::Xor,
        "nand" => return Some(Update::Nand),
        _ => return None,
    }))
}
