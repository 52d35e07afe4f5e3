//! How much code `bolide check` trusts, for each kind of task: the table in docs/evidence.md is that of the sources.

use std::path::{Path, PathBuf};

/// The kinds of evidence, as the columns of the table.
const COLUMNS: [&str; 5] = ["C, as read", "C, prepared", "Horn", "AIGER", "BTOR2"];

/// A row of the table: what it is, the files and folders below `crates`, and for which columns it is trusted.
const ROWS: [(&str, &[&str], [bool; 5]); 12] = [
    ("limits, numbers (`base`)", &["base/src"], [true; 5]),
    ("terms (`term`)", &["term/src"], [true; 5]),
    ("SMT-LIB text (`smtlib`)", &["smtlib/src"], [true, true, true, false, false]),
    ("steps of proofs (`proof`)", &["proof/src"], [true; 5]),
    (
        "the checker (`cert`)",
        &[
            "cert/src/lib.rs",
            "cert/src/check.rs",
            "cert/src/claim.rs",
            "cert/src/claimed.rs",
            "cert/src/format.rs",
            "cert/src/obligations.rs",
        ],
        [true; 5],
    ),
    (
        "obligations of programs (`cert`)",
        &[
            "cert/src/program.rs",
            "cert/src/regions.rs",
            "cert/src/regions",
            "cert/src/procedures.rs",
            "cert/src/position.rs",
        ],
        [true, true, false, false, false],
    ),
    (
        "obligations of clauses, of circuits (`cert`)",
        &["cert/src/horn.rs", "cert/src/horn", "cert/src/circuit.rs"],
        [false, true, true, true, true],
    ),
    (
        "reading C, the interpreter (`front`)",
        &["front/src/c.rs", "front/src/c"],
        [true, true, false, false, false],
    ),
    ("reading clauses (`front`)", &["front/src/chc.rs", "front/src/chc"], [false, false, true, false, false]),
    (
        "AIGER, BTOR2 (`front`)",
        &[
            "front/src/aiger.rs",
            "front/src/aiger/build.rs",
            "front/src/aiger/cursor.rs",
            "front/src/aiger/parse.rs",
            "front/src/aiger/witness.rs",
            "front/src/btor2.rs",
            "front/src/btor2",
        ],
        [false, false, false, true, true],
    ),
    (
        "programs, inlining (`model`)",
        &[
            "model/src/program.rs",
            "model/src/program/determined.rs",
            "model/src/program/determined",
            "model/src/program/graph.rs",
            "model/src/program/pass.rs",
            "model/src/program/pass/inline.rs",
            "model/src/program/pass/entry_values.rs",
            "model/src/program/pass/recursion.rs",
            "model/src/program/run.rs",
            "model/src/program/step.rs",
        ],
        [true, true, false, false, false],
    ),
    (
        "the other passes; clauses; circuits (`model`)",
        &[
            "model/src/program/pass",
            "model/src/program/unwind.rs",
            "model/src/program/unwind",
            "model/src/program/boxes.rs",
            "model/src/program/boxes",
            "model/src/program/live.rs",
            "model/src/horn/program.rs",
            "model/src/horn.rs",
            "model/src/horn/evidence.rs",
            "model/src/horn/folds.rs",
            "model/src/horn/repetitions.rs",
            "model/src/repetition.rs",
            "model/src/horn/system.rs",
            "model/src/circuit.rs",
            "model/src/circuit/aig.rs",
            "model/src/circuit/simulate.rs",
            "model/src/circuit/system.rs",
        ],
        [false, true, true, true, true],
    ),
];

/// What of a row with several parts a column needs.
fn is_needed(path: &str, column: usize) -> bool {
    match path {
        "cert/src/horn.rs" | "cert/src/horn" => column == 1 || column == 2,
        "cert/src/circuit.rs" => column >= 3,
        "front/src/btor2.rs" | "front/src/btor2" => column == 4,
        "model/src/program/pass" | "model/src/program/live.rs" | "model/src/horn/program.rs" => column == 1,
        path if path.starts_with("model/src/program/unwind") => column == 1,
        path if path.starts_with("model/src/program/boxes") => column == 1,
        "model/src/horn/repetitions.rs" | "model/src/repetition.rs" => column == 2,
        path if path.starts_with("model/src/horn") => column == 1 || column == 2,
        path if path.starts_with("model/src/circuit") => column >= 3,
        _ => true,
    }
}

fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.into()];
    }
    let entries = std::fs::read_dir(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    entries.flat_map(|entry| sources(&entry.expect("an entry").path())).collect()
}

/// Lines of code: without tests, blank lines and comments.
fn lines(path: &Path) -> usize {
    let is_code = |file: &PathBuf| {
        file.extension().is_some_and(|e| e == "rs" || e == "c") && !file.ends_with("tests.rs")
    };
    let count = |file: PathBuf| {
        let text = std::fs::read_to_string(file).expect("a source");
        let code = text.split("#[cfg(test)]").next().unwrap_or("");
        code.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
    };
    sources(path).into_iter().filter(is_code).map(count).sum()
}

/// The counts of a row, in hundreds of lines where it is trusted.
fn counts(row: &(&str, &[&str], [bool; 5])) -> [Option<usize>; 5] {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    // Files that another row has are not counted twice.
    let is_listed = |file: &Path| {
        ROWS.iter().any(|(_, paths, _)| paths.iter().any(|p| crates.join(p) == file && file.is_file()))
    };
    std::array::from_fn(|column| {
        let needed = row.1.iter().filter(|path| is_needed(path, column));
        let count = |path: &&str| -> usize {
            let path = crates.join(path);
            match path.is_file() {
                true => lines(&path),
                false => sources(&path).iter().filter(|file| !is_listed(file)).map(|file| lines(file)).sum(),
            }
        };
        row.2[column].then(|| needed.map(count).sum::<usize>())
    })
}

fn table() -> String {
    let mut out =
        format!("| lines of code | {} |\n|---|{}\n", COLUMNS.join(" | "), "---|".repeat(COLUMNS.len()));
    let mut totals = [0; 5];
    let rounded = |n: usize| (n + 50) / 100 * 100;
    let mut line = |name: &str, cells: [Option<usize>; 5]| {
        let cells: Vec<String> =
            cells.iter().map(|c| c.map_or("–".into(), |n| rounded(n).to_string())).collect();
        out += &format!("| {name} | {} |\n", cells.join(" | "));
    };
    for row in &ROWS {
        let cells = counts(row);
        totals.iter_mut().zip(cells).for_each(|(total, cell)| *total += cell.unwrap_or(0));
        line(row.0, cells);
    }
    line("all", totals.map(Some));
    out
}

/// The table in the docs has the rows of this one, and its numbers are right within a tenth (or two hundred lines).
#[test]
fn the_trusted_base_is_as_large_as_the_docs_say() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/evidence.md");
    let docs = std::fs::read_to_string(docs).expect("the docs");
    let table = table();
    for row in table.lines().filter(|row| !row.starts_with("|---")) {
        let mut cells = row.split('|').map(str::trim).skip(1);
        let name = cells.next().unwrap_or("");
        let told = docs.lines().find(|line| line.starts_with(&format!("| {name} |")));
        let Some(told) = told else { panic!("docs/evidence.md has no row `{name}`; the table is\n{table}") };
        for (own, told) in cells.zip(told.split('|').map(str::trim).skip(2)) {
            let is_near = match (own.parse::<usize>(), told.parse::<usize>()) {
                (Ok(own), Ok(told)) => own.abs_diff(told) <= (own / 10).max(200),
                _ => own == told,
            };
            assert!(is_near, "{name}: {told} in docs/evidence.md, but {own}; the table is\n{table}");
        }
    }
}
