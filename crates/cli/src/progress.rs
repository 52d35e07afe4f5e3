//! Progress on a terminal: a line that says what the engines are doing, and how long already.

use crate::resources;
use bolide_base::{Board, Gauge, Lane};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the line changes.
const REFRESH: Duration = Duration::from_millis(125);
/// Nothing is shown of tasks that are done sooner than this.
const PATIENCE: Duration = Duration::from_millis(400);

/// May progress be shown? Not if nobody looks, nor where lines cannot be taken back.
pub fn is_wanted(quiet: bool) -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|t| t == "dumb");
    !quiet && !is_dumb && std::io::stderr().is_terminal()
}

/// A line on standard error that can be changed and taken back.
pub fn line() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
    let style = ProgressStyle::with_template("{spinner} {wide_msg}");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar
}

/// Shows a board until it is dropped.
pub struct Watch {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Watches a board on behalf of the user.
    pub fn start(name: String, board: Arc<Board>) -> Watch {
        let (stop, stopped) = channel();
        let watch = move || {
            let start = Instant::now();
            if stopped.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = line();
            loop {
                bar.set_message(message(&name, &board.lanes(), start.elapsed(), resources::memory_mib()));
                bar.tick();
                if stopped.recv_timeout(REFRESH) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
            }
            bar.finish_and_clear();
        };
        let thread = std::thread::Builder::new().spawn(watch).ok();
        Watch { stop: Some(stop), thread }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What is going on, in one line.
fn message(name: &str, lanes: &[Arc<Lane>], time: Duration, memory: Option<u64>) -> String {
    let mut out = format!("{name}  {:.1} s", time.as_secs_f64());
    if let Some(mib) = memory {
        let _ = write!(out, "  {mib} MiB");
    }
    for lane in lanes.iter().filter(|lane| !lane.is_done()) {
        let _ = write!(out, "  {}", state(lane));
    }
    out
}

/// How far an engine has come.
pub fn state(lane: &Lane) -> String {
    let mut out = lane.phase().to_string();
    let mut mark = ':';
    for gauge in Gauge::ALL {
        let value = lane.get(gauge);
        if value > 0 {
            let _ = write!(out, "{mark} {} {value}", gauge.name());
            mark = ',';
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_going_on_fits_a_line() {
        let board = Board::new();
        board.lane("reading").finish();
        let lane = board.lane("impact");
        lane.set(Gauge::Depth, 12);
        lane.set(Gauge::Refinements, 3);
        board.lane("bmc");
        let line = message("loop.c", &board.lanes(), Duration::from_millis(2340), Some(45));
        assert_eq!(line, "loop.c  2.3 s  45 MiB  impact: depth 12, refinements 3  bmc");
    }
}
