//! Another run along the same path, one that the original program is likelier to follow.
//!
//! The encoding of a program keeps objects apart that points-to analysis keeps apart. A pointer that comes from outside
//! may have any value, and the solver is free to choose one that lies within an object that it was said not to point to:
//! then the encoded program reads something other than the original one, and the run is of no use. So a run
//! takes such pointers from addresses where nothing is, if it can.

use bolide_base::Budget;
use bolide_model::{Program, Step, Unrolling, VarKind};
use bolide_model::{Trace, TraceStep};
use bolide_smt::{Answer, Solver};
use bolide_term::{Store, Term};

/// The steps for which such a run is looked for.
const MOST_STEPS: u64 = 500_000;

/// A run along the edges of `trace` in which inputs have the values that are preferred; `trace` itself if there is none.
pub fn prefer_inputs(store: &mut Store, program: &Program, trace: Trace, budget: &Budget) -> Trace {
    preferred_run(store, program, &trace, &budget.clone().with_steps(MOST_STEPS)).unwrap_or(trace)
}

fn preferred_run(store: &mut Store, program: &Program, trace: &Trace, budget: &Budget) -> Option<Trace> {
    let steps: Option<Vec<&Step>> =
        trace.steps.iter().map(|t| program.procs[t.proc].edges[t.edge].step()).collect();
    let steps = steps?;
    if steps.iter().all(|s| s.inputs.iter().all(|&(_, input)| program.inputs[input].preferred.is_none())) {
        return None;
    }
    let mut unrolling = Unrolling::new(store, program);
    let mut parts: Vec<Term> = Vec::new();
    let (mut wishes, mut or_null): (Vec<Term>, Vec<Term>) = (Vec::new(), Vec::new());
    let mut inputs = Vec::with_capacity(trace.steps.len());
    for step in steps {
        let formula = unrolling.push(store, program, step);
        for (&value, &(_, input)) in formula.inputs.iter().zip(&step.inputs) {
            if let Some(range) = program.inputs[input].preferred {
                let (zero, is_inside) = (store.int(0), program.in_range(store, value, Some(range)));
                let is_null = store.eq(value, zero);
                wishes.push(is_inside);
                or_null.push(store.or(&[is_null, is_inside]));
            }
        }
        parts.push(formula.formula);
        inputs.push(formula.inputs);
    }
    for v in program.vars.iter() {
        parts.push(program.in_range(store, v.term, v.range));
    }
    let mut solver = Solver::default();
    parts.into_iter().for_each(|t| solver.assert(t));
    let mut holds = |wishes: &[Term]| solver.check_assuming(store, wishes, budget) == Answer::Sat;
    if !holds(&wishes) && !holds(&or_null) {
        return None;
    }
    let model = solver.model()?;
    let globals = program.vars.iter_enumerated().filter(|(_, v)| v.kind == VarKind::Global);
    let initial = globals.filter_map(|(id, v)| Some((id, model.value(store.as_var(v.term)?)?.clone())));
    let steps = trace.steps.iter().zip(&inputs).map(|(taken, inputs)| TraceStep {
        proc: taken.proc,
        edge: taken.edge,
        inputs: Unrolling::input_values(store, model, inputs),
    });
    Some(Trace::new(initial.collect(), steps.collect()))
}
