//! Axiom schemes: what the interpreted operators mean, as clauses.
//!
//! The solver adds these clauses, the checker compares with them; both call [`AxiomSchemes::clauses`], which is
//! therefore the definition of the scheme. Every new term that a scheme needs is an ordinary term over the
//! symbols of the instance, so that its vocabulary is plain to see.

use crate::{Literal, datatypes, ideal, product, residue};
use bolide_base::Rational;
use bolide_term::{BitBlaster, Op, Sort, Store, Term};

/// An instance of an axiom scheme.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Axiom {
    /// The definition of the propositional gate that this Boolean term is.
    Gate(Term),
    /// `(ite c a b)` at a sort other than Bool equals `a` if `c`, else `b`.
    Choice(Term),
    /// What a quotient, a remainder or a floor is, in linear arithmetic.
    Rounding(Term),
    /// An atom over bit-vectors is equivalent to its circuit.
    BitBlast(Term),
    /// Two words are equal exactly if all their bits are; each bit equality is a literal of its own.
    WordEquality(Term),
    /// How a word and the number that it denotes hang together.
    WordValue(Term),
    /// The bits of a floating-point term that are those of NaN are the canonical ones.
    CanonicalNan(Term),
    /// A read of a written array: the element written, or that of the array before.
    ReadOverWrite(Term),
    /// A read of a constant array.
    ReadConstant(Term),
    /// Two arrays that are not equal differ at the index `@diff`.
    Extensionality(Term),
    /// `@default` of an array: the element of a constant array, kept by writes if indices are infinite.
    ArrayDefault(Term),
    /// A product some factor of which is a sum, multiplied out.
    Expansion(Term),
    /// The sign of a product follows from those of its first factor and of the product of the others.
    Product(Term),
    /// What a quotient or a remainder by a divisor that is no numeral is.
    Division(Term),
    /// A remainder of a polynomial by a numeral, without the wraps within.
    Residue(Term),
    /// This disjunction of an equation and of negated ones, of whose multiples it is the sum.
    Membership(Term),
    /// The fields of this application of a constructor are its arguments.
    Constructor(Term),
    /// Some constructor made this term of a datatype.
    Cases(Term),
    /// This equality between a term and the term that a constructor makes of its fields holds if that made it.
    Destructor(Term),
    /// This equality between a term and a part of it does not hold.
    Acyclic(Term),
}

/// The literal that says that two terms are equal.
///
/// For Booleans one of which is a truth constant this is the other one or its negation.
pub fn equality_literal(store: &mut Store, a: Term, b: Term) -> Literal {
    let e = store.plain_eq(a, b);
    Literal::of(store, e)
}

/// Makes the clauses of axiom instances; remembers circuits of bit-vector terms.
#[derive(Clone, Debug, Default)]
pub struct AxiomSchemes {
    blaster: BitBlaster,
}

impl AxiomSchemes {
    /// Schemes that have made nothing yet.
    pub fn new() -> AxiomSchemes {
        AxiomSchemes::default()
    }

    /// The circuits of the bits of a word, lowest bit first.
    pub fn bits(&mut self, store: &mut Store, word: Term) -> Vec<Term> {
        self.blaster.bits(store, word).to_vec()
    }

    /// The clauses of an instance; none if the term has not the form that the scheme is about. Clauses that
    /// turn out to be tautologies are left out.
    pub fn clauses(&mut self, store: &mut Store, axiom: Axiom) -> Vec<Vec<Literal>> {
        let mut out = match axiom {
            Axiom::Gate(g) => gate(store, g),
            Axiom::Choice(t) => choice(store, t),
            Axiom::Rounding(t) => rounding(store, t),
            Axiom::BitBlast(atom) => {
                let circuit = self.blaster.blast_atom(store, atom);
                let (a, c) = (Literal::of(store, atom), Literal::of(store, circuit));
                vec![vec![!a, c], vec![a, !c]]
            }
            Axiom::WordEquality(e) => self.word_equality(store, e),
            Axiom::WordValue(t) => self.word_value(store, t),
            Axiom::CanonicalNan(t) => self.canonical_nan(store, t),
            Axiom::ReadOverWrite(r) => read_over_write(store, r),
            Axiom::ReadConstant(r) => read_constant(store, r),
            Axiom::Extensionality(e) => extensionality(store, e),
            Axiom::ArrayDefault(t) => array_default(store, t),
            Axiom::Expansion(p) => product::expansion(store, p),
            Axiom::Product(p) => product::signs(store, p),
            Axiom::Division(t) => product::division(store, t),
            Axiom::Residue(t) => residue::residue(store, t),
            Axiom::Membership(t) => ideal::membership(store, t),
            Axiom::Constructor(t) => datatypes::constructor(store, t),
            Axiom::Cases(t) => datatypes::cases(store, t),
            Axiom::Destructor(e) => datatypes::destructor(store, e),
            Axiom::Acyclic(e) => datatypes::acyclic(store, e),
        };
        out.retain_mut(|clause| tidy(store, clause));
        out
    }

    fn word_equality(&mut self, store: &mut Store, e: Term) -> Vec<Vec<Literal>> {
        if store.op(e) != Op::Eq || store.bits_of_sort(store.sort_of(store.arg(e, 0))).is_none() {
            return Vec::new();
        }
        let (a, b) = (self.bits(store, store.arg(e, 0)), self.bits(store, store.arg(e, 1)));
        let bits: Vec<Literal> = a.iter().zip(&b).map(|(&x, &y)| equality_literal(store, x, y)).collect();
        let e = Literal::new(e, true);
        let mut out: Vec<Vec<Literal>> = bits.iter().map(|&d| vec![!e, d]).collect();
        let mut all: Vec<Literal> = bits.iter().map(|&d| !d).collect();
        all.push(e);
        out.push(all);
        out
    }

    /// Where the exponent is all ones, the fraction is that of infinity or of the one NaN, which is not negative.
    fn canonical_nan(&mut self, store: &mut Store, t: Term) -> Vec<Vec<Literal>> {
        let Some(format) = store.float_format(store.sort_of(t)) else { return Vec::new() };
        let bits: Vec<Literal> = self.bits(store, t).into_iter().map(|b| Literal::of(store, b)).collect();
        let quiet = format.significand as usize - 2;
        let exponent: Vec<Literal> = bits[quiet + 1..bits.len() - 1].iter().map(|&b| !b).collect();
        let clause = |more: &[Literal]| [&exponent[..], more].concat();
        let mut out: Vec<Vec<Literal>> = bits[..quiet].iter().map(|&b| clause(&[!b])).collect();
        out.push(clause(&[!bits[quiet], !bits[bits.len() - 1]]));
        out
    }

    /// `sum of 2^i * bit i` as an integer term.
    fn denotation(&mut self, store: &mut Store, word: Term) -> Term {
        let (zero, one) = (store.int(0), store.int(1));
        let mut summands = vec![zero];
        for (i, bit) in self.bits(store, word).into_iter().enumerate() {
            let digit = store.ite(bit, one, zero);
            summands.push(store.scale(&Rational::pow2(i as u32), digit));
        }
        store.add(&summands)
    }

    fn word_value(&mut self, store: &mut Store, t: Term) -> Vec<Vec<Literal>> {
        let equation = match store.op(t) {
            Op::BvToNat => {
                let value = self.denotation(store, store.arg(t, 0));
                store.definition(t, value)
            }
            Op::IntToBv => {
                let width = store.bv_width(store.sort_of(t)).expect("a bit-vector term");
                let value = self.denotation(store, t);
                let modulus = store.num(Rational::pow2(width), Sort::INT);
                let rest = store.modulo(store.arg(t, 0), modulus);
                store.definition(rest, value)
            }
            _ => return Vec::new(),
        };
        vec![vec![Literal::of(store, equation)]]
    }
}

/// Removes false and repeated literals; false if the clause is a tautology.
fn tidy(store: &Store, clause: &mut Vec<Literal>) -> bool {
    let truth = |l: &Literal| store.as_bool(l.atom()).map(|v| v == l.is_positive());
    let gate_of_constant = clause.len() == 1;
    if !gate_of_constant {
        if clause.iter().any(|l| truth(l) == Some(true)) {
            return false;
        }
        clause.retain(|l| truth(l).is_none());
    }
    let mut kept: Vec<Literal> = Vec::with_capacity(clause.len());
    if clause.len() <= 8 {
        for &l in clause.iter() {
            if !kept.contains(&l) {
                kept.push(l);
            }
        }
    } else {
        let mut seen = rustc_hash::FxHashSet::default();
        kept.extend(clause.iter().copied().filter(|&l| seen.insert(l)));
        if kept.iter().any(|&l| seen.contains(&!l)) {
            return false;
        }
    }
    let tautology = kept.len() <= 8 && kept.iter().any(|&l| kept.contains(&!l));
    *clause = kept;
    !tautology
}

fn gate(store: &Store, g: Term) -> Vec<Vec<Literal>> {
    let lit = |i: usize| Literal::of(store, store.arg(g, i));
    let all = || store.args(g).iter().map(|&a| Literal::of(store, a));
    let out = Literal::new(g, true);
    match store.op(g) {
        Op::True => vec![vec![out]],
        Op::False => vec![vec![!out]],
        Op::And => {
            let mut clauses: Vec<Vec<Literal>> = all().map(|a| vec![!out, a]).collect();
            clauses.push(std::iter::once(out).chain(all().map(|a| !a)).collect());
            clauses
        }
        Op::Or => {
            let mut clauses: Vec<Vec<Literal>> = all().map(|a| vec![out, !a]).collect();
            clauses.push(std::iter::once(!out).chain(all()).collect());
            clauses
        }
        Op::Eq if store.sort_of(store.arg(g, 0)) == Sort::BOOL => {
            let (a, b) = (lit(0), lit(1));
            vec![vec![!out, !a, b], vec![!out, a, !b], vec![out, a, b], vec![out, !a, !b]]
        }
        Op::Ite if store.sort_of(g) == Sort::BOOL => {
            let (c, a, b) = (lit(0), lit(1), lit(2));
            vec![
                vec![!out, !c, a],
                vec![!out, c, b],
                vec![out, !c, !a],
                vec![out, c, !b],
                vec![!out, a, b],
                vec![out, !a, !b],
            ]
        }
        _ => Vec::new(),
    }
}

fn choice(store: &mut Store, t: Term) -> Vec<Vec<Literal>> {
    if store.op(t) != Op::Ite || store.sort_of(t) == Sort::BOOL {
        return Vec::new();
    }
    let c = Literal::of(store, store.arg(t, 0));
    let (then, other) = (store.definition(t, store.arg(t, 1)), store.definition(t, store.arg(t, 2)));
    vec![vec![!c, Literal::of(store, then)], vec![c, Literal::of(store, other)]]
}

fn rounding(store: &mut Store, t: Term) -> Vec<Vec<Literal>> {
    let facts = match store.op(t) {
        Op::Div => {
            let (x, k) = (store.arg(t, 0), store.arg(t, 1));
            let Some(d) = store.as_num(k).cloned() else { return Vec::new() };
            // d * q <= x <= d * q + |d| - 1
            let multiple = store.scale(&d, t);
            let slack = store.num(d.abs() - Rational::ONE, Sort::INT);
            let last = store.add(&[multiple, slack]);
            vec![store.le(multiple, x), store.le(x, last)]
        }
        Op::Mod => {
            let (x, k) = (store.arg(t, 0), store.arg(t, 1));
            let Some(d) = store.as_num(k).cloned() else { return Vec::new() };
            let quotient = store.div(x, k);
            let multiple = store.scale(&d, quotient);
            let sum = store.add(&[multiple, t]);
            // The bounds follow from those of the quotient, but are of great help to branching.
            let (zero, last) = (store.int(0), store.num(d.abs() - Rational::ONE, Sort::INT));
            vec![store.definition(sum, x), store.le(zero, t), store.le(t, last)]
        }
        Op::ToInt => {
            let x = store.arg(t, 0);
            let floor = store.to_real(t);
            let one = store.num(Rational::ONE, Sort::REAL);
            let next = store.add(&[floor, one]);
            vec![store.le(floor, x), store.lt(x, next)]
        }
        _ => return Vec::new(),
    };
    facts.into_iter().map(|f| vec![Literal::of(store, f)]).collect()
}

fn read_over_write(store: &mut Store, r: Term) -> Vec<Vec<Literal>> {
    if store.op(r) != Op::Select || store.op(store.arg(r, 0)) != Op::Store {
        return Vec::new();
    }
    let (written, j) = (store.arg(r, 0), store.arg(r, 1));
    let (a, i, v) = (store.arg(written, 0), store.arg(written, 1), store.arg(written, 2));
    let before = store.select(a, j);
    let same = equality_literal(store, i, j);
    let hit = store.definition(r, v);
    let miss = store.definition(r, before);
    vec![vec![!same, Literal::of(store, hit)], vec![same, Literal::of(store, miss)]]
}

fn read_constant(store: &mut Store, r: Term) -> Vec<Vec<Literal>> {
    if store.op(r) != Op::Select || store.op(store.arg(r, 0)) != Op::ConstArray {
        return Vec::new();
    }
    let e = store.definition(r, store.arg(store.arg(r, 0), 0));
    vec![vec![Literal::of(store, e)]]
}

fn extensionality(store: &mut Store, e: Term) -> Vec<Vec<Literal>> {
    if store.op(e) != Op::Eq || store.array_sorts(store.sort_of(store.arg(e, 0))).is_none() {
        return Vec::new();
    }
    let (a, b) = (store.arg(e, 0), store.arg(e, 1));
    let k = store.array_diff(a, b);
    let (x, y) = (store.raw_select(a, k), store.raw_select(b, k));
    let same = equality_literal(store, x, y);
    vec![vec![Literal::new(e, true), !same]]
}

fn array_default(store: &mut Store, t: Term) -> Vec<Vec<Literal>> {
    let Some(a) = store.as_array_default(t) else { return Vec::new() };
    let equal = match store.op(a) {
        Op::ConstArray => store.arg(a, 0),
        Op::Store => {
            let (index, _) = store.array_sorts(store.sort_of(a)).expect("an array term");
            if !store.is_infinite(index) {
                return Vec::new();
            }
            store.array_default(store.arg(a, 0))
        }
        _ => return Vec::new(),
    };
    let e = store.definition(t, equal);
    vec![vec![Literal::of(store, e)]]
}
