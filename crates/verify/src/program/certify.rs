//! Certificates of verdicts on C programs. The task is not read again: the obligations are made from the store as it was when the
//! task had been read.

use super::Verification;
use super::certificate_facts;
use super::proof::Proof;
use crate::Report;
use crate::certificate::{Certifier, Draft};
use bolide_base::Budget;
use bolide_cert::program::{obligations_of_task, to_original, write_options};
use bolide_cert::{Certificate, Obligations, Section};
use bolide_front::c::interp::Replay;
use bolide_itp::interpolate_sequence;
use bolide_term::{Store, Term};

/// What a certificate is made of.
pub(crate) enum Kept {
    /// A proof, and the store that its formulas live in.
    Proof {
        /// The store.
        store: Box<Store>,
        /// The proof.
        proof: Box<Proof>,
    },
    /// The inputs of a run into an error.
    Inputs(Replay),
    /// Where the locations are of which a certificate from the cache speaks.
    Places(String),
}

/// Makes certificates of one task.
pub(super) struct ProgramCertifier<'a> {
    pub verification: &'a Verification<'a>,
    pub kept: Option<Kept>,
}

impl Certifier for ProgramCertifier<'_> {
    fn source(&self) -> &[u8] {
        self.verification.source
    }

    fn draft(&mut self) -> Option<Draft> {
        let options = self.verification.options;
        let mut said = write_options(&options.program);
        let sections = match self.kept.as_mut()? {
            Kept::Proof { store, proof } => {
                said.extend(proof.options(options.blocks));
                proof.sections(store, &self.verification.task.source)?
            }
            Kept::Inputs(inputs) => vec![Section { name: "inputs".into(), text: inputs.write() }],
            Kept::Places(places) => {
                vec![Section { name: bolide_cert::program::PLACES.into(), text: places.clone() }]
            }
        };
        Some(Draft { options: said, sections })
    }

    fn obligations(&self, certificate: &Certificate, budget: &Budget) -> Result<Obligations, String> {
        let verification = self.verification;
        obligations_of_task(verification.read.clone(), verification.task, certificate, budget)
    }

    fn to_original(&self, certificate: &Certificate, budget: &Budget) -> Result<Certificate, String> {
        let mut separate = |store: &mut Store, before: Term, after: Term| {
            let config = bolide_itp::Config::default();
            interpolate_sequence(store, &[before, after], &config, budget).ok()?.first().copied()
        };
        let verification = self.verification;
        to_original(verification.read.clone(), verification.task, certificate, &mut separate, budget)
    }

    fn add_invariants(&self, report: &mut Report, certificate: &Certificate) {
        let verification = self.verification;
        let mut store = verification.read.clone();
        certificate_facts::add(&mut store, verification.task, &verification.subject, report, certificate);
    }
}
