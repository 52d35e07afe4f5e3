//! How long random tests go on.

/// The variable that asks for long tests.
const VARIABLE: &str = "BOLIDE_TESTS";

/// Are long tests asked for, by `BOLIDE_TESTS=long`?
pub fn is_long() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| value == "long")
}

/// So many rounds if long tests are asked for, and a fifth of them otherwise. What a test expects of its rounds is scaled in the same way.
pub fn rounds(long: usize) -> usize {
    if is_long() { long } else { long.div_ceil(5) }
}
