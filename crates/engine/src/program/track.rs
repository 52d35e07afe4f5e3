//! Variables whose constant values are followed eagerly.
//!
//! Once a refutation has needed the value of a variable, the same variable is likely to matter again. So new vertices
//! start with the constants of such variables, as far as the parent's label and the edge tell them, wherever they may be
//! read before they are overwritten. McMillan's paper leaves the question open whether such an eager computation pays; it
//! does for control code, where a label `true` at a new vertex covers too much and loses its covers again.

use bolide_base::IdVec;
use bolide_model::{EdgeId, LocId, Program, VarId};
use bolide_term::{Func, Store, Term};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A set of variables as bits.
type Bits = Vec<u64>;

/// The variables that are followed, and where.
pub struct Tracked {
    followed: Vec<(VarId, Term)>,
    by_symbol: FxHashMap<Func, VarId>,
    is_followed: IdVec<VarId, bool>,
    /// The variables that may be read on the way from a location to an error.
    live: IdVec<LocId, Bits>,
}

impl Tracked {
    /// No variable is followed. Only the given edges lead to errors.
    pub fn new(store: &Store, program: &Program, outgoing: &IdVec<LocId, Vec<EdgeId>>) -> Tracked {
        let by_symbol = program.var_of_symbol(store);
        let live = live(store, program, outgoing, &by_symbol);
        let is_followed = program.vars.iter().map(|_| false).collect();
        Tracked { followed: Vec::new(), by_symbol, is_followed, live }
    }

    /// Follows a variable from now on.
    pub fn follow(&mut self, store: &Store, variable: Term) {
        let known = store.as_var(variable).and_then(|f| self.by_symbol.get(&f));
        if let Some(&v) = known
            && !std::mem::replace(&mut self.is_followed[v], true)
        {
            self.followed.push((v, variable));
        }
    }

    /// The variables that are followed at a location.
    pub fn at(&self, location: LocId) -> impl Iterator<Item = Term> {
        let live = &self.live[location];
        self.followed.iter().filter(|(v, _)| live[v.index() / 64] >> (v.index() % 64) & 1 == 1).map(|f| f.1)
    }
}

fn live(
    store: &Store,
    program: &Program,
    outgoing: &IdVec<LocId, Vec<EdgeId>>,
    by_symbol: &FxHashMap<Func, VarId>,
) -> IdVec<LocId, Bits> {
    let procedure = program.main();
    let words = program.vars.len() / 64 + 1;
    let read = |into: &mut Bits, t: Term| {
        for v in store.symbols([t]).iter().filter_map(|f| by_symbol.get(f)) {
            into[v.index() / 64] |= 1 << (v.index() % 64);
        }
    };
    let mut live: IdVec<LocId, Bits> = procedure.locations.iter().map(|_| vec![0; words]).collect();
    let incoming = procedure.incoming();
    let mut work: VecDeque<LocId> = procedure.locations.ids().rev().collect();
    let mut is_waiting: IdVec<LocId, bool> = procedure.locations.iter().map(|_| true).collect();
    while let Some(l) = work.pop_front() {
        is_waiting[l] = false;
        let mut here = live[l].clone();
        for &e in &outgoing[l] {
            let Some(step) = procedure.edges[e].step() else { continue };
            let mut before = live[procedure.edges[e].to].clone();
            let is_read = |v: VarId, bits: &Bits| bits[v.index() / 64] >> (v.index() % 64) & 1 == 1;
            let needed: Vec<(VarId, Term)> =
                step.assigns.iter().filter(|a| is_read(a.0, &before)).copied().collect();
            needed.iter().for_each(|(v, _)| before[v.index() / 64] &= !(1 << (v.index() % 64)));
            needed.iter().for_each(|&(_, t)| read(&mut before, t));
            read(&mut before, step.guard);
            here.iter_mut().zip(&before).for_each(|(h, b)| *h |= b);
        }
        if here != live[l] {
            live[l] = here;
            for &e in &incoming[l] {
                let from = procedure.edges[e].from;
                if !std::mem::replace(&mut is_waiting[from], true) {
                    work.push_back(from);
                }
            }
        }
    }
    live
}
