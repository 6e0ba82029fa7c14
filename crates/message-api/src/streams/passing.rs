//! A subscription that ends with its stream: its messages are got outside syncpoint, and gone once they are sent.
//!
//! Also how a stream subscribes at all, with a name or without.

use std::sync::Arc;

use connection::error::ConnectionError;
use connection::pool::{Lent, Pool};
use connection::target::Acting;
use connection::verbs::{ObjectHandle, Subscribed};
use model::options::{GetFlags, GetOptions};
use model::reason::Reason;
use model::subscribe::{SubscribeFlags, SubscriptionDescriptor};

use super::{Item, quiescing};

pub struct Passing {
    lent: Lent,
    handle: ObjectHandle,
    subscription: ObjectHandle,
    options: GetOptions,
}

impl Passing {
    /// # Errors
    /// As MQSUB.
    pub async fn of_topic(
        pool: &Arc<Pool>,
        acting: Acting<'_>,
        topic: String,
        selector: String,
        mut options: GetOptions,
    ) -> Result<Self, ConnectionError> {
        let (lent, Subscribed { subscription, queue, .. }) = subscribe(pool, acting, topic, None, selector).await?;
        options.flags |= GetFlags::NO_SYNCPOINT;
        Ok(Self { lent, handle: queue, subscription, options })
    }

    pub(super) async fn next(&mut self, may_wait: bool) -> Result<Item, ConnectionError> {
        let mut options = self.options.clone();
        options.flags.set(GetFlags::WAIT, may_wait);
        let local = self.lent.connection().local().ok_or_else(quiescing)?;
        let got = local.get_placed(self.handle, &options).await?;
        let position = got.position();
        Ok(Item { message: got.message, position, delivery: None, bookmark: None })
    }

    pub(super) async fn close(mut self) {
        for handle in [self.handle, self.subscription] {
            if let Err(error) = self.lent.connection().close(handle).await {
                return self.lent.give_back_after(&error);
            }
        }
        self.lent.give_back();
    }
}

/// Subscribes to a topic string, in which `+` and `#` stand for levels. With a name the subscription is durable, and one of the user's that
/// is there goes on; several streams share its messages.
pub(super) async fn subscribe(
    pool: &Arc<Pool>,
    acting: Acting<'_>,
    topic: String,
    name: Option<String>,
    selector: String,
) -> Result<(Lent, Subscribed), ConnectionError> {
    let mut lent = pool.lend_apart()?;
    let local = lent.connection().local().ok_or(ConnectionError::from(Reason::FunctionNotSupported))?;
    let subscribed = local.subscribe(acting, &subscription(topic, name, selector)).await?;
    Ok((lent, subscribed))
}

fn subscription(topic_string: String, name: Option<String>, selector: String) -> SubscriptionDescriptor {
    let mut flags = SubscribeFlags::CREATE
        | SubscribeFlags::MANAGED
        | SubscribeFlags::WILDCARD_TOPIC
        | SubscribeFlags::FAIL_IF_QUIESCING;
    if name.is_some() {
        flags |= SubscribeFlags::DURABLE | SubscribeFlags::RESUME;
    }
    let shared = name.is_some();
    let name = name.unwrap_or_default();
    SubscriptionDescriptor { flags, topic_string, name, selector, shared, ..SubscriptionDescriptor::default() }
}
