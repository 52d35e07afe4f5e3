//! Random programs that compute with floating-point numbers: gcc and the interpreter must find the same bits.
//!
//! A program reaches what C leaves undefined only where the interpreter says so; then its checksum is not compared.
//! `BOLIDE_FLOAT_PROGRAMS=N` asks for more of them.

use bolide_base::Budget;
use bolide_front::c::interp::{End, Interpreter};
use bolide_front::c::{DataModel, Floats, Options, load};
use bolide_model::{Outcome, Runner};
use bolide_term::Store;
use bolide_testkit::{Random, rounds};
use std::fmt::Write;
use std::process::Command;

/// What all programs start with. The bits of a number are looked at through a union; those of a NaN are not defined.
const HEAD: &str = "
extern double fabs(double), sqrt(double), floor(double), ceil(double), trunc(double), round(double), rint(double);
extern double nearbyint(double), fmin(double, double), fmax(double, double), fmod(double, double);
extern double copysign(double, double);
extern float fabsf(float), sqrtf(float), floorf(float), ceilf(float), truncf(float), roundf(float), rintf(float);
extern float nearbyintf(float), fminf(float, float), fmaxf(float, float), fmodf(float, float), copysignf(float, float);
extern int __fpclassify(double), __fpclassifyf(float);
unsigned long long bits_d(double v) { union { double d; unsigned long long u; } x; x.d = v; return v != v ? 1 : x.u; }
unsigned bits_f(float v) { union { float f; unsigned u; } x; x.f = v; return v != v ? 1 : x.u; }
";

const UNARY: [&str; 8] = ["fabs", "sqrt", "floor", "ceil", "trunc", "round", "rint", "nearbyint"];
const BINARY: [&str; 4] = ["fmin", "fmax", "fmod", "copysign"];
const TESTS: [&str; 7] = [
    "__builtin_isnan",
    "__builtin_isinf_sign",
    "__builtin_isfinite",
    "!!__builtin_signbit",
    "__builtin_isnormal",
    "__fpclassify",
    "!",
];
const INTS: [&str; 8] = [
    "signed char",
    "unsigned char",
    "short",
    "int",
    "unsigned int",
    "long long",
    "unsigned long long",
    "_Bool",
];

struct Program<'a> {
    rng: &'a mut Random,
    id: usize,
}

impl Program<'_> {
    fn pick<'b>(&mut self, list: &[&'b str]) -> &'b str {
        list[self.rng.below(list.len() as u64) as usize]
    }

    /// A place: variables, members, elements, and what a pointer points to, all of type float or double.
    fn place(&mut self, is_double: bool) -> String {
        let (id, n) = (self.id, self.rng.below(3));
        let letter = if is_double { 'd' } else { 'f' };
        match self.rng.below(5) {
            0 => format!("s_{id}.{letter}"),
            1 => format!("a{letter}_{id}[{n}]"),
            2 => format!("(*p{letter})"),
            _ => format!("g{letter}{n}_{id}"),
        }
    }

    fn constant(&mut self) -> String {
        let special = [
            "0.0",
            "-0.0",
            "1.0f",
            "0.1",
            "0.1f",
            "3",
            "-7",
            "16777217",
            "1e30f",
            "1e-40f",
            "1e300",
            "4.9e-324",
            "0x1.8p3",
            "0x1.000001p0f",
            "0x.fffffffp-126f",
            "2.5",
            "-0.5f",
            "1e39",
            "(1.0/0.0)",
            "(0.0/0.0)",
            "9007199254740993ll",
            "1e-300",
            "123456.789",
            "4294967295u",
            "9223372036854775807ll",
            "18446744073709551615ull",
            "(1.0f/3.0f)",
        ];
        match self.rng.below(4) {
            0 => format!("{}.{}{}", self.rng.below(100), self.rng.below(1000), self.pick(&["", "f"])),
            1 => format!("{}e{}", self.rng.below(1000), self.rng.below(600) as i64 - 300),
            _ => self.pick(&special).to_string(),
        }
    }

    /// A floating expression.
    fn expression(&mut self, depth: u64) -> String {
        if depth == 0 || self.rng.below(6) == 0 {
            return match self.rng.below(3) {
                0 => self.constant(),
                n => self.place(n == 1),
            };
        }
        let a = self.expression(depth - 1);
        let suffix = self.pick(&["", "f"]);
        match self.rng.below(12) {
            0..=4 => {
                let (b, op) = (self.expression(depth - 1), self.pick(&["+", "-", "*", "/"]));
                format!("({a} {op} {b})")
            }
            5 => format!("(- {a})"),
            6 => format!("(({}){a})", self.pick(&["float", "double"])),
            7 => format!("{}{suffix}({a})", self.pick(&UNARY)),
            8 => {
                let (b, name) = (self.expression(depth - 1), self.pick(&BINARY));
                format!("{name}{suffix}({a}, {b})")
            }
            9 => {
                let (b, c) = (self.expression(depth - 1), self.condition(depth - 1));
                format!("({c} ? {a} : {b})")
            }
            10 => format!("({}){}", self.pick(&["float", "double"]), self.integer(depth - 1)),
            _ => {
                let (id, n, b) = (self.id, self.rng.below(2), self.integer(0));
                format!("f{n}_{id}({a}, {b})")
            }
        }
    }

    fn condition(&mut self, depth: u64) -> String {
        let a = self.expression(depth);
        if self.rng.below(3) == 0 {
            return format!("{}(1.0f * {a})", self.pick(&TESTS));
        }
        let (b, op) = (self.expression(depth), self.pick(&["<", "<=", "==", "!=", ">", ">="]));
        format!("({a} {op} {b})")
    }

    /// An integer expression; a conversion is mostly within bounds.
    fn integer(&mut self, depth: u64) -> String {
        let id = self.id;
        match self.rng.below(5) {
            0 => format!("g{}_{id}", self.rng.below(3)),
            1 => format!("({} + {})", self.condition(depth), self.rng.below(200)),
            2 => {
                let (e, ty) = (self.expression(depth), self.pick(&INTS));
                format!("({ty})fmod(({e}) == ({e}) ? {e} : 3.0, 100.0)")
            }
            3 => format!("({})({})", self.pick(&INTS), self.expression(depth)),
            _ => format!("{}", self.rng.below(1000) as i64 - 500),
        }
    }

    fn statement(&mut self) -> String {
        let id = self.id;
        let is_double = self.rng.below(2) == 0;
        let place = self.place(is_double);
        match self.rng.below(8) {
            0 => {
                let (e, op) = (self.expression(1), self.pick(&["+=", "-=", "*=", "/="]));
                format!("{place} {op} {e};")
            }
            1 => format!("{}{place}{};", self.pick(&["++", "--", ""]), self.pick(&["", ";"])),
            2 => format!("{place}{};", self.pick(&["++", "--"])),
            3 => format!("g{}_{id} = {};", self.rng.below(3), self.integer(2)),
            4 => format!("g{}_{id} {} {};", self.rng.below(3), self.pick(&["+=", "-="]), self.expression(1)),
            5 => format!(
                "if ({}) {place} = {}; else {place} = {};",
                self.condition(1),
                self.expression(1),
                self.integer(1)
            ),
            _ => format!("{place} = {};", self.expression(3)),
        }
    }

    fn text(&mut self) -> String {
        let id = self.id;
        let mut out = format!(
            "unsigned long long checksum_{id};\nstruct S_{id} {{ float f; double d; char c; }} s_{id}, t_{id};\n"
        );
        for n in 0..3 {
            let (a, b) = (self.constant(), self.constant());
            let _ = writeln!(
                out,
                "float gf{n}_{id} = {a}; double gd{n}_{id} = {b}; {} g{n}_{id} = {n};",
                INTS[3 + n]
            );
        }
        let _ = writeln!(out, "float af_{id}[3] = {{1, 0.1, 2.5f}}; double ad_{id}[3] = {{[1] = 3}};");
        let pointers = format!("float *pf = &gf0_{id}; double *pd = &ad_{id}[2];");
        for n in 0..2 {
            let _ = writeln!(
                out,
                "{} f{n}_{id}({} x, {} y) {{ return x {} y; }}",
                self.pick(&["float", "double", "int"]).replace("int", "double"),
                self.pick(&["float", "double"]),
                self.pick(&["float", "double", "int"]),
                self.pick(&["+", "*", "-", "/"]),
            );
        }
        let _ = writeln!(out, "void run_{id}(void) {{ {pointers}");
        for n in 0..self.rng.below(8) + 3 {
            let statement = self.statement();
            match n {
                2 => _ = writeln!(out, "  for (int i = 0; i < 4; i++) {{ {statement} }}"),
                4 => _ = writeln!(out, "  t_{id} = s_{id}; {statement} s_{id} = t_{id};"),
                _ => _ = writeln!(out, "  {statement}"),
            }
        }
        for p in ["gf0", "gf1", "gf2"]
            .map(|n| format!("{n}_{id}"))
            .into_iter()
            .chain([format!("af_{id}[1]"), format!("s_{id}.f")])
        {
            let _ = writeln!(out, "  checksum_{id} = checksum_{id} * 31u + bits_f({p});");
        }
        for p in ["gd0", "gd1", "gd2"]
            .map(|n| format!("{n}_{id}"))
            .into_iter()
            .chain([format!("ad_{id}[2]"), format!("s_{id}.d")])
        {
            let _ = writeln!(out, "  checksum_{id} = checksum_{id} * 31u + bits_d({p});");
        }
        for n in 0..3 {
            let _ = writeln!(out, "  checksum_{id} = checksum_{id} * 31u + (unsigned long long)g{n}_{id};");
        }
        out.push_str("}\n");
        out
    }
}

/// The checksums as gcc computes them; `None` without a compiler or its library.
fn compiled(texts: &[String]) -> Option<Vec<u64>> {
    let mut text =
        format!("{HEAD}{}\nextern int printf(const char *, ...);\nint main(void) {{\n", texts.join("\n"));
    for id in 0..texts.len() {
        let _ = writeln!(text, "  run_{id}(); printf(\"%llx\\n\", checksum_{id});");
    }
    text.push_str("  return 0;\n}\n");
    let dir = std::env::temp_dir().join(format!("bolide-floats-{}", std::process::id()));
    std::fs::create_dir_all(&dir).ok()?;
    let (source, binary) = (dir.join("programs.c"), dir.join("programs"));
    std::fs::write(&source, text).ok()?;
    let arguments = ["-m64", "-w", "-O0", "-fwrapv", "-ffp-contract=off", "-fno-builtin-fmin", "-o"];
    let built = Command::new("gcc").args(arguments).args([&binary, &source]).arg("-lm").output().ok()?;
    if !built.status.success() {
        let message = String::from_utf8_lossy(&built.stderr);
        assert!(!message.contains("programs.c:"), "gcc rejects a program: {message}");
        return None;
    }
    let output = Command::new(&binary).output().ok()?;
    let _ = std::fs::remove_dir_all(&dir);
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let sums: Vec<u64> = lines.lines().filter_map(|l| u64::from_str_radix(l, 16).ok()).collect();
    assert_eq!(sums.len(), texts.len(), "the compiled programs crashed");
    Some(sums)
}

#[test]
fn floating_point_agrees_with_gcc() {
    let wanted = std::env::var("BOLIDE_FLOAT_PROGRAMS")
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or_else(|| rounds(500));
    let mut rng = Random::new(0x0f1e_2d3c_4b5a_6978);
    let texts: Vec<String> = (0..wanted).map(|id| Program { rng: &mut rng, id }.text()).collect();
    let Some(sums) = compiled(&texts) else {
        eprintln!("no compiler with a mathematical library");
        return;
    };
    let (mut compared, mut undefined) = (0, 0);
    for (id, (text, sum)) in texts.iter().zip(sums).enumerate() {
        let entry = Some(format!("run_{id}"));
        let options = Options { data_model: DataModel::Lp64, entry, ..Options::default() };
        let text = format!("{HEAD}{text}");
        let mut store = Store::new();
        let task = load(&mut store, "random.c", &text, &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(task.program.check(&store), None);
        let mut interpreter = Interpreter::new(&task.unit);
        // What `signbit` gives is not zero, if it is not.
        match interpreter.run(&mut |_| 1, &Budget::unlimited().with_steps(100_000)) {
            End::Stuck(_) => undefined += 1,
            End::Returned(_) => {
                let found = interpreter.global(&format!("checksum_{id}"));
                assert_eq!(found, Some(sum.into()), "{text}");
                compared += 1;
            }
            end => panic!("{end:?}\n{text}"),
        }
    }
    println!("floating point: {compared} compared, {undefined} undefined");
    assert!(compared > wanted / 3, "{compared} of {wanted}");
}

/// The encoded program with exact floating values is executed: it must come to the checksum that the interpreter found.
#[test]
fn exact_encoding_agrees_with_the_interpreter() {
    let mut rng = Random::new(0x1357_9bdf_0246_8ace);
    let mut compared = 0;
    for id in 0..60 {
        let text = Program { rng: &mut rng, id }.text();
        let text = format!("{HEAD}extern void __VERIFIER_error(void);\n{text}");
        let options = |entry: String, floats| Options {
            data_model: DataModel::Lp64,
            entry: Some(entry),
            floats,
            ..Options::default()
        };
        let mut store = Store::new();
        let plain = options(format!("run_{id}"), Floats::Reals);
        let task = load(&mut store, "random.c", &text, &plain).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let mut interpreter = Interpreter::new(&task.unit);
        let End::Returned(_) = interpreter.run(&mut |_| 1, &Budget::unlimited().with_steps(100_000)) else {
            continue;
        };
        let sum = interpreter.global(&format!("checksum_{id}")).expect("a checksum");
        let text = format!(
            "{text}\nvoid checked_{id}(void) {{ run_{id}(); if (checksum_{id} != {sum}ull) __VERIFIER_error(); }}\n"
        );
        let mut store = Store::new();
        let exact = options(format!("checked_{id}"), Floats::Exact);
        let task = load(&mut store, "random.c", &text, &exact).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(task.program.check(&store), None);
        let program = &task.program;
        // Where bits of a NaN are asked for, some that a NaN has.
        let input = |site: bolide_model::InputId| {
            let input = &program.inputs[site];
            match (input.name.starts_with("bits of"), input.range) {
                (true, Some((_, high))) => {
                    let nan: i64 = if high >> 32 == 0 { 0x7fc0_0000 } else { 0x7ff8_0000_0000_0000 };
                    bolide_term::Value::Num(bolide_base::Rational::from(nan))
                }
                _ => program.default_value(&store, input.sort, input.range),
            }
        };
        let budget = Budget::unlimited().with_steps(2_000_000);
        match Runner::new(&store, program, &[]).run(&store, input, &budget).0 {
            Outcome::Error(_) => panic!("another checksum than {sum}\n{text}"),
            Outcome::Finished => compared += 1,
            _ => {}
        }
    }
    println!("exact encoding: {compared} compared");
    assert!(compared > 15, "{compared}");
}
