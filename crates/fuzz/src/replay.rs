//! Scripts on file, such as those that showed a bug: run with all checks.
//!
//! An incremental, a proving and a fresh solver must agree, models and refutations must hold, cores must be cores, and
//! the interpolants of all systems are verified. The answer to the last query must be the `:status` of the script.

use crate::interpolate::{Outcome, all_configurations};
use crate::report::{Finding, Kind};
use crate::{guard, incremental, solve};
use bolide_itp::Tree;
use bolide_smtlib::{AttributeValue, Command, InterpolationTree, read_script};
use bolide_term::Store;
use std::time::Duration;

/// Runs a script; each query has this much time.
pub fn replay(text: &str, limit: Duration, seed: u32) -> Result<(), Finding> {
    let mut store = Store::new();
    let commands = read_script(text, &mut store).map_err(|e| Finding::new(Kind::Reader, e.to_string()))?;
    let status = commands.iter().find_map(|c| match &c.command {
        Command::SetInfo { keyword, value: AttributeValue::Symbol(s) } if keyword == ":status" => {
            Some(s.clone())
        }
        _ => None,
    });
    let answers = incremental::incremental(text, limit, seed)?;
    if let Some(status) = status
        && answers.last().copied() != Some(status.as_str())
    {
        return Err(Finding::new(Kind::Answers, format!("answered {answers:?}, expected {status}")));
    }
    let scopes = commands.iter().any(|c| {
        matches!(c.command, Command::Push(_) | Command::CheckSatAssuming(_) | Command::ResetAssertions)
    });
    if !scopes && let Some(finding) = solve::solve(text, limit, seed).finding {
        return Err(finding);
    }
    for c in &commands {
        if let Command::GetInterpolants(tree) = &c.command {
            interpolate(text, tree, limit, seed)?;
        }
    }
    Ok(())
}

/// All interpolants of a script whose assertions are the parts in order.
fn interpolate(text: &str, tree: &InterpolationTree, limit: Duration, seed: u32) -> Result<(), Finding> {
    let run = || {
        let mut store = Store::new();
        let parts = solve::assertions(text, &mut store)?;
        let shape = tree.subtree_start.clone();
        let tree = Tree::from_subtrees(shape).filter(|t| t.len() == parts.len());
        let tree = tree.ok_or(Finding::new(Kind::Reader, "the parts are not the assertions"))?;
        all_configurations(&mut store, &parts, &tree, limit, seed, 0, &mut Outcome::default()).map(|_| ())
    };
    guard::catch(run).unwrap_or_else(|panic| Err(Finding::new(Kind::Panic, panic)))
}
