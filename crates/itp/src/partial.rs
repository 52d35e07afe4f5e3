//! Partial interpolants: one pass over a refutation for one cut.

use crate::Tree;
use crate::colour::{Colour, Colouring, Occurrences};
use crate::config::Config;
use crate::groups::Groups;
use crate::mixed::{Mixed, MixedEqualities, resolve_mixed};
use crate::system::Label;
use bolide_proof::{AxiomSchemes, Literal, Refutation, Rule};
use bolide_term::{Store, Term};
use rustc_hash::FxHashMap;

/// Why no interpolant can be read off a refutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// The refutation uses something that has no interpolant of the known kinds.
    Unsupported(&'static str),
    /// The refutation is not what it should be.
    Defect(&'static str),
}

/// The state of the pass for one cut.
pub(crate) struct Cut<'a, 'b> {
    pub store: &'a mut Store,
    pub config: &'a Config,
    pub tree: &'a Tree,
    pub occurrences: &'b Occurrences,
    pub schemes: &'a mut AxiomSchemes,
    pub groups: &'a mut Groups,
    pub cut: usize,
    colours: Colouring<'b>,
    /// Colours at the cuts of the children, made when first asked for.
    below: FxHashMap<usize, Colouring<'b>>,
    mixed: MixedEqualities,
}

impl<'a, 'b> Cut<'a, 'b> {
    pub fn new(
        store: &'a mut Store,
        config: &'a Config,
        tree: &'a Tree,
        occurrences: &'b Occurrences,
        schemes: &'a mut AxiomSchemes,
        groups: &'a mut Groups,
        cut: usize,
    ) -> Cut<'a, 'b> {
        let colours = Colouring::new(occurrences, tree, cut);
        Cut {
            store,
            config,
            tree,
            occurrences,
            schemes,
            groups,
            cut,
            colours,
            below: FxHashMap::default(),
            mixed: MixedEqualities::default(),
        }
    }

    /// The interpolant at this cut: the partial interpolant of the empty clause.
    pub fn run(&mut self, refutation: &Refutation, part_of: &[usize]) -> Result<Term, Obstacle> {
        let mut partial: Vec<Term> = Vec::with_capacity(refutation.steps.len());
        for (n, step) in refutation.steps.iter().enumerate() {
            bolide_base::spend(2);
            let p = match &step.rule {
                Rule::Assertion(a) => {
                    if self.colours.part_is_left(part_of[*a as usize]) {
                        self.left_leaf(&step.clause)
                    } else {
                        self.right_leaf(&step.clause)
                    }
                }
                Rule::Axiom(axiom) => self.axiom(*axiom, &step.clause)?,
                Rule::Theory(lemma) => self.lemma(bolide_proof::StepId::new(n), lemma, &step.clause)?,
                Rule::Resolution { start, chain } => {
                    let mut p = partial[start.index()];
                    for &(pivot, other) in chain {
                        p = self.resolve(pivot, p, partial[other.index()])?;
                    }
                    p
                }
            };
            partial.push(p);
        }
        partial.last().copied().ok_or(Obstacle::Defect("the refutation is empty"))
    }

    /// A clause of the left: its literals that the right may see.
    pub fn left_leaf(&mut self, clause: &[Literal]) -> Term {
        let right: Vec<Literal> = clause.iter().copied().filter(|&l| self.label(l) == Label::Right).collect();
        let terms: Vec<Term> = right.into_iter().map(|l| l.term(self.store)).collect();
        self.store.or(&terms)
    }

    /// A clause of the right: the negations of its literals that count for the left.
    pub fn right_leaf(&mut self, clause: &[Literal]) -> Term {
        let left: Vec<Literal> = clause.iter().copied().filter(|&l| self.label(l) == Label::Left).collect();
        let terms: Vec<Term> = left.into_iter().map(|l| (!l).term(self.store)).collect();
        self.store.and(&terms)
    }

    /// Resolves a clause with partial interpolant `p`, which has the negated pivot, with one that has the pivot.
    fn resolve(&mut self, pivot: Literal, p: Term, q: Term) -> Result<Term, Obstacle> {
        Ok(match self.label(pivot) {
            Label::Left => self.store.or(&[p, q]),
            Label::Right => self.store.and(&[p, q]),
            Label::Both => {
                if p == q {
                    return Ok(p);
                }
                let t = pivot.term(self.store);
                let nt = self.store.not(t);
                let (x, y) = (self.store.or(&[nt, p]), self.store.or(&[t, q]));
                self.store.and(&[x, y])
            }
            Label::Mixed => {
                let mixed = self.mixed(pivot.atom())?;
                // The clause that contains the equality denies it in its conflict.
                let (denied, assumed) = if pivot.is_positive() { (q, p) } else { (p, q) };
                resolve_mixed(self.store, mixed.placeholder, denied, assumed)
            }
        })
    }

    pub fn label(&mut self, l: Literal) -> Label {
        let colour = self.colours.of(self.store, l.atom());
        self.config.system.label(colour)
    }

    pub fn colour(&mut self, t: Term) -> Colour {
        self.colours.of(self.store, t)
    }

    /// Does a term have a symbol that only the left has? Placeholders do not.
    pub fn is_left_term(&mut self, t: Term) -> bool {
        self.colours.of(self.store, t) == Colour::Left
    }

    /// Was a literal on the left at the cut of a child?
    pub fn is_left_at(&mut self, child: usize, l: Literal) -> bool {
        let colours =
            self.below.entry(child).or_insert_with(|| Colouring::new(self.occurrences, self.tree, child));
        self.config.system.label(colours.of(self.store, l.atom())) == Label::Left
    }

    pub fn mixed(&mut self, atom: Term) -> Result<Mixed, Obstacle> {
        let mixed = self.mixed.get(self.store, &mut self.colours, atom);
        mixed.ok_or(Obstacle::Unsupported("a literal over symbols of both sides"))
    }
}
