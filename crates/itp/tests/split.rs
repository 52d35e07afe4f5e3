//! Restricted interpolants: examples in each theory, and random paths against the ordinary solver.

use bolide_base::{Budget, Rational};
use bolide_itp::Config;
use bolide_itp::split::{Language, Split, interpolate_path, interpolate_sequence_with};
use bolide_smt::{Answer, Solver};
use bolide_smtlib::{Scope, print_term, read_term};
use bolide_term::{Sort, Store, Substitution, Term};
use bolide_testkit::Random;

struct Problem {
    store: Store,
    scope: Scope,
}

impl Problem {
    fn new(declarations: &str) -> Problem {
        let mut store = Store::new();
        let mut scope = Scope::new();
        let mut reader = bolide_smtlib::Reader::new(declarations);
        while let Some(command) = reader.next_command(&mut store, &mut scope) {
            command.expect("declarations are well-formed");
        }
        Problem { store, scope }
    }

    /// Constants of one sort.
    fn with(sort: &str, names: &str) -> Problem {
        let text: String =
            names.split_whitespace().map(|n| format!("(declare-fun {n} () {sort})\n")).collect();
        Problem::new(&text)
    }

    fn split(&mut self, parts: &[&str], k: u32, constants: &[i64]) -> Split {
        let parts: Vec<Term> = parts
            .iter()
            .map(|p| read_term(p, &mut self.store, &mut self.scope).unwrap_or_else(|e| panic!("{p}: {e}")))
            .collect();
        split(&mut self.store, &parts, &language(k, constants))
    }

    fn refuted(&mut self, parts: &[&str], k: u32, constants: &[i64]) -> Vec<String> {
        match self.split(parts, k, constants) {
            Split::Interpolants(found) => {
                found.iter().map(|&t| print_term(&self.store, t).to_string()).collect()
            }
            other => panic!("{parts:?}: {other:?}"),
        }
    }

    fn not_in_language(&mut self, parts: &[&str], k: u32, constants: &[i64]) {
        let result = self.split(parts, k, constants);
        assert!(matches!(result, Split::NotInLanguage), "{parts:?}: {result:?}");
    }
}

fn language(k: u32, constants: &[i64]) -> Language {
    Language::new(k, constants.iter().map(|&c| Rational::from(c)))
}

/// Runs the split prover; interpolants are verified.
fn split(store: &mut Store, parts: &[Term], language: &Language) -> Split {
    let config = Config { verify: true, ..Config::default() };
    interpolate_sequence_with(store, parts, language, &config, &Budget::unlimited())
        .unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn the_example_of_the_paper() {
    let mut p = Problem::with("Int", "i j x1 y1 x2 y2 x3 y3");
    let parts = [
        "(and (= x1 i) (= y1 j))",
        "(and (not (= x1 0)) (= x2 (- x1 1)) (= y2 (- y1 1)))",
        "(and (= x2 0) (= i j) (not (= y2 0)))",
    ];
    assert_eq!(
        p.refuted(&parts, 0, &[]),
        ["(and (= i x1) (= j y1))", "(and (not (and (>= i j) (< x2 y2))) (not (and (<= i j) (> x2 y2))))",]
    );
}

#[test]
fn weakening() {
    let mut p = Problem::with("Int", "x y z");
    // x <= y - 1 is not in L_0, but x <= y is, and x < y is its negation turned round.
    p.refuted(&["(<= x (- y 5))", "(<= y x)"], 0, &[]);
    p.not_in_language(&["(<= x (- y 5))", "(<= y (+ x 3))"], 0, &[]);
    p.refuted(&["(<= x (- y 5))", "(<= y (+ x 3))"], 4, &[]);
    p.refuted(&["(<= x (- y 200))", "(<= y (+ x 199))"], 0, &[200]);
    // A clause of the language: b <= c implies a <= d.
    let mut p = Problem::with("Real", "a b c d");
    p.refuted(&["(and (<= a (+ b 1)) (<= c (- d 1)))", "(and (<= b c) (< d a))"], 0, &[]);
}

#[test]
fn octagons() {
    let mut p = Problem::with("Int", "x y z");
    p.refuted(&["(<= (+ x y) 0)", "(and (= z x) (>= z 1))", "(>= y 0)"], 0, &[]);
    p.refuted(&["(and (<= (+ x y) 1) (<= (- x y) 0))", "(>= x 1)"], 0, &[]);
}

#[test]
fn sums_that_no_part_mentions() {
    let mut p = Problem::with("Int", "x1 y1 x2 y2 x3 y3");
    let parts = [
        "(and (= x1 30) (= y1 70))",
        "(and (= x2 (+ x1 1)) (= y2 (- y1 1)))",
        "(and (= x3 (+ x2 1)) (= y3 (- y2 1)))",
        "(and (< x3 100) (<= y3 0))",
    ];
    let found = p.refuted(&parts, 0, &[100]);
    assert_eq!(found, ["(>= (+ x1 y1) 100)", "(>= (+ x2 y2) 100)", "(>= (+ x3 y3) 100)"]);
}

#[test]
fn symbols_in_scope() {
    let mut p = Problem::with("Int", "n x1 x2 y");
    let parts = ["(and (< x1 n) (< n y))", "(= x2 (+ x1 1))", "(<= y x2)"];
    p.not_in_language(&parts, 0, &[]);
    let parts: Vec<Term> =
        parts.iter().map(|t| read_term(t, &mut p.store, &mut p.scope).expect("well-formed")).collect();
    let n = p.store.var("n", Sort::INT);
    let kept = [(p.store.as_var(n).expect("a constant"), 2)];
    let config = Config { verify: true, ..Config::default() };
    let budget = Budget::unlimited();
    match interpolate_path(&mut p.store, &parts, &kept, &language(0, &[]), &config, &budget) {
        Ok(Split::Interpolants(found)) => {
            let found: Vec<String> = found.iter().map(|&t| print_term(&p.store, t).to_string()).collect();
            assert_eq!(found, ["(and (> n x1) (< n y))", "(and (< n y) (>= n x2))"]);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn linear_inequalities() {
    let mut p = Problem::with("Int", "s t i j n");
    p.refuted(&["(>= s n)", "(and (= t (+ s i)) (>= i 0))", "(< t n)"], 0, &[]);
    p.refuted(&["(and (= i 0) (= j 0))", "(and (= s (+ (* 2 i) j)) (>= t s))", "(< t 0)"], 0, &[]);
    p.refuted(&["(<= (+ s i j) 0)", "(and (= t (+ s i)) (>= j 0) (>= t 1))"], 0, &[]);
    p.refuted(&["(and (= s (+ i (* 3 j))) (= t (+ i (* 3 j))))", "(not (= s t))"], 0, &[]);
}

#[test]
fn divisions() {
    let mut p = Problem::with("Int", "n i j");
    p.refuted(&["(and (= i (div n 2)) (<= n 1))", "(>= i 1)"], 0, &[1]);
    p.refuted(&["(and (>= (* 2 i) n) (<= j i))", "(and (= j (div n 2)) (> j i))"], 0, &[]);
    p.refuted(&["(= i (mod n 4))", "(or (< i 0) (> i 3))"], 0, &[3]);
}

/// The path through three loops that `k >= 0` outlives, because it counts the rounds of all three: each part knows no
/// more than a sum.
#[test]
fn sums_that_travel() {
    let mut p = Problem::with("Int", "m n i0 i1 i2 j0 j1 j2 l0 l1 l2 k0 k1 k2 k3 k4 k5 k6");
    let parts = [
        "(and (= k0 0) (= i0 0))",
        "(and (< i0 m) (= i1 (+ i0 1)) (= k1 (+ k0 1)))",
        "(and (< i1 m) (= i2 (+ i1 1)) (= k2 (+ k1 1)))",
        "(and (>= i2 m) (= j0 0))",
        "(and (< j0 n) (= j1 (+ j0 1)) (= k3 (+ k2 1)))",
        "(and (< j1 n) (= j2 (+ j1 1)) (= k4 (+ k3 1)))",
        "(and (>= j2 n) (= l0 0))",
        "(and (< l0 (+ m n)) (= l1 (+ l0 1)) (= k5 (- k4 1)))",
        "(and (< l1 (+ m n)) (= l2 (+ l1 1)) (= k6 (- k5 1)))",
        "(and (< l2 (+ m n)) (<= k6 0))",
    ];
    let found = p.refuted(&parts, 0, &[]);
    assert_eq!(found[5], "(<= (+ m j2) k4)");
    let parts: Vec<Term> =
        parts.iter().map(|t| read_term(t, &mut p.store, &mut p.scope).expect("well-formed")).collect();
    let octagons = language(0, &[]).octagonal();
    assert!(matches!(split(&mut p.store, &parts, &octagons), Split::NotInLanguage));
}

#[test]
fn functions() {
    let mut p = Problem::new(
        "(declare-sort U 0)(declare-fun f (U) U)(declare-fun g (Int) Int)
         (declare-fun a () U)(declare-fun b () U)(declare-fun c () U)(declare-fun d () U)
         (declare-fun x () Int)(declare-fun y () Int)(declare-fun z () Int)",
    );
    p.refuted(&["(and (= a b) (= (f a) c))", "(not (= (f b) c))"], 0, &[]);
    p.refuted(&["(and (= a b) (= (f (f a)) c))", "(= b d)", "(not (= (f (f d)) c))"], 0, &[]);
    p.refuted(&["(and (= x y) (<= (g x) 3))", "(and (= z y) (>= (g z) 4))"], 0, &[3]);
    p.refuted(&["(and (= x (+ y 1)) (<= (g x) 3))", "(and (= z y) (>= (g (+ z 1)) 4))"], 1, &[3]);
}

#[test]
fn arrays() {
    let mut p = Problem::new(
        "(declare-fun a () (Array Int Int))(declare-fun b () (Array Int Int))
         (declare-fun c () (Array Int Int))
         (declare-fun i () Int)(declare-fun j () Int)(declare-fun k () Int)(declare-fun v () Int)",
    );
    p.refuted(&["(and (= b (store a i 0)) (= j i))", "(not (= (select b j) 0))"], 0, &[]);
    p.refuted(
        &["(= (select a k) 0)", "(and (= b (store a i 1)) (< i k))", "(not (= (select b k) 0))"],
        0,
        &[],
    );
    p.refuted(
        &["(= (select a k) 0)", "(= b (store a i 0))", "(= c (store b j 0))", "(not (= (select c k) 0))"],
        0,
        &[],
    );
    p.refuted(&["(and (= b (store a i 0)) (= j (+ i 1)))", "(not (= (select b (- j 1)) 0))"], 1, &[]);
}

#[test]
fn choices_and_booleans() {
    let mut p = Problem::new(
        "(declare-fun p () Bool)(declare-fun x () Int)(declare-fun y () Int)(declare-fun z () Int)",
    );
    p.refuted(&["(= x (ite p y z))", "(and p (not (= x y)))"], 0, &[]);
    p.refuted(&["(or (and p (= x 1)) (and (not p) (= x 2)))", "(and p (> x 1))"], 0, &[1]);
}

#[test]
fn long_paths() {
    let mut store = Store::new();
    let int = store.int_sort();
    for n in [10, 200] {
        let vars: Vec<[Term; 3]> =
            (0..=n).map(|s| ["x", "y", "n"].map(|v| store.var(&format!("{v}_{s}"), int))).collect();
        let mut parts = Vec::new();
        let zero = store.int(0);
        let one = store.int(1);
        let start = [store.eq(vars[0][0], zero), store.eq(vars[0][1], zero)];
        parts.push(store.and(&start));
        for s in 1..=n {
            let (x, y) = (store.add(&[vars[s - 1][0], one]), store.add(&[vars[s - 1][1], one]));
            let step = [store.eq(vars[s][0], x), store.eq(vars[s][1], y)];
            parts.push(store.and(&step));
        }
        let different = store.eq(vars[n][0], vars[n][1]);
        parts.push(store.not(different));
        let Split::Interpolants(found) = split(&mut store, &parts, &language(0, &[])) else {
            panic!("no interpolants")
        };
        assert_eq!(found.len(), n + 1);
    }
}

fn constant(random: &mut Random, largest: i64) -> i64 {
    random.below(2 * largest as u64 + 1) as i64 - largest
}

/// What random paths are made of.
#[derive(Copy, Clone)]
struct Kind {
    sort: &'static str,
    /// Sums have so many terms.
    terms: usize,
    disjunctions: bool,
    /// Constants are not larger.
    largest: i64,
}

/// A random literal over some variables.
fn random_literal(store: &mut Store, rng: &mut Random, vars: &[Term], kind: Kind) -> Term {
    let x = vars[rng.below(vars.len() as u64) as usize];
    let y = vars[rng.below(vars.len() as u64) as usize];
    let sort = store.sort_of(x);
    let c = store.num(Rational::from(constant(rng, kind.largest)), sort);
    let (left, right) = match rng.below(4 + u64::from(kind.terms > 1)) {
        0 => (x, c),
        4 => {
            let mut sum = vec![x, y];
            if kind.terms > 2 {
                let z = vars[rng.below(vars.len() as u64) as usize];
                sum.push(store.scale(&Rational::from(constant(rng, 2)), z));
            }
            (store.add(&sum), c)
        }
        _ => (x, store.add(&[y, c])),
    };
    match rng.below(5) {
        0 => store.eq(left, right),
        1 => store.lt(left, right),
        2 => store.ge(left, right),
        3 => {
            let e = store.eq(left, right);
            store.not(e)
        }
        _ => store.le(left, right),
    }
}

/// A random path: each part speaks of the variables of two steps, and of one that all parts see.
fn random_path(store: &mut Store, rng: &mut Random, kind: Kind) -> Vec<Term> {
    let steps = 2 + rng.below(3) as usize;
    let sort = if kind.sort == "Int" { store.int_sort() } else { store.real_sort() };
    let all = store.var("n", sort);
    let vars: Vec<Vec<Term>> =
        (0..=steps).map(|s| (0..2).map(|v| store.var(&format!("x{v}_{s}"), sort)).collect()).collect();
    let mut parts = Vec::new();
    for s in 0..steps {
        let mut seen: Vec<Term> = vars[s].iter().chain(&vars[s + 1]).copied().collect();
        seen.push(all);
        let conjuncts: Vec<Term> = (0..2 + rng.below(3))
            .map(|_| {
                let a = random_literal(store, rng, &seen, kind);
                if kind.disjunctions && rng.below(3) == 0 {
                    let b = random_literal(store, rng, &seen, kind);
                    store.or(&[a, b])
                } else {
                    a
                }
            })
            .collect();
        parts.push(store.and(&conjuncts));
    }
    parts
}

fn is_satisfiable(store: &mut Store, formulas: &[Term]) -> bool {
    let mut solver = Solver::default();
    formulas.iter().for_each(|&f| solver.assert(f));
    match solver.check(store, &Budget::unlimited()) {
        Answer::Sat => true,
        Answer::Unsat => false,
        Answer::Unknown(reason) => panic!("{reason}"),
    }
}

/// Random paths: infeasible exactly if the ordinary solver says so, interpolants verified, levels monotone.
fn random_paths(kind: Kind, seed: u64, count: usize) {
    let mut rng = Random::new(seed);
    let (mut infeasible, mut outside) = (0, 0);
    for n in 0..count {
        let mut store = Store::new();
        let parts = random_path(&mut store, &mut rng, kind);
        let feasible = is_satisfiable(&mut store, &parts);
        let mut found = false;
        for k in [0, 1, 2, 12] {
            match split(&mut store, &parts, &language(k, &[])) {
                Split::Feasible(_) => assert!(feasible, "path {n}"),
                Split::Interpolants(itps) => {
                    assert!(!feasible && itps.len() + 1 == parts.len(), "path {n}");
                    found = true;
                }
                Split::NotInLanguage => {
                    assert!(!feasible && !found, "path {n}: found in L_{k} no more");
                    outside += 1;
                }
            }
        }
        infeasible += usize::from(!feasible);
        // All constants of such a path are within reach of L_12.
        assert!(feasible || found || kind.terms > 2, "path {n}: nothing in L_12");
    }
    assert!(infeasible > count / 4 && outside > 0, "{infeasible} infeasible, {outside} outside");
}

#[test]
fn random_difference_paths() {
    random_paths(Kind { sort: "Int", terms: 1, disjunctions: false, largest: 3 }, 0x9e37_79b9, 400);
    random_paths(Kind { sort: "Real", terms: 1, disjunctions: false, largest: 3 }, 0x1234_5677, 400);
}

#[test]
fn random_difference_paths_with_disjunctions() {
    random_paths(Kind { sort: "Int", terms: 1, disjunctions: true, largest: 3 }, 0x51ed_270b, 300);
    random_paths(Kind { sort: "Real", terms: 1, disjunctions: true, largest: 3 }, 0x0bad_5eed, 300);
}

#[test]
fn random_linear_paths() {
    random_paths(Kind { sort: "Real", terms: 3, disjunctions: true, largest: 3 }, 0x0dd_ba11, 300);
    random_paths(Kind { sort: "Int", terms: 3, disjunctions: true, largest: 3 }, 0x5eed_cafe, 300);
}

#[test]
fn random_octagonal_paths() {
    random_paths(Kind { sort: "Real", terms: 2, disjunctions: true, largest: 3 }, 0xdead_beef, 300);
    random_paths(Kind { sort: "Int", terms: 2, disjunctions: true, largest: 3 }, 0xfeed_f00d, 300);
}

/// Has the path an interpolant in the language? By definition: with a copy of the variables for each part, such that
/// neighbours agree only on the atoms of the language, the path must be infeasible.
fn has_restricted_interpolant(store: &mut Store, parts: &[Term], language: &Language) -> bool {
    let visible = |store: &Store, range: std::ops::Range<usize>| store.symbols(parts[range].iter().copied());
    let mut formulas = Vec::new();
    let mut copies: Vec<Substitution> = Vec::new();
    for (n, &p) in parts.iter().enumerate() {
        let mut copy = Substitution::new();
        for f in store.symbols(parts.iter().copied()) {
            let x = store.apply(f, &[]);
            let (name, sort) = (format!("{}@{n}", store.decl(f).name), store.sort_of(x));
            let y = store.var(&name, sort);
            copy.insert(x, y);
        }
        formulas.push(copy.apply(store, p));
        copies.push(copy);
    }
    for cut in 1..parts.len() {
        let after = visible(store, cut..parts.len());
        let mut shared = visible(store, 0..cut);
        shared.retain(|f| after.contains(f));
        let vars: Vec<Term> = shared.into_iter().map(|f| store.apply(f, &[])).collect();
        for atom in language.bounds_over(store, &vars) {
            let (a, b) = (copies[cut - 1].apply(store, atom), copies[cut].apply(store, atom));
            formulas.push(store.iff(a, b));
        }
    }
    !is_satisfiable(store, &formulas)
}

/// The prover against the definition, on random paths.
fn against_the_definition(kind: Kind, seed: u64, count: usize) -> (usize, usize) {
    let mut rng = Random::new(seed);
    let (mut outside, mut missed) = (0, 0);
    for n in 0..count {
        let mut store = Store::new();
        let parts = random_path(&mut store, &mut rng, kind);
        let constants: &[i64] = if n % 3 == 2 { &[17] } else { &[] };
        let language = language(n as u32 % 2, constants).octagonal();
        match split(&mut store, &parts, &language) {
            Split::Feasible(_) => {}
            Split::Interpolants(_) => {
                assert!(has_restricted_interpolant(&mut store, &parts, &language), "path {n}");
            }
            Split::NotInLanguage => {
                outside += 1;
                missed += usize::from(has_restricted_interpolant(&mut store, &parts, &language));
            }
        }
    }
    (outside, missed)
}

#[test]
fn nothing_in_the_language_is_missed() {
    for sort in ["Real", "Int"] {
        for terms in [1, 2] {
            for disjunctions in [false, true] {
                let kind = Kind { sort, terms, disjunctions, largest: 9 };
                let (outside, missed) = against_the_definition(kind, 0x2545_f491, 500);
                assert!(outside > 5 && missed == 0, "{sort}, {terms} terms: {missed} of {outside}");
            }
        }
    }
}

/// Random paths over arrays and functions: answers agree with the ordinary solver, and interpolants verify.
#[test]
fn random_arrays_and_functions() {
    let mut rng = Random::new(0x0123_4567_89ab);
    let (mut infeasible, mut found) = (0, 0);
    for n in 0..300 {
        let mut store = Store::new();
        let parts = random_writes(&mut store, &mut rng);
        let feasible = is_satisfiable(&mut store, &parts);
        match split(&mut store, &parts, &language(1, &[])) {
            Split::Feasible(_) => assert!(feasible, "path {n}"),
            Split::Interpolants(_) => {
                assert!(!feasible, "path {n}");
                found += 1;
            }
            Split::NotInLanguage => assert!(!feasible, "path {n}"),
        }
        infeasible += usize::from(!feasible);
    }
    assert!(infeasible > 60 && found * 10 >= infeasible * 8, "{found} of {infeasible} infeasible paths");
}

/// A path that writes to an array, as a program does, applies a function, and says something about the end.
fn random_writes(store: &mut Store, rng: &mut Random) -> Vec<Term> {
    let int = store.int_sort();
    let array = store.array_sort(int, int);
    let f = store.func("f", &[int], int);
    let steps = 2 + rng.below(3) as usize;
    let index: Vec<Term> = ["i", "j", "k"].map(|v| store.var(v, int)).to_vec();
    let mut parts = Vec::new();
    for s in 0..steps {
        let (old, new) = (store.var(&format!("a_{s}"), array), store.var(&format!("a_{}", s + 1), array));
        let x = store.var(&format!("x_{s}"), int);
        let pick = |rng: &mut Random| index[rng.below(3) as usize];
        let (i, j) = (pick(rng), pick(rng));
        let value = match rng.below(3) {
            0 => x,
            1 => store.int(constant(rng, 1)),
            _ => store.apply(f, &[j]),
        };
        let written = store.store(old, i, value);
        let write = store.eq(new, written);
        let k = pick(rng);
        let read = store.select(old, k);
        let about = match rng.below(3) {
            0 => store.eq(read, x),
            1 => store.lt(i, j),
            _ => store.eq(i, j),
        };
        parts.push(store.and(&[write, about]));
    }
    let last = store.var(&format!("a_{steps}"), array);
    let first = store.var("x_0", int);
    let conjuncts: Vec<Term> = index
        .iter()
        .map(|&i| {
            let read = store.select(last, i);
            let value = if rng.below(2) == 0 { first } else { store.int(constant(rng, 1)) };
            let e = store.eq(read, value);
            if rng.below(2) == 0 { e } else { store.not(e) }
        })
        .collect();
    parts.push(store.and(&conjuncts));
    parts
}

#[test]
fn languages() {
    let mut p = Problem::new(
        "(declare-fun x () Int)(declare-fun y () Int)(declare-fun r () Real)(declare-fun s () Real)
         (declare-fun a () (Array Int Int))(declare-fun g (Int) Int)",
    );
    let mut contains = |text: &str, k: u32, constants: &[i64]| {
        let t = read_term(text, &mut p.store, &mut p.scope).unwrap_or_else(|e| panic!("{text}: {e}"));
        language(k, constants).contains(&p.store, t)
    };
    assert!(contains("(and (<= x y) (not (= x y)) (< y x))", 0, &[]));
    assert!(!contains("(<= x (+ y 1))", 0, &[]) && contains("(<= x (+ y 1))", 1, &[]));
    assert!(contains("(<= x (- y 1))", 0, &[]), "the negation of y <= x");
    assert!(!contains("(< r (- s 1.0))", 0, &[]) && contains("(< r (- s 1.0))", 1, &[]));
    assert!(contains("(<= x 7)", 0, &[7]) && contains("(<= x 6)", 0, &[7]) && !contains("(<= x 8)", 0, &[7]));
    assert!(contains("(<= x (+ y 200))", 0, &[200]) && contains("(>= x (+ y 200))", 0, &[200]));
    assert!(!contains("(<= x (+ y 7))", 0, &[7]), "7 is not large");
    assert!(contains("(<= (+ x y) 0)", 0, &[]) && contains("(<= (+ x (* 2 y)) 0)", 0, &[]));
    assert!(contains("(= (select a x) 0)", 0, &[]) && !contains("(= (select (store a x 0) y) 0)", 3, &[]));
    assert!(contains("(= (g (g x)) 0)", 0, &[]) && !contains("(= (g (g (g x))) 0)", 0, &[]));
    let first = language(2, &[200]);
    assert_eq!(first.raised(), language(3, &[200]));
    assert_eq!(
        first.to_string(),
        "L_2: differences and sums of weight 7 up to 2 or within 2 of ±{200}, bounds within 2 of {0, 200}, functions nested up to 4"
    );
}
