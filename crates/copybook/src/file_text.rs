//! The text of a copybook's file, whatever it was written in: UTF-8, Latin-1, or EBCDIC as a data set has it.

/// Length of the lines of a member that comes without line ends.
const CARD: usize = 80;

/// The characters of a file. Without a CCSID it is EBCDIC (037) when it has more of EBCDIC's blanks than of ASCII's, else UTF-8, or
/// Latin-1, in which every byte is a character: comments of old copybooks are in anything.
pub fn text_of_file(bytes: &[u8], ccsid: Option<u32>) -> String {
    let count = |blank: u8| bytes.iter().filter(|&&byte| byte == blank).count();
    let ccsid = ccsid.or((count(0x40) > count(0x20)).then_some(37));
    match ccsid {
        Some(ccsid) => {
            let mut text = String::with_capacity(bytes.len());
            match codepage::decode(ccsid, bytes, &mut text) {
                Ok(_) => lines(text),
                Err(_) => latin(bytes),
            }
        }
        None => std::str::from_utf8(bytes).map_or_else(|_| latin(bytes), str::to_owned),
    }
}

fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

/// A member of a partitioned data set comes as records of 80 characters, without line ends.
fn lines(text: String) -> String {
    let has_ends = text.contains(['\n', '\r', '\u{85}']);
    let characters: Vec<char> = text.chars().collect();
    if has_ends || !characters.len().is_multiple_of(CARD) {
        return text.replace('\u{85}', "\n");
    }
    characters.chunks(CARD).flat_map(|card| card.iter().copied().chain(['\n'])).collect()
}

#[cfg(test)]
mod tests {
    use super::text_of_file;

    const TEXT: &str = "       01  R.\n           05 A PIC X(3).\n";

    fn ebcdic(text: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        codepage::encode(37, text, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn a_text_in_ebcdic_is_told_from_one_in_ascii() {
        assert_eq!(text_of_file(TEXT.as_bytes(), None), TEXT);
        assert_eq!(text_of_file(&ebcdic(TEXT), None), TEXT);
        assert_eq!(text_of_file(&ebcdic(TEXT), Some(37)), TEXT);
        assert_eq!(text_of_file(b"* \xFC", None), "* \u{fc}");
    }

    #[test]
    fn cards_without_line_ends_are_lines() {
        let cards: String = TEXT.lines().map(|line| format!("{line:80}")).collect();
        let lines: String = TEXT.lines().map(|line| format!("{line:80}\n")).collect();
        assert_eq!(text_of_file(&ebcdic(&cards), None), lines);
    }
}
