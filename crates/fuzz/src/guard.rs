//! Keeping the fuzzer alive: panics become findings, and a formula that ignores its budget ends the run with a
//! file that shows it.

use bolide_base::Message;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// From now on panics are remembered rather than printed.
pub fn quiet_panics() {
    std::panic::set_hook(Box::new(|info| {
        let message = info.to_string().replace('\n', " ");
        LAST_PANIC.with(|last| *last.borrow_mut() = message);
    }));
}

/// The result of a computation, or where and how it panicked.
pub fn catch<T>(f: impl FnOnce() -> T) -> Result<T, Message> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|payload| {
        let remembered = LAST_PANIC.with(|last| std::mem::take(&mut *last.borrow_mut()));
        if !remembered.is_empty() {
            return remembered.into();
        }
        payload.downcast_ref::<&str>().map_or("a panic", |s| s).into()
    })
}

/// What is being worked on, and since when.
type Current = Arc<Mutex<Option<(Instant, String)>>>;

/// Ends the process if one problem takes far longer than its budget allows.
pub struct Watchdog {
    current: Current,
}

impl Watchdog {
    /// Watches in a thread of its own; a problem that takes longer than `limit` is written to `file`.
    pub fn start(limit: Duration, file: PathBuf) -> Watchdog {
        let current: Current = Arc::default();
        let watched = Arc::clone(&current);
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(500));
                let stuck = match &*lock(&watched) {
                    Some((since, text)) if since.elapsed() > limit => Some(text.clone()),
                    _ => None,
                };
                if let Some(text) = stuck {
                    let written = std::fs::write(&file, text);
                    eprintln!("a problem ignores its budget: {} ({written:?})", file.display());
                    std::process::exit(3);
                }
            }
        });
        Watchdog { current }
    }

    /// This problem comes next.
    pub fn begin(&self, text: &str) {
        *lock(&self.current) = Some((Instant::now(), text.to_string()));
    }

    /// It is done.
    pub fn end(&self) {
        *lock(&self.current) = None;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
