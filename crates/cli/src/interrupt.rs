//! Ctrl-C: the first one asks everything to stop and to say what is known, the second one ends the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The exit code of a process that was interrupted twice.
const KILLED: i32 = 130;

static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The flag that Ctrl-C raises.
pub fn flag() -> Arc<AtomicBool> {
    FLAG.get_or_init(Arc::default).clone()
}

/// Was there a Ctrl-C?
pub fn is_raised() -> bool {
    FLAG.get().is_some_and(|flag| flag.load(Ordering::Relaxed))
}

/// Listens to Ctrl-C from now on.
pub fn listen() {
    let flag = flag();
    let handler = move || {
        crate::subprocess::end();
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(KILLED);
        }
    };
    // Where signals cannot be caught, Ctrl-C ends the process as it always did.
    let _ = ctrlc::set_handler(handler);
}
