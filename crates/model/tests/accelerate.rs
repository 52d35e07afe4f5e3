//! Random loops: an acceleration of rounds against the rounds one after the other.

use bolide_base::Rational;
use bolide_model::accelerate::{Acceleration, Body, accelerate, paths};
use bolide_term::{Evaluator, Model, Sort, Store, Term, Value};
use bolide_testkit::{Random, rounds};

/// Loops over three integers and a truth value, with one choice a round.
struct Gen<'a> {
    store: Store,
    random: &'a mut Random,
    numbers: Vec<Term>,
    flag: Term,
    choice: Term,
}

impl Gen<'_> {
    fn new(random: &mut Random) -> Gen<'_> {
        let mut store = Store::new();
        let numbers = ["x", "y", "z"].map(|name| store.var(name, Sort::INT)).to_vec();
        let flag = store.var("flag", Sort::BOOL);
        let choice = store.var("choice", Sort::INT);
        Gen { store, random, numbers, flag, choice }
    }

    fn numeral(&mut self) -> Term {
        let k = self.random.between(-4, 4);
        self.store.int(k)
    }

    /// What a number becomes: the higher the manner, the stranger.
    fn next(&mut self, v: Term, manner: u32) -> Term {
        let other = self.random.pick(&self.numbers);
        let k = self.numeral();
        match manner {
            0 | 1 => self.store.add(&[v, k]),
            2 => v,
            3 => self.store.add(&[v, other]),
            4 => self.store.add(&[other, k]),
            5 => k,
            6 => self.store.add(&[v, self.choice]),
            7 => {
                let twice = self.store.scale(&Rational::from(2), other);
                self.store.add(&[v, twice, k])
            }
            8 => {
                let three = self.store.int(3);
                let rest = self.store.modulo(other, three);
                self.store.add(&[v, rest])
            }
            9 => {
                let three = self.store.int(3);
                self.store.div(other, three)
            }
            10 => self.store.neg(v),
            _ => {
                let (c, a, b) = (self.atom(), self.store.add(&[v, k]), self.numeral());
                let b = self.store.add(&[v, b]);
                self.store.ite(c, a, b)
            }
        }
    }

    fn atom(&mut self) -> Term {
        let (a, b) = (self.random.pick(&self.numbers), self.random.pick(&self.numbers));
        let k = self.random.between(-30, 30);
        let k = self.store.int(k);
        match self.random.below(9u32) {
            0..3 => self.store.le(a, k),
            3 => self.store.le(k, a),
            4 => {
                let sum = self.store.add(&[a, b]);
                self.store.le(sum, k)
            }
            5 => self.store.eq(a, k),
            6 => {
                let four = self.store.int(4);
                let rest = self.store.modulo(a, four);
                let one = self.store.int(1);
                self.store.le(rest, one)
            }
            7 => self.store.le(self.choice, k),
            _ => self.flag,
        }
    }

    fn guard(&mut self) -> Term {
        let mut parts = Vec::new();
        for _ in 0..self.random.below(3u32) {
            let (a, b) = (self.atom(), self.atom());
            let part = match self.random.below(6u32) {
                0 => self.store.or(&[a, b]),
                1 => self.store.not(a),
                2 => self.store.iff(a, b),
                _ => a,
            };
            parts.push(part);
        }
        self.store.and(&parts)
    }

    fn body(&mut self) -> Body {
        let strangest = self.random.pick(&[2, 6, 12]);
        let mut next = Vec::new();
        for v in self.numbers.clone() {
            let manner = self.random.below(strangest);
            next.push(self.next(v, manner));
        }
        let flag = match self.random.below(4u32) {
            0 => self.atom(),
            1 => self.store.tru(),
            _ => self.flag,
        };
        next.push(flag);
        let state = [self.numbers.clone(), vec![self.flag]].concat();
        Body { state, guard: self.guard(), next }
    }

    /// Values for the state, and for what is chosen.
    fn values(&mut self) -> Model {
        let mut model = Model::new();
        for v in [self.numbers.clone(), vec![self.choice]].concat() {
            let value = self.random.between(-20, 20);
            model.set(self.store.as_var(v).unwrap(), Value::Num(value.into()));
        }
        let flag = self.random.flip();
        model.set(self.store.as_var(self.flag).unwrap(), Value::Bool(flag));
        model
    }
}

/// The state after a round, and whether the guard held before it.
fn step(store: &Store, body: &Body, before: &Model) -> (bool, Model) {
    let mut evaluator = Evaluator::new(store, before);
    let holds = evaluator.holds(body.guard).unwrap();
    let mut after = before.clone();
    for (&v, &t) in body.state.iter().zip(&body.next) {
        after.set(store.as_var(v).unwrap(), evaluator.eval(t).unwrap());
    }
    (holds, after)
}

/// Compares an acceleration of some rounds from a state with these rounds. Tells whether it can be taken.
fn compare(store: &Store, body: &Body, acceleration: &Acceleration, start: &Model, count: i64) -> bool {
    let mut values = start.clone();
    for &(v, t) in &acceleration.chosen {
        let value = Evaluator::new(store, start).eval(t).unwrap();
        values.set(store.as_var(v).unwrap(), value);
    }
    let counter = store.symbols([acceleration.rounds])[0];
    let mut with_count = values.clone();
    with_count.set(counter, Value::Num(count.into()));
    let rounds = Evaluator::new(store, &with_count).eval(acceleration.rounds).unwrap();
    let rounds = rounds.as_num().and_then(Rational::to_i64).unwrap();
    let mut all_hold = true;
    let mut state = values;
    for _ in 0..rounds {
        let (holds, after) = step(store, body, &state);
        all_hold &= holds;
        state = after;
    }
    // Constants for the state afterwards have the only values that they may have.
    let of = |v: Term| Evaluator::new(store, &state).eval(v).unwrap();
    for (&v, &t) in body.state.iter().zip(&acceleration.next) {
        if let Some(func) = store.as_var(t).filter(|_| !body.state.contains(&t)) {
            with_count.set(func, of(v));
        }
    }
    let mut evaluator = Evaluator::new(store, &with_count);
    let taken = evaluator.holds(acceleration.guard).unwrap();
    if taken {
        assert!(all_hold, "a round in the acceleration cannot be taken");
        for (&v, &t) in body.state.iter().zip(&acceleration.next) {
            assert_eq!(evaluator.eval(t).unwrap(), of(v), "another state");
        }
    }
    assert!(taken || !all_hold || !acceleration.is_exact, "an exact acceleration is not taken");
    taken
}

#[test]
fn accelerations_are_rounds() {
    let mut random = Random::new(71);
    let (mut found, mut exact, mut taken) = (0, 0, 0);
    for _ in 0..rounds(20_000) {
        let mut r#gen = Gen::new(&mut random);
        let body = r#gen.body();
        for acceleration in accelerate(&mut r#gen.store, &body) {
            found += 1;
            exact += usize::from(acceleration.is_exact);
            for _ in 0..20 {
                let start = r#gen.values();
                let count = r#gen.random.pick(&[1, 2, 2, 3, 4, 4, 7, 16, 16, 19, 64]);
                taken += usize::from(compare(&r#gen.store, &body, &acceleration, &start, count));
            }
        }
    }
    assert!(found > 1000 && exact > 100 && taken > 1000, "{found} {exact} {taken}");
}

#[test]
fn paths_say_what_the_body_says() {
    let mut random = Random::new(72);
    let mut branches = 0;
    for _ in 0..rounds(5_000) {
        let mut r#gen = Gen::new(&mut random);
        let body = r#gen.body();
        let paths = paths(&mut r#gen.store, body.clone());
        branches += usize::from(paths.len() > 1);
        for _ in 0..if paths.is_empty() { 0 } else { 20 } {
            let start = r#gen.values();
            let (holds, after) = step(&r#gen.store, &body, &start);
            let mut taken = false;
            for path in &paths {
                let mut start = start.clone();
                let mut is_this = true;
                for &(v, t) in path.defined.iter().rev() {
                    let value = Evaluator::new(&r#gen.store, &start).eval(t).unwrap();
                    let func = r#gen.store.as_var(v).unwrap();
                    is_this &= start.value(func) == Some(&value);
                    start.set(func, value);
                }
                let (path_holds, path_after) = step(&r#gen.store, &path.body, &start);
                if path_holds && is_this {
                    taken = true;
                    for &v in &body.state {
                        let of = |m: &Model| Evaluator::new(&r#gen.store, m).eval(v).unwrap();
                        assert_eq!(of(&path_after), of(&after));
                    }
                }
            }
            assert_eq!(taken, holds);
        }
    }
    assert!(branches > 50, "{branches}");
}
