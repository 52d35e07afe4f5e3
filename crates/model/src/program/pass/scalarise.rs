//! Scalar replacement: an array that is only ever accessed at constant indices becomes one variable per index.
//!
//! A front end keeps memory in arrays. Once the addresses of objects have been propagated as constants, most of these
//! arrays are records in disguise; as variables, their cells take part in slicing, interval analysis and
//! specialisation, and no formula mentions the array any more. The new variables come after the old ones, whose
//! indices stay.

use crate::program::back::map::{BackMap, Copy, Split};
use crate::{Action, Edge, Program, VarId};
use bolide_term::{Op, Sort, Store, Term};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// An array with more cells stays an array.
const MAX_CELLS: usize = 256;

/// Replaces arrays by variables; `None` if there is no array to replace.
pub fn scalarise(store: &mut Store, program: &Program) -> Option<(Program, BackMap)> {
    if program.main().has_calls() {
        return None;
    }
    let mut new = program.clone();
    let mut cells = Cells::default();
    let mut split: Vec<Split> = Vec::new();
    for (array, indices) in replaceable(store, program) {
        let v = program.vars[array].clone();
        let (_, element) = store.array_sorts(v.sort)?;
        let mut of_array = Vec::with_capacity(indices.len());
        for index in indices {
            let name = format!("{}[{}]", v.name, store.as_num(index)?);
            // Elements that nobody wrote yet may lie outside of the range, so the range is not inherited.
            let cell = new.variable(store, &name, element, v.kind, None);
            cells.cell.insert((v.term, index), new.vars[cell].term);
            of_array.push((index, cell));
        }
        cells.arrays.insert(v.term, split.len());
        let default = program.default_value(store, v.sort, v.range);
        split.push(Split { array, default, cells: of_array });
    }
    if split.is_empty() {
        return None;
    }
    for edge in new.procs[program.entry].edges.iter_mut() {
        let Action::Step(step) = &mut edge.action else { continue };
        step.guard = cells.replace(store, step.guard);
        let mut assigns = Vec::with_capacity(step.assigns.len());
        for &(v, t) in &step.assigns {
            match cells.arrays.get(&program.vars[v].term) {
                None => assigns.push((v, cells.replace(store, t))),
                Some(&n) => {
                    cells.replace(store, t);
                    for &(index, cell) in &split[n].cells {
                        let value = cells.read(store, t, index);
                        if value != new.vars[cell].term {
                            assigns.push((cell, value));
                        }
                    }
                }
            }
        }
        assigns.sort_unstable_by_key(|a| a.0);
        step.assigns = assigns;
    }
    let copies = program.procs.iter_enumerated().map(|(proc, p)| {
        p.edges.iter_enumerated().map(|(edge, e)| Some(Copy::faithful(proc, edge, e))).collect()
    });
    let mut map = BackMap::identity(program, copies.collect());
    map.split = split;
    Some((new, map))
}

/// The arrays of numbers that are only accessed at constant indices, with these indices.
fn replaceable(store: &Store, program: &Program) -> Vec<(VarId, BTreeSet<Term>)> {
    let mut uses = ArrayUses { store, leaves: FxHashMap::default(), of: FxHashMap::default() };
    for v in program.vars.iter() {
        if let Some((Sort::INT, Sort::INT | Sort::REAL)) = store.array_sorts(v.sort) {
            uses.of.insert(v.term, Some(BTreeSet::new()));
        }
    }
    if uses.of.is_empty() {
        return Vec::new();
    }
    let steps = || program.main().edges.iter().filter_map(Edge::step);
    for t in store.post_order(steps().flat_map(|s| s.terms())) {
        uses.visit(t);
    }
    for step in steps() {
        for &(v, t) in &step.assigns {
            uses.assigned(program.vars[v].term, t);
        }
    }
    let arrays = program.vars.iter_enumerated().filter_map(|(id, v)| {
        let indices = uses.of.get(&v.term)?.clone()?;
        (1..=MAX_CELLS).contains(&indices.len()).then_some((id, indices))
    });
    arrays.collect()
}

/// How array variables are used.
struct ArrayUses<'a> {
    store: &'a Store,
    /// The array variables that an array term is made from.
    leaves: FxHashMap<Term, Vec<Term>>,
    /// The indices of each array variable; none if it is used in another way.
    of: FxHashMap<Term, Option<BTreeSet<Term>>>,
}

impl ArrayUses<'_> {
    /// Looks at one term whose arguments were visited before.
    fn visit(&mut self, t: Term) {
        let args = self.store.args(t);
        match self.store.op(t) {
            Op::Apply(_) if self.of.contains_key(&t) => {
                self.leaves.insert(t, vec![t]);
            }
            Op::Select => self.access(args[0], args[1]),
            Op::Store => {
                self.access(args[0], args[1]);
                self.spoil_all(args[2]);
                self.inherit(t, &args[..1]);
            }
            Op::Ite => self.inherit(t, &args[1..]),
            _ => args.iter().for_each(|&a| self.spoil_all(a)),
        }
    }

    fn inherit(&mut self, t: Term, from: &[Term]) {
        let mut leaves: Vec<Term> =
            from.iter().flat_map(|a| self.leaves.get(a).cloned().unwrap_or_default()).collect();
        leaves.sort_unstable();
        leaves.dedup();
        if !leaves.is_empty() {
            self.leaves.insert(t, leaves);
        }
    }

    fn access(&mut self, array: Term, index: Term) {
        let is_constant = self.store.as_num(index).is_some();
        for leaf in self.leaves.get(&array).cloned().unwrap_or_default() {
            match self.of.get_mut(&leaf) {
                Some(Some(indices)) if is_constant => _ = indices.insert(index),
                Some(indices) => *indices = None,
                None => {}
            }
        }
    }

    /// An array variable may be made from itself and from inputs only.
    fn assigned(&mut self, to: Term, t: Term) {
        let leaves = self.leaves.get(&t).cloned().unwrap_or_default();
        for leaf in leaves.into_iter().filter(|&l| l != to) {
            self.spoil(leaf);
            self.spoil(to);
        }
    }

    fn spoil_all(&mut self, t: Term) {
        for leaf in self.leaves.get(&t).cloned().unwrap_or_default() {
            self.spoil(leaf);
        }
    }

    fn spoil(&mut self, array: Term) {
        if let Some(indices) = self.of.get_mut(&array) {
            *indices = None;
        }
    }
}

/// The variables that take the place of array cells.
#[derive(Default)]
struct Cells {
    /// The arrays that are replaced, numbered.
    arrays: FxHashMap<Term, usize>,
    /// The variable of each array and index.
    cell: FxHashMap<(Term, Term), Term>,
    replaced: FxHashMap<Term, Term>,
    reads: FxHashMap<(Term, Term), Term>,
}

impl Cells {
    /// A term without the arrays. Array terms over them are left alone; only what reads them matters.
    fn replace(&mut self, store: &mut Store, t: Term) -> Term {
        if let Some(&known) = self.replaced.get(&t) {
            return known;
        }
        let order: Vec<Term> = store.post_order([t]).filter(|t| !self.replaced.contains_key(t)).collect();
        for sub in order {
            let new = if store.op(sub) == Op::Select && store.as_num(store.arg(sub, 1)).is_some() {
                let (array, index) = (store.arg(sub, 0), store.arg(sub, 1));
                self.read(store, array, index)
            } else {
                let args: Vec<Term> = store.args(sub).iter().map(|a| self.replaced[a]).collect();
                store.rebuild(sub, &args)
            };
            self.replaced.insert(sub, new);
        }
        self.replaced[&t]
    }

    /// The element of an array term at a constant index; values written to it must have been replaced.
    fn read(&mut self, store: &mut Store, array: Term, index: Term) -> Term {
        let mut work = vec![array];
        while let Some(&a) = work.last() {
            if self.reads.contains_key(&(a, index)) {
                work.pop();
                continue;
            }
            let args = store.args(a).to_vec();
            let below: &[Term] = match store.op(a) {
                Op::Store if args[1] != index => &args[..1],
                Op::Ite => &args[1..],
                _ => &[],
            };
            let waiting: Vec<Term> =
                below.iter().copied().filter(|&b| !self.reads.contains_key(&(b, index))).collect();
            if !waiting.is_empty() {
                work.extend(waiting);
                continue;
            }
            let element = match store.op(a) {
                Op::Store if args[1] == index => self.replaced[&args[2]],
                Op::Store => self.reads[&(args[0], index)],
                Op::Ite => {
                    let condition = self.replaced[&args[0]];
                    let (yes, no) = (self.reads[&(args[1], index)], self.reads[&(args[2], index)]);
                    store.ite(condition, yes, no)
                }
                _ => match self.cell.get(&(a, index)) {
                    Some(&cell) => cell,
                    None => store.select(a, index),
                },
            };
            self.reads.insert((a, index), element);
        }
        self.reads[&(array, index)]
    }
}
