use http::header;

use super::*;

fn cookie_header(value: &str) -> HeaderMap {
    [(header::COOKIE, HeaderValue::try_from(value).expect("a header value"))].into_iter().collect()
}

fn csrf_headers(header: Option<&'static str>, cookie: Option<&str>) -> HeaderMap {
    let mut headers = cookie.map(cookie_header).unwrap_or_default();
    if let Some(value) = header {
        headers.insert(CSRF_HEADER, HeaderValue::from_static(value));
    }
    headers
}

#[test]
fn from_v1_on_the_csrf_header_must_be_present_whatever_its_value() {
    let check = |method, header| check(CsrfRule::HeaderPresent, &method, &csrf_headers(header, None));
    for method in [Method::POST, Method::DELETE, Method::PATCH, Method::PUT] {
        assert_eq!(check(method.clone(), None), Err(CsrfError::Missing));
        assert_eq!(check(method.clone(), Some("")), Ok(()));
        assert_eq!(check(method, Some("anything")), Ok(()));
    }
    for method in [Method::GET, Method::HEAD, Method::OPTIONS] {
        assert_eq!(check(method, None), Ok(()));
    }
    assert_eq!(super::check(CsrfRule::Off, &Method::POST, &HeaderMap::new()), Ok(()));
}

#[test]
fn in_9_0_x_the_csrf_header_must_equal_the_cookie() {
    let check = |header, cookie| check(CsrfRule::HeaderEqualsCookie, &Method::POST, &csrf_headers(header, cookie));
    assert_eq!(check(None, Some("csrfToken=abc")), Err(CsrfError::Missing));
    assert_eq!(check(Some("abc"), Some("a=b; csrfToken=abc")), Ok(()));
    assert_eq!(check(Some("abd"), Some("csrfToken=abc")), Err(CsrfError::Mismatch));
    assert_eq!(check(Some("abc"), None), Err(CsrfError::Mismatch));
    assert_eq!(check(Some(""), Some("csrfToken=")), Err(CsrfError::Mismatch));
}

#[test]
fn a_csrf_token_is_new_each_time_and_travels_in_its_cookie() {
    let token = new_token();
    assert_ne!(token, new_token());
    let cookie = set_cookie(&token, true);
    assert_eq!(cookie.to_str().expect("ASCII"), format!("csrfToken={token}; Path=/; Secure; SameSite=Strict"));
}
