//! The job of one consumer: gets what is asked for, and sends it.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use channel_protocol::flow::consume::{AsyncMessage, Notification};
use channel_protocol::output::Envelope;
use channel_protocol::segment::{Address, SegmentType};
use channel_protocol::structure::message_descriptor::Descriptor;
use model::descriptor::Persistence;
use model::options::GetFlags;
use model::reason::Reason;
use queue_manager::Connection;
use queue_manager::connection::GetResult;

use crate::consumer::state::{Consumer, Group, Next, Order};
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
    shared: Arc<Shared>,
    connection: Arc<Connection>,
) {
    let job = Job { group: &group, consumer: &consumer, shared: &shared };
    let mut is_inhibited = false;
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
        let got = connection.get_until(order.handle, &order.options, Some(&consumer.interrupt)).await;
        if std::mem::take(&mut is_inhibited) && got.as_ref().err() != Some(&Reason::GetInhibited) {
            job.notify(Notification::GET_ALLOWED);
        }
        match got {
            Ok(result) => job.send(&order, result),
            // Interrupted: what is there to do now?
            Err(Reason::NoMsgAvailable) if order.options.flags.contains(GetFlags::WAIT) => {}
            Err(Reason::NoMsgAvailable) => {
                if let Some(address) = consumer.take_confirm() {
                    job.notify_at(address, CONSUMER_QUEUE_EMPTY);
                }
            }
            Err(Reason::GetInhibited) => {
                job.notify_once(Notification::GET_INHIBITED, &mut is_inhibited);
                tokio::time::sleep(INHIBITED_PAUSE).await;
            }
            Err(Reason::QMgrQuiescing | Reason::ConnectionQuiescing) => {
                consumer.give_up();
                job.notify(Notification::QUIESCING);
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
        let in_unit = order.options.flags.contains(GetFlags::SYNCPOINT)
            || order.options.flags.contains(GetFlags::SYNCPOINT_IF_PERSISTENT)
                && result.descriptor.persistence == Persistence::Persistent;
        if result.warning == Some(Reason::TruncatedMsgFailed) {
            // It stays on its queue, and would be the next one again.
            self.consumer.give_up();
        }
        let reason = result.warning.map_or(0, Reason::number);
        self.send_message(reason, result, in_unit);
    }

    fn send_message(&self, reason: i32, result: GetResult, in_unit: bool) {
        let length = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        let actual_length = result.body.len();
        let ticket = self.group.sends(self.consumer, actual_length, in_unit);
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
            descriptor: Descriptor { version: ticket.descriptor_version, fields: result.descriptor },
            data: result.body,
        };
        self.shared.with_output(|output, form| {
            message.write(&Envelope::new(ticket.address, SegmentType::AsyncMessage, form), output);
        });
    }

    /// The program's callback learns of it: a message without data that carries the reason.
    fn fail(&self, reason: Reason) {
        if matches!(reason, Reason::QMgrStopping | Reason::ConnectionBroken) {
            self.shared.queue_manager_stops();
            return;
        }
        tracing::debug!(handle = self.consumer.handle, %reason, "a consumer gets no more messages");
        self.send_message(reason.number(), no_message(), false);
    }

    fn notify_once(&self, code: i32, is_known: &mut bool) {
        if !std::mem::replace(is_known, true) {
            self.notify(code);
        }
    }

    fn notify(&self, code: i32) {
        self.notify_at(self.consumer.address(), code);
    }

    fn notify_at(&self, address: Address, code: i32) {
        let handle = i32::try_from(self.consumer.handle).unwrap_or(-1);
        let notification = Notification { handle, code, value: 0 };
        self.shared.send(address, SegmentType::Notification, |writer| notification.encode(writer));
    }
}

fn no_message() -> GetResult {
    GetResult {
        descriptor: model::descriptor::MessageDescriptor::default(),
        body: bytes::Bytes::new(),
        data_length: 0,
        message_token: [0; 16],
        group_status: b' ',
        segment_status: b' ',
        segmentation: b' ',
        resolved_queue: model::name::QueueName::BLANK,
        warning: None,
    }
}
