//! `bolide verify` on Horn clauses.

mod pictures;

use super::{Refused, Unwinders};
use crate::arguments::{AnnotateFeature, VerifyOptions};
use crate::cache::{Lookup, Question};
use crate::report::{Report, Word};
use crate::{diagnostic, exit};
use bolide_base::{Budget, Stats};
use bolide_cert::{Section, horn as cert};
use bolide_engine::horn::{Engine, HornVerdict, Settings, annotate, candidates};
use bolide_engine::{Verdict, portfolio};
use bolide_front::chc::{self, Problem};
use bolide_model::horn::{Clause, Derivation, Interpretation};
use bolide_smtlib::{print_sort, print_symbol, print_term, print_value};
use bolide_term::{Store, Value};
use std::fmt::Write;
use std::path::Path;

/// Reads a problem and decides it.
pub fn verify(
    file: &Path,
    text: &[u8],
    options: &VerifyOptions,
    lookup: &mut Lookup,
    budget: &Budget,
) -> Result<Report, Refused> {
    let Some(engines) = engines(&options.engine) else {
        eprintln!(
            "bolide: there is no engine `{}` for Horn clauses; known are {}",
            options.engine,
            Engine::NAMES
        );
        return Err(Refused(exit::USAGE));
    };
    let mut store = Store::new();
    let problem = load(&mut store, file, text)?;
    let name = file.display().to_string();
    let teller = pictures::Teller::new(&name, text, &problem);
    let dress = |store: &mut Store, verdict: &HornVerdict, report: Report| {
        let (trace, vacuity) = (teller.trace(store, verdict), teller.vacuity(store, verdict));
        let details = options.report.is_some().then(|| Box::new(teller.details(store, verdict)));
        Report { trace, vacuity, details, ..report }
    };
    if let Some((mut store, verdict, report)) = look_up(&store, &problem, text, lookup, budget) {
        return Ok(dress(&mut store, &verdict, report));
    }
    let finish = |engine: &'static str, store: &mut Store, verdict: HornVerdict, stats: Stats, _: &Budget| {
        let evidence = evidence(store, &problem, &verdict);
        let report = report(store, &problem, &verdict, stats);
        let report = dress(store, &verdict, Report { engine: engine.into(), evidence, ..report });
        (verdict.is_known(), report)
    };
    let settings = settings(options);
    let candidates = candidates(&problem.horn, &engines, &settings);
    Ok(portfolio(&store, &candidates, super::jobs(options), budget, &finish))
}

/// Asks the cache.
fn look_up(
    store: &Store,
    problem: &Problem,
    text: &[u8],
    lookup: &mut Lookup,
    budget: &Budget,
) -> Option<(Store, HornVerdict, Report)> {
    if !lookup.is_on() {
        return None;
    }
    let mut store = store.clone();
    let content = chc::write(&mut store, &problem.horn);
    let question = Question { kind: bolide_cert::Kind::Horn, options: &[], content: &content, task: text };
    let found = lookup.ask(&question, budget)?;
    let verdict = match found.verdict {
        bolide_cert::Verdict::Safe => {
            Verdict::Safe(cert::read_interpretation(&mut store, problem, found.section("invariant")?).ok()?)
        }
        bolide_cert::Verdict::Unsafe => {
            Verdict::Unsafe(cert::read_derivation(&mut store, problem, found.section("derivation")?).ok()?)
        }
    };
    let evidence = evidence(&mut store, problem, &verdict);
    let report = report(&mut store, problem, &verdict, Stats::new());
    Some((store, verdict, Report { engine: "cache".into(), evidence, ..report }))
}

/// How the engines are asked to work.
fn settings(options: &VerifyOptions) -> Settings {
    let with = |feature| !options.annotate_without.contains(&feature);
    let mut settings = Settings::default();
    settings.preparation.merge = options.merge_rules;
    settings.pdr.guide = !options.pdr_without_guidance;
    let unwinders = Unwinders::new(options);
    (settings.impact, settings.relax) = (unwinders.impact, unwinders.relax);
    settings.annotate = annotate::Config {
        minterms: with(AnnotateFeature::Minterms),
        generalise: with(AnnotateFeature::Generalisation),
        propagate: with(AnnotateFeature::Propagation),
        back_jumping: with(AnnotateFeature::BackJumping),
        relevance: with(AnnotateFeature::Relevance),
        sampling: with(AnnotateFeature::Sampling),
        bounds: with(AnnotateFeature::Bounds),
        induction: with(AnnotateFeature::Induction),
        covering: with(AnnotateFeature::Covering),
        houdini: with(AnnotateFeature::Houdini),
        ..annotate::Config::default()
    };
    settings
}

/// Reads a problem.
pub fn load(store: &mut Store, file: &Path, text: &[u8]) -> Result<Problem, Refused> {
    chc::read(text, store).map_err(|error| {
        diagnostic::print_error(&file.display().to_string(), text, &error);
        Refused(exit::BAD_INPUT)
    })
}

fn engines(name: &str) -> Option<Vec<Engine>> {
    if name == "auto" { Some(Engine::AUTO.to_vec()) } else { Engine::by_name(name).map(|e| vec![e]) }
}

/// The evidence for a certificate; none if it cannot be written.
fn evidence(store: &mut Store, problem: &Problem, verdict: &HornVerdict) -> Vec<Section> {
    let section = |name: &str, text| Section { name: name.into(), text };
    let found = match verdict {
        Verdict::Safe(i) => {
            cert::write_interpretation(store, problem, i).map(|text| section("invariant", text))
        }
        Verdict::Unsafe(d) => {
            cert::write_derivation(store, problem, d).map(|text| section("derivation", text))
        }
        Verdict::Unknown(_) => None,
    };
    found.into_iter().collect()
}

fn report(store: &mut Store, problem: &Problem, verdict: &HornVerdict, statistics: Stats) -> Report {
    let (verdict, witness) = match verdict {
        Verdict::Safe(i) => (Word::Safe, Some(definitions(store, problem, i))),
        Verdict::Unsafe(d) => (Word::Unsafe, derivation(store, problem, d)),
        Verdict::Unknown(reason) => (Word::Unknown(reason.clone()), None),
    };
    Report { witness, statistics, ..Report::new(verdict) }
}

/// The interpretation as definitions of the predicates.
fn definitions(store: &Store, problem: &Problem, i: &Interpretation) -> String {
    let mut out = String::new();
    for (p, &f) in problem.horn.preds.iter().zip(&i.formulas) {
        let _ = write!(out, "(define-fun {} (", print_symbol(&p.name));
        for (n, &v) in p.params.iter().enumerate() {
            let space = if n == 0 { "" } else { " " };
            let _ = write!(out, "{space}({} {})", print_term(store, v), print_sort(store, store.sort_of(v)));
        }
        let _ = writeln!(out, ") Bool {})", print_term(store, f));
    }
    out
}

/// A fact that an instance of a clause derives.
fn derived(store: &Store, problem: &Problem, clause: &Clause, fact: &[Value]) -> String {
    let Some(head) = &clause.head else { return "false".into() };
    let p = problem.horn.pred(head.pred);
    let mut out = print_symbol(&p.name).to_string();
    for (value, &param) in fact.iter().zip(&p.params) {
        let _ = write!(out, " {}", print_value(store, value, store.sort_of(param)));
    }
    if fact.is_empty() { out } else { format!("({out})") }
}

/// The derivation, one line for each step: its number, the fact, the line of its clause, the steps it uses.
fn derivation(store: &Store, problem: &Problem, d: &Derivation) -> Option<String> {
    let facts = d.replay(store, &problem.horn).ok()?;
    let mut out = String::new();
    for (n, (step, fact)) in d.steps.iter().zip(&facts).enumerate() {
        let clause = &problem.horn.clauses[step.clause];
        let _ = write!(out, "{n}: {} by clause {}", derived(store, problem, clause, fact), step.clause);
        if !step.premises.is_empty() {
            let premises: Vec<String> = step.premises.iter().map(|p| p.to_string()).collect();
            let _ = write!(out, " from {}", premises.join(" "));
        }
        out.push('\n');
    }
    Some(out)
}
