//! Commands, scopes and interpolation trees.

use crate::{commands, prelude};
use bolide_base::Rational;
use bolide_smtlib::{AttributeValue, Command, InterpolationTree, QueryGoal, Reader, Scope, Span};
use bolide_term::Store;

fn read(text: &str) -> Vec<Command> {
    let (mut store, mut scope) = prelude();
    commands(text, &mut store, &mut scope).into_iter().map(|c| c.unwrap()).collect()
}

#[test]
fn simple_commands() {
    let plain = [
        ("(check-sat)", Command::CheckSat),
        ("(get-model)", Command::GetModel),
        ("(get-unsat-core)", Command::GetUnsatCore),
        ("(get-unsat-assumptions)", Command::GetUnsatAssumptions),
        ("(get-assertions)", Command::GetAssertions),
        ("(get-assignment)", Command::GetAssignment),
        ("(get-proof)", Command::GetProof),
        ("(get-info :version)", Command::GetInfo(":version".into())),
        ("(get-option :print-success)", Command::GetOption(":print-success".into())),
        ("(push)", Command::Push(1)),
        ("(push 3)", Command::Push(3)),
        ("(pop 0)", Command::Pop(0)),
        ("(echo \"a \"\"b\"\"\")", Command::Echo("a \"b\"".into())),
        ("(reset)", Command::Reset),
        ("(reset-assertions)", Command::ResetAssertions),
        ("(exit) garbage )(", Command::Exit),
        ("(set-logic QF_LIA)", Command::SetLogic("QF_LIA".into())),
        ("(declare-sort Pair 2)", Command::DeclareSort { name: "Pair".into(), arity: 2 }),
        ("(declare-sort V)", Command::DeclareSort { name: "V".into(), arity: 0 }),
        ("(define-sort W (X) (Array X X))", Command::DefineSort { name: "W".into(), arity: 1 }),
    ];
    for (text, command) in plain {
        assert_eq!(read(text), [command], "{text}");
    }
}

#[test]
fn attribute_values() {
    let value = |text: &str| match &read(&format!("(set-option :k {text})"))[..] {
        [Command::SetOption { keyword, value }] if keyword == ":k" => value.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(value("true").as_bool(), Some(true));
    assert_eq!(value("0.5").as_number(), Some(&Rational::new(1, 2)));
    assert_eq!(value("\"out\"").as_text(), Some("out"));
    assert_eq!(value("(a |b c| (3))"), AttributeValue::Other("(a |b c| (3))".into()));
    assert_eq!(value(""), AttributeValue::None);
    let info = read("(set-info :source |two\nlines|)");
    let text = AttributeValue::Symbol("two\nlines".into());
    assert_eq!(info, [Command::SetInfo { keyword: ":source".into(), value: text }]);
}

#[test]
fn terms_are_echoed_as_written() {
    let text = "(get-value ((+ x  1) |p| (! q :named nq)))";
    match &read(text)[..] {
        [Command::GetValue(terms)] => {
            let texts: Vec<&str> = terms.iter().map(|t| t.text.as_str()).collect();
            assert_eq!(texts, ["(+ x  1)", "|p|", "(! q :named nq)"]);
            assert_eq!(terms[0].span, Span::new(12, 20));
        }
        other => panic!("{other:?}"),
    }
    match &read("(check-sat-assuming (p (not q)))")[..] {
        [Command::CheckSatAssuming(literals)] => assert_eq!(literals[1].text, "(not q)"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn assertions_know_their_names_and_places() {
    let text = " (assert p)\n(assert (! q :named |the q|)) (assert (and (! p :named inner) q))";
    let (mut store, mut scope) = prelude();
    let mut reader = Reader::new(text);
    let mut names = Vec::new();
    while let Some(located) = reader.next_command(&mut store, &mut scope) {
        let located = located.unwrap();
        let Command::Assert { name, .. } = located.command else { panic!() };
        names.push((name, &text[located.span.start..located.span.end]));
    }
    let expected = [
        (None, "(assert p)"),
        (Some("the q".to_owned()), "(assert (! q :named |the q|))"),
        (None, "(assert (and (! p :named inner) q))"),
    ];
    assert_eq!(names, expected);
}

/// Whether each of some commands succeeds.
fn outcomes(text: &str) -> Vec<bool> {
    commands(text, &mut Store::new(), &mut Scope::new()).iter().map(Result::is_ok).collect()
}

#[test]
fn declarations_follow_the_assertion_stack() {
    let script = "(declare-const x Int) (push 2) (declare-const y Int) (declare-sort S 0)
        (assert (! (= x y) :named n)) (pop 1) (assert n) (assert (= x y)) (declare-const s S)
        (declare-const y Bool) (assert y) (pop) (assert y) (assert (= x 0)) (pop)";
    let ok = [true, true, true, true, true, true, false, false, false, true, true, true, false, true, false];
    assert_eq!(outcomes(script), ok);
    let global = "(set-option :global-declarations true) (push) (declare-const y Int) (pop) (assert (= y 0))
        (reset-assertions) (assert (= y 0)) (reset) (assert (= y 0))";
    assert_eq!(outcomes(global), [true, true, true, true, true, true, true, true, false]);
    let reset = "(declare-const y Int) (push) (reset-assertions) (assert (= y 0)) (pop)";
    assert_eq!(outcomes(reset), [true, true, true, false, false]);
}

#[test]
fn theory_names_can_be_declared_where_the_theory_is_not_used() {
    let script = "(push) (declare-fun select (Int) Int) (assert (= (select 1) 2)) (pop)
        (declare-const a (Array Int Int)) (assert (= (select a 1) 2))";
    assert_eq!(outcomes(script), [true; 6]);
}

#[test]
fn fixedpoint_commands() {
    let script = "(declare-rel inv (Int)) (declare-rel bad ()) (declare-var k Int)
        (rule (=> (= k 0) (inv k)) start) (rule (=> (and (inv k) (< k 5)) (inv (+ k 1))))
        (rule (! (=> (inv k) bad) :named last))
        (query bad :print-certificate true) (query inv) (query (inv 7))";
    let (mut store, mut scope) = (Store::new(), Scope::new());
    let read: Vec<Command> =
        commands(script, &mut store, &mut scope).into_iter().map(|c| c.unwrap()).collect();
    let &[Command::DeclareRel(inv), Command::DeclareRel(bad), Command::DeclareVar(_), ..] = &read[..] else {
        panic!("{read:?}")
    };
    let names: Vec<Option<&str>> = read
        .iter()
        .filter_map(|c| match c {
            Command::Rule { name, .. } => Some(name.as_deref()),
            _ => None,
        })
        .collect();
    assert_eq!(names, [Some("start"), None, Some("last")]);
    assert_eq!(read[6], Command::Query(QueryGoal::Relation(bad)));
    assert_eq!(read[7], Command::Query(QueryGoal::Relation(inv)));
    assert!(matches!(read[8], Command::Query(QueryGoal::Formula(_))));
}

/// The tree of a `get-interpolants` over assertions A to I.
fn tree(partitions: &str) -> Result<InterpolationTree, String> {
    let mut script = String::new();
    for name in "ABCDEFGHI".chars() {
        script += &format!("(assert (! {} :named {name}))", if name < 'E' { "p" } else { "q" });
    }
    let (mut store, mut scope) = prelude();
    commands(&script, &mut store, &mut scope);
    let mut results = commands(&format!("(get-interpolants {partitions})"), &mut store, &mut scope);
    assert_eq!(results.len(), 1);
    match results.remove(0) {
        Ok(Command::GetInterpolants(tree)) => Ok(tree),
        Ok(other) => panic!("{other:?}"),
        Err(e) => Err(e.to_string()),
    }
}

fn check_tree(partitions: &str, names: &[&str], subtree_start: &[usize]) {
    let tree = tree(partitions).unwrap();
    let found: Vec<String> = tree.partitions.iter().map(|p| p.names.join("&")).collect();
    assert_eq!(found, names, "{partitions}");
    assert_eq!(tree.subtree_start, subtree_start, "{partitions}");
}

#[test]
fn interpolation_trees() {
    check_tree("A B", &["A", "B"], &[0, 0]);
    check_tree("(and A B) |C| (and D)", &["A&B", "C", "D"], &[0, 0, 0]);
    check_tree("A (B C) D", &["A", "B", "C", "D"], &[0, 1, 1, 0]);
    check_tree("A (B) (C) D", &["A", "B", "C", "D"], &[0, 1, 2, 0]);
    check_tree("(A) B", &["A", "B"], &[0, 0]);
    check_tree(
        "A B (C (D E) (and F G)) H I",
        &["A", "B", "C", "D", "E", "F&G", "H", "I"],
        &[0, 0, 2, 3, 3, 2, 0, 0],
    );
    check_tree("", &[], &[]);
    let t = tree("A (B C) (D) E F").unwrap();
    assert!(!t.is_sequence());
    assert_eq!(t.children(4).collect::<Vec<_>>(), [3, 2, 0]);
    assert_eq!(t.children(5).collect::<Vec<_>>(), [4]);
    assert_eq!(t.children(3).count(), 0);
    assert!(tree("A B C").unwrap().is_sequence());
}

#[test]
fn malformed_interpolation_trees() {
    assert_eq!(tree("A (B)").unwrap_err(), "1:24: a partition must follow the group");
    assert_eq!(tree("A (B (C)) D").unwrap_err(), "1:27: a partition must follow the group");
    assert_eq!(tree("A () B").unwrap_err(), "1:22: expected a partition but found `)`");
    assert_eq!(
        tree("A (and (and B)) C").unwrap_err(),
        "1:26: expected the name of an assertion but found `(`"
    );
    assert_eq!(tree("A x").unwrap_err(), "1:21: `x` does not name an assertion");
}
