//! Reference format: lines of a text to one run of characters, each with its place.
//!
//! Sequence numbers, indicators, comments, directives and the columns behind the code are gone; continued literals and
//! words are joined; lines end in `\n`. COPY and REPLACE are not looked at.

use crate::error::{CutOff, Fault, Place, Problem};
use crate::options::Format;

/// Most characters of one text, and of all after COPY.
pub(crate) const MAXIMUM_CHARACTERS: usize = 4 << 20;

pub(crate) type Characters = Vec<(char, Place)>;

/// # Errors
/// A literal that is not closed, a continuation of nothing, conditional compilation, a text that is too long.
pub(crate) fn read(text: &str, member: u16, format: Format) -> Result<Characters, Fault> {
    let start = Place { member, line: 1, column: 1 };
    if text.len() > MAXIMUM_CHARACTERS {
        return Err(Fault::at(start, Problem::TooLong { maximum: MAXIMUM_CHARACTERS }));
    }
    let format = if format == Format::Detect { detect(text) } else { format };
    let out = Vec::with_capacity(text.len());
    let mut reader = Reader { format, member, out, open: None, last_end: 0, closed_at_margin: None };
    for (line, number) in text.lines().zip(1u32..) {
        let line = expand_tabs(line);
        // Tabs and continued literals stand for more characters than the text has.
        if reader.out.len() + line.len() > MAXIMUM_CHARACTERS {
            return Err(Fault::at(Place { line: number, ..start }, Problem::TooLong { maximum: MAXIMUM_CHARACTERS }));
        }
        reader.line(&line, number)?;
    }
    match reader.open {
        Some((_, place)) => Err(Fault::at(place, Problem::OpenLiteral)),
        None => Ok(reader.out),
    }
}

struct Reader {
    format: Format,
    member: u16,
    out: Characters,
    /// The quote of a literal that the line before left open, and where it was opened.
    open: Option<(char, Place)>,
    /// Column behind the code of the line before, from 0.
    last_end: usize,
    /// The quote in column 72 of the line before that closed a literal, unless it goes on, and where that was opened.
    closed_at_margin: Option<(char, Place)>,
}

/// Columns of fixed format, from 0.
const INDICATOR: usize = 6;
const CODE: usize = 7;
const MARGIN: usize = 72;
/// Width of a card: what stands behind it is no name of a line.
const CARD: usize = 80;

impl Reader {
    fn line(&mut self, line: &[char], number: u32) -> Result<(), Fault> {
        if self.open.is_none() && self.directive(line, number)? {
            return Ok(());
        }
        if self.format == Format::Free {
            if self.open.is_none() && matches!(line.first(), Some('*' | '/')) {
                return Ok(());
            }
            return self.code(line, 0, number, false);
        }
        match line.get(INDICATOR).copied().unwrap_or(' ') {
            '*' | '/' | 'D' | 'd' | '$' => Ok(()),
            indicator => {
                let margin = if self.format == Format::Variable { line.len() } else { line.len().min(MARGIN) };
                let code = line.get(..margin).unwrap_or_default();
                if code.len() <= CODE {
                    return Ok(());
                }
                self.code(code, CODE, number, indicator == '-')
            }
        }
    }

    /// Compiler directives leave no code; those of the source format change how the next lines are read. Lines of a branch
    /// that a compiler would leave out cannot be told from the others, so conditional compilation is refused, as are statements
    /// that a library system carries out before a compiler sees the text.
    fn directive(&mut self, line: &[char], number: u32) -> Result<bool, Fault> {
        // Before the sequence numbers of fixed format, or behind them.
        let starts = if self.format == Format::Free { &[0][..] } else { &[0, INDICATOR] };
        let first_of = |start: &usize| (*start..line.len()).find(|&at| line[at] != ' ');
        let Some(at) = starts.iter().filter_map(first_of).find(|&at| matches!(line[at], '>' | '$' | '+' | '-')) else {
            return Ok(false);
        };
        let upper: String = line[at..].iter().collect::<String>().to_uppercase();
        let first = upper.split_whitespace().next().unwrap_or_default();
        let unsupported = |why| {
            let problem = Problem::Unsupported { word: first.to_owned(), why };
            Err(Fault::at(place(self.member, number, at), problem))
        };
        match first {
            // Behind column 1 a word may be continued so.
            "-INC" if at == 0 => return unsupported("Librarian puts a member in here; write COPY and its name"),
            "++INCLUDE" => return unsupported("Panvalet puts a member in here; write COPY and its name"),
            _ => {}
        }
        let (mark, is_ours, rest) = match (upper.strip_prefix(">>"), upper.strip_prefix('$')) {
            (Some(rest), _) => (">>", true, rest),
            (None, Some(rest)) => ("$", rest.starts_with("SET "), rest.strip_prefix("SET ").unwrap_or(rest)),
            (None, None) => return Ok(false),
        };
        let words: String = rest.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect();
        let words: Vec<&str> = words.split_whitespace().collect();
        let format = match words.as_slice() {
            ["IF" | "ELIF" | "ELSE" | "END" | "EVALUATE" | "WHEN", ..] => {
                let directive = format!("{mark}{}", rest.split_whitespace().next().unwrap_or_default());
                let place = place(self.member, number, at);
                return Err(Fault::at(place, Problem::ConditionalCompilation { directive }));
            }
            ["SOURCE", "FORMAT", "IS", format] | ["SOURCE", "FORMAT", format] | ["SOURCEFORMAT", format] if is_ours => {
                *format
            }
            _ => return Ok(is_ours),
        };
        self.format = match format {
            "FREE" => Format::Free,
            "VARIABLE" => Format::Variable,
            _ => Format::Fixed,
        };
        Ok(true)
    }

    fn code(&mut self, line: &[char], start: usize, number: u32, continued: bool) -> Result<(), Fault> {
        let member = self.member;
        let place = |column: usize| place(member, number, column);
        let first = (start..line.len()).find(|&at| line[at] != ' ').unwrap_or(line.len());
        if first == line.len() && !continued {
            return match self.open {
                Some((_, opened)) => Err(Fault::at(opened, Problem::OpenLiteral)),
                None => Ok(()),
            };
        }
        let mut at = start;
        match (self.open, continued) {
            (Some((quote, opened)), true) => {
                if line.get(first) != Some(&quote) {
                    return Err(Fault::at(opened, Problem::OpenLiteral));
                }
                if self.format == Format::Fixed {
                    self.out.extend((self.last_end..MARGIN).map(|_| (' ', opened)));
                }
                at = first + 1;
            }
            (Some((_, opened)), false) => return Err(Fault::at(opened, Problem::OpenLiteral)),
            (None, true) => {
                while self.out.last().is_some_and(|(c, _)| c.is_whitespace()) {
                    self.out.pop();
                }
                if self.out.is_empty() {
                    return Err(Fault::at(place(first), Problem::NothingToContinue));
                }
                at = first;
                if let Some((quote, opened)) = self.closed_at_margin
                    && line.get(first) == Some(&quote)
                {
                    // With the one in column 72 these two are one quote of the value.
                    if line.get(first + 1) != Some(&quote) {
                        return Err(Fault::at(place(first), Problem::QuoteAtMargin));
                    }
                    self.out.push((quote, opened));
                    self.open = Some((quote, opened));
                    at = first + 2;
                }
            }
            (None, false) => {}
        }
        let mut open = self.open;
        let mut closed_at_margin = None;
        let mut end = line.len();
        while at < line.len() {
            let c = line[at];
            match open {
                Some((quote, _)) if c == quote => {
                    closed_at_margin = open.filter(|_| self.format == Format::Fixed && at + 1 == MARGIN);
                    open = None;
                }
                Some(_) => {}
                None if c == '*' && line.get(at + 1) == Some(&'>') => {
                    end = at;
                    break;
                }
                None if matches!(c, '"' | '\'') => open = Some((c, place(at))),
                None => {}
            }
            self.out.push((c, place(at)));
            at += 1;
        }
        self.open = open;
        self.last_end = end;
        self.closed_at_margin = closed_at_margin;
        if open.is_none() {
            self.out.push(('\n', place(end)));
        }
        Ok(())
    }
}

/// `column` counts from 0.
fn place(member: u16, line: u32, column: usize) -> Place {
    Place { member, line, column: u32::try_from(column + 1).unwrap_or(u32::MAX) }
}

fn expand_tabs(line: &str) -> Vec<char> {
    let mut out = Vec::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\t' => {
                let next = out.len() / 8 * 8 + 8;
                out.resize(next, ' ');
            }
            '\u{FEFF}' | '\u{1A}' | '\r' => {}
            // Form feeds and the like part words.
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// The last line up to `line` whose code goes on beyond column 72, where fixed format does not read it.
pub(crate) fn cut_off(text: &str, format: Format, line: u32) -> Option<CutOff> {
    let format = if format == Format::Detect { detect(text) } else { format };
    if format != Format::Fixed {
        return None;
    }
    let is_cut = |(text, _): &(&str, u32)| beyond_margin(&expand_tabs(text)) == Some(Beyond::Code);
    let (text, line) = text.lines().zip(1..=line).filter(is_cut).last()?;
    Some(CutOff { line, has_tabs: text.contains('\t') })
}

/// What a line has behind column 72.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beyond {
    /// A word goes on there, or it ends behind column 80.
    Code,
    /// Columns 73 to 80, which name the line.
    Name,
}

/// `None`: nothing, or the line is a comment.
fn beyond_margin(line: &[char]) -> Option<Beyond> {
    let end = line.iter().rposition(|&c| c != ' ')?;
    let is_code = !matches!(line.get(INDICATOR), Some('*' | '/' | 'D' | 'd' | '$'));
    if end < MARGIN || !is_code || line.windows(2).any(|pair| pair == ['*', '>']) {
        return None;
    }
    let goes_on = line[MARGIN - 1] != ' ' && line[MARGIN] != ' ';
    Some(if goes_on || end >= CARD { Beyond::Code } else { Beyond::Name })
}

/// The reference format of a text that does not name its own: `Fixed`, `Variable` or `Free`.
///
/// Free when more lines have code where fixed format has none than lines look like fixed format. Variable when code goes on beyond
/// column 72 and no line has a name there.
pub fn detect(text: &str) -> Format {
    let (mut free, mut fixed, mut long) = (0usize, 0usize, false);
    let (mut cut, mut named) = (0usize, 0usize);
    for line in text.lines() {
        let line = expand_tabs(line);
        let Some(first) = line.iter().position(|&c| c != ' ') else { continue };
        long |= line.len() > CARD;
        match beyond_margin(&line) {
            Some(Beyond::Code) => cut += 1,
            Some(Beyond::Name) => named += 1,
            None => {}
        }
        // A literal that goes on with the next line says where the margin is.
        named += usize::from(first == INDICATOR && line[first] == '-');
        let word: String = line[first..].iter().take_while(|c| !c.is_whitespace()).collect();
        let is_numbered = line.len() > INDICATOR && line[..INDICATOR].iter().all(char::is_ascii_digit);
        let is_marked = first == INDICATOR && matches!(line[first], '*' | '/' | '-') && !word.starts_with("*>");
        if is_numbered || is_marked {
            fixed += 1;
        } else if first <= INDICATOR && begins_code(&word) {
            free += 1;
        }
    }
    if free > fixed || (free == 0 && fixed == 0 && long) {
        Format::Free
    } else if cut > 0 && named == 0 {
        Format::Variable
    } else {
        Format::Fixed
    }
}

/// Whether a line of code may begin with the word: a level number, a comment, or a word of a description.
fn begins_code(word: &str) -> bool {
    const WORDS: [&str; 18] = [
        "COPY",
        "REPLACE",
        "PIC",
        "PICTURE",
        "VALUE",
        "VALUES",
        "OCCURS",
        "USAGE",
        "COMP",
        "COMP-3",
        "COMP-5",
        "BINARY",
        "DEPENDING",
        "REDEFINES",
        "SIGN",
        "SYNC",
        "INDEXED",
        "EXEC",
    ];
    let upper = word.trim_end_matches('.').to_ascii_uppercase();
    let is_level = upper.len() <= 2 && matches!(upper.parse::<u8>(), Ok(1..=49 | 66 | 77 | 78 | 88));
    is_level || word.starts_with("*>") || WORDS.contains(&upper.as_str())
}
