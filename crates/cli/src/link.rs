//! `bolide link`: several C files as one text.

use crate::arguments::LinkOptions;
use crate::output::write_bytes;
use crate::preprocessor::Preprocessor;
use crate::source::{self, Refused, Unit};
use std::io::Write;

/// Writes the program; the exit code.
pub fn run(options: &LinkOptions) -> u8 {
    let preprocessor = Preprocessor::new(&options.cpp).with(&options.compiler);
    let unit =
        |file: &std::path::PathBuf| Unit { file: file.clone(), preprocessor: Some(preprocessor.clone()) };
    let units: Vec<Unit> = options.files.iter().map(unit).collect();
    let task = match source::link(&units) {
        Ok(task) => task,
        Err(Refused(code)) => return code,
    };
    let written = match options.output.as_os_str() == "-" {
        true => std::io::stdout().write_all(task.source()).map_err(|_| crate::exit::INTERNAL),
        false => write_bytes(&options.output, task.source()),
    };
    written.map_or_else(|code| code, |()| 0)
}
