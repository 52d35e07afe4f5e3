//! The search for a proof by shapes: graphs are executed from place to place until no new ones are met.

use super::chain::{Folding, Rule, fold};
use super::entail::{covers, widen};
use super::tree::{candidates, used_records};
use super::{Context, Failure, Location, Machine, Shapes, State, check};
use crate::c::hir::Unit;
use crate::c::types::Type;
use bolide_base::{Budget, spend};
use std::cmp::Reverse;
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

/// A recursive function is looked at in so many ways.
const MOST_CONTEXTS: usize = 100;

/// Looks for graphs that prove a program.
pub fn find(unit: &Unit, budget: &Budget) -> Result<Shapes, Failure> {
    let machine = Machine::new(unit);
    let mut failure = Failure::new("nothing was tried");
    let others = members_of_other_types(unit);
    let mut linked: BTreeSet<i64> = BTreeSet::new();
    for limits in LIMITS {
        let plain = |folding| Rule { folding, except: Vec::new(), branches: None };
        let by_types = ATTEMPTS.iter().take(2).filter(|_| !others.is_empty());
        let by_types =
            by_types.map(|&(folding, alike)| (Rule { except: others.clone(), ..plain(folding) }, alike));
        let mut rules = ATTEMPTS.iter().map(|&(folding, alike)| (plain(folding), alike));
        let branches = candidates(unit);
        let trees = branches.iter().flat_map(|branches| {
            let rule = |folding| Rule { branches: Some(branches.clone()), ..plain(folding) };
            [Folding::Numbers, Folding::Variants].map(|f| (rule(f), EXCEPT_ALIKE))
        });
        let first: Vec<_> = by_types.chain(rules.by_ref().take(2)).collect();
        // Recursive functions are about trees more often than others.
        let mut work: VecDeque<(Rule, usize)> = match machine.recursive.is_empty() {
            true => first.into_iter().chain(trees).chain(rules).collect(),
            false => trees.chain(first).chain(rules).collect(),
        };
        while let Some((rule, alike)) = work.pop_front() {
            let shapes = Shapes::new(rule);
            let mut search =
                Search { unit, machine: &machine, alike, limits, shapes, callers: BTreeMap::new() };
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
                work.push_back((Rule { except: vec![except], ..plain(Folding::Variants) }, EXCEPT_ALIKE));
            }
        }
    }
    Err(failure)
}

/// The offsets at which records have pointers to other records of the same size, and none to their like: lists of lists, say.
fn members_of_other_types(unit: &Unit) -> Vec<i64> {
    let (mut own, mut others) = (BTreeSet::new(), BTreeSet::new());
    for id in used_records(unit) {
        let record = &unit.types.records[id];
        for field in record.fields.iter().flatten() {
            let target = unit.types.pointee(field.ty).map(|t| unit.types.get(t));
            match target {
                Some(Type::Record(to)) if *to == id => _ = own.insert(field.offset as i64),
                Some(Type::Record(to)) if unit.types.records[*to].size == record.size => {
                    others.insert(field.offset as i64);
                }
                _ => {}
            }
        }
    }
    others.difference(&own).copied().collect()
}

struct Search<'a> {
    unit: &'a Unit,
    machine: &'a Machine<'a>,
    alike: usize,
    /// See [`LIMITS`].
    limits: (usize, usize),
    shapes: Shapes,
    /// The graphs from which a context is called.
    callers: BTreeMap<u32, Vec<State>>,
}

/// The graphs that have to be executed. Those in functions that were called last come first, and in a function what comes first in
/// the program, so that functions and loops are complete before what follows.
type Work = BTreeMap<(Reverse<u32>, Location), Vec<State>>;

impl Search<'_> {
    fn run(&mut self, budget: &Budget) -> Result<(), Failure> {
        let mut work = Work::new();
        let start = self.machine.start()?;
        self.execute(start, &mut work, budget)?;
        let mut count = 0;
        while let Some(mut first) = work.first_entry() {
            let (at, state) = (first.key().1.clone(), first.get_mut().pop());
            if first.get().is_empty() {
                first.remove();
            }
            let (context, is_exit) = (at.context, at.calls.is_empty());
            let Some(state) = state.map(|s| self.keep(at, s)).transpose()?.flatten() else { continue };
            count += 1;
            if count > self.limits.1 {
                return Err(Failure::new("there are too many shapes"));
            }
            if !is_exit {
                self.execute(state, &mut work, budget)?;
                continue;
            }
            // Every call goes on from the new end, too.
            for caller in self.callers.get(&context).cloned().unwrap_or_default() {
                self.execute(caller, &mut work, budget)?;
            }
        }
        Ok(())
    }

    /// Executes a graph; functions that it calls in a new way are executed, too.
    fn execute(&mut self, state: State, work: &mut Work, budget: &Budget) -> Result<(), Failure> {
        let mut starts = vec![state];
        while let Some(state) = starts.pop() {
            let run = self.machine.run(state.clone(), &self.shapes, budget)?;
            for (at, state) in run.reached {
                work.entry((Reverse(at.context), at)).or_default().push(state);
            }
            for context in run.contexts {
                let callers = self.callers.entry(context).or_default();
                if !callers.contains(&state) {
                    callers.push(state.clone());
                }
            }
            if run.entries.is_empty() {
                continue;
            }
            // Again, now that they are known.
            starts.push(state);
            for entry in run.entries {
                starts.extend(self.add_context(entry)?);
            }
        }
        Ok(())
    }

    /// A way to call a function that covers one at its start, if there is none yet.
    fn add_context(&mut self, mut entry: State) -> Result<Option<State>, Failure> {
        if self.shapes.context_of(self.unit, &entry).is_some() {
            return Ok(None);
        }
        if self.shapes.contexts.len() >= MOST_CONTEXTS {
            return Err(Failure::new("a function is called in too many ways"));
        }
        fold(&mut entry, &self.shapes.rule);
        entry.collect();
        let number = self.shapes.contexts.len() as u32 + 1;
        let mut alike = 0;
        for (known, context) in (1..).zip(&self.shapes.contexts) {
            entry.context = known;
            let wide = widen(self.unit, &context.entry, &entry, self.shapes.rule.folding);
            let Some((mut wide, _)) = wide else { continue };
            alike += 1;
            if alike >= self.alike && covers(self.unit, &wide, &entry) {
                wide.collect();
                entry = wide;
                break;
            }
        }
        entry = State { context: number, ..entry.renumbered() };
        self.shapes.contexts.push(Context { entry: entry.clone(), exits: Vec::new() });
        Ok(Some(entry))
    }

    /// Keeps a graph, or one that covers it; nothing if it is covered already.
    fn keep(&mut self, at: Location, mut state: State) -> Result<Option<State>, Failure> {
        let is_exit = at.calls.is_empty();
        let is_loop = is_exit || self.machine.is_loop(&at);
        let rule = &self.shapes.rule;
        let kept = match (at.context as usize).checked_sub(1).filter(|_| is_exit) {
            Some(n) => &mut self.shapes.contexts[n].exits,
            None => self.shapes.places.entry(at).or_default(),
        };
        spend(COMPARISON * (1 + kept.len() as u64));
        if kept.iter().any(|k| covers(self.unit, k, &state)) {
            return Ok(None);
        }
        // Where there are many graphs they are folded, although nothing goes around there.
        if is_loop || 4 * kept.len() > 3 * self.limits.0 {
            fold(&mut state, rule);
            state.collect();
            if kept.iter().any(|k| covers(self.unit, k, &state)) {
                return Ok(None);
            }
            let mut alike = 0;
            for known in kept.iter() {
                let Some((wide, has_numbers)) = widen(self.unit, known, &state, rule.folding) else {
                    continue;
                };
                alike += 1;
                // Trees look alike in many ways.
                let is_soon = !has_numbers && rule.branches.is_some();
                if (is_soon || alike >= self.alike) && covers(self.unit, &wide, &state) {
                    state = wide;
                    state.collect();
                    break;
                }
            }
        }
        if is_exit {
            state = state.renumbered();
        }
        kept.retain(|k| !covers(self.unit, &state, k));
        kept.push(state.clone());
        match kept.len() > self.limits.0 {
            true => Err(Failure::new("there are too many shapes at a place")),
            false => Ok(Some(state)),
        }
    }
}
