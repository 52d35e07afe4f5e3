//! Certificates on the command line: writing them, and `bolide check`.

use crate::arguments::{CheckOptions, VerifyOptions};
use crate::cache::Lookup;
use crate::input::{is_task_file, task_file::TaskFile};
use crate::output::{make_directory, write_file};
use crate::report::{Report, Word};
use crate::verify::{Kind, Refused, tell, text_of};
use crate::{exit, limits};
use bolide_base::Budget;
use bolide_cert::program::{
    ABSTRACTION, APART, FORM, PLACES, PREPARED, RECURSION, SUMMARIES, WAYS, subject, to_original,
};
use bolide_cert::{Certificate, Obligation, Obligations, Rejection, Section, Verdict, format, obligations};
use bolide_itp::interpolate_sequence;
use bolide_proof::{Refutation, text};
use bolide_smt::{Answer, Config, Solver};
use bolide_smtlib::{print_declarations, print_term};
use bolide_term::{Func, Store, Term};
use rustc_hash::FxHashSet;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// The exit code for evidence that does not show the verdict.
const REJECTED: u8 = 1;
/// How long a certificate in terms of the original program may take.
const ORIGINAL_TIME: Duration = Duration::from_secs(20);
/// How long an obligation is tried if there are more and simpler ones instead.
const TOGETHER_TIME: Duration = Duration::from_secs(1);
/// How long an obligation is tried with a part of its formulas.
const CLOSE_TIME: Duration = Duration::from_millis(500);
/// How often an obligation is tried with another seed.
const SEEDS: u32 = 3;

/// Writes the certificate of a verdict and its obligations, if the options ask for them and there is a verdict; the exit
/// code if that is not possible, and the message has been printed. The cache gets the certificate, too.
pub fn write(
    file: &Path,
    text: &[u8],
    report: &mut Report,
    options: &VerifyOptions,
    lookup: &Lookup,
    budget: &Budget,
) -> Result<(), u8> {
    let is_wanted = options.certificate.is_some() || lookup.wants();
    // What was proved about another form of a program can be told only about the original one.
    let is_of_other =
        |(name, value): &(String, String)| name == ABSTRACTION || name == RECURSION && value != SUMMARIES;
    let is_other = report.evidence_options.iter().any(is_of_other);
    let is_untold = is_other && report.verdict == Word::Safe && report.invariant.is_empty();
    let is_told = is_untold && (options.witness.is_some() || options.report.is_some());
    let is_exported = options.export_obligations.is_some();
    if !is_wanted && !is_exported && !is_told || matches!(report.verdict, Word::Unknown(_)) {
        return Ok(());
    }
    let task = bytes(file, text, report.kind, &options.cpp).map_err(|Refused(code)| code)?;
    let Some(draft) = lookup.found().cloned().or_else(|| draft(&task, report)) else {
        let what = if is_wanted { "certificate" } else { "obligations" };
        if is_wanted || is_exported {
            eprintln!("{}: no {what}: the evidence cannot be written", file.display());
        }
        return Ok(());
    };
    let what = match (&options.certificate, is_exported) {
        (Some(_), _) => Some("certificate is"),
        (None, true) => Some("obligations are"),
        (None, false) => None,
    };
    let original = match what {
        None if !is_told => None,
        _ => original(file, &task, &draft, what, budget),
    };
    if let Some(certificate) = original.as_ref().filter(|_| is_untold) {
        tell(file, text, &task, report, options, certificate);
    }
    let mut other = lookup.found().cloned();
    if let Some(found) = &mut other {
        let places = report.evidence.iter().find(|section| section.name == PLACES);
        found.sections.extend(places.cloned());
    }
    let is_missing = lookup.wants() || options.certificate.is_some() && original.is_none();
    if other.is_none() && is_missing {
        match complete(&task, draft.clone(), &Budget::unlimited(), budget) {
            Ok(certificate) => other = Some(certificate),
            Err(reason) => eprintln!("{}: no certificate: {reason}", file.display()),
        }
    }
    if let Some(directory) = &options.export_obligations
        && report.verdict == Word::Safe
    {
        match obligations(&task, original.as_ref().unwrap_or(&draft), &Budget::unlimited()) {
            Ok(found) => export(directory, &found)?,
            Err(reason) => eprintln!("{}: no obligations: {reason}", file.display()),
        }
    }
    if let Some(certificate) = other.as_ref().filter(|_| lookup.wants()) {
        lookup.keep(certificate);
    }
    match (&options.certificate, original.or(other)) {
        (Some(path), Some(certificate)) => write_file(path, &certificate.write()),
        _ => Ok(()),
    }
}

/// The certificate of a verdict without its proofs; `None` if the evidence cannot be written.
fn draft(task: &[u8], report: &Report) -> Option<Certificate> {
    let verdict = if report.verdict == Word::Safe { Verdict::Safe } else { Verdict::Unsafe };
    let mut options = report.evidence_options.clone();
    if report.kind == Kind::Program && verdict == Verdict::Safe {
        options.push((FORM.into(), PREPARED.into()));
    }
    (!report.evidence.is_empty()).then(|| Certificate {
        kind: kind(report.kind),
        task: format::hash(task),
        options,
        verdict,
        sections: report.evidence.clone(),
    })
}

/// The certificate of a C program in terms of the original one, if that is to be had within a part of the time. If not, a
/// note says what is therefore about the prepared program.
fn original(
    file: &Path,
    task: &[u8],
    draft: &Certificate,
    what: Option<&str>,
    budget: &Budget,
) -> Option<Certificate> {
    if draft.option(FORM) != Some(PREPARED) {
        return None;
    }
    let part = budget.remaining().map_or(ORIGINAL_TIME, |left| ORIGINAL_TIME.min(left / 2));
    let budget = &budget.child(part);
    let mut separate = |store: &mut Store, before: Term, after: Term| {
        let config = bolide_itp::Config::default();
        interpolate_sequence(store, &[before, after], &config, budget).ok()?.first().copied()
    };
    let certificate = to_original(task, draft, &mut separate, budget)
        .and_then(|original| complete_original(task, original, budget));
    match certificate {
        Ok(certificate) => Some(certificate),
        Err(reason) => {
            if let Some(what) = what {
                eprintln!("{}: note: the {what} about the prepared program: {reason}", file.display());
            }
            None
        }
    }
}

/// Adds the proofs to a certificate about the original program. If an obligation is hard, ways are kept apart.
fn complete_original(task: &[u8], original: Certificate, budget: &Budget) -> Result<Certificate, String> {
    complete_within(task, original.clone(), budget, budget, Some(TOGETHER_TIME)).or_else(|_| {
        let mut apart = original;
        apart.options.push((WAYS.into(), APART.into()));
        complete(task, apart, budget, budget)
    })
}

/// Adds the proofs to a certificate. What is handed out has been read and accepted.
/// `checking` is for what the checker does, `budget` for the solver.
fn complete(
    task: &[u8],
    certificate: Certificate,
    checking: &Budget,
    budget: &Budget,
) -> Result<Certificate, String> {
    complete_within(task, certificate, checking, budget, None)
}

/// The same, with a limit on the time for each obligation.
fn complete_within(
    task: &[u8],
    mut certificate: Certificate,
    checking: &Budget,
    budget: &Budget,
    each: Option<Duration>,
) -> Result<Certificate, String> {
    if certificate.verdict == Verdict::Safe {
        let mut found = obligations(task, &certificate, checking)?;
        let text = prove_all(&mut found, budget, each)?;
        certificate.sections.push(Section { name: "proof".into(), text });
    }
    let accepted = Certificate::read(&certificate.write()).map_err(|e| e.to_string()).and_then(|read| {
        bolide_cert::check(task, &read, checking).map_err(|rejection| rejection.to_string())
    });
    match accepted {
        Ok(()) => Ok(certificate),
        Err(reason) => Err(format!("it would be rejected: {reason}")),
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
        Kind::Program => text_of(file, text, cpp),
        _ => Ok(text.to_vec()),
    }
}

/// Refutations of all obligations, as text.
fn prove_all(
    obligations: &mut Obligations,
    budget: &Budget,
    each: Option<Duration>,
) -> Result<String, String> {
    let mut refutations = Vec::with_capacity(obligations.list.len());
    for obligation in &obligations.list {
        refutations.push(match each {
            Some(time) => prove(&mut obligations.store, obligation, &budget.child(time))?,
            None => prove(&mut obligations.store, obligation, budget)?,
        });
    }
    Ok(text::write(&obligations.store, &refutations))
}

fn prove(store: &mut Store, obligation: &Obligation, budget: &Budget) -> Result<Refutation, String> {
    if let Some(close) = close_to_goal(store, obligation)
        && let Ok(Some(refutation)) = refute(store, &close, 0, &budget.child(CLOSE_TIME))
    {
        return Ok(refutation);
    }
    let mut reason = String::new();
    for seed in 0..SEEDS {
        match refute(store, &obligation.formulas, seed, budget) {
            Ok(Some(refutation)) => return Ok(refutation),
            Ok(None) => return Err(format!("{}: not so", obligation.name)),
            Err(why) => reason = why,
        }
    }
    Err(format!("{}: {reason}", obligation.name))
}

/// A refutation of some formulas; nothing if they can hold together.
fn refute(
    store: &mut Store,
    formulas: &[Term],
    seed: u32,
    budget: &Budget,
) -> Result<Option<Refutation>, String> {
    let mut solver = Solver::new(Config { proofs: true, seed, ..Config::default() });
    formulas.iter().for_each(|&f| solver.assert(f));
    match solver.check(store, budget) {
        Answer::Unsat => solver.refutation(store).map(Some),
        Answer::Sat => Ok(None),
        Answer::Unknown(why) => Err(why.to_string()),
    }
}

/// The formulas that speak of nothing but what the negated goal speaks of. Often they are enough, and what else happened on
/// the way makes a proof hard to find.
fn close_to_goal(store: &Store, obligation: &Obligation) -> Option<Vec<Term>> {
    let symbols: FxHashSet<Func> = store.symbols([obligation.negated_goal?]).into_iter().collect();
    let is_close = |f: &Term| store.symbols([*f]).iter().all(|s| symbols.contains(s));
    let close: Vec<Term> = obligation.formulas.iter().copied().filter(is_close).collect();
    (close.len() < obligation.formulas.len()).then_some(close)
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
            if let Some(form) = certificate.option(FORM) {
                println!("form: {form}");
            }
            if certificate.kind == bolide_cert::Kind::C
                && let Ok((about, notes)) = subject(&task, &certificate)
            {
                eprintln!("about: {about}");
                notes.iter().for_each(|note| eprintln!("note: {note}"));
            }
            Ok(0)
        }
        Err(rejection) => {
            println!("rejected: {rejection}");
            Ok(if rejection == Rejection::OtherTask { exit::BAD_INPUT } else { REJECTED })
        }
    }
}
