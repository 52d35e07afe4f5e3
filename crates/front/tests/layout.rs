//! Sizes, alignments, offsets, bit positions, promotions and types of expressions, compared with gcc on generated records.
//! Without gcc there is nothing to compare with, and the tests only say so.

use bolide_front::c::{self, DataModel, Options};
use bolide_term::Store;
use bolide_testkit::Random;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

const SCALARS: &[&str] = &[
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "float",
    "double",
    "char *",
    "_Bool",
    "long double",
    "enum small",
    "enum packed_small",
    "enum negative",
    "aligned_int",
    "under_aligned",
    "pair_of_int",
    "pair_of_float",
    "eight_chars",
];
const FIELDS: &[(&str, u64, u64)] = &[
    ("char", 8, 8),
    ("signed char", 8, 8),
    ("unsigned char", 8, 8),
    ("short", 16, 16),
    ("unsigned short", 16, 16),
    ("int", 32, 32),
    ("unsigned", 32, 32),
    ("long", 64, 32),
    ("unsigned long", 64, 32),
    ("long long", 64, 64),
    ("unsigned long long", 64, 64),
    ("_Bool", 1, 1),
    ("enum small", 32, 32),
    ("enum negative", 32, 32),
];
const PRELUDE: &str = "enum small { A0, A1, A2 }; enum packed_small { B0, B1 = 200 } __attribute__((packed));\n\
    enum negative { C0 = -1, C1 = 5 }; typedef int aligned_int __attribute__((aligned(16)));\n\
    typedef long long under_aligned __attribute__((aligned(2)));\n\
    typedef int pair_of_int __attribute__((vector_size(8)));\n\
    typedef float pair_of_float __attribute__((vector_size(8)));\n\
    typedef signed char eight_chars __attribute__((vector_size(8)));\n\
    typedef unsigned long T;\n";

/// A program that describes itself: an array of numbers, and one object for each bit-field.
struct Described {
    text: String,
    /// What the numbers are.
    what: Vec<String>,
    /// The objects and their names.
    objects: Vec<String>,
}

/// A record with the names of members whose offsets exist, and its bit-fields.
fn record(random: &mut Random, n: u64, out: &mut Described, values: &mut String) {
    let is_union = random.one_in(5);
    let name = format!("{} s{n}", if is_union { "union" } else { "struct" });
    let pack = [1, 2, 4, 8][random.below(4) as usize];
    let has_pack = random.one_in(6);
    if has_pack {
        let _ = writeln!(out.text, "#pragma pack(push, {pack})");
    }
    let before = if random.one_in(8) { "__attribute__((packed)) " } else { "" };
    let tag = format!("{} {before}s{n}", if is_union { "union" } else { "struct" });
    let _ = write!(out.text, "{tag} {{ ");
    let (mut members, mut fields) = (Vec::new(), Vec::new());
    for m in 0..1 + random.below(7) {
        let attribute = match random.below(14) {
            0 => " __attribute__((packed))",
            1 => " __attribute__((aligned(8)))",
            2 => " __attribute__((aligned(2)))",
            3 => " __attribute__((packed, aligned(4)))",
            _ => "",
        };
        match random.below(6) {
            0 | 1 => {
                let (ty, most, most32) = FIELDS[random.below(FIELDS.len() as u64) as usize];
                let width = 1 + random.below(most.min(most32));
                if random.one_in(8) {
                    let _ = write!(out.text, "{ty} : 0; ");
                } else if random.one_in(8) {
                    let _ = write!(out.text, "{ty} : {width}; ");
                } else {
                    let _ = write!(out.text, "{ty} m{m} : {width}{attribute}; ");
                    fields.push(format!("m{m}"));
                }
            }
            2 if n > 0 => {
                let other = random.below(n);
                let _ = write!(out.text, "T{other} m{m}{attribute}; ");
                members.push(format!("m{m}"));
            }
            3 => {
                let ty = random.pick(&["char", "int", "short", "double", "long long"]);
                let _ = write!(out.text, "{ty} m{m}[{}]{attribute}; ", 1 + random.below(4));
                members.push(format!("m{m}"));
            }
            4 if random.one_in(3) => {
                let _ = write!(out.text, "struct {{ char a{m}; int b{m} : {}; }}; ", 1 + random.below(32));
                members.push(format!("a{m}"));
            }
            _ => {
                // Objects of type long double are not represented.
                let ty = random.pick(SCALARS).replace("long double", "char **");
                let before = if random.one_in(8) { " __attribute__((aligned(16)))" } else { "" };
                let _ = write!(out.text, "{ty}{before} m{m}{attribute}; ");
                members.push(format!("m{m}"));
            }
        }
    }
    let after = match random.below(12) {
        0 => " __attribute__((packed))",
        1 => " __attribute__((aligned(4)))",
        2 => " __attribute__((packed, aligned(2)))",
        _ => "",
    };
    let _ = writeln!(out.text, "}}{after}; typedef {name} T{n};");
    if has_pack {
        out.text.push_str("#pragma pack(pop)\n");
    }
    let mut value = |what: String, value: String| {
        let _ = write!(values, "{value}, ");
        out.what.push(what);
    };
    value(format!("sizeof({name})"), format!("sizeof({name})"));
    value(format!("_Alignof({name})"), format!("_Alignof({name})"));
    for m in members {
        let offset = format!("__builtin_offsetof({name}, {m})");
        value(offset.clone(), offset);
    }
    for f in fields {
        let _ = writeln!(out.text, "{name} o{n}_{f} = {{ .{f} = -1 }};");
        out.objects.push(format!("o{n}_{f}"));
        let expression = format!("((({name} *)0)->{f})");
        for e in [format!("+{expression}"), format!("{expression} + 1"), format!("{expression} = 1")] {
            value(format!("sizeof({e}) in {name}"), format!("sizeof({e})"));
            let e = format!("({e})");
            value(format!("type of {e}"), kind_of(&e));
        }
    }
}

/// A number for the type of an expression.
fn kind_of(e: &str) -> String {
    format!(
        "_Generic({e}, char: 1, signed char: 2, unsigned char: 3, short: 4, unsigned short: 5, int: 6, unsigned: 7, \
         long: 8, unsigned long: 9, long long: 10, unsigned long long: 11, _Bool: 12, float: 13, double: 14, \
         long double: 15, default: 99)"
    )
}

fn described(seed: u64, count: u64) -> Described {
    let mut out = Described { text: PRELUDE.into(), what: Vec::new(), objects: Vec::new() };
    let (mut random, mut values) = (Random::new(seed), String::new());
    for n in 0..count {
        record(&mut random, n, &mut out, &mut values);
    }
    let types = &SCALARS[..16];
    for a in types.iter().filter(|t| **t != "char *") {
        for b in types.iter().filter(|t| **t != "char *") {
            for op in ["+", "<<", "<"] {
                if op == "<<" && [a, b].iter().any(|t| ["float", "double", "long double"].contains(t)) {
                    continue;
                }
                let e = format!("(({a})1 {op} ({b})1)");
                let _ = write!(values, "{}, ", kind_of(&e));
                out.what.push(e.clone());
                let e = format!("(1 ? ({a})1 : ({b})1)");
                let _ = write!(values, "{}, ", kind_of(&e));
                out.what.push(e);
            }
        }
    }
    let _ = writeln!(out.text, "unsigned v[] = {{ {values} }};");
    out
}

/// What gcc says: the numbers, and the bytes of each object.
fn by_gcc(d: &Described, model: DataModel) -> Option<Vec<Vec<u8>>> {
    let folder = std::env::temp_dir().join(format!("bolide-layout-{}-{model:?}", std::process::id()));
    std::fs::create_dir_all(&folder).ok()?;
    let mut text = d.text.clone();
    text.push_str("int printf(const char *, ...);\nvoid show(void *p, unsigned long n) { unsigned char *c = p; for (unsigned long i = 0; i < n; i++) printf(\"%02x\", c[i]); printf(\"\\n\"); }\nint main(void) { show(v, sizeof v);\n");
    for o in &d.objects {
        let _ = writeln!(text, "show(&{o}, sizeof {o});");
    }
    text.push_str("return 0; }\n");
    let (source, program) = (folder.join("layout.c"), folder.join("layout"));
    std::fs::write(&source, text).ok()?;
    let flag = if model == DataModel::Ilp32 { "-m32" } else { "-m64" };
    let built = Command::new("gcc").args([flag, "-w", "-O0", "-o"]).arg(&program).arg(&source).status();
    let output = match built {
        Ok(status) if status.success() => Command::new(&program).output().ok(),
        _ => None,
    };
    let _ = std::fs::remove_dir_all(&folder);
    let text = String::from_utf8(output?.stdout).ok()?;
    let byte = |line: &str, n: usize| u8::from_str_radix(&line[2 * n..2 * n + 2], 16).unwrap_or(0);
    Some(text.lines().map(|line| (0..line.len() / 2).map(|n| byte(line, n)).collect()).collect())
}

/// What we say: the bytes of every static object.
fn by_us(d: &Described, model: DataModel) -> BTreeMap<String, Vec<u8>> {
    let mut store = Store::new();
    let options = Options { data_model: model, ..Options::default() };
    let text = format!("{}int main(void) {{ return 0; }}\n", d.text);
    let task = match c::load(&mut store, "layout.c", &text, &options) {
        Ok(task) => task,
        Err(e) => panic!("{e}"),
    };
    let unit = &task.unit;
    let mut out: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for v in unit.vars.iter() {
        out.insert(v.name.clone(), vec![0; unit.types.size_of(v.ty).unwrap_or(0) as usize]);
    }
    for s in &unit.statics {
        let bytes = out.get_mut(&unit.vars[s.var].name).expect("every variable is there");
        let value = unit.as_int(s.value).expect("the initialisers are integers") as u128;
        let (first, width) = s.bits.unwrap_or((0, 8 * unit.types.size_of(s.ty).unwrap_or(0) as u32));
        for bit in 0..width {
            let at = 8 * s.offset as usize + (first + bit) as usize;
            bytes[at / 8] |= u8::from(value >> bit & 1 == 1) << (at % 8);
        }
    }
    out
}

fn compare(seed: u64, count: u64, model: DataModel) {
    let d = described(seed, count);
    let Some(theirs) = by_gcc(&d, model) else {
        eprintln!("gcc cannot build programs for {model:?}: nothing is compared");
        return;
    };
    let ours = by_us(&d, model);
    let number = |bytes: &[u8], n: usize| u32::from_le_bytes([0, 1, 2, 3].map(|i| bytes[4 * n + i]));
    let mut wrong = Vec::new();
    for (n, what) in d.what.iter().enumerate() {
        let (x, y) = (number(&ours["v"], n), number(&theirs[0], n));
        if x != y {
            wrong.push(format!("{what}: {x}, gcc says {y}"));
        }
    }
    for (o, bytes) in d.objects.iter().zip(&theirs[1..]) {
        if ours[o] != *bytes {
            wrong.push(format!("{o}: {:02x?}, gcc says {bytes:02x?}", ours[o]));
        }
    }
    wrong.truncate(20);
    assert!(wrong.is_empty(), "{model:?}: {}", wrong.join("\n"));
}

#[test]
fn records_lie_in_memory_as_gcc_lays_them_out_for_x86_64() {
    compare(1, 2000, DataModel::Lp64);
}

#[test]
fn records_lie_in_memory_as_gcc_lays_them_out_for_i386() {
    compare(2, 2000, DataModel::Ilp32);
}
