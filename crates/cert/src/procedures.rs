//! Formulas at places of the procedures of a C program, as text.
//!
//! A place of the procedure where execution starts is the number of a location. A place of another one has the name of the
//! procedure before it, and two places have names of their own: `f:entry`, where the formula says what `f` requires,
//! and `f:exit`, where it is the summary of `f`. There `|x at entry of f|` is the value that `x` had when `f` was called, if `f`
//! may change `x`.

use crate::Flaw;
use crate::horn::formula_over;
use crate::regions::ghosts::{self, Ghosts};
use bolide_front::c::Source;
use bolide_model::program::back::ProcLoc;
use bolide_model::{LocId, Program};
use bolide_term::{Func, Store, Term};
use std::collections::BTreeMap;
use std::fmt::Write;

const ENTRY: &str = "entry";
const EXIT: &str = "exit";

/// The text for a place.
fn place(program: &Program, (proc, l): ProcLoc) -> String {
    let p = &program.procs[proc];
    match l {
        _ if proc == program.entry => l.index().to_string(),
        _ if l == p.entry => format!("{}:{ENTRY}", p.name),
        _ if l == p.exit => format!("{}:{EXIT}", p.name),
        _ => format!("{}:{}", p.name, l.index()),
    }
}

/// The place that a text stands for.
fn read_place(program: &Program, text: &str) -> Option<ProcLoc> {
    let Some((name, l)) = text.split_once(':') else {
        let l: usize = text.parse().ok()?;
        return (l < program.main().locations.len()).then_some((program.entry, LocId::new(l)));
    };
    let is_called = |id| id != program.entry && program.procs[id].name == name;
    let proc = program.procs.ids().find(|&id| is_called(id))?;
    let p = &program.procs[proc];
    let l = match l {
        ENTRY => p.entry,
        EXIT => p.exit,
        _ => l.parse().ok().filter(|&l: &usize| l < p.locations.len()).map(LocId::new)?,
    };
    Some((proc, l))
}

/// The section `invariant`; `None` if a name has a line break in it.
pub(crate) fn write(store: &Store, program: &Program, formulas: &[(ProcLoc, Term)]) -> Option<String> {
    let mut out = String::new();
    for &(at, formula) in formulas {
        let formula = ghosts::write(store, formula);
        if formula.contains('\n') {
            return None;
        }
        let _ = writeln!(out, "{} {formula}", place(program, at));
    }
    Some(out)
}

/// The section `places`: the line and column of each place.
pub(crate) fn write_places(source: &Source, program: &Program, formulas: &[(ProcLoc, Term)]) -> String {
    let mut out = String::new();
    for &(at, _) in formulas {
        let position = source.position(program.procs[at.0].locations[at.1].span);
        let _ = writeln!(out, "{} {}:{}", place(program, at), position.line, position.column);
    }
    out
}

/// Reads the section `invariant`. Formulas of the procedure where execution starts may have quantifiers.
pub(crate) fn read(
    store: &mut Store,
    program: &Program,
    ghosts: &mut Ghosts,
    text: &str,
) -> Result<Vec<(ProcLoc, Term)>, Flaw> {
    let mut symbols: Vec<Func> = program.vars.iter().filter_map(|v| store.as_var(v.term)).collect();
    symbols.extend(ghosts.symbols(store));
    let mut at = BTreeMap::new();
    for line in text.lines() {
        let (told, formula) = line.split_once(' ').ok_or("section `invariant`: a place and a formula")?;
        let found = read_place(program, told).ok_or("section `invariant`: there is no such place")?;
        let formula = if found.0 == program.entry { ghosts.open(found.1, formula)? } else { formula };
        let formula = formula_over(store, &symbols, formula)?;
        let formula = ghosts.about(store, formula);
        if at.insert(found, formula).is_some() {
            return Err("section `invariant`: a place with two formulas".into());
        }
    }
    Ok(at.into_iter().collect())
}
