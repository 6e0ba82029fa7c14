//! Streams: `GET …/stream` of a queue or a topic, as server-sent events or as lines.
//!
//! Everything that is wrong with a request is answered before its stream begins. From then on a task writes: it gets a message, writes it,
//! and gets the next one when the connection has taken that. What the connection did not take goes back to its queue. The last event
//! says why a stream ends.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, Method, StatusCode, header};
use identity::Identity;
use message_api::content::Content;
use message_api::deliveries::Token;
use message_api::incoming::{Incoming, Told};
use message_api::streams::{self, Bookmark, Delivering, Following, Item, Most, Passing, Source};
use message_api::time_text::{read_duration, write_moment};
use model::options::ObjectDescriptor;
use model::timestamp::Timestamp;
use queue_manager::{Clock, SystemClock};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior};

use crate::answer::{self, Answer, Body, Sender};
use crate::error::{self, ApiError, Verb};
use crate::messaging::Target;
use crate::query;
use crate::service::{self, Call, Connected, X_API_KEY};

use super::event_stream::{Framing, LAST_EVENT_ID};
use super::selection::{self, Match, Shown};
use super::{deliveries, keys};

const DEFAULT_IN_FLIGHT: usize = 10;
const DEFAULT_HEARTBEAT: Duration = Duration::from_secs(15);
const HEARTBEATS: std::ops::RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(300);
/// After so many bytes, or messages, a piece is sent.
const PIECE_BYTES: usize = 64 << 10;
const PIECE_MESSAGES: usize = 64;

/// What the query says.
#[derive(Default)]
struct Wanted {
    matched: Match,
    lock: Option<Duration>,
    most_in_flight: Option<usize>,
    browse: bool,
    begin: Option<Bookmark>,
    subscription: Option<String>,
    heartbeat: Option<Duration>,
    shown: Shown,
}

/// What a stream is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Queue,
    Topic,
}

impl Wanted {
    fn read(call: Call<'_>, of: Of) -> Result<Self, ApiError> {
        let mut wanted = Self::default();
        query::each(call.query(), |name, value: Cow<'_, str>| match name {
            "lock" => query::once(&mut wanted.lock, name, deliveries::lock_of_query(name, &value)?),
            "max" => query::once(&mut wanted.most_in_flight, name, selection::number(name, &value)?),
            "browse" if of == Of::Queue => {
                wanted.browse = selection::flag(name, &value)?;
                Ok(())
            }
            "cursor" if of == Of::Queue => query::once(&mut wanted.begin, name, bookmark(name, &value)?),
            "subscription" if of == Of::Topic => {
                query::once(&mut wanted.subscription, name, subscription(name, value.into_owned())?)
            }
            "heartbeat" => query::once(&mut wanted.heartbeat, name, heartbeat(name, &value)?),
            _ if wanted.matched.take(name, &value)? || wanted.shown.take(call, name, &value)? => Ok(()),
            _ => Err(query::unknown(name)),
        })?;
        wanted.check(of)?;
        if wanted.browse {
            wanted.go_on(call)?;
        }
        Ok(wanted)
    }

    /// Parameters that mean nothing beside others are mistakes.
    fn check(&self, of: Of) -> Result<(), ApiError> {
        let has_tokens = if of == Of::Queue { !self.browse } else { self.subscription.is_some() };
        let without = [
            ("lock", self.lock.is_some() && !has_tokens),
            ("max", self.most_in_flight.is_some() && !has_tokens),
            ("cursor", self.begin.is_some() && !self.browse),
        ];
        match without.iter().find(|(_, is_wrong)| *is_wrong) {
            Some((name, _)) => Err(query::unknown(name)),
            None => Ok(()),
        }
    }

    /// A client that lost its stream goes on where it was, whatever the URL says.
    fn go_on(&mut self, call: Call<'_>) -> Result<(), ApiError> {
        let Some(id) = call.headers().get(LAST_EVENT_ID).filter(|id| !id.is_empty()) else { return Ok(()) };
        let id = String::from_utf8_lossy(id.as_bytes());
        let bookmark = Bookmark::parse(&id);
        let wrong = || ApiError::header(LAST_EVENT_ID.as_str(), &id, "the id of an event");
        self.begin = Some(bookmark.ok_or_else(wrong)?);
        Ok(())
    }

    fn deliveries(&self) -> streams::Wanted {
        streams::Wanted {
            options: self.matched.options(),
            lock: self.lock.unwrap_or(deliveries::DEFAULT_LOCK),
            most_in_flight: self.most_in_flight.unwrap_or(DEFAULT_IN_FLIGHT),
        }
    }

    fn selector(&self) -> String {
        self.matched.selector.clone().unwrap_or_default()
    }
}

fn bookmark(name: &str, value: &str) -> Result<Bookmark, ApiError> {
    Bookmark::parse(value).ok_or_else(|| ApiError::parameter_expected(name, value, "a cursor of an answer or an event"))
}

fn subscription(name: &str, value: String) -> Result<String, ApiError> {
    if value.is_empty() { Err(ApiError::parameter_expected(name, &value, "a name")) } else { Ok(value) }
}

fn heartbeat(name: &str, value: &str) -> Result<Duration, ApiError> {
    let heartbeat = read_duration(value).filter(|heartbeat| HEARTBEATS.contains(heartbeat));
    heartbeat.ok_or_else(|| ApiError::parameter_expected(name, value, "a duration from 1s to 5m, such as 15s"))
}

/// Messages of a queue, delivered or browsed.
///
/// # Errors
/// 400, 403, 404, 501 a remote queue manager, 503 too many streams.
pub(super) async fn of_queue(call: Call<'_>, identity: &Arc<Identity>) -> Result<Answer, ApiError> {
    let wanted = Wanted::read(call, Of::Queue)?;
    let target = Target::of(call, identity, if wanted.browse { Verb::BrowseFrom } else { Verb::GetFrom })?;
    keys::local(call, &target)?;
    let queue = ObjectDescriptor { selector: wanted.selector(), ..target.queue()? };
    let Some(begun) = Begun::new(call, identity, &wanted, &target)? else { return Ok(head(call)) };
    let (pool, acting, streams) = (target.pool(), target.acting(), &call.shared.message_api.streams);
    let source = if wanted.browse {
        let following = Following::of_queue(pool, acting, &queue, wanted.matched.options(), wanted.begin.as_ref());
        following.await.map(Source::Following)
    } else {
        Delivering::of_queue(streams, pool, acting, &queue, wanted.deliveries()).await.map(Source::Delivering)
    };
    Ok(begun.start(source.map_err(|error| target.failed(&error))?))
}

/// Publications on a topic, by a durable subscription or by one that ends with the stream.
///
/// # Errors
/// As `of_queue`; 409 the subscription is another one or in use.
pub(super) async fn of_topic(call: Call<'_>, identity: &Arc<Identity>) -> Result<Answer, ApiError> {
    let wanted = Wanted::read(call, Of::Topic)?;
    let target = Target::of(call, identity, Verb::SubscribeTo)?;
    keys::local(call, &target)?;
    let Some(begun) = Begun::new(call, identity, &wanted, &target)? else { return Ok(head(call)) };
    let (pool, acting, streams) = (target.pool(), target.acting(), &call.shared.message_api.streams);
    let topic = target.object().to_owned();
    let source = match &wanted.subscription {
        Some(name) => {
            let of = (topic, name.clone(), wanted.selector());
            let delivering = Delivering::of_subscription(streams, pool, acting, of, wanted.deliveries());
            delivering.await.map(Source::Delivering)
        }
        None => {
            let passing = Passing::of_topic(pool, acting, topic, wanted.selector(), wanted.matched.options());
            passing.await.map(Source::Passing)
        }
    };
    Ok(begun.start(source.map_err(|error| target.failed(&error))?))
}

/// The answer to HEAD: nothing is opened for it.
fn head(call: Call<'_>) -> Answer {
    let (_, none) = mpsc::channel(1);
    Framing::accepted(call.headers()).answer(Body::Streamed(none))
}

/// A stream without its source.
struct Begun {
    connected: Arc<Connected>,
    identity: Arc<Identity>,
    /// Those that say who asks.
    credentials: HeaderMap,
    framing: Framing,
    heartbeat: Duration,
    /// How long a client may read nothing.
    patience: Duration,
    shown: Shown,
    about: About,
    /// HTTP/1.1: the connection is the stream's.
    owns_connection: bool,
    _place: streams::Place,
}

/// For the sentences of errors.
struct About {
    verb: Verb,
    object: String,
    queue_manager: String,
}

impl Begun {
    /// `None`: the request is for the head alone.
    fn new(
        call: Call<'_>,
        identity: &Arc<Identity>,
        wanted: &Wanted,
        target: &Target<'_>,
    ) -> Result<Option<Self>, ApiError> {
        if call.parts.method == Method::HEAD {
            return Ok(None);
        }
        let limits = &call.settings.options.limits;
        let most = Most { of_all: limits.streams, of_user: limits.streams_per_user };
        let user = &identity.principal.user;
        let place = call.shared.message_api.streams.admit(user, most);
        let mut credentials = HeaderMap::new();
        for name in [header::AUTHORIZATION, header::COOKIE, X_API_KEY] {
            for value in call.headers().get_all(&name) {
                credentials.append(&name, value.clone());
            }
        }
        Ok(Some(Self {
            connected: Arc::clone(call.connected),
            identity: Arc::clone(identity),
            credentials,
            framing: Framing::accepted(call.headers()),
            heartbeat: wanted.heartbeat.unwrap_or(DEFAULT_HEARTBEAT),
            patience: Duration::from_secs(limits.idle_seconds.max(1)),
            shown: wanted.shown.clone(),
            about: About {
                verb: target.verb(),
                object: target.object().to_owned(),
                queue_manager: target.queue_manager().to_owned(),
            },
            owns_connection: call.parts.version != http::Version::HTTP_2,
            _place: place.ok_or_else(|| ApiError::overloaded("limits.streams, or limits.streams_per_user"))?,
        }))
    }

    fn start(self, source: Source) -> Answer {
        let (sender, live) = answer::live(&self.connected.peer.watch, &self.connected.shared.answers);
        let answer = self.framing.answer(Body::Live(live));
        tokio::spawn(self.run(source, sender));
        answer
    }

    async fn run(self, mut source: Source, sender: Sender) {
        let end = self.write(&mut source, &sender).await;
        source.close().await;
        match end {
            End::Gone => {}
            End::Stalled => {
                tracing::info!(
                    queue_manager = self.about.queue_manager,
                    object = self.about.object,
                    user = &*self.identity.principal.user,
                    "a stream has ended, because its client does not read"
                );
                if self.owns_connection {
                    self.connected.peer.watch.give_up();
                }
            }
            End::Told(error) => {
                let mut out = Vec::new();
                self.framing.write_error(&mut out, &error);
                // A client that has gone needs no end.
                let _ = sender.send(out.into(), self.patience).await;
            }
        }
    }

    /// Writes until there is a reason to end.
    async fn write(&self, source: &mut Source, sender: &Sender) -> End {
        let mut beats = tokio::time::interval_at(Instant::now() + self.heartbeat, self.heartbeat);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The head leaves with it, and whatever is between here and the client sees that the stream lives.
        if let Err(end) = self.send_heartbeat(sender).await {
            return end;
        }
        loop {
            let first = match self.next(source, sender, &mut beats).await {
                Ok(first) => first,
                Err(end) => return end,
            };
            let piece = self.fill(first, source).await;
            let length = piece.out.len();
            self.connected.shared.message_api.streams.count(piece.ends.len());
            if let Err(unwritten) = sender.send(piece.out.into(), self.patience).await {
                debug_assert!(unwritten.written < length, "a whole piece is written");
                let untold = piece.ends.iter().filter(|(_, end)| *end > unwritten.written);
                let untold: Vec<Option<Token>> = untold.map(|(token, _)| *token).collect();
                source.untold(&untold).await;
                return if unwritten.is_stalled { End::Stalled } else { End::Gone };
            }
            beats.reset();
        }
    }

    /// Waits for the next message, and says meanwhile that the stream lives.
    async fn next(&self, source: &mut Source, sender: &Sender, beats: &mut tokio::time::Interval) -> Result<Item, End> {
        let shared = &self.connected.shared;
        let mut next = std::pin::pin!(source.next());
        loop {
            tokio::select! {
                biased;
                () = sender.gone() => return Err(End::Gone),
                () = shared.message_api.streams.stopping() => return Err(End::stopping()),
                _ = beats.tick() => {
                    self.send_heartbeat(sender).await?;
                    if !service::still_counts(&self.connected, &self.credentials, &self.identity).await {
                        return Err(End::Told(ApiError::new(&error::CREDENTIALS_OVER, &[])));
                    }
                }
                item = &mut next => return item.map_err(|error| self.about.ended(&error)),
            }
        }
    }

    async fn send_heartbeat(&self, sender: &Sender) -> Result<(), End> {
        let sent = sender.send(self.framing.heartbeat(), self.patience).await;
        sent.map_err(|unwritten| if unwritten.is_stalled { End::Stalled } else { End::Gone })
    }

    /// What is there goes with the first message.
    async fn fill(&self, first: Item, source: &mut Source) -> Piece {
        let mut piece = Piece { out: Vec::new(), ends: Vec::new() };
        let mut next = Some(first);
        while let Some(item) = next {
            piece.add(self, &item);
            let has_room = piece.out.len() < PIECE_BYTES && piece.ends.len() < PIECE_MESSAGES;
            next = if has_room { source.next_now().await } else { None };
        }
        piece
    }
}

impl About {
    fn ended(&self, error: &connection::error::ConnectionError) -> End {
        let reason = error.reason();
        if ApiError::connect(reason).status() == StatusCode::SERVICE_UNAVAILABLE {
            return End::Told(ApiError::connect(reason));
        }
        End::Told(ApiError::verb(self.verb, &self.object, &self.queue_manager, "", reason))
    }
}

/// Events that leave together.
struct Piece {
    out: Vec<u8>,
    /// Where each ends, and the token of its delivery.
    ends: Vec<(Option<Token>, usize)>,
}

impl Piece {
    fn add(&mut self, of: &Begun, item: &Item) {
        let now: Timestamp = SystemClock.now();
        let mut beside: Vec<(&'static str, Value)> = Vec::with_capacity(2);
        if let Some((token, until)) = item.delivery {
            beside.push(("token", token.to_string().into()));
            beside.push(("lockedUntil", write_moment(until).into()));
        }
        if let Some(bookmark) = &item.bookmark {
            beside.push(("cursor", bookmark.clone().into()));
        }
        let content = Content::of(&item.message);
        let (body, copybook) = (of.shown.form, of.shown.copybook.as_ref());
        let told = Told { position: Some(item.position), now, body, copybook, beside: &beside };
        let incoming = Incoming { message: &item.message, content: &content, told };
        of.framing.write(&mut self.out, "message", item.bookmark.as_deref(), &incoming);
        self.ends.push((item.delivery.map(|(token, _)| token), self.out.len()));
    }
}

/// Why a stream ends.
enum End {
    /// The client has gone.
    Gone,
    /// The client is there and does not read.
    Stalled,
    /// The client is told so.
    Told(ApiError),
}

impl End {
    fn stopping() -> Self {
        Self::Told(ApiError::new(&error::SERVER_STOPS, &[]))
    }
}
