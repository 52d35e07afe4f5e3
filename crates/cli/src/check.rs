//! `bolide check`: accepts or rejects a certificate.

use crate::arguments::CheckOptions;
use crate::input::{is_task_file, task_file::TaskFile};
use crate::source::{self, Refused};
use crate::{exit, limits};
use bolide::{Certificate, Rejection};
use bolide_cert::program::{FORM, subject};

/// The exit code for evidence that does not show the verdict.
const REJECTED: u8 = 1;

/// Accepts or rejects a certificate; the exit code.
pub fn run(options: &CheckOptions) -> u8 {
    match check(options) {
        Ok(code) | Err(Refused(code)) => code,
    }
}

fn check(options: &CheckOptions) -> Result<u8, Refused> {
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
    let task = source::read(file, &options.cpp)?;
    let text = source::bytes(&options.certificate)?;
    let bad = |message: String| {
        eprintln!("{}: error: {message}", options.certificate.display());
        Refused(exit::BAD_INPUT)
    };
    let text = String::from_utf8(text).map_err(|_| bad("the file is not text".into()))?;
    let certificate = Certificate::read(&text).map_err(|error| bad(error.to_string()))?;
    if certificate.kind != task.kind.certified() {
        println!("rejected: the certificate is for a task of another kind");
        return Ok(exit::BAD_INPUT);
    }
    let certified = task.source();
    match bolide::check(certified, &certificate, &budget) {
        Ok(()) => {
            println!("accepted: {}", certificate.verdict);
            if let Some(form) = certificate.option(FORM) {
                println!("form: {form}");
            }
            if certificate.kind == bolide_cert::Kind::C
                && let Ok((about, notes)) = subject(certified, &certificate)
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
