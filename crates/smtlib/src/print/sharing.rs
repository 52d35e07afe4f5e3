//! Which subterms a printed term names with `let`, and where.
//!
//! A term is a directed acyclic graph, its text a tree, which may be exponentially larger. Subterms that occur more
//! than once and are not small get a name, so that the text grows with the graph. A subterm in which a bound variable
//! is free is named inside the innermost quantifier that binds one of its variables, any other one at the top.

use bolide_term::{Op, Store, Term};
use rustc_hash::FxHashMap;

/// A term whose text without names has no more nodes than this is printed plainly.
const PLAIN_SIZE: u64 = 120;

/// Subterms with a smaller text than this get no name.
const NAMED_SIZE: u64 = 5;

/// Named subterms, grouped so that every group uses names of earlier groups only.
pub(super) type Groups = Vec<Vec<Term>>;

/// The names of a term.
#[derive(Debug, Default)]
pub(super) struct Sharing {
    names: FxHashMap<Term, usize>,
    /// Named at the top.
    pub(super) top: Groups,
    /// Named inside quantifiers.
    inner: FxHashMap<Term, Groups>,
    /// Starts every name, and no symbol of the term.
    pub(super) prefix: String,
}

impl Sharing {
    /// The number of a named subterm.
    pub(super) fn name(&self, t: Term) -> Option<usize> {
        self.names.get(&t).copied()
    }

    /// The subterms named inside a quantifier.
    pub(super) fn inside(&self, quantifier: Term) -> &[Vec<Term>] {
        self.inner.get(&quantifier).map_or(&[], |groups| groups)
    }

    /// Decides what to name in a term.
    pub(super) fn of(store: &Store, root: Term) -> Sharing {
        let order: Vec<Term> = store.post_order([root]).collect();
        let position: FxHashMap<Term, usize> = order.iter().enumerate().map(|(i, &t)| (t, i)).collect();
        let graph = Graph { store, order, position };
        if graph.tree_size() <= PLAIN_SIZE {
            return Sharing::default();
        }
        graph.name_shared_subterms()
    }
}

/// The subterms of a term, arguments first.
struct Graph<'a> {
    store: &'a Store,
    order: Vec<Term>,
    position: FxHashMap<Term, usize>,
}

impl Graph<'_> {
    fn args(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.store.args(self.order[i]).iter().map(|a| self.position[a])
    }

    fn is_quantifier(&self, i: usize) -> bool {
        matches!(self.store.op(self.order[i]), Op::Forall | Op::Exists)
    }

    /// The number of nodes of the term written out.
    fn tree_size(&self) -> u64 {
        let mut sizes: Vec<u64> = Vec::with_capacity(self.order.len());
        for i in 0..self.order.len() {
            let size = self.args(i).fold(1u64, |sum, a| sum.saturating_add(sizes[a]));
            sizes.push(size);
        }
        sizes.last().copied().unwrap_or(0)
    }

    /// Negations and multiples are never named but the terms in them are, so that they print as `(< a b)` and `(- a b)`.
    fn is_never_named(&self, t: Term) -> bool {
        match self.store.op(t) {
            Op::Not => true,
            Op::Mul => self.store.as_num(self.store.arg(t, 0)).is_some(),
            _ => self.store.args(t).is_empty(),
        }
    }

    /// How often each subterm would be written if all subterms that may have a name had one.
    fn occurrences(&self) -> Vec<u32> {
        let mut count = vec![0u32; self.order.len()];
        if let Some(root) = count.last_mut() {
            *root = 1;
        }
        for i in (0..self.order.len()).rev() {
            let times = if self.is_never_named(self.order[i]) { count[i] } else { 1 };
            for a in self.args(i) {
                count[a] = count[a].saturating_add(times);
            }
        }
        count
    }

    fn name_shared_subterms(&self) -> Sharing {
        let count = self.occurrences();
        let homes = Binders::new(self).homes();
        let mut sharing = Sharing { prefix: self.unused_prefix(), ..Sharing::default() };
        // Per subterm the size of its text, and the number of groups that must come before it.
        let mut size: Vec<u64> = Vec::with_capacity(self.order.len());
        let mut level: Vec<usize> = Vec::with_capacity(self.order.len());
        for (i, &t) in self.order.iter().enumerate() {
            size.push(self.args(i).fold(1, |sum, a| sum + size[a]));
            level.push(self.args(i).map(|a| level[a]).max().unwrap_or(0));
            let is_named = count[i] > 1 && size[i] >= NAMED_SIZE && !self.is_never_named(t);
            let groups = match homes[i] {
                Home::Top if is_named => &mut sharing.top,
                Home::Quantifier(q) if is_named => sharing.inner.entry(self.order[q]).or_default(),
                _ => continue,
            };
            if groups.len() <= level[i] {
                groups.resize_with(level[i] + 1, Vec::new);
            }
            groups[level[i]].push(t);
            sharing.names.insert(t, sharing.names.len() + 1);
            size[i] = 1;
            level[i] += 1;
        }
        for groups in sharing.inner.values_mut() {
            groups.retain(|group| !group.is_empty());
        }
        sharing
    }

    /// Dollar signs, one more than any symbol of the term begins with.
    fn unused_prefix(&self) -> String {
        let dollars = |&t: &Term| match self.store.op(t) {
            Op::Apply(f) => self.store.decl(f).name.bytes().take_while(|&b| b == b'$').count(),
            _ => 0,
        };
        "$".repeat(self.order.iter().map(dollars).max().unwrap_or(0) + 1)
    }
}

/// Where a subterm may be named.
#[derive(Copy, Clone, PartialEq, Debug)]
enum Home {
    Top,
    /// Inside the quantifier at this position.
    Quantifier(usize),
    /// Nowhere.
    None,
}

/// Computes for every subterm the quantifiers whose variables are free in it.
///
/// Of two quantifiers around a subterm the inner one comes first in the order, so a set of them is a list that ascends
/// from the innermost; equal lists are stored once.
struct Binders<'a> {
    graph: &'a Graph<'a>,
    /// The quantifier of each variable.
    binder: FxHashMap<Term, usize>,
    /// Lists as head and tail; list 0 is empty and its entry is not used.
    lists: Vec<(usize, usize)>,
    list_ids: FxHashMap<(usize, usize), usize>,
    unions: FxHashMap<(usize, usize), usize>,
    /// Is every variable bound by one quantifier and used only inside it?
    well_scoped: bool,
}

impl<'a> Binders<'a> {
    fn new(graph: &'a Graph<'a>) -> Binders<'a> {
        let mut binders = Binders {
            graph,
            binder: FxHashMap::default(),
            lists: vec![(0, 0)],
            list_ids: FxHashMap::default(),
            unions: FxHashMap::default(),
            well_scoped: true,
        };
        for (i, &t) in graph.order.iter().enumerate() {
            if graph.is_quantifier(i)
                && let Some((_, variables)) = graph.store.args(t).split_last()
            {
                for &v in variables {
                    binders.well_scoped &= binders.binder.insert(v, i).is_none();
                }
            }
        }
        binders
    }

    fn cons(&mut self, head: usize, tail: usize) -> usize {
        *self.list_ids.entry((head, tail)).or_insert_with(|| {
            self.lists.push((head, tail));
            self.lists.len() - 1
        })
    }

    fn union(&mut self, a: usize, b: usize) -> usize {
        if a == b || b == 0 {
            return a;
        }
        if a == 0 {
            return b;
        }
        if let Some(&c) = self.unions.get(&(a, b)) {
            return c;
        }
        let (mut x, mut y) = (a, b);
        let mut heads = Vec::new();
        while x != y && x != 0 && y != 0 {
            let (hx, hy) = (self.lists[x].0, self.lists[y].0);
            heads.push(hx.min(hy));
            if hx <= hy {
                x = self.lists[x].1;
            }
            if hy <= hx {
                y = self.lists[y].1;
            }
        }
        let mut c = if x == 0 { y } else { x };
        for head in heads.into_iter().rev() {
            c = self.cons(head, c);
        }
        self.unions.insert((a, b), c);
        c
    }

    fn homes(mut self) -> Vec<Home> {
        if self.binder.is_empty() {
            return vec![Home::Top; self.graph.order.len()];
        }
        let free = self.free_lists();
        let home = |&list: &usize| match list {
            0 => Home::Top,
            list if self.well_scoped => Home::Quantifier(self.lists[list].0),
            _ => Home::None,
        };
        free.iter().map(home).collect()
    }

    /// For every subterm the list of quantifiers whose variables are free in it.
    fn free_lists(&mut self) -> Vec<usize> {
        let graph = self.graph;
        let mut free: Vec<usize> = Vec::with_capacity(graph.order.len());
        for (i, t) in graph.order.iter().enumerate() {
            let list = if let Some(&q) = self.binder.get(t) {
                self.cons(q, 0)
            } else if graph.is_quantifier(i) {
                let body = graph.args(i).last().map_or(0, |body| free[body]);
                self.without(i, body)
            } else {
                graph.args(i).fold(0, |list, a| self.union(list, free[a]))
            };
            free.push(list);
        }
        self.well_scoped &= free.last() == Some(&0);
        free
    }

    /// The list of the body of a quantifier, seen from outside.
    fn without(&mut self, quantifier: usize, list: usize) -> usize {
        if list == 0 {
            return 0;
        }
        let (head, tail) = self.lists[list];
        if head == quantifier {
            return tail;
        }
        // The variables of the quantifier do not occur; a smaller head is a variable outside its quantifier.
        self.well_scoped &= head > quantifier;
        list
    }
}
