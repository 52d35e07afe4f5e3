//! The truth: what a compiled program does, under sanitizers.

use super::INPUTS;
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

/// Runs each function in a process of its own, so that one that a sanitizer stops spoils no other.
const HARNESS: &str = "\
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void go(int id, int input, unsigned long long (*f)(int)) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) { alarm(5); printf(\"%d %d %llu\\n\", id, input, f(input)); fflush(stdout); _exit(0); }
  int status; waitpid(child, &status, 0);
}
";

/// The checksums of programs for each input; `None` for a program that a sanitizer stopped or that took too long.
///
/// The texts must define `run_0`, `run_1`, and so on. An error if the compiler rejects one of them or is not there.
pub fn run(texts: &[String], target: Target, folder: &Path) -> Result<Vec<Option<Vec<u64>>>, String> {
    let mut harness = HARNESS.to_string();
    for id in 0..texts.len() {
        let _ = writeln!(harness, "unsigned long long run_{id}(int);");
    }
    harness.push_str("int main(void) {\n");
    for id in 0..texts.len() {
        for input in 0..INPUTS {
            let _ = writeln!(harness, "go({id}, {input}, run_{id});");
        }
    }
    harness.push_str("return 0; }\n");
    std::fs::create_dir_all(folder).map_err(|e| e.to_string())?;
    let path = |name: &str| folder.join(name);
    std::fs::write(path("harness.c"), harness).map_err(|e| e.to_string())?;
    let mut files = vec![path("harness.c")];
    for (id, text) in texts.iter().enumerate() {
        let file = path(&format!("p{id}.c"));
        std::fs::write(&file, text).map_err(|e| e.to_string())?;
        files.push(file);
    }
    let options = [
        target.flag(),
        "-w",
        "-Werror=return-type",
        "-O0",
        "-fwrapv",
        "-fno-strict-aliasing",
        "-fsanitize=address,undefined",
        "-fno-sanitize=signed-integer-overflow",
        "-fno-sanitize-recover=all",
        "-o",
    ];
    let built = Command::new("gcc").args(options).arg(path("programs")).args(&files).output();
    let built = built.map_err(|e| format!("gcc: {e}"))?;
    if !built.status.success() {
        return Err(String::from_utf8_lossy(&built.stderr).chars().take(4000).collect());
    }
    let output = Command::new(path("programs"))
        .env("ASAN_OPTIONS", "detect_stack_use_after_return=1:detect_leaks=0:strict_string_checks=1")
        .output()
        .map_err(|e| e.to_string())?;
    let mut sums: Vec<Vec<Option<u64>>> = vec![vec![None; INPUTS as usize]; texts.len()];
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let mut numbers = line.split(' ').map(|n| n.parse::<u64>().ok());
        if let (Some(Some(id)), Some(Some(input)), Some(Some(sum))) =
            (numbers.next(), numbers.next(), numbers.next())
            && let Some(slot) = sums.get_mut(id as usize).and_then(|s| s.get_mut(input as usize))
        {
            *slot = Some(sum);
        }
    }
    Ok(sums.into_iter().map(|s| s.into_iter().collect()).collect())
}
