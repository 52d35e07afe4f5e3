//! The models of library functions against the library itself, by random calls of both in one C program.

use std::process::Command;

const MODELS: [&str; 9] = [
    include_str!("../src/c/lower/models.c"),
    include_str!("../src/c/lower/models/strings.c"),
    include_str!("../src/c/lower/models/wide.c"),
    include_str!("../src/c/lower/models/system.c"),
    include_str!("../src/c/lower/models/curves.c"),
    include_str!("../src/c/lower/models/format.c"),
    include_str!("../src/c/lower/models/numbers.c"),
    include_str!("../src/c/lower/models/scan.c"),
    include_str!("../src/c/lower/models/pointers.c"),
];

/// Definitions of the functions from which models take values from outside. Those of real numbers give what the test asks for,
/// so that a model that excludes the real result does not return it.
fn outside(models: &str) -> String {
    let mut out = String::from(
        "static double curve;\nint *__errno_location(void);\nunsigned long malloc_usable_size(void *);\n\
         unsigned long __bolide_object_size(void *p) { return malloc_usable_size(p); }\nvoid __bolide_reads(const void *p, unsigned long n) {}\nvoid __VERIFIER_assume(int c) { if (!c) __builtin_trap(); }\n",
    );
    for line in models.lines().filter(|l| l.contains("__bolide_from_") && l.ends_with("(void);")) {
        let declaration = line.trim_end_matches(';');
        let value = if line.starts_with("double") || line.starts_with("float") { "curve" } else { "1" };
        out += &format!("{declaration} {{ return {value}; }}\n");
    }
    out
}

#[test]
fn models_do_what_the_library_does() {
    let models = MODELS.concat();
    // Outside of its range a model stops; the test must see that.
    let models = models.replace("__builtin_unreachable()", "__builtin_trap()");
    let text = format!("{}{models}{}", outside(&models), include_str!("models_driver.c"));
    let folder = std::env::temp_dir().join(format!("bolide-models-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let (source, program) = (folder.join("models.c"), folder.join("models"));
    std::fs::write(&source, text).expect("the program of the test");
    let compiled = Command::new("gcc")
        .args(["-w", "-O1", "-fno-builtin", "-o"])
        .args([&program, &source])
        .arg("-lm")
        .output();
    let Ok(compiled) = compiled else { return };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(&program).output().expect("the compiled program runs");
    assert!(run.status.success(), "{:?} {}", run.status, String::from_utf8_lossy(&run.stdout));
    let _ = std::fs::remove_dir_all(&folder);
}
