//! The rooms of the house: crates and modules depend on each other in one direction only.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All source files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    found
}

/// The first part of the path of a file below `src`, without its ending.
fn module(source: &Path, file: &Path) -> Option<String> {
    let below = file.strip_prefix(source).ok()?;
    let first = below.components().next()?.as_os_str().to_str()?;
    let name = first.strip_suffix(".rs").unwrap_or(first);
    (!["lib", "main"].contains(&name)).then(|| name.into())
}

/// Which modules at the top of a crate use which others, by their `use` lines and by paths that start at the crate.
fn uses(source: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let files = sources(source);
    let modules: BTreeSet<String> = files.iter().filter_map(|f| module(source, f)).collect();
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in &files {
        let Some(own) = module(source, file) else { continue };
        let is_top = file.parent() == Some(source);
        let text = std::fs::read_to_string(file).expect("a text");
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        for path in text.split("crate::").skip(1) {
            let name: String = path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if modules.contains(&name) && name != own {
                uses.entry(own.clone()).or_default().insert(name);
            }
        }
        for line in text.split(';').map(str::trim) {
            let Some(at) = line.rfind("use ") else { continue };
            let path = &line[at + 4..];
            let path = match path.strip_prefix("crate::") {
                Some(path) => path,
                None if is_top => path.strip_prefix("super::").unwrap_or(""),
                None => "",
            };
            let names = path.trim_start_matches('{').split(['{', '}', ',']).map(|p| {
                let first = p.trim().split("::").next().unwrap_or("");
                first.split(' ').next().unwrap_or("").to_string()
            });
            let grouped = path.starts_with('{');
            let names: Vec<String> = if grouped { names.collect() } else { names.take(1).collect() };
            let others = names.into_iter().filter(|n| modules.contains(n) && *n != own);
            uses.entry(own.clone()).or_default().extend(others);
        }
    }
    uses
}

/// A cycle among modules, if there is one.
fn cycle(uses: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    let mut finished: BTreeSet<&str> = BTreeSet::new();
    for start in uses.keys() {
        let mut path: Vec<(&str, Vec<&str>)> = vec![(start, next(uses, start))];
        while let Some((_, open)) = path.last_mut() {
            match open.pop() {
                Some(module) if finished.contains(module) => {}
                Some(module) if path.iter().any(|(m, _)| *m == module) => {
                    let names = path.iter().map(|(m, _)| (*m).to_string()).skip_while(|m| m != module);
                    return Some(names.collect());
                }
                Some(module) => path.push((module, next(uses, module))),
                None => {
                    finished.extend(path.pop().map(|(m, _)| m));
                }
            }
        }
    }
    None
}

fn next<'a>(uses: &'a BTreeMap<String, BTreeSet<String>>, module: &str) -> Vec<&'a str> {
    uses.get(module).into_iter().flatten().map(String::as_str).collect()
}

#[test]
fn modules_do_not_use_each_other_in_circles() {
    for name in ORDER.iter().chain(&["testkit", "fuzz"]) {
        let uses = uses(&crates().join(name).join("src"));
        assert!(!uses.is_empty(), "{name}: {uses:?}");
        assert_eq!(cycle(&uses), None, "{name}");
    }
}

#[test]
fn circles_are_found() {
    let uses = |pairs: &[(&str, &str)]| {
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (a, b) in pairs {
            uses.entry((*a).into()).or_default().insert((*b).into());
        }
        uses
    };
    assert_eq!(cycle(&uses(&[("a", "b"), ("b", "c"), ("a", "c")])), None);
    assert_eq!(cycle(&uses(&[("a", "b"), ("b", "c"), ("c", "b")])).map(|c| c.len()), Some(2));
}

/// The crates in the order in which they may use each other: those further down use those further up.
const ORDER: &[&str] = &[
    "base", "term", "smtlib", "proof", "sat", "smt", "itp", "model", "front", "cert", "engine", "verify",
    "report", "lsp", "cli",
];

#[test]
fn crates_use_only_those_above() {
    for (n, name) in ORDER.iter().enumerate() {
        let manifest = std::fs::read_to_string(crates().join(name).join("Cargo.toml")).expect("a manifest");
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or("");
        let dependencies = dependencies.split("\n[").next().unwrap_or("");
        for line in dependencies.lines().filter(|l| l.starts_with("bolide")) {
            let used = line.split('.').next().unwrap_or("");
            let used = if used == "bolide" { "verify" } else { used.trim_start_matches("bolide-") };
            let place = ORDER.iter().position(|c| *c == used).expect("a known crate");
            assert!(place < n, "{name} uses {used}");
            let solvers = ["sat", "smt", "itp", "engine"];
            assert!(*name != "cert" || !solvers.contains(&used), "the checker uses {used}");
        }
    }
}

#[test]
fn the_command_line_is_a_thin_layer() {
    let lines: usize = sources(&crates().join("cli/src"))
        .iter()
        .map(|f| std::fs::read_to_string(f).expect("a text").lines().count())
        .sum();
    assert!(lines <= 5000, "{lines} lines");
}

/// What a registry of crates asks for is there.
#[test]
fn crates_can_be_published() {
    for name in ORDER {
        let folder = crates().join(name);
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        for key in ["description", "license", "readme", "documentation", "keywords", "categories"] {
            let is_there =
                |line: &str| line.starts_with(&format!("{key} ")) || line.starts_with(&format!("{key}."));
            assert!(manifest.lines().any(is_there), "{name} has no {key}");
        }
        assert!(folder.join("README.md").is_file(), "{name} has no README.md");
    }
}
