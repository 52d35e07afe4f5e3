//! `--sarif` and `--baseline`: the findings of all tasks in one log.

use crate::arguments::VerifyOptions;
use crate::{exit, output};
use bolide_report::sarif;
use serde_json::Value;

/// The log that findings are compared with, if there is one; the exit code if it cannot be read, and the message has been printed.
pub fn baseline(options: &VerifyOptions) -> Result<Option<Value>, u8> {
    let Some(path) = &options.baseline else { return Ok(None) };
    let refused = |error: &dyn std::fmt::Display| {
        eprintln!("{}: error: {error}", path.display());
        exit::BAD_INPUT
    };
    let text = std::fs::read_to_string(path).map_err(|e| refused(&e))?;
    let log: Value = serde_json::from_str(&text).map_err(|e| refused(&e))?;
    match log["runs"].is_array() {
        true => Ok(Some(log)),
        false => Err(refused(&"not a SARIF log: `runs` is missing")),
    }
}

/// Writes the log of some reports, if one is wanted.
pub fn write(reports: &[Value], options: &VerifyOptions) -> Result<(), u8> {
    match &options.sarif {
        Some(path) => output::write_file(path, &sarif::log(reports, baseline(options)?.as_ref())),
        None => Ok(()),
    }
}
