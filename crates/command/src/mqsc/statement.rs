//! Verb, object and keywords of one command, before anybody looks at what they mean.

use crate::mqsc::lexer::{LexError, Lexer, Token};
use crate::mqsc::problem::Problem;

/// More than any object has.
const MAXIMUM_KEYWORDS: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Alter,
    Archive,
    Backup,
    Clear,
    Define,
    Delete,
    Display,
    Move,
    Ping,
    Purge,
    Recover,
    Refresh,
    Reset,
    Resolve,
    Resume,
    Rverify,
    Set,
    Start,
    Stop,
    Suspend,
}

impl Verb {
    pub(super) const ALL: [(Self, &'static str); 20] = [
        (Self::Alter, "ALTER"),
        (Self::Archive, "ARCHIVE"),
        (Self::Backup, "BACKUP"),
        (Self::Clear, "CLEAR"),
        (Self::Define, "DEFINE"),
        (Self::Delete, "DELETE"),
        (Self::Display, "DISPLAY"),
        (Self::Move, "MOVE"),
        (Self::Ping, "PING"),
        (Self::Purge, "PURGE"),
        (Self::Recover, "RECOVER"),
        (Self::Refresh, "REFRESH"),
        (Self::Reset, "RESET"),
        (Self::Resolve, "RESOLVE"),
        (Self::Resume, "RESUME"),
        (Self::Rverify, "RVERIFY"),
        (Self::Set, "SET"),
        (Self::Start, "START"),
        (Self::Stop, "STOP"),
        (Self::Suspend, "SUSPEND"),
    ];

    /// A verb in full, or at least three letters that begin only this one.
    pub(super) fn find(word: &str) -> Option<Self> {
        let mut found =
            Self::ALL.iter().filter(|(_, name)| name.starts_with(word) && (word.len() >= 3 || *name == word));
        let first = found.next()?;
        (found.next().is_none() || first.1 == word).then_some(first.0)
    }

    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(verb, _)| *verb == self).map_or("", |(_, name)| name)
    }
}

/// A value between parentheses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Operand {
    /// Upper case unless quoted.
    pub(super) text: String,
    pub(super) quoted: bool,
}

/// `KEYWORD` or `KEYWORD(value ...)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parameter {
    /// In upper case.
    pub(super) keyword: String,
    /// `None` without parentheses; never empty.
    pub(super) operands: Option<Vec<Operand>>,
    /// Byte after it, for showing where a mistake is.
    pub(super) end: usize,
}

/// One command. `rest` is read on demand, so that commands we do not have are refused by name whatever follows.
pub(super) struct Statement<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    pub(super) verb: Verb,
    /// In upper case.
    pub(super) object: String,
}

impl<'a> Statement<'a> {
    /// Reads verb and object keyword.
    pub(super) fn begin(text: &'a str) -> Result<Self, Problem> {
        let mut lexer = Lexer::new(text);
        let verb = match lexer.next() {
            Ok(Some(Token::Word(word))) => Verb::find(&word.to_ascii_uppercase()),
            _ => None,
        };
        let Some(verb) = verb else { return Err(Problem::unknown_verb(lexer.read_so_far())) };
        match lexer.next() {
            Ok(Some(Token::Word(object))) => Ok(Self { text, lexer, verb, object: object.to_ascii_uppercase() }),
            _ => Err(Problem::syntax(lexer.read_so_far(), format!("{} needs an object", verb.name()))),
        }
    }

    pub(super) fn problem_here(&self, problem: impl Into<String>) -> Problem {
        Problem::syntax(self.lexer.read_so_far(), problem)
    }

    pub(super) fn problem_at(&self, end: usize, problem: impl Into<String>) -> Problem {
        Problem::syntax(self.text.get(..end).unwrap_or(self.text), problem)
    }

    /// The value after the object keyword, and all other keywords.
    pub(super) fn rest(&mut self) -> Result<(Option<Vec<Operand>>, Vec<Parameter>), Problem> {
        let name = self.operands()?;
        let mut parameters: Vec<Parameter> = Vec::new();
        while let Some(token) = self.token()? {
            let Token::Word(word) = token else { return Err(self.problem_here("a keyword was expected")) };
            let keyword = word.to_ascii_uppercase();
            if parameters.iter().any(|known| known.keyword == keyword) {
                return Err(self
                    .problem_here(format!("{keyword} stands twice"))
                    .with_message(crate::message::DUPLICATE));
            }
            if parameters.len() == MAXIMUM_KEYWORDS {
                return Err(self.problem_here(format!("a command has at most {MAXIMUM_KEYWORDS} keywords")));
            }
            let operands = self.operands()?;
            parameters.push(Parameter { keyword, operands, end: self.lexer.read_so_far().len() });
        }
        Ok((name, parameters))
    }

    fn token(&mut self) -> Result<Option<Token>, Problem> {
        self.lexer.next().map_err(|LexError { end, problem }| self.problem_at(end, problem))
    }

    fn operands(&mut self) -> Result<Option<Vec<Operand>>, Problem> {
        if !self.lexer.next_is('(') {
            return Ok(None);
        }
        self.token()?;
        let mut operands = Vec::new();
        loop {
            match self.token()? {
                Some(Token::Word(word)) => operands.push(Operand { text: word.to_ascii_uppercase(), quoted: false }),
                Some(Token::Quoted(text)) => operands.push(Operand { text, quoted: true }),
                Some(Token::Close) if operands.is_empty() => return Err(self.problem_here("a value is missing")),
                Some(Token::Close) => return Ok(Some(operands)),
                Some(Token::Open) => return Err(self.problem_here("values with parentheses need quotes")),
                None => return Err(self.problem_here("a parenthesis is not closed")),
            }
        }
    }
}
