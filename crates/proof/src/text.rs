//! Refutations as text.
//!
//! One line for each sort (`s`), symbol (`f`) and term (`t`), then for each refutation a line `refutation`, its assertions
//! (`a`) and its steps (a letter for the rule); numbers refer to earlier lines of a kind, those of steps to the same
//! refutation. The literal of term `n` is `n + 1`,
//! negated if the literal is. Terms are listed in the order of the store, because normal forms depend on that order: a
//! reader whose store holds the assertions in the same order gets the same terms. A reader whose store differs may get
//! terms of another form, and then rejects a proof that is right; it never accepts one that is wrong, because every
//! term is built and every step is checked anew.

mod read;
mod write;

pub use read::{Flaw, ReadError, read, read_within};
pub use write::write;

use bolide_term::{FloatOp, Op};

/// The words for operators whose arguments are all there is to say.
const PLAIN: &[(&str, Op)] = &[
    ("true", Op::True),
    ("false", Op::False),
    ("not", Op::Not),
    ("and", Op::And),
    ("or", Op::Or),
    ("ite", Op::Ite),
    ("eq", Op::Eq),
    ("add", Op::Add),
    ("mul", Op::Mul),
    ("le", Op::Le),
    ("div", Op::Div),
    ("mod", Op::Mod),
    ("quotient", Op::RealDiv),
    ("to_real", Op::ToReal),
    ("to_int", Op::ToInt),
    ("select", Op::Select),
    ("store", Op::Store),
    ("concat", Op::Concat),
    ("bvnot", Op::BvNot),
    ("bvand", Op::BvAnd),
    ("bvor", Op::BvOr),
    ("bvxor", Op::BvXor),
    ("bvneg", Op::BvNeg),
    ("bvadd", Op::BvAdd),
    ("bvmul", Op::BvMul),
    ("bvudiv", Op::BvUdiv),
    ("bvurem", Op::BvUrem),
    ("bvshl", Op::BvShl),
    ("bvlshr", Op::BvLshr),
    ("bvashr", Op::BvAshr),
    ("bvult", Op::BvUlt),
    ("bvule", Op::BvUle),
    ("bvslt", Op::BvSlt),
    ("bvsle", Op::BvSle),
    ("bv2nat", Op::BvToNat),
];

/// The words for the floating-point operators.
const FLOAT_OPERATORS: [(&str, FloatOp); 16] = [
    ("bits", FloatOp::Bits),
    ("frombits", FloatOp::FromBits),
    ("add", FloatOp::Add),
    ("mul", FloatOp::Mul),
    ("div", FloatOp::Div),
    ("fma", FloatOp::Fma),
    ("sqrt", FloatOp::Sqrt),
    ("rem", FloatOp::Rem),
    ("integral", FloatOp::RoundToIntegral),
    ("tofloat", FloatOp::ToFloat),
    ("fromunsigned", FloatOp::FromUnsigned),
    ("fromsigned", FloatOp::FromSigned),
    ("tounsigned", FloatOp::ToUnsigned),
    ("tosigned", FloatOp::ToSigned),
    ("lt", FloatOp::Lt),
    ("le", FloatOp::Le),
];

/// The word for a floating-point operator.
fn float_word(op: FloatOp) -> &'static str {
    FLOAT_OPERATORS.iter().find(|(_, o)| *o == op).map_or("", |(word, _)| word)
}

/// The floating-point operator that a word stands for.
fn float_operator(word: &str) -> Option<FloatOp> {
    FLOAT_OPERATORS.iter().find(|(w, _)| *w == word).map(|&(_, op)| op)
}

/// The words for axioms, in the order of the variants.
const AXIOMS: [&str; 20] = [
    "gate",
    "choice",
    "rounding",
    "bitblast",
    "wordequality",
    "wordvalue",
    "readoverwrite",
    "readconstant",
    "extensionality",
    "arraydefault",
    "expansion",
    "product",
    "division",
    "constructor",
    "cases",
    "destructor",
    "acyclic",
    "canonicalnan",
    "residue",
    "membership",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axiom, Lemma, Literal, Refutation, Rule, check};
    use bolide_base::Rational;
    use bolide_term::{Sort, Store};

    /// `x >= 1` and `x <= 0`, or `p` and not `p`, whichever way.
    fn example(store: &mut Store) -> Refutation {
        let x = store.var("a name|with \\ everything", Sort::INT);
        let (zero, one) = (store.int(0), store.int(1));
        let (low, high) = (store.ge(x, one), store.le(x, zero));
        let both = store.and(&[low, high]);
        // The two are complementary, so the conjunction is false already.
        assert_eq!(both, store.fls());
        let y = store.var("y", Sort::INT);
        let (less, more) = (store.le(x, y), store.lt(y, zero));
        let mut r = Refutation { assertions: vec![low, less, more], steps: Vec::new() };
        let lits: Vec<Literal> = r.assertions.iter().map(|&t| Literal::of(store, t)).collect();
        let units: Vec<_> =
            lits.iter().enumerate().map(|(n, &l)| r.push([l], Rule::Assertion(n as u32))).collect();
        let clause: Vec<Literal> = lits.iter().map(|&l| !l).collect();
        let lemma = r.push(clause, Rule::Theory(Lemma::Farkas(vec![Rational::ONE; 3])));
        let chain = lits.iter().zip(units).map(|(&l, unit)| (l, unit)).collect();
        r.push([], Rule::Resolution { start: lemma, chain });
        r
    }

    /// Moving sides makes an equality between a choice of values and a value, which `eq` would turn into a Boolean.
    #[test]
    fn equalities_of_choices_stay_equalities() {
        let mut store = Store::new();
        let (c, d) = (store.var("c", Sort::BOOL), store.var("d", Sort::BOOL));
        let (zero, one, two) = (store.int(0), store.int(1), store.int(2));
        let (choice, other) = (store.ite(c, one, zero), store.ite(d, two, zero));
        let (moved, again) = (store.sub(choice, one), store.sub(other, two));
        let (left, right) = (store.eq(moved, zero), store.eq(again, zero));
        let (above, below) = (store.le(two, choice), store.lt(other, two));
        let mut r = Refutation { assertions: vec![left, above, right, below], steps: Vec::new() };
        let lits: Vec<Literal> = r.assertions.iter().map(|&t| Literal::of(&store, t)).collect();
        assert!(lits.iter().all(|&l| crate::linear::Constraint::of(&store, l).is_some()));
        let units: Vec<_> = (0..2).map(|n| r.push([lits[n]], Rule::Assertion(n as u32))).collect();
        let coefficients = vec![Rational::ONE; 2];
        let lemma = r.push([!lits[0], !lits[1]], Rule::Theory(Lemma::Farkas(coefficients)));
        let chain = lits.iter().zip(units).map(|(&l, unit)| (l, unit)).collect();
        r.push([], Rule::Resolution { start: lemma, chain });
        assert_eq!(check(&mut store, &r), Ok(()));
        let text = write(&mut store, std::slice::from_ref(&r));
        let read = read(&mut store, &text).unwrap();
        assert_eq!(read[0].assertions, r.assertions);
        assert_eq!(check(&mut store, &read[0]), Ok(()));
    }

    /// A conjunction of many is not flattened; when most of its operands turn out to be the same, a nested one is left.
    #[test]
    fn nested_operands_stay_nested() {
        let mut store = Store::new();
        let p: Vec<_> = (0..4).map(|n| store.var(&format!("p{n}"), Sort::BOOL)).collect();
        let inner = store.and(&[p[0], p[1]]);
        let mut many = vec![p[2]; 10_000];
        many.push(inner);
        let nested = store.and(&many);
        assert_eq!(store.args(nested).len(), 2);
        let not = store.not(p[2]);
        let mut r = Refutation { assertions: vec![nested, not], steps: Vec::new() };
        let [both, no, part] = [nested, not, p[2]].map(|t| Literal::of(&store, t));
        let whole = r.push([both], Rule::Assertion(0));
        let none = r.push([no], Rule::Assertion(1));
        let gate = r.push([!both, part], Rule::Axiom(Axiom::Gate(nested)));
        r.push([], Rule::Resolution { start: gate, chain: vec![(both, whole), (part, none)].into() });
        let text = write(&mut store, std::slice::from_ref(&r));
        let read = read(&mut store, &text).unwrap();
        assert_eq!(read[0].assertions, r.assertions);
    }

    #[test]
    fn what_is_written_is_read() {
        let mut store = Store::new();
        let refutation = example(&mut store);
        assert!(check(&mut store, &refutation).is_ok());
        let text = write(&mut store, std::slice::from_ref(&refutation));
        let mut fresh = Store::new();
        let again = read(&mut fresh, &text).unwrap();
        assert!(again.len() == 1 && check(&mut fresh, &again[0]).is_ok());
        assert_eq!(write(&mut fresh, &again), text);
    }

    #[test]
    fn bad_texts_are_errors() {
        let mut store = Store::new();
        for text in [
            "t and 0",
            "s int\nf x 0\nt app 0\nt not 0",
            "s int\nf x 0\nt app 0\nt bvadd 0 0",
            "t true\nrefutation\nA 0 : 5",
            "t true\nrefutation\nX gate 7 : 1",
            "s array 0 0",
            "s bv 0",
            "nonsense",
            "t true\nrefutation\nR 4 : ",
            "t true\nrefutation\nF 1/0 : 1",
            "t true\nA 0 : 1",
        ] {
            assert!(read(&mut store, text).is_err(), "{text}");
        }
    }

    /// Symbols of the theory of arrays with sorts of their own, and paths whose ends are of different sorts, prove nothing.
    #[test]
    fn other_sorts_prove_nothing() {
        let default_of_another_sort = "s int\ns real\ns array 0 1\nf =@default 2 0\nt num 1/2 1\nt const 2 0\nt app 0 1\n\
            t false\nrefutation\nX arraydefault 2 : 4\nX gate 3 : -4\nR 0 -4 1 :";
        let path_between_sorts = "s int\ns real\nf =y 0\nt app 0\nt num 2 0\nt mod 0 1\nt num 0 0\nt num 1 0\nt num 0 1\n\
            t num 1 1\nt le 3 2\nt le 2 4\nt le 2 3\nt eq 2 3\nt eq 2 4\nrefutation\nX rounding 2 : 8\nX rounding 2 : 9\n\
            T 3 2 5 : -11\nT 4 2 6 : -12\nB 0 0 1 0 0 0 1 : 11 -10 -8\nB 0 0 0 1 0 1 0 : 12 10 -9\n\
            R 4 -11 2 8 0 : -10\nR 5 -12 3 9 1 -10 6 :";
        for text in [default_of_another_sort, path_between_sorts] {
            let mut store = Store::new();
            if let Ok(refutations) = read(&mut store, text) {
                assert!(check(&mut store, &refutations[0]).is_err(), "{text}");
            }
        }
    }

    #[test]
    fn all_axioms_have_words() {
        let t = bolide_term::Term::from_index(0);
        for (n, word) in AXIOMS.iter().enumerate() {
            let axiom: Axiom = read::axiom(word, t).unwrap();
            assert_eq!(write::axiom(axiom), (AXIOMS[n], t));
        }
    }
}
