//! Words of C23: keywords where nothing of that name is declared, ordinary names otherwise.

use bolide_base::Budget;
use bolide_front::c::interp::{End, Interpreter};
use bolide_front::c::{Options, load};
use bolide_term::Store;

/// Checks that a condition holds in a program with these declarations.
fn holds(declarations: &str, statements: &str, condition: &str) {
    let text = format!(
        "extern void reach_error(void);\n{declarations}\nint main(void) {{ {statements} if (!({condition})) reach_error(); return 0; }}"
    );
    let task =
        load(&mut Store::new(), "t.c", &text, &Options::default()).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let end = Interpreter::new(&task.unit).run(&mut |_| 0, &Budget::unlimited().with_steps(100_000));
    assert!(matches!(end, End::Returned(0)), "{text}\n{end:?}");
}

#[test]
fn words_of_the_new_standard() {
    holds(
        "static_assert(sizeof(int) == 4);",
        "bool b = true; static_assert(1, \"\");",
        "b && !false && sizeof(true) == 1",
    );
    holds("struct s { static_assert(true); bool b; };", "struct s s = { 7 };", "s.b == 1 && sizeof s == 1");
    holds(
        "static int f(bool x) { return x; }",
        "int *p = nullptr;",
        "p == nullptr && !p && f(8) == 1 && sizeof(nullptr) == sizeof(void *)",
    );
    holds(
        "alignas(16) char c; thread_local int t = 3;",
        "alignas(8) char d[3];",
        "alignof(int) == 4 && t == 3 && sizeof d == 3",
    );
    holds(
        "constexpr int K = 3; int a[K]; constexpr unsigned char small = 200;",
        "constexpr int twice = K * 2; int n = 6, found = 0; switch (n) { case twice: found = 1; }",
        "found && sizeof a == 12 && small == 200",
    );
    holds(
        "",
        "constexpr double half = 0.5; static constexpr int table[] = { 1, 2 };",
        "half * 4 == 2 && table[1] == 2",
    );
}

#[test]
fn the_same_words_as_names() {
    holds(
        "typedef int bool; enum { false, true };",
        "bool b = 7;",
        "b == 7 && sizeof(true) == 4 && true + false == 1",
    );
    holds("typedef unsigned bool;", "", "sizeof(bool) == 4 && (bool)8 == 8");
    holds(
        "struct s { int bool, true, nullptr; };",
        "struct s s = { .true = 2, .bool = 1 };",
        "s.true + s.bool == 3",
    );
    holds(
        "int f(int bool, int alignof) { return bool + alignof; }",
        "int constexpr = 3, thread_local = 4;",
        "f(1, 2) + constexpr + thread_local == 10",
    );
    holds(
        "static int nullptr(void) { return 5; }",
        "int static_assert = 2; goto true; true:",
        "nullptr() == 5 && static_assert == 2",
    );
    holds("", "int true = 5; { typedef char bool; bool c = 'a'; true += c == 'a'; }", "true == 6");
}
