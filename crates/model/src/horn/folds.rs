//! Folds: functions on datatypes defined by structural recursion, in which interpretations may speak.
//!
//! What is true of recursive datatypes is often a matter of lengths, sizes, sums or numbers of occurrences, which no formula
//! about constructors and fields can express. A [`Fold`] has a case for each constructor, over the fields and over folds of the fields,
//! so that there is exactly one function that satisfies all cases. A fact about all values of a type follows if every
//! constructor preserves it: structural induction.
//!
//! An interpretation with folds is still checked by formulas without quantifiers: whatever clause it is about, [`Folds::hypotheses`] are
//! instances of the definitions and of the facts at the terms that occur there.
//!
//! Folds may depend on parameters. An interpretation then speaks of all values of them: what a rule needs of its premises it needs for the
//! same values, and for each query there are [`Folds::instances`], terms of the clause that are taken for the parameters. The same goes for a
//! rule if what it derives does not depend on them.

use super::{Atom, Horn, Interpretation};
use bolide_term::{Func, Op, Sort, Store, Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// A function defined by structural recursion over its first argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The function; its arguments are a value of the datatype, and then either nothing or all parameters.
    pub func: Func,
    /// The constant that stands for the value in the cases.
    pub value: Term,
    /// For each constructor what the function is there: a term over fields of `value` by that constructor, where a field of a
    /// datatype occurs only as the first argument of a fold, and over parameters.
    pub cases: Vec<Term>,
}

/// Something that is true of every value of a datatype.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeFact {
    /// The constant that stands for the value.
    pub value: Term,
    /// A formula over folds of it.
    pub formula: Term,
}

/// The folds in which an interpretation speaks.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Folds {
    /// Constants on which folds may depend; the interpretation holds for all of their values.
    pub params: Vec<Term>,
    /// The functions.
    pub folds: Vec<Fold>,
    /// What structural induction shows.
    pub facts: Vec<TypeFact>,
    /// For some clauses, by position, a term over its constants for each parameter. They count where the meaning of the head does not
    /// depend on parameters.
    pub instances: Vec<(usize, Vec<Term>)>,
}

/// Formulas that must not hold together, and what that shows.
pub struct Proviso {
    /// For messages.
    pub name: String,
    /// The formulas.
    pub formulas: Vec<Term>,
}

impl Folds {
    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.folds.is_empty()
    }

    /// A fold applied to a value.
    pub fn apply(&self, store: &mut Store, fold: usize, value: Term) -> Term {
        let func = self.folds[fold].func;
        let mut args = vec![value];
        if store.decl(func).args.len() > 1 {
            args.extend(&self.params);
        }
        store.apply(func, &args)
    }

    /// The folds on a sort, by position.
    pub fn on(&self, store: &Store, sort: Sort) -> Vec<usize> {
        let is_on = |f: &Fold| store.sort_of(f.value) == sort;
        self.folds.iter().enumerate().filter(|(_, f)| is_on(f)).map(|(n, _)| n).collect()
    }

    /// Is every definition a structural recursion, and every fact about folds of a value only? If not, what is wrong. The functions must be
    /// ones that nothing else speaks of.
    pub fn check(&self, store: &Store) -> Result<(), &'static str> {
        let funcs: FxHashSet<Func> = self.folds.iter().map(|f| f.func).collect();
        if funcs.len() != self.folds.len() {
            return Err("a fold is defined twice");
        }
        for fold in &self.folds {
            let decl = store.decl(fold.func);
            let sort = store.sort_of(fold.value);
            let params: Vec<Sort> = self.params.iter().map(|&p| store.sort_of(p)).collect();
            if decl.args.first() != Some(&sort) || !(decl.args.len() == 1 || decl.args[1..] == params[..]) {
                return Err("the arguments of a fold are a value and the parameters");
            }
            if fold.cases.len() != store.constructor_count(sort) || fold.cases.is_empty() {
                return Err("a fold has a case for each constructor");
            }
            for (constructor, &body) in fold.cases.iter().enumerate() {
                if store.sort_of(body) != decl.result {
                    return Err("a case of a fold is of another sort");
                }
                // A field of the value, which is smaller than it.
                let is_field = |t: Term| {
                    matches!(store.op(t), Op::Field { constructor: c, .. } if c as usize == constructor)
                        && store.arg(t, 0) == fold.value
                };
                self.check_term(store, &funcs, fold.value, body, &is_field)?;
                // Otherwise a formula could depend on parameters without showing it.
                if decl.args.len() == 1 && store.post_order([body]).any(|t| self.params.contains(&t)) {
                    return Err("a fold depends on parameters that are not its arguments");
                }
            }
        }
        for fact in &self.facts {
            if store.sort_of(fact.formula) != Sort::BOOL {
                return Err("a fact is a formula");
            }
            let is_value = |t: Term| t == fact.value;
            self.check_term(store, &funcs, fact.value, fact.formula, &is_value)?;
        }
        Ok(())
    }

    /// Does a term apply folds, with the parameters, only to what `may_fold` says, and speak of `value` nowhere else but in fields?
    fn check_term(
        &self,
        store: &Store,
        funcs: &FxHashSet<Func>,
        value: Term,
        term: Term,
        may_fold: &dyn Fn(Term) -> bool,
    ) -> Result<(), &'static str> {
        for t in store.post_order([term]) {
            match store.op(t) {
                Op::Apply(f) if funcs.contains(&f) => {
                    let args = store.args(t);
                    if !may_fold(args[0]) || !(args.len() == 1 || args[1..] == self.params[..]) {
                        return Err("a fold is applied to something else than a part of the value");
                    }
                }
                Op::Apply(_) if t == value || self.params.contains(&t) => {}
                Op::Apply(_) => return Err("a definition speaks of another symbol"),
                Op::Forall | Op::Exists => return Err("a definition has a quantifier"),
                // A field of the value may be used, a field of another constructor has no meaning there.
                Op::Field { .. } if may_fold(t) => {}
                Op::Field { .. } | Op::Is(_) => return Err("a definition looks into a value"),
                _ if store.args(t).contains(&value) => return Err("a definition uses the value itself"),
                _ => {}
            }
        }
        Ok(())
    }

    /// Instances of the definitions and facts at the terms that occur in formulas. They are true whatever the values of the constants.
    pub fn hypotheses(&self, store: &mut Store, formulas: &[Term]) -> Vec<Term> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut terms = Vec::new();
        // Terms that something looks into.
        let mut looked_into = FxHashSet::default();
        for t in store.post_order(formulas.iter().copied()) {
            if store.datatype(store.sort_of(t)).is_some() {
                terms.push(t);
            }
            match store.op(t) {
                Op::Field { .. } | Op::Is(_) => _ = looked_into.insert(store.arg(t, 0)),
                Op::Eq => {
                    let (a, b) = (store.arg(t, 0), store.arg(t, 1));
                    for (a, b) in [(a, b), (b, a)] {
                        if matches!(store.op(b), Op::Construct(_)) && store.args(b).is_empty() {
                            looked_into.insert(a);
                        }
                    }
                }
                _ => {}
            }
        }
        let mut out = Vec::new();
        let mut on: FxHashMap<Sort, Vec<usize>> = FxHashMap::default();
        for t in terms {
            let sort = store.sort_of(t);
            let folds = on.entry(sort).or_insert_with(|| self.on(store, sort)).clone();
            for fold in folds {
                if let Some(is) = self.unfolded(store, fold, t, looked_into.contains(&t)) {
                    let applied = self.apply(store, fold, t);
                    out.push(store.eq(applied, is));
                }
            }
            out.extend(self.facts_at(store, t));
        }
        out
    }

    /// The facts about a value.
    pub fn facts_at(&self, store: &mut Store, t: Term) -> Vec<Term> {
        let sort = store.sort_of(t);
        let facts = self.facts.iter().filter(|f| store.sort_of(f.value) == sort);
        let facts: Vec<&TypeFact> = facts.collect();
        facts.into_iter().map(|f| at(store, f.value, t, f.formula)).collect()
    }

    /// What a fold is at a term: its case, if the constructor is known, and otherwise, if asked for, a choice between all cases.
    fn unfolded(&self, store: &mut Store, fold: usize, t: Term, choice: bool) -> Option<Term> {
        let Fold { value, cases, .. } = &self.folds[fold];
        if let Op::Construct(c) = store.op(t) {
            return Some(at(store, *value, t, cases[c as usize]));
        }
        if !choice {
            return None;
        }
        let mut out = None;
        for (c, &case) in cases.iter().enumerate() {
            let case = at(store, *value, t, case);
            out = Some(match out {
                None => case,
                Some(other) => {
                    let is = store.is_constructor(u32::try_from(c).ok()?, t);
                    store.ite(is, case, other)
                }
            });
        }
        out
    }

    /// What has to be shown of the facts: every constructor preserves them.
    pub fn provisos(&self, store: &mut Store) -> Vec<Proviso> {
        let mut out = Vec::new();
        for (n, fact) in self.facts.iter().enumerate() {
            let sort = store.sort_of(fact.value);
            for c in 0..store.constructor_count(sort) {
                let constructor = u32::try_from(c).unwrap_or(u32::MAX);
                let fields = (0..store.constructor(sort, constructor).fields.len())
                    .map(|i| store.raw_field(constructor, u32::try_from(i).unwrap_or(u32::MAX), fact.value));
                let fields: Vec<Term> = fields.collect();
                let made = store.raw_construct(sort, constructor, &fields);
                let mut formulas: Vec<Term> = Vec::new();
                for fold in self.on(store, sort) {
                    let is = self.unfolded(store, fold, made, false).unwrap_or(made);
                    let applied = self.apply(store, fold, made);
                    formulas.push(store.eq(applied, is));
                }
                for field in fields {
                    formulas.extend(self.facts_at(store, field));
                }
                let shown = at(store, fact.value, made, fact.formula);
                formulas.push(store.not(shown));
                out.push(Proviso { name: format!("fact {n}, constructor {c}"), formulas });
            }
        }
        out
    }
}

/// A formula about one term, about another.
fn at(store: &mut Store, value: Term, t: Term, formula: Term) -> Term {
    let mut subst = Substitution::new();
    subst.insert(value, t);
    subst.apply(store, formula)
}

impl Interpretation {
    /// Formulas that must not hold together for a clause to be true; the last one denies the head, if there is one.
    pub fn denial(&self, store: &mut Store, horn: &Horn, clause: usize) -> Vec<Term> {
        let c = &horn.clauses[clause];
        let mut parts = vec![c.constraint];
        let mut meaning = |a: &Atom| horn.instantiate(store, self.formulas[a.pred.index()], a);
        parts.extend(c.body.iter().map(&mut meaning));
        let head = c.head.as_ref().map(meaning);
        if !self.folds.is_empty() {
            let depends = |t: Term| self.folds.params.contains(&t);
            if !store.post_order(head).any(depends)
                && let Some((_, terms)) = self.folds.instances.iter().find(|(n, _)| *n == clause)
                && !store.post_order(terms.iter().copied()).any(depends)
            {
                for (&param, &term) in self.folds.params.iter().zip(terms) {
                    parts.push(store.eq(param, term));
                }
            }
            let about: Vec<Term> = parts.iter().copied().chain(head).collect();
            let hypotheses = self.folds.hypotheses(store, &about);
            parts.extend(hypotheses);
        }
        parts.extend(head.map(|h| store.not(h)));
        parts
    }
}
