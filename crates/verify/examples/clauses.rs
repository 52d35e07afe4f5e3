//! Solves Horn clauses with property directed reachability and prints the interpretation of each predicate.

use bolide_base::{Budget, Stats};
use bolide_engine::Verdict;
use bolide_engine::horn::{Engine, solve};
use bolide_front::chc;
use bolide_smtlib::print_term;
use bolide_term::Store;

const TEXT: &str = "
    (set-logic HORN)
    (declare-fun p (Int Int) Bool)
    (assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (p x y))))
    (assert (forall ((x Int) (y Int)) (=> (and (p x y) (< x 10)) (p (+ x 1) (+ y 2)))))
    (assert (forall ((x Int) (y Int)) (=> (and (p x y) (> y 20)) false)))";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut store = Store::new();
    let problem = chc::read(TEXT.as_bytes(), &mut store).map_err(|e| e.to_string())?;
    let mut statistics = Stats::new();
    match solve(&mut store, &problem.horn, Engine::Pdr, &Budget::unlimited(), &mut statistics) {
        Verdict::Safe(interpretation) => {
            for (predicate, &formula) in problem.horn.preds.iter().zip(&interpretation.formulas) {
                println!("{} holds where {}", predicate.name, print_term(&store, formula));
            }
        }
        Verdict::Unsafe(derivation) => println!("false follows in {} steps", derivation.steps.len()),
        Verdict::Unknown(reason) => println!("unknown: {reason}"),
    }
    Ok(())
}
