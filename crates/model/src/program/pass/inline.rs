//! Inlining of calls that are not recursive.
//!
//! Copies of a procedure share its locals: a procedure assigns each local before it reads it, and no two activations
//! of a procedure that is not recursive are alive at once. So nothing is renamed but the inputs, which must stay
//! independent of each other. The back map keeps the chain of calls of every location.

use super::NOWHERE;
use crate::program::back::map::{BackMap, Context, Copy, EdgeMap, Grounds, Origin, no_contexts};
use crate::{Action, Call, Edge, EdgeId, LocId, ProcId, Procedure, Program, Step};
use bolide_base::IdVec;
use bolide_term::Store;
use rustc_hash::FxHashMap;
use std::fmt;

/// Why inlining failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InlineError {
    /// The result would have more locations than allowed.
    TooLarge(usize),
}

impl fmt::Display for InlineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InlineError::TooLarge(n) => write!(f, "inlining needs more than {n} locations"),
        }
    }
}

impl std::error::Error for InlineError {}

/// Inlines every call except calls of procedures that can call themselves; those stay procedures, and what they call
/// is inlined into them. Procedures that nobody calls any more lose their edges.
pub fn inline(store: &mut Store, program: &Program, limit: usize) -> Result<(Program, BackMap), InlineError> {
    let recursive = recursive_procs(program);
    let mut inliner = Inliner {
        store,
        program,
        recursive: &recursive,
        contexts: no_contexts(),
        budget: limit,
        limit,
        called: program.procs.iter().map(|_| false).collect(),
    };
    let mut results: IdVec<ProcId, Option<Inlined>> = program.procs.iter().map(|_| None).collect();
    let mut work = vec![program.entry];
    while let Some(id) = work.pop() {
        if results[id].is_none() {
            results[id] = Some(inliner.root(id)?);
            work.extend(program.procs.ids().filter(|&p| inliner.called[p] && results[p].is_none()));
        }
    }
    let contexts = inliner.contexts;
    let (mut procs, mut locations, mut edges) = (IdVec::new(), IdVec::new(), IdVec::new());
    for (id, result) in results.iter().enumerate() {
        let old = &program.procs[ProcId::new(id)];
        let done = result.clone().unwrap_or_else(|| Inlined::empty(ProcId::new(id), old));
        procs.push(done.proc);
        locations.push(done.locations);
        edges.push(done.edges);
    }
    let new = Program { procs, ..program.clone() };
    Ok((
        new,
        BackMap {
            locations,
            contexts,
            edges: EdgeMap::Copies(edges),
            split: Vec::new(),
            grounds: Grounds::Terms,
        },
    ))
}

/// How many locations the entry procedure has after inlining.
pub fn inlined_size(program: &Program) -> usize {
    let recursive = recursive_procs(program);
    let mut sizes: IdVec<ProcId, Option<usize>> =
        program.procs.ids().map(|p| recursive[p].then_some(0)).collect();
    let mut work = vec![program.entry];
    while let Some(&p) = work.last() {
        let proc = &program.procs[p];
        let callees = proc.edges.iter().filter_map(|e| match &e.action {
            Action::Call(c) => Some(c.callee),
            Action::Step(_) => None,
        });
        let missing: Vec<ProcId> = callees.clone().filter(|&c| sizes[c].is_none()).collect();
        if missing.is_empty() || sizes[p].is_some() {
            let inner = callees.filter_map(|c| sizes[c]).fold(0usize, usize::saturating_add);
            sizes[p] = Some(inner.saturating_add(proc.locations.len()));
            work.pop();
        } else {
            work.extend(missing);
        }
    }
    sizes[program.entry].unwrap_or(0)
}

/// The procedures on a cycle of the call graph, by Tarjan's algorithm with an explicit stack.
pub(in crate::program) fn recursive_procs(program: &Program) -> IdVec<ProcId, bool> {
    let callees: IdVec<ProcId, Vec<ProcId>> = program
        .procs
        .iter()
        .map(|p| {
            let mut list: Vec<ProcId> = p
                .edges
                .iter()
                .filter_map(|e| match &e.action {
                    Action::Call(c) => Some(c.callee),
                    Action::Step(_) => None,
                })
                .collect();
            list.sort_unstable();
            list.dedup();
            list
        })
        .collect();
    let n = program.procs.len();
    let mut recursive: IdVec<ProcId, bool> = (0..n).map(|_| false).collect();
    let (mut number, mut low, mut on_stack) = (vec![usize::MAX; n], vec![0; n], vec![false; n]);
    let (mut next, mut scc) = (0, Vec::new());
    for root in program.procs.ids() {
        let mut calls = if number[root.index()] == usize::MAX { vec![(root, 0)] } else { Vec::new() };
        while let Some(&mut (p, ref mut child)) = calls.last_mut() {
            let i = p.index();
            if *child == 0 && number[i] == usize::MAX {
                (number[i], low[i], on_stack[i]) = (next, next, true);
                next += 1;
                scc.push(p);
            }
            if let Some(&c) = callees[p].get(*child) {
                *child += 1;
                if number[c.index()] == usize::MAX {
                    calls.push((c, 0));
                } else if on_stack[c.index()] {
                    low[i] = low[i].min(number[c.index()]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(parent, _)) = calls.last() {
                low[parent.index()] = low[parent.index()].min(low[i]);
            }
            if low[i] == number[i] {
                let from = scc.iter().rposition(|&q| q == p).expect("a component holds its root");
                let members = scc.split_off(from);
                let cyclic = members.len() > 1 || callees[p].contains(&p);
                for q in members {
                    on_stack[q.index()] = false;
                    recursive[q] = cyclic;
                }
            }
        }
    }
    recursive
}

#[derive(Clone)]
struct Inlined {
    proc: Procedure,
    locations: IdVec<LocId, Origin>,
    edges: IdVec<EdgeId, Option<Copy>>,
}

impl Inlined {
    fn empty(id: ProcId, old: &Procedure) -> Inlined {
        let proc = Procedure {
            params: old.params.clone(),
            result: old.result,
            ..Procedure::new(&*old.name, old.span)
        };
        let origin = |location| Origin { proc: id, location, context: Context::new(0) };
        Inlined {
            proc,
            locations: [origin(old.entry), origin(old.exit)].into_iter().collect(),
            edges: IdVec::new(),
        }
    }

    fn add(&mut self, edge: Edge, copy: Option<Copy>) {
        self.proc.edges.push(edge);
        self.edges.push(copy);
    }
}

struct Inliner<'a> {
    store: &'a mut Store,
    program: &'a Program,
    recursive: &'a IdVec<ProcId, bool>,
    contexts: IdVec<Context, Option<(Context, ProcId, EdgeId)>>,
    budget: usize,
    limit: usize,
    called: IdVec<ProcId, bool>,
}

/// A procedure body still to be copied, with the locations for its entry and exit.
struct Pending {
    proc: ProcId,
    context: Context,
    entry: LocId,
    exit: LocId,
}

impl Inliner<'_> {
    fn root(&mut self, id: ProcId) -> Result<Inlined, InlineError> {
        let mut out = Inlined::empty(id, &self.program.procs[id]);
        let (entry, exit) = (out.proc.entry, out.proc.exit);
        let mut work = vec![Pending { proc: id, context: Context::new(0), entry, exit }];
        while let Some(pending) = work.pop() {
            self.copy_body(&mut out, pending, &mut work)?;
        }
        Ok(out)
    }

    fn copy_body(
        &mut self,
        out: &mut Inlined,
        pending: Pending,
        work: &mut Vec<Pending>,
    ) -> Result<(), InlineError> {
        let program = self.program;
        let body = &program.procs[pending.proc];
        self.budget =
            self.budget.checked_sub(body.locations.len()).ok_or(InlineError::TooLarge(self.limit))?;
        let mut map: IdVec<LocId, LocId> = IdVec::new();
        for (location, l) in body.locations.iter_enumerated() {
            let new = if location == body.entry {
                pending.entry
            } else if location == body.exit {
                pending.exit
            } else {
                out.locations.push(Origin { proc: pending.proc, location, context: pending.context });
                out.proc.locations.push(l.clone())
            };
            let copy = &mut out.proc.locations[new];
            copy.error = copy.error.or(l.error);
            // The entry is left only by edges of the body; the exit gets its one edge from the caller.
            copy.exclusive = l.exclusive && location != body.exit;
            map.push(new);
        }
        // Edges of one copy that shared an input constant still share it: this keeps exclusive guards exclusive.
        let mut fresh = FxHashMap::default();
        for (id, e) in body.edges.iter_enumerated() {
            let (from, to) = (map[e.from], map[e.to]);
            let copy = Some(Copy::faithful(pending.proc, id, e));
            match &e.action {
                Action::Step(s) => {
                    let action = Action::Step(s.with_fresh_inputs(self.store, self.program, &mut fresh));
                    out.add(Edge { from, to, action, ..e.clone() }, copy);
                }
                Action::Call(c) if self.recursive[c.callee] => {
                    self.called[c.callee] = true;
                    out.add(Edge { from, to, ..e.clone() }, copy);
                }
                Action::Call(c) => {
                    let context = self.contexts.push(Some((pending.context, pending.proc, id)));
                    let (entry, exit) = self.splice(out, e, c, (from, to), context, copy);
                    work.push(Pending { proc: c.callee, context, entry, exit });
                }
            }
        }
        Ok(())
    }

    /// The edges around an inlined body: parameters take the arguments, and the caller takes the result.
    fn splice(
        &mut self,
        out: &mut Inlined,
        call_edge: &Edge,
        call: &Call,
        (from, to): (LocId, LocId),
        context: Context,
        copy: Option<Copy>,
    ) -> (LocId, LocId) {
        let callee = &self.program.procs[call.callee];
        let mut place = |location: LocId| {
            out.locations.push(Origin { proc: call.callee, location, context });
            out.proc.location(callee.span)
        };
        let (entry, exit) = (place(callee.entry), place(callee.exit));
        let mut bind = Step::skip(self.store);
        bind.assigns = callee.params.iter().copied().zip(call.args.iter().copied()).collect();
        bind.assigns.sort_unstable_by_key(|a| a.0);
        let mut give = Step::skip(self.store);
        if let (Some(v), Some(r)) = (call.result, callee.result) {
            give.assigns.push((v, self.program.vars[r].term));
        }
        out.add(Edge { from, to: entry, action: Action::Step(bind), ..call_edge.clone() }, copy);
        let give = Edge {
            from: exit,
            to,
            action: Action::Step(give),
            span: if call.result.is_some() { call_edge.span } else { NOWHERE },
            approximations: Vec::new(),
        };
        out.add(give, None);
        (entry, exit)
    }
}
