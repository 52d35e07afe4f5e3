//! What backs an answer: models and values, cores, proofs.

use super::{Last, Session};
use bolide_proof::{Refutation, Rule};
use bolide_smt::{Answer, NoRefutation, Reason, Solver};
use bolide_smtlib::{SourceTerm, print_model, print_symbol, print_term, print_value};
use bolide_term::{Evaluator, Model, Term};
use rustc_hash::FxHashSet;
use std::io::{self, Write};

impl<W: Write> Session<W> {
    /// The model of the last answer.
    fn model(&self) -> Option<&Model> {
        match self.last {
            Last::Sat => self.answering().model(),
            _ => None,
        }
    }

    fn no_model(&mut self) -> io::Result<()> {
        self.error("there is no model: the last answer was not sat")
    }

    pub(super) fn get_model(&mut self) -> io::Result<()> {
        let Some(model) = self.model() else { return self.no_model() };
        let text = print_model(&self.store, model, &self.symbols).to_string();
        writeln!(self.out, "{text}")
    }

    pub(super) fn get_value(&mut self, terms: &[SourceTerm]) -> io::Result<()> {
        let Some(model) = self.model() else { return self.no_model() };
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

    pub(super) fn get_assignment(&mut self) -> io::Result<()> {
        let Some(model) = self.model() else { return self.no_model() };
        let mut evaluator = Evaluator::new(&self.store, model);
        let named = self.assertions.iter().flat_map(|a| &a.labels);
        let pairs: Vec<String> = named
            .map(|(n, t)| format!("({} {})", print_symbol(n), evaluator.holds(*t).unwrap_or(false)))
            .collect();
        writeln!(self.out, "({})", pairs.join(" "))
    }

    pub(super) fn get_unsat_core(&mut self) -> io::Result<()> {
        if !self.naming() {
            return self.error("unsatisfiable cores need (set-option :produce-unsat-cores true)");
        }
        if !matches!(self.last, Last::Unsat { .. }) {
            return self.error("there is no unsatisfiable core: the last answer was not unsat");
        }
        let mut core = match self.core() {
            Ok(core) => core,
            Err(flaw) => return self.error(&flaw.to_string()),
        };
        if self.options.minimize_cores || self.flag(":minimal-unsat-cores") {
            core = self.minimize(core);
        }
        if self.options.check {
            let terms = self.terms_of(&core);
            match self.solver_without_names().check_assuming(&mut self.store, &terms, &self.budget) {
                Answer::Unsat => {}
                Answer::Unknown(Reason::Interrupted(i)) => {
                    return self.error(&format!("the unsatisfiable core could not be checked: {i}"));
                }
                _ => {
                    self.withdrawn.push("an unsatisfiable core did not pass its check".into());
                    return self.error("the unsatisfiable core was withdrawn");
                }
            }
        }
        let names: Vec<String> = core
            .iter()
            .filter_map(|&n| self.assertions[n].name.as_ref())
            .map(|n| print_symbol(n).to_string())
            .collect();
        writeln!(self.out, "({})", names.join(" "))
    }

    /// Positions of named assertions that the last refutation needs.
    fn core(&mut self) -> Result<Vec<usize>, NoRefutation> {
        let named: Vec<usize> =
            (0..self.assertions.len()).filter(|&n| self.assertions[n].name.is_some()).collect();
        if !self.proving() {
            let core: FxHashSet<Term> = self.solver.core().iter().copied().collect();
            return Ok(named.into_iter().filter(|&n| core.contains(&self.assertions[n].term)).collect());
        }
        let used = used_assertions(&self.refutation()?);
        Ok(named.into_iter().filter(|n| used.contains(n)).collect())
    }

    fn terms_of(&self, assertions: &[usize]) -> Vec<Term> {
        assertions.iter().map(|&n| self.assertions[n].term).collect()
    }

    /// Leaves out one member after the other as long as the rest is unsatisfiable.
    fn minimize(&mut self, mut core: Vec<usize>) -> Vec<usize> {
        let mut solver = self.solver_without_names();
        // Those before `n` are needed by every unsatisfiable subset of the rest, too.
        let mut n = 0;
        while n < core.len() {
            let left_out = core.remove(n);
            let terms = self.terms_of(&core);
            if solver.check_assuming(&mut self.store, &terms, &self.budget) == Answer::Unsat {
                let needed: FxHashSet<Term> = solver.core().iter().copied().collect();
                core.retain(|&m| needed.contains(&self.assertions[m].term));
            } else {
                core.insert(n, left_out);
                n += 1;
            }
        }
        core
    }

    /// A solver with the unnamed assertions and the assumptions of the last query.
    fn solver_without_names(&self) -> Solver {
        let mut solver = Solver::default();
        let unnamed = self.assertions.iter().filter(|a| a.name.is_none());
        unnamed.for_each(|a| solver.assert(a.term));
        if let Last::Unsat { assumptions } = &self.last {
            assumptions.iter().for_each(|a| solver.assert(a.term));
        }
        solver
    }

    pub(super) fn get_unsat_assumptions(&mut self) -> io::Result<()> {
        let Last::Unsat { assumptions } = &self.last else {
            return self.error("there are no unsatisfiable assumptions: the last answer was not unsat");
        };
        let needed: Vec<&str> = if self.proving() {
            // Behind the assertions, assumptions are assertions of this query.
            let first = self.assertions.len();
            let solver = self.once.as_ref().unwrap_or(&self.solver);
            let used = match solver.refutation(&mut self.store) {
                Ok(refutation) => used_assertions(&refutation),
                Err(flaw) => return self.error(&flaw.to_string()),
            };
            let needed = assumptions.iter().enumerate().filter(|(n, _)| used.contains(&(first + n)));
            needed.map(|(_, a)| a.text.as_str()).collect()
        } else {
            let core: FxHashSet<Term> = self.solver.core().iter().copied().collect();
            assumptions.iter().filter(|a| core.contains(&a.term)).map(|a| a.text.as_str()).collect()
        };
        writeln!(self.out, "({})", needed.join(" "))
    }

    pub(super) fn get_proof(&mut self) -> io::Result<()> {
        if !matches!(self.last, Last::Unsat { .. }) || !self.flag(":produce-proofs") {
            return self
                .error("there is no proof: the last answer was not unsat, or :produce-proofs is not set");
        }
        let refutation = match self.refutation() {
            Ok(refutation) => refutation,
            Err(flaw) => return self.error(&flaw.to_string()),
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
}

/// Positions of the assertions that a refutation uses.
fn used_assertions(refutation: &Refutation) -> FxHashSet<usize> {
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
