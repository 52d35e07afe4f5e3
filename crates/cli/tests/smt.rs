//! `bolide smt` from the outside: scripts go in, answers, messages and exit codes come out.

mod common;

use common::{Scratch, bolide, bolide_on};
use std::time::{Duration, Instant};

/// The script is answered like this, with and without checking.
#[track_caller]
fn check(script: &str, expected: &str) {
    check_with(&[], script, expected);
    check_with(&["--check"], script, expected);
}

#[track_caller]
fn check_with(options: &[&str], script: &str, expected: &str) {
    let run = bolide_on(options, script.as_bytes());
    assert_eq!(run.stderr, "", "messages with {options:?} for\n{script}");
    assert_eq!(run.code, 0, "exit code with {options:?} for\n{script}");
    let lines = |text: &str| text.lines().map(|l| l.trim().to_string()).collect::<Vec<_>>();
    let expected: Vec<String> = lines(expected).into_iter().filter(|l| !l.is_empty()).collect();
    assert_eq!(lines(&run.stdout), expected, "answers with {options:?} to\n{script}");
}

/// The script ends in this message with exit code 65, after these answers.
#[track_caller]
fn check_error(script: &str, answers: &str, message: &str) {
    let run = bolide_on(&[], script.as_bytes());
    assert_eq!((run.stdout.trim_end(), run.code), (answers, 65), "{script}\n{}", run.stderr);
    assert_eq!(run.stderr.lines().next(), Some(message), "{script}");
}

#[test]
fn scopes() {
    check(
        "(declare-const x Int) (assert (> x 0)) (check-sat)
         (push) (assert (< x 0)) (check-sat) (get-info :assertion-stack-levels)
         (push 2) (check-sat) (pop 3) (check-sat)
         (push 1) (assert (= x 5)) (check-sat) (get-value (x)) (pop 1)
         (assert (< x 2)) (check-sat) (get-value (x))",
        "sat
         unsat
         (:assertion-stack-levels 1)
         unsat
         sat
         sat
         ((x 5))
         sat
         ((x 1))",
    );
}

#[test]
fn declarations_follow_scopes() {
    check(
        "(push 1) (declare-const x Int) (assert (= x 1)) (check-sat) (get-model) (pop 1)
         (push 1) (declare-const x Bool) (assert x) (check-sat) (get-model) (pop 1)
         (check-sat) (get-model)",
        "sat
         (
         (define-fun x () Int 1)
         )
         sat
         (
         (define-fun x () Bool true)
         )
         sat
         (
         )",
    );
    check(
        "(set-option :global-declarations true)
         (push 1) (declare-const x Int) (assert (= x 1)) (pop 1)
         (assert (= x 2)) (check-sat) (get-model)
         (reset-assertions) (assert (= x 3)) (check-sat) (get-model)",
        "sat
         (
         (define-fun x () Int 2)
         )
         sat
         (
         (define-fun x () Int 3)
         )",
    );
}

#[test]
fn definitions_and_let() {
    check(
        "(define-sort Pair (X) (Array Bool X))
         (define-fun twice ((n Int)) Int (+ n n))
         (define-const ten Int 10)
         (declare-const p (Pair Int))
         (assert (let ((a (select p true)) (b (select p false)))
                   (and (= (twice a) ten) (let ((a b)) (= a (~ 7))))))
         (check-sat) (get-value ((select p true) (select p false) (twice ten)))",
        "sat
         (((select p true) 5)
         ((select p false) (- 7))
         ((twice ten) 20))",
    );
}

#[test]
fn carriage_returns_are_space() {
    check(
        "(declare-const x Int)\r\n(assert (< x 3)) ; three\r\n(assert\r\n (> x 1))\r\n(check-sat)\r\n",
        "sat",
    );
}

#[test]
fn assumptions() {
    check(
        "(declare-const a Bool) (declare-const b Bool) (declare-const x Int)
         (assert (=> a (> x 3))) (assert (=> b (< x 2)))
         (check-sat-assuming (a b)) (get-unsat-assumptions)
         (check-sat-assuming (a (not b))) (get-value (a b))
         (check-sat-assuming (a (= x 1) b)) (get-info :assertion-stack-levels)
         (assert a) (check-sat) (get-value (a b))
         (push 1) (assert b) (check-sat) (pop 1)
         (check-sat-assuming ((< x 9))) (push 1) (assert (= x 6)) (check-sat) (get-value (x)) (pop 1)
         (check-sat)",
        "unsat
         (a b)
         sat
         ((a true)
         (b false))
         unsat
         (:assertion-stack-levels 0)
         sat
         ((a true)
         (b false))
         unsat
         sat
         sat
         ((x 6))
         sat",
    );
}

#[test]
fn cores() {
    let script = "(set-option :produce-unsat-cores true)
         (declare-const x Int) (declare-const y Int)
         (assert (! (> x 5) :named big)) (assert (! (< y 100) :named unrelated)) (assert (= y 7))
         (push 1) (assert (! (< x 3) :named |too small|)) (check-sat) (get-unsat-core) (pop 1)
         (check-sat)
         (push 1) (assert (! (< x y) :named less)) (assert (! (> x 6) :named more))
         (check-sat) (get-unsat-core)
         (pop 1)
         (check-sat-assuming ((< x 0))) (get-unsat-core) (get-unsat-assumptions)";
    let expected = "unsat
         (big |too small|)
         sat
         unsat
         (less more)
         unsat
         (big)
         ((< x 0))";
    check_with(&["--minimize-cores"], script, expected);
    check_with(&["--minimize-cores", "--check"], script, expected);
    let option = format!("(set-option :minimal-unsat-cores true)\n{script}");
    check(&option, expected);
}

#[test]
fn minimal_cores_have_no_spare_member() {
    let mut script = String::from("(set-option :produce-unsat-cores true)\n");
    for n in 0..=40 {
        script += &format!("(declare-const x{n} Int)\n");
    }
    for n in 0..40 {
        script += &format!("(assert (! (<= x{n} x{}) :named step{n}))\n", n + 1);
        script += &format!("(assert (! (<= x{n} (+ x{} 5)) :named weak{n}))\n", n + 1);
        script += &format!("(assert (! (=> (> x{n} x{}) (= x{n} 3)) :named same{n}))\n", (n + 7) % 41);
    }
    script += "(assert (! (> x10 x13) :named back))\n(check-sat)\n(get-unsat-core)\n";
    check_with(&["--minimize-cores", "--check"], &script, "unsat\n(step10 step11 step12 back)");
}

#[test]
fn values() {
    check(
        "(declare-sort U 0)
         (declare-const a (Array Int Int)) (declare-fun f (Int U) U) (declare-const u U)
         (declare-const w (_ BitVec 8)) (declare-const |a b| Bool) (declare-const r Real) (declare-const i Int)
         (assert (= (select a 3) 7 (- i)))
         (assert (= (bvmul w #x03) #x21))
         (assert (and |a b| (= (* 3 r) 1.0)))
         (assert (distinct u (f 1 u)))
         (check-sat)
         (get-value ((select a 3) (select (store a i 4) i) w (bvnot w) ((_ extract 3 0) w) |a b| r (- r) i))
         (get-value ((= u (f 1 u)) (= (f 1 u) (f 1 (ite |a b| u (f 2 u))))))",
        "sat
         (((select a 3) 7)
         ((select (store a i 4) i) 4)
         (w #x0b)
         ((bvnot w) #xf4)
         (((_ extract 3 0) w) #xb)
         (|a b| true)
         (r (/ 1.0 3.0))
         ((- r) (- (/ 1.0 3.0)))
         (i (- 7)))
         (((= u (f 1 u)) false)
         ((= (f 1 u) (f 1 (ite |a b| u (f 2 u)))) true))",
    );
}

/// Declarations, and assertions that a model must satisfy, of every sort and combination.
const MODELLED: &str = "(declare-sort U 0)
(declare-fun f (Int U) U) (declare-fun g (Int) Int) (declare-fun h (U (_ BitVec 4)) Bool)
(declare-const u U) (declare-const v U) (declare-const x Int) (declare-const r Real) (declare-const p Bool)
(declare-const w (_ BitVec 12)) (declare-const |the bits| (_ BitVec 4))
(declare-const a (Array Int Int)) (declare-const b (Array Int Int)) (declare-const c (Array (_ BitVec 4) U))
(assert (and (= (select a 3) (- 7)) (= b (store a x 9)) (distinct a b)))
(assert (and (distinct u v (f 1 u) (f 1 v)) (= u (f x u))))
(assert (= (g 2) (g (g 2)) 5))
(assert (and (h u |the bits|) (not (h v |the bits|)) (h v #xa)))
(assert (and (= (bvmul w #x003) #x021) (= (select c |the bits|) u) (= (select c #x1) v)))
(assert (and p (> r (/ 1 3)) (< r 0.5) (= (div x 7) 3) (= (mod x 7) 2)))
";

#[test]
fn models_can_be_read_back() {
    let run = bolide_on(&[], format!("{MODELLED}(check-sat)(get-model)").as_bytes());
    let model = run.stdout.strip_prefix("sat\n(").and_then(|m| m.trim_end().strip_suffix(')'));
    let model = model.unwrap_or_else(|| panic!("no model: {}", run.stdout));
    let elements: Vec<&str> =
        model.split_whitespace().filter(|w| w.starts_with("U!val!")).map(|w| w.trim_matches(')')).collect();
    let mut elements: Vec<String> = elements.into_iter().map(str::to_string).collect();
    elements.sort();
    elements.dedup();
    let assertions: String = MODELLED.lines().filter(|l| l.starts_with("(assert")).collect();
    let script = format!(
        "(declare-sort U 0)\n{model}\n(assert (distinct {}))\n{assertions}\n(check-sat)\n",
        elements.join(" ")
    );
    check(&script, "sat");
    // Another solver reads it the same way, where one is installed.
    if let Some(answer) = common::z3(&script) {
        assert_eq!(answer.trim(), "sat", "z3 on\n{script}");
    }
}

#[test]
fn assertions_are_listed() {
    check(
        "(declare-const x Int) (assert (! (< x 3) :named a)) (push 1) (assert (or (= x 1) (= x 2)))
         (get-assertions) (pop 1) (get-assertions) (check-sat) (get-assignment)",
        "(
         (<= x 2)
         (or (= x 1) (= x 2))
         )
         (
         (<= x 2)
         )
         sat
         ((a true))",
    );
}

#[test]
fn options_and_infos() {
    check(
        "(set-option :print-success true)
         (set-logic QF_LIA) (declare-fun x () Int) (assert (> x 0)) (push 1) (pop 1)
         (set-option :print-success false)
         (set-option :random-seed 7) (get-option :random-seed)
         (set-option :produce-models 7) (get-option :produce-models) (get-option :produce-unsat-cores)
         (set-option :no-such-option 1) (get-option :no-such-option) (get-info :no-such-info)
         (set-info :status sat) (get-info :status) (get-info :name)
         (echo \"a \"\"quoted\"\" text\") (check-sat) (get-info :reason-unknown)",
        "success
         success
         success
         success
         success
         success
         7
         (error \"option :produce-models is true or false\")
         true
         false
         unsupported
         unsupported
         unsupported
         (:status sat)
         (:name \"Bolide\")
         \"a \"\"quoted\"\" text\"
         sat
         (error \"the last answer was not unknown\")",
    );
}

#[test]
fn statistics() {
    let run =
        bolide_on(&["-v"], b"(declare-const x Int) (assert (> x 0)) (check-sat) (get-info :all-statistics)");
    assert!(run.stdout.starts_with("sat\n(\n  :queries 1\n"), "{}", run.stdout);
    assert!(run.stderr.contains("queries"), "{}", run.stderr);
}

#[test]
fn resets() {
    check(
        "(set-option :produce-unsat-cores true) (declare-const x Int) (assert false) (check-sat)
         (reset-assertions) (check-sat) (declare-const x Bool) (assert x) (check-sat) (get-value (x))
         (reset) (get-option :produce-unsat-cores) (declare-const x Real) (assert (= x 0.5)) (check-sat)
         (get-value (x)) (exit) (this is never read",
        "unsat
         sat
         sat
         ((x true))
         false
         sat
         ((x (/ 1.0 2.0)))",
    );
}

#[test]
fn answers_that_are_not_there() {
    check(
        "(declare-const x Int) (get-model) (get-value (x)) (assert (> x 0)) (check-sat) (get-unsat-core)
         (get-interpolants) (get-unsat-assumptions) (assert (> x 1)) (get-model) (get-proof)",
        "(error \"there is no model: the last answer was not sat\")
         (error \"there is no model: the last answer was not sat\")
         sat
         (error \"unsatisfiable cores need (set-option :produce-unsat-cores true)\")
         (error \"interpolants need (set-option :produce-interpolants true)\")
         (error \"there are no unsatisfiable assumptions: the last answer was not unsat\")
         (error \"there is no model: the last answer was not sat\")
         (error \"there is no proof: the last answer was not unsat, or :produce-proofs is not set\")",
    );
}

#[test]
fn proofs() {
    let script = b"(set-option :produce-proofs true) (declare-const p Bool) (assert p) (assert (not p))
        (check-sat) (get-proof)";
    let run = bolide_on(&["--check"], script);
    assert!(run.stdout.starts_with("unsat\n(proof\n"), "{}", run.stdout);
    assert!(run.stdout.contains(":resolution"), "{}", run.stdout);
}

const PATH: &str = "(set-option :produce-interpolants true)
(declare-const x Int) (declare-const y Int) (declare-const z Int)
(assert (! (= x 0) :named A)) (assert (! (= y (+ x 1)) :named B))
(assert (! (= z (+ y 1)) :named C)) (assert (! (< z 2) :named D))
(check-sat)
";

#[test]
fn interpolants_of_sequences_groups_and_trees() {
    for (partition, number) in [
        ("A B C D", 3),
        ("D C B A", 3),
        ("(and A B) C D", 2),
        ("(and A B) (and C D)", 1),
        ("(and A C) (and B D)", 1),
        ("A (B) C D", 3),
        ("A (B C) D", 3),
        ("A (B) (C) D", 3),
        ("", 3),
    ] {
        for options in [&[][..], &["--system", "pudlak"], &["--system", "dual"], &["--farkas", "plain"]] {
            let options = [options, &["--check"]].concat();
            let run = bolide_on(&options, format!("{PATH}(get-interpolants {partition})").as_bytes());
            let answer = run.stdout.strip_prefix("unsat\n").unwrap_or_else(|| panic!("{run:?}"));
            assert_eq!(top_level_terms(answer), number, "{partition}: {answer}");
            assert_eq!((run.stderr.as_str(), run.code), ("", 0), "{partition}");
        }
    }
}

/// The number of terms in a list that is printed one term a line.
fn top_level_terms(list: &str) -> usize {
    let list = list.trim();
    assert!(list.starts_with('(') && list.ends_with(')') && !list.contains("error"), "{list}");
    list.lines().count()
}

#[test]
fn interpolants_follow_scopes_and_assumptions() {
    check(
        "(set-option :produce-interpolants true) (declare-const x Int) (declare-const y Int)
         (assert (! (> x 0) :named A))
         (push 1) (assert (! (< x 0) :named B)) (check-sat) (get-interpolants A B) (pop 1)
         (check-sat) (get-interpolants A)
         (push 1) (assert (! (and (= y x) (< y 0)) :named B)) (check-sat) (get-interpolants B A)
         (get-interpolants A A)
         (pop 1)
         (check-sat-assuming ((< x (- 3)))) (get-interpolants)
         (assert (! (< x 1) :named E)) (check-sat) (get-interpolants E A)",
        "unsat
         ((>= x 1))
         sat
         (error \"there are no interpolants: the last answer was not unsat\")
         unsat
         ((<= x (- 1)))
         (error \"A is in two partitions\")
         unsat
         ((>= x 1))
         unsat
         ((<= x 0))",
    );
}

#[test]
fn partitions_may_leave_assertions_out() {
    check(
        "(set-option :produce-interpolants true) (declare-const x Int)
         (assert (! (> x 0) :named A)) (assert (! (= x 5) :named B)) (assert (! (< x 0) :named C)) (check-sat)
         (get-interpolants A C)",
        "unsat
         ((>= x 1))",
    );
    let script = "(set-option :produce-interpolants true) (declare-const x Int)
         (assert (! (> x 0) :named A)) (assert (! (= x 5) :named B)) (assert (! (< x 0) :named C)) (check-sat)
         (get-interpolants A B)";
    // What is needed and in no part is background of all of them.
    let run = bolide_on(&["--check"], script.as_bytes());
    assert!(run.stdout.starts_with("unsat\n(") && !run.stdout.contains("error"), "{}", run.stdout);
    // Proofs are enough, numbers are truth values, and formulas within assertions have names, too.
    check(
        "(set-option :produce-proofs 1) (declare-const x Real) (declare-const p Bool) (declare-const q Bool)
         (push 1) (assert (! (> x 1) :named A)) (assert (! (< x 0) :named B)) (check-sat) (get-interpolants A B) (pop 1)
         (assert (! (or (! (not p) :named np) q) :named top)) (assert p) (check-sat) (get-assignment)
         (declare-sort P 1) (declare-sort U 0) (declare-const c (P U)) (check-sat) (get-value (c))",
        "unsat
         ((> x 1.0))
         sat
         ((np false) (top true))
         sat
         ((c |(P U)!val!0|))",
    );
}

#[test]
fn what_is_not_decided_has_a_reason() {
    for (script, reason) in [
        ("(declare-const x Int) (assert (= (* x x x) 12345678910111213141))", "non-linear arithmetic"),
        ("(declare-fun p (Int) Bool) (assert (forall ((n Int)) (p n))) (assert (not (p 0)))", "quantifiers"),
        ("(declare-fun p (Int) Bool) (assert (exists ((n Int)) (p n)))", "quantifiers"),
    ] {
        let script = format!("{script} (check-sat) (get-info :reason-unknown)");
        check(&script, &format!("unknown\n(:reason-unknown \"incomplete: {reason}\")"));
    }
}

#[test]
fn products_with_numerals_are_linear() {
    check(
        "(declare-const x Int) (declare-const r Real) (declare-const y Int) (declare-const z Int)
         (assert (= (* 2 3 x) 12)) (assert (= (/ r 4) (* 0.5 1.5))) (check-sat) (get-value (x r))
         (push 1) (assert (and (= (* y z) 3) (< (* z y) 3))) (check-sat) (pop 1)",
        "sat
         ((x 2)
         (r 3.0))
         unsat",
    );
}

#[test]
fn errors_have_a_place() {
    // What comes after is answered, but not with `sat`: what could not be read may have been an assertion.
    check_error(
        "(check-sat)\n(assert (< x 1))\n(check-sat)\n(assert false)\n(check-sat)",
        "sat\n(error \"2:12: unknown symbol `x`\")\nunknown\nunsat",
        "-:2:12: error: unknown symbol `x`",
    );
    check_error(
        "(declare-const x Int)\r\n\t(assert x)",
        "(error \"2:10: expected Bool but found Int in `assert`\")",
        "-:2:10: error: expected Bool but found Int in `assert`",
    );
    check_error(
        "(check-sat) )",
        "sat\n(error \"1:13: expected a command but found `)`\")",
        "-:1:13: error: expected a command but found `)`",
    );
    check_error(
        "(echo \"one\")\n(frobnicate)",
        "\"one\"\n(error \"2:2: unknown command `frobnicate`\")",
        "-:2:2: error: unknown command `frobnicate`",
    );
    check_error(
        "(assert (and true",
        "(error \"1:18: expected a term but found the end of the text\")",
        "-:1:18: error: expected a term but found the end of the text",
    );
    check_error(
        "(check-sat)(pop 1)",
        "sat\n(error \"1:17: cannot pop 1 levels when 0 are pushed\")",
        "-:1:17: error: cannot pop 1 levels when 0 are pushed",
    );
}

#[test]
fn no_bytes_are_too_strange() {
    for script in
        [&b"\xff\xfe(check-sat)"[..], b"(assert |\xc3\x28|)", b"(echo \"\0", b"((((((((", b"", b"\r\n;"]
    {
        let run = bolide_on(&[], script);
        assert!(matches!(run.code, 0 | 65), "{run:?}");
    }
    let deep = format!(
        "(declare-const p Bool)(assert {}p{})(check-sat)",
        "(not ".repeat(100_000),
        ")".repeat(100_000)
    );
    assert_eq!(bolide_on(&[], deep.as_bytes()).stdout, "sat\n");
}

#[test]
fn files_and_usage() {
    let file = Scratch::new("files_and_usage.smt2", "(check-sat)\n(assert 1)");
    let run = bolide(&["smt", file.path()]);
    assert!(run.stdout.starts_with("sat\n(error \"2:9: ") && run.code == 65, "{run:?}");
    assert!(run.stderr.starts_with(&format!("{}:2:9: error: ", file.path())), "{}", run.stderr);
    let missing = bolide(&["smt", "no/such/file.smt2"]);
    assert_eq!((missing.stdout.as_str(), missing.code), ("", 65));
    assert!(missing.stderr.starts_with("no/such/file.smt2: error: "), "{}", missing.stderr);
    for arguments in [
        &["smt"][..],
        &["smt", "--no-such-option", "-"],
        &["smt", "--timeout", "soon", "-"],
        &["smt", "--timeout=-1", "-"],
        &["smt", "--system", "craig", "-"],
        &["no-such-command"],
        &[],
    ] {
        let run = bolide(arguments);
        assert_eq!((run.stdout.as_str(), run.code), ("", 64), "{arguments:?}");
        assert!(!run.stderr.is_empty());
    }
    let help = bolide(&["smt", "--help"]);
    assert_eq!((help.stderr.as_str(), help.code), ("", 0));
    for option in ["--timeout", "--memory", "--check", "--system", "--farkas", "--minimize-cores", "--seed"] {
        assert!(help.stdout.contains(option), "{option}");
    }
}

/// More pigeons than holes, which resolution cannot refute quickly.
fn pigeons(holes: usize) -> String {
    let mut script = String::new();
    for p in 0..=holes {
        let places: Vec<String> = (0..holes).map(|h| format!("p{p}_{h}")).collect();
        for place in &places {
            script += &format!("(declare-const {place} Bool)\n");
        }
        script += &format!("(assert (or {}))\n", places.join(" "));
        for q in 0..p {
            for h in 0..holes {
                script += &format!("(assert (not (and p{p}_{h} p{q}_{h})))\n");
            }
        }
    }
    script
}

#[test]
fn time_limit() {
    let script = format!("{}(check-sat) (get-info :reason-unknown) (get-model) (check-sat)", pigeons(14));
    for check in [&[][..], &["--check"]] {
        let start = Instant::now();
        let run = bolide_on(&[&["--timeout", "0.5"], check].concat(), script.as_bytes());
        let expected = "unknown\n(:reason-unknown timeout)\n\
            (error \"there is no model: the last answer was not sat\")\nunknown\n";
        // On a busy machine the watchdog may have to end it.
        let said = (run.stdout.as_str(), run.code);
        assert!(said == (expected, 0) || said == ("unknown\n", 2), "{said:?}");
        assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    }
}

#[test]
fn memory_limit() {
    let script = format!("{}(check-sat) (get-info :reason-unknown)", pigeons(14));
    let run = bolide_on(&["--memory", "1"], script.as_bytes());
    // On a busy machine the watchdog may have to end it.
    let said = (run.stdout.as_str(), run.code);
    assert!(said == ("unknown\n(:reason-unknown memout)\n", 0) || said == ("unknown\n", 2), "{said:?}");
}

#[test]
fn the_same_twice() {
    let script = format!("{MODELLED}(check-sat)(get-model)(get-info :statistics)");
    let first = bolide_on(&["--seed", "3"], script.as_bytes());
    let second = bolide_on(&["--seed", "3"], script.as_bytes());
    assert_eq!(first.stdout, second.stdout);
}
