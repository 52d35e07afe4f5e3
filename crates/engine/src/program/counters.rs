//! Variables that count the rounds of loops.
//!
//! A variable counts in a loop if its value after a round is computed from its value before it, be it by way of other variables: `i = i + 1`,
//! but not `state = 5` or `old = state`. Weakest preconditions of facts about such variables are new facts in each round, and constants that
//! are followed are new ones, too: a refutation that needs them unwinds the loop. Where a path to an error has another refutation, that is
//! the better one.

use bolide_base::IdVec;
use bolide_model::program::components;
use bolide_model::{LocId, Program, VarId};
use bolide_term::{Func, Op, Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// The variables that count, by loop.
pub struct Counters {
    /// The strongly connected component of each location.
    loops: IdVec<LocId, u32>,
    counting: FxHashMap<u32, FxHashSet<Func>>,
}

/// Where a value comes from.
struct Source {
    variable: VarId,
    /// Is anything done to it on the way?
    is_computed: bool,
}

impl Counters {
    /// Those of a program's entry procedure.
    pub fn new(store: &Store, program: &Program) -> Counters {
        let main = program.main();
        let loops = main.components();
        let by_symbol = program.var_of_symbol(store);
        let mut flows: FxHashMap<u32, Vec<(VarId, Source)>> = FxHashMap::default();
        for edge in main.edges.iter().filter(|e| loops[e.from] == loops[e.to]) {
            for &(v, t) in edge.step().into_iter().flat_map(|s| &s.assigns) {
                let sources = sources(store, &by_symbol, program.vars[v].term, t);
                flows.entry(loops[edge.from]).or_default().extend(sources.into_iter().map(|s| (v, s)));
            }
        }
        let symbol = |v: VarId| store.as_var(program.vars[v].term);
        let of_loop = |flows: Vec<(VarId, Source)>| counting(&flows).into_iter().filter_map(symbol).collect();
        let counting = flows.into_iter().map(|(l, flows)| (l, of_loop(flows))).collect();
        Counters { loops, counting }
    }

    /// Is a formula about what counts at a location?
    pub fn count(&self, store: &Store, location: LocId, t: Term) -> bool {
        let Some(counting) = self.counting.get(&self.loops[location]).filter(|c| !c.is_empty()) else {
            return false;
        };
        store.symbols([t]).iter().any(|f| counting.contains(f))
    }
}

/// Where the value of an assignment to a variable comes from, if not from the variable as it is: one of the values of a choice, of the
/// elements of an array.
fn sources(store: &Store, by_symbol: &FxHashMap<Func, VarId>, assigned: Term, value: Term) -> Vec<Source> {
    let (mut out, mut computed) = (Vec::new(), Vec::new());
    let mut values = vec![value];
    let mut seen = FxHashSet::default();
    while let Some(t) = values.pop() {
        if !seen.insert(t) || t == assigned {
            continue;
        }
        if let Some(f) = store.as_var(t) {
            out.extend(by_symbol.get(&f).map(|&v| Source { variable: v, is_computed: false }));
            continue;
        }
        match store.op(t) {
            Op::Ite => values.extend([store.arg(t, 1), store.arg(t, 2)]),
            Op::Store => values.extend([store.arg(t, 0), store.arg(t, 2)]),
            Op::Select => values.push(store.arg(t, 0)),
            _ => computed.push(t),
        }
    }
    let symbols = store.symbols(computed);
    let known = symbols.iter().filter_map(|f| by_symbol.get(f));
    out.extend(known.map(|&v| Source { variable: v, is_computed: true }));
    out.sort_unstable_by_key(|s| (s.variable, s.is_computed));
    out.dedup_by_key(|s| (s.variable, s.is_computed));
    out
}

/// The variables whose values come back to themselves, with something done to them on the way.
fn counting(flows: &[(VarId, Source)]) -> Vec<VarId> {
    let mut nodes: Vec<VarId> = flows.iter().flat_map(|(v, s)| [*v, s.variable]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let position = |v: VarId| nodes.binary_search(&v).unwrap_or_default();
    let mut successors: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    flows.iter().for_each(|(v, s)| successors[position(*v)].push(position(s.variable)));
    let component = components(&successors);
    let mut does_count: FxHashSet<u32> = FxHashSet::default();
    for (v, s) in flows.iter().filter(|(_, s)| s.is_computed) {
        let (from, to) = (component[position(*v)], component[position(s.variable)]);
        if from == to {
            does_count.insert(from);
        }
    }
    (0..nodes.len()).filter(|&n| does_count.contains(&component[n])).map(|n| nodes[n]).collect()
}
