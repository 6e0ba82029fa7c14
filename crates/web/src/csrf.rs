//! The rule that keeps a foreign web page from acting with a user's cookie, in its two published generations.
//!
//! From 9.0.5 on (v1 to v3) the header must be present, whatever its value. In 9.0.1 to 9.0.4 it must equal the cookie
//! `csrfToken`, which GET and POST /login hand out. Routes decide which rule is theirs, and exempt POST /login.
//! Source: IBM MQ 9.0 and 9.3, "Using the ibm-mq-rest-csrf-token header".

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use rand::RngCore;

use crate::cookie;

/// The header a request has to carry.
pub(crate) const CSRF_HEADER: HeaderName = HeaderName::from_static("ibm-mq-rest-csrf-token");
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
}

/// Checks a request that may change something; GET, HEAD and OPTIONS always pass.
///
/// # Errors
/// `Missing` or `Mismatch`, by the rule.
pub(crate) fn check(rule: CsrfRule, method: &Method, headers: &HeaderMap) -> Result<(), CsrfError> {
    if rule == CsrfRule::Off || matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) {
        return Ok(());
    }
    let header = headers.get(CSRF_HEADER).ok_or(CsrfError::Missing)?;
    match rule {
        CsrfRule::Off | CsrfRule::HeaderPresent => Ok(()),
        CsrfRule::HeaderEqualsCookie => equals_cookie(header.as_bytes(), headers),
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
