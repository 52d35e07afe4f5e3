//! A C file that makes the real program fail: it defines the functions that give inputs, so that each returns the values
//! of a trace in their order, and the functions that report errors.

use bolide::report::{Evidence, Harness, HarnessValue, Report};
use indexmap::IndexMap;
use std::fmt::Write;

/// The exit code of a program that reached its error.
const FAILED: u8 = 42;

/// Variables of the library, which have their definitions there.
const OF_LIBRARY: &[&str] = &[
    "stdin", "stdout", "stderr", "environ", "optarg", "optind", "opterr", "optopt", "errno", "timezone",
    "daylight", "tzname",
];

/// The harness for the run of a report, if it has one of a C program.
pub fn harness(report: &Report) -> Option<String> {
    match &report.evidence {
        Evidence::Violation(violation) => Some(write(&violation.harness, &violation.subject.file)),
        _ => None,
    }
}

/// The harness, and what it cannot control.
fn write(harness: &Harness, file: &str) -> String {
    let undefined = |name: &str| harness.undefined.iter().any(|f| f == name);
    let mut values: IndexMap<&str, Vec<&HarnessValue>> = IndexMap::new();
    for value in &harness.values {
        values.entry(value.function.as_str()).or_default().push(value);
    }
    let input_type = |name: &str| {
        let is_input = name.starts_with("__VERIFIER_nondet_");
        harness.results.iter().find(|(function, _)| is_input && function == name).map(|(_, ty)| *ty)
    };
    // Functions that the run does not call are linked, too.
    for name in harness.undefined.iter().filter(|name| input_type(name).is_some()) {
        values.entry(name).or_default();
    }
    let mut out = format!(
        "/* Makes the program reach its error. Compile both and run:\n     cc -w {file} HARNESS.c -o run && ./run\n   The exit \
         code is {FAILED} if the error was reached. */\n#include <stdio.h>\n#include <stdlib.h>\n\n"
    );
    let mut others = Vec::new();
    for (name, values) in &values {
        match input_type(name) {
            Some(ty) if undefined(name) => function(&mut out, name, ty, values),
            _ => others.push(*name),
        }
    }
    for variable in harness.variables.iter().filter(|v| !OF_LIBRARY.contains(&v.name.as_str())) {
        let bytes: Vec<String> =
            variable.bytes.iter().map(|(offset, byte)| format!("[{offset}] = {byte}")).collect();
        let start = if bytes.is_empty() { String::new() } else { format!(" = {{ {} }}", bytes.join(", ")) };
        let _ = writeln!(
            out,
            "unsigned char {}[{}] __attribute__((aligned(16))){start};",
            variable.name, variable.size
        );
    }
    let is_defined = |input: &str| {
        let name = input.strip_prefix("undefined ");
        name.is_some_and(|name| harness.variables.iter().any(|v| v.name == name))
    };
    others.retain(|name| !is_defined(name));
    for name in others {
        let _ = writeln!(out, "/* Not controlled: {name} */");
    }
    for name in ["reach_error", "__VERIFIER_error"] {
        if undefined(name) {
            let _ =
                writeln!(out, "void {name}(void) {{ fputs(\"error reached\\n\", stderr); exit({FAILED}); }}");
        }
    }
    if undefined("__VERIFIER_assert") {
        let _ = writeln!(
            out,
            "void __VERIFIER_assert(int c) {{ if (!c) {{ fputs(\"assertion failed\\n\", stderr); exit({FAILED}); }} }}"
        );
    }
    if undefined("__assert_fail") {
        out.push_str(
            "void __assert_fail(const char *a, const char *f, unsigned int l, const char *n) {\n  \
             fprintf(stderr, \"%s:%u: assertion %s failed\\n\", f, l, a);\n  exit(",
        );
        let _ = writeln!(out, "{FAILED});\n}}");
    }
    if undefined("__VERIFIER_assume") {
        out.push_str("void __VERIFIER_assume(int c) { if (!c) exit(0); }\n");
    }
    out
}

fn function(out: &mut String, name: &str, ty: &str, values: &[&HarnessValue]) {
    if values.is_empty() {
        let _ = writeln!(out, "{ty} {name}(void) {{ return 0; }}");
        return;
    }
    let kept = if matches!(ty, "float" | "double") { ty } else { "long long" };
    if values.iter().all(|v| v.times == 1) {
        let list: Vec<&str> = values.iter().map(|v| v.value.as_str()).collect();
        let _ = writeln!(
            out,
            "{ty} {name}(void) {{\n  static const {kept} values[] = {{ {} }};\n  static unsigned next;\n  \
             return ({ty})(next < {} ? values[next++] : 0);\n}}",
            list.join(", "),
            list.len()
        );
        return;
    }
    let mut runs: Vec<(&str, u64)> = Vec::new();
    for v in values {
        match runs.last_mut() {
            Some((value, times)) if *value == v.value => *times = times.saturating_add(v.times),
            _ => runs.push((&v.value, v.times)),
        }
    }
    let runs: Vec<String> = runs.iter().map(|(value, times)| format!("{{ {value}, {times}ULL }}")).collect();
    let _ = writeln!(
        out,
        "{ty} {name}(void) {{\n  static struct {{ {kept} value; unsigned long long times; }} runs[] = {{ {} }};\n  \
         static unsigned next;\n  if (next < {count} && runs[next].times == 0) next++;\n  \
         if (next == {count}) return 0;\n  runs[next].times--;\n  return ({ty})runs[next].value;\n}}",
        runs.join(", "),
        count = runs.len()
    );
}
