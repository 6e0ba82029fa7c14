//! The areas of the host API in the program's memory.
//!
//! ```text
//! BAQ-ZCONNECT-AREA            BAQ-REQUEST-AREA           BAQ-RESPONSE-AREA          API information
//!    0  BAQZ               4     0  BAQR            4       0  BAQP             4       0  BAQA              4
//!    4  length, version    8     4  length, version 8       4  length, version  8       4  length, version   8
//!   12  first half         4    12  reserved        4      12  reserved         4      12  reserved          4
//!   16  64 parameters   3840    16  base address    8      16  base address     8      16  name            255
//! 3856  completion code    4    24  base length     4      24  base length      4     272  its length        4
//! 3860  reason code        4    28  64 parameters 3840     28  reserved         4     276  path, length
//! 3864  service id, code   8                               32  HTTP status      4     536  method, length
//! 3872  second half        4                               36  message length   4     796  operation, length
//! 3876  message length     4                               40  message       1024
//! 3880  message         1024
//! ```
//!
//! A parameter is a name of 48 characters, an address and a length, which is binary with the high byte first, as `cobc` stores BINARY;
//! so is the base length of a request. Other numbers have the byte order of the machine. The halves keep the address of the session.

use super::{AREA_NAME, Session, Told};
use crate::body::MOST_KEPT;
use crate::call_area::RequestRecord;
use crate::error::StubError;
use crate::response::{MESSAGE_ROOM, cut};

const PARAMETERS: usize = 64;
const PARAMETER: usize = 60;
const PARAMETER_NAME: usize = 48;
/// Most bytes of a parameter's value.
const MOST_VALUE: usize = 8192;

const FIRST_HALF: usize = 12;
const SECOND_HALF: usize = 3872;
const COMPLETION: usize = 3856;
const MESSAGE_LENGTH: usize = 3876;

/// BAQ-ZCONNECT-AREA.
pub(super) struct ZconnectArea(*mut u8);

impl ZconnectArea {
    /// # Safety
    /// The address is null or that of an area that may be read and written until the value is dropped, and that no other thread
    /// uses.
    pub(super) unsafe fn at(address: *mut u8) -> Option<Self> {
        // SAFETY: handed through.
        (!address.is_null() && unsafe { has_eye(address, b"BAQZ") }).then_some(Self(address))
    }

    pub(super) fn parameters(&self) -> Parameters {
        // SAFETY: the promise about the area.
        unsafe { Parameters::read(self.0.wrapping_add(16)) }
    }

    fn half(&self, at: usize) -> u32 {
        // SAFETY: the promise about the area.
        unsafe { self.0.add(at).cast::<u32>().read_unaligned() }
    }

    fn put(&self, at: usize, value: u32) {
        // SAFETY: the promise about the area.
        unsafe { self.0.add(at).cast::<u32>().write_unaligned(value) };
    }

    fn address(&self) -> *mut Session {
        let address = u64::from(self.half(SECOND_HALF)) << 32 | u64::from(self.half(FIRST_HALF));
        usize::try_from(address).map_or(std::ptr::null_mut(), std::ptr::with_exposed_provenance_mut)
    }

    /// Keeps a session, in place of one that was not ended.
    pub(super) fn keep(&mut self, session: Box<Session>) {
        drop(self.take());
        self.set(Box::into_raw(session));
    }

    fn set(&self, session: *mut Session) {
        let address = session.expose_provenance() as u64;
        self.put(FIRST_HALF, u32::try_from(address & 0xFFFF_FFFF).unwrap_or(0));
        self.put(SECOND_HALF, u32::try_from(address >> 32).unwrap_or(0));
    }

    pub(super) fn session(&mut self) -> Option<&mut Session> {
        // SAFETY: an address that is not null is that of a session which `keep` put there; the program leaves these items alone.
        unsafe { self.address().as_mut() }
    }

    pub(super) fn take(&mut self) -> Option<Box<Session>> {
        let address = self.address();
        self.set(std::ptr::null_mut());
        // SAFETY: as in `session`; it is kept no more.
        (!address.is_null()).then(|| unsafe { Box::from_raw(address) })
    }

    pub(super) fn fill(&self, told: &Told) {
        self.put(COMPLETION, told.completion as u32);
        self.put(COMPLETION + 4, told.reason);
        let message = cut(told.message.as_bytes());
        self.put(MESSAGE_LENGTH, u32::try_from(message.len()).unwrap_or(0));
        // SAFETY: the promise about the area.
        unsafe { blank_filled(self.0.add(MESSAGE_LENGTH + 4), message) };
    }
}

/// BAQ-REQUEST-AREA.
pub(super) struct RequestArea(*const u8);

impl RequestArea {
    /// # Safety
    /// As `ZconnectArea::at`, to be read.
    pub(super) unsafe fn at(address: *const u8) -> Option<Self> {
        // SAFETY: handed through.
        (!address.is_null() && unsafe { has_eye(address, b"BAQR") }).then_some(Self(address))
    }

    /// The base structure.
    pub(super) fn base(&self) -> Result<Vec<u8>, StubError> {
        // SAFETY: the promise about the area.
        let (address, length) = unsafe { (pointer(self.0.add(16)), binary(self.0.add(24))) };
        // SAFETY: the structure is as long as its length says, or is found not to be.
        unsafe { copied(address, length) }.ok_or(StubError::RequestLength(i32::try_from(length).unwrap_or(i32::MAX)))
    }

    pub(super) fn parameters(&self) -> Parameters {
        // SAFETY: the promise about the area.
        unsafe { Parameters::read(self.0.wrapping_add(28)) }
    }
}

/// BAQ-RESPONSE-AREA.
pub(super) struct ResponseArea(*mut u8);

impl ResponseArea {
    /// # Safety
    /// As `ZconnectArea::at`.
    pub(super) unsafe fn at(address: *mut u8) -> Option<Self> {
        // SAFETY: handed through.
        (!address.is_null() && unsafe { has_eye(address, b"BAQP") }).then_some(Self(address))
    }

    /// The base structure of an answer, the status of the API, and its message where the answer has no description.
    pub(super) fn fill(&self, base: Option<(*const u8, usize)>, status: u32, message: &[u8]) {
        let message = cut(message);
        let (address, length) = base.unwrap_or((std::ptr::null(), 0));
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        // SAFETY: the promise about the area.
        unsafe {
            self.0.add(16).cast::<*const u8>().write_unaligned(address);
            for (at, value) in [(24, number(length)), (32, status), (36, number(message.len()))] {
                self.0.add(at).cast::<u32>().write_unaligned(value);
            }
            blank_filled(self.0.add(40), message);
        }
    }
}

/// Parameters by name.
#[derive(Default)]
pub(crate) struct Parameters(Vec<(Vec<u8>, Vec<u8>)>);

impl Parameters {
    /// # Safety
    /// The address is that of 64 parameters, each with the address of as many bytes as its length says.
    unsafe fn read(address: *const u8) -> Self {
        let mut found = Vec::new();
        for index in 0..PARAMETERS {
            let at = address.wrapping_add(index * PARAMETER);
            // SAFETY: the promise about the parameters.
            let (name, value, length) = unsafe {
                (
                    std::slice::from_raw_parts(at, PARAMETER_NAME),
                    pointer(at.add(PARAMETER_NAME)),
                    binary(at.add(PARAMETER_NAME + 8)),
                )
            };
            let name: Vec<u8> = name.iter().copied().take_while(|byte| !matches!(byte, 0 | b' ')).collect();
            if !name.is_empty() && length <= MOST_VALUE {
                // SAFETY: the promise about its address.
                found.extend(unsafe { copied(value, length) }.map(|value| (name, value)));
            }
        }
        Self(found)
    }

    /// The value of a parameter, without the blanks at its end.
    pub(crate) fn value(&self, name: &str) -> Option<&[u8]> {
        let found = self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(name.as_bytes()));
        found.map(|(_, value)| value.trim_ascii_end()).filter(|value| !value.is_empty())
    }
}

/// # Safety
/// The address is null or that of the name of a data area.
pub(super) unsafe fn name(address: *const u8) -> Option<[u8; AREA_NAME]> {
    // SAFETY: handed through.
    (!address.is_null()).then(|| unsafe { address.cast::<[u8; AREA_NAME]>().read_unaligned() })
}

/// A copy of an element.
///
/// # Safety
/// The addresses are null or those of a pointer and of its length in the byte order of the machine.
pub(super) unsafe fn element(address: *const u8, length: *const u8) -> Option<Vec<u8>> {
    if address.is_null() || length.is_null() {
        return None;
    }
    // SAFETY: handed through.
    unsafe { copied(pointer(address), length.cast::<u32>().read_unaligned() as usize) }
}

/// Puts the address and the length of an element into the program's items.
///
/// # Safety
/// The addresses are null or those of a pointer and of a length.
pub(super) unsafe fn hand_out(bytes: &[u8], address: *mut u8, length: *mut u8) -> bool {
    if address.is_null() || length.is_null() {
        return false;
    }
    // SAFETY: handed through.
    unsafe {
        address.cast::<*const u8>().write_unaligned(bytes.as_ptr());
        length.cast::<u32>().write_unaligned(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
    }
    true
}

/// # Safety
/// The address is that of four bytes.
unsafe fn has_eye(address: *const u8, eye: &[u8; 4]) -> bool {
    // SAFETY: handed through.
    unsafe { address.cast::<[u8; 4]>().read_unaligned() == *eye }
}

/// # Safety
/// The address is that of a pointer.
unsafe fn pointer(address: *const u8) -> *const u8 {
    // SAFETY: handed through.
    unsafe { address.cast::<*const u8>().read_unaligned() }
}

/// # Safety
/// The address is that of four bytes.
unsafe fn binary(address: *const u8) -> usize {
    // SAFETY: handed through.
    u32::from_be_bytes(unsafe { address.cast::<[u8; 4]>().read_unaligned() }) as usize
}

/// A copy of as many bytes; `None` where they are not in memory.
///
/// # Safety
/// The bytes do not change meanwhile.
unsafe fn copied(address: *const u8, length: usize) -> Option<Vec<u8>> {
    if length == 0 {
        return Some(Vec::new());
    }
    let record = RequestRecord { address, length };
    if address.is_null() || length > MOST_KEPT || !record.is_in_memory() {
        return None;
    }
    // SAFETY: they are in memory, and stay as they are.
    Some(unsafe { std::slice::from_raw_parts(address, length) }.to_vec())
}

/// # Safety
/// The address is that of as many bytes as a message may have.
unsafe fn blank_filled(address: *mut u8, message: &[u8]) {
    // SAFETY: handed through; a message is cut to its room.
    unsafe {
        std::ptr::write_bytes(address, b' ', MESSAGE_ROOM);
        std::ptr::copy_nonoverlapping(message.as_ptr(), address, message.len());
    }
}
