//! Asynchronous consumers (MQCB and MQCTL): messages that the queue manager sends without an MQGET for each.
//!
//! ```no_run
//! # use channel_client::{connection::{Connection, ObjectHandle, consume::ReadAhead}, error::ChannelError};
//! # use model::options::{GetFlags, GetOptions};
//! # async fn example(connection: &mut Connection, queue: ObjectHandle) -> Result<(), ChannelError> {
//! let options = GetOptions { flags: GetFlags::SYNCPOINT, ..GetOptions::default() };
//! connection.consume(queue, &options, ReadAhead::Off).await?;
//! loop {
//!     let delivery = connection.next_message().await?;
//!     println!("{} bytes", delivery.got.body.len());
//!     connection.commit().await?;
//! }
//! # }
//! ```
//!
//! In place of functions that are called back there is one place where the messages of all consumers come out:
//! `next_message`. Other calls may be made between. Delivery is started with the first `next_message`.
//!
//! A connection that reconnects by itself has its consumers again. Browsing ones begin anew with the first message.
//!
//! Source: MQ reference, "MQCB", "MQCTL", "MQGMO - Options", 9.3; `docs/channel-protocol.md`, "Asynchronous consumers".

use channel_protocol::assembly::Unit;
use channel_protocol::cursor::Reader;
use channel_protocol::error::DecodeError;
use channel_protocol::flow::consume::{AsyncMessage, Notification};
use channel_protocol::segment::SegmentType;
use model::options::{GetFlags, GetOptions};
use model::reason::Reason;

use super::consumers::Consumers;
use super::loss::Fate;
use super::{Connection, Got, ObjectHandle, Work};
use crate::conversation::MESSAGES_REQUEST;
use crate::error::ChannelError;

/// Most bytes that are read ahead for one consumer.
const MOST_READ_AHEAD: u32 = 4 << 20;

/// Values of `Notification::CONNECTION_STATE`.
const START: i32 = 2;
const SUSPEND: i32 = 3;
/// Codes that answer a request for messages which asked for confirmation: nothing more there, nothing more wanted.
const QUEUE_EMPTY: i32 = 15;
const PAUSED: i32 = 16;
/// The handle that stands for the connection.
const CONNECTION: i32 = -1;

/// Options that make no sense of messages one after the other: 2046.
const SINGLE: GetFlags = GetFlags::SET_SIGNAL
    .union(GetFlags::BROWSE_FIRST)
    .union(GetFlags::MSG_UNDER_CURSOR)
    .union(GetFlags::BROWSE_MSG_UNDER_CURSOR)
    .union(GetFlags::UNLOCK);

/// Whether messages may come before they are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadAhead {
    /// One at a time: each costs a round trip, and none is at the client that the program has not seen.
    Off,
    /// So many bytes, descriptors counted, at most 4 MiB. Those that were not taken are lost with the program, as they are
    /// on their queue no more: for nonpersistent messages. Under syncpoint it is off.
    UpTo(u32),
}

impl ReadAhead {
    /// 100 KB, as the Java client has it.
    pub const DEFAULT: Self = Self::UpTo(100 * 1024);
}

/// A message for a consumer.
#[derive(Debug)]
pub struct Delivery {
    pub handle: ObjectHandle,
    /// Group and segment status are blank: they do not travel with these messages.
    pub got: Got,
}

impl Connection {
    /// MQCB, MQOP_REGISTER: messages of an open queue come out of `next_message`, waiting for them included. A consumer that
    /// the handle has is replaced.
    ///
    /// # Errors
    /// 2012 the channel's socket is not shared (SHARECNV(0)), 2019 no such handle, 2046 options for single messages, 2458
    /// the handle's consumer has messages still to be taken.
    pub async fn consume(
        &mut self,
        handle: ObjectHandle,
        options: &GetOptions,
        read_ahead: ReadAhead,
    ) -> Result<(), ChannelError> {
        self.object("MQCB", handle)?;
        if !self.conversation.socket().is_shared() {
            return Err(ChannelError::refused("MQCB", Reason::EnvironmentError));
        }
        if options.flags.intersects(SINGLE) {
            return Err(ChannelError::refused("MQCB", Reason::OptionsError));
        }
        self.end_consumer(handle).await?;
        let room = match read_ahead {
            ReadAhead::Off => None,
            ReadAhead::UpTo(bytes) => Some(bytes.min(MOST_READ_AHEAD)),
        };
        let known_as = self.object("MQCB", handle)?.handle;
        self.consumers.add(handle, known_as, options, room);
        Ok(())
    }

    /// The next message for any of the consumers; it waits without end.
    ///
    /// The future may be dropped and the call repeated: nothing is lost. But a consumer under syncpoint has then asked for a
    /// message, which belongs to the unit of work from the moment it comes: see 2500 at `commit`.
    ///
    /// # Errors
    /// 2446 there is no consumer; 2003 the connection was lost with the unit of work, and there are consumers under
    /// syncpoint: commit or back out first; 2202 the queue manager or the channel quiesces and the options have
    /// FAIL_IF_QUIESCING; 2009 the connection is broken, or a consumer's queue cannot be got from any more.
    pub async fn next_message(&mut self) -> Result<Delivery, ChannelError> {
        loop {
            if !self.consumers.is_active() {
                return Err(ChannelError::refused("MQCTL", Reason::NoCallbacksActive));
            }
            self.check_work("MQCTL", self.consumers.is_in_unit())?;
            match self.next_once().await {
                Err(error) if self.reconnects_after(&error) => {
                    self.recover("MQCTL", error, Fate::Repeatable).await?;
                }
                result => return result,
            }
        }
    }

    /// A message that has come already, while nothing more is asked for: after `suspend_consumers`.
    pub fn next_arrived(&mut self) -> Option<Delivery> {
        self.collect();
        let message = self.consumers.next()?;
        if message.in_unit {
            self.work = Work::Open;
        }
        Some(Delivery { handle: message.handle, got: message.got })
    }

    async fn next_once(&mut self) -> Result<Delivery, ChannelError> {
        self.collect();
        loop {
            if let Some(message) = self.consumers.next() {
                self.ask(false);
                if message.in_unit {
                    self.work = Work::Open;
                }
                return Ok(Delivery { handle: message.handle, got: message.got });
            }
            if let Some(reason) = self.consumers.take_ending() {
                return Err(ChannelError::refused("MQCTL", reason));
            }
            self.ask(true);
            let unit = self.conversation.event().await?;
            take_in(&mut self.consumers, &unit)?;
            self.collect();
        }
    }

    /// Sends the requests that are due.
    fn ask(&mut self, is_wanted: bool) {
        if is_wanted && !self.consumers.is_started() {
            let start = Notification { handle: CONNECTION, code: Notification::CONNECTION_STATE, value: START };
            self.conversation.send(SegmentType::Notification, MESSAGES_REQUEST, |writer| start.encode(writer));
            self.consumers.set_started(true);
        }
        let mut index = 0;
        while let Some(due) = self.consumers.due(index, is_wanted) {
            if let Some(request) = due {
                self.conversation.send(SegmentType::RequestMessages, MESSAGES_REQUEST, |writer| request.encode(writer));
            }
            index += 1;
        }
    }

    /// Takes over the input that has arrived. Invalid input ends the conversation at the next wait.
    pub(super) fn collect(&mut self) {
        while let Some(unit) = self.conversation.try_event() {
            if take_in(&mut self.consumers, &unit).is_err() {
                self.conversation.give_up();
            }
        }
    }

    /// MQCTL, MQOP_SUSPEND: nothing is sent any more until `next_message` is called again. What has come by then is kept for
    /// it.
    ///
    /// # Errors
    /// The connection is broken.
    pub async fn suspend_consumers(&mut self) -> Result<(), ChannelError> {
        match self.rest().await {
            Err(error) if self.reconnects_after(&error) => self.recover("MQCTL", error, Fate::Repeatable).await,
            result => result,
        }
    }

    async fn rest(&mut self) -> Result<(), ChannelError> {
        if !self.consumers.is_started() {
            return Ok(());
        }
        let suspend = Notification { handle: CONNECTION, code: Notification::CONNECTION_STATE, value: SUSPEND };
        let consumers = &mut self.consumers;
        let is_answer = |answer: &Notification| answer.code == Notification::CONNECTION_STATE_REPLY;
        self.conversation
            .ask(
                SegmentType::Notification,
                |writer| suspend.encode(writer),
                |unit| take_in(consumers, &unit).map(|said| said.is_some_and(|said| is_answer(&said))),
            )
            .await?;
        self.consumers.set_started(false);
        Ok(())
    }

    /// MQCB, MQOP_DEREGISTER: the handle consumes no more, and stays open. Nothing when it has no consumer.
    ///
    /// # Errors
    /// 2458 messages have come that are not taken: no more are asked for, `next_message` gives them, and afterwards this
    /// succeeds.
    pub async fn end_consumer(&mut self, handle: ObjectHandle) -> Result<(), ChannelError> {
        self.end_consumption("MQCB", handle, true).await
    }

    /// Before MQCLOSE. What came in the unit of work is never passed over: it could be committed without having been seen.
    pub(super) async fn end_consumer_of_closed(
        &mut self,
        handle: ObjectHandle,
        keeps_messages: bool,
    ) -> Result<(), ChannelError> {
        self.end_consumption("MQCLOSE", handle, keeps_messages).await
    }

    async fn end_consumption(
        &mut self,
        verb: &'static str,
        handle: ObjectHandle,
        keeps_messages: bool,
    ) -> Result<(), ChannelError> {
        while self.consumers.contains(handle) {
            match self.withdraw(handle).await {
                Err(error) if self.reconnects_after(&error) => {
                    self.recover(verb, error, Fate::Repeatable).await?;
                    continue;
                }
                result => result?,
            }
            let (in_unit, outside) = self.consumers.waiting_of(handle);
            if in_unit > 0 || keeps_messages && outside > 0 {
                return Err(ChannelError::warned(verb, Reason::ReadAheadMsgs));
            }
            self.consumers.remove(handle);
        }
        Ok(())
    }

    /// Nothing more comes for this handle afterwards.
    async fn withdraw(&mut self, handle: ObjectHandle) -> Result<(), ChannelError> {
        let Some((known_as, request)) = self.consumers.withdrawal(handle) else { return Ok(()) };
        let consumers = &mut self.consumers;
        let is_answer =
            |answer: &Notification| answer.handle == known_as && matches!(answer.code, QUEUE_EMPTY | PAUSED);
        self.conversation
            .ask(
                SegmentType::RequestMessages,
                |writer| request.encode(writer),
                |unit| take_in(consumers, &unit).map(|said| said.is_some_and(|said| is_answer(&said))),
            )
            .await
    }

    /// Before the unit of work is committed: it has nothing in it that the program has not seen.
    ///
    /// # Errors
    /// 2500: it has. The unit of work is unchanged.
    pub(super) async fn check_unseen(&mut self, verb: &'static str) -> Result<(), ChannelError> {
        if !self.consumers.is_in_unit() {
            return Ok(());
        }
        self.rest_in_unit().await?;
        self.collect();
        if self.consumers.has_in_unit() {
            return Err(ChannelError::refused(verb, Reason::HconnAsyncActive));
        }
        Ok(())
    }

    /// Nothing more comes in the unit of work afterwards, until `next_message`.
    pub(super) async fn rest_in_unit(&mut self) -> Result<(), ChannelError> {
        self.collect();
        if self.consumers.expects_in_unit() { self.rest().await } else { Ok(()) }
    }
}

/// Enters what has come into the books. Returns what the queue manager says besides.
fn take_in(consumers: &mut Consumers, unit: &Unit) -> Result<Option<Notification>, ChannelError> {
    let garbled = |error: DecodeError| ChannelError::broken(format!("a message for a consumer: {error}"));
    let reader = &mut Reader::new("segment", &unit.body, unit.form);
    if unit.segment_type == SegmentType::AsyncMessage {
        consumers.take_in(AsyncMessage::decode(reader).map_err(garbled)?);
        return Ok(None);
    }
    let notification = Notification::decode(reader).map_err(|error| garbled(error.into()))?;
    if notification.code == Notification::QUIESCING {
        consumers.end(notification.handle, Reason::ConnectionQuiescing);
    }
    Ok(Some(notification))
}
