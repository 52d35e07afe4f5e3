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
}

/// A vertex of the tree that resolution builds.
#[derive(Default)]
struct Vertex {
    clause: usize,
    copies: Vec<(Term, Term)>,
    premises: Vec<usize>,
}

/// A rule that was resolved in.
struct Step {
    clause: usize,
    copies: Vec<(Term, Term)>,
    subgoals: Vec<Fact>,
    /// Its constraint, with its head identified with the subgoal.
    formula: Term,
}

/// A call of SEARCH.
struct Frame {
    facts: Vec<Fact>,
    /// What this frame adds to the constraint of the goal.
    decision: Vec<Term>,
    /// The subgoal that is resolved.
    pick: usize,
    next_rule: usize,
    /// A bound on the subgoal for each rule that failed.
    bounds: Vec<Term>,
    /// The call of RSTEP that is under way.
    step: Option<Step>,
    /// Vertices before this frame's step.
    vertices: usize,
}

/// What a resolvent is.
enum Resolvent {
    Satisfiable(Model),
    /// The body that was resolved in satisfies this, the rest of the goal contradicts it.
    Refuted(Term),
}

impl Frame {
    fn new(facts: Vec<Fact>, decision: Vec<Term>, vertices: usize) -> Frame {
        // The subgoal with the most steps left has the least annotation.
        let pick = (0..facts.len()).max_by_key(|&n| facts[n].steps).unwrap_or(0);
        Frame { facts, decision, pick, next_rule: 0, bounds: Vec::new(), step: None, vertices }
    }
}

impl Annotator<'_> {
    /// Searches for a derivation of false within a bound; if there is none, the annotations say so afterwards.
    pub fn search(&mut self, bound: usize) -> Result<Option<Derivation>, String> {
        let error = self.rules.len() - 1;
        let mut tree = vec![Vertex::default()];
        let root = Fact { pred: error, steps: bound, args: Vec::new(), vertex: 0 };
        if self.annotations[error][bound].contains(&self.store.fls()) {
            return Ok(None);
        }
        let mut stack = vec![Frame::new(vec![root], Vec::new(), tree.len())];
        while let Some(top) = stack.last_mut() {
            self.budget.check().map_err(|i| i.to_string())?;
            if top.facts.is_empty() {
                return self.derivation(&stack, &tree).map(Some);
            }
            let fact = top.facts[top.pick].clone();
            if top.step.is_none() {
                match self.rules[fact.pred].get(top.next_rule) {
                    Some(&clause) => {
                        top.next_rule += 1;
                        tree.truncate(top.vertices);
                        let step = self.resolve(&fact, clause, &mut tree);
                        // Without steps left no premise can be derived.
                        if step.subgoals.is_empty() || fact.steps > 1 {
                            top.step = Some(step);
                        }
                    }
                    None => {
                        let annotation = self.store.or(&top.bounds);
                        self.annotations[fact.pred][fact.steps].push(annotation);
                        stack.pop();
                    }
                }
                continue;
            }
            self.advance(&mut stack, &mut tree)?;
        }
        Ok(None)
    }

    /// One round of RSTEP: refutes the resolvent, or decides and searches deeper.
    fn advance(&mut self, stack: &mut Vec<Frame>, tree: &mut [Vertex]) -> Result<(), String> {
        let decisions: Vec<Term> = stack.iter().flat_map(|f| f.decision.iter().copied()).collect();
        let Some(top) = stack.last_mut() else { return Ok(()) };
        let Some(step) = &top.step else { return Ok(()) };
        let fact = &top.facts[top.pick];
        let mut prefix = vec![step.formula];
        for f in &step.subgoals {
            prefix.extend(self.annotation(f));
        }
        let mut suffix = decisions;
        for (n, f) in top.facts.iter().enumerate() {
            if n != top.pick {
                suffix.extend(self.annotation(f));
            }
        }
        match self.test(&prefix, &suffix)? {
            Resolvent::Refuted(interpolant) => {
                let interpolant = self.generalise(&prefix, interpolant);
                let mut to_params = Substitution::new();
                let params = self.horn.preds.get(fact.pred).map_or(&[][..], |p| &p.params);
                for (&a, &p) in fact.args.iter().zip(params) {
                    to_params.insert(a, p);
                }
                let bound = to_params.apply(self.store, interpolant);
                top.bounds.push(bound);
                top.step = None;
            }
            Resolvent::Satisfiable(model) => {
                let decision = if self.config.minterms {
                    implicant(self.store, &[step.formula], &model).ok_or("a term cannot be evaluated")?
                } else {
                    vec![step.formula]
                };
                let mut facts = step.subgoals.clone();
                facts.extend(
                    top.facts.iter().enumerate().filter(|(n, _)| *n != top.pick).map(|(_, f)| f.clone()),
                );
                let vertex = &mut tree[fact.vertex];
                vertex.clause = step.clause;
                vertex.copies = step.copies.clone();
                vertex.premises = step.subgoals.iter().map(|f| f.vertex).collect();
                let next = Frame::new(facts, decision, tree.len());
                stack.push(next);
            }
        }
        Ok(())
    }

    /// A copy of a rule whose head is a subgoal.
    fn resolve(&mut self, fact: &Fact, clause: usize, tree: &mut Vec<Vertex>) -> Step {
        self.resolutions += 1;
        let (copy, copies) = self.horn.clauses[clause].renamed(self.store);
        let mut parts = vec![copy.constraint];
        for (&arg, &a) in fact.args.iter().zip(copy.head.iter().flat_map(|h| &h.args)) {
            parts.push(self.store.eq(arg, a));
        }
        let mut subgoals = Vec::new();
        for a in &copy.body {
            let vertex = tree.len();
            tree.push(Vertex::default());
            let steps = fact.steps.saturating_sub(1);
            subgoals.push(Fact { pred: a.pred.index(), steps, args: a.args.clone(), vertex });
        }
        Step { clause, copies, subgoals, formula: self.store.and(&parts) }
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

    fn test(&mut self, prefix: &[Term], suffix: &[Term]) -> Result<Resolvent, String> {
        let (a, b) = (self.store.and(prefix), self.store.and(suffix));
        let config = ItpConfig { verify: false, ..ItpConfig::default() };
        match interpolate_sequence(self.store, &[a, b], &config, self.budget) {
            Ok(found) => Ok(Resolvent::Refuted(found[0])),
            Err(Failure::Sat(model)) => Ok(Resolvent::Satisfiable(*model)),
            Err(Failure::Unknown(reason)) => Err(reason.to_string()),
            Err(failure) => match separate(self.store, a, b, self.budget) {
                Some(found) => Ok(Resolvent::Refuted(found)),
                None => Err(failure.to_string()),
            },
        }
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
