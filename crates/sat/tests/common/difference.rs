//! A toy theory: integer difference logic with equations that are split on demand over new variables.

#![allow(dead_code, reason = "every test file uses a part of it")]

use bolide_sat::{Context, LemmaId, Lit, Theory};
use std::collections::HashMap;

/// A constraint over integers `x` and `y`.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub enum Atom {
    /// `x - y <= c`
    Le(usize, usize, i64),
    /// `x - y = c`
    Eq(usize, usize, i64),
}

/// `to - from <= weight`
#[derive(Copy, Clone)]
struct Edge {
    from: usize,
    to: usize,
    weight: i64,
}

/// The inequalities that a literal stands for; none for a negated equation.
fn edges(atom: Atom, truth: bool) -> Vec<Edge> {
    let le = |x, y, c| Edge { from: y, to: x, weight: c };
    match (atom, truth) {
        (Atom::Le(x, y, c), true) => vec![le(x, y, c)],
        (Atom::Le(x, y, c), false) => vec![le(y, x, -c - 1)],
        (Atom::Eq(x, y, c), true) => vec![le(x, y, c), le(y, x, -c)],
        (Atom::Eq(..), false) => vec![],
    }
}

/// How to treat what propagation finds.
#[derive(Copy, Clone, Debug, Default)]
pub struct Style {
    /// Propagate literals lazily explained.
    pub propagates: bool,
    /// Look for conflicts only in complete models.
    pub lazy: bool,
    /// Conflicts are kept for good.
    pub keeps: bool,
    /// Suggest decisions.
    pub decides: bool,
}

/// The theory, which also checks that it is called as promised.
#[derive(Default)]
pub struct Difference {
    pub style: Style,
    pub points: usize,
    pub atoms: HashMap<u32, Atom>,
    pub by_atom: HashMap<Atom, Lit>,
    /// Variables in the order in which they became known, for deterministic loops.
    pub order: Vec<Lit>,
    pub trail: Vec<Lit>,
    levels: Vec<usize>,
    value: HashMap<u32, bool>,
    /// Length of the trail when the literal was propagated.
    propagated: HashMap<Lit, usize>,
    split: HashMap<u32, bool>,
    /// Every clause given, by its number.
    pub given: HashMap<LemmaId, Vec<Lit>>,
    pub explanations: usize,
    pub splits: usize,
    pub calls: usize,
}

impl Difference {
    pub fn new(points: usize, style: Style) -> Difference {
        Difference { points, style, ..Difference::default() }
    }

    pub fn register(&mut self, var: Lit, atom: Atom) {
        self.atoms.insert(var.var(), atom);
        self.by_atom.insert(atom, var);
        self.order.push(var);
    }

    fn edges_of(&self, lit: Lit) -> Vec<Edge> {
        edges(self.atoms[&lit.var()], lit.is_positive())
    }

    /// The literals of a path of weight at most `bound` from `from` to `to`, or of a negative cycle met on the way.
    /// Bellman and Ford over the first `depth` literals of the trail.
    fn path(&self, depth: usize, from: usize, to: usize, bound: i64) -> Option<Vec<Lit>> {
        let edges: Vec<(Edge, Lit)> = self.trail[..depth]
            .iter()
            .flat_map(|&lit| self.edges_of(lit).into_iter().map(move |e| (e, lit)))
            .collect();
        let mut best: Vec<Option<(i64, Vec<Lit>)>> = vec![None; self.points];
        best[from] = Some((0, vec![]));
        for _ in 0..self.points {
            for (edge, lit) in &edges {
                let Some((cost, lits)) = &best[edge.from] else { continue };
                let cost = cost + edge.weight;
                if best[edge.to].as_ref().is_none_or(|(old, _)| cost < *old) {
                    let mut lits = lits.clone();
                    lits.push(*lit);
                    best[edge.to] = Some((cost, lits));
                }
            }
        }
        let (cost, lits) = best[to].clone()?;
        (cost <= bound).then_some(lits)
    }

    /// The negation of a set of trail literals that contradict each other.
    fn find_conflict(&self) -> Option<Vec<Lit>> {
        (0..self.points).find_map(|point| {
            let lits = self.path(self.trail.len(), point, point, -1)?;
            let mut clause: Vec<Lit> = lits.into_iter().map(|lit| !lit).collect();
            clause.sort();
            clause.dedup();
            Some(clause)
        })
    }

    fn add(&mut self, ctx: &mut Context<'_>, clause: Vec<Lit>) {
        let id = if self.style.keeps { ctx.lemma(&clause) } else { ctx.conflict(&clause) };
        assert!(self.given.insert(id, clause).is_none());
    }

    /// The literals that follow from the trail as single inequalities.
    fn find_implied(&self) -> Vec<Lit> {
        let mut implied = Vec::new();
        for &var in &self.order {
            if self.value.contains_key(&var.var()) {
                continue;
            }
            for lit in [var, !var] {
                let [edge] = self.edges_of(lit)[..] else { continue };
                if self.path(self.trail.len(), edge.from, edge.to, edge.weight).is_some() {
                    implied.push(lit);
                    break;
                }
            }
        }
        implied
    }

    fn atom(&mut self, ctx: &mut Context<'_>, atom: Atom) -> Lit {
        if let Some(&var) = self.by_atom.get(&atom) {
            return var;
        }
        let var = ctx.new_var();
        self.register(var, atom);
        var
    }
}

impl Theory for Difference {
    fn assign(&mut self, lit: Lit) {
        self.calls += 1;
        assert!(self.value.insert(lit.var(), lit.is_positive()).is_none(), "{lit} assigned twice");
        self.trail.push(lit);
    }

    fn new_level(&mut self) {
        self.calls += 1;
        self.levels.push(self.trail.len());
    }

    fn backtrack(&mut self, level: usize) {
        self.calls += 1;
        let start = self.levels[level];
        self.levels.truncate(level);
        for lit in self.trail.drain(start..) {
            self.value.remove(&lit.var());
        }
        self.propagated.retain(|_, depth| *depth <= start);
    }

    fn propagate(&mut self, ctx: &mut Context<'_>) {
        if self.style.lazy {
            return;
        }
        if let Some(clause) = self.find_conflict() {
            return self.add(ctx, clause);
        }
        if self.style.propagates {
            for lit in self.find_implied() {
                self.propagated.insert(lit, self.trail.len());
                ctx.propagate(lit);
            }
        }
    }

    fn explain(&mut self, lit: Lit, lemma: LemmaId, out: &mut Vec<Lit>) {
        assert!(out.is_empty());
        self.explanations += 1;
        let depth = *self.propagated.get(&lit).unwrap_or_else(|| panic!("{lit} was not propagated"));
        let [edge] = self.edges_of(lit)[..] else { panic!("no inequality") };
        let path = self.path(depth, edge.from, edge.to, edge.weight).expect("a reason");
        out.push(lit);
        out.extend(path.into_iter().map(|lit| !lit));
        self.given.insert(lemma, out.clone());
    }

    fn check_model(&mut self, ctx: &mut Context<'_>, model: &[Lit]) -> bool {
        assert_eq!(model.len(), self.order.len());
        assert_eq!(model.len(), self.trail.len(), "the theory knows the whole model");
        for lit in model {
            assert_eq!(self.value.get(&lit.var()), Some(&lit.is_positive()));
        }
        if let Some(clause) = self.find_conflict() {
            self.add(ctx, clause);
            return false;
        }
        for var in self.order.clone() {
            let Atom::Eq(x, y, c) = self.atoms[&var.var()] else { continue };
            if self.value[&var.var()] || self.split.contains_key(&var.var()) {
                continue;
            }
            self.split.insert(var.var(), true);
            let less = self.atom(ctx, Atom::Le(x, y, c - 1));
            let more = self.atom(ctx, Atom::Le(y, x, -c - 1));
            let clause = vec![var, less, more];
            let id = ctx.lemma(&clause);
            self.given.insert(id, clause);
            self.splits += 1;
            return false;
        }
        true
    }

    fn decide(&mut self, ctx: &mut Context<'_>) -> Option<Lit> {
        let _ = ctx;
        if !self.style.decides {
            return None;
        }
        // Sometimes an assigned one, which is to be ignored.
        self.order.get(self.calls % self.order.len()).map(|&var| !var)
    }
}

/// Whether integers exist that make all the literals true.
pub fn consistent(points: usize, atoms: &HashMap<u32, Atom>, lits: &[Lit]) -> bool {
    let mut fixed = Vec::new();
    let mut choices = Vec::new();
    for lit in lits {
        match (atoms[&lit.var()], lit.is_positive()) {
            (Atom::Eq(x, y, c), false) => {
                choices.push([edges(Atom::Le(x, y, c - 1), true)[0], edges(Atom::Le(y, x, -c - 1), true)[0]]);
            }
            (atom, truth) => fixed.extend(edges(atom, truth)),
        }
    }
    (0..1usize << choices.len()).any(|choice| {
        let chosen = choices.iter().enumerate().map(|(i, pair)| pair[choice >> i & 1]);
        feasible(points, &fixed.iter().copied().chain(chosen).collect::<Vec<_>>())
    })
}

fn feasible(points: usize, edges: &[Edge]) -> bool {
    let mut potential = vec![0; points];
    for _ in 0..=points {
        let mut changed = false;
        for edge in edges {
            let cost = potential[edge.from] + edge.weight;
            if cost < potential[edge.to] {
                potential[edge.to] = cost;
                changed = true;
            }
        }
        if !changed {
            return true;
        }
    }
    false
}
