//! Findings in SARIF 2.1.0 (OASIS, *Static Analysis Results Interchange Format*), which code scanning services read.
//!
//! It is made from the JSON of reports, so that reports of other processes can be put together too. A violated property
//! is an error with a code flow, what a verdict does not say is a warning, and a task without a verdict is a notification
//! of the invocation. What is safe is no finding.

use serde_json::{Value, json};
use std::collections::BTreeSet;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// How many steps of a trace become locations of a code flow: the first and the last ones.
const FIRST_STEPS: usize = 200;
const LAST_STEPS: usize = 800;

/// A rule: its name, what it says, and what it means; the start of the names of its properties.
struct Rule {
    id: &'static str,
    title: &'static str,
    help: &'static str,
    property: &'static str,
    level: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        id: "invalid-call",
        title: "A call target is not a function",
        help: "A call goes through a pointer that does not point to a function.",
        property: "call through an invalid function pointer",
        level: "error",
    },
    Rule {
        id: "error-call",
        title: "An error function is called",
        help: "An execution reaches a call of an error function such as reach_error. The code flow is one such execution.",
        property: "call of",
        level: "error",
    },
    Rule {
        id: "assertion",
        title: "An assertion fails",
        help: "An execution violates an assertion. The code flow is one such execution.",
        property: "assertion",
        level: "error",
    },
    Rule {
        id: "error-label",
        title: "A label named ERROR is reached",
        help: "An execution reaches a label that marks an error. The code flow is one such execution.",
        property: "label",
        level: "error",
    },
    Rule {
        id: "signed-overflow",
        title: "Signed arithmetic overflows",
        help: "The result of an operation on signed integers does not fit its type, which is undefined behaviour.",
        property: "signed overflow",
        level: "error",
    },
    Rule {
        id: "division-by-zero",
        title: "Division by zero",
        help: "The right operand of a division or remainder is zero, which is undefined behaviour.",
        property: "division by zero",
        level: "error",
    },
    Rule {
        id: "index-out-of-bounds",
        title: "An index is out of bounds",
        help: "An array is indexed outside of its bounds, which is undefined behaviour.",
        property: "index out of bounds",
        level: "error",
    },
    Rule {
        id: "array-length",
        title: "The length of an array is not positive",
        help: "An array of variable length is declared with a length of zero or less, which is undefined behaviour.",
        property: "array of non-positive length",
        level: "error",
    },
    Rule {
        id: "null-dereference",
        title: "The null pointer is dereferenced",
        help: "An object is accessed through the null pointer, which is undefined behaviour.",
        property: "null pointer",
        level: "error",
    },
    Rule {
        id: "shift-out-of-range",
        title: "A shift is out of range",
        help: "A value is shifted by a negative amount or by its width or more, which is undefined behaviour.",
        property: "shift",
        level: "error",
    },
    Rule {
        id: "invalid-read",
        title: "Memory is read outside of live objects",
        help: "A read goes through the null pointer, beyond its object, or to an object whose life has ended.",
        property: "invalid read",
        level: "error",
    },
    Rule {
        id: "invalid-write",
        title: "Memory is written outside of live objects",
        help: "A write goes through the null pointer, beyond its object, or to an object whose life has ended.",
        property: "invalid write",
        level: "error",
    },
    Rule {
        id: "access-out-of-bounds",
        title: "An access leaves its object",
        help: "A pointer is used beyond the object that it was computed from.",
        property: "access out of bounds",
        level: "error",
    },
    Rule {
        id: "invalid-free",
        title: "Memory is freed that cannot be freed",
        help: "What is freed is not the start of a live object of the heap: it was freed before, or never allocated.",
        property: "invalid free",
        level: "error",
    },
    Rule {
        id: "memory-leak",
        title: "Memory is lost",
        help: "Nothing leads to an object of the heap any more that has not been freed.",
        property: "memory leak",
        level: "error",
    },
    Rule {
        id: "memory-not-freed",
        title: "Memory is not freed",
        help: "An object of the heap has not been freed when the program ends.",
        property: "memory that is not freed",
        level: "error",
    },
    Rule {
        id: "pointer-beyond-object",
        title: "A pointer leaves its object",
        help: "Pointer arithmetic goes beyond one past the end of the object, which is undefined behaviour.",
        property: "pointer beyond its object",
        level: "error",
    },
    Rule {
        id: "unrelated-pointers",
        title: "Pointers to different objects are compared",
        help: "The order or the difference of pointers to different objects is undefined behaviour.",
        property: "pointers to different objects",
        level: "error",
    },
    Rule {
        id: "contract",
        title: "A contract is violated",
        help: "A condition that a contract states does not hold where it is stated.",
        property: "precondition",
        level: "error",
    },
    Rule {
        id: "unreachable-assertion",
        title: "An assertion is never reached",
        help: "No execution reaches the assertion, so that its being safe says nothing about the program.",
        property: "",
        level: "warning",
    },
    Rule {
        id: "contradictory-assumption",
        title: "No execution satisfies an assumption",
        help: "Everything after the assumption is vacuously safe.",
        property: "",
        level: "warning",
    },
    Rule {
        id: "vacuous-query",
        title: "A query of Horn clauses is vacuous",
        help: "A predicate that the query needs is empty, so that the query follows from nothing.",
        property: "",
        level: "warning",
    },
    Rule {
        id: "nothing-to-check",
        title: "Nothing was checked",
        help: "The task has no property that an execution could violate.",
        property: "",
        level: "warning",
    },
    Rule {
        id: "violated-property",
        title: "A property is violated",
        help: "Horn clauses contradict each other, or a circuit reaches a bad state.",
        property: "",
        level: "error",
    },
];

/// The log of some reports, each as its JSON. With an earlier log as baseline, each result says whether it is new, and those that are
/// gone are listed as absent.
pub fn log(reports: &[Value], baseline: Option<&Value>) -> String {
    let mut results = Vec::new();
    let mut notifications = Vec::new();
    for report in reports {
        findings(report, &mut results);
        if report["verdict"] == "unknown" {
            notifications.push(json!({
                "level": "note",
                "message": { "text": format!("no verdict: {}", text(&report["reason"])) },
                "locations": [{ "physicalLocation": { "artifactLocation": artifact(&report["file"]) } }],
            }));
        }
    }
    if let Some(baseline) = baseline {
        compare(&mut results, baseline);
    }
    let artifacts: Vec<Value> = reports.iter().map(|r| json!({ "location": artifact(&r["file"]) })).collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Bolide",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": RULES.iter().map(rule).collect::<Vec<_>>(),
            } },
            "invocations": [{ "executionSuccessful": true, "toolExecutionNotifications": notifications }],
            "artifacts": artifacts,
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    serde_json::to_string_pretty(&log).unwrap_or_default() + "\n"
}

/// The name under which results hold their fingerprints.
const FINGERPRINT: &str = "bolideFinding/v1";

/// Says of each result whether the baseline has it, and adds what only the baseline has.
fn compare(results: &mut Vec<Value>, baseline: &Value) {
    let fingerprint = |r: &Value| text(&r["partialFingerprints"][FINGERPRINT]).to_string();
    let runs = baseline["runs"].as_array().map(Vec::as_slice).unwrap_or_default();
    let earlier = runs.iter().flat_map(|run| run["results"].as_array().into_iter().flatten());
    let earlier: Vec<&Value> = earlier.filter(|r| r["baselineState"] != "absent").collect();
    let known: BTreeSet<String> = earlier.iter().map(|r| fingerprint(r)).collect();
    let found: BTreeSet<String> = results.iter().map(fingerprint).collect();
    for result in results.iter_mut() {
        let state = if known.contains(&fingerprint(result)) { "unchanged" } else { "new" };
        result["baselineState"] = json!(state);
    }
    for gone in earlier.into_iter().filter(|r| !found.contains(&fingerprint(r))) {
        let mut gone = gone.clone();
        gone["baselineState"] = json!("absent");
        // The tables of rules of two versions may differ.
        if let Some(number) = RULES.iter().position(|r| gone["ruleId"] == r.id) {
            gone["ruleIndex"] = json!(number);
        }
        results.push(gone);
    }
}

fn rule(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.title },
        "fullDescription": { "text": rule.help },
        "help": { "text": rule.help },
        "defaultConfiguration": { "level": rule.level },
    })
}

/// What is wrong with one task.
fn findings(report: &Value, results: &mut Vec<Value>) {
    let list = |name: &str| report[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut has_flow = false;
    let violated = list("properties").iter().filter(|p| p["verdict"] == "unsafe");
    for property in violated {
        let name = text(&property["name"]);
        let found = RULES.iter().position(|r| !r.property.is_empty() && name.starts_with(r.property));
        let mut result = result(found.unwrap_or(RULES.len() - 1), name, &property["place"], report);
        // The trace is the way to the property that was violated first.
        if !std::mem::replace(&mut has_flow, true) {
            let flow = code_flow(list("trace"), report);
            if !flow.is_null() {
                result["codeFlows"] = json!([flow]);
            }
        }
        results.push(result);
    }
    if report["verdict"] == "unsafe" && !has_flow {
        let message = format!("{} is not safe", text(&report["file"]));
        let mut result = result(RULES.len() - 1, &message, &Value::Null, report);
        let flow = code_flow(list("trace"), report);
        if !flow.is_null() {
            result["codeFlows"] = json!([flow]);
        }
        results.push(result);
    }
    for vacuity in list("vacuity") {
        let kind = text(&vacuity["kind"]);
        let number = RULES.iter().position(|r| r.id == kind).unwrap_or(RULES.len() - 1);
        let message = format!("{} (shown by {})", text(&vacuity["text"]), text(&vacuity["shown"]));
        results.push(result(number, &message, &vacuity["place"], report));
    }
}

fn result(rule: usize, message: &str, place: &Value, report: &Value) -> Value {
    json!({
        "ruleId": RULES[rule].id,
        "ruleIndex": rule,
        "level": RULES[rule].level,
        "kind": "fail",
        "message": { "text": message },
        "locations": [location(place, report)],
        "partialFingerprints": {
            FINGERPRINT: format!("{}:{}:{message}", RULES[rule].id, text(&report["file"])),
        },
    })
}

/// A place, or the whole file.
fn location(place: &Value, report: &Value) -> Value {
    let file = if place.is_null() { &report["file"] } else { &place["file"] };
    let mut location = json!({ "physicalLocation": { "artifactLocation": artifact(file) } });
    if let (Some(line), Some(column)) = (place["line"].as_u64(), place["column"].as_u64()) {
        location["physicalLocation"]["region"] =
            json!({ "startLine": line.max(1), "startColumn": column.max(1) });
    }
    location
}

/// The way of a trace; nothing if there are no steps.
fn code_flow(trace: &[Value], report: &Value) -> Value {
    if trace.is_empty() {
        return Value::Null;
    }
    let hidden = trace.len().saturating_sub(FIRST_STEPS + LAST_STEPS);
    let is_shown = |n: usize| hidden == 0 || n < FIRST_STEPS || n >= FIRST_STEPS + hidden;
    let step = |(n, moment): (usize, &Value)| {
        let mut place = location(&moment["place"], report);
        place["message"] = json!({ "text": text(&moment["what"]) });
        let importance = match n + 1 == trace.len() {
            true => "essential",
            false if moment["input"] == true => "important",
            false => "unimportant",
        };
        let mut step = json!({ "location": place, "executionOrder": n + 1, "importance": importance });
        if let (Some(name), Some(value)) = (moment["name"].as_str(), moment["value"].as_str()) {
            step["state"] = json!({ name: { "text": value } });
        }
        step
    };
    let steps: Vec<Value> = trace.iter().enumerate().filter(|(n, _)| is_shown(*n)).map(step).collect();
    json!({ "threadFlows": [{ "locations": steps }] })
}

fn artifact(file: &Value) -> Value {
    json!({ "uri": uri(text(file)) })
}

/// A file as a URI: relative to the place where the tool ran, or absolute.
pub fn uri(file: &str) -> String {
    let mut uri = String::from(if file.starts_with('/') { "file://" } else { "" });
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(byte.into())
            }
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn violations_warnings_and_open_tasks() {
        let place = json!({ "file": "a dir/x.c", "line": 4, "column": 7 });
        let unsafe_ = json!({
            "file": "a dir/x.c", "verdict": "unsafe",
            "properties": [{ "name": "assertion in main", "verdict": "unsafe", "place": place }],
            "trace": [{ "place": place, "what": "x = 3", "name": "x", "value": "3", "input": true },
                      { "place": place, "what": "assertion in main" }],
        });
        let empty = json!({
            "file": "y.c", "verdict": "safe", "properties": [],
            "vacuity": [{ "kind": "unreachable-assertion", "text": "never", "shown": "proof", "place": place }],
        });
        let open = json!({ "file": "/z.c", "verdict": "unknown", "reason": "time" });
        let log: Value = serde_json::from_str(&log(&[unsafe_, empty, open], None)).unwrap();
        let run = &log["runs"][0];
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), 2);
        assert_eq!(results[0]["ruleId"], "assertion");
        let uri = &results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert_eq!(uri, "a%20dir/x.c");
        let steps = &results[0]["codeFlows"][0]["threadFlows"][0]["locations"];
        assert_eq!(steps[0]["state"]["x"]["text"], "3");
        assert_eq!(steps[1]["importance"], "essential");
        assert_eq!(results[1]["level"], "warning");
        let notes = &run["invocations"][0]["toolExecutionNotifications"];
        assert_eq!(notes[0]["message"]["text"], "no verdict: time");
    }

    #[test]
    fn a_baseline_tells_what_is_new_and_what_is_gone() {
        let report = |file: &str, name: &str| {
            let place = json!({ "file": file, "line": 4, "column": 7 });
            json!({ "file": file, "verdict": "unsafe",
                    "properties": [{ "name": name, "verdict": "unsafe", "place": place }] })
        };
        let old = [report("x.c", "assertion in f"), report("y.c", "invalid free in g")];
        let old: Value = serde_json::from_str(&log(&old, None)).unwrap();
        let new = [report("x.c", "assertion in f"), report("z.c", "memory leak in main")];
        let new: Value = serde_json::from_str(&log(&new, Some(&old))).unwrap();
        let results = new["runs"][0]["results"].as_array().unwrap();
        let states: Vec<(&str, &str)> =
            results.iter().map(|r| (text(&r["ruleId"]), text(&r["baselineState"]))).collect();
        assert_eq!(states, [("assertion", "unchanged"), ("memory-leak", "new"), ("invalid-free", "absent")]);
    }

    #[test]
    fn long_traces_are_cut_in_the_middle() {
        let place = json!({ "file": "x.c", "line": 1, "column": 1 });
        let trace: Vec<Value> = (0..5000).map(|n| json!({ "place": place, "what": n.to_string() })).collect();
        let flow = code_flow(&trace, &json!({ "file": "x.c" }));
        let steps = flow["threadFlows"][0]["locations"].as_array().unwrap();
        assert_eq!(steps.len(), FIRST_STEPS + LAST_STEPS);
        assert_eq!(steps.last().unwrap()["executionOrder"], 5000);
    }
}
