//! The answer of a command as REST gives it, one line an object, laid out again as runmqsc shows it.

use crate::display;

/// The rows of one line of a `runCommand` reply: its title, then two columns of attributes.
///
/// REST writes line ends and padding as runs of blanks, so an attribute begins where such a run is followed by a keyword.
/// A text that happens to look like that is broken in two; nothing is lost.
pub fn unfold(line: &str) -> Vec<String> {
    if let Some(lines) = syntax_error(line) {
        return lines;
    }
    let (title, attributes) = match line.find("   ") {
        Some(end) if starts_with_keyword(line[end..].trim_start()) => (&line[..end], line[end..].trim_start()),
        _ => return vec![line.to_owned()],
    };
    let mut lines = vec![title.to_owned()];
    display::rows(pieces(attributes).into_iter().map(str::to_owned), &mut lines);
    lines
}

/// The segment at fault stands between the sentence and the message that says why.
fn syntax_error(line: &str) -> Option<Vec<String>> {
    let (sentence, rest) = line.split_once(":-   ")?;
    let (segment, why) = rest.rsplit_once("   AMQ")?;
    Some(vec![format!("{sentence}:-"), segment.trim_end().to_owned(), String::new(), format!("AMQ{why}")])
}

fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices("   ") {
        let rest = text[at..].trim_start();
        if at >= start && !text[start..at].trim().is_empty() && starts_with_keyword(rest) {
            pieces.push(text[start..at].trim_end());
            start = text.len() - rest.len();
        }
    }
    pieces.push(text[start..].trim_end());
    pieces
}

/// `KEYWORD(value)`, or a keyword alone.
fn starts_with_keyword(text: &str) -> bool {
    let length = text.find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit())).unwrap_or(text.len());
    let begins = text.starts_with(|c: char| c.is_ascii_uppercase());
    begins && (text[length..].is_empty() || text[length..].starts_with('(') || text[length..].starts_with("   "))
}

#[cfg(test)]
mod tests {
    use super::unfold;

    #[test]
    fn a_flattened_display_is_laid_out_in_two_columns_again() {
        let line =
            "AMQ8409I: Display Queue details.   QUEUE(DEV.QUEUE.1)                      TYPE(QLOCAL)   DESCR(a   (b)";
        assert_eq!(
            unfold(line),
            [
                "AMQ8409I: Display Queue details.",
                "   QUEUE(DEV.QUEUE.1)                      TYPE(QLOCAL)",
                "   DESCR(a   (b)",
            ]
        );
    }

    #[test]
    fn a_keyword_without_a_value_is_a_row_and_a_sentence_stays_whole() {
        assert_eq!(
            unfold("AMQ8409I: T.   QUEUE(A)   HARDENBO"),
            ["AMQ8409I: T.", "   QUEUE(A)                                HARDENBO"]
        );
        assert_eq!(unfold("AMQ8006I: IBM MQ queue created."), ["AMQ8006I: IBM MQ queue created."]);
        assert_eq!(unfold("Text   with blanks"), ["Text   with blanks"]);
        assert_eq!(
            unfold("AMQ8405I: Syntax error below:-   DEFINE   X   AMQ8427I: Not valid."),
            ["AMQ8405I: Syntax error below:-", "DEFINE   X", "", "AMQ8427I: Not valid."]
        );
    }
}
