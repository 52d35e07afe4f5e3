//! Nests of counting loops: how often they go round does not depend on what else they compute.
//!
//! Each loop of a nest has one counter, a variable whose address is not taken, which one instruction moves by a constant in every round, and which
//! the only condition that ends the loop compares with something that the nest does not change. Counters of inner loops start anew in each round
//! of the loop around them. So every loop ends, always after the same number of rounds. What else the nest writes are variables whose addresses
//! are not taken, too, so that it writes to nothing else.

use crate::c::hir::{
    Base, BinOp, BlockId, CmpOp, Expr, ExprId, FuncId, InstrKind, Place, Terminator, Unit, VarId,
};
use crate::c::layout::{Home, Layout, successors};
use crate::c::types::IntType;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Nests of more blocks are left alone.
const MOST_BLOCKS: usize = 400;
/// Loops in loops in loops.
const DEEPEST: usize = 8;

/// A variable plus a constant, computed in some types.
pub(super) struct Sum {
    pub variable: VarId,
    pub offset: i128,
    /// What has been added before the value is converted to a type. Where all of these hold the value, nothing wraps.
    types: Vec<(i128, IntType)>,
}

impl Sum {
    /// Does nothing wrap for values of the variable between two numbers?
    pub fn is_exact(&self, low: i128, high: i128) -> bool {
        self.types.iter().all(|(offset, ty)| {
            let (least, greatest) = ty.range();
            least <= low + offset && high + offset <= greatest
        })
    }
}

/// A comparison of the counter of a loop with what does not change.
pub(super) struct Condition {
    pub sum: Sum,
    pub op: CmpOp,
    /// Is the counter on the left?
    pub is_left: bool,
    pub bound: ExprId,
    /// The answer for which the loop goes on.
    pub goes_on: bool,
}

/// A loop of a nest.
pub(super) struct Loop {
    pub head: BlockId,
    pub condition: Condition,
    /// What the counter gets in each round.
    pub step: Sum,
    /// What the counter starts with in each round of the loop around this one.
    pub start: Option<ExprId>,
    pub inner: Vec<Loop>,
}

/// A nest and the variables that it writes besides the counters.
pub(super) struct Nest {
    pub outermost: Loop,
    pub others: Vec<VarId>,
}

/// The blocks of a loop, without its head.
type Body = BTreeSet<BlockId>;

/// An instruction that assigns a variable as a whole.
#[derive(Clone, Copy)]
struct Assignment {
    block: BlockId,
    value: ExprId,
}

struct Reader<'a> {
    unit: &'a Unit,
    func: FuncId,
    predecessors: FxHashMap<BlockId, Vec<BlockId>>,
    /// The assignments of each variable that the nest writes; none for what is written in another way.
    written: FxHashMap<VarId, Vec<Option<Assignment>>>,
}

/// The nest whose outermost loop has a head, to which the execution has come from a block of the loop.
pub(super) fn read(unit: &Unit, layout: &Layout, func: FuncId, head: BlockId, from: BlockId) -> Option<Nest> {
    let blocks = &unit.funcs[func].blocks;
    let mut predecessors: FxHashMap<BlockId, Vec<BlockId>> = FxHashMap::default();
    for (b, block) in blocks.iter_enumerated() {
        successors(&block.end).into_iter().for_each(|to| predecessors.entry(to).or_default().push(b));
    }
    let mut reader = Reader { unit, func, predecessors, written: FxHashMap::default() };
    let body = reader.body(head, from)?;
    for &b in std::iter::once(&head).chain(&body) {
        for instruction in &blocks[b].instrs {
            reader.note(layout, b, &instruction.kind)?;
        }
        if let Terminator::Branch(e, ..) | Terminator::Switch(e, ..) = &blocks[b].end {
            reader.is_plain([*e]).then_some(())?;
        }
    }
    let outermost = reader.inspect(head, &body, None, DEEPEST)?;
    let mut counters = FxHashSet::default();
    let mut loops = vec![&outermost];
    while let Some(l) = loops.pop() {
        // Each counter counts for one loop.
        counters.insert(l.step.variable).then_some(())?;
        loops.extend(&l.inner);
    }
    let mut others: Vec<VarId> = reader.written.keys().copied().filter(|v| !counters.contains(v)).collect();
    others.sort_unstable();
    Some(Nest { outermost, others })
}

impl Reader<'_> {
    fn successors(&self, b: BlockId) -> Vec<BlockId> {
        successors(&self.unit.funcs[self.func].blocks[b].end)
    }

    /// The blocks of the loop in which a block leads back to the head, if they can be left only from the head and entered only there.
    fn body(&self, head: BlockId, last: BlockId) -> Option<Body> {
        let mut body = Body::new();
        let mut work = vec![last];
        while let Some(b) = work.pop() {
            if b != head && body.insert(b) {
                (body.len() <= MOST_BLOCKS).then_some(())?;
                work.extend(self.predecessors.get(&b).into_iter().flatten());
            }
        }
        let is_inside = |b: &BlockId| *b == head || body.contains(b);
        // What ends the function has no successors, and no way back to the head.
        let stays = |b: &BlockId| self.successors(*b).iter().all(is_inside);
        let first = BlockId::new(0);
        (!body.contains(&first) && body.iter().all(stays)).then_some(body)
    }

    /// Notes what an instruction writes; `None` if it does anything else.
    fn note(&mut self, layout: &Layout, block: BlockId, kind: &InstrKind) -> Option<()> {
        let (place, value) = match kind {
            InstrKind::Assign(place, value) => (place, *value),
            InstrKind::Escape(_) => return Some(()),
            InstrKind::Fresh(v, None) => return (layout.vars[*v] == Home::Nowhere).then_some(()),
            _ => return None,
        };
        let Base::Var(v) = place.base else { return None };
        let is_simple = layout.vars[v] == Home::Nowhere
            && !self.unit.types.is_float(place.ty)
            && self.is_plain(place.operands().chain([value]));
        let assignment = self.is_whole(place).then_some(Assignment { block, value });
        self.written.entry(v).or_default().push(assignment);
        is_simple.then_some(())
    }

    /// Are the values of expressions integers and addresses, which are always known?
    fn is_plain(&self, roots: impl IntoIterator<Item = ExprId>) -> bool {
        let types = &self.unit.types;
        let is_plain = |e: &ExprId| {
            let typed = &self.unit.exprs[*e];
            !types.is_float(typed.ty) && !matches!(typed.expr, Expr::Math(..) | Expr::Float(_))
        };
        self.unit.post_order(roots).iter().all(is_plain)
    }

    /// Is a place a variable of an integer type?
    fn is_whole(&self, place: &Place) -> bool {
        let Base::Var(v) = place.base else { return false };
        place.offset == 0
            && place.dynamic.is_empty()
            && place.bits.is_none()
            && place.ty == self.unit.vars[v].ty
            && self.integer(place.ty).is_some()
    }

    fn integer(&self, ty: crate::c::types::TypeId) -> Option<IntType> {
        let found = self.unit.types.representation(ty)?;
        (found.rank > 0 && found.bits <= 64 && found.format().is_none()).then_some(found)
    }

    /// Reads a loop, whose parent, if it has one, has these blocks as its body.
    fn inspect(
        &self,
        head: BlockId,
        body: &Body,
        around: Option<(BlockId, &Body)>,
        depth: usize,
    ) -> Option<Loop> {
        let depth = depth.checked_sub(1)?;
        let inner = self.inner(head, body)?;
        let is_own = |b: &BlockId| !inner.iter().any(|(h, blocks)| h == b || blocks.contains(b));
        let Terminator::Branch(e, yes, no) = self.unit.funcs[self.func].blocks[head].end else { return None };
        let goes_on = body.contains(&yes);
        (goes_on != body.contains(&no)).then_some(())?;
        let condition = self.condition(e, goes_on)?;
        let counter = condition.sum.variable;
        let steps = |a: &&Option<Assignment>| a.is_none_or(|a| a.block == head || body.contains(&a.block));
        let (steps, starts): (Vec<_>, Vec<_>) = self.written.get(&counter)?.iter().partition(steps);
        let [Some(step)] = steps[..] else { return None };
        // Every round takes the step once.
        let is_once = step.block != head && is_own(&step.block);
        (is_once && self.is_on_way(head, body, step.block, head)).then_some(())?;
        let mut step = self.sum(step.value).filter(|sum| sum.variable == counter)?;
        step.types.push((step.offset, self.integer(self.unit.vars[counter].ty)?));
        let start = match (around, &starts[..]) {
            (None, []) => None,
            (Some((outer, blocks)), [Some(start)]) => {
                (start.block != outer && self.is_on_way(outer, blocks, start.block, head)).then_some(())?;
                self.is_steady(start.value).then_some(())?;
                Some(start.value)
            }
            _ => return None,
        };
        let mut loops = Vec::new();
        for (h, blocks) in &inner {
            self.is_on_way(head, body, *h, head).then_some(())?;
            loops.push(self.inspect(*h, blocks, Some((head, body)), depth)?);
        }
        Some(Loop { head, condition, step, start, inner: loops })
    }

    /// The loops that are in a loop and in no other one of it.
    fn inner(&self, head: BlockId, body: &Body) -> Option<Vec<(BlockId, Body)>> {
        let mut found: Vec<(BlockId, Body)> = Vec::new();
        let (mut open, mut seen) = (FxHashSet::default(), FxHashSet::default());
        let mut stack: Vec<(BlockId, Vec<BlockId>)> = vec![(head, self.successors(head))];
        open.insert(head);
        while let Some((b, left)) = stack.last_mut() {
            let b = *b;
            let Some(to) = left.pop() else {
                open.remove(&b);
                stack.pop();
                continue;
            };
            if to == head || !body.contains(&to) {
                continue;
            }
            if open.contains(&to) {
                let blocks = self.inner_body(to, b, head)?;
                match found.iter_mut().find(|(h, _)| *h == to) {
                    Some((_, all)) => all.extend(blocks),
                    None => found.push((to, blocks)),
                }
            } else if seen.insert(to) {
                open.insert(to);
                stack.push((to, self.successors(to)));
            }
        }
        let outer: Vec<(BlockId, Body)> = found
            .iter()
            .filter(|(h, _)| !found.iter().any(|(_, blocks)| blocks.contains(h)))
            .cloned()
            .collect();
        // Loops that have something in common without being in each other have several entries.
        let is_apart = |n: usize| {
            let (h, blocks) = &outer[n];
            outer[n + 1..].iter().all(|(other, more)| other != h && blocks.is_disjoint(more))
        };
        (0..outer.len()).all(is_apart).then_some(outer)
    }

    /// The blocks of a loop in a loop; `None` if the head of the outer one is among them. The inner one is left only from its head.
    fn inner_body(&self, head: BlockId, last: BlockId, outer: BlockId) -> Option<Body> {
        let body = self.body(head, last)?;
        (!body.contains(&outer)).then_some(body)
    }

    /// Does every way through the body of a loop, from its head to a block, pass some block?
    fn is_on_way(&self, head: BlockId, body: &Body, passed: BlockId, to: BlockId) -> bool {
        if passed == to {
            return true;
        }
        let mut seen = FxHashSet::default();
        let mut work = self.successors(head);
        while let Some(b) = work.pop() {
            if b == to {
                return false;
            }
            if b != passed && body.contains(&b) && seen.insert(b) {
                work.extend(self.successors(b));
            }
        }
        true
    }

    fn condition(&self, e: ExprId, goes_on: bool) -> Option<Condition> {
        let mut e = e;
        let mut goes_on = goes_on;
        let (op, a, b) = loop {
            match self.unit.exprs[e].expr {
                Expr::LogicNot(a) => (e, goes_on) = (a, !goes_on),
                Expr::Cast(a) if matches!(self.unit.exprs[a].expr, Expr::Compare(..)) => e = a,
                Expr::Compare(op, a, b) => break (op, a, b),
                _ => return None,
            }
        };
        let steady = (self.is_steady(a), self.is_steady(b));
        let (sum, is_left, bound) = match steady {
            (false, true) => (self.sum(a)?, true, b),
            (true, false) => (self.sum(b)?, false, a),
            _ => return None,
        };
        Some(Condition { sum, op, is_left, bound, goes_on })
    }

    /// Does the nest leave what an expression depends on as it is?
    fn is_steady(&self, e: ExprId) -> bool {
        self.unit.post_order([e]).iter().all(|&e| match &self.unit.exprs[e].expr {
            Expr::Load(place) => match place.base {
                Base::Var(v) => {
                    self.is_whole(place) && !self.written.contains_key(&v) && !self.unit.vars[v].address_taken
                }
                Base::Deref(_) => false,
            },
            _ => true,
        })
    }

    /// An expression as a variable plus a constant.
    fn sum(&self, e: ExprId) -> Option<Sum> {
        // From the outside to the variable: what is added, and the types of the results.
        let mut parts: Vec<(i128, IntType)> = Vec::new();
        let mut e = e;
        let variable = loop {
            let ty = self.integer(self.unit.exprs[e].ty)?;
            match &self.unit.exprs[e].expr {
                Expr::Load(place) if self.is_whole(place) => {
                    let Base::Var(v) = place.base else { return None };
                    break v;
                }
                Expr::Cast(a) => {
                    parts.push((0, ty));
                    e = *a;
                }
                Expr::Binary(BinOp::Add, a, b) => {
                    let (a, n) = match (self.unit.as_int(*a), self.unit.as_int(*b)) {
                        (None, Some(n)) => (*a, n),
                        (Some(n), None) => (*b, n),
                        _ => return None,
                    };
                    parts.push((n, ty));
                    e = a;
                }
                Expr::Binary(BinOp::Sub, a, b) => {
                    parts.push((-self.unit.as_int(*b)?, ty));
                    e = *a;
                }
                _ => return None,
            }
        };
        let mut offset: i128 = 0;
        let mut types = vec![(0, self.integer(self.unit.vars[variable].ty)?)];
        for (n, ty) in parts.into_iter().rev() {
            offset = offset.checked_add(n).filter(|o| o.unsigned_abs() < 1 << 64)?;
            types.push((offset, ty));
        }
        Some(Sum { variable, offset, types })
    }
}
