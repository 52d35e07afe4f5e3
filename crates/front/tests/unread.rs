//! Nests of loops that are left out: their counters end as they do when each round is executed, and nothing else that they write is known.

use bolide_base::Budget;
use bolide_front::c::interp::{End, Happening, Interpreter};
use bolide_front::c::{Options, Task, load};
use bolide_term::Store;
use bolide_testkit::{Random, rounds};
use std::fmt::Write;

const TYPES: [&str; 6] = ["int", "unsigned", "unsigned char", "short", "long long", "unsigned long long"];
const OTHERS: usize = 4;

fn task(text: &str) -> Task {
    load(&mut Store::new(), "t.c", text, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// What the innermost rounds do: mostly what does not touch the counters.
fn statement(random: &mut Random, depth: usize) -> String {
    let g = random.below(OTHERS as u32);
    let (c, d) = (random.between(-5, 9), random.below(depth as u32 + 1));
    match random.below(16u32) {
        0 | 1 => format!("a[c{d} & 31] += g{g} + {c};"),
        2 | 3 => format!("g{g} = g{g} * g{g} + a[{}];", random.between(0, 31)),
        4 | 5 => format!("if (g{g} > {c}) a[g{g} & 7] = c{d}; else g{g}++;"),
        6 | 7 => format!("{{ int t = a[c{d} & 15]; g{g} ^= t; }}"),
        8 => format!("g{g} = {c};"),
        9 => format!("if (c{d} == {c}) continue;"),
        10 => format!("if (g{g} == {c}) break;"),
        11 => format!("if (g{g} > {c}) c{d}++;"),
        12 => format!("c{d} += {c};"),
        _ => format!("a[{}] = g{g} - c{d};", random.between(0, 31)),
    }
}

/// A loop that counts, with others in it.
fn nest(random: &mut Random, depth: usize, deepest: usize) -> String {
    let c = format!("c{depth}");
    let (start, distance, step) = (random.between(-20, 20), random.between(0, 30), random.between(1, 3));
    let up = random.one_in(2u32);
    let bound = if up { start + distance } else { start - distance };
    let op = random.pick(if up { &["<", "<=", "!="] } else { &[">", ">=", "!="] });
    let bound = match random.below(4u32) {
        // What a loop around this one, or the body, may change.
        0 => format!("{bound} + n"),
        1 if depth > 0 => format!("c{}", depth - 1),
        _ => format!("{bound}"),
    };
    let condition = match random.below(4u32) {
        0 => format!("{bound} {} {c}", op.replace('<', "?").replace('>', "<").replace('?', ">")),
        1 => format!("!!({c} {op} {bound})"),
        _ => format!("{c} {op} {bound}"),
    };
    let mut body = String::new();
    for _ in 0..random.below(3u32) {
        body += &statement(random, depth);
    }
    if depth < deepest {
        body += &nest(random, depth + 1, deepest);
    }
    if random.one_in(3u32) {
        body += &statement(random, depth);
    }
    let (sign, start) = (if up { '+' } else { '-' }, start);
    match random.below(4u32) {
        0 => format!("{c} = {start}; while ({condition}) {{ {body} {c} = {c} {sign} {step}; }}"),
        1 if step == 1 => format!("for ({c} = {start}; {condition}; {sign}{sign}{c}) {{ {body} }}"),
        _ => format!("for ({c} = {start}; {condition}; {c} {sign}= {step}) {{ {body} }}"),
    }
}

fn program(random: &mut Random) -> String {
    let mut text = "extern void __VERIFIER_error(void);\n".to_string();
    for n in 0..OTHERS {
        let _ = writeln!(text, "{} g{n} = {};", random.pick(&TYPES), random.between(-3, 9));
    }
    for n in 0..3 {
        let _ = writeln!(text, "{} c{n};", random.pick(&TYPES));
    }
    let deepest = random.below(3u32) as usize;
    let nest = nest(random, 0, deepest);
    let after = match random.below(4u32) {
        0 => "g0 = 5; if (c0 == 7) g1 = a[3];".to_string(),
        1 => format!("g2 = g{} + 1;", random.below(OTHERS as u32)),
        2 => "for (int i = 0; i < 90; i++) g3 = i;".into(),
        _ => String::new(),
    };
    let _ = writeln!(
        text,
        "int n = {}; static int a[32] = {{ 1, 2, 3 }};\nint main(void) {{ {nest} {after} return 0; }}",
        random.between(-3, 3)
    );
    text
}

fn skipped(interpreter: &Interpreter<'_>) -> usize {
    interpreter.events.iter().flatten().filter(|e| matches!(e.what, Happening::Rounds(_))).count()
}

#[test]
fn counters_end_as_if_every_round_were_executed() {
    let mut random = Random::new(2211);
    let (mut left_out, mut unread, mut stuck) = (0, 0, 0);
    let count = rounds(1500);
    for n in 0..count {
        let text = program(&mut random);
        let task = task(&text);
        let budget = || Budget::unlimited().with_steps(100_000);
        let mut whole = Interpreter::new(&task.unit);
        let mut parts = Interpreter::new(&task.unit);
        parts.fewest_left_out = 0;
        parts.events = Some(Vec::new());
        let (a, b) = (whole.run(&mut |_| 0, &budget()), parts.run(&mut |_| 0, &budget()));
        if !matches!(a, End::Returned(_)) {
            continue;
        }
        left_out += usize::from(skipped(&parts) > 0);
        if matches!(b, End::Stuck(_)) {
            stuck += 1;
            continue;
        }
        assert_eq!(a, b, "program {n}:\n{text}");
        for name in (0..OTHERS).map(|v| format!("g{v}")).chain((0..3).map(|c| format!("c{c}"))) {
            match parts.global(&name) {
                Some(value) => assert_eq!(whole.global(&name), Some(value), "{name} of program {n}:\n{text}"),
                None => unread += 1,
            }
        }
    }
    assert!(
        left_out * 8 > count && unread * 8 > count && stuck > count / 100,
        "{left_out}, {unread}, {stuck}"
    );
}

/// 2^60 rounds, of which only the counters matter.
#[test]
fn nests_of_more_rounds_than_can_be_executed_are_left_out() {
    let text = "int s = 1; unsigned i, j, k; static char a[1024 * 1024];\n\
        int main(void) { for (i = 0; i < sizeof(a); i++) for (j = 0; j < sizeof(a); j++)\n\
          for (k = 0; k < sizeof(a); k += 2) { a[i] = a[j] + a[k]; s = s * s + k; }\n\
        RETURN }";
    let size = Some(1 << 20);
    for (end, is_known) in [("s = 3; return s;", true), ("return s;", false), ("return a[100];", false)] {
        let task = task(&text.replace("RETURN", end));
        let mut interpreter = Interpreter::new(&task.unit);
        let found = interpreter.run(&mut |_| 0, &Budget::unlimited().with_steps(50_000_000));
        assert_eq!(matches!(found, End::Returned(3)), is_known, "{found:?}: {end}");
        assert_eq!(matches!(found, End::Stuck(_)), !is_known, "{found:?}: {end}");
        assert_eq!(["i", "j", "k"].map(|c| interpreter.global(c)), [size; 3]);
    }
}
