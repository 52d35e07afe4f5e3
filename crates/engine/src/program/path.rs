//! Paths in single-assignment form: are they feasible, and if not, why, as one fact about each point?

use super::art::Label;
use super::conjecture::Facts;
use super::drop_arrays::without_arrays;
use super::refine::{Interpolants, Refiner};
use crate::Reason;
use bolide_base::{Budget, IdVec, Rational};
use bolide_model::{EdgeId, LocId, Program, Step, StepFormula, Unrolling, VarId, VarKind};
use bolide_model::{Trace, TraceStep};
use bolide_smt::{Answer, Solver};
use bolide_term::{Func, Op, Sort, Store, Term};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// What came of a path.
pub enum Refutation {
    /// It is infeasible; a fact for each vertex after the first one, over the program's variables.
    Infeasible(Vec<Term>),
    /// It is infeasible, but there are no such facts in the language to which they are restricted.
    NotInLanguage,
    /// It can be executed.
    Feasible(Trace),
    /// Neither is known.
    Unknown(Reason),
}

/// A path in single-assignment form.
struct Unrolled {
    parts: Vec<Term>,
    steps: Vec<StepFormula>,
    unrolling: Unrolling,
    /// The versions of variables, each with the last part in which it is in scope.
    scopes: Vec<(Func, usize)>,
}

/// Bounds are not moved further than this.
const MAX_SLACK: i64 = 1 << 34;

/// The ranges of the program's integer variables, which hold in every state.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    facts: FxHashMap<Func, Term>,
}

impl Ranges {
    /// The ranges of a program's variables.
    pub fn new(store: &mut Store, program: &Program) -> Ranges {
        let mut facts = FxHashMap::default();
        for v in program.vars.iter() {
            let fact = program.in_range(store, v.term, v.range);
            if let Some(func) = store.as_var(v.term).filter(|_| fact != store.tru()) {
                facts.insert(func, fact);
            }
        }
        Ranges { facts }
    }

    /// The ranges of all variables, in no particular order.
    pub fn all(&self) -> impl Iterator<Item = Term> {
        self.facts.values().copied()
    }

    /// The ranges of those variables that occur in some formulas.
    pub fn of(&self, store: &Store, formulas: &[Term]) -> Vec<Term> {
        if self.facts.is_empty() {
            return Vec::new();
        }
        store.symbols(formulas.iter().copied()).iter().filter_map(|f| self.facts.get(f).copied()).collect()
    }
}

/// Unrolls paths of one program.
pub struct Paths<'p> {
    program: &'p Program,
    /// Ranges of the variables before the first step, over the program's variables.
    ranges: Ranges,
    /// Facts that hold whenever a location is reached.
    facts: Facts,
    /// The variables of terms, remembered per term.
    uses: FxHashMap<Term, Rc<[VarId]>>,
    vars: FxHashMap<Func, VarId>,
    /// The path without edges.
    empty: Unrolling,
    /// Finds interpolants.
    pub refiner: Refiner,
    /// Time spent on deciding whether paths are feasible, and on interpolants.
    pub feasibility: Duration,
    /// See above.
    pub interpolation: Duration,
}

impl<'p> Paths<'p> {
    /// Paths of a program in which some facts are known to hold.
    pub fn new(
        store: &Store,
        program: &'p Program,
        ranges: Ranges,
        facts: Facts,
        refiner: Refiner,
    ) -> Paths<'p> {
        Paths {
            program,
            ranges,
            facts,
            uses: FxHashMap::default(),
            vars: program.var_of_symbol(store),
            empty: Unrolling::new(store, program),
            refiner,
            feasibility: Duration::ZERO,
            interpolation: Duration::ZERO,
        }
    }

    /// The facts that hold whenever a location is reached.
    pub fn facts(&self, location: LocId) -> &[Term] {
        &self.facts[location]
    }

    /// The facts that hold whenever locations are reached.
    pub fn all_facts(&self) -> &Facts {
        &self.facts
    }

    /// From now on other facts are known to hold.
    pub fn assume(&mut self, facts: Facts) {
        self.facts = facts;
    }

    /// Are all constants of a formula variables of the program?
    pub fn knows(&self, store: &Store, t: Term) -> bool {
        store.symbols([t]).iter().all(|f| self.vars.contains_key(f))
    }

    /// The ranges of variables.
    pub fn ranges(&self) -> &Ranges {
        &self.ranges
    }

    fn uses(&mut self, store: &Store, t: Term) -> Rc<[VarId]> {
        let vars = &self.vars;
        let of = |t| store.symbols([t]).iter().filter_map(|f| vars.get(f).copied()).collect();
        self.uses.entry(t).or_insert_with(|| of(t)).clone()
    }

    /// The steps of the edges as they are.
    fn whole(&self, edges: &[EdgeId]) -> Vec<Step> {
        let step = |&e| self.program.main().edges[e].step().expect("calls have been inlined").clone();
        edges.iter().map(step).collect()
    }

    /// The steps of the edges without assignments that nothing after them reads.
    fn slice(&mut self, store: &Store, edges: &[EdgeId], goal: Option<&Label>) -> Vec<Step> {
        let program = self.program;
        let mut live: IdVec<VarId, bool> = program.vars.iter().map(|_| false).collect();
        let read = |paths: &mut Self, live: &mut IdVec<VarId, bool>, t: Term| {
            paths.uses(store, t).iter().for_each(|&v| live[v] = true);
        };
        for &t in goal.into_iter().flatten() {
            read(self, &mut live, t);
        }
        let mut steps = Vec::with_capacity(edges.len());
        for &e in edges.iter().rev() {
            let edge = &program.main().edges[e];
            for n in 0..self.facts[edge.to].len() {
                let fact = self.facts[edge.to][n];
                read(self, &mut live, fact);
            }
            let step = edge.step().expect("calls have been inlined");
            let assigns: Vec<(VarId, Term)> = step.assigns.iter().filter(|a| live[a.0]).copied().collect();
            assigns.iter().for_each(|a| live[a.0] = false);
            for t in assigns.iter().map(|a| a.1).chain([step.guard]) {
                read(self, &mut live, t);
            }
            steps.push(Step { guard: step.guard, assigns, inputs: step.inputs.clone() });
        }
        steps.reverse();
        steps
    }

    /// The edges with their steps in single-assignment form: one part for each, and one that denies the goal.
    fn unroll(
        &mut self,
        store: &mut Store,
        edges: &[EdgeId],
        steps: &[Step],
        goal: Option<&Label>,
    ) -> Unrolled {
        let mut unrolling = self.empty.clone();
        let mut formulas = Vec::with_capacity(edges.len());
        let mut parts = Vec::with_capacity(edges.len() + 1);
        let mut scopes = Vec::new();
        for (n, (step, &e)) in steps.iter().zip(edges).enumerate() {
            let ends = step.assigns.iter().filter_map(|a| store.as_var(unrolling.version(a.0)));
            scopes.extend(ends.map(|f| (f, n)));
            let formula = unrolling.push(store, self.program, step);
            let mut part = vec![formula.formula];
            for &fact in &self.facts[self.program.main().edges[e].to] {
                part.push(unrolling.to_path(store, fact));
            }
            parts.push(store.and(&part));
            formulas.push(formula);
        }
        let last = self.program.vars.iter_enumerated().map(|(v, _)| unrolling.version(v));
        scopes.extend(last.filter_map(|t| store.as_var(t)).map(|f| (f, edges.len())));
        if let Some(goal) = goal {
            let all = store.and(goal);
            let there = unrolling.to_path(store, all);
            parts.push(store.not(there));
        }
        Unrolled { parts, steps: formulas, unrolling, scopes }
    }

    /// A label that follows from `start` and still excludes the edges: conjuncts that are not needed are dropped, and
    /// the constants of bounds are moved as far as they can be. Bounds that grow with every round of a loop, the
    /// common way to diverge, become the last ones that matter. `None` if the edges can be taken.
    pub fn weaken(
        &mut self,
        store: &mut Store,
        start: &Label,
        edges: &[EdgeId],
        budget: &Budget,
    ) -> Option<Label> {
        let clock = Instant::now();
        let steps = self.slice(store, edges, None);
        let parts = self.unroll(store, edges, &steps, None).parts;
        let mut solver = Solver::default();
        for t in parts.iter().copied().chain(self.ranges.of(store, &[&start[..], &parts[..]].concat())) {
            solver.assert(t);
        }
        let mut excludes = |store: &mut Store, label: &[Term]| {
            let unsat = solver.check_unconfirmed(store, label, budget) == Answer::Unsat;
            unsat.then(|| solver.core().to_vec())
        };
        let mut label = excludes(store, start).map(|core| halves(store, &core));
        if let Some(label) = &mut label {
            let mut n = 0;
            while n < label.len() {
                let mut without = label.clone();
                without.remove(n);
                match excludes(store, &without) {
                    Some(core) => *label = core,
                    None => n += 1,
                }
            }
            for n in 0..label.len() {
                let bound = label[n];
                let mut holds_at = |store: &mut Store, label: &mut Label, slack: i64| {
                    let Some(relaxed) = relax(store, bound, slack) else { return false };
                    let before = std::mem::replace(&mut label[n], relaxed);
                    let holds = excludes(store, label).is_some();
                    label[n] = if holds { relaxed } else { before };
                    holds
                };
                let (mut slack, mut step) = (0, 1);
                while step < MAX_SLACK && holds_at(store, label, slack + step) {
                    slack += step;
                    step *= 2;
                }
                while step > 1 && slack > 0 {
                    step /= 2;
                    if holds_at(store, label, slack + step) {
                        slack += step;
                    }
                }
            }
            label.sort_unstable();
            label.dedup();
        }
        self.feasibility += clock.elapsed();
        label.filter(|_| !budget.exhausted())
    }

    /// Can the edges be taken one after the other from a state in which the label holds, so that afterwards `goal` (if
    /// there is one) does not hold? If not, the facts in between.
    pub fn refute(
        &mut self,
        store: &mut Store,
        start: &Label,
        edges: &[EdgeId],
        goal: Option<&Label>,
        budget: &Budget,
    ) -> Refutation {
        let clock = Instant::now();
        let mut path = self.unroll_from(store, start, edges, goal);
        let mut solver = Solver::default();
        path.parts.iter().for_each(|&p| solver.assert(p));
        let answer = solver.check(store, budget);
        self.feasibility += clock.elapsed();
        match answer {
            Answer::Unknown(reason) => Refutation::Unknown(reason.into()),
            Answer::Sat => {
                let model = solver.model().cloned().unwrap_or_default();
                Refutation::Feasible(self.trace(store, edges, &path.steps, &model))
            }
            Answer::Unsat => self.explain(store, &mut path, start, edges, goal, budget),
        }
    }

    /// As [`refute`](Paths::refute), for paths that are infeasible most likely: it does not look for an execution, and
    /// is `Unknown` if there is one.
    pub fn refute_blindly(
        &mut self,
        store: &mut Store,
        start: &Label,
        edges: &[EdgeId],
        goal: Option<&Label>,
        budget: &Budget,
    ) -> Refutation {
        let mut path = self.unroll_from(store, start, edges, goal);
        self.explain(store, &mut path, start, edges, goal, budget)
    }

    /// The edges in single-assignment form, sliced, beginning with what is known at the first vertex.
    fn unroll_from(
        &mut self,
        store: &mut Store,
        start: &Label,
        edges: &[EdgeId],
        goal: Option<&Label>,
    ) -> Unrolled {
        let sliced = self.slice(store, edges, goal);
        let mut path = self.unroll(store, edges, &sliced, goal);
        self.begin(store, start, &mut path.parts);
        path
    }

    /// Adds what holds before the first step to the first part.
    fn begin(&self, store: &mut Store, start: &Label, parts: &mut Vec<Term>) {
        let mut first = start.clone();
        first.extend(self.ranges.of(store, &[&first[..], &parts[..]].concat()));
        first.extend(parts.first());
        match parts.first_mut() {
            Some(p) => *p = store.and(&first),
            None => parts.push(store.and(&first)),
        }
    }

    /// Does no edge assign a variable of a formula? Then it holds after them if it holds before.
    pub fn keeps(&mut self, store: &Store, edges: &[EdgeId], t: Term) -> bool {
        let uses = self.uses(store, t);
        let mut steps = edges.iter().filter_map(|&e| self.program.main().edges[e].step());
        steps.all(|step| uses.iter().all(|&v| step.value_of(v).is_none()))
    }

    /// The facts along an infeasible path. If there are none in the language for the sliced path, all of it is looked at.
    fn explain(
        &mut self,
        store: &mut Store,
        path: &mut Unrolled,
        start: &Label,
        edges: &[EdgeId],
        goal: Option<&Label>,
        budget: &Budget,
    ) -> Refutation {
        let clock = Instant::now();
        let mut found = self.facts_along(store, path, goal, &[], budget);
        if matches!(found, Refutation::NotInLanguage) && goal.is_none() && start.is_empty() {
            // The language is about all variables in scope, whether this path reads them again or not.
            let whole = self.whole(edges);
            let mut path = self.unroll(store, edges, &whole, goal);
            self.begin(store, start, &mut path.parts);
            let scopes = std::mem::take(&mut path.scopes);
            found = self.facts_along(store, &mut path, goal, &scopes, budget);
        }
        self.interpolation += clock.elapsed();
        found
    }

    /// The interpolants of an infeasible path as facts over the program's variables.
    fn facts_along(
        &mut self,
        store: &mut Store,
        path: &mut Unrolled,
        goal: Option<&Label>,
        kept: &[(Func, usize)],
        budget: &Budget,
    ) -> Refutation {
        let mut parts = std::mem::take(&mut path.parts);
        if goal.is_none() {
            // An error vertex: nothing is left after the last step.
            parts.push(store.tru());
        }
        let versions =
            if self.refiner.is_split() { without_arrays(store, parts, budget) } else { vec![parts] };
        let mut interpolants = Interpolants::NotInLanguage;
        for parts in versions {
            interpolants = self.refiner.interpolate(store, &parts, kept, budget);
            if !matches!(interpolants, Interpolants::NotInLanguage) {
                break;
            }
        }
        let interpolants = match interpolants {
            Interpolants::Found(interpolants) => interpolants,
            Interpolants::NotInLanguage => return Refutation::NotInLanguage,
            Interpolants::Failed(reason) => return Refutation::Unknown(reason),
        };
        let mut facts = Vec::with_capacity(path.steps.len());
        for n in (0..path.steps.len()).rev() {
            facts.push(path.unrolling.to_program(store, self.program, interpolants[n]));
            path.unrolling.pop();
        }
        facts.reverse();
        Refutation::Infeasible(facts)
    }

    fn trace(
        &self,
        store: &Store,
        edges: &[EdgeId],
        steps: &[StepFormula],
        model: &bolide_term::Model,
    ) -> Trace {
        let initial = self
            .program
            .vars
            .iter_enumerated()
            .filter(|(_, v)| v.kind == VarKind::Global)
            .filter_map(|(id, v)| Some((id, model.value(store.as_var(v.term)?)?.clone())))
            .collect();
        let steps = edges
            .iter()
            .zip(steps)
            .map(|(&edge, s)| TraceStep {
                proc: self.program.entry,
                edge,
                inputs: Unrolling::input_values(store, model, &s.inputs),
            })
            .collect();
        Trace::new(initial, steps)
    }
}

/// Conjuncts with every equality of integers as two inequalities.
fn halves(store: &mut Store, conjuncts: &[Term]) -> Label {
    let mut out = Label::new();
    for &t in conjuncts {
        if store.op(t) == Op::Eq && store.sort_of(store.arg(t, 0)) == Sort::INT {
            let (a, b) = (store.arg(t, 0), store.arg(t, 1));
            out.extend([store.le(a, b), store.le(b, a)]);
        } else {
            out.push(t);
        }
    }
    out
}

/// An inequality between integers with its constant moved so that more satisfies it.
fn relax(store: &mut Store, t: Term, slack: i64) -> Option<Term> {
    let (atom, positive) = store.literal(t);
    if store.op(atom) != Op::Le || store.sort_of(store.arg(atom, 0)) != Sort::INT {
        return None;
    }
    let mut difference = store.linear_difference(store.arg(atom, 0), store.arg(atom, 1));
    if !positive {
        difference.scale(&Rational::MINUS_ONE);
        difference.constant += &Rational::ONE;
    }
    difference.constant -= &Rational::from(slack);
    Some(store.linear_le(difference, Sort::INT))
}

/// The conjuncts of a formula as a label.
pub fn conjuncts(store: &Store, t: Term) -> Label {
    let mut out: Label = store.conjuncts(t);
    if out.contains(&store.fls()) {
        return vec![store.fls()];
    }
    out.sort_unstable();
    out
}
