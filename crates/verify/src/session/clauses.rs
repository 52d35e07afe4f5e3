//! Scripts of logic HORN: the engines for Horn clauses answer `check-sat`, `get-model` defines the predicates as they were declared, and
//! `get-proof` shows the derivation of a query in the form in which Z3 prints refutations by hyper-resolution, so that tools
//! that read models and counterexamples of other solvers for Horn clauses can use this one.

use super::{Last, Session};
use crate::report::DerivedFact;
use crate::{Options, horn};
use bolide_base::Stats;
use bolide_engine::Verdict;
use bolide_front::chc::{Loader, NotHorn, Problem};
use bolide_smtlib::{Command, Span, print_term};
use bolide_term::{Store, Term};
use std::fmt::Write as _;
use std::io::{self, Write};

/// The clauses of a script.
#[derive(Default)]
pub(super) struct Clauses {
    loader: Loader,
    /// The assertions, each with the number of clauses before it.
    assertions: Vec<(usize, Term)>,
    /// What backs the last answer; only after `sat` and `unsat`.
    found: Option<Found>,
    statistics: Stats,
}

impl Clauses {
    pub(super) fn statistics(&self) -> &Stats {
        &self.statistics
    }
}

/// The texts that back an answer.
enum Found {
    Model(String),
    Derivation(String),
}

impl<W: Write> Session<W> {
    /// Answers a command about clauses; gives back what is not about them.
    pub(super) fn clause_command(&mut self, command: Command) -> io::Result<Option<Command>> {
        let Some(clauses) = &mut self.clauses else { return Ok(Some(command)) };
        match command {
            Command::DeclareFun(_) | Command::Assert { .. } => {
                if let Command::Assert { term, .. } = &command {
                    clauses.assertions.push((clauses.loader.clauses(), *term));
                }
                clauses.found = None;
                let added = clauses.loader.command(&mut self.store, command, Span { start: 0, end: 0 });
                self.forget_answer();
                match added {
                    Ok(()) => self.success()?,
                    Err(flaw) => self.not_a_clause(&flaw)?,
                }
            }
            Command::CheckSat => self.check_clauses()?,
            Command::GetModel => match &clauses.found {
                Some(Found::Model(text)) => write!(self.out, "{text}")?,
                _ => self.error("there is no model: the last answer was not sat")?,
            },
            Command::GetProof => match &clauses.found {
                Some(Found::Derivation(text)) => write!(self.out, "{text}")?,
                _ => self.error("there is no proof: the last answer was not unsat")?,
            },
            Command::Push(_) | Command::Pop(_) | Command::CheckSatAssuming(_) => {
                self.is_unread = true;
                self.error("Horn clauses have neither scopes nor assumptions here")?;
            }
            Command::GetValue(_)
            | Command::GetUnsatCore
            | Command::GetUnsatAssumptions
            | Command::GetAssertions
            | Command::GetAssignment
            | Command::GetInterpolants(_)
            | Command::ResetAssertions => self.error("this command is not for Horn clauses")?,
            other => return Ok(Some(other)),
        }
        Ok(None)
    }

    /// An assertion that is no clause might contradict the others.
    fn not_a_clause(&mut self, flaw: &NotHorn) -> io::Result<()> {
        self.is_unread = true;
        self.error(&flaw.to_string())
    }

    fn check_clauses(&mut self) -> io::Result<()> {
        self.forget_answer();
        let budget = self.limited();
        let Some(clauses) = &mut self.clauses else { return Ok(()) };
        let mut store = self.store.clone();
        let problem = clauses.loader.problem(&mut store);
        let (mut store, verdict, statistics) = horn::decide(&store, &problem, &Options::default(), &budget);
        clauses.statistics.merge(&statistics);
        clauses.found = None;
        let (word, last, found) = match verdict {
            Verdict::Safe(_) if self.is_unread => ("unknown", Last::Unread, None),
            Verdict::Safe(i) => ("sat", Last::Sat, model(&mut store, &problem, &i.into_inner())),
            Verdict::Unsafe(d) => {
                let steps = horn::derivation(&store, &problem, &d.into_inner());
                let proof =
                    steps.map(|steps| Found::Derivation(proof(&self.store, &clauses.assertions, &steps)));
                ("unsat", Last::Unsat { assumptions: Vec::new() }, proof)
            }
            Verdict::Unknown(reason) => ("unknown", Last::Undecided(reason.to_string()), None),
        };
        clauses.found = found;
        self.last = last;
        writeln!(self.out, "{word}")?;
        self.out.flush()
    }
}

/// The definitions of the predicates.
fn model(
    store: &mut Store,
    problem: &Problem,
    interpretation: &bolide_model::horn::Interpretation,
) -> Option<Found> {
    let mut text = String::from("(\n");
    for p in horn::predicates(store, problem, interpretation) {
        let _ = writeln!(text, "  {}", p.definition("\n    "));
    }
    text.push_str(")\n");
    Some(Found::Model(text))
}

/// The name of what a query derives.
const QUERY: &str = "query!0";

/// A derivation as a refutation by hyper-resolution: a step names its clause, the steps that derive what the body asks for, and its fact.
/// Steps that are used more than once have names.
fn proof(store: &Store, assertions: &[(usize, Term)], steps: &[DerivedFact]) -> String {
    let mut uses = vec![0; steps.len()];
    steps.iter().flat_map(|s| &s.premises).for_each(|&p| uses[p] += 1);
    let mut text = format!("((set-logic HORN)\n(declare-fun {QUERY} () Bool)\n(proof\n");
    // The texts of steps that are used once, until they are.
    let mut written: Vec<String> = Vec::with_capacity(steps.len());
    let mut lets = 0;
    for (n, step) in steps.iter().enumerate() {
        let is_last = n + 1 == steps.len();
        let of_clause = assertions.partition_point(|&(first, _)| first <= step.clause).saturating_sub(1);
        let clause =
            assertions.get(of_clause).map_or("true".into(), |&(_, t)| print_term(store, t).to_string());
        let mut node = String::from("((_ hyper-res 0 0");
        (0..step.premises.len()).for_each(|i| _ = write!(node, " 0 {}", i + 1));
        let _ = write!(node, ") (asserted {clause})");
        for &p in &step.premises {
            node.push(' ');
            node.push_str(&written[p]);
            if uses[p] == 1 {
                written[p] = String::new();
            }
        }
        let _ = write!(node, " {})", if is_last { QUERY } else { &step.fact });
        if uses[n] > 1 {
            let name = format!("@s{n}");
            let _ = writeln!(text, "(let (({name} {node}))");
            lets += 1;
            node = name;
        }
        written.push(node);
    }
    let root = written.pop().unwrap_or_default();
    let _ = write!(text, "(mp {root} (asserted (=> {QUERY} false)) false)");
    text.push_str(&")".repeat(lets + 2));
    text.push('\n');
    text
}
