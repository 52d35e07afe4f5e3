//! Verdicts and their evidence.
//!
//! An engine makes a *claim*: safe with an invariant, unsafe with a trace, or neither with a reason. Before a claim leaves this
//! crate its evidence is checked or replayed; what has been is wrapped in [`Checked`] or [`Replayed`], which only the functions
//! that check can make.

use bolide_base::Interrupt;
use std::fmt;
use std::ops::Deref;

/// The outcome of a verification task: safe with an invariant, unsafe with a trace, or neither with a reason.
///
/// There is no way to say `Safe` or `Unsafe` without the evidence for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<Invariant, Trace> {
    /// No error can be reached, as this invariant shows.
    Safe(Invariant),
    /// An error can be reached, as this trace shows.
    Unsafe(Trace),
    /// Neither was shown, and why.
    Unknown(Reason),
}

impl<I, T> Verdict<I, T> {
    /// Is there an answer?
    pub fn is_known(&self) -> bool {
        !matches!(self, Verdict::Unknown(_))
    }

    /// No answer, for a reason that is not in the way of other engines.
    pub fn unknown(reason: impl Into<Reason>) -> Self {
        Verdict::Unknown(reason.into())
    }

    /// The same with other evidence for `safe`.
    pub fn map_safe<J>(self, f: impl FnOnce(I) -> J) -> Verdict<J, T> {
        match self {
            Verdict::Safe(evidence) => Verdict::Safe(f(evidence)),
            Verdict::Unsafe(trace) => Verdict::Unsafe(trace),
            Verdict::Unknown(reason) => Verdict::Unknown(reason),
        }
    }
}

/// A proof that was checked against what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked<P>(P);

impl<P> Checked<P> {
    /// For functions that have just checked the proof.
    pub(crate) fn new(proof: P) -> Checked<P> {
        Checked(proof)
    }

    /// The proof, which may now be changed and is checked no longer.
    pub fn into_inner(self) -> P {
        self.0
    }
}

impl<P> Deref for Checked<P> {
    type Target = P;

    fn deref(&self) -> &P {
        &self.0
    }
}

/// A trace that was executed on what it is about, and ended in an error there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed<T>(T);

impl<T> Replayed<T> {
    /// For functions that have just executed the trace.
    pub(crate) fn new(trace: T) -> Replayed<T> {
        Replayed(trace)
    }

    /// The trace, which may now be changed and counts no longer as replayed.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Replayed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// What kind of reason there is for not knowing. The codes are stable: programs may rely on them.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReasonCode {
    /// The time is over.
    Timeout,
    /// The process needs more memory than it may have.
    Memory,
    /// The limit on steps is reached.
    Steps,
    /// The user, or the caller, stopped the run.
    Interrupted,
    /// The engine cannot go on with this task: a bound is reached, or a theory is incomplete.
    Incomplete,
    /// The engine does not work on tasks of this shape.
    Inapplicable,
    /// Something in the task is not supported.
    Unsupported,
    /// An invariant was found, but it did not pass its check.
    ProofRejected,
    /// A trace was found, but it does not replay on the task.
    TraceRejected,
    /// Another property of the task was decided instead.
    NotDecided,
    /// Something went wrong that should not: a defect of Bolide.
    Internal,
}

impl ReasonCode {
    /// The code as it stands in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            ReasonCode::Timeout => "timeout",
            ReasonCode::Memory => "memory",
            ReasonCode::Steps => "steps",
            ReasonCode::Interrupted => "interrupted",
            ReasonCode::Incomplete => "incomplete",
            ReasonCode::Inapplicable => "inapplicable",
            ReasonCode::Unsupported => "unsupported",
            ReasonCode::ProofRejected => "proof-rejected",
            ReasonCode::TraceRejected => "trace-rejected",
            ReasonCode::NotDecided => "not-decided",
            ReasonCode::Internal => "internal",
        }
    }
}

/// Why there is no verdict: a code for programs, and a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// What kind of reason it is.
    pub code: ReasonCode,
    /// The reason in words.
    pub text: String,
}

impl Reason {
    /// A reason.
    pub fn new(code: ReasonCode, text: impl Into<String>) -> Reason {
        Reason { code, text: text.into() }
    }

    /// The same kind of reason, with more to say about it.
    #[must_use]
    pub fn with_text(self, text: impl Into<String>) -> Reason {
        Reason { text: text.into(), ..self }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<Interrupt> for Reason {
    fn from(interrupt: Interrupt) -> Reason {
        let code = match interrupt {
            Interrupt::Timeout => ReasonCode::Timeout,
            Interrupt::Memory => ReasonCode::Memory,
            Interrupt::Steps => ReasonCode::Steps,
            Interrupt::Cancelled => ReasonCode::Interrupted,
        };
        Reason::new(code, interrupt.to_string())
    }
}

impl From<bolide_smt::Reason> for Reason {
    fn from(reason: bolide_smt::Reason) -> Reason {
        match reason {
            bolide_smt::Reason::Interrupted(interrupt) => interrupt.into(),
            bolide_smt::Reason::ModelRejected => Reason::new(ReasonCode::Internal, reason.to_string()),
            other => Reason::new(ReasonCode::Incomplete, other.to_string()),
        }
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Reason {
        Reason::new(ReasonCode::Incomplete, text)
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Reason {
        Reason::new(ReasonCode::Incomplete, text)
    }
}
