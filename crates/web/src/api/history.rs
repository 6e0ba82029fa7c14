//! GET of `/qmgr/{qmgr}/history`: the figures of the last day, as the points of a chart.

use std::borrow::Cow;

use http::StatusCode;
use identity::Identity;
use message_api::history::{MOST_POINTS, Range, SeriesName, Subject};
use message_api::time_text::read_moment;
use model::authority::AuthorityObject;
use model::timestamp::Timestamp;
use queue_manager::QueueManager;

use crate::admin::decode;
use crate::answer::Answer;
use crate::error::{self, ApiError};
use crate::query;
use crate::service::Call;

use super::json;
use super::viewer::Looker;

/// Series of one request, and points of each without `points`.
const MOST_SERIES: usize = 50;
const DEFAULT_POINTS: u64 = 360;
/// What a request gets that names none.
const DEFAULT_SERIES: [&str; 4] = ["qmgr/puts", "qmgr/gets", "qmgr/depth", "qmgr/connections"];

/// # Errors
/// 400, 403 the user may not see one of the series, 404 there is no such object, or no history is kept, 501 a remote queue manager.
pub(super) fn show(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let queue_manager = local(call)?;
    let (series, range) = read(call.query())?;
    let looker = Looker::of(call, identity)?;
    for name in &series {
        check(&looker, &queue_manager, name.subject, &identity.name)?;
    }
    let chart = call.shared.message_api.history.chart(queue_manager.name(), &series, range);
    let chart = chart.ok_or_else(|| ApiError::new(&error::NO_HISTORY, &[]))?;
    Ok(json(StatusCode::OK, &chart))
}

/// The queue manager that the path names, if it is one of this server.
pub(super) fn local(call: Call<'_>) -> Result<QueueManager, ApiError> {
    let name = decode(call.parameters[0])?;
    if call.shared.messaging.knows_remote(&name) {
        return Err(ApiError::new(&error::NOT_REMOTE, &[&name]));
    }
    call.shared.queue_managers.get(&name).map_err(|_| call.shared.unavailable(&name))
}

/// A user who may not see an object is not told whether it exists.
fn check(looker: &Looker, queue_manager: &QueueManager, subject: Subject, user: &str) -> Result<(), ApiError> {
    let (kind, name, is_there) = match &subject {
        Subject::QueueManager => ("queue manager", queue_manager.name(), true),
        Subject::Queue(queue) => ("local queue", *queue, queue_manager.queue_status(queue).is_some()),
        Subject::Channel(channel) => {
            ("channel", *channel, queue_manager.object(AuthorityObject::Channel, channel).is_some())
        }
    };
    if !looker.sees_history(queue_manager, subject) {
        return Err(ApiError::not_authorized("see the history of", name.as_str(), user));
    }
    if !is_there {
        return Err(ApiError::object_unknown(kind, name.as_str(), queue_manager.name().as_str()));
    }
    Ok(())
}

fn read(query: Option<&str>) -> Result<(Vec<SeriesName>, Range), ApiError> {
    let mut series = Vec::new();
    let (mut from, mut to, mut points) = (None, None, None);
    query::each(query, |name, value: Cow<'_, str>| match name {
        "series" if series.len() == MOST_SERIES => {
            Err(ApiError::parameter_expected(name, &value, &format!("at most {MOST_SERIES} series")))
        }
        "series" => {
            let parsed = SeriesName::parse(&value);
            series.push(parsed.ok_or_else(|| ApiError::parameter_expected(name, &value, &SeriesName::expected()))?);
            Ok(())
        }
        "from" => query::once(&mut from, name, moment(name, &value)?),
        "to" => query::once(&mut to, name, moment(name, &value)?),
        "points" => {
            let number = value.parse().ok().filter(|number| (1..=MOST_POINTS).contains(number));
            let expected = || ApiError::parameter_expected(name, &value, &format!("a number from 1 to {MOST_POINTS}"));
            query::once(&mut points, name, number.ok_or_else(expected)?)
        }
        _ => Err(query::unknown(name)),
    })?;
    if series.is_empty() {
        series = DEFAULT_SERIES.iter().filter_map(|name| SeriesName::parse(name)).collect();
    }
    Ok((series, Range { from, to, points: points.unwrap_or(DEFAULT_POINTS) }))
}

pub(super) fn moment(name: &str, value: &str) -> Result<Timestamp, ApiError> {
    let moment = read_moment(value);
    moment.ok_or_else(|| ApiError::parameter_expected(name, value, "a moment such as 2026-11-23T04:00:00Z"))
}
