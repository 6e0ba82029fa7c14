//! Paths of an API.

use super::mapping::Mapping;
use super::path::Template;
use super::{ApiDefinition, Found, Operation, method};

fn api(base_path: &str, operations: &[(&str, &str)]) -> ApiDefinition {
    let operation = |(index, &(word, path)): (usize, &(&str, &str))| Operation {
        path: Template::parse(path).expect("a path"),
        method: method(word).expect("a method"),
        operation_id: format!("o{index}"),
        summary: String::new(),
        description: String::new(),
        service: "s".to_owned(),
        request: Mapping::pass(),
        responses: vec![crate::api::mapping::Response::pass()],
        required: Vec::new(),
    };
    ApiDefinition {
        name: "a".to_owned(),
        title: "a".to_owned(),
        version: "1".to_owned(),
        description: String::new(),
        base_path: base_path.to_owned(),
        operations: operations.iter().enumerate().map(operation).collect(),
        document: None,
    }
}

fn find(api: &ApiDefinition, method: &str, path: &str) -> String {
    match api.find(method, path) {
        Found::Operation(operation, values) => {
            let values: Vec<String> = values.iter().map(|(name, value)| format!(" {name}={value}")).collect();
            format!("{}{}", operation.operation_id, values.concat())
        }
        Found::OtherMethods => api.operations_at(path).map(|operation| operation.method).collect::<Vec<_>>().join(","),
        Found::NoText(name) => format!("no text: {name}"),
        Found::Nothing => "nothing".to_owned(),
    }
}

#[test]
fn fixed_parts_win_over_parameters_and_values_are_decoded() {
    let api =
        api("/a", &[("GET", "/x/{id}"), ("POST", "/x/{id}"), ("GET", "/x/all"), ("GET", "/"), ("GET", "/{p}/{q}/z")]);
    assert_eq!(api.check(), Ok(()));
    assert_eq!(find(&api, "GET", "/x/a%2Fb%C3%A4"), "o0 id=a/bä");
    assert_eq!(find(&api, "POST", "/x/1/"), "o1 id=1");
    assert_eq!(find(&api, "GET", "/x/all"), "o2");
    assert_eq!(find(&api, "DELETE", "/x/1"), "GET,POST");
    // The path with the fixed part is another path, which has no POST.
    assert_eq!(find(&api, "POST", "/x/all"), "GET");
    assert_eq!(find(&api, "GET", ""), "o3");
    assert_eq!(find(&api, "GET", "/"), "o3");
    assert_eq!(find(&api, "GET", "/x/y/z"), "o4 p=x q=y");
    assert_eq!(find(&api, "GET", "/x//"), "nothing");
    assert_eq!(find(&api, "GET", "/x"), "nothing");
    assert_eq!(find(&api, "GET", "/x/a%FFb"), "no text: id");
    assert_eq!(
        (find(&api, "HEAD", "/x/1"), find(&api, "HEAD", "/nowhere")),
        ("o0 id=1".to_owned(), "nothing".to_owned())
    );
}

#[test]
fn fixed_parts_are_the_same_however_they_are_encoded() {
    let api = api("/a", &[("GET", "/größe"), ("GET", "/s%20t"), ("HEAD", "/plain"), ("GET", "/plain")]);
    for (path, found) in [
        ("/gr%C3%B6%C3%9Fe", "o0"),
        ("/gr%c3%b6%c3%9fe", "o0"),
        ("/größe", "o0"),
        ("/s%20t", "o1"),
        ("/%73 t", "o1"),
        ("/pl%61in", "o3"),
        ("/pl%2561in", "nothing"),
        ("/gr%F6%DFe", "nothing"),
    ] {
        assert_eq!(find(&api, "GET", path), found, "{path}");
    }
    assert_eq!(find(&api, "HEAD", "/plain"), "o2");
}

#[test]
fn a_query_is_decoded_or_refused() {
    let text = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(super::query("a=b+c&&%C3%A4=%26&x"), Some(vec![text("a", "b c"), text("ä", "&"), text("x", "")]));
    assert_eq!(super::query("a=1&b=%FF"), None);
}

#[test]
fn base_paths_and_operations_that_cannot_be_are_told() {
    for path in [
        "",
        "/",
        "a",
        "/a/",
        "/a//b",
        "/{a}",
        "/a?b",
        "/zosConnect/x",
        "/ibmmq",
        "/ibm/api",
        "/api/v1",
        "/docs",
        "/a b",
        "/ä",
        "/a/../b",
        "/.",
    ] {
        assert!(api(path, &[("GET", "/")]).check().is_err(), "{path:?}");
    }
    for path in ["/a", "/zosConnected", "/a/b.c", "/ibmmqx/y", "/api", "/api/v10", "/document"] {
        assert_eq!(api(path, &[("GET", "/")]).check(), Ok(()), "{path:?}");
    }
    assert!(api("/a", &[]).check().is_err());
    assert!(api("/api", &[("GET", "/v1/x")]).check().is_err());
    let same = api("/a", &[("GET", "/{x}"), ("GET", "/{y}")]).check().expect_err("refused");
    assert_eq!(same, "GET /{x} and GET /{y} are the same");
    let mut twice = api("/a", &[("GET", "/x"), ("GET", "/y")]);
    twice.operations[1].operation_id = "o0".to_owned();
    assert_eq!(twice.check().expect_err("refused"), "GET /x and GET /y have the operationId o0");
}

#[test]
fn templates_are_read_and_shown() {
    for text in ["/", "/a", "/a/{b}/c"] {
        assert_eq!(Template::parse(text).expect("a path").to_string(), text);
    }
    for text in ["", "a", "//", "/a//b", "/{}", "/{a}b", "/a{b", "/{a}/{a}", "/a?b"] {
        assert!(Template::parse(text).is_err(), "{text:?}");
    }
}
