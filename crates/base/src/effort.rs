//! How much work a thread has done, as a count that is the same in every run.
//!
//! Computations of different kinds take turns (see [`Turns`](crate::Turns)), so their work must be comparable: a look at a budget alone says
//! little, because there may be microseconds or seconds between two of them. The places where most of the work is done report it here,
//! in units of roughly a tenth of a microsecond: a term that is made, a node that is evaluated, a literal that is propagated, an entry of a
//! tableau that is changed. The count belongs to the thread.

use std::cell::Cell;

/// The units of a look at a budget.
pub(crate) const LOOK: u64 = 5;

thread_local! {
    static SPENT: Cell<u64> = const { Cell::new(0) };
}

/// Reports work.
#[inline]
pub fn spend(units: u64) {
    SPENT.with(|spent| spent.set(spent.get().wrapping_add(units)));
}

/// The work that has been reported since the last time.
#[inline]
pub(crate) fn take() -> u64 {
    SPENT.with(|spent| spent.take())
}
