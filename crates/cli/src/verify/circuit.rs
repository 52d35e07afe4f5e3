//! `bolide verify` for circuits: AIGER and BTOR2.

mod pictures;

use super::{Kind, Refused};
use crate::arguments::VerifyOptions;
use crate::cache::{Lookup, Question};
use crate::circuit::Task;
use crate::exit;
use crate::output;
use crate::report::{PropertyReport, Report, Shown, Vacuity, Word};
use bolide_base::{Budget, Stats};
use bolide_cert::{Section, circuit as cert};
use bolide_engine::circuit::{Engine, Options, Outcome, Proof, verify};
use bolide_front::aiger;
use bolide_model::circuit::{Bit, Circuit};
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long contradictions between constraints are looked for.
const VACUITY_TIME: Duration = Duration::from_secs(1);

/// Decides all properties of a circuit.
pub fn run(
    file: &Path,
    text: &[u8],
    kind: Kind,
    options: &VerifyOptions,
    lookup: &mut Lookup,
    budget: &Budget,
) -> Result<Report, Refused> {
    let Some(engine) = Engine::named(&options.engine) else {
        let names: Vec<&str> = Engine::NAMES.iter().map(|(name, _)| *name).collect();
        eprintln!("bolide: there is no engine `{}` for circuits, but: {}", options.engine, names.join(", "));
        return Err(Refused(exit::USAGE));
    };
    let start = Instant::now();
    let reading = budget.phase("reading");
    let task = Task::read(file, text, kind).map_err(Refused)?;
    reading.finish_phase();
    let mut stats = Stats::new();
    stats.time("reading", start.elapsed());
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let how = Options { engine, jobs: options.jobs.unwrap_or(cores) };
    let known = look_up(task.circuit(), text, kind, lookup, budget);
    let engine = if known.is_some() { "cache" } else { "" };
    let outcomes = known.unwrap_or_else(|| decide(task.circuit(), how, budget, &mut stats));
    write_evidence(&task, &outcomes, options)?;
    let mut report = Report { engine: engine.into(), ..report(&task, &outcomes, stats) };
    if report.verdict == Word::Safe && !options.no_vacuity {
        report.vacuity.extend(contradiction(task.circuit(), how, budget));
    }
    if options.report.is_some() {
        report.details = Some(Box::new(pictures::details(&task, file, text, &outcomes)));
    }
    Ok(report)
}

/// Asks the cache.
fn look_up(
    circuit: &Circuit,
    text: &[u8],
    kind: Kind,
    lookup: &mut Lookup,
    budget: &Budget,
) -> Option<Vec<Outcome>> {
    if !lookup.is_on() {
        return None;
    }
    let content = aiger::write_circuit(circuit);
    let question =
        Question { kind: crate::certificate::kind(kind), options: &[], content: &content, task: text };
    let found = lookup.ask(&question, budget)?;
    match found.verdict {
        bolide_cert::Verdict::Safe => {
            let proof = |property| {
                let (invariant, depth) = cert::read_invariant(circuit, found, property).ok()?;
                Some(Outcome::Safe(Proof { invariant, depth }))
            };
            (0..circuit.bads.len()).map(proof).collect()
        }
        // A run into one bad state says nothing of the others.
        bolide_cert::Verdict::Unsafe if circuit.bads.len() > 1 => None,
        bolide_cert::Verdict::Unsafe => {
            let witness = aiger::read_witness(found.section("witness")?.as_bytes()).ok()?;
            Some(vec![Outcome::Unsafe(witness.trace)])
        }
    }
}

/// Writes the first run as a waveform and the invariants as a certificate, where that is wanted.
fn write_evidence(task: &Task, outcomes: &[Outcome], options: &VerifyOptions) -> Result<(), Refused> {
    let run = outcomes.iter().find_map(|outcome| match outcome {
        Outcome::Unsafe(trace) => Some(trace),
        _ => None,
    });
    if let (Some(path), Some(trace)) = (&options.vcd, run) {
        write_file(path, &task.waveform(trace))?;
    }
    let proofs: Vec<(usize, &Proof)> = outcomes
        .iter()
        .enumerate()
        .filter_map(|(property, outcome)| match outcome {
            Outcome::Safe(proof) => Some((property, proof)),
            _ => None,
        })
        .collect();
    if let Some(path) = options.certificate_circuit.as_ref().filter(|_| !proofs.is_empty()) {
        write_file(path, &certificate(task.circuit(), &proofs))?;
    }
    Ok(())
}

/// The certificate circuit, with a comment that says how many steps the induction of each property looks back.
fn certificate(circuit: &Circuit, proofs: &[(usize, &Proof)]) -> String {
    let invariants = proofs.iter().map(|&(property, proof)| (property, &proof.invariant));
    let mut text = aiger::write_circuit(&aiger::certificate(circuit, invariants));
    text.push_str("c\n");
    for (property, proof) in proofs {
        let _ = writeln!(text, "b{property} depth {}", proof.depth);
    }
    text
}

/// If no run satisfies the constraints even in its first step, every property holds for no reason.
fn contradiction(circuit: &Circuit, how: Options, budget: &Budget) -> Option<Vacuity> {
    if circuit.constraints.is_empty() {
        return None;
    }
    let always = Circuit { bads: vec![Bit::TRUE], ..circuit.clone() };
    let time = budget.remaining().map_or(VACUITY_TIME, |left| (left / 10).min(VACUITY_TIME));
    let outcome = verify(&always, 0, how, &budget.child(time), &mut Stats::new());
    matches!(outcome, Outcome::Safe(_)).then(|| Vacuity {
        kind: "contradictory-assumption",
        text: "No run satisfies the constraints of the circuit".into(),
        place: None,
        shown: Shown::Proof,
    })
}

fn write_file(path: &Path, text: &str) -> Result<(), Refused> {
    output::write_file(path, text).map_err(Refused)
}

/// Decides the properties one after the other; those that are left share the remaining time.
fn decide(circuit: &Circuit, options: Options, budget: &Budget, stats: &mut Stats) -> Vec<Outcome> {
    let count = circuit.bads.len();
    let mut outcomes = Vec::with_capacity(count);
    for property in 0..count {
        let left = (count - property) as u32;
        let share = match budget.remaining() {
            Some(time) if left > 1 => budget.child(time / left),
            _ => budget.clone(),
        };
        outcomes.push(verify(circuit, property, options, &share, stats));
    }
    outcomes
}

/// The verdict about all properties and that about each.
fn report(task: &Task, outcomes: &[Outcome], statistics: Stats) -> Report {
    let word = |outcome: &Outcome| match outcome {
        Outcome::Safe(_) => Word::Safe,
        Outcome::Unsafe(_) => Word::Unsafe,
        Outcome::Unknown(reason) => Word::Unknown(reason.clone()),
    };
    let words: Vec<Word> = outcomes.iter().map(word).collect();
    let unknown = words.iter().find(|w| matches!(w, Word::Unknown(_)));
    let verdict = match unknown {
        _ if words.contains(&Word::Unsafe) => Word::Unsafe,
        Some(unknown) => unknown.clone(),
        None => Word::Safe,
    };
    let property =
        |(n, verdict): (usize, Word)| PropertyReport { name: format!("b{n}"), place: None, verdict };
    let properties = words.into_iter().enumerate().map(property).collect();
    let (evidence, evidence_options) = evidence(outcomes);
    let witness = witness(task, outcomes);
    Report { properties, witness, evidence, evidence_options, statistics, ..Report::new(verdict) }
}

/// The evidence for a certificate: a run, or the invariants of all properties.
fn evidence(outcomes: &[Outcome]) -> (Vec<Section>, Vec<(String, String)>) {
    let (mut sections, mut options) = (Vec::new(), Vec::new());
    for (property, outcome) in outcomes.iter().enumerate() {
        match outcome {
            Outcome::Unsafe(trace) => {
                let witness = aiger::Witness { property, trace: trace.clone() };
                let text = aiger::write_witness(&witness);
                return (vec![Section { name: "witness".into(), text }], Vec::new());
            }
            Outcome::Safe(proof) => {
                let text = aiger::write_invariant(&proof.invariant);
                sections.push(Section { name: format!("invariant-{property}"), text });
                options.push((format!("depth-{property}"), proof.depth.to_string()));
            }
            Outcome::Unknown(_) => {}
        }
    }
    (sections, options)
}

/// The runs into bad states; if there are none, the invariants.
fn witness(task: &Task, outcomes: &[Outcome]) -> Option<String> {
    let mut runs = String::new();
    let mut invariants = String::new();
    for (property, outcome) in outcomes.iter().enumerate() {
        match outcome {
            Outcome::Unsafe(trace) => runs += &task.witness(property, trace),
            Outcome::Safe(proof) => invariants += &aiger::write_invariant(&proof.invariant),
            Outcome::Unknown(_) => {}
        }
    }
    let text = if runs.is_empty() { invariants } else { runs };
    (!text.is_empty()).then_some(text)
}
