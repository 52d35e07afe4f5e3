//! The question whether an error can be reached in a number of steps, as an SMT-LIB script without quantifiers.

use super::{Untranslatable, moves, remarks};
use crate::Program;
use bolide_smtlib::{print_sort, print_symbol, print_term};
use bolide_term::{Store, Substitution, Term};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// Writes a script that is satisfiable if and only if an error can be reached in at most `bound` steps.
///
/// Where execution starts, when it has failed, and one step of it are functions (`init`, `error`, `step`), so that the script serves
/// who only wants the transition relation, too. An execution that has failed stays where it is.
pub fn write(store: &mut Store, program: &Program, bound: usize) -> Result<String, Untranslatable> {
    let main = program.main();
    let moves = moves(program)?;
    let mut out = String::new();
    let _ = writeln!(out, "; satisfiable if and only if an error can be reached in at most {bound} steps");
    for line in remarks(program, main) {
        let _ = writeln!(out, "; {line}");
    }
    out.push_str("(set-logic ALL)\n");

    let mut names = Names::default();
    let vars: Vec<Term> = program.vars.iter().map(|v| names.add(store, v.term)).collect();
    let (mut seen, mut inputs) = (FxHashSet::default(), Vec::new());
    for (value, _) in moves.iter().flat_map(|m| &m.step.inputs) {
        if seen.insert(*value) {
            inputs.push(names.add(store, *value));
        }
    }
    let mut ranges = Vec::new();
    for (v, &term) in program.vars.iter().zip(&vars) {
        ranges.push(program.in_range(store, term, v.range));
    }
    let mut guards = Vec::with_capacity(moves.len());
    let mut values: Vec<Vec<Term>> = Vec::with_capacity(moves.len());
    for m in &moves {
        guards.push(names.rename.apply(store, m.step.guard));
        let after = program.vars.ids().map(|v| m.step.value_of(v).unwrap_or(program.vars[v].term));
        values.push(after.map(|t| names.rename.apply(store, t)).collect());
    }
    let store = &*store;
    let raw = |t: Term| store.as_var(t).map_or("", |f| &*store.decl(f).name);
    let (pc, next_pc) = (names.free("pc"), names.free("pc.next"));
    let next: Vec<String> = vars.iter().map(|&v| names.free(&format!("{}.next", raw(v)))).collect();
    let now: Vec<String> = vars.iter().map(|&v| print_term(store, v).to_string()).collect();
    let sorts: Vec<String> = vars.iter().map(|&v| print_sort(store, store.sort_of(v)).to_string()).collect();
    let states = |names: &[String]| -> String {
        names.iter().zip(&sorts).map(|(n, s)| format!(" ({n} {s})")).collect()
    };

    let mut start = vec![format!("(= {pc} {})", main.entry.index())];
    let known = ranges.into_iter().filter(|&r| r != store.tru());
    start.extend(known.map(|r| print_term(store, r).to_string()));
    let _ = writeln!(out, "(define-fun init (({pc} Int){}) Bool {})", states(&now), all(&start));
    let failed: Vec<String> = main
        .locations
        .iter_enumerated()
        .filter(|(_, l)| l.error.is_some())
        .map(|(l, _)| format!("(= {pc} {})", l.index()))
        .collect();
    let _ = writeln!(out, "(define-fun error (({pc} Int)) Bool {})", any(&failed));

    let parameters: String = inputs
        .iter()
        .map(|&i| format!(" ({} {})", print_term(store, i), print_sort(store, store.sort_of(i))))
        .collect();
    let _ = writeln!(
        out,
        "(define-fun step (({pc} Int){} ({next_pc} Int){}{parameters}) Bool (or",
        states(&now),
        states(&next)
    );
    for ((m, &guard), after) in moves.iter().zip(&guards).zip(&values) {
        let mut says = vec![
            format!("(= {pc} {})", m.from.index()),
            print_term(store, guard).to_string(),
            format!("(= {next_pc} {})", m.to.index()),
        ];
        says.extend(next.iter().zip(after).map(|(n, &t)| format!("(= {n} {})", print_term(store, t))));
        let _ = writeln!(out, "  {}", all(&says));
    }
    let _ = writeln!(out, "  (and (error {pc}) (= {next_pc} {pc}))))");

    let arguments = |k: usize| -> Vec<String> {
        let variables = vars.iter().map(|&v| at_step(raw(v), k));
        std::iter::once(at_step("pc", k)).chain(variables).collect()
    };
    let mut declare = |names: &[String], sorts: &[String]| {
        for (name, sort) in names.iter().zip(sorts) {
            let _ = writeln!(out, "(declare-fun {name} () {sort})");
        }
    };
    let state_sorts: Vec<String> = std::iter::once("Int".to_string()).chain(sorts.iter().cloned()).collect();
    let input_sorts: Vec<String> =
        inputs.iter().map(|&i| print_sort(store, store.sort_of(i)).to_string()).collect();
    let mut asserts = vec![call("init", &[&arguments(0)])];
    declare(&arguments(0), &state_sorts);
    for k in 0..bound {
        let given: Vec<String> = inputs.iter().map(|&i| at_step(raw(i), k)).collect();
        declare(&arguments(k + 1), &state_sorts);
        declare(&given, &input_sorts);
        asserts.push(call("step", &[&arguments(k), &arguments(k + 1), &given]));
    }
    asserts.push(call("error", &[&arguments(bound)[..1]]));
    for a in asserts {
        let _ = writeln!(out, "(assert {a})");
    }
    out.push_str("(check-sat)\n");
    Ok(out)
}

/// The names of a program's constants in the script: no two have the same.
#[derive(Default)]
struct Names {
    taken: FxHashSet<String>,
    /// To constants with names of their own.
    rename: Substitution,
}

impl Names {
    /// The constant that stands for one of the program's.
    fn add(&mut self, store: &mut Store, t: Term) -> Term {
        let Some(symbol) = store.as_var(t) else { return t };
        let name = store.decl(symbol).name.to_string();
        if self.taken.insert(name.clone()) {
            return t;
        }
        let sort = store.sort_of(t);
        let other = store.fresh_var(&name, sort);
        self.taken.extend(store.as_var(other).map(|f| store.decl(f).name.to_string()));
        self.rename.insert(t, other);
        other
    }

    /// A name that no constant has.
    fn free(&mut self, name: &str) -> String {
        let mut name = name.to_string();
        while !self.taken.insert(name.clone()) {
            name.push('.');
        }
        print_symbol(&name).to_string()
    }
}

/// A constant for the value of something at a step.
fn at_step(name: &str, k: usize) -> String {
    print_symbol(&format!("{name}@{k}")).to_string()
}

fn call(function: &str, arguments: &[&[String]]) -> String {
    let arguments: Vec<&str> = arguments.iter().flat_map(|a| a.iter().map(String::as_str)).collect();
    format!("({function} {})", arguments.join(" "))
}

fn all(parts: &[String]) -> String {
    if parts.len() == 1 { parts[0].clone() } else { format!("(and {})", parts.join(" ")) }
}

fn any(parts: &[String]) -> String {
    match parts {
        [] => "false".into(),
        [one] => one.clone(),
        many => format!("(or {})", many.join(" ")),
    }
}
