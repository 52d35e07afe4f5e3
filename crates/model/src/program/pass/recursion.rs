//! Recursion to a bounded depth: every recursive procedure gets a copy for each depth, with locals of its own.
//!
//! The copies call each other in one direction, so that everything can be inlined. A call from the deepest copy goes
//! to an error location of its own: a proof that this cannot be reached, too, holds for the program with all its
//! recursion, and a trace that ends there says nothing.

use super::inline::recursive_procs;
use crate::program::back::map::{BackMap, Copy, EdgeMap, Grounds, OUTERMOST, Origin, no_contexts};
use crate::{
    Action, Call, Edge, EdgeId, Location, ProcId, Procedure, Program, Property, PropertyId, Step, VarId,
    VarKind,
};
use bolide_base::IdVec;
use bolide_term::{Store, Substitution, Term};
use rustc_hash::FxHashMap;

/// A program without recursion.
pub struct Bounded {
    /// The program.
    pub program: Program,
    /// The way back.
    pub map: BackMap,
    /// Violated where a call would be too deep.
    pub too_deep: PropertyId,
}

/// Follows recursive calls to a depth; `None` if there is no recursion.
pub fn bound_recursion(store: &mut Store, program: &Program, depth: usize) -> Option<Bounded> {
    let recursive = recursive_procs(program);
    if recursive.iter().all(|r| !r) {
        return None;
    }
    let mut new = program.clone();
    let name = format!("recursion deeper than {depth} calls");
    let too_deep = new.properties.push(Property { name, span: program.main().span });
    // The copy of depth 0 is the procedure itself.
    let mut copies: FxHashMap<(ProcId, usize), ProcId> = FxHashMap::default();
    for id in program.procs.ids().filter(|&p| recursive[p]) {
        copies.insert((id, 0), id);
        for level in 1..=depth {
            copies.insert((id, level), new.procs.push(program.procs[id].clone()));
        }
    }
    let mut origins: IdVec<ProcId, (ProcId, usize)> = program.procs.ids().map(|p| (p, 0)).collect();
    for id in program.procs.ids().filter(|&p| recursive[p]) {
        (1..=depth).for_each(|level| _ = origins.push((id, level)));
    }
    let (mut locations, mut edges) = (IdVec::new(), IdVec::new());
    for (copy, &(original, level)) in origins.iter_enumerated() {
        let mut names = Substitution::new();
        let renamed = if level > 0 {
            own_locals(store, &mut new, original, copy, &mut names)
        } else {
            FxHashMap::default()
        };
        let mut body = Body { store, names, renamed };
        let p = &program.procs[original];
        let mut proc = body.procedure(p);
        let mut maps: IdVec<EdgeId, Option<Copy>> = IdVec::new();
        let mut places: IdVec<_, Origin> = p
            .locations
            .ids()
            .map(|location| Origin { proc: original, location, context: OUTERMOST })
            .collect();
        for (id, e) in p.edges.iter_enumerated() {
            maps.push(Some(Copy::faithful(original, id, e)));
            let Action::Call(c) = &mut proc.edges[id].action else { continue };
            if !recursive[c.callee] {
                continue;
            }
            let next = if recursive[original] { level + 1 } else { 0 };
            match copies.get(&(c.callee, next)) {
                Some(&callee) => c.callee = callee,
                None => {
                    let error = Location { span: e.span, error: Some(too_deep), exclusive: false };
                    places.push(Origin { proc: original, location: e.from, context: OUTERMOST });
                    proc.edges[id].to = proc.locations.push(error);
                    proc.edges[id].action = Action::Step(Step::skip(body.store));
                    maps[id] = None;
                }
            }
        }
        new.procs[copy] = proc;
        locations.push(places);
        edges.push(maps);
    }
    let map = BackMap {
        locations,
        contexts: no_contexts(),
        edges: EdgeMap::Copies(edges),
        split: Vec::new(),
        grounds: Grounds::Terms,
    };
    Some(Bounded { program: new, map, too_deep })
}

/// New variables for the locals of a procedure.
fn own_locals(
    store: &mut Store,
    new: &mut Program,
    original: ProcId,
    copy: ProcId,
    names: &mut Substitution,
) -> FxHashMap<VarId, VarId> {
    let mut renamed = FxHashMap::default();
    for v in new.vars.ids().collect::<Vec<_>>() {
        let variable = new.vars[v].clone();
        if variable.kind == VarKind::Local(original) {
            let kind = VarKind::Local(copy);
            let own = new.variable(store, &variable.name, variable.sort, kind, variable.range);
            names.insert(variable.term, new.vars[own].term);
            renamed.insert(v, own);
        }
    }
    renamed
}

/// Copies a body under a renaming.
struct Body<'a> {
    store: &'a mut Store,
    names: Substitution,
    renamed: FxHashMap<VarId, VarId>,
}

impl Body<'_> {
    fn var(&self, v: VarId) -> VarId {
        self.renamed.get(&v).copied().unwrap_or(v)
    }

    fn term(&mut self, t: Term) -> Term {
        self.names.apply(self.store, t)
    }

    fn procedure(&mut self, p: &Procedure) -> Procedure {
        let mut copy = p.clone();
        copy.params.iter_mut().for_each(|v| *v = self.var(*v));
        copy.result = p.result.map(|v| self.var(v));
        copy.edges = p.edges.iter().map(|e| Edge { action: self.action(&e.action), ..e.clone() }).collect();
        copy
    }

    fn action(&mut self, action: &Action) -> Action {
        match action {
            Action::Step(s) => {
                let guard = self.term(s.guard);
                let mut assigns: Vec<(VarId, Term)> =
                    s.assigns.iter().map(|&(v, t)| (self.var(v), self.term(t))).collect();
                assigns.sort_unstable_by_key(|a| a.0);
                Action::Step(Step { guard, assigns, inputs: s.inputs.clone() })
            }
            Action::Call(c) => Action::Call(Call {
                callee: c.callee,
                args: c.args.iter().map(|&t| self.term(t)).collect(),
                result: c.result.map(|v| self.var(v)),
            }),
        }
    }
}
