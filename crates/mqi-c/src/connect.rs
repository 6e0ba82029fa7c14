//! MQCONN, MQCONNX, MQDISC.

use std::ffi::c_void;

use model::reason::Reason;
use mqi_client::connect::{self, Request};
use mqi_client::constant::{
    MQCNO_CD_FOR_OUTPUT_ONLY, MQCSP_AUTH_NONE, MQCSP_AUTH_USER_ID_AND_PWD, MQHC_UNUSABLE_HCONN, MQSSL_FIPS_YES,
};
use mqi_client::route::{Channel, Keys};
use mqi_client::structure::{Mqcd, Mqcno, Mqcsp, Mqsco};
use mqi_client::{Ended, failed};

use crate::memory::{self, Copied, load, name, part, place, store};

door! {
    fn MQCONN(queue_manager: *mut u8, hconn: *mut i32) {
        let request = Request { queue_manager: name(queue_manager, 48), ..Request::default() };
        connected(hconn, &request)
    }
}

door! {
    fn MQCONNX(queue_manager: *mut u8, options: *mut c_void, hconn: *mut i32) {
        let cno = Copied::<Mqcno>::read_or_default(options, Reason::CnoError)?;
        let mut request = request(&cno)?;
        request.queue_manager = name(queue_manager, 48);
        connected(hconn, &request)
    }
}

/// # Safety
/// The address is null or that of an MQHCONN.
unsafe fn connected(hconn: *mut i32, request: &Request) -> Result<Ended, Ended> {
    if hconn.is_null() {
        return Err(failed(Reason::HconnError));
    }
    // SAFETY: the promise.
    unsafe { store(hconn, MQHC_UNUSABLE_HCONN) };
    let (number, ended) = connect::connect(request)?;
    // SAFETY: the promise.
    unsafe { store(hconn, number) };
    Ok(ended)
}

door! {
    fn MQDISC(hconn: *mut i32) {
        let ended = connect::disconnect(load(hconn, Reason::HconnError)?);
        if ended.as_ref().map_or_else(|ended| ended.reason, |ended| ended.reason) != Reason::HconnError.number() {
            store(hconn, MQHC_UNUSABLE_HCONN);
        }
        ended
    }
}

/// # Safety
/// What the structure names is there.
unsafe fn request(cno: &Copied<Mqcno>) -> Result<Request, Ended> {
    let (value, base) = (&cno.value, cno.base());
    let channel = place(base, value.client_conn_ptr, value.client_conn_offset);
    let keys = place(base, value.ssl_config_ptr, value.ssl_config_offset);
    let security = place(base, value.security_parms_ptr, value.security_parms_offset);
    let url = place(base, value.ccdt_url_ptr, value.ccdt_url_offset);
    let is_output = value.options & MQCNO_CD_FOR_OUTPUT_ONLY != 0;
    // SAFETY: the promise.
    unsafe {
        Ok(Request {
            queue_manager: String::new(),
            options: value.options,
            channel: if channel == 0 || is_output { None } else { Some(definition(channel as *mut c_void)?) },
            keys: if keys == 0 { None } else { Some(repository(keys as *mut c_void)?) },
            credentials: if security == 0 { None } else { credentials(security as *mut c_void)? },
            table_url: if url == 0 { None } else { Some(text(url, value.ccdt_url_length, Reason::CcdtUrlError)?) },
            application_name: field(&value.appl_name),
        })
    }
}

/// # Safety
/// The address is that of an MQCD.
unsafe fn definition(address: *mut c_void) -> Result<Channel, Ended> {
    // SAFETY: the promise.
    let cd = unsafe { Copied::<Mqcd>::read(address, Reason::CdError) }?.value;
    let since = |version: i32, value: i32| (cd.version >= version).then_some(value);
    let exits = [&cd.security_exit, &cd.send_exit, &cd.receive_exit];
    let peer = match (cd.version >= 7, cd.ssl_peer_name_ptr) {
        (false, _) | (true, 0) => String::new(),
        // SAFETY: the structure names as many bytes.
        (true, peer) => unsafe { text(peer, cd.ssl_peer_name_length, Reason::CdError) }?,
    };
    let connection_name = if cd.version >= 2 { field(&cd.connection_name) } else { field(&cd.short_connection_name) };
    Ok(Channel {
        name: field(&cd.channel_name),
        connection_name,
        transport: cd.transport_type,
        cipher_specification: if cd.version >= 7 { field(&cd.ssl_cipher_spec) } else { String::new() },
        peer_name: peer,
        certificate_label: if cd.version >= 11 { field(&cd.certificate_label) } else { String::new() },
        maximum_message_length: Some(cd.max_msg_length),
        heartbeat_interval: since(4, cd.heartbeat_interval),
        sharing_conversations: since(9, cd.sharing_conversations),
        exit: exits.into_iter().map(|exit| field(exit)).find(|name| !name.is_empty()),
    })
}

/// # Safety
/// The address is that of an MQSCO.
unsafe fn repository(address: *mut c_void) -> Result<Keys, Ended> {
    // SAFETY: the promise.
    let copied = unsafe { Copied::<Mqsco>::read(address, Reason::ScoError) }?;
    let (sco, base) = (&copied.value, copied.base());
    // MQ_SUITE_B_NOT_AVAILABLE is 0, MQ_SUITE_B_NONE 1: what goes beyond is not spoken here.
    if sco.version >= 3 && sco.encryption_policy_suite_b.iter().any(|policy| *policy > 1) {
        return Err(failed(Reason::SuiteBError));
    }
    // Revocation by LDAP or OCSP is not looked up; a program that asks for it is not to believe that it is.
    if sco.auth_info_rec_count > 0 {
        return Err(failed(Reason::AuthInfoRecCountError));
    }
    let password = match place(base, sco.key_repo_password_ptr, sco.key_repo_password_offset) {
        0 => None,
        _ if sco.version < 6 => None,
        // SAFETY: the structure names as many bytes.
        password => Some(unsafe { text(password, sco.key_repo_password_length, Reason::ScoError) }?),
    };
    Ok(Keys {
        repository: field(&sco.key_repository),
        password,
        certificate_label: if sco.version >= 5 { field(&sco.certificate_label) } else { String::new() },
        needs_fips: sco.version >= 2 && sco.fips_required == MQSSL_FIPS_YES,
    })
}

/// # Safety
/// The address is that of an MQCSP.
unsafe fn credentials(address: *mut c_void) -> Result<Option<(String, String)>, Ended> {
    // SAFETY: the promise.
    let csp = unsafe { Copied::<Mqcsp>::read(address, Reason::CspError) }?;
    let (value, base) = (&csp.value, csp.base());
    match value.authentication_type {
        MQCSP_AUTH_NONE => Ok(None),
        MQCSP_AUTH_USER_ID_AND_PWD => {
            let user = place(base, value.csp_user_id_ptr, value.csp_user_id_offset);
            let password = place(base, value.csp_password_ptr, value.csp_password_offset);
            // SAFETY: the structure names as many bytes.
            unsafe {
                Ok(Some((
                    text(user, value.csp_user_id_length, Reason::CspError)?,
                    text(password, value.csp_password_length, Reason::CspError)?,
                )))
            }
        }
        _ => Err(failed(Reason::CspError)),
    }
}

/// # Safety
/// The address is 0 or that of as many bytes.
unsafe fn text(address: usize, length: i32, reason: Reason) -> Result<String, Ended> {
    let length = usize::try_from(length).map_err(|_| failed(reason))?;
    // SAFETY: the promise.
    let bytes = unsafe { part(address, length) }.map_err(|_| failed(reason))?;
    Ok(memory::text(bytes))
}

/// A character field up to its NUL, without blanks at the end.
fn field(bytes: &[u8]) -> String {
    memory::text(bytes).trim_end().to_owned()
}
