//! From bits back to words.
//!
//! A formula over single bits, such as an interpolant of a blasted problem, says little to a reader and
//! nothing to the theory of arrays. [`bits_to_words`] recovers what is obvious: a conjunction that fixes
//! neighbouring bits of a word equates a slice of it with a constant, a conjunction that equates
//! neighbouring bits of two words equates slices of them, and slices of full width are words. By duality a
//! disjunction gives disequalities. Any other bit becomes an equation between a slice of one bit and `#b1`.

use crate::{Op, Store, Term};
use dashu_int::UBig;
use rustc_hash::FxHashMap;

/// An equivalent term without `Op::Bit` anywhere.
pub fn bits_to_words(store: &mut Store, t: Term) -> Term {
    let mut lift = Lift { uses: count_uses(store, t), done: FxHashMap::default() };
    let mut stack = vec![t];
    while let Some(&top) = stack.last() {
        if lift.done.contains_key(&top) {
            stack.pop();
            continue;
        }
        let before = stack.len();
        let needs = lift.needs(store, top);
        stack.extend(needs.into_iter().filter(|a| !lift.done.contains_key(a)));
        if stack.len() > before {
            continue;
        }
        let new = lift.node(store, top);
        lift.done.insert(top, new);
        stack.pop();
    }
    lift.done[&t]
}

/// How often each subterm is an argument.
fn count_uses(store: &Store, t: Term) -> FxHashMap<Term, u32> {
    let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
    for u in store.post_order([t]) {
        for &a in store.args(u) {
            *uses.entry(a).or_default() += 1;
        }
    }
    uses
}

/// The state of one lifting.
struct Lift {
    uses: FxHashMap<Term, u32>,
    done: FxHashMap<Term, Term>,
}

/// A conjunct, taken apart as far as bits go.
enum Conjunct {
    /// A bit of a word has a value.
    Fixed { word: Term, bit: u32, value: bool },
    /// Bits of two words are equal.
    Equal { left: Term, right: Term, bit: u32, other: u32 },
    /// Anything else, negated if the flag is false.
    Other(Term, bool),
}

/// Bits of one word (or pair of words) that a conjunction speaks of.
struct Group<K, V> {
    key: K,
    bits: Vec<(u32, V)>,
}

impl Lift {
    /// The terms that must be lifted before this one.
    fn needs(&self, store: &Store, t: Term) -> Vec<Term> {
        match store.op(t) {
            Op::And | Op::Or => {
                let mut out = Vec::new();
                for (piece, positive) in self.pieces(store, t) {
                    match conjunct(store, piece, positive) {
                        Conjunct::Fixed { word, .. } => out.push(word),
                        Conjunct::Equal { left, right, .. } => out.extend([left, right]),
                        Conjunct::Other(term, _) => out.push(term),
                    }
                }
                out
            }
            Op::Eq => match conjunct(store, t, true) {
                Conjunct::Equal { left, right, .. } => vec![left, right],
                _ => store.args(t).to_vec(),
            },
            _ => store.args(t).to_vec(),
        }
    }

    /// The conjuncts of a conjunction, or of the negation of a disjunction, each with its sign. Junctions below
    /// are opened if nobody else uses them, which keeps the total work linear.
    fn pieces(&self, store: &Store, root: Term) -> Vec<(Term, bool)> {
        let conjunctive = |t: Term, positive: bool| match store.op(t) {
            Op::And => positive,
            Op::Or => !positive,
            _ => false,
        };
        let used_once = |t: Term| self.uses.get(&t) == Some(&1);
        let mut out = Vec::new();
        let mut stack: Vec<(Term, bool)> = vec![(root, store.op(root) == Op::And)];
        while let Some((t, positive)) = stack.pop() {
            for &a in store.args(t).iter().rev() {
                let (atom, sign) = store.literal(a);
                let sign = sign == positive;
                let open = conjunctive(atom, sign) && used_once(atom) && used_once(a);
                if open { stack.push((atom, sign)) } else { out.push((atom, sign)) }
            }
        }
        out
    }

    /// The lifted form of a term, everything that it needs having been lifted.
    fn node(&self, store: &mut Store, t: Term) -> Term {
        match store.op(t) {
            Op::And => {
                let conjuncts = self.junction(store, t);
                store.and(&conjuncts)
            }
            Op::Or => {
                let mut disjuncts = self.junction(store, t);
                disjuncts.iter_mut().for_each(|d| *d = store.not(*d));
                store.or(&disjuncts)
            }
            Op::Bit(i) => one_bit(store, self.done[&store.arg(t, 0)], i),
            Op::Eq => match conjunct(store, t, true) {
                Conjunct::Equal { left, right, bit, other } => {
                    equal_slices(store, (self.done[&left], bit), (self.done[&right], other), 1)
                }
                _ => self.rebuilt(store, t),
            },
            _ => self.rebuilt(store, t),
        }
    }

    fn rebuilt(&self, store: &mut Store, t: Term) -> Term {
        let args: Vec<Term> = store.args(t).iter().map(|a| self.done[a]).collect();
        store.rebuild(t, &args)
    }

    /// Lifted conjuncts of a conjunction, or of the negation of a disjunction.
    fn junction(&self, store: &mut Store, t: Term) -> Vec<Term> {
        let mut fixed: Vec<Group<Term, bool>> = Vec::new();
        let mut fixed_at: FxHashMap<Term, usize> = FxHashMap::default();
        let mut equal: Vec<Group<(Term, Term, i64), ()>> = Vec::new();
        let mut equal_at: FxHashMap<(Term, Term, i64), usize> = FxHashMap::default();
        let mut out = Vec::new();
        for (piece, positive) in self.pieces(store, t) {
            match conjunct(store, piece, positive) {
                Conjunct::Fixed { word, bit, value } => {
                    group_of(&mut fixed, &mut fixed_at, word).bits.push((bit, value));
                }
                Conjunct::Equal { left, right, bit, other } => {
                    let key = (left, right, i64::from(other) - i64::from(bit));
                    group_of(&mut equal, &mut equal_at, key).bits.push((bit, ()));
                }
                Conjunct::Other(term, positive) => {
                    let term = self.done[&term];
                    out.push(if positive { term } else { store.not(term) });
                }
            }
        }
        for group in fixed {
            let word = self.done[&group.key];
            for run in runs(group.bits) {
                out.push(fixed_slice(store, word, &run));
            }
        }
        for group in equal {
            let (left, right, distance) = group.key;
            let (left, right) = (self.done[&left], self.done[&right]);
            for run in runs(group.bits) {
                let (bit, length) = (run[0].0, run.len() as u32);
                let other = (i64::from(bit) + distance) as u32;
                out.push(equal_slices(store, (left, bit), (right, other), length));
            }
        }
        out
    }
}

/// Takes a conjunct apart.
fn conjunct(store: &Store, t: Term, positive: bool) -> Conjunct {
    let bit = |t: Term| match store.op(t) {
        Op::Bit(i) => Some((store.arg(t, 0), i)),
        _ => None,
    };
    if let Some((word, bit)) = bit(t) {
        return Conjunct::Fixed { word, bit, value: positive };
    }
    if store.op(t) == Op::Eq
        && positive
        && let (Some(a), Some(b)) = (bit(store.arg(t, 0)), bit(store.arg(t, 1)))
    {
        let (a, b) = (a.min(b), a.max(b));
        return Conjunct::Equal { left: a.0, right: b.0, bit: a.1, other: b.1 };
    }
    Conjunct::Other(t, positive)
}

/// The group of a key, made if it is new; groups stay in the order in which they were made.
fn group_of<'a, K: Copy + Eq + std::hash::Hash, V>(
    groups: &'a mut Vec<Group<K, V>>,
    at: &mut FxHashMap<K, usize>,
    key: K,
) -> &'a mut Group<K, V> {
    let n = *at.entry(key).or_insert_with(|| {
        groups.push(Group { key, bits: Vec::new() });
        groups.len() - 1
    });
    &mut groups[n]
}

/// Maximal runs of neighbouring bits. A bit with two values begins a run of its own, which contradicts the other.
fn runs<V: Copy + Ord>(mut bits: Vec<(u32, V)>) -> Vec<Vec<(u32, V)>> {
    bits.sort_unstable();
    bits.dedup();
    let mut out: Vec<Vec<(u32, V)>> = Vec::new();
    for (bit, value) in bits {
        match out.last_mut() {
            Some(run) if run[run.len() - 1].0 + 1 == bit => run.push((bit, value)),
            _ => out.push(vec![(bit, value)]),
        }
    }
    out
}

/// Bit `i` of a word, as an equation.
fn one_bit(store: &mut Store, word: Term, i: u32) -> Term {
    let (slice, one) = (store.bv_extract(i, i, word), store.bv_u64(1, 1));
    store.eq(slice, one)
}

/// Neighbouring bits of a word have their values.
fn fixed_slice(store: &mut Store, word: Term, run: &[(u32, bool)]) -> Term {
    if let &[(bit, value)] = run {
        let is_set = one_bit(store, word, bit);
        return if value { is_set } else { store.not(is_set) };
    }
    let mut value = UBig::ZERO;
    for (n, _) in run.iter().enumerate().filter(|(_, (_, value))| *value) {
        value.set_bit(n);
    }
    let (low, high) = (run[0].0, run[run.len() - 1].0);
    let slice = store.bv_extract(high, low, word);
    let constant = store.bv_const(high - low + 1, value);
    store.eq(slice, constant)
}

/// Slices of two words, each from its lowest bit on, are equal.
fn equal_slices(store: &mut Store, left: (Term, u32), right: (Term, u32), length: u32) -> Term {
    let [a, b] = [left, right].map(|(word, low)| store.bv_extract(low + length - 1, low, word));
    store.eq(a, b)
}
