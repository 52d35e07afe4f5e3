//! Measures what small queries cost: `cargo run --release -p bolide-sat --example measure`.

use bolide_sat::{Config, Context, LemmaId, Lit, NoTheory, Solver, Theory};
use std::hint::black_box;
use std::time::Instant;

/// At most one of the observed variables is true, by lazily explained propagation.
#[derive(Default)]
struct AtMostOne {
    vars: Vec<Lit>,
    trail: Vec<Lit>,
    levels: Vec<usize>,
    assigns: usize,
}

impl AtMostOne {
    fn first(&self) -> Option<Lit> {
        self.trail.iter().copied().find(|lit| lit.is_positive())
    }
}

impl Theory for AtMostOne {
    fn assign(&mut self, lit: Lit) {
        self.assigns += 1;
        self.trail.push(lit);
    }

    fn new_level(&mut self) {
        self.levels.push(self.trail.len());
    }

    fn backtrack(&mut self, level: usize) {
        self.trail.truncate(self.levels[level]);
        self.levels.truncate(level);
    }

    fn propagate(&mut self, ctx: &mut Context<'_>) {
        if let Some(first) = self.first() {
            for &var in self.vars.iter().filter(|&&var| var != first) {
                ctx.propagate(!var);
            }
        }
    }

    fn explain(&mut self, lit: Lit, _: LemmaId, out: &mut Vec<Lit>) {
        out.push(lit);
        out.extend(self.first().map(|first| !first));
    }

    fn check_model(&mut self, _: &mut Context<'_>, _: &[Lit]) -> bool {
        true
    }
}

fn report(what: &str, count: usize, run: impl FnOnce()) {
    let start = Instant::now();
    run();
    let each = start.elapsed().as_secs_f64() / count as f64;
    println!("{what:<66} {:>9.2} us", each * 1e6);
}

/// Three-literal clauses over `vars` from a fixed sequence.
fn clauses(vars: &[Lit], count: usize) -> Vec<[Lit; 3]> {
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let var = vars[(state >> 33) as usize % vars.len()];
        if state >> 60 & 1 == 0 { var } else { !var }
    };
    (0..count).map(|_| [random(), random(), random()]).collect()
}

fn tiny_solver<T: Theory>(config: Config, theory: T) -> Solver<T> {
    let mut solver = Solver::new(config, theory);
    let vars: Vec<Lit> = (0..4).map(|_| solver.new_var()).collect();
    solver.add_clause(&[vars[0], vars[1]]);
    solver.add_clause(&[!vars[0], vars[2]]);
    solver.add_clause(&[!vars[1], vars[3]]);
    black_box(solver.solve(&[!vars[2]], &|| false));
    solver
}

/// Queries under assumptions on one solver.
fn incremental<T: Theory>(
    config: Config,
    theory: T,
    size: usize,
    queries: usize,
    with_clauses: bool,
) -> Solver<T> {
    let mut solver = Solver::new(config, theory);
    let vars: Vec<Lit> = (0..size).map(|_| solver.new_var()).collect();
    for &var in &vars[..size / 2] {
        solver.observe(var);
    }
    for clause in clauses(&vars, size * 2) {
        solver.add_clause(&clause);
    }
    for query in 0..queries {
        if with_clauses {
            let guard = solver.new_var();
            solver.add_clause(&[!guard, vars[query % size]]);
            black_box(solver.solve(&[guard], &|| false));
            solver.add_clause(&[!guard]);
        }
        let assumptions = [vars[query * 7 % size], !vars[query * 13 % size], vars[query * 29 % size]];
        black_box(solver.solve(&assumptions, &|| false));
    }
    solver
}

fn at_most_one(size: usize) -> AtMostOne {
    let vars = (1..=size as i32 / 2).filter_map(Lit::new).take(4).collect();
    AtMostOne { vars, ..AtMostOne::default() }
}

fn main() {
    let plain = Config::incremental();
    for (name, config) in [("", plain), (" with proof", plain.with_proof())] {
        report(&format!("make a solver, one tiny query, drop it{name}"), 10_000, || {
            for _ in 0..10_000 {
                black_box(tiny_solver(config, NoTheory));
            }
        });
        report(&format!("the same with a theory{name}"), 10_000, || {
            for _ in 0..10_000 {
                black_box(tiny_solver(config, AtMostOne::default()));
            }
        });
        for size in [30, 600] {
            report(&format!("incremental query, {size} variables{name}"), 10_000, || {
                incremental(config, NoTheory, size, 10_000, false);
            });
            report(&format!("incremental query, {size} variables, a theory on half{name}"), 10_000, || {
                incremental(config, at_most_one(size), size, 10_000, false);
            });
            report(&format!("the same with one more for a clause that comes and goes{name}"), 10_000, || {
                incremental(config, at_most_one(size), size, 10_000, true);
            });
        }
    }
}
