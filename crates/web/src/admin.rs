//! The administrative REST API: resources below `/admin`, and who acts when they are used.
//!
//! A web role opens a door; what may be done behind it is decided by the queue manager. MQWebAdmin and MQWebAdminRO act
//! with the authority of the server's user, the latter only to look; MQWebUser acts with the caller's own authority. Events name
//! the caller.
//!
//! Attributes are read and written through the attribute table, commands run through `command::execute_issued`, so that what a
//! request means is decided where MQSC's is. `plan.rs` works out once how an object is written, `source.rs` where its
//! values come from, `stream.rs` sends lists as fast as the client reads them.

mod body;
pub(crate) mod channel;
pub(crate) mod definitions;
mod etag;
mod filter;
pub(crate) mod installation;
mod json;
mod kind;
pub(crate) mod mqsc;
mod paging;
mod picked;
mod plan;
pub(crate) mod queue;
pub(crate) mod queue_change;
pub(crate) mod queue_manager;
mod selection;
mod source;
mod stream;
pub(crate) mod subscription;

use std::borrow::Cow;

use ::queue_manager::QueueManager;
use ::queue_manager::event::command::{Issuer, Origin};
use http::{HeaderName, HeaderValue};
use identity::role::MissingRole;
use identity::{Identity, Roles};
use model::authority::Principal;
use percent_encoding::percent_decode_str;

use crate::answer::Answer;
use crate::error::{self, ApiError};
use crate::service::Call;

/// Names the queue manager through which another one is administered.
pub(crate) const GATEWAY_HEADER: HeaderName = HeaderName::from_static("ibm-mq-rest-gateway-qmgr");

/// What a request of the administrative API is about to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Intent {
    /// DISPLAY and its like.
    Look,
    Change,
}

/// Whose authority counts: that of the highest role.
///
/// # Errors
/// 403 MQWebAdminRO alone, and something is to be changed.
pub(crate) fn acting_principal<'a>(
    call: Call<'a>,
    identity: &'a Identity,
    intent: Intent,
) -> Result<&'a Principal, ApiError> {
    let has = |role| identity.roles.contains(role);
    if has(Roles::MQWEB_ADMIN) || (has(Roles::MQWEB_ADMIN_RO) && intent == Intent::Look) {
        return Ok(&call.settings.server_principal);
    }
    if has(Roles::MQWEB_USER) {
        return Ok(&identity.principal);
    }
    let required = Roles::MQWEB_ADMIN | Roles::MQWEB_USER;
    Err(ApiError::role(&MissingRole { name: identity.name.clone(), required }))
}

/// Who issues a command: with the authority that the role lends, in the user's own name.
///
/// # Errors
/// 403 MQWebAdminRO alone, and something is to be changed.
pub(crate) fn issuer<'a>(call: Call<'a>, identity: &'a Identity, intent: Intent) -> Result<Issuer<'a>, ApiError> {
    let principal = acting_principal(call, identity, intent)?;
    Ok(Issuer { user: &identity.principal.user, ..Issuer::new(principal, Origin::Rest) })
}

/// A queue manager of this server, and the gateway through which the request reached it.
pub(crate) struct Reached {
    pub(crate) queue_manager: QueueManager,
    gateway: Option<HeaderValue>,
}

impl Reached {
    /// The queue manager that the first part of the path names. A gateway has to be one of this server too, and leads
    /// to its neighbours in this server only: there are no channels between queue managers.
    ///
    /// # Errors
    /// 404 there is no such queue manager or gateway; 400 a name that is not percent-encoded UTF-8.
    pub(crate) fn of(call: Call<'_>) -> Result<Self, ApiError> {
        let find = |name: &str| call.shared.queue_managers.get(name).map_err(|_| call.shared.unavailable(name));
        let gateway = call.headers().get(GATEWAY_HEADER);
        if let Some(gateway) = gateway {
            find(gateway.to_str().unwrap_or_default().trim())?;
        }
        let queue_manager = find(&decode(call.parameters[0])?)?;
        Ok(Self { queue_manager, gateway: gateway.cloned() })
    }

    /// Tells the client which gateway was used.
    pub(crate) fn decorate(&self, answer: &mut Answer) {
        if let Some(gateway) = &self.gateway {
            answer.headers_mut().insert(GATEWAY_HEADER, gateway.clone());
        }
    }
}

/// Decodes one part of the path.
pub(crate) fn decode(part: &str) -> Result<Cow<'_, str>, ApiError> {
    let decoded = percent_decode_str(part).decode_utf8();
    decoded.map_err(|_| ApiError::new(&error::NAME_NOT_VALID, &[part]))
}
