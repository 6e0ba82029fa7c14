//! Getting: messages are off their queue and committed before the answer. For clients that may lose a message with a broken
//! connection; the others receive deliveries.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use connection::verbs::{Connection, ObjectHandle};
use http::{HeaderValue, StatusCode};
use identity::Identity;
use message_api::content::Content;
use message_api::incoming::{Incoming, Told};
use model::message::Message;
use model::options::{GetFlags, GetOptions, MatchOptions, OpenOptions};
use model::reason::Reason;
use queue_manager::Position;

use crate::answer::{self, Answer};
use crate::error::{self, ApiError, Verb};
use crate::messaging::{OpenQueue, Target};
use crate::query;
use crate::service::Call;

use super::headers;
use super::selection::{self, Match, Shown};

/// What a get asks for.
#[derive(Default)]
struct Wanted {
    matched: Match,
    wait: Option<Duration>,
    /// `None`: one message, as itself and not as a list.
    most: Option<usize>,
    is_envelope: bool,
    shown: Shown,
}

impl Wanted {
    fn read(call: Call<'_>) -> Result<Self, ApiError> {
        let mut wanted = Self::default();
        query::each(call.query(), |name, value: Cow<'_, str>| match name {
            "wait" => query::once(&mut wanted.wait, name, selection::wait(name, &value)?),
            "max" => query::once(&mut wanted.most, name, selection::number(name, &value)?),
            "envelope" => {
                wanted.is_envelope = selection::flag(name, &value)?;
                Ok(())
            }
            _ if wanted.matched.take(name, &value)? || wanted.shown.take(call, name, &value)? => Ok(()),
            _ => Err(query::unknown(name)),
        })?;
        // A record is shown as JSON, in a message.
        wanted.is_envelope |= wanted.shown.copybook.is_some();
        Ok(wanted)
    }
}

/// # Errors
/// 400, 403, 404, 405, 500, 503.
pub(super) async fn take(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let target = Target::of_operator(call, identity, Verb::GetFrom)?;
    let wanted = Wanted::read(call)?;
    let wait = wanted.wait.filter(|wait| !wait.is_zero());
    let _waiting = call.wait_for_message(wait)?;
    let mut options = wanted.matched.options();
    options.flags |= GetFlags::NO_SYNCPOINT;
    if let Some(wait) = wait {
        options.flags |= GetFlags::WAIT;
        options.wait = Some(wait);
    }
    let selector = wanted.matched.selector.as_deref().unwrap_or_default();
    let mut queue = target.open_selected(OpenOptions::INPUT_AS_Q_DEF, selector).await?;
    let taken = match wanted.most {
        None => take_first(call, &mut queue, &options, &wanted).await,
        Some(most) => Box::pin(take_many(call, &mut queue, options, most, &wanted)).await,
    };
    queue.close().await;
    taken
}

async fn take_first(
    call: Call<'_>,
    queue: &mut OpenQueue<'_>,
    options: &GetOptions,
    wanted: &Wanted,
) -> Result<Answer, ApiError> {
    match next(queue, options).await? {
        None => Ok(answer::of_service(StatusCode::NO_CONTENT, None, Bytes::new())),
        Some((message, at)) if wanted.is_envelope => Ok(envelope(call, &message, at, &wanted.shown)),
        Some((message, at)) => Ok(raw(call, &message, at)),
    }
}

/// Each is committed as it is taken: an answer is never made of messages that are not off their queue.
async fn take_many(
    call: Call<'_>,
    queue: &mut OpenQueue<'_>,
    mut options: GetOptions,
    most: usize,
    wanted: &Wanted,
) -> Result<Answer, ApiError> {
    let mut list = List::new();
    let room = call.settings.options.limits.body_bytes;
    while list.count < most && list.bytes.len() < room {
        match next(queue, &options).await {
            Ok(Some((message, at))) => list.add(call, &message, &Content::of(&message), at, &wanted.shown, &[]),
            Ok(None) => break,
            // What was taken is answered; the next request finds out what is wrong.
            Err(_) if list.count > 0 => break,
            Err(error) => return Err(error),
        }
        options.flags -= GetFlags::WAIT;
    }
    Ok(list.into_answer(&[]))
}

async fn next(
    queue: &mut OpenQueue<'_>,
    options: &GetOptions,
) -> Result<Option<(Box<Message>, Option<Position>)>, ApiError> {
    let handle = queue.handle();
    match get_placed(queue.connection(), handle, options).await {
        Ok(got) => Ok(Some(got)),
        Err(error) if error.reason() == Reason::NoMsgAvailable => Ok(None),
        Err(error) => Err(queue.target().change_failed(&error)),
    }
}

/// With where it was, on a connection of this server.
pub(super) async fn get_placed(
    connection: &mut Connection,
    handle: ObjectHandle,
    options: &GetOptions,
) -> Result<(Box<Message>, Option<Position>), connection::error::ConnectionError> {
    if let Some(local) = connection.local() {
        let got = local.get_placed(handle, options).await?;
        let at = got.position();
        return Ok((got.message, Some(at)));
    }
    connection.get(handle, options).await.map(|message| (message, None))
}

/// DELETE of one message by its position.
///
/// # Errors
/// 404 it is not there.
pub(super) async fn take_one(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let target = Target::of_operator(call, identity, Verb::GetFrom)?;
    let mut wanted = Wanted { is_envelope: true, ..Wanted::default() };
    query::each(call.query(), |name, value: Cow<'_, str>| match name {
        _ if wanted.shown.take(call, name, &value)? => Ok(()),
        _ => Err(query::unknown(name)),
    })?;
    let position = position(call)?;
    let queue_manager = super::keys::local(call, &target)?;
    let mut options = wanted.matched.options();
    options.flags |= GetFlags::NO_SYNCPOINT;
    let token = queue_manager.message_token(&target.queue()?.name, position);
    options.match_options |= MatchOptions::MSG_TOKEN;
    options.message_token = token.ok_or_else(|| no_such_message(position))?;
    let mut queue = target.open_selected(OpenOptions::INPUT_AS_Q_DEF, "").await?;
    let taken = next(&mut queue, &options).await;
    queue.close().await;
    let (message, at) = taken?.ok_or_else(|| no_such_message(position))?;
    Ok(envelope(call, &message, at, &wanted.shown))
}

pub(super) fn no_such_message(position: Position) -> ApiError {
    ApiError::new(&error::NO_SUCH_MESSAGE, &[&position.0.to_string()])
}

/// The position that the path names.
///
/// # Errors
/// 400 it is no number.
pub(super) fn position(call: Call<'_>) -> Result<Position, ApiError> {
    let text = call.parameters[2];
    text.parse().map(Position).map_err(|_| ApiError::new(&error::POSITION_NOT_VALID, &[text]))
}

/// A message as JSON.
pub(super) fn envelope(call: Call<'_>, message: &Message, at: Option<Position>, shown: &Shown) -> Answer {
    let content = Content::of(message);
    let told = told(call, at, shown, &[]);
    let mut bytes = Vec::new();
    Incoming { message, content: &content, told }.write(&mut bytes);
    answer::of_service(StatusCode::OK, Some(super::PLAIN_JSON), bytes.into())
}

fn told<'a>(
    call: Call<'_>,
    position: Option<Position>,
    shown: &'a Shown,
    beside: &'a [(&'static str, serde_json::Value)],
) -> Told<'a> {
    Told { position, now: call.now, body: shown.form, copybook: shown.copybook.as_ref(), beside }
}

/// A message as its data, with what describes it in headers. Text comes in UTF-8.
pub(super) fn raw(call: Call<'_>, message: &Message, at: Option<Position>) -> Answer {
    let content = Content::of(message);
    let (content_type, data) = data(&content);
    let mut answer = answer::with_body(StatusCode::OK, Some(content_type), data);
    headers::describe(answer.headers_mut(), message, &content, at, call.now);
    answer
}

/// The data of a message with their media type. Text comes in UTF-8.
pub(super) fn data(content: &Content) -> (HeaderValue, Bytes) {
    let data = if content.text_differs() {
        content.text().map_or_else(|| content.data.clone(), |text| text.into_owned().into())
    } else {
        content.data.clone()
    };
    let content_type = match content.content_type() {
        "text/plain" => HeaderValue::from_static("text/plain; charset=utf-8"),
        other => HeaderValue::try_from(other).unwrap_or(HeaderValue::from_static("application/octet-stream")),
    };
    (content_type, data)
}

/// `{"messages": […]}`, written as it grows.
pub(super) struct List {
    pub(super) bytes: Vec<u8>,
    pub(super) count: usize,
}

/// A message as a line of a list.
pub(super) fn written(
    call: Call<'_>,
    message: &Message,
    content: &Content,
    at: Option<Position>,
    shown: &Shown,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    Incoming { message, content, told: told(call, at, shown, &[]) }.write(&mut bytes);
    bytes
}

impl List {
    pub(super) fn new() -> Self {
        Self { bytes: b"{\"messages\":[".to_vec(), count: 0 }
    }

    /// `content` is that of the message: who looks into it first takes it apart.
    pub(super) fn add(
        &mut self,
        call: Call<'_>,
        message: &Message,
        content: &Content,
        at: Option<Position>,
        shown: &Shown,
        beside: &[(&'static str, serde_json::Value)],
    ) {
        if self.count > 0 {
            self.bytes.push(b',');
        }
        self.count += 1;
        let told = told(call, at, shown, beside);
        let incoming = Incoming { message, content, told };
        incoming.write(&mut self.bytes);
    }

    /// One that is written.
    pub(super) fn push(&mut self, written: &[u8]) {
        if self.count > 0 {
            self.bytes.push(b',');
        }
        self.count += 1;
        self.bytes.extend_from_slice(written);
    }

    /// With more members behind the list.
    pub(super) fn into_answer(mut self, more: &[(&str, serde_json::Value)]) -> Answer {
        self.bytes.push(b']');
        for (name, value) in more {
            self.bytes.push(b',');
            serde_json::to_writer(&mut self.bytes, name).expect("a string can be written");
            self.bytes.push(b':');
            serde_json::to_writer(&mut self.bytes, value).expect("it has string keys only");
        }
        self.bytes.push(b'}');
        answer::of_service(StatusCode::OK, Some(super::PLAIN_JSON), self.bytes.into())
    }
}
