//! Splits predicates by the values of arguments that tell where a computation is.
//!
//! A transition system in one predicate keeps its program counter in arguments with few values. With a predicate for each of
//! their values the clauses become a control-flow graph, whose paths an engine can follow one by one. Which values there
//! are is for the caller to find out; see [`Locations`].

use crate::horn::back::BackMap;
use crate::horn::{Atom, Clause, Derivation, DerivationStep, Horn, Interpretation, PredId, Predicate};
use bolide_term::{Evaluator, Model, Store, Substitution, Term};

/// The locations of the predicates of a system, and the steps between them that there can be.
#[derive(Clone, Debug, Default)]
pub struct Locations {
    /// For each predicate the positions of the arguments that tell the location.
    pub positions: Vec<Vec<usize>>,
    /// For each predicate its locations: values for these positions. All facts that can be derived are at one of them.
    pub values: Vec<Vec<Vec<Term>>>,
    /// The steps.
    pub steps: Vec<LocationStep>,
}

/// An instance of a clause between locations.
#[derive(Clone, Debug)]
pub struct LocationStep {
    /// The clause.
    pub clause: usize,
    /// For each atom of the body the number of its location.
    pub from: Vec<usize>,
    /// The number of the head's location.
    pub to: Option<usize>,
}

/// What [`split`] did.
#[derive(Clone, Debug)]
pub struct Split {
    old: Horn,
    locations: Locations,
    /// For each old predicate and location the new one.
    new: Vec<Vec<Predicate>>,
    /// The position of each old predicate's first new one.
    first: Vec<usize>,
}

/// The system with a predicate for each location. The arguments of bodies must be distinct constants.
pub fn split(store: &mut Store, horn: &Horn, locations: Locations) -> (Horn, BackMap) {
    let mut preds = Vec::new();
    let mut first = Vec::with_capacity(horn.preds.len());
    let mut new = Vec::with_capacity(horn.preds.len());
    for (n, p) in horn.preds.iter().enumerate() {
        first.push(preds.len());
        let mut of_pred = Vec::new();
        for at in 0..locations.values[n].len() {
            let kept = (0..p.params.len()).filter(|i| !locations.positions[n].contains(i));
            let params = kept.map(|i| crate::horn::system::fresh_like(store, p.params[i])).collect();
            of_pred.push(Predicate { name: format!("{}.{at}", p.name).into(), params });
        }
        preds.extend(of_pred.iter().cloned());
        new.push(of_pred);
    }
    let mut clauses = Vec::with_capacity(locations.steps.len());
    for step in &locations.steps {
        let clause = &horn.clauses[step.clause];
        let cut = |atom: &Atom, location: usize| {
            let positions = &locations.positions[atom.pred.index()];
            let kept = atom.args.iter().enumerate().filter(|(i, _)| !positions.contains(i));
            Atom {
                pred: PredId::new(first[atom.pred.index()] + location),
                args: kept.map(|(_, &a)| a).collect(),
            }
        };
        let mut known = Substitution::new();
        let mut body = Vec::with_capacity(clause.body.len());
        for (atom, &from) in clause.body.iter().zip(&step.from) {
            for (arg, value) in locations.at(atom, from) {
                known.insert(arg, value);
            }
            body.push(cut(atom, from));
        }
        let mut constraint = vec![clause.constraint];
        let mut head = None;
        if let (Some(atom), Some(to)) = (&clause.head, step.to) {
            for (arg, value) in locations.at(atom, to) {
                constraint.push(store.eq(arg, value));
            }
            head = Some(cut(atom, to));
        }
        let constraint = store.and(&constraint);
        let clause = Clause { head, body, constraint, span: clause.span };
        clauses.push(clause.map(|t| known.apply(store, t)));
    }
    let map = Split { old: horn.clone(), locations, new, first };
    (Horn { preds, clauses }, BackMap::Split(map))
}

impl Locations {
    /// The arguments of an atom that tell its location, and their values at one.
    fn at(&self, atom: &Atom, location: usize) -> Vec<(Term, Term)> {
        let pred = atom.pred.index();
        let args = self.positions[pred].iter().map(|&i| atom.args[i]);
        args.zip(self.values[pred][location].iter().copied()).collect()
    }
}

impl Split {
    /// The interpretation of the system before: at each location what the predicate of the location says.
    pub fn interpretation(&self, store: &mut Store, found: &Interpretation) -> Interpretation {
        let mut formulas = Vec::with_capacity(self.old.preds.len());
        for (n, p) in self.old.preds.iter().enumerate() {
            let positions = &self.locations.positions[n];
            let mut cases = Vec::new();
            for (at, values) in self.locations.values[n].iter().enumerate() {
                let mut subst = Substitution::new();
                let kept = (0..p.params.len()).filter(|i| !positions.contains(i));
                for (i, &fresh) in kept.zip(&self.new[n][at].params) {
                    subst.insert(fresh, p.params[i]);
                }
                let mut parts = vec![subst.apply(store, found.formulas[self.first[n] + at])];
                for (&i, &value) in positions.iter().zip(values) {
                    parts.push(store.eq(p.params[i], value));
                }
                cases.push(store.and(&parts));
            }
            formulas.push(store.or(&cases));
        }
        Interpretation { formulas, folds: found.folds.clone() }
    }

    /// The derivation in the system before.
    pub fn derivation(&self, store: &Store, found: Derivation) -> Option<Derivation> {
        let mut steps = Vec::with_capacity(found.steps.len());
        let nothing = Model::new();
        for step in found.steps {
            let here = self.locations.steps.get(step.clause)?;
            let mut values = step.values;
            for (atom, &from) in self.old.clauses[here.clause].body.iter().zip(&here.from) {
                for (arg, value) in self.locations.at(atom, from) {
                    let value = Evaluator::new(store, &nothing).eval(value).ok()?;
                    values.set(store.as_var(arg)?, value);
                }
            }
            steps.push(DerivationStep { clause: here.clause, values, premises: step.premises });
        }
        Some(Derivation { steps, repetitions: found.repetitions })
    }
}
