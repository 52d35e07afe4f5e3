//! Comparisons of values that are chosen among few, case by case.
//!
//! Where programs pass numbers on, such as processes that tell each other their names, what a variable holds is one of few inputs or constants,
//! and which one it is depends on comparisons of others. As bits of words, every message has bits of its own, and that one number is less than
//! another one if there is a third one between them has to be found out bit by bit, again and again. So
//!
//! * what the conjuncts of a formula say of a variable, that it is a number or another variable, is used everywhere else,
//! * a comparison of two values that are chosen among few becomes one of what they are chosen among, for each case,
//! * the variables that are compared are said to be in a linear order.
//!
//! The new formula is equivalent to the old one.

use bolide_base::{Budget, Interrupt};
use bolide_term::{Op, Store, Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Values that are chosen among more are left as they are.
const MOST_CASES: usize = 16;
/// So are those that are chosen among more constants alone: their bits are as good.
const MOST_CONSTANTS: usize = 3;
/// Of more variables that are compared with each other nothing is said.
const MOST_ORDERED: usize = 16;
/// How often what became known is used again.
const PASSES: usize = 8;
/// How many terms are rewritten between two looks at the budget.
const POLL: usize = 1 << 10;

/// An equivalent formula over words in which comparisons are decided by cases; the formula itself if more than `limit` terms would be there.
pub(super) fn by_cases(
    store: &mut Store,
    formula: Term,
    limit: usize,
    budget: &Budget,
) -> Result<Term, Interrupt> {
    let mut cases = Cases::default();
    let mut now = formula;
    for _ in 0..PASSES {
        let before = now;
        let Some(rewritten) = cases.formula(store, before, limit, budget)? else { return Ok(formula) };
        now = with_known_values(store, rewritten);
        if now == before || now == rewritten {
            break;
        }
    }
    let mut all = vec![now];
    all.extend(linear_orders(store, now));
    Ok(store.and(&all))
}

/// An equivalent formula in which variables that are equal to a number or another variable by a conjunct, and atoms that are conjuncts, are
/// replaced in the other conjuncts.
fn with_known_values(store: &mut Store, formula: Term) -> Term {
    let conjuncts = conjuncts_of(store, formula);
    let mut known = Substitution::new();
    let mut same = Classes::default();
    // These say what is known, and stay.
    let mut kept: FxHashSet<Term> = FxHashSet::default();
    for &c in &conjuncts {
        let (atom, is_positive) = store.literal(c);
        if store.as_var(atom).is_some() {
            known.insert(atom, store.bool(is_positive));
            kept.insert(c);
        } else if is_positive
            && let (Op::Eq, &[a, b]) = (store.op(atom), store.args(atom))
            && same.unite(store, a, b)
        {
            kept.insert(c);
        }
    }
    for &variable in same.above.keys() {
        known.insert(variable, same.of(variable));
    }
    for &c in &conjuncts {
        let (atom, is_positive) = store.literal(c);
        let is_atom = matches!(store.op(atom), Op::Eq | Op::BvSle | Op::BvUle);
        if is_atom && !kept.contains(&c) {
            known.insert(atom, store.bool(is_positive));
        }
    }
    let mut all = Vec::with_capacity(conjuncts.len());
    for c in conjuncts {
        let (atom, is_positive) = store.literal(c);
        all.push(if kept.contains(&c) {
            c
        } else if known.known(atom).is_some() {
            // A formula does not contain itself, so what is known below it is known by others.
            let args: Vec<Term> = store.args(atom).to_vec();
            let args: Vec<Term> = args.into_iter().map(|a| known.apply(store, a)).collect();
            let atom = store.rebuild(atom, &args);
            if is_positive { atom } else { store.not(atom) }
        } else {
            known.apply(store, c)
        });
    }
    store.and(&all)
}

/// The formulas that hold together where a formula holds, as small as they can be seen to be.
fn conjuncts_of(store: &mut Store, formula: Term) -> Vec<Term> {
    let mut out = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work = vec![formula];
    while let Some(t) = work.pop() {
        if !seen.insert(t) {
            continue;
        }
        let (atom, is_positive) = store.literal(t);
        match (store.op(atom), is_positive) {
            (Op::And, true) => work.extend(store.args(atom).iter().rev()),
            (Op::Or, false) => {
                let args: Vec<Term> = store.args(atom).to_vec();
                work.extend(args.into_iter().rev().map(|a| store.not(a)));
            }
            _ => out.push(t),
        }
    }
    out
}

/// Variables, and the constants that are equal to some of them.
#[derive(Default)]
struct Classes {
    /// From a variable to another one, or a constant, that is equal to it.
    above: FxHashMap<Term, Term>,
}

impl Classes {
    fn of(&self, mut t: Term) -> Term {
        while let Some(&next) = self.above.get(&t) {
            t = next;
        }
        t
    }

    /// Two words are equal; was that news about a variable?
    fn unite(&mut self, store: &Store, a: Term, b: Term) -> bool {
        let (a, b) = (self.of(a), self.of(b));
        let is_word = store.bv_width(store.sort_of(a)).is_some();
        let is_variable = |t: Term| store.as_var(t).is_some();
        let is_simple = |t: Term| is_variable(t) || store.bv_value(t).is_some();
        if !is_word || a == b || !is_simple(a) || !is_simple(b) {
            return false;
        }
        // Constants and older variables stand for younger ones.
        let (from, to) = match (is_variable(a), is_variable(b)) {
            (false, false) => return false,
            (true, false) => (a, b),
            (false, true) => (b, a),
            (true, true) => (a.max(b), a.min(b)),
        };
        self.above.insert(from, to);
        true
    }
}

/// That the variables that are compared with each other in a formula are in a linear order.
fn linear_orders(store: &mut Store, formula: Term) -> Vec<Term> {
    let mut facts = Vec::new();
    for order in [Op::BvSle, Op::BvUle] {
        let atoms = store
            .post_order([formula])
            .filter(|&t| store.op(t) == order && store.args(t).iter().all(|&a| store.as_var(a).is_some()));
        let pairs: Vec<(Term, Term)> = atoms.map(|t| (store.arg(t, 0), store.arg(t, 1))).collect();
        // Variables that are compared, directly or by way of others.
        let mut groups: Vec<BTreeSet<Term>> = Vec::new();
        for (a, b) in pairs {
            let (touched, rest): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|g| g.contains(&a) || g.contains(&b));
            groups = rest;
            groups.push(touched.into_iter().flatten().chain([a, b]).collect());
        }
        for group in groups.into_iter().filter(|g| (3..=MOST_ORDERED).contains(&g.len())) {
            let group: Vec<Term> = group.into_iter().collect();
            facts.extend(linear_order(store, order, &group));
        }
    }
    facts
}

/// That an order of words is total, antisymmetric and transitive on some variables.
fn linear_order(store: &mut Store, order: Op, variables: &[Term]) -> Vec<Term> {
    let mut facts = Vec::new();
    for &a in variables {
        for &b in variables.iter().filter(|&&b| b != a) {
            let (below, above) = (compare(store, order, a, b), compare(store, order, b, a));
            if a < b {
                let same = store.eq(a, b);
                let both = store.and(&[below, above]);
                facts.push(store.or(&[below, above]));
                facts.push(store.iff(same, both));
            }
            let not_below = store.not(below);
            for &c in variables.iter().filter(|&&c| c != a && c != b) {
                let (next, all) = (compare(store, order, b, c), compare(store, order, a, c));
                let not_next = store.not(next);
                facts.push(store.or(&[not_below, not_next, all]));
            }
        }
    }
    facts
}

/// A comparison of two words.
fn compare(store: &mut Store, op: Op, a: Term, b: Term) -> Term {
    match op {
        Op::BvSle => store.bv_sle(a, b),
        Op::BvUle => store.bv_ule(a, b),
        _ => store.eq(a, b),
    }
}

/// Rewrites comparisons.
#[derive(Default)]
struct Cases {
    rewritten: FxHashMap<Term, Term>,
    /// What values are chosen among, in order, if that is little and simple.
    among: FxHashMap<Term, Option<Rc<[Term]>>>,
    /// When a value is one of those that it is chosen among.
    chosen: FxHashMap<(Term, Term), Term>,
}

impl Cases {
    /// An equivalent formula; `None` if there would be more than `limit` terms.
    fn formula(
        &mut self,
        store: &mut Store,
        formula: Term,
        limit: usize,
        budget: &Budget,
    ) -> Result<Option<Term>, Interrupt> {
        let order: Vec<Term> = store.post_order([formula]).collect();
        for (n, t) in order.into_iter().enumerate() {
            if n % POLL == 0 {
                budget.poll()?;
            }
            if store.len() > limit {
                return Ok(None);
            }
            if self.rewritten.contains_key(&t) {
                continue;
            }
            let args: Vec<Term> = store.args(t).iter().map(|a| self.rewritten[a]).collect();
            let new = match store.op(t) {
                op @ (Op::Eq | Op::BvSle | Op::BvUle) => self.compared(store, op, args[0], args[1]),
                Op::SignExtend(_) => self.extended(store, t, args[0]),
                _ => None,
            };
            let new = new.unwrap_or_else(|| store.rebuild(t, &args));
            self.rewritten.insert(t, new);
        }
        Ok(Some(self.rewritten[&formula]))
    }

    /// A comparison of two words by cases, if one of them is chosen and there are few cases.
    fn compared(&mut self, store: &mut Store, op: Op, a: Term, b: Term) -> Option<Term> {
        let is_word = store.bv_width(store.sort_of(a)).is_some();
        if !is_word || store.op(a) != Op::Ite && store.op(b) != Op::Ite {
            return None;
        }
        let (of_a, of_b) = (self.among(store, a)?, self.among(store, b)?);
        let is_constant = |t: &Term| store.bv_value(*t).is_some();
        if of_a.len().max(of_b.len()) > MOST_CONSTANTS && of_a.iter().chain(of_b.iter()).all(is_constant) {
            return None;
        }
        let mut undecided = Vec::new();
        let mut decided = [Vec::new(), Vec::new()];
        for &x in of_a.iter() {
            for &y in of_b.iter() {
                let holds = compare(store, op, x, y);
                match store.as_bool(holds) {
                    Some(value) => decided[usize::from(value)].push((x, y)),
                    None => undecided.push((x, y, holds)),
                }
            }
        }
        // Exactly one of the cases is there: those in which it holds are told, or those in which it does not.
        let tells_which_hold = decided[1].len() <= decided[0].len();
        let mut ways = Vec::new();
        for &(x, y) in &decided[usize::from(tells_which_hold)] {
            ways.push(self.case(store, (a, x), (b, y)));
        }
        for (x, y, holds) in undecided {
            let case = self.case(store, (a, x), (b, y));
            let told = if tells_which_hold { holds } else { store.not(holds) };
            ways.push(store.and(&[case, told]));
        }
        let told = store.or(&ways);
        Some(if tells_which_hold { told } else { store.not(told) })
    }

    /// When two values are the given ones.
    fn case(&mut self, store: &mut Store, (a, x): (Term, Term), (b, y): (Term, Term)) -> Term {
        let both = [self.chosen(store, a, x), self.chosen(store, b, y)];
        store.and(&both)
    }

    /// A word that is extended, by cases.
    fn extended(&mut self, store: &mut Store, extension: Term, word: Term) -> Option<Term> {
        if store.op(word) != Op::Ite {
            return None;
        }
        self.among(store, word)?;
        let mut new: FxHashMap<Term, Term> = FxHashMap::default();
        for t in choices(store, word, |_| false) {
            let extended = match (store.op(t), store.args(t)) {
                (Op::Ite, &[c, yes, no]) => store.ite(c, new[&yes], new[&no]),
                _ => store.rebuild(extension, &[t]),
            };
            new.insert(t, extended);
        }
        new.get(&word).copied()
    }

    /// What a word is chosen among.
    fn among(&mut self, store: &Store, word: Term) -> Option<Rc<[Term]>> {
        for t in choices(store, word, |t| self.among.contains_key(&t)) {
            let found = match (store.op(t), store.args(t)) {
                (Op::Ite, &[_, yes, no]) => joined(self.among[&yes].as_ref(), self.among[&no].as_ref()),
                _ => is_simple(store, t).then(|| Rc::from([t])),
            };
            self.among.insert(t, found);
        }
        self.among[&word].clone()
    }

    /// When a word is one of those that it is chosen among.
    fn chosen(&mut self, store: &mut Store, word: Term, one: Term) -> Term {
        for t in choices(store, word, |t| self.chosen.contains_key(&(t, one))) {
            let is_possible =
                self.among.get(&t).and_then(Option::as_ref).is_none_or(|all| all.contains(&one));
            let condition = match (store.op(t), store.args(t)) {
                _ if !is_possible => store.fls(),
                (Op::Ite, &[c, yes, no]) => {
                    let (yes, no) = (self.chosen[&(yes, one)], self.chosen[&(no, one)]);
                    store.ite(c, yes, no)
                }
                _ => store.bool(t == one),
            };
            self.chosen.insert((t, one), condition);
        }
        self.chosen[&(word, one)]
    }
}

/// Is a word a constant or a variable, perhaps extended?
fn is_simple(store: &Store, t: Term) -> bool {
    let is_leaf = |t: Term| store.as_var(t).is_some() || store.bv_value(t).is_some();
    match store.op(t) {
        Op::SignExtend(_) | Op::Concat => store.args(t).iter().all(|&a| is_leaf(a)),
        _ => is_leaf(t),
    }
}

/// The elements of two ordered lists, if they are few.
fn joined(a: Option<&Rc<[Term]>>, b: Option<&Rc<[Term]>>) -> Option<Rc<[Term]>> {
    let (a, b) = (a?, b?);
    if a == b {
        return Some(a.clone());
    }
    let all: BTreeSet<Term> = a.iter().chain(b.iter()).copied().collect();
    (all.len() <= MOST_CASES).then(|| all.into_iter().collect())
}

/// A word and what it is chosen among, choices behind what they are between, without those that are known.
fn choices(store: &Store, word: Term, is_known: impl Fn(Term) -> bool) -> Vec<Term> {
    let mut order = Vec::new();
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut work = vec![(word, false)];
    while let Some((t, is_expanded)) = work.pop() {
        if is_expanded {
            order.push(t);
        } else if !is_known(t) && seen.insert(t) {
            work.push((t, true));
            if let (Op::Ite, &[_, yes, no]) = (store.op(t), store.args(t)) {
                work.extend([(no, false), (yes, false)]);
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_term::{Evaluator, Model, Value};

    /// Numbers that depend on each other in no obvious way.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 33) as usize % bound
        }
    }

    const WIDTH: u32 = 2;

    /// A random formula over some variables, made of choices between words and comparisons of them.
    fn formula(store: &mut Store, random: &mut Random, words: &[Term]) -> Term {
        let mut words = words.to_vec();
        words.push(store.bv_u64(WIDTH, 1));
        words.push(store.bv_ones(WIDTH));
        let mut formulas = vec![store.var("choice", bolide_term::Sort::BOOL)];
        for _ in 0..12 {
            let (a, b) = (words[random.below(words.len())], words[random.below(words.len())]);
            let atom = match random.below(4) {
                0 => store.eq(a, b),
                1 => store.bv_ule(a, b),
                2 => store.bv_sle(a, b),
                _ => {
                    let (a, b) = (store.bv_sign_extend(1, a), store.bv_zero_extend(1, b));
                    store.bv_sle(a, b)
                }
            };
            let other = formulas[random.below(formulas.len())];
            formulas.push(match random.below(4) {
                0 => store.and(&[atom, other]),
                1 => store.or(&[atom, other]),
                2 => store.not(atom),
                _ => atom,
            });
            let condition = formulas[random.below(formulas.len())];
            words.push(store.ite(condition, a, b));
        }
        let several: Vec<Term> =
            (0..1 + random.below(5)).map(|_| formulas[random.below(formulas.len())]).collect();
        let (all, last) = (store.and(&several), formulas[formulas.len() - 1]);
        if random.below(2) == 0 { all } else { store.or(&[all, last]) }
    }

    #[test]
    fn formulas_stay_equivalent() {
        let mut random = Random(0x2545_f491_4f6c_dd1d);
        for _ in 0..300 {
            let mut store = Store::new();
            let sort = store.bv_sort(WIDTH);
            let words: Vec<Term> = ["x", "y", "z", "u"].map(|n| store.var(n, sort)).to_vec();
            let old = formula(&mut store, &mut random, &words);
            let new = by_cases(&mut store, old, usize::MAX, &Budget::unlimited()).expect("no limit");
            let choice = store.var("choice", bolide_term::Sort::BOOL);
            for n in 0..512u32 {
                let mut model = Model::new();
                for (i, &word) in words.iter().enumerate() {
                    let symbol = store.as_var(word).expect("a variable");
                    model.set(symbol, Value::Bv(WIDTH, (n >> (2 * i) & 3).into()));
                }
                model.set(store.as_var(choice).expect("a variable"), Value::Bool(n >> 8 & 1 == 1));
                let mut evaluator = Evaluator::new(&store, &model);
                assert_eq!(evaluator.holds(old), evaluator.holds(new));
            }
        }
    }

    #[test]
    fn what_is_known_decides_what_is_chosen() {
        let mut store = Store::new();
        let sort = store.bv_sort(8);
        let [a, b, c, mode, sent] = ["a", "b", "c", "mode", "sent"].map(|n| store.var(n, sort));
        let (zero, nothing) = (store.bv_zero(8), store.bv_ones(8));
        let (is_idle, is_own) = (store.eq(mode, zero), store.eq(sent, a));
        let (not_idle, not_own) = (store.not(is_idle), store.not(is_own));
        let or = store.or(&[not_idle, not_own]);
        let start = store.not(or);
        // What the second process gets is the name of the first one, and what the third one gets is the greater one of both names.
        let got = store.ite(is_idle, sent, nothing);
        let is_less = store.bv_slt(b, got);
        let passed = store.ite(is_less, got, b);
        let (above, other) = (store.bv_slt(c, passed), store.bv_slt(a, c));
        let formula = store.and(&[start, above, other]);
        let new = by_cases(&mut store, formula, usize::MAX, &Budget::unlimited()).expect("no limit");
        let mut atoms = store.post_order([new]).filter(|&t| matches!(store.op(t), Op::Eq | Op::BvSle));
        assert!(atoms.all(|t| {
            store.args(t).iter().all(|&x| is_simple(&store, x) || store.sort_of(x) == bolide_term::Sort::BOOL)
        }));
        // Only the first process can be above the third one, or the second one is.
        assert!(!store.post_order([new]).any(|t| store.op(t) == Op::Ite && store.sort_of(t) == sort));
    }
}
