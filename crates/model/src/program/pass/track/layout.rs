//! The places of the cells, and what is prophesied on which edge.

use super::view::View;
use crate::program::back::prophecy::{Prophecy, When, where_stored};
use crate::{EdgeId, LocId, Program, VarId};
use bolide_base::IdVec;
use bolide_term::{Store, Substitution, Term};
use indexmap::{IndexMap, IndexSet};
use std::collections::BTreeSet;

/// How many places that errors depend on are followed, how many of edges without a cycle, and how many others that no loop
/// changes.
const AT_ERRORS: usize = 4;
const AT_ONCE: usize = 2;
const FIXED: usize = 3;
/// How much is prophesied for one edge.
const PROPHECIES: usize = 3;

/// What a constant prophesies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum ProphecyKind {
    /// The n-th part of the places that the last edge reads.
    AtErrors(usize),
    /// The n-th part of the places of the edges between two locations.
    Once(LocId, LocId, usize),
}

/// The places, over constants that are prophesied and variables that no loop assigns.
pub(super) struct Layout {
    pub(super) places: Vec<Term>,
    /// For each array the numbers of the places that matter to it.
    pub(super) wanted: IndexMap<VarId, BTreeSet<usize>>,
    /// For each edge the constants that are prophesied of it, and what they are there.
    pub(super) assumed: IdVec<EdgeId, Vec<(Term, Term)>>,
}

/// The constant for a prophecy about a term, if there may be one.
type Prophesy<'a> = dyn FnMut(&mut Store, ProphecyKind, Term) -> Option<Term> + 'a;

impl Layout {
    /// `None` if a constant is missing.
    pub(super) fn new(store: &mut Store, view: &View<'_>, prophesy: &mut Prophesy<'_>) -> Option<Layout> {
        let mut layout = Layout {
            places: Vec::new(),
            wanted: view.arrays.iter().map(|&a| (a, BTreeSet::new())).collect(),
            assumed: view.main.edges.iter().map(|_| Vec::new()).collect(),
        };
        let edges = || view.main.edges.ids();
        for edge in edges().filter(|&e| view.is_error(e)) {
            let reads = &view.accesses[edge].reads;
            let mut own = |store: &mut Store, n, part| prophesy(store, ProphecyKind::AtErrors(n), part);
            layout.follow(store, view, edge, reads, AT_ERRORS, &mut own)?;
        }
        let most = layout.places.len() + AT_ONCE;
        for edge in edges().filter(|&e| view.is_once(e) && !view.is_error(e)) {
            let e = &view.main.edges[edge];
            let mut own =
                |store: &mut Store, n, part| prophesy(store, ProphecyKind::Once(e.from, e.to, n), part);
            layout.follow(store, view, edge, &view.accesses[edge].all, most, &mut own)?;
        }
        let most = layout.places.len() + FIXED;
        for &(array, place) in edges().flat_map(|e| &view.accesses[e].all) {
            if store.symbols([place]).into_iter().all(|s| view.is_stable(s) == Some(true)) {
                layout.want(array, place, most);
            }
        }
        layout.spread(view);
        Some(layout)
    }

    /// What the constants turn out to be. Of edges between the same locations the one that is taken counts.
    pub(super) fn told(&self, store: &mut Store, program: &Program) -> Vec<Prophecy> {
        let vars = program.var_of_symbol(store);
        let mut found: IndexMap<(LocId, LocId, Term), (Term, When)> = IndexMap::new();
        for (edge, assumed) in self.assumed.iter_enumerated() {
            let edge = &program.main().edges[edge];
            let Some(step) = edge.step() else { continue };
            for &(constant, part) in assumed {
                let is_new = store.symbols([part]).iter().any(|f| !vars.contains_key(f));
                let own = match is_new {
                    false => (part, When::Start),
                    true => (where_stored(store, program, part, [step]), When::End),
                };
                let place = (edge.from, edge.to, constant);
                let merged = match found.get(&place) {
                    Some(&(other, When::Start)) if other != part && own.1 == When::Start => {
                        (store.ite(step.guard, part, other), When::Start)
                    }
                    _ => own,
                };
                found.insert(place, merged);
            }
        }
        let told = |((from, to, constant), (value, when))| Prophecy { from, to, constant, value, when };
        found.into_iter().map(told).collect()
    }

    /// Follows what an edge accesses, up to a number of places.
    fn follow(
        &mut self,
        store: &mut Store,
        view: &View<'_>,
        edge: EdgeId,
        accesses: &[(VarId, Term)],
        most: usize,
        prophesy: &mut dyn FnMut(&mut Store, usize, Term) -> Option<Term>,
    ) -> Option<()> {
        let mut parts: IndexSet<Term> = IndexSet::new();
        for &(array, place) in accesses {
            let mut more = parts.clone();
            more.extend(moving_parts(store, view, place));
            if more.len() > PROPHECIES {
                continue;
            }
            let mut subst = Substitution::new();
            for (n, &part) in more.iter().enumerate() {
                subst.insert(part, prophesy(store, n, part)?);
            }
            let place = subst.apply(store, place);
            if self.want(array, place, most) {
                parts = more;
            }
        }
        for (n, part) in parts.into_iter().enumerate() {
            self.assumed[edge].push((prophesy(store, n, part)?, part));
        }
        Some(())
    }

    /// Keeps the cell of an array at a place, if it is one of the known places or there may be more of them.
    fn want(&mut self, array: VarId, place: Term, most: usize) -> bool {
        let known = self.places.iter().position(|&p| p == place);
        if known.is_none() && self.places.len() >= most {
            return false;
        }
        let number = known.unwrap_or(self.places.len());
        if known.is_none() {
            self.places.push(place);
        }
        self.wanted.entry(array).or_default().insert(number);
        true
    }

    /// Arrays without places of their own have those of the arrays that are made from them.
    fn spread(&mut self, view: &View<'_>) {
        let without: BTreeSet<VarId> =
            self.wanted.iter().filter(|(_, w)| w.is_empty()).map(|(&array, _)| array).collect();
        loop {
            let mut is_changed = false;
            for (from, to) in view.flows.iter().filter(|(from, _)| without.contains(from)) {
                let more = self.wanted[to].clone();
                let known = &mut self.wanted[from];
                let before = known.len();
                known.extend(more);
                is_changed |= known.len() > before;
            }
            if !is_changed {
                return;
            }
        }
    }
}

/// What changes in a place while the program runs: variables that loops assign, or whole summands where there is more to
/// them than variables.
fn moving_parts(store: &mut Store, view: &View<'_>, place: Term) -> Vec<Term> {
    let zero = store.int(0);
    let mut parts = Vec::new();
    for (summand, _) in store.linear_difference(place, zero).terms {
        let symbols = store.symbols([summand]);
        if symbols.iter().any(|&s| view.is_stable(s).is_none()) {
            parts.push(summand);
            continue;
        }
        let moving = symbols.into_iter().filter(|&s| view.is_stable(s) == Some(false));
        parts.extend(moving.map(|s| store.apply(s, &[])).collect::<Vec<_>>());
    }
    parts
}
