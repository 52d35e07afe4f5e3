//! Numbers of things in messages.

use std::fmt::Display;

/// A number of things: `1 step`, `3 steps`.
pub fn counted<N: Display + PartialEq + From<u8>>(n: N, one: &str, many: &str) -> String {
    let noun = if n == N::from(1) { one } else { many };
    format!("{n} {noun}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn singular_and_plural() {
        let steps = |n: usize| counted(n, "step", "steps");
        assert_eq!([steps(0), steps(1), steps(2)], ["0 steps", "1 step", "2 steps"]);
    }
}
