//! Ways that are kept apart.
//!
//! If many ways become one, a proof has to find out again which of them leads where, and to reason about the values on
//! all of them at once. So they may be kept apart, each with an obligation of its own, as long as they are not too many. Of
//! more, those become one on which *control variables* have the same values: an invariant of a state machine is a disjunction, and
//! each alternative has its own numerals for the variables that hold the state of the machine.

use super::{Alternative, State};
use bolide_model::{Program, VarId};
use bolide_term::{Store, Term};
use std::collections::{BTreeMap, BTreeSet};

/// More ways to a location than this become one.
const MOST_WAYS: usize = 256;

/// The control variables, and the cells of arrays that are like them.
#[derive(Default)]
pub(super) struct Control {
    vars: BTreeSet<VarId>,
    cells: BTreeSet<(VarId, Term)>,
}

impl Control {
    /// What has a numeral in one of several alternatives.
    pub(super) fn new<'a>(at: impl Iterator<Item = &'a Vec<Alternative>>) -> Control {
        let mut control = Control::default();
        for alternative in at.filter(|alternatives| alternatives.len() > 1).flatten() {
            control.vars.extend(alternative.constants.iter().map(|(v, _)| *v));
            control.cells.extend(alternative.cells.iter().map(|(v, index, _)| (*v, *index)));
        }
        control
    }

    /// Groups of states: each of them, or by the values of control variables, or all of them, so that there are not too many.
    pub(super) fn groups(&self, store: &mut Store, program: &Program, states: Vec<State>) -> Vec<Vec<State>> {
        if states.len() <= MOST_WAYS {
            return states.into_iter().map(|state| vec![state]).collect();
        }
        let keys: Vec<Vec<Option<Term>>> =
            states.iter().map(|state| self.values(store, program, state)).collect();
        let mut groups: BTreeMap<Vec<Option<Term>>, Vec<usize>> = BTreeMap::new();
        for (n, key) in keys.into_iter().enumerate() {
            groups.entry(key).or_default().push(n);
        }
        if groups.len() > MOST_WAYS {
            return vec![states];
        }
        let mut states: Vec<Option<State>> = states.into_iter().map(Some).collect();
        let group = |members: Vec<usize>| members.into_iter().filter_map(|n| states[n].take()).collect();
        groups.into_values().map(group).collect()
    }

    /// The numerals that control variables have in a state.
    fn values(&self, store: &mut Store, program: &Program, state: &State) -> Vec<Option<Term>> {
        let of = |v: &VarId| state.values.get(v).copied().unwrap_or(program.vars[*v].term);
        let mut values: Vec<Term> = self.vars.iter().map(of).collect();
        for (array, index) in &self.cells {
            values.push(store.select(of(array), *index));
        }
        values.into_iter().map(|t| Some(t).filter(|&t| store.as_num(t).is_some())).collect()
    }
}
