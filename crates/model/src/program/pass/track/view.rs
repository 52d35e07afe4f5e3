//! What a program does with its arrays.

use crate::{Edge, EdgeId, LocId, Procedure, Program, Step, VarId};
use bolide_base::IdVec;
use bolide_term::{Func, Op, Sort, Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Programs with more arrays or more edges are left alone.
const MAX_ARRAYS: usize = 12;
const MAX_EDGES: usize = 1000;
/// Programs with larger edges are left alone: memories that are set up cell by cell, say.
const MAX_ACCESSES: usize = 40;
const MAX_TERMS: usize = 10_000;

/// A program as this pass sees it.
pub(super) struct View<'a> {
    pub(super) main: &'a Procedure,
    /// The arrays that are used, in their order.
    pub(super) arrays: Vec<VarId>,
    pub(super) accesses: IdVec<EdgeId, Accesses>,
    /// Pairs of arrays, the second of which is made from the first.
    pub(super) flows: BTreeSet<(VarId, VarId)>,
    components: IdVec<LocId, u32>,
    /// The integer variables that are never assigned on a cycle, and the others.
    stable: FxHashMap<Func, bool>,
}

impl<'a> View<'a> {
    /// `None` if there is nothing to do or too much.
    pub(super) fn new(store: &Store, program: &'a Program) -> Option<View<'a>> {
        let main = program.main();
        if main.edges.len() > MAX_EDGES || main.edges.iter().any(|e| e.step().is_none()) {
            return None;
        }
        let terms = main.edges.iter().filter_map(Edge::step).flat_map(Step::terms);
        if store.post_order(terms).nth(MAX_TERMS).is_some() {
            return None;
        }
        let arrays = arrays(store, program)?;
        if arrays.is_empty() || arrays.len() > MAX_ARRAYS {
            return None;
        }
        let symbols = program.var_of_symbol(store);
        let accesses: IdVec<EdgeId, Accesses> =
            main.edges.iter().map(|e| Accesses::of(store, &symbols, e)).collect();
        if accesses.iter().any(|a| a.all.len() > MAX_ACCESSES) {
            return None;
        }
        let components = main.components();
        let mut flows = BTreeSet::new();
        let mut moving = FxHashSet::default();
        for e in &main.edges {
            for &(to, t) in e.step().into_iter().flat_map(|s| &s.assigns) {
                if components[e.from] == components[e.to] {
                    moving.insert(to);
                }
                if arrays.binary_search(&to).is_ok() {
                    let from = store.symbols([t]).into_iter().filter_map(|s| symbols.get(&s).copied());
                    flows.extend(from.filter(|f| arrays.binary_search(f).is_ok()).map(|f| (f, to)));
                }
            }
        }
        let integers = symbols.iter().filter(|(_, v)| program.vars[**v].sort == Sort::INT);
        let stable = integers.map(|(&symbol, v)| (symbol, !moving.contains(v))).collect();
        Some(View { main, arrays, accesses, flows, components, stable })
    }

    /// Does an edge lead to an error?
    pub(super) fn is_error(&self, edge: EdgeId) -> bool {
        self.main.locations[self.main.edges[edge].to].error.is_some()
    }

    /// Is an edge on no cycle?
    pub(super) fn is_once(&self, edge: EdgeId) -> bool {
        let e = &self.main.edges[edge];
        self.components[e.from] != self.components[e.to]
    }

    /// Is a symbol a variable that is assigned on no cycle? Nothing is said of inputs and arrays.
    pub(super) fn is_stable(&self, symbol: Func) -> Option<bool> {
        self.stable.get(&symbol).copied()
    }
}

/// Which places an edge reads and writes.
#[derive(Default)]
pub(super) struct Accesses {
    /// The arrays and places that it reads, in the order of the arrays.
    pub(super) reads: Vec<(VarId, Term)>,
    /// Those that it reads or writes.
    pub(super) all: Vec<(VarId, Term)>,
}

impl Accesses {
    fn of(store: &Store, symbols: &FxHashMap<Func, VarId>, edge: &Edge) -> Accesses {
        let mut accesses = Accesses::default();
        let Some(step) = edge.step() else { return accesses };
        let (mut known, mut known_reads) = (FxHashSet::default(), FxHashSet::default());
        for t in store.post_order(step.terms()) {
            let op = store.op(t);
            if !matches!(op, Op::Select | Op::Store) {
                continue;
            }
            let (array, place) = (store.arg(t, 0), store.arg(t, 1));
            for v in leaves(store, symbols, array) {
                if known.insert((v, place)) {
                    accesses.all.push((v, place));
                }
                if op == Op::Select && known_reads.insert((v, place)) {
                    accesses.reads.push((v, place));
                }
            }
        }
        accesses.reads.sort_by_key(|read| read.0);
        accesses.all.sort_by_key(|access| access.0);
        accesses
    }
}

/// The arrays that are used, all from Int to Int; `None` if an array is used otherwise than to read and to write cells.
fn arrays(store: &Store, program: &Program) -> Option<Vec<VarId>> {
    let steps = || program.main().edges.iter().filter_map(Edge::step);
    let is_array = |t: Term| store.array_sorts(store.sort_of(t)).is_some();
    let symbols = program.var_of_symbol(store);
    let mut found = BTreeSet::new();
    for t in store.post_order(steps().flat_map(Step::terms)) {
        if is_array(t) && store.array_sorts(store.sort_of(t)) != Some((Sort::INT, Sort::INT)) {
            return None;
        }
        let allowed: &[usize] = match store.op(t) {
            Op::Select | Op::Store => &[0],
            Op::Ite => &[1, 2],
            _ => &[],
        };
        if store.args(t).iter().enumerate().any(|(n, &a)| is_array(a) && !allowed.contains(&n)) {
            return None;
        }
        match store.op(t) {
            Op::Apply(f) if is_array(t) => {
                if !store.args(t).is_empty() {
                    return None;
                }
                found.extend(symbols.get(&f));
            }
            Op::Store | Op::Ite | Op::ConstArray => {}
            _ if is_array(t) => return None,
            _ => {}
        }
    }
    found.extend(steps().flat_map(|s| &s.assigns).map(|a| a.0).filter(|&v| is_array(program.vars[v].term)));
    Some(found.into_iter().collect())
}

/// The array variables that an array is made from.
fn leaves(store: &Store, symbols: &FxHashMap<Func, VarId>, array: Term) -> Vec<VarId> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work = vec![array];
    while let Some(t) = work.pop() {
        if !seen.insert(t) {
            continue;
        }
        match store.op(t) {
            Op::Store => work.push(store.arg(t, 0)),
            Op::Ite => work.extend(&store.args(t)[1..]),
            _ => found.extend(store.as_var(t).and_then(|f| symbols.get(&f))),
        }
    }
    found.sort_unstable();
    found
}
