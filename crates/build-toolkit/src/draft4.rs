//! The schema of a request or response as the archive has it: draft 04, every reference resolved.
//!
//! Source: reference, 1.5.

use std::fmt::Write;

use serde_json::Value;

use crate::schema::{Kind, Property, Schema};

/// Keywords that are written from what was understood, or have no meaning outside the description.
const REPLACED: [&str; 8] = ["$ref", "allOf", "oneOf", "anyOf", "properties", "required", "items", "discriminator"];
/// Members of a parameter of Swagger 2.0 that are none of its schema.
const OF_PARAMETERS: [&str; 5] = ["name", "in", "collectionFormat", "allowEmptyValue", "style"];

/// The schema of these groups; `definitions` is a JSON text that is copied.
pub(crate) fn schema(groups: &[Property<'_>], definitions: Option<&str>) -> String {
    let mut text = String::from(
        "{\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"description\":\"api-requester-json-schema\",\"type\":\"object\",",
    );
    properties(&mut text, groups);
    if let Some(definitions) = definitions {
        let _ = write!(text, ",\"definitions\":{definitions}");
    }
    text.push('}');
    text
}

fn properties(text: &mut String, members: &[Property<'_>]) {
    text.push_str("\"properties\":{");
    let named = members.iter().filter(|member| !matches!(member.schema.kind, Kind::Map { .. }));
    for (index, member) in named.enumerate() {
        comma(text, index);
        quoted(text, member.name);
        text.push(':');
        of(text, &member.schema);
    }
    text.push('}');
    let mut required = members.iter().filter(|member| member.required).peekable();
    if required.peek().is_some() {
        text.push_str(",\"required\":[");
        for (index, member) in required.enumerate() {
            comma(text, index);
            quoted(text, member.name);
        }
        text.push(']');
    }
}

fn of(text: &mut String, schema: &Schema<'_>) {
    text.push('{');
    let start = text.len();
    let mut written: Vec<&str> = Vec::new();
    let more = match &schema.kind {
        Kind::Object { properties } => properties.last().filter(|last| matches!(last.schema.kind, Kind::Map { .. })),
        _ => None,
    };
    let is_parameter = schema.parts.first().is_some_and(|part| part.contains_key("in"));
    for (name, value) in schema.parts.iter().flat_map(|part| part.iter()) {
        let is_other = REPLACED.contains(&name.as_str())
            || is_parameter && OF_PARAMETERS.contains(&name.as_str())
            || more.is_some_and(|more| more.name == name);
        // `required` of a parameter is no list and is replaced as well.
        if is_other || written.contains(&name.as_str()) {
            continue;
        }
        written.push(name);
        comma(text, text.len() - start);
        quoted(text, name);
        let _ = write!(text, ":{value}");
    }
    if !written.contains(&"type") {
        let kind = match &schema.kind {
            Kind::Object { .. } | Kind::Map { .. } => "object",
            Kind::Array { .. } => "array",
            // What is any JSON is written by its object.
            Kind::Text { .. } | Kind::Json { .. } => "string",
            Kind::Integer { .. } => "integer",
            Kind::Float { .. } | Kind::Decimal { .. } => "number",
            Kind::Boolean => "boolean",
        };
        comma(text, text.len() - start);
        let _ = write!(text, "\"type\":\"{kind}\"");
    }
    match &schema.kind {
        Kind::Object { properties: members } => {
            text.push(',');
            properties(text, members);
            if let Some(more) = more {
                text.push_str(",\"additionalProperties\":");
                match more.schema.of_more() {
                    Some(value) => of(text, value),
                    None => text.push_str("true"),
                }
            }
        }
        Kind::Array { items, .. } => {
            if !written.contains(&"minItems") {
                text.push_str(",\"minItems\":0");
            }
            text.push_str(",\"items\":");
            of(text, items);
        }
        _ => {}
    }
    text.push('}');
}

fn comma(text: &mut String, index: usize) {
    if index > 0 {
        text.push(',');
    }
}

fn quoted(text: &mut String, name: &str) {
    let _ = write!(text, "{}", Value::from(name));
}
