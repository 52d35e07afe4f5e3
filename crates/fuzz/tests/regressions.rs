//! Every bug that was fixed has a script that showed it.

use std::path::{Path, PathBuf};
use std::time::Duration;

#[test]
fn fixed_bugs_stay_fixed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../smt/tests/regressions");
    let entries = std::fs::read_dir(folder).expect("the folder of regression scripts");
    let mut files: Vec<PathBuf> = entries.map(|e| e.expect("a readable folder").path()).collect();
    files.sort();
    let mut failures = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a readable script");
        assert!(text.contains(":status"), "{}: no :status", file.display());
        if let Err(finding) = bolide_fuzz::replay::replay(&text, Duration::from_secs(60), 0) {
            failures.push(format!("{}: {finding}", file.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
