//! Circuits: AIGER and BTOR2.

mod pictures;

use crate::cache::{Lookup, Question};
use crate::certificate::{self, Certifier, Draft};
use crate::report::{CircuitEvidence, Evidence, PropertyReport, Report, Shown, Vacuity};
use crate::{Error, Kind, Options, Task, Verdict, strategy};
use bolide_base::{Budget, Stats};
use bolide_cert::{Certificate, Obligations, Section, circuit as cert};
use bolide_engine::circuit::{self as engines, CircuitVerdict, Proof, Runs, check_proof, check_trace};
use bolide_engine::{Candidate, Input, Verdict as Claim, portfolio};
use bolide_front::aiger::{self, Signal, Witness};
use bolide_front::btor2::{self, Design};
use bolide_model::circuit::{Bit, Circuit, Trace};
use std::sync::Arc;
use std::time::Instant;

/// The steps for which contradictions between constraints are looked for.
const VACUITY_STEPS: u64 = 200_000;

/// A circuit in the words of its file.
pub enum CircuitTask {
    /// From AIGER.
    Bits(Box<Circuit>),
    /// From BTOR2.
    Words(Box<Design>),
}

impl CircuitTask {
    /// Reads a circuit.
    pub fn read(text: &[u8], kind: Kind) -> Result<CircuitTask, Error> {
        let task = match kind {
            Kind::Btor2 => btor2::read(text).map(|design| CircuitTask::Words(Box::new(design))),
            _ => aiger::read(text).map(|circuit| CircuitTask::Bits(Box::new(circuit))),
        };
        task.map_err(Error::Circuit)
    }

    /// The circuit.
    pub fn circuit(&self) -> &Circuit {
        match self {
            CircuitTask::Bits(circuit) => circuit,
            CircuitTask::Words(design) => &design.circuit,
        }
    }

    /// Inputs, states, bad bits and constraints with their names.
    pub fn signals(&self) -> Vec<Signal> {
        match self {
            CircuitTask::Bits(circuit) => aiger::signals(circuit),
            CircuitTask::Words(design) => design.signals(),
        }
    }

    /// Reads a run in the format that goes with the file; AIGER's is understood for all.
    pub fn read_witness(&self, text: &[u8]) -> Result<Witness, aiger::Error> {
        match self {
            CircuitTask::Words(design) if text.trim_ascii_start().starts_with(b"sat") => {
                design.read_witness(text)
            }
            _ => aiger::read_witness(text),
        }
    }

    /// A run into a bad state in the format that goes with the file.
    pub fn witness(&self, property: usize, trace: &Trace) -> String {
        match self {
            CircuitTask::Bits(_) => aiger::write_witness(&Witness { property, trace: trace.clone() }),
            CircuitTask::Words(design) => design.write_witness(property, trace),
        }
    }
}

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
    let known = look_up(circuit, &task.text, task.kind, lookup, budget);
    let engine = if known.is_some() { "cache" } else { "" };
    let verdicts = known.unwrap_or_else(|| decide(circuit, options, budget, &mut statistics));
    let properties: Vec<PropertyReport> = verdicts.iter().enumerate().map(property).collect();
    let verdict = Verdict::all(properties.iter().map(|p| &p.verdict));
    let mut report = Report { engine: engine.into(), properties, statistics, ..Report::new(verdict) };
    if report.verdict.is_safe() && options.vacuity {
        report.vacuity.extend(contradiction(circuit, options, budget));
    }
    if options.details {
        let details = pictures::details(&circuit_task, task, &verdicts);
        report.details = Some(Box::new(details));
    }
    let mut certifier = CircuitCertifier { text: &task.text, circuit, verdicts: &verdicts };
    certificate::add(task.kind, &mut report, options, lookup, &mut certifier, &proofs());
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
    text: &[u8],
    kind: Kind,
    lookup: &mut Lookup<'_>,
    budget: &Budget,
) -> Option<Vec<CircuitVerdict>> {
    if !lookup.is_on() {
        return None;
    }
    let content = aiger::write_circuit(circuit);
    let question = Question { kind: kind.certified(), options: &[], content: &content, task: text };
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
    for (engine, share) in strategy::engines(Input::Circuit, options.engine, options.jobs) {
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
    text: &'a [u8],
    circuit: &'a Circuit,
    verdicts: &'a [CircuitVerdict],
}

impl Certifier for CircuitCertifier<'_> {
    fn source(&self) -> &[u8] {
        self.text
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

    fn obligations(&self, certificate: &Certificate, _: &Budget) -> Result<Obligations, String> {
        cert::obligations_of_circuit(self.circuit, certificate)
    }
}
