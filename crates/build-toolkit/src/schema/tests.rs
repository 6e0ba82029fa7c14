//! Schemas read, and constructs that have no place.

use serde_json::{Value, json};

use super::{Direction, Kind, Places, Reader, Schema};
use crate::options::AdditionalOptions;

/// What was read of the schema `#/definitions/S`, in a few words, and what was left out.
fn read(direction: Direction, definitions: Value) -> (String, Vec<String>, bool) {
    read_with(direction, definitions, None)
}

fn read_with(
    direction: Direction,
    definitions: Value,
    additional: Option<AdditionalOptions>,
) -> (String, Vec<String>, bool) {
    let root = json!({ "definitions": definitions });
    let reference = json!({ "$ref": "#/definitions/S" });
    let mut reader = Reader::new(&root, direction, Places { arrays_of_arrays: true, additional });
    let body = reader.body("Body", &reference);
    let words = body.map(|body| told(&body.schema)).unwrap_or_default();
    let dropped = reader.dropped.iter().map(|one| format!("{}: {}", one.place, one.problem)).collect();
    (words, dropped, reader.unusable.is_some())
}

fn told(schema: &Schema<'_>) -> String {
    let null = if schema.nullable { "?" } else { "" };
    let kind = match &schema.kind {
        Kind::Object { properties } => {
            let tell = |one: &super::Property<'_>| {
                format!("{}{}:{}", one.name, if one.required { "!" } else { "" }, told(&one.schema))
            };
            format!("{{{}}}", properties.iter().map(tell).collect::<Vec<_>>().join(" "))
        }
        Kind::Array { items, minimum, maximum } => format!("[{} {minimum}..{maximum:?}]", told(items)),
        Kind::Text { minimum, maximum, .. } => format!("text {minimum}..{maximum:?}"),
        Kind::Integer { .. } => "integer".to_owned(),
        Kind::Float { .. } => "float".to_owned(),
        Kind::Decimal { .. } => "decimal".to_owned(),
        Kind::Boolean => "boolean".to_owned(),
        Kind::Map { entry, maximum } => format!("{} to {maximum}", told(entry)),
        Kind::Json { characters } => format!("JSON to {characters}"),
    };
    format!("{kind}{null}")
}

fn response(definitions: Value) -> (String, Vec<String>) {
    let (words, dropped, _) = read(Direction::Response, definitions);
    (words, dropped)
}

#[test]
fn references_and_all_of_become_one_object() {
    let (words, dropped) = response(json!({
        "S": { "allOf": [{ "$ref": "#/definitions/Base" }, { "type": "object", "required": ["b"], "properties": { "b": { "type": "integer" } } }] },
        "Base": { "type": "object", "required": ["a"], "properties": { "a": { "$ref": "#/definitions/Name" }, "c": { "type": "boolean" } } },
        "Name": { "type": "string", "maxLength": 5 },
    }));
    assert_eq!(words, "{a!:text 0..Some(5) c:boolean b!:integer}");
    assert!(dropped.is_empty(), "{dropped:?}");
}

#[test]
fn a_schema_that_holds_itself_is_left_out_where_it_comes_again() {
    let (words, dropped) = response(json!({
        "S": { "type": "object", "properties": { "name": { "type": "string" }, "next": { "$ref": "#/definitions/S" } } },
    }));
    assert_eq!(words, "{name:text 0..None}");
    assert_eq!(dropped, ["Body->next: #/definitions/S refers to itself"]);
}

#[test]
fn what_two_members_refer_to_is_no_circle_nor_is_a_base_that_a_member_refers_to() {
    let (words, dropped) = response(json!({
        "S": { "allOf": [{ "$ref": "#/definitions/A" }], "properties": { "friend": { "$ref": "#/definitions/A" }, "other": { "$ref": "#/definitions/A" } } },
        "A": { "type": "object", "properties": { "n": { "type": "integer" } } },
    }));
    assert_eq!(words, "{friend:{n:integer} other:{n:integer} n:integer}");
    assert!(dropped.is_empty(), "{dropped:?}");
    let (_, dropped) = response(json!({
        "S": { "allOf": [{ "$ref": "#/definitions/A" }, { "$ref": "#/definitions/B" }] },
        "A": { "allOf": [{ "$ref": "#/definitions/Base" }] },
        "B": { "allOf": [{ "$ref": "#/definitions/Base" }] },
        "Base": { "type": "object", "properties": { "n": { "type": "integer" }, "again": { "$ref": "#/definitions/S" } } },
    }));
    assert_eq!(dropped, ["Body->again: #/definitions/S refers to itself"]);
}

#[test]
fn constructs_without_a_place_are_left_out_by_their_names() {
    let (words, dropped) = response(json!({ "S": { "type": "object", "properties": {
        "a": { "oneOf": [{ "type": "string" }, { "type": "integer" }] },
        "b": { "anyOf": [{ "type": "string" }] , "nullable": true },
        "c": { "not": { "type": "string" } },
        "d": { "type": ["string", "null"] },
        "e": { "type": "null" },
        "f": { "type": "array", "items": [{ "type": "string" }] },
        "g": { "type": "object" },
        "h": { "type": "array" },
        "i": {},
        "j": { "$ref": "other.json#/X" },
        "k": { "$ref": "#/definitions/None" },
        "l": { "type": "string", "maxLength": 0 },
        "m": { "type": "object", "additionalProperties": { "type": "string" }, "properties": { "n": { "type": "number" } } },
    } } }));
    assert_eq!(words, "{b:text 0..None? m:{n:float}}");
    let places: Vec<_> = dropped.iter().map(|one| one.split(':').next().unwrap_or_default()).collect();
    let expected = ["a", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"].map(|name| format!("Body->{name}"));
    assert_eq!(places, expected);
}

#[test]
fn members_beyond_the_properties_have_the_schema_of_their_values_or_are_json() {
    let additional = Some(AdditionalOptions { size: 99, most: 7 });
    let map =
        |value: &str| format!("additionalProperties:{{property_name!:text 0..None property_value!:{value}}} to 7");
    for (more, expected) in [
        (json!(true), map("JSON to 99")),
        (json!({}), map("JSON to 99")),
        (json!({ "oneOf": [{ "type": "string" }, { "type": "integer" }] }), map("JSON to 99")),
        (json!({ "$ref": "#/definitions/S" }), map("JSON to 99")),
        (json!({ "type": "string" }), map("text 0..Some(99)")),
        (json!({ "type": "string", "minLength": 99 }), map("text 99..None")),
        (json!({ "type": "integer", "nullable": true }), map("integer?")),
        (json!({ "type": "array", "items": { "type": "boolean" } }), map("[boolean 0..None]")),
        (json!({ "additionalProperties": { "type": "number" } }), map(&format!("{{{}}}", map("float")))),
    ] {
        let schema = json!({ "S": { "type": "object", "required": ["a"], "properties": { "a": { "type": "boolean" } },
            "additionalProperties": more } });
        let (words, dropped, unusable) = read_with(Direction::Request, schema, additional);
        assert_eq!(words, format!("{{a!:boolean {expected}}}"));
        assert!(dropped.is_empty() && !unusable, "{dropped:?}");
    }
    // What cannot be mapped inside a value is told, unless the whole value is JSON.
    let one = |properties: Value| json!({ "S": { "additionalProperties": { "type": "object", "required": ["x"], "properties": properties } } });
    let (words, dropped, unusable) =
        read_with(Direction::Request, one(json!({ "x": { "type": "null" }, "y": { "type": "integer" } })), additional);
    assert_eq!(words, format!("{{{}}}", map("{y:integer}")));
    assert_eq!(dropped.len(), 1, "{dropped:?}");
    assert!(unusable);
    let (words, dropped, unusable) = read_with(Direction::Request, one(json!({ "x": { "type": "null" } })), additional);
    assert_eq!(words, format!("{{{}}}", map("JSON to 99")));
    assert!(dropped.is_empty() && !unusable, "{dropped:?}");
    let none = json!({ "S": { "properties": { "a": { "type": "boolean" } }, "additionalProperties": false } });
    assert_eq!(read_with(Direction::Request, none, additional).0, "{a:boolean}");
}

#[test]
fn a_request_that_lacks_a_required_member_is_unusable_and_an_optional_one_is_not_missed() {
    let one = |required: Value| json!({ "S": { "type": "object", "required": required, "properties": { "a": { "type": "null" }, "b": { "type": "integer" } } } });
    assert!(read(Direction::Request, one(json!(["a"]))).2);
    assert!(!read(Direction::Request, one(json!(["b"]))).2);
    assert!(!read(Direction::Response, one(json!(["a"]))).2);
}

#[test]
fn numbers_have_the_kind_that_format_and_bounds_say() {
    let (words, _) = response(json!({ "S": { "type": "object", "properties": {
        "a": { "type": "number", "format": "float" },
        "b": { "type": "number", "format": "decimal" },
        "c": { "type": "number", "multipleOf": 0.01, "maximum": 99.99 },
        "d": { "type": "number", "multipleOf": 0.01 },
    } } }));
    assert_eq!(words, "{a:float b:decimal c:decimal d:float}");
}

#[test]
fn deep_and_wide_schemas_end_somewhere() {
    let mut schema = json!({ "type": "integer" });
    for _ in 0..40 {
        schema = json!({ "type": "object", "properties": { "x": schema } });
    }
    let (words, dropped) = response(json!({ "S": schema }));
    assert_eq!(words, "");
    assert!(dropped[0].contains("nested deeper"), "{dropped:?}");
    // Each level holds the next one ten times.
    let mut definitions = serde_json::Map::new();
    for level in 0..10 {
        let next = json!({ "$ref": format!("#/definitions/L{}", level + 1) });
        let properties: serde_json::Map<_, _> = (0..10).map(|index| (format!("p{index}"), next.clone())).collect();
        definitions.insert(format!("L{level}"), json!({ "type": "object", "properties": properties }));
    }
    definitions.insert("L10".to_owned(), json!({ "type": "integer" }));
    definitions.insert("S".to_owned(), json!({ "$ref": "#/definitions/L0" }));
    let (_, dropped) = response(Value::Object(definitions));
    assert!(dropped.iter().any(|one| one.contains("more than 50000 schemas")), "{}", dropped.len());
}
