//! Reading and printing rationals.

use std::fmt;
use std::str::FromStr;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use super::Rational;
use super::Repr::{Big, Small};

/// A text that denotes no rational.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseRationalError;

impl fmt::Display for ParseRationalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected an integer, a decimal or a fraction of integers")
    }
}

impl std::error::Error for ParseRationalError {}

impl Rational {
    /// Reads an integer (`-12`), a decimal (`0.125`) or a fraction (`-3/4`) of any length in base 10.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let magnitude = if let Some((num, den)) = digits.split_once('/') {
            natural(num)?.checked_div(&natural(den)?)?
        } else if let Some((whole, fraction)) = digits.split_once('.') {
            decimal(whole, fraction)?
        } else {
            natural(digits)?
        };
        Some(if negative { -magnitude } else { magnitude })
    }
}

fn natural(digits: &str) -> Option<Rational> {
    if !is_digits(digits) {
        return None;
    }
    match digits.parse::<i64>() {
        Ok(value) => Some(value.into()),
        Err(_) => UBig::from_str(digits).ok().map(Rational::from),
    }
}

fn decimal(whole: &str, fraction: &str) -> Option<Rational> {
    if !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let numerator = IBig::from_str(&format!("{whole}{fraction}")).ok()?;
    let denominator = UBig::from(10u8).pow(fraction.len());
    Some(RBig::from_parts(numerator, denominator).into())
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

impl FromStr for Rational {
    type Err = ParseRationalError;
    fn from_str(text: &str) -> Result<Self, ParseRationalError> {
        Self::parse(text).ok_or(ParseRationalError)
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small(num, den) if den.get() == 1 => write!(f, "{num}"),
            Small(num, den) => write!(f, "{num}/{den}"),
            Big(big) if big.is_int() => write!(f, "{}", big.numerator()),
            Big(big) => write!(f, "{}/{}", big.numerator(), big.denominator()),
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
