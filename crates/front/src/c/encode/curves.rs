//! Bounds on floating-point expressions in one variable, by interval arithmetic with subdivision.
//!
//! A polynomial in a single variable, computed in one expression or over several statements and calls of functions without
//! side effects, is a curve. Interval arithmetic in the arithmetic of the machine bounds it on a piece of the line: rounding
//! is monotone, so the ends of the intervals are what the machine computes. Pieces are cut in half as long as the curve
//! may cross a constant that the program compares with (Moore's subdivision), and neighbours that lie on the same side of all of
//! them become one fact: `low <= x <= high` implies `least <= r <= most`. The facts go along with the relation of the
//! last operation, so that a proof needs nothing that it would not find in the encoded program. What depends on no variable
//! has the value that the machine computes.

use crate::c::float::Format;
use crate::c::hir::{
    Base, BinOp, BlockId, Callee, Expr, ExprId, FuncId, Instr, InstrKind, Math, Place, Storage, Terminator,
    Unit, VarId,
};
use crate::c::layout::successors;
use bolide_base::IdVec;
use rustc_hash::{FxHashMap, FxHashSet};

/// How many pieces a curve is cut into at most, and how many operations are spent on all curves of a function.
const MOST_PIECES: usize = 3000;
const MOST_OPERATIONS: usize = 4_000_000;
/// How many operations all curves of a function have.
const MOST_NODES: usize = 20_000;
/// How many facts are kept of a curve.
const MOST_FACTS: usize = 48;
/// How deep calls are followed.
const MOST_CALLS: usize = 4;

/// While the variable lies in one interval, the result lies in the other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Fact {
    pub low: f64,
    pub high: f64,
    pub least: f64,
    pub most: f64,
}

/// What is known about an expression at some point.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Curve {
    /// It has this value.
    Constant(f64),
    /// It depends on a variable, and has bounds.
    Of(VarId, Vec<Fact>),
}

/// A point of a function: a block and the number of an instruction in it, the number of instructions for its end.
pub(super) type Point = (BlockId, usize);

/// The curves of a function, by point and expression.
pub(super) type Curves = FxHashMap<(Point, ExprId), Curve>;

#[derive(Clone, Copy, Debug)]
enum Node {
    Leaf,
    Constant(f64),
    Negated(u32),
    Operation(BinOp, Format, u32, u32),
    Rounded(Format, u32),
    Function(Math, Format, u32, u32),
}

/// A value that depends on one variable at most, and how often it does.
#[derive(Clone, Copy, Debug)]
struct Tree {
    node: u32,
    leaf: Option<VarId>,
    uses: usize,
}

/// A piece of the line, and where the curve lies there if that is finite.
type Piece = (f64, f64, Option<(f64, f64)>);

/// What variables are in terms of the current values of others.
type Known = FxHashMap<VarId, Tree>;

struct Analysis<'a> {
    unit: &'a Unit,
    nodes: Vec<Node>,
    /// The constants that something is compared with, in order: where pieces start and where curves should not cross.
    marks: &'a [f64],
    operations: usize,
    curves: Curves,
}

/// Finds the curves of a function of a program with these marks.
pub(super) fn curves(unit: &Unit, f: FuncId, marks: &[f64]) -> Curves {
    let mut analysis = Analysis { unit, nodes: Vec::new(), marks, operations: 0, curves: Curves::default() };
    analysis.function(f);
    analysis.curves
}

/// The constants that a variable is compared with, and the same with the other sign; nothing if the program has no
/// floating values.
pub(super) fn marks(unit: &Unit) -> Option<Vec<f64>> {
    if !unit.exprs.iter().any(|e| unit.types.format(e.ty).is_some()) {
        return None;
    }
    let without_cast = |mut e: ExprId| {
        while let Expr::Cast(a) = unit.exprs[e].expr {
            e = a;
        }
        e
    };
    let constant = |e: ExprId| match unit.exprs[without_cast(e)].expr {
        Expr::Float(v) if v.is_finite() => Some(v),
        _ => None,
    };
    let is_load = |e: ExprId| matches!(unit.exprs[without_cast(e)].expr, Expr::Load(_));
    let mut marks: Vec<f64> = Vec::new();
    for e in &unit.exprs {
        if let Expr::Compare(_, a, b) = e.expr {
            let found = constant(a).filter(|_| is_load(b)).or(constant(b).filter(|_| is_load(a)));
            marks.extend(found.into_iter().flat_map(|v| [v.abs(), -v.abs()]));
        }
    }
    marks.sort_unstable_by(f64::total_cmp);
    marks.dedup_by(|a, b| a == b);
    Some(marks)
}

impl<'a> Analysis<'a> {
    fn function(&mut self, f: FuncId) {
        let blocks = &self.unit.funcs[f].blocks;
        let first = BlockId::new(0);
        // How many edges lead to a block from blocks that can be reached.
        let mut ways: IdVec<BlockId, usize> = blocks.iter().map(|_| 0).collect();
        ways[first] = 1;
        let mut reached = vec![first];
        while let Some(b) = reached.pop() {
            for s in successors(&blocks[b].end) {
                ways[s] += 1;
                if ways[s] == 1 {
                    reached.push(s);
                }
            }
        }
        let mut seen = FxHashSet::from_iter([first]);
        let mut work = vec![(first, Known::default())];
        while let Some((b, mut known)) = work.pop() {
            let block = &blocks[b];
            for (n, i) in block.instrs.iter().enumerate() {
                for e in i.kind.operands() {
                    self.examine(&known, (b, n), e);
                }
                self.instruction(&mut known, i, f, 0);
            }
            if let Terminator::Branch(e, ..) | Terminator::Return(Some(e)) = &block.end {
                self.examine(&known, (b, block.instrs.len()), *e);
            }
            for s in successors(&block.end) {
                if seen.insert(s) {
                    // Where ways meet, nothing is known.
                    work.push((s, if ways[s] == 1 { known.clone() } else { Known::default() }));
                }
            }
        }
    }

    /// The effect of an instruction of a function on what is known.
    fn instruction(&mut self, known: &mut Known, i: &Instr, f: FuncId, depth: usize) {
        let assigned = match &i.kind {
            InstrKind::Assign(place, e) => self.plain(place).map(|v| (v, self.tree(known, *e))),
            InstrKind::Call(dst, callee, args) => {
                let unit = self.unit;
                known.retain(|_, t| t.leaf.is_none_or(|v| unit.vars[v].storage != Storage::Static));
                dst.as_ref().and_then(|p| self.plain(p)).map(|v| {
                    let result = match callee {
                        Callee::Direct(g) => self.call(known, *g, args, depth),
                        Callee::Indirect(..) => None,
                    };
                    (v, result)
                })
            }
            InstrKind::Input(place, _) => self.plain(place).map(|v| (v, None)),
            InstrKind::Fresh(v, _) | InstrKind::Zero(v) => Some((*v, None)),
            _ => None,
        };
        let Some((v, tree)) = assigned else { return };
        known.remove(&v);
        known.retain(|_, t| t.leaf != Some(v));
        let is_local = self.unit.vars[v].storage == Storage::Auto(f);
        if let Some(tree) = tree.filter(|t| is_local && t.leaf != Some(v)) {
            known.insert(v, tree);
        }
    }

    /// The floating variable that a place is the whole of, if nobody takes its address.
    fn plain(&self, place: &Place) -> Option<VarId> {
        match place.base {
            Base::Var(v) => {
                let var = &self.unit.vars[v];
                let is_plain = !var.address_taken && place.dynamic.is_empty() && var.ty == place.ty;
                (is_plain && self.unit.types.format(var.ty).is_some()).then_some(v)
            }
            Base::Deref(_) => None,
        }
    }

    /// The result of a function that only computes.
    fn call(&mut self, known: &Known, g: FuncId, args: &[ExprId], depth: usize) -> Option<Tree> {
        let func = &self.unit.funcs[g];
        let block = func.blocks.get(BlockId::new(0))?;
        let Terminator::Return(Some(result)) = block.end else { return None };
        let computes = |i: &Instr| match &i.kind {
            InstrKind::Assign(place, _) => {
                self.plain(place).is_some_and(|v| self.unit.vars[v].storage == Storage::Auto(g))
            }
            InstrKind::Fresh(_, None) => true,
            InstrKind::Call(Some(place), Callee::Direct(_), _) => self.plain(place).is_some(),
            _ => false,
        };
        if depth == MOST_CALLS || !block.instrs.iter().all(computes) {
            return None;
        }
        let mut inner = Known::default();
        for (&p, &a) in func.params.iter().zip(args) {
            inner.extend(self.tree(known, a).map(|t| (p, t)));
        }
        for i in &block.instrs {
            // A call that has side effects could change what the arguments were made from.
            if let InstrKind::Call(_, Callee::Direct(h), args) = &i.kind {
                self.call(&inner, *h, args, depth + 1)?;
            }
            self.instruction(&mut inner, i, g, depth + 1);
        }
        let tree = self.tree(&inner, result)?;
        // The variables of the function itself are gone.
        tree.leaf.is_none_or(|v| self.unit.vars[v].storage != Storage::Auto(g)).then_some(tree)
    }

    fn push(&mut self, node: Node) -> Option<u32> {
        (self.nodes.len() < MOST_NODES).then(|| {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        })
    }

    /// An expression as a function of one variable.
    fn tree(&mut self, known: &Known, e: ExprId) -> Option<Tree> {
        self.trees(known, e).remove(&e)
    }

    /// The same for all parts of an expression.
    fn trees(&mut self, known: &Known, e: ExprId) -> FxHashMap<ExprId, Tree> {
        let mut trees: FxHashMap<ExprId, Tree> = FxHashMap::default();
        for sub in self.unit.post_order([e]) {
            if let Some(t) = self.subtree(known, &trees, sub) {
                trees.insert(sub, t);
            }
        }
        trees
    }

    fn subtree(&mut self, known: &Known, trees: &FxHashMap<ExprId, Tree>, e: ExprId) -> Option<Tree> {
        let typed = &self.unit.exprs[e];
        let format = self.unit.types.format(typed.ty)?;
        let both = |a: &ExprId, b: &ExprId| {
            let (x, y) = (*trees.get(a)?, *trees.get(b)?);
            let leaf = match (x.leaf, y.leaf) {
                (Some(v), Some(w)) if v != w => return None,
                (v, w) => v.or(w),
            };
            Some((x.node, y.node, leaf, x.uses.saturating_add(y.uses)))
        };
        let (node, leaf, uses) = match &typed.expr {
            Expr::Float(v) => (Node::Constant(*v), None, 0),
            Expr::Load(place) => {
                let v = self.plain(place)?;
                if let Some(t) = known.get(&v) {
                    return Some(*t);
                }
                (Node::Leaf, Some(v), 1)
            }
            Expr::Neg(a) => {
                let t = trees.get(a)?;
                (Node::Negated(t.node), t.leaf, t.uses)
            }
            Expr::Cast(a) => {
                let t = trees.get(a)?;
                (Node::Rounded(format, t.node), t.leaf, t.uses)
            }
            Expr::Binary(op, a, b) => {
                let (x, y, leaf, uses) = both(a, b)?;
                (Node::Operation(*op, format, x, y), leaf, uses)
            }
            Expr::Math(function, a, b) => {
                let (x, y, leaf, uses) = both(a, b)?;
                let uses = if function.is_binary() { uses } else { uses / 2 };
                (Node::Function(*function, format, x, y), leaf, uses)
            }
            _ => return None,
        };
        Some(Tree { node: self.push(node)?, leaf, uses })
    }

    /// Finds the bounds of the operations in an expression that are no operands of others.
    fn examine(&mut self, known: &Known, at: Point, e: ExprId) {
        let unit = self.unit;
        let order = unit.post_order([e]);
        let is_operation = |e: ExprId| {
            matches!(unit.exprs[e].expr, Expr::Binary(..)) && unit.types.format(unit.exprs[e].ty).is_some()
        };
        let mut inner: FxHashSet<ExprId> = FxHashSet::default();
        for &sub in order.iter().rev() {
            let is_float = unit.types.format(unit.exprs[sub].ty).is_some();
            if is_float && (is_operation(sub) || inner.contains(&sub)) {
                inner.extend(unit.exprs[sub].expr.operands());
            }
        }
        let trees = self.trees(known, e);
        for &sub in &order {
            let Some(tree) = trees.get(&sub) else { continue };
            match tree.leaf {
                None => {
                    if let Some(value) = self.constant(tree.node) {
                        self.curves.insert((at, sub), Curve::Constant(value));
                    }
                }
                // A variable that occurs once is in the relations of the operations.
                Some(var) if tree.uses >= 2 && is_operation(sub) && !inner.contains(&sub) => {
                    let facts = self.facts(tree.node, self.unit.types.format(self.unit.vars[var].ty));
                    if !facts.is_empty() {
                        self.curves.insert((at, sub), Curve::Of(var, facts));
                    }
                }
                Some(_) => {}
            }
        }
    }

    /// The value of a node without a variable; nothing if it is not specified.
    fn constant(&mut self, root: u32) -> Option<f64> {
        let order = self.reachable(root);
        self.operations += order.len();
        let mut values: FxHashMap<u32, f64> = FxHashMap::default();
        for &n in &order {
            let value = match self.nodes[n as usize] {
                Node::Leaf => return None,
                Node::Constant(c) => c,
                Node::Negated(a) => -values[&a],
                Node::Rounded(format, a) => format.round(values[&a]),
                Node::Operation(op, format, a, b) => machine(op, format, values[&a], values[&b])?,
                Node::Function(function, format, a, b) => {
                    let (x, y) = (format.pattern(values[&a]), format.pattern(values[&b]));
                    format.value(format.call(function, x, y).ok()?)
                }
            };
            values.insert(n, value);
        }
        values.get(&root).copied()
    }

    /// The bounds of a curve on the pieces between the marks.
    fn facts(&mut self, root: u32, format: Option<Format>) -> Vec<Fact> {
        let Some(format) = format else { return Vec::new() };
        let order = self.reachable(root);
        let mut ends: Vec<f64> =
            self.marks.iter().map(|&m| format.round(m)).filter(|m| m.is_finite()).collect();
        ends.dedup_by(|a, b| a == b);
        let mut queue: std::collections::VecDeque<(f64, f64)> =
            ends.windows(2).map(|w| (w[0], w[1])).collect();
        let mut pieces: Vec<Piece> = Vec::new();
        while let Some((low, high)) = queue.pop_front() {
            let image = self.image(&order, low, high);
            let is_clear = image.is_some_and(|i| self.is_clear(i));
            let middle = format.round(low + (high - low) / 2.0);
            let is_spent = pieces.len() + queue.len() >= MOST_PIECES || self.operations > MOST_OPERATIONS;
            if is_clear || is_spent || middle <= low || middle >= high {
                pieces.push((low, high, image));
            } else {
                queue.extend([(low, middle), (middle, high)]);
            }
        }
        pieces.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        self.joined(pieces)
    }

    /// Does an interval contain no mark?
    fn is_clear(&self, (least, most): (f64, f64)) -> bool {
        self.side(least, most).is_some()
    }

    /// How many marks are below an interval; nothing if it contains one.
    fn side(&self, least: f64, most: f64) -> Option<usize> {
        let below = self.marks.partition_point(|&m| m < least);
        (self.marks.get(below).is_none_or(|&m| m > most)).then_some(below)
    }

    /// Neighbours on the same side of all marks as one fact.
    fn joined(&self, pieces: Vec<Piece>) -> Vec<Fact> {
        let mut facts: Vec<(Fact, Option<usize>)> = Vec::new();
        for (low, high, image) in pieces {
            let Some((least, most)) = image else { continue };
            let side = self.side(least, most);
            match facts.last_mut() {
                Some((last, of)) if *of == side && last.high == low => {
                    last.high = high;
                    (last.least, last.most) = (last.least.min(least), last.most.max(most));
                }
                _ => facts.push((Fact { low, high, least, most }, side)),
            }
        }
        facts.truncate(MOST_FACTS);
        facts.into_iter().map(|f| f.0).collect()
    }

    /// The nodes that a node depends on, operands first.
    fn reachable(&self, root: u32) -> Vec<u32> {
        let mut seen = FxHashSet::from_iter([root]);
        let mut order = vec![root];
        let mut at = 0;
        while let Some(&n) = order.get(at) {
            at += 1;
            let operands = match self.nodes[n as usize] {
                Node::Leaf | Node::Constant(_) => [None, None],
                Node::Negated(a) | Node::Rounded(_, a) => [Some(a), None],
                Node::Operation(_, _, a, b) | Node::Function(_, _, a, b) => [Some(a), Some(b)],
            };
            order.extend(operands.into_iter().flatten().filter(|&o| seen.insert(o)));
        }
        order.sort_unstable();
        order
    }

    /// The values of the last of some nodes while the variable is in an interval; nothing if they are not all finite.
    fn image(&mut self, order: &[u32], low: f64, high: f64) -> Option<(f64, f64)> {
        self.operations += order.len();
        let mut values: FxHashMap<u32, (f64, f64)> = FxHashMap::default();
        let mut last = None;
        for &n in order {
            let value = match self.nodes[n as usize] {
                Node::Leaf => (low, high),
                Node::Constant(c) => (c, c),
                Node::Negated(a) => (-values[&a].1, -values[&a].0),
                Node::Rounded(format, a) => (format.round(values[&a].0), format.round(values[&a].1)),
                Node::Operation(BinOp::Mul, format, a, b) if a == b => square(format, values[&a])?,
                Node::Operation(op, format, a, b) => operate(op, format, values[&a], values[&b])?,
                Node::Function(function, format, a, b) => {
                    let (x, y) = (values[&a], values[&b]);
                    apply(function, format, x, y)?
                }
            };
            if !value.0.is_finite() || !value.1.is_finite() {
                return None;
            }
            values.insert(n, value);
            last = Some(value);
        }
        last
    }
}

fn machine(op: BinOp, format: Format, x: f64, y: f64) -> Option<f64> {
    format.operate(op, format.pattern(x), format.pattern(y)).map(|p| format.value(p))
}

/// The results of an operator on intervals: what the machine computes at their corners.
fn operate(op: BinOp, format: Format, x: (f64, f64), y: (f64, f64)) -> Option<(f64, f64)> {
    if op == BinOp::Div && y.0 <= 0.0 && y.1 >= 0.0 {
        return None;
    }
    let mut out: Option<(f64, f64)> = None;
    for a in [x.0, x.1] {
        for b in [y.0, y.1] {
            let v = machine(op, format, a, b)?;
            if v.is_nan() {
                return None;
            }
            out = Some(out.map_or((v, v), |(least, most)| (least.min(v), most.max(v))));
        }
    }
    out
}

/// A number times itself.
fn square(format: Format, x: (f64, f64)) -> Option<(f64, f64)> {
    let (a, b) = (machine(BinOp::Mul, format, x.0, x.0)?, machine(BinOp::Mul, format, x.1, x.1)?);
    let least = if x.0 <= 0.0 && x.1 >= 0.0 { 0.0 } else { a.min(b) };
    Some((least, a.max(b)))
}

/// The results of a function that does not decrease in any operand, or of `fabs`; nothing for others.
fn apply(function: Math, format: Format, x: (f64, f64), y: (f64, f64)) -> Option<(f64, f64)> {
    use Math::{Abs, Ceil, Floor, Max, Min, Rint, Round, Sqrt, Trunc};
    match function {
        Sqrt if x.0 < 0.0 => return None,
        Abs if x.0 < 0.0 && x.1 > 0.0 => return Some((0.0, x.1.max(-x.0))),
        Abs if x.1 <= 0.0 => return Some((-x.1, -x.0)),
        Abs | Sqrt | Floor | Ceil | Trunc | Round | Rint | Min | Max => {}
        _ => return None,
    }
    let at = |a: f64, b: f64| match function {
        Min => Some(a.min(b)),
        Max => Some(a.max(b)),
        _ => format.call(function, format.pattern(a), 0).ok().map(|p| format.value(p)),
    };
    Some((at(x.0, y.0)?, at(x.1, y.1)?))
}

#[cfg(test)]
mod tests;
