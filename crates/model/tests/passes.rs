//! Random programs: every pass keeps the set of reachable errors, and every trace of the result goes back to an
//! execution of the original that ends in the same way.

use bolide_base::{Budget, Rational};
use bolide_model::program::back::prepare_recorded;
use bolide_model::program::back::{BackMap, trace_back};
use bolide_model::program::boxes;
use bolide_model::program::pass::{Blocks, bound_recursion};
use bolide_model::program::pass::{
    inline, large_blocks, narrow, prepare, prune, scalarise, slice, specialise, tidy,
};
use bolide_model::*;
use bolide_term::{Evaluator, Model, Sort, Store, Term, Value};
use bolide_testkit::Random;
use std::collections::{BTreeMap, BTreeSet};

/// Builds random structured programs over variables in [-8, 7] with exact wraps.
struct Gen<'a> {
    rng: &'a mut Random,
    store: Store,
    program: Program,
    vars: Vec<VarId>,
    /// An array, accessed mostly at constant indices.
    memory: VarId,
    /// May it be accessed at other indices?
    any_index: bool,
    proc: ProcId,
    procs: Vec<ProcId>,
    havocs: u32,
    counters: u32,
}

impl Gen<'_> {
    fn term(&mut self, depth: u32) -> Term {
        if depth == 0 || self.rng.below(3) == 0 {
            return if self.rng.below(3) == 0 {
                let k = self.rng.below(9) as i64 - 4;
                self.store.int(k)
            } else {
                let v = self.vars[self.rng.below(self.vars.len() as u64) as usize];
                self.program.vars[v].term
            };
        }
        let (a, b) = (self.term(depth - 1), self.term(depth - 1));
        match self.rng.below(3) {
            0 => self.store.add(&[a, b]),
            1 => self.store.sub(a, b),
            _ => {
                let k = Rational::from(self.rng.below(3) as i64 + 1);
                self.store.scale(&k, a)
            }
        }
    }

    fn wrapped(&mut self, t: Term) -> Term {
        let (half, whole) = (self.store.int(8), self.store.int(16));
        let shifted = self.store.add(&[t, half]);
        let rest = self.store.modulo(shifted, whole);
        self.store.sub(rest, half)
    }

    fn formula(&mut self) -> Term {
        let (a, b) = (self.term(2), self.term(1));
        let (a, b) = (self.wrapped(a), self.wrapped(b));
        if self.rng.below(2) == 0 { self.store.le(a, b) } else { self.store.eq(a, b) }
    }

    fn step(&mut self, from: LocId, to: LocId, step: Step) {
        self.program.procs[self.proc].step(from, to, step, Span::default());
    }

    fn fresh(&mut self) -> LocId {
        self.program.procs[self.proc].location(Span::default())
    }

    fn assign(&mut self, from: LocId, to: LocId) {
        let v = self.vars[self.rng.below(self.vars.len() as u64) as usize];
        let t = self.term(2);
        let t = self.wrapped(t);
        let memory = self.program.vars[self.memory].term;
        let step = match self.rng.below(6) {
            0 => {
                let i = self.index();
                let written = self.store.store(memory, i, t);
                Step::assign(&self.store, self.memory, written)
            }
            1 => {
                let i = self.index();
                let read = self.store.select(memory, i);
                Step::assign(&self.store, v, read)
            }
            _ => Step::assign(&self.store, v, t),
        };
        self.step(from, to, step);
    }

    fn index(&mut self) -> Term {
        if self.any_index && self.rng.below(4) == 0 {
            return self.term(1);
        }
        let i = self.rng.below(3) as i64;
        self.store.int(i)
    }

    fn block(&mut self, from: LocId, to: LocId, depth: u32) {
        let mut at = from;
        for _ in 0..self.rng.below(3) + 1 {
            let next = self.fresh();
            self.statement(at, next, depth);
            at = next;
        }
        let skip = Step::skip(&self.store);
        self.step(at, to, skip);
    }

    fn statement(&mut self, from: LocId, to: LocId, depth: u32) {
        let kind = self.rng.below(if depth == 0 { 5 } else { 9 });
        match kind {
            0 | 1 => self.assign(from, to),
            2 | 3 if self.havocs < 4 => {
                self.havocs += 1;
                let input = self.program.inputs.push(Input {
                    name: "nondet".into(),
                    sort: Sort::INT,
                    range: Some((0, 1)),
                    preferred: None,
                    span: Span::default(),
                });
                let v = self.vars[self.rng.below(self.vars.len() as u64) as usize];
                let step = self.program.havoc(&mut self.store, v, input);
                self.step(from, to, step);
            }
            4 => {
                let c = self.formula();
                let error = self.fresh();
                let name = format!("error {}", self.program.properties.len());
                let id = self.program.properties.push(Property { name, span: Span::default() });
                self.program.procs[self.proc].locations[error].error = Some(id);
                self.branch(c, from, error, to);
            }
            5 | 6 => {
                let c = self.formula();
                let (a, b) = (self.fresh(), self.fresh());
                self.branch(c, from, a, b);
                self.block(a, to, depth - 1);
                self.block(b, to, depth - 1);
            }
            7 => self.counted_loop(from, to, depth),
            8 if !self.procs.is_empty() => {
                let callee = self.procs[self.rng.below(self.procs.len() as u64) as usize];
                let arg = self.term(1);
                let arg = self.wrapped(arg);
                let result = Some(self.vars[self.rng.below(self.vars.len() as u64) as usize]);
                let call = Call { callee, args: vec![arg], result };
                self.program.procs[self.proc].call(from, to, call, Span::default());
            }
            _ => self.assign(from, to),
        }
    }

    fn branch(&mut self, c: Term, from: LocId, yes: LocId, no: LocId) {
        let nc = self.store.not(c);
        self.step(from, yes, Step::assume(c));
        self.step(from, no, Step::assume(nc));
    }

    fn counted_loop(&mut self, from: LocId, to: LocId, depth: u32) {
        self.counters += 1;
        let name = format!("count{}", self.counters);
        let kind = VarKind::Local(self.proc);
        let v = self.program.variable(&mut self.store, &name, Sort::INT, kind, Some((-8, 7)));
        let t = self.program.vars[v].term;
        let (zero, one) = (self.store.int(0), self.store.int(1));
        let bound = self.rng.below(3) as i64;
        let bound = self.store.int(bound);
        let (head, body, end) = (self.fresh(), self.fresh(), self.fresh());
        let (init, more) = (Step::assign(&self.store, v, zero), self.store.lt(t, bound));
        self.step(from, head, init);
        self.branch(more, head, body, to);
        let old = std::mem::replace(&mut self.havocs, 4);
        self.block(body, end, depth - 1);
        self.havocs = old;
        let up = self.store.add(&[t, one]);
        let up = self.wrapped(up);
        let step = Step::assign(&self.store, v, up);
        self.step(end, head, step);
    }
}

fn generate(rng: &mut Random) -> (Store, Program) {
    let mut store = Store::new();
    let mut program = Program::new("main");
    let range = Some((-8, 7));
    let globals: Vec<VarId> = (0..3)
        .map(|i| program.variable(&mut store, &format!("g{i}"), Sort::INT, VarKind::Global, range))
        .collect();
    let array = store.array_sort(Sort::INT, Sort::INT);
    let memory = program.variable(&mut store, "memory", array, VarKind::Global, range);
    let any_index = rng.below(2) == 0;
    let mut g = Gen {
        rng,
        store,
        program,
        vars: Vec::new(),
        memory,
        any_index,
        proc: ProcId::new(0),
        procs: Vec::new(),
        havocs: 3,
        counters: 0,
    };
    for i in 0..2 {
        let proc = g.program.procs.push(Procedure::new(format!("f{i}"), Span::default()));
        let kind = VarKind::Local(proc);
        let param = g.program.variable(&mut g.store, &format!("a{i}"), Sort::INT, kind, range);
        let result = g.program.variable(&mut g.store, &format!("r{i}"), Sort::INT, kind, range);
        g.program.procs[proc].params.push(param);
        g.program.procs[proc].result = Some(result);
        g.proc = proc;
        g.vars = globals.iter().copied().chain([param]).collect();
        let (entry, exit) = (g.program.procs[proc].entry, g.program.procs[proc].exit);
        let end = g.fresh();
        g.block(entry, end, 1);
        let t = g.term(1);
        let t = g.wrapped(t);
        let give = Step::assign(&g.store, result, t);
        g.step(end, exit, give);
        g.procs.push(proc);
    }
    g.havocs = 0;
    g.proc = g.program.entry;
    g.vars = globals.clone();
    let (entry, exit) = (g.program.main().entry, g.program.main().exit);
    let start = g.fresh();
    let zero = g.store.int(0);
    let init = Step {
        guard: g.store.tru(),
        assigns: globals.iter().map(|&v| (v, zero)).collect(),
        inputs: Vec::new(),
    };
    g.step(entry, start, init);
    g.block(start, exit, 3);
    (g.store, g.program)
}

/// How many sequences of inputs are tried at most.
const TRIES: usize = 3000;

/// What some inputs lead to.
struct Outcomes {
    errors: BTreeSet<PropertyId>,
    traces: Vec<(Outcome, Trace)>,
    /// Were all sequences of inputs tried?
    is_complete: bool,
}

/// The errors that some inputs reach, and a trace for each, by trying all sequences of inputs if they are not too many.
fn outcomes(store: &Store, program: &Program) -> Outcomes {
    let mut errors = BTreeSet::new();
    let mut traces = Vec::new();
    let mut prefix: Vec<bool> = Vec::new();
    for _ in 0..TRIES {
        let mut used = 0;
        let (outcome, trace) = Runner::new(store, program, &[]).run(
            store,
            |_| {
                if used == prefix.len() {
                    prefix.push(false);
                }
                used += 1;
                Value::Num(Rational::from(i64::from(prefix[used - 1])))
            },
            &Budget::unlimited().with_steps(5000),
        );
        if let Outcome::Error(p) = outcome {
            errors.insert(p);
        }
        traces.push((outcome, trace));
        prefix.truncate(used);
        while prefix.last() == Some(&true) {
            prefix.pop();
        }
        match prefix.last_mut() {
            Some(last) => *last = true,
            None => return Outcomes { errors, traces, is_complete: true },
        }
    }
    Outcomes { errors, traces, is_complete: false }
}

fn same_behaviour(store: &Store, original: &Program, new: &Program, maps: &[BackMap]) {
    assert_eq!(new.check(store), None);
    let before = outcomes(store, original);
    let after = outcomes(store, new);
    if before.is_complete && after.is_complete {
        assert_eq!(before.errors, after.errors, "reachable errors changed");
    } else if before.is_complete {
        assert!(after.errors.is_subset(&before.errors), "more errors are reachable");
    }
    for (outcome, trace) in after.traces {
        if let Outcome::Error(p) = outcome {
            let back = trace_back(store, maps, trace).expect("a trace goes back");
            let replayed = Runner::new(store, original, &[]).replay(store, &back);
            assert_eq!(replayed, Some(Outcome::Error(p)));
        }
    }
}

#[test]
fn passes_keep_errors_and_traces() {
    let mut rng = Random::new(0x9e37_79b9_7f4a_7c15);
    let budget = Budget::unlimited();
    let (mut reached, mut unreached, mut replaced) = (0, 0, 0);
    for _ in 0..500 {
        let (mut s, p) = generate(&mut rng);
        assert_eq!(p.check(&s), None);
        let (inlined, m) = inline(&mut s, &p, 100_000).unwrap();
        same_behaviour(&s, &p, &inlined, &[m]);
        for (new, m) in [
            prune(&s, &p),
            slice(&mut s, &p),
            narrow(&mut s, &p, &budget).unwrap(),
            large_blocks(&mut s, &p, &budget).unwrap(),
            tidy(&mut s, &p),
        ] {
            same_behaviour(&s, &p, &new, &[m]);
        }
        let (new, maps) = prepare(&mut s, &p, 100_000, &budget).unwrap();
        same_behaviour(&s, &p, &new, &maps);
        let (q, m1) = inline(&mut s, &p, 100_000).unwrap();
        if let Some((q, m2)) = scalarise(&mut s, &q) {
            replaced += 1;
            same_behaviour(&s, &p, &q, &[m1, m2]);
        }
        for limit in [10, 1000] {
            let (q, m1) = inline(&mut s, &p, 100_000).unwrap();
            let (q, m2) = specialise(&mut s, &q, limit, &budget).unwrap();
            same_behaviour(&s, &p, &q, &[m1.clone(), m2.clone()]);
            let (q, m3) = large_blocks(&mut s, &q, &budget).unwrap();
            same_behaviour(&s, &p, &q, &[m1, m2, m3]);
        }
        // Blocks, then copies of blocks, then blocks of those.
        let (q, m1) = large_blocks(&mut s, &p, &budget).unwrap();
        let (q, m2) = inline(&mut s, &q, 100_000).unwrap();
        let (q, m3) = slice(&mut s, &q);
        let (q, m4) = large_blocks(&mut s, &q, &budget).unwrap();
        same_behaviour(&s, &p, &q, &[m1, m2, m3, m4]);
        let errors = outcomes(&s, &p).errors.len();
        reached += errors;
        unreached += p.properties.len() - errors;
    }
    assert!(reached > 100 && unreached > 100, "{reached} reached, {unreached} not");
    assert!(replaced > 100, "{replaced} arrays replaced");
}

/// Boxes prove only what no execution refutes, and each of them is needed.
#[test]
fn boxes_prove_what_is_not_reached() {
    let mut rng = Random::new(0x1f12_3bb5_57ee_0a4d);
    let budget = Budget::unlimited();
    let (mut proved, mut loops) = (0, 0);
    for _ in 0..500 {
        let (mut s, p) = generate(&mut rng);
        let (mut q, _) = inline(&mut s, &p, 100_000).unwrap();
        let reached = outcomes(&s, &q).errors;
        let (main, errors) = (q.entry, q.main().locations.iter().map(|l| l.error).collect::<Vec<_>>());
        for property in p.properties.ids() {
            for (location, error) in q.procs[main].locations.iter_mut().zip(&errors) {
                location.error = error.filter(|&e| e == property);
            }
            let Ok(found) = boxes::find(&s, &q, &budget) else { continue };
            assert!(!reached.contains(&property), "an error is reached, but boxes exclude it");
            assert_eq!(boxes::check(&s, &q, &found, &budget), Ok(()));
            assert_eq!(boxes::read(&boxes::write(&found)).as_ref(), Some(&found));
            proved += 1;
            loops += usize::from(!found.0.is_empty());
            for n in 0..found.0.len() {
                let mut fewer = found.clone();
                fewer.0.remove(n);
                assert_eq!(boxes::check(&s, &q, &fewer, &budget), Err(boxes::Failure::Open));
            }
        }
    }
    assert!(proved > 100 && loops > 50, "{proved} proved, {loops} with loops");
}

/// The values of the variables of a running program.
fn state(store: &Store, program: &Program, runner: &Runner) -> Model {
    let mut model = Model::new();
    for (id, v) in program.vars.iter_enumerated() {
        model.set(store.as_var(v.term).unwrap(), runner.value(store, id).clone());
    }
    model
}

/// The least and the greatest value of each integer variable at each location, over all executions; `None` if there are
/// too many of them.
fn observed(store: &mut Store, program: &Program) -> Option<Vec<(LocId, Term)>> {
    let outcomes = outcomes(store, program);
    let mut seen: BTreeMap<LocId, BTreeMap<VarId, (Rational, Rational)>> = BTreeMap::new();
    if !outcomes.is_complete {
        return None;
    }
    for (_, trace) in outcomes.traces {
        let mut runner = Runner::new(store, program, &[]);
        let mut steps = trace.steps.iter();
        loop {
            let at = seen.entry(runner.position().1).or_default();
            for (id, _) in program.vars.iter_enumerated().filter(|(_, v)| v.sort == Sort::INT) {
                let value = runner.value(store, id).as_num().unwrap().clone();
                let range = at.entry(id).or_insert((value.clone(), value.clone()));
                *range = (range.0.clone().min(value.clone()), range.1.clone().max(value));
            }
            let Some(step) = steps.next() else { break };
            assert_eq!(runner.take(store, step.edge, &step.inputs), Ok(true));
        }
    }
    let mut invariant = Vec::new();
    for (location, ranges) in seen {
        let mut parts = Vec::new();
        for (v, (low, high)) in ranges {
            let (low, high) = (store.num(low, Sort::INT), store.num(high, Sort::INT));
            let x = program.vars[v].term;
            parts.extend([store.le(low, x), store.le(x, high)]);
        }
        invariant.push((location, store.and(&parts)));
    }
    Some(invariant)
}

/// An invariant of the prepared program comes back to formulas that hold in the program that was only inlined.
#[test]
fn invariants_come_back() {
    let mut rng = Random::new(0x0dd0_5eed_1357_9bdf);
    let (mut heads, mut told) = (0, 0);
    for n in 0..400 {
        let (mut s, p) = generate(&mut rng);
        let blocks = if n % 4 == 0 { Blocks::Single } else { Blocks::Large };
        let budget = Budget::unlimited();
        let recorded = prepare_recorded(&mut s, &p, blocks, 100_000, &budget).unwrap();
        let Some(invariant) = observed(&mut s, &recorded.prepared.0) else { continue };
        let back = recorded.invariant_back(&mut s, &invariant, &mut |_, _, _| None, &budget).unwrap();
        let inlined = &recorded.inlined;
        let at: BTreeMap<LocId, Term> = back.formulas.into_iter().collect();
        heads += at.len();
        told += at.values().filter(|&&f| f != s.tru()).count();
        for (_, trace) in outcomes(&s, inlined).traces {
            let mut runner = Runner::new(&s, inlined, &[]);
            for step in &trace.steps {
                assert_eq!(runner.take(&s, step.edge, &step.inputs), Ok(true));
                let Some(&formula) = at.get(&runner.position().1) else { continue };
                let model = state(&s, inlined, &runner);
                assert_eq!(Evaluator::new(&s, &model).holds(formula), Ok(true), "program {n}");
            }
        }
    }
    assert!(heads > 100 && told > 50, "{told} of {heads} loop heads have a formula");
}

/// What passes relied on comes back: a cell that became a variable with one value, and a loop that cannot be reached.
#[test]
fn grounds_of_passes_come_back() {
    let mut s = Store::new();
    let mut p = Program::new("main");
    let (nowhere, range) = (Span::default(), Some((-100, 100)));
    let array = s.array_sort(Sort::INT, Sort::INT);
    let memory = p.variable(&mut s, "memory", array, VarKind::Global, range);
    let [x, unused] = ["x", "unused"].map(|v| p.variable(&mut s, v, Sort::INT, VarKind::Global, range));
    let [tm, tx, tu] = [memory, x, unused].map(|v| p.vars[v].term);
    let wrong = p.properties.push(Property { name: "wrong".into(), span: nowhere });
    let [zero, one, four, five, ten] = [0, 1, 4, 5, 10].map(|n| s.int(n));
    let (written, read) = (s.store(tm, four, five), s.select(tm, four));
    let (more, other) = (s.add(&[tx, one]), s.add(&[tu, one]));
    let [low, high] = [s.lt(tx, ten), s.lt(ten, tx)];
    let [same, done] = [s.eq(read, five), s.not(low)];
    let differs = s.not(same);
    let main = &mut p.procs[ProcId::new(0)];
    let (entry, exit) = (main.entry, main.exit);
    let [head, body, far, error] = [(); 4].map(|()| main.location(nowhere));
    main.locations[error].error = Some(wrong);
    let start = vec![(memory, written), (x, zero), (unused, zero)];
    main.step(entry, head, Step { guard: s.tru(), assigns: start, inputs: Vec::new() }, nowhere);
    main.step(head, body, Step::assume(low), nowhere);
    main.step(head, exit, Step::assume(done), nowhere);
    main.step(body, error, Step::assume(differs), nowhere);
    let up = vec![(x, more), (unused, other)];
    main.step(body, head, Step { guard: same, assigns: up, inputs: Vec::new() }, nowhere);
    // Never entered.
    main.step(head, far, Step::assume(high), nowhere);
    main.step(far, far, Step::assign(&s, x, more), nowhere);
    main.step(far, error, Step::skip(&s), nowhere);
    assert_eq!(p.check(&s), None);
    let recorded = prepare_recorded(&mut s, &p, Blocks::Large, 1000, &Budget::unlimited()).unwrap();
    let everywhere = recorded.prepared.0.main().locations.ids().map(|l| (l, s.tru())).collect::<Vec<_>>();
    let back = recorded.invariant_back(&mut s, &everywhere, &mut |_, _, _| None, &Budget::unlimited());
    let spans = recorded.inlined.main();
    assert_eq!(spans.locations.len(), p.main().locations.len());
    let formulas: Vec<Term> = back.unwrap().formulas.into_iter().map(|(_, f)| f).collect();
    let [at_head, at_far] = formulas[..] else { panic!("{} loops", formulas.len()) };
    assert!(s.conjuncts(at_head).contains(&same), "a cell");
    assert!(!s.symbols([at_head]).contains(&s.as_var(tu).unwrap()), "a variable that does not matter");
    assert_eq!(at_far, s.fls(), "a loop that cannot be reached");
}

/// The formulas of an unrolled execution hold under the values of that execution.
#[test]
fn unrolled_executions_satisfy_their_formulas() {
    let mut rng = Random::new(0x1234_5678_9abc_def1);
    for _ in 0..100 {
        let (mut s, p) = generate(&mut rng);
        let (p, _) = prepare(&mut s, &p, 100_000, &Budget::unlimited()).unwrap();
        for (_, trace) in outcomes(&s, &p).traces.into_iter().take(5) {
            let mut unrolling = Unrolling::new(&s, &p);
            let mut model = Model::new();
            for v in &p.vars {
                let value = p.default_value(&s, v.sort, v.range);
                model.set(s.as_var(v.term).unwrap(), value);
            }
            let mut runner = Runner::new(&s, &p, &[]);
            for t in &trace.steps {
                let step = p.procs[t.proc].edges[t.edge].step().unwrap().clone();
                let f = unrolling.push(&mut s, &p, &step);
                assert_eq!(runner.take(&s, t.edge, &t.inputs), Ok(true));
                for (c, v) in f.inputs.iter().zip(&t.inputs) {
                    model.set(s.as_var(*c).unwrap(), v.clone());
                }
                for &(v, _) in &step.assigns {
                    let version = s.as_var(unrolling.version(v)).unwrap();
                    model.set(version, runner.value(&s, v).clone());
                }
                assert_eq!(Evaluator::new(&s, &model).holds(f.formula), Ok(true));
                for &(v, _) in &step.assigns {
                    let (now, name) = (unrolling.version(v), p.vars[v].term);
                    assert_eq!(unrolling.to_program(&mut s, &p, now), name);
                    assert_eq!(unrolling.to_path(&mut s, name), now);
                }
            }
            for _ in &trace.steps {
                unrolling.pop();
            }
            assert!(p.vars.ids().all(|v| unrolling.version(v) == p.vars[v].term));
        }
    }
}

/// A counter bounded by its loop condition needs no wrap.
#[test]
fn narrowing_removes_the_wrap_of_a_bounded_counter() {
    let mut s = Store::new();
    let mut p = Program::new("main");
    let range = Some((-(1 << 31), (1 << 31) - 1));
    let i = p.variable(&mut s, "i", Sort::INT, VarKind::Global, range);
    let n = p.variable(&mut s, "n", Sort::INT, VarKind::Global, range);
    let (ti, tn) = (p.vars[i].term, p.vars[n].term);
    let main = &mut p.procs[ProcId::new(0)];
    let (entry, exit) = (main.entry, main.exit);
    let (head, body) = (main.location(Span::default()), main.location(Span::default()));
    let (zero, one) = (s.int(0), s.int(1));
    main.step(entry, head, Step::assign(&s, i, zero), Span::default());
    let less = s.lt(ti, tn);
    let not_less = s.not(less);
    main.step(head, body, Step::assume(less), Span::default());
    main.step(head, exit, Step::assume(not_less), Span::default());
    let (half, whole) = (s.int(1 << 31), s.int(1 << 32));
    let shifted = s.add(&[ti, one, half]);
    let rest = s.modulo(shifted, whole);
    let wrapped = s.sub(rest, half);
    main.step(body, head, Step::assign(&s, i, wrapped), Span::default());
    let (q, _) = narrow(&mut s, &p, &Budget::unlimited()).unwrap();
    let edge = q.main().edges.iter().last().unwrap();
    assert_eq!(edge.step().unwrap().value_of(i), Some(s.add(&[ti, one])));
}

/// A truth value from outside may be true, alone and together with what is known.
#[test]
fn narrowing_knows_nothing_about_truth_values_from_outside() {
    let mut s = Store::new();
    let mut p = Program::new("main");
    let one_to_two = Some((1, 2));
    let b = p.variable(&mut s, "b", Sort::BOOL, VarKind::Global, None);
    let i = p.variable(&mut s, "i", Sort::INT, VarKind::Global, one_to_two);
    let [x, y] = ["x", "y"].map(|v| p.variable(&mut s, v, Sort::INT, VarKind::Global, None));
    let (tb, ti) = (p.vars[b].term, p.vars[i].term);
    let main = &mut p.procs[ProcId::new(0)];
    let (entry, exit) = (main.entry, main.exit);
    let middle = main.location(Span::default());
    let (one, zero, two) = (s.int(1), s.int(0), s.int(2));
    let (is_one, is_zero) = (s.eq(ti, one), s.eq(ti, zero));
    let (both, either) = (s.and(&[is_one, tb]), s.or(&[is_zero, tb]));
    let (from_both, from_either) = (s.ite(both, two, zero), s.ite(either, two, zero));
    main.step(entry, middle, Step::assign(&s, x, from_both), Span::default());
    main.step(middle, exit, Step::assign(&s, y, from_either), Span::default());
    let (q, _) = narrow(&mut s, &p, &Budget::unlimited()).unwrap();
    let values = [x, y].map(|v| q.main().edges.iter().find_map(|e| e.step().unwrap().value_of(v)));
    assert!(values.iter().all(|&v| v.is_some() && v != Some(zero)), "{values:?}");
}

/// `for (i = 0; i < n; i++) x = in;` is unrolled if `n` is small, and stays a loop if it is large.
#[test]
fn short_loops_are_unrolled() {
    for (rounds, is_unrolled) in [(5, true), (60, true), (1000, false)] {
        let mut s = Store::new();
        let mut p = Program::new("main");
        let [i, x] = ["i", "x"].map(|v| p.variable(&mut s, v, Sort::INT, VarKind::Global, None));
        let ti = p.vars[i].term;
        let nowhere = Span::default();
        let input = p.inputs.push(Input {
            name: "in".into(),
            sort: Sort::INT,
            range: None,
            preferred: None,
            span: nowhere,
        });
        let havoc = p.havoc(&mut s, x, input);
        let main = &mut p.procs[ProcId::new(0)];
        let (entry, exit) = (main.entry, main.exit);
        let [head, body, end] = [(); 3].map(|()| main.location(nowhere));
        let (zero, one, n) = (s.int(0), s.int(1), s.int(rounds));
        main.step(entry, head, Step::assign(&s, i, zero), nowhere);
        let less = s.lt(ti, n);
        let not_less = s.not(less);
        let next = s.add(&[ti, one]);
        main.step(head, body, Step::assume(less), nowhere);
        main.step(head, exit, Step::assume(not_less), nowhere);
        main.step(body, end, havoc, nowhere);
        main.step(end, head, Step::assign(&s, i, next), nowhere);
        let (q, _) = specialise(&mut s, &p, 1000, &Budget::unlimited()).unwrap();
        let rounds = usize::try_from(rounds).unwrap();
        let expected = if is_unrolled { 3 + 3 * rounds } else { 5 };
        assert_eq!(q.main().locations.len(), expected);
    }
}

/// `for (;;) { if (in1) f1 = !f1; … if (inn) fn = !fn; if (f1 …) … }` has one head if there are many flags, since any combination of their
/// values is possible there, and the copies of few.
#[test]
fn many_flags_of_any_combination_are_not_followed() {
    for (flags, heads) in [(2, 4), (3, 8), (4, 1), (10, 1)] {
        let mut s = Store::new();
        let mut p = Program::new("main");
        let nowhere = Span::default();
        let on = s.int(1);
        let off = s.int(0);
        let names: Vec<String> = (0..flags).map(|n| format!("f{n}")).collect();
        let vars: Vec<VarId> =
            names.iter().map(|v| p.variable(&mut s, v, Sort::INT, VarKind::Global, None)).collect();
        let terms: Vec<Term> = vars.iter().map(|&v| p.vars[v].term).collect();
        let main = &mut p.procs[ProcId::new(0)];
        let (entry, head) = (main.entry, main.location(nowhere));
        let mut at = entry;
        for (n, &v) in vars.iter().enumerate() {
            let to = if n + 1 == vars.len() { head } else { main.location(nowhere) };
            main.step(at, to, Step::assign(&s, v, off), nowhere);
            at = to;
        }
        for (n, &v) in vars.iter().enumerate() {
            let [is_on, is_off] = [(); 2].map(|()| main.location(nowhere));
            let to = if n + 1 == vars.len() { head } else { main.location(nowhere) };
            let guard = s.eq(terms[n], on);
            let other = s.not(guard);
            main.step(at, is_on, Step::assume(guard), nowhere);
            main.step(at, is_off, Step::assume(other), nowhere);
            main.step(is_on, to, Step::assign(&s, v, off), nowhere);
            main.step(is_off, to, Step::assign(&s, v, on), nowhere);
            main.step(at, to, Step::assume(s.tru()), nowhere);
            at = to;
        }
        let (q, map) = specialise(&mut s, &p, 100_000, &Budget::unlimited()).unwrap();
        let origins = q.main().locations.ids().map(|l| map.origin(q.entry, l).location);
        let copies = origins.filter(|&l| l == head).count();
        assert_eq!(copies, heads, "{flags}");
    }
}

/// `if (0 <= k && k <= most) for (i = 0; i < n; i += k) ;` has a loop for each value of `k`, if these are few.
#[test]
fn loops_that_count_by_few_numbers_are_told_apart() {
    for (most, copies) in [(3, 4), (15, 16), (16, 1)] {
        let mut s = Store::new();
        let mut p = Program::new("main");
        let [i, k, n] = ["i", "k", "n"].map(|v| p.variable(&mut s, v, Sort::INT, VarKind::Global, None));
        let [ti, tk, tn] = [i, k, n].map(|v| p.vars[v].term);
        let nowhere = Span::default();
        let main = &mut p.procs[ProcId::new(0)];
        let (entry, exit) = (main.entry, main.exit);
        let [low, high, head] = [(); 3].map(|()| main.location(nowhere));
        let (zero, greatest) = (s.int(0), s.int(most));
        let (is_low, is_high, goes_on) = (s.le(zero, tk), s.le(tk, greatest), s.lt(ti, tn));
        let ends = s.not(goes_on);
        let sum = s.add(&[ti, tk]);
        main.step(entry, low, Step::assume(is_low), nowhere);
        main.step(low, high, Step::assume(is_high), nowhere);
        main.step(high, head, Step::assign(&s, i, zero), nowhere);
        main.step(head, head, Step { guard: goes_on, ..Step::assign(&s, i, sum) }, nowhere);
        main.step(head, exit, Step::assume(ends), nowhere);
        let (q, _) = specialise(&mut s, &p, 1000, &Budget::unlimited()).unwrap();
        // Before and behind it, nothing is told apart that does not matter.
        assert_eq!(q.main().locations.len(), 3 + 2 * copies, "{most}");
    }
}

/// `f(n) = n <= 0 ? 0 : f(n - 1) + 1`, called with an input up to 3; an error if the result differs from it.
#[test]
fn recursion_is_followed_to_a_depth() {
    let mut s = Store::new();
    let mut p = Program::new("main");
    let f = p.procs.push(Procedure::new("f", Span::default()));
    let (main, nowhere) = (p.entry, Span::default());
    let [x, y] = ["x", "y"].map(|v| p.variable(&mut s, v, Sort::INT, VarKind::Local(main), None));
    let [n, r] = ["n", "r"].map(|v| p.variable(&mut s, v, Sort::INT, VarKind::Local(f), None));
    let [tx, ty, tn, tr] = [x, y, n, r].map(|v| p.vars[v].term);
    let (zero, one) = (s.int(0), s.int(1));
    let input = p.inputs.push(Input {
        name: "in".into(),
        sort: Sort::INT,
        range: Some((0, 3)),
        preferred: None,
        span: nowhere,
    });
    let havoc = p.havoc(&mut s, x, input);
    let wrong = p.properties.push(Property { name: "wrong".into(), span: nowhere });
    let proc = &mut p.procs[f];
    (proc.params, proc.result) = (vec![n], Some(r));
    let (entry, exit) = (proc.entry, proc.exit);
    let [deeper, back] = [(); 2].map(|()| proc.location(nowhere));
    let done = s.le(tn, zero);
    let not_done = s.not(done);
    proc.step(entry, exit, Step { guard: done, ..Step::assign(&s, r, zero) }, nowhere);
    proc.step(entry, deeper, Step::assume(not_done), nowhere);
    let less = s.sub(tn, one);
    proc.call(deeper, back, Call { callee: f, args: vec![less], result: Some(r) }, nowhere);
    let more = s.add(&[tr, one]);
    proc.step(back, exit, Step::assign(&s, r, more), nowhere);
    let proc = &mut p.procs[main];
    let (entry, exit) = (proc.entry, proc.exit);
    let [start, end, error] = [(); 3].map(|()| proc.location(nowhere));
    proc.locations[error].error = Some(wrong);
    proc.step(entry, start, havoc, nowhere);
    proc.call(start, end, Call { callee: f, args: vec![tx], result: Some(y) }, nowhere);
    let same = s.eq(tx, ty);
    let differ = s.not(same);
    proc.step(end, exit, Step::assume(same), nowhere);
    proc.step(end, error, Step::assume(differ), nowhere);
    assert_eq!(p.check(&s), None);
    for depth in [1, 2, 3, 4] {
        let bounded = bound_recursion(&mut s, &p, depth).expect("there is recursion");
        assert_eq!(bounded.program.check(&s), None);
        let (inlined, _) = inline(&mut s, &bounded.program, 1000).unwrap();
        assert!(inlined.main().edges.iter().all(|e| e.step().is_some()));
        let mut ends = BTreeSet::new();
        for value in 0..=3 {
            let value = |_| Value::Num(Rational::from(value));
            let (outcome, trace) =
                Runner::new(&s, &bounded.program, &[]).run(&s, value, &Budget::unlimited());
            if outcome == Outcome::Finished {
                let back = bounded.map.trace(&s, &trace).expect("a trace goes back");
                assert_eq!(Runner::new(&s, &p, &[]).replay(&s, &back), Some(Outcome::Finished));
            }
            if let Outcome::Error(e) = outcome {
                ends.insert(e);
            }
        }
        let expected = if depth < 3 { vec![bounded.too_deep] } else { Vec::new() };
        assert_eq!(ends.into_iter().collect::<Vec<_>>(), expected, "depth {depth}");
    }
}
