//! `bolide smt` on scripts of logic HORN, as compilers of contracts write them: answers, models and derivations in terms of the records
//! that the clauses were written with.

mod common;

use common::bolide_on;

/// A contract that counts up to five, with its state in a record, and an array of records beside it.
const CONTRACT: &str = "(set-option :timeout 20000)
(set-logic HORN)
(declare-datatypes ((|state_type| 0)) (((|state_type| (|balances| (Array Int Int))))))
(declare-datatypes ((|struct C.S| 0)) (((|struct C.S| (|S_a| Int) (|S_b| Bool)))))
(declare-fun |interface_C| (|state_type| Int (Array Int |struct C.S|)) Bool)
(declare-fun |error_target_1| () Bool)
(assert (forall ((s |state_type|) (m (Array Int |struct C.S|)))
  (=> (= m ((as const (Array Int |struct C.S|)) (|struct C.S| 0 false))) (interface_C s 0 m))))
(assert (forall ((s |state_type|) (n Int) (m (Array Int |struct C.S|)))
  (=> (and (interface_C s n m) (< n 5)) (interface_C s (+ n 1) (store m n (|struct C.S| n true))))))
(assert (forall ((s |state_type|) (n Int) (m (Array Int |struct C.S|)))
  (=> (and (interface_C s n m) BAD) error_target_1)))
(assert (forall ((UNUSED Bool)) (=> error_target_1 false)))
(check-sat)
";

fn answer(bad: &str, question: &str) -> String {
    let script = CONTRACT.replace("BAD", bad) + question;
    let run = bolide_on(&[], script.as_bytes());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{script}");
    run.stdout
}

#[test]
fn models_define_predicates_as_they_were_declared() {
    for (bad, fact) in [("(> n 5)", "5"), ("(not (= (S_a (select m 9)) 0))", "9")] {
        let stdout = answer(bad, "(get-model)");
        let (word, model) = stdout.split_once('\n').unwrap();
        assert_eq!(word, "sat");
        assert!(model.contains(fact), "{model}");
        assert!(model.contains("(Array Int |struct C.S|)"), "{model}");
        // With the definitions in the place of the declarations the clauses hold, so that no denial of one is satisfiable.
        let definitions = model.trim().strip_prefix('(').and_then(|m| m.strip_suffix(')')).unwrap();
        let text = CONTRACT.replace("BAD", bad).replace("(set-logic HORN)", "").replace("(check-sat)", "");
        for n in 0..4 {
            let mut script = String::new();
            for (k, part) in text.split("(assert").enumerate() {
                match k {
                    0 => {
                        let before = part.split("(declare-fun").next().unwrap();
                        script += before;
                        script += definitions;
                    }
                    k if k == n + 1 => script += &denied(part),
                    _ => {}
                }
            }
            let run = bolide_on(&[], (script.clone() + "(check-sat)").as_bytes());
            assert_eq!(run.stdout, "unsat\n", "{script}\n{}", run.stderr);
        }
    }
}

/// A clause denied: its variables are constants for which it does not hold.
fn denied(clause: &str) -> String {
    let inner = clause.trim().strip_suffix(')').unwrap().trim().strip_prefix("(forall (").unwrap();
    let body = inner.find("(=>").unwrap();
    let (variables, formula) = inner.split_at(body);
    let variables = variables.trim().strip_suffix(')').unwrap();
    let declared: String = variables
        .split_inclusive(')')
        .fold((String::new(), 0i32), |(mut out, depth), piece| {
            let depth = depth + piece.matches('(').count() as i32 - piece.matches(')').count() as i32;
            out += piece;
            if depth == 0 {
                out += "\n";
            }
            (out, depth)
        })
        .0
        .lines()
        .map(|v| v.trim())
        .filter(|v| !v.is_empty())
        .map(|v| format!("(declare-const {} ", v.trim_start_matches('(').trim()))
        .collect();
    format!("{declared}(assert (not {})", formula.trim())
}

#[test]
fn derivations_are_refutations_by_hyper_resolution() {
    let stdout = answer("(S_b (select m 2))", "(get-proof)");
    let (word, proof) = stdout.split_once('\n').unwrap();
    assert_eq!(word, "unsat");
    assert!(
        proof.starts_with("((set-logic HORN)\n(declare-fun query!0 () Bool)\n(proof\n(mp ((_ hyper-res"),
        "{proof}"
    );
    assert!(proof.trim_end().ends_with("(asserted (=> query!0 false)) false)))"), "{proof}");
    assert_eq!(proof.matches('(').count(), proof.matches(')').count(), "{proof}");
    // Facts have records as arguments.
    assert!(proof.contains("(interface_C (state_type "), "{proof}");
    assert!(proof.contains("(|struct C.S| 2 true)"), "{proof}");
}

#[test]
fn what_is_not_there_is_said() {
    assert_eq!(
        answer("(> n 5)", "(get-proof)"),
        "sat\n(error \"there is no proof: the last answer was not unsat\")\n"
    );
    assert_eq!(
        answer("(> n 4)", "(get-model)"),
        "unsat\n(error \"there is no model: the last answer was not sat\")\n"
    );
    let script = "(set-logic HORN) (declare-fun p (Int) Bool) (declare-fun q (Int) Bool)
        (assert (forall ((x Int)) (or (p x) (q x)))) (check-sat) (get-info :reason-unknown)";
    let run = bolide_on(&[], script.as_bytes());
    assert!(run.stdout.starts_with("(error "), "{}", run.stdout);
    assert!(run.stdout.contains("\nunknown\n"), "{}", run.stdout);
}

/// Proofs in the Alethe format are written for `unsat` and for nothing else.
#[test]
fn alethe_proofs() {
    let clauses = "(set-logic HORN)(declare-fun p (Int) Bool)(assert (p 1))
        (assert (forall ((x Int)) (=> (and (p x) (> x BOUND)) false)))";
    let folder = bolide_testkit::Folder::new("alethe");
    let proof = folder.path("proof.alethe");
    let run = |bound: &str, output: &str| {
        let task = folder.file("task.smt2", &clauses.replace("BOUND", bound));
        common::bolide(&["verify", "--jobs", "1", "--alethe", output, &task])
    };
    let unsat = run("0", &proof);
    assert_eq!((unsat.code, unsat.stdout.as_str(), unsat.stderr.as_str()), (1, "unsat\n", ""));
    let text = std::fs::read_to_string(&proof).unwrap();
    assert!(text.starts_with("(assume h0 ") && text.contains("(cl) :rule resolution"), "{text}");
    assert_eq!(run("0", "-").stdout, format!("unsat\n{text}"));
    std::fs::remove_file(&proof).unwrap();
    let sat = run("1", &proof);
    assert_eq!((sat.code, sat.stdout.as_str()), (0, "sat\n"));
    assert!(sat.stderr.starts_with("note: no Alethe proof is written"), "{}", sat.stderr);
    assert!(!std::path::Path::new(&proof).exists());
}
