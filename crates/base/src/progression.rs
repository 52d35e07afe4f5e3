//! Integers that change from round to round of a loop as a polynomial in the number of the round.
//!
//! A progression is written in the binomial basis, `c0 + c1 * j + c2 * j (j - 1) / 2 + ...`, in which polynomials that are integers for all `j`
//! have integer coefficients, and in which the next round costs additions only (Newton's forward differences). So it can be read off a few
//! values, and it can be taken modulo a power of two, coefficient by coefficient.

/// The greatest degree.
pub const DEGREE: usize = 3;

/// A polynomial in the number of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progression([i128; DEGREE + 1]);

impl Progression {
    /// The same integer in every round.
    pub const fn constant(value: i128) -> Progression {
        Progression([value, 0, 0, 0])
    }

    /// The progression with these values in the first rounds. Differences are taken modulo a power of two, nearest to zero; none if the bits
    /// are 128.
    pub fn through(values: [i128; DEGREE + 1], bits: u32) -> Progression {
        let mut c = values;
        for n in 1..=DEGREE {
            for i in (n..=DEGREE).rev() {
                c[i] = nearest(c[i].wrapping_sub(c[i - 1]), bits);
            }
        }
        Progression(c)
    }

    /// Its value, if that is the same in every round.
    pub fn as_constant(&self) -> Option<i128> {
        self.0[1..].iter().all(|&c| c == 0).then_some(self.0[0])
    }

    /// The value in the first round.
    pub fn first(&self) -> i128 {
        self.0[0]
    }

    /// The value in a round modulo 2^128, if the binomial coefficients can be computed.
    pub fn at(&self, round: u64) -> Option<i128> {
        let mut value = self.0[0];
        for (n, &c) in self.0.iter().enumerate().skip(1).filter(|(_, c)| **c != 0) {
            value = value.wrapping_add(c.wrapping_mul(binomial(round, n)?));
        }
        Some(value)
    }

    /// The value in a round, if it can be computed.
    pub fn exactly_at(&self, round: u64) -> Option<i128> {
        let mut value = self.0[0];
        for (n, &c) in self.0.iter().enumerate().skip(1).filter(|(_, c)| **c != 0) {
            value = value.checked_add(c.checked_mul(binomial(round, n)?)?)?;
        }
        Some(value)
    }

    /// What it is one round later, modulo 2^128.
    pub fn next(&self) -> Progression {
        let mut c = self.0;
        (0..DEGREE).for_each(|n| c[n] = c[n].wrapping_add(self.0[n + 1]));
        Progression(c)
    }

    /// What it is one round later, if that can be computed.
    pub fn checked_next(&self) -> Option<Progression> {
        let mut c = self.0;
        for (c, change) in c.iter_mut().zip(&self.0[1..]) {
            *c = c.checked_add(*change)?;
        }
        Some(Progression(c))
    }

    /// By how much it changes in a round.
    fn difference(&self) -> Progression {
        let mut c = [0; DEGREE + 1];
        c[..DEGREE].copy_from_slice(&self.0[1..]);
        Progression(c)
    }

    /// The sum, modulo 2^128.
    pub fn add(&self, other: &Progression) -> Progression {
        Progression(std::array::from_fn(|n| self.0[n].wrapping_add(other.0[n])))
    }

    /// The difference, modulo 2^128.
    pub fn sub(&self, other: &Progression) -> Progression {
        Progression(std::array::from_fn(|n| self.0[n].wrapping_sub(other.0[n])))
    }

    /// The difference, if it can be computed.
    pub fn checked_sub(&self, other: &Progression) -> Option<Progression> {
        let mut c = self.0;
        for (c, o) in c.iter_mut().zip(&other.0) {
            *c = c.checked_sub(*o)?;
        }
        Some(Progression(c))
    }

    /// The sum, if it can be computed.
    pub fn checked_add(&self, other: &Progression) -> Option<Progression> {
        let mut c = self.0;
        for (c, o) in c.iter_mut().zip(&other.0) {
            *c = c.checked_add(*o)?;
        }
        Some(Progression(c))
    }

    /// The multiple, if it can be computed.
    pub fn checked_scale(&self, factor: i128) -> Option<Progression> {
        let mut c = self.0;
        for c in &mut c {
            *c = c.checked_mul(factor)?;
        }
        Some(Progression(c))
    }

    /// The product, modulo 2^128; `None` if its degree is too great.
    pub fn mul(&self, other: &Progression) -> Option<Progression> {
        if self.degree() + other.degree() > DEGREE {
            return None;
        }
        let at = |p: &Progression, j: usize| p.at(j as u64).unwrap_or(0);
        Some(Progression::through(std::array::from_fn(|j| at(self, j).wrapping_mul(at(other, j))), 128))
    }

    /// The product, if it can be computed.
    pub fn checked_mul(&self, other: &Progression) -> Option<Progression> {
        // Values in the first rounds and their differences stay within 128 bits then.
        let is_small = |p: &Progression| p.0.iter().all(|c| c.unsigned_abs() < 1 << 58);
        match (self.as_constant(), other.as_constant()) {
            (Some(factor), _) => other.checked_scale(factor),
            (_, Some(factor)) => self.checked_scale(factor),
            _ if is_small(self) && is_small(other) => self.mul(other),
            _ => None,
        }
    }

    fn degree(&self) -> usize {
        self.0.iter().rposition(|&c| c != 0).unwrap_or(0)
    }

    /// Another progression that is the same modulo a power of two, with coefficients nearest to zero and a first value of one's choice.
    pub fn modulo(&self, bits: u32, first: impl Fn(i128) -> i128) -> Progression {
        let mut c = self.0.map(|c| nearest(c, bits));
        c[0] = first(self.0[0]);
        Progression(c)
    }

    /// Are two progressions the same modulo a power of two?
    pub fn is_congruent(&self, other: &Progression, bits: u32) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| nearest(a.wrapping_sub(*b), bits) == 0)
    }

    /// Quotient and remainder by a positive number, with a remainder that is not negative, if that is the same in every round.
    pub fn div_rem(&self, divisor: i128) -> Option<(Progression, i128)> {
        if divisor <= 0 || self.0[1..].iter().any(|c| c % divisor != 0) {
            return None;
        }
        let mut c = self.0.map(|c| c / divisor);
        c[0] = self.0[0].div_euclid(divisor);
        Some((Progression(c), self.0[0].rem_euclid(divisor)))
    }

    /// For how many rounds, at most so many, the answer to "is it at most zero?" stays what it is in the first one.
    pub fn keeps_sign(&self, limit: u64) -> u64 {
        if self.as_constant().is_some() || limit <= 1 {
            return limit;
        }
        // As long as the differences keep their sign, the values only fall or only rise.
        let monotone = self.difference().keeps_sign(limit).saturating_add(1).min(limit);
        let answer = self.0[0] <= 0;
        let same = |round: u64| self.exactly_at(round).is_some_and(|v| (v <= 0) == answer);
        // It is the same before `low`, and not known to be at `high`.
        let (mut low, mut high) = (1, monotone);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if same(middle - 1) { low = middle } else { high = middle - 1 }
        }
        low
    }
}

/// The number that is nearest to zero among those that are the same modulo a power of two.
fn nearest(value: i128, bits: u32) -> i128 {
    if bits >= 128 {
        return value;
    }
    value << (128 - bits) >> (128 - bits)
}

/// A binomial coefficient, if it fits.
fn binomial(n: u64, k: usize) -> Option<i128> {
    let n = i128::from(n);
    Some(match k {
        0 => 1,
        1 => n,
        2 => n * (n - 1) / 2,
        _ => (n * (n - 1) / 2).checked_mul(n - 2)? / 3,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Squares and cubes have the values that they have.
    #[test]
    fn progressions_have_their_values() {
        let cubes = Progression::through([0, 1, 8, 27], 128);
        let squares = Progression::through([0, 1, 4, 9], 128);
        let count = Progression::through([0, 1, 2, 3], 128);
        assert_eq!(cubes.at(1000), Some(1_000_000_000));
        assert_eq!(squares.mul(&count), Some(cubes));
        assert_eq!(squares.mul(&squares), None);
        assert_eq!(squares.next().at(6), Some(49));
        assert_eq!(cubes.sub(&squares).at(5), Some(100));
    }

    /// A counter that goes down in words goes down by one.
    #[test]
    fn differences_are_those_of_words() {
        let down = Progression::through([1, 0, 0xff, 0xfe], 8);
        assert_eq!(down, Progression([1, -1, 0, 0]));
        assert!(down.is_congruent(&Progression([257, 255, 0, 256]), 8));
    }

    /// Signs are kept as long as they are: compared with a walk, for all small polynomials.
    #[test]
    fn signs_are_kept_as_long_as_they_are() {
        for n in 0..4096 {
            let c: [i128; DEGREE + 1] = std::array::from_fn(|i| ((n >> (3 * i)) % 8) - 4);
            let p = Progression([10 * c[0], c[1], c[2], c[3]]);
            let answer = p.at(0) <= Some(0);
            let walked = (0..60).find(|&j| (p.at(j) <= Some(0)) != answer).unwrap_or(60);
            let kept = p.keeps_sign(60);
            assert!(kept <= walked && kept >= 1, "{p:?}: {kept} of {walked}");
            if p.degree() <= 1 {
                assert_eq!(kept, walked, "{p:?}");
            }
        }
        let far = Progression([-(1 << 40), 1, 0, 0]);
        assert_eq!(far.keeps_sign(1 << 62), (1 << 40) + 1);
    }

    /// Quotients and remainders that do not depend on the round.
    #[test]
    fn remainders_may_be_constant() {
        let p = Progression([-7, 4, 0, 0]);
        assert_eq!(p.div_rem(2), Some((Progression([-4, 2, 0, 0]), 1)));
        assert_eq!(p.div_rem(3), None);
    }
}
