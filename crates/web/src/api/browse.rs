//! Browsing: pages through a queue from where the last one ended, and single messages by their positions.
//!
//! A cursor names the message behind which the next page begins, by rank and position, so that a page costs what it shows,
//! wherever it is. What was taken meanwhile is left out, and nothing is shown twice. `before` asks for the page that ends at a place:
//! it looks at the messages before it from the front, and shows the last that fit.

use std::borrow::Cow;
use std::collections::VecDeque;

use http::{HeaderValue, StatusCode};
use identity::Identity;
use message_api::content::{Content, Wanted};
use message_api::incoming::BodyForm;
use model::descriptor::Ccsid;
use model::message::Message;
use model::options::{GetFlags, MatchOptions, OpenOptions};
use model::reason::Reason;
use queue_manager::connection::GetResult;
use queue_manager::{Place, Position};
use serde_json::Value;

use crate::answer::{self, Answer};
use crate::error::{ApiError, Verb};
use crate::messaging::{OpenQueue, Target, Walk};
use crate::query;
use crate::service::Call;

use super::get::{self, List, get_placed, no_such_message, position};
use super::keys;
use super::selection::{self, Match, Shown};

const DEFAULT_PAGE: usize = 100;
/// What places there are: so many ranks, and positions of so many bits.
const RANKS: u8 = 16;
const POSITION_BITS: u32 = 60;
/// Messages that one request looks at in search of what it contains; a cursor then says where to go on.
const MOST_LOOKED_AT: usize = 10_000;

#[derive(Default)]
struct Page {
    matched: Match,
    limit: Option<usize>,
    cursor: Option<Place>,
    before: Option<Before>,
    wanted: Wanted,
    shown: Shown,
}

impl Page {
    /// Whether some messages may not fit.
    fn is_filtered(&self) -> bool {
        !self.wanted.is_all() || !self.matched.is_all()
    }

    fn read(call: Call<'_>) -> Result<Self, ApiError> {
        let mut page = Self { shown: Shown::new(BodyForm::Preview), ..Self::default() };
        query::each(call.query(), |name, value: Cow<'_, str>| match name {
            "limit" => query::once(&mut page.limit, name, selection::number(name, &value)?),
            "cursor" => {
                let place = read_cursor(&value);
                let place = place.ok_or_else(|| ApiError::parameter_expected(name, &value, "a cursor of an answer"))?;
                query::once(&mut page.cursor, name, place)
            }
            "before" => query::once(&mut page.before, name, Before::read(name, &value)?),
            _ if page.matched.take(name, &value)? || selection::take_wanted(&mut page.wanted, name, &value)? => Ok(()),
            _ if page.shown.take(call, name, &value)? => Ok(()),
            _ => Err(query::unknown(name)),
        })?;
        if let (Some(_), Some(_)) = (page.cursor, page.before) {
            return Err(query::unknown("before"));
        }
        Ok(page)
    }
}

/// Where a page ends.
#[derive(Debug, Clone, Copy)]
enum Before {
    End,
    Place(Place),
}

impl Before {
    fn read(name: &str, value: &str) -> Result<Self, ApiError> {
        if value == "end" {
            return Ok(Self::End);
        }
        let place = read_cursor(value).map(Self::Place);
        place.ok_or_else(|| ApiError::parameter_expected(name, value, "`previous` of an answer, or end"))
    }

    fn place(self) -> Option<Place> {
        match self {
            Self::End => None,
            Self::Place(place) => Some(place),
        }
    }
}

/// Rank and position; opaque to clients.
fn write_cursor(place: Place) -> String {
    format!("{:x}-{:x}", place.rank, place.position.0)
}

fn read_cursor(text: &str) -> Option<Place> {
    let (rank, position) = text.split_once('-')?;
    let rank = u8::from_str_radix(rank, 16).ok()?;
    let position = u64::from_str_radix(position, 16).ok()?;
    (rank < RANKS && position >> POSITION_BITS == 0).then_some(Place { rank, position: Position(position) })
}

/// # Errors
/// 400, 403, 404, 501 a remote queue manager.
pub(super) async fn list(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let target = Target::of_operator(call, identity, Verb::BrowseFrom)?;
    keys::local(call, &target)?;
    let page = Page::read(call)?;
    let selector = page.matched.selector.as_deref().unwrap_or_default();
    let mut queue = target.open_selected(OpenOptions::BROWSE, selector).await?;
    let listed = fill(call, &mut queue, &page).await;
    queue.close().await;
    listed
}

async fn fill(call: Call<'_>, queue: &mut OpenQueue<'_>, page: &Page) -> Result<Answer, ApiError> {
    let found = match page.before {
        None => forward(call, queue, page).await?,
        Some(before) => backward(call, queue, page, before).await?,
    };
    let mut list = List::new();
    for (_, written) in &found.messages {
        list.push(written);
    }
    let place = |place: Option<Place>| place.map(|place| Value::from(write_cursor(place)));
    let members = [
        ("cursor", place(found.next)),
        ("previous", place(found.previous)),
        ("lookedAt", Some(Value::from(found.looked_at))),
    ];
    let more: Vec<(&str, Value)> = members.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    Ok(list.into_answer(&more))
}

/// Messages of a page as they are written, and where the pages beside it are.
#[derive(Default)]
struct Found {
    messages: VecDeque<(Place, Vec<u8>)>,
    bytes: usize,
    looked_at: usize,
    /// The last that was looked at, when there may be more behind it.
    next: Option<Place>,
    /// The first that is shown, or was looked at, when there may be more before it.
    previous: Option<Place>,
}

impl Found {
    fn add(&mut self, call: Call<'_>, page: &Page, got: &GetResult) {
        let content = Content::of(&got.message);
        if page.wanted.fits(&content) {
            let written = get::written(call, &got.message, &content, Some(got.position()), &page.shown);
            self.bytes += written.len();
            self.messages.push_back((got.place(), written));
        }
    }

    fn drop_first(&mut self) -> Option<Place> {
        let (place, written) = self.messages.pop_front()?;
        self.bytes -= written.len();
        Some(place)
    }
}

async fn forward(call: Call<'_>, queue: &mut OpenQueue<'_>, page: &Page) -> Result<Found, ApiError> {
    let handle = queue.handle();
    if let (Some(place), Some(local)) = (page.cursor, queue.connection().local()) {
        local.browse_from(handle, place).map_err(|error| queue.target().failed(&error))?;
    }
    let limit = page.limit.unwrap_or(DEFAULT_PAGE);
    let room = call.settings.options.limits.body_bytes;
    let (mut found, mut walk) = (Found::default(), Walk::default());
    let mut last = page.cursor;
    loop {
        if found.messages.len() >= limit || found.bytes >= room || found.looked_at >= MOST_LOOKED_AT {
            found.next = last;
            return Ok(found);
        }
        let Some(got) = next(queue, page).await? else { return Ok(found) };
        found.looked_at += 1;
        last = Some(got.place());
        if page.cursor.is_some() {
            found.previous.get_or_insert(got.place());
        }
        found.add(call, page, &got);
        walk.step().await;
    }
}

/// Looks at the messages before a place, from as far back as a page may begin, and keeps the last that fit.
async fn backward(call: Call<'_>, queue: &mut OpenQueue<'_>, page: &Page, before: Before) -> Result<Found, ApiError> {
    let limit = page.limit.unwrap_or(DEFAULT_PAGE);
    let window = if page.is_filtered() { MOST_LOOKED_AT } else { limit };
    let handle = queue.handle();
    let Some(local) = queue.connection().local() else { return Ok(Found::default()) };
    let begin = local.browse_back(handle, before.place(), window).await;
    let begin = begin.map_err(|error| queue.target().failed(&error))?;
    let room = call.settings.options.limits.body_bytes;
    let (mut found, mut walk, mut dropped) = (Found::default(), Walk::default(), None);
    let mut first = None;
    while let Some(got) = next(queue, page).await? {
        let place = got.place();
        // What comes meanwhile does not make the page longer.
        if before.place().is_some_and(|end| place >= end) || found.looked_at >= window {
            break;
        }
        found.looked_at += 1;
        first.get_or_insert(place);
        found.next = before.place().map(|_| place);
        found.add(call, page, &got);
        while found.messages.len() > limit || (found.bytes > room && found.messages.len() > 1) {
            dropped = found.drop_first();
        }
        walk.step().await;
    }
    found.previous = match (dropped, found.messages.front()) {
        (Some(_), Some((shown, _))) => Some(*shown),
        _ => begin.and(first.or(begin)),
    };
    Ok(found)
}

async fn next(queue: &mut OpenQueue<'_>, page: &Page) -> Result<Option<Box<GetResult>>, ApiError> {
    let mut options = page.matched.options();
    options.flags |= GetFlags::NO_SYNCPOINT | GetFlags::BROWSE_NEXT;
    let handle = queue.handle();
    let Some(local) = queue.connection().local() else { return Ok(None) };
    match local.get_placed(handle, &options).await {
        Ok(got) => Ok(Some(got)),
        Err(error) if error.reason() == Reason::NoMsgAvailable => Ok(None),
        Err(error) => Err(queue.target().failed(&error)),
    }
}

/// # Errors
/// 404 there is no message at the position.
pub(super) async fn show(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let mut shown = Shown::default();
    query::each(call.query(), |name, value: Cow<'_, str>| match name {
        _ if shown.take(call, name, &value)? => Ok(()),
        _ => Err(query::unknown(name)),
    })?;
    let (message, at) = one(call, identity).await?;
    Ok(get::envelope(call, &message, Some(at), &shown))
}

/// The data alone.
///
/// # Errors
/// As `show`.
pub(super) async fn show_body(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let part = Part::read(call)?;
    let (message, at) = one(call, identity).await?;
    if part != Part::default() {
        return part.of(&Content::of(&message));
    }
    let answer = get::raw(call, &message, Some(at));
    debug_assert_eq!(answer.status(), StatusCode::OK);
    Ok(answer)
}

/// A part of the data, as bytes or as text.
#[derive(Debug, Default, PartialEq)]
struct Part {
    offset: Option<usize>,
    length: Option<usize>,
    /// In which the part is read as text.
    ccsid: Option<i32>,
}

impl Part {
    fn read(call: Call<'_>) -> Result<Self, ApiError> {
        let mut part = Self::default();
        query::each(call.query(), |name, value: Cow<'_, str>| {
            let expected = || ApiError::parameter_expected(name, &value, "a number");
            let number = || value.parse::<usize>().map_err(|_| expected());
            match name {
                "offset" => query::once(&mut part.offset, name, number()?),
                "length" => query::once(&mut part.length, name, number()?),
                "ccsid" => query::once(&mut part.ccsid, name, value.parse().map_err(|_| expected())?),
                _ => Err(query::unknown(name)),
            }
        })?;
        Ok(part)
    }

    /// # Errors
    /// 400 the CCSID is unknown, or the data are no text in it.
    fn of(&self, content: &Content) -> Result<Answer, ApiError> {
        let all = content.data.len();
        let begin = self.offset.unwrap_or(0).min(all);
        let end = self.length.map_or(all, |length| begin.saturating_add(length).min(all));
        let bytes = content.data.slice(begin..end);
        let (content_type, bytes) = match self.ccsid {
            None => ("application/octet-stream", bytes),
            Some(ccsid) => {
                let expected = "a CCSID in which these data are text";
                let bad = || ApiError::parameter_expected("ccsid", &ccsid.to_string(), expected);
                let text = content.read_as(&bytes, Ccsid(ccsid)).ok_or_else(bad)?;
                ("text/plain; charset=utf-8", text.into())
            }
        };
        let mut answer = answer::with_body(StatusCode::OK, Some(HeaderValue::from_static(content_type)), bytes);
        let range = HeaderValue::try_from(format!("bytes {begin}-{end}/{all}"));
        answer.headers_mut().insert("mq-part", range.expect("digits"));
        Ok(answer)
    }
}

async fn one(call: Call<'_>, identity: &Identity) -> Result<(Box<Message>, Position), ApiError> {
    let target = Target::of_operator(call, identity, Verb::BrowseFrom)?;
    let position = position(call)?;
    let queue_manager = keys::local(call, &target)?;
    let mut options = Match::default().options();
    options.flags |= GetFlags::NO_SYNCPOINT | GetFlags::BROWSE_FIRST;
    options.match_options |= MatchOptions::MSG_TOKEN;
    let token = queue_manager.message_token(&target.queue()?.name, position);
    options.message_token = token.ok_or_else(|| no_such_message(position))?;
    let mut queue = target.open_selected(OpenOptions::BROWSE, "").await?;
    let handle = queue.handle();
    let seen = get_placed(queue.connection(), handle, &options).await;
    let seen = seen.map_err(|error| match error.reason() {
        Reason::NoMsgAvailable => no_such_message(position),
        _ => queue.target().failed(&error),
    });
    queue.close().await;
    seen.map(|(message, _)| (message, position))
}
