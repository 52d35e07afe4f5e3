//! What a proof says about the procedures that are called, in the words of the program.
//!
//! A function is shown with what holds whenever it is called and with what it does, over its parameters, globals, `\result` and
//! `\old(x)`, the value that `x` had when the function was called, as ACSL writes them; inside of the function that is `\at(x, Pre)`.

use super::evidence::{self, LONGEST_FORMULA, without_ranges};
use crate::report::{About, Fact};
use bolide_front::c::{Expressions, Task};
use bolide_model::horn::Contract;
use bolide_model::program::pass::EntryValues;
use bolide_model::{Program, Span, VarId};
use bolide_term::{Func, Store, Term};

/// The facts about a procedure: at its definition and at the places in it.
pub fn facts(
    store: &mut Store,
    task: &Task,
    (prepared, entry): (&Program, &EntryValues),
    said: &Contract,
) -> Vec<Fact> {
    let (program, proc) = (&entry.program, &prepared.procs[said.proc]);
    let summary = said.at.iter().find(|(l, _)| *l == proc.exit).map_or(store.tru(), |&(_, formula)| formula);
    let mut contract = vec![(proc.span, About::Calls, said.requires), (proc.span, About::Returns, summary)];
    let inside: Vec<(Span, About, Term)> = evidence::by_place(store, program, proc, &said.at)
        .into_iter()
        .map(|(span, formula)| (span, About::Place, formula))
        .collect();
    let vars = program.var_of_symbol(store);
    for (_, _, formula) in &mut contract {
        *formula = without_ranges(store, program, &vars, *formula);
    }
    let of_contract = names(store, entry, said, |name| name.into(), |name| format!("\\old({name})"));
    let before = |name: &str| format!("\\at({name}, Pre)");
    let of_inside = names(store, entry, said, before, before);
    let mut facts = Vec::new();
    for (all, names) in [(contract, &of_contract), (inside, &of_inside)] {
        let mut expressions = Expressions::new(store, program, None);
        expressions.rename(names.iter().map(|(f, name)| (*f, name.as_str())));
        for (span, about, formula) in all.into_iter().filter(|(_, _, formula)| *formula != store.tru()) {
            if let Some(formula) = expressions.write(formula).filter(|text| text.len() <= LONGEST_FORMULA) {
                facts.push(Fact { place: task.source.position(span), about, formula });
            }
        }
    }
    facts
}

/// What parameters, values at the entry, and the result are called.
fn names(
    store: &Store,
    entry: &EntryValues,
    said: &Contract,
    param: impl Fn(&str) -> String,
    old: impl Fn(&str) -> String,
) -> Vec<(Func, String)> {
    let program = &entry.program;
    let proc = &program.procs[said.proc];
    let name = |v: VarId| {
        let name = program.vars[v].name.as_str();
        let name = name.strip_suffix(" argument").unwrap_or(name);
        name.rsplit_once("::").map_or(name, |(_, name)| name)
    };
    let params = proc.params.iter().map(|&v| (v, param(name(v))));
    let copies = entry.copies[said.proc].iter().map(|&(v, copy)| (copy, old(name(v))));
    let result = proc.result.map(|r| (r, "\\result".to_string()));
    let all = params.chain(copies).chain(result);
    all.filter_map(|(v, name)| Some((store.as_var(program.vars[v].term)?, name))).collect()
}
