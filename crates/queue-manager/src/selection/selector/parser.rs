//! Tokens to a tree, by recursive descent. Kinds that can be told from the text are checked here: arithmetic is of
//! numbers, AND and OR join conditions, strings and truth values are only equal or not.
//!
//! ```text
//! selector   = or
//! or         = and { OR and }                and     = not { AND not }            not = { NOT } predicate
//! predicate  = sum [ compare sum | [NOT] BETWEEN sum AND sum | [NOT] IN (string, ...) | [NOT] LIKE string [ESCAPE string]
//!                  | IS [NOT] NULL ]
//! sum        = product { (+|-) product }     product = unary { (*|/) unary }      unary = { +|- } primary
//! primary    = literal | name | ( or )
//! ```

use std::borrow::Cow;

use crate::selection::selector::expression::{Comparison, Condition, Factor, Operand, Sign};
use crate::selection::selector::field::Field;
use crate::selection::selector::lexer::{Lexer, Token, Word};
use crate::selection::selector::like::Pattern;
use crate::selection::selector::value::Value;
use crate::selection::selector::{MAXIMUM_DEPTH, MAXIMUM_LENGTH, SelectorError};

/// # Errors
/// As `SelectorError` says.
pub(super) fn parse(text: &str) -> Result<Condition, SelectorError> {
    if text.len() > MAXIMUM_LENGTH {
        return Err(SelectorError::TooLong);
    }
    let mut lexer = Lexer::new(text);
    let (at, token) = lexer.next()?;
    let mut parser = Parser { lexer, token, at, depth: 0 };
    let parsed = parser.or()?;
    if parser.token != Token::End {
        return Err(parser.expected("AND, OR or the end of the selector"));
    }
    parser.condition(parsed)
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// Not taken yet, and where it begins.
    token: Token,
    at: usize,
    depth: usize,
}

/// A name alone may still become either.
enum Parsed {
    Condition(Condition),
    Operand(Operand),
}

/// As far as the text tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Other,
    Unknown,
}

impl Operand {
    fn kind(&self) -> Kind {
        match self {
            Operand::Literal(value) if value.number().is_some() => Kind::Number,
            Operand::Literal(_) => Kind::Other,
            Operand::Field(_) => Kind::Unknown,
            Operand::Negated(_) | Operand::Sum(..) | Operand::Product(..) => Kind::Number,
        }
    }
}

impl Parser<'_> {
    fn advance(&mut self) -> Result<Token, SelectorError> {
        let (at, next) = self.lexer.next()?;
        self.at = at;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn expected(&self, expected: &'static str) -> SelectorError {
        SelectorError::Syntax { offset: self.at, expected }
    }

    /// Takes the token if it is this one.
    fn take(&mut self, token: &Token) -> Result<bool, SelectorError> {
        let found = self.token == *token;
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn take_word(&mut self, word: Word) -> Result<bool, SelectorError> {
        self.take(&Token::Word(word))
    }

    fn or(&mut self) -> Result<Parsed, SelectorError> {
        self.chain(Word::Or, Self::and, Condition::Or)
    }

    fn and(&mut self) -> Result<Parsed, SelectorError> {
        self.chain(Word::And, Self::not, Condition::And)
    }

    fn chain(
        &mut self,
        word: Word,
        part: fn(&mut Self) -> Result<Parsed, SelectorError>,
        join: fn(Vec<Condition>) -> Condition,
    ) -> Result<Parsed, SelectorError> {
        let first = part(self)?;
        if self.token != Token::Word(word) {
            return Ok(first);
        }
        let mut parts = vec![self.condition(first)?];
        while self.take_word(word)? {
            let next = part(self)?;
            parts.push(self.condition(next)?);
        }
        Ok(Parsed::Condition(join(parts)))
    }

    fn not(&mut self) -> Result<Parsed, SelectorError> {
        let (mut is_there, mut negates) = (false, false);
        while self.take_word(Word::Not)? {
            is_there = true;
            negates = !negates;
        }
        let parsed = self.predicate()?;
        if !is_there {
            return Ok(parsed);
        }
        let condition = self.condition(parsed)?;
        Ok(Parsed::Condition(negate(condition, negates)))
    }

    fn predicate(&mut self) -> Result<Parsed, SelectorError> {
        let left = self.sum()?;
        if let Some(comparison) = comparison(&self.token) {
            let left = self.operand(left)?;
            self.advance()?;
            return self.compare(comparison, left);
        }
        let negates = self.take_word(Word::Not)?;
        let condition = match self.token {
            Token::Word(Word::Between) => self.between(left)?,
            Token::Word(Word::In) => self.is_in(left)?,
            Token::Word(Word::Like) => self.like(left)?,
            Token::Word(Word::Is) if !negates => self.is_null(left)?,
            _ if negates => return Err(self.expected("BETWEEN, IN or LIKE")),
            _ => return Ok(left),
        };
        Ok(Parsed::Condition(negate(condition, negates)))
    }

    fn compare(&mut self, comparison: Comparison, left: Operand) -> Result<Parsed, SelectorError> {
        let right = self.sum()?;
        let right = self.operand(right)?;
        let orders = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        if orders && (left.kind() == Kind::Other || right.kind() == Kind::Other) {
            return Err(self.expected("'=' or '<>' where strings and truth values are compared"));
        }
        Ok(Parsed::Condition(Condition::Compare(comparison, left, right)))
    }

    fn between(&mut self, left: Parsed) -> Result<Condition, SelectorError> {
        let left = self.number(left)?;
        self.advance()?;
        let low = self.sum()?;
        let low = self.number(low)?;
        if !self.take_word(Word::And)? {
            return Err(self.expected("AND"));
        }
        let high = self.sum()?;
        let high = self.number(high)?;
        Ok(Condition::Between(left, low, high))
    }

    fn is_in(&mut self, left: Parsed) -> Result<Condition, SelectorError> {
        let field = self.field(left)?;
        self.advance()?;
        if !self.take(&Token::Open)? {
            return Err(self.expected("'('"));
        }
        let mut strings = Vec::new();
        loop {
            strings.push(self.string()?);
            if self.take(&Token::Close)? {
                return Ok(Condition::In(field, strings));
            }
            if !self.take(&Token::Comma)? {
                return Err(self.expected("',' or ')'"));
            }
        }
    }

    fn like(&mut self, left: Parsed) -> Result<Condition, SelectorError> {
        let field = self.field(left)?;
        self.advance()?;
        let pattern = self.string()?;
        let mut escape = None;
        if self.take_word(Word::Escape)? {
            let text = self.string()?;
            let mut characters = text.chars();
            escape = characters.next();
            if escape.is_none() || characters.next().is_some() {
                return Err(self.expected("one escape character before this"));
            }
        }
        let pattern = Pattern::new(&pattern, escape);
        Ok(Condition::Like(field, pattern.ok_or_else(|| self.expected("a pattern that does not end with its escape"))?))
    }

    fn is_null(&mut self, left: Parsed) -> Result<Condition, SelectorError> {
        let field = self.field(left)?;
        self.advance()?;
        let negates = self.take_word(Word::Not)?;
        if !self.take_word(Word::Null)? {
            return Err(self.expected("NULL"));
        }
        Ok(negate(Condition::IsNull(field), negates))
    }

    fn string(&mut self) -> Result<String, SelectorError> {
        if !matches!(self.token, Token::String(_)) {
            return Err(self.expected("a string in apostrophes"));
        }
        match self.advance()? {
            Token::String(text) => Ok(text),
            _ => Err(self.expected("a string in apostrophes")),
        }
    }

    fn sum(&mut self) -> Result<Parsed, SelectorError> {
        let first = self.product()?;
        if !matches!(self.token, Token::Plus | Token::Minus) {
            return Ok(first);
        }
        let first = self.number(first)?;
        let mut rest = Vec::new();
        loop {
            let sign = match self.token {
                Token::Plus => Sign::Plus,
                Token::Minus => Sign::Minus,
                _ => return Ok(Parsed::Operand(Operand::Sum(Box::new(first), rest))),
            };
            self.advance()?;
            let next = self.product()?;
            rest.push((sign, self.number(next)?));
        }
    }

    fn product(&mut self) -> Result<Parsed, SelectorError> {
        let first = self.unary()?;
        if !matches!(self.token, Token::Star | Token::Slash) {
            return Ok(first);
        }
        let first = self.number(first)?;
        let mut rest = Vec::new();
        loop {
            let factor = match self.token {
                Token::Star => Factor::Times,
                Token::Slash => Factor::DividedBy,
                _ => return Ok(Parsed::Operand(Operand::Product(Box::new(first), rest))),
            };
            self.advance()?;
            let next = self.unary()?;
            rest.push((factor, self.number(next)?));
        }
    }

    fn unary(&mut self) -> Result<Parsed, SelectorError> {
        let (mut is_there, mut negates) = (false, false);
        loop {
            match self.token {
                Token::Plus => {}
                Token::Minus => negates = !negates,
                _ => break,
            }
            is_there = true;
            self.advance()?;
        }
        let parsed = self.primary()?;
        if !is_there {
            return Ok(parsed);
        }
        let operand = self.number(parsed)?;
        Ok(Parsed::Operand(match operand {
            operand if !negates => operand,
            Operand::Literal(value) => match value.number() {
                Some(number) => Operand::Literal(number.negated().into()),
                None => return Err(self.expected("a number before this")),
            },
            operand => Operand::Negated(Box::new(operand)),
        }))
    }

    fn primary(&mut self) -> Result<Parsed, SelectorError> {
        if self.token == Token::Open {
            return self.parenthesis();
        }
        let at = self.at;
        let literal = |value| Ok(Parsed::Operand(Operand::Literal(value)));
        match self.advance()? {
            Token::Name(name) => Ok(Parsed::Operand(Operand::Field(Field::named(name)?))),
            Token::Integer(value) => literal(Value::Integer(value)),
            Token::Float(value) => literal(Value::Float(value)),
            Token::String(text) => literal(Value::String(Cow::Owned(text))),
            Token::Bytes(bytes) => literal(Value::Bytes(Cow::Owned(bytes))),
            Token::Word(Word::True) => literal(Value::Boolean(true)),
            Token::Word(Word::False) => literal(Value::Boolean(false)),
            _ => Err(SelectorError::Syntax { offset: at, expected: "a name, a literal or '('" }),
        }
    }

    fn parenthesis(&mut self) -> Result<Parsed, SelectorError> {
        if self.depth == MAXIMUM_DEPTH {
            return Err(SelectorError::TooDeep { offset: self.at });
        }
        self.advance()?;
        self.depth += 1;
        let parsed = self.or()?;
        self.depth -= 1;
        if self.take(&Token::Close)? { Ok(parsed) } else { Err(self.expected("')'")) }
    }

    fn condition(&self, parsed: Parsed) -> Result<Condition, SelectorError> {
        match parsed {
            Parsed::Condition(condition) => Ok(condition),
            Parsed::Operand(Operand::Field(field)) => Ok(Condition::Field(field)),
            Parsed::Operand(Operand::Literal(Value::Boolean(value))) => Ok(Condition::Literal(value)),
            Parsed::Operand(_) => Err(self.expected("a comparison")),
        }
    }

    fn operand(&self, parsed: Parsed) -> Result<Operand, SelectorError> {
        match parsed {
            Parsed::Operand(operand) => Ok(operand),
            Parsed::Condition(_) => Err(self.expected("AND or OR")),
        }
    }

    fn number(&self, parsed: Parsed) -> Result<Operand, SelectorError> {
        let operand = self.operand(parsed)?;
        if operand.kind() == Kind::Other { Err(self.expected("a number before this")) } else { Ok(operand) }
    }

    fn field(&self, parsed: Parsed) -> Result<Field, SelectorError> {
        match parsed {
            Parsed::Operand(Operand::Field(field)) => Ok(field),
            _ => Err(self.expected("a name before this")),
        }
    }
}

fn negate(condition: Condition, negates: bool) -> Condition {
    if negates { Condition::Not(Box::new(condition)) } else { condition }
}

fn comparison(token: &Token) -> Option<Comparison> {
    Some(match token {
        Token::Equal => Comparison::Equal,
        Token::NotEqual => Comparison::NotEqual,
        Token::Less => Comparison::Less,
        Token::LessOrEqual => Comparison::LessOrEqual,
        Token::Greater => Comparison::Greater,
        Token::GreaterOrEqual => Comparison::GreaterOrEqual,
        _ => return None,
    })
}
