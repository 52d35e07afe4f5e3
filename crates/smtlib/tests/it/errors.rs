//! Messages and positions.

use crate::{PRELUDE, commands};
use bolide_smtlib::{Reader, Scope};
use bolide_term::Store;

/// The first error of a text: `line:column: message`, and the offending piece of text.
fn check(input: &str, message: &str, piece: &str) {
    let (mut store, mut scope) = (Store::new(), Scope::new());
    for command in commands(PRELUDE, &mut store, &mut scope) {
        command.unwrap();
    }
    let mut reader = Reader::new(input);
    let error = std::iter::from_fn(|| reader.next_command(&mut store, &mut scope)).find_map(Result::err);
    let error = error.unwrap_or_else(|| panic!("no error in {input}"));
    assert_eq!(error.to_string(), message, "{input}");
    assert_eq!(&input[error.span.start..error.span.end], piece, "{input}");
}

#[test]
fn lexical() {
    check("(assert p)\n  [", "2:3: stray character '['", "[");
    check("(assert \u{e9})", "1:9: stray character 'é'", "\u{e9}");
    check("(assert |\u{e9}\u{e9}|\n ])", "1:9: unknown symbol `éé`", "|\u{e9}\u{e9}|");
    check("; \u{e9}\n(set-info :a |\u{e9}\u{e9}| ])", "2:19: stray character ']'", "]");
    check("(assert |p)", "1:9: this quoted symbol is not closed", "|");
    check("(echo \"a\"\"b)", "1:7: this string is not closed", "\"");
    check("(assert (< x 12y))", "1:16: `y` directly after a number", "y");
    check("(assert (= u #xfg))", "1:17: `g` directly after a bit-vector constant", "g");
    check("(assert (= u #x))", "1:14: a bit-vector constant without digits", "#x");
    check("(assert (= u #q))", "1:14: expected `#x` or `#b` with digits but found `#`", "#");
    check("(set-info : 3)", "1:11: a colon without a keyword", ":");
    check("(assert (< x 1.))", "1:15: `.` directly after a number", ".");
}

#[test]
fn bytes_that_are_not_utf8() {
    let (mut store, mut scope) = (Store::new(), Scope::new());
    let mut reader = Reader::new(b"; in a comment \xff\n(set-info :a |b\xffc|)");
    let error = reader.next_command(&mut store, &mut scope).unwrap().unwrap_err();
    assert_eq!(error.to_string(), "2:16: bytes that are not UTF-8");
    let mut reader = Reader::new(b"(push)\xc3");
    assert!(reader.next_command(&mut store, &mut scope).unwrap().is_ok());
    let error = reader.next_command(&mut store, &mut scope).unwrap().unwrap_err();
    assert_eq!(error.to_string(), "1:7: bytes that are not UTF-8");
}

#[test]
fn structure() {
    check(")", "1:1: expected a command but found `)`", ")");
    check("x", "1:1: expected a command but found `x`", "x");
    check("(assert p", "1:10: expected `)` but found the end of the text", "");
    check("(assert (and p", "1:15: expected a term but found the end of the text", "");
    check("(assert p q)", "1:11: expected `)` but found `q`", "q");
    check("(assert)", "1:8: expected a term but found `)`", ")");
    check("(assert (let ((z1 p) q) z1))", "1:22: expected a binding or `)` but found `q`", "q");
    check("(assert (let ((z1 p) (z1 q)) z1))", "1:23: this variable is bound twice by the same `let`", "z1");
    check(
        "(assert (forall ((i Int) (i Int)) p))",
        "1:27: this variable is bound twice by the same list",
        "i",
    );
    check("(assert (forall ((i Int)) p q))", "1:29: expected `)` but found `q`", "q");
    check("(assert (! p))", "1:13: expected an attribute but found `)`", ")");
    check("(assert (()))", "1:11: expected `_` or `as` but found `)`", ")");
    check("(foo)", "1:2: unknown command `foo`", "foo");
    check("(minimize x)", "1:2: the command `minimize` is not supported", "minimize");
    check(
        "(declare-codatatypes ((L 0)) (((nil))))",
        "1:2: the command `declare-codatatypes` is not supported",
        "declare-codatatypes",
    );
    check(
        "(define-fun-rec fac ((n Int)) Int n)",
        "1:2: the command `define-fun-rec` is not supported",
        "define-fun-rec",
    );
    check("(assert (match x ((y p))))", "1:16: expected a term of a datatype but found another", "x");
    check("(pop 1)", "1:6: cannot pop 1 levels when 0 are pushed", "1");
    check("(push 9999999999)", "1:7: the numeral 9999999999 is too large", "9999999999");
}

#[test]
fn names() {
    check("(assert foo)", "1:9: unknown symbol `foo`", "foo");
    check("(assert (foo x))", "1:10: unknown symbol `foo`", "foo");
    check("(assert (< x -5))", "1:14: unknown symbol `-5`; a negative number is written `(- 5)`", "-5");
    check("(assert (x 1))", "1:10: `x` is not a function", "x");
    check("(assert f)", "1:9: `f` needs arguments", "f");
    check("(assert (= x let))", "1:14: expected a term but found `let`", "let");
    check("(declare-const x Int)", "1:16: `x` is already declared", "x");
    check("(declare-const and Int)", "1:16: `and` is defined by the core theory", "and");
    check("(declare-const let Int)", "1:16: `let` is a reserved word", "let");
    check(
        "(declare-fun @div0 (Int) Int)",
        "1:14: `@div0` is reserved: names that begin with @ are the solver's",
        "@div0",
    );
    check("(declare-const k V)", "1:18: unknown sort `V`", "V");
    check("(declare-sort U 0)", "1:15: `U` is already a sort", "U");
    check("(assert (! p :named x))", "1:21: `x` is already declared", "x");
    check(
        "(assert (exists ((k Int)) (! (< k 0) :named kk)))",
        "1:45: a named term must not contain bound variables",
        "kk",
    );
    check(
        "(define-fun k ((i Int)) Int (! i :named ii))",
        "1:41: a named term must not contain bound variables",
        "ii",
    );
    check("(get-interpolants A B)", "1:19: `A` does not name an assertion", "A");
}

#[test]
fn sorts_of_arguments() {
    check("(assert (= 1 (+ x p)))", "1:19: expected Int but found Bool in argument 2 of `+`", "p");
    check("(assert (< r p))", "1:14: expected Real but found Bool in argument 2 of `<`", "p");
    check("(assert (and p (+ x 1)))", "1:16: expected Bool but found Int in argument 2 of `and`", "(+ x 1)");
    check("(assert x)", "1:9: expected Bool but found Int in `assert`", "x");
    check("(assert (= x p))", "1:14: expected Int but found Bool in argument 2 of `=`", "p");
    check("(assert (= c x))", "1:14: expected U but found Int in argument 2 of `=`", "x");
    check("(assert (ite p x c))", "1:18: expected Int but found U in argument 3 of `ite`", "c");
    check("(assert (p))", "1:10: `p` is not a function", "p");
    check("(assert (h p))", "1:9: `h` takes 2 arguments, not 1", "(h p)");
    check("(assert (not p q))", "1:9: `not` takes 1 argument, not 2", "(not p q)");
    check("(assert (= x))", "1:9: `=` takes at least 2 arguments, not 1", "(= x)");
    check("(assert (h p r))", "1:14: expected Int but found Real in argument 2 of `h`", "r");
    check("(assert (div r 2))", "1:14: expected Int but found Real in argument 1 of `div`", "r");
    check("(assert (select x 1))", "1:17: expected an array but found Int in argument 1 of `select`", "x");
    check("(assert (select a p))", "1:19: expected Int but found Bool in argument 2 of `select`", "p");
    check(
        "(assert (bvult u w))",
        "1:18: expected (_ BitVec 8) but found (_ BitVec 3) in argument 2 of `bvult`",
        "w",
    );
    check("(assert (bvult u x))", "1:18: expected a bit-vector but found Int in argument 2 of `bvult`", "x");
    check(
        "(assert (= u ((_ extract 8 0) u)))",
        "1:14: bits 8 to 0 cannot be extracted from 8 bits",
        "((_ extract 8 0) u)",
    );
    check("(assert ((_ divisible 0) x))", "1:23: `divisible` needs a positive numeral", "0");
    check("(assert (= x (as r Int)))", "1:18: expected Int but found Real in `as`", "r");
    check(
        "(assert (= a ((as const (Array Int Int)) p)))",
        "1:42: expected Int but found Bool in argument 1 of `const`",
        "p",
    );
    check("(assert (= a ((as const Int) 1)))", "1:19: `const` needs an array sort", "const");
    check("(assert (forall ((i Int)) i))", "1:27: expected Bool but found Int in `forall`", "i");
    check("(define-fun k () Bool 1)", "1:23: expected Bool but found Int in `define-fun`", "1");
}

#[test]
fn sorts() {
    check("(declare-const k (Array Int))", "1:18: sort `Array` takes 2 arguments, not 1", "(Array Int)");
    check("(declare-const k Array)", "1:18: sort `Array` takes 2 arguments, not 0", "Array");
    check("(declare-const k (Int Int))", "1:19: sort `Int` takes no arguments", "Int");
    check("(declare-const k (_ BitVec 0))", "1:28: a bit-vector has at least one bit", "0");
    check(
        "(declare-const k (_ BitVec 99999999))",
        "1:28: bit-vectors wider than 1048576 bits are not supported",
        "99999999",
    );
    check("(declare-const k (_ Foo 1))", "1:21: expected `BitVec` or `FloatingPoint` but found `Foo`", "Foo");
    check(
        "(assert (= u ((_ repeat 1000000000) u)))",
        "1:14: bit-vectors wider than 1048576 bits are not supported",
        "((_ repeat 1000000000) u)",
    );
    check("(define-sort D (T) (Array T E))", "1:29: unknown sort `E`", "E");
}

#[test]
fn definitions_that_explode_are_refused() {
    let mut script = String::from("(define-sort D0 (T) (Array T T))");
    for i in 1..40 {
        script += &format!("(define-sort D{i} (T) (D{} (D{} T)))", i - 1, i - 1);
    }
    let (mut store, mut scope) = (Store::new(), Scope::new());
    let first = commands(&script, &mut store, &mut scope).into_iter().find_map(Result::err).unwrap();
    assert!(first.message.contains("too large"), "{first}");
    let deep = format!("(declare-const k {}Int{})", "(Array Int ".repeat(2000), ")".repeat(2000));
    let error = commands(&deep, &mut store, &mut scope).remove(0).unwrap_err();
    assert_eq!(error.message, "array sorts nest deeper than 1000");
}

#[test]
fn a_failed_command_leaves_no_trace() {
    let (mut store, mut scope) = (Store::new(), Scope::new());
    let script = "(declare-const p Bool)
        (assert (and (! p :named n) (let ((l p)) (! (and l unknown) :named m))))
        (assert n)
        (assert l)
        (define-fun k ((i Int)) Int (+ i j))
        (assert (= i 0))
        (assert (= (k 1) 0))
        (assert p)";
    let results = commands(script, &mut store, &mut scope);
    let shown: Vec<String> =
        results.iter().map(|r| r.as_ref().map_or_else(|e| e.message.clone(), |_| "ok".to_owned())).collect();
    let unknown = |name: &str| format!("unknown symbol `{name}`");
    let expected = [
        "ok".to_owned(),
        unknown("unknown"),
        unknown("n"),
        unknown("l"),
        unknown("j"),
        unknown("i"),
        unknown("k"),
        "ok".to_owned(),
    ];
    assert_eq!(shown, expected);
}
