//! Expressions without side effects, and the places that they read.

use super::objects::{INTS, Place, Ty};
use super::program::Generator;

impl Generator<'_> {
    /// An integer constant.
    pub fn constant(&mut self) -> String {
        match self.rng.below(8) {
            0 => [
                "127",
                "128",
                "255",
                "256",
                "32767",
                "65535",
                "0x7fffffff",
                "2147483648u",
                "-1",
                "1ull << 40",
            ][self.rng.below(10)]
            .into(),
            1 => ["'a'", "'\\n'", "'\\377'", "'\\x80'", "RED", "GREEN", "LAST", "sizeof(int)"]
                [self.rng.below(8)]
            .into(),
            2 => self.rng.between(-300, 300).to_string(),
            _ => self.rng.below(8).to_string(),
        }
    }

    /// An index below a number.
    pub fn index(&mut self, n: usize) -> String {
        let fitting: Vec<String> = self.counters.iter().filter(|c| c.1 <= n).map(|c| c.0.clone()).collect();
        match self.rng.below(4) {
            0 => self.rng.below(n).to_string(),
            1 | 2 if !fitting.is_empty() => fitting[self.rng.below(fitting.len())].clone(),
            _ if self.indices > 0 => format!("(unsigned)in % {n}u"),
            _ => {
                self.indices += 1;
                let e = self.expression(0);
                self.indices -= 1;
                format!("(unsigned)({e}) % {n}u")
            }
        }
    }

    /// One step into a place: an element, a member, or what it points to.
    fn step(&mut self, place: Place) -> Option<Place> {
        let Place { text, ty, life, writable, addressable } = place;
        Some(match ty {
            Ty::Array(of, n) => {
                let index = self.index(n);
                let text = match self.rng.below(6) {
                    0 => format!("(*({text} + {index}))"),
                    1 => format!("({index})[{text}]"),
                    _ => format!("{text}[{index}]"),
                };
                Place { text, ty: *of, life, writable, addressable }
            }
            Ty::Record(n) => {
                let record = &self.records[n];
                let field = record.fields[self.rng.below(record.fields.len())].clone();
                let packed = record.attributes.contains("packed");
                let text = match text.strip_prefix("(*").and_then(|t| t.strip_suffix(')')) {
                    // The star of the last step, which is the whole text only if what is left needs no parentheses.
                    Some(inner) if inner.chars().all(|c| c.is_ascii_alphanumeric()) => {
                        format!("{inner}->{}", field.name)
                    }
                    _ => format!("{text}.{}", field.name),
                };
                Place {
                    text,
                    ty: field.ty,
                    life,
                    writable,
                    addressable: addressable && !packed && field.bits.is_none(),
                }
            }
            Ty::Ptr(to) => {
                let text = if self.rng.one_in(4) { format!("{text}[0]") } else { format!("(*{text})") };
                // What a pointer leads to may be a local of a caller.
                Place { text, ty: *to, life: super::objects::Life::Local, writable: true, addressable: true }
            }
            Ty::Int(_) | Ty::Callback => return None,
        })
    }

    /// A place of a type, reached from a variable in scope.
    pub fn place(&mut self, ty: &Ty) -> Option<Place> {
        self.find_place(|p| p.ty == *ty)
    }

    /// A place that fits, reached from a variable in scope.
    pub fn find_place(&mut self, fits: impl Fn(&Place) -> bool) -> Option<Place> {
        for _ in 0..12 {
            let mut place = self.rng.choose(&self.vars)?.clone();
            for _ in 0..6 {
                if fits(&place) {
                    return Some(place);
                }
                match self.step(place) {
                    Some(next) => place = next,
                    None => break,
                }
            }
        }
        None
    }

    /// A place that holds an integer.
    pub fn int_place(&mut self) -> Option<Place> {
        self.find_place(|p| matches!(p.ty, Ty::Int(_)))
    }

    /// A place that holds an integer and may be written.
    pub fn target(&mut self) -> Option<Place> {
        self.find_place(|p| matches!(p.ty, Ty::Int(_)) && p.writable)
    }

    fn leaf(&mut self) -> String {
        match self.rng.below(8) {
            0 | 1 => self.constant(),
            2 => "in".into(),
            3 if !self.counters.is_empty() => self.counters[self.rng.below(self.counters.len())].0.clone(),
            _ => self.int_place().map_or_else(|| "in".into(), |p| p.text),
        }
    }

    /// An expression of some integer type that has no side effects and is defined for all values.
    pub fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let a = self.expression(depth - 1);
        match self.rng.below(22) {
            0..=5 => {
                let (op, b) = (["+", "-", "*", "&", "|", "^"][self.rng.below(6)], self.expression(depth - 1));
                format!("(({a}) {op} ({b}))")
            }
            6 | 7 => {
                let (op, b) =
                    (["<", ">", "<=", ">=", "==", "!="][self.rng.below(6)], self.expression(depth - 1));
                format!("(({a}) {op} ({b}))")
            }
            8 => format!("((unsigned)({a}) << (({}) & 7))", self.expression(0)),
            9 => format!("(({a}) >> (({}) & 7))", self.expression(0)),
            10 => format!("(({a}) {} {})", ["/", "%"][self.rng.below(2)], 2 + self.rng.below(9)),
            11 => format!(
                "((unsigned)({a}) {} ((unsigned)({}) | 1u))",
                ["/", "%"][self.rng.below(2)],
                self.expression(0)
            ),
            12 => format!("({}({a}))", ["-", "~", "!", "+"][self.rng.below(4)]),
            13 => format!("(({})({a}))", INTS[self.rng.below(INTS.len())]),
            14 => {
                let (b, c) = (self.expression(depth - 1), self.expression(depth - 1));
                format!("(({a}) ? ({b}) : ({c}))")
            }
            15 => {
                let (op, b) = (["&&", "||"][self.rng.below(2)], self.expression(depth - 1));
                format!("(({a}) {op} ({b}))")
            }
            16 => self.oddity(&a),
            17 => match self.find_place(|p| p.ty == Ty::Callback) {
                Some(f) => format!("{}((int)({a}), (int)({}))", f.text, self.expression(0)),
                None => a,
            },
            _ => self.leaf(),
        }
    }

    /// Something that only C has.
    fn oddity(&mut self, a: &str) -> String {
        match self.rng.below(10) {
            0 => format!("({{ __typeof__(({a}) + 0) t = ({a}); t + 1; }})"),
            1 => format!(
                "_Generic(({a}), char: 1, signed char: 2, unsigned char: 3, int: 4, unsigned: 5, long: 6, unsigned long: 7, default: 8)"
            ),
            2 => format!("((int[]){{3, 1, 4}})[(unsigned)({a}) % 3u]"),
            3 => format!("\"hello\"[(unsigned)({a}) % 5u]"),
            4 => format!("(({a}) ?: 9)"),
            5 => format!("(({a}), 2)"),
            6 => format!("sizeof(({a}) + 0)"),
            7 => match self.find_place(|p| matches!(p.ty, Ty::Record(_) | Ty::Array(..))) {
                Some(p) => format!("sizeof({})", p.text),
                None => a.to_owned(),
            },
            8 => match self
                .find_place(|p| matches!(p.ty, Ty::Int(words) if words != "_Bool") && p.addressable)
            {
                Some(p) => format!("((unsigned char *)&{})[(unsigned)({a}) % sizeof({})]", p.text, p.text),
                None => a.to_owned(),
            },
            _ => {
                let n = self.rng.below(self.records.len());
                let record = &self.records[n];
                match record.fields.iter().find(|f| f.bits.is_none()) {
                    Some(f) => format!("__builtin_offsetof(R{n}, {})", f.name),
                    None => format!("sizeof(R{n})"),
                }
            }
        }
    }
}
