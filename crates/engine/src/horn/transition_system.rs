//! Linear clauses as a transition system.
//!
//! A state is a predicate, by its position, and values for the parameters of all predicates, of which only those of its
//! own matter: clauses constrain no others, so that a set of states closed under the clauses gives a solution by any
//! choice of values for the rest.

use bolide_model::horn::{Clause, Derivation, DerivationStep, Horn, Interpretation};
use bolide_term::{Evaluator, Model, Sort, Store, Substitution, Term, Value};

/// Constants for a state: its predicate, then the parameters of all predicates.
pub type State = Vec<Term>;

/// What one clause says about states, with constants of its own.
#[derive(Clone)]
pub struct Case {
    /// The clause.
    pub clause: usize,
    /// True if the clause leads from one state to the other.
    pub formula: Term,
    /// The constants of the clause and what stands for them.
    pub copies: Vec<(Term, Term)>,
}

/// A linear Horn system seen as a transition system.
pub struct TransitionSystem<'a> {
    horn: &'a Horn,
    facts: Vec<usize>,
    steps: Vec<usize>,
    queries: Vec<usize>,
    /// Queries without premise.
    outright: Vec<usize>,
    /// For each predicate the position of its first parameter in a state.
    offsets: Vec<usize>,
    /// The state of the parameters themselves.
    pub here: State,
}

impl<'a> TransitionSystem<'a> {
    /// The transition system of linear clauses; nothing if they are not linear.
    pub fn new(store: &mut Store, horn: &'a Horn) -> Option<TransitionSystem<'a>> {
        let (mut facts, mut steps, mut queries, mut outright) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (n, c) in horn.clauses.iter().enumerate() {
            match (c.body.len(), &c.head) {
                (0, Some(_)) => facts.push(n),
                (1, Some(_)) => steps.push(n),
                (1, None) => queries.push(n),
                (0, None) => outright.push(n),
                _ => return None,
            }
        }
        let mut here = vec![store.fresh_var("at", Sort::INT)];
        let mut offsets = Vec::with_capacity(horn.preds.len());
        for p in &horn.preds {
            offsets.push(here.len());
            here.extend(&p.params);
        }
        Some(TransitionSystem { horn, facts, steps, queries, outright, offsets, here })
    }

    /// The ways in which a query can be violated without any state.
    pub fn outright(&self, store: &mut Store) -> Vec<Case> {
        self.outright.iter().map(|&n| self.case(store, n, None, None)).collect()
    }

    /// New constants for a state.
    pub fn state(&self, store: &mut Store) -> State {
        let fresh = |&t: &Term| {
            let sort = store.sort_of(t);
            store.fresh_var("s", sort)
        };
        self.here.iter().map(fresh).collect()
    }

    /// A formula about one state as one about another.
    pub fn rename(&self, store: &mut Store, formula: Term, from: &State, to: &State) -> Term {
        let mut subst = Substitution::new();
        from.iter().zip(to).for_each(|(&a, &b)| subst.insert(a, b));
        subst.apply(store, formula)
    }

    /// The ways in which a state can be initial.
    pub fn initial(&self, store: &mut Store, to: &State) -> Vec<Case> {
        self.facts.iter().map(|&n| self.case(store, n, None, Some(to))).collect()
    }

    /// The ways from one state to another.
    pub fn step(&self, store: &mut Store, from: &State, to: &State) -> Vec<Case> {
        self.steps.iter().map(|&n| self.case(store, n, Some(from), Some(to))).collect()
    }

    /// The ways in which a state can violate a query.
    pub fn bad(&self, store: &mut Store, from: &State) -> Vec<Case> {
        self.queries.iter().map(|&n| self.case(store, n, Some(from), None)).collect()
    }

    fn case(&self, store: &mut Store, n: usize, from: Option<&State>, to: Option<&State>) -> Case {
        let clause: &Clause = &self.horn.clauses[n];
        let (copy, copies) = clause.renamed(store);
        let mut parts = vec![copy.constraint];
        let ends = [(from, copy.body.first()), (to, copy.head.as_ref())];
        for (state, atom) in ends {
            let (Some(state), Some(atom)) = (state, atom) else { continue };
            let pred = atom.pred.index();
            let place = store.int(pred as i64);
            parts.push(store.eq(state[0], place));
            for (&s, &a) in state[self.offsets[pred]..].iter().zip(&atom.args) {
                parts.push(store.eq(s, a));
            }
        }
        Case { clause: n, formula: store.and(&parts), copies }
    }

    /// The interpretation that a closed set of states, over the parameters, stands for.
    pub fn interpretation(&self, store: &mut Store, set: Term) -> Interpretation {
        let mut formulas = Vec::with_capacity(self.horn.preds.len());
        for (pred, p) in self.horn.preds.iter().enumerate() {
            let mut subst = Substitution::new();
            let place = store.int(pred as i64);
            subst.insert(self.here[0], place);
            let own = self.offsets[pred]..self.offsets[pred] + p.params.len();
            for (_, &t) in self.here.iter().enumerate().skip(1).filter(|(n, _)| !own.contains(n)) {
                let sort = store.sort_of(t);
                let value = Value::default_of(store, sort).to_term(store, sort);
                subst.insert(t, value);
            }
            formulas.push(subst.apply(store, set));
        }
        Interpretation::new(formulas)
    }
}

/// The disjunction of some cases.
pub fn any(store: &mut Store, cases: &[Case]) -> Term {
    let formulas: Vec<Term> = cases.iter().map(|c| c.formula).collect();
    store.or(&formulas)
}

/// The step of a derivation that a model chooses among some cases.
pub fn chosen(store: &Store, cases: &[Case], model: &Model, premises: Vec<usize>) -> Option<DerivationStep> {
    let mut evaluator = Evaluator::new(store, model);
    let case = cases.iter().find(|c| evaluator.holds(c.formula) == Ok(true))?;
    let mut values = Model::new();
    for &(old, new) in &case.copies {
        values.set(store.as_var(old)?, evaluator.eval(new).ok()?);
    }
    Some(DerivationStep { clause: case.clause, values, premises })
}

/// The derivation that a model chooses: a fact, steps one after another, a query.
pub fn derivation(store: &Store, path: &[Vec<Case>], model: &Model) -> Option<Derivation> {
    let mut out = Derivation::default();
    for (n, cases) in path.iter().enumerate() {
        let premises = n.checked_sub(1).into_iter().collect();
        out.steps.push(chosen(store, cases, model, premises)?);
    }
    Some(out)
}
