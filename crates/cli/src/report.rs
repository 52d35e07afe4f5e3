//! What is said about a task: the verdict and its evidence, as text and as JSON.

use crate::exit;
use crate::verify::Kind;
use bolide_base::{Stat, Stats};
use bolide_cert::Section;
use bolide_front::c::Position as Place;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The version of the JSON that `--json` prints; it changes when a field is renamed or removed.
pub const SCHEMA: u32 = 1;
/// How many steps of a trace are printed as text: the first and the last ones.
const SHOWN_STEPS: usize = 20;

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

/// A fact that holds whenever control is at a place.
pub struct Fact {
    /// The place.
    pub place: Place,
    /// The fact, in the language of the task.
    pub formula: String,
}

/// A step of a trace.
pub struct Moment {
    /// Where it happens.
    pub place: Place,
    /// What happens, such as `x = 3`.
    pub what: String,
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
    pub assumptions: Vec<String>,
    /// For `safe`: an inductive invariant.
    pub invariant: Vec<Fact>,
    /// For `unsafe`: the way there.
    pub trace: Vec<Moment>,
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
            invariant: Vec::new(),
            trace: Vec::new(),
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
            let _ = writeln!(out, "{}: invariant {}", fact.place, fact.formula);
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
        for assumption in &self.assumptions {
            let _ = writeln!(out, "note: {assumption}");
        }
        out
    }

    /// The report as one line of JSON.
    pub fn json(&self) -> String {
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
        set("assumptions", json!(self.assumptions));
        let fact = |f: &Fact| json!({ "place": place(&f.place), "formula": f.formula });
        set("invariant", self.invariant.iter().map(fact).collect());
        let moment = |m: &Moment| json!({ "place": place(&m.place), "what": m.what });
        set("trace", self.trace.iter().map(moment).collect());
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
        Value::Object(object).to_string()
    }
}

fn place(place: &Place) -> Value {
    json!({ "file": place.file, "line": place.line, "column": place.column })
}
