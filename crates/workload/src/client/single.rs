//! One request and its answer, for programs that prepare a server or ask it something beside a load. Blocks.

use std::time::Duration;

use http::{HeaderValue, Method, Uri};

use crate::client::ClientError;
use crate::client::rest::{Credentials, RestClient, RestOptions};
use crate::client::target::{Target, Trust};

/// Longest wait for an answer.
const LIMIT: Duration = Duration::from_secs(60);

/// What to send, with HTTP Basic.
#[derive(Debug, Clone, Copy)]
pub struct Single<'a> {
    pub url: &'a str,
    pub trust: &'a Trust,
    pub user: &'a str,
    pub password: &'a str,
    pub method: &'a str,
    /// Path and query.
    pub path: &'a str,
    pub content_type: &'a str,
    pub body: &'a [u8],
}

/// The answer, of any kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
}

impl Single<'_> {
    /// Sends it. Call it outside of any async runtime.
    ///
    /// # Errors
    /// There is no answer, or this is no request.
    pub fn send(&self) -> Result<Answer, ClientError> {
        let wrong = |what: &str| ClientError::Target(format!("'{what}' cannot be sent"));
        let method = Method::from_bytes(self.method.as_bytes()).map_err(|_| wrong(self.method))?;
        let path = Uri::try_from(self.path).map_err(|_| wrong(self.path))?;
        let content_type = HeaderValue::from_str(self.content_type).map_err(|_| wrong(self.content_type))?;
        let mut client = RestClient::new(RestOptions {
            target: Target::parse(self.url, self.trust)?,
            credentials: Credentials::Basic { user: self.user.to_owned(), password: self.password.to_owned() },
            queue_manager: String::new(),
            queue: String::new(),
            reply_queue: None,
            persistent: false,
            answer_limit: LIMIT,
        })?;
        let runtime = crate::run::runtime().map_err(|error| ClientError::Target(error.to_string()))?;
        let body = bytes::Bytes::copy_from_slice(self.body);
        let response = runtime.block_on(client.send(method, &path, content_type, body))?;
        Ok(Answer { status: response.status().as_u16(), body: response.into_body().to_vec() })
    }
}
