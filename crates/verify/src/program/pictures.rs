//! What a page shows of a C program: its source, the control flow of its functions, and the unwinding.

use super::trace::shortened;
use crate::Report;
use crate::details::{Details, Drawing, Edge, Look, Node, SourceText};
use bolide_base::counted;
use bolide_engine::program::Picture;
use bolide_front::c::hir::{Base, BlockId, Callee, FuncId, Function, InstrKind, Terminator, VarId};
use bolide_front::c::{Expressions, Source, Task};
use bolide_model::{Program, Span};
use bolide_smtlib::print_term;
use bolide_term::{Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// How many vertices of an unwinding are drawn.
pub const VERTICES: usize = 300;
/// How many functions are drawn, and how many blocks of each.
const FUNCTIONS: usize = 40;
const BLOCKS: usize = 250;
/// Longer conjuncts of labels are cut.
const LONGEST_CONJUNCT: usize = 400;

/// What a page shows.
pub fn details(task: &Task, file: &str, text: &[u8], report: &Report) -> Details {
    let sources = sources(task, file, text, report);
    let place = |span: Span| place(task, &sources, span);
    let flows = flows(task, &place);
    let lines: usize = sources.iter().map(|s| s.lines.len()).sum();
    let functions = called(task).len();
    let figures = vec![
        (
            "Size".into(),
            format!("{}, {}", counted(lines, "line", "lines"), counted(functions, "function", "functions")),
        ),
        ("Properties".into(), task.program.properties.len().to_string()),
    ];
    Details { sources, flows, figures, ..Details::default() }
}

/// The texts that the report speaks of, the task's own first.
fn sources(task: &Task, file: &str, text: &[u8], report: &Report) -> Vec<SourceText> {
    let places = report
        .properties
        .iter()
        .filter_map(|p| p.place.as_ref())
        .chain(report.invariant.iter().map(|f| &f.place))
        .chain(report.trace.iter().map(|m| &m.place));
    let mentioned: FxHashSet<&str> = places.map(|p| p.file.as_str()).chain([file]).collect();
    let raw = String::from_utf8_lossy(text);
    let is_raw = !Source::needs_preprocessing(raw.as_bytes());
    let mut at: FxHashMap<&str, usize> = FxHashMap::default();
    let mut texts: Vec<(&str, BTreeMap<u32, String>)> = Vec::new();
    for (name, number, line) in task.source.lines() {
        if !mentioned.contains(name) || (name == file && !is_raw) {
            continue;
        }
        let n = *at.entry(name).or_insert_with(|| {
            texts.push((name, BTreeMap::new()));
            texts.len() - 1
        });
        texts[n].1.entry(number).or_insert_with(|| line.into_owned());
    }
    let source = |(name, lines): &(&str, BTreeMap<u32, String>)| SourceText {
        file: (*name).into(),
        lines: lines.iter().map(|(&n, l)| (n, l.clone())).collect(),
    };
    let mut sources: Vec<SourceText> = texts.iter().map(source).collect();
    if !is_raw {
        sources.insert(0, SourceText::whole(file, &raw));
    }
    sources.retain(|s| s.lines.iter().any(|l| !l.1.trim().is_empty()));
    sources.sort_by_key(|s| s.file != file);
    sources
}

/// The line of a span, if a page shows it.
fn place(task: &Task, sources: &[SourceText], span: Span) -> Option<(usize, u32)> {
    if span == Span::default() {
        return None;
    }
    let position = task.source.position(span);
    let source = sources.iter().position(|s| s.file == position.file)?;
    let lines = &sources[source].lines;
    lines.binary_search_by_key(&position.line, |l| l.0).ok().map(|_| (source, position.line))
}

type Placing<'a> = dyn Fn(Span) -> Option<(usize, u32)> + 'a;

/// The control flow of the functions that can be called, the entry first.
fn flows(task: &Task, place: &Placing<'_>) -> Vec<Drawing> {
    let called = called(task);
    let hidden = called.len().saturating_sub(FUNCTIONS);
    let mut flows: Vec<Drawing> =
        called.into_iter().take(FUNCTIONS).map(|f| flow(task, &task.unit.funcs[f], place)).collect();
    if let (Some(first), true) = (flows.first_mut(), hidden > 0) {
        let note = format!("{hidden} of the functions are not drawn.");
        first.note = Some(first.note.take().map_or(note.clone(), |n| format!("{n} {note}")));
    }
    flows
}

/// The functions that calls by name lead to from the entry, in that order.
fn called(task: &Task) -> Vec<FuncId> {
    let mut found = vec![task.unit.entry];
    let mut seen: FxHashSet<FuncId> = found.iter().copied().collect();
    let mut next = 0;
    while let Some(&f) = found.get(next) {
        next += 1;
        for instr in task.unit.funcs[f].blocks.iter().flat_map(|b| &b.instrs) {
            if let InstrKind::Call(_, Callee::Direct(g), _) = &instr.kind
                && !task.unit.funcs[*g].blocks.is_empty()
                && seen.insert(*g)
            {
                found.push(*g);
            }
        }
    }
    found.retain(|&f| !task.unit.funcs[f].blocks.is_empty());
    found
}

/// The blocks of a function that can be reached, breadth first. Blocks that only lead on are left out.
fn flow(task: &Task, function: &Function, place: &Placing<'_>) -> Drawing {
    let follow = |b: BlockId| skip(function, b);
    let entry = follow(BlockId::new(0));
    let mut found = vec![entry];
    let mut number: FxHashMap<BlockId, usize> = [(entry, 0)].into_iter().collect();
    let mut drawing = Drawing { name: function.name.clone(), ..Drawing::default() };
    let mut next = 0;
    while let Some(&b) = found.get(next) {
        let block = &function.blocks[b];
        let first = first_place(function, b, place);
        let mut title = first.map_or(format!("block {next}"), |(_, line)| format!("line {line}"));
        let mut look = if next == 0 { Look::Start } else { Look::Plain };
        let mut node = Node { lines: statements(task, function, b), ..Node::default() };
        match &block.end {
            Terminator::Error(p) => {
                look = Look::Error;
                node.lines.push(format!("error: {}", task.program.properties[*p].name));
            }
            Terminator::Return(_) => title.push_str(" · return"),
            Terminator::Halt => title.push_str(" · stop"),
            _ => {}
        }
        (node.title, node.look) = (title, look);
        node.place = first;
        drawing.nodes.push(node);
        for (to, label) in successors(&block.end) {
            let to = follow(to);
            let n = *number.entry(to).or_insert_with(|| {
                found.push(to);
                found.len() - 1
            });
            drawing.edges.push(Edge { ends: (next, n), label, ..Edge::default() });
        }
        next += 1;
    }
    cut(&mut drawing);
    drawing
}

/// The block that a block leads to if it does nothing else.
fn skip(function: &Function, mut b: BlockId) -> BlockId {
    for _ in 0..function.blocks.len() {
        match &function.blocks[b] {
            block if !block.instrs.is_empty() => break,
            block => match block.end {
                Terminator::Goto(to) => b = to,
                _ => break,
            },
        }
    }
    b
}

fn successors(end: &Terminator) -> Vec<(BlockId, String)> {
    match end {
        Terminator::Goto(to) => vec![(*to, String::new())],
        Terminator::Branch(_, yes, no) => vec![(*yes, "true".into()), (*no, "false".into())],
        Terminator::Switch(_, cases, other) => {
            let case = |&(low, high, to): &(i128, i128, BlockId)| match low == high {
                true => (to, low.to_string()),
                false => (to, format!("{low} to {high}")),
            };
            cases.iter().map(case).chain([(*other, "default".into())]).collect()
        }
        Terminator::Return(_) | Terminator::Halt | Terminator::Error(_) => Vec::new(),
    }
}

/// The source of what a block does, without pieces of pieces.
fn statements(task: &Task, function: &Function, b: BlockId) -> Vec<String> {
    let block = &function.blocks[b];
    let mut parts: Vec<(Span, Option<VarId>)> =
        block.instrs.iter().map(|i| (i.span, target(&i.kind))).collect();
    if matches!(block.end, Terminator::Branch(..) | Terminator::Switch(..) | Terminator::Return(_)) {
        parts.push((block.span, None));
    }
    let is_inside = |a: Span, b: Span| b.start <= a.start && a.end <= b.end;
    let mut kept: Vec<(Span, Option<VarId>)> = Vec::new();
    for (span, var) in parts {
        if kept.last().is_some_and(|k| k.0 != span && is_inside(span, k.0)) {
            continue;
        }
        while kept.last().is_some_and(|k| is_inside(k.0, span)) {
            kept.pop();
        }
        kept.push((span, var));
    }
    let text = |&(span, var): &(Span, Option<VarId>)| {
        let text = shortened(&task.source.text(span));
        // The text of an initialiser starts with its sign.
        match var.map(|v| task.unit.vars[v].name.rsplit("::").next().unwrap_or_default()) {
            Some(name) if text.starts_with('=') && !name.starts_with('$') => format!("{name} {text}"),
            _ => text,
        }
    };
    kept.iter().map(text).filter(|s| !s.is_empty()).collect()
}

/// The variable that an instruction stores to.
fn target(kind: &InstrKind) -> Option<VarId> {
    match kind.places().first()?.base {
        Base::Var(v) => Some(v),
        Base::Deref(_) => None,
    }
}

fn first_place(function: &Function, b: BlockId, place: &Placing<'_>) -> Option<(usize, u32)> {
    let block = &function.blocks[b];
    block.instrs.iter().map(|i| i.span).chain([block.span]).find_map(place)
}

/// Leaves out blocks beyond the limit.
fn cut(drawing: &mut Drawing) {
    let total = drawing.nodes.len();
    if total > BLOCKS {
        drawing.nodes.truncate(BLOCKS);
        drawing.edges.retain(|e| e.ends.0 < BLOCKS && e.ends.1 < BLOCKS);
        drawing.note = Some(format!("The first {BLOCKS} of {total} blocks are drawn."));
    }
}

/// An unwinding as a drawing: vertices with their labels as C expressions, dotted arcs for covers.
pub fn unwinding(store: &Store, task: &Task, program: &Program, picture: &Picture) -> Drawing {
    let expressions = Expressions::new(store, program, None);
    let text = |t: Term| {
        let text = expressions.write(t).unwrap_or_else(|| print_term(store, t).to_string());
        match text.char_indices().nth(LONGEST_CONJUNCT) {
            Some((n, _)) => format!("{}…", &text[..n]),
            None => text,
        }
    };
    let main = program.main();
    let mut drawing = Drawing::default();
    let position: FxHashMap<usize, usize> =
        picture.vertices.iter().enumerate().map(|(n, v)| (v.number, n)).collect();
    for (n, v) in picture.vertices.iter().enumerate() {
        let location = &main.locations[v.location];
        let mut node = Node::default();
        let line = (location.span != Span::default()).then(|| task.source.position(location.span));
        node.title = match (location.error, line) {
            (Some(_), Some(p)) => format!("v{} · error at line {}", v.number, p.line),
            (_, Some(p)) if n > 0 => format!("v{} · {} · line {}", v.number, v.location, p.line),
            _ => format!("v{} · {}", v.number, v.location),
        };
        node.look = match () {
            () if location.error.is_some() => Look::Error,
            () if v.covered_by.is_some() => Look::Covered,
            () if v.unreachable => Look::Dead,
            () if n == 0 => Look::Start,
            () => Look::Plain,
        };
        node.lines = match v.label.is_empty() {
            true => vec!["true".into()],
            false if v.unreachable => vec!["false".into()],
            false => v.label.iter().map(|&t| text(t)).collect(),
        };
        if v.hidden > 0 {
            node.lines.push(format!("… and {} below", counted(v.hidden, "vertex", "vertices")));
        }
        if let Some((parent, _)) = v.parent {
            drawing.edges.push(Edge { ends: (parent, n), ..Edge::default() });
        }
        // A vertex that cannot be reached needs no cover.
        match v.covered_by.filter(|_| !v.unreachable).map(|w| (w, position.get(&w))) {
            Some((_, Some(&w))) => {
                drawing.edges.push(Edge { ends: (n, w), is_cover: true, ..Edge::default() });
            }
            Some((w, None)) => node.lines.push(format!("covered by v{w}")),
            None => {}
        }
        drawing.nodes.push(node);
    }
    if picture.total > picture.vertices.len() {
        drawing.note = Some(format!(
            "The {} vertices nearest to the root are drawn, of {}.",
            picture.vertices.len(),
            picture.total
        ));
    }
    drawing
}
