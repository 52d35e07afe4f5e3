//! Interpolants as circuits, from the resolution proofs of the SAT solver, by labelled interpolation systems
//! (D'Silva, Kroening, Purandare and Weissenbacher, "Interpolant Strength", VMCAI 2010).
//!
//! Clauses belong to one of two parts. After an unsatisfiable query the interpolant follows from the first part,
//! contradicts the second, and speaks only of the variables that were declared shared.

use super::cnf::Sink;
use bolide_base::{Budget, Interrupt};
use bolide_model::circuit::{Aig, Bit};
use bolide_sat::{
    Config, Inference, Lit, NoTheory, Origin, Outcome, Refutation, ResolutionProof, Solver, StepId,
};
use rustc_hash::FxHashMap;

/// Which interpolant to take from a proof, from the strongest to the weakest.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum System {
    /// McMillan's system: shared variables count as the second part's.
    #[default]
    McMillan,
    /// Pudlák's system: shared variables are cases.
    Pudlak,
    /// The dual of McMillan's system: shared variables count as the first part's.
    Dual,
}

/// A part of the formula that is split.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// The interpolant follows from it.
    First,
    /// The interpolant contradicts it.
    Second,
}

/// Where a variable occurs.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Place {
    Local(Part),
    /// In both parts: the bit that it is in the interpolant.
    Shared(Bit),
}

/// A solver whose clauses belong to parts. The parts grow, and what was learned for one query serves the next.
pub struct SplitSolver {
    solver: Solver<NoTheory>,
    system: System,
    /// By clause.
    parts: Vec<Part>,
    /// By variable, from 1.
    places: Vec<Place>,
    /// Interpolants of proof steps that were needed before: they depend on the parts only, which do not change.
    partial: FxHashMap<StepId, Bit>,
}

/// One part of a [`SplitSolver`]: clauses that are added belong to it, variables that are made are local to it.
pub struct PartSink<'a> {
    solver: &'a mut SplitSolver,
    part: Part,
}

impl Sink for PartSink<'_> {
    fn new_var(&mut self) -> Lit {
        self.solver.new_var(Place::Local(self.part))
    }

    fn clause(&mut self, lits: &[Lit]) {
        self.solver.solver.add_clause(lits);
        self.solver.parts.push(self.part);
    }
}

impl SplitSolver {
    /// A solver without clauses.
    pub fn new(system: System) -> SplitSolver {
        SplitSolver {
            solver: Solver::new(Config::incremental().with_proof(), NoTheory),
            system,
            parts: Vec::new(),
            places: vec![Place::Local(Part::First)],
            partial: FxHashMap::default(),
        }
    }

    fn new_var(&mut self, place: Place) -> Lit {
        let lit = self.solver.new_var();
        debug_assert_eq!(lit.var() as usize, self.places.len());
        self.places.push(place);
        lit
    }

    /// A variable that both parts may use, and that is the given bit in interpolants.
    pub fn shared_var(&mut self, bit: Bit) -> Lit {
        self.new_var(Place::Shared(bit))
    }

    /// The part to add clauses to.
    pub fn part(&mut self, part: Part) -> PartSink<'_> {
        PartSink { solver: self, part }
    }

    /// Looks for a model under two assumptions, each a variable that is local to its part.
    pub fn solve(&mut self, first: Lit, second: Lit, budget: &Budget) -> Result<bool, Interrupt> {
        match self.solver.solve(&[first, second], &|| budget.exhausted()) {
            Outcome::Sat => Ok(true),
            Outcome::Unsat => Ok(false),
            Outcome::Unknown => Err(budget.check().err().unwrap_or(Interrupt::Cancelled)),
        }
    }

    /// The interpolant of the last query, which had no model, as a bit of `aig`: always the same graph. `None` if the
    /// proof is not one.
    pub fn interpolant(&mut self, aig: &mut Aig) -> Option<Bit> {
        let proof = self.solver.proof()?;
        let refutation = proof.last_refutation().ok()?;
        let labelling = Labelling { system: self.system, parts: &self.parts, places: &self.places };
        labelling.interpolate(&proof, &refutation, &mut self.partial, aig)
    }
}

/// The parts of clauses and the places of variables, read with one system.
struct Labelling<'a> {
    system: System,
    parts: &'a [Part],
    places: &'a [Place],
}

impl Labelling<'_> {
    fn interpolate(
        &self,
        proof: &ResolutionProof,
        refutation: &Refutation,
        partial: &mut FxHashMap<StepId, Bit>,
        aig: &mut Aig,
    ) -> Option<Bit> {
        let mut last = None;
        for (step, inference) in refutation.steps() {
            if let Some(&known) = partial.get(&step) {
                last = Some(known);
                continue;
            }
            let bit = match inference {
                Inference::Original(Origin::Input(clause)) => {
                    self.original(aig, proof.clause(step), *self.parts.get(clause.0 as usize)?)
                }
                Inference::Resolution { start, pivots } => {
                    let mut bit = *partial.get(&start)?;
                    for pivot in pivots {
                        bit = self.resolve(aig, pivot.lit, bit, *partial.get(&pivot.antecedent)?);
                    }
                    bit
                }
                Inference::Original(Origin::Lemma(_)) | Inference::Tautology => return None,
            };
            partial.insert(step, bit);
            last = Some(bit);
        }
        last
    }

    fn place(&self, lit: Lit) -> Place {
        self.places[lit.var() as usize]
    }

    /// The interpolant of a clause that was given.
    fn original(&self, aig: &mut Aig, clause: &[Lit], part: Part) -> Bit {
        let shared = clause.iter().filter_map(|&lit| match self.place(lit) {
            Place::Shared(bit) => Some(bit ^ !lit.is_positive()),
            Place::Local(_) => None,
        });
        match (part, self.system) {
            (Part::First, System::McMillan) => {
                let bits: Vec<Bit> = shared.collect();
                aig.or_all(&bits)
            }
            (Part::First, _) => Bit::FALSE,
            (Part::Second, System::Dual) => {
                let bits: Vec<Bit> = shared.map(|bit| !bit).collect();
                aig.and_all(&bits)
            }
            (Part::Second, _) => Bit::TRUE,
        }
    }

    /// The interpolant after resolution of a clause that has `lit` with one that has its negation.
    fn resolve(&self, aig: &mut Aig, lit: Lit, with: Bit, without: Bit) -> Bit {
        match (self.place(lit), self.system) {
            (Place::Local(Part::First), _) | (Place::Shared(_), System::Dual) => aig.or(with, without),
            (Place::Local(Part::Second), _) | (Place::Shared(_), System::McMillan) => aig.and(with, without),
            (Place::Shared(bit), System::Pudlak) => {
                let bit = bit ^ !lit.is_positive();
                // If the literal is false the first clause does the work, else the other.
                aig.ite(bit, without, with)
            }
        }
    }
}
