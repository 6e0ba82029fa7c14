//! An OpenAPI 3 document as Swagger 2.0, whose shape differs: bodies are parameters, media types stand beside them, schemas
//! are `definitions`, and there is one base path.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// Members of an operation that both forms spell alike.
const SAME: &[&str] = &["operationId", "tags", "summary", "description", "deprecated", "x-extension", "x-roles"];
/// Members of a path that are operations.
const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch"];
/// Members of a parameter's schema that Swagger has beside its name.
const SHAPE: &[&str] =
    &["type", "format", "items", "enum", "pattern", "minimum", "maximum", "minLength", "maxLength", "default"];

/// Turns an OpenAPI 3 document into a Swagger 2.0 one. The base path is that of the first server.
pub fn from(document: &Value) -> Value {
    let mut paths = Map::new();
    for (template, item) in members(&document["paths"]) {
        let shared = item["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
        let operations = members(item).filter(|(method, _)| METHODS.contains(&method.as_str()));
        let converted = operations.map(|(method, described)| (method.clone(), operation(document, described, shared)));
        paths.insert(template.clone(), Value::Object(converted.collect()));
    }
    let definitions: Map<_, _> =
        members(&document["components"]["schemas"]).map(|(name, one)| (name.clone(), schema(one))).collect();
    let mut info = Map::new();
    for (name, value) in members(&document["info"]) {
        match name.as_str() {
            "license" => info.insert(name.clone(), json!({ "name": value["name"] })),
            "summary" => None,
            _ => info.insert(name.clone(), value.clone()),
        };
    }
    let mut swagger = Map::new();
    swagger.insert("swagger".to_owned(), json!("2.0"));
    swagger.insert("info".to_owned(), Value::Object(info));
    swagger.insert("basePath".to_owned(), json!(base_path(document)));
    if document["tags"].is_array() {
        swagger.insert("tags".to_owned(), document["tags"].clone());
    }
    swagger.insert("paths".to_owned(), Value::Object(paths));
    swagger.insert("securityDefinitions".to_owned(), json!({ "basic": { "type": "basic" } }));
    swagger.insert("definitions".to_owned(), Value::Object(definitions));
    Value::Object(swagger)
}

/// The path of the first server's URL.
pub(super) fn base_path(document: &Value) -> &str {
    let url = document["servers"][0]["url"].as_str().unwrap_or("/");
    let path = url.split_once("://").map_or(url, |(_, rest)| rest.find('/').map_or("/", |at| &rest[at..]));
    if path.len() > 1 { path.trim_end_matches('/') } else { "/" }
}

/// What a reference within the document leads to; one step, for references to references are not followed.
fn resolved<'v>(document: &'v Value, value: &'v Value) -> &'v Value {
    let target = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    target.and_then(|pointer| document.pointer(pointer)).unwrap_or(value)
}

/// The resources below `root`, which becomes the base path, and the definitions that they refer to. A version in `root` fills
/// in that of the paths.
pub fn below(document: &Value, root: &str) -> Value {
    let root = root.trim_end_matches('/');
    let mut selected = document.clone();
    let mut paths = Map::new();
    for (template, operations) in members(&document["paths"]) {
        let Some((rest, version)) = strip(template, root) else { continue };
        let mut operations = operations.clone();
        if let Some(version) = version {
            fix_version(&mut operations, version);
        }
        if operations.as_object().is_some_and(|operations| !operations.is_empty()) {
            paths.insert(rest.to_owned(), operations);
        }
    }
    selected["basePath"] = if root.is_empty() { json!("/") } else { json!(root) };
    let mut needed = BTreeSet::new();
    paths.values().for_each(|operations| collect_definitions(document, operations, &mut needed));
    selected["paths"] = Value::Object(paths);
    if let Some(definitions) = selected["definitions"].as_object_mut() {
        definitions.retain(|name, _| needed.contains(name));
    }
    selected
}

/// The names of the definitions that a value refers to, and those that they refer to.
fn collect_definitions(document: &Value, value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            let target = members.get("$ref").and_then(Value::as_str);
            if let Some(name) = target.and_then(|target| target.strip_prefix("#/definitions/"))
                && found.insert(name.to_owned())
            {
                collect_definitions(document, &document["definitions"][name], found);
            }
            members.values().for_each(|value| collect_definitions(document, value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| collect_definitions(document, value, found)),
        _ => {}
    }
}

/// What follows `root` in a template, and the version it names.
fn strip<'t, 'r>(template: &'t str, root: &'r str) -> Option<(&'t str, Option<&'r str>)> {
    let (mut rest, mut version) = (template, None);
    for part in root.split('/').skip(1) {
        let after = rest.strip_prefix('/')?;
        let end = after.find('/').unwrap_or(after.len());
        if &after[..end] == "{version}" {
            version = Some(part);
        } else if &after[..end] != part {
            return None;
        }
        rest = &after[end..];
    }
    (!rest.is_empty()).then_some((rest, version))
}

/// Leaves only operations of this version, without the parameter.
fn fix_version(operations: &mut Value, version: &str) {
    let Some(operations) = operations.as_object_mut() else { return };
    operations.retain(|_, operation| {
        let Some(parameters) = operation["parameters"].as_array_mut() else { return false };
        let known = parameters.iter().position(|parameter| parameter["name"] == "version");
        let Some(index) = known else { return false };
        let versions = parameters.remove(index);
        versions["enum"].as_array().is_some_and(|all| all.iter().any(|one| one == version))
    });
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn operation(document: &Value, described: &Value, shared: &[Value]) -> Value {
    let mut converted = Map::new();
    for &name in SAME {
        if let Some(value) = described.get(name) {
            converted.insert(name.to_owned(), value.clone());
        }
    }
    let all = shared.iter().chain(described["parameters"].as_array().into_iter().flatten());
    // Cookies are no parameters of Swagger.
    let known = all.map(|one| resolved(document, one)).filter(|one| one["in"] != "cookie");
    let mut parameters: Vec<_> = known.map(parameter).collect();
    let body = resolved(document, &described["requestBody"]);
    let content = &body["content"];
    if let Some((_, first)) = members(content).next() {
        let types: Vec<_> = members(content).map(|(name, _)| name.clone()).collect();
        let described = if types.len() > 1 { json!({ "type": "string" }) } else { schema(&first["schema"]) };
        let required = body["required"] == true;
        parameters.push(json!({ "name": "body", "in": "body", "required": required, "schema": described }));
        converted.insert("consumes".to_owned(), json!(types));
    }
    let mut produced: Vec<String> = Vec::new();
    let mut responses = Map::new();
    for (status, described) in members(&described["responses"]) {
        let described = resolved(document, described);
        produced.extend(members(&described["content"]).map(|(name, _)| name.clone()));
        responses.insert(status.clone(), response(described));
    }
    produced.sort();
    produced.dedup();
    converted.insert("parameters".to_owned(), json!(parameters));
    converted.insert("produces".to_owned(), json!(produced));
    converted.insert("responses".to_owned(), Value::Object(responses));
    let needs_login = described["security"].as_array().is_some_and(|schemes| !schemes.is_empty());
    converted.insert("security".to_owned(), if needs_login { json!([{ "basic": [] }]) } else { json!([]) });
    Value::Object(converted)
}

fn parameter(described: &Value) -> Value {
    let mut converted: Map<_, _> = members(described)
        .filter(|(name, _)| *name != "schema")
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    for (name, value) in members(&described["schema"]).filter(|(name, _)| SHAPE.contains(&name.as_str())) {
        converted.insert(name.clone(), value.clone());
    }
    Value::Object(converted)
}

fn response(described: &Value) -> Value {
    let mut converted = json!({ "description": described["description"].as_str().unwrap_or_default() });
    if let Some((_, first)) = members(&described["content"]).next() {
        converted["schema"] = schema(&first["schema"]);
    }
    if described["headers"].is_object() {
        let header = |(name, one): (&String, &Value)| {
            (name.clone(), json!({ "type": "string", "description": one["description"] }))
        };
        converted["headers"] = Value::Object(members(&described["headers"]).map(header).collect());
    }
    converted
}

/// References point elsewhere, and what Swagger cannot say (alternatives, constants) is said more loosely.
fn schema(described: &Value) -> Value {
    match described {
        Value::Object(members) if members.contains_key("oneOf") => json!({}),
        Value::Object(members) => {
            let mut converted = Map::new();
            for (name, value) in members {
                match name.as_str() {
                    "$ref" => {
                        let target = value.as_str().unwrap_or_default();
                        converted
                            .insert(name.clone(), json!(target.replace("#/components/schemas/", "#/definitions/")));
                    }
                    "examples" | "nullable" | "deprecated" | "writeOnly" => {}
                    "const" => {
                        converted.insert("type".to_owned(), json!("string"));
                        converted.insert("enum".to_owned(), json!([value]));
                    }
                    _ => {
                        converted.insert(name.clone(), schema(value));
                    }
                }
            }
            Value::Object(converted)
        }
        Value::Array(items) => Value::Array(items.iter().map(schema).collect()),
        other => other.clone(),
    }
}
