//! Random C programs without undefined behaviour (given wrapping signed arithmetic) and without inputs.

pub use bolide_testkit::Random;
use std::fmt::Write;

const TYPES: [&str; 11] = [
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "_Bool",
];

/// One program: its text, and names that end in its number so that many fit into one file.
pub struct Generator<'a> {
    rng: &'a mut Random,
    id: usize,
    text: String,
    /// Things that can be read and written in the current function.
    places: Vec<String>,
    functions: usize,
    counters: usize,
    labels: usize,
    loop_depth: usize,
}

impl<'a> Generator<'a> {
    /// The text of a program whose function `run_ID` computes `checksum_ID`.
    pub fn program(rng: &'a mut Random, id: usize) -> String {
        let mut g = Generator {
            rng,
            id,
            text: String::new(),
            places: Vec::new(),
            functions: 0,
            counters: 0,
            labels: 0,
            loop_depth: 0,
        };
        g.globals();
        let globals = g.places.clone();
        for _ in 0..2 {
            g.function();
        }
        g.places = globals.clone();
        let _ = writeln!(g.text, "void run_{id}(void) {{\n  int i0 = 0;");
        for n in 0..4 {
            g.local(n);
        }
        for _ in 0..g.rng.below(6) + 3 {
            g.statement(2, 1);
        }
        for p in globals {
            let _ = writeln!(g.text, "  checksum_{id} = checksum_{id} * 31u + (unsigned long long)({p});");
        }
        g.text.push_str("}\n");
        g.text
    }

    fn constant(&mut self) -> String {
        match self.rng.below(6) {
            0 => format!("{}", self.rng.below(4)),
            1 => format!("{}", self.rng.below(1000) as i64 - 500),
            2 => [
                "127",
                "128",
                "255",
                "256",
                "32767",
                "65535",
                "2147483647",
                "2147483648u",
                "4294967295u",
                "-1",
            ][self.rng.below(10) as usize]
                .to_string(),
            3 => format!("{}u", self.rng.below(1u64 << 32)),
            4 => format!("{}ll", self.rng.below(1u64 << 40)),
            _ => format!("'{}'", (b'a' + self.rng.below(26) as u8) as char),
        }
    }

    fn globals(&mut self) {
        let id = self.id;
        let _ = writeln!(self.text, "unsigned long long checksum_{id};");
        for n in 0..6 {
            let (ty, value) = (TYPES[self.rng.below(11) as usize], self.constant());
            let _ = writeln!(self.text, "{ty} g{n}_{id} = {value};");
            self.places.push(format!("g{n}_{id}"));
        }
        let (a, b) = (TYPES[self.rng.below(10) as usize], TYPES[self.rng.below(10) as usize]);
        let _ = writeln!(self.text, "{a} arr_{id}[8] = {{1, 2, [5] = 7}};\n{b} mat_{id}[3][4];");
        let bits: Vec<u64> = (0..4).map(|_| self.rng.below(7) + 1).collect();
        let (c, d) = (TYPES[self.rng.below(10) as usize], TYPES[self.rng.below(10) as usize]);
        let _ = writeln!(
            self.text,
            "struct S_{id} {{ {c} a; int b : {}; unsigned c : {}; signed char d; unsigned short e : {}; {d} f; int g : {}; }};",
            bits[0],
            bits[1],
            bits[2],
            bits[3] + 9
        );
        let _ = writeln!(
            self.text,
            "struct S_{id} s1_{id} = {{1, -1, 1, 3, 1, 5, 9}}, s2_{id}, sa_{id}[3];\nunion U_{id} {{ unsigned u; unsigned char c[4]; short h[2]; }} u_{id};"
        );
        let _ = writeln!(self.text, "struct N_{id} {{ int v; struct N_{id} *next; }} n1_{id}, n2_{id};");
        for place in [
            format!("arr_{id}[3]"),
            format!("mat_{id}[1][2]"),
            format!("s1_{id}.a"),
            format!("s1_{id}.b"),
            format!("s1_{id}.c"),
            format!("s1_{id}.d"),
            format!("s1_{id}.e"),
            format!("s1_{id}.g"),
            format!("s2_{id}.b"),
            format!("s2_{id}.f"),
            format!("sa_{id}[1].a"),
            format!("sa_{id}[2].g"),
            format!("u_{id}.u"),
            format!("u_{id}.c[2]"),
            format!("u_{id}.h[1]"),
            format!("n1_{id}.v"),
            format!("n2_{id}.v"),
        ] {
            self.places.push(place);
        }
    }

    fn local(&mut self, n: usize) {
        let ty = TYPES[self.rng.below(11) as usize];
        let value = self.expression(1);
        let _ = writeln!(self.text, "  {ty} v{n} = {value};");
        self.places.push(format!("v{n}"));
        if n == 1 {
            let (ty, value) = (TYPES[self.rng.below(10) as usize], self.constant());
            let _ = writeln!(self.text, "  {ty} w{n} = {value}, *p{n} = &w{n};");
            self.places.push(format!("(*p{n})"));
            self.places.push(format!("w{n}"));
        }
    }

    fn function(&mut self) {
        let saved = self.places.clone();
        let id = self.id;
        let (r, a, b) = (
            TYPES[self.rng.below(11) as usize],
            TYPES[self.rng.below(11) as usize],
            TYPES[self.rng.below(11) as usize],
        );
        let _ = writeln!(self.text, "{r} f{}_{id}({a} x, {b} y) {{", self.functions);
        self.text.push_str("  int i0 = 0;\n");
        self.places.push("x".into());
        self.places.push("y".into());
        for _ in 0..self.rng.below(3) + 1 {
            self.statement(1, 1);
        }
        let result = self.expression(2);
        let _ = writeln!(self.text, "  return {result};\n}}");
        self.functions += 1;
        self.places = saved;
    }

    fn place(&mut self) -> String {
        let id = self.id;
        match self.rng.below(12) {
            0 => {
                let e = self.expression(1);
                format!("arr_{id}[({e}) & 7]")
            }
            1 => {
                let (e, f) = (self.expression(0), self.expression(0));
                format!("mat_{id}[({e}) & 1][({f}) & 3]")
            }
            2 => {
                let e = self.expression(0);
                format!("sa_{id}[({e}) & 1].a")
            }
            3 => {
                let e = self.expression(0);
                format!("u_{id}.c[({e}) & 3]")
            }
            _ => self.some_place(),
        }
    }

    /// One of the places.
    fn some_place(&mut self) -> String {
        self.rng.choose(&self.places).cloned().unwrap_or_default()
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 || self.rng.below(5) == 0 {
            return if self.rng.below(3) == 0 { self.constant() } else { self.some_place() };
        }
        let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
        let int = |e: &str| format!("({e})");
        match self.rng.below(14) {
            0 => format!("({} + {})", int(&a), int(&b)),
            1 => format!("({} - {})", int(&a), int(&b)),
            2 => format!("({} * {})", int(&a), int(&b)),
            3 => format!("({} / ((({}) & 7) + 2))", int(&a), b),
            4 => format!("({} % -((({}) & 7) + 2))", int(&a), b),
            5 => {
                let op = ["&", "|", "^"][self.rng.below(3) as usize];
                format!("({} {op} {})", int(&a), int(&b))
            }
            6 => {
                let op = ["<<", ">>"][self.rng.below(2) as usize];
                format!("({} {op} (({}) & 7))", int(&a), b)
            }
            7 => {
                let op = ["<", "<=", ">", ">=", "==", "!="][self.rng.below(6) as usize];
                format!("({} {op} {})", int(&a), int(&b))
            }
            8 => {
                let op = ["&&", "||"][self.rng.below(2) as usize];
                format!("({} {op} {})", int(&a), int(&b))
            }
            9 => {
                let op = ["-", "~", "!", "+"][self.rng.below(4) as usize];
                format!("({op}{})", int(&a))
            }
            10 => format!("({} ? {} : {})", int(&a), int(&b), self.expression(depth - 1)),
            11 | 12 => format!("(({}){})", TYPES[self.rng.below(11) as usize], int(&a)),
            _ => self.place(),
        }
    }

    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "  ".repeat(indent));
    }

    fn block(&mut self, depth: u32, indent: usize) {
        for _ in 0..self.rng.below(3) + 1 {
            self.statement(depth, indent);
        }
    }

    fn statement(&mut self, depth: u32, indent: usize) {
        let id = self.id;
        let kind = self.rng.below(if depth == 0 { 9 } else { 14 });
        match kind {
            0..=2 => {
                let (p, e) = (self.place(), self.expression(3));
                self.line(indent, &format!("{p} = {e};"));
            }
            3 => {
                let (p, e) = (self.place(), self.expression(2));
                let op = ["+=", "-=", "*=", "&=", "|=", "^="][self.rng.below(6) as usize];
                self.line(indent, &format!("{p} {op} {e};"));
            }
            4 => {
                let (p, op) = (self.place(), ["++", "--"][self.rng.below(2) as usize]);
                let text = if self.rng.below(2) == 0 { format!("{p}{op};") } else { format!("{op}{p};") };
                self.line(indent, &text);
            }
            5 if self.functions > 0 => {
                let f = self.rng.below(self.functions as u64);
                let (p, a, b) = (self.place(), self.expression(2), self.expression(2));
                self.line(indent, &format!("{p} = f{f}_{id}({a}, {b});"));
            }
            6 => {
                let text = match self.rng.below(5) {
                    0 => format!("s2_{id} = s1_{id};"),
                    1 => format!("sa_{id}[1] = s1_{id}; s1_{id} = sa_{id}[({}) & 1];", self.expression(0)),
                    2 => format!("{{ struct S_{id} *q = &s1_{id}; q->b = {}; q->a++; }}", self.expression(1)),
                    3 => format!(
                        "n1_{id}.next = &n2_{id}; n1_{id}.next->v = {}; n2_{id}.next = &n1_{id}; n1_{id}.next->next->v++;",
                        self.expression(1)
                    ),
                    _ => format!(
                        "{{ unsigned char *q = (unsigned char *)&u_{id}; q[1] = {}; }}",
                        self.expression(1)
                    ),
                };
                self.line(indent, &text);
            }
            7 => {
                // A value with side effects, sequenced by a comma or a short circuit.
                let (p, q, e) = (self.place(), self.some_place(), self.expression(1));
                let text = match self.rng.below(3) {
                    0 => format!("{p} = ({q} = {e}, {q} + 1);"),
                    1 => format!("i0 = ({e}) && ({q}++ > 3); {p} = i0;"),
                    _ => format!("i0 = ({e}) ? {q}-- : ({q} ^= 5); {p} = i0;"),
                };
                self.line(indent, &text);
            }
            8 if self.loop_depth > 0 => {
                let (e, what) = (self.expression(1), ["break", "continue"][self.rng.below(2) as usize]);
                self.line(indent, &format!("if (({e}) > 100) {what};"));
            }
            9 | 10 => {
                let e = self.expression(2);
                self.line(indent, &format!("if ({e}) {{"));
                self.block(depth - 1, indent + 1);
                self.line(indent, "} else {");
                self.block(depth - 1, indent + 1);
                self.line(indent, "}");
            }
            11 => {
                self.counters += 1;
                let c = format!("c{}", self.counters);
                let n = self.rng.below(4) + 1;
                let head = match self.rng.below(3) {
                    0 => format!("for (int {c} = 0; {c} < {n}; {c}++) {{"),
                    1 => format!("{{ unsigned char {c} = {n}; while ({c}-- > 0) {{"),
                    _ => format!("{{ int {c} = 0; do {{"),
                };
                self.line(indent, &head);
                self.loop_depth += 1;
                self.block(depth - 1, indent + 1);
                self.loop_depth -= 1;
                let tail = if head.ends_with("do {") {
                    format!("}} while (++{c} < {n}); }}")
                } else if head.starts_with('{') {
                    "} }".into()
                } else {
                    "}".into()
                };
                self.line(indent, &tail);
            }
            12 => self.switch(depth, indent),
            13 => {
                self.labels += 1;
                let (l, e) = (format!("l{}_{id}", self.labels), self.expression(1));
                self.line(indent, &format!("if ({e}) goto {l};"));
                let saved = std::mem::take(&mut self.loop_depth);
                self.block(depth - 1, indent);
                self.loop_depth = saved;
                self.line(indent, &format!("{l}: ;"));
            }
            _ => {
                let (p, e) = (self.place(), self.expression(2));
                self.line(indent, &format!("{p} = {e};"));
            }
        }
    }

    fn switch(&mut self, depth: u32, indent: usize) {
        let e = self.expression(2);
        self.line(indent, &format!("switch (({e}) & 7) {{"));
        let saved = std::mem::take(&mut self.loop_depth);
        for case in ["case 0:", "case 1 ... 2:", "case 5:", "default:"] {
            self.line(indent, case);
            self.block(depth - 1, indent + 1);
            if self.rng.below(2) == 0 {
                self.line(indent + 1, "break;");
            }
        }
        self.loop_depth = saved;
        self.line(indent, "}");
    }
}
