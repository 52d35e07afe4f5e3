//! The C front end on small programs: meaning, errors, properties, traces, and robustness.

use bolide_base::{Budget, IBig, Rational};
use bolide_front::c::interp::{End, Interpreter, Replay};
use bolide_front::c::{DataModel, Options, Properties, Task, load};
use bolide_model::program::back::trace_back;
use bolide_model::program::pass::prepare;
use bolide_model::{Bias, Outcome, Runner};
use bolide_term::{Store, Value};

fn task(store: &mut Store, text: &str) -> Task {
    load(store, "t.c", text, &Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// Why a program is refused.
fn refusal(text: &str) -> String {
    match load(&mut Store::new(), "t.c", text, &Options::default()) {
        Ok(task) => match task.unsupported.first() {
            Some((_, diagnostic)) => diagnostic.message.clone(),
            None => panic!("an error was expected: {text}"),
        },
        Err(error) => error.diagnostics[0].message.clone(),
    }
}

fn budget() -> Budget {
    Budget::unlimited().with_steps(100_000)
}

/// Runs a program on the given inputs in the interpreter, encoded, and prepared; all three must agree on whether an
/// error is reached. Returns that.
fn fails(text: &str, inputs: &[i64]) -> bool {
    let mut store = Store::new();
    let task = task(&mut store, text);
    assert_eq!(task.program.check(&store), None);
    let mut next = inputs.iter().copied();
    let end = Interpreter::new(&task.unit).run(&mut |_| next.next().unwrap_or(0).into(), &budget());
    let known = task.unit.inputs.len();
    let mut next = inputs.iter().copied();
    let (outcome, trace) = Runner::new(&store, &task.program, &[]).run(
        &store,
        |i| {
            let input = &task.program.inputs[i];
            if i.index() < known {
                Value::Num(Rational::from(next.next().unwrap_or(0)))
            } else {
                task.program.default_value(&store, input.sort, input.range)
            }
        },
        &budget(),
    );
    let failed = matches!(end, End::Error(_));
    assert_eq!(failed, matches!(outcome, Outcome::Error(_)), "{end:?} but {outcome:?}");
    let replayed =
        Interpreter::new(&task.unit).run(&mut Replay::new(&task.program, &task.encoding, &trace), &budget());
    assert_eq!(failed, matches!(replayed, End::Error(_)), "replay of the trace: {replayed:?}");
    failed
}

const HEAD: &str = "extern void __VERIFIER_error(void); extern int __VERIFIER_nondet_int(void);\n\
    extern unsigned __VERIFIER_nondet_uint(void); extern void *malloc(unsigned); extern void free(void *);\n\
    void check(int c) { if (!c) __VERIFIER_error(); }\n";

/// The assertions of a function body hold on all the given inputs.
fn holds(body: &str) {
    for inputs in [[0, 0], [1, 2], [-5, 7], [i64::from(i32::MAX), -1], [i64::from(i32::MIN), 3]] {
        assert!(
            !fails(&format!("{HEAD}int main(void) {{ {body} return 0; }}"), &inputs),
            "{body} on {inputs:?}"
        );
    }
}

#[test]
fn integers_wrap_and_convert() {
    holds("unsigned char c = 300; check(c == 44); signed char d = 200; check(d == -56);");
    holds("unsigned u = -1; check(u == 4294967295u); check(u + 1 == 0); check(-1 > 0u);");
    holds("int x = __VERIFIER_nondet_int(); check((x & 7) == ((x % 8) + 8) % 8); check((x ^ x) == 0);");
    holds("int x = __VERIFIER_nondet_int(); check((x >> 1) * 2 + (x & 1) == x); check(~x == -x - 1);");
    holds(
        "unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint(); check((x & y) + (x | y) == x + y);",
    );
    holds("int x = __VERIFIER_nondet_int(); if (x > 0 && x < 100) check(100 / x * x + 100 % x == 100);");
    holds(
        "int x = __VERIFIER_nondet_int(); int n = x & 15; check((1 << n) >> n == 1 && -7 / 2 == -3 && -7 % 2 == -1);",
    );
    holds("check('\\xff' == -1 && sizeof(long) == 4 && sizeof(int *) == 4 && 077 == 63);");
}

#[test]
fn control_flow() {
    holds("int i, s = 0; for (i = 0; i < 5; i++) { if (i == 3) continue; s += i; } check(s == 7);");
    holds(
        "int s = 0; switch (2) { case 1: s = 1; case 2: s += 2; case 3 ... 5: s += 3; break; default: s = 9; } check(s == 5);",
    );
    holds("int i = 0; do i++; while (i < 3); again: if (i < 6) { i++; goto again; } check(i == 6);");
    holds("int a = 1, b = 0; int c = (a || b++) + (b && a++); check(c == 1 && b == 0 && a == 1);");
    holds("int a = 5; int b = a ?: 7; int c = 0 ?: 7; check(b == 5 && c == 7);");
    holds("int v = ({ int t = 3; t * 2; }); check(v == 6);");
}

#[test]
fn memory() {
    holds("int x = 1, *p = &x, **q = &p; **q = 5; check(x == 5);");
    holds(
        "int a[4] = {1, 2}; int i = __VERIFIER_nondet_int() & 3; a[i] = 9; check(a[i] == 9 && (i == 1 || a[1] == 2));",
    );
    holds("struct { int a; char b; } s = {1, 2}, t = s; t.b = 7; check(s.b == 2 && t.a == 1 && t.b == 7);");
    holds(
        "union { unsigned u; unsigned char c[4]; } u; u.u = 0x01020304; check(u.c[0] == 4 && u.c[3] == 1);",
    );
    holds(
        "struct N { int v; struct N *next; } *h = 0, *n; int i; for (i = 0; i < 3; i++) { n = malloc(sizeof *n); \
        n->v = i; n->next = h; h = n; } check(h->v == 2 && h->next->v == 1 && h->next->next->next == 0);",
    );
    holds(
        "struct L { int x; struct E { int a; struct E *f; } e; } l; struct E *e = &l.e; l.x = 4; \
        check(((struct L *)((char *)e - (unsigned long)&((struct L *)0)->e))->x == 4);",
    );
    holds("struct { unsigned a : 3; int b : 5; } s; s.a = 9; s.b = 17; check(s.a == 1 && s.b == -15);");
    holds(
        "char s[] = \"ab\"; char *p = \"xyz\"; check(sizeof s == 3 && s[1] == 'b' && p[2] == 'z' && !p[3]);",
    );
}

#[test]
fn functions() {
    let recursive = format!("{HEAD}int fib(int n) {{ return n < 2 ? n : fib(n - 1) + fib(n - 2); }}\n");
    assert!(!fails(&format!("{recursive}int main(void) {{ check(fib(8) == 21); return 0; }}"), &[]));
    // A second call of the entry function does not set up the initial state again.
    let again = "int n; int main(int c) { if (n++ == 0) { main(5); check(n == 2); } else check(c == 5 && n == 2); return 0; }";
    for (text, expected) in [(again.into(), false), (again.replace("== 2", "== 1"), true)] {
        assert_eq!(fails(&format!("{HEAD}{text}"), &[]), expected, "{text}");
    }
    let local = format!("{HEAD}int f(int n) {{ int x = n, *p = &x; if (n > 0) f(n - 1); return *p; }}\n");
    assert!(!fails(&format!("{local}int main(void) {{ check(f(4) == 4); return 0; }}"), &[]));
    let pointers = format!(
        "{HEAD}int inc(int x) {{ return x + 1; }} int dec(int x) {{ return x - 1; }} int (*ops[2])(int) = {{inc, dec}};\n"
    );
    let body =
        "int main(void) { int i = __VERIFIER_nondet_int() & 1; check(ops[i](5) == (i ? 4 : 6)); return 0; }";
    for i in 0..2 {
        assert!(!fails(&format!("{pointers}{body}"), &[i]));
    }
    let records = format!(
        "{HEAD}struct P {{ int x, y; }}; struct P swap(struct P p) {{ struct P q = {{p.y, p.x}}; return q; }}\n"
    );
    let body = "int main(void) { struct P p = {1, 2}; p = swap(swap(swap(p))); check(p.x == 2 && p.y == 1); return 0; }";
    assert!(!fails(&format!("{records}{body}"), &[]));
    assert!(!fails(
        &format!(
            "{HEAD}int add(a, b) int a; char b; {{ return a + b; }} int main(void) {{ check(add(1, 2) == 3); }}"
        ),
        &[]
    ));
    let library = "extern unsigned long strlen(const char *); extern int strcmp(const char *, const char *);";
    let body =
        "int main(void) { char s[4] = \"abc\"; check(strlen(s) == 3 && strcmp(s, \"abd\") < 0); return 0; }";
    assert!(!fails(&format!("{HEAD}{library}{body}"), &[]));
}

#[test]
fn arrays_of_variable_length_have_two_dimensions() {
    let text = format!(
        "{HEAD}int last(int n, int a[n]) {{ return a[n - 1]; }} int main(void) {{ int n = 3, m = 4; int a[n][m]; \
         for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = m * i + j; \
         check(a[2][3] == 11 && a[1][0] == 4 && last(m, a[1]) == 7); return 0; }}"
    );
    assert!(!fails(&text, &[]));
}

#[test]
fn builtins_of_compilers_have_their_meaning() {
    let body = "int main(void) { unsigned x = __VERIFIER_nondet_int(); \
        check(__builtin_popcount(x) == 5 && __builtin_clz(x) == 21 && __builtin_ctz(x) == 3 && __builtin_ffs(x) == 4); \
        check(__builtin_parity(x) == 1 && __builtin_clzll(x) == 53 && __builtin_ctzll((unsigned long long)x << 32) == 35); \
        check(__builtin_bswap32(x) == 0x98050000u && __builtin_bswap16(x) == 0x9805 && __builtin_popcountll(~0ull) == 64); \
        check(__builtin_bswap64(x) == 0x9805000000000000ull && __builtin_abs(-3) == 3); return 0; }";
    assert!(!fails(&format!("{HEAD}{body}"), &[0b101_1001_1000]));
}

#[test]
fn what_is_not_supported_matters_where_it_can_be_reached() {
    let text =
        |call: &str| format!("int odd(int x) {{ return fork() + x; }} int main(void) {{ return {call}; }}");
    let mut store = Store::new();
    let load = |store: &mut Store, text: &str| load(store, "task.c", text, &Options::default());
    let unused = load(&mut store, &text("0")).unwrap_or_else(|e| panic!("{e}"));
    assert!(unused.unsupported.is_empty());
    let used = load(&mut store, &text("odd(1)")).unwrap_or_else(|e| panic!("{e}"));
    let [(_, message)] = used.unsupported.as_slice() else { panic!("{:?}", used.unsupported) };
    assert!(message.message.starts_with("unsupported: ") && message.position.line == 1, "{message:?}");
    // Execution stops there, which is no error of the program.
    let end = Interpreter::new(&used.unit).run(&mut |_| 0, &budget());
    assert!(matches!(end, End::Stuck(_)), "{end:?}");
}

#[test]
fn code_behind_something_unsupported_is_read() {
    let text = |x: i32| {
        format!(
            "{HEAD} int main(void) {{ int x = {x}, y = 0; switch (x) {{ case 1: y = fork() ? 1 : 2; break;
               case 2: for (y = fork(); y < 3; y++) {{ case 3: y = 5; }} break; default: y = 7; }}
             if (x == 4) {{ longjmp(0, 1); back: y = 9; }} if (x == 5) {{ x = 6; goto back; }}
             __VERIFIER_error(); return y; }}"
        )
    };
    let ends = |x: i32| {
        let task =
            load(&mut Store::new(), "t.c", text(x), &Options::default()).unwrap_or_else(|e| panic!("{e}"));
        Interpreter::new(&task.unit).run(&mut |_| 0, &budget())
    };
    for (x, is_error) in [(0, true), (1, false), (2, false), (3, true), (4, false), (5, true)] {
        let end = ends(x);
        assert_eq!(matches!(end, End::Error(_)), is_error, "{x}: {end:?}");
        assert_eq!(matches!(end, End::Stuck(_)), !is_error, "{x}: {end:?}");
    }
}

#[test]
fn jumps_out_of_nested_functions_matter_where_they_can_be_reached() {
    let text = |x: i32| {
        format!(
            "{HEAD} int main(void) {{ __label__ out, own; int x = {x};
               void leave(int far) {{ __label__ own; if (far) goto out; goto own; own: x = 7; }}
               leave(x); goto own; own: __VERIFIER_error(); out: return 0; }}"
        )
    };
    let ends = |text: &str| {
        let task =
            load(&mut Store::new(), "t.c", text, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
        Interpreter::new(&task.unit).run(&mut |_| 0, &budget())
    };
    assert!(matches!(ends(&text(0)), End::Error(_)));
    assert!(matches!(ends(&text(1)), End::Stuck(_)));
    let twice = "int main(void) { __label__ l; void f(void) { l: return; } l: return 0; }";
    let message = load(&mut Store::new(), "t.c", twice, &Options::default()).unwrap_err().to_string();
    assert_eq!(message, "t.c:1:46: label 'l' is defined twice");
}

#[test]
fn functions_that_cannot_be_represented_are_refused() {
    for call in [
        "pthread_create(0, 0, 0, 0)",
        "setjmp(0)",
        "longjmp(0, 1)",
        "signal(2, main)",
        "on_exit(0, 0)",
        "fork()",
        "printf(\"%n\", buffer)",
        "printf(\"%5ln\", buffer)",
        "printf(\"%\" \"hhn\", buffer)",
        "printf(\"\\x25n\", buffer)",
        "printf(buffer, buffer)",
        "__printf_chk(1, \"%d%n\", 1, buffer)",
        "vprintf(buffer, 0)",
        "setvbuf(0, buffer, 0, 9)",
        "__fgets_chk(buffer, 9, 9, 0)",
        "pthread_once(0, 0)",
        "getcontext(buffer)",
        "raise(number)",
        "__sync_fetch_and_max(&number, 1)",
        "scanf(\"%s%c\", buffer, buffer)",
        "scanf(\"%ld\", &number)",
        "reallocarray(buffer, 2, 2)",
    ] {
        let text = format!("char buffer[9]; int number; int main(void) {{ {call}; return 0; }}");
        let message = refusal(&text);
        assert!(message.starts_with("unsupported: "), "{call}: {message}");
    }
    let text = "int x; __attribute__((destructor)) void f(void) { x = 1; } int main(void) { return 0; }";
    assert!(refusal(text).starts_with("unsupported: "));
    for (declarations, body) in [
        ("void reach_error(void);", "void (*p)(void) = reach_error; p();"),
        ("double pow(double, double);", "double (*p)(double, double) = pow; return p(2, 2) == 4;"),
        ("int sscanf(const char *, const char *, ...);", "return sscanf == 0;"),
        ("void c(int *);", "int v __attribute__((cleanup(c))) = 1;"),
        ("void c(int *p) {}", "void *l = &&a; { int v __attribute__((cleanup(c))) = 1; goto *l; } a:;"),
        ("void g(void) __attribute__((alias(\"f\")));", "g();"),
        ("void g(void); void f(void) { g(); } void g(void) __attribute__((weakref(\"h\")));", "f();"),
        ("extern int g(void) __attribute__((weak));", "return g ? 1 : 0;"),
        ("extern int g __attribute__((weak));", "return &g ? 1 : 0;"),
        ("extern int g __asm__(\"h\"); int h = 4;", "return g;"),
        ("int g __asm__(\"h\") = 4; extern int h;", "return h;"),
        ("\n#pragma weak g\nextern int g(void);", "return g ? 1 : 0;"),
        ("int printf(const char *, ...); const char *f = \"%d%n\";", "return printf == 0;"),
        (
            "int f(void) { auto int h(void); int x = 1; int g(void) { return h(); } int r = g(); \
             int h(void) { return x; } return r; }",
            "f();",
        ),
        ("void f(void) {} void g(void) __asm__(\"f\");", "g();"),
        ("void g(void) __asm__(\"reach\" \"_error\");", "g();"),
        ("void g(void); void f(void) __asm__(\"g\"); void f(void) {}", "g();"),
        ("struct a { char c; } __attribute__((aligned(32))) a; void f(int n, ...) {}", "f(1, a);"),
        (
            "int g(__builtin_va_list l) { return __builtin_va_arg(l, int); } int f(int n, ...) { __builtin_va_list l; \
             __builtin_va_start(l, n); g(l); return __builtin_va_arg(l, int); }",
            "f(1, 2, 3);",
        ),
    ] {
        let message = refusal(&format!("{declarations} int main(void) {{ {body} return 0; }}"));
        assert!(message.starts_with("unsupported: "), "{declarations} {body}: {message}");
    }
    let text = "int f(int n) { __builtin_va_list l; __builtin_va_start(l, n); return 0; } int main(void) { return f(1); }";
    assert!(refusal(text).contains("fixed number"));
    let text = "int main(void) { auto int f(void); return f(); }";
    assert!(refusal(text).contains("has no body"));
}

#[test]
fn errors_are_found_and_told_apart() {
    let text = format!(
        "{HEAD}int main(void) {{ int x = __VERIFIER_nondet_int(); if (x == 42) __VERIFIER_error(); if (x > 100) __VERIFIER_error(); return 0; }}"
    );
    assert!(fails(&text, &[42]));
    assert!(fails(&text, &[1000]));
    assert!(!fails(&text, &[7]));
    let mut store = Store::new();
    let names: Vec<String> =
        task(&mut store, &text).program.properties.iter().map(|p| p.name.clone()).collect();
    assert_eq!(
        names,
        [
            "call of __VERIFIER_error in check",
            "call of __VERIFIER_error in main",
            "call of __VERIFIER_error in main"
        ]
    );
    assert!(fails("int main(void) { int x = 3; if (x == 3) goto ERROR; return 0; ERROR: return 1; }", &[]));
}

#[test]
fn properties_on_request() {
    let cases = [
        (
            "int main(void) { int x = nondet(); return x + 1; }",
            Properties { overflow: true, ..Properties::default() },
            i64::from(i32::MAX),
            5,
        ),
        (
            "int main(void) { int x = nondet(); return 7 / x; }",
            Properties { div_by_zero: true, ..Properties::default() },
            0,
            5,
        ),
        (
            "int main(void) { int a[4], x = nondet(); a[x] = 1; return 0; }",
            Properties { bounds: true, ..Properties::default() },
            4,
            3,
        ),
        (
            "int main(void) { int x = nondet(), y, *p = x ? &y : 0; *p = 1; return 0; }",
            Properties { null: true, ..Properties::default() },
            0,
            1,
        ),
        (
            "int main(void) { int x = nondet(); return 1 << x; }",
            Properties { shift: true, ..Properties::default() },
            32,
            30,
        ),
    ];
    for (text, properties, bad, good) in cases {
        let text = format!("extern int nondet(void); {text}");
        let options = Options { properties, ..Options::default() };
        let task = load(&mut Store::new(), "t.c", &text, &options).unwrap();
        let run = |v: i64| Interpreter::new(&task.unit).run(&mut |_| v.into(), &budget());
        assert!(matches!(run(bad), End::Error(_)), "{text}");
        assert!(!matches!(run(good), End::Error(_)), "{text}");
    }
}

#[test]
fn messages_have_positions() {
    let message =
        |text: &str| load(&mut Store::new(), "t.c", text, &Options::default()).unwrap_err().to_string();
    assert_eq!(message("int main(void) {\n  return y;\n}"), "t.c:2:10: 'y' is not declared");
    assert_eq!(
        message("struct S { int a; } s;\nint main(void) { return s.b; }"),
        "t.c:2:25: 'struct S' has no member named 'b'"
    );
    assert_eq!(message("int main(void) { goto nowhere; }"), "t.c:1:23: label 'nowhere' is not defined");
    assert_eq!(refusal("__int128 x; int main(void) { return x; }"), "unsupported: integers of 128 bits");
    assert!(message("int main(void) { return 1 + ; }").starts_with("t.c:1:29: "));
    assert!(message("# 7 \"user.c\"\nint main(void) { return z; }").starts_with("user.c:7:"));
    assert!(message("int f(void) { return 0; }").contains("no function 'main'"));
    let deep = format!("int main(void) {{ return {}1; }}", "- ".repeat(30_000));
    assert!(message(&deep).contains("nested"), "{}", message(&deep));
}

#[test]
fn deep_nesting_within_the_limit_is_read() {
    let mut store = Store::new();
    let parentheses = format!("int main(void) {{ return {}1{}; }}", "(".repeat(3_000), ")".repeat(3_000));
    task(&mut store, &parentheses);
    let chain = "if (x == 3) x = 4; else ".repeat(3_000);
    task(&mut store, &format!("int main(void) {{ int x = 0; {chain} x = 1; return x; }}"));
    let sum = "x + ".repeat(3_000);
    task(&mut store, &format!("int main(void) {{ int x = 0; return {sum} 1; }}"));
}

#[test]
fn floating_point_is_never_silently_wrong() {
    let text = format!(
        "{HEAD}extern float __VERIFIER_nondet_float(void); int main(void) {{ float f = __VERIFIER_nondet_float(); if (f * 2.0f > 3.0f) __VERIFIER_error(); return 0; }}"
    );
    let mut store = Store::new();
    let task = task(&mut store, &text);
    let marks: Vec<_> = task.program.main().edges.iter().flat_map(|e| e.approximations.iter()).collect();
    assert!(!marks.is_empty() && marks.iter().all(|a| a.bias == Bias::Over));
    let run = |v: f32| Interpreter::new(&task.unit).run(&mut |_| i128::from(v.to_bits()), &budget());
    assert!(matches!(run(2.0), End::Error(_)));
    assert!(matches!(run(1.0), End::Returned(0)));
}

/// A trace found in the prepared program replays in the interpreter.
#[test]
fn traces_of_prepared_programs_replay() {
    let text = format!(
        "{HEAD}int f(int a) {{ int t; if (a > 3) t = __VERIFIER_nondet_int(); else t = 1; return t; }}\n\
         int main(void) {{ int x = __VERIFIER_nondet_int(), y = f(x), z = f(x + 1); if (y + z == 77 && x != z) __VERIFIER_error(); return 0; }}"
    );
    let mut store = Store::new();
    let task = task(&mut store, &text);
    let (prepared, maps) = prepare(&mut store, &task.program, 10_000, &Budget::unlimited()).unwrap();
    let mut found = 0;
    let mut seed = 0x1234_5678_9abc_def1_u64;
    for _ in 0..500 {
        let (outcome, trace) = Runner::new(&store, &prepared, &[]).run(
            &store,
            |_| {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                Value::Num(Rational::from(IBig::from([5, 70, 7, 0][(seed >> 20) as usize % 4])))
            },
            &budget(),
        );
        if let Outcome::Error(p) = outcome {
            found += 1;
            let back = trace_back(&store, &maps, trace).unwrap();
            let mut replay = Replay::new(&task.program, &task.encoding, &back);
            assert_eq!(Interpreter::new(&task.unit).run(&mut replay, &budget()), End::Error(p));
        }
    }
    assert!(found > 0);
}

/// Damaged texts are refused or read, but never crash the front end.
#[test]
fn damaged_texts_do_not_panic() {
    let text = "struct S { int a : 3; char b[4]; struct S *n; } s, *p; enum E { A, B = 4 }; typedef unsigned T;\n\
        int f(int x, T y) { static int c = 1; int a[3] = {1, [2] = 5}; switch (x) { case A ... B: return a[y % 3]; default: break; }\n\
        for (int i = 0; i < 3; i++) { p = &s; p->b[i] = x << i, c++; } return x ? c : (int)sizeof(struct S); }\n\
        int main(void) { int (*g)(int, T) = f; return g(1, 2u) + s.a && \"str\"[1] == 't'; }";
    let tokens: Vec<&str> = text.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
    let mut seed = 0x1357_9bdf_2468_ace0_u64;
    let mut below = |n: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as usize % n
    };
    let mut loaded = 0;
    for _ in 0..400 {
        let mut damaged = tokens.clone();
        for _ in 0..below(3) + 1 {
            let (i, j) = (below(damaged.len()), below(damaged.len()));
            match below(3) {
                0 => _ = damaged.remove(i),
                1 => damaged.swap(i, j),
                _ => damaged[i] = tokens[j],
            }
        }
        let mut store = Store::new();
        if let Ok(task) = load(&mut store, "t.c", damaged.concat(), &Options::default()) {
            loaded += 1;
            assert_eq!(task.program.check(&store), None);
            let _ = Interpreter::new(&task.unit).run(&mut |_| 1, &Budget::unlimited().with_steps(2000));
        }
    }
    assert!(loaded > 20, "{loaded}");
}

/// What `malloc` returns holds anything; the trace says what, and the interpreter must see the same.
#[test]
fn contents_of_new_memory_are_part_of_a_trace() {
    let text = "extern void __VERIFIER_error(void); extern void *malloc(unsigned);\n\
        struct s { int a; int b; };\n\
        int main(void) { struct s *x = malloc(sizeof(struct s)); if (x->b == -7) __VERIFIER_error(); return 0; }";
    let mut store = Store::new();
    let task = task(&mut store, text);
    let number = |k: i64| Value::Num(Rational::from(k));
    let [(memory, 4)] = task.encoding.memory[..] else { panic!("{:?}", task.encoding.memory) };
    let entries = (0..10_000).map(|n| (number(4 * n), number(-7))).collect();
    let array = bolide_term::ArrayValue { default: number(0), entries };
    let initial = vec![(memory, Value::Array(std::sync::Arc::new(array)))];
    for (initial, fails) in [(Vec::new(), false), (initial, true)] {
        let (outcome, trace) =
            Runner::new(&store, &task.program, &initial).run(&store, |_| number(0), &budget());
        assert_eq!(matches!(outcome, Outcome::Error(_)), fails, "{outcome:?}");
        let trace = bolide_model::Trace { initial, ..trace };
        let replay = Replay::new(&task.program, &task.encoding, &trace);
        let written = Replay::read(&replay.write()).expect("what was written can be read");
        for mut replay in [replay, written] {
            let end = Interpreter::new(&task.unit).run(&mut replay, &budget());
            assert_eq!(matches!(end, End::Error(_)), fails, "{end:?}");
        }
    }
}

#[test]
fn text_is_made_from_values() {
    let text = format!(
        "{HEAD} int sprintf(char *, const char *, ...); int snprintf(char *, unsigned, const char *, ...);
         int strcmp(const char *, const char *); int vsnprintf(char *, unsigned, const char *, __builtin_va_list);
         int mine(char *to, const char *f, ...) {{ __builtin_va_list l; __builtin_va_start(l, f); int n = vsnprintf(to, 9, f, l);
           __builtin_va_end(l); return n; }}
         int main(void) {{ char b[40]; int x = __VERIFIER_nondet_int();
           check(sprintf(b, \"%d|%5d|%-3dx\", x, -x, 7) == 14 && !strcmp(b, \"123| -123|7  x\"));
           check(sprintf(b, \"%#x %X %o %u%%\", x, x, 8, 9) == 13 && !strcmp(b, \"0x7b 7B 10 9%\"));
           check(snprintf(b, 5, \"%s-%c\", \"abc\", 100) == 5 && !strcmp(b, \"abc-\"));
           check(snprintf(b, 0, \"%.2s\", \"abc\") == 2 && b[0] == 97);
           check(sprintf(b, \"%+03hhd%*lld\", 300, 4, 5ll) == 7 && !strcmp(b, \"+44   5\"));
           const char *f = x ? \"%s:%d\" : \"%n\";
           check(sprintf(b, f, \"k\", x) == 5 && !strcmp(b, \"k:123\"));
           check(mine(b, \"<%6.4d>%s\", x, \"zz\") == 10 && !strcmp(b, \"<  0123>\"));
           return 0; }}"
    );
    assert!(!fails(&text, &[123]));
    assert!(fails(&text.replace("<  0123>", "<  0124>"), &[123]));
}

/// What is unsupported in an operand that may be skipped is refused, also in the first block of a function: executions do not end there.
#[test]
fn unsupported_operands() {
    for operand in ["n && fork()", "n || fork()", "n ? fork() : 0", "n && (fork(), 1)"] {
        let text = format!(
            "{HEAD}int fork(void);\nint main(void) {{ int n = __VERIFIER_nondet_int(); int r = {operand}; __VERIFIER_error(); }}"
        );
        let mut store = Store::new();
        let task = task(&mut store, &text);
        assert!(!task.unsupported.is_empty(), "{operand}");
        let mut input = |_| 0;
        let end = Interpreter::new(&task.unit).run(&mut input, &budget());
        assert!(matches!(end, End::Stuck(_)), "{operand}: {end:?}");
    }
}

/// No execution is followed into a function whose type is of another kind than that of the call; integers and pointers may stand for each
/// other, and a result may be missing or ignored.
#[test]
fn calls_through_pointers_of_other_types() {
    let refused = |function: &str, pointer: &str, call: &str| {
        let text = format!(
            "{HEAD}struct p {{ int x, y; }};\n{function} {{ __VERIFIER_error(); }}\nint main(void) {{ struct p v = {{ 1, 2 }}; {pointer} = (void *)f; {call}; return 0; }}"
        );
        let mut store = Store::new();
        let task = task(&mut store, &text);
        let mut input = |_| 0;
        match Interpreter::new(&task.unit).run(&mut input, &budget()) {
            End::Stuck(_) => assert!(!task.unsupported.is_empty(), "{text}"),
            End::Error(_) => {
                assert!(task.unsupported.is_empty(), "{text}");
                return false;
            }
            end => panic!("{text}: {end:?}"),
        }
        true
    };
    for (function, pointer, call) in [
        ("int f(int a)", "int (*g)(long, long)", "g(1, 2)"),
        ("int f(int a, int b)", "int (*g)(int)", "g(1)"),
        ("int f(void)", "int (*g)(int)", "g(1)"),
        ("int f(int a, int b)", "int (*g)(int, ...)", "g(1, 2)"),
        ("int f(int a, ...)", "int (*g)(int, int)", "g(1, 2)"),
        ("int f(double a)", "int (*g)(int)", "g(1)"),
        ("int f(int a)", "int (*g)(double)", "g(1)"),
        ("int f(float a)", "int (*g)(double)", "g(1)"),
        ("int f(int a)", "int (*g)(struct p)", "g(v)"),
        ("int f(struct p a)", "int (*g)(int)", "g(1)"),
        ("double f(int a)", "int (*g)(int)", "g(1)"),
        ("struct p f(int a)", "void (*g)(int)", "g(1)"),
        ("int f(int a)", "struct p (*g)(int)", "g(1)"),
    ] {
        assert!(refused(function, pointer, call), "{function}: {pointer}");
    }
    for (function, pointer, call) in [
        ("int f(int a)", "int (*g)(unsigned)", "g(1)"),
        ("int f(int a)", "int (*g)()", "g(1)"),
        ("int f(struct p *a)", "int (*g)(void *)", "g(&v)"),
        ("int f(struct p *a)", "int (*g)(unsigned long)", "g((unsigned long)&v)"),
        ("int f(struct p a)", "int (*g)(struct p)", "g(v)"),
        ("int f(int a, ...)", "int (*g)(int, ...)", "g(1, 2, 3)"),
        ("float f(float a)", "float (*g)(float)", "g(1)"),
        ("struct p f(int a)", "struct p (*g)(int)", "g(1)"),
        ("void f(int a)", "int (*g)(int)", "g(1)"),
        ("int f(int a)", "void (*g)(int)", "g(1)"),
        ("void *f(char a)", "char *(*g)(char)", "g(1)"),
    ] {
        assert!(!refused(function, pointer, call), "{function}: {pointer}");
    }
}

/// Where a function just ends, the value that is missing is used by its callers, if anywhere.
#[test]
fn ends_without_a_value() {
    let options =
        Options { properties: Properties { uninit: true, ..Properties::default() }, ..Options::default() };
    for (uses, is_error) in [
        ("f(0); (void)f(1); (void)f(0)", false),
        ("return f(1)", false),
        ("f(0); return f(0)", true),
        ("int x = f(0)", true),
        ("g()", true),
    ] {
        let text = format!(
            "int f(int c) {{ if (c) return 1; }}\nint g(void) {{ int x; return x; }}\nint main(void) {{ {uses}; return 0; }}"
        );
        let task = load(&mut Store::new(), "t.c", &text, &options).unwrap_or_else(|e| panic!("{e}"));
        let mut input = |_| 0;
        let end = Interpreter::new(&task.unit).run(&mut input, &budget());
        assert_eq!(matches!(end, End::Error(_)), is_error, "{uses}: {end:?}");
    }
}

/// A base that is none is an error of `strtol`, which leaves everything else as it was.
#[test]
fn bases_of_strtol() {
    let text = format!(
        "{HEAD}long strtol(const char *, char **, int); unsigned long strtoul(const char *, char **, int); int *__errno_location(void);
         int main(void) {{
           char *end = 0; int bases[] = {{ 1, 37, -3 }};
           for (int i = 0; i < 3; i++) {{
             *__errno_location() = 0;
             check(strtol(\"12\", &end, bases[i]) == 0 && end == 0 && *__errno_location() == 22);
             *__errno_location() = 0;
             check(strtoul(\"0\", &end, bases[i]) == 0 && end == 0 && *__errno_location() == 22);
           }}
           *__errno_location() = 0;
           check(strtol(\"z\", &end, 36) == 35 && *end == 0 && *__errno_location() == 0);
           return 0; }}"
    );
    assert!(!fails(&text, &[]));
    assert!(fails(&text.replace("== 35", "== 36"), &[]));
}

/// What C leaves open is done in the order of gcc: the right side of an assignment first, unless it is a call.
#[test]
fn order_of_assignments() {
    let functions = "static int order, a[4];\n\
        static int at(int k, int i) { order = 10 * order + k; return i; }\n\
        static int count; static int next(void) { return ++count; }\n";
    for (statement, condition) in [
        ("a[at(1, 0)] += at(2, 1);", "order == 21"),
        ("a[at(1, 0)] = at(2, 1);", "order == 12"),
        ("a[at(1, 0)] = at(2, 1) + 1;", "order == 21"),
        ("count = 5; count -= next();", "count == 0"),
        ("count = 0; a[count] = next() + 6;", "a[0] == 0 && a[1] == 7"),
        ("count = 0; a[count] = next();", "a[0] == 1 && a[1] == 0"),
        ("count = 0; a[next()] = count;", "a[1] == 1"),
        ("count = 0; a[next()] = count + 1;", "a[1] == 1"),
        ("int b[2] = {[1] = at(1, 0), [0] = at(2, 0)};", "order == 21"),
    ] {
        let text = format!(
            "{HEAD}{functions}int main(void) {{ {statement} if (!({condition})) __VERIFIER_error(); return 0; }}"
        );
        assert!(!fails(&text, &[]), "{statement}");
    }
}

/// The results of library functions have the types that headers declare, which differ between data models.
#[test]
fn results_of_library_functions_have_declared_types() {
    let kinds = "unsigned: 1, unsigned long: 2, long *: 3, int *: 4, default: 5";
    let run = |declarations: &str, call: &str, kind: i32, model: DataModel| {
        let text = format!(
            "{HEAD}{declarations}\nint main(void) {{ check(_Generic({call}, {kinds}) == {kind}); return 0; }}"
        );
        let options = Options { data_model: model, ..Options::default() };
        let task = load(&mut Store::new(), "t.c", &text, &options).unwrap_or_else(|e| panic!("{e}"));
        let end = Interpreter::new(&task.unit).run(&mut |_| 0, &budget());
        assert!(!matches!(end, End::Error(_) | End::Stuck(_)), "{call}: {end:?}");
    };
    let small = "unsigned strlen(const char *); long *wcschr(const long *, long);";
    let large = "unsigned long strlen(const char *); int *wcschr(const int *, int);";
    let calls = [
        ("strlen(\"a\")", 1, 2),
        ("wcschr(L\"a\", L'a')", 3, 4),
        ("__builtin_strlen(\"a\")", 1, 2),
        ("__builtin_bswap64(1)", 5, 2),
    ];
    for (call, in_small, in_large) in calls {
        run(small, call, in_small, DataModel::Ilp32);
        run(large, call, in_large, DataModel::Lp64);
    }
}
