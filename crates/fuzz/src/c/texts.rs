//! Broken programs: whatever the text is, reading it ends with a program or with messages, and never with a panic.

use crate::guard::{Watchdog, catch};
use crate::read::mutate;
use crate::{Random, c};
use bolide_base::{Budget, Message};
use bolide_front::c::interp::Interpreter;
use bolide_front::c::{DataModel, Options, load};
use bolide_term::Store;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Words that C programs are made of, to put in at random.
const WORDS: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "*",
    "&",
    "&&",
    "->",
    ".",
    "...",
    "=",
    "==",
    "+",
    "++",
    "-",
    "?",
    ":",
    "::",
    "#",
    "##",
    "\\\n",
    "\"",
    "'",
    "L\"",
    "u8'",
    "/*",
    "*/",
    "//",
    "0",
    "1",
    "-1",
    "0x",
    "1e",
    "08",
    "0b12",
    "99999999999999999999999999999999999999999",
    "1.5f",
    "0x1p3",
    "2i",
    "int",
    "char",
    "long",
    "unsigned",
    "signed",
    "void",
    "float",
    "double",
    "_Complex",
    "_Bool",
    "__int128",
    "short",
    "struct",
    "union",
    "enum",
    "typedef",
    "extern",
    "static",
    "inline",
    "register",
    "const",
    "volatile",
    "restrict",
    "_Atomic",
    "_Alignas(8)",
    "_Alignas(",
    "_Static_assert(0, \"\");",
    "_Static_assert(1);",
    "_Generic(",
    "sizeof",
    "_Alignof",
    "__typeof__(",
    "__auto_type",
    "__label__",
    "__extension__",
    "__attribute__((packed))",
    "__attribute__((aligned(3)))",
    "__attribute__((vector_size(16)))",
    "__attribute__((",
    "[[",
    "asm(",
    "asm(\"\" : \"=r\"(",
    "if",
    "else",
    "while",
    "do",
    "for",
    "switch",
    "case",
    "default",
    "goto",
    "goto *",
    "break",
    "continue",
    "return",
    "__builtin_offsetof(",
    "__builtin_va_arg(",
    "__builtin_va_list",
    "__builtin_types_compatible_p(",
    "main",
    "in",
    "sum",
    "note(",
    "R0",
    "struct T0",
    "[in]",
    "[-1]",
    "[in++]",
    "[*]",
    "[static 2]",
    "[1 ... 3] =",
    ".m0 =",
    ".m0",
    "->m1",
    "x:",
    ": 3",
    ": 99",
    "malloc(",
    "memcpy(",
    "printf(\"%d\",",
    "#pragma pack(1)\n",
    "# 1 \"x\"\n",
    "\0",
    "\u{e9}",
    "\\u00e9",
    "\r\n",
    "$",
    "@",
    "`",
];

/// A program with some damage: generated, or one of the given texts.
fn text(seed: u64, samples: &[Vec<u8>]) -> Vec<u8> {
    let mut rng = Random::new(seed);
    let mut text = match rng.below(12) {
        0 => (0..rng.below(200)).map(|_| (rng.bits() >> 40) as u8).collect(),
        1 => {
            let words: Vec<&str> = (0..rng.below(60)).filter_map(|_| rng.choose(WORDS).copied()).collect();
            words.join(" ").into_bytes()
        }
        n if n % 2 == 0 && !samples.is_empty() => samples[rng.below(samples.len())].clone(),
        _ => c::compare::task(&c::generate(&mut rng, 0), 0, "s == 1").into_bytes(),
    };
    for _ in 0..1 + rng.below(4) {
        mutate(&mut rng, &mut text, WORDS);
    }
    text
}

/// Reads damaged texts; the number of panics. Files given are damaged, too. A text that takes longer than the limit ends the run.
pub fn texts(
    count: usize,
    seed: u64,
    files: &[PathBuf],
    limit: Duration,
    out: &Path,
) -> Result<u64, Message> {
    std::fs::create_dir_all(out).map_err(|e| format!("{}: {e}", out.display()))?;
    let read = |f: &PathBuf| std::fs::read(f).map_err(|e| format!("{}: {e}", f.display()));
    let samples: Vec<Vec<u8>> = files.iter().map(read).collect::<Result<_, _>>()?;
    let watchdog = Watchdog::start(limit, out.join("stuck.c"));
    let (mut accepted, mut refused, mut panics) = (0, 0, 0);
    for n in 0..count {
        let text = text(seed.wrapping_mul(1_000_003) + n as u64, &samples);
        let shown = String::from_utf8_lossy(&text).into_owned();
        watchdog.begin(&shown);
        let data_model = if n % 2 == 0 { DataModel::Lp64 } else { DataModel::Ilp32 };
        let outcome = catch(|| {
            let options = Options { data_model, ..Options::default() };
            let mut store = Store::new();
            let task = load(&mut store, "text.c", &shown, &options).ok()?;
            Interpreter::new(&task.unit).run(&mut |_| 1, &Budget::unlimited().with_steps(10_000));
            Some(task.program.check(&store))
        });
        watchdog.end();
        match outcome {
            Ok(None) => refused += 1,
            Ok(Some(None)) => accepted += 1,
            Ok(Some(Some(flaw))) => {
                panics += 1;
                println!("text-{n}.c: not well formed: {flaw}");
                std::fs::write(out.join(format!("text-{n}.c")), &text).map_err(|e| e.to_string())?;
            }
            Err(panic) => {
                panics += 1;
                println!("text-{n}.c: {panic}");
                std::fs::write(out.join(format!("text-{n}.c")), &text).map_err(|e| e.to_string())?;
            }
        }
    }
    println!("{count} texts: {accepted} accepted, {refused} refused, {panics} panics");
    Ok(panics)
}
