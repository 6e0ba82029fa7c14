//! Where people sign in at an issuer, where codes become tokens, and where people sign out: parts of an issuer's description of itself.

use serde_json::Value;

use super::url::may_be_fetched;

/// What is wrong with a description without them.
pub(super) const NO_ENDPOINTS: &str = "its description has no authorization_endpoint and token_endpoint with https://";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Endpoints {
    pub(super) authorization: String,
    pub(super) token: String,
    /// `None`: the issuer has no page for it.
    pub(super) end_session: Option<String>,
    /// The secret of a client travels in the form, because the issuer takes no Basic header.
    pub(super) takes_secret_in_form: bool,
}

impl Endpoints {
    /// `None`: people cannot sign in there by browser.
    pub(super) fn of(description: &Value) -> Option<Self> {
        let url = |name: &str| {
            let url = description.get(name).and_then(Value::as_str);
            url.filter(|url| may_be_fetched(url) && !url.contains('#')).map(str::to_owned)
        };
        let methods = description.get("token_endpoint_auth_methods_supported").and_then(Value::as_array);
        // Without the member, it is Basic (OpenID Connect Discovery 1.0, 3).
        let takes = |method: &str| methods.is_some_and(|methods| methods.iter().any(|one| one == method));
        Some(Self {
            authorization: url("authorization_endpoint")?,
            token: url("token_endpoint")?,
            end_session: url("end_session_endpoint"),
            takes_secret_in_form: !takes("client_secret_basic") && takes("client_secret_post"),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn endpoints_come_by_https_and_the_secret_goes_in_a_header_unless_the_issuer_takes_none() {
        let described = |methods: Value, token: &str| {
            Endpoints::of(&json!({
                "authorization_endpoint": "https://i.example/auth", "token_endpoint": token,
                "token_endpoint_auth_methods_supported": methods, "end_session_endpoint": "javascript:alert(1)",
            }))
        };
        for (methods, in_form) in [
            (Value::Null, false),
            (json!(["client_secret_basic", "client_secret_post"]), false),
            (json!(["client_secret_post"]), true),
            (json!(["none"]), false),
        ] {
            let endpoints = described(methods.clone(), "https://i.example/token").expect("endpoints");
            assert_eq!((endpoints.takes_secret_in_form, endpoints.end_session), (in_form, None), "{methods}");
        }
        assert_eq!(described(Value::Null, "http://i.example/token"), None);
        assert_eq!(Endpoints::of(&json!({ "authorization_endpoint": "https://i.example/auth" })), None);
    }
}
