//! The file format.
//!
//! ```text
//! bolide-certificate 1
//! kind horn
//! task 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
//! option data-model LP64
//! verdict safe
//! section invariant 1
//! 0 (<= 0 x)
//! section proof 7
//! ...
//! end
//! ```
//!
//! The header lines come in this order, `option` any number of times. The number after the name of a section is how many
//! lines it has. No option and no section comes twice. The hash is the SHA-256 of the task's bytes as they were written; if a
//! preprocessor made the text from several files, of all their contents ([`hash_files`]).

use sha2::{Digest, Sha256};
use std::fmt::{self, Write};

/// The first line: a word and the version of the format.
const MAGIC: &str = "bolide-certificate";
const VERSION: &str = "1";
/// The last line, which shows that nothing is missing.
const END: &str = "end";

/// So many options, and so many sections, a certificate may have: a few for each property of a circuit.
const MOST_PARTS: usize = 10_000;

/// The kind of a task.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A C program.
    C,
    /// Horn clauses.
    Horn,
    /// An and-inverter graph.
    Aiger,
    /// A word-level circuit.
    Btor2,
}

impl Kind {
    /// All kinds with their names.
    const NAMES: [(&str, Kind); 4] =
        [("c", Kind::C), ("horn", Kind::Horn), ("aiger", Kind::Aiger), ("btor2", Kind::Btor2)];

    /// The name in the file.
    pub fn name(self) -> &'static str {
        Kind::NAMES.iter().find(|(_, k)| *k == self).map_or("", |(name, _)| name)
    }
}

/// What a certificate is about.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No execution violates a property.
    Safe,
    /// Some execution does.
    Unsafe,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Safe => "safe",
            Verdict::Unsafe => "unsafe",
        })
    }
}

/// A part of the evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its name, without blanks.
    pub name: String,
    /// Its lines.
    pub text: String,
}

/// A certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The kind of the task.
    pub kind: Kind,
    /// The hash of the task, in hexadecimal.
    pub task: String,
    /// How the task is to be read.
    pub options: Vec<(String, String)>,
    /// The verdict.
    pub verdict: Verdict,
    /// The evidence.
    pub sections: Vec<Section>,
}

/// Where a file stops being a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// The line, from 1.
    pub line: usize,
    /// What was expected.
    pub message: String,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// The hash of a task.
pub fn hash(task: &[u8]) -> String {
    let mut out = String::with_capacity(64);
    for byte in Sha256::digest(task) {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// The hash of a task that a preprocessor made of several files, by their contents: the length of each, then its bytes.
pub fn hash_files(files: &[impl AsRef<[u8]>]) -> String {
    let mut all = b"bolide-files 1\n".to_vec();
    for file in files {
        all.extend((file.as_ref().len() as u64).to_le_bytes());
        all.extend_from_slice(file.as_ref());
    }
    hash(&all)
}

impl Certificate {
    /// The section with this name.
    pub fn section(&self, name: &str) -> Option<&str> {
        self.sections.iter().find(|s| s.name == name).map(|s| s.text.as_str())
    }

    /// The option with this name.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// The text of the file.
    pub fn write(&self) -> String {
        let mut out = format!("{MAGIC} {VERSION}\nkind {}\ntask {}\n", self.kind.name(), self.task);
        for (name, value) in &self.options {
            let _ = writeln!(out, "option {name} {value}");
        }
        let _ = writeln!(out, "verdict {}", self.verdict);
        for section in &self.sections {
            let _ = writeln!(out, "section {} {}", section.name, section.text.lines().count());
            for line in section.text.lines() {
                out.push_str(line);
                out.push('\n');
            }
        }
        out.push_str(END);
        out.push('\n');
        out
    }

    /// Reads a file.
    pub fn read(text: &str) -> Result<Certificate, FormatError> {
        let mut lines = Lines { lines: text.lines().collect(), next: 0 };
        match lines.take()?.split_once(' ') {
            Some((MAGIC, VERSION)) => {}
            Some((MAGIC, other)) => {
                let message =
                    format!("the certificate has version {other} of the format; known is {VERSION}");
                return Err(lines.error(&message));
            }
            _ => {
                return Err(
                    lines.error(&format!("the file is not a certificate: expected `{MAGIC} {VERSION}`"))
                );
            }
        }
        let kind = lines.word("kind")?;
        let kind = Kind::NAMES.iter().find(|(name, _)| *name == kind).map(|(_, k)| *k);
        let kind = kind.ok_or_else(|| lines.error("unknown kind of task"))?;
        let task = lines.word("task")?.to_string();
        let mut options = Vec::new();
        while lines.peek().is_some_and(|l| l.starts_with("option ")) {
            let line = lines.word("option")?;
            let (name, value) = line.split_once(' ').ok_or_else(|| lines.error("an option has a value"))?;
            if options.iter().any(|(other, _)| other == name) {
                return Err(lines.error("an option comes twice"));
            }
            if options.len() == MOST_PARTS {
                return Err(lines.error("there are too many options"));
            }
            options.push((name.to_string(), value.to_string()));
        }
        let verdict = match lines.word("verdict")? {
            "safe" => Verdict::Safe,
            "unsafe" => Verdict::Unsafe,
            _ => return Err(lines.error("the verdict is `safe` or `unsafe`")),
        };
        let mut sections = Vec::new();
        while lines.peek() != Some(END) {
            let head = lines.word("section")?;
            let (name, count) = head.split_once(' ').ok_or_else(|| lines.error("a section has a length"))?;
            let count: usize = count.parse().map_err(|_| lines.error("a section has a length"))?;
            let rest = &lines.lines[lines.next..];
            let Some(body) = rest.get(..count) else {
                return Err(lines.error("the file ends before the section does"));
            };
            let mut text = String::new();
            for line in body {
                text.push_str(line);
                text.push('\n');
            }
            lines.next += count;
            if sections.iter().any(|s: &Section| s.name == name) {
                return Err(lines.error("a section comes twice"));
            }
            if sections.len() == MOST_PARTS {
                return Err(lines.error("there are too many sections"));
            }
            sections.push(Section { name: name.to_string(), text });
        }
        lines.take()?;
        match lines.peek() {
            Some(_) => Err(lines.error("there is text after the end")),
            None => Ok(Certificate { kind, task, options, verdict, sections }),
        }
    }
}

struct Lines<'a> {
    lines: Vec<&'a str>,
    next: usize,
}

impl<'a> Lines<'a> {
    fn error(&self, message: &str) -> FormatError {
        FormatError { line: self.next.max(1), message: message.into() }
    }

    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.next).copied()
    }

    fn take(&mut self) -> Result<&'a str, FormatError> {
        let line = self.peek().ok_or_else(|| FormatError {
            line: self.next + 1,
            message: "the file ends too early: it is not whole".into(),
        })?;
        self.next += 1;
        Ok(line)
    }

    /// What follows a word at the start of the next line.
    fn word(&mut self, word: &str) -> Result<&'a str, FormatError> {
        let line = self.take()?;
        line.strip_prefix(word)
            .and_then(|rest| rest.strip_prefix(' '))
            .ok_or_else(|| self.error(&format!("expected `{word}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Certificate {
        let section = |name: &str, text: &str| Section { name: name.into(), text: text.into() };
        Certificate {
            kind: Kind::Horn,
            task: hash(b"test"),
            options: vec![("data-model".into(), "LP64".into())],
            verdict: Verdict::Safe,
            sections: vec![section("invariant", "0 true\nsection proof 1\n"), section("proof", "")],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let certificate = example();
        assert_eq!(certificate.task, "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08");
        assert_eq!(Certificate::read(&certificate.write()), Ok(certificate));
    }

    #[test]
    fn every_truncation_is_an_error() {
        let text = example().write();
        for end in 0..text.trim_end().len() {
            assert!(Certificate::read(&text[..end]).is_err(), "{end}");
        }
        assert!(Certificate::read(&format!("{text}more\n")).is_err());
    }

    #[test]
    fn other_versions_are_told_apart_from_other_files() {
        let message = |text: &str| Certificate::read(text).unwrap_err().message;
        let other = example().write().replacen("certificate 1", "certificate 9", 1);
        assert!(message(&other).contains("version 9"));
        assert!(message("int main(void) {}").contains("not a certificate"));
        assert!(message("").contains("ends too early"));
    }
}
