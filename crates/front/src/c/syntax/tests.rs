//! Tests of the parser: a text and what the printer shows of its tree.

mod declarations;
mod errors;
mod expressions;
mod mutations;
mod print;
mod repeated;
mod statements;

use super::parse;
use super::source::Source;

/// Reads a text without errors and shows its tree; what the printer wrote is read again and must show the same.
fn shown(text: &str) -> String {
    let parsed = parse(text.as_bytes(), 0, &[]);
    assert!(parsed.issues.is_empty(), "{text}\n{:?}", parsed.issues);
    let printed = print::print(&parsed.tree, text.as_bytes());
    let again = parse(printed.as_bytes(), 0, &[]);
    assert!(again.issues.is_empty(), "{text}\n{printed}\n{:?}", again.issues);
    assert_eq!(print::print(&again.tree, printed.as_bytes()), printed, "{text}");
    printed.trim().to_owned()
}

/// Checks what a text is read as.
fn check(text: &str, expected: &str) {
    assert_eq!(shown(text), expected, "{text}");
}

/// Checks what an expression is read as; `T` is a type, `a`, `b`, `c` are variables.
fn check_expr(text: &str, expected: &str) {
    let all = shown(&format!("typedef int T; int f(int a, int b, int c) {{ {text}; }}"));
    let body = all.split_once("{ ").and_then(|b| b.1.strip_suffix("; }")).unwrap_or(&all).to_owned();
    assert_eq!(body, expected, "{text}");
}

/// Checks what the body of a function is read as.
fn check_body(text: &str, expected: &str) {
    let all = shown(&format!("typedef int T; int f(int a, int b, int c) {{ {text} }}"));
    let body = all.split_once("{ ").and_then(|b| b.1.strip_suffix(" }")).unwrap_or(&all).to_owned();
    assert_eq!(body, expected, "{text}");
}

/// All messages about a text.
fn issues(text: &[u8]) -> Vec<String> {
    let source = Source::new("t.c", text);
    parse(text, 0, &[]).issues.into_iter().map(|i| source.diagnose(i).to_string()).collect()
}
