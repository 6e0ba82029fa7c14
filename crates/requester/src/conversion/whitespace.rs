//! White space of texts (`characterWhitespace`), within JSON strings as they are in the text, escapes included.

use build_toolkit::archive::WhiteSpace;
use copybook::json::RawString;

/// Whether a rule may change a text. Most have nothing to change, and are not copied for it; a plain one has no escapes.
pub(super) fn may_change(rule: WhiteSpace, text: RawString<'_>) -> bool {
    let has_escape = || !text.is_plain && text.raw.contains(&b'\\');
    match rule {
        WhiteSpace::Preserve => false,
        WhiteSpace::Replace => has_escape(),
        WhiteSpace::Collapse => has_escape() || has_spare_blank(text.raw),
    }
}

fn has_spare_blank(text: &[u8]) -> bool {
    text.first() == Some(&b' ')
        || text.last() == Some(&b' ')
        || (has_blank(text) && text.windows(2).any(|pair| pair == b"  "))
}

/// Without a way out, which the compiler makes comparisons of many bytes at once from.
fn has_blank(text: &[u8]) -> bool {
    text.iter().fold(false, |any, byte| any | (*byte == b' '))
}

/// As `rewrite`, if there is something to change.
pub(super) fn apply(rule: WhiteSpace, text: &mut Vec<u8>, start: usize) {
    if may_change(rule, RawString { raw: &text[start..], is_plain: false }) {
        rewrite(rule, text, start);
    }
}

/// Rewrites what is behind `start`, the inside of a JSON string, in place.
pub(super) fn rewrite(rule: WhiteSpace, text: &mut Vec<u8>, start: usize) {
    let (mut read, mut write) = (start, start);
    while read < text.len() {
        let (byte, taken) = match (text[read], text.get(read + 1)) {
            (b'\\', Some(b'n' | b't' | b'r')) => (b' ', 2),
            (b'\\', Some(b'u')) if is_blank_in_digits(text.get(read + 2..read + 6)) => (b' ', 6),
            // The byte behind a backslash is no beginning of anything.
            (b'\\', Some(&escaped)) => {
                text[write] = b'\\';
                write += 1;
                (escaped, 2)
            }
            (byte, _) => (byte, 1),
        };
        read += taken;
        let is_blank = byte == b' ';
        let follows_blank = write == start || text[write - 1] == b' ';
        if rule == WhiteSpace::Collapse && is_blank && follows_blank {
            continue;
        }
        text[write] = byte;
        write += 1;
    }
    if rule == WhiteSpace::Collapse && write > start && text[write - 1] == b' ' {
        write -= 1;
    }
    text.truncate(write);
}

/// Whether the digits of an escape are those of a blank, or of what the rules make one of.
fn is_blank_in_digits(digits: Option<&[u8]>) -> bool {
    matches!(digits, Some([b'0', b'0', b'0', b'9' | b'a' | b'A' | b'd' | b'D'] | b"0020"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(rule: WhiteSpace, text: &str) -> String {
        let mut whole = b"before ".to_vec();
        let start = whole.len();
        whole.extend_from_slice(text.as_bytes());
        apply(rule, &mut whole, start);
        String::from_utf8(whole.split_off(start)).expect("UTF-8")
    }

    #[test]
    fn each_rule_has_its_blanks() {
        let text = r"  a\n b\t\tc \\n \u0041  ";
        assert_eq!(applied(WhiteSpace::Preserve, text), text);
        assert_eq!(applied(WhiteSpace::Replace, text), r"  a  b  c \\n \u0041  ");
        assert_eq!(applied(WhiteSpace::Collapse, text), r"a b c \\n \u0041");
        assert_eq!(applied(WhiteSpace::Collapse, "   "), "");
        assert_eq!(applied(WhiteSpace::Collapse, r"\\ "), r"\\");
    }

    #[test]
    fn blanks_may_be_escaped_by_their_numbers() {
        let text = r"\u0020a\u0009\u000a\u000Ab\u000d\u000D c\u0020\u000b\\u0020\u0021\u00e9\u0020";
        assert_eq!(applied(WhiteSpace::Preserve, text), text);
        assert_eq!(applied(WhiteSpace::Replace, text), r" a   b   c \u000b\\u0020\u0021\u00e9 ");
        assert_eq!(applied(WhiteSpace::Collapse, text), r"a b c \u000b\\u0020\u0021\u00e9");
        assert_eq!(applied(WhiteSpace::Collapse, r"\u0020\u0020"), "");
        assert_eq!(applied(WhiteSpace::Collapse, r"a\u002"), r"a\u002");
    }
}
