//! The verbs as programs in C call them: structures go out and come back as they are, and a call ends with a pair of numbers.
//!
//! What the queue manager says is in `ended`, with all that came with it. An error is the connection's own: it is broken, there
//! is no such handle, or the unit of work was lost with an earlier connection.
//!
//! Invariants
//! - Losses and units of work are treated as `delivery` treats them.

use bytes::Bytes;
use channel_protocol::cursor::Writer;
use channel_protocol::flow::call::NO_HANDLE;
use channel_protocol::flow::inquire::{Attributes, Inquire};
use channel_protocol::flow::open::Open;
use channel_protocol::flow::passed_on::{GetAnswer, PutAnswer, encode_get, encode_put};
use channel_protocol::flow::stat::Stat;
use channel_protocol::segment::SegmentType;
use channel_protocol::structure::descriptor_image::DescriptorImage;
use channel_protocol::structure::get_options::GetStructure;
use channel_protocol::structure::object_descriptor::ObjectStructure;
use channel_protocol::structure::open_attributes::OpenAttributes;
use channel_protocol::structure::put_options::PutStructure;
use channel_protocol::structure::status_structure::StatusStructure;
use model::options::{GetFlags, OpenOptions, PutFlags};
use model::reason::Reason;

use super::delivery::{GET_REPLY, check_cursor, fate_of_put};
use super::loss::Fate;
use super::{Connection, Object, ObjectHandle, Origin, Reply, Unconfirmed, Work};
use crate::error::ChannelError;
use crate::reply::Ended;

/// Of an inquiry's reply without attributes.
const INQUIRE_REPLY: usize = 64 + 12;
const PERSISTENT: i32 = 1;
const NOT_PERSISTENT: i32 = 0;

#[derive(Debug)]
pub struct OpenedPassedOn {
    pub ended: Ended,
    /// `None` when it failed.
    pub handle: Option<ObjectHandle>,
    pub object: ObjectStructure,
    /// What the queue is set to; `None` from a queue manager that does not say.
    pub attributes: Option<OpenAttributes>,
}

#[derive(Debug)]
pub struct PutPassedOn {
    pub ended: Ended,
    /// Of MQPUT1.
    pub object: Option<ObjectStructure>,
    pub descriptor: DescriptorImage,
    pub options: PutStructure,
}

#[derive(Debug)]
pub struct GotPassedOn {
    pub ended: Ended,
    pub descriptor: DescriptorImage,
    pub options: GetStructure,
    /// Of the whole message, in bytes.
    pub length: usize,
    pub data: Bytes,
}

/// A message, and where it is put.
#[derive(Clone, Copy)]
struct Putting<'a> {
    target: Target<'a>,
    descriptor: &'a DescriptorImage,
    options: &'a PutStructure,
    body: &'a [u8],
}

#[derive(Debug, Clone, Copy)]
enum Target<'a> {
    Handle(ObjectHandle),
    /// MQPUT1.
    Object(&'a ObjectStructure),
}

impl Target<'_> {
    fn verb(self) -> &'static str {
        match self {
            Self::Handle(_) => "MQPUT",
            Self::Object(_) => "MQPUT1",
        }
    }
}

impl Connection {
    /// MQOPEN.
    ///
    /// # Errors
    /// The connection is broken.
    pub async fn open_passed_on(
        &mut self,
        object: &ObjectStructure,
        options: OpenOptions,
    ) -> Result<OpenedPassedOn, ChannelError> {
        loop {
            let reply = self.open_once(object, options).await;
            match self.met_loss("MQOPEN", reply, Reply::ended) {
                Err(error) if self.reconnects_after(&error) => self.recover("MQOPEN", error, Fate::Repeatable).await?,
                Err(error) => return Err(error),
                Ok(reply) => return self.opened(object, options, &reply),
            }
        }
    }

    fn opened(
        &mut self,
        asked: &ObjectStructure,
        options: OpenOptions,
        reply: &Reply,
    ) -> Result<OpenedPassedOn, ChannelError> {
        let ended = reply.ended();
        let answer = match reply.read(Open::decode) {
            // A queue manager need not repeat the structure of a call that failed.
            Err(_) if ended.is_failed() => Open { object: asked.clone(), options, attributes: None },
            answer => answer?,
        };
        let handle = (!ended.is_failed()).then(|| {
            let mut object = asked.clone();
            // A dynamic queue is to have the same name when it is opened again.
            if answer.object.name != object.name && !answer.object.name.is_blank() {
                object.dynamic_queue = answer.object.name;
            }
            let origin = Origin::Opened { object: Box::new(object), options };
            self.remember(Object { handle: reply.header.handle, origin })
        });
        Ok(OpenedPassedOn { ended, handle, object: answer.object, attributes: answer.attributes })
    }

    /// MQPUT. `options.context` is a handle of this connection where the flags pass context on.
    ///
    /// # Errors
    /// As the module says; 2549 too.
    pub async fn put_passed_on(
        &mut self,
        handle: ObjectHandle,
        descriptor: &DescriptorImage,
        options: &PutStructure,
        body: &[u8],
    ) -> Result<PutPassedOn, ChannelError> {
        self.put_passed_on_to(Putting { target: Target::Handle(handle), descriptor, options, body }).await
    }

    /// MQPUT1.
    ///
    /// # Errors
    /// As `put_passed_on`.
    pub async fn put1_passed_on(
        &mut self,
        object: &ObjectStructure,
        descriptor: &DescriptorImage,
        options: &PutStructure,
        body: &[u8],
    ) -> Result<PutPassedOn, ChannelError> {
        self.put_passed_on_to(Putting { target: Target::Object(object), descriptor, options, body }).await
    }

    async fn put_passed_on_to(&mut self, put: Putting<'_>) -> Result<PutPassedOn, ChannelError> {
        let Putting { target, descriptor, options, .. } = put;
        let verb = target.verb();
        let syncpoint = options.flags.contains(PutFlags::SYNCPOINT);
        loop {
            self.check_work(verb, syncpoint)?;
            let answered = self.put_passed_on_once(put).await;
            match self.met_loss(verb, answered, |put| put.ended) {
                Err(error) if self.reconnects_after(&error) => {
                    let fate = fate_of_put(syncpoint, descriptor.persistence() == NOT_PERSISTENT);
                    self.recover(verb, error, fate).await?;
                }
                result => {
                    if syncpoint && result.as_ref().is_ok_and(|put| !put.ended.is_failed()) {
                        self.work = Work::Open;
                    }
                    return result;
                }
            }
        }
    }

    async fn put_passed_on_once(&mut self, put: Putting<'_>) -> Result<PutPassedOn, ChannelError> {
        let Putting { target, descriptor, options, body } = put;
        let verb = target.verb();
        let mut options = options.clone();
        if options.flags.intersects(PutFlags::PASS_IDENTITY_CONTEXT | PutFlags::PASS_ALL_CONTEXT) {
            let context = u32::try_from(options.context).unwrap_or(0);
            options.context = self.object(verb, ObjectHandle(context))?.handle;
        }
        let (segment_type, known) = match target {
            Target::Handle(handle) => (SegmentType::Put, self.object(verb, handle)?.handle),
            Target::Object(_) => (SegmentType::Put1, NO_HANDLE),
        };
        let encode = |writer: &mut Writer<'_>| {
            if let Target::Object(object) = target {
                object.encode(writer);
            }
            encode_put(descriptor, &options, body, writer);
        };
        if options.is_asynchronous() {
            let is_alone = !options.flags.contains(PutFlags::SYNCPOINT);
            self.send_blindly(segment_type, known, encode, is_alone).await?;
            let object = None;
            return Ok(PutPassedOn { ended: Ended::WELL, object, descriptor: descriptor.clone(), options });
        }
        let reply = self.call(verb, segment_type, known, 0, encode).await?;
        let ended = reply.ended();
        let has_object = matches!(target, Target::Object(_));
        match reply.read(|reader| PutAnswer::decode(reader, has_object)) {
            Err(_) if ended.is_failed() => {
                Ok(PutPassedOn { ended, object: None, descriptor: descriptor.clone(), options })
            }
            answer => {
                let PutAnswer { object, descriptor, options } = answer?;
                Ok(PutPassedOn { ended, object, descriptor, options })
            }
        }
    }

    /// MQGET into a buffer of `room` bytes.
    ///
    /// # Errors
    /// As the module says.
    pub async fn get_passed_on(
        &mut self,
        handle: ObjectHandle,
        descriptor: &DescriptorImage,
        options: &GetStructure,
        room: usize,
    ) -> Result<GotPassedOn, ChannelError> {
        let flags = options.flags;
        let syncpoint = flags.contains(GetFlags::SYNCPOINT);
        loop {
            self.check_work("MQGET", flags.intersects(GetFlags::SYNCPOINT | GetFlags::SYNCPOINT_IF_PERSISTENT))?;
            let answered = self.get_passed_on_once(handle, descriptor, options, room).await;
            match self.met_loss("MQGET", answered, |got| got.ended) {
                Err(error) if self.reconnects_after(&error) => {
                    self.recover("MQGET", error, if syncpoint { Fate::Syncpoint } else { Fate::Repeatable }).await?;
                    check_cursor(flags)?;
                }
                Err(error) => return Err(error),
                Ok(got) => {
                    let taken = !got.ended.is_failed() && got.ended.reason != Reason::TruncatedMsgFailed.number();
                    let persistent = got.descriptor.persistence() == PERSISTENT;
                    if taken && (syncpoint || persistent && flags.contains(GetFlags::SYNCPOINT_IF_PERSISTENT)) {
                        self.work = Work::Open;
                    }
                    return Ok(got);
                }
            }
        }
    }

    async fn get_passed_on_once(
        &mut self,
        handle: ObjectHandle,
        descriptor: &DescriptorImage,
        options: &GetStructure,
        room: usize,
    ) -> Result<GotPassedOn, ChannelError> {
        let known = self.object("MQGET", handle)?.handle;
        let encode = |writer: &mut Writer<'_>| encode_get(descriptor, options, room, writer);
        let reply = self.call("MQGET", SegmentType::Get, known, GET_REPLY.saturating_add(room), encode).await?;
        let ended = reply.ended();
        match reply.read(|reader| GetAnswer::decode(reader, room)) {
            Err(_) if ended.is_failed() => {
                let (descriptor, options) = (descriptor.clone(), options.clone());
                Ok(GotPassedOn { ended, descriptor, options, length: 0, data: Bytes::new() })
            }
            answer => {
                let GetAnswer { descriptor, options, length, data } = answer?;
                Ok(GotPassedOn { ended, descriptor, options, length, data })
            }
        }
    }

    /// MQINQ: what came is in the attributes, also with a warning.
    ///
    /// # Errors
    /// As the module says.
    pub async fn inquire_passed_on(
        &mut self,
        handle: ObjectHandle,
        request: &Inquire,
    ) -> Result<(Ended, Attributes), ChannelError> {
        let length = INQUIRE_REPLY + 4 * (request.selectors.len() + request.integer_count) + request.character_length;
        loop {
            let known = self.object("MQINQ", handle)?.handle;
            let reply = self.call("MQINQ", SegmentType::Inquire, known, length, |writer| request.encode(writer)).await;
            match self.met_loss("MQINQ", reply, Reply::ended) {
                Err(error) if self.reconnects_after(&error) => self.recover("MQINQ", error, Fate::Repeatable).await?,
                Err(error) => return Err(error),
                Ok(reply) if reply.ended().is_failed() => {
                    let none = Attributes { selectors: Vec::new(), integers: Vec::new(), characters: Vec::new() };
                    return Ok((reply.ended(), none));
                }
                Ok(reply) => return Ok((reply.ended(), reply.read(|reader| Ok(Attributes::decode(reader)?))?)),
            }
        }
    }

    /// MQSTAT.
    ///
    /// # Errors
    /// As the module says; 2549 as `asynchronous_status`.
    pub async fn status_passed_on(&mut self, request: &Stat) -> Result<(Ended, StatusStructure), ChannelError> {
        loop {
            if request.status_type == 0 && self.unconfirmed == Unconfirmed::Lost {
                self.unconfirmed = Unconfirmed::None;
                return Err(ChannelError::refused("MQSTAT", Reason::CallInterrupted));
            }
            let reply =
                self.call("MQSTAT", SegmentType::Stat, NO_HANDLE, STATUS_REPLY, |writer| request.encode(writer));
            let reply = reply.await;
            match self.met_loss("MQSTAT", reply, Reply::ended) {
                Err(error) if self.reconnects_after(&error) => self.recover("MQSTAT", error, Fate::Repeatable).await?,
                Err(error) => return Err(error),
                Ok(reply) => {
                    if request.status_type == 0 {
                        self.unconfirmed = Unconfirmed::None;
                    }
                    let answer = match reply.read(Stat::decode) {
                        Err(_) if reply.ended().is_failed() => request.clone(),
                        answer => answer?,
                    };
                    return Ok((reply.ended(), answer.status));
                }
            }
        }
    }
}

/// Room for a status with strings of the greatest length, in bytes.
const STATUS_REPLY: usize = 1024 + 2 * 10_240;
