//! Removes arguments that no constraint needs, and arguments that are always the same constant.

use crate::horn::back::BackMap;
use crate::horn::{Atom, Clause, Derivation, Horn, Interpretation, Predicate};
use bolide_term::{Evaluator, Model, Store, Substitution, Term, Value};
use rustc_hash::FxHashMap;

/// What becomes of an argument position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Fate {
    Kept,
    /// Nobody looks at it.
    Idle,
    /// It always has this value.
    Constant(Term),
}

/// What [`slice`] removed.
#[derive(Clone, Debug)]
pub struct Sliced {
    fates: Vec<Vec<Fate>>,
    old: Horn,
}

/// Removes arguments. The arguments of bodies must be distinct constants, as [`simplify`](super::simplify) makes them.
pub fn slice(store: &mut Store, horn: &Horn) -> (Horn, BackMap) {
    let mut fates = constants(store, horn);
    let relevant = relevant(store, horn, &fates);
    for (fates, relevant) in fates.iter_mut().zip(&relevant) {
        for (fate, relevant) in fates.iter_mut().zip(relevant) {
            if *fate == Fate::Kept && !relevant {
                *fate = Fate::Idle;
            }
        }
    }
    let preds = horn.preds.iter().zip(&fates).map(|(p, f)| {
        let params = kept(f, &p.params);
        Predicate { name: p.name.clone(), params }
    });
    let preds = preds.collect();
    let clauses = horn.clauses.iter().map(|c| slice_clause(store, c, &fates)).collect();
    (Horn { preds, clauses }, BackMap::Sliced(Sliced { fates, old: horn.clone() }))
}

fn kept(fates: &[Fate], args: &[Term]) -> Vec<Term> {
    args.iter().zip(fates).filter(|(_, f)| **f == Fate::Kept).map(|(&a, _)| a).collect()
}

fn slice_clause(store: &mut Store, clause: &Clause, fates: &[Vec<Fate>]) -> Clause {
    let mut subst = Substitution::new();
    for a in &clause.body {
        for (&arg, fate) in a.args.iter().zip(&fates[a.pred.index()]) {
            if let Fate::Constant(c) = fate {
                subst.insert(arg, *c);
            }
        }
    }
    let atom = |a: &Atom| Atom { pred: a.pred, args: kept(&fates[a.pred.index()], &a.args) };
    let cut = Clause {
        head: clause.head.as_ref().map(atom),
        body: clause.body.iter().map(atom).collect(),
        constraint: clause.constraint,
        span: clause.span,
    };
    cut.map(|t| subst.apply(store, t))
}

/// Positions at which all derivable facts have the same constant: the greatest fixpoint.
fn constants(store: &mut Store, horn: &Horn) -> Vec<Vec<Fate>> {
    /// Nothing known yet, one constant, or more than one value.
    #[derive(Copy, Clone, PartialEq)]
    enum Known {
        Nothing,
        One(Term),
        Many,
    }
    let mut known: Vec<Vec<Known>> =
        horn.preds.iter().map(|p| vec![Known::Nothing; p.params.len()]).collect();
    let uses = horn.uses();
    let mut todo: Vec<usize> = (0..horn.clauses.len()).rev().collect();
    let mut queued = vec![true; horn.clauses.len()];
    while let Some(n) = todo.pop() {
        queued[n] = false;
        let c = &horn.clauses[n];
        let Some(head) = &c.head else { continue };
        let mut values: FxHashMap<Term, Term> = FxHashMap::default();
        let mut reached = true;
        for a in &c.body {
            for (&arg, k) in a.args.iter().zip(&known[a.pred.index()]) {
                match k {
                    Known::Nothing => reached = false,
                    Known::One(v) => {
                        values.insert(arg, *v);
                    }
                    Known::Many => {}
                }
            }
        }
        if !reached {
            continue;
        }
        let mut changed = false;
        for (i, &arg) in head.args.iter().enumerate() {
            let value = values.get(&arg).copied().unwrap_or(arg);
            let slot = &mut known[head.pred.index()][i];
            let new = match *slot {
                Known::Nothing if store.is_value(value) => Known::One(value),
                Known::One(v) if v == value => Known::One(v),
                _ => Known::Many,
            };
            changed |= new != *slot;
            *slot = new;
        }
        if changed {
            for &u in &uses[head.pred.index()] {
                if !std::mem::replace(&mut queued[u], true) {
                    todo.push(u);
                }
            }
        }
    }
    let fate = |k: Known| if let Known::One(v) = k { Fate::Constant(v) } else { Fate::Kept };
    known.into_iter().map(|ks| ks.into_iter().map(fate).collect()).collect()
}

/// Positions whose value can decide whether a constraint holds: the least fixpoint.
fn relevant(store: &mut Store, horn: &Horn, fates: &[Vec<Fate>]) -> Vec<Vec<bool>> {
    let mut out: Vec<Vec<bool>> = horn.preds.iter().map(|p| vec![false; p.params.len()]).collect();
    // Where a constant of a clause stands in its body.
    let places: Vec<FxHashMap<Term, (usize, usize)>> = horn
        .clauses
        .iter()
        .map(|c| {
            let atoms =
                c.body.iter().flat_map(|a| a.args.iter().enumerate().map(|(i, &v)| (v, (a.pred.index(), i))));
            atoms.collect()
        })
        .collect();
    let definitions = horn.definitions();
    let mut todo: Vec<(usize, usize)> = Vec::new();
    let mut mark = |store: &Store, n: usize, t: Term, todo: &mut Vec<(usize, usize)>| {
        for v in store.post_order([t]).filter(|&v| store.as_var(v).is_some()) {
            if let Some(&(p, i)) = places[n].get(&v)
                && !std::mem::replace(&mut out[p][i], true)
            {
                todo.push((p, i));
            }
        }
    };
    for (n, c) in horn.clauses.iter().enumerate() {
        mark(store, n, c.constraint, &mut todo);
    }
    while let Some((p, i)) = todo.pop() {
        if fates[p][i] != Fate::Kept {
            continue;
        }
        for &n in &definitions[p] {
            if let Some(h) = &horn.clauses[n].head {
                mark(store, n, h.args[i], &mut todo);
            }
        }
    }
    out
}

impl Sliced {
    pub(in crate::horn) fn interpretation(&self, store: &mut Store, mut i: Interpretation) -> Interpretation {
        for (p, fates) in self.fates.iter().enumerate() {
            let mut conjuncts = vec![i.formulas[p]];
            for (&param, fate) in self.old.preds[p].params.iter().zip(fates) {
                if let Fate::Constant(c) = fate {
                    conjuncts.push(store.eq(param, *c));
                }
            }
            i.formulas[p] = store.and(&conjuncts);
        }
        i
    }

    /// What was removed from a body has the value that the premise derived.
    pub(in crate::horn) fn derivation(&self, store: &Store, mut d: Derivation) -> Option<Derivation> {
        let mut facts: Vec<Vec<Value>> = Vec::with_capacity(d.steps.len());
        let mut repetitions = d.repetitions.iter().peekable();
        for (n, step) in d.steps.iter_mut().enumerate() {
            let clause = self.old.clauses.get(step.clause)?;
            for (a, &premise) in clause.body.iter().zip(&step.premises) {
                for ((&arg, fate), value) in
                    a.args.iter().zip(&self.fates[a.pred.index()]).zip(facts.get(premise)?)
                {
                    if *fate != Fate::Kept {
                        step.values.set(store.as_var(arg)?, value.clone());
                    }
                }
            }
            facts.push(ground(store, clause.head.as_ref(), &step.values)?);
            if let Some(repetition) = repetitions.next_if(|l| l.last == n) {
                facts[n] = repetition.fact(&facts)?;
            }
        }
        Some(d)
    }
}

/// The values of an atom's arguments.
pub(super) fn ground(store: &Store, atom: Option<&Atom>, values: &Model) -> Option<Vec<Value>> {
    let mut evaluator = Evaluator::new(store, values);
    atom.map_or(Some(Vec::new()), |a| a.args.iter().map(|&t| evaluator.eval(t).ok()).collect())
}
