//! Line splices: a backslash at the end of a line joins it with the next, anywhere, even inside a token.

use std::borrow::Cow;

/// A text without its line splices, and the way back to the offsets of the text as written.
pub(super) struct Spliced<'t> {
    /// The text that the lexer reads.
    pub bytes: Cow<'t, [u8]>,
    /// For each splice: the offset in `bytes` from which on the original is ahead, and by how much in total.
    shifts: Vec<(u32, u32)>,
}

impl<'t> Spliced<'t> {
    /// Removes the splices. A text without any is not copied.
    pub fn new(text: &'t [u8]) -> Spliced<'t> {
        let mut bytes: Vec<u8> = Vec::new();
        let mut shifts = Vec::new();
        let (mut from, mut at, mut removed) = (0, 0, 0);
        while let Some(n) = text[at..].iter().position(|&b| b == b'\\') {
            at += n;
            match splice_length(&text[at..]) {
                Some(length) => {
                    bytes.extend_from_slice(&text[from..at]);
                    removed += length;
                    shifts.push((bytes.len() as u32, removed as u32));
                    at += length;
                    from = at;
                }
                None => at += 1,
            }
        }
        if shifts.is_empty() {
            return Spliced { bytes: Cow::Borrowed(text), shifts };
        }
        bytes.extend_from_slice(&text[from..]);
        Spliced { bytes: Cow::Owned(bytes), shifts }
    }

    /// The original offset of the byte that stands at an offset.
    pub fn start(&self, offset: u32) -> u32 {
        let n = self.shifts.partition_point(|s| s.0 <= offset);
        offset + n.checked_sub(1).map_or(0, |n| self.shifts[n].1)
    }

    /// The original offset after the byte that stands before an offset.
    pub fn end(&self, offset: u32) -> u32 {
        let n = self.shifts.partition_point(|s| s.0 < offset);
        offset + n.checked_sub(1).map_or(0, |n| self.shifts[n].1)
    }
}

/// The length of a splice at the start of a text: a backslash, blanks as compilers tolerate them, the end of the line.
pub(super) fn splice_length(text: &[u8]) -> Option<usize> {
    if text.first() != Some(&b'\\') {
        return None;
    }
    let blanks = text[1..].iter().position(|b| !matches!(b, b' ' | b'\t' | 0x0b | 0x0c | b'\r'))?;
    (text[1 + blanks] == b'\n').then_some(blanks + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_map_back() {
        let text = b"a\\\nb\\ \r\nc\\d";
        let s = Spliced::new(text);
        assert_eq!(&*s.bytes, b"abc\\d");
        let back: Vec<u8> = (0..5).map(|n| text[s.start(n) as usize]).collect();
        assert_eq!(back, b"abc\\d");
        assert_eq!((s.end(1), s.end(2), s.end(3)), (1, 4, 9));
    }
}
