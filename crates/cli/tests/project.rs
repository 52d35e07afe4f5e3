//! Programs of several files, targets, entries, models, and what reports list.

mod common;

use common::{Folder, Run, bolide};
use std::process::Command;

const MAIN: &str = "#include \"ring.h\"\nextern void reach_error(void);\nstatic int n = 1;\n\
    int main(void) { if (next(n) != 2 LIMIT) reach_error(); return 0; }\n";
const RING: &str = "#include \"ring.h\"\nstatic int n = 5;\nint next(int x) { return n == 5 ? x + 1 : x; }\n";

fn project(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.file("include/ring.h", "int next(int);\n");
    folder.file("main.c", MAIN);
    folder.file("ring.c", RING);
    folder
}

fn in_folder(folder: &Folder, arguments: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bolide"));
    let output = command.args(arguments).current_dir(folder.path("")).output().expect("bolide runs");
    Run {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code().unwrap_or(-1),
    }
}

#[test]
fn files_are_linked_with_flags() {
    let folder = project("project-link");
    let flags = ["verify", "--jobs", "1", "--link", "-Iinclude", "main.c", "ring.c"];
    let run = in_folder(&folder, &[&flags[..], &["-DLIMIT="]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    let run = in_folder(&folder, &[&flags[..], &["-DLIMIT=|| 1"]].concat());
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("ring.c:3:"), "{run:?}");
    let run = in_folder(&folder, &flags);
    assert_eq!(run.code, 65, "{run:?}");
    folder.file("again.c", "int next(int x) { return x; }\n");
    let run = in_folder(&folder, &[&flags[..], &["-DLIMIT=", "again.c"]].concat());
    assert_eq!(run.code, 65, "{run:?}");
    assert!(
        run.stderr.contains("again.c:1:5: error: function 'next' is defined twice, here and in ring.c:3:5")
    );
    // The certificate is about all files.
    folder.file("limit.h", "#define LIMIT\n");
    let with = ["-include", "limit.h", "--certificate", "p.cert"];
    let run = in_folder(&folder, &[&flags[..], &with[..]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    let check = || {
        let cpp = ["--cpp", "cc -E", "-Iinclude", "-include", "limit.h"];
        in_folder(&folder, &[&["check", "main.c", "p.cert", "--link", "ring.c"], &cpp[..]].concat())
    };
    let run = check();
    assert_eq!(run.code, 0, "{run:?}");
    folder.file("ring.c", &RING.replace("n == 5", "n == 4 || n == 5"));
    assert_eq!(check().code, 65);
}

#[test]
fn compilation_databases_and_targets() {
    let folder = project("project-targets");
    folder.file(
        "build/compile_commands.json",
        r#"[{"directory": "..", "file": "main.c", "command": "cc -c -Iinclude '-DLIMIT=' -o main.o main.c"},
            {"directory": "..", "file": "ring.c", "arguments": ["cc", "-I", "include", "-c", "ring.c"]}]"#,
    );
    let run =
        in_folder(&folder, &["verify", "--jobs", "1", "--compile-commands", "build/compile_commands.json"]);
    assert_eq!(run.code, 0, "{run:?}");
    let toml = "[verify]\ninclude-dir = [\"include\"]\n[target.good]\nfiles = [\"main.c\", \"ring.c\"]\ndefine = [\"LIMIT=\"]\n\
        [target.bad]\nfiles = [\"main.c\", \"ring.c\"]\ndefine = [\"LIMIT=|| 1\"]\n\
        [target.next]\nfiles = [\"ring.c\"]\nentry = \"next\"\nproperty = [\"overflow\"]\n";
    folder.file("bolide.toml", toml);
    let run = in_folder(&folder, &["verify"]);
    assert_eq!(run.code, 1, "{run:?}");
    let table: Vec<&str> = run.stdout.lines().rev().take(5).collect();
    assert!(table[0].contains("3 tasks") && table[0].contains("1 safe, 2 unsafe, 0 unknown"), "{run:?}");
    assert!(table[3].starts_with("good ") && table[2].starts_with("bad ") && table[1].starts_with("next "));
    assert_eq!(in_folder(&folder, &["verify", "--target", "good"]).code, 0);
    assert_eq!(in_folder(&folder, &["verify", "--target", "other"]).code, 64);
    folder.file("bolide.toml", "[target.empty]\nentry = \"f\"\n");
    let run = in_folder(&folder, &["verify"]);
    assert!(
        run.code == 64 && run.stderr.contains("bolide.toml:1: error: the target `empty` has no `files`"),
        "{run:?}"
    );
}

#[test]
fn entries_get_objects_and_functions_have_rows() {
    let folder = Folder::new("project-entry");
    let file = folder.file(
        "list.c",
        "struct node { int value; struct node *next; };\nint limit = 3;\nextern void reach_error(void);\n\
         void deep(struct node *p, int n) { if (p && p->next && p->next->value == 42 && n == 7) reach_error(); }\n\
         void set(int *p) { if (p) { *p = 5; if (*p != 5) reach_error(); } }\n\
         void global(void) { if (limit != 3) reach_error(); }\n",
    );
    let run = bolide(&["verify", "--jobs", "1", "--entry", "deep", &file]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("p->next->value = 42, which matters"), "{run:?}");
    assert!(!run.stdout.contains("memory ="), "{run:?}");
    assert_eq!(bolide(&["verify", "--jobs", "1", "--entry", "set", &file]).code, 0);
    assert_eq!(bolide(&["verify", "--jobs", "1", "--entry", "global", &file]).code, 0);
    let record = folder.file(
        "record.c",
        "extern void reach_error(void); struct pair { int a; char *s; }; union word { int i; float f; };\n\
         struct pair whole(struct pair p, int n) { if (p.a == 5 && n == 7) reach_error(); return p; }\n\
         void text(struct pair p) { if (p.s && p.s[0] == 120) reach_error(); }\n\
         void either(union word w) { if (w.i == 5) reach_error(); }\n\
         void kept(struct pair p) { struct pair q = p; if (q.a != p.a) reach_error(); }\n",
    );
    for (entry, code) in [("whole", 1), ("text", 1), ("either", 1), ("kept", 0)] {
        let run = bolide(&["verify", "--jobs", "1", "--entry", entry, &record]);
        assert_eq!(run.code, code, "{entry}: {run:?}");
    }
    assert_eq!(
        bolide(&["verify", "--jobs", "1", "--entry", "global", "--globals", "arbitrary", &file]).code,
        1
    );
    let run = bolide(&["verify", "--functions", &file]);
    assert!(run.stdout.contains("3 tasks") && run.stdout.contains("2 safe, 1 unsafe"), "{run:?}");
}

#[test]
fn models_of_the_user_are_linked() {
    let folder = Folder::new("project-models");
    let file = folder.file(
        "a.c",
        "int level(void); extern void reach_error(void);\nint main(void) { if (level() > 9) reach_error(); return 0; }\n",
    );
    let model = folder.file(
        "model.c",
        "int __VERIFIER_nondet_int(void);\nint level(void) { int v = __VERIFIER_nondet_int(); return v < 9 ? v : 9; }\n",
    );
    assert_eq!(bolide(&["verify", "--jobs", "1", &file]).code, 1);
    assert_eq!(bolide(&["verify", "--jobs", "1", "--models", &model, &file]).code, 0);
}

#[test]
fn reports_list_what_can_be_reached() {
    let folder = Folder::new("project-checks");
    let file = folder.file(
        "a.c",
        "int atoi(const char *); unsigned long strlen(const char *);\nint unused(int *p) { return *p / atoi(\"1\"); }\n\
         int main(void) { char *p = 0; return (int)strlen(p); }\n",
    );
    let run = bolide(&["verify", "--jobs", "1", "--property", "all", &file]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("a.c:3:43: null pointer dereference in strlen"), "{run:?}");
    assert!(!run.stdout.contains("atoi") && run.stdout.contains("unreachable"), "{run:?}");
    let many: String = (0..30).map(|n| format!("int a{n} = 1 / x;")).collect();
    let file = folder.file(
        "many.c",
        &format!("int __VERIFIER_nondet_int(void);\nint main(void) {{ int x = __VERIFIER_nondet_int(); if (x < 1) return 0; {many} return 0; }}\n"),
    );
    let run = bolide(&["verify", "--jobs", "1", "--property", "div-by-zero", &file]);
    assert!(run.stdout.contains("30 checks: 30 safe (-v lists them)"), "{run:?}");
    let run = bolide(&["verify", "--jobs", "1", "-v", "--property", "div-by-zero", &file]);
    assert_eq!(run.stdout.matches("division by zero in main safe").count(), 30, "{run:?}");
}

#[test]
fn something_unsupported_matters_where_executions_come_there() {
    let folder = Folder::new("project-unsupported");
    let text = |condition: &str, end: &str| {
        format!(
            "int setjmp(void *); int __VERIFIER_nondet_int(void); void reach_error(void);\n\
             int main(void) {{ int x = __VERIFIER_nondet_int(), b[9]; if ({condition}) setjmp(b); if ({end}) reach_error(); return 0; }}\n"
        )
    };
    for (condition, end, code) in [
        ("x > 5 && x < 3", "0", 0),
        ("x > 5 && x < 3", "x == 7", 1),
        ("x > 5", "x == 3", 1),
        ("x > 5", "0", 65),
    ] {
        let file = folder.file("a.c", &text(condition, end));
        let run = bolide(&["verify", "--jobs", "1", &file]);
        assert_eq!(run.code, code, "{condition}, {end}: {run:?}");
        assert_eq!(run.stderr.contains("a.c:2:"), code == 65, "{run:?}");
    }
}

/// Of an array of another file, declared without a length, nothing is known: not what its elements are, nor where it ends.
#[test]
fn arrays_of_other_files_without_a_length_hold_anything() {
    let folder = Folder::new("project-undefined-array");
    let text = |body: &str, definition: &str| {
        format!(
            "extern int table[]; void reach_error(void);\nint main(void) {{ {body} return 0; }}\n{definition}\n"
        )
    };
    let reads = "if (table[70] == 3) reach_error();";
    for (body, definition, property, code) in [
        (reads, "", "errors", 1),
        (reads, "", "errors,deref", 65),
        ("int x = 3; if (x == 4) reach_error();", "int other(void) { return table[1]; }", "errors,deref", 0),
        (reads, "int table[71] = {1, [70] = 3};", "errors", 1),
        (reads, "int table[71] = {3, [70] = 1};", "errors", 0),
    ] {
        let file = folder.file("a.c", &text(body, definition));
        let run = bolide(&["verify", "--jobs", "1", "--property", property, &file]);
        assert_eq!(run.code, code, "{body} {definition}: {run:?}");
        let message = "the undefined array 'table', whose length is not known";
        assert_eq!(run.stderr.contains(message), code == 65, "{run:?}");
    }
}

#[test]
fn contracts_are_assumed_at_the_entry_and_checked_at_calls() {
    let folder = Folder::new("project-contracts");
    let header = concat!(env!("CARGO_MANIFEST_DIR"), "/../../include");
    let flag = format!("-I{header}");
    let text = |argument: &str| {
        format!(
            "#include <bolide.h>\nint table[64];\nint at(unsigned n) {{ __requires(n < 64); int v = table[n]; __ensures(v == 0); return v; }}\n\
             int main(void) {{ return at({argument}); }}\n"
        )
    };
    let file = folder.file("a.c", &text("63"));
    let verify = |more: &[&str]| {
        bolide(&[&["verify", "--jobs", "1", &flag, "--property", "errors,bounds"], more].concat())
    };
    assert_eq!(verify(&[&file]).code, 0);
    assert_eq!(verify(&["--entry", "at", &file]).code, 0);
    let file = folder.file("b.c", &text("64"));
    let run = verify(&[&file]);
    assert!(run.code == 1 && run.stdout.contains("precondition in at"), "{run:?}");
    let file = folder.file("c.c", &text("1").replace("v == 0", "v == 1"));
    let run = verify(&[&file]);
    assert!(run.code == 1 && run.stdout.contains("postcondition in at"), "{run:?}");
    // For a compiler they are nothing.
    let compiled = Command::new("cc").args(["-fsyntax-only", &flag, &file]).output();
    assert!(compiled.is_ok_and(|c| c.status.success()));
}

/// Only what has changed in git, itself or by what it includes, is verified.
#[test]
fn changes_since_a_revision() {
    let folder = Folder::new("project-changes");
    folder.file("one.c", "#include \"one.h\"\nint main(void) { return ONE; }\n");
    folder.file("one.h", "#define ONE 1\n");
    folder.file("two.c", "int main(void) { return 2; }\n");
    let git = |words: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=test", "-c", "user.email=test@example.org"]).args(words);
        let output = command.current_dir(folder.path("")).output();
        output.is_ok_and(|o| o.status.success())
    };
    if !git(&["init", "-q"]) {
        return;
    }
    assert!(git(&["add", "."]) && git(&["commit", "-q", "-m", "first"]));
    let run =
        |more: &[&str]| in_folder(&folder, &[&["verify", "--jobs", "1", "--changed-since"], more].concat());
    let unchanged = run(&["HEAD", "one.c", "two.c"]);
    assert_eq!((unchanged.code, unchanged.stdout.lines().count()), (0, 1), "{unchanged:?}");
    folder.file("two.c", "int main(void) { return 3; }\n");
    let changed = run(&["HEAD", "one.c", "two.c"]);
    assert_eq!(changed.code, 0, "{changed:?}");
    assert!(changed.stdout.contains("two.c") && !changed.stdout.contains("one.c"), "{changed:?}");
    folder.file("one.h", "#define ONE 2\n");
    let included = run(&["HEAD", "one.c"]);
    assert!(included.stdout.starts_with("safe"), "{included:?}");
    assert_eq!(run(&["no-such-revision", "one.c"]).code, 64);
}

/// Targets that name folders for includes, which are inside of the project, need no trust.
#[test]
fn targets_have_folders_for_includes() {
    let folder = project("project-includes");
    let target = "[target.program]\nfiles = [\"main.c\", \"ring.c\"]\ninclude-dir = [\"include\"]\ndefine = [\"LIMIT=\"]\n";
    folder.file("bolide.toml", target);
    let run = in_folder(&folder, &["verify", "--jobs", "1"]);
    assert!(run.code == 0 && run.stdout.contains("1 safe"), "{run:?}");
    folder.file("bolide.toml", &target.replace("\"include\"", "\"../include\""));
    assert_eq!(in_folder(&folder, &["verify", "--jobs", "1"]).code, 64);
}
