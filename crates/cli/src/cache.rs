//! The cache of `--cache DIR`: certificates of earlier verdicts.
//!
//! The key is a hash of what a verdict depends on: the version, the kind, the options that say how the task is read, and
//! the task as the engines see it. A C program is looked up in its prepared form, so that comments, formatting and
//! functions that do not matter may change; clauses and circuits without their comments. A certificate that is found is
//! checked against the task that is asked about before it is believed; the cache is never trusted.

use crate::output::{make_directory, write_whole};
use bolide_base::Budget;
use bolide_cert::program::PLACES;
use bolide_cert::{Certificate, format};
use std::path::PathBuf;

/// One question to the cache.
pub struct Lookup {
    directory: Option<PathBuf>,
    /// The key, once the task is known.
    key: Option<String>,
    /// What was found and checked.
    found: Option<Certificate>,
}

/// What is looked up.
pub struct Question<'a> {
    /// The kind of the task.
    pub kind: bolide_cert::Kind,
    /// How it is read.
    pub options: &'a [(String, String)],
    /// The task as the engines see it.
    pub content: &'a str,
    /// The bytes that a certificate is about.
    pub task: &'a [u8],
}

impl Lookup {
    /// A question to the cache in a directory, which is made if need be; without a directory nothing is ever found. The
    /// exit code if the directory cannot be made.
    pub fn new(directory: Option<PathBuf>) -> Result<Lookup, u8> {
        if let Some(directory) = &directory {
            make_directory(directory)?;
        }
        Ok(Lookup { directory, key: None, found: None })
    }

    /// Is there a cache?
    pub fn is_on(&self) -> bool {
        self.directory.is_some()
    }

    /// The certificate of a verdict about the task, if there is one that is right.
    pub fn ask(&mut self, question: &Question<'_>, budget: &Budget) -> Option<&Certificate> {
        self.directory.as_ref()?;
        let mut text = format!("bolide {}\nkind {}\n", env!("CARGO_PKG_VERSION"), question.kind.name());
        for (name, value) in question.options {
            text += &format!("option {name} {value}\n");
        }
        text += question.content;
        self.key = Some(format::hash(text.as_bytes()));
        let path = self.path()?;
        let text = std::fs::read(&path).ok()?;
        let checked = String::from_utf8(text).map_err(|_| "not text".to_string()).and_then(|text| {
            let mut certificate = Certificate::read(&text).map_err(|e| e.to_string())?;
            // The task may differ from that of the certificate in what does not matter, such as places.
            certificate.task = format::hash(question.task);
            certificate.sections.retain(|section| section.name != PLACES);
            let has = |(name, value): &(String, String)| certificate.option(name) == Some(value.as_str());
            if certificate.kind != question.kind || !question.options.iter().all(has) {
                return Err("it is for another task".into());
            }
            bolide_cert::check(question.task, &certificate, budget).map_err(|e| e.to_string())?;
            Ok(certificate)
        });
        match checked {
            Ok(certificate) => self.found = Some(certificate),
            Err(reason) => eprintln!("{}: warning: ignored: {reason}", path.display()),
        }
        self.found.as_ref()
    }

    /// The certificate that was found, if that was so.
    pub fn found(&self) -> Option<&Certificate> {
        self.found.as_ref()
    }

    /// Should the certificate of a new verdict be kept?
    pub fn wants(&self) -> bool {
        self.key.is_some() && self.found.is_none()
    }

    /// Keeps a certificate for the next time.
    pub fn keep(&self, certificate: &Certificate) {
        let Some(path) = self.path() else { return };
        if let Err(error) = write_whole(&path, certificate.write().as_bytes()) {
            eprintln!("{}: warning: not kept: {error}", path.display());
        }
    }

    fn path(&self) -> Option<PathBuf> {
        Some(self.directory.as_ref()?.join(format!("{}.cert", self.key.as_ref()?)))
    }
}
