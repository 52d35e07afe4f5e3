//! Random C programs, compiled by gcc for 32 and 64 bits and run, against the interpreter, the encoded program, and the
//! encoded program after all passes.

mod csmith;
mod floats;
mod generator;

use bolide_base::{Budget, IBig, Rational};
use bolide_front::c::interp::{End, Interpreter};
use bolide_front::c::{DataModel, Options, load};
use bolide_model::program::back::trace_back;
use bolide_model::program::pass::prepare;
use bolide_model::{Outcome, Program, Runner, VarKind};
use bolide_term::{Store, Value};
use bolide_testkit::{Random, rounds};
use generator::Generator;
use std::fmt::Write;
use std::process::Command;

/// A start-up file without any library: prints each checksum in hexadecimal.
const HARNESS: &str = r#"
static void put(const char *b, unsigned long n) {
#ifdef __x86_64__
  long r; __asm__ volatile("syscall" : "=a"(r) : "a"(1L), "D"(1L), "S"(b), "d"(n) : "rcx", "r11", "memory");
#else
  __asm__ volatile("int $0x80" : : "a"(4), "b"(1), "c"(b), "d"(n) : "memory");
#endif
}
static void show(unsigned long long v) {
  char b[17]; int i;
  for (i = 0; i < 16; i++) { int d = (v >> (60 - 4 * i)) & 15; b[i] = d < 10 ? '0' + d : 'a' + d - 10; }
  b[16] = '\n'; put(b, 17);
}
void *memcpy(void *d, const void *s, __SIZE_TYPE__ n) { char *a = d; const char *b = s; while (n--) *a++ = *b++; return d; }
void *memset(void *d, int c, __SIZE_TYPE__ n) { char *a = d; while (n--) *a++ = c; return d; }
#ifndef __x86_64__
typedef unsigned long long U; typedef long long I;
static U div(U a, U b, U *r) { U q = 0, x = 0; int i; for (i = 63; i >= 0; i--) { int top = x >> 63; x = (x << 1) | ((a >> i) & 1); if (top || x >= b) { x -= b; q |= 1ULL << i; } } *r = x; return q; }
U __udivdi3(U a, U b) { U r; return div(a, b, &r); }
U __umoddi3(U a, U b) { U r; div(a, b, &r); return r; }
I __divdi3(I a, I b) { U r, q = div(a < 0 ? -(U)a : a, b < 0 ? -(U)b : b, &r); return (a < 0) != (b < 0) ? -q : q; }
I __moddi3(I a, I b) { U r; div(a < 0 ? -(U)a : a, b < 0 ? -(U)b : b, &r); return a < 0 ? -r : r; }
#endif
"#;

/// The checksums of some programs as gcc computes them; `None` without a compiler.
fn compiled(texts: &[String], flag: &str) -> Option<Vec<u64>> {
    let mut text = texts.join("\n");
    text.push_str(HARNESS);
    text.push_str("void _start(void) {\n");
    for id in 0..texts.len() {
        let _ = writeln!(text, "  run_{id}(); show(checksum_{id});");
    }
    text.push_str(if flag == "-m32" {
        "  __asm__ volatile(\"int $0x80\" : : \"a\"(1), \"b\"(0));\n}\n"
    } else {
        "  __asm__ volatile(\"syscall\" : : \"a\"(60L), \"D\"(0L));\n}\n"
    });
    let dir = std::env::temp_dir().join(format!("bolide-differential-{}{flag}", std::process::id()));
    std::fs::create_dir_all(&dir).ok()?;
    let (source, binary) = (dir.join("programs.c"), dir.join("programs"));
    std::fs::write(&source, text).ok()?;
    let arguments = [
        flag,
        "-w",
        "-O0",
        "-fwrapv",
        "-fno-strict-aliasing",
        "-fno-pic",
        "-no-pie",
        "-fno-stack-protector",
        "-nostdlib",
        "-static",
        "-o",
    ];
    let built = Command::new("gcc").args(arguments).arg(&binary).arg(&source).output().ok()?;
    if !built.status.success() {
        let message = String::from_utf8_lossy(&built.stderr);
        // A compiler without the other word size is no failure, one that rejects a program is.
        assert!(!message.contains("programs.c:"), "gcc rejects a program: {message}");
        return None;
    }
    let output = Command::new(&binary).output().ok()?;
    let _ = std::fs::remove_dir_all(&dir);
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let sums: Vec<u64> = lines.lines().filter_map(|l| u64::from_str_radix(l, 16).ok()).collect();
    assert_eq!(sums.len(), texts.len(), "the compiled programs crashed");
    Some(sums)
}

fn checksum_of(store: &Store, program: &Program, runner: &Runner, name: &str) -> Option<Rational> {
    let (id, _) =
        program.vars.iter_enumerated().find(|(_, v)| v.name == name && v.kind == VarKind::Global)?;
    match runner.value(store, id) {
        Value::Num(n) => Some(n.clone()),
        _ => None,
    }
}

fn check(id: usize, text: &str, expected: u64, data_model: DataModel) {
    let budget = || Budget::unlimited().with_steps(2_000_000);
    let options = Options { data_model, entry: Some("check".into()), ..Options::default() };
    let text = format!(
        "{text}\nextern void __VERIFIER_error(void);\nvoid check(void) {{ run_{id}(); if (checksum_{id} == {expected}ull) __VERIFIER_error(); }}\n"
    );
    let mut store = Store::new();
    let task = load(&mut store, "random.c", &text, &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut interpreter = Interpreter::new(&task.unit);
    let end = interpreter.run(&mut |_| 0, &budget());
    let found = interpreter.global(&format!("checksum_{id}"));
    assert_eq!(found, Some(expected.into()), "interpreter, {data_model:?}, {end:?}\n{text}");
    assert!(matches!(end, End::Error(_)));
    assert_eq!(task.program.check(&store), None);
    let mut runner = Runner::new(&store, &task.program, &[]);
    let (outcome, _) = runner.run(&store, |_| Value::Num(Rational::ZERO), &budget());
    let found = checksum_of(&store, &task.program, &runner, &format!("checksum_{id}"));
    let wanted = Rational::from(IBig::from(expected));
    assert_eq!(found, Some(wanted), "encoded program, {data_model:?}, {outcome:?}\n{text}");
    let (prepared, maps) = prepare(&mut store, &task.program, 1_000_000, &budget()).unwrap();
    let (outcome, trace) =
        Runner::new(&store, &prepared, &[]).run(&store, |_| Value::Num(Rational::ZERO), &budget());
    assert!(matches!(outcome, Outcome::Error(_)), "prepared program, {data_model:?}, {outcome:?}\n{text}");
    let trace =
        trace_back(&store, &maps, trace).unwrap_or_else(|| panic!("the trace has no way back\n{text}"));
    let replayed = Runner::new(&store, &task.program, &[]).replay(&store, &trace);
    assert_eq!(replayed, Some(outcome), "replayed trace\n{text}");
}

/// How many programs; the variable `BOLIDE_PROGRAMS` asks for more.
fn count() -> usize {
    std::env::var("BOLIDE_PROGRAMS").ok().and_then(|v| v.parse().ok()).unwrap_or_else(|| rounds(100))
}

fn compare(flag: &str, data_model: DataModel, seed: u64) {
    let mut rng = Random::new(seed);
    let mut left = count();
    while left > 0 {
        let batch = left.min(50);
        left -= batch;
        let texts: Vec<String> = (0..batch).map(|id| Generator::program(&mut rng, id)).collect();
        let Some(sums) = compiled(&texts, flag) else {
            eprintln!("no compiler for {flag}");
            return;
        };
        for (id, (text, sum)) in texts.iter().zip(sums).enumerate() {
            check(id, text, sum, data_model);
        }
    }
}

#[test]
fn agrees_with_gcc_in_32_bits() {
    compare("-m32", DataModel::Ilp32, 0x0123_4567_89ab_cdef);
}

#[test]
fn agrees_with_gcc_in_64_bits() {
    compare("-m64", DataModel::Lp64, 0xfedc_ba98_7654_3210);
}
