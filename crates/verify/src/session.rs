//! SMT-LIB scripts: the state of a script and the answers to its commands.

mod clauses;
mod evidence;
mod interpolants;
mod settings;

use bolide_base::{Budget, Stats};
use bolide_proof::Refutation;
use bolide_smt::{Answer, Config, NoRefutation, Reason, Solver};
use bolide_smtlib::{AttributeValue, Command, Reader, Scope, SourceTerm, print_term};
use bolide_term::{Func, Store, Term};
use rustc_hash::FxHashMap;
use std::fmt;
use std::io::{self, Write};

/// How a session answers.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    /// Check every refutation, core and interpolant; models are always checked.
    pub check: bool,
    /// The interpolation system.
    pub system: bolide_itp::System,
    /// How inequalities are interpolated.
    pub farkas: bolide_itp::FarkasStyle,
    /// Make unsatisfiable cores minimal.
    pub minimize_cores: bool,
    /// The seed of the search, unless the script sets one.
    pub seed: u32,
}

/// Whether the script goes on.
pub enum Flow {
    /// With the next command.
    Continue,
    /// It is over.
    Exit,
}

/// Why a script was not run to its end.
#[derive(Debug)]
pub enum ScriptError {
    /// The text cannot be read.
    Text(Box<bolide_smtlib::Error>),
    /// The answers cannot be written.
    Output(io::Error),
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScriptError::Text(error) => write!(f, "{}:{}: {}", error.line, error.column, error.message),
            ScriptError::Output(error) => write!(f, "cannot write: {error}"),
        }
    }
}

impl std::error::Error for ScriptError {}

/// An assertion with its name.
struct Assertion {
    term: Term,
    name: Option<String>,
    /// The formulas in it that have names.
    labels: Vec<(String, Term)>,
}

/// The last answer, as long as nothing was asserted since.
enum Last {
    None,
    Sat,
    Unsat {
        assumptions: Vec<SourceTerm>,
    },
    Unknown(Reason),
    /// What was read is satisfiable, but a command before could not be read.
    Unread,
    /// No engine for Horn clauses knows; this is why.
    Undecided(String),
}

/// A running script.
pub struct Session<W: Write> {
    options: SessionOptions,
    budget: Budget,
    out: W,
    store: Store,
    solver: Solver,
    /// The solver of the last query, if that needed one of its own.
    once: Option<Solver>,
    assertions: Vec<Assertion>,
    /// Number of assertions at each open level.
    levels: Vec<usize>,
    /// Declared symbols, for models, with the number of them at each open level.
    symbols: Vec<Func>,
    symbol_levels: Vec<usize>,
    settings: FxHashMap<String, AttributeValue>,
    infos: FxHashMap<String, AttributeValue>,
    last: Last,
    /// Statistics of solvers that are gone.
    past: Stats,
    /// Why answers were withdrawn.
    withdrawn: Vec<String>,
    /// Was there a command that could not be read? It might have been an assertion.
    is_unread: bool,
    /// The clauses of a script of logic HORN.
    clauses: Option<clauses::Clauses>,
}

impl<W: Write> Session<W> {
    /// A session in which nothing has happened.
    pub fn new(options: SessionOptions, budget: Budget, out: W) -> Session<W> {
        let mut session = Session {
            options,
            budget,
            out,
            store: Store::new(),
            solver: Solver::default(),
            once: None,
            assertions: Vec::new(),
            levels: Vec::new(),
            symbols: Vec::new(),
            symbol_levels: Vec::new(),
            settings: FxHashMap::default(),
            infos: FxHashMap::default(),
            last: Last::None,
            past: Stats::new(),
            withdrawn: Vec::new(),
            is_unread: false,
            clauses: None,
        };
        session.restart_solver();
        session
    }

    /// The store that the reader builds terms in.
    pub fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Answers the commands of a script one after the other. What is wrong with the text is an answer, too, and the script goes on
    /// after the command; the first such error is returned at the end.
    pub fn run(&mut self, text: &[u8]) -> Result<(), ScriptError> {
        let mut reader = Reader::new(text);
        let mut scope = Scope::new();
        let mut first = None;
        while let Some(command) = reader.next_command(&mut self.store, &mut scope) {
            match command {
                Ok(located) => match self.command(located.command).map_err(ScriptError::Output)? {
                    Flow::Continue => {}
                    Flow::Exit => break,
                },
                Err(error) => {
                    self.is_unread = true;
                    self.error(&error.to_string()).map_err(ScriptError::Output)?;
                    first.get_or_insert(error);
                }
            }
        }
        self.flush().map_err(ScriptError::Output)?;
        match first {
            Some(error) => Err(ScriptError::Text(Box::new(error))),
            None => Ok(()),
        }
    }

    /// Makes sure that answers reach the user.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// What the solver has done, one figure a line.
    pub fn statistics(&self) -> String {
        self.all_statistics().to_string()
    }

    /// Why answers were withdrawn: their evidence did not pass its check, which is a defect.
    pub fn withdrawn(&self) -> &[String] {
        &self.withdrawn
    }

    fn all_statistics(&self) -> Stats {
        let mut all = self.past.clone();
        all.merge(&self.solver.statistics());
        if let Some(clauses) = &self.clauses {
            all.merge(clauses.statistics());
        }
        if let Some(once) = &self.once {
            all.merge(&once.statistics());
        }
        all.count("terms", self.store.len() as u64);
        all.count("term bytes", self.store.memory() as u64);
        all
    }

    /// The solver that gave the last answer.
    fn answering(&self) -> &Solver {
        self.once.as_ref().unwrap_or(&self.solver)
    }

    /// The refutation behind the last answer.
    fn refutation(&mut self) -> Result<Refutation, NoRefutation> {
        self.once.as_ref().unwrap_or(&self.solver).refutation(&mut self.store)
    }

    /// After a change the last answer counts no longer.
    fn forget_answer(&mut self) {
        self.last = Last::None;
        if let Some(once) = self.once.take() {
            self.past.merge(&once.statistics());
        }
    }

    pub(super) fn config(&self) -> Config {
        let concrete_indices = self.interpolating();
        Config { proofs: self.proving(), concrete_indices, seed: self.seed(), ..Config::default() }
    }

    /// A solver that fits the options, with the current assertions.
    fn restart_solver(&mut self) {
        self.past.merge(&self.solver.statistics());
        self.solver = Solver::new(self.config());
        let naming = self.naming() && !self.proving();
        let mut levels = self.levels.iter().copied().peekable();
        for (n, a) in self.assertions.iter().enumerate() {
            while levels.next_if(|&l| l <= n).is_some() {
                self.solver.push();
            }
            if !(naming && a.name.is_some()) {
                self.solver.assert(a.term);
            }
        }
        levels.for_each(|_| self.solver.push());
    }

    /// Answers one command.
    pub fn command(&mut self, command: Command) -> io::Result<Flow> {
        let Some(command) = self.clause_command(command)? else { return Ok(Flow::Continue) };
        match command {
            Command::SetOption { keyword, value } => self.set_option(keyword, value)?,
            Command::SetInfo { keyword, value } => {
                self.infos.insert(keyword, value);
                self.success()?;
            }
            Command::DeclareFun(f) => {
                self.symbols.push(f);
                self.success()?;
            }
            Command::SetLogic(logic) => {
                self.clauses = (logic == "HORN").then(clauses::Clauses::default);
                self.success()?;
            }
            Command::DeclareSort { .. }
            | Command::DeclareDatatypes { .. }
            | Command::DefineSort { .. }
            | Command::DefineFun { .. } => self.success()?,
            Command::Assert { term, name, labels } => self.assert(Assertion { term, name, labels })?,
            Command::Push(n) => {
                for _ in 0..n {
                    self.levels.push(self.assertions.len());
                    self.symbol_levels.push(self.symbols.len());
                    self.solver.push();
                }
                self.forget_answer();
                self.success()?;
            }
            Command::Pop(n) => {
                self.pop(n);
                self.success()?;
            }
            Command::CheckSat => self.check_sat(Vec::new())?,
            Command::CheckSatAssuming(assumptions) => self.check_sat(assumptions)?,
            Command::GetModel => self.get_model()?,
            Command::GetValue(terms) => self.get_value(&terms)?,
            Command::GetUnsatCore => self.get_unsat_core()?,
            Command::GetUnsatAssumptions => self.get_unsat_assumptions()?,
            Command::GetAssertions => self.get_assertions()?,
            Command::GetAssignment => self.get_assignment()?,
            Command::GetInterpolants(tree) => self.get_interpolants(&tree)?,
            Command::GetInfo(keyword) => self.get_info(&keyword)?,
            Command::GetOption(keyword) => self.get_option(&keyword)?,
            Command::GetProof => self.get_proof()?,
            Command::Echo(text) => writeln!(self.out, "\"{}\"", text.replace('"', "\"\""))?,
            Command::Reset => {
                self.clauses = None;
                self.settings.clear();
                self.infos.clear();
                self.reset_assertions();
                self.success()?;
            }
            Command::ResetAssertions => {
                self.reset_assertions();
                self.success()?;
            }
            Command::Exit => return Ok(Flow::Exit),
            Command::DeclareRel(_) | Command::DeclareVar(_) | Command::Rule { .. } | Command::Query(_) => {
                self.error("fixedpoint commands are for `bolide verify`")?;
            }
        }
        Ok(Flow::Continue)
    }

    fn success(&mut self) -> io::Result<()> {
        if self.flag(":print-success") { writeln!(self.out, "success") } else { Ok(()) }
    }

    fn error(&mut self, message: &str) -> io::Result<()> {
        writeln!(self.out, "(error \"{}\")", message.replace('"', "\"\""))
    }

    fn assert(&mut self, assertion: Assertion) -> io::Result<()> {
        if !(self.naming() && !self.proving() && assertion.name.is_some()) {
            self.solver.assert(assertion.term);
        }
        self.assertions.push(assertion);
        self.forget_answer();
        self.success()
    }

    fn pop(&mut self, n: usize) {
        let kept = self.levels.len().saturating_sub(n);
        if let Some(&assertions) = self.levels.get(kept) {
            self.assertions.truncate(assertions);
            self.levels.truncate(kept);
        }
        if let Some(&symbols) = self.symbol_levels.get(kept) {
            if !self.flag(":global-declarations") {
                self.symbols.truncate(symbols);
            }
            self.symbol_levels.truncate(kept);
        }
        self.solver.pop(n);
        self.forget_answer();
    }

    fn reset_assertions(&mut self) {
        self.assertions.clear();
        self.levels.clear();
        self.symbol_levels.clear();
        if !self.flag(":global-declarations") {
            self.symbols.clear();
        }
        self.forget_answer();
        self.restart_solver();
    }

    fn check_sat(&mut self, assumptions: Vec<SourceTerm>) -> io::Result<()> {
        self.forget_answer();
        let answer = if self.proving() && !assumptions.is_empty() {
            self.check_as_assertions(&assumptions)
        } else {
            let mut terms: Vec<Term> = assumptions.iter().map(|a| a.term).collect();
            if self.naming() && !self.proving() {
                terms.extend(self.assertions.iter().filter(|a| a.name.is_some()).map(|a| a.term));
            }
            let budget = self.limited();
            self.solver.check_assuming(&mut self.store, &terms, &budget)
        };
        if answer == Answer::Unsat
            && self.options.check
            && let Err(flaw) = self.check_refutation()
        {
            return self.refuse(&flaw.to_string());
        }
        self.report(answer, assumptions)
    }

    /// A refutation knows no assumptions: with proofs on, they are assertions of a solver for one query.
    fn check_as_assertions(&mut self, assumptions: &[SourceTerm]) -> Answer {
        let (config, budget) = (self.config(), self.limited());
        let solver = self.once.insert(Solver::new(config));
        self.assertions.iter().for_each(|a| solver.assert(a.term));
        assumptions.iter().for_each(|a| solver.assert(a.term));
        solver.check(&mut self.store, &budget)
    }

    fn report(&mut self, answer: Answer, assumptions: Vec<SourceTerm>) -> io::Result<()> {
        match answer {
            Answer::Sat if self.is_unread => {
                self.last = Last::Unread;
                writeln!(self.out, "unknown")?;
            }
            Answer::Sat => {
                self.last = Last::Sat;
                writeln!(self.out, "sat")?;
            }
            Answer::Unsat => {
                self.last = Last::Unsat { assumptions };
                writeln!(self.out, "unsat")?;
            }
            Answer::Unknown(reason) => {
                self.last = Last::Unknown(reason);
                writeln!(self.out, "unknown")?;
            }
        }
        self.out.flush()
    }

    /// An answer whose evidence did not pass its check is no answer.
    fn refuse(&mut self, flaw: &str) -> io::Result<()> {
        self.withdrawn.push(flaw.into());
        self.report(Answer::Unknown(Reason::ModelRejected), Vec::new())
    }

    fn check_refutation(&mut self) -> Result<(), Box<dyn std::error::Error>> {
        let refutation = self.refutation()?;
        Ok(bolide_proof::check(&mut self.store, &refutation)?)
    }

    fn get_assertions(&mut self) -> io::Result<()> {
        writeln!(self.out, "(")?;
        for a in &self.assertions {
            writeln!(self.out, "  {}", print_term(&self.store, a.term))?;
        }
        writeln!(self.out, ")")
    }
}
