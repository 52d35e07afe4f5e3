//! `bolide check`: accepts or rejects a certificate of a claim that stands on the command line. Nothing else is read but the files
//! that are named there, and no program is run unless `--cpp` names it.

use crate::arguments::{CheckOptions, Chosen};
use crate::input::{is_task_file, task_file::TaskFile};
use crate::names::DataModel;
use crate::options::Question;
use crate::output::{make_directory, write_file};
use crate::preprocessor::Preprocessor;
use crate::source::{self, Refused, Unit};
use crate::{exit, limits};
use bolide::{Certificate, Claim, Rejection};
use bolide_base::Message;
use bolide_cert::program::{FORM, TEXT, assumptions};
use bolide_cert::{ExportedProof, check_and_export};
use std::path::{Path, PathBuf};

/// The exit code for evidence that does not show the claim.
const REJECTED: u8 = 1;

/// Accepts or rejects a certificate; the exit code.
pub fn run(options: &CheckOptions) -> u8 {
    match check(options) {
        Ok(code) | Err(Refused(code)) => code,
    }
}

fn check(options: &CheckOptions) -> Result<u8, Refused> {
    let budget = limits::budget(options.timeout, options.memory).map_err(|message| {
        eprintln!("bolide: {message}");
        Refused(exit::USAGE)
    })?;
    limits::watch(options.timeout, options.memory, |interrupt| {
        println!("unknown: {interrupt}");
        true
    });
    let options = &match is_task_file(&options.file) {
        false => options.clone(),
        true => of_task_file(options)?,
    };
    let preprocessor = preprocessor(options)?;
    let text = source::bytes(&options.certificate)?;
    let bad = |message: Message| {
        eprintln!("{}: error: {message}", options.certificate.display());
        Refused(exit::BAD_INPUT)
    };
    let text = String::from_utf8(text).map_err(|_| bad("the file is not text".into()))?;
    let certificate = Certificate::read(&text).map_err(|error| bad(error.to_string().into()))?;
    let task = match (options.link.as_slice(), &preprocessor) {
        ([], None) => source::read_without_programs(&options.file, certificate.section(TEXT))?,
        ([], Some(_)) => source::read_with(&options.file, preprocessor.as_ref())?,
        (others, _) => {
            let files = std::iter::once(&options.file).chain(others);
            let unit = |file: &PathBuf| Unit { file: file.clone(), preprocessor: preprocessor.clone() };
            source::link(&files.map(unit).collect::<Vec<_>>())?
        }
    };
    let CheckOptions { property, data_model, ints, entry, globals, malloc, modular, .. } = options;
    let data_model =
        if options.compiler.m32 { DataModel::Ilp32 } else { data_model.unwrap_or(DataModel::Lp64) };
    let (ints, globals, malloc, modular) = (*ints, *globals, *malloc, *modular);
    let question = Question { property, data_model, ints, entry, globals, malloc, modular };
    let claim = task.kind.claim(&question.front());
    let certified = task.certified();
    let mut exported = Vec::new();
    let outcome = match &options.export_proofs {
        None => bolide::check(&certified, &claim, &certificate, &budget),
        Some(_) => {
            check_and_export(&certified, &claim, &certificate, &budget, &mut |proof| exported.push(proof))
        }
    };
    match outcome {
        Ok(()) => {
            if let Some(directory) = &options.export_proofs {
                write_proofs(directory, &exported).map_err(Refused)?;
            }
            limits::answer(|| println!("accepted: {}", certificate.verdict));
            certificate.option(FORM).iter().for_each(|form| println!("form: {form}"));
            claim.describe().iter().for_each(|claimed| eprintln!("about: {claimed}"));
            if let Claim::C(options) = &claim {
                let notes = assumptions(certified.bytes(), options).unwrap_or_default();
                notes.iter().for_each(|note| eprintln!("note: {note}"));
            }
            Ok(0)
        }
        Err(Rejection::Limit(interrupt)) => {
            limits::answer(|| println!("unknown: {interrupt}"));
            Ok(exit::UNKNOWN)
        }
        Err(rejection) => {
            limits::answer(|| println!("rejected: {rejection}"));
            let is_other = matches!(rejection, Rejection::OtherTask | Rejection::Unreadable(_));
            Ok(if is_other { exit::BAD_INPUT } else { REJECTED })
        }
    }
}

/// The preprocessor, if one is named. Flags for one that is not run would say something else of the task than what is checked.
fn preprocessor(options: &CheckOptions) -> Result<Option<Preprocessor>, Refused> {
    let flags = &options.compiler;
    if let Some(cpp) = &options.cpp {
        return Ok(Some(Preprocessor::new(cpp).with(flags).for_model(options.data_model)));
    }
    let is_plain = flags.define.is_empty()
        && flags.undefine.is_empty()
        && flags.include.is_empty()
        && flags.include_dir.is_empty()
        && flags.std.is_none();
    match is_plain {
        true => Ok(None),
        false => {
            eprintln!("bolide: flags for the preprocessor need --cpp, which names it");
            Err(Refused(exit::USAGE))
        }
    }
}

/// Writes refutations, three files for each.
fn write_proofs(directory: &Path, proofs: &[ExportedProof]) -> Result<(), u8> {
    make_directory(directory)?;
    for (n, proof) in proofs.iter().enumerate() {
        let file = |ending: &str| directory.join(format!("{n:05}.{ending}"));
        write_file(&file("cnf"), &proof.cnf)?;
        write_file(&file("lrat"), &proof.lrat)?;
        write_file(&file("smt2"), &proof.questions)?;
    }
    Ok(())
}

/// The file that a task file is about, with the property and the data model that it names.
fn of_task_file(options: &CheckOptions) -> Result<CheckOptions, Refused> {
    let bad = |message: Message| {
        eprintln!("{}: error: {message}", options.file.display());
        Refused(exit::BAD_INPUT)
    };
    let task = TaskFile::load(&options.file).map_err(bad)?;
    let mut options = options.clone();
    options.data_model = options.data_model.or(task.data_model);
    if let (true, Some(asked)) = (options.property.is_empty(), task.first_property()) {
        options.property.push(Chosen(asked.property.clone().map_err(bad)?));
    }
    options.file = task.input;
    match options.file.is_file() {
        true => Ok(options),
        false => Err(bad(format!("{} is not a file", options.file.display()).into())),
    }
}
