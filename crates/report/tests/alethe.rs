//! Proofs in the Alethe format: made for small problems and checked by a checker of their text; what is changed in them is rejected.

mod checker;

use bolide::{Budget, Kind, Options, Task, VerdictKind};
use bolide_report::{Alethe, AletheFlaw, alethe};
use bolide_testkit::{Random, rounds};
use checker::check;

fn proof(text: &str) -> Result<Alethe, AletheFlaw> {
    let task = Task::new("task.smt2", Kind::Horn, text.as_bytes().to_vec());
    let mut options = Options::default();
    options.jobs = 1;
    let report = bolide::verify(&task, &options, &Budget::unlimited()).unwrap();
    assert!(matches!(report.verdict.kind(), VerdictKind::Unsafe), "{text}");
    alethe(&report, &Budget::unlimited())
}

/// Makes a proof and checks it; the number of its holes.
fn checked(text: &str) -> usize {
    let proof = proof(text).unwrap_or_else(|flaw| panic!("{flaw}\n{text}"));
    let checked = check(text, &proof.text).unwrap_or_else(|e| panic!("{e}\n{text}\n{}", proof.text));
    assert_eq!(checked.holes, proof.holes);
    proof.holes
}

const COUNTER: &str = "(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (forall ((x Int)) (=> (= x 0) (p x))))
(assert (forall ((x Int) (y Int)) (=> (and (p x) (= y (+ x 1)) (< x 3)) (p y))))
(assert (forall ((x Int)) (=> (and (p x) (>= x 3)) false)))
(check-sat)
";

#[test]
fn shapes_of_clauses() {
    let decl =
        "(set-logic HORN)(declare-fun p (Int) Bool)(declare-fun q () Bool)(declare-fun b (Bool Int) Bool)";
    let problems = [
        // Facts without quantifiers, queries of all forms.
        "(assert (p (- 3))) (assert (forall ((x Int)) (not (and (p x) (= x (- 3))))))",
        "(assert (p 1)) (assert (not (exists ((x Int)) (and (p x) (= x 1)))))",
        "(assert (p 1)) (assert (forall ((x Int)) (=> (p x) (> x 2))))",
        "(assert (p 1)) (assert (forall ((x Int)) (or (not (p x)) (not (< x 2)))))",
        "(assert q) (assert (not q))",
        "(assert q) (assert (=> q false))",
        // A query without predicates.
        "(assert (forall ((x Int)) (=> (and (> (* 2 x) 7) (< x 5)) false)))",
        // Two premises, the same one twice.
        "(assert (p 2)) (assert (p 3)) (assert (forall ((x Int) (y Int) (z Int))
           (=> (and (p x) (p y) (= z (+ x y))) (p z)))) (assert (forall ((x Int)) (=> (and (p x) (= x 5)) false)))",
        "(assert (p 2)) (assert (forall ((x Int) (y Int)) (=> (and (p x) (p y)) (p (+ x y)))))
         (assert (forall ((x Int)) (=> (and (p x) (= x 8)) false)))",
        // Booleans.
        "(assert (forall ((c Bool) (x Int)) (=> (and c (= x 4)) (b c x))))
         (assert (forall ((c Bool) (x Int)) (=> (and (b c x) (xor c (> x 5)) (= c (< x 5))) (b (> x 5) (+ x 1)))))
         (assert (forall ((c Bool) (x Int)) (=> (and (b c x) (not c) (not (not (= x 5)))) false)))",
        // Choices, quotients, products, chains.
        "(assert (p 7)) (assert (forall ((x Int)) (=> (p x) (p (ite (> x 5) (div (- x) 2) (mod x 3))))))
         (assert (forall ((x Int) (y Int)) (=> (and (p x) (= (* x x y) 16) (distinct x y 3) (= x (- 4) (- y 5))) false)))",
        // Disjunctions around predicates, nested implications and quantifiers.
        "(assert (p 1)) (assert (forall ((x Int)) (=> (or q (and (p x) (= x 1))) (p (+ x 1)))))
         (assert (forall ((x Int)) (=> (p x) (=> (= x 2) (forall ((y Int)) (=> (= y (* 3 x)) (p y)))))))
         (assert (forall ((x Int)) (=> (exists ((y Int)) (and (p y) (= x (- y 6)))) (=> (= x 0) false))))",
        "(assert (and (p 1) (=> (p 1) q))) (assert (=> q (p 1) (ite (< 1 2) (p 9) q)))
         (assert (forall ((x Int)) (= (p x) (< x 9))))",
        // What checkers expand.
        "(define-fun next ((x Int)) Int (let ((y (+ x 1))) (* 2 y))) (define-fun two () Int 2)
         (assert (p two)) (assert (forall ((x Int)) (let ((z (next x))) (=> (and (p x) (! (= two 2) :named fact)) (p z)))))
         (assert (forall ((x Int)) (=> (and (p x) (> x (* two two))) false)))",
        // Quoted names.
        "(declare-fun |a b| (Int) Bool) (assert (forall ((|x y| Int)) (=> (= |x y| 1) (|a b| |x y|))))
         (assert (forall ((|p| Int)) (=> (|a b| |p|) false)))",
    ];
    for text in problems {
        assert_eq!(checked(&format!("{decl}\n{text}")), 0, "{text}");
    }
    assert_eq!(checked(COUNTER), 0);
}

#[test]
fn reals() {
    let text = "(set-logic HORN)(declare-fun p (Real Real) Bool)
        (assert (forall ((x Real) (y Real)) (=> (and (= x (/ 1.0 3.0)) (= (* 4.0 y) (- 1.0))) (p x y))))
        (assert (forall ((x Real) (y Real)) (=> (and (p x y) (< y x)) (p (+ x (* 2.5 y)) (- y (/ x 2.0))))))
        (assert (forall ((x Real) (y Real)) (=> (and (p x y) (< x 0.0)) false)))";
    assert_eq!(checked(text), 0);
    let text = "(set-logic HORN)(declare-fun p (Real) Bool) (assert (p 0.5))
        (assert (forall ((x Real)) (=> (and (p x) (= (to_int x) 0) (<= (to_real (to_int x)) x)) false)))";
    assert!(checked(text) > 0);
}

#[test]
fn other_theories_have_holes() {
    let arrays = "(set-logic HORN)(declare-fun p ((Array Int Int) Int) Bool)
        (assert (forall ((a (Array Int Int))) (=> (= a ((as const (Array Int Int)) 0)) (p a 0))))
        (assert (forall ((a (Array Int Int)) (i Int)) (=> (and (p a i) (< i 2)) (p (store a i (+ i 5)) (+ i 1)))))
        (assert (forall ((a (Array Int Int)) (i Int)) (=> (and (p a i) (= (select a 1) 6)) false)))";
    let words = "(set-logic HORN)(declare-fun p ((_ BitVec 8)) Bool) (assert (p #xfe))
        (assert (forall ((x (_ BitVec 8))) (=> (and (p x) (bvugt x #x00)) (p (bvadd x #x01)))))
        (assert (forall ((x (_ BitVec 8))) (=> (and (p x) (= x #x00)) false)))";
    let datatypes = "(set-logic HORN)
        (declare-datatypes ((L 0) (P 0)) (((nil) (cons (head Int) (tail L))) ((pair (left Int) (right Bool)))))
        (declare-fun p (L P) Bool)
        (assert (forall ((r P)) (=> (and (= (left r) 4) (right r)) (p nil r))))
        (assert (forall ((l L) (r P)) (=> (p l r) (p (cons (left r) l) (pair (+ (left r) 1) false)))))
        (assert (forall ((l L) (r P)) (=> (and (p l r) ((_ is cons) l) (= (head l) 5) (not (right r))) false)))";
    for text in [arrays, words, datatypes] {
        assert!(checked(text) > 0, "{text}");
    }
}

#[test]
fn what_has_no_proof() {
    let rules = "(declare-rel p (Int)) (declare-var x Int) (rule (=> (= x 0) (p x))) (query p)";
    assert_eq!(proof(rules).unwrap_err(), AletheFlaw::Unread);
    let safe = COUNTER.replace(">= x 3", "> x 3");
    let task = Task::new("task.smt2", Kind::Horn, safe.into_bytes());
    let report = bolide::verify(&task, &Options::default(), &Budget::unlimited()).unwrap();
    assert_eq!(alethe(&report, &Budget::unlimited()).unwrap_err(), AletheFlaw::NoDerivation);
}

/// Whatever is changed in a step without holes is noticed.
#[test]
fn changed_proofs_are_rejected() {
    let text = proof(COUNTER).unwrap().text;
    assert!(check(COUNTER, &text).is_ok());
    let lines: Vec<&str> = text.lines().collect();
    let without = |n: usize| {
        let rest: Vec<&str> = lines.iter().enumerate().filter(|(i, _)| *i != n).map(|(_, l)| *l).collect();
        rest.join("\n")
    };
    let mut tried = 0;
    for (n, line) in lines.iter().enumerate() {
        // A step that is gone is missed by whatever uses it.
        assert!(check(COUNTER, &without(n)).is_err(), "without {line}");
        let mut changes = Vec::new();
        if let Some((before, after)) = line.split_once(":= x ") {
            changes.push(format!("{before}:= x 7{after}"));
        }
        if let Some((before, after)) = line.split_once(":premises (") {
            let (premises, end) = after.split_once(')').unwrap();
            changes.push(format!("{before}:premises (){end}"));
            if let Some((_, rest)) = premises.split_once(' ') {
                changes.push(format!("{before}:premises ({rest}){end}"));
            }
        }
        if line.starts_with("(step") && !line.contains("(cl)") {
            changes.push(line.replacen("(cl ", "(cl (p 99) ", 1));
            let (before, after) = line.split_once("(cl ").unwrap();
            let (_, rule) = after.split_once(" :rule ").unwrap();
            changes.push(format!("{before}(cl) :rule {rule}"));
        }
        if line.starts_with("(assume") {
            changes.push(
                line.replacen('0', "1", 1).replacen("(< x 3)", "(< x 4)", 1).replacen(">= x 3", ">= x 2", 1),
            );
        }
        for change in changes.into_iter().filter(|c| c != line) {
            let mut all = lines.clone();
            all[n] = &change;
            assert!(check(COUNTER, &all.join("\n")).is_err(), "{line}\n{change}");
            tried += 1;
        }
    }
    assert!(tried > 50, "{tried}");
    let of_another = COUNTER.replace("(< x 3)", "(< x 2)");
    assert!(check(&of_another, &text).is_err());
}

/// Random problems over numbers and Booleans, each with a proof or none needed.
#[test]
fn random_problems() {
    let mut random = Random::new(23);
    let mut proofs = 0;
    for _ in 0..rounds(150) {
        let text = problem(&mut random);
        let task = Task::new("task.smt2", Kind::Horn, text.clone().into_bytes());
        let mut options = Options::default();
        options.jobs = 1;
        let budget = Budget::unlimited().with_steps(2_000_000);
        let report = bolide::verify(&task, &options, &budget).unwrap();
        if matches!(report.verdict.kind(), VerdictKind::Unsafe) {
            let proof = alethe(&report, &Budget::unlimited()).unwrap_or_else(|e| panic!("{e}\n{text}"));
            assert_eq!(proof.holes, 0, "{text}\n{}", proof.text);
            check(&text, &proof.text).unwrap_or_else(|e| panic!("{e}\n{text}\n{}", proof.text));
            proofs += 1;
        }
    }
    assert!(proofs > 5, "{proofs}");
}

/// Predicates `p` over an integer and a Boolean and `q` over a real.
fn problem(r: &mut Random) -> String {
    let mut text =
        String::from("(set-logic HORN)\n(declare-fun p (Int Bool) Bool)\n(declare-fun q (Real) Bool)\n");
    for _ in 0..2 + r.below(4) {
        let variables = "((x Int) (y Int) (c Bool) (d Bool) (u Real) (v Real))";
        let mut body = vec![formula(r, 3), format!("(= {} {})", number(r, 2), number(r, 1))];
        for _ in 0..r.below(3) {
            body.push(predicate(r));
        }
        if r.below(4) == 0 {
            body.push(format!("(or {} {})", predicate(r), formula(r, 1)));
        }
        let head = if r.below(3) == 0 { "false".into() } else { predicate(r) };
        text += &format!("(assert (forall {variables} (=> (and {}) {head})))\n", body.join(" "));
    }
    text + "(assert (forall ((x Int) (c Bool)) (=> (p x c) (> x 2))))\n(assert (p 1 true))\n(assert (q (/ 1.0 2.0)))\n(check-sat)\n"
}

fn predicate(r: &mut Random) -> String {
    match r.below(2) {
        0 => format!("(p {} {})", number(r, 1), formula(r, 1)),
        _ => format!("(q {})", real(r, 1)),
    }
}

fn number(r: &mut Random, depth: u32) -> String {
    if depth == 0 || r.below(3) == 0 {
        return ["x", "y", "0", "3", "(- 2)"][r.below(5) as usize].into();
    }
    let (a, b) = (number(r, depth - 1), number(r, depth - 1));
    match r.below(7) {
        0 => format!("(- {a})"),
        1 => format!("(* 2 {a})"),
        2 => format!("(ite {} {a} {b})", formula(r, depth - 1)),
        3 => format!("(div {a} 3)"),
        4 => format!("(mod {a} 2)"),
        5 => format!("(- {a} {b})"),
        _ => format!("(+ {a} {b})"),
    }
}

fn real(r: &mut Random, depth: u32) -> String {
    if depth == 0 || r.below(3) == 0 {
        return ["u", "v", "1.5", "(- 0.25)", "(/ 1.0 3.0)"][r.below(5) as usize].into();
    }
    let (a, b) = (real(r, depth - 1), real(r, depth - 1));
    match r.below(3) {
        0 => format!("(- {a} {b})"),
        1 => format!("(* 0.5 {a})"),
        _ => format!("(ite {} {a} {b})", formula(r, depth - 1)),
    }
}

fn formula(r: &mut Random, depth: u32) -> String {
    if depth == 0 || r.below(4) == 0 {
        return match r.below(5) {
            0 => "c".into(),
            1 => "d".into(),
            2 => format!("(<= {} {})", number(r, 1), number(r, 1)),
            3 => format!("(> {} {})", real(r, 1), real(r, 0)),
            _ => format!("(= {} {})", number(r, 1), number(r, 1)),
        };
    }
    let (a, b) = (formula(r, depth - 1), formula(r, depth - 1));
    match r.below(8) {
        0 => format!("(not {a})"),
        1 => format!("(or {a} {b})"),
        2 => format!("(and {a} {b})"),
        3 => format!("(=> {a} {b})"),
        4 => format!("(xor {a} {b})"),
        5 => format!("(= {a} {b})"),
        6 => format!("(distinct {} {})", number(r, 1), number(r, 1)),
        _ => format!("(ite {a} {b} c)"),
    }
}
