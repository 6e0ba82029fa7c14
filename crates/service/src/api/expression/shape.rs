//! What an expression makes, as a JSON schema, of the schemas of its scope: the same walk through its tree as evaluation.
//!
//! A schema that says nothing stands for what is not known.

use serde_json::{Value as Schema, json};

use super::pattern::Matching;
use super::value::Value;
use super::{Each, Node, Operator};

/// The schemas of what names stand for.
pub struct Shapes<'a> {
    pub context: &'a Schema,
    /// Names without `$`.
    pub variables: Vec<(&'a str, Schema)>,
}

pub(super) fn shape(node: &Node, shapes: &Shapes<'_>) -> Schema {
    match node {
        Node::Literal(value) => of_literal(value),
        Node::Context => shapes.context.clone(),
        Node::Variable(name) => {
            let found = shapes.variables.iter().rfind(|(known, _)| known == name);
            found.map_or_else(unknown, |(_, schema)| schema.clone())
        }
        Node::Name(name) => member(shapes.context, name),
        Node::Member(of, name) => member(&shape(of, shapes), name),
        Node::Filter(of, filter) => {
            let element = element(&shape(of, shapes));
            let is_number = matches!(&**filter, Node::Literal(Value::Number(_)) | Node::Negative(_));
            if is_number { element } else { array(element) }
        }
        Node::Condition(_, one, other) => {
            let one = shape(one, shapes);
            let is_same = other.as_ref().is_none_or(|other| shape(other, shapes) == one);
            if is_same { one } else { unknown() }
        }
        Node::Array(nodes) => {
            let mut items = nodes.iter().map(|node| match node {
                Node::Array(_) => shape(node, shapes),
                node => element(&shape(node, shapes)),
            });
            let first = items.next().unwrap_or_else(unknown);
            array(if items.all(|item| item == first) { first } else { unknown() })
        }
        Node::Object(members) => {
            let mut object = json!({ "type": "object" });
            for (name, value) in members {
                if let Node::Literal(Value::Text(name)) = name {
                    object["properties"][name] = shape(value, shapes);
                }
            }
            object
        }
        Node::Negative(_) => typed("number"),
        Node::Binary(operator, ..) => typed(match operator {
            Operator::Join => "string",
            Operator::Plus | Operator::Minus | Operator::Times | Operator::Divided | Operator::Remainder => "number",
            Operator::Or
            | Operator::And
            | Operator::Equal
            | Operator::NotEqual
            | Operator::Less
            | Operator::LessOrEqual
            | Operator::Greater
            | Operator::GreaterOrEqual
            | Operator::In => "boolean",
        }),
        Node::Call(function, arguments) => {
            let first = || arguments.first().map_or_else(unknown, |node| shape(node, shapes));
            match function.name() {
                "split" => array(typed("string")),
                "append" | "distinct" | "reverse" => array(element(&first())),
                name => type_of(name).map_or_else(unknown, typed),
            }
        }
        Node::Each(Each::Filter, of, _) => array(element(&shape(of, shapes))),
        Node::Each(each, of, lambda) => {
            let of = shape(of, shapes);
            let arguments = match each {
                Each::Members => [unknown(), typed("string")],
                Each::Map | Each::Filter => [element(&of), typed("integer")],
            };
            let parameters = lambda.parameters.iter().map(String::as_str).zip(arguments);
            array(element(&shape(&lambda.value, &shapes.with(parameters))))
        }
        Node::Matched(_, matching) => match matching {
            Matching::All(_) => array(typed("object")),
            Matching::Contains(_) => typed("boolean"),
            Matching::Split(_) => array(typed("string")),
            Matching::Replace(..) => typed("string"),
        },
        Node::Block(names, value) => {
            let mut inner = shapes.with([]);
            for (name, node) in names {
                let schema = shape(node, &inner);
                inner.variables.push((name, schema));
            }
            shape(value, &inner)
        }
    }
}

impl Shapes<'_> {
    fn with<'b>(&'b self, more: impl IntoIterator<Item = (&'b str, Schema)>) -> Shapes<'b> {
        let variables = self.variables.iter().map(|(name, schema)| (*name, schema.clone())).chain(more).collect();
        Shapes { context: self.context, variables }
    }
}

/// The schema of an element; of what is no array, its own.
pub fn element(schema: &Schema) -> Schema {
    match schema["type"].as_str() {
        Some("array") => schema.get("items").cloned().unwrap_or_else(unknown),
        _ => schema.clone(),
    }
}

pub fn array(items: Schema) -> Schema {
    json!({ "type": "array", "items": items })
}

fn unknown() -> Schema {
    json!({})
}

fn typed(name: &str) -> Schema {
    json!({ "type": name })
}

/// A member, or those of all elements.
fn member(schema: &Schema, name: &str) -> Schema {
    if schema["type"] == "array" {
        return array(element(&member(&element(schema), name)));
    }
    let found = schema["properties"].get(name).or_else(|| schema.get("additionalProperties"));
    found.filter(|found| found.is_object()).cloned().unwrap_or_else(unknown)
}

fn of_literal(value: &Value) -> Schema {
    match value {
        Value::Missing | Value::Null => unknown(),
        Value::Boolean(_) => typed("boolean"),
        Value::Number(_) => typed("number"),
        Value::Text(_) => typed("string"),
        Value::Array(_) => typed("array"),
        Value::Object(_) => typed("object"),
    }
}

/// Of functions whose values are always of one type.
fn type_of(function: &str) -> Option<&'static str> {
    Some(match function {
        "abs" | "average" | "ceil" | "floor" | "max" | "min" | "number" | "round" | "sum" => "number",
        "count" | "length" => "integer",
        "boolean" | "contains" | "exists" | "not" => "boolean",
        "formatNumber" | "join" | "lowercase" | "pad" | "replace" | "string" | "substring" | "substringAfter"
        | "substringBefore" | "trim" | "uppercase" => "string",
        _ => return None,
    })
}
