//! Horn clauses.

mod pictures;

use crate::cache::{Accepted, Lookup, Question};
use crate::certificate::{self, Certifier, Draft, Refusal};
use crate::report::{ClauseRefutation, DerivedFact, Evidence, Predicate, Report};
use crate::{Error, Options, Task, Verdict, strategy};
use bolide_base::{Budget, Stats};
use bolide_cert::{Certificate, Obligations, Section, Text, horn as cert};
use bolide_engine::board::{Board, Seat};
use bolide_engine::horn::{
    HornClaim, HornVerdict, Settings, check_derivation, has_program_counter, solve_with,
};
use bolide_engine::{Candidate, Finish, Verdict as Claim, portfolio};
use bolide_front::chc::{self, Problem};
use bolide_model::horn::{Clause, Derivation, Fold, Interpretation, pass};
use bolide_smtlib::{print_sort, print_symbol, print_term, print_value};
use bolide_term::{Store, Term, Value};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Reads a problem and decides it.
pub(crate) fn verify(
    task: &Task,
    options: &Options,
    lookup: &mut Lookup<'_>,
    budget: &Budget,
    proofs: &dyn Fn() -> Budget,
) -> Result<Report, Error> {
    let mut store = Store::new();
    let problem = chc::read(&task.text, &mut store).map_err(|error| Error::SmtLib(Box::new(error)))?;
    let teller = pictures::Teller::new(&task.name, &task.text, &problem);
    // Adds what is told about evidence.
    let told = |store: &mut Store, claim: &HornClaim, report: Report| Report {
        trace: teller.trace(store, claim),
        vacuity: if options.vacuity { teller.vacuity(store, claim) } else { Vec::new() },
        details: options.details.then(|| Box::new(teller.details(store, claim))),
        evidence: evidence(store, &task.text, &problem, claim),
        ..report
    };
    let certified = task.certified();
    let known = look_up(&store, &problem, &certified, lookup, budget);
    let (mut report, kept) = match known {
        Some((mut store, claim, verdict)) => {
            let report = told(&mut store, &claim, Report { engine: "cache".into(), ..Report::new(verdict) });
            (report, None)
        }
        None => {
            let finish = |engine: &'static str,
                          store: &mut Store,
                          found: HornVerdict,
                          statistics: Stats,
                          _: &Budget| {
                let (verdict, claim) = match found {
                    Claim::Safe(i) => (Verdict::safe(&i), Claim::Safe(i.into_inner())),
                    Claim::Unsafe(d) => (Verdict::r#unsafe(&d), Claim::Unsafe(d.into_inner())),
                    Claim::Unknown(reason) => (Verdict::unknown(reason.clone()), Claim::Unknown(reason)),
                };
                let report = Report { engine: engine.into(), statistics, ..Report::new(verdict) };
                let report = told(store, &claim, report);
                let is_known = report.verdict.is_known();
                let kept = is_known.then(|| (std::mem::take(store), claim));
                (is_known, (report, kept))
            };
            run(&store, &problem, options, budget, &finish)
                .unwrap_or_else(|| (Report::new(Verdict::unknown(strategy::nothing_ran())), None))
        }
    };
    let mut certifier = HornCertifier { text: &certified, read: &store, problem: &problem, kept };
    certificate::add(task.kind, &mut report, options, lookup, &mut certifier, budget, &proofs());
    Ok(report)
}

/// Lets the engines of the strategy take turns on a problem.
fn run<R: Send>(
    store: &Store,
    problem: &Problem,
    options: &Options,
    budget: &Budget,
    finish: &Finish<'_, Store, HornVerdict, R>,
) -> Option<R> {
    let horn = &problem.horn;
    let board = Board::new(store.mark());
    let candidate = |(engine, form, share): (_, strategy::Form, _)| {
        let board = Some(Seat::new(&board));
        let settings = Settings { board, ..form.settings(&options.engines) };
        Candidate {
            name: bolide_engine::Engine::name(engine),
            share,
            run: Box::new(move |store: &mut Store, budget: &Budget, stats: &mut Stats| {
                solve_with(store, horn, engine, &settings, budget, stats)
            }),
        }
    };
    let shape = strategy::Shape {
        has_datatypes: pass::has_datatypes(store, horn),
        has_words: pass::has_words(store, horn),
        has_program_counter: options.engine.is_none()
            && has_program_counter(store, horn, options.engines.preparation, budget),
    };
    let engines = strategy::for_clauses(options.engine, shape);
    let candidates: Vec<_> = engines.into_iter().map(candidate).collect();
    portfolio(store, &candidates, options.jobs, budget, finish)
}

/// Decides a problem that has been read. What is found lives in the store that comes with it.
pub(crate) fn decide(
    store: &Store,
    problem: &Problem,
    options: &Options,
    budget: &Budget,
) -> (Store, HornVerdict, Stats) {
    let finish = |_: &'static str, store: &mut Store, found: HornVerdict, statistics: Stats, _: &Budget| {
        let is_known = !matches!(found, Claim::Unknown(_));
        (is_known, (std::mem::take(store), found, statistics))
    };
    run(store, problem, options, budget, &finish)
        .unwrap_or_else(|| (store.clone(), Claim::Unknown(strategy::nothing_ran()), Stats::new()))
}

/// Makes certificates of one problem.
struct HornCertifier<'a> {
    text: &'a Text<'a>,
    /// The store that the problem was read with, as it was then.
    read: &'a Store,
    problem: &'a Problem,
    /// What an engine found, and the store that it lives in.
    kept: Option<(Store, HornClaim)>,
}

impl Certifier for HornCertifier<'_> {
    fn text(&self) -> &Text<'_> {
        self.text
    }

    fn claim(&self) -> &bolide_cert::Claim {
        &bolide_cert::Claim::Horn
    }

    fn draft(&mut self) -> Option<Draft> {
        let (store, claim) = self.kept.as_mut()?;
        let section = |name: &str, text: String| Section { name: name.into(), text };
        let sections = match claim {
            Claim::Safe(i) => {
                let invariant = cert::write_interpretation(store, self.problem, i)?;
                let mut sections = vec![section("invariant", invariant)];
                if !i.folds.is_empty() {
                    sections.push(section("folds", cert::write_folds(store, i)?));
                }
                sections
            }
            Claim::Unsafe(d) => {
                vec![section("derivation", cert::write_derivation(store, self.problem, d)?)]
            }
            Claim::Unknown(_) => return None,
        };
        Some(Draft { options: Vec::new(), sections })
    }

    fn obligations(&self, certificate: &Certificate, budget: &Budget) -> Result<Obligations, Refusal> {
        cert::obligations_of_problem(self.read.clone(), self.problem, certificate, budget)
            .map_err(Refusal::Unsaid)
    }
}

/// Asks the cache.
fn look_up(
    store: &Store,
    problem: &Problem,
    text: &Text<'_>,
    lookup: &mut Lookup<'_>,
    budget: &Budget,
) -> Option<(Store, HornClaim, Verdict)> {
    if !lookup.is_on() {
        return None;
    }
    let mut store = store.clone();
    let content = chc::write(&mut store, &problem.horn);
    let question = Question { claim: &bolide_cert::Claim::Horn, content: &content, task: text };
    let accepted: &Accepted = lookup.ask(&question, budget)?;
    let found = accepted.certificate();
    let claim = match found.verdict {
        bolide_cert::Verdict::Safe => {
            Claim::Safe(cert::read_interpretation(&mut store, problem, found).ok()?)
        }
        bolide_cert::Verdict::Unsafe => {
            let derivation = cert::read_derivation(&mut store, problem, found.section("derivation")?).ok()?;
            Claim::Unsafe(check_derivation(&store, &problem.horn, derivation).ok()?.into_inner())
        }
    };
    let verdict = Verdict::certified(accepted);
    Some((store, claim, verdict))
}

/// What witnesses are made of.
fn evidence(store: &mut Store, text: &[u8], problem: &Problem, claim: &HornClaim) -> Evidence {
    match claim {
        Claim::Safe(i) => Evidence::Model(predicates(store, problem, i)),
        Claim::Unsafe(d) => derivation(store, problem, d).map_or(Evidence::None, |steps| {
            Evidence::Derivation(ClauseRefutation { text: text.to_vec(), steps })
        }),
        Claim::Unknown(_) => Evidence::None,
    }
}

/// What the predicates mean, as they were declared. Where records of the clauses cannot be put together again, a predicate has their
/// components as parameters.
pub(crate) fn predicates(store: &mut Store, problem: &Problem, i: &Interpretation) -> Vec<Predicate> {
    let mut all = functions(store, problem, i);
    for (id, &formula) in problem.horn.pred_ids().zip(&i.formulas) {
        let components = || (problem.horn.pred(id).params.clone(), formula);
        let (params, mut formula) = problem.definition(store, id, formula).unwrap_or_else(components);
        let is_there = |p: &Term| store.post_order([formula]).any(|t| t == *p);
        let bound: Vec<Term> = i.folds.params.iter().copied().filter(is_there).collect();
        if !bound.is_empty() {
            formula = store.forall(&bound, formula);
        }
        all.push(definition(store, &problem.horn.pred(id).name, &params, formula, false));
    }
    all
}

/// The folds of an interpretation, as far as possible each after those that it uses.
fn functions(store: &mut Store, problem: &Problem, i: &Interpretation) -> Vec<Predicate> {
    let mut all = Vec::new();
    let mut rest: Vec<&Fold> = i.folds.folds.iter().collect();
    let mut order: Vec<&Fold> = Vec::with_capacity(rest.len());
    while !rest.is_empty() {
        let waits = |f: &Fold| {
            let uses = store.symbols(f.cases.iter().copied());
            rest.iter().any(|g| g.func != f.func && uses.contains(&g.func))
        };
        let next = rest.iter().position(|f| !waits(f)).unwrap_or(0);
        order.push(rest.remove(next));
    }
    for fold in order {
        let mut body = None;
        for (constructor, &case) in (0..).zip(&fold.cases) {
            body = Some(match body {
                None => case,
                Some(other) => {
                    let is = store.is_constructor(constructor, fold.value);
                    store.ite(is, case, other)
                }
            });
        }
        let Some(body) = body else { continue };
        let (value, body) = problem.function(store, fold.value, body);
        let mut params = vec![value];
        if store.decl(fold.func).args.len() > 1 {
            params.extend(&i.folds.params);
        }
        let name = store.decl(fold.func).name.clone();
        all.push(definition(store, &name, &params, body, true));
    }
    all
}

fn definition(store: &Store, name: &str, params: &[Term], body: Term, is_function: bool) -> Predicate {
    let param = |&v: &Term| {
        let (name, sort) = (print_term(store, v), print_sort(store, store.sort_of(v)));
        (name.to_string(), sort.to_string())
    };
    Predicate {
        name: print_symbol(name).to_string(),
        params: params.iter().map(param).collect(),
        formula: print_term(store, body).to_string(),
        sort: print_sort(store, store.sort_of(body)).to_string(),
        is_function,
    }
}

/// A fact that an instance of a clause derives, as its predicate was declared.
fn derived(store: &Store, problem: &Problem, clause: &Clause, fact: &[Value]) -> String {
    let Some(head) = &clause.head else { return "false".into() };
    let p = problem.horn.pred(head.pred);
    let mut out = print_symbol(&p.name).to_string();
    let components = || {
        let sorts = p.params.iter().map(|&v| store.sort_of(v));
        fact.iter().cloned().zip(sorts).collect()
    };
    let args = problem.fact(store, head.pred, fact).unwrap_or_else(components);
    for (value, sort) in &args {
        let _ = write!(out, " {}", print_value(store, value, *sort));
    }
    if args.is_empty() { out } else { format!("({out})") }
}

/// The steps of a derivation; nothing if it does not list all of them.
pub(crate) fn derivation(store: &Store, problem: &Problem, d: &Derivation) -> Option<Vec<DerivedFact>> {
    if !d.repetitions.is_empty() {
        return None;
    }
    let facts = d.replay(store, &problem.horn).ok()?;
    let mut instances: FxHashMap<usize, Option<chc::Instances<'_>>> = FxHashMap::default();
    let mut steps = Vec::with_capacity(facts.len());
    for (step, fact) in d.steps.iter().zip(&facts) {
        let clause = &problem.horn.clauses[step.clause];
        let of_clause = || problem.instances(store, step.clause);
        let instances = instances.entry(step.clause).or_insert_with(of_clause);
        let values = instances.as_ref().and_then(|i| i.values(store, &step.values));
        let printed = |(name, value, sort): (&str, Value, _)| {
            (print_symbol(name).to_string(), print_value(store, &value, sort).to_string())
        };
        steps.push(DerivedFact {
            fact: derived(store, problem, clause, fact),
            clause: step.clause,
            premises: step.premises.clone(),
            span: clause.span.start as usize..clause.span.end as usize,
            values: values.map(|all| all.into_iter().map(printed).collect()),
        });
    }
    Some(steps)
}
