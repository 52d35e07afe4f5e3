//! `bolide verify` without files: the targets of the project, each in a process of its own.

use crate::arguments::Arguments;
use crate::batch::Job;
use crate::invocation::Explicit;
use crate::{config, exit};
use clap::CommandFactory;

/// The tasks that the targets are; those of these names if there are any. What stands on the command line goes before
/// the options of targets.
pub fn load(chosen: &[String], explicit: &[Explicit]) -> Result<Vec<Job>, u8> {
    let trusts = explicit.iter().any(|e| e.name == "trust-config");
    let targets = config::targets(&Arguments::command(), trusts)?;
    if let Some(name) = chosen.iter().find(|name| !targets.iter().any(|t| t.name == **name)) {
        let known: Vec<&str> = targets.iter().map(|t| t.name.as_str()).collect();
        eprintln!("bolide: error: unknown target `{name}`; available: {}", known.join(", "));
        return Err(exit::USAGE);
    }
    let targets = targets.into_iter().filter(|t| chosen.is_empty() || chosen.contains(&t.name));
    Ok(targets
        .map(|target| {
            let own =
                target.options.into_iter().filter(|(name, _)| !explicit.iter().any(|e| e.name == *name));
            let mut options: Vec<_> = own.flat_map(|(_, words)| words).collect();
            if target.files.len() > 1 {
                options.push("--link".into());
            }
            Job { name: target.name, options, files: target.files }
        })
        .collect())
}
