//! Programs as text and as graphs.

use crate::{Action, Edge, Program};
use bolide_term::{Op, Store, Term};
use std::fmt::{self, Write};

/// The program as text, one edge per line.
pub struct Listing<'a>(pub &'a Store, pub &'a Program);

/// The program as a graph in the DOT language.
pub struct Dot<'a>(pub &'a Store, pub &'a Program);

/// Terms longer than this are cut short.
const LIMIT: usize = 400;

impl fmt::Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Listing(store, program) = *self;
        for (id, p) in program.procs.iter_enumerated().filter(|(_, p)| !p.edges.is_empty()) {
            let mark = if id == program.entry { " (entry)" } else { "" };
            writeln!(f, "procedure {}{mark}: {} to {}", p.name, p.entry, p.exit)?;
            for (l, location) in p.locations.iter_enumerated() {
                if let Some(e) = location.error {
                    writeln!(f, "  {l}: error {e}, {}", program.properties[e].name)?;
                }
            }
            for e in &p.edges {
                writeln!(f, "  {} -> {}: {}", e.from, e.to, action(store, program, e))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Dot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Dot(store, program) = *self;
        writeln!(f, "digraph program {{\n  node [shape=circle, label=\"\"];")?;
        for (id, p) in program.procs.iter_enumerated().filter(|(_, p)| !p.edges.is_empty()) {
            writeln!(f, "  subgraph cluster_{id} {{\n    label={:?};", p.name)?;
            for (l, location) in p.locations.iter_enumerated() {
                let shape = match location.error {
                    Some(_) => ", shape=doublecircle, color=red",
                    None if l == p.entry || l == p.exit => ", shape=box",
                    None => "",
                };
                writeln!(f, "    {id}{l} [label=\"{l}\"{shape}];")?;
            }
            writeln!(f, "  }}")?;
            for e in &p.edges {
                writeln!(f, "  {id}{} -> {id}{} [label={:?}];", e.from, e.to, action(store, program, e))?;
            }
        }
        writeln!(f, "}}")
    }
}

fn action(store: &Store, program: &Program, edge: &Edge) -> String {
    let mut out = String::new();
    match &edge.action {
        Action::Step(s) => {
            if s.guard != store.tru() {
                out += &format!("assume {}; ", term(store, s.guard));
            }
            for &(v, t) in &s.assigns {
                out += &format!("{} := {}; ", program.vars[v].name, term(store, t));
            }
            for (c, i) in &s.inputs {
                out += &format!("where {} is {}; ", term(store, *c), program.inputs[*i].name);
            }
        }
        Action::Call(c) => {
            if let Some(v) = c.result {
                out += &format!("{} := ", program.vars[v].name);
            }
            let args: Vec<String> = c.args.iter().map(|&t| term(store, t)).collect();
            out += &format!("call {}({})", program.procs[c.callee].name, args.join(", "));
        }
    }
    for a in &edge.approximations {
        out += &format!("[{:?}: {}] ", a.bias, a.what);
    }
    if out.is_empty() { "skip".into() } else { out.trim_end_matches("; ").trim_end().into() }
}

/// A term in prefix form, cut short after a while.
fn term(store: &Store, t: Term) -> String {
    enum Item {
        Term(Term),
        Close,
    }
    let mut out = String::new();
    let mut stack = vec![Item::Term(t)];
    while let Some(item) = stack.pop() {
        if out.len() > LIMIT {
            return out + " …";
        }
        let Item::Term(t) = item else {
            out.push(')');
            continue;
        };
        if !out.is_empty() && !out.ends_with('(') {
            out.push(' ');
        }
        let name = match store.op(t) {
            Op::Apply(f) => store.decl(f).name.to_string(),
            Op::Num(n) => store.num_value(n).to_string(),
            Op::Le => "<=".into(),
            Op::Eq => "=".into(),
            Op::Add => "+".into(),
            Op::Mul => "*".into(),
            op => format!("{op:?}").to_lowercase(),
        };
        if store.args(t).is_empty() {
            out += &name;
        } else {
            let _ = write!(out, "({name}");
            stack.push(Item::Close);
            stack.extend(store.args(t).iter().rev().map(|&a| Item::Term(a)));
        }
    }
    out
}
