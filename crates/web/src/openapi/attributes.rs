//! Schemas of objects, made from the attribute table.

use model::definition::attribute::{self, Access, Attribute, JsonWord, Kind, ValueType};
use serde_json::{Map, Value, json};

/// An object with the members of all `kinds`; only those that can be set when `is_settable`, with `type` in any case.
pub(super) fn of(kinds: &[Kind], is_settable: bool) -> Value {
    let mut schema = json!({ "type": "object", "properties": {} });
    for row in kinds.iter().flat_map(|&kind| attribute::of(kind)) {
        let Some(path) = row.json else { continue };
        if is_settable && row.access == Access::ReadOnly && path != "type" {
            continue;
        }
        let members: Vec<_> = row.value.words().iter().filter_map(|word| member_name(word.json)).collect();
        if members.is_empty() {
            place(&mut schema, path, value(row));
        }
        for member in members {
            place(&mut schema, &format!("{path}.{member}"), json!({ "type": "boolean", "description": row.help }));
        }
    }
    if is_settable {
        close(&mut schema);
    }
    schema
}

fn member_name(word: JsonWord) -> Option<&'static str> {
    if let JsonWord::Member(name) = word { Some(name) } else { None }
}

/// Puts a schema at a dotted name; the first of several rows of one name stays.
fn place(schema: &mut Value, path: &str, value: Value) {
    let (name, rest) = path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
    let properties = &mut schema["properties"];
    if properties.is_null() {
        *properties = Value::Object(Map::new());
    }
    match rest {
        Some(rest) => {
            if properties[name].is_null() {
                properties[name] = json!({ "type": "object" });
            }
            place(&mut properties[name], rest, value);
        }
        None if properties[name].is_null() => properties[name] = value,
        None => {}
    }
}

/// No other members than those named.
fn close(schema: &mut Value) {
    if schema["type"] != "object" {
        return;
    }
    schema["additionalProperties"] = json!(false);
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.values_mut().for_each(close);
    }
}

fn word_text(word: JsonWord) -> Option<&'static str> {
    if let JsonWord::Text(text) = word { Some(text) } else { None }
}

/// CONNAME, taken apart.
fn connection() -> Value {
    json!({ "type": "array", "items": {
        "type": "object",
        "required": ["host"],
        "properties": { "host": { "type": "string" }, "port": { "type": "integer" } }
    } })
}

fn value(row: &Attribute) -> Value {
    let words: Vec<_> = row.value.words().iter().filter_map(|word| word_text(word.json)).collect();
    let is_truth = row.value.words().iter().any(|word| matches!(word.json, JsonWord::Bool(_)));
    let mut schema = match row.value {
        _ if is_truth => json!({ "type": "boolean" }),
        _ if row.json.is_some_and(|path| path.ends_with(".connection")) => connection(),
        ValueType::Choice(_) | ValueType::Flag(_) => json!({ "type": "string", "enum": words }),
        ValueType::Integer { minimum, maximum, words: [], .. } => {
            json!({ "type": "integer", "minimum": minimum, "maximum": maximum })
        }
        ValueType::Integer { .. } => json!({ "type": ["integer", "string"] }),
        ValueType::Name => json!({ "type": "string", "maxLength": 48, "pattern": "^[A-Za-z0-9._/%]*$" }),
        ValueType::Text { maximum } | ValueType::Secret { maximum } => {
            json!({ "type": "string", "maxLength": maximum })
        }
        ValueType::Hexadecimal { bytes } => json!({ "type": "string", "maxLength": 2 * bytes }),
        ValueType::Date | ValueType::Time => json!({ "type": "string", "format": "date-time" }),
        ValueType::List | ValueType::Names { .. } | ValueType::Texts { .. } => {
            json!({ "type": "array", "items": { "type": "string" } })
        }
        ValueType::Words { .. } => json!({ "type": "array", "items": { "type": "string", "enum": words } }),
    };
    schema["description"] = json!(row.help);
    schema
}
