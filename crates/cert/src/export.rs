//! Refutations of obligations for the checkers of others.
//!
//! A refutation is a sequence of clauses: assertions, instances of axioms, theory lemmas, and what follows from them by resolution. The
//! first three become a formula in DIMACS, the resolutions a proof in LRAT that it is unsatisfiable, which any checker of LRAT can
//! confirm. What is left is that each of these clauses holds if the formulas of the obligation do. A script in SMT-LIB asks so, for any
//! solver: it defines the atom that each variable of the DIMACS formula stands for, and for clause `N` a question, headed by the comment
//! `; clause N`, asserts the negation of its literals. The bit-blasting of words and gates are among the axioms, so of a circuit or of
//! bit-vectors nothing else is needed.

use crate::Obligation;
use bolide_proof::{Axiom, Literal, Refutation, Rule};
use bolide_smtlib::{print_declarations, print_term};
use bolide_term::{Store, Term};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// A refutation in the formats of others.
#[derive(Clone, Debug)]
pub struct ExportedProof {
    /// The obligation that is refuted.
    pub name: String,
    /// Assertions, axioms and lemmas as clauses, in DIMACS.
    pub cnf: String,
    /// The resolutions, in LRAT.
    pub lrat: String,
    /// What the variables stand for, and for each clause a question whose answer ought to be `unsat`. Clauses that define a symbol that
    /// only proofs have, such as the index where two arrays differ, are no questions.
    pub questions: String,
}

/// Writes a refutation that has been checked.
pub(crate) fn export(store: &Store, obligation: &Obligation, refutation: &Refutation) -> ExportedProof {
    let mut atoms = Atoms { numbers: FxHashMap::default(), list: Vec::new() };
    // Clauses of the formula come first in LRAT.
    let is_given = |rule: &Rule| !matches!(rule, Rule::Resolution { .. });
    let given = refutation.steps.iter().filter(|step| is_given(&step.rule)).count();
    let (mut clauses, mut lrat) = (String::new(), String::new());
    let (mut next_given, mut next_derived) = (1, given + 1);
    let mut ids: Vec<usize> = Vec::with_capacity(refutation.steps.len());
    let mut questions = Vec::new();
    for step in &refutation.steps {
        let literals: Vec<i64> = step.clause.iter().map(|&literal| atoms.literal(literal)).collect();
        let written: String = literals.iter().map(|literal| format!("{literal} ")).collect();
        match &step.rule {
            Rule::Resolution { start, chain } => {
                ids.push(next_derived);
                let _ = write!(lrat, "{next_derived} {written}0");
                // If the clause is false, the last pivot is implied first, and the clause to begin with is false in the end.
                for (_, other) in chain.iter().rev() {
                    let _ = write!(lrat, " {}", ids[other.index()]);
                }
                let _ = writeln!(lrat, " {} 0", ids[start.index()]);
                next_derived += 1;
            }
            rule => {
                ids.push(next_given);
                let _ = writeln!(clauses, "{written}0");
                questions.push(Question { clause: next_given, literals, why: Why::of(rule) });
                next_given += 1;
            }
        }
    }
    let cnf = format!("c {}\np cnf {} {given}\n{clauses}", obligation.name, atoms.list.len());
    let questions = script(store, obligation, refutation, &atoms.list, &questions);
    ExportedProof { name: obligation.name.clone(), cnf, lrat, questions }
}

/// The variables of the formula: variable `n` is the atom at `n - 1`.
struct Atoms {
    numbers: FxHashMap<Term, i64>,
    list: Vec<Term>,
}

impl Atoms {
    fn literal(&mut self, literal: Literal) -> i64 {
        let number = *self.numbers.entry(literal.atom()).or_insert_with(|| {
            self.list.push(literal.atom());
            self.list.len() as i64
        });
        if literal.is_positive() { number } else { -number }
    }
}

/// Why a clause of the formula holds.
enum Why {
    /// It is this assertion of the refutation.
    Assertion(usize),
    /// It defines a symbol that occurs in proofs only.
    Definition,
    /// It is valid.
    Lemma,
}

impl Why {
    fn of(rule: &Rule) -> Why {
        match rule {
            Rule::Assertion(n) => Why::Assertion(*n as usize),
            Rule::Axiom(Axiom::Extensionality(_) | Axiom::ArrayDefault(_)) => Why::Definition,
            Rule::Axiom(_) | Rule::Theory(_) | Rule::Resolution { .. } => Why::Lemma,
        }
    }
}

/// Does a clause of the formula hold?
struct Question {
    clause: usize,
    literals: Vec<i64>,
    why: Why,
}

/// The script with all questions.
fn script(
    store: &Store,
    obligation: &Obligation,
    refutation: &Refutation,
    atoms: &[Term],
    questions: &[Question],
) -> String {
    let terms = [atoms, &refutation.assertions].concat();
    let declarations = print_declarations(store, &terms).to_string();
    let unused = |wanted: &str| {
        let mut name = wanted.to_string();
        while declarations.contains(&name) {
            name.push('-');
        }
        name
    };
    let (atom, formula) = (unused("atom-"), unused("formula-"));
    let mut out = format!("; {}\n{declarations}", obligation.name);
    let mut define = |prefix: &str, n: usize, t: Term| {
        let _ = writeln!(out, "(define-fun {prefix}{n} () Bool {})", print_term(store, t));
    };
    atoms.iter().enumerate().for_each(|(n, &t)| define(&atom, n + 1, t));
    refutation.assertions.iter().enumerate().for_each(|(n, &t)| define(&formula, n, t));
    for question in questions {
        let _ = writeln!(out, "; clause {}", question.clause);
        if matches!(question.why, Why::Definition) {
            out.push_str("; by definition\n");
            continue;
        }
        out.push_str("(push 1)\n");
        if let Why::Assertion(n) = question.why {
            let _ = writeln!(out, "(assert {formula}{n})");
        }
        for &literal in &question.literals {
            let _ = match literal > 0 {
                true => writeln!(out, "(assert (not {atom}{literal}))"),
                false => writeln!(out, "(assert {atom}{})", -literal),
            };
        }
        out.push_str("(check-sat)\n(pop 1)\n");
    }
    out
}
