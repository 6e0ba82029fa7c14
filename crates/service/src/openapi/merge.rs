//! Several Swagger 2.0 documents in one, or several of OpenAPI 3.
//!
//! Paths get their base path before them; definitions and operations keep their names unless another document has them
//! already, and then begin with the name of theirs.

use serde_json::{Map, Value, json};

use super::operations_of;
use super::swagger::base_path;

/// What references lead to, in Swagger 2.0 and in OpenAPI 3.
const SHARED: [&str; 3] = ["definitions", "parameters", "responses"];
const COMPONENTS: [&str; 6] = ["schemas", "parameters", "responses", "requestBodies", "headers", "examples"];

/// Adds the Swagger 2.0 document of `name` to `whole`, whose base path is `/`.
pub fn add(whole: &mut Value, name: &str, mut document: Value) {
    let base_path = document["basePath"].as_str().unwrap_or_default().trim_end_matches('/').to_owned();
    rename(whole, name, &mut document, "", &SHARED);
    add_paths(whole, name, &mut document, &base_path);
    add_members(whole, &mut document, &["definitions", "parameters", "responses", "securityDefinitions"]);
    if let Value::Array(tags) = document["tags"].take()
        && let Some(all) = whole["tags"].as_array_mut()
    {
        all.extend(tags);
    }
}

/// Adds the OpenAPI 3 document of `name` to `whole`, as a group of operations: they have the tag `tag`, whose `description`
/// is told, and are open to the users with one of `roles`.
pub fn add_group(whole: &mut Value, name: &str, mut document: Value, tag: &str, description: &str, roles: &[&str]) {
    let base_path = base_path(&document).trim_end_matches('/').to_owned();
    rename(whole, name, &mut document, "/components", &COMPONENTS);
    for (_, item) in document["paths"].as_object_mut().into_iter().flatten() {
        for (_, operation) in operations_of(item) {
            operation["tags"] = json!([tag]);
            operation["x-roles"] = json!(roles);
        }
    }
    add_paths(whole, name, &mut document, &base_path);
    let mut components = document["components"].take();
    add_members(&mut whole["components"], &mut components, &COMPONENTS);
    add_members(&mut whole["components"], &mut components, &["securitySchemes"]);
    if let Some(all) = whole["tags"].as_array_mut() {
        all.push(json!({ "name": tag, "description": description }));
    }
}

/// Moves the paths, with the base path before them.
fn add_paths(whole: &mut Value, name: &str, document: &mut Value, base_path: &str) {
    let taken = operation_ids(whole);
    let consumes = document["consumes"].take();
    let produces = document["produces"].take();
    let security = document["security"].take();
    let Value::Object(paths) = document["paths"].take() else { return };
    for (path, mut item) in paths {
        for (_, operation) in operations_of(&mut item) {
            if let Some(id) = operation["operationId"].as_str().filter(|id| taken.iter().any(|known| known == id)) {
                operation["operationId"] = json!(format!("{name}_{id}"));
            }
            // What a document says for all its operations is said of each.
            for (key, value) in [("consumes", &consumes), ("produces", &produces), ("security", &security)] {
                if operation.get(key).is_none() && !value.is_null() {
                    operation[key] = value.clone();
                }
            }
        }
        let full = match path.as_str() {
            "/" if !base_path.is_empty() => base_path.to_owned(),
            path => format!("{base_path}{path}"),
        };
        whole["paths"][full] = item;
    }
}

/// Moves what `whole` does not have yet.
fn add_members(whole: &mut Value, document: &mut Value, keys: &[&str]) {
    for key in keys {
        if let Some(Value::Object(members)) = document.get_mut(key).map(Value::take) {
            let all = &mut whole[key];
            if !all.is_object() {
                *all = json!({});
            }
            if let Some(all) = all.as_object_mut() {
                members.into_iter().for_each(|(name, value)| {
                    all.entry(name).or_insert(value);
                });
            }
        }
    }
}

/// A document with nothing in it yet.
pub fn empty(title: &str, version: &str) -> Value {
    json!({
        "swagger": "2.0", "info": { "title": title, "version": version }, "basePath": "/", "tags": [], "paths": {},
        "definitions": {}
    })
}

/// Gives another name to what `whole` has something else of that name for. `below` is the JSON Pointer of where `keys` are.
fn rename(whole: &Value, name: &str, document: &mut Value, below: &str, keys: &[&str]) {
    for key in keys {
        let place = format!("{below}/{key}");
        let Some(Value::Object(members)) = document.pointer_mut(&place).map(Value::take) else { continue };
        let mut renamed = Map::new();
        let mut changes = Vec::new();
        for (known, value) in members {
            let other = whole.pointer(&place).and_then(|known_there| known_there.get(&known));
            let is_taken = other.is_some_and(|other| *other != value);
            let new = if is_taken { format!("{name}_{known}") } else { known.clone() };
            if is_taken {
                changes.push((format!("#{place}/{known}"), format!("#{place}/{new}")));
            }
            renamed.insert(new, value);
        }
        if let Some(members) = document.pointer_mut(&place) {
            *members = Value::Object(renamed);
        }
        for (from, to) in changes {
            replace_references(document, &from, &to);
        }
    }
}

fn replace_references(value: &mut Value, from: &str, to: &str) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if name == "$ref" && member == from {
                    *member = json!(to);
                } else {
                    replace_references(member, from, to);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| replace_references(item, from, to)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn operation_ids(document: &Value) -> Vec<String> {
    let items = document["paths"].as_object().into_iter().flat_map(Map::values);
    items
        .flat_map(|item| item.as_object().into_iter().flat_map(Map::values))
        .filter_map(|operation| operation["operationId"].as_str().map(str::to_owned))
        .collect()
}
