//! Removes predicates that no facts can reach, and predicates from which no query can be reached.

use crate::horn::back::BackMap;
use crate::horn::{Derivation, Horn, Interpretation, PredId};
use bolide_term::Store;

/// What [`prune`] removed.
#[derive(Clone, Debug)]
pub struct Pruned {
    /// For each clause that is left its old position.
    kept: Vec<usize>,
    /// Predicates that cannot be derived: false everywhere.
    empty: Vec<PredId>,
    /// Other predicates that no query needs: true everywhere.
    idle: Vec<PredId>,
}

/// Removes clauses that can take part in no derivation of a query.
pub fn prune(store: &Store, horn: &Horn) -> (Horn, BackMap) {
    let live = |n: &usize| horn.clauses[*n].constraint != store.fls();
    let derivable = derivable(horn, &live);
    let candidates: Vec<usize> = (0..horn.clauses.len())
        .filter(live)
        .filter(|&n| horn.clauses[n].body.iter().all(|a| derivable[a.pred.index()]))
        .collect();
    let needed = needed(horn, &candidates);
    let kept: Vec<usize> = candidates
        .into_iter()
        .filter(|&n| horn.clauses[n].head.as_ref().is_none_or(|h| needed[h.pred.index()]))
        .collect();
    let clauses = kept.iter().map(|&n| horn.clauses[n].clone()).collect();
    let empty = horn.pred_ids().filter(|p| !derivable[p.index()]).collect();
    let idle = horn.pred_ids().filter(|p| derivable[p.index()] && !needed[p.index()]).collect();
    (Horn { preds: horn.preds.clone(), clauses }, BackMap::Pruned(Pruned { kept, empty, idle }))
}

/// The predicates of which an instance may be derivable, constraints aside.
fn derivable(horn: &Horn, live: &dyn Fn(&usize) -> bool) -> Vec<bool> {
    let mut out = vec![false; horn.preds.len()];
    let uses = horn.uses();
    let mut missing: Vec<usize> = horn.clauses.iter().map(|c| c.body.len()).collect();
    let mut ready: Vec<usize> = (0..horn.clauses.len()).filter(|&n| missing[n] == 0).collect();
    while let Some(n) = ready.pop() {
        let Some(h) = horn.clauses[n].head.as_ref().filter(|_| live(&n)) else { continue };
        if !std::mem::replace(&mut out[h.pred.index()], true) {
            for &u in &uses[h.pred.index()] {
                missing[u] -= 1;
                if missing[u] == 0 {
                    ready.push(u);
                }
            }
        }
    }
    out
}

/// The predicates that a query needs.
fn needed(horn: &Horn, clauses: &[usize]) -> Vec<bool> {
    let mut out = vec![false; horn.preds.len()];
    let mut definitions = vec![Vec::new(); horn.preds.len()];
    let mut todo = Vec::new();
    for &n in clauses {
        match &horn.clauses[n].head {
            Some(h) => definitions[h.pred.index()].push(n),
            None => todo.push(n),
        }
    }
    while let Some(n) = todo.pop() {
        for a in &horn.clauses[n].body {
            if !std::mem::replace(&mut out[a.pred.index()], true) {
                todo.extend(&definitions[a.pred.index()]);
            }
        }
    }
    out
}

impl Pruned {
    pub(in crate::horn) fn interpretation(&self, store: &Store, mut i: Interpretation) -> Interpretation {
        for p in &self.empty {
            i.formulas[p.index()] = store.fls();
        }
        for p in &self.idle {
            i.formulas[p.index()] = store.tru();
        }
        i
    }

    pub(in crate::horn) fn derivation(&self, mut d: Derivation) -> Derivation {
        for step in &mut d.steps {
            step.clause = self.kept[step.clause];
        }
        d
    }
}
