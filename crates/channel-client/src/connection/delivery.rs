//! MQPUT, MQPUT1, MQGET.

use bytes::Bytes;
use channel_protocol::flow::call::NO_HANDLE;
use channel_protocol::flow::{get, put};
use channel_protocol::segment::SegmentType;
use channel_protocol::structure::get_options::{self, GetStructure};
use channel_protocol::structure::message_descriptor::Descriptor;
use channel_protocol::structure::object_descriptor::{ObjectStructure, object_name};
use channel_protocol::structure::put_options::PutStructure;
use model::descriptor::{MessageDescriptor, Persistence};
use model::name::{QueueManagerName, QueueName};
use model::options::{GetFlags, GetOptions, ObjectDescriptor, PutFlags, PutOptions};
use model::reason::Reason;

use super::loss::Fate;
use super::{Connection, Got, ObjectHandle, Put, Work};
use crate::error::ChannelError;

/// Of a get's reply without data, in bytes: header, API header, MQMD, MQGMO, length.
pub(super) const GET_REPLY: usize = 36 + 16 + 364 + 112 + 4;

impl Connection {
    /// MQPUT. With `PutFlags::ASYNC_RESPONSE` it does not wait for an answer: `asynchronous_status` tells afterwards.
    ///
    /// # Errors
    /// 2053 full, 2030 too long, 2051 inhibited, 2003 the unit of work is gone, 2549 the connection was lost and nobody knows
    /// whether a persistent message outside syncpoint was put, and what else MQPUT may answer.
    pub async fn put(
        &mut self,
        handle: ObjectHandle,
        descriptor: MessageDescriptor,
        options: &PutOptions,
        body: Bytes,
    ) -> Result<Put, ChannelError> {
        let syncpoint = options.flags.contains(PutFlags::SYNCPOINT);
        loop {
            self.check_work("MQPUT", syncpoint)?;
            match self.put_once(handle, &descriptor, options, &body).await {
                Err(error) if self.reconnects_after(&error) => {
                    self.recover(
                        "MQPUT",
                        error,
                        fate_of_put(syncpoint, descriptor.persistence == Persistence::NonPersistent),
                    )
                    .await?;
                }
                result => return self.put_done(result, syncpoint),
            }
        }
    }

    /// MQPUT1: a put to an object that need not be open.
    ///
    /// # Errors
    /// As `open` and `put`.
    pub async fn put1(
        &mut self,
        object: &ObjectDescriptor,
        descriptor: MessageDescriptor,
        options: &PutOptions,
        body: Bytes,
    ) -> Result<Put, ChannelError> {
        let syncpoint = options.flags.contains(PutFlags::SYNCPOINT);
        loop {
            self.check_work("MQPUT1", syncpoint)?;
            match self.put1_once(object, &descriptor, options, &body).await {
                Err(error) if self.reconnects_after(&error) => {
                    self.recover(
                        "MQPUT1",
                        error,
                        fate_of_put(syncpoint, descriptor.persistence == Persistence::NonPersistent),
                    )
                    .await?;
                }
                result => return self.put_done(result, syncpoint),
            }
        }
    }

    fn put_done(&mut self, result: Result<Put, ChannelError>, syncpoint: bool) -> Result<Put, ChannelError> {
        if syncpoint && result.is_ok() {
            self.work = Work::Open;
        }
        result
    }

    /// The options with the queue manager's own number for the handle whose context is passed on.
    fn put_structure(&self, verb: &'static str, options: &PutOptions) -> Result<PutStructure, ChannelError> {
        let mut structure = PutStructure::from_model(options);
        if let Some(context) = options.context {
            structure.context = self.object(verb, ObjectHandle(context))?.handle;
        }
        Ok(structure)
    }

    async fn put_once(
        &mut self,
        handle: ObjectHandle,
        descriptor: &MessageDescriptor,
        options: &PutOptions,
        body: &Bytes,
    ) -> Result<Put, ChannelError> {
        let known = self.object("MQPUT", handle)?.handle;
        let request = put::Put {
            descriptor: Descriptor::new(descriptor.clone()),
            options: self.put_structure("MQPUT", options)?,
            data: body.clone(),
        };
        if request.options.is_asynchronous() {
            let is_alone = !options.flags.contains(PutFlags::SYNCPOINT);
            self.send_blindly(SegmentType::Put, known, |writer| request.encode(writer), is_alone).await?;
            return Ok(unanswered(descriptor));
        }
        let reply = self.call("MQPUT", SegmentType::Put, known, 0, |writer| request.encode(writer)).await?.well()?;
        let answer = reply.read(put::PutReply::decode)?;
        Ok(put_from(answer, reply.warning()))
    }

    async fn put1_once(
        &mut self,
        object: &ObjectDescriptor,
        descriptor: &MessageDescriptor,
        options: &PutOptions,
        body: &Bytes,
    ) -> Result<Put, ChannelError> {
        let request = put::Put1 {
            object: ObjectStructure::from_model(object),
            put: put::Put {
                descriptor: Descriptor::new(descriptor.clone()),
                options: self.put_structure("MQPUT1", options)?,
                data: body.clone(),
            },
        };
        if request.put.options.is_asynchronous() {
            let is_alone = !options.flags.contains(PutFlags::SYNCPOINT);
            self.send_blindly(SegmentType::Put1, NO_HANDLE, |writer| request.encode(writer), is_alone).await?;
            return Ok(unanswered(descriptor));
        }
        let reply = self.call("MQPUT1", SegmentType::Put1, NO_HANDLE, 0, |writer| request.encode(writer)).await?;
        let reply = reply.well()?;
        let answer = reply.read(put::Put1Reply::decode)?;
        Ok(put_from(answer.put, reply.warning()))
    }

    /// MQGET. Without `options.buffer_length` a message of any length that the channel carries is taken.
    ///
    /// # Errors
    /// 2033 no message, 2016 inhibited, 2003 the unit of work is gone, and what else MQGET may answer. A body longer than
    /// the buffer is no error: see `Got::warning`.
    pub async fn get(&mut self, handle: ObjectHandle, options: &GetOptions) -> Result<Got, ChannelError> {
        let syncpoint = options.flags.contains(GetFlags::SYNCPOINT);
        loop {
            self.check_work(
                "MQGET",
                options.flags.intersects(GetFlags::SYNCPOINT | GetFlags::SYNCPOINT_IF_PERSISTENT),
            )?;
            match self.get_once(handle, options).await {
                Err(error) if self.reconnects_after(&error) => {
                    let fate = if syncpoint { Fate::Syncpoint } else { Fate::Repeatable };
                    self.recover("MQGET", error, fate).await?;
                    check_cursor(options.flags)?;
                }
                Ok(got) => {
                    let persistent = got.descriptor.persistence == Persistence::Persistent;
                    let taken = got.warning != Some(Reason::TruncatedMsgFailed);
                    if taken && (syncpoint || persistent && options.flags.contains(GetFlags::SYNCPOINT_IF_PERSISTENT)) {
                        self.work = Work::Open;
                    }
                    return Ok(got);
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn get_once(&mut self, handle: ObjectHandle, options: &GetOptions) -> Result<Got, ChannelError> {
        let known = self.object("MQGET", handle)?.handle;
        let mut descriptor = MessageDescriptor::default();
        get_options::select(options, &mut descriptor);
        let longest = self.conversation.socket().negotiated.maximum_message_length as usize;
        let request = get::Get {
            descriptor: Descriptor::new(descriptor),
            options: GetStructure::from_model(options),
            buffer_length: options.buffer_length.unwrap_or(longest),
        };
        let room = GET_REPLY.saturating_add(request.buffer_length);
        let reply = self.call("MQGET", SegmentType::Get, known, room, |writer| request.encode(writer)).await?.well()?;
        let answer = reply.read(get::GetReply::decode)?;
        let structure = answer.options;
        Ok(Got {
            descriptor: answer.descriptor.fields,
            body: answer.data,
            data_length: answer.length,
            message_token: structure.message_token,
            group_status: structure.group_status,
            segment_status: structure.segment_status,
            segmentation: structure.segmentation,
            resolved_queue: object_name(&structure.resolved_queue).unwrap_or_default(),
            warning: reply.warning(),
        })
    }
}

/// What is known of a put without an answer.
fn unanswered(descriptor: &MessageDescriptor) -> Put {
    Put {
        descriptor: descriptor.clone(),
        resolved_queue: QueueName::BLANK,
        resolved_queue_manager: QueueManagerName::BLANK,
        warning: None,
    }
}

fn put_from(answer: put::PutReply, warning: Option<Reason>) -> Put {
    Put {
        descriptor: answer.descriptor.fields,
        resolved_queue: object_name(&answer.options.resolved_queue).unwrap_or_default(),
        resolved_queue_manager: object_name(&answer.options.resolved_queue_manager).unwrap_or_default(),
        warning,
    }
}

/// A nonpersistent message outside syncpoint may be put again: at worst the lost one arrived as well, which is what such
/// messages are worth.
pub(super) fn fate_of_put(syncpoint: bool, is_not_persistent: bool) -> Fate {
    match (syncpoint, is_not_persistent) {
        (true, _) => Fate::Syncpoint,
        (false, true) => Fate::Repeatable,
        // Persistent, or as the queue's default, which is not known here.
        (false, false) => Fate::Uncertain,
    }
}

/// The browse cursor of a handle that was opened again stands before the first message.
pub(super) fn check_cursor(flags: GetFlags) -> Result<(), ChannelError> {
    if flags.intersects(GetFlags::MSG_UNDER_CURSOR | GetFlags::BROWSE_MSG_UNDER_CURSOR) {
        return Err(ChannelError::refused("MQGET", Reason::NoMsgUnderCursor));
    }
    Ok(())
}
