//! A client of the REST APIs, for commands with `--url`. One connection serves one request after the other.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use handshake::anchors::{Anchors, ServerNameCheck};
use handshake::files::{self, FileError};
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// The system's trusted authorities on Debian and distributions based on it.
const SYSTEM_AUTHORITIES: &str = "/etc/ssl/certs/ca-certificates.crt";
/// Longest answer in bytes: the longest message with room to spare.
const MAXIMUM_ANSWER: usize = 128 << 20;

#[derive(Debug, thiserror::Error)]
pub(crate) enum RestError {
    #[error("--url: {url} is not valid, expected http://HOST:PORT or https://HOST:PORT")]
    Url { url: String },
    #[error("--cacert: {0}")]
    Authorities(#[from] FileError),
    #[error("cannot set up TLS")]
    Tls(#[from] rustls::Error),
    #[error("cannot reach {url}")]
    Connect {
        url: String,
        #[source]
        source: std::io::Error,
    },
    #[error("the connection to the server broke")]
    Exchange(#[from] hyper::Error),
    #[error("the request cannot be built")]
    Request(#[from] http::Error),
    #[error("the answer cannot be read")]
    Answer(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("{status}: {explanation}")]
    Refused { status: StatusCode, explanation: String },
}

/// What an answer of 2xx held.
#[derive(Debug)]
pub(crate) struct RestAnswer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl RestAnswer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

pub(crate) struct RestClient {
    url: String,
    host: String,
    port: u16,
    authorization: Option<HeaderValue>,
    tls: Option<TlsConnector>,
    /// The connection of the last request, if it can serve another.
    kept: RefCell<Option<SendRequest<Full<Bytes>>>>,
    runtime: tokio::runtime::Runtime,
}

impl RestClient {
    /// # Errors
    /// The URL or the authorities cannot be used.
    pub(crate) fn new(url: &str, user: Option<(&str, &str)>, authorities: Option<&Path>) -> Result<Self, RestError> {
        let wrong = || RestError::Url { url: url.to_owned() };
        let parsed: Uri = url.parse().map_err(|_| wrong())?;
        let (secure, port) = match parsed.scheme_str() {
            Some("https") => (true, 9443),
            Some("http") => (false, 9080),
            _ => return Err(wrong()),
        };
        let host = parsed.host().ok_or_else(wrong)?.to_owned();
        let port = parsed.port_u16().unwrap_or(port);
        let authorization = user.map(|(name, password)| {
            let credentials = STANDARD.encode(format!("{name}:{password}"));
            let mut value = HeaderValue::try_from(format!("Basic {credentials}")).expect("base64 is ASCII");
            value.set_sensitive(true);
            value
        });
        let tls = if secure { Some(connector(authorities)?) } else { None };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|source| RestError::Connect { url: url.to_owned(), source })?;
        Ok(Self { url: url.to_owned(), host, port, authorization, tls, kept: RefCell::new(None), runtime })
    }

    /// One request on the messaging resource of a queue: `message`, `messagelist`, with a query or without.
    ///
    /// # Errors
    /// As [`RestClient::send`].
    pub(crate) fn request(
        &self,
        method: Method,
        queue_manager: &str,
        queue: &str,
        resource: &str,
        headers: &[(&'static str, String)],
        body: Bytes,
    ) -> Result<RestAnswer, RestError> {
        let path =
            format!("/ibmmq/rest/v3/messaging/qmgr/{}/queue/{}/{resource}", encode(queue_manager), encode(queue));
        self.send(method, path, "text/plain;charset=utf-8", headers, body)
    }

    /// One MQSC command as text; the answer's body is the reply's JSON.
    ///
    /// # Errors
    /// As [`RestClient::send`].
    pub(crate) fn run_command(&self, queue_manager: &str, command: &str) -> Result<RestAnswer, RestError> {
        let path = format!("/ibmmq/rest/v2/admin/action/qmgr/{}/mqsc", encode(queue_manager));
        let body = serde_json::json!({"type": "runCommand", "parameters": {"command": command}}).to_string();
        self.send(Method::POST, path, "application/json;charset=utf-8", &[], Bytes::from(body))
    }

    /// One MQSC command as JSON (`runCommandJSON`); the answer's body is the reply's JSON.
    ///
    /// # Errors
    /// As [`RestClient::send`].
    pub(crate) fn run_command_json(
        &self,
        queue_manager: &str,
        body: &serde_json::Value,
    ) -> Result<RestAnswer, RestError> {
        let path = format!("/ibmmq/rest/v2/admin/action/qmgr/{}/mqsc", encode(queue_manager));
        self.send(Method::POST, path, "application/json;charset=utf-8", &[], Bytes::from(body.to_string()))
    }

    /// The queue managers of the server; the answer's body is JSON.
    ///
    /// # Errors
    /// As [`RestClient::send`].
    pub(crate) fn queue_managers(&self) -> Result<RestAnswer, RestError> {
        self.send(Method::GET, "/ibmmq/rest/v2/admin/qmgr".to_owned(), "", &[], Bytes::new())
    }

    /// The definitions of a queue manager as MQSC; `query`: names and values of parameters, the latter empty for flags.
    ///
    /// # Errors
    /// As [`RestClient::send`].
    pub(crate) fn definitions(&self, queue_manager: &str, query: &[(&str, &str)]) -> Result<RestAnswer, RestError> {
        let query: Vec<String> = query.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
        let path = format!("/ibmmq/rest/v3/admin/qmgr/{}/definitions?{}", encode(queue_manager), query.join("&"));
        self.send(Method::GET, path, "", &[], Bytes::new())
    }

    /// # Errors
    /// `Refused` with the first explanation of the error body when the status is not 2xx.
    fn send(
        &self,
        method: Method,
        path: String,
        content_type: &'static str,
        headers: &[(&'static str, String)],
        body: Bytes,
    ) -> Result<RestAnswer, RestError> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, format!("{}:{}", self.host, self.port))
            .header("ibm-mq-rest-csrf-token", "quaymaster");
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        if !body.is_empty() {
            request = request.header(CONTENT_TYPE, content_type);
        }
        for (name, value) in headers {
            request = request.header(HeaderName::from_static(name), value);
        }
        let request = request.body(Full::new(body))?;
        self.runtime.block_on(self.exchange(request))
    }

    async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<RestAnswer, RestError> {
        let mut kept = self.kept.take();
        if let Some(sender) = &mut kept
            && sender.ready().await.is_err()
        {
            // The server has closed it meanwhile.
            kept = None;
        }
        let mut sender = match kept {
            Some(sender) => sender,
            None => self.connect().await?,
        };
        let (parts, body) = sender.send_request(request).await?.into_parts();
        let body = Limited::new(body, MAXIMUM_ANSWER).collect().await.map_err(RestError::Answer)?.to_bytes();
        self.kept.replace(Some(sender));
        if parts.status.is_success() {
            return Ok(RestAnswer { status: parts.status, headers: parts.headers, body });
        }
        Err(RestError::Refused { status: parts.status, explanation: explanation(&body) })
    }

    async fn connect(&self) -> Result<SendRequest<Full<Bytes>>, RestError> {
        let broken = |source| RestError::Connect { url: self.url.clone(), source };
        let host = self.host.trim_start_matches('[').trim_end_matches(']');
        let stream = TcpStream::connect((host, self.port)).await.map_err(broken)?;
        match &self.tls {
            None => handshake(TokioIo::new(stream)).await,
            Some(tls) => {
                let name =
                    ServerName::try_from(host.to_owned()).map_err(|_| RestError::Url { url: self.url.clone() })?;
                let stream = tls.connect(name, stream).await.map_err(broken)?;
                handshake(TokioIo::new(stream)).await
            }
        }
    }
}

/// A part of a path.
fn encode(name: &str) -> String {
    utf8_percent_encode(name, NON_ALPHANUMERIC).to_string()
}

/// The connection's other half is a task of the client's runtime and ends with it.
async fn handshake<S>(stream: S) -> Result<SendRequest<Full<Bytes>>, RestError>
where
    S: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
{
    let (sender, connection) = http1::handshake(stream).await?;
    tokio::spawn(connection);
    Ok(sender)
}

fn connector(authorities: Option<&Path>) -> Result<TlsConnector, RestError> {
    let anchors = match authorities {
        Some(file) => Anchors::from_file(file)?,
        None => {
            // The system's bundle may hold an old certificate that cannot be parsed; the others are still of use.
            let mut anchors = Anchors::default();
            anchors.add_parsable(files::certificates(Path::new(SYSTEM_AUTHORITIES))?);
            anchors
        }
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = anchors.server_verifier(Arc::clone(&provider), ServerNameCheck::Names)?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

/// The first error of an IBM MQ error body, else the body's first line.
fn explanation(body: &[u8]) -> String {
    let parsed: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    let first = parsed.as_ref().and_then(|body| body.get("error")?.get(0)?.get("message")?.as_str());
    match first {
        Some(message) => message.to_owned(),
        None => String::from_utf8_lossy(body).lines().next().unwrap_or("the server gave no reason").to_owned(),
    }
}
