//! Numbers that are only compared, as values of a datatype: a vote by hand, and random systems with and without the pass.

use bolide_base::{Budget, Rational, Stats};
use bolide_engine::horn::{Engine, HornVerdict, Settings, solve_with};
use bolide_engine::{ReasonCode, Verdict};
use bolide_model::Span;
use bolide_model::horn::{Atom, Clause, Horn, PredId, pass};
use bolide_term::{Sort, Store, Term};
use bolide_testkit::Random;

fn clause(head: Option<Vec<Term>>, body: Option<Vec<Term>>, constraint: Term) -> Clause {
    let atom = |args: Vec<Term>| Atom { pred: PredId::new(0), args };
    Clause {
        head: head.map(atom),
        body: body.map(atom).into_iter().collect(),
        constraint,
        span: Span::default(),
    }
}

fn solve(store: &Store, horn: &Horn, engine: Engine, values: bool, steps: u64) -> HornVerdict {
    let settings = Settings { values, ..Settings::default() };
    let budget = Budget::unlimited().with_steps(steps);
    solve_with(&mut store.clone(), horn, engine, &settings, &budget, &mut Stats::new())
}

/// Three processes vote for what the first one said, or for 0 if they heard nothing; the time goes by.
fn vote(store: &mut Store, may_lie: bool) -> Horn {
    let mut horn = Horn::default();
    horn.add_predicate(store, "state", &[Sort::REAL, Sort::REAL, Sort::REAL, Sort::REAL]);
    let v: Vec<Term> = ["said", "a", "b", "time", "a2", "b2"].map(|n| store.var(n, Sort::REAL)).to_vec();
    let number = |s: &mut Store, n: i64| s.num(Rational::from(n), Sort::REAL);
    let (zero, one) = (number(store, 0), number(store, 1));
    let silent = store.eq(v[0], zero);
    let speaks = store.not(silent);
    horn.clauses.push(clause(Some(vec![v[0], zero, zero, zero]), None, speaks));
    let mut votes = Vec::new();
    for n in [4, 5] {
        let (told, nothing) = (store.eq(v[n], v[0]), store.eq(v[n], zero));
        votes.push(if may_lie && n == 5 { store.tru() } else { store.or(&[told, nothing]) });
    }
    let vote = store.and(&votes);
    let later = store.add(&[v[3], one]);
    let head = vec![v[0], v[4], v[5], later];
    horn.clauses.push(clause(Some(head), Some(v[..4].to_vec()), vote));
    let mut bad = vec![store.lt(one, v[3])];
    for (x, y) in [(v[1], zero), (v[2], zero), (v[1], v[2])] {
        let same = store.eq(x, y);
        bad.push(store.not(same));
    }
    let bad = store.and(&bad);
    horn.clauses.push(clause(None, Some(v[..4].to_vec()), bad));
    horn
}

#[test]
fn a_vote_is_about_names() {
    let mut store = Store::new();
    let horn = vote(&mut store, false);
    let (read, _) = pass::values(&mut store, &horn, &Budget::unlimited()).expect("no limit").expect("names");
    let is_name = |n: usize| store.datatype(store.sort_of(read.preds[0].params[n])).is_some();
    assert_eq!([0, 1, 2, 3].map(is_name), [true, true, true, false]);
    for engine in [Engine::Impact, Engine::Pdr] {
        assert!(matches!(solve(&store, &horn, engine, true, 1_000_000), Verdict::Safe(_)), "{engine}");
    }
    let horn = vote(&mut store, true);
    assert!(matches!(solve(&store, &horn, Engine::Impact, true, 1_000_000), Verdict::Unsafe(_)));
}

/// A name: a constant, a numeral, or a choice between names.
fn name(s: &mut Store, r: &mut Random, vars: &[Term], depth: usize) -> Term {
    match r.below(5) {
        0 => s.num(Rational::from(r.below(3) as i64), s.sort_of(vars[0])),
        1 if depth > 0 => {
            let c = comparison(s, r, vars, depth - 1);
            let (a, b) = (name(s, r, vars, depth - 1), name(s, r, vars, depth - 1));
            s.ite(c, a, b)
        }
        _ => vars[r.below(vars.len())],
    }
}

fn comparison(s: &mut Store, r: &mut Random, vars: &[Term], depth: usize) -> Term {
    let (a, b) = (name(s, r, vars, depth), name(s, r, vars, depth));
    let same = s.eq(a, b);
    if r.below(2) == 0 { same } else { s.not(same) }
}

fn random_system(s: &mut Store, r: &mut Random, sort: Sort) -> Horn {
    let mut horn = Horn::default();
    horn.add_predicate(s, "p", &[sort; 3]);
    for n in 0..3 + r.below(3) {
        let vars: Vec<Term> = (0..5).map(|i| s.var(&format!("v{n}.{i}"), sort)).collect();
        let parts: Vec<Term> = (0..1 + r.below(3)).map(|_| comparison(s, r, &vars, 1)).collect();
        let constraint = s.and(&parts);
        let body = (n > 0).then(|| vars[..3].to_vec());
        let head = (n != 1).then(|| (0..3).map(|_| name(s, r, &vars, 1)).collect());
        horn.clauses.push(clause(head, body, constraint));
    }
    horn
}

#[test]
fn random_systems_have_the_same_verdict_with_and_without() {
    let mut decided = [0, 0];
    for seed in 0..120 {
        let mut store = Store::new();
        let mut random = Random::new(seed);
        let sort = if seed % 2 == 0 { Sort::REAL } else { Sort::INT };
        let horn = random_system(&mut store, &mut random, sort);
        let engine = if seed % 3 == 0 { Engine::Pdr } else { Engine::Impact };
        let with = solve(&store, &horn, engine, true, 20_000);
        let without = solve(&store, &horn, Engine::Pdr, false, 20_000);
        match (with, without) {
            (Verdict::Safe(_), Verdict::Unsafe(_)) | (Verdict::Unsafe(_), Verdict::Safe(_)) => {
                panic!("seed {seed}: the verdicts differ")
            }
            (Verdict::Unknown(reason), _) => {
                let wrong = matches!(reason.code, ReasonCode::ProofRejected | ReasonCode::TraceRejected);
                assert!(!wrong, "seed {seed}: {reason}");
            }
            (Verdict::Safe(_), _) => decided[0] += 1,
            (Verdict::Unsafe(_), _) => decided[1] += 1,
        }
    }
    assert!(decided[0] > 10 && decided[1] > 10, "{decided:?}");
}
