//! Affine equations between bits: exclusive sums of bits of variables that have the same value whenever a location is reached.
//!
//! The abstract domain is that of affine spaces over the field of two elements, and each edge is followed exactly: from the spaces of its
//! ends a SAT solver finds a step that leaves the second one, whose end then joins it, until there is none (Reps, Sagiv and Yorsh,
//! *Symbolic Implementation of the Best Transformer*, VMCAI 2004; King and Søndergaard, *Automatic Abstraction for Congruences*, VMCAI
//! 2010). Each join takes an equation away, so no chain is longer than there are bits. What is left is the strongest set of such
//! equations that is inductive: parities, shift registers and checksums are made of them.
//!
//! If the equations do not exclude the errors, they are added to the program, and another engine goes on.

use super::{Invariant, ProgramVerdict, check_invariant, no_overflow, partly_represented};
use crate::Verdict;
use bolide_base::{Budget, IdVec, Interrupt, Stats, spend};
use bolide_model::{Action, Bias, EdgeId, LocId, Program, Step};
use bolide_smt::{Answer, Reason, Solver};
use bolide_term::{Evaluator, Model, Sort, Store, Substitution, Term};
use std::collections::BTreeSet;

/// Programs with more bits have no equations.
const MOST_BITS: usize = 512;

/// Decides a program on words with the help of affine equations between its bits; another engine decides what these leave open.
pub fn solve(
    store: &mut Store,
    program: &Program,
    engine: &mut no_overflow::Run<'_>,
    budget: &Budget,
    stats: &mut Stats,
) -> ProgramVerdict {
    let under = program.main().edges.iter().flat_map(|e| &e.approximations).find(|a| a.bias == Bias::Under);
    if let Some(a) = under {
        return Verdict::Unknown(partly_represented(&a.what));
    }
    let Some(bits) = bits(store, program) else {
        return Verdict::unknown("the program has too many bits, or something else than bits");
    };
    let spaces = match Analysis::new(program, &bits).run(store, budget) {
        Ok(Some(spaces)) => spaces,
        Ok(None) => return Verdict::unknown("a step between bits could not be followed"),
        Err(interrupt) => return Verdict::unknown(interrupt),
    };
    let facts: IdVec<LocId, Term> = spaces
        .iter()
        .map(|space| {
            let formula = space.formula(store, &bits);
            bolide_term::bits_to_words(store, formula)
        })
        .collect();
    stats.count("equations between bits", spaces.iter().map(|s| s.equations().len() as u64).sum());
    let is_excluded = |l: LocId| program.main().locations[l].error.is_none() || spaces[l].is_empty();
    let mut formulas: Vec<(LocId, Term)> = facts.iter_enumerated().map(|(l, &fact)| (l, fact)).collect();
    if !program.main().locations.ids().all(is_excluded) {
        if spaces.iter().all(|s| s.is_empty() || s.equations().is_empty()) {
            return Verdict::unknown("there are no equations between bits");
        }
        let strengthened = strengthened(store, program, &facts);
        let found = match engine(store, &strengthened, budget, stats) {
            Verdict::Safe(found) => found,
            // There are no more executions with the equations than without.
            Verdict::Unsafe(trace) => return Verdict::Unsafe(trace),
            Verdict::Unknown(reason) => return Verdict::Unknown(reason),
        };
        formulas = found.formulas.iter().map(|&(l, f)| (l, store.and(&[facts[l], f]))).collect();
    }
    match check_invariant(store, program, Invariant { formulas }, budget) {
        Ok(invariant) => Verdict::Safe(invariant),
        Err(flaw) => Verdict::Unknown(flaw.into()),
    }
}

/// The program with facts that hold before its edges in their guards.
fn strengthened(store: &mut Store, program: &Program, facts: &IdVec<LocId, Term>) -> Program {
    let mut new = program.clone();
    let main = new.entry;
    for edge in new.procs[main].edges.iter_mut() {
        if let Action::Step(step) = &mut edge.action {
            step.guard = store.and(&[facts[edge.from], step.guard]);
        }
    }
    new
}

/// The bits of the variables, those with the same position in their words next to each other: circuits of sums and parities
/// go along them. `None` if there are too many, or a variable is something else.
fn bits(store: &mut Store, program: &Program) -> Option<Vec<Term>> {
    let mut placed = Vec::new();
    let main = program.main();
    let roots: Vec<Term> = main.edges.iter().filter_map(|e| e.step()).flat_map(|s| s.terms()).collect();
    let used = store.symbols(roots);
    for v in program.vars.iter() {
        if !store.as_var(v.term).is_some_and(|f| used.contains(&f)) {
            continue;
        }
        match store.bv_width(v.sort) {
            Some(width) => {
                for i in 0..width {
                    placed.push((i, store.bv_bit(i, v.term)));
                }
            }
            None if v.sort == Sort::BOOL => placed.push((0, v.term)),
            None => return None,
        }
        if placed.len() > MOST_BITS {
            return None;
        }
    }
    placed.sort_by_key(|&(i, _)| i);
    Some(placed.into_iter().map(|(_, bit)| bit).collect())
}

/// A set of positions of bits.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Row(Vec<u64>);

impl Row {
    fn new(size: usize) -> Row {
        Row(vec![0; size.div_ceil(64)])
    }

    fn has(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }

    fn flip(&mut self, i: usize) {
        self.0[i / 64] ^= 1 << (i % 64);
    }

    fn add(&mut self, other: &Row) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a ^= b);
    }

    /// The positions in the set.
    fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        let of_word =
            |(n, &word): (usize, &u64)| (0..64).filter(move |b| word >> b & 1 == 1).map(move |b| 64 * n + b);
        self.0.iter().enumerate().flat_map(of_word)
    }
}

/// An affine space over the field of two elements: a linear space of vectors whose last coordinate is one for the points.
#[derive(Clone, Debug)]
struct Space {
    size: usize,
    /// Vectors that span it, each with the position of its pivot, at which no other vector has a one.
    basis: Vec<(usize, Row)>,
}

impl Space {
    fn empty(size: usize) -> Space {
        Space { size, basis: Vec::new() }
    }

    /// All points.
    fn all(size: usize) -> Space {
        let mut space = Space::empty(size);
        for i in 0..=size {
            let mut row = Row::new(size + 1);
            row.flip(i);
            space.basis.push((i, row));
        }
        space
    }

    fn is_empty(&self) -> bool {
        self.basis.is_empty()
    }

    /// Adds a point; was it new?
    fn join(&mut self, mut point: Row) -> bool {
        for (pivot, row) in &self.basis {
            if point.has(*pivot) {
                point.add(row);
            }
        }
        let Some(pivot) = point.ones().next() else { return false };
        for (_, row) in &mut self.basis {
            if row.has(pivot) {
                row.add(&point);
            }
        }
        self.basis.push((pivot, point));
        true
    }

    /// The equations: sets of bits whose sum is one if the last position is in the set, and zero otherwise.
    fn equations(&self) -> Vec<Row> {
        let mut is_pivot = vec![false; self.size + 1];
        self.basis.iter().for_each(|(pivot, _)| is_pivot[*pivot] = true);
        let free = (0..=self.size).filter(|&i| !is_pivot[i]);
        let equation = |f: usize| {
            let mut row = Row::new(self.size + 1);
            row.flip(f);
            self.basis.iter().filter(|(_, vector)| vector.has(f)).for_each(|(pivot, _)| row.flip(*pivot));
            row
        };
        free.map(equation).collect()
    }

    /// What holds of the points.
    fn formula(&self, store: &mut Store, bits: &[Term]) -> Term {
        if self.is_empty() {
            return store.fls();
        }
        let equations: Vec<Term> = self.equations().iter().map(|e| equation(store, e, bits)).collect();
        store.and(&equations)
    }
}

/// An equation as a formula over bits.
fn equation(store: &mut Store, row: &Row, bits: &[Term]) -> Term {
    let mut sum = store.fls();
    for i in row.ones().filter(|&i| i < bits.len()) {
        sum = store.xor(sum, bits[i]);
    }
    if row.has(bits.len()) { sum } else { store.not(sum) }
}

/// Spaces at the locations, which grow until no edge leaves them.
struct Analysis<'a> {
    program: &'a Program,
    bits: &'a [Term],
    spaces: IdVec<LocId, Space>,
}

impl<'a> Analysis<'a> {
    fn new(program: &'a Program, bits: &'a [Term]) -> Analysis<'a> {
        let main = program.main();
        let mut spaces: IdVec<LocId, Space> =
            main.locations.iter().map(|_| Space::empty(bits.len())).collect();
        spaces[main.entry] = Space::all(bits.len());
        Analysis { program, bits, spaces }
    }

    /// The spaces; `None` if a query has no answer.
    fn run(mut self, store: &mut Store, budget: &Budget) -> Result<Option<IdVec<LocId, Space>>, Interrupt> {
        let main = self.program.main();
        let outgoing = main.outgoing();
        let mut work = BTreeSet::from([main.entry]);
        while let Some(l) = work.pop_first() {
            for &e in &outgoing[l] {
                budget.poll()?;
                match self.follow(store, e, budget)? {
                    Some(true) => _ = work.insert(main.edges[e].to),
                    Some(false) => {}
                    None => return Ok(None),
                }
            }
        }
        Ok(Some(self.spaces))
    }

    /// Lets the space at the end of an edge grow until the edge does not leave it; has it grown?
    fn follow(&mut self, store: &mut Store, id: EdgeId, budget: &Budget) -> Result<Option<bool>, Interrupt> {
        let edge = &self.program.main().edges[id];
        let Some(step) = edge.step() else { return Ok(None) };
        let before = self.spaces[edge.from].formula(store, self.bits);
        let after = self.after(store, step);
        let mut solver = Solver::default();
        solver.assert(before);
        solver.assert(step.guard);
        let mut has_grown = false;
        loop {
            budget.poll()?;
            let to = &mut self.spaces[edge.to];
            let stays = to.formula(store, &after);
            let leaves = store.not(stays);
            solver.push();
            solver.assert(leaves);
            let answer = solver.check(store, budget);
            match answer {
                Answer::Sat => {
                    let Some(point) = solver.model().and_then(|m| point(store, m, &after)) else {
                        return Ok(None);
                    };
                    spend(self.bits.len() as u64);
                    if !to.join(point) {
                        return Ok(None);
                    }
                    has_grown = true;
                }
                Answer::Unsat => return Ok(Some(has_grown)),
                Answer::Unknown(Reason::Interrupted(interrupt)) => return Err(interrupt),
                Answer::Unknown(_) => return Ok(None),
            }
            solver.pop(1);
        }
    }

    /// The bits after a step, over those before it.
    fn after(&self, store: &mut Store, step: &Step) -> Vec<Term> {
        let mut subst = Substitution::new();
        step.assigns.iter().for_each(|&(v, t)| subst.insert(self.program.vars[v].term, t));
        self.bits.iter().map(|&bit| subst.apply(store, bit)).collect()
    }
}

/// The values of bits in a model, with the one of all points.
fn point(store: &Store, model: &Model, bits: &[Term]) -> Option<Row> {
    let mut evaluator = Evaluator::new(store, model);
    let mut row = Row::new(bits.len() + 1);
    row.flip(bits.len());
    for (i, &bit) in bits.iter().enumerate() {
        if evaluator.holds(bit).ok()? {
            row.flip(i);
        }
    }
    Some(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(size: usize, ones: &[usize]) -> Row {
        let mut row = Row::new(size);
        ones.iter().for_each(|&i| row.flip(i));
        row
    }

    #[test]
    fn points_leave_the_equations_that_all_of_them_satisfy() {
        // Three bits: the third is the sum of the others, then its complement is allowed, too.
        let mut space = Space::empty(3);
        for point in [&[3][..], &[0, 2, 3], &[1, 2, 3], &[0, 1, 3]] {
            space.join(row(4, point));
        }
        assert!(!space.join(row(4, &[0, 1, 3])));
        let [equation] = &space.equations()[..] else { panic!("one equation") };
        assert_eq!(equation.ones().collect::<Vec<_>>(), [0, 1, 2]);
        assert!(space.join(row(4, &[0, 3])));
        assert!(space.equations().is_empty());
        assert!(Space::all(3).equations().is_empty());
    }
}
