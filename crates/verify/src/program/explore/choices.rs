//! The values that are worth a try for an input: those that the program compares it with, and some that it does not.

use super::super::values;
use bolide_base::IdVec;
use bolide_front::c::Task;
use bolide_front::c::hir::{
    Base, BinOp, Callee, CmpOp, Expr, ExprId, InstrKind, Place, Terminator, Unit, VarId,
};
use bolide_model::InputId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// So many values are tried for an input.
const MOST: usize = 24;
/// If the program does not come to many states with these, they are tried next to all of the small numbers.
const SMALL: std::ops::RangeInclusive<i128> = -32..=1_000;

/// The values to be tried for each input.
pub struct Choices {
    values: IdVec<InputId, Vec<i128>>,
}

impl Choices {
    /// Looks at what a program does with its inputs.
    pub fn new(task: &Task) -> Choices {
        Choices::with(task, &[], MOST)
    }

    /// The same, and all small numbers.
    pub fn wide(task: &Task) -> Choices {
        Choices::with(task, &Vec::from_iter(SMALL), MOST + SMALL.count())
    }

    fn with(task: &Task, more: &[i128], most: usize) -> Choices {
        let compared = compared(&task.unit);
        let of = |site: InputId| {
            let range = task.program.inputs[site].range;
            let mut constants = compared.get(&site).cloned().unwrap_or_default();
            constants.extend(more);
            match values::format(task, site) {
                Some(_) => vec![0],
                None => choose(constants, range, most),
            }
        };
        Choices { values: task.program.inputs.ids().map(of).collect() }
    }

    /// The values for an input, each once.
    pub fn of(&self, site: InputId) -> &[i128] {
        &self.values[site]
    }
}

/// The constants within a range, 0 and 1, and a value that is none of them.
fn choose(mut values: BTreeSet<i128>, range: Option<(i128, i128)>, most: usize) -> Vec<i128> {
    values.extend([0, 1]);
    values.extend((0..).find(|v| !values.contains(v)));
    let is_possible = |v: &i128| range.is_none_or(|(low, high)| (low..=high).contains(v));
    let mut values: Vec<i128> = values.into_iter().filter(is_possible).collect();
    if values.is_empty() {
        values.extend(range.map(|r| r.0));
    }
    // The smallest numbers, and of those the positive ones, are the likeliest.
    values.sort_by_key(|&v| (v.unsigned_abs(), v < 0));
    values.truncate(most);
    values
}

/// The constants with which inputs are compared, directly or after they were copied.
fn compared(unit: &Unit) -> FxHashMap<InputId, BTreeSet<i128>> {
    let held = held(unit);
    let mut found: FxHashMap<InputId, BTreeSet<i128>> = FxHashMap::default();
    let mut add = |e: ExprId, values: &[i128]| {
        let Some((var, shift)) = copied(unit, e) else { return };
        for site in held.get(&var).into_iter().flatten() {
            found.entry(*site).or_default().extend(values.iter().map(|v| v - shift));
        }
    };
    for e in &unit.exprs {
        let Expr::Compare(op, a, b) = e.expr else { continue };
        for (side, other) in [(a, b), (b, a)] {
            let Some(value) = constant(unit, other) else { continue };
            match op {
                CmpOp::Eq | CmpOp::Ne => add(side, &[value]),
                CmpOp::Lt | CmpOp::Le => add(side, &[value - 1, value, value + 1]),
            }
        }
    }
    for block in unit.funcs.iter().flat_map(|f| &f.blocks) {
        if let Terminator::Switch(e, cases, _) = &block.end {
            let values: Vec<i128> = cases.iter().flat_map(|c| [c.0, c.1]).collect();
            add(*e, &values);
        }
    }
    found
}

/// The inputs whose values variables may hold.
fn held(unit: &Unit) -> FxHashMap<VarId, FxHashSet<InputId>> {
    let mut held: FxHashMap<VarId, FxHashSet<InputId>> = FxHashMap::default();
    // From a variable to those that it is copied to.
    let mut copies: FxHashMap<VarId, Vec<VarId>> = FxHashMap::default();
    let mut copy = |e: ExprId, to: VarId| {
        if let Some((from, 0)) = copied(unit, e) {
            copies.entry(from).or_default().push(to);
        }
    };
    for instr in unit.funcs.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.instrs) {
        match &instr.kind {
            InstrKind::Input(place, site) => {
                if let Some(var) = variable(place) {
                    held.entry(var).or_default().insert(*site);
                }
            }
            InstrKind::Assign(place, e) => variable(place).into_iter().for_each(|to| copy(*e, to)),
            InstrKind::Call(result, Callee::Direct(f), args) => {
                let callee = &unit.funcs[*f];
                args.iter().zip(&callee.params).for_each(|(&arg, &param)| copy(arg, param));
                if let Some(to) = result.as_ref().and_then(variable) {
                    let returned = callee.blocks.iter().filter_map(|b| match b.end {
                        Terminator::Return(e) => e,
                        _ => None,
                    });
                    returned.for_each(|e| copy(e, to));
                }
            }
            _ => {}
        }
    }
    let mut work: Vec<VarId> = held.keys().copied().collect();
    while let Some(from) = work.pop() {
        let sites = held.get(&from).cloned().unwrap_or_default();
        for &to in copies.get(&from).into_iter().flatten() {
            let known = held.entry(to).or_default();
            let before = known.len();
            known.extend(&sites);
            if known.len() > before {
                work.push(to);
            }
        }
    }
    held
}

/// The variable that an expression has the value of, but for a number that is added to it.
fn copied(unit: &Unit, mut e: ExprId) -> Option<(VarId, i128)> {
    let mut shift = 0i128;
    loop {
        match &unit.exprs[e].expr {
            Expr::Cast(inner) => e = *inner,
            Expr::Load(place) => return variable(place).map(|var| (var, shift)),
            Expr::Binary(BinOp::Add, a, b) => {
                let (rest, value) =
                    constant(unit, *b).map(|v| (*a, v)).or_else(|| constant(unit, *a).map(|v| (*b, v)))?;
                (e, shift) = (rest, shift.checked_add(value)?);
            }
            Expr::Binary(BinOp::Sub, a, b) => (e, shift) = (*a, shift.checked_sub(constant(unit, *b)?)?),
            _ => return None,
        }
    }
}

/// The variable that a place is a part of, if that is known.
fn variable(place: &Place) -> Option<VarId> {
    match place.base {
        Base::Var(var) => Some(var),
        Base::Deref(_) => None,
    }
}

/// The value of a constant, perhaps converted.
fn constant(unit: &Unit, mut e: ExprId) -> Option<i128> {
    while let Expr::Cast(inner) = unit.exprs[e].expr {
        e = inner;
    }
    unit.as_int(e)
}
