//! Contracts in place of functions, and conditions that are suggested as contracts.

mod common;

use common::{Folder, Run, bolide};

const HEADER: &str = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../../include");
const START: &str = "#include <bolide.h>\nextern void reach_error(void); extern int nondet(void);\n";

fn verify(folder: &Folder, text: &str, more: &[&str]) -> Run {
    let file = folder.file("a.c", &format!("{START}{text}"));
    bolide(&[&["verify", "--jobs", "1", "--timeout", "60", HEADER, &file], more].concat())
}

fn first_line(run: &Run) -> &str {
    run.stdout.lines().next().unwrap_or_default()
}

#[test]
fn contracts_stand_for_functions() {
    let folder = Folder::new("modular-safe");
    let programs = [
        // Results, globals, values at the call; a parameter that the body changes keeps its name.
        "int count; int clamp(int x, int low, int high) { __requires(low <= high);
           __ensures(__result >= low && __result <= high); __ensures(count == __old(count) + 1);
           count++; if (x < low) return low; if (x > high) x = high; low = 0; return x; }
         int main(void) { int v = clamp(nondet(), 2, 7); if (v < 2 || v > 7 || count != 1) reach_error(); return 0; }",
        // Recursion: the contract is its own hypothesis.
        "int half(int n) { __requires(n >= 0); __ensures(__result >= 0 && __result <= n);
           if (n < 2) return 0; return half(n - 2) + 1; }
         int main(void) { int n = nondet(); if (n < 0) return 0; if (half(n) > n) reach_error(); return 0; }",
        // What a function cannot write is as it was, also in memory of another class.
        "int kept = 3; const int table[3] = {4, 5, 6}; double other;
         void set(int *p, int v) { __requires(p); __ensures(*p == v); *p = v; }
         int main(void) { int x; double y = 2; other = 1; set(&x, 9);
           if (x != 9 || kept != 3 || table[1] != 5 || y != 2) reach_error(); return 0; }",
        // Calls through pointers, records by value.
        "struct pair { int a, b; };
         int sum(struct pair p) { __requires(p.a >= 0 && p.a < 10 && p.b >= 0 && p.b < 10); __ensures(__result == p.a + p.b);
           p.a += p.b; return p.a; }
         int one(int x) { __ensures(__result == 1); return x == x; }
         int main(void) { struct pair p = {3, 4}; int (*f)(int) = one;
           if (sum(p) != 7 || f(5) != 1) reach_error(); return 0; }",
    ];
    for text in programs {
        let certificate = folder.path("a.cert");
        let run = verify(&folder, text, &["--modular", "--certificate", &certificate]);
        assert_eq!(first_line(&run), "safe", "{text}\n{run:?}");
        assert!(run.stdout.contains("each proved on its own"), "{run:?}");
        let (file, flags) = (folder.path("a.c"), ["--cpp", "cc -E", HEADER, "--modular"]);
        let run = bolide(&[&["check", &file, &certificate], &flags[..]].concat());
        assert!(run.stdout.starts_with("accepted: safe"), "{text}\n{run:?}");
    }
}

/// Programs that fail, or whose contracts do not hold, are never safe.
#[test]
fn wrong_contracts_prove_nothing() {
    let folder = Folder::new("modular-wrong");
    let programs = [
        // Two pointers to one object.
        ("int g; void set(int *p, int *q) { __requires(p && q); __ensures(*p == 1); *p = 1; *q = 2; }
          int main(void) { set(&g, &g); if (g != 1) reach_error(); return 0; }", "unsafe"),
        // A global that the body changes and the contract does not mention.
        ("int g; int f(int x) { __ensures(__result == x); g = x; return x; }
          int main(void) { g = 1; f(2); if (g != 1) reach_error(); return 0; }", "unsafe"),
        // The same by a function that it calls, in recursion, through a pointer.
        ("int g; void h(int n) { if (n > 0) h(n - 1); g = n; } void (*k)(int) = h;
          int f(int x) { __ensures(__result == x); k(x); return x; }
          int main(void) { g = 1; f(0); if (g != 1) reach_error(); return 0; }", "unsafe"),
        // A precondition that a caller does not establish.
        ("int f(int x) { __requires(x > 0); __ensures(__result > 0); return x; }
          int main(void) { return f(nondet()); }", "unsafe"),
        // A postcondition that holds only if the precondition of a recursive call is ignored.
        ("int f(int n) { __requires(n >= 0); __ensures(__result == 0); if (n == 0) return 0; return f(n - 2); }
          int main(void) { if (f(5) != 0) reach_error(); return 0; }", "unsafe"),
        // One that is contradictory.
        ("int f(int n) { __ensures(__result > n); __ensures(__result < n); return n; }
          int main(void) { f(1); reach_error(); return 0; }", "unsafe"),
        // An error inside of a function that its precondition allows.
        ("int f(int n) { __requires(n < 10); if (n == 7) reach_error(); return n; }
          int main(void) { for (int i = 0; i < 9; i++) f(i); return 0; }", "unsafe"),
        // A variable of another file may hold anything.
        ("extern int e; int f(void) { __ensures(__result == 0); return e; }
          int main(void) { if (f() != 0) reach_error(); return 0; }", "unsafe"),
        // A static local that the second call sees changed.
        ("int f(void) { __ensures(__result == 0); static int n; return n++; }
          int main(void) { f(); if (f() != 0) reach_error(); return 0; }", "unsafe"),
        // True, but not by the contract.
        ("int f(int x) { __ensures(__result >= x); return x; }
          int main(void) { if (f(3) != 3) reach_error(); return 0; }",
         "unknown: the contracts do not suffice: call of reach_error in main at"),
        // True in this program, but not in any state.
        ("int g = 1; int f(void) { __ensures(__result == 1); return g; }
          int main(void) { int r = f(); g = 2; return r; }",
         "unknown: the contracts do not suffice: postcondition in f at"),
    ];
    for (text, expected) in programs {
        let run = verify(&folder, text, &["--modular"]);
        assert!(first_line(&run).starts_with(expected), "{text}\n{run:?}");
    }
}

#[test]
fn contracts_without_a_program() {
    let folder = Folder::new("modular-library");
    let text = "int top; int push(int n) { __requires(top >= 0 && top < 8); __ensures(top == __old(top) + 1); top++; return n; }";
    let run = verify(&folder, text, &["--modular"]);
    assert_eq!(first_line(&run), "safe", "{run:?}");
    assert!(run.stdout.contains("note: pointers that callers pass lead to different objects"), "{run:?}");
    let run = verify(&folder, &text.replace("top++", "top += 2"), &["--modular"]);
    assert!(
        first_line(&run).starts_with("unknown: the contracts do not suffice: postcondition in push"),
        "{run:?}"
    );
}

/// What is suggested has been proved as it is written.
#[test]
fn preconditions_are_suggested() {
    let folder = Folder::new("modular-suggest");
    let functions = [
        (
            "int t[64]; int f(int n) { int s = 0; for (int i = 0; i < n; i++) s ^= t[i]; return s; }",
            "bounds",
            "n <= 64",
        ),
        ("int f(int *p) { return *p; }", "null", "p != 0"),
        ("int f(int a, int b) { return a / b; }", "div-by-zero", "b != 0"),
        ("int f(int x) { return x + 10; }", "overflow", "x <= 2147483637"),
        (
            "struct s { int n; }; int t[8]; int f(struct s *p) { return t[p->n]; }",
            "bounds,null",
            "p != 0 && p->n >= 0 && p->n <= 7",
        ),
        (
            "int f(int a, int n) { if (a > 3) { if (n > 9) reach_error(); } else if (n > 9) reach_error(); return 0; }",
            "errors",
            "n <= 9",
        ),
    ];
    for (text, property, expected) in functions {
        let run = verify(&folder, text, &["--entry", "f", "--property", property]);
        assert_eq!(first_line(&run), "unsafe", "{run:?}");
        let line = format!("suggestion: proved to be safe with __requires({expected});");
        assert!(run.stdout.lines().any(|l| l == line), "{text}: {expected}\n{run:?}");
    }
    // Nothing helps here.
    let run = verify(&folder, "int f(int x) { reach_error(); return x; }", &["--entry", "f"]);
    assert!(run.code == 1 && !run.stdout.contains("suggestion"), "{run:?}");
}
