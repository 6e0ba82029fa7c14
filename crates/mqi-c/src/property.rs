//! Message handles and properties: MQCRTMH, MQDLTMH, MQSETMP, MQINQMP, MQDLTMP, MQBUFMH, MQMHBUF.

use std::ffi::c_void;

use model::property::PropertyValue;
use model::reason::Reason;
use mqi_client::constant::{
    MQBMHO_DELETE_PROPERTIES, MQCCSI_APPL, MQDMPO_DEL_PROP_UNDER_CURSOR, MQHM_UNUSABLE_HMSG, MQIMPO_CONVERT_TYPE,
    MQIMPO_CONVERT_VALUE, MQIMPO_QUERY_LENGTH, MQMHBO_DELETE_PROPERTIES, MQTYPE_AS_SET, MQVL_NULL_TERMINATED,
};
use mqi_client::property::{self, Description, Property, converted, read_value, type_of, write_value};
use mqi_client::structure::{Mqbmho, Mqcharv, Mqcmho, Mqdmho, Mqdmpo, Mqimpo, Mqmhbo, Mqpd, Mqsmpo, Structure};
use mqi_client::verb::Variable;
use mqi_client::{Ended, failed, handles, message_handle};

use crate::memory::{
    Copied, LONGEST_TEXT, bytes, fill, load, room, store, store_length, to_nul, variable, variable_back,
};
use crate::verb::Descriptor;

door! {
    fn MQCRTMH(hconn: i32, options: *mut c_void, hmsg: *mut i64) {
        let cmho = Copied::<Mqcmho>::read_or_default(options, Reason::CmhoError)?;
        if hmsg.is_null() {
            return Err(failed(Reason::HmsgError));
        }
        store(hmsg, i64::from(MQHM_UNUSABLE_HMSG));
        store(hmsg, message_handle::create(hconn, cmho.value.options)?);
        Ok(Ended::WELL)
    }
}

door! {
    fn MQDLTMH(_hconn: i32, hmsg: *mut i64, options: *mut c_void) {
        Copied::<Mqdmho>::read_or_default(options, Reason::DmhoError)?;
        let ended = message_handle::delete(load(hmsg, Reason::HmsgError)?)?;
        store(hmsg, i64::from(MQHM_UNUSABLE_HMSG));
        Ok(ended)
    }
}

/// The name that an MQCHARV holds.
///
/// # Safety
/// The address is null or that of an MQCHARV with its text.
unsafe fn name(hconn: i32, address: *mut c_void) -> Result<String, Ended> {
    // SAFETY: the promise.
    unsafe {
        let text = Copied::<Mqcharv>::read(address, Reason::PropertyNameError)?;
        let name = variable(text.base(), &text.value, handles::ccsid(hconn), Reason::PropertyNameError)?;
        property::text(&name.text, name.ccsid).map_err(|_| failed(Reason::PropertyNameError))
    }
}

door! {
    fn MQSETMP(
        hconn: i32,
        hmsg: i64,
        options: *mut c_void,
        property: *mut c_void,
        description: *mut c_void,
        kind: i32,
        length: i32,
        value: *mut c_void,
    ) {
        let smpo = Copied::<Mqsmpo>::read_or_default(options, Reason::SmpoError)?.value;
        let pd = Copied::<Mqpd>::read_or_default(description, Reason::PdError)?.value;
        let name = name(hconn, property)?;
        let ccsid = if smpo.value_ccsid == MQCCSI_APPL { handles::ccsid(hconn) } else { smpo.value_ccsid };
        let bytes = match length {
            MQVL_NULL_TERMINATED => to_nul(value.cast::<u8>(), LONGEST_TEXT),
            length => bytes(value, length).map_err(|_| failed(Reason::PropertyValueTooBig))?.to_vec(),
        };
        let value = read_value(kind, &bytes, smpo.value_encoding, ccsid).map_err(failed)?;
        let description = Description { support: pd.support, context: pd.context, copy_options: pd.copy_options };
        message_handle::with(hmsg, |message| message.set(smpo.options, &name, value, description))?;
        Ok(Ended::WELL)
    }
}

door! {
    fn MQINQMP(
        hconn: i32,
        hmsg: i64,
        options: *mut c_void,
        property: *mut c_void,
        description: *mut c_void,
        kind: *mut i32,
        room: i32,
        value: *mut c_void,
        length: *mut i32,
    ) {
        let mut impo = Copied::<Mqimpo>::read_or_default(options, Reason::ImpoError)?;
        let wanted = name(hconn, property)?;
        let room = usize::try_from(room).map_err(|_| failed(Reason::PropertyValueTooBig))?;
        let found = message_handle::with(hmsg, |message| message.inquire(impo.value.options, &wanted).cloned())?;
        let asked = load(kind, Reason::PropertyTypeError).unwrap_or(MQTYPE_AS_SET);
        let ended = inquired(hconn, &mut impo, &found, asked, value, room, length);
        if let Ok(returned) = &ended {
            store(kind, *returned);
            describe(description, &found)?;
        }
        impo.write();
        ended.map(|_| Ended::WELL)
    }
}

/// Writes a property's value, its name and what is known of it; the type as it was returned.
///
/// # Safety
/// As `MQINQMP`.
unsafe fn inquired(
    hconn: i32,
    impo: &mut Copied<Mqimpo>,
    found: &Property,
    asked: i32,
    value: *mut c_void,
    room: usize,
    length: *mut i32,
) -> Result<i32, Ended> {
    let base = impo.base();
    let options = impo.value.options;
    let mut result: PropertyValue = found.value().clone();
    if options & MQIMPO_CONVERT_TYPE != 0 && asked != MQTYPE_AS_SET {
        result = converted(&result, asked).map_err(failed)?;
    }
    let converts = options & MQIMPO_CONVERT_VALUE != 0;
    let own = handles::ccsid(hconn);
    let requested = if impo.value.requested_ccsid == MQCCSI_APPL { own } else { impo.value.requested_ccsid };
    let native = Mqimpo::DEFAULT.requested_encoding;
    let (encoding, ccsid) = if converts { (impo.value.requested_encoding, requested) } else { (native, 1208) };
    let bytes = write_value(&result, encoding, ccsid).map_err(failed)?;
    impo.value.returned_encoding = encoding;
    impo.value.returned_ccsid = ccsid;
    let mut full = Vec::new();
    let name_ccsid =
        if impo.value.returned_name.vsccsid == MQCCSI_APPL { own } else { impo.value.returned_name.vsccsid };
    let _ = codepage::encode(u32::try_from(name_ccsid).unwrap_or(1208), &found.full_name(), &mut full);
    // SAFETY: the caller's promise.
    unsafe {
        if impo.value.returned_name.vs_buf_size > 0 {
            let name = Variable { text: full, ccsid: name_ccsid, room: 0 };
            variable_back(base, &mut impo.value.returned_name, &name);
        }
        store_length(length, bytes.len());
        if options & MQIMPO_QUERY_LENGTH == 0 {
            if bytes.len() > room {
                return Err(failed(Reason::PropertyValueTooBig));
            }
            fill(value, room, &bytes);
        }
    }
    Ok(type_of(&result))
}

/// # Safety
/// The address is null or that of an MQPD.
unsafe fn describe(address: *mut c_void, found: &Property) -> Result<(), Ended> {
    // SAFETY: the promise.
    unsafe {
        let mut pd = Copied::<Mqpd>::read_or_default(address, Reason::PdError)?;
        let known = found.description();
        pd.value.support = known.support;
        pd.value.context = known.context;
        pd.value.copy_options = known.copy_options;
        pd.write();
    }
    Ok(())
}

door! {
    fn MQDLTMP(hconn: i32, hmsg: i64, options: *mut c_void, property: *mut c_void) {
        let dmpo = Copied::<Mqdmpo>::read_or_default(options, Reason::DmpoError)?.value;
        let under_cursor = dmpo.options & MQDMPO_DEL_PROP_UNDER_CURSOR != 0;
        let name = if under_cursor { String::new() } else { name(hconn, property)? };
        message_handle::with(hmsg, |message| message.remove(under_cursor, &name))?;
        Ok(Ended::WELL)
    }
}

door! {
    fn MQBUFMH(
        _hconn: i32,
        hmsg: i64,
        options: *mut c_void,
        descriptor: *mut c_void,
        length: i32,
        buffer: *mut c_void,
        data_length: *mut i32,
    ) {
        let bmho = Copied::<Mqbmho>::read_or_default(options, Reason::BmhoError)?.value;
        let mut md = Descriptor::read(descriptor)?;
        // Without a message, as after a lost connection, the length that was to come with it is not read by.
        message_handle::with(hmsg, |_| Ok(()))?;
        let whole = bytes(buffer, length)?.to_vec();
        let header = message_handle::with(hmsg, |message| message.take_from(&md.image, &whole))?;
        let mut rest = whole.len();
        if bmho.options & MQBMHO_DELETE_PROPERTIES != 0 {
            let body = whole.get(header..).unwrap_or_default();
            rest = body.len();
            fill(buffer, whole.len(), body);
            md.image = message_handle::behind_header(&md.image, &whole);
            md.write();
        }
        store_length(data_length, rest);
        Ok(Ended::WELL)
    }
}

door! {
    fn MQMHBUF(
        hconn: i32,
        hmsg: i64,
        options: *mut c_void,
        property: *mut c_void,
        descriptor: *mut c_void,
        most: i32,
        buffer: *mut c_void,
        data_length: *mut i32,
    ) {
        let mhbo = Copied::<Mqmhbo>::read_or_default(options, Reason::MhboError)?.value;
        let pattern = name(hconn, property)?;
        let mut md = Descriptor::read(descriptor)?;
        let room = room(buffer, most)?;
        let kept = message_handle::with(hmsg, |message| Ok(message.header(&pattern, false, &md.image)))?;
        let header = kept.ok_or(failed(Reason::PropertyNotAvailable))?;
        store_length(data_length, header.len());
        if header.len() > room {
            return Err(failed(Reason::BufferLengthError));
        }
        if mhbo.options & MQMHBO_DELETE_PROPERTIES != 0 {
            message_handle::with(hmsg, |message| Ok(message.header(&pattern, true, &md.image)))?;
        }
        fill(buffer, room, &header);
        md.image.set_format(message_handle::RFH2);
        md.write();
        Ok(Ended::WELL)
    }
}
