//! Datatypes: declarations, terms over them, and what is wrong with them.

use bolide_smtlib::{Command, Reader, Scope, print_term};
use bolide_term::Store;

/// The assertions of a script as they print, or its first error.
fn check(text: &str, expected: &str) {
    let (mut store, mut scope) = (Store::new(), Scope::new());
    let mut reader = Reader::new(text);
    let mut shown = Vec::new();
    while let Some(next) = reader.next_command(&mut store, &mut scope) {
        match next {
            Ok(located) => {
                if let Command::Assert { term, .. } = located.command {
                    shown.push(print_term(&store, term).to_string());
                }
            }
            Err(error) => {
                shown.push(error.message.clone());
                break;
            }
        }
    }
    assert_eq!(shown.join("; "), expected, "{text}");
}

const LIST: &str = "(declare-datatypes ((List 1)) ((par (X) ((nil) (cons (head X) (tail (List X)))))))
    (declare-const l (List Int)) ";
const TREE: &str =
    "(declare-datatype Tree (leaf (node (left Tree) (val Int) (right Tree)))) (declare-const t Tree) ";

#[test]
fn terms() {
    let list = |t: &str| format!("{LIST}(assert {t})");
    check(&list("(= l (cons 1 l))"), "(= l ((as cons (List Int)) 1 l))");
    check(&list("(= l (as nil (List Int)))"), "(= l (as nil (List Int)))");
    check(&list("(= (head (tail l)) 3)"), "(= (head (tail l)) 3)");
    check(&list("((_ is cons) l)"), "((_ is cons) l)");
    check(&list("(is-cons l)"), "((_ is cons) l)");
    check(&list("(= ((as cons (List Int)) 1 l) (cons 2 l))"), "false");
    check(
        &list("(= 1 (match l ((nil 0) ((cons h _) h))))"),
        "(= (ite (= l (as nil (List Int))) 0 (head l)) 1)",
    );
    check(
        &list("(match l (((cons h t) (= h 1)) (other (= other l))))"),
        "(or (= (head l) 1) (not ((_ is cons) l)))",
    );
    let tree = |t: &str| format!("{TREE}(assert {t})");
    check(&tree("(= t (node leaf 1 t))"), "(= t (node leaf 1 t))");
    check(&tree("((_ is leaf) t)"), "(= t leaf)");
    check(&tree("(= (node t 1 leaf) (node leaf 1 t))"), "(= t leaf)");
}

#[test]
fn mistakes() {
    let list = |t: &str| format!("{LIST}(assert {t})");
    check(&list("(= l nil)"), "`nil` needs its sort, as in `(as nil S)`");
    check(&list("(= l (cons 1))"), "`cons` takes 2 arguments, not 1");
    check(&list("(head 3)"), "expected List but found Int in argument 1 of `head`");
    check(&list("(match l ((nil true)))"), "this `match` has no case for some constructor");
    check(&list("(match 3 ((nil true)))"), "expected a term of a datatype but found another");
    check("(declare-datatype T ((c (f T))))", "the datatype `T` has no values");
    check("(declare-datatype T ((c (f Int)) (d (f Int))))", "`f` is already declared");
    check("(declare-datatype T ((c (f U)))) (declare-const x T)", "unknown sort `U`");
    check("(declare-datatypes ((T 1)) (((c))))", "`T` has 1 parameter");
}

#[test]
fn sorts_may_be_declared_by_the_next_command() {
    let text = "(declare-datatypes ((A 0)) (((a (f B))))) (declare-datatypes ((B 0)) (((b (g Int)))))
        (declare-const x A) (assert (= (g (f x)) 1))";
    check(text, "(= (g (f x)) 1)");
}
