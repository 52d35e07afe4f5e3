//! Edges with cells instead of arrays.

use crate::{InputId, LocId, Program, Step, VarId};
use bolide_term::{Op, Store, Substitution, Term};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxHashMap, FxHashSet};

/// Of more reads of one array on one edge it is not said that those from equal places are equal.
const MAX_READS: usize = 8;

/// Values of arrays at places that are not followed, shared by the edges that leave a location.
pub(super) type Elsewhere = FxHashMap<(LocId, Term, Term), Term>;

/// Replaces what one edge reads from arrays.
pub(super) struct Reader<'a> {
    places: &'a [Term],
    /// The arrays; for each its cells with the numbers of their places.
    cells: &'a IndexMap<VarId, Vec<(usize, VarId)>>,
    program: &'a Program,
    from: LocId,
    /// What is read from elsewhere.
    unknown: InputId,
    elsewhere: &'a mut Elsewhere,
    /// What is prophesied of this edge, by the constants that prophesy it.
    prophecies: Substitution,
    /// What this edge reads from elsewhere: for each array places and values.
    reads: IndexMap<Term, Vec<(Term, Term)>>,
    /// For each of these values the conditions under which it is a cell after all.
    hits: IndexMap<Term, Vec<Term>>,
    replaced: FxHashMap<Term, Term>,
    /// Elements of array terms at places.
    at: FxHashMap<(Term, Term), Term>,
}

impl<'a> Reader<'a> {
    /// A reader for an edge that leaves a location.
    pub(super) fn new(
        places: &'a [Term],
        cells: &'a IndexMap<VarId, Vec<(usize, VarId)>>,
        program: &'a Program,
        from: LocId,
        unknown: InputId,
        elsewhere: &'a mut Elsewhere,
    ) -> Reader<'a> {
        Reader {
            places,
            cells,
            program,
            from,
            unknown,
            elsewhere,
            prophecies: Substitution::new(),
            reads: IndexMap::new(),
            hits: IndexMap::new(),
            replaced: FxHashMap::default(),
            at: FxHashMap::default(),
        }
    }

    /// The step on cells, with constants that prophesy some terms of it.
    pub(super) fn step(mut self, store: &mut Store, step: &Step, assumed: &[(Term, Term)]) -> Step {
        let mut guard = Vec::new();
        for &(constant, part) in assumed {
            let part = self.replace(store, part);
            guard.push(store.eq(constant, part));
        }
        for &(constant, part) in assumed {
            self.prophecies.insert(self.replaced[&part], constant);
        }
        guard.push(self.replace(store, step.guard));
        let mut assigns = Vec::new();
        let mut after = Substitution::new();
        for &(v, t) in &step.assigns {
            let value = self.replace(store, t);
            if !self.cells.contains_key(&v) {
                assigns.push((v, value));
                after.insert(self.program.vars[v].term, value);
            }
        }
        for (&array, cells) in self.cells {
            let contents = step.value_of(array).unwrap_or(self.program.vars[array].term);
            for &(n, cell) in cells {
                let place = after.apply(store, self.places[n]);
                let value = self.read(store, contents, place);
                if value != self.program.vars[cell].term {
                    assigns.push((cell, value));
                }
            }
        }
        assigns.sort_unstable_by_key(|a| a.0);
        guard.extend(self.equal_places(store));
        let guard = store.and(&guard);
        let guard = self.relax(store, guard, &assigns);
        let fresh = self.hits.keys().map(|&value| (value, self.unknown));
        let inputs =
            step.inputs.iter().copied().filter(|(c, _)| store.array_sorts(store.sort_of(*c)).is_none());
        Step { guard, assigns, inputs: inputs.chain(fresh).collect() }
    }

    /// A weaker guard that says nothing about values from elsewhere that are not assigned, nor compared with such: only
    /// what it says in case they are cells.
    fn relax(&self, store: &mut Store, guard: Term, assigns: &[(VarId, Term)]) -> Term {
        let conjuncts = match store.op(guard) {
            Op::And => store.args(guard).to_vec(),
            _ => vec![guard],
        };
        let unknown: Vec<Vec<Term>> = conjuncts.iter().map(|&c| self.unknown_in(store, [c])).collect();
        let mut used: FxHashSet<Term> =
            self.unknown_in(store, assigns.iter().map(|a| a.1)).into_iter().collect();
        loop {
            let before = used.len();
            for of_conjunct in &unknown {
                if of_conjunct.iter().any(|v| used.contains(v)) {
                    used.extend(of_conjunct);
                }
            }
            if used.len() == before {
                break;
            }
        }
        let mut kept = Vec::with_capacity(conjuncts.len());
        for (&conjunct, unknown) in conjuncts.iter().zip(&unknown) {
            if unknown.iter().all(|v| used.contains(v)) {
                kept.push(conjunct);
                continue;
            }
            let hits: IndexSet<Term> = unknown.iter().flat_map(|v| &self.hits[v]).copied().collect();
            let mut cases: Vec<Vec<Term>> = hits.iter().map(|&hit| vec![hit]).collect();
            cases.retain(|case| self.is_known(store, case, conjunct));
            let all: Vec<Term> = hits.into_iter().collect();
            if cases.is_empty() && self.is_known(store, &all, conjunct) {
                cases.push(all);
            }
            for case in cases {
                let known = assuming(store, &case, conjunct);
                if !is_bound_of_type(store, known) {
                    let case = store.and(&case);
                    kept.push(store.implies(case, known));
                }
            }
        }
        store.and(&kept)
    }

    /// Is nothing from elsewhere in a formula where some others hold?
    fn is_known(&self, store: &mut Store, case: &[Term], formula: Term) -> bool {
        let known = assuming(store, case, formula);
        self.unknown_in(store, [known]).is_empty()
    }

    /// The values from elsewhere in some terms.
    fn unknown_in(&self, store: &Store, terms: impl IntoIterator<Item = Term>) -> Vec<Term> {
        store.post_order(terms).filter(|t| self.hits.contains_key(t)).collect()
    }

    /// Reads of one array from equal places are equal.
    fn equal_places(&self, store: &mut Store) -> Vec<Term> {
        let mut facts = Vec::new();
        for reads in self.reads.values().filter(|reads| reads.len() <= MAX_READS) {
            for (n, &(place, value)) in reads.iter().enumerate() {
                for &(other, second) in &reads[..n] {
                    let (same, equal) = (store.eq(place, other), store.eq(value, second));
                    facts.push(store.implies(same, equal));
                }
            }
        }
        facts
    }

    /// A term without reads from arrays. Array terms are left as they are.
    fn replace(&mut self, store: &mut Store, t: Term) -> Term {
        let order: Vec<Term> = store.post_order([t]).filter(|t| !self.replaced.contains_key(t)).collect();
        for sub in order {
            let is_array = store.array_sorts(store.sort_of(sub)).is_some();
            let new = if is_array {
                sub
            } else if store.op(sub) == Op::Select {
                let (array, place) = (store.arg(sub, 0), store.arg(sub, 1));
                let place = self.replaced[&place];
                self.read(store, array, place)
            } else {
                let args: Vec<Term> = store.args(sub).iter().map(|a| self.replaced[a]).collect();
                store.rebuild(sub, &args)
            };
            self.replaced.insert(sub, new);
        }
        self.replaced[&t]
    }

    /// The element of an array term at a place without reads; what the array term consists of must have been replaced.
    fn read(&mut self, store: &mut Store, array: Term, place: Term) -> Term {
        let mut work = vec![array];
        while let Some(&a) = work.last() {
            if self.at.contains_key(&(a, place)) {
                work.pop();
                continue;
            }
            let args = store.args(a).to_vec();
            let op = store.op(a);
            let hit = if op == Op::Store { store.eq(self.replaced[&args[1]], place) } else { store.fls() };
            let below: &[Term] = match op {
                Op::Store if hit != store.tru() => &args[..1],
                Op::Ite => &args[1..],
                _ => &[],
            };
            let waiting: Vec<Term> =
                below.iter().copied().filter(|&b| !self.at.contains_key(&(b, place))).collect();
            if !waiting.is_empty() {
                work.extend(waiting);
                continue;
            }
            let element = match op {
                Op::Store if hit == store.tru() => self.replaced[&args[2]],
                Op::Store => {
                    let written = assuming(store, &[hit], self.replaced[&args[2]]);
                    store.ite(hit, written, self.at[&(args[0], place)])
                }
                Op::Ite => {
                    let (yes, no) = (self.at[&(args[1], place)], self.at[&(args[2], place)]);
                    store.ite(self.replaced[&args[0]], yes, no)
                }
                Op::ConstArray => self.replaced[&args[0]],
                _ => self.leaf(store, a, place),
            };
            self.at.insert((a, place), element);
        }
        self.at[&(array, place)]
    }

    /// What an array holds before the edge, or an array from outside: one of its cells, or anything.
    fn leaf(&mut self, store: &mut Store, array: Term, place: Term) -> Term {
        let variable = self.cells.iter().find(|(v, _)| self.program.vars[**v].term == array);
        let Some((_, cells)) = variable else { return self.elsewhere(store, array, place) };
        let prophesied = self.prophecies.apply(store, place);
        let is_at = |n: usize| self.places[n] == place || self.places[n] == prophesied;
        if let Some(&(_, cell)) = cells.iter().find(|(n, _)| is_at(*n)) {
            return self.program.vars[cell].term;
        }
        let mut element = self.elsewhere(store, array, place);
        let hits: Vec<Term> = cells.iter().map(|&(n, _)| store.eq(self.places[n], place)).collect();
        self.hits[&element].extend(&hits);
        for (&hit, &(_, cell)) in hits.iter().zip(cells).rev() {
            element = store.ite(hit, self.program.vars[cell].term, element);
        }
        element
    }

    /// An arbitrary value, the same whenever this edge reads this array at this place.
    fn elsewhere(&mut self, store: &mut Store, array: Term, place: Term) -> Term {
        let value = *self
            .elsewhere
            .entry((self.from, array, place))
            .or_insert_with(|| self.program.input_value(store, self.unknown));
        let reads = self.reads.entry(array).or_default();
        if !reads.contains(&(place, value)) {
            reads.push((place, value));
        }
        self.hits.entry(value).or_default();
        value
    }
}

/// Does a formula compare with the least or the largest number of a machine type? Every cell that was written is in
/// these bounds, which help with nothing.
fn is_bound_of_type(store: &Store, formula: Term) -> bool {
    let atom = if store.op(formula) == Op::Not { store.arg(formula, 0) } else { formula };
    let is_limit = |t: Term| {
        let size = store.as_num(t).and_then(|n| n.to_ibig()).and_then(|n| i128::try_from(n).ok());
        let near = |size: i128, bits: u32| (size.abs() - (1 << bits)).abs() <= 1;
        size.is_some_and(|size| [7, 8, 15, 16, 31, 32, 63, 64].into_iter().any(|bits| near(size, bits)))
    };
    store.op(atom) == Op::Le && store.args(atom).iter().any(|&t| is_limit(t))
}

/// A term where some formulas hold.
fn assuming(store: &mut Store, formulas: &[Term], t: Term) -> Term {
    let mut subst = Substitution::new();
    for &formula in formulas {
        subst.insert(formula, store.tru());
    }
    subst.apply(store, t)
}
