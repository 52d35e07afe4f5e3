//! Accesses of memory: which bytes they can touch, and which of them can overlap.

use crate::c::types::IntType;
use std::collections::BTreeMap;

/// The bytes that an access can touch: `size` bytes at `offset + n * stride` between `low` and `high`. A stride of
/// zero is a single offset.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(in crate::c) struct Access {
    pub offset: i64,
    pub size: u32,
    pub stride: i64,
    pub low: i64,
    pub high: i64,
}

impl Access {
    pub(super) fn single(offset: i64, size: u32) -> Access {
        Access { offset, size, stride: 0, low: offset, high: offset + i64::from(size) }
    }

    pub(super) fn shifted(self, by: i64) -> Access {
        Access { offset: self.offset + by, low: self.low + by, high: self.high + by, ..self }
    }

    /// The access in a node that is folded modulo a stride.
    pub(super) fn folded(self, stride: i64) -> Access {
        if stride == 0 {
            return self;
        }
        let stride = gcd(self.stride, stride);
        let offset = self.offset.rem_euclid(stride);
        Access { offset, size: self.size, stride, low: 0, high: stride }
    }

    /// Can the two touch the same byte?
    fn overlaps(&self, other: &Access, folded: bool) -> bool {
        if !folded && (self.high <= other.low || other.high <= self.low) {
            return false;
        }
        let g = gcd(self.stride, other.stride);
        let (a, b) = (i64::from(self.size), i64::from(other.size));
        if g == 0 {
            return self.offset < other.offset + b && other.offset < self.offset + a;
        }
        let ahead = (other.offset - self.offset).rem_euclid(g);
        ahead < a || g - ahead < b
    }
}

pub(super) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The accesses grouped by overlap.
pub(super) fn groups(accesses: &[(Access, IntType)], folded: bool) -> Vec<Vec<(Access, IntType)>> {
    let mut group: Vec<usize> = (0..accesses.len()).collect();
    fn root(group: &mut [usize], mut i: usize) -> usize {
        while group[i] != i {
            group[i] = group[group[i]];
            i = group[i];
        }
        i
    }
    for i in 0..accesses.len() {
        for j in i + 1..accesses.len() {
            if accesses[i].0.overlaps(&accesses[j].0, folded) {
                let (a, b) = (root(&mut group, i), root(&mut group, j));
                group[b] = a;
            }
        }
    }
    let mut out: BTreeMap<usize, Vec<(Access, IntType)>> = BTreeMap::new();
    for (i, &a) in accesses.iter().enumerate() {
        out.entry(root(&mut group, i)).or_default().push(a);
    }
    out.into_values().collect()
}

/// The scalar of each cell, if all accesses agree on size and alignment.
pub(super) fn uniform(group: &[(Access, IntType)]) -> Option<IntType> {
    let (first, mut ty) = group[0];
    let size = i64::from(first.size);
    for (a, t) in group {
        let aligned = (a.offset - first.offset) % size == 0 && a.stride % size == 0;
        if a.size != first.size || !aligned {
            return None;
        }
        if *t != ty {
            ty = IntType { bits: ty.bits.max(t.bits), signed: ty.signed || t.signed, rank: 9 };
        }
    }
    Some(ty)
}
