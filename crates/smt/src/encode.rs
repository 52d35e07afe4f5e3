//! From terms to clauses, arithmetic atoms and nodes of the congruence closure.
//!
//! Every Boolean term gets a SAT literal: gates by their defining clauses, atoms by registration with their
//! theory. What an atom's terms mean (choices, quotients, circuits of words, reads of arrays) is added as
//! instances of the axiom schemes of `bolide-proof`. Nothing here recurses: what one term needs of another is put
//! on a list of work, which [`Encoder::flush`] empties.

mod arithmetic;
mod divisions;
mod nodes;
mod products;
mod requests;
mod zeros;

use crate::arith::VarId;
use crate::euf;
use crate::purity::Purity;
use crate::theories::Theories;
use bolide_proof::{Axiom, AxiomSchemes, Literal, Rule};
use bolide_sat::{self as sat, Lit};
use bolide_term::{BitBlaster, FloatOp, Op, Sort, SortKind, Store, Term};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// Where a clause came from, for the proof.
#[derive(Clone, Debug)]
pub(crate) struct InputRecord {
    pub clause: Box<[Literal]>,
    pub rule: Rule,
}

/// Something that must be done before the next search.
#[derive(Copy, Clone, Debug)]
enum Work {
    /// Add the clauses of an axiom instance.
    Axiom(Axiom),
    /// Make a node for a term.
    Node(Term),
    /// Tell the congruence closure of an equality atom.
    TieEquality(Term),
    /// Tell the congruence closure of a Boolean term.
    TiePredicate(Term),
    /// Make the value of a number or word known to the congruence closure.
    Share(Term),
    /// Define a quotient or a remainder by a divisor that is no numeral.
    Division(Term),
}

/// The SAT solver with everything that was encoded into it.
pub(crate) struct Encoder {
    pub sat: sat::Solver<Theories>,
    pub schemes: AxiomSchemes,
    /// Literals of Boolean terms that are not negations.
    pub lits: FxHashMap<Term, Lit>,
    /// By SAT variable: its term; none for selectors.
    pub atoms: Vec<Option<Term>>,
    /// Arithmetic variables of base terms.
    pub vars: FxHashMap<Term, VarId>,
    /// By arithmetic variable: its base term; none for slacks.
    pub var_terms: Vec<Option<Term>>,
    /// By arithmetic atom: the factor between its variable and the constraint of its term.
    pub scales: Vec<bolide_base::Rational>,
    pub nodes: FxHashMap<Term, euf::Node>,
    /// By node.
    pub node_terms: Vec<Term>,
    /// Clauses given to the SAT solver, by number; only if proofs are wanted.
    pub inputs: Option<Vec<InputRecord>>,
    pub purity: Option<Purity>,
    /// There is a product of variables, or a division by one.
    pub nonlinear: bool,
    /// The products, each with the number of facts that were added about it.
    products: IndexMap<Term, u32>,
    /// The remainders of products by numerals.
    residues: Vec<Term>,
    /// How many assertions and atoms there were when it was last derived what else is zero.
    derived: (usize, usize),
    /// How many equations were looked at for wraps.
    compared: usize,
    /// A quantified formula was treated as unknown.
    pub quantified: bool,
    /// Equalities of arrays on whose falsity something may depend.
    denied: FxHashSet<Term>,
    /// How often the two sides of an equality had to be separated.
    separations: FxHashMap<Term, u32>,
    /// Are requests of the theories being fulfilled, so that new terms are none of the problem's own?
    pub fulfilling: bool,
    work: Vec<Work>,
    axioms: FxHashSet<Axiom>,
    funcs: FxHashMap<(Op, Sort), euf::Func>,
    /// Array sorts of which a constant array occurs.
    default_sorts: FxHashSet<Sort>,
    scratch: Vec<Lit>,
}

impl Encoder {
    pub fn new(store: &Store, sat_config: sat::Config, arith: crate::arith::Config, proofs: bool) -> Encoder {
        let mut encoder = Encoder {
            sat: sat::Solver::new(sat_config, Theories::new(arith, proofs)),
            schemes: AxiomSchemes::new(),
            lits: FxHashMap::default(),
            atoms: vec![None],
            vars: FxHashMap::default(),
            var_terms: Vec::new(),
            scales: Vec::new(),
            nodes: FxHashMap::default(),
            node_terms: Vec::new(),
            inputs: proofs.then(Vec::new),
            purity: proofs.then(Purity::default),
            nonlinear: false,
            products: IndexMap::new(),
            residues: Vec::new(),
            derived: (0, 0),
            compared: 0,
            quantified: false,
            denied: FxHashSet::default(),
            separations: FxHashMap::default(),
            fulfilling: false,
            work: Vec::new(),
            axioms: FxHashSet::default(),
            funcs: FxHashMap::default(),
            default_sorts: FxHashSet::default(),
            scratch: Vec::new(),
        };
        for (t, node) in [(store.tru(), euf::Euf::TRUE), (store.fls(), euf::Euf::FALSE)] {
            encoder.nodes.insert(t, node);
            encoder.node_terms.push(t);
            let mut theories = encoder.sat.theory_mut();
            theories.arrays.node_term.push(t);
            theories.arrays.derived.push(false);
            if let Some(parts) = &mut theories.node_parts {
                parts.push(None);
            }
        }
        encoder
    }

    /// A SAT variable that stands for a term, or for none.
    pub fn new_var(&mut self, term: Option<Term>) -> Lit {
        let lit = self.sat.new_var();
        let n = lit.var() as usize;
        if n >= self.atoms.len() {
            self.atoms.resize(n + 1, None);
        }
        self.atoms[n] = term;
        if let Some(t) = term {
            self.lits.insert(t, lit);
        }
        lit
    }

    /// The proof literal of a SAT literal that stands for a term.
    pub fn literal(&self, lit: Lit) -> Literal {
        let atom = self.atoms[lit.var() as usize].expect("a literal that stands for a term");
        Literal::new(atom, lit.is_positive())
    }

    /// The SAT literal of a proof literal.
    pub fn sat_literal(&mut self, store: &mut Store, l: Literal) -> Lit {
        let lit = self.atom_lit(store, l.atom());
        if l.is_positive() { lit } else { !lit }
    }

    /// Adds a clause with its justification.
    pub fn add_clause(&mut self, store: &mut Store, clause: &[Literal], rule: Rule) {
        let mut lits = std::mem::take(&mut self.scratch);
        lits.clear();
        for &l in clause {
            let lit = self.sat_literal(store, l);
            lits.push(lit);
            if !l.is_positive() {
                self.may_be_denied(store, l.atom());
            }
        }
        self.add_sat_clause(&lits, clause, rule);
        self.scratch = lits;
    }

    fn add_sat_clause(&mut self, lits: &[Lit], clause: &[Literal], rule: Rule) {
        let id = self.sat.add_clause(lits);
        if let Some(inputs) = &mut self.inputs {
            debug_assert_eq!(id.0 as usize, inputs.len());
            inputs.push(InputRecord { clause: clause.into(), rule });
        }
    }

    /// The literal of a formula. Call [`Encoder::flush`] before the next search.
    pub fn lit(&mut self, store: &mut Store, t: Term) -> Lit {
        let (atom, positive) = store.literal(t);
        let lit = self.atom_lit(store, atom);
        self.may_be_denied(store, atom);
        if positive { lit } else { !lit }
    }

    /// Something may depend on the falsity of an atom. An equality of arrays then has a witness where it is false;
    /// one that only ever makes clauses true, as the conclusions of axioms, needs none.
    fn may_be_denied(&mut self, store: &Store, atom: Term) {
        if is_array_equality(store, atom) && self.denied.insert(atom) {
            let lit = self.lits[&atom];
            self.sat.theory_mut().arrays.equalities.push((lit, atom));
        }
    }

    /// The literal of a Boolean term that is not a negation.
    fn atom_lit(&mut self, store: &mut Store, root: Term) -> Lit {
        if let Some(&lit) = self.lits.get(&root) {
            return lit;
        }
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.lits.contains_key(&t) {
                stack.pop();
                continue;
            }
            if is_gate(store, t) {
                let before = stack.len();
                let operands = store.args(t).iter().map(|&a| store.literal(a).0);
                stack.extend(operands.filter(|a| !self.lits.contains_key(a)));
                if stack.len() > before {
                    continue;
                }
                self.encode_gate(store, t);
            } else {
                self.encode_atom(store, t);
            }
            stack.pop();
        }
        self.lits[&root]
    }

    fn encode_gate(&mut self, store: &mut Store, t: Term) {
        let out = self.new_var(Some(t));
        let axiom = Axiom::Gate(t);
        if self.inputs.is_some() {
            for clause in self.schemes.clauses(store, axiom) {
                self.add_clause(store, &clause, Rule::Axiom(axiom));
            }
            return;
        }
        for i in 0..store.args(t).len() {
            self.may_be_denied(store, store.literal(store.arg(t, i)).0);
        }
        // The same clauses without the detour through proof literals.
        let operand = |e: &Encoder, i: usize| {
            let (a, positive) = store.literal(store.arg(t, i));
            let lit = e.lits[&a];
            if positive { lit } else { !lit }
        };
        let n = store.args(t).len();
        match store.op(t) {
            Op::True => {
                self.sat.add_clause(&[out]);
            }
            Op::False => {
                self.sat.add_clause(&[!out]);
            }
            op @ (Op::And | Op::Or) => {
                let flip = |l: Lit| if op == Op::And { l } else { !l };
                let mut long = std::mem::take(&mut self.scratch);
                long.clear();
                long.push(flip(out));
                for i in 0..n {
                    let a = flip(operand(self, i));
                    self.sat.add_clause(&[!flip(out), a]);
                    long.push(!a);
                }
                self.sat.add_clause(&long);
                self.scratch = long;
            }
            Op::Eq => {
                let (a, b) = (operand(self, 0), operand(self, 1));
                for clause in [[!out, !a, b], [!out, a, !b], [out, a, b], [out, !a, !b]] {
                    self.sat.add_clause(&clause);
                }
            }
            Op::Ite => {
                let (c, a, b) = (operand(self, 0), operand(self, 1), operand(self, 2));
                for clause in
                    [[!out, !c, a], [!out, c, b], [out, !c, !a], [out, c, !b], [!out, a, b], [out, !a, !b]]
                {
                    self.sat.add_clause(&clause);
                }
            }
            _ => unreachable!("not a gate"),
        }
    }

    fn encode_atom(&mut self, store: &mut Store, t: Term) {
        match store.op(t) {
            Op::Le => self.encode_inequality(store, t),
            Op::Eq => {
                let sort = store.sort_of(store.arg(t, 0));
                if sort.is_arith() {
                    self.encode_arith_equality(store, t);
                } else if store.bits_of_sort(sort).is_some() {
                    self.encode_word_atom(store, t);
                } else {
                    let lit = self.new_var(Some(t));
                    if is_array_equality(store, t) {
                        // Arrays that are equal by chance must agree everywhere.
                        self.sat.prefer(!lit);
                    }
                    self.work.push(Work::TieEquality(t));
                }
            }
            Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle | Op::Float(_) => self.encode_word_atom(store, t),
            Op::Bit(_) => self.encode_bit(store, t),
            Op::Select | Op::Field { .. } | Op::Is(_) => {
                self.new_var(Some(t));
                self.work.push(Work::TiePredicate(t));
            }
            Op::Apply(_) => {
                self.new_var(Some(t));
                if !store.args(t).is_empty() {
                    self.work.push(Work::TiePredicate(t));
                }
            }
            Op::Forall | Op::Exists => {
                self.new_var(Some(t));
                self.quantified = true;
            }
            op => unreachable!("{op:?} is not a Boolean operator"),
        }
    }

    fn encode_word_atom(&mut self, store: &mut Store, t: Term) {
        self.new_var(Some(t));
        let mixed_equality =
            store.op(t) == Op::Eq && self.purity.as_mut().is_some_and(|p| !p.is_pure(store, t));
        let axiom = if mixed_equality { Axiom::WordEquality(t) } else { Axiom::BitBlast(t) };
        self.work.push(Work::Axiom(axiom));
        if store.op(t) == Op::Eq && store.args(t).iter().all(|a| self.nodes.contains_key(a)) {
            self.work.push(Work::TieEquality(t));
        }
    }

    /// A bit of a word: that of a circuit, or of a word that another theory knows about, which then gets its node
    /// and its defining axioms.
    fn encode_bit(&mut self, store: &mut Store, t: Term) {
        self.new_var(Some(t));
        if BitBlaster::is_atom(store, t) {
            self.work.push(Work::Axiom(Axiom::BitBlast(t)));
        }
        let word = store.arg(t, 0);
        self.define_word(store, word);
    }

    fn define_word(&mut self, store: &Store, word: Term) {
        match store.op(word) {
            Op::IntToBv => self.work.push(Work::Axiom(Axiom::WordValue(word))),
            Op::Apply(_) if !store.args(word).is_empty() => self.work.push(Work::Node(word)),
            Op::Select | Op::Field { .. } => self.work.push(Work::Node(word)),
            // The bits of a number that no operator of the theory made.
            Op::Float(FloatOp::Bits) => {
                let number = store.arg(word, 0);
                self.work.push(Work::Axiom(Axiom::CanonicalNan(number)));
                if !store.args(number).is_empty() {
                    self.work.push(Work::Node(number));
                }
            }
            _ => {}
        }
    }

    /// Does all that is left to do.
    pub fn flush(&mut self, store: &mut Store) {
        while let Some(work) = self.work.pop() {
            match work {
                Work::Axiom(axiom) => self.add_axiom(store, axiom),
                Work::Node(t) => {
                    self.node(store, t);
                }
                Work::TieEquality(t) => self.tie_equality(store, t),
                Work::TiePredicate(t) => {
                    let node = self.node(store, t);
                    let lit = self.lit(store, t);
                    self.tie(lit, node, euf::Euf::TRUE);
                }
                Work::Share(t) => self.share(store, t),
                Work::Division(t) => self.add_division(store, t),
            }
        }
    }

    /// Adds the clauses of an axiom instance, once.
    pub fn add_axiom(&mut self, store: &mut Store, axiom: Axiom) {
        if self.axioms.insert(axiom) {
            for clause in self.schemes.clauses(store, axiom) {
                self.add_clause(store, &clause, Rule::Axiom(axiom));
            }
        }
    }

    fn tie_equality(&mut self, store: &mut Store, t: Term) {
        let (a, b) = (store.arg(t, 0), store.arg(t, 1));
        let (x, y) = (self.node(store, a), self.node(store, b));
        // For the definition of a choice between values, the equality that others see is its condition.
        let e = store.plain_eq(a, b);
        let lit = self.lit(store, e);
        self.tie(lit, x, y);
    }

    /// `lit` says that two nodes are equal.
    fn tie(&mut self, lit: Lit, x: euf::Node, y: euf::Node) {
        self.sat.observe(lit);
        self.sat.theory_mut().tie_equality(lit, x, y);
    }
}

fn is_array_equality(store: &Store, t: Term) -> bool {
    store.op(t) == Op::Eq && matches!(store.sort_kind(store.sort_of(store.arg(t, 0))), SortKind::Array(..))
}

/// Is this Boolean term a gate over other Boolean terms?
fn is_gate(store: &Store, t: Term) -> bool {
    match store.op(t) {
        Op::True | Op::False | Op::And | Op::Or | Op::Ite => true,
        Op::Eq => store.sort_of(store.arg(t, 0)) == Sort::BOOL,
        _ => false,
    }
}
