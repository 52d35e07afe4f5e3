//! Loops with errors after many rounds: engines on clauses with accelerations, against executing the loops.

use bolide_base::{Budget, Stats};
use bolide_engine::Verdict;
use bolide_engine::horn::{Engine, HornVerdict, Settings, solve_with};
use bolide_model::Span;
use bolide_model::horn::{Atom, Clause, Horn, PredId};
use bolide_term::{Evaluator, Model, Sort, Store, Term, Value};
use bolide_testkit::{Random, rounds};

/// Ways round a loop: guards, and the state afterwards.
type Ways = Vec<(Term, Vec<Term>)>;

/// A loop at one predicate: where it starts, and its ways round.
struct Loop {
    start: Vec<Term>,
    state: Vec<Term>,
    ways: Ways,
}

impl Loop {
    /// Its clauses, and a query for a state.
    fn horn(&self, store: &mut Store, bad: Term) -> Horn {
        let mut horn = Horn::default();
        let sorts: Vec<Sort> = self.state.iter().map(|&v| store.sort_of(v)).collect();
        let pred: PredId = horn.add_predicate(store, "p", &sorts);
        let (always, span) = (store.tru(), Span::default());
        let atom = |args: &[Term]| Atom { pred, args: args.to_vec() };
        horn.clauses.push(Clause {
            head: Some(atom(&self.start)),
            body: Vec::new(),
            constraint: always,
            span,
        });
        for (guard, next) in &self.ways {
            let (head, body) = (Some(atom(next)), vec![atom(&self.state)]);
            horn.clauses.push(Clause { head, body, constraint: *guard, span });
        }
        horn.clauses.push(Clause { head: None, body: vec![atom(&self.state)], constraint: bad, span });
        horn
    }

    /// The state after some rounds, each by the first way that is open, or where none is.
    fn execute(&self, store: &Store, rounds: usize) -> Vec<Value> {
        let nothing = Model::new();
        let mut state: Vec<Value> =
            self.start.iter().map(|&t| Evaluator::new(store, &nothing).eval(t).unwrap()).collect();
        for _ in 0..rounds {
            let mut values = Model::new();
            for (&v, value) in self.state.iter().zip(&state) {
                values.set(store.as_var(v).unwrap(), value.clone());
            }
            let mut evaluator = Evaluator::new(store, &values);
            let Some((_, next)) = self.ways.iter().find(|w| evaluator.holds(w.0) == Ok(true)) else { break };
            state = next.iter().map(|&t| evaluator.eval(t).unwrap()).collect();
        }
        state
    }
}

fn solve(store: &mut Store, horn: &Horn, engine: Engine, steps: u64) -> HornVerdict {
    let settings = Settings { accelerate: true, ..Settings::default() };
    solve_with(store, horn, engine, &settings, &Budget::unlimited().with_steps(steps), &mut Stats::new())
}

fn is_state(store: &mut Store, state: &[Term], values: &[Value]) -> Term {
    let mut parts = Vec::new();
    for (&v, value) in state.iter().zip(values) {
        let sort = store.sort_of(v);
        let value = value.to_term(store, sort);
        parts.push(store.eq(v, value));
    }
    store.and(&parts)
}

/// A loop in phases: each number moves by other numerals on both sides of a border.
fn random(store: &mut Store, random: &mut Random) -> Loop {
    let state: Vec<Term> = ["x", "y", "z"].iter().map(|n| store.var(n, Sort::INT)).collect();
    let start = state.iter().map(|_| store.int(random.between(-9, 9))).collect();
    let border = store.int(random.between(10, 30_000));
    let below = store.lt(state[0], border);
    let beyond = store.not(below);
    let mut ways = Vec::new();
    for guard in [below, beyond] {
        let mut next = Vec::new();
        for (n, &v) in state.iter().enumerate() {
            // The first number counts towards the border.
            let change = if n == 0 { random.between(1, 3) } else { random.between(-3, 3) };
            let change = store.int(change);
            next.push(match random.below(8u32) {
                0 if n > 0 => store.add(&[state[n - 1], change]),
                1 if n > 1 => change,
                _ => store.add(&[v, change]),
            });
        }
        ways.push((guard, next));
    }
    Loop { start, state, ways }
}

#[test]
fn deep_states_of_random_loops_are_found() {
    let mut source = Random::new(5);
    let (mut found, all) = (0, rounds(60));
    for _ in 0..all {
        let mut store = Store::new();
        let l = random(&mut store, &mut source);
        let depth = source.below(40_000usize);
        let last = l.execute(&store, depth);
        let bad = is_state(&mut store, &l.state, &last);
        let horn = l.horn(&mut store, bad);
        match solve(&mut store, &horn, Engine::Bmc, 200_000) {
            Verdict::Unsafe(_) => found += 1,
            Verdict::Safe(_) => panic!("a state that is reached is excluded"),
            Verdict::Unknown(_) => {}
        }
    }
    assert!(found * 10 >= all * 9, "{found} of {all}");
}

#[test]
fn engines_agree_on_clauses_that_are_accelerated() {
    let mut source = Random::new(6);
    for _ in 0..rounds(20) {
        let mut store = Store::new();
        let l = random(&mut store, &mut source);
        // A state that may or may not be reached.
        let mut last = l.execute(&store, source.below(2_000usize));
        if let Value::Num(n) = &mut last[1] {
            *n += &source.between(-1, 1).into();
        }
        let bad = is_state(&mut store, &l.state, &last);
        let horn = l.horn(&mut store, bad);
        let verdicts = [Engine::Bmc, Engine::Pdr, Engine::Tpa, Engine::Impact]
            .map(|engine| solve(&mut store.clone(), &horn, engine, 20_000));
        let is_safe = verdicts.iter().any(|v| matches!(v, Verdict::Safe(_)));
        let is_unsafe = verdicts.iter().any(|v| matches!(v, Verdict::Unsafe(_)));
        assert!(!is_safe || !is_unsafe);
    }
}

/// The deepest state of a loop over integers that starts with zeros, as a query.
fn found(names: &[&str], make: impl Fn(&mut Store, &[Term]) -> (Ways, Term)) -> bool {
    let mut store = Store::new();
    let state: Vec<Term> = names.iter().map(|n| store.var(n, Sort::INT)).collect();
    let start = names.iter().map(|_| store.int(0)).collect();
    let (ways, bad) = make(&mut store, &state);
    let l = Loop { start, state, ways };
    let horn = l.horn(&mut store, bad);
    matches!(solve(&mut store, &horn, Engine::Bmc, 500_000), Verdict::Unsafe(_))
}

#[test]
fn sums_of_counters() {
    assert!(found(&["i", "s"], |s, v| {
        let (one, end) = (s.int(1), s.int(12_000_000));
        let next = vec![s.add(&[v[0], one]), s.add(&[v[1], v[0]])];
        (vec![(s.tru(), next)], s.lt(end, v[1]))
    }));
}

#[test]
fn a_choice_in_every_round() {
    assert!(found(&["x", "t"], |s, v| {
        let choice = s.var("choice", Sort::INT);
        let (zero, one, seven) = (s.int(0), s.int(1), s.int(7));
        let guards = [s.le(zero, choice), s.le(choice, seven)];
        let guard = s.and(&guards);
        let next = vec![s.add(&[v[0], choice]), s.add(&[v[1], one])];
        let (x, t) = (s.int(700_000), s.int(100_000));
        let parts = [s.eq(v[0], x), s.eq(v[1], t)];
        (vec![(guard, next)], s.and(&parts))
    }));
}

#[test]
fn a_sign_that_changes() {
    assert!(found(&["x", "t"], |s, v| {
        let (one, three) = (s.int(1), s.int(3));
        let other = s.sub(one, v[1]);
        let next = vec![s.add(&[v[0], three]), other];
        let x = s.int(300_003);
        let parts = [s.eq(v[0], x), s.eq(v[1], one)];
        (vec![(s.tru(), next)], s.and(&parts))
    }));
}

#[test]
fn ways_in_turns() {
    // Odd numbers go up by three, even ones by one.
    assert!(found(&["x", "n"], |s, v| {
        let (zero, one, two, three) = (s.int(0), s.int(1), s.int(2), s.int(3));
        let rest = s.modulo(v[0], two);
        let even = s.eq(rest, zero);
        let odd = s.not(even);
        let up = |s: &mut Store, by: Term| vec![s.add(&[v[0], by]), s.add(&[v[1], one])];
        let ways = vec![(even, up(s, one)), (odd, up(s, three))];
        let (x, n) = (s.int(400_000), s.int(200_000));
        let parts = [s.eq(v[0], x), s.eq(v[1], n)];
        (ways, s.and(&parts))
    }));
}
