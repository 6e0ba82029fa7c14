//! Where the values of a mapping come from, and what the texts of parameters become.

use serde_json::Value;

use super::{MappingError, Surroundings};
use crate::api::expression::Expression;
use crate::api::tree::{Place, Tree, below, quoted};

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
    Expression(Expression),
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

    /// What the schema says of a place, if that is what counts.
    pub(super) fn with_schema(self, schema: Option<&Value>, place: &Place) -> Self {
        match (self, schema) {
            (Self::AsSchema, Some(schema)) => Self::of_schema(schema, place),
            (kind, _) => kind,
        }
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

impl Source {
    /// The value as JSON text.
    pub(super) fn read(
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
            // Evaluated where its variables are.
            Self::Expression(_) => return Ok(None),
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
    pub(in crate::api) fn spoken(&self) -> String {
        match self {
            Self::Path(name) => format!("path parameter {name}"),
            Self::Query(name) => format!("query parameter {name}"),
            Self::Header(name) => format!("header {name}"),
            Self::Body(place) => format!("member /{} of the body", place.parts().join("/")),
            Self::Value(_) => "constant".to_owned(),
            Self::Expression(expression) => format!("value of {}", expression.text()),
        }
    }
}

/// The number of a text, with or without zeros before it, as JSON has it.
pub(super) fn number_of(text: &str) -> Option<String> {
    let text = text.trim();
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let zeros = digits.len() - digits.trim_start_matches('0').len();
    let rest = &digits[zeros..];
    let is_whole = rest.starts_with(|one: char| one.is_ascii_digit());
    let number = format!("{sign}{}{rest}", if zeros > 0 && !is_whole { "0" } else { "" });
    is_json_number(&number).then_some(number)
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
