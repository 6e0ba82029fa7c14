//! This server as a client of an issuer, where people sign in by browser: what `client_id` and the keys beside it say.
//!
//! Invariant: the secret is never printed.

use std::fmt;

use super::url::may_be_fetched;
use crate::error::IdentityError;
use crate::options::OidcIssuer;
use crate::password::PasswordReader;

/// Longest text of a button, in characters.
const LONGEST_TITLE: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Client {
    /// The name of the entry, which is a part of the redirect URI.
    pub(super) name: String,
    pub(super) id: String,
    /// `None`: a public client, which proves itself by PKCE alone.
    pub(super) secret: Option<Secret>,
    /// Separated by spaces.
    pub(super) scopes: String,
    pub(super) title: String,
}

#[derive(Clone, PartialEq, Eq)]
pub(super) struct Secret(pub(super) String);

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("…")
    }
}

impl Client {
    /// `None` without `client_id`.
    ///
    /// # Errors
    /// Names the key that cannot be used.
    pub(super) fn read(
        name: &str,
        options: &OidcIssuer,
        passwords: &PasswordReader,
    ) -> Result<Option<Self>, IdentityError> {
        let error = |key: &str, problem: String| IdentityError::new(&format!("identity.oidc.{name}.{key}"), problem);
        let Some(id) = &options.client_id else {
            return match &options.client_secret {
                Some(_) => Err(error("client_secret", "it is the secret of client_id, which is missing".to_owned())),
                None => Ok(None),
            };
        };
        if id.is_empty() || !id.chars().all(|c| c == ' ' || c.is_ascii_graphic()) {
            return Err(error("client_id", format!("'{}' is not the id of a client", id.escape_debug())));
        }
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) {
            let problem =
                "the name of the entry is a part of the redirect URI: give it one of letters, digits, - and _";
            return Err(error("client_id", problem.to_owned()));
        }
        let secret = options.client_secret.as_deref().map(|stored| passwords.decode(stored)).transpose();
        let secret = secret.map_err(|problem| error("client_secret", problem.to_string()))?;
        if secret.as_ref().is_some_and(String::is_empty) {
            return Err(error(
                "client_secret",
                "it is empty: leave the key out for a client without a secret".to_owned(),
            ));
        }
        if !options.scopes.iter().any(|scope| scope == "openid") {
            return Err(error("scopes", "openid is missing: without it the issuer gives no ID token".to_owned()));
        }
        // RFC 6749, 3.3.
        let is_scope = |scope: &String| {
            !scope.is_empty() && scope.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"\\".contains(&byte))
        };
        if let Some(wrong) = options.scopes.iter().find(|scope| !is_scope(scope)) {
            return Err(error("scopes", format!("'{}' is not a scope", wrong.escape_debug())));
        }
        let title = options.title.clone().unwrap_or_else(|| name.to_owned());
        if title.trim().is_empty() || title.chars().any(char::is_control) || title.chars().count() > LONGEST_TITLE {
            return Err(error("title", format!("expected a text of 1 to {LONGEST_TITLE} characters")));
        }
        if let Some(url) = &options.console_url
            && (!may_be_fetched(url) || url.matches('/').count() != 2)
        {
            let problem = format!("'{url}' is not the origin of this server, such as https://mq.example.com:9443");
            return Err(error("console_url", problem));
        }
        let secret = secret.map(Secret);
        Ok(Some(Self { name: name.to_owned(), id: id.clone(), secret, scopes: options.scopes.join(" "), title }))
    }
}
