//! Macros that compilers define for every file: a text that mentions one needs a preprocessor, although it has no directives.

use super::source::{comment_end, literal_end, raw_end, spliced_line_end};

/// Such macros, without the underscores around them.
const NAMES: [&str; 20] = [
    "BASE_FILE",
    "BYTE_ORDER",
    "CHAR_BIT",
    "CHAR_UNSIGNED",
    "COUNTER",
    "DATE",
    "FILE",
    "FILE_NAME",
    "FLOAT_WORD_ORDER",
    "GNUC",
    "INCLUDE_LEVEL",
    "LINE",
    "LP64",
    "OPTIMIZE",
    "STDC",
    "TIME",
    "TIMESTAMP",
    "VERSION",
    "i386",
    "x86_64",
];
/// How the names of others begin, and how they end.
const BEGINNINGS: [&str; 8] = ["DBL_", "FLT", "GNUC_", "LDBL_", "ORDER_", "SIZEOF_", "STDC_", "GCC_"];
const ENDS: [&str; 4] = ["_TYPE", "_MAX", "_MIN", "_WIDTH"];

fn is_predefined(word: &[u8]) -> bool {
    let inner = word.strip_prefix(b"__").and_then(|w| w.strip_suffix(b"__"));
    let Some(name) = inner.and_then(|n| std::str::from_utf8(n).ok()) else { return false };
    let is_upper = name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    NAMES.contains(&name)
        || is_upper
            && (BEGINNINGS.iter().any(|b| name.starts_with(b)) || ENDS.iter().any(|e| name.ends_with(e)))
}

/// Does a text mention such a macro, outside of comments and literals?
pub(super) fn is_mentioned(text: &[u8]) -> bool {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80;
    let mut at = 0;
    while at < text.len() {
        let next = text.get(at + 1).copied();
        at = match text[at] {
            b'/' if next == Some(b'*') => comment_end(text, at),
            b'/' if next == Some(b'/') => spliced_line_end(text, at),
            b'"' | b'\'' => raw_end(text, at).unwrap_or_else(|| literal_end(text, at)),
            b if is_word(b) => {
                let mut end = at + 1;
                // Digits may be separated by quotes.
                let goes_on = |n: usize| text.get(n).is_some_and(|&b| is_word(b));
                while goes_on(end) || b.is_ascii_digit() && text.get(end) == Some(&b'\'') && goes_on(end + 1)
                {
                    end += 1;
                }
                if is_predefined(&text[at..end]) {
                    return true;
                }
                end
            }
            _ => at + 1,
        };
    }
    false
}

#[cfg(test)]
mod tests {
    use super::is_mentioned;

    #[test]
    fn names_of_macros_are_found() {
        for text in
            ["__SIZE_TYPE__ n;", "x=__LINE__", "1'0+__INT_MAX__", "/**/__FLT_MANT_DIG__", "__x86_64__"]
        {
            assert!(is_mentioned(text.as_bytes()), "{text}");
        }
        for text in [
            "\"__LINE__\"",
            "/* __FILE__ */ x // __DATE__\n",
            "'__TIME__'",
            "__FUNCTION__ __func__",
            "__attribute__((x)) __extension__ __MY_OWN__ a__LINE__ __VERIFIER_MAX",
            "R\"(__LINE__)\"",
        ] {
            assert!(!is_mentioned(text.as_bytes()), "{text}");
        }
    }
}
