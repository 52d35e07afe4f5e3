//! The values of expressions in a graph, and what a condition says about them.
//!
//! Evaluation is total, as in the typed program: what is read outside of an object is some number. Whether an access is
//! valid is for guards to say.

use super::super::hir::{Base, BinOp, CmpOp, Expr, ExprId, Place, Unit};
use super::super::lower::fold_int;
use super::super::types::{IntType, TypeId};
use super::Failure;
use super::graph::{Cell, End, Kind, Object, ObjectId, Range, State, Value};
use rustc_hash::FxHashMap;

/// Why an instruction was not executed.
pub(super) enum Stop {
    /// The first or last node of a chain has to be taken out of it, and the instruction executed again.
    Unfold(ObjectId, End),
    /// The instruction has to be executed for each outcome of a condition.
    Split(ExprId),
    Fail(Failure),
}

impl Stop {
    pub fn fail(text: &str) -> Stop {
        Stop::Fail(Failure::new(text))
    }
}

pub(super) type Step<T> = Result<T, Stop>;

/// Where a place is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spot {
    /// In an object or an end of a chain, so many bytes from its start.
    In(ObjectId, End, i64),
    /// Somewhere in an object.
    Somewhere(ObjectId),
    /// Nobody knows.
    Unknown,
}

/// The values of the operands of an expression.
pub(super) type Memo = FxHashMap<ExprId, Value>;

fn truth(b: bool) -> Value {
    Value::Int(i128::from(b))
}

impl State {
    /// The object of a variable, which starts with arbitrary contents.
    pub(super) fn variable(&mut self, unit: &Unit, v: super::super::hir::VarId) -> ObjectId {
        if let Some(&id) = self.statics.get(&v) {
            return id;
        }
        let top = self.frames.len() - 1;
        if let Some(&id) = self.frames[top].vars.get(&v) {
            return id;
        }
        let size = unit.types.size_of(unit.vars[v].ty).unwrap_or(0);
        let id = self.add(Object::new(Kind::Variable(v), size.into(), false));
        self.frames[top].vars.insert(v, id);
        id
    }

    /// What so many bytes of an object hold.
    pub(super) fn read(&mut self, id: ObjectId, offset: i64, ty: IntType, bytes: u32) -> Value {
        let Some(object) = self.objects.get(&id) else { return self.symbol(Range::new(ty.range())) };
        let value = match object.cells.get(&offset).filter(|c| c.size == bytes) {
            Some(cell) => Some(cell.value),
            None => object.part(offset, bytes),
        };
        match value {
            Some(v) => self.converted(v, ty),
            None => {
                let is_inside = offset >= 0 && i128::from(offset) + i128::from(bytes) <= object.size;
                let is_free = !object.overlaps(offset, bytes) && !object.is_zero && is_inside;
                let value = self.symbol(Range::new(ty.range()));
                if let Some(object) = self.object(id).filter(|_| is_free) {
                    object.cells.insert(offset, Cell { size: bytes, value });
                }
                value
            }
        }
    }

    /// A value read as one of a type.
    pub(super) fn converted(&mut self, v: Value, ty: IntType) -> Value {
        match self.resolved(v) {
            Value::Int(n) => Value::Int(ty.wrap(n)),
            Value::Symbol(s) => {
                let (range, of) = (self.range(s), Range::new(ty.range()));
                if ty.rank == 0 {
                    return if range.contains(0) { self.symbol(of) } else { Value::Int(1) };
                }
                if of.covers(&range) {
                    return v;
                }
                // What is not zero stays so, unless bits are lost.
                let width = 1i128 << ty.bits;
                let keeps = -width < range.low && range.high < width;
                let is_nonzero = keeps && !range.contains(0);
                self.symbol(Range { is_nonzero, ..of })
            }
            v if ty.rank == 0 => match self.is_zero(v) {
                Some(is_zero) => truth(!is_zero),
                None => self.symbol(Range::new((0, 1))),
            },
            v if ty.bits >= 8 * self.word => v,
            _ => self.symbol(Range::new(ty.range())),
        }
    }

    /// Is a value zero, if that is known?
    pub(super) fn is_zero(&self, v: Value) -> Option<bool> {
        match self.resolved(v) {
            Value::Int(n) => Some(n == 0),
            Value::Function(_) => Some(false),
            Value::Pointer(o, _, offset) => {
                let size = self.objects.get(&o)?.size;
                (offset >= 0 && i128::from(offset) <= size).then_some(false)
            }
            Value::Symbol(s) => (!self.range(s).contains(0)).then_some(false),
        }
    }

    /// Where a place is.
    pub(super) fn locate(&mut self, unit: &Unit, place: &Place, memo: Option<&Memo>) -> Step<Spot> {
        let mut offset = Some(place.offset);
        for &(index, stride) in &place.dynamic {
            let index = self.value_in(unit, index, memo)?;
            offset = match (offset, index) {
                (Some(o), Value::Int(n)) => {
                    let more = n.checked_mul(i128::from(stride)).and_then(|n| i64::try_from(n).ok());
                    more.and_then(|n| o.checked_add(n))
                }
                _ => None,
            };
        }
        let (object, end, start) = match place.base {
            Base::Var(v) => (self.variable(unit, v), End::First, 0),
            Base::Deref(e) => match self.value_in(unit, e, memo)? {
                Value::Pointer(o, end, start) if self.objects.contains_key(&o) => (o, end, start),
                _ => return Ok(Spot::Unknown),
            },
        };
        Ok(match offset.and_then(|o| o.checked_add(start)) {
            Some(offset) => Spot::In(object, end, offset),
            None => Spot::Somewhere(object),
        })
    }

    fn value_in(&mut self, unit: &Unit, e: ExprId, memo: Option<&Memo>) -> Step<Value> {
        match memo {
            Some(memo) => Ok(memo.get(&e).map_or(Value::Int(0), |v| self.resolved(*v))),
            None => self.value(unit, e),
        }
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, unit: &Unit, e: ExprId) -> Step<Value> {
        if let Some(v) = unit.as_int(e) {
            return Ok(Value::Int(v));
        }
        let mut memo = Memo::default();
        for x in unit.post_order([e]) {
            let v = self.node(unit, x, &memo)?;
            memo.insert(x, v);
        }
        Ok(self.resolved(memo[&e]))
    }

    /// The value of a scalar place.
    pub(super) fn load(&mut self, unit: &Unit, place: &Place, memo: Option<&Memo>) -> Step<Value> {
        let Some(ty) = unit.types.representation(place.ty) else { return Ok(Value::Int(0)) };
        let bytes = unit.types.size_of(place.ty).unwrap_or(1) as u32;
        if unit.types.is_float(place.ty) {
            return Ok(self.anything(8));
        }
        let Spot::In(id, end, offset) = self.locate(unit, place, memo)? else {
            return Ok(self.symbol(Range::new(ty.range())));
        };
        if self.objects[&id].chain.is_some() {
            return Err(Stop::Unfold(id, end));
        }
        let Some((first, width)) = place.bits else { return Ok(self.read(id, offset, ty, bytes)) };
        let unsigned = IntType { signed: false, rank: 9, ..ty };
        let field = IntType { bits: width, signed: ty.signed, rank: if ty.rank == 0 { 0 } else { 9 } };
        Ok(match self.read(id, offset, unsigned, bytes) {
            Value::Int(n) => Value::Int(field.wrap(n >> first & ((1i128 << width) - 1))),
            _ => self.symbol(Range::new(field.range())),
        })
    }

    fn any_of(&mut self, unit: &Unit, ty: TypeId) -> Value {
        match unit.types.representation(ty) {
            Some(t) if !unit.types.is_float(ty) => self.symbol(Range::new(t.range())),
            _ => self.anything(8),
        }
    }

    fn node(&mut self, unit: &Unit, e: ExprId, memo: &Memo) -> Step<Value> {
        let typed = &unit.exprs[e];
        let ty = unit.types.representation(typed.ty);
        let at = |state: &State, x: &ExprId| memo.get(x).map_or(Value::Int(0), |v| state.resolved(*v));
        let is_float = |x: &ExprId| unit.types.is_float(unit.exprs[*x].ty);
        Ok(match &typed.expr {
            Expr::Int(v) => Value::Int(*v),
            Expr::Float(_) | Expr::Math(..) => self.any_of(unit, typed.ty),
            Expr::Load(p) => self.load(unit, p, Some(memo))?,
            Expr::Addr(p) => self.address(unit, p, memo)?,
            Expr::Func(f) => Value::Function(*f),
            Expr::Neg(a) => match (at(self, a), ty) {
                (Value::Int(n), Some(t)) if !is_float(a) => Value::Int(t.wrap(-n)),
                _ => self.any_of(unit, typed.ty),
            },
            Expr::Not(a) => match (at(self, a), ty) {
                (Value::Int(n), Some(t)) => Value::Int(t.wrap(!n)),
                _ => self.any_of(unit, typed.ty),
            },
            Expr::Binary(_, a, _) if is_float(a) => self.any_of(unit, typed.ty),
            Expr::Binary(op, a, b) => match ty {
                Some(t) => self.binary(*op, at(self, a), at(self, b), t),
                None => self.any_of(unit, typed.ty),
            },
            Expr::Compare(_, a, _) if is_float(a) => self.symbol(Range::new((0, 1))),
            Expr::Compare(op, a, b) => {
                let (x, y) = (at(self, a), at(self, b));
                match self.compare(*op, x, y)? {
                    Some(b) => truth(b),
                    None => self.symbol(Range::new((0, 1))),
                }
            }
            Expr::LogicAnd(a, b) | Expr::LogicOr(a, b) => {
                let is_and = matches!(typed.expr, Expr::LogicAnd(..));
                let known = [a, b].map(|x| self.is_zero(at(self, x)).filter(|_| !is_float(x)));
                match known {
                    [Some(x), _] | [_, Some(x)] if x == is_and => truth(!is_and),
                    [Some(_), Some(_)] => truth(is_and),
                    _ => self.symbol(Range::new((0, 1))),
                }
            }
            Expr::LogicNot(a) => match self.is_zero(at(self, a)).filter(|_| !is_float(a)) {
                Some(is_zero) => truth(is_zero),
                None => self.symbol(Range::new((0, 1))),
            },
            Expr::Cond(c, a, b) => {
                let (x, y) = (at(self, a), at(self, b));
                let chosen = self.choices.iter().find(|(e, _)| e == c).map(|(_, holds)| !holds);
                match self.is_zero(at(self, c)).filter(|_| !is_float(c)).or(chosen) {
                    Some(true) => y,
                    Some(false) => x,
                    None if x == y => x,
                    None if self.splits && !is_float(c) => return Err(Stop::Split(*c)),
                    None => self.any_of(unit, typed.ty),
                }
            }
            Expr::Cast(a) if is_float(a) => self.any_of(unit, typed.ty),
            Expr::Cast(a) => match ty {
                Some(t) if !unit.types.is_float(typed.ty) => self.converted(at(self, a), t),
                _ => self.any_of(unit, typed.ty),
            },
            Expr::PtrAdd(p, i, scale) => match (at(self, p), at(self, i)) {
                (Value::Int(x), Value::Int(n)) => {
                    let sum = n.checked_mul(i128::from(*scale)).and_then(|n| x.checked_add(n));
                    match (sum, ty) {
                        (Some(n), Some(t)) => Value::Int(t.wrap(n)),
                        _ => self.any_of(unit, typed.ty),
                    }
                }
                (Value::Pointer(o, end, offset), Value::Int(n)) => {
                    let by = n.checked_mul(i128::from(*scale)).and_then(|n| i64::try_from(n).ok());
                    match by.and_then(|n| offset.checked_add(n)) {
                        Some(offset) => Value::Pointer(o, end, offset),
                        None => self.any_of(unit, typed.ty),
                    }
                }
                _ => self.any_of(unit, typed.ty),
            },
            Expr::PtrSub(a, b, scale) => match (at(self, a), at(self, b)) {
                (Value::Pointer(o, e, x), Value::Pointer(p, f, y))
                    if (o, e) == (p, f)
                        && (i128::from(x) - i128::from(y)) % i128::from(*scale).max(1) == 0 =>
                {
                    Value::Int((i128::from(x) - i128::from(y)) / i128::from(*scale).max(1))
                }
                _ => self.any_of(unit, typed.ty),
            },
        })
    }

    fn address(&mut self, unit: &Unit, place: &Place, memo: &Memo) -> Step<Value> {
        if let Base::Deref(e) = place.base
            && let Value::Int(n) = self.value_in(unit, e, Some(memo))?
        {
            // A member of no object: `offsetof` by hand.
            let mut sum = n.checked_add(i128::from(place.offset));
            for &(index, stride) in &place.dynamic {
                sum = match (sum, self.value_in(unit, index, Some(memo))?) {
                    (Some(s), Value::Int(n)) => {
                        n.checked_mul(i128::from(stride)).and_then(|n| s.checked_add(n))
                    }
                    _ => None,
                };
            }
            let pointer = IntType { bits: 8 * self.word, signed: false, rank: 9 };
            return Ok(sum.map_or_else(|| self.anything(self.word), |n| Value::Int(pointer.wrap(n))));
        }
        Ok(match self.locate(unit, place, Some(memo))? {
            Spot::In(o, end, offset) => Value::Pointer(o, end, offset),
            Spot::Somewhere(_) | Spot::Unknown => self.anything(self.word),
        })
    }

    fn binary(&mut self, op: BinOp, a: Value, b: Value, t: IntType) -> Value {
        let is_word = t.bits == 8 * self.word;
        let bounds = |state: &State, v: Value| match v {
            Value::Int(n) => Some(Range::new((n, n))),
            Value::Symbol(s) => Some(state.range(s)),
            _ => None,
        };
        match (op, a, b) {
            (_, Value::Int(x), Value::Int(y)) => {
                let divisor = if matches!(op, BinOp::Div | BinOp::Rem) && y == 0 { 1 } else { y };
                return match fold_int(op, x, divisor, t) {
                    Some(n) => Value::Int(n),
                    None => self.symbol(Range::new(t.range())),
                };
            }
            (BinOp::Add, Value::Pointer(o, e, x), Value::Int(n))
            | (BinOp::Add, Value::Int(n), Value::Pointer(o, e, x))
                if is_word =>
            {
                if let Some(offset) = i64::try_from(signed(n, t)).ok().and_then(|n| x.checked_add(n)) {
                    return Value::Pointer(o, e, offset);
                }
            }
            (BinOp::Sub, Value::Pointer(o, e, x), Value::Int(n)) if is_word => {
                if let Some(offset) = i64::try_from(signed(n, t)).ok().and_then(|n| x.checked_sub(n)) {
                    return Value::Pointer(o, e, offset);
                }
            }
            (BinOp::Sub, Value::Pointer(o, e, x), Value::Pointer(p, f, y)) if is_word && (o, e) == (p, f) => {
                return Value::Int(t.wrap(i128::from(x) - i128::from(y)));
            }
            _ => {}
        }
        let of = Range::new(t.range());
        let is_small = |r: &Range| r.low.unsigned_abs().max(r.high.unsigned_abs()) <= 1 << 66;
        let [x, y] = [bounds(self, a), bounds(self, b)].map(|r| r.filter(is_small));
        let (Some(x), Some(y)) = (x, y) else { return self.symbol(of) };
        let fit = |low: i128, high: i128| {
            let range = Range::new((low, high));
            if of.covers(&range) { range } else { of }
        };
        let range = match op {
            BinOp::Add => fit(x.low + y.low, x.high + y.high),
            BinOp::Sub => fit(x.low - y.high, x.high - y.low),
            BinOp::And if x.low >= 0 && y.low >= 0 => fit(0, x.high.min(y.high)),
            BinOp::And if y.low >= 0 => fit(0, y.high),
            BinOp::And if x.low >= 0 => fit(0, x.high),
            BinOp::Rem if y.low == y.high && y.low > 0 && x.low >= 0 => fit(0, (y.low - 1).min(x.high)),
            BinOp::Div if y.low == y.high && y.low > 0 && x.low >= 0 => fit(x.low / y.low, x.high / y.low),
            BinOp::Mul if y.low == y.high && (0..1 << 40).contains(&y.low) => {
                fit(x.low * y.low, x.high * y.low)
            }
            _ => of,
        };
        self.symbol(range)
    }

    /// How two values compare, if that is known.
    pub(super) fn compare(&mut self, op: CmpOp, a: Value, b: Value) -> Step<Option<bool>> {
        let (a, b) = (self.resolved(a), self.resolved(b));
        let bounds = |v: Value| match v {
            Value::Int(n) => Some(Range::new((n, n))),
            Value::Symbol(s) => Some(self.range(s)),
            _ => None,
        };
        let ordered = match op {
            CmpOp::Eq | CmpOp::Ne => {
                let same = self.same(a, b)?;
                return Ok(same.map(|s| s == (op == CmpOp::Eq)));
            }
            CmpOp::Lt | CmpOp::Le if a == b => return Ok(Some(op == CmpOp::Le)),
            CmpOp::Lt | CmpOp::Le => match (a, b) {
                (Value::Pointer(o, e, x), Value::Pointer(p, f, y)) if (o, e) == (p, f) => {
                    // Outside of the object an address may wrap around.
                    let is_sure = self.is_zero(a) == Some(false) && self.is_zero(b) == Some(false);
                    is_sure.then_some(if op == CmpOp::Lt { x < y } else { x <= y })
                }
                _ => match (bounds(a), bounds(b)) {
                    (Some(x), Some(y)) if op == CmpOp::Lt && x.high < y.low => Some(true),
                    (Some(x), Some(y)) if op == CmpOp::Lt && x.low >= y.high => Some(false),
                    (Some(x), Some(y)) if op == CmpOp::Le && x.high <= y.low => Some(true),
                    (Some(x), Some(y)) if op == CmpOp::Le && x.low > y.high => Some(false),
                    _ => None,
                },
            },
        };
        Ok(ordered)
    }

    /// Are two values the same, if that is known?
    fn same(&mut self, a: Value, b: Value) -> Step<Option<bool>> {
        Ok(match (a, b) {
            (Value::Int(x), Value::Int(y)) => Some(x == y),
            (Value::Function(f), Value::Function(g)) => Some(f == g),
            (Value::Symbol(x), Value::Symbol(y)) if x == y => Some(true),
            (Value::Symbol(s), Value::Int(n)) | (Value::Int(n), Value::Symbol(s)) => {
                (!self.range(s).contains(n)).then_some(false)
            }
            (Value::Symbol(x), Value::Symbol(y)) => {
                let (x, y) = (self.range(x), self.range(y));
                (x.high < y.low || y.high < x.low).then_some(false)
            }
            (Value::Int(0), v) | (v, Value::Int(0)) => self.is_zero(v),
            (Value::Pointer(o, e, x), Value::Pointer(p, f, y)) if o == p => {
                if e == f {
                    return Ok(Some(x == y));
                }
                // They are the same node only if there is no other.
                return match self.objects.get(&o).and_then(|o| o.chain.as_ref()) {
                    Some(chain) if chain.least > 1 && self.is_inside(a) && self.is_inside(b) => {
                        Ok(Some(false))
                    }
                    Some(_) => Err(Stop::Unfold(o, End::First)),
                    None => Ok(None),
                };
            }
            (Value::Pointer(..), Value::Pointer(..)) => {
                (self.is_inside(a) && self.is_inside(b)).then_some(false)
            }
            _ => None,
        })
    }

    /// Does a pointer lead to a byte of an object?
    fn is_inside(&self, v: Value) -> bool {
        let Value::Pointer(o, _, offset) = v else { return false };
        self.objects.get(&o).is_some_and(|o| offset >= 0 && i128::from(offset) < o.size)
    }

    /// Narrows the graph to the executions in which an expression is not zero, or is zero; false if there are none.
    pub(super) fn assume(&mut self, unit: &Unit, e: ExprId, holds: bool) -> Step<bool> {
        let mut work = vec![(e, holds)];
        while let Some((e, holds)) = work.pop() {
            let value = self.value(unit, e)?;
            let is_float = |x: ExprId| unit.types.is_float(unit.exprs[x].ty);
            if is_float(e) {
                continue;
            }
            match self.is_zero(value) {
                Some(is_zero) if is_zero == holds => return Ok(false),
                Some(_) => continue,
                None => {}
            }
            match unit.exprs[e].expr {
                Expr::LogicNot(a) => work.push((a, !holds)),
                Expr::LogicAnd(a, b) | Expr::LogicOr(a, b) => {
                    let is_and = matches!(unit.exprs[e].expr, Expr::LogicAnd(..));
                    if is_and == holds {
                        work.extend([(b, holds), (a, holds)]);
                        continue;
                    }
                    // One side decides if the other one does not.
                    for (x, y) in [(a, b), (b, a)] {
                        let other = self.value(unit, x)?;
                        if self.is_zero(other) == Some(!is_and) && !is_float(x) {
                            work.push((y, holds));
                            break;
                        }
                    }
                }
                Expr::Compare(op, a, b) if !is_float(a) => {
                    let (x, y) = (self.value(unit, a)?, self.value(unit, b)?);
                    let ok = match (op, holds) {
                        (CmpOp::Eq, true) | (CmpOp::Ne, false) => self.set_equal(x, y),
                        (CmpOp::Eq, false) | (CmpOp::Ne, true) => self.set_different(x, y),
                        (CmpOp::Lt, true) => self.set_less(x, y, 1),
                        (CmpOp::Le, true) => self.set_less(x, y, 0),
                        (CmpOp::Lt, false) => self.set_less(y, x, 0),
                        (CmpOp::Le, false) => self.set_less(y, x, 1),
                    };
                    if !ok {
                        return Ok(false);
                    }
                }
                Expr::Cast(a) if self.value(unit, a)? == value => work.push((a, holds)),
                Expr::Cast(a) if unit.types.representation(unit.exprs[e].ty).is_some_and(|t| t.rank == 0) => {
                    work.push((a, holds));
                }
                _ => {
                    let ok = match holds {
                        true => self.set_different(value, Value::Int(0)),
                        false => self.set_equal(value, Value::Int(0)),
                    };
                    if !ok {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    fn narrow(&mut self, v: Value, to: Range) -> bool {
        match self.resolved(v) {
            Value::Int(n) => to.contains(n),
            Value::Symbol(s) => {
                let old = self.range(s);
                let mut new = Range {
                    low: old.low.max(to.low),
                    high: old.high.min(to.high),
                    is_nonzero: old.is_nonzero || to.is_nonzero,
                };
                if new.is_nonzero && new.low == 0 {
                    new.low = 1;
                }
                if new.is_nonzero && new.high == 0 {
                    new.high = -1;
                }
                self.symbols.insert(s, new);
                !new.is_empty()
            }
            _ => true,
        }
    }

    fn bounds(&self, v: Value) -> Option<Range> {
        match self.resolved(v) {
            Value::Int(n) => Some(Range::new((n, n))),
            Value::Symbol(s) => Some(self.range(s)),
            _ => None,
        }
    }

    fn set_equal(&mut self, a: Value, b: Value) -> bool {
        let (x, y) = (self.bounds(a), self.bounds(b));
        y.is_none_or(|y| self.narrow(a, y)) && x.is_none_or(|x| self.narrow(b, x))
    }

    fn set_different(&mut self, a: Value, b: Value) -> bool {
        for (v, other) in [(a, b), (b, a)] {
            let (Value::Int(n), Value::Symbol(s)) = (self.resolved(other), self.resolved(v)) else {
                continue;
            };
            let old = self.range(s);
            let mut to = Range { is_nonzero: n == 0, ..old };
            to.low += i128::from(old.low == n);
            to.high -= i128::from(old.high == n);
            if !self.narrow(v, to) {
                return false;
            }
        }
        true
    }

    /// `a + by <= b`
    fn set_less(&mut self, a: Value, b: Value, by: i128) -> bool {
        let (Some(x), Some(y)) = (self.bounds(a), self.bounds(b)) else { return true };
        let below = Range { low: x.low, high: x.high.min(y.high.saturating_sub(by)), is_nonzero: false };
        let above = Range { low: y.low.max(x.low.saturating_add(by)), high: y.high, is_nonzero: false };
        self.narrow(a, below) && self.narrow(b, above)
    }
}

/// A number of an unsigned type as a distance that may be negative.
fn signed(n: i128, t: IntType) -> i128 {
    IntType { signed: true, ..t }.wrap(n)
}

impl Object {
    /// Is one of so many bytes in a cell?
    pub(super) fn overlaps(&self, offset: i64, bytes: u32) -> bool {
        let end = offset.saturating_add(i64::from(bytes));
        let before = self.cells.range(..end).next_back();
        before.is_some_and(|(o, c)| o.saturating_add(i64::from(c.size)) > offset)
    }

    /// The number that some bytes of a known number are, or that untouched zeros are.
    pub(super) fn part(&self, offset: i64, bytes: u32) -> Option<Value> {
        let end = offset.checked_add(i64::from(bytes))?;
        let is_inside = offset >= 0 && i128::from(end) <= self.size;
        if self.is_zero && is_inside && !self.overlaps(offset, bytes) {
            return Some(Value::Int(0));
        }
        let (&start, cell) = self.cells.range(..=offset).next_back()?;
        if start + i64::from(cell.size) >= end
            && let Value::Int(n) = cell.value
        {
            return Some(Value::Int(n >> (8 * (offset - start)) & ((1i128 << (8 * bytes.min(15))) - 1)));
        }
        // Several zeros.
        let mut at = offset;
        while at < end {
            let (&start, cell) = match self.cells.range(..=at).next_back() {
                Some((s, c)) if *s + i64::from(c.size) > at => (s, c),
                _ if self.is_zero => {
                    at = self.cells.range(at..).next().map_or(end, |(o, _)| *o);
                    continue;
                }
                _ => return None,
            };
            if cell.value != Value::Int(0) {
                return None;
            }
            at = start + i64::from(cell.size);
        }
        is_inside.then_some(Value::Int(0))
    }
}
