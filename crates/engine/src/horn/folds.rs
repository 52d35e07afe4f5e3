//! Which folds are worth having: what the clauses themselves define by structural recursion, and lengths, sizes and numbers of
//! occurrences where they define nothing.
//!
//! What is chosen here is a guess, and may be any functions: the engines find out what is true of them, and a check follows.

mod define;

use bolide_base::Budget;
use bolide_model::horn::pass::{self, Numbering};
use bolide_model::horn::{Fold, Folds, Horn, Interpretation, TypeFact};
use bolide_smt::{Answer, Solver};
use bolide_term::{Sort, Store, Term};
use rustc_hash::FxHashMap;

/// At most so many folds on a sort.
const MAX_FOLDS: usize = 5;
/// At most so many parameters.
const MAX_PARAMS: usize = 2;
/// At most so many guesses at facts about a sort.
const MAX_FACTS: usize = 80;
/// The effort for a guess.
const FACT_STEPS: u64 = 2_000;

/// Folds for a system, and what the predicates that define some of them have to do with them; nothing if it has no datatypes.
pub fn find(store: &mut Store, horn: &Horn, budget: &Budget) -> Option<Interpretation> {
    let sorts = horn.datatypes(store);
    if sorts.is_empty() {
        return None;
    }
    let mut guess = Guess::new(store, &sorts);
    for &sort in &sorts {
        guess.number(store, sort);
    }
    let (prepared, _) = pass::prepare(store, horn, budget).ok()?;
    let (parameters, formulas) = guess.defined(store, horn, &prepared);
    for &sort in &sorts {
        guess.size(store, sort);
    }
    guess.occurrences(store, horn, parameters);
    let mut folds = guess.folds;
    folds.facts = facts(store, &folds, &sorts, budget);
    Some(known(store, horn, Interpretation { formulas, folds }, budget))
}

/// What rules preserve of an interpretation (Houdini), predicate by predicate.
fn known(store: &mut Store, horn: &Horn, mut guess: Interpretation, budget: &Budget) -> Interpretation {
    let yes = store.tru();
    loop {
        let mut any = false;
        for (n, c) in horn.clauses.iter().enumerate() {
            let Some(head) = &c.head else { continue };
            if guess.formulas[head.pred.index()] == yes {
                continue;
            }
            let mut solver = Solver::default();
            guess.denial(store, horn, n).into_iter().for_each(|f| solver.assert(f));
            let limited = budget.clone().with_steps(FACT_STEPS);
            if solver.check_unconfirmed(store, &[], &limited) != Answer::Unsat {
                guess.formulas[head.pred.index()] = yes;
                any = true;
            }
        }
        if !any {
            return guess;
        }
    }
}

/// Folds that are being collected.
struct Guess {
    folds: Folds,
    /// For each datatype the constant that stands for its values in definitions.
    values: FxHashMap<Sort, Term>,
    numberings: FxHashMap<Sort, Numbering>,
    /// For each datatype with a numbering the fold that is the number.
    numbers: FxHashMap<Sort, usize>,
    /// For each parameter the predicates and positions that it is for.
    origins: Vec<Vec<(usize, usize)>>,
}

impl Guess {
    fn new(store: &mut Store, sorts: &[Sort]) -> Guess {
        let mut values = FxHashMap::default();
        let mut numberings = FxHashMap::default();
        for (n, &sort) in sorts.iter().enumerate() {
            values.insert(sort, store.var(&format!("@value.{n}"), sort));
            numberings.extend(Numbering::of(store, sort).map(|n| (sort, n)));
        }
        Guess {
            folds: Folds::default(),
            values,
            numberings,
            numbers: FxHashMap::default(),
            origins: Vec::new(),
        }
    }

    /// A new fold, whose cases are still missing.
    fn declare(&mut self, store: &mut Store, sort: Sort, result: Sort, depends: bool) -> usize {
        let n = self.folds.folds.len();
        let mut args = vec![sort];
        if depends {
            args.extend(self.folds.params.iter().map(|&p| store.sort_of(p)));
        }
        let func = store.func(&format!("@fold.{n}"), &args, result);
        self.folds.folds.push(Fold { func, value: self.values[&sort], cases: Vec::new() });
        n
    }

    /// The fields of the value of a sort by a constructor.
    fn fields(&self, store: &mut Store, sort: Sort, constructor: u32) -> Vec<Term> {
        let count = store.constructor(sort, constructor).fields.len();
        let value = self.values[&sort];
        (0..count).filter_map(|i| Some(store.raw_field(constructor, u32::try_from(i).ok()?, value))).collect()
    }

    fn constructors(store: &Store, sort: Sort) -> std::ops::Range<u32> {
        0..u32::try_from(store.constructor_count(sort)).unwrap_or(0)
    }

    /// Is there room for another fold on a sort?
    fn has_room(&self, store: &Store, sort: Sort) -> bool {
        self.folds.on(store, sort).len() < MAX_FOLDS
    }

    /// Drops the last fold if another one has the same definition; the one that stays.
    fn without_copy(&mut self, store: &mut Store) -> usize {
        let last = self.folds.folds.len() - 1;
        let mine = self.shape(store, last);
        let sort = store.sort_of(self.folds.folds[last].value);
        let others: Vec<usize> = self.folds.on(store, sort).into_iter().filter(|&n| n != last).collect();
        match others.into_iter().find(|&n| self.shape(store, n) == mine) {
            Some(n) => {
                self.folds.folds.pop();
                n
            }
            None => last,
        }
    }

    /// The cases of a fold, with one name for what the fold is of the fields.
    fn shape(&self, store: &mut Store, fold: usize) -> Vec<Term> {
        let sort = store.sort_of(self.folds.folds[fold].value);
        let result = store.decl(self.folds.folds[fold].func).result;
        let mut subst = bolide_term::Substitution::new();
        for c in Self::constructors(store, sort) {
            for (i, field) in self.fields(store, sort, c).into_iter().enumerate() {
                if store.sort_of(field) == sort {
                    let applied = self.folds.apply(store, fold, field);
                    subst.insert(applied, store.var(&format!("@part.{c}.{i}"), result));
                }
            }
        }
        let cases = self.folds.folds[fold].cases.clone();
        cases.into_iter().map(|t| subst.apply(store, t)).collect()
    }

    /// The number of a value, where there is a numbering.
    fn number(&mut self, store: &mut Store, sort: Sort) {
        let Some(numbering) = self.numberings.get(&sort).cloned() else { return };
        let fold = self.declare(store, sort, Sort::INT, false);
        self.numbers.insert(sort, fold);
        for c in Self::constructors(store, sort) {
            let (factor, summand) = numbering.number(c);
            let mut parts = vec![store.int(summand)];
            for field in self.fields(store, sort, c) {
                let inner = self.folds.apply(store, fold, field);
                parts.push(store.scale(&factor.into(), inner));
            }
            let case = store.add(&parts);
            self.folds.folds[fold].cases.push(case);
        }
    }

    /// The number of constructors with fields that a value is made of; which constructor, if it is not recursive.
    fn size(&mut self, store: &mut Store, sort: Sort) {
        if self.numbers.contains_key(&sort)
            || !self.has_room(store, sort)
            || store.constructor_count(sort) < 2
        {
            return;
        }
        let recursive = store.datatype(sort).is_some_and(|d| d.recursive);
        let fold = self.declare(store, sort, Sort::INT, false);
        for c in Self::constructors(store, sort) {
            let fields = self.fields(store, sort, c);
            let own = if recursive { i64::from(!fields.is_empty()) } else { i64::from(c) };
            let mut parts = vec![store.int(own)];
            for field in fields.into_iter().filter(|&f| store.sort_of(f) == sort).collect::<Vec<_>>() {
                parts.push(self.folds.apply(store, fold, field));
            }
            let case = store.add(&parts);
            self.folds.folds[fold].cases.push(case);
        }
        self.without_copy(store);
    }

    /// A term of no datatype, or the number of one with a numbering.
    fn scalar(&self, store: &mut Store, t: Term) -> Option<Term> {
        let sort = store.sort_of(t);
        match (store.datatype(sort), self.numbers.get(&sort)) {
            (None, _) => Some(t),
            (Some(_), Some(&fold)) => Some(self.folds.apply(store, fold, t)),
            _ => None,
        }
    }

    /// The sort of [`Guess::scalar`].
    fn scalar_sort(&self, store: &Store, sort: Sort) -> Option<Sort> {
        match store.datatype(sort) {
            None => store.array_sorts(sort).is_none().then_some(sort),
            Some(_) => self.numbers.contains_key(&sort).then_some(Sort::INT),
        }
    }

    /// How often values of parameters occur in values of recursive datatypes: for arguments that a predicate hands on unchanged while it
    /// recurses over such a value.
    fn occurrences(&mut self, store: &mut Store, horn: &Horn, parameters: Vec<(usize, usize)>) {
        let mut wanted: Vec<(Sort, usize)> = Vec::new();
        for (pred, position) in parameters {
            let params = &horn.preds[pred].params;
            let of = store.sort_of(params[position]);
            let sorts: Vec<Sort> = params.iter().map(|&p| store.sort_of(p)).collect();
            for sort in sorts {
                let holds = |d: &bolide_term::Datatype| {
                    d.recursive && d.constructors.iter().flat_map(|c| &c.fields).any(|f| f.sort == of)
                };
                if sort == of || !store.datatype(sort).is_some_and(holds) {
                    continue;
                }
                let Some(param) = self.parameter(store, of, &[], (pred, position)) else { continue };
                if !wanted.contains(&(sort, param)) {
                    wanted.push((sort, param));
                }
            }
        }
        for (sort, param) in wanted {
            if !self.has_room(store, sort) {
                continue;
            }
            let fold = self.declare(store, sort, Sort::INT, true);
            for c in Self::constructors(store, sort) {
                let mut parts = Vec::new();
                for field in self.fields(store, sort, c) {
                    if store.sort_of(field) == sort {
                        parts.push(self.folds.apply(store, fold, field));
                    } else if let Some(number) = self.scalar(store, field)
                        && store.sort_of(number) == store.sort_of(self.folds.params[param])
                    {
                        let same = store.eq(number, self.folds.params[param]);
                        let (one, zero) = (store.int(1), store.int(0));
                        parts.push(store.ite(same, one, zero));
                    }
                }
                let case = store.add(&parts);
                self.folds.folds[fold].cases.push(case);
            }
            self.without_copy(store);
        }
        self.instances(store, horn);
    }

    /// The parameter for an argument of a predicate, of a sort that may be numbered; `taken` are those for its other arguments. New
    /// parameters are only made as long as no fold depends on parameters.
    fn parameter(
        &mut self,
        store: &mut Store,
        sort: Sort,
        taken: &[usize],
        origin: (usize, usize),
    ) -> Option<usize> {
        let sort = self.scalar_sort(store, sort)?;
        let same = |n: &usize| store.sort_of(self.folds.params[*n]) == sort && !taken.contains(n);
        let n = match (0..self.folds.params.len()).find(same) {
            Some(n) => n,
            None => {
                let depends = |f: &Fold| store.decl(f.func).args.len() > 1;
                if self.folds.params.len() >= MAX_PARAMS || self.folds.folds.iter().any(depends) {
                    return None;
                }
                let n = self.folds.params.len();
                self.folds.params.push(store.var(&format!("@param.{n}"), sort));
                self.origins.push(Vec::new());
                n
            }
        };
        self.origins[n].push(origin);
        Some(n)
    }

    /// Terms for the parameters in queries, and in rules for predicates without arguments: what stands where they come from.
    fn instances(&mut self, store: &mut Store, horn: &Horn) {
        if self.folds.params.is_empty() {
            return;
        }
        for (n, c) in horn.clauses.iter().enumerate() {
            if c.head.as_ref().is_some_and(|h| !h.args.is_empty()) {
                continue;
            }
            let mut terms = Vec::with_capacity(self.origins.len());
            for origins in &self.origins {
                let is_origin = |pred: usize, i: usize| origins.contains(&(pred, i));
                let found = c.body.iter().find_map(|a| {
                    let at = (0..a.args.len()).find(|&i| is_origin(a.pred.index(), i))?;
                    Some(a.args[at])
                });
                terms.extend(found);
            }
            let numbers: Option<Vec<Term>> = terms.into_iter().map(|t| self.scalar(store, t)).collect();
            if let Some(numbers) = numbers.filter(|n| n.len() == self.folds.params.len()) {
                self.folds.instances.push((n, numbers));
            }
        }
    }
}

/// What constructors preserve, of simple facts about the folds of a value (Houdini).
fn facts(store: &mut Store, folds: &Folds, sorts: &[Sort], budget: &Budget) -> Vec<TypeFact> {
    let mut kept = Vec::new();
    for &sort in sorts {
        kept.extend(candidates(store, folds, sort));
    }
    loop {
        let guess = Folds { facts: kept, ..folds.clone() };
        let mut fails = vec![false; guess.facts.len()];
        let provisos = guess.provisos(store);
        let owners = guess.facts.iter().enumerate();
        let owners = owners.flat_map(|(n, f)| {
            let sort = store.sort_of(f.value);
            std::iter::repeat_n(n, store.constructor_count(sort))
        });
        for (n, proviso) in owners.collect::<Vec<_>>().into_iter().zip(provisos) {
            if fails[n] {
                continue;
            }
            let mut solver = Solver::default();
            proviso.formulas.into_iter().for_each(|f| solver.assert(f));
            let limited = budget.clone().with_steps(FACT_STEPS);
            fails[n] = solver.check_unconfirmed(store, &[], &limited) != Answer::Unsat;
        }
        let any = fails.contains(&true);
        let rest = guess.facts.into_iter().zip(fails).filter(|(_, fails)| !fails).map(|(f, _)| f);
        kept = rest.collect();
        if !any || budget.check().is_err() {
            // What has not been shown to be preserved is no fact.
            return if any { Vec::new() } else { kept };
        }
    }
}

/// Guesses at facts about a sort.
fn candidates(store: &mut Store, folds: &Folds, sort: Sort) -> Vec<TypeFact> {
    let on = folds.on(store, sort);
    let Some(&first) = on.first() else { return Vec::new() };
    let value = folds.folds[first].value;
    let applied: Vec<Term> = on.iter().map(|&f| folds.apply(store, f, value)).collect();
    let mut formulas = Vec::new();
    let (zero, one) = (store.int(0), store.int(1));
    for (n, &f) in applied.iter().enumerate() {
        let of = store.sort_of(f);
        if of == Sort::INT {
            formulas.push(store.ge(f, zero));
            formulas.push(store.ge(f, one));
            let constructors = i64::try_from(store.constructor_count(sort)).unwrap_or(1);
            let last = store.int(constructors - 1);
            formulas.push(store.le(f, last));
        }
        for &g in &applied[n + 1..] {
            match (of, store.sort_of(g)) {
                (Sort::INT, Sort::INT) => {
                    formulas.push(store.le(f, g));
                    formulas.push(store.le(g, f));
                }
                (Sort::BOOL, Sort::INT) => formulas.extend(flag_and_number(store, f, g)),
                (Sort::INT, Sort::BOOL) => formulas.extend(flag_and_number(store, g, f)),
                (Sort::BOOL, Sort::BOOL) => {
                    let (not_f, not_g) = (store.not(f), store.not(g));
                    for (a, b) in [(f, g), (not_f, g), (f, not_g), (not_f, not_g)] {
                        formulas.push(store.or(&[a, b]));
                    }
                }
                _ => {}
            }
        }
    }
    formulas.truncate(MAX_FACTS);
    formulas.into_iter().map(|formula| TypeFact { value, formula }).collect()
}

/// What a truth value may have to do with a number being zero.
fn flag_and_number(store: &mut Store, flag: Term, number: Term) -> Vec<Term> {
    let (zero, one) = (store.int(0), store.int(1));
    let (none, some) = (store.eq(number, zero), store.ge(number, one));
    let denied = store.not(flag);
    let mut out = Vec::new();
    for f in [flag, denied] {
        for n in [none, some] {
            out.push(store.or(&[f, n]));
        }
    }
    out
}
