//! Merges parallel rules: clauses with the same head and the same body predicates become one, whose constraint is the
//! disjunction of theirs.
//!
//! The merged clause has the body of the first of them. Where the heads differ in an argument, the head gets a constant of its
//! own that every disjunct defines. Interpretations need no translation: the merged clause says the same as all of
//! its parts together. In a derivation some disjunct holds, which tells the clause that the step was.

use crate::horn::back::BackMap;
use crate::horn::system::fresh_like;
use crate::horn::{Atom, Clause, Derivation, Horn, PredId};
use bolide_base::{Budget, Interrupt};
use bolide_term::{Evaluator, Model, Store, Substitution, Term};
use rustc_hash::FxHashMap;

/// A clause inside a merged one.
#[derive(Clone, Debug)]
struct Part {
    clause: usize,
    /// What it says, over the constants of the merged clause.
    constraint: Term,
    /// Its constants, and what stands for them in the merged clause.
    values: Vec<(Term, Term)>,
}

/// What [`merge`] did.
#[derive(Clone, Debug)]
pub struct Merged {
    /// For each new clause the old ones.
    parts: Vec<Vec<Part>>,
}

/// Merges parallel rules; also tells whether there were any. The arguments of bodies must be distinct constants, as
/// [`simplify`](super::simplify) makes them.
pub fn merge(store: &mut Store, horn: &Horn, budget: &Budget) -> Result<(Horn, BackMap, bool), Interrupt> {
    let groups = parallel(horn);
    let changed = groups.len() < horn.clauses.len();
    let mut clauses = Vec::with_capacity(groups.len());
    let mut parts = Vec::with_capacity(groups.len());
    for group in &groups {
        budget.check()?;
        let (clause, of) = join(store, horn, group);
        clauses.push(clause);
        parts.push(of);
    }
    let merged = Horn { preds: horn.preds.clone(), clauses };
    Ok((merged, BackMap::Merged(Merged { parts }), changed))
}

/// The clauses by the predicates of head and body, in the order of the first of each group.
fn parallel(horn: &Horn) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut known: FxHashMap<(Option<PredId>, Vec<PredId>), usize> = FxHashMap::default();
    for (n, c) in horn.clauses.iter().enumerate() {
        let key = (c.head.as_ref().map(|h| h.pred), c.body.iter().map(|a| a.pred).collect());
        let at = *known.entry(key).or_insert(groups.len());
        if at == groups.len() {
            groups.push(Vec::new());
        }
        groups[at].push(n);
    }
    groups
}

/// One clause for a group, and its parts.
fn join(store: &mut Store, horn: &Horn, group: &[usize]) -> (Clause, Vec<Part>) {
    let first = &horn.clauses[group[0]];
    if group.len() == 1 {
        let values = first.variables(store).into_iter().map(|v| (v, v)).collect();
        return (first.clone(), vec![Part { clause: group[0], constraint: first.constraint, values }]);
    }
    // All parts over the constants of the first body, with other constants of their own.
    let mut renamed: Vec<(Clause, Vec<(Term, Term)>)> = Vec::with_capacity(group.len());
    for &n in group {
        renamed.push(over_body(store, &horn.clauses[n], &first.body));
    }
    let head = first.head.as_ref().map(|h| Atom { pred: h.pred, args: common_head(store, &renamed) });
    let mut parts = Vec::with_capacity(group.len());
    for (&n, (clause, values)) in group.iter().zip(renamed) {
        let mut says = vec![clause.constraint];
        let own = clause.head.iter().flat_map(|h| &h.args);
        for (&arg, &common) in own.zip(head.iter().flat_map(|h| &h.args)) {
            says.push(store.eq(common, arg));
        }
        parts.push(Part { clause: n, constraint: store.and(&says), values });
    }
    let cases: Vec<Term> = parts.iter().map(|p| p.constraint).collect();
    let constraint = store.or(&cases);
    (Clause { head, body: first.body.clone(), constraint, span: first.span }, parts)
}

/// A clause with the arguments of another body, and what became of its constants.
fn over_body(store: &mut Store, clause: &Clause, body: &[Atom]) -> (Clause, Vec<(Term, Term)>) {
    let mut shared: FxHashMap<Term, Term> = FxHashMap::default();
    for (own, other) in clause.body.iter().zip(body) {
        shared.extend(own.args.iter().copied().zip(other.args.iter().copied()));
    }
    let mut rename = Substitution::new();
    let mut values = Vec::new();
    for v in clause.variables(store) {
        let new = shared.get(&v).copied().unwrap_or_else(|| fresh_like(store, v));
        rename.insert(v, new);
        values.push((v, new));
    }
    (clause.map(|t| rename.apply(store, t)), values)
}

/// The arguments that all heads have in common, and constants for the others.
fn common_head(store: &mut Store, clauses: &[(Clause, Vec<(Term, Term)>)]) -> Vec<Term> {
    let args: Vec<&[Term]> = clauses.iter().filter_map(|c| c.0.head.as_ref().map(|h| &h.args[..])).collect();
    let Some(&first) = args.first() else { return Vec::new() };
    let mut out = Vec::with_capacity(first.len());
    for (n, &arg) in first.iter().enumerate() {
        if args.iter().all(|a| a[n] == arg) {
            out.push(arg);
        } else {
            let sort = store.sort_of(arg);
            out.push(store.fresh_var("head", sort));
        }
    }
    out
}

impl Merged {
    /// Each step becomes one of the first old clause whose constraint holds.
    pub(in crate::horn) fn derivation(&self, store: &Store, mut d: Derivation) -> Option<Derivation> {
        for step in &mut d.steps {
            let mut evaluator = Evaluator::new(store, &step.values);
            let parts = self.parts.get(step.clause)?;
            let part = parts.iter().find(|p| evaluator.holds(p.constraint) == Ok(true))?;
            let mut values = Model::new();
            for &(old, new) in &part.values {
                values.set(store.as_var(old)?, evaluator.eval(new).ok()?);
            }
            step.clause = part.clause;
            step.values = values;
        }
        Some(d)
    }
}
