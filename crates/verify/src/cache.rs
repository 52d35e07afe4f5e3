//! Certificates of earlier verdicts.
//!
//! The key is a hash of what a verdict depends on: the version, the kind, the options that say how the task is read, and
//! the task as the engines see it. A C program is looked up in its prepared form, so that comments, formatting and
//! functions that do not matter may change; clauses and circuits without their comments. A certificate that is found is
//! checked against the task that is asked about before it is believed; the cache is never trusted.

use bolide_base::Budget;
use bolide_cert::format::{self, FormatError};
use bolide_cert::program::{PLACES, TEXT};
use bolide_cert::{Certificate, Claim, Rejection, Text};
use std::fmt;

/// Where certificates are kept between runs.
pub trait Cache {
    /// What is kept under a key.
    fn load(&self, key: &str) -> Option<Vec<u8>>;
    /// Keeps a certificate under a key.
    fn keep(&self, key: &str, certificate: &str);
    /// Called when what is kept under a key is of no use, and why.
    fn ignored(&self, key: &str, reason: &str);
}

/// A certificate that the checker has accepted for the task at hand.
pub struct Accepted(Certificate);

impl Accepted {
    /// Checks a certificate.
    pub fn new(
        task: &Text<'_>,
        claim: &Claim,
        certificate: Certificate,
        budget: &Budget,
    ) -> Result<Accepted, Rejection> {
        match bolide_cert::check(task, claim, &certificate, budget) {
            // What has nothing that could be violated is safe, although nobody would call that evidence.
            Ok(()) | Err(Rejection::NothingChecked(_)) => Ok(Accepted(certificate)),
            Err(rejection) => Err(rejection),
        }
    }

    /// The certificate.
    pub fn certificate(&self) -> &Certificate {
        &self.0
    }
}

/// One question to the cache.
pub(crate) struct Lookup<'a> {
    cache: Option<&'a dyn Cache>,
    /// The key, once the task is known.
    key: Option<String>,
    /// What was found and checked.
    found: Option<Accepted>,
}

/// What is looked up.
pub(crate) struct Question<'a> {
    /// What is asked about it, and how it is read.
    pub claim: &'a Claim,
    /// The task as the engines see it.
    pub content: &'a str,
    /// The text that a certificate is about.
    pub task: &'a Text<'a>,
}

impl<'a> Lookup<'a> {
    /// A question to a cache; without one nothing is ever found.
    pub fn new(cache: Option<&'a dyn Cache>) -> Lookup<'a> {
        Lookup { cache, key: None, found: None }
    }

    /// Is there a cache?
    pub fn is_on(&self) -> bool {
        self.cache.is_some()
    }

    /// The certificate of a verdict about the task, if there is one that is right.
    pub fn ask(&mut self, question: &Question<'_>, budget: &Budget) -> Option<&Accepted> {
        let cache = self.cache?;
        let mut text =
            format!("bolide {}\nkind {}\n", env!("CARGO_PKG_VERSION"), question.claim.kind().name());
        for (name, value) in question.claim.options() {
            text += &format!("option {name} {value}\n");
        }
        text += question.content;
        let key = self.key.insert(format::hash(text.as_bytes()));
        let text = cache.load(key)?;
        match read(text, question, budget) {
            Ok(accepted) => self.found = Some(accepted),
            Err(reason) => cache.ignored(key, &reason.to_string()),
        }
        self.found.as_ref()
    }

    /// The certificate that was found, if that was so.
    pub fn found(&self) -> Option<&Certificate> {
        self.found.as_ref().map(Accepted::certificate)
    }

    /// Should the certificate of a new verdict be kept?
    pub fn wants(&self) -> bool {
        self.key.is_some() && self.found.is_none()
    }

    /// Keeps a certificate for the next time.
    pub fn keep(&self, certificate: &Certificate) {
        if let (Some(cache), Some(key)) = (self.cache, &self.key) {
            cache.keep(key, &certificate.write());
        }
    }
}

/// Why a file of the cache is not used.
enum Unusable {
    NotText,
    Format(FormatError),
    Rejected(Rejection),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::NotText => f.write_str("not text"),
            Unusable::Format(error) => error.fmt(f),
            Unusable::Rejected(rejection) => rejection.fmt(f),
        }
    }
}

/// The certificate in a file of the cache, checked against the task at hand.
fn read(text: Vec<u8>, question: &Question<'_>, budget: &Budget) -> Result<Accepted, Unusable> {
    let text = String::from_utf8(text).map_err(|_| Unusable::NotText)?;
    let mut certificate = Certificate::read(&text).map_err(Unusable::Format)?;
    // The task may differ from that of the certificate in what does not matter, such as places.
    certificate.task = question.task.hash().into();
    certificate.sections.retain(|section| ![PLACES, TEXT].contains(&section.name.as_str()));
    Accepted::new(question.task, question.claim, certificate, budget).map_err(Unusable::Rejected)
}
