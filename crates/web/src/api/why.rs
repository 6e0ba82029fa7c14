//! `/api/v1/qmgr/{qmgr}/why/…`: the cause, not the code.
//!
//! What is shown is the trace of the queue manager's own decisions (`queue_manager::access`, `channel_admission`, `recent`); here
//! it becomes JSON and sentences. MQWebAdmin and MQWebAdminRO see all of it, with the MQSC lines that would change it.
//! MQWebUser sees its own refusals and the objects that it may display, and of authority records what DISPLAY AUTHREC would
//! show it.

mod channel;
mod dead_letter;
mod get;
mod hint;
mod refused;
mod shown;

pub(super) use channel::show as channel;
pub(super) use dead_letter::show as dead_letter;
pub(super) use get::show as get;
pub(crate) use hint::add as add_hint;
pub(super) use refused::show as refused;

use identity::{Identity, Roles};
use model::authority::{Authority, AuthorityObject, Principal};
use model::name::ObjectName;
use queue_manager::QueueManager;

use crate::admin::Reached;
use crate::error::{self, ApiError};
use crate::query;
use crate::service::Call;

/// Who asks why, of which queue manager.
struct Asker<'a> {
    call: Call<'a>,
    queue_manager: QueueManager,
    principal: &'a Principal,
    /// MQWebAdmin or MQWebAdminRO.
    is_administrator: bool,
}

impl<'a> Asker<'a> {
    /// # Errors
    /// 404 there is no such queue manager.
    fn of(call: Call<'a>, identity: &'a Identity) -> Result<Self, ApiError> {
        let queue_manager = Reached::of(call)?.queue_manager;
        Ok(Self { call, queue_manager, principal: &identity.principal, is_administrator: is_administrator(identity) })
    }

    /// DISPLAY of the object would show it.
    fn sees(&self, object: AuthorityObject, name: &ObjectName) -> bool {
        self.is_administrator || self.queue_manager.is_authorised(self.principal, object, name, Authority::DISPLAY)
    }

    /// # Errors
    /// 403 DISPLAY of the object would be refused.
    fn require(&self, object: AuthorityObject, name: &ObjectName) -> Result<(), ApiError> {
        let refused = || ApiError::not_authorized("display", name.as_str(), &self.principal.user);
        if self.sees(object, name) { Ok(()) } else { Err(refused()) }
    }

    /// DISPLAY AUTHREC and DISPLAY CHLAUTH would show records.
    fn sees_records(&self) -> bool {
        self.sees(AuthorityObject::QueueManager, &self.queue_manager.name())
    }

    /// A user by name, with its groups.
    async fn principal_of(&self, user: &str) -> Principal {
        self.call.settings.authenticator.principal_of(user, self.call.now).await
    }
}

fn is_administrator(identity: &Identity) -> bool {
    identity.roles.intersects(Roles::MQWEB_ADMIN | Roles::MQWEB_ADMIN_RO)
}

/// # Errors
/// 400 it is no name.
fn object_name(name: &str, value: &str) -> Result<ObjectName, ApiError> {
    let parsed = ObjectName::parse(value).ok().filter(|parsed| !parsed.is_blank());
    parsed.ok_or_else(|| ApiError::parameter_expected(name, value, "a name of at most 48 characters"))
}

/// A parameter that the others make necessary.
fn missing(name: &str, expected: &str) -> ApiError {
    ApiError::parameter_expected(name, "", expected)
}

/// Parameters as text, each of `known` once.
///
/// # Errors
/// 400 another parameter, or one twice.
fn parameters<const N: usize>(call: Call<'_>, known: [&str; N]) -> Result<[Option<String>; N], ApiError> {
    let mut values = [const { None }; N];
    query::each(call.query(), |name, value| match known.iter().position(|known| *known == name) {
        Some(index) => query::once(&mut values[index], name, value.into_owned()),
        None => Err(ApiError::new(&error::PARAMETER_UNKNOWN, &[name])),
    })?;
    Ok(values)
}

/// Most entries of a list, unless the query says otherwise.
const DEFAULT_PAGE: usize = 100;

/// # Errors
/// 400 no number from 1 to 1000.
fn limit(value: Option<&str>) -> Result<usize, ApiError> {
    value.map_or(Ok(DEFAULT_PAGE), |value| super::selection::number("limit", value))
}

/// # Errors
/// 400 no moment.
fn since(value: Option<&str>) -> Result<model::timestamp::Timestamp, ApiError> {
    let Some(value) = value else { return Ok(model::timestamp::Timestamp::default()) };
    let moment = message_api::time_text::read_moment(value);
    moment.ok_or_else(|| ApiError::parameter_expected("since", value, "a moment such as 2026-11-23T04:00:00Z"))
}
