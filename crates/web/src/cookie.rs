//! The cookie that carries an LTPA token: finding it in a request, setting it, clearing it.
//!
//! Source: mqweb's recorded answers (attributes on set), Open Liberty 24.0.0.12 (attributes on clear, quoted values).

use http::{HeaderMap, HeaderValue, header};
use identity::ltpa::MOST_TOKENS;
use identity::{Authenticator, Identity};
use model::timestamp::Timestamp;

/// Tokens that a request presents, in the order sent. Usually none or one.
pub(crate) struct Tokens<'h> {
    values: [&'h str; MOST_TOKENS],
    count: usize,
}

impl<'h> Tokens<'h> {
    pub(crate) fn of(headers: &'h HeaderMap, cookie_name: &'h str) -> Self {
        let mut tokens = Self { values: [""; MOST_TOKENS], count: 0 };
        for value in values(headers, cookie_name).filter(|value| !value.is_empty()).take(MOST_TOKENS) {
            tokens.values[tokens.count] = value;
            tokens.count += 1;
        }
        tokens
    }

    pub(crate) fn as_slice(&self) -> &[&'h str] {
        &self.values[..self.count]
    }
}

/// `Set-Cookie` value with a token for `identity`; `None` where a cookie must not be set.
pub(crate) fn of_identity(
    authenticator: &Authenticator,
    identity: &Identity,
    now: Timestamp,
    over_tls: bool,
) -> Option<HeaderValue> {
    let token = authenticator.mint_token(identity, now, over_tls)?;
    let cookie = token.cookie(over_tls, |token| set(authenticator.cookie_name(), token, over_tls));
    HeaderValue::from_maybe_shared(cookie).ok()
}

/// `Set-Cookie` value with the secret of a session of a person who has signed in at an issuer.
pub(crate) fn of_session(authenticator: &Authenticator, secret: &str, is_https: bool) -> HeaderValue {
    HeaderValue::try_from(set(authenticator.cookie_name(), secret, is_https))
        .expect("the cookie's name was checked when the options were read, and secrets are ASCII")
}

/// `Set-Cookie` value that removes the cookie.
pub(crate) fn cleared(authenticator: &Authenticator) -> HeaderValue {
    clear(authenticator.cookie_name(), authenticator.is_secure())
        .expect("the cookie's name was checked when the options were read")
}

/// Values of the cookie `name` in all `Cookie` headers, in order, without enclosing double quotes.
///
/// HTTP/2 clients may send one header for each cookie. Parts that are not ASCII are passed over.
pub(crate) fn values<'h>(headers: &'h HeaderMap, name: &'h str) -> impl Iterator<Item = &'h str> {
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
fn set(name: &str, token: &str, over_tls: bool) -> String {
    let secure = if over_tls { " Secure;" } else { "" };
    format!("{name}={token}; Path=/;{secure} HttpOnly; SameSite=Strict")
}

/// `Set-Cookie` value that makes a client forget the cookie.
fn clear(name: &str, secure: bool) -> Option<HeaderValue> {
    let secure = if secure { "; Secure" } else { "" };
    let expires = "Thu, 01 Dec 1994 16:00:00 GMT";
    HeaderValue::try_from(format!("{name}=\"\"; Max-Age=0; Expires={expires}; Path=/{secure}; HttpOnly")).ok()
}

#[cfg(test)]
mod tests;
