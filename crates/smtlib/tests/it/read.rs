//! What terms mean, seen through the printer.

use crate::{commands, prelude};
use bolide_smtlib::{Command, print_term, read_term};

/// The term must read as another text does, and print as that text.
fn check(input: &str, expected: &str) {
    let (mut store, mut scope) = prelude();
    let t = read_term(input, &mut store, &mut scope).unwrap_or_else(|e| panic!("{input}: {e}"));
    assert_eq!(print_term(&store, t).to_string(), expected, "{input}");
    let again = read_term(expected, &mut store, &mut scope).unwrap();
    assert_eq!(t, again, "{input}");
}

/// Two terms must be the same.
fn check_same(left: &str, right: &str) {
    let (mut store, mut scope) = prelude();
    let l = read_term(left, &mut store, &mut scope).unwrap_or_else(|e| panic!("{left}: {e}"));
    let r = read_term(right, &mut store, &mut scope).unwrap_or_else(|e| panic!("{right}: {e}"));
    assert_eq!(l, r, "{left} is {}, {right} is {}", print_term(&store, l), print_term(&store, r));
}

#[test]
fn core() {
    check("true", "true");
    check("(not p)", "(not p)");
    check("(and p q b)", "(and p q b)");
    check("(and)", "true");
    check("(or p)", "p");
    check("(xor p q)", "(not (= p q))");
    check_same("(xor p q b)", "(xor (xor p q) b)");
    check_same("(=> p q b)", "(=> p (=> q b))");
    check_same("(implies p q)", "(=> p q)");
    check_same("(= x y z)", "(and (= x y) (= y z))");
    check_same("(distinct x y z)", "(and (not (= x y)) (not (= x z)) (not (= y z)))");
    check("(distinct x)", "true");
    check("(ite p c d)", "(ite p c d)");
    check("(= c d)", "(= c d)");
    check("(h (< x 1) 2)", "(h (<= x 0) 2)");
    check("(h (not q) 2)", "(h (not q) 2)");
}

#[test]
fn comments_line_ends_and_quoting() {
    check("(and ; a comment )\r\n\t|p| ;another\r q)", "(and p q)");
    check("(and p ; \u{e9}\u{4e2d}\n q)", "(and p q)");
}

#[test]
fn integers() {
    check("(+ x 1)", "(+ x 1)");
    check("(- x 1)", "(- x 1)");
    check("(- x)", "(- x)");
    check("(~ x)", "(- x)");
    check("(- 5)", "(- 5)");
    check("(~ 5)", "(- 5)");
    check_same("(- x y z)", "(- (- x y) z)");
    check("(- 1 x)", "(- 1 x)");
    check("(- x (* 2 y))", "(- x (* 2 y))");
    check("(* 2 x (- 3))", "(* (- 6) x)");
    check("(* x y)", "(* x y)");
    check("(+ x (* (- 2) y) z 7)", "(+ x (* (- 2) y) z 7)");
    check("(div x 3)", "(div x 3)");
    check("(mod x 3)", "(mod x 3)");
    check("(div x 0)", "(div x 0)");
    check("(mod x 0)", "(mod x 0)");
    check_same("(div x 3 2)", "(div (div x 3) 2)");
    check_same("(abs x)", "(ite (>= x 0) x (- x))");
    check("((_ divisible 3) x)", "(= (mod x 3) 0)");
    check_same("(< x y z)", "(and (< x y) (< y z))");
    check("(< x y)", "(< x y)");
    check("(>= x y)", "(>= x y)");
    check("(<= x y)", "(<= x y)");
    check("(>= x 5)", "(>= x 5)");
    check("(> x y)", "(> x y)");
    check("123456789012345678901234567890", "123456789012345678901234567890");
    check("(is_int 1.5)", "false");
}

#[test]
fn reals_and_coercion() {
    check("(+ r 1)", "(+ r 1.0)");
    check("(+ r x)", "(+ r (to_real x))");
    check("(< r 1)", "(< r 1.0)");
    check("(<= 1 r)", "(>= r 1.0)");
    check("(> r s)", "(> r s)");
    check("(/ 1 3)", "(/ 1.0 3.0)");
    check("(/ (- 1) 3)", "(- (/ 1.0 3.0))");
    check("1.50", "(/ 3.0 2.0)");
    check("(/ r s)", "(/ r s)");
    check("(/ r 0)", "(/ r 0.0)");
    check_same("(/ r 2 2)", "(* 0.25 r)");
    check("(to_int r)", "(to_int r)");
    check("(to_real x)", "(to_real x)");
    check_same("(to_real r)", "r");
    check_same("(= x r)", "(= (to_real x) r)");
    check_same("(ite p 1 r)", "(ite p 1.0 r)");
    check("(g 1 c)", "(g 1.0 c)");
    check_same("(is_int r)", "(= r (to_real (to_int r)))");
}

#[test]
fn numerals_of_a_logic_without_integers_are_real() {
    let (mut store, mut scope) = prelude();
    commands("(set-logic QF_LRA)", &mut store, &mut scope);
    let mut read = |text| read_term(text, &mut store, &mut scope).unwrap();
    assert_eq!(read("(< r (ite p 0 1))"), read("(< r (ite p 0.0 1.0))"));
    // Where Int is used nevertheless, numerals follow.
    assert_eq!(read("(+ x 1)"), read("(+ x (to_int 1.0))"));
    let t = read("(f 1)");
    assert_eq!(t, read("(f (to_int 1.0))"));
}

#[test]
fn arrays() {
    check("(select a x)", "(select a x)");
    check("(store a x 1)", "(store a x 1)");
    check("(select (store a x y) x)", "y");
    check("((as const (Array Int Int)) 0)", "((as const (Array Int Int)) 0)");
    check("(select (select m x) y)", "(select (select m x) y)");
    check(
        "(= m ((as const (Array Int (Array Int Bool))) (select m 0)))",
        "(= m ((as const (Array Int (Array Int Bool))) (select m 0)))",
    );
    check("(as x Int)", "x");
    check("((as f Int) 3)", "(f 3)");
}

#[test]
fn bit_vectors() {
    check("#x0F", "#x0f");
    check("#b101", "#b101");
    check("(_ bv300 8)", "#x2c");
    check("(bvadd u v)", "(bvadd u v)");
    check_same("(bvadd u v #x01)", "(bvadd (bvadd u v) #x01)");
    check("((_ extract 5 2) u)", "((_ extract 5 2) u)");
    check("(concat u w)", "(concat u w)");
    check("((_ sign_extend 2) w)", "((_ sign_extend 2) w)");
    check_same("((_ zero_extend 2) w)", "(concat #b00 w)");
    check_same("((_ rotate_left 9) u)", "((_ rotate_left 1) u)");
    check_same("((_ repeat 2) w)", "(concat w w)");
    check("(= ((_ extract 2 2) u) #b1)", "(= ((_ extract 2 2) u) #b1)");
    check("((_ int2bv 8) x)", "((_ int2bv 8) x)");
    check_same("((_ int_to_bv 8) x)", "((_ int2bv 8) x)");
    check("(bv2nat u)", "(bv2nat u)");
    check_same("(ubv_to_int u)", "(bv2nat u)");
    check_same("(bvsub u v)", "(bvadd u (bvneg v))");
    check_same("(bvugt u v)", "(bvult v u)");
    check_same("(bvsge u v)", "(bvsle v u)");
    check_same("(bvnand u v)", "(bvnot (bvand u v))");
    check_same("(bvcomp u u)", "#b1");
    check_same("(bvuaddo #xff #x01)", "true");
    check_same("(bvsmulo #x10 #x08)", "true");
    check_same("(sbv_to_int #xff)", "(- 1)");
}

#[test]
fn let_is_parallel_and_shadows() {
    check("(let ((x y) (y x)) (- x y))", "(- y x)");
    check("(let ((x 1)) (let ((x (+ x 1)) (y x)) (+ x y)))", "3");
    check("(+ (let ((x 1)) x) x)", "(+ x 1)");
    check("(let () x)", "x");
    check("(let ((|let| 3)) |let|)", "3");
    check("(let ((not 3)) (+ not x))", "(+ x 3)");
}

#[test]
fn annotations() {
    check("(! p :pattern ((f x)) :weight 3 :skolemid |q.1| :flag)", "p");
    let (mut store, mut scope) = prelude();
    let t = read_term("(and (! (< x y) :named lt) (or lt q))", &mut store, &mut scope).unwrap();
    let lt = read_term("lt", &mut store, &mut scope).unwrap();
    assert_eq!(print_term(&store, lt).to_string(), "(< x y)");
    assert!(store.args(t).contains(&lt));
}

#[test]
fn quantifiers_have_variables_of_their_own() {
    let (mut store, mut scope) = prelude();
    let mut read = |text: &str| read_term(text, &mut store, &mut scope).unwrap();
    let first = read("(forall ((x Int) (k U)) (exists ((x Bool)) (or x (= k c))))");
    let second = read("(forall ((x Int) (k U)) (exists ((x Bool)) (or x (= k c))))");
    assert_ne!(first, second);
    let vars = |t| store.symbols([t]).into_iter().map(|f| store.decl(f).name.to_string()).collect::<Vec<_>>();
    assert!(vars(first).iter().filter(|n| vars(second).contains(n)).eq(["c"]));
    assert!(vars(first).iter().any(|n| n.starts_with("k!")));
}

#[test]
fn a_declared_constant_is_never_a_bound_variable() {
    let (mut store, mut scope) = prelude();
    let t = read_term("(exists ((k Int)) (= (f k) 0))", &mut store, &mut scope).unwrap();
    let bound = store.as_var(store.arg(t, 0)).unwrap();
    let name = store.decl(bound).name.to_string();
    let declared = commands(&format!("(declare-const {name} Int)"), &mut store, &mut scope);
    match declared[..] {
        [Ok(Command::DeclareFun(f))] => assert_ne!(store.decl(f).name, store.decl(bound).name),
        _ => panic!("{declared:?}"),
    }
    // And the other way round: a name is not taken, whatever its sort.
    for i in 0..50 {
        commands(&format!("(declare-const n!{i} Bool)"), &mut store, &mut scope);
    }
    let t = read_term("(exists ((n Int)) (and n!3 n!4 (= (f n) 0)))", &mut store, &mut scope).unwrap();
    let bound = store.as_var(store.arg(t, 0)).unwrap();
    let number: u32 = store.decl(bound).name.strip_prefix("n!").unwrap().parse().unwrap();
    assert!(number >= 50);
}

#[test]
fn definitions_are_expanded() {
    let (mut store, mut scope) = prelude();
    let script = "
        (define-fun inc ((n Int)) Int (+ n 1))
        (define-fun two () Int 2)
        (define-const three Int (inc two))
        (define-fun avg ((l Real) (r Real)) Real (/ (+ l r) 2))
        (define-sort Vec (T) (Array Int T))
        (define-sort Byte () (_ BitVec 8))
        (define-sort Swap (A B) (Array B (Vec A)))
        (declare-const vec (Vec Byte))
        (declare-const swap (Swap Bool Int))
        (declare-sort Pair 2)
        (declare-const pair (Pair Int (Vec U)))
        (define-fun any ((n Int)) Bool (exists ((k Int)) (= (f k) n)))";
    for command in commands(script, &mut store, &mut scope) {
        command.unwrap();
    }
    let mut same = |l: &str, r: &str| {
        let l = read_term(l, &mut store, &mut scope).unwrap();
        assert_eq!(l, read_term(r, &mut store, &mut scope).unwrap());
    };
    same("(inc (inc x))", "(+ x 2)");
    same("(inc three)", "4");
    same("(avg 1 x)", "(+ 0.5 (* 0.5 (to_real x)))");
    same("(select vec 0)", "(select vec (- 1 1))");
    same("(bvadd (select vec 0) u)", "(bvadd u (select vec 0))");
    same("(= swap m)", "(= m swap)");
    same("(= pair pair)", "true");
    let two = read_term("(and (any 1) (any 2))", &mut store, &mut scope).unwrap();
    let [l, r] = [0, 1].map(|i| store.arg(store.arg(two, i), 0));
    assert_ne!(l, r, "every expansion has its own bound variables");
}
