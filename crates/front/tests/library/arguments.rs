//! Random arguments of calls, as C text.

use bolide_testkit::Random;
use std::fmt::Write;

/// Fills the places of a block of C.
pub struct Arguments<'a>(pub &'a mut Random);

impl Arguments<'_> {
    /// The block with an argument for each `$` and the letter behind it.
    pub fn filled(&mut self, block: &str) -> String {
        let mut out = String::new();
        let mut rest = block.chars();
        while let Some(c) = rest.next() {
            match c {
                '$' => out += &self.argument(rest.next()),
                c => out.push(c),
            }
        }
        out
    }

    fn argument(&mut self, kind: Option<char>) -> String {
        match kind {
            Some('s') => self.text("abAB, 1", 11),
            Some('t') => self.text("abA, ", 4),
            Some('x') => self.text("0123, xa-+ 9", 12),
            Some('d') => self.text("0123xX-+ fz9", 13),
            Some('D') => {
                let digits = self.text("0123456789", 24);
                digits.replacen('"', ["\"", "\"-", "\" +", "\"0x", "\"-0"][self.0.below(5usize)], 1)
            }
            Some('b') => self.bytes(1),
            Some('z') => self.bytes(0),
            Some('w') => format!("L{}", self.text("abA, ", 6)).replace('A', "\\xfffffff0\" L\""),
            Some('v') => ["97", "98", "-16", "0", "1"][self.0.below(5usize)].into(),
            Some('m') => format!("%{}{}", self.flags(), ["d", "i", "u", "x", "X", "o"][self.0.below(6usize)]),
            Some('n') => self.0.below(10).to_string(),
            Some('c') => format!("({})", self.0.between(-1, 255)),
            Some('q') => self.0.below(65536).to_string(),
            Some('i') => match self.int() {
                // The constant would be a long.
                -2_147_483_648 => "(-2147483647 - 1)".into(),
                n => format!("({n})"),
            },
            Some('u') => format!("{}u", self.int() as u32),
            Some('l') => self.long(),
            Some('r') => self.real(""),
            Some('g') => self.real("f"),
            Some('o') => self.text_of_real(true),
            Some('p') => self.text_of_real(false),
            other => panic!("an argument of the kind {other:?}"),
        }
    }

    fn text(&mut self, letters: &str, most: usize) -> String {
        let letters: Vec<char> = letters.chars().collect();
        let n = self.0.below(most + 1);
        let text: String = (0..n).map(|_| letters[self.0.below(letters.len())]).collect();
        format!("\"{text}\"")
    }

    /// Bytes of which some are negative as characters, none below a least one.
    fn bytes(&mut self, least: u64) -> String {
        let n = if least == 0 { 16 } else { self.0.below(10) };
        let mut out = String::from("\"");
        for _ in 0..n {
            let byte = match self.0.below(4u64) {
                0 => 97,
                1 => 98,
                2 => least.max(self.0.below(3u64) * 200),
                _ => least.max(self.0.below(256u64)),
            };
            let _ = write!(out, "\\{byte:03o}");
        }
        out + "\""
    }

    fn int(&mut self) -> i64 {
        match self.0.below(6u64) {
            0 => [0, 1, -1, 2_147_483_647, -2_147_483_648, 255, -128][self.0.below(7usize)],
            1 => self.0.between(-100, 100),
            2 => self.0.between(-70000, 70000),
            _ => i64::from(self.0.bits() as i32),
        }
    }

    fn long(&mut self) -> String {
        let n = match self.0.below(4u64) {
            0 => self.int(),
            1 => [i64::MAX, i64::MIN, 1 << 32, -(1 << 32)][self.0.below(4usize)],
            _ => self.0.bits() as i64,
        };
        match n {
            i64::MIN => "(-9223372036854775807ll - 1)".into(),
            n => format!("({n}ll)"),
        }
    }

    fn flags(&mut self) -> String {
        let mut out = String::new();
        for _ in 0..self.0.below(3) {
            out.push(['-', '+', ' ', '#', '0'][self.0.below(5usize)]);
        }
        if self.0.below(2) == 0 {
            let _ = write!(out, "{}", 1 + self.0.below(14));
        }
        if self.0.below(3) == 0 {
            let _ = write!(out, ".{}", self.0.below(14));
        }
        out
    }

    fn real(&mut self, suffix: &str) -> String {
        let special = [
            "0.0",
            "-0.0",
            "1.0",
            "-1.0",
            "0.5",
            "-0.5",
            "1.5",
            "2.5",
            "-2.5",
            "0.1",
            "1e30",
            "-1e-30",
            "4503599627370497.5",
            "8388609.0",
            "9007199254740993.0",
            "0x1p-126",
            "3.0",
        ];
        match self.0.below(8) {
            0 => "__builtin_inf()".into(),
            1 => "-__builtin_inf()".into(),
            2 => "(__builtin_inf() - __builtin_inf())".into(),
            3 => format!("({:?}{suffix})", self.0.between(-1_000_000, 1_000_000) as f64 / 64.0),
            4 if suffix.is_empty() => "4.9e-324".into(),
            _ => format!("({}{suffix})", special[self.0.below(special.len())]),
        }
    }

    /// A number as text: few enough digits for an exact result.
    fn text_of_real(&mut self, has_words: bool) -> String {
        let space = ["", " ", "-", "+", "\\t-"][self.0.below(5usize)];
        let words = [
            "inf", "INFINITY", "infinit", "nan", ".", "e5", "0x", "", "abc", "0x.8", "0x1p", "1e", "1e+", "-",
        ];
        match self.0.below(6) {
            0 if has_words => format!("\"{space}{}\"", words[self.0.below(words.len())]),
            1 => format!("\"{space}{}.{}\"", self.0.below(1000), self.0.below(100_000)),
            2 => format!("\"{space}{}e{}\"", self.0.below(100_000), self.0.between(-20, 18)),
            3 if has_words => format!(
                "\"{space}0x{:x}.{:x}p{}\"",
                self.0.below(4096),
                self.0.below(4096),
                self.0.between(-60, 60)
            ),
            4 => format!("\"{space}.{:05}\"", self.0.below(100_000)),
            _ => format!("\"{space}{}\"", self.0.below(16_000_000u64)),
        }
    }
}
