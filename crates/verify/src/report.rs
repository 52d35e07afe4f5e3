//! What is said about a task, as plain data: verdicts, what shows them, notes and figures.

use crate::circuit_task::CircuitTask;
use crate::details::Details;
use crate::{Kind, Reason, Verdict};
use bolide_base::Stats;
use bolide_cert::{Certificate, Obligations};
use bolide_engine::circuit::CircuitVerdict;
pub use bolide_front::c::Position as Place;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// A property and what is known of it.
#[derive(Clone, Debug)]
pub struct PropertyReport {
    /// Its name.
    pub name: String,
    /// Where it is stated.
    pub place: Option<Place>,
    /// Whether it holds.
    pub verdict: Verdict,
}

/// What a fact is about.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum About {
    /// The states whenever control is at its place.
    Place,
    /// The calls of the function at its place: what holds when it is called.
    Calls,
    /// The same: what holds when it has returned.
    Returns,
}

impl About {
    /// The word for such a fact.
    pub fn word(self) -> &'static str {
        match self {
            About::Place => "invariant",
            About::Calls => "requires",
            About::Returns => "ensures",
        }
    }
}

/// A fact that was needed for a proof.
#[derive(Clone, Debug)]
pub struct Fact {
    /// The place.
    pub place: Place,
    /// What it is about.
    pub about: About,
    /// The fact, in the language of the task.
    pub formula: String,
}

/// A step of a trace.
#[derive(Clone, Debug)]
pub struct TraceStep {
    /// Where it happens.
    pub place: Place,
    /// What happens, such as `x = 3`.
    pub what: String,
    /// The function it happens in.
    pub function: Option<String>,
    /// The value that is stored, if one is.
    pub change: Option<Change>,
    /// Does the value come from outside?
    pub is_input: bool,
}

impl TraceStep {
    /// A step that stores nothing.
    pub fn new(place: Place, what: String) -> TraceStep {
        TraceStep { place, what, function: None, change: None, is_input: false }
    }
}

/// A value that is stored.
#[derive(Clone, Debug)]
pub struct Change {
    /// The variable, or the part of an object, as the task names it.
    pub name: String,
    /// The new value.
    pub value: String,
    /// The value that was stored there before, if there was one.
    pub before: Option<String>,
    /// Can every function see it?
    pub is_global: bool,
}

/// A value that came from outside on the way of a trace.
#[derive(Clone, Debug)]
pub struct InputReport {
    /// Where it came in.
    pub place: Place,
    /// What gave it, such as `__VERIFIER_nondet_int`.
    pub name: String,
    /// The value.
    pub value: String,
    /// How many times it came in a row.
    pub times: u64,
    /// Is there another value with which the property is not violated in this way? Unknown if none was tried.
    pub matters: Option<bool>,
}

/// Something that the verdict takes for granted.
#[derive(Clone, Debug)]
pub struct Assumption {
    /// In a sentence.
    pub text: String,
    /// Where it came up.
    pub place: Option<Place>,
}

/// Contracts that were used in place of functions. A proof is one of each of them, too.
#[derive(Clone, Debug)]
pub struct ContractReport {
    /// Is there a program that starts somewhere, or are there only functions?
    pub has_entry: bool,
    /// The functions, and where they are.
    pub functions: Vec<(String, Place)>,
}

/// How something was shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// It was proved.
    Proof,
    /// No test contradicts it.
    Tests,
}

impl Shown {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Shown::Proof => "proof",
            Shown::Tests => "tests",
        }
    }
}

/// Something that makes a verdict say less than it seems to.
#[derive(Clone, Debug)]
pub struct Vacuity {
    /// What is empty, in a word for programs, such as `unreachable-assertion`.
    pub kind: &'static str,
    /// What it is, in a sentence.
    pub text: String,
    /// Where.
    pub place: Option<Place>,
    /// How it was shown.
    pub shown: Shown,
}

/// What is said about one task.
#[non_exhaustive]
pub struct Report {
    /// The file.
    pub file: String,
    /// Its kind.
    pub kind: Kind,
    /// Whether all properties hold.
    pub verdict: Verdict,
    /// What gave the verdict: an engine, `testing` or `cache`.
    pub engine: String,
    /// Each property by itself; may be empty if there is only one.
    pub properties: Vec<PropertyReport>,
    /// C: the properties that are stated where no execution comes, since their functions are never called.
    pub unreachable: Vec<PropertyReport>,
    /// What the verdict takes for granted.
    pub assumptions: Vec<Assumption>,
    /// C: the contracts that stand for functions, if the program was verified part by part.
    pub contracts: Option<ContractReport>,
    /// For `safe`: what makes it say less than it seems to.
    pub vacuity: Vec<Vacuity>,
    /// For `safe`: an inductive invariant.
    pub invariant: Vec<Fact>,
    /// For `safe` of a C program: what the proof was confirmed on.
    pub proof: Option<ProofAbout>,
    /// For `unsafe`: the way there.
    pub trace: Vec<TraceStep>,
    /// For `unsafe` of a C function on its own: a condition on its arguments, in C, under which it was proved to be safe.
    pub suggestion: Option<String>,
    /// For `unsafe`: the values that came from outside, in their order.
    pub inputs: Vec<InputReport>,
    /// What witnesses in the community's formats are made of.
    pub evidence: Evidence,
    /// The certificate, if one was asked for and could be made.
    pub certificate: Option<Certificate>,
    /// The obligations of the proof, if they were asked for.
    pub obligations: Option<Obligations>,
    /// What a page shows, if one is wanted.
    pub details: Option<Box<Details>>,
    /// What else the user should know about the run, such as why there is no certificate.
    pub notes: Vec<String>,
    /// Figures about the run.
    pub statistics: Stats,
    /// Wall-clock seconds from reading to verdict.
    pub seconds: f64,
}

/// The form of a C program on which a proof was confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProofAbout {
    /// The program as it was read, by steps that the checker of certificates has accepted.
    AsRead,
    /// The program as the passes prepared it, by the engine; and why not the program as it was read.
    Prepared(String),
}

impl ProofAbout {
    /// The name of the form, as in certificates.
    pub fn form(&self) -> &'static str {
        match self {
            ProofAbout::AsRead => bolide_cert::program::ORIGINAL,
            ProofAbout::Prepared(_) => bolide_cert::program::PREPARED,
        }
    }
}

impl Report {
    /// A verdict without anything else.
    pub(crate) fn new(verdict: Verdict) -> Report {
        Report {
            file: String::new(),
            kind: Kind::Program,
            verdict,
            engine: String::new(),
            properties: Vec::new(),
            unreachable: Vec::new(),
            assumptions: Vec::new(),
            contracts: None,
            vacuity: Vec::new(),
            invariant: Vec::new(),
            proof: None,
            trace: Vec::new(),
            suggestion: None,
            inputs: Vec::new(),
            evidence: Evidence::None,
            certificate: None,
            obligations: None,
            details: None,
            notes: Vec::new(),
            statistics: Stats::new(),
            seconds: 0.0,
        }
    }

    /// No verdict about a file, and why.
    pub fn unknown(file: &str, kind: Kind, reason: impl Into<Reason>) -> Report {
        Report { file: file.into(), kind, ..Report::new(Verdict::unknown(reason)) }
    }
}

/// What witnesses are made of, by the kind of the task.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Evidence {
    /// Nothing.
    #[default]
    None,
    /// A run of a C program into an error.
    Violation(Box<Violation>),
    /// Loop invariants of a C program.
    Invariants(Box<Invariants>),
    /// A model of Horn clauses.
    Model(Vec<Predicate>),
    /// A derivation of a contradiction from Horn clauses.
    Derivation(ClauseRefutation),
    /// Invariants of a circuit and runs of it.
    Circuit(CircuitEvidence),
}

/// What a witness of a C program is about.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The name of the file.
    pub file: String,
    /// The SHA-256 of its bytes.
    pub hash: String,
    /// The data model: `ILP32` or `LP64`.
    pub data_model: &'static str,
    /// What was checked, in the language of specifications; of a violation, what is violated.
    pub specification: String,
}

/// A run of a C program into an error.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The program.
    pub subject: Subject,
    /// The values that calls returned, in their order.
    pub waypoints: Vec<Waypoint>,
    /// Where the property is violated.
    pub target: Site,
    /// What a test harness is made of.
    pub harness: Harness,
}

/// A place in a function.
#[derive(Clone, Debug)]
pub struct Site {
    /// The place.
    pub place: Place,
    /// The function.
    pub function: Option<String>,
}

/// The value that a call returned.
#[derive(Clone, Debug)]
pub struct Waypoint {
    /// Where the call ends.
    pub site: Site,
    /// What holds of the result, in ACSL.
    pub result: String,
}

/// What a test harness for a run is made of.
#[derive(Clone, Debug)]
pub struct Harness {
    /// What functions gave, in its order.
    pub values: Vec<HarnessValue>,
    /// The functions that are called but not defined.
    pub undefined: Vec<String>,
    /// What those of them return that return a scalar, as types of C.
    pub results: Vec<(String, &'static str)>,
    /// The variables that are used but not defined.
    pub variables: Vec<HarnessVariable>,
}

/// A variable that is used but not defined.
#[derive(Clone, Debug)]
pub struct HarnessVariable {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// Those of its bytes that are not zero when the run starts, by their offsets.
    pub bytes: BTreeMap<u64, u8>,
}

/// What a function gave that inputs come from.
#[derive(Clone, Debug)]
pub struct HarnessValue {
    /// The function.
    pub function: String,
    /// A constant of C.
    pub value: String,
    /// How many times it came in a row.
    pub times: u64,
}

/// Loop invariants of a C program.
#[derive(Clone, Debug)]
pub struct Invariants {
    /// The program.
    pub subject: Subject,
    /// The loops with expressions of C that always hold there.
    pub loops: Vec<(Site, String)>,
}

/// What a predicate of Horn clauses means, or a function that the meanings of predicates speak of.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// Its name, as SMT-LIB writes it.
    pub name: String,
    /// Its parameters with their sorts.
    pub params: Vec<(String, String)>,
    /// Where it holds; for a function its value.
    pub formula: String,
    /// The sort of the value: `Bool` for predicates.
    pub sort: String,
    /// Is it a function, which may be recursive?
    pub is_function: bool,
}

impl Predicate {
    /// The definition as a command of SMT-LIB, with something before the body.
    pub fn definition(&self, before: &str) -> String {
        let params: Vec<String> = self.params.iter().map(|(name, sort)| format!("({name} {sort})")).collect();
        let command = if self.is_function { "define-fun-rec" } else { "define-fun" };
        format!("({command} {} ({}) {}{before}{})", self.name, params.join(" "), self.sort, self.formula)
    }
}

/// A derivation of a contradiction from Horn clauses, with the text that they come from.
#[derive(Clone, Debug)]
pub struct ClauseRefutation {
    /// The text of the clauses.
    pub text: Vec<u8>,
    /// The steps; the last is an instance of a query.
    pub steps: Vec<DerivedFact>,
}

/// A step of a derivation.
#[derive(Clone, Debug)]
pub struct DerivedFact {
    /// The fact.
    pub fact: String,
    /// The number of the clause.
    pub clause: usize,
    /// The numbers of the steps that it follows from.
    pub premises: Vec<usize>,
    /// Where the text has the command that the clause comes from.
    pub span: Range<usize>,
    /// The values of the variables of the command, by their names; those that do not matter are left out. Nothing if the names do
    /// not tell them apart.
    pub values: Option<Vec<(String, String)>>,
}

/// What is known about each property of a circuit.
#[derive(Clone)]
pub struct CircuitEvidence {
    /// The circuit.
    pub task: Arc<CircuitTask>,
    /// A verdict for each property, with its evidence.
    pub verdicts: Vec<CircuitVerdict>,
}
