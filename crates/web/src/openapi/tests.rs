//! The documents against the route table.

use serde_json::{Value, json};

use service::openapi::swagger;

use super::{DOCUMENT, FOR_TESTS, SWAGGER};
use crate::messaging::selection::UNREADABLE;
use crate::routes::ROUTES;

fn operations(document: &Value) -> Vec<(&String, &String, &Value)> {
    let paths = document["paths"].as_object().expect("paths");
    let of = |path| -> Vec<_> {
        let (template, methods): (&String, &Value) = path;
        methods.as_object().expect("methods").iter().map(|(method, one)| (template, method, one)).collect()
    };
    paths.iter().flat_map(of).collect()
}

#[test]
fn every_route_is_described_once_under_an_identifier_of_its_own() {
    let all = operations(&FOR_TESTS);
    assert_eq!(all.len(), ROUTES.len());
    let mut identifiers: Vec<_> = all.iter().map(|(_, _, one)| one["operationId"].as_str().expect("an id")).collect();
    identifiers.sort_unstable();
    let count = identifiers.len();
    identifiers.dedup();
    assert_eq!(identifiers.len(), count);
}

#[test]
fn every_part_of_a_path_is_a_parameter_and_every_reference_leads_somewhere() {
    for (template, method, one) in operations(&DOCUMENT) {
        for part in template.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')) {
            let parameters = one["parameters"].as_array().expect("parameters");
            let known = parameters.iter().any(|known| known["name"] == part && known["in"] == "path");
            assert!(known, "{method} {template}: {part}");
        }
    }
    check_references(&DOCUMENT, "/components/schemas/");
    check_references(&FOR_TESTS, "/components/schemas/");
    check_references(&SWAGGER, "/definitions/");
}

/// There are references below `root`, and each leads somewhere.
fn check_references(document: &Value, root: &str) {
    let text = document.to_string();
    let marker = format!("\"#{root}");
    let names: Vec<&str> = text.split(&marker).skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(!names.is_empty());
    for name in names {
        assert!(document.pointer(&format!("{root}{name}")).is_some_and(Value::is_object), "{name}");
    }
}

#[test]
fn swagger_has_the_same_operations_and_nothing_that_only_openapi_has() {
    let ids = |document| operations(document).into_iter().map(|(_, _, one)| one["operationId"].clone()).collect();
    let (ours, theirs): (Vec<Value>, Vec<Value>) = (ids(&DOCUMENT), ids(&SWAGGER));
    assert_eq!(ours, theirs);
    assert_eq!(SWAGGER["swagger"], "2.0");
    let text = SWAGGER.to_string();
    for word in ["requestBody", "\"oneOf\"", "\"const\"", "components", "\"content\":"] {
        assert!(!text.contains(word), "{word}");
    }
}

#[test]
fn a_root_selects_resources_and_fills_in_the_version() {
    let v1 = swagger::below(&SWAGGER, "/ibmmq/rest/v1/");
    assert_eq!(v1["basePath"], "/ibmmq/rest/v1");
    assert!(v1["paths"]["/login"]["post"].is_object());
    assert!(v1["paths"]["/messaging/qmgr/{qmgr}/topic/{topic}/message"].is_null(), "publishing begins with v2");
    assert!(!v1.to_string().contains("{version}"));
    let parameters = v1["paths"]["/login"]["delete"]["parameters"].as_array().expect("parameters");
    assert!(parameters.iter().all(|one| one["name"] != "version"));
    let documents = swagger::below(&SWAGGER, "/ibm/api");
    assert!(documents["paths"]["/docs"]["get"].is_object());
    assert_eq!(swagger::below(&SWAGGER, "/nowhere")["paths"], json!({}));
    let names = |document: &Value| document["definitions"].as_object().expect("definitions").len();
    assert!((1..names(&SWAGGER)).contains(&names(&v1)), "{}", names(&v1));
    check_references(&v1, "/definitions/");
    assert_eq!(
        swagger::below(&SWAGGER, "/")["paths"].as_object().map(serde_json::Map::len),
        SWAGGER["paths"].as_object().map(serde_json::Map::len)
    );
}

#[test]
fn a_wait_after_wrong_passwords_is_described_wherever_passwords_are_checked() {
    let mut count = 0;
    for (template, method, one) in operations(&DOCUMENT) {
        let checks_passwords = one["responses"]["401"].is_object();
        let wait = &one["responses"]["429"];
        assert_eq!(wait.is_object(), checks_passwords, "{method} {template}");
        if checks_passwords {
            assert_eq!(wait["headers"]["Retry-After"]["schema"]["type"], "integer", "{method} {template}");
            count += 1;
        }
    }
    assert!(count > 10, "{count}");
}

#[test]
fn the_header_about_messages_that_are_no_text_is_described_where_it_is_read() {
    let takes = |one: &Value| {
        let parameters = one["parameters"].as_array().expect("parameters");
        parameters.iter().any(|parameter| parameter["name"] == UNREADABLE.as_str() && parameter["in"] == "header")
    };
    let all = operations(&DOCUMENT);
    let taking: Vec<&str> =
        all.iter().filter(|(_, _, one)| takes(one)).filter_map(|(_, _, one)| one["operationId"].as_str()).collect();
    assert_eq!(taking, ["getMessage", "browseMessage"]);
}
