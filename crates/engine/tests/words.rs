//! Random systems over words of three bits: every form that clauses about words are brought into, against the set of derivable
//! facts, computed by saturation.

use bolide_base::{Budget, Stats};
use bolide_engine::Verdict;
use bolide_engine::horn::{Engine, Locations, Settings, solve_with};
use bolide_model::Span;
use bolide_model::horn::{Atom, Clause, Horn, PredId, pass};
use bolide_term::{Evaluator, Model, Store, Term, UBig, Value};
use bolide_testkit::Random;
use std::collections::BTreeSet;

const WIDTH: u32 = 3;
const VARS: usize = 3;

/// A random word over some constants.
fn word(s: &mut Store, r: &mut Random, vars: &[Term], depth: usize) -> Term {
    if depth == 0 || r.below(3) == 0 {
        return if r.below(3) == 0 {
            s.bv_const(WIDTH, UBig::from(r.below(1u64 << WIDTH)))
        } else {
            vars[r.below(vars.len())]
        };
    }
    let (a, b) = (word(s, r, vars, depth - 1), word(s, r, vars, depth - 1));
    let k = s.bv_const(WIDTH, UBig::from(r.below(1u64 << WIDTH)));
    match r.below(16) {
        0..=3 => s.bv_add(a, b),
        4 => s.bv_sub(a, b),
        5 => s.bv_mul(k, a),
        6 => s.bv_neg(a),
        7 => s.bv_not(a),
        8 => s.bv_udiv(a, k),
        9 => s.bv_urem(a, k),
        10 => s.bv_and(a, k),
        11 => s.bv_or(a, b),
        12 => {
            let (high, low) = (s.bv_extract(1, 0, a), s.bv_extract(2, 2, b));
            s.bv_concat(high, low)
        }
        13 => {
            let part = s.bv_extract(2, 1, a);
            s.bv_sign_extend(1, part)
        }
        14 => match r.below(3) {
            0 => s.bv_shl(a, k),
            1 => s.bv_lshr(a, k),
            _ => s.bv_ashr(a, k),
        },
        _ => {
            let c = s.bv_slt(a, b);
            s.ite(c, b, k)
        }
    }
}

fn comparison(s: &mut Store, r: &mut Random, vars: &[Term]) -> Term {
    let (a, b) = (word(s, r, vars, 2), word(s, r, vars, 2));
    match r.below(6) {
        0 => s.bv_ult(a, b),
        1 => s.bv_ule(a, b),
        2 => s.bv_slt(a, b),
        3 => s.bv_sle(a, b),
        4 => s.eq(a, b),
        _ => {
            let same = s.eq(a, b);
            s.not(same)
        }
    }
}

/// A system with as many predicates; with one it is a transition system.
fn random_system(s: &mut Store, r: &mut Random, preds: usize) -> Horn {
    let mut horn = Horn::default();
    let sort = s.bv_sort(WIDTH);
    for n in 0..preds {
        horn.add_predicate(s, &format!("p{n}"), &[sort, sort]);
    }
    for n in 0..3 + r.below(4) {
        let vars: Vec<Term> = (0..VARS).map(|i| s.var(&format!("v{n}.{i}"), sort)).collect();
        let pred = |r: &mut Random| PredId::new(r.below(preds));
        let body = match n {
            0 => Vec::new(),
            _ => vec![Atom { pred: pred(r), args: vars[..2].to_vec() }],
        };
        let is_query = n > 1 && r.below(3) == 0;
        let zero = s.bv_const(WIDTH, UBig::ZERO);
        let head = (!is_query).then(|| {
            let args =
                if n == 0 { vec![zero, vars[0]] } else { vec![word(s, r, &vars, 1), word(s, r, &vars, 2)] };
            Atom { pred: pred(r), args }
        });
        let parts: Vec<Term> = (0..1 + r.below(2)).map(|_| comparison(s, r, &vars)).collect();
        let constraint = s.and(&parts);
        horn.clauses.push(Clause { head, body, constraint, span: Span { start: 0, end: 0 } });
    }
    horn
}

/// Is false derivable?
fn saturate(s: &mut Store, horn: &Horn) -> bool {
    let mut facts: BTreeSet<(PredId, Vec<u64>)> = BTreeSet::new();
    loop {
        let before = facts.len();
        for c in &horn.clauses {
            let vars = c.variables(s);
            for point in 0..1u64 << (WIDTH as usize * vars.len()) {
                let mut m = Model::new();
                for (i, &v) in vars.iter().enumerate() {
                    let k = point >> (WIDTH as usize * i) & 7;
                    m.set(s.as_var(v).unwrap(), Value::Bv(WIDTH, UBig::from(k)));
                }
                let mut e = Evaluator::new(s, &m);
                if e.holds(c.constraint) != Ok(true) {
                    continue;
                }
                let mut ground = |a: &Atom| {
                    let args = a.args.iter().map(|&t| match e.eval(t) {
                        Ok(Value::Bv(_, n)) => u64::try_from(&n).unwrap(),
                        other => panic!("{other:?}"),
                    });
                    (a.pred, args.collect::<Vec<u64>>())
                };
                if c.body.iter().all(|a| facts.contains(&ground(a))) {
                    match &c.head {
                        None => return true,
                        Some(h) => {
                            facts.insert(ground(h));
                        }
                    }
                }
            }
        }
        if facts.len() == before {
            return false;
        }
    }
}

/// How many random systems are safe, unsafe and not decided, where an answer must be right.
fn outcomes(
    seed: u64,
    rounds: usize,
    preds: usize,
    engine: Engine,
    settings: &Settings,
) -> (usize, usize, usize) {
    let mut r = Random::new(seed);
    let (mut safe, mut unsafe_, mut unknown) = (0, 0, 0);
    for round in 0..rounds {
        let mut s = Store::new();
        let horn = random_system(&mut s, &mut r, preds);
        let derivable = saturate(&mut s, &horn);
        let budget = Budget::unlimited().with_steps(200_000);
        match solve_with(&mut s, &horn, engine, settings, &budget, &mut Stats::new()) {
            Verdict::Safe(_) => {
                assert!(!derivable, "round {round}: a solution of an unsatisfiable system");
                safe += 1;
            }
            Verdict::Unsafe(_) => {
                assert!(derivable, "round {round}: a derivation in a satisfiable system");
                unsafe_ += 1;
            }
            Verdict::Unknown(reason) => {
                let text = &reason.text;
                assert!(
                    !text.contains("rejected") && !text.contains("does not satisfy"),
                    "round {round}: {reason}"
                );
                unknown += 1;
            }
        }
    }
    (safe, unsafe_, unknown)
}

fn check(seed: u64, rounds: usize, preds: usize, engine: Engine, settings: &Settings) {
    let (safe, unsafe_, unknown) = outcomes(seed, rounds, preds, engine, settings);
    assert!(unknown * 5 <= rounds, "{unknown} of {rounds} unknown");
    assert!(unsafe_ > 0 && safe > 0, "{safe} safe, {unsafe_} unsafe");
}

#[test]
fn words_read_as_integers() {
    let mut settings = Settings::default();
    settings.preparation.integers = true;
    check(0x5be0_cd19, 60, 2, Engine::Pdr, &settings);
    check(0x510e_527f, 30, 1, Engine::Impact, &settings);
}

/// Words of three bits wrap around all the time: guesses are often wrong, and never answers.
#[test]
fn words_read_without_wraps() {
    let mut settings = Settings::default();
    settings.preparation.without_wraps = true;
    let (safe, unsafe_, _) = outcomes(0x1f0a_77e3, 60, 2, Engine::Pdr, &settings);
    assert!(safe > 0 && unsafe_ > 0, "{safe} safe, {unsafe_} unsafe");
}

/// Two words of 32 bits start at 0 and count, the first one as long as it is below 100, or for ever: the query asks for a fact in
/// which the condition holds.
fn counters(s: &mut Store, bounded: bool, bad: impl Fn(&mut Store, Term, Term) -> Term) -> Horn {
    let (mut horn, sort) = (Horn::default(), s.bv_sort(32));
    let pred = horn.add_predicate(s, "count", &[sort, sort]);
    let (zero, one, hundred) = (s.bv_u64(32, 0), s.bv_u64(32, 1), s.bv_u64(32, 100));
    let (a, b) = (s.var("a", sort), s.var("b", sort));
    let here = Atom { pred, args: vec![a, b] };
    let start = Atom { pred, args: vec![zero, zero] };
    let next = Atom { pred, args: vec![s.bv_add(a, one), s.bv_add(b, one)] };
    let guard = if bounded { s.bv_slt(a, hundred) } else { s.tru() };
    let (tru, bad) = (s.tru(), bad(s, a, b));
    let span = Span { start: 0, end: 0 };
    horn.clauses.push(Clause { head: Some(start), body: Vec::new(), constraint: tru, span });
    horn.clauses.push(Clause { head: Some(next), body: vec![here.clone()], constraint: guard, span });
    horn.clauses.push(Clause { head: None, body: vec![here], constraint: bad, span });
    horn
}

#[test]
fn an_invariant_without_wraps_is_confirmed_on_words() {
    let mut settings = Settings::default();
    settings.preparation.without_wraps = true;
    let budget = Budget::unlimited().with_steps(2_000_000);
    let decide =
        |s: &mut Store, horn: &Horn| solve_with(s, horn, Engine::Pdr, &settings, &budget, &mut Stats::new());
    let mut s = Store::new();
    let differ = |s: &mut Store, a: Term, b: Term| {
        let same = s.eq(a, b);
        s.not(same)
    };
    let horn = counters(&mut s, true, differ);
    assert!(matches!(decide(&mut s, &horn), Verdict::Safe(_)));
    // A counter without end becomes negative as a word, and never as an integer.
    let negative = |s: &mut Store, a: Term, _: Term| {
        let zero = s.bv_u64(32, 0);
        s.bv_slt(a, zero)
    };
    let horn = counters(&mut s, false, negative);
    assert!(matches!(decide(&mut s, &horn), Verdict::Unknown(_)));
}

#[test]
fn words_as_bits() {
    let settings = Settings { bits: true, ..Settings::default() };
    check(0x9b05_688c, 60, 2, Engine::Pdr, &settings);
}

/// Parallel rules in one: the next values are given by the disjuncts of a constraint, and differ from one to the other.
fn check_merged(seed: u64, rounds: usize, settings: &Settings) {
    let mut r = Random::new(seed);
    let (mut safe, mut unsafe_, mut unknown) = (0, 0, 0);
    for round in 0..rounds {
        let mut s = Store::new();
        let horn = random_system(&mut s, &mut r, 1);
        let derivable = saturate(&mut s, &horn);
        let budget = Budget::unlimited().with_steps(200_000);
        let (horn, _) = pass::simplify(&mut s, &horn, &budget).unwrap();
        let (horn, _, _) = pass::merge(&mut s, &horn, &budget).unwrap();
        match solve_with(&mut s, &horn, Engine::Pdr, settings, &budget, &mut Stats::new()) {
            Verdict::Safe(_) => {
                assert!(!derivable, "round {round}: a solution of an unsatisfiable system");
                safe += 1;
            }
            Verdict::Unsafe(_) => {
                assert!(derivable, "round {round}: a derivation in a satisfiable system");
                unsafe_ += 1;
            }
            Verdict::Unknown(reason) => {
                let text = &reason.text;
                assert!(
                    !text.contains("rejected") && !text.contains("mapped back"),
                    "round {round}: {reason}"
                );
                unknown += 1;
            }
        }
    }
    assert!(
        unsafe_ > 0 && safe > 0 && unknown * 5 <= rounds,
        "{safe} safe, {unsafe_} unsafe, {unknown} unknown"
    );
}

#[test]
fn definitions_in_disjunctions() {
    let mut settings = Settings { bits: true, ..Settings::default() };
    settings.preparation.define = true;
    check_merged(0x3c6e_f372, 60, &settings);
    settings.locations = Locations::Split;
    check_merged(0x6a09_e667, 40, &settings);
    settings.bits = false;
    settings.preparation.integers = true;
    check_merged(0xbb67_ae85, 40, &settings);
}

#[test]
fn a_predicate_for_each_location() {
    let mut settings = Settings { locations: Locations::Split, ..Settings::default() };
    check(0x1f83_d9ab, 40, 1, Engine::Pdr, &settings);
    settings.preparation.integers = true;
    check(0xa54f_f53a, 40, 1, Engine::Pdr, &settings);
}
