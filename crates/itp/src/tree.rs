//! The shape of an interpolation problem: a tree of parts.
//!
//! Each part has one parent, which comes later; the last part is the root. A sequence is the tree in which
//! the parent of each part is the next. The interpolant at a part separates its subtree from the rest.

/// A tree of parts, numbered so that a subtree is a range that ends with its root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// First part of the subtree of each part.
    first: Vec<usize>,
}

impl Tree {
    /// The sequence of `n` parts.
    pub fn sequence(n: usize) -> Tree {
        Tree { first: vec![0; n] }
    }

    /// The tree in which the subtree of part `i` consists of the parts `first[i]..=i`.
    ///
    /// Returns `None` if these ranges do not form a tree: they must nest, and the last must be the whole.
    pub fn from_subtrees(first: Vec<usize>) -> Option<Tree> {
        // Roots of the subtrees that are not yet part of a larger one.
        let mut open: Vec<usize> = Vec::new();
        for (i, &f) in first.iter().enumerate() {
            if f > i {
                return None;
            }
            while open.last().is_some_and(|&root| root >= f) {
                let root = open.pop()?;
                if first[root] < f {
                    return None;
                }
            }
            open.push(i);
        }
        (first.last().is_none_or(|&f| f == 0)).then_some(Tree { first })
    }

    /// Number of parts.
    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// Is there no part?
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// Is the parent of each part the next one?
    pub fn is_sequence(&self) -> bool {
        self.first.iter().all(|&f| f == 0)
    }

    /// First and last part of the subtree of a part.
    pub fn subtree(&self, part: usize) -> (usize, usize) {
        (self.first[part], part)
    }

    /// Is a part in the subtree of another?
    pub fn contains(&self, root: usize, part: usize) -> bool {
        self.first[root] <= part && part <= root
    }

    /// The parts whose parent this part is.
    pub fn children(&self, part: usize) -> Vec<usize> {
        let mut out = Vec::new();
        let mut next = part;
        while next > self.first[part] {
            let child = next - 1;
            out.push(child);
            next = self.first[child];
        }
        out.reverse();
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subtrees_nest() {
        let t = Tree::from_subtrees(vec![0, 1, 0, 3, 0]).unwrap();
        assert_eq!(t.children(4), [2, 3]);
        assert_eq!(t.children(2), [0, 1]);
        assert!(Tree::from_subtrees(vec![0, 1, 1]).is_none());
        assert!(Tree::from_subtrees(vec![0, 0, 1, 0]).is_none());
        assert_eq!(Tree::sequence(3).children(2), [1]);
    }
}
