//! The queue or durable subscription of a push target, open as its user.
//!
//! The connection is the server's; the queue manager checks the authority of the user at the open. Dropping it in the middle of
//! a get puts back what that get took.

use std::sync::Arc;
use std::time::Duration;

use connection::verbs::Backout;
use model::authority::Principal;
use model::name::QueueName;
use model::options::{GetOptions, ObjectDescriptor, ObjectKind, OpenOptions};
use model::reason::Reason;
use model::subscribe::{SubscribeFlags, SubscriptionDescriptor};
use queue_manager::QueueManager;
use queue_manager::connection::{Connection, GetResult, ObjectHandle};

use super::definition::{Definition, Source};
use crate::deliveries::{Deliveries, Delivery, GivenUp, Origin};

pub(super) struct OpenSource {
    connection: Connection,
    handle: ObjectHandle,
    options: GetOptions,
    origin: Origin,
    /// Not that of a subscription, whose queue is the queue manager's: there is no backout queue for it.
    has_backout: bool,
}

/// What a queue gave.
pub(super) enum Next {
    /// A message whose body of so many bytes was not read.
    Message(Delivery, Box<GetResult>),
    /// The message had been backed out too often before.
    GivenUp(GivenUp),
}

impl OpenSource {
    /// Opens the queue. Of a subscription there may be none of its name yet: it is made then, and lasts.
    ///
    /// # Errors
    /// Those of MQOPEN or MQSUB.
    pub(super) async fn open(
        deliveries: &Deliveries,
        queue_manager: &QueueManager,
        principal: &Principal,
        definition: &Definition,
    ) -> Result<Self, Reason> {
        let connection = queue_manager.connect(deliveries.connect_options())?;
        let selector = definition.matched.selector.clone();
        let (handle, queue, has_backout) = match &definition.source {
            Source::Queue(name) => {
                let name = QueueName::parse(name).map_err(|_| Reason::UnknownObjectName)?;
                let object =
                    ObjectDescriptor { object: ObjectKind::Queue, name, selector, ..ObjectDescriptor::default() };
                let options = OpenOptions::INPUT_AS_Q_DEF | OpenOptions::INQUIRE | OpenOptions::FAIL_IF_QUIESCING;
                let opened = connection.open(principal, &object, options).await?;
                // A model queue would be another queue after each restart.
                if opened.object_name != name {
                    return Err(Reason::ObjectTypeError);
                }
                (opened.handle, name, true)
            }
            Source::Subscription { topic, name } => {
                let descriptor = SubscriptionDescriptor {
                    flags: SubscribeFlags::CREATE
                        | SubscribeFlags::RESUME
                        | SubscribeFlags::DURABLE
                        | SubscribeFlags::MANAGED
                        | SubscribeFlags::WILDCARD_TOPIC
                        | SubscribeFlags::FAIL_IF_QUIESCING,
                    topic_string: topic.clone(),
                    name: name.clone(),
                    selector,
                    ..SubscriptionDescriptor::default()
                };
                let subscribed = connection.subscribe(principal, &descriptor, None).await?;
                (subscribed.queue, subscribed.queue_name, false)
            }
        };
        let user = Arc::from(definition.owner.user.as_str());
        let backout = Backout { threshold: 0, queue: QueueName::BLANK };
        let origin = Origin { queue_manager: queue_manager.clone(), queue, user, lock: Duration::MAX, backout };
        Ok(Self { connection, handle, options: definition.matched.options(), origin, has_backout })
    }

    /// Waits for a message.
    ///
    /// # Errors
    /// Those of MQGET; the source has to be opened anew.
    pub(super) async fn next(&self, deliveries: &Deliveries) -> Result<Next, Reason> {
        let got = self.connection.get(self.handle, &self.options).await?;
        let mut origin = self.origin.clone();
        if self.has_backout {
            origin.backout = Backout::of(&self.connection, self.handle)?;
        }
        match deliveries.hold(&self.connection, &got, origin, None).await {
            Ok(delivery) => Ok(Next::Message(delivery, got)),
            Err(given_up) => Ok(Next::GivenUp(given_up)),
        }
    }
}
