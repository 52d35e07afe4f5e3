//! Bit-blasting: bit-vector terms as Boolean terms over single bits, and back.
//!
//! A [`BitBlaster`] maps a bit-vector term to its bits and a bit-vector atom to an equivalent Boolean term.
//! Both are built from `And`, `Or`, `Not`, `Eq` and `Ite` over Booleans. The leaves are bits `Op::Bit` of
//! terms that no bit-vector operator heads (declared symbols with or without arguments, array reads, words
//! made from integers) and the Boolean conditions of `ite`, both left as they are: what is below a leaf is
//! another theory's business, and the atoms of a condition are blasted when their turn comes.
//!
//! **The result depends on the term only**, not on what was blasted before, so that the equivalence of an atom
//! and its blasted form can serve as a proof step: whoever checks it blasts again and compares.
//!
//! The circuits are in `circuit`. `lift` goes the other way: [`bits_to_words`] turns a Boolean
//! term over bits, such as an interpolant, into one over words.

mod circuit;
mod lift;
#[cfg(test)]
mod tests;

pub use lift::bits_to_words;

use crate::{FloatOp, Op, Sort, Store, Term};
use circuit::Shift;
use rustc_hash::{FxHashMap, FxHashSet};

/// Blasts terms of one store and remembers what it has blasted.
#[derive(Clone, Debug, Default)]
pub struct BitBlaster {
    /// The bits of one word after another, each lowest bit first.
    pool: Vec<Term>,
    /// Where in the pool the bits of a word begin.
    words: FxHashMap<Term, usize>,
    /// Where the quotient of two words begins; the remainder follows it.
    dividers: FxHashMap<(Term, Term), usize>,
    /// The Boolean terms of atoms.
    atoms: FxHashMap<Term, Term>,
    /// What the bits of floating-point terms are, as words.
    circuits: FxHashMap<Term, Term>,
}

impl BitBlaster {
    /// A blaster that has seen nothing yet.
    pub fn new() -> BitBlaster {
        BitBlaster::default()
    }

    /// Is this an atom that [`BitBlaster::blast_atom`] takes apart: a comparison of bit-vectors, or a bit of
    /// a word that a bit-vector operator heads?
    pub fn is_atom(store: &Store, t: Term) -> bool {
        match store.op(t) {
            Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle => true,
            Op::Float(FloatOp::Lt | FloatOp::Le) => true,
            Op::Eq => store.bits_of_sort(store.sort_of(store.arg(t, 0))).is_some(),
            Op::Bit(_) => !is_leaf(store, store.arg(t, 0)),
            _ => false,
        }
    }

    /// The bits of a bit-vector or floating-point term, lowest first; none for a term of another sort.
    pub fn bits(&mut self, store: &mut Store, t: Term) -> &[Term] {
        let Some(width) = store.bits_of_sort(store.sort_of(t)) else { return &[] };
        self.blast(store, t);
        let start = self.words[&t];
        &self.pool[start..start + width as usize]
    }

    /// The Boolean term equivalent to an atom over bit-vectors; every other term as it is.
    pub fn blast_atom(&mut self, store: &mut Store, t: Term) -> Term {
        if !BitBlaster::is_atom(store, t) {
            return t;
        }
        if let Some(&done) = self.atoms.get(&t) {
            return done;
        }
        if let Op::Float(_) = store.op(t) {
            // The circuit is a formula over words, whose atoms are blasted when their turn comes.
            let circuit = store.float_circuit(t);
            self.atoms.insert(t, circuit);
            return circuit;
        }
        for i in 0..store.args(t).len() {
            self.blast(store, store.arg(t, i));
        }
        let [a, b] = self.operands(store, store.args(t));
        let new = match store.op(t) {
            Op::Bit(i) => a[i as usize],
            Op::Eq => circuit::equal(store, a, b),
            Op::BvUlt => circuit::less(store, a, b, false),
            Op::BvUle => circuit::less(store, a, b, true),
            Op::BvSlt => circuit::signed_less(store, a, b, false),
            _ => circuit::signed_less(store, a, b, true),
        };
        self.atoms.insert(t, new);
        new
    }

    /// The words that stand for floating-point operators in the bits of some terms, each once. They are no parts of these terms, but
    /// the bits depend on the order in which they were made: who writes a proof down has to list them.
    pub fn float_circuits(store: &mut Store, terms: impl IntoIterator<Item = Term>) -> Vec<Term> {
        let mut blaster = BitBlaster::new();
        let (mut stack, mut seen) = (terms.into_iter().collect::<Vec<_>>(), FxHashSet::default());
        let mut out = Vec::new();
        while let Some(t) = stack.pop() {
            if !seen.insert(t) {
                continue;
            }
            match blaster.circuit(store, t) {
                Some(circuit) => {
                    out.push(circuit);
                    stack.push(circuit);
                }
                // The atoms of formulas are blasted when their turn comes.
                None if BitBlaster::is_atom(store, t) => stack.extend(store.args(t)),
                None if store.sort_of(t) == Sort::BOOL => {}
                None => stack.extend(parts(store, t)),
            }
        }
        out
    }

    /// Makes the bits of a word and of all words that it is made of, arguments first.
    fn blast(&mut self, store: &mut Store, t: Term) {
        let mut stack = vec![t];
        while let Some(&top) = stack.last() {
            if self.words.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            if let Some(circuit) = self.circuit(store, top) {
                if let Some(&start) = self.words.get(&circuit) {
                    self.words.insert(top, start);
                } else {
                    stack.push(circuit);
                }
                continue;
            }
            stack.extend(parts(store, top).iter().rev().filter(|a| !self.words.contains_key(a)));
            if stack.len() > before {
                continue;
            }
            let start = self.blast_node(store, top);
            self.words.insert(top, start);
            stack.pop();
        }
    }

    /// The word whose bits a floating-point operator's result has; none for other terms.
    fn circuit(&mut self, store: &mut Store, t: Term) -> Option<Term> {
        match store.op(t) {
            // The bits of a leaf are leaves; those of any other number are what its circuit says.
            Op::Float(FloatOp::Bits) => {
                Some(store.arg(t, 0)).filter(|&number| !is_number_leaf(store, number))
            }
            Op::Float(_) => match self.circuits.get(&t) {
                Some(&circuit) => Some(circuit),
                None => {
                    let circuit = store.float_circuit(t);
                    self.circuits.insert(t, circuit);
                    Some(circuit)
                }
            },
            _ if is_number_leaf(store, t) && store.float_format(store.sort_of(t)).is_some() => {
                Some(store.float_bits(t))
            }
            _ => None,
        }
    }

    /// The bits of a word whose parts have been blasted.
    fn word(&self, store: &Store, t: Term) -> &[Term] {
        let start = self.words[&t];
        let width = store.bits_of_sort(store.sort_of(t)).expect("a word or a number");
        &self.pool[start..start + width as usize]
    }

    /// The bits of at most two blasted words; no bits for one that is missing.
    fn operands(&self, store: &Store, words: &[Term]) -> [&[Term]; 2] {
        [0, 1].map(|i| words.get(i).map_or(&[][..], |&t| self.word(store, t)))
    }

    /// Appends bits to the pool and says where they begin.
    fn push(&mut self, bits: Vec<Term>) -> usize {
        let start = self.pool.len();
        self.pool.extend(bits);
        start
    }

    /// Makes the bits of a word whose parts have been blasted; says where they begin.
    fn blast_node(&mut self, store: &mut Store, t: Term) -> usize {
        let [a, b] = self.operands(store, parts(store, t));
        let fls = store.fls();
        let bits = match store.op(t) {
            Op::BvUdiv => return self.divider(store, t),
            Op::BvUrem => return self.divider(store, t) + store.width(t) as usize,
            Op::BvConst(n) => circuit::constant(store, n, store.width(t)),
            Op::FloatConst(n) => {
                let width = store.bits_of_sort(store.sort_of(t)).expect("a number");
                circuit::constant(store, n, width)
            }
            Op::Concat => [b, a].concat(),
            Op::Extract { hi, lo } => a[lo as usize..=hi as usize].to_vec(),
            Op::SignExtend(n) => circuit::sign_extend(a, n as usize),
            Op::BvNot => circuit::complement(store, a),
            Op::BvAnd => circuit::bitwise(store, a, b, |s, a, b| s.and(&[a, b])),
            Op::BvOr => circuit::bitwise(store, a, b, |s, a, b| s.or(&[a, b])),
            Op::BvXor => circuit::bitwise(store, a, b, Store::xor),
            Op::BvNeg => circuit::negate(store, a),
            Op::BvAdd => circuit::add(store, a, b, fls).0,
            Op::BvMul => circuit::multiply(store, a, b),
            Op::BvShl => circuit::shift(store, Shift::Left, a, b),
            Op::BvLshr => circuit::shift(store, Shift::Right, a, b),
            Op::BvAshr => circuit::shift(store, Shift::ArithmeticRight, a, b),
            Op::Ite => circuit::choose(store, store.arg(t, 0), a, b),
            _ => circuit::leaf(store, t),
        };
        self.push(bits)
    }

    /// Where the quotient of the operands of a division begins, and the remainder after it. Quotient and
    /// remainder of two words share one divider.
    fn divider(&mut self, store: &mut Store, t: Term) -> usize {
        let key = (store.arg(t, 0), store.arg(t, 1));
        if let Some(&start) = self.dividers.get(&key) {
            return start;
        }
        let [a, b] = self.operands(store, store.args(t));
        let (quotient, remainder) = circuit::divide(store, a, b);
        let start = self.push(quotient);
        self.push(remainder);
        self.dividers.insert(key, start);
        start
    }
}

/// The words that a word is made of.
fn parts(store: &Store, t: Term) -> &[Term] {
    match store.op(t) {
        Op::Ite => &store.args(t)[1..],
        _ if is_leaf(store, t) => &[],
        _ => store.args(t),
    }
}

/// Is this a word whose bits are taken as they are?
fn is_leaf(store: &Store, t: Term) -> bool {
    match store.op(t) {
        Op::Apply(_) | Op::Select | Op::Field { .. } | Op::IntToBv => true,
        Op::Float(FloatOp::Bits) => is_number_leaf(store, store.arg(t, 0)),
        _ => false,
    }
}

/// Is this a floating-point term that no operator of the theory heads?
fn is_number_leaf(store: &Store, t: Term) -> bool {
    matches!(store.op(t), Op::Apply(_) | Op::Select | Op::Field { .. })
}
