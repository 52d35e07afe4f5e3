//! Formulas to clauses: distributes the Boolean structure around predicates, and nothing else.

use bolide_model::Span;
use bolide_model::horn::{Atom, Clause, PredId};
use bolide_term::{Func, Op, Sort, Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// Why a command is no part of a Horn clause problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotHorn {
    /// What it has is not allowed there.
    Shape(&'static str),
    /// A symbol that is neither a predicate nor a variable.
    Symbol(Box<str>),
    /// It has too many clauses.
    TooManyClauses,
}

impl fmt::Display for NotHorn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotHorn::Shape(what) => f.write_str(what),
            NotHorn::Symbol(name) => write!(f, "`{name}` is neither a predicate nor a quantified variable"),
            NotHorn::TooManyClauses => f.write_str("distributing this formula makes too many clauses"),
        }
    }
}

impl From<&'static str> for NotHorn {
    fn from(what: &'static str) -> NotHorn {
        NotHorn::Shape(what)
    }
}

/// A formula may not have more clauses than this.
const MAX_CLAUSES: usize = 1 << 16;

/// Turns the formulas of one assertion into clauses.
pub struct Clausifier<'a> {
    store: &'a mut Store,
    preds: &'a FxHashMap<Func, PredId>,
    /// Does a term contain a predicate?
    memo: FxHashMap<Term, bool>,
    /// The constants of the quantifiers that were stripped.
    pub bound: FxHashSet<Func>,
}

/// A disjunction on its way to a clause.
#[derive(Clone, Default)]
struct Partial {
    /// Disjuncts that were not looked at, with their polarity.
    todo: Vec<(Term, bool)>,
    head: Option<Atom>,
    body: Vec<Atom>,
    /// Conjuncts of the constraint.
    constraint: Vec<Term>,
}

impl<'a> Clausifier<'a> {
    /// A clausifier that knows which symbols are predicates.
    pub fn new(store: &'a mut Store, preds: &'a FxHashMap<Func, PredId>) -> Clausifier<'a> {
        Clausifier { store, preds, memo: FxHashMap::default(), bound: FxHashSet::default() }
    }

    /// The clauses of a formula; the message if it is outside the fragment.
    pub fn clauses(&mut self, formula: Term) -> Result<Vec<Clause>, NotHorn> {
        let mut out = Vec::new();
        // The last partial clause is worked on; distribution pushes more, the first on top.
        let mut open = vec![Partial { todo: vec![(formula, true)], ..Partial::default() }];
        while let Some(mut partial) = open.pop() {
            match partial.todo.pop() {
                None => out.extend(self.finish(partial)),
                Some((t, sign)) => self.disjunct(t, sign, partial, &mut open)?,
            }
            if out.len() + open.len() > MAX_CLAUSES {
                return Err(NotHorn::TooManyClauses);
            }
        }
        Ok(out)
    }

    fn finish(&mut self, partial: Partial) -> Option<Clause> {
        let constraint = self.store.and(&partial.constraint);
        let clause =
            Clause { head: partial.head, body: partial.body, constraint, span: Span { start: 0, end: 0 } };
        (constraint != self.store.fls()).then_some(clause)
    }

    /// Moves one disjunct to where it belongs and puts the result, or the several results, back on the stack.
    fn disjunct(
        &mut self,
        t: Term,
        sign: bool,
        mut partial: Partial,
        open: &mut Vec<Partial>,
    ) -> Result<(), NotHorn> {
        let args = self.store.args(t).to_vec();
        match (self.store.op(t), sign) {
            (Op::Not, _) => partial.todo.push((args[0], !sign)),
            (Op::Forall, true) | (Op::Exists, false) => {
                let (body, vars) = args.split_last().ok_or("an empty quantifier")?;
                self.bound.extend(vars.iter().filter_map(|&v| self.store.as_var(v)));
                partial.todo.push((*body, sign));
            }
            (Op::Or, true) | (Op::And, false) if self.is_open(t) => {
                partial.todo.extend(args.iter().rev().map(|&a| (a, sign)));
            }
            _ if !self.is_open(t) => {
                let denied = if sign { self.store.not(t) } else { t };
                partial.constraint.push(denied);
            }
            (Op::And, true) | (Op::Or, false) => {
                for &a in args.iter().rev() {
                    let mut copy = partial.clone();
                    copy.todo.push((a, sign));
                    open.push(copy);
                }
                return Ok(());
            }
            (Op::Ite, _) => {
                let (c, a, b) = (args[0], args[1], args[2]);
                let mut other = partial.clone();
                other.todo.extend([(b, sign), (c, true)]);
                open.push(other);
                partial.todo.extend([(a, sign), (c, false)]);
            }
            (Op::Eq, _) if self.store.sort_of(args[0]) == Sort::BOOL => {
                let (a, b) = (args[0], args[1]);
                let mut other = partial.clone();
                other.todo.extend([(b, !sign), (a, true)]);
                open.push(other);
                partial.todo.extend([(b, sign), (a, false)]);
            }
            (Op::Apply(f), _) if self.preds.contains_key(&f) => {
                if args.iter().any(|&a| self.is_open(a)) {
                    return Err("a predicate is the argument of another".into());
                }
                let atom = Atom { pred: self.preds[&f], args };
                if !sign {
                    partial.body.push(atom);
                } else if partial.head.replace(atom).is_some() {
                    return Err("this is not a Horn clause: two predicates are in its head".into());
                }
            }
            (Op::Forall | Op::Exists, _) => return Err("a quantifier in a body goes over predicates".into()),
            _ => return Err("a predicate stands where only terms may".into()),
        }
        open.push(partial);
        Ok(())
    }

    /// Does a term contain a predicate, or a quantifier that is to be stripped?
    fn is_open(&mut self, t: Term) -> bool {
        let mut stack = vec![t];
        while let Some(&top) = stack.last() {
            if self.memo.contains_key(&top) {
                stack.pop();
                continue;
            }
            let args = self.store.args(top);
            let before = stack.len();
            stack.extend(args.iter().filter(|a| !self.memo.contains_key(a)));
            if stack.len() > before {
                continue;
            }
            let own = match self.store.op(top) {
                Op::Apply(f) => self.preds.contains_key(&f),
                Op::Forall | Op::Exists => true,
                _ => false,
            };
            let open = own || args.iter().any(|a| self.memo[a]);
            self.memo.insert(top, open);
            stack.pop();
        }
        self.memo[&t]
    }
}
