//! Abstract images: the strongest thing that the predicates can say after an edge.
//!
//! *Cartesian* abstraction (Ball, Podelski, Rajamani, TACAS 2001) keeps the predicates that hold for certain and those
//! that certainly do not. *Boolean* abstraction (Graf, Saïdi, CAV 1997) is the strongest Boolean combination of them:
//! after the certain ones all combinations of the others are enumerated, model by model, and written as a decision
//! diagram in the order of the predicates, so that equal images are equal terms.

use super::super::art::Label;
use super::super::path::{Ranges, conjuncts};
use super::predicates::Predicate;
use bolide_base::Budget;
use bolide_model::{EdgeId, Program};
use bolide_smt::{Answer, Solver};
use bolide_term::{Evaluator, Model, Store, Substitution, Term};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What the abstraction of a set of states looks like.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Abstraction {
    /// Any Boolean combination of predicates.
    #[default]
    Boolean,
    /// A conjunction of predicates and negated predicates.
    Cartesian,
}

/// An image that is the union of more combinations than this is approximated by the certain predicates.
const MAX_CUBES: usize = 128;

/// Computes abstract images, and remembers them.
pub struct Images<'p> {
    program: &'p Program,
    ranges: Ranges,
    abstraction: Abstraction,
    memo: FxHashMap<(Label, EdgeId, usize), Label>,
    /// What the edges do to formulas, as weakest preconditions.
    effects: FxHashMap<EdgeId, Substitution>,
    /// Images that were computed.
    pub computed: u64,
    /// Images that were remembered.
    pub remembered: u64,
    /// Combinations of predicates that were enumerated.
    pub cubes: u64,
    /// Queries to the solver.
    pub queries: u64,
    /// Time for all of this.
    pub time: Duration,
}

/// A predicate before an edge, as the question about the state after it.
struct Tracked {
    /// The predicate.
    predicate: Predicate,
    /// Its weakest precondition.
    before: Term,
    /// Its value in the states of the image; of what is no atom only `Always(true)` matters.
    value: Value,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Value {
    /// The same in all states seen so far.
    Perhaps(bool),
    /// The same in all states.
    Always(bool),
    /// Both occur.
    Both,
}

impl<'p> Images<'p> {
    /// Images in a program.
    pub fn new(program: &'p Program, ranges: Ranges, abstraction: Abstraction) -> Images<'p> {
        Images {
            program,
            ranges,
            abstraction,
            memo: FxHashMap::default(),
            effects: FxHashMap::default(),
            computed: 0,
            remembered: 0,
            cubes: 0,
            queries: 0,
            time: Duration::ZERO,
        }
    }

    /// Forgets the images: the predicates will be other ones.
    pub fn forget(&mut self) {
        self.memo.clear();
    }

    /// The image of a label along an edge in terms of some predicates: those of the edge's target, of which there are
    /// only ever more.
    pub fn image(
        &mut self,
        store: &mut Store,
        label: &Label,
        edge: EdgeId,
        predicates: &[Predicate],
        budget: &Budget,
    ) -> Label {
        let key = (label.clone(), edge, predicates.len());
        if let Some(known) = self.memo.get(&key) {
            self.remembered += 1;
            return known.clone();
        }
        let clock = Instant::now();
        self.computed += 1;
        let image = self.compute(store, label, edge, predicates, budget);
        self.time += clock.elapsed();
        if !budget.exhausted() {
            self.memo.insert(key, image.clone());
        }
        image
    }

    fn compute(
        &mut self,
        store: &mut Store,
        label: &Label,
        edge: EdgeId,
        predicates: &[Predicate],
        budget: &Budget,
    ) -> Label {
        let step = self.program.main().edges[edge].step().expect("calls have been inlined");
        let mut query = label.clone();
        query.push(step.guard);
        let mut tracked = self.before(store, edge, predicates);
        let mut formulas = query.clone();
        formulas.extend(tracked.iter().map(|t| t.before));
        query.extend(self.ranges.of(store, &formulas));
        let mut solver = Solver::default();
        query.iter().for_each(|&t| solver.assert(t));
        self.queries += 1;
        let answer = solver.check(store, budget);
        match (answer, solver.model()) {
            (Answer::Unsat, _) => return vec![store.fls()],
            (Answer::Sat, Some(model)) => observe(store, model, &mut tracked, true),
            _ => return Label::new(),
        }
        let (mut atoms, mut others): (Vec<Tracked>, Vec<Tracked>) =
            tracked.into_iter().partition(|t| t.predicate.is_atom);
        self.settle(store, &mut solver, &mut atoms, budget);
        let combinations = match self.abstraction {
            Abstraction::Cartesian => None,
            Abstraction::Boolean => self.combine(store, &mut solver, &atoms, budget),
        };
        if combinations.is_none() {
            self.settle(store, &mut solver, &mut others, budget);
        }
        let mut image = combinations.map_or(Label::new(), |c| conjuncts(store, c));
        for t in atoms.iter().chain(&others) {
            match t.value {
                Value::Always(true) => image.push(t.predicate.formula),
                Value::Always(false) => image.push(store.not(t.predicate.formula)),
                Value::Perhaps(_) | Value::Both => {}
            }
        }
        image.sort_unstable();
        image.dedup();
        image
    }

    /// The strongest combination of those atoms that have no certain value, unless that would be too large.
    fn combine(
        &mut self,
        store: &mut Store,
        solver: &mut Solver,
        atoms: &[Tracked],
        budget: &Budget,
    ) -> Option<Term> {
        let open: Vec<&Tracked> = atoms.iter().filter(|t| t.value == Value::Both).collect();
        if open.len() < 2 {
            return Some(store.tru());
        }
        solver.push();
        let cubes = self.enumerate(store, solver, &open, budget);
        solver.pop(1);
        let formulas: Vec<Term> = open.iter().map(|t| t.predicate.formula).collect();
        cubes.map(|cubes| diagram(store, &formulas, cubes))
    }

    /// The predicates before the edge.
    fn before(&mut self, store: &mut Store, edge: EdgeId, predicates: &[Predicate]) -> Vec<Tracked> {
        let program = self.program;
        let effect = self.effects.entry(edge).or_insert_with(|| {
            let mut effect = Substitution::new();
            for &(v, t) in program.main().edges[edge].step().map_or(&[][..], |s| &s.assigns) {
                effect.insert(program.vars[v].term, t);
            }
            effect
        });
        let value = Value::Perhaps(true);
        let tracked = |&predicate: &Predicate| {
            let before = effect.apply(store, predicate.formula);
            Tracked { predicate, before, value }
        };
        predicates.iter().map(tracked).collect()
    }

    /// Finds out which predicates have the same value in all states: asks for a state in which one has another value
    /// than so far, until there is none.
    fn settle(&mut self, store: &mut Store, solver: &mut Solver, tracked: &mut [Tracked], budget: &Budget) {
        loop {
            let mut other = Vec::new();
            for t in tracked.iter() {
                if let Value::Perhaps(value) = t.value {
                    other.push(if value { store.not(t.before) } else { t.before });
                }
            }
            if other.is_empty() {
                return;
            }
            let some = store.or(&other);
            self.queries += 1;
            let answer = solver.check_assuming(store, &[some], budget);
            let verdict = match (answer, solver.model()) {
                (Answer::Sat, Some(model)) => {
                    observe(store, model, tracked, false);
                    continue;
                }
                (Answer::Unsat, _) => |value| Value::Always(value),
                _ => |_| Value::Both,
            };
            for t in tracked.iter_mut() {
                if let Value::Perhaps(value) = t.value {
                    t.value = verdict(value);
                }
            }
        }
    }

    /// All combinations of the values of some predicates, or nothing if there are too many or one cannot tell.
    fn enumerate(
        &mut self,
        store: &mut Store,
        solver: &mut Solver,
        open: &[&Tracked],
        budget: &Budget,
    ) -> Option<Vec<Vec<bool>>> {
        let mut cubes = Vec::new();
        while cubes.len() <= MAX_CUBES {
            self.queries += 1;
            match solver.check(store, budget) {
                Answer::Unsat => return Some(cubes),
                Answer::Unknown(_) => return None,
                Answer::Sat => {}
            }
            let model = solver.model()?;
            let mut evaluator = Evaluator::new(store, model);
            let cube: Option<Vec<bool>> = open.iter().map(|t| evaluator.holds(t.before).ok()).collect();
            let cube = cube?;
            let mut other = Vec::with_capacity(cube.len());
            for (t, &value) in open.iter().zip(&cube) {
                other.push(if value { store.not(t.before) } else { t.before });
            }
            solver.assert(store.or(&other));
            self.cubes += 1;
            cubes.push(cube);
        }
        None
    }
}

/// Notes the values of predicates in a state.
fn observe(store: &Store, model: &Model, tracked: &mut [Tracked], is_first: bool) {
    let mut evaluator = Evaluator::new(store, model);
    for t in tracked {
        let here = evaluator.holds(t.before);
        t.value = match (t.value, here) {
            // Of what is no atom only the truth matters.
            (Value::Perhaps(_), Ok(here)) if is_first && (here || t.predicate.is_atom) => {
                Value::Perhaps(here)
            }
            (Value::Perhaps(value), Ok(here)) if !is_first && value == here => Value::Perhaps(value),
            (Value::Perhaps(_), _) => Value::Both,
            (value, _) => value,
        };
    }
}

/// The disjunction of combinations as a reduced decision diagram in the order of the atoms.
fn diagram(store: &mut Store, atoms: &[Term], cubes: Vec<Vec<bool>>) -> Term {
    let (no, yes) = (store.fls(), store.tru());
    let mut level: BTreeMap<Vec<bool>, Term> = cubes.into_iter().map(|c| (c, yes)).collect();
    for &atom in atoms.iter().rev() {
        let mut branches: BTreeMap<Vec<bool>, [Term; 2]> = BTreeMap::new();
        for (mut path, below) in level {
            let side = path.pop().unwrap_or(false);
            branches.entry(path).or_insert([no, no])[usize::from(side)] = below;
        }
        level = BTreeMap::new();
        for (path, [low, high]) in branches {
            level.insert(path, store.ite(atom, high, low));
        }
    }
    level.into_values().next().unwrap_or(no)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_term::Sort;

    #[test]
    fn diagrams_are_canonical() {
        let mut s = Store::new();
        let (a, b) = (s.var("a", Sort::BOOL), s.var("b", Sort::BOOL));
        let all = vec![vec![true, true], vec![false, true], vec![true, false], vec![false, false]];
        assert_eq!(diagram(&mut s, &[a, b], all), s.tru());
        assert_eq!(diagram(&mut s, &[a, b], Vec::new()), s.fls());
        let only_b = vec![vec![true, true], vec![false, true]];
        assert_eq!(diagram(&mut s, &[a, b], only_b), b);
        let either = vec![vec![true, false], vec![false, true], vec![true, true]];
        assert_eq!(diagram(&mut s, &[a, b], either), s.or(&[a, b]));
    }
}
