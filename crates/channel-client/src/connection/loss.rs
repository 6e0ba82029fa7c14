//! A lost connection is made again: MQCONN with the same options, every object opened anew, subscriptions made or resumed,
//! consumers asked for anew.
//!
//! Messages that came for consumers outside syncpoint, and that the program has not taken, are kept: their queue has them no
//! more. Those under syncpoint are dropped, for they are back on their queue.
//!
//! Source: MQ Application programming, "Automatic client reconnection"; MQ reference, 2003, 2546, 2548, 2549, 2556.

use std::time::Duration;

use channel_protocol::structure::object_descriptor::ObjectStructure;
use model::options::{CloseOptions, OpenOptions};
use model::reason::Reason;
use tokio::time::{Instant, sleep};

use super::subscription::Given;
use super::{Connection, ObjectHandle, Origin, Reply, Unconfirmed, Work};
use crate::client::Connected;
use crate::error::ChannelError;
use crate::reconnect::{Event, Reconnect, is_passing};
use crate::reply::Ended;

/// What becomes of the call that met the loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It changed nothing, or may be done twice.
    Repeatable,
    /// It belongs to the unit of work, which is gone.
    Syncpoint,
    /// It may have taken effect, and must not twice.
    Uncertain,
}

impl Connection {
    /// Whether this error means that the connection is to be made again.
    pub(super) fn reconnects_after(&self, error: &ChannelError) -> bool {
        self.client.options().reconnect != Reconnect::Disabled
            && match error {
                ChannelError::Broken { .. } => true,
                ChannelError::Refused { .. } => error.reason().ends_connection(),
                _ => false,
            }
    }

    /// An answer that says that the connection is going counts as its loss, where the connection is made again.
    pub(super) fn met_loss<T>(
        &self,
        verb: &'static str,
        answered: Result<T, ChannelError>,
        ended: impl Fn(&T) -> Ended,
    ) -> Result<T, ChannelError> {
        let answer = answered?;
        let ended = ended(&answer);
        if ended.is_failed() {
            let error = ended.error(verb);
            if self.reconnects_after(&error) {
                return Err(error);
            }
        }
        Ok(answer)
    }

    /// Makes the connection again. `Ok`: repeat the call.
    ///
    /// # Errors
    /// 2003 or 2549, as `fate` says, when the connection stands again; 2548, 2556 or 2546 when it does not.
    pub(super) async fn recover(
        &mut self,
        verb: &'static str,
        error: ChannelError,
        fate: Fate,
    ) -> Result<(), ChannelError> {
        if self.work == Work::Open || fate == Fate::Syncpoint {
            self.work = Work::BackedOut;
        }
        if self.unconfirmed == Unconfirmed::Some {
            self.unconfirmed = Unconfirmed::Lost;
        }
        self.collect();
        self.consumers.lose_connection();
        // An answer that says so has changed nothing, and so has what was not sent.
        let unanswered = matches!(error, ChannelError::Broken { unsent: false, .. });
        self.reconnect(error).await?;
        match fate {
            Fate::Syncpoint => Err(ChannelError::refused(verb, Reason::BackedOut)),
            Fate::Uncertain if unanswered => Err(ChannelError::refused(verb, Reason::CallInterrupted)),
            Fate::Uncertain | Fate::Repeatable => Ok(()),
        }
    }

    async fn reconnect(&mut self, first: ChannelError) -> Result<(), ChannelError> {
        let made = self.tries(first).await;
        self.tell(match &made {
            Ok(()) => Event::Reconnected,
            Err(error) => Event::Failed(error.reason()),
        });
        made
    }

    fn tell(&self, event: Event) -> Option<Duration> {
        self.observer.as_ref().and_then(|observer| observer(event))
    }

    async fn tries(&mut self, first: ChannelError) -> Result<(), ChannelError> {
        let patience = self.client.options().patience.clone();
        let end = now() + patience.limit;
        let mut last = first;
        for attempt in 0.. {
            let mut pause = patience.pause(attempt, rand::random());
            if self.observer.is_some() {
                let Some(wanted) = self.tell(Event::Reconnecting(pause)) else {
                    let source = Some(Box::new(last));
                    return Err(ChannelError::Reconnect { reason: Reason::ReconnectFailed, source });
                };
                pause = wanted;
            }
            if now() + pause > end {
                let source = Some(Box::new(last));
                return Err(ChannelError::Reconnect { reason: Reason::ReconnectTimedOut, source });
            }
            sleep(pause).await;
            match self.once().await {
                Ok(()) => return Ok(()),
                Err(error) if is_worth_another_try(&error) => {
                    last = error;
                }
                Err(error) => {
                    let source = Some(Box::new(error));
                    return Err(ChannelError::Reconnect { reason: Reason::ReconnectFailed, source });
                }
            }
        }
        Ok(())
    }

    /// One try: a conversation with a queue manager that will do, and all objects open on it.
    async fn once(&mut self) -> Result<(), ChannelError> {
        let Connected { conversation, queue_manager } = self.client.conversation().await?;
        let identifier = conversation.socket().negotiated.queue_manager_identifier;
        if self.client.options().reconnect == Reconnect::SameQueueManager && identifier != self.identifier {
            return Err(ChannelError::Reconnect { reason: Reason::ReconnectQmidMismatch, source: None });
        }
        self.conversation = conversation;
        self.queue_manager = queue_manager;
        self.reopen_all().await?;
        self.resubscribe_all().await?;
        // A queue whose subscription is closed went with the connection.
        let orphans = |object: &super::Object| matches!(object.origin, Origin::ManagedBy(None));
        for place in &mut self.objects {
            drop(place.take_if(|object| orphans(object)));
        }
        let Self { consumers, objects, .. } = self;
        consumers.renew(|handle| Some(objects.get(handle.0 as usize - 1)?.as_ref()?.handle));
        Ok(())
    }

    async fn reopen_all(&mut self) -> Result<(), ChannelError> {
        for index in 0..self.objects.len() {
            let Some(object) = &self.objects[index] else { continue };
            let Origin::Opened { object, options } = &object.origin else { continue };
            let (object, options) = (object.clone(), *options);
            let handle = self.reopen(&object, options).await?;
            if let Some(object) = &mut self.objects[index] {
                object.handle = handle;
            }
        }
        Ok(())
    }

    async fn resubscribe_all(&mut self) -> Result<(), ChannelError> {
        for index in 0..self.objects.len() {
            let Some(object) = &self.objects[index] else { continue };
            let Origin::Subscribed(subscription) = &object.origin else { continue };
            let (subscription, number) = (subscription.clone(), ObjectHandle::at(index));
            let given = match subscription.given.as_deref() {
                None => None,
                Some(Given { open: Some(open), .. }) => Some((self.object("MQSUB", *open)?.handle, false)),
                Some(Given { opened: Some((object, options)), .. }) => {
                    Some((self.reopen(object, *options).await?, true))
                }
                Some(_) => return Err(ChannelError::refused("MQSUB", Reason::HobjError)),
            };
            let again = subscription.again();
            let made = self.subscribe_once(again, subscription.shared, given.map(|(queue, _)| queue)).await?;
            made.ended.well("MQSUB")?;
            if let Some((queue, true)) = given {
                self.close_once(queue, CloseOptions::empty()).await?;
            }
            let mut is_wanted = given.is_some();
            for object in self.objects.iter_mut().flatten() {
                if matches!(object.origin, Origin::ManagedBy(Some(of)) if of == number) {
                    object.handle = made.queue;
                    is_wanted = true;
                }
            }
            if !is_wanted {
                self.close_once(made.queue, CloseOptions::empty()).await?;
            }
            if let Some(object) = &mut self.objects[index] {
                object.handle = made.subscription;
            }
        }
        Ok(())
    }

    /// A dynamic queue that is still there is opened by its own name.
    async fn reopen(&mut self, object: &ObjectStructure, options: OpenOptions) -> Result<i32, ChannelError> {
        match self.opened_once(object, options).await {
            Err(error) if error.reason() == Reason::ObjectAlreadyExists => {
                let named = ObjectStructure { name: object.dynamic_queue, ..object.clone() };
                self.opened_once(&named, options).await
            }
            other => other,
        }
    }

    async fn opened_once(&mut self, object: &ObjectStructure, options: OpenOptions) -> Result<i32, ChannelError> {
        self.open_once(object, options).await.and_then(Reply::well).map(|reply| reply.header.handle)
    }
}

/// What the queue manager still has open for the lost connection is given free when it has noticed the loss.
fn is_worth_another_try(error: &ChannelError) -> bool {
    let is_held = matches!(error.reason(), Reason::ObjectInUse | Reason::SubscriptionInUse | Reason::SubAlreadyExists);
    is_held || is_passing(error.reason()) || matches!(error, ChannelError::Handshake { .. })
}

fn now() -> Instant {
    Instant::now()
}
