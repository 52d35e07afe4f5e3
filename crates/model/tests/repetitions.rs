//! Derivations that leave rounds out: what is accepted, and what is not.

use bolide_base::Rational;
use bolide_model::Span;
use bolide_model::horn::{Atom, Clause, Derivation, DerivationStep, Horn, PredId, ReplayError};
use bolide_model::repetition::Repetition;
use bolide_term::{Evaluator, Model, Sort, Store, Term, Value};
use bolide_testkit::{Random, rounds};

/// A loop over some numbers: where it starts, its guard, and what becomes of the numbers.
struct Loop {
    store: Store,
    horn: Horn,
    state: Vec<Term>,
}

impl Loop {
    fn new(
        sort: Sort,
        mut store: Store,
        start: &[Value],
        make: impl Fn(&mut Store, &[Term]) -> (Term, Vec<Term>),
    ) -> Loop {
        let mut horn = Horn::default();
        let pred = horn.add_predicate(&mut store, "p", &vec![sort; start.len()]);
        let state: Vec<Term> = (0..start.len()).map(|n| store.fresh_var(&format!("x{n}"), sort)).collect();
        let start = start.iter().map(|v| v.to_term(&mut store, sort)).collect();
        let (guard, next) = make(&mut store, &state);
        let atom = |args: Vec<Term>| Atom { pred, args };
        let (always, span) = (store.tru(), Span::default());
        horn.clauses = vec![
            Clause { head: Some(atom(start)), body: Vec::new(), constraint: always, span },
            Clause { head: Some(atom(next)), body: vec![atom(state.clone())], constraint: guard, span },
            Clause { head: None, body: vec![atom(state.clone())], constraint: always, span },
        ];
        assert_eq!(pred, PredId::new(0));
        Loop { store, horn, state }
    }

    fn values(&self, state: &[Value]) -> Model {
        let mut model = Model::new();
        for (&v, value) in self.state.iter().zip(state) {
            model.set(self.store.as_var(v).unwrap(), value.clone());
        }
        model
    }

    fn head(&self, clause: usize, values: &Model) -> Vec<Value> {
        let args = &self.horn.clauses[clause].head.as_ref().unwrap().args;
        args.iter().map(|&t| Evaluator::new(&self.store, values).eval(t).unwrap()).collect()
    }

    /// So many listed rounds, so many that are left out, and the query for a state.
    fn derivation(&self, listed: usize, times: u64, last: &[Value]) -> Derivation {
        let mut steps = vec![DerivationStep { clause: 0, values: Model::new(), premises: Vec::new() }];
        let mut state = self.head(0, &Model::new());
        for n in 0..listed {
            let values = self.values(&state);
            state = self.head(1, &values);
            steps.push(DerivationStep { clause: 1, values, premises: vec![n] });
        }
        steps.push(DerivationStep { clause: 2, values: self.values(last), premises: vec![listed] });
        let repetitions = vec![Repetition { last: listed, period: 1, times }];
        Derivation { steps, repetitions }
    }

    fn replay(&self, derivation: &Derivation) -> Result<(), ReplayError> {
        derivation.replay(&self.store, &self.horn).map(|_| ())
    }
}

fn int(n: i64) -> Value {
    Value::Num(Rational::from(n))
}

fn counter() -> Loop {
    Loop::new(Sort::INT, Store::new(), &[int(0), int(7)], |s, state| {
        let (one, three, end) = (s.int(1), s.int(3), s.int(1_000_000_000_000));
        let guard = s.lt(state[0], end);
        (guard, vec![s.add(&[state[0], one]), s.sub(state[1], three)])
    })
}

#[test]
fn a_trillion_rounds_are_seen_to_be_right() {
    let l = counter();
    let rounds = 1_000_000_000_000;
    let right = [int(rounds), int(7 - 3 * rounds)];
    assert_eq!(l.replay(&l.derivation(4, rounds as u64 - 4, &right)), Ok(()));
    assert_eq!(l.replay(&l.derivation(9, rounds as u64 - 9, &right)), Ok(()));
}

#[test]
fn another_number_of_rounds_is_refused() {
    let l = counter();
    let right = [int(1000), int(7 - 3000)];
    assert_eq!(l.replay(&l.derivation(4, 996, &right)), Ok(()));
    for times in [0, 995, 997, u64::MAX] {
        assert!(l.replay(&l.derivation(4, times, &right)).is_err(), "{times}");
    }
    // One round more than the guard allows.
    let rounds = 1_000_000_000_001;
    let wrong = [int(rounds), int(7 - 3 * rounds)];
    assert_eq!(l.replay(&l.derivation(4, rounds as u64 - 4, &wrong)), Err(ReplayError::Repetition(4)));
}

#[test]
fn too_few_samples_and_strange_periods_are_refused() {
    let l = counter();
    let right = [int(1000), int(7 - 3000)];
    assert_eq!(l.replay(&l.derivation(3, 997, &right)), Err(ReplayError::Repetition(3)));
    for period in [0, 2, 5, usize::MAX] {
        let mut d = l.derivation(4, 996, &right);
        d.repetitions[0].period = period;
        assert_eq!(l.replay(&d), Err(ReplayError::Repetition(4)), "{period}");
    }
    for last in [0, 3, 5, 6, usize::MAX] {
        let mut d = l.derivation(4, 996, &right);
        d.repetitions[0].last = last;
        assert!(l.replay(&d).is_err(), "{last}");
    }
    let mut twice = l.derivation(4, 498, &right);
    twice.repetitions.push(twice.repetitions[0]);
    assert!(l.replay(&twice).is_err());
}

#[test]
fn two_steps_may_be_a_round() {
    let l = counter();
    let mut d = l.derivation(8, 496, &[int(1000), int(7 - 3000)]);
    d.repetitions[0].period = 2;
    assert_eq!(l.replay(&d), Ok(()));
}

#[test]
fn sums_are_polynomials_and_a_gap_in_the_middle_is_seen() {
    let sum = |hole: i64| {
        Loop::new(Sort::INT, Store::new(), &[int(0), int(0)], move |s, state| {
            let (one, hole) = (s.int(1), s.int(hole));
            let there = s.eq(state[1], hole);
            let guard = s.not(there);
            (guard, vec![s.add(&[state[0], one]), s.add(&[state[1], state[0]])])
        })
    };
    let rounds = 100_000i64;
    let last = [int(rounds), int(rounds * (rounds - 1) / 2)];
    // The sum is 45 after ten rounds, and never 46.
    assert_eq!(sum(46).replay(&sum(46).derivation(4, 10, &[int(14), int(91)])), Ok(()));
    assert!(sum(45).replay(&sum(45).derivation(4, 10, &[int(14), int(91)])).is_err());
    // Where a value is passed over is not seen for all rounds at once, and these are too many to be executed.
    assert!(sum(46).replay(&sum(46).derivation(4, rounds as u64 - 4, &last)).is_err());
    assert_eq!(sum(-1).replay(&sum(-1).derivation(4, rounds as u64 - 4, &last)), Ok(()));
}

/// Words of eight bits that count by three, as long as a condition holds.
fn words(guard: impl Fn(&mut Store, Term) -> Term) -> Loop {
    let mut store = Store::new();
    let sort = store.bv_sort(8);
    Loop::new(sort, store, &[word(250)], |s, state| {
        let three = s.bv_u64(8, 3);
        let guard = guard(s, state[0]);
        (guard, vec![s.bv_add(state[0], three)])
    })
}

fn word(n: u64) -> Value {
    Value::Bv(8, n.into())
}

#[test]
fn words_wrap() {
    let l = words(|s, _| s.tru());
    let after = |rounds: u64| [word((250 + 3 * rounds) % 256)];
    for rounds in [1004, 1_000_000_004] {
        assert_eq!(l.replay(&l.derivation(4, rounds - 4, &after(rounds))), Ok(()));
        assert!(l.replay(&l.derivation(4, rounds - 4, &after(rounds + 1))).is_err());
    }
}

#[test]
fn words_that_are_compared_are_followed_up_to_the_wrap() {
    let after = |rounds: u64| [word((250 + 3 * rounds) % 256)];
    // From the third round on it is 3, 6, ..., 255.
    let l = words(|s, v| {
        let two = s.bv_u64(8, 2);
        let small = s.bv_ule(v, two);
        let high = s.bv_u64(8, 249);
        let large = s.bv_ult(high, v);
        let between = s.bv_ult(two, v);
        s.or(&[small, large, between])
    });
    assert_eq!(l.replay(&l.derivation(4, 80, &after(84))), Ok(()));
    let l = words(|s, v| {
        let least = s.bv_u64(8, 128);
        s.bv_sle(least, v)
    });
    assert_eq!(l.replay(&l.derivation(4, 1_000, &after(1_004))), Ok(()));
    // All that is not 30; the wrap is executed.
    let l = words(|s, v| {
        let there = s.bv_u64(8, 30);
        let there = s.eq(v, there);
        s.not(there)
    });
    assert_eq!(l.replay(&l.derivation(4, 8, &after(12))), Ok(()));
    assert!(l.replay(&l.derivation(4, 9, &after(13))).is_err());
    assert!(l.replay(&l.derivation(4, 1_000_000, &after(1_000_004))).is_err());
}

/// A numeral, or a word.
fn numeral(s: &mut Store, width: Option<u32>, n: u32) -> Term {
    match width {
        Some(w) => s.bv_u64(w, u64::from(n) % (1 << w)),
        None => s.int(n.into()),
    }
}

/// A number or a word that is made of those of the state.
fn random_number(random: &mut Random, s: &mut Store, width: Option<u32>, state: &[Term], depth: u32) -> Term {
    let n = random.pick(&[1, 1, 2, 3, 5, 7, 16, 100]);
    let k = numeral(s, width, n);
    if depth == 0 || random.one_in(4) {
        return if random.one_in(3) { k } else { random.pick(state) };
    }
    let a = random_number(random, s, width, state, depth - 1);
    let b = random_number(random, s, width, state, depth - 1);
    match (width, random.below(9u32)) {
        (None, 0..=3) => s.add(&[a, b]),
        (None, 4) => s.sub(a, b),
        (None, 5) => s.mul(&[k, a]),
        (None, 6) => s.modulo(a, k),
        (None, 7) => s.div(a, k),
        (Some(_), 0..=2) => s.bv_add(a, b),
        (Some(_), 3) => s.bv_sub(a, b),
        (Some(_), 4) => s.bv_mul(k, a),
        (Some(_), 5) => s.bv_and(a, k),
        (Some(_), 6) => s.bv_xor(a, k),
        (Some(_), 7) => s.bv_urem(a, k),
        _ => {
            let c = random_guard(random, s, width, state, 0);
            s.ite(c, a, b)
        }
    }
}

fn random_guard(random: &mut Random, s: &mut Store, width: Option<u32>, state: &[Term], depth: u32) -> Term {
    if depth > 0 && random.flip() {
        let a = random_guard(random, s, width, state, depth - 1);
        let b = random_guard(random, s, width, state, depth - 1);
        return match random.below(3u32) {
            0 => s.and(&[a, b]),
            1 => s.or(&[a, b]),
            _ => s.not(a),
        };
    }
    let [a, b] = [(); 2].map(|()| random_number(random, s, width, state, 1));
    match (width, random.below(4u32)) {
        (_, 0) => {
            let equal = s.eq(a, b);
            s.not(equal)
        }
        (None, _) => s.le(a, b),
        (Some(_), 1) => s.bv_ule(a, b),
        (Some(_), 2) => s.bv_slt(a, b),
        (Some(_), _) => s.bv_ult(a, b),
    }
}

/// Whatever is accepted can be executed round by round, and comes to the same state.
#[test]
fn nothing_is_accepted_that_cannot_be_executed() {
    let mut random = Random::new(2718);
    let (mut accepted, mut refused) = (0, 0);
    for n in 0..rounds(4000) {
        let width = random.pick(&[None, None, Some(4), Some(8), Some(16)]);
        let mut store = Store::new();
        let sort = width.map_or(Sort::INT, |w| store.bv_sort(w));
        let start: Vec<Value> = (0..1 + random.below(2u32))
            .map(|_| random.pick(&[0u32, 1, 5, 13]))
            .map(|v| width.map_or_else(|| int(v.into()), |w| Value::Bv(w, v.into())))
            .collect();
        let seed = random.bits();
        let l = Loop::new(sort, store, &start, |s, state| {
            let mut random = Random::new(seed);
            let guard = random_guard(&mut random, s, width, state, 2);
            let next = state.iter().map(|&v| match random.flip() {
                true => {
                    let by = numeral(s, width, 3);
                    if width.is_some() { s.bv_add(v, by) } else { s.add(&[v, by]) }
                }
                false => random_number(&mut random, s, width, state, 2),
            });
            (guard, next.collect())
        });
        let (listed, times) = (4 + random.below(3usize), random.pick(&[1u64, 2, 9, 70, 300, 25_000]));
        let mut facts = vec![start.clone()];
        let mut is_possible = true;
        for round in 0..listed as u64 + times {
            let values = l.values(facts.last().unwrap());
            let holds = Evaluator::new(&l.store, &values).holds(l.horn.clauses[1].constraint) == Ok(true);
            is_possible &= holds;
            if !holds && round < listed as u64 {
                break;
            }
            facts.push(l.head(1, &values));
        }
        if facts.len() <= listed {
            continue;
        }
        let repetition = Repetition { last: listed, period: 1, times };
        let claimed = repetition.fact(&facts[..=listed]).unwrap();
        let derivation = l.derivation(listed, times, &claimed);
        match l.replay(&derivation) {
            Ok(()) => {
                accepted += 1;
                assert!(is_possible && facts.last() == Some(&claimed), "{n}: {times} rounds");
            }
            Err(_) => refused += 1,
        }
    }
    assert!(accepted > 50 && refused > 50, "{accepted} {refused}");
}
