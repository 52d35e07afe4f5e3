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

/// Statements that write to parts of objects of all kinds.
fn part(random: &mut Random) -> String {
    let (c, n) = (random.below(2u32), random.between(-3, 99));
    match random.below(14u32) {
        0 => format!("s.x ^= c{c} * {n};"),
        1 => format!("s.z[c{c} & 3] = c{c} + s.y;"),
        2 => format!("u.w = u.w * 3 + {n};"),
        3 => format!("u.b[c{c} & 3]++;"),
        4 => format!("l0 += c{c} ^ {n};"),
        5 => "r.y = l0 + kept;".into(),
        6 => "v = v + 1;".into(),
        7 => format!("kept = kept * 5 + c{c};"),
        8 => format!("a[c{c} & 7] += {n};"),
        9 => "s.bits++;".into(),
        10 => format!("l1 = {n};"),
        11 => "{ struct pair inner; inner.x = c0; inner.y = c1; l0 ^= inner.x; }".into(),
        12 => format!("if (l0 & {}) goto past{c};", random.between(1, 7)),
        _ => "q.x = c0; q.y = c1;".into(),
    }
}

/// What reads these objects: as a whole, in part, in another function, through a pointer, and after it has been written again.
fn reader(random: &mut Random) -> &'static str {
    random.pick(&[
        "t = s; out(t.y);",
        "t = s; t.x = 1; out(t.x + t.z[2]);",
        "u.w = 7; out(u.b[0]);",
        "u.b[0] = 7; out(u.w);",
        "s.x = 5; out(s.x);",
        "{ struct all r2 = r; out(r2.x); }",
        "r = s; out(r.y);",
        "l0 = 3; out(l0);",
        "out(l1);",
        "out(v); v = 2;",
        "out(elsewhere());",
        "out(kept);",
        "pass(q);",
        "q = whole(); out(q.x);",
        "out(a[7]);",
        "for (int i = 0; i < 8; i++) a[i] = i; out(a[3]);",
        "*p = 4; out(z); out(*p);",
        "s.bits = 2; out(s.bits);",
        "if (again++ < 2) goto start;",
        "out(c0); out(c1);",
        "out(again > 1 ? l1 : c1);",
        "q.x = 1; q.y = 2; pass(q);",
    ])
}

#[test]
fn what_nests_write_is_read_in_no_other_way() {
    let mut random = Random::new(4711);
    let (mut left_out, mut stuck) = (0, 0);
    let count = rounds(1500);
    for n in 0..count {
        let body = |random: &mut Random, c: u32| {
            let statements: String = (0..1 + random.below(3u32)).map(|_| part(random)).collect();
            let label =
                if statements.contains(&format!("past{c}")) { format!("past{c}:;") } else { String::new() };
            let other = 1 - c;
            // A label stands in one of the loops only.
            (statements.replace(&format!("goto past{other};"), ";"), label)
        };
        let ((outer, outer_end), (inner, inner_end)) = (body(&mut random, 0), body(&mut random, 1));
        let inner_step = random.pick(&["c1++", "c1 += 3", "++c1"]);
        let bounds = (random.between(1, 12), random.between(0, 25));
        let readers: String = (0..1 + random.below(4u32)).map(|_| reader(&mut random)).collect();
        let ty = random.pick(&TYPES);
        let text = format!(
            "extern void __VERIFIER_error(void); struct pair {{ int x, y; }};\n\
             struct all {{ int x; short y; unsigned char z[4]; int bits : 5; }} s = {{ 1, 2, {{ 3, 4 }}, 5 }}, t;\n\
             union {{ int w; unsigned char b[4]; }} u; struct pair q; volatile int v; int a[8], z = 9, again, kept;\n\
             unsigned long long sum; void out(int x) {{ sum = sum * 31 + x; }}\n\
             int elsewhere(void) {{ return s.y + u.b[1]; }} void pass(struct pair p) {{ out(p.y); }}\n\
             struct pair whole(void) {{ return q; }}\n\
             int main(void) {{ int l0 = 4, l1 = 5, *p = &z; struct all r = s; {ty} c0, c1;\n\
             start: for (c0 = 0; c0 < {}; c0++) {{ {outer} for (c1 = 1; c1 <= {}; {inner_step}) {{ {inner} {inner_end} }} {outer_end} }}\n\
             {readers} return 0; }}",
            bounds.0, bounds.1
        );
        let task = task(&text);
        let budget = || Budget::unlimited().with_steps(100_000);
        let mut whole = Interpreter::new(&task.unit);
        let mut parts = Interpreter::new(&task.unit);
        parts.fewest_left_out = 0;
        parts.events = Some(Vec::new());
        let (all, some) = (whole.run(&mut |_| 0, &budget()), parts.run(&mut |_| 0, &budget()));
        left_out += usize::from(skipped(&parts) > 0);
        if matches!(some, End::Stuck(_)) {
            stuck += 1;
            continue;
        }
        assert_eq!(all, some, "program {n}:\n{text}");
        let sums = [&mut whole, &mut parts].map(|i| i.global("sum"));
        assert!(sums[0] == sums[1] && sums[0].is_some(), "{sums:?} of program {n}:\n{text}");
    }
    assert!(left_out * 8 > count && stuck > count / 100, "{left_out}, {stuck} of {count}");
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
