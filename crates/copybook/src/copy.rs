//! Text manipulation: COPY with REPLACING, INCLUDE of embedded SQL, and REPLACE.
//!
//! Works on text words. Parentheses and colons are words of their own, so that `:TAG:` and `(N)` can be replaced within
//! a name or a PICTURE. What is put in stands at the place of what it replaces.

use crate::error::{Fault, Place, Problem};
use crate::options::ParseOptions;
use crate::source::{self, Characters, MAXIMUM_CHARACTERS};

const MAXIMUM_DEPTH: usize = 16;

/// The characters of a text with all COPY and REPLACE statements carried out, and the names of the members read.
pub(crate) fn expand(text: &str, options: &ParseOptions<'_>, members: &mut Vec<String>) -> Result<Characters, Fault> {
    members.push(String::new());
    let characters = source::read(text, 0, options.format)?;
    let mut expansion = Expansion { options, members, total: characters.len() };
    let copied = expansion.copy(characters, 0)?;
    replace_statements(copied)
}

struct Expansion<'a, 'b> {
    options: &'a ParseOptions<'b>,
    members: &'a mut Vec<String>,
    total: usize,
}

impl Expansion<'_, '_> {
    fn copy(&mut self, characters: Characters, depth: usize) -> Result<Characters, Fault> {
        let words = split(&characters);
        let may_copy = |word: &Word| ["COPY", "EXEC", "EXECUTE"].iter().any(|verb| word.is(&characters, verb));
        if !words.iter().any(may_copy) {
            return Ok(characters);
        }
        let mut out = Characters::with_capacity(characters.len());
        let mut done = 0;
        let mut cursor = Cursor { characters: &characters, words: &words, at: 0 };
        while let Some(word) = cursor.next() {
            let statement = if word.is(&characters, "COPY") {
                cursor.copy_statement()?
            } else if let Some(statement) = cursor.include_statement(word)? {
                statement
            } else {
                continue;
            };
            out.extend_from_slice(&characters[done..word.start]);
            let place = characters[word.start].1;
            done = statement.end;
            let copied = self.member(&statement, place, depth)?;
            self.total += copied.len();
            if self.total > MAXIMUM_CHARACTERS {
                return Err(Fault::at(place, Problem::CopyTooLong { maximum: MAXIMUM_CHARACTERS }));
            }
            out.extend(copied);
            out.push(('\n', place));
        }
        out.extend_from_slice(&characters[done..]);
        Ok(out)
    }

    fn member(&mut self, statement: &CopyStatement, place: Place, depth: usize) -> Result<Characters, Fault> {
        if depth == MAXIMUM_DEPTH || self.members.len() > usize::from(u16::MAX) {
            return Err(Fault::at(place, Problem::CopyTooDeep { maximum: MAXIMUM_DEPTH }));
        }
        let found = self.options.resolver.and_then(|resolve| resolve(&statement.name, statement.library.as_deref()));
        let Some(text) = found else {
            return Err(Fault::at(place, Problem::MemberNotFound { name: statement.name.clone() }));
        };
        let member = u16::try_from(self.members.len()).unwrap_or(u16::MAX);
        self.members.push(statement.name.clone());
        let characters = source::read(&text, member, self.options.format)?;
        let copied = self.copy(characters, depth + 1)?;
        replace(&copied, &statement.replacements)
    }
}

struct CopyStatement {
    name: String,
    library: Option<String>,
    replacements: Vec<Replacement>,
    /// Index of the character behind the statement.
    end: usize,
}

/// What is replaced by what.
struct Replacement {
    how: How,
    /// Upper case, except literals.
    from: Vec<String>,
    to: Vec<char>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Words,
    /// The beginning of a word.
    Leading,
    /// The end of a word.
    Trailing,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WordKind {
    Plain,
    Literal,
    /// `==`
    Pseudo,
    Period,
}

#[derive(Clone, Copy)]
struct Word {
    start: usize,
    end: usize,
    kind: WordKind,
}

impl Word {
    fn text(self, characters: &Characters) -> String {
        characters[self.start..self.end].iter().map(|(c, _)| c).collect()
    }

    fn is(self, characters: &Characters, word: &str) -> bool {
        let text = &characters[self.start..self.end];
        self.kind == WordKind::Plain
            && text.len() == word.len()
            && text.iter().zip(word.chars()).all(|((c, _), expected)| c.eq_ignore_ascii_case(&expected))
    }

    /// As compared: case matters in literals only. As many characters as the word has, since offsets are counted on it.
    fn compared(self, characters: &Characters) -> String {
        let text = self.text(characters);
        if self.kind == WordKind::Literal { text } else { text.chars().map(in_upper_case).collect() }
    }
}

/// The character itself where it would be several.
fn in_upper_case(character: char) -> char {
    let mut upper = character.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(one), None) => one,
        _ => character,
    }
}

fn split(characters: &Characters) -> Vec<Word> {
    let mut words = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let start = at;
        let c = characters[at].0;
        if c.is_whitespace() || is_separator(characters, at, &[',', ';']) {
            at += 1;
            continue;
        }
        let kind = if matches!(c, '"' | '\'') {
            at += 1;
            while at < characters.len() && characters[at].0 != c {
                at += 1;
            }
            at = (at + 1).min(characters.len());
            WordKind::Literal
        } else if is_pseudo(characters, at) {
            at += 2;
            WordKind::Pseudo
        } else if is_separator(characters, at, &['.']) {
            at += 1;
            WordKind::Period
        } else if matches!(c, '(' | ')' | ':') {
            at += 1;
            WordKind::Plain
        } else {
            while at < characters.len() && !ends_word(characters, at) {
                at += 1;
            }
            WordKind::Plain
        };
        words.push(Word { start, end: at, kind });
    }
    words
}

/// One of the marks, with a blank or nothing behind it.
fn is_separator(characters: &Characters, at: usize, marks: &[char]) -> bool {
    marks.contains(&characters[at].0) && characters.get(at + 1).is_none_or(|(c, _)| c.is_whitespace())
}

fn is_pseudo(characters: &Characters, at: usize) -> bool {
    characters[at].0 == '=' && characters.get(at + 1).is_some_and(|(c, _)| *c == '=')
}

fn ends_word(characters: &Characters, at: usize) -> bool {
    let c = characters[at].0;
    c.is_whitespace()
        || matches!(c, '(' | ')' | ':' | '"' | '\'')
        || is_separator(characters, at, &[',', ';', '.'])
        || is_pseudo(characters, at)
}

struct Cursor<'a> {
    characters: &'a Characters,
    words: &'a [Word],
    at: usize,
}

impl Cursor<'_> {
    fn next(&mut self) -> Option<Word> {
        let word = self.words.get(self.at).copied();
        self.at += 1;
        word
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.words.get(self.at).is_some_and(|next| next.is(self.characters, word));
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, expected: &'static str) -> Result<Word, Fault> {
        let last = self.characters.last().map(|(_, place)| *place).unwrap_or_default();
        self.next().ok_or_else(|| Fault::at(last, Problem::Ended { expected }))
    }

    fn unexpected(&self, word: Word, expected: &'static str) -> Fault {
        let place = self.characters[word.start].1;
        Fault::at(place, Problem::Unexpected { found: word.text(self.characters), expected })
    }

    /// A member or library: a word in upper case, or the inside of a literal.
    fn name(&mut self) -> Result<String, Fault> {
        let word = self.expect("the name of a member")?;
        match word.kind {
            WordKind::Plain => Ok(word.text(self.characters).to_uppercase()),
            WordKind::Literal => Ok(word.text(self.characters).trim_matches(['"', '\'']).to_owned()),
            WordKind::Pseudo | WordKind::Period => Err(self.unexpected(word, "the name of a member")),
        }
    }

    /// What follows COPY, up to and with its period.
    fn copy_statement(&mut self) -> Result<CopyStatement, Fault> {
        let name = self.name()?;
        let library = if self.take("OF") || self.take("IN") { Some(self.name()?) } else { None };
        self.take("SUPPRESS");
        self.take("PRINTING");
        let replacements = if self.take("REPLACING") { self.replacements()? } else { Vec::new() };
        let period = self.expect("the period of a COPY statement")?;
        if period.kind != WordKind::Period {
            return Err(self.unexpected(period, "the period of a COPY statement"));
        }
        Ok(CopyStatement { name, library, replacements, end: period.end })
    }

    /// `EXEC SQL INCLUDE member END-EXEC`, with a period behind it or none; `first` is its first word. `None` for anything
    /// else, and for the areas that the precompiler has of its own, which are no part of a record.
    fn include_statement(&mut self, first: Word) -> Result<Option<CopyStatement>, Fault> {
        let begin = self.at;
        let is_embedded = ["EXEC", "EXECUTE"].iter().any(|verb| first.is(self.characters, verb));
        if !(is_embedded && self.take("SQL") && self.take("INCLUDE")) {
            self.at = begin;
            return Ok(None);
        }
        let name = self.name()?;
        if matches!(name.as_str(), "SQLCA" | "SQLDA") {
            return Ok(None);
        }
        let last = self.expect("END-EXEC")?;
        if !last.is(self.characters, "END-EXEC") {
            return Err(self.unexpected(last, "END-EXEC"));
        }
        let period = self.words.get(self.at).filter(|word| word.kind == WordKind::Period).copied();
        self.at += usize::from(period.is_some());
        Ok(Some(CopyStatement { name, library: None, replacements: Vec::new(), end: period.unwrap_or(last).end }))
    }

    /// `operand BY operand` repeated; stops before the period.
    fn replacements(&mut self) -> Result<Vec<Replacement>, Fault> {
        let mut replacements = Vec::new();
        while self.words.get(self.at).is_some_and(|word| word.kind != WordKind::Period) {
            let how = if self.take("LEADING") {
                How::Leading
            } else if self.take("TRAILING") {
                How::Trailing
            } else {
                How::Words
            };
            let (from, _) = self.operand(true)?;
            let by = self.expect("BY")?;
            if !by.is(self.characters, "BY") {
                return Err(self.unexpected(by, "BY"));
            }
            let (_, to) = self.operand(false)?;
            replacements.push(Replacement { how, from, to });
        }
        Ok(replacements)
    }

    /// Words and characters of a pseudo-text, a literal or a word.
    fn operand(&mut self, not_empty: bool) -> Result<(Vec<String>, Vec<char>), Fault> {
        let first = self.expect("a text to replace")?;
        let whole = |from: usize, to: usize| self.characters[from..to].iter().map(|(c, _)| *c).collect::<Vec<char>>();
        match first.kind {
            WordKind::Period => Err(self.unexpected(first, "a text to replace")),
            WordKind::Plain | WordKind::Literal => {
                Ok((vec![first.compared(self.characters)], whole(first.start, first.end)))
            }
            WordKind::Pseudo => {
                let rest = self.words.get(self.at..).unwrap_or_default();
                let Some(length) = rest.iter().position(|word| word.kind == WordKind::Pseudo) else {
                    return Err(Fault::at(self.characters[first.start].1, Problem::OpenPseudoText));
                };
                let words: Vec<String> = rest[..length].iter().map(|word| word.compared(self.characters)).collect();
                if not_empty && words.is_empty() {
                    return Err(self.unexpected(first, "a pseudo-text that is not empty"));
                }
                let inside: String = whole(first.end, rest[length].start).into_iter().collect();
                self.at += length + 1;
                Ok((words, inside.trim().chars().collect()))
            }
        }
    }
}

fn replace(characters: &Characters, replacements: &[Replacement]) -> Result<Characters, Fault> {
    if replacements.is_empty() {
        return Ok(characters.clone());
    }
    let words = split(characters);
    let compared: Vec<String> = words.iter().map(|word| word.compared(characters)).collect();
    let mut out = Characters::with_capacity(characters.len());
    let (mut at, mut done) = (0, 0);
    while at < words.len() {
        let matched = replacements.iter().find_map(|each| each.matched(&compared[at..]).map(|found| (each, found)));
        let Some((replacement, (count, from, to))) = matched else {
            at += 1;
            continue;
        };
        let place = characters[words[at].start].1;
        let (start, end) = (words[at].start + from, words[at + count - 1].end - to);
        out.extend_from_slice(&characters[done..start]);
        out.extend(replacement.to.iter().map(|&c| (c, place)));
        if out.len() > MAXIMUM_CHARACTERS {
            return Err(Fault::at(place, Problem::CopyTooLong { maximum: MAXIMUM_CHARACTERS }));
        }
        done = end;
        at += count;
    }
    out.extend_from_slice(&characters[done..]);
    Ok(out)
}

impl Replacement {
    /// How many words match, and how many characters of the first and last one stay.
    fn matched(&self, words: &[String]) -> Option<(usize, usize, usize)> {
        let first = words.first()?;
        let from = self.from.first()?;
        let rest = |whole: &str, part: &str| whole.chars().count() - part.chars().count();
        match self.how {
            How::Words => words.starts_with(&self.from).then_some((self.from.len(), 0, 0)),
            How::Leading => first.starts_with(from.as_str()).then(|| (1, 0, rest(first, from))),
            How::Trailing => first.ends_with(from.as_str()).then(|| (1, rest(first, from), 0)),
        }
    }
}

/// Carries out REPLACE statements: each holds up to the next one.
fn replace_statements(characters: Characters) -> Result<Characters, Fault> {
    let words = split(&characters);
    if !words.iter().any(|word| word.is(&characters, "REPLACE")) {
        return Ok(characters);
    }
    let mut out = Characters::with_capacity(characters.len());
    let mut active: Vec<Replacement> = Vec::new();
    let mut done = 0;
    let mut cursor = Cursor { characters: &characters, words: &words, at: 0 };
    while let Some(word) = cursor.next() {
        if !word.is(&characters, "REPLACE") {
            continue;
        }
        out.extend(replace(&characters[done..word.start].to_vec(), &active)?);
        active = if cursor.take("OFF") { Vec::new() } else { cursor.replacements()? };
        let period = cursor.expect("the period of a REPLACE statement")?;
        if period.kind != WordKind::Period {
            return Err(cursor.unexpected(period, "the period of a REPLACE statement"));
        }
        done = period.end;
    }
    out.extend(replace(&characters[done..].to_vec(), &active)?);
    Ok(out)
}
