//! Removal of locations that no execution reaches or from which no error can be reached, by the graph alone.

use crate::program::back::map::{BackMap, Copy, EdgeMap, Grounds, OUTERMOST, Origin, no_contexts};
use crate::{Action, Edge, EdgeId, LocId, ProcId, Procedure, Program};
use bolide_base::IdVec;
use bolide_term::Store;

/// Removes what cannot matter for any property. A guard that is `false` counts as a missing edge, and so does an edge
/// that leads back to where it starts and changes nothing.
pub fn prune(store: &Store, program: &Program) -> (Program, BackMap) {
    let faulty = can_err(program);
    let (mut procs, mut locations, mut edges) = (IdVec::new(), IdVec::new(), IdVec::new());
    for (id, p) in program.procs.iter_enumerated() {
        let keep = useful(store, program, id, &faulty);
        let (proc, origins, copies) = restrict(store, id, p, &keep);
        procs.push(proc);
        locations.push(origins);
        edges.push(copies);
    }
    let new = Program { procs, ..program.clone() };
    let map = BackMap {
        locations,
        contexts: no_contexts(),
        edges: EdgeMap::Copies(edges),
        split: Vec::new(),
        grounds: Grounds::Graph,
    };
    (new, map)
}

/// The procedures that have an error location or call one that does.
pub(crate) fn can_err(program: &Program) -> IdVec<ProcId, bool> {
    let mut callers: IdVec<ProcId, Vec<ProcId>> = program.procs.iter().map(|_| Vec::new()).collect();
    for (id, p) in program.procs.iter_enumerated() {
        for e in &p.edges {
            if let Action::Call(c) = &e.action {
                callers[c.callee].push(id);
            }
        }
    }
    let mut faulty: IdVec<ProcId, bool> =
        program.procs.iter().map(|p| p.locations.iter().any(|l| l.error.is_some())).collect();
    let mut work: Vec<ProcId> = program.procs.ids().filter(|&p| faulty[p]).collect();
    while let Some(p) = work.pop() {
        for &c in &callers[p] {
            if !std::mem::replace(&mut faulty[c], true) {
                work.push(c);
            }
        }
    }
    faulty
}

/// Can an edge lead to a state that was not there before?
fn possible(store: &Store, e: &Edge) -> bool {
    e.step().is_none_or(|s| s.guard != store.fls() && (e.from != e.to || !s.assigns.is_empty()))
}

/// The locations on some way from the entry to an error, to a call that can err or, in a callee, to the exit.
fn useful(store: &Store, program: &Program, id: ProcId, faulty: &IdVec<ProcId, bool>) -> IdVec<LocId, bool> {
    let p = &program.procs[id];
    let forward = reachable(store, p);
    let mut goals: Vec<LocId> = p.locations.ids().filter(|&l| p.locations[l].error.is_some()).collect();
    if id != program.entry {
        goals.push(p.exit);
    }
    goals.extend(p.edges.iter().filter_map(|e| match &e.action {
        Action::Call(c) if faulty[c.callee] => Some(e.from),
        _ => None,
    }));
    let backward = flood(p, goals, &p.incoming(), |e| e.from, |_, e| possible(store, e));
    p.locations.ids().map(|l| forward[l] && backward[l]).collect()
}

/// The locations that the graph of a procedure leads to from its entry.
pub(in crate::program) fn reachable(store: &Store, p: &Procedure) -> IdVec<LocId, bool> {
    let follow = |l: LocId, e: &Edge| p.locations[l].error.is_none() && possible(store, e);
    flood(p, [p.entry], &p.outgoing(), |e| e.to, follow)
}

fn flood(
    p: &Procedure,
    seeds: impl IntoIterator<Item = LocId>,
    incident: &IdVec<LocId, Vec<EdgeId>>,
    far: impl Fn(&Edge) -> LocId,
    follow: impl Fn(LocId, &Edge) -> bool,
) -> IdVec<LocId, bool> {
    let mut seen: IdVec<LocId, bool> = p.locations.iter().map(|_| false).collect();
    let mut work: Vec<LocId> = Vec::new();
    for l in seeds {
        if !std::mem::replace(&mut seen[l], true) {
            work.push(l);
        }
    }
    while let Some(l) = work.pop() {
        for &e in &incident[l] {
            let edge = &p.edges[e];
            if follow(l, edge) && !std::mem::replace(&mut seen[far(edge)], true) {
                work.push(far(edge));
            }
        }
    }
    seen
}

type Restricted = (Procedure, IdVec<LocId, Origin>, IdVec<EdgeId, Option<Copy>>);

/// The part of a procedure between the locations to keep; entry and exit always stay.
fn restrict(store: &Store, id: ProcId, p: &Procedure, keep: &IdVec<LocId, bool>) -> Restricted {
    let mut out =
        Procedure { params: p.params.clone(), result: p.result, ..Procedure::new(&*p.name, p.span) };
    let origin = |location| Origin { proc: id, location, context: OUTERMOST };
    let mut origins: IdVec<LocId, Origin> = [origin(p.entry), origin(p.exit)].into_iter().collect();
    let mut map: IdVec<LocId, Option<LocId>> = p.locations.iter().map(|_| None).collect();
    for (l, location) in p.locations.iter_enumerated() {
        let new = if l == p.entry {
            out.entry
        } else if l == p.exit {
            out.exit
        } else if keep[l] {
            origins.push(origin(l));
            out.locations.push(location.clone())
        } else {
            continue;
        };
        out.locations[new] = location.clone();
        map[l] = Some(new);
    }
    let mut copies = IdVec::new();
    for (e, edge) in p.edges.iter_enumerated() {
        if !keep[edge.from] || !possible(store, edge) || p.locations[edge.from].error.is_some() {
            continue;
        }
        let from = map[edge.from].expect("a location that is kept");
        let to = match map[edge.to].filter(|_| keep[edge.to]) {
            Some(to) => to,
            // The call can err, but what follows its return cannot: a dead end takes its place.
            None if matches!(edge.action, Action::Call(_)) => {
                origins.push(origin(edge.to));
                out.location(p.locations[edge.to].span)
            }
            None => continue,
        };
        out.edges.push(Edge { from, to, ..edge.clone() });
        copies.push(Some(Copy::faithful(id, e, edge)));
    }
    (out, origins, copies)
}
