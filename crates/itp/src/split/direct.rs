//! Restricted interpolants straight from an ordinary refutation.
//!
//! An ordinary refutation is a resolution proof over atoms of the parts. It is a split refutation if each of its
//! leaves belongs to one part and the atoms that are not in the language occur in one part only. Most leaves do from the
//! start; a theory lemma over several parts is replaced by its split proof: lemmas of single parts that are resolved on
//! the facts that travel between them. So nothing has to be refuted a second time. If some leaf resists, the caller has
//! to search (`refute`).

use super::Language;
use super::lemmas::Lemma;
use super::nodes::Nodes;
use super::prover::{Hypothesis, Outcome, Prover};
use super::proxies::Proxies;
use super::shape::{difference, is_connective};
use super::vocabulary::{Range, Vocabulary};
use crate::{Config, Failure, Tree, interpolate_refutation, tidy};
use bolide_base::{Budget, Rational};
use bolide_proof::{Axiom, Literal, Refutation, Rule, StepId};
use bolide_smt::Reason;
use bolide_term::{Func, Op, Sort, Store, Term};
use rustc_hash::FxHashMap;

/// Where an atom may be used.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Home {
    /// It is in the language.
    Everywhere,
    /// It is not, and this part has it.
    Part(u32),
}

/// Why a refutation is not read off.
enum Obstacle {
    /// Some leaf belongs to no single part.
    NotSplit,
    Failed(Failure),
}

/// A refutation on its way to become a split one.
struct Splitter<'a> {
    store: &'a mut Store,
    prover: Prover,
    proxies: Proxies,
    homes: FxHashMap<Term, Home>,
    /// From the first to the last of the parts in which each atom occurs.
    origins: FxHashMap<Term, Range>,
    /// The only part in which a choice between terms occurs.
    choices: FxHashMap<Term, u32>,
    /// Formulas with proxies for their atoms, made so far.
    abstracted: FxHashMap<Term, Term>,
    /// Where formulas may be used.
    places: FxHashMap<Term, Option<Range>>,
    out: Refutation,
    part_of: Vec<usize>,
    /// The parts, if split proofs are to be checked.
    checked: Option<&'a [Term]>,
    budget: &'a Budget,
}

/// The interpolants of a refutation of the parts, if all its leaves can be split.
pub(super) fn interpolate(
    store: &mut Store,
    parts: &[Term],
    kept: &[(Func, usize)],
    refutation: &Refutation,
    language: &Language,
    config: &Config,
    budget: &Budget,
) -> Result<Option<Vec<Term>>, Failure> {
    let vocabulary = Vocabulary::new(store, parts, kept);
    let proxies = Proxies::new(store, &vocabulary);
    let prover = Prover::new(Nodes::new(store, vocabulary, language.clone()));
    let mut splitter = Splitter {
        store,
        prover,
        proxies,
        homes: FxHashMap::default(),
        origins: FxHashMap::default(),
        choices: FxHashMap::default(),
        abstracted: FxHashMap::default(),
        places: FxHashMap::default(),
        out: Refutation::default(),
        part_of: Vec::new(),
        checked: config.verify.then_some(parts),
        budget,
    };
    match splitter.split(parts, refutation) {
        Ok(()) => {}
        Err(Obstacle::NotSplit) => return Ok(None),
        Err(Obstacle::Failed(failure)) => return Err(failure),
    }
    let Splitter { store, proxies, out, part_of, .. } = splitter;
    let config = Config { verify: false, ..config.clone() };
    let tree = Tree::sequence(parts.len());
    let found = interpolate_refutation(store, &out, &part_of, &tree, &config, budget)?;
    let concrete = proxies.concrete(store, &found);
    Ok(Some(concrete.into_iter().map(|t| tidy::tidy(store, t)).collect()))
}

impl Splitter<'_> {
    /// Copies the refutation, with proxies for atoms and split proofs for lemmas.
    fn split(&mut self, parts: &[Term], refutation: &Refutation) -> Result<(), Obstacle> {
        for (n, &p) in parts.iter().enumerate() {
            self.settle(n as u32, p)?;
        }
        for (n, &p) in parts.iter().enumerate() {
            let formula = self.abstracted(p);
            self.out.assertions.push(formula);
            self.part_of.push(n);
        }
        let mut ids: Vec<StepId> = Vec::with_capacity(refutation.steps.len());
        for step in &refutation.steps {
            let id = match &step.rule {
                rule @ (Rule::Assertion(_) | Rule::Axiom(Axiom::Gate(_))) => {
                    let clause = self.clause(&step.clause);
                    self.out.push(clause, rule.clone())
                }
                Rule::Axiom(_) => {
                    let range = self.common_place(&step.clause).ok_or(Obstacle::NotSplit)?;
                    self.leaf(range.last, &step.clause)
                }
                Rule::Theory(_) => self.theory_leaf(&step.clause)?,
                Rule::Resolution { start, chain } => {
                    let clause = self.clause(&step.clause);
                    let chain: Vec<(Literal, StepId)> =
                        chain.iter().map(|&(p, s)| (self.literal(p), ids[s.index()])).collect();
                    let start = ids[start.index()];
                    self.out.push(clause, Rule::Resolution { start, chain: chain.into() })
                }
            };
            ids.push(id);
        }
        Ok(())
    }

    /// Gives the atoms of a part their homes. An atom that is not in the language must not occur in two parts.
    fn settle(&mut self, part: u32, formula: Term) -> Result<(), Obstacle> {
        let terms: Vec<Term> = self.store.post_order([formula]).collect();
        for t in terms {
            if self.store.sort_of(t) != Sort::BOOL {
                if self.store.op(t) == Op::Ite && *self.choices.entry(t).or_insert(part) != part {
                    return Err(Obstacle::NotSplit);
                }
                continue;
            }
            if is_connective(self.store, t) || self.store.as_var(t).is_some() {
                continue;
            }
            self.occurs(part, t);
            let language = &self.prover.nodes.language;
            let home = *self.homes.entry(t).or_insert_with(|| {
                if language.contains_atom(self.store, t) { Home::Everywhere } else { Home::Part(part) }
            });
            if home != Home::Everywhere && home != Home::Part(part) {
                return Err(Obstacle::NotSplit);
            }
        }
        Ok(())
    }

    /// Remembers that a part has an atom; with an equality of numbers it has the two inequalities that make it up.
    fn occurs(&mut self, part: u32, atom: Term) {
        self.origins.entry(atom).or_insert(Range::of(part)).last = part;
        if self.store.op(atom) == Op::Eq
            && let Some((mut l, sort)) = difference(self.store, atom)
        {
            let upper = self.store.linear_le(l.clone(), sort);
            l.scale(&Rational::MINUS_ONE);
            let lower = self.store.linear_le(l, sort);
            for side in [upper, lower] {
                let atom = self.store.literal(side).0;
                self.origins.entry(atom).or_insert(Range::of(part)).last = part;
            }
        }
    }

    /// The parts that may use a formula: they see its symbols and have its atoms.
    fn place(&mut self, formula: Term) -> Option<Range> {
        if let Some(&range) = self.places.get(&formula) {
            return range;
        }
        let terms: Vec<Term> = self.store.post_order([formula]).collect();
        for t in terms {
            if self.places.contains_key(&t) {
                continue;
            }
            let mut range = self.prover.nodes.vocabulary.range(self.store, t);
            for a in self.store.args(t) {
                range = range.and_then(|r| r.meet(self.places[a]?));
            }
            let part = match self.homes.get(&t) {
                Some(Home::Part(p)) => Some(*p),
                Some(Home::Everywhere) => None,
                None => self.choices.get(&t).copied(),
            };
            if let Some(p) = part {
                range = range.and_then(|r| r.meet(Range::of(p)));
            }
            self.places.insert(t, range);
        }
        self.places[&formula]
    }

    /// The home of an atom. One that no part has and that is not in the language gets the part that asks first.
    fn home(&mut self, atom: Term, place: Range) -> Home {
        if let Some(&home) = self.homes.get(&atom) {
            return home;
        }
        let home = if self.prover.nodes.language.contains_atom(self.store, atom) {
            Home::Everywhere
        } else {
            Home::Part(place.last)
        };
        self.homes.insert(atom, home);
        if home != Home::Everywhere {
            self.places.remove(&atom);
        }
        home
    }

    /// The parts that may use all literals of a clause.
    fn common_place(&mut self, clause: &[Literal]) -> Option<Range> {
        let mut range = self.prover.nodes.vocabulary.everywhere();
        for l in clause {
            range = range.meet(self.place(l.atom())?)?;
        }
        for l in clause {
            let is_atom = !is_connective(self.store, l.atom()) && self.store.as_var(l.atom()).is_none();
            if is_atom && let Home::Part(p) = self.home(l.atom(), range) {
                range = range.meet(Range::of(p))?;
            }
        }
        Some(range)
    }

    /// A formula with proxies.
    fn abstracted(&mut self, formula: Term) -> Term {
        let mut stack = vec![formula];
        while let Some(&top) = stack.last() {
            if self.abstracted.contains_key(&top) {
                stack.pop();
                continue;
            }
            let new = if is_connective(self.store, top) {
                let before = stack.len();
                stack.extend(self.store.args(top).iter().filter(|a| !self.abstracted.contains_key(a)));
                if stack.len() > before {
                    continue;
                }
                let args: Vec<Term> = self.store.args(top).iter().map(|a| self.abstracted[a]).collect();
                self.store.rebuild(top, &args)
            } else if self.store.as_var(top).is_some() {
                top
            } else {
                self.proxies.proxy(self.store, top, None)
            };
            self.abstracted.insert(top, new);
            stack.pop();
        }
        self.abstracted[&formula]
    }

    fn literal(&mut self, l: Literal) -> Literal {
        let t = l.term(self.store);
        let t = self.abstracted(t);
        Literal::of(self.store, t)
    }

    fn clause(&mut self, clause: &[Literal]) -> Vec<Literal> {
        clause.iter().map(|&l| self.literal(l)).collect()
    }

    /// A valid clause as a clause of one part.
    fn leaf(&mut self, part: u32, clause: &[Literal]) -> StepId {
        let clause = self.clause(clause);
        let terms: Vec<Term> = clause.iter().map(|l| l.term(self.store)).collect();
        let formula = self.store.or(&terms);
        self.out.assertions.push(formula);
        self.part_of.push(part as usize);
        let n = self.out.assertions.len() - 1;
        self.out.push(clause, Rule::Assertion(n as u32))
    }

    /// A theory lemma: as it is if one part has all its literals, otherwise by its split proof. A part that merely may
    /// use all of them is the last resort, for then more has to travel than need be.
    fn theory_leaf(&mut self, clause: &[Literal]) -> Result<StepId, Obstacle> {
        let place = self.common_place(clause);
        if let Some(range) = place {
            let origins = clause.iter().try_fold(range, |r, l| match self.origins.get(&l.atom()) {
                Some(&origin) => r.meet(origin),
                None => Some(r),
            });
            if let Some(range) = origins {
                return Ok(self.leaf(range.last, clause));
            }
        }
        match (self.lemma(clause), place) {
            (Err(Obstacle::NotSplit), Some(range)) => Ok(self.leaf(range.last, clause)),
            (result, _) => result,
        }
    }

    /// A theory lemma over several parts: its split proof. A disequality of numbers becomes two cases.
    fn lemma(&mut self, clause: &[Literal]) -> Result<StepId, Obstacle> {
        let split = clause.iter().copied().find(|&l| {
            l.is_positive() && self.store.op(l.atom()) == Op::Eq && difference(self.store, l.atom()).is_some()
        });
        let conflict: Vec<Literal> =
            clause.iter().copied().filter(|&l| Some(l) != split).map(|l| !l).collect();
        let abstracted = self.clause(clause);
        let Some(equality) = split else {
            let (start, chain) = self.refute(&conflict)?;
            return Ok(self.out.push(abstracted, Rule::Resolution { start, chain: chain.into() }));
        };
        // Either they are equal, or one is less than the other.
        let Some((l, sort)) = difference(self.store, equality.atom()) else { return Err(Obstacle::NotSplit) };
        let mut opposite = l.clone();
        opposite.scale(&Rational::MINUS_ONE);
        let sides = [self.store.linear_le(l, sort), self.store.linear_le(opposite, sort)];
        let less = sides.map(|side| !Literal::of(self.store, side));
        let total = [equality, less[0], less[1]];
        let place = self.common_place(&total).ok_or(Obstacle::NotSplit)?;
        let start = self.leaf(place.last, &total);
        let mut chain = Vec::with_capacity(2);
        for case in less {
            let mut conflict = conflict.clone();
            conflict.push(case);
            let (start, steps) = self.refute(&conflict)?;
            let denied: Vec<Literal> = conflict.iter().map(|&l| !l).collect();
            let denied = self.clause(&denied);
            let step = self.out.push(denied, Rule::Resolution { start, chain: steps.into() });
            chain.push((self.literal(!case), step));
        }
        Ok(self.out.push(abstracted, Rule::Resolution { start, chain: chain.into() }))
    }

    /// The clauses of single parts, and how they are resolved, that refute a conflict.
    fn refute(&mut self, conflict: &[Literal]) -> Result<(StepId, Vec<(Literal, StepId)>), Obstacle> {
        let mut hypotheses = Vec::with_capacity(conflict.len());
        for &l in conflict {
            let place = self.place(l.atom()).ok_or(Obstacle::NotSplit)?;
            let range = match self.home(l.atom(), place) {
                Home::Everywhere => place,
                Home::Part(p) => Range::of(p),
            };
            let origin = self.origins.get(&l.atom()).copied().unwrap_or(range);
            hypotheses.push(Hypothesis { literal: l.term(self.store), range, origin });
        }
        let outcome = self
            .prover
            .saturate(self.store, &hypotheses, self.budget)
            .map_err(|i| Obstacle::Failed(Failure::Unknown(Reason::Interrupted(i))))?;
        let Outcome::Refuted(facts) = outcome else { return Err(Obstacle::NotSplit) };
        let lemmas =
            self.prover.refuting_lemmas(self.store, &facts, self.checked).map_err(Obstacle::Failed)?;
        let (last, others) = lemmas.split_last().ok_or(Obstacle::NotSplit)?;
        let start = self.local_lemma(last);
        let mut chain = Vec::with_capacity(others.len());
        for lemma in others.iter().rev() {
            let step = self.local_lemma(lemma);
            if let Some(fact) = lemma.conclusion {
                let pivot = Literal::of(self.store, fact);
                chain.push((self.literal(pivot), step));
            }
        }
        Ok((start, chain))
    }

    fn local_lemma(&mut self, lemma: &Lemma) -> StepId {
        let denied = lemma.premises.iter().map(|&p| !Literal::of(self.store, p));
        let conclusion = lemma.conclusion.map(|c| Literal::of(self.store, c));
        let clause: Vec<Literal> = denied.chain(conclusion).collect();
        self.leaf(lemma.part, &clause)
    }
}
