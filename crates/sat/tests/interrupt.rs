//! Searches that end early: by the caller, by the theory, by a panic.

mod common;

use bolide_sat::{Config, Context, LemmaId, Lit, NoTheory, Outcome, Solver, Theory};
use common::*;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn add_pigeons<T: Theory>(solver: &mut Solver<T>, holes: usize) -> Vec<Lit> {
    let vars: Vec<Lit> = (0..(holes + 1) * holes).map(|_| solver.new_var()).collect();
    for pigeon in vars.chunks(holes) {
        solver.add_clause(pigeon);
    }
    for hole in 0..holes {
        for left in 0..=holes {
            for right in 0..left {
                solver.add_clause(&[!vars[left * holes + hole], !vars[right * holes + hole]]);
            }
        }
    }
    vars
}

#[test]
fn the_caller_stops_a_long_search() {
    for config in [Config::incremental(), Config::hard(), Config::incremental().with_proof()] {
        let mut solver = Solver::new(config, NoTheory);
        let vars = add_pigeons(&mut solver, 14);
        let asked = Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() > 100
        };
        assert_eq!(solver.solve(&[], &stop), Outcome::Unknown);
        assert_eq!(asked.get(), 101, "not asked again");
        assert_eq!(solver.value(vars[0]), None);
        assert!(!solver.failed(vars[0]));
        // The solver goes on being useful.
        let freed: Vec<Lit> = vars.iter().map(|&var| !var).collect();
        assert_eq!(solver.solve(&freed, &never), Outcome::Unsat);
        assert_eq!(solver.solve(&[], &|| true), Outcome::Unknown);
    }
}

/// Does what the test says at the places that the test says.
#[derive(Default)]
struct Rascal {
    at: &'static str,
    what: &'static str,
    vars: Vec<Lit>,
    propagated: bool,
    assigned: usize,
}

impl Rascal {
    fn act(&mut self, at: &'static str, ctx: Option<&mut Context<'_>>) {
        if self.at != at {
            return;
        }
        match (self.what, ctx) {
            ("panic", _) => panic!("rascal in {at}"),
            ("give up", Some(ctx)) => ctx.give_up(),
            ("propagate stranger", Some(ctx)) => ctx.propagate(lit(999)),
            ("stranger in clause", Some(ctx)) => {
                ctx.lemma(&[lit(-999)]);
            }
            ("endless", Some(ctx)) => {
                let fresh = ctx.new_var();
                ctx.lemma(&[fresh, !self.vars[0], self.vars[0]]);
                ctx.lemma(&[fresh, self.vars[1]]);
            }
            _ => {}
        }
    }
}

impl Theory for Rascal {
    fn assign(&mut self, _: Lit) {
        self.assigned += 1;
        self.act("assign", None);
    }

    fn new_level(&mut self) {
        self.act("new_level", None);
    }

    fn backtrack(&mut self, _: usize) {
        self.act("backtrack", None);
    }

    fn propagate(&mut self, ctx: &mut Context<'_>) {
        self.act("propagate", Some(ctx));
        // Wrong but never explained well: the last variable is false, then true.
        if self.at == "explain" && self.assigned > 0 && !self.propagated {
            self.propagated = true;
            ctx.propagate(!self.vars[2]);
        }
    }

    fn explain(&mut self, lit: Lit, _: LemmaId, out: &mut Vec<Lit>) {
        self.act("explain", None);
        match self.what {
            "no literal" => out.push(!self.vars[0]),
            "stranger" => out.extend([lit, common::lit(-999)]),
            _ => out.push(lit),
        }
    }

    fn check_model(&mut self, ctx: &mut Context<'_>, _: &[Lit]) -> bool {
        self.act("check_model", Some(ctx));
        self.what != "reject" && self.what != "endless"
    }

    fn decide(&mut self, ctx: &mut Context<'_>) -> Option<Lit> {
        self.act("decide", Some(ctx));
        (self.what == "decide stranger").then(|| lit(-999))
    }
}

fn rascal(at: &'static str, what: &'static str, config: Config) -> Solver<Rascal> {
    let mut solver = Solver::new(config, Rascal { at, what, ..Rascal::default() });
    let vars: Vec<Lit> = (0..6).map(|_| solver.new_var()).collect();
    for &var in &vars {
        solver.observe(var);
    }
    solver.theory_mut().vars = vars.clone();
    // The first decision makes the third variable true, whatever it is.
    solver.add_clause(&[vars[0], vars[1]]);
    solver.add_clause(&[!vars[0], vars[3]]);
    solver.add_clause(&[!vars[3], !vars[0], vars[2], vars[4]]);
    solver.add_clause(&[!vars[3], !vars[0], vars[2], !vars[4]]);
    solver.add_clause(&[!vars[0], vars[5]]);
    solver
}

fn silently<R>(f: impl FnOnce() -> R) -> std::thread::Result<R> {
    std::panic::set_hook(Box::new(|_| {}));
    let result = catch_unwind(AssertUnwindSafe(f));
    let _ = std::panic::take_hook();
    result
}

#[test]
fn misbehaviour_surfaces_as_a_panic() {
    let cases = [
        ("assign", "panic"),
        ("new_level", "panic"),
        ("backtrack", "panic"),
        ("propagate", "panic"),
        ("explain", "panic"),
        ("check_model", "panic"),
        ("decide", "panic"),
        ("propagate", "propagate stranger"),
        ("propagate", "stranger in clause"),
        ("check_model", "stranger in clause"),
        ("decide", "propagate stranger"),
        ("decide", "decide stranger"),
        ("explain", "no literal"),
        ("explain", "stranger"),
    ];
    for (at, what) in cases {
        for config in [Config::incremental(), Config::incremental().with_proof(), Config::hard()] {
            let mut solver = rascal(at, what, config);
            let vars = solver.theory().vars.clone();
            let result = silently(|| {
                solver.solve(&[vars[0], !vars[1]], &never);
                // Only the second query takes something back.
                solver.solve(&[!vars[0]], &never)
            });
            let message = result.expect_err(&format!("{what} in {at} goes unnoticed"));
            let message = match message.downcast_ref::<&str>() {
                Some(message) => message.to_string(),
                None => message.downcast_ref::<String>().unwrap().clone(),
            };
            let expected = if what == "panic" { format!("rascal in {at}") } else { "the theory".to_owned() };
            assert!(message.starts_with(&expected), "{what} in {at}: {message}");
            // Afterwards nothing is believed and nothing breaks.
            assert_eq!(solver.solve(&[], &never), Outcome::Unknown);
            assert_eq!(solver.value(vars[0]), None);
            solver.add_clause(&[vars[0]]);
            assert_eq!(solver.solve(&[vars[0]], &never), Outcome::Unknown);
        }
    }
}

#[test]
fn a_panic_of_the_caller_surfaces() {
    let mut solver = Solver::new(Config::incremental(), NoTheory);
    add_pigeons(&mut solver, 9);
    let result = silently(|| solver.solve(&[], &|| panic!("out of patience")));
    assert_eq!(result.unwrap_err().downcast_ref::<&str>(), Some(&"out of patience"));
    assert_eq!(solver.solve(&[], &never), Outcome::Unknown);
}

#[test]
fn a_theory_may_give_up() {
    for (at, what) in [
        ("propagate", "give up"),
        ("check_model", "give up"),
        ("decide", "give up"),
        ("check_model", "reject"),
    ] {
        for config in [Config::incremental(), Config::hard()] {
            let mut solver = rascal(at, what, config);
            let vars = solver.theory().vars.clone();
            assert_eq!(solver.solve(&[], &never), Outcome::Unknown, "{what} in {at}");
            // And try again.
            solver.theory_mut().at = "";
            solver.theory_mut().what = "";
            assert_eq!(solver.solve(&[], &never), Outcome::Sat);
            assert!(solver.value(vars[0]).is_some());
        }
    }
}

#[test]
fn the_caller_stops_an_endless_theory() {
    for at in ["check_model", "propagate"] {
        for config in [Config::incremental(), Config::hard(), Config::incremental().with_proof()] {
            let mut solver = rascal(at, "endless", config);
            let asked = Cell::new(0);
            let stop = || {
                asked.set(asked.get() + 1);
                asked.get() > 20
            };
            assert_eq!(solver.solve(&[], &stop), Outcome::Unknown, "in {at}");
        }
    }
}
