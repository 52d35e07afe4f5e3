//! `bolide smt`: runs an SMT-LIB script.

use crate::arguments::SmtOptions;
use crate::{diagnostic, exit, limits};
use bolide::Session;
use bolide::session::{ScriptError, SessionOptions};
use std::io::{BufWriter, Read, Stdout, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

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
    let how = SessionOptions {
        check: options.check,
        system: options.system.into(),
        farkas: options.farkas.into(),
        minimize_cores: options.minimize_cores,
        seed: options.seed,
    };
    let out = Answers(Arc::new(Mutex::new((BufWriter::new(std::io::stdout()), None))));
    let (last, mut all) = (out.clone(), out.clone());
    limits::watch(options.timeout, options.memory, move |_| last.end());
    let mut session = Session::new(how, budget, out);
    let code = match session.run(&text) {
        Ok(()) => 0,
        Err(ScriptError::Text(error)) => {
            diagnostic::print_error(&name, &text, &error);
            exit::BAD_INPUT
        }
        // Nobody reads the answers any more.
        Err(error @ ScriptError::Output(_)) => {
            eprintln!("bolide: {error}");
            exit::INTERNAL
        }
    };
    // Whoever could not read the answers has been told.
    let _ = limits::answer(|| all.flush());
    session.withdrawn().iter().for_each(|why| eprintln!("bolide: an answer was withdrawn: {why}"));
    if options.verbose {
        eprint!("{}", session.statistics());
    }
    code
}

/// Standard output, which the watchdog can write to as well, and when it was last written to.
#[derive(Clone)]
struct Answers(Arc<Mutex<(BufWriter<Stdout>, Option<Instant>)>>);

impl Answers {
    /// The last answer: nothing is known about what was asked last. A script that has just got an answer is not ended: it obeys its
    /// limits by itself, and perhaps nothing more is asked.
    fn end(&self) -> bool {
        let (out, last) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let ends = last.is_none_or(|last| last.elapsed() > limits::GRACE);
        if ends {
            let _ = writeln!(out, "unknown").and_then(|()| out.flush());
        }
        ends
    }
}

impl Write for Answers {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let (out, last) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some(Instant::now());
        out.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.flush()
    }
}

fn read(path: &std::path::Path) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    match path.as_os_str() == "-" {
        true => std::io::stdin().lock().read_to_end(&mut text).map(|_| text),
        false => std::fs::read(path),
    }
}
