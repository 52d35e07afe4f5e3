//! Certificates on the command line: writing them, and `bolide check`.

use crate::arguments::{CheckOptions, VerifyOptions};
use crate::cache::Lookup;
use crate::input::{is_task_file, task_file::TaskFile};
use crate::output::{make_directory, write_file};
use crate::report::{Report, Word};
use crate::verify::{Kind, Refused, text_of};
use crate::{exit, limits};
use bolide_base::Budget;
use bolide_cert::{Certificate, Obligation, Obligations, Rejection, Section, Verdict, format, obligations};
use bolide_proof::{Refutation, text};
use bolide_smt::{Answer, Config, Solver};
use bolide_smtlib::{print_declarations, print_term};
use bolide_term::Store;
use std::fmt::Write;
use std::path::Path;

/// The exit code for evidence that does not show the verdict.
const REJECTED: u8 = 1;
/// How often an obligation is tried with another seed.
const SEEDS: u32 = 3;

/// Writes the certificate of a verdict and its obligations, if the options ask for them and there is a verdict; the exit
/// code if that is not possible, and the message has been printed. The cache gets the certificate, too.
pub fn write(
    file: &Path,
    text: &[u8],
    report: &Report,
    options: &VerifyOptions,
    lookup: &Lookup,
    budget: &Budget,
) -> Result<(), u8> {
    let is_wanted = options.certificate.is_some() || lookup.wants();
    if !is_wanted && options.export_obligations.is_none() || matches!(report.verdict, Word::Unknown(_)) {
        return Ok(());
    }
    let task = bytes(file, text, report.kind, &options.cpp).map_err(|Refused(code)| code)?;
    let mut certificate = lookup.found().cloned();
    if certificate.is_none() || options.export_obligations.is_some() {
        match make(&task, report, options, is_wanted, budget) {
            Ok(made) => certificate = certificate.or(made),
            Err(Failure::Code(code)) => return Err(code),
            Err(Failure::None(reason)) if is_wanted => {
                eprintln!("{}: no certificate: {reason}", file.display());
            }
            Err(Failure::None(reason)) => eprintln!("{}: no obligations: {reason}", file.display()),
        }
    }
    if let Some(certificate) = certificate {
        if lookup.wants() {
            lookup.keep(&certificate);
        }
        if let Some(path) = &options.certificate {
            write_file(path, &certificate.write())?;
        }
    }
    Ok(())
}

/// Why there is no certificate.
enum Failure {
    /// It cannot be made.
    None(String),
    /// Something could not be written; the exit code.
    Code(u8),
}

/// Makes the certificate of a verdict and exports its obligations; without proofs there is none.
fn make(
    task: &[u8],
    report: &Report,
    options: &VerifyOptions,
    with_proofs: bool,
    budget: &Budget,
) -> Result<Option<Certificate>, Failure> {
    let verdict = if report.verdict == Word::Safe { Verdict::Safe } else { Verdict::Unsafe };
    let mut certificate = Certificate {
        kind: kind(report.kind),
        task: format::hash(task),
        options: report.evidence_options.clone(),
        verdict,
        sections: report.evidence.clone(),
    };
    if certificate.sections.is_empty() {
        return Err(Failure::None("the evidence cannot be written".into()));
    }
    if verdict == Verdict::Safe {
        let mut found = obligations(task, &certificate, &Budget::unlimited()).map_err(Failure::None)?;
        if let Some(directory) = &options.export_obligations {
            export(directory, &found).map_err(Failure::Code)?;
        }
        if !with_proofs {
            return Ok(None);
        }
        let text = prove_all(&mut found, budget).map_err(Failure::None)?;
        certificate.sections.push(Section { name: "proof".into(), text });
    }
    // What is handed out has been read and accepted.
    let accepted = Certificate::read(&certificate.write()).map_err(|e| e.to_string()).and_then(|read| {
        bolide_cert::check(task, &read, &Budget::unlimited()).map_err(|rejection| rejection.to_string())
    });
    match accepted {
        Ok(()) => Ok(Some(certificate)),
        Err(reason) => Err(Failure::None(format!("it would be rejected: {reason}"))),
    }
}

/// The kind of a task in certificates.
pub fn kind(kind: Kind) -> bolide_cert::Kind {
    match kind {
        Kind::Program => bolide_cert::Kind::C,
        Kind::Horn => bolide_cert::Kind::Horn,
        Kind::Aiger => bolide_cert::Kind::Aiger,
        Kind::Btor2 => bolide_cert::Kind::Btor2,
    }
}

/// The bytes that a certificate is about.
pub fn bytes(file: &Path, text: &[u8], kind: Kind, cpp: &str) -> Result<Vec<u8>, Refused> {
    match kind {
        Kind::Program => text_of(file, text, cpp).map(String::into_bytes),
        _ => Ok(text.to_vec()),
    }
}

/// Refutations of all obligations, as text.
fn prove_all(obligations: &mut Obligations, budget: &Budget) -> Result<String, String> {
    let mut refutations = Vec::with_capacity(obligations.list.len());
    for obligation in &obligations.list {
        refutations.push(prove(&mut obligations.store, obligation, budget)?);
    }
    Ok(text::write(&obligations.store, &refutations))
}

fn prove(store: &mut Store, obligation: &Obligation, budget: &Budget) -> Result<Refutation, String> {
    let mut reason = String::new();
    for seed in 0..SEEDS {
        let mut solver = Solver::new(Config { proofs: true, seed, ..Config::default() });
        obligation.formulas.iter().for_each(|&f| solver.assert(f));
        match solver.check(store, budget) {
            Answer::Unsat => return solver.refutation(store),
            Answer::Sat => return Err(format!("{}: not so", obligation.name)),
            Answer::Unknown(why) => reason = why.to_string(),
        }
    }
    Err(format!("{}: {reason}", obligation.name))
}

/// Writes each obligation as a script that ought to be unsatisfiable.
fn export(directory: &Path, obligations: &Obligations) -> Result<(), u8> {
    make_directory(directory)?;
    for (n, obligation) in obligations.list.iter().enumerate() {
        let mut script = format!("; {}\n(set-info :status unsat)\n", obligation.name);
        let _ = write!(script, "{}", print_declarations(&obligations.store, &obligation.formulas));
        for &f in &obligation.formulas {
            let _ = writeln!(script, "(assert {})", print_term(&obligations.store, f));
        }
        script.push_str("(check-sat)\n");
        write_file(&directory.join(format!("{n:05}.smt2")), &script)?;
    }
    Ok(())
}

/// `bolide check`: accepts or rejects a certificate.
pub fn check(options: &CheckOptions) -> u8 {
    match try_check(options) {
        Ok(code) | Err(Refused(code)) => code,
    }
}

fn try_check(options: &CheckOptions) -> Result<u8, Refused> {
    let read = |path: &Path| {
        std::fs::read(path).map_err(|error| {
            eprintln!("{}: error: {error}", path.display());
            Refused(exit::BAD_INPUT)
        })
    };
    let budget = limits::budget(options.timeout, None).map_err(|message| {
        eprintln!("bolide: {message}");
        Refused(exit::USAGE)
    })?;
    let file = &match is_task_file(&options.file) {
        false => options.file.clone(),
        true => TaskFile::load(&options.file).map(|task| task.input).map_err(|message| {
            eprintln!("{}: error: {message}", options.file.display());
            Refused(exit::BAD_INPUT)
        })?,
    };
    let Some(kind_of_file) = Kind::of(file) else {
        eprintln!("{}: error: what kind of task is this?", file.display());
        return Err(Refused(exit::BAD_INPUT));
    };
    let task = bytes(file, &read(file)?, kind_of_file, &options.cpp)?;
    let text = read(&options.certificate)?;
    let bad = |message: String| {
        eprintln!("{}: error: {message}", options.certificate.display());
        Refused(exit::BAD_INPUT)
    };
    let text = String::from_utf8(text).map_err(|_| bad("the file is not text".into()))?;
    let certificate = Certificate::read(&text).map_err(|error| bad(error.to_string()))?;
    if certificate.kind != kind(kind_of_file) {
        println!("rejected: the certificate is for a task of another kind");
        return Ok(exit::BAD_INPUT);
    }
    match bolide_cert::check(&task, &certificate, &budget) {
        Ok(()) => {
            println!("accepted: {}", certificate.verdict);
            Ok(0)
        }
        Err(rejection) => {
            println!("rejected: {rejection}");
            Ok(if rejection == Rejection::OtherTask { exit::BAD_INPUT } else { REJECTED })
        }
    }
}
