//! Several Swagger 2.0 documents in one.
//!
//! Paths get their base path before them; definitions and operations keep their names unless another document has them
//! already, and then begin with the name of theirs.

use serde_json::{Map, Value, json};

use super::operations_of;

/// Adds the document of `name` to `whole`, whose base path is `/`.
pub fn add(whole: &mut Value, name: &str, mut document: Value) {
    let base_path = document["basePath"].as_str().unwrap_or_default().trim_end_matches('/').to_owned();
    rename_definitions(whole, name, &mut document);
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
            "/" if !base_path.is_empty() => base_path.clone(),
            path => format!("{base_path}{path}"),
        };
        whole["paths"][full] = item;
    }
    for key in ["definitions", "parameters", "responses", "securityDefinitions"] {
        if let Value::Object(members) = document[key].take() {
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
    if let Value::Array(tags) = document["tags"].take()
        && let Some(all) = whole["tags"].as_array_mut()
    {
        all.extend(tags);
    }
}

/// A document with nothing in it yet.
pub fn empty(title: &str, version: &str) -> Value {
    json!({
        "swagger": "2.0", "info": { "title": title, "version": version }, "basePath": "/", "tags": [], "paths": {},
        "definitions": {}
    })
}

/// Gives definitions, parameters and responses another name where `whole` has something else of that name.
fn rename_definitions(whole: &Value, name: &str, document: &mut Value) {
    for key in ["definitions", "parameters", "responses"] {
        let Value::Object(members) = document[key].take() else { continue };
        let mut renamed = Map::new();
        let mut changes = Vec::new();
        for (known, value) in members {
            let is_taken = whole[key].get(&known).is_some_and(|other| *other != value);
            let new = if is_taken { format!("{name}_{known}") } else { known.clone() };
            if is_taken {
                changes.push((format!("#/{key}/{known}"), format!("#/{key}/{new}")));
            }
            renamed.insert(new, value);
        }
        document[key] = Value::Object(renamed);
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
