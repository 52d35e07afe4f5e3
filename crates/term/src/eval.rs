//! Evaluation of terms under a model.

use crate::{ArrayValue, Model, Op, Store, Term, Value};
use bolide_base::Rational;
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::Arc;

/// Why a term has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvalError {
    /// A quantifier was met.
    Quantifier,
    /// A division by a term that evaluates to zero, which SMT-LIB leaves open.
    DivisionByZero,
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EvalError::Quantifier => "a quantifier cannot be evaluated",
            EvalError::DivisionByZero => "division by a term that is zero",
        })
    }
}

impl std::error::Error for EvalError {}

/// Evaluates terms under one model and remembers what it has evaluated.
pub struct Evaluator<'a> {
    store: &'a Store,
    model: &'a Model,
    memo: FxHashMap<Term, Value>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator that has seen nothing yet.
    pub fn new(store: &'a Store, model: &'a Model) -> Evaluator<'a> {
        Evaluator { store, model, memo: FxHashMap::default() }
    }

    /// The value of a term.
    pub fn eval(&mut self, t: Term) -> Result<Value, EvalError> {
        if let Some(v) = self.memo.get(&t) {
            return Ok(v.clone());
        }
        let mut stack = vec![t];
        while let Some(&top) = stack.last() {
            if self.memo.contains_key(&top) {
                stack.pop();
                continue;
            }
            if matches!(self.store.op(top), Op::Forall | Op::Exists) {
                return Err(EvalError::Quantifier);
            }
            let before = stack.len();
            stack.extend(self.store.args(top).iter().filter(|a| !self.memo.contains_key(a)));
            if stack.len() > before {
                continue;
            }
            let v = self.eval_node(top)?;
            self.memo.insert(top, v);
            stack.pop();
        }
        Ok(self.memo[&t].clone())
    }

    /// Does a formula evaluate to true?
    pub fn holds(&mut self, t: Term) -> Result<bool, EvalError> {
        Ok(self.eval(t)? == Value::Bool(true))
    }

    /// The value of a term whose arguments have been evaluated.
    fn eval_node(&self, t: Term) -> Result<Value, EvalError> {
        let store = self.store;
        let arg = |i: usize| &self.memo[&store.arg(t, i)];
        let truth = |i: usize| arg(i) == &Value::Bool(true);
        let num = |i: usize| arg(i).as_num().expect("an arithmetic argument");
        let args = || store.args(t).iter().map(|a| &self.memo[a]);
        Ok(match store.op(t) {
            Op::True => Value::Bool(true),
            Op::False => Value::Bool(false),
            Op::Not => Value::Bool(!truth(0)),
            Op::And => Value::Bool(args().all(|v| v == &Value::Bool(true))),
            Op::Or => Value::Bool(args().any(|v| v == &Value::Bool(true))),
            Op::Ite => arg(if truth(0) { 1 } else { 2 }).clone(),
            Op::Eq => Value::Bool(arg(0) == arg(1)),
            Op::Num(n) => Value::Num(store.num_value(n).clone()),
            Op::Add => {
                let mut sum = Rational::ZERO;
                args().for_each(|v| sum += v.as_num().expect("an arithmetic argument"));
                Value::Num(sum)
            }
            Op::Mul => {
                let mut product = Rational::ONE;
                args().for_each(|v| product *= v.as_num().expect("an arithmetic argument"));
                Value::Num(product)
            }
            Op::Le => Value::Bool(num(0) <= num(1)),
            Op::Div => Value::Num(num(0).div_euclid(num(1)).ok_or(EvalError::DivisionByZero)?),
            Op::Mod => Value::Num(num(0).rem_euclid(num(1)).ok_or(EvalError::DivisionByZero)?),
            Op::RealDiv => Value::Num(num(0).checked_div(num(1)).ok_or(EvalError::DivisionByZero)?),
            Op::ToReal => arg(0).clone(),
            Op::ToInt => Value::Num(num(0).floor()),
            Op::Select => match arg(0) {
                Value::Array(a) => a.select(arg(1)).clone(),
                _ => unreachable!("select of an array"),
            },
            Op::Store => match arg(0) {
                Value::Array(a) => {
                    let index = store.sort_of(store.arg(t, 1));
                    let written = a.store(arg(1).clone(), arg(2).clone());
                    Value::Array(Arc::new(written.canonical(store, self.model, index)))
                }
                _ => unreachable!("store into an array"),
            },
            Op::ConstArray => Value::Array(Arc::new(ArrayValue::constant(arg(0).clone()))),
            Op::Apply(f) => {
                let values: Vec<Value> = args().cloned().collect();
                match self.model.get(f) {
                    Some(interp) => interp.get(&values).clone(),
                    None => Value::default_of(store, store.decl(f).result),
                }
            }
            Op::Forall | Op::Exists => return Err(EvalError::Quantifier),
            op => {
                let values: Vec<&Value> = args().collect();
                crate::bv::eval_op(store, op, store.sort_of(t), &values)
            }
        })
    }
}
