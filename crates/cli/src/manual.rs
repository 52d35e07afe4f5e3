//! Completions and manual pages, made from the definition of the command line.

use crate::arguments::Arguments;
use crate::exit;
use clap::CommandFactory;
use std::io::Write;

/// Prints the completion script for a shell.
pub fn completions(shell: clap_complete::Shell) -> u8 {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "bolide", &mut script);
    print(&script)
}

/// Prints the manual page, or that of a command.
pub fn page(command: Option<&str>) -> u8 {
    let mut whole = Arguments::command();
    whole.build();
    let chosen = match command {
        None => whole,
        Some(name) => match whole.find_subcommand(name) {
            Some(found) => found.clone(),
            None => {
                eprintln!("bolide: unknown command `{name}`");
                return exit::USAGE;
            }
        },
    };
    let mut text = Vec::new();
    match clap_mangen::Man::new(chosen).render(&mut text) {
        Ok(()) => print(&text),
        Err(error) => {
            eprintln!("bolide: {error}");
            exit::INTERNAL
        }
    }
}

/// Prints to standard output; a reader that has gone away is no error.
fn print(text: &[u8]) -> u8 {
    let _ = std::io::stdout().write_all(text);
    0
}
