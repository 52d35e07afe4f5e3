//! The execution that a model of the formulas stands for.

use crate::program::pass::words::memory::ContentsId;
use crate::{LocId, Program, Runner, Trace, TraceStep, VarId};
use bolide_base::{IBig, Rational};
use bolide_term::{ArrayValue, Evaluator, Model, Store, Term, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// How a value of the program is read off a model.
#[derive(Clone, Copy)]
pub(super) enum Reading {
    /// It is the value of a term.
    Term(Term),
    /// It is the number that a word denotes in two's complement.
    Word(Term),
    /// It is an array of which some cells were looked at.
    Contents(ContentsId),
}

/// Executions were at a location and went on from there.
pub(super) struct Visit {
    pub(super) location: LocId,
    /// What the inputs of its edges were, by the constants that stand for them.
    pub(super) inputs: Vec<(Term, Reading)>,
    /// If several edges can be taken, the formula for each but the last that says that it is, unless one before it is. Otherwise empty.
    pub(super) choices: Vec<Term>,
}

/// All that was followed. An execution comes past some of the visits, in their order: at each of its locations it is the next one.
#[derive(Default)]
pub struct Executions {
    /// What variables were at first.
    pub(super) initial: Vec<(VarId, Reading)>,
    pub(super) visits: Vec<Visit>,
    /// What arrays from outside hold at the places that were looked at: both words.
    pub(super) cells: FxHashMap<ContentsId, Vec<(Term, Term)>>,
}

impl Executions {
    /// The execution for which all formulas of a model hold, up to an error; `None` if that is not to be had.
    pub fn trace(&self, store: &Store, program: &Program, model: &Model) -> Option<Trace> {
        let procedure = program.main();
        let outgoing = procedure.outgoing();
        let mut reader = Reader { values: Evaluator::new(store, model), cells: &self.cells };
        let mut initial = Vec::new();
        for &(v, reading) in &self.initial {
            let like = program.default_value(store, program.vars[v].sort, program.vars[v].range);
            initial.push((v, reader.read(reading, &like)?));
        }
        let mut runner = Runner::new(store, program, &initial);
        let mut steps = Vec::new();
        for visit in &self.visits {
            if visit.location != runner.position().1 {
                continue;
            }
            let mut taken = None;
            for (n, &edge) in outgoing[visit.location].iter().enumerate() {
                if let Some(&choice) = visit.choices.get(n)
                    && !reader.values.holds(choice).ok()?
                {
                    continue;
                }
                let step = procedure.edges[edge].step()?;
                let mut inputs = Vec::with_capacity(step.inputs.len());
                for &(constant, input) in &step.inputs {
                    let &(_, reading) = visit.inputs.iter().find(|i| i.0 == constant)?;
                    let input = &program.inputs[input];
                    let like = program.default_value(store, input.sort, input.range);
                    inputs.push(reader.read(reading, &like)?);
                }
                if runner.take(store, edge, &inputs).ok()? {
                    taken = Some(TraceStep { proc: program.entry, edge, inputs });
                    break;
                }
                if !visit.choices.is_empty() {
                    return None;
                }
            }
            steps.push(taken?);
            if procedure.locations[runner.position().1].error.is_some() {
                return Some(Trace::new(initial, steps));
            }
        }
        None
    }
}

struct Reader<'a> {
    values: Evaluator<'a>,
    cells: &'a FxHashMap<ContentsId, Vec<(Term, Term)>>,
}

impl Reader<'_> {
    /// What is read; arrays are like another one wherever nobody looked.
    fn read(&mut self, reading: Reading, like: &Value) -> Option<Value> {
        match reading {
            Reading::Term(t) => self.values.eval(t).ok(),
            Reading::Word(t) => self.number(t),
            Reading::Contents(id) => {
                let Value::Array(like) = like else { return None };
                let default = like.default.clone();
                let mut entries = Vec::new();
                for &(at, held) in self.cells.get(&id).into_iter().flatten() {
                    let (at, held) = (self.number(at)?, self.number(held)?);
                    if held != default {
                        entries.push((at, held));
                    }
                }
                entries.sort_by(|a, b| a.0.order(&b.0));
                entries.dedup_by(|a, b| a.0 == b.0);
                Some(Value::Array(Arc::new(ArrayValue { default, entries })))
            }
        }
    }

    /// The number that a word denotes.
    fn number(&mut self, word: Term) -> Option<Value> {
        let Value::Bv(width, bits) = self.values.eval(word).ok()? else { return None };
        let bits = IBig::from(bits);
        let is_negative = bits >= IBig::ONE << (width as usize - 1);
        let number = if is_negative { bits - (IBig::ONE << width as usize) } else { bits };
        Some(Value::Num(Rational::from(number)))
    }
}
