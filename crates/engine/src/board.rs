//! Proved facts that engines on one task, or on forms of it with the same locations, pass to each other.
//!
//! What one engine has proved to be inductive, another one may assume: a lemma that needs no bound on the number of steps becomes a part of
//! the labels of an unwinding, and a bound on a variable a lemma of all frames (for circuits: Bradley, *SAT-Based Model Checking without
//! Unrolling*, VMCAI 2011, section 5; Chockler et al., *Incremental Formal Verification of Hardware*, FMCAD 2011).
//!
//! **Nobody believes the board.** Whoever reads keeps those facts that are inductive, together with what it knows already, in the form on which
//! it works itself, and they become a part of its evidence. So a wrong fact costs time, never a verdict, and a proof is complete without
//! the engine that had the idea. Facts are read in the order in which they were posted, and engines that take turns read and post at
//! places that their own effort decides: with one job that is always the same.

use bolide_model::horn::Counterpart;
use bolide_term::{Mark, Portable, Store, Substitution, Term};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// Larger facts are not posted.
const MAX_SIZE: usize = 60;
/// No more facts than this are posted.
const MAX_FACTS: usize = 2_000;

/// A fact about a place: a location or a predicate.
struct Posted {
    author: usize,
    place: usize,
    fact: Portable,
}

/// The facts about one form of a task.
pub struct Board {
    /// What the stores of all that read and post have in common.
    common: Mark,
    posted: Mutex<Vec<Posted>>,
    seats: AtomicUsize,
}

impl Board {
    /// Without facts, for engines whose stores are copies of one that had come so far.
    pub fn new(common: Mark) -> Arc<Board> {
        Arc::new(Board { common, posted: Mutex::new(Vec::new()), seats: AtomicUsize::new(0) })
    }

    fn posted(&self) -> MutexGuard<'_, Vec<Posted>> {
        self.posted.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// A place as it is called by somebody who has other constants for the values there.
struct Renamed {
    place: usize,
    /// The constants of the board with those of one's own.
    constants: Vec<(Term, Term)>,
}

/// One of those who read and post.
#[derive(Clone)]
pub struct Seat {
    board: Arc<Board>,
    author: usize,
    names: Option<Arc<Vec<Option<Renamed>>>>,
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seat {}", self.author)
    }
}

impl Seat {
    /// A seat of its own, from which nobody reads what was posted there.
    pub fn new(board: &Arc<Board>) -> Seat {
        let author = board.seats.fetch_add(1, Ordering::Relaxed);
        Seat { board: board.clone(), author, names: None }
    }

    /// The same seat for somebody with other places: for each of them the place of the board, with the constants there and those of one's
    /// own, if it has one.
    pub fn renamed(&self, names: impl Iterator<Item = Counterpart<usize>>) -> Seat {
        let names = names.map(|n| n.map(|(place, constants)| Renamed { place, constants })).collect();
        Seat { names: Some(Arc::new(names)), ..self.clone() }
    }

    /// Posts facts that are inductive together. Says how many are news.
    pub fn post(&self, store: &mut Store, facts: &[(usize, Term)]) -> u64 {
        let mut news = 0;
        for &(place, fact) in facts {
            let Some((place, fact)) = self.outwards(store, place, fact) else { continue };
            let Some(fact) = store.export(self.board.common, fact) else { continue };
            let mut posted = self.board.posted();
            let is_known = |p: &Posted| p.place == place && p.fact == fact;
            if fact.size() <= MAX_SIZE && posted.len() < MAX_FACTS && !posted.iter().any(is_known) {
                posted.push(Posted { author: self.author, place, fact });
                news += 1;
            }
        }
        news
    }

    /// The facts that others have posted since the last time.
    pub fn read(&self, store: &mut Store, seen: &mut usize) -> Vec<(usize, Term)> {
        let new: Vec<(usize, Portable)> = {
            let posted = self.board.posted();
            let new = posted[(*seen).min(posted.len())..].iter().filter(|p| p.author != self.author);
            let new = new.map(|p| (p.place, p.fact.clone())).collect();
            *seen = posted.len();
            new
        };
        let mut out = Vec::new();
        for (place, fact) in new {
            let fact = store.import(&fact);
            out.extend(self.inwards(store, place, fact));
        }
        out
    }

    fn outwards(&self, store: &mut Store, place: usize, fact: Term) -> Option<(usize, Term)> {
        let Some(names) = &self.names else { return Some((place, fact)) };
        let renamed = names.get(place)?.as_ref()?;
        let mut subst = Substitution::new();
        renamed.constants.iter().for_each(|&(common, own)| subst.insert(own, common));
        Some((renamed.place, subst.apply(store, fact)))
    }

    /// Several places of one's own may be one place of the board.
    fn inwards(&self, store: &mut Store, place: usize, fact: Term) -> Vec<(usize, Term)> {
        let Some(names) = &self.names else { return vec![(place, fact)] };
        let mut out = Vec::new();
        for (own, renamed) in names.iter().enumerate() {
            let Some(renamed) = renamed.as_ref().filter(|r| r.place == place) else { continue };
            let mut subst = Substitution::new();
            renamed.constants.iter().for_each(|&(common, own)| subst.insert(common, own));
            out.push((own, subst.apply(store, fact)));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_read_what_was_posted_in_order_and_once() {
        let mut store = Store::new();
        let int = store.int_sort();
        let x = store.var("x", int);
        let board = Board::new(store.mark());
        let (mut a, mut b) = (store.clone(), store);
        let (first, second) = (Seat::new(&board), Seat::new(&board));
        let bound = |s: &mut Store, k: i64| {
            let k = s.int(k);
            s.le(x, k)
        };
        let facts = [(3, bound(&mut a, 9_000)), (1, bound(&mut a, 7_000))];
        assert_eq!(first.post(&mut a, &facts), 2);
        assert_eq!(first.post(&mut a, &facts), 0);
        let (mut seen, mut own) = (0, 0);
        let expected = [(3, bound(&mut b, 9_000)), (1, bound(&mut b, 7_000))];
        assert_eq!(second.read(&mut b, &mut seen), expected);
        assert!(second.read(&mut b, &mut seen).is_empty());
        assert!(first.read(&mut a, &mut own).is_empty());
    }

    #[test]
    fn constants_have_other_names_elsewhere() {
        let mut store = Store::new();
        let int = store.int_sort();
        let x = store.var("x", int);
        let board = Board::new(store.mark());
        let mut own = store.clone();
        let param = own.fresh_var("P.0", int);
        let seat = Seat::new(&board).renamed([None, Some((4, vec![(x, param)]))].into_iter());
        let five = own.int(5);
        let fact = own.le(param, five);
        assert_eq!(seat.post(&mut own, &[(1, fact), (0, fact)]), 1);
        let (mut seen, five) = (0, store.int(5));
        let there = store.le(x, five);
        assert_eq!(Seat::new(&board).read(&mut store, &mut seen), [(4, there)]);
        let third = Seat { author: 9, ..seat };
        assert_eq!(third.read(&mut own, &mut 0), [(1, fact)]);
    }
}
