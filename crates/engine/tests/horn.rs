//! Random systems over a small domain: every engine against the set of derivable facts, computed by saturation.

use bolide_base::{Budget, Stats};
use bolide_engine::Verdict;
use bolide_engine::horn::{Engine, Settings, check_interpretation, solve_with};
use bolide_engine::program::{Refine, relax::Abstraction};
use bolide_model::Span;
use bolide_model::horn::{Atom, Clause, Horn, PredId};
use bolide_term::{Evaluator, Model, Sort, Store, Term, Value};
use bolide_testkit::Random;
use std::collections::BTreeSet;

const DOMAIN: i64 = 3;

/// A system in which all variables are confined to `0..DOMAIN`, so that saturation terminates.
fn random_system(s: &mut Store, r: &mut Random, sort: Sort, linear: bool) -> Horn {
    let mut horn = Horn::default();
    for (n, arity) in [1, 2, 1 + r.below(2)].into_iter().enumerate() {
        horn.add_predicate(s, &format!("p{n}"), &vec![sort; arity]);
    }
    let num = |s: &mut Store, k: i64| s.num(bolide_base::Rational::from(k), sort);
    for n in 0..4 + r.below(5) {
        let vars: Vec<Term> = (0..3).map(|i| s.var(&format!("v{n}.{i}"), sort)).collect();
        let term = |s: &mut Store, r: &mut Random| match r.below(4) {
            0 => num(s, r.below(DOMAIN as usize) as i64),
            1 => {
                let k = num(s, r.below(3) as i64 - 1);
                let v = vars[r.below(3)];
                s.add(&[v, k])
            }
            _ => vars[r.below(3)],
        };
        let atom = |s: &mut Store, r: &mut Random, horn: &Horn| {
            let pred = PredId::new(r.below(3));
            Atom { pred, args: (0..horn.pred(pred).params.len()).map(|_| term(s, r)).collect() }
        };
        let atoms = if n < 2 { 0 } else { 1 + if linear { 0 } else { r.below(2) } };
        let body: Vec<Atom> = (0..atoms).map(|_| atom(s, r, &horn)).collect();
        let is_query = n > 2 && r.below(3) == 0;
        let head = (!is_query).then(|| atom(s, r, &horn));
        let mut parts = Vec::new();
        let (low, high) = (num(s, 0), num(s, DOMAIN - 1));
        let listed: Vec<Term> =
            head.iter().chain(&body).flat_map(|a| a.args.clone()).chain(vars.clone()).collect();
        for t in listed {
            parts.push(s.le(low, t));
            parts.push(s.le(t, high));
        }
        for _ in 0..r.below(3) {
            let (a, b) = (term(s, r), term(s, r));
            let c = match r.below(3) {
                0 => s.eq(a, b),
                1 => s.lt(a, b),
                _ => {
                    let e = s.eq(a, b);
                    s.not(e)
                }
            };
            parts.push(c);
        }
        // Over the reals the domain is made of the same points.
        if sort == Sort::REAL {
            for &v in &vars {
                let mut cases = Vec::new();
                for k in 0..DOMAIN {
                    let k = num(s, k);
                    cases.push(s.eq(v, k));
                }
                parts.push(s.or(&cases));
            }
        }
        let constraint = s.and(&parts);
        horn.clauses.push(Clause { head, body, constraint, span: Span { start: 0, end: 0 } });
    }
    horn
}

/// Is false derivable?
fn saturate(s: &Store, horn: &Horn) -> bool {
    let mut facts: BTreeSet<(PredId, Vec<i64>)> = BTreeSet::new();
    loop {
        let before = facts.len();
        for (n, c) in horn.clauses.iter().enumerate() {
            for point in 0..DOMAIN.pow(3) {
                let mut m = Model::new();
                for i in 0..3 {
                    let f =
                        s.symbols(c.terms()).into_iter().find(|&f| *s.decl(f).name == *format!("v{n}.{i}"));
                    let k = point / DOMAIN.pow(i) % DOMAIN;
                    if let Some(f) = f {
                        m.set(f, Value::Num(bolide_base::Rational::from(k)));
                    }
                }
                let mut e = Evaluator::new(s, &m);
                if e.holds(c.constraint) != Ok(true) {
                    continue;
                }
                let mut ground = |a: &Atom| {
                    let args = a.args.iter().map(|&t| e.eval(t).unwrap().as_num().unwrap().to_i64().unwrap());
                    (a.pred, args.collect::<Vec<i64>>())
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

fn finds_derivations_only(engine: Engine) -> bool {
    matches!(engine, Engine::Bmc | Engine::Tpa)
}

fn check(seed: u64, rounds: usize, engine: Engine, sort: Sort, linear: bool) {
    check_with(seed, rounds, engine, &Settings::default(), sort, linear);
}

fn check_with(seed: u64, rounds: usize, engine: Engine, settings: &Settings, sort: Sort, linear: bool) {
    let mut r = Random::new(seed);
    let (mut safe, mut unsafe_, mut unknown) = (0, 0, 0);
    for round in 0..rounds {
        let mut s = Store::new();
        let horn = random_system(&mut s, &mut r, sort, linear);
        let derivable = saturate(&s, &horn);
        let budget = Budget::unlimited().with_steps(200_000);
        match solve_with(&mut s, &horn, engine, settings, &budget, &mut Stats::new()) {
            Verdict::Safe(i) => {
                assert!(!derivable, "round {round}: a solution of an unsatisfiable system");
                assert!(check_interpretation(&mut s, &horn, i.into_inner(), &Budget::unlimited()).is_ok());
                safe += 1;
            }
            Verdict::Unsafe(d) => {
                assert!(derivable, "round {round}: a derivation in a satisfiable system");
                assert!(d.replay(&s, &horn).is_ok());
                unsafe_ += 1;
            }
            Verdict::Unknown(_) if finds_derivations_only(engine) && !derivable => {}
            Verdict::Unknown(reason) => {
                assert!(
                    !reason.text.contains("rejected") && !reason.text.contains("mapped back"),
                    "round {round}: {reason}"
                );
                unknown += 1;
            }
        }
    }
    assert!(unknown * 10 <= rounds, "{unknown} of {rounds} unknown");
    assert!(unsafe_ > 0 && (safe > 0 || finds_derivations_only(engine)), "{safe} safe, {unsafe_} unsafe");
}

#[test]
fn pdr_linear_integers() {
    check(11, 60, Engine::Pdr, Sort::INT, true);
}

#[test]
fn pdr_nonlinear_integers() {
    check(12, 60, Engine::Pdr, Sort::INT, false);
}

#[test]
fn pdr_reals() {
    check(13, 40, Engine::Pdr, Sort::REAL, false);
}

#[test]
fn bmc() {
    check(14, 60, Engine::Bmc, Sort::INT, false);
}

#[test]
fn annotate_linear() {
    check(15, 30, Engine::Annotate, Sort::INT, true);
}

#[test]
fn annotate_nonlinear() {
    check(16, 30, Engine::Annotate, Sort::INT, false);
}

#[test]
fn merged_rules() {
    let mut settings = Settings::default();
    settings.preparation.merge = true;
    for (n, engine) in [Engine::Pdr, Engine::Annotate, Engine::Bmc].into_iter().enumerate() {
        check_with(0x3c6e_f372_fe94 + n as u64, 30, engine, &settings, Sort::INT, false);
        check_with(0xa54f_f53a_5f1d + n as u64, 30, engine, &settings, Sort::REAL, true);
    }
}

#[test]
fn annotate_without_each_improvement() {
    let off: [fn(&mut bolide_engine::horn::annotate::Config); 10] = [
        |c| c.minterms = false,
        |c| c.generalise = false,
        |c| c.sampling = false,
        |c| c.bounds = false,
        |c| c.induction = false,
        |c| c.propagate = false,
        |c| c.back_jumping = false,
        |c| c.relevance = false,
        |c| c.covering = false,
        |c| c.houdini = false,
    ];
    for turn_off in off {
        let mut settings = Settings::default();
        turn_off(&mut settings.annotate);
        check_with(16, 30, Engine::Annotate, &settings, Sort::INT, false);
        check_with(15, 30, Engine::Annotate, &settings, Sort::INT, true);
    }
}

#[test]
fn annotate_converges_by_covering_alone() {
    let mut settings = Settings::default();
    settings.annotate.propagate = false;
    settings.annotate.houdini = false;
    check_with(0x1f83_d9ab_fb41, 40, Engine::Annotate, &settings, Sort::INT, false);
}

#[test]
fn linear_clauses_as_programs() {
    for sort in [Sort::INT, Sort::REAL] {
        for (n, refine) in [Refine::Interpolants, Refine::Split, Refine::Auto].into_iter().enumerate() {
            let mut settings = Settings::default();
            (settings.impact.refine, settings.relax.refine) = (refine, refine);
            check_with(20 + n as u64, 40, Engine::Impact, &settings, sort, true);
            settings.impact.conjectures = false;
            check_with(30 + n as u64, 40, Engine::Impact, &settings, sort, true);
            check_with(40 + n as u64, 40, Engine::Relax, &settings, sort, true);
            settings.relax.abstraction = Abstraction::Cartesian;
            check_with(50 + n as u64, 40, Engine::Relax, &settings, sort, true);
        }
    }
}

#[test]
fn clauses_that_are_not_linear_are_refused() {
    let mut r = Random::new(60);
    for _ in 0..20 {
        let mut s = Store::new();
        let horn = random_system(&mut s, &mut r, Sort::INT, false);
        let derivable = saturate(&s, &horn);
        let (settings, budget) = (Settings::default(), Budget::unlimited());
        match solve_with(&mut s, &horn, Engine::Relax, &settings, &budget, &mut Stats::new()) {
            Verdict::Safe(_) => assert!(!derivable),
            Verdict::Unsafe(_) => assert!(derivable),
            Verdict::Unknown(reason) => assert!(reason.text.contains("several predicates"), "{reason}"),
        }
    }
}

#[test]
fn annotate_reals() {
    check(17, 30, Engine::Annotate, Sort::REAL, true);
}

#[test]
fn imc() {
    check(18, 60, Engine::Imc, Sort::INT, true);
    check(19, 30, Engine::Imc, Sort::REAL, true);
}

#[test]
fn kind() {
    check(22, 60, Engine::Kind, Sort::INT, true);
    check(23, 30, Engine::Kind, Sort::REAL, true);
}

#[test]
fn tpa() {
    check(20, 60, Engine::Tpa, Sort::INT, true);
    check(21, 30, Engine::Tpa, Sort::REAL, true);
}

/// A counter that has to run far: few questions for powers of the step, one for each step otherwise.
#[test]
fn tpa_finds_long_derivations() {
    let mut s = Store::new();
    let mut horn = Horn::default();
    let counter = horn.add_predicate(&mut s, "counter", &[Sort::INT]);
    let x = s.var("x", Sort::INT);
    let (zero, one, far) = (s.int(0), s.int(1), s.int(1000));
    let next = s.add(&[x, one]);
    let (below, reached) = (s.lt(x, far), s.ge(x, far));
    let at = |t: Term| Atom { pred: counter, args: vec![t] };
    let span = Span { start: 0, end: 0 };
    let truth = s.tru();
    horn.clauses = vec![
        Clause { head: Some(at(zero)), body: Vec::new(), constraint: truth, span },
        Clause { head: Some(at(next)), body: vec![at(x)], constraint: below, span },
        Clause { head: None, body: vec![at(x)], constraint: reached, span },
    ];
    let budget = Budget::unlimited().with_steps(5_000_000);
    match solve_with(&mut s, &horn, Engine::Tpa, &Settings::default(), &budget, &mut Stats::new()) {
        Verdict::Unsafe(d) => assert_eq!(d.steps.len(), 1002),
        other => panic!("{other:?}"),
    }
}

/// A predicate over two integers, and a rule for it.
fn rule(
    s: &mut Store,
    body: &[(usize, [Term; 2])],
    constraint: &[Term],
    head: Option<(usize, [Term; 2])>,
) -> Clause {
    let atom = |&(p, args): &(usize, [Term; 2])| Atom { pred: PredId::new(p), args: args.to_vec() };
    let constraint = s.and(constraint);
    Clause {
        head: head.as_ref().map(atom),
        body: body.iter().map(atom).collect(),
        constraint,
        span: Span { start: 0, end: 0 },
    }
}

#[test]
fn pdr_finds_that_two_counters_are_equal() {
    let mut s = Store::new();
    let mut horn = Horn::default();
    horn.add_predicate(&mut s, "p", &[Sort::INT, Sort::INT]);
    let [x, y, z] = ["x", "y", "z"].map(|v| s.var(v, Sort::INT));
    let (zero, one) = (s.int(0), s.int(1));
    let (up, right) = (s.add(&[x, one]), s.add(&[y, one]));
    let equal = s.eq(x, z);
    let differ = s.not(equal);
    horn.clauses.push(rule(&mut s, &[], &[], Some((0, [zero, zero]))));
    horn.clauses.push(rule(&mut s, &[(0, [x, y])], &[], Some((0, [up, right]))));
    horn.clauses.push(rule(&mut s, &[(0, [x, y]), (0, [y, z])], &[differ], None));
    let budget = Budget::unlimited().with_steps(200_000);
    let settings = Settings::default();
    let verdict = solve_with(&mut s, &horn, Engine::Pdr, &settings, &budget, &mut Stats::new());
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
}

#[test]
fn annotations_of_two_loops_cover_at_different_bounds() {
    // One loop counts to 3, the next one has nothing to count.
    let mut s = Store::new();
    let mut horn = Horn::default();
    for p in ["p", "q"] {
        horn.add_predicate(&mut s, p, &[Sort::INT, Sort::INT]);
    }
    let [x, y] = ["x", "y"].map(|v| s.var(v, Sort::INT));
    let (zero, one, three) = (s.int(0), s.int(1), s.int(3));
    let up = s.add(&[x, one]);
    let (below, beyond) = (s.lt(x, three), s.gt(x, three));
    horn.clauses.push(rule(&mut s, &[], &[], Some((0, [zero, zero]))));
    horn.clauses.push(rule(&mut s, &[(0, [x, y])], &[below], Some((0, [up, y]))));
    horn.clauses.push(rule(&mut s, &[(0, [x, y])], &[], Some((1, [x, y]))));
    horn.clauses.push(rule(&mut s, &[(1, [x, y])], &[], Some((1, [x, x]))));
    horn.clauses.push(rule(&mut s, &[(1, [x, y])], &[beyond], None));
    let mut settings = Settings::default();
    (settings.annotate.propagate, settings.annotate.houdini) = (false, false);
    let budget = Budget::unlimited().with_steps(200_000);
    let verdict = solve_with(&mut s, &horn, Engine::Annotate, &settings, &budget, &mut Stats::new());
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
}
