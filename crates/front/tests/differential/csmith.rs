//! Programs of csmith, where it is installed: gcc and the interpreter must compute the same checksum.
//!
//! `BOLIDE_CSMITH=N` sets the number of programs, `BOLIDE_CSMITH_SEED=S` the first seed.

use bolide_base::Budget;
use bolide_front::c::interp::{End, Interpreter};
use bolide_front::c::{DataModel, Options, load};
use bolide_term::Store;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Where Debian's package has the header.
const INCLUDES: &str = "/usr/include/csmith";

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// Runs a command; its output if it succeeds. csmith leaves a file in the folder where it runs.
fn run(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).current_dir(std::env::temp_dir()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The checksum that the program prints.
fn checksum(output: &str) -> Option<u64> {
    u64::from_str_radix(output.trim().strip_prefix("checksum = ")?, 16).ok()
}

enum Result {
    Agree,
    /// The program does not end within the limits.
    Long,
    /// gcc cannot build it for this word size.
    NotBuilt,
}

fn compare(dir: &Path, source: &str, seed: u64, flag: &str, model: DataModel) -> Result {
    let binary = dir.join("program").display().to_string();
    let built = run("gcc", &[flag, "-w", "-O0", "-fwrapv", "-I", INCLUDES, "-o", &binary, source]);
    let expected = built.and_then(|_| run("timeout", &["2", &binary])).and_then(|out| checksum(&out));
    let Some(expected) = expected else { return Result::NotBuilt };
    let text =
        run("gcc", &[flag, "-E", "-P", "-I", INCLUDES, source]).expect("gcc preprocesses what it compiles");
    let report = "printf (\"checksum = %X\\n\", crc);";
    assert!(text.contains(report), "csmith's header reports the checksum in another way");
    let text = format!("unsigned bolide_checksum;\n{}", text.replace(report, "bolide_checksum = crc;"));
    let options = Options { data_model: model, ..Options::default() };
    let task = load(&mut Store::new(), "csmith.c", &text, &options)
        .unwrap_or_else(|e| panic!("seed {seed} {flag}: {e}"));
    let mut interpreter = Interpreter::new(&task.unit);
    let budget = Budget::unlimited().with_time(Duration::from_secs(20));
    match interpreter.run(&mut |_| 0, &budget) {
        End::Returned(_) => {
            let computed = interpreter.global("bolide_checksum").map(|v| v as u64 & 0xffff_ffff);
            assert_eq!(computed, Some(expected), "seed {seed} {flag}");
            Result::Agree
        }
        End::Interrupted(_) => Result::Long,
        end => panic!("seed {seed} {flag}: {end:?}"),
    }
}

#[test]
fn csmith_programs_compute_what_gcc_computes() {
    if run("csmith", &["--version"]).is_none() || !Path::new(INCLUDES).exists() {
        return;
    }
    let dir = std::env::temp_dir().join(format!("bolide-csmith-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder for the test");
    let source = dir.join("program.c").display().to_string();
    let (mut agree, mut long, mut not_built) = (0, 0, 0);
    let first = number("BOLIDE_CSMITH_SEED", 1);
    for seed in first..first + number("BOLIDE_CSMITH", 6) {
        let seed_text = seed.to_string();
        let arguments =
            ["--seed", &seed_text, "--no-float", "--no-packed-struct", "--max-funcs", "4", "-o", &source];
        run("csmith", &arguments).expect("csmith writes a program");
        for (flag, model) in [("-m32", DataModel::Ilp32), ("-m64", DataModel::Lp64)] {
            match compare(&dir, &source, seed, flag, model) {
                Result::Agree => agree += 1,
                Result::Long => long += 1,
                Result::NotBuilt => not_built += 1,
            }
        }
    }
    let _ = std::fs::remove_dir_all(&dir);
    println!("csmith: {agree} agree, {long} too long, {not_built} not built or without end");
    assert!(agree > 0 || not_built > 0);
}
