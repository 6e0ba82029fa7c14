use super::*;

#[test]
fn a_url_without_a_path_is_completed() {
    for (endpoint, url) in [
        ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
        ("https://collector/", "https://collector/v1/traces"),
        ("http://collector:4318/v1/traces", "http://collector:4318/v1/traces"),
    ] {
        assert_eq!(whole_url(endpoint), url);
    }
}

#[test]
fn an_endpoint_or_header_that_cannot_be_is_told() {
    let options = |endpoint: &str, header: &str| Tracing {
        endpoint: Some(endpoint.to_owned()),
        headers: [(header.to_owned(), "v".to_owned())].into(),
        ..Tracing::default()
    };
    let problem = |endpoint, header| {
        Traces::new(&options(endpoint, header)).err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert!(Traces::new(&options("", "a")).is_ok_and(|traces| traces.is_none()));
    assert!(Traces::new(&options("http://127.0.0.1:4318", "authorization")).is_ok_and(|traces| traces.is_some()));
    assert!(problem("127.0.0.1:4318", "a").starts_with("tracing.endpoint: expected a URL"));
    assert_eq!(problem("http://h", "a b"), "tracing.headers: a b is not a header");
}

#[test]
fn the_context_of_a_message_is_in_its_properties() {
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let property =
        |name: &str, text: &str| Property { name: name.to_owned(), value: PropertyValue::String(text.into()) };
    let all = [property("traceparent", parent), property("tracestate", "a=1")];
    assert_eq!(of_message(&all).map(|context| context.traceparent()).as_deref(), Some(parent));
    assert_eq!(of_message(&[property("other", "x")]), None);
    assert_eq!(properties(&Tracing { message_properties: true, ..Tracing::default() }), [], "there is no trace");
}
