//! Certificates of verdicts on C programs. The task is not read again: the obligations are made from the store as it was when the
//! task had been read.

use super::Verification;
use super::certificate_facts;
use super::proof::Proof;
use crate::Report;
use crate::certificate::{Certifier, Draft, Refusal};
use bolide_base::Budget;
use bolide_cert::program::{EXACT, FLOATS, obligations_of_task, to_original, write_options};
use bolide_cert::{Certificate, Claim, Obligations, Section, Text};
use bolide_front::c::Floats;
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

impl ProgramCertifier<'_> {
    /// The preprocessed text for a certificate, if it can be checked without the preprocessor and is made of plain lines.
    fn embedded_text(&self) -> Option<Section> {
        let text = self.verification.certified.bytes();
        let text = std::str::from_utf8(text).ok().filter(|_| self.verification.is_portable)?;
        let is_plain = text.ends_with('\n') && !text.contains('\r');
        is_plain.then(|| Section { name: bolide_cert::program::TEXT.into(), text: text.into() })
    }
}

impl Certifier for ProgramCertifier<'_> {
    fn text(&self) -> &Text<'_> {
        &self.verification.certified
    }

    fn claim(&self) -> &Claim {
        &self.verification.claim
    }

    fn draft(&mut self) -> Option<Draft> {
        let options = self.verification.options;
        let mut said = write_options(&options.program);
        let text = self.embedded_text();
        let mut sections = match self.kept.as_mut()? {
            Kept::Proof { store, proof } => {
                said.extend(proof.options(options.blocks));
                if options.program.floats == Floats::Exact {
                    said.push((FLOATS.into(), EXACT.into()));
                }
                proof.sections(store, &self.verification.task.source)?
            }
            Kept::Inputs(inputs) => vec![Section { name: "inputs".into(), text: inputs.write() }],
            Kept::Places(places) => {
                vec![Section { name: bolide_cert::program::PLACES.into(), text: places.clone() }]
            }
        };
        sections.extend(text);
        Some(Draft { options: said, sections })
    }

    fn obligations(&self, certificate: &Certificate, budget: &Budget) -> Result<Obligations, Refusal> {
        let verification = self.verification;
        obligations_of_task(verification.read.clone(), verification.task, certificate, budget)
            .map_err(Refusal::Unsaid)
    }

    fn to_original(&self, certificate: &Certificate, budget: &Budget) -> Result<Certificate, Refusal> {
        let mut separate = |store: &mut Store, before: Term, after: Term| {
            let config = bolide_itp::Config::default();
            interpolate_sequence(store, &[before, after], &config, budget).ok()?.first().copied()
        };
        let verification = self.verification;
        to_original(verification.read.clone(), verification.task, certificate, &mut separate, budget)
            .map_err(Refusal::Unsaid)
    }

    fn add_invariants(&self, report: &mut Report, certificate: &Certificate) {
        let verification = self.verification;
        let mut store = verification.read.clone();
        certificate_facts::add(&mut store, verification.task, &verification.subject, report, certificate);
    }
}
