//! `bolide smt`: runs an SMT-LIB script.

mod session;

use crate::arguments::SmtOptions;
use crate::{diagnostic, exit, limits};
use bolide_smtlib::{Reader, Scope};
use session::{Flow, Session};
use std::io::{Read, Write};

/// Runs the script and returns the exit code.
pub fn run(options: &SmtOptions) -> u8 {
    let name = options.file.display().to_string();
    let text = match read(&options.file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{name}: error: {error}");
            return exit::BAD_INPUT;
        }
    };
    let budget = match limits::budget(options.timeout, options.memory) {
        Ok(budget) => budget,
        Err(message) => {
            eprintln!("bolide: {message}");
            return exit::USAGE;
        }
    };
    let out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut session = Session::new(options.clone(), budget, out);
    let code = execute(&mut session, &name, &text);
    if options.verbose {
        eprint!("{}", session.statistics());
    }
    code
}

fn read(path: &std::path::Path) -> std::io::Result<Vec<u8>> {
    if path.as_os_str() == "-" {
        let mut text = Vec::new();
        std::io::stdin().lock().read_to_end(&mut text)?;
        return Ok(text);
    }
    std::fs::read(path)
}

/// Answers one command after the other; everything before an error in the text is answered.
fn execute<W: Write>(session: &mut Session<W>, name: &str, text: &[u8]) -> u8 {
    let mut reader = Reader::new(text);
    let mut scope = Scope::new();
    while let Some(command) = reader.next_command(session.store(), &mut scope) {
        match command {
            Ok(located) => match session.command(located.command) {
                Ok(Flow::Continue) => {}
                Ok(Flow::Exit) => break,
                Err(error) => {
                    // Nobody reads the answers any more.
                    eprintln!("bolide: cannot write: {error}");
                    return exit::INTERNAL;
                }
            },
            Err(error) => {
                let _ = session.flush();
                diagnostic::print_error(name, text, &error);
                return exit::BAD_INPUT;
            }
        }
    }
    let _ = session.flush();
    0
}
