//! What is known about each predicate.

use super::propagate::Obstacle;
use super::rule::ALWAYS;
use super::{Frames, Stop};
use bolide_smt::{Answer, Solver};
use bolide_term::{Sort, Store, Term};

/// A cube of facts that cannot be derived in a number of steps.
#[derive(Clone, Debug)]
pub struct Lemma {
    /// Position of the predicate.
    pub pred: usize,
    /// The cube: literals over the parameters, ordered.
    pub cube: Vec<Term>,
    /// The negation of the cube.
    pub formula: Term,
    /// Holds for facts derived in at most so many steps.
    pub level: usize,
    /// False once a stronger lemma is known.
    pub alive: bool,
    /// Why it did not hold one level up when that was asked last.
    pub obstacle: Option<Obstacle>,
}

/// What is known about a predicate.
#[derive(Default)]
pub struct PredState {
    /// The constants that stand for its arguments.
    pub params: Vec<Term>,
    /// The rules that derive it.
    pub rules: Vec<usize>,
    /// Lemmas by position, in order of creation.
    pub lemmas: Vec<usize>,
    /// Formulas with the levels at which they hold, oldest first; solvers follow this list.
    pub events: Vec<(Term, usize)>,
    /// Positions of reach facts.
    pub reach: Vec<usize>,
    /// For each level the literal under which its lemmas hold.
    acts: Vec<Term>,
    /// Knows the lemmas, to tell which goals they block.
    solver: Solver,
    /// How many events that solver has seen.
    seen_events: usize,
}

impl PredState {
    /// A predicate of which nothing is known.
    pub fn new(params: Vec<Term>) -> PredState {
        PredState { params, ..PredState::default() }
    }

    /// The literal that switches the lemmas of one level on.
    pub fn act(&mut self, store: &mut Store, level: usize) -> Term {
        while self.acts.len() <= level {
            let name = format!("level.{}", self.acts.len());
            self.acts.push(store.fresh_var(&name, Sort::BOOL));
        }
        self.acts[level]
    }

    /// A formula that holds at a level, under the literal that switches it on.
    pub fn guarded(&mut self, store: &mut Store, formula: Term, level: usize) -> Term {
        if level == ALWAYS {
            return formula;
        }
        let off = self.act(store, level);
        let off = store.not(off);
        store.or(&[off, formula])
    }
}

impl Frames<'_> {
    /// Is there a lemma that holds at a level about a part of an ordered cube?
    pub fn is_subsumed(&self, pred: usize, cube: &[Term], level: usize) -> bool {
        let lemmas = self.preds[pred].lemmas.iter().map(|&n| &self.lemmas[n]);
        lemmas.filter(|l| l.level >= level).any(|l| is_subset(&l.cube, cube))
    }

    /// Do the lemmas exclude a cube at a level? If so, up to which level.
    pub fn blocked_by_lemmas(
        &mut self,
        pred: usize,
        cube: &[Term],
        level: usize,
    ) -> Result<Option<usize>, Stop> {
        let subsumes = |&n: &usize| {
            let l = &self.lemmas[n];
            l.level >= level && is_subset(&l.cube, cube)
        };
        let known = self.preds[pred].lemmas.iter().copied().find(subsumes);
        if let Some(n) = known {
            return Ok(Some(self.lemmas[n].level));
        }
        let Frames { store, preds, budget, level: top, .. } = self;
        let state = &mut preds[pred];
        for n in state.seen_events..state.events.len() {
            let (formula, level) = state.events[n];
            let guarded = state.guarded(store, formula, level);
            state.solver.assert(guarded);
        }
        state.seen_events = state.events.len();
        let mut assumptions = cube.to_vec();
        let acts: Vec<Term> = (level..=*top).map(|k| state.act(store, k)).collect();
        assumptions.extend(&acts);
        match state.solver.check_unconfirmed(store, &assumptions, budget) {
            Answer::Sat => Ok(None),
            Answer::Unsat => {
                let core = state.solver.core();
                let lowest = acts.iter().position(|a| core.contains(a));
                Ok(Some(lowest.map_or(ALWAYS, |n| level + n)))
            }
            Answer::Unknown(reason) => Err(Stop::Solver(reason)),
        }
    }

    /// Adds the lemma that a cube cannot be derived in so many steps.
    pub fn add_lemma(&mut self, pred: usize, mut cube: Vec<Term>, level: usize) {
        cube.sort_unstable();
        cube.dedup();
        let conjunction = self.store.and(&cube);
        let formula = self.store.not(conjunction);
        for &n in &self.preds[pred].lemmas {
            let old = &mut self.lemmas[n];
            if old.alive && old.level <= level && is_subset(&cube, &old.cube) {
                old.alive = false;
            }
        }
        let Frames { preds, lemmas, .. } = self;
        let state = &mut preds[pred];
        state.lemmas.retain(|&n| lemmas[n].alive);
        state.lemmas.push(lemmas.len());
        state.events.push((formula, level));
        lemmas.push(Lemma { pred, cube, formula, level, alive: true, obstacle: None });
    }

    /// Raises a lemma to a higher level.
    pub fn raise(&mut self, lemma: usize, level: usize) {
        let l = &mut self.lemmas[lemma];
        l.level = level;
        l.obstacle = None;
        self.preds[l.pred].events.push((l.formula, level));
    }
}

/// Is an ordered list contained in another?
fn is_subset(small: &[Term], large: &[Term]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|s| rest.any(|l| l == s))
}
