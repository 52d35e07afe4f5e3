//! A small deterministic source of random numbers (xorshift, Marsaglia 2003, with a multiplication at the end).

/// A stream of numbers that its seed determines: the same seed gives the same test on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

/// The types of numbers that [`Random::below`] draws; none of them below 0.
pub trait Natural: Copy {
    /// From 64 bits.
    fn of(bits: u64) -> Self;
    /// As 64 bits.
    fn bits(self) -> u64;
}

macro_rules! natural {
    ($($t:ty),*) => {$(
        impl Natural for $t {
            fn of(bits: u64) -> $t {
                bits as $t
            }

            fn bits(self) -> u64 {
                self as u64
            }
        }
    )*};
}
natural!(i32, i64, u32, u64, usize);

impl Random {
    /// The stream of a seed; any seed will do.
    pub fn new(seed: u64) -> Random {
        // Spread seeds that differ in few bits, and avoid the fixed point 0.
        let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Random((z ^ (z >> 31)) | 1)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `n`; 0 if `n` is 0.
    pub fn below<N: Natural>(&mut self, n: N) -> N {
        let bits = match n.bits() {
            0 => return n,
            // The high bits are the better ones.
            n if n >> 31 == 0 => (self.bits() >> 33) % n,
            n => self.bits() % n,
        };
        N::of(bits)
    }

    /// A number in `low..=high`; `low` if there is none.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1).max(1) as u64) as i64
    }

    /// Heads or tails.
    pub fn flip(&mut self) -> bool {
        self.below(2u32) == 1
    }

    /// True once in `n` times.
    pub fn one_in<N: Natural>(&mut self, n: N) -> bool {
        self.below(n).bits() == 0
    }

    /// True in so many cases of a hundred.
    pub fn chance<N: Natural>(&mut self, percent: N) -> bool {
        self.below(100u64) < percent.bits()
    }

    /// One of some things, unless there is none.
    pub fn choose<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }

    /// A copy of one of some things, of which there is at least one.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_stream_and_all_numbers_occur() {
        let draw = |seed| {
            let mut random = Random::new(seed);
            (0..100).map(|_| random.below(7usize)).collect::<Vec<_>>()
        };
        assert_eq!(draw(0), draw(0));
        assert_ne!(draw(0), draw(1));
        assert!((0..7).all(|n| draw(3).contains(&n)));
    }

    #[test]
    fn ranges_include_both_ends() {
        let mut random = Random::new(1);
        let drawn: Vec<i64> = (0..200).map(|_| random.between(-2, 2)).collect();
        assert!((-2..=2).all(|n| drawn.contains(&n)));
        assert!(drawn.iter().all(|n| (-2..=2).contains(n)));
        assert_eq!(random.below(0u64), 0);
        assert_eq!(random.between(5, 5), 5);
    }
}
