use super::*;
use crate::options::Cors;

fn check_by(rule: CsrfRule, mechanism: Mechanism, method: &Method, headers: &HeaderMap) -> Result<(), CsrfError> {
    let allowed_origins = ["https://console.example".to_owned(), "*".to_owned()].into();
    let mut request = http::Request::new(());
    method.clone_into(request.method_mut());
    headers.clone_into(request.headers_mut());
    check(rule, mechanism, &request.into_parts().0, &Policy::new(&Cors { allowed_origins, max_age_seconds: 0 }))
}

/// Of the published rules, for which it makes no difference what a request is authenticated with.
fn check_published(rule: CsrfRule, method: &Method, headers: &HeaderMap) -> Result<(), CsrfError> {
    use Mechanism::{ApiKey, Basic, Bearer, ClientCertificate, Oidc, Token};
    let each = [Token, Oidc, Basic, ClientCertificate, Bearer, ApiKey];
    let all = each.map(|mechanism| check_by(rule, mechanism, method, headers));
    assert_eq!(all, [all[0]; 6], "{rule:?}");
    all[0]
}

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
    let check = |method, header| check_published(CsrfRule::HeaderPresent, &method, &csrf_headers(header, None));
    for method in [Method::POST, Method::DELETE, Method::PATCH, Method::PUT] {
        assert_eq!(check(method.clone(), None), Err(CsrfError::Missing));
        assert_eq!(check(method.clone(), Some("")), Ok(()));
        assert_eq!(check(method, Some("anything")), Ok(()));
    }
    for method in [Method::GET, Method::HEAD, Method::OPTIONS] {
        assert_eq!(check(method, None), Ok(()));
    }
    assert_eq!(check_published(CsrfRule::Off, &Method::POST, &HeaderMap::new()), Ok(()));
}

#[test]
fn in_9_0_x_the_csrf_header_must_equal_the_cookie() {
    let check =
        |header, cookie| check_published(CsrfRule::HeaderEqualsCookie, &Method::POST, &csrf_headers(header, cookie));
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

#[test]
fn below_api_v1_what_a_browser_adds_by_itself_is_not_for_pages_of_other_origins() {
    let headers = |lines: &[(&str, &str)]| {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static("mq.example:9443"));
        for (name, value) in lines {
            headers
                .insert(HeaderName::try_from(*name).expect("a name"), HeaderValue::try_from(*value).expect("a value"));
        }
        headers
    };
    let token = ("ibm-mq-rest-csrf-token", "");
    let (own, foreign) = (("origin", "https://MQ.example:9443"), ("origin", "https://evil.example"));
    let (same, cross) = (("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site"));
    // A cookie; a client certificate and remembered Basic credentials.
    for (lines, cookie, added) in [
        (&[][..], Err(CsrfError::Missing), Ok(())),
        (&[token], Ok(()), Ok(())),
        (&[("authorization", "Basic YXBwOnNlY3JldA==")], Ok(()), Ok(())),
        (&[("authorization", "Basic YXBwOnNlY3JldA=="), foreign], Err(CsrfError::Foreign), Err(CsrfError::Foreign)),
        (&[own], Ok(()), Ok(())),
        (&[("origin", "http://mq.example:9443")], Ok(()), Ok(())),
        (&[same], Ok(()), Ok(())),
        (&[("sec-fetch-site", "none")], Ok(()), Ok(())),
        (&[("origin", "https://console.example"), cross], Ok(()), Ok(())),
        (&[foreign], Err(CsrfError::Foreign), Err(CsrfError::Foreign)),
        (&[foreign, token], Err(CsrfError::Foreign), Err(CsrfError::Foreign)),
        (&[foreign, same], Err(CsrfError::Foreign), Err(CsrfError::Foreign)),
        (&[own, cross], Err(CsrfError::Foreign), Err(CsrfError::Foreign)),
        (&[("origin", "null")], Err(CsrfError::Foreign), Err(CsrfError::Foreign)),
        (&[("origin", "https://mq.example")], Err(CsrfError::Foreign), Err(CsrfError::Foreign)),
        (&[("origin", "https://mq.example:9443.evil.example")], Err(CsrfError::Foreign), Err(CsrfError::Foreign)),
        (&[cross], Err(CsrfError::Foreign), Err(CsrfError::Foreign)),
        (&[cross, token], Err(CsrfError::Foreign), Err(CsrfError::Foreign)),
        (&[("sec-fetch-site", "same-site")], Err(CsrfError::Foreign), Err(CsrfError::Foreign)),
    ] {
        let headers = headers(lines);
        let by = |mechanism| check_by(CsrfRule::CookieOnly, mechanism, &Method::POST, &headers);
        assert_eq!([by(Mechanism::Token), by(Mechanism::Oidc)], [cookie; 2], "{lines:?}");
        assert_eq!([by(Mechanism::ClientCertificate), by(Mechanism::Basic)], [added; 2], "{lines:?}");
        assert_eq!([by(Mechanism::Bearer), by(Mechanism::ApiKey)], [Ok(()); 2], "{lines:?}");
        for mechanism in [Mechanism::Token, Mechanism::Basic] {
            assert_eq!(check_by(CsrfRule::CookieOnly, mechanism, &Method::GET, &headers), Ok(()), "{lines:?}");
        }
    }
}
