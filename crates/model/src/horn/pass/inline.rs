//! Replaces predicates by their definitions where that does not make the system much larger.
//!
//! A predicate that disappears is interpreted again by interpolation: between a definition and a use of it lies a
//! formula over its parameters. With several uses, and several occurrences in one use, the formulas are found one
//! after another (an occurrence whose formula is known is replaced by it, the others by the definition), and their
//! conjunction serves all.

use crate::horn::back::{BackMap, Separate};
use crate::horn::{Atom, Clause, Derivation, DerivationStep, Horn, Interpretation, PredId};
use crate::repetition::Repetition;
use bolide_base::{Budget, Interrupt};
use bolide_term::{Evaluator, Model, Store, Substitution, Term};
use rustc_hash::FxHashSet;

/// A predicate is not inlined if that adds more subterms than this.
const GROWTH: usize = 600;
/// No clause gets more body atoms than this.
const MAX_BODY: usize = 12;

/// The body of an instance of an old clause.
#[derive(Copy, Clone, Debug)]
enum Premise {
    /// This atom of the new body.
    Body(usize),
    /// The head of this instance.
    Instance(usize),
}

/// An old clause inside a new one.
#[derive(Clone, Debug)]
struct Instance {
    clause: usize,
    /// Constants of the old clause as terms of the new one.
    values: Vec<(Term, Term)>,
    premises: Vec<Premise>,
}

/// A clause and the old ones it is made of; the first instance has its head.
#[derive(Clone, Debug)]
struct Composite {
    clause: Clause,
    instances: Vec<Instance>,
}

/// A predicate that was replaced.
#[derive(Clone, Debug)]
struct Replaced {
    pred: PredId,
    definitions: Vec<Clause>,
    uses: Vec<Clause>,
}

/// What [`inline`] did.
#[derive(Clone, Debug)]
pub struct Inlined {
    /// In the order of their replacement.
    replaced: Vec<Replaced>,
    /// The instances of each new clause.
    origins: Vec<Vec<Instance>>,
    /// The predicates, for their parameters.
    frame: Horn,
}

/// Inlines predicates; also tells whether there were any. The arguments of bodies must be distinct constants.
pub fn inline(store: &mut Store, horn: &Horn, budget: &Budget) -> Result<(Horn, BackMap, bool), Interrupt> {
    let mut live: Vec<Option<Composite>> = Vec::with_capacity(horn.clauses.len());
    for (n, c) in horn.clauses.iter().enumerate() {
        let values = c.variables(store).into_iter().map(|v| (v, v)).collect();
        let premises = (0..c.body.len()).map(Premise::Body).collect();
        live.push(Some(Composite {
            clause: c.clone(),
            instances: vec![Instance { clause: n, values, premises }],
        }));
    }
    let frame = Horn { preds: horn.preds.clone(), clauses: Vec::new() };
    let mut replaced = Vec::new();
    for p in horn.pred_ids() {
        budget.check()?;
        let has_head = |c: &Clause| c.head.as_ref().is_some_and(|h| h.pred == p);
        let has_body = |c: &Clause| c.body.iter().any(|a| a.pred == p);
        let find = |live: &[Option<Composite>], f: &dyn Fn(&Clause) -> bool| -> Vec<usize> {
            (0..live.len()).filter(|&n| live[n].as_ref().is_some_and(|c| f(&c.clause))).collect()
        };
        let definitions = find(&live, &has_head);
        let uses = find(&live, &has_body);
        if !worthwhile(store, p, &live, &definitions, &uses) {
            continue;
        }
        let definitions: Vec<Composite> = definitions.iter().filter_map(|&n| live[n].take()).collect();
        let uses: Vec<Composite> = uses.iter().filter_map(|&n| live[n].take()).collect();
        replaced.push(Replaced {
            pred: p,
            definitions: definitions.iter().map(|c| c.clause.clone()).collect(),
            uses: uses.iter().map(|c| c.clause.clone()).collect(),
        });
        let mut todo = uses;
        todo.reverse();
        while let Some(user) = todo.pop() {
            match user.clause.body.iter().position(|a| a.pred == p) {
                None => live.push(Some(user)),
                Some(at) => todo.extend(definitions.iter().rev().map(|d| resolve(store, &user, at, d))),
            }
        }
    }
    let changed = !replaced.is_empty();
    let (clauses, origins) = live.into_iter().flatten().map(|c| (c.clause, c.instances)).unzip();
    let horn = Horn { preds: horn.preds.clone(), clauses };
    Ok((horn, BackMap::Inlined(Inlined { replaced, origins, frame }), changed))
}

/// Is it a good idea to replace a predicate?
fn worthwhile(store: &Store, p: PredId, live: &[Option<Composite>], defs: &[usize], uses: &[usize]) -> bool {
    let clause = |n: &usize| live[*n].as_ref().map(|c| &c.clause);
    let occurrences = |c: &Clause| c.body.iter().filter(|a| a.pred == p).count();
    let total: usize = uses.iter().filter_map(clause).map(occurrences).sum();
    if defs.is_empty() || total == 0 || defs.iter().filter_map(clause).any(|c| occurrences(c) > 0) {
        return false;
    }
    if defs.len() > 1 && (total > uses.len() || total > 1 && defs.len() * total > 4) {
        return false;
    }
    let longest = |ns: &[usize]| ns.iter().filter_map(clause).map(|c| c.body.len()).max().unwrap_or(0);
    let most = uses.iter().filter_map(clause).map(occurrences).max().unwrap_or(0);
    if longest(uses) + most * longest(defs) > MAX_BODY {
        return false;
    }
    let size =
        |ns: &[usize]| -> usize { ns.iter().filter_map(clause).map(|c| store.dag_size(c.terms())).sum() };
    let (copies_of_defs, copies_of_uses) = (total - 1, defs.len() - 1);
    copies_of_defs * size(defs) + copies_of_uses * size(uses) <= GROWTH
}

/// Replaces a body atom of one clause by the body of another.
fn resolve(store: &mut Store, user: &Composite, at: usize, definition: &Composite) -> Composite {
    let (renamed, pairs) = definition.clause.renamed(store);
    let mut rename = Substitution::new();
    for (old, new) in pairs {
        rename.insert(old, new);
    }
    let mut unify = Substitution::new();
    let head_args = renamed.head.as_ref().map_or(&[][..], |h| &h.args);
    for (&v, &t) in user.clause.body[at].args.iter().zip(head_args) {
        unify.insert(v, t);
    }
    let mut body: Vec<Atom> = user.clause.body.clone();
    body.splice(at..=at, renamed.body.iter().cloned());
    let constraint = unify.apply(store, user.clause.constraint);
    let constraint = store.and(&[constraint, renamed.constraint]);
    let head = user
        .clause
        .head
        .as_ref()
        .map(|h| Atom { pred: h.pred, args: h.args.iter().map(|&t| unify.apply(store, t)).collect() });
    let clause = Clause { head, body, constraint, span: user.clause.span };

    let offset = user.instances.len();
    let added = renamed.body.len();
    let mut instances = user.instances.clone();
    for instance in &mut instances {
        for (_, t) in &mut instance.values {
            *t = unify.apply(store, *t);
        }
        for premise in &mut instance.premises {
            match premise {
                Premise::Body(i) if *i == at => *premise = Premise::Instance(offset),
                Premise::Body(i) if *i > at => *i = *i + added - 1,
                _ => {}
            }
        }
    }
    for instance in &definition.instances {
        let values = instance.values.iter().map(|&(v, t)| (v, rename.apply(store, t))).collect();
        let premise = |p: &Premise| match *p {
            Premise::Body(i) => Premise::Body(i + at),
            Premise::Instance(i) => Premise::Instance(i + offset),
        };
        let premises = instance.premises.iter().map(premise).collect();
        instances.push(Instance { clause: instance.clause, values, premises });
    }
    Composite { clause, instances }
}

impl Inlined {
    pub(in crate::horn) fn interpretation(
        &self,
        store: &mut Store,
        separate: &mut Separate<'_>,
        mut i: Interpretation,
    ) -> Option<Interpretation> {
        for r in self.replaced.iter().rev() {
            let mut conjuncts = Vec::new();
            for u in &r.uses {
                conjuncts.extend(self.formulas_of_use(store, separate, &i, r, u)?);
            }
            i.formulas[r.pred.index()] = store.and(&conjuncts);
        }
        Some(i)
    }

    /// A formula for each occurrence of a replaced predicate in one use.
    fn formulas_of_use(
        &self,
        store: &mut Store,
        separate: &mut Separate<'_>,
        i: &Interpretation,
        r: &Replaced,
        user: &Clause,
    ) -> Option<Vec<Term>> {
        let params = &self.frame.pred(r.pred).params;
        let occurrences: Vec<&Atom> = user.body.iter().filter(|a| a.pred == r.pred).collect();
        let mut rest = vec![user.constraint];
        for a in user.body.iter().filter(|a| a.pred != r.pred) {
            rest.push(self.frame.instantiate(store, i.formulas[a.pred.index()], a));
        }
        if let Some(h) = &user.head {
            let f = self.frame.instantiate(store, i.formulas[h.pred.index()], h);
            rest.push(store.not(f));
        }
        let mut found: Vec<Term> = Vec::new();
        for (n, here) in occurrences.iter().enumerate() {
            let definition = self.definition(store, i, r);
            let mut other = rest.clone();
            for (&p, &a) in params.iter().zip(&here.args) {
                other.push(store.eq(p, a));
            }
            for (&f, atom) in found.iter().zip(&occurrences) {
                other.push(self.frame.instantiate(store, f, atom));
            }
            for atom in &occurrences[n + 1..] {
                let copy = self.definition(store, i, r);
                other.push(self.frame.instantiate(store, copy, atom));
            }
            let other = store.and(&other);
            found.push(separate(store, definition, other)?);
        }
        Some(found)
    }

    /// What the definitions of a predicate say about its parameters, with fresh constants.
    fn definition(&self, store: &mut Store, i: &Interpretation, r: &Replaced) -> Term {
        let params = &self.frame.pred(r.pred).params;
        let mut cases = Vec::new();
        for d in &r.definitions {
            let (d, _) = d.renamed(store);
            let mut parts = vec![d.constraint];
            for a in &d.body {
                parts.push(self.frame.instantiate(store, i.formulas[a.pred.index()], a));
            }
            // Arguments that are constants are called by the names of the parameters.
            let mut names = Substitution::new();
            let mut named = FxHashSet::default();
            for (&p, &a) in params.iter().zip(d.head.iter().flat_map(|h| &h.args)) {
                if store.as_var(a).is_some() && named.insert(a) {
                    names.insert(a, p);
                } else {
                    parts.push(store.eq(p, a));
                }
            }
            let case = store.and(&parts);
            cases.push(names.apply(store, case));
        }
        store.or(&cases)
    }

    pub(in crate::horn) fn derivation(&self, store: &Store, d: Derivation) -> Option<Derivation> {
        let mut out = Derivation::default();
        // For each step the position of its head's instance.
        let mut place: Vec<usize> = Vec::with_capacity(d.steps.len());
        for step in &d.steps {
            let instances = self.origins.get(step.clause)?;
            // Instances come after those that use them: the last one first.
            let mut at = vec![0; instances.len()];
            for (n, instance) in instances.iter().enumerate().rev() {
                let mut evaluator = Evaluator::new(store, &step.values);
                let mut values = Model::new();
                for &(v, t) in &instance.values {
                    values.set(store.as_var(v)?, evaluator.eval(t).ok()?);
                }
                let premise = |p: &Premise| match *p {
                    Premise::Body(i) => place[step.premises[i]],
                    Premise::Instance(i) => at[i],
                };
                let premises = instance.premises.iter().map(premise).collect();
                at[n] = out.steps.len();
                out.steps.push(DerivationStep { clause: instance.clause, values, premises });
            }
            place.push(at[0]);
        }
        for repetition in &d.repetitions {
            // A step becomes a row of steps that ends with the one for its head.
            let before = repetition.last.checked_sub(repetition.period)?;
            let (last, before) = (*place.get(repetition.last)?, place[before]);
            out.repetitions.push(Repetition { last, period: last - before, times: repetition.times });
        }
        Some(out)
    }
}
