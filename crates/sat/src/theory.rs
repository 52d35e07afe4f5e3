//! What a theory must offer to take part in the search, and what it may ask of the search.

use crate::Lit;
use std::collections::VecDeque;

/// A clause that the theory gave: numbered from 0 in the order in which the theory gave them.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash, Ord, PartialOrd)]
pub struct LemmaId(pub u32);

/// A decision procedure that follows the search of a [`Solver`](crate::Solver).
///
/// The theory sees the assignments of *observed* variables as a stack of levels. [`assign`](Theory::assign) pushes a
/// literal, [`new_level`](Theory::new_level) opens a level, [`backtrack`](Theory::backtrack) pops levels. What is
/// assigned at level 0 stays so forever. Every literal is assigned at most once before it is popped. The stack the
/// theory sees lags behind the SAT solver's trail and is brought up to date before `propagate`, `check_model` and
/// `decide`; assignments that come and go in between are never told. Two consequences:
///
/// * Nothing is called between two [`solve`](crate::Solver::solve) calls, and the stack stays as it was: after a
///   satisfiable answer it is the model. [`Solver::rewind_theory`](crate::Solver::rewind_theory) empties it down to
///   level 0.
/// * Literals of one level may be told in an order or a level later than the SAT solver assigned them internally
///   (chronological backtracking), never before the literals they depend on.
///
/// Clauses of the theory (explanations, lemmas, conflicts) must hold in the theory and mention observed variables only.
/// A theory that breaks this, or explains a literal by a clause without it, panics out of `solve`.
pub trait Theory: 'static {
    /// Whether the theory is to be asked at all; only [`NoTheory`] says no.
    const ATTACHED: bool = true;

    /// `lit` is now true.
    fn assign(&mut self, lit: Lit);

    /// A new level is opened.
    fn new_level(&mut self);

    /// All levels above `level` are closed and their literals are unassigned.
    fn backtrack(&mut self, level: usize);

    /// Draws conclusions from the assignments so far: propagations, conflicts, lemmas. Called when the SAT solver has
    /// nothing left to propagate and something was assigned or taken back since the last call.
    fn propagate(&mut self, ctx: &mut Context<'_>);

    /// Writes to `out` a clause that contains `lit`, which the theory propagated, and whose other literals are all
    /// false *and were assigned before `propagate` was called to give `lit`*. Assignments told since then must not be
    /// used. `out` comes empty, `lemma` is the number of this clause in the proof. The literal may have become false in
    /// the meantime: the clause is then the conflict.
    fn explain(&mut self, lit: Lit, lemma: LemmaId, out: &mut Vec<Lit>);

    /// All variables are assigned; `model` has the literal of every observed variable. True accepts the model. False
    /// must come with a clause or a new variable; false without either ends the search as
    /// [`Unknown`](crate::Outcome::Unknown).
    fn check_model(&mut self, ctx: &mut Context<'_>, model: &[Lit]) -> bool;

    /// A literal to decide on next; `None`, or an assigned one, leaves the choice to the SAT solver.
    fn decide(&mut self, ctx: &mut Context<'_>) -> Option<Lit> {
        let _ = ctx;
        None
    }
}

/// The theory of plain SAT: nothing to say.
#[derive(Copy, Clone, Debug, Default)]
pub struct NoTheory;

impl Theory for NoTheory {
    const ATTACHED: bool = false;

    fn assign(&mut self, _: Lit) {}
    fn new_level(&mut self) {}
    fn backtrack(&mut self, _: usize) {}
    fn propagate(&mut self, _: &mut Context<'_>) {}
    fn explain(&mut self, lit: Lit, _: LemmaId, out: &mut Vec<Lit>) {
        out.push(lit);
    }
    fn check_model(&mut self, _: &mut Context<'_>, _: &[Lit]) -> bool {
        true
    }
}

/// What a theory may ask for while the search runs.
pub struct Context<'a> {
    pub(crate) requests: &'a mut Requests,
}

impl Context<'_> {
    /// A new variable, observed by the theory, as a positive literal.
    pub fn new_var(&mut self) -> Lit {
        let var = self.requests.new_var();
        self.requests.observe(var);
        self.requests.fresh.push(var);
        var
    }

    /// `lit` follows from the assignments so far; [`Theory::explain`] will give the reason if it is ever needed.
    /// Dropped again if the theory is taken back before the SAT solver gets to it.
    pub fn propagate(&mut self, lit: Lit) {
        self.requests.demand_observed(lit);
        let depth = self.requests.depth;
        self.requests.propagations.push_back(Propagation { lit, depth });
    }

    /// Adds a clause for good.
    pub fn lemma(&mut self, lits: &[Lit]) -> LemmaId {
        self.requests.add_clause(lits, false)
    }

    /// Adds a clause that the SAT solver may forget when it is of no use any more: for conflicts that the theory
    /// would find again.
    pub fn conflict(&mut self, lits: &[Lit]) -> LemmaId {
        self.requests.add_clause(lits, true)
    }

    /// Ends the search as [`Unknown`](crate::Outcome::Unknown) as soon as possible.
    pub fn give_up(&mut self) {
        self.requests.give_up = true;
    }

    /// Whether anything was asked for that the SAT solver has yet to take up: clauses or new variables.
    pub fn has_news(&self) -> bool {
        !self.requests.clauses.is_empty() || !self.requests.fresh.is_empty()
    }
}

/// A propagated literal, and how long the theory's stack was when it was found: void once the stack gets shorter.
struct Propagation {
    lit: Lit,
    depth: usize,
}

/// A clause on its way to the SAT solver; its literals lie in the arena up to `end`.
pub(crate) struct Pending {
    pub(crate) id: LemmaId,
    pub(crate) forgettable: bool,
    end: usize,
}

/// Everything the theory asked for and the SAT solver has not taken yet, and the variables there are.
#[derive(Default)]
pub(crate) struct Requests {
    vars: u32,
    /// By variable.
    observed: Vec<bool>,
    /// Observed on our side but not yet in CaDiCaL.
    pub(crate) fresh: Vec<Lit>,
    propagations: VecDeque<Propagation>,
    clauses: VecDeque<Pending>,
    /// Literals of `clauses`, read from `next`; emptied whenever all are taken.
    lits: Vec<Lit>,
    next: usize,
    lemmas: u32,
    pub(crate) give_up: bool,
    /// Length of the theory's stack, set before the theory is called.
    pub(crate) depth: usize,
}

impl Requests {
    pub(crate) fn new_var(&mut self) -> Lit {
        let next = i32::try_from(self.vars + 1).ok().and_then(Lit::new).expect("fewer than 2^31 variables");
        self.vars += 1;
        next
    }

    /// Variables up to this one are in use.
    pub(crate) fn reserve(&mut self, lit: Lit) {
        self.vars = self.vars.max(lit.var());
    }

    /// Marks the variable as observed; false if it was so already.
    pub(crate) fn observe(&mut self, lit: Lit) -> bool {
        let var = lit.var() as usize;
        if self.observed.len() <= var {
            self.observed.resize((var + 1).next_power_of_two(), false);
        }
        !std::mem::replace(&mut self.observed[var], true)
    }

    pub(crate) fn demand_observed(&self, lit: Lit) {
        let observed = self.observed.get(lit.var() as usize).copied().unwrap_or(false);
        assert!(observed, "the theory used literal {lit}, whose variable it does not observe");
    }

    fn add_clause(&mut self, lits: &[Lit], forgettable: bool) -> LemmaId {
        for &lit in lits {
            self.demand_observed(lit);
        }
        self.lits.extend_from_slice(lits);
        let id = self.next_lemma();
        self.clauses.push_back(Pending { id, forgettable, end: self.lits.len() });
        id
    }

    /// The number for the next clause of the theory.
    pub(crate) fn next_lemma(&mut self) -> LemmaId {
        let id = LemmaId(self.lemmas);
        self.lemmas += 1;
        id
    }

    /// The clause that the SAT solver should take next.
    pub(crate) fn next_clause(&self) -> Option<&Pending> {
        self.clauses.front()
    }

    /// The next literal of that clause; `None` at its end, after which the next clause is in front.
    pub(crate) fn next_clause_lit(&mut self) -> Option<Lit> {
        let end = self.clauses.front()?.end;
        if self.next < end {
            self.next += 1;
            return Some(self.lits[self.next - 1]);
        }
        self.clauses.pop_front();
        if self.clauses.is_empty() {
            self.lits.clear();
            self.next = 0;
        }
        None
    }

    pub(crate) fn next_propagation(&mut self) -> Option<Lit> {
        self.propagations.pop_front().map(|propagation| propagation.lit)
    }

    /// The theory's stack was cut down to `depth`: forget propagations from above it.
    pub(crate) fn cut(&mut self, depth: usize) {
        while self.propagations.back().is_some_and(|last| last.depth > depth) {
            self.propagations.pop_back();
        }
    }
}
