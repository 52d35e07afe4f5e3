//! Programs of several units: what a linker joins, and what it refuses.

use bolide_base::Budget;
use bolide_front::c::interp::{End, Interpreter};
use bolide_front::c::{Options, load, syntax};
use bolide_term::Store;

fn text(units: &[&str]) -> Vec<u8> {
    let names: Vec<String> = (0..units.len()).map(|n| format!("{}.c", (b'a' + n as u8) as char)).collect();
    let parts: Vec<(&str, &[u8])> =
        names.iter().map(String::as_str).zip(units.iter().map(|u| u.as_bytes())).collect();
    syntax::join(&parts).expect("the units end properly")
}

/// What `main` returns.
fn result(units: &[&str]) -> i128 {
    let task = load(&mut Store::new(), "program", text(units), &Options::default());
    let task = task.unwrap_or_else(|e| panic!("{e}"));
    match Interpreter::new(&task.unit).run(&mut |_| 0, &Budget::unlimited().with_steps(100_000)) {
        End::Returned(value) => value,
        end => panic!("{end:?}"),
    }
}

fn refusal(units: &[&str]) -> String {
    match load(&mut Store::new(), "program", text(units), &Options::default()) {
        Ok(_) => panic!("an error was expected"),
        Err(error) => error.diagnostics[0].to_string(),
    }
}

#[test]
fn names_with_external_linkage_are_shared() {
    let a = "int f(int); extern int g; int t; int main(void) { g++; t = 5; return f(3) * 100 + g * 10 + t; }";
    let b = "int g = 6; int t; int f(int x) { return t == 5 ? x + 1 : 0; }";
    assert_eq!(result(&[a, b]), 475);
    assert_eq!(result(&[b, a]), 475);
}

#[test]
fn static_names_are_apart() {
    let a = "static int n = 1; static int f(void) { return n; } int g(void); int main(void) { n = 2; return f() * 10 + g(); }";
    let b = "static int n = 7; static int f(void) { return n; } int g(void) { return f(); }";
    assert_eq!(result(&[a, b]), 27);
    // A static function of one unit is not the undefined one of another.
    let c = "int h(void); int main(void) { return 3; } int k(void) { return h(); }";
    let d = "static int h(void) { return 1; } int m(void) { return h(); }";
    assert_eq!(result(&[c, d]), 3);
}

#[test]
fn structures_of_two_units_are_one_type() {
    let head = "struct s { int x; struct s *next; char c[3]; }; typedef struct { long a, b; } pair;";
    let a = format!(
        "{head} struct s make(int); int take(struct s); pair swap(pair); extern struct s g;
         int main(void) {{ struct s v = make(4); v.next = &g; pair p = {{1, 2}}; p = swap(p);
           int (*f)(struct s) = take; return take(v) * 100 + f(*v.next) * 10 + (int)p.a; }}"
    );
    let b = format!(
        "{head} struct s g = {{3}}; struct s make(int x) {{ struct s r = {{x}}; return r; }}
         int take(struct s v) {{ return v.x; }} pair swap(pair p) {{ pair q = {{p.b, p.a}}; return q; }}"
    );
    assert_eq!(result(&[&a, &b]), 432);
    assert_eq!(result(&[&b, &a]), 432);
}

#[test]
fn opaque_structures_and_open_arrays_are_completed_elsewhere() {
    let a = "struct s; extern struct s g; int get(struct s *); extern int t[]; int main(void) { return get(&g) * 10 + t[1]; }";
    let b = "struct s { int x, y; } g = {3, 4}; int get(struct s *p) { return p->y; } int t[] = {1, 2, 3};";
    assert_eq!(result(&[a, b]), 42);
    assert_eq!(result(&[b, a]), 42);
}

#[test]
fn weak_and_inline_definitions() {
    let weak = "__attribute__((weak)) int f(void) { return 1; }";
    let strong = "int f(void) { return 2; }";
    let main = "int f(void); int main(void) { return f(); }";
    assert_eq!(result(&[weak, strong, main]), 2);
    assert_eq!(result(&[main, strong, weak]), 2);
    assert_eq!(result(&[main, weak]), 1);
    let pragma = "int f(void) { return 1; }\n#pragma weak f\n";
    assert_eq!(result(&[pragma, strong, main]), 2);
    let inline = "inline int sq(int x) { return x * x; }";
    let a = format!("{inline} extern inline int sq(int); int a(void) {{ return sq(2); }}");
    let b = format!("{inline} int a(void); int main(void) {{ return sq(3) * 10 + a(); }}");
    assert_eq!(result(&[&a, &b]), 94);
    let other = "inline int sq(int x) { return x + x; } int main(void) { return sq(3); }";
    assert!(refusal(&[&a, other]).contains("in different ways, here and in a.c:1:12"));
}

#[test]
fn weak_variables_give_way() {
    let main = "extern int g; int main(void) { return g; }";
    let weak = "int g __attribute__((weak)) = 1;";
    for (other, expected) in [("int g = 2;", 2), ("int g;", 0), ("__attribute__((weak)) extern int g;", 1)] {
        assert_eq!(result(&[main, weak, other]), expected, "{other}");
        assert_eq!(result(&[other, weak, main]), expected, "{other}");
        assert_eq!(result(&[weak, main, other]), expected, "{other}");
    }
    // Of several weak ones, the first counts, also if it has no initialiser.
    for (first, second, expected) in
        [(weak, "__attribute__((weak)) int g = 2;", 1), ("__attribute__((weak)) int g;", weak, 0)]
    {
        assert_eq!(result(&[main, first, second]), expected);
        assert_eq!(result(&[first, main, second, "int g = 7;"]), 7);
    }
    let table = "int t[] __attribute__((weak)) = {1, 2}; int *p = &t[1];";
    let strong = "int t[2] = {[1] = 5}; extern int *p; int main(void) { return *p * 10 + t[0]; }";
    assert_eq!(result(&[table, strong]), 50);
    assert_eq!(result(&[strong, table]), 50);
}

#[test]
fn conflicts_are_told_with_both_places() {
    let main = "int f(int x) { return x; } int g = 1; int main(void) { return f(g); }";
    for (other, message) in [
        ("int f(int x) { return x; }", "b.c:1:5: function 'f' is defined twice, here and in a.c:1:5"),
        ("int g = 1;", "b.c:1:5: 'g' is initialised twice, here and in a.c:1:32"),
        ("long f(int);", "b.c:1:6: 'f' is declared with another type in a.c:1:5"),
        ("int f(int, int);", "b.c:1:5: 'f' is declared with another type in a.c:1:5"),
        ("extern long g;", "b.c:1:13: 'g' is declared with another type in a.c:1:32"),
        ("extern int f;", "b.c:1:12: the variable 'f' is declared as a function in a.c:1:5"),
        ("int g(void);", "b.c:1:5: the function 'g' is declared as a variable in a.c:1:32"),
    ] {
        assert_eq!(refusal(&[main, other]), message, "{other}");
    }
    let a = "struct s { int x; }; int f(struct s *p) { return p->x; } int main(void) { return 0; }";
    let b = "struct s { long x; }; int f(struct s *p);";
    assert!(refusal(&[a, b]).contains("another type"));
}

#[test]
fn texts_that_do_not_end_are_found() {
    assert_eq!(
        syntax::join(&[("a.c", b"int x;"), ("b.c", b"int y; /* open"), ("c.c", b"*/ int z;")]),
        Err(1)
    );
    let joined = text(&["int x; \\", "int y;"]);
    let again = syntax::join(&[("p.i", &joined), ("c.c", b"int main(void) { return 0; }")]).expect("it ends");
    assert!(load(&mut Store::new(), "program", again, &Options::default()).is_ok());
}

/// For compilers the line is nothing: the two variables are one, and the error is reached.
#[test]
fn units_inside_of_a_file_are_refused() {
    let file = "extern void reach_error(void); static int x; void set(void) { x = 1; }\n#pragma bolide unit\n\
                extern void reach_error(void); extern void set(void); static int x;\n\
                int main(void) { set(); if (x) reach_error(); return 0; }\n";
    let alone = load(&mut Store::new(), "file.c", file, &Options::default());
    assert!(alone.is_err_and(|e| e.to_string().contains("only `bolide link` writes it")));
    assert_eq!(syntax::join(&[("a.c", b"int y;"), ("b.c", file.as_bytes())]), Err(1));
}

/// A function that only has the name of the entry owes nothing to its callers: they owe it its precondition.
#[test]
fn preconditions_are_assumed_of_the_entry_alone() {
    let requires = "extern void __bolide_requires(int);";
    let caller = "int h(void); int f(void) { return h(); }";
    let callee = format!(
        "{requires} static int f(int x) {{ __bolide_requires(x > 0); return x; }} int h(void) {{ return f(-1); }}"
    );
    let entry = format!("{requires} int f(int x) {{ __bolide_requires(x > 0); return x; }}");
    let options = Options { entry: Some("f".into()), ..Options::default() };
    let is_assumed = |parts: &[&str]| {
        let task = load(&mut Store::new(), "program", text(parts), &options).expect("a program");
        task.program.assumptions.iter().any(|a| a.text.contains("precondition"))
    };
    assert!(is_assumed(&[&entry]) && is_assumed(&["int g(void) { return 1; }", &entry]));
    assert!(!is_assumed(&[caller, &callee]) && !is_assumed(&[&callee, caller]));
}
