//! Clauses that stand for many applications of others.
//!
//! A clause that leads from a predicate to itself, or two that lead to another one and back, are one round of a loop. Their
//! [accelerations](crate::accelerate) become clauses, which are implied by the others: an interpretation that satisfies all of them satisfies those that
//! were given. A clause whose acceleration is exact is replaced by it. Where a loop has several ways, two of them in turns are a round, too.
//!
//! In a derivation an acceleration is its rounds again, one step for each clause in it. If these are more than a few thousand, the first ones are listed, and the
//! rest is a [`Repetition`].

use crate::accelerate::{Acceleration, Body, Path, accelerate as accelerations, paths};
use crate::horn::back::BackMap;
use crate::horn::pass::slice::ground;
use crate::horn::system::fresh_like;
use crate::horn::{Atom, Clause, Derivation, DerivationStep, Horn, PredId};
use crate::repetition::{Repetition, SAMPLES};
use bolide_base::{Budget, Interrupt};
use bolide_term::{Evaluator, Model, Store, Substitution, Term, Value};
use rustc_hash::FxHashSet;

/// No more clauses are added.
const MOST_ADDED: usize = 64;
/// Of a predicate with more ways round no two are taken in turns.
const MOST_IN_TURNS: usize = 3;
/// Larger clauses are left alone.
const MOST_NODES: usize = 4_000;
/// So many pairs of clauses are looked at that lead to another predicate and back.
const MOST_PAIRS: usize = 16;
/// Of more rounds only the first few are listed.
const MOST_LISTED: u64 = 5_000;
/// So many are listed then: some may be unlike the others, and the last ones are the samples.
const LISTED: u64 = 4 + SAMPLES as u64;

/// A clause in a round.
#[derive(Clone, Debug)]
struct Part {
    clause: usize,
    /// Its constants that are not arguments of its body, and what stands for them in the round.
    choices: Vec<(Term, Term)>,
}

/// A round of a loop at a predicate.
#[derive(Clone, Debug)]
struct Round {
    body: Body,
    parts: Vec<Part>,
    /// Choices that are defined by the state before the round and others, in the order in which they were replaced.
    defined: Vec<(Term, Term)>,
    /// The clause that it is all of.
    whole: Option<usize>,
}

/// What a new clause is.
#[derive(Clone, Debug)]
enum Origin {
    /// An old one.
    Clause(usize),
    /// So many rounds.
    Acceleration { round: Round, rounds: Term },
}

/// What [`accelerate`] did.
#[derive(Clone, Debug)]
pub struct Accelerated {
    origins: Vec<Origin>,
    old: Horn,
}

/// Adds accelerations; nothing if there are none. The arguments of bodies must be distinct constants. What is not `possible` with more than one round is left
/// out.
pub fn accelerate(
    store: &mut Store,
    horn: &Horn,
    possible: &mut dyn FnMut(&mut Store, Term) -> bool,
    budget: &Budget,
) -> Result<Option<(Horn, BackMap)>, Interrupt> {
    let mut added: Vec<(Clause, Origin)> = Vec::new();
    let mut replaced: FxHashSet<usize> = FxHashSet::default();
    for pred in horn.pred_ids() {
        for round in rounds(store, horn, pred) {
            budget.check()?;
            for acceleration in accelerations(store, &round.body) {
                let two = store.int(2);
                let several = store.le(two, acceleration.rounds);
                let several = store.and(&[several, acceleration.guard]);
                if added.len() >= MOST_ADDED || !possible(store, several) {
                    continue;
                }
                if acceleration.is_exact {
                    replaced.extend(round.whole);
                }
                added.push(clause(horn, pred, &round, acceleration));
            }
        }
    }
    if added.is_empty() {
        return Ok(None);
    }
    let kept = (0..horn.clauses.len()).filter(|n| !replaced.contains(n));
    let kept = kept.map(|n| (horn.clauses[n].clone(), Origin::Clause(n)));
    let (clauses, origins) = kept.chain(added).unzip();
    let map = Accelerated { origins, old: horn.clone() };
    Ok(Some((Horn { preds: horn.preds.clone(), clauses }, BackMap::Accelerated(map))))
}

/// The clause of an acceleration.
fn clause(horn: &Horn, pred: PredId, round: &Round, acceleration: Acceleration) -> (Clause, Origin) {
    let mut round = round.clone();
    round.defined.extend(acceleration.chosen);
    let body = vec![Atom { pred, args: round.body.state.clone() }];
    let head = Some(Atom { pred, args: acceleration.next });
    let span = horn.clauses[round.parts[0].clause].span;
    let rounds = acceleration.rounds;
    (Clause { head, body, constraint: acceleration.guard, span }, Origin::Acceleration { round, rounds })
}

/// The rounds of the loops at a predicate.
fn rounds(store: &mut Store, horn: &Horn, pred: PredId) -> Vec<Round> {
    let small: Vec<bool> = horn.clauses.iter().map(|c| store.dag_size(c.terms()) <= MOST_NODES).collect();
    let leads = |c: &Clause, from: PredId| c.body.len() == 1 && c.body[0].pred == from && c.head.is_some();
    let mut own = Vec::new();
    let mut away = Vec::new();
    for (n, c) in horn.clauses.iter().enumerate().filter(|(n, c)| small[*n] && leads(c, pred)) {
        match c.head.as_ref().map(|h| h.pred) {
            Some(to) if to == pred => own.push(n),
            // A loop is looked at from one of its predicates.
            Some(to) if to > pred => away.push((n, to)),
            _ => {}
        }
    }
    let state: Vec<Term> = horn.pred(pred).params.iter().map(|&p| fresh_like(store, p)).collect();
    let mut out = Vec::new();
    for &n in &own {
        let Some(round) = step(store, horn, n, &state) else { continue };
        let ways = ways(store, round);
        let whole = (ways.len() == 1).then_some(n);
        out.extend(ways.into_iter().map(|way| Round { whole, ..way }));
    }
    if out.len() <= MOST_IN_TURNS {
        let ways = out.clone();
        for (i, first) in ways.iter().enumerate() {
            for (j, second) in ways.iter().enumerate() {
                // The same way twice is for what changes its sign, where it cannot be repeated as it is.
                if i != j || accelerations(store, &first.body).is_empty() {
                    out.push(in_turns(store, first, second));
                }
            }
        }
    }
    let small = &small;
    let back = |(n, to): (usize, PredId)| {
        let leads_back = move |c: &Clause| leads(c, to) && c.head.as_ref().is_some_and(|h| h.pred == pred);
        (0..horn.clauses.len())
            .filter(move |&m| small[m] && leads_back(&horn.clauses[m]))
            .map(move |m| (n, m))
    };
    let pairs: Vec<(usize, usize)> = away.into_iter().flat_map(back).take(MOST_PAIRS).collect();
    for (n, m) in pairs {
        let Some(there) = step(store, horn, n, &state) else { continue };
        let between = there.body.next.clone();
        let Some(round) = step(store, horn, m, &between) else { continue };
        let guard = store.and(&[there.body.guard, round.body.guard]);
        let body = Body { state: state.clone(), guard, ..round.body };
        let parts = [there.parts, round.parts].concat();
        out.extend(ways(store, Round { body, parts, defined: Vec::new(), whole: None }));
    }
    out
}

/// What a clause does with a state; nothing if its body is not made of distinct constants.
fn step(store: &mut Store, horn: &Horn, n: usize, state: &[Term]) -> Option<Round> {
    let clause = &horn.clauses[n];
    let mut rename = Substitution::new();
    let mut bound = FxHashSet::default();
    for (&arg, &v) in clause.body[0].args.iter().zip(state) {
        if store.as_var(arg).is_none() || !bound.insert(arg) {
            return None;
        }
        rename.insert(arg, v);
    }
    let mut choices = Vec::new();
    for v in clause.variables(store) {
        if !bound.contains(&v) {
            let fresh = fresh_like(store, v);
            rename.insert(v, fresh);
            choices.push((v, fresh));
        }
    }
    let next = clause.head.iter().flat_map(|h| &h.args).map(|&t| rename.apply(store, t)).collect();
    let body = Body { state: state.to_vec(), guard: rename.apply(store, clause.constraint), next };
    Some(Round { body, parts: vec![Part { clause: n, choices }], defined: Vec::new(), whole: None })
}

/// The ways through a round.
fn ways(store: &mut Store, round: Round) -> Vec<Round> {
    let found = paths(store, round.body);
    let way = |path: Path| Round {
        body: path.body,
        parts: round.parts.clone(),
        defined: path.defined,
        whole: None,
    };
    found.into_iter().map(way).collect()
}

/// One round and then another one, as one.
fn in_turns(store: &mut Store, first: &Round, second: &Round) -> Round {
    let mut rename = Substitution::new();
    let mut parts = first.parts.clone();
    for part in &second.parts {
        let mut part = part.clone();
        for (_, choice) in &mut part.choices {
            let fresh = fresh_like(store, *choice);
            rename.insert(*choice, fresh);
            *choice = fresh;
        }
        parts.push(part);
    }
    let mut apply = |store: &mut Store, t: Term| rename.apply(store, t);
    let next = second.body.next.iter().map(|&t| apply(store, t)).collect();
    let renamed = Body { state: second.body.state.clone(), guard: apply(store, second.body.guard), next };
    let mut after = Substitution::new();
    first.body.state.iter().zip(&first.body.next).for_each(|(&v, &t)| after.insert(v, t));
    let mut defined = first.defined.clone();
    for &(v, t) in &second.defined {
        let (v, t) = (apply(store, v), apply(store, t));
        defined.push((v, after.apply(store, t)));
    }
    Round { body: first.body.then(store, &renamed), parts, defined, whole: None }
}

impl Accelerated {
    /// The derivation in which accelerations are rounds again.
    pub(in crate::horn) fn derivation(&self, store: &Store, d: Derivation) -> Option<Derivation> {
        let mut out = Derivation::default();
        let mut place: Vec<usize> = Vec::with_capacity(d.steps.len());
        for step in d.steps {
            let premises = step.premises.iter().map(|&p| place[p]).collect();
            match self.origins.get(step.clause)? {
                &Origin::Clause(clause) => out.steps.push(DerivationStep { clause, premises, ..step }),
                Origin::Acceleration { round, rounds } => {
                    let premise = place[*step.premises.first()?];
                    self.unrolled(store, round, *rounds, &step.values, premise, &mut out)?;
                }
            }
            place.push(out.steps.len() - 1);
        }
        Some(out)
    }

    /// Adds the rounds of an acceleration behind a premise.
    fn unrolled(
        &self,
        store: &Store,
        round: &Round,
        rounds: Term,
        values: &Model,
        premise: usize,
        out: &mut Derivation,
    ) -> Option<()> {
        let mut evaluator = Evaluator::new(store, values);
        let rounds = evaluator.eval(rounds).ok()?.as_num()?.to_i64().and_then(|n| u64::try_from(n).ok())?;
        let listed = if rounds > MOST_LISTED { LISTED } else { rounds };
        let mut state: Vec<Value> =
            round.body.state.iter().map(|&v| evaluator.eval(v).ok()).collect::<Option<_>>()?;
        let mut premise = premise;
        for _ in 0..listed {
            let mut known = values.clone();
            for (&v, value) in round.body.state.iter().zip(&state) {
                known.set(store.as_var(v)?, value.clone());
            }
            for &(v, t) in round.defined.iter().rev() {
                let value = Evaluator::new(store, &known).eval(t).ok()?;
                known.set(store.as_var(v)?, value);
            }
            for part in &round.parts {
                let clause = self.old.clauses.get(part.clause)?;
                let mut own = Model::new();
                for (&arg, value) in clause.body[0].args.iter().zip(&state) {
                    own.set(store.as_var(arg)?, value.clone());
                }
                let mut evaluator = Evaluator::new(store, &known);
                for &(v, choice) in &part.choices {
                    own.set(store.as_var(v)?, evaluator.eval(choice).ok()?);
                }
                state = ground(store, clause.head.as_ref(), &own)?;
                out.steps.push(DerivationStep { clause: part.clause, values: own, premises: vec![premise] });
                premise = out.steps.len() - 1;
            }
        }
        if rounds > listed {
            out.repetitions.push(Repetition {
                last: premise,
                period: round.parts.len(),
                times: rounds - listed,
            });
        }
        Some(())
    }
}
