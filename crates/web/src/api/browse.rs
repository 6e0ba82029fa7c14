//! Browsing: pages through a queue from where the last one ended, and single messages by their positions.
//!
//! A cursor names the message behind which the next page begins, by rank and position, so that a page costs what it shows,
//! wherever it is. What was taken meanwhile is left out, and nothing is shown twice.

use std::borrow::Cow;

use http::StatusCode;
use identity::Identity;
use message_api::content::Content;
use message_api::incoming::BodyForm;
use model::message::Message;
use model::options::{GetFlags, MatchOptions, OpenOptions};
use model::reason::Reason;
use queue_manager::{Place, Position};
use serde_json::Value;

use crate::answer::Answer;
use crate::error::{ApiError, Verb};
use crate::messaging::{Target, Walk};
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
    contains: Option<String>,
    shown: Shown,
}

impl Page {
    fn read(call: Call<'_>) -> Result<Self, ApiError> {
        let mut page = Self { shown: Shown::new(BodyForm::Preview), ..Self::default() };
        query::each(call.query(), |name, value: Cow<'_, str>| match name {
            "limit" => query::once(&mut page.limit, name, selection::number(name, &value)?),
            "cursor" => {
                let place = read_cursor(&value);
                let place = place.ok_or_else(|| ApiError::parameter_expected(name, &value, "a cursor of an answer"))?;
                query::once(&mut page.cursor, name, place)
            }
            "contains" => query::once(&mut page.contains, name, value.into_owned()),
            _ if page.matched.take(name, &value)? || page.shown.take(call, name, &value)? => Ok(()),
            _ => Err(query::unknown(name)),
        })?;
        Ok(page)
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

async fn fill(call: Call<'_>, queue: &mut crate::messaging::OpenQueue<'_>, page: &Page) -> Result<Answer, ApiError> {
    let mut options = page.matched.options();
    options.flags |= GetFlags::NO_SYNCPOINT | GetFlags::BROWSE_NEXT;
    let handle = queue.handle();
    if let (Some(place), Some(local)) = (page.cursor, queue.connection().local()) {
        local.browse_from(handle, place).map_err(|error| queue.target().failed(&error))?;
    }
    let limit = page.limit.unwrap_or(DEFAULT_PAGE);
    let room = call.settings.options.limits.body_bytes;
    let mut list = List::new();
    let mut walk = Walk::default();
    let mut looked_at = 0;
    let mut last = page.cursor;
    let is_more = loop {
        if list.count >= limit || list.bytes.len() >= room || looked_at >= MOST_LOOKED_AT {
            break true;
        }
        let Some(local) = queue.connection().local() else { break false };
        let got = match local.get_placed(handle, &options).await {
            Ok(got) => got,
            Err(error) if error.reason() == Reason::NoMsgAvailable => break false,
            Err(error) => return Err(queue.target().failed(&error)),
        };
        looked_at += 1;
        last = Some(got.place());
        let content = Content::of(&got.message);
        if page.contains.as_deref().is_none_or(|text| content.contains(text)) {
            list.add(call, &got.message, &content, Some(got.position()), &page.shown, &[]);
        }
        walk.step().await;
    };
    let cursor = last.filter(|_| is_more).map(|place| Value::from(write_cursor(place)));
    let more: Vec<(&str, Value)> = cursor.map(|cursor| ("cursor", cursor)).into_iter().collect();
    Ok(list.into_answer(&more))
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
    query::none(call.query())?;
    let (message, at) = one(call, identity).await?;
    let answer = get::raw(call, &message, Some(at));
    debug_assert_eq!(answer.status(), StatusCode::OK);
    Ok(answer)
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
