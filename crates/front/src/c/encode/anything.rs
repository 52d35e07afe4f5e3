//! Anything that a function may do: where a contract stands for a body, and where a function is verified in any state.
//!
//! What a function may write is known only when all functions have been encoded: the variables of the encoded program that its
//! steps assign, and those of the functions that it calls. Memory is among them by its classes, so that a function that
//! writes through a pointer changes every object that the checked partition lets such a pointer lead to. What no function
//! assigns has its initial value in every state.

use super::Encoder;
use super::bits::Num;
use super::cells::Writes;
use super::flow::Flow;
use crate::c::hir::{FuncId, Place};
use crate::c::layout::GRAIN;
use crate::c::syntax::source::Issue;
use bolide_model::program::pass::Interval;
use bolide_model::{Action, Approximation, Bias, LocId, ProcId, Span, Step, VarId as Var, VarKind};
use bolide_term::Sort;
use rustc_hash::{FxHashMap, FxHashSet};

/// An edge that is still missing.
pub(super) struct Anything {
    proc: ProcId,
    from: LocId,
    to: LocId,
    /// The function that may do anything; none for everything that may have happened before.
    of: Option<FuncId>,
    span: Span,
}

impl Encoder<'_> {
    /// Is this the function that calls another one in any state?
    pub(super) fn is_proof(&self, f: FuncId) -> bool {
        self.unit.modular.as_ref().is_some_and(|m| m.parts.iter().any(|p| p.proof == f))
    }

    /// Does a procedure stand in for a function?
    pub(super) fn stands_in(&self, proc: ProcId, f: FuncId) -> bool {
        let parts = self.unit.modular.iter().flat_map(|m| &m.parts);
        parts.filter(|p| p.subject == f).any(|p| self.procs.get(&p.stand_in) == Some(&proc))
    }

    /// A place in a procedure where anything that a function may do happens.
    pub(super) fn anything(&mut self, flow: &mut Flow, of: Option<FuncId>, span: Span) {
        let to = self.program.procs[flow.proc].location(span);
        self.anything.push(Anything { proc: flow.proc, from: flow.at, to, of, span });
        flow.at = to;
    }

    /// A call of a function of which nothing is known but what it may write.
    pub(super) fn anything_returned(
        &mut self,
        flow: &mut Flow,
        dst: Option<&Place>,
        f: FuncId,
        span: Span,
    ) -> Result<(), Issue> {
        self.anything(flow, Some(f), span);
        let Some(place) = dst else { return Ok(()) };
        let what = "result of a function, by its contract";
        let range = self.range_of_type(place.ty);
        let value = match self.unit.types.format(place.ty) {
            Some(format) => self.any_float(flow, format, what, span),
            None => {
                let term = self.havoc_temp(flow, Sort::INT, range, what, span);
                Num::new(term, Interval::from_range(range))
            }
        };
        let ends = [0, 1].map(|_| self.havoc_temp(flow, Sort::INT, None, what, span));
        let mut writes = Writes::new();
        self.write(flow, &mut writes, place, value, span);
        self.write_extent(flow, &mut writes, place, (ends[0], ends[1]));
        self.commit(flow, writes, span);
        Ok(())
    }

    /// Adds the edges on which anything happens.
    pub(super) fn let_anything_happen(&mut self) {
        if self.anything.is_empty() {
            return;
        }
        let edges = std::mem::take(&mut self.anything);
        let written = self.written(&edges);
        let all: FxHashSet<Var> = written.values().flatten().copied().collect();
        for edge in edges {
            let vars = match edge.of {
                Some(f) => written.get(&self.procs[&f]).cloned().unwrap_or_default(),
                None => all.clone(),
            };
            let mut vars: Vec<Var> = vars.into_iter().collect();
            vars.sort_unstable();
            let mut step = Step::skip(self.store);
            for v in vars {
                let one = self.any_value(v, edge.of.is_none(), edge.span);
                step = step.then(self.store, &self.program, &one);
            }
            let what = "anything that a function may do".into();
            let approximation = Approximation { bias: Bias::Over, what, span: edge.span };
            let proc = &mut self.program.procs[edge.proc];
            let id = proc.step(edge.from, edge.to, step, edge.span);
            proc.edges[id].approximations.push(approximation);
        }
    }

    /// The step that gives a variable any value that it may have had.
    fn any_value(&mut self, v: Var, is_state: bool, span: Span) -> Step {
        let (name, sort, range) = {
            let v = &self.program.vars[v];
            (v.name.clone(), v.sort, v.range)
        };
        if v != self.brk {
            let input = self.extra_input(name, sort, range, span);
            return self.program.havoc(self.store, v, input);
        }
        // The heap only grows, and by whole grains.
        let input = self.extra_input("new objects".into(), Sort::INT, Some((0, 1 << 60)), span);
        let count = self.program.input_value(self.store, input);
        let guard = self.program.in_range(self.store, count, Some((0, 1 << 60)));
        let start = if is_state { self.int(self.layout.heap) } else { self.program.vars[v].term };
        let grain = bolide_base::Rational::from(GRAIN as i64);
        let bytes = self.store.scale(&grain, count);
        let end = self.store.add(&[start, bytes]);
        Step { guard, assigns: vec![(v, end)], inputs: vec![(count, input)] }
    }

    /// The global variables that each procedure may write, and those that it calls.
    fn written(&self, edges: &[Anything]) -> FxHashMap<ProcId, FxHashSet<Var>> {
        let mut out: FxHashMap<ProcId, FxHashSet<Var>> = FxHashMap::default();
        let mut callers: FxHashMap<ProcId, Vec<ProcId>> = FxHashMap::default();
        for (id, proc) in self.program.procs.iter_enumerated() {
            let own = out.entry(id).or_default();
            for edge in proc.edges.iter() {
                match &edge.action {
                    Action::Step(step) => own.extend(step.assigns.iter().map(|a| a.0)),
                    Action::Call(call) => {
                        own.extend(call.result);
                        callers.entry(call.callee).or_default().push(id);
                    }
                }
            }
            own.retain(|v| matches!(self.program.vars[*v].kind, VarKind::Global));
        }
        for edge in edges {
            if let Some(f) = edge.of {
                callers.entry(self.procs[&f]).or_default().push(edge.proc);
            }
        }
        let mut work: Vec<ProcId> = self.program.procs.ids().collect();
        while let Some(p) = work.pop() {
            let own = out[&p].clone();
            for &caller in callers.get(&p).into_iter().flatten() {
                let theirs = out.entry(caller).or_default();
                let before = theirs.len();
                theirs.extend(own.iter().copied());
                if theirs.len() > before {
                    work.push(caller);
                }
            }
        }
        out
    }
}
