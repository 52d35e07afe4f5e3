//! Programs that react to inputs, with their state in regions of variables, are proved by boxes, and the checker follows executions from these.

mod common;

use common::{Folder, bolide};
use std::fmt::Write;

/// A machine with twelve states; in each of them `level` lies in one of three regions. The last state is an error: it is entered
/// from the sixth one if `level` is high there, which it is not, or if the sixth state is entered with another `level`.
fn machine(sixth: &str) -> String {
    let regions = ["level <= -40", "-40 < level && 75 >= level", "75 < level"];
    let computed = ["(level % 29 - 1700) * 3", "(level + 4711) % 31 + 12", "(level % 97 + 1200) / 5"];
    let mut text = String::from(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
         int state = 0, level = 3;\n\
         static void react(int input) {\n",
    );
    for state in 0..12 {
        for (n, region) in regions.iter().enumerate() {
            let (next, level) = match (state, n) {
                (5, 2) => (11, "level"),
                (4, _) => (5, sixth),
                (11, _) => (0, "level"),
                _ => ((state + n + 1) % 5, computed[(state + n) % 3]),
            };
            let _ = writeln!(
                text,
                "  if (state == {state} && ({region}) && input == {}) {{ level = {level}; state = {next}; return; }}",
                n + state % 2 + 1
            );
        }
    }
    text + "  if (state == 11) reach_error();\n}\n\
            int main(void) { while (1) { int input = __VERIFIER_nondet_int();\n\
            if (input < 1 || input > 4) return 0; react(input); } }\n"
}

const LOW: &str = "(level - 3) % 60 - 20";
const HIGH: &str = "level % 60 + 90";

fn proved(folder: &Folder) -> (String, String) {
    let task = folder.file("machine.c", &machine(LOW));
    let certificate = folder.path("machine.cert");
    let run = bolide(&["verify", "--timeout", "90", "--jobs", "1", "--certificate", &certificate, &task]);
    assert_eq!(run.stdout.lines().next(), Some("safe"), "{run:?}");
    (task, std::fs::read_to_string(&certificate).expect("a certificate"))
}

#[test]
fn regions_of_variables_are_states() {
    let folder = Folder::new("boxes");
    let (task, certificate) = proved(&folder);
    assert!(certificate.contains("option by boxes"), "{certificate:.400}");
    let checked = bolide(&["check", &task, &folder.path("machine.cert")]);
    assert_eq!((checked.code, checked.stdout.lines().next()), (0, Some("accepted: safe")), "{checked:?}");
    let other = folder.file("other.c", &machine(HIGH));
    let run = bolide(&["verify", "--timeout", "90", "--jobs", "1", &other]);
    assert_eq!(run.stdout.lines().next(), Some("unsafe"), "{run:?}");
}

#[test]
fn forged_boxes_are_rejected() {
    let folder = Folder::new("forged-boxes");
    let (task, text) = proved(&folder);
    let section = text.find("section boxes").expect("boxes");
    let (before, after) = text.split_at(section);
    let after: Vec<&str> = after.lines().collect();
    let count: usize = after[0].rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a number of lines");
    let lines = &after[1..=count];
    let rest: String = after[count + 1..].iter().map(|line| format!("{line}\n")).collect();
    // A box less, bounds of nothing, a variable and a location that there are not, no numbers.
    let without = |n: usize| [&lines[..n], &lines[n + 1..]].concat().join("\n");
    let changed = |line: &str| [&[line], &lines[1..]].concat().join("\n");
    let forged = [
        without(0),
        without(lines.len() / 2),
        changed("1 0 7 3"),
        changed("1 123456 3 7"),
        changed("99999 0 3 7"),
        changed("one 0 3 7"),
    ];
    for body in forged {
        let count = body.lines().count();
        let text = format!("{before}section boxes {count}\n{body}\n{rest}");
        let file = folder.file("forged.cert", &text);
        let run = bolide(&["check", &task, &file]);
        assert_eq!(run.code, 1, "{body:.80}: {run:?}");
    }
    // The same boxes for a program that fails.
    let other = folder.file("other.c", &machine(HIGH));
    let run = bolide(&["verify", "--timeout", "90", "--certificate", &folder.path("other.cert"), &other]);
    assert_eq!(run.stdout.lines().next(), Some("unsafe"), "{run:?}");
    let hash = std::fs::read_to_string(folder.path("other.cert")).expect("a certificate");
    let line = |text: &str| text.lines().find(|l| l.starts_with("task")).expect("the hash").to_string();
    let file = folder.file("forged.cert", &text.replace(&line(&text), &line(&hash)));
    let run = bolide(&["check", &other, &file]);
    assert_eq!(run.code, 1, "{run:?}");
}
