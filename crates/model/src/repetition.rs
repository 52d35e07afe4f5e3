//! Rounds of traces and derivations that are left out because they are known.
//!
//! Evidence of an error after a million rounds lists a few of them and says how many follow: a [`Repetition`]. What a value is in the rounds that are not
//! listed is its [`ClosedForm`] through the last ones that are. **A repetition is a claim**: whoever checks the evidence shows for all rounds at once that
//! they are rounds of the clauses with these values, or executes them.

use bolide_base::{IBig, Rational};
use bolide_term::{UBig, Value};

/// The number of listed rounds that a closed form is read off.
pub const SAMPLES: usize = 4;

/// Rounds that follow the listed ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Repetition {
    /// The last step of the last listed round. Later steps that refer to it mean the last step of the repetition.
    pub last: usize,
    /// The number of steps in a round; there are [`SAMPLES`] rounds with as many steps up to the last one.
    pub period: usize,
    /// The number of rounds that are left out.
    pub times: u64,
}

impl Repetition {
    /// The first step of the listed rounds; nothing if there are too few steps, or none in a round.
    pub fn first(&self) -> Option<usize> {
        let steps = self.period.checked_mul(SAMPLES).filter(|&n| n > 0)?;
        self.last.checked_add(1)?.checked_sub(steps)
    }

    /// What its last step should derive, where the facts of all listed steps are known.
    pub fn fact(&self, facts: &[Vec<Value>]) -> Option<Vec<Value>> {
        self.first()?;
        let listed: Option<Vec<&Vec<Value>>> =
            (0..SAMPLES).rev().map(|k| facts.get(self.last - k * self.period)).collect();
        let listed = listed?;
        let round = (SAMPLES as u64 - 1).checked_add(self.times)?;
        let form = |n: usize| {
            let values: Option<Vec<&Value>> = listed.iter().map(|fact| fact.get(n)).collect();
            ClosedForm::through(&values?)?.at(round)
        };
        (0..listed[0].len()).map(form).collect()
    }
}

/// A polynomial in the number of a round, by its coefficients in the binomial basis (Newton's forward differences).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Polynomial(Vec<Rational>);

impl Polynomial {
    /// The same number in every round.
    pub fn constant(value: Rational) -> Polynomial {
        Polynomial(vec![value])
    }

    /// The polynomial through the numbers in the first rounds, of the least degree.
    pub fn through(mut values: Vec<Rational>) -> Polynomial {
        for n in 1..values.len() {
            for i in (n..values.len()).rev() {
                values[i] = &values[i] - &values[i - 1];
            }
        }
        Polynomial(values).trimmed()
    }

    fn trimmed(mut self) -> Polynomial {
        while self.0.len() > 1 && self.0.last().is_some_and(Rational::is_zero) {
            self.0.pop();
        }
        self
    }

    /// The number in all rounds, if it is the same.
    pub fn as_constant(&self) -> Option<&Rational> {
        match self.0.as_slice() {
            [value] => Some(value),
            _ => None,
        }
    }

    /// The number in a round.
    pub fn at(&self, round: u64) -> Rational {
        let mut value = Rational::ZERO;
        let mut binomial = Rational::ONE;
        for (n, c) in self.0.iter().enumerate() {
            value.add_mul(c, &binomial);
            let left = Rational::from(IBig::from(round)) - Rational::from(n as i64);
            binomial = binomial * left / Rational::from(n as i64 + 1);
        }
        value
    }

    /// The sum with a multiple of another one.
    pub fn plus(&self, other: &Polynomial, factor: &Rational) -> Polynomial {
        let mut sum = self.0.clone();
        sum.resize(self.0.len().max(other.0.len()), Rational::ZERO);
        sum.iter_mut().zip(&other.0).for_each(|(s, c)| s.add_mul(c, factor));
        Polynomial(sum).trimmed()
    }

    /// What it is in the next round.
    pub fn next(&self) -> Polynomial {
        self.plus(&self.difference(), &Rational::ONE)
    }

    /// By how much it changes.
    fn difference(&self) -> Polynomial {
        match &self.0[1..] {
            [] => Polynomial::constant(Rational::ZERO),
            changes => Polynomial(changes.to_vec()),
        }
    }

    /// Remainder and quotient in every round of the division by a number, if all changes are multiples of it.
    pub fn divided(&self, divisor: &Rational) -> Option<(Polynomial, Polynomial)> {
        let (rest, quotient) = (self.0[0].rem_euclid(divisor)?, self.0[0].div_euclid(divisor)?);
        let mut quotients = vec![quotient];
        for c in &self.0[1..] {
            quotients.push(c.checked_div(divisor).filter(Rational::is_integer)?);
        }
        Some((Polynomial::constant(rest), Polynomial(quotients)))
    }

    /// The same numbers modulo another one, with coefficients that are not negative: there is one such polynomial.
    pub fn modulo(&self, modulus: &Rational) -> Polynomial {
        let residue = |c: &Rational| c.rem_euclid(modulus).unwrap_or_else(|| c.clone());
        Polynomial(self.0.iter().map(residue).collect()).trimmed()
    }

    /// The same numbers modulo another one, with coefficients next to zero.
    pub fn nearest(&self, modulus: &Rational) -> Polynomial {
        let residue = |c: &Rational| {
            let residue = c.rem_euclid(modulus).unwrap_or_else(|| c.clone());
            if &residue + &residue > *modulus { residue - modulus } else { residue }
        };
        Polynomial(self.0.iter().map(residue).collect())
    }

    /// The least and the greatest number in the rounds from the first to the last one.
    pub fn extremes(&self, first: u64, last: u64) -> (Rational, Rational) {
        let turns = self.turns(first, last);
        let values: Vec<Rational> = turns.iter().map(|&round| self.at(round)).collect();
        let least = values.iter().min().cloned().unwrap_or_default();
        (least, values.into_iter().max().unwrap_or_default())
    }

    /// Rounds between which it goes in one direction. As many calls are nested as the degree says, which is less than [`SAMPLES`] for
    /// what was read off samples.
    fn turns(&self, first: u64, last: u64) -> Vec<u64> {
        let mut turns = vec![first];
        if self.0.len() > 2 && last > first {
            let change = self.difference();
            for piece in change.turns(first, last - 1).windows(2) {
                let (mut low, mut high) = (piece[0], piece[1]);
                let sign = change.at(low).signum();
                if sign == change.at(high).signum() {
                    continue;
                }
                // The last round with the sign of the first one.
                while high - low > 1 {
                    let middle = low + (high - low) / 2;
                    if change.at(middle).signum() == sign { low = middle } else { high = middle }
                }
                turns.extend([low, low + 1, high + 1]);
            }
        }
        turns.push(last);
        turns.retain(|round| (first..=last).contains(round));
        turns.sort_unstable();
        turns.dedup();
        turns
    }
}

/// A value from round to round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClosedForm {
    /// A number.
    Number(Polynomial),
    /// A word of so many bits: a number modulo a power of two.
    Word(u32, Polynomial),
    /// The same value.
    Same(Value),
}

impl ClosedForm {
    /// The closed form through the values of the listed rounds; nothing for values that are no numbers and differ.
    pub fn through(values: &[&Value]) -> Option<ClosedForm> {
        let first = *values.first()?;
        match first {
            Value::Num(_) => {
                let numbers: Option<Vec<Rational>> = values.iter().map(|v| v.as_num().cloned()).collect();
                Some(ClosedForm::Number(Polynomial::through(numbers?)))
            }
            _ if values.iter().all(|v| *v == first) => Some(ClosedForm::Same(first.clone())),
            Value::Bv(width, _) => {
                let number = |v: &&Value| match v {
                    Value::Bv(_, bits) => Some(Rational::from(bits.clone())),
                    _ => None,
                };
                let numbers: Option<Vec<Rational>> = values.iter().map(number).collect();
                Some(ClosedForm::Word(*width, Polynomial::through(numbers?)))
            }
            _ => None,
        }
    }

    /// The value in a round.
    pub fn at(&self, round: u64) -> Option<Value> {
        match self {
            ClosedForm::Number(p) => Some(Value::Num(p.at(round))),
            ClosedForm::Same(value) => Some(value.clone()),
            ClosedForm::Word(width, p) => {
                let residue = p.at(round).rem_euclid(&Rational::pow2(*width))?;
                Some(Value::Bv(*width, UBig::try_from(residue.to_ibig()?).ok()?))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polynomial(values: [i64; 4]) -> Polynomial {
        Polynomial::through(values.map(Rational::from).to_vec())
    }

    #[test]
    fn extremes_are_those_of_all_rounds() {
        for values in [[0, 1, 2, 3], [5, 2, 1, 2], [0, 7, 6, -3], [-4, 9, 5, 30], [8, 0, 0, 1], [1, 1, 1, 1]]
        {
            let p = polynomial(values);
            for (first, last) in [(0, 0), (0, 40), (3, 9), (7, 8)] {
                let all: Vec<Rational> = (first..=last).map(|round| p.at(round)).collect();
                let expected = (all.iter().min().cloned().unwrap(), all.iter().max().cloned().unwrap());
                assert_eq!(p.extremes(first, last), expected, "{values:?} {first} {last}");
            }
        }
    }

    #[test]
    fn words_go_on_behind_the_wrap() {
        let word = |n: u8| Value::Bv(8, UBig::from(n));
        let values = [word(250), word(253), word(0), word(3)];
        let form = ClosedForm::through(&values.each_ref()).unwrap();
        // The differences through a wrap are those of a polynomial modulo 256.
        for (round, value) in (0..200u64).map(|r| (r, (250 + 3 * r) % 256)) {
            assert_eq!(form.at(round), Some(Value::Bv(8, UBig::from(value))), "{round}");
        }
    }
}
