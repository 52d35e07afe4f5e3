//! Convergence: covering of single vertices of the unwinding, as in lazy abstraction with interpolants (McMillan, CAV 2006).
//!
//! A vertex is an instance `P_i`. It is *covered* by an earlier instance `P_j` if its annotation implies the one of
//! that. A solution takes one instance of every predicate such that each body instance that a chosen instance was
//! derived from is chosen, is weaker than the one chosen, or covers it. Predicates need not converge at the same
//! bound.

use super::Annotator;
use crate::horn::frames::Stop;
use bolide_model::horn::Interpretation;
use bolide_term::Term;
use rustc_hash::FxHashMap;

impl Annotator<'_> {
    /// A solution from covered instances, if there is one. Instances are only ever replaced by earlier ones, so the choice ends at the
    /// latest possible instances.
    pub fn covering(&mut self) -> Result<Option<Interpretation>, Stop> {
        let bound = self.known.level;
        let mut chosen = vec![bound; self.known.preds.len()];
        let mut covers: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        let mut todo = vec![self.known.error()];
        let mut seen = vec![false; self.known.preds.len()];
        seen[self.known.error()] = true;
        while let Some(head) = todo.pop() {
            for rule in self.known.preds[head].rules.clone() {
                let body: Vec<usize> = self.known.rules[rule].premises.iter().map(|p| p.pred).collect();
                for pred in body {
                    let before = chosen[pred];
                    let Some(last) = self.latest(pred, before, chosen[head] - 1, &mut covers)? else {
                        return Ok(None);
                    };
                    chosen[pred] = last;
                    if last < before || !std::mem::replace(&mut seen[pred], true) {
                        todo.push(pred);
                    }
                }
            }
        }
        self.covers += covers.iter().filter(|((_, at), first)| first < &at).count() as u64;
        let formulas = (0..self.horn.preds.len()).map(|p| self.annotation_from(p, chosen[p])).collect();
        Ok(Some(Interpretation::new(formulas)))
    }

    /// The latest instance of a predicate, not after one, that is covered by an instance not after another.
    fn latest(
        &mut self,
        pred: usize,
        mut at: usize,
        target: usize,
        covers: &mut FxHashMap<(usize, usize), usize>,
    ) -> Result<Option<usize>, Stop> {
        while at > 0 {
            let first = match covers.get(&(pred, at)) {
                Some(&first) => first,
                None => self.earliest_cover(pred, at)?,
            };
            covers.insert((pred, at), first);
            if first <= target {
                return Ok(Some(at));
            }
            at = first.saturating_sub(1);
        }
        Ok(None)
    }

    /// The earliest instance that covers an instance.
    fn earliest_cover(&mut self, pred: usize, at: usize) -> Result<usize, Stop> {
        if self.known.blocked_by_lemmas(pred, &[], at)?.is_some() {
            return Ok(0);
        }
        let mut earlier: Vec<usize> = self.known.preds[pred].lemmas.clone();
        earlier.retain(|&n| self.known.lemmas[n].level < at);
        earlier.sort_by_key(|&n| std::cmp::Reverse(self.known.lemmas[n].level));
        for n in earlier {
            let (cube, level) = (self.known.lemmas[n].cube.clone(), self.known.lemmas[n].level);
            if self.known.blocked_by_lemmas(pred, &cube, at)?.is_none() {
                return Ok(level + 1);
            }
        }
        Ok(1)
    }

    /// The annotation of an instance.
    fn annotation_from(&mut self, pred: usize, at: usize) -> Term {
        let lemmas = self.known.preds[pred].lemmas.iter().map(|&n| &self.known.lemmas[n]);
        let formulas: Vec<Term> = lemmas.filter(|l| l.level >= at).map(|l| l.formula).collect();
        self.known.store.and(&formulas)
    }
}
