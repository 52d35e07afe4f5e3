//! Evaluation of terms under a model.

use crate::{ArrayValue, DataValue, Model, Op, Store, Term, Value};
use bolide_base::Rational;
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::Arc;

/// Why a term has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EvalError {
    /// A quantifier was met.
    Quantifier,
    /// A division by a term that evaluates to zero, which SMT-LIB leaves open.
    DivisionByZero,
    /// A selector applied to a value of another constructor, which SMT-LIB leaves open.
    OtherConstructor,
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EvalError::Quantifier => "a quantifier cannot be evaluated",
            EvalError::DivisionByZero => "division by a term that is zero",
            EvalError::OtherConstructor => "a selector applied to a value of another constructor",
        })
    }
}

impl std::error::Error for EvalError {}

/// Evaluates terms under one model and remembers what it has evaluated.
pub struct Evaluator<'a> {
    store: &'a Store,
    model: &'a Model,
    memo: FxHashMap<Term, Value>,
    /// Is it an error to need what the model leaves open?
    strict: bool,
}

impl<'a> Evaluator<'a> {
    /// An evaluator that has seen nothing yet.
    pub fn new(store: &'a Store, model: &'a Model) -> Evaluator<'a> {
        Evaluator { store, model, memo: FxHashMap::default(), strict: false }
    }

    /// An evaluator to which a selector applied to a value of another constructor, a division by zero and any other function
    /// that the model does not interpret have no value, because what depends on it does not hold in all models.
    pub fn strict(store: &'a Store, model: &'a Model) -> Evaluator<'a> {
        Evaluator { strict: true, ..Evaluator::new(store, model) }
    }

    /// The value of a term.
    pub fn eval(&mut self, t: Term) -> Result<Value, EvalError> {
        if let Some(v) = self.memo.get(&t) {
            return Ok(v.clone());
        }
        // Terms with the position of the argument that is looked at next.
        let mut stack = vec![(t, 0)];
        while let Some(&mut (top, ref mut next)) = stack.last_mut() {
            bolide_base::spend(1);
            if self.memo.contains_key(&top) {
                stack.pop();
                continue;
            }
            let args = self.store.args(top);
            let value = match self.store.op(top) {
                Op::Forall | Op::Exists => return Err(EvalError::Quantifier),
                // These look at no more arguments than they need.
                op @ (Op::And | Op::Or) => {
                    let decisive = op == Op::Or;
                    if *next == 0 && args.iter().any(|&a| self.constant_truth(a) == Some(decisive)) {
                        Some(Value::Bool(decisive))
                    } else {
                        let known = |a: &Term| self.memo.get(a).map(|v| *v == Value::Bool(true));
                        while args.get(*next).is_some_and(|a| known(a) == Some(!decisive)) {
                            *next += 1;
                        }
                        match args.get(*next) {
                            None => Some(Value::Bool(!decisive)),
                            Some(a) if known(a).is_some() => Some(Value::Bool(decisive)),
                            Some(&a) => {
                                stack.push((a, 0));
                                None
                            }
                        }
                    }
                }
                Op::Ite => {
                    let condition = self.memo.get(&args[0]).map(|c| *c == Value::Bool(true));
                    let branch = condition.map(|c| args[if c { 1 } else { 2 }]);
                    let value = branch.and_then(|b| self.memo.get(&b)).cloned();
                    if value.is_none() {
                        stack.push((branch.unwrap_or(args[0]), 0));
                    }
                    value
                }
                _ => {
                    let before = stack.len();
                    let missing = args.iter().filter(|a| !self.memo.contains_key(a));
                    stack.extend(missing.map(|&a| (a, 0)));
                    if stack.len() > before { None } else { Some(self.eval_node(top)?) }
                }
            };
            if let Some(v) = value {
                self.memo.insert(top, v);
                stack.pop();
            }
        }
        Ok(self.memo[&t].clone())
    }

    /// The value of a Boolean constant or of its negation.
    fn constant_truth(&self, t: Term) -> Option<bool> {
        let (atom, positive) = self.store.literal(t);
        match self.store.op(atom) {
            Op::Apply(f) if self.store.args(atom).is_empty() => {
                let value = self.model.value(f).is_some_and(|v| *v == Value::Bool(true));
                Some(value == positive)
            }
            _ => None,
        }
    }

    /// Does a formula evaluate to true?
    pub fn holds(&mut self, t: Term) -> Result<bool, EvalError> {
        Ok(self.eval(t)? == Value::Bool(true))
    }

    /// The value of a term whose arguments have been evaluated.
    fn eval_node(&self, t: Term) -> Result<Value, EvalError> {
        eval_node(self.store, self.model, self.strict, t, |a| &self.memo[&a])
    }
}

/// The value of a term from the values of its arguments, where that needs no model: not of functions, nor of what SMT-LIB leaves
/// open. Connectives and `ite` are for the caller, because they need not look at all arguments.
pub fn eval_step<'v>(store: &Store, t: Term, value: impl Fn(Term) -> &'v Value) -> Result<Value, EvalError> {
    eval_node(store, &Model::new(), true, t, value)
}

fn eval_node<'v>(
    store: &Store,
    model: &Model,
    strict: bool,
    t: Term,
    value: impl Fn(Term) -> &'v Value,
) -> Result<Value, EvalError> {
    let arg = |i: usize| value(store.arg(t, i));
    let truth = |i: usize| arg(i) == &Value::Bool(true);
    let num = |i: usize| arg(i).as_num().expect("an arithmetic argument");
    let args = || store.args(t).iter().map(|&a| value(a));
    Ok(match store.op(t) {
        Op::True => Value::Bool(true),
        Op::False => Value::Bool(false),
        Op::Not => Value::Bool(!truth(0)),
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
                Value::Array(Arc::new(written.canonical(store, model, index)))
            }
            _ => unreachable!("store into an array"),
        },
        Op::ConstArray => Value::Array(Arc::new(ArrayValue::constant(arg(0).clone()))),
        Op::Construct(c) => {
            let fields = args().cloned().collect();
            Value::Data(Arc::new(DataValue::new(store.sort_of(t), c, fields)))
        }
        Op::Is(c) => Value::Bool(arg(0).as_data().is_some_and(|d| d.constructor() == c)),
        Op::Field { constructor, field } => match arg(0).as_data() {
            Some(d) if d.constructor() == constructor => d.fields()[field as usize].clone(),
            _ if strict => return Err(EvalError::OtherConstructor),
            _ => {
                let whole = store.sort_of(store.arg(t, 0));
                let otherwise = store.constructor(whole, constructor).fields[field as usize].otherwise;
                match model.get(otherwise) {
                    Some(interp) => interp.get(std::slice::from_ref(arg(0))).clone(),
                    None => Value::default_of(store, store.sort_of(t)),
                }
            }
        },
        Op::Apply(f) => {
            let values: Vec<Value> = args().cloned().collect();
            match model.get(f) {
                Some(interp) => interp.get(&values).clone(),
                None if strict && !values.is_empty() => return Err(EvalError::DivisionByZero),
                None => Value::default_of(store, store.decl(f).result),
            }
        }
        Op::FloatConst(n) => {
            let width = store.bits_of_sort(store.sort_of(t)).expect("a floating-point number");
            Value::Bv(width, crate::bv::natural(store.num_value(n)))
        }
        Op::Float(op) => {
            let values: Vec<&Value> = args().collect();
            let sorts: Vec<crate::Sort> = store.args(t).iter().map(|&a| store.sort_of(a)).collect();
            crate::float::eval_op(store, op, store.sort_of(t), &sorts, &values)
        }
        Op::And | Op::Or | Op::Ite | Op::Forall | Op::Exists => {
            unreachable!("these are evaluated argument by argument")
        }
        op => {
            let values: Vec<&Value> = args().collect();
            crate::bv::eval_op(store, op, store.sort_of(t), &values)
        }
    })
}
