//! The state of a script and the answers to its commands.

use crate::arguments::{FarkasName, SmtOptions, SystemName};
use bolide_base::Budget;
use bolide_itp::{FarkasStyle, System, Tree, interpolate_refutation};
use bolide_proof::{Refutation, Rule};
use bolide_smt::{Answer, Config, Reason, Solver};
use bolide_smtlib::{
    AttributeValue, Command, InterpolationTree, SourceTerm, print_model, print_symbol, print_term,
    print_value,
};
use bolide_term::{Evaluator, Func, Store, Term};
use rustc_hash::FxHashMap;
use std::io::{self, Write};

/// Whether the script goes on.
pub enum Flow {
    /// With the next command.
    Continue,
    /// It is over.
    Exit,
}

/// An assertion with its name.
struct Assertion {
    term: Term,
    name: Option<String>,
}

/// The last answer, as long as nothing was asserted since.
enum Last {
    None,
    Sat,
    Unsat { assumptions: Vec<SourceTerm> },
    Unknown(Reason),
}

/// A running script.
pub struct Session<W: Write> {
    options: SmtOptions,
    budget: Budget,
    out: W,
    store: Store,
    solver: Solver,
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
    past: bolide_base::Stats,
}

impl<W: Write> Session<W> {
    /// A session in which nothing has happened.
    pub fn new(options: SmtOptions, budget: Budget, out: W) -> Session<W> {
        let mut session = Session {
            options,
            budget,
            out,
            store: Store::new(),
            solver: Solver::default(),
            assertions: Vec::new(),
            levels: Vec::new(),
            symbols: Vec::new(),
            symbol_levels: Vec::new(),
            settings: FxHashMap::default(),
            infos: FxHashMap::default(),
            last: Last::None,
            past: bolide_base::Stats::new(),
        };
        session.restart_solver();
        session
    }

    /// The store that the reader builds terms in.
    pub fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Makes sure that answers reach the user.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// What the solver has done, one figure a line.
    pub fn statistics(&self) -> String {
        let mut all = self.past.clone();
        all.merge(&self.solver.statistics());
        all.count("terms", self.store.len() as u64);
        all.count("term bytes", self.store.memory() as u64);
        all.to_string()
    }

    fn flag(&self, option: &str) -> bool {
        self.settings.get(option).and_then(AttributeValue::as_bool).unwrap_or(false)
    }

    /// Does the script need refutations? Then the solver records proofs.
    fn proving(&self) -> bool {
        self.options.check || self.flag(":produce-interpolants") || self.flag(":produce-proofs")
    }

    fn naming(&self) -> bool {
        self.flag(":produce-unsat-cores")
    }

    /// A solver that fits the options, with the current assertions.
    fn restart_solver(&mut self) {
        let proofs = self.proving();
        self.past.merge(&self.solver.statistics());
        self.solver = Solver::new(Config { proofs, seed: self.options.seed, ..Config::default() });
        let naming = self.naming() && !proofs;
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
            Command::SetLogic(_)
            | Command::DeclareSort { .. }
            | Command::DefineSort { .. }
            | Command::DefineFun { .. } => self.success()?,
            Command::Assert { term, name } => self.assert(term, name)?,
            Command::Push(n) => {
                for _ in 0..n {
                    self.levels.push(self.assertions.len());
                    self.symbol_levels.push(self.symbols.len());
                    self.solver.push();
                }
                self.last = Last::None;
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
                self.reset_assertions();
                self.symbols.clear();
                self.settings.clear();
                self.infos.clear();
                self.restart_solver();
                self.success()?;
            }
            Command::ResetAssertions => {
                self.reset_assertions();
                self.restart_solver();
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

    fn set_option(&mut self, keyword: String, value: AttributeValue) -> io::Result<()> {
        let boolean = [
            ":produce-models",
            ":produce-unsat-cores",
            ":produce-unsat-assumptions",
            ":produce-interpolants",
            ":produce-proofs",
            ":produce-assignments",
            ":produce-assertions",
            ":interactive-mode",
            ":print-success",
            ":minimal-unsat-cores",
            ":global-declarations",
        ];
        if boolean.contains(&keyword.as_str()) && value.as_bool().is_none() {
            return self.error(&format!("option {keyword} is true or false"));
        }
        let (proving, naming) = (self.proving(), self.naming());
        self.settings.insert(keyword, value);
        if (proving, naming) != (self.proving(), self.naming()) {
            self.restart_solver();
            self.last = Last::None;
        }
        self.success()
    }

    fn assert(&mut self, term: Term, name: Option<String>) -> io::Result<()> {
        if !(self.naming() && !self.proving() && name.is_some()) {
            self.solver.assert(term);
        }
        self.assertions.push(Assertion { term, name });
        self.last = Last::None;
        self.success()
    }

    fn pop(&mut self, n: usize) {
        let kept = self.levels.len().saturating_sub(n);
        if let Some(&assertions) = self.levels.get(kept) {
            self.assertions.truncate(assertions);
            self.levels.truncate(kept);
        }
        if let Some(&symbols) = self.symbol_levels.get(kept) {
            self.symbols.truncate(symbols);
            self.symbol_levels.truncate(kept);
        }
        self.solver.pop(n);
        self.last = Last::None;
    }

    fn reset_assertions(&mut self) {
        self.assertions.clear();
        self.levels.clear();
        self.symbol_levels.clear();
        self.last = Last::None;
    }

    fn check_sat(&mut self, assumptions: Vec<SourceTerm>) -> io::Result<()> {
        if self.proving() && !assumptions.is_empty() {
            return self.check_sat_as_assertions(assumptions);
        }
        let mut terms: Vec<Term> = assumptions.iter().map(|a| a.term).collect();
        if self.naming() && !self.proving() {
            terms.extend(self.assertions.iter().filter(|a| a.name.is_some()).map(|a| a.term));
        }
        let answer = self.solver.check_assuming(&mut self.store, &terms, &self.budget);
        if answer == Answer::Unsat
            && self.options.check
            && let Err(flaw) = self.check_refutation()
        {
            return self.refuse(&flaw);
        }
        self.report(answer, assumptions)
    }

    /// With proofs on, assumptions are assertions for one query.
    fn check_sat_as_assertions(&mut self, assumptions: Vec<SourceTerm>) -> io::Result<()> {
        let mut solver = Solver::new(Config { proofs: true, seed: self.options.seed, ..Config::default() });
        self.assertions.iter().for_each(|a| solver.assert(a.term));
        assumptions.iter().for_each(|a| solver.assert(a.term));
        let answer = solver.check(&mut self.store, &self.budget);
        self.solver = solver;
        if answer == Answer::Unsat
            && self.options.check
            && let Err(flaw) = self.check_refutation()
        {
            self.restart_solver();
            return self.refuse(&flaw);
        }
        self.report(answer, assumptions)
        // The next assertion or query rebuilds the solver: `Solver` is only asked about this query until then.
    }

    fn report(&mut self, answer: Answer, assumptions: Vec<SourceTerm>) -> io::Result<()> {
        match answer {
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
        eprintln!("bolide: an answer was withdrawn: {flaw}");
        self.last = Last::Unknown(Reason::ModelRejected);
        writeln!(self.out, "unknown")
    }

    fn check_refutation(&mut self) -> Result<(), String> {
        let refutation = self.solver.refutation(&mut self.store)?;
        bolide_proof::check(&mut self.store, &refutation).map_err(|e| e.to_string())
    }

    fn get_model(&mut self) -> io::Result<()> {
        let (Last::Sat, Some(model)) = (&self.last, self.solver.model()) else {
            return self.error("there is no model: the last answer was not sat");
        };
        let text = print_model(&self.store, model, &self.symbols).to_string();
        writeln!(self.out, "{text}")
    }

    fn get_value(&mut self, terms: &[SourceTerm]) -> io::Result<()> {
        let (Last::Sat, Some(model)) = (&self.last, self.solver.model()) else {
            return self.error("there is no model: the last answer was not sat");
        };
        let mut evaluator = Evaluator::new(&self.store, model);
        let mut pairs = Vec::with_capacity(terms.len());
        for t in terms {
            match evaluator.eval(t.term) {
                Ok(value) => {
                    let printed = print_value(&self.store, &value, self.store.sort_of(t.term)).to_string();
                    pairs.push(format!("({} {printed})", t.text));
                }
                Err(error) => {
                    let message = format!("{} has no value: {error}", t.text);
                    return self.error(&message);
                }
            }
        }
        writeln!(self.out, "({})", pairs.join("\n "))
    }

    fn get_assignment(&mut self) -> io::Result<()> {
        let (Last::Sat, Some(model)) = (&self.last, self.solver.model()) else {
            return self.error("there is no model: the last answer was not sat");
        };
        let mut evaluator = Evaluator::new(&self.store, model);
        let named = self.assertions.iter().filter_map(|a| a.name.as_ref().map(|n| (n, a.term)));
        let pairs: Vec<String> = named
            .map(|(n, t)| format!("({} {})", print_symbol(n), evaluator.holds(t).unwrap_or(false)))
            .collect();
        writeln!(self.out, "({})", pairs.join(" "))
    }

    fn get_assertions(&mut self) -> io::Result<()> {
        writeln!(self.out, "(")?;
        for a in &self.assertions {
            writeln!(self.out, "  {}", print_term(&self.store, a.term))?;
        }
        writeln!(self.out, ")")
    }

    /// Positions of named assertions that the last refutation needs.
    fn core(&mut self) -> Result<Vec<usize>, String> {
        let named: Vec<usize> =
            (0..self.assertions.len()).filter(|&n| self.assertions[n].name.is_some()).collect();
        if !self.proving() {
            let core: rustc_hash::FxHashSet<Term> = self.solver.core().iter().copied().collect();
            return Ok(named.into_iter().filter(|&n| core.contains(&self.assertions[n].term)).collect());
        }
        let refutation = self.solver.refutation(&mut self.store)?;
        let used = used_assertions(&refutation);
        Ok(named.into_iter().filter(|n| used.contains(n)).collect())
    }

    fn get_unsat_core(&mut self) -> io::Result<()> {
        if !self.naming() {
            return self.error("unsatisfiable cores need (set-option :produce-unsat-cores true)");
        }
        if !matches!(self.last, Last::Unsat { .. }) {
            return self.error("there is no unsatisfiable core: the last answer was not unsat");
        }
        let mut core = match self.core() {
            Ok(core) => core,
            Err(message) => return self.error(&message),
        };
        if self.options.minimize_cores || self.flag(":minimal-unsat-cores") {
            core = self.minimize(core);
        }
        if self.options.check && !self.is_unsat_with(&core) {
            eprintln!("bolide: an unsatisfiable core did not pass its check");
            return self.error("the unsatisfiable core was withdrawn");
        }
        let names: Vec<String> = core
            .iter()
            .filter_map(|&n| self.assertions[n].name.as_ref())
            .map(|n| print_symbol(n).to_string())
            .collect();
        writeln!(self.out, "({})", names.join(" "))
    }

    /// Leaves out one member after the other as long as the rest is unsatisfiable.
    fn minimize(&mut self, mut core: Vec<usize>) -> Vec<usize> {
        let mut n = 0;
        while n < core.len() {
            let mut rest = core.clone();
            rest.remove(n);
            if self.is_unsat_with(&rest) { core = rest } else { n += 1 }
        }
        core
    }

    /// Are the unnamed assertions, the assumptions and these named assertions unsatisfiable?
    fn is_unsat_with(&mut self, named: &[usize]) -> bool {
        let mut solver = Solver::default();
        for (n, a) in self.assertions.iter().enumerate() {
            if a.name.is_none() || named.contains(&n) {
                solver.assert(a.term);
            }
        }
        if let Last::Unsat { assumptions } = &self.last {
            assumptions.iter().for_each(|a| solver.assert(a.term));
        }
        solver.check(&mut self.store, &self.budget) == Answer::Unsat
    }

    fn get_unsat_assumptions(&mut self) -> io::Result<()> {
        let Last::Unsat { assumptions } = &self.last else {
            return self.error("there are no unsatisfiable assumptions: the last answer was not unsat");
        };
        let needed: Vec<String> = if self.proving() {
            let first = self.assertions.len();
            match self.solver.refutation(&mut self.store) {
                Ok(refutation) => {
                    let used = used_assertions(&refutation);
                    let of = assumptions.iter().enumerate().filter(|(n, _)| used.contains(&(first + n)));
                    of.map(|(_, a)| a.text.clone()).collect()
                }
                Err(message) => return self.error(&message),
            }
        } else {
            let core = self.solver.core();
            assumptions.iter().filter(|a| core.contains(&a.term)).map(|a| a.text.clone()).collect()
        };
        writeln!(self.out, "({})", needed.join(" "))
    }

    fn get_proof(&mut self) -> io::Result<()> {
        if !matches!(self.last, Last::Unsat { .. }) || !self.flag(":produce-proofs") {
            return self
                .error("there is no proof: the last answer was not unsat, or :produce-proofs is not set");
        }
        let refutation = match self.solver.refutation(&mut self.store) {
            Ok(refutation) => refutation,
            Err(message) => return self.error(&message),
        };
        writeln!(self.out, "(proof")?;
        for (n, step) in refutation.steps.iter().enumerate() {
            let mut clause = Vec::with_capacity(step.clause.len());
            for l in &step.clause {
                let t = l.term(&mut self.store);
                clause.push(print_term(&self.store, t).to_string());
            }
            writeln!(self.out, "  (step s{n} (cl {}) {})", clause.join(" "), rule_name(&step.rule))?;
        }
        writeln!(self.out, ")")
    }

    fn get_info(&mut self, keyword: &str) -> io::Result<()> {
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
                        Reason::Interrupted(bolide_base::Interrupt::Memory) => "memout".to_string(),
                        Reason::Interrupted(i) => i.to_string(),
                        other => format!("\"incomplete: {other}\""),
                    };
                    writeln!(self.out, "(:reason-unknown {word})")
                }
                _ => self.error("the last answer was not unknown"),
            },
            ":all-statistics" | ":statistics" => {
                let mut all = self.past.clone();
                all.merge(&self.solver.statistics());
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

    fn get_option(&mut self, keyword: &str) -> io::Result<()> {
        match self.settings.get(keyword) {
            Some(value) => {
                let text = attribute(value);
                writeln!(self.out, "{text}")
            }
            None => match keyword {
                ":produce-models" => writeln!(self.out, "true"),
                ":produce-unsat-cores" | ":produce-interpolants" | ":produce-proofs" | ":print-success" => {
                    writeln!(self.out, "false")
                }
                _ => writeln!(self.out, "unsupported"),
            },
        }
    }

    fn get_interpolants(&mut self, tree: &InterpolationTree) -> io::Result<()> {
        if !self.flag(":produce-interpolants") {
            return self.error("interpolants need (set-option :produce-interpolants true)");
        }
        if !matches!(self.last, Last::Unsat { .. }) {
            return self.error("there are no interpolants: the last answer was not unsat");
        }
        match self.interpolants(tree) {
            Ok(interpolants) => {
                let lines: Vec<String> =
                    interpolants.iter().map(|&i| print_term(&self.store, i).to_string()).collect();
                writeln!(self.out, "({})", lines.join("\n "))
            }
            Err(message) => self.error(&message),
        }
    }

    fn interpolants(&mut self, tree: &InterpolationTree) -> Result<Vec<Term>, String> {
        let (part_of, shape) = self.partition(tree)?;
        let config = bolide_itp::Config {
            system: match self.options.system {
                SystemName::Mcmillan => System::McMillan,
                SystemName::Pudlak => System::Pudlak,
                SystemName::Dual => System::Dual,
            },
            farkas: match self.options.farkas {
                FarkasName::Plain => FarkasStyle::Plain,
                FarkasName::Decomposed => FarkasStyle::Decomposed,
            },
            verify: self.options.check || cfg!(debug_assertions),
            seed: self.options.seed,
        };
        if part_of.iter().all(Option::is_some) {
            let part_of: Vec<usize> = part_of.into_iter().flatten().collect();
            let refutation = self.solver.refutation(&mut self.store)?;
            return interpolate_refutation(
                &mut self.store,
                &refutation,
                &part_of,
                &shape,
                &config,
                &self.budget,
            )
            .map_err(|e| e.to_string());
        }
        // Some assertions were not named: the named ones alone must be unsatisfiable.
        let mut parts: Vec<Vec<Term>> = vec![Vec::new(); shape.len()];
        for (a, part) in self.assertions.iter().zip(part_of) {
            if let Some(p) = part {
                parts[p].push(a.term);
            }
        }
        let parts: Vec<Term> = parts.iter().map(|p| self.store.and(p)).collect();
        bolide_itp::interpolate_tree(&mut self.store, &parts, &shape, &config, &self.budget)
            .map_err(|e| e.to_string())
    }

    /// The part of each assertion (and assumption) and the tree of the parts.
    fn partition(&self, tree: &InterpolationTree) -> Result<(Vec<Option<usize>>, Tree), String> {
        let asserted = self.assertions.len();
        let assumed = match &self.last {
            Last::Unsat { assumptions } => assumptions.len(),
            _ => 0,
        };
        if tree.partitions.is_empty() {
            let part_of = (0..asserted + assumed).map(Some).collect();
            return Ok((part_of, Tree::sequence(asserted + assumed)));
        }
        let mut by_name: FxHashMap<&str, usize> = FxHashMap::default();
        for (n, a) in self.assertions.iter().enumerate() {
            if let Some(name) = &a.name {
                by_name.insert(name, n);
            }
        }
        let mut part_of = vec![None; asserted + assumed];
        for (p, partition) in tree.partitions.iter().enumerate() {
            for name in &partition.names {
                let Some(&n) = by_name.get(name.as_str()) else {
                    return Err(format!("no assertion is named {}", print_symbol(name)));
                };
                if part_of[n].replace(p).is_some() {
                    return Err(format!("{} is in two partitions", print_symbol(name)));
                }
            }
        }
        let shape =
            Tree::from_subtrees(tree.subtree_start.clone()).ok_or("the partitions do not form a tree")?;
        Ok((part_of, shape))
    }
}

/// Positions of the assertions that a refutation uses.
fn used_assertions(refutation: &Refutation) -> rustc_hash::FxHashSet<usize> {
    let used = refutation.steps.iter().filter_map(|s| match s.rule {
        Rule::Assertion(n) => Some(n as usize),
        _ => None,
    });
    used.collect()
}

fn rule_name(rule: &Rule) -> String {
    match rule {
        Rule::Assertion(n) => format!(":assertion {n}"),
        Rule::Axiom(axiom) => {
            let name = format!("{axiom:?}");
            format!(":axiom {}", name.split('(').next().unwrap_or("axiom"))
        }
        Rule::Theory(lemma) => {
            let name = format!("{lemma:?}");
            format!(":theory {}", name.split(['(', ' ', '{']).next().unwrap_or("lemma"))
        }
        Rule::Resolution { start, chain } => {
            let others: Vec<String> = chain.iter().map(|(_, s)| s.to_string()).collect();
            format!(":resolution ({start} {})", others.join(" "))
        }
    }
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
