//! A hash table from values to their positions, for interning.
//!
//! The values themselves stay in a vector of the caller; a slot holds a position and 32 bits of its value's hash, side by
//! side, so that looking up a new value touches one cache line here and none of the caller's. Slots are ordered by hash
//! (linear probing from `hash * slots / 2^32`), so growing is one walk over both tables in order and computes no hash.

/// Slots of the smallest table.
const MIN_SLOTS: usize = 16;
/// A slot that holds nothing. No full slot is zero: it holds a position plus one.
const EMPTY: u64 = 0;

/// Positions of values in a vector that the caller keeps, found by the hashes of the values.
///
/// ```
/// use bolide_base::HashIndex;
/// let (values, mut index) = (["zero", "one"], HashIndex::default());
/// let hash = |value: &str| value.len() as u64;
/// for (n, value) in values.iter().enumerate() {
///     index.insert(hash(value), n as u32);
/// }
/// assert_eq!(index.find(hash("one"), |n| values[n as usize] == "one"), Some(1));
/// assert_eq!(index.find(hash("two"), |n| values[n as usize] == "two"), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct HashIndex {
    slots: Vec<u64>,
    len: usize,
}

impl HashIndex {
    /// The position of a value with this hash, if `is_it` recognises one.
    #[inline]
    pub fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        let tag = tag(hash);
        let mut at = self.home(tag);
        loop {
            match self.slots.get(at) {
                None if self.slots.is_empty() => return None,
                None => at = 0,
                Some(&EMPTY) => return None,
                Some(&slot) => {
                    if tag_of(slot) == tag && is_it(position_of(slot)) {
                        return Some(position_of(slot));
                    }
                    at += 1;
                }
            }
        }
    }

    /// Adds the position of a value that [`find`](Self::find) does not find.
    ///
    /// # Panics
    /// If the position is `u32::MAX`.
    #[inline]
    pub fn insert(&mut self, hash: u64, position: u32) {
        assert!(position < u32::MAX, "the last position is taken");
        // At most three quarters of the slots are full.
        if self.len * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        self.len += 1;
        self.place(u64::from(tag(hash)) << 32 | u64::from(position + 1));
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Is there no position?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.slots.capacity() * size_of::<u64>()
    }

    /// Where probing for a tag starts; the larger the tag, the later.
    #[inline]
    fn home(&self, tag: u32) -> usize {
        ((u64::from(tag) * self.slots.len() as u64) >> 32) as usize
    }

    /// Fills the first free slot for its tag; there is one.
    #[inline]
    fn place(&mut self, slot: u64) {
        let mut at = self.home(tag_of(slot));
        loop {
            match self.slots.get_mut(at) {
                None => at = 0,
                Some(free) if *free == EMPTY => {
                    *free = slot;
                    return;
                }
                Some(_) => at += 1,
            }
        }
    }

    #[cold]
    fn grow(&mut self) {
        let slots = (self.slots.len() + self.slots.len() / 2).max(MIN_SLOTS);
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; slots]);
        for slot in old {
            if slot != EMPTY {
                self.place(slot);
            }
        }
    }
}

/// The bits of a hash that are kept. Multiplying lets every bit of the hash reach the upper half.
#[inline]
fn tag(hash: u64) -> u32 {
    let mixed = (hash ^ (hash >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 32) as u32
}

#[inline]
fn tag_of(slot: u64) -> u32 {
    (slot >> 32) as u32
}

#[inline]
fn position_of(slot: u64) -> u32 {
    (slot as u32).wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Interns numbers with a hash and checks every lookup against a search.
    fn intern(numbers: &[u64], hash: impl Fn(u64) -> u64) {
        let (mut values, mut index) = (Vec::new(), HashIndex::default());
        for &n in numbers {
            let found = index.find(hash(n), |p| values[p as usize] == n);
            assert_eq!(found, values.iter().position(|&v| v == n).map(|p| p as u32));
            if found.is_none() {
                index.insert(hash(n), values.len() as u32);
                values.push(n);
            }
        }
        assert_eq!(index.len(), values.len());
        for (p, &n) in values.iter().enumerate() {
            assert_eq!(index.find(hash(n), |p| values[p as usize] == n), Some(p as u32));
        }
    }

    fn numbers(count: usize, below: u64) -> Vec<u64> {
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        let next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    #[test]
    fn finds_what_was_inserted() {
        intern(&[], |n| n);
        for below in [1, 3, 100, 1_000_000] {
            intern(&numbers(3000, below), |n| n);
            intern(&numbers(3000, below), |n| n << 32);
        }
    }

    #[test]
    fn survives_bad_hashes() {
        intern(&numbers(500, 1000), |_| 0);
        intern(&numbers(500, 1000), |_| u64::MAX);
        intern(&numbers(500, 1000), |n| n % 3);
        // Tags near the end wrap around.
        intern(&numbers(500, 1000), |n| if n % 2 == 0 { u64::MAX } else { n });
    }

    #[test]
    fn keeps_its_slots_busy() {
        let mut index = HashIndex::default();
        assert!(index.is_empty());
        for n in 0..100_000 {
            index.insert(u64::from(n), n);
        }
        assert!(index.memory() <= 16 * index.len(), "{} bytes", index.memory());
    }
}
