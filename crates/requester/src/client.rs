//! HTTP to APIs and authorization servers: connections that are kept, one request at a time on each.
//!
//! A connection stays on the thread that made it (`pool.rs`), and the task that waits for an answer drives it: no other task and no
//! wake-up of another thread lies between a call and its answer.
//!
//! A request is sent a second time only when the first went over a kept connection and either it had not been handed to the
//! connection at all, or its method has no effect when repeated and no answer had come that could be understood. Both attempts
//! together take no longer than one of them may.

mod connect;
mod connection;
mod networks;
mod pool;
mod site;
mod stream;
mod tls;
mod tunnel;

pub use networks::{Networks, NotANetwork};
pub(crate) use site::{ProxyTarget, Scheme, Site, SiteError, SiteOptions, basic, split_url};
pub(crate) use tls::config as tls_config;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri};
use http_body_util::Full;
use telemetry::Kind;
use tokio::time::Instant;

use self::connection::{Broken, Connection, Wanted};

/// A request to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Outbound {
    pub(crate) method: Method,
    /// Path and query.
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Inbound {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// Nothing of the answer is left on the connection.
    is_whole: bool,
}

impl Inbound {
    /// An answer that was recorded.
    pub(crate) fn of_recording(status: StatusCode, headers: HeaderMap, body: Bytes) -> Self {
        Self { status, headers, body, is_whole: true }
    }
}

/// Why nothing came back.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    #[error("{0}")]
    Unreachable(String),
    #[error("no connection within {} seconds", .0.as_secs_f64())]
    ConnectTimeout(Duration),
    #[error("no answer within {} seconds", .0.as_secs_f64())]
    ReceiveTimeout(Duration),
    #[error("{0}")]
    Broken(String),
    #[error("the answer has more than {0} bytes")]
    TooLong(usize),
    /// What was put together is no request.
    #[error("{0}")]
    Request(String),
}

pub(crate) type TlsConfig = Arc<rustls::ClientConfig>;

/// Sends a request and receives its answer whole, of `limit` bytes at most.
///
/// # Errors
/// There is no connection, no answer in time, or none that can be understood.
pub(crate) async fn send(site: &Arc<Site>, outbound: Outbound, limit: usize) -> Result<Inbound, ClientError> {
    send_for(site, outbound, Wanted::Whole(limit)).await
}

/// Sends a request and receives the head of its answer. What there is of the body is dropped.
///
/// # Errors
/// There is no connection, no answer in time, or none that can be understood.
pub(crate) async fn send_for_status(site: &Arc<Site>, outbound: Outbound) -> Result<Inbound, ClientError> {
    send_for(site, outbound, Wanted::Head).await
}

/// As a span of the trace that it is part of, which the headers tell the other end.
async fn send_for(site: &Arc<Site>, mut outbound: Outbound, wanted: Wanted) -> Result<Inbound, ClientError> {
    let Some(place) = telemetry::current() else { return attempt(site, outbound, wanted).await };
    let method = telemetry::method(outbound.method.as_str());
    let mut span = place.begin(Kind::Client, method);
    span.text("http.request.method", method);
    span.text("server.address", &site.host);
    span.number("server.port", site.port);
    for (name, value) in span.context().carried() {
        if let Ok(value) = HeaderValue::try_from(value) {
            outbound.headers.insert(name, value);
        }
    }
    let answered = attempt(site, outbound, wanted).await;
    match &answered {
        Ok(inbound) => {
            span.number("http.response.status_code", inbound.status.as_u16());
            if inbound.status.as_u16() >= 400 {
                span.failed(&inbound.status.to_string());
            }
        }
        Err(error) => span.failed(&error.to_string()),
    }
    answered
}

async fn attempt(site: &Arc<Site>, outbound: Outbound, wanted: Wanted) -> Result<Inbound, ClientError> {
    let end = Instant::now() + site.connection_timeout + site.receive_timeout;
    let repeatable = outbound.method.is_idempotent();
    let mut request = request(site, outbound)?;
    if let Some(connection) = pool::take(site) {
        let spare = repeatable.then(|| request.clone());
        match exchange(site, connection, request, wanted, end).await? {
            Ok(inbound) => return Ok(inbound),
            Err(broken) => {
                let again = broken.request.or_else(|| spare.filter(|_| !broken.has_begun));
                request = again.ok_or(ClientError::Broken(broken.problem))?;
            }
        }
    }
    let connection = connect::connect(site, end).await?;
    match exchange(site, connection, request, wanted, end).await? {
        Ok(inbound) => Ok(inbound),
        Err(broken) => Err(ClientError::Broken(broken.problem)),
    }
}

/// The outer error ends the call, the inner one may be tried again.
async fn exchange(
    site: &Arc<Site>,
    mut connection: Box<Connection>,
    request: Request<Full<Bytes>>,
    wanted: Wanted,
    end: Instant,
) -> Result<Result<Inbound, Box<Broken>>, ClientError> {
    let within = site.receive_timeout;
    let answered =
        tokio::time::timeout_at(end.min(Instant::now() + within), connection.exchange(request, wanted)).await;
    match answered.map_err(|_| ClientError::ReceiveTimeout(within))? {
        Ok(inbound) => {
            if inbound.is_whole {
                pool::give_back(site, connection, &inbound.headers);
            }
            Ok(Ok(inbound))
        }
        Err(broken) => match broken.too_long {
            Some(limit) => Err(ClientError::TooLong(limit)),
            None => Ok(Err(broken)),
        },
    }
}

fn request(site: &Site, outbound: Outbound) -> Result<Request<Full<Bytes>>, ClientError> {
    let target = match &site.absolute_form {
        Some(origin) => format!("{origin}{}", outbound.target),
        None => outbound.target,
    };
    let uri = Uri::try_from(target).map_err(|error| ClientError::Request(error.to_string()))?;
    let lacks_body = outbound.body.is_empty() && has_body(&outbound.method);
    let mut request = Request::new(Full::new(outbound.body));
    *request.method_mut() = outbound.method;
    *request.uri_mut() = uri;
    *request.headers_mut() = outbound.headers;
    let headers = request.headers_mut();
    headers.insert(http::header::HOST, site.host_header.clone());
    // hyper states the length of a body alone, and many servers refuse a request of these methods without one (411).
    if lacks_body {
        headers.insert(http::header::CONTENT_LENGTH, HeaderValue::from_static("0"));
    }
    if let (Some(_), Some(authorization)) = (&site.absolute_form, &site.proxy_authorization) {
        headers.insert(http::header::PROXY_AUTHORIZATION, authorization.clone());
    }
    Ok(request)
}

/// Whether a body means something to a method: its length is stated even when there is none (RFC 9110, 8.6).
fn has_body(method: &Method) -> bool {
    matches!(*method, Method::POST | Method::PUT | Method::PATCH)
}
