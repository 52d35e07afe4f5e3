//! What is to be decided.

use bolide_cert::{Claim, Text};
use bolide_engine::Input;
use bolide_front::c;

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

    /// What a certificate of such a task claims; the options are for C.
    pub fn claim(self, options: &c::Options) -> Claim {
        match self {
            Kind::Program => Claim::C(options.clone()),
            Kind::Horn => Claim::Horn,
            Kind::Aiger => Claim::Aiger,
            Kind::Btor2 => Claim::Btor2,
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
    /// The contents of the files that the preprocessor included, in the order in which it met them.
    pub included: Vec<Vec<u8>>,
    /// Can the preprocessed text be made again without running a program? Then certificates carry it.
    pub is_portable: bool,
}

impl Task {
    /// A task of some kind.
    pub fn new(name: impl Into<String>, kind: Kind, text: impl Into<Vec<u8>>) -> Task {
        Task {
            name: name.into(),
            kind,
            text: text.into(),
            preprocessed: None,
            included: Vec::new(),
            is_portable: false,
        }
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

    /// The same with the contents of the files that were included.
    #[must_use]
    pub fn with_included(mut self, files: Vec<Vec<u8>>) -> Task {
        self.included = files;
        self
    }

    /// The same, if a checker that starts no program gets the same tokens from the files.
    #[must_use]
    pub fn with_portable(mut self, is_portable: bool) -> Task {
        self.is_portable = is_portable;
        self
    }

    /// The text for a certificate, with the hash of what was written.
    pub fn certified(&self) -> Text<'_> {
        match &self.preprocessed {
            None => Text::new(&self.text),
            Some(text) => {
                let files: Vec<&[u8]> = [self.text.as_slice()]
                    .into_iter()
                    .chain(self.included.iter().map(Vec::as_slice))
                    .collect();
                Text::preprocessed(text, &files)
            }
        }
    }

    /// The bytes that are verified and that a certificate is about: for C the text after preprocessing.
    pub fn source(&self) -> &[u8] {
        self.preprocessed.as_ref().unwrap_or(&self.text)
    }
}
