//! Writing.

use super::{AXIOMS, PLAIN};
use crate::{Axiom, Lemma, Literal, Refutation, Rule};
use bolide_term::{BitBlaster, Func, Op, Sort, SortKind, Store, Term};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The text of some refutations.
///
/// The store is needed mutably because the circuits that an axiom speaks of may have to be built.
pub fn write(store: &mut Store, refutations: &[Refutation]) -> String {
    let circuits = circuits(store, refutations);
    let mut writer = Writer::new(store);
    writer.terms(refutations, circuits);
    for refutation in refutations {
        writer.out.push_str("refutation\n");
        for &a in &refutation.assertions {
            let n = writer.ids[&a];
            let _ = writeln!(writer.out, "a {n}");
        }
        refutation.steps.iter().for_each(|s| writer.step(&s.clause, &s.rule));
    }
    writer.out
}

/// The circuits of floating-point operators that axioms are about. Nothing in a proof need mention them, but what is made of them
/// depends on their order.
fn circuits(store: &mut Store, refutations: &[Refutation]) -> Vec<Term> {
    let rules = refutations.iter().flat_map(|r| &r.steps).map(|step| &step.rule);
    let blasted = rules.filter_map(|rule| match *rule {
        Rule::Axiom(
            Axiom::BitBlast(t) | Axiom::WordEquality(t) | Axiom::WordValue(t) | Axiom::CanonicalNan(t),
        ) => Some(t),
        _ => None,
    });
    BitBlaster::float_circuits(store, blasted)
}

/// The word for an axiom and the term that it is about.
pub(super) fn axiom(axiom: Axiom) -> (&'static str, Term) {
    let (n, t) = match axiom {
        Axiom::Gate(t) => (0, t),
        Axiom::Choice(t) => (1, t),
        Axiom::Rounding(t) => (2, t),
        Axiom::BitBlast(t) => (3, t),
        Axiom::WordEquality(t) => (4, t),
        Axiom::WordValue(t) => (5, t),
        Axiom::ReadOverWrite(t) => (6, t),
        Axiom::ReadConstant(t) => (7, t),
        Axiom::Extensionality(t) => (8, t),
        Axiom::ArrayDefault(t) => (9, t),
        Axiom::Expansion(t) => (10, t),
        Axiom::Product(t) => (11, t),
        Axiom::Division(t) => (12, t),
        Axiom::Constructor(t) => (13, t),
        Axiom::Cases(t) => (14, t),
        Axiom::Destructor(t) => (15, t),
        Axiom::Acyclic(t) => (16, t),
        Axiom::CanonicalNan(t) => (17, t),
        Axiom::Residue(t) => (18, t),
        Axiom::Membership(t) => (19, t),
    };
    (AXIOMS[n], t)
}

struct Writer<'a> {
    store: &'a Store,
    out: String,
    ids: FxHashMap<Term, usize>,
    sorts: FxHashMap<Sort, usize>,
    funcs: FxHashMap<Func, usize>,
    words: FxHashMap<Op, &'static str>,
}

impl<'a> Writer<'a> {
    fn new(store: &'a Store) -> Writer<'a> {
        Writer {
            store,
            out: String::new(),
            ids: FxHashMap::default(),
            sorts: FxHashMap::default(),
            funcs: FxHashMap::default(),
            words: PLAIN.iter().map(|&(word, op)| (op, word)).collect(),
        }
    }

    /// All terms that the refutations mention, and those that their axioms are about, in the order of the store.
    fn terms(&mut self, refutations: &[Refutation], circuits: Vec<Term>) {
        let mut roots = circuits;
        roots.extend(refutations.iter().flat_map(|r| &r.assertions));
        for step in refutations.iter().flat_map(|r| &r.steps) {
            roots.extend(step.clause.iter().map(|l| l.atom()));
            match &step.rule {
                Rule::Axiom(a) => roots.push(axiom(*a).1),
                Rule::Theory(Lemma::Transitivity(path)) => roots.extend(path),
                Rule::Theory(Lemma::Congruence(f, g)) => roots.extend([f, g]),
                _ => {}
            }
        }
        let mut all: Vec<Term> = self.store.post_order(roots).collect();
        all.sort_unstable();
        all.dedup();
        for t in all {
            self.term(t);
            self.ids.insert(t, self.ids.len());
        }
    }

    fn sort(&mut self, sort: Sort) -> usize {
        if let Some(&n) = self.sorts.get(&sort) {
            return n;
        }
        let line = match self.store.sort_kind(sort) {
            SortKind::Bool => "s bool".to_string(),
            SortKind::Int => "s int".into(),
            SortKind::Real => "s real".into(),
            SortKind::BitVec(w) => format!("s bv {w}"),
            SortKind::Float(format) => format!("s float {} {}", format.exponent, format.significand),
            SortKind::Datatype(_) if self.store.is_rounding_mode(sort) => "s rounding".into(),
            SortKind::Array(i, e) => {
                let (i, e) = (*i, *e);
                format!("s array {} {}", self.sort(i), self.sort(e))
            }
            SortKind::Uninterpreted(name) => format!("s free {}", escape(name)),
            SortKind::Datatype(n) => {
                let name = self.store.datatype(sort).map_or("", |d| &d.name);
                format!("s data {n} {}", escape(name))
            }
        };
        let _ = writeln!(self.out, "{line}");
        let n = self.sorts.len();
        self.sorts.insert(sort, n);
        n
    }

    fn func(&mut self, f: Func) -> usize {
        if let Some(&n) = self.funcs.get(&f) {
            return n;
        }
        let decl = self.store.decl(f);
        let mut line = format!("f {}", escape(&decl.name));
        let sorts: Vec<Sort> = decl.args.iter().copied().chain([decl.result]).collect();
        for sort in sorts {
            let n = self.sort(sort);
            let _ = write!(line, " {n}");
        }
        let _ = writeln!(self.out, "{line}");
        let n = self.funcs.len();
        self.funcs.insert(f, n);
        n
    }

    fn term(&mut self, t: Term) {
        let store = self.store;
        let sort = store.sort_of(t);
        let head = match store.op(t) {
            Op::Num(n) => format!("num {} {}", store.num_value(n), self.sort(sort)),
            Op::BvConst(n) => {
                let width = store.bv_width(sort).unwrap_or(0);
                format!("bv {width} {}", store.num_value(n))
            }
            Op::ConstArray => format!("const {}", self.sort(sort)),
            Op::Construct(c) => format!("construct {} {c}", self.sort(sort)),
            Op::Field { constructor, field } => format!("field {constructor} {field}"),
            Op::Is(c) => format!("is {c}"),
            Op::Extract { hi, lo } => format!("extract {hi} {lo}"),
            Op::SignExtend(n) => format!("sext {n}"),
            Op::Bit(i) => format!("bit {i}"),
            Op::FloatConst(n) => format!("float {} {}", self.sort(sort), store.num_value(n)),
            Op::Float(op) => format!("fp {} {}", super::float_word(op), self.sort(sort)),
            Op::IntToBv => format!("int2bv {}", store.bv_width(sort).unwrap_or(0)),
            Op::Apply(f) => format!("app {}", self.func(f)),
            // Quantifiers are atoms that nothing is known about; they have no place in a certificate.
            Op::Forall | Op::Exists => "quantifier".into(),
            op => self.words[&op].into(),
        };
        let _ = write!(self.out, "t {head}");
        for a in store.args(t) {
            let n = self.ids[a];
            let _ = write!(self.out, " {n}");
        }
        self.out.push('\n');
    }

    fn literal(&self, l: Literal) -> i64 {
        let n = self.ids[&l.atom()] as i64 + 1;
        if l.is_positive() { n } else { -n }
    }

    fn step(&mut self, clause: &[Literal], rule: &Rule) {
        let mut line = match rule {
            Rule::Assertion(n) => format!("A {n}"),
            Rule::Axiom(a) => {
                let (word, t) = axiom(*a);
                format!("X {word} {}", self.ids[&t])
            }
            Rule::Theory(lemma) => self.lemma(lemma),
            Rule::Resolution { start, chain } => {
                let mut line = format!("R {}", start.index());
                for (pivot, other) in chain {
                    let _ = write!(line, " {} {}", self.literal(*pivot), other.index());
                }
                line
            }
        };
        line.push_str(" :");
        for &l in clause {
            let _ = write!(line, " {}", self.literal(l));
        }
        self.out.push_str(&line);
        self.out.push('\n');
    }

    fn lemma(&self, lemma: &Lemma) -> String {
        let mut line = String::new();
        let _ = match lemma {
            Lemma::Farkas(coeffs) => {
                line.push('F');
                coeffs.iter().try_for_each(|c| write!(line, " {c}"))
            }
            Lemma::TightBounds { equality, upper, lower } => {
                let _ = write!(line, "B {equality}");
                upper.iter().chain(lower).try_for_each(|c| write!(line, " {c}"))
            }
            Lemma::Divisibility { premises, modulus } => {
                let _ = write!(line, "D {modulus}");
                premises.iter().try_for_each(|p| match p.second {
                    Some(second) => write!(line, " {} {second} {}", p.first, p.coeff),
                    None => write!(line, " {} - {}", p.first, p.coeff),
                })
            }
            Lemma::Transitivity(path) => {
                line.push('T');
                path.iter().try_for_each(|t| write!(line, " {}", self.ids[t]))
            }
            Lemma::Congruence(f, g) => write!(line, "G {} {}", self.ids[f], self.ids[g]),
        };
        line
    }
}

/// A name without blanks.
fn escape(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 1);
    // So that no name is empty.
    out.push('=');
    for c in name.chars() {
        match c {
            '%' | ' ' | '\t' | '\n' | '\r' => {
                let _ = write!(out, "%{:02x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}
