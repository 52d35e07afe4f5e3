//! Options and information about the solver.

use super::{Last, Session};
use bolide_base::{Budget, Interrupt};
use bolide_smt::Reason;
use bolide_smtlib::{AttributeValue, print_symbol};
use std::io::{self, Write};
use std::time::Duration;

/// The options that are true or false, with their defaults.
const FLAGS: [(&str, bool); 11] = [
    (":produce-models", true),
    (":produce-assignments", true),
    (":produce-assertions", true),
    (":interactive-mode", true),
    (":produce-unsat-cores", false),
    (":produce-unsat-assumptions", true),
    (":produce-interpolants", false),
    (":produce-proofs", false),
    (":print-success", false),
    (":minimal-unsat-cores", false),
    (":global-declarations", false),
];

/// The option that overrides `--seed`.
const SEED: &str = ":random-seed";
/// The time for one query in milliseconds, as other solvers have it.
const TIMEOUT: &str = ":timeout";

impl<W: Write> Session<W> {
    /// The value of an option that is true or false.
    pub(super) fn flag(&self, option: &str) -> bool {
        let default = FLAGS.iter().any(|&(name, default)| name == option && default);
        self.settings.get(option).and_then(AttributeValue::as_bool).unwrap_or(default)
    }

    /// The seed of the search.
    pub(super) fn seed(&self) -> u32 {
        let set = self.settings.get(SEED).and_then(seed_of);
        set.unwrap_or(self.options.seed)
    }

    /// The budget of one query.
    pub(super) fn limited(&self) -> Budget {
        match self.settings.get(TIMEOUT).and_then(milliseconds_of) {
            Some(time) => self.budget.child(Duration::from_millis(time)),
            None => self.budget.clone(),
        }
    }

    /// Does the script need refutations? Then the solver records proofs.
    pub(super) fn proving(&self) -> bool {
        self.options.check || self.flag(":produce-interpolants") || self.flag(":produce-proofs")
    }

    /// May the script ask for interpolants? Whoever records proofs has what they need.
    pub(super) fn interpolating(&self) -> bool {
        self.flag(":produce-interpolants") || self.flag(":produce-proofs")
    }

    /// Must named assertions be told apart?
    pub(super) fn naming(&self) -> bool {
        self.flag(":produce-unsat-cores")
    }

    pub(super) fn set_option(&mut self, keyword: String, mut value: AttributeValue) -> io::Result<()> {
        if FLAGS.iter().any(|(name, _)| *name == keyword) {
            // Other solvers take numbers as well.
            let number = value.as_number().map(ToString::to_string);
            if let Some(number @ ("0" | "1")) = number.as_deref() {
                value = AttributeValue::Symbol(if number == "1" { "true".into() } else { "false".into() });
            }
            if value.as_bool().is_none() {
                return self.error(&format!("option {keyword} is true or false"));
            }
        } else if keyword == SEED {
            if seed_of(&value).is_none() {
                return self.error(&format!("option {keyword} is a numeral below 2^32"));
            }
        } else if keyword == TIMEOUT {
            if milliseconds_of(&value).is_none() {
                return self.error(&format!("option {keyword} is a number of milliseconds"));
            }
        } else {
            return writeln!(self.out, "unsupported");
        }
        let before = (self.config(), self.naming());
        self.settings.insert(keyword, value);
        if before != (self.config(), self.naming()) {
            self.forget_answer();
            self.restart_solver();
        }
        self.success()
    }

    pub(super) fn get_option(&mut self, keyword: &str) -> io::Result<()> {
        let flag = FLAGS.iter().find(|(name, _)| *name == keyword);
        match (self.settings.get(keyword), flag) {
            (Some(value), _) => {
                let text = attribute(value);
                writeln!(self.out, "{text}")
            }
            (None, Some((_, default))) => writeln!(self.out, "{default}"),
            (None, None) if keyword == SEED => writeln!(self.out, "{}", self.options.seed),
            (None, None) => writeln!(self.out, "unsupported"),
        }
    }

    pub(super) fn get_info(&mut self, keyword: &str) -> io::Result<()> {
        match keyword {
            ":name" => writeln!(self.out, "(:name \"Bolide\")"),
            ":version" => writeln!(self.out, "(:version \"{}\")", env!("CARGO_PKG_VERSION")),
            ":authors" => writeln!(self.out, "(:authors \"the Bolide developers\")"),
            ":error-behavior" => writeln!(self.out, "(:error-behavior continued-execution)"),
            ":assertion-stack-levels" => {
                writeln!(self.out, "(:assertion-stack-levels {})", self.levels.len())
            }
            ":reason-unknown" => match &self.last {
                Last::Unknown(reason) => {
                    let word = match reason {
                        Reason::Interrupted(Interrupt::Timeout) => "timeout".to_string(),
                        Reason::Interrupted(Interrupt::Memory) => "memout".to_string(),
                        Reason::Interrupted(other) => format!("\"{other}\""),
                        other => format!("\"incomplete: {other}\""),
                    };
                    writeln!(self.out, "(:reason-unknown {word})")
                }
                Last::Unread => {
                    writeln!(self.out, "(:reason-unknown \"incomplete: a command could not be read\")")
                }
                Last::Undecided(reason) => {
                    let reason = reason.replace('"', "\"\"");
                    writeln!(self.out, "(:reason-unknown \"{reason}\")")
                }
                _ => self.error("the last answer was not unknown"),
            },
            ":all-statistics" | ":statistics" => {
                let all = self.all_statistics();
                writeln!(self.out, "(")?;
                for (name, value) in all.iter() {
                    writeln!(self.out, "  :{} {value}", name.replace(' ', "-"))?;
                }
                writeln!(self.out, ")")
            }
            _ => match self.infos.get(keyword) {
                Some(value) => {
                    let text = attribute(value);
                    writeln!(self.out, "({keyword} {text})")
                }
                None => writeln!(self.out, "unsupported"),
            },
        }
    }
}

fn milliseconds_of(value: &AttributeValue) -> Option<u64> {
    value.as_number()?.to_string().parse().ok()
}

fn seed_of(value: &AttributeValue) -> Option<u32> {
    value.as_number()?.to_string().parse().ok()
}

fn attribute(value: &AttributeValue) -> String {
    match value {
        AttributeValue::None => String::new(),
        AttributeValue::Number(n) => n.to_string(),
        AttributeValue::Str(s) => format!("\"{}\"", s.replace('"', "\"\"")),
        AttributeValue::Symbol(s) => print_symbol(s).to_string(),
        AttributeValue::Other(s) => s.clone(),
    }
}
