//! Folds that clauses define: a predicate whose rules take one argument apart by constructors, recurse over its fields and leave
//! the others unchanged is a function of it, or a set.

use super::Guess;
use bolide_model::horn::{Clause, Horn};
use bolide_term::{Op, Sort, Store, Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// A predicate as a fold: which of its arguments is the value, and which is the result, if it is not a set.
#[derive(Clone, Debug)]
struct Reading {
    pred: usize,
    value: usize,
    result: Option<usize>,
    /// The other positions, and the parameters that stand for them.
    params: Vec<(usize, usize)>,
    fold: usize,
}

/// A rule of a predicate, with equations between its constants solved.
struct Rule {
    clause: Clause,
    conjuncts: Vec<Term>,
}

impl Rule {
    /// Does a constant occur in the condition or among the arguments, apart from datatypes without a numbering?
    fn uses(&self, store: &Store, constant: Term) -> bool {
        let atoms = self.clause.head.iter().chain(&self.clause.body);
        let args = atoms.flat_map(|a| a.args.iter().copied());
        let scalars = args.filter(|&t| t == constant || store.datatype(store.sort_of(t)).is_none());
        store.post_order(scalars.chain(self.conjuncts.iter().copied())).any(|t| t == constant)
    }
}

impl Guess {
    /// Adds what the predicates of a prepared system define. The answer: positions of arguments of the given system that recursive rules
    /// hand on unchanged, where the predicate defined nothing, and for each predicate that it implies what it defines.
    pub(super) fn defined(
        &mut self,
        store: &mut Store,
        horn: &Horn,
        prepared: &Horn,
    ) -> (Vec<(usize, usize)>, Vec<Term>) {
        let definitions = prepared.definitions();
        let mut readings: Vec<Reading> = Vec::new();
        let mut unchanged = Vec::new();
        let rules: Vec<Vec<Rule>> = definitions
            .iter()
            .map(|d| d.iter().map(|&n| rule(store, &prepared.clauses[n])).collect())
            .collect();
        // A definition may use others; those with parameters come last, as they are made when all parameters are known.
        let mut open: Vec<usize> = (0..prepared.preds.len()).filter(|&p| !rules[p].is_empty()).collect();
        let mut parametric = Vec::new();
        for round in 0..3 {
            let mut rest = Vec::new();
            for &pred in &open {
                let shapes = self.shapes(store, prepared, &rules[pred], pred);
                let mut done = false;
                for (value, result, params) in shapes {
                    if params.is_empty() {
                        done |= self.read(
                            store,
                            prepared,
                            &rules[pred],
                            (pred, value, result),
                            &[],
                            &mut readings,
                        );
                    } else if round == 0 {
                        parametric.push((pred, value, result, params));
                    }
                }
                if !done {
                    rest.push(pred);
                }
            }
            if rest.len() == open.len() {
                break;
            }
            open = rest;
        }
        // First all parameters, then the folds that depend on them.
        let mut ready = Vec::new();
        for (pred, value, result, positions) in parametric {
            let mut taken = Vec::new();
            for &position in &positions {
                let term = prepared.preds[pred].params[position];
                let Some(given) = horn.preds[pred].params.iter().position(|&p| p == term) else { break };
                let sort = store.sort_of(term);
                let Some(param) = self.parameter(store, sort, &taken, (pred, given)) else { break };
                taken.push(param);
            }
            if taken.len() == positions.len() {
                ready.push((pred, value, result, positions.into_iter().zip(taken).collect::<Vec<_>>()));
            }
        }
        for (pred, value, result, params) in ready {
            if !self.read(store, prepared, &rules[pred], (pred, value, result), &params, &mut readings) {
                unchanged.extend(params.iter().filter_map(|&(position, _)| {
                    let term = prepared.preds[pred].params[position];
                    Some((pred, horn.preds[pred].params.iter().position(|&p| p == term)?))
                }));
            }
        }
        let mut formulas = vec![store.tru(); horn.preds.len()];
        for reading in &readings {
            let implied = self.implied(store, prepared, reading);
            formulas[reading.pred] = store.and(&[formulas[reading.pred], implied]);
        }
        (unchanged, formulas)
    }

    /// What a predicate that was read as a fold implies about its arguments.
    fn implied(&self, store: &mut Store, horn: &Horn, reading: &Reading) -> Term {
        let args = &horn.preds[reading.pred].params;
        let applied = self.folds.apply(store, reading.fold, args[reading.value]);
        let mut parts = vec![match reading.result.and_then(|r| self.scalar(store, args[r])) {
            Some(result) => store.eq(result, applied),
            None => applied,
        }];
        for &(position, param) in &reading.params {
            if let Some(arg) = self.scalar(store, args[position]) {
                let same = store.eq(arg, self.folds.params[param]);
                parts.push(store.not(same));
            }
        }
        store.or(&parts)
    }

    /// The ways in which a predicate may be a fold: the position of the value, that of the result, and those of parameters.
    #[allow(clippy::type_complexity)]
    fn shapes(
        &self,
        store: &Store,
        horn: &Horn,
        rules: &[Rule],
        pred: usize,
    ) -> Vec<(usize, Option<usize>, Vec<usize>)> {
        let sorts: Vec<Sort> = horn.preds[pred].params.iter().map(|&p| store.sort_of(p)).collect();
        let is_value =
            |i: &usize| store.datatype(sorts[*i]).is_some() && !self.numbers.contains_key(&sorts[*i]);
        let values: Vec<usize> = (0..sorts.len()).filter(is_value).collect();
        let [value] = values[..] else { return Vec::new() };
        let others: Vec<usize> = (0..sorts.len()).filter(|&i| i != value).collect();
        if others.iter().any(|&i| self.scalar_sort(store, sorts[i]).is_none()) {
            return Vec::new();
        }
        // What recursion hands on unchanged.
        let is_kept = |i: usize| {
            rules.iter().all(|r| {
                let head = r.clause.head.as_ref().map(|h| h.args[i]);
                let mut own = r.clause.body.iter().filter(|a| a.pred.index() == pred);
                own.all(|a| Some(a.args[i]) == head)
            })
        };
        let recursive = rules.iter().any(|r| r.clause.body.iter().any(|a| a.pred.index() == pred));
        let kept: Vec<usize> = others.iter().copied().filter(|&i| recursive && is_kept(i)).collect();
        let changed: Vec<usize> = others.iter().copied().filter(|i| !kept.contains(i)).collect();
        match changed[..] {
            [] => vec![(value, None, kept)],
            [result] => vec![(value, Some(result), kept)],
            _ => Vec::new(),
        }
    }

    /// Reads the rules of a predicate as the cases of a fold.
    fn read(
        &mut self,
        store: &mut Store,
        horn: &Horn,
        rules: &[Rule],
        (pred, value, result): (usize, usize, Option<usize>),
        params: &[(usize, usize)],
        readings: &mut Vec<Reading>,
    ) -> bool {
        let sort = store.sort_of(horn.preds[pred].params[value]);
        let of = result.map(|r| store.sort_of(horn.preds[pred].params[r]));
        let Some(of) = of.map_or(Some(Sort::BOOL), |s| self.scalar_sort(store, s)) else { return false };
        if !self.has_room(store, sort) || !(of.is_arith() || of == Sort::BOOL) {
            return false;
        }
        let count = self.folds.folds.len();
        let fold = self.declare(store, sort, of, !params.is_empty());
        let mut reading = Reading { pred, value, result, params: params.to_vec(), fold };
        match self.cases(store, rules, &reading, readings, sort, of) {
            Some(cases) => {
                self.folds.folds[fold].cases = cases;
                if self.folds.folds.len() == fold + 1 {
                    reading.fold = self.without_copy(store);
                }
                readings.push(reading);
                true
            }
            None => {
                self.folds.folds.truncate(count);
                false
            }
        }
    }

    fn cases(
        &mut self,
        store: &mut Store,
        rules: &[Rule],
        reading: &Reading,
        readings: &[Reading],
        sort: Sort,
        of: Sort,
    ) -> Option<Vec<Term>> {
        let mut by_constructor: Vec<Vec<(Term, Term)>> = vec![Vec::new(); store.constructor_count(sort)];
        for rule in rules {
            let (c, guard, is) = self.case(store, rule, reading, readings, sort)?;
            by_constructor[c as usize].push((guard, is));
        }
        let nothing = if of == Sort::BOOL { store.fls() } else { store.num(0.into(), of) };
        let mut cases = Vec::new();
        for list in by_constructor {
            let mut case = None;
            for (guard, is) in list.into_iter().rev() {
                case = Some(match (case, reading.result) {
                    (Some(other), _) => store.ite(guard, is, other),
                    (None, Some(_)) => is,
                    (None, None) => guard,
                });
            }
            cases.push(case.unwrap_or(nothing));
        }
        Some(cases)
    }

    /// The constructor that a rule is about, its condition, and its result.
    fn case(
        &mut self,
        store: &mut Store,
        rule: &Rule,
        reading: &Reading,
        readings: &[Reading],
        sort: Sort,
    ) -> Option<(u32, Term, Term)> {
        let head = rule.clause.head.as_ref()?;
        let pattern = head.args[reading.value];
        let Op::Construct(c) = store.op(pattern) else { return None };
        let mut known = Known::default();
        let mut guards: Vec<Term> = Vec::new();
        for &(position, param) in &reading.params {
            let param = self.folds.params[param];
            known.bind(self, store, head.args[position], param, &mut guards)?;
        }
        let fields = self.fields(store, sort, c);
        for (&part, field) in store.args(pattern).to_vec().iter().zip(fields) {
            let of = store.sort_of(part);
            if let Some(number) = self.scalar(store, field) {
                known.bind(self, store, part, number, &mut guards)?;
                continue;
            }
            if let Op::Construct(inner) = store.op(part)
                && of == sort
            {
                // A pattern within the pattern: the field was made by that constructor, of fields of its own.
                let is = self.constructed(store, sort, inner)?;
                guards.push(self.folds.apply(store, is, field));
                for (i, inner_part) in store.args(part).to_vec().into_iter().enumerate() {
                    if self.scalar_sort(store, store.sort_of(inner_part)).is_some()
                        && (store.as_var(inner_part).is_none() || rule.uses(store, inner_part))
                    {
                        let projection = self.projection(store, sort, inner, i)?;
                        let is = self.folds.apply(store, projection, field);
                        known.bind(self, store, inner_part, is, &mut guards)?;
                    }
                }
            } else if store.as_var(part).is_none() {
                return None;
            }
            known.parts.insert(part, field);
        }
        let mut open: Vec<(Term, Term)> = Vec::new();
        for atom in &rule.clause.body {
            let of = match atom.pred.index() {
                p if p == reading.pred => reading,
                p => readings.iter().find(|r| r.pred == p && r.params.is_empty())?,
            };
            let value = *known.parts.get(&atom.args[of.value])?;
            for &(position, _) in &of.params {
                if atom.args[position] != head.args[position] {
                    return None;
                }
            }
            let applied = self.folds.apply(store, of.fold, value);
            match of.result {
                None => guards.push(applied),
                Some(result) => match store.as_var(atom.args[result]) {
                    Some(_) => known.bind(self, store, atom.args[result], applied, &mut guards)?,
                    None => open.push((atom.args[result], applied)),
                },
            }
        }
        for (term, applied) in open {
            let term = known.term(self, store, term)?;
            guards.push(store.eq(term, applied));
        }
        let pending = std::mem::take(&mut known.pending);
        for (term, is) in pending {
            let term = known.term(self, store, term)?;
            guards.push(store.eq(term, is));
        }
        for &conjunct in &rule.conjuncts {
            let guard = known.term(self, store, conjunct)?;
            guards.push(guard);
        }
        let is = match reading.result {
            Some(result) => known.term(self, store, head.args[result])?,
            None => store.tru(),
        };
        Some((c, store.and(&guards), is))
    }

    /// The fold that is a field of no datatype of values that were made by a constructor, and nothing in particular of others.
    fn projection(&mut self, store: &mut Store, sort: Sort, constructor: u32, field: usize) -> Option<usize> {
        let field = *self.fields(store, sort, constructor).get(field)?;
        let is = self.scalar(store, field)?;
        let of = store.sort_of(is);
        let nothing = match of {
            Sort::BOOL => store.fls(),
            _ if of.is_arith() => store.num(0.into(), of),
            _ => return None,
        };
        let count = Self::constructors(store, sort);
        let cases: Vec<Term> = count.map(|c| if c == constructor { is } else { nothing }).collect();
        self.existing_or_new(store, sort, of, cases)
    }

    /// The fold that tells whether a value was made by a constructor.
    fn constructed(&mut self, store: &mut Store, sort: Sort, constructor: u32) -> Option<usize> {
        let cases: Vec<Term> =
            Self::constructors(store, sort).map(|c| store.bool(c == constructor)).collect();
        self.existing_or_new(store, sort, Sort::BOOL, cases)
    }

    /// The fold with cases that are not recursive.
    fn existing_or_new(
        &mut self,
        store: &mut Store,
        sort: Sort,
        of: Sort,
        cases: Vec<Term>,
    ) -> Option<usize> {
        let is_it = |n: &usize| self.folds.folds[*n].cases == cases;
        if let Some(n) = self.folds.on(store, sort).into_iter().find(is_it) {
            return Some(n);
        }
        if !self.has_room(store, sort) {
            return None;
        }
        let n = self.declare(store, sort, of, false);
        self.folds.folds[n].cases = cases;
        Some(n)
    }
}

/// What the constants of a rule are in terms of a value.
#[derive(Default)]
struct Known {
    /// Constants that are of no datatype, or have a numbering, and what they are.
    scalars: FxHashMap<Term, Term>,
    /// Parts of the pattern that are of datatypes without a numbering.
    parts: FxHashMap<Term, Term>,
    /// Terms that must be equal to others, for when all constants are known.
    pending: Vec<(Term, Term)>,
}

impl Known {
    /// A term of the rule is something.
    fn bind(
        &mut self,
        guess: &Guess,
        store: &mut Store,
        term: Term,
        is: Term,
        guards: &mut Vec<Term>,
    ) -> Option<()> {
        let of = guess.scalar_sort(store, store.sort_of(term))?;
        if of != store.sort_of(is) {
            return None;
        }
        if store.as_var(term).is_none() {
            self.pending.push((term, is));
            return Some(());
        }
        match self.scalars.get(&term) {
            Some(&other) => guards.push(store.eq(other, is)),
            None => _ = self.scalars.insert(term, is),
        }
        Some(())
    }

    /// A term of the rule in terms of the value; nothing if it has other constants. Values with a numbering become numbers.
    fn term(&self, guess: &Guess, store: &mut Store, term: Term) -> Option<Term> {
        let mut memo: FxHashMap<Term, Term> = FxHashMap::default();
        for t in store.post_order([term]).collect::<Vec<_>>() {
            let sort = store.sort_of(t);
            let numbering = guess.numberings.get(&sort);
            let args: Vec<Term> = store.args(t).to_vec();
            let new = match (store.op(t), numbering) {
                _ if store.as_var(t).is_some() => *self.scalars.get(&t)?,
                (Op::Construct(c), Some(numbering)) => {
                    let (factor, summand) = numbering.number(c);
                    let mut parts = vec![store.int(summand)];
                    for a in &args {
                        parts.push(store.scale(&factor.into(), memo[a]));
                    }
                    store.add(&parts)
                }
                (Op::Construct(_) | Op::Field { .. } | Op::Is(_) | Op::Apply(_), _) => return None,
                (Op::Eq, _) => store.eq(memo[&args[0]], memo[&args[1]]),
                _ => {
                    let args: Vec<Term> = args.iter().map(|a| memo[a]).collect();
                    store.rebuild(t, &args)
                }
            };
            memo.insert(t, new);
        }
        memo.get(&term).copied()
    }
}

/// Solves the equations of a clause for constants that stand in its body, as long as they are of datatypes or equal to other constants.
fn rule(store: &mut Store, clause: &Clause) -> Rule {
    let mut clause = clause.clone();
    let mut conjuncts = store.conjuncts(clause.constraint);
    let inner: FxHashSet<Term> = clause.body.iter().flat_map(|a| a.args.iter().copied()).collect();
    loop {
        let found = conjuncts.iter().enumerate().find_map(|(n, &t)| {
            if store.op(t) != Op::Eq {
                return None;
            }
            let (a, b) = (store.arg(t, 0), store.arg(t, 1));
            let solves = |v: Term, t: Term| {
                let simple = store.as_var(t).is_some() || store.datatype(store.sort_of(t)).is_some();
                inner.contains(&v)
                    && store.as_var(v).is_some()
                    && simple
                    && store.post_order([t]).all(|u| u != v)
            };
            if solves(a, b) { Some((n, a, b)) } else { solves(b, a).then_some((n, b, a)) }
        });
        let Some((n, v, t)) = found else { break };
        conjuncts.remove(n);
        let mut subst = Substitution::new();
        subst.insert(v, t);
        clause = clause.map(|t| subst.apply(store, t));
        conjuncts = conjuncts.into_iter().map(|c| subst.apply(store, c)).collect();
    }
    Rule { clause, conjuncts }
}
