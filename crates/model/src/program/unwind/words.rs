//! Values as words of bits, as wide as they need to be.

use super::{Domain, Executions, Reading, Values};
use crate::program::pass::words::memory::{Arena, ContentsId, Memory};
use crate::program::pass::words::{Rewriter, Word, choice, unknown};
use crate::{InputId, Program, VarId, VarKind};
use bolide_term::{Sort, Store, Term};
use rustc_hash::FxHashMap;

/// Words over the inputs.
#[derive(Default)]
pub(super) struct Words {
    arena: Arena,
}

/// A value.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Value {
    /// Of an integer.
    Word(Word),
    /// Of an array of integers.
    Contents(ContentsId),
    /// Of anything else.
    Term(Term),
}

impl Words {
    /// Anything of a sort; of an integer or an array, in a range.
    fn anything(&mut self, store: &mut Store, sort: Sort, range: Option<(i128, i128)>) -> Option<Value> {
        if sort == Sort::INT {
            let (word, within) = unknown(store, "input", range?);
            self.arena.within.extend(within);
            return Some(Value::Word(word));
        }
        match store.array_sorts(sort) {
            Some((Sort::INT, Sort::INT)) => Some(Value::Contents(self.arena.initial(range?))),
            Some(_) => None,
            None => Some(Value::Term(store.fresh_var("input", sort))),
        }
    }
}

impl Domain for Words {
    type Value = Value;

    fn initial(&mut self, store: &mut Store, program: &Program, var: VarId) -> Option<Value> {
        let v = &program.vars[var];
        (v.kind == VarKind::Global).then(|| self.anything(store, v.sort, v.range)).flatten()
    }

    fn input(&mut self, store: &mut Store, program: &Program, input: InputId) -> Option<Value> {
        let input = &program.inputs[input];
        self.anything(store, input.sort, input.range)
    }

    fn evaluate(
        &mut self,
        store: &mut Store,
        state: &Values<'_, Value>,
        formula: Term,
        terms: &[Term],
    ) -> Option<(Term, Vec<Value>)> {
        let all: Vec<Term> = std::iter::once(formula).chain(terms.iter().copied()).collect();
        let known = state.of(store, &all)?;
        let memory = Memory { arena: &mut self.arena, contents: FxHashMap::default(), is_lost: false };
        let mut rewriter = Rewriter::empty(store);
        rewriter.memory = Some(memory);
        for (t, &value) in known {
            let stands = match value {
                Value::Word(word) => {
                    rewriter.words.insert(t, word);
                    t
                }
                Value::Contents(id) => {
                    rewriter.memory.as_mut()?.contents.insert(t, id);
                    t
                }
                Value::Term(term) => term,
            };
            rewriter.rewritten.insert(t, stands);
        }
        let formula = rewriter.term(formula);
        let mut values = Vec::with_capacity(terms.len());
        for &t in terms {
            let new = rewriter.term(t);
            let sort = rewriter.store.sort_of(t);
            values.push(match sort {
                Sort::INT => Value::Word(*rewriter.words.get(&t)?),
                _ if rewriter.store.array_sorts(sort).is_some() => {
                    Value::Contents(*rewriter.memory.as_ref()?.contents.get(&t)?)
                }
                _ => Value::Term(new),
            });
        }
        (!rewriter.memory.as_ref()?.is_lost).then_some((formula, values))
    }

    fn choice(&mut self, store: &mut Store, condition: Term, yes: &Value, no: &Value) -> Option<Value> {
        match (*yes, *no) {
            (Value::Word(a), Value::Word(b)) => choice(store, condition, a, b).map(Value::Word),
            (Value::Contents(a), Value::Contents(b)) => {
                Some(Value::Contents(self.arena.choice(condition, a, b)))
            }
            (Value::Term(a), Value::Term(b)) => Some(Value::Term(store.ite(condition, a, b))),
            _ => None,
        }
    }

    fn known(&self) -> &[Term] {
        &self.arena.within
    }

    fn reading(value: &Value) -> Reading {
        match *value {
            Value::Word(word) => Reading::Word(word.term),
            Value::Contents(id) => Reading::Contents(id),
            Value::Term(term) => Reading::Term(term),
        }
    }

    fn finish(self, executions: &mut Executions) {
        let terms = |(at, held): (Word, Word)| (at.term, held.term);
        let cells = self.arena.cells.into_iter();
        executions.cells = cells.map(|(id, cells)| (id, cells.into_iter().map(terms).collect())).collect();
    }
}
