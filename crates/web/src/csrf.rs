//! The rule that keeps a foreign web page from acting with a user's cookie, in its two published generations and in our own.
//!
//! From 9.0.5 on (v1 to v3) the header must be present, whatever its value. In 9.0.1 to 9.0.4 it must equal the cookie
//! `csrfToken`, which GET and POST /login hand out. Routes decide which rule is theirs, and exempt POST /login.
//! Our own rule, for /api/v1, looks at what the request was authenticated with.
//! Source: IBM MQ 9.0 and 9.3, "Using the ibm-mq-rest-csrf-token header".

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use identity::authenticator::Mechanism;
use rand::RngCore;

use crate::cookie;
use crate::cors::Policy;

/// The header a request has to carry.
pub(crate) const CSRF_HEADER: HeaderName = HeaderName::from_static("ibm-mq-rest-csrf-token");
/// What browsers say of the page that makes a request.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// The cookie of the older rule.
pub(crate) const CSRF_COOKIE: &str = "csrfToken";

/// Which generation of the rule a route follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CsrfRule {
    /// mqRestCsrfValidation is false.
    Off,
    /// v1, v2, v3.
    HeaderPresent,
    /// The paths of 9.0.x.
    HeaderEqualsCookie,
    /// Below /api/v1: by what the request is authenticated with. A bearer token and an API key are sent on purpose and need nothing.
    /// A browser adds cookies, client certificates and remembered Basic credentials by itself: they are not for pages of other
    /// origins. A cookie alone needs the header or a page of this origin besides.
    CookieOnly,
}

/// Why a request is refused with 403.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CsrfError {
    /// MQWB0100E.
    #[error("the header ibm-mq-rest-csrf-token is missing")]
    Missing,
    /// MQWB0101E.
    #[error("the header ibm-mq-rest-csrf-token differs from the cookie csrfToken")]
    Mismatch,
    /// MQWB0937E.
    #[error("the request comes from a page of another origin")]
    Foreign,
}

/// Where the page is from that made a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    /// From this server, or from an origin that is allowed by its name.
    Own,
    Foreign,
    /// No browser says so: a program, or an old browser.
    Unknown,
}

/// Checks a request that may change something; GET, HEAD and OPTIONS always pass. `mechanism` is what it was authenticated with.
///
/// # Errors
/// `Missing`, `Mismatch` or `Foreign`, by the rule.
pub(crate) fn check(rule: CsrfRule, mechanism: Mechanism, request: &Parts, cors: &Policy) -> Result<(), CsrfError> {
    let headers = &request.headers;
    if matches!(request.method, Method::GET | Method::HEAD | Method::OPTIONS) {
        return Ok(());
    }
    let header = headers.get(CSRF_HEADER);
    match rule {
        CsrfRule::Off => Ok(()),
        CsrfRule::HeaderPresent => header.map(drop).ok_or(CsrfError::Missing),
        CsrfRule::HeaderEqualsCookie => equals_cookie(header.ok_or(CsrfError::Missing)?.as_bytes(), headers),
        CsrfRule::CookieOnly => match (mechanism, page(request, cors)) {
            // No browser adds these by itself, and a page of another site does not know them.
            (Mechanism::Bearer | Mechanism::ApiKey, _) => Ok(()),
            (_, Page::Foreign) => Err(CsrfError::Foreign),
            // A program that keeps cookies sends one beside its credentials. A page of another site cannot add those.
            (Mechanism::Token | Mechanism::Oidc, Page::Unknown) if headers.contains_key(header::AUTHORIZATION) => {
                Ok(())
            }
            (Mechanism::Token | Mechanism::Oidc, Page::Unknown) => header.map(drop).ok_or(CsrfError::Missing),
            (Mechanism::Token | Mechanism::Oidc, Page::Own)
            | (Mechanism::Basic | Mechanism::ClientCertificate | Mechanism::NoSecurity, _) => Ok(()),
        },
    }
}

/// By `Origin`, whose host and port have to be those of the request, and by `Sec-Fetch-Site`. The scheme does not count: a proxy in
/// front may end TLS.
fn page(request: &Parts, cors: &Policy) -> Page {
    let headers = &request.headers;
    let origin = headers.get(header::ORIGIN);
    if origin.is_some_and(|origin| cors.names(origin)) {
        return Page::Own;
    }
    // HTTP/2 has it in the address of the request.
    let host = match request.uri.authority() {
        Some(authority) => Some(authority.as_str().as_bytes()),
        None => headers.get(header::HOST).map(HeaderValue::as_bytes),
    };
    let authority = |origin: &HeaderValue| {
        let origin = origin.as_bytes();
        origin.strip_prefix(b"https://").or_else(|| origin.strip_prefix(b"http://")).map(<[u8]>::to_ascii_lowercase)
    };
    if let Some(origin) = origin
        && (host.is_none() || authority(origin) != host.map(<[u8]>::to_ascii_lowercase))
    {
        return Page::Foreign;
    }
    match headers.get(SEC_FETCH_SITE).map(HeaderValue::as_bytes) {
        // Typed, or opened from a bookmark.
        Some(b"same-origin" | b"none") => Page::Own,
        Some(_) => Page::Foreign,
        None if origin.is_some() => Page::Own,
        None => Page::Unknown,
    }
}

fn equals_cookie(header: &[u8], headers: &HeaderMap) -> Result<(), CsrfError> {
    let equal =
        cookie::values(headers, CSRF_COOKIE).any(|value| !value.is_empty() && value.as_bytes() == header.trim_ascii());
    if equal { Ok(()) } else { Err(CsrfError::Mismatch) }
}

/// A new value for the cookie of the older rule: 32 random characters.
pub(crate) fn new_token() -> String {
    let mut bytes = [0; 24];
    rand::rngs::OsRng.fill_bytes(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// `Set-Cookie` value that hands out `token`; scripts of the same site may read it, for they must copy it.
pub(crate) fn set_cookie(token: &str, over_tls: bool) -> HeaderValue {
    let secure = if over_tls { "; Secure" } else { "" };
    let text = format!("{CSRF_COOKIE}={token}; Path=/{secure}; SameSite=Strict");
    HeaderValue::try_from(text).expect("tokens of new_token are ASCII")
}

#[cfg(test)]
mod tests;
