//! A selector's text as tokens.
//!
//! ```text
//! name        letter, '_' or '$', then those, digits and '.'; words of the language in either case
//! number      57  57L  0x39  071  57.0  .5  5.  5.7e1  57f  57d
//! string      'it''s'
//! bytes       "0x414D51"
//! operators   = <> < <= > >= + - * / ( ) ,
//! ```

use crate::selection::selector::SelectorError;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Name(String),
    Word(Word),
    Integer(i64),
    Float(f64),
    String(String),
    Bytes(Vec<u8>),
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Star,
    Slash,
    Open,
    Close,
    Comma,
    End,
}

/// Words of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    And,
    Between,
    Escape,
    False,
    In,
    Is,
    Like,
    Not,
    Null,
    Or,
    True,
}

const WORDS: [(&str, Word); 11] = [
    ("AND", Word::And),
    ("BETWEEN", Word::Between),
    ("ESCAPE", Word::Escape),
    ("FALSE", Word::False),
    ("IN", Word::In),
    ("IS", Word::Is),
    ("LIKE", Word::Like),
    ("NOT", Word::Not),
    ("NULL", Word::Null),
    ("OR", Word::Or),
    ("TRUE", Word::True),
];

pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next token and the byte it begins at; `End` for ever after the last.
    pub(super) fn next(&mut self) -> Result<(usize, Token), SelectorError> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r', '\x0C']).len();
        let start = self.at;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok((start, Token::End)) };
        let token = match first {
            '\'' => Token::String(self.string()?),
            '"' => Token::Bytes(self.bytes()?),
            '0'..='9' => self.number()?,
            '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => self.number()?,
            first if begins_name(first) => self.name(),
            _ => self.operator().ok_or_else(|| self.expected("a name, a literal or an operator"))?,
        };
        Ok((start, token))
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn expected(&self, expected: &'static str) -> SelectorError {
        SelectorError::Syntax { offset: self.at, expected }
    }

    /// Takes what `is_part` accepts.
    fn run(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn name(&mut self) -> Token {
        let name = self.run(|c| begins_name(c) || c.is_numeric() || c == '.');
        let word = WORDS.into_iter().find(|(word, _)| name.eq_ignore_ascii_case(word));
        word.map_or_else(|| Token::Name(name.to_owned()), |(_, word)| Token::Word(word))
    }

    fn operator(&mut self) -> Option<Token> {
        const OPERATORS: [(&str, Token); 13] = [
            ("<>", Token::NotEqual),
            ("<=", Token::LessOrEqual),
            (">=", Token::GreaterOrEqual),
            ("=", Token::Equal),
            ("<", Token::Less),
            (">", Token::Greater),
            ("+", Token::Plus),
            ("-", Token::Minus),
            ("*", Token::Star),
            ("/", Token::Slash),
            ("(", Token::Open),
            (")", Token::Close),
            (",", Token::Comma),
        ];
        let rest = self.rest();
        let (text, token) = OPERATORS.into_iter().find(|(text, _)| rest.starts_with(text))?;
        self.at += text.len();
        Some(token)
    }

    /// In apostrophes; two of them are one.
    fn string(&mut self) -> Result<String, SelectorError> {
        let start = self.at;
        self.at += 1;
        let mut string = String::new();
        loop {
            string.push_str(self.run(|c| c != '\''));
            if self.rest().starts_with("''") {
                string.push('\'');
                self.at += 2;
            } else if self.rest().starts_with('\'') {
                self.at += 1;
                return Ok(string);
            } else {
                self.at = start;
                return Err(self.expected("an apostrophe that ends the string"));
            }
        }
    }

    /// `"0x` and pairs of hexadecimal digits.
    fn bytes(&mut self) -> Result<Vec<u8>, SelectorError> {
        let start = self.at;
        let literal = self.rest()[1..].split_once('"').map(|(literal, _)| literal);
        let bytes = literal.and_then(|literal| {
            let digits = literal.strip_prefix("0x").or_else(|| literal.strip_prefix("0X"))?;
            self.at = start + literal.len() + 2;
            hex(digits)
        });
        bytes.ok_or(SelectorError::Syntax { offset: start, expected: "bytes such as \"0x0A1B\"" })
    }

    fn number(&mut self) -> Result<Token, SelectorError> {
        let start = self.at;
        let number = self.number_or_none();
        // What touches a number, such as a letter, makes it none.
        number
            .filter(|_| !self.rest().starts_with(|c: char| begins_name(c) || c.is_numeric() || c == '.'))
            .ok_or(SelectorError::Syntax { offset: start, expected: "a number" })
    }

    fn number_or_none(&mut self) -> Option<Token> {
        if self.rest().starts_with("0x") || self.rest().starts_with("0X") {
            self.at += 2;
            let digits = self.run(|c| c.is_ascii_hexdigit());
            self.long_suffix();
            return i64::from_str_radix(digits, 16).ok().map(Token::Integer);
        }
        let start = self.at;
        let whole = self.run(|c| c.is_ascii_digit());
        let mut is_float = false;
        if self.rest().starts_with('.') {
            self.at += 1;
            self.run(|c| c.is_ascii_digit());
            is_float = true;
        }
        if self.rest().starts_with(['e', 'E']) {
            self.at += 1;
            if self.rest().starts_with(['+', '-']) {
                self.at += 1;
            }
            if self.run(|c| c.is_ascii_digit()).is_empty() {
                return None;
            }
            is_float = true;
        }
        let text = &self.text[start..self.at];
        if self.rest().starts_with(['f', 'F', 'd', 'D']) {
            self.at += 1;
            is_float = true;
        }
        if is_float {
            return text.parse().ok().map(Token::Float);
        }
        self.long_suffix();
        match whole.strip_prefix('0').filter(|digits| !digits.is_empty()) {
            Some(octal) => i64::from_str_radix(octal, 8).ok().map(Token::Integer),
            // Beyond the integers, the nearest float.
            None => whole.parse().map(Token::Integer).or_else(|_| whole.parse().map(Token::Float)).ok(),
        }
    }

    fn long_suffix(&mut self) {
        if self.rest().starts_with(['l', 'L']) {
            self.at += 1;
        }
    }
}

fn begins_name(character: char) -> bool {
    character.is_alphabetic() || matches!(character, '_' | '$')
}

/// Pairs of hexadecimal digits, in either case.
pub(super) fn hex(digits: &str) -> Option<Vec<u8>> {
    let values: Option<Vec<u8>> = digits.chars().map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok())).collect();
    let values = values.filter(|values| values.len() % 2 == 0)?;
    Some(values.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}
