//! Whole programs: records, globals, functions, and the function that is run.

use super::objects::{Field, Func, INTS, Life, Place, Record, Ty};
use crate::Random;

/// The input of a program is 0, 1, … up to this number less one.
pub const INPUTS: u64 = 3;

/// A program under construction.
pub(super) struct Generator<'a> {
    pub rng: &'a mut Random,
    pub lines: Vec<String>,
    pub records: Vec<Record>,
    pub funcs: Vec<Func>,
    /// Variables in scope.
    pub vars: Vec<Place>,
    /// Counters of loops in scope, with the number that they stay below.
    pub counters: Vec<(String, usize)>,
    /// Numbers for new names.
    pub names: usize,
    /// How many more statements there may be.
    pub fuel: usize,
    /// Loops around the current statement.
    pub loops: usize,
    /// Indices around the current expression.
    pub indices: usize,
}

/// What every program starts with: the library functions that it may call, its checksum, and functions for callbacks.
pub const PRELUDE: &str = "\
typedef __typeof__(sizeof 0) size_type;
typedef unsigned long uintptr_type;
extern void *memcpy(void *, const void *, size_type);
extern void *memmove(void *, const void *, size_type);
extern void *memset(void *, int, size_type);
extern int memcmp(const void *, const void *, size_type);
extern size_type strlen(const char *);
extern char *strcpy(char *, const char *);
extern int strcmp(const char *, const char *);
extern void *malloc(size_type);
extern void free(void *);
static unsigned long long sum;
static int in;
static void note(unsigned long long v) { sum = sum * 31u + v; }
static int op_add(int a, int b) { return a + b; }
static int op_xor(int a, int b) { return a ^ b; }
static int op_pick(int a, int b) { return (a & 1) ? a : b; }
static int op_less(int a, int b) { return a < b; }
enum color { RED, GREEN = 5, BLUE, LAST = -1 };
";

/// The functions of a callback's type in the prelude.
pub(super) const CALLBACKS: [&str; 4] = ["op_add", "op_xor", "op_pick", "op_less"];

/// Programs have at most so many records, `R0`, `R1`, and so on.
pub(super) const RECORDS: usize = 3;

/// Names of one program have numbers below this one, so that several programs fit in one unit.
const NAMES: usize = 10_000;

/// A program, to be put after [`PRELUDE`]: its function `unsigned long long run_ID(int)` returns a checksum.
pub fn generate(rng: &mut Random, id: usize) -> String {
    let mut g = Generator {
        rng,
        lines: Vec::new(),
        records: Vec::new(),
        funcs: Vec::new(),
        vars: Vec::new(),
        counters: Vec::new(),
        names: id * NAMES,
        fuel: 0,
        loops: 0,
        indices: 0,
    };
    for _ in 0..1 + g.rng.below(RECORDS) {
        g.record();
    }
    for _ in 0..3 + g.rng.below(4) {
        g.global();
    }
    let globals = g.vars.clone();
    for _ in 0..1 + g.rng.below(3) {
        g.function();
        g.vars.clone_from(&globals);
    }
    g.line(format!("unsigned long long run_{id}(int input) {{"));
    g.line("in = input;");
    g.counters.push(("in".into(), INPUTS as usize));
    for _ in 0..1 + g.rng.below(4) {
        g.local();
    }
    g.fuel = 14;
    for _ in 0..4 + g.rng.below(6) {
        g.statement();
    }
    for place in g.vars.clone() {
        g.note_all(&place, 0);
    }
    g.line("return sum;");
    g.line("}");
    g.lines.join("\n") + "\n"
}

impl Generator<'_> {
    pub fn line(&mut self, text: impl Into<String>) {
        self.lines.push(text.into());
    }

    /// A name that was not used before.
    pub fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    pub fn int_type(&mut self) -> Ty {
        // `int` is what most programs are about.
        Ty::Int(if self.rng.one_in(3) { "int" } else { INTS[self.rng.below(INTS.len())] })
    }

    fn member_type(&mut self, depth: usize) -> Ty {
        match self.rng.below(10) {
            0 | 1 if depth < 2 => Ty::Array(Box::new(self.member_type(depth + 1)), 2 + self.rng.below(3)),
            2 | 3 if !self.records.is_empty() => Ty::Record(self.rng.below(self.records.len())),
            4 if depth == 0 => self.int_type().pointer(),
            5 if depth == 0 => Ty::Callback,
            _ => self.int_type(),
        }
    }

    fn record(&mut self) {
        let number = self.records.len();
        let is_union = self.rng.one_in(5);
        let attributes = match self.rng.below(12) {
            0 if !is_union => " __attribute__((packed))",
            1 => " __attribute__((aligned(16)))",
            _ => "",
        };
        let mut fields = Vec::new();
        for n in 0..2 + self.rng.below(3) {
            let name = format!("m{n}");
            let bits = (!is_union && self.rng.one_in(5)).then(|| 1 + self.rng.below(12));
            let ty = match bits {
                Some(_) => Ty::Int(["int", "unsigned", "unsigned long long", "long"][self.rng.below(4)]),
                // Members of unions have no padding, and no pointers: any of them may be read after any other was written.
                None if is_union && self.rng.one_in(3) => {
                    Ty::Array(Box::new(Ty::Int("unsigned char")), 2 + self.rng.below(6))
                }
                None if is_union => Ty::Int(INTS[self.rng.below(11)]),
                None => self.member_type(0),
            };
            fields.push(Field { name, ty, bits });
        }
        let word = if is_union { "union" } else { "struct" };
        self.line(format!("typedef {word} T{number} {{"));
        for f in &fields {
            let bits = f.bits.map_or(String::new(), |b| format!(" : {b}"));
            self.line(format!("{}{bits};", f.ty.declare(&f.name)));
        }
        self.line(format!("}}{attributes} R{number};"));
        self.records.push(Record { is_union, fields, attributes });
    }

    /// Can a pointer of this type be made here, or is there nothing that it could lead to?
    fn can_initialise(&self, ty: &Ty, life: Life) -> bool {
        match ty {
            Ty::Int(_) | Ty::Callback => true,
            Ty::Ptr(to) => self.targets(to, life).next().is_some(),
            Ty::Array(of, _) => self.can_initialise(of, life),
            Ty::Record(n) => self.records[*n].fields.iter().all(|f| self.can_initialise(&f.ty, life)),
        }
    }

    /// Variables of a type to which something with this lifetime may point.
    pub fn targets<'s>(&'s self, ty: &'s Ty, life: Life) -> impl Iterator<Item = &'s Place> {
        self.vars.iter().filter(move |v| {
            v.ty == *ty && v.addressable && v.writable && (life == Life::Local || v.life == Life::Static)
        })
    }

    /// An initialiser: constant, so that it fits static objects, too.
    fn initialiser(&mut self, ty: &Ty, life: Life) -> String {
        match ty {
            Ty::Int("_Bool") => self.rng.below(2).to_string(),
            Ty::Int(_) => self.constant(),
            Ty::Callback => CALLBACKS[self.rng.below(4)].into(),
            Ty::Ptr(to) => {
                let targets: Vec<String> = self.targets(to, life).map(|p| p.text.clone()).collect();
                format!("&{}", targets[self.rng.below(targets.len())])
            }
            Ty::Array(of, n) if matches!(**of, Ty::Int("char")) && *n >= 4 && self.rng.one_in(2) => {
                ["\"abc\"", "\"x\"", "\"\"", "{'a', 'b'}"][self.rng.below(4)].into()
            }
            Ty::Array(of, n) if matches!(**of, Ty::Int(_)) && self.rng.one_in(3) => {
                let (a, b) = (self.constant(), self.rng.below(*n));
                format!("{{[{b} ... {}] = {a}, [0] = {}}}", n - 1, self.constant())
            }
            Ty::Array(of, n) => {
                let parts: Vec<String> = (0..*n).map(|_| self.initialiser(of, life)).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Ty::Record(n) => {
                let record = self.records[*n].clone();
                if record.is_union {
                    return "{0}".into();
                }
                let mut parts: Vec<String> = Vec::new();
                let designated = self.rng.one_in(2);
                for f in &record.fields {
                    let value = self.initialiser(&f.ty, life);
                    parts.push(if designated { format!(".{} = {value}", f.name) } else { value });
                }
                if designated && self.rng.one_in(2) {
                    parts.reverse();
                }
                format!("{{{}}}", parts.join(", "))
            }
        }
    }

    fn object_type(&mut self) -> Ty {
        match self.rng.below(10) {
            0..=2 => Ty::Record(self.rng.below(self.records.len())),
            3 | 4 => {
                let record = Ty::Record(self.rng.below(self.records.len()));
                Ty::Array(Box::new(record), 2 + self.rng.below(3))
            }
            5 => Ty::Array(Box::new(Ty::Callback), 2 + self.rng.below(3)),
            6 => {
                let row = Ty::Array(Box::new(self.int_type()), 2 + self.rng.below(3));
                if self.rng.one_in(2) { row } else { Ty::Array(Box::new(row), 2 + self.rng.below(2)) }
            }
            7 | 8 => {
                let to = match self.rng.choose(&self.vars) {
                    Some(v) => v.ty.pointer(),
                    None => self.int_type(),
                };
                if self.rng.one_in(2) { Ty::Array(Box::new(to), 2 + self.rng.below(2)) } else { to }
            }
            _ => self.int_type(),
        }
    }

    fn variable(&mut self, life: Life) {
        let ty = self.object_type();
        if !self.can_initialise(&ty, life) {
            return;
        }
        let name = self.name(if life == Life::Static { "g" } else { "v" });
        let initialiser = self.initialiser(&ty, life);
        let constant = matches!(&ty, Ty::Array(of, _) if matches!(**of, Ty::Int(_) | Ty::Record(_)))
            && self.rng.one_in(8);
        let words = match (life, constant) {
            (Life::Static, true) => "static const ",
            (Life::Static, false) => "static ",
            (Life::Local, true) => "const ",
            (Life::Local, false) => "",
        };
        self.line(format!("{words}{} = {initialiser};", ty.declare(&name)));
        self.vars.push(Place { text: name, ty, life, writable: !constant, addressable: true });
    }

    fn global(&mut self) {
        self.variable(Life::Static);
    }

    pub fn local(&mut self) {
        if self.rng.one_in(6) {
            // A static object of a block.
            self.variable(Life::Static);
        } else {
            self.variable(Life::Local);
        }
    }

    fn function(&mut self) {
        let name = self.name("f");
        let mut params = Vec::new();
        for _ in 0..self.rng.below(4) {
            params.push(match self.rng.below(5) {
                0 => Ty::Record(self.rng.below(self.records.len())),
                1 => Ty::Record(self.rng.below(self.records.len())).pointer(),
                2 => self.int_type().pointer(),
                3 => Ty::Callback,
                _ => self.int_type(),
            });
        }
        let result = match self.rng.below(4) {
            0 => Ty::Record(self.rng.below(self.records.len())),
            _ => self.int_type(),
        };
        let declared: Vec<String> =
            params.iter().enumerate().map(|(n, ty)| ty.declare(&format!("p{n}"))).collect();
        let all_int = params.iter().all(|p| matches!(p, Ty::Int("int" | "long" | "unsigned")));
        if all_int && !params.is_empty() && self.rng.one_in(4) {
            // A definition in old style.
            let names: Vec<String> = (0..params.len()).map(|n| format!("p{n}")).collect();
            self.line(format!(
                "static {} {};",
                result.declare(&format!("{name}({})", names.join(", "))),
                declared.join("; ")
            ));
            let last = self.lines.len() - 1;
            self.lines[last].push_str(" {");
        } else {
            let list = if declared.is_empty() { "void".into() } else { declared.join(", ") };
            self.line(format!("static {} {{", result.declare(&format!("{name}({list})"))));
        }
        for (n, ty) in params.iter().enumerate() {
            // Whoever calls may pass the address of a local.
            self.vars.push(Place {
                text: format!("p{n}"),
                ty: ty.clone(),
                life: Life::Local,
                writable: true,
                addressable: true,
            });
        }
        if self.rng.one_in(2) {
            self.local();
        }
        self.fuel = 4;
        for _ in 0..1 + self.rng.below(3) {
            self.statement();
        }
        let value = match &result {
            Ty::Record(_) => self.place(&result).map(|p| p.text),
            _ => None,
        };
        let value = match value {
            Some(text) => text,
            None if matches!(result, Ty::Record(_)) => {
                let initialiser = self
                    .can_initialise(&result, Life::Static)
                    .then(|| self.initialiser(&result, Life::Static));
                format!("({}){}", result.declare(""), initialiser.unwrap_or("{0}".into()))
            }
            None => self.expression(2),
        };
        self.line(format!("return {value};"));
        self.line("}");
        self.funcs.push(Func { name, params, result });
    }

    /// Notes all integers in a place.
    fn note_all(&mut self, place: &Place, depth: usize) {
        match &place.ty {
            Ty::Int(_) => self.line(format!("note({});", place.text)),
            Ty::Array(of, n) => {
                for k in 0..*n {
                    let text = format!("{}[{k}]", place.text);
                    self.note_all(&Place { text, ty: (**of).clone(), ..place.clone() }, depth);
                }
            }
            Ty::Record(n) => {
                for f in self.records[*n].fields.clone() {
                    let text = format!("{}.{}", place.text, f.name);
                    self.note_all(&Place { text, ty: f.ty, ..place.clone() }, depth);
                }
            }
            Ty::Ptr(to) if depth == 0 => {
                let text = format!("(*{})", place.text);
                self.note_all(&Place { text, ty: (**to).clone(), ..place.clone() }, 1);
            }
            Ty::Callback if depth == 0 => self.line(format!("note({}(3, 5));", place.text)),
            Ty::Ptr(_) | Ty::Callback => {}
        }
    }
}
