//! Commands that run for this process and end with it, the preprocessor above all.

use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};

/// The process group of the command that runs for this process, or 0.
static GROUP: AtomicI32 = AtomicI32::new(0);

/// Runs a command in a process group of its own, which ends with this process.
pub fn output(command: &mut Command) -> std::io::Result<Output> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    GROUP.store(child.id() as i32, Ordering::Relaxed);
    let output = child.wait_with_output();
    GROUP.store(0, Ordering::Relaxed);
    output
}

/// Ends the command that runs, with all that it has started.
pub fn end() {
    #[cfg(unix)]
    if let Some(group) = rustix::process::Pid::from_raw(GROUP.swap(0, Ordering::Relaxed)) {
        // It may just have ended by itself.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}
