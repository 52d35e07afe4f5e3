//! Rounds of loops that are skipped: executions end as they do when each round is executed.
//!
//! The encoded program is executed edge by edge and skips nothing, so it is the reference for the interpreter and for the execution that
//! proves that there is no other.

use bolide_base::{Budget, Rational};
use bolide_front::c::interp::{End, Given, Happening, Interpreter, Oracle, Replay};
use bolide_front::c::{Options, Task, load};
use bolide_model::{Determined, InputId, Outcome, Runner, determined};
use bolide_term::{Store, Value};
use bolide_testkit::{Random, rounds};
use std::fmt::Write;

const HEAD: &str = "extern void __VERIFIER_error(void);\n\
    static int twice(int x) { return x + x; }\n\
    static unsigned bump(unsigned x) { if (x % 4 == 3) return x + 3; return x + 1; }\n";

/// The types of the variables.
const TYPES: [&str; 7] =
    ["int", "unsigned", "unsigned char", "signed char", "unsigned short", "long long", "unsigned long long"];
const VARIABLES: i64 = 5;

fn task(store: &mut Store, text: &str) -> Task {
    load(store, "t.c", text, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The interpreter at the end of an execution, which returns, and how many rounds were skipped.
fn executed<'a>(task: &'a Task, inputs: &mut impl Oracle) -> (Interpreter<'a>, u64) {
    let mut interpreter = Interpreter::new(&task.unit);
    interpreter.events = Some(Vec::new());
    let end = interpreter.run(inputs, &Budget::unlimited().with_steps(50_000_000));
    assert!(matches!(end, End::Returned(_)), "{end:?}");
    let skipped = interpreter.events.iter().flatten().map(|e| match e.what {
        Happening::Rounds(n) => n,
        _ => 0,
    });
    let skipped = skipped.sum();
    (interpreter, skipped)
}

/// A statement that changes variables, mostly in a way that can be followed.
fn statement(random: &mut Random, depth: u32) -> String {
    let variable = |random: &mut Random| format!("g{}", random.between(0, VARIABLES - 1));
    let (a, b) = (variable(random), variable(random));
    let c = random.between(1, 9);
    match random.below(16u32) {
        0..4 => format!("{a} += {c};"),
        4 => format!("{a} -= {c};"),
        5 => format!("{a} = {b} + {c};"),
        6 => format!("{a} += {b};"),
        7 => format!("{a} = {b} * {c};"),
        8 => format!("{a} = {b} % {c};"),
        9 => format!("{a} = {b} / {c};"),
        10 => format!("{a} = ({b} & 7) + (i >> 1);"),
        11 => format!("{a} = -{b};"),
        12 => format!("{a} = twice({b}); {a} = bump(i);"),
        _ if depth > 0 => {
            let bound = random.between(-20, 2500);
            let condition = match random.below(4u32) {
                0 => format!("i % {c} == 1"),
                1 => format!("i < {bound}u"),
                2 => format!("{a} > {bound} && {b} != {c}"),
                _ => format!("{a} <= {bound}"),
            };
            let (yes, no) = (statement(random, depth - 1), statement(random, depth - 1));
            format!("if ({condition}) {{ {yes} }} else {{ {no} }}")
        }
        _ => format!("{a} = {c};"),
    }
}

/// A program with a loop, or two of them, one in the other.
fn program(random: &mut Random) -> String {
    let mut text = HEAD.to_string();
    for n in 0..VARIABLES {
        let _ = writeln!(text, "{} g{n} = {};", random.pick(&TYPES), random.between(-3, 60));
    }
    let statements = random.between(1, 4);
    let body: Vec<String> = (0..statements).map(|_| statement(random, 2)).collect();
    let body = body.join(" ");
    let rounds = random.between(200, 2000);
    let step = random.between(1, 3);
    let inner = match random.one_in(4u32) {
        true => format!("for (unsigned j = 0; j < {}; j++) {{ g0 += 2; }}", random.between(3, 200)),
        false => String::new(),
    };
    let rounds = if inner.is_empty() { rounds } else { rounds / 10 + 100 };
    let _ = writeln!(
        text,
        "int main(void) {{ for (unsigned i = 0; i < {rounds}; i += {step}) {{ {body} {inner} }} /* end */ return 0; }}"
    );
    text
}

#[test]
fn executions_end_as_without_skipping() {
    let mut random = Random::new(71);
    let mut with_skipping = 0;
    let count = rounds(400);
    for n in 0..count {
        let text = program(&mut random);
        let mut store = Store::new();
        let task = task(&mut store, &text);
        let (mut interpreter, skipped) = executed(&task, &mut |_| 0);
        with_skipping += usize::from(skipped > 0);
        let mut runner = Runner::new(&store, &task.program, &[]);
        let (outcome, _) = runner.run(&store, |_| Value::Num(Rational::from(0)), &Budget::unlimited());
        assert_eq!(outcome, Outcome::Finished, "program {n}:\n{text}");
        let mut agree = String::new();
        for v in 0..VARIABLES {
            let name = format!("g{v}");
            let (var, _) =
                task.program.vars.iter_enumerated().find(|(_, v)| v.name == name).expect("a global");
            let found = interpreter.global(&name).expect("a scalar");
            let expected = Value::Num(Rational::from(bolide_base::IBig::from(found)));
            assert_eq!(*runner.value(&store, var), expected, "{name} of program {n}:\n{text}");
            let _ = write!(
                agree,
                "if ({name} != (__typeof__({name})){found}{}) __VERIFIER_error(); ",
                suffix(found)
            );
        }
        // The execution that is the only one comes to the same end, which a program can tell.
        for (check, expected) in [(agree.clone(), true), (agree.replacen("!=", "==", 1), false)] {
            let mut store = Store::new();
            let task = task_of(&mut store, &text.replace("/* end */", &check));
            let found = determined(&store, &task.program, &Budget::unlimited().with_steps(3_000_000));
            match found {
                Determined::Safe => assert!(expected, "program {n}:\n{text}"),
                Determined::Error(_) => assert!(!expected, "program {n}:\n{text}{check}"),
                other => panic!("{other:?} for program {n}:\n{text}"),
            }
        }
    }
    assert!(with_skipping * 3 > count, "{with_skipping} of {count} skip rounds");
}

fn task_of(store: &mut Store, text: &str) -> Task {
    task(store, text)
}

/// How a constant is written in C.
fn suffix(value: i128) -> &'static str {
    if value > i128::from(i64::MAX) { "ULL" } else { "LL" }
}

/// Thousands of millions of rounds are executed in a few thousand steps.
#[test]
fn long_loops_are_over_soon() {
    for (body, expected) in [
        ("unsigned x = 0; while (x < 0x0fffffff) x += 2; g = x;", 0x1000_0000),
        ("unsigned x = 1; while (x != 0) x += 1; g = 7;", 7),
        // Two phases.
        ("unsigned x = 0; while (x < 100000000) { if (x < 10000000) x++; else x += 2; } g = x;", 100_000_000),
        // The sum of all numbers, which wraps around, does not decide anything.
        ("unsigned s = 0; for (unsigned i = 0; i < 100000; i++) s += i; g = s;", 704_982_704),
        // A flag, a remainder and a function.
        (
            "int f = 0; for (long long i = 0; i < 5000000000; i++) { f = !f; if (i % 3 == 2) g++; }",
            1_666_666_666,
        ),
        ("for (int i = 0; i < 1000000000; i++) { g = bump(i); }", 1_000_000_002),
        // What is computed from what changes, and read in no other round.
        ("int t; for (int i = 0; i < 1000000000; i++) { t = i * i % 1000 ^ 5; g = t; }", 676),
    ] {
        let text = format!("{HEAD}int g; int main(void) {{ {body} return 0; }}");
        let mut store = Store::new();
        let task = task(&mut store, &text);
        let mut interpreter = Interpreter::new(&task.unit);
        let end = interpreter.run(&mut |_| 0, &Budget::unlimited().with_steps(200_000));
        assert!(matches!(end, End::Returned(_)), "{end:?}: {body}");
        assert_eq!(interpreter.global("g"), Some(expected), "{body}");
    }
}

/// A statement that writes to memory, asks for an input, or reads.
fn access(random: &mut Random) -> String {
    let (a, c) = (random.between(0, 2), random.between(-3, 300));
    let g = random.between(0, VARIABLES - 1);
    match random.below(17u32) {
        14 => format!("a{a}[i] = {c}; g{g} += a{a}[{}];", random.between(100, 2500)),
        15 => format!("a{a}[i] = {c}; a{a}[i + {}] = {};", random.between(0, 900), random.between(0, 9)),
        16 => format!("a{a}[{}] = g{g}; a{a}[i] = {c};", random.between(100, 2500)),
        0..3 => format!("a{a}[i] = {c};"),
        3 => format!("a{a}[2 * i + 1] = {c};"),
        4 => format!("a{a}[4200 - i] = {c};"),
        5 => format!("a{a}[i] = g{g};"),
        6 => format!("a{a}[i + 1] = a{}[i];", random.between(0, 2)),
        7 => format!("*p++ = {c};"),
        8 => format!("g{g} = a{a}[i / 2];"),
        9 => format!("a{a}[{}] = {c};", random.between(0, 4000)),
        10 => format!("if (a{a}[i] == {c}) g{g}++; a{a}[i] = 3;"),
        11 if random.one_in(2u32) => "{ char *r = r0; r0 = r1; r1 = r; } r0[i] = 9;".into(),
        11 => format!("a{a}[i] = input(); if (a{a}[i] == 7) break;"),
        12 => format!("g{g} = input();"),
        _ => format!("if (input() == {}) g{g} += 2; else g{g}++;", random.between(4, 7)),
    }
}

/// A program with a loop over arrays, whose contents decide in the end what a variable holds.
fn filling(random: &mut Random) -> String {
    let mut text = format!(
        "{HEAD}extern int __VERIFIER_nondet_int(void);\nstatic int input(void) {{ return __VERIFIER_nondet_int(); }}\n"
    );
    for n in 0..VARIABLES {
        let _ = writeln!(text, "{} g{n} = {};", random.pick(&TYPES), random.between(-3, 60));
    }
    for n in 0..3 {
        // Whatever the loop does stays inside.
        let _ = writeln!(text, "{} a{n}[25000];", random.pick(&TYPES));
    }
    let mut body = access(random);
    for _ in 0..random.below(3u32) {
        let next = if random.one_in(2u32) { access(random) } else { statement(random, 1) };
        body = format!("{body} {next}");
    }
    let (rounds, step) = (random.between(200, 2000), random.between(1, 2));
    // With `realloc`, the objects of pointers are followed.
    let resized = if random.one_in(2u32) { "r1 = realloc(r1, 30);" } else { "" };
    let _ = writeln!(
        text,
        "void *malloc(unsigned long); void *realloc(void *, unsigned long);\nunsigned long long all;\n\
         int main(void) {{ char *r0 = malloc(2500), *r1 = malloc(2600); r0[20] = 1; r1[20] = 2;\n\
         void *all_arrays[] = {{ a0, a1 + 7, &a2[100] }}; {} *p = all_arrays[{}];\n\
         for (unsigned i = 0; i < {rounds}; i += {step}) {{ {body} }}\n\
         for (int k = 0; k < 4300; k++) all = all * 31 + a0[k] + a1[k] * 3ull + a2[k] * 5ull;\n\
         {resized} all = all * 31 + r1[20]; return 0; }}",
        random.pick(&["char", "short", "int"]),
        random.below(3u32),
    );
    text
}

/// What an input is, run by run; zero after that.
fn runs(random: &mut Random, site: InputId) -> Vec<Given> {
    let run = |random: &mut Random| Given {
        site,
        value: i128::from(random.between(4, 7)),
        times: random.between(1, 900) as u64,
    };
    (0..random.below(4u32)).map(|_| run(random)).collect()
}

#[test]
fn memory_is_filled_and_steady_inputs_are_repeated() {
    let mut random = Random::new(1707);
    let mut with_skipping = 0;
    let count = rounds(120);
    for n in 0..count {
        let text = filling(&mut random);
        let mut store = Store::new();
        let task = task(&mut store, &text);
        let given: Vec<Given> = task.program.inputs.ids().flat_map(|site| runs(&mut random, site)).collect();
        let mut replay = Replay::default().with_scalars(&given);
        let written = replay.write();
        assert_eq!(Replay::read(&written).map(|r| r.write()), Ok(written), "program {n}");
        let (mut interpreter, skipped) = executed(&task, &mut replay);
        with_skipping += usize::from(skipped > 0);
        let mut left = given.clone();
        let input = |site: InputId| {
            let run = left.iter_mut().find(|g| g.site == site && g.times > 0);
            let value = run.map_or(0, |g| {
                g.times -= 1;
                g.value
            });
            Value::Num(Rational::from(bolide_base::IBig::from(value)))
        };
        let mut runner = Runner::new(&store, &task.program, &[]);
        let (outcome, _) = runner.run(&store, input, &Budget::unlimited());
        assert_eq!(outcome, Outcome::Finished, "program {n}:\n{text}");
        for name in (0..VARIABLES).map(|v| format!("g{v}")).chain(["all".into()]) {
            let (var, _) =
                task.program.vars.iter_enumerated().find(|(_, v)| v.name == name).expect("a global");
            let found = interpreter.global(&name).expect("a scalar");
            let expected = Value::Num(Rational::from(bolide_base::IBig::from(found)));
            assert_eq!(*runner.value(&store, var), expected, "{name} of program {n}:\n{text}\n{given:?}");
        }
    }
    assert!(with_skipping * 4 > count, "{with_skipping} of {count} skip rounds");
}

/// Inputs of which it is not known that they repeat are asked for one by one, and memory that is not filled evenly holds what it should.
#[test]
fn arrays_are_filled_and_inputs_are_asked_for() {
    let text = "int a[3000], g; extern int __VERIFIER_nondet_int(void);\n\
        int main(void) { for (int i = 0; i < 3000; i++) a[i] = i;\n\
          for (int i = 0; i < 3000; i++) g += a[i];\n\
          for (int i = 0; i < 1000; i++) if (__VERIFIER_nondet_int()) g++;\n\
          return 0; }";
    let mut store = Store::new();
    let task = task(&mut store, text);
    let mut interpreter = Interpreter::new(&task.unit);
    let mut asked = 0;
    interpreter.run(
        &mut |_| {
            asked += 1;
            asked % 2
        },
        &Budget::unlimited(),
    );
    assert_eq!(interpreter.global("g"), Some(3000 * 2999 / 2 + 500));
    assert_eq!(asked, 1000);
}

/// Memory of thousands of millions of bytes is filled as soon as some of them are.
#[test]
fn large_memory_is_filled_at_once() {
    let text = "extern int __VERIFIER_nondet_int(void); extern char __VERIFIER_nondet_char(void);\n\
        void *malloc(unsigned long); int g;\n\
        int main(void) { int n = __VERIFIER_nondet_int(); char *a = malloc(n); int i = 0;\n\
          while (i < n) { a[i] = __VERIFIER_nondet_char(); if (a[i] == 0) break; i++; }\n\
          if (i == 2000000000) g = a[5] + a[i - 1] + a[i] + a[i + 1]; return 0; }";
    let mut store = Store::new();
    let task = task(&mut store, text);
    let sites: Vec<InputId> = task.program.inputs.ids().collect();
    let given = |n: usize, value: i128, times: u64| Given { site: sites[n], value, times };
    let mut inputs = Replay::default().with_scalars([
        given(0, (1 << 31) - 1, 1),
        given(1, 9, 2_000_000_000),
        given(1, 0, 1),
        given(1, 9, 1),
    ]);
    let mut interpreter = Interpreter::new(&task.unit);
    let end = interpreter.run(&mut inputs, &Budget::unlimited().with_steps(200_000));
    assert!(matches!(end, End::Returned(_)), "{end:?}");
    assert_eq!(interpreter.global("g"), Some(18));
    assert_eq!(inputs.steady(sites[1]), Some((9, 1)));
}
