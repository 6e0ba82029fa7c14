//! Tokens that are asked for as the configuration describes it, JSON Web Tokens mostly.
//!
//! Source: z/OS Connect EE V3.0, "Calling an authentication server"; RFC 7519 for the time of expiry.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use queue_manager::clock::Clock;
use serde_json::Value;

use super::{Credentials, Granted, exchange, header_value};
use crate::client::{Inbound, basic};
use crate::endpoint::Token;
use crate::error::RequesterError;
use crate::options::{TokenFormat, TokenMethod, TokenPlace, TokenResponse};

/// # Errors
/// Credentials are missing, or no token was given.
pub(super) async fn ask(
    token: &Token,
    credentials: &Credentials,
    clock: &dyn Clock,
) -> Result<Granted, RequesterError> {
    let configuration = format!("auth_tokens.{}", token.id);
    let said = credentials.token_username.as_deref().zip(credentials.token_password.as_deref());
    let configured = token.server.credentials.as_ref().map(|(user, password)| (user.as_str(), password.as_str()));
    let Some((user, password)) = said.or(configured) else {
        return Err(RequesterError::credentials_missing(&configuration, "the user name or the password"));
    };
    let request = &token.config.request;
    let unusable = || RequesterError::credentials_missing(&configuration, "a header that can carry the credentials");
    let mut headers = HeaderMap::new();
    let mut body = Vec::new();
    match request.credentials {
        TokenPlace::Header => {
            let name = HeaderName::try_from(request.header.as_str()).map_err(|_| unusable())?;
            headers.insert(name, basic(user, password));
        }
        TokenPlace::Headers => {
            for (name, value) in request.headers.iter().zip([user, password]) {
                let name = HeaderName::try_from(name.as_str()).map_err(|_| unusable())?;
                headers.insert(name, header_value(value).ok_or_else(unusable)?);
            }
        }
        TokenPlace::Body => {
            let template = request.body.as_deref().unwrap_or_default();
            body = filled(template, user, password, &request.content_type).into_bytes();
            let value = HeaderValue::try_from(request.content_type.as_str()).map_err(|_| unusable())?;
            headers.insert(CONTENT_TYPE, value);
        }
    }
    let method = match request.method {
        TokenMethod::Get => Method::GET,
        TokenMethod::Post => Method::POST,
        TokenMethod::Put => Method::PUT,
    };
    let inbound = exchange::ask(&configuration, &token.server, method, headers, body).await?;
    let none = || RequesterError::token_refused(&configuration, "its answer contains none");
    let text = found(&token.config.response, &inbound).ok_or_else(none)?;
    let bare = text.strip_prefix("Bearer ").unwrap_or(&text).trim();
    let seconds = match expiry(bare) {
        Some(expiry) => Some(expiry.saturating_sub(clock.now().0 / 1_000_000)),
        None => Some(token.config.lifetime_seconds).filter(|seconds| *seconds > 0),
    };
    let value = if token.config.bearer { header_value(&format!("Bearer {bare}")) } else { header_value(bare) };
    Ok(Granted { value: value.ok_or_else(none)?, lifetime: seconds.map(Duration::from_secs) })
}

/// A body with user and password in their places, escaped as its media type wants it.
fn filled(template: &str, user: &str, password: &str, media_type: &str) -> String {
    let media_type = media_type.to_ascii_lowercase();
    let escaped = |text: &str| {
        if media_type.contains("json") {
            let mut quoted = Vec::new();
            copybook::json::write_string(text, &mut quoted);
            return String::from_utf8_lossy(&quoted[1..quoted.len() - 1]).into_owned();
        }
        if media_type.contains("x-www-form-urlencoded") {
            return utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        }
        if media_type.contains("xml") {
            let entities = [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\'', "&apos;")];
            return entities.iter().fold(text.to_owned(), |text, (character, entity)| text.replace(*character, entity));
        }
        text.to_owned()
    };
    let mut out = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some(at) = rest.find("${") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(behind) = rest.strip_prefix("${userid}") {
            out.push_str(&escaped(user));
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix("${password}") {
            out.push_str(&escaped(password));
            rest = behind;
        } else {
            out.push_str("${");
            rest = &rest[2..];
        }
    }
    out.push_str(rest);
    out
}

/// The token in an answer.
fn found(response: &TokenResponse, inbound: &Inbound) -> Option<String> {
    let text = match (response.location, response.format) {
        (TokenPlace::Header | TokenPlace::Headers, _) => {
            inbound.headers.get(response.header.as_str())?.to_str().ok()?.to_owned()
        }
        (TokenPlace::Body, TokenFormat::Text) => std::str::from_utf8(&inbound.body).ok()?.trim().to_owned(),
        (TokenPlace::Body, TokenFormat::Json) => {
            let value: Value = serde_json::from_slice(&inbound.body).ok()?;
            at_path(&value, response.token_path.as_deref()?)?.as_str()?.to_owned()
        }
    };
    (!text.is_empty()).then_some(text)
}

/// The value that `$.a.b[0]` names; the beginning may be left out.
fn at_path<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let path = path.trim().trim_start_matches('$');
    let parts = path.split(['.', '[', ']']).map(|part| part.trim_matches(['\'', '"'])).filter(|part| !part.is_empty());
    let mut at = value;
    for part in parts {
        at = match at {
            Value::Array(all) => all.get(part.parse::<usize>().ok()?)?,
            other => other.get(part)?,
        };
    }
    Some(at)
}

/// The seconds since 1970 at which a JSON Web Token expires; `None` where it is none, or does not say.
fn expiry(token: &str) -> Option<u64> {
    let claims = token.split('.').nth(1)?;
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims.trim_end_matches('=')).ok()?).ok()?;
    let expiry = claims.get("exp")?;
    expiry.as_u64().or_else(|| {
        expiry.as_f64().filter(|seconds| *seconds >= 0.0).and_then(|seconds| format!("{seconds:.0}").parse().ok())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_stand_in_the_body_where_the_template_says() {
        let template = r#"{"u":"${userid}","p":"${password}","x":"${other}"}"#;
        let json = filled(template, "a\"b", "${userid}", "application/json; charset=utf-8");
        assert_eq!(json, r#"{"u":"a\"b","p":"${userid}","x":"${other}"}"#);
        for (media_type, expected) in [
            ("application/x-www-form-urlencoded", "u=a%26b%3D%3C"),
            ("text/xml", "u=a&amp;b=&lt;"),
            ("text/plain", "u=a&b=<"),
        ] {
            assert_eq!(filled("u=${userid}", "a&b=<", "", media_type), expected);
        }
    }

    #[test]
    fn a_path_leads_to_the_token() {
        let value = serde_json::json!({"a": {"b": [{"token": "t"}]}, "c.d": 1});
        for path in ["$.a.b[0].token", "a.b[0].token", "$['a']['b'][0]['token']"] {
            assert_eq!(at_path(&value, path), Some(&Value::from("t")), "{path}");
        }
        assert_eq!(at_path(&value, "$.a.c"), None);
    }

    #[test]
    fn a_json_web_token_tells_when_it_expires() {
        let token = |claims: &str| format!("e30.{}.sig", URL_SAFE_NO_PAD.encode(claims));
        assert_eq!(expiry(&token(r#"{"exp":1795277700}"#)), Some(1_795_277_700));
        assert_eq!(expiry(&token(r#"{"exp":1795277700.0}"#)), Some(1_795_277_700));
        assert_eq!(expiry(&token("{}")), None);
        assert_eq!(expiry("opaque"), None);
    }
}
