//! Finds the arguments in which a transition system keeps its program counter, and the values that they can have.
//!
//! Candidates start with one constant, are given nothing but constants, and are compared with constants. The values that they can have together are enumerated
//! with a solver, one step after the other, whatever the other arguments are: an over-approximation, so that every fact
//! that can be derived is at one of the locations found.

use bolide_base::Budget;
use bolide_model::horn::pass::{LocationStep, Locations, Preparation, prepare_with};
use bolide_model::horn::{Clause, Horn};
use bolide_smt::{Answer, Solver};
use bolide_term::{Evaluator, Op, Sort, Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// At most so many locations.
const MAX_LOCATIONS: usize = 40;
/// At most so many steps between them, for each location.
const MAX_DEGREE: usize = 6;
/// A number has no more values than this in a program counter.
const MAX_VALUES: usize = 24;
/// So many numbers are tried.
const MAX_NUMBERS: usize = 6;
/// Systems with more predicates than this are not transition systems in one predicate.
const MOST_PREDICATES: usize = 4;
/// The effort for the enumerations.
const STEPS: u64 = 60_000;

/// The only predicate of a transition system; nothing if there are several or if clauses are not linear.
fn only_predicate(horn: &Horn) -> Option<usize> {
    let mut atoms = horn.clauses.iter().flat_map(|c| c.head.iter().chain(&c.body)).map(|a| a.pred.index());
    let pred = atoms.next()?;
    (horn.is_linear() && atoms.all(|other| other == pred)).then_some(pred)
}

/// Do the clauses, after preparation, look like a transition system that keeps a program counter in its arguments?
pub fn has_program_counter(store: &Store, horn: &Horn, preparation: Preparation, budget: &Budget) -> bool {
    if !horn.is_linear() || horn.preds.len() > MOST_PREDICATES {
        return false;
    }
    let mut store = store.clone();
    let Ok((horn, _)) = prepare_with(&mut store, horn, preparation, budget) else { return false };
    let Some(pred) = only_predicate(&horn) else { return false };
    let explorer = Explorer { store: &mut store, horn: &horn, pred, budget: budget.clone() };
    let (numbers, bits) = explorer.candidates();
    !numbers.is_empty() || !bits.is_empty()
}

/// The locations of a transition system in one predicate; nothing if it does not seem to have any.
pub fn locations(store: &mut Store, horn: &Horn, budget: &Budget) -> Option<Locations> {
    let pred = only_predicate(horn)?;
    let mut explorer = Explorer { store, horn, pred, budget: budget.clone().with_steps(STEPS) };
    let (numbers, bits) = explorer.candidates();
    let mut counters = Vec::new();
    for n in numbers.into_iter().take(MAX_NUMBERS) {
        if explorer.enumerate(&[n], MAX_VALUES, usize::MAX).is_some_and(|(values, _)| values.len() > 1) {
            counters.push(n);
        }
    }
    let mut all = counters.clone();
    all.extend(&bits);
    all.sort_unstable();
    for positions in [all, counters] {
        if positions.is_empty() {
            continue;
        }
        if let Some((values, steps)) = explorer.enumerate(&positions, MAX_LOCATIONS, MAX_DEGREE)
            && values.len() > 1
        {
            let (mut by_pred, mut of_pred) =
                (vec![Vec::new(); horn.preds.len()], vec![Vec::new(); horn.preds.len()]);
            by_pred[pred] = positions;
            of_pred[pred] = values;
            return Some(Locations { positions: by_pred, values: of_pred, steps });
        }
    }
    None
}

/// Looks at the arguments of one predicate.
struct Explorer<'a> {
    store: &'a mut Store,
    horn: &'a Horn,
    pred: usize,
    budget: Budget,
}

impl Explorer<'_> {
    /// The arguments that start with one constant and are given nothing but constants: numbers that are compared with constants, and
    /// truth values.
    fn candidates(&self) -> (Vec<usize>, Vec<usize>) {
        let (compared, computed) = (self.compared(), self.computed());
        let params = self.horn.preds[self.pred].params.len();
        let (mut numbers, mut bits) = (Vec::new(), Vec::new());
        for i in 0..params {
            let heads = |is_fact: bool| {
                let clauses = self.horn.clauses.iter().filter(move |c| c.body.is_empty() == is_fact);
                clauses.filter_map(move |c| Some((c, c.head.as_ref()?.args[i])))
            };
            let Some((_, start)) = heads(true).next() else { continue };
            if !self.store.is_value(start) || heads(true).any(|(_, s)| s != start) {
                continue;
            }
            let is_given = |(c, next): (&Clause, Term)| {
                let before = c.body[0].args[i];
                self.leaves(next).into_iter().all(|leaf| {
                    leaf == before
                        || self.store.is_value(leaf)
                        || self.store.as_var(leaf).is_some() && !computed.contains(&(leaf, before))
                })
            };
            if !heads(false).all(is_given) {
                continue;
            }
            let args: Vec<Term> = self.horn.clauses.iter().flat_map(|c| &c.body).map(|a| a.args[i]).collect();
            if self.store.sort_of(start) == Sort::BOOL {
                bits.push(i);
            } else if args.iter().any(|a| compared.contains(a)) {
                numbers.push(i);
            }
        }
        (numbers, bits)
    }

    /// The terms that choices choose from.
    fn leaves(&self, t: Term) -> Vec<Term> {
        let (mut open, mut out) = (vec![t], Vec::new());
        while let Some(t) = open.pop() {
            match self.store.op(t) {
                Op::Ite if out.len() < MAX_VALUES => open.extend(&self.store.args(t)[1..]),
                _ => out.push(t),
            }
        }
        out
    }

    /// The arguments of heads that are more than equated with constants or with the argument before the step; each with that.
    fn computed(&self) -> FxHashSet<(Term, Term)> {
        let store = &*self.store;
        let mut out = FxHashSet::default();
        for c in &self.horn.clauses {
            let (Some(head), Some(body)) = (&c.head, c.body.first()) else { continue };
            let mut next: FxHashMap<Term, Vec<Term>> = FxHashMap::default();
            for (&h, &b) in head.args.iter().zip(&body.args) {
                for leaf in self.leaves(h) {
                    if store.as_var(leaf).is_some() && leaf != b {
                        next.entry(leaf).or_default().push(b);
                    }
                }
            }
            for &arg in &body.args {
                // Another argument before the step may be anything.
                if let Some(before) = next.get(&arg) {
                    out.extend(before.iter().map(|&b| (arg, b)));
                }
            }
            for t in store.post_order([c.constraint]) {
                for (n, a) in store.args(t).iter().enumerate() {
                    let Some(before) = next.get(a) else { continue };
                    for &b in before {
                        let is_plain = match store.op(t) {
                            Op::Eq => {
                                let other = store.arg(t, 1 - n);
                                self.leaves(other).into_iter().all(|l| l == b || store.is_value(l))
                            }
                            Op::Le => store.is_value(store.arg(t, 1 - n)),
                            Op::And | Op::Or | Op::Not => true,
                            _ => false,
                        };
                        if !is_plain {
                            out.insert((*a, b));
                        }
                    }
                }
            }
        }
        out
    }

    /// The constants of clauses that are compared with values.
    fn compared(&self) -> FxHashSet<Term> {
        let store = &*self.store;
        let mut out = FxHashSet::default();
        for t in store.post_order(self.horn.clauses.iter().flat_map(Clause::terms)) {
            if matches!(store.op(t), Op::Eq | Op::Le) {
                let (a, b) = (store.arg(t, 0), store.arg(t, 1));
                for (x, y) in [(a, b), (b, a)] {
                    if store.as_var(x).is_some() && store.is_value(y) {
                        out.insert(x);
                    }
                }
            }
        }
        out
    }

    /// All values that arguments can have together, and the steps between them.
    fn enumerate(
        &mut self,
        positions: &[usize],
        most: usize,
        degree: usize,
    ) -> Option<(Vec<Vec<Term>>, Vec<LocationStep>)> {
        let mut solvers: Vec<Solver> = Vec::with_capacity(self.horn.clauses.len());
        for c in &self.horn.clauses {
            let mut solver = Solver::default();
            solver.assert(c.constraint);
            solvers.push(solver);
        }
        let (mut values, mut steps) = (Vec::new(), Vec::new());
        let horn = self.horn;
        for (n, c) in horn.clauses.iter().enumerate().filter(|(_, c)| c.body.is_empty()) {
            self.successors(&mut solvers[n], n, c, &[], positions, most, &mut values, &mut steps, None)?;
        }
        let mut at = 0;
        while at < values.len() {
            for (n, c) in horn.clauses.iter().enumerate() {
                let Some(atom) = c.body.first() else { continue };
                let here: Vec<Term> = values[at].clone();
                let known: Vec<Term> =
                    positions.iter().zip(here).map(|(&i, v)| self.store.eq(atom.args[i], v)).collect();
                let solver = &mut solvers[n];
                self.successors(solver, n, c, &known, positions, most, &mut values, &mut steps, Some(at))?;
            }
            if steps.len() > degree.saturating_mul(values.len().max(4)) {
                return None;
            }
            at += 1;
        }
        Some((values, steps))
    }

    /// Adds the values that the head of a clause can have from a location, and the steps to them.
    #[allow(clippy::too_many_arguments)]
    fn successors(
        &mut self,
        solver: &mut Solver,
        clause: usize,
        c: &Clause,
        known: &[Term],
        positions: &[usize],
        most: usize,
        values: &mut Vec<Vec<Term>>,
        steps: &mut Vec<LocationStep>,
        from: Option<usize>,
    ) -> Option<()> {
        let mut assumptions = known.to_vec();
        loop {
            match solver.check_assuming(self.store, &assumptions, &self.budget) {
                Answer::Unsat => return Some(()),
                Answer::Unknown(_) => return None,
                Answer::Sat => {}
            }
            let from: Vec<usize> = from.into_iter().collect();
            let Some(head) = &c.head else {
                steps.push(LocationStep { clause, from, to: None });
                return Some(());
            };
            let model = solver.model()?.clone();
            let mut next = Vec::with_capacity(positions.len());
            for &i in positions {
                let value = Evaluator::new(self.store, &model).eval(head.args[i]).ok()?;
                let sort = self.store.sort_of(head.args[i]);
                next.push(value.to_term(self.store, sort));
            }
            let equations: Vec<Term> =
                positions.iter().zip(&next).map(|(&i, &v)| self.store.eq(head.args[i], v)).collect();
            let same = self.store.and(&equations);
            let to = match values.iter().position(|v| *v == next) {
                Some(to) => to,
                None => {
                    values.push(next);
                    values.len() - 1
                }
            };
            if values.len() > most {
                return None;
            }
            steps.push(LocationStep { clause, from, to: Some(to) });
            assumptions.push(self.store.not(same));
        }
    }
}
