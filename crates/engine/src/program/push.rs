//! Facts that hold along a branch of the unwinding, found by weakest preconditions.
//!
//! That a fact holds after an edge is shown by another fact before it: its weakest precondition, which is a matter of
//! substitution. So a fact is carried backwards along a branch until some label, or the guard of an edge, implies it;
//! the facts on the way are interpolants of the path, and no solver was asked. Each edge is encoded once, and each fact is
//! carried over it once.
//!
//! A fact that cannot be shown at a vertex in this way is remembered: whether a path implies a fact does not change.

use super::art::{Unwinding, Vertex};
use super::counters::Counters;
use super::drop_arrays::is_range_of_element;
use super::entailment::Entailment;
use super::path::{Ranges, conjuncts};
use bolide_base::{Budget, IdVec};
use bolide_model::{EdgeId, Program};
use bolide_smt::{Answer, Solver};
use bolide_term::{Func, Op, Store, Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// Facts for some vertices, each implied by the label of its parent with the fact that comes after it in the list, or by
/// the guard of the edge to it.
pub type Chain = Vec<(Vertex, Term)>;

/// Facts with more subterms than this are not carried on: substitution has made them a record of the path.
const MAX_SIZE: usize = 60;

/// What an edge does to facts.
struct Transfer {
    /// The conjuncts of the guard that say nothing about inputs, in order; not the large ones.
    guard: Vec<Term>,
    /// What they exclude: their negations, without those of the limits of machine types.
    denied: Vec<Term>,
    /// The symbols of the assigned variables.
    assigned: FxHashSet<Func>,
    /// The symbols of the inputs.
    inputs: FxHashSet<Func>,
    /// Replaces the assigned variables by their new values; it remembers what it did.
    values: Substitution,
}

/// A fact before an edge.
#[derive(Copy, Clone, Debug)]
enum Before {
    /// It must hold there.
    Needs(Term),
    /// The edge makes the fact hold, wherever it was taken.
    Nothing,
    /// It depends on what is read from outside, or has become too large.
    Lost,
}

/// Carries facts backwards.
pub struct Pusher {
    edges: IdVec<EdgeId, Transfer>,
    before: FxHashMap<(EdgeId, Term), Before>,
    failed: FxHashSet<(Vertex, Term)>,
    /// Edges whose guards were refuted on the way to an error.
    is_refuted: IdVec<EdgeId, bool>,
    counters: Counters,
    ranges: Ranges,
    /// Facts that were shown to hold at a vertex.
    pub shown: u64,
    /// Facts that were not.
    pub missed: u64,
}

impl Pusher {
    /// For the edges of a program's entry procedure.
    pub fn new(store: &mut Store, program: &Program, ranges: Ranges) -> Pusher {
        let transfer = |store: &mut Store, step: &bolide_model::Step| {
            let inputs: FxHashSet<Func> = step.inputs.iter().filter_map(|i| store.as_var(i.0)).collect();
            let mut guard = conjuncts(store, step.guard);
            guard.retain(|&g| !mentions(store, g, &inputs) && !is_large(store, g));
            let tests = guard.iter().copied().filter(|&g| !is_range_of_element(store, g));
            let denied = tests.collect::<Vec<_>>().into_iter().map(|g| store.not(g)).collect();
            let mut values = Substitution::new();
            step.assigns.iter().for_each(|&(v, t)| values.insert(program.vars[v].term, t));
            let assigned =
                step.assigns.iter().filter_map(|&(v, _)| store.as_var(program.vars[v].term)).collect();
            Transfer { guard, denied, assigned, inputs, values }
        };
        let edges = program.main().edges.iter();
        Pusher {
            edges: edges.map(|e| transfer(store, e.step().expect("calls have been inlined"))).collect(),
            before: FxHashMap::default(),
            failed: FxHashSet::default(),
            is_refuted: program.main().edges.iter().map(|_| false).collect(),
            counters: Counters::new(store, program),
            ranges,
            shown: 0,
            missed: 0,
        }
    }

    /// Forgets what is known of the vertices of a tree.
    pub fn forget(&mut self) {
        self.failed.clear();
    }

    /// Formulas each of which excludes an edge where it holds.
    pub fn denied(&self, edge: EdgeId) -> &[Term] {
        &self.edges[edge].denied
    }

    /// What must hold before an edge so that a fact holds after it.
    fn before(
        &mut self,
        store: &mut Store,
        entailment: &mut Entailment,
        edge: EdgeId,
        fact: Term,
        budget: &Budget,
    ) -> Before {
        if let Some(&known) = self.before.get(&(edge, fact)) {
            return known;
        }
        let transfer = &mut self.edges[edge];
        let touched = mentions(store, fact, &transfer.assigned);
        let needed = if touched { transfer.values.apply(store, fact) } else { fact };
        let found = if needed == store.tru()
            || !transfer.guard.is_empty() && entailment.entails_one(store, &transfer.guard, needed, budget)
        {
            Before::Nothing
        } else if touched && (mentions(store, needed, &transfer.inputs) || is_large(store, needed)) {
            Before::Lost
        } else {
            Before::Needs(needed)
        };
        if !budget.exhausted() {
            self.before.insert((edge, fact), found);
        }
        found
    }

    /// Facts that make another one hold at a vertex, the deepest vertex first.
    pub fn push(
        &mut self,
        store: &mut Store,
        tree: &Unwinding,
        entailment: &mut Entailment,
        v: Vertex,
        fact: Term,
        budget: &Budget,
    ) -> Option<Chain> {
        let mut chain = Chain::new();
        let (mut at, mut needed) = (v, fact);
        loop {
            let node = tree.node(at);
            if self.failed.contains(&(at, needed)) {
                break;
            }
            if entailment.entails_one(store, &node.label, needed, budget) || tree.is_unreachable(store, at) {
                self.shown += 1;
                debug_assert!(self.is_justified(store, tree, &chain));
                return Some(chain);
            }
            let Some((parent, edge)) = node.parent else { break };
            if needed == store.fls() {
                break;
            }
            chain.push((at, needed));
            match self.before(store, entailment, edge, needed, budget) {
                Before::Nothing => {
                    self.shown += 1;
                    debug_assert!(self.is_justified(store, tree, &chain));
                    return Some(chain);
                }
                Before::Lost => break,
                Before::Needs(weakest) => (at, needed) = (parent, weakest),
            }
        }
        self.missed += 1;
        if !budget.exhausted() {
            self.failed.extend(chain);
        }
        None
    }

    /// Is a fact about what counts the rounds of a loop in which a vertex lies?
    pub fn counts(&self, store: &Store, tree: &Unwinding, v: Vertex, fact: Term) -> bool {
        self.counters.count(store, tree.node(v).location, fact)
    }

    /// A contradiction on the way to a vertex: an edge of its branch whose guard cannot hold, by the vertex that
    /// it leads to, and the facts that show it. It is the first one that needs no facts about what counts the rounds of a loop; if
    /// there is none, the last one, so that no other loop on the way is unwound if that is enough.
    pub fn contradict(
        &mut self,
        store: &mut Store,
        tree: &Unwinding,
        entailment: &mut Entailment,
        v: Vertex,
        budget: &Budget,
    ) -> Option<(Vertex, Chain)> {
        let mut best: Option<(Vertex, Chain)> = None;
        let mut at = v;
        while let Some((parent, edge)) = tree.node(at).parent {
            for n in 0..self.edges[edge].denied.len() {
                let denied = self.edges[edge].denied[n];
                if let Some(chain) = self.push(store, tree, entailment, parent, denied, budget) {
                    let counts = chain.iter().any(|&(w, fact)| self.counts(store, tree, w, fact));
                    if best.is_none() || !counts {
                        best = Some((at, chain));
                    }
                }
            }
            at = parent;
        }
        let (at, mut chain) = best?;
        if let Some((_, edge)) = tree.node(at).parent {
            self.is_refuted[edge] = true;
        }
        self.sharpen(store, tree, entailment, &mut chain, budget);
        debug_assert!(self.is_justified(store, tree, &chain));
        Some((at, chain))
    }

    /// Facts that exclude an edge after a vertex, if its guard was refuted before.
    pub fn exclude(
        &mut self,
        store: &mut Store,
        tree: &Unwinding,
        entailment: &mut Entailment,
        v: Vertex,
        edge: EdgeId,
        budget: &Budget,
    ) -> Option<Chain> {
        if !self.is_refuted[edge] {
            return None;
        }
        for n in 0..self.edges[edge].denied.len() {
            let denied = self.edges[edge].denied[n];
            if let Some(mut chain) = self.push(store, tree, entailment, v, denied, budget) {
                self.sharpen(store, tree, entailment, &mut chain, budget);
                debug_assert!(self.is_justified(store, tree, &chain));
                return Some(chain);
            }
        }
        None
    }

    /// The value of a variable after an edge from a state with a label, as far as constants tell.
    pub fn value_after(
        &mut self,
        store: &Store,
        label: &[Term],
        edge: EdgeId,
        variable: Term,
    ) -> Option<Term> {
        let transfer = &self.edges[edge];
        let mut source = variable;
        if store.as_var(variable).is_some_and(|f| transfer.assigned.contains(&f)) {
            source = self.edges[edge].values.known(variable)?;
            if store.as_num(source).is_some() {
                return Some(source);
            }
            store.as_var(source)?;
        }
        let known = self.edges[edge].guard.iter().chain(label);
        known.filter_map(|&c| constant(store, c)).find(|&(x, _)| x == source).map(|(_, k)| k)
    }

    /// Replaces facts about single variables by their values, where these are constants that imply them.
    fn sharpen(
        &mut self,
        store: &mut Store,
        tree: &Unwinding,
        entailment: &mut Entailment,
        chain: &mut Chain,
        budget: &Budget,
    ) {
        let mut before: Vec<Term> = Vec::new();
        for (n, (v, fact)) in chain.iter_mut().rev().enumerate() {
            let Some((parent, edge)) = tree.node(*v).parent else { return };
            let symbols = store.symbols([*fact]);
            let [symbol] = symbols[..] else { return };
            if !store.decl(symbol).args.is_empty() {
                return;
            }
            let variable = store.apply(symbol, &[]);
            if n == 0 {
                before.extend(&tree.node(parent).label);
            }
            let Some(value) = self.value_after(store, &before, edge, variable) else { return };
            let sharp = store.eq(variable, value);
            if !entailment.entails_one(store, &[sharp], *fact, budget) {
                return;
            }
            *fact = sharp;
            before = vec![sharp];
        }
    }

    /// Is each fact of a chain implied by the next one, with the label there, and the edge between them? For debug builds.
    fn is_justified(&mut self, store: &mut Store, tree: &Unwinding, chain: &[(Vertex, Term)]) -> bool {
        (0..chain.len()).all(|n| {
            let (v, fact) = chain[n];
            let Some((parent, edge)) = tree.node(v).parent else { return false };
            let mut before = tree.node(parent).label.clone();
            before.extend(chain.get(n + 1).map(|c| c.1));
            self.follows(store, &before, edge, fact)
        })
    }

    /// Does a fact hold after an edge if some facts hold before? For debug builds: it asks a solver.
    pub fn follows(&mut self, store: &mut Store, before: &[Term], edge: EdgeId, fact: Term) -> bool {
        let transfer = &mut self.edges[edge];
        let needed = transfer.values.apply(store, fact);
        let mut query = before.to_vec();
        query.extend(&transfer.guard);
        query.push(store.not(needed));
        query.extend(self.ranges.of(store, &query));
        let mut solver = Solver::default();
        query.iter().for_each(|&t| solver.assert(t));
        solver.check(store, &Budget::unlimited()) == Answer::Unsat
    }
}

/// The variable and the number of an equality between them.
pub fn constant(store: &Store, t: Term) -> Option<(Term, Term)> {
    if store.op(t) != Op::Eq {
        return None;
    }
    let (a, b) = (store.arg(t, 0), store.arg(t, 1));
    if store.as_num(b).is_some() && store.as_var(a).is_some() {
        Some((a, b))
    } else if store.as_num(a).is_some() && store.as_var(b).is_some() {
        Some((b, a))
    } else {
        None
    }
}

fn is_large(store: &Store, t: Term) -> bool {
    store.post_order([t]).nth(MAX_SIZE).is_some()
}

fn mentions(store: &Store, t: Term, symbols: &FxHashSet<Func>) -> bool {
    !symbols.is_empty() && store.symbols([t]).iter().any(|f| symbols.contains(f))
}
