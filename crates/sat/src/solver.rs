//! The solver: clauses in, answers out, with a theory and a proof if wanted.

#![allow(unsafe_code, reason = "the edge to C++: the solver owns CaDiCaL by a pointer that callbacks share")]

use crate::link::{Core, Link, Watchdog};
use crate::proof::{ClauseId, Origin, Recorder, ResolutionProof, Tape};
use crate::{Config, Lit, NoTheory, Theory};
use cadical_sys::{CaDiCal, Status};
use std::cell::{Ref, RefCell, RefMut};
use std::panic::resume_unwind;
use std::ptr::NonNull;
use std::rc::Rc;

/// The answer to a query.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Outcome {
    /// There is a model: see [`Solver::value`].
    Sat,
    /// There is none under the assumptions: see [`Solver::failed`] and [`Solver::proof`].
    Unsat,
    /// Interrupted by the caller or given up by the theory.
    Unknown,
}

/// An incremental SAT solver with a theory.
///
/// Neither `Send` nor `Sync`. Literals come from [`Solver::new_var`], but any literal is understood.
pub struct Solver<T: Theory = NoTheory> {
    /// Owned; a raw pointer because the callbacks need CaDiCaL as well.
    cadical: NonNull<CaDiCal>,
    core: Rc<RefCell<Core<T>>>,
    recorder: Option<Rc<RefCell<Recorder>>>,
    clauses: u32,
    /// Of the last query, until clauses or observed variables are added.
    outcome: Option<Outcome>,
    /// For CaDiCaL's view of a clause.
    buffer: Vec<i32>,
}

/// The effort of making a solver.
const NEW_SOLVER: u64 = 150;

impl<T: Theory> Solver<T> {
    /// A solver without clauses.
    pub fn new(config: Config, theory: T) -> Solver<T> {
        let recorder = config.proof.then(|| Rc::new(RefCell::new(Recorder::default())));
        let core = Rc::new(RefCell::new(Core::new(theory, recorder.clone())));
        bolide_base::spend(NEW_SOLVER);
        let cadical = NonNull::from(Box::leak(Box::new(CaDiCal::new())));
        let solver = Solver {
            cadical,
            core: Rc::clone(&core),
            recorder: recorder.clone(),
            clauses: 0,
            outcome: None,
            buffer: Vec::new(),
        };
        solver.call(|handle| {
            config.apply(handle, T::ATTACHED);
            if let Some(recorder) = recorder {
                handle.connect_proof_tracer1(Tape(recorder), true, false);
            }
            if T::ATTACHED {
                handle.connect_external_propagator(Link { core: Rc::clone(&core), cadical });
            }
            handle.connect_terminator(Watchdog { core, cadical, asked: 0 });
        });
        solver
    }

    /// Calls CaDiCaL, which may call back: no borrow of `core` or `recorder` may be alive, unless the call is one that
    /// only reads an answer.
    fn call<R>(&self, cadical: impl FnOnce(&mut CaDiCal) -> R) -> R {
        // SAFETY: owned by `self`, which is of one thread, until it is dropped. The closures in this file do not call
        // back into `self`; for what the callbacks of CaDiCaL do with it see `Link`.
        cadical(unsafe { &mut *self.cadical.as_ptr() })
    }

    /// The theory. Not to be held across other calls.
    pub fn theory(&self) -> Ref<'_, T> {
        Ref::map(self.core.borrow(), |core| &core.theory)
    }

    /// The theory, to change it between queries. Not to be held across other calls.
    pub fn theory_mut(&mut self) -> RefMut<'_, T> {
        RefMut::map(self.core.borrow_mut(), |core| &mut core.theory)
    }

    /// Takes the theory back to level 0. The next query tells it the trail anew.
    pub fn rewind_theory(&mut self) {
        let core = &mut *self.core.borrow_mut();
        core.mirror.rewind(&mut core.theory);
        core.requests.cut(0);
    }

    /// A new variable as a positive literal.
    pub fn new_var(&mut self) -> Lit {
        self.core.borrow_mut().requests.new_var()
    }

    /// From now on the theory is told of this variable's assignments and may use it. Ignored without a theory.
    pub fn observe(&mut self, var: Lit) {
        if !T::ATTACHED {
            return;
        }
        let is_new = {
            let requests = &mut self.core.borrow_mut().requests;
            requests.reserve(var);
            requests.observe(var)
        };
        if is_new {
            self.outcome = None;
            self.call(|cadical| cadical.add_observed_var(var.positive().dimacs()));
        }
    }

    /// Adds a clause for good. The number is the one under which a proof mentions it: clauses count from 0.
    pub fn add_clause(&mut self, lits: &[Lit]) -> ClauseId {
        bolide_base::spend(1 + lits.len() as u64);
        let id = ClauseId(self.clauses);
        self.clauses += 1;
        self.outcome = None;
        self.reserve(lits);
        self.core.borrow().record_next(Origin::Input(id));
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        buffer.extend(lits.iter().map(|lit| lit.dimacs()));
        self.call(|cadical| cadical.clause6(&buffer));
        self.buffer = buffer;
        id
    }

    /// Looks for a model of the clauses under the assumptions. `stop` is asked every now and then whether to end the
    /// search as [`Outcome::Unknown`].
    ///
    /// # Panics
    ///
    /// Raises the panic of a callback of the theory or of `stop`. The solver is then of no more use: later queries
    /// answer [`Outcome::Unknown`].
    ///
    /// # Stack
    ///
    /// With a proof, CaDiCaL finds the failed assumptions by a recursion as deep as the implications between them and
    /// the conflict: some 40 bytes a literal. Threads that ask for proofs of large problems need a stack to match.
    pub fn solve(&mut self, assumptions: &[Lit], stop: &dyn Fn() -> bool) -> Outcome {
        self.outcome = None;
        if self.core.borrow().poisoned {
            return Outcome::Unknown;
        }
        self.reserve(assumptions);
        self.core.borrow_mut().begin(erase_lifetime(stop));
        for lit in assumptions {
            self.call(|cadical| cadical.assume(lit.dimacs()));
        }
        let status = self.call(|cadical| cadical.solve());
        self.call(|cadical| self.core.borrow_mut().report_effort(cadical));
        if status == Status::UNSATISFIABLE {
            self.conclude(assumptions);
        }
        let panic = self.core.borrow_mut().end();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
        let outcome = match status {
            Status::SATISFIABLE if self.core.borrow().unchecked_model => Outcome::Unknown,
            Status::SATISFIABLE => Outcome::Sat,
            Status::UNSATISFIABLE => Outcome::Unsat,
            Status::UNKNOWN => Outcome::Unknown,
        };
        self.outcome = Some(outcome);
        outcome
    }

    /// Has CaDiCaL find the failed assumptions and conclude the proof now, while the theory can still explain.
    fn conclude(&mut self, assumptions: &[Lit]) {
        if let Some(first) = assumptions.first() {
            self.call(|cadical| cadical.failed(first.dimacs()));
        }
        if self.recorder.is_some() {
            self.call(|cadical| cadical.conclude());
        }
    }

    fn reserve(&mut self, lits: &[Lit]) {
        let requests = &mut self.core.borrow_mut().requests;
        lits.iter().for_each(|&lit| requests.reserve(lit));
    }

    /// The literal's value in the model; `None` if the last call was not a query answered by [`Outcome::Sat`].
    pub fn value(&self, lit: Lit) -> Option<bool> {
        (self.outcome == Some(Outcome::Sat))
            .then(|| self.call(|cadical| cadical.val(lit.dimacs())) == lit.dimacs())
    }

    /// Whether the assumption was used to show that there is no model. False if the last call was not a query answered
    /// by [`Outcome::Unsat`]; the failed assumptions together with the clauses are unsatisfiable.
    pub fn failed(&self, assumption: Lit) -> bool {
        self.outcome == Some(Outcome::Unsat) && self.call(|cadical| cadical.failed(assumption.dimacs()))
    }

    /// The literal's value if the clauses are known to force it.
    pub fn fixed(&self, lit: Lit) -> Option<bool> {
        match self.call(|cadical| cadical.fixed(lit.dimacs())) {
            0 => None,
            sign => Some(sign > 0),
        }
    }

    /// The literal to try first when its variable is decided on.
    pub fn prefer(&mut self, lit: Lit) {
        self.reserve(&[lit]);
        self.call(|cadical| cadical.phase(lit.dimacs()));
    }

    /// The proof recorded so far, if [`Config::proof`] asked for one. Not to be held across other calls.
    pub fn proof(&self) -> Option<Ref<'_, ResolutionProof>> {
        let recorder = self.recorder.as_ref()?;
        Some(Ref::map(recorder.borrow(), Recorder::proof))
    }
}

/// Freeing a solver with more clauses than this may take a second or more: nobody waits for it.
const LARGE: u32 = 500_000;

impl<T: Theory> Drop for Solver<T> {
    fn drop(&mut self) {
        // SAFETY: made from a box in `new`, and nobody uses it after this.
        let mut cadical = unsafe { Box::from_raw(self.cadical.as_ptr()) };
        if self.clauses > LARGE {
            cadical.disconnect_terminator();
            cadical.disconnect_external_propagator();
            cadical.disconnect_proof_tracer1();
            let alone = Alone(cadical);
            // Where no thread can be started, it is freed right here, with the closure.
            let _ = std::thread::Builder::new().spawn(move || alone.free());
        }
    }
}

/// CaDiCaL without callbacks.
struct Alone(Box<CaDiCal>);

impl Alone {
    fn free(self) {
        drop(self.0);
    }
}

// SAFETY: CaDiCaL keeps no state of a thread, and nothing else points to it when its callbacks are gone.
unsafe impl Send for Alone {}

fn erase_lifetime(stop: &dyn Fn() -> bool) -> NonNull<dyn Fn() -> bool> {
    let short: NonNull<dyn Fn() -> bool + '_> = NonNull::from(stop);
    // SAFETY: only the lifetime changes; `solve` makes sure that the pointer is gone before the reference is.
    unsafe { std::mem::transmute::<NonNull<dyn Fn() -> bool + '_>, NonNull<dyn Fn() -> bool>>(short) }
}
