//! A run over many programs, with a summary.

use super::compare::{Comparison, readings, verdicts};
use super::compiler::{Target, run};
use super::shrink::shrink;
use crate::Random;
use bolide_base::Message;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What to do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How many programs.
    pub count: usize,
    /// The number from which all random choices follow.
    pub seed: u64,
    /// The `bolide` whose verdicts are compared, for every so-many-th program.
    pub bolide: Option<(PathBuf, usize)>,
    /// Where findings go.
    pub out: PathBuf,
    /// How long one finding is made smaller.
    pub shrink: Duration,
    /// How many findings of each kind are made smaller and written.
    pub shown: usize,
}

/// Programs in one run of the compiler.
const BATCH: usize = 100;

/// Compares programs; the number of differences.
pub fn programs(plan: &Plan) -> Result<u64, Message> {
    std::fs::create_dir_all(&plan.out).map_err(|e| format!("{}: {e}", plan.out.display()))?;
    let folder = std::env::temp_dir().join(format!("bolide-fuzz-c-{}", std::process::id()));
    let result = compare_all(plan, &folder);
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn compare_all(plan: &Plan, folder: &Path) -> Result<u64, Message> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut findings = 0;
    let mut done = 0;
    while done < plan.count {
        let batch = BATCH.min(plan.count - done);
        let texts: Vec<String> = (0..batch)
            .map(|id| {
                super::generate(&mut Random::new(plan.seed.wrapping_mul(1_000_003) + (done + id) as u64), id)
            })
            .collect();
        for target in [Target::Bits64, Target::Bits32] {
            let numbered: Vec<(usize, &str)> = texts.iter().map(String::as_str).enumerate().collect();
            let sums = run(&numbered, target, folder)?;
            for ((id, text), sums) in numbered.into_iter().zip(sums) {
                let Some(sums) = sums else {
                    *counts.entry("discarded by the compiler or a sanitizer".into()).or_default() += 1;
                    continue;
                };
                let compare = |text: &str, sums: &[u64]| match readings(text, id, sums, target) {
                    Comparison::Same => match &plan.bolide {
                        Some((bolide, every)) if (done + id) % every == 0 => {
                            verdicts(bolide, text, id, sums, target, folder)
                        }
                        _ => Comparison::Same,
                    },
                    other => other,
                };
                let comparison = compare(text, &sums);
                let key = match &comparison {
                    Comparison::Same => "the same".to_string(),
                    Comparison::Refused(reason) => format!("refused: {reason}"),
                    Comparison::Open(what) => format!("open: {what}"),
                    Comparison::Different(d) => format!("DIFFERENT: {}", d.kind),
                };
                let seen = counts.entry(key).or_default();
                *seen += 1;
                let Comparison::Different(difference) = comparison else { continue };
                findings += 1;
                if *seen > plan.shown {
                    continue;
                }
                let again = |text: &str| {
                    let alone = [(id, text)];
                    let sums = run(&alone, target, &folder.join("shrink")).ok()?.pop()??;
                    Some(compare(text, &sums))
                };
                let small = shrink(text, &difference, plan.shrink, again);
                let name = format!("{}-{}-{target:?}.c", difference.kind.replace(' ', "-"), done + id);
                let header = format!(
                    "/* {}: {} */\n",
                    difference.kind,
                    difference.detail.lines().next().unwrap_or("")
                );
                std::fs::write(plan.out.join(&name), header + super::PRELUDE + &small)
                    .map_err(|e| e.to_string())?;
                println!("{}: {} ({name})", difference.kind, difference.detail);
            }
        }
        done += batch;
    }
    println!("{done} programs for two machines");
    for (key, n) in counts {
        println!("{n:8}  {key}");
    }
    Ok(findings)
}
