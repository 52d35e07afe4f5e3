//! What a report says of Horn clauses: the steps of a derivation with their clauses, queries that follow from nothing, and
//! for a page the model and the derivation as a graph.

use super::derived;
use crate::details::{Definition, Details, Drawing, Edge, Look, Node, SourceText};
use crate::report::{Place, Shown, TraceStep, Vacuity};
use bolide_base::counted;
use bolide_engine::Verdict;
use bolide_engine::horn::HornClaim;
use bolide_front::chc::Problem;
use bolide_model::Span;
use bolide_model::horn::Derivation;
use bolide_smtlib::{print_symbol, print_term};
use bolide_term::{Store, Substitution, Term, Value};

/// How many steps of a derivation are drawn: the last ones.
const DRAWN: usize = 200;
/// How many definitions are shown, and how long they may be.
const DEFINITIONS: usize = 500;
const LONGEST: usize = 20_000;
/// Longer texts are not shown.
const LONGEST_TEXT: usize = 4 << 20;

/// A problem and the text it came from.
pub struct Teller<'a> {
    file: &'a str,
    text: &'a [u8],
    problem: &'a Problem,
    /// Where the lines of the text start.
    lines: Vec<usize>,
}

impl<'a> Teller<'a> {
    /// A problem from a file.
    pub fn new(file: &'a str, text: &'a [u8], problem: &'a Problem) -> Teller<'a> {
        let ends = text.iter().enumerate().filter(|(_, b)| **b == b'\n');
        let lines = [0].into_iter().chain(ends.map(|(n, _)| n + 1)).collect();
        Teller { file, text, problem, lines }
    }

    fn place(&self, span: Span) -> Place {
        let offset = (span.start as usize).min(self.text.len());
        let line = self.lines.partition_point(|&start| start <= offset);
        let start = self.lines[line - 1];
        let column = String::from_utf8_lossy(&self.text[start..offset]).chars().count() as u32 + 1;
        Place { file: self.file.into(), line: line as u32, column }
    }

    /// The steps of a derivation.
    pub fn trace(&self, store: &Store, verdict: &HornClaim) -> Vec<TraceStep> {
        let Verdict::Unsafe(derivation) = verdict else { return Vec::new() };
        let facts = derivation.replay(store, &self.problem.horn).unwrap_or_default();
        let moment = |(n, (step, fact)): (usize, (&_, &Vec<Value>))| {
            let step: &bolide_model::horn::DerivationStep = step;
            let clause = &self.problem.horn.clauses[step.clause];
            let mut what = format!("{n}: {}", derived(store, self.problem, clause, fact));
            if !step.premises.is_empty() {
                let premises: Vec<String> = step.premises.iter().map(usize::to_string).collect();
                what += &format!(" from {}", premises.join(", "));
            }
            if let Some(repetition) = derivation.repetitions.iter().find(|l| l.last == n) {
                what += &format!(
                    ", after {} like the last ones",
                    counted(repetition.times, "more round", "more rounds")
                );
            }
            TraceStep::new(self.place(clause.span), what)
        };
        derivation.steps.iter().zip(&facts).enumerate().map(moment).collect()
    }

    /// Queries that hold in every model because a predicate that they need is empty.
    pub fn vacuity(&self, store: &Store, verdict: &HornClaim) -> Vec<Vacuity> {
        let Verdict::Safe(interpretation) = verdict else { return Vec::new() };
        let mut found = Vec::new();
        if self.problem.horn.clauses.iter().all(|c| c.head.is_some()) {
            let text = "No clause has the head false: nothing was checked".into();
            found.push(Vacuity { kind: "nothing-to-check", text, place: None, shown: Shown::Proof });
        }
        for clause in self.problem.horn.clauses.iter().filter(|c| c.head.is_none()) {
            let is_empty = |p: bolide_model::horn::PredId| interpretation.formulas[p.index()] == store.fls();
            if let Some(atom) = clause.body.iter().find(|a| is_empty(a.pred)) {
                let name = print_symbol(&self.problem.horn.pred(atom.pred).name).to_string();
                found.push(Vacuity {
                    kind: "vacuous-query",
                    text: format!("The query needs {name}, of which no instance follows from the clauses"),
                    place: Some(self.place(clause.span)),
                    shown: Shown::Proof,
                });
            }
        }
        found
    }

    /// What a page shows.
    pub fn details(&self, store: &mut Store, verdict: &HornClaim) -> Details {
        let horn = &self.problem.horn;
        let queries = horn.clauses.iter().filter(|c| c.head.is_none()).count();
        let size = format!(
            "{}, {}, {}",
            counted(horn.preds.len(), "predicate", "predicates"),
            counted(horn.clauses.len(), "clause", "clauses"),
            counted(queries, "query among them", "queries among them")
        );
        let mut details = Details { figures: vec![("Problem".into(), size)], ..Details::default() };
        if self.text.len() <= LONGEST_TEXT {
            let text = String::from_utf8_lossy(self.text);
            details.sources.push(SourceText::whole(self.file, &text));
        }
        match verdict {
            Verdict::Safe(i) => {
                let folds = super::functions(store, self.problem, i).into_iter().map(|f| {
                    let params: Vec<&str> = f.params.iter().map(|(name, _)| &**name).collect();
                    Definition { head: format!("({} {})", f.name, params.join(" ")), formula: f.formula }
                });
                details.definitions = folds.collect();
                details.definitions.extend(definitions(store, self.problem, &i.formulas));
                details.figures.push(("Model".into(), counted(i.formulas.len(), "predicate", "predicates")));
            }
            Verdict::Unsafe(d) => details.derivation = Some(self.derivation(store, d)),
            Verdict::Unknown(_) => {}
        }
        details
    }

    /// The facts and what they follow from.
    fn derivation(&self, store: &Store, derivation: &Derivation) -> Drawing {
        let horn = &self.problem.horn;
        let facts = derivation.replay(store, horn).unwrap_or_default();
        let first = derivation.steps.len().saturating_sub(DRAWN);
        let mut drawing = Drawing::default();
        for (n, (step, fact)) in derivation.steps.iter().zip(&facts).enumerate().skip(first) {
            let clause = &horn.clauses[step.clause];
            let place = self.place(clause.span);
            drawing.nodes.push(Node {
                title: format!("{n} · line {}", place.line),
                lines: vec![derived(store, self.problem, clause, fact)],
                look: match (&clause.head, step.premises.is_empty()) {
                    (None, _) => Look::Error,
                    (_, true) => Look::Start,
                    _ => Look::Plain,
                },
                place: (self.text.len() <= LONGEST_TEXT).then_some((0, place.line)),
            });
            for &p in step.premises.iter().filter(|&&p| p >= first) {
                drawing.edges.push(Edge { ends: (p - first, n - first), ..Edge::default() });
            }
        }
        if first > 0 {
            drawing.note = Some(format!("The last {DRAWN} of {} steps are drawn.", derivation.steps.len()));
        }
        drawing
    }
}

/// What the predicates mean, with short names of their parameters.
fn definitions(store: &mut Store, problem: &Problem, formulas: &[Term]) -> Vec<Definition> {
    let mut definitions = Vec::new();
    for (p, &formula) in problem.horn.preds.iter().zip(formulas).take(DEFINITIONS) {
        let mut short = Substitution::new();
        let mut head = print_symbol(&p.name).to_string();
        for (n, &param) in p.params.iter().enumerate() {
            let sort = store.sort_of(param);
            let var = store.var(&format!("x{}", n + 1), sort);
            short.insert(param, var);
            head += &format!(" {}", print_term(store, var));
        }
        let formula = short.apply(store, formula);
        let formula = print_term(store, formula).to_string();
        let formula = match formula.char_indices().nth(LONGEST) {
            Some((n, _)) => format!("{}…", &formula[..n]),
            None => formula,
        };
        let head = if p.params.is_empty() { head } else { format!("({head})") };
        definitions.push(Definition { head, formula });
    }
    definitions
}
