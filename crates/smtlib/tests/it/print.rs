//! Symbols, values, models and declarations.

use crate::{assertions, commands};
use bolide_base::{Rational, UBig};
use bolide_smtlib::{
    Scope, print_declarations, print_model, print_sort, print_symbol, print_term, print_value, read_term,
};
use bolide_term::{ArrayValue, FuncInterp, Model, Sort, Store, Value};
use std::sync::Arc;

#[test]
fn symbols_are_quoted_when_they_must_be() {
    for (name, text) in [
        ("x", "x"),
        ("main@%_1", "main@%_1"),
        ("", "||"),
        ("a b", "|a b|"),
        ("1x", "|1x|"),
        ("let", "|let|"),
        ("as", "|as|"),
        ("assert", "|assert|"),
        ("x:1", "|x:1|"),
        ("#1", "|#1|"),
        ("\u{e9}", "|\u{e9}|"),
        ("a|b\\c", "|a%7Cb%5Cc|"),
    ] {
        assert_eq!(print_symbol(name).to_string(), text);
    }
}

#[test]
fn values() {
    let mut store = Store::new();
    let inner = store.array_sort(Sort::INT, Sort::REAL);
    let outer = store.array_sort(Sort::BOOL, inner);
    let u = store.uninterpreted_sort("my sort");
    let half = Value::Num(Rational::new(-1, 2));
    let array = Value::Array(Arc::new(
        ArrayValue::constant(Value::Num(Rational::ZERO))
            .store(Value::Num(3.into()), half.clone())
            .store(Value::Num((-1).into()), half.clone()),
    ));
    let zeros = Value::Array(Arc::new(ArrayValue::constant(Value::Num(Rational::ZERO))));
    let nested = Value::Array(Arc::new(ArrayValue::constant(zeros).store(Value::Bool(true), array)));
    let zeros = "((as const (Array Int Real)) 0.0)";
    let text = "(store (store ((as const (Array Int Real)) 0.0) (- 1) (- (/ 1.0 2.0))) 3 (- (/ 1.0 2.0)))";
    for (value, sort, expected) in [
        (Value::Bool(true), Sort::BOOL, "true".to_owned()),
        (Value::Num((-7).into()), Sort::INT, "(- 7)".to_owned()),
        (Value::Num(7.into()), Sort::REAL, "7.0".to_owned()),
        (half, Sort::REAL, "(- (/ 1.0 2.0))".to_owned()),
        (Value::Bv(8, UBig::from(10u8)), store.bv_sort(8), "#x0a".to_owned()),
        (Value::Bv(5, UBig::from(10u8)), store.bv_sort(5), "#b01010".to_owned()),
        (Value::Elem(u, 2), u, "|my sort!val!2|".to_owned()),
        (nested, outer, format!("(store ((as const {}) {zeros}) true {text})", print_sort(&store, outer))),
    ] {
        assert_eq!(print_value(&store, &value, sort).to_string(), expected);
        // The text denotes the term of the value.
        let term = value.to_term(&mut store, sort);
        let mut scope = Scope::of_store(&mut store);
        assert_eq!(read_term(&expected, &mut store, &mut scope).unwrap(), term);
    }
}

#[test]
fn models() {
    let mut store = Store::new();
    let u = store.uninterpreted_sort("U");
    let x = store.func("x", &[], Sort::INT);
    let e = store.func("e", &[], u);
    let f = store.func("f", &[Sort::INT, u], Sort::REAL);
    let g = store.func("g", &[Sort::BOOL], Sort::BOOL);
    let div = store.func("@div0", &[Sort::INT], Sort::INT);
    let mut model = Model::new();
    model.set(x, Value::Num((-3).into()));
    model.set(e, Value::Elem(u, 1));
    let mut interp = FuncInterp::new(Value::Num(Rational::new(1, 2)));
    interp.insert(vec![Value::Num(1.into()), Value::Elem(u, 0)], Value::Num(2.into()));
    interp.insert(vec![Value::Num(2.into()), Value::Elem(u, 1)], Value::Num(3.into()));
    model.set_func(f, interp);
    let mut interp = FuncInterp::new(Value::Bool(false));
    interp.insert(vec![Value::Bool(true)], Value::Bool(true));
    model.set_func(g, interp);
    model.set(div, Value::Num(3.into()));
    let unset = store.func("unset", &[], Sort::BOOL);
    let symbols = [x, e, f, g, div, unset];
    let expected = "(
  (declare-fun U!val!0 () U)
  (declare-fun U!val!1 () U)
  (define-fun x () Int (- 3))
  (define-fun e () U U!val!1)
  (define-fun f ((x!0 Int) (x!1 U)) Real (ite (and (= x!0 1) (= x!1 U!val!0)) 2.0 (ite (and (= x!0 2) (= x!1 U!val!1)) 3.0 (/ 1.0 2.0))))
  (define-fun g ((x!0 Bool)) Bool (ite (= x!0 true) true false))
  (define-fun unset () Bool false)
)";
    let text = print_model(&store, &model, &symbols).to_string();
    assert_eq!(text, expected);
    // Without the outer parentheses a model is a script.
    let script = format!("(declare-sort U 0){}", &text[1..text.len() - 1]);
    for command in commands(&script, &mut Store::new(), &mut Scope::new()) {
        command.unwrap();
    }
}

#[test]
fn declarations_make_a_script_of_terms() {
    let script = "(declare-sort U 0) (declare-const |a b| U) (declare-fun f (U (Array Int U)) Bool)
        (declare-const m (Array Int U)) (declare-const unused Int)
        (assert (f |a b| m)) (assert (forall ((k U) (i Int)) (=> (f k m) (= (select m (div i 0)) k))))";
    let mut store = Store::new();
    let terms = assertions(script, &mut store);
    let declarations = print_declarations(&store, &terms).to_string();
    let expected = "(declare-sort U 0)
(declare-fun |a b| () U)
(declare-fun m () (Array Int U))
(declare-fun f (U (Array Int U)) Bool)
";
    assert_eq!(declarations, expected);
    let asserts: String = terms.iter().map(|&t| format!("(assert {})\n", print_term(&store, t))).collect();
    assert_eq!(assertions(&format!("{declarations}{asserts}"), &mut store)[0], terms[0]);
}

#[test]
fn large_shared_terms_use_let() {
    let mut store = Store::new();
    let script = "(declare-fun f (Int Int) Int) (declare-const x Int) (declare-const $1 Int)
        (assert (let ((a (f x $1))) (let ((a (f (f a a) (f a x)))) (let ((a (f (f a a) (f a a))))
          (let ((a (f (f a a) (f a a)))) (= (f a a) 0))))))
        (assert (let ((a (f x x))) (= a (f a a))))";
    let terms = assertions(script, &mut store);
    let text = print_term(&store, terms[0]).to_string();
    assert!(text.starts_with("(let (($$1 "), "{text}");
    assert_eq!(print_term(&store, terms[1]).to_string(), "(= (f x x) (f (f x x) (f x x)))");
}

#[test]
fn wide_constants_are_printed_in_full() {
    let mut store = Store::new();
    for width in [65_535, 65_536, 262_148, 1 << 20] {
        let t = store.bv_const(width, UBig::from(5u8));
        let text = print_term(&store, t).to_string();
        assert!(text.len() > width as usize / 4);
        assert_eq!(read_term(&text, &mut store, &mut Scope::new()).unwrap(), t);
    }
}
