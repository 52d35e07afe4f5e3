//! Certificates: what `verify` writes `check` accepts, and nothing that was tampered with.

use bolide_base::Budget;
use bolide_cert::{Certificate, Claim, Text, Verdict, check};
use bolide_front::c;
use bolide_testkit::{Random, rounds};
use std::path::{Path, PathBuf};
use std::process::Command;

const TASKS: &[(&str, &str, Verdict)] = &[
    (
        "counters.c",
        "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  int i = 0, j = 0;
  if (n < 0 || n > 1000) return 0;
  while (i < n) { i++; j++; }
  if (j != n) reach_error();
  return 0;
}
",
        Verdict::Safe,
    ),
    (
        "bounded-recursion.c",
        "extern void reach_error(void);
int down(int n) { if (n <= 0) return 0; return down(n - 1) + 1; }
int main(void) { if (down(3) != 3) reach_error(); return 0; }
",
        Verdict::Safe,
    ),
    (
        "array.c",
        "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int a[3];
  int i = __VERIFIER_nondet_int();
  if (i < 0 || i > 2) return 0;
  a[i] = 7;
  if (a[i] != 7) reach_error();
  if (i == 2 && a[2] == 7) reach_error();
  return 0;
}
",
        Verdict::Unsafe,
    ),
    (
        "step.smt2",
        "(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (p x y))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (< x 10)) (p (+ x 1) (+ y 2)))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (> y 20)) false)))
(check-sat)
",
        Verdict::Safe,
    ),
    (
        "records.smt2",
        "(set-logic HORN)
(declare-datatypes ((Item 0) (Mode 0)) (((item (price Int) (mode Mode))) ((off) (on))))
(declare-datatype Shop ((shop (items (Array Int Item)) (count Int))))
(declare-fun p (Shop) Bool)
(assert (forall ((s Shop)) (=> (= s (shop ((as const (Array Int Item)) (item 1 off)) 0)) (p s))))
(assert (forall ((s Shop) (i Item))
  (=> (and (p s) (> (price i) 0)) (p (shop (store (items s) (count s) i) (+ (count s) 1))))))
(assert (forall ((s Shop)) (=> (and (p s) (< (count s) 0)) false)))
(check-sat)
",
        Verdict::Safe,
    ),
    (
        "colours.smt2",
        "(set-logic HORN)
(declare-datatypes ((Colour 0) (List 0)) (((red) (green) (blue)) ((nil) (cons (head Colour) (tail List)))))
(declare-fun p (List Colour) Bool)
(assert (forall ((c Colour)) (=> (not (= c blue)) (p nil c))))
(assert (forall ((l List) (c Colour)) (=> (p l c) (p (cons c l) c))))
(assert (forall ((l List) (c Colour)) (=> (and (p l c) ((_ is cons) l) (= (head l) blue)) false)))
(check-sat)
",
        Verdict::Safe,
    ),
    (
        "lists.smt2",
        "(set-logic HORN)
(declare-datatype List ((nil) (cons (head Int) (tail List))))
(declare-fun len (List Int) Bool)
(assert (len nil 0))
(assert (forall ((l List) (x Int) (n Int)) (=> (len l n) (len (cons x l) (+ n 1)))))
(assert (forall ((l List) (n Int)) (=> (and (len l n) (= n 3) (= (head l) 7)) false)))
(check-sat)
",
        Verdict::Unsafe,
    ),
    // The length of a list that is reversed, which no formula about constructors and fields can express.
    (
        "reverse.smt2",
        "(set-logic HORN)
(declare-datatype List ((nil) (cons (head Int) (tail List))))
(declare-fun app (List List List) Bool)
(declare-fun rev (List List) Bool)
(declare-fun len (List Int) Bool)
(assert (forall ((y List)) (app nil y y)))
(assert (forall ((h Int) (x List) (y List) (r List)) (=> (app x y r) (app (cons h x) y (cons h r)))))
(assert (rev nil nil))
(assert (forall ((h Int) (x List) (y List) (r List)) (=> (and (rev x y) (app y (cons h nil) r)) (rev (cons h x) r))))
(assert (len nil 0))
(assert (forall ((h Int) (x List) (n Int)) (=> (len x n) (len (cons h x) (+ n 1)))))
(assert (forall ((x List) (y List) (m Int) (n Int)) (=> (and (rev x y) (len x m) (len y n) (not (= m n))) false)))
(check-sat)
",
        Verdict::Safe,
    ),
    // Lists of records, which are taken apart: the sum of one field.
    (
        "pairs.smt2",
        "(set-logic HORN)
(declare-datatypes ((Pair 0) (List 0)) (((pair (first Int) (second Int))) ((nil) (cons (head Pair) (tail List)))))
(declare-fun app (List List List) Bool)
(declare-fun sum (List Int) Bool)
(assert (forall ((y List)) (app nil y y)))
(assert (forall ((h Pair) (x List) (y List) (r List)) (=> (app x y r) (app (cons h x) y (cons h r)))))
(assert (sum nil 0))
(assert (forall ((h Pair) (x List) (n Int)) (=> (sum x n) (sum (cons h x) (+ n (first h))))))
(assert (forall ((x List) (y List) (r List) (a Int) (b Int) (c Int))
  (=> (and (app x y r) (sum x a) (sum y b) (sum r c) (not (= c (+ a b)))) false)))
(check-sat)
",
        Verdict::Safe,
    ),
    // How often the parameter of a query occurs in a list, of numbers in another notation.
    (
        "delete.smt2",
        "(set-logic HORN)
(declare-datatypes ((N 0) (List 0)) (((z) (s (p N))) ((nil) (cons (head N) (tail List)))))
(declare-fun same (N N Bool) Bool)
(declare-fun count (N List N) Bool)
(declare-fun delete (N List List) Bool)
(declare-fun goal () Bool)
(assert (same z z true))
(assert (forall ((x N)) (and (same z (s x) false) (same (s x) z false))))
(assert (forall ((x N) (y N) (b Bool)) (=> (same x y b) (same (s x) (s y) b))))
(assert (forall ((e N)) (count e nil z)))
(assert (forall ((e N) (h N) (x List) (n N)) (=> (and (same e h true) (count e x n)) (count e (cons h x) (s n)))))
(assert (forall ((e N) (h N) (x List) (n N)) (=> (and (same e h false) (count e x n)) (count e (cons h x) n))))
(assert (forall ((e N)) (delete e nil nil)))
(assert (forall ((e N) (h N) (x List) (r List)) (=> (and (same e h true) (delete e x r)) (delete e (cons h x) r))))
(assert (forall ((e N) (h N) (x List) (r List))
  (=> (and (same e h false) (delete e x r)) (delete e (cons h x) (cons h r)))))
(assert (forall ((e N) (x List) (r List) (n N)) (=> (and (delete e x r) (count e r (s n))) goal)))
(assert (=> goal false))
(check-sat)
",
        Verdict::Safe,
    ),
    // Sorted lists: a set, whose rules look two elements deep.
    (
        "sorted.smt2",
        "(set-logic HORN)
(declare-datatype List ((nil) (cons (head Int) (tail List))))
(declare-fun insert (Int List List) Bool)
(declare-fun sort (List List) Bool)
(declare-fun unsorted (List) Bool)
(assert (forall ((e Int)) (insert e nil (cons e nil))))
(assert (forall ((e Int) (h Int) (x List)) (=> (<= e h) (insert e (cons h x) (cons e (cons h x))))))
(assert (forall ((e Int) (h Int) (x List) (r List)) (=> (and (insert e x r) (> e h)) (insert e (cons h x) (cons h r)))))
(assert (sort nil nil))
(assert (forall ((h Int) (x List) (y List) (r List)) (=> (and (sort x y) (insert h y r)) (sort (cons h x) r))))
(assert (forall ((h Int) (g Int) (x List)) (=> (< g h) (unsorted (cons h (cons g x))))))
(assert (forall ((h Int) (x List)) (=> (unsorted x) (unsorted (cons h x)))))
(assert (forall ((x List) (y List)) (=> (and (sort x y) (unsorted y)) false)))
(check-sat)
",
        Verdict::Safe,
    ),
    // A derivation with numbers in another notation.
    (
        "binary.smt2",
        "(set-logic HORN)
(declare-datatype Bin ((one) (zeroAnd (more Bin)) (oneAnd (rest Bin))))
(declare-fun next (Bin Bin) Bool)
(declare-fun reached (Bin) Bool)
(assert (next one (zeroAnd one)))
(assert (forall ((x Bin)) (next (zeroAnd x) (oneAnd x))))
(assert (forall ((x Bin) (y Bin)) (=> (next x y) (next (oneAnd x) (zeroAnd y)))))
(assert (reached one))
(assert (forall ((x Bin) (y Bin)) (=> (and (reached x) (next x y)) (reached y))))
(assert (=> (reached (oneAnd (zeroAnd (oneAnd one)))) false))
(check-sat)
",
        Verdict::Unsafe,
    ),
    (
        "down.smt2",
        "(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (forall ((x Int)) (=> (= x 3) (p x))))
(assert (forall ((x Int)) (=> (and (p x) (> x 0)) (p (- x 1)))))
(assert (forall ((x Int)) (=> (and (p x) (= x 0)) false)))
(check-sat)
",
        Verdict::Unsafe,
    ),
    // Two latches that toggle in opposition are never both on.
    ("toggle.aag", "aag 3 0 2 0 1 1\n2 3 0\n4 5 1\n6\n6 2 4\n", Verdict::Safe),
    ("delay.aag", "aag 3 1 2 0 0 1\n2\n4 2\n6 4\n6\n", Verdict::Unsafe),
    (
        "count.btor2",
        "1 sort bitvec 4\n2 zero 1\n3 state 1 c\n4 init 1 3 2\n5 constd 1 2\n6 add 1 3 5\n7 next 1 3 6\n8 sort bitvec 1\n\
         9 slice 8 3 0 0\n10 bad 9\n",
        Verdict::Safe,
    ),
    // The passes make control flow of the state, variables of the memory, and drop what does not matter.
    (
        "machine.c",
        "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct machine { int state; int count; int steps; };
static struct machine m;
static void step(struct machine *p, int in) {
  p->steps = p->steps + in;
  switch (p->state) {
  case 0: if (in) { p->state = 1; p->count = 0; } break;
  case 1: p->count++; if (p->count > 5) p->state = 2; break;
  case 2: p->state = 0; break;
  default: reach_error();
  }
}
int main(void) {
  while (1) {
    int in = __VERIFIER_nondet_int();
    step(&m, in);
    if (m.count > 6) reach_error();
  }
  return 0;
}
",
        Verdict::Safe,
    ),
    // Nothing bounds the recursion, so the procedure gets a summary.
    (
        "summaries.c",
        "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int count;
void down(int n) {
  int i = 0;
  if (n < 0) reach_error();
  if (n == 0) return;
  while (i < n) i++;
  if (i != n) reach_error();
  count = 1;
  down(n - 1);
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0) return 0;
  count = 0;
  down(n);
  if (count > 1) reach_error();
  return 0;
}
",
        Verdict::Safe,
    ),
    (
        "long-array.c",
        "extern void reach_error(void);
int main(void) {
  int a[40000], i;
  for (i = 0; i < 40000; i++) a[i] = 5;
  for (i = 0; i < 40000; i++) if (a[i] != 5) reach_error();
  return 0;
}
",
        Verdict::Safe,
    ),
];

/// Is this what `check` says of a certificate that it accepts? Of a recursive program the engine that was first decides which
/// form there is.
fn is_acceptance(said: &str, name: &str, verdict: Verdict) -> bool {
    let accepted = format!("accepted: {verdict}\n");
    match said.strip_prefix(&accepted) {
        Some("form: original\n") => name.ends_with(".c") && verdict == Verdict::Safe,
        Some("form: prepared\n") => name == "bounded-recursion.c",
        rest => rest == Some("") && !(name.ends_with(".c") && verdict == Verdict::Safe),
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

/// Runs Bolide: its exit code and what it says; what a certificate is about and takes for granted aside.
fn bolide(arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_bolide")).args(arguments).output().expect("bolide runs");
    let is_aside = |line: &str| {
        arguments.first() == Some(&"check") && (line.starts_with("about: ") || line.starts_with("note: "))
    };
    let mut text = String::new();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    for line in stdout.lines().chain(stderr.lines()).filter(|line| !is_aside(line)) {
        text.push_str(line);
        text.push('\n');
    }
    (output.status.code().unwrap_or(-1), text)
}

/// Verifies a task and gives the path of its file and its certificate.
fn certify(folder: &Path, (name, text, verdict): &(&str, &str, Verdict)) -> (String, String) {
    let file = folder.join(name);
    std::fs::write(&file, text).expect("a task is written");
    let file = file.display().to_string();
    let certificate = format!("{file}.cert");
    let (code, said) = bolide(&["verify", "--timeout", "60", "--certificate", &certificate, &file]);
    let expected = i32::from(*verdict == Verdict::Unsafe);
    assert_eq!(code, expected, "{name}: {said}");
    (file, certificate)
}

#[test]
fn what_verify_writes_check_accepts() {
    let folder = folder("accepted");
    for task in TASKS {
        let (file, certificate) = certify(&folder, task);
        let (code, said) = bolide(&["check", &file, &certificate]);
        assert!(code == 0 && is_acceptance(&said, task.0, task.2), "{}: {said}", task.0);
    }
}

/// Both forms of a C program's invariant are accepted, and neither for the other.
#[test]
fn forms_are_not_mixed_up() {
    let folder = folder("forms");
    for task in TASKS.iter().filter(|t| ["counters.c", "machine.c"].contains(&t.0)) {
        let (file, certificate) = certify(&folder, task);
        // The cache keeps the prepared form, in which tasks that differ in what does not matter are the same.
        let cache = folder.join(format!("cache-{}", task.0));
        let _ = std::fs::remove_dir_all(&cache);
        let (code, said) =
            bolide(&["verify", "--timeout", "60", "--cache", &cache.display().to_string(), &file]);
        assert_eq!(code, 0, "{said}");
        let kept =
            std::fs::read_dir(&cache).expect("a cache").next().expect("a certificate").expect("a file");
        let prepared = kept.path().display().to_string();
        let said = |path: &str| bolide(&["check", &file, path]);
        assert_eq!(said(&prepared), (0, "accepted: safe\nform: prepared\n".into()), "{}", task.0);
        for (path, from, to) in [(&prepared, "prepared", "original"), (&certificate, "original", "prepared")]
        {
            let text = std::fs::read_to_string(path).expect("a certificate");
            let other = text.replace(&format!("option form {from}\n"), &format!("option form {to}\n"));
            assert_ne!(text, other);
            std::fs::write(path, other).expect("a certificate is spoilt");
            assert_eq!(said(path).0, 1, "{}: {from} as {to}", task.0);
        }
    }
}

/// Without a formula for each loop there is nothing to show.
#[test]
fn loops_need_formulas() {
    let folder = folder("loops");
    let (file, certificate) = certify(&folder, &TASKS[0]);
    let text = std::fs::read_to_string(&certificate).expect("a certificate");
    let mut parts = text.split("section invariant 1\n");
    let (head, rest) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    let rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
    std::fs::write(&certificate, format!("{head}section invariant 0\n{rest}"))
        .expect("a certificate is spoilt");
    let (code, said) = bolide(&["check", &file, &certificate]);
    assert!(code == 1 && said.contains("places"), "{said}");
    let places = rest.find("section places 1\n").and_then(|at| rest[at..].find('\n').map(|n| at + n + 1));
    let end = places.and_then(|at| rest[at..].find('\n').map(|n| at + n + 1)).unwrap_or(rest.len());
    std::fs::write(&certificate, format!("{head}section invariant 0\n{}", &rest[end..]))
        .expect("a certificate is spoilt");
    let (code, said) = bolide(&["check", &file, &certificate]);
    assert!(code == 1 && said.contains("a loop without a formula"), "{said}");
}

/// Of recursive programs, engines prove different things: that the recursion is not deep, or summaries of procedures.
#[test]
fn recursive_programs_have_certificates() {
    let folder = folder("recursive");
    let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int id(int n) { if (n <= 0) return 0; return id(n - 1) + 1; }
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 1000) return 0;
  if (id(n) > n) reach_error();
  return 0;
}
";
    for (name, text, engine, recursion, form) in [
        ("bounded.c", TASKS[1].1, "impact", "option recursion 4", "original"),
        ("summary.c", text, "pdr", "option recursion summaries", "original"),
    ] {
        let file = folder.join(name);
        std::fs::write(&file, text).expect("a task is written");
        let (file, certificate) =
            (file.display().to_string(), folder.join(format!("{name}.cert")).display().to_string());
        let options = ["verify", "--timeout", "60", "--engine", engine, "--certificate", &certificate, &file];
        let (code, said) = bolide(&options);
        assert_eq!(code, 0, "{name}: {said}");
        let written = std::fs::read_to_string(&certificate).unwrap_or_default();
        assert!(written.contains(recursion), "{said}\n{written}");
        let said = bolide(&["check", &file, &certificate]);
        assert_eq!(said, (0, format!("accepted: safe\nform: {form}\n")), "{name}");
        // Another depth, or none, is another statement.
        for other in ["option recursion 1\n", "option recursion 0\n", ""] {
            std::fs::write(&certificate, written.replace(&format!("{recursion}\n"), other))
                .expect("a certificate is spoilt");
            assert_eq!(bolide(&["check", &file, &certificate]).0, 1, "{name}: {other}");
        }
    }
}

/// What a procedure requires, its summary and the formula of its loop are all needed, and none may be another one.
#[test]
fn procedures_need_what_is_said_about_them() {
    let folder = folder("procedures");
    let task = TASKS.iter().find(|t| t.0 == "summaries.c").expect("a task with a summary");
    let (file, certificate) = certify(&folder, task);
    let written = std::fs::read_to_string(&certificate).expect("a certificate");
    let (head, rest) = written.split_once("section invariant 3\n").expect("formulas at three places");
    let (_, proof) = rest.split_once("section proof").expect("proofs");
    let said: Vec<&str> = rest.lines().take(3).collect();
    let check = |said: &[String]| {
        let text = format!(
            "{head}section invariant {}\n{}section proof{proof}",
            said.len(),
            said.iter().map(|line| format!("{line}\n")).collect::<String>()
        );
        std::fs::write(&certificate, text).expect("a certificate is spoilt");
        bolide(&["check", &file, &certificate])
    };
    let lines: Vec<String> = said.iter().map(ToString::to_string).collect();
    assert_eq!(check(&lines), (0, "accepted: safe\nform: original\n".into()));
    for (n, line) in said.iter().enumerate() {
        let (place, formula) = line.split_once(' ').expect("a place and a formula");
        let mut fewer = lines.clone();
        fewer.remove(n);
        let (code, message) = check(&fewer);
        let missing = match place {
            "down:exit" => "down is called and has no summary",
            "down:entry" => "rejected",
            _ => "a loop without a formula",
        };
        assert!(code == 1 && message.contains(missing), "{place}: {message}");
        for other in ["false", "true", "(= count 0)", "(= |down::n argument| 5)", "(not other)", "0"] {
            let mut others = lines.clone();
            others[n] = format!("{place} {}", other.replace("other", formula));
            let (code, message) = check(&others);
            assert!(code == 1 && message.starts_with("rejected"), "{place} {other}: {message}");
        }
    }
    for place in ["up:exit", "down:99", "99", "down:", ":exit", "main:0"] {
        let more = [&lines[..], &[format!("{place} true")]].concat();
        let (code, message) = check(&more);
        assert!(code == 1 && message.contains("no such place"), "{place}: {message}");
    }
    // A requirement speaks of what the caller hands over, and of nothing else.
    let mut local = lines.clone();
    let entry = lines.iter().position(|line| line.starts_with("down:entry")).expect("a requirement");
    local[entry] = "down:entry (= |down::i| 0)".into();
    let (code, message) = check(&local);
    assert!(code == 1 && message.contains("requires something of a local variable"), "{message}");
}

/// The invariant of a C program is about lines of the text, and the checker sees to it that they are named rightly.
#[test]
fn invariants_have_places() {
    let folder = folder("places");
    let (file, certificate) = certify(&folder, &TASKS[0]);
    let text = std::fs::read_to_string(&certificate).expect("a certificate");
    let places =
        text.split("section places ").nth(1).and_then(|rest| rest.split("section").next()).unwrap_or("");
    assert!(places.contains(" 7:10\n"), "{text}");
    std::fs::write(&certificate, text.replace(" 7:10\n", " 8:10\n")).expect("a certificate is spoilt");
    let (code, said) = bolide(&["check", &file, &certificate]);
    assert!(code == 1 && said.contains("places"), "{said}");
}

#[test]
fn certificates_of_other_tasks_are_rejected() {
    let folder = folder("others");
    let (_, certificate) = certify(&folder, &TASKS[3]);
    let other = folder.join("other.smt2");
    std::fs::write(&other, TASKS[3].1.replace("20", "19")).expect("a task is written");
    let (code, said) = bolide(&["check", &other.display().to_string(), &certificate]);
    assert_eq!(code, 65);
    assert!(said.starts_with("rejected: the certificate is for another task"), "{said}");
    // A circuit is another kind of task altogether.
    let circuit = TASKS.iter().find(|t| t.0 == "toggle.aag").expect("a circuit");
    let (file, _) = certify(&folder, circuit);
    let (code, said) = bolide(&["check", &file, &certificate]);
    assert!(code == 1 && said.contains("about something else: a task of kind horn, not aiger"), "{said}");
    let (code, said) = bolide(&["check", &file, &file]);
    assert!(code == 65 && said.contains("not a certificate"), "{said}");
    assert_eq!(bolide(&["check", &file, "no such file"]).0, 65);
    // One that is not whole, and one of another version.
    let text = std::fs::read_to_string(&certificate).expect("a certificate");
    for (spoilt, message) in
        [(&text[..text.len() - 8], "the file ends"), (&text.replace("e 1\n", "e 2\n"), "version 2")]
    {
        let path = folder.join("spoilt.cert");
        std::fs::write(&path, spoilt).expect("a certificate is spoilt");
        let (code, said) =
            bolide(&["check", &folder.join(TASKS[3].0).display().to_string(), &path.display().to_string()]);
        assert!(code == 65 && said.contains(message), "{said}");
    }
    assert_eq!(bolide(&["verify", "--certificate", "/no/such/folder/c", &file]).0, 64);
}

/// Changes one place: a digit, a character, a word, or a line.
fn mutate(text: &str, rng: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let n = rng.below(lines.len());
    match rng.below(4) {
        0 => {
            lines.remove(n);
        }
        1 => {
            let m = rng.below(lines.len());
            lines.swap(n, m);
        }
        2 => {
            let mut words: Vec<&str> = lines[n].split(' ').collect();
            let (a, b) = (rng.below(words.len()), rng.below(words.len()));
            words.swap(a, b);
            lines[n] = words.join(" ");
        }
        _ => {
            let mut characters: Vec<char> = lines[n].chars().collect();
            if !characters.is_empty() {
                let at = rng.below(characters.len());
                characters[at] = char::from(b"0123456789-+()abz "[rng.below(18)]);
            }
            lines[n] = characters.into_iter().collect();
        }
    }
    lines.join("\n") + "\n"
}

/// What is asked about a task if nothing else is said.
fn claim(name: &str) -> Claim {
    match name.rsplit('.').next() {
        Some("c") => Claim::C(c::Options { data_model: c::DataModel::Lp64, ..c::Options::default() }),
        Some("smt2") => Claim::Horn,
        Some("btor2") => Claim::Btor2,
        _ => Claim::Aiger,
    }
}

/// No tampered certificate shows another verdict. One that still shows the right one is correct as it stands: a step
/// that nothing needs was dropped, or a premise was scaled.
#[test]
fn tampered_certificates_are_rejected() {
    let folder = folder("tampered");
    let mut rng = Random::new(0x5eed_1234_5678_9abc);
    let (mut rejected, mut harmless) = (0, 0);
    // Steps of proofs with terms out of place are caught by panics, which need not be seen.
    std::panic::set_hook(Box::new(|_| {}));
    for task in TASKS {
        let (_, certificate) = certify(&folder, task);
        let text = std::fs::read_to_string(certificate).expect("a certificate was written");
        let budget = || Budget::unlimited().with_time(std::time::Duration::from_secs(10));
        for _ in 0..rounds(200) {
            let mutated = mutate(&text, &mut rng);
            if mutated == text {
                continue;
            }
            let accepted = Certificate::read(&mutated)
                .ok()
                .filter(|c| check(&Text::new(task.1.as_bytes()), &claim(task.0), c, &budget()).is_ok());
            match accepted {
                Some(c) => {
                    assert_eq!(c.verdict, task.2, "{}", task.0);
                    harmless += 1;
                }
                None => rejected += 1,
            }
        }
    }
    println!("{rejected} rejected, {harmless} harmless");
    assert!(rejected > rounds(1000), "{rejected} rejected, {harmless} harmless");
}

/// The checker must not depend on what it checks.
#[test]
fn the_checker_depends_on_no_solver() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut todo = vec!["cert".to_string()];
    let mut seen = Vec::new();
    while let Some(name) = todo.pop() {
        assert!(!["sat", "smt", "itp", "engine", "cli"].contains(&name.as_str()), "cert depends on {name}");
        if seen.contains(&name) {
            continue;
        }
        let manifest = std::fs::read_to_string(crates.join(&name).join("Cargo.toml")).expect("a manifest");
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or("");
        let dependencies = dependencies.split("\n[").next().unwrap_or("");
        for line in dependencies.lines() {
            assert!(!line.starts_with("cadical"), "cert depends on a SAT solver through {name}");
            if let Some(rest) = line.strip_prefix("bolide-") {
                todo.push(rest.split(['.', ' ', '=']).next().unwrap_or("").to_string());
            }
        }
        seen.push(name);
    }
    assert!(seen.len() > 4);
}
