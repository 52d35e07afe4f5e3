//! Prophecies, on the way back of an invariant.
//!
//! A program with cells instead of arrays has constants that are chosen before it starts; see [`Tracking`](crate::program::pass::Tracking).
//! An invariant of it speaks of them. As long as the edge of which a constant prophesies something lies ahead, the constant
//! is anything, so what the invariant says holds for all its values. Behind that edge it holds for the value that the
//! constant turned out to have, which nothing in the program keeps: somebody has to write it down when the edge is taken.

use crate::{LocId, Program, Step, Variable};
use bolide_base::IdVec;
use bolide_term::{Func, Op, Store, Substitution, Term};
use rustc_hash::FxHashSet;

/// What a constant turns out to be on the way from one location to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prophecy {
    /// Where the way starts.
    pub from: LocId,
    /// Where it ends.
    pub to: LocId,
    /// The constant.
    pub constant: Term,
    /// Its value, over variables.
    pub value: Term,
    /// When these variables are looked at.
    pub when: When,
}

/// An end of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Where it starts.
    Start,
    /// Where it ends.
    End,
}

/// All prophecies.
#[derive(Clone, Default)]
pub(in crate::program) struct Prophecies {
    /// The constants.
    pub(in crate::program) constants: Vec<Variable>,
    /// What they turn out to be, as far as that can be said.
    pub(in crate::program) all: Vec<Prophecy>,
}

impl Prophecy {
    /// The same with other locations; `None` if one is missing.
    pub(in crate::program) fn moved(self, place: impl Fn(LocId) -> Option<LocId>) -> Option<Prophecy> {
        Some(Prophecy { from: place(self.from)?, to: place(self.to)?, ..self })
    }

    /// The same in other words.
    pub(in crate::program) fn said(self, store: &mut Store, words: &mut Substitution) -> Prophecy {
        Prophecy { value: words.apply(store, self.value), ..self }
    }

    /// The same about a program whose edges are parts of those that it was said of. What came from outside on the way may be
    /// in a variable there.
    pub(in crate::program) fn within(self, store: &mut Store, program: &Program) -> Prophecy {
        if is_about(store, program, self.value) {
            return self;
        }
        let steps = program.main().edges.iter().filter_map(|e| e.step());
        Prophecy { value: where_stored(store, program, self.value, steps), when: When::End, ..self }
    }
}

/// Does a term speak of nothing but variables?
pub(in crate::program) fn is_about(store: &Store, program: &Program, t: Term) -> bool {
    let vars = program.var_of_symbol(store);
    store.symbols([t]).iter().all(|f| vars.contains_key(f))
}

/// A term with variables for what came from outside and was stored in them on some steps.
pub(in crate::program) fn where_stored<'a>(
    store: &mut Store,
    program: &Program,
    t: Term,
    steps: impl IntoIterator<Item = &'a Step>,
) -> Term {
    let symbols: FxHashSet<Func> = store.symbols([t]).into_iter().collect();
    let is_in_term = |c: Term| store.as_var(c).is_some_and(|f| symbols.contains(&f));
    let mut stored = Substitution::new();
    for step in steps {
        if !step.inputs.iter().any(|i| is_in_term(i.0)) {
            continue;
        }
        let inputs: FxHashSet<Func> = step.inputs.iter().filter_map(|i| store.as_var(i.0)).collect();
        for &(v, value) in &step.assigns {
            if store.symbols([value]).iter().any(|f| inputs.contains(f)) {
                stored.insert(value, program.vars[v].term);
            }
        }
    }
    stored.apply(store, t)
}

/// The constants that are anything at a location.
pub(in crate::program) struct Open<'a> {
    program: &'a Program,
    /// The constants; for each of them the locations from which the graph leads to where it turns out.
    constants: Vec<(&'a Variable, IdVec<LocId, bool>)>,
}

impl<'a> Open<'a> {
    pub(in crate::program) fn new(
        program: &'a Program,
        constants: &'a [Variable],
        told: &[Prophecy],
    ) -> Open<'a> {
        let open = |k: &'a Variable| {
            let starts = told.iter().filter(|f| f.constant == k.term).map(|f| f.from);
            (k, program.main().leads_to(starts))
        };
        Open { program, constants: constants.iter().map(open).collect() }
    }

    /// A formula at a location, for all values in their ranges of the constants in it that are anything there. The others
    /// are in their ranges.
    pub(in crate::program) fn quantify(&self, store: &mut Store, l: LocId, formula: Term) -> Term {
        let known: FxHashSet<Func> = store.symbols([formula]).into_iter().collect();
        let (mut open, mut alternatives, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for (k, is_open) in &self.constants {
            if store.as_var(k.term).is_none_or(|f| !known.contains(&f)) {
                continue;
            }
            let within = self.program.in_range(store, k.term, k.range);
            if !is_open[l] {
                parts.push(within);
                continue;
            }
            open.push(k.term);
            let bounds = store.conjuncts(within);
            alternatives.extend(bounds.into_iter().map(|bound| store.not(bound)));
        }
        let disjuncts =
            if store.op(formula) == Op::Or { store.args(formula).to_vec() } else { vec![formula] };
        for disjunct in disjuncts {
            parts.push(disjunct);
            alternatives.push(store.and(&parts));
            parts.pop();
        }
        let formula = store.or(&alternatives);
        store.forall(&open, formula)
    }
}
