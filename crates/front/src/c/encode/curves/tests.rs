//! Bounds hold for what the interpreter computes.

use super::*;
use crate::c::interp::Interpreter;
use crate::c::{Options, Task, load};
use bolide_base::Budget;
use bolide_term::Store;
use bolide_testkit::Random;

fn expression(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.below(5) == 0 {
        let constants = ["0.5f", "2.0f", "0.1", "3", "-1.25f"];
        return if random.below(3) > 0 { "x".into() } else { constants[random.below(5) as usize].into() };
    }
    let a = expression(random, depth - 1);
    match random.below(9) {
        8 => format!("g({a})"),
        7 => format!("(-({a}))"),
        6 => format!("(float)({a})"),
        n => {
            format!("({a} {} {})", ["+", "-", "*", "*", "/", "-"][n as usize], expression(random, depth - 1))
        }
    }
}

fn task(body: &str) -> Task {
    let text = format!(
        "extern float __VERIFIER_nondet_float(void); extern void __VERIFIER_error(void); double r;\n\
         float g(float y) {{ float z = y * y; return z - y; }}\n\
         int main(void) {{ float x = __VERIFIER_nondet_float(); if (x > 2.5f) return 0; {body} return r < 1.5; }}"
    );
    load(&mut Store::new(), "t.c", &text, &Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn value_at(interpreter: &mut Interpreter<'_>, x: f64) -> f64 {
    let input = Format::Single.pattern(x);
    interpreter.reset();
    interpreter.run(&mut |_| input, &Budget::unlimited().with_steps(10_000));
    Format::Double.value(interpreter.global("r").expect("a variable"))
}

#[test]
fn values_lie_within_the_bounds() {
    let mut rng = Random::new(0x1234_5678_9abc_def1);
    let (mut facts, mut checked) = (0, 0);
    for _ in 0..300 {
        let task = task(&format!("r = {};", expression(&mut rng, 4)));
        let curves = curves(&task.unit, task.unit.entry, &marks(&task.unit).unwrap());
        let mut interpreter = Interpreter::new(&task.unit);
        // Only the curve of the whole expression can be compared with the result.
        let whole = |e: ExprId| {
            let assigned = |i: &Instr| match &i.kind {
                InstrKind::Assign(Place { base: Base::Var(r), .. }, v) => {
                    *v == e && task.unit.vars[*r].name == "r"
                }
                _ => false,
            };
            task.unit.funcs[task.unit.entry].blocks.iter().flat_map(|b| &b.instrs).any(assigned)
        };
        for curve in curves.iter().filter(|((_, e), _)| whole(*e)).map(|c| c.1) {
            let Curve::Of(_, bounds) = curve else { continue };
            facts += bounds.len();
            for n in 0..60 {
                let x = Format::Single
                    .round((rng.below(5001) as f64 - 2500.0) / 1000.0 + f64::from(n % 7) * 1e-7);
                let r = value_at(&mut interpreter, x);
                for f in bounds.iter().filter(|f| f.low <= x && x <= f.high && x <= 2.5) {
                    assert!(f.least <= r && r <= f.most, "{r} at {x} but {f:?}");
                    checked += 1;
                }
            }
        }
    }
    assert!(facts > 300 && checked > 2000, "{facts} {checked}");
}

#[test]
fn statements_and_calls_make_one_curve() {
    let task = task("float y = x * x; float z = g(x); y = y - x; r = y - z;");
    let curves = curves(&task.unit, task.unit.entry, &marks(&task.unit).unwrap());
    // y - z is zero, which intervals cannot know, but there is a bound.
    let whole = |c: &Curve| match c {
        Curve::Of(v, facts) => facts.iter().any(|f| f.low <= 2.0 && f.high >= 2.0).then_some(*v),
        Curve::Constant(_) => None,
    };
    let var = curves.values().find_map(whole).expect("a curve");
    // The variable is a copy of what the function returns.
    assert_eq!(task.unit.vars[var].name, "main::$tmp");
}

#[test]
fn values_without_variables_are_exact() {
    let task = task("float y = 0.1f; double z = y; z = z * 3.0; r = z - 1.0 / 0.0;");
    let curves = curves(&task.unit, task.unit.entry, &marks(&task.unit).unwrap());
    let constants: Vec<f64> = curves
        .values()
        .filter_map(|c| match c {
            Curve::Constant(v) => Some(*v),
            Curve::Of(..) => None,
        })
        .collect();
    assert!(constants.contains(&(f64::from(0.1f32) * 3.0)) && constants.contains(&f64::NEG_INFINITY));
}

#[test]
fn a_variable_that_changes_ends_a_curve() {
    let changed = task("float y = x * x; x = 1.0f; r = y - x * x;");
    let curves = curves(&changed.unit, changed.unit.entry, &marks(&changed.unit).unwrap());
    let instructions = changed.unit.funcs[changed.unit.entry].blocks.iter().flat_map(|b| &b.instrs);
    let assigned: Vec<ExprId> = instructions
        .filter_map(|i| match i.kind {
            InstrKind::Assign(_, e) => Some(e),
            _ => None,
        })
        .collect();
    let last = *assigned.last().expect("an assignment");
    assert!(curves.keys().all(|(_, e)| *e != last), "two variables");
}
