//! Character constants and strings: prefixes, escapes, joining.

use super::ast::{CharacterLiteral, Encoding, StringLiteral};
use super::lexer::first_char;
use bolide_base::Message;

/// Reads a character constant as written.
pub(super) fn character(text: &[u8]) -> Result<CharacterLiteral, Message> {
    let (encoding, _, quoted) = prefix(text);
    let mut units = Vec::new();
    decode(inside(quoted), encoding, &mut units)?;
    if units.is_empty() {
        return Err("empty character constant".into());
    }
    Ok(CharacterLiteral { encoding, units })
}

/// The pieces of a string: each as it stands in the text after line splicing, and as written, for raw strings.
pub(super) fn string<'a>(
    pieces: impl Iterator<Item = (&'a [u8], &'a [u8])> + Clone,
) -> Result<StringLiteral, Message> {
    let mut encoding = Encoding::Plain;
    for (piece, _) in pieces.clone() {
        let next = prefix(piece).0;
        if encoding != Encoding::Plain && next != Encoding::Plain && encoding != next {
            return Err("strings with different prefixes stand side by side".into());
        }
        if next != Encoding::Plain {
            encoding = next;
        }
    }
    let mut units = Vec::new();
    for (piece, written) in pieces {
        match prefix(piece) {
            (_, true, _) => {
                let quoted = prefix(written).2;
                let body = quoted.iter().position(|&b| b == b'(').map_or(quoted.len(), |n| n + 1);
                let end = quoted.len().saturating_sub(body);
                plain(&quoted[body.min(end)..end.max(body).min(quoted.len())], encoding, &mut units);
            }
            (_, false, quoted) => decode(inside(quoted), encoding, &mut units)?,
        }
    }
    Ok(StringLiteral { encoding, units })
}

/// The prefix of a literal, whether it is raw, and the rest.
fn prefix(text: &[u8]) -> (Encoding, bool, &[u8]) {
    let (encoding, length) = match text {
        [b'u', b'8', ..] => (Encoding::Utf8, 2),
        [b'L', ..] => (Encoding::Wide, 1),
        [b'u', ..] => (Encoding::Char16, 1),
        [b'U', ..] => (Encoding::Char32, 1),
        _ => (Encoding::Plain, 0),
    };
    let is_raw = text.get(length) == Some(&b'R');
    (encoding, is_raw, &text[length + usize::from(is_raw)..])
}

/// What stands between the quotes; the closing one may be missing.
fn inside(quoted: &[u8]) -> &[u8] {
    let (quote, rest) = quoted.split_first().unwrap_or((&b'"', &[]));
    rest.strip_suffix(&[*quote]).unwrap_or(rest)
}

fn is_bytes(encoding: Encoding) -> bool {
    matches!(encoding, Encoding::Plain | Encoding::Utf8)
}

/// Appends source characters.
fn plain(text: &[u8], encoding: Encoding, units: &mut Vec<u32>) {
    if is_bytes(encoding) {
        units.extend(text.iter().map(|&b| u32::from(b)));
        return;
    }
    let mut rest = text;
    while let Some(&first) = rest.first() {
        match first_char(rest) {
            Some(c) => {
                code_point(u32::from(c), encoding, units);
                rest = &rest[c.len_utf8()..];
            }
            None => {
                units.push(u32::from(first));
                rest = &rest[1..];
            }
        }
    }
}

/// Appends a code point in the encoding of the literal.
fn code_point(value: u32, encoding: Encoding, units: &mut Vec<u32>) {
    let c = char::from_u32(value);
    match (encoding, c) {
        (Encoding::Plain | Encoding::Utf8, Some(c)) => {
            units.extend(c.encode_utf8(&mut [0; 4]).bytes().map(u32::from));
        }
        (Encoding::Char16, Some(c)) => {
            units.extend(c.encode_utf16(&mut [0; 2]).iter().map(|&u| u32::from(u)))
        }
        _ => units.push(value),
    }
}

fn decode(text: &[u8], encoding: Encoding, units: &mut Vec<u32>) -> Result<(), Message> {
    let mut rest = text;
    while let Some(n) = rest.iter().position(|&b| b == b'\\') {
        plain(&rest[..n], encoding, units);
        rest = escape(&rest[n + 1..], encoding, units)?;
    }
    plain(rest, encoding, units);
    Ok(())
}

/// Reads an escape after its backslash and returns what follows.
fn escape<'a>(text: &'a [u8], encoding: Encoding, units: &mut Vec<u32>) -> Result<&'a [u8], Message> {
    let mask = match encoding {
        Encoding::Plain | Encoding::Utf8 => 0xff,
        Encoding::Char16 => 0xffff,
        Encoding::Wide | Encoding::Char32 => u32::MAX,
    };
    let Some((&first, rest)) = text.split_first() else {
        return Err("a backslash at the end of a literal".into());
    };
    let digits = |radix: u32, most: usize, text: &'a [u8]| {
        let n = text.iter().take(most).take_while(|b| char::from(**b).is_digit(radix)).count();
        let fold =
            |v: u32, b: &u8| v.wrapping_mul(radix).wrapping_add(char::from(*b).to_digit(radix).unwrap_or(0));
        (text[..n].iter().fold(0, fold), n)
    };
    let simple = match first {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'v' => 11,
        b'e' | b'E' => 27,
        b'0'..=b'7' => {
            let (value, n) = digits(8, 3, text);
            units.push(value & mask);
            return Ok(&text[n..]);
        }
        b'x' => {
            let (value, n) = digits(16, usize::MAX, rest);
            if n == 0 {
                return Err("\\x with no hexadecimal digits after it".into());
            }
            units.push(value & mask);
            return Ok(&rest[n..]);
        }
        b'u' | b'U' => {
            let wanted = if first == b'u' { 4 } else { 8 };
            let (value, n) = digits(16, wanted, rest);
            if n < wanted {
                return Err(format!("\\{} needs {wanted} hexadecimal digits", char::from(first)).into());
            }
            if char::from_u32(value).is_none() {
                return Err("not a valid universal character".into());
            }
            code_point(value, encoding, units);
            return Ok(&rest[n..]);
        }
        // Quotes, backslash and question mark stand for themselves; so does anything else in the compilers.
        _ => {
            let length = first_char(text).map_or(1, char::len_utf8);
            plain(&text[..length], encoding, units);
            return Ok(&text[length..]);
        }
    };
    units.push(u32::from(simple));
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pieces: &[&str]) -> String {
        let bytes = pieces.iter().map(|p| (p.as_bytes(), p.as_bytes()));
        match string(bytes) {
            Ok(s) => format!("{:?} {:x?}", s.encoding, s.units),
            Err(e) => e.to_string(),
        }
    }

    #[test]
    fn strings_are_read() {
        assert_eq!(shown(&["\"a\\n\\e\\101\\x41\""]), "Plain [61, a, 1b, 41, 41]");
        assert_eq!(shown(&["\"\\x4\"", "\"1\""]), "Plain [4, 31]");
        assert_eq!(shown(&["\"é\""]), "Plain [c3, a9]");
        assert_eq!(shown(&["\"\\u00e9\""]), "Plain [c3, a9]");
        assert_eq!(shown(&["\"é\"", "L\"\\xffff1234\""]), "Wide [e9, ffff1234]");
        assert_eq!(shown(&["u\"\\U0001F600\""]), "Char16 [d83d, de00]");
        assert_eq!(shown(&["U\"😀\""]), "Char32 [1f600]");
        assert_eq!(shown(&["u8\"a\"", "\"b\""]), "Utf8 [61, 62]");
        assert_eq!(shown(&["R\"x(a\\n)\")x\""]), "Plain [61, 5c, 6e, 29, 22]");
        assert_eq!(shown(&["LR\"(é)\""]), "Wide [e9]");
        assert_eq!(shown(&["L\"a\"", "u\"b\""]), "strings with different prefixes stand side by side");
        assert_eq!(shown(&["\"\\777\\x1234\""]), "Plain [ff, 34]");
        assert_eq!(shown(&["\"\\q\\\"\""]), "Plain [71, 22]");
        assert_eq!(shown(&["\"\\x\""]), "\\x with no hexadecimal digits after it");
    }

    #[test]
    fn characters_are_read() {
        let units = |t: &str| character(t.as_bytes()).map(|c| c.units);
        assert_eq!(units("'ab'"), Ok(vec![0x61, 0x62]));
        assert_eq!(units("L'é'"), Ok(vec![0xe9]));
        assert_eq!(units("'\\''"), Ok(vec![0x27]));
        assert_eq!(units("'\\0'"), Ok(vec![0]));
        assert!(units("''").is_err());
        assert_eq!(character(b"'\xe4'").map(|c| c.units), Ok(vec![0xe4]));
    }
}
