//! Circuits and lifting against evaluation.

use super::*;
use crate::bv::testkit::*;
use crate::{Evaluator, Model, Sort, Value};
use dashu_int::UBig;
use rustc_hash::FxHashSet;

fn truth(s: &Store, m: &Model, t: Term) -> bool {
    value(s, m, t) == Value::Bool(true)
}

/// The word that some bits denote.
fn word_of(e: &mut Evaluator<'_>, bits: &[Term]) -> Value {
    let mut value = UBig::ZERO;
    for (i, &b) in bits.iter().enumerate() {
        if e.holds(b).expect("a value") {
            value.set_bit(i);
        }
    }
    Value::Bv(bits.len() as u32, value)
}

/// The value of a term through its circuit; of a formula, through the circuits of its atoms.
fn through_circuit(s: &mut Store, blaster: &mut BitBlaster, m: &Model, t: Term) -> Value {
    if s.bv_width(s.sort_of(t)).is_some() {
        let bits = blaster.bits(s, t).to_vec();
        return word_of(&mut Evaluator::new(s, m), &bits);
    }
    let t = blast_formula(s, blaster, t);
    value(s, m, t)
}

/// Replaces the outermost atoms of a formula by their circuits.
fn blast_formula(s: &mut Store, blaster: &mut BitBlaster, t: Term) -> Term {
    let mut subst = crate::Substitution::new();
    let atoms: Vec<Term> = s.post_order([t]).filter(|&u| BitBlaster::is_atom(s, u)).collect();
    for a in atoms {
        let new = blaster.blast_atom(s, a);
        assert_shape(s, a, new);
        subst.insert(a, new);
    }
    subst.apply(s, t)
}

/// A blasted term is made of Boolean operators, bits of leaves and conditions of the original.
fn assert_shape(s: &Store, original: Term, blasted: Term) {
    // Boolean simplification may open a condition, so its parts count as well.
    let conditions = s.post_order([original]).filter(|&u| s.op(u) == Op::Ite).map(|u| s.arg(u, 0));
    let conditions: FxHashSet<Term> = s.post_order(conditions).collect();
    let (mut stack, mut seen) = (vec![blasted], FxHashSet::default());
    while let Some(t) = stack.pop() {
        if !seen.insert(t) || conditions.contains(&t) {
            continue;
        }
        assert_eq!(s.sort_of(t), Sort::BOOL);
        match s.op(t) {
            Op::True | Op::False => {}
            Op::And | Op::Or | Op::Not | Op::Ite | Op::Eq => stack.extend(s.args(t)),
            Op::Bit(_) => assert!(is_leaf(s, s.arg(t, 0)), "a bit of {:?}", s.op(s.arg(t, 0))),
            op => panic!("{op:?} in a blasted term"),
        }
    }
}

fn check_width(s: &mut Store, rng: &mut Random, w: u32, samples: usize) -> usize {
    let pair = Pair::new(s, w);
    let (x, y) = (pair.x, pair.y);
    let mut blaster = BitBlaster::new();
    let values = pair.values(rng, samples);
    let mut checks = 0;
    for op in BINARY {
        let (xy, xx) = ((op.build)(s, x, y), (op.build)(s, x, x));
        for &(a, b) in &values {
            let (ka, kb) = (s.bv_const(w, UBig::from(a)), s.bv_const(w, UBig::from(b)));
            let (xk, ky) = ((op.build)(s, x, kb), (op.build)(s, ka, y));
            let m = pair.model(s, a, b);
            let expected = (op.calc)(w, a, b).value();
            for t in [xk, ky, xy] {
                let found = through_circuit(s, &mut blaster, &m, t);
                assert_eq!(found, expected, "{} {a} {b} at {w}", op.name);
            }
            let found = through_circuit(s, &mut blaster, &m, xx);
            assert_eq!(found, (op.calc)(w, a, a).value(), "{} {a} {a} at {w}", op.name);
            checks += 4;
        }
    }
    for &(op, name) in NODES {
        // Without simplification, also with constants and equal operands.
        for &(a, b) in &values {
            let (ka, kb) = (s.bv_const(w, UBig::from(a)), s.bv_const(w, UBig::from(b)));
            let m = pair.model(s, a, b);
            for (p, q, v) in [(x, y, b), (x, kb, b), (ka, y, b), (ka, kb, b), (x, x, a)] {
                let (t, calc) = raw_node(s, op, name, p, q);
                let found = through_circuit(s, &mut blaster, &m, t);
                assert_eq!(found, calc(w, a, v).value(), "{op:?} {a} {v} at {w}");
                checks += 1;
            }
        }
    }
    for op in UNARY {
        for _ in 0..samples {
            let (n, (a, _)) = (rng.bits() as u32 >> 4, values[rng.below(values.len())]);
            let t = (op.build)(s, n, x);
            if s.sort_of(t) != Sort::INT {
                let found = through_circuit(s, &mut blaster, &pair.model(s, a, 0), t);
                assert_eq!(found, (op.calc)(w, n, a).value(), "{} {n} {a} at {w}", op.name);
                checks += 1;
            }
        }
    }
    checks
}

#[test]
fn circuits_at_small_widths() {
    let (mut s, mut rng) = (Store::new(), Random::new(11));
    let checks: usize = (1..=4).map(|w| check_width(&mut s, &mut rng, w, 30)).sum();
    assert!(checks > 70_000, "{checks}");
}

#[test]
fn circuits_at_large_widths() {
    let mut rng = Random::new(12);
    for w in (5..=16).chain([23, 31, 32, 33, 48, 63, 64, 65, 70]) {
        check_width(&mut Store::new(), &mut rng, w, if w <= 16 { 4 } else { 1 });
    }
}

#[test]
fn circuits_of_words_beyond_two_machine_words() {
    let mut rng = Random::new(13);
    for w in [127, 128, 129, 192, 200] {
        let mut s = Store::new();
        let pair = Pair::new(&mut s, w);
        let wide = |rng: &mut Random| {
            let mut v = UBig::from(word(rng, 100)) << 100usize | UBig::from(word(rng, 100));
            v.clear_high_bits(w as usize);
            v
        };
        let mut blaster = BitBlaster::new();
        for &(op, name) in NODES {
            let (t, _) = raw_node(&mut s, op, name, pair.x, pair.y);
            for round in 0..3 {
                let (a, mut b) = (wide(&mut rng), wide(&mut rng));
                if round == 0 {
                    b = UBig::from(rng.below(w as usize));
                }
                let mut m = Model::new();
                m.set(s.as_var(pair.x).expect("a constant"), Value::Bv(w, a));
                m.set(s.as_var(pair.y).expect("a constant"), Value::Bv(w, b));
                assert_eq!(through_circuit(&mut s, &mut blaster, &m, t), value(&s, &m, t), "{op:?} at {w}");
            }
        }
    }
}

#[test]
fn circuits_of_random_nested_terms() {
    let mut rng = Random::new(14);
    for round in 0..120 {
        let mut s = Store::new();
        let small = round % 2 == 0;
        let widths = if small { [1, 2, 3, 3, 4] } else { [5, 8, 8, 17, 17] };
        let p = Program::random(&mut s, &mut rng, &widths, 30, if small { 9 } else { 24 });
        let mut blaster = BitBlaster::new();
        let blasted: Vec<Vec<Term>> = p
            .terms
            .iter()
            .map(|&t| match s.bv_width(s.sort_of(t)) {
                Some(_) => {
                    let bits = blaster.bits(&mut s, t).to_vec();
                    bits.iter().for_each(|&b| assert_shape(&s, t, b));
                    bits
                }
                None if s.sort_of(t) == Sort::BOOL => vec![blast_formula(&mut s, &mut blaster, t)],
                None => vec![],
            })
            .collect();
        for _ in 0..8 {
            let inputs = p.random_inputs(&mut rng);
            let m = p.model(&inputs);
            let mut e = Evaluator::new(&s, &m);
            for (bits, out) in blasted.iter().zip(p.run(&inputs)) {
                match out {
                    Out::Word(..) => assert_eq!(word_of(&mut e, bits), out.value(), "round {round}"),
                    Out::Truth(_) => assert_eq!(e.eval(bits[0]), Ok(out.value()), "round {round}"),
                    Out::Int(_) => {}
                }
            }
        }
    }
}

#[test]
fn the_result_depends_on_the_term_only() {
    let mut rng = Random::new(15);
    for _ in 0..40 {
        let mut s = Store::new();
        let p = Program::random(&mut s, &mut rng, &[3, 4, 8], 30, 16);
        let mut shared = BitBlaster::new();
        let first: Vec<Vec<Term>> = p.terms.iter().map(|&t| shared.bits(&mut s, t).to_vec()).collect();
        let atoms: Vec<Term> = p.terms.iter().map(|&t| shared.blast_atom(&mut s, t)).collect();
        for ((&t, bits), &atom) in p.terms.iter().zip(&first).zip(&atoms).rev() {
            assert_eq!(BitBlaster::new().bits(&mut s, t), bits);
            assert_eq!(BitBlaster::new().blast_atom(&mut s, t), atom);
        }
    }
}

#[test]
fn leaves_keep_their_arguments() {
    let mut s = Store::new();
    let (word, int) = (s.bv_sort(8), s.int_sort());
    let (x, y, n) = (s.var("x", word), s.var("y", word), s.var("n", int));
    let f = s.func("f", &[word], word);
    let sum = s.bv_add(x, y);
    let array = s.array_sort(word, word);
    let a = s.var("a", array);
    for leaf in [s.apply(f, &[sum]), s.select(a, sum), s.int_to_bv(8, n)] {
        let bits = BitBlaster::new().bits(&mut s, leaf).to_vec();
        assert_eq!(bits.len(), 8);
        for (i, &b) in bits.iter().enumerate() {
            assert_eq!((s.op(b), s.args(b)), (Op::Bit(i as u32), &[leaf][..]));
            assert!(!BitBlaster::is_atom(&s, b));
            assert_eq!(BitBlaster::new().blast_atom(&mut s, b), b);
        }
    }
    let atom = s.lt(n, n);
    assert_eq!(BitBlaster::new().blast_atom(&mut s, atom), atom);
    assert!(BitBlaster::new().bits(&mut s, n).is_empty());
}

#[test]
fn circuits_are_small() {
    let mut s = Store::new();
    let Pair { x, y, .. } = Pair::new(&mut s, 32);
    let (sum, product) = (s.bv_add(x, y), s.bv_mul(x, y));
    let (less, shifted, k) = (s.bv_ule(x, y), s.bv_shl(x, y), s.bv_u64(32, 0x101));
    let scaled = s.bv_mul(x, k);
    // Bounds on operators above the bits: per full adder two equivalences and a choice, plus negations.
    for (t, bound) in [(sum, 3 * 32), (less, 3 * 32), (product, 5 * 528), (shifted, 8 * 32), (scaled, 3 * 24)]
    {
        let bits = match s.bv_width(s.sort_of(t)) {
            Some(_) => BitBlaster::new().bits(&mut s, t).to_vec(),
            None => vec![BitBlaster::new().blast_atom(&mut s, t)],
        };
        let gates = s.post_order(bits).filter(|&u| !is_leaf(&s, u) && !matches!(s.op(u), Op::Bit(_))).count();
        assert!(gates <= bound, "{:?}: {gates} gates, at most {bound} expected", s.op(t));
    }
}

#[test]
fn quotient_and_remainder_share_a_divider() {
    let mut s = Store::new();
    let pair = Pair::new(&mut s, 16);
    let (q, r) = (s.bv_udiv(pair.x, pair.y), s.bv_urem(pair.x, pair.y));
    let mut blaster = BitBlaster::new();
    blaster.bits(&mut s, q);
    let before = s.len();
    assert_eq!(blaster.bits(&mut s, r).len(), 16);
    assert_eq!(s.len(), before);
}

#[test]
fn deep_terms_do_not_overflow_the_stack() {
    let mut s = Store::new();
    let pair = Pair::new(&mut s, 2);
    let mut t = pair.x;
    for _ in 0..50_000 {
        let sum = s.bv_add(t, pair.y);
        t = s.bv_and(sum, pair.x);
        t = s.bv_not(t);
    }
    assert_eq!(BitBlaster::new().bits(&mut s, t).len(), 2);
    let bit = BitBlaster::new().bits(&mut s, t)[1];
    let lifted = bits_to_words(&mut s, bit);
    let m = pair.model(&s, 1, 2);
    assert_eq!(truth(&s, &m, bit), truth(&s, &m, lifted));
}

/// No bit anywhere, and equal values under some assignments of two words of one width.
fn assert_lifted(s: &mut Store, pair: &Pair, values: &[(u128, u128)], t: Term) -> Term {
    let lifted = bits_to_words(s, t);
    assert!(s.post_order([lifted]).all(|u| !matches!(s.op(u), Op::Bit(_))));
    for &(a, b) in values {
        let m = pair.model(s, a, b);
        assert_eq!(truth(s, &m, t), truth(s, &m, lifted), "{a} {b}");
    }
    lifted
}

#[test]
fn lifting_random_formulas() {
    let mut rng = Random::new(16);
    let mut lifted_words = 0;
    for round in 0..500 {
        let mut s = Store::new();
        let w = 1 + rng.below(4) as u32;
        let pair = Pair::new(&mut s, w);
        let values = pair.values(&mut rng, 0);
        let mut pool: Vec<Term> = Vec::new();
        for i in 0..w {
            let (x, y) = (s.bv_bit(i, pair.x), s.bv_bit(i, pair.y));
            let same = s.iff(x, y);
            pool.extend([x, y, same]);
        }
        for _ in 0..20 {
            let mut pick = |s: &mut Store| {
                let t = pool[rng.below(pool.len())];
                if rng.below(2) == 0 { s.not(t) } else { t }
            };
            let args: Vec<Term> = (0..2 + round % 7).map(|_| pick(&mut s)).collect();
            let t = match rng.below(6) {
                0 => s.iff(args[0], args[1]),
                1 => s.ite(args[0], args[1], args[args.len() - 1]),
                2 | 3 => s.or(&args),
                _ => s.and(&args),
            };
            pool.push(t);
        }
        for &t in &pool[pool.len() - 6..] {
            let lifted = assert_lifted(&mut s, &pair, &values, t);
            lifted_words += usize::from(s.op(lifted) == Op::Eq);
        }
    }
    assert!(lifted_words > 40, "{lifted_words}");
}

#[test]
fn lifting_blasted_atoms() {
    let mut rng = Random::new(17);
    for w in [1, 2, 3, 8, 16, 17, 33, 64, 70] {
        let mut s = Store::new();
        let pair = Pair::new(&mut s, w);
        let (x, y) = (pair.x, pair.y);
        let values = pair.values(&mut rng, 8);
        let mut blaster = BitBlaster::new();
        // Equations come back as they were.
        let k = s.bv_const(w, UBig::from(word(&mut rng, w)));
        for equation in [s.eq(x, y), s.eq(x, k)] {
            let bits = blaster.blast_atom(&mut s, equation);
            let lifted = assert_lifted(&mut s, &pair, &values, bits);
            if w > 1 {
                assert_eq!(lifted, equation);
            }
            let negated = s.not(bits);
            let lifted = assert_lifted(&mut s, &pair, &values, negated);
            assert!(w == 1 || lifted == s.not(equation));
        }
        for t in [s.bv_ule(x, y), s.bv_slt(x, y), s.bv_uaddo(x, y), s.bv_saddo(x, k)] {
            let bits = blast_formula(&mut s, &mut blaster, t);
            assert_lifted(&mut s, &pair, &values, bits);
        }
    }
}

#[test]
fn lifting_recovers_slices() {
    let mut s = Store::new();
    let pair = Pair::new(&mut s, 8);
    let (x, y) = (pair.x, pair.y);
    let values = pair.values(&mut Random::new(18), 300);
    let bit = |s: &mut Store, i: u32, t: Term, positive: bool| {
        let b = s.bv_bit(i, t);
        if positive { b } else { s.not(b) }
    };
    // x[5:3] = 101
    let bits = [bit(&mut s, 3, x, true), bit(&mut s, 4, x, false), bit(&mut s, 5, x, true)];
    let fixed = s.and(&bits);
    let (slice, five) = (s.bv_extract(5, 3, x), s.bv_u64(3, 5));
    let expected = s.eq(slice, five);
    assert_eq!(assert_lifted(&mut s, &pair, &values, fixed), expected);
    // The dual disjunction is its negation.
    let flipped = bits.map(|b| s.not(b));
    let clause = s.or(&flipped);
    let not_expected = s.not(expected);
    assert_eq!(assert_lifted(&mut s, &pair, &values, clause), not_expected);
    // x[4:2] = y[3:1], bit by bit.
    let pairs: Vec<Term> = (1..=3)
        .map(|i| {
            let (a, b) = (s.bv_bit(i + 1, x), s.bv_bit(i, y));
            s.iff(a, b)
        })
        .collect();
    let shifted = s.and(&pairs);
    let (a, b) = (s.bv_extract(4, 2, x), s.bv_extract(3, 1, y));
    let expected = s.eq(a, b);
    assert_eq!(assert_lifted(&mut s, &pair, &values, shifted), expected);
    // A single bit.
    let single = s.bv_bit(6, x);
    let (slice, one) = (s.bv_extract(6, 6, x), s.bv_u64(1, 1));
    let expected = s.eq(slice, one);
    assert_eq!(assert_lifted(&mut s, &pair, &values, single), expected);
    // Bits below another theory's symbols are lifted too.
    let f = s.func("f", &[s.bool_sort()], s.sort_of(x));
    let inner = s.apply(f, &[single]);
    let outer = s.bv_bit(2, inner);
    assert_lifted(&mut s, &pair, &values, outer);
}

#[test]
fn lifting_opens_nested_junctions() {
    let mut s = Store::new();
    let pair = Pair::new(&mut s, 64);
    let (x, y) = (pair.x, pair.y);
    let values = pair.values(&mut Random::new(19), 20);
    let (mut fixed, mut equal, mut clause) = (s.tru(), s.tru(), s.fls());
    for i in 0..64 {
        let (a, b) = (s.bv_bit(i, x), s.bv_bit(i, y));
        let (same, not_a) = (s.iff(a, b), s.not(a));
        fixed = s.and(&[fixed, if i % 3 == 0 { a } else { not_a }]);
        equal = s.and(&[equal, same]);
        // The complement of a conjunction, mixed into a disjunction.
        clause = s.or(&[clause, if i % 3 == 0 { not_a } else { a }]);
    }
    let ones = (0..64).step_by(3).fold(0, |v, i| v | 1 << i);
    let k = s.bv_u64(64, ones);
    let (is_k, same) = (s.eq(x, k), s.eq(x, y));
    assert_eq!(assert_lifted(&mut s, &pair, &values, fixed), is_k);
    assert_eq!(assert_lifted(&mut s, &pair, &values, equal), same);
    let not_k = s.not(is_k);
    assert_eq!(assert_lifted(&mut s, &pair, &values, clause), not_k);
    let not_clause = s.not(clause);
    let both = s.and(&[not_clause, equal]);
    let expected = s.and(&[is_k, same]);
    assert_eq!(assert_lifted(&mut s, &pair, &values, both), expected);
}
