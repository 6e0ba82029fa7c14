//! Characters to tokens: words, literals, PICTURE strings, periods.
//!
//! A PICTURE string is only known by the word before it, so that word is looked for here.

use crate::error::{Fault, Place, Problem};
use crate::source::Characters;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A word or a number, as written.
    Word(String),
    Literal {
        /// Upper case: X, N, NX, G, Z, U, or nothing.
        prefix: String,
        text: String,
    },
    Picture(String),
    Open,
    Close,
    Ampersand,
    Period,
}

#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) place: Place,
}

impl Token {
    /// As it is shown in errors.
    pub(crate) fn shown(&self) -> String {
        match &self.kind {
            TokenKind::Word(text) | TokenKind::Picture(text) => text.clone(),
            TokenKind::Literal { prefix, text } => format!("{prefix}\"{text}\""),
            TokenKind::Open => "(".to_owned(),
            TokenKind::Close => ")".to_owned(),
            TokenKind::Ampersand => "&".to_owned(),
            TokenKind::Period => ".".to_owned(),
        }
    }
}

/// # Errors
/// A literal that is not closed, PICTURE without a string.
pub(crate) fn tokens(characters: &Characters, decimal_comma: bool) -> Result<Vec<Token>, Fault> {
    let mut lexer = Lexer { characters, decimal_comma, at: 0, tokens: Vec::new() };
    let mut picture_next = false;
    while lexer.skip_separators() {
        if picture_next {
            if lexer.word_ahead("IS") {
                lexer.at += 2;
                continue;
            }
            picture_next = false;
            lexer.picture()?;
        } else {
            lexer.token()?;
            picture_next = matches!(lexer.tokens.last(), Some(Token { kind: TokenKind::Word(word), .. })
                if word.eq_ignore_ascii_case("PIC") || word.eq_ignore_ascii_case("PICTURE"));
        }
    }
    if picture_next {
        let place = characters.last().map(|(_, place)| *place).unwrap_or_default();
        return Err(Fault::at(place, Problem::Ended { expected: "a PICTURE string" }));
    }
    Ok(lexer.tokens)
}

struct Lexer<'a> {
    characters: &'a Characters,
    decimal_comma: bool,
    at: usize,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.at + ahead).map(|(c, _)| *c)
    }

    /// Whether the character so far ahead is followed by a blank or the end.
    fn ends_here(&self, ahead: usize) -> bool {
        self.peek(ahead + 1).is_none_or(char::is_whitespace)
    }

    /// Whether a comma or semicolon here parts words, behind as much of a word as was read. Only a comma of a number does
    /// not: a digit is behind it, and before it a digit, a sign or nothing.
    fn parts_words(&self, word: &str) -> bool {
        let is_decimal = self.decimal_comma
            && self.peek(0) == Some(',')
            && self.peek(1).is_some_and(|c| c.is_ascii_digit())
            && word.chars().last().is_none_or(|c| c.is_ascii_digit() || matches!(c, '+' | '-'));
        matches!(self.peek(0), Some(',' | ';')) && !is_decimal
    }

    /// A comma or semicolon without a blank behind it is left, since a PICTURE may begin with it. False at the end.
    fn skip_separators(&mut self) -> bool {
        while let Some(c) = self.peek(0) {
            if c.is_whitespace() || (matches!(c, ',' | ';') && self.ends_here(0)) {
                self.at += 1;
            } else {
                return true;
            }
        }
        false
    }

    fn word_ahead(&self, word: &str) -> bool {
        let length = word.chars().count();
        let same = word.chars().enumerate().all(|(at, c)| self.peek(at).is_some_and(|p| p.eq_ignore_ascii_case(&c)));
        same && self.peek(length).is_none_or(char::is_whitespace)
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        self.tokens.push(Token { kind, place: self.characters[start].1 });
    }

    fn token(&mut self) -> Result<(), Fault> {
        let start = self.at;
        let Some(c) = self.peek(0) else { return Ok(()) };
        let kind = match c {
            '(' => TokenKind::Open,
            ')' => TokenKind::Close,
            '&' => TokenKind::Ampersand,
            '.' if self.ends_here(0) => TokenKind::Period,
            '"' | '\'' => return self.literal(String::new(), start),
            _ if self.parts_words("") => {
                self.at += 1;
                return Ok(());
            }
            _ => return self.word(start),
        };
        self.at += 1;
        self.push(kind, start);
        Ok(())
    }

    fn word(&mut self, start: usize) -> Result<(), Fault> {
        let mut word = String::new();
        while let Some(c) = self.peek(0) {
            if matches!(c, '"' | '\'') {
                if matches!(word.to_ascii_uppercase().as_str(), "X" | "N" | "NX" | "G" | "Z" | "U" | "UX" | "H" | "B") {
                    return self.literal(word.to_ascii_uppercase(), start);
                }
                break;
            }
            let ends = c.is_whitespace() || matches!(c, '(' | ')' | '&');
            if ends || (c == '.' && self.ends_here(0)) || self.parts_words(&word) {
                break;
            }
            word.push(c);
            self.at += 1;
        }
        self.push(TokenKind::Word(word), start);
        Ok(())
    }

    fn literal(&mut self, prefix: String, start: usize) -> Result<(), Fault> {
        let quote = self.peek(0);
        self.at += 1;
        let mut text = String::new();
        loop {
            let Some(c) = self.peek(0) else {
                return Err(Fault::at(self.characters[start].1, Problem::OpenLiteral));
            };
            self.at += 1;
            if Some(c) != quote {
                text.push(c);
            } else if self.peek(0) == quote {
                text.push(c);
                self.at += 1;
            } else {
                break;
            }
        }
        self.push(TokenKind::Literal { prefix, text }, start);
        Ok(())
    }

    /// Everything up to a blank outside parentheses, without a period, comma or semicolon at its end. A comma inside is a
    /// symbol of the PICTURE.
    fn picture(&mut self) -> Result<(), Fault> {
        let start = self.at;
        let mut text = String::new();
        let mut depth = 0u32;
        while let Some(c) = self.peek(0) {
            if (c.is_whitespace() && depth == 0) || (matches!(c, '.' | ',' | ';') && self.ends_here(0)) {
                break;
            }
            depth = match c {
                '(' => depth + 1,
                ')' => depth.saturating_sub(1),
                _ => depth,
            };
            if !c.is_whitespace() {
                text.push(c);
            }
            self.at += 1;
        }
        if text.is_empty() {
            let expected = "a PICTURE string";
            let found = self.peek(0).unwrap_or(' ').to_string();
            return Err(Fault::at(self.characters[start].1, Problem::Unexpected { found, expected }));
        }
        self.push(TokenKind::Picture(text), start);
        Ok(())
    }
}
