//! The program's memory: structures by version, buffers, texts of variable length. All of it is read and written here.

use std::ffi::c_void;

use model::reason::Reason;
use mqi_client::constant::{MQCCSI_APPL, MQVS_NULL_TERMINATED};
use mqi_client::structure::{
    Address, Mqbmho, Mqcbd, Mqcd, Mqcharv, Mqcmho, Mqcno, Mqcsp, Mqctlo, Mqdmho, Mqdmpo, Mqgmo, Mqimpo, Mqmhbo, Mqod,
    Mqpd, Mqpmo, Mqsco, Mqsd, Mqsmpo, Mqsro, Mqsts, Structure,
};
use mqi_client::verb::Variable;

use mqi_client::{Ended, failed};

/// Longest text that ends with a NUL, in bytes: what a program hands in without one ends here.
pub(crate) const LONGEST_TEXT: usize = 1 << 20;

/// A structure of numbers and arrays of them: any bytes are a value of it.
///
/// # Safety
/// `repr(C)`, and every field is an integer or an array of integers, or such a structure.
pub(crate) unsafe trait Plain: Structure {}

macro_rules! plain {
    ($($name:ty),*) => {
        $(
            // SAFETY: generated of the table: numbers and arrays alone.
            unsafe impl Plain for $name {}
        )*
    };
}

plain!(
    Mqbmho, Mqcbd, Mqcd, Mqcharv, Mqcmho, Mqcno, Mqcsp, Mqctlo, Mqdmho, Mqdmpo, Mqgmo, Mqimpo, Mqmhbo, Mqod, Mqpd,
    Mqpmo, Mqsco, Mqsd, Mqsmpo, Mqsro, Mqsts
);

/// The bytes of a structure of the program's, as many as the version has that it states.
///
/// # Errors
/// `reason`: null, another identifier, or a version that is not known.
///
/// # Safety
/// The address is null or that of such a structure, of the length of the version it states, unchanged while the slice lives.
pub(crate) unsafe fn stated<'a, T: Structure>(address: *mut c_void, reason: Reason) -> Result<&'a [u8], Ended> {
    let address = address.cast::<u8>();
    if address.is_null() {
        return Err(failed(reason));
    }
    if let Some(identifier) = T::IDENTIFIER {
        // SAFETY: every version begins with the four bytes.
        let begins_with = unsafe { address.cast::<[u8; 4]>().read_unaligned() };
        if begins_with != identifier {
            return Err(failed(reason));
        }
    }
    let version = match T::VERSION_AT {
        // SAFETY: every version holds the number of its version.
        Some(at) => unsafe { address.add(at).cast::<i32>().read_unaligned() },
        None => 1,
    };
    let length = T::length(version).ok_or(failed(reason))?;
    // SAFETY: the version promises as many.
    Ok(unsafe { std::slice::from_raw_parts(address, length) })
}

/// A structure of the program's, copied, and where it came from.
pub(crate) struct Copied<T> {
    pub(crate) value: T,
    address: *mut u8,
    length: usize,
}

impl<T: Plain> Copied<T> {
    /// Copies as much as the version has; later fields have their initial values.
    ///
    /// # Errors
    /// `reason`: null, another identifier, or a version that is not known.
    ///
    /// # Safety
    /// The address is null or that of such a structure, of the length of the version it states.
    pub(crate) unsafe fn read(address: *mut c_void, reason: Reason) -> Result<Self, Ended> {
        // SAFETY: handed through.
        let stated = unsafe { stated::<T>(address, reason) }?;
        let length = stated.len().min(size_of::<T>());
        let mut value = T::DEFAULT;
        // SAFETY: both have at least `length` bytes, and any bytes are a value of `T`.
        unsafe { std::ptr::copy_nonoverlapping(stated.as_ptr(), (&raw mut value).cast::<u8>(), length) };
        Ok(Self { value, address: address.cast::<u8>(), length })
    }

    /// As `read`; the initial values when the address is null.
    ///
    /// # Errors
    /// As `read`, but for null.
    ///
    /// # Safety
    /// As `read`.
    pub(crate) unsafe fn read_or_default(address: *mut c_void, reason: Reason) -> Result<Self, Ended> {
        if address.is_null() {
            return Ok(Self { value: T::DEFAULT, address: std::ptr::null_mut(), length: 0 });
        }
        // SAFETY: handed through.
        unsafe { Self::read(address, reason) }
    }

    /// Where the structure begins; offsets in it count from here.
    pub(crate) fn base(&self) -> *mut u8 {
        self.address
    }

    /// Writes the value over the program's, as much as the version has.
    ///
    /// # Safety
    /// As `read`, and the memory may be written.
    pub(crate) unsafe fn write(&self) {
        if !self.address.is_null() {
            // SAFETY: these bytes were read; `T` has at least as many.
            unsafe { std::ptr::copy_nonoverlapping((&raw const self.value).cast::<u8>(), self.address, self.length) };
        }
    }
}

/// Writes a value where the address is not null.
///
/// # Safety
/// The address is null or that of a `T`, on any boundary.
pub(crate) unsafe fn store<T>(address: *mut T, value: T) {
    if !address.is_null() {
        // SAFETY: the promise; no boundary is asked for.
        unsafe { address.write_unaligned(value) };
    }
}

/// # Errors
/// `reason`: null.
///
/// # Safety
/// The address is null or that of a `T`.
pub(crate) unsafe fn load<T: Copy>(address: *const T, reason: Reason) -> Result<T, Ended> {
    if address.is_null() {
        return Err(failed(reason));
    }
    // SAFETY: the promise; no boundary is asked for.
    Ok(unsafe { address.read_unaligned() })
}

/// A buffer to read.
///
/// # Errors
/// 2005 a negative length, 2004 null with a length.
///
/// # Safety
/// The address is null or that of as many bytes, unchanged while the slice lives.
pub(crate) unsafe fn bytes<'a>(address: *const c_void, length: i32) -> Result<&'a [u8], Ended> {
    let length = usize::try_from(length).map_err(|_| failed(Reason::BufferLengthError))?;
    // SAFETY: handed through.
    unsafe { part(address as Address, length) }
}

/// As `bytes`, of an address in a structure.
///
/// # Errors
/// 2004 null with a length.
///
/// # Safety
/// As `bytes`.
pub(crate) unsafe fn part<'a>(address: Address, length: usize) -> Result<&'a [u8], Ended> {
    if length == 0 {
        return Ok(&[]);
    }
    if address == 0 {
        return Err(failed(Reason::BufferError));
    }
    // SAFETY: the promise; bytes want no boundary.
    Ok(unsafe { std::slice::from_raw_parts(address as *const u8, length) })
}

/// Writes a length or a count where the address is not null.
///
/// # Safety
/// As `store`.
pub(crate) unsafe fn store_length(address: *mut i32, length: usize) {
    // SAFETY: handed through.
    unsafe { store(address, i32::try_from(length).unwrap_or(i32::MAX)) };
}

/// The room of a buffer to write.
///
/// # Errors
/// 2005 a negative length, 2004 null with a length.
pub(crate) fn room(address: *mut c_void, length: i32) -> Result<usize, Ended> {
    let length = usize::try_from(length).map_err(|_| failed(Reason::BufferLengthError))?;
    if length > 0 && address.is_null() {
        return Err(failed(Reason::BufferError));
    }
    Ok(length)
}

/// Writes bytes at the start of a buffer, as many as it has room for.
///
/// # Safety
/// The address is null or that of `room` bytes.
pub(crate) unsafe fn fill(address: *mut c_void, room: usize, bytes: &[u8]) {
    let length = bytes.len().min(room);
    if length > 0 && !address.is_null() {
        // SAFETY: the promise; `bytes` are the library's own.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address.cast::<u8>(), length) };
    }
}

/// Numbers of a list.
///
/// # Errors
/// `reason`: null with a count.
///
/// # Safety
/// The address is null or that of as many numbers.
pub(crate) unsafe fn numbers(address: *const i32, count: usize, reason: Reason) -> Result<Vec<i32>, Ended> {
    if count > 0 && address.is_null() {
        return Err(failed(reason));
    }
    // SAFETY: the promise, each within the list.
    Ok((0..count).map(|index| unsafe { address.add(index).read_unaligned() }).collect())
}

/// A name in a field of `most` bytes, or a shorter text that ends with a NUL.
///
/// # Safety
/// The address is null or that of such a text.
pub(crate) unsafe fn name(address: *const u8, most: usize) -> String {
    // SAFETY: the promise.
    let bytes = unsafe { to_nul(address, most) };
    String::from_utf8_lossy(&bytes).trim_end().to_owned()
}

/// # Safety
/// The address is null or that of a text that ends with a NUL or has `most` bytes.
pub(crate) unsafe fn to_nul(address: *const u8, most: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    if address.is_null() {
        return bytes;
    }
    while bytes.len() < most {
        // SAFETY: no byte before this one was the NUL that ends the text.
        match unsafe { address.add(bytes.len()).read() } {
            0 => break,
            byte => bytes.push(byte),
        }
    }
    bytes
}

/// A text up to its NUL, where it has one.
pub(crate) fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// The address that a pointer and an offset name: at most one of them is set.
pub(crate) fn place(base: *const u8, pointer: Address, offset: i32) -> Address {
    match usize::try_from(offset) {
        _ if pointer != 0 => pointer,
        Ok(0) | Err(_) => 0,
        Ok(offset) => (base as Address).wrapping_add(offset),
    }
}

/// A text of variable length. `ccsid` is the program's character set, for MQCCSI_APPL.
///
/// # Errors
/// `reason`: a length below -1, or none where a length is stated.
///
/// # Safety
/// The structure names null or as many bytes as it says; `base` is where it counts offsets from.
pub(crate) unsafe fn variable(base: *const u8, text: &Mqcharv, ccsid: i32, reason: Reason) -> Result<Variable, Ended> {
    let address = place(base, text.vs_ptr, text.vs_offset);
    let bytes = match usize::try_from(text.vs_length) {
        Ok(0) => Vec::new(),
        // SAFETY: the promise.
        Ok(length) => unsafe { part(address, length) }.map_err(|_| failed(reason))?.to_vec(),
        // SAFETY: the promise.
        Err(_) if text.vs_length == MQVS_NULL_TERMINATED => unsafe { to_nul(address as *const u8, LONGEST_TEXT) },
        Err(_) => return Err(failed(reason)),
    };
    let ccsid = if text.vsccsid == MQCCSI_APPL { ccsid } else { text.vsccsid };
    let room = if address == 0 { 0 } else { usize::try_from(text.vs_buf_size).unwrap_or(0) };
    Ok(Variable { text: bytes, ccsid, room })
}

/// Writes a text where the structure has room; what does not fit is cut, and the length is that of the whole.
///
/// # Safety
/// The structure names null or as many bytes as `VSBufSize` says.
pub(crate) unsafe fn variable_back(base: *const u8, text: &mut Mqcharv, value: &Variable) {
    let address = place(base, text.vs_ptr, text.vs_offset);
    let room = usize::try_from(text.vs_buf_size).unwrap_or(0);
    if address != 0 {
        // SAFETY: the promise.
        unsafe { fill(address as *mut c_void, room, &value.text) };
    }
    text.vs_length = i32::try_from(value.text.len()).unwrap_or(i32::MAX);
    text.vsccsid = value.ccsid;
}
