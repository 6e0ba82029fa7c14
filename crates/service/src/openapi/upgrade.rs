//! A Swagger 2.0 document as OpenAPI 3.0, whose shape differs: bodies are no parameters, media types hold the schemas,
//! definitions are components.

use serde_json::{Map, Value, json};

use super::operations_of;

/// Members of a parameter that are those of its schema.
const SHAPE: &[&str] = &[
    "type",
    "format",
    "items",
    "enum",
    "pattern",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "default",
    "minItems",
    "maxItems",
    "uniqueItems",
    "multipleOf",
    "exclusiveMinimum",
    "exclusiveMaximum",
];
const JSON: &str = "application/json";

/// Turns a Swagger 2.0 document into an OpenAPI 3.0 one, without servers.
pub fn from(document: &Value) -> Value {
    let mut paths = document["paths"].clone();
    for (_, item) in paths.as_object_mut().into_iter().flatten() {
        let shared = item.as_object_mut().and_then(|members| members.shift_remove("parameters"));
        for (_, operation) in operations_of(item) {
            *operation = converted(document, operation, shared.as_ref());
        }
    }
    let mut components = Map::new();
    if document["definitions"].is_object() {
        components.insert("schemas".to_owned(), document["definitions"].clone());
    }
    let schemes: Map<_, _> = members(&document["securityDefinitions"])
        .filter_map(|(name, scheme)| Some((name.clone(), security_scheme(scheme)?)))
        .collect();
    if !schemes.is_empty() {
        components.insert("securitySchemes".to_owned(), Value::Object(schemes));
    }
    let mut made = json!({ "openapi": "3.0.3", "info": document["info"], "paths": paths });
    for name in ["tags", "security", "externalDocs"] {
        if !document[name].is_null() {
            made[name] = document[name].clone();
        }
    }
    made["components"] = Value::Object(components);
    replace_references(&mut made);
    made
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// Media types of an operation, or of all.
fn media_types<'v>(document: &'v Value, operation: &'v Value, key: &str) -> Vec<&'v str> {
    let own = operation[key].as_array().or_else(|| document[key].as_array());
    let types: Vec<&str> = own.into_iter().flatten().filter_map(Value::as_str).collect();
    if types.is_empty() { vec![JSON] } else { types }
}

/// What a reference within the document leads to.
fn resolved<'v>(document: &'v Value, value: &'v Value) -> &'v Value {
    let target = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    target.and_then(|pointer| document.pointer(pointer)).unwrap_or(value)
}

fn converted(document: &Value, operation: &Value, shared: Option<&Value>) -> Value {
    let mut made = operation.clone();
    let Some(members) = made.as_object_mut() else { return made };
    for name in ["consumes", "produces", "schemes", "parameters", "responses"] {
        members.shift_remove(name);
    }
    let list = |value: &'_ Value| value.as_array().cloned().unwrap_or_default();
    let all: Vec<Value> =
        shared.map(list).unwrap_or_default().into_iter().chain(list(&operation["parameters"])).collect();
    let all: Vec<&Value> = all.iter().map(|one| resolved(document, one)).collect();
    let plain = all.iter().filter(|one| one["in"] != "body" && one["in"] != "formData").map(|one| parameter(one));
    members.insert("parameters".to_owned(), plain.collect());
    if let Some(body) = all.iter().find(|one| one["in"] == "body") {
        let content: Map<_, _> = media_types(document, operation, "consumes")
            .into_iter()
            .map(|media_type| (media_type.to_owned(), json!({ "schema": body["schema"] })))
            .collect();
        members.insert("requestBody".to_owned(), json!({ "required": body["required"] == true, "content": content }));
    }
    let produces = media_types(document, operation, "produces");
    let responses: Map<_, _> = self::members(&operation["responses"])
        .map(|(status, one)| (status.clone(), response(resolved(document, one), &produces)))
        .collect();
    members.insert("responses".to_owned(), Value::Object(responses));
    made
}

fn parameter(described: &Value) -> Value {
    let (mut made, mut schema) = (Map::new(), Map::new());
    for (name, value) in members(described) {
        match name.as_str() {
            "collectionFormat" => {}
            name if SHAPE.contains(&name) => {
                schema.insert(name.to_owned(), value.clone());
            }
            _ => {
                made.insert(name.clone(), value.clone());
            }
        }
    }
    made.insert("schema".to_owned(), Value::Object(schema));
    Value::Object(made)
}

fn response(described: &Value, produces: &[&str]) -> Value {
    let mut made = json!({ "description": described["description"].as_str().unwrap_or_default() });
    if !described["schema"].is_null() {
        let content: Map<_, _> =
            produces.iter().map(|one| ((*one).to_owned(), json!({ "schema": described["schema"] }))).collect();
        made["content"] = Value::Object(content);
    }
    if described["headers"].is_object() {
        made["headers"] =
            Value::Object(members(&described["headers"]).map(|(name, one)| (name.clone(), parameter(one))).collect());
    }
    made
}

fn security_scheme(scheme: &Value) -> Option<Value> {
    match scheme["type"].as_str()? {
        "basic" => Some(json!({ "type": "http", "scheme": "basic" })),
        "apiKey" => Some(scheme.clone()),
        _ => None,
    }
}

fn replace_references(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(target) if name == "$ref" => {
                        *target = target.replace("#/definitions/", "#/components/schemas/");
                    }
                    other => replace_references(other),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(replace_references),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
