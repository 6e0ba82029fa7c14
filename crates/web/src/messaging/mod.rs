//! The messaging REST API: put, get, browse, list, publish. Each request is one operation outside syncpoint.
//!
//! Path, query and headers are read once, into the types of `model`; what a name means and whether the caller may use
//! it is the queue manager's decision. v1 and v2 behave alike; v3 prefixes identifiers with `ID:`, knows priorities
//! and message properties, and takes correlation ids of any text.

pub(crate) mod browse;
pub(crate) mod get;
mod headers;
pub(crate) mod list;
pub(crate) mod pool;
mod properties;
pub(crate) mod publish;
pub(crate) mod put;
mod readable;
mod selection;

use std::borrow::Cow;

use model::authority::Principal;
use model::name::{ObjectName, QueueName};
use model::options::{CloseOptions, GetFlags, GetOptions, ObjectDescriptor, ObjectKind, OpenOptions};
use model::reason::Reason;
use percent_encoding::percent_decode_str;
use queue_manager::connection::{GetResult, ObjectHandle};

use crate::auth::Identity;
use crate::error::{self, ApiError, Verb};
use crate::service::Call;

use self::pool::{Lent, Pool};

/// A queue or topic of one queue manager, as the path names it, and who wants to use it.
struct Target<'a> {
    pool: &'a Pool,
    principal: &'a Principal,
    verb: Verb,
    /// Queue name or topic string.
    object: Cow<'a, str>,
}

impl<'a> Target<'a> {
    /// # Errors
    /// 404 messaging is off or there is no such queue manager; 503 it does not run; 400 the name is not percent-encoded UTF-8.
    fn of(call: Call<'a>, identity: &'a Identity, verb: Verb) -> Result<Self, ApiError> {
        let settings = call.settings;
        if !settings.options.messaging.enabled {
            return Err(ApiError::new(&error::MESSAGING_DISABLED, &[]));
        }
        let [queue_manager, object] = call.parameters;
        let queue_manager = decode(queue_manager)?;
        let pool = settings
            .pools
            .iter()
            .find(|pool| pool.queue_manager_name().as_str() == queue_manager)
            .ok_or_else(|| call.shared.unavailable(&queue_manager))?;
        let adopt = settings.options.messaging.adopt_web_user_context;
        let principal = if adopt { &identity.principal } else { &settings.server_principal };
        Ok(Self { pool, principal, verb, object: decode(object)? })
    }

    fn queue(&self) -> Result<ObjectDescriptor, ApiError> {
        let name = QueueName::parse(&self.object).ok().filter(|name| !name.is_blank());
        let name = name.ok_or_else(|| ApiError::new(&error::NAME_NOT_VALID, &[&self.object]))?;
        Ok(ObjectDescriptor { object: ObjectKind::Queue, name, ..ObjectDescriptor::default() })
    }

    fn topic(&self) -> ObjectDescriptor {
        let topic_string = self.object.clone().into_owned();
        let name = ObjectName::BLANK;
        ObjectDescriptor { object: ObjectKind::Topic, name, topic_string, ..ObjectDescriptor::default() }
    }

    fn failed(&self, reason: Reason) -> ApiError {
        let queue_manager = self.pool.queue_manager_name();
        ApiError::verb(self.verb, &self.object, queue_manager.as_str(), &self.principal.user, reason)
    }

    /// Opens the queue for `options` on a pooled connection.
    async fn open(self, options: OpenOptions) -> Result<OpenQueue<'a>, ApiError> {
        let descriptor = self.queue()?;
        let lent = self.pool.lend().await?;
        let options = options | OpenOptions::FAIL_IF_QUIESCING;
        match lent.connection().open(self.principal, &descriptor, options).await {
            Ok(opened) => Ok(OpenQueue { target: self, lent, handle: opened.handle }),
            Err(reason) => {
                lent.give_back_after(reason);
                Err(self.failed(reason))
            }
        }
    }
}

/// A queue open for one request. Dropped without `close`, as when the client goes away, its connection is given up,
/// which closes the handle and ends what was under way.
struct OpenQueue<'a> {
    target: Target<'a>,
    lent: Lent<'a>,
    handle: ObjectHandle,
}

impl OpenQueue<'_> {
    async fn get(&self, options: &GetOptions) -> Result<GetResult, Reason> {
        self.lent.connection().get(self.handle, options).await
    }

    async fn close(self) {
        match self.lent.connection().close(self.handle, CloseOptions::empty()).await {
            Ok(()) => self.lent.give_back(),
            Err(reason) => self.lent.give_back_after(reason),
        }
    }
}

/// What every get and browse of this API has in common: outside syncpoint, properties as MQRFH2.
fn get_flags() -> GetFlags {
    GetFlags::NO_SYNCPOINT | GetFlags::FAIL_IF_QUIESCING | GetFlags::PROPERTIES_FORCE_MQRFH2
}

/// Decodes one part of the path.
fn decode(part: &str) -> Result<Cow<'_, str>, ApiError> {
    let decoded = percent_decode_str(part).decode_utf8();
    decoded.map_err(|_| ApiError::new(&error::NAME_NOT_VALID, &[part]))
}
