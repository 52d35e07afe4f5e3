//! What is wrong is said where it is, once, and reading goes on.

use super::super::parse;
use super::issues;

/// Checks the messages about a text, each `line:column: message`.
fn check(text: &str, expected: &[&str]) {
    let found = issues(text.as_bytes());
    let found: Vec<&str> = found.iter().map(|m| m.strip_prefix("t.c:").unwrap_or(m)).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn missing_punctuation() {
    check("int f(void) { int x = 1 return x; }", &["1:24: expected ';' before 'return'"]);
    check(
        "int f(void) {\n  int x = 1\n  return x;\n}\nint y",
        &["2:12: expected ';' before 'return'", "5:6: expected ';' before the end of the file"],
    );
    check("int f(void) { return 0 }\nint z;", &["1:23: expected ';' before '}'"]);
    check("int f(void) { x = (1 + ; y = 2; }", &["1:24: expected an expression before ';'"]);
    check(
        "int f(void) { a[1; f(1; a ? b; (int; }",
        &[
            "1:18: expected ']' before ';'",
            "1:23: expected ',' or ')' before ';'",
            "1:30: expected ':' before ';'",
            "1:36: expected ')' before ';'",
        ],
    );
    check("int f(void) { {\nint x;", &["2:7: expected '}' before the end of the file"]);
    check("} int x;", &["1:1: '}' without a '{' before it"]);
    check("struct s { int x; }\nint y;", &["1:20: expected ';' before 'int'"]);
    check("struct s { int a int b; int c };", &["1:17: expected ';' before 'int'"]);
    check("int x = {1, 2; int y;", &["1:14: expected ',' or '}' before ';'"]);
    check("int x y;\nint z;", &["1:6: expected ';' before 'y'"]);
}

#[test]
fn recovery_goes_on_with_the_next_statement() {
    check(
        "int f(void) { if (a b) { x; } w = ; else y; case 1 2; }\nint g(void) { return ) ; }",
        &[
            "1:21: expected ')' before 'b'",
            "1:35: expected an expression before ';'",
            "1:37: 'else' without an 'if' before it",
            "1:52: expected ':' before '2'",
            "2:22: expected an expression before ')'",
        ],
    );
    check(
        "int f( { }\nint g(int x, { }\nint h(void) { return ; }",
        &["1:8: expected a parameter before '{'", "2:14: expected a parameter before '{'"],
    );
    check(
        "int f(void) { while x; do y while (z); goto 1; do z; while (1) w; }",
        &[
            "1:21: expected '(' before 'x'",
            "1:28: expected ';' before 'while'",
            "1:45: expected an identifier before '1'",
            "1:63: expected ';' before 'w'",
        ],
    );
    check(
        "5; int x; + ; __attribute__((x) int y;\nint z;",
        &[
            "1:1: expected a declaration before '5'",
            "1:11: expected a declaration before '+'",
            "1:33: expected ')' before 'int'",
        ],
    );
}

#[test]
fn specifiers_that_do_not_go_together() {
    check(
        "long short x; int char y; unsigned signed z; long long long w; _Complex void v;",
        &[
            "1:6: both 'long' and 'short' in a declaration",
            "1:19: two or more types in a declaration",
            "1:36: both 'signed' and 'unsigned' in a declaration",
            "1:56: 'long long long' is too long",
            "1:73: both '_Complex' and 'void' in a declaration",
        ],
    );
    check(
        "static extern int x; static static int z; _Thread_local auto int w;",
        &[
            "1:8: multiple storage classes in a declaration",
            "1:29: duplicate 'static'",
            "1:57: '_Thread_local' with another storage class than 'static' or 'extern'",
        ],
    );
    check(
        "struct; enum e { }; enum f { 1 }; struct { x; } y;",
        &[
            "1:7: expected a tag or '{' before ';'",
            "1:18: expected an enumerator before '}'",
            "1:30: expected an identifier before '1'",
            "1:44: expected a member before 'x'",
        ],
    );
    check(
        "_BitInt(7) x; _Imaginary float y;",
        &["1:1: unsupported: '_BitInt'", "1:15: unsupported: '_Imaginary'"],
    );
}

#[test]
fn unknown_types_are_told_once() {
    check(
        "foo x; foo y; int f(bar *b, foo c) { baz q; foo r; const qux *s; }",
        &[
            "1:1: unknown type name 'foo'",
            "1:21: unknown type name 'bar'",
            "1:38: unknown type name 'baz'",
            "1:58: unknown type name 'qux'",
        ],
    );
}

#[test]
fn literals_and_characters() {
    check(
        "int x = 0x; int y = 1.2.3; int z = 08; int w = 1u2; char c = ''; char *s = \"\\x\";",
        &[
            "1:9: invalid suffix 'x' on an integer constant",
            "1:21: too many decimal points in a number",
            "1:36: invalid digit '8' in an octal constant",
            "1:48: invalid suffix 'u2' on an integer constant",
            "1:62: empty character constant",
            "1:76: \\x with no hexadecimal digits after it",
        ],
    );
    check(
        "char *s = \"abc;\nint x;\nchar c = 'a;\nint y;",
        &["1:11: missing terminating \" character", "3:10: missing terminating ' character"],
    );
    check("int x; /* abc", &["1:8: unterminated comment"]);
    check("int x @@@ = 1; int y `;", &["1:7: unexpected character '@'", "1:22: unexpected character '`'"]);
    check("int x = L\"a\" u\"b\";", &["1:9: strings with different prefixes stand side by side"]);
    check(
        "#define X 1\nint x;\n#pragma scalar_storage_order big-endian\n",
        &[
            "1:1: directive '#define' in a text that was not preprocessed",
            "3:1: unsupported: '#pragma scalar_storage_order'",
        ],
    );
    assert_eq!(issues(b"int \xe4;"), ["t.c:1:5: unexpected byte 0xe4"]);
}

#[test]
fn there_are_at_most_twenty_messages() {
    let text = "int f(void) { x = ; }\n".repeat(1000);
    assert_eq!(issues(text.as_bytes()).len(), 20);
    let text = "`a\n".repeat(1000);
    assert_eq!(issues(text.as_bytes()).len(), 20);
}

#[test]
fn a_base_moves_all_spans() {
    let parsed = parse(b"int x", 1000, &[]);
    assert_eq!(parsed.issues[0].span.start, 1005);
}
