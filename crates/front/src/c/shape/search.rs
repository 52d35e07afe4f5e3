//! The search for a proof by shapes: graphs are executed from place to place until no new ones are met.

use super::chain::{Folding, Rule, fold};
use super::entail::{covers, widen};
use super::{Failure, Location, Machine, Shapes, State, check};
use crate::c::hir::Unit;
use bolide_base::{Budget, spend};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The attempts, one after the other: what belongs to one chain, and how many graphs of a place may differ in numbers only
/// before these are joined.
const ATTEMPTS: [(Folding, usize); 4] =
    [(Folding::Numbers, 2), (Folding::Variants, 3), (Folding::Equal, 4), (Folding::Never, 40)];
/// How many graphs a place has at most, and how many an attempt executes: all attempts are made with the first numbers, since most
/// that succeed need few graphs, and then with the second.
const LIMITS: [(usize, usize); 2] = [(60, 3_000), (400, 30_000)];
/// With more cells that link nodes, it is not tried to leave out each of them.
const MOST_LINKS: usize = 4;
/// How many graphs may differ in numbers only where a cell is left out; see [`ATTEMPTS`].
const EXCEPT_ALIKE: usize = 3;
/// The effort that a comparison of graphs is reported as.
const COMPARISON: u64 = 100;

/// Looks for graphs that prove a program.
pub fn find(unit: &Unit, budget: &Budget) -> Result<Shapes, Failure> {
    let machine = Machine::new(unit);
    let mut failure = Failure::new("nothing was tried");
    let mut linked: BTreeSet<i64> = BTreeSet::new();
    for limits in LIMITS {
        let rules = ATTEMPTS.iter().map(|&(folding, alike)| (Rule { folding, except: None }, alike));
        let mut work: VecDeque<(Rule, usize)> = rules.collect();
        while let Some((rule, alike)) = work.pop_front() {
            let shapes = Shapes { rule, places: BTreeMap::new() };
            let mut search = Search { unit, machine: &machine, alike, limits, shapes };
            match search.run(budget).and_then(|()| check(unit, &search.shapes, budget)) {
                Ok(()) => return Ok(search.shapes),
                Err(reason) => failure = reason,
            }
            budget.check().map_err(|i| Failure::new(i.to_string()))?;
            // A cell that links nodes may lead to data of the same type instead of the next node.
            let new: Vec<i64> =
                search.shapes.link_offsets().into_iter().filter(|o| !linked.contains(o)).collect();
            linked.extend(new.iter().copied());
            for &except in new.iter().filter(|_| linked.len() <= MOST_LINKS) {
                work.push_back((Rule { folding: Folding::Variants, except: Some(except) }, EXCEPT_ALIKE));
            }
        }
    }
    Err(failure)
}

struct Search<'a> {
    unit: &'a Unit,
    machine: &'a Machine<'a>,
    alike: usize,
    /// See [`LIMITS`].
    limits: (usize, usize),
    shapes: Shapes,
}

impl Search<'_> {
    fn run(&mut self, budget: &Budget) -> Result<(), Failure> {
        // What comes first in the program is executed first, so that loops are complete before what follows.
        let mut work: BTreeMap<Location, Vec<State>> = BTreeMap::new();
        let mut reached = self.machine.run(self.machine.start()?, budget)?;
        let mut count = 0;
        loop {
            reached.drain(..).for_each(|(at, state)| work.entry(at).or_default().push(state));
            let Some(mut first) = work.first_entry() else { return Ok(()) };
            let (at, state) = (first.key().clone(), first.get_mut().pop());
            if first.get().is_empty() {
                first.remove();
            }
            let Some(state) = state.map(|s| self.keep(at, s)).transpose()?.flatten() else { continue };
            count += 1;
            if count > self.limits.1 {
                return Err(Failure::new("there are too many shapes"));
            }
            reached = self.machine.run(state, budget)?;
        }
    }

    /// Keeps a graph, or one that covers it; nothing if it is covered already.
    fn keep(&mut self, at: Location, mut state: State) -> Result<Option<State>, Failure> {
        let (is_loop, rule) = (self.machine.is_loop(&at), self.shapes.rule);
        let kept = self.shapes.places.entry(at).or_default();
        spend(COMPARISON * (1 + kept.len() as u64));
        if kept.iter().any(|k| covers(self.unit, k, &state)) {
            return Ok(None);
        }
        if is_loop {
            fold(&mut state, rule);
            state.collect();
            if kept.iter().any(|k| covers(self.unit, k, &state)) {
                return Ok(None);
            }
            let mut alike = 0;
            for known in kept.iter() {
                let Some(wide) = widen(self.unit, known, &state, rule.folding) else { continue };
                alike += 1;
                if alike >= self.alike && covers(self.unit, &wide, &state) {
                    state = wide;
                    state.collect();
                    break;
                }
            }
        }
        kept.retain(|k| !covers(self.unit, &state, k));
        kept.push(state.clone());
        match kept.len() > self.limits.0 {
            true => Err(Failure::new("there are too many shapes at a place")),
            false => Ok(Some(state)),
        }
    }
}
