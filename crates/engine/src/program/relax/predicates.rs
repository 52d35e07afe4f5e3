//! The predicates of an abstraction: which formulas are tracked where.

use bolide_base::IdVec;
use bolide_model::LocId;
use bolide_term::{Op, Sort, Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::path::conjuncts;

/// A formula over the program's variables that the abstraction tracks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// The formula; never a negation.
    pub formula: Term,
    /// Is it atomic? Of other ones, conjuncts of interpolants, only the truth is tracked.
    pub is_atom: bool,
}

/// The predicates of one location, in the order in which they were found.
#[derive(Clone, Debug, Default)]
struct Tracked {
    list: Vec<Predicate>,
    position: FxHashMap<Term, usize>,
}

impl Tracked {
    /// Adds a predicate unless it is there, and returns its position.
    fn add(&mut self, formula: Term, is_atom: bool) -> usize {
        *self.position.entry(formula).or_insert_with(|| {
            self.list.push(Predicate { formula, is_atom });
            self.list.len() - 1
        })
    }
}

/// Where a predicate that was found for a location is tracked.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// There only.
    #[default]
    Location,
    /// Everywhere.
    Program,
}

/// The predicates of all locations.
pub struct Predicates {
    scope: Scope,
    /// For each location; only the first is used if all share their predicates.
    at: IdVec<LocId, Tracked>,
    /// All atoms.
    distinct: FxHashSet<Term>,
}

impl Predicates {
    /// No predicates at so many locations.
    pub fn new(scope: Scope, locations: usize) -> Predicates {
        let at = (0..locations).map(|_| Tracked::default()).collect();
        Predicates { scope, at, distinct: FxHashSet::default() }
    }

    fn place(&self, location: LocId) -> LocId {
        match self.scope {
            Scope::Location => location,
            Scope::Program => LocId::new(0),
        }
    }

    /// The predicates of a location. They only become more: a prefix names what was known at some time.
    pub fn at(&self, location: LocId) -> &[Predicate] {
        &self.at[self.place(location)].list
    }

    /// The number of different atoms.
    pub fn len(&self) -> usize {
        self.distinct.len()
    }

    /// The largest number of predicates that one location has.
    pub fn most(&self) -> usize {
        self.at.iter().map(|t| t.list.len()).max().unwrap_or(0)
    }

    /// Adds what it takes to express a fact at a location: its atoms, if wanted, and its conjuncts. Returns how many of
    /// the location's predicates, from the first, contain all of these.
    pub fn add(&mut self, store: &Store, location: LocId, fact: Term, atoms: bool) -> usize {
        let place = self.place(location);
        let tracked = &mut self.at[place];
        let mut needed = 0;
        for conjunct in conjuncts(store, fact).into_iter().filter(|&c| c != store.fls()) {
            let (formula, positive) = store.literal(conjunct);
            let is_atom = is_atom(store, formula);
            if is_atom || atoms {
                for atom in atoms_of(store, formula) {
                    self.distinct.insert(atom);
                    needed = needed.max(tracked.add(atom, true) + 1);
                }
            }
            if !is_atom {
                // What is negated below the surface stays as it is written.
                let formula = if positive { formula } else { conjunct };
                needed = needed.max(tracked.add(formula, false) + 1);
            }
        }
        needed
    }
}

/// Is a formula without Boolean structure?
pub fn is_atom(store: &Store, t: Term) -> bool {
    match store.op(t) {
        Op::And | Op::Or | Op::Not | Op::Ite => false,
        Op::Eq => store.sort_of(store.arg(t, 0)) != Sort::BOOL,
        _ => true,
    }
}

/// The atoms of a formula, in the order of terms.
pub fn atoms_of(store: &Store, t: Term) -> Vec<Term> {
    let (mut atoms, mut stack, mut seen) = (Vec::new(), vec![t], FxHashSet::default());
    while let Some(t) = stack.pop() {
        if !seen.insert(t) {
            continue;
        }
        match store.op(t) {
            Op::True | Op::False => {}
            _ if is_atom(store, t) => atoms.push(t),
            _ => stack.extend(store.args(t)),
        }
    }
    atoms.sort_unstable();
    atoms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoms_come_with_the_conjuncts_they_occur_in() {
        let mut s = Store::new();
        let (x, y, zero) = (s.var("x", Sort::INT), s.var("y", Sort::INT), s.int(0));
        let (a, b, c) = (s.le(x, zero), s.eq(x, y), s.le(zero, y));
        let not_b = s.not(b);
        let clause = s.or(&[a, not_b]);
        let fact = s.and(&[clause, c]);
        let (l, m) = (LocId::new(0), LocId::new(1));
        let mut boolean = Predicates::new(Scope::Location, 2);
        assert_eq!(boolean.add(&s, m, fact, true), 4);
        assert_eq!(boolean.len(), 3);
        assert!(boolean.at(l).is_empty());
        let again = boolean.add(&s, m, c, true);
        // A lower bound is a negated upper bound.
        let (formula, _) = s.literal(c);
        assert_eq!(boolean.at(m)[again - 1], Predicate { formula, is_atom: true });
        let mut cartesian = Predicates::new(Scope::Program, 2);
        assert_eq!(cartesian.add(&s, m, fact, false), 2);
        assert_eq!(cartesian.at(l).len(), 2);
        assert_eq!(cartesian.add(&s, m, s.fls(), false), 0);
    }
}
