//! Pictures of unwindings, for reports: the tree with its labels and covers, as in Figure 2 of McMillan's *Lazy Abstraction
//! with Interpolants* (CAV 2006).

use super::art::{Unwinding, Vertex};
use bolide_model::{EdgeId, LocId};
use bolide_term::{Store, Term};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A vertex of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureVertex {
    /// Its number in the unwinding, in the order in which vertices were made.
    pub number: usize,
    /// Its location.
    pub location: LocId,
    /// The vertex it was made from, as a position in the picture, and the edge; none for the root.
    pub parent: Option<(usize, EdgeId)>,
    /// The conjuncts of its label; none for `true`.
    pub label: Vec<Term>,
    /// Does the label say that it cannot be reached?
    pub unreachable: bool,
    /// The number of the vertex that covers it, which need not be in the picture.
    pub covered_by: Option<usize>,
    /// How many of its children are not in the picture.
    pub hidden: usize,
}

/// The part of an unwinding that is nearest to its root: every vertex comes after its parent.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Picture {
    /// The vertices that are shown.
    pub vertices: Vec<PictureVertex>,
    /// How many vertices the unwinding has.
    pub total: usize,
}

/// Draws at most so many vertices.
pub(super) fn draw(store: &Store, tree: &Unwinding, limit: usize) -> Picture {
    let mut picture = Picture { vertices: Vec::new(), total: tree.len() };
    let mut place: FxHashMap<Vertex, usize> = FxHashMap::default();
    let mut queue = VecDeque::from([tree.root()]);
    let mut chosen = 1;
    while let Some(v) = queue.pop_front() {
        let node = tree.node(v);
        let shown = node.children.len().min(limit.saturating_sub(chosen));
        queue.extend(&node.children[..shown]);
        chosen += shown;
        place.insert(v, picture.vertices.len());
        picture.vertices.push(PictureVertex {
            number: v.index(),
            location: node.location,
            parent: node.parent.map(|(p, edge)| (place[&p], edge)),
            label: node.label.clone(),
            unreachable: tree.is_unreachable(store, v),
            covered_by: node.covered_by.map(Vertex::index),
            hidden: node.children.len() - shown,
        });
    }
    picture
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_the_part_near_the_root() {
        let store = Store::new();
        let no = store.fls();
        let (l, e) = (LocId::new(0), EdgeId::new(0));
        let mut tree = Unwinding::new(1, l);
        let a = tree.add_child(tree.root(), e, l, &[]);
        let b = tree.add_child(tree.root(), e, l, &[no]);
        let c = tree.add_child(a, e, l, &[]);
        tree.cover(c, tree.root());
        let all = draw(&store, &tree, 10);
        assert_eq!(all.total, 4);
        assert_eq!(all.vertices.iter().map(|v| v.number).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(all.vertices[3].parent, Some((1, e)));
        assert_eq!(all.vertices[3].covered_by, Some(0));
        assert!(all.vertices[b.index()].unreachable && !all.vertices[a.index()].unreachable);
        let some = draw(&store, &tree, 2);
        assert_eq!(some.vertices.len(), 2);
        assert_eq!((some.vertices[0].hidden, some.vertices[1].hidden), (1, 1));
        assert_eq!(some.total, 4);
    }
}
