//! What stands on a command line, as far as `clap` has understood it.

use clap::ArgMatches;
use clap::parser::ValueSource;
use std::path::PathBuf;

/// Does an option stand on the command line?
pub fn is_given(matches: &ArgMatches, argument: &clap::Arg) -> bool {
    let id = argument.get_id().as_str();
    matches.try_contains_id(id).is_ok() && matches.value_source(id) == Some(ValueSource::CommandLine)
}

/// The files that a command works on.
pub fn files(matches: &ArgMatches) -> Vec<PathBuf> {
    let of = |id| matches.try_get_many::<PathBuf>(id).ok().flatten().into_iter().flatten().cloned();
    ["files", "file", "manifest"].into_iter().flat_map(of).collect()
}
