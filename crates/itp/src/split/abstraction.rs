//! The propositional side of the split prover: the parts with proxies for their atoms.
//!
//! **An atom of the language has one proxy for the whole path; any other atom has one in each part that has it.** So the
//! interpolants of the abstracted parts are made of atoms of the language, whatever the SAT solver does.
//!
//! Numbers are compared by inequalities only: an equality becomes the two inequalities that make it up, which hands
//! the case split behind a disequality to the SAT solver. Choices between terms become constants of their part with
//! two implications.

use super::language::Language;
use super::nodes::Nodes;
use super::proxies::Proxies;
use super::shape::{difference, is_connective};
use super::vocabulary::{Range, Vocabulary};
use bolide_base::Rational;
use bolide_term::{Op, Sort, Store, Substitution, Term};
use rustc_hash::FxHashMap;

/// Divisors beyond this come from machine words that wrap; what they say is no use for bounds.
const MAX_DIVISOR: i64 = 1 << 16;

/// A formula with what integer division by numbers means, in terms of inequalities.
pub(super) fn with_divisions(store: &mut Store, formula: Term) -> Term {
    let is_division = |t: &Term| matches!(store.op(*t), Op::Div | Op::Mod);
    let divisions: Vec<Term> = store.post_order([formula]).filter(is_division).collect();
    let mut conjuncts = vec![formula];
    for t in divisions {
        let (a, b) = (store.arg(t, 0), store.arg(t, 1));
        let divisor = store.as_num(b).filter(|d| d.is_positive() && **d <= Rational::from(MAX_DIVISOR));
        let Some(divisor) = divisor.cloned() else { continue };
        // The remainder is from zero to the divisor less one.
        let quotient = store.div(a, b);
        let mut below = store.linear(a);
        below.scale(&Rational::MINUS_ONE);
        below.add_scaled(&store.linear(quotient), &divisor);
        let mut above = below.clone();
        above.scale(&Rational::MINUS_ONE);
        let remainder = store.from_linear(&above, Sort::INT);
        above.constant -= &(divisor - Rational::ONE);
        conjuncts.push(store.linear_le(below, Sort::INT));
        conjuncts.push(store.linear_le(above, Sort::INT));
        if store.op(t) == Op::Mod {
            conjuncts.push(store.eq(t, remainder));
        }
    }
    store.and(&conjuncts)
}

/// The parts of a path, abstracted.
pub(super) struct Abstraction {
    pub proxies: Proxies,
    in_language: FxHashMap<Term, bool>,
    /// Formulas abstracted so far, by part.
    memo: Vec<FxHashMap<Term, Term>>,
    /// Parts in which each atom occurs, in order.
    occurrences: FxHashMap<Term, Vec<u32>>,
    /// Have all parts been abstracted? What comes then are lemmas.
    complete: bool,
    /// The constants that stand for choices between terms, by part.
    choices: Vec<Substitution>,
    /// Parts in which each choice occurs.
    chosen_in: FxHashMap<Term, Vec<u32>>,
    num_choices: usize,
}

impl Abstraction {
    pub fn new(store: &Store, vocabulary: &Vocabulary, parts: usize) -> Abstraction {
        Abstraction {
            proxies: Proxies::new(store, vocabulary),
            in_language: FxHashMap::default(),
            memo: vec![FxHashMap::default(); parts],
            occurrences: FxHashMap::default(),
            complete: false,
            choices: vec![Substitution::new(); parts],
            chosen_in: FxHashMap::default(),
            num_choices: 0,
        }
    }

    /// A part without choices between terms: constants that only this part has stand for them, and the formulas that
    /// define these are added.
    pub fn without_choices(
        &mut self,
        store: &mut Store,
        vocabulary: &mut Vocabulary,
        part: usize,
        formula: Term,
    ) -> Term {
        let is_choice = |s: &Store, t: Term| s.op(t) == Op::Ite && s.sort_of(t) != Sort::BOOL;
        let choices: Vec<Term> = store.post_order([formula]).filter(|&t| is_choice(store, t)).collect();
        if choices.is_empty() {
            return formula;
        }
        let substitution = &mut self.choices[part];
        let mut conjuncts = Vec::with_capacity(2 * choices.len() + 1);
        for t in choices {
            let [c, a, b] = [0, 1, 2].map(|n| store.arg(t, n));
            let [c, a, b] = [c, a, b].map(|u| substitution.apply(store, u));
            let sort = store.sort_of(t);
            let name = format!("{}choice {}", self.proxies.prefix(), self.num_choices);
            self.num_choices += 1;
            let x = store.var(&name, sort);
            if let Some(f) = store.as_var(x) {
                vocabulary.declare(f, part);
            }
            substitution.insert(t, x);
            self.chosen_in.entry(t).or_default().push(part as u32);
            let (is_a, is_b) = (store.eq(x, a), store.eq(x, b));
            let otherwise = store.or(&[c, is_b]);
            conjuncts.push(store.implies(c, is_a));
            conjuncts.push(otherwise);
        }
        conjuncts.push(substitution.apply(store, formula));
        store.and(&conjuncts)
    }

    /// A formula of a part with proxies for its atoms.
    pub fn formula(&mut self, store: &mut Store, nodes: &Nodes, part: u32, formula: Term) -> Term {
        let mut stack = vec![formula];
        while let Some(&top) = stack.last() {
            if self.memo[part as usize].contains_key(&top) {
                stack.pop();
                continue;
            }
            let abstracted = if is_connective(store, top) {
                let memo = &self.memo[part as usize];
                let before = stack.len();
                stack.extend(store.args(top).iter().filter(|a| !memo.contains_key(a)));
                if stack.len() > before {
                    continue;
                }
                let args: Vec<Term> = store.args(top).iter().map(|a| memo[a]).collect();
                store.rebuild(top, &args)
            } else {
                self.atom(store, &nodes.language, part, top)
            };
            self.memo[part as usize].insert(top, abstracted);
            stack.pop();
        }
        self.memo[part as usize][&formula]
    }

    /// The proxy of an atom of a part; an equality of numbers has two.
    fn atom(&mut self, store: &mut Store, language: &Language, part: u32, atom: Term) -> Term {
        if store.as_var(atom).is_some() {
            return atom;
        }
        if store.op(atom) == Op::Eq
            && let Some((mut l, sort)) = difference(store, atom)
        {
            let upper = store.linear_le(l.clone(), sort);
            l.scale(&Rational::MINUS_ONE);
            let lower = store.linear_le(l, sort);
            let sides = [upper, lower].map(|side| {
                let (atom, positive) = store.literal(side);
                let proxy = self.proxy(store, language, part, atom);
                if positive { proxy } else { store.not(proxy) }
            });
            return store.and(&sides);
        }
        self.proxy(store, language, part, atom)
    }

    fn proxy(&mut self, store: &mut Store, language: &Language, part: u32, atom: Term) -> Term {
        if store.is_value(atom) {
            return atom;
        }
        let in_language =
            *self.in_language.entry(atom).or_insert_with(|| language.contains_atom(store, atom));
        if !self.complete {
            let occurrences = self.occurrences.entry(atom).or_default();
            if occurrences.last() != Some(&part) {
                occurrences.push(part);
            }
        }
        let part = (!in_language).then_some(part);
        self.proxies.proxy(store, atom, part)
    }

    /// Says that all parts have been abstracted: atoms no longer count as occurring in a part.
    pub fn all_parts_seen(&mut self) {
        self.complete = true;
    }

    /// The literal as it occurs in the parts that have its choices between terms; none if it has no choice.
    pub fn versions(&mut self, store: &mut Store, literal: Term) -> Vec<Term> {
        let choice = store.post_order([literal]).find_map(|t| self.chosen_in.get(&t));
        let parts = choice.cloned().unwrap_or_default();
        parts.into_iter().map(|p| self.choices[p as usize].apply(store, literal)).collect()
    }

    /// Has an atom one proxy for the whole path? Nothing is said about atoms that do not occur.
    pub fn is_global(&self, atom: Term) -> Option<bool> {
        self.occurrences.contains_key(&atom).then(|| self.in_language[&atom])
    }

    /// From the first to the last of the parts in which an atom occurs.
    pub fn origin(&self, atom: Term) -> Option<Range> {
        let parts = self.parts_of(atom);
        let (&first, &last) = (parts.first()?, parts.last()?);
        Some(Range { first, last })
    }

    /// The parts in which an atom occurs.
    pub fn parts_of(&self, atom: Term) -> &[u32] {
        self.occurrences.get(&atom).map_or(&[], Vec::as_slice)
    }
}
