//! From evidence to certificates: proofs of the obligations, and the way back to the original program. Whatever is handed out has
//! been read again and accepted by the checker.

use crate::cache::{Accepted, Lookup};
use crate::report::ProofAbout;
use crate::{Confirm, Kind, Options, Report};
use bolide_base::{Budget, Stat};
use bolide_cert::program::{
    ABSTRACTION, APART, BOXES, BY, FORM, ORIGINAL, PLACES, PREPARED, RECURSION, SUMMARIES, TEXT, UNWINDING,
    WAYS,
};
use bolide_cert::{Certificate, Claim, Flaw, Obligation, Obligations, Section, Text, Verdict};
use bolide_proof::{Axiom, Literal, Refutation, Rule, text};
use bolide_smt::{Answer, Config, NoRefutation, Solver};
use bolide_term::{Func, Store, Term};
use rustc_hash::FxHashSet;
use std::fmt;
use std::time::Duration;

/// How long a certificate in terms of the original program may take.
const ORIGINAL_TIME: Duration = Duration::from_secs(20);
/// How long an obligation is tried if there are more and simpler ones instead.
const TOGETHER_TIME: Duration = Duration::from_secs(1);
/// How long an obligation is tried with a part of its formulas.
const CLOSE_TIME: Duration = Duration::from_millis(500);
/// The name of the statistic of the effort that a proof took.
const EFFORT: &str = "effort";
/// The name of the statistic of the part of it that went into preparing the program, if the proof is about a form that only its engine has prepared.
pub(crate) const PREPARING: &str = "effort of preparing";
/// So much effort is not worth saving: about a third of a second.
const LEAST_EFFORT: u64 = 3_000_000;
/// How often an obligation is tried with another seed.
const SEEDS: u32 = 3;

/// The evidence for a certificate, as data until it is known to be wanted.
pub(crate) struct Draft {
    /// The options of the certificate.
    pub options: Vec<(String, String)>,
    /// Its sections.
    pub sections: Vec<Section>,
}

/// Why there is no certificate.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The evidence cannot be said in the terms of the task.
    Unsaid(Flaw),
    /// An obligation does not hold.
    DoesNotHold(String),
    /// An obligation could not be proved.
    Undecided(String, Option<Undecided>),
    /// The checker does not accept it.
    Rejected(String),
}

/// Why an obligation has no proof.
#[derive(Debug)]
pub(crate) enum Undecided {
    /// The solver gave up.
    Solver(bolide_smt::Reason),
    /// It recorded no proof.
    Proof(NoRefutation),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Unsaid(why) => why.fmt(f),
            Refusal::DoesNotHold(name) => write!(f, "{name}: does not hold"),
            Refusal::Undecided(name, Some(Undecided::Solver(why))) => write!(f, "{name}: {why}"),
            Refusal::Undecided(name, Some(Undecided::Proof(why))) => write!(f, "{name}: {why}"),
            Refusal::Undecided(name, None) => write!(f, "{name}: not proved"),
            Refusal::Rejected(why) => write!(f, "it would be rejected: {why}"),
        }
    }
}

/// What the making of certificates needs to know about a task. Whoever has read the task need not read it again; only the checker
/// does.
pub(crate) trait Certifier {
    /// The text that the certificate is about.
    fn text(&self) -> &Text<'_>;
    /// What it claims.
    fn claim(&self) -> &Claim;
    /// The evidence; nothing if it cannot be written.
    fn draft(&mut self) -> Option<Draft>;
    /// The obligations of a certificate.
    fn obligations(&self, certificate: &Certificate, budget: &Budget) -> Result<Obligations, Refusal>;
    /// A certificate about a prepared program said about the original one.
    fn to_original(&self, _certificate: &Certificate, _budget: &Budget) -> Result<Certificate, Refusal> {
        Err(Refusal::Unsaid("there is only one form of the task".into()))
    }
    /// Adds to a report what a certificate says about the original program.
    fn add_invariants(&self, _report: &mut Report, _certificate: &Certificate) {}
}

/// Adds to a report the certificate and the obligations that the options ask for, if there is a verdict, and says what the proof was
/// confirmed on. The cache gets the certificate, too. `budget` is what is left for the task, `proofs` what certificates may take.
pub(crate) fn add(
    kind: Kind,
    report: &mut Report,
    options: &Options,
    lookup: &Lookup<'_>,
    certifier: &mut dyn Certifier,
    budget: &Budget,
    proofs: &Budget,
) {
    let is_wanted = options.certificate || lookup.wants();
    let may_be_told = options.original_facts && report.verdict.is_safe() && report.invariant.is_empty();
    let has_forms = kind == Kind::Program && report.verdict.is_safe();
    let is_confirmed = has_forms && options.confirm != Confirm::Never;
    if !is_wanted && !options.obligations && !may_be_told && !is_confirmed || !report.verdict.is_known() {
        return;
    }
    let draft = lookup.found().cloned().or_else(|| draft(kind, report, certifier));
    let Some(draft) = draft else {
        let what = if is_wanted { "certificate" } else { "obligations" };
        if is_wanted || options.obligations {
            report.notes.push(format!("no {what}: the evidence cannot be written"));
        }
        if is_confirmed {
            report.proof = Some(ProofAbout::Prepared("the evidence cannot be written".into()));
        }
        return;
    };
    // What was proved about another form of a program can be told only about the original one.
    let is_other =
        draft.option(ABSTRACTION).is_some() || draft.option(RECURSION).is_some_and(|how| how != SUMMARIES);
    let is_untold = is_other && report.verdict.is_safe() && report.invariant.is_empty();
    let is_told = is_untold && options.original_facts;
    let what = match (options.certificate, options.obligations) {
        (true, _) => Some("certificate is"),
        (false, true) => Some("obligations are"),
        (false, false) => None,
    };
    let mut original = None;
    if has_forms && (what.is_some() || is_told) {
        // If this takes too long, there must be time left for the other form.
        let part = proofs.remaining().map_or(ORIGINAL_TIME, |left| ORIGINAL_TIME.min(left / 2));
        original = Some(said_about_original(certifier, &draft, &proofs.child(part)));
        if let (Some(Err(reason)), Some(what)) = (&original, what) {
            report.notes.push(format!("note: the {what} about the prepared program: {reason}"));
        }
        if let Some(certificate) = original.iter().flatten().next().filter(|_| is_untold) {
            certifier.add_invariants(report, certificate);
        }
    } else if is_confirmed && lookup.found().is_some() && options.confirm == Confirm::Cheap {
        report.proof = Some(ProofAbout::Prepared("it is the one in the cache, checked again".into()));
    } else if is_confirmed && draft.option(FORM) == Some(ORIGINAL) {
        report.proof = Some(ProofAbout::AsRead);
    } else if is_confirmed {
        let confirmed = match options.confirm == Confirm::Cheap && is_mostly_preparing(report) {
            true => Err("preparing the program again takes as long as the proof did".into()),
            false => said_about_original(certifier, &draft, &confirming(report, options, budget))
                .map_err(|why| why.to_string()),
        };
        report.proof = Some(confirmed.map_or_else(ProofAbout::Prepared, |_| ProofAbout::AsRead));
    }
    if let Some(original) = &original {
        let prepared = |why: &Refusal| ProofAbout::Prepared(why.to_string());
        report.proof = Some(original.as_ref().map_or_else(prepared, |_| ProofAbout::AsRead));
    }
    let original = original.and_then(Result::ok);
    if !is_wanted && !options.obligations {
        return;
    }
    let mut other = lookup.found().cloned();
    if let Some(found) = &mut other {
        let own = certifier.draft().into_iter().flat_map(|draft| draft.sections);
        found.sections.extend(own.filter(|s| [PLACES, TEXT].contains(&s.name.as_str())));
    }
    let is_missing = lookup.wants() || options.certificate && original.is_none();
    if other.is_none() && is_missing {
        match complete(certifier, draft.clone(), &Budget::unlimited(), proofs, None) {
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
        let is_empty = report.verdict.is_safe() && report.properties.is_empty() && kind != Kind::Horn;
        match is_empty {
            true => report.notes.push("no certificate: there is nothing that could be violated".into()),
            false => report.certificate = original.or(other),
        }
    }
}

/// What the confirmation of a proof may take: as much effort as the proof took, unless it was asked for, and the time that is left but for
/// what the report needs.
fn confirming(report: &Report, options: &Options, budget: &Budget) -> Budget {
    let budget = match budget.remaining() {
        Some(left) => budget.child(left * 9 / 10),
        None => budget.clone(),
    };
    match (options.confirm, report.statistics.get(EFFORT)) {
        (Confirm::Always, _) => budget,
        (_, Some(Stat::Count(effort))) => budget.with_effort(effort.max(LEAST_EFFORT)),
        _ => budget.with_effort(LEAST_EFFORT),
    }
}

/// Did the proof take little more than the preparation of the program, which its confirmation has to repeat, and more than is not worth saving?
fn is_mostly_preparing(report: &Report) -> bool {
    let count = |name: &str| match report.statistics.get(name) {
        Some(Stat::Count(n)) => n,
        _ => 0,
    };
    let preparing = count(PREPARING);
    preparing > LEAST_EFFORT && preparing > count(EFFORT) / 10 * 9
}

/// The certificate of a verdict without its proofs; `None` if the evidence cannot be written.
fn draft(kind: Kind, report: &Report, certifier: &mut dyn Certifier) -> Option<Certificate> {
    let verdict = if report.verdict.is_safe() { Verdict::Safe } else { Verdict::Unsafe };
    let Draft { mut options, sections } = certifier.draft()?;
    let by = options.iter().find(|(name, _)| name == BY).map(|(_, how)| how.clone());
    if kind == Kind::Program && verdict == Verdict::Safe {
        let is_original = by.as_ref().is_some_and(|how| ![UNWINDING, BOXES].contains(&how.as_str()));
        options.push((FORM.into(), if is_original { ORIGINAL } else { PREPARED }.into()));
    }
    let task = certifier.text().hash().into();
    let is_evidence = by.is_some() || !sections.is_empty();
    is_evidence.then(|| Certificate { kind: kind.certified(), task, options, verdict, sections })
}

/// The certificate of a C program in terms of the original one, if that is to be had within the limits.
fn said_about_original(
    certifier: &dyn Certifier,
    draft: &Certificate,
    budget: &Budget,
) -> Result<Certificate, Refusal> {
    if draft.option(FORM) == Some(ORIGINAL) {
        return complete(certifier, draft.clone(), budget, budget, None);
    }
    certifier.to_original(draft, budget).and_then(|original| complete_original(certifier, original, budget))
}

/// Adds the proofs to a certificate about the original program. If an obligation is hard, ways are kept apart.
fn complete_original(
    certifier: &dyn Certifier,
    original: Certificate,
    budget: &Budget,
) -> Result<Certificate, Refusal> {
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
) -> Result<Certificate, Refusal> {
    if certificate.verdict == Verdict::Safe {
        let mut found = certifier.obligations(&certificate, checking)?;
        let text = prove_all(&mut found, budget, each)?;
        certificate.sections.push(Section { name: "proof".into(), text });
    }
    let read = Certificate::read(&certificate.write()).map_err(|e| Refusal::Rejected(e.to_string()))?;
    match Accepted::new(certifier.text(), certifier.claim(), read, checking) {
        Ok(_) => Ok(certificate),
        Err(rejection) => Err(Refusal::Rejected(rejection.to_string())),
    }
}

/// Refutations of all obligations, as text.
fn prove_all(
    obligations: &mut Obligations,
    budget: &Budget,
    each: Option<Duration>,
) -> Result<String, Refusal> {
    let mut refutations = Vec::with_capacity(obligations.list.len());
    for obligation in &obligations.list {
        refutations.push(match each {
            Some(time) => prove(&mut obligations.store, obligation, &budget.child(time))?,
            None => prove(&mut obligations.store, obligation, budget)?,
        });
    }
    Ok(text::write(&mut obligations.store, &refutations))
}

/// The refutation of `false`.
fn refute_false(store: &Store) -> Refutation {
    let no = store.fls();
    let literal = Literal::of(store, no);
    let mut refutation = Refutation { assertions: vec![no], steps: Vec::new() };
    let asserted = refutation.push([literal], Rule::Assertion(0));
    let axiom = refutation.push([!literal], Rule::Axiom(Axiom::Gate(no)));
    refutation.push([], Rule::Resolution { start: axiom, chain: [(literal, asserted)].into() });
    refutation
}

fn prove(store: &mut Store, obligation: &Obligation, budget: &Budget) -> Result<Refutation, Refusal> {
    if obligation.formulas == [store.fls()] {
        return Ok(refute_false(store));
    }
    if let Some(close) = close_to_goal(store, obligation)
        && let Ok(Some(refutation)) = refute(store, &close, 0, &budget.child(CLOSE_TIME))
    {
        return Ok(refutation);
    }
    let mut reason = None;
    for seed in 0..SEEDS {
        match refute(store, &obligation.formulas, seed, budget) {
            Ok(Some(refutation)) => return Ok(refutation),
            Ok(None) => return Err(Refusal::DoesNotHold(obligation.name.clone())),
            Err(why) => reason = Some(why),
        }
    }
    Err(Refusal::Undecided(obligation.name.clone(), reason))
}

/// A refutation of some formulas; nothing if they can hold together.
fn refute(
    store: &mut Store,
    formulas: &[Term],
    seed: u32,
    budget: &Budget,
) -> Result<Option<Refutation>, Undecided> {
    let mut solver = Solver::new(Config { proofs: true, seed, ..Config::default() });
    formulas.iter().for_each(|&f| solver.assert(f));
    match solver.check(store, budget) {
        Answer::Unsat => solver.refutation(store).map(Some).map_err(Undecided::Proof),
        Answer::Sat => Ok(None),
        Answer::Unknown(why) => Err(Undecided::Solver(why)),
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
