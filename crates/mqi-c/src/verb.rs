//! MQOPEN, MQCLOSE, MQPUT, MQPUT1, MQGET, MQCMIT, MQBACK, MQBEGIN, MQSTAT, MQSUB, MQSUBRQ.

use std::ffi::c_void;

use channel_protocol::structure::descriptor_image::DescriptorImage;
use model::reason::Reason;
use mqi_client::constant::MQHO_UNUSABLE_HOBJ;
use mqi_client::structure::{Mqgmo, Mqmd, Mqod, Mqpmo, Mqsd, Mqsro, Mqsts};
use mqi_client::verb::{self, Records, Variable};
use mqi_client::{Ended, failed, handles};

use crate::door::call;
use crate::list;
use crate::memory::{Copied, bytes, fill, load, room, stated, store, store_length, variable, variable_back};

door! {
    fn MQOPEN(hconn: i32, object: *mut c_void, options: i32, hobj: *mut i32) {
        if hobj.is_null() {
            return Err(failed(Reason::HobjError));
        }
        store(hobj, MQHO_UNUSABLE_HOBJ);
        let mut od = Copied::<Mqod>::read(object, Reason::OdError)?;
        let mut strings = object_strings(hconn, &od)?;
        let mut records = list::of_object(&od)?;
        let (ended, number) = verb::open(hconn, &mut od.value, &mut strings, &mut records, options)?;
        list::object_back(&od, &records);
        object_back(&mut od, &strings);
        if number > 0 {
            store(hobj, number);
        }
        Ok(ended)
    }
}

/// # Safety
/// What the structure names is there.
unsafe fn object_strings(hconn: i32, od: &Copied<Mqod>) -> Result<[Variable; 3], Ended> {
    if od.value.version < 4 {
        return Ok(Default::default());
    }
    let (value, base, ccsid) = (&od.value, od.base(), handles::ccsid(hconn));
    // SAFETY: the promise.
    unsafe {
        Ok([
            variable(base, &value.object_string, ccsid, Reason::ObjectStringError)?,
            variable(base, &value.selection_string, ccsid, Reason::SelectionStringError)?,
            variable(base, &value.res_object_string, ccsid, Reason::ResObjectStringError)?,
        ])
    }
}

/// # Safety
/// As `object_strings`, and it may be written.
unsafe fn object_back(od: &mut Copied<Mqod>, strings: &[Variable; 3]) {
    let base = od.base();
    // SAFETY: the promise.
    unsafe {
        if od.value.version >= 4 {
            variable_back(base, &mut od.value.res_object_string, &strings[2]);
        }
        od.write();
    }
}

door! {
    fn MQCLOSE(hconn: i32, hobj: *mut i32, options: i32) {
        let number = load(hobj, Reason::HobjError)?;
        let closed = verb::close(hconn, number, options);
        if !matches!(&closed, Err(ended) if keeps_handle(*ended)) {
            store(hobj, MQHO_UNUSABLE_HOBJ);
        }
        closed
    }
}

/// Whether the object is open still.
fn keeps_handle(ended: Ended) -> bool {
    let keeping =
        [Reason::QNotEmpty, Reason::ReadAheadMsgs, Reason::HconnError, Reason::HobjError, Reason::CallInProgress];
    keeping.iter().any(|reason| reason.number() == ended.reason)
}

/// A program's MQMD.
pub(crate) struct Descriptor {
    pub(crate) image: DescriptorImage,
    address: *mut c_void,
}

impl Descriptor {
    /// # Errors
    /// 2026.
    ///
    /// # Safety
    /// The address is null or that of an MQMD of the version it states.
    pub(crate) unsafe fn read(address: *mut c_void) -> Result<Self, Ended> {
        // SAFETY: handed through.
        let memory = unsafe { stated::<Mqmd>(address, Reason::MdError) }?;
        Ok(Self { image: DescriptorImage::from_native(memory).map_err(failed)?, address })
    }

    /// # Safety
    /// As `read`, and it may be written.
    pub(crate) unsafe fn write(&self) {
        let bytes = self.image.native();
        // SAFETY: as many bytes were read, for the version does not change.
        unsafe { fill(self.address, bytes.len(), bytes) };
    }
}

door! {
    fn MQPUT(hconn: i32, hobj: i32, descriptor: *mut c_void, options: *mut c_void, length: i32, buffer: *mut c_void) {
        let mut md = Descriptor::read(descriptor)?;
        let mut pmo = Copied::<Mqpmo>::read_or_default(options, Reason::PmoError)?;
        let mut records = list::of_put(&pmo, Records::default())?;
        let body = bytes(buffer, length)?;
        let ended = verb::put(hconn, hobj, &mut md.image, &mut pmo.value, &mut records, body)?;
        list::put_back(&pmo, &records);
        md.write();
        pmo.write();
        Ok(ended)
    }
}

door! {
    fn MQPUT1(
        hconn: i32,
        object: *mut c_void,
        descriptor: *mut c_void,
        options: *mut c_void,
        length: i32,
        buffer: *mut c_void,
    ) {
        let mut od = Copied::<Mqod>::read(object, Reason::OdError)?;
        let mut strings = object_strings(hconn, &od)?;
        let mut md = Descriptor::read(descriptor)?;
        let mut pmo = Copied::<Mqpmo>::read_or_default(options, Reason::PmoError)?;
        let mut records = list::of_put(&pmo, list::of_object(&od)?)?;
        let body = bytes(buffer, length)?;
        let (md_image, pmo_value) = (&mut md.image, &mut pmo.value);
        let ended = verb::put1(hconn, &mut od.value, &mut strings, md_image, pmo_value, &mut records, body)?;
        list::object_back(&od, &records);
        list::put_back(&pmo, &records);
        object_back(&mut od, &strings);
        md.write();
        pmo.write();
        Ok(ended)
    }
}

door! {
    fn MQGET(
        hconn: i32,
        hobj: i32,
        descriptor: *mut c_void,
        options: *mut c_void,
        most: i32,
        buffer: *mut c_void,
        length: *mut i32,
    ) {
        let mut md = Descriptor::read(descriptor)?;
        let mut gmo = Copied::<Mqgmo>::read(options, Reason::GmoError)?;
        let room = room(buffer, most)?;
        let got = verb::get(hconn, hobj, &mut md.image, &mut gmo.value, room)?;
        md.write();
        gmo.write();
        if got.ended.completion < 2 {
            fill(buffer, room, &got.data);
            store_length(length, got.length);
        }
        Ok(got.ended)
    }
}

door! {
    fn MQCMIT(hconn: i32) {
        verb::commit(hconn)
    }
}

door! {
    fn MQBACK(hconn: i32) {
        verb::back_out(hconn)
    }
}

/// # Safety
/// As the crate says. A binding is known that calls it with three arguments: then `reason` is what a register holds, so it is
/// written only where it can be an address of a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MQBEGIN(hconn: i32, _options: *mut c_void, completion: *mut i32, reason: *mut i32) {
    let reason = if reason.is_aligned() { reason } else { std::ptr::null_mut() };
    // SAFETY: the caller's promise.
    unsafe { call(completion, reason, || verb::begin(hconn)) };
}

door! {
    fn MQSTAT(hconn: i32, kind: i32, status: *mut c_void) {
        let mut sts = Copied::<Mqsts>::read(status, Reason::StsError)?;
        let mut strings = <[Variable; 2]>::default();
        let ended = verb::status(hconn, kind, &mut sts.value, &mut strings)?;
        let base = sts.base();
        if sts.value.version >= 2 {
            variable_back(base, &mut sts.value.object_string, &strings[0]);
            variable_back(base, &mut sts.value.sub_name, &strings[1]);
        }
        sts.write();
        Ok(ended)
    }
}

door! {
    fn MQSUB(hconn: i32, descriptor: *mut c_void, hobj: *mut i32, hsub: *mut i32) {
        let mut sd = Copied::<Mqsd>::read(descriptor, Reason::SdError)?;
        let mut strings = subscription_strings(hconn, &sd)?;
        let queue = load(hobj, Reason::HobjError)?;
        let made = verb::subscribe(hconn, &mut sd.value, &mut strings, queue)?;
        if made.ended.completion < 2 {
            subscription_back(&mut sd, &strings);
            store(hobj, made.queue);
            store(hsub, made.subscription);
        } else {
            store(hsub, MQHO_UNUSABLE_HOBJ);
        }
        Ok(made.ended)
    }
}

/// # Safety
/// What the structure names is there.
unsafe fn subscription_strings(hconn: i32, sd: &Copied<Mqsd>) -> Result<[Variable; 5], Ended> {
    let (value, base, ccsid) = (&sd.value, sd.base(), handles::ccsid(hconn));
    // SAFETY: the promise.
    unsafe {
        Ok([
            variable(base, &value.object_string, ccsid, Reason::ObjectStringError)?,
            variable(base, &value.sub_name, ccsid, Reason::SubNameError)?,
            variable(base, &value.sub_user_data, ccsid, Reason::SubUserDataError)?,
            variable(base, &value.selection_string, ccsid, Reason::SelectionStringError)?,
            variable(base, &value.res_object_string, ccsid, Reason::ResObjectStringError)?,
        ])
    }
}

/// Writes only texts that have a buffer: the others are constants of the program.
///
/// # Safety
/// As `subscription_strings`, and it may be written.
unsafe fn subscription_back(sd: &mut Copied<Mqsd>, strings: &[Variable; 5]) {
    let base = sd.base();
    let value = &mut sd.value;
    let texts = [
        &mut value.object_string,
        &mut value.sub_name,
        &mut value.sub_user_data,
        &mut value.selection_string,
        &mut value.res_object_string,
    ];
    for (text, string) in texts.into_iter().zip(strings) {
        if text.vs_buf_size > 0 && !string.text.is_empty() {
            // SAFETY: the promise.
            unsafe { variable_back(base, text, string) };
        }
    }
    // SAFETY: the promise.
    unsafe { sd.write() };
}

door! {
    fn MQSUBRQ(hconn: i32, hsub: i32, action: i32, options: *mut c_void) {
        let mut sro = Copied::<Mqsro>::read_or_default(options, Reason::SroError)?;
        let ended = verb::request_publications(hconn, hsub, action, &mut sro.value)?;
        sro.write();
        Ok(ended)
    }
}
