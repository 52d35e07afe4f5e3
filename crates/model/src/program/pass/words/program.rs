//! Programs on words: every variable that is an integer becomes a word of bits.
//!
//! Locations, edges and inputs stay what they were, and executions correspond one to one. A variable that is never negative has a word
//! without a sign, any other one a word in two's complement, as wide as the interval of its values asks for. Where an interval says more
//! than the width, the edges that read the variable say so, too.
//!
//! The result is a transition system over bits, which the engines for circuits decide. Its formulas are about words of its own, so
//! proofs stay with it; traces go back by reading words as integers.

use super::word::{Word, bounded, constant, interval, resized, width_of};
use super::{Interval, Rewriter};
use crate::program::live::{Uses, effects, live_at};
use crate::program::pass::narrow;
use crate::{Action, Program, Step, Trace, VarId};
use bolide_base::{Budget, IBig, IdVec, Interrupt, Rational};
use bolide_term::{Sort, Store, Term, Value};
use rustc_hash::FxHashMap;

/// A program on words, and how its traces are read.
#[derive(Clone, Debug)]
pub struct OnWords {
    /// The program.
    pub program: Program,
    /// How the variables of the program that it comes from are represented; nothing for truth values.
    variables: IdVec<VarId, Option<Shape>>,
    /// The same for its inputs.
    inputs: Vec<Option<Shape>>,
}

/// The word that represents integers of an interval.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Shape {
    range: (i128, i128),
    width: u32,
}

/// A word in the place of an integer.
struct Represented {
    word: Word,
    /// What says that it is in its interval, if its width does not.
    within: Option<Term>,
    /// The constant that holds the bits.
    symbol: Term,
}

/// A program without calls on words; `None` if there is something else in it than truth values and bounded integers.
pub fn on_words(store: &mut Store, program: &Program, budget: &Budget) -> Result<Option<OnWords>, Interrupt> {
    let (variables, is_read) = shapes(store, program, budget)?;
    let has_word = |v: VarId| variables[v].is_some() || program.vars[v].sort == Sort::BOOL;
    if !program.vars.ids().all(|v| has_word(v) || !is_read[v]) {
        return Ok(None);
    }
    let mut new = program.clone();
    let mut known: FxHashMap<Term, Represented> = FxHashMap::default();
    for (v, variable) in program.vars.iter_enumerated() {
        let Some(shape) = variables[v] else { continue };
        let represented = shape.represented(store, &variable.name);
        new.vars[v].term = represented.symbol;
        new.vars[v].sort = store.sort_of(represented.symbol);
        new.vars[v].range = None;
        known.insert(variable.term, represented);
    }
    let inputs: Vec<Option<Shape>> =
        program.inputs.iter().map(|i| Shape::new(i.range?).filter(|_| i.sort == Sort::INT)).collect();
    for (input, shape) in new.inputs.iter_mut().zip(&inputs) {
        if let Some(shape) = shape {
            (input.sort, input.range, input.preferred) = (store.bv_sort(shape.width), None, None);
        }
    }
    let mut of_constants: FxHashMap<Term, Shape> = FxHashMap::default();
    for procedure in new.procs.iter_mut() {
        for edge in procedure.edges.iter_mut() {
            budget.poll()?;
            let Action::Step(step) = &mut edge.action else { return Ok(None) };
            for (n, (constant, input)) in step.inputs.iter().enumerate() {
                match inputs[input.index()] {
                    Some(shape) => match of_constants.insert(*constant, shape) {
                        None if known.contains_key(constant) => return Ok(None),
                        None => {
                            let represented = shape.represented(store, &format!("input{n}"));
                            known.insert(*constant, represented);
                        }
                        // A constant may stand for several inputs, but has one word.
                        Some(before) if before != shape => return Ok(None),
                        Some(_) => {}
                    },
                    None if store.sort_of(*constant) != Sort::BOOL => return Ok(None),
                    None => {}
                }
            }
            let Some(rewritten) = on_step(store, step, &known, &variables, &is_read) else { return Ok(None) };
            *step = rewritten;
        }
    }
    Ok(Some(OnWords { program: new, variables, inputs }))
}

/// The words of variables, as wide as the intervals of the variables ask for wherever their values matter, and which variables these are.
type Shapes = (IdVec<VarId, Option<Shape>>, IdVec<VarId, bool>);

fn shapes(store: &Store, program: &Program, budget: &Budget) -> Result<Shapes, Interrupt> {
    let states = narrow::intervals(store, program, budget)?;
    let mut uses = Uses::new(store, program);
    let effects = effects(program, &mut uses);
    let live = live_at(program, &mut uses, &effects);
    let mut joined: IdVec<VarId, Option<Interval>> = program.vars.iter().map(|_| None).collect();
    for (l, state) in states.iter_enumerated() {
        let Some(state) = state else { continue };
        for v in live[program.entry][l].iter() {
            let here = state.get(v).unwrap_or(Interval::from_range(program.vars[v].range));
            joined[v] = Some(joined[v].map_or(here, |there| there.join(&here)));
        }
    }
    let shape = |v: VarId| {
        let range = joined[v].and_then(|i| bounded(&i)).or(program.vars[v].range)?;
        Shape::new(range).filter(|_| program.vars[v].sort == Sort::INT)
    };
    let shapes = program.vars.ids().map(shape).collect();
    Ok((shapes, joined.iter().map(Option::is_some).collect()))
}

/// A step on words. What is assigned to variables whose values do not matter is left out.
fn on_step(
    store: &mut Store,
    step: &Step,
    known: &FxHashMap<Term, Represented>,
    variables: &IdVec<VarId, Option<Shape>>,
    is_read: &IdVec<VarId, bool>,
) -> Option<Step> {
    let assigned: Vec<(VarId, Term)> = step.assigns.iter().copied().filter(|(v, _)| is_read[*v]).collect();
    let roots: Vec<Term> = std::iter::once(step.guard).chain(assigned.iter().map(|a| a.1)).collect();
    let mut rewriter = Rewriter::empty(store);
    let mut guard = Vec::new();
    let symbols = rewriter.store.symbols(roots);
    for f in symbols {
        let t = rewriter.store.apply(f, &[]);
        if let Some(represented) = known.get(&t) {
            rewriter.words.insert(t, represented.word);
            rewriter.rewritten.insert(t, t);
            guard.extend(represented.within);
        }
    }
    let rewritten = rewriter.term(step.guard);
    guard.push(rewritten);
    let mut assigns = Vec::with_capacity(assigned.len());
    for (v, t) in assigned {
        let new = rewriter.term(t);
        let value = match variables[v] {
            None => new,
            Some(shape) => resized(rewriter.store, rewriter.words.get(&t)?.term, shape.width),
        };
        assigns.push((v, value));
    }
    let guard = store.and(&guard);
    let inputs = step.inputs.iter().map(|&(c, i)| (known.get(&c).map_or(c, |r| r.symbol), i)).collect();
    let new = Step { guard, assigns, inputs };
    let is_of_bits = |t: Term| store.sort_of(t) == Sort::BOOL || store.bv_width(store.sort_of(t)).is_some();
    let roots: Vec<Term> = new.terms().collect();
    store.post_order(roots).all(is_of_bits).then_some(new)
}

impl Shape {
    /// The shape of the integers of an interval, if they are not too large.
    fn new(range: (i128, i128)) -> Option<Shape> {
        let range = bounded(&interval(range))?;
        let width = width_of(range);
        Some(Shape { range, width: if range.0 < 0 { width } else { (width - 1).max(1) } })
    }

    /// Is there a bit for the sign?
    fn is_signed(self) -> bool {
        self.range.0 < 0
    }

    /// Is every word of this width in the interval?
    fn is_full(self) -> bool {
        let count = 1i128 << self.width;
        let low = if self.is_signed() { -(count / 2) } else { 0 };
        self.range == (low, low + count - 1)
    }

    /// A new word of this shape.
    fn represented(self, store: &mut Store, name: &str) -> Represented {
        let sort = store.bv_sort(self.width);
        let symbol = store.fresh_var(name, sort);
        let term = if self.is_signed() { symbol } else { store.bv_zero_extend(1, symbol) };
        let within = (!self.is_full()).then(|| {
            let width = store.bv_width(store.sort_of(term)).unwrap_or(self.width);
            let [low, high] = [self.range.0, self.range.1].map(|end| constant(store, end, width));
            let (above, below) = (store.bv_sle(low, term), store.bv_sle(term, high));
            store.and(&[above, below])
        });
        Represented { word: Word::new(term, self.range), within, symbol }
    }

    /// The integer that a word denotes.
    fn read(self, value: &Value) -> Option<Value> {
        let Value::Bv(width, bits) = value else { return None };
        let number = IBig::from(bits.clone());
        let count = IBig::ONE << *width as usize;
        let is_negative = self.is_signed() && &number + &number >= count;
        let number = if is_negative { number - count } else { number };
        Some(Value::Num(Rational::from(number)))
    }
}

impl OnWords {
    /// A trace of the program on words as one of the program that it comes from.
    pub fn trace_back(&self, trace: &Trace) -> Option<Trace> {
        let mut back = trace.clone();
        for (v, value) in &mut back.initial {
            if let Some(shape) = self.variables[*v] {
                *value = shape.read(value)?;
            }
        }
        for step in &mut back.steps {
            let edge = &self.program.procs[step.proc].edges[step.edge];
            for (value, &(_, input)) in step.inputs.iter_mut().zip(&edge.step()?.inputs) {
                if let Some(shape) = self.inputs[input.index()] {
                    *value = shape.read(value)?;
                }
            }
        }
        Some(back)
    }
}
