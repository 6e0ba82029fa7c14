//! MQOPEN, MQCLOSE, MQINQ, MQSET.

use channel_protocol::flow::call::NO_HANDLE;
use channel_protocol::flow::inquire::{Attributes, Inquire};
use channel_protocol::flow::open::{Close, Open};
use channel_protocol::segment::SegmentType;
use channel_protocol::structure::object_descriptor::{ObjectStructure, object_name};
use channel_protocol::structure::open_attributes::OpenAttributes;
use model::options::{CloseOptions, ObjectDescriptor, OpenOptions};
use model::reason::Reason;

use super::loss::Fate;
use super::{Connection, ObjectHandle, Opened, Reply};
use crate::error::ChannelError;

/// Room for the headers of a reply, in bytes.
const REPLY_HEADERS: usize = 64;
/// Room for the reply to MQOPEN with strings of the greatest length, in bytes.
const OPEN_REPLY: usize = 1024 + 4 * 10_240;

impl Connection {
    /// MQOPEN.
    ///
    /// # Errors
    /// 2085 no such object, 2035 not authorized, 2042 in use, and what else MQOPEN may answer.
    pub async fn open(&mut self, object: &ObjectDescriptor, options: OpenOptions) -> Result<Opened, ChannelError> {
        let opened = self.open_passed_on(&ObjectStructure::from_model(object), options).await?;
        if let Some(handle) = opened.handle.filter(|_| !opened.ended.is_failed()) {
            return Ok(Opened { handle, object_name: object_name(&opened.object.name).unwrap_or_default() });
        }
        Err(opened.ended.error("MQOPEN"))
    }

    /// The queue manager's answer to one MQOPEN.
    pub(super) async fn open_once(
        &mut self,
        object: &ObjectStructure,
        options: OpenOptions,
    ) -> Result<Reply, ChannelError> {
        let request = Open { object: object.clone(), options, attributes: Some(OpenAttributes::ASKED) };
        // The strings may come back with the whole topic string behind them.
        let strings = object.resolved_object_string.buffer_size as usize;
        let room = if object.version >= 4 { OPEN_REPLY.saturating_add(strings) } else { 0 };
        self.call("MQOPEN", SegmentType::Open, NO_HANDLE, room, |writer| request.encode(writer)).await
    }

    /// MQCLOSE. The handle is not valid afterwards, however it ends; but with 2055 and 2458 it stays open.
    ///
    /// What was read ahead for a consumer and not taken is lost, unless `options` have `CloseOptions::QUIESCE`.
    ///
    /// # Errors
    /// 2019 no such handle, 2055 not empty, 2458 messages have come for the handle's consumer that `next_message` has still
    /// to give (only with QUIESCE, or under syncpoint), and what else MQCLOSE may answer.
    pub async fn close(&mut self, handle: ObjectHandle, options: CloseOptions) -> Result<(), ChannelError> {
        self.object("MQCLOSE", handle)?;
        self.end_consumer_of_closed(handle, options.contains(CloseOptions::QUIESCE)).await?;
        let known = self.object("MQCLOSE", handle)?.handle;
        let result = self.close_once(known, options).await;
        let keeps = matches!(&result, Err(error) if error.reason() == Reason::QNotEmpty);
        if !keeps {
            self.forget(handle);
        }
        match result {
            // The queue manager has closed it together with the connection.
            Err(error) if self.reconnects_after(&error) => self.recover("MQCLOSE", error, Fate::Repeatable).await,
            other => other,
        }
    }

    /// `handle` is the queue manager's.
    pub(super) async fn close_once(&mut self, handle: i32, options: CloseOptions) -> Result<(), ChannelError> {
        let reply =
            self.call("MQCLOSE", SegmentType::Close, handle, 0, |writer| Close { options }.encode(writer)).await;
        reply.and_then(Reply::well).map(drop)
    }

    /// MQINQ: integer attributes in the order of their selectors, then character attributes one behind the other in their
    /// fixed lengths. `integers` and `characters` are the room for them, the latter in bytes.
    ///
    /// # Errors
    /// 2067 an unknown selector, 2068 one that the object does not have, 2038 not open for inquiry.
    pub async fn inquire(
        &mut self,
        handle: ObjectHandle,
        selectors: &[i32],
        integers: usize,
        characters: usize,
    ) -> Result<Attributes, ChannelError> {
        let request = Inquire { selectors: selectors.to_vec(), integer_count: integers, character_length: characters };
        let length = REPLY_HEADERS + 12 + 4 * (selectors.len() + integers) + characters;
        loop {
            let known = self.object("MQINQ", handle)?.handle;
            let reply = self.call("MQINQ", SegmentType::Inquire, known, length, |writer| request.encode(writer)).await;
            match reply.and_then(Reply::well) {
                Err(error) if self.reconnects_after(&error) => self.recover("MQINQ", error, Fate::Repeatable).await?,
                Err(error) => return Err(error),
                Ok(reply) => return reply.read(|reader| Ok(Attributes::decode(reader)?)),
            }
        }
    }

    /// MQSET.
    ///
    /// # Errors
    /// 2067, 2068 as `inquire`, 2040 not open for set.
    pub async fn set(&mut self, handle: ObjectHandle, attributes: &Attributes) -> Result<(), ChannelError> {
        loop {
            let known = self.object("MQSET", handle)?.handle;
            let reply = self.call("MQSET", SegmentType::Set, known, 0, |writer| attributes.encode(writer)).await;
            match reply.and_then(Reply::well) {
                Err(error) if self.reconnects_after(&error) => self.recover("MQSET", error, Fate::Repeatable).await?,
                other => return other.map(drop),
            }
        }
    }
}
