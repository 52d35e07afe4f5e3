//! SEARCH and RSTEP of the paper's Figure 1, with an explicit stack.

use super::Annotator;
use super::suffix::eliminate;
use crate::horn::frames::Stop;
use bolide_model::horn::{Clause, Derivation};
use bolide_smt::implicant;
use bolide_term::{Model, Substitution, Term};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;

/// A clause with constants of its own.
pub struct Copy {
    pub clause: Clause,
    /// The constants of the original and of the copy.
    pub pairs: Vec<(Term, Term)>,
    pub rename: Substitution,
}

/// A subgoal: an instance of a predicate at some arguments.
#[derive(Clone)]
pub struct Fact {
    pred: usize,
    /// The instance: derivable in at most so many steps.
    steps: usize,
    args: Vec<Term>,
    /// The vertex of the derivation tree that it stands for.
    vertex: usize,
    /// The position of the frame that brought it into the goal.
    born: usize,
}

/// A vertex of the tree that resolution builds.
#[derive(Default)]
pub struct Vertex {
    pub clause: usize,
    pub copies: Vec<(Term, Term)>,
    pub premises: Vec<usize>,
}

/// A resolvent narrowed to what a model chooses.
struct Decision {
    /// What the rule says.
    said: Vec<Term>,
    /// The constraint of the new goal, and for each literal the last frame that it stems from.
    goal: Vec<(Term, usize)>,
}

/// A call of SEARCH.
pub struct Frame {
    facts: Vec<Fact>,
    /// What the resolution that led here says, over the constants of the copies.
    pub decision: Vec<Term>,
    /// The constraint of the goal, with the parameters of the subgoal that is resolved in place of its arguments, and for
    /// each literal the last frame that it stems from.
    goal: Vec<(Term, usize)>,
    /// The subgoal that is resolved.
    pick: usize,
    /// The rules that are still to be resolved with, the next one last; the last one is under way.
    rules: Vec<usize>,
    /// For each rule that failed, the literals of the goal that refute it.
    refuted: Vec<(usize, Vec<Term>)>,
    /// The last of the frames that the refutations so far speak of.
    used: usize,
    /// Vertices before this frame's step.
    vertices: usize,
}

impl Annotator<'_> {
    fn frame(
        &mut self,
        facts: Vec<Fact>,
        decision: Vec<Term>,
        goal: Vec<(Term, usize)>,
        vertices: usize,
    ) -> Frame {
        // The subgoal with the most steps left has the least annotation.
        let pick = (0..facts.len()).max_by_key(|&n| facts[n].steps).unwrap_or(0);
        let mut frame =
            Frame { facts, decision, goal, pick, rules: Vec::new(), refuted: Vec::new(), used: 0, vertices };
        let Some(fact) = frame.facts.get(pick) else { return frame };
        frame.used = fact.born;
        frame.rules = self.known.preds[fact.pred].rules.clone();
        if self.config.relevance {
            frame.rules.sort_by_key(|&r| Reverse(self.relevance[r]));
        }
        frame.rules.reverse();
        let mut to_params = Substitution::new();
        for (&a, &p) in fact.args.iter().zip(&self.known.preds[fact.pred].params) {
            to_params.insert(a, p);
        }
        for l in &mut frame.goal {
            l.0 = to_params.apply(self.known.store, l.0);
        }
        frame
    }

    /// Searches for a derivation of false within the bound; if there is none, the annotations say so afterwards.
    pub fn search(&mut self) -> Result<Option<Derivation>, Stop> {
        let (error, bound) = (self.known.error(), self.known.level);
        if self.known.blocked_by_lemmas(error, &[], bound)?.is_some() {
            return Ok(None);
        }
        let mut tree = vec![Vertex::default()];
        let root = Fact { pred: error, steps: bound, args: Vec::new(), vertex: 0, born: 0 };
        let mut stack = vec![self.frame(vec![root], Vec::new(), Vec::new(), tree.len())];
        while let Some(top) = stack.last() {
            if top.facts.is_empty() {
                return self.derivation(&stack, &tree).map(Some);
            }
            match top.rules.last() {
                None => self.finish(&mut stack)?,
                Some(&rule) => self.advance(rule, &mut stack, &mut tree)?,
            }
        }
        Ok(None)
    }

    /// All rules have failed: an interpolant annotates the subgoal, and the search goes back to the last frame that the
    /// refutations speak of.
    fn finish(&mut self, stack: &mut Vec<Frame>) -> Result<(), Stop> {
        let Some(top) = stack.pop() else { return Ok(()) };
        let (pred, steps) = (top.facts[top.pick].pred, top.facts[top.pick].steps);
        self.known.learn(pred, top.refuted, steps)?;
        if self.config.propagate {
            self.known.push_to(pred, steps)?;
        }
        if self.config.back_jumping {
            for skipped in stack.drain(top.used.min(stack.len())..) {
                self.jumps += 1;
                if let Some(&rule) = skipped.rules.last() {
                    self.relevance[rule] -= 1;
                }
            }
        }
        Ok(())
    }

    /// One round of RSTEP: refutes the resolvent, or decides and searches deeper.
    fn advance(&mut self, rule: usize, stack: &mut Vec<Frame>, tree: &mut Vec<Vertex>) -> Result<(), Stop> {
        self.resolutions += 1;
        let depth = stack.len();
        let Some(top) = stack.last_mut() else { return Ok(()) };
        let mut goal = top.goal.clone();
        for (n, f) in top.facts.iter().enumerate() {
            if n != top.pick {
                goal.extend(self.annotation(f).into_iter().map(|t| (t, f.born)));
            }
        }
        let literals: Vec<Term> = goal.iter().map(|l| l.0).collect();
        let fact = &top.facts[top.pick];
        if let Some(refusal) = self.known.query(rule, &literals, fact.steps, 0)? {
            let core: FxHashSet<Term> = refusal.core.iter().copied().collect();
            let used = goal.iter().filter(|l| core.contains(&l.0)).map(|l| l.1).max();
            top.used = top.used.max(used.unwrap_or(0));
            top.refuted.push((rule, refusal.core));
            top.rules.pop();
            return Ok(());
        }
        let model = self.known.rules[rule].model().cloned().ok_or(Stop::Projection)?;
        let Decision { said, mut goal } = self.decide(rule, fact, &top.goal, &model, depth)?;
        let copy = &self.copies[&(rule, depth)];
        tree.truncate(top.vertices);
        let mut facts = Vec::new();
        for a in &copy.clause.body {
            let (vertex, steps) = (tree.len(), fact.steps.saturating_sub(1));
            tree.push(Vertex::default());
            facts.push(Fact { pred: a.pred.index(), steps, args: a.args.clone(), vertex, born: depth });
        }
        let premises = facts.iter().map(|f| f.vertex).collect();
        tree[fact.vertex] = Vertex { clause: rule, copies: copy.pairs.clone(), premises };
        facts.extend(top.facts.iter().enumerate().filter(|(n, _)| *n != top.pick).map(|(_, f)| f.clone()));
        let kept: FxHashSet<Term> = facts.iter().flat_map(|f| f.args.iter().copied()).collect();
        eliminate(self.known.store, &mut goal, &kept);
        let next = self.frame(facts, said, goal, tree.len());
        stack.push(next);
        Ok(())
    }

    /// Narrows the resolvent with a rule to what a model chooses: what the rule says, and the constraint of the new goal,
    /// over the constants of the rule's copy.
    fn decide(
        &mut self,
        rule: usize,
        fact: &Fact,
        goal: &[(Term, usize)],
        model: &Model,
        depth: usize,
    ) -> Result<Decision, Stop> {
        let store = &mut *self.known.store;
        let clause = &self.horn.clauses[rule];
        let copy = self.copies.entry((rule, depth)).or_insert_with(|| {
            let (clause, pairs) = clause.renamed(store);
            let mut rename = Substitution::new();
            pairs.iter().for_each(|&(old, new)| rename.insert(old, new));
            Copy { clause, pairs, rename }
        });
        let narrow = |store: &mut bolide_term::Store, formula: Term| {
            if self.config.minterms {
                implicant(store, &[formula], model).ok_or(Stop::Projection)
            } else {
                Ok(vec![formula])
            }
        };
        let mut decision = Vec::new();
        for l in narrow(store, clause.constraint)? {
            decision.push(copy.rename.apply(store, l));
        }
        let mut next: Vec<(Term, usize)> = decision.iter().map(|&l| (l, depth)).collect();
        for (&arg, &a) in fact.args.iter().zip(copy.clause.head.iter().flat_map(|h| &h.args)) {
            decision.push(store.eq(arg, a));
        }
        for &(l, from) in goal {
            let here = self.known.rules[rule].at_head(store, l);
            if here == l {
                next.push((l, from));
                continue;
            }
            for part in narrow(store, here)? {
                next.push((copy.rename.apply(store, part), depth));
            }
        }
        Ok(Decision { said: decision, goal: next })
    }

    /// The annotation of a subgoal at its arguments.
    fn annotation(&mut self, fact: &Fact) -> Vec<Term> {
        let mut subst = Substitution::new();
        let state = &self.known.preds[fact.pred];
        for (&p, &a) in state.params.iter().zip(&fact.args) {
            subst.insert(p, a);
        }
        let lemmas = state.lemmas.iter().map(|&n| &self.known.lemmas[n]).filter(|l| l.level >= fact.steps);
        let formulas: Vec<Term> = lemmas.map(|l| l.formula).collect();
        formulas.into_iter().map(|t| subst.apply(self.known.store, t)).collect()
    }
}
