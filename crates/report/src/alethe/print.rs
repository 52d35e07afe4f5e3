//! Commands of a proof, and their text.

use super::terms::{Id, Node, Terms};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Quantified formulas that are larger than this share their parts with `let`.
const SHARED_SIZE: u64 = 10_000;

/// A command of a proof. Its position is its number.
pub(super) enum Command {
    /// An assertion of the file.
    Assume(Id),
    /// The start of a subproof of one step, which the next two commands are, in which these variables stand for themselves.
    Anchor(Vec<(Id, Id)>),
    /// A clause that follows.
    Step { clause: Vec<Id>, rule: &'static str, premises: Vec<usize>, args: Vec<String> },
}

/// The text of a proof.
pub(super) fn text(terms: &Terms, commands: &[Command]) -> String {
    let uses = uses(terms, commands);
    let mut printer = Printer { terms, uses, named: vec![false; terms.len()], out: String::new() };
    for (n, command) in commands.iter().enumerate() {
        printer.command(commands, n, command);
    }
    printer.out
}

/// How often a term is mentioned outside of quantifiers, up to two.
fn uses(terms: &Terms, commands: &[Command]) -> Vec<u8> {
    let mut uses = vec![0u8; terms.len()];
    for command in commands {
        let mut todo = match command {
            Command::Assume(t) => vec![*t],
            Command::Step { clause, .. } => clause.clone(),
            Command::Anchor(_) => Vec::new(),
        };
        while let Some(t) = todo.pop() {
            uses[t.index()] = uses[t.index()].saturating_add(1);
            if uses[t.index()] == 1 && !is_whole(terms, t) {
                todo.extend(terms.members(t).iter());
            }
        }
    }
    uses
}

/// Is nothing named inside of a term: does it bind variables, or are its members no terms?
fn is_whole(terms: &Terms, t: Id) -> bool {
    matches!(&*terms.parts(t).0, "forall" | "exists" | "as" | "_")
}

/// The parts of a formula without quantifiers that it has more than once, each after those that it is made of.
fn shared(terms: &Terms, formula: Id) -> Vec<Id> {
    let mut seen: FxHashMap<Id, bool> = FxHashMap::default();
    let mut todo = vec![formula];
    while let Some(t) = todo.pop() {
        if matches!(&*terms.parts(t).0, "forall" | "exists") {
            return Vec::new();
        }
        let again = seen.contains_key(&t);
        seen.insert(t, again);
        if !again && !is_whole(terms, t) {
            todo.extend(terms.members(t).iter());
        }
    }
    let is_shared = |&(t, again): &(Id, bool)| again && terms.size(t) > 4 && !is_whole(terms, t);
    let mut all: Vec<Id> = seen.into_iter().filter(is_shared).map(|(t, _)| t).collect();
    all.sort_unstable();
    all
}

struct Printer<'a> {
    terms: &'a Terms,
    uses: Vec<u8>,
    named: Vec<bool>,
    out: String,
}

impl Printer<'_> {
    fn command(&mut self, commands: &[Command], n: usize, command: &Command) {
        match command {
            Command::Assume(t) => {
                let _ = write!(self.out, "(assume h{n} ");
                self.term(*t, true);
                self.out.push_str(")\n");
            }
            Command::Anchor(variables) => {
                let _ = write!(self.out, "(anchor :step t{} :args (", n + 2);
                for (i, &(v, sort)) in variables.iter().enumerate() {
                    let (v, sort) = (self.terms.print(v), self.terms.print(sort));
                    let space = if i == 0 { "" } else { " " };
                    let _ = write!(self.out, "{space}({v} {sort}) (:= ({v} {sort}) {v})");
                }
                self.out.push_str("))\n");
            }
            Command::Step { clause, rule, premises, args } => {
                // A step of a subproof speaks of its variables: no part of it gets a name.
                let is_inner = n > 0 && matches!(commands[n - 1], Command::Anchor(_));
                let name = if is_inner { format!("t{}.t1", n + 1) } else { format!("t{n}") };
                let _ = write!(self.out, "(step {name} (cl");
                for &literal in clause {
                    self.out.push(' ');
                    self.term(literal, !is_inner);
                }
                let _ = write!(self.out, ") :rule {rule}");
                if !premises.is_empty() {
                    self.out.push_str(" :premises (");
                    for (i, &p) in premises.iter().enumerate() {
                        let kind = if matches!(commands[p], Command::Assume(_)) { 'h' } else { 't' };
                        let _ = write!(self.out, "{}{kind}{p}", if i == 0 { "" } else { " " });
                    }
                    self.out.push(')');
                }
                if !args.is_empty() {
                    let _ = write!(self.out, " :args ({})", args.join(" "));
                }
                self.out.push_str(")\n");
            }
        }
    }

    /// Writes a term in which nothing has a name. Under a quantifier, `let` says once what a large formula has more than once.
    fn whole(&mut self, t: Id) {
        let (terms, all) = (self.terms, self.terms.members(t));
        let shared = match all[..] {
            [_, _, body] if terms.size(t) > SHARED_SIZE => shared(terms, body),
            _ => Vec::new(),
        };
        if shared.is_empty() {
            return terms.write(&mut self.out, t, &|_| None);
        }
        let names: FxHashMap<Id, String> = shared.iter().map(|&s| (s, format!("@s{}", s.index()))).collect();
        let _ = write!(self.out, "({} {} ", terms.text(all[0]), terms.print(all[1]));
        for s in &shared {
            let _ = write!(self.out, "(let (({} ", names[s]);
            terms.write(&mut self.out, *s, &|part| names.get(&part).filter(|_| part != *s).cloned());
            self.out.push_str(")) ");
        }
        terms.write(&mut self.out, all[2], &|part| names.get(&part).cloned());
        self.out.push_str(&")".repeat(shared.len() + 1));
    }

    /// Writes a term. What is mentioned again gets a name where it is first written.
    fn term(&mut self, t: Id, may_name: bool) {
        enum Piece {
            Term(Id),
            Text(String),
        }
        let mut todo = vec![Piece::Term(t)];
        while let Some(piece) = todo.pop() {
            let t = match piece {
                Piece::Text(text) => {
                    self.out.push_str(&text);
                    continue;
                }
                Piece::Term(t) => t,
            };
            let Node::List(all) = self.terms.node(t) else {
                self.out.push_str(self.terms.text(t));
                continue;
            };
            let is_application =
                all.len() > 1 && !matches!(self.terms.text(all[0]), "as" | "_" | "not" | "-");
            if may_name && is_application && self.uses[t.index()] > 1 {
                let name = format!("@p{}", t.index());
                if std::mem::replace(&mut self.named[t.index()], true) {
                    self.out.push_str(&name);
                    continue;
                }
                self.out.push_str("(! ");
                todo.push(Piece::Text(format!(" :named {name})")));
            }
            if is_whole(self.terms, t) || !may_name {
                self.whole(t);
                continue;
            }
            self.out.push('(');
            todo.push(Piece::Text(")".into()));
            for (n, &member) in all.iter().enumerate().rev() {
                todo.push(Piece::Term(member));
                if n > 0 {
                    todo.push(Piece::Text(" ".into()));
                }
            }
        }
    }
}
