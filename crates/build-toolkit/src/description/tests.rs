//! Descriptions in both dialects and both formats.

use super::{Description, DescriptionError, Dialect};

const SWAGGER: &str = r##"{"swagger":"2.0","info":{"title":"Book Shop API","version":"2.1"},"basePath":"/shop/","paths":{
    "/b":{"post":{},"get":{"operationId":"getB"},"parameters":[]},"/a":{"delete":{}},"x-more":{},"relative":{},"/r":{"$ref":"#/x"}}}"##;

#[test]
fn operations_stand_in_the_order_of_paths_and_then_of_methods() {
    let description = Description::read("a.json", SWAGGER.as_bytes()).expect("read");
    let api = description.api(None).expect("an API");
    assert_eq!(
        (api.name.as_str(), api.base_path.as_str(), api.dialect),
        ("Book-Shop-API_2.1", "/shop", Dialect::Swagger2)
    );
    let (listed, refused) = api.operations();
    let all: Vec<_> = listed.iter().map(|one| format!("{} {} {}", one.method, one.path, one.id)).collect();
    assert_eq!(all, ["GET /b getB", "POST /b shop_b_POST", "DELETE /a shop_a_DELETE"]);
    let places: Vec<_> = refused.iter().map(|(place, _)| place.as_str()).collect();
    assert_eq!(places, ["relative", "/r"]);
}

#[test]
fn a_version_of_yaml_keeps_its_digits() {
    let text = "swagger: '2.0'\ninfo:\n  title: T\n  version: 1.10\npaths: {}\n";
    let description = Description::read("a.yaml", text.as_bytes()).expect("read");
    assert_eq!(description.api(None).expect("an API").name, "T_1.10");
}

#[test]
fn the_base_path_of_openapi_is_that_of_its_first_server() {
    for (server, expected) in [
        (r#"[{"url":"https://api.example.com/v1/"}]"#, "/v1"),
        (r#"[{"url":"https://api.example.com"}]"#, ""),
        (r#"[{"url":"/{base}/x","variables":{"base":{"default":"shop"}}}]"#, "/shop/x"),
        ("[]", ""),
    ] {
        let text = format!(r#"{{"openapi":"3.0.3","info":{{"title":"T","version":"1"}},"servers":{server}}}"#);
        let description = Description::read("a.json", text.as_bytes()).expect("read");
        assert_eq!(description.api(None).expect("an API").base_path, expected);
    }
}

#[test]
fn descriptions_that_are_none_are_refused() {
    let refused = |name: &str, text: &str| match Description::read(name, text.as_bytes()) {
        Ok(description) => description.api(None).map(|api| api.name).expect_err(text),
        Err(error) => error,
    };
    assert_eq!(refused("a.txt", "{}"), DescriptionError::Ending);
    assert!(matches!(refused("a.json", "{"), DescriptionError::Syntax(_)));
    assert!(matches!(refused("a.yaml", "a: [1"), DescriptionError::Syntax(_)));
    assert_eq!(refused("a.json", "{}"), DescriptionError::Missing("info.version"));
    assert_eq!(refused("a.json", r#"{"info":{"title":"T","version":"1"}}"#), DescriptionError::Kind);
    assert_eq!(refused("a.json", r#"{"openapi":"3.1.0","info":{"title":"T","version":"1"}}"#), DescriptionError::Kind);
    assert_eq!(
        refused("a.json", r#"{"swagger":"2.0","info":{"version":"1"}}"#),
        DescriptionError::Missing("info.title")
    );
    let long = format!(r#"{{"swagger":"2.0","info":{{"title":"{}","version":"1"}}}}"#, "t".repeat(255));
    assert!(matches!(refused("a.json", &long), DescriptionError::Name(_)));
}
