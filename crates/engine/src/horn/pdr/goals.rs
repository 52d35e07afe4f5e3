//! Goals: what must be shown to be underivable, the lowest level first.

use super::Pdr;
use crate::horn::frames::cube::{normalise, split_equation};
use crate::horn::frames::{Frames, Reach, Stop};
use bolide_smt::project;
use bolide_term::{Evaluator, Model, Substitution, Term};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Can a fact in this cube be derived in at most so many steps?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    pub pred: usize,
    pub cube: Vec<Term>,
    pub level: usize,
    /// Steps from the root goal.
    pub depth: usize,
    /// How many more goals may be made for this one, if it is merely a guess that it cannot be reached.
    pub gas: Option<u32>,
    number: u32,
}

/// The goals that are open.
#[derive(Default)]
pub struct Goals {
    heap: BinaryHeap<Reverse<(usize, u32, usize)>>,
    goals: Vec<Option<Goal>>,
    /// Goals at their levels, to not ask twice.
    known: FxHashSet<(usize, usize, Vec<Term>)>,
    made: u32,
}

impl Goals {
    /// No goals.
    pub fn new() -> Goals {
        Goals::default()
    }

    /// Opens a goal, unless it is open.
    pub fn add(&mut self, pred: usize, cube: Vec<Term>, level: usize, depth: usize, gas: Option<u32>) {
        self.made += 1;
        self.insert(Goal { pred, cube, level, depth, gas, number: self.made });
    }

    /// Opens a goal again at a level.
    pub fn put_back(&mut self, goal: Goal, level: usize) {
        self.insert(Goal { level, ..goal });
    }

    fn insert(&mut self, goal: Goal) {
        if self.known.insert((goal.pred, goal.level, goal.cube.clone())) {
            self.heap.push(Reverse((goal.level, goal.number, self.goals.len())));
            self.goals.push(Some(goal));
        }
    }

    /// Takes the oldest of the goals at the lowest level.
    pub fn pop(&mut self) -> Option<Goal> {
        let Reverse((_, _, at)) = self.heap.pop()?;
        let goal = self.goals[at].take()?;
        self.known.remove(&(goal.pred, goal.level, goal.cube.clone()));
        Some(goal)
    }
}

/// What became of a goal.
pub enum Step {
    /// A fact of it is derivable.
    Reached,
    /// None is, in at most so many steps; these cubes are worth a goal.
    Blocked(usize, Vec<Vec<Term>>),
    /// This must be known first.
    Needs { pred: usize, cube: Vec<Term> },
}

impl Pdr<'_> {
    /// Takes one step towards an answer to a goal.
    pub fn work(&mut self, goal: &Goal) -> Result<Step, Stop> {
        if let Some(level) = self.known.blocked_by_lemmas(goal.pred, &goal.cube, goal.level)? {
            return Ok(Step::Blocked(level, Vec::new()));
        }
        let mut cores: Vec<(usize, Vec<Term>)> = Vec::new();
        for n in 0..self.known.preds[goal.pred].rules.len() {
            let rule = self.known.preds[goal.pred].rules[n];
            let premises = self.known.rules[rule].premises.len();
            if let Some(found) = self.known.query(rule, &goal.cube, goal.level, 0)? {
                cores.push((rule, found.core));
                continue;
            }
            let mut model = self.known.rules[rule].model().cloned().ok_or(Stop::Projection)?;
            // As many premises as possible from the reach facts, from the left.
            let mut must = premises;
            while must > 0 && self.known.query(rule, &goal.cube, goal.level, must)?.is_some() {
                must -= 1;
            }
            if must > 0 {
                model = self.known.rules[rule].model().cloned().ok_or(Stop::Projection)?;
            }
            if must == premises {
                self.add_reach(rule, model)?;
                return Ok(Step::Reached);
            }
            return self.premise_goal(rule, goal, must, &model);
        }
        let (cube, level) = self.known.learn(goal.pred, cores, goal.level)?;
        let hints = if self.config.guide { self.guide(goal.pred, &cube, level)? } else { Vec::new() };
        self.learn_by_analogy()?;
        Ok(Step::Blocked(level, hints))
    }

    /// The goal about the first premise that is not a reach fact, by projection of the model.
    fn premise_goal(&mut self, rule: usize, goal: &Goal, must: usize, model: &Model) -> Result<Step, Stop> {
        let Frames { store, rules, preds, reach, lemmas, .. } = &mut self.known;
        let r = &mut rules[rule];
        let mut formulas = vec![r.constraint];
        for &l in &goal.cube {
            formulas.push(r.at_head(store, l));
        }
        for p in &mut r.premises[..must] {
            let facts: Vec<Term> =
                preds[p.pred].reach.iter().map(|&n| p.at(store, reach[n].formula)).collect();
            let mut evaluator = Evaluator::new(store, model);
            let holds = |f: &Term| evaluator.holds(*f) == Ok(true);
            formulas.extend(facts.into_iter().find(holds));
        }
        // What is known about the premises after this one: without it the goal could be reached with facts that do not
        // go together with them, again and again.
        for p in &mut r.premises[must + 1..] {
            for &n in &preds[p.pred].lemmas {
                if lemmas[n].alive && lemmas[n].level.saturating_add(1) >= goal.level {
                    formulas.push(p.at(store, lemmas[n].formula));
                }
            }
        }
        let premise = &r.premises[must];
        let gone: Vec<Term> = r.vars.iter().copied().filter(|v| !premise.args.contains(v)).collect();
        let literals = project(store, &formulas, &gone, model).ok_or(Stop::Projection)?;
        let mut to_params = Substitution::new();
        for (&a, &p) in premise.args.iter().zip(&preds[premise.pred].params) {
            to_params.insert(a, p);
        }
        let pred = premise.pred;
        let mut cube = Vec::with_capacity(literals.len());
        for l in literals {
            let l = to_params.apply(store, l);
            split_equation(store, l, &mut cube);
        }
        normalise(store, &mut cube);
        Ok(Step::Needs { pred, cube })
    }

    /// Remembers what the model of a rule shows to be derivable.
    fn add_reach(&mut self, rule: usize, model: Model) -> Result<(), Stop> {
        let Frames { store, rules, preds, reach, .. } = &mut self.known;
        let r = &mut rules[rule];
        let mut formulas = vec![r.constraint];
        let mut used = Vec::new();
        for p in &mut r.premises {
            let found = preds[p.pred].reach.iter().copied().find(|&n| {
                let f = p.at(store, reach[n].formula);
                Evaluator::new(store, &model).holds(f) == Ok(true)
            });
            let n = found.ok_or(Stop::Projection)?;
            formulas.push(p.at(store, reach[n].formula));
            used.push(n);
        }
        let mut full = model;
        let params = &preds[r.head].params;
        for (&p, &a) in params.iter().zip(&r.head_args) {
            let value = Evaluator::new(store, &full).eval(a).map_err(|_| Stop::Projection)?;
            full.set(store.as_var(p).ok_or(Stop::Projection)?, value);
            formulas.push(store.eq(p, a));
        }
        let literals = project(store, &formulas, &r.vars, &full).ok_or(Stop::Projection)?;
        let formula = store.and(&literals);
        preds[r.head].reach.push(reach.len());
        reach.push(Reach { formula, rule, premises: used });
        Ok(())
    }
}
