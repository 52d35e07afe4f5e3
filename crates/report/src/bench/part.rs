//! Parts of a list of tasks, for runs on several machines.

use std::str::FromStr;

/// One of several parts of a list, such as `3/8`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which one, from 1.
    number: usize,
    /// Of how many.
    of: usize,
}

impl FromStr for Part {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Part, &'static str> {
        let parsed = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match parsed {
            Some((number, of)) if 1 <= number && number <= of => Ok(Part { number, of }),
            _ => Err("a part is a number, a slash, and how many parts there are: 3/8"),
        }
    }
}

impl Part {
    /// The entries of the part: every n-th, so that hard and easy sets are spread over all parts.
    pub fn choose<T>(self, entries: Vec<T>) -> Vec<T> {
        entries.into_iter().skip(self.number - 1).step_by(self.of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_a_partition() {
        let mut all: Vec<u32> = Vec::new();
        for number in 1..=3 {
            let part: Part = format!("{number}/3").parse().expect("a part");
            all.extend(part.choose((0..7).collect::<Vec<u32>>()));
        }
        all.sort();
        assert_eq!(all, (0..7).collect::<Vec<_>>());
        for wrong in ["0/3", "4/3", "3", "a/b", "1/0", ""] {
            assert!(wrong.parse::<Part>().is_err(), "{wrong}");
        }
    }
}
