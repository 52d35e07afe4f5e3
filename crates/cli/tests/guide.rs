//! The guide says what is so: its commands print what it shows, its programs are the examples, its pages exist.

mod common;

use common::Folder;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join("docs").join(name)).expect("a page of the guide")
}

/// The texts of the blocks of a language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(found) = line.strip_prefix("```") {
            let body: Vec<&str> = lines.by_ref().take_while(|l| *l != "```").collect();
            if found == language {
                blocks.push(body.join("\n"));
            }
        }
    }
    blocks
}

/// Does a line look like the expected one, in which `…` stands for any text?
fn is_like(expected: &str, line: &str) -> bool {
    let mut parts = expected.split('…');
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Do lines look like the expected ones, where a line `…` stands for any lines?
fn are_like(expected: &[&str], lines: &[&str]) -> bool {
    match (expected, lines) {
        ([], _) => lines.is_empty(),
        (["…", rest @ ..], _) => (0..=lines.len()).any(|n| are_like(rest, &lines[n..])),
        ([e, rest @ ..], [line, more @ ..]) => is_like(e, line) && are_like(rest, more),
        _ => false,
    }
}

#[test]
fn commands_print_what_the_guide_shows() {
    let bolide = Path::new(env!("CARGO_BIN_EXE_bolide"));
    let path = format!(
        "{}:{}",
        bolide.parent().expect("a folder").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let mut commands = 0;
    for (name, examples) in [
        ("tutorial-c.md", "examples"),
        ("tutorial-project.md", "examples/project"),
        ("tutorial-horn.md", "examples"),
        ("tutorial-circuits.md", "examples"),
    ] {
        let folder = Folder::new(name);
        for example in std::fs::read_dir(root().join(examples)).expect("examples") {
            let example = example.expect("an example");
            if example.path().is_dir() {
                continue;
            }
            let text = std::fs::read_to_string(example.path()).expect("a text");
            folder.file(&example.file_name().to_string_lossy(), &text);
        }
        for block in blocks(&page(name), "console") {
            let mut steps: Vec<(&str, Vec<&str>)> = Vec::new();
            for line in block.lines() {
                match line.strip_prefix("$ ") {
                    Some(command) => steps.push((command, Vec::new())),
                    None => steps.last_mut().expect("a command").1.push(line),
                }
            }
            for (command, expected) in steps {
                let mut shell = Command::new("sh");
                shell.args(["-c", command]).current_dir(folder.path("")).env("PATH", &path);
                let output = shell.output().expect("a shell");
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                let lines: Vec<&str> = text.lines().collect();
                assert!(are_like(&expected, &lines), "{name}: {command}\n{text}");
                commands += 1;
            }
        }
    }
    assert!(commands >= 10, "{commands}");
}

#[test]
fn programs_of_the_guide_are_examples() {
    let blocks = blocks(&page("embedding.md"), "rust");
    let examples = ["verify", "program", "clauses", "circuit", "certificate"];
    assert_eq!(blocks.len(), examples.len());
    for (block, name) in blocks.iter().zip(examples) {
        let path = root().join("crates/verify/examples").join(format!("{name}.rs"));
        let text = std::fs::read_to_string(path).expect("an example");
        assert_eq!(block.trim(), text.trim(), "{name}");
    }
}

/// The table of engines, from the registry.
fn table_of_engines() -> String {
    let mut out = String::from("| engine | works on | what it does | paper |\n|---|---|---|---|\n");
    for entry in bolide::ENGINES {
        let inputs: Vec<&str> = entry.inputs.iter().map(|i| i.short()).collect();
        out += &format!("| `{}` | {} | {} | {} |\n", entry.name, inputs.join(", "), entry.help, entry.paper);
    }
    out
}

/// The tables of the strategy, for all inputs.
fn table_of_strategy() -> String {
    let mut out = String::from("| input | engine | share | why |\n|---|---|---|---|\n");
    for input in bolide::Input::ALL {
        for row in bolide::strategy::table(input) {
            let (input, engine) = (input.short(), row.engine);
            out += &format!("| {input} | `{engine}` | {} | {} |\n", row.share, row.why);
        }
    }
    out
}

#[test]
fn tables_of_engines_are_those_of_the_registry() {
    let page = page("engines.md");
    for table in [table_of_engines(), table_of_strategy()] {
        assert!(page.contains(&table), "docs/engines.md should have:\n{table}");
    }
}

#[test]
fn links_lead_to_pages() {
    let mut links = 0;
    for entry in std::fs::read_dir(root().join("docs")).expect("the guide") {
        let path = entry.expect("a page").path();
        if path.extension().is_none_or(|e| e != "md") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a page");
        for part in text.split("](").skip(1) {
            let target = part.split([')', '#']).next().unwrap_or("");
            if target.ends_with(".md") {
                assert!(root().join("docs").join(target).is_file(), "{}: {target}", path.display());
                links += 1;
            }
        }
    }
    assert!(links > 15);
    let summary = page("SUMMARY.md");
    for name in
        ["introduction", "usage", "evidence", "report", "embedding", "c", "horn", "circuits", "smt", "split"]
    {
        assert!(summary.contains(&format!("({name}.md)")), "{name}");
    }
}

#[test]
fn help_teaches() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_bolide")).args(["verify", "--help"]).output().expect("bolide runs");
    let help = String::from_utf8_lossy(&output.stdout).into_owned();
    for part in
        ["Examples:", "Engines (--engine):", "Exit codes: 0 safe, 1 unsafe, 2 unknown", "--cache", "--jobs"]
    {
        assert!(help.contains(part), "{part}");
    }
    assert!(!help.contains("as-part"), "what is between processes is not for users");
}
