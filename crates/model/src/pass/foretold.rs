//! What was foretold, on the way back of an invariant.
//!
//! A program with cells instead of arrays has constants that are chosen before it starts; see [`Tracking`](super::Tracking).
//! An invariant of it speaks of them. As long as the edge of which a constant foretells something lies ahead, the constant
//! is anything, so what the invariant says holds for all its values. Behind that edge it holds for the value that the
//! constant turned out to have, which nothing in the program keeps: somebody has to write it down when the edge is taken.

use crate::{LocId, Program};
use bolide_base::IdVec;
use bolide_term::{Store, Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a constant turns out to be on the way from one location to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foretold {
    /// Where the way starts.
    pub from: LocId,
    /// Where it ends.
    pub to: LocId,
    /// The constant.
    pub constant: Term,
    /// Its value, over the variables at the start.
    pub value: Term,
}

impl Foretold {
    /// The same with other locations; `None` if one is missing.
    pub(super) fn moved(self, place: impl Fn(LocId) -> Option<LocId>) -> Option<Foretold> {
        Some(Foretold { from: place(self.from)?, to: place(self.to)?, ..self })
    }

    /// The same in other words.
    pub(super) fn said(self, store: &mut Store, words: &mut Substitution) -> Foretold {
        Foretold { value: words.apply(store, self.value), ..self }
    }
}

/// The constants that are anything at a location.
pub(super) struct Open(Vec<(Term, IdVec<LocId, bool>)>);

impl Open {
    pub(super) fn new(program: &Program, foretold: &[Foretold]) -> Open {
        let mut constants: Vec<Term> = Vec::new();
        let mut from: FxHashMap<Term, Vec<LocId>> = FxHashMap::default();
        for f in foretold {
            let starts = from.entry(f.constant).or_default();
            if starts.is_empty() {
                constants.push(f.constant);
            }
            starts.push(f.from);
        }
        let open = |k: Term| (k, program.main().leads_to(from[&k].iter().copied()));
        Open(constants.into_iter().map(open).collect())
    }

    /// A formula at a location, for all values of the constants in it that are anything there.
    pub(super) fn quantify(&self, store: &mut Store, l: LocId, formula: Term) -> Term {
        let known: FxHashSet<_> = store.symbols([formula]).into_iter().collect();
        let occurs = |k: Term| store.as_var(k).is_some_and(|f| known.contains(&f));
        let open: Vec<Term> = self.0.iter().filter(|(k, at)| at[l] && occurs(*k)).map(|(k, _)| *k).collect();
        store.forall(&open, formula)
    }
}
