//! Datatypes give way to folds: an argument of a datatype becomes the values of the folds on its sort.
//!
//! A clause keeps what the definitions of the folds say about its terms, so every derivation is one of the new system, too. The converse
//! holds for datatypes with a [`Numbering`], whose values are numbers in another notation. Other systems only get more derivations, so that
//! an interpretation is one of the given system, with folds in place of the arguments.
//!
//! What is known about the predicates already, over folds of their parameters, becomes part of the clauses.

use crate::horn::back::BackMap;
use crate::horn::system::fresh_like;
use crate::horn::{Atom, Clause, Derivation, DerivationStep, Folds, Horn, Interpretation, Predicate};
use bolide_base::{Budget, Interrupt, Rational};
use bolide_term::{DataValue, Evaluator, Func, Model, Op, Sort, SortKind, Store, Substitution, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Larger numbers do not become values of datatypes.
const MAX_HEIGHT: usize = 10_000;

/// A datatype whose values correspond to numbers: every constructor has no field or one field of the same type. The constants are the
/// first numbers, and `k` other constructors take a number to `k` times it and something, such that nothing is left out. So zero and
/// successor are what they say, and so are binary numbers.
#[derive(Clone, Debug)]
pub struct Numbering {
    /// The constructors without fields.
    pub constants: Vec<u32>,
    /// The others.
    pub unary: Vec<u32>,
}

impl Numbering {
    /// The numbering of a sort, if it has one.
    pub fn of(store: &Store, sort: Sort) -> Option<Numbering> {
        let datatype = store.datatype(sort)?;
        let mut numbering = Numbering { constants: Vec::new(), unary: Vec::new() };
        for (c, constructor) in datatype.constructors.iter().enumerate() {
            let c = u32::try_from(c).ok()?;
            match constructor.fields.as_slice() {
                [] => numbering.constants.push(c),
                [field] if field.sort == sort => numbering.unary.push(c),
                _ => return None,
            }
        }
        Some(numbering).filter(|n| !n.constants.is_empty())
    }

    /// The number of a value, given the number of its field if it has one: a factor and a summand.
    pub fn number(&self, constructor: u32) -> (i64, i64) {
        let position = |list: &[u32]| list.iter().position(|&c| c == constructor);
        let constants = self.constants.len() as i64;
        match position(&self.unary) {
            Some(i) => (self.unary.len() as i64, constants + i as i64),
            None => (0, position(&self.constants).unwrap_or(0) as i64),
        }
    }

    /// The value with a number, if it is not too high.
    fn value(&self, sort: Sort, number: &Rational) -> Option<Value> {
        let (constants, unary) = (self.constants.len() as i64, self.unary.len() as i64);
        let mut n = number.to_i64()?;
        let mut outer = Vec::new();
        while n >= constants {
            if unary == 0 || outer.len() > MAX_HEIGHT {
                return None;
            }
            let rest = n - constants;
            outer.push(*self.unary.get(usize::try_from(rest % unary).ok()?)?);
            n = rest / unary;
        }
        let constant = *self.constants.get(usize::try_from(n).ok()?)?;
        let mut value = Value::Data(DataValue::new(sort, constant, Vec::new()).into());
        for c in outer.into_iter().rev() {
            value = Value::Data(DataValue::new(sort, c, vec![value]).into());
        }
        Some(value)
    }
}

/// What [`folds`] did.
#[derive(Clone, Debug)]
pub struct Folded {
    folds: Folds,
    /// For each predicate what was known about it.
    known: Vec<Term>,
    /// For each predicate what its parameters stand for.
    params: Vec<Vec<(Term, Meaning)>>,
    /// For each clause its constants and what stands for them.
    values: Vec<Vec<(Term, Option<Term>)>>,
    numberings: FxHashMap<Sort, Numbering>,
}

/// What a parameter of the new system stands for.
#[derive(Copy, Clone, Debug)]
enum Meaning {
    /// A fold of a parameter.
    Fold(usize, Term),
    /// A parameter of the folds.
    Param(Term),
}

/// The system over the values of folds; nothing if it has datatypes in arrays or quantifiers. The interpretation that is known must be one of
/// all rules, and speak of no parameters but those of the folds.
pub fn folds(
    store: &mut Store,
    horn: &Horn,
    known: Interpretation,
    budget: &Budget,
) -> Result<Option<(Horn, BackMap)>, Interrupt> {
    let Interpretation { formulas: known, folds } = known;
    let Some(sorts) = sorts(store, horn) else { return Ok(None) };
    let numberings: FxHashMap<Sort, Numbering> =
        sorts.iter().filter_map(|&s| Some((s, Numbering::of(store, s)?))).collect();
    let mut preds = Vec::with_capacity(horn.preds.len());
    let mut params = Vec::with_capacity(horn.preds.len());
    for p in &horn.preds {
        let mut new = Vec::new();
        let mut meanings = Vec::new();
        for (i, &old) in p.params.iter().enumerate() {
            let sort = store.sort_of(old);
            if store.datatype(sort).is_none() {
                new.push(old);
                continue;
            }
            for fold in folds.on(store, sort) {
                let result = store.decl(folds.folds[fold].func).result;
                let ghost = store.fresh_var(&format!("{}.{i}.{fold}", p.name), result);
                new.push(ghost);
                meanings.push((ghost, Meaning::Fold(fold, old)));
            }
        }
        for &param in &folds.params {
            let sort = store.sort_of(param);
            let ghost = store.fresh_var(&format!("{}.param", p.name), sort);
            new.push(ghost);
            meanings.push((ghost, Meaning::Param(param)));
        }
        preds.push(Predicate { name: p.name.clone(), params: new });
        params.push(meanings);
    }
    let mut clauses = Vec::with_capacity(horn.clauses.len());
    let mut values = Vec::with_capacity(horn.clauses.len());
    for (n, c) in horn.clauses.iter().enumerate() {
        budget.check()?;
        let instance = folds.instances.iter().find(|(m, _)| *m == n);
        let mut work = Work::new(&folds, &numberings);
        for atom in &c.body {
            let here = horn.instantiate(store, known[atom.pred.index()], atom);
            work.pending.extend(store.conjuncts(here));
        }
        clauses.push(work.clause(store, c, instance.map_or(&[][..], |(_, terms)| terms)));
        values.push(work.values(store, c));
    }
    let map = Folded { folds, known, params, values, numberings };
    Ok(Some((Horn { preds, clauses }, BackMap::Folded(map))))
}

/// Are there datatypes in a system, none of them in arrays, and no quantifiers?
pub fn has_datatypes(store: &Store, horn: &Horn) -> bool {
    sorts(store, horn).is_some_and(|all| all.iter().any(|&s| store.datatype(s).is_some()))
}

/// The sorts of a system; nothing if it has datatypes in arrays or quantifiers.
fn sorts(store: &Store, horn: &Horn) -> Option<FxHashSet<Sort>> {
    let params = horn.preds.iter().flat_map(|p| p.params.iter().copied());
    let terms = horn.clauses.iter().flat_map(|c| c.terms());
    let mut sorts = FxHashSet::default();
    for t in store.post_order(params.chain(terms)) {
        if matches!(store.op(t), Op::Forall | Op::Exists) {
            return None;
        }
        sorts.insert(store.sort_of(t));
    }
    (!sorts.iter().any(|&s| is_array_of_datatypes(store, s))).then_some(sorts)
}

fn is_array_of_datatypes(store: &Store, sort: Sort) -> bool {
    let mut todo = match store.sort_kind(sort) {
        SortKind::Array(index, element) => vec![*index, *element],
        _ => return false,
    };
    while let Some(sort) = todo.pop() {
        match store.sort_kind(sort) {
            SortKind::Datatype(_) => return true,
            SortKind::Array(index, element) => todo.extend([*index, *element]),
            _ => {}
        }
    }
    false
}

/// A clause that is being rewritten.
struct Work<'a> {
    folds: &'a Folds,
    numberings: &'a FxHashMap<Sort, Numbering>,
    funcs: FxHashSet<Func>,
    /// What terms that are of no datatype become.
    memo: FxHashMap<Term, Term>,
    /// Formulas over datatypes that are still to be added to the constraint.
    pending: Vec<Term>,
    /// Formulas that have been rewritten.
    constraint: Vec<Term>,
}

impl<'a> Work<'a> {
    fn new(folds: &'a Folds, numberings: &'a FxHashMap<Sort, Numbering>) -> Work<'a> {
        Work {
            folds,
            numberings,
            funcs: folds.folds.iter().map(|f| f.func).collect(),
            memo: FxHashMap::default(),
            pending: Vec::new(),
            constraint: Vec::new(),
        }
    }

    fn clause(&mut self, store: &mut Store, clause: &Clause, instance: &[Term]) -> Clause {
        let terms: Vec<Term> = clause.terms().collect();
        self.pending.extend(store.conjuncts(clause.constraint));
        let hypotheses = self.folds.hypotheses(store, &terms);
        self.pending.extend(hypotheses);
        for (&param, &term) in self.folds.params.iter().zip(instance) {
            self.pending.push(store.eq(param, term));
        }
        let params = self.folds.params.clone();
        let body = clause.body.iter().map(|a| self.atom(store, a, &params)).collect();
        // What is derived for chosen values of the parameters is derived for all of them.
        let derived = match instance {
            [] => params,
            _ => params.iter().map(|&p| fresh_like(store, p)).collect(),
        };
        let head = clause.head.as_ref().map(|a| self.atom(store, a, &derived));
        while let Some(formula) = self.pending.pop() {
            let new = match self.datatype_equation(store, formula) {
                Some((a, b)) => self.same_folds(store, a, b),
                None => self.term(store, formula),
            };
            self.constraint.push(new);
        }
        Clause { head, body, constraint: store.and(&self.constraint), span: clause.span }
    }

    fn atom(&mut self, store: &mut Store, atom: &Atom, params: &[Term]) -> Atom {
        let mut args = Vec::new();
        for &arg in &atom.args {
            let sort = store.sort_of(arg);
            if store.datatype(sort).is_none() {
                args.push(self.term(store, arg));
                continue;
            }
            for fold in self.folds.on(store, sort) {
                let applied = self.folds.apply(store, fold, arg);
                args.push(self.term(store, applied));
            }
        }
        args.extend(params);
        Atom { pred: atom.pred, args }
    }

    /// The sides of an equation between values of a datatype.
    fn datatype_equation(&self, store: &Store, t: Term) -> Option<(Term, Term)> {
        let is_equation = store.op(t) == Op::Eq && store.datatype(store.sort_of(store.arg(t, 0))).is_some();
        is_equation.then(|| (store.arg(t, 0), store.arg(t, 1)))
    }

    /// Have two values the same folds?
    fn same_folds(&mut self, store: &mut Store, a: Term, b: Term) -> Term {
        let mut parts = Vec::new();
        for fold in self.folds.on(store, store.sort_of(a)) {
            let (a, b) = (self.folds.apply(store, fold, a), self.folds.apply(store, fold, b));
            let (a, b) = (self.term(store, a), self.term(store, b));
            parts.push(store.eq(a, b));
        }
        store.and(&parts)
    }

    /// A term that is of no datatype, over folds.
    fn term(&mut self, store: &mut Store, term: Term) -> Term {
        let mut stack = vec![term];
        while let Some(&t) = stack.last() {
            if self.memo.contains_key(&t) {
                stack.pop();
                continue;
            }
            let new = match store.op(t) {
                Op::Apply(f) if self.funcs.contains(&f) => {
                    let value = store.arg(t, 0);
                    if store.op(value) == Op::Ite {
                        let (c, a, b) = (store.arg(value, 0), store.arg(value, 1), store.arg(value, 2));
                        let mut args: Vec<Term> = store.args(t).to_vec();
                        args[0] = a;
                        let a = store.apply(f, &args);
                        args[0] = b;
                        let b = store.apply(f, &args);
                        let choice = store.ite(c, a, b);
                        self.pending.push(store.plain_eq(t, choice));
                    }
                    self.opaque(store, t)
                }
                _ if store.as_var(t).is_some() => t,
                _ if self.datatype_equation(store, t).is_some() => {
                    let (a, b) = (store.arg(t, 0), store.arg(t, 1));
                    self.equation(store, t, a, b)
                }
                _ => {
                    let args: Vec<Term> = store.args(t).to_vec();
                    if args.iter().any(|&a| store.datatype(store.sort_of(a)).is_some()) {
                        self.opaque(store, t)
                    } else {
                        let before = stack.len();
                        stack.extend(args.iter().filter(|a| !self.memo.contains_key(a)));
                        if stack.len() > before {
                            continue;
                        }
                        let args: Vec<Term> = args.iter().map(|a| self.memo[a]).collect();
                        store.rebuild(t, &args)
                    }
                }
            };
            self.memo.insert(t, new);
            stack.pop();
        }
        self.memo[&term]
    }

    /// A constant for a term of which nothing is known.
    fn opaque(&self, store: &mut Store, t: Term) -> Term {
        let sort = store.sort_of(t);
        store.fresh_var("fold", sort)
    }

    /// What becomes of an equation somewhere in a formula: for numbers the same, for others a truth value that implies that the folds are
    /// the same.
    fn equation(&mut self, store: &mut Store, t: Term, a: Term, b: Term) -> Term {
        let holds = self.opaque(store, t);
        let folds = self.folds.on(store, store.sort_of(a));
        let mut same = Vec::with_capacity(folds.len());
        for fold in folds {
            let (a, b) = (self.folds.apply(store, fold, a), self.folds.apply(store, fold, b));
            same.push(store.eq(a, b));
        }
        let same = store.and(&same);
        // `t` itself becomes `holds`, so what is pending must not speak of it.
        let linked = match self.numberings.contains_key(&store.sort_of(a)) {
            true => store.iff(holds, same),
            false => store.implies(holds, same),
        };
        self.pending.push(linked);
        holds
    }

    /// The constants of a clause, with what tells their values.
    fn values(&mut self, store: &mut Store, clause: &Clause) -> Vec<(Term, Option<Term>)> {
        let mut out = Vec::new();
        for v in clause.variables(store) {
            let sort = store.sort_of(v);
            if store.datatype(sort).is_none() {
                out.push((v, Some(v)));
                continue;
            }
            let number = match self.folds.on(store, sort).as_slice() {
                [fold, ..] if self.numberings.contains_key(&sort) => {
                    let applied = self.folds.apply(store, *fold, v);
                    Some(self.term(store, applied))
                }
                _ => None,
            };
            out.push((v, number));
        }
        out
    }
}

impl Folded {
    /// The interpretation of the system with datatypes.
    pub(in crate::horn) fn interpretation(
        &self,
        store: &mut Store,
        found: &Interpretation,
    ) -> Interpretation {
        let mut formulas = Vec::with_capacity(found.formulas.len());
        for ((&formula, meanings), &known) in found.formulas.iter().zip(&self.params).zip(&self.known) {
            let mut subst = Substitution::new();
            for &(ghost, meaning) in meanings {
                let meaning = match meaning {
                    Meaning::Fold(fold, value) => self.folds.apply(store, fold, value),
                    Meaning::Param(param) => param,
                };
                subst.insert(ghost, meaning);
            }
            let formula = subst.apply(store, formula);
            formulas.push(store.and(&[known, formula]));
        }
        Interpretation { formulas, folds: self.folds.clone() }
    }

    /// The derivation in the system with datatypes, if all of them are numbers.
    pub(in crate::horn) fn derivation(&self, store: &Store, found: Derivation) -> Option<Derivation> {
        let mut steps = Vec::with_capacity(found.steps.len());
        for step in found.steps {
            let mut values = Model::new();
            let mut evaluator = Evaluator::new(store, &step.values);
            for &(old, new) in self.values.get(step.clause)? {
                let value = evaluator.eval(new?).ok()?;
                let sort = store.sort_of(old);
                let value = match self.numberings.get(&sort) {
                    Some(numbering) => numbering.value(sort, value.as_num()?)?,
                    None => value,
                };
                values.set(store.as_var(old)?, value);
            }
            steps.push(DerivationStep { values, ..step });
        }
        Some(Derivation { steps, repetitions: found.repetitions })
    }
}
