//! Deliveries as a stream: each message locked and under a token, so many in flight.
//!
//! The tokens are those of the table of deliveries, and are settled like all others, by whatever connection. A place in flight is free when
//! its delivery has ended, in whatever way.

use std::sync::Arc;
use std::time::Duration;

use connection::error::ConnectionError;
use connection::pool::{Lent, Pool};
use connection::target::Acting;
use connection::verbs::{Backout, ObjectHandle};
use model::name::QueueName;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions};
use model::reason::Reason;
use queue_manager::{Clock, SystemClock};

use super::passing::subscribe;
use super::{Item, Streams, quiescing};
use crate::deliveries::{Delivered, Flight, InFlight, Origin, Token};

/// How messages are delivered.
pub struct Wanted {
    /// What to match.
    pub options: GetOptions,
    pub lock: Duration,
    pub most_in_flight: usize,
}

pub struct Delivering {
    streams: Arc<Streams>,
    lent: Lent,
    handle: ObjectHandle,
    /// Of a durable subscription.
    subscription: Option<ObjectHandle>,
    options: GetOptions,
    origin: Origin,
    places: Arc<InFlight>,
}

impl Delivering {
    /// Opens a queue, with the selector of its descriptor.
    ///
    /// # Errors
    /// As MQOPEN.
    pub async fn of_queue(
        streams: &Arc<Streams>,
        pool: &Arc<Pool>,
        acting: Acting<'_>,
        queue: &ObjectDescriptor,
        wanted: Wanted,
    ) -> Result<Self, ConnectionError> {
        let mut lent = pool.lend_apart()?;
        let options = OpenOptions::INPUT_AS_Q_DEF | OpenOptions::INQUIRE | OpenOptions::FAIL_IF_QUIESCING;
        let opened = lent.connection().open(acting, queue, options).await?;
        Self::new(streams, lent, acting, (queue.name, opened.handle, None), wanted).await
    }

    /// Makes or resumes a durable subscription of the user: its topic string, name and selector.
    ///
    /// # Errors
    /// As MQSUB.
    pub async fn of_subscription(
        streams: &Arc<Streams>,
        pool: &Arc<Pool>,
        acting: Acting<'_>,
        (topic, name, selector): (String, String, String),
        wanted: Wanted,
    ) -> Result<Self, ConnectionError> {
        let (lent, subscribed) = subscribe(pool, acting, topic, Some(name), selector).await?;
        let of = (subscribed.queue_name, subscribed.queue, Some(subscribed.subscription));
        Self::new(streams, lent, acting, of, wanted).await
    }

    async fn new(
        streams: &Arc<Streams>,
        mut lent: Lent,
        acting: Acting<'_>,
        (queue, handle, subscription): (QueueName, ObjectHandle, Option<ObjectHandle>),
        wanted: Wanted,
    ) -> Result<Self, ConnectionError> {
        let backout: Backout = lent.connection().backout(handle).await?;
        let local = lent.connection().local().ok_or(ConnectionError::from(Reason::FunctionNotSupported))?;
        let origin = Origin {
            queue_manager: local.connection().queue_manager(),
            queue,
            user: Arc::from(&*acting.principal().user),
            lock: wanted.lock,
            backout,
        };
        let places = InFlight::new(wanted.most_in_flight);
        let streams = Arc::clone(streams);
        Ok(Self { streams, lent, handle, subscription, options: wanted.options, origin, places })
    }

    pub(super) async fn next(&mut self) -> Result<Item, ConnectionError> {
        let flight = tokio::select! {
            biased;
            flight = self.places.begin() => flight,
            () = self.streams.over(&self.origin.queue_manager) => return Err(quiescing()),
        };
        let mut options = self.options.clone();
        options.flags |= GetFlags::WAIT;
        self.get(&options, &flight).await
    }

    pub(super) async fn next_now(&mut self) -> Option<Item> {
        let flight = self.places.try_begin()?;
        let options = self.options.clone();
        self.get(&options, &flight).await.ok()
    }

    async fn get(&mut self, options: &GetOptions, flight: &Flight) -> Result<Item, ConnectionError> {
        let local = self.lent.connection().local().ok_or_else(quiescing)?;
        let next = self.streams.deliveries.next_of(local, self.handle, options, &self.origin, flight);
        let Delivered { token, message, position } = next.await?;
        let until = SystemClock.now().saturating_add(self.origin.lock);
        Ok(Item { message, position, delivery: Some((token, until)), bookmark: None })
    }

    pub(super) async fn untold(&self, items: &[Option<Token>]) {
        let tokens: Vec<Token> = items.iter().flatten().copied().collect();
        self.streams.deliveries.return_untold(&tokens, &self.origin.user).await;
    }

    pub(super) async fn close(mut self) {
        for handle in std::iter::once(self.handle).chain(self.subscription) {
            if let Err(error) = self.lent.connection().close(handle).await {
                return self.lent.give_back_after(&error);
            }
        }
        self.lent.give_back();
    }
}
