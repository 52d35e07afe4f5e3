//! Printing then reading random terms.

use crate::{Random, prelude};
use bolide_base::Rational;
use bolide_smtlib::{Scope, print_term, read_term};
use bolide_term::{Evaluator, Func, Model, Op, Sort, SortKind, Store, Substitution, Term, Value};
use rustc_hash::FxHashMap;

/// Terms built so far, by sort.
struct Pool {
    rng: Random,
    terms: Vec<(Sort, Vec<Term>)>,
}

impl Pool {
    fn new(store: &mut Store, seed: u64) -> Pool {
        let byte = store.bv_sort(8);
        let short = store.bv_sort(3);
        let ints = store.array_sort(Sort::INT, Sort::INT);
        let uninterpreted = store.uninterpreted_sort("U");
        let named: [(Sort, &[&str]); 7] = [
            (Sort::BOOL, &["p", "q", "b", "", "let"]),
            (Sort::INT, &["x", "y", "z", "a b", "$1"]),
            (Sort::REAL, &["r", "s"]),
            (byte, &["u", "v"]),
            (short, &["w"]),
            (ints, &["a"]),
            (uninterpreted, &["c", "d"]),
        ];
        let terms = named
            .map(|(sort, names)| (sort, names.iter().map(|name| store.var(name, sort)).collect()))
            .to_vec();
        store.func("f", &[Sort::INT], Sort::INT);
        store.func("g", &[Sort::REAL, uninterpreted], uninterpreted);
        store.func("h", &[Sort::BOOL, Sort::INT], Sort::BOOL);
        Pool { rng: Random::new(seed), terms }
    }

    fn pick(&mut self, sort: Sort) -> Term {
        let of_sort = &self.terms.iter().find(|(s, _)| *s == sort).expect("a sort of the pool").1;
        // Recent terms are larger.
        let n = of_sort.len();
        let i = if self.rng.below(3) == 0 { self.rng.below(n) } else { n - 1 - self.rng.below(n.min(4)) };
        of_sort[i]
    }

    fn add(&mut self, store: &Store, t: Term) {
        let sort = store.sort_of(t);
        if let Some((_, terms)) = self.terms.iter_mut().find(|(s, _)| *s == sort) {
            terms.push(t);
        }
    }

    fn number(&mut self, sort: Sort) -> Rational {
        let numerator = self.rng.below(41) as i64 - 20;
        if sort == Sort::INT {
            numerator.into()
        } else {
            Rational::new(numerator, 1 + self.rng.below(6) as i64)
        }
    }

    /// Adds a random application of terms of the pool.
    fn grow(&mut self, store: &mut Store) -> Term {
        let kind = self.rng.below(5);
        let t = match kind {
            0 => self.formula(store),
            1 => self.number_term(store, Sort::INT),
            2 => self.number_term(store, Sort::REAL),
            3 => self.bits(store),
            _ => self.other(store),
        };
        self.add(store, t);
        t
    }

    fn formula(&mut self, store: &mut Store) -> Term {
        let sort = self.rng.pick(&[Sort::INT, Sort::REAL]);
        let (p, q, r) = (self.pick(Sort::BOOL), self.pick(Sort::BOOL), self.pick(Sort::BOOL));
        let (x, y) = (self.pick(sort), self.pick(sort));
        let any = self.rng.below(self.terms.len());
        let any = self.terms[any].0;
        match self.rng.below(9) {
            0 => store.not(p),
            1 => store.and(&[p, q, r]),
            2 => store.or(&[p, q, r]),
            3 => store.ite(p, q, r),
            4 => store.le(x, y),
            5 => store.lt(x, y),
            6 => {
                let k = self.number(sort);
                let k = store.num(k, sort);
                store.le(x, k)
            }
            7 => {
                let k = self.number(sort);
                let k = store.num(k, sort);
                store.lt(k, x)
            }
            _ => {
                let (l, r) = (self.pick(any), self.pick(any));
                store.eq(l, r)
            }
        }
    }

    fn number_term(&mut self, store: &mut Store, sort: Sort) -> Term {
        let (x, y, z) = (self.pick(sort), self.pick(sort), self.pick(sort));
        let k = self.number(sort);
        let kt = store.num(k.clone(), sort);
        match (self.rng.below(9), sort) {
            (0, _) => store.add(&[x, y, kt]),
            (1, _) => store.sub(x, y),
            (2, _) => store.scale(&k, x),
            (3, _) if self.rng.below(4) == 0 => store.mul(&[x, y]),
            (4, _) => {
                let c = self.pick(Sort::BOOL);
                store.ite(c, x, y)
            }
            (5, Sort::INT) => store.div(x, kt),
            (6, Sort::INT) => store.modulo(x, kt),
            (5, _) => store.real_div(x, kt),
            (6, _) => store.real_div(x, y),
            (7, Sort::INT) => {
                let r = self.pick(Sort::REAL);
                store.to_int(r)
            }
            (7, _) => {
                let i = self.pick(Sort::INT);
                store.to_real(i)
            }
            (_, Sort::INT) => {
                let f = store.func("f", &[Sort::INT], Sort::INT);
                store.apply(f, &[x])
            }
            _ => store.add(&[x, y, z]),
        }
    }

    fn bits(&mut self, store: &mut Store) -> Term {
        let (byte, short) = (store.bv_sort(8), store.bv_sort(3));
        let (u, v, w) = (self.pick(byte), self.pick(byte), self.pick(short));
        match self.rng.below(27) {
            0 => store.bv_not(u),
            1 => store.bv_neg(u),
            2 => store.bv_and(u, v),
            3 => store.bv_or(u, v),
            4 => store.bv_xor(u, v),
            5 => store.bv_add(u, v),
            6 => store.bv_sub(u, v),
            7 => store.bv_mul(u, v),
            8 => store.bv_udiv(u, v),
            9 => store.bv_urem(u, v),
            10 => store.bv_shl(u, v),
            11 => store.bv_lshr(u, v),
            12 => store.bv_ashr(u, v),
            13 => store.bv_ult(u, v),
            14 => store.bv_ule(u, v),
            15 => store.bv_slt(u, v),
            16 => store.bv_sle(u, v),
            17 => store.bv_extract(4, 2, u),
            18 => {
                let high = store.bv_extract(4, 0, u);
                store.bv_concat(high, w)
            }
            19 => store.bv_sign_extend(5, w),
            20 => store.bv_zero_extend(5, w),
            21 => store.bv_bit(self.rng.below(8) as u32, u),
            22 => store.bv_to_nat(u),
            23 => {
                let i = self.pick(Sort::INT);
                store.int_to_bv(8, i)
            }
            24 => store.bv_const(8, (self.rng.bits() as u8).into()),
            25 => store.bv_smod(u, v),
            _ => {
                let c = self.pick(Sort::BOOL);
                store.ite(c, u, v)
            }
        }
    }

    fn other(&mut self, store: &mut Store) -> Term {
        let ints = store.array_sort(Sort::INT, Sort::INT);
        let uninterpreted = store.uninterpreted_sort("U");
        let (a, i, v) = (self.pick(ints), self.pick(Sort::INT), self.pick(Sort::INT));
        match self.rng.below(5) {
            0 => store.select(a, i),
            1 => store.store(a, i, v),
            2 => store.const_array(ints, v),
            3 => {
                let g = store.func("g", &[Sort::REAL, uninterpreted], uninterpreted);
                let args = [self.pick(Sort::REAL), self.pick(uninterpreted)];
                store.apply(g, &args)
            }
            _ => {
                let h = store.func("h", &[Sort::BOOL, Sort::INT], Sort::BOOL);
                let args = [self.pick(Sort::BOOL), i];
                store.apply(h, &args)
            }
        }
    }
}

/// The term rebuilt by the constructors of the store: they do not always find the simplest form at once.
fn rebuilt(store: &mut Store, t: Term) -> Term {
    let constants: Vec<Term> = store.post_order([t]).filter(|&t| store.as_var(t).is_some()).collect();
    let (mut there, mut back) = (Substitution::new(), Substitution::new());
    for c in constants {
        let sort = store.sort_of(c);
        let other = store.fresh_var("other", sort);
        there.insert(c, other);
        back.insert(other, c);
    }
    let renamed = there.apply(store, t);
    back.apply(store, renamed)
}

/// Random values for the constants of a store.
fn random_model(store: &Store, rng: &mut Random) -> Model {
    let mut model = Model::new();
    for f in (0..store.num_funcs()).map(Func::from_index) {
        let decl = store.decl(f);
        if decl.args.is_empty() {
            let value = match store.sort_kind(decl.result) {
                SortKind::Bool => Value::Bool(rng.below(2) == 0),
                SortKind::Int => Value::Num((rng.below(9) as i64 - 4).into()),
                SortKind::Real => Value::Num(Rational::new(rng.below(9) as i64 - 4, 2)),
                SortKind::BitVec(w) => Value::Bv(*w, (rng.bits() % (1 << w)).into()),
                _ => Value::default_of(store, decl.result),
            };
            model.set(f, value);
        }
    }
    model
}

/// Where a term does not read back as itself, the constructors of the store must be able to simplify it further, and
/// its value must be the same.
#[test]
fn random_terms_read_back_as_themselves() {
    let (mut total, mut simplified) = (0, 0);
    for seed in 0..1_500 {
        let mut store = Store::new();
        let mut pool = Pool::new(&mut store, seed);
        for _ in 0..80 {
            pool.grow(&mut store);
        }
        let mut scope = Scope::of_store(&mut store);
        for _ in 0..20 {
            let t = pool.grow(&mut store);
            let text = print_term(&store, t).to_string();
            let again = read_term(&text, &mut store, &mut scope).unwrap_or_else(|e| panic!("{e} in {text}"));
            total += 1;
            if t != again {
                let other = print_term(&store, again).to_string();
                assert_ne!(rebuilt(&mut store, t), t, "{text}\n{other}");
                for _ in 0..5 {
                    let model = random_model(&store, &mut pool.rng);
                    let mut evaluator = Evaluator::new(&store, &model);
                    if let (Ok(l), Ok(r)) = (evaluator.eval(t), evaluator.eval(again)) {
                        assert_eq!(l, r, "{text}\n{other}");
                    }
                }
                simplified += 1;
            }
        }
    }
    assert!(simplified * 50 < total, "{simplified} of {total}");
}

/// Are two terms the same up to the names of bound variables?
fn same_up_to_bound_names(store: &Store, a: Term, b: Term) -> bool {
    let mut renamed: FxHashMap<Term, Term> = FxHashMap::default();
    let mut todo = vec![(a, b)];
    while let Some((a, b)) = todo.pop() {
        if a == b || renamed.get(&a) == Some(&b) {
            continue;
        }
        let (x, y) = (store.args(a), store.args(b));
        if store.op(a) != store.op(b) || x.len() != y.len() || x.is_empty() {
            return false;
        }
        if matches!(store.op(a), Op::Forall | Op::Exists) {
            renamed.extend(x[..x.len() - 1].iter().copied().zip(y.iter().copied()));
        }
        todo.extend(x.iter().copied().zip(y.iter().copied()));
        renamed.insert(a, b);
    }
    true
}

/// A random formula with quantifiers, whose subterms are shared between them.
fn quantified(store: &mut Store, rng: &mut Random) -> Term {
    let rel = store.func("rel", &[Sort::INT, Sort::INT], Sort::BOOL);
    let f = store.func("f", &[Sort::INT], Sort::INT);
    let mut free: Vec<Term> = ["x", "y"].map(|name| store.var(name, Sort::INT)).to_vec();
    let mut open: Vec<(bool, Term, usize)> = Vec::new();
    let mut formulas: Vec<Term> = Vec::new();
    let mut marks: Vec<usize> = Vec::new();
    for _ in 0..40 {
        match rng.below(6) {
            0 if open.len() < 4 => {
                let v = store.fresh_var("k", Sort::INT);
                open.push((rng.below(2) == 0, v, free.len()));
                marks.push(formulas.len());
                free.push(v);
            }
            1 if !open.is_empty() => close(store, &mut open, &mut marks, &mut free, &mut formulas),
            2 => {
                let t = rng.pick(&free);
                let t = store.apply(f, &[t]);
                free.push(t);
            }
            3 if formulas.len() > 1 => {
                let (a, b) = (rng.pick(&formulas), rng.pick(&formulas));
                formulas.push(store.iff(a, b));
            }
            _ => {
                let args = [rng.pick(&free), rng.pick(&free)];
                formulas.push(store.apply(rel, &args));
            }
        }
    }
    while !open.is_empty() {
        close(store, &mut open, &mut marks, &mut free, &mut formulas);
    }
    store.and(&formulas)
}

/// Closes the innermost quantifier over all formulas made inside it.
fn close(
    store: &mut Store,
    open: &mut Vec<(bool, Term, usize)>,
    marks: &mut Vec<usize>,
    free: &mut Vec<Term>,
    formulas: &mut Vec<Term>,
) {
    let (Some((forall, variable, num_free)), Some(mark)) = (open.pop(), marks.pop()) else { return };
    let inside = formulas.split_off(mark);
    free.truncate(num_free);
    let body = if forall { store.or(&inside) } else { store.and(&inside) };
    let t = if forall { store.forall(&[variable], body) } else { store.exists(&[variable], body) };
    formulas.push(t);
}

#[test]
fn random_quantified_formulas_read_back_up_to_bound_names() {
    let mut with_let = 0;
    for seed in 0..3_000 {
        let mut store = Store::new();
        let t = quantified(&mut store, &mut Random::new(seed));
        let text = print_term(&store, t).to_string();
        with_let += usize::from(text.contains("(forall") && text.contains("(let"));
        let mut scope = Scope::of_store(&mut store);
        let again = read_term(&text, &mut store, &mut scope).unwrap_or_else(|e| panic!("{e} in {text}"));
        let once_more = print_term(&store, again).to_string();
        let third = read_term(&once_more, &mut store, &mut scope).unwrap();
        assert!(same_modulo_order(&store, t, again), "{text}\n{once_more}");
        assert!(same_modulo_order(&store, again, third), "{text}\n{once_more}");
    }
    assert!(with_let > 100, "{with_let}");
}

/// As [`same_up_to_bound_names`], but operands of connectives, which are ordered by index, may be permuted.
fn same_modulo_order(store: &Store, a: Term, b: Term) -> bool {
    same_up_to_bound_names(store, a, b) || shape(store, a) == shape(store, b)
}

/// A hash of a term that does not depend on the names of bound variables nor on the order of operands: a bound variable
/// counts as the nesting depth of quantifiers in the body of its own.
fn shape(store: &Store, root: Term) -> u64 {
    let mix = |a: u64, b: u64| (a ^ b.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17);
    let mut height: FxHashMap<Term, u64> = FxHashMap::default();
    let mut height_of_binder: FxHashMap<Term, u64> = FxHashMap::default();
    for t in store.post_order([root]) {
        let mut h = store.args(t).iter().map(|a| height[a]).max().unwrap_or(0);
        if matches!(store.op(t), Op::Forall | Op::Exists) {
            h += 1;
            let args = store.args(t);
            height_of_binder.extend(args[..args.len() - 1].iter().map(|&v| (v, h)));
        }
        height.insert(t, h);
    }
    let mut hash: FxHashMap<Term, u64> = FxHashMap::default();
    for t in store.post_order([root]) {
        let value = match (height_of_binder.get(&t), store.op(t)) {
            (Some(&height), _) => mix(1, height),
            (None, Op::And | Op::Or | Op::Eq) => {
                let sum = store.args(t).iter().fold(0u64, |sum, a| sum.wrapping_add(mix(7, hash[a])));
                mix(mix(2, store.args(t).len() as u64), sum) ^ u64::from(store.op(t) == Op::Or)
            }
            (None, Op::Apply(f)) => {
                store.args(t).iter().fold(mix(3, f.index() as u64), |acc, a| mix(acc, hash[a]))
            }
            (None, op) => {
                let start = mix(4, u64::from(op == Op::Forall) + 2 * u64::from(op == Op::Exists));
                store.args(t).iter().fold(start, |acc, a| mix(acc, hash[a]))
            }
        };
        hash.insert(t, value);
    }
    hash[&root]
}

#[test]
fn prelude_symbols_survive() {
    let (mut store, mut scope) = prelude();
    let t = read_term("(h (= (g r c) d) (f x))", &mut store, &mut scope).unwrap();
    let text = print_term(&store, t).to_string();
    let mut other = Scope::of_store(&mut store);
    assert_eq!(read_term(&text, &mut store, &mut other).unwrap(), t);
}
