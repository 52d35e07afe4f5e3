//! What a text repeats very often, or nests very deeply: read in linear time, or refused with a message, and no stack
//! overflows.

use super::super::ast::{ExprKind, Tree};
use super::super::{Parsed, parse};

const MANY: usize = 300_000;

/// A prefix, something many times, a suffix.
fn read(prefix: &str, repeated: &str, times: usize, suffix: &str) -> Parsed {
    parse([prefix, &repeated.repeat(times), suffix].concat().as_bytes(), 0, &[])
}

fn check_flat(prefix: &str, repeated: &str, suffix: &str) -> Tree {
    let parsed = read(prefix, repeated, MANY, suffix);
    assert!(parsed.issues.is_empty(), "{repeated}: {:?}", parsed.issues);
    assert!(parsed.tree.depth < 100, "{repeated}: {}", parsed.tree.depth);
    parsed.tree
}

#[test]
fn flat_repetitions_are_read() {
    check_flat("int x = ", "__extension__ ", "1;");
    check_flat("char *s = ", "\"a\" ", ";");
    check_flat("int f(void) { ", "l: ", "; }");
    check_flat("int f(int a) { switch (a) { ", "case 1: ", "; } }");
    check_flat("int f(int a) { if (a) ", "l: ", "; }");
    check_flat("int a[] = { ", "1, ", "};");
    check_flat("int x = ", "(", &format!("1{};", ")".repeat(MANY)));
    check_flat("", "const ", "int x;");
    check_flat("", "__attribute__((a)) ", "int x;");
    check_flat("int x ", "", &format!("{}; ", "__attribute__((a))".repeat(MANY)));
    check_flat("int x", ", y", ";");
    check_flat("enum e { A", ", B", "};");
    check_flat("int f(int a", ", int", ");");
    check_flat("struct s { ", "int x; ", "};");
    check_flat("int f(void) { f(1", ", 2", "); }");
    check_flat("", "; ", "int x;");
    check_flat("", "int x; ", "");
    check_flat("", "f() { } ", "");
    check_flat("int f(void) { ", "; ", "}");
    check_flat("int f(void) { ", "__extension__ ", "1; }");
    check_flat("int x = 1 ", "/**/ ", ";");
    check_flat("int x = 1", "\\\n", ";");
    check_flat("int x ", "\n# 1 \"f.c\"\n", ";");
    check_flat("int (", "(", &format!("x{};", ")".repeat(MANY + 1)));
    check_flat("int f(void) { asm(\"\" :: \"r\"(1)", ", \"r\"(1)", "); }");
    check_flat("int x = _Generic(1, int: 1", ", long: 1", ");");
}

#[test]
fn deep_repetitions_are_refused() {
    for (prefix, repeated, suffix) in [
        ("int x = a", ".a", ";"),
        ("int x = a", "->a", ";"),
        ("int x = a", "[0]", ";"),
        ("int x = a", "()", ";"),
        ("int x = a", "++", ";"),
        ("int x = a", " + x", ";"),
        ("int x = a", " = x", ";"),
        ("int f(void) { a", ", x", "; }"),
        ("int x = ", "- ", "x;"),
        ("int x = ", "*", "x;"),
        ("int x = ", "sizeof ", "x;"),
        ("int x = ", "(int)", "x;"),
        ("int x = ", "x ? y : ", "z;"),
        ("int x = ", "x ? ", "z;"),
        ("int x = ", "x ?: ", "z;"),
        ("int x = ", "f(", ";"),
        ("int x = ", "a[", ";"),
        ("int x = ", "(int){", ";"),
        ("int x = ", "({", ";"),
        ("int x = ", "sizeof(int[", ";"),
        ("int x = ", "_Generic(", ";"),
        ("int x = ", "__builtin_va_arg(", ";"),
        ("int x = ", "{", ";"),
        ("struct s x = {", ".a", " = 1};"),
        ("struct s x = {", "[1]", " = 1};"),
        ("struct s x = {", "[", "};"),
        ("int ", "*", "x;"),
        ("int x", "[1]", ";"),
        ("int x", "(int", ";"),
        ("int x", "()", ";"),
        ("int x", "[sizeof(int", ";"),
        ("int (*", "(*", "x;"),
        ("", "struct {", "x;"),
        ("", "enum { A = sizeof(", "x;"),
        ("", "typeof(", "x;"),
        ("", "_Atomic(", "x;"),
        ("", "_Alignas(", "x;"),
        ("", "__attribute__((a(", "x;"),
        ("", "[[a(", "x;"),
        ("int f(void) { ", "if (a) ", "; }"),
        ("int f(void) { if (a) ; ", "else if (b) ; ", "}"),
        ("int f(void) { ", "while (a) ", "; }"),
        ("int f(void) { ", "for (;;) ", "; }"),
        ("int f(void) { ", "do ", "; }"),
        ("int f(void) { ", "switch (1) ", "; }"),
        ("int f(void) { ", "switch (1) case 1: ", "; }"),
        ("int f(void) { ", "{ ", "}"),
        ("", "int f(void) { ", "}"),
        ("int f(a) ", "int g(a) ", "{ }"),
        ("int f(void) { asm(\"\" :: \"r\"", "(", "); }"),
    ] {
        let parsed = read(prefix, repeated, MANY, suffix);
        assert!(!parsed.issues.is_empty(), "{prefix}{repeated}");
        let balanced = read(prefix, repeated, 400, suffix);
        assert!(balanced.tree.depth <= 20_001, "{prefix}{repeated}: {}", balanced.tree.depth);
    }
}

#[test]
fn the_message_says_where_it_is_too_deep() {
    let parsed = read("int x = a", "[0]", MANY, ";");
    assert_eq!(parsed.issues.len(), 1);
    assert_eq!(parsed.issues[0].message, "nested too deeply (more than 20000 levels)");
}

#[test]
fn what_is_not_too_deep_is_read() {
    for (prefix, repeated, suffix, times) in [
        ("int x = a", " + b", ";", 15_000),
        ("int x = a", "[0]", ";", 15_000),
        ("int x = ", "- ", "1;", 15_000),
        ("int f(int a) { if (a) ; ", "else if (a) ; ", "}", 15_000),
        ("int f(int a) { ", "while (a) ", "; }", 15_000),
    ] {
        let parsed = read(prefix, repeated, times, suffix);
        assert!(parsed.issues.is_empty(), "{repeated}: {:?}", parsed.issues);
        assert!(
            parsed.tree.depth >= times && parsed.tree.depth <= times + 20,
            "{repeated}: {}",
            parsed.tree.depth
        );
    }
    for (prefix, open, close, suffix, times) in [
        ("int x = ", "f(", ")", ";", 6_000),
        ("int x = ", "({ 1 + ", "; })", ";", 3_000),
        ("int x = ", "a[", "]", ";", 6_000),
        ("int x = ", "{", "}", ";", 900),
        ("int f(void) { ", "{ ", "} ", "}", 15_000),
        ("", "struct { ", "} x; ", " int y;", 900),
        ("int x = sizeof(int", "[sizeof(int", ")]", ");", 400),
    ] {
        let inner = if open.ends_with('(') || open.ends_with('[') || open.contains("+ ") { "1" } else { "" };
        let text = [prefix, &open.repeat(times), inner, &close.repeat(times), suffix].concat();
        let parsed = parse(text.as_bytes(), 0, &[]);
        assert!(parsed.issues.is_empty(), "{open}: {:?}", parsed.issues);
        assert!(parsed.tree.depth >= times, "{open}: {}", parsed.tree.depth);
    }
}

#[test]
fn long_literals_are_read_at_once() {
    let text = format!("char *s = \"{}\"; int x;", "a".repeat(5 << 20));
    let parsed = parse(text.as_bytes(), 0, &[]);
    assert!(parsed.issues.is_empty());
    let ExprKind::String(s) = &parsed.tree.exprs.iter().next().unwrap().kind else { panic!() };
    assert_eq!(s.units.len(), 5 << 20);
}
