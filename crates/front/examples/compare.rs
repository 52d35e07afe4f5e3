//! Executes C programs on pseudo-random inputs in the interpreter and in the encoded program and compares the ends.

use bolide_base::{Budget, IBig, Rational};
use bolide_front::c::interp::{End, Interpreter};
use bolide_front::c::{Options, load};
use bolide_model::{InputId, Outcome, Runner};
use bolide_term::{Store, Value};
use rustc_hash::FxHashMap;

/// The n-th value of an input.
fn value(round: u64, site: InputId, n: u64) -> i128 {
    let mut x = (site.index() as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ n.wrapping_mul(0xd134_2543_de82_ef95)
        ^ round.wrapping_mul(0xaf25_1af3_b0f0_25b5);
    x ^= x >> 29;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^= x >> 32;
    match x % 4 {
        0 => 0,
        1 => 1,
        2 => i128::from(x >> 8 & 15),
        _ => i128::from(x),
    }
}

fn main() {
    let (mut same, mut errors) = (0, 0);
    for path in std::env::args().skip(1) {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default()).into_owned();
        let mut store = Store::new();
        let Ok(task) = load(&mut store, &path, &text, &Options::default()) else { continue };
        for round in 0..20 {
            let mut counts: FxHashMap<InputId, u64> = FxHashMap::default();
            let mut interpreter = Interpreter::new(&task.unit);
            let a = interpreter.run(
                &mut |site| {
                    let n = counts.entry(site).or_default();
                    *n += 1;
                    value(round, site, *n)
                },
                &Budget::unlimited().with_steps(6000),
            );
            let mut counts: FxHashMap<InputId, u64> = FxHashMap::default();
            let known = task.unit.inputs.len();
            let (b, _) = Runner::new(&store, &task.program, &[]).run(
                &store,
                |site| {
                    if site.index() >= known || !task.unit.types.is_scalar(task.unit.inputs[site].ty) {
                        let i = &task.program.inputs[site];
                        return task.program.default_value(&store, i.sort, i.range);
                    }
                    let n = counts.entry(site).or_default();
                    *n += 1;
                    let v = value(round, site, *n);
                    let v =
                        task.unit.types.representation(task.unit.inputs[site].ty).map_or(v, |t| t.wrap(v));
                    Value::Num(Rational::from(IBig::from(v)))
                },
                &Budget::unlimited().with_steps(20000),
            );
            let agree = match (&a, &b) {
                (End::Error(p), Outcome::Error(q)) => p == q,
                (End::Returned(_), Outcome::Finished) => true,
                (End::Halted(_), Outcome::Stuck(..)) => true,
                (End::Interrupted(_), _) | (_, Outcome::Interrupted(_)) => true,
                _ => false,
            };
            if let End::Error(_) = a {
                errors += 1;
                if path.contains("true-unreach") {
                    println!("{path}: error reached in a safe task");
                }
            }
            if agree {
                same += 1;
            } else {
                println!("{path} round {round}: {a:?} but {b:?}");
            }
        }
    }
    println!("{same} agree, {errors} errors");
}
