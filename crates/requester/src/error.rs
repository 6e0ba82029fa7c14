//! The error that a program gets when the server could not carry out its call: BAQ-ERROR-IN-ZCEE with a status and a sentence.
//!
//! The only place of this crate that knows BAQ identifiers. Which ones IBM uses in these situations is not published: BAQR0930
//! to BAQR0959 are our own, beside those of `service`.

/// An error on its way to the program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{id}: {message}")]
pub struct RequesterError {
    pub id: &'static str,
    /// BAQ-STATUS-CODE.
    pub status: u16,
    /// Without the identifier.
    pub message: String,
}

macro_rules! errors {
    ($($(#[$doc:meta])* $name:ident($($parameter:ident),*) = $id:literal, $status:literal, $message:literal;)*) => {
        impl RequesterError {
            $($(#[$doc])*
            pub fn $name($($parameter: &str),*) -> Self {
                Self { id: $id, status: $status, message: format!($message) }
            })*
        }
    };
}

errors! {
    requester_unknown(name) = "BAQR0930W", 404, "There is no API requester '{name}'.";
    requester_stopped(name) = "BAQR0931W", 503, "The API requester '{name}' is stopped.";
    operation_unknown(name, method, path) = "BAQR0932W", 404,
        "The API requester '{name}' has no operation {method} {path}.";
    parameter_missing(name) = "BAQR0933W", 400, "The query parameter {name} is missing or blank.";
    record_form(value) = "BAQR0934W", 400,
        "The header Baq-Record-Form cannot be '{value}': byte order, floating-point form and code page are expected.";
    header(name) = "BAQR0935W", 400, "The header {name} is not percent-encoded UTF-8.";
    /// The record is not what the copybook describes, or holds what cannot be sent.
    request_data(name, problem) = "BAQR0936E", 400,
        "The request of a program to the API requester '{name}' cannot be converted: {problem}.";
    /// The API's answer cannot be mapped to the copybook.
    response_data(name, problem) = "BAQR0937E", 500,
        "The response of the API behind the API requester '{name}' cannot be converted: {problem}.";
    connection_unknown(name, connection) = "BAQR0938E", 500,
        "The API requester '{name}' needs the endpoint connection '{connection}', which is not configured.";
    unreachable(connection, problem) = "BAQR0939E", 503,
        "The API of the endpoint connection '{connection}' cannot be reached: {problem}.";
    connect_timeout(connection, seconds) = "BAQR0940E", 504,
        "The API of the endpoint connection '{connection}' did not accept a connection within {seconds} seconds.";
    receive_timeout(connection, seconds) = "BAQR0941E", 504,
        "The API of the endpoint connection '{connection}' did not answer within {seconds} seconds.";
    broken(connection, problem) = "BAQR0942E", 502,
        "The API of the endpoint connection '{connection}' sent an invalid answer: {problem}.";
    too_long(connection, limit) = "BAQR0943E", 502,
        "The API of the endpoint connection '{connection}' answered with more than {limit} bytes.";
    /// The program or the configuration has to state them.
    credentials_missing(configuration, what) = "BAQR0944E", 401,
        "No access token of '{configuration}' can be requested: {what} is missing.";
    token_refused(configuration, problem) = "BAQR0945E", 401,
        "The authorization server of '{configuration}' issued no access token: {problem}.";
    token_unavailable(configuration, problem) = "BAQR0946E", 503,
        "The authorization server of '{configuration}' cannot be reached for an access token: {problem}.";
    record_too_long(name, limit) = "BAQR0947E", 500,
        "A record of the API requester '{name}' is longer than the limit of {limit} bytes.";
    /// Liberty answers so, too; the way is in `Location`.
    secure_required(name) = "BAQR0948W", 302, "The API requester '{name}' can be called only by HTTPS.";
    record_type(found) = "BAQR0949W", 415, "A record must be sent as application/octet-stream, not '{found}'.";
}
