//! What expressions are in all of the rounds that are skipped.

use crate::c::hir::{BinOp, CmpOp};
use crate::c::lower::fold_int;
use crate::c::types::IntType;
use bolide_base::Progression;

/// A value in each round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value {
    /// A polynomial. With a type, only what it converts to in that type is the value.
    Known(Progression, Option<IntType>),
    /// It depends on what is known in that round, and is computed when the last one is executed.
    Computed,
    /// It depends on what is not known in that round.
    Lost,
}

/// The number of rounds in which all is as in the first one; every question that is answered may lower it.
pub(super) struct Horizon(pub u64);

impl Value {
    /// The same in every round.
    pub fn constant(value: i128) -> Value {
        Value::Known(Progression::constant(value), None)
    }

    /// A value that something depends on which is not a polynomial.
    pub fn of_operands(operands: &[Value]) -> Value {
        if operands.contains(&Value::Lost) { Value::Lost } else { Value::Computed }
    }

    /// What a polynomial converts to in a type.
    pub fn wrapped(p: Progression, ty: IntType) -> Value {
        match p.as_constant() {
            Some(value) => Value::constant(ty.wrap(value)),
            None => Value::Known(p.modulo(ty.bits, |first| ty.wrap(first)), Some(ty)),
        }
    }
}

/// Can values of a type be followed?
pub(super) fn is_followed(ty: IntType) -> bool {
    ty.bits <= 64 && ty.format().is_none()
}

impl Horizon {
    /// The polynomial that a value is exactly, in the rounds up to the horizon.
    pub fn exact(&mut self, value: Value) -> Option<Progression> {
        match value {
            Value::Known(p, None) => Some(p),
            Value::Known(p, Some(ty)) => {
                let (low, high) = ty.range();
                self.keep(&Progression::constant(low).checked_sub(&p)?);
                self.keep(&p.checked_sub(&Progression::constant(high))?);
                // The first value lies in the range.
                Some(p)
            }
            Value::Computed | Value::Lost => None,
        }
    }

    /// Is a number at most zero, up to the horizon?
    fn keep(&mut self, p: &Progression) -> bool {
        self.0 = p.keeps_sign(self.0);
        p.first() <= 0
    }

    /// Is one number at most another one?
    fn at_most(&mut self, a: &Progression, b: &Progression) -> Option<bool> {
        Some(self.keep(&a.checked_sub(b)?))
    }

    /// Is one number less than another one?
    fn less(&mut self, a: &Progression, b: &Progression) -> Option<bool> {
        Some(!self.at_most(b, a)?)
    }

    /// Keeps two stretches of memory, each from its first byte to the first one behind, apart up to the horizon; `None` if they
    /// touch at once.
    pub fn apart(&mut self, a: &(Progression, Progression), b: &(Progression, Progression)) -> Option<()> {
        let ends_before = a.1.checked_sub(&b.0)?;
        if ends_before.first() <= 0 {
            self.keep(&ends_before);
            return Some(());
        }
        let starts_behind = b.1.checked_sub(&a.0)?;
        (starts_behind.first() <= 0).then(|| _ = self.keep(&starts_behind))
    }

    /// How two values compare.
    pub fn compare(&mut self, op: CmpOp, a: Value, b: Value) -> Option<bool> {
        let (Value::Known(..), Value::Known(..)) = (a, b) else { return None };
        let (a, b) = (self.exact(a)?, self.exact(b)?);
        match op {
            CmpOp::Lt => self.less(&a, &b),
            CmpOp::Le => self.at_most(&a, &b),
            CmpOp::Eq => self.equal(&a, &b),
            CmpOp::Ne => Some(!self.equal(&a, &b)?),
        }
    }

    fn equal(&mut self, a: &Progression, b: &Progression) -> Option<bool> {
        Some(!self.less(a, b)? && !self.less(b, a)?)
    }

    /// Is a value something else than zero?
    pub fn truth(&mut self, value: Value) -> Option<bool> {
        self.compare(CmpOp::Ne, value, Value::constant(0))
    }

    /// What a value converts to in another type.
    pub fn convert(&mut self, value: Value, from: IntType, to: IntType) -> Value {
        let Value::Known(p, exactly) = value else { return value };
        if to.rank == 0 {
            let truth = self.truth(value);
            return truth.map_or(Value::Computed, |t| Value::constant(i128::from(t)));
        }
        if exactly.is_none() || from.bits >= to.bits {
            return Value::wrapped(p, to);
        }
        self.exact(value).map_or(Value::Computed, |p| Value::wrapped(p, to))
    }

    /// A polynomial that a value is modulo the size of a type.
    fn modulo(&mut self, value: Value, ty: IntType) -> Option<Progression> {
        match value {
            Value::Known(p, Some(own)) if own.bits >= ty.bits => Some(p),
            _ => self.exact(value),
        }
    }

    /// The value of an operation on values of one type; a shift may have an amount of another one.
    pub fn binary(&mut self, op: BinOp, a: Value, b: Value, ty: IntType) -> Value {
        let (Some(p), Some(q)) = (self.modulo(a, ty), self.modulo(b, ty)) else {
            return Value::of_operands(&[a, b]);
        };
        if let (Some(x), Some(y)) = (p.as_constant(), q.as_constant()) {
            let divisor = if matches!(op, BinOp::Div | BinOp::Rem) && y == 0 { 1 } else { y };
            return Value::constant(fold_int(op, x, divisor, ty).unwrap_or(0));
        }
        let amount = q.as_constant().map(|y| y.rem_euclid(i128::from(ty.bits)) as u32);
        let found = match op {
            BinOp::Add => Some(p.add(&q)),
            BinOp::Sub => Some(p.sub(&q)),
            BinOp::Mul => p.mul(&q),
            BinOp::Shl => amount.and_then(|n| p.mul(&Progression::constant(1 << n))),
            BinOp::Shr => amount.and_then(|n| {
                p.div_rem(1 << n)?;
                Some(self.exact(a)?.div_rem(1 << n)?.0)
            }),
            BinOp::Div => q.as_constant().and_then(|c| Some(self.divide(a, c)?.0)),
            BinOp::Rem => q.as_constant().and_then(|c| Some(Progression::constant(self.divide(a, c)?.1))),
            BinOp::And => mask(&p, &q).or_else(|| mask(&q, &p)),
            BinOp::Or | BinOp::Xor => None,
        };
        found.map_or(Value::Computed, |p| Value::wrapped(p, ty))
    }

    /// Quotient and remainder by a constant, rounded towards zero.
    fn divide(&mut self, value: Value, divisor: i128) -> Option<(Progression, i128)> {
        let zero = Progression::constant(0);
        let size = divisor.checked_abs()?;
        // What is of no use must not bring the horizon nearer.
        let Value::Known(p, _) = value else { return None };
        p.div_rem(size)?;
        let p = self.exact(value)?;
        let (quotient, remainder) = match self.less(&p, &zero)? {
            false => p.div_rem(size)?,
            true => {
                let (quotient, remainder) = zero.checked_sub(&p)?.div_rem(size)?;
                (zero.checked_sub(&quotient)?, -remainder)
            }
        };
        let quotient = if divisor < 0 { zero.checked_sub(&quotient)? } else { quotient };
        Some((quotient, remainder))
    }
}

/// The lowest bits of a number, if they are the same in every round.
fn mask(p: &Progression, mask: &Progression) -> Option<Progression> {
    let size = mask.as_constant().filter(|&m| m >= 0)?.checked_add(1)?;
    if size.count_ones() != 1 {
        return None;
    }
    Some(Progression::constant(p.div_rem(size)?.1))
}
