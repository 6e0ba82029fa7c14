use document::yaml::{self, Scalars};

use super::*;
use crate::provider::API_PATH;

fn json(query: &str) -> Value {
    serde_json::from_slice(&Document::new(512).text(query, false).unwrap()).unwrap()
}

#[test]
fn the_document_describes_the_path_that_is_served() {
    let document = json("");
    let path = document["paths"].as_object().unwrap().keys().next().unwrap();
    assert_eq!([document["basePath"].as_str().unwrap(), path].concat(), API_PATH);
    assert_eq!(document["paths"][path]["post"]["operationId"], "VaryPayload");
    assert_eq!(document["definitions"]["Resp"]["properties"]["user_data"]["maxItems"], 512);
}

#[test]
fn roots_select_the_whole_or_nothing() {
    let name = "APIrequesterPerformanceRemoteAPI";
    for query in [
        format!("root=/{name}"),
        format!("root={name}/"),
        format!("root=%2F{name}&compact=true"),
        format!("root=/other&root=/{name}"),
    ] {
        assert_eq!(json(&query), json(""), "{query}");
    }
    let nothing = json("root=/other");
    assert!(nothing["paths"].as_object().unwrap().is_empty() && nothing["swagger"] == "2.0", "{nothing}");
}

#[test]
fn compact_leaves_line_breaks_out_and_yaml_says_the_same() {
    let document = Document::new(512);
    let lines = |query, is_yaml| {
        let text = document.text(query, is_yaml).unwrap();
        (String::from_utf8(text.to_vec()).unwrap().lines().count(), text)
    };
    assert_eq!(lines("compact=true", false).0, 1);
    assert!(lines("compact=false", false).0 > 20);
    let (_, yaml) = lines("", true);
    let read = yaml::read(std::str::from_utf8(&yaml).unwrap(), Scalars::Typed).unwrap();
    assert_eq!(read, json(""));
}

#[test]
fn other_parameters_and_values_are_refused() {
    let refusal = |query| Document::new(512).text(query, false).unwrap_err();
    assert!(refusal("compact=perhaps").contains("'perhaps'"));
    assert!(refusal("roots=/a").contains("'roots'"));
}
