//! Nesting a million deep.

use crate::{assertions, commands, prelude};
use bolide_smtlib::{Scope, print_term, read_term};
use bolide_term::Store;

const DEPTH: usize = 1_000_000;

#[test]
fn applications() {
    let (mut store, mut scope) = prelude();
    let text = format!("{}x{}", "(f ".repeat(DEPTH), ")".repeat(DEPTH));
    let t = read_term(&text, &mut store, &mut scope).unwrap();
    let printed = print_term(&store, t).to_string();
    assert_eq!(printed.len(), text.len());
    assert_eq!(read_term(&printed, &mut store, &mut scope).unwrap(), t);
}

#[test]
fn connectives() {
    let mut store = Store::new();
    let text = format!(
        "(declare-const p Bool)(declare-fun g (Bool) Bool)(assert {}p{})",
        "(not (and p (g ".repeat(DEPTH / 3),
        ")))".repeat(DEPTH / 3)
    );
    let t = assertions(&text, &mut store)[0];
    let printed = print_term(&store, t).to_string();
    let mut scope = Scope::of_store(&mut store);
    assert_eq!(read_term(&printed, &mut store, &mut scope).unwrap(), t);
}

#[test]
fn bodies_of_let() {
    let (mut store, mut scope) = prelude();
    let text = format!("{}k{}", "(let ((k (f x)) (x y)) ".repeat(DEPTH), ")".repeat(DEPTH));
    let t = read_term(&text, &mut store, &mut scope).unwrap();
    assert_eq!(print_term(&store, t).to_string(), "(f y)");
}

#[test]
fn values_of_let() {
    let (mut store, mut scope) = prelude();
    let text = format!("{}x{}", "(let ((k ".repeat(DEPTH), ")) (f k))".repeat(DEPTH));
    assert!(read_term(&text, &mut store, &mut scope).is_ok());
}

#[test]
fn shared_subterms_are_printed_once() {
    let (mut store, mut scope) = prelude();
    let n = 100_000;
    let chain = "(let ((k (h (h k 0) 1)) (l (h (h l 0) 1))) (let ((k (= k l)) (l k)) ".repeat(n);
    let text = format!("(let ((k p) (l q)) {chain} (and k l){})", "))".repeat(n));
    let t = read_term(&text, &mut store, &mut scope).unwrap();
    let printed = print_term(&store, t).to_string();
    assert!(printed.len() < 2 * text.len());
    assert_eq!(read_term(&printed, &mut store, &mut scope).unwrap(), t);
}

#[test]
fn annotations_and_quantifiers() {
    let (mut store, mut scope) = prelude();
    let text = format!("{}p{}", "(! ".repeat(DEPTH), " :weight 0)".repeat(DEPTH));
    assert!(read_term(&text, &mut store, &mut scope).is_ok());
    let n = DEPTH / 10;
    let text = format!("{}p{}", "(forall ((i Int)) (or (= (f i) x) ".repeat(n), "))".repeat(n));
    let t = read_term(&text, &mut store, &mut scope).unwrap();
    let printed = print_term(&store, t).to_string();
    assert!(read_term(&printed, &mut store, &mut scope).is_ok());
}

#[test]
fn parentheses() {
    let (mut store, mut scope) = prelude();
    for text in [
        "(".repeat(DEPTH),
        ")".repeat(DEPTH),
        format!("(set-info :a {}{})", "(".repeat(DEPTH), ")".repeat(DEPTH)),
        format!("(assert {}", "(and ".repeat(DEPTH)),
        format!("(declare-const k {}", "(Array Int ".repeat(DEPTH)),
        format!("(get-interpolants {}", "(".repeat(DEPTH)),
        format!("(assert {})", "(let ((".repeat(DEPTH)),
    ] {
        commands(&text, &mut store, &mut scope);
    }
}
