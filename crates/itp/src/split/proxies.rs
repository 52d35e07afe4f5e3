//! Boolean constants that stand for atoms.

use super::vocabulary::Vocabulary;
use bolide_term::{Sort, Store, Substitution, Term};
use rustc_hash::FxHashMap;

/// What a proxy stands for.
#[derive(Copy, Clone, Debug)]
struct Proxied {
    atom: Term,
    /// The part whose atom it is; none if it stands for the atom wherever it occurs.
    part: Option<u32>,
}

/// Proxies for the atoms of a path. Their names are the same for every path, so that the store does not grow with each.
pub(super) struct Proxies {
    prefix: String,
    proxied: Vec<Proxied>,
    /// Proxies, in the order of `proxied`.
    terms: Vec<Term>,
    index: FxHashMap<(Term, Option<u32>), usize>,
    position: FxHashMap<Term, usize>,
}

impl Proxies {
    pub fn new(store: &Store, vocabulary: &Vocabulary) -> Proxies {
        Proxies {
            prefix: unused_prefix(store, vocabulary),
            proxied: Vec::new(),
            terms: Vec::new(),
            index: FxHashMap::default(),
            position: FxHashMap::default(),
        }
    }

    /// What the names of all proxies begin with, and no other symbol of the path.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The proxy of an atom, in one part or everywhere.
    pub fn proxy(&mut self, store: &mut Store, atom: Term, part: Option<u32>) -> Term {
        let next = self.proxied.len();
        let n = *self.index.entry((atom, part)).or_insert(next);
        if n == next {
            let proxy = store.var(&format!("{}{next}", self.prefix), Sort::BOOL);
            self.proxied.push(Proxied { atom, part });
            self.terms.push(proxy);
            self.position.insert(proxy, next);
        }
        self.terms[n]
    }

    /// The literal for which a proxy or its negation stands, and the part if it has only one.
    pub fn meaning(&self, store: &mut Store, literal: Term) -> Option<(Term, Option<u32>)> {
        let (proxy, positive) = store.literal(literal);
        let Proxied { atom, part } = self.proxied[*self.position.get(&proxy)?];
        Some((if positive { atom } else { store.not(atom) }, part))
    }

    /// Formulas with atoms in place of proxies.
    pub fn concrete(&self, store: &mut Store, formulas: &[Term]) -> Vec<Term> {
        let mut substitution = Substitution::new();
        for (&proxy, p) in self.terms.iter().zip(&self.proxied) {
            substitution.insert(proxy, p.atom);
        }
        formulas.iter().map(|&f| substitution.apply(store, f)).collect()
    }
}

/// A prefix for names that no symbol of the path has.
fn unused_prefix(store: &Store, vocabulary: &Vocabulary) -> String {
    let taken = |prefix: &str| vocabulary.has_symbol(|f| store.decl(f).name.starts_with(prefix));
    let mut n = 0;
    loop {
        let prefix = format!("split {n} ");
        if !taken(&prefix) {
            return prefix;
        }
        n += 1;
    }
}
