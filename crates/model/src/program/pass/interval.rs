//! Integer intervals with infinite ends.

/// The integers from `low` to `high`; `None` stands for an infinite end. Never empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Interval {
    /// The least element.
    pub low: Option<i128>,
    /// The greatest element.
    pub high: Option<i128>,
}

impl Interval {
    /// All integers.
    pub const ALL: Interval = Interval { low: None, high: None };

    /// A single integer.
    pub fn point(v: i128) -> Interval {
        Interval { low: Some(v), high: Some(v) }
    }

    /// Between two integers.
    pub fn new(low: i128, high: i128) -> Interval {
        Interval { low: Some(low), high: Some(high) }
    }

    /// A range that may be absent.
    pub fn from_range(range: Option<(i128, i128)>) -> Interval {
        range.map_or(Interval::ALL, |(l, h)| Interval::new(l, h))
    }

    /// Does it hold nothing but elements of the other?
    pub fn within(&self, other: &Interval) -> bool {
        other.low.is_none_or(|o| self.low.is_some_and(|l| l >= o))
            && other.high.is_none_or(|o| self.high.is_some_and(|h| h <= o))
    }

    /// The least interval that contains both.
    pub fn join(&self, other: &Interval) -> Interval {
        Interval {
            low: self.low.zip(other.low).map(|(a, b)| a.min(b)),
            high: self.high.zip(other.high).map(|(a, b)| a.max(b)),
        }
    }

    /// The common elements, if there are any.
    pub fn meet(&self, other: &Interval) -> Option<Interval> {
        let low = match (self.low, other.low) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        let high = match (self.high, other.high) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        match (low, high) {
            (Some(l), Some(h)) if l > h => None,
            _ => Some(Interval { low, high }),
        }
    }

    /// All sums.
    pub fn add(&self, other: &Interval) -> Interval {
        Interval {
            low: self.low.zip(other.low).and_then(|(a, b)| a.checked_add(b)),
            high: self.high.zip(other.high).and_then(|(a, b)| a.checked_add(b)),
        }
    }

    /// All multiples by a constant.
    pub fn scale(&self, k: i128) -> Interval {
        let times = |v: Option<i128>| v.and_then(|v| v.checked_mul(k));
        match k {
            0 => Interval::point(0),
            1.. => Interval { low: times(self.low), high: times(self.high) },
            _ => Interval { low: times(self.high), high: times(self.low) },
        }
    }

    /// All products.
    pub fn mul(&self, other: &Interval) -> Interval {
        let ends =
            [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)];
        let products: Option<Vec<i128>> =
            ends.iter().map(|&(a, b)| a.zip(b).and_then(|(a, b)| a.checked_mul(b))).collect();
        match products {
            Some(p) => Interval { low: p.iter().copied().min(), high: p.iter().copied().max() },
            None => Interval::ALL,
        }
    }

    /// All quotients by a positive constant, rounded down.
    pub fn div(&self, k: i128) -> Interval {
        Interval { low: self.low.map(|v| v.div_euclid(k)), high: self.high.map(|v| v.div_euclid(k)) }
    }

    /// The one quotient by a positive constant, rounded down, if all elements have the same.
    pub fn period(&self, k: i128) -> Option<i128> {
        let q = self.div(k);
        if q.low == q.high { q.low } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_agree_with_enumeration() {
        let mut seed = 0x2545_f491_4f6c_dd1d_u64;
        let mut next = |n: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % n) as i128
        };
        for _ in 0..2000 {
            let mut some = || {
                let low = next(21) - 10;
                Interval::new(low, low + next(8))
            };
            let (a, b) = (some(), some());
            let elements = |i: Interval| i.low.unwrap()..=i.high.unwrap();
            let hull = |values: Vec<i128>| {
                values.iter().min().map(|&l| Interval::new(l, values.iter().copied().max().unwrap()))
            };
            let pairs = |f: &dyn Fn(i128, i128) -> i128| {
                hull(
                    elements(a)
                        .flat_map(|x| elements(b).map(move |y| (x, y)))
                        .map(|(x, y)| f(x, y))
                        .collect(),
                )
            };
            assert_eq!(pairs(&|x, y| x + y), Some(a.add(&b)));
            assert_eq!(pairs(&|x, y| x * y), Some(a.mul(&b)));
            assert_eq!(hull(elements(a).chain(elements(b)).collect()), Some(a.join(&b)));
            assert_eq!(hull(elements(a).filter(|x| elements(b).contains(x)).collect()), a.meet(&b));
            let k = next(5) + 1;
            assert_eq!(hull(elements(a).map(|x| x.div_euclid(k)).collect()), Some(a.div(k)));
            assert_eq!(hull(elements(a).map(|x| -x * k).collect()), Some(a.scale(-k)));
        }
    }
}
