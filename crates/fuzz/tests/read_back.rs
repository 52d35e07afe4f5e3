//! Refutations of random formulas of every theory survive being written and read by somebody who knows the formula only.

use bolide_fuzz::generate::{self, THEORIES};
use bolide_fuzz::report::Kind;
use bolide_fuzz::solve::solve;
use bolide_testkit::rounds;
use std::time::Duration;

#[test]
fn proofs_are_accepted_after_they_were_read() {
    let mut refuted = 0;
    for (k, &theory) in THEORIES.iter().enumerate() {
        for n in 0..rounds(100) as u64 {
            let script = generate::formula(theory, (k as u64) << 32 ^ n);
            let text = script.text("");
            let outcome = solve(&text, Duration::from_secs(2), 0);
            refuted += usize::from(outcome.answer == "unsat");
            if let Some(finding) = outcome.finding
                && finding.kind != Kind::Timeout
            {
                panic!("{} {n}: {finding}\n{text}", theory.name);
            }
        }
    }
    assert!(refuted >= rounds(200), "{refuted}");
}
