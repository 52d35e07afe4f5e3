//! Problems as text with just enough structure to make and to shrink them.

use std::fmt;
use std::rc::Rc;

/// A sort.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Ty {
    /// Truth values.
    Bool,
    /// Integers.
    Int,
    /// Reals.
    Real,
    /// Words of this width.
    Bv(u32),
    /// Floating-point numbers with so many bits of exponent and significand.
    Float(u32, u32),
    /// Rounding modes.
    Mode,
    /// The uninterpreted sort of this number.
    Free(u8),
    /// The datatype of this number.
    Data(u8),
    /// Arrays from the first sort to the second.
    Array(Rc<Ty>, Rc<Ty>),
}

impl Ty {
    /// The array sort from one sort to another.
    pub fn array(index: Ty, element: Ty) -> Ty {
        Ty::Array(Rc::new(index), Rc::new(element))
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Bool => f.write_str("Bool"),
            Ty::Int => f.write_str("Int"),
            Ty::Real => f.write_str("Real"),
            Ty::Bv(w) => write!(f, "(_ BitVec {w})"),
            Ty::Float(e, s) => write!(f, "(_ FloatingPoint {e} {s})"),
            Ty::Mode => f.write_str("RoundingMode"),
            Ty::Free(n) => write!(f, "U{n}"),
            Ty::Data(n) => write!(f, "D{n}"),
            Ty::Array(i, e) => write!(f, "(Array {i} {e})"),
        }
    }
}

/// A term: a head as it is written, its arguments, and its sort. Generated terms are a few levels deep, so walks
/// over them recurse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr(Rc<Node>);

#[derive(PartialEq, Eq, Debug)]
struct Node {
    head: String,
    args: Vec<Expr>,
    ty: Ty,
    size: usize,
}

impl Expr {
    /// A term with arguments; a constant or variable without.
    pub fn new(ty: Ty, head: impl Into<String>, args: Vec<Expr>) -> Expr {
        let size = args.iter().fold(1, |n: usize, a| n.saturating_add(a.size()));
        Expr(Rc::new(Node { head: head.into(), args, ty, size }))
    }

    /// A constant or variable.
    pub fn leaf(ty: Ty, head: impl Into<String>) -> Expr {
        Expr::new(ty, head, Vec::new())
    }

    /// A Boolean term.
    pub fn bool(head: impl Into<String>, args: Vec<Expr>) -> Expr {
        Expr::new(Ty::Bool, head, args)
    }

    /// Its sort.
    pub fn ty(&self) -> &Ty {
        &self.0.ty
    }

    /// What is written first.
    pub fn head(&self) -> &str {
        &self.0.head
    }

    /// Its arguments.
    pub fn args(&self) -> &[Expr] {
        &self.0.args
    }

    /// Number of nodes, as written.
    pub fn size(&self) -> usize {
        self.0.size
    }

    /// The term in which a leaf is replaced wherever it occurs.
    pub fn replace_leaf(&self, name: &str, by: &Expr) -> Expr {
        if self.args().is_empty() {
            return if self.head() == name { by.clone() } else { self.clone() };
        }
        let args = self.args().iter().map(|a| a.replace_leaf(name, by)).collect();
        Expr::new(self.ty().clone(), self.head(), args)
    }

    /// Collects the names of leaves.
    pub fn leaves(&self, out: &mut Vec<Expr>) {
        if self.args().is_empty() && !out.contains(self) {
            out.push(self.clone());
        }
        self.args().iter().for_each(|a| a.leaves(out));
    }

    fn mentions(&self, name: &str) -> bool {
        self.head() == name || self.args().iter().any(|a| a.mentions(name))
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.args().is_empty() {
            return f.write_str(self.head());
        }
        write!(f, "({}", self.head())?;
        self.args().iter().try_for_each(|a| write!(f, " {a}"))?;
        f.write_str(")")
    }
}

/// A constructor of a datatype: its name, and its selectors with their sorts.
pub type Constructor = (String, Vec<(String, Ty)>);

/// A declared symbol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// Its name.
    pub name: String,
    /// The sorts of its arguments.
    pub args: Vec<Ty>,
    /// The sort of its result.
    pub result: Ty,
}

/// What a script does after its declarations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Asserts a formula.
    Assert(Expr),
    /// Opens a scope.
    Push,
    /// Closes one.
    Pop,
    /// Asks whether the assertions and these assumptions hold together.
    Check(Vec<Expr>),
}

/// A script: declarations, named definitions of shared terms, actions, and perhaps a tree of parts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Script {
    /// Number of uninterpreted sorts.
    pub sorts: u8,
    /// The constructors of each datatype.
    pub datatypes: Vec<Vec<Constructor>>,
    /// Symbols.
    pub declarations: Vec<Declaration>,
    /// Names for terms that occur more than once, each over the ones before it.
    pub definitions: Vec<(String, Expr)>,
    /// What happens.
    pub actions: Vec<Action>,
    /// If it is an interpolation problem, the first assertion in the subtree of each assertion.
    pub tree: Option<Vec<usize>>,
}

impl Script {
    /// The asserted formulas, in order.
    pub fn assertions(&self) -> impl Iterator<Item = &Expr> {
        self.actions.iter().filter_map(|a| match a {
            Action::Assert(e) => Some(e),
            _ => None,
        })
    }

    /// Number of nodes of all formulas.
    pub fn size(&self) -> usize {
        let of_action = |a: &Action| match a {
            Action::Assert(e) => e.size(),
            Action::Check(assumptions) => assumptions.iter().map(Expr::size).sum(),
            _ => 0,
        };
        self.actions.iter().map(|a| 1 + of_action(a)).sum::<usize>()
            + self.definitions.iter().map(|(_, e)| e.size()).sum::<usize>()
    }

    fn mentions(&self, name: &str) -> bool {
        self.definitions.iter().any(|(_, e)| e.mentions(name))
            || self.actions.iter().any(|a| match a {
                Action::Assert(e) => e.mentions(name),
                Action::Check(assumptions) => assumptions.iter().any(|e| e.mentions(name)),
                _ => false,
            })
    }

    /// Drops declarations and definitions that nothing mentions.
    pub fn drop_unused(&mut self) {
        for n in (0..self.definitions.len()).rev() {
            let name = self.definitions[n].0.clone();
            if !self.mentions(&name) {
                self.definitions.remove(n);
            }
        }
        let unused: Vec<bool> = self.declarations.iter().map(|d| !self.mentions(&d.name)).collect();
        let mut unused = unused.into_iter();
        self.declarations.retain(|_| !unused.next().unwrap_or(false));
    }

    /// Sorts and symbols, as text.
    pub fn preamble(&self) -> String {
        let mut out = String::new();
        for n in 0..self.sorts {
            out += &format!("(declare-sort U{n} 0)\n");
        }
        if !self.datatypes.is_empty() {
            let names: Vec<String> = (0..self.datatypes.len()).map(|n| format!("(D{n} 0)")).collect();
            let constructor = |(name, fields): &Constructor| {
                let fields: Vec<String> = fields.iter().map(|(s, ty)| format!(" ({s} {ty})")).collect();
                format!("({name}{})", fields.concat())
            };
            let body = |c: &Vec<Constructor>| {
                format!("({})", c.iter().map(constructor).collect::<Vec<String>>().join(" "))
            };
            let bodies: Vec<String> = self.datatypes.iter().map(body).collect();
            out += &format!("(declare-datatypes ({}) ({}))\n", names.join(" "), bodies.join(" "));
        }
        for d in &self.declarations {
            let args: Vec<String> = d.args.iter().map(Ty::to_string).collect();
            out += &format!("(declare-fun {} ({}) {})\n", d.name, args.join(" "), d.result);
        }
        for (name, e) in &self.definitions {
            out += &format!("(define-fun {name} () {} {e})\n", e.ty());
        }
        out
    }

    /// The whole script, with `header` lines first. An interpolation problem names its assertions and asks for
    /// interpolants in the end; a script without checks gets one.
    pub fn text(&self, header: &str) -> String {
        let mut out = String::from(header);
        if self.tree.is_some() {
            out += "(set-option :produce-interpolants true)\n";
        }
        out += &self.preamble();
        let mut assertions = 0;
        let mut checked = false;
        for action in &self.actions {
            match action {
                Action::Assert(e) if self.tree.is_some() => {
                    out += &format!("(assert (! {e} :named A{assertions}))\n");
                    assertions += 1;
                }
                Action::Assert(e) => out += &format!("(assert {e})\n"),
                Action::Push => out += "(push 1)\n",
                Action::Pop => out += "(pop 1)\n",
                Action::Check(assumptions) if assumptions.is_empty() => {
                    checked = true;
                    out += "(check-sat)\n";
                }
                Action::Check(assumptions) => {
                    checked = true;
                    let list: Vec<String> = assumptions.iter().map(Expr::to_string).collect();
                    out += &format!("(check-sat-assuming ({}))\n", list.join(" "));
                }
            }
        }
        if !checked {
            out += "(check-sat)\n";
        }
        if let Some(first) = &self.tree {
            out += &format!("(get-interpolants {})\n", tree_text(first));
        }
        out
    }
}

/// The parts `A0 A1 ...` of a tree in the syntax of `get-interpolants`: the first child of a part stands before it
/// as it is, every other child in parentheses.
fn tree_text(first: &[usize]) -> String {
    let mut done: Vec<String> = Vec::with_capacity(first.len());
    for (i, &start) in first.iter().enumerate() {
        // The children of part i, the last one first.
        let mut children = Vec::new();
        let mut end = i;
        while end > start {
            children.push(end - 1);
            end = first[end - 1];
        }
        let mut text = String::new();
        for (n, &child) in children.iter().rev().enumerate() {
            let of_child = std::mem::take(&mut done[child]);
            text += &if n == 0 { of_child } else { format!("({of_child})") };
            text.push(' ');
        }
        done.push(format!("{text}A{i}"));
    }
    done.pop().unwrap_or_default()
}
