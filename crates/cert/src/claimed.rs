//! A task, read as a claim says.

use crate::{Certificate, Claim, Flaw, Kind, Obligations, Text, Verdict, circuit, horn, program};
use bolide_base::Budget;
use bolide_front::c;
use bolide_front::chc::Problem;
use bolide_model::circuit::Circuit;
use bolide_term::Store;

/// What a certificate is checked against.
pub(crate) enum Claimed {
    /// A C program, and the store that it was read with.
    C(Box<Store>, Box<c::Task>),
    /// Horn clauses, and the store that they were read with.
    Horn(Box<Store>, Problem),
    /// A circuit.
    Circuit(Circuit),
}

impl Claimed {
    /// Reads a task as the claim says, and encodes it as the certificate does; the reason if it cannot be read.
    pub fn read(task: &Text<'_>, claim: &Claim, certificate: &Certificate) -> Result<Claimed, Flaw> {
        let mut store = Box::new(Store::new());
        Ok(match claim {
            Claim::C(options) => {
                let options = program::encoded(options, certificate)?;
                let task = program::load(&mut store, task.bytes(), &options)?;
                Claimed::C(store, Box::new(task))
            }
            Claim::Horn => {
                let problem = horn::load(&mut store, task.bytes())?;
                Claimed::Horn(store, problem)
            }
            Claim::Aiger => Claimed::Circuit(circuit::load(task.bytes(), Kind::Aiger)?),
            Claim::Btor2 => Claimed::Circuit(circuit::load(task.bytes(), Kind::Btor2)?),
        })
    }

    /// Is there anything that could be violated? Clauses without a query are satisfiable, which is what was asked.
    pub fn has_property(&self) -> bool {
        match self {
            Claimed::C(_, task) => !task.program.properties.is_empty(),
            Claimed::Horn(..) => true,
            Claimed::Circuit(circuit) => !circuit.bads.is_empty(),
        }
    }

    /// Executes the run of a certificate for `unsafe`.
    pub fn replay(self, certificate: &Certificate, budget: &Budget) -> Result<(), Flaw> {
        match self {
            Claimed::C(_, task) => program::replay(&task, certificate, budget),
            Claimed::Horn(store, problem) => horn::replay(*store, &problem, certificate, budget),
            Claimed::Circuit(circuit) => circuit::replay(&circuit, certificate, budget),
        }
    }

    /// The obligations of a certificate for `safe`.
    pub fn obligations(self, certificate: &Certificate, budget: &Budget) -> Result<Obligations, Flaw> {
        if certificate.verdict != Verdict::Safe {
            return Err("only `safe` has obligations".into());
        }
        match self {
            Claimed::C(store, task) => program::obligations_of_task(*store, &task, certificate, budget),
            Claimed::Horn(store, problem) => {
                horn::obligations_of_problem(*store, &problem, certificate, budget)
            }
            Claimed::Circuit(circuit) => circuit::obligations_of_circuit(&circuit, certificate, budget),
        }
    }
}
