//! Tokens of one command.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// Anything without blanks, commas, parentheses or quotes, as written.
    Word(String),
    /// Content of a quoted string, doubled quotes undone.
    Quoted(String),
    Open,
    Close,
}

/// Where lexing stopped: `end` is the byte after what could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LexError {
    pub(super) end: usize,
    pub(super) problem: String,
}

/// Hands out tokens with the byte position after each. Commas are blanks, except that lists need none or one.
pub(super) struct Lexer<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Lexer<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, position: 0 }
    }

    /// The command up to where reading has come.
    pub(super) fn read_so_far(&self) -> &'a str {
        self.text.get(..self.position).unwrap_or(self.text)
    }

    pub(super) fn next(&mut self) -> Result<Option<Token>, LexError> {
        let rest = &self.text[self.position..];
        let blank = rest.find(|c: char| !is_blank(c)).unwrap_or(rest.len());
        self.position += blank;
        let rest = &self.text[self.position..];
        let Some(first) = rest.chars().next() else { return Ok(None) };
        match first {
            '(' => Ok(Some(self.take(1, Token::Open))),
            ')' => Ok(Some(self.take(1, Token::Close))),
            '\'' => self.quoted().map(Some),
            _ => {
                let length = rest.find(|c: char| is_blank(c) || matches!(c, '(' | ')' | '\'')).unwrap_or(rest.len());
                Ok(Some(self.take(length, Token::Word(rest[..length].to_owned()))))
            }
        }
    }

    /// Is the next token, after blanks, this character?
    pub(super) fn next_is(&self, character: char) -> bool {
        self.text[self.position..].trim_start_matches(is_blank).starts_with(character)
    }

    fn take(&mut self, length: usize, token: Token) -> Token {
        self.position += length;
        token
    }

    fn quoted(&mut self) -> Result<Token, LexError> {
        let start = self.position + 1;
        let mut content = String::new();
        let mut characters = self.text[start..].char_indices().peekable();
        while let Some((offset, character)) = characters.next() {
            if character != '\'' {
                content.push(character);
            } else if characters.next_if(|(_, following)| *following == '\'').is_some() {
                content.push('\'');
            } else {
                self.position = start + offset + 1;
                return Ok(Token::Quoted(content));
            }
        }
        self.position = self.text.len();
        Err(LexError { end: self.text.len(), problem: "a quote is not closed".to_owned() })
    }
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == ','
}
