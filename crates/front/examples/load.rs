//! Loads C files and says how that went: one line per file with sizes and times, or the error.

use bolide_base::Budget;
use bolide_front::c::{Options, load};
use bolide_model::program::pass::prepare;
use bolide_term::Store;
use std::time::Instant;

fn main() {
    let (mut good, mut bad) = (0, 0);
    for path in std::env::args().skip(1) {
        let text = match std::fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(e) => {
                println!("{path}: {e}");
                continue;
            }
        };
        let start = Instant::now();
        let mut store = Store::new();
        match load(&mut store, &path, &text, &Options::default()) {
            Ok(task) => {
                good += 1;
                let loaded = start.elapsed();
                let (locations, edges) = task.program.size();
                println!(
                    "{path}: {locations} locations, {edges} edges, {} variables, loaded in {loaded:.2?}",
                    task.program.vars.len()
                );
                let start = Instant::now();
                match prepare(&mut store, &task.program, 1_000_000, &Budget::unlimited()) {
                    Ok((p, _)) => {
                        let (locations, edges) = p.size();
                        println!(
                            "  prepared: {locations} locations, {edges} edges in {:.2?}",
                            start.elapsed()
                        );
                    }
                    Err(e) => println!("  not prepared: {e}"),
                }
            }
            Err(e) => {
                bad += 1;
                println!("FAILED {e}");
            }
        }
    }
    println!("{good} loaded, {bad} failed");
}
