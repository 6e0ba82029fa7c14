//! What becomes of a message that its client gives back: backed out, or moved when that was once too often.
//!
//! The queue manager counts, applications act: BOTHRESH and BOQNAME are for them, and here the server acts for its clients, as
//! itself. A move is in the unit of work of the delivery: the message is on one queue or on the other.

use bytes::Bytes;
use model::descriptor::{Ccsid, Encoding, Format};
use model::header::dead_letter::DeadLetterHeader;
use model::message::Message;
use model::name::{QueueManagerName, QueueName};
use model::options::{ObjectDescriptor, PutFlags, PutOptions};
use model::reason::Reason;
use model::text::Text;
use queue_manager::{Clock, ConnectOptions, SystemClock};

use super::{Deliveries, Delivery, GivenUp};

/// MQAT_QMGR: what the server does by itself, the queue manager does.
const QUEUE_MANAGER: i32 = 7;

/// Whether the message has been backed out as often as BOTHRESH says, `more` times included.
pub(super) fn is_due(delivery: &Delivery, more: u32) -> bool {
    let times = delivery.of.backout_count + more;
    delivery.of.backout.threshold > 0 && times >= delivery.of.backout.threshold && !delivery.of.backout.queue.is_blank()
}

impl Deliveries {
    /// Backs the delivery out, or moves its message to the backout queue; `more` is 1 when backing out counts now.
    pub(crate) async fn give_up(&self, delivery: Delivery, more: u32) -> GivenUp {
        let unit = if is_due(&delivery, more) {
            let (queue, to) = (delivery.of.queue, delivery.of.backout.queue);
            match self.move_to(delivery, to, again).await {
                Ok(()) => {
                    tracing::warn!(
                        queue = queue.as_str(),
                        to = to.as_str(),
                        "a message was backed out as often as BOTHRESH says, and is on the backout queue now"
                    );
                    return GivenUp::Moved;
                }
                Err((reason, unit)) => {
                    tracing::warn!(
                        queue = queue.as_str(),
                        to = to.as_str(),
                        %reason,
                        "a message that was backed out as often as BOTHRESH says stays on its queue, because the backout \
                         queue does not take it"
                    );
                    unit
                }
            }
        } else {
            Some(delivery)
        };
        if let Some(delivery) = unit
            && let Err(reason) = delivery.unit.back_out().await
        {
            tracing::warn!(%reason, "a delivery could not be backed out; the next start of the queue manager does it");
        }
        GivenUp::BackedOut
    }

    /// Puts the message to the dead-letter queue behind a header with this reason, and commits.
    ///
    /// # Errors
    /// `UnknownObjectName` (2085): there is no dead-letter queue. Otherwise those of a put. The delivery is as it was, unless it
    /// is gone.
    pub(crate) async fn dead_letter(&self, delivery: Delivery, reason: i32) -> Result<(), (Reason, Option<Delivery>)> {
        let to = delivery.of.queue_manager.definition().dead_letter_queue;
        if to.is_blank() {
            return Err((Reason::UnknownObjectName, Some(delivery)));
        }
        let (queue, queue_manager) = (delivery.of.queue, delivery.of.queue_manager.name());
        self.move_to(delivery, to, |message| with_header(again(message), queue, queue_manager, reason)).await
    }

    async fn move_to(
        &self,
        delivery: Delivery,
        to: QueueName,
        change: impl FnOnce(Message) -> Message,
    ) -> Result<(), (Reason, Option<Delivery>)> {
        // It is not kept in memory while a client has it.
        let message = match delivery.unit.message().await {
            Ok(Some(message)) => change(*message),
            Ok(None) => return Err((Reason::BackedOut, None)),
            Err(reason) => return Err((reason, Some(delivery))),
        };
        let connection = match delivery.of.queue_manager.connect(self.connect_options()) {
            Ok(connection) => connection,
            Err(reason) => return Err((reason, Some(delivery))),
        };
        let Delivery { unit, of } = delivery;
        if let Err(reason) = connection.attach(unit) {
            return Err((reason, None));
        }
        let object = ObjectDescriptor { name: to, ..ObjectDescriptor::default() };
        let flags = PutFlags::SYNCPOINT | PutFlags::FAIL_IF_QUIESCING | PutFlags::SET_ALL_CONTEXT;
        let options = PutOptions { flags, context: None };
        let put = connection.put1_message(&self.server, &object, Box::new(message), &options).await;
        if let Err(reason) = put {
            // A put that is refused leaves the unit of work as it was.
            let unit = connection.detach();
            return Err((reason, unit.map(|unit| Delivery { unit, of })));
        }
        match connection.commit_together(Vec::new(), None).await {
            Ok(()) => Ok(()),
            Err(refused) => {
                // What was put is in the unit of work too: it can only be backed out whole.
                let _ = connection.back_out().await;
                Err((refused.reason, None))
            }
        }
    }

    pub(crate) fn connect_options(&self) -> ConnectOptions {
        ConnectOptions {
            principal: self.server.clone(),
            application_name: "quaymaster message API".to_owned(),
            application_type: QUEUE_MANAGER,
            channel: String::new(),
            connection_name: String::new(),
        }
    }
}

/// The message with its identifiers and context, counted anew.
fn again(mut message: Message) -> Message {
    message.descriptor.backout_count = 0;
    message
}

fn with_header(mut message: Message, queue: QueueName, queue_manager: QueueManagerName, reason: i32) -> Message {
    let of = &message.descriptor;
    let now = SystemClock.now();
    let header = DeadLetterHeader {
        reason,
        destination_queue: Text::from_bytes(queue.padded()),
        destination_queue_manager: Text::from_bytes(queue_manager.padded()),
        encoding: of.encoding,
        ccsid: of.ccsid,
        format: of.format,
        put_application_type: of.put_application_type,
        put_application_name: of.put_application_name,
        put_date: now.put_date(),
        put_time: now.put_time(),
    };
    let mut body = Vec::with_capacity(DeadLetterHeader::LENGTH + message.body.len());
    header.encode(Encoding::NATIVE, &mut body);
    body.extend_from_slice(&message.body);
    message.body = Bytes::from(body);
    message.descriptor.format = Format::DEAD_LETTER_HEADER;
    message.descriptor.encoding = Encoding::NATIVE;
    message.descriptor.ccsid = Ccsid::UTF_8;
    message
}
