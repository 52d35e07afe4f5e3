//! From evidence to certificates: proofs of the obligations, and the way back to the original program. Whatever is handed out has
//! been read again and accepted by the checker.

use crate::cache::{Accepted, Lookup};
use crate::{Kind, Options, Report};
use bolide_base::Budget;
use bolide_cert::program::{ABSTRACTION, APART, FORM, PLACES, PREPARED, RECURSION, SUMMARIES, WAYS};
use bolide_cert::{Certificate, Obligation, Obligations, Section, Verdict, format};
use bolide_proof::{Refutation, text};
use bolide_smt::{Answer, Config, Solver};
use bolide_term::{Func, Store, Term};
use rustc_hash::FxHashSet;
use std::time::Duration;

/// How long a certificate in terms of the original program may take.
const ORIGINAL_TIME: Duration = Duration::from_secs(20);
/// How long an obligation is tried if there are more and simpler ones instead.
const TOGETHER_TIME: Duration = Duration::from_secs(1);
/// How long an obligation is tried with a part of its formulas.
const CLOSE_TIME: Duration = Duration::from_millis(500);
/// How often an obligation is tried with another seed.
const SEEDS: u32 = 3;

/// The evidence for a certificate, as data until it is known to be wanted.
pub(crate) struct Draft {
    /// The options of the certificate.
    pub options: Vec<(String, String)>,
    /// Its sections.
    pub sections: Vec<Section>,
}

/// What the making of certificates needs to know about a task. Whoever has read the task need not read it again; only the checker
/// does.
pub(crate) trait Certifier {
    /// The bytes that the certificate is about.
    fn source(&self) -> &[u8];
    /// The evidence; nothing if it cannot be written.
    fn draft(&mut self) -> Option<Draft>;
    /// The obligations of a certificate.
    fn obligations(&self, certificate: &Certificate, budget: &Budget) -> Result<Obligations, String>;
    /// A certificate about a prepared program said about the original one.
    fn to_original(&self, _certificate: &Certificate, _budget: &Budget) -> Result<Certificate, String> {
        Err("there is only one form of the task".into())
    }
    /// Adds to a report what a certificate says about the original program.
    fn add_invariants(&self, _report: &mut Report, _certificate: &Certificate) {}
}

/// Adds to a report the certificate and the obligations that the options ask for, if there is a verdict. The cache gets the
/// certificate, too.
pub(crate) fn add(
    kind: Kind,
    report: &mut Report,
    options: &Options,
    lookup: &Lookup<'_>,
    certifier: &mut dyn Certifier,
    budget: &Budget,
) {
    let is_wanted = options.certificate || lookup.wants();
    let may_be_told = options.original_facts && report.verdict.is_safe() && report.invariant.is_empty();
    if !is_wanted && !options.obligations && !may_be_told || !report.verdict.is_known() {
        return;
    }
    let draft = lookup.found().cloned().or_else(|| draft(kind, report, certifier));
    let Some(draft) = draft else {
        let what = if is_wanted { "certificate" } else { "obligations" };
        if is_wanted || options.obligations {
            report.notes.push(format!("no {what}: the evidence cannot be written"));
        }
        return;
    };
    // What was proved about another form of a program can be told only about the original one.
    let is_other =
        draft.option(ABSTRACTION).is_some() || draft.option(RECURSION).is_some_and(|how| how != SUMMARIES);
    let is_untold = is_other && report.verdict.is_safe() && report.invariant.is_empty();
    let is_told = is_untold && options.original_facts;
    if !is_wanted && !options.obligations && !is_told {
        return;
    }
    let what = match (options.certificate, options.obligations) {
        (true, _) => Some("certificate is"),
        (false, true) => Some("obligations are"),
        (false, false) => None,
    };
    let original = match what {
        None if !is_told => None,
        _ => original(report, certifier, &draft, what, budget),
    };
    if let Some(certificate) = original.as_ref().filter(|_| is_untold) {
        certifier.add_invariants(report, certificate);
    }
    let mut other = lookup.found().cloned();
    if let Some(found) = &mut other {
        let places = certifier.draft().and_then(|d| d.sections.into_iter().find(|s| s.name == PLACES));
        found.sections.extend(places);
    }
    let is_missing = lookup.wants() || options.certificate && original.is_none();
    if other.is_none() && is_missing {
        match complete(certifier, draft.clone(), &Budget::unlimited(), budget, None) {
            Ok(certificate) => other = Some(certificate),
            Err(reason) => report.notes.push(format!("no certificate: {reason}")),
        }
    }
    if options.obligations && report.verdict.is_safe() {
        match certifier.obligations(original.as_ref().unwrap_or(&draft), &Budget::unlimited()) {
            Ok(found) => report.obligations = Some(found),
            Err(reason) => report.notes.push(format!("no obligations: {reason}")),
        }
    }
    if let Some(certificate) = other.as_ref().filter(|_| lookup.wants()) {
        lookup.keep(certificate);
    }
    if options.certificate {
        report.certificate = original.or(other);
    }
}

/// The certificate of a verdict without its proofs; `None` if the evidence cannot be written.
fn draft(kind: Kind, report: &Report, certifier: &mut dyn Certifier) -> Option<Certificate> {
    let verdict = if report.verdict.is_safe() { Verdict::Safe } else { Verdict::Unsafe };
    let Draft { mut options, sections } = certifier.draft()?;
    if kind == Kind::Program && verdict == Verdict::Safe {
        options.push((FORM.into(), PREPARED.into()));
    }
    let task = format::hash(certifier.source());
    (!sections.is_empty()).then(|| Certificate { kind: kind.certified(), task, options, verdict, sections })
}

/// The certificate of a C program in terms of the original one, if that is to be had within a part of the time. If not, a
/// note says what is therefore about the prepared program.
fn original(
    report: &mut Report,
    certifier: &dyn Certifier,
    draft: &Certificate,
    what: Option<&str>,
    budget: &Budget,
) -> Option<Certificate> {
    if draft.option(FORM) != Some(PREPARED) {
        return None;
    }
    let part = budget.remaining().map_or(ORIGINAL_TIME, |left| ORIGINAL_TIME.min(left / 2));
    let budget = &budget.child(part);
    let certificate = certifier
        .to_original(draft, budget)
        .and_then(|original| complete_original(certifier, original, budget));
    match certificate {
        Ok(certificate) => Some(certificate),
        Err(reason) => {
            if let Some(what) = what {
                report.notes.push(format!("note: the {what} about the prepared program: {reason}"));
            }
            None
        }
    }
}

/// Adds the proofs to a certificate about the original program. If an obligation is hard, ways are kept apart.
fn complete_original(
    certifier: &dyn Certifier,
    original: Certificate,
    budget: &Budget,
) -> Result<Certificate, String> {
    complete(certifier, original.clone(), budget, budget, Some(TOGETHER_TIME)).or_else(|_| {
        let mut apart = original;
        apart.options.push((WAYS.into(), APART.into()));
        complete(certifier, apart, budget, budget, None)
    })
}

/// Adds the proofs to a certificate, perhaps with a limit on the time for each obligation. What is handed out has been read and
/// accepted. `checking` is for what the checker does, `budget` for the solver.
fn complete(
    certifier: &dyn Certifier,
    mut certificate: Certificate,
    checking: &Budget,
    budget: &Budget,
    each: Option<Duration>,
) -> Result<Certificate, String> {
    if certificate.verdict == Verdict::Safe {
        let mut found = certifier.obligations(&certificate, checking)?;
        let text = prove_all(&mut found, budget, each)?;
        certificate.sections.push(Section { name: "proof".into(), text });
    }
    let accepted = Certificate::read(&certificate.write())
        .map_err(|e| e.to_string())
        .and_then(|read| Accepted::new(certifier.source(), read, checking));
    match accepted {
        Ok(_) => Ok(certificate),
        Err(reason) => Err(format!("it would be rejected: {reason}")),
    }
}

/// Refutations of all obligations, as text.
fn prove_all(
    obligations: &mut Obligations,
    budget: &Budget,
    each: Option<Duration>,
) -> Result<String, String> {
    let mut refutations = Vec::with_capacity(obligations.list.len());
    for obligation in &obligations.list {
        refutations.push(match each {
            Some(time) => prove(&mut obligations.store, obligation, &budget.child(time))?,
            None => prove(&mut obligations.store, obligation, budget)?,
        });
    }
    Ok(text::write(&obligations.store, &refutations))
}

fn prove(store: &mut Store, obligation: &Obligation, budget: &Budget) -> Result<Refutation, String> {
    if let Some(close) = close_to_goal(store, obligation)
        && let Ok(Some(refutation)) = refute(store, &close, 0, &budget.child(CLOSE_TIME))
    {
        return Ok(refutation);
    }
    let mut reason = String::new();
    for seed in 0..SEEDS {
        match refute(store, &obligation.formulas, seed, budget) {
            Ok(Some(refutation)) => return Ok(refutation),
            Ok(None) => return Err(format!("{}: does not hold", obligation.name)),
            Err(why) => reason = why,
        }
    }
    Err(format!("{}: {reason}", obligation.name))
}

/// A refutation of some formulas; nothing if they can hold together.
fn refute(
    store: &mut Store,
    formulas: &[Term],
    seed: u32,
    budget: &Budget,
) -> Result<Option<Refutation>, String> {
    let mut solver = Solver::new(Config { proofs: true, seed, ..Config::default() });
    formulas.iter().for_each(|&f| solver.assert(f));
    match solver.check(store, budget) {
        Answer::Unsat => solver.refutation(store).map(Some),
        Answer::Sat => Ok(None),
        Answer::Unknown(why) => Err(why.to_string()),
    }
}

/// The formulas that speak of nothing but what the negated goal speaks of. Often they are enough, and what else happened on
/// the way makes a proof hard to find.
fn close_to_goal(store: &Store, obligation: &Obligation) -> Option<Vec<Term>> {
    let symbols: FxHashSet<Func> = store.symbols([obligation.negated_goal?]).into_iter().collect();
    let is_close = |f: &Term| store.symbols([*f]).iter().all(|s| symbols.contains(s));
    let close: Vec<Term> = obligation.formulas.iter().copied().filter(is_close).collect();
    (close.len() < obligation.formulas.len()).then_some(close)
}
