//! What is said about a task: the verdict and its evidence, as text and as JSON, and in the modules below as a page and for
//! code scanning.

pub mod details;
pub mod html;
pub mod sarif;

use crate::exit;
use crate::verify::Kind;
use bolide_base::{Stat, Stats};
use bolide_cert::Section;
pub use bolide_front::c::Position as Place;
use details::Details;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The version of the JSON that `--json` prints; it changes when a field is renamed or removed.
pub const SCHEMA: u32 = 1;
/// How many steps of a trace are printed as text: the first and the last ones.
const SHOWN_STEPS: usize = 20;
/// How many inputs are printed as text.
const SHOWN_INPUTS: usize = 20;

/// A verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// No execution violates the property.
    Safe,
    /// Some execution does.
    Unsafe,
    /// Neither was shown, and why.
    Unknown(String),
}

impl Word {
    /// The exit code that goes with the verdict.
    pub fn code(&self) -> u8 {
        match self {
            Word::Safe => 0,
            Word::Unsafe => exit::UNSAFE,
            Word::Unknown(_) => exit::UNKNOWN,
        }
    }

    /// The verdict in one word.
    pub fn name(&self) -> &'static str {
        match self {
            Word::Safe => "safe",
            Word::Unsafe => "unsafe",
            Word::Unknown(_) => "unknown",
        }
    }

    fn line(&self) -> String {
        match self {
            Word::Unknown(reason) => format!("unknown: {reason}"),
            word => word.name().into(),
        }
    }
}

/// A property and what is known of it.
pub struct PropertyReport {
    /// Its name.
    pub name: String,
    /// Where it is stated.
    pub place: Option<Place>,
    /// Whether it holds.
    pub verdict: Word,
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
pub struct Fact {
    /// The place.
    pub place: Place,
    /// What it is about.
    pub about: About,
    /// The fact, in the language of the task.
    pub formula: String,
}

/// A step of a trace.
pub struct Moment {
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

impl Moment {
    /// A step that stores nothing.
    pub fn new(place: Place, what: String) -> Moment {
        Moment { place, what, function: None, change: None, is_input: false }
    }
}

/// A value that is stored.
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
pub struct InputReport {
    /// Where it came in.
    pub place: Place,
    /// What gave it, such as `__VERIFIER_nondet_int`.
    pub name: String,
    /// The value.
    pub value: String,
    /// Is there another value with which the property is not violated in this way? Unknown if none was tried.
    pub matters: Option<bool>,
}

/// Something that the verdict takes for granted.
pub struct Assumption {
    /// In a sentence.
    pub text: String,
    /// Where it came up.
    pub place: Option<Place>,
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
    fn name(self) -> &'static str {
        match self {
            Shown::Proof => "proof",
            Shown::Tests => "tests",
        }
    }
}

/// Something that makes a verdict say less than it seems to.
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
pub struct Report {
    /// The file.
    pub file: String,
    /// Its kind.
    pub kind: Kind,
    /// Whether all properties hold.
    pub verdict: Word,
    /// The engine that gave the verdict.
    pub engine: String,
    /// Each property by itself; may be empty if there is only one.
    pub properties: Vec<PropertyReport>,
    /// What the verdict takes for granted.
    pub assumptions: Vec<Assumption>,
    /// For `safe`: what makes it say less than it seems to.
    pub vacuity: Vec<Vacuity>,
    /// For `safe`: an inductive invariant.
    pub invariant: Vec<Fact>,
    /// For `unsafe`: the way there.
    pub trace: Vec<Moment>,
    /// For `unsafe`: the values that came from outside, in their order.
    pub inputs: Vec<InputReport>,
    /// What a page shows, if one is wanted.
    pub details: Option<Box<Details>>,
    /// Evidence in the community's format, if there is any.
    pub witness: Option<String>,
    /// For `unsafe` C programs: a file that makes the real program fail.
    pub harness: Option<String>,
    /// Evidence for a certificate, if one was asked for.
    pub evidence: Vec<Section>,
    /// Options of the certificate.
    pub evidence_options: Vec<(String, String)>,
    /// Figures about the run.
    pub statistics: Stats,
    /// Wall-clock seconds from reading to verdict.
    pub seconds: f64,
}

impl Report {
    /// A verdict without evidence.
    pub fn new(verdict: Word) -> Report {
        Report {
            file: String::new(),
            kind: Kind::Program,
            verdict,
            engine: String::new(),
            properties: Vec::new(),
            assumptions: Vec::new(),
            vacuity: Vec::new(),
            invariant: Vec::new(),
            trace: Vec::new(),
            inputs: Vec::new(),
            details: None,
            witness: None,
            harness: None,
            evidence: Vec::new(),
            evidence_options: Vec::new(),
            statistics: Stats::new(),
            seconds: 0.0,
        }
    }

    /// No verdict, and why.
    pub fn unknown(reason: &str) -> Report {
        Report::new(Word::Unknown(reason.into()))
    }

    /// The report as text: the verdict on the first line, the evidence after it.
    pub fn text(&self) -> String {
        let mut out = String::new();
        match (&self.kind, &self.verdict) {
            // The community of Horn clauses speaks of satisfiability, and of nothing else.
            (Kind::Horn, Word::Safe) => return "sat\n".into(),
            (Kind::Horn, Word::Unsafe) => return "unsat\n".into(),
            (Kind::Horn, Word::Unknown(_)) => return "unknown\n".into(),
            (_, word) => out.push_str(&word.line()),
        }
        out.push('\n');
        if self.properties.len() > 1 {
            for p in &self.properties {
                let _ = writeln!(out, "{} {}", p.name, p.verdict.line());
            }
        } else if let Some(PropertyReport { place: Some(place), name, verdict: Word::Unsafe }) =
            self.properties.first()
        {
            let _ = writeln!(out, "{}: {name}", place);
        }
        for fact in &self.invariant {
            let _ = writeln!(out, "{}: {} {}", fact.place, fact.about.word(), fact.formula);
        }
        let hidden = self.trace.len().saturating_sub(2 * SHOWN_STEPS);
        for (n, moment) in self.trace.iter().enumerate() {
            if hidden > 0 && n == SHOWN_STEPS {
                let _ = writeln!(out, "  ... {hidden} steps (--json shows all) ...");
            }
            if hidden == 0 || n < SHOWN_STEPS || n >= SHOWN_STEPS + hidden {
                let _ = writeln!(out, "  {}: {}", moment.place, moment.what);
            }
        }
        self.write_inputs(&mut out);
        for v in &self.vacuity {
            let place = v.place.as_ref().map(|p| format!("{p}: ")).unwrap_or_default();
            let (word, how) = match v.shown {
                Shown::Proof => ("warning", "proved"),
                Shown::Tests => ("note", "as far as tests show"),
            };
            let _ = writeln!(out, "{word}: {place}{} ({how})", v.text);
        }
        for assumption in &self.assumptions {
            let _ = writeln!(out, "note: {}", assumption.text);
        }
        out
    }

    /// The inputs that matter or were not examined, in their order, and how many others there are.
    fn write_inputs(&self, out: &mut String) {
        let (any, told): (Vec<_>, Vec<_>) =
            self.inputs.iter().partition(|i: &&InputReport| i.matters == Some(false));
        for input in told.iter().take(SHOWN_INPUTS) {
            let matters = if input.matters.is_some() { ", which matters" } else { "" };
            let _ = writeln!(out, "input {}: {} = {}{matters}", input.place, input.name, input.value);
        }
        if told.len() > SHOWN_INPUTS {
            let _ = writeln!(out, "... {} more inputs (--json shows all)", told.len() - SHOWN_INPUTS);
        }
        match any[..] {
            [] => {}
            [input] => {
                let _ = writeln!(
                    out,
                    "input {}: {} = {}, as good as the others that were tried",
                    input.place, input.name, input.value
                );
            }
            _ => {
                let other = if told.is_empty() { "" } else { "other " };
                let _ = writeln!(
                    out,
                    "{} {other}inputs are as good as others that were tried (--json shows all)",
                    any.len()
                );
            }
        }
    }

    /// The report as one line of JSON.
    pub fn json(&self) -> String {
        self.value().to_string()
    }

    /// The report as JSON.
    pub fn value(&self) -> Value {
        let mut object = Map::new();
        let mut set = |name: &str, value: Value| object.insert(name.into(), value);
        set("schema", json!(SCHEMA));
        set("bolide", json!(env!("CARGO_PKG_VERSION")));
        set("file", json!(self.file));
        set("kind", json!(self.kind.name()));
        set("verdict", json!(self.verdict.name()));
        if let Word::Unknown(reason) = &self.verdict {
            set("reason", json!(reason));
        }
        set("engine", json!(self.engine));
        set("seconds", json!(self.seconds));
        let property = |p: &PropertyReport| {
            let mut value = json!({ "name": p.name, "verdict": p.verdict.name() });
            if let Word::Unknown(reason) = &p.verdict {
                value["reason"] = json!(reason);
            }
            if let Some(p) = &p.place {
                value["place"] = place(p);
            }
            value
        };
        set("properties", self.properties.iter().map(property).collect());
        set("assumptions", self.assumptions.iter().map(|a| json!(a.text)).collect());
        let vacuity = |v: &Vacuity| {
            let mut value = json!({ "kind": v.kind, "text": v.text, "shown": v.shown.name() });
            if let Some(p) = &v.place {
                value["place"] = place(p);
            }
            value
        };
        set("vacuity", self.vacuity.iter().map(vacuity).collect());
        let fact =
            |f: &Fact| json!({ "place": place(&f.place), "kind": f.about.word(), "formula": f.formula });
        set("invariant", self.invariant.iter().map(fact).collect());
        set("trace", self.trace.iter().map(moment).collect());
        let input = |i: &InputReport| json!({ "place": place(&i.place), "name": i.name, "value": i.value, "matters": i.matters });
        set("inputs", self.inputs.iter().map(input).collect());
        if let Some(witness) = &self.witness {
            set("witness", json!(witness));
        }
        let statistics: Map<String, Value> = self
            .statistics
            .iter()
            .map(|(name, stat)| {
                let value = match stat {
                    Stat::Count(n) => json!(n),
                    Stat::Seconds(s) => json!(s),
                };
                (name.into(), value)
            })
            .collect();
        set("statistics", Value::Object(statistics));
        Value::Object(object)
    }
}

fn moment(m: &Moment) -> Value {
    let mut value = json!({ "place": place(&m.place), "what": m.what });
    if let Some(function) = &m.function {
        value["function"] = json!(function);
    }
    if let Some(change) = &m.change {
        value["name"] = json!(change.name);
        value["value"] = json!(change.value);
        value["before"] = json!(change.before);
        value["input"] = json!(m.is_input);
    }
    value
}

fn place(place: &Place) -> Value {
    json!({ "file": place.file, "line": place.line, "column": place.column })
}
