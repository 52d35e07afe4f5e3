//! What witnesses of the software verification community say.
//!
//! A violation is a sequence of segments: one for each value that came from outside, as what its call returns, and the
//! target. A correctness witness is a set of loop invariants in C. An invariant that cannot be said in the names that
//! are in scope at its loop is left out, which makes a witness weaker but not wrong.

use super::evidence::Run;
use super::{checks, values};
use crate::report::{
    Evidence, Harness, HarnessValue, HarnessVariable, Invariants, Site, Subject, Violation, Waypoint,
};
use bolide_front::c::float::Format;
use bolide_front::c::hir::{Ending, Function, Guard, InstrKind, Storage, Variable};
use bolide_front::c::interp::{Given, Oracle};
use bolide_front::c::types::Type;
use bolide_front::c::{Expressions, Position, Properties, Task};
use bolide_model::program::back;
use bolide_model::{InputId, LocId, Procedure, Program, PropertyId, Span};
use bolide_term::{Store, Term};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// The longest invariant that is written.
const LONGEST: usize = 2000;

const REACHED: &str = "G ! call(reach_error())";
const LABEL: &str = "G ! label(ERROR)";
const OVERFLOW: &str = "G ! overflow";
const DEREF: &str = "G valid-deref";
const FREE: &str = "G valid-free";
const TRACK: &str = "G valid-memtrack";
const CLEANUP: &str = "G valid-memcleanup";

/// What properties are called in specifications: all that were checked and have a name there.
pub fn specification(properties: &Properties) -> String {
    let p = properties;
    let named = [
        (p.errors, REACHED),
        (p.labels == Some(true), LABEL),
        (p.overflow, OVERFLOW),
        (p.free, FREE),
        (p.deref, DEREF),
        (p.leak, TRACK),
        (p.cleanup, CLEANUP),
    ];
    let names: Vec<&str> = named.iter().filter(|(checked, _)| *checked).map(|&(_, name)| name).collect();
    if names.is_empty() { REACHED.into() } else { names.join(" && ") }
}

/// What a property that was violated is called in specifications; nothing if it has no name there.
fn violated_specification(task: &Task, violated: PropertyId) -> Option<&'static str> {
    let blocks = task.unit.funcs.iter().flat_map(|f| &f.blocks);
    let mut guards = blocks.flat_map(|b| &b.instrs).filter_map(|i| match &i.kind {
        InstrKind::Guard(guard) => Some(guard),
        _ => None,
    });
    let memory = guards.find_map(|guard| match *guard {
        Guard::Free(_, Some(p)) if p == violated => Some(FREE),
        Guard::Leak(p, Ending::Clean) if p == violated => Some(CLEANUP),
        Guard::Leak(p, _) if p == violated => Some(TRACK),
        Guard::Access(_, _, p)
        | Guard::Inside(_, _, p)
        | Guard::Writable(_, _, p)
        | Guard::Range(_, _, p)
        | Guard::RangeInside(_, _, p)
        | Guard::Callee(_, p)
            if p == violated =>
        {
            Some(DEREF)
        }
        _ => None,
    });
    let by_name = [
        ("call of ", REACHED),
        ("assertion", REACHED),
        ("label ", LABEL),
        ("signed ", OVERFLOW),
        ("null pointer dereference", DEREF),
        ("index out of bounds", DEREF),
    ];
    let name = &task.program.properties[violated].name;
    memory.or_else(|| by_name.iter().find(|(start, _)| name.starts_with(start)).map(|&(_, called)| called))
}

/// The function whose text a span is in: the last one that is defined before it.
fn function_of(task: &Task, span: Span) -> Option<&str> {
    let before = task.unit.funcs.iter().filter(|f| !f.blocks.is_empty() && f.span.start <= span.start);
    before.max_by_key(|f| f.span.start).map(|f| f.name.as_str())
}

/// A violation: the values of the inputs in the order in which they were asked for, and the property.
pub fn violation(task: &Task, subject: &Subject, run: &Run) -> Evidence {
    let (inputs, violated) = (run.values(), checks::violation(task, run));
    let mut subject = subject.clone();
    if let Some(specification) = violated_specification(task, run.violated()) {
        subject.specification = specification.into();
    }
    let mut waypoints = Vec::new();
    // Of a value that comes again and again, the first time is enough to find the way.
    for &Given { site, value, .. } in inputs {
        let input = &task.program.inputs[site];
        if task.source.text(input.span).ends_with(')') {
            let place = task.source.last_position(input.span);
            let result = returned(task, site, value);
            waypoints.push(Waypoint { site: self::site(task, place, input.span), result });
        }
    }
    let target = site(task, task.source.position(violated), violated);
    let harness = harness(task, run);
    Evidence::Violation(Box::new(Violation { subject, waypoints, target, harness }))
}

fn site(task: &Task, place: Position, span: Span) -> Site {
    Site { place, function: function_of(task, span).map(str::to_owned) }
}

/// What a test harness for a run is made of.
fn harness(task: &Task, run: &Run) -> Harness {
    let value = |&Given { site, value, times }: &Given| HarnessValue {
        function: task.program.inputs[site].name.clone(),
        value: values::format(task, site).map_or_else(|| integer(value), |f| f.to_c(value)),
        times,
    };
    let undefined: Vec<_> = task.unit.funcs.iter().filter(|f| f.blocks.is_empty()).collect();
    let result = |f: &&Function| match task.unit.types.get(f.ty) {
        Type::Function(s) => scalar(task.unit.types.get(s.result)),
        _ => None,
    };
    Harness {
        values: run.values().iter().map(value).collect(),
        undefined: undefined.iter().map(|f| f.name.clone()).collect(),
        results: undefined.iter().filter_map(|f| Some((f.name.clone(), result(f)?))).collect(),
        variables: undefined_variables(task, run),
    }
}

/// What C calls a scalar of this form, on every machine.
fn scalar(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::Int(i) => match (i.rank, i.bits, i.signed) {
            (0, ..) => "_Bool",
            (_, 8, true) => "signed char",
            (_, 8, false) => "unsigned char",
            (_, 16, true) => "short",
            (_, 16, false) => "unsigned short",
            (_, 32, true) => "int",
            (_, 32, false) => "unsigned int",
            (_, 64, true) => "long long",
            (_, 64, false) => "unsigned long long",
            _ => return None,
        },
        Type::Float(4) => "float",
        Type::Float(8) => "double",
        Type::Pointer(_) => "void *",
        _ => return None,
    })
}

/// The variables that nobody defines, with the bytes that the run gives them.
fn undefined_variables(task: &Task, run: &Run) -> Vec<HarnessVariable> {
    let types = &task.unit.types;
    let start = task.unit.funcs[task.unit.entry].blocks.iter().next();
    let set = start.into_iter().flat_map(|b| &b.instrs).filter_map(|i| match i.kind {
        InstrKind::Fresh(v, Some(site)) => Some((&task.unit.vars[v], site)),
        _ => None,
    });
    let undefined = set.filter(|(v, site)| {
        v.storage == Storage::Static && task.unit.inputs[*site].name.starts_with("undefined ")
    });
    let mut objects = run.inputs();
    let mut variable = |(v, site): (&Variable, InputId)| {
        let size = types.size_of(v.ty)?;
        let parts = match run.values().iter().find(|g| g.site == site) {
            Some(given) => vec![(0, 16, given.value)],
            None => objects.object(site),
        };
        let mut bytes: BTreeMap<u64, u8> = BTreeMap::new();
        for (start, width, value) in parts {
            for (n, byte) in value.to_le_bytes().into_iter().enumerate().take(width as usize) {
                let offset = start.checked_add(n as u64).filter(|&offset| offset < size);
                bytes.extend(offset.map(|offset| (offset, byte)));
            }
        }
        bytes.retain(|_, byte| *byte != 0);
        Some(HarnessVariable { name: v.name.clone(), size, bytes })
    };
    undefined.filter_map(&mut variable).collect()
}

/// An integer as a constant of C.
fn integer(value: i128) -> String {
    match value {
        v if v == i128::from(i64::MIN) => "(long long)(1ULL << 63)".into(),
        v if v > i128::from(i64::MAX) => format!("(long long){v}ULL"),
        v => format!("{v}LL"),
    }
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
    subject: &Subject,
    prepared: &Program,
    places: &[(Span, Term)],
) -> Evidence {
    let spans =
        |p: &Procedure| back::loop_heads(p).into_iter().map(|l| p.locations[l].span).collect::<Vec<_>>();
    let loops: FxHashSet<Span> = task.program.procs.iter().flat_map(spans).collect();
    // Copies of a loop share its place: what holds there is what holds in one of them.
    let mut at: BTreeMap<(u32, u32), Vec<Term>> = BTreeMap::new();
    for &(span, formula) in places.iter().filter(|(span, _)| loops.contains(span)) {
        at.entry((span.start, span.end)).or_default().push(formula);
    }
    let mut invariants = Vec::new();
    for ((start, end), formulas) in at {
        let span = Span { start, end };
        let (Some(place), Some(function)) = (task.source.loop_position(span), function_of(task, span)) else {
            continue;
        };
        let any = store.or(&formulas);
        let Some(value) = in_scope(store, task, prepared, function, any) else { continue };
        invariants.push((Site { place, function: Some(function.to_owned()) }, value));
    }
    Evidence::Invariants(Box::new(Invariants { subject: subject.clone(), loops: invariants }))
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
