//! One period of rounds, executed on values that are polynomials in the number of the period.
//!
//! **What a plan promises.** Let the places that the period writes have the values of their polynomials at the start of period `j`. If `j` lies
//! before the horizon, every condition has the answer that it has in the first period, so the execution takes the same way, and the places
//! have the values of period `j + 1` in the end: that was computed for all `j` at once. Places whose polynomials were not right are
//! never read before they are written; they get their values in the last period, which is executed.

use super::value::{Horizon, Value, is_followed};
use crate::c::hir::{
    Base, BinOp, BlockId, Callee, CmpOp, Expr, ExprId, FuncId, InstrKind, Place, Storage, Terminator, Unit,
    VarId,
};
use crate::c::interp::{Bytes, Interpreter};
use crate::c::layout::Home;
use crate::c::types::IntType;
use bolide_base::{DEGREE, Progression};
use rustc_hash::FxHashMap;

/// No more periods are skipped at once.
const MOST_PERIODS: u64 = 1 << 62;

/// Where a scalar is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Region {
    Static(VarId),
    /// A local of the function that is so many calls above the one with the loop.
    Local(usize, VarId),
    Memory,
}

/// The bytes of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Cell {
    region: Region,
    start: i128,
    size: i128,
}

impl Cell {
    fn overlaps(&self, other: &Cell) -> bool {
        self.region == other.region
            && self.start < other.start + other.size
            && other.start < self.start + self.size
    }

    fn bits(&self) -> u32 {
        8 * self.size as u32
    }

    /// The variable that it is.
    pub(super) fn variable(&self, unit: &Unit) -> Option<VarId> {
        let (Region::Static(v) | Region::Local(_, v)) = self.region else { return None };
        let size = unit.types.size_of(unit.vars[v].ty);
        (self.start == 0 && size.is_some_and(|n| i128::from(n) == self.size)).then_some(v)
    }

    /// The type of its contents as they are kept here.
    fn as_type(&self) -> IntType {
        IntType { bits: self.bits(), signed: false, rank: 9 }
    }
}

/// Periods that can be skipped, and what the places that change hold after them.
pub(super) struct Skip {
    pub periods: u64,
    pub values: Vec<(Cell, i128)>,
}

/// What cells hold.
type Cells = FxHashMap<Cell, Value>;

/// A call on the way.
struct Frame<'a> {
    func: FuncId,
    /// Where to go on after it, and where its result goes, in the caller.
    next: (BlockId, usize),
    result: Option<&'a Place>,
}

/// A period in execution.
struct Walk<'i, 'a> {
    interpreter: &'i mut Interpreter<'a>,
    frames: Vec<Frame<'a>>,
    /// What the cells that are written hold at the start.
    at_start: Cells,
    /// What has been written.
    written: Cells,
    horizon: Horizon,
}

impl Interpreter<'_> {
    /// The longest stretch of periods that take a way from where the execution stands, if there are at least so many.
    pub(super) fn plan(&mut self, way: &[BlockId], fewest: u64) -> Option<Skip> {
        // What the next periods do shows what the values may be.
        let mut samples = vec![Cells::default()];
        for _ in 0..DEGREE {
            let start = samples.last()?.clone();
            let mut walk = Walk::new(self, start.clone());
            walk.follow(way)?;
            let end = walk.written;
            match samples.as_mut_slice() {
                [first] => *first = end.keys().map(|&c| (c, self.current(&c))).collect(),
                _ if end.len() != start.len() || end.keys().any(|c| !start.contains_key(c)) => return None,
                _ => {}
            }
            samples.push(end);
        }
        let mut cells: Vec<Cell> = samples[0].keys().copied().collect();
        cells.sort_unstable();
        let mut guesses: Vec<(Cell, Option<Progression>)> = Vec::new();
        for cell in cells {
            let value = |sample: &Cells| match sample.get(&cell)? {
                Value::Known(p, None) => p.as_constant(),
                _ => None,
            };
            let values: Option<Vec<i128>> = samples.iter().map(value).collect();
            let guess = values.and_then(|values| values.try_into().ok());
            guesses.push((cell, guess.map(|values| Progression::through(values, cell.bits()))));
        }
        self.confirm(way, guesses, fewest)
    }

    /// The plan that guesses lead to; those that are not right are dropped.
    fn confirm(
        &mut self,
        way: &[BlockId],
        mut guesses: Vec<(Cell, Option<Progression>)>,
        fewest: u64,
    ) -> Option<Skip> {
        loop {
            let start = guesses.iter().map(|&(cell, guess)| {
                let value = guess.map_or(Value::Lost, |p| Value::wrapped(p, cell.as_type()));
                (cell, value)
            });
            let mut walk = Walk::new(self, start.collect());
            walk.follow(way)?;
            let (written, horizon) = (walk.written, walk.horizon.0);
            if written.len() != guesses.len() {
                return None;
            }
            let mut all_right = true;
            for (cell, guess) in &mut guesses {
                let end = written.get(cell)?;
                let is_right = |p: &Progression| match end {
                    Value::Known(q, _) => p.next().is_congruent(q, cell.bits()),
                    _ => false,
                };
                if *end == Value::Lost {
                    return None;
                }
                if guess.as_ref().is_some_and(|p| !is_right(p)) {
                    (*guess, all_right) = (None, false);
                }
            }
            // Nothing ends such a loop, or it is over.
            if horizon < fewest || horizon >= MOST_PERIODS {
                return None;
            }
            if all_right {
                return skip(&guesses, horizon - 1);
            }
        }
    }

    /// What a cell holds now.
    fn current(&mut self, cell: &Cell) -> Value {
        let ty = cell.as_type();
        Value::constant(self.raw(&bytes(cell), ty))
    }

    /// Gives a cell a value.
    pub(super) fn set_value(&mut self, cell: &Cell, value: i128) {
        self.set_raw(&bytes(cell), cell.size as u32, value);
    }
}

/// The values after so many periods, or fewer if they cannot be computed.
fn skip(guesses: &[(Cell, Option<Progression>)], mut periods: u64) -> Option<Skip> {
    while periods > 0 {
        let known = guesses.iter().filter_map(|&(cell, guess)| Some((cell, guess?)));
        let values: Option<Vec<(Cell, i128)>> = known.map(|(cell, p)| Some((cell, p.at(periods)?))).collect();
        if let Some(values) = values {
            return Some(Skip { periods, values });
        }
        periods /= 2;
    }
    None
}

/// The bytes of a cell that exists at the head of the loop.
fn bytes(cell: &Cell) -> Bytes {
    match cell.region {
        Region::Static(v) => Bytes::Static(v, cell.start),
        Region::Local(_, v) => Bytes::Local(v, cell.start),
        Region::Memory => Bytes::Memory(cell.start),
    }
}

/// As it is in memory: all bits count, also of a truth value.
fn stored(ty: IntType) -> IntType {
    IntType { rank: 9, ..ty }
}

impl<'i, 'a> Walk<'i, 'a> {
    fn new(interpreter: &'i mut Interpreter<'a>, at_start: Cells) -> Walk<'i, 'a> {
        let func = interpreter.frame().func;
        Walk {
            interpreter,
            frames: vec![Frame { func, next: (BlockId::new(0), 0), result: None }],
            at_start,
            written: Cells::default(),
            horizon: Horizon(MOST_PERIODS),
        }
    }

    /// Follows the jumps of a period; `None` if something else would be done or it cannot be followed.
    fn follow(&mut self, way: &[BlockId]) -> Option<()> {
        let unit = self.interpreter.unit;
        let (mut block, mut next) = (*way.last()?, 0);
        let mut jumps = way.iter();
        let mut to_come = way.len();
        while to_come > 0 {
            let func = self.frames.last()?.func;
            let code = &unit.funcs[func].blocks[block];
            if let Some(instruction) = code.instrs.get(next) {
                next += 1;
                if let InstrKind::Call(result, Callee::Direct(callee), args) = &instruction.kind {
                    self.enter(
                        *callee,
                        args,
                        Frame { func: *callee, next: (block, next), result: result.as_ref() },
                    )?;
                    (block, next) = (BlockId::new(0), 0);
                } else {
                    self.instruction(&instruction.kind)?;
                }
                continue;
            }
            let target = match &code.end {
                Terminator::Goto(b) => *b,
                Terminator::Branch(e, yes, no) => {
                    let value = self.eval(*e);
                    if self.horizon.truth(value)? { *yes } else { *no }
                }
                Terminator::Switch(e, cases, default) => self.case(*e, cases)?.unwrap_or(*default),
                Terminator::Return(value) => {
                    (block, next) = self.leave(*value)?;
                    continue;
                }
                Terminator::Halt | Terminator::Error(_) => return None,
            };
            if jumps.next() != Some(&target) {
                return None;
            }
            to_come -= 1;
            (block, next) = (target, 0);
        }
        (self.frames.len() == 1).then_some(())
    }

    /// The case that a value leads to, unless that is the default.
    fn case(&mut self, e: ExprId, cases: &[(i128, i128, BlockId)]) -> Option<Option<BlockId>> {
        let value = self.eval(e);
        for &(low, high, block) in cases {
            let from = self.horizon.compare(CmpOp::Le, Value::constant(low), value)?;
            let to = self.horizon.compare(CmpOp::Le, value, Value::constant(high))?;
            if from && to {
                return Some(Some(block));
            }
        }
        Some(None)
    }

    fn enter(&mut self, callee: FuncId, args: &[ExprId], frame: Frame<'a>) -> Option<()> {
        let unit = self.interpreter.unit;
        let values: Vec<Value> = args.iter().map(|&a| self.eval(a)).collect();
        self.frames.push(frame);
        for (&p, value) in unit.funcs[callee].params.iter().zip(values) {
            if self.interpreter.layout.vars[p] == Home::New {
                return None;
            }
            if unit.types.is_scalar(unit.vars[p].ty) {
                self.store(&Place::var(p, unit.vars[p].ty), value)?;
            }
        }
        Some(())
    }

    /// Returns; the place where execution goes on.
    fn leave(&mut self, value: Option<ExprId>) -> Option<(BlockId, usize)> {
        let value = value.map_or(Value::constant(0), |e| self.eval(e));
        let depth = self.frames.len() - 1;
        let frame = self.frames.pop()?;
        if depth == 0 {
            return None;
        }
        self.written.retain(|cell, _| !matches!(cell.region, Region::Local(d, _) if d == depth));
        if let Some(place) = frame.result {
            self.store(place, value)?;
        }
        Some(frame.next)
    }

    fn instruction(&mut self, kind: &InstrKind) -> Option<()> {
        match kind {
            InstrKind::Assign(place, e) => {
                let value = self.eval(*e);
                self.store(place, value)
            }
            InstrKind::Assume(e) => {
                let value = self.eval(*e);
                self.horizon.truth(value)?.then_some(())
            }
            InstrKind::Escape(_) => Some(()),
            InstrKind::Fresh(v, None) => (self.interpreter.layout.vars[*v] != Home::New).then_some(()),
            _ => None,
        }
    }

    /// The bytes of a place, which is a scalar or whose address is wanted, if they are the same in every round. If not, the region that it lies in.
    fn locate(&mut self, place: &Place, values: Option<&[(ExprId, Value)]>) -> Option<Result<Cell, Region>> {
        let interpreter = &*self.interpreter;
        let size = interpreter.unit.types.representation(place.ty).map_or(1, |ty| ty.bits / 8);
        let (region, base) = match place.base {
            Base::Deref(_) => (Region::Memory, 0),
            Base::Var(v) => match (interpreter.layout.vars[v], interpreter.unit.vars[v].storage) {
                (Home::Fixed(a), _) => (Region::Memory, a),
                // The address belongs to the function with the loop, or to a call that has not been made.
                (Home::New, _) if self.frames.len() > 1 => return None,
                (Home::New, _) => {
                    (Region::Memory, interpreter.frames.last()?.addresses.get(&v).copied().unwrap_or(0))
                }
                (Home::Nowhere, Storage::Static) => (Region::Static(v), 0),
                (Home::Nowhere, Storage::Auto(_)) => (Region::Local(self.frames.len() - 1, v), 0),
            },
        };
        let mut start = Progression::constant(base + i128::from(place.offset));
        let parts = place.dynamic.iter().copied();
        let pointer = match place.base {
            Base::Deref(e) => Some((e, 1)),
            Base::Var(_) => None,
        };
        for (e, stride) in parts.chain(pointer) {
            let value = match values {
                Some(values) => operand(values, e),
                None => self.eval(e),
            };
            match self.horizon.exact(value) {
                Some(p) => start = start.checked_add(&p.checked_scale(i128::from(stride))?)?,
                None => return Some(Err(region)),
            }
        }
        let cell = |start: i128| Cell { region, start, size: i128::from(size) };
        Some(start.as_constant().map(cell).ok_or(region))
    }

    fn store(&mut self, place: &Place, value: Value) -> Option<()> {
        let Some(_) = self.interpreter.unit.types.representation(place.ty) else { return Some(()) };
        let cell = self.locate(place, None)?.ok()?;
        let is_apart = |c: &Cell| c == &cell || !c.overlaps(&cell);
        let is_fine = self.written.keys().chain(self.at_start.keys()).all(is_apart);
        if place.bits.is_some() || !is_fine {
            return None;
        }
        let value = match value {
            Value::Known(p, _) => Value::wrapped(p, cell.as_type()),
            other => other,
        };
        self.written.insert(cell, value);
        Some(())
    }

    fn load(&mut self, place: &Place, values: &[(ExprId, Value)]) -> Value {
        let types = &self.interpreter.unit.types;
        let Some(ty) = types.representation(place.ty) else { return Value::Lost };
        let Some(found) = self.locate(place, Some(values)) else { return Value::Lost };
        if place.bits.is_some() {
            return Value::Lost;
        }
        let cell = match found {
            Ok(cell) => cell,
            Err(region) => {
                let mut changing = self.written.keys().chain(self.at_start.keys());
                let is_lost = changing.any(|c| c.region == region);
                return if is_lost { Value::Lost } else { Value::Computed };
            }
        };
        let value = match self.written.get(&cell).or_else(|| self.at_start.get(&cell)) {
            Some(value) => *value,
            None if self.written.keys().chain(self.at_start.keys()).any(|c| c.overlaps(&cell)) => {
                return Value::Lost;
            }
            // A local of a call on the way that has not been written.
            None if matches!(cell.region, Region::Local(depth, _) if depth > 0) => return Value::Lost,
            None => self.interpreter.current(&cell),
        };
        match value {
            Value::Known(p, _) if p.as_constant().is_some() || is_followed(ty) => {
                Value::wrapped(p, stored(ty))
            }
            Value::Known(..) => Value::Computed,
            other => other,
        }
    }

    /// What an expression is in every round.
    fn eval(&mut self, e: ExprId) -> Value {
        let order = self.interpreter.order_of(e);
        let mut values: Vec<(ExprId, Value)> = Vec::with_capacity(order.len());
        for &e in order.iter() {
            let value = self.node(e, &values);
            values.push((e, value));
        }
        operand(&values, e)
    }

    fn node(&mut self, e: ExprId, values: &[(ExprId, Value)]) -> Value {
        let unit = self.interpreter.unit;
        let typed = &unit.exprs[e];
        let at = |x: &ExprId| operand(values, *x);
        let type_of = |x: ExprId| unit.types.representation(unit.exprs[x].ty);
        let operands: Vec<Value> = typed.expr.operands().iter().map(at).collect();
        let otherwise = Value::of_operands(&operands);
        let known = |truth: Option<bool>| truth.map_or(otherwise, |t| Value::constant(i128::from(t)));
        let is_followed =
            typed.expr.operands().into_iter().chain([e]).all(|x| type_of(x).is_some_and(is_followed));
        let ty = match type_of(e) {
            Some(ty) if is_followed => ty,
            // An address is followed, whatever it is the address of.
            _ if matches!(typed.expr, Expr::Load(_)) => IntType::WIDE,
            _ => return otherwise,
        };
        match &typed.expr {
            Expr::Int(v) => Value::constant(*v),
            Expr::Load(_) if otherwise == Value::Lost => Value::Lost,
            Expr::Load(place) => self.load(place, values),
            Expr::Addr(place) => match self.address(place, values) {
                Some(p) => Value::Known(p, None),
                None => otherwise,
            },
            Expr::Func(f) => Value::constant(self.interpreter.layout.funcs[*f]),
            Expr::Neg(a) => self.horizon.binary(BinOp::Sub, Value::constant(0), at(a), ty),
            Expr::Not(a) => self.horizon.binary(BinOp::Sub, Value::constant(-1), at(a), ty),
            Expr::Binary(op, a, b) => self.horizon.binary(*op, at(a), at(b), ty),
            Expr::Compare(op, a, b) => known(self.horizon.compare(*op, at(a), at(b))),
            Expr::LogicAnd(a, b) => known(match self.horizon.truth(at(a)) {
                Some(true) => self.horizon.truth(at(b)),
                other => other,
            }),
            Expr::LogicOr(a, b) => known(match self.horizon.truth(at(a)) {
                Some(false) => self.horizon.truth(at(b)),
                other => other,
            }),
            Expr::LogicNot(a) => known(self.horizon.truth(at(a)).map(|t| !t)),
            Expr::Cond(c, a, b) => match self.horizon.truth(at(c)) {
                Some(truth) => at(if truth { a } else { b }),
                None => otherwise,
            },
            Expr::Cast(a) => match type_of(*a) {
                Some(from) => self.horizon.convert(at(a), from, ty),
                None => otherwise,
            },
            Expr::PtrAdd(p, i, scale) => {
                let sum = self.horizon.exact(at(p)).zip(self.horizon.exact(at(i)));
                let sum = sum.and_then(|(p, i)| p.checked_add(&i.checked_scale(i128::from(*scale))?));
                sum.map_or(otherwise, |p| Value::Known(p, None))
            }
            Expr::Float(_) | Expr::Math(..) | Expr::PtrSub(..) => otherwise,
        }
    }

    /// The address of a place.
    fn address(&mut self, place: &Place, values: &[(ExprId, Value)]) -> Option<Progression> {
        let cell = self.locate(place, Some(values))?.ok()?;
        (cell.region == Region::Memory).then(|| Progression::constant(cell.start))
    }
}

/// The value of an operand, which has been evaluated.
fn operand(values: &[(ExprId, Value)], e: ExprId) -> Value {
    match values.binary_search_by_key(&e, |v| v.0) {
        Ok(n) => values[n].1,
        Err(_) => Value::Lost,
    }
}
