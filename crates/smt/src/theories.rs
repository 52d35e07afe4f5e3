//! The theories behind the SAT solver: what they see of the search and what they say to it.
//!
//! During a search the theories only look at numbers: literals, arithmetic atoms, nodes of the congruence
//! closure. Whatever needs a new term (a branch, a cut, an axiom about arrays, an equality between terms that
//! two theories share) becomes a [`Request`], ends the search, and is fulfilled by the encoder before the
//! search goes on. So no callback ever touches the term store.

mod arrays;
mod datatypes;
mod finite;
mod sharing;
mod write_chains;

use crate::arith::{self, Arith, AtomLit, FinalCheck, ReasonId, Status};
use crate::euf::{self, Euf};
use crate::purity::Parts;
use bolide_base::Budget;
use bolide_proof::Axiom;
use bolide_sat::{Context, LemmaId, Lit, Theory};
use bolide_term::Term;
use smallvec::SmallVec;

pub(crate) use arrays::{Arrays, Constant, Indices, Read, Write};
pub(crate) use datatypes::{Construct, DataTerm, Datatypes, Tester};
pub(crate) use sharing::{SharedValue, Sharing};
pub(crate) use write_chains::WriteChain;

/// The congruence closure's symbol for reads.
pub(crate) const SELECT: euf::Func = euf::Func(0);
/// The congruence closure's symbol for writes.
pub(crate) const STORE: euf::Func = euf::Func(1);
/// The number of the first symbol that is neither.
pub(crate) const FIRST_FREE_FUNC: u32 = 2;

/// Something that the search needs and only the encoder can make.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    /// The atom `form <= floor`.
    Branch(Vec<(bolide_base::Rational, arith::VarId)>, bolide_base::Rational),
    /// Atoms to tell the sides of this arithmetic equality apart.
    Disequality(Lit),
    /// A consequence of asserted literals.
    Cut(arith::Cut),
    /// An instance of an axiom.
    Axiom(Axiom),
    /// A read of an array at an index: the axiom about it.
    Read(Term, Term),
    /// The axiom that a read passes a line of writes.
    WriteChain(WriteChain),
    /// The literal that an index has the value that it has now.
    Concretise(Term),
    /// A read of an array at a constant index, given by its bits.
    ReadAt(Term, Vec<bool>),
    /// A term of a datatype, put together from its fields by a constructor.
    Destructor(Term, u32),
    /// A term differs from the part of it that these fields of these constructors lead to.
    Acyclic(Term, Vec<(u32, u32)>),
    /// The literal that two terms are equal, known to the congruence closure.
    Equality(Term, Term),
}

/// A lemma that the theories gave, as they explain it.
#[derive(Clone, Debug)]
pub(crate) enum LemmaRecord {
    /// A conflict of arithmetic.
    Arith(arith::Conflict),
    /// A conflict of the congruence closure.
    Conflict(euf::Conflict),
    /// Why the congruence closure propagated a literal.
    Implied(euf::Explanation),
}

/// An equality (or predicate) atom of the congruence closure.
#[derive(Copy, Clone, Debug)]
pub(crate) struct EqualityAtom {
    /// The literal that says that the nodes are equal.
    pub lit: Lit,
    /// One side.
    pub a: euf::Node,
    /// The other.
    pub b: euf::Node,
}

/// What the theories know of one SAT variable.
#[derive(Clone, Debug, Default)]
struct Watch {
    /// The arithmetic literal that the positive literal of the variable asserts.
    arith: Option<AtomLit>,
    /// Its equality atoms.
    equalities: SmallVec<[u32; 2]>,
    /// 1 true, -1 false, 0 unassigned, as told to the theories.
    value: i8,
    /// Why the theories propagated its positive and its negative literal; valid while that is assigned by them. Two
    /// theories may propagate both, on their way to a conflict.
    causes: [Cause; 2],
}

impl Watch {
    fn cause(&mut self, lit: Lit) -> &mut Cause {
        &mut self.causes[usize::from(!lit.is_positive())]
    }
}

#[derive(Copy, Clone, Debug, Default)]
enum Cause {
    #[default]
    None,
    Arith(ReasonId),
    Equality(euf::AtomId),
}

#[derive(Debug)]
enum Conflict {
    Arith(arith::Conflict),
    Equality(euf::Conflict),
}

/// The theories and the glue between them and the SAT solver.
pub(crate) struct Theories {
    pub arith: Arith,
    pub euf: Euf,
    pub arrays: Arrays,
    pub datatypes: Datatypes,
    pub sharing: Sharing,
    pub equality_atoms: Vec<EqualityAtom>,
    /// Those that were tied while their literal was assigned, and so are not told with it.
    late_equalities: Vec<u32>,
    /// Lemmas given so far, by [`LemmaId`]; only if proofs are wanted.
    pub lemmas: Option<Vec<LemmaRecord>>,
    pub requests: Vec<Request>,
    /// By node: the parts of the partition that know its term; only if there is a partition.
    pub node_parts: Option<Vec<Parts>>,
    pub budget: Budget,
    /// Are cuts over these variables welcome?
    pub cut_filter: Option<sharing::PureVars>,
    /// By SAT variable.
    watches: Vec<Watch>,
    /// By arithmetic atom: the literal that says that it holds.
    arith_lits: Vec<Option<Lit>>,
    trail: Vec<Lit>,
    /// Length of the trail at the start of each level.
    levels: Vec<usize>,
    /// A conflict met while a literal was told, and the level of that.
    conflict: Option<(usize, arith::Conflict)>,
    scratch: Vec<Lit>,
}

impl Theories {
    pub fn new(arith_config: arith::Config, proofs: bool) -> Theories {
        Theories {
            arith: Arith::new(arith_config),
            euf: Euf::new(),
            arrays: Arrays::default(),
            datatypes: Datatypes::default(),
            sharing: Sharing::default(),
            equality_atoms: Vec::new(),
            late_equalities: Vec::new(),
            lemmas: proofs.then(Vec::new),
            requests: Vec::new(),
            node_parts: proofs.then(Vec::new),
            budget: Budget::unlimited(),
            cut_filter: None,
            watches: Vec::new(),
            arith_lits: Vec::new(),
            trail: Vec::new(),
            levels: Vec::new(),
            conflict: None,
            scratch: Vec::new(),
        }
    }

    fn watch(&mut self, lit: Lit) -> &mut Watch {
        let n = lit.var() as usize;
        if n >= self.watches.len() {
            self.watches.resize_with(n + 1, Watch::default);
        }
        &mut self.watches[n]
    }

    /// The value of a literal as told to the theories.
    pub fn value(&self, lit: Lit) -> Option<bool> {
        match self.watches.get(lit.var() as usize).map_or(0, |w| w.value) {
            0 => None,
            v => Some((v > 0) == lit.is_positive()),
        }
    }

    /// `lit` says that the arithmetic literal holds. The variable must not be assigned yet.
    pub fn tie_arith(&mut self, lit: Lit, atom: AtomLit) {
        let positive = if lit.is_positive() { atom } else { !atom };
        self.watch(lit).arith = Some(positive);
        let n = atom.atom.index();
        if n >= self.arith_lits.len() {
            self.arith_lits.resize(n + 1, None);
        }
        self.arith_lits[n] = Some(if atom.positive { lit } else { !lit });
    }

    /// The literal that is already tied to an arithmetic atom.
    pub fn lit_of_atom(&self, atom: AtomLit) -> Option<Lit> {
        let lit = self.arith_lits.get(atom.atom.index()).copied().flatten()?;
        Some(if atom.positive { lit } else { !lit })
    }

    /// `lit` says that two nodes are equal. If it is assigned already, the closure hears of it now, and again each time
    /// the search leaves the level on which it heard of it without taking the literal back.
    pub fn tie_equality(&mut self, lit: Lit, a: euf::Node, b: euf::Node) {
        let known = self.watch(lit).equalities.clone();
        if known.iter().any(|&n| {
            let atom = &self.equality_atoms[n as usize];
            atom.lit == lit && (atom.a, atom.b) == (a, b)
        }) {
            return;
        }
        let n = self.equality_atoms.len() as u32;
        self.equality_atoms.push(EqualityAtom { lit, a, b });
        self.watch(lit).equalities.push(n);
        self.euf.new_eq_atom(euf::AtomId(n), a, b);
        self.late_equalities.push(n);
        self.tell_late_equalities();
    }

    /// Tells of equality atoms that were tied to literals when these were assigned.
    fn tell_late_equalities(&mut self) {
        let mut late = std::mem::take(&mut self.late_equalities);
        late.retain(|&n| {
            let lit = self.equality_atoms[n as usize].lit;
            let value = self.value(lit);
            if let Some(value) = value {
                self.tell_equality(n, if value { lit } else { !lit });
            }
            // On level 0 once is enough.
            value.is_some() && !self.levels.is_empty()
        });
        self.late_equalities = late;
    }

    fn tell(&mut self, lit: Lit) {
        let n = lit.var() as usize;
        if let Some(positive) = self.watches[n].arith {
            let atom = if lit.is_positive() { positive } else { !positive };
            if self.conflict.is_none()
                && let Err(conflict) = self.arith.assert(atom)
            {
                self.conflict = Some((self.levels.len(), conflict));
            }
        }
        for k in 0..self.watches[n].equalities.len() {
            self.tell_equality(self.watches[n].equalities[k], lit);
        }
    }

    /// Tells the congruence closure of an equality atom whose literal, or the negation of it, is `lit`.
    fn tell_equality(&mut self, atom: u32, lit: Lit) {
        let atom = self.equality_atoms[atom as usize];
        let reason = euf::Reason(lit.code() as u32);
        if atom.lit == lit {
            self.euf.assert_eq(atom.a, atom.b, reason);
        } else if atom.b == Euf::TRUE {
            self.euf.assert_eq(atom.a, Euf::FALSE, reason);
        } else {
            self.euf.assert_diseq(atom.a, atom.b, reason);
        }
    }

    /// The first conflict among what was told.
    fn find_conflict(&mut self) -> Option<Conflict> {
        if let Some((_, conflict)) = &self.conflict {
            return Some(Conflict::Arith(conflict.clone()));
        }
        if self.euf.node_count() > 2
            && let Err(conflict) = self.euf.propagate()
        {
            return Some(Conflict::Equality(conflict));
        }
        match self.arith.check(&self.budget) {
            Err(conflict) => Some(Conflict::Arith(conflict)),
            Ok(Status::Feasible | Status::Interrupted(_)) => None,
        }
    }

    fn arith_lit(&self, atom: AtomLit) -> Lit {
        self.lit_of_atom(atom).expect("every arithmetic atom is tied to a literal")
    }

    /// The clause that an arithmetic conflict forbids, into `scratch`.
    fn arith_clause(&mut self, conflict: &arith::Conflict) {
        let mut clause = std::mem::take(&mut self.scratch);
        clause.clear();
        clause.extend(conflict.literals().into_iter().map(|l| !self.arith_lit(l)));
        clause.sort_unstable();
        clause.dedup();
        self.scratch = clause;
    }

    fn report(&mut self, ctx: &mut Context<'_>, conflict: Conflict) {
        let record = match conflict {
            Conflict::Arith(c) => {
                self.arith_clause(&c);
                LemmaRecord::Arith(c)
            }
            Conflict::Equality(c) => {
                self.scratch.clear();
                self.scratch.extend(c.reasons().iter().map(|&r| !lit_of_reason(r)));
                LemmaRecord::Conflict(c)
            }
        };
        let id = ctx.conflict(&self.scratch);
        self.record(id, record);
    }

    fn record(&mut self, id: LemmaId, record: LemmaRecord) {
        if let Some(lemmas) = &mut self.lemmas {
            debug_assert_eq!(lemmas.len(), id.0 as usize);
            lemmas.push(record);
        }
    }

    /// Hands implied literals to the SAT solver.
    fn pass_on_propagations(&mut self, ctx: &mut Context<'_>) {
        while let Some((atom, reason)) = self.arith.next_implied() {
            // Atoms that only serve to probe disequalities have no literal.
            let Some(lit) = self.lit_of_atom(atom) else { continue };
            if self.value(lit) != Some(true) {
                *self.watch(lit).cause(lit) = Cause::Arith(reason);
                ctx.propagate(lit);
            }
        }
        if self.euf.node_count() <= 2 {
            return;
        }
        let implied: SmallVec<[euf::Implied; 8]> = self.euf.take_propagations().iter().copied().collect();
        for i in implied {
            let lit = self.equality_atoms[i.atom.0 as usize].lit;
            let lit = if i.positive { lit } else { !lit };
            if self.value(lit) != Some(true) {
                *self.watch(lit).cause(lit) = Cause::Equality(i.atom);
                ctx.propagate(lit);
            }
        }
    }

    /// Completes the check of a full assignment: integers, arrays, agreement between the theories.
    fn final_check(&mut self, ctx: &mut Context<'_>) -> bool {
        match self.final_check_arith() {
            FinalCheck::Ok => {}
            FinalCheck::Conflict(conflict) => {
                self.report(ctx, Conflict::Arith(conflict));
                return false;
            }
            FinalCheck::SplitDisequality { atom } => {
                // Only equalities between terms of different parts get here; the others are split by literals.
                let lit = self.arith_lit(AtomLit::new(atom, true));
                self.requests.push(Request::Disequality(lit));
                return false;
            }
            FinalCheck::Branch { form, floor } => {
                self.requests.push(Request::Branch(form, floor));
                return false;
            }
            FinalCheck::Cut(cut) => {
                self.requests.push(Request::Cut(cut));
                return false;
            }
            FinalCheck::Interrupted(_) => {
                ctx.give_up();
                return false;
            }
        }
        if self.euf.node_count() > 2 {
            self.check_datatypes();
            self.check_arrays();
            if self.requests.is_empty() {
                self.check_sharing();
            }
            if self.requests.is_empty() {
                self.check_finite_constants();
            }
        }
        self.requests.is_empty()
    }
}

/// How often a violated disequality is evaded by moving the arithmetic model.
const EVASIONS: usize = 8;

/// Probing of disequalities, which arithmetic itself only checks against the bounds of one variable.
impl Theories {
    /// The final check of arithmetic. A violated disequality is evaded by a model on either side of it if there is one
    /// over the rationals, and is a conflict if there is none.
    fn final_check_arith(&mut self) -> FinalCheck {
        for _ in 0..EVASIONS {
            let outcome = self.final_check_pure();
            let FinalCheck::SplitDisequality { atom } = outcome else { return outcome };
            let (var, constant) = (self.arith.atom(atom).var, self.arith.atom(atom).constant.clone());
            let above = AtomLit::new(self.arith.atom_le(var, constant.clone()), false);
            let below = AtomLit::new(self.arith.atom_ge(var, constant), false);
            let Some(upper) = self.refute(above) else { continue };
            let Some(lower) = self.refute(below) else { continue };
            let conflict = arith::Conflict::Disequality { atom, lower, upper };
            // Rounding may have helped to refute a bound; then the premises do not add up to it.
            if arith::certificate::check_conflict(&self.arith, &conflict).is_ok() {
                return FinalCheck::Conflict(conflict);
            }
            return outcome;
        }
        self.final_check_pure()
    }

    fn final_check_pure(&mut self) -> FinalCheck {
        let filter = self.cut_filter.as_ref();
        self.arith.final_check(&self.budget, &mut |form| filter.is_none_or(|f| f.is_pure(form)))
    }

    /// Premises that prove the negation of a bound, scaled to it; none if the bound is feasible, which the arithmetic
    /// model then shows.
    fn refute(&mut self, bound: AtomLit) -> Option<Vec<arith::Premise>> {
        self.arith.push();
        let outcome = match self.arith.assert(bound) {
            Ok(()) => self.arith.check(&self.budget).map(|_| ()),
            Err(conflict) => Err(conflict),
        };
        self.arith.pop(1);
        let Err(arith::Conflict::Farkas(premises)) = outcome else { return None };
        let own = premises.iter().find(|p| p.lit == bound)?.coeff.clone();
        let others = premises.into_iter().filter(|p| p.lit != bound);
        Some(others.map(|p| arith::Premise { coeff: &p.coeff / &own, ..p }).collect())
    }
}

/// The literal behind a reason of the congruence closure.
pub(crate) fn lit_of_reason(reason: euf::Reason) -> Lit {
    let var = (reason.0 / 2) as i32;
    Lit::new(if reason.0.is_multiple_of(2) { var } else { -var }).expect("a reason is a literal")
}

impl Theory for Theories {
    fn assign(&mut self, lit: Lit) {
        self.watch(lit).value = if lit.is_positive() { 1 } else { -1 };
        self.trail.push(lit);
        self.tell(lit);
    }

    fn new_level(&mut self) {
        self.levels.push(self.trail.len());
        self.arith.push();
        self.euf.push();
    }

    fn backtrack(&mut self, level: usize) {
        let Some(&kept) = self.levels.get(level) else { return };
        let closed = self.levels.len() - level;
        self.levels.truncate(level);
        for lit in self.trail.drain(kept..) {
            self.watches[lit.var() as usize].value = 0;
        }
        self.arith.pop(closed);
        self.euf.pop(closed);
        self.tell_late_equalities();
        if self.conflict.as_ref().is_some_and(|&(at, _)| at > level) {
            self.conflict = None;
        }
    }

    fn propagate(&mut self, ctx: &mut Context<'_>) {
        match self.find_conflict() {
            Some(conflict) => self.report(ctx, conflict),
            None => self.pass_on_propagations(ctx),
        }
    }

    fn explain(&mut self, lit: Lit, lemma: LemmaId, out: &mut Vec<Lit>) {
        match *self.watch(lit).cause(lit) {
            Cause::Arith(reason) => {
                let conflict = self.arith.explain(reason);
                self.arith_clause(&conflict);
                out.extend_from_slice(&self.scratch);
                self.record(lemma, LemmaRecord::Arith(conflict));
            }
            Cause::Equality(atom) => {
                let explanation = self.euf.explain(atom).expect("a propagated atom is explained");
                out.push(lit);
                out.extend(explanation.reasons().iter().map(|&r| !lit_of_reason(r)));
                self.record(lemma, LemmaRecord::Implied(explanation));
            }
            Cause::None => unreachable!("only propagated literals are explained"),
        }
    }

    fn check_model(&mut self, ctx: &mut Context<'_>, _model: &[Lit]) -> bool {
        if let Some(conflict) = self.find_conflict() {
            self.report(ctx, conflict);
            return false;
        }
        if self.budget.exhausted() {
            ctx.give_up();
            return false;
        }
        self.final_check(ctx)
    }
}
