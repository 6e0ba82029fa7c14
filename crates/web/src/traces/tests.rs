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
