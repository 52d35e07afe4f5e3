//! The callbacks that CaDiCaL calls while it searches (IPASIR-UP), translated for a [`Theory`].
//!
//! No panic leaves a callback: it is kept, the search is brought to an end with harmless answers, and
//! [`Solver::solve`](crate::Solver::solve) raises it again once CaDiCaL has returned.

#![allow(unsafe_code, reason = "the edge to C++: callbacks outlive what they point to only by our care")]

use crate::lit::from_dimacs;
use crate::mirror::Mirror;
use crate::proof::{Origin, Recorder};
use crate::theory::Requests;
use crate::{Context, Lit, Theory};
use cadical_sys::{CaDiCal, ExternalPropagator, Terminator};
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::rc::Rc;

/// How many polls of the terminator go by between two questions to the caller's `stop`.
const POLLS_PER_QUESTION: u32 = 16;
/// How many questions of CaDiCaL go by between two reports of its work.
const POLLS_PER_REPORT: u32 = 64;
/// How much of CaDiCaL's work is a unit of effort.
const TICKS_PER_UNIT: u64 = 10;

/// The caller's `stop` during a solve call; its lifetime is erased.
type Stop = NonNull<dyn Fn() -> bool>;

/// The theory and everything between it and CaDiCaL. Shared by the solver and the callbacks; borrowed by a callback
/// only while that callback runs, and by the solver never while CaDiCaL runs.
pub(crate) struct Core<T> {
    pub(crate) theory: T,
    pub(crate) requests: Requests,
    pub(crate) mirror: Mirror,
    recorder: Option<Rc<RefCell<Recorder>>>,
    /// The explanation that CaDiCaL is reading, last literal first; `None` between explanations.
    reason: Option<Vec<Lit>>,
    /// Kept for its memory.
    spare: Vec<Lit>,
    /// The theory has nothing to add to what it was told.
    settled: bool,
    /// Present exactly while a solve call runs.
    stop: Option<Stop>,
    polls: u32,
    /// How much of CaDiCaL's work has been reported.
    ticks: u64,
    /// The search is to end; nothing is asked of the theory any more but explanations.
    interrupted: bool,
    /// CaDiCaL was given a model that the theory did not accept, so that it comes to an end.
    pub(crate) unchecked_model: bool,
    panic: Option<Box<dyn Any + Send>>,
    /// A callback panicked at some time: theory and clauses are in no known state.
    pub(crate) poisoned: bool,
}

impl<T: Theory> Core<T> {
    pub(crate) fn new(theory: T, recorder: Option<Rc<RefCell<Recorder>>>) -> Core<T> {
        Core {
            theory,
            requests: Requests::default(),
            mirror: Mirror::default(),
            recorder,
            reason: None,
            spare: Vec::new(),
            settled: false,
            stop: None,
            polls: 0,
            ticks: 0,
            interrupted: false,
            unchecked_model: false,
            panic: None,
            poisoned: false,
        }
    }

    /// A solve call starts. `stop` must stay alive until [`Core::end`].
    pub(crate) fn begin(&mut self, stop: Stop) {
        self.stop = Some(stop);
        self.polls = 0;
        self.interrupted = false;
        self.unchecked_model = false;
        self.requests.give_up = false;
        // The caller may have changed the theory since the last call.
        self.settled = false;
    }

    /// A solve call ends; returns the panic of a callback, if there was one.
    pub(crate) fn end(&mut self) -> Option<Box<dyn Any + Send>> {
        self.stop = None;
        self.panic.take()
    }

    /// Reports the work of a search: CaDiCaL counts the cache lines that it touches.
    pub(crate) fn report_effort(&mut self, cadical: &CaDiCal) {
        let ticks = cadical.get_statistic_value("ticks").unsigned_abs();
        let units = ticks.saturating_sub(self.ticks) / TICKS_PER_UNIT;
        bolide_base::spend(units);
        self.ticks += units * TICKS_PER_UNIT;
    }

    /// Whether the search is to end. Asks the caller every now and then.
    fn poll(&mut self) -> bool {
        if self.interrupted || self.requests.give_up {
            return true;
        }
        if self.polls.is_multiple_of(POLLS_PER_QUESTION) {
            // SAFETY: `stop` is present only between `begin` and `end`, and the caller of `begin` keeps it alive.
            self.interrupted = self.stop.is_some_and(|stop| unsafe { stop.as_ref() }());
        }
        self.polls = self.polls.wrapping_add(1);
        bolide_base::spend(1);
        self.interrupted
    }

    /// Brings the theory up to date.
    fn sync(&mut self) {
        let synced = self.mirror.sync(&mut self.theory);
        if let Some(depth) = synced.cut {
            self.requests.cut(depth);
        }
        self.settled &= !synced.news;
        self.requests.depth = self.mirror.depth();
    }

    /// The next literal to propagate, asking the theory when none is left over. Clauses go first: CaDiCaL asks for them
    /// after the answer `None`.
    fn next_propagation(&mut self) -> Option<Lit> {
        if self.poll() {
            return None;
        }
        self.sync();
        if self.requests.next_clause().is_some() {
            return None;
        }
        if let Some(lit) = self.next_open_propagation() {
            return Some(lit);
        }
        if !self.settled {
            self.settled = true;
            self.theory.propagate(&mut Context { requests: &mut self.requests });
        }
        if self.requests.next_clause().is_some() {
            return None;
        }
        self.next_open_propagation()
    }

    /// The next literal that the theory propagated and that is not true anyway.
    fn next_open_propagation(&mut self) -> Option<Lit> {
        let (requests, mirror) = (&mut self.requests, &self.mirror);
        std::iter::from_fn(|| requests.next_propagation()).find(|&lit| !mirror.is_true(lit))
    }

    fn decide(&mut self) -> Option<Lit> {
        self.sync();
        let lit = self.theory.decide(&mut Context { requests: &mut self.requests })?;
        self.requests.demand_observed(lit);
        (!self.mirror.is_assigned(lit)).then_some(lit)
    }

    /// Whether CaDiCaL may stop with this model.
    fn check_model(&mut self, model: &[i32]) -> bool {
        if !self.poll() {
            self.sync();
            let mut lits = std::mem::take(&mut self.spare);
            lits.clear();
            lits.extend(from_dimacs(model));
            let mut ctx = Context { requests: &mut self.requests };
            let accepted = self.theory.check_model(&mut ctx, &lits);
            let has_news = ctx.has_news();
            self.spare = lits;
            if (accepted || has_news) && !self.requests.give_up {
                return accepted;
            }
        }
        self.unchecked_model = true;
        true
    }

    /// The next literal of the explanation of `lit`; `None` at its end.
    fn next_reason_lit(&mut self, lit: Lit) -> Option<Lit> {
        if self.reason.is_none() {
            let reason = self.explain(lit);
            self.reason = Some(reason);
        }
        let next = self.reason.as_mut().and_then(Vec::pop);
        if next.is_none() {
            self.spare = self.reason.take().unwrap_or_default();
        }
        next
    }

    fn explain(&mut self, lit: Lit) -> Vec<Lit> {
        let lemma = self.requests.next_lemma();
        let mut reason = std::mem::take(&mut self.spare);
        reason.clear();
        self.theory.explain(lit, lemma, &mut reason);
        assert!(reason.contains(&lit), "the theory explained literal {lit} by a clause without it");
        for &lit in &reason {
            self.requests.demand_observed(lit);
        }
        debug_assert!(self.mirror.could_follow(lit, &reason), "{lit} cannot follow by {reason:?}");
        self.record_next(Origin::Lemma(lemma));
        reason
    }

    /// Whether there is a clause to add, and if so whether it may be forgotten.
    fn next_clause(&mut self) -> Option<bool> {
        if self.poll() {
            return None;
        }
        let clause = self.requests.next_clause()?;
        let (forgettable, origin) = (clause.forgettable, Origin::Lemma(clause.id));
        self.record_next(origin);
        Some(forgettable)
    }

    /// The next original clause in the proof is of this origin.
    pub(crate) fn record_next(&self, origin: Origin) {
        if let Some(recorder) = &self.recorder {
            recorder.borrow_mut().expect(origin);
        }
    }
}

/// What CaDiCaL holds of us.
pub(crate) struct Link<T> {
    pub(crate) core: Rc<RefCell<Core<T>>>,
    /// CaDiCaL itself, to declare variables during the search.
    pub(crate) cadical: NonNull<CaDiCal>,
}

impl<T: Theory> Link<T> {
    /// Runs a callback; answers `otherwise` if it panics or one has panicked before.
    fn guarded<R>(&self, otherwise: R, callback: impl FnOnce(&mut Core<T>) -> R) -> R {
        if self.core.borrow().poisoned {
            return otherwise;
        }
        match catch_unwind(AssertUnwindSafe(|| callback(&mut self.core.borrow_mut()))) {
            Ok(answer) => answer,
            Err(panic) => {
                let mut core = self.core.borrow_mut();
                core.panic = Some(panic);
                core.poisoned = true;
                core.interrupted = true;
                otherwise
            }
        }
    }

    /// Runs a callback in which the theory may make variables, and declares them.
    fn guarded_with_vars<R>(&self, otherwise: R, callback: impl FnOnce(&mut Core<T>) -> R) -> R {
        let answer = self.guarded(otherwise, callback);
        let mut fresh = std::mem::take(&mut self.core.borrow_mut().requests.fresh);
        for var in fresh.drain(..) {
            // SAFETY: the solver that owns `cadical` is in the call of it that led to this callback, so it is alive.
            // `add_observed_var` only reads the handle's own fields and passes on to CaDiCaL, which allows this call
            // from callbacks; the outer call neither holds nor makes changes to these fields. The variable is new to
            // CaDiCaL, so it is unassigned and no callback is called back.
            unsafe { (*self.cadical.as_ptr()).add_observed_var(var.dimacs()) };
        }
        self.core.borrow_mut().requests.fresh = fresh;
        answer
    }
}

fn to_dimacs(lit: Option<Lit>) -> i32 {
    lit.map_or(0, Lit::dimacs)
}

impl<T: Theory> ExternalPropagator for Link<T> {
    fn are_reasons_forgettable(&mut self) -> bool {
        true
    }

    fn notify_assignment(&mut self, lits: &[i32]) {
        self.guarded((), |core| from_dimacs(lits).for_each(|lit| core.mirror.assigned(lit)));
    }

    fn notify_new_decision_level(&mut self) {
        self.guarded((), |core| core.mirror.new_level());
    }

    fn notify_backtrack(&mut self, new_level: usize) {
        self.guarded((), |core| core.mirror.backtracked(new_level));
    }

    fn cb_check_found_model(&mut self, model: &[i32]) -> bool {
        self.guarded_with_vars(true, |core| core.check_model(model))
    }

    fn cb_decide(&mut self) -> i32 {
        to_dimacs(self.guarded_with_vars(None, Core::decide))
    }

    fn cb_propagate(&mut self) -> i32 {
        to_dimacs(self.guarded_with_vars(None, Core::next_propagation))
    }

    fn cb_add_reason_clause_lit(&mut self, propagated_lit: i32) -> i32 {
        let Some(lit) = Lit::new(propagated_lit) else { return 0 };
        let next = self.guarded(Some(lit), |core| core.next_reason_lit(lit));
        if !self.core.borrow().poisoned {
            return to_dimacs(next);
        }
        // A clause that CaDiCaL takes without complaint: the literal alone. Its answer will not be used.
        let mut core = self.core.borrow_mut();
        match core.reason.take() {
            None => {
                core.reason = Some(Vec::new());
                propagated_lit
            }
            Some(_) => 0,
        }
    }

    fn cb_has_external_clause(&mut self, is_forgettable: &mut bool) -> bool {
        let clause = self.guarded(None, Core::next_clause);
        *is_forgettable = clause.unwrap_or(false);
        clause.is_some()
    }

    fn cb_add_external_clause_lit(&mut self) -> i32 {
        to_dimacs(self.guarded(None, |core| core.requests.next_clause_lit()))
    }
}

/// What CaDiCaL asks whether to go on.
pub(crate) struct Watchdog<T> {
    pub(crate) core: Rc<RefCell<Core<T>>>,
    /// CaDiCaL itself, which knows how much work it has done.
    pub(crate) cadical: NonNull<CaDiCal>,
    /// How often it has asked.
    pub(crate) asked: u32,
}

impl<T: Theory> Terminator for Watchdog<T> {
    fn terminated(&mut self) -> bool {
        let mut core = self.core.borrow_mut();
        // A long search must not take the turns of others.
        self.asked = self.asked.wrapping_add(1);
        if self.asked.is_multiple_of(POLLS_PER_REPORT) {
            // SAFETY: the solver that owns `cadical` is in the call of it that led to this callback, so it is alive. Statistics are
            // read only.
            core.report_effort(unsafe { self.cadical.as_ref() });
        }
        match catch_unwind(AssertUnwindSafe(|| core.poll())) {
            Ok(answer) => answer,
            Err(panic) => {
                core.panic = Some(panic);
                core.poisoned = true;
                core.interrupted = true;
                true
            }
        }
    }
}
