//! Facts that others have proved.

use super::Impact;
use crate::program::conjecture::keep_inductive;
use crate::program::path::conjuncts;
use bolide_base::Budget;
use bolide_model::LocId;
use bolide_term::Store;

/// The steps that may be spent on what of it is inductive here.
const STEPS: u64 = 8_000;
/// At most so many facts of others at one location.
const MAX_FACTS: usize = 40;

impl Impact<'_> {
    /// Assumes those facts of others that are inductive together with the ones that are assumed already: all labels of their locations have
    /// them from now on. So they are a part of the invariant in the end, and covers stay what they are. Says whether there are any.
    pub(super) fn adopt_facts(&mut self, store: &mut Store, budget: &Budget) -> bool {
        let Some(seat) = &self.config.board else { return false };
        let news = seat.read(store, &mut self.seen);
        if news.is_empty() {
            return false;
        }
        let procedure = self.program.main();
        let known = self.paths.all_facts().clone();
        let mut facts = known.clone();
        for (place, fact) in news {
            let location = LocId::new(place);
            if location == procedure.entry || self.is_harmless[location] {
                continue;
            }
            let room = (known[location].len() + MAX_FACTS).saturating_sub(facts[location].len());
            let mut new = conjuncts(store, fact);
            // Another form of the program may have other variables.
            new.retain(|&c| !facts[location].contains(&c) && self.paths.knows(store, c));
            new.truncate(room);
            facts[location].extend(new);
        }
        let limited = budget.clone().with_steps(STEPS);
        if !keep_inductive(store, self.program, &mut facts, self.paths.ranges(), &limited) {
            return false;
        }
        let mut is_news = false;
        for location in procedure.locations.ids() {
            let new: Vec<_> =
                facts[location].iter().copied().filter(|f| !known[location].contains(f)).collect();
            // What the solver could not show again is no less true than before.
            facts[location] = known[location].iter().copied().chain(new.iter().copied()).collect();
            if new.is_empty() {
                continue;
            }
            is_news = true;
            self.counters.adopted += new.len() as u64;
            for v in self.tree.at(location).to_vec() {
                if self.tree.is_unreachable(store, v) {
                    continue;
                }
                let label = &mut self.tree.node_mut(v).label;
                label.extend(&new);
                label.sort_unstable();
                label.dedup();
                if label.contains(&store.fls()) {
                    *label = vec![store.fls()];
                    self.prune(store, v, budget);
                }
            }
        }
        self.paths.assume(facts);
        is_news
    }
}
