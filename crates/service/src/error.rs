//! The answer to a failed request to a service: BAQ identifiers, statuses and the two-member JSON body.
//!
//! The only place that knows BAQ identifiers. BAQM0001E to BAQM0010E and the BAQR identifiers below 0900 are published, the
//! sentences are ours; BAQR09nn are our own, for situations whose identifier is not published.
//! Source: z/OS Connect EE, "BAQM messages", "BAQR messages", "Error responses".

use bytes::Bytes;

/// An error on its way to the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{id}: {message}")]
pub struct ServiceError {
    pub id: &'static str,
    pub status: u16,
    /// Without the identifier.
    pub message: String,
    /// What helps to find the cause, where there is more to say.
    pub details: Option<String>,
}

macro_rules! errors {
    ($($(#[$doc:meta])* $name:ident($($parameter:ident),*) = $id:literal, $status:literal, $message:literal;)*) => {
        impl ServiceError {
            $($(#[$doc])*
            pub fn $name($($parameter: &str),*) -> Self {
                Self { id: $id, status: $status, message: format!($message), details: None }
            })*
        }
    };
}

errors! {
    /// The definition lacks something.
    attribute_missing(service, attribute) = "BAQM0001E", 500,
        "The service '{service}' cannot be used: its attribute '{attribute}' is missing or blank.";
    /// The body is JSON, but not what the copybook describes.
    request_data(service) = "BAQM0002E", 400,
        "The request data does not fit the data structure of the service '{service}'.";
    service_stopped(service) = "BAQM0003E", 503, "The service '{service}' is stopped.";
    /// Also: what came from a queue cannot be converted.
    internal(service) = "BAQM0004E", 500, "The service '{service}' could not process the request.";
    message_type(service, found) = "BAQM0005E", 500,
        "The service '{service}' received a message of the type {found}, which it cannot return.";
    /// A verb of the queue manager failed.
    queue_manager(service, verb, object, reason) = "BAQM0006E", 500,
        "The service '{service}' could not {verb} {object}: {reason}.";
    name_not_found(service, name) = "BAQM0007E", 500,
        "The service '{service}' uses '{name}', which does not exist.";
    reply_data(service) = "BAQM0008E", 500,
        "The service '{service}' received a message that cannot be converted to JSON.";
    expiry_header(service, value) = "BAQM0009E", 400,
        "The header ibm-mq-md-expiry of a request to the service '{service}' is not a 32-bit integer: '{value}'.";
    persistence_header(service, value) = "BAQM0010E", 400,
        "The header ibm-mq-md-persistence of a request to the service '{service}' is neither true nor false: '{value}'.";
    service_unavailable(url) = "BAQR0403W", 404, "The service of the URL {url} is not available.";
    timed_out(milliseconds) = "BAQR0405I", 504,
        "The request took longer than {milliseconds} milliseconds and was cancelled.";
    interceptor(url) = "BAQR0406W", 500, "The request under the URL {url} could not be processed.";
    not_authorized(user) = "BAQR0409W", 403, "The user '{user}' is not authorized for this request.";
    /// The body is not a JSON object.
    not_an_object() = "BAQR0417W", 400, "The body of the request cannot be used: a JSON object is expected.";
    service_unknown(service) = "BAQR0431W", 404, "There is no service '{service}'.";
    header(name, value) = "BAQR0901W", 400, "The header {name} cannot be '{value}'.";
    media_type(found) = "BAQR0902W", 415, "The body of the request must be application/json in UTF-8, not '{found}'.";
    method(method, url) = "BAQR0903W", 405, "The URL {url} has no method {method}.";
    stopping() = "BAQR0904W", 503, "The server is stopping.";
    api_stopped(name) = "BAQR0905W", 503, "The API '{name}' has been stopped.";
    not_found(url) = "BAQR0906W", 404, "There is no resource at the URL {url}.";
    name_taken(word, name) = "BAQR0910W", 409, "The {word} '{name}' exists already.";
    clash(problem) = "BAQR0911W", 409, "The archive conflicts with another one: {problem}.";
    not_stopped(word, name) = "BAQR0912W", 409, "The {word} '{name}' is started: stop it first.";
    busy(word, name) = "BAQR0913W", 503, "Requests to the {word} '{name}' are still running: try again later.";
    other_name(word, found, name) = "BAQR0914W", 400, "The archive is for the {word} '{found}', not for '{name}'.";
    bad_archive() = "BAQR0915W", 400, "The archive cannot be used.";
    /// The log tells what happened.
    not_kept() = "BAQR0916E", 500, "The server could not store the change.";
    api_unknown(name) = "BAQR0917W", 404, "There is no API '{name}'.";
    schema_unknown(service) = "BAQR0918W", 404, "The service '{service}' has no such schema.";
    query(name, value) = "BAQR0919W", 400, "The query parameter {name} cannot be '{value}'.";
    /// One that an API maps to its service.
    parameter(problem) = "BAQR0920W", 400, "The request cannot be mapped: {problem}.";
    api_response(name) = "BAQR0921E", 500, "The answer of the service cannot be mapped to that of the API '{name}'.";
    archive_type(found) = "BAQR0922W", 415, "An archive must be sent as application/zip, not '{found}'.";
    query_not_text() = "BAQR0926W", 400, "The query of the URL is not UTF-8.";
    not_text() = "BAQR0907W", 400, "The body of the request is not UTF-8.";
}

impl ServiceError {
    /// Refused before anything deployed was asked: 401, or what the body or the state of the server is to blame for.
    pub fn before_service(status: u16, sentence: &str) -> Self {
        let id = match status {
            401 => "BAQR0923W",
            500.. => "BAQR0925E",
            _ => "BAQR0924W",
        };
        Self { id, status, message: sentence.to_owned(), details: None }
    }

    pub fn with_details(self, details: impl Into<String>) -> Self {
        Self { details: Some(details.into()), ..self }
    }

    /// `{"errorMessage": ..., "errorDetails": ...}`, as JSON escapes texts.
    pub fn body(&self) -> Bytes {
        let mut body = serde_json::Map::new();
        body.insert("errorMessage".to_owned(), self.to_string().into());
        if let Some(details) = &self.details {
            body.insert("errorDetails".to_owned(), details.as_str().into());
        }
        serde_json::Value::Object(body).to_string().into()
    }

    /// What helps to find the cause: the details, or else the sentence.
    pub fn reason(&self) -> &str {
        self.details.as_deref().unwrap_or(&self.message)
    }

    /// One line of the log for a request that was not served: a warning where the caller is not to blame. `kind` and `name` say
    /// what was asked: a service or an API.
    pub fn log(&self, kind: &str, name: &str) {
        let (Self { id, status, .. }, reason) = (self, self.reason());
        if *status >= 500 {
            tracing::warn!(kind, name, id, status, reason, "a request failed");
        } else {
            tracing::info!(kind, name, id, status, reason, "a request was refused");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_has_a_message_and_details_and_no_entities_of_html() {
        let error = ServiceError::header("ibm-mq-md-msgID", "<&\"").with_details("a\\b\n");
        assert_eq!(
            std::str::from_utf8(&error.body()).unwrap(),
            r#"{"errorMessage":"BAQR0901W: The header ibm-mq-md-msgID cannot be '<&\"'.","errorDetails":"a\\b\n"}"#
        );
        let plain: serde_json::Value = serde_json::from_slice(&ServiceError::not_an_object().body()).unwrap();
        assert!(plain.get("errorDetails").is_none());
    }
}
