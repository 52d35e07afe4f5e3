//! For tests: every operator with an independent definition on machine integers, and random nested terms.

use crate::{Evaluator, Func, Model, Op, Sort, Store, Term, Value};
use bolide_base::Rational;
pub(crate) use bolide_testkit::Random;
use dashu_int::{IBig, UBig};

/// A word of a width; small, extreme and sparse ones are likely.
pub(crate) fn word(random: &mut Random, w: u32) -> u128 {
    let any = u128::from(random.bits()) << 64 | u128::from(random.bits());
    let v = match random.below(8) {
        0 => 0,
        1 => u128::MAX,
        2 => 1 << (w - 1),
        3 => (1 << (w - 1)) - 1,
        4 => any & 7,
        5 => 1 << random.below(w as usize),
        _ => any,
    };
    v & mask(w)
}

pub(crate) fn mask(w: u32) -> u128 {
    (1 << w) - 1
}

fn signed(w: u32, a: u128) -> i128 {
    ((a << (128 - w)) as i128) >> (128 - w)
}

/// What an operator gives.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Out {
    Word(u32, u128),
    Truth(bool),
    Int(i128),
}

impl Out {
    pub(crate) fn word(self) -> u128 {
        match self {
            Out::Word(_, v) => v,
            _ => panic!("not a word: {self:?}"),
        }
    }

    pub(crate) fn value(self) -> Value {
        match self {
            Out::Word(w, v) => Value::Bv(w, UBig::from(v)),
            Out::Truth(b) => Value::Bool(b),
            Out::Int(v) => Value::Num(Rational::from(IBig::from(v))),
        }
    }
}

type Build2 = fn(&mut Store, Term, Term) -> Term;
type Calc2 = fn(u32, u128, u128) -> Out;

/// A binary operator on words of one width.
pub(crate) struct Binary {
    pub(crate) name: &'static str,
    pub(crate) build: Build2,
    pub(crate) calc: Calc2,
}

fn cut(w: u32, v: u128) -> Out {
    Out::Word(w, v & mask(w))
}

fn shifted(w: u32, v: i128) -> Out {
    cut(w, v as u128)
}

macro_rules! binary {
    ($($build:ident = |$w:ident, $a:ident, $b:ident| $calc:expr;)*) => {
        &[$(Binary { name: stringify!($build), build: Store::$build, calc: |$w, $a, $b| $calc }),*]
    };
}

/// All binary operators; the definitions are on purpose not those of the evaluator.
pub(crate) const BINARY: &[Binary] = binary! {
    bv_and = |w, a, b| cut(w, a & b);
    bv_or = |w, a, b| cut(w, a | b);
    bv_xor = |w, a, b| cut(w, a ^ b);
    bv_nand = |w, a, b| cut(w, !(a & b));
    bv_nor = |w, a, b| cut(w, !(a | b));
    bv_xnor = |w, a, b| cut(w, !(a ^ b));
    bv_add = |w, a, b| cut(w, a + b);
    bv_sub = |w, a, b| cut(w, a.wrapping_sub(b));
    bv_mul = |w, a, b| cut(w, a.wrapping_mul(b));
    bv_udiv = |w, a, b| cut(w, a.checked_div(b).unwrap_or(u128::MAX));
    bv_urem = |w, a, b| cut(w, if b == 0 { a } else { a % b });
    bv_sdiv = |w, a, b| {
        let (a, b) = (signed(w, a), signed(w, b));
        shifted(w, if b != 0 { a / b } else if a < 0 { 1 } else { -1 })
    };
    bv_srem = |w, a, b| {
        let (a, b) = (signed(w, a), signed(w, b));
        shifted(w, if b == 0 { a } else { a % b })
    };
    bv_smod = |w, a, b| {
        let (a, b) = (signed(w, a), signed(w, b));
        let r = if b == 0 { a } else { a % b };
        shifted(w, if r != 0 && (r < 0) != (b < 0) { r + b } else { r })
    };
    bv_shl = |w, a, b| cut(w, if b >= w.into() { 0 } else { a << b });
    bv_lshr = |w, a, b| cut(w, if b >= w.into() { 0 } else { a >> b });
    bv_ashr = |w, a, b| shifted(w, signed(w, a) >> b.min(127));
    bv_comp = |_w, a, b| Out::Word(1, u128::from(a == b));
    bv_ult = |_w, a, b| Out::Truth(a < b);
    bv_ule = |_w, a, b| Out::Truth(a <= b);
    bv_ugt = |_w, a, b| Out::Truth(a > b);
    bv_uge = |_w, a, b| Out::Truth(a >= b);
    bv_slt = |w, a, b| Out::Truth(signed(w, a) < signed(w, b));
    bv_sle = |w, a, b| Out::Truth(signed(w, a) <= signed(w, b));
    bv_sgt = |w, a, b| Out::Truth(signed(w, a) > signed(w, b));
    bv_sge = |w, a, b| Out::Truth(signed(w, a) >= signed(w, b));
    eq = |_w, a, b| Out::Truth(a == b);
    bv_eq = |_w, a, b| Out::Truth(a == b);
    bv_uaddo = |w, a, b| Out::Truth(a + b > mask(w));
    bv_saddo = |w, a, b| Out::Truth(overflows(w, signed(w, a).checked_add(signed(w, b))));
    bv_usubo = |_w, a, b| Out::Truth(a.checked_sub(b).is_none());
    bv_ssubo = |w, a, b| Out::Truth(overflows(w, signed(w, a).checked_sub(signed(w, b))));
    bv_umulo = |w, a, b| Out::Truth(a.checked_mul(b).is_none_or(|p| p > mask(w)));
    bv_smulo = |w, a, b| Out::Truth(overflows(w, signed(w, a).checked_mul(signed(w, b))));
    bv_sdivo = |w, a, b| Out::Truth(b != 0 && overflows(w, signed(w, a).checked_div(signed(w, b))));
};

fn overflows(w: u32, exact: Option<i128>) -> bool {
    exact.is_none_or(|v| signed(w, v as u128 & mask(w)) != v)
}

type Build1 = fn(&mut Store, u32, Term) -> Term;
type Calc1 = fn(u32, u32, u128) -> Out;

/// A unary operator with a parameter, which it takes modulo what the width allows.
pub(crate) struct Unary {
    pub(crate) name: &'static str,
    pub(crate) build: Build1,
    pub(crate) calc: Calc1,
}

macro_rules! unary {
    ($($name:ident: |$s:ident, $n:ident, $t:ident| $build:expr, |$w:ident, $m:ident, $a:ident| $calc:expr;)*) => {
        &[$(Unary { name: stringify!($name), build: |$s, $n, $t| $build, calc: |$w, $m, $a| $calc }),*]
    };
}

/// Ends of a slice of a word, from a parameter.
fn slice_of(w: u32, n: u32) -> (u32, u32) {
    let (i, j) = (n % w, n / w % w);
    (i.max(j), i.min(j))
}

/// Unary operators that keep words at most 7 bits wider, or twice as wide.
pub(crate) const UNARY: &[Unary] = unary! {
    not: |s, _n, t| s.bv_not(t), |w, _n, a| cut(w, !a);
    neg: |s, _n, t| s.bv_neg(t), |w, _n, a| cut(w, a.wrapping_neg());
    nego: |s, _n, t| s.bv_nego(t), |w, _n, a| Out::Truth(a == 1 << (w - 1));
    extract: |s, n, t| { let (hi, lo) = slice_of(s.width(t), n); s.bv_extract(hi, lo, t) },
        |w, n, a| { let (hi, lo) = slice_of(w, n); cut(hi - lo + 1, a >> lo) };
    sign_extend: |s, n, t| s.bv_sign_extend(n % 8, t), |w, n, a| shifted(w + n % 8, signed(w, a));
    zero_extend: |s, n, t| s.bv_zero_extend(n % 8, t), |w, n, a| Out::Word(w + n % 8, a);
    repeat: |s, n, t| if s.width(t) <= 20 { s.bv_repeat(n % 5 + 1, t) } else { s.bv_repeat(1, t) },
        |w, n, a| {
            let n = if w <= 20 { n % 5 + 1 } else { 1 };
            Out::Word(w * n, (0..n).fold(0, |v, _| v << w | a))
        };
    rotate_left: |s, n, t| s.bv_rotate_left(n, t), |w, n, a| cut(w, a << (n % w) | a >> (w - n % w));
    rotate_right: |s, n, t| s.bv_rotate_right(n, t), |w, n, a| cut(w, a >> (n % w) | a << (w - n % w));
    shl_const: |s, n, t| { let w = s.width(t); let k = s.bv_u64(w, u64::from(n % (w + 2))); s.bv_shl(t, k) },
        |w, n, a| { let k = u128::from(n % (w + 2)) & mask(w); cut(w, if k < w.into() { a << k } else { 0 }) };
    ashr_const: |s, n, t| { let w = s.width(t); let k = s.bv_u64(w, u64::from(n % (w + 2))); s.bv_ashr(t, k) },
        |w, n, a| { let k = u128::from(n % (w + 2)) & mask(w); shifted(w, signed(w, a) >> k) };
    bit: |s, n, t| { let w = s.width(t); s.bv_bit(n % w, t) }, |w, n, a| Out::Truth(a >> (n % w) & 1 == 1);
    bv_to_nat: |s, _n, t| s.bv_to_nat(t), |_w, _n, a| Out::Int(a as i128);
    sbv_to_int: |s, _n, t| s.sbv_to_int(t), |w, _n, a| Out::Int(signed(w, a));
    resize: |s, n, t| { let k = s.bv_to_nat(t); s.int_to_bv(n % 70 + 1, k) }, |_w, n, a| cut(n % 70 + 1, a);
    negate_through_int: |s, _n, t| { let w = s.width(t); let k = s.sbv_to_int(t); let k = s.neg(k); s.int_to_bv(w, k) },
        |w, _n, a| cut(w, a.wrapping_neg());
};

/// The operators that are nodes of their own, with binary arguments of one width.
pub(crate) const NODES: &[(Op, &str)] = &[
    (Op::BvAnd, "bv_and"),
    (Op::BvOr, "bv_or"),
    (Op::BvXor, "bv_xor"),
    (Op::BvAdd, "bv_add"),
    (Op::BvMul, "bv_mul"),
    (Op::BvUdiv, "bv_udiv"),
    (Op::BvUrem, "bv_urem"),
    (Op::BvShl, "bv_shl"),
    (Op::BvLshr, "bv_lshr"),
    (Op::BvAshr, "bv_ashr"),
    (Op::BvUlt, "bv_ult"),
    (Op::BvUle, "bv_ule"),
    (Op::BvSlt, "bv_slt"),
    (Op::BvSle, "bv_sle"),
    (Op::Eq, "eq"),
];

/// A node without simplification and the definition of its operator.
pub(crate) fn raw_node(s: &mut Store, op: Op, name: &str, a: Term, b: Term) -> (Term, Calc2) {
    let binary = BINARY.iter().find(|o| o.name == name).expect("an operator");
    let truth = matches!((binary.calc)(1, 0, 0), Out::Truth(_));
    let sort = if truth { Sort::BOOL } else { s.sort_of(a) };
    (s.intern(op, sort, &[a, b]), binary.calc)
}

/// How one step of a random program is computed.
enum Calc {
    Input(usize),
    Constant(Out),
    Unary(&'static Unary, u32, usize),
    Binary(&'static Binary, usize, usize),
    Concat(usize, usize),
    Choice(usize, usize, usize),
}

/// A random straight-line program: each step is a term and, independently, how to compute it.
pub(crate) struct Program {
    pub(crate) inputs: Vec<(Func, u32)>,
    pub(crate) terms: Vec<Term>,
    calcs: Vec<Calc>,
    sample: Vec<Out>,
}

impl Program {
    /// Inputs of the given widths and so many steps on top of them; no word is wider than `limit`.
    pub(crate) fn random(
        s: &mut Store,
        rng: &mut Random,
        widths: &[u32],
        steps: usize,
        limit: u32,
    ) -> Program {
        let mut p = Program { inputs: Vec::new(), terms: Vec::new(), calcs: Vec::new(), sample: Vec::new() };
        for (i, &w) in widths.iter().enumerate() {
            let sort = s.bv_sort(w);
            let t = s.var(&format!("v{i}_{w}"), sort);
            p.inputs.push((s.as_var(t).expect("a constant"), w));
            p.push(t, Calc::Input(i), Out::Word(w, 0));
        }
        while p.terms.len() < widths.len() + steps {
            p.step(s, rng, limit);
        }
        p
    }

    fn push(&mut self, term: Term, calc: Calc, sample: Out) {
        self.terms.push(term);
        self.calcs.push(calc);
        self.sample.push(sample);
    }

    fn width(&self, i: usize) -> Option<u32> {
        match self.sample[i] {
            Out::Word(w, _) => Some(w),
            _ => None,
        }
    }

    /// Some step, a recent one as likely as all the others.
    fn pick(&self, rng: &mut Random, ok: impl Fn(Out) -> bool) -> Option<usize> {
        let from = if rng.below(2) == 0 { self.terms.len().saturating_sub(6) } else { 0 };
        let found: Vec<usize> = (from..self.terms.len()).filter(|&i| ok(self.sample[i])).collect();
        if found.is_empty() { None } else { Some(found[rng.below(found.len())]) }
    }

    fn step(&mut self, s: &mut Store, rng: &mut Random, limit: u32) {
        let Some(a) = self.pick(rng, |o| matches!(o, Out::Word(..))) else { return };
        let w = self.width(a).expect("a word");
        let same = |o: Out| matches!(o, Out::Word(v, _) if v == w);
        match rng.below(10) {
            0 => {
                let k = cut(w, word(rng, w));
                let t = s.bv_const(w, UBig::from(k.word()));
                self.push(t, Calc::Constant(k), k);
            }
            1 => {
                let c = self.pick(rng, |o| matches!(o, Out::Truth(_)));
                if let (Some(c), Some(b)) = (c, self.pick(rng, same)) {
                    let t = s.ite(self.terms[c], self.terms[a], self.terms[b]);
                    self.push(t, Calc::Choice(c, a, b), self.sample[a]);
                }
            }
            2 => {
                if let Some(b) = self.pick(rng, |o| matches!(o, Out::Word(v, _) if v + w <= limit)) {
                    let v = self.width(b).expect("a word");
                    let t = s.bv_concat(self.terms[a], self.terms[b]);
                    self.push(t, Calc::Concat(a, b), Out::Word(v + w, 0));
                }
            }
            3..=5 => {
                let (op, n) = (&UNARY[rng.below(UNARY.len())], rng.bits() as u32 >> 4);
                let out = (op.calc)(w, n, 0);
                if !matches!(out, Out::Word(v, _) if v > limit) {
                    let t = (op.build)(s, n, self.terms[a]);
                    self.push(t, Calc::Unary(op, n, a), out);
                }
            }
            _ => {
                let op = &BINARY[rng.below(BINARY.len())];
                if let Some(b) = self.pick(rng, same) {
                    let t = (op.build)(s, self.terms[a], self.terms[b]);
                    self.push(t, Calc::Binary(op, a, b), (op.calc)(w, 0, 0));
                }
            }
        }
    }

    /// The result of every step for some inputs.
    pub(crate) fn run(&self, inputs: &[u128]) -> Vec<Out> {
        let mut out: Vec<Out> = Vec::with_capacity(self.terms.len());
        for calc in &self.calcs {
            let width = |i: usize| self.width(i).expect("a word");
            out.push(match *calc {
                Calc::Input(i) => Out::Word(self.inputs[i].1, inputs[i]),
                Calc::Constant(k) => k,
                Calc::Unary(op, n, a) => (op.calc)(width(a), n, out[a].word()),
                Calc::Binary(op, a, b) => (op.calc)(width(a), out[a].word(), out[b].word()),
                Calc::Concat(a, b) => {
                    Out::Word(width(a) + width(b), out[a].word() << width(b) | out[b].word())
                }
                Calc::Choice(c, a, b) => out[if out[c] == Out::Truth(true) { a } else { b }],
            });
        }
        out
    }

    /// Random inputs.
    pub(crate) fn random_inputs(&self, rng: &mut Random) -> Vec<u128> {
        self.inputs.iter().map(|&(_, w)| word(rng, w)).collect()
    }

    /// The model that gives the inputs these values.
    pub(crate) fn model(&self, inputs: &[u128]) -> Model {
        let mut m = Model::new();
        for (&(f, w), &v) in self.inputs.iter().zip(inputs) {
            m.set(f, Out::Word(w, v).value());
        }
        m
    }
}

/// Two variables of one width and the means to evaluate terms over them.
pub(crate) struct Pair {
    pub(crate) width: u32,
    pub(crate) x: Term,
    pub(crate) y: Term,
}

impl Pair {
    pub(crate) fn new(s: &mut Store, width: u32) -> Pair {
        let sort = s.bv_sort(width);
        Pair { width, x: s.var(&format!("x{width}"), sort), y: s.var(&format!("y{width}"), sort) }
    }

    /// The model that gives the two variables their values.
    pub(crate) fn model(&self, s: &Store, a: u128, b: u128) -> Model {
        let mut m = Model::new();
        for (t, v) in [(self.x, a), (self.y, b)] {
            m.set(s.as_var(t).expect("a constant"), Out::Word(self.width, v).value());
        }
        m
    }

    /// Pairs of values: all of them if the width is small, otherwise so many random ones.
    pub(crate) fn values(&self, rng: &mut Random, samples: usize) -> Vec<(u128, u128)> {
        if self.width <= 4 {
            let n = 1 << self.width;
            return (0..n).flat_map(|a| (0..n).map(move |b| (a, b))).collect();
        }
        (0..samples).map(|_| (word(rng, self.width), word(rng, self.width))).collect()
    }
}

/// The value of a term.
pub(crate) fn value(s: &Store, m: &Model, t: Term) -> Value {
    Evaluator::new(s, m).eval(t).expect("a value")
}
