//! Expressions of mappings: a value made of a request and of a service's answer, in the words of JSONata.
//!
//! ```text
//! $apiRequest.pathParameters.customer            $uppercase(name) & ', ' & $trim(first)
//! lines[quantity > 0].price                      approved = 'Y' ? 'granted' : 'refused'
//! ```
//!
//! `docs/archives.md` has the language. An expression is parsed once, when its archive is read, and cannot fail for what it says
//! afterwards: functions and their arguments are checked there.
//!
//! Invariants
//! - Numbers are decimal: they never pass through a binary float, and one that is only passed on keeps its digits.
//! - Evaluation knows no clock, no chance and no other input than its scope: `$now()` is the time at which the request came.

mod decimal;
mod evaluate;
mod functions;
mod parse;
mod pattern;
mod picture;
pub mod shape;
mod value;

use std::borrow::Cow;

use functions::Function;
use pattern::Matching;
use shape::Shapes;

pub use value::Value;

/// The variables, without `$`.
pub const API_REQUEST: &str = "apiRequest";
pub const SERVICE_RESPONSE: &str = "zosAssetResponse";
/// Members of `$apiRequest`.
pub const PATH_PARAMETERS: &str = "pathParameters";
pub const QUERY_PARAMETERS: &str = "queryParameters";
pub const HEADERS: &str = "headers";
pub const BODY: &str = "body";
/// When the request came; no name that an expression can have.
pub const NOW: &str = "now()";

/// An expression as it was written, and what it means.
#[derive(Debug, Clone)]
pub struct Expression {
    text: String,
    node: Node,
    reads: Reads,
}

/// What an expression reads of its scope.
#[derive(Debug, Clone)]
struct Reads {
    context: bool,
    /// Members of `$apiRequest`, each by the names that lead to it.
    request: Vec<Vec<String>>,
    answer: bool,
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Expression {}

/// What is wrong with the text of an expression, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at character {at} of the expression: {problem}")]
pub struct ExpressionError {
    /// From 1.
    pub at: usize,
    pub problem: String,
}

/// An expression has no value for what it was given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EvaluationError(pub String);

/// What names in an expression stand for.
pub struct Scope<'a> {
    /// What a name without `$` is a member of, and `$` alone is.
    pub context: &'a Value,
    /// Names without `$`.
    pub variables: Vec<(&'a str, &'a Value)>,
}

impl<'a> Scope<'a> {
    /// With more variables.
    fn with<'b>(&self, more: impl IntoIterator<Item = (&'b str, &'b Value)>) -> Scope<'b>
    where
        'a: 'b,
    {
        let mut variables = self.variables.clone();
        variables.extend(more);
        Scope { context: self.context, variables }
    }
}

impl Expression {
    /// # Errors
    /// The text is no expression, or calls a function that is not there or with too many or too few arguments.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        // Designers of mappings write expressions within double braces.
        let trimmed = text.trim();
        let inner = trimmed.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")).unwrap_or(trimmed);
        let node = parse::expression(inner)?;
        let reads = Reads {
            context: node.has_context(),
            request: node.members(API_REQUEST),
            answer: !node.members(SERVICE_RESPONSE).is_empty(),
        };
        Ok(Self { text: text.to_owned(), node, reads })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value, `Value::Missing` where there is none. One that stands in the scope is borrowed.
    ///
    /// # Errors
    /// A value is of a kind that an operator or a function does not take, or a number is too large.
    pub fn evaluate<'a>(&'a self, scope: &Scope<'a>) -> Result<Cow<'a, Value>, EvaluationError> {
        evaluate::evaluate(&self.node, scope)
    }

    /// Variables that neither a block nor a function of the expression names. One that is not in the scope has no value.
    pub fn free_variables(&self) -> Vec<&str> {
        let mut found = Vec::new();
        self.node.collect_free(&mut Vec::new(), &mut found);
        found
    }

    /// What it makes, as far as that can be told, as a JSON schema.
    pub fn shape(&self, shapes: &Shapes<'_>) -> serde_json::Value {
        shape::shape(&self.node, shapes)
    }

    /// Whether the value is true, not empty and not zero.
    ///
    /// # Errors
    /// As `evaluate`.
    pub fn is_true(&self, scope: &Scope<'_>) -> Result<bool, EvaluationError> {
        Ok(self.evaluate(scope)?.is_true())
    }

    /// Whether it reads the context, by a name or by `$`. Within `[ ]` both are of the element.
    pub fn reads_context(&self) -> bool {
        self.reads.context
    }

    /// Whether it reads the body of the request, by `$apiRequest.body` or with all of `$apiRequest`.
    pub fn reads_request_body(&self) -> bool {
        self.reads.request.iter().any(|path| path.first().is_none_or(|name| name == BODY))
    }

    /// Whether it reads the service's answer, by `$zosAssetResponse`.
    pub fn reads_answer(&self) -> bool {
        self.reads.answer
    }

    /// Whether it reads when the request came.
    pub fn reads_clock(&self) -> bool {
        self.reads.request.iter().any(|path| path.first().is_some_and(|name| name == NOW))
    }

    /// What it reads of `$apiRequest`: `[body, a]` for `$apiRequest.body.a`.
    pub fn request_members(&self) -> &[Vec<String>] {
        &self.reads.request
    }
}

#[derive(Debug, Clone)]
enum Node {
    Literal(Value),
    Array(Vec<Node>),
    Object(Vec<(Node, Node)>),
    /// `$`.
    Context,
    Variable(String),
    /// A member of the context.
    Name(String),
    /// A member of each value of something.
    Member(Box<Node>, String),
    /// An element by its number, or those for which a condition holds.
    Filter(Box<Node>, Box<Node>),
    Negative(Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    Condition(Box<Node>, Box<Node>, Option<Box<Node>>),
    Call(Function, Vec<Node>),
    /// A function of the expression's own, called for each element of an array or each member of an object.
    Each(Each, Box<Node>, Lambda),
    /// A text, searched for a pattern.
    Matched(Box<Node>, Matching),
    /// Names for values, and a value made with them.
    Block(Vec<(String, Node)>, Box<Node>),
}

/// What becomes of the values of a function that is called again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Each {
    /// Elements for which it is true.
    Filter,
    /// Its values.
    Map,
    /// Its values for the members of an object.
    Members,
}

/// `function($name, $other) { value }`. Parameters without a name are not asked for.
#[derive(Debug, Clone)]
struct Lambda {
    parameters: Vec<String>,
    value: Box<Node>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    Join,
    Plus,
    Minus,
    Times,
    Divided,
    Remainder,
}

impl Node {
    fn children(&self) -> Vec<&Self> {
        match self {
            Self::Literal(_) | Self::Context | Self::Variable(_) | Self::Name(_) => Vec::new(),
            Self::Array(nodes) | Self::Call(_, nodes) => nodes.iter().collect(),
            Self::Object(members) => members.iter().flat_map(|(name, value)| [name, value]).collect(),
            Self::Member(of, _) | Self::Negative(of) => vec![of],
            Self::Filter(one, other) | Self::Binary(_, one, other) => vec![one, other],
            Self::Each(_, of, lambda) => vec![of, &lambda.value],
            Self::Matched(text, matching) => std::iter::once(&**text).chain(matching.replacement()).collect(),
            Self::Block(names, value) => names.iter().map(|(_, node)| node).chain([&**value]).collect(),
            Self::Condition(condition, one, other) => {
                [condition, one].into_iter().chain(other).map(|node| &**node).collect()
            }
        }
    }

    fn collect_free<'n>(&'n self, bound: &mut Vec<&'n str>, found: &mut Vec<&'n str>) {
        let outside = bound.len();
        match self {
            Self::Variable(name) if !bound.contains(&name.as_str()) => found.push(name),
            Self::Each(_, of, lambda) => {
                of.collect_free(bound, found);
                bound.extend(lambda.parameters.iter().map(String::as_str));
                lambda.value.collect_free(bound, found);
            }
            Self::Block(names, value) => {
                for (name, node) in names {
                    node.collect_free(bound, found);
                    bound.push(name);
                }
                value.collect_free(bound, found);
            }
            other => other.children().into_iter().for_each(|child| child.collect_free(bound, found)),
        }
        bound.truncate(outside);
    }

    fn has_context(&self) -> bool {
        match self {
            Self::Context | Self::Name(_) => true,
            // The condition is of the elements.
            Self::Filter(of, _) => of.has_context(),
            other => other.children().into_iter().any(Self::has_context),
        }
    }

    fn members(&self, variable: &str) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        self.collect(variable, false, &mut found);
        found
    }

    /// The names from a variable down to a member.
    fn path(&self, variable: &str) -> Option<Vec<String>> {
        match self {
            Self::Variable(name) if name == variable => Some(Vec::new()),
            Self::Member(of, name) => {
                let mut path = of.path(variable)?;
                path.push(name.clone());
                Some(path)
            }
            Self::Filter(of, _) => of.path(variable),
            _ => None,
        }
    }

    /// `is_part`: it is the beginning of a path that is known already.
    fn collect(&self, variable: &str, is_part: bool, found: &mut Vec<Vec<String>>) {
        let path = self.path(variable);
        let is_path = path.is_some();
        found.extend(path.filter(|path| !is_part && !found.contains(path)));
        match self {
            Self::Member(of, _) => of.collect(variable, is_path, found),
            Self::Filter(of, condition) => {
                of.collect(variable, is_path, found);
                condition.collect(variable, false, found);
            }
            _ => self.children().into_iter().for_each(|child| child.collect(variable, false, found)),
        }
    }
}

#[cfg(test)]
mod tests;
