//! Statements.

use super::{check, check_body};

#[test]
fn bodies_nest() {
    for (text, expected) in [
        ("if (a) if (b) c; else a;", "if (a) { if (b) { c; } else { a; } }"),
        ("if (a) { if (b) c; } else a;", "if (a) { if (b) { c; } } else { a; }"),
        ("if (a) b; else if (c) a; else b;", "if (a) { b; } else { if (c) { a; } else { b; } }"),
        ("while (a) do b; while (c);", "while (a) do b; while (c);"),
        ("for (;;) for (a = 1; b; c++) ;", "for (;;) for ((a = 1); b; (c++)) ;"),
        ("for (int i = 0, j; i; ) { }", "for (int i = 0, j; i;) { }"),
        ("for (T T = 1; T; ) (T)-1;", "for (T T = 1; T;) (T - 1);"),
        (
            "switch (a) { case 1: case 2 ... 3: b; default: ; }",
            "switch (a) { case 1: case 2 ... 3: b; default: ; }",
        ),
        ("switch (a) case 1: default: b;", "switch (a) { case 1: default: b; }"),
        ("if (a) l: b; else m: c;", "if (a) { l: b; } else { m: c; }"),
        ("do l: while (a); while (b);", "do { l: while (a) ; } while (b);"),
        ("l: m: n: return;", "l: m: n: return;"),
        ("l: int x; m:", "l: int x; m:"),
        ("goto l; goto *a; l: ;", "goto l; goto *a; l: ;"),
        ("{ } { ; }", "{ } { ; }"),
        ("return a, b;", "return (a, b);"),
        ("break; continue;", "break; continue;"),
    ] {
        check_body(text, expected);
    }
}

#[test]
fn declarations_and_statements_are_told_apart() {
    for (text, expected) in [
        ("T x; T * y; a * b;", "T x; T *y; (a * b);"),
        ("T (x); a (b);", "T x; a(b);"),
        ("T: a;", "T: a;"),
        ("int T = 1; T * a; T: ;", "int T = 1; (T * a); T: ;"),
        ("enum { T }; T * a;", "enum { T }; (T * a);"),
        ("{ typedef char U; U x; } U(1);", "{ typedef char U; U x; } U(1);"),
        ("T T = 1; T = 2;", "T T = 1; (T = 2);"),
        ("unsigned T; T++;", "unsigned T; (T++);"),
        ("struct T { int T; } x; x.T = 1; T y;", "struct T { int T; } x; (x.T = 1); T y;"),
        ("int g(T T); T x;", "int g(T T); T x;"),
        ("__extension__ T x; __extension__ a = 1;", "T x; (a = 1);"),
        ("const T x; register y; static T;", "const T x; register y; static T;"),
        ("auto x = 1;", "auto x = 1;"),
        ("__auto_type x = 1;", "__auto_type x = 1;"),
        ("_Static_assert(1); _Static_assert(1, \"m\");", "_Static_assert(1); _Static_assert(1, \"m\");"),
        ("__label__ l, m; l: m: ;", "__label__ l, m; l: m: ;"),
        ("int g(int x) { return x; } g(1);", "int g(int x) { return x; } g(1);"),
        ("auto void g(void); void g() { }", "auto void g(void); void g() { }"),
    ] {
        check_body(text, expected);
    }
}

#[test]
fn attributes_of_statements_and_labels() {
    for (text, expected) in [
        ("__attribute__((fallthrough));", "__attribute__((fallthrough));"),
        ("case 1: __attribute__((__fallthrough__)); l: ;", "case 1: __attribute__((fallthrough)); l: ;"),
        ("l: __attribute__((unused)); a;", "l: __attribute__((unused)) ; a;"),
        ("l: __attribute__((fallthrough)); a;", "l: __attribute__((fallthrough)); a;"),
        ("[[fallthrough]];", "__attribute__((fallthrough));"),
        ("__attribute__((unused)) int x;", "__attribute__((unused)) int x;"),
        (
            "[[maybe_unused]] int x [[gnu::aligned(8)]] = 1;",
            "__attribute__((maybe_unused)) int x __attribute__((aligned(8))) = 1;",
        ),
        ("[[gnu::musttail]] return a;", "return a;"),
    ] {
        check_body(text, expected);
    }
}

#[test]
fn asm_has_many_forms() {
    for (text, expected) in [
        ("asm(\"nop\");", "asm (\"nop\");"),
        (
            "__asm__ __volatile__ (\"a\" \"b\" : : : \"memory\", \"cc\");",
            "asm volatile (\"ab\" :  :  : \"memory\", \"cc\");",
        ),
        (
            "asm volatile (\"x\" : \"=r\" (a), [n] \"+m\" (b) : \"r\" (c));",
            "asm volatile (\"x\" : \"=r\" (a), [n] \"+m\" (b) : \"r\" (c) : );",
        ),
        ("asm goto (\"x\" :::: l, m); l: m: ;", "asm goto (\"x\" :  :  :  : l, m); l: m: ;"),
        ("asm inline volatile (\"x\" :: \"r\"(a));", "asm volatile (\"x\" :  : \"r\" (a) : );"),
    ] {
        check_body(text, expected);
    }
    check("asm(\".globl x\");; int x asm(\"y\");", "asm (\".globl x\");\nint x asm(\"y\");");
}
