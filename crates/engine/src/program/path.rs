//! Paths in single-assignment form: are they feasible, and if not, why, as one fact about each point?

use super::art::Label;
use bolide_base::Budget;
use bolide_itp::{Config, Failure, interpolate_sequence};
use bolide_model::pass::{Trace, TraceStep};
use bolide_model::{EdgeId, Program, StepFormula, Unrolling, VarKind};
use bolide_smt::{Answer, Solver};
use bolide_term::{Op, Store, Term};

/// What came of a path.
pub enum Refutation {
    /// It is infeasible; a fact for each vertex after the first one, over the program's variables.
    Infeasible(Vec<Term>),
    /// It can be executed.
    Feasible(Trace),
    /// Neither is known.
    Unknown(String),
}

/// Unrolls paths of one program.
pub struct Paths<'p> {
    program: &'p Program,
    /// Ranges of the variables before the first step, over the program's variables.
    ranges: Vec<Term>,
    /// How interpolants are made.
    pub config: Config,
}

impl<'p> Paths<'p> {
    /// Paths of a program.
    pub fn new(store: &mut Store, program: &'p Program, config: Config) -> Paths<'p> {
        let ranges = ranges(store, program);
        Paths { program, ranges, config }
    }

    /// Facts about the ranges of variables, which hold in every state.
    pub fn ranges(&self) -> &[Term] {
        &self.ranges
    }

    /// The formulas of the edges, one after the other, and the unrolling after the last one.
    fn unroll(&self, store: &mut Store, edges: &[EdgeId]) -> (Vec<StepFormula>, Unrolling) {
        let mut unrolling = Unrolling::new(store, self.program);
        let formulas = edges
            .iter()
            .map(|&e| {
                let step = self.program.main().edges[e].step().expect("calls have been inlined");
                unrolling.push(store, self.program, step)
            })
            .collect();
        (formulas, unrolling)
    }

    /// The ranges of those variables that occur in some formulas.
    fn relevant_ranges(&self, store: &Store, formulas: &[Term]) -> Vec<Term> {
        let symbols: rustc_hash::FxHashSet<_> = store.symbols(formulas.iter().copied()).into_iter().collect();
        self.ranges
            .iter()
            .copied()
            .filter(|&r| store.symbols([r]).iter().any(|f| symbols.contains(f)))
            .collect()
    }

    /// Can the edges be taken one after the other from a state in which the label holds, so that afterwards `goal` (if
    /// there is one) does not hold? If not, the facts in between.
    pub fn refute(
        &self,
        store: &mut Store,
        start: &Label,
        edges: &[EdgeId],
        goal: Option<&Label>,
        budget: &Budget,
    ) -> Refutation {
        let (steps, mut unrolling) = self.unroll(store, edges);
        let mut parts: Vec<Term> = steps.iter().map(|s| s.formula).collect();
        let mut first = start.clone();
        first.extend(parts.first());
        first.extend(self.relevant_ranges(store, &[&first[..], &parts[..]].concat()));
        match parts.first_mut() {
            Some(p) => *p = store.and(&first),
            None => parts.push(store.and(&first)),
        }
        if let Some(goal) = goal {
            let all = store.and(goal);
            let there = unrolling.to_path(store, all);
            let denied = store.not(there);
            parts.push(denied);
        }
        let mut solver = Solver::default();
        parts.iter().for_each(|&p| solver.assert(p));
        match solver.check(store, budget) {
            Answer::Unknown(reason) => return Refutation::Unknown(reason.to_string()),
            Answer::Sat => {
                let model = solver.model().cloned().unwrap_or_default();
                return Refutation::Feasible(self.trace(store, edges, &steps, &model));
            }
            Answer::Unsat => {}
        }
        if goal.is_none() {
            // An error vertex: nothing is left after the last step.
            parts.push(store.tru());
        }
        let interpolants = match interpolate_sequence(store, &parts, &self.config, budget) {
            Ok(interpolants) => interpolants,
            Err(Failure::Sat(_)) => return Refutation::Unknown("two solvers disagree".into()),
            Err(failure) => return Refutation::Unknown(failure.to_string()),
        };
        let mut facts = Vec::with_capacity(edges.len());
        for n in (0..edges.len()).rev() {
            facts.push(unrolling.to_program(store, self.program, interpolants[n]));
            unrolling.pop();
        }
        facts.reverse();
        Refutation::Infeasible(facts)
    }

    fn trace(
        &self,
        store: &Store,
        edges: &[EdgeId],
        steps: &[StepFormula],
        model: &bolide_term::Model,
    ) -> Trace {
        let initial = self
            .program
            .vars
            .iter_enumerated()
            .filter(|(_, v)| v.kind == VarKind::Global)
            .filter_map(|(id, v)| Some((id, model.value(store.as_var(v.term)?)?.clone())))
            .collect();
        let steps = edges
            .iter()
            .zip(steps)
            .map(|(&edge, s)| TraceStep {
                proc: self.program.entry,
                edge,
                inputs: Unrolling::input_values(store, model, &s.inputs),
            })
            .collect();
        Trace { initial, steps }
    }
}

/// The ranges of all integer variables as formulas.
pub fn ranges(store: &mut Store, program: &Program) -> Vec<Term> {
    let mut out = Vec::new();
    for v in program.vars.iter() {
        let fact = program.in_range(store, v.term, v.range);
        if fact != store.tru() {
            out.push(fact);
        }
    }
    out
}

/// The conjuncts of a formula as a label.
pub fn conjuncts(store: &Store, t: Term) -> Label {
    let (mut out, mut stack) = (Label::new(), vec![t]);
    while let Some(t) = stack.pop() {
        match store.op(t) {
            Op::And => stack.extend(store.args(t)),
            Op::True => {}
            Op::False => return vec![t],
            _ => out.push(t),
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}
