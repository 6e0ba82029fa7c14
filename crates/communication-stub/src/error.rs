//! What can go wrong before an API requester has answered, with its number and return code as `docs/stub-protocol.md` lists
//! them. Nothing here holds a password or a record.

use std::io;

/// BAQ-RETURN-CODE; 1, BAQ-ERROR-IN-API, is only ever the server's to say.
pub(crate) const SUCCESS: i32 = 0;
pub(crate) const ERROR_IN_API: i32 = 1;
pub(crate) const ERROR_IN_ZCEE: i32 = 2;
pub(crate) const ERROR_IN_STUB: i32 = 3;
pub(crate) const ERROR_NO_RESPONSE: i32 = 4;

#[derive(Debug, thiserror::Error)]
pub(crate) enum StubError {
    #[error("the address of {0} is null")]
    NullAddress(&'static str),
    #[error("BAQ-REQUEST-INFO-COMP-LEVEL is {0}; 0 to 3 are known")]
    CompLevel(i32),
    #[error("BAQ-APINAME-LEN is {0}; a name of 1 to 255 bytes is wanted")]
    Name(i32),
    #[error("BAQ-APIPATH-LEN is {0}; a path of 1 to 255 bytes is wanted")]
    Path(i32),
    #[error("BAQ-APIMETHOD-LEN is {0}; a method of 1 to 16 letters is wanted")]
    Method(i32),
    #[error("BAQ-REQUEST-LEN is {0}, which does not fit BAQ-REQUEST-PTR")]
    RequestLength(i32),
    #[error("BAQ-RESPONSE-LEN is {0}, which does not fit BAQ-RESPONSE-PTR")]
    ResponseLength(i32),
    #[error("the length of {0} is {1}, which is out of range")]
    Credential(&'static str, i32),
    #[error("BAQ-ZCON-SERVER-URI is not http:// or https:// with a host and perhaps a port")]
    ServerUri,
    #[error("the environment variable {0} has a value that cannot be used: {1}")]
    Environment(&'static str, &'static str),
    #[error("the host {host} was not found: {source}")]
    HostUnknown { host: String, source: io::Error },
    #[error("no connection to {server}: {source}")]
    NoConnection { server: String, source: io::Error },
    #[error("no connection to {0} in the time that BAQTIMEOUT allows")]
    ConnectTimeout(String),
    #[error("libbaqctls.so, which https needs, cannot be loaded: {0}")]
    TlsLibrary(String),
    #[error("TLS with {server} failed: {problem}")]
    Handshake { server: String, problem: String },
    #[error("a certificate or key file cannot be used: {0}")]
    Files(String),
    #[error("the connection to {0} broke before the request was sent")]
    SendBroken(String),
    #[error("no complete answer in the time that BAQTIMEOUT allows; the API may have been called")]
    AnswerTimeout,
    #[error("the connection to {0} broke before its answer was complete; the API may have been called")]
    AnswerBroken(String),
    #[error("the answer cannot be understood: {0}")]
    AnswerMalformed(&'static str),
    #[error("the response record is longer than the {area} bytes of BAQ-RESPONSE-LEN{}", .record.map_or_else(String::new, |length| format!(": {length}")))]
    TooLong { record: Option<u64>, area: usize },
    #[error("a fault inside the communication stub")]
    Fault,
}

impl StubError {
    /// BAQ-STATUS-CODE.
    pub(crate) fn status(&self) -> i32 {
        match self {
            Self::NullAddress(_) => 10,
            Self::CompLevel(_) => 11,
            Self::Name(_) => 12,
            Self::Path(_) => 13,
            Self::Method(_) => 14,
            Self::RequestLength(_) => 15,
            Self::ResponseLength(_) => 16,
            Self::Credential(..) => 17,
            Self::ServerUri => 18,
            Self::Environment(..) => 20,
            Self::HostUnknown { .. } => 30,
            Self::NoConnection { .. } => 31,
            Self::ConnectTimeout(_) => 32,
            Self::TlsLibrary(_) => 33,
            Self::Handshake { .. } => 34,
            Self::Files(_) => 35,
            Self::SendBroken(_) => 40,
            Self::AnswerTimeout => 41,
            Self::AnswerBroken(_) => 42,
            Self::AnswerMalformed(_) => 43,
            Self::TooLong { .. } => 44,
            Self::Fault => 50,
        }
    }

    /// BAQ-RETURN-CODE: whether the request may have reached the API.
    pub(crate) fn return_code(&self) -> i32 {
        match self {
            Self::AnswerTimeout | Self::AnswerBroken(_) | Self::AnswerMalformed(_) => ERROR_NO_RESPONSE,
            _ => ERROR_IN_STUB,
        }
    }
}
