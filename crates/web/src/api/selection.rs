//! Query parameters that every resource with messages shares: which messages, how long to wait, how bodies are shown.

use std::time::Duration;

use message_api::content::Wanted;
use message_api::copybooks::Named;
use message_api::incoming::BodyForm;
use message_api::push::Matched;
use message_api::time_text::read_duration;
use model::identifier::{CorrelationId, GroupId, MessageId};
use model::options::{GetFlags, GetOptions};
use serde::Deserialize;

use crate::error::ApiError;
use crate::query;
use crate::service::Call;

use super::not_a_message;

const IDENTIFIER: &str = "48 hexadecimal digits";
/// Most messages of one answer.
pub(super) const MOST: usize = 1000;
/// Longest wait of a request.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// Which messages of a queue are meant.
#[derive(Debug, Default)]
pub(super) struct Match {
    message_id: Option<MessageId>,
    correlation_id: Option<CorrelationId>,
    group_id: Option<GroupId>,
    /// An SQL-92 selector.
    pub(super) selector: Option<String>,
}

impl Match {
    /// Takes one parameter; `false` when it is none of these.
    ///
    /// # Errors
    /// It has no such value, or was given before.
    pub(super) fn take(&mut self, name: &str, value: &str) -> Result<bool, ApiError> {
        let bad = || ApiError::parameter_expected(name, value, IDENTIFIER);
        match name {
            "id" => query::once(&mut self.message_id, name, MessageId::from_hex(value).ok_or_else(bad)?)?,
            "correlationId" => {
                query::once(&mut self.correlation_id, name, CorrelationId::from_hex(value).ok_or_else(bad)?)?;
            }
            "groupId" => query::once(&mut self.group_id, name, GroupId::from_hex(value).ok_or_else(bad)?)?,
            "selector" => query::once(&mut self.selector, name, value.to_owned())?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Whether every message is meant.
    pub(super) fn is_all(&self) -> bool {
        let Self { message_id, correlation_id, group_id, selector } = self;
        message_id.is_none() && correlation_id.is_none() && group_id.is_none() && selector.is_none()
    }

    /// As a push target keeps it.
    pub(super) fn into_push(self) -> Matched {
        Matched {
            id: self.message_id,
            correlation_id: self.correlation_id,
            group_id: self.group_id,
            selector: self.selector.unwrap_or_default(),
        }
    }

    pub(super) fn options(&self) -> GetOptions {
        let mut options = GetOptions {
            flags: GetFlags::FAIL_IF_QUIESCING | GetFlags::PROPERTIES_FORCE_MQRFH2,
            ..GetOptions::default()
        };
        options.match_identifiers(self.message_id, self.correlation_id, self.group_id);
        options
    }
}

/// Takes one parameter about the data of messages; `false` when it is none of these.
///
/// # Errors
/// As `Match::take`.
pub(super) fn take_wanted(wanted: &mut Wanted, name: &str, value: &str) -> Result<bool, ApiError> {
    let length = || value.parse().map_err(|_| ApiError::parameter_expected(name, value, "a number of bytes"));
    match name {
        "contains" => query::once(&mut wanted.contains, name, value.to_owned())?,
        "minLength" => query::once(&mut wanted.min_length, name, length()?)?,
        "maxLength" => query::once(&mut wanted.max_length, name, length()?)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// The same as members of a JSON object.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
pub(super) struct MatchMembers {
    id: Option<String>,
    correlation_id: Option<String>,
    group_id: Option<String>,
    selector: Option<String>,
}

impl MatchMembers {
    /// # Errors
    /// As `Match::take`.
    pub(super) fn matched(&self) -> Result<Match, ApiError> {
        let mut matched = Match::default();
        let members = [
            ("id", &self.id),
            ("correlationId", &self.correlation_id),
            ("groupId", &self.group_id),
            ("selector", &self.selector),
        ];
        for (name, value) in members {
            if let Some(value) = value {
                matched.take(name, value)?;
            }
        }
        Ok(matched)
    }
}

/// How bodies are shown.
#[derive(Debug, Clone, Default)]
pub(super) struct Shown {
    pub(super) form: BodyForm,
    /// As records of it, where they are.
    pub(super) copybook: Option<Named>,
}

impl Shown {
    pub(super) fn new(form: BodyForm) -> Self {
        Self { form, copybook: None }
    }

    /// Takes one parameter; `false` when it is none of these.
    ///
    /// # Errors
    /// 400 an unknown form or copybook; it was given before.
    pub(super) fn take(&mut self, call: Call<'_>, name: &str, value: &str) -> Result<bool, ApiError> {
        match name {
            "body" => self.form = body_form(name, value)?,
            "copybook" => query::once(&mut self.copybook, name, copybook(call, value)?)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// # Errors
/// 400 there is no such copybook, or it cannot be used.
pub(super) fn copybook(call: Call<'_>, name: &str) -> Result<Named, ApiError> {
    let found = call.shared.message_api.copybooks.find(name);
    let structure = found.map_err(|problem| not_a_message(&problem.into()))?;
    Ok(Named { name: name.to_owned(), structure })
}

/// # Errors
/// 400 no duration, or too long a one.
pub(super) fn wait(name: &str, value: &str) -> Result<Duration, ApiError> {
    let wait = read_duration(value).filter(|wait| *wait <= LONGEST_WAIT);
    wait.ok_or_else(|| ApiError::parameter_expected(name, value, "a duration of at most an hour, such as 30s"))
}

/// # Errors
/// 400 no number from 1 to `MOST`.
pub(super) fn number(name: &str, value: &str) -> Result<usize, ApiError> {
    let number = value.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| ApiError::parameter_expected(name, value, "a number from 1 to 1000"))
}

/// # Errors
/// 400 an unknown form.
pub(super) fn body_form(name: &str, value: &str) -> Result<BodyForm, ApiError> {
    BodyForm::parse(value)
        .ok_or_else(|| ApiError::parameter_expected(name, value, "auto, text, base64, raw, preview or none"))
}

/// A parameter that is there or not: `?envelope`, or `?envelope=true`.
///
/// # Errors
/// 400 another value.
pub(super) fn flag(name: &str, value: &str) -> Result<bool, ApiError> {
    match value {
        "" | "true" => Ok(true),
        "false" => Ok(false),
        other => Err(ApiError::parameter_expected(name, other, "true or false")),
    }
}
