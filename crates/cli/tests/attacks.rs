//! Attacks on `bolide check`: a certificate that somebody else wrote shows a claim of ours, or nothing at all.

mod common;

use bolide::{Budget, Certificate, Claim, Kind, Options, Rejection, Task, check, verify};
use bolide_cert::format::hash;
use bolide_front::c;
use common::{Folder, bolide};
use std::fmt::Write;
use std::time::{Duration, Instant};

const ERRORS: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n";

/// The certificate that Bolide makes for a task.
fn certificate(task: &Task) -> Certificate {
    let mut options = Options::default();
    (options.certificate, options.vacuity, options.jobs) = (true, false, 1);
    options.program = default_options();
    let budget = Budget::unlimited().with_time(Duration::from_secs(60));
    let report = verify(task, &options, &budget).expect("a task");
    report.certificate.unwrap_or_else(|| panic!("no certificate: {:?}\n{:?}", report.notes, report.verdict))
}

/// How C is read if nothing else is said.
fn default_options() -> c::Options {
    c::Options { entry: Some("main".into()), data_model: c::DataModel::Lp64, ..c::Options::default() }
}

/// What is asked if nothing else is said.
fn default_claim(kind: Kind) -> Claim {
    kind.claim(&default_options())
}

/// Is a certificate of one task rejected for another one, of which it does not hold, even if it names that one?
fn is_rejected(certificate: &Certificate, other: &Task) -> bool {
    let mut forged = certificate.clone();
    forged.task = other.certified().hash().into();
    let forged = Certificate::read(&forged.write()).expect("a certificate");
    let outcome = check(&other.certified(), &default_claim(other.kind), &forged, &Budget::unlimited());
    matches!(outcome, Err(Rejection::Evidence(_) | Rejection::NothingChecked(_)))
}

/// A task that depends on a number, and for which numbers it is safe.
struct Family {
    task: fn(i64) -> Task,
    safe: &'static [i64],
    r#unsafe: &'static [i64],
}

fn c(text: String) -> Task {
    Task::c("task.c", format!("{ERRORS}{text}"))
}

fn horn(text: String) -> Task {
    Task::horn("task.smt2", format!("(set-logic HORN)\n(declare-fun p (Int) Bool)\n{text}(check-sat)\n"))
}

const FAMILIES: &[Family] = &[
    Family {
        task: |n| {
            c(format!(
                "int main(void) {{ int i = 0; while (i < 10) i++; if (i == {n}) reach_error(); return 0; }}"
            ))
        },
        safe: &[11, 12, -1],
        r#unsafe: &[10],
    },
    Family {
        task: |n| {
            c(format!(
                "int main(void) {{ int i = 0, n = __VERIFIER_nondet_int(); if (n < 0 || n > 100) return 0;\n\
                 while (i < n) i++; if (i > {n}) reach_error(); return 0; }}"
            ))
        },
        safe: &[100, 500],
        r#unsafe: &[0, 1, 2, 7, 50, 98, 99, -1, -5],
    },
    Family {
        task: |n| {
            c(format!(
                "int a[4]; int main(void) {{ int i = __VERIFIER_nondet_int() & 3; a[i] = i + {n};\n\
                 if (a[i] > 5) reach_error(); return 0; }}"
            ))
        },
        safe: &[0, 1, 2, -7],
        r#unsafe: &[3, 4, 5, 6, 100],
    },
    Family {
        task: |n| {
            c(format!(
                "int f(int x) {{ return x + {n}; }} int main(void) {{ int x = __VERIFIER_nondet_int();\n\
                 if (x < 0 || x > 10) return 0; if (f(f(x)) > 14) reach_error(); return 0; }}"
            ))
        },
        safe: &[0, 1, 2],
        r#unsafe: &[3, 4, 9],
    },
    Family {
        task: |n| {
            c(format!(
                "unsigned char x; int main(void) {{ x = 250; while (x >= {n}) x++; if (x > 200) reach_error(); return 0; }}"
            ))
        },
        safe: &[1, 50, 200],
        r#unsafe: &[251, 252, 255, 256, 1000],
    },
    Family {
        task: |n| {
            horn(format!(
                "(assert (forall ((x Int)) (=> (= x 0) (p x))))\n\
                 (assert (forall ((x Int)) (=> (and (p x) (< x 10)) (p (+ x 1)))))\n\
                 (assert (forall ((x Int)) (=> (and (p x) (> x {n})) false)))\n"
            ))
        },
        safe: &[10, 11, 12, 20, 50],
        r#unsafe: &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    },
    Family {
        task: |n| {
            horn(format!(
                "(assert (forall ((x Int)) (=> (= x {n}) (p x))))\n\
                 (assert (forall ((x Int)) (=> (p x) (p (+ x 2)))))\n\
                 (assert (forall ((x Int)) (=> (and (p x) (= x 101)) false)))\n"
            ))
        },
        safe: &[0, 2, 50, 102, 103],
        r#unsafe: &[1, 3, 99, 101],
    },
    Family {
        task: |n| {
            let text = format!(
                "1 sort bitvec 4\n2 zero 1\n3 state 1 c\n4 init 1 3 2\n5 constd 1 2\n6 add 1 3 5\n7 next 1 3 6\n\
                 8 sort bitvec 1\n9 constd 1 {n}\n10 eq 8 3 9\n11 bad 10\n"
            );
            Task::new("task.btor2", Kind::Btor2, text)
        },
        safe: &[1, 3, 5, 7, 9, 11, 13, 15],
        r#unsafe: &[0, 2, 4, 6, 8, 10, 12, 14],
    },
    // A ring of five latches in which one token goes round: two of them never have it together.
    Family {
        task: |n| {
            let (a, b) = (2 * (n % 5 + 1), 2 * (n / 5 % 5 + 1));
            let text = format!("aag 6 0 5 0 1 1\n2 10 1\n4 2 0\n6 4 0\n8 6 0\n10 8 0\n12\n12 {a} {b}\n");
            Task::new("task.aag", Kind::Aiger, text)
        },
        safe: &[1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23],
        r#unsafe: &[0, 6, 12, 18, 24],
    },
];

/// What was shown of one task does not hold of its neighbour, nor does it show the opposite of its own.
#[test]
fn certificates_do_not_pass_for_other_tasks() {
    let mut attacks: Vec<(Kind, usize)> = Vec::new();
    for (n, family) in FAMILIES.iter().enumerate() {
        let (mut kind, mut count) = (Kind::Program, 0);
        for (own, others) in [(family.safe, family.r#unsafe), (family.r#unsafe, family.safe)] {
            for &number in own {
                let task = (family.task)(number);
                kind = task.kind;
                let certificate = certificate(&task);
                let mut opposite = certificate.clone();
                opposite.verdict = match certificate.verdict {
                    bolide_cert::Verdict::Safe => bolide_cert::Verdict::Unsafe,
                    bolide_cert::Verdict::Unsafe => bolide_cert::Verdict::Safe,
                };
                assert!(is_rejected(&opposite, &task), "family {n}: {number} turned round");
                for &other in others {
                    let other_task = (family.task)(other);
                    assert!(is_rejected(&certificate, &other_task), "family {n}: {number} for {other}");
                    // Even the right verdict needs evidence.
                    assert!(
                        is_rejected(&opposite, &other_task),
                        "family {n}: {number} turned round for {other}"
                    );
                    count += 2;
                }
                count += 1;
            }
        }
        attacks.push((kind, count));
    }
    for kind in [Kind::Program, Kind::Horn, Kind::Aiger, Kind::Btor2] {
        let count: usize = attacks.iter().filter(|(k, _)| *k == kind).map(|(_, count)| count).sum();
        assert!(count >= 200, "{count} attacks on {kind:?}");
    }
}

/// A certificate is about one property, one entry and one way to read the text; about any other claim it is rejected before it is
/// looked at.
#[test]
fn the_claim_is_ours() {
    let text = "int other(void) { return 0; } int main(void) { int i = 0, n = __VERIFIER_nondet_int(); while (i < n) i++; if (n > 0 && i > n) reach_error(); return 0; }";
    let task = c(text.into());
    let certificate = certificate(&task);
    let own = default_options();
    let accepts = |options: &c::Options, certificate: &Certificate| {
        check(&task.certified(), &Claim::C(options.clone()), certificate, &Budget::unlimited())
    };
    assert_eq!(accepts(&own, &certificate), Ok(()));
    let mut claims = Vec::new();
    for bits in 0..128u32 {
        let on = |n: u32| bits >> n & 1 == 1;
        let mut other = own.clone();
        let properties = &mut other.properties;
        (properties.errors, properties.overflow, properties.div_by_zero) = (on(0), on(1), on(2));
        (properties.bounds, properties.null, properties.shift) = (on(3), on(4), on(5));
        properties.labels = on(6).then_some(bits & 1 == 0);
        if bits != 1 {
            claims.push(other);
        }
    }
    claims.push(c::Options { entry: Some("other".into()), ..own.clone() });
    claims.push(c::Options { entry: Some("nothing".into()), ..own.clone() });
    claims.push(c::Options { data_model: c::DataModel::Ilp32, ..own.clone() });
    claims.push(c::Options { ints: c::Ints::Unbounded, ..own.clone() });
    for claim in &claims {
        assert!(matches!(accepts(claim, &certificate), Err(Rejection::OtherClaim(_))), "{claim:?}");
    }
    // The other way round: the certificate says something else of itself, twice, or something that nobody knows.
    let spoilt = certificate.write();
    for (from, to) in [
        ("option data-model LP64\n", "option data-model ILP32\n"),
        ("option data-model LP64\n", ""),
        ("option properties errors\n", "option properties \n"),
        ("option properties errors\n", "option properties overflow\n"),
        ("option properties errors\n", "option properties errors,overflow\n"),
        ("option entry main\n", "option entry other\n"),
        ("option entry main\n", "option entry other\noption entry main\n"),
        ("option entry main\n", "option entry main\noption entry other\n"),
        ("option entry main\n", "option entry main\noption only other\n"),
        ("option ints machine\n", "option ints unbounded\n"),
        ("kind c\n", "kind horn\n"),
        ("section invariant ", "section invariant 0\nsection invariant "),
    ] {
        let changed = spoilt.replacen(from, to, 1);
        assert_ne!(changed, spoilt, "{from}");
        let outcome = Certificate::read(&changed).map(|certificate| accepts(&own, &certificate));
        assert!(!matches!(outcome, Ok(Ok(()))), "{from} as {to}");
    }
}

/// A C program and what is asked of it.
struct Asked {
    task: Task,
    options: c::Options,
}

impl Asked {
    fn new(text: &str, change: impl FnOnce(&mut c::Options)) -> Asked {
        let declared = "extern void *malloc(unsigned long); extern void free(void *);\n\
                        extern void __bolide_requires(int); extern void __bolide_ensures(int);\n";
        let mut options = default_options();
        change(&mut options);
        Asked { task: c(format!("{declared}{text}")), options }
    }

    fn linked(parts: [&str; 2]) -> Asked {
        let parts = parts.map(|text| format!("{ERRORS}{text}"));
        let named = [("a.c", parts[0].as_bytes()), ("b.c", parts[1].as_bytes())];
        let joined = c::syntax::join(&named).expect("units");
        let task = Task::c("a.c b.c", parts[0].as_str()).with_preprocessed(joined);
        Asked { task: task.with_included(vec![parts[1].clone().into()]), options: default_options() }
    }

    fn certificate(&self) -> Certificate {
        let mut options = Options::default();
        (options.certificate, options.vacuity, options.jobs) = (true, false, 1);
        options.program = self.options.clone();
        let budget = Budget::unlimited().with_time(Duration::from_secs(60));
        let report = verify(&self.task, &options, &budget).expect("a task");
        report.certificate.unwrap_or_else(|| panic!("{:?}\n{:?}", report.notes, report.verdict))
    }

    /// Is a certificate accepted as one of this, if it says that it is?
    fn accepts(&self, certificate: &Certificate) -> bool {
        let claim = Claim::C(self.options.clone());
        let mut forged = certificate.clone();
        forged.task = self.task.certified().hash().into();
        let own = claim.options();
        forged.options.retain(|(name, _)| !own.iter().any(|(n, _)| n == name));
        forged.options.splice(0..0, own);
        let forged = Certificate::read(&forged.write()).expect("a certificate");
        check(&self.task.certified(), &claim, &forged, &Budget::unlimited()).is_ok()
    }
}

/// Programs with contracts, with another entry, with arbitrary globals, of several files, with allocations that fail: what was shown
/// of one is not accepted of another, whatever the certificate says that it is about.
#[test]
fn certificates_do_not_pass_for_other_questions() {
    let entry = |name: &'static str| move |o: &mut c::Options| o.entry = Some(name.into());
    let contract = |condition: &str| {
        let text = format!(
            "int at(unsigned n) {{ __bolide_requires({condition}); int v = 64 - (int)n; __bolide_ensures(v > 0); return v; }}"
        );
        Asked::new(&text, entry("at"))
    };
    let called = |most: i32| {
        let text = format!(
            "int at(int n) {{ __bolide_requires(n < 10); return n; }}\n\
             int main(void) {{ int x = __VERIFIER_nondet_int(); if (x < {most}) at(x); return 0; }}"
        );
        Asked::new(&text, |_| {})
    };
    let globals = |open: bool, name: &'static str| {
        let text = "int k = 3; void f(int x) { int i = 0; while (i < k) i++; if (x > 0 && i != 3) reach_error(); }\n\
                    void g(int x) { if (x == 7) reach_error(); } int main(void) { f(1); return 0; }";
        Asked::new(text, move |o| (o.open_globals, o.entry) = (open, Some(name.into())))
    };
    let memory = |fails: bool, body: &str| {
        let text = format!("int main(void) {{ int *p = malloc(4); {body} return 0; }}");
        Asked::new(&text, move |o| {
            o.malloc_fails = fails;
            (o.properties.errors, o.properties.deref) = (false, true);
            (o.properties.free, o.properties.leak) = (true, true);
        })
    };
    let list = |step: &str, last: &str, errors: bool| {
        let text = format!(
            "struct n {{ struct n *next; int v; }};\n\
             int main(void) {{ struct n *l = 0; while (__VERIFIER_nondet_int()) {{ struct n *p = malloc(sizeof *p);\n\
             p->next = l; p->v = 1; l = p; }} {last} while (l) {{ struct n *t = l->next; {step} l = t; }} return 0; }}"
        );
        Asked::new(&text, move |o| {
            (o.properties.errors, o.properties.deref) = (errors, true);
            (o.properties.free, o.properties.leak) = (true, true);
        })
    };
    let linked = |result: i32| {
        Asked::linked([
            "int get(void); int x; int main(void) { int i = 0; while (i < get()) { i++; x++; } if (x == 2) reach_error(); return 0; }",
            &format!("static int x = 1; int get(void) {{ return x + {result}; }}"),
        ])
    };
    let families = [
        (vec![contract("n < 64"), contract("n <= 3")], vec![contract("n <= 64"), contract("n > 0")]),
        (vec![called(3), called(10)], vec![called(11), called(100)]),
        (
            vec![globals(false, "f"), globals(false, "main")],
            vec![globals(true, "f"), globals(false, "g"), globals(true, "g")],
        ),
        (
            vec![memory(false, "*p = 1; free(p);"), memory(true, "if (p) *p = 1; free(p);")],
            vec![
                memory(true, "*p = 1; free(p);"),
                memory(false, "*p = 1;"),
                memory(false, "free(p); free(p);"),
                memory(false, "p[1] = 1; free(p);"),
            ],
        ),
        (
            vec![list("free(l);", "", false)],
            vec![
                list("", "", false),
                list("free(l); free(l);", "", false),
                list("free(l);", "if (l) free(l);", false),
                list("free(l);", "if (l) reach_error();", true),
            ],
        ),
        (vec![linked(0), linked(2)], vec![linked(1)]),
    ];
    for (n, (safe, r#unsafe)) in families.iter().enumerate() {
        for (own, others) in [(safe, r#unsafe), (r#unsafe, safe)] {
            for (k, asked) in own.iter().enumerate() {
                let certificate = asked.certificate();
                let expected = if std::ptr::eq(own, safe) { "safe" } else { "unsafe" };
                assert_eq!(certificate.verdict.to_string(), expected, "family {n}, {k}");
                assert!(asked.accepts(&certificate), "family {n}, {k}");
                for (m, other) in others.iter().enumerate() {
                    assert!(!other.accepts(&certificate), "family {n}, {expected} {k} for {m}");
                }
            }
        }
    }
}

/// The header of a certificate of a C program.
fn header(text: &str, properties: &str, entry: &str, verdict: &str) -> String {
    format!(
        "bolide-certificate 1\nkind c\ntask {}\noption data-model LP64\noption ints machine\noption properties {properties}\n\
         option entry {entry}\noption globals initial\noption malloc succeeds\n{}verdict {verdict}\n",
        hash(text.as_bytes()),
        if verdict == "safe" { "option form original\n" } else { "" },
    )
}

const EMPTY_PROOF: &str = "section invariant 0\nsection proof 0\nend\n";

/// The command takes the claim from its command line or the task file, and says what differs.
#[test]
fn the_command_states_the_claim() {
    let folder = Folder::new("claims");
    let text = "extern void reach_error(void);\nint other(void) { return 0; }\nint main(void) { reach_error(); return 0; }\n";
    let file = folder.file("bad.c", text);
    folder.file("reach.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    let yml = folder.file(
        "bad.yml",
        "format_version: '2.0'\ninput_files: 'bad.c'\nproperties:\n  - property_file: reach.prp\noptions:\n  language: C\n  data_model: ILP32\n",
    );
    for (name, properties, entry, differs) in [
        ("none", "", "main", "properties none, not errors"),
        ("other", "errors", "other", "entry other, not main"),
        ("overflow", "overflow", "main", "properties overflow, not errors"),
    ] {
        let certificate = folder.file(name, &(header(text, properties, entry, "safe") + EMPTY_PROOF));
        let run = bolide(&["check", &file, &certificate]);
        assert!(run.code == 1 && run.stdout.starts_with("rejected: "), "{run:?}");
        assert!(run.stdout.contains(differs), "{run:?}");
        let run = bolide(&["check", &yml, &certificate]);
        assert!(run.code == 1 && run.stdout.contains("data-model LP64, not ILP32"), "{run:?}");
        // What is said on the command line counts, not what the task file says.
        let run = bolide(&["check", "--data-model", "LP64", &yml, &certificate]);
        assert!(run.code == 1 && !run.stdout.contains("data-model"), "{run:?}");
    }
    // Nothing that could be violated is not `safe`, even if that is what was asked.
    let certificate =
        folder.file("asked", &(header(text, "no-labels,overflow", "main", "safe") + EMPTY_PROOF));
    let run = bolide(&["check", "--property", "overflow", &file, &certificate]);
    assert!(run.code == 1 && run.stdout.contains("nothing is checked"), "{run:?}");
}

/// A `bolide.toml` beside the task neither runs a command nor lets another text be read, nor writes where it likes.
#[test]
fn a_stranger_s_configuration_runs_nothing() {
    let folder = Folder::new("configured");
    let text = "#define X 1\nextern void reach_error(void);\nint main(void) { reach_error(); return 0; }\n";
    let good =
        "extern void reach_error(void);\nint main(void) { int i = 0; if (i > 3) reach_error(); return 0; }\n";
    let file = folder.file("bad.c", text);
    let good_file = folder.file("good.c", good);
    let ran = folder.path("ran");
    let script = folder.file("evil.sh", &format!("touch {ran}\ncat {good_file}\n"));
    let certificate = folder.file("good.cert", &(header(good, "errors", "main", "safe") + EMPTY_PROOF));
    for table in ["check", "verify", "show", "translate"] {
        folder.file("bolide.toml", &format!("[{table}]\ncpp = \"sh {script}\"\n"));
        let run = bolide(&["check", &file, &certificate]);
        assert!(run.code != 0 && !run.stdout.contains("accepted"), "{run:?}");
        for command in ["verify", "show", "translate"] {
            let run = bolide(&[command, &file]);
            let is_refused = table == "check" || table == command;
            assert!(
                !is_refused || run.code == 64 && run.stderr.contains("bolide.toml"),
                "{table} {command}: {run:?}"
            );
        }
        assert!(!std::path::Path::new(&ran).exists(), "{table}");
    }
    // Whoever trusts the folder may let it.
    folder.file("bolide.toml", &format!("[verify]\ncpp = \"sh {script}\"\n"));
    assert!(bolide(&["verify", "--trust-config", &file]).stdout.starts_with("safe"));
    assert!(std::path::Path::new(&ran).exists());
    for path in ["../outside.html", "/tmp/outside.html", ".git/config"] {
        folder.file("bolide.toml", &format!("[verify]\nreport = \"{path}\"\n"));
        let run = bolide(&["verify", &good_file]);
        assert!(run.code == 64 && run.stderr.contains("outside"), "{run:?}");
    }
}

/// A file is the same file by whichever name. If it needs a preprocessor, the certificate has the text, and the checker makes sure that it
/// is that of the files.
#[test]
fn names_do_not_matter() {
    let folder = Folder::new("names");
    let text = |header: &str| {
        format!(
            "#include {header}\nextern void reach_error(void);\nint main(void) {{ int i = 0; if (i > N) reach_error(); return 0; }}\n"
        )
    };
    let file = folder.file("x.c", &text("\"y.h\""));
    folder.file("y.h", "#define N 3\n");
    let certificate = folder.path("x.cert");
    if bolide(&["verify", "--certificate", &certificate, &file]).code != 0 {
        // There is no preprocessor here.
        return;
    }
    let dotted = folder.path("./x.c");
    for name in [&file, &dotted] {
        for options in [&["check", "--cpp", "cc -E"][..], &["check"]] {
            let run = bolide(&[options, &[name, &certificate]].concat());
            assert!(run.code == 0 && run.stdout.starts_with("accepted: safe\n"), "{run:?}");
        }
    }
    // The text is another one than the file's.
    let written = std::fs::read_to_string(&certificate).expect("a certificate");
    for (from, to) in
        [("i > 3", "i > 4"), ("section text ", "section other "), ("reach_error(); return", "; return")]
    {
        let forged = folder.file("forged.cert", &written.replacen(from, to, 1));
        let run = bolide(&["check", &file, &forged]);
        assert!(run.code == 65 && run.stdout.is_empty() && run.stderr.contains("--cpp"), "{from}: {run:?}");
    }
    // What is included is part of the task.
    folder.file("y.h", "#define N 3 + 0\n");
    assert_eq!(bolide(&["check", &file, &certificate]).code, 65);
    let run = bolide(&["check", "--cpp", "cc -E", &file, &certificate]);
    assert!(run.code == 65 && run.stdout.contains("another task"), "{run:?}");
    // What a header of the system says, nobody knows but the preprocessor; nor what a compiler defines.
    let odd = ["<limits.h>\n#define N 3", "\"y.h\"\n#ifdef __GNUC__\nint gnu;\n#endif"];
    for (n, header) in odd.into_iter().enumerate() {
        let file = folder.file(&format!("odd{n}.c"), &text(header));
        let certificate = folder.path("odd.cert");
        assert_eq!(bolide(&["verify", "--certificate", &certificate, &file]).code, 0, "{header}");
        assert_eq!(bolide(&["check", "--cpp", "cc -E", &file, &certificate]).code, 0, "{header}");
        let run = bolide(&["check", &file, &certificate]);
        assert!(run.code == 65 && run.stdout.is_empty(), "{header}: {run:?}");
    }
}

/// A text that comes with a certificate is not read instead of a file that needs no preprocessor.
#[test]
fn a_smuggled_text_is_not_read() {
    let folder = Folder::new("smuggled");
    let good = format!(
        "{ERRORS}int main(void) {{ int i = 0; while (i < 5) i++; if (i > 5) reach_error(); return 0; }}\n"
    );
    let bad = format!("{ERRORS}int main(void) {{ reach_error(); return 0; }}\n");
    let mut forged = certificate(&Task::c("good.c", good.clone()));
    forged.sections.insert(0, bolide_cert::Section { name: "text".into(), text: good });
    let file = folder.file("bad.c", &bad);
    for hash in [hash(bad.as_bytes()), bolide_cert::format::hash_files(&[bad.as_bytes()])] {
        forged.task = hash;
        let run = bolide(&["check", &file, &folder.file("forged.cert", &forged.write())]);
        assert!(run.code != 0 && !run.stdout.contains("accepted"), "{run:?}");
    }
}

/// Traces cannot do what no execution does.
#[test]
fn forged_traces_are_no_traces() {
    let text = "extern void reach_error(void);\nint *volatile keep;\nint *volatile other;\n\
        int f(int n) { int a[2]; keep = a; return keep[n & 1]; }\n\
        int main(void) { int g = 0; other = &g; f(0); f(1); if (*other != 0) reach_error(); return 0; }\n";
    let task = Task::c("task.c", text);
    let mut forged = 0;
    for site in 0..6 {
        for offset in [8, 12, 16, 24, 32, 40, 64, 128, 4096, u64::MAX - 3] {
            for bytes in [1u64, 4, 8, 16, 1 << 31, (1 << 32) - 1] {
                let inputs =
                    format!("object {site} {offset} {bytes} 1\nobject {site} 0 {} 1\n", bytes.max(17));
                let certificate =
                    header(text, "errors", "main", "unsafe") + &format!("section inputs 2\n{inputs}end\n");
                let certificate = Certificate::read(&certificate).expect("a certificate");
                let start = Instant::now();
                let outcome = check(
                    &task.certified(),
                    &default_claim(Kind::Program),
                    &certificate,
                    &Budget::unlimited(),
                );
                assert!(matches!(outcome, Err(Rejection::Evidence(_))), "{inputs}: {outcome:?}");
                assert!(start.elapsed() < Duration::from_secs(5), "{inputs}");
                forged += 1;
            }
        }
    }
    assert!(forged >= 300);
}

/// A division by zero has some value, of which a derivation cannot say which.
#[test]
fn divisions_by_zero_derive_nothing() {
    for (sort, term, value) in [
        ("Int", "(= (div x 0) 0)", "7"),
        ("Int", "(= (mod x 0) 0)", "7"),
        ("Int", "(= (div x (- x x)) 0)", "7"),
        ("Int", "(= (div 1 y) 0)", "0"),
        ("Int", "(= (mod 1 y) 0)", "0"),
        ("Int", "(not (= (div x 0) 5))", "7"),
        ("Real", "(= (/ x 0.0) 0.0)", "7.0"),
        ("Real", "(= (/ 1.0 y) 0.0)", "0.0"),
    ] {
        let text = format!(
            "(set-logic HORN)\n(declare-fun p ({sort}) Bool)\n(assert (forall ((x {sort})) (p x)))\n\
             (assert (forall ((x {sort}) (y {sort})) (=> (and (p x) (= x y) {term}) false)))\n(check-sat)\n"
        );
        let task = Task::horn("task.smt2", text.clone());
        let steps = format!("step 0\nlet x!1 {value}\nstep 1 0\nlet x!2 {value}\nlet y!3 {value}\n");
        let certificate = format!(
            "bolide-certificate 1\nkind horn\ntask {}\nverdict unsafe\nsection derivation 5\n{steps}end\n",
            hash(text.as_bytes())
        );
        let certificate = Certificate::read(&certificate).expect("a certificate");
        let outcome = check(&task.certified(), &Claim::Horn, &certificate, &Budget::unlimited());
        let Err(Rejection::Evidence(reason)) = outcome else { panic!("{term}: {outcome:?}") };
        assert!(reason.contains("division by a term that is zero"), "{term}: {reason}");
    }
}

/// Folds are functions: what is no structural recursion is no definition, names are not those of the task, and what is chosen for a
/// parameter does not depend on it.
#[test]
fn folds_that_are_no_functions_are_rejected() {
    let text = "(set-logic HORN)\n(declare-datatype List ((nil) (cons (head Int) (tail List))))\n\
                (declare-fun len (List Int) Bool)\n(assert (len nil 0))\n\
                (assert (forall ((h Int) (x List) (n Int)) (=> (len x n) (len (cons h x) (+ n 1)))))\n\
                (assert (forall ((x List) (n Int)) (=> (and (len x n) (> n 0)) false)))\n(check-sat)\n";
    let task = Task::horn("task.smt2", text.to_owned());
    let outcome = |folds: &str| {
        let certificate = format!(
            "bolide-certificate 1\nkind horn\ntask {}\nverdict safe\nsection invariant 1\n0 true\n\
             section folds {}\n{folds}section proof 0\nend\n",
            hash(text.as_bytes()),
            folds.lines().count()
        );
        let certificate = Certificate::read(&certificate).expect("a certificate");
        match check(&task.certified(), &Claim::Horn, &certificate, &Budget::unlimited()) {
            Err(Rejection::Evidence(reason)) => reason,
            other => panic!("{folds}{other:?}"),
        }
    };
    let length = "fold 0 Int 0 List\ncase 0 0\n";
    for (folds, reason) in [
        (format!("{length}case 0 (+ 1 (@fold.0 @value.0))\n"), "something else than a part of the value"),
        (format!("{length}case 0 (+ 1 (@fold.0 nil))\n"), "something else than a part of the value"),
        (format!("{length}case 0 (+ 1 (@fold.0 (tail (tail @value.0))))\n"), "looks into a value"),
        ("fold 0 Int 0 List\ncase 0 (@fold.0 (tail @value.0))\ncase 0 0\n".into(), "looks into a value"),
        (format!("{length}case 0 (head (tail @value.0))\n"), "looks into a value"),
        (format!("{length}case 0 (ite (= @value.0 nil) 1 2)\n"), "uses the value itself"),
        (length.into(), "a case for each constructor"),
        (format!("{length}case 0 1\ncase 0 2\n"), "a case for each constructor"),
        (format!("{length}case 0 true\n"), "of another sort"),
        (format!("{length}case 0 1\nfact 0 (= @value.0 nil)\n"), "uses the value itself"),
        (format!("{length}case 0 1\nfact 0 (= (@fold.0 (tail @value.0)) 0)\n"), "looks into a value"),
        (
            format!("{length}case 0 1\nfact 0 (= (@fold.0 nil) 1)\n"),
            "something else than a part of the value",
        ),
        (format!("param Int\n{length}case 0 1\ninstance 2 (+ @param.0 1)\n"), "cannot be read"),
        (format!("param Int\n{length}case 0 @param.0\n"), "parameters that are not its arguments"),
        (format!("param Int\n{length}case 0 1\ninstance 2 true\n"), "of another sort than its parameter"),
        (format!("{length}case 0 1\nfact 0 false\n"), "the number of obligations is 5"),
        ("fold 0 Int 0 Tree\n".into(), "a datatype is unknown"),
        (
            "fold 0 Int 0 List\nfold 0 Int 1 List\ncase 0 0\ncase 0 0\ncase 1 1\ncase 2 1\n".into(),
            "no such fold",
        ),
    ] {
        let said = outcome(&folds);
        assert!(said.contains(reason), "{folds}{said}");
    }
}

/// Numbers in certificates are believed as far as there is something behind them, nesting costs no stack, and a step that takes
/// too long is ended.
#[test]
fn large_certificates_end_in_time() {
    const MANY: usize = 300_000;
    let folder = Folder::new("large");
    let text = format!(
        "{ERRORS}int main(void) {{ int i = 0; while (i < 9) i++; if (i > 9) reach_error(); return 0; }}\n"
    );
    let file = folder.file("task.c", &text);
    let head = header(&text, "errors", "main", "safe");
    let invariant =
        |formula: String| format!("{head}section invariant 1\n0 {formula}\nsection proof 0\nend\n");
    let proof = |lines: String| {
        format!("{head}section invariant 0\nsection proof {}\n{lines}end\n", lines.lines().count())
    };
    let mut chain = String::from("s bool\nf =p 0\nt app 0\n");
    (0..MANY).for_each(|n| _ = writeln!(chain, "t not {n}"));
    let product = |width: u32| {
        format!(
            "s bv {width}\nf =x 0\nf =y 0\nt app 0\nt app 1\nt bvmul 0 1\nt bvudiv 0 1\nt eq 2 3\nrefutation\nX bitblast 2 : 1\n"
        )
    };
    let attacks = [
        invariant("(not ".repeat(MANY) + "true" + &")".repeat(MANY)),
        invariant("(".repeat(MANY)),
        invariant("(+ 1 ".repeat(MANY) + "1" + &")".repeat(MANY)),
        invariant("(let ((x true)) ".repeat(MANY) + "x" + &")".repeat(MANY)),
        invariant("9".repeat(MANY)),
        invariant(format!("(= {} 1)", "9".repeat(1_000_000))),
        format!("{head}section invariant 18446744073709551615\nend\n"),
        format!("{head}section invariant 4294967296\nend\n"),
        format!("{head}{}end\n", "section a 0\n".repeat(MANY)),
        format!("{head}{}end\n", (0..MANY).fold(String::new(), |s, n| s + &format!("section a{n} 0\n"))),
        (0..MANY).fold(String::from("bolide-certificate 1\nkind c\ntask 0\n"), |s, n| {
            s + &format!("option a{n} 0\n")
        }),
        proof(chain),
        proof("refutation\n".repeat(MANY)),
        proof("s int\n".repeat(MANY)),
        proof(product(8192)),
        proof(product(1 << 20)),
        proof(format!("s int\nt num {} 0\n", "7".repeat(99_999)) + &"t mul 0 0\n".repeat(20)),
        header(&text, "errors", "main", "unsafe") + "section inputs 1\nobject 0 0 4294967295 1\nend\n",
        header(&text, "errors", "main", "unsafe") + "section inputs 1\nmemory 99999999999 16 1\nend\n",
    ];
    for (n, attack) in attacks.iter().enumerate() {
        let certificate = folder.file(&format!("{n}.cert"), attack);
        let start = Instant::now();
        let run = bolide(&["check", "--timeout", "2", "--memory", "1000", &file, &certificate]);
        assert!([1, 2, 65].contains(&run.code), "attack {n}: {run:?}");
        assert!(!run.stdout.contains("accepted"), "attack {n}");
        assert!(start.elapsed() < Duration::from_secs(6), "attack {n}: {:?}", start.elapsed());
    }
}
