//! A million assertions through the reader: megabytes a second and bytes for each term node.
//!
//! `cargo bench -p bolide-cli --bench reading`. Three scripts are read, three times each, by the library alone: in the
//! first the same atoms come back again and again; in the second nearly every atom is new and the variables move on, as
//! in a long path; in the third variables and numerals are scattered far and wide, which no cache likes. Nothing is
//! solved. The best time counts; the targets are 30 MB/s for the first two and at most 64 bytes a node. On a busy machine
//! the time on the processor, where the system tells it, says more than the time on the wall.

use bolide_smtlib::{Command, Reader, Scope};
use bolide_term::Store;
use bolide_testkit::Random;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

const ASSERTIONS: usize = 1_000_000;
const ROUNDS: usize = 3;

/// What a script is made of.
struct Shape {
    name: &'static str,
    variables: u64,
    /// An assertion uses variables from a window of this size, which moves over all of them.
    window: u64,
    /// Numerals are below this.
    numerals: u64,
}

const SHAPES: [Shape; 3] = [
    Shape { name: "shared", variables: 40, window: 40, numerals: 8 },
    Shape { name: "distinct", variables: 100_000, window: 1000, numerals: 1000 },
    Shape { name: "scattered", variables: 100_000, window: 100_000, numerals: 1_000_000 },
];

fn script(shape: &Shape) -> String {
    let &Shape { variables, window, numerals, .. } = shape;
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    let mut out = String::from("(set-logic QF_UFLIA)\n(declare-fun f (Int) Int)\n");
    for v in 0..variables {
        let _ = writeln!(out, "(declare-fun x{v} () Int)");
    }
    for b in 0..64 {
        let _ = writeln!(out, "(declare-fun b{b} () Bool)");
    }
    for n in 0..ASSERTIONS as u64 {
        let from = (variables - window) * n / ASSERTIONS as u64;
        let mut variable = || from + random.below(window);
        let (x, y, z) = (variable(), variable(), variable());
        let (k, b) = (random.below(numerals), random.below(64));
        let _ = match random.below(4) {
            0 => writeln!(out, "(assert (or (<= x{x} (+ x{y} {k})) (not b{b})))"),
            1 => writeln!(out, "(assert (= x{x} (- (* 3 x{y}) x{z})))"),
            2 => writeln!(out, "(assert (=> (and b{b} (< x{x} {k})) (>= (f x{y}) x{z})))"),
            _ => writeln!(out, "(assert (let ((d (- x{x} x{y}))) (or (> d {k}) (< d (- {k})))))"),
        };
    }
    out
}

/// What reading a text took.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    processor: Option<Duration>,
    wall: Duration,
    nodes: usize,
    bytes: usize,
}

/// The time that this thread has spent on a processor.
fn processor_time() -> Option<Duration> {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    statistics.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

fn read(text: &str) -> Cost {
    let (start, before) = (Instant::now(), processor_time());
    let (mut store, mut scope) = (Store::new(), Scope::new());
    let mut reader = Reader::new(text);
    let mut assertions = 0;
    while let Some(command) = reader.next_command(&mut store, &mut scope) {
        let located = command.expect("the script is well-formed");
        assertions += usize::from(matches!(located.command, Command::Assert { .. }));
    }
    assert_eq!(assertions, ASSERTIONS);
    let processor = processor_time().zip(before).map(|(now, before)| now - before);
    Cost { processor, wall: start.elapsed(), nodes: store.len(), bytes: store.memory() }
}

fn main() {
    for shape in &SHAPES {
        let text = script(shape);
        let megabytes = text.len() as f64 / 1e6;
        let Some(cost) = (0..ROUNDS).map(|_| read(&text)).min() else { continue };
        let rate = |time: Duration| megabytes / time.as_secs_f64();
        println!(
            "{:9} {megabytes:5.1} MB in {:.3} s: {:4.1} MB/s ({:4.1} on the processor); {} nodes, {:.1} bytes each",
            shape.name,
            cost.wall.as_secs_f64(),
            rate(cost.wall),
            cost.processor.map_or(f64::NAN, rate),
            cost.nodes,
            cost.bytes as f64 / cost.nodes as f64
        );
    }
}
