//! Bounded search for derivations by stratified inlining (Lal, Qadeer, Lahiri, CAV 2012).
//!
//! The tree of all derivations of false is unfolded on demand. Each vertex stands for one fact to be derived; an
//! expanded vertex has one alternative for each rule, with a vertex for each premise. If the tree with all vertices
//! that are not expanded forbidden is satisfiable, its model is a derivation. Otherwise those vertices are expanded
//! that a model uses in which they are free, as long as they are not deeper than the bound, which then grows.

use super::HornClaim;
use crate::{Reason, Verdict};
use bolide_base::{Budget, Gauge, Stats};
use bolide_model::horn::{Derivation, DerivationStep, Horn};
use bolide_smt::{Answer, Solver};
use bolide_term::{Evaluator, Model, Sort, Store, Term};

/// An alternative of a vertex: a renamed rule.
struct Alternative {
    clause: usize,
    /// True if the rule is used.
    fires: Term,
    /// Constants of the clause and their copies.
    copies: Vec<(Term, Term)>,
    premises: Vec<usize>,
}

/// A fact to be derived.
struct Vertex {
    /// Position of the predicate, or one past the last for false.
    pred: usize,
    args: Vec<Term>,
    /// True if the fact is needed.
    needed: Term,
    depth: usize,
    alternatives: Option<Vec<Alternative>>,
}

struct Tree<'a> {
    store: &'a mut Store,
    horn: &'a Horn,
    /// For each predicate, and for false, the clauses that derive it.
    rules: Vec<Vec<usize>>,
    vertices: Vec<Vertex>,
    /// Vertices that are not expanded.
    leaves: Vec<usize>,
    solver: Solver,
}

/// Searches for a derivation. It never finds a solution, but it may find that there is no derivation.
pub fn solve(store: &mut Store, horn: &Horn, budget: &Budget, stats: &mut Stats) -> HornClaim {
    let mut rules = horn.definitions();
    rules.push((0..horn.clauses.len()).filter(|&n| horn.clauses[n].head.is_none()).collect());
    let mut tree =
        Tree { store, horn, rules, vertices: Vec::new(), leaves: Vec::new(), solver: Solver::default() };
    let root = tree.add(horn.preds.len(), Vec::new(), 0);
    let needed = tree.vertices[root].needed;
    tree.solver.assert(needed);
    let mut bound = 1;
    let verdict = loop {
        budget.note(Gauge::Depth, bound as u64);
        budget.note(Gauge::Vertices, tree.vertices.len() as u64);
        match tree.round(bound, budget) {
            Ok(Round::Derivation(d)) => break Verdict::Unsafe(d),
            Ok(Round::Expanded) => {}
            Ok(Round::Exhausted) => bound += 1 + bound / 4,
            Ok(Round::Complete) => {
                break Verdict::Unknown("there is no derivation, but no solution was looked for".into());
            }
            Err(reason) => break Verdict::Unknown(reason),
        }
    };
    stats.count("bmc bound", bound as u64);
    stats.count("bmc vertices", tree.vertices.len() as u64);
    verdict
}

/// What came of one look at the tree.
enum Round {
    Derivation(Derivation),
    /// Some leaves were expanded.
    Expanded,
    /// Nothing more can be done within the bound.
    Exhausted,
    /// There is no derivation of any depth.
    Complete,
}

impl Tree<'_> {
    fn add(&mut self, pred: usize, args: Vec<Term>, depth: usize) -> usize {
        let needed = self.store.fresh_var("needed", Sort::BOOL);
        self.leaves.push(self.vertices.len());
        self.vertices.push(Vertex { pred, args, needed, depth, alternatives: None });
        self.vertices.len() - 1
    }

    fn round(&mut self, bound: usize, budget: &Budget) -> Result<Round, Reason> {
        let forbidden =
            |store: &mut Store, vertices: &[Vertex], leaves: &[usize], from: usize| -> Vec<Term> {
                let deep = leaves.iter().filter(|&&v| vertices[v].depth >= from);
                deep.map(|&v| store.not(vertices[v].needed)).collect()
            };
        let all = forbidden(self.store, &self.vertices, &self.leaves, 0);
        match self.solver.check_assuming(self.store, &all, budget) {
            Answer::Sat => {
                return self.derivation().map(Round::Derivation).ok_or("a term cannot be evaluated".into());
            }
            Answer::Unknown(reason) => return Err(reason.into()),
            Answer::Unsat if self.solver.core().is_empty() => return Ok(Round::Complete),
            Answer::Unsat => {}
        }
        let deep = forbidden(self.store, &self.vertices, &self.leaves, bound);
        match self.solver.check_assuming(self.store, &deep, budget) {
            Answer::Unknown(reason) => return Err(reason.into()),
            Answer::Unsat if self.solver.core().is_empty() => return Ok(Round::Complete),
            Answer::Unsat => return Ok(Round::Exhausted),
            Answer::Sat => {}
        }
        let model = self.solver.model().cloned().unwrap_or_default();
        let wanted: Vec<usize> = {
            let mut evaluator = Evaluator::new(self.store, &model);
            let mut used = |v: &usize| evaluator.holds(self.vertices[*v].needed) == Ok(true);
            self.leaves.iter().copied().filter(|v| used(v)).collect()
        };
        self.leaves.retain(|v| !wanted.contains(v));
        for v in wanted {
            self.expand(v);
        }
        Ok(Round::Expanded)
    }

    /// Adds the alternatives of a vertex.
    fn expand(&mut self, v: usize) {
        let (pred, depth, needed) = (self.vertices[v].pred, self.vertices[v].depth, self.vertices[v].needed);
        let mut alternatives = Vec::new();
        let mut choice = vec![self.store.not(needed)];
        for n in 0..self.rules[pred].len() {
            let clause = self.rules[pred][n];
            let (copy, copies) = self.horn.clauses[clause].renamed(self.store);
            let fires = self.store.fresh_var("fires", Sort::BOOL);
            let mut parts = vec![copy.constraint];
            for (i, &a) in copy.head.iter().flat_map(|h| &h.args).enumerate() {
                let arg = self.vertices[v].args[i];
                parts.push(self.store.eq(arg, a));
            }
            let mut premises = Vec::new();
            for a in &copy.body {
                let p = self.add(a.pred.index(), a.args.clone(), depth + 1);
                parts.push(self.vertices[p].needed);
                premises.push(p);
            }
            let meaning = self.store.and(&parts);
            let guarded = self.store.implies(fires, meaning);
            self.solver.assert(guarded);
            choice.push(fires);
            alternatives.push(Alternative { clause, fires, copies, premises });
        }
        let choice = self.store.or(&choice);
        self.solver.assert(choice);
        self.vertices[v].alternatives = Some(alternatives);
    }

    /// The derivation that the model of the last query is.
    fn derivation(&self) -> Option<Derivation> {
        let model = self.solver.model()?;
        let mut evaluator = Evaluator::new(self.store, model);
        let mut order: Vec<(usize, &Alternative)> = Vec::new();
        let mut todo = vec![0];
        while let Some(v) = todo.pop() {
            let alternatives = self.vertices[v].alternatives.as_ref()?;
            let used = alternatives.iter().find(|a| evaluator.holds(a.fires) == Ok(true))?;
            todo.extend(&used.premises);
            order.push((v, used));
        }
        // Premises come after what needs them; in a derivation it is the other way round.
        order.reverse();
        let mut place = vec![0; self.vertices.len()];
        let mut out = Derivation::default();
        for (v, used) in order {
            let mut values = Model::new();
            for &(old, new) in &used.copies {
                values.set(self.store.as_var(old)?, evaluator.eval(new).ok()?);
            }
            let premises = used.premises.iter().map(|&p| place[p]).collect();
            place[v] = out.steps.len();
            out.steps.push(DerivationStep { clause: used.clause, values, premises });
        }
        Some(out)
    }
}
