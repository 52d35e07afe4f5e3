//! What is to be decided.

use bolide_engine::Input;

/// The kind of a task.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A C program.
    Program,
    /// Horn clauses in SMT-LIB.
    Horn,
    /// An and-inverter graph in AIGER's format.
    Aiger,
    /// A word-level circuit in BTOR2.
    Btor2,
}

impl Kind {
    /// The name of the kind in reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Program => "c",
            Kind::Horn => "horn",
            Kind::Aiger => "aiger",
            Kind::Btor2 => "btor2",
        }
    }

    /// The kind that the extension of a file name stands for.
    pub fn of_extension(extension: &str) -> Option<Kind> {
        match extension {
            "c" | "i" => Some(Kind::Program),
            "smt2" => Some(Kind::Horn),
            "aig" | "aag" => Some(Kind::Aiger),
            "btor" | "btor2" => Some(Kind::Btor2),
            _ => None,
        }
    }

    /// What engines for it work on.
    pub fn input(self) -> Input {
        match self {
            Kind::Program => Input::Program,
            Kind::Horn => Input::Horn,
            Kind::Aiger | Kind::Btor2 => Input::Circuit,
        }
    }

    /// The kind in certificates.
    pub fn certified(self) -> bolide_cert::Kind {
        match self {
            Kind::Program => bolide_cert::Kind::C,
            Kind::Horn => bolide_cert::Kind::Horn,
            Kind::Aiger => bolide_cert::Kind::Aiger,
            Kind::Btor2 => bolide_cert::Kind::Btor2,
        }
    }
}

/// A task: a text and what it is called.
#[derive(Clone, Debug)]
pub struct Task {
    /// The name of the file, which stands in reports and witnesses.
    pub name: String,
    /// The kind of the text.
    pub kind: Kind,
    /// The text as the file has it.
    pub text: Vec<u8>,
    /// For C: the text after preprocessing, if it needs that.
    pub preprocessed: Option<Vec<u8>>,
}

impl Task {
    /// A task of some kind.
    pub fn new(name: impl Into<String>, kind: Kind, text: impl Into<Vec<u8>>) -> Task {
        Task { name: name.into(), kind, text: text.into(), preprocessed: None }
    }

    /// A C program.
    pub fn c(name: impl Into<String>, text: impl Into<Vec<u8>>) -> Task {
        Task::new(name, Kind::Program, text)
    }

    /// Horn clauses.
    pub fn horn(name: impl Into<String>, text: impl Into<Vec<u8>>) -> Task {
        Task::new(name, Kind::Horn, text)
    }

    /// The same C program with its text after preprocessing.
    #[must_use]
    pub fn with_preprocessed(mut self, text: impl Into<Vec<u8>>) -> Task {
        self.preprocessed = Some(text.into());
        self
    }

    /// The bytes that a certificate is about: for C the text after preprocessing.
    pub fn certified_text(&self) -> &[u8] {
        self.preprocessed.as_deref().unwrap_or(&self.text)
    }
}
