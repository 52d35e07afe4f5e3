//! Arrays by way of a few of their cells, at places that are chosen once and for all.
//!
//! A loop that fills an array and a loop that checks it need a fact about all cells. Cell morphing (Monniaux and
//! Gonnord, SAS 2016) gets by without quantifiers: a fact about one arbitrary cell is a fact about all of them. A constant
//! `k` is chosen before the program starts and never changes, and of every array `a` only the value of `a[k]` is kept.
//! What is read from elsewhere is arbitrary.
//!
//! Nothing could be proved that way if the program were judged by reads from elsewhere. But `k` is arbitrary, so it may
//! be the place that matters, as if it had been prophesied: an execution into an error takes the edge into the error
//! once, as its last one, and there `k` may be assumed to be the place that this edge reads. The same goes for edges
//! that are on no cycle. More precisely, it is the variables in such a place that are prophesied, so that places which
//! depend on each other do so in the result too. Variables that no loop assigns need no prophecy.
//!
//! The result has every error of the program and perhaps more: a proof stands, a trace means nothing.
//!
//! | module | what it holds |
//! |---|---|
//! | `view` | what a program does with its arrays |
//! | `layout` | the places, and what is prophesied on which edge |
//! | `reader` | edges with cells instead of arrays |
//! | `phases` | loops before and after their counters come to a place |

mod layout;
mod phases;
mod reader;
mod view;

use super::{Log, prune, slice, tidy};
use crate::program::back::map::{BackMap, Split};
use crate::program::back::prophecy::Prophecies;
use crate::{Action, Program, Span, VarId, VarKind, Variable};
use bolide_base::Rational;
use bolide_term::{ArrayValue, Sort, Store, Term, Value};
use indexmap::IndexMap;
use layout::{Layout, ProphecyKind};
use phases::Phases;
use reader::Reader;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use view::View;

/// Which cells are kept, and in which variables.
#[derive(Clone, Debug)]
pub struct Tracking {
    /// The number of variables of the programs that this is for.
    vars: usize,
    /// The variables that such a program is given: what is prophesied, then cells.
    added: Vec<Variable>,
    /// The constants that are prophesied.
    prophecies: IndexMap<ProphecyKind, VarId>,
    /// The number of places.
    places: usize,
    /// The arrays; for each its cells with the numbers of their places.
    cells: IndexMap<VarId, Vec<(usize, VarId)>>,
    /// How loops are split, if they are.
    phases: Option<Phases>,
}

impl Tracking {
    /// Chooses cells; `None` if the program has no arrays, or makes other use of them than to read and to write cells.
    pub fn plan(store: &mut Store, program: &Program) -> Option<Tracking> {
        let view = View::new(store, program)?;
        let mut with = program.clone();
        let mut prophecies: IndexMap<ProphecyKind, VarId> = IndexMap::new();
        let layout = Layout::new(store, &view, &mut |store, prophecy, part| {
            let (number, range) = (prophecies.len(), range(store, program, part));
            let v = *prophecies.entry(prophecy).or_insert_with(|| {
                with.variable(store, &format!("$k{number}"), Sort::INT, VarKind::Global, range)
            });
            let v = &mut with.vars[v];
            v.range = v.range.filter(|r| range.is_some_and(|other| other == *r));
            Some(v.term)
        })?;
        if layout.places.is_empty() {
            return None;
        }
        let mut cells = IndexMap::new();
        for (&array, wanted) in &layout.wanted {
            let Variable { name, kind, .. } = program.vars[array].clone();
            let mut cell =
                |&n: &usize| (n, with.variable(store, &format!("{name}[$p{n}]"), Sort::INT, kind, None));
            cells.insert(array, wanted.iter().map(&mut cell).collect());
        }
        let added = with.vars.iter().skip(program.vars.len()).cloned().collect();
        let (vars, places) = (program.vars.len(), layout.places.len());
        Some(Tracking { vars, added, prophecies, places, cells, phases: None })
    }

    /// The same with loops in phases; `None` if no loop runs over one of the places.
    pub fn in_phases(self, store: &mut Store, program: &Program) -> Option<Tracking> {
        let (with, layout) = self.with_cells(store, program)?;
        let phases = Some(Phases::plan(store, &with, &layout.places)?);
        Some(Tracking { phases, ..self })
    }

    /// The program with cells instead of arrays; `None` if it is not one that the cells were chosen for.
    pub fn apply(&self, store: &mut Store, program: &Program) -> Option<Program> {
        self.record(store, program, &mut Log::default()).map(|(new, _)| new)
    }

    /// The same, with what the way back of an invariant needs, and what the constants turn out to be.
    pub(super) fn record(
        &self,
        store: &mut Store,
        program: &Program,
        log: &mut Log,
    ) -> Option<(Program, Prophecies)> {
        let (new, layout) = self.with_cells(store, program)?;
        let new = log.keep((new, self.map(program, &layout)));
        let new = match &self.phases {
            Some(phases) => log.keep(phases.apply(store, &new)),
            None => new,
        };
        let new = log.keep(tidy(store, &new));
        let new = log.keep(slice(store, &new));
        let new = log.keep(prune(store, &new));
        let constants = self.added[..self.prophecies.len()].to_vec();
        Some((new, Prophecies { constants, all: layout.told(store, program) }))
    }

    /// The way back for invariants: a cell is what the array holds at its place. There is none for traces.
    fn map(&self, program: &Program, layout: &Layout) -> BackMap {
        let none = program.procs.iter().map(|p| p.edges.iter().map(|_| None).collect()).collect();
        let split = |(&array, cells): (&VarId, &Vec<(usize, VarId)>)| Split {
            array,
            default: Value::Array(Arc::new(ArrayValue::constant(Value::Num(Rational::ZERO)))),
            cells: cells.iter().map(|&(n, cell)| (layout.places[n], cell)).collect(),
        };
        BackMap { split: self.cells.iter().map(split).collect(), ..BackMap::identity(program, none) }
    }

    /// The program with cells instead of arrays, as it comes out.
    fn with_cells(&self, store: &mut Store, program: &Program) -> Option<(Program, Layout)> {
        let view = View::new(store, program).filter(|_| program.vars.len() == self.vars)?;
        let layout = Layout::new(store, &view, &mut |store, prophecy, part| {
            let v = &self.added[self.prophecies.get(&prophecy)?.index() - self.vars];
            (v.range.is_none() || v.range == range(store, program, part)).then_some(v.term)
        })?;
        let is_same = layout.places.len() == self.places
            && layout.wanted.iter().all(|(array, wanted)| {
                self.cells.get(array).is_some_and(|cells| cells.iter().map(|c| &c.0).eq(wanted))
            });
        if !is_same {
            return None;
        }
        let mut new = program.clone();
        self.added.iter().for_each(|v| _ = new.vars.push(v.clone()));
        let unknown = new.inputs.push(crate::Input {
            name: "some cell".into(),
            sort: Sort::INT,
            range: None,
            preferred: None,
            span: Span::default(),
        });
        let mut elsewhere = FxHashMap::default();
        for (edge, old) in program.main().edges.iter_enumerated() {
            let reader = Reader::new(&layout.places, &self.cells, &new, old.from, unknown, &mut elsewhere);
            let step = reader.step(store, old.step()?, &layout.assumed[edge]);
            new.procs[program.entry].edges[edge].action = Action::Step(step);
        }
        Some((new, layout))
    }
}

/// The range of a variable.
fn range(store: &Store, program: &Program, t: Term) -> Option<(i128, i128)> {
    store.as_var(t)?;
    program.vars.iter().find(|v| v.term == t)?.range
}
