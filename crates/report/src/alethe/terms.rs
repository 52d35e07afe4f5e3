//! Terms as they are written: s-expressions, each stored once, without any simplification. A proof speaks of the file, so that a
//! term here is what a checker reads there.

use super::Flaw;
use bolide_smtlib::print_symbol;
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::ops::Range;
use std::rc::Rc;

/// A term.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Id(u32);

impl Id {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a term is made of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Node {
    /// A symbol or a constant.
    Atom(Rc<str>),
    /// What stands between parentheses.
    List(Rc<[Id]>),
}

/// Terms nested deeper than this are refused: what follows recurses over them.
const MAX_DEPTH: u32 = 1000;

/// All terms of a proof.
#[derive(Default)]
pub(super) struct Terms {
    nodes: Vec<Node>,
    depths: Vec<u32>,
    /// The numbers of atoms and lists in them.
    sizes: Vec<u64>,
    ids: FxHashMap<Node, Id>,
}

impl Terms {
    pub(super) fn node(&self, t: Id) -> &Node {
        &self.nodes[t.index()]
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    fn add(&mut self, node: Node) -> Id {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let (mut depth, mut size) = (0, 1u64);
        if let Node::List(all) = &node {
            for a in all.iter() {
                depth = depth.max(self.depths[a.index()] + 1);
                size = size.saturating_add(self.sizes[a.index()]);
            }
        }
        let id = Id(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.depths.push(depth);
        self.sizes.push(size);
        self.ids.insert(node, id);
        id
    }

    pub(super) fn atom(&mut self, text: &str) -> Id {
        self.add(Node::Atom(text.into()))
    }

    pub(super) fn list(&mut self, all: &[Id]) -> Id {
        self.add(Node::List(all.into()))
    }

    /// An operator applied to arguments.
    pub(super) fn app(&mut self, op: &str, args: &[Id]) -> Id {
        let mut all = vec![self.atom(op)];
        all.extend(args);
        self.list(&all)
    }

    pub(super) fn not(&mut self, t: Id) -> Id {
        self.app("not", &[t])
    }

    pub(super) fn eq(&mut self, a: Id, b: Id) -> Id {
        self.app("=", &[a, b])
    }

    /// The text of an atom; empty for a list.
    pub(super) fn text(&self, t: Id) -> &str {
        match self.node(t) {
            Node::Atom(text) => text,
            Node::List(_) => "",
        }
    }

    /// The members of a list; none for an atom.
    pub(super) fn members(&self, t: Id) -> Rc<[Id]> {
        match self.node(t) {
            Node::Atom(_) => Rc::from([]),
            Node::List(all) => all.clone(),
        }
    }

    /// The operator, if it is a symbol, and the arguments. An atom is its own operator.
    pub(super) fn parts(&self, t: Id) -> (Rc<str>, Rc<[Id]>) {
        match self.node(t) {
            Node::Atom(text) => (text.clone(), Rc::from([])),
            Node::List(all) => match all.split_first() {
                Some((&op, args)) => (self.text(op).into(), args.into()),
                None => ("".into(), Rc::from([])),
            },
        }
    }

    /// Is a term too deep to be worked on?
    pub(super) fn is_deep(&self, t: Id) -> bool {
        self.depths[t.index()] > MAX_DEPTH
    }

    /// How long a term is when it is written in full.
    pub(super) fn size(&self, t: Id) -> u64 {
        self.sizes[t.index()]
    }

    /// A term in full.
    pub(super) fn print(&self, t: Id) -> String {
        let mut out = String::new();
        self.write(&mut out, t, &|_| None);
        out
    }

    /// Writes a term; what has a name is written by it.
    pub(super) fn write(&self, out: &mut String, t: Id, name: &dyn Fn(Id) -> Option<String>) {
        enum Piece {
            Term(Id),
            Text(&'static str),
        }
        let mut todo = vec![Piece::Term(t)];
        while let Some(piece) = todo.pop() {
            let (t, text) = match piece {
                Piece::Text(text) => (None, text.to_string()),
                Piece::Term(t) => (Some(t), name(t).unwrap_or_default()),
            };
            match t.filter(|_| text.is_empty()).map(|t| self.node(t)) {
                None => out.push_str(&text),
                Some(Node::Atom(atom)) => out.push_str(atom),
                Some(Node::List(all)) => {
                    out.push('(');
                    todo.push(Piece::Text(")"));
                    for (n, &member) in all.iter().enumerate().rev() {
                        todo.push(Piece::Term(member));
                        if n > 0 {
                            todo.push(Piece::Text(" "));
                        }
                    }
                }
            }
        }
    }

    /// Reads the s-expressions of a text, with the places where they stand.
    pub(super) fn read(&mut self, text: &str) -> Result<Vec<(Id, Range<usize>)>, Flaw> {
        let bytes = text.as_bytes();
        let mut out = Vec::new();
        let mut open: Vec<(usize, Vec<Id>)> = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            let done = match bytes[at] {
                b';' => {
                    at = bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |n| at + n);
                    continue;
                }
                b if b.is_ascii_whitespace() => {
                    at += 1;
                    continue;
                }
                b'(' => {
                    at += 1;
                    open.push((start, Vec::new()));
                    continue;
                }
                b')' => {
                    at += 1;
                    let (start, all) = open.pop().ok_or(Flaw::Unread)?;
                    (self.list(&all), start)
                }
                quote @ (b'|' | b'"') => {
                    let length = bytes[at + 1..].iter().position(|&b| b == quote).ok_or(Flaw::Unread)?;
                    at += length + 2;
                    // A bar needs no quotation if the symbol is a simple one.
                    let symbol = print_symbol(&text[start + 1..at - 1]).to_string();
                    (self.atom(if quote == b'|' { &symbol } else { &text[start..at] }), start)
                }
                _ => {
                    let ends = |b: &u8| b.is_ascii_whitespace() || b"();|\"".contains(b);
                    at = bytes[at..].iter().position(ends).map_or(bytes.len(), |n| at + n);
                    (self.atom(&text[start..at]), start)
                }
            };
            match open.last_mut() {
                Some((_, all)) => all.push(done.0),
                None => out.push((done.0, done.1..at)),
            }
        }
        if open.is_empty() { Ok(out) } else { Err(Flaw::Unread) }
    }

    /// A term with symbols replaced by terms without variables.
    pub(super) fn substitute(&mut self, t: Id, by: &FxHashMap<Id, Id>) -> Id {
        self.substituted(t, by, &mut FxHashMap::default())
    }

    fn substituted(&mut self, t: Id, by: &FxHashMap<Id, Id>, memo: &mut FxHashMap<Id, Id>) -> Id {
        if let Some(&done) = by.get(&t).or_else(|| memo.get(&t)) {
            return done;
        }
        let all = self.members(t);
        if all.is_empty() {
            return t;
        }
        let new: Vec<Id> = all.iter().map(|&a| self.substituted(a, by, memo)).collect();
        let new = self.list(&new);
        memo.insert(t, new);
        new
    }
}

/// The functions that a text defines: parameters and bodies.
#[derive(Default)]
pub(super) struct Definitions {
    functions: FxHashMap<Id, (Vec<Id>, Id)>,
}

impl Definitions {
    /// Defines a function.
    pub(super) fn define(
        &mut self,
        terms: &mut Terms,
        name: Id,
        params: Vec<Id>,
        body: Id,
    ) -> Result<(), Flaw> {
        let body = self.expand(terms, body)?;
        // Arguments could be captured.
        let quantifiers = [terms.atom("forall"), terms.atom("exists")];
        let mut todo = vec![body];
        while let Some(t) = todo.pop() {
            if quantifiers.contains(&t) {
                return Err(Flaw::Names);
            }
            todo.extend(terms.members(t).iter());
        }
        self.functions.insert(name, (params, body));
        Ok(())
    }

    /// A term with `let`, annotations and defined functions expanded, as checkers do.
    pub(super) fn expand(&self, terms: &mut Terms, t: Id) -> Result<Id, Flaw> {
        if terms.is_deep(t) {
            return Err(Flaw::Deep);
        }
        let expanded = self.expanded(terms, t, &mut FxHashMap::default(), &mut Vec::new())?;
        if terms.is_deep(expanded) { Err(Flaw::Deep) } else { Ok(expanded) }
    }

    /// The same where `let` has bound symbols, and quantifiers have.
    fn expanded(
        &self,
        terms: &mut Terms,
        t: Id,
        bound: &mut FxHashMap<Id, Id>,
        quantified: &mut Vec<Id>,
    ) -> Result<Id, Flaw> {
        let all = terms.members(t);
        if all.is_empty() {
            let constant = self.functions.get(&t).filter(|(params, _)| params.is_empty());
            let constant = constant.filter(|_| !quantified.contains(&t));
            return Ok(bound.get(&t).copied().or(constant.map(|c| c.1)).unwrap_or(t));
        }
        match (terms.text(all[0]), &all[1..]) {
            ("let", &[bindings, body]) => {
                let mut new = Vec::new();
                for binding in terms.members(bindings).iter() {
                    let &[name, value] = &*terms.members(*binding) else { return Err(Flaw::Unread) };
                    new.push((name, self.expanded(terms, value, bound, quantified)?));
                }
                let old: Vec<_> =
                    new.iter().map(|&(name, value)| (name, bound.insert(name, value))).collect();
                let body = self.expanded(terms, body, bound, quantified);
                for (name, value) in old {
                    match value {
                        Some(value) => bound.insert(name, value),
                        None => bound.remove(&name),
                    };
                }
                body
            }
            ("!", &[body, ..]) => self.expanded(terms, body, bound, quantified),
            (op @ ("forall" | "exists"), &[variables, body]) => {
                let op = op.to_string();
                let before = quantified.len();
                for v in terms.members(variables).iter() {
                    let &[name, _] = &*terms.members(*v) else { return Err(Flaw::Unread) };
                    // Otherwise what `let` has bound, or the arguments of a defined function, could be captured.
                    if quantified.contains(&name) || bound.contains_key(&name) {
                        return Err(Flaw::Names);
                    }
                    quantified.push(name);
                }
                let body = self.expanded(terms, body, bound, quantified)?;
                quantified.truncate(before);
                Ok(terms.app(&op, &[variables, body]))
            }
            ("_" | "as" | "match" | "lambda", _) => Ok(t),
            _ => {
                let function =
                    self.functions.get(&all[0]).filter(|(params, _)| params.len() == all.len() - 1);
                let mut new = Vec::with_capacity(all.len());
                for (n, &a) in all.iter().enumerate() {
                    let is_symbol = n == 0 && !terms.text(a).is_empty();
                    new.push(if is_symbol { a } else { self.expanded(terms, a, bound, quantified)? });
                }
                match function {
                    Some((params, body)) => {
                        let by = params.iter().copied().zip(new[1..].iter().copied()).collect();
                        Ok(terms.substitute(*body, &by))
                    }
                    None => Ok(terms.list(&new)),
                }
            }
        }
    }
}

/// Writes a number as SMT-LIB does, of sort Real or Int.
pub(super) fn number(terms: &mut Terms, value: &bolide_base::Rational, is_real: bool) -> Id {
    let mut text = String::new();
    let magnitude = value.abs();
    let point = if is_real { ".0" } else { "" };
    let _ = match magnitude.is_integer() {
        true => write!(text, "{magnitude}{point}"),
        false => write!(text, "{}.0", magnitude.numer()),
    };
    let mut term = terms.atom(&text);
    if !magnitude.is_integer() {
        let denominator = terms.atom(&format!("{}.0", magnitude.denom()));
        term = terms.app("/", &[term, denominator]);
    }
    if value.is_negative() { terms.app("-", &[term]) } else { term }
}
