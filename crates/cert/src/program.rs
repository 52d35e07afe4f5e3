//! C programs: invariants, and inputs that lead to an error.
//!
//! The options say what is claimed (they must be those of the [`Claim`](crate::Claim)), and `form` which form of the program the
//! invariant is about. The *original* one is
//! the program as the front end encoded it, with its calls inlined; the section `invariant` has a formula for each loop
//! head. The *prepared* one is what the passes of `bolide-model` make of it; there is a formula for each of its locations
//! that can be reached. A line has the number of the location and a formula over the program's variables; the section
//! `places` says where in the text these locations are. If calls are left because the program is recursive, the option
//! `recursion` says how they are dealt with: with `summaries` the section also has what each procedure requires and its summary, or,
//! about the prepared program, a formula for each predicate of its clauses; with a number it is about the program in which calls
//! deeper than that lead to an error, which then cannot be reached either. With the option `abstraction` the section is about an
//! over-approximation of the prepared program; see [`Abstraction`]. With the option `calls` and the value `skipped` an over-approximation was
//! prepared, see [`pass::skip_calls`]. About the original program such a proof says something with quantifiers and ghosts; see
//! `regions::ghosts`. With the option `by` and the value `execution` there is no invariant: inputs decide nothing in the program, and
//! the checker runs it to its end. With the value `unwinding` there is none, either: the checker makes formulas of all executions in which each loop
//! goes round a bounded number of times (`rounds`), and the proof refutes that one of them reaches an error or goes on. These formulas of a prepared program speak of variables by position. With the option `numbers` and the value `words`, and no unwinding, the
//! invariant is about the program on words, see [`OnWords`]. With the value
//! `boxes` of `by` the section of that name has products of intervals at loop heads of the prepared program, see [`boxes`], and the checker computes that no
//! execution leaves them. The section `inputs` lists for each place
//! where a value comes from outside the values that it gave, in order; with them the interpreter runs the program.

use crate::horn::{clauses, formula_over};
use crate::ranges::Ranges;
use crate::regions::ghosts::{self, GHOSTS, Ghosts};
use crate::{Certificate, Flaw, Obligations, Section, position, procedures, regions};
use bolide_base::Budget;
use bolide_front::c::interp::{End, Interpreter, Replay};
use bolide_front::c::{self, DataModel, Ints, Source};
use bolide_model::horn::Solution;
use bolide_model::horn::{Horn, Interpretation, from_program};
use bolide_model::program::back::BackMap;
use bolide_model::program::back::{self, ProcLoc, Prophecy, Recorded, Separate};
use bolide_model::program::boxes;
use bolide_model::program::pass::{self, Abstraction, Blocks, EntryValues, OnWords, Prepared};
use bolide_model::program::unwind::{self, Numbers, Unwound};
use bolide_model::{Bias, Determined, LocId, Program, determined};
use bolide_smtlib::print_term;
use bolide_term::{Func, Store, Substitution, Term};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Inlining stops when the program has this many edges.
pub const INLINE_LIMIT: usize = 200_000;

/// The options of a certificate for these options of the front end.
pub fn write_options(options: &c::Options) -> Vec<(String, String)> {
    let p = &options.properties;
    let chosen = [
        ("errors", p.errors),
        ("labels", p.labels == Some(true)),
        ("no-labels", p.labels == Some(false)),
        ("overflow", p.overflow),
        ("div-by-zero", p.div_by_zero),
        ("bounds", p.bounds),
        ("null", p.null),
        ("shift", p.shift),
        ("deref", p.deref),
        ("free", p.free),
        ("leak", p.leak),
        ("cleanup", p.cleanup),
        ("pointer-arithmetic", p.pointer_arithmetic),
        ("alignment", p.alignment),
        ("uninit", p.uninit),
    ];
    let chosen: Vec<&str> = chosen.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
    let model = match options.data_model {
        DataModel::Ilp32 => "ILP32",
        DataModel::Lp64 => "LP64",
    };
    let ints = match options.ints {
        Ints::Machine => "machine",
        Ints::Unbounded => "unbounded",
    };
    let mut out = vec![
        ("data-model".to_string(), model.to_string()),
        ("ints".into(), ints.into()),
        ("properties".into(), chosen.join(",")),
    ];
    out.push(("entry".into(), options.entry.clone().unwrap_or_else(|| "main".into())));
    out.push(("globals".into(), if options.open_globals { "arbitrary" } else { "initial" }.into()));
    out.push(("malloc".into(), if options.malloc_fails { "fails" } else { "succeeds" }.into()));
    if options.modular {
        out.push((CONTRACTS.into(), "used".into()));
    }
    out
}

/// The options of certificates of C programs.
pub(crate) const OPTIONS: [&str; 18] = [
    "data-model",
    "ints",
    "properties",
    "entry",
    "globals",
    "malloc",
    CONTRACTS,
    FORM,
    RECURSION,
    BLOCKS,
    WAYS,
    ABSTRACTION,
    CALLS,
    GHOSTS,
    BY,
    NUMBERS,
    ROUNDS,
    FLOATS,
];

/// What is taken for granted about a program that is read as a claim says, each thing once.
pub fn assumptions(task: &[u8], options: &c::Options) -> Result<Vec<String>, Flaw> {
    let mut notes: Vec<String> = Vec::new();
    for assumption in load(&mut Store::new(), task, options)?.program.assumptions {
        if !notes.contains(&assumption.text) {
            notes.push(assumption.text);
        }
    }
    Ok(notes)
}

pub(crate) fn load(store: &mut Store, task: &[u8], options: &c::Options) -> Result<c::Task, Flaw> {
    c::load(store, "task", task, options).map_err(|e| match e.diagnostics.first() {
        Some(d) => format!("line {}: {}", d.position.line, d.message).into(),
        None => "it is not a C program".into(),
    })
}

/// The section `invariant` of an invariant of the prepared program; `None` if a name has a line break in it.
pub fn write_invariant(store: &Store, formulas: &[(LocId, Term)]) -> Option<String> {
    let mut out = String::new();
    for &(l, formula) in formulas.iter().filter(|(_, formula)| *formula != store.fls()) {
        let formula = print_term(store, formula).to_string();
        if formula.contains('\n') {
            return None;
        }
        let _ = writeln!(out, "{} {formula}", l.index());
    }
    Some(out)
}

/// The section `places` of an invariant: for each of its locations the line and column in the text that was read.
pub fn write_places(source: &Source, program: &Program, formulas: &[(LocId, Term)]) -> String {
    let mut out = String::new();
    for &(l, _) in formulas {
        let place = source.position(program.main().locations[l].span);
        let _ = writeln!(out, "{} {}:{}", l.index(), place.line, place.column);
    }
    out
}

/// Executes the program on the inputs.
pub(crate) fn replay(task: &c::Task, certificate: &Certificate, budget: &Budget) -> Result<(), Flaw> {
    let text = certificate.section("inputs").ok_or("there is no section `inputs`")?;
    let mut inputs =
        Replay::read(text).map_err(|line| format!("section `inputs`, line {line}: not an input"))?;
    match Interpreter::new(&task.unit).run(&mut inputs, budget) {
        End::Error(_) => Ok(()),
        End::Interrupted(interrupt) => Err(interrupt.into()),
        _ => Err("the run ends without an error".into()),
    }
}

/// The option that says that contracts stand for the functions that have them, and that each of these is verified by itself.
pub const CONTRACTS: &str = "contracts";
/// The option that says what stands for floating values in the encoded program. It is no part of a claim: both are right.
pub const FLOATS: &str = "floats";
/// Its value if they are the numbers of IEEE 754, bit by bit; without the option they are real numbers.
pub const EXACT: &str = "exact";

/// The options of a claim, with what a certificate says about how the program is encoded.
pub(crate) fn encoded(options: &c::Options, certificate: &Certificate) -> Result<c::Options, Flaw> {
    let floats = match certificate.option(FLOATS) {
        None => c::Floats::Reals,
        Some(EXACT) => c::Floats::Exact,
        Some(_) => return Err("the option floats is exact".into()),
    };
    Ok(c::Options { floats, ..options.clone() })
}

/// The option that says how recursion is dealt with.
pub const RECURSION: &str = "recursion";
/// Its value if procedures have summaries.
pub const SUMMARIES: &str = "summaries";
/// The section that says where the locations of an invariant are.
pub const PLACES: &str = "places";
/// The section with the text after preprocessing, for a checker that runs no preprocessor. It is for whoever reads the task: what is
/// checked is the text that they have made sure of.
pub const TEXT: &str = "text";
/// Said if that section is wrong.
const OTHER_PLACES: &str = "section `places`: these are not the places of the locations";
/// The option that says which form of the program the invariant is about.
pub const FORM: &str = "form";
/// Its value if that is the program as it was encoded, with calls inlined.
pub const ORIGINAL: &str = "original";
/// Its value if passes have prepared the program.
pub const PREPARED: &str = "prepared";
/// The option that says that blocks were not made large.
pub const BLOCKS: &str = "blocks";
/// Its value.
pub const SINGLE: &str = "single";
/// The option that says that ways between cut points are kept apart.
pub const WAYS: &str = "ways";
/// Its value.
pub const APART: &str = "apart";
/// The option that names the abstraction of the program that was proved.
pub const ABSTRACTION: &str = "abstraction";
/// The option that says that calls that do not matter were skipped before the program was prepared.
pub const CALLS: &str = "calls";
/// Its value.
pub const SKIPPED: &str = "skipped";
/// The option that says how the program was proved, if not by an invariant.
pub const BY: &str = "by";
/// Its value if there is one execution, whatever the inputs are: the checker runs the program.
pub const EXECUTION: &str = "execution";
/// The graphs of memory in the section of this name are a proof.
pub const SHAPES: &str = "shapes";
/// Its value if all executions are followed to their ends, with loops that go round at most so many times.
pub const UNWINDING: &str = "unwinding";
/// Its value, and the section, if executions do not leave some boxes; see [`boxes`].
pub const BOXES: &str = "boxes";
/// The option that says what values are in a proof by unwinding, and in one by an invariant if they are words; see [`Numbers`].
pub const NUMBERS: &str = "numbers";
/// The option that says how often loops go round in such a proof.
pub const ROUNDS: &str = "rounds";
/// No loop goes round more often in such a proof.
pub const MOST_ROUNDS: usize = 4096;
/// The terms that the formulas of such a proof may take.
const UNWOUND_TERMS: usize = 400_000;
/// Why an over-approximation cannot be made.
const NOTHING_TO_ABSTRACT: &str = "there is nothing to abstract from";
/// The deepest recursion that can be followed.
const DEEPEST: usize = 1000;

/// The section `invariant` of a solution of the clauses of a program, with its summaries.
pub fn write_solution(store: &mut Store, horn: &Horn, solution: &Interpretation) -> Option<String> {
    let lines = horn.preds.iter().zip(&solution.formulas).enumerate();
    positional(store, lines.map(|(n, (p, &formula))| (n, p.params.as_slice(), formula)))
}

/// The section `invariant` of an invariant of a program with variables that the task does not have.
pub fn write_by_position(store: &mut Store, program: &Program, formulas: &[(LocId, Term)]) -> Option<String> {
    let variables: Vec<Term> = program.vars.iter().map(|v| v.term).collect();
    let no = store.fls();
    let lines = formulas.iter().filter(|(_, formula)| *formula != no);
    positional(store, lines.map(|&(l, formula)| (l.index(), variables.as_slice(), formula)))
}

/// Numbers and formulas over variables; `None` if a name has a line break in it.
fn positional<'a>(
    store: &mut Store,
    lines: impl Iterator<Item = (usize, &'a [Term], Term)>,
) -> Option<String> {
    let mut out = String::new();
    for (n, variables, formula) in lines {
        let formula = position::write(store, variables, formula);
        if formula.contains('\n') {
            return None;
        }
        let _ = writeln!(out, "{n} {formula}");
    }
    Some(out)
}

/// The obligations of an invariant of a program, in whichever form. The store is the one that the program was read with.
pub fn obligations_of_task(
    mut store: Store,
    task: &c::Task,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<Obligations, Flaw> {
    match certificate.option(BY) {
        None => {}
        Some(EXECUTION) => {
            execute(&store, task, budget)?;
            return Ok(Obligations::new(store));
        }
        Some(SHAPES) => {
            check_shapes(task, certificate, budget)?;
            return Ok(Obligations::new(store));
        }
        Some(UNWINDING) => return obligations_of_unwinding(store, task, certificate, budget),
        Some(BOXES) => {
            let (program, _) = prepare_unwinding(&mut store, task, budget)?;
            let text = certificate.section(BOXES).ok_or("there is no section `boxes`")?;
            let boxes =
                boxes::read(text).ok_or("section `boxes`: numbers of locations, variables and bounds")?;
            boxes::check(&store, &program, &boxes, budget).map_err(|failure| failure.to_string())?;
            return Ok(Obligations::new(store));
        }
        Some(_) => return Err("the option by is execution, shapes, unwinding or boxes".into()),
    }
    if certificate.option(NUMBERS).is_some() {
        return obligations_on_words(store, task, certificate, budget);
    }
    match certificate.option(FORM) {
        Some(ORIGINAL) => obligations_of_original(store, task, certificate, budget),
        Some(PREPARED) | None => obligations_of_prepared(store, task, certificate, budget),
        Some(_) => Err("the option form is original or prepared".into()),
    }
}

/// Checks a proof by shapes: graphs of the memory at places of the program, see [`c::shape`].
fn check_shapes(task: &c::Task, certificate: &Certificate, budget: &Budget) -> Result<(), Flaw> {
    represented(&task.program)?;
    if certificate.option("ints") != Some("machine") || !task.unit.guards_memory {
        return Err("shapes prove the safety of memory, with machine integers".into());
    }
    let text = certificate.section(SHAPES).ok_or("there is no section `shapes`")?;
    let shapes = c::shape::read(&task.unit, text).map_err(|f| f.0)?;
    c::shape::check(&task.unit, &shapes, budget).map_err(|f| f.0.into())
}

/// Runs a program in which inputs decide nothing; an error if it reaches one, or if inputs matter.
pub fn execute(store: &Store, task: &c::Task, budget: &Budget) -> Result<(), Flaw> {
    represented(&task.program)?;
    match determined(store, &task.program, budget) {
        Determined::Safe => Ok(()),
        Determined::Error(_) => Err("the execution runs into an error".into()),
        Determined::Open => Err("inputs decide which way the execution takes".into()),
        Determined::Interrupted(interrupt) => Err(interrupt.into()),
    }
}

/// The program of a task as it is unwound, and the way back; see [`unwind`].
pub fn prepare_unwinding(store: &mut Store, task: &c::Task, budget: &Budget) -> Result<Prepared, Flaw> {
    let prepared =
        pass::prepare_unwinding(store, &task.program, INLINE_LIMIT, budget).map_err(|e| e.to_string())?;
    represented(&prepared.0)?;
    without_calls(&prepared.0)?;
    Ok(prepared)
}

/// The program of a task on words, and the way back; see [`OnWords`].
pub fn prepare_words(
    store: &mut Store,
    program: &Program,
    budget: &Budget,
) -> Result<(OnWords, Vec<BackMap>), Flaw> {
    let prepared = pass::prepare_words(store, program, INLINE_LIMIT, budget).map_err(|e| e.to_string())?;
    let (on_words, maps) = prepared.ok_or("the program is not one on words")?;
    represented(&on_words.program)?;
    Ok((on_words, maps))
}

/// The obligations of an invariant of the program on words.
fn obligations_on_words(
    mut store: Store,
    task: &c::Task,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<Obligations, Flaw> {
    if [BLOCKS, ABSTRACTION, CALLS, RECURSION].iter().any(|o| certificate.option(o).is_some()) {
        return Err(
            "a program on words has large blocks and no calls, and allows no more than it does".into()
        );
    }
    if certificate.option(NUMBERS) != Some(Numbers::Words.name()) {
        return Err("the option numbers is words, without unwinding".into());
    }
    let (on_words, _) = prepare_words(&mut store, &task.program, budget)?;
    let text = certificate.section("invariant").ok_or("there is no section `invariant`")?;
    let at = read_bounded(&mut store, &on_words.program, text)?;
    obligations_of_edges(store, &on_words.program, &at, budget)
}

/// The conditions under which executions of such a program that go round each loop at most so many times reach an error, and that under
/// which there are longer ones.
pub fn unwound(
    store: &mut Store,
    program: &Program,
    numbers: Numbers,
    rounds: usize,
    budget: &Budget,
) -> Result<Unwound, Flaw> {
    unwind::unwind(store, program, numbers, rounds, UNWOUND_TERMS, budget).map_err(|e| e.to_string().into())
}

/// The obligations of a proof by unwinding: no execution reaches an error, and no loop goes round more often.
fn obligations_of_unwinding(
    mut store: Store,
    task: &c::Task,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<Obligations, Flaw> {
    let numbers = certificate.option(NUMBERS).and_then(Numbers::by_name);
    let numbers = numbers.ok_or("the option numbers is integers or words")?;
    let rounds = certificate.option(ROUNDS).and_then(|r| r.parse().ok());
    let rounds = rounds.filter(|r| (1..=MOST_ROUNDS).contains(r));
    let rounds = rounds.ok_or("the number of rounds is not a positive number, or too large")?;
    let (program, _) = prepare_unwinding(&mut store, task, budget)?;
    let Unwound { errors, longer, .. } = unwound(&mut store, &program, numbers, rounds, budget)?;
    let mut obligations = Obligations::new(store);
    obligations.push(format!("no loop goes round more than {rounds} times"), vec![longer]);
    for (property, reached) in errors {
        let name = format!("{} cannot be reached", task.program.properties[property].name);
        obligations.push(name, vec![reached]);
    }
    Ok(obligations)
}

/// The obligations of an invariant of the program as it was encoded: calls are inlined, and nothing else is done to it.
fn obligations_of_original(
    mut store: Store,
    task: &c::Task,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<Obligations, Flaw> {
    if [BLOCKS, ABSTRACTION, CALLS].iter().any(|o| certificate.option(o).is_some()) {
        return Err("the original program has no blocks and allows no more than it does".into());
    }
    let recursion = certificate.option(RECURSION);
    let program = without_recursion(&mut store, &task.program, recursion.filter(|r| *r != SUMMARIES))?;
    let (program, _) = pass::inline(&mut store, &program, INLINE_LIMIT).map_err(|e| e.to_string())?;
    represented(&program)?;
    if recursion != Some(SUMMARIES) {
        without_calls(&program)?;
    }
    let entry = pass::remember_entry(&mut store, program);
    let text = certificate.section("invariant").ok_or("there is no section `invariant`")?;
    let mut ghosts = read_ghosts(&mut store, &entry.program, certificate)?;
    let at = procedures::read(&mut store, &entry.program, &mut ghosts, text)?;
    ghosts.read_values(&mut store, &entry.program, certificate.section(GHOSTS).unwrap_or(""))?;
    let places = procedures::write_places(&task.source, &entry.program, &at);
    if certificate.section(PLACES).is_some_and(|told| told != places) {
        return Err(OTHER_PLACES.into());
    }
    let apart = match certificate.option(WAYS) {
        None => false,
        Some(APART) => true,
        Some(_) => return Err("the option ways is apart".into()),
    };
    regions::obligations(store, &entry, &at, &ghosts, apart, budget)
}

/// The ghosts of a certificate. Ghosts belong to the entry procedure, so there are none if others have formulas.
fn read_ghosts(store: &mut Store, program: &Program, certificate: &Certificate) -> Result<Ghosts, Flaw> {
    let count = certificate.option(GHOSTS);
    if count.is_some() && certificate.option(RECURSION) == Some(SUMMARIES) {
        return Err("there are ghosts, but procedures have summaries".into());
    }
    Ghosts::new(store, program, count)
}

/// Is there a procedure that could not be inlined?
fn without_calls(program: &Program) -> Result<(), Flaw> {
    match program.main().edges.iter().all(|e| e.step().is_some()) {
        true => Ok(()),
        false => {
            Err("the program is recursive, but the certificate does not say how recursion is dealt with"
                .into())
        }
    }
}

/// A certificate about the prepared program said about the original one, without proofs, if there is a way back for the
/// invariant. It still has to be shown that it is one. Locations between the heads of blocks get formulas
/// that separate what comes before from what must not come after.
///
/// The store is the one that the task was read with, and nothing else has been done with it.
pub fn to_original(
    mut store: Store,
    task: &c::Task,
    certificate: &Certificate,
    separate: &mut Separate<'_>,
    budget: &Budget,
) -> Result<Certificate, Flaw> {
    if certificate.option(CALLS).is_some() {
        return Err("the proof skips calls".into());
    }
    if certificate.option(BY).is_some() {
        return Err("the proof has no invariant".into());
    }
    if certificate.option(NUMBERS).is_some() {
        return Err("the invariant is about words".into());
    }
    let abstraction = read_abstraction(certificate)?;
    let blocks = read_blocks(certificate)?;
    let recursion = certificate.option(RECURSION);
    let depth = recursion.filter(|r| *r != SUMMARIES);
    let program = without_recursion(&mut store, &task.program, depth)?;
    let mut recorded = back::prepare_recorded(&mut store, &program, blocks, INLINE_LIMIT, budget)
        .map_err(|e| e.to_string())?;
    if let Some(abstraction) = abstraction {
        recorded = recorded.abstracted(&mut store, abstraction).ok_or(NOTHING_TO_ABSTRACT)?;
    }
    let text = certificate.section("invariant").ok_or("there is no section `invariant`")?;
    let entry = pass::remember_entry(&mut store, recorded.inlined.clone());
    let (mut at, prophecies) =
        formulas_back(&mut store, &recorded, &entry, certificate, text, separate, budget)?;
    at.sort_unstable_by_key(|&(place, _)| place);
    let places = procedures::write_places(&task.source, &entry.program, &at);
    let (ghosts, values) = ghosts::name_constants(&mut store, &entry.program, &mut at, &prophecies);
    let text = procedures::write(&store, &entry.program, &at).ok_or("a name has a line break in it")?;
    let is_kept = |(name, _): &&(String, String)| ![BLOCKS, FORM, ABSTRACTION].contains(&name.as_str());
    let mut options: Vec<(String, String)> = certificate.options.iter().filter(is_kept).cloned().collect();
    options.push((FORM.into(), ORIGINAL.into()));
    let mut sections =
        vec![Section { name: "invariant".into(), text }, Section { name: PLACES.into(), text: places }];
    sections.extend(certificate.sections.iter().filter(|s| s.name == TEXT).cloned());
    if ghosts > 0 {
        options.push((GHOSTS.into(), ghosts.to_string()));
        sections.push(Section { name: GHOSTS.into(), text: values });
    }
    Ok(Certificate { options, sections, ..certificate.clone() })
}

/// Formulas of the original program, and the prophecies about it.
type WayBack = (Vec<(ProcLoc, Term)>, Vec<Prophecy>);

/// What a section about the prepared program says about the original one.
fn formulas_back(
    store: &mut Store,
    recorded: &Recorded,
    entry: &EntryValues,
    certificate: &Certificate,
    text: &str,
    separate: &mut Separate<'_>,
    budget: &Budget,
) -> Result<WayBack, Flaw> {
    let prepared = &recorded.prepared.0;
    let invariant = match certificate.option(RECURSION) {
        None if certificate.option(ABSTRACTION).is_none() => read_invariant(store, prepared, text)?,
        Some(SUMMARIES) => {
            let (horn, map) = from_program(store, prepared);
            let interpretation = Interpretation::new(read_solution(store, &horn, text)?);
            let solution = Solution { horn: &horn, map: &map, interpretation: &interpretation };
            let found = recorded.solution_back(store, entry, &solution, separate, budget);
            return found.map(|at| (at, Vec::new())).map_err(|e| e.to_string().into());
        }
        _ => read_bounded(store, prepared, text)?,
    };
    let found = recorded.invariant_back(store, &invariant, separate, budget).map_err(|e| e.to_string())?;
    let at = found.formulas.into_iter().map(|(l, formula)| ((prepared.entry, l), formula));
    Ok((at.collect(), found.prophecies))
}

/// A program whose recursion is bounded by the depth that the option `recursion` says, if there is that option.
fn without_recursion(store: &mut Store, program: &Program, depth: Option<&str>) -> Result<Program, Flaw> {
    let Some(depth) = depth else { return Ok(program.clone()) };
    let depth = depth.parse().ok().filter(|d| (1..=DEEPEST).contains(d));
    let depth = depth.ok_or("the depth of the recursion is a positive number")?;
    let bounded = pass::bound_recursion(store, program, depth).ok_or("the program is not recursive")?;
    Ok(bounded.program)
}

/// What the edges of a program were for the proof. An over-approximation has no locations that are split.
fn read_blocks(certificate: &Certificate) -> Result<Blocks, Flaw> {
    match certificate.option(BLOCKS) {
        None if certificate.option(ABSTRACTION).is_some() => Ok(Blocks::Unsplit),
        None => Ok(Blocks::Large),
        Some(SINGLE) => Ok(Blocks::Single),
        Some(_) => Err("the option blocks is single".into()),
    }
}

fn read_abstraction(certificate: &Certificate) -> Result<Option<Abstraction>, Flaw> {
    let by_name = |name| Abstraction::by_name(name).ok_or_else(|| Flaw::from("there is no such abstraction"));
    certificate.option(ABSTRACTION).map(by_name).transpose()
}

/// Does a program allow all that the task does?
fn represented(program: &Program) -> Result<(), Flaw> {
    let edges = program.procs.iter().flat_map(|p| &p.edges);
    match edges.flat_map(|e| &e.approximations).find(|a| a.bias == Bias::Under) {
        Some(a) => Err(format!("the program is only partly represented: {}", a.what).into()),
        None => Ok(()),
    }
}

fn check_places(
    task: &c::Task,
    program: &Program,
    certificate: &Certificate,
    at: &[(LocId, Term)],
) -> Result<(), Flaw> {
    match certificate.section(PLACES) {
        Some(told) if told != write_places(&task.source, program, at) => Err(OTHER_PLACES.into()),
        _ => Ok(()),
    }
}

/// The obligations of an invariant of the prepared program, however its recursion is dealt with.
fn obligations_of_prepared(
    mut store: Store,
    task: &c::Task,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<Obligations, Flaw> {
    let recursion = certificate.option(RECURSION);
    let depth = recursion.filter(|r| *r != SUMMARIES);
    let program = without_recursion(&mut store, &task.program, depth)?;
    let program = match certificate.option(CALLS) {
        None => program,
        Some(SKIPPED) => pass::skip_calls(&mut store, &program).ok_or("there are no calls to be skipped")?,
        Some(_) => return Err("the option calls is skipped".into()),
    };
    let abstraction = read_abstraction(certificate)?;
    let blocks = read_blocks(certificate)?;
    let (program, _) = pass::prepare_blocks(&mut store, &program, blocks, INLINE_LIMIT, budget)
        .map_err(|e| e.to_string())?;
    represented(&program)?;
    let program = match abstraction {
        None => program,
        Some(abstraction) => {
            let abstracted = abstraction.apply(&mut store, &program, &[]).and_then(|mut all| all.pop());
            abstracted.ok_or(NOTHING_TO_ABSTRACT)?
        }
    };
    let text = certificate.section("invariant").ok_or("there is no section `invariant`")?;
    let is_by_position = recursion.is_some() || abstraction.is_some();
    match recursion {
        Some(SUMMARIES) => obligations_of_clauses(store, &program, text, budget),
        _ if is_by_position => {
            without_calls(&program)?;
            let at = read_bounded(&mut store, &program, text)?;
            obligations_of_edges(store, &program, &at, budget)
        }
        _ => {
            without_calls(&program)?;
            let at = read_invariant(&mut store, &program, text)?;
            check_places(task, &program, certificate, &at)?;
            obligations_of_edges(store, &program, &at, budget)
        }
    }
}

/// The obligations of a solution of the program's clauses.
fn obligations_of_clauses(
    mut store: Store,
    program: &Program,
    text: &str,
    budget: &Budget,
) -> Result<Obligations, Flaw> {
    let (horn, _) = from_program(&mut store, program);
    let formulas = read_solution(&mut store, &horn, text)?;
    clauses(store, &horn, &Interpretation::new(formulas), budget)
}

/// A formula for each predicate of the program's clauses.
fn read_solution(store: &mut Store, horn: &Horn, text: &str) -> Result<Vec<Term>, Flaw> {
    let read =
        |store: &mut Store, n: usize, formula: &str| position::read(store, &horn.preds[n].params, formula);
    let lines = read_lines(store, horn.preds.len(), text, read)?;
    if lines.len() != horn.preds.len() {
        return Err("section `invariant`: a predicate has no formula".into());
    }
    Ok(lines.into_iter().map(|(_, formula)| formula).collect())
}

/// The obligations: the invariant holds at the entry, no error location has one, every edge keeps it.
fn obligations_of_edges(
    store: Store,
    program: &Program,
    invariant: &[(LocId, Term)],
    budget: &Budget,
) -> Result<Obligations, Flaw> {
    let main = program.main();
    let at: FxHashMap<LocId, Term> = invariant.iter().copied().collect();
    let mut out = Obligations::new(store);
    let ranges = Ranges::new(&mut out.store, program);
    let of = |store: &Store, l: LocId| at.get(&l).copied().unwrap_or(store.fls());
    let push = |out: &mut Obligations, name: String, premises: &[Term], goal: Term| {
        ranges.push(out, name, premises.to_vec(), goal);
    };
    let entry = of(&out.store, main.entry);
    push(&mut out, "the invariant holds at the entry".into(), &[], entry);
    for (l, location) in main.locations.iter_enumerated() {
        if location.error.is_some() && of(&out.store, l) != out.store.fls() {
            let (formula, no) = (of(&out.store, l), out.store.fls());
            push(&mut out, format!("the invariant excludes the error at {l}"), &[formula], no);
        }
    }
    for (id, edge) in main.edges.iter_enumerated() {
        budget.poll()?;
        let Some(step) = edge.step() else { continue };
        let (before, after) = (of(&out.store, edge.from), of(&out.store, edge.to));
        if before == out.store.fls() {
            continue;
        }
        let mut subst = Substitution::new();
        for &(v, t) in &step.assigns {
            subst.insert(program.vars[v].term, t);
        }
        let after = subst.apply(&mut out.store, after);
        push(&mut out, format!("edge {id} keeps the invariant"), &[before, step.guard], after);
    }
    Ok(out)
}

/// What a certificate says about the original program at one of its locations: for some values of some constants and all
/// values of others a formula holds.
pub struct OriginalFact {
    /// The location.
    pub location: LocId,
    /// The constants that have some value there.
    pub some: Vec<Term>,
    /// The constants that have any value.
    pub all: Vec<Term>,
    /// The formula.
    pub formula: Term,
}

/// The program with its calls inlined that a certificate in the original form is about, and what it says, if there are no
/// summaries.
pub fn read_original(
    store: &mut Store,
    task: &c::Task,
    certificate: &Certificate,
) -> Result<(Program, Vec<OriginalFact>), Flaw> {
    let recursion = certificate.option(RECURSION);
    if recursion == Some(SUMMARIES) {
        return Err("procedures have summaries".into());
    }
    let program = without_recursion(store, &task.program, recursion)?;
    let (program, _) = pass::inline(store, &program, INLINE_LIMIT).map_err(|e| e.to_string())?;
    let mut ghosts = read_ghosts(store, &program, certificate)?;
    let text = certificate.section("invariant").ok_or("there is no section `invariant`")?;
    let at = procedures::read(store, &program, &mut ghosts, text)?;
    let stated = |((_, location), formula): (ProcLoc, Term)| {
        let (some, all) = ghosts.in_formula(store, location, formula);
        OriginalFact { location, some, all, formula }
    };
    let stated = at.into_iter().map(stated).collect();
    Ok((program, stated))
}

/// The formulas of the section `invariant`, for locations of a form of the program.
pub fn read_invariant(store: &mut Store, program: &Program, text: &str) -> Result<Vec<(LocId, Term)>, Flaw> {
    let symbols: Vec<Func> = program.vars.iter().filter_map(|v| store.as_var(v.term)).collect();
    let read = |store: &mut Store, _: usize, formula: &str| formula_over(store, &symbols, formula);
    read_lines(store, program.main().locations.len(), text, read).map(of_locations)
}

/// The same for a program whose recursion is bounded, with variables by position.
fn read_bounded(store: &mut Store, program: &Program, text: &str) -> Result<Vec<(LocId, Term)>, Flaw> {
    let variables: Vec<Term> = program.vars.iter().map(|v| v.term).collect();
    let read = |store: &mut Store, _: usize, formula: &str| position::read(store, &variables, formula);
    read_lines(store, program.main().locations.len(), text, read).map(of_locations)
}

fn of_locations(lines: Vec<(usize, Term)>) -> Vec<(LocId, Term)> {
    lines.into_iter().map(|(n, formula)| (LocId::new(n), formula)).collect()
}

/// Numbers below a limit with a formula for each, in their order.
fn read_lines(
    store: &mut Store,
    limit: usize,
    text: &str,
    mut read: impl FnMut(&mut Store, usize, &str) -> Result<Term, Flaw>,
) -> Result<Vec<(usize, Term)>, Flaw> {
    let mut at = BTreeMap::new();
    for line in text.lines() {
        let (n, formula) = line.split_once(' ').ok_or("section `invariant`: a number and a formula")?;
        let n: usize = n.parse().map_err(|_| "section `invariant`: a number and a formula")?;
        if n >= limit {
            return Err("section `invariant`: there is no such place".into());
        }
        let formula = read(store, n, formula)?;
        if at.insert(n, formula).is_some() {
            return Err("section `invariant`: a place with two formulas".into());
        }
    }
    Ok(at.into_iter().collect())
}
