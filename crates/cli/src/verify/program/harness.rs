//! A C file that makes the real program fail: it defines the functions that give inputs, so that each returns the values
//! of a trace in their order, and the functions that report errors.

use super::values;
use bolide_front::c::Task;
use bolide_model::InputId;
use indexmap::IndexMap;
use std::fmt::Write;

/// The exit code of a program that reached its error.
const FAILED: u8 = 42;

/// What the functions that give inputs return, by the end of their name.
const TYPES: &[(&str, &str)] = &[
    ("bool", "_Bool"),
    ("char", "char"),
    ("uchar", "unsigned char"),
    ("short", "short"),
    ("ushort", "unsigned short"),
    ("int", "int"),
    ("uint", "unsigned int"),
    ("unsigned", "unsigned int"),
    ("long", "long"),
    ("ulong", "unsigned long"),
    ("longlong", "long long"),
    ("ulonglong", "unsigned long long"),
    ("size_t", "unsigned long"),
    ("loff_t", "long long"),
    ("pointer", "void *"),
    ("u8", "unsigned char"),
    ("u16", "unsigned short"),
    ("u32", "unsigned int"),
    ("U8", "unsigned char"),
    ("U16", "unsigned short"),
    ("U32", "unsigned int"),
    ("float", "float"),
    ("double", "double"),
];

/// The harness for a run with these inputs, and what it cannot control.
pub fn write(task: &Task, file: &str, inputs: &[(InputId, i128)]) -> String {
    let undefined = |name: &str| task.unit.funcs.iter().any(|f| f.name == name && f.blocks.is_empty());
    let mut values: IndexMap<&str, Vec<String>> = IndexMap::new();
    for &(site, value) in inputs {
        let text = values::format(task, site).map_or_else(|| integer(value), |f| f.to_c(value));
        values.entry(task.program.inputs[site].name.as_str()).or_default().push(text);
    }
    let mut out = format!(
        "/* Makes the program reach its error. Compile both and run:\n     cc -w {file} HARNESS.c -o run && ./run\n   The exit \
         code is {FAILED} if the error was reached. */\n#include <stdio.h>\n#include <stdlib.h>\n\n"
    );
    let mut others = Vec::new();
    for (name, values) in &values {
        let kind = name.strip_prefix("__VERIFIER_nondet_");
        let found = kind.and_then(|k| TYPES.iter().find(|(word, _)| *word == k));
        match found {
            Some((_, ty)) if undefined(name) => function(&mut out, name, ty, values),
            _ => others.push(*name),
        }
    }
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

/// An integer as a constant of C.
fn integer(value: i128) -> String {
    match value {
        v if v == i128::from(i64::MIN) => "(long long)(1ULL << 63)".into(),
        v if v > i128::from(i64::MAX) => format!("(long long){v}ULL"),
        v => format!("{v}LL"),
    }
}

fn function(out: &mut String, name: &str, ty: &str, values: &[String]) {
    let kept = if matches!(ty, "float" | "double") { ty } else { "long long" };
    let _ = writeln!(
        out,
        "{ty} {name}(void) {{\n  static const {kept} values[] = {{ {} }};\n  static unsigned next;\n  \
         return ({ty})(next < {} ? values[next++] : 0);\n}}",
        values.join(", "),
        values.len()
    );
}
