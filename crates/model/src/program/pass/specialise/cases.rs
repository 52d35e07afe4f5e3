//! Variables of few values by which loops count.
//!
//! A loop that adds `k` again and again computes a multiple of `k`: no linear fact says so, but for each value of `k` there is one. So where
//! `k` stays what it is in the loop, and intervals leave it few values, all of them are told apart.

use crate::program::live::Uses;
use crate::program::pass::narrow;
use crate::{LocId, Program, Step, VarId};
use bolide_base::{Budget, IdVec, Interrupt};
use bolide_term::{Sort, Store};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// A variable with more values is left alone.
const MOST_VALUES: i128 = 16;
/// If there are more of these variables, they are left alone.
const MOST_VARIABLES: usize = 3;

/// The first and the last value at each location.
type Values = IdVec<LocId, Option<(i128, i128)>>;

/// The variables, with the values that they may have at each location where these are few.
#[derive(Default)]
pub(super) struct Cases(Vec<(VarId, Values)>);

impl Cases {
    /// The variables of the entry procedure that loops count by.
    pub fn find(store: &Store, program: &Program, budget: &Budget) -> Result<Cases, Interrupt> {
        let steps = steps(store, program);
        if steps.is_empty() {
            return Ok(Cases::default());
        }
        let states = narrow::intervals(store, program, budget)?;
        let at = |v: VarId, l: LocId| {
            let interval = states[l].as_ref()?.get(v)?;
            let (low, high) = interval.low.zip(interval.high)?;
            (low < high && high - low < MOST_VALUES).then_some((low, high))
        };
        let is_small = |(v, locations): &(VarId, Vec<LocId>)| {
            locations.iter().any(|&l| at(*v, l).is_some()).then_some(*v)
        };
        let variables: Vec<VarId> = steps.iter().filter_map(is_small).collect();
        if variables.len() > MOST_VARIABLES {
            return Ok(Cases::default());
        }
        let values = |v: VarId| (v, program.main().locations.ids().map(|l| at(v, l)).collect());
        Ok(Cases(variables.into_iter().map(values).collect()))
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The variables.
    pub fn variables(&self) -> impl Iterator<Item = VarId> + '_ {
        self.0.iter().map(|(v, _)| *v)
    }

    /// The variables that have few values at a location, and these.
    pub fn at(&self, l: LocId) -> impl Iterator<Item = (VarId, RangeInclusive<i128>)> + '_ {
        self.0.iter().filter_map(move |(v, at)| at[l].map(|(low, high)| (*v, low..=high)))
    }
}

/// The variables that are added to others in loops in which they do not change, and where.
fn steps(store: &Store, program: &Program) -> Vec<(VarId, Vec<LocId>)> {
    let main = program.main();
    let components = main.components();
    let is_int = |v: VarId| program.vars[v].sort == Sort::INT;
    let on_cycles = main.edges.iter().filter(|e| components[e.from] == components[e.to]);
    let on_cycles: Vec<(LocId, &Step)> = on_cycles.filter_map(|e| Some((e.from, e.step()?))).collect();
    let mut assigned: FxHashSet<(VarId, u32)> = FxHashSet::default();
    for (l, step) in &on_cycles {
        assigned.extend(step.assigns.iter().map(|&(v, _)| (v, components[*l])));
    }
    let mut uses = Uses::new(store, program);
    let mut found: BTreeSet<(VarId, LocId)> = BTreeSet::new();
    for (l, step) in on_cycles {
        for &(x, t) in step.assigns.iter().filter(|(x, _)| is_int(*x)) {
            let used = uses.of(t);
            if !used.contains(&x) {
                continue;
            }
            let is_step = |v: &&VarId| is_int(**v) && !assigned.contains(&(**v, components[l]));
            found.extend(used.iter().filter(is_step).map(|&v| (v, l)));
        }
    }
    let mut out: Vec<(VarId, Vec<LocId>)> = Vec::new();
    for (v, l) in found {
        match out.last_mut() {
            Some((last, locations)) if *last == v => locations.push(l),
            _ => out.push((v, vec![l])),
        }
    }
    out
}
