//! MQSUB and MQSUBRQ.
//!
//! A subscription that several handles share is made by SPI verb 7, as the clients for JMS do, for MQSUB has no word for it;
//! every other one by MQSUB.
//!
//! Source: MQ reference, "MQSUB", "MQSUBRQ", 9.3; `docs/channel-protocol.md`, "Subscribing".

use channel_protocol::flow::call::NO_HANDLE;
use channel_protocol::flow::spi::{Spi, SpiInput, SpiOutput, SpiReply, verb};
use channel_protocol::flow::spi_subscribe::{SpiSubscribe, SubscriptionDestination};
use channel_protocol::flow::subscribe::{Subscribe, SubscriptionRequest};
use channel_protocol::segment::SegmentType;
use channel_protocol::structure::object_descriptor::ObjectStructure;
use channel_protocol::structure::subscription_descriptor::{SubscriptionRequestOptions, SubscriptionStructure};
use model::identifier::CorrelationId;
use model::options::OpenOptions;
use model::reason::Reason;
use model::subscribe::{SubscribeFlags, SubscriptionDescriptor};

use super::loss::Fate;
use super::{Connection, Object, ObjectHandle, Origin, Reply};
use crate::error::ChannelError;
use crate::negotiated::OWN_FORM;
use crate::reply::Ended;

/// MQSR_ACTION_PUBLICATION.
const ACTION_PUBLICATION: i32 = 1;
/// Of LSD, beside `SHARED`: what the Java client adds to it, and what it states where it asks to alter and to create.
const TOGETHER: i32 = 0x40;
const ALTER_OR_CREATE: i32 = 0x4000_0000;
/// Room for the reply's structures and for strings of the greatest length, in bytes.
const REPLY: usize = 1024 + 4 * SubscriptionDescriptor::MAXIMUM_LENGTH;

/// What MQSUB brought.
#[derive(Debug, Clone)]
pub struct Subscribed {
    /// Closing it ends a subscription that is not durable; a durable one stays but with `CloseOptions::REMOVE_SUB`.
    pub subscription: ObjectHandle,
    /// Where publications arrive: a new handle of the managed queue, or the one that was given.
    pub queue: ObjectHandle,
    /// What publications for it carry.
    pub correlation_id: CorrelationId,
    /// The whole topic string, unless the queue manager does not tell.
    pub topic_string: String,
    pub warning: Option<Reason>,
}

/// Enough to subscribe again on another connection.
#[derive(Debug, Clone)]
pub(super) struct Subscription {
    structure: SubscriptionStructure,
    pub(super) shared: bool,
    /// `None`: the queue manager provides the queue.
    pub(super) given: Option<Box<Given>>,
}

/// The program's queue.
#[derive(Debug, Clone)]
pub(super) struct Given {
    /// While it is open.
    pub(super) open: Option<ObjectHandle>,
    /// Where that is known.
    pub(super) opened: Option<(ObjectStructure, OpenOptions)>,
}

impl Subscription {
    pub(super) fn forget_queue(&mut self, handle: ObjectHandle) {
        if let Some(given) = &mut self.given {
            given.open = given.open.filter(|known| *known != handle);
        }
    }

    /// A durable one is resumed, as it was left; another made again under its correlation identifier.
    pub(super) fn again(&self) -> SubscriptionStructure {
        let mut structure = self.structure.clone();
        structure.flags.remove(SubscribeFlags::ALTER);
        if structure.flags.contains(SubscribeFlags::DURABLE) {
            structure.flags.insert(SubscribeFlags::RESUME);
        } else {
            structure.flags.insert(SubscribeFlags::CREATE | SubscribeFlags::SET_CORREL_ID);
        }
        structure
    }
}

/// A subscription on one connection, with the queue manager's handles.
pub(super) struct Made {
    pub(super) ended: Ended,
    pub(super) subscription: i32,
    pub(super) queue: i32,
    structure: SubscriptionStructure,
}

/// What MQSUB brought, as it came.
#[derive(Debug)]
pub struct SubscribedPassedOn {
    pub ended: Ended,
    /// `None` when it failed.
    pub subscription: Option<ObjectHandle>,
    pub queue: Option<ObjectHandle>,
    pub structure: SubscriptionStructure,
}

impl Connection {
    /// MQSUB. Without `queue` the descriptor has `SubscribeFlags::MANAGED`, and the queue manager provides one.
    ///
    /// A connection that is lost and made again has the subscription again: a durable one with all that was published
    /// meanwhile, another without.
    ///
    /// # Errors
    /// 2019 no destination or no such handle, 2428 nothing to resume, 2429 in use, 2432 there already, 2440 no or a bad
    /// name, 2035, 2085, 2425, 2459, 2503, and what else MQSUB may answer.
    pub async fn subscribe(
        &mut self,
        descriptor: &SubscriptionDescriptor,
        queue: Option<ObjectHandle>,
    ) -> Result<Subscribed, ChannelError> {
        let structure = SubscriptionStructure::from_model(descriptor);
        let made = self.subscribe_as(structure, descriptor.shared, queue).await?;
        made.ended.well("MQSUB")?;
        let (Some(subscription), Some(queue)) = (made.subscription, made.queue) else {
            return Err(ChannelError::broken("MQSUB succeeded without handles"));
        };
        Ok(Subscribed {
            subscription,
            queue,
            correlation_id: CorrelationId::new(made.structure.correlation_id),
            topic_string: made.structure.resolved_object_string.to_text(OWN_FORM).unwrap_or_default(),
            warning: made.ended.warning(),
        })
    }

    /// MQSUB as a program states it, and the structure as it comes back.
    ///
    /// # Errors
    /// The connection is broken, or there is no such queue handle (2019). What the queue manager says is in `ended`.
    pub async fn subscribe_passed_on(
        &mut self,
        structure: SubscriptionStructure,
        queue: Option<ObjectHandle>,
    ) -> Result<SubscribedPassedOn, ChannelError> {
        self.subscribe_as(structure, false, queue).await
    }

    async fn subscribe_as(
        &mut self,
        structure: SubscriptionStructure,
        shared: bool,
        queue: Option<ObjectHandle>,
    ) -> Result<SubscribedPassedOn, ChannelError> {
        loop {
            let given = queue.map(|queue| self.object("MQSUB", queue)).transpose()?.map(|object| object.handle);
            let made = self.subscribe_once(structure.clone(), shared, given).await;
            match self.met_loss("MQSUB", made, |made| made.ended) {
                Err(error) if self.reconnects_after(&error) => self.recover("MQSUB", error, Fate::Repeatable).await?,
                Err(error) => return Err(error),
                Ok(made) => return Ok(self.remember_subscription(structure, shared, queue, made)),
            }
        }
    }

    fn remember_subscription(
        &mut self,
        asked: SubscriptionStructure,
        shared: bool,
        queue: Option<ObjectHandle>,
        made: Made,
    ) -> SubscribedPassedOn {
        let Made { ended, structure, .. } = made;
        if ended.is_failed() {
            return SubscribedPassedOn { ended, subscription: None, queue: None, structure };
        }
        // A durable subscription that is resumed may have a destination of its own, whatever was given.
        let given = queue.filter(|&queue| self.object("MQSUB", queue).is_ok_and(|object| object.handle == made.queue));
        let opened = given.map(|queue| Box::new(Given { open: Some(queue), opened: self.opened_as(queue) }));
        let asked = SubscriptionStructure { correlation_id: structure.correlation_id, ..asked };
        let origin = Origin::Subscribed(Box::new(Subscription { structure: asked, shared, given: opened }));
        let subscription = self.remember(Object { handle: made.subscription, origin });
        let queue = given.unwrap_or_else(|| {
            self.remember(Object { handle: made.queue, origin: Origin::ManagedBy(Some(subscription)) })
        });
        SubscribedPassedOn { ended, subscription: Some(subscription), queue: Some(queue), structure }
    }

    fn opened_as(&self, handle: ObjectHandle) -> Option<(ObjectStructure, OpenOptions)> {
        match &self.object("MQSUB", handle).ok()?.origin {
            Origin::Opened { object, options } => Some(((**object).clone(), *options)),
            Origin::Subscribed(_) | Origin::ManagedBy(_) => None,
        }
    }

    /// `queue` is the queue manager's handle.
    pub(super) async fn subscribe_once(
        &mut self,
        structure: SubscriptionStructure,
        shared: bool,
        queue: Option<i32>,
    ) -> Result<Made, ChannelError> {
        let queue = queue.unwrap_or(0);
        if shared { self.share(structure, queue).await } else { self.subscribe_alone(structure, queue).await }
    }

    async fn subscribe_alone(&mut self, subscription: SubscriptionStructure, queue: i32) -> Result<Made, ChannelError> {
        let request = Subscribe { subscription_handle: NO_HANDLE, reserved: 0, subscription };
        let reply = self.call("MQSUB", SegmentType::Subscribe, queue, REPLY, |writer| request.encode(writer)).await?;
        let answer = match reply.read(Subscribe::decode) {
            Err(_) if reply.ended().is_failed() => request,
            answer => answer?,
        };
        Ok(Made {
            ended: reply.ended(),
            subscription: answer.subscription_handle,
            queue: reply.header.handle,
            structure: answer.subscription,
        })
    }

    async fn share(&mut self, subscription: SubscriptionStructure, queue: i32) -> Result<Made, ChannelError> {
        let alters = subscription.flags.contains(SubscribeFlags::ALTER | SubscribeFlags::CREATE);
        let destination = SubscriptionDestination {
            options: SubscriptionDestination::SHARED | TOGETHER | if alters { ALTER_OR_CREATE } else { 0 },
            open_options: OpenOptions::INPUT_AS_Q_DEF
                | OpenOptions::BROWSE
                | OpenOptions::INQUIRE
                | OpenOptions::FAIL_IF_QUIESCING,
            ..SubscriptionDestination::default()
        };
        let input = SpiInput::Subscribe(SpiSubscribe { subscription_handle: 0, destination, subscription });
        let out_maximum = i32::try_from(REPLY).unwrap_or(i32::MAX);
        let request = Spi { verb: verb::SUBSCRIBE, out_version: 1, out_maximum, input };
        let reply =
            self.call("MQSUB", SegmentType::Spi, queue, REPLY, |writer| request.encode(writer)).await?.well()?;
        match reply.read(SpiReply::decode)?.output {
            SpiOutput::Subscribe(answer) => Ok(Made {
                ended: reply.ended(),
                subscription: answer.subscription_handle,
                queue: reply.header.handle,
                structure: answer.subscription,
            }),
            _ => Err(ChannelError::broken("the reply to MQSUB has another structure")),
        }
    }

    /// MQSUBRQ of action MQSR_ACTION_PUBLICATION: has the retained publications of a subscription made with
    /// `SubscribeFlags::PUBLICATIONS_ON_REQUEST` sent to its queue. Returns how many there were.
    ///
    /// # Errors
    /// 2019 no subscription's handle, 2437 nothing retained, 2046, and what else MQSUBRQ may answer.
    pub async fn request_publications(&mut self, subscription: ObjectHandle) -> Result<u32, ChannelError> {
        let options = SubscriptionRequestOptions { options: 0, publications: 0 };
        let request = SubscriptionRequest { action: ACTION_PUBLICATION, options };
        let (ended, options) = self.request_publications_passed_on(subscription, request).await?;
        ended.well("MQSUBRQ")?;
        Ok(u32::try_from(options.publications).unwrap_or(0))
    }

    /// MQSUBRQ as a program states it.
    ///
    /// # Errors
    /// The connection is broken, or there is no such handle (2019).
    pub async fn request_publications_passed_on(
        &mut self,
        subscription: ObjectHandle,
        request: SubscriptionRequest,
    ) -> Result<(Ended, SubscriptionRequestOptions), ChannelError> {
        loop {
            let known = self.object("MQSUBRQ", subscription)?.handle;
            let asked =
                self.call("MQSUBRQ", SegmentType::SubscriptionRequest, known, 0, |writer| request.encode(writer));
            let reply = asked.await;
            match self.met_loss("MQSUBRQ", reply, Reply::ended) {
                Err(error) if self.reconnects_after(&error) => self.recover("MQSUBRQ", error, Fate::Repeatable).await?,
                Err(error) => return Err(error),
                Ok(reply) => {
                    let answer = match reply.read(SubscriptionRequest::decode) {
                        Err(_) if reply.ended().is_failed() => request,
                        answer => answer?,
                    };
                    return Ok((reply.ended(), answer.options));
                }
            }
        }
    }
}
