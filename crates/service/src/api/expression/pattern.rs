//! Patterns between slashes: `$match(text, /^[0-9]+$/)`.
//!
//! They are those of the crate regex, whose time is linear in the text, with the escapes of JavaScript: `\d`, `\w` and `\s` stand for
//! characters of ASCII.

use regex::Regex;

use super::value::Value;
use super::{EvaluationError, Node};

/// Most bytes that a compiled pattern takes.
const LARGEST: usize = 1 << 20;

#[derive(Debug, Clone)]
pub(super) struct Pattern(Regex);

/// What is done with a text and a pattern.
#[derive(Debug, Clone)]
pub(super) enum Matching {
    /// What matches: objects with the text, its place and its groups.
    All(Pattern),
    Contains(Pattern),
    Split(Pattern),
    Replace(Pattern, Box<Node>),
}

impl Pattern {
    /// # Errors
    /// It is no pattern: with the reason.
    pub(super) fn new(text: &str) -> Result<Self, String> {
        let built = regex::RegexBuilder::new(&with_ascii_classes(text)).size_limit(LARGEST).build();
        built.map(Self).map_err(|error| format!("/{text}/ is no pattern: {}", error.to_string().replace('\n', " ")))
    }
}

/// Classes of characters as JavaScript has them.
fn with_ascii_classes(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let (mut characters, mut is_within) = (text.chars(), false);
    while let Some(one) = characters.next() {
        match one {
            '[' => is_within = true,
            ']' => is_within = false,
            '\\' => {
                let class = match (characters.next(), is_within) {
                    (Some('d'), false) => "[0-9]",
                    (Some('d'), true) => "0-9",
                    (Some('D'), false) => "[^0-9]",
                    (Some('w'), false) => "[A-Za-z0-9_]",
                    (Some('w'), true) => "A-Za-z0-9_",
                    (Some('W'), false) => "[^A-Za-z0-9_]",
                    (Some('s'), false) => "[ \\t\\n\\r\\x0B\\x0C]",
                    (Some('s'), true) => " \\t\\n\\r\\x0B\\x0C",
                    (Some('S'), false) => "[^ \\t\\n\\r\\x0B\\x0C]",
                    (Some('b'), false) => "(?-u:\\b)",
                    (other, _) => {
                        written.push('\\');
                        written.extend(other);
                        continue;
                    }
                };
                written.push_str(class);
                continue;
            }
            _ => {}
        }
        written.push(one);
    }
    written
}

impl Matching {
    /// The functions that take a pattern.
    pub(super) const FUNCTIONS: [&str; 4] = ["match", "contains", "split", "replace"];

    pub(super) fn of(function: &str, pattern: Pattern, replacement: Option<Node>) -> Self {
        match (function, replacement) {
            (_, Some(with)) => Self::Replace(pattern, Box::new(with)),
            ("contains", _) => Self::Contains(pattern),
            ("split", _) => Self::Split(pattern),
            _ => Self::All(pattern),
        }
    }

    pub(super) fn replacement(&self) -> Option<&Node> {
        if let Self::Replace(_, with) = self { Some(with) } else { None }
    }

    /// Of a text; of nothing there is nothing.
    pub(super) fn call(&self, text: &Value, replacement: Option<&Value>) -> Result<Value, EvaluationError> {
        let text = match text {
            Value::Text(text) => text,
            Value::Missing => return Ok(Value::Missing),
            other => {
                let problem = format!("a pattern is looked for in a text, found {}; $string makes one", other.kind());
                return Err(EvaluationError(problem));
            }
        };
        Ok(match self {
            Self::All(Pattern(pattern)) => {
                let matches: Vec<Value> = pattern.captures_iter(text).map(|found| described(text, &found)).collect();
                if matches.is_empty() { Value::Missing } else { Value::Array(matches) }
            }
            Self::Contains(Pattern(pattern)) => Value::Boolean(pattern.is_match(text)),
            Self::Split(Pattern(pattern)) => {
                Value::Array(pattern.split(text).map(|part| Value::Text(part.to_owned())).collect())
            }
            Self::Replace(Pattern(pattern), _) => {
                let with = replacement.map(Value::to_text).unwrap_or_default();
                Value::Text(pattern.replace_all(text, with.as_str()).into_owned())
            }
        })
    }
}

/// One match. Its place is counted in characters.
fn described(text: &str, found: &regex::Captures<'_>) -> Value {
    let start = found.get(0).map_or(0, |all| all.start());
    let group =
        |group: Option<regex::Match<'_>>| group.map_or(Value::Null, |part| Value::Text(part.as_str().to_owned()));
    Value::Object(vec![
        ("match".to_owned(), group(found.get(0))),
        ("index".to_owned(), Value::of_count(text[..start].chars().count())),
        ("groups".to_owned(), Value::Array(found.iter().skip(1).map(group).collect())),
    ])
}
