//! Directed tests: inputs that take an execution where no test has been.
//!
//! The encoded program is executed on concrete values. Next to them, the variables that depend on inputs have terms over these inputs;
//! everything else, arrays among it, is taken as it is in that execution. Where an edge that no test has taken leaves a location on
//! the way, a solver is asked for inputs that lead there: on words, so that products, shifts and masks of machine integers are no
//! obstacle. Loops without inputs cost no more than their execution, however long they are.
//!
//! Nothing depends on how exact this is: the inputs are given to the interpreter, which alone says what is an error.

use super::testing::Found;
use bolide_base::{Budget, IBig, Rational, spend};
use bolide_front::c::Task;
use bolide_front::c::interp::{End, Interpreter, Replay};
use bolide_model::program::pass::in_words;
use bolide_model::{Action, EdgeId, InputId, LocId, ProcId, Program, Runner, Step, VarId, VarKind};
use bolide_smt::{Answer, Solver};
use bolide_term::{Evaluator, Func, Model, Sort, Store, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// How many executions are followed.
const TESTS: usize = 100;
/// How many edges one of them takes, and all of them.
const STEPS: u64 = 600_000;
const ALL_STEPS: u64 = 1_000_000;
/// How often inputs for one edge are looked for.
const TRIES: u32 = 3;
/// The effort of one question.
const SOLVER_STEPS: u64 = 200_000;
/// The work for a node of a term that is followed.
const FOLLOWED: u64 = 5;
/// Terms with more nodes are not followed.
const NODES: usize = 3_000;

/// Looks for inputs that lead into an error.
pub fn search(store: &mut Store, task: &Task, budget: &Budget) -> Option<Found> {
    let program = &task.program;
    let steps = budget.clone().with_steps(ALL_STEPS);
    let graph = Graph::new(store, program);
    let mut known = Known::default();
    let mut tests = VecDeque::from([Vec::new()]);
    for _ in 0..TESTS {
        let values = tests.pop_front()?;
        let mut execution = Execution::new(store, program, &graph, &values);
        execution.run(store, &mut known, &steps.clone().with_steps(STEPS));
        let goals = std::mem::take(&mut execution.goals);
        for goal in goals {
            if budget.exhausted() {
                return None;
            }
            if known.taken.contains(&goal.edge) {
                continue;
            }
            let Some(values) = solve(store, &goal, &values, budget) else { continue };
            let sites = goal.inputs.iter().map(|i| i.site);
            let scalars: Vec<(InputId, i128)> = sites.zip(values.iter().copied()).collect();
            let inputs = Replay::default().with_scalars(&scalars);
            let budget = budget.clone().with_steps(STEPS);
            match Interpreter::new(&task.unit).run(&mut inputs.clone(), &budget) {
                End::Error(p) if task.unsupported.iter().all(|u| u.0 != p) => {
                    return Some(Found::Inputs(inputs));
                }
                _ => tests.push_back(values),
            }
        }
    }
    None
}

/// What is looked up at every step.
struct Graph {
    vars: FxHashMap<Func, VarId>,
    outgoing: Vec<Vec<Vec<EdgeId>>>,
    /// The variables that the guard and the assigned terms of each edge mention.
    mentioned: Vec<Vec<Vec<VarId>>>,
    locals: Vec<Vec<VarId>>,
}

impl Graph {
    fn new(store: &Store, program: &Program) -> Graph {
        let name = |(v, var): (VarId, &bolide_model::Variable)| store.as_var(var.term).map(|f| (f, v));
        let vars: FxHashMap<Func, VarId> = program.vars.iter_enumerated().filter_map(name).collect();
        let mut graph = Graph { vars, outgoing: Vec::new(), mentioned: Vec::new(), locals: Vec::new() };
        for (id, p) in program.procs.iter_enumerated() {
            graph.outgoing.push(p.outgoing().iter().cloned().collect());
            let of_edge = |e: &bolide_model::Edge| -> Vec<VarId> {
                let terms: Vec<Term> = match &e.action {
                    Action::Step(step) => step.terms().collect(),
                    Action::Call(call) => call.args.clone(),
                };
                store.symbols(terms).iter().filter_map(|f| graph.vars.get(f).copied()).collect()
            };
            let mentioned = p.edges.iter().map(of_edge).collect();
            graph.mentioned.push(mentioned);
            let is_own = |v: &VarId| program.vars[*v].kind == VarKind::Local(id);
            graph.locals.push(program.vars.ids().filter(is_own).collect());
        }
        graph
    }

    fn outgoing(&self, p: ProcId, l: LocId) -> &[EdgeId] {
        &self.outgoing[p.index()][l.index()]
    }
}

/// What earlier executions have shown.
#[derive(Default)]
struct Known {
    taken: FxHashSet<(ProcId, EdgeId)>,
    tries: FxHashMap<(ProcId, EdgeId), u32>,
}

/// An input of an execution: where it is asked for, the constant that stands for it, and the least value if that constant is a word.
#[derive(Clone, Copy)]
struct Symbol {
    site: InputId,
    constant: Term,
    low: Option<i128>,
    /// The integer that it denotes.
    term: Term,
}

/// An edge that an execution could have taken.
struct Goal {
    edge: (ProcId, EdgeId),
    condition: Vec<Term>,
    inputs: Vec<Symbol>,
}

/// An edge whose step depends on inputs: its own ones with their values, and the guard as a term over inputs.
struct Followed {
    symbols: Vec<Symbol>,
    values: Vec<Value>,
    guard: Option<Term>,
}

/// A call that has not returned.
struct Frame {
    proc: ProcId,
    edge: EdgeId,
    saved: Vec<(VarId, Option<Term>)>,
}

struct Execution<'a> {
    program: &'a Program,
    graph: &'a Graph,
    values: &'a [i128],
    runner: Runner<'a>,
    /// Terms over inputs, for the variables that depend on them.
    terms: FxHashMap<VarId, Term>,
    frames: Vec<Frame>,
    proc: ProcId,
    location: LocId,
    condition: Vec<Term>,
    inputs: Vec<Symbol>,
    goals: Vec<Goal>,
}

impl<'a> Execution<'a> {
    fn new(store: &Store, program: &'a Program, graph: &'a Graph, values: &'a [i128]) -> Execution<'a> {
        Execution {
            program,
            graph,
            values,
            runner: Runner::new(store, program, &[]),
            terms: FxHashMap::default(),
            frames: Vec::new(),
            proc: program.entry,
            location: program.main().entry,
            condition: Vec::new(),
            inputs: Vec::new(),
            goals: Vec::new(),
        }
    }

    /// Follows the execution to its end, or as far as that is possible.
    fn run(&mut self, store: &mut Store, known: &mut Known, budget: &Budget) {
        while budget.poll().is_ok() {
            let procedure = &self.program.procs[self.proc];
            let is_end =
                self.location == procedure.exit || procedure.locations[self.location].error.is_some();
            if is_end || self.advance(store, known).is_none() {
                return;
            }
        }
    }

    /// Takes an edge; `None` if there is none.
    fn advance(&mut self, store: &mut Store, known: &mut Known) -> Option<()> {
        let (proc, graph, program) = (self.proc, self.graph, self.program);
        let edges = graph.outgoing(proc, self.location);
        if self.is_plain(edges) {
            return self.advance_plainly(store, known, edges);
        }
        // All guards speak about the state before the step.
        let mut open = Vec::new();
        for &e in edges {
            let Action::Step(step) = &program.procs[proc].edges[e].action else {
                return self.enter(store, e);
            };
            let is_followed = !step.inputs.is_empty()
                || graph.mentioned[proc.index()][e.index()].iter().any(|v| self.terms.contains_key(v));
            let followed = is_followed.then(|| {
                let (symbols, values) = self.symbols(store, step);
                let guard = self.followed(store, step.guard, step, &symbols, &values);
                Followed { symbols, values, guard }
            });
            open.push((e, step, followed));
        }
        let mut taken = None;
        for (n, (e, step, followed)) in open.iter().enumerate() {
            let Some(f) = followed else {
                if self.runner.take(store, *e, &[]).ok()? {
                    taken = Some((n, Vec::new()));
                    break;
                }
                continue;
            };
            let assigned: Vec<Option<Term>> = step
                .assigns
                .iter()
                .map(|&(_, t)| self.followed(store, t, step, &f.symbols, &f.values))
                .collect();
            if self.runner.take(store, *e, &f.values).ok()? {
                taken = Some((n, assigned));
                break;
            }
        }
        let (n, assigned) = taken?;
        let (edge, step, followed) = open.swap_remove(n);
        for (e, _, followed) in open {
            let Some(Followed { symbols, guard: Some(guard), .. }) = followed else { continue };
            let tries = known.tries.entry((proc, e)).or_default();
            if known.taken.contains(&(proc, e)) || *tries >= TRIES {
                continue;
            }
            *tries += 1;
            let condition = self.condition.iter().copied().chain([guard]).collect();
            let inputs = self.inputs.iter().copied().chain(symbols).collect();
            self.goals.push(Goal { edge: (proc, e), condition, inputs });
        }
        known.taken.insert((proc, edge));
        if let Some(Followed { symbols, guard, .. }) = followed {
            self.condition.extend(guard.filter(|g| *g != store.tru()));
            self.inputs.extend(symbols);
        }
        for (m, (v, _)) in step.assigns.iter().enumerate() {
            self.set(*v, assigned.get(m).copied().flatten());
        }
        self.location = program.procs[proc].edges[edge].to;
        self.leave();
        (self.runner.position() == (self.proc, self.location)).then_some(())
    }

    /// Does nothing that edges do depend on inputs?
    fn is_plain(&self, edges: &[EdgeId]) -> bool {
        let procedure = &self.program.procs[self.proc];
        edges.iter().all(|&e| {
            let mentioned = &self.graph.mentioned[self.proc.index()][e.index()];
            let has_inputs = procedure.edges[e].step().is_none_or(|s| !s.inputs.is_empty());
            !has_inputs && (self.terms.is_empty() || mentioned.iter().all(|v| !self.terms.contains_key(v)))
        })
    }

    /// Takes one of such edges.
    fn advance_plainly(&mut self, store: &Store, known: &mut Known, edges: &[EdgeId]) -> Option<()> {
        for &e in edges {
            if self.runner.take(store, e, &[]).ok()? {
                known.taken.insert((self.proc, e));
                let edge = &self.program.procs[self.proc].edges[e];
                if !self.terms.is_empty() {
                    edge.step()?.assigns.iter().for_each(|(v, _)| _ = self.terms.remove(v));
                }
                self.location = edge.to;
                self.leave();
                return (self.runner.position() == (self.proc, self.location)).then_some(());
            }
        }
        None
    }

    fn set(&mut self, v: VarId, t: Option<Term>) {
        match t {
            Some(t) => _ = self.terms.insert(v, t),
            None => _ = self.terms.remove(&v),
        }
    }

    /// The inputs of a step: what stands for them, and their values.
    fn symbols(&self, store: &mut Store, step: &Step) -> (Vec<Symbol>, Vec<Value>) {
        let (mut symbols, mut values) = (Vec::new(), Vec::new());
        for (n, &(_, site)) in step.inputs.iter().enumerate() {
            let input = &self.program.inputs[site];
            symbols.push(symbol(store, site, input.sort, input.range));
            let given = self.values.get(self.inputs.len() + n);
            let fits = |v: &i128| input.range.is_none_or(|(low, high)| (low..=high).contains(v));
            values.push(match given.filter(|v| fits(v) && input.sort == Sort::INT) {
                Some(&v) => Value::Num(Rational::from(IBig::from(v))),
                None => self.program.default_value(store, input.sort, input.range),
            });
        }
        (symbols, values)
    }

    /// A term over inputs that has the value of a term in this execution; `None` if that does not depend on inputs or is not
    /// followed.
    fn followed(
        &self,
        store: &mut Store,
        root: Term,
        step: &Step,
        symbols: &[Symbol],
        values: &[Value],
    ) -> Option<Term> {
        let own = |t: Term| step.inputs.iter().position(|i| i.0 == t);
        let order: Vec<Term> = store.post_order([root]).take(NODES + 1).collect();
        if order.len() > NODES {
            return None;
        }
        spend(FOLLOWED * (1 + order.len() as u64));
        let mut model = Model::new();
        for f in store.symbols([root]) {
            if let Some(&v) = self.graph.vars.get(&f) {
                model.set(f, self.runner.value(store, v).clone());
            }
        }
        for (&(constant, _), value) in step.inputs.iter().zip(values) {
            model.set(store.as_var(constant)?, value.clone());
        }
        let mut done: FxHashMap<Term, Term> = FxHashMap::default();
        for t in order {
            if let Some(f) = store.as_var(t) {
                let term = match own(t) {
                    Some(n) => Some(symbols[n].term),
                    None => self.graph.vars.get(&f).and_then(|v| self.terms.get(v)).copied(),
                };
                done.extend(term.map(|term| (t, term)));
                continue;
            }
            let args: Vec<Term> = store.args(t).to_vec();
            let is_array = store.array_sorts(store.sort_of(t)).is_some();
            if is_array || args.iter().all(|a| !done.contains_key(a)) {
                continue;
            }
            let new = args.iter().map(|a| done.get(a).copied().or_else(|| literal(store, &model, *a)));
            if let Some(new) = new.collect::<Option<Vec<Term>>>() {
                let new = store.rebuild(t, &new);
                done.insert(t, new);
            }
        }
        let term = done.get(&root).copied()?;
        (store.post_order([term]).take(NODES + 1).count() <= NODES).then_some(term)
    }

    fn enter(&mut self, store: &mut Store, e: EdgeId) -> Option<()> {
        let program = self.program;
        let Action::Call(call) = &program.procs[self.proc].edges[e].action else { return None };
        let nothing = Step::skip(store);
        let args: Vec<Option<Term>> =
            call.args.iter().map(|&t| self.followed(store, t, &nothing, &[], &[])).collect();
        self.runner.take(store, e, &[]).ok()?.then_some(())?;
        let locals = &self.graph.locals[call.callee.index()];
        let saved = locals.iter().map(|&v| (v, self.terms.remove(&v))).collect();
        self.frames.push(Frame { proc: self.proc, edge: e, saved });
        let callee = &program.procs[call.callee];
        for (&v, t) in callee.params.iter().zip(args) {
            self.set(v, t);
        }
        (self.proc, self.location) = (call.callee, callee.entry);
        self.leave();
        (self.runner.position() == (self.proc, self.location)).then_some(())
    }

    /// Returns from every procedure whose exit has been reached.
    fn leave(&mut self) {
        while self.location == self.program.procs[self.proc].exit
            && let Some(frame) = self.frames.pop()
        {
            let result = self.program.procs[self.proc].result.and_then(|v| self.terms.get(&v).copied());
            for (v, t) in frame.saved {
                self.set(v, t);
            }
            let edge = &self.program.procs[frame.proc].edges[frame.edge];
            if let Action::Call(call) = &edge.action
                && let Some(v) = call.result
            {
                self.set(v, result);
            }
            (self.proc, self.location) = (frame.proc, edge.to);
        }
    }
}

/// What stands for an input: a word, if its range is that of one.
fn symbol(store: &mut Store, site: InputId, sort: Sort, range: Option<(i128, i128)>) -> Symbol {
    let width = range.and_then(|(low, high)| {
        let count = high.checked_sub(low)?.checked_add(1)?;
        (sort == Sort::INT && count > 1 && count.count_ones() == 1).then_some((low, count.trailing_zeros()))
    });
    let Some((low, width)) = width else {
        let constant = store.fresh_var("input", sort);
        return Symbol { site, constant, low: None, term: constant };
    };
    let word = store.bv_sort(width);
    let constant = store.fresh_var("input", word);
    let natural = store.bv_to_nat(constant);
    let least = store.num(Rational::from(IBig::from(low)), Sort::INT);
    let term = store.add(&[natural, least]);
    Symbol { site, constant, low: Some(low), term }
}

/// The value of a term as a constant.
fn literal(store: &mut Store, model: &Model, t: Term) -> Option<Term> {
    match Evaluator::new(store, model).eval(t).ok()? {
        Value::Bool(true) => Some(store.tru()),
        Value::Bool(false) => Some(store.fls()),
        Value::Num(n) => {
            let sort = store.sort_of(t);
            Some(store.num(n, sort))
        }
        _ => None,
    }
}

/// Inputs that reach a goal; where they do not matter, those of the execution that it comes from.
fn solve(store: &mut Store, goal: &Goal, old: &[i128], budget: &Budget) -> Option<Vec<i128>> {
    let mut solver = Solver::default();
    for &t in &goal.condition {
        let t = in_words(store, t);
        solver.assert(t);
    }
    if solver.check(store, &budget.clone().with_steps(SOLVER_STEPS)) != Answer::Sat {
        return None;
    }
    let model = solver.model()?;
    let value = |(n, input): (usize, &Symbol)| {
        let found = match (store.as_var(input.constant).and_then(|f| model.value(f)), input.low) {
            (Some(Value::Bv(_, bits)), Some(low)) => {
                i128::try_from(bits.clone()).ok().and_then(|v| v.checked_add(low))
            }
            (Some(Value::Num(v)), None) => v.to_ibig().and_then(|v| i128::try_from(v).ok()),
            _ => None,
        };
        found.or_else(|| old.get(n).copied()).unwrap_or(0)
    };
    Some(goal.inputs.iter().enumerate().map(value).collect())
}
