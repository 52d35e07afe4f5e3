//! Time, memory and the stack: whatever a file says, the command ends by itself, in time, with an answer or a reason.

mod common;

use bolide_testkit::is_long;
use common::{Folder, bolide};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a run needed.
#[derive(Debug)]
struct Cost {
    /// The exit code; none if a signal ended it.
    code: Option<i32>,
    seconds: f64,
    /// The peak of its memory, where the system tells.
    mib: u64,
}

const SECONDS: u64 = 2;
const MIB: u64 = 600;
/// A machine that does much else at the same time lets a process wait.
const PATIENCE: u64 = 6;

/// Runs a command on a file under limits.
fn run(command: &str, files: &[&str]) -> Cost {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_bolide"))
        .arg(command)
        .args(["--timeout", &SECONDS.to_string(), "--memory", &MIB.to_string()])
        .args(files)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("bolide runs");
    let status = format!("/proc/{}/status", child.id());
    let mut mib = 0;
    let code = loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = peak.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        mib = mib.max(kib.unwrap_or(0) / 1024);
        match child.try_wait().expect("a child") {
            Some(status) => break status.code(),
            None if start.elapsed() > Duration::from_secs(60) => {
                child.kill().expect("a child");
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    Cost { code, seconds: start.elapsed().as_secs_f64(), mib }
}

/// Does a command end within its limits? The code says how.
fn ends(what: &str, command: &str, files: &[&str]) -> i32 {
    let cost = run(command, files);
    let code = cost.code.unwrap_or_else(|| panic!("{what}: {command} was ended by a signal: {cost:?}"));
    assert!([0, 1, 2, 64, 65].contains(&code), "{what}: {command}: {cost:?}");
    assert!(cost.seconds < (SECONDS + PATIENCE) as f64, "{what}: {command}: {cost:?}");
    assert!(cost.mib <= MIB + MIB / 10, "{what}: {command}: {cost:?}");
    code
}

const MANY: usize = 300_000;

fn many(text: &str) -> String {
    text.repeat(MANY)
}

/// All tasks in long tests, and every other one otherwise.
fn sampled<T>(tasks: &[T]) -> impl Iterator<Item = &T> {
    tasks.iter().step_by(if is_long() { 1 } else { 2 })
}

/// A C program with something in it.
fn program(before: &str, inside: &str) -> String {
    format!(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n{before}\n\
         int main(void) {{ int a = 0, b = 0; {inside} if (a > b) reach_error(); return 0; }}\n"
    )
}

/// Chains of definitions, each by the one before.
fn chain(first: &str, each: impl Fn(usize) -> String) -> String {
    (1..MANY).fold(String::from(first), |text, n| text + &each(n))
}

#[test]
fn c_programs_with_many_constructs() {
    let folder = Folder::new("many-c");
    let (open, close) = (many("("), many(")"));
    let tasks = [
        ("extensions", program(&format!("{} int x;", many("__extension__ ")), "")),
        ("parentheses", program("", &format!("a = {open}1{close};"))),
        ("signs", program("", &format!("a = {}1;", many("- ")))),
        ("sums", program("", &format!("a = {}1;", many("b + ")))),
        ("assignments", program("", &format!("{}1;", many("a = ")))),
        ("conditions", program("", &format!("a = {}1;", many("b ? 1 : ")))),
        ("casts", program("", &format!("a = {}1;", many("(int)")))),
        ("blocks", program("", &format!("{}{}", many("{"), many("}")))),
        ("alternatives", program("", &format!("{};", many("if (a) ; else ")))),
        ("loops", program("", &format!("{};", many("while (a) ")))),
        ("members", program("struct s { int a; } x;", &format!("a = x{};", many(".a")))),
        ("designators", program(&format!("struct s {{ int a; }} x = {{ {} = 1 }};", many(".a")), "")),
        ("braces", program(&format!("int x = {}1{};", many("{"), many("}")), "")),
        ("dimensions", program(&format!("int x{};", many("[1]")), "")),
        ("pointers", program(&format!("int {}p;", many("*")), "")),
        (
            "pointers to pointers",
            program(&chain("typedef int t0;", |n| format!("typedef t{} *t{n};", n - 1)), "t299999 x = 0;"),
        ),
        ("functions", program(&format!("int {}p{};", many("(*"), many(")(void)")), "")),
        ("calls", program("int f(int x) { return x; }", &format!("a = {}1{};", many("f("), close))),
        ("attributes", program(&format!("int x {};", many("__attribute__((aligned(4)))")), "")),
        ("strings", program(&format!("char *s = {};", many("\"a\" ")), "")),
    ];
    for (what, text) in sampled(&tasks) {
        let file = folder.file("task.c", text);
        ends(what, "verify", &[&file]);
        let certificate = folder.file("task.cert", &certificate(text.as_bytes(), "c"));
        assert_ne!(ends(what, "check", &[&file, &certificate]), 0, "{what}");
    }
}

/// A certificate that shows nothing.
fn certificate(task: &[u8], kind: &str) -> String {
    let options = match kind {
        "c" => {
            "option data-model LP64\noption ints machine\noption properties errors\noption entry main\n\
             option globals initial\noption malloc succeeds\noption form original\n"
        }
        _ => "",
    };
    format!(
        "bolide-certificate 1\nkind {kind}\ntask {}\n{options}verdict safe\nsection invariant 0\nsection proof 0\nend\n",
        bolide_cert::format::hash(task)
    )
}

/// Sizes that a program only names, and long steps.
#[test]
fn c_programs_with_large_objects() {
    let folder = Folder::new("large-c");
    let tasks = [
        ("a string", program(&format!("char s[] = \"{}\";", "a".repeat(5_000_000)), "a = s[3] == 98;")),
        ("an object", program("char s[1UL << 32];", "s[5] = 1; a = s[6];")),
        ("a copy", program("struct s { char a[1 << 30]; } x, y;", "x = y; a = x.a[5];")),
        ("a range", program("int t[1 << 28] = {[0 ... (1 << 28) - 1] = 2};", "a = t[5] - 2;")),
        ("a designator", program("int t[] = {[1 << 30] = 2};", "a = t[5];")),
        (
            "an allocation",
            program("void *malloc(unsigned long);", "char *p = malloc(1UL << 32); p[0] = 0; a = p[0];"),
        ),
        (
            "a table",
            program(&format!("int t[] = {{{}}};", many("1, ")), "a = t[__VERIFIER_nondet_int() & 7] - 1;"),
        ),
        (
            "products",
            program("", &format!("unsigned long x = b; {} a = x == 12345;", "x *= x ^ b; ".repeat(3000))),
        ),
    ];
    for (what, text) in sampled(&tasks) {
        let file = folder.file("task.c", text);
        ends(what, "verify", &[&file]);
        let certificate = folder.file("task.cert", &certificate(text.as_bytes(), "c"));
        assert_ne!(ends(what, "check", &[&file, &certificate]), 0, "{what}");
    }
}

#[test]
fn scripts_and_clauses() {
    let folder = Folder::new("many-smt");
    let close = many(")");
    let nested = |symbols: &str, before: &str, inner: &str| {
        format!("{symbols}(assert (= x {}{inner}{close}))(check-sat)", many(before))
    };
    let (integer, word) = ("(declare-const x Int)", "(declare-const x (_ BitVec 8))");
    let scripts = [
        ("negations", format!("(assert {}true{close})(check-sat)", many("(not "))),
        ("parentheses", many("(")),
        ("sums", nested(integer, "(+ x ", "1")),
        ("choices", nested(integer, "(ite (> x 0) 1 ", "2")),
        ("words", nested(word, "(bvadd x ", "x")),
        ("lets", format!("(assert {}y{close})(check-sat)", many("(let ((y true)) "))),
        ("sorts", format!("(declare-const a {}Int{close})(check-sat)", many("(Array Int "))),
        ("quantifiers", format!("(assert {}true{close})(check-sat)", many("(forall ((y Int)) "))),
        ("scopes", format!("{}(check-sat){}", many("(push 1)"), many("(pop 1)"))),
        (
            "a product of 8,192 bits",
            "(declare-const x (_ BitVec 8192))(declare-const y (_ BitVec 8192))\
             (assert (= (bvmul x y) (bvudiv y x)))(check-sat)"
                .into(),
        ),
        (
            "a word of 2^32 bits",
            "(declare-const x (_ BitVec 4294967295))(assert (= x (bvnot x)))(check-sat)".into(),
        ),
        ("an extension", format!("{word}(assert (= ((_ zero_extend 4000000000) x) x))(check-sat)")),
        ("a numeral", format!("{integer}(assert (= x {}))(check-sat)", "9".repeat(1_000_000))),
        (
            "writes",
            format!(
                "(declare-const a (Array Int Int))(declare-const b (Array Int Int)){}(assert (= b {}a{}))(check-sat)",
                (0..20_000).map(|n| format!("(declare-const i{n} Int)")).collect::<String>(),
                "(store ".repeat(20_000),
                (0..20_000).map(|n| format!(" i{n} {n})")).collect::<String>()
            ),
        ),
    ];
    for (what, text) in sampled(&scripts) {
        ends(what, "smt", &[&folder.file("script.smt2", text)]);
    }
    let clauses = |body: String| {
        format!(
            "(set-logic HORN)(declare-fun p (Int) Bool)(assert (forall ((x Int)) (=> {body} (p x))))\n\
             (assert (forall ((x Int)) (=> (and (p x) (> x 5)) false)))(check-sat)\n"
        )
    };
    let problems = [
        ("negations", clauses(format!("{}(= x 0){close}", many("(not ")))),
        ("implications", clauses(format!("{}(= x 0){close}", many("(=> (= x 0) ")))),
        ("sums", clauses(format!("(= x {}0{close})", many("(+ x ")))),
        ("premises", clauses(format!("(and {})", many("(p x) ")))),
        ("alternatives", clauses(format!("(and {})", "(or (p x) (p (+ x 1)))".repeat(60)))),
        (
            "predicates",
            chain("(set-logic HORN)(declare-fun p0 (Int) Bool)", |n| {
                format!(
                    "(declare-fun p{n} (Int) Bool)(assert (forall ((x Int)) (=> (p{} x) (p{n} x))))",
                    n - 1
                )
            }) + "(check-sat)",
        ),
    ];
    for (what, text) in sampled(&problems) {
        let file = folder.file("clauses.smt2", text);
        ends(what, "verify", &[&file]);
        ends(what, "check", &[&file, &folder.file("clauses.cert", &certificate(text.as_bytes(), "horn"))]);
    }
}

#[test]
fn circuits_witnesses_and_tasks() {
    let folder = Folder::new("many-circuits");
    let gates: String = (0..MANY).map(|n| format!("{} {} 2\n", 2 * (n + 3), 2 * (n + 2) + 1)).collect();
    let last = 2 * (MANY + 2);
    let circuits = [
        ("aag", "a header", "aag 4294967295 0 0 0 4294967295\n".into()),
        ("aig", "a binary header", "aig 4000000000 2000000000 2000000000 0 0 1\n".into()),
        ("aag", "gates", format!("aag {} 1 1 0 {MANY} 1\n2\n4 {last} 0\n{last}\n{gates}", MANY + 2)),
        ("aag", "bad bits", format!("aag 1 1 0 0 0 {MANY}\n2\n{}", many("2\n"))),
        ("aag", "a cycle", "aag 3 1 0 0 2 1\n2\n6\n4 6 2\n6 4 2\n".into()),
        ("btor2", "a wide word", "1 sort bitvec 4294967295\n2 state 1\n3 sort bitvec 1\n4 redor 3 2\n5 bad 4\n".into()),
        (
            "btor2",
            "a product",
            "1 sort bitvec 8192\n2 state 1\n3 mul 1 2 2\n4 sort bitvec 1\n5 udiv 1 3 2\n6 eq 4 5 3\n7 bad 6\n".into(),
        ),
        (
            "btor2",
            "negations",
            format!(
                "1 sort bitvec 8\n2 state 1\n{}{n} next 1 2 {}\n{} sort bitvec 1\n{} redor {} 2\n{} bad {}\n",
                (3..MANY).map(|n| format!("{n} not 1 {}\n", n - 1)).collect::<String>(),
                MANY - 1,
                MANY + 1,
                MANY + 2,
                MANY + 1,
                MANY + 3,
                MANY + 2,
                n = MANY
            ),
        ),
        (
            "btor2",
            "sorts",
            (2..MANY).fold(String::from("1 sort bitvec 1\n"), |t, n| t + &format!("{n} sort array {m} {m}\n", m = n - 1)),
        ),
        ("btor2", "a numeral", format!("1 sort bitvec 8\n2 constd 1 {}\n", "9".repeat(1_000_000))),
    ];
    for (ending, what, text) in &circuits {
        let file = folder.file(&format!("task.{ending}"), text);
        ends(what, "verify", &[&file]);
        let kind = if *ending == "btor2" { "btor2" } else { "aiger" };
        ends(what, "check", &[&file, &folder.file("task.cert", &certificate(text.as_bytes(), kind))]);
    }
    let model = folder.file("model.aag", "aag 1 1 0 0 0 1\n2\n2\n");
    for (what, text) in
        [("steps", format!("1\nb0\n\n{}.\n", many("0\n"))), ("bits", format!("1\nb0\n{}\n", many("0")))]
    {
        let witness = folder.file("witness", &text);
        let status = Command::new(env!("CARGO_BIN_EXE_bolide")).args(["sim", &model, &witness]).output();
        let code = status.expect("bolide runs").status.code();
        assert!([Some(0), Some(1), Some(65)].contains(&code), "{what}: {code:?}");
    }
    for (what, text) in [
        ("lists", format!("a: {}{}", many("["), many("]"))),
        ("open lists", many("[")),
        ("maps", format!("a: {}1{}", many("{a: "), many("}"))),
        ("files", format!("format_version: '2.0'\ninput_files:\n{}", many("  - x.c\n"))),
        ("a device", "format_version: '2.0'\ninput_files: /dev/zero\n".into()),
    ] {
        let file = folder.file("task.yml", &text);
        ends(what, "verify", &[&file]);
        assert_ne!(ends(what, "check", &[&file, &folder.path("task.cert")]), 0, "{what}");
    }
}

#[test]
#[cfg(unix)]
fn a_preprocessor_ends_with_the_limit() {
    let folder = Folder::new("preprocessor");
    let number = folder.path("number");
    let script = folder.file("slow.sh", &format!("sleep 120 & echo $! > {number}; wait"));
    let task = folder.file("task.c", "#include \"task.h\"\nint main(void) { return 0; }\n");
    let run = bolide(&["verify", "--timeout", "1", "--cpp", &format!("sh {script}"), &task]);
    assert_eq!(run.code, 2, "{run:?}");
    let number = std::fs::read_to_string(number).unwrap();
    let is_running = || {
        let status = std::fs::read_to_string(format!("/proc/{}/stat", number.trim())).unwrap_or_default();
        !status.is_empty() && !status.contains(") Z ")
    };
    // It takes a moment until the system has ended a process.
    for _ in 0..100 {
        if !is_running() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("process {number} is still running");
}
