//! Integer and floating constants.

use super::ast::{ExprKind, FloatingLiteral, FloatingSuffix, IntegerLiteral, Longs};
use bolide_base::Message;

/// Reads a preprocessing number, which is ASCII.
pub(super) fn read(text: &str) -> Result<ExprKind, Message> {
    let lower = text.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &text[2..]),
        [b'0', b'b', ..] => (2, &text[2..]),
        _ => (10, text),
    };
    let is_digit = |b: u8| char::from(b).is_digit(if radix == 2 { 10 } else { radix });
    let exponent_letter = if radix == 16 { b'p' } else { b'e' };
    let bytes = digits.as_bytes();
    let mut end = 0;
    let (mut points, mut has_exponent) = (0, false);
    while let Some(&b) = bytes.get(end) {
        let next = bytes.get(end + 1).copied().unwrap_or(0);
        match b {
            _ if is_digit(b) => end += 1,
            b'\'' if end > 0 && is_digit(bytes[end - 1]) && is_digit(next) => end += 1,
            b'.' if radix != 2 => {
                points += 1;
                end += 1;
            }
            _ if radix != 2 && b.to_ascii_lowercase() == exponent_letter => {
                has_exponent = true;
                end += if matches!(next, b'+' | b'-') { 2 } else { 1 };
                let first = end;
                while bytes.get(end).is_some_and(|b| b.is_ascii_digit() || (*b == b'\'' && end > first)) {
                    end += 1;
                }
                if end == first {
                    return Err("the exponent has no digits".into());
                }
                break;
            }
            _ => break,
        }
    }
    let (mantissa, suffix) = digits.split_at(end);
    if points > 1 {
        return Err("too many decimal points in a number".into());
    }
    if points > 0 || has_exponent {
        if radix == 16 && !has_exponent {
            return Err("hexadecimal floating constants require an exponent".into());
        }
        if !mantissa.bytes().next().is_some_and(|b| is_digit(b) || b == b'.') || mantissa.starts_with(".p") {
            return Err("no digits in a floating constant".into());
        }
        return floating(if radix == 16 { "0x" } else { "" }, mantissa, suffix).map(ExprKind::Floating);
    }
    integer(radix, mantissa, suffix).map(ExprKind::Integer)
}

fn floating(prefix: &str, mantissa: &str, suffix: &str) -> Result<FloatingLiteral, Message> {
    let (letters, imaginary) = imaginary(suffix);
    let suffix = match letters.as_str() {
        "" | "d" => FloatingSuffix::None,
        "f" => FloatingSuffix::F,
        "l" => FloatingSuffix::L,
        "q" | "f128" => FloatingSuffix::Q,
        "w" | "f64x" => FloatingSuffix::W,
        "f16" => FloatingSuffix::F16,
        "f32" => FloatingSuffix::F32,
        "f64" => FloatingSuffix::F64,
        "f32x" => FloatingSuffix::F32x,
        "df" | "dd" | "dl" => FloatingSuffix::Decimal,
        _ => return Err(format!("invalid suffix '{suffix}' on a floating constant").into()),
    };
    let text = prefix.chars().chain(mantissa.chars().filter(|c| *c != '\'')).collect::<String>();
    Ok(FloatingLiteral { text: text.into(), suffix, imaginary })
}

/// Takes `i` or `j` off one end of a suffix, the rest in lower case. `f64i` is written `if64`, too.
fn imaginary(suffix: &str) -> (String, bool) {
    let lower = suffix.to_ascii_lowercase();
    let is_i = |c: char| c == 'i' || c == 'j';
    match lower.strip_suffix(is_i).or_else(|| lower.strip_prefix(is_i)) {
        Some(rest) => (rest.to_owned(), true),
        None => (lower, false),
    }
}

fn integer(radix: u32, digits: &str, suffix: &str) -> Result<IntegerLiteral, Message> {
    let is_octal = radix == 10 && digits.len() > 1 && digits.starts_with('0');
    let base = if is_octal { 8 } else { radix };
    let mut value: u128 = 0;
    let mut any = false;
    for c in digits.chars().filter(|c| *c != '\'') {
        any = true;
        let Some(d) = c.to_digit(base) else {
            let kind = if base == 8 { "octal" } else { "binary" };
            let article = if base == 8 { "an" } else { "a" };
            return Err(format!("invalid digit '{c}' in {article} {kind} constant").into());
        };
        let next = value.checked_mul(u128::from(base)).and_then(|v| v.checked_add(u128::from(d)));
        value = next.ok_or("an integer constant that is too large for any type")?;
    }
    if !any {
        let suffix = if radix == 16 { "x" } else { "b" };
        return Err(format!("invalid suffix '{suffix}' on an integer constant").into());
    }
    let invalid = || format!("invalid suffix '{suffix}' on an integer constant");
    let mut literal =
        IntegerLiteral { value, decimal: base == 10, unsigned: false, longs: Longs::Zero, imaginary: false };
    let mut rest = suffix;
    while let Some(c) = rest.chars().next() {
        let mut length = 1;
        match c {
            'u' | 'U' if !literal.unsigned => literal.unsigned = true,
            'i' | 'I' | 'j' | 'J' if !literal.imaginary => literal.imaginary = true,
            'l' | 'L' if literal.longs == Longs::Zero => {
                let is_two = rest[1..].starts_with(c);
                literal.longs = if is_two { Longs::Two } else { Longs::One };
                length += usize::from(is_two);
            }
            _ => return Err(invalid().into()),
        }
        rest = &rest[length..];
    }
    Ok(literal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match read(text) {
            Ok(ExprKind::Integer(i)) => {
                let longs = ["", "l", "ll"][i.longs as usize];
                let decimal = if i.decimal { "" } else { "#" };
                let (u, j) = (if i.unsigned { "u" } else { "" }, if i.imaginary { "i" } else { "" });
                format!("{decimal}{}{u}{longs}{j}", i.value)
            }
            Ok(ExprKind::Floating(f)) => {
                format!("{} {:?}{}", f.text, f.suffix, if f.imaginary { " i" } else { "" })
            }
            Ok(other) => format!("{other:?}"),
            Err(e) => e.to_string(),
        }
    }

    #[test]
    fn numbers_are_read() {
        for (text, expected) in [
            ("0", "0"),
            ("017", "#15"),
            ("0x1fULL", "#31ull"),
            ("0XFFu", "#255u"),
            ("0b1'01", "#5"),
            ("1'000'000llu", "1000000ull"),
            ("12i", "12i"),
            ("340282366920938463463374607431768211455", "340282366920938463463374607431768211455"),
            ("340282366920938463463374607431768211456", "an integer constant that is too large for any type"),
            ("1.", "1. None"),
            (".5f", ".5 F"),
            ("1e10", "1e10 None"),
            ("1E+5L", "1E+5 L"),
            ("08.5", "08.5 None"),
            ("09e1", "09e1 None"),
            ("0x1.8p-3f", "0x1.8p-3 F"),
            ("0x.8p1", "0x.8p1 None"),
            ("1.5if", "1.5 F i"),
            ("1.5Q", "1.5 Q"),
            ("1.0f128", "1.0 Q"),
            ("1.0DD", "1.0 Decimal"),
            ("08", "invalid digit '8' in an octal constant"),
            ("0b12", "invalid digit '2' in a binary constant"),
            ("0x", "invalid suffix 'x' on an integer constant"),
            ("1lul", "invalid suffix 'lul' on an integer constant"),
            ("1lL", "invalid suffix 'lL' on an integer constant"),
            ("0xe+1", "invalid suffix '+1' on an integer constant"),
            ("1.2.3", "too many decimal points in a number"),
            ("1e", "the exponent has no digits"),
            ("0x1.8", "hexadecimal floating constants require an exponent"),
            ("1.0x", "invalid suffix 'x' on a floating constant"),
            ("1f", "invalid suffix 'f' on an integer constant"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
