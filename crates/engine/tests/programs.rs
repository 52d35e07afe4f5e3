//! Random recursive programs: the engines for Horn clauses against all executions, one for each sequence of inputs.

use bolide_base::{Budget, Rational, Stats};
use bolide_engine::Verdict;
use bolide_engine::horn::{Engine, Settings, solve_with_summaries};
use bolide_model::program::back::trace_back;
use bolide_model::program::pass::prepare;
use bolide_model::*;
use bolide_term::{Sort, Store, Term, Value};
use bolide_testkit::Random;

/// Builds one procedure after the other over variables in [-4, 3] with exact wraps.
struct Builder<'a> {
    random: &'a mut Random,
    store: Store,
    program: Program,
    proc: ProcId,
    vars: Vec<VarId>,
    at: LocId,
}

impl Builder<'_> {
    fn any_var(&mut self) -> VarId {
        self.vars[self.random.below(self.vars.len())]
    }

    fn term(&mut self) -> Term {
        let (v, w) = (self.any_var(), self.any_var());
        let (v, w) = (self.program.vars[v].term, self.program.vars[w].term);
        let k = self.store.int(self.random.below(5) as i64 - 2);
        let sum = match self.random.below(4) {
            0 => k,
            1 => self.store.add(&[v, k]),
            2 => self.store.add(&[v, w]),
            _ => self.store.sub(v, w),
        };
        let (half, whole) = (self.store.int(4), self.store.int(8));
        let shifted = self.store.add(&[sum, half]);
        let rest = self.store.modulo(shifted, whole);
        self.store.sub(rest, half)
    }

    fn formula(&mut self) -> Term {
        let (a, b) = (self.term(), self.term());
        if self.random.below(2) == 0 { self.store.le(a, b) } else { self.store.eq(a, b) }
    }

    fn fresh(&mut self) -> LocId {
        self.program.procs[self.proc].location(Span::default())
    }

    fn step_to(&mut self, to: LocId, step: Step) {
        self.program.procs[self.proc].step(self.at, to, step, Span::default());
    }

    fn then(&mut self, step: Step) {
        let next = self.fresh();
        self.step_to(next, step);
        self.at = next;
    }

    /// Leads to one of two new places.
    fn branch(&mut self, condition: Term) -> (LocId, LocId) {
        let (yes, no) = (self.fresh(), self.fresh());
        let otherwise = self.store.not(condition);
        self.step_to(yes, Step::assume(condition));
        self.step_to(no, Step::assume(otherwise));
        (yes, no)
    }

    fn statement(&mut self) {
        match self.random.below(6) {
            0..3 => {
                let (v, t) = (self.any_var(), self.term());
                let step = Step::assign(&self.store, v, t);
                self.then(step);
            }
            3 => {
                let (condition, v, t) = (self.formula(), self.any_var(), self.term());
                let (yes, no) = self.branch(condition);
                self.at = yes;
                let step = Step::assign(&self.store, v, t);
                self.step_to(no, step);
                self.at = no;
            }
            4 => self.check(),
            _ => {
                let span = Span::default();
                let input =
                    Input { name: "bit".into(), sort: Sort::INT, range: Some((0, 1)), preferred: None, span };
                let (input, v) = (self.program.inputs.push(input), self.any_var());
                let step = self.program.havoc(&mut self.store, v, input);
                self.then(step);
            }
        }
    }

    /// An error under a condition.
    fn check(&mut self) {
        let condition = self.formula();
        let (bad, good) = self.branch(condition);
        let property = Property { name: "error".into(), span: Span::default() };
        let id = self.program.properties.push(property);
        self.program.procs[self.proc].locations[bad].error = Some(id);
        self.at = good;
    }

    fn call(&mut self, callee: ProcId, arg: Term) {
        let (next, result) = (self.fresh(), Some(self.any_var()));
        let call = Call { callee, args: vec![arg], result };
        self.program.procs[self.proc].call(self.at, next, call, Span::default());
        self.at = next;
    }

    fn finish(&mut self) {
        let exit = self.program.procs[self.proc].exit;
        let skip = Step::skip(&self.store);
        self.step_to(exit, skip);
    }
}

/// A procedure that calls itself with a smaller argument, and a caller.
fn recursive_program(random: &mut Random) -> (Store, Program) {
    let (mut store, mut program) = (Store::new(), Program::new("main"));
    let range = Some((-4, 3));
    let globals: Vec<VarId> = (0..2)
        .map(|i| program.variable(&mut store, &format!("g{i}"), Sort::INT, VarKind::Global, range))
        .collect();
    let f = program.procs.push(Procedure::new("f", Span::default()));
    let kind = VarKind::Local(f);
    let n = program.variable(&mut store, "n", Sort::INT, kind, range);
    let local = program.variable(&mut store, "local", Sort::INT, kind, range);
    let result = program.variable(&mut store, "result", Sort::INT, kind, range);
    program.procs[f].params.push(n);
    program.procs[f].result = Some(if random.below(4) == 0 { n } else { result });
    let at = program.procs[f].entry;
    let vars = vec![globals[0], globals[1], local, result];
    let mut b = Builder { random, store, program, proc: f, vars, at };
    let zero = b.store.int(0);
    let assigns = vec![(local, zero), (result, zero)];
    b.then(Step { guard: b.store.tru(), assigns, inputs: Vec::new() });
    b.statement();
    let tn = b.program.vars[n].term;
    let small = b.store.le(tn, zero);
    let (last, more) = b.branch(small);
    b.at = last;
    b.statement();
    b.finish();
    b.at = more;
    for _ in 0..1 + b.random.below(2) {
        let one = b.store.int(1);
        let less = b.store.sub(tn, one);
        b.call(f, less);
        b.statement();
    }
    b.finish();
    b.proc = b.program.entry;
    b.at = b.program.main().entry;
    b.vars = globals.clone();
    let assigns = globals.iter().map(|&v| (v, zero)).collect();
    b.then(Step { guard: b.store.tru(), assigns, inputs: Vec::new() });
    b.statement();
    let depth = b.random.below(3) as i64;
    let depth = b.store.int(depth);
    b.call(f, depth);
    b.statement();
    b.check();
    b.finish();
    (b.store, b.program)
}

/// Does some sequence of inputs lead to an error? Nothing if there are too many.
fn has_error(store: &Store, program: &Program) -> Option<bool> {
    let mut prefix: Vec<bool> = Vec::new();
    for _ in 0..20_000 {
        let mut used = 0;
        let bit = |_| {
            if used == prefix.len() {
                prefix.push(false);
            }
            used += 1;
            Value::Num(Rational::from(i64::from(prefix[used - 1])))
        };
        let (outcome, _) = Runner::new(store, program, &[]).run(store, bit, &Budget::unlimited());
        if let Outcome::Error(_) = outcome {
            return Some(true);
        }
        prefix.truncate(used);
        while prefix.last() == Some(&true) {
            prefix.pop();
        }
        match prefix.last_mut() {
            Some(last) => *last = true,
            None => return Some(false),
        }
    }
    None
}

#[test]
fn engines_agree_with_all_executions_of_recursive_programs() {
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let (mut safe, mut faulty, mut open) = (0, 0, 0);
    for _ in 0..120 {
        let (mut store, program) = recursive_program(&mut random);
        assert_eq!(program.check(&store), None);
        let Some(expected) = has_error(&store, &program) else { continue };
        let budget = Budget::unlimited().with_steps(60_000);
        let (prepared, maps) = prepare(&mut store, &program, 10_000, &Budget::unlimited()).unwrap();
        for (engine, is_prepared) in [(Engine::Pdr, false), (Engine::Pdr, true), (Engine::Bmc, true)] {
            let task = if is_prepared { &prepared } else { &program };
            match solve_with_summaries(
                &mut store,
                task,
                engine,
                &Settings::default(),
                &budget.clone(),
                &mut Stats::new(),
            ) {
                Verdict::Safe(_) => {
                    assert!(!expected, "{engine:?} missed an error");
                    safe += 1;
                }
                Verdict::Unsafe(trace) => {
                    assert!(expected, "{engine:?} made up an error");
                    let trace = if is_prepared { trace_back(&store, &maps, trace).unwrap() } else { trace };
                    let outcome = Runner::new(&store, &program, &trace.initial).replay(&store, &trace);
                    assert!(matches!(outcome, Some(Outcome::Error(_))), "{outcome:?}");
                    faulty += 1;
                }
                Verdict::Unknown(_) => open += 1,
            }
        }
    }
    assert!(safe > 30 && faulty > 150, "{safe} safe, {faulty} faulty, {open} open");
}
