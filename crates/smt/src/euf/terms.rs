//! The nodes: function symbols, arguments, and who uses whom. Nodes are only ever added.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Func, Node, small};

#[derive(Default)]
pub(super) struct Terms {
    nodes: Vec<Term>,
    /// The arguments of all applications, one after the other.
    args: Vec<Node>,
    /// For each node the applications that have it as a direct argument, each once. The lists belong to nodes
    /// and not to classes: a class that is relabelled visits its members anyway, and nothing is to be undone.
    uses: Vec<SmallVec<[Node; 4]>>,
    apps: FxHashMap<Func, Vec<Node>>,
}

struct Term {
    func: Option<Func>,
    first_arg: u32,
    arity: u32,
}

impl Terms {
    pub(super) fn add(&mut self, func: Option<Func>, args: &[Node]) -> Node {
        let node = Node::from_index(self.nodes.len());
        self.nodes.push(Term { func, first_arg: small(self.args.len()), arity: small(args.len()) });
        self.args.extend_from_slice(args);
        self.uses.push(SmallVec::new());
        for arg in args {
            let uses = &mut self.uses[arg.index()];
            if uses.last() != Some(&node) {
                uses.push(node);
            }
        }
        if let Some(func) = func {
            self.apps.entry(func).or_default().push(node);
        }
        node
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn func(&self, node: Node) -> Option<Func> {
        self.nodes[node.index()].func
    }

    pub(super) fn args(&self, node: Node) -> &[Node] {
        let term = &self.nodes[node.index()];
        let first = term.first_arg as usize;
        &self.args[first..first + term.arity as usize]
    }

    pub(super) fn uses(&self, node: Node) -> &[Node] {
        &self.uses[node.index()]
    }

    pub(super) fn apps_of(&self, func: Func) -> &[Node] {
        self.apps.get(&func).map_or(&[], Vec::as_slice)
    }
}
