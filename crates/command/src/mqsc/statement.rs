//! Verb, object and keywords of one command, before anybody looks at what they mean.

use model::definition::attribute::quoted;

use crate::mqsc::lexer::{LexError, Lexer, Token};
use crate::mqsc::problem::Problem;

/// More than any object has.
const MAXIMUM_KEYWORDS: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
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
    pub(crate) const ALL: [(Self, &'static str); 20] = [
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
    pub(crate) fn find(word: &str) -> Option<Self> {
        let mut found =
            Self::ALL.iter().filter(|(_, name)| name.starts_with(word) && (word.len() >= 3 || *name == word));
        let first = found.next()?;
        (found.next().is_none() || first.1 == word).then_some(first.0)
    }

    /// DISPLAY and PING change nothing.
    pub(crate) const fn only_reads(self) -> bool {
        matches!(self, Self::Display | Self::Ping)
    }

    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(verb, _)| *verb == self).map_or("", |(_, name)| name)
    }
}

/// A value between parentheses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Operand {
    /// Upper case unless quoted.
    pub(crate) text: String,
    pub(crate) quoted: bool,
}

/// `KEYWORD` or `KEYWORD(value ...)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// In upper case.
    pub(crate) keyword: String,
    /// `None` without parentheses; never empty.
    pub(crate) operands: Option<Vec<Operand>>,
    /// Byte after it in the text, for showing where a mistake is.
    pub(crate) end: Option<usize>,
}

/// One command in words, wherever they came from: MQSC text, JSON or PCF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statement {
    pub(crate) verb: Verb,
    /// In upper case; may be a synonym.
    pub(crate) object: String,
    /// What stands in parentheses after the object; never empty.
    pub(crate) name: Option<Vec<Operand>>,
    /// No keyword stands twice.
    pub(crate) parameters: Vec<Parameter>,
}

impl Statement {
    /// As MQSC would spell it, every value quoted that was, or has to be.
    pub(crate) fn text(&self) -> String {
        let values = |operands: &Option<Vec<Operand>>| {
            let Some(operands) = operands else { return String::new() };
            format!("({})", operands.iter().map(Operand::spelling).collect::<Vec<_>>().join(","))
        };
        let mut text = format!("{} {}{}", self.verb.name(), self.object, values(&self.name));
        for parameter in &self.parameters {
            text.push(' ');
            text.push_str(&parameter.keyword);
            text.push_str(&values(&parameter.operands));
        }
        text
    }
}

impl Operand {
    fn spelling(&self) -> String {
        let is_plain =
            |character: char| character.is_ascii_uppercase() || character.is_ascii_digit() || character == '.';
        if self.quoted || self.text.is_empty() || !self.text.chars().all(is_plain) {
            quoted(&self.text)
        } else {
            self.text.clone()
        }
    }
}

/// Text being read. What follows the object is read on demand, so that commands we do not have are refused by name
/// whatever follows.
pub(crate) struct Source<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
}

impl<'a> Source<'a> {
    pub(crate) const fn new(text: &'a str) -> Self {
        Self { text, lexer: Lexer::new(text) }
    }

    /// Puts the text read so far, or that up to the mistake, into a problem.
    pub(super) fn place(&self, problem: Problem) -> Problem {
        problem.within(self.text, self.lexer.read_so_far())
    }

    /// Reads verb and object keyword.
    pub(crate) fn head(&mut self) -> Result<(Verb, String), Problem> {
        let verb = match self.lexer.next() {
            Ok(Some(Token::Word(word))) => Verb::find(&word.to_ascii_uppercase()),
            _ => None,
        };
        let Some(verb) = verb else { return Err(Problem::unknown_verb()) };
        match self.lexer.next() {
            Ok(Some(Token::Word(object))) => Ok((verb, object.to_ascii_uppercase())),
            _ => Err(Problem::syntax(format!("{} needs an object", verb.name()))),
        }
    }

    /// What stands in parentheses after the object.
    pub(crate) fn name(&mut self) -> Result<Option<Vec<Operand>>, Problem> {
        self.operands()
    }

    /// The value after the object keyword, and all other keywords.
    pub(super) fn rest(&mut self) -> Result<(Option<Vec<Operand>>, Vec<Parameter>), Problem> {
        let name = self.operands()?;
        let mut parameters: Vec<Parameter> = Vec::new();
        while let Some(token) = self.token()? {
            let Token::Word(word) = token else { return Err(Problem::syntax("a keyword was expected")) };
            let keyword = word.to_ascii_uppercase();
            if parameters.iter().any(|known| known.keyword == keyword) {
                return Err(Problem::syntax(format!("{keyword} stands twice")).with_message(crate::message::DUPLICATE));
            }
            if parameters.len() == MAXIMUM_KEYWORDS {
                return Err(Problem::syntax(format!("a command has at most {MAXIMUM_KEYWORDS} keywords")));
            }
            let operands = self.operands()?;
            parameters.push(Parameter { keyword, operands, end: Some(self.lexer.read_so_far().len()) });
        }
        Ok((name, parameters))
    }

    fn token(&mut self) -> Result<Option<Token>, Problem> {
        self.lexer.next().map_err(|LexError { end, problem }| Problem::syntax(problem).at(Some(end)))
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
                Some(Token::Close) if operands.is_empty() => return Err(Problem::syntax("a value is missing")),
                Some(Token::Close) => return Ok(Some(operands)),
                Some(Token::Open) => return Err(Problem::syntax("values with parentheses need quotes")),
                None => return Err(Problem::syntax("a parenthesis is not closed")),
            }
        }
    }
}
