//! The calls, each with the values that a program hands in; what comes back is written into them.
//!
//! `Ok` is an answer of the queue manager, also one that says no: its structures are to be copied back. `Err` is this end's own.

use bytes::Bytes;
use channel_client::connection::ObjectHandle;
use channel_protocol::flow::inquire::{Attributes, Inquire};
use channel_protocol::flow::stat::Stat;
use channel_protocol::flow::subscribe::SubscriptionRequest;
use channel_protocol::structure::descriptor_image::DescriptorImage;
use channel_protocol::structure::subscription_descriptor::SubscriptionRequestOptions;
use model::options::{CloseOptions, OpenOptions};
use model::reason::Reason;

use crate::constant::MQHO_NONE;
use crate::structure::{Mqgmo, Mqod, Mqpmo, Mqsd, Mqsro, Mqsts};
use crate::{Ended, convert, ended_by, failed, handles};

/// A text of variable length, MQCHARV: what it holds, or may hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variable {
    pub text: Vec<u8>,
    pub ccsid: i32,
    /// Of the program's buffer, in bytes.
    pub room: usize,
}

/// A body that came, and the length of the whole message.
#[derive(Debug)]
pub struct Got {
    pub ended: Ended,
    pub data: Bytes,
    pub length: usize,
}

fn object_handle(number: i32) -> Result<ObjectHandle, Ended> {
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
pub fn open(hconn: i32, od: &mut Mqod, strings: &mut [Variable; 3], options: i32) -> Result<(Ended, i32), Ended> {
    handles::run(hconn, |runtime, session| {
        let object = convert::object(od, strings);
        let options = OpenOptions::from_bits_retain(options.cast_unsigned());
        let opened = runtime.block_on(session.connection.open_passed_on(&object, options));
        let opened = opened.map_err(|error| ended_by(&error))?;
        if !opened.ended.is_failed() {
            convert::object_back(&opened.object, od, &mut strings[2]);
        }
        if let (Some(handle), Some(attributes)) = (opened.handle, opened.attributes) {
            session.attributes.insert(handle.number(), attributes);
        }
        Ok((opened.ended, number_of(opened.handle)))
    })
}

/// MQCLOSE. The handle is valid still when it ends with 2055 or 2458.
///
/// # Errors
/// 2018, 2019, 2219, and what the queue manager says.
pub fn close(hconn: i32, hobj: i32, options: i32) -> Result<Ended, Ended> {
    handles::run(hconn, |runtime, session| {
        let handle = object_handle(hobj)?;
        let options = CloseOptions::from_bits_retain(options.cast_unsigned());
        let closed = runtime.block_on(session.connection.close(handle, options));
        closed.map_err(|error| ended_by(&error))?;
        session.attributes.remove(&handle.number());
        Ok(Ended::WELL)
    })
}

/// MQPUT.
///
/// # Errors
/// 2018, 2019, 2219, 2003, 2009, 2549.
pub fn put(hconn: i32, hobj: i32, md: &mut DescriptorImage, pmo: &mut Mqpmo, body: &[u8]) -> Result<Ended, Ended> {
    handles::run(hconn, |runtime, session| {
        let (handle, options) = (object_handle(hobj)?, convert::put_options(pmo));
        let put = runtime.block_on(session.connection.put_passed_on(handle, md, &options, body));
        let put = put.map_err(|error| ended_by(&error))?;
        *md = put.descriptor;
        convert::put_options_back(&put.options, pmo);
        Ok(put.ended)
    })
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
    body: &[u8],
) -> Result<Ended, Ended> {
    handles::run(hconn, |runtime, session| {
        let (object, options) = (convert::object(od, strings), convert::put_options(pmo));
        let put = runtime.block_on(session.connection.put1_passed_on(&object, md, &options, body));
        let put = put.map_err(|error| ended_by(&error))?;
        *md = put.descriptor;
        convert::put_options_back(&put.options, pmo);
        if let Some(object) = put.object.filter(|_| !put.ended.is_failed()) {
            convert::object_back(&object, od, &mut strings[2]);
        }
        Ok(put.ended)
    })
}

/// MQGET into a buffer of `room` bytes.
///
/// # Errors
/// As `put`.
pub fn get(hconn: i32, hobj: i32, md: &mut DescriptorImage, gmo: &mut Mqgmo, room: usize) -> Result<Got, Ended> {
    handles::run(hconn, |runtime, session| {
        let (handle, options) = (object_handle(hobj)?, convert::get_options(gmo));
        let got = runtime.block_on(session.connection.get_passed_on(handle, md, &options, room));
        let got = got.map_err(|error| ended_by(&error))?;
        *md = got.descriptor;
        convert::get_options_back(&got.options, gmo);
        Ok(Got { ended: got.ended, data: got.data, length: got.length })
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

/// MQCMIT.
///
/// # Errors
/// What the queue manager says, and 2003, 2549 after a loss.
pub fn commit(hconn: i32) -> Result<Ended, Ended> {
    handles::run(hconn, |runtime, session| {
        let done = runtime.block_on(session.connection.commit());
        done.map(|()| Ended::WELL).map_err(|error| ended_by(&error))
    })
}

/// MQBACK.
///
/// # Errors
/// As `commit`.
pub fn back_out(hconn: i32) -> Result<Ended, Ended> {
    handles::run(hconn, |runtime, session| {
        let done = runtime.block_on(session.connection.back_out());
        done.map(|()| Ended::WELL).map_err(|error| ended_by(&error))
    })
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
