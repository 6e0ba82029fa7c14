//! Calls with structures as a program may hand them in, made of any bytes: any version, any number in any field, and memory that is
//! no longer than the version says. For the fuzz target `mqi_structures`, and for a test that needs no fuzzer.
//!
//! What the crate asks of a program is kept: an address is null or that of as many bytes as its length says. No call connects.

use std::ffi::c_void;

use channel_protocol::structure::distribution::{ObjectRecord, PutRecord, ResponseRecord};
use model::reason::Reason;
use mqi_client::constant::{MQCNO_LOCAL_BINDING, MQHC_UNASSOCIATED_HCONN};
use mqi_client::structure::{
    Address, Mqbmho, Mqcbd, Mqcd, Mqcharv, Mqcmho, Mqcno, Mqcsp, Mqctlo, Mqdmho, Mqdmpo, Mqgmo, Mqimpo, Mqmd, Mqmhbo,
    Mqod, Mqpd, Mqpmo, Mqsco, Mqsd, Mqsmpo, Mqsro, Mqsts,
};

use crate::memory::Plain;
use crate::{connect, consume, property, verb, xa};

/// Longest text or buffer, in bytes.
const LONGEST: i32 = 200;
/// Most records of a list.
const RECORDS: i32 = 5;

/// Memory of the program: what it hands in is made of the input, byte by byte.
struct Program<'a> {
    input: &'a [u8],
    memory: Vec<Vec<u8>>,
}

impl Program<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.input.split_first().unwrap_or((&0, &[]));
        self.input = rest;
        *first
    }

    fn one_in(&mut self, many: u8) -> bool {
        self.byte() % many == many - 1
    }

    fn number(&mut self) -> i32 {
        i32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()])
    }

    /// A length as programs state it: seldom a negative one, which may say that a NUL ends the text.
    fn length(&mut self) -> i32 {
        if self.one_in(8) { self.number().min(LONGEST) } else { i32::from(self.byte()).min(LONGEST) }
    }

    /// Where these bytes are.
    fn keep(&mut self, bytes: Vec<u8>) -> Address {
        // Exactly as long: what is read or written behind them is seen by who watches the memory.
        let mut bytes = bytes.into_boxed_slice().into_vec();
        let address = bytes.as_mut_ptr() as Address;
        self.memory.push(bytes);
        address
    }

    /// Null, or memory of as many bytes; for a negative length that of a text which ends with a NUL.
    fn room(&mut self, length: i32) -> Address {
        if self.one_in(8) {
            return 0;
        }
        let mut bytes: Vec<u8> = (0..usize::try_from(length).unwrap_or(0)).map(|_| self.byte()).collect();
        if length < 0 {
            bytes.extend([self.byte(), 0]);
        }
        self.keep(bytes)
    }

    /// A structure with what it names, `settle`d by the caller: its addresses and lengths are made to agree.
    fn structure<T: Plain>(&mut self, settle: impl FnOnce(&mut Self, &mut T)) -> Address {
        if self.one_in(16) {
            return 0;
        }
        let mut value = T::DEFAULT;
        let version = self.byte();
        let (identifier, stated) = (T::IDENTIFIER.filter(|_| !self.one_in(32)), i32::from(version % 16));
        let mut bytes = vec![0; size_of::<T>()];
        // SAFETY: a structure of numbers and arrays of them has as many bytes, and any bytes are one.
        unsafe { std::ptr::copy_nonoverlapping((&raw const value).cast::<u8>(), bytes.as_mut_ptr(), bytes.len()) };
        // Fields keep their initial values where the input says so: few calls go far with all of them at random.
        for field in bytes.chunks_mut(4) {
            if self.one_in(4) {
                field.iter_mut().for_each(|byte| *byte = self.byte());
            }
        }
        if let Some(identifier) = identifier {
            bytes[..4].copy_from_slice(&identifier);
        }
        if let Some(at) = T::VERSION_AT {
            bytes[at..at + 4].copy_from_slice(&stated.to_ne_bytes());
        }
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), (&raw mut value).cast::<u8>(), bytes.len()) };
        settle(self, &mut value);
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping((&raw const value).cast::<u8>(), bytes.as_mut_ptr(), bytes.len()) };
        // Of a version that is not known the program has no more than what every version begins with.
        let length = T::length(if T::VERSION_AT.is_some() { stated } else { 1 }).unwrap_or(8);
        bytes.truncate(length);
        self.keep(bytes)
    }

    fn plain<T: Plain>(&mut self) -> Address {
        self.structure::<T>(|_, _| {})
    }

    /// A text of variable length: its buffer holds what both lengths say.
    fn variable(&mut self, text: &mut Mqcharv) {
        (text.vs_length, text.vs_buf_size, text.vs_offset) = (self.length(), self.length(), 0);
        if text.vs_length < 0 {
            text.vs_buf_size = text.vs_buf_size.min(1);
        }
        text.vs_ptr = self.room(if text.vs_length < 0 { -1 } else { text.vs_length.max(text.vs_buf_size) });
    }

    fn text(&mut self) -> (Address, i32) {
        let length = self.length();
        (self.room(length), length)
    }

    fn name(&mut self) -> Address {
        self.structure::<Mqcharv>(Self::variable)
    }

    fn descriptor(&mut self) -> Address {
        if self.one_in(16) {
            return 0;
        }
        let mut bytes = Vec::from(b"MD  ");
        let version = i32::from(self.byte() % 4);
        bytes.extend(version.to_ne_bytes());
        let length = <Mqmd as mqi_client::structure::Structure>::length(version).unwrap_or(8);
        bytes.resize_with(length, || self.byte());
        self.keep(bytes)
    }

    fn object(&mut self) -> Address {
        self.structure::<Mqod>(|program, od| {
            for text in [&mut od.object_string, &mut od.selection_string, &mut od.res_object_string] {
                program.variable(text);
            }
            let count = program.number() % RECORDS;
            (od.recs_present, od.object_rec_offset, od.response_rec_offset) = (count, 0, 0);
            od.object_rec_ptr = program.records(count, ObjectRecord::LENGTH);
            od.response_rec_ptr = program.records(count, ResponseRecord::LENGTH);
        })
    }

    fn records(&mut self, count: i32, length: usize) -> Address {
        self.room(count.max(0) * i32::try_from(length).unwrap_or(0))
    }

    fn put_options(&mut self) -> Address {
        self.structure::<Mqpmo>(|program, pmo| {
            let count = program.number() % RECORDS;
            (pmo.recs_present, pmo.put_msg_rec_offset, pmo.response_rec_offset) = (count, 0, 0);
            pmo.put_msg_rec_fields = if program.one_in(8) { program.number() } else { i32::from(program.byte() % 32) };
            pmo.put_msg_rec_ptr = program.records(count, PutRecord::length(pmo.put_msg_rec_fields));
            pmo.response_rec_ptr = program.records(count, ResponseRecord::LENGTH);
        })
    }

    fn connect_options(&mut self) -> Address {
        self.structure::<Mqcno>(|program, cno| {
            // It is read, and refused before anything is connected to.
            cno.options |= MQCNO_LOCAL_BINDING;
            cno.client_conn_ptr = program.structure::<Mqcd>(|program, cd| {
                (cd.ssl_peer_name_ptr, cd.ssl_peer_name_length) = program.text();
            });
            cno.ssl_config_ptr = program.structure::<Mqsco>(|program, sco| {
                (sco.key_repo_password_ptr, sco.key_repo_password_length) = program.text();
                sco.key_repo_password_offset = 0;
            });
            cno.security_parms_ptr = program.structure::<Mqcsp>(|program, csp| {
                (csp.csp_user_id_ptr, csp.csp_user_id_length) = program.text();
                (csp.csp_password_ptr, csp.csp_password_length) = program.text();
                (csp.csp_user_id_offset, csp.csp_password_offset) = (0, 0);
            });
            (cno.ccdt_url_ptr, cno.ccdt_url_length) = program.text();
            (cno.client_conn_offset, cno.ssl_config_offset, cno.security_parms_offset, cno.ccdt_url_offset) =
                (0, 0, 0, 0);
        })
    }
}

/// Makes the call that the first byte names, with what the others say; its reason.
pub fn call(input: &[u8]) -> i32 {
    let mut program = Program { input, memory: Vec::new() };
    let p = &mut program;
    let hconn = MQHC_UNASSOCIATED_HCONN;
    let (mut completion, mut reason, mut handle, mut message, mut length, mut kind) = (0, 0, 7, 0_i64, 0, p.number());
    let (cc, rc) = (&raw mut completion, &raw mut reason);
    let number = p.number();
    let which = p.byte();
    // SAFETY: `Program` makes addresses as the crate asks for; the others are those of the numbers above.
    unsafe {
        // A message handle with a property, for the calls that need one.
        property::MQCRTMH(hconn, p.plain::<Mqcmho>() as *mut c_void, &raw mut message, cc, rc);
        match which % 19 {
            0 => connect::MQCONNX(std::ptr::null_mut(), at(p.connect_options()), &raw mut handle, cc, rc),
            1 => verb::MQOPEN(hconn, at(p.object()), number, &raw mut handle, cc, rc),
            2 => {
                let (body, size) = p.text();
                verb::MQPUT1(hconn, at(p.object()), at(p.descriptor()), at(p.put_options()), size, at(body), cc, rc);
            }
            3 => {
                let (body, size) = p.text();
                verb::MQPUT(hconn, number, at(p.descriptor()), at(p.put_options()), size, at(body), cc, rc);
            }
            4 => {
                let (body, size) = p.text();
                let (md, gmo) = (at(p.descriptor()), at(p.plain::<Mqgmo>()));
                verb::MQGET(hconn, number, md, gmo, size, at(body), &raw mut length, cc, rc);
            }
            5 => {
                let sd = p.structure::<Mqsd>(|program, sd| {
                    let texts = [&mut sd.object_string, &mut sd.sub_name, &mut sd.sub_user_data];
                    texts.into_iter().for_each(|text| program.variable(text));
                    program.variable(&mut sd.selection_string);
                    program.variable(&mut sd.res_object_string);
                });
                verb::MQSUB(hconn, at(sd), &raw mut handle, &raw mut length, cc, rc);
            }
            6 => verb::MQSUBRQ(hconn, number, kind, at(p.plain::<Mqsro>()), cc, rc),
            7 => {
                let sts = p.structure::<Mqsts>(|program, sts| {
                    program.variable(&mut sts.object_string);
                    program.variable(&mut sts.sub_name);
                });
                verb::MQSTAT(hconn, number, at(sts), cc, rc);
            }
            8 => {
                let (cbd, md, gmo) = (at(p.plain::<Mqcbd>()), at(p.descriptor()), at(p.plain::<Mqgmo>()));
                consume::MQCB(hconn, number, cbd, kind, md, gmo, cc, rc);
            }
            9 => consume::MQCTL(hconn, number, at(p.plain::<Mqctlo>()), cc, rc),
            10 | 11 => {
                set(p, message, cc, rc);
                set(p, message, cc, rc);
                let impo = p.structure::<Mqimpo>(|program, impo| program.variable(&mut impo.returned_name));
                let (value, size) = p.text();
                let (name, pd) = (at(p.name()), at(p.plain::<Mqpd>()));
                let (kind, length) = (&raw mut kind, &raw mut length);
                property::MQINQMP(hconn, message, at(impo), name, pd, kind, size, at(value), length, cc, rc);
            }
            12 => {
                set(p, message, cc, rc);
                property::MQDLTMP(hconn, message, at(p.plain::<Mqdmpo>()), at(p.name()), cc, rc);
            }
            13 => {
                let (body, size) = p.text();
                let (bmho, md) = (at(p.plain::<Mqbmho>()), at(p.descriptor()));
                property::MQBUFMH(hconn, message, bmho, md, size, at(body), &raw mut length, cc, rc);
            }
            14 | 15 => {
                set(p, message, cc, rc);
                let (body, size) = p.text();
                let (mhbo, name, md) = (at(p.plain::<Mqmhbo>()), at(p.name()), at(p.descriptor()));
                property::MQMHBUF(hconn, message, mhbo, name, md, size, at(body), &raw mut length, cc, rc);
            }
            16 => set(p, message, cc, rc),
            17 => {
                let branch = p.room(i32::try_from(size_of::<xa::PlainXid>()).unwrap_or(0));
                xa::quaymaster_xa_branch(number % 8, branch as *const xa::PlainXid, kind, number.cast_unsigned());
            }
            _ => property::MQDLTMH(hconn, &raw mut message, at(p.plain::<Mqdmho>()), cc, rc),
        }
        let (mut ended, mut why) = (0, 0);
        property::MQDLTMH(hconn, &raw mut message, std::ptr::null_mut(), &raw mut ended, &raw mut why);
    }
    assert_ne!(reason, Reason::UnexpectedError.number(), "a call came to a panic");
    reason
}

fn at(address: Address) -> *mut c_void {
    address as *mut c_void
}

/// Sets a property that the input describes.
///
/// # Safety
/// Both addresses are those of numbers.
unsafe fn set(p: &mut Program<'_>, message: i64, cc: *mut i32, rc: *mut i32) {
    let hconn = MQHC_UNASSOCIATED_HCONN;
    let (value, size) = p.text();
    let kind = if p.one_in(8) { p.number() } else { 1 << (p.byte() % 12) };
    let (smpo, name, pd) = (at(p.plain::<Mqsmpo>()), at(p.name()), at(p.plain::<Mqpd>()));
    // SAFETY: `Program` keeps what the crate asks for.
    unsafe { property::MQSETMP(hconn, message, smpo, name, pd, kind, size, at(value), cc, rc) };
}
