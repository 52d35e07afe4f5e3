//! Proofs by abstraction, said about the program as it was read: quantified formulas, and ghosts for prophecies.

mod common;

use bolide_base::Budget;
use bolide_cert::{Certificate, Claim, Text, check, obligations};
use bolide_smt::{Answer, Config, Solver};
use bolide_testkit::{Random, is_long};
use common::{Folder, bolide};
use std::fmt::Write;
use std::time::Duration;

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n";

/// Programs that are proved with cells instead of arrays, each with something that the way back has to deal with.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "filled.c",
        "int main(void) {
  int a[20000], i, c = __VERIFIER_nondet_int();
  for (i = 0; i < 20000; i++) a[i] = c;
  for (i = 0; i < 20000; i++) if (a[i] != c) reach_error();
  return 0;
}
",
    ),
    // The prophecy about the loop that ends there is over before the error.
    (
        "searched.c",
        "int main(void) {
  int cells[20000], sought = __VERIFIER_nondet_int(), i = 0, at;
  while (i < 20000 && cells[i] != sought) i++;
  for (at = 0; at < i; at++) if (cells[at] == sought) reach_error();
  return 0;
}
",
    ),
    // Loops without influence lie between those that matter.
    (
        "sliced.c",
        "int main(void) {
  int a[20000], i, j, c = __VERIFIER_nondet_int(), waste = 0;
  for (i = 0; i < 20000; i++) { for (j = 0; j < 3; j++) waste += i; a[i] = c; }
  for (i = 0; i < 20000; i++) { for (j = 0; j < i; j++) waste -= j; if (a[i] != c) reach_error(); }
  return 0;
}
",
    ),
    // The place comes from outside.
    (
        "asked.c",
        "int main(void) {
  int a[20000], i;
  for (i = 0; i < 20000; i++) a[i] = 3;
  while (1) {
    int at = __VERIFIER_nondet_int();
    if (at < 0 || at >= 20000) break;
    if (a[at] != 3) reach_error();
  }
  return 0;
}
",
    ),
];

/// Verifies a program; the path of its file and of its certificate.
fn certify(folder: &Folder, (name, text): &(&str, &str)) -> (String, String) {
    let file = folder.file(name, &format!("{HEAD}{text}"));
    let certificate = folder.path(&format!("{name}.cert"));
    let run = bolide(&["verify", "--no-vacuity", "--timeout", "120", "--certificate", &certificate, &file]);
    assert_eq!(run.code, 0, "{name}: {run:?}");
    (file, certificate)
}

#[test]
fn certificates_are_about_the_program() {
    let folder = Folder::new("abstraction");
    for program in PROGRAMS {
        let (file, certificate) = certify(&folder, program);
        let check = bolide(&["check", &file, &certificate]);
        assert_eq!(check.stdout, "accepted: safe\nform: original\n", "{}", program.0);
        let text = std::fs::read_to_string(&certificate).expect("a certificate");
        assert!(text.contains("(forall ((?") && text.contains("section ghosts"), "{}: {text}", program.0);
        assert!(!text.contains("option abstraction"), "{}", program.0);
    }
}

/// What is asked about a program if nothing else is said.
fn claim() -> Claim {
    let data_model = bolide_front::c::DataModel::Lp64;
    Claim::C(bolide_front::c::Options { data_model, ..bolide_front::c::Options::default() })
}

/// Can all obligations of a certificate be met? Nothing if some cannot be made.
fn is_provable(task: &str, certificate: &Certificate) -> Option<bool> {
    let budget = Budget::unlimited().with_time(Duration::from_secs(60));
    let mut found = obligations(&Text::new(task.as_bytes()), &claim(), certificate, &budget).ok()?;
    Some(found.list.iter().all(|obligation| {
        let mut solver = Solver::new(Config::default());
        obligation.formulas.iter().for_each(|&f| solver.assert(f));
        matches!(solver.check(&mut found.store, &budget), Answer::Unsat)
    }))
}

/// What is altered cannot be shown, and the proofs of what was there before do not show it.
#[test]
fn altered_ghosts_and_quantifiers_show_nothing() {
    let folder = Folder::new("altered");
    let task = &PROGRAMS[1];
    let (_, path) = certify(&folder, task);
    let text = std::fs::read_to_string(path).expect("a certificate");
    let source = format!("{HEAD}{}", task.1);
    let read = |text: &str| Certificate::read(text).expect("a certificate");
    assert_eq!(is_provable(&source, &read(&text)), Some(true));
    // Which of the ghosts is the place that the error reads.
    let value = text.lines().find_map(|line| line.strip_suffix(" start |main::at|")).expect("a value");
    let ghost = value.rsplit(' ').next().expect("a name");
    let quantifier = format!("(forall (({ghost} Int)) ");
    let q = quantifier.as_str();
    let value = " start |main::at|\n";
    for (from, to) in [
        // The ghost is given another value than the place that is read.
        (value, " start (+ |main::at| 1)\n"),
        (value, " start |main::i|\n"),
        // What holds for all values holds for one of another.
        (q, if ghost == "?0" { "(forall ((?1 Int)) " } else { "(forall ((?0 Int)) " }),
        // The formula says more than is true, or less than is needed.
        (q, &format!("{q}(and (<= |main::at| 7) ")),
        (q, &format!("{q}(or (>= |main::at| 7) ")),
    ] {
        let opened = to.matches('(').count() - from.matches('(').count();
        let mut changed = String::new();
        for line in text.lines() {
            let is_changed = format!("{line}\n").contains(from);
            changed += &format!("{line}\n").replace(from, to);
            // What was opened is closed.
            if is_changed && from == q && opened > 0 {
                changed.truncate(changed.len() - 1);
                changed += ")\n";
            }
        }
        assert_ne!(changed, text, "{from}");
        let changed = read(&changed);
        assert_ne!(is_provable(&source, &changed), Some(true), "{from} as {to}");
        assert!(
            check(&Text::new(source.as_bytes()), &claim(), &changed, &Budget::unlimited()).is_err(),
            "{from} as {to}"
        );
    }
    // Ghosts that are not there, and values that are none.
    let ghosts = text.lines().find(|line| line.starts_with("option ghosts ")).expect("an option");
    for (from, to) in [
        (ghosts, "option ghosts 0"),
        (ghosts, "option ghosts many"),
        (value, " now |main::at|\n"),
        (value, " start (= |main::at| 1)\n"),
        (value, " start |main::cells|\n"),
        (&format!(" {ghost} start "), " ?7 start "),
        (q, "(forall ((|main::i| Int)) "),
    ] {
        let changed = text.replace(from, to);
        assert_ne!(changed, text, "{from}");
        assert_eq!(is_provable(&source, &read(&changed)), None, "{from} as {to}");
    }
}

/// What was proved is told, and a witness says what C can say of it.
#[test]
fn invariants_are_told() {
    let folder = Folder::new("told");
    let file = folder.file("asked.c", &format!("{HEAD}{}", PROGRAMS[3].1));
    let witness = folder.path("asked.yml");
    let obligations = folder.path("obligations");
    let options = [
        "verify",
        "--json",
        "--no-vacuity",
        "--timeout",
        "30",
        "--witness",
        &witness,
        "--export-obligations",
    ];
    let run = bolide(&[&options[..], &[&obligations, &file]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("for all k: ") && run.stdout.contains("a[k]"), "{run:?}");
    let witness = std::fs::read_to_string(witness).expect("a witness");
    assert!(witness.contains("loop_invariant") && !witness.contains("for all"), "{witness}");
    let scripts = std::fs::read_dir(&obligations).expect("obligations").count();
    assert!(scripts > 0 && !run.stderr.contains("prepared"), "{run:?}");
}

/// A loop that fills an array, and a place where it is looked at, with what does not matter in between.
fn program(rng: &mut Random) -> String {
    let (v, bound) = (rng.below(9), ["300", "5000", "n"][rng.below(3) as usize]);
    let mut waste = || if rng.below(3) == 0 { "for (j = 0; j < 3; j++) w += i; " } else { "" };
    let (first, second) = (waste(), waste());
    let (fill, wrong) = match rng.below(5) {
        0 => (format!("a[i] = {v};"), format!("a[i] != {v}")),
        1 => (format!("a[i] = i + {v};"), format!("a[i] < {v}")),
        2 => ("a[i] = b[i];".to_string(), "a[i] != b[i]".to_string()),
        3 => (format!("a[i] = {v}; if (i == m) a[i] = {v} + 1;"), format!("a[i] != {v} && i != m")),
        _ => (format!("in = __VERIFIER_nondet_int(); a[i] = in > {v} ? in : {v};"), format!("a[i] < {v}")),
    };
    let look = match rng.below(4) {
        0 => format!("for (i = 0; i < {bound}; i++) {{ {second}if ({wrong}) reach_error(); }}"),
        1 => format!("i = __VERIFIER_nondet_int(); if (i >= 0 && i < {bound} && ({wrong})) reach_error();"),
        2 => format!("for (i = 0; i < {bound}; ) {{ in = {wrong}; i++; {second}if (in) reach_error(); }}"),
        _ => format!(
            "while (1) {{ i = __VERIFIER_nondet_int(); if (i < 0 || i >= {bound}) break; {second}if ({wrong}) reach_error(); }}"
        ),
    };
    let mut text = String::from(HEAD);
    let _ = writeln!(
        text,
        "int main(void) {{\n  int a[5000], b[5000], i, j, in, n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int(), w = 0;\n  \
         if (n < 1 || n > 5000) return 0;\n  for (i = 0; i < {bound}; i++) {{ {first}{fill} }}\n  {look}\n  return 0;\n}}"
    );
    text
}

#[test]
fn certificates_of_random_programs_over_arrays() {
    let folder = Folder::new("over-arrays");
    let mut rng = Random::new(0xa88a_0000_5eed_0001);
    let (mut proofs, mut originals) = (0, 0);
    let count = if is_long() { 12 } else { 4 };
    for n in 0..count {
        let file = folder.file(&format!("{n}.c"), &program(&mut rng));
        let certificate = folder.path(&format!("{n}.cert"));
        let run = bolide(&["verify", "--no-vacuity", "--timeout", "6", "--certificate", &certificate, &file]);
        if run.code != 0 {
            assert_eq!(run.code, 2, "{n}: {run:?}");
            continue;
        }
        let check = bolide(&["check", &file, &certificate]);
        assert!(check.stdout.starts_with("accepted: safe\n"), "{n}: {run:?}\n{check:?}");
        proofs += 1;
        originals += usize::from(check.stdout.contains("form: original"));
    }
    println!("{originals} of {proofs} proofs are about the original program");
    assert!(proofs * 3 >= count && originals * 10 >= proofs * 8, "{originals} of {proofs}");
}
