//! Commands to a system of clauses.

use super::clausify::{Clausifier, NotHorn};
use super::tuples::{self, Records};
use bolide_model::Span;
use bolide_model::horn::{Horn, PredId};
use bolide_smtlib::{Command, Error, QueryGoal, Reader, Scope, line_and_column};
use bolide_term::{Func, Model, Op, Sort, Store, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// A Horn clause problem as the user wrote it.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// The system; its clauses carry the positions of the assertions that they came from.
    pub horn: Horn,
    /// The symbols of the predicates, as they were declared.
    pub symbols: Vec<Func>,
    /// How records were taken apart, if there were some: then the predicates of the system have the components as parameters.
    pub records: Option<Records>,
}

impl Problem {
    /// The parameters of a predicate as it was declared, and what a formula over those in the system says of them. Nothing if
    /// records would be needed that the formula knows only the parts of.
    pub fn definition(&self, store: &mut Store, pred: PredId, formula: Term) -> Option<(Vec<Term>, Term)> {
        let params = &self.horn.pred(pred).params;
        match &self.records {
            Some(records) => records.definition(store, pred, params, formula),
            None => Some((params.clone(), formula)),
        }
    }

    /// A function of a value of a datatype, as one of the datatype that was declared.
    pub fn function(&self, store: &mut Store, value: Term, body: Term) -> (Term, Term) {
        let records = self.records.as_ref();
        records.and_then(|r| r.function(store, value, body)).unwrap_or((value, body))
    }

    /// The arguments of a fact as its predicate was declared, with their sorts.
    pub fn fact(&self, store: &Store, pred: PredId, values: &[Value]) -> Option<Vec<(Value, Sort)>> {
        let (params, values) = match &self.records {
            Some(records) => (records.params(pred), records.fact(store, pred, values)?),
            None => (&*self.horn.pred(pred).params, values.to_vec()),
        };
        Some(values.into_iter().zip(params.iter().map(|&p| store.sort_of(p))).collect())
    }

    /// The values that instances of a clause give to its variables, by the names that the text has for them. Variables that the
    /// clause does not mention are left out: any value will do. Nothing if two variables have the same name, or if a record cannot
    /// be put together.
    pub fn instances(&self, store: &Store, clause: usize) -> Option<Instances<'_>> {
        let whole = self.records.as_ref().map(Records::by_component).unwrap_or_default();
        let mut variables: Vec<(Box<str>, Term)> = Vec::new();
        for t in store.post_order(self.horn.clauses.get(clause)?.terms()) {
            let Some(f) = store.as_var(whole.get(&t).copied().unwrap_or(t)) else { continue };
            let variable = whole.get(&t).copied().unwrap_or(t);
            let name = &store.decl(f).name;
            let stem = name.rsplit_once('!').map_or(&**name, |(stem, _)| stem);
            match variables.iter().find(|(n, _)| **n == *stem) {
                Some((_, other)) if *other != variable => return None,
                Some(_) => {}
                None => variables.push((stem.into(), variable)),
            }
        }
        Some(Instances { records: self.records.as_ref(), variables })
    }
}

/// What instances of one clause give to its variables; see [`Problem::instances`].
#[derive(Clone, Debug)]
pub struct Instances<'a> {
    records: Option<&'a Records>,
    variables: Vec<(Box<str>, Term)>,
}

impl Instances<'_> {
    /// The names of the variables with the values and sorts that they have in a model of the clause's constants.
    pub fn values(&self, store: &Store, model: &Model) -> Option<Vec<(&str, Value, Sort)>> {
        let value = |t: Term| {
            let known = store.as_var(t).and_then(|f| model.value(f)).cloned();
            known.unwrap_or_else(|| Value::default_of(store, store.sort_of(t)))
        };
        let mut all = Vec::with_capacity(self.variables.len());
        for (name, t) in &self.variables {
            let value = match self.records.filter(|r| r.is_taken_apart(*t)) {
                Some(records) => records.constant(store, *t, &value)?,
                None => value(*t),
            };
            all.push((&**name, value, store.sort_of(*t)));
        }
        Some(all)
    }
}

/// Reads a problem.
///
/// ```
/// use bolide_term::Store;
/// let text = "(set-logic HORN) (declare-fun p (Int) Bool) (assert (forall ((x Int)) (=> (= x 0) (p x))))
///   (assert (forall ((x Int)) (=> (and (p x) (< x 0)) false))) (check-sat)";
/// let problem = bolide_front::chc::read(text.as_bytes(), &mut Store::new()).unwrap();
/// assert_eq!(problem.horn.clauses.len(), 2);
/// ```
pub fn read(text: &[u8], store: &mut Store) -> Result<Problem, Error> {
    let mut loader = Loader::default();
    let (mut reader, mut scope) = (Reader::new(text), Scope::new());
    while let Some(located) = reader.next_command(store, &mut scope) {
        let located = located?;
        let span = located.span;
        loader.command(store, located.command, span).map_err(|flaw: NotHorn| {
            let (line, column) = line_and_column(text, span.start);
            Error { span, line, column, message: flaw.to_string(), expected: None }
        })?;
    }
    Ok(loader.problem(store))
}

/// Collects a problem from the commands of a script.
#[derive(Clone, Debug, Default)]
pub struct Loader {
    problem: Problem,
    preds: FxHashMap<Func, PredId>,
    /// Constants of `declare-var`.
    vars: FxHashSet<Func>,
}

impl Loader {
    /// The problem so far, its records taken apart.
    pub fn problem(&self, store: &mut Store) -> Problem {
        tuples::take_apart(store, &self.problem).unwrap_or_else(|| self.problem.clone())
    }

    /// The number of clauses so far.
    pub fn clauses(&self) -> usize {
        self.problem.horn.clauses.len()
    }

    /// Carries out a command that stands somewhere in a text.
    pub fn command(
        &mut self,
        store: &mut Store,
        command: Command,
        span: bolide_smtlib::Span,
    ) -> Result<(), NotHorn> {
        let before = self.clauses();
        match command {
            Command::DeclareFun(f) | Command::DeclareRel(f) => self.declare(store, f),
            Command::DeclareVar(f) => {
                self.vars.insert(f);
            }
            Command::Assert { term, .. } | Command::Rule { term, .. } => self.add(store, term)?,
            Command::Query(QueryGoal::Relation(f)) => {
                let vars: Vec<Sort> = store.decl(f).args.to_vec();
                let args: Vec<Term> = vars.into_iter().map(|s| store.fresh_var("q", s)).collect();
                self.vars.extend(args.iter().filter_map(|&a| store.as_var(a)));
                let goal = store.apply(f, &args);
                let denied = store.not(goal);
                self.add(store, denied)?;
            }
            Command::Query(QueryGoal::Formula(t)) => {
                let denied = store.not(t);
                self.add(store, denied)?;
            }
            Command::Push(_) | Command::Pop(_) | Command::Reset | Command::ResetAssertions => {
                return Err("a Horn clause problem has no scopes".into());
            }
            Command::CheckSatAssuming(_) => {
                return Err("a Horn clause problem has no assumptions".into());
            }
            _ => {}
        }
        for c in &mut self.problem.horn.clauses[before..] {
            c.span = Span { start: span.start as u32, end: span.end as u32 };
        }
        Ok(())
    }

    fn declare(&mut self, store: &mut Store, f: Func) {
        let decl = store.decl(f).clone();
        if decl.result == Sort::BOOL {
            let id = self.problem.horn.add_predicate(store, &decl.name, &decl.args);
            self.preds.insert(f, id);
            self.problem.symbols.push(f);
        }
    }

    fn add(&mut self, store: &mut Store, term: Term) -> Result<(), NotHorn> {
        let mut clausifier = Clausifier::new(store, &self.preds);
        let clauses = clausifier.clauses(term)?;
        let bound = clausifier.bound;
        for c in &clauses {
            for f in store.symbols(c.terms()) {
                let decl = store.decl(f);
                let free = decl.args.is_empty() && (bound.contains(&f) || self.vars.contains(&f));
                if !free && !decl.name.starts_with('@') {
                    return Err(NotHorn::Symbol(decl.name.clone()));
                }
            }
            let quantified = |t: Term| matches!(store.op(t), Op::Forall | Op::Exists);
            if store.post_order(c.terms()).any(quantified) {
                return Err("a quantifier inside the body of a clause is not supported".into());
            }
        }
        self.problem.horn.clauses.extend(clauses);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_smtlib::print_term;

    fn check(text: &str, expected: &str) {
        let mut store = Store::new();
        let p = read(text.as_bytes(), &mut store).unwrap_or_else(|e| panic!("{e}"));
        let atom = |a: &bolide_model::horn::Atom| {
            let args: Vec<String> = a.args.iter().map(|&t| print_term(&store, t).to_string()).collect();
            format!("{}({})", p.horn.pred(a.pred).name, args.join(","))
        };
        let lines: Vec<String> = p
            .horn
            .clauses
            .iter()
            .map(|c| {
                let mut body: Vec<String> = c.body.iter().map(atom).collect();
                body.push(print_term(&store, c.constraint).to_string());
                format!("{} => {}", body.join(" & "), c.head.as_ref().map_or("false".into(), atom))
            })
            .collect();
        let shown = lines.join("; ");
        // Numbers of fresh constants do not matter.
        let mut plain = String::new();
        let mut skip = false;
        for ch in shown.chars() {
            skip = if ch == '!' { true } else { skip && ch.is_ascii_digit() };
            if !skip && ch != '|' {
                plain.push(ch);
            }
        }
        assert_eq!(plain, expected);
    }

    const DECL: &str = "(declare-fun p (Int) Bool) (declare-fun q () Bool) (declare-fun b (Bool) Bool)";

    #[test]
    fn shapes() {
        let with = |t: &str| format!("{DECL} {t}");
        check(&with("(assert q)"), "true => q()");
        check(&with("(assert (not q))"), "q() & true => false");
        check(&with("(assert (=> q false))"), "q() & true => false");
        check(&with("(assert (forall ((x Int)) (=> (p x) (> x 2))))"), "p(x) & (<= x 2) => false");
        check(&with("(assert (forall ((x Int)) (or (p (+ x 1)) (not (p x)))))"), "p(x) & true => p((+ x 1))");
        check(&with("(assert (forall ((x Int)) (not (and (p x) (= x 1)))))"), "p(x) & (= x 1) => false");
        check(&with("(assert (not (exists ((x Int)) (and (p x) (= x 1)))))"), "p(x) & (= x 1) => false");
        check(
            &with("(assert (forall ((x Int)) (=> (or (p x) (and q (= x 3))) (p x))))"),
            "p(x) & true => p(x); q() & (= x 3) => p(x)",
        );
        check(&with("(assert (forall ((x Bool)) (=> x (b x))))"), "x => b(x)");
        check(
            &with("(assert (forall ((x Int)) (=> (p x) (forall ((y Int)) (=> (= y x) (p y))))))"),
            "p(x) & (= x y) => p(y)",
        );
        check(
            &with("(assert (forall ((x Int)) (=> (exists ((y Int)) (and (p y) (= x (+ y 1)))) (p x))))"),
            "p(y) & (= x (+ y 1)) => p(x)",
        );
        check(&with("(assert (and q (=> q false) (b true)))"), "true => false");
        check(&with("(assert true)"), "");
        check(
            &with("(assert (forall ((x Int)) (=> (ite (> x 0) (p x) q) (p 0))))"),
            "q() & (<= x 0) => p(0); p(x) & (>= x 1) => p(0)",
        );
    }

    #[test]
    fn fixedpoint_form() {
        let text = "(declare-rel p (Int)) (declare-var x Int)\r\n(rule (=> (= x 0) (p x)))\r\n(rule (=> (p x) (p (+ x 1))))\r\n(query p)";
        check(text, "(= x 0) => p(x); p(x) & true => p((+ x 1)); p(q) & true => false");
    }

    #[test]
    fn rejections_have_positions() {
        let error =
            |t: &str| read(format!("{DECL}\n {t}").as_bytes(), &mut Store::new()).unwrap_err().to_string();
        assert!(error("(assert (forall ((x Int)) (or (p x) q)))").starts_with("2:2: "));
        assert!(
            error("(declare-fun f (Int) Int) (assert (forall ((x Int)) (=> (= (f x) 0) (p x))))")
                .starts_with("2:28: ")
        );
        assert!(error("(assert (b q))").starts_with("2:2: "));
        assert!(error("(push 1)").starts_with("2:2: "));
        assert!(
            error("(assert (forall ((x Int)) (=> (forall ((y Int)) (> y x)) (p x))))").starts_with("2:2: ")
        );
    }
}
