//! The remote API of the report: `POST /APIrequesterPerformanceRemoteAPI/apirRemote/varyRespPayload` answers with as many
//! entries as the request asks for, and `/ibm/api/docs` describes it, so that its Swagger document need not be copied by hand.
//!
//! One thread, plain HTTP/1.1 with kept connections: its callers are measured, so it must cost little itself.
//! Whatever asks for too much or is no such request is refused with a status and a JSON object.
//!
//! Source: "z/OS Connect Enterprise Edition V3.0, Performance Summary using the API Requester", 4, 7 and 8 (June 2018).

mod arguments;
mod document;
mod payload;

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, ALLOW, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::LocalSet;

pub use self::arguments::ProviderArguments;
use self::document::Document;
use self::payload::Answers;
use crate::error::WorkloadError;

/// Where the API is.
pub const API_PATH: &str = "/APIrequesterPerformanceRemoteAPI/apirRemote/varyRespPayload";
/// Bytes of entries that one of `count_out` asks for.
pub const RESPONSE_STEP: usize = (payload::ENTRIES_OF_ONE * payload::ENTRY_BYTES) as usize;
/// Bytes that `recv_size` of an answer counts for one of `count_in`.
pub const REQUEST_STEP: u64 = payload::BYTES_OF_ONE as u64;
/// Bytes of an entry.
pub const ENTRY_BYTES: usize = payload::ENTRY_BYTES as usize;
const DOCS_PATH: &str = "/ibm/api/docs";
/// Longest body of a request that is read.
const LONGEST_REQUEST: usize = 64 << 10;
/// Pause after a connection could not be accepted, most likely for lack of file descriptors.
const PAUSE_AFTER_ERROR: Duration = Duration::from_millis(20);
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const YAML: HeaderValue = HeaderValue::from_static("application/yaml");

/// What the provider does.
#[derive(Debug, Clone)]
pub struct ProviderPlan {
    /// Port 0 is any.
    pub listen: SocketAddr,
    /// Most entries of an answer, each of 32 bytes; the Swagger document says the same.
    pub most_entries: u32,
    /// Pause before each answer.
    pub delay: Duration,
}

/// What was answered.
#[derive(Debug, Default)]
pub struct Counts {
    pub answered: AtomicU64,
    pub refused: AtomicU64,
}

/// Serves until `stop` is true. `ready` is called once, with the address that is listened on.
///
/// # Errors
/// The address cannot be listened on.
pub async fn provide(
    plan: ProviderPlan,
    counts: Arc<Counts>,
    mut stop: watch::Receiver<bool>,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), WorkloadError> {
    let failed = |source| WorkloadError::Listen { address: plan.listen, source };
    let listener = TcpListener::bind(plan.listen).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let provider = Rc::new(Provider::new(&plan, counts));
    let accept = async {
        ready(address);
        loop {
            match accepted(&listener).await {
                Ok(socket) => drop(tokio::task::spawn_local(Rc::clone(&provider).serve(socket))),
                Err(error) => {
                    eprintln!("provider: {error}");
                    tokio::time::sleep(PAUSE_AFTER_ERROR).await;
                }
            }
        }
    };
    // Connections end with the set of their tasks.
    let connections = LocalSet::new();
    tokio::select! {
        () = connections.run_until(accept) => {}
        // Also when nobody can tell any more.
        _ = stop.wait_for(|stop| *stop) => {}
    }
    Ok(())
}

async fn accepted(listener: &TcpListener) -> io::Result<TcpStream> {
    let (socket, _) = listener.accept().await?;
    // A socket whose peer has gone already shows that when it is read.
    let _ = socket.set_nodelay(true);
    Ok(socket)
}

struct Provider {
    counts: Arc<Counts>,
    answers: Answers,
    document: Document,
    delay: Duration,
}

type Answer = Response<Full<Bytes>>;

impl Provider {
    fn new(plan: &ProviderPlan, counts: Arc<Counts>) -> Self {
        Self {
            counts,
            answers: Answers::new(plan.most_entries),
            document: Document::new(plan.most_entries),
            delay: plan.delay,
        }
    }

    async fn serve(self: Rc<Self>, socket: TcpStream) {
        let service = service_fn(move |request| {
            let provider = Rc::clone(&self);
            async move { Ok::<_, Infallible>(provider.answer(request).await) }
        });
        // A client that hangs up in the middle is no matter of ours.
        let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(socket), service).await;
    }

    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let (parts, body) = request.into_parts();
        let answer = match (parts.uri.path(), &parts.method) {
            (API_PATH, &Method::POST) => match Limited::new(body, LONGEST_REQUEST).collect().await {
                Ok(body) => self.vary(&parts.headers, &body.to_bytes()),
                Err(_) => refused(StatusCode::PAYLOAD_TOO_LARGE, "the request is too long or did not come whole"),
            },
            (DOCS_PATH, &Method::GET) => self.describe(parts.uri.query().unwrap_or_default(), &parts.headers),
            (API_PATH, _) => not_allowed(HeaderValue::from_static("POST")),
            (DOCS_PATH, _) => not_allowed(HeaderValue::from_static("GET")),
            _ => refused(StatusCode::NOT_FOUND, "there is no such resource"),
        };
        let count = if answer.status().is_success() { &self.counts.answered } else { &self.counts.refused };
        count.fetch_add(1, Ordering::Relaxed);
        if !self.delay.is_zero() {
            tokio::time::sleep(self.delay).await;
        }
        answer
    }

    fn vary(&self, headers: &HeaderMap, body: &[u8]) -> Answer {
        if !is_json(headers) {
            return refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, "a request has Content-Type: application/json");
        }
        match self.answers.answer(body) {
            Ok(answer) => with_type(JSON, answer),
            Err(error) => refused(StatusCode::BAD_REQUEST, &error.to_string()),
        }
    }

    fn describe(&self, query: &str, headers: &HeaderMap) -> Answer {
        let is_yaml = headers.get(ACCEPT).is_some_and(wants_yaml);
        match self.document.text(query, is_yaml) {
            Ok(text) => with_type(if is_yaml { YAML } else { JSON }, text),
            Err(problem) => refused(StatusCode::BAD_REQUEST, &problem),
        }
    }
}

/// A body without a Content-Type is treated as the expected type.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(CONTENT_TYPE) else { return true };
    let kind = value.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

/// Is YAML named, and JSON not before it?
fn wants_yaml(accept: &HeaderValue) -> bool {
    let kinds = accept.to_str().unwrap_or_default().split(',').map(|kind| kind.split(';').next().unwrap_or_default());
    let first = kinds.map(str::trim).find(|kind| kind.ends_with("yaml") || kind.ends_with("json") || *kind == "*/*");
    first.is_some_and(|kind| kind.ends_with("yaml"))
}

fn with_type(kind: HeaderValue, body: Bytes) -> Answer {
    let mut answer = Response::new(Full::new(body));
    answer.headers_mut().insert(CONTENT_TYPE, kind);
    answer
}

fn refused(status: StatusCode, problem: &str) -> Answer {
    let mut answer = with_type(JSON, serde_json::json!({ "error": problem }).to_string().into());
    *answer.status_mut() = status;
    answer
}

fn not_allowed(methods: HeaderValue) -> Answer {
    let mut answer = refused(StatusCode::METHOD_NOT_ALLOWED, "this resource does not support the method");
    answer.headers_mut().insert(ALLOW, methods);
    answer
}
