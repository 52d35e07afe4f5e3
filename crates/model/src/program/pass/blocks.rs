//! Large-block encoding, after Beyer, Cimatti, Griggio, Keremoglu and Sebastiani: one edge for each pair of block
//! heads, its step the meaning of all paths between them.
//!
//! Block heads are the entry, the exit, errors, loop heads, ends of calls, and locations whose outgoing guards do not
//! visibly exclude each other. Between heads the graph is acyclic and deterministic, so the paths that meet at a
//! location exclude each other and merge into one step with choices.

use crate::program::back::map::{BackMap, EdgeMap, Grounds, OUTERMOST, Origin, no_contexts};
use crate::{
    Action, Approximation, Edge, EdgeId, InputId, LocId, ProcId, Procedure, Program, Span, Step, VarId,
};
use bolide_base::{Budget, IdVec, Interrupt};
use bolide_term::{Func, Store, Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Encodes whole blocks as single edges.
pub fn large_blocks(
    store: &mut Store,
    program: &Program,
    budget: &Budget,
) -> Result<(Program, BackMap), Interrupt> {
    let heads = heads(store, program);
    blocks_between(store, program, &heads, budget)
}

/// As [`large_blocks`], with some more locations of a procedure as heads.
pub(in crate::program) fn large_blocks_at(
    store: &mut Store,
    program: &Program,
    proc: ProcId,
    more: &[LocId],
    budget: &Budget,
) -> Result<(Program, BackMap), Interrupt> {
    let mut heads = heads(store, program);
    more.iter().for_each(|&l| heads[proc][l] = true);
    blocks_between(store, program, &heads, budget)
}

fn blocks_between(
    store: &mut Store,
    program: &Program,
    heads: &IdVec<ProcId, IdVec<LocId, bool>>,
    budget: &Budget,
) -> Result<(Program, BackMap), Interrupt> {
    let vars = program.var_of_symbol(store);
    let (mut procs, mut locations, mut inputs) = (IdVec::new(), IdVec::new(), IdVec::new());
    for (id, p) in program.procs.iter_enumerated() {
        let (proc, origins) = encode(store, program, id, &heads[id], &vars, budget)?;
        let constants = |e: &Edge| e.step().map_or(Vec::new(), |s| s.inputs.iter().map(|i| i.0).collect());
        inputs.push(proc.edges.iter().map(constants).collect());
        procs.push(Procedure { params: p.params.clone(), result: p.result, ..proc });
        locations.push(origins);
    }
    let new = Program { procs, ..program.clone() };
    let edges = EdgeMap::Blocks { original: Box::new(program.clone()), inputs };
    Ok((
        new,
        BackMap { locations, contexts: no_contexts(), edges, split: Vec::new(), grounds: Grounds::Terms },
    ))
}

/// The block heads of every procedure.
pub(in crate::program) fn heads(store: &Store, program: &Program) -> IdVec<ProcId, IdVec<LocId, bool>> {
    program.procs.iter().map(|p| proc_heads(store, p)).collect()
}

fn proc_heads(store: &Store, p: &Procedure) -> IdVec<LocId, bool> {
    let outgoing = p.outgoing();
    let mut heads: IdVec<LocId, bool> = p.locations.iter().map(|l| l.error.is_some()).collect();
    heads[p.entry] = true;
    heads[p.exit] = true;
    for e in &p.edges {
        if matches!(e.action, Action::Call(_)) {
            heads[e.from] = true;
            heads[e.to] = true;
        }
    }
    for l in p.locations.ids() {
        if !exclusive(store, p, l, &outgoing[l]) {
            heads[l] = true;
        }
    }
    for e in back_edges(p, &outgoing) {
        heads[p.edges[e].to] = true;
    }
    heads
}

/// Is it known that the edges that leave a location exclude each other?
pub(in crate::program) fn exclusive(store: &Store, p: &Procedure, location: LocId, edges: &[EdgeId]) -> bool {
    match edges {
        [] | [_] => true,
        _ if p.locations[location].exclusive => true,
        [a, b] => match (p.edges[*a].step(), p.edges[*b].step()) {
            (Some(a), Some(b)) => {
                let ((x, px), (y, py)) = (store.literal(a.guard), store.literal(b.guard));
                x == y && px != py
            }
            _ => false,
        },
        _ => false,
    }
}

/// The back edges of a depth-first search from the entry.
pub(in crate::program) fn back_edges(p: &Procedure, outgoing: &IdVec<LocId, Vec<EdgeId>>) -> Vec<EdgeId> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut mark: IdVec<LocId, Mark> = p.locations.iter().map(|_| Mark::New).collect();
    let mut found = Vec::new();
    let mut stack = vec![(p.entry, 0)];
    mark[p.entry] = Mark::Open;
    while let Some(&mut (l, ref mut next)) = stack.last_mut() {
        let Some(&e) = outgoing[l].get(*next) else {
            mark[l] = Mark::Done;
            stack.pop();
            continue;
        };
        *next += 1;
        let to = p.edges[e].to;
        match mark[to] {
            Mark::New => {
                mark[to] = Mark::Open;
                stack.push((to, 0));
            }
            Mark::Open => found.push(e),
            Mark::Done => {}
        }
    }
    found
}

/// What is known at a location about the paths from the head: conditions that hold on all of them, and values.
#[derive(Clone, Default)]
struct State {
    conditions: Vec<Term>,
    values: BTreeMap<VarId, Term>,
    inputs: Vec<(Term, InputId)>,
    approximations: Vec<Approximation>,
    span: Span,
}

fn encode(
    store: &mut Store,
    program: &Program,
    id: ProcId,
    heads: &IdVec<LocId, bool>,
    vars: &FxHashMap<Func, VarId>,
    budget: &Budget,
) -> Result<(Procedure, IdVec<LocId, Origin>), Interrupt> {
    let p = &program.procs[id];
    let outgoing = p.outgoing();
    let mut out = Procedure::new(&*p.name, p.span);
    let origin = |location| Origin { proc: id, location, context: OUTERMOST };
    let mut origins: IdVec<LocId, Origin> = [origin(p.entry), origin(p.exit)].into_iter().collect();
    let mut map: IdVec<LocId, LocId> = p.locations.iter().map(|_| out.exit).collect();
    for l in p.locations.ids().filter(|&l| heads[l]) {
        map[l] = if l == p.entry {
            out.entry
        } else if l == p.exit {
            out.exit
        } else {
            origins.push(origin(l));
            out.locations.push(p.locations[l].clone())
        };
        out.locations[map[l]] = p.locations[l].clone();
    }
    let order = reverse_post_order(p, &outgoing, heads);
    let builder = Builder { program, proc: p, outgoing: &outgoing, heads, order, vars, budget };
    for head in p.locations.ids().filter(|&l| heads[l] && p.locations[l].error.is_none()) {
        for &e in &outgoing[head] {
            if let Action::Call(_) = p.edges[e].action {
                let edge = p.edges[e].clone();
                out.edges.push(Edge { from: map[edge.from], to: map[edge.to], ..edge });
            }
        }
        // A head whose edges do not exclude each other starts one block per edge.
        let starts: Vec<&[EdgeId]> = if exclusive(store, p, head, &outgoing[head]) {
            out.locations[map[head]].exclusive = true;
            vec![&outgoing[head]]
        } else {
            outgoing[head].chunks(1).collect()
        };
        for start in starts {
            for (to, state) in builder.block(store, start)? {
                let step = Step {
                    guard: store.and(&state.conditions),
                    assigns: state.values.into_iter().filter(|&(v, t)| program.vars[v].term != t).collect(),
                    inputs: state.inputs,
                };
                if step.guard != store.fls() {
                    out.edges.push(Edge {
                        from: map[head],
                        to: map[to],
                        action: Action::Step(step),
                        span: state.span,
                        approximations: state.approximations,
                    });
                }
            }
        }
    }
    Ok((out, origins))
}

/// Position of every location in a reverse post-order of the graph without the edges into block heads.
fn reverse_post_order(
    p: &Procedure,
    outgoing: &IdVec<LocId, Vec<EdgeId>>,
    heads: &IdVec<LocId, bool>,
) -> IdVec<LocId, u32> {
    let mut position: IdVec<LocId, u32> = p.locations.iter().map(|_| 0).collect();
    let mut seen: IdVec<LocId, bool> = p.locations.iter().map(|_| false).collect();
    let mut next = p.locations.len() as u32;
    for root in p.locations.ids().filter(|&l| heads[l]) {
        let mut stack = vec![(root, 0)];
        seen[root] = true;
        while let Some(&mut (l, ref mut child)) = stack.last_mut() {
            let Some(&e) = outgoing[l].get(*child) else {
                position[l] = next;
                next -= 1;
                stack.pop();
                continue;
            };
            *child += 1;
            let to = p.edges[e].to;
            if !heads[to] && !std::mem::replace(&mut seen[to], true) {
                stack.push((to, 0));
            }
        }
    }
    position
}

/// Everything that stays the same while the blocks of one procedure are built.
struct Builder<'a> {
    program: &'a Program,
    proc: &'a Procedure,
    outgoing: &'a IdVec<LocId, Vec<EdgeId>>,
    heads: &'a IdVec<LocId, bool>,
    order: IdVec<LocId, u32>,
    vars: &'a FxHashMap<Func, VarId>,
    budget: &'a Budget,
}

/// The states that have arrived at locations, one for each path not yet merged.
#[derive(Default)]
struct Arrivals {
    /// Interior locations in topological order.
    inside: BTreeMap<(u32, LocId), Vec<State>>,
    /// Block heads.
    ends: BTreeMap<LocId, Vec<State>>,
}

impl Builder<'_> {
    /// The states at the block heads that the paths starting with these edges reach first.
    fn block(&self, store: &mut Store, start: &[EdgeId]) -> Result<Vec<(LocId, State)>, Interrupt> {
        let mut arrivals = Arrivals::default();
        self.spread(store, &mut arrivals, start, State::default());
        while let Some(((_, l), states)) = arrivals.inside.pop_first() {
            self.budget.poll()?;
            let state = self.merge_all(store, states);
            self.spread(store, &mut arrivals, &self.outgoing[l], state);
        }
        Ok(arrivals.ends.into_iter().map(|(l, states)| (l, self.merge_all(store, states))).collect())
    }

    /// Takes a state along edges, which exclude each other.
    fn spread(&self, store: &mut Store, arrivals: &mut Arrivals, edges: &[EdgeId], mut state: State) {
        for (n, &e) in edges.iter().enumerate() {
            let edge = &self.proc.edges[e];
            let Action::Step(step) = &edge.action else { continue };
            // The last one takes the state with it: on straight code nothing is copied.
            let state = if n + 1 == edges.len() { std::mem::take(&mut state) } else { state.clone() };
            let Some(next) = self.advance(store, state, step, edge) else { continue };
            if self.heads[edge.to] {
                arrivals.ends.entry(edge.to).or_default().push(next);
            } else {
                arrivals.inside.entry((self.order[edge.to], edge.to)).or_default().push(next);
            }
        }
    }

    /// The state after one more edge; `None` if its guard is false there.
    fn advance(&self, store: &mut Store, mut state: State, step: &Step, edge: &Edge) -> Option<State> {
        let mut subst = Substitution::new();
        for f in store.symbols(step.terms()) {
            if let Some(v) = self.vars.get(&f)
                && let Some(&t) = state.values.get(v)
            {
                subst.insert(self.program.vars[*v].term, t);
            }
        }
        let guard = subst.apply(store, step.guard);
        if guard == store.fls() || state.conditions.contains(&store.not(guard)) {
            return None;
        }
        if guard != store.tru() {
            state.conditions.push(guard);
        }
        for &(v, t) in &step.assigns {
            let t = subst.apply(store, t);
            state.values.insert(v, t);
        }
        state.inputs.extend(&step.inputs);
        state.approximations.extend(edge.approximations.iter().cloned());
        if state.span == Span::default() {
            state.span = edge.span;
        }
        Some(state)
    }

    /// The state of all of some exclusive paths. Merging from the last one keeps the conditions of a chain of
    /// alternatives nested, so that their size stays linear.
    fn merge_all(&self, store: &mut Store, mut states: Vec<State>) -> State {
        let mut merged = states.pop().unwrap_or_default();
        while let Some(earlier) = states.pop() {
            merged = self.merge(store, earlier, merged);
        }
        merged
    }

    /// The state of both of two exclusive paths. Beyond the conditions they share, those of the first decide.
    fn merge(&self, store: &mut Store, a: State, b: State) -> State {
        let shared = a.conditions.iter().zip(&b.conditions).take_while(|(x, y)| x == y).count();
        let (ra, rb) = (store.and(&a.conditions[shared..]), store.and(&b.conditions[shared..]));
        let mut conditions = a.conditions;
        conditions.truncate(shared);
        let either = store.or(&[ra, rb]);
        if either != store.tru() {
            conditions.push(either);
        }
        let mut values = a.values;
        for &v in b.values.keys() {
            values.entry(v).or_insert(self.program.vars[v].term);
        }
        for (&v, t) in &mut values {
            let other = b.values.get(&v).copied().unwrap_or(self.program.vars[v].term);
            *t = store.ite(ra, *t, other);
        }
        let mut inputs = a.inputs;
        let known: FxHashSet<Term> = inputs.iter().map(|i| i.0).collect();
        inputs.extend(b.inputs.into_iter().filter(|i| !known.contains(&i.0)));
        let mut approximations = a.approximations;
        approximations.extend(b.approximations);
        approximations.sort();
        approximations.dedup();
        State { conditions, values, inputs, approximations, span: a.span }
    }
}
