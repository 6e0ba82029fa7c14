//! How a request to an API becomes the JSON of a service, and the service's answer that of the API.
//!
//! A mapping passes the body on or begins with an empty object, then does its statements in order: values of the path, the
//! query, headers or the body move to places, constants are assigned, members are removed. These are the statements of
//! the API toolkit; ours and IBM's archives both become this.
//! Numbers from parameters are written as they came, after a look that they are numbers of JSON.

use std::borrow::Cow;

use bytes::Bytes;
use serde_json::Value;

use super::tree::{NoRoom, Place, Tree, below, quoted};

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A part of the path, by the name the template gives it.
    Path(String),
    Query(String),
    /// Compared without case.
    Header(String),
    Body(Place),
    /// A constant.
    Value(Value),
}

/// What the text of a parameter becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What the schema of the service's request says of the place, else a text.
    AsSchema,
    Text,
    Integer,
    Number,
    Boolean,
    /// Separated by commas.
    List(Item),
}

/// What each of a list becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    Text,
    Integer,
    Number,
    Boolean,
}

impl Item {
    fn of_schema(items: &Value) -> Self {
        match items["type"].as_str() {
            Some("integer") => Self::Integer,
            Some("number") => Self::Number,
            Some("boolean") => Self::Boolean,
            _ => Self::Text,
        }
    }
}

impl Kind {
    /// By the name OpenAPI has for it.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "string" => Self::Text,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "boolean" => Self::Boolean,
            "array" => Self::List(Item::Text),
            _ => return None,
        })
    }

    /// The type a schema gives a place; `AsSchema` where it says none.
    pub fn of_schema(schema: &Value, place: &Place) -> Self {
        let here = place.parts().iter().fold(schema, |here, part| below(here, part));
        match here["type"].as_str().and_then(Self::parse) {
            Some(Self::List(_)) => Self::List(Item::of_schema(&here["items"])),
            Some(kind) => kind,
            None => Self::AsSchema,
        }
    }
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    Move { from: Source, to: Place, kind: Kind, required: bool },
    Remove(Place),
}

/// All steps in one direction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mapping {
    /// Begin with the body that came; else with an empty object.
    pub passes_body: bool,
    pub statements: Vec<Statement>,
}

/// What a request brings along beside its body.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// Names and values of the path's parts, decoded.
    pub path: &'a [(&'a str, Cow<'a, str>)],
    /// Names and values of the query, decoded, in order.
    pub query: &'a [(String, String)],
    /// The first header of a name.
    pub header: &'a dyn Fn(&str) -> Option<&'a str>,
    /// The JSON of a request of the service that says nothing, which a mapping begins with that passes no body on.
    pub nothing: &'a Bytes,
}

impl Surroundings<'_> {
    /// Whether the request has a parameter or header, whatever its value.
    pub fn has(&self, source: &Source) -> bool {
        match source {
            Source::Path(name) => self.path.iter().any(|(known, _)| known == name),
            Source::Query(name) => self.query.iter().any(|(known, _)| known == name),
            Source::Header(name) => (self.header)(name).is_some(),
            Source::Body(_) | Source::Value(_) => true,
        }
    }
}

/// Of a request the caller's fault: 400.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    #[error("the request body is not a JSON object: {problem}")]
    Body { problem: String },
    #[error("the {what} is missing")]
    Missing { what: String },
    #[error("the {what} has the value {value:?}, expected {expected}")]
    Value { what: String, value: String, expected: &'static str },
    #[error("{place} cannot be set: the array in this path has {length} elements, and no element {part}")]
    Place { place: Place, part: String, length: usize },
}

impl Mapping {
    /// What leaves a body as it is.
    pub fn pass() -> Self {
        Self { passes_body: true, statements: Vec::new() }
    }

    /// The JSON of a request's service. A body that only passes is not looked at: the service does that.
    ///
    /// # Errors
    /// A parameter is missing, of the wrong type, or finds no place in an array; or the body is not an object though it has to
    /// be changed.
    pub fn request(
        &self,
        body: &Bytes,
        surroundings: &Surroundings<'_>,
        schema: Option<&Value>,
    ) -> Result<Bytes, MappingError> {
        if self.passes_body && self.statements.is_empty() {
            return Ok(body.clone());
        }
        let reads_body = self.passes_body || self.statements.iter().any(reads_body);
        let given = if reads_body && !body.is_empty() { parse(body)? } else { Tree::empty_object() };
        let made = if self.passes_body { None } else { Some(surroundings.nothing).filter(|it| !it.is_empty()) };
        self.carry_out(given, made, surroundings, schema)
    }

    /// The JSON of an API's answer, from that of its service.
    ///
    /// # Errors
    /// The service's answer is not a JSON object though it has to be changed.
    pub fn response(&self, body: &Bytes) -> Result<Bytes, MappingError> {
        if body.is_empty() || (self.passes_body && self.statements.is_empty()) {
            return Ok(body.clone());
        }
        let nothing = Surroundings { path: &[], query: &[], header: &|_| None, nothing: &Bytes::new() };
        self.carry_out(parse(body)?, None, &nothing, None)
    }

    /// `made` is what the statements change where the body does not pass.
    fn carry_out(
        &self,
        mut given: Tree<'_>,
        made: Option<&Bytes>,
        surroundings: &Surroundings<'_>,
        schema: Option<&Value>,
    ) -> Result<Bytes, MappingError> {
        // Sources are read from what came, so that the order of statements cannot change what they find.
        let mut values = Vec::with_capacity(self.statements.len());
        for statement in &self.statements {
            values.push(match statement {
                Statement::Move { from, to, kind, required } => {
                    let kind = match (kind, schema) {
                        (Kind::AsSchema, Some(schema)) => Kind::of_schema(schema, to),
                        (kind, _) => *kind,
                    };
                    let value = from.read(&mut given, surroundings, kind)?;
                    if value.is_none() && *required {
                        return Err(MappingError::Missing { what: from.spoken() });
                    }
                    value
                }
                Statement::Remove(_) => None,
            });
        }
        let mut made = match made {
            _ if self.passes_body => given,
            Some(made) => parse(made)?,
            None => Tree::empty_object(),
        };
        for (statement, value) in self.statements.iter().zip(values) {
            match (statement, value) {
                (Statement::Move { to, .. }, Some(text)) => {
                    made.set(to, Tree::Text(Cow::Owned(text)), schema)
                        .map_err(|NoRoom { part, length }| MappingError::Place { place: to.clone(), part, length })?;
                }
                (Statement::Move { .. }, None) => {}
                (Statement::Remove(place), _) => made.remove(place),
            }
        }
        let mut text = String::new();
        made.write(&mut text);
        Ok(text.into())
    }
}

fn reads_body(statement: &Statement) -> bool {
    matches!(statement, Statement::Move { from: Source::Body(_), .. })
}

fn parse(body: &Bytes) -> Result<Tree<'_>, MappingError> {
    let tree = Tree::parse(body).map_err(|error| MappingError::Body { problem: error.to_string() })?;
    if tree.is_object() { Ok(tree) } else { Err(MappingError::Body { problem: "it is another value".to_owned() }) }
}

impl Source {
    /// The value as JSON text.
    fn read(
        &self,
        body: &mut Tree<'_>,
        surroundings: &Surroundings<'_>,
        kind: Kind,
    ) -> Result<Option<String>, MappingError> {
        let text = match self {
            Self::Path(name) => surroundings.path.iter().find(|(known, _)| known == name).map(|(_, value)| &**value),
            Self::Query(name) => surroundings.query.iter().find(|(known, _)| known == name).map(|(_, value)| &**value),
            Self::Header(name) => (surroundings.header)(name),
            Self::Body(place) => return Ok(body.get(place)),
            Self::Value(value) => return Ok(Some(value.to_string())),
        };
        text.map(|text| self.converted(text, kind)).transpose()
    }

    fn converted(&self, text: &str, kind: Kind) -> Result<String, MappingError> {
        match kind {
            Kind::AsSchema | Kind::Text => Ok(quoted(text)),
            Kind::Integer => self.item(text, Item::Integer),
            Kind::Number => self.item(text, Item::Number),
            Kind::Boolean => self.item(text, Item::Boolean),
            Kind::List(item) => {
                let texts = text.split(',').filter(|text| !text.is_empty());
                let items = texts.map(|text| self.item(text, item)).collect::<Result<Vec<_>, _>>()?;
                Ok(format!("[{}]", items.join(",")))
            }
        }
    }

    fn item(&self, text: &str, item: Item) -> Result<String, MappingError> {
        let (is_right, expected) = match item {
            Item::Text => return Ok(quoted(text)),
            Item::Integer => (is_json_number(text) && !text.contains(['.', 'e', 'E']), "integer"),
            Item::Number => (is_json_number(text), "number"),
            Item::Boolean => (matches!(text, "true" | "false"), "boolean: true or false"),
        };
        if is_right {
            return Ok(text.to_owned());
        }
        Err(MappingError::Value { what: self.spoken(), value: text.to_owned(), expected })
    }

    /// How a sentence calls it.
    pub(super) fn spoken(&self) -> String {
        match self {
            Self::Path(name) => format!("path parameter {name}"),
            Self::Query(name) => format!("query parameter {name}"),
            Self::Header(name) => format!("header {name}"),
            Self::Body(place) => format!("member /{} of the body", place.parts().join("/")),
            Self::Value(_) => "constant".to_owned(),
        }
    }
}

/// The grammar of RFC 8259, section 6.
fn is_json_number(text: &str) -> bool {
    let digits = |text: &str| text.len() - text.trim_start_matches(|one: char| one.is_ascii_digit()).len();
    let text = text.strip_prefix('-').unwrap_or(text);
    let whole = digits(text);
    if whole == 0 || (whole > 1 && text.starts_with('0')) {
        return false;
    }
    let mut rest = &text[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let length = digits(fraction);
        if length == 0 {
            return false;
        }
        rest = &fraction[length..];
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let length = digits(exponent);
        return length > 0 && length == exponent.len();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests;
