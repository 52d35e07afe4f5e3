//! The truth: what a compiled program does, under sanitizers.

use super::program::RECORDS;
use super::{INPUTS, PRELUDE};
use bolide_base::Message;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Which machine is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// i386
    Bits32,
    /// x86-64
    Bits64,
}

impl Target {
    fn flag(self) -> &'static str {
        match self {
            Target::Bits32 => "-m32",
            Target::Bits64 => "-m64",
        }
    }
}

/// Runs each function in a process of its own, so that one that a sanitizer stops spoils no other. Without headers, which
/// cost more to compile than programs do.
const HARNESS: &str = "\
extern int printf(const char *, ...), fflush(void *), fork(void), waitpid(int, int *, int);
extern unsigned alarm(unsigned);
extern void _exit(int);
static void go(int id, int input, unsigned long long (*f)(int)) {
  fflush((void *)0);
  int child = fork(), status;
  if (child == 0) { alarm(20); printf(\"%d %d %llu\\n\", id, input, f(input)); fflush((void *)0); _exit(0); }
  waitpid(child, &status, 0);
}
int main(void) {
";

/// All programs in one unit, which costs a fraction of what a unit for each of them does. Records have numbers that start
/// anew in each program; everything else of file scope has a number of its own.
fn unit(programs: &[(usize, &str)]) -> String {
    let mut text = PRELUDE.to_string();
    for (id, program) in programs {
        for n in 0..RECORDS {
            let _ = writeln!(text, "#define T{n} T{n}_{id}\n#define R{n} R{n}_{id}");
        }
        text.push_str(program);
        for n in 0..RECORDS {
            let _ = writeln!(text, "#undef T{n}\n#undef R{n}");
        }
    }
    text.push_str(HARNESS);
    for (id, _) in programs {
        for input in 0..INPUTS {
            let _ = writeln!(text, "go({id}, {input}, run_{id});");
        }
    }
    text + "return 0; }\n"
}

/// The checksums of programs for each input; `None` for a program that a sanitizer stopped, that took too long, or that the
/// compiler itself fails on.
///
/// The program with the number N must define `run_N`. An error if the compiler rejects one of them or is not there.
pub fn run(
    programs: &[(usize, &str)],
    target: Target,
    folder: &Path,
) -> Result<Vec<Option<Vec<u64>>>, Message> {
    std::fs::create_dir_all(folder).map_err(|e| e.to_string())?;
    let (source, executable) = (folder.join("unit.c"), folder.join("unit"));
    std::fs::write(&source, unit(programs)).map_err(|e| e.to_string())?;
    let options = [
        target.flag(),
        "-w",
        "-Werror=return-type",
        "-O0",
        "-pipe",
        "-fwrapv",
        "-fno-strict-aliasing",
        "-fsanitize=address,undefined",
        "-fno-sanitize=signed-integer-overflow",
        // A trap ends a program as well as a message does, and calls for checks of addresses are fine; code for either in
        // place takes the compiler twice as long.
        "-fsanitize-undefined-trap-on-error",
        "--param",
        "asan-instrumentation-with-call-threshold=0",
        "-o",
    ];
    let built = Command::new("gcc").args(options).arg(&executable).arg(&source).output();
    let built = built.map_err(|e| format!("gcc: {e}"))?;
    if !built.status.success() {
        let said: String = String::from_utf8_lossy(&built.stderr).chars().take(4000).collect();
        return match (said.contains("internal compiler error"), programs) {
            (true, [_]) => Ok(vec![None]),
            (true, _) => {
                let (first, rest) = programs.split_at(programs.len() / 2);
                Ok([run(first, target, folder)?, run(rest, target, folder)?].concat())
            }
            (false, _) => Err(said.into()),
        };
    }
    let output = Command::new(&executable)
        .env("ASAN_OPTIONS", "detect_stack_use_after_return=1:detect_leaks=0:strict_string_checks=1")
        .output()
        .map_err(|e| e.to_string())?;
    let mut sums: BTreeMap<u64, Vec<Option<u64>>> =
        programs.iter().map(|p| (p.0 as u64, vec![None; INPUTS as usize])).collect();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let mut numbers = line.split(' ').map(|n| n.parse::<u64>().ok());
        if let (Some(Some(id)), Some(Some(input)), Some(Some(sum))) =
            (numbers.next(), numbers.next(), numbers.next())
            && let Some(slot) = sums.get_mut(&id).and_then(|s| s.get_mut(input as usize))
        {
            *slot = Some(sum);
        }
    }
    Ok(programs.iter().map(|p| sums[&(p.0 as u64)].iter().copied().collect()).collect())
}
