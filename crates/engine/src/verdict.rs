//! Verdicts carry their evidence.

/// The outcome of a verification task: safe with an invariant, unsafe with a trace, or neither with a reason.
///
/// There is no way to say `Safe` or `Unsafe` without the evidence for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<Invariant, Trace> {
    /// No error can be reached, as this invariant shows.
    Safe(Invariant),
    /// An error can be reached, as this trace shows.
    Unsafe(Trace),
    /// Neither was shown; why, in words for the user.
    Unknown(String),
}

impl<I, T> Verdict<I, T> {
    /// Is there an answer?
    pub fn is_known(&self) -> bool {
        !matches!(self, Verdict::Unknown(_))
    }
}
