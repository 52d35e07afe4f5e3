//! A report as JSON.

use crate::witness;
use bolide::Stat;
use bolide::report::{Fact, InputReport, Place, ProofAbout, PropertyReport, Report, TraceStep, Vacuity};
use serde_json::{Map, Value, json};

/// The version of the JSON; it changes when a field is renamed or removed.
pub const SCHEMA: u32 = 1;

/// The report as one line of JSON.
pub fn json(report: &Report) -> String {
    value(report).to_string()
}

/// The report as JSON.
pub fn value(report: &Report) -> Value {
    let mut object = Map::new();
    let mut set = |name: &str, value: Value| object.insert(name.into(), value);
    set("schema", json!(SCHEMA));
    set("bolide", json!(env!("CARGO_PKG_VERSION")));
    set("file", json!(report.file));
    set("kind", json!(report.kind.name()));
    set("verdict", json!(report.verdict.name()));
    if let Some(reason) = report.verdict.reason() {
        set("reason", json!(reason.text));
        set("reason_code", json!(reason.code.as_str()));
    }
    set("engine", json!(report.engine));
    set("seconds", json!(report.seconds));
    let property = |p: &PropertyReport| {
        let mut value = json!({ "name": p.name, "verdict": p.verdict.name() });
        if let Some(reason) = p.verdict.reason() {
            value["reason"] = json!(reason.text);
            value["reason_code"] = json!(reason.code.as_str());
        }
        if let Some(p) = &p.place {
            value["place"] = place(p);
        }
        value
    };
    set("properties", report.properties.iter().map(property).collect());
    if !report.unreachable.is_empty() {
        let check = |p: &PropertyReport| {
            let mut value = json!({ "name": p.name });
            if let Some(p) = &p.place {
                value["place"] = place(p);
            }
            value
        };
        set("unreachable", report.unreachable.iter().map(check).collect());
    }
    set("assumptions", report.assumptions.iter().map(|a| json!(a.text)).collect());
    if let Some(contracts) = &report.contracts {
        let contract = |(name, at): &(String, Place)| json!({ "function": name, "place": place(at), "proved": report.verdict.is_safe() });
        set("contracts", contracts.functions.iter().map(contract).collect());
    }
    let vacuity = |v: &Vacuity| {
        let mut value = json!({ "kind": v.kind, "text": v.text, "shown": v.shown.name() });
        if let Some(p) = &v.place {
            value["place"] = place(p);
        }
        value
    };
    set("vacuity", report.vacuity.iter().map(vacuity).collect());
    let fact = |f: &Fact| json!({ "place": place(&f.place), "kind": f.about.word(), "formula": f.formula });
    set("invariant", report.invariant.iter().map(fact).collect());
    if let Some(proof) = &report.proof {
        let mut value = json!({ "form": proof.form() });
        if let ProofAbout::Prepared(reason) = proof {
            value["reason"] = json!(reason);
        }
        set("proof", value);
    }
    set("trace", report.trace.iter().map(step).collect());
    let input = |i: &InputReport| json!({ "place": place(&i.place), "name": i.name, "value": i.value, "times": i.times, "matters": i.matters });
    set("inputs", report.inputs.iter().map(input).collect());
    if let Some(condition) = &report.suggestion {
        set("suggestion", json!({ "requires": condition }));
    }
    if let Some(witness) = witness(report) {
        set("witness", json!(witness));
    }
    let statistics: Map<String, Value> = report
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

fn step(m: &TraceStep) -> Value {
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
