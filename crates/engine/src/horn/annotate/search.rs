//! SEARCH and RSTEP of the paper's Figure 1, with an explicit stack.

use super::Annotator;
use crate::horn::separate;
use bolide_itp::{Config as ItpConfig, Failure, interpolate_sequence};
use bolide_model::horn::{Derivation, DerivationStep};
use bolide_smt::{Answer, Solver, implicant};
use bolide_term::{Evaluator, Model, Op, Store, Substitution, Term};

/// A subgoal: an instance of a predicate at some arguments.
#[derive(Clone)]
struct Fact {
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
struct Vertex {
    clause: usize,
    copies: Vec<(Term, Term)>,
    premises: Vec<usize>,
}

/// A call of SEARCH.
struct Frame {
    facts: Vec<Fact>,
    /// What this frame adds to the constraint of the goal.
    decision: Vec<Term>,
    /// The subgoal that is resolved.
    pick: usize,
    /// The rules that are still to be resolved with, the next one last; the last one is under way.
    rules: Vec<usize>,
    /// A bound on the subgoal for each rule that failed.
    bounds: Vec<Term>,
    /// The last of the frames that the refutations so far speak of.
    used: usize,
    /// Vertices before this frame's step.
    vertices: usize,
}

/// What a resolvent is.
enum Resolvent {
    Satisfiable(Model),
    /// The body that was resolved in satisfies the formula, the rest of the goal contradicts it; the rest speaks of no
    /// later frame than this one.
    Refuted(Term, usize),
}

impl Annotator<'_> {
    fn frame(&self, facts: Vec<Fact>, decision: Vec<Term>, vertices: usize) -> Frame {
        // The subgoal with the most steps left has the least annotation.
        let pick = (0..facts.len()).max_by_key(|&n| facts[n].steps).unwrap_or(0);
        let mut rules = facts.get(pick).map_or(Vec::new(), |f| self.rules[f.pred].clone());
        if self.config.relevance {
            rules.sort_by_key(|&r| std::cmp::Reverse(self.relevance[r]));
        }
        rules.reverse();
        let used = facts.get(pick).map_or(0, |f| f.born);
        Frame { facts, decision, pick, rules, bounds: Vec::new(), used, vertices }
    }

    /// Searches for a derivation of false within a bound; if there is none, the annotations say so afterwards.
    pub fn search(&mut self, bound: usize) -> Result<Option<Derivation>, String> {
        let error = self.rules.len() - 1;
        let mut tree = vec![Vertex::default()];
        let root = Fact { pred: error, steps: bound, args: Vec::new(), vertex: 0, born: 0 };
        if self.annotations[error][bound].contains(&self.store.fls()) {
            return Ok(None);
        }
        let mut stack = vec![self.frame(vec![root], Vec::new(), tree.len())];
        while let Some(top) = stack.last_mut() {
            self.budget.check().map_err(|i| i.to_string())?;
            if top.facts.is_empty() {
                return self.derivation(&stack, &tree).map(Some);
            }
            let fact = &top.facts[top.pick];
            match top.rules.last() {
                None => self.finish(&mut stack)?,
                // Without steps left no premise can be derived.
                Some(&rule) if fact.steps <= 1 && !self.horn.clauses[rule].body.is_empty() => {
                    top.rules.pop();
                }
                Some(&rule) => self.advance(rule, &mut stack, &mut tree)?,
            }
        }
        Ok(None)
    }

    /// All rules have failed: their bounds annotate the subgoal, and the search goes back to the last frame that the
    /// refutations speak of.
    fn finish(&mut self, stack: &mut Vec<Frame>) -> Result<(), String> {
        let Some(top) = stack.pop() else { return Ok(()) };
        let (pred, steps) = (top.facts[top.pick].pred, top.facts[top.pick].steps);
        let annotation = self.store.or(&top.bounds);
        if !self.annotations[pred][steps].contains(&annotation) {
            self.annotations[pred][steps].push(annotation);
        }
        if self.config.propagate && pred < self.horn.preds.len() {
            self.propagate_to(pred, steps, false)?;
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
    fn advance(&mut self, rule: usize, stack: &mut Vec<Frame>, tree: &mut Vec<Vertex>) -> Result<(), String> {
        self.resolutions += 1;
        // The rest of the goal, with the frames that brought it.
        let mut suffix: Vec<(Term, usize)> = Vec::new();
        for (n, f) in stack.iter().enumerate() {
            suffix.extend(f.decision.iter().map(|&d| (d, n)));
        }
        let depth = stack.len();
        let Some(top) = stack.last_mut() else { return Ok(()) };
        for (n, f) in top.facts.iter().enumerate() {
            if n != top.pick {
                suffix.extend(self.annotation(f).into_iter().map(|t| (t, f.born)));
            }
        }
        let fact = &top.facts[top.pick];
        match self.test(rule, fact, &suffix)? {
            Resolvent::Refuted(interpolant, used) => {
                let mut to_params = Substitution::new();
                let params = self.horn.preds.get(fact.pred).map_or(&[][..], |p| &p.params);
                for (&a, &p) in fact.args.iter().zip(params) {
                    to_params.insert(a, p);
                }
                let bound = to_params.apply(self.store, interpolant);
                top.bounds.push(bound);
                top.used = top.used.max(used);
                top.rules.pop();
            }
            Resolvent::Satisfiable(model) => {
                let formula = self.resolved_constraint(rule, fact);
                let literals = if self.config.minterms {
                    implicant(self.store, &formula, &model).ok_or("a term cannot be evaluated")?
                } else {
                    formula
                };
                let (copy, copies) = self.horn.clauses[rule].renamed(self.store);
                let mut rename = Substitution::new();
                copies.iter().for_each(|&(old, new)| rename.insert(old, new));
                let decision = literals.into_iter().map(|l| rename.apply(self.store, l)).collect();
                tree.truncate(top.vertices);
                let mut facts = Vec::new();
                for a in &copy.body {
                    let (vertex, steps) = (tree.len(), fact.steps.saturating_sub(1));
                    tree.push(Vertex::default());
                    facts.push(Fact {
                        pred: a.pred.index(),
                        steps,
                        args: a.args.clone(),
                        vertex,
                        born: depth,
                    });
                }
                let premises = facts.iter().map(|f| f.vertex).collect();
                tree[fact.vertex] = Vertex { clause: rule, copies, premises };
                let others = top.facts.iter().enumerate().filter(|(n, _)| *n != top.pick);
                facts.extend(others.map(|(_, f)| f.clone()));
                let next = self.frame(facts, decision, tree.len());
                stack.push(next);
            }
        }
        Ok(())
    }

    /// The constraint of a rule, and its head identified with a subgoal, over the rule's own constants.
    fn resolved_constraint(&mut self, rule: usize, fact: &Fact) -> Vec<Term> {
        let clause = &self.horn.clauses[rule];
        let mut parts = vec![clause.constraint];
        for (&arg, &a) in fact.args.iter().zip(clause.head.iter().flat_map(|h| &h.args)) {
            parts.push(self.store.eq(arg, a));
        }
        parts
    }

    /// The annotation of a subgoal at its arguments.
    fn annotation(&mut self, fact: &Fact) -> Vec<Term> {
        let mut subst = Substitution::new();
        let params = self.horn.preds.get(fact.pred).map_or(&[][..], |p| &p.params);
        for (&p, &a) in params.iter().zip(&fact.args) {
            subst.insert(p, a);
        }
        let store: &mut Store = self.store;
        self.annotations[fact.pred][fact.steps].iter().map(|&t| subst.apply(store, t)).collect()
    }

    /// Asks the solver of a rule whether the resolvent is satisfiable; if not, interpolates what it needed.
    fn test(&mut self, rule: usize, fact: &Fact, suffix: &[(Term, usize)]) -> Result<Resolvent, String> {
        let parts = self.resolved_constraint(rule, fact);
        let mut assumptions = parts[1..].to_vec();
        assumptions.extend(suffix.iter().map(|s| s.0));
        let premises = self.premises(rule, fact.steps.saturating_sub(1));
        assumptions.extend(premises.iter().map(|p| p.0));
        let solver = &mut self.solvers[rule].solver;
        match solver.check_assuming(self.store, &assumptions, self.budget) {
            Answer::Sat => {
                return Ok(Resolvent::Satisfiable(solver.model().cloned().unwrap_or_default()));
            }
            Answer::Unknown(reason) => return Err(reason.to_string()),
            Answer::Unsat => {}
        }
        let core: rustc_hash::FxHashSet<Term> = solver.core().iter().copied().collect();
        let mut prefix = parts;
        prefix.extend(premises.iter().filter(|p| core.contains(&p.0)).map(|p| p.1));
        let rest: Vec<(Term, usize)> = suffix.iter().copied().filter(|s| core.contains(&s.0)).collect();
        let used = rest.iter().map(|s| s.1).max().unwrap_or(0);
        let a = self.store.and(&prefix);
        let b: Vec<Term> = rest.iter().map(|s| s.0).collect();
        let b = self.store.and(&b);
        let config = ItpConfig { verify: false, ..ItpConfig::default() };
        let interpolant = match interpolate_sequence(self.store, &[a, b], &config, self.budget) {
            Ok(found) => found[0],
            Err(Failure::Unknown(reason)) => return Err(reason.to_string()),
            Err(failure) => match separate(self.store, a, b, self.budget) {
                Some(found) => found,
                None => return Err(failure.to_string()),
            },
        };
        Ok(Resolvent::Refuted(self.generalise(&prefix, interpolant), used))
    }

    /// Drops disjuncts of an interpolant as long as the prefix implies the rest.
    fn generalise(&mut self, prefix: &[Term], interpolant: Term) -> Term {
        if !self.config.generalise || self.store.op(interpolant) != Op::Or {
            return interpolant;
        }
        let mut disjuncts = self.store.args(interpolant).to_vec();
        let mut solver = Solver::default();
        prefix.iter().for_each(|&p| solver.assert(p));
        let mut n = 0;
        while n < disjuncts.len() {
            let denied: Vec<Term> = disjuncts
                .iter()
                .enumerate()
                .filter(|(i, _)| *i != n)
                .map(|(_, &d)| self.store.not(d))
                .collect();
            if solver.check_assuming(self.store, &denied, self.budget) == Answer::Unsat {
                let core = solver.core().to_vec();
                let before = disjuncts[..n].to_vec();
                disjuncts.retain(|&d| core.contains(&self.store.not(d)));
                n = before.iter().filter(|d| disjuncts.contains(d)).count();
            } else {
                n += 1;
            }
        }
        self.store.or(&disjuncts)
    }

    /// The derivation that a goal without subgoals stands for.
    fn derivation(&mut self, stack: &[Frame], tree: &[Vertex]) -> Result<Derivation, String> {
        let mut solver = Solver::default();
        stack.iter().flat_map(|f| &f.decision).for_each(|&d| solver.assert(d));
        if solver.check(self.store, self.budget) != Answer::Sat {
            return Err("the derivation could not be made concrete".into());
        }
        let model = solver.model().cloned().unwrap_or_default();
        let mut evaluator = Evaluator::new(self.store, &model);
        let mut order = Vec::new();
        let mut todo = vec![0];
        while let Some(v) = todo.pop() {
            order.push(v);
            todo.extend(&tree[v].premises);
        }
        let mut place = vec![0; tree.len()];
        let mut out = Derivation::default();
        for &v in order.iter().rev() {
            let mut values = Model::new();
            for &(old, new) in &tree[v].copies {
                let value = evaluator.eval(new).map_err(|e| e.to_string())?;
                values.set(self.store.as_var(old).ok_or("a constant")?, value);
            }
            let premises = tree[v].premises.iter().map(|&p| place[p]).collect();
            place[v] = out.steps.len();
            out.steps.push(DerivationStep { clause: tree[v].clause, values, premises });
        }
        Ok(out)
    }
}
