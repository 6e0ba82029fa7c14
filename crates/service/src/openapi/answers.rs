//! The schema of an API's answer: that of its service, or of what the mapping makes.

use serde_json::{Value, json};

use super::{hide, schema_at};
use crate::api::expression::shape::{Shapes, array, element};
use crate::api::expression::{API_REQUEST, HEADERS, NOW, PATH_PARAMETERS, QUERY_PARAMETERS, SERVICE_RESPONSE};
use crate::api::mapping::{Loop, Made, Mapping, Source, Statement};

/// What a client gets, as far as it can be told; `of_service` is the schema of what the service answers.
pub(super) fn schema(mapping: &Mapping, of_service: Option<Value>) -> Value {
    let answer = of_service.unwrap_or_else(|| json!({ "type": "object" }));
    let shapes =
        Shapes { context: &answer, variables: vec![(API_REQUEST, of_request()), (SERVICE_RESPONSE, answer.clone())] };
    let mut made = if mapping.passes_body { answer.clone() } else { json!({ "type": "object" }) };
    for statement in &mapping.statements {
        match statement {
            Statement::Move { from, to, required, .. } => {
                let schema = match from {
                    Source::Expression(expression) => expression.shape(&shapes),
                    Source::Body(place) => schema_at(&answer, place.parts()).cloned().unwrap_or_else(|| json!({})),
                    Source::Value(value) => of_constant(value),
                    Source::Path(_) | Source::Query(_) | Source::Header(_) => json!({ "type": "string" }),
                };
                set(&mut made, to.parts(), schema, *required);
            }
            Statement::Each { each, to } => set(&mut made, to.parts(), of_loop(each, &shapes), false),
            Statement::Remove(place) => hide(&mut made, place.parts()),
        }
    }
    made
}

/// That of `$apiRequest`.
fn of_request() -> Value {
    let texts = || json!({ "type": "object", "additionalProperties": { "type": "string" } });
    json!({ "type": "object", "properties": {
        PATH_PARAMETERS: texts(), QUERY_PARAMETERS: texts(), HEADERS: texts(), NOW: { "type": "string", "format": "date-time" },
    } })
}

fn of_constant(value: &Value) -> Value {
    json!({ "type": match value {
        Value::Null => return json!({}),
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    } })
}

fn of_loop(each: &Loop, shapes: &Shapes<'_>) -> Value {
    let element = element(&each.over.shape(shapes));
    let mut variables = shapes.variables.clone();
    variables.extend([(each.variable.as_str(), element.clone()), ("index", json!({ "type": "integer" }))]);
    let inner = Shapes { context: &element, variables };
    let mut made = json!({ "type": "object" });
    for (place, member) in &each.members {
        let schema = match member {
            Made::Value(expression) => expression.shape(&inner),
            Made::Loop(each) => of_loop(each, &inner),
        };
        set(&mut made, place.parts(), schema, false);
    }
    array(made)
}

/// Puts the schema of a place in. Elements of arrays by number are left as the schema has them.
fn set(made: &mut Value, parts: &[String], schema: Value, is_required: bool) {
    let mut here = made;
    for (index, part) in parts.iter().enumerate() {
        if here["type"] == "array" {
            return;
        }
        if !here.is_object() || here["type"] != "object" {
            *here = json!({ "type": "object" });
        }
        if is_required && index + 1 == parts.len() {
            if !here["required"].is_array() {
                here["required"] = json!([]);
            }
            if let Some(names) = here["required"].as_array_mut().filter(|names| !names.iter().any(|name| name == part))
            {
                names.push(json!(part));
            }
        }
        here = &mut here["properties"][part];
    }
    *here = schema;
}
