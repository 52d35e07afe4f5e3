//! The functions of the library, one after the other, as gcc and the C library compute them and as the interpreter and the encoded
//! program do: calls from a table with random arguments, the same in every run.
//!
//! The models themselves are compared with the library in `models.rs`, compiled; here they are read, lowered and executed, with
//! everything that calls go through on their way to them.

mod arguments;

use arguments::Arguments;
use bolide_base::Budget;
use bolide_front::c::interp::{End, Interpreter};
use bolide_front::c::{DataModel, Options, load};
use bolide_model::{Outcome, Runner};
use bolide_term::Store;
use bolide_testkit::{Random, rounds};
use std::fmt::Write;
use std::process::Command;

/// What a model does at the end of the program; a test of its own looks at it.
const AT_THE_END: &[&str] = &["atexit"];
const CALLS: &str = include_str!("calls.txt");
const REALS: &str = include_str!("reals.txt");
const PRELUDE: &str = include_str!("prelude.c");
/// What only newer libraries have, for the compiled program.
const YOUNG: &str = "
__attribute__((weak)) unsigned long strlcpy(char *d, const char *s, unsigned long n) {
  unsigned long l = strlen(s);
  if (n) { unsigned long m = l < n ? l : n - 1; memcpy(d, s, m); d[m] = 0; }
  return l;
}
__attribute__((weak)) unsigned long strlcat(char *d, const char *s, unsigned long n) {
  unsigned long at = strnlen(d, n);
  return at == n ? at + strlen(s) : at + strlcpy(d + at, s, n - at);
}
extern int printf(const char *, ...);
";
/// Models that read input or tell of the system: there is no right result.
const INPUT: &[&str] = &[
    "getchar",
    "fgetc",
    "getc",
    "getc_unlocked",
    "fgetc_unlocked",
    "getchar_unlocked",
    "rand",
    "random",
    "rand_r",
    "drand48",
    "read",
    "recv",
    "pread",
    "getrandom",
    "fread",
    "fgets",
    "getline",
    "getdelim",
    "getcwd",
    "readlink",
    "time",
    "gettimeofday",
    "clock_gettime",
    "nanosleep",
    "asctime",
    "ctime",
    "gmtime_r",
    "localtime_r",
    "pipe",
    "poll",
    "select",
    "strftime",
    "strerror",
    "strsignal",
    "klee_range",
    // A part of `strtol` and its kin.
    "strto",
];

/// The calls of a table: names, and the block of C.
fn table(text: &str) -> Vec<(&str, &str)> {
    let lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines.map(|l| l.split_once(" | ").expect("names and calls")).collect()
}

/// A program that makes the calls of one line with several sets of arguments.
struct Calls {
    text: String,
    rounds: usize,
}

impl Calls {
    fn new(block: &str, data_model: DataModel, rounds: usize, rng: &mut Random) -> Calls {
        let wide = if data_model == DataModel::Lp64 { "int" } else { "long" };
        let mut text = PRELUDE.replace("__WIDE__", wide);
        for n in 0..rounds {
            let block = Arguments(rng).filled(block);
            let _ = writeln!(text, "unsigned long long sum_{n};");
            let _ = writeln!(text, "void call_{n}(void) {{ sum = 0; fill(); {{ {block} }} sum_{n} = sum; }}");
        }
        Calls { text, rounds }
    }

    fn every(&self, what: impl Fn(usize) -> String) -> String {
        (0..self.rounds).map(what).collect()
    }

    /// The text of one of the calls.
    fn call(&self, n: usize) -> String {
        let start = format!("void call_{n}(");
        self.text.lines().find(|l| l.starts_with(&start)).unwrap_or_default().to_owned() + "\n"
    }

    /// What gcc and the library compute; nothing without a compiler.
    fn compiled(&self, flag: &str) -> Option<Vec<u64>> {
        let calls = self.every(|n| format!("  call_{n}(); printf(\"%llx\\n\", sum_{n});\n"));
        let text = format!("{}{YOUNG}int main(void) {{\n{calls}  return 0;\n}}\n", self.text);
        let dir = std::env::temp_dir().join(format!("bolide-library-{}{flag}", std::process::id()));
        std::fs::create_dir_all(&dir).ok()?;
        let (source, binary) = (dir.join("calls.c"), dir.join("calls"));
        std::fs::write(&source, &text).ok()?;
        let flags = [flag, "-w", "-O0", "-fno-builtin", "-ffp-contract=off", "-o"];
        let built = Command::new("gcc").args(flags).args([&binary, &source]).arg("-lm").output().ok()?;
        if !built.status.success() {
            let message = String::from_utf8_lossy(&built.stderr);
            // A compiler without the other word size is no failure, one that rejects the calls is.
            assert!(!message.contains("calls.c:"), "gcc rejects a program: {message}");
            return None;
        }
        let output = Command::new(&binary).output().ok()?;
        let _ = std::fs::remove_dir_all(&dir);
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        let sums: Vec<u64> = lines.lines().filter_map(|l| u64::from_str_radix(l, 16).ok()).collect();
        assert_eq!(sums.len(), self.rounds, "the compiled calls crashed\n{}", self.every(|n| self.call(n)));
        Some(sums)
    }

    /// The first call of which the interpreter finds another result.
    fn interpreted(&self, sums: &[u64], data_model: DataModel, is_encoded: bool) -> Result<(), String> {
        let calls = self.every(|n| format!("  call_{n}();\n"));
        let checks = self.every(|n| format!("  if (sum_{n} != {}ull) reach_error();\n", sums[n]));
        let text = format!(
            "{}extern void reach_error(void);\nint main(void) {{\n{calls}{checks}  return 0;\n}}\n",
            self.text
        );
        let mut store = Store::new();
        let options = Options { data_model, ..Options::default() };
        let task = load(&mut store, "calls.c", &text, &options).map_err(|e| e.to_string())?;
        let mut interpreter = Interpreter::new(&task.unit);
        // Where a result may be anything but zero, something positive.
        let end = interpreter.run(&mut |_| 1, &Budget::unlimited().with_steps(50_000_000));
        for (n, &sum) in sums.iter().enumerate() {
            let found = interpreter.global(&format!("sum_{n}"));
            if found != Some(sum.into()) {
                return Err(format!("{found:x?} and not {sum:x}, {end:?}: {}", self.call(n)));
            }
        }
        if !matches!(end, End::Returned(0)) {
            return Err(format!("{end:?}"));
        }
        if is_encoded {
            let one = |site| match &task.program.inputs[site] {
                i if i.sort == store.int_sort() => bolide_term::Value::Num(bolide_base::Rational::from(1)),
                i => task.program.default_value(&store, i.sort, i.range),
            };
            let budget = Budget::unlimited().with_steps(50_000_000);
            let (outcome, _) = Runner::new(&store, &task.program, &[]).run(&store, one, &budget);
            if outcome != Outcome::Finished {
                return Err(format!("encoded: {outcome:?}"));
            }
        }
        Ok(())
    }
}

fn compare(calls: &str, flag: &str, data_model: DataModel, is_encoded: bool) {
    let mut rng = Random::new(0x005e_ed0f_1ab5);
    let mut failures = Vec::new();
    for (names, block) in table(calls) {
        let calls = Calls::new(block, data_model, rounds(60).max(6), &mut rng);
        let Some(sums) = calls.compiled(flag) else {
            eprintln!("no compiler and library for {flag}");
            return;
        };
        if let Err(message) = calls.interpreted(&sums, data_model, is_encoded) {
            failures.push(format!("{names}: {message}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn calls_agree_with_the_library_in_64_bits() {
    compare(CALLS, "-m64", DataModel::Lp64, true);
}

#[test]
fn calls_agree_with_the_library_in_32_bits() {
    compare(CALLS, "-m32", DataModel::Ilp32, true);
}

#[test]
fn reals_agree_with_the_library() {
    compare(REALS, "-m64", DataModel::Lp64, false);
}

/// Every model is called by a table, or reads input.
#[test]
fn every_model_is_called() {
    let sources = [
        include_str!("../../src/c/lower/models.c"),
        include_str!("../../src/c/lower/models/strings.c"),
        include_str!("../../src/c/lower/models/wide.c"),
        include_str!("../../src/c/lower/models/system.c"),
        include_str!("../../src/c/lower/models/format.c"),
        include_str!("../../src/c/lower/models/numbers.c"),
        include_str!("../../src/c/lower/models/scan.c"),
    ];
    let tables: Vec<(&str, &str)> = [CALLS, REALS].into_iter().flat_map(table).collect();
    let called: Vec<&str> = tables.iter().flat_map(|(names, _)| names.split(' ')).collect();
    let mut missing = Vec::new();
    for line in sources.iter().flat_map(|s| s.lines()).filter(|l| !l.starts_with([' ', '}'])) {
        let Some((_, name)) = line.split_once("__bolide_model_") else { continue };
        let name = name.split('(').next().unwrap_or_default();
        // Others with such names are parts of models.
        let is_function = !name.starts_with("__")
            || name.starts_with("__builtin_")
            || ["__ctype_b_loc", "__errno_location"].contains(&name);
        let is_elsewhere = INPUT.contains(&name) || AT_THE_END.contains(&name);
        if is_function && !called.contains(&name) && !is_elsewhere {
            missing.push(name);
        }
    }
    assert!(missing.is_empty(), "no calls of {missing:?}");
    // A name of a line is called by the line.
    for (names, block) in tables {
        for name in names.split(' ') {
            assert!(block.contains(&format!("{name}(")) || block.contains("lists("), "{name}: {block}");
        }
    }
}

/// The number is nearer to one `float`, and the `double` next to it lies in the middle of two.
#[test]
fn numbers_are_rounded_once() {
    for (text, rounded) in [
        ("2.981297779083252e+01", "29.812978744506836f"),
        ("8.344225406646729e+00", "8.344225883483887f"),
        ("8.421081161499023e+01", "84.21080780029297f"),
    ] {
        for call in [format!("sscanf(\"{text}\", \"%f\", &f);"), format!("f = strtof(\"{text}\", 0);")] {
            let text = format!(
                "extern int sscanf(const char *, const char *, ...); extern float strtof(const char *, char **);
                 extern void reach_error(void);
                 int main(void) {{ float f = 0; {call} if (f != {rounded}) reach_error(); return 0; }}"
            );
            let mut store = Store::new();
            let task = load(&mut store, "round.c", &text, &Options::default()).expect("a program");
            let end = Interpreter::new(&task.unit).run(&mut |_| 1, &Budget::unlimited());
            assert!(matches!(end, End::Returned(0) | End::Stuck(_)), "{end:?}: {text}");
        }
    }
}
