//! OAuth 2.0: the grants `client_credentials` and `password`.
//!
//! Client id and secret of the configuration travel as HTTP basic authentication, those of the program in the form.
//!
//! Source: RFC 6749, 4.3 and 4.4; z/OS Connect EE V3.0, "How to configure OAuth 2.0".

use std::time::Duration;

use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::{Credentials, Granted, exchange, header_value};
use crate::client::basic;
use crate::endpoint::Oauth;
use crate::error::RequesterError;
use crate::options::GrantType;

/// # Errors
/// Credentials are missing, or no token was given.
pub(super) async fn ask(oauth: &Oauth, credentials: &Credentials) -> Result<Granted, RequesterError> {
    let configuration = format!("oauth_configs.{}", oauth.id);
    let grant = oauth.config.grant_type;
    let missing = |what| Err(RequesterError::credentials_missing(&configuration, what));
    let mut form = format!("grant_type={}", grant.word());
    let mut add = |name: &str, value: &Option<String>| {
        if let Some(value) = value {
            form.push('&');
            form.push_str(name);
            form.push('=');
            form.extend(utf8_percent_encode(value, NON_ALPHANUMERIC));
        }
    };
    if grant == GrantType::Password {
        if credentials.oauth_username.is_none() || credentials.oauth_password.is_none() {
            return missing("the user name or the password of the program");
        }
        add("username", &credentials.oauth_username);
        add("password", &credentials.oauth_password);
    }
    add("client_id", &credentials.oauth_client_id);
    add("client_secret", &credentials.oauth_client_secret);
    add("scope", &credentials.oauth_scope);
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    match &oauth.server.credentials {
        // What the program says takes the place of the configuration: there is one client.
        _ if credentials.oauth_client_id.is_some() => {}
        Some((client, secret)) => {
            headers.insert(AUTHORIZATION, basic(client, secret));
        }
        None if grant == GrantType::ClientCredentials => return missing("the client id"),
        None => {}
    }
    let inbound = exchange::ask(&configuration, &oauth.server, http::Method::POST, headers, form.into_bytes()).await?;
    granted(&inbound.body).ok_or_else(|| RequesterError::token_refused(&configuration, "its answer contains none"))
}

fn granted(body: &[u8]) -> Option<Granted> {
    let answer: Value = serde_json::from_slice(body).ok()?;
    let token = answer.get("access_token")?.as_str().filter(|token| !token.is_empty())?;
    let seconds = match answer.get("expires_in") {
        Some(Value::Number(number)) => number.as_u64(),
        Some(Value::String(text)) => text.parse().ok(),
        _ => None,
    };
    Some(Granted { value: header_value(&format!("Bearer {token}"))?, lifetime: seconds.map(Duration::from_secs) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_says_how_long_it_is_good() {
        for (body, seconds) in [
            (r#"{"access_token":"t","expires_in":3600}"#, Some(3600)),
            (r#"{"access_token":"t","expires_in":"60","token_type":"bearer"}"#, Some(60)),
            (r#"{"access_token":"t"}"#, None),
        ] {
            let granted = granted(body.as_bytes()).expect("a token");
            assert_eq!(granted.value, "Bearer t");
            assert_eq!(granted.lifetime, seconds.map(Duration::from_secs), "{body}");
        }
        for body in ["", "{}", r#"{"access_token":""}"#, r#"{"access_token":"a\nb"}"#] {
            assert!(granted(body.as_bytes()).is_none(), "{body}");
        }
    }
}
