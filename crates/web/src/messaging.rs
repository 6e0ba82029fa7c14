//! The messaging REST API: put, get, browse, list, publish. Each request is one operation outside syncpoint.
//!
//! Queue managers of this server and remote ones are used by the same code, on connections of a pool.
//! Path, query and headers are read once, into the types of `model`; what a name means and whether the caller may use
//! it is the queue manager's decision. v1 and v2 behave alike; v3 prefixes identifiers with `ID:`, knows priorities
//! and message properties, and takes correlation ids of any text.

pub(crate) mod browse;
pub(crate) mod get;
mod headers;
pub(crate) mod list;
pub(crate) mod pools;
mod properties;
pub(crate) mod publish;
pub(crate) mod put;
mod readable;
pub(crate) mod selection;

use std::borrow::Cow;
use std::sync::Arc;

use connection::error::ConnectionError;
use connection::pool::{Lent, Pool};
use connection::target::Acting;
use connection::verbs::{Connection, ObjectHandle, WaitTerms};
use identity::scope::{self, Object, Operations};
use identity::{Identity, Roles};
use model::message::Message;
use model::name::{ObjectName, QueueName};
use model::options::{GetFlags, GetOptions, ObjectDescriptor, ObjectKind, OpenOptions};
use percent_encoding::percent_decode_str;
use queue_manager::Accept;

use crate::admin::{Intent, acting_principal};
use crate::error::{self, ApiError, Verb};
use crate::service::Call;

/// A queue or topic of one queue manager, as the path names it, and who wants to use it.
pub(crate) struct Target<'a> {
    pool: &'a Arc<Pool>,
    acting: Acting<'a>,
    verb: Verb,
    /// Queue name or topic string.
    object: Cow<'a, str>,
}

impl<'a> Target<'a> {
    /// # Errors
    /// 404 messaging is off or there is no such queue manager; 503 it does not run; 400 the name is not percent-encoded UTF-8;
    /// 403 the API key is not for it.
    pub(crate) fn of(call: Call<'a>, identity: &'a Identity, verb: Verb) -> Result<Self, ApiError> {
        let object = decode(call.parameters[1])?;
        in_scope(identity, verb, &object)?;
        Ok(Self { object, ..Self::of_queue_manager(call, identity, verb)? })
    }

    /// As `of_operator`, of a path that does not name the queue manager and the object.
    ///
    /// # Errors
    /// As `of_operator`.
    pub(crate) fn of_named(
        call: Call<'a>,
        identity: &'a Identity,
        verb: Verb,
        (queue_manager, object): (&str, &'a str),
    ) -> Result<Self, ApiError> {
        in_scope(identity, verb, object)?;
        let target = Self::of_queue_manager_named(call, identity, verb, queue_manager)?;
        Self { object: Cow::Borrowed(object), ..target }.operated(call, identity)
    }

    /// As `of`, of a request that an operator may make too. Where the role of the user opens it, the server's own authority counts:
    /// MQWebAdmin for all, MQWebAdminRO to look. A user who has MQWebUser as well changes messages in its own name.
    ///
    /// # Errors
    /// As `of`. 403 MQWebAdminRO alone, and messages are to be changed.
    pub(crate) fn of_operator(call: Call<'a>, identity: &'a Identity, verb: Verb) -> Result<Self, ApiError> {
        Self::of(call, identity, verb)?.operated(call, identity)
    }

    fn operated(self, call: Call<'a>, identity: &'a Identity) -> Result<Self, ApiError> {
        let intent = if self.verb == Verb::BrowseFrom { Intent::Look } else { Intent::Change };
        if intent == Intent::Change && identity.roles.contains(Roles::MQWEB_USER) {
            return Ok(self);
        }
        let principal = acting_principal(call, identity, intent)?;
        let acting = match call.settings.options.messaging.adopt_web_user_context {
            true => Acting::For(principal),
            false => Acting::AsConnected(&call.settings.server_principal),
        };
        Ok(Self { acting, ..self })
    }

    /// The queue manager alone.
    ///
    /// # Errors
    /// As `of`.
    pub(crate) fn of_queue_manager(call: Call<'a>, identity: &'a Identity, verb: Verb) -> Result<Self, ApiError> {
        let queue_manager = decode(call.parameters[0])?;
        Self::of_queue_manager_named(call, identity, verb, &queue_manager)
    }

    fn of_queue_manager_named(
        call: Call<'a>,
        identity: &'a Identity,
        verb: Verb,
        queue_manager: &str,
    ) -> Result<Self, ApiError> {
        let settings = call.settings;
        if !settings.options.messaging.enabled {
            return Err(ApiError::new(&error::MESSAGING_DISABLED, &[]));
        }
        let member_of_group = || {
            let member = call.shared.queue_managers.admitting_one(queue_manager).ok()?;
            pools::find(&settings.pools, member.name().as_str())
        };
        let pool = pools::find(&settings.pools, queue_manager).or_else(member_of_group);
        let pool = pool.ok_or_else(|| call.shared.unavailable(queue_manager))?;
        let acting = match settings.options.messaging.adopt_web_user_context {
            true => Acting::For(&identity.principal),
            false => Acting::AsConnected(&settings.server_principal),
        };
        Ok(Self { pool, acting, verb, object: Cow::Borrowed("") })
    }

    /// One that was taken apart, to go on in a task of its own.
    pub(crate) fn again(pool: &'a Arc<Pool>, acting: Acting<'a>, verb: Verb, object: &'a str) -> Self {
        Self { pool, acting, verb, object: Cow::Borrowed(object) }
    }

    /// Another object of the same queue manager.
    pub(crate) fn with_object(&self, object: &'a str) -> Self {
        Self { object: Cow::Borrowed(object), ..*self }
    }

    pub(crate) fn pool(&self) -> &'a Arc<Pool> {
        self.pool
    }

    pub(crate) fn acting(&self) -> Acting<'a> {
        self.acting
    }

    pub(crate) fn verb(&self) -> Verb {
        self.verb
    }

    /// Queue name or topic string.
    pub(crate) fn object(&self) -> &str {
        &self.object
    }

    pub(crate) fn queue_manager(&self) -> &str {
        self.pool.name()
    }

    pub(crate) fn is_remote(&self) -> bool {
        self.pool.is_remote()
    }

    pub(crate) fn queue(&self) -> Result<ObjectDescriptor, ApiError> {
        let name = QueueName::parse(&self.object).ok().filter(|name| !name.is_blank());
        let name = name.ok_or_else(|| ApiError::new(&error::NAME_NOT_VALID, &[&self.object]))?;
        Ok(ObjectDescriptor { object: ObjectKind::Queue, name, ..ObjectDescriptor::default() })
    }

    pub(crate) fn topic(&self) -> ObjectDescriptor {
        let topic_string = self.object.clone().into_owned();
        let name = ObjectName::BLANK;
        ObjectDescriptor { object: ObjectKind::Topic, name, topic_string, ..ObjectDescriptor::default() }
    }

    pub(crate) fn failed(&self, error: &ConnectionError) -> ApiError {
        match error {
            ConnectionError::PoolExhausted { name, most } => {
                ApiError::new(&error::POOL_EXHAUSTED, &[&most.to_string(), name])
            }
            _ if error.is_about_connecting() => ApiError::connect(error.reason()),
            _ => {
                let user = &self.acting.principal().user;
                ApiError::verb(self.verb, &self.object, self.pool.name(), user, error.reason())
            }
        }
    }

    /// A call failed that puts or takes a message.
    pub(crate) fn change_failed(&self, error: &ConnectionError) -> ApiError {
        if !error.effect_is_unknown() {
            return self.failed(error);
        }
        let queue_manager = self.pool.name();
        tracing::warn!(queue_manager, object = &*self.object, %error, "the outcome of a messaging request is not known");
        ApiError::unknown_outcome(self.verb, &self.object, queue_manager, error.reason())
    }

    /// Opens the queue for `options` on a pooled connection.
    async fn open(self, options: OpenOptions) -> Result<OpenQueue<'a>, ApiError> {
        self.open_selected(options, "").await
    }

    /// As `open`, with a selector; empty for none.
    pub(crate) async fn open_selected(self, options: OpenOptions, selector: &str) -> Result<OpenQueue<'a>, ApiError> {
        let descriptor = ObjectDescriptor { selector: selector.to_owned(), ..self.queue()? };
        match self.pool.open(self.acting, &descriptor, options | OpenOptions::FAIL_IF_QUIESCING).await {
            Ok((lent, opened)) => Ok(OpenQueue { target: self, lent, handle: opened.handle }),
            Err(error) => Err(self.failed(&error)),
        }
    }
}

/// A queue open for one request. Dropped without `close`, as when the client goes away, its connection is given up,
/// which closes the handle and ends what was under way.
pub(crate) struct OpenQueue<'a> {
    target: Target<'a>,
    lent: Lent,
    handle: ObjectHandle,
}

impl<'a> OpenQueue<'a> {
    pub(crate) fn connection(&mut self) -> &mut Connection {
        self.lent.connection()
    }

    pub(crate) fn handle(&self) -> ObjectHandle {
        self.handle
    }

    pub(crate) fn target(&self) -> &Target<'a> {
        &self.target
    }

    async fn get(&mut self, options: &GetOptions) -> Result<Box<Message>, ConnectionError> {
        self.lent.connection().get(self.handle, options).await
    }

    /// As `get`, of a message that `accept` allows to be taken; not for remote queues.
    async fn get_accepted(
        &mut self,
        options: &GetOptions,
        accept: &Accept<'_>,
    ) -> Result<Box<Message>, ConnectionError> {
        self.lent.connection().get_accepted(self.handle, options, WaitTerms::default(), accept).await
    }

    async fn commit(&mut self) -> Result<(), ConnectionError> {
        self.lent.connection().commit().await
    }

    fn is_remote(&self) -> bool {
        self.target.pool.is_remote()
    }

    pub(crate) async fn close(mut self) {
        match self.lent.connection().close(self.handle).await {
            Ok(()) => self.lent.give_back(),
            Err(error) => self.lent.give_back_after(&error),
        }
    }
}

/// A walk over many messages, which lets the other connections of its thread have their turn after every few.
#[derive(Default)]
pub(crate) struct Walk {
    steps: u32,
}

impl Walk {
    const STEPS_OF_A_TURN: u32 = 32;

    pub(crate) async fn step(&mut self) {
        self.steps += 1;
        if self.steps == Self::STEPS_OF_A_TURN {
            self.steps = 0;
            tokio::task::yield_now().await;
        }
    }
}

/// What every get and browse of this API has in common: outside syncpoint, properties as MQRFH2.
fn get_flags() -> GetFlags {
    GetFlags::NO_SYNCPOINT | GetFlags::FAIL_IF_QUIESCING | GetFlags::PROPERTIES_FORCE_MQRFH2
}

/// # Errors
/// 403 the identity is that of an API key, which is not for the verb or the object.
pub(crate) fn in_scope(identity: &Identity, verb: Verb, object: &str) -> Result<(), ApiError> {
    let (operation, on) = match verb {
        Verb::PutTo => (Operations::PUT, Object::Queue(object)),
        Verb::GetFrom => (Operations::GET, Object::Queue(object)),
        Verb::BrowseFrom => (Operations::BROWSE, Object::Queue(object)),
        Verb::PublishTo => (Operations::PUBLISH, Object::Topic(object)),
        Verb::SubscribeTo => (Operations::SUBSCRIBE, Object::Topic(object)),
    };
    scope::require(identity, operation, on).map_err(|_| ApiError::scope(verb, object))
}

/// Decodes one part of the path.
///
/// # Errors
/// 400 it is not percent-encoded UTF-8.
pub(crate) fn decode(part: &str) -> Result<Cow<'_, str>, ApiError> {
    let decoded = percent_decode_str(part).decode_utf8();
    decoded.map_err(|_| ApiError::new(&error::NAME_NOT_VALID, &[part]))
}
