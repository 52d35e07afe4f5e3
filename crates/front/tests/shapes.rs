//! Proofs by shapes: what is proved is read back and accepted, and it proves nothing about a program with an error.

use bolide_base::Budget;
use bolide_front::c::{self, DataModel, Options, Properties, Task, shape};
use bolide_term::Store;

const DECLARATIONS: &str = "void *malloc(unsigned long); void *calloc(unsigned long, unsigned long); void free(void *); int __VERIFIER_nondet_int(void);
struct n { struct n *next, *prev; int v; };
";

fn task(body: &str) -> Task {
    program(&format!("int main(void) {{ {body} return 0; }}"))
}

fn program(text: &str) -> Task {
    let properties = Properties {
        errors: false,
        labels: Some(false),
        deref: true,
        free: true,
        leak: true,
        ..Properties::default()
    };
    let options = Options { data_model: DataModel::Lp64, properties, ..Options::default() };
    let text = format!("{DECLARATIONS}{text}\n");
    c::load(&mut Store::new(), "test.c", text, &options).expect("C")
}

/// The statements of a program, and those that something goes wrong with: one of them is left out or changed.
const PROGRAMS: &[(&str, &[(&str, &str)])] = &[
    (
        "struct n *h = 0; while (__VERIFIER_nondet_int()) { struct n *x = malloc(sizeof *x); x->next = h; h = x; }
         while (h) { struct n *t = h->next; free(h); h = t; }",
        &[
            ("x->next = h;", ""),
            ("free(h);", ""),
            ("h = t;", "h = t->next;"),
            ("h = x;", "h = x; if (__VERIFIER_nondet_int()) free(x);"),
            ("h = x;", "x->next = x; h = x;"),
            ("free(h);", "free(h); free(t);"),
        ],
    ),
    (
        "struct n *h = malloc(sizeof *h); h->next = h->prev = h;
         while (__VERIFIER_nondet_int()) { struct n *x = malloc(sizeof *x);
           x->next = h; x->prev = h->prev; h->prev->next = x; h->prev = x; }
         struct n *x = h->next; while (x != h) { struct n *t = x->next; free(x); x = t; }
         free(h);",
        &[
            ("h->prev = x; }", "h->prev = 0; }"),
            ("h->prev->next = x;", ""),
            ("x = h->next;", "x = h;"),
            ("x != h", "x != h && __VERIFIER_nondet_int()"),
            ("\n         free(h);", "\n         free(h->next);"),
            ("\n         free(h);", ""),
        ],
    ),
    (
        "struct n *h = 0, *r = 0; while (__VERIFIER_nondet_int()) { struct n *x = malloc(sizeof *x); x->v = __VERIFIER_nondet_int(); x->next = h; h = x; }
         while (h) { struct n *t = h->next; if (h->v) { h->next = r; r = h; } else free(h); h = t; }
         while (r) { struct n *t = r->next; free(r); r = t; }",
        &[
            ("else free(h);", ""),
            ("h->next = r;", "h->next = 0;"),
            ("h->next = r;", ""),
            ("h = t; }", "h = h->next; }"),
            ("if (h->v)", "if (__VERIFIER_nondet_int()) free(h); if (h->v)"),
        ],
    ),
];

#[test]
fn proofs_are_accepted_and_do_not_fit_wrong_programs() {
    for (body, changes) in PROGRAMS {
        proved(task, body, changes);
    }
}

/// A program is proved, the proof is read back and accepted, and what is changed in the program makes it wrong.
fn proved(task: fn(&str) -> Task, text: &str, changes: &[(&str, &str)]) {
    let budget = Budget::unlimited();
    let right = task(text);
    let shapes = shape::find(&right.unit, &budget).unwrap_or_else(|f| panic!("{f:?}: {text}"));
    let written = shape::write(&shapes);
    let read = shape::read(&right.unit, &written).expect("what was written");
    assert_eq!(shape::write(&read), written);
    assert_eq!(shape::check(&right.unit, &read, &budget), Ok(()), "{text}");
    for (old, new) in changes {
        let changed = text.replacen(old, new, 1);
        assert_ne!(changed, text, "{old}");
        let wrong = task(&changed);
        if let Ok(shapes) = shape::read(&wrong.unit, &written) {
            assert!(shape::check(&wrong.unit, &shapes, &budget).is_err(), "{changed}");
        }
        let limited = Budget::unlimited().with_steps(3_000);
        assert!(shape::find(&wrong.unit, &limited).is_err(), "{changed}");
    }
}

/// Trees that loops build, walk down and take down: by rotations, from the leaves, and with pointers back to the nodes above.
const TREES: &[(&str, &[(&str, &str)])] = &[
    (
        "struct n *root = 0;
         while (__VERIFIER_nondet_int()) { struct n *x = malloc(sizeof *x), **p = &root; x->next = x->prev = 0;
           while (*p) p = __VERIFIER_nondet_int() ? &(*p)->next : &(*p)->prev;
           *p = x; }
         while (root) { struct n *t;
           if (root->next) { t = root->next; root->next = t->prev; t->prev = root; } else { t = root->prev; free(root); }
           root = t; }",
        &[
            ("x->next = x->prev = 0;", "x->next = 0;"),
            ("while (*p) p", "if (*p) p"),
            ("*p = x; }", "*p = x; x->next = root; }"),
            ("*p = x; }", "if (__VERIFIER_nondet_int()) *p = x; }"),
            ("root->next = t->prev;", ""),
            ("t->prev = root;", ""),
            ("t->prev = root;", "t->prev = t;"),
            ("t = root->prev; free(root);", "t = 0; free(root);"),
            ("t = root->prev; free(root);", "free(root); t = root->prev;"),
            ("t = root->prev; free(root);", "t = root->prev;"),
        ],
    ),
    (
        "struct n *root = 0;
         while (__VERIFIER_nondet_int()) { struct n *x = malloc(sizeof *x), *p = root; x->next = x->prev = 0;
           if (!root) root = x;
           else for (;;) { if (__VERIFIER_nondet_int()) { if (!p->next) { p->next = x; break; } p = p->next; }
             else { if (!p->prev) { p->prev = x; break; } p = p->prev; } } }
         while (root) { struct n *p = root, *q = 0; while (p->next || p->prev) { q = p; p = p->next ? p->next : p->prev; }
           if (!q) root = 0; else if (q->next == p) q->next = 0; else q->prev = 0;
           free(p); }",
        &[
            ("if (!p->next)", "if (!p->prev)"),
            ("p->next = x; break;", "break;"),
            ("p->next = x; break;", "p->next = x; p->prev = x; break;"),
            ("p->next = x; break;", "p->next = root; break;"),
            ("p = p->prev; } }", "p = p->next; } }"),
            ("p->next || p->prev", "p->next"),
            ("p->next || p->prev", "p->next && p->prev"),
            ("q->next = 0;", ";"),
            ("q = p; p = p->next", "p = p->next"),
            ("if (!q) root = 0;", "if (!q) ;"),
            ("free(p);", ""),
            ("free(p);", "free(p); if (q) free(q);"),
        ],
    ),
];

#[test]
fn trees_that_loops_walk_down_are_proved() {
    for (body, changes) in TREES {
        proved(task, body, changes);
    }
    let parents = "struct t { struct t *l, *r, *up; };
         int main(void) { struct t *root = 0, *p, *q;
           while (__VERIFIER_nondet_int()) { struct t *x = malloc(sizeof *x); x->l = x->r = x->up = 0; p = root;
             if (!p) root = x;
             else for (;;) { if (__VERIFIER_nondet_int()) { if (!p->l) { p->l = x; break; } p = p->l; }
               else { if (!p->r) { p->r = x; break; } p = p->r; } }
             x->up = p; }
           for (p = root; p; ) { if (p->l) p = p->l; else if (p->r) p = p->r;
             else { q = p->up; if (q) { if (q->l == p) q->l = 0; else q->r = 0; } free(p); p = q; } }
           return 0; }";
    let changes = [
        ("x->up = p;", ""),
        ("x->up = p;", "x->up = root;"),
        ("else if (p->r) p = p->r;", ""),
        ("q->l = 0; else", "; else"),
        ("else q->r = 0;", ""),
        ("free(p); p = q;", "p = q;"),
        ("free(p); p = q;", "free(p); p = p->up;"),
        ("q = p->up;", "q = p->up ? p->up->up : 0;"),
    ];
    proved(program, parents, &changes);
}

/// The nodes of a path lead to the next one, each by one cell, and own the trees beside it.
#[test]
fn forged_paths_are_refused() {
    const NEXT: &str = " p 1073741823 0";
    const SELF: &str = " p 1073741822 0";
    let body = TREES[0].0;
    for (old, new) in [
        (NEXT, " i 0"),
        (NEXT, SELF),
        (SELF, NEXT),
        (SELF, " i 0"),
        (" c 2 0 0 ", " c 0 0 0 "),
        (" c 2 0 0 ", " c 1 0 0 "),
        (" c 2 0 0 0 0 0 1 p ", " c 2 0 0 0 0 0 2 p "),
        (" c 0 0 0 0 0 0 1 i 0 i 0 ", " c 2 0 0 0 0 0 1 i 0 i 0 "),
    ] {
        let budget = Budget::unlimited();
        let right = task(body);
        let text = shape::write(&shape::find(&right.unit, &budget).expect("a proof"));
        let forged = text.replace(old, new);
        assert_ne!(forged, text, "{old}");
        let read = shape::read(&right.unit, &forged);
        assert!(
            read.is_err() || read.is_ok_and(|s| shape::check(&right.unit, &s, &budget).is_err()),
            "{old} {new}"
        );
        // What the graphs lose is lost for every place alone, too.
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        for n in 1..lines.len() {
            let (kept, changed) = (lines[n].clone(), lines[n].replacen(old, new, 1));
            if changed != kept {
                lines[n] = changed;
                let read = shape::read(&right.unit, &(lines.join("\n") + "\n"));
                let is_refused =
                    read.is_err() || read.is_ok_and(|s| shape::check(&right.unit, &s, &budget).is_err());
                assert!(is_refused, "{old} {new} in line {n}: {}", lines[n]);
                lines[n] = kept;
            }
        }
    }
}

/// Whole programs with recursive functions, in the same way.
const RECURSIVE: &[(&str, &[(&str, &str)])] = &[
    (
        "void drop(struct n *n) { if (!n) return; drop(n->next); free(n); }
         int main(void) { struct n *h = 0; while (__VERIFIER_nondet_int()) { struct n *x = malloc(sizeof *x); x->next = h; h = x; } drop(h); return 0; }",
        &[
            ("drop(n->next);", ""),
            ("free(n);", ""),
            ("if (!n) return;", ""),
            ("drop(n->next); free(n);", "free(n); drop(n->next);"),
            ("drop(h); return", "drop(h); drop(h); return"),
            ("drop(h); return", "drop(h); if (h) h->v = 1; return"),
        ],
    ),
    (
        "struct t { struct t *l, *r; int v; };
         struct t *insert(struct t *t, int v) { if (!t) { t = malloc(sizeof *t); t->v = v; t->l = t->r = 0; }
           else if (v < t->v) t->l = insert(t->l, v); else t->r = insert(t->r, v); return t; }
         void drop(struct t *t) { if (!t) return; drop(t->l); drop(t->r); free(t); }
         int main(void) { struct t *t = 0; while (__VERIFIER_nondet_int()) t = insert(t, __VERIFIER_nondet_int()); drop(t); return 0; }",
        &[
            ("drop(t->r);", ""),
            ("drop(t->r);", "drop(t->l);"),
            ("t->l = t->r = 0;", "t->l = 0;"),
            ("t->r = insert(t->r, v);", "t->r = insert(0, v);"),
            ("t->r = insert(t->r, v);", "t->r = insert(t->l, v);"),
            ("t->r = insert(t->r, v);", "t->r = t;"),
            ("return t; }", "return t->l ? t->l : t; }"),
            ("drop(t); return", "drop(t->l); return"),
        ],
    ),
];

#[test]
fn recursive_functions_are_proved_by_their_starts_and_ends() {
    let budget = Budget::unlimited();
    for (text, changes) in RECURSIVE {
        let right = program(text);
        let shapes = shape::find(&right.unit, &budget).unwrap_or_else(|f| panic!("{f:?}: {text}"));
        let written = shape::write(&shapes);
        let read = shape::read(&right.unit, &written).expect("what was written");
        assert_eq!(shape::write(&read), written);
        assert_eq!(shape::check(&right.unit, &read, &budget), Ok(()), "{text}");
        // No graph is there for nothing, and none may be left out.
        let lines: Vec<&str> = written.lines().collect();
        for left_out in (1..lines.len()).filter(|n| lines[*n].starts_with("exit")) {
            let rest = lines.iter().enumerate().filter(|(n, _)| *n != left_out).map(|(_, l)| *l);
            let rest = rest.collect::<Vec<_>>().join("\n") + "\n";
            let read = shape::read(&right.unit, &rest).expect("graphs");
            assert!(shape::check(&right.unit, &read, &budget).is_err(), "without {}", lines[left_out]);
        }
        for (old, new) in *changes {
            let changed = text.replacen(old, new, 1);
            assert_ne!(&changed, text, "{old}");
            let wrong = program(&changed);
            if let Ok(shapes) = shape::read(&wrong.unit, &written) {
                assert!(shape::check(&wrong.unit, &shapes, &budget).is_err(), "{changed}");
            }
            let limited = Budget::unlimited().with_steps(3_000);
            assert!(shape::find(&wrong.unit, &limited).is_err(), "{changed}");
        }
    }
}

/// Graphs that were changed are refused, or do not cover the program.
#[test]
fn damaged_proofs_are_refused() {
    let right = task(PROGRAMS[0].0);
    let budget = Budget::unlimited();
    let shapes = shape::find(&right.unit, &budget).expect("a proof");
    let text = shape::write(&shapes);
    let lines: Vec<&str> = text.lines().collect();
    for left_out in 1..lines.len() {
        let rest: Vec<&str> =
            lines.iter().enumerate().filter(|(n, _)| *n != left_out).map(|(_, l)| *l).collect();
        let read = shape::read(&right.unit, &format!("{}\n", rest.join("\n"))).expect("graphs");
        assert!(shape::check(&right.unit, &read, &budget).is_err(), "without {}", lines[left_out]);
    }
    for damaged in ["", "fold never\nx\n", "fold numbers\n0 1\n"] {
        assert!(shape::read(&right.unit, damaged).is_err(), "{damaged}");
    }
}

/// Is the proof of one program, with its lines changed, taken for a proof of another one?
fn passes(right: &str, wrong: &str, change: impl Fn(&str) -> String) -> bool {
    let budget = Budget::unlimited();
    let shapes = shape::find(&task(right).unit, &budget).unwrap_or_else(|f| panic!("{f:?}: {right}"));
    let text = shape::write(&shapes);
    let mut lines = text.lines();
    let mut forged: Vec<String> = lines.next().into_iter().map(String::from).collect();
    forged.extend(lines.map(&change));
    let forged = forged.join("\n") + "\n";
    assert_ne!(forged, text, "nothing was forged");
    let wrong = task(wrong);
    let read = shape::read(&wrong.unit, &forged).expect("graphs");
    shape::check(&wrong.unit, &read, &budget).is_ok()
}

/// A graph with one more symbol, which has the number 90.
fn with_symbol(line: &str, (low, high): (i64, i64)) -> String {
    let mut words: Vec<String> = line.split(' ').map(String::from).collect();
    let number = |words: &[String], at: usize| words[at].parse::<usize>().expect("a number");
    let mut at = 4;
    for _ in 0..number(&words, 3) {
        at += 4 + 2 * number(&words, at + 3);
    }
    at += 1 + 2 * number(&words, at);
    words[at] = (number(&words, at) + 1).to_string();
    words.insert(at + 1, format!("90 {low} {high} 0"));
    words[2] = "91".into();
    words.join(" ")
}

/// A range that is as wide as a byte need not have all values of a byte: here zero is missing.
#[test]
fn a_forged_range_is_refused() {
    let program = |then: &str| {
        format!(
            "int x = 0; int *q = &x; _Bool *p = malloc(1); while (__VERIFIER_nondet_int()) {{ }}
             if (!*p) {{ q = {then}; *q = 1; }} free(p);"
        )
    };
    // Before the byte is read nothing is known about it; afterwards nothing needs to be.
    let forge = |range: (i64, i64)| {
        move |line: &str| match line.split_once(" h 1 1 0 1 0 1 s ") {
            Some((before, after)) => {
                let (_, rest) = after.split_once(" .").expect("the end of an object");
                format!("{before} h 1 1 0 0 .{rest}")
            }
            None => with_symbol(line, range).replace(" h 1 1 0 0 .", " h 1 1 0 1 0 1 s 90 ."),
        }
    };
    let (right, wrong) = (program("&x"), program("0"));
    assert!(passes(&right, &right, forge((0, 255))), "a symbol for an unknown byte changes nothing");
    for range in [(1, 256), (1, 255), (-255, -1), (-256, -1), (256, 511)] {
        assert!(!passes(&right, &wrong, forge(range)), "{range:?}");
        assert!(!passes(&right, &right, forge(range)), "{range:?}");
    }
}

/// Numbers of objects and symbols that come around to the first ones again would make different things the same.
#[test]
fn forged_numbers_are_refused() {
    let program = PROGRAMS[0].0;
    for (at, number) in [(1, u32::MAX), (1, (1 << 30) - 2), (2, u32::MAX), (2, u32::MAX - 3)] {
        let forge = |line: &str| {
            let mut words: Vec<String> = line.split(' ').map(String::from).collect();
            words[at] = number.to_string();
            words.join(" ")
        };
        assert!(!passes(program, program, forge), "{number} at {at}");
    }
}

/// The nodes of a chain have nothing where their links are.
#[test]
fn forged_links_are_refused() {
    let program = |then: &str| {
        format!(
            "int y = 0; int *q = &y; struct n *h = 0;
             while (__VERIFIER_nondet_int()) {{ struct n *x = calloc(1, sizeof *x); x->next = h; h = x; }}
             if (h && h->next && ((unsigned *)&h->next)[1]) {{ q = {then}; *q = 1; }}
             while (h) {{ struct n *t = h->next; free(h); h = t; }}"
        )
    };
    let (right, wrong) = (program("&y"), program("0"));
    let forge = |line: &str| line.replace(" 1 0 1 h 24 1 1 0 .", " 1 0 1 h 24 1 1 1 4 4 i 0 .");
    assert!(!passes(&right, &wrong, forge));
    assert!(!passes(&right, &right, forge));
}
