//! Shapes: what memory looks like in all executions at a place of the program, as graphs of objects.
//!
//! A graph ([`State`]) says of each object how large it is and what its cells hold: a number, the address of another
//! object, or something that is not known but the same wherever it stands. A *chain* (`Chain`) stands for one or
//! more objects that are linked by one of their cells, each of which looks like one of a few variants; a variant may own
//! further objects, chains among them. So lists, doubly linked and circular ones, lists of lists, and trees
//! of any size are finite graphs (compare the symbolic memory graphs of Dudka, Peringer and Vojnar, SAS 2013).
//!
//! `graph` is the data, `evaluate` the values of expressions and what conditions say about them, `execute` the effect of
//! instructions, `chain` makes chains longer and takes nodes out of them, `tree` makes trees, `path` what lies above a place in a tree, `call` cuts graphs at calls of
//! recursive functions and puts them together when these return, `entail` tells whether a graph covers another one
//! and widens it, `live` finds the variables that no longer matter, and `text` writes graphs and reads them.
//!
//! A proof is a [`Shapes`]: graphs for some blocks of each function and each way to be called, such that the start of the
//! program is covered and from every graph execution comes to graphs that are covered, without an error. For a recursive function
//! there are graphs at its start (a `Context`), each with graphs at its end; a call is covered if its start is, and goes on from the ends.
//! [`check`] goes over them once; how they were found does not matter.

mod call;
mod chain;
mod entail;
mod evaluate;
mod execute;
mod graph;
mod live;
mod path;
mod search;
mod text;
mod tree;

pub use graph::{Place as Location, State};
pub use search::find;
pub use text::{read, write};

use super::hir::{BlockId, FuncId, Unit, VarId};
use super::layout::successors;
use bolide_base::{Budget, IdVec, spend};
use chain::Rule;
use live::Liveness;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Why a program is not proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure(pub String);

impl Failure {
    fn new(text: impl Into<String>) -> Failure {
        Failure(text.into())
    }
}

/// The effort that an instruction on a graph is reported as.
const INSTRUCTION: u64 = 400;
/// Paths between two covered places have at most so many instructions.
const LONGEST_PATH: usize = 2_000_000;

/// A program, and what is known about its blocks.
pub struct Machine<'a> {
    unit: &'a Unit,
    /// The blocks where graphs are kept: those that two ways lead to.
    joins: FxHashMap<FuncId, IdVec<BlockId, Join>>,
    live: FxHashMap<FuncId, Liveness>,
    /// The functions whose calls are not followed; see `call`.
    recursive: BTreeSet<FuncId>,
    /// The variables that matter at a place, once they are known.
    matter: RefCell<Matter>,
}

/// The variables that matter before an instruction, where the call before it has returned or not.
type Matter = FxHashMap<(FuncId, BlockId, usize, bool), Rc<BTreeSet<VarId>>>;

/// What came of executing a graph.
#[derive(Default)]
struct Run {
    reached: Vec<(Location, State)>,
    /// Functions about to start in a way that no context covers.
    entries: Vec<State>,
    /// The contexts that calls were covered by.
    contexts: BTreeSet<u32>,
}

/// What leads to a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Join {
    /// One way.
    None,
    /// Several ways.
    Ways,
    /// A loop.
    Loop,
}

/// Graphs for places of a program; see the module.
#[derive(Clone, Debug)]
pub struct Shapes {
    /// How nodes are made chains before graphs are compared.
    rule: Rule,
    places: BTreeMap<Location, Vec<State>>,
    /// Ways to call recursive functions. The first one is number one.
    contexts: Vec<Context>,
}

/// A way to call a recursive function.
#[derive(Clone, Debug)]
struct Context {
    /// At its start.
    entry: State,
    /// At its ends.
    exits: Vec<State>,
}

impl Shapes {
    fn new(rule: Rule) -> Shapes {
        Shapes { rule, places: BTreeMap::new(), contexts: Vec::new() }
    }

    /// How many graphs there are.
    pub fn len(&self) -> usize {
        let of_contexts: usize = self.contexts.iter().map(|c| 1 + c.exits.len()).sum();
        self.places.values().map(Vec::len).sum::<usize>() + of_contexts
    }

    /// Are there none, since nothing is reached in two ways?
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.contexts.is_empty()
    }

    /// The graphs at a place.
    fn kept(&self, at: &Location) -> &[State] {
        let context = (at.context as usize).checked_sub(1).and_then(|n| self.contexts.get(n));
        match context.filter(|_| at.calls.is_empty()) {
            Some(context) => &context.exits,
            None => self.places.get(at).map_or(&[], Vec::as_slice),
        }
    }

    /// The context that covers a function about to start.
    fn context_of(&self, unit: &Unit, entry: &State) -> Option<u32> {
        let mut folded = entry.clone();
        chain::fold(&mut folded, &self.rule);
        folded.collect();
        (1..).zip(&self.contexts).find_map(|(number, context)| {
            let covers = |state: &State| {
                let state = State { context: number, ..state.clone() };
                entail::covers(unit, &context.entry, &state)
            };
            (covers(entry) || covers(&folded)).then_some(number)
        })
    }

    /// The offsets of the cells that lead to the next nodes of chains.
    fn link_offsets(&self) -> BTreeSet<i64> {
        let objects = self.places.values().flatten().flat_map(|s| s.objects.values());
        objects.filter_map(|o| o.chain.as_ref()).filter_map(|c| Some(c.links.next?.0)).collect()
    }

    /// Is a graph covered, as it is or with its lists as chains?
    fn cover(&self, unit: &Unit, at: &Location, state: &State) -> bool {
        let kept = self.kept(at);
        kept.iter().any(|k| entail::covers(unit, k, state)) || {
            let mut folded = state.clone();
            chain::fold(&mut folded, &self.rule);
            folded.collect();
            kept.iter().any(|k| entail::covers(unit, k, &folded))
        }
    }
}

impl<'a> Machine<'a> {
    /// A program about to be looked at.
    pub fn new(unit: &'a Unit) -> Machine<'a> {
        let mut machine = Machine {
            unit,
            joins: FxHashMap::default(),
            live: FxHashMap::default(),
            recursive: call::recursive(unit),
            matter: RefCell::default(),
        };
        for f in unit.funcs.ids().filter(|&f| !unit.funcs[f].blocks.is_empty()) {
            machine.joins.insert(f, joins(unit, f));
            machine.live.insert(f, Liveness::new(unit, f));
        }
        machine
    }

    /// The graph at the start of the program.
    pub fn start(&self) -> Result<State, Failure> {
        execute::start(self.unit)
    }

    /// Is a place the head of a loop?
    pub fn is_loop(&self, at: &Location) -> bool {
        at.calls.last().is_some_and(|&(f, b, at)| at == 0 && self.joins[&f][b] == Join::Loop)
    }

    /// Does a graph stand before a call that is not followed?
    fn is_call(&self, state: &State) -> bool {
        call::called(self.unit, state).is_some_and(|(f, _)| self.recursive.contains(&f))
    }

    /// Is a graph at a place where graphs are kept?
    fn is_kept(&self, state: &State) -> bool {
        let Some(frame) = state.frames.last() else { return true };
        let is_join =
            frame.at == 0 && self.joins.get(&frame.func).is_some_and(|j| j[frame.block] != Join::None);
        is_join || self.is_call(state)
    }

    /// Executes a graph until graphs are kept, and forgets what no longer matters there.
    fn run(&self, from: State, shapes: &Shapes, budget: &Budget) -> Result<Run, Failure> {
        let mut out = Run::default();
        let mut work = Vec::new();
        if self.is_call(&from) {
            work = self.pass(from, shapes, &mut out)?;
        } else {
            work.push(from);
        }
        let mut count = 0usize;
        while let Some(state) = work.pop() {
            spend(INSTRUCTION);
            budget.poll().map_err(|i| Failure::new(i.to_string()))?;
            count += 1;
            if count > LONGEST_PATH {
                return Err(Failure::new("there are too many ways through a part of the program"));
            }
            for next in execute::step(self.unit, state)? {
                self.sort(next, &mut work, &mut out)?;
            }
        }
        Ok(out)
    }

    /// Keeps a graph, or notes that it has to be executed further.
    fn sort(&self, mut next: State, work: &mut Vec<State>, out: &mut Run) -> Result<(), Failure> {
        if !next.has_numbers() {
            return Err(Failure::new("a part of the program makes too many objects"));
        }
        if self.is_kept(&next) {
            self.forget(&mut next);
            if next.frames.is_empty() {
                next = next.renumbered();
            }
            out.reached.push((next.location(), next));
        } else {
            work.push(next);
        }
        Ok(())
    }

    /// The graphs after a call that is not followed, those that are to be executed further.
    fn pass(&self, from: State, shapes: &Shapes, out: &mut Run) -> Result<Vec<State>, Failure> {
        let mut work = Vec::new();
        for call in call::cut(self.unit, from, |state| self.forget(state))? {
            let Some(context) = shapes.context_of(self.unit, &call.entry) else {
                out.entries.push(call.entry);
                continue;
            };
            out.contexts.insert(context);
            for exit in &shapes.contexts[context as usize - 1].exits {
                spend(INSTRUCTION);
                for next in call.returned(self.unit, exit)? {
                    self.sort(next, &mut work, out)?;
                }
            }
        }
        Ok(work)
    }

    /// Forgets variables that are not read before they are written, and objects that nothing leads to.
    fn forget(&self, state: &mut State) {
        for n in 0..state.frames.len() {
            let (func, block, at) = (state.frames[n].func, state.frames[n].block, state.frames[n].at);
            let waits = n + 1 < state.frames.len();
            let known = self.matter.borrow().get(&(func, block, at, waits)).cloned();
            let live = known.unwrap_or_else(|| {
                let live = Rc::new(self.live[&func].at(self.unit, func, (block, at), waits));
                self.matter.borrow_mut().insert((func, block, at, waits), live.clone());
                live
            });
            let vars: Vec<_> = state.frames[n].vars.keys().copied().collect();
            for v in vars.into_iter().filter(|v| !live.contains(v) && !self.unit.vars[*v].address_taken) {
                if let Some(object) = state.frames[n].vars.remove(&v) {
                    state.objects.remove(&object);
                }
            }
        }
        state.collect();
    }
}

/// Which blocks of a function are reached in several ways.
fn joins(unit: &Unit, f: FuncId) -> IdVec<BlockId, Join> {
    let blocks = &unit.funcs[f].blocks;
    let mut joins: IdVec<BlockId, Join> = blocks.iter().map(|_| Join::None).collect();
    let mut ways: IdVec<BlockId, usize> = blocks.iter().map(|_| 0).collect();
    // A depth-first search: edges to blocks on its stack close loops.
    let mut state: IdVec<BlockId, u8> = blocks.iter().map(|_| 0).collect();
    let first = BlockId::new(0);
    ways[first] = 1;
    let mut stack = vec![(first, successors(&blocks[first].end), 0usize)];
    state[first] = 1;
    while let Some((b, next, n)) = stack.last_mut() {
        let Some(&s) = next.get(*n) else {
            state[*b] = 2;
            stack.pop();
            continue;
        };
        *n += 1;
        ways[s] += 1;
        match state[s] {
            0 => {
                state[s] = 1;
                stack.push((s, successors(&blocks[s].end), 0));
            }
            1 => joins[s] = Join::Loop,
            _ => {}
        }
    }
    for b in blocks.ids().filter(|&b| ways[b] > 1) {
        if joins[b] == Join::None {
            joins[b] = Join::Ways;
        }
    }
    joins
}

/// Checks a proof: the start of the program is covered, and from every graph execution stays covered and meets no error.
pub fn check(unit: &Unit, shapes: &Shapes, budget: &Budget) -> Result<(), Failure> {
    let machine = Machine::new(unit);
    let covered = |run: Run| {
        if !run.entries.is_empty() {
            return Err(Failure::new("a function is called in a way that the proof does not allow"));
        }
        for (at, state) in run.reached {
            if !shapes.cover(unit, &at, &state) {
                return Err(Failure::new("an execution leads to memory that the proof does not allow"));
            }
        }
        Ok(())
    };
    covered(machine.run(machine.start()?, shapes, budget)?)?;
    let is_known = |at: &Location| at.context as usize <= shapes.contexts.len();
    let start = |f: FuncId| vec![(f, BlockId::new(0), 0)];
    let not_in_order = || Failure::new("a graph of the proof is not in order");
    for (number, context) in (1..).zip(&shapes.contexts) {
        let at = context.entry.location();
        let is_start = at.calls.first().is_some_and(|&(f, ..)| at.calls == start(f));
        if at.context != number || !is_start || !context.entry.is_whole() {
            return Err(not_in_order());
        }
        let is_exit = |s: &State| s.context == number && s.frames.is_empty() && s.is_whole();
        if !context.exits.iter().all(is_exit) {
            return Err(not_in_order());
        }
        covered(machine.run(context.entry.clone(), shapes, budget)?)?;
    }
    for (at, kept) in &shapes.places {
        for state in kept {
            if state.location() != *at || !is_known(at) || state.frames.is_empty() || !state.is_whole() {
                return Err(not_in_order());
            }
            covered(machine.run(state.clone(), shapes, budget)?)?;
        }
    }
    Ok(())
}
