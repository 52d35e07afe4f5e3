//! Witnesses of the software verification community: the YAML format, version 2.0.
//!
//! A violation is a sequence of segments: one for each value that came from outside, as what its call returns, and the
//! target. A correctness witness is a set of loop invariants in C. An invariant that cannot be said in the names that
//! are in scope at its loop is left out, which makes a witness weaker but not wrong.

use super::values;
use bolide_cert::format::hash;
use bolide_front::c::float::Format;
use bolide_front::c::{DataModel, Expressions, Position, Properties, Task};
use bolide_model::pass;
use bolide_model::{InputId, LocId, Procedure, Program, PropertyId, Span};
use bolide_term::{Store, Term};
use rustc_hash::FxHashSet;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

/// The longest invariant that is written.
const LONGEST: usize = 2000;

/// What a witness says about its task.
pub struct Subject<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// Its bytes.
    pub text: &'a [u8],
    /// Sizes of types.
    pub data_model: DataModel,
    /// What was checked.
    pub specification: &'static str,
}

/// What properties are called in specifications; the first that a witness can be about.
pub fn specification(properties: &Properties) -> &'static str {
    match properties {
        p if p.errors => "G ! call(reach_error())",
        p if p.overflow => "G ! overflow",
        p if p.labels == Some(true) => "G ! label(ERROR)",
        _ => "G ! call(reach_error())",
    }
}

/// A string of YAML; JSON's strings are such.
fn quoted(text: &str) -> String {
    json!(text).to_string()
}

fn head(subject: &Subject<'_>, entry: &str, content: &str) -> String {
    let digest = hash(subject.text);
    // A name for this witness, from what is in it.
    let id = hash(format!("{digest}{entry}{content}").as_bytes());
    let uuid = format!("{}-{}-4{}-8{}-{}", &id[..8], &id[8..12], &id[13..16], &id[17..20], &id[20..32]);
    let model = match subject.data_model {
        DataModel::Ilp32 => "ILP32",
        DataModel::Lp64 => "LP64",
    };
    let file = quoted(subject.file);
    format!(
        "- entry_type: {entry}\n  metadata:\n    format_version: \"2.0\"\n    uuid: \"{uuid}\"\n    \
         creation_time: \"{}\"\n    producer:\n      name: \"Bolide\"\n      version: \"{}\"\n    task:\n      \
         input_files:\n      - {file}\n      input_file_hashes:\n        {file}: \"{digest}\"\n      \
         specification: \"{}\"\n      data_model: {model}\n      language: C\n  content:\n{content}",
        now(),
        env!("CARGO_PKG_VERSION"),
        subject.specification,
    )
}

/// The time in ISO 8601, in UTC.
fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let (days, time) = ((seconds / 86_400) as i64, seconds % 86_400);
    // Days to a date: years of 365.2425 days that start in March, so that leap days come last.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", time / 3600, time / 60 % 60, time % 60)
}

fn location(
    out: &mut String,
    task: &Task,
    subject: &Subject<'_>,
    place: &Position,
    span: Span,
    indent: &str,
) {
    let _ = writeln!(out, "{indent}location:");
    let _ = writeln!(out, "{indent}  file_name: {}", quoted(subject.file));
    let _ = writeln!(out, "{indent}  line: {}", place.line);
    let _ = writeln!(out, "{indent}  column: {}", place.column);
    if let Some(function) = function_of(task, span) {
        let _ = writeln!(out, "{indent}  function: {}", quoted(function));
    }
}

/// The function whose text a span is in: the last one that is defined before it.
fn function_of(task: &Task, span: Span) -> Option<&str> {
    let before = task.unit.funcs.iter().filter(|f| !f.blocks.is_empty() && f.span.start <= span.start);
    before.max_by_key(|f| f.span.start).map(|f| f.name.as_str())
}

/// A violation: the values of the inputs in the order in which they were asked for, and the property.
pub fn violation(
    task: &Task,
    subject: &Subject<'_>,
    inputs: &[(InputId, i128)],
    violated: PropertyId,
) -> String {
    let mut out = String::new();
    for &(site, value) in inputs {
        let input = &task.program.inputs[site];
        if !task.source.text(input.span).ends_with(')') {
            continue;
        }
        let place = task.source.last_position(input.span);
        out.push_str(
            "  - segment:\n    - waypoint:\n        type: function_return\n        action: follow\n",
        );
        let value = quoted(&returned(task, site, value));
        let _ =
            writeln!(out, "        constraint:\n          value: {value}\n          format: acsl_expression");
        location(&mut out, task, subject, &place, input.span, "        ");
    }
    let span = task.program.properties[violated].span;
    out.push_str("  - segment:\n    - waypoint:\n        type: target\n        action: follow\n");
    location(&mut out, task, subject, &task.source.position(span), span, "        ");
    head(subject, "violation_sequence", &out)
}

/// What a call returns, in ACSL. Floating values are written in hexadecimal, which is exact.
fn returned(task: &Task, site: InputId, value: i128) -> String {
    let Some(format) = values::format(task, site) else { return format!("\\result == {value}") };
    match format.value(value) {
        v if v.is_nan() => "\\is_NaN(\\result)".into(),
        f64::INFINITY => "\\is_plus_infinity(\\result)".into(),
        f64::NEG_INFINITY => "\\is_minus_infinity(\\result)".into(),
        v => format!("\\result == {}", Format::Double.to_c(Format::Double.pattern(v))),
    }
}

/// What holds at the places of a procedure.
pub fn places(store: &Store, proc: &Procedure, formulas: &[(LocId, Term)]) -> Vec<(Span, Term)> {
    let is_inside = |l: LocId| l != proc.entry && l != proc.exit && proc.locations[l].error.is_none();
    let said = formulas.iter().filter(|(l, formula)| is_inside(*l) && *formula != store.fls());
    said.map(|&(l, formula)| (proc.locations[l].span, formula)).collect()
}

/// The invariants of the loops, from what holds at places. Where a call returns is such a place, too, but no loop.
pub fn correctness(
    store: &mut Store,
    task: &Task,
    subject: &Subject<'_>,
    prepared: &Program,
    places: &[(Span, Term)],
) -> String {
    let spans =
        |p: &Procedure| pass::loop_heads(p).into_iter().map(|l| p.locations[l].span).collect::<Vec<_>>();
    let loops: FxHashSet<Span> = task.program.procs.iter().flat_map(spans).collect();
    // Copies of a loop share its place: what holds there is what holds in one of them.
    let mut at: BTreeMap<(u32, u32), Vec<Term>> = BTreeMap::new();
    for &(span, formula) in places.iter().filter(|(span, _)| loops.contains(span)) {
        at.entry((span.start, span.end)).or_default().push(formula);
    }
    let mut out = String::new();
    for ((start, end), formulas) in at {
        let span = Span { start, end };
        let (Some(place), Some(function)) = (task.source.loop_position(span), function_of(task, span)) else {
            continue;
        };
        let any = store.or(&formulas);
        let Some(value) = in_scope(store, task, prepared, function, any) else { continue };
        out.push_str("  - invariant:\n      type: loop_invariant\n");
        location(&mut out, task, subject, &place, span, "      ");
        let _ = writeln!(out, "      value: {}\n      format: c_expression", quoted(&value));
    }
    if out.is_empty() {
        out.push_str("    []\n");
    }
    head(subject, "invariant_set", &out)
}

/// The conjuncts of a formula that speak only of globals and of variables of a function, as C. Names that are declared
/// twice in the function mean one or the other, so nothing is said about them.
fn in_scope(store: &Store, task: &Task, prepared: &Program, function: &str, formula: Term) -> Option<String> {
    let names: Vec<&str> = task.unit.vars.iter().map(|v| v.name.as_str()).collect();
    let mut seen = FxHashSet::default();
    let twice: FxHashSet<&str> = names.iter().copied().filter(|n| !seen.insert(*n)).collect();
    let visible = |t: Term| {
        store.symbols([t]).iter().all(|&f| {
            let name: &str = &store.decl(f).name;
            let own = match name.rsplit_once("::") {
                Some((of, _)) => of == function,
                None => true,
            };
            own && names.contains(&name) && !twice.contains(name)
        })
    };
    let conjuncts =
        if store.op(formula) == bolide_term::Op::And { store.args(formula).to_vec() } else { vec![formula] };
    let expressions = Expressions::new(store, prepared, Some("long long"));
    let said: Vec<String> = conjuncts
        .into_iter()
        .filter(|&c| visible(c))
        .filter_map(|c| expressions.write(c))
        .map(|c| format!("({c})"))
        .collect();
    let value = said.join(" && ");
    (!value.is_empty() && value.len() <= LONGEST).then_some(value)
}
