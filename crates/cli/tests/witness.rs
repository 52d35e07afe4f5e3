//! Witnesses of C programs have the form that version 2.0 of the community's format asks for.

mod common;

use common::{Folder, bolide};
use saphyr::{LoadableYamlNode, Scalar, Yaml};
use serde_json::Value;
use std::path::Path;

/// YAML as JSON.
fn json(yaml: &Yaml<'_>) -> Value {
    match yaml {
        Yaml::Value(Scalar::String(s)) => Value::from(s.as_ref()),
        Yaml::Value(Scalar::Integer(n)) => Value::from(*n),
        Yaml::Value(Scalar::FloatingPoint(x)) => Value::from(x.into_inner()),
        Yaml::Value(Scalar::Boolean(b)) => Value::from(*b),
        Yaml::Sequence(list) => list.iter().map(json).collect(),
        Yaml::Mapping(map) => {
            map.iter().map(|(k, v)| (k.as_str().expect("a key is a text").to_string(), json(v))).collect()
        }
        _ => Value::Null,
    }
}

/// The keywords of JSON Schema that the schema uses, but for patterns.
struct Schema(Value);

impl Schema {
    fn check(&self, value: &Value, schema: &Value, at: &str) -> Result<(), String> {
        let flaw = |what: String| Err(format!("{at}: {what}"));
        if let Some(name) = schema["$ref"].as_str() {
            let target = self.0.pointer(name.trim_start_matches('#')).expect("a definition");
            return self.check(value, target, at);
        }
        let is_type = match schema["type"].as_str() {
            None => true,
            Some("array") => value.is_array(),
            Some("object") => value.is_object(),
            Some("string") => value.is_string(),
            Some("integer") => value.is_i64(),
            Some(other) => panic!("the schema uses {other}"),
        };
        if !is_type {
            return flaw(format!("{value} is not of type {}", schema["type"]));
        }
        if schema.get("const").is_some_and(|c| c != value) {
            return flaw(format!("{value} is not {}", schema["const"]));
        }
        if schema["enum"].as_array().is_some_and(|list| !list.contains(value)) {
            return flaw(format!("{value} is none of {}", schema["enum"]));
        }
        if schema["minimum"].as_i64() > value.as_i64() && schema["minimum"].is_i64() {
            return flaw(format!("{value} is too small"));
        }
        if let Some(list) = value.as_array() {
            if schema["minItems"].as_u64().is_some_and(|least| (list.len() as u64) < least) {
                return flaw("too short".into());
            }
            for (n, item) in list.iter().enumerate().filter(|_| schema.get("items").is_some()) {
                self.check(item, &schema["items"], &format!("{at}/{n}"))?;
            }
        }
        if let Some(map) = value.as_object() {
            for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                if !map.contains_key(name) {
                    return flaw(format!("there is no {name}"));
                }
            }
            for (name, item) in map {
                match (schema["properties"].get(name), &schema["additionalProperties"]) {
                    (Some(own), _) => self.check(item, own, &format!("{at}/{name}"))?,
                    (None, Value::Bool(false)) => return flaw(format!("{name} is unknown")),
                    (None, Value::Null) => {}
                    (None, other) => self.check(item, other, &format!("{at}/{name}"))?,
                }
            }
        }
        match schema["oneOf"].as_array() {
            Some(some) if some.iter().filter(|s| self.check(value, s, at).is_ok()).count() != 1 => {
                let reasons: Vec<String> =
                    some.iter().filter_map(|s| self.check(value, s, at).err()).collect();
                flaw(reasons.join("; "))
            }
            _ => Ok(()),
        }
    }
}

/// What the schema cannot say: each segment ends in its only waypoint to follow, and the last of them is the target.
fn check_sequence(entry: &Value) {
    let segments = entry["content"].as_array().expect("segments");
    for (n, segment) in segments.iter().enumerate() {
        let waypoints: Vec<&Value> =
            segment["segment"].as_array().expect("waypoints").iter().map(|w| &w["waypoint"]).collect();
        let follows: Vec<bool> = waypoints.iter().map(|w| w["action"] == "follow").collect();
        assert_eq!(follows.iter().filter(|f| **f).count(), 1);
        assert_eq!(follows.last(), Some(&true));
        let is_target = waypoints.last().is_some_and(|w| w["type"] == "target");
        assert_eq!(is_target, n + 1 == segments.len());
    }
}

#[test]
fn witnesses_match_the_schema() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let schema =
        std::fs::read_to_string(root.join("../../tools/witness-2.0.schema.json")).expect("the schema");
    let schema = Schema(serde_json::from_str(&schema).expect("JSON"));
    let folder = Folder::new("witnesses");
    let (mut invariants, mut violations) = (0, 0);
    let entries = std::fs::read_dir(root.join("tests/programs")).expect("programs");
    for entry in entries {
        let path = entry.expect("a program").path();
        if path.is_dir() {
            continue;
        }
        let (program, witness) = (path.display().to_string(), folder.path("witness.yml"));
        let run =
            bolide(&["verify", "--timeout", "60", "--data-model", "ILP32", "--witness", &witness, &program]);
        assert!(run.code < 2, "{program}: {run:?}");
        let text = std::fs::read_to_string(&witness).expect("a witness");
        let documents = Yaml::load_from_str(&text).expect("YAML");
        let value = json(&documents[0]);
        if let Err(flaw) = schema.check(&value, &schema.0, "") {
            panic!("{program}: {flaw}\n{text}");
        }
        let task = &value[0]["metadata"]["task"];
        assert_eq!(task["input_files"][0], program.as_str());
        let hash = bolide_cert::format::hash(&std::fs::read(&path).expect("a program"));
        assert_eq!(task["input_file_hashes"][&program], hash.as_str());
        assert_eq!(task["data_model"], "ILP32");
        match value[0]["entry_type"].as_str() {
            Some("violation_sequence") => {
                check_sequence(&value[0]);
                violations += 1;
            }
            _ => invariants += value[0]["content"].as_array().expect("invariants").len(),
        }
    }
    assert!(invariants > 2 && violations > 2, "{invariants} invariants, {violations} violations");
    // The checker sees what is wrong.
    let wrong = serde_json::json!([{ "entry_type": "invariant_set", "metadata": {}, "content": [] }]);
    assert!(schema.check(&wrong, &schema.0, "").is_err_and(|e| e.contains("format_version")));
}

/// A violation is of one property, a proof is of all that were asked for.
#[test]
fn witnesses_name_their_property() {
    let folder = Folder::new("witness-properties");
    let memory = "G valid-free && G valid-deref && G valid-memtrack";
    for (name, property, body, expected) in [
        ("free", "memsafety", "free(p); free(p);", "G valid-free"),
        ("leak", "memsafety", "*p = 1;", "G valid-memtrack"),
        ("deref", "memsafety", "free(p); return *p;", "G valid-deref"),
        ("cleanup", "cleanup", "kept = p;", "G valid-memcleanup"),
        ("overflow", "errors,overflow", "int n = 2147483647; n++; free(p);", "G ! overflow"),
        ("error", "errors,overflow", "reach_error();", "G ! call(reach_error())"),
        ("safe", "memsafety", "*p = 1; free(p);", memory),
    ] {
        let text = format!(
            "extern void reach_error(void); extern void free(void *); extern void *malloc(unsigned long);
int *kept;
int main(void) {{ int *p = malloc(4); {body} return 0; }}
"
        );
        let (file, witness) = (folder.file(&format!("{name}.c"), &text), folder.path("witness.yml"));
        let run = bolide(&["verify", "--property", property, "--witness", &witness, &file]);
        assert_eq!(run.code, i32::from(name != "safe"), "{name}: {run:?}");
        let text = std::fs::read_to_string(&witness).expect("a witness");
        let documents = Yaml::load_from_str(&text).expect("YAML");
        assert_eq!(json(&documents[0])[0]["metadata"]["task"]["specification"], expected, "{name}");
    }
}

/// Facts about a recursive program belong to places, and only those of loops are loop invariants.
#[test]
fn loops_of_recursive_programs_have_invariants() {
    let folder = Folder::new("recursive-witness");
    let text = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int count;
void down(int n) {
  int i = 0;
  if (n < 0) reach_error();
  if (n == 0) return;
  while (i < n) i++;
  if (i != n) reach_error();
  count = 1;
  down(n - 1);
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0) return 0;
  count = 0;
  down(n);
  if (count > 1) reach_error();
  return 0;
}
";
    let file = folder.file("recursive.c", text);
    let witness = folder.path("recursive.yml");
    let run = bolide(&["verify", "--engine", "pdr", "--timeout", "60", "--witness", &witness, &file]);
    assert_eq!(run.code, 0, "{run:?}");
    let said = run.stdout;
    assert!(said.contains("4:6: requires n >= 0"), "{said}");
    assert!(said.contains("4:6: ensures ") && said.contains("\\old(count)"), "{said}");
    let yaml = std::fs::read_to_string(&witness).expect("a witness");
    let values: Vec<&str> = yaml.lines().filter(|l| l.contains("value: ")).collect();
    assert!(yaml.contains("line: 8\n") && yaml.contains("function: \"down\""), "{yaml}");
    assert!(!yaml.contains("function: \"main\""), "{yaml}");
    assert!(values.len() == 1 && values[0].contains("i"), "{yaml}");
}
