//! Circuits: AIGER and BTOR2.

mod pictures;

pub use crate::circuit_task::CircuitTask;

use crate::cache::{Lookup, Question};
use crate::certificate::{self, Certifier, Draft, Refusal};
use crate::report::{CircuitEvidence, Evidence, PropertyReport, Report, Shown, Vacuity};
use crate::{Error, Options, Task, Verdict, strategy};
use bolide_base::{Budget, Stats};
use bolide_cert::{Certificate, Obligations, Section, Text, circuit as cert};
use bolide_engine::circuit::{self as engines, CircuitVerdict, Proof, Runs, check_proof, check_trace};
use bolide_engine::{Candidate, Input, Verdict as Claim, portfolio};
use bolide_front::aiger::{self, Witness};
use bolide_model::circuit::{Bit, Circuit, Trace};
use std::sync::Arc;
use std::time::Instant;

/// The steps for which contradictions between constraints are looked for.
const VACUITY_STEPS: u64 = 200_000;

/// Decides all properties of a circuit.
pub(crate) fn verify(
    task: &Task,
    options: &Options,
    lookup: &mut Lookup<'_>,
    budget: &Budget,
    proofs: &dyn Fn() -> Budget,
) -> Result<Report, Error> {
    let start = Instant::now();
    let reading = budget.phase("reading");
    let circuit_task = Arc::new(CircuitTask::read(&task.text, task.kind)?);
    reading.finish_phase();
    let circuit = circuit_task.circuit();
    let mut statistics = Stats::new();
    statistics.time("reading", start.elapsed());
    let certified = task.certified();
    let claim = task.kind.claim(&options.program);
    let known = look_up(circuit, &certified, &claim, lookup, budget);
    let engine = if known.is_some() { "cache" } else { "" };
    let verdicts = known.unwrap_or_else(|| decide(circuit, options, budget, &mut statistics));
    let properties: Vec<PropertyReport> = verdicts.iter().enumerate().map(property).collect();
    let verdict = Verdict::all(properties.iter().map(|p| &p.verdict));
    let mut report = Report { engine: engine.into(), properties, statistics, ..Report::new(verdict) };
    if report.verdict.is_safe() && options.vacuity {
        report.vacuity.extend(contradiction(circuit, options, budget));
        if circuit.bads.is_empty() {
            let text = "The circuit has no bad state: nothing was checked".into();
            report.vacuity.push(Vacuity { kind: "nothing-to-check", text, place: None, shown: Shown::Proof });
        }
    }
    if options.details {
        let details = pictures::details(&circuit_task, task, &verdicts);
        report.details = Some(Box::new(details));
    }
    let mut certifier = CircuitCertifier { text: &certified, claim: &claim, circuit, verdicts: &verdicts };
    certificate::add(task.kind, &mut report, options, lookup, &mut certifier, budget, &proofs());
    report.evidence = Evidence::Circuit(CircuitEvidence { task: circuit_task.clone(), verdicts });
    Ok(report)
}

/// What is said about a property.
fn property((number, verdict): (usize, &CircuitVerdict)) -> PropertyReport {
    let verdict = match verdict {
        Claim::Safe(proof) => Verdict::safe(proof),
        Claim::Unsafe(trace) => Verdict::r#unsafe(trace),
        Claim::Unknown(reason) => Verdict::unknown(reason.clone()),
    };
    PropertyReport { name: format!("b{number}"), place: None, verdict }
}

/// Asks the cache. What is found there is confirmed again, as if an engine had said it.
fn look_up(
    circuit: &Circuit,
    text: &Text<'_>,
    claim: &bolide_cert::Claim,
    lookup: &mut Lookup<'_>,
    budget: &Budget,
) -> Option<Vec<CircuitVerdict>> {
    if !lookup.is_on() {
        return None;
    }
    let content = aiger::write_circuit(circuit);
    let question = Question { claim, content: &content, task: text };
    let found = lookup.ask(&question, budget)?.certificate();
    match found.verdict {
        bolide_cert::Verdict::Safe => {
            let proof = |property| {
                let (invariant, depth) = cert::read_invariant(circuit, found, property).ok()?;
                let proof = Proof { invariant, depth };
                Some(Claim::Safe(check_proof(&circuit.with_property(property), proof, budget).ok()?))
            };
            (0..circuit.bads.len()).map(proof).collect()
        }
        // A run into one bad state says nothing of the others.
        bolide_cert::Verdict::Unsafe if circuit.bads.len() > 1 => None,
        bolide_cert::Verdict::Unsafe => {
            let witness = aiger::read_witness(found.section("witness")?.as_bytes()).ok()?;
            Some(vec![Claim::Unsafe(check_trace(circuit, 0, witness.trace).ok()?)])
        }
    }
}

/// Decides the properties one after the other; those that are left share the remaining time.
fn decide(circuit: &Circuit, options: &Options, budget: &Budget, stats: &mut Stats) -> Vec<CircuitVerdict> {
    let count = circuit.bads.len();
    let mut verdicts = Vec::with_capacity(count);
    for property in 0..count {
        let left = (count - property) as u32;
        let share = match budget.remaining() {
            Some(time) if left > 1 => budget.child(time / left),
            _ => budget.clone(),
        };
        verdicts.push(decide_one(circuit, property, options, &share, stats));
    }
    verdicts
}

/// Decides one property.
fn decide_one(
    circuit: &Circuit,
    property: usize,
    options: &Options,
    budget: &Budget,
    stats: &mut Stats,
) -> CircuitVerdict {
    let all = engines::Task::new(circuit, property, Runs::All, stats);
    let exact =
        (!circuit.exact.is_empty()).then(|| engines::Task::new(circuit, property, Runs::Exact, stats));
    let mut candidates = Vec::new();
    for (engine, share) in strategy::engines(Input::Circuit, options.engine) {
        for task in [Some(&all), exact.as_ref()].into_iter().flatten() {
            let run = move |(): &mut (), budget: &Budget, stats: &mut Stats| task.run(engine, budget, stats);
            candidates.push(Candidate { name: engine.name(), share, run: Box::new(run) });
        }
    }
    let finish = |_: &'static str, (): &mut (), verdict: CircuitVerdict, stats: Stats, _: &Budget| {
        (verdict.is_known(), (verdict, stats))
    };
    match portfolio(&(), &candidates, options.jobs, budget, &finish) {
        Some((verdict, own)) => {
            stats.merge(&own);
            verdict
        }
        None => Claim::Unknown(strategy::nothing_ran()),
    }
}

/// If no run satisfies the constraints even in its first step, every property holds for no reason.
fn contradiction(circuit: &Circuit, options: &Options, budget: &Budget) -> Option<Vacuity> {
    if circuit.constraints.is_empty() {
        return None;
    }
    let always = Circuit { bads: vec![Bit::TRUE], ..circuit.clone() };
    let budget = budget.clone().with_steps(VACUITY_STEPS);
    let verdict = decide_one(&always, 0, options, &budget, &mut Stats::new());
    matches!(verdict, Claim::Safe(_)).then(|| Vacuity {
        kind: "contradictory-assumption",
        text: "No run satisfies the constraints of the circuit".into(),
        place: None,
        shown: Shown::Proof,
    })
}

/// Makes certificates of one circuit.
struct CircuitCertifier<'a> {
    text: &'a Text<'a>,
    claim: &'a bolide_cert::Claim,
    circuit: &'a Circuit,
    verdicts: &'a [CircuitVerdict],
}

impl Certifier for CircuitCertifier<'_> {
    fn text(&self) -> &Text<'_> {
        self.text
    }

    fn claim(&self) -> &bolide_cert::Claim {
        self.claim
    }

    /// A run, or the invariants of all properties.
    fn draft(&mut self) -> Option<Draft> {
        let (mut sections, mut options) = (Vec::new(), Vec::new());
        for (property, verdict) in self.verdicts.iter().enumerate() {
            match verdict {
                Claim::Unsafe(trace) => {
                    let trace: &Trace = trace;
                    let text = aiger::write_witness(&Witness { property, trace: trace.clone() });
                    let sections = vec![Section { name: "witness".into(), text }];
                    return Some(Draft { options: Vec::new(), sections });
                }
                Claim::Safe(proof) => {
                    let text = aiger::write_invariant(&proof.invariant);
                    sections.push(Section { name: format!("invariant-{property}"), text });
                    options.push((format!("depth-{property}"), proof.depth.to_string()));
                }
                Claim::Unknown(_) => {}
            }
        }
        Some(Draft { options, sections })
    }

    fn obligations(&self, certificate: &Certificate, budget: &Budget) -> Result<Obligations, Refusal> {
        cert::obligations_of_circuit(self.circuit, certificate, budget).map_err(Refusal::Unsaid)
    }
}
