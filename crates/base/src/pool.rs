//! Several jobs side by side, their results in the order of the jobs.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

/// Runs `job` for `0..count`, at most `width` at a time, and hands the results to `done` in this order.
pub fn run<R: Send>(
    count: usize,
    width: usize,
    job: impl Fn(usize) -> R + Sync,
    mut done: impl FnMut(usize, R),
) {
    let next = AtomicUsize::new(0);
    let (sender, results) = channel();
    std::thread::scope(|scope| {
        for _ in 0..width.clamp(1, count.max(1)) {
            let (sender, next, job) = (sender.clone(), &next, &job);
            scope.spawn(move || {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= count || sender.send((n, job(n))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting: Vec<Option<R>> = (0..count).map(|_| None).collect();
        let mut first = 0;
        for (n, result) in results {
            waiting[n] = Some(result);
            while let Some(result) = waiting.get_mut(first).and_then(Option::take) {
                done(first, result);
                first += 1;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn results_come_in_order() {
        for width in [0, 1, 3, 20] {
            let mut seen = Vec::new();
            let job = |n: usize| {
                std::thread::sleep(Duration::from_millis(if n.is_multiple_of(3) { 5 } else { 0 }));
                n * n
            };
            run(12, width, job, |n, r| seen.push((n, r)));
            assert_eq!(seen, (0..12).map(|n| (n, n * n)).collect::<Vec<_>>());
        }
        run(0, 2, |n| n, |_, _| unreachable!("there are no jobs"));
    }
}
