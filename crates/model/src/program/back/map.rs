//! The way back from a transformed program to the one it came from.

use crate::{Action, Edge, EdgeId, LocId, ProcId, Program, Runner, Trace, TraceStep, VarId};
use bolide_base::{IdVec, index_type};
use bolide_term::{Store, Term, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

index_type! {
    /// A chain of calls, kept by the inliner; context 0 is the outermost one.
    pub struct Context("c");
}

/// Where a location came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The procedure.
    pub proc: ProcId,
    /// The location in it.
    pub location: LocId,
    /// The chain of calls.
    pub context: Context,
}

/// The way back to the program that a pass was given.
#[derive(Clone, Debug)]
pub struct BackMap {
    pub(in crate::program) locations: IdVec<ProcId, IdVec<LocId, Origin>>,
    pub(in crate::program) contexts: IdVec<Context, Option<(Context, ProcId, EdgeId)>>,
    pub(in crate::program) edges: EdgeMap,
    /// Arrays that were replaced by their cells.
    pub(in crate::program) split: Vec<Split>,
    /// Why what holds in the new program says something about the original one.
    pub(in crate::program) grounds: Grounds,
}

/// What a pass relied on: an invariant of the new program is one of the original only together with it.
#[derive(Clone, Debug, Default)]
pub(in crate::program) enum Grounds {
    /// The meaning of terms.
    #[default]
    Terms,
    /// That some variables do not matter at some locations.
    Influence,
    /// Where the graph leads: a location that is gone cannot be reached, or it leads to no error.
    Graph,
    /// The intervals of the variables at each location.
    Intervals,
    /// The constants that variables of the entry procedure hold at each of its new locations. One that is gone cannot be
    /// reached.
    Constants(IdVec<LocId, Vec<(VarId, Term)>>),
    /// What holds at each new location of the entry procedure, of which there may be several for one.
    Cases(IdVec<LocId, Term>),
    /// That what holds whatever some variables are holds for these numerals, too.
    Numerals(Vec<(VarId, Term)>),
}

/// An array that was replaced by one variable for each of its indices.
#[derive(Clone, Debug)]
pub(in crate::program) struct Split {
    pub array: VarId,
    /// What it holds where nothing else is said.
    pub default: Value,
    /// The indices and their variables. Where there is a way back for traces the indices are numerals.
    pub cells: Vec<(Term, VarId)>,
}

/// How edges correspond.
#[derive(Clone, Debug)]
pub(in crate::program) enum EdgeMap {
    /// Each edge is a copy of one edge, or was added by the pass.
    Copies(IdVec<ProcId, IdVec<EdgeId, Option<Copy>>>),
    /// Each edge is a block of edges of this program, which is deterministic between its block heads. The constants
    /// are those of the block's inputs.
    Blocks { original: Box<Program>, inputs: IdVec<ProcId, IdVec<EdgeId, Vec<Term>>> },
}

/// The edge that another one is a copy of.
#[derive(Clone, Debug)]
pub(in crate::program) struct Copy {
    pub proc: ProcId,
    pub edge: EdgeId,
    /// For each input of the original: its position among the inputs of the copy, or a value if the copy dropped it.
    pub inputs: Vec<Result<usize, Value>>,
}

impl Copy {
    /// A copy that has the inputs of the original in the same order.
    pub(in crate::program) fn faithful(proc: ProcId, edge: EdgeId, original: &Edge) -> Copy {
        let count = original.step().map_or(0, |s| s.inputs.len());
        Copy { proc, edge, inputs: (0..count).map(Ok).collect() }
    }
}

/// The contexts of a pass that does not inline.
pub(in crate::program) fn no_contexts() -> IdVec<Context, Option<(Context, ProcId, EdgeId)>> {
    std::iter::once(None).collect()
}

/// The context of everything in a pass that does not inline.
pub(in crate::program) const OUTERMOST: Context = Context::new(0);

impl BackMap {
    /// The map of a pass that keeps all locations and edges.
    pub(in crate::program) fn identity(
        program: &Program,
        edges: IdVec<ProcId, IdVec<EdgeId, Option<Copy>>>,
    ) -> BackMap {
        let locations = program.procs.iter_enumerated().map(|(proc, p)| {
            p.locations.ids().map(|location| Origin { proc, location, context: OUTERMOST }).collect()
        });
        BackMap {
            locations: locations.collect(),
            contexts: no_contexts(),
            edges: EdgeMap::Copies(edges),
            split: Vec::new(),
            grounds: Grounds::Terms,
        }
    }

    /// Where a location came from.
    pub fn origin(&self, proc: ProcId, location: LocId) -> Origin {
        self.locations[proc][location]
    }

    /// The calls of a context, outermost first, as call edges of the original program.
    pub fn call_chain(&self, context: Context) -> Vec<(ProcId, EdgeId)> {
        let mut chain = Vec::new();
        let mut at = context;
        while let Some((parent, proc, edge)) = self.contexts[at] {
            chain.push((proc, edge));
            at = parent;
        }
        chain.reverse();
        chain
    }

    /// The trace of the original program that a trace of the new one stands for. `None` if the trace is not an
    /// execution of the new program.
    pub fn trace(&self, store: &Store, trace: &Trace) -> Option<Trace> {
        let steps = match &self.edges {
            EdgeMap::Copies(edges) => trace
                .steps
                .iter()
                .filter_map(|s| edges[s.proc][s.edge].as_ref().map(|copy| original_step(copy, s)))
                .collect(),
            EdgeMap::Blocks { original, inputs } => expand(store, original, inputs, trace)?,
        };
        Some(Trace::new(self.initial(store, &trace.initial), steps))
    }

    /// Values before the first edge, those of array cells gathered in their arrays.
    fn initial(&self, store: &Store, initial: &[(VarId, Value)]) -> Vec<(VarId, Value)> {
        let mut known: FxHashMap<VarId, Value> = initial.iter().cloned().collect();
        let mut out = Vec::with_capacity(initial.len());
        for Split { array, default, cells } in &self.split {
            let mut value = default.clone();
            for (index, cell) in cells {
                if let (Value::Array(elements), Some(index)) = (&value, store.as_num(*index))
                    && let Some(element) = known.remove(cell)
                {
                    value = Value::Array(Arc::new(elements.store(Value::Num(index.clone()), element)));
                }
            }
            known.remove(array);
            out.push((*array, value));
        }
        out.extend(initial.iter().filter(|(v, _)| known.contains_key(v)).cloned());
        out
    }
}

fn original_step(copy: &Copy, step: &TraceStep) -> TraceStep {
    let inputs = copy.inputs.iter().map(|i| match i {
        Ok(n) => step.inputs[*n].clone(),
        Err(v) => v.clone(),
    });
    TraceStep { proc: copy.proc, edge: copy.edge, inputs: inputs.collect() }
}

/// Replays every block on the original program, where the guards tell which way each block went.
fn expand(
    store: &Store,
    original: &Program,
    inputs: &IdVec<ProcId, IdVec<EdgeId, Vec<Term>>>,
    trace: &Trace,
) -> Option<Vec<TraceStep>> {
    let outgoing: IdVec<ProcId, _> = original.procs.iter().map(|p| p.outgoing()).collect();
    let heads = crate::program::pass::blocks::heads(store, original);
    let mut runner = Runner::new(store, original, &trace.initial);
    let mut steps = Vec::new();
    for block in &trace.steps {
        let values: FxHashMap<Term, &Value> =
            inputs[block.proc][block.edge].iter().copied().zip(&block.inputs).collect();
        loop {
            let (proc, location) = runner.position();
            let mut taken = None;
            for &edge in &outgoing[proc][location] {
                let e = &original.procs[proc].edges[edge];
                let inputs: Option<Vec<Value>> = match &e.action {
                    Action::Step(s) => {
                        s.inputs.iter().map(|(c, _)| values.get(c).map(|&v| v.clone())).collect()
                    }
                    Action::Call(_) => Some(Vec::new()),
                };
                // An edge whose inputs the block does not know is not part of the block.
                let Some(inputs) = inputs else { continue };
                if runner.take(store, edge, &inputs).ok()? {
                    taken = Some(TraceStep { proc, edge, inputs });
                    break;
                }
            }
            steps.push(taken?);
            let (proc, location) = runner.position();
            if heads[proc][location] {
                break;
            }
        }
    }
    Some(steps)
}
