//! Random programs over arrays: what is proved of an over-approximation is true of the program.

use bolide_base::{Budget, Rational};
use bolide_engine::Verdict;
use bolide_engine::program::impact;
use bolide_model::program::pass::{Abstraction, Blocks, prepare_blocks};
use bolide_model::*;
use bolide_term::{Sort, Store, Term, Value};
use bolide_testkit::Random;
use std::sync::Arc;
use std::time::Duration;

/// Builds loops that fill two arrays and loops that check them.
struct Builder<'a> {
    random: &'a mut Random,
    store: Store,
    program: Program,
    arrays: [VarId; 2],
    counter: VarId,
    scalar: VarId,
    bound: Term,
    error: LocId,
    at: LocId,
    /// What was written last: array, place and value.
    last: Option<(VarId, Term, Term)>,
}

impl<'a> Builder<'a> {
    fn new(random: &'a mut Random) -> Builder<'a> {
        let (mut store, mut program) = (Store::new(), Program::new("main"));
        let sort = store.array_sort(Sort::INT, Sort::INT);
        let arrays = ["a", "b"].map(|n| program.variable(&mut store, n, sort, VarKind::Global, None));
        let [counter, scalar] =
            ["i", "s"].map(|n| program.variable(&mut store, n, Sort::INT, VarKind::Global, None));
        let name = "a cell is wrong".into();
        let property = program.properties.push(Property { name, span: Span::default() });
        let main = &mut program.procs[ProcId::new(0)];
        let error = main.location(Span::default());
        main.locations[error].error = Some(property);
        let at = main.entry;
        let bound = store.int(13 + random.below(2) as i64);
        Builder { random, store, program, arrays, counter, scalar, bound, error, at, last: None }
    }

    fn term_of(&self, v: VarId) -> Term {
        self.program.vars[v].term
    }

    fn any_array(&mut self) -> VarId {
        self.arrays[self.random.below(2)]
    }

    fn place(&mut self) -> Term {
        let i = self.term_of(self.counter);
        match self.random.below(8) {
            0 => self.store.int(self.random.below(2) as i64),
            1 => {
                let one = self.store.int(1);
                self.store.sub(i, one)
            }
            2 => self.store.sub(self.bound, i),
            _ => i,
        }
    }

    fn read(&mut self) -> Term {
        let array = self.any_array();
        let (array, place) = (self.term_of(array), self.place());
        self.store.select(array, place)
    }

    fn value(&mut self) -> Term {
        let small = self.store.int(self.random.below(3) as i64);
        match self.random.below(6) {
            0 | 1 => small,
            2 => self.term_of(self.counter),
            3 => self.term_of(self.scalar),
            4 => self.read(),
            _ => {
                let read = self.read();
                self.store.add(&[read, small])
            }
        }
    }

    fn formula(&mut self) -> Term {
        let (a, b) = (self.read(), self.value());
        match self.random.below(3) {
            0 => self.store.le(a, b),
            1 => self.store.le(b, a),
            _ => self.store.eq(a, b),
        }
    }

    fn step(&mut self, from: LocId, to: LocId, step: Step) {
        self.program.procs[ProcId::new(0)].step(from, to, step, Span::default());
    }

    fn fresh(&mut self) -> LocId {
        self.program.procs[ProcId::new(0)].location(Span::default())
    }

    fn then(&mut self, step: Step) {
        let next = self.fresh();
        self.step(self.at, next, step);
        self.at = next;
    }

    fn statement(&mut self) {
        let value = self.value();
        if self.random.below(4) == 0 {
            let step = Step::assign(&self.store, self.scalar, value);
            return self.then(step);
        }
        let (array, place) = (self.any_array(), self.place());
        self.last = Some((array, place, value));
        let written = self.store.store(self.term_of(array), place, value);
        let step = Step::assign(&self.store, array, written);
        self.then(step);
    }

    fn branch(&mut self, condition: Term, yes: LocId, no: LocId) {
        let otherwise = self.store.not(condition);
        self.step(self.at, yes, Step::assume(condition));
        self.step(self.at, no, Step::assume(otherwise));
    }

    fn counted_loop(&mut self, body: impl FnOnce(&mut Self)) {
        let (start, one) = (self.store.int(self.random.below(2) as i64), self.store.int(1));
        let init = Step::assign(&self.store, self.counter, start);
        self.then(init);
        let (head, inside, after) = (self.at, self.fresh(), self.fresh());
        let i = self.term_of(self.counter);
        let goes_on = self.store.lt(i, self.bound);
        self.branch(goes_on, inside, after);
        self.at = inside;
        body(self);
        let next = self.store.add(&[i, one]);
        let step = Step::assign(&self.store, self.counter, next);
        self.step(self.at, head, step);
        self.at = after;
    }

    fn fill(&mut self) {
        if self.random.below(3) > 0 {
            return self.statement();
        }
        let condition = self.formula();
        let (yes, after) = (self.fresh(), self.fresh());
        self.branch(condition, yes, after);
        self.at = yes;
        self.statement();
        let skip = Step::skip(&self.store);
        self.step(self.at, after, skip);
        self.at = after;
    }

    fn check(&mut self) {
        let mut condition = self.formula();
        if let (Some((array, place, value)), 1..) = (self.last, self.random.below(4)) {
            let read = self.store.select(self.term_of(array), place);
            condition = self.store.eq(read, value);
        }
        let after = self.fresh();
        self.branch(condition, after, self.error);
        self.at = after;
    }
}

fn generate(random: &mut Random) -> (Store, Program, [VarId; 2]) {
    let mut b = Builder::new(random);
    if b.random.below(3) == 0 {
        b.statement();
    }
    for _ in 0..b.random.below(2) + 1 {
        b.counted_loop(Builder::fill);
    }
    b.counted_loop(Builder::check);
    if b.random.below(3) == 0 {
        b.check();
    }
    (b.store, b.program, b.arrays)
}

/// An array with small numbers in it.
fn contents(random: &mut Random, store: &Store, program: &Program, array: VarId) -> Value {
    let mut value = program.default_value(store, program.vars[array].sort, None);
    for n in -1..16 {
        let element = Rational::from(random.below(4) as i64 - 1);
        if let Value::Array(elements) = &value {
            let index = Value::Num(Rational::from(n));
            value = Value::Array(Arc::new(elements.store(index, Value::Num(element))));
        }
    }
    value
}

fn fails(random: &mut Random, store: &Store, program: &Program, arrays: [VarId; 2]) -> bool {
    (0..30).any(|_| {
        let initial = arrays.map(|a| (a, contents(random, store, program, a)));
        let zero = |_| Value::Num(Rational::from(0));
        let budget = Budget::unlimited().with_steps(5000);
        let (outcome, _) = Runner::new(store, program, &initial).run(store, zero, &budget);
        matches!(outcome, Outcome::Error(_))
    })
}

#[test]
fn no_error_is_lost() {
    let mut random = Random::new(0x2545_f491_4f6c_dd1d);
    let (mut proofs, mut errors) = ([0; 4], 0);
    for n in 0..80 {
        let (mut store, program, arrays) = generate(&mut random);
        assert_eq!(program.check(&store), None);
        let fails = fails(&mut random, &store, &program, arrays);
        errors += usize::from(fails);
        let unlimited = Budget::unlimited();
        let (prepared, _) =
            prepare_blocks(&mut store, &program, Blocks::Unsplit, 100_000, &unlimited).expect("it is small");
        for (a, abstraction) in Abstraction::ALL.into_iter().enumerate() {
            let Some(all) = abstraction.apply(&mut store, &prepared, &[&prepared]) else { continue };
            for abstracted in &all {
                assert_eq!(abstracted.check(&store), None);
            }
            let budget = unlimited.clone().with_effort(1_000_000).with_time(Duration::from_secs(5));
            let (verdict, _) = impact::run(&mut store, &all[0], &impact::Config::default(), &budget);
            if let Verdict::Safe(_) = verdict {
                assert!(!fails, "program {n} fails, but it was proved with {abstraction:?}");
                proofs[a] += 1;
            }
        }
    }
    assert!(errors > 20, "{errors} errors");
    assert!(proofs[0] > 5 && proofs[1] > 5, "{proofs:?} proofs");
}
