//! The text of an expression to its tree, by recursive descent: a function for each rank of operators.

use super::decimal::Decimal;
use super::functions::Function;
use super::pattern::{Matching, Pattern};
use super::value::Value;
use super::{API_REQUEST, Each, ExpressionError, HEADERS, Lambda, NOW, Node, Operator};

/// Deepest nesting, and most characters.
const DEEPEST: usize = 60;
const LONGEST: usize = 10_000;
/// Most operators, members and filters, which hang together in chains: each is a level of the tree.
pub(super) const MOST_LINKS: usize = 500;

pub(super) fn expression(text: &str) -> Result<Node, ExpressionError> {
    let mut parser = Parser { characters: text.chars().collect(), at: 0, depth: 0, links: 0 };
    if parser.characters.len() > LONGEST {
        return Err(parser.wrong(&format!("it is longer than {LONGEST} characters")));
    }
    let node = parser.condition()?;
    parser.blanks();
    match parser.peek() {
        None => Ok(node),
        Some(found) => Err(parser.wrong(&format!("'{found}' is not expected here"))),
    }
}

struct Parser {
    characters: Vec<char>,
    at: usize,
    depth: usize,
    links: usize,
}

/// Operators of one rank, longer ones first.
type Rank = &'static [(&'static str, Operator)];
const OR: Rank = &[("or", Operator::Or)];
const AND: Rank = &[("and", Operator::And)];
const COMPARISON: Rank = &[
    ("!=", Operator::NotEqual),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("=", Operator::Equal),
    ("<", Operator::Less),
    (">", Operator::Greater),
    ("in", Operator::In),
];
const JOIN: Rank = &[("&", Operator::Join)];
const SUM: Rank = &[("+", Operator::Plus), ("-", Operator::Minus)];
const PRODUCT: Rank = &[("*", Operator::Times), ("/", Operator::Divided), ("%", Operator::Remainder)];
/// Functions that call one of the expression's own.
const EACH: [(&str, Each); 3] = [("filter", Each::Filter), ("map", Each::Map), ("each", Each::Members)];
const RANKS: [Rank; 6] = [OR, AND, COMPARISON, JOIN, SUM, PRODUCT];

fn is_name(one: char) -> bool {
    one.is_alphanumeric() || one == '_'
}

/// `$apiRequest.headers`.
fn is_headers(node: &Node) -> bool {
    let Node::Member(of, name) = node else { return false };
    name == HEADERS && matches!(&**of, Node::Variable(variable) if variable == API_REQUEST)
}

impl Parser {
    fn wrong(&self, problem: &str) -> ExpressionError {
        ExpressionError { at: self.at + 1, problem: problem.to_owned() }
    }

    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    fn take(&mut self, symbol: &str) -> bool {
        self.blanks();
        let symbol: Vec<char> = symbol.chars().collect();
        let is_there = self.characters[self.at..].starts_with(&symbol);
        let after = self.characters.get(self.at + symbol.len());
        // A word ends where no letter follows.
        let is_whole = !symbol.iter().all(|one| is_name(*one)) || !after.is_some_and(|one| is_name(*one));
        if is_there && is_whole {
            self.at += symbol.len();
        }
        is_there && is_whole
    }

    fn expect(&mut self, symbol: &str) -> Result<(), ExpressionError> {
        if self.take(symbol) { Ok(()) } else { Err(self.wrong(&format!("expected '{symbol}'"))) }
    }

    fn condition(&mut self) -> Result<Node, ExpressionError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wrong(&format!("it is nested deeper than {DEEPEST} levels")));
        }
        let condition = self.ranked(0)?;
        let node = if self.take("?") {
            let one = self.condition()?;
            let other = if self.take(":") { Some(Box::new(self.condition()?)) } else { None };
            Node::Condition(Box::new(condition), Box::new(one), other)
        } else {
            condition
        };
        self.depth -= 1;
        Ok(node)
    }

    fn ranked(&mut self, rank: usize) -> Result<Node, ExpressionError> {
        let Some(operators) = RANKS.get(rank) else { return self.negative() };
        let mut left = self.ranked(rank + 1)?;
        while let Some((_, operator)) = operators.iter().find(|(symbol, _)| self.take(symbol)) {
            self.link()?;
            left = Node::Binary(*operator, Box::new(left), Box::new(self.ranked(rank + 1)?));
        }
        Ok(left)
    }

    fn negative(&mut self) -> Result<Node, ExpressionError> {
        let mut count = 0;
        while self.take("-") {
            count += 1;
        }
        let node = self.steps()?;
        Ok(if count % 2 == 1 { Node::Negative(Box::new(node)) } else { node })
    }

    fn link(&mut self) -> Result<(), ExpressionError> {
        self.links += 1;
        if self.links <= MOST_LINKS {
            return Ok(());
        }
        Err(self.wrong(&format!("it has more than {MOST_LINKS} operators, members and filters")))
    }

    fn steps(&mut self) -> Result<Node, ExpressionError> {
        let mut node = self.primary()?;
        loop {
            if is_headers(&node) {
                // Only the headers that expressions name are read from a request.
                self.blanks();
                if self.peek() != Some('.') {
                    return Err(self.wrong("expected the name of a header, as in $apiRequest.headers.`X-ID`"));
                }
            }
            if self.take(".") {
                self.link()?;
                self.blanks();
                node = Node::Member(Box::new(node), self.name()?);
            } else if self.take("[") {
                self.link()?;
                let filter = self.condition()?;
                self.expect("]")?;
                node = Node::Filter(Box::new(node), Box::new(filter));
            } else {
                return Ok(node);
            }
        }
    }

    /// Letters, digits and underscores, or anything between backticks or, in a path, quotes.
    fn name(&mut self) -> Result<String, ExpressionError> {
        if let Some(quote @ ('`' | '\'' | '"')) = self.peek() {
            return self.quoted(quote);
        }
        let rest = &self.characters[self.at..];
        let name: String = rest.iter().copied().take_while(|one| is_name(*one)).collect();
        if name.is_empty() {
            return Err(self.wrong("expected a name; one with other characters stands between backticks"));
        }
        self.at += name.chars().count();
        Ok(name)
    }

    fn quoted(&mut self, quote: char) -> Result<String, ExpressionError> {
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.peek() {
                None => return Err(self.wrong(&format!("the closing {quote} is missing"))),
                Some(one) if one == quote => break,
                Some('\\') if quote != '`' => {
                    self.at += 1;
                    match self.peek() {
                        Some('n') => text.push('\n'),
                        Some('t') => text.push('\t'),
                        Some(one @ ('\\' | '\'' | '"' | '/')) => text.push(one),
                        _ => return Err(self.wrong("expected n, t, a quote or a backslash after a backslash")),
                    }
                }
                Some(one) => text.push(one),
            }
            self.at += 1;
        }
        self.at += 1;
        Ok(text)
    }

    fn primary(&mut self) -> Result<Node, ExpressionError> {
        self.blanks();
        match self.peek() {
            Some(quote @ ('\'' | '"')) => Ok(Node::Literal(Value::Text(self.quoted(quote)?))),
            Some('(') => {
                self.at += 1;
                self.block()
            }
            Some('[') => {
                self.at += 1;
                Ok(Node::Array(self.list("]")?))
            }
            Some('{') => {
                self.at += 1;
                self.object()
            }
            Some('$') => {
                self.at += 1;
                self.variable()
            }
            Some(one) if one.is_ascii_digit() => self.number(),
            Some(one) if is_name(one) || one == '`' => Ok(match (one == '`', self.name()?) {
                (false, word) if word == "true" => Node::Literal(Value::Boolean(true)),
                (false, word) if word == "false" => Node::Literal(Value::Boolean(false)),
                (false, word) if word == "null" => Node::Literal(Value::Null),
                (_, name) => Node::Name(name),
            }),
            Some(found) => Err(self.wrong(&format!("'{found}' begins no value"))),
            None => Err(self.wrong("a value is missing")),
        }
    }

    fn number(&mut self) -> Result<Node, ExpressionError> {
        let rest = &self.characters[self.at..];
        let text: String = rest.iter().copied().take_while(|one| one.is_ascii_digit() || *one == '.').collect();
        let decimal = Decimal::parse(&text).ok_or_else(|| self.wrong("it is no number of up to 38 digits"))?;
        self.at += text.len();
        Ok(Node::Literal(Value::of_decimal(decimal)))
    }

    fn variable(&mut self) -> Result<Node, ExpressionError> {
        if !self.peek().is_some_and(is_name) {
            return Ok(Node::Context);
        }
        let start = self.at;
        let name = self.name()?;
        if !self.take("(") {
            return Ok(Node::Variable(name));
        }
        if let Some((_, each)) = EACH.iter().find(|(known, _)| *known == name) {
            return self.each(*each);
        }
        if let Some(matched) = self.matched(&name)? {
            return Ok(matched);
        }
        let arguments = self.list(")")?;
        if name == "now" && arguments.is_empty() {
            let request = Box::new(Node::Variable(API_REQUEST.to_owned()));
            return Ok(Node::Member(request, NOW.to_owned()));
        }
        let at = |problem: String| ExpressionError { at: start + 1, problem };
        let function = Function::named(&name, arguments.len()).map_err(at)?;
        Ok(Node::Call(function, arguments))
    }

    /// `$name := value; ... value`, up to the closing parenthesis.
    fn block(&mut self) -> Result<Node, ExpressionError> {
        let mut names = Vec::new();
        loop {
            let start = self.at;
            let node = self.condition()?;
            if !self.take(":=") {
                self.expect(")")?;
                return Ok(if names.is_empty() { node } else { Node::Block(names, Box::new(node)) });
            }
            let Node::Variable(name) = node else {
                return Err(ExpressionError {
                    at: start + 1,
                    problem: "only a variable gets a value by :=".to_owned(),
                });
            };
            self.link()?;
            names.push((name, self.condition()?));
            self.expect(";")?;
        }
    }

    /// What follows `$filter(`: an array, and a function of the expression's own.
    fn each(&mut self, each: Each) -> Result<Node, ExpressionError> {
        let of = self.condition()?;
        self.expect(",")?;
        self.expect("function")?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.take(")") {
            if !parameters.is_empty() {
                self.expect(",")?;
            }
            self.expect("$")?;
            parameters.push(self.name()?);
        }
        self.expect("{")?;
        let value = Box::new(self.condition()?);
        self.expect("}")?;
        self.expect(")")?;
        self.link()?;
        Ok(Node::Each(each, Box::new(of), Lambda { parameters, value }))
    }

    /// What follows `$match(` and, with a pattern as second argument, `$contains(`, `$split(` and `$replace(`; nothing is taken if it
    /// is another call.
    fn matched(&mut self, name: &str) -> Result<Option<Node>, ExpressionError> {
        if !Matching::FUNCTIONS.contains(&name) {
            return Ok(None);
        }
        let (start, links) = (self.at, self.links);
        let text = self.condition()?;
        self.expect(",")?;
        self.blanks();
        if self.peek() != Some('/') {
            if name == "match" {
                return Err(self.wrong("expected a pattern, as in /^[0-9]+$/"));
            }
            (self.at, self.links) = (start, links);
            return Ok(None);
        }
        let pattern = self.pattern()?;
        let replacement = if name == "replace" {
            self.expect(",")?;
            Some(self.condition()?)
        } else {
            None
        };
        self.expect(")")?;
        self.link()?;
        Ok(Some(Node::Matched(Box::new(text), Matching::of(name, pattern, replacement))))
    }

    /// `/PATTERN/`.
    fn pattern(&mut self) -> Result<Pattern, ExpressionError> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.peek() {
                None => return Err(self.wrong("the closing / is missing")),
                Some('/') => break,
                Some('\\') => {
                    text.push('\\');
                    self.at += 1;
                    text.extend(self.peek());
                }
                Some(one) => text.push(one),
            }
            self.at += 1;
        }
        self.at += 1;
        if self.peek().is_some_and(is_name) {
            return Err(self.wrong("flags of a pattern are not supported"));
        }
        Pattern::new(&text).map_err(|problem| ExpressionError { at: start + 1, problem })
    }

    /// Values with commas between, up to the end.
    fn list(&mut self, end: &str) -> Result<Vec<Node>, ExpressionError> {
        let mut nodes = Vec::new();
        if self.take(end) {
            return Ok(nodes);
        }
        loop {
            nodes.push(self.condition()?);
            if self.take(end) {
                return Ok(nodes);
            }
            self.expect(",")?;
        }
    }

    fn object(&mut self) -> Result<Node, ExpressionError> {
        let mut members = Vec::new();
        if self.take("}") {
            return Ok(Node::Object(members));
        }
        loop {
            let name = self.condition()?;
            self.expect(":")?;
            members.push((name, self.condition()?));
            if self.take("}") {
                return Ok(Node::Object(members));
            }
            self.expect(",")?;
        }
    }
}
