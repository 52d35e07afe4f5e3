//! Typed indices: `u32` newtypes made by [`index_type!`](crate::index_type) and vectors indexed by them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A dense index, usually made by [`index_type!`](crate::index_type).
pub trait Id: Copy + Eq + Ord + fmt::Debug {
    /// The index with the given position.
    fn from_index(index: usize) -> Self;
    /// The position of this index.
    fn index(self) -> usize;
}

/// Declares a `u32` newtype that serves as a dense index: `index_type! { /// A node. pub struct NodeId("n"); }`.
/// The string is the prefix under which the index is printed, as in `n42`.
#[macro_export]
macro_rules! index_type {
    ($(#[$meta:meta])* $vis:vis struct $name:ident($prefix:literal);) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name(u32);

        impl $name {
            /// The index with the given position, which must fit in 32 bits.
            #[allow(dead_code)]
            #[inline]
            $vis const fn new(index: usize) -> Self {
                assert!(index <= u32::MAX as usize, "index space exhausted");
                Self(index as u32)
            }

            /// The position of this index.
            #[allow(dead_code)]
            #[inline]
            $vis const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl $crate::Id for $name {
            #[inline]
            fn from_index(index: usize) -> Self {
                Self::new(index)
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

/// A vector indexed by `I` alone, so that indices of different kinds cannot be mixed up.
pub struct IdVec<I, T> {
    items: Vec<T>,
    ids: PhantomData<fn(I) -> I>,
}

impl<I: Id, T> IdVec<I, T> {
    /// An empty vector.
    pub const fn new() -> Self {
        Self { items: Vec::new(), ids: PhantomData }
    }

    /// Appends an item and returns its index.
    pub fn push(&mut self, item: T) -> I {
        let id = I::from_index(self.items.len());
        self.items.push(item);
        id
    }

    /// The index that the next [`push`](Self::push) will return.
    pub fn next_id(&self) -> I {
        I::from_index(self.items.len())
    }

    /// Removes the last item.
    pub fn pop(&mut self) -> Option<T> {
        self.items.pop()
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item at `id`, if there is one.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// The items in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// The items in order, mutably.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// The indices in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// The items in order, each with its index.
    pub fn iter_enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(i, item)| (I::from_index(i), item))
    }

    /// Keeps the first `len` items.
    pub fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }

    /// Lengthens the vector with clones of `item` until `id` is a valid index.
    pub fn grow_to(&mut self, id: I, item: T)
    where
        T: Clone,
    {
        if self.items.len() <= id.index() {
            self.items.resize(id.index() + 1, item);
        }
    }
}

impl<I, T: Clone> Clone for IdVec<I, T> {
    fn clone(&self) -> Self {
        Self { items: self.items.clone(), ids: PhantomData }
    }
}

impl<I: Id, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}

impl<I: Id, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(iter: It) -> Self {
        Self { items: iter.into_iter().collect(), ids: PhantomData }
    }
}

impl<'a, I: Id, T> IntoIterator for &'a IdVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::index_type! {
        /// A test index.
        struct NodeId("n");
    }

    #[test]
    fn typed_vector_round_trip() {
        let mut v: IdVec<NodeId, &str> = IdVec::new();
        let a = v.push("a");
        let b = v.push("b");
        assert_eq!((v[a], v[b]), ("a", "b"));
        assert_eq!(format!("{a} {b:?}"), "n0 n1");
        assert_eq!(v.ids().collect::<Vec<_>>(), [a, b]);
        v.grow_to(NodeId::new(4), "z");
        assert_eq!((v.len(), v.next_id().index(), v.get(NodeId::new(9))), (5, 5, None));
        assert_eq!(std::mem::size_of::<NodeId>(), 4);
    }
}
