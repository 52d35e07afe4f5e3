//! Every bug that was fixed has a script that showed it, with the answer to its last query in `:status`. The scripts
//! are run with all checks: an incremental, a proving and a fresh solver agree, models and refutations hold, cores
//! are cores, and the interpolants of all systems are verified.

use bolide_fuzz::interpolate::{Outcome, all_configurations};
use bolide_fuzz::{incremental, solve};
use bolide_itp::Tree;
use bolide_smtlib::{AttributeValue, Command, read_script};
use bolide_term::Store;
use std::path::{Path, PathBuf};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

fn scripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../smt/tests/regressions");
    let entries = std::fs::read_dir(folder).expect("the folder of regression scripts");
    let mut files: Vec<PathBuf> = entries.map(|e| e.expect("a readable folder").path()).collect();
    files.sort();
    files
}

fn run(text: &str) -> Result<(), String> {
    let mut store = Store::new();
    let commands = read_script(text, &mut store).map_err(|e| e.to_string())?;
    let status = commands.iter().find_map(|c| match &c.command {
        Command::SetInfo { keyword, value: AttributeValue::Symbol(s) } if keyword == ":status" => {
            Some(s.clone())
        }
        _ => None,
    });
    let status = status.ok_or("the script has no :status")?;
    let answers = incremental::incremental(text, LIMIT, 0).map_err(|f| f.to_string())?;
    if answers.last().copied() != Some(status.as_str()) {
        return Err(format!("answered {answers:?}, expected {status}"));
    }
    let scopes = commands.iter().any(|c| {
        matches!(c.command, Command::Push(_) | Command::CheckSatAssuming(_) | Command::ResetAssertions)
    });
    if !scopes && let Some(finding) = solve::solve(text, LIMIT, 0).finding {
        return Err(finding.to_string());
    }
    for c in &commands {
        if let Command::GetInterpolants(tree) = &c.command {
            let tree = Tree::from_subtrees(tree.subtree_start.clone()).ok_or("not a tree")?;
            let mut outcome = Outcome::default();
            let parts = solve::assertions(text, &mut store).map_err(|f| f.to_string())?;
            all_configurations(&mut store, &parts, &tree, LIMIT, 0, 0, &mut outcome)
                .map_err(|f| f.to_string())?;
        }
    }
    Ok(())
}

#[test]
fn fixed_bugs_stay_fixed() {
    let mut failures = Vec::new();
    for file in scripts() {
        let text = std::fs::read_to_string(&file).expect("a readable script");
        if let Err(failure) = run(&text) {
            failures.push(format!("{}: {failure}", file.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
