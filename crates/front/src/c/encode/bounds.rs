//! Indices that leave their row.
//!
//! The partition keeps an array inside a record apart from the other members. An index that leaves the array and stays in the
//! record would meet them, which the cells cannot express: from there on anything may happen, so the program may violate
//! each property. These edges are over-approximations; the interpreter judges traces through them.

use super::Encoder;
use super::flow::Flow;
use crate::c::hir::{Expr, ExprId, Place};
use bolide_model::{Bias, LocId, ProcId, PropertyId, Span, Step};
use bolide_term::Term;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a read outside of its row is told to be.
const WHAT: &str = "an index outside of its array, inside the object around it";

impl Encoder<'_> {
    /// The condition under which an indexed place stays in its row; `None` if that is always so.
    pub(super) fn in_row(&mut self, flow: &mut Flow, place: &Place) -> Option<Term> {
        let (low, high) = self.memory.bounds(self.unit, place);
        if low.is_none() && high.is_none() {
            return None;
        }
        let mut terms = vec![self.int(i128::from(place.offset))];
        for &(index, stride) in &place.dynamic {
            let value = self.value(flow, index).term;
            terms.push(self.store.scale(&bolide_base::Rational::from(stride), value));
        }
        let offset = self.store.add(&terms);
        let mut both = Vec::new();
        if let Some(low) = low {
            let low = self.int(i128::from(low));
            both.push(self.store.le(low, offset));
        }
        if let Some(high) = high {
            let high = self.int(i128::from(high));
            both.push(self.store.le(offset, high));
        }
        Some(self.store.and(&both))
    }

    /// A place stays in its row, or anything may happen. Inside an expression this waits until it is known under which
    /// condition the place is read at all.
    pub(super) fn keep_row(&mut self, flow: &mut Flow, place: &Place, span: Span) {
        let Some(inside) = self.in_row(flow, place) else { return };
        match flow.current {
            Some(e) => _ = flow.guarded.insert(e, (inside, span)),
            None => {
                let outside = self.store.not(inside);
                self.never(flow, outside, span);
            }
        }
    }

    /// Checks the reads of an expression that has been evaluated, each under the condition under which C evaluates it.
    pub(super) fn check_reads(&mut self, flow: &mut Flow, root: ExprId) {
        if flow.guarded.is_empty() {
            return;
        }
        let order = self.unit.post_order([root]);
        if !order.iter().any(|e| flow.guarded.contains_key(e)) {
            return;
        }
        let mut when: FxHashMap<ExprId, Term> = FxHashMap::default();
        when.insert(root, self.store.tru());
        let mut outside = Vec::new();
        // Operands have smaller indices than what uses them.
        for &e in order.iter().rev() {
            let Some(&here) = when.get(&e) else { continue };
            if let Some(&(inside, span)) = flow.guarded.get(&e) {
                let not = self.store.not(inside);
                outside.push((self.store.and(&[here, not]), span));
            }
            let under = match self.unit.exprs[e].expr.clone() {
                Expr::LogicAnd(a, b) => {
                    let first = self.truth(flow, a);
                    vec![(a, here), (b, self.store.and(&[here, first]))]
                }
                Expr::LogicOr(a, b) => {
                    let first = self.truth(flow, a);
                    let not = self.store.not(first);
                    vec![(a, here), (b, self.store.and(&[here, not]))]
                }
                Expr::Cond(c, a, b) => {
                    let first = self.truth(flow, c);
                    let not = self.store.not(first);
                    vec![(c, here), (a, self.store.and(&[here, first])), (b, self.store.and(&[here, not]))]
                }
                other => other.operands().into_iter().map(|o| (o, here)).collect(),
            };
            for (operand, condition) in under {
                let old = when.get(&operand).copied().unwrap_or(self.store.fls());
                let new = self.store.or(&[old, condition]);
                when.insert(operand, new);
            }
        }
        for (formula, span) in outside {
            self.never(flow, formula, span);
        }
    }

    /// If a formula holds anything may happen; execution goes on where it does not.
    fn never(&mut self, flow: &mut Flow, formula: Term, span: Span) {
        if formula == self.store.fls() {
            return;
        }
        let chaos = self.chaos(flow.proc, span);
        self.approximate(Bias::Over, WHAT, span);
        let proc = &mut self.program.procs[flow.proc];
        let edge = proc.step(flow.at, chaos, Step::assume(formula), span);
        proc.edges[edge].approximations.extend(self.approximations.pop());
        let not = self.store.not(formula);
        flow.assume(self, not, span);
    }

    /// A location of a procedure from which every property can be violated, except those that only say that execution comes to
    /// something unsupported: nothing worse follows from them.
    fn chaos(&mut self, proc: ProcId, span: Span) -> LocId {
        if let Some(&at) = self.chaos.get(&proc) {
            return at;
        }
        let at = self.program.procs[proc].location(span);
        let unsupported: FxHashSet<PropertyId> = self.unit.unsupported.iter().map(|(p, _)| *p).collect();
        for property in self.program.properties.ids().filter(|p| !unsupported.contains(p)) {
            let skip = Step::skip(self.store);
            let p = &mut self.program.procs[proc];
            let error = p.location(span);
            p.locations[error].error = Some(property);
            p.step(at, error, skip, span);
        }
        self.chaos.insert(proc, at);
        at
    }
}
