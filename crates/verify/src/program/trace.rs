//! The steps of a run in the words of the program: what was stored where, which conditions held, who was called.

use super::checks;
use super::evidence::Run;
use crate::report::{Change, TraceStep};
use bolide_base::counted;
use bolide_front::c::Task;
use bolide_front::c::float::Format;
use bolide_front::c::hir::{FuncId, Storage, VarId};
use bolide_front::c::interp::{Event, Happening};
use bolide_front::c::types::{Field, Type, TypeId, Types};
use bolide_model::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Longer pieces of the source are cut.
const LONGEST: usize = 100;

/// Of longer runs only the first and the last steps are told, so many of each.
const TOLD: usize = 50_000;

/// The steps of a run; the last one is the violation.
pub fn steps(task: &Task, run: &Run) -> Vec<TraceStep> {
    let checks = task.program.properties.iter().map(|p| p.span).collect();
    let arguments = arguments(task);
    let mut teller = Teller { task, checks, values: FxHashMap::default(), last: Span::default(), arguments };
    let (first, rest) = run.events().split_at(run.events().len().min(TOLD));
    let (hidden, last) = rest.split_at(rest.len().saturating_sub(TOLD));
    let mut steps: Vec<TraceStep> = first.iter().filter_map(|e| teller.tell(e)).collect();
    if let Some(event) = hidden.first() {
        let what = format!("{} omitted", counted(hidden.len(), "step", "steps"));
        steps.push(TraceStep::new(task.source.position(event.span), what));
    }
    steps.extend(last.iter().filter_map(|e| teller.tell(e)));
    let property = &task.program.properties[run.violated()];
    let at = task.source.position(checks::violation(task, run));
    let mut end = TraceStep::new(at, explained(task, run, &property.name));
    end.function = run.events().last().map(|e| task.unit.funcs[e.func].name.clone());
    steps.push(end);
    steps
}

/// What a violation is, with what is known about the object that was accessed.
fn explained(task: &Task, run: &Run, property: &str) -> String {
    let Some(fault) = run.fault() else { return property.to_string() };
    let mut out = format!("{property}: {}", fault.what);
    for (span, what) in [(fault.born, "was made"), (fault.died, "ended")] {
        if let Some(span) = span.filter(|s| task.source.is_own(*s)) {
            out += &format!("; it {what} at {}", task.source.position(span));
        }
    }
    out
}

struct Teller<'a> {
    task: &'a Task,
    /// Where properties are checked; the conditions there are not the user's.
    checks: FxHashSet<Span>,
    /// What was stored last under a name in a function.
    values: FxHashMap<(Option<FuncId>, String), String>,
    /// The last part of the program's own text that was executed.
    last: Span,
    /// The names of what arguments of the entry lead to, by the place of the parameter, in the order in which they get their
    /// values.
    arguments: FxHashMap<Span, VecDeque<String>>,
}

/// The names of what arguments of the entry lead to.
fn arguments(task: &Task) -> FxHashMap<Span, VecDeque<String>> {
    let mut out: FxHashMap<Span, VecDeque<String>> = FxHashMap::default();
    for site in &task.unit.inputs {
        if site.name.ends_with(" is not null") {
            out.entry(site.span).or_default();
        }
    }
    for site in &task.unit.inputs {
        if let Some(names) = out.get_mut(&site.span)
            && !site.name.contains(' ')
        {
            names.push_back(site.name.clone());
        }
    }
    out
}

impl Teller<'_> {
    fn tell(&mut self, event: &Event) -> Option<TraceStep> {
        let source = &self.task.source;
        if !source.is_own(event.span) {
            return self.tell_library(event);
        }
        self.last = event.span;
        let mut step = TraceStep::new(source.position(event.span), String::new());
        step.function = Some(self.task.unit.funcs[event.func].name.clone());
        match event.what {
            Happening::Branch(_) if self.checks.contains(&event.span) => return None,
            Happening::Branch(holds) => {
                let condition = self.text(event.span);
                if condition.is_empty() {
                    return None;
                }
                step.what = format!("{condition} is {holds}");
            }
            Happening::Call(callee) => {
                step.what = format!("call of {}", self.task.unit.funcs[callee].name);
            }
            Happening::Rounds(rounds) => {
                step.what = format!("the loop goes on for {}", counted(rounds, "round", "rounds"));
            }
            // How arguments of the entry are made is not the program's own.
            Happening::Store { var: Some(var), .. }
                if ["$object", "$argument"].iter().any(|n| self.task.unit.vars[var].name.ends_with(n)) =>
            {
                return None;
            }
            Happening::Store { var, part, ty, value, is_input } => {
                let value = self.value(ty, value);
                step.is_input = is_input;
                let made = self.arguments.get_mut(&event.span).filter(|_| var.is_none());
                if made.is_some() && !is_input {
                    return None;
                }
                let argument = made.and_then(|names| names.pop_front());
                match argument.or_else(|| self.name(var, part, event.span)) {
                    Some(name) => {
                        step.what = format!("{name} = {value}");
                        step.change = Some(self.change(event.func, var, name, value));
                    }
                    None => step.what = self.intermediate(event.span, &value),
                }
            }
        }
        Some(step)
    }

    /// What happens inside of a library function is told as far as it comes from outside.
    fn tell_library(&self, event: &Event) -> Option<TraceStep> {
        let Happening::Store { ty, value, is_input: true, .. } = event.what else { return None };
        let name = &self.task.unit.funcs[event.func].name;
        let what = format!("{name} reads {}", self.value(ty, value));
        let mut step = TraceStep::new(self.task.source.position(self.last), what);
        step.is_input = true;
        Some(step)
    }

    fn change(&mut self, func: FuncId, var: Option<VarId>, name: String, value: String) -> Change {
        let is_global = var.is_none_or(|v| self.task.unit.vars[v].storage == Storage::Static);
        let scope = (!is_global).then_some(func);
        let before = self.values.insert((scope, name.clone()), value.clone());
        Change { name, value, before, is_global }
    }

    /// What a store is to: a variable, a part of one, or else what the source says. None for what has no name.
    fn name(&self, var: Option<VarId>, part: Option<i128>, span: Span) -> Option<String> {
        let Some(var) = var else {
            return Some(left_side(&self.task.source.text(span)).unwrap_or_else(|| "memory".into()));
        };
        let var = &self.task.unit.vars[var];
        let name = var.name.rsplit_once("::").map_or(var.name.as_str(), |(_, name)| name);
        if name.starts_with('$') {
            return None;
        }
        let part = part.map(|offset| part_of(&self.task.unit.types, var.ty, offset)).unwrap_or_default();
        Some(format!("{name}{part}"))
    }

    /// A value that the translation stores away: what a function returns or an expression gives.
    fn intermediate(&self, span: Span, value: &str) -> String {
        match self.text(span) {
            text if text.starts_with("return") => format!("return {value}"),
            text => format!("{text} gives {value}"),
        }
    }

    fn text(&self, span: Span) -> String {
        shortened(&self.task.source.text(span))
    }

    fn value(&self, ty: TypeId, value: i128) -> String {
        match self.task.unit.types.get(ty) {
            Type::Float(bytes) => Format::of(*bytes).map_or("a long double".into(), |f| f.show(value)),
            Type::Pointer(_) if value == 0 => "NULL".into(),
            Type::Pointer(_) => format!("{value:#x}"),
            _ => value.to_string(),
        }
    }
}

/// The part of an object at an offset, as C names it.
fn part_of(types: &Types, ty: TypeId, offset: i128) -> String {
    let mut out = String::new();
    let (mut ty, mut offset) = (ty, offset);
    loop {
        match types.get(ty) {
            Type::Array(element, _) => {
                let size = types.size_of(*element).map_or(1, |n| n.max(1)).into();
                out += &format!("[{}]", offset.div_euclid(size));
                (ty, offset) = (*element, offset.rem_euclid(size));
            }
            Type::Record(r) => {
                let fields = types.records[*r].fields.as_deref().unwrap_or_default();
                let starts = |f: &&Field| i128::from(f.offset) <= offset;
                let Some(field) = fields.iter().filter(starts).max_by_key(|f| f.offset) else { return out };
                if let Some(name) = &field.name {
                    out += &format!(".{name}");
                }
                (ty, offset) = (field.ty, offset - i128::from(field.offset));
            }
            _ => return out,
        }
    }
}

/// A piece of the source on one line, cut if it is long.
pub fn shortened(text: &str) -> String {
    let mut out = String::new();
    let is_code = |line: &&str| !line.trim_start().starts_with('#');
    for word in text.lines().filter(is_code).flat_map(str::split_whitespace) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
        if let Some((end, _)) = out.char_indices().nth(LONGEST) {
            out.truncate(end);
            out.push('…');
            break;
        }
    }
    out
}

/// The left side of the first assignment in a text, if there is one outside of parentheses and brackets.
fn left_side(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut depth = 0;
    for (n, &b) in bytes.iter().enumerate() {
        match b {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b'=' if depth == 0 => {
                let before = bytes.get(n.wrapping_sub(1)).copied().unwrap_or(b' ');
                let is_comparison = bytes.get(n + 1) == Some(&b'=') || b"=!".contains(&before);
                let is_shift =
                    n >= 2 && (text.get(n - 2..n) == Some("<<") || text.get(n - 2..n) == Some(">>"));
                if is_comparison || (b"<>".contains(&before) && !is_shift) {
                    continue;
                }
                let left = text.get(..n)?.trim_end_matches(|c: char| "+-*/%&|^<>".contains(c)).trim();
                return (!left.is_empty()).then(|| shortened(left));
            }
            _ => {}
        }
    }
    let operand = text.trim().trim_start_matches("++").trim_start_matches("--");
    let operand = operand.trim_end_matches("++").trim_end_matches("--").trim();
    (operand.len() < text.trim().len() && !operand.is_empty()).then(|| shortened(operand))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn left_sides_of_assignments() {
        for (text, left) in [
            ("a[i] = 3", Some("a[i]")),
            ("p->x += f(b = 2)", Some("p->x")),
            ("a[k <<= 1] <<= 2", Some("a[k <<= 1]")),
            ("*p  =  a == b", Some("*p")),
            ("a[i]++", Some("a[i]")),
            ("--s.n", Some("s.n")),
            ("a <= b", None),
            ("f(x)", None),
            ("", None),
        ] {
            assert_eq!(left_side(text).as_deref(), left, "{text}");
        }
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shortened("a\n   +  b"), "a + b");
        assert_eq!(shortened("a\n# 3 \"file.c\" 3 4\n+ b"), "a + b");
        assert_eq!(shortened(&"x".repeat(300)).chars().count(), LONGEST + 1);
        assert!(shortened(&"é ".repeat(300)).chars().count() <= LONGEST + 1);
    }
}
