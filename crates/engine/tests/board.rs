//! The board: engines read what others have proved, or claim to have, and believe none of it.

use bolide_base::{Budget, Stat, Stats};
use bolide_engine::board::{Board, Seat};
use bolide_engine::horn::{Engine, Settings, check_interpretation, solve_with};
use bolide_engine::program::impact;
use bolide_engine::{Candidate, Verdict, portfolio};
use bolide_model::horn::{Atom, Clause, Horn, to_program};
use bolide_model::{Program, Span};
use bolide_term::{Sort, Store, Term};
use bolide_testkit::Random;

const ROUNDS: usize = 60;

/// `P(0, 0)`, and `P(x + a, y + b)` with `P(x, y)`, for a few steps `(a, b)`; `P(x, y)` with `x = gap + y` is an error.
fn counters(s: &mut Store, steps: &[(i64, i64)], gap: i64) -> Horn {
    let mut horn = Horn::default();
    let p = horn.add_predicate(s, "P", &[Sort::INT, Sort::INT]);
    let (zero, x, y) = (s.int(0), s.var("x", Sort::INT), s.var("y", Sort::INT));
    let span = Span::default();
    let here = Atom { pred: p, args: vec![x, y] };
    let start = Atom { pred: p, args: vec![zero, zero] };
    horn.clauses.push(Clause { head: Some(start), body: vec![], constraint: s.tru(), span });
    for &(a, b) in steps {
        let (a, b) = (s.int(a), s.int(b));
        let next = Atom { pred: p, args: vec![s.add(&[x, a]), s.add(&[y, b])] };
        let body = vec![here.clone()];
        horn.clauses.push(Clause { head: Some(next), body, constraint: s.tru(), span });
    }
    let gap = s.int(gap);
    let shifted = s.add(&[y, gap]);
    let constraint = s.eq(x, shifted);
    horn.clauses.push(Clause { head: None, body: vec![here], constraint, span });
    horn
}

fn solve(s: &Store, horn: &Horn, engine: Engine, board: &std::sync::Arc<Board>) -> (Option<bool>, Stats) {
    let mut settings = Settings { board: Some(Seat::new(board)), ..Settings::default() };
    // It would guess the facts that others are to tell it.
    settings.impact.conjectures = false;
    let (mut s, mut stats) = (s.clone(), Stats::new());
    let budget = Budget::unlimited().with_steps(200_000);
    let verdict = match solve_with(&mut s, horn, engine, &settings, &budget, &mut stats) {
        Verdict::Safe(i) => {
            assert!(check_interpretation(&mut s, horn, i.into_inner(), &Budget::unlimited()).is_ok());
            Some(true)
        }
        Verdict::Unsafe(d) => {
            assert!(d.replay(&s, horn).is_ok());
            Some(false)
        }
        Verdict::Unknown(reason) => {
            assert!(!reason.text.contains("rejected"), "{reason}");
            None
        }
    };
    (verdict, stats)
}

fn count(stats: &Stats, name: &str) -> u64 {
    match stats.get(name) {
        Some(Stat::Count(n)) => n,
        _ => 0,
    }
}

#[test]
fn what_is_inductive_is_adopted_and_completes_the_proof() {
    for engine in [Engine::Pdr, Engine::Impact] {
        let mut s = Store::new();
        let horn = counters(&mut s, &[(1, 1), (5, 5)], 1);
        let board = Board::new(s.mark());
        let &[x, y] = &horn.preds[0].params[..] else { panic!("two parameters") };
        let (zero, same) = (s.int(0), s.eq(x, y));
        // The first two are inductive, the third one is not, and the fourth one speaks of no parameter.
        let (low, high, stray) = (s.le(zero, x), s.le(x, zero), s.var("stray", Sort::BOOL));
        let other = Seat::new(&board);
        assert_eq!(other.post(&mut s.clone(), &[(0, same), (0, low), (0, high)]), 3);
        other.post(&mut s.clone(), &[(0, stray), (7, same)]);
        let (verdict, stats) = solve(&s, &horn, engine, &board);
        assert_eq!(verdict, Some(true), "{engine}");
        assert!((1..=2).contains(&count(&stats, "facts adopted")), "{engine}: {stats:?}");
    }
}

#[test]
fn facts_of_others_are_not_believed() {
    let mut r = Random::new(0x51ed_270b_0f3a);
    let mut known = 0;
    for round in 0..ROUNDS {
        let mut s = Store::new();
        let step = |r: &mut Random| (r.below(4) as i64, r.below(4) as i64);
        let steps: Vec<_> = (0..1 + r.below(2)).map(|_| step(&mut r)).collect();
        let gap = r.below(4) as i64;
        let horn = counters(&mut s, &steps, gap);
        let mut honest = Vec::new();
        for engine in [Engine::Pdr, Engine::Impact] {
            honest.extend(solve(&s, &horn, engine, &Board::new(s.mark())).0);
        }
        honest.dedup();
        assert!(honest.len() < 2, "round {round}: engines disagree");
        let board = Board::new(s.mark());
        let mut liar = s.clone();
        let lies: Vec<(usize, Term)> = (0..6).map(|_| (0, lie(&mut liar, &mut r, &horn))).collect();
        Seat::new(&board).post(&mut liar, &lies);
        // The later ones read what the earlier ones have posted, too.
        for engine in [Engine::Pdr, Engine::Impact, Engine::Pdr] {
            if let (Some(verdict), Some(&honest)) = (solve(&s, &horn, engine, &board).0, honest.first()) {
                assert_eq!(verdict, honest, "round {round}: {engine}");
                known += 1;
            }
        }
    }
    assert!(known > ROUNDS, "{known}");
}

/// Something about two counters, more often false than not.
fn lie(s: &mut Store, r: &mut Random, horn: &Horn) -> Term {
    let &[x, y] = &horn.preds[0].params[..] else { panic!("two parameters") };
    let k = s.int(r.below(5) as i64);
    let shifted = s.add(&[y, k]);
    match r.below(5) {
        0 => s.fls(),
        1 => s.le(x, k),
        2 => s.le(k, y),
        3 => s.eq(x, shifted),
        _ => s.le(shifted, x),
    }
}

#[test]
fn labels_of_an_unwinding_get_what_is_adopted() {
    let mut s = Store::new();
    let horn = counters(&mut s, &[(1, 1), (3, 3)], 2);
    let (program, map) = to_program(&mut s, &horn).expect("it is linear");
    let board = Board::new(s.mark());
    let names = map.predicates(&horn, &program);
    let (location, &[(_, x), (_, y)]) = names
        .iter()
        .enumerate()
        .find_map(|(n, name)| name.as_ref().map(|(_, constants)| (n, &constants[..])))
        .expect("a predicate")
    else {
        panic!("two parameters")
    };
    let same = s.eq(x, y);
    Seat::new(&board).post(&mut s.clone(), &[(location, same)]);
    let run = |s: &mut Store, program: &Program, board| {
        let config = impact::Config { board, conjectures: false, ..impact::Config::default() };
        impact::run(s, program, &config, &Budget::unlimited())
    };
    let (verdict, stats) = run(&mut s.clone(), &program, Some(Seat::new(&board)));
    let Verdict::Safe(invariant) = verdict else { panic!("the counters are the same") };
    assert!(invariant.formulas.iter().any(|(l, f)| l.index() == location && *f == same));
    assert_eq!(count(&stats, "facts adopted"), 1);
}

#[test]
fn with_one_job_the_same_facts_are_exchanged() {
    let mut s = Store::new();
    let horn = counters(&mut s, &[(1, 2), (3, 5), (2, 7)], 3);
    let run = || {
        let board = Board::new(s.mark());
        let candidate = |(engine, share): (Engine, u32)| {
            let mut settings = Settings { board: Some(Seat::new(&board)), ..Settings::default() };
            settings.impact.conjectures = engine == Engine::Impact;
            let horn = &horn;
            let run = move |s: &mut Store, budget: &Budget, stats: &mut Stats| {
                solve_with(s, horn, engine, &settings, budget, stats).is_known()
            };
            Candidate { name: engine.name(), share, run: Box::new(run) }
        };
        let candidates: Vec<_> =
            [(Engine::Pdr, 1), (Engine::Impact, 2), (Engine::Pdr, 2)].into_iter().map(candidate).collect();
        let finish = |name: &'static str, _: &mut Store, is_known: bool, stats: Stats, _: &Budget| {
            let counts = stats.iter().filter(|(_, stat)| matches!(stat, Stat::Count(_)));
            let counts: Vec<String> = counts.map(|(name, stat)| format!("{name}: {stat:?}")).collect();
            (is_known, (name, counts))
        };
        portfolio(&s, &candidates, 1, &Budget::unlimited(), &finish)
    };
    let first = run();
    assert!(first.is_some());
    for _ in 0..5 {
        assert_eq!(run(), first);
    }
}
