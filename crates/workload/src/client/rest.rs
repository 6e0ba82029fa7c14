//! A client of the REST API: put, get, browse, services and administration, with Basic or an LTPA cookie, over a kept
//! connection or new ones.
//!
//! A request is never repeated by itself: whether one whose answer was lost took effect is for the ledger to find out.
//! After a failure the next request makes a new connection.
//!
//! Whoever awaits replies on a queue of its own gets them by the identifier that the put was answered with.
//!
//! Source: `POST`, `DELETE` and `GET` of `/messaging/qmgr/QMGR/queue/QUEUE/message`, `/login`, messaging REST API v2; "Using the
//! ibm-mq-rest-csrf-token header", IBM MQ 9.0.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HOST, SET_COOKIE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full};

use crate::client::ClientError;
use crate::client::habits::Habits;
use crate::client::target::{Sender, Target};
use crate::plan::{Connection, Csrf};

const CSRF_TOKEN: HeaderName = HeaderName::from_static("ibm-mq-rest-csrf-token");
const CORRELATION_ID: HeaderName = HeaderName::from_static("ibm-mq-md-correlationid");
const PERSISTENCE: HeaderName = HeaderName::from_static("ibm-mq-md-persistence");
const MESSAGE_ID: HeaderName = HeaderName::from_static("ibm-mq-md-messageid");
const REPLY_TO: HeaderName = HeaderName::from_static("ibm-mq-md-replyto");
const CSRF_COOKIE: &str = "csrfToken";
const LOGIN: &str = "/ibmmq/rest/v2/login";
/// The login whose answers also hand out the token of the older CSRF rule.
const LOGIN_WITH_TOKEN: &str = "/ibmmq/rest/v1/login";
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain;charset=utf-8");
/// Most of an error body that is kept.
const ERROR_TEXT_BYTES: usize = 400;

/// How a client says who it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credentials {
    /// Says nothing.
    None,
    /// HTTP Basic on every request.
    Basic { user: String, password: String },
    /// One login, then its cookie on every request.
    Ltpa { user: String, password: String },
}

/// Everything a client of one queue needs to know.
#[derive(Clone)]
pub struct RestOptions {
    pub target: Target,
    pub credentials: Credentials,
    pub queue_manager: String,
    pub queue: String,
    /// Requests go to `queue`, replies come from here; `None` when the same queue is put to and got from.
    pub reply_queue: Option<String>,
    /// `persistent` or not, on every put.
    pub persistent: bool,
    /// Longest wait for an answer; a get's own wait is added.
    pub answer_limit: Duration,
}

/// A message as it was got or browsed.
#[derive(Debug, Clone)]
pub struct Received {
    pub body: Bytes,
    pub message_id: Option<HeaderValue>,
    pub correlation_id: Option<HeaderValue>,
    pub persistent: bool,
}

/// A client of one queue over one connection at a time.
pub struct RestClient {
    options: RestOptions,
    habits: Habits,
    connection: Option<Sender>,
    cookie: Option<HeaderValue>,
    /// What the CSRF header has to repeat, on servers that want it.
    csrf_token: Option<String>,
    /// Bytes of all answers' bodies.
    received: u64,
    /// Where messages are put.
    message: Uri,
    /// Where messages are got from: the same, unless there is a reply queue.
    replies: Uri,
    /// Message identifier of the request whose reply is to be got next.
    awaited: Option<HeaderValue>,
    /// Prepared once per login: cloning shares the values.
    put_headers: HeaderMap,
    get_headers: HeaderMap,
}

impl RestClient {
    /// # Errors
    /// A queue or queue manager name that cannot be in a path.
    pub fn new(options: RestOptions) -> Result<Self, ClientError> {
        Self::with(options, Habits::default())
    }

    /// # Errors
    /// As `new`.
    pub fn with(options: RestOptions, habits: Habits) -> Result<Self, ClientError> {
        let message = message_path(&options.queue_manager, &options.queue)?;
        let replies = match &options.reply_queue {
            Some(queue) => message_path(&options.queue_manager, queue)?,
            None => message.clone(),
        };
        let mut client = Self {
            options,
            habits,
            connection: None,
            cookie: None,
            csrf_token: None,
            received: 0,
            message,
            replies,
            awaited: None,
            put_headers: HeaderMap::new(),
            get_headers: HeaderMap::new(),
        };
        client.prepare_headers()?;
        Ok(client)
    }

    /// Forgets what does not outlast a transaction: the next request makes it anew.
    pub fn begin_transaction(&mut self) {
        if self.habits.connection == Connection::Transaction {
            self.connection = None;
        }
        if self.habits.login_every {
            self.cookie = None;
            self.csrf_token = None;
        }
    }

    /// Bytes of all answers' bodies so far.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Connects and logs in, if that is still to do.
    pub async fn ready(&mut self) -> Result<(), ClientError> {
        if self.cookie.is_none() && matches!(self.options.credentials, Credentials::Ltpa { .. }) {
            self.login().await?;
        }
        if self.habits.csrf == Csrf::Once && self.csrf_token.is_none() {
            self.fetch_csrf_token().await?;
        }
        self.connect().await
    }

    async fn connect(&mut self) -> Result<(), ClientError> {
        if self.connection.as_ref().is_none_or(Sender::is_closed) {
            self.connection = Some(self.options.target.connect().await?);
        }
        Ok(())
    }

    /// Puts one message; its message identifier as the server answered it.
    pub async fn put(
        &mut self,
        body: Bytes,
        correlation_id: Option<HeaderValue>,
    ) -> Result<Option<HeaderValue>, ClientError> {
        self.ready().await?;
        let mut headers = self.put_headers.clone();
        if let Some(id) = correlation_id {
            headers.insert(CORRELATION_ID, id);
        }
        let request = assemble(Method::POST, self.message.clone(), headers, body);
        let response = self.exchange(request, self.options.answer_limit).await?;
        if response.status() != StatusCode::CREATED {
            return Err(self.refused(&response));
        }
        let id = response.headers().get(MESSAGE_ID).cloned();
        if self.options.reply_queue.is_some() {
            self.awaited.clone_from(&id);
        }
        Ok(id)
    }

    pub fn awaits_replies(&self) -> bool {
        self.options.reply_queue.is_some()
    }

    /// Identifier by which the reply to the message put last is got.
    pub fn awaited(&self) -> Option<&str> {
        self.awaited.as_ref()?.to_str().ok()
    }

    /// Sends a request to a service; `None` when it has no reply.
    pub async fn invoke(
        &mut self,
        path: &Uri,
        content_type: HeaderValue,
        body: Bytes,
    ) -> Result<Option<Bytes>, ClientError> {
        self.ready().await?;
        let mut headers = self.get_headers.clone();
        headers.insert(CONTENT_TYPE, content_type);
        let request = assemble(Method::POST, path.clone(), headers, body);
        let response = self.exchange(request, self.options.answer_limit).await?;
        match response.status() {
            StatusCode::NO_CONTENT => Ok(None),
            StatusCode::OK => Ok(Some(response.into_body())),
            _ => Err(self.refused(&response)),
        }
    }

    /// Takes the next message, or the next with this correlation identifier; `None` when there is none.
    pub async fn get(
        &mut self,
        correlation_id: Option<&str>,
        wait: Option<Duration>,
    ) -> Result<Option<Received>, ClientError> {
        self.take_or_look(Method::DELETE, correlation_id, wait).await
    }

    /// Looks at the next message, or the next with this correlation identifier, and leaves it there.
    pub async fn browse(&mut self, correlation_id: Option<&str>) -> Result<Option<Received>, ClientError> {
        self.take_or_look(Method::GET, correlation_id, None).await
    }

    /// Takes back the message that was put with this correlation identifier, from where it was put.
    pub async fn take_back(&mut self, correlation_id: &str) -> Result<Option<Received>, ClientError> {
        self.ready().await?;
        let path = selected(&self.message, Some(correlation_id), None)?;
        self.look(Method::DELETE, path, self.options.answer_limit).await
    }

    /// Any request on any path, with the client's credentials: what a plain web server is measured with.
    pub async fn request(&mut self, method: Method, path: &Uri, body: Bytes) -> Result<Response<Bytes>, ClientError> {
        self.ready().await?;
        let headers = if method == Method::POST { self.put_headers.clone() } else { self.get_headers.clone() };
        let response = self.exchange(assemble(method, path.clone(), headers, body), self.options.answer_limit).await?;
        if response.status().is_success() { Ok(response) } else { Err(self.refused(&response)) }
    }

    /// Gets an administrative resource.
    pub async fn inquire(&mut self, path: &Uri) -> Result<Bytes, ClientError> {
        self.ready().await?;
        let request = assemble(Method::GET, path.clone(), self.get_headers.clone(), Bytes::new());
        let response = self.exchange(request, self.options.answer_limit).await?;
        if response.status().is_success() { Ok(response.into_body()) } else { Err(self.refused(&response)) }
    }

    /// Changes an administrative resource; where the habits say so, after the login `GET` that hands out the token.
    pub async fn patch(&mut self, path: &Uri, body: Bytes) -> Result<(), ClientError> {
        self.ready().await?;
        if self.habits.csrf == Csrf::Every {
            self.fetch_csrf_token().await?;
        }
        self.change(Method::PATCH, path, body).await
    }

    /// Posts JSON to an administrative resource.
    pub async fn post(&mut self, path: &Uri, body: Bytes) -> Result<(), ClientError> {
        self.ready().await?;
        self.change(Method::POST, path, body).await
    }

    async fn change(&mut self, method: Method, path: &Uri, body: Bytes) -> Result<(), ClientError> {
        let mut headers = self.get_headers.clone();
        headers.insert(CONTENT_TYPE, JSON);
        let response = self.exchange(assemble(method, path.clone(), headers, body), self.options.answer_limit).await?;
        if response.status().is_success() { Ok(()) } else { Err(self.refused(&response)) }
    }

    /// `GET /login` of v1 sets the cookie whose value the header has to repeat.
    async fn fetch_csrf_token(&mut self) -> Result<(), ClientError> {
        let path = Uri::from_static(LOGIN_WITH_TOKEN);
        let request = assemble(Method::GET, path, self.get_headers.clone(), Bytes::new());
        let response = self.exchange(request, self.options.answer_limit).await?;
        if !response.status().is_success() {
            return Err(self.refused(&response));
        }
        self.csrf_token = Some(csrf_token(response.headers()).ok_or(ClientError::NoCookie)?);
        self.prepare_headers()
    }

    /// Any request with any content, and its answer.
    pub async fn send(
        &mut self,
        method: Method,
        path: &Uri,
        content_type: HeaderValue,
        body: Bytes,
    ) -> Result<Response<Bytes>, ClientError> {
        self.ready().await?;
        let mut headers = self.get_headers.clone();
        headers.insert(CONTENT_TYPE, content_type);
        self.exchange(assemble(method, path.clone(), headers, body), self.options.answer_limit).await
    }

    async fn take_or_look(
        &mut self,
        method: Method,
        correlation_id: Option<&str>,
        wait: Option<Duration>,
    ) -> Result<Option<Received>, ClientError> {
        self.ready().await?;
        let path = selected(&self.replies, correlation_id, wait)?;
        self.look(method, path, self.options.answer_limit + wait.unwrap_or_default()).await
    }

    async fn look(&mut self, method: Method, path: Uri, limit: Duration) -> Result<Option<Received>, ClientError> {
        let request = assemble(method, path, self.get_headers.clone(), Bytes::new());
        let response = self.exchange(request, limit).await?;
        match response.status() {
            StatusCode::NO_CONTENT => Ok(None),
            StatusCode::OK => Ok(Some(received(response))),
            _ => Err(self.refused(&response)),
        }
    }

    async fn login(&mut self) -> Result<(), ClientError> {
        let Credentials::Ltpa { user, password } = &self.options.credentials else { return Ok(()) };
        let body = serde_json::json!({ "username": user, "password": password }).to_string();
        let mut headers = HeaderMap::new();
        headers.insert(HOST, self.options.target.host.clone());
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let with_token = self.habits.csrf != Csrf::Header;
        let path = Uri::from_static(if with_token { LOGIN_WITH_TOKEN } else { LOGIN });
        let request = assemble(Method::POST, path, headers, Bytes::from(body));
        let response = self.exchange(request, self.options.answer_limit).await?;
        if !response.status().is_success() {
            return Err(self.refused(&response));
        }
        self.cookie = Some(ltpa_cookie(response.headers()).ok_or(ClientError::NoCookie)?);
        self.csrf_token = csrf_token(response.headers()).filter(|_| with_token);
        self.prepare_headers()
    }

    fn prepare_headers(&mut self) -> Result<(), ClientError> {
        let mut get = HeaderMap::new();
        get.insert(HOST, self.options.target.host.clone());
        let header_value =
            |text: &str| HeaderValue::from_str(text).map_err(|error| ClientError::Target(error.to_string()));
        get.insert(CSRF_TOKEN, header_value(self.csrf_token.as_deref().unwrap_or_default())?);
        if let Credentials::Basic { user, password } = &self.options.credentials {
            let value = format!("Basic {}", STANDARD.encode(format!("{user}:{password}")));
            get.insert(AUTHORIZATION, header_value(&value)?);
        }
        let token = self.csrf_token.as_ref().map(|token| format!("{CSRF_COOKIE}={token}"));
        match (&self.cookie, token) {
            (Some(cookie), None) => drop(get.insert(COOKIE, cookie.clone())),
            (Some(cookie), Some(token)) => {
                let cookie = cookie.to_str().map_err(|error| ClientError::Target(error.to_string()))?;
                get.insert(COOKIE, header_value(&format!("{cookie}; {token}"))?);
            }
            (None, Some(token)) => drop(get.insert(COOKIE, header_value(&token)?)),
            (None, None) => {}
        }
        let mut put = get.clone();
        put.insert(CONTENT_TYPE, TEXT);
        let persistence = if self.options.persistent { "persistent" } else { "nonPersistent" };
        put.insert(PERSISTENCE, HeaderValue::from_static(persistence));
        if let Some(queue) = &self.options.reply_queue {
            put.insert(REPLY_TO, header_value(queue)?);
        }
        self.get_headers = get;
        self.put_headers = put;
        Ok(())
    }

    /// Sends one request and reads the whole answer, on a new connection if there is none. On failure it is given up.
    async fn exchange(
        &mut self,
        request: Request<Full<Bytes>>,
        limit: Duration,
    ) -> Result<Response<Bytes>, ClientError> {
        self.connect().await?;
        let Some(mut connection) = self.connection.take() else { return Err(ClientError::NotConnected) };
        let answer = tokio::time::timeout(limit, async {
            let (parts, body) = connection.send_request(request).await?.into_parts();
            let body = body.collect().await?.to_bytes();
            Ok(Response::from_parts(parts, body))
        });
        match answer.await {
            Ok(Ok(response)) => {
                self.received += response.body().len() as u64;
                // Ready again at once, unless the server closes.
                if self.habits.connection != Connection::New && connection.ready().await.is_ok() {
                    self.connection = Some(connection);
                }
                Ok(response)
            }
            Ok(Err(error)) => Err(ClientError::Unanswered(error)),
            Err(_) => Err(ClientError::TimedOut { seconds: limit.as_secs() }),
        }
    }

    /// Turns an answer into an error; an expired cookie is forgotten so that the next request logs in again.
    fn refused(&mut self, response: &Response<Bytes>) -> ClientError {
        if response.status() == StatusCode::UNAUTHORIZED {
            self.cookie = None;
        }
        if response.status() == StatusCode::FORBIDDEN {
            self.csrf_token = None;
        }
        let shown = &response.body()[..response.body().len().min(ERROR_TEXT_BYTES)];
        ClientError::Refused { status: response.status().as_u16(), text: String::from_utf8_lossy(shown).into_owned() }
    }
}

fn assemble(method: Method, path: Uri, headers: HeaderMap, body: Bytes) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = method;
    *request.uri_mut() = path;
    *request.headers_mut() = headers;
    request
}

fn received(response: Response<Bytes>) -> Received {
    let (mut parts, body) = response.into_parts();
    let persistent = parts.headers.get(PERSISTENCE).is_some_and(|value| value == "persistent");
    Received {
        body,
        message_id: parts.headers.remove(MESSAGE_ID),
        correlation_id: parts.headers.remove(CORRELATION_ID),
        persistent,
    }
}

fn message_path(queue_manager: &str, queue: &str) -> Result<Uri, ClientError> {
    let (queue_manager, queue) = (path_part(queue_manager), path_part(queue));
    parse_path(&format!("/ibmmq/rest/v2/messaging/qmgr/{queue_manager}/queue/{queue}/message"))
}

/// The message resource with `correlationId` and `wait` (in milliseconds).
fn selected(message: &Uri, correlation_id: Option<&str>, wait: Option<Duration>) -> Result<Uri, ClientError> {
    if correlation_id.is_none() && wait.is_none() {
        return Ok(message.clone());
    }
    let mut path = String::with_capacity(message.path().len() + 96);
    path.push_str(message.path());
    let mut separator = '?';
    if let Some(id) = correlation_id {
        path.push_str("?correlationId=");
        path.push_str(id);
        separator = '&';
    }
    if let Some(wait) = wait {
        path.push(separator);
        path.push_str("wait=");
        path.push_str(&wait.as_millis().to_string());
    }
    parse_path(&path)
}

fn parse_path(path: &str) -> Result<Uri, ClientError> {
    Uri::try_from(path).map_err(|_| ClientError::Target(format!("'{path}' is not a path")))
}

/// Percent-encodes what may be in an MQ name but not plainly in a part of a path.
fn path_part(name: &str) -> String {
    name.replace('%', "%25").replace('/', "%2F")
}

/// `NAME=VALUE` of the first cookie whose name begins as LTPA cookies do.
fn ltpa_cookie(headers: &HeaderMap) -> Option<HeaderValue> {
    headers.get_all(SET_COOKIE).iter().find_map(|value| {
        let pair = value.to_str().ok()?.split(';').next()?.trim();
        pair.starts_with("LtpaToken2").then(|| HeaderValue::from_str(pair).ok())?
    })
}

/// The value of the cookie of the older CSRF rule.
fn csrf_token(headers: &HeaderMap) -> Option<String> {
    headers.get_all(SET_COOKIE).iter().find_map(|value| {
        let (name, value) = value.to_str().ok()?.split(';').next()?.trim().split_once('=')?;
        (name == CSRF_COOKIE && !value.is_empty()).then(|| value.to_owned())
    })
}
