//! Decides a C program with IMPACT and prints the invariant, or says that there is an error.

use bolide_base::Budget;
use bolide_engine::Verdict;
use bolide_engine::program::impact;
use bolide_front::c;
use bolide_model::program::{back, pass};
use bolide_smtlib::print_term;
use bolide_term::Store;
use std::time::Duration;

const TEXT: &str = "
    extern int __VERIFIER_nondet_int(void);
    extern void reach_error(void);
    int main(void) {
      int n = __VERIFIER_nondet_int(), i = 0, j = 0;
      if (n < 0 || n > 1000) return 0;
      while (i < n) { i++; j++; }
      if (j != n) reach_error();
      return 0;
    }";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let budget = Budget::unlimited().with_time(Duration::from_secs(60));
    let mut store = Store::new();
    let task = c::load(&mut store, "counters.c", TEXT, &c::Options::default()).map_err(|e| e.to_string())?;
    // Inlining, slicing, large blocks; the maps bring traces back to the program that was read.
    let (program, maps) =
        pass::prepare(&mut store, &task.program, 10_000, &budget).map_err(|e| e.to_string())?;
    let (verdict, statistics) = impact::run(&mut store, &program, &impact::Config::default(), &budget);
    match verdict {
        Verdict::Safe(invariant) => {
            for &(location, formula) in &invariant.formulas {
                let place = task.source.position(program.main().locations[location].span);
                println!("{place}: {}", print_term(&store, formula));
            }
        }
        Verdict::Unsafe(trace) => match back::trace_back(&store, &maps, trace) {
            Some(trace) => println!("an error after {} steps", trace.steps.len()),
            None => println!("an error, whose trace could not be mapped back"),
        },
        Verdict::Unknown(reason) => println!("unknown: {reason}"),
    }
    print!("{statistics}");
    Ok(())
}
