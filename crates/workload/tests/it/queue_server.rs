//! A few hundred lines short of a queue manager: queues behind the messaging paths, with faults on demand.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// What the server does wrong: on every n-th request of its kind.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Faults {
    /// Answer a put that was not kept.
    pub(crate) forget_put: u32,
    /// Answer a get with a message that stays on the queue.
    pub(crate) keep_got: u32,
    /// Carry a request out and hang up instead of answering.
    pub(crate) hang_up: u32,
    /// From the n-th request on hang up on everybody.
    pub(crate) hang_up_for_good: u32,
    /// From the n-th request on answer nobody.
    pub(crate) stall_for_good: u32,
    /// Change a byte of a body.
    pub(crate) damage: u32,
    /// Answer requests by replies that come too late for whoever waits for them, and only to half of them.
    pub(crate) late_replies: bool,
    /// Answer gets with a message that was not asked for, where there is one.
    pub(crate) ignore_selector: bool,
    /// Answer every request of the service with the reply to the first.
    pub(crate) first_reply: bool,
    /// Refuse whoever logs in after so many.
    pub(crate) most_logins: u32,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) faults: Faults,
    queue: Mutex<VecDeque<Message>>,
    count: AtomicU32,
    pub(crate) logins: AtomicU32,
    pub(crate) connections: AtomicU32,
    pub(crate) basic_requests: AtomicU32,
    /// Logins that handed out the token of the older CSRF rule by `GET`.
    pub(crate) token_logins: AtomicU32,
    /// Bodies of administrative changes.
    pub(crate) patches: Mutex<Vec<Bytes>>,
    /// What the service was asked first.
    first_request: OnceLock<Bytes>,
}

struct Message {
    queue: String,
    correlation_id: String,
    body: Bytes,
}

pub(crate) struct QueueServer {
    pub(crate) address: SocketAddr,
    pub(crate) state: Arc<State>,
    _runtime: tokio::runtime::Runtime,
}

impl QueueServer {
    pub(crate) fn start(faults: Faults, tls: Option<Arc<rustls::ServerConfig>>) -> Self {
        let state = Arc::new(State { faults, ..State::default() });
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(accept(listener, Arc::clone(&state), tls));
        Self { address, state, _runtime: runtime }
    }

    pub(crate) fn depth(&self) -> usize {
        self.state.queue.lock().unwrap().len()
    }
}

async fn accept(listener: TcpListener, state: Arc<State>, tls: Option<Arc<rustls::ServerConfig>>) {
    while let Ok((socket, _)) = listener.accept().await {
        state.connections.fetch_add(1, Ordering::Relaxed);
        let (state, tls) = (Arc::clone(&state), tls.clone());
        tokio::spawn(async move {
            match tls {
                None => serve(TokioIo::new(socket), state).await,
                Some(config) => {
                    if let Ok(socket) = tokio_rustls::TlsAcceptor::from(config).accept(socket).await {
                        serve(TokioIo::new(socket), state).await;
                    }
                }
            }
        });
    }
}

async fn serve<IO>(io: IO, state: Arc<State>)
where
    IO: hyper::rt::Read + hyper::rt::Write + Unpin + 'static,
{
    let service = service_fn(move |request| answer(request, Arc::clone(&state)));
    // Ends with an error when a fault hangs up.
    let _ = hyper::server::conn::http1::Builder::new().serve_connection(io, service).await;
}

async fn answer(request: Request<Incoming>, state: Arc<State>) -> Result<Response<Full<Bytes>>, HungUp> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map_err(|_| HungUp)?.to_bytes();
    if parts.uri.path().ends_with("/login") && parts.method == Method::POST {
        return Ok(login(&state, &body));
    }
    if !authenticated(&state, &parts.headers) {
        return Ok(plain(StatusCode::UNAUTHORIZED));
    }
    if parts.uri.path().ends_with("/login") {
        state.token_logins.fetch_add(1, Ordering::Relaxed);
        return Ok(with_token(plain(StatusCode::OK)));
    }
    if parts.uri.path().contains("/admin/") {
        return Ok(administer(&state, &parts, body));
    }
    if parts.uri.path() == "/echo" {
        let first = state.first_request.get_or_init(|| body.clone());
        return Ok(Response::new(Full::new(if state.faults.first_reply { first.clone() } else { body })));
    }
    let number = state.count.fetch_add(1, Ordering::Relaxed) + 1;
    if state.faults.hang_up_for_good > 0 && number >= state.faults.hang_up_for_good {
        return Err(HungUp);
    }
    let due = |every: u32| every > 0 && number.is_multiple_of(every);
    if state.faults.stall_for_good > 0 && number >= state.faults.stall_for_good {
        std::future::pending::<()>().await;
    }
    let wanted = parts.uri.query().and_then(|query| query.split('&').find_map(|p| p.strip_prefix("correlationId=")));
    let queue = parts.uri.path().split('/').rev().nth(1).unwrap_or_default();
    let waits = parts.uri.query().is_some_and(|query| query.contains("wait="));
    let response = match parts.method {
        Method::POST => {
            let id = parts.headers.get("ibm-mq-md-correlationid").map_or("", |id| id.to_str().unwrap()).to_owned();
            let message_id = format!("{number:048x}");
            let mut message = Message { queue: queue.to_owned(), correlation_id: id, body };
            if state.faults.late_replies && number % 4 == 1 {
                message.queue = parts.headers["ibm-mq-md-replyto"].to_str().unwrap().to_owned();
                message.correlation_id.clone_from(&message_id);
            }
            if !due(state.faults.forget_put) {
                state.queue.lock().unwrap().push_back(message);
            }
            let mut response = plain(StatusCode::CREATED);
            response.headers_mut().insert("ibm-mq-md-messageid", HeaderValue::from_str(&message_id).unwrap());
            response
        }
        Method::DELETE if state.faults.late_replies && waits => plain(StatusCode::NO_CONTENT),
        Method::DELETE => take(&state, (queue, wanted), !due(state.faults.keep_got), due(state.faults.damage)),
        _ => take(&state, (queue, wanted), false, false),
    };
    if due(state.faults.hang_up) { Err(HungUp) } else { Ok(response) }
}

#[derive(Debug)]
struct HungUp;
impl std::fmt::Display for HungUp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("hung up")
    }
}
impl std::error::Error for HungUp {}
impl From<Infallible> for HungUp {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// `GET` and `POST` answer with a kilobyte; `PATCH` is for those who repeat the token.
fn administer(state: &State, parts: &http::request::Parts, body: Bytes) -> Response<Full<Bytes>> {
    if parts.method != Method::PATCH {
        return Response::new(Full::new(Bytes::from(vec![b'x'; 1000])));
    }
    let cookies = parts.headers.get("cookie").map_or("", |value| value.to_str().unwrap());
    let header = parts.headers.get("ibm-mq-rest-csrf-token").map_or("", |value| value.to_str().unwrap());
    if header != TOKEN || !cookies.contains(&format!("csrfToken={TOKEN}")) {
        return plain(StatusCode::FORBIDDEN);
    }
    state.patches.lock().unwrap().push(body);
    plain(StatusCode::NO_CONTENT)
}

const TOKEN: &str = "token-of-tests";

fn with_token(mut response: Response<Full<Bytes>>) -> Response<Full<Bytes>> {
    let cookie = HeaderValue::from_str(&format!("csrfToken={TOKEN}; Path=/; SameSite=Strict")).unwrap();
    response.headers_mut().append("set-cookie", cookie);
    response
}

fn login(state: &State, body: &[u8]) -> Response<Full<Bytes>> {
    let body: serde_json::Value = serde_json::from_slice(body).unwrap();
    if body["username"] != "app" || body["password"] != "secret" {
        return plain(StatusCode::UNAUTHORIZED);
    }
    let logins = state.logins.fetch_add(1, Ordering::Relaxed);
    if state.faults.most_logins > 0 && logins >= state.faults.most_logins {
        return plain(StatusCode::UNAUTHORIZED);
    }
    let mut response = plain(StatusCode::NO_CONTENT);
    let cookie = HeaderValue::from_static("LtpaToken2_1=abc=; Path=/; HttpOnly");
    response.headers_mut().insert("set-cookie", cookie);
    with_token(response)
}

fn authenticated(state: &State, headers: &http::HeaderMap) -> bool {
    let is = |name: &str, value: &str| headers.get(name).is_some_and(|found| found == value);
    if is("authorization", "Basic YXBwOnNlY3JldA==") {
        state.basic_requests.fetch_add(1, Ordering::Relaxed);
        return true;
    }
    headers.get("cookie").is_some_and(|cookies| cookies.to_str().unwrap().starts_with("LtpaToken2_1=abc="))
}

fn take(state: &State, (name, wanted): (&str, Option<&str>), remove: bool, damage: bool) -> Response<Full<Bytes>> {
    let mut queue = state.queue.lock().unwrap();
    let is_it =
        |message: &Message| message.queue == name && wanted.is_none_or(|wanted| message.correlation_id == wanted);
    let is_another = |message: &Message| message.queue == name && !is_it(message);
    let another = queue.iter().position(is_another).filter(|_| state.faults.ignore_selector);
    let Some(at) = another.or_else(|| queue.iter().position(is_it)) else { return plain(StatusCode::NO_CONTENT) };
    let (id, mut body) = (queue[at].correlation_id.clone(), queue[at].body.clone());
    if remove {
        queue.remove(at);
    }
    if damage {
        let mut changed = body.to_vec();
        *changed.last_mut().unwrap() ^= 1;
        body = changed.into();
    }
    let mut response = Response::new(Full::new(body));
    response.headers_mut().insert("ibm-mq-md-correlationid", HeaderValue::from_str(&id).unwrap());
    response
}

fn plain(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::new()));
    *response.status_mut() = status;
    response
}
