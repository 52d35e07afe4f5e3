//! Arrays by way of a few of their cells, at places that are chosen once and for all.
//!
//! A loop that fills an array and a loop that checks it need a fact about all cells. Cell morphing (Monniaux and
//! Gonnord, SAS 2016) gets by without quantifiers: a fact about one arbitrary cell is a fact about all of them. A constant
//! `k` is chosen before the program starts and never changes, and of every array `a` only the value of `a[k]` is kept.
//! What is read from elsewhere is arbitrary.
//!
//! Nothing could be proved that way if the program were judged by reads from elsewhere. But `k` is arbitrary, so it may
//! be the place that matters, as if it had been prophesied: an execution into an error takes the edge into the error
//! once, as its last one, and there `k` may be assumed to be the place that this edge reads. The same goes for edges
//! that are on no cycle. So each such place gets a constant of its own, up to a few; constants that would be
//! the same place at every error are one. Cells at numerals that the program mentions are kept as well.
//!
//! The result has every error of the program and perhaps more: a proof stands, a trace means nothing.

use super::{prune, slice, tidy};
use crate::{Action, Edge, EdgeId, InputId, LocId, Procedure, Program, Span, Step, VarId, VarKind, Variable};
use bolide_base::IdVec;
use bolide_term::{Func, Op, Sort, Store, Substitution, Term};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// How many places are read at an error, how many on edges without a cycle, and how many numerals are followed.
const AT_ERRORS: usize = 3;
const AT_ONCE: usize = 2;
const NUMERALS: usize = 3;
/// Programs with more arrays or more edges are left alone.
const MAX_ARRAYS: usize = 12;
const MAX_EDGES: usize = 1000;
/// Of more reads of one array on one edge it is not said that those from equal places are equal.
const MAX_READS: usize = 8;

/// Reads on one edge: the n-th one of an array.
type Reads = Vec<(VarId, usize)>;

/// A place of which the cells are kept.
#[derive(Clone, Debug)]
enum Place {
    /// On the edges into errors, the place of the n-th read of an array, for the first of these that is there.
    AtErrors(Reads),
    /// The same, where it follows from the first place of all.
    Derived(Reads),
    /// On the edge between two locations on no common cycle, the place of the n-th access.
    Once(LocId, LocId, usize),
    /// A numeral.
    Numeral(Term),
}

/// Which cells are kept, and in which variables.
#[derive(Clone, Debug)]
pub struct Tracking {
    /// The number of variables of the programs that this is for.
    vars: usize,
    /// The variables that such a program is given: places, then cells.
    added: Vec<Variable>,
    /// The places with their variables, if they have any.
    places: Vec<(Place, Option<Term>)>,
    /// The arrays; for each its cells with the numbers of their places.
    cells: IndexMap<VarId, Vec<(usize, VarId)>>,
}

impl Tracking {
    /// Chooses cells; `None` if the program has no arrays, or makes other use of them than to read and to write cells.
    pub fn plan(store: &mut Store, program: &Program) -> Option<Tracking> {
        let view = View::new(store, program)?;
        let (choices, wanted) = view.choose(store);
        if !choices.iter().any(|c| matches!(c, Place::AtErrors(_) | Place::Once(..))) {
            return None;
        }
        let mut with = program.clone();
        let mut places = Vec::with_capacity(choices.len());
        for (n, choice) in choices.into_iter().enumerate() {
            let is_variable = matches!(choice, Place::AtErrors(_) | Place::Once(..));
            let variable = is_variable.then(|| {
                let v = with.variable(store, &format!("$k{n}"), Sort::INT, VarKind::Global, None);
                with.vars[v].term
            });
            places.push((choice, variable));
        }
        let mut cells = IndexMap::new();
        for (array, wanted) in wanted {
            let Variable { name, kind, .. } = program.vars[array].clone();
            let of_array = wanted.into_iter().map(|n| {
                let index = match &places[n].0 {
                    Place::Numeral(value) => store.as_num(*value).map(|v| v.to_string()).unwrap_or_default(),
                    _ => format!("$k{n}"),
                };
                (n, with.variable(store, &format!("{name}[{index}]"), Sort::INT, kind, None))
            });
            let of_array = of_array.collect();
            cells.insert(array, of_array);
        }
        let added = with.vars.iter().skip(program.vars.len()).cloned().collect();
        Some(Tracking { vars: program.vars.len(), added, places, cells })
    }

    /// The program with cells instead of arrays; `None` if it is not one that the cells were chosen for.
    pub fn apply(&self, store: &mut Store, program: &Program) -> Option<Program> {
        let view = View::new(store, program).filter(|_| program.vars.len() == self.vars)?;
        if view.arrays.iter().any(|a| !self.cells.contains_key(a)) {
            return None;
        }
        let places = self.terms(store, &view)?;
        let mut new = program.clone();
        self.added.iter().for_each(|v| _ = new.vars.push(v.clone()));
        let unknown = new.inputs.push(crate::Input {
            name: "some cell".into(),
            sort: Sort::INT,
            range: None,
            span: Span::default(),
        });
        let mut elsewhere = FxHashMap::default();
        for (edge, old) in program.main().edges.iter_enumerated() {
            let assumed = self.assumed(store, &view, edge);
            let mut reader = Reader {
                tracking: self,
                places: &places,
                program: &new,
                from: old.from,
                unknown,
                assumed: &assumed,
                elsewhere: &mut elsewhere,
                reads: IndexMap::new(),
                hits: IndexMap::new(),
                replaced: FxHashMap::default(),
                at: FxHashMap::default(),
            };
            let step = reader.step(store, old.step()?);
            new.procs[program.entry].edges[edge].action = Action::Step(step);
        }
        let (new, _) = tidy(store, &new);
        let (new, _) = slice(store, &new);
        let (new, _) = prune(store, &new);
        Some(new)
    }

    /// The places as terms that do not change while a program runs.
    fn terms(&self, store: &mut Store, view: &View<'_>) -> Option<Vec<Term>> {
        let first = match self.places.first() {
            Some((Place::AtErrors(keys), Some(variable))) => Some((view.at_errors(keys), *variable)),
            _ => None,
        };
        let term = |(place, variable): &(Place, Option<Term>)| match (place, variable, &first) {
            (_, Some(variable), _) => Some(*variable),
            (Place::Numeral(value), ..) => Some(*value),
            (Place::Derived(keys), _, Some((base, k))) => derived(store, base, &view.at_errors(keys), *k),
            _ => None,
        };
        self.places.iter().map(term).collect()
    }

    /// What places are on an edge, for those that are chosen there.
    fn assumed(&self, store: &Store, view: &View<'_>, edge: EdgeId) -> Vec<(usize, Term)> {
        let (e, accesses) = (&view.main.edges[edge], &view.accesses[edge]);
        let place = |place: &Place| match place {
            Place::AtErrors(keys) | Place::Derived(keys) if view.is_error(edge) => accesses.first_of(keys),
            Place::Once(from, to, n) if (*from, *to) == (e.from, e.to) && view.is_once(edge) => {
                accesses.symbolic(store).nth(*n)
            }
            _ => None,
        };
        self.places.iter().enumerate().filter_map(|(n, (p, _))| Some((n, place(p)?))).collect()
    }
}

/// Which of the places of accesses mean the same as a function of the first one: their term in its variable.
fn derived(store: &mut Store, base: &[Option<Term>], terms: &[Option<Term>], k: Term) -> Option<Term> {
    let mut found = None;
    for (base, term) in base.iter().zip(terms) {
        let Some(term) = *term else { continue };
        let variable = store.as_var((*base)?)?;
        if store.symbols([term]).into_iter().any(|s| s != variable) {
            return None;
        }
        let mut subst = Substitution::new();
        subst.insert((*base)?, k);
        let own = subst.apply(store, term);
        if *found.get_or_insert(own) != own {
            return None;
        }
    }
    found
}

/// A program as this pass sees it.
struct View<'a> {
    main: &'a Procedure,
    arrays: Vec<VarId>,
    accesses: IdVec<EdgeId, Accesses>,
    components: IdVec<LocId, u32>,
    /// The arrays that an array is assigned from, as pairs.
    flows: BTreeSet<(VarId, VarId)>,
}

impl<'a> View<'a> {
    /// `None` if there is nothing to do or too much.
    fn new(store: &Store, program: &'a Program) -> Option<View<'a>> {
        let main = program.main();
        if main.edges.len() > MAX_EDGES || main.edges.iter().any(|e| e.step().is_none()) {
            return None;
        }
        let arrays = arrays(store, program)?;
        if arrays.is_empty() || arrays.len() > MAX_ARRAYS {
            return None;
        }
        let symbols = program.var_of_symbol(store);
        let accesses = main.edges.iter().map(|e| Accesses::of(store, &symbols, e)).collect();
        let mut flows = BTreeSet::new();
        for &(to, t) in main.edges.iter().filter_map(Edge::step).flat_map(|s| &s.assigns) {
            if arrays.binary_search(&to).is_ok() {
                let from = store.symbols([t]).into_iter().filter_map(|s| symbols.get(&s).copied());
                flows.extend(from.filter(|f| arrays.binary_search(f).is_ok()).map(|f| (f, to)));
            }
        }
        Some(View { main, arrays, accesses, components: components(main), flows })
    }

    fn is_error(&self, edge: EdgeId) -> bool {
        self.main.locations[self.main.edges[edge].to].error.is_some()
    }

    /// Is an edge on no cycle?
    fn is_once(&self, edge: EdgeId) -> bool {
        let e = &self.main.edges[edge];
        self.components[e.from] != self.components[e.to]
    }

    fn errors(&self) -> impl Iterator<Item = &Accesses> {
        self.accesses.iter_enumerated().filter(|(e, _)| self.is_error(*e)).map(|(_, accesses)| accesses)
    }

    /// The place of the first of some reads on every edge into an error.
    fn at_errors(&self, keys: &[(VarId, usize)]) -> Vec<Option<Term>> {
        self.errors().map(|accesses| accesses.first_of(keys)).collect()
    }

    /// The places, and for each array the numbers of those that matter to it.
    fn choose(&self, store: &mut Store) -> (Vec<Place>, IndexMap<VarId, BTreeSet<usize>>) {
        let mut places = Vec::new();
        let mut wanted: IndexMap<VarId, BTreeSet<usize>> =
            self.arrays.iter().map(|&a| (a, BTreeSet::new())).collect();
        let mut groups = self.groups();
        // A place that is just a variable is what others can be derived from.
        groups.sort_by_key(|keys| self.at_errors(keys).iter().flatten().any(|&t| store.as_var(t).is_none()));
        for keys in groups.into_iter().take(AT_ERRORS) {
            keys.iter().for_each(|(array, _)| _ = wanted[array].insert(places.len()));
            let is_derived = match places.first() {
                Some(Place::AtErrors(first)) => {
                    let (base, terms) = (self.at_errors(first), self.at_errors(&keys));
                    let k = store.int(0);
                    derived(store, &base, &terms, k).is_some()
                }
                _ => false,
            };
            places.push(if is_derived { Place::Derived(keys) } else { Place::AtErrors(keys) });
        }
        let mut once = 0;
        for (id, e) in self.main.edges.iter_enumerated() {
            if self.is_error(id) || !self.is_once(id) {
                continue;
            }
            for (n, place) in self.accesses[id].symbolic(store).enumerate() {
                if once < AT_ONCE {
                    self.accesses[id].at(place).for_each(|array| _ = wanted[&array].insert(places.len()));
                    places.push(Place::Once(e.from, e.to, n));
                    once += 1;
                }
            }
        }
        for numeral in self.numerals(store) {
            let arrays = self.accesses.iter().flat_map(|a| a.at(numeral));
            arrays.for_each(|array| _ = wanted[&array].insert(places.len()));
            places.push(Place::Numeral(numeral));
        }
        self.spread(&mut wanted);
        (places, wanted)
    }

    /// Arrays without places of their own have those of the arrays that are made from them.
    fn spread(&self, wanted: &mut IndexMap<VarId, BTreeSet<usize>>) {
        let without: BTreeSet<VarId> =
            wanted.iter().filter(|(_, w)| w.is_empty()).map(|(&array, _)| array).collect();
        loop {
            let mut is_changed = false;
            for (from, to) in self.flows.iter().filter(|(from, _)| without.contains(from)) {
                let more = wanted[to].clone();
                let known = &mut wanted[from];
                let before = known.len();
                known.extend(more);
                is_changed |= known.len() > before;
            }
            if !is_changed {
                return;
            }
        }
    }

    /// The places that are read at errors, those together that are never different.
    fn groups(&self) -> Vec<Reads> {
        let mut groups: Vec<(Vec<Option<Term>>, Reads)> = Vec::new();
        for &array in &self.arrays {
            let most = self.errors().map(|a| a.reads_of(array).len()).max().unwrap_or(0);
            for n in 0..most.min(AT_ERRORS) {
                let at = self.at_errors(&[(array, n)]);
                let agrees = |group: &[Option<Term>]| {
                    group.iter().zip(&at).all(|(a, b)| a == b || a.is_none() || b.is_none())
                };
                match groups.iter_mut().find(|(group, _)| agrees(group)) {
                    Some((group, keys)) => {
                        group.iter_mut().zip(&at).for_each(|(a, b)| *a = a.or(*b));
                        keys.push((array, n));
                    }
                    None => groups.push((at, vec![(array, n)])),
                }
            }
        }
        groups.into_iter().map(|(_, keys)| keys).collect()
    }

    /// The least numerals among the places.
    fn numerals(&self, store: &Store) -> Vec<Term> {
        let mut numerals: Vec<Term> =
            self.accesses.iter().flat_map(|a| a.places.iter().map(|p| p.1)).collect();
        numerals.retain(|&n| store.as_num(n).is_some());
        numerals.sort_by(|a, b| store.as_num(*a).cmp(&store.as_num(*b)));
        numerals.dedup();
        numerals.truncate(NUMERALS);
        numerals
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

/// Which places an edge reads and writes.
#[derive(Default)]
struct Accesses {
    /// The places that it reads, of each array as it is before the edge, without numerals.
    reads: FxHashMap<VarId, Vec<Term>>,
    /// All arrays and places that it reads or writes.
    places: Vec<(VarId, Term)>,
}

impl Accesses {
    fn of(store: &Store, symbols: &FxHashMap<Func, VarId>, edge: &Edge) -> Accesses {
        let mut accesses = Accesses::default();
        let Some(step) = edge.step() else { return accesses };
        let mut known: FxHashSet<(VarId, Term)> = FxHashSet::default();
        for t in store.post_order(step.terms()) {
            if !matches!(store.op(t), Op::Select | Op::Store) {
                continue;
            }
            let (array, place) = (store.arg(t, 0), store.arg(t, 1));
            for v in leaves(store, symbols, array) {
                if known.insert((v, place)) {
                    accesses.places.push((v, place));
                }
                let places = accesses.reads.entry(v).or_default();
                let is_read = store.op(t) == Op::Select && store.as_num(place).is_none();
                if is_read && !places.contains(&place) {
                    places.push(place);
                }
            }
        }
        accesses
    }

    fn reads_of(&self, array: VarId) -> &[Term] {
        self.reads.get(&array).map_or(&[], Vec::as_slice)
    }

    /// The place of the first of some reads.
    fn first_of(&self, keys: &[(VarId, usize)]) -> Option<Term> {
        keys.iter().find_map(|&(array, n)| self.reads_of(array).get(n).copied())
    }

    /// The places that are not numerals, each once.
    fn symbolic(&self, store: &Store) -> impl Iterator<Item = Term> {
        let places: IndexSet<Term> =
            self.places.iter().map(|p| p.1).filter(|&p| store.as_num(p).is_none()).collect();
        places.into_iter()
    }

    /// The arrays that are accessed at a place.
    fn at(&self, place: Term) -> impl Iterator<Item = VarId> {
        self.places.iter().filter(move |p| p.1 == place).map(|p| p.0)
    }
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

/// A number for each location, the same for two of them if each can be reached from the other (Tarjan's algorithm).
fn components(p: &Procedure) -> IdVec<LocId, u32> {
    let outgoing = p.outgoing();
    let unseen = u32::MAX;
    let mut component: IdVec<LocId, u32> = p.locations.iter().map(|_| unseen).collect();
    let mut low: IdVec<LocId, u32> = p.locations.iter().map(|_| unseen).collect();
    let (mut next, mut count) = (0, 0);
    let mut open: Vec<LocId> = Vec::new();
    for root in p.locations.ids() {
        if low[root] != unseen {
            continue;
        }
        // Each entry: a location, its number, and how many of its edges were followed.
        let mut stack: Vec<(LocId, u32, usize)> = Vec::new();
        let mut visit = Some(root);
        loop {
            if let Some(l) = visit.take() {
                low[l] = next;
                stack.push((l, next, 0));
                open.push(l);
                next += 1;
            }
            let Some((l, number, done)) = stack.last_mut() else { break };
            let (l, number) = (*l, *number);
            if let Some(&e) = outgoing[l].get(*done) {
                *done += 1;
                let to = p.edges[e].to;
                if low[to] == unseen {
                    visit = Some(to);
                } else if component[to] == unseen {
                    low[l] = low[l].min(low[to]);
                }
                continue;
            }
            stack.pop();
            if low[l] == number {
                while let Some(member) = open.pop() {
                    component[member] = count;
                    if member == l {
                        break;
                    }
                }
                count += 1;
            }
            if let Some((parent, ..)) = stack.last() {
                low[*parent] = low[*parent].min(low[l]);
            }
        }
    }
    component
}

/// Replaces what one edge reads from arrays.
struct Reader<'a> {
    tracking: &'a Tracking,
    /// The places as terms.
    places: &'a [Term],
    program: &'a Program,
    from: LocId,
    /// What is read from elsewhere.
    unknown: InputId,
    /// The numbers of the places that are known on this edge.
    assumed: &'a [(usize, Term)],
    /// The values of arrays at places that are not followed, shared by the edges that leave a location.
    elsewhere: &'a mut FxHashMap<(LocId, Term, Term), Term>,
    /// Those of this edge: for each array places and values.
    reads: IndexMap<Term, Vec<(Term, Term)>>,
    /// For each of them the conditions under which it is a cell after all.
    hits: IndexMap<Term, Vec<Term>>,
    replaced: FxHashMap<Term, Term>,
    /// Elements of array terms at places.
    at: FxHashMap<(Term, Term), Term>,
}

impl Reader<'_> {
    /// The step on cells.
    fn step(&mut self, store: &mut Store, step: &Step) -> Step {
        let mut guard = Vec::new();
        for &(n, place) in self.assumed {
            let place = self.replace(store, place);
            guard.push(store.eq(self.places[n], place));
        }
        guard.push(self.replace(store, step.guard));
        let mut assigns = Vec::new();
        for &(v, t) in &step.assigns {
            let Some(cells) = self.tracking.cells.get(&v) else {
                assigns.push((v, self.replace(store, t)));
                continue;
            };
            self.replace(store, t);
            for &(n, cell) in cells {
                let value = self.read(store, t, self.places[n]);
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
            let each = hits.iter().map(|&hit| vec![hit]);
            for case in each.chain((hits.len() > 1).then(|| hits.iter().copied().collect())) {
                let known = assuming(store, &case, conjunct);
                if self.unknown_in(store, [known]).is_empty() {
                    let case = store.and(&case);
                    kept.push(store.implies(case, known));
                }
            }
        }
        store.and(&kept)
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
        let variable = self.tracking.cells.iter().find(|(v, _)| self.program.vars[**v].term == array);
        let Some((_, cells)) = variable else { return self.elsewhere(store, array, place) };
        let is_at = |n: usize| {
            let chosen = self.assumed.iter().find(|(m, _)| *m == n);
            chosen.is_some_and(|(_, t)| self.replaced.get(t) == Some(&place)) || self.places[n] == place
        };
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

/// A term where some formulas hold.
fn assuming(store: &mut Store, formulas: &[Term], t: Term) -> Term {
    let mut subst = Substitution::new();
    for &formula in formulas {
        subst.insert(formula, store.tru());
    }
    subst.apply(store, t)
}
