//! Reads through lines of writes.
//!
//! A program that sets up its memory writes hundreds of constant indices one after the other. A read of the result at
//! an unknown index would take an axiom for each of them, and so would every index on its way up. But where all
//! indices written are constants, the value that the index has now lies in a gap between two of them, and while it
//! stays there the read *leaps* over the line of writes in a single step.
//!
//! Also, indices need not go up everywhere. What an array holds must be complete only where it is compared: where a
//! class has two writes, or a member whose value a model has to give. Below a class that is just the result of
//! one write nothing has to be known that is not read.

use super::arrays::Arrays;
use super::sharing::Look;
use super::{Request, Theories, Write};
use crate::euf::Node;
use bolide_base::Rational;
use bolide_term::Term;
use rustc_hash::{FxHashMap, FxHashSet};

/// A read of `top` at an index strictly between two bounds is one of `bottom`: the writes between the arrays are all
/// at constant indices that are not between the bounds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct WriteChain {
    pub top: Term,
    pub bottom: Term,
    pub index: Term,
    /// None: the gap has no lower end.
    pub low: Option<Rational>,
    /// None: the gap has no upper end.
    pub high: Option<Rational>,
}

/// The writes of the current classes, sorted into lines.
pub(super) struct Lines {
    /// By write: does it lie within a line?
    interior: Vec<bool>,
    /// Classes in which an index must be known if it is known below.
    complete: FxHashSet<Node>,
}

/// A write and those below it that are within its line, topmost first.
pub(super) struct Line {
    writes: Vec<Write>,
}

impl Line {
    fn top(&self) -> Write {
        self.writes[0]
    }

    fn bottom(&self) -> Write {
        self.writes[self.writes.len() - 1]
    }
}

impl Lines {
    /// The line below a write.
    pub fn line(&self, arrays: &Arrays, top: usize) -> Line {
        let mut writes = vec![arrays.writes[top]];
        let mut at = top;
        while let Some(&below) = arrays.write_of.get(&arrays.writes[at].array) {
            if !self.interior[below] {
                break;
            }
            writes.push(arrays.writes[below]);
            at = below;
        }
        Line { writes }
    }
}

/// Where a value lies among the constant indices of a line.
enum Among {
    /// It is the index of this write, the topmost one if there are several.
    At(Write),
    /// Strictly between two of them.
    Between(Option<Rational>, Option<Rational>),
}

impl Theories {
    /// Sorts the writes into lines. A write lies within a line if it is the only one that makes its array, nothing
    /// else is known of that array, and it and all writes on top of it have constant indices. With a partition every
    /// write is a line of its own.
    pub(super) fn lines_of_writes(&self) -> Lines {
        let writes = &self.arrays.writes;
        let mut joint: FxHashMap<Node, bool> = FxHashMap::default();
        for w in writes {
            let class = self.euf.find(w.node);
            joint.entry(class).or_insert_with(|| self.is_joint(class));
        }
        let mut interior = vec![false; writes.len()];
        if self.node_parts.is_none() {
            for w in writes {
                if let Some(&below) = self.arrays.write_of.get(&w.array) {
                    interior[below] = !joint[&self.euf.find(w.array)];
                }
            }
            for w in writes {
                let is_constant = self.constant_index(w.index).is_some();
                if !is_constant {
                    interior[self.arrays.write_of[&w.node]] = false;
                }
                for below in self.euf.members(w.array) {
                    if (!is_constant || below != w.array)
                        && let Some(&n) = self.arrays.write_of.get(&below)
                    {
                        interior[n] = false;
                    }
                }
            }
        }
        Lines { interior, complete: self.below_joint(&joint) }
    }

    /// Is a class of arrays more than the result of one write?
    fn is_joint(&self, class: Node) -> bool {
        let mut writes = 0;
        self.euf.members(class).any(|n| {
            let is_write = self.arrays.write_of.contains_key(&n);
            writes += u32::from(is_write);
            let is_made = is_write || self.arrays.choices.contains(&n);
            writes > 1 || !is_made || self.sharing.by_node.contains_key(&n)
        })
    }

    /// The joint classes and those from which writes lead to them.
    fn below_joint(&self, joint: &FxHashMap<Node, bool>) -> FxHashSet<Node> {
        let mut out: FxHashSet<Node> = joint.iter().filter(|(_, is)| **is).map(|(&class, _)| class).collect();
        let mut todo: Vec<Node> = out.iter().copied().collect();
        while let Some(class) = todo.pop() {
            for node in self.euf.members(class) {
                let Some(&write) = self.arrays.write_of.get(&node) else { continue };
                let below = self.euf.find(self.arrays.writes[write].array);
                if out.insert(below) {
                    todo.push(below);
                }
            }
        }
        out
    }

    /// The value of an index that is a numeral.
    fn constant_index(&self, index: Node) -> Option<Rational> {
        self.euf.value(index)?;
        match self.look(index) {
            Look::Number(n) => Some(n),
            _ => None,
        }
    }

    /// Asks for what the reads above and below the line of a write have to do with each other.
    pub(super) fn read_through(
        &mut self,
        write: usize,
        lines: &Lines,
        read_at: &FxHashMap<Node, Vec<(Term, Node)>>,
        requests: &mut Vec<Request>,
    ) {
        let top = self.arrays.writes[write];
        let class = self.euf.find(top.node);
        let is_complete = !lines.interior[write] && lines.complete.contains(&class);
        let read = read_at.get(&class);
        if read.is_none() && !is_complete {
            return;
        }
        let line = lines.line(&self.arrays, write);
        for &(index, node) in read.into_iter().flatten() {
            self.pass(&line, index, node, true, requests);
        }
        if is_complete {
            let before = read_at.get(&self.euf.find(line.bottom().array));
            for &(index, node) in before.into_iter().flatten() {
                self.pass(&line, index, node, false, requests);
            }
            for w in &line.writes {
                self.ask_written(&line, w, requests);
            }
        }
    }

    /// Asks for the read of what a write of a line left at its index. With a partition that read is there from the start.
    fn ask_written(&mut self, line: &Line, w: &Write, requests: &mut Vec<Request>) {
        let top = line.top();
        if self.node_parts.is_none() {
            self.ask_read(top.term, top.node, w.index_term, w.index, requests);
        }
    }

    /// Asks for the axiom by which a read at an index passes a line, or, if it comes from above, stops there.
    fn pass(&mut self, line: &Line, index: Term, node: Node, from_above: bool, requests: &mut Vec<Request>) {
        let top = line.top();
        if self.euf.same(node, top.index) {
            if from_above {
                self.ask_written(line, &top, requests);
            }
            return;
        }
        let value = match self.look(node) {
            Look::Number(n) if line.writes.len() > 1 => n,
            _ => return self.ask_read(top.term, top.node, index, node, requests),
        };
        match self.among(line, &value) {
            Among::At(w) if from_above => self.ask_written(line, &w, requests),
            Among::At(_) => {}
            Among::Between(low, high) => {
                let leap = WriteChain { top: top.term, bottom: line.bottom().array_term, index, low, high };
                if self.arrays.leapt.insert(leap.clone()) {
                    requests.push(Request::WriteChain(leap));
                }
            }
        }
    }

    fn among(&self, line: &Line, value: &Rational) -> Among {
        let (mut low, mut high): (Option<Rational>, Option<Rational>) = (None, None);
        for &w in &line.writes {
            let Some(n) = self.constant_index(w.index) else { continue };
            if n == *value {
                return Among::At(w);
            }
            let end = if n < *value { &mut low } else { &mut high };
            let is_nearer = |e: &Rational| if n < *value { n > *e } else { n < *e };
            if end.as_ref().is_none_or(is_nearer) {
                *end = Some(n);
            }
        }
        Among::Between(low, high)
    }
}
