//! One request to an authorization server.

use http::HeaderMap;

use crate::client::{self, ClientError, Inbound, Outbound};
use crate::endpoint::AuthorizationServer;
use crate::error::RequesterError;

/// Longest answer of an authorization server, in bytes.
const MAXIMUM_ANSWER: usize = 1 << 20;
/// Characters of what it said that are told.
const TOLD: usize = 200;

/// # Errors
/// It does not answer, or with another status than 2xx.
pub(super) async fn ask(
    configuration: &str,
    server: &AuthorizationServer,
    method: http::Method,
    headers: HeaderMap,
    body: Vec<u8>,
) -> Result<Inbound, RequesterError> {
    let outbound = Outbound { method, target: server.target.clone(), headers, body: body.into() };
    let inbound = client::send(&server.site, outbound, MAXIMUM_ANSWER)
        .await
        .map_err(|error: ClientError| RequesterError::token_unavailable(configuration, &error.to_string()))?;
    match inbound.status.as_u16() {
        200..=299 => Ok(inbound),
        status @ 400..=499 => {
            Err(RequesterError::token_refused(configuration, &format!("status {status}{}", reason(&inbound.body))))
        }
        status => Err(RequesterError::token_unavailable(configuration, &format!("it answers with status {status}"))),
    }
}

/// `error` and `error_description` of RFC 6749, 5.2; what else may be in an answer is not told.
fn reason(body: &[u8]) -> String {
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(body) else { return String::new() };
    let text = |name: &str| value.get(name).and_then(serde_json::Value::as_str);
    let said = match (text("error"), text("error_description")) {
        (Some(error), Some(description)) => format!(", {error}: {description}"),
        (Some(error), None) => format!(", {error}"),
        _ => String::new(),
    };
    said.chars().filter(|character| !character.is_control()).take(TOLD).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_published_members_of_an_error_are_told() {
        assert_eq!(
            reason(br#"{"error":"invalid_client","error_description":"no\nsuch client","secret":"x"}"#),
            ", invalid_client: nosuch client"
        );
        assert_eq!(reason(b"<html>"), "");
    }
}
