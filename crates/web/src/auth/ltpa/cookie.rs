//! The cookie that carries a token: finding it in a request, setting it, clearing it.
//!
//! Source: mqweb's recorded answers (attributes on set), Open Liberty 24.0.0.12 (attributes on clear, quoted values).

use http::{HeaderMap, HeaderValue, header};

/// Values of the cookie `name` in all `Cookie` headers, in order, without enclosing double quotes.
///
/// HTTP/2 clients may send one header for each cookie. Parts that are not ASCII are passed over.
pub fn values<'h>(headers: &'h HeaderMap, name: &'h str) -> impl Iterator<Item = &'h str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(move |pair| value_of(pair, name))
}

fn value_of<'h>(pair: &'h str, name: &str) -> Option<&'h str> {
    let value = pair.trim_ascii_start().strip_prefix(name)?.trim_ascii_start().strip_prefix('=')?.trim_ascii();
    Some(value.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(value))
}

/// `Set-Cookie` value: a session cookie for the whole host, out of reach for scripts and for other sites.
pub(in crate::auth) fn set(name: &str, token: &str, over_tls: bool) -> Option<HeaderValue> {
    let secure = if over_tls { " Secure;" } else { "" };
    HeaderValue::try_from(format!("{name}={token}; Path=/;{secure} HttpOnly; SameSite=Strict")).ok()
}

/// `Set-Cookie` value that makes a client forget the cookie.
pub(in crate::auth) fn clear(name: &str, secure: bool) -> Option<HeaderValue> {
    let secure = if secure { "; Secure" } else { "" };
    let expires = "Thu, 01 Dec 1994 16:00:00 GMT";
    HeaderValue::try_from(format!("{name}=\"\"; Max-Age=0; Expires={expires}; Path=/{secure}; HttpOnly")).ok()
}
