//! The circuits of the bit-vector operators, on words given as Boolean terms, lowest bit first.
//!
//! An exclusive or is one `Eq` node below a negation that the store moves outwards, a full adder is two of
//! them and one `Ite`. Constant bits need no special care: the Boolean constructors simplify them away.

use crate::{NumId, Op, Sort, Store, Term};

/// The bits of a constant.
pub(super) fn constant(store: &Store, value: NumId, width: u32) -> Vec<Term> {
    let bits = store.num_value(value).to_bits_le(width as usize).unwrap_or_default();
    bits.into_iter().map(|b| store.bool(b)).collect()
}

/// The bits of a word that is not taken apart.
pub(super) fn leaf(store: &mut Store, t: Term) -> Vec<Term> {
    (0..store.width(t)).map(|i| store.intern(Op::Bit(i), Sort::BOOL, &[t])).collect()
}

/// Every bit complemented.
pub(super) fn complement(store: &mut Store, a: &[Term]) -> Vec<Term> {
    a.iter().map(|&a| store.not(a)).collect()
}

/// One Boolean operator on each pair of bits.
pub(super) fn bitwise(
    store: &mut Store,
    a: &[Term],
    b: &[Term],
    op: fn(&mut Store, Term, Term) -> Term,
) -> Vec<Term> {
    a.iter().zip(b).map(|(&a, &b)| op(store, a, b)).collect()
}

/// `n` more copies of the sign bit.
pub(super) fn sign_extend(a: &[Term], n: usize) -> Vec<Term> {
    let sign = a.last().copied();
    a.iter().copied().chain(sign.into_iter().cycle().take(n)).collect()
}

/// One of two words.
pub(super) fn choose(store: &mut Store, c: Term, a: &[Term], b: &[Term]) -> Vec<Term> {
    a.iter().zip(b).map(|(&a, &b)| store.ite(c, a, b)).collect()
}

/// Are two bits complementary by inspection?
fn opposite(store: &Store, a: Term, b: Term) -> bool {
    match (store.as_bool(a), store.as_bool(b)) {
        (Some(a), Some(b)) => a != b,
        _ => {
            let ((a, positive_a), (b, positive_b)) = (store.literal(a), store.literal(b));
            a == b && positive_a != positive_b
        }
    }
}

/// Are at least two of three bits set? The result is the same term whichever of the first two comes first: the order of the
/// operands of a commutative operator depends on what else was in the store.
fn majority(store: &mut Store, a: Term, b: Term, c: Term) -> Term {
    let (a, b) = (a.min(b), a.max(b));
    for (x, y, z) in [(a, b, c), (a, c, b), (b, c, a)] {
        if x == y {
            return x;
        }
        if opposite(store, x, y) {
            return z;
        }
        match store.as_bool(z) {
            Some(true) => return store.or(&[x, y]),
            Some(false) => return store.and(&[x, y]),
            None => {}
        }
    }
    let same = store.iff(a, b);
    store.ite(same, a, c)
}

/// Ripple-carry addition of two words and a carry: the sum and the carry out of it.
pub(super) fn add(store: &mut Store, a: &[Term], b: &[Term], mut carry: Term) -> (Vec<Term>, Term) {
    let mut sum = Vec::with_capacity(a.len());
    for (&a, &b) in a.iter().zip(b) {
        // a + b + carry is odd if and only if (a = b) = carry.
        let same = store.iff(a, b);
        sum.push(store.iff(same, carry));
        carry = majority(store, a, b, carry);
    }
    (sum, carry)
}

/// Two's complement negation: the complement plus one.
pub(super) fn negate(store: &mut Store, a: &[Term]) -> Vec<Term> {
    let flipped = complement(store, a);
    let zero = vec![store.fls(); a.len()];
    add(store, &flipped, &zero, store.tru()).0
}

/// Shift-and-add multiplication. The operand with fewer rows to add selects the rows.
pub(super) fn multiply(store: &mut Store, a: &[Term], b: &[Term]) -> Vec<Term> {
    let rows = |word: &[Term]| {
        let set = word.iter().filter(|&&t| t != store.fls()).count();
        let open = word.iter().filter(|&&t| store.as_bool(t).is_none()).count();
        (set, open)
    };
    // Where both have as many, the order of the operands decides and not that of the bits: a proof that is written down lists words,
    // but not all of the gates that were made before.
    let (a, b) = if rows(a) < rows(b) { (b, a) } else { (a, b) };
    let fls = store.fls();
    let mut product = vec![fls; a.len()];
    for (i, &selector) in b.iter().enumerate().filter(|&(_, &t)| t != fls) {
        let row: Vec<Term> = a[..a.len() - i].iter().map(|&a| store.and(&[a, selector])).collect();
        let (sum, _) = add(store, &product[i..], &row, fls);
        product.splice(i.., sum);
    }
    product
}

/// Restoring division: quotient and remainder.
///
/// After `k + 1` steps the remainder is that of the top `k + 1` bits of the dividend and has no more bits
/// than those. A divisor of zero is subtracted at every step, which leaves a quotient of ones and the
/// dividend as the remainder: just what SMT-LIB asks for.
pub(super) fn divide(store: &mut Store, a: &[Term], d: &[Term]) -> (Vec<Term>, Vec<Term>) {
    let width = a.len();
    let not_d = complement(store, d);
    // fits[k]: has the divisor no bit above bit k?
    let mut fits = vec![store.tru(); width];
    for k in (1..width).rev() {
        fits[k - 1] = store.and(&[fits[k], not_d[k]]);
    }
    let mut quotient = vec![store.fls(); width];
    let mut remainder: Vec<Term> = Vec::with_capacity(width);
    for k in 0..width {
        remainder.insert(0, a[width - 1 - k]);
        if fits[k] == store.fls() {
            continue;
        }
        // The difference from the low part of the divisor; no borrow means that it is not negative.
        let (difference, no_borrow) = add(store, &remainder, &not_d[..=k], store.tru());
        let subtract = store.and(&[no_borrow, fits[k]]);
        quotient[width - 1 - k] = subtract;
        remainder = choose(store, subtract, &difference, &remainder);
    }
    (quotient, remainder)
}

/// The three shifts.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Shift {
    /// Zeros come in from below.
    Left,
    /// Zeros come in from above.
    Right,
    /// Copies of the sign come in from above.
    ArithmeticRight,
}

/// Barrel shifter: one stage for each bit of the amount whose weight is below the width; if any other bit of
/// the amount is set, nothing of the word is left.
pub(super) fn shift(store: &mut Store, kind: Shift, a: &[Term], amount: &[Term]) -> Vec<Term> {
    let width = a.len();
    let fill = match (kind, a.last()) {
        (Shift::ArithmeticRight, Some(&sign)) => sign,
        _ => store.fls(),
    };
    let stages = width.next_power_of_two().ilog2() as usize;
    let mut word = a.to_vec();
    for (stage, &on) in amount[..stages].iter().enumerate() {
        let by = 1 << stage;
        let source = |i: usize| match kind {
            Shift::Left => i.checked_sub(by),
            _ => Some(i + by).filter(|&j| j < width),
        };
        word = (0..width)
            .map(|i| {
                let moved = source(i).map_or(fill, |j| word[j]);
                store.ite(on, moved, word[i])
            })
            .collect();
    }
    let out_of_range = store.or(&amount[stages..]);
    word.into_iter().map(|bit| store.ite(out_of_range, fill, bit)).collect()
}

/// Are two words equal?
pub(super) fn equal(store: &mut Store, a: &[Term], b: &[Term]) -> Term {
    let same = bitwise(store, a, b, Store::iff);
    store.and(&same)
}

/// Unsigned `a < b`, or `a <= b`, from the lowest bit up: a higher bit overrules if it differs.
pub(super) fn less(store: &mut Store, a: &[Term], b: &[Term], or_equal: bool) -> Term {
    let mut less = store.bool(or_equal);
    for (&a, &b) in a.iter().zip(b) {
        let not_a = store.not(a);
        less = majority(store, not_a, b, less);
    }
    less
}

/// Signed `a < b`, or `a <= b`: the unsigned comparison with the two sign bits exchanged.
pub(super) fn signed_less(store: &mut Store, a: &[Term], b: &[Term], or_equal: bool) -> Term {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    if let (Some(a), Some(b)) = (a.last_mut(), b.last_mut()) {
        std::mem::swap(a, b);
    }
    less(store, &a, &b, or_equal)
}
