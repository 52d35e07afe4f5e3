//! Verdicts about tasks, which cannot be made without evidence that was checked.

use crate::cache::Accepted;
use crate::program::{Boxed, Ended, Executed, Run, Shaped};
use bolide_engine::{Checked, Reason, Replayed};

/// A verdict as a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerdictKind {
    /// No execution violates the property.
    Safe,
    /// Some execution does.
    Unsafe,
    /// Neither was shown, and why.
    Unknown(Reason),
}

/// A verdict. `safe` and `unsafe` can only be made from evidence that has been checked or replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict(VerdictKind);

mod sealed {
    /// Only this crate says what is evidence.
    pub trait Sealed {}
}

/// Evidence for `safe` that was checked.
pub trait ShowsSafe: sealed::Sealed {}

/// Evidence for `unsafe` that was replayed.
pub trait ShowsUnsafe: sealed::Sealed {}

impl<P> sealed::Sealed for Checked<P> {}
impl<P> ShowsSafe for Checked<P> {}
impl sealed::Sealed for Executed {}
impl ShowsSafe for Executed {}
impl sealed::Sealed for Boxed {}
impl ShowsSafe for Boxed {}
impl sealed::Sealed for Ended {}
impl ShowsSafe for Ended {}
impl sealed::Sealed for Shaped {}
impl ShowsSafe for Shaped {}
impl<T> sealed::Sealed for Replayed<T> {}
impl<T> ShowsUnsafe for Replayed<T> {}
impl sealed::Sealed for Run {}
impl ShowsUnsafe for Run {}
impl sealed::Sealed for Accepted {}

impl Verdict {
    /// Safe, as a checked proof shows.
    pub fn safe(_evidence: &impl ShowsSafe) -> Verdict {
        Verdict(VerdictKind::Safe)
    }

    /// Unsafe, as a replayed trace shows.
    pub fn r#unsafe(_evidence: &impl ShowsUnsafe) -> Verdict {
        Verdict(VerdictKind::Unsafe)
    }

    /// What a certificate shows that the checker has accepted.
    pub fn certified(evidence: &Accepted) -> Verdict {
        match evidence.certificate().verdict {
            bolide_cert::Verdict::Safe => Verdict(VerdictKind::Safe),
            bolide_cert::Verdict::Unsafe => Verdict(VerdictKind::Unsafe),
        }
    }

    /// Neither, and why.
    pub fn unknown(reason: impl Into<Reason>) -> Verdict {
        Verdict(VerdictKind::Unknown(reason.into()))
    }

    /// The verdict about all of some properties: unsafe if one of them is, safe if all are.
    pub(crate) fn all<'a>(verdicts: impl IntoIterator<Item = &'a Verdict>) -> Verdict {
        let mut all = Verdict(VerdictKind::Safe);
        for verdict in verdicts {
            match (&all.0, &verdict.0) {
                (_, VerdictKind::Unsafe) => return verdict.clone(),
                (VerdictKind::Safe, VerdictKind::Unknown(_)) => all = verdict.clone(),
                _ => {}
            }
        }
        all
    }

    /// The verdict as a label.
    pub fn kind(&self) -> &VerdictKind {
        &self.0
    }

    /// Is it `safe`?
    pub fn is_safe(&self) -> bool {
        self.0 == VerdictKind::Safe
    }

    /// Is it `unsafe`?
    pub fn is_unsafe(&self) -> bool {
        self.0 == VerdictKind::Unsafe
    }

    /// Is it one of the two?
    pub fn is_known(&self) -> bool {
        !matches!(self.0, VerdictKind::Unknown(_))
    }

    /// Why there is none.
    pub fn reason(&self) -> Option<&Reason> {
        match &self.0 {
            VerdictKind::Unknown(reason) => Some(reason),
            _ => None,
        }
    }

    /// The verdict in one word.
    pub fn name(&self) -> &'static str {
        match self.0 {
            VerdictKind::Safe => "safe",
            VerdictKind::Unsafe => "unsafe",
            VerdictKind::Unknown(_) => "unknown",
        }
    }
}
