//! The calls, each with the values that a program hands in; what comes back is written into them.
//!
//! `Ok` is an answer of the queue manager, also one that says no: its structures are to be copied back. `Err` is this end's own.

use bytes::Bytes;
use channel_client::connection::ObjectHandle;
use channel_client::connection::passed_on::GotPassedOn;
use channel_client::error::ChannelError;
use channel_protocol::flow::inquire::{Attributes, Inquire};
use channel_protocol::flow::stat::Stat;
use channel_protocol::flow::subscribe::SubscriptionRequest;
use channel_protocol::structure::descriptor_image::DescriptorImage;
use channel_protocol::structure::distribution::{ObjectRecord, PutRecord, ResponseRecord};
use channel_protocol::structure::get_options::GetStructure;
use channel_protocol::structure::object_descriptor::object_name;
use channel_protocol::structure::subscription_descriptor::SubscriptionRequestOptions;
use model::descriptor::Encoding;
use model::options::{CloseOptions, GetFlags, MatchOptions, OpenOptions, PutFlags};
use model::reason::Reason;

use crate::constant::{
    MQGMO_NO_PROPERTIES, MQGMO_PROPERTIES_COMPATIBILITY, MQGMO_PROPERTIES_FORCE_MQRFH2, MQGMO_PROPERTIES_IN_HANDLE,
    MQHO_NONE, MQPROP_COMPATIBILITY, MQPROP_FORCE_MQRFH2,
};
use crate::handles::Session;
use crate::structure::{Mqgmo, Mqod, Mqpmo, Mqsd, Mqsro, Mqsts};
use crate::{Ended, consume, convert, ended_by, failed, handles, message_handle, warned, xa};

const UNDER_SYNCPOINT: GetFlags = GetFlags::SYNCPOINT.union(GetFlags::SYNCPOINT_IF_PERSISTENT);
/// Bytes of an MQRFH2 that say how long it is.
const HEADER_STARTS: usize = 12;

/// A text of variable length, MQCHARV: what it holds, or may hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variable {
    pub text: Vec<u8>,
    pub ccsid: i32,
    /// Of the program's buffer, in bytes.
    pub room: usize,
}

/// The records of a distribution list: those that the program hands in, and how each call went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Records {
    pub destinations: Vec<ObjectRecord>,
    /// As many as there are destinations, where the program wants to know.
    pub opened: Vec<ResponseRecord>,
    /// What the message on each queue has of its own.
    pub messages: Vec<PutRecord>,
    pub put: Vec<ResponseRecord>,
}

/// A body that came, and the length of the whole message.
#[derive(Debug)]
pub struct Got {
    pub ended: Ended,
    pub data: Bytes,
    pub length: usize,
}

pub(crate) fn object_handle(number: i32) -> Result<ObjectHandle, Ended> {
    let number = u32::try_from(number).ok().filter(|&number| number > 0).ok_or(failed(Reason::HobjError))?;
    Ok(ObjectHandle::from_number(number))
}

fn number_of(handle: Option<ObjectHandle>) -> i32 {
    handle.and_then(|handle| i32::try_from(handle.number()).ok()).unwrap_or(MQHO_NONE)
}

/// MQOPEN. `strings`: object, selection, resolved object.
///
/// # Errors
/// 2018, 2219, 2009, 2044.
pub fn open(
    hconn: i32,
    od: &mut Mqod,
    strings: &mut [Variable; 3],
    records: &mut Records,
    options: i32,
) -> Result<(Ended, i32), Ended> {
    handles::run(hconn, |runtime, session| {
        let object = convert::object(od, strings, records);
        let options = OpenOptions::from_bits_retain(options.cast_unsigned());
        let opened = runtime.block_on(session.connection.open_passed_on(&object, options));
        let opened = opened.map_err(|error| ended_by(&error))?;
        convert::responses_back(&opened.object.responses, &mut records.opened);
        if !opened.ended.is_failed() {
            convert::object_back(&opened.object, od, &mut strings[2]);
        }
        if let (Some(handle), Some(attributes)) = (opened.handle, opened.attributes) {
            session.attributes.insert(handle.number(), attributes);
        }
        if let (Some(handle), Some(name)) = (opened.handle, object_name(&opened.object.name)) {
            session.names.insert(handle.number(), name);
        }
        Ok((opened.ended, number_of(opened.handle)))
    })
}

/// MQCLOSE. The handle is valid still when it ends with 2055 or 2458.
///
/// # Errors
/// 2018, 2019, 2219, and what the queue manager says.
pub fn close(hconn: i32, hobj: i32, options: i32) -> Result<Ended, Ended> {
    let connection = handles::find(hconn)?;
    connection.run(|runtime, session| {
        let handle = object_handle(hobj)?;
        let options = CloseOptions::from_bits_retain(options.cast_unsigned());
        let closed = runtime.block_on(session.connection.close(handle, options));
        closed.map_err(|error| ended_by(&error))?;
        session.attributes.remove(&handle.number());
        session.names.remove(&handle.number());
        Ok(())
    })?;
    consume::forget(&connection, hobj);
    Ok(Ended::WELL)
}

/// MQPUT.
///
/// # Errors
/// 2018, 2019, 2219, 2003, 2009, 2549.
pub fn put(
    hconn: i32,
    hobj: i32,
    md: &mut DescriptorImage,
    pmo: &mut Mqpmo,
    records: &mut Records,
    body: &[u8],
) -> Result<Ended, Ended> {
    enlist_put(hconn, pmo)?;
    handles::run(hconn, |runtime, session| {
        let (handle, options) = (object_handle(hobj)?, convert::put_options(pmo, records));
        let carried = carried(pmo, md, body)?;
        let (sent, whole) = carried.as_ref().map_or((&*md, body), |(md, whole)| (md, whole.as_slice()));
        let put = runtime.block_on(session.connection.put_passed_on(handle, sent, &options, whole));
        let put = put.map_err(|error| ended_by(&error))?;
        put_back(md, put.descriptor);
        convert::put_options_back(&put.options, pmo, records);
        Ok(put.ended)
    })
}

/// What is put under syncpoint belongs to a branch of the transaction manager.
fn enlist_put(hconn: i32, pmo: &Mqpmo) -> Result<(), Ended> {
    let flags = PutFlags::from_bits_retain(pmo.options.cast_unsigned());
    if flags.contains(PutFlags::SYNCPOINT) { xa::register(hconn) } else { Ok(()) }
}

/// MQPUT1. `strings` as those of `open`.
///
/// # Errors
/// As `put`.
pub fn put1(
    hconn: i32,
    od: &mut Mqod,
    strings: &mut [Variable; 3],
    md: &mut DescriptorImage,
    pmo: &mut Mqpmo,
    records: &mut Records,
    body: &[u8],
) -> Result<Ended, Ended> {
    enlist_put(hconn, pmo)?;
    handles::run(hconn, |runtime, session| {
        let (object, options) = (convert::object(od, strings, records), convert::put_options(pmo, records));
        let carried = carried(pmo, md, body)?;
        let (sent, whole) = carried.as_ref().map_or((&*md, body), |(md, whole)| (md, whole.as_slice()));
        let put = runtime.block_on(session.connection.put1_passed_on(&object, sent, &options, whole));
        let put = put.map_err(|error| ended_by(&error))?;
        put_back(md, put.descriptor);
        convert::put_options_back(&put.options, pmo, records);
        if let Some(object) = put.object {
            convert::responses_back(&object.responses, &mut records.opened);
            if !put.ended.is_failed() {
                convert::object_back(&object, od, &mut strings[2]);
            }
        }
        Ok(put.ended)
    })
}

/// The properties of MQPMO's handles in front of the body; `None` when there are none.
fn carried(pmo: &Mqpmo, md: &DescriptorImage, body: &[u8]) -> Result<Option<(DescriptorImage, Vec<u8>)>, Ended> {
    if pmo.version < 3 || pmo.original_msg_handle <= 0 && pmo.new_msg_handle <= 0 {
        return Ok(None);
    }
    let properties = message_handle::of_put(pmo.original_msg_handle.max(0), pmo.new_msg_handle.max(0), pmo.action)?;
    Ok(message_handle::with_properties(&properties, md, body))
}

/// The program's descriptor as the queue manager completed it; format, encoding and character set stay those of the body.
fn put_back(md: &mut DescriptorImage, answer: DescriptorImage) {
    let (format, encoding, ccsid) = (md.format(), md.encoding(), md.ccsid());
    let had_header = answer.format() != format;
    *md = answer;
    if had_header {
        md.set_format(format);
        md.set_encoding(encoding);
        md.set_ccsid(ccsid);
    }
}

/// MQGET into a buffer of `room` bytes.
///
/// # Errors
/// As `put`; 2460.
pub fn get(hconn: i32, hobj: i32, md: &mut DescriptorImage, gmo: &mut Mqgmo, room: usize) -> Result<Got, Ended> {
    if GetFlags::from_bits_retain(gmo.options.cast_unsigned()).intersects(UNDER_SYNCPOINT) {
        xa::register(hconn)?;
    }
    handles::run(hconn, |runtime, session| {
        let handle = object_handle(hobj)?;
        let control =
            session.attributes.get(&handle.number()).map_or(MQPROP_COMPATIBILITY, |known| known.property_control);
        let target = properties_target(gmo, control)?;
        let options = convert::get_options(gmo);
        let got = match target {
            None => runtime.block_on(session.connection.get_passed_on(handle, md, &options, room)),
            Some(_) => runtime.block_on(get_with_properties(session, handle, md, &options, room)),
        };
        let mut got = got.map_err(|error| ended_by(&error))?;
        if let Some(message) = target.filter(|_| !got.ended.is_failed()) {
            take_apart(message, &mut got, room, options.flags.contains(GetFlags::ACCEPT_TRUNCATED_MSG))?;
        }
        *md = got.descriptor;
        convert::get_options_back(&got.options, gmo);
        Ok(Got { ended: got.ended, data: got.data, length: got.length })
    })
}

/// The handle that the properties go to; `None` when they stay where they are.
fn properties_target(gmo: &Mqgmo, control: i32) -> Result<Option<i64>, Ended> {
    let stated = gmo.options & (MQGMO_PROPERTIES_FORCE_MQRFH2 | MQGMO_NO_PROPERTIES | MQGMO_PROPERTIES_COMPATIBILITY);
    let wants = gmo.options & MQGMO_PROPERTIES_IN_HANDLE != 0;
    let has_handle = gmo.version >= 4 && gmo.msg_handle > 0;
    if wants && !has_handle {
        return Err(failed(Reason::HmsgError));
    }
    if !has_handle || stated != 0 || !wants && control == MQPROP_FORCE_MQRFH2 {
        return Ok(None);
    }
    message_handle::with(gmo.msg_handle, |_| Ok(()))?;
    Ok(Some(gmo.msg_handle))
}

/// Gets a message with its properties in front, where only the body has to fit the room.
///
/// A message that does not fit with its properties stays on its queue at first. Then it is got by its identifier, with room for
/// its properties and as much of the body as fits: so none is taken whose body does not fit, unless the program accepts that.
async fn get_with_properties(
    session: &mut Session,
    handle: ObjectHandle,
    md: &DescriptorImage,
    options: &GetStructure,
    room: usize,
) -> Result<GotPassedOn, ChannelError> {
    const TRIES: usize = 10;
    let connection = &mut session.connection;
    let mut asked = options.clone();
    asked.flags.remove(GetFlags::PROPERTIES_IN_HANDLE | GetFlags::ACCEPT_TRUNCATED_MSG);
    asked.flags.insert(GetFlags::PROPERTIES_FORCE_MQRFH2);
    if options.flags.intersects(GetFlags::BROWSES) {
        // Nothing is taken, so the whole message may come.
        let longest = connection.maximum_message_length() as usize;
        return connection.get_passed_on(handle, md, &asked, longest).await;
    }
    let mut again = asked.clone();
    again.version = again.version.max(2);
    again.match_options.insert(MatchOptions::MSG_ID);
    let mut last = connection.get_passed_on(handle, md, &asked, room).await?;
    for _ in 0..TRIES {
        if !is_left(&last) {
            return Ok(last);
        }
        let mut same = md.clone();
        same.set_message_id(last.descriptor.message_id());
        let length = last.length;
        if last.data.len() < HEADER_STARTS && length > HEADER_STARTS {
            again.flags.remove(GetFlags::ACCEPT_TRUNCATED_MSG);
            last = connection.get_passed_on(handle, &same, &again, HEADER_STARTS).await?;
        }
        if is_left(&last) {
            let header = header_length(&last.descriptor, &last.data);
            let whole = header.saturating_add(length.saturating_sub(header).min(room));
            again.flags.set(GetFlags::ACCEPT_TRUNCATED_MSG, options.flags.contains(GetFlags::ACCEPT_TRUNCATED_MSG));
            last = connection.get_passed_on(handle, &same, &again, whole).await?;
            if last.ended.reason != Reason::NoMsgAvailable.number() {
                return Ok(last);
            }
        }
        // Another program took it in between.
        last = connection.get_passed_on(handle, md, &asked, room).await?;
    }
    Ok(last)
}

/// It did not fit, and stays on its queue.
fn is_left(got: &GotPassedOn) -> bool {
    got.ended.reason == Reason::TruncatedMsgFailed.number()
}

/// Of the MQRFH2 that the data begin with, as it states its length.
fn header_length(md: &DescriptorImage, data: &[u8]) -> usize {
    if md.format() != message_handle::RFH2 {
        return 0;
    }
    let stated = data.get(8..12).and_then(|bytes| bytes.try_into().ok());
    let length = stated.map(|bytes| match Encoding(md.encoding()).integers_are_little_endian() {
        true => u32::from_le_bytes(bytes),
        false => u32::from_be_bytes(bytes),
    });
    length.map_or(0, |length| length as usize)
}

/// Moves the properties of what was got into the handle.
fn take_apart(message: i64, got: &mut GotPassedOn, room: usize, accepts: bool) -> Result<(), Ended> {
    let apart = message_handle::apart(&got.descriptor, &got.data);
    let properties = match apart {
        None => Vec::new(),
        Some(apart) => {
            got.descriptor = apart.md;
            got.length = got.length.saturating_sub(apart.length);
            got.data = got.data.slice(apart.length.min(got.data.len())..);
            if got.options.returned_length >= 0 {
                got.options.returned_length = i32::try_from(got.data.len()).unwrap_or(i32::MAX);
            }
            apart.properties
        }
    };
    if got.data.len() > room {
        got.data.truncate(room);
        let reason = if accepts { Reason::TruncatedMsgAccepted } else { Reason::TruncatedMsgFailed };
        got.ended = warned(reason);
    }
    message_handle::with(message, |message| {
        message.replace(properties);
        Ok(())
    })
}

/// MQINQ.
///
/// # Errors
/// 2018, 2019, 2219, 2009.
pub fn inquire(hconn: i32, hobj: i32, request: &Inquire) -> Result<(Ended, Attributes), Ended> {
    handles::run(hconn, |runtime, session| {
        let handle = object_handle(hobj)?;
        let answer = runtime.block_on(session.connection.inquire_passed_on(handle, request));
        answer.map_err(|error| ended_by(&error))
    })
}

/// MQSET.
///
/// # Errors
/// As `inquire`, and what the queue manager says.
pub fn set(hconn: i32, hobj: i32, attributes: &Attributes) -> Result<Ended, Ended> {
    handles::run(hconn, |runtime, session| {
        let handle = object_handle(hobj)?;
        let set = runtime.block_on(session.connection.set(handle, attributes));
        set.map(|()| Ended::WELL).map_err(|error| ended_by(&error))
    })
}

fn check_own_unit(hconn: i32) -> Result<(), Ended> {
    let is_decided_elsewhere = handles::find(hconn)?.is_managed() && !xa::leaves_to_program(hconn);
    if is_decided_elsewhere { Err(failed(Reason::EnvironmentError)) } else { Ok(()) }
}

/// MQCMIT.
///
/// # Errors
/// 2012 a transaction manager decides; what the queue manager says, and 2003, 2549 after a loss.
pub fn commit(hconn: i32) -> Result<Ended, Ended> {
    check_own_unit(hconn)?;
    let ended = handles::run(hconn, |runtime, session| {
        let done = runtime.block_on(session.connection.commit());
        done.map(|()| Ended::WELL).map_err(|error| ended_by(&error))
    });
    xa::unregister(hconn);
    ended
}

/// MQBACK.
///
/// # Errors
/// As `commit`.
pub fn back_out(hconn: i32) -> Result<Ended, Ended> {
    check_own_unit(hconn)?;
    let ended = handles::run(hconn, |runtime, session| {
        let done = runtime.block_on(session.connection.back_out());
        done.map(|()| Ended::WELL).map_err(|error| ended_by(&error))
    });
    xa::unregister(hconn);
    ended
}

/// MQBEGIN: a client has no transaction manager of its own.
///
/// # Errors
/// 2012, or 2018.
pub fn begin(hconn: i32) -> Result<Ended, Ended> {
    handles::run(hconn, |_, _| Err(failed(Reason::EnvironmentError)))
}

/// MQSTAT. `strings`: object, subscription name.
///
/// # Errors
/// 2018, 2219, 2009, 2549.
pub fn status(hconn: i32, status_type: i32, sts: &mut Mqsts, strings: &mut [Variable; 2]) -> Result<Ended, Ended> {
    handles::run(hconn, |runtime, session| {
        let request = Stat { status_type, status: convert::status(sts) };
        let answer = runtime.block_on(session.connection.status_passed_on(&request));
        let (ended, status) = answer.map_err(|error| ended_by(&error))?;
        if !ended.is_failed() {
            convert::status_back(&status, sts, strings);
        }
        Ok(ended)
    })
}

/// What MQSUB gives.
#[derive(Debug, Clone, Copy)]
pub struct Subscribed {
    pub ended: Ended,
    pub queue: i32,
    pub subscription: i32,
}

/// MQSUB. `strings`: object, name, user data, selection, resolved object. `queue`: MQHO_NONE or -1 for a managed one.
///
/// # Errors
/// 2018, 2019, 2219, 2009.
pub fn subscribe(hconn: i32, sd: &mut Mqsd, strings: &mut [Variable; 5], queue: i32) -> Result<Subscribed, Ended> {
    handles::run(hconn, |runtime, session| {
        let given = if queue > 0 { Some(object_handle(queue)?) } else { None };
        let structure = convert::subscription(sd, strings);
        let made = runtime.block_on(session.connection.subscribe_passed_on(structure, given));
        let made = made.map_err(|error| ended_by(&error))?;
        if !made.ended.is_failed() {
            convert::subscription_back(&made.structure, sd, strings);
        }
        let (queue, subscription) = (number_of(made.queue), number_of(made.subscription));
        Ok(Subscribed { ended: made.ended, queue, subscription })
    })
}

/// MQSUBRQ.
///
/// # Errors
/// 2018, 2019, 2219, 2009.
pub fn request_publications(hconn: i32, hsub: i32, action: i32, sro: &mut Mqsro) -> Result<Ended, Ended> {
    handles::run(hconn, |runtime, session| {
        let options = SubscriptionRequestOptions { options: sro.options, publications: 0 };
        let request = SubscriptionRequest { action, options };
        let asked = session.connection.request_publications_passed_on(object_handle(hsub)?, request);
        let (ended, options) = runtime.block_on(asked).map_err(|error| ended_by(&error))?;
        sro.num_pubs = options.publications;
        Ok(ended)
    })
}
