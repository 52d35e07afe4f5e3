//! Small C programs about the safety of memory, by kind, each with what is wrong with it. Where gcc is installed, its
//! sanitizer confirms that.

mod common;

use bolide_testkit::is_long;
use common::{Scratch, bolide};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What comes before each program.
const DECLARATIONS: &str = "void *malloc(unsigned long);
void *calloc(unsigned long, unsigned long);
void *realloc(void *, unsigned long);
void *alloca(unsigned long);
void free(void *);
void *memset(void *, int, unsigned long);
void *memcpy(void *, const void *, unsigned long);
void *memmove(void *, const void *, unsigned long);
int memcmp(const void *, const void *, unsigned long);
void *memchr(const void *, int, unsigned long);
unsigned long strlen(const char *);
char *strcpy(char *, const char *);
char *strncpy(char *, const char *, unsigned long);
char *strcat(char *, const char *);
char *strchr(const char *, int);
char *strdup(const char *);
int strcmp(const char *, const char *);
extern int __VERIFIER_nondet_int(void);
int nondet(void) { return __VERIFIER_nondet_int(); }
";

/// Inputs for programs that run: a few ones, and then zero.
const INPUTS: &str = "int __VERIFIER_nondet_int(void) { static int n; return n++ < 5; }\n";

struct Example {
    name: String,
    /// `safe`, `deref`, `free`, `leak` or `uninit`.
    kind: &'static str,
    /// Does the sanitizer see the error? That is not asked where it depends on what the memory held before.
    is_seen: Option<bool>,
    text: String,
}

fn examples(table: &str) -> Vec<Example> {
    let mut out = Vec::new();
    for part in table.split("\n== ").skip(1) {
        let (head, body) = part.split_once('\n').expect("a program");
        let (kind, name) = head.split_once(' ').expect("a kind and a name");
        let known = ["safe", "deref", "free", "leak", "uninit"]
            .into_iter()
            .find(|k| kind.trim_end_matches(['!', '?']) == *k);
        let kind_known = known.unwrap_or_else(|| panic!("{kind} is no kind"));
        let text = format!("{DECLARATIONS}{body}\n");
        out.push(Example {
            name: name.into(),
            kind: kind_known,
            is_seen: (!kind.ends_with('?')).then_some(!kind.ends_with('!')),
            text,
        });
    }
    assert!(out.len() >= 35, "{} programs", out.len());
    out
}

/// What violations of a kind are called.
fn names(kind: &str) -> &'static [&'static str] {
    match kind {
        "deref" => &["invalid read in ", "invalid write in ", "call through an invalid function pointer in "],
        "free" => &["invalid free in "],
        "uninit" => &["use of an uninitialised value in "],
        _ => &["memory leak in "],
    }
}

/// All examples in long tests, and one of so many otherwise.
fn sampled(table: &str, step: usize) -> impl Iterator<Item = Example> {
    examples(table).into_iter().step_by(if is_long() { 1 } else { step })
}

/// A file of its own for an example: tables share names, and their tests run side by side.
fn numbered(name: &str, text: &str) -> Scratch {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    Scratch::new(&format!("{}-{name}", NEXT.fetch_add(1, Ordering::Relaxed)), text)
}

fn verdicts(table: &str) {
    verdicts_about(table, "memsafety");
}

fn verdicts_about(table: &str, property: &str) {
    for example in sampled(table, 4) {
        let Example { name, kind, text, .. } = &example;
        let file = numbered(&format!("{kind}-{name}.c"), text);
        let run = bolide(&["verify", "--property", property, "--timeout", "120", "--jobs", "1", file.path()]);
        let verdict = if *kind == "safe" { "safe" } else { "unsafe" };
        assert_eq!(run.stdout.lines().next(), Some(verdict), "{kind} {name}\n{}{}", run.stdout, run.stderr);
        if *kind != "safe" {
            let violated = run.stdout.lines().rfind(|l| l.starts_with("  ")).unwrap_or_default();
            assert!(
                names(kind).iter().any(|n| violated.contains(n)),
                "{kind} {name}: {violated}\n{}",
                run.stdout
            );
        }
    }
}

/// The line of the program that the sanitizer names first, if it finds an error; `None` without gcc.
fn sanitized(example: &Example) -> Option<Option<u32>> {
    let (kind, name) = (example.kind, &example.name);
    let file = numbered(&format!("sanitized-{kind}-{name}.c"), &example.text);
    let inputs = numbered(&format!("inputs-{kind}-{name}.c"), INPUTS);
    let program = numbered(&format!("sanitized-{kind}-{name}"), "");
    let built = Command::new("gcc")
        .args(["-w", "-g", "-O0", "-fno-builtin", "-Dalloca=__builtin_alloca", "-fsanitize=address", "-o"])
        .args([program.path(), file.path(), inputs.path()])
        .output()
        .ok()?;
    if !built.status.success() {
        return None;
    }
    let options = "detect_stack_use_after_return=1:detect_leaks=1";
    let run = Command::new(program.path()).env("ASAN_OPTIONS", options).output().ok()?;
    let text = String::from_utf8_lossy(&run.stderr);
    if !text.contains("ERROR: ") {
        return Some(None);
    }
    let base = file.path().rsplit('/').next()?;
    let line =
        text.lines().find_map(|l| l.split_once(&format!("{base}:"))?.1.split(':').next()?.parse().ok());
    Some(Some(line.unwrap_or(0)))
}

fn confirmed(table: &str) {
    for example in sampled(table, 6) {
        let Some(found) = sanitized(&example) else { return };
        let Example { name, kind, is_seen, text } = &example;
        if let Some(is_seen) = is_seen {
            assert_eq!(found.is_some(), *kind != "safe" && *is_seen, "{kind} {name}");
        }
        // The error is in the line that the trace ends in, if the sanitizer names one.
        if let (Some(line @ 1..), "deref") = (found, *kind) {
            let file = numbered(&format!("line-{kind}-{name}.c"), text);
            let run = bolide(&["verify", "--property", "memsafety", "--jobs", "1", file.path()]);
            let mut steps =
                run.stdout.lines().filter(|l| l.starts_with("  ") && l.contains(&format!("{name}.c:")));
            let last = steps.next_back().unwrap_or_default();
            assert!(last.contains(&format!("{name}.c:{line}:")), "{name}: line {line}\n{}", run.stdout);
        }
    }
}

#[test]
fn bounds_of_objects() {
    verdicts(include_str!("memory/objects.txt"));
}

#[test]
fn lifetimes_of_objects() {
    verdicts(include_str!("memory/lifetimes.txt"));
}

#[test]
fn the_heap() {
    verdicts(include_str!("memory/heap.txt"));
}

#[test]
fn library_functions_on_memory() {
    verdicts(include_str!("memory/library.txt"));
}

#[test]
fn uninitialised_values() {
    verdicts_about(include_str!("memory/uninitialised.txt"), "uninit");
}

/// What is handed to a function without a body is read before.
#[test]
fn arguments_of_unknown_functions() {
    let text = "struct pair { int a, b; }; extern void take(struct pair);\n\
        int main(void) { struct pair *p = 0; take(*p); return 0; }\n";
    let file = Scratch::new("unknown-function.c", text);
    let run = bolide(&["verify", "--property", "deref", "--jobs", "1", file.path()]);
    assert_eq!(run.stdout.lines().next(), Some("unsafe"), "{}{}", run.stdout, run.stderr);
}

/// Alignment is checked where it is asked for; members of packed records may be anywhere.
#[test]
fn misaligned_accesses() {
    for (body, verdict) in [
        ("int *q = (int *)(p + 1); *q = 1;", "unsafe"),
        ("int *q = (int *)(p + 4); *q = 1;", "safe"),
        ("struct packed *q = (struct packed *)p; q->n = 1;", "safe"),
        ("int n = nondet(); if (n < 0 || n > 4) n = 0; *(int *)(p + n) = 1;", "unsafe"),
        ("*(loose_int *)(p + 1) = 1; ((loose_int *)p)[1] = 2;", "safe"),
        ("*(even_int *)(p + 2) = 1;", "safe"),
        ("*(even_int *)(p + 1) = 1;", "unsafe"),
        ("loose_pair *q = (loose_pair *)(p + 1); q->c = 1; p[7] = q->c;", "safe"),
    ] {
        let text = format!(
            "{DECLARATIONS}struct __attribute__((packed)) packed {{ char c; int n; }};\n\
             typedef int loose_int __attribute__((aligned(1)));\n\
             typedef int even_int __attribute__((aligned(2)));\n\
             typedef struct {{ short c; int n[1]; }} loose_pair __attribute__((aligned(1)));\n\
             int main(void) {{ char *p = malloc(9); {body} free(p); return 0; }}\n"
        );
        let file = Scratch::new("alignment.c", &text);
        let run = bolide(&["verify", "--property", "deref,alignment", "--jobs", "1", file.path()]);
        assert_eq!(run.stdout.lines().next(), Some(verdict), "{body}\n{}{}", run.stdout, run.stderr);
        assert!(!run.stdout.contains("are aligned"), "{}", run.stdout);
    }
}

/// Pointers to elements and members of variables are computed as other pointers are.
#[test]
fn pointers_that_are_moved() {
    for (body, verdict) in [
        ("int *p = &a[n];", "unsafe"),
        ("int *p = &a[n & 7];", "unsafe"),
        ("int *p = &a[n & 3] + 1;", "safe"),
        ("int *p = a + (n & 7);", "unsafe"),
        ("int *p = &a[5];", "unsafe"),
        ("int *p = &a[-1];", "unsafe"),
        ("int *p = &a[4];", "safe"),
        ("use(&a[n]);", "unsafe"),
        ("int *p = &s.x[n & 3];", "unsafe"),
        ("int *p = &s.x[n & 1];", "safe"),
        ("int b[4]; int *p = &b[n & 7];", "unsafe"),
        ("int b[4]; int *p = &b[n & 3];", "safe"),
        ("return n & 4 && &a[n & 7] == a;", "unsafe"),
        ("return n & 4 && &a[n & 4] == a;", "safe"),
    ] {
        let text = format!(
            "{DECLARATIONS}int a[4]; struct {{ char c; int x[2]; }} s; void use(int *p) {{}}\n\
             int main(void) {{ int n = nondet(); {body} return 0; }}\n"
        );
        let file = Scratch::new("moved.c", &text);
        let run = bolide(&["verify", "--property", "pointer-arithmetic", "--jobs", "1", file.path()]);
        assert_eq!(run.stdout.lines().next(), Some(verdict), "{body}\n{}{}", run.stdout, run.stderr);
    }
}

/// An index is checked against the length of its array, also where the length is computed and what lies behind belongs to the same object.
#[test]
fn indices_of_arrays_of_variable_length() {
    for (body, verdict) in [
        ("int a[n][n]; a[0][n] = 1;", "unsafe"),
        ("int a[n][n]; a[n - 1][n - 1] = 1;", "safe"),
        ("int a[n][n]; a[0][k] = 1;", "unsafe"),
        ("int a[2][n]; a[k & 1][k < n && k >= 0 ? k : 0] = 1;", "safe"),
        ("int a[n][3]; a[0][n & 3] = 1;", "unsafe"),
        ("int a[n][3]; int *p = &a[0][3]; return *--p == 0;", "safe"),
        ("int a[n][n]; int *p = &a[0][n]; return *--p == 0;", "safe"),
        ("int a[n][n]; return rows(n, a) == 0;", "unsafe"),
        ("int a[n]; signed char c = k; return c < (int)n && a[c] == 0;", "unsafe"),
        ("int a[n]; unsigned u = k; return u - 1 < n && a[u - 1] == 0;", "safe"),
        ("int a[n][n]; return sizeof a[n][n] == 3;", "safe"),
    ] {
        let text = format!(
            "{DECLARATIONS}int rows(int n, int a[n][n]) {{ return a[n - 1][0] == 0 || a[0][n] == 0; }}\n\
             int main(void) {{ unsigned n = nondet() & 3, k = nondet(); if (n < 2) return 0; {body} return 0; }}\n"
        );
        let file = Scratch::new("variable-lengths.c", &text);
        let run = bolide(&["verify", "--property", "bounds", "--jobs", "1", file.path()]);
        assert_eq!(run.stdout.lines().next(), Some(verdict), "{body}\n{}{}", run.stdout, run.stderr);
    }
}

/// The lengths of arrays are checked where bounds are; elsewhere a note says what is left out.
#[test]
fn lengths_of_arrays() {
    let negative_left_out = "arrays of variable length have no negative length";
    for (body, property, verdict, has_note) in [
        ("int a[n]; return &a[0] == 0;", "bounds", "unsafe", false),
        ("int a[3][n]; return &a[0][0] == 0;", "bounds", "unsafe", false),
        ("return sizeof(char[n]) == 0;", "bounds", "unsafe", false),
        ("if (n <= 0) return 0; int a[n]; return &a[0] == 0;", "bounds", "safe", false),
        ("int a[n]; return &a[0] == 0;", "deref", "safe", true),
    ] {
        let text = format!("{DECLARATIONS}int main(void) {{ int n = nondet(); {body} }}\n");
        let file = Scratch::new("lengths.c", &text);
        let run = bolide(&["verify", "--property", property, "--jobs", "1", file.path()]);
        assert_eq!(run.stdout.lines().next(), Some(verdict), "{body}\n{}{}", run.stdout, run.stderr);
        assert_eq!(run.stdout.contains(negative_left_out), has_note, "{}", run.stdout);
    }
}

/// What library functions read and write is checked by every property that asks for it, not only by `deref`.
#[test]
fn library_functions_by_property() {
    for (body, property, verdict) in [
        ("memmove(b + 1, b, 8);", "bounds", "unsafe"),
        ("memmove(b + 1, b, 7);", "bounds", "safe"),
        ("memset(b, 0, n & 15);", "bounds", "unsafe"),
        ("memset(b, 0, n & 7);", "bounds", "safe"),
        ("char c[7]; memcpy(c, b, 8);", "bounds", "unsafe"),
        ("char *p = malloc(8); free(p); memset(p, 0, 9);", "bounds", "safe"),
        ("fwrite(b, 3, 3, 0);", "bounds", "unsafe"),
        ("fwrite(b, 2, 4, 0);", "bounds", "safe"),
        ("b[7] = 'h'; puts(b);", "bounds", "unsafe"),
        ("puts(b);", "bounds", "safe"),
        ("b[7] = 'h'; printf(\"%s\", b);", "bounds", "unsafe"),
        ("b[7] = 'h'; printf(b);", "bounds", "unsafe"),
        ("char c[2]; puts(c);", "uninit", "unsafe"),
        ("printf(\"%d %s\", n, n ? b : 0);", "null", "unsafe"),
        ("printf(\"%d %s\", n, b);", "null", "safe"),
    ] {
        let text = format!(
            "{DECLARATIONS}int puts(const char *); int printf(const char *, ...);\n\
             unsigned long fwrite(const void *, unsigned long, unsigned long, void *);\n\
             int main(void) {{ char b[8] = \"abcdefg\"; int n = nondet(); {body} return 0; }}\n"
        );
        let file = Scratch::new("library-by-property.c", &text);
        let run = bolide(&["verify", "--property", property, "--jobs", "1", file.path()]);
        assert_eq!(run.stdout.lines().next(), Some(verdict), "{body}\n{}{}", run.stdout, run.stderr);
    }
}

#[test]
fn lists_of_any_length() {
    verdicts(include_str!("memory/lists.txt"));
}

#[test]
fn data_structures() {
    verdicts(include_str!("memory/structures.txt"));
}

/// A proof by graphs of memory has a certificate that the checker accepts.
#[test]
fn shapes_are_certified() {
    let lists = include_str!("memory/lists.txt");
    for name in ["prepend-and-free", "tree-inserted-and-searched"] {
        let proved = examples(lists).into_iter().find(|e| e.name == name).expect("a program");
        let file = Scratch::new(&format!("shapes-{name}.c"), &proved.text);
        let certificate = Scratch::new(&format!("shapes-{name}.cert"), "");
        let property = ["--property", "memsafety"];
        let options = ["--jobs", "1", "--certificate", certificate.path(), file.path()];
        let run = bolide(&[&["verify"], &property[..], &options[..]].concat());
        assert_eq!(run.stdout.lines().next(), Some("safe"), "{}{}", run.stdout, run.stderr);
        let text = std::fs::read_to_string(certificate.path()).expect("a certificate");
        assert!(text.contains("option by shapes"), "{text}");
        let check = bolide(&[&["check"], &property[..], &[file.path(), certificate.path()]].concat());
        assert_eq!(check.code, 0, "{}{}", check.stdout, check.stderr);
    }
}

#[test]
fn the_sanitizer_confirms() {
    confirmed(include_str!("memory/lists.txt"));
    confirmed(include_str!("memory/objects.txt"));
    confirmed(include_str!("memory/lifetimes.txt"));
    confirmed(include_str!("memory/heap.txt"));
    confirmed(include_str!("memory/library.txt"));
    confirmed(include_str!("memory/structures.txt"));
}

/// An allocation that fails says so.
#[test]
fn failures_of_allocations_have_a_number() {
    for (condition, verdict) in [("errno == 12", "unsafe"), ("errno != 12", "safe")] {
        for make in ["malloc(5)", "strdup(\"a\")", "realloc(0, 3)"] {
            let text = format!(
                "{DECLARATIONS}extern int *__errno_location(void);\n#define errno (*__errno_location())\nextern void reach_error(void);\n\
                 int main(void) {{ errno = 0; void *p = {make}; if (!p && {condition}) reach_error(); return 0; }}\n"
            );
            let file = Scratch::new("number.c", &text);
            let run = bolide(&["verify", "--malloc", "fails", "--jobs", "1", file.path()]);
            assert_eq!(run.stdout.lines().next(), Some(verdict), "{make}\n{}{}", run.stdout, run.stderr);
        }
    }
}
