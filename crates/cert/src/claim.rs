//! What the user of the checker wants to know: the text, and what is claimed about it. Neither comes from the certificate.

use crate::format::{self, Certificate, Kind};
use bolide_front::c;

/// A task: the text that is read, and the hash by which a certificate names it.
#[derive(Clone, Debug)]
pub struct Text<'a> {
    bytes: &'a [u8],
    hash: String,
}

impl<'a> Text<'a> {
    /// A text that is read as it was written.
    pub fn new(bytes: &'a [u8]) -> Text<'a> {
        Text { bytes, hash: format::hash(bytes) }
    }

    /// A text that a preprocessor made of files: the one that was named, and those that it includes. The hash is of their
    /// contents, so that it does not depend on the names by which they were found.
    pub fn preprocessed(bytes: &'a [u8], files: &[impl AsRef<[u8]>]) -> Text<'a> {
        Text { bytes, hash: format::hash_files(files) }
    }

    /// The bytes that are read.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The hash, in hexadecimal.
    pub fn hash(&self) -> &str {
        &self.hash
    }
}

/// What is claimed to be safe or unsafe. It is stated by whoever checks a certificate, never taken from it.
#[derive(Clone, Debug)]
pub enum Claim {
    /// A C program: its properties, its entry, and how it is read.
    C(c::Options),
    /// The satisfiability of Horn clauses: `safe` if there is a solution.
    Horn,
    /// All bad states of an and-inverter graph.
    Aiger,
    /// All bad states of a word-level circuit.
    Btor2,
}

impl Claim {
    /// The kind of task that it is about.
    pub fn kind(&self) -> Kind {
        match self {
            Claim::C(_) => Kind::C,
            Claim::Horn => Kind::Horn,
            Claim::Aiger => Kind::Aiger,
            Claim::Btor2 => Kind::Btor2,
        }
    }

    /// The claim as options of a certificate.
    pub fn options(&self) -> Vec<(String, String)> {
        match self {
            Claim::C(options) => crate::program::write_options(options),
            _ => Vec::new(),
        }
    }

    /// What a certificate is about instead of this; nothing if it is about this.
    pub fn difference(&self, certificate: &Certificate) -> Option<String> {
        if certificate.kind != self.kind() {
            let (theirs, ours) = (certificate.kind.name(), self.kind().name());
            return Some(format!("a task of kind {theirs}, not {ours}"));
        }
        let differences: Vec<String> =
            self.options().iter().filter_map(|o| differs(o, certificate)).collect();
        (!differences.is_empty()).then(|| differences.join("; "))
    }

    /// The claim in words, for C programs.
    pub fn describe(&self) -> Option<String> {
        let options = self.options();
        let said: Vec<String> =
            options.iter().map(|(name, value)| format!("{name} {}", shown(value))).collect();
        (!said.is_empty()).then(|| said.join("; "))
    }
}

/// How the value of an option differs.
fn differs((name, ours): &(String, String), certificate: &Certificate) -> Option<String> {
    match certificate.option(name) {
        Some(theirs) if theirs == ours => None,
        Some(theirs) => Some(format!("{name} {}, not {}", shown(theirs), shown(ours))),
        None => Some(format!("no {name}, not {}", shown(ours))),
    }
}

/// A list as it is written on the command line, shortened if a certificate has something absurd there.
fn shown(value: &str) -> String {
    const LONGEST: usize = 200;
    match value {
        "" => "none".into(),
        _ => value.chars().take(LONGEST).filter(|c| !c.is_control()).collect(),
    }
}
