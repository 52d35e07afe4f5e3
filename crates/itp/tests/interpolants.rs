//! Interpolants in each theory, for every system and style, all verified.

use bolide_base::Budget;
use bolide_itp::{Config, Failure, FarkasStyle, System, Tree, interpolate_sequence, interpolate_tree};
use bolide_smtlib::{Scope, print_term, read_term};
use bolide_term::{Store, Term};

struct Problem {
    store: Store,
    scope: Scope,
}

impl Problem {
    /// Symbols as `name sort` pairs, one a line.
    fn new(symbols: &str) -> Problem {
        let mut store = Store::new();
        let text: String = symbols
            .lines()
            .filter_map(|l| l.trim().split_once(' '))
            .map(|(name, rest)| {
                if rest.starts_with("((") {
                    // Arguments and result of a function: `((A B) C)`.
                    format!("(declare-fun {name} {})\n", &rest[1..rest.len() - 1])
                } else {
                    format!("(declare-fun {name} () {rest})\n")
                }
            })
            .collect();
        let sorts = "(declare-sort U 0)\n";
        let mut scope = Scope::new();
        let script = format!("{sorts}{text}");
        let mut reader = bolide_smtlib::Reader::new(&script);
        while let Some(command) = reader.next_command(&mut store, &mut scope) {
            command.expect("declarations are well-formed");
        }
        Problem { store, scope }
    }

    fn term(&mut self, text: &str) -> Term {
        read_term(text, &mut self.store, &mut self.scope).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    fn check(&mut self, parts: &[&str]) {
        let tree = Tree::sequence(parts.len());
        self.check_tree(parts, &tree);
    }

    fn check_tree(&mut self, parts: &[&str], tree: &Tree) {
        let parts: Vec<Term> = parts.iter().map(|p| self.term(p)).collect();
        for system in [System::McMillan, System::Pudlak, System::Dual] {
            for farkas in [FarkasStyle::Plain, FarkasStyle::Decomposed] {
                let config = Config { system, farkas, verify: true, seed: 0 };
                let result = interpolate_tree(&mut self.store, &parts, tree, &config, &Budget::unlimited());
                assert!(result.is_ok(), "{system:?} {farkas:?}: {}", result.unwrap_err());
            }
        }
    }
}

#[test]
fn propositional() {
    let mut p = Problem::new("a Bool\nb Bool\nc Bool\nd Bool");
    p.check(&["(and a (or (not a) b))", "(or (not b) c)", "(and (or (not c) d) (not d))"]);
    p.check(&["(xor a b)", "(= b c)", "(= a c)"]);
}

#[test]
fn linear_real() {
    let mut p = Problem::new("x Real\ny Real\nz Real\nu Real");
    p.check(&["(and (< x y) (<= y u))", "(< u z)", "(<= z x)"]);
    p.check(&["(or (< x y) (< x z))", "(and (>= x y) (= z u))", "(<= u x)"]);
}

#[test]
fn linear_integer() {
    let mut p = Problem::new("x Int\ny Int\nz Int\nu Int\nv Int");
    p.check(&["(= x (* 2 y))", "(= x (+ 1 (* 2 z)))"]);
    p.check(&["(= x (* 6 y))", "(= u (+ x 2))", "(and (= u (* 3 z)))"]);
    p.check(&["(and (<= 0 x) (< x 10))", "(= y (div x 10))", "(not (= y 0))"]);
    p.check(&[
        "(and (> (* 3 x) (* 2 y)) (< y 5))",
        "(and (< x u) (= u (mod v 3)))",
        "(and (> y 2) (< v 0) (= u 0))",
    ]);
}

#[test]
fn equality_with_functions() {
    let mut p = Problem::new("a U\nb U\nc U\nd U\nf ((U) U)\ng ((U U) U)\nq ((U) Bool)");
    p.check(&["(and (= a b) (= (f a) c))", "(= (f b) d)", "(not (= c d))"]);
    p.check(&["(= (f a) b)", "(and (= a c) (= (f c) d))", "(and (q b) (not (q d)))"]);
    p.check(&["(= (g a b) a)", "(and (= b c) (not (= (g (g a c) c) a)))"]);
}

#[test]
fn mixed_equalities_between_arithmetic_and_functions() {
    let mut p = Problem::new(
        "x Int\ny Int\nz Int\nf ((Int) Int)\nfx Int\nfy Int\nr Real\ns Real\nt Real\nh ((Real) Real)",
    );
    p.check(&["(and (<= x z) (<= z x) (= fx (f x)))", "(and (= y z) (= fy (f y)) (not (= fx fy)))"]);
    p.check(&["(and (= x (+ z 1)) (= fx (f x)))", "(and (= y (- z 1)) (= fy (f (+ y 2))) (< fx fy))"]);
    p.check(&["(and (<= r s) (= (h r) 0.0) (>= r s))", "(and (<= s t) (<= t s) (> (h t) 0.0))"]);
}

#[test]
fn arrays_along_paths() {
    let mut p = Problem::new(
        "a0 (Array Int Int)\na1 (Array Int Int)\na2 (Array Int Int)\ni0 Int\ni1 Int\ni2 Int\nj Int\nn Int\nv Int",
    );
    p.check(&[
        "(= i0 0)",
        "(and (= a1 (store a0 i0 7)) (= i1 (+ i0 1)))",
        "(and (= a2 (store a1 i1 7)) (= i2 (+ i1 1)))",
        "(and (< j i2) (>= j 0) (not (= (select a2 j) 7)))",
    ]);
    p.check(&[
        "(= a0 ((as const (Array Int Int)) 0))",
        "(= a1 (store a0 i0 5))",
        "(and (< j i0) (> (select a1 j) 0))",
    ]);
    p.check(&["(and (= a1 (store a0 i0 v)) (> v 3))", "(and (= j i0) (< (select a1 j) 2))"]);
}

#[test]
fn words() {
    let mut p = Problem::new("x (_ BitVec 8)\ny (_ BitVec 8)\nz (_ BitVec 8)\nf ((Int) Int)");
    p.check(&["(= y (bvadd x #x01))", "(= z (bvadd y #xff))", "(not (= x z))"]);
    p.check(&["(and (bvult x #x10) (= y (bvmul x #x02)))", "(bvugt y #x30)"]);
}

#[test]
fn words_and_functions() {
    let mut p = Problem::new(
        "x (_ BitVec 4)\ny (_ BitVec 4)\nz (_ BitVec 4)\nf (((_ BitVec 4)) (_ BitVec 4))\nu (_ BitVec 4)\nw (_ BitVec 4)",
    );
    p.check(&[
        "(and (= x z) (= (f x) u))",
        "(and (= y (bvadd z #x1)) (= (f (bvsub y #x1)) w))",
        "(not (= u w))",
    ]);
}

#[test]
fn trees() {
    let mut p = Problem::new("x Int\ny Int\nz Int");
    // The root has two children: one bounds x, the other y.
    let tree = Tree::from_subtrees(vec![0, 1, 0]).expect("a tree");
    p.check_tree(&["(<= x 3)", "(<= y 4)", "(> (+ x y) 7)"], &tree);
    let tree = Tree::from_subtrees(vec![0, 0, 2, 0]).expect("a tree");
    p.check_tree(&["(= x 1)", "(= y (+ x 1))", "(= z 3)", "(not (= (+ y 1) z))"], &tree);
}

#[test]
fn satisfiable_parts_give_a_model() {
    let mut p = Problem::new("x Int");
    let parts = [p.term("(> x 0)"), p.term("(< x 2)")];
    let result = interpolate_sequence(&mut p.store, &parts, &Config::default(), &Budget::unlimited());
    assert!(matches!(result, Err(Failure::Sat(_))));
}

#[test]
fn interpolants_are_tidy() {
    let mut p = Problem::new("x0 Int\nx1 Int\nx2 Int");
    let parts =
        [p.term("(= x0 0)"), p.term("(= x1 (+ x0 1))"), p.term("(= x2 (* 2 x1))"), p.term("(> x2 5)")];
    let facts = interpolate_sequence(&mut p.store, &parts, &Config::default(), &Budget::unlimited()).unwrap();
    let printed: Vec<String> = facts.iter().map(|&f| print_term(&p.store, f).to_string()).collect();
    assert!(printed.iter().all(|f| !f.contains('@')), "{printed:?}");
}

#[test]
fn floating_point() {
    let mut p = Problem::new(
        "x (_ FloatingPoint 3 4)
         y (_ FloatingPoint 3 4)
         z (_ FloatingPoint 3 4)
         m RoundingMode
         f (((_ FloatingPoint 3 4)) (_ FloatingPoint 3 4))",
    );
    let one = "((_ to_fp 3 4) RNE 1.0)";
    p.check(&[
        &format!("(fp.leq x {one})"),
        "(= y (fp.add m x x))",
        &format!("(fp.lt (fp.add RNE {one} {one}) y)"),
    ]);
    p.check(&["(= x (fp.neg y))", "(fp.isNaN y)", "(not (= x y))"]);
    p.check(&["(= x y)", "(= y z)", "(distinct (f x) (f z))"]);
    p.check(&["(and (fp.isZero x) (fp.isZero y))", "(not (fp.eq x y))"]);
    p.check(&["(= m RTP)", "(= x (fp.mul m y y))", "(fp.isSubnormal y)", "(= x (_ +zero 3 4))"]);
}
