//! `/stream`: live events of what is on the client's screen, as server-sent events, and what that is.
//!
//! The first event names the stream; `PUT /stream/{stream}/watch` says what it shows. A task sends events as fast as the client reads.
//! It asks now and then whether the credentials of the request still count, and ends the stream when they do not.
//!
//! Invariants
//! - A piece is made when there is room for it, so that a slow reader gets the latest values and nothing waits for it.
//! - While it is open, a stream is a request that is worked on: its connection is not idle.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, header};
use identity::Identity;
use identity::authenticator::Verdict;
use message_api::live::{Attached, Ended, EventId, Limits, MOST_ROWS, StreamId, TooMany, Watch};
use model::name::{ObjectName, QueueManagerName, QueueName};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use crate::answer::{Answer, Body};
use crate::connections::InRequest;
use crate::error::{self, ApiError};
use crate::query;
use crate::request_body::RequestBody;
use crate::service::{self, Call, Connected, X_API_KEY};

use super::deliveries::{bad, read};
use super::event_stream::{Framing, LAST_EVENT_ID};
use super::json as answer_json;
use super::viewer::Looker;

/// Proxies give up connections on which nothing comes, many of them after 30 s.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// How often the credentials are looked at.
const CHECK: Duration = Duration::from_secs(10);
/// A reader that takes nothing for so long has gone.
const LONGEST_STALL: Duration = Duration::from_secs(60);
/// Bytes of one piece.
const PIECE_BYTES: usize = 64 << 10;

/// GET of `/stream`.
///
/// # Errors
/// 400, 503 as many streams are open as there may be.
pub(super) fn open(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let looker = Looker::of(call, identity)?;
    if call.parts.method == Method::HEAD {
        return Ok(Framing::Events.answer(Body::LeftOut));
    }
    let read = call.headers().get(LAST_EVENT_ID).map(|id| id.to_str().ok().and_then(EventId::parse));
    let console = &call.settings.options.console;
    let limits = Limits { of_all: console.live_streams, of_user: console.live_streams_per_user };
    let looker = Arc::new(looker);
    // An id that cannot be read is one of a stream that is not known.
    let read = read.map(|read| read.unwrap_or(EventId::UNKNOWN));
    let attached = call.shared.message_api.live.attach(Arc::clone(&looker) as _, read, limits);
    let attached = attached.map_err(|limit| {
        ApiError::overloaded(match limit {
            TooMany::OfAll => "console.live_streams",
            TooMany::OfUser => "console.live_streams_per_user",
        })
    })?;
    let (pieces, sent) = mpsc::channel(1);
    let sending = Sending {
        attached,
        looker,
        connected: Arc::clone(call.connected),
        credentials: credentials(call.headers()),
        _at_work: call.watch.request(),
    };
    tokio::spawn(sending.run(pieces));
    Ok(Framing::Events.answer(Body::Streamed(sent)))
}

/// Those headers of a request that say who sends it.
fn credentials(headers: &HeaderMap) -> HeaderMap {
    let mut kept = HeaderMap::new();
    for name in [header::AUTHORIZATION, header::COOKIE, X_API_KEY] {
        for value in headers.get_all(&name) {
            kept.append(name.clone(), value.clone());
        }
    }
    kept
}

struct Sending {
    attached: Attached,
    looker: Arc<Looker>,
    connected: Arc<Connected>,
    credentials: HeaderMap,
    _at_work: InRequest,
}

/// What follows a piece.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    GoOn,
    End,
}

impl Sending {
    async fn run(mut self, pieces: mpsc::Sender<Bytes>) {
        let mut first = Vec::new();
        let begun = json!({ "id": self.attached.id.to_string(), "resumed": self.attached.is_resumed });
        Framing::Events.write(&mut first, "stream", None, &begun);
        let mut piece = (Bytes::from(first), Next::GoOn);
        let mut check = Instant::now() + CHECK;
        loop {
            let begun = Instant::now();
            let permit = loop {
                tokio::select! {
                    permit = pieces.reserve() => match permit {
                        Ok(permit) => break permit,
                        Err(_) => return,
                    },
                    () = sleep_until(check) => {
                        check = Instant::now() + CHECK;
                        if begun.elapsed() > LONGEST_STALL || !self.still_counts().await {
                            return self.attached.end();
                        }
                    }
                }
            };
            // What was made first leaves first; everything after it is made when there is room.
            if piece.0.is_empty() {
                match self.next_piece(&pieces, &mut check).await {
                    Ok(next) => piece = next,
                    Err(Ended) => return,
                }
            }
            permit.send(std::mem::take(&mut piece.0));
            if piece.1 == Next::End {
                return self.attached.end();
            }
        }
    }

    /// Waits for something to send.
    async fn next_piece(&mut self, pieces: &mpsc::Sender<Bytes>, check: &mut Instant) -> Result<(Bytes, Next), Ended> {
        let heartbeat = Instant::now() + HEARTBEAT;
        loop {
            let piece = self.piece()?;
            if !piece.is_empty() {
                return Ok((piece.into(), Next::GoOn));
            }
            tokio::select! {
                () = self.attached.changed() => {}
                () = sleep_until(heartbeat) => return Ok((Framing::Events.heartbeat(), Next::GoOn)),
                () = sleep_until(*check) => {
                    *check = Instant::now() + CHECK;
                    if !self.still_counts().await {
                        let mut last = Vec::new();
                        Framing::Events.write(&mut last, "session", None, &json!({ "state": "ended" }));
                        return Ok((last.into(), Next::End));
                    }
                }
                () = pieces.closed() => return Err(Ended),
            }
        }
    }

    fn piece(&self) -> Result<Vec<u8>, Ended> {
        let mut out = Vec::new();
        self.attached.take(PIECE_BYTES, |event| {
            let before = out.len();
            let id = event.id.map(|id| id.to_string());
            Framing::Events.write(&mut out, event.name, id.as_deref(), &&*event.data);
            out.len() - before
        })?;
        Ok(out)
    }

    /// Whether the credentials of the request count now, and for whom they do. What cannot be judged now counts.
    async fn still_counts(&mut self) -> bool {
        let shared = &self.connected.shared;
        let settings = shared.settings();
        match service::identify(&self.connected, &settings, &self.credentials, shared.now()).await {
            Verdict::Identified { identity, .. } => {
                let Some(looker) = self.looker.again(&identity, &settings.server_principal) else { return false };
                self.looker = Arc::new(looker);
                self.attached.set_viewer(Arc::clone(&self.looker) as _);
                true
            }
            Verdict::NoCredentials
            | Verdict::BadToken
            | Verdict::BadBasic
            | Verdict::BadBearer
            | Verdict::BadApiKey => false,
            Verdict::Slow | Verdict::Busy | Verdict::Unavailable | Verdict::IssuerUnavailable | Verdict::Locked(_) => {
                true
            }
        }
    }
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Wish {
    queues: Vec<Queues>,
    jobs: bool,
    qmgrs: bool,
    events: bool,
    problems: bool,
    log: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Queues {
    qmgr: String,
    names: Vec<String>,
}

impl Wish {
    fn watch(&self) -> Result<Watch, ApiError> {
        let mut queues: Vec<(QueueManagerName, QueueName)> = Vec::new();
        for of in &self.queues {
            let queue_manager = name("qmgr", &of.qmgr)?;
            for queue in &of.names {
                queues.push((queue_manager, name("names", queue)?));
            }
        }
        queues.sort_unstable();
        queues.dedup();
        if queues.len() > MOST_ROWS {
            return Err(bad("queues", &queues.len().to_string(), &format!("at most {MOST_ROWS} queues")));
        }
        Ok(Watch {
            queues,
            jobs: self.jobs,
            queue_managers: self.qmgrs,
            events: self.events,
            problems: self.problems,
            log: self.log,
        })
    }
}

fn name(member: &str, text: &str) -> Result<ObjectName, ApiError> {
    let parsed = ObjectName::parse(text).ok().filter(|name| !name.is_blank());
    parsed.ok_or_else(|| bad(member, text, "the name of an MQ object"))
}

/// PUT of `/stream/{stream}/watch`.
///
/// # Errors
/// 400, 404 the user has no such stream.
pub(super) async fn watch(call: Call<'_>, identity: &Identity, body: &mut RequestBody<'_>) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let wish: Wish = read(call, body).await?;
    let watch = wish.watch()?;
    let text = call.parameters[0];
    let unknown = || ApiError::new(&error::STREAM_UNKNOWN, &[text]);
    let id = StreamId::parse(text).ok_or_else(unknown)?;
    let hidden = call.shared.message_api.live.watch(id, &identity.principal.user, &watch).map_err(|Ended| unknown())?;
    let hidden: Vec<_> = hidden
        .iter()
        .map(|(queue_manager, queue)| json!({ "qmgr": queue_manager.as_str(), "name": queue.as_str() }))
        .collect();
    let shown = watch.queues.len() - hidden.len();
    Ok(answer_json(StatusCode::OK, &json!({ "queues": shown, "unknown": hidden })))
}
