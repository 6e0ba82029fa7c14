//! The job of one consumer: gets what is asked for, and sends it.

use std::future::poll_fn;
use std::sync::{Arc, Weak};
use std::task::Poll;
use std::time::Duration;

use channel_protocol::flow::consume::{AsyncMessage, Notification};
use channel_protocol::flow::status;
use channel_protocol::output::Envelope;
use channel_protocol::segment::{Address, SegmentType};
use channel_protocol::structure::message_descriptor::Descriptor;
use model::descriptor::Persistence;
use model::message::Message;
use model::options::GetFlags;
use model::reason::Reason;
use queue_manager::connection::GetResult;
use queue_manager::{Connection, Terms};

use crate::admission::StatusCode;
use crate::consumer::state::{Consumer, Group, Next, Order};
use crate::conversation::Conversation;
use crate::shared::Shared;

/// How often a queue is tried whose gets are inhibited.
const INHIBITED_PAUSE: Duration = Duration::from_millis(500);

/// Codes of notifications that answer a request which asked for confirmation.
const CONSUMER_QUEUE_EMPTY: i32 = 15;
const STREAMING_PAUSED: i32 = 16;

/// Runs until its consumer is closed, or its connection is of no more use.
pub(super) async fn deliver(
    group: Arc<Group>,
    consumer: Arc<Consumer>,
    connection: Arc<Connection>,
    conversation: Weak<Conversation>,
) {
    // The conversation owns the job, and ends with it.
    let Some(shared) = conversation.upgrade().map(|conversation| conversation.shared.clone()) else { return };
    let job = Job { group: &group, consumer: &consumer, shared: &shared };
    loop {
        // Nothing is got that could not be written soon: it stays on its queue, for others too.
        if shared.is_congested() {
            shared.room().await;
        }
        // Who gives it something to do wakes the job.
        let order = match poll_fn(|_| group.next(&consumer).map_or(Poll::Pending, Poll::Ready)).await {
            Next::Get(order) => order,
            Next::Confirm(address) => {
                job.notify_at(address, STREAMING_PAUSED);
                continue;
            }
        };
        let turn = order.in_unit.then_some(&group.turn);
        let terms = Terms { interrupt: Some(&consumer.interrupt), turn, ..Terms::default() };
        let got = connection.get_on(order.handle, &order.options, &terms).await;
        match got {
            Ok(result) => job.send(&order, *result),
            // Interrupted: what is there to do now?
            Err(Reason::NoMsgAvailable)
                if order.options.flags.contains(GetFlags::WAIT) || consumer.interrupt.is_set() => {}
            Err(Reason::NoMsgAvailable) => {
                if let Some(address) = consumer.take_confirm() {
                    job.notify_at(address, CONSUMER_QUEUE_EMPTY);
                }
            }
            // Told of it (codes 1 and 2), the Java client delivers nothing more, not even afterwards.
            Err(Reason::GetInhibited) => consumer.interrupt.or(tokio::time::sleep(INHIBITED_PAUSE)).await,
            // The socket ends, and says so.
            Err(Reason::ConnectionQuiescing) => job.quiesce(),
            Err(Reason::QMgrQuiescing) => {
                job.quiesce();
                group.owe_farewell(&consumer);
                if let Some(conversation) = conversation.upgrade() {
                    super::say_farewell(&conversation);
                }
            }
            Err(reason) => {
                consumer.give_up();
                job.fail(reason);
            }
        }
    }
}

struct Job<'a> {
    group: &'a Group,
    consumer: &'a Consumer,
    shared: &'a Shared,
}

impl Job<'_> {
    fn send(&self, order: &Order, result: GetResult) {
        let stays = result.warning == Some(Reason::TruncatedMsgFailed);
        if stays {
            // It would be the next one again.
            self.consumer.give_up();
        }
        let is_persistent = result.descriptor.persistence == Persistence::Persistent;
        let flags = order.options.flags;
        let takes_in_unit =
            flags.contains(GetFlags::SYNCPOINT) || is_persistent && flags.contains(GetFlags::SYNCPOINT_IF_PERSISTENT);
        let in_unit = takes_in_unit && !stays;
        let reason = result.warning.map_or(0, Reason::number);
        let length = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        let actual_length = result.body.len();
        let ticket = self.group.sends(self.consumer, actual_length, in_unit);
        let Message { descriptor, body } = *result.message;
        let message = AsyncMessage {
            handle: i32::try_from(self.consumer.handle).unwrap_or(-1),
            message_index: ticket.message_index,
            global_index: ticket.global_index,
            selection_index: ticket.selection_index,
            reason,
            length: length(result.data_length),
            actual_length: length(actual_length),
            message_token: result.message_token,
            status: 0,
            resolved_queue: result.resolved_queue.as_str().as_bytes().to_vec(),
            descriptor: Descriptor { version: ticket.descriptor_version, fields: descriptor },
            data: body,
        };
        self.shared.with_output(|output, form| {
            message.write(&Envelope::new(ticket.address, SegmentType::AsyncMessage, form), output);
        });
    }

    /// The conversation ends for the client (2009), which tells its program. A message that carried the reason would be
    /// handed to the program as one without content.
    fn fail(&self, reason: Reason) {
        tracing::info!(handle = self.consumer.handle, %reason, "a consumer gets no more messages");
        match reason {
            Reason::QMgrStopping => self.shared.queue_manager_stops(),
            Reason::ConnectionBroken if self.shared.is_to_be_cut() => self.shared.cut(),
            _ => {
                self.shared
                    .send_status(self.consumer.address(), StatusCode(status::StatusCode::QUEUE_MANAGER_ENDING.0));
            }
        }
    }

    fn quiesce(&self) {
        self.consumer.give_up();
        self.notify_at(self.consumer.address(), Notification::QUIESCING);
    }

    fn notify_at(&self, address: Address, code: i32) {
        let handle = i32::try_from(self.consumer.handle).unwrap_or(-1);
        let notification = Notification { handle, code, value: 0 };
        self.shared.send(address, SegmentType::Notification, |writer| notification.encode(writer));
    }
}
