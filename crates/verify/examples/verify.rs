//! Decides a C program as the command does, and prints the verdict and the invariant.

use bolide::{Budget, Error, Options, Task, verify};

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

fn main() -> Result<(), Error> {
    let report = verify(&Task::c("counters.c", TEXT), &Options::default(), &Budget::unlimited())?;
    println!("{}", report.verdict.name());
    for fact in &report.invariant {
        println!("{}: {} {}", fact.place, fact.about.word(), fact.formula);
    }
    Ok(())
}
