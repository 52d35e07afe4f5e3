//! Guards: every access of the typed program gets a check in front of it, where the safety of memory is asked for.
//!
//! This pass goes over the finished program, so that nothing the lowering does escapes it: each scalar that an
//! instruction reads or writes, each record that is copied, each stretch that a library function sets or copies, each
//! call through a pointer. What is read only under a condition (the right side of `&&`, a branch of `?:`) is checked
//! under that condition. Accesses to variables at constant offsets inside of them need no check.

use super::Properties;
use super::assigned::assigned;
use super::hir::{
    Base, Block, BlockId, Callee, CmpOp, Ending, Expr, ExprId, FuncId, Guard, Instr, InstrKind, Lifetime,
    Place, Storage, Terminator, TypedExpr, Unit, VarId,
};
use super::layout::{cyclic_blocks, successors};
use super::syntax::source::Issue;
use bolide_base::Id;
use bolide_model::{Property, PropertyId, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// The property of accesses that leave the object of their pointer.
pub(super) const BEYOND: &str = "access out of bounds";

/// Adds the checks that the properties ask for.
pub(super) fn guard(unit: &mut Unit, wanted: &Properties) {
    if !wanted.guard_memory() {
        return;
    }
    let has_constants = unit.vars.iter().any(|v| v.is_constant && v.address_taken);
    let used = used_results(unit);
    for f in unit.funcs.ids() {
        let cyclic = cyclic_blocks(unit, f);
        for b in (0..unit.funcs[f].blocks.len()).map(BlockId::from_index) {
            stop_frame_in_loop(unit, f, b, cyclic[b]);
        }
        let count = unit.funcs[f].blocks.len();
        let assigned = wanted.uninit.then(|| assigned(unit, f));
        for b in (0..count).map(BlockId::from_index) {
            let instrs = std::mem::take(&mut unit.funcs[f].blocks[b].instrs);
            let mut guards = Guards {
                unit,
                wanted,
                func: f,
                has_constants,
                is_ignored: !used.contains(&f),
                assigned: None,
                out: Vec::with_capacity(instrs.len()),
            };
            guards.assigned = assigned.as_ref().map(|a| a[b].clone().unwrap_or_default());
            let mut instrs = instrs.into_iter().peekable();
            while let Some(i) = instrs.next() {
                guards.instruction(&i);
                if let Some(assigned) = &mut guards.assigned {
                    super::assigned::execute(guards.unit, &i.kind, assigned);
                }
                let span = i.span;
                let made = match &i.kind {
                    InstrKind::Alloc(place, size, _) => Some((place.clone(), *size)),
                    _ => None,
                };
                guards.out.push(i);
                let is_noted = |i: &Instr| matches!(i.kind, InstrKind::Guard(Guard::New(..)));
                if let Some((place, size)) = made.filter(|_| !instrs.peek().is_some_and(is_noted)) {
                    // What the system or a caller outside of the program has made.
                    guards.push(Guard::New(place, size, Lifetime::Program), span);
                }
            }
            guards.end(b);
            let out = std::mem::take(&mut guards.out);
            unit.funcs[f].blocks[b].instrs = out;
        }
    }
    guard_end(unit, wanted);
}

/// How many objects `alloca` has made in a loop is not known when the function returns. The first of them is; an
/// execution that makes a second one is not followed.
fn stop_frame_in_loop(unit: &mut Unit, f: FuncId, b: BlockId, is_cyclic: bool) {
    if !is_cyclic || f == unit.entry {
        return;
    }
    let made = |i: &Instr| match &i.kind {
        InstrKind::Guard(Guard::New(p, _, Lifetime::Scope)) if is_temporary(unit, p) => Some(p.clone()),
        _ => None,
    };
    let block = &unit.funcs[f].blocks[b];
    let Some(at) = block.instrs.iter().position(|i| made(i).is_some()) else { return };
    let (span, end) = (block.instrs[at].span, block.span);
    let Some(place) = made(&block.instrs[at]) else { return };
    let makes = |i: &Instr| matches!(&i.kind, InstrKind::Alloc(p, ..) if p.base == place.base);
    let at = block.instrs[..at].iter().rposition(makes).unwrap_or(at);
    let message = "unsupported: a second 'alloca' in a loop of a function that returns, where the safety of memory is checked";
    let issue = Issue { span, message: message.into() };
    let property = unit.properties.push(Property { name: message.into(), span });
    unit.unsupported.push((property, issue));
    let ty = place.ty;
    let pointer = unit.exprs.push(TypedExpr { expr: Expr::Load(place), ty, span });
    let block = &mut unit.funcs[f].blocks[b];
    let rest = Block { instrs: block.instrs.split_off(at), end: block.end.clone(), span: end };
    let stop = Block { instrs: Vec::new(), end: Terminator::Error(property), span };
    let rest = unit.funcs[f].blocks.push(rest);
    let stop = unit.funcs[f].blocks.push(stop);
    unit.funcs[f].blocks[b].end = Terminator::Branch(pointer, stop, rest);
}

/// Is the place a variable of the lowering, as the result of `alloca` is?
fn is_temporary(unit: &Unit, place: &Place) -> bool {
    matches!(place.base, Base::Var(v) if unit.vars[v].name.ends_with("$tmp"))
}

/// What is left when the program ends.
fn guard_end(unit: &mut Unit, wanted: &Properties) {
    let f = unit.entry;
    let calls_entry = |i: &Instr| matches!(&i.kind, InstrKind::Call(_, Callee::Direct(g), _) if *g == f);
    let is_called = unit.funcs.iter().flat_map(|g| &g.blocks).flat_map(|b| &b.instrs).any(calls_entry);
    // The function in front of an entry that is called once more has no other end than its last block.
    let is_wrapper = unit.funcs[f].name.starts_with("start of ");
    let reached = reachable_blocks(unit, f);
    let ends: Vec<BlockId> = unit.funcs[f]
        .blocks
        .iter_enumerated()
        .filter(|(_, b)| {
            matches!(b.end, Terminator::Return(_)) || is_wrapper && matches!(b.end, Terminator::Halt)
        })
        .map(|(b, _)| b)
        .filter(|b| reached.contains(b))
        .collect();
    for b in ends {
        // Nobody is left to use what the entry function owns.
        let instrs = &mut unit.funcs[f].blocks[b].instrs;
        while !is_called
            && matches!(instrs.last(), Some(i) if matches!(i.kind, InstrKind::Guard(Guard::Kill(_))))
        {
            instrs.pop();
        }
        let span = unit.funcs[f].blocks[b].span;
        for (is_wanted, what, ending) in [
            (wanted.leak, "memory leak", Ending::Return),
            (wanted.cleanup, "memory that is not freed", Ending::Clean),
        ] {
            if is_wanted && is_called {
                let message = "unsupported: the end of a program whose entry function is called, where leaks are checked";
                unit.refused.push((f, Issue { span, message: message.into() }));
            } else if is_wanted {
                let property = property(unit, f, what, span);
                let kind = InstrKind::Guard(Guard::Leak(property, ending));
                unit.funcs[f].blocks[b].instrs.push(Instr { kind, span });
            }
        }
    }
}

/// The functions whose results are used by calls, or may be by calls through pointers.
fn used_results(unit: &Unit) -> FxHashSet<FuncId> {
    let blocks = || unit.funcs.iter().flat_map(|f| &f.blocks);
    let ends = blocks().filter_map(|b| match b.end {
        Terminator::Branch(e, ..) | Terminator::Switch(e, ..) | Terminator::Return(Some(e)) => Some(e),
        _ => None,
    });
    let roots = blocks().flat_map(|b| &b.instrs).flat_map(|i| i.kind.operands()).chain(ends);
    let mut read: FxHashSet<VarId> = FxHashSet::default();
    for e in unit.post_order(roots) {
        if let Expr::Load(p) | Expr::Addr(p) = &unit.exprs[e].expr
            && let Base::Var(v) = p.base
        {
            read.insert(v);
        }
    }
    let used = |i: &Instr| match &i.kind {
        InstrKind::Call(Some(p), Callee::Direct(f), _) => {
            let is_read = !matches!(p.base, Base::Var(v) if !read.contains(&v));
            is_read.then_some(*f)
        }
        _ => None,
    };
    let mut out: FxHashSet<FuncId> = blocks().flat_map(|b| &b.instrs).filter_map(used).collect();
    out.extend(unit.funcs.ids().filter(|&f| unit.funcs[f].address_taken || f == unit.entry));
    out
}

/// The blocks of a function that its first block leads to.
fn reachable_blocks(unit: &Unit, f: FuncId) -> FxHashSet<BlockId> {
    let mut work: Vec<BlockId> = unit.funcs[f].blocks.ids().take(1).collect();
    let mut seen = FxHashSet::default();
    while let Some(b) = work.pop() {
        if seen.insert(b) {
            work.extend(successors(&unit.funcs[f].blocks[b].end));
        }
    }
    seen
}

fn property(unit: &mut Unit, f: FuncId, what: &str, span: Span) -> PropertyId {
    let name = format!("{what} in {}", unit.funcs[f].name);
    unit.properties.push(Property { name, span })
}

struct Guards<'a> {
    unit: &'a mut Unit,
    wanted: &'a Properties,
    func: FuncId,
    /// Are there objects that must not be changed, and that pointers lead to?
    has_constants: bool,
    /// Does no call use the result of the function?
    is_ignored: bool,
    /// The variables that have been assigned, where that matters.
    assigned: Option<FxHashSet<VarId>>,
    out: Vec<Instr>,
}

impl Guards<'_> {
    fn push(&mut self, guard: Guard, span: Span) {
        self.out.push(Instr { kind: InstrKind::Guard(guard), span });
    }

    fn property(&mut self, what: &str, span: Span) -> PropertyId {
        property(self.unit, self.func, what, span)
    }

    fn instruction(&mut self, i: &Instr) {
        self.reads(&i.kind.operands());
        match &i.kind {
            InstrKind::Assign(p, _) | InstrKind::Input(p, _) | InstrKind::Alloc(p, _, _) => {
                self.write(p, i.span);
            }
            InstrKind::Copy(to, from) => {
                self.access(from, "invalid read", i.span);
                self.write(to, i.span);
            }
            InstrKind::Call(to, callee, _) => {
                if let Callee::Indirect(e, ..) = callee
                    && self.wanted.deref
                {
                    let property = self.property("call through an invalid function pointer", i.span);
                    self.push(Guard::Callee(*e, property), i.span);
                }
                if let Some(p) = to {
                    self.write(p, i.span);
                }
            }
            InstrKind::Fill(p, _, n) => self.write_range(*p, *n, i.span),
            InstrKind::Move(to, from, n) => {
                self.range(*from, *n, "invalid read", i.span);
                self.write_range(*to, *n, i.span);
            }
            InstrKind::Fresh(..)
            | InstrKind::Zero(_)
            | InstrKind::Assume(_)
            | InstrKind::Escape(_)
            | InstrKind::Guard(_) => {}
        }
    }

    fn end(&mut self, b: BlockId) {
        if let Terminator::Branch(e, ..) | Terminator::Switch(e, ..) | Terminator::Return(Some(e)) =
            self.unit.funcs[self.func].blocks[b].end
        {
            let is_missing = matches!(&self.unit.exprs[e].expr, Expr::Load(p) if is_temporary(self.unit, p));
            // The value that is missing where a function just ends is used by its callers, if anywhere.
            if !is_missing || !self.is_ignored {
                self.reads(&[e]);
            }
        }
    }

    /// Can an access leave its object?
    fn can_fail(&self, place: &Place) -> bool {
        // Indices of arrays that are variables are checked by the lowering.
        if !self.wanted.deref && (!self.wanted.bounds || matches!(place.base, Base::Var(_))) {
            return false;
        }
        if self.unit.types.size_of(place.ty).is_none() {
            return true;
        }
        let (offset, size) = place.bytes(&self.unit.types);
        let Base::Var(v) = place.base else { return size > 0 };
        let whole = self.unit.types.size_of(self.unit.vars[v].ty);
        let end = u64::try_from(offset).ok().and_then(|o| o.checked_add(size));
        !place.dynamic.is_empty() || end.zip(whole).is_none_or(|(end, whole)| end > whole)
    }

    fn access(&mut self, place: &Place, what: &str, span: Span) {
        self.aligned(place, None, span);
        if self.can_fail(place) {
            self.place(place.clone(), None, what, span);
        }
    }

    fn write(&mut self, place: &Place, span: Span) {
        self.aligned(place, None, span);
        if let Base::Var(v) = place.base
            && self.unit.vars[v].is_constant
            && self.wanted.deref
        {
            let property = self.property("invalid write", span);
            self.push(Guard::Writable(place.clone(), None, property), span);
        }
        if self.can_fail(place) {
            let property = self.place(place.clone(), None, "invalid write", span);
            self.writable(place.clone(), None, property, span);
        }
    }

    /// A pointer through which something is accessed is aligned as what it leads to asks.
    fn aligned(&mut self, place: &Place, condition: Option<ExprId>, span: Span) {
        let Base::Deref(e) = place.base else { return };
        let types = &self.unit.types;
        let ty = types.pointee(self.unit.exprs[e].ty).unwrap_or(place.ty);
        let align = types.align_of(ty);
        if self.wanted.alignment && align > 1 {
            let property = self.property("misaligned access", span);
            self.push(Guard::Aligned(e, align, condition, property), span);
        }
    }

    /// What is written must not be constant.
    fn writable(&mut self, place: Place, condition: Option<ExprId>, property: PropertyId, span: Span) {
        if self.wanted.deref && self.has_constants && matches!(place.base, Base::Deref(_)) {
            self.push(Guard::Writable(place, condition, property), span);
        }
    }

    fn place(&mut self, place: Place, condition: Option<ExprId>, what: &str, span: Span) -> PropertyId {
        if self.wanted.deref {
            let property = self.property(what, span);
            self.push(Guard::Access(place, condition, property), span);
            property
        } else {
            let property = self.property(BEYOND, span);
            self.push(Guard::Inside(place, condition, property), span);
            property
        }
    }

    fn range(&mut self, p: ExprId, n: ExprId, what: &str, span: Span) -> Option<PropertyId> {
        let (property, guard) = if self.wanted.deref {
            let property = self.property(what, span);
            (property, Guard::Range(p, n, property))
        } else if self.wanted.bounds {
            let property = self.property(BEYOND, span);
            (property, Guard::RangeInside(p, n, property))
        } else {
            return None;
        };
        self.push(guard, span);
        Some(property)
    }

    fn write_range(&mut self, p: ExprId, n: ExprId, span: Span) {
        if let Some(property) = self.range(p, n, "invalid write", span) {
            let place = Place::deref(p, self.unit.types.char());
            self.writable(place, Some(n), property, span);
        }
    }

    /// Checks what some expressions read, operands first.
    fn reads(&mut self, roots: &[ExprId]) {
        let order = self.unit.post_order(roots.iter().copied());
        let is_checked = |e: &ExprId| match &self.unit.exprs[*e].expr {
            Expr::Load(p) => self.can_fail(p) || self.may_be_unset(p) || self.wanted.alignment,
            _ => self.wanted.pointer_arithmetic && self.is_arithmetic(*e),
        };
        let checked: Vec<ExprId> = order.iter().copied().filter(is_checked).collect();
        if checked.is_empty() {
            return;
        }
        // The condition of each expression; none if it is always evaluated.
        let mut when: FxHashMap<ExprId, Option<ExprId>> = roots.iter().map(|&r| (r, None)).collect();
        for &e in order.iter().rev() {
            let Some(&here) = when.get(&e) else { continue };
            let under = match self.unit.exprs[e].expr.clone() {
                Expr::LogicAnd(a, b) => vec![(a, here), (b, self.and(here, a))],
                Expr::LogicOr(a, b) => {
                    let not = self.not(a);
                    vec![(a, here), (b, self.and(here, not))]
                }
                Expr::Cond(c, a, b) => {
                    let not = self.not(c);
                    vec![(c, here), (a, self.and(here, c)), (b, self.and(here, not))]
                }
                other => other.operands().into_iter().map(|o| (o, here)).collect(),
            };
            for (operand, condition) in under {
                let new = match (when.get(&operand), condition) {
                    (None, c) => c,
                    (Some(None), _) | (_, None) => None,
                    (Some(Some(old)), Some(c)) => Some(self.make(Expr::LogicOr(*old, c))),
                };
                when.insert(operand, new);
            }
        }
        for e in checked {
            let typed = &self.unit.exprs[e];
            let span = typed.span;
            let condition = when.get(&e).copied().flatten();
            match typed.expr.clone() {
                Expr::Load(place) => {
                    self.aligned(&place, condition, span);
                    if self.can_fail(&place) {
                        self.place(place.clone(), condition, "invalid read", span);
                    }
                    if self.may_be_unset(&place) {
                        self.initialised(place, condition, span);
                    }
                }
                Expr::PtrSub(a, b, _) | Expr::Compare(_, a, b) => {
                    let property = self.property("pointers to different objects", span);
                    self.push(Guard::Related(a, b, condition, property), span);
                }
                _ => {
                    let property = self.property("pointer beyond its object", span);
                    self.push(Guard::Moved(e, condition, property), span);
                }
            }
        }
    }

    /// May the value of a place be used before it was set?
    fn may_be_unset(&self, place: &Place) -> bool {
        let Some(assigned) = &self.assigned else { return false };
        match place.base {
            Base::Deref(_) => true,
            Base::Var(v) => {
                let variable = &self.unit.vars[v];
                let is_local = matches!(variable.storage, Storage::Auto(_)) || variable.is_slot;
                is_local && (!assigned.contains(&v) || variable.address_taken)
            }
        }
    }

    fn initialised(&mut self, place: Place, condition: Option<ExprId>, span: Span) {
        if place.bits.is_some() {
            // Fields are not told apart from the units that hold them.
            let message = "unsupported: a bit-field, where the use of uninitialised values is checked";
            self.unit.refused.push((self.func, Issue { span, message: message.into() }));
            return;
        }
        let property = self.property("use of an uninitialised value", span);
        self.push(Guard::Initialised(place, condition, property), span);
    }

    /// Is this arithmetic on pointers, or an ordering of them?
    fn is_arithmetic(&self, e: ExprId) -> bool {
        let unit = &*self.unit;
        let is_pointer = |e: &ExprId| unit.types.pointee(unit.exprs[*e].ty).is_some();
        match &unit.exprs[e].expr {
            Expr::PtrAdd(p, ..) => is_pointer(p),
            Expr::Addr(place) => match place.base {
                Base::Deref(_) => !place.dynamic.is_empty(),
                Base::Var(v) => {
                    let whole = unit.types.size_of(unit.vars[v].ty);
                    let offset = u64::try_from(place.offset).ok();
                    !place.dynamic.is_empty() || whole.is_some() && (offset.is_none() || offset > whole)
                }
            },
            Expr::PtrSub(..) => true,
            Expr::Compare(CmpOp::Lt | CmpOp::Le, a, b) => is_pointer(a) && is_pointer(b),
            _ => false,
        }
    }

    fn make(&mut self, expr: Expr) -> ExprId {
        let (ty, span) = (self.unit.types.int(), Span::default());
        self.unit.exprs.push(TypedExpr { expr, ty, span })
    }

    fn not(&mut self, e: ExprId) -> ExprId {
        self.make(Expr::LogicNot(e))
    }

    fn and(&mut self, a: Option<ExprId>, b: ExprId) -> Option<ExprId> {
        Some(match a {
            None => b,
            Some(a) => self.make(Expr::LogicAnd(a, b)),
        })
    }
}
