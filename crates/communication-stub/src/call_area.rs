//! The parameter list of a call: seven addresses become checked, bounded views.
//!
//! Reads what the comp level and the length items promise, and not a byte more. Request record and response area stay raw
//! memory: they may be the same, so no reference to either is ever made.

use crate::error::StubError;

/// API-INFO: name 0, its length 256, path 260, 516, method 520, 776.
const API_INFO: usize = 780;
/// Bytes before the texts in API information of level 5.0.
const HOST_HEAD: usize = 16;
/// Room of each text in API-INFO.
const API_TEXT: usize = 255;
/// Room of each text in BAQ-REQUEST-INFO.
const TEXT: usize = 256;
/// Bytes of BAQ-REQUEST-INFO at comp levels 0 to 3.
const REQUEST_INFO: [usize; 4] = [4, 1056, 1576, 1832];
const SCOPE_POINTER: usize = 1044;
const SCOPE_LENGTH: usize = 1052;
const SERVER_URI: usize = 1576;
/// Most bytes of BAQ-OAUTH-SCOPE.
const SCOPE_LIMIT: usize = 8192;
/// Longest name of a method.
const METHOD_LIMIT: usize = 16;

/// The addresses as the program gave them, without that of BAQ-RESPONSE-INFO.
pub(crate) struct Addresses {
    pub(crate) api_info: *const u8,
    pub(crate) request_info: *const u8,
    pub(crate) request_pointer: *const u8,
    pub(crate) request_length: *const u8,
    pub(crate) response_pointer: *const u8,
    pub(crate) response_length: *const u8,
}

/// The request record, for the kernel to read.
#[derive(Clone, Copy)]
pub(crate) struct RequestRecord {
    pub(crate) address: *const u8,
    pub(crate) length: usize,
}

/// The response area, for the kernel to write.
#[derive(Clone, Copy)]
pub(crate) struct ResponseArea {
    address: *mut u8,
    length: usize,
}

/// What a program asks for.
pub(crate) struct Call<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) path: &'a [u8],
    pub(crate) method: &'a [u8],
    pub(crate) credentials: Credentials<'a>,
    /// BAQ-ZCON-SERVER-URI, not blank.
    pub(crate) server: Option<&'a [u8]>,
    pub(crate) request: RequestRecord,
    /// `None`: the stub keeps the answer.
    pub(crate) response: Option<ResponseArea>,
}

/// The information of an API, as members of level 5.0 have it, or as those before do.
pub(crate) struct ApiInfo<'a>(&'a [u8]);

/// BAQ-OAUTH and BAQ-AUTHTOKEN; empty where the program set nothing.
#[derive(Default)]
pub(crate) struct Credentials<'a> {
    pub(crate) oauth_username: &'a [u8],
    pub(crate) oauth_password: &'a [u8],
    pub(crate) oauth_client_id: &'a [u8],
    pub(crate) oauth_client_secret: &'a [u8],
    pub(crate) oauth_scope: &'a [u8],
    pub(crate) token_username: &'a [u8],
    pub(crate) token_password: &'a [u8],
}

impl<'a> Call<'a> {
    /// # Errors
    /// An address that is null, a comp level that is unknown, a length that is out of range.
    ///
    /// # Safety
    /// The addresses are null or those of the areas of `docs/stub-protocol.md`, unchanged while the value lives.
    pub(crate) unsafe fn read(addresses: &Addresses) -> Result<Self, StubError> {
        // SAFETY: the promise about API-INFO.
        let api = unsafe { ApiInfo::at(addresses.api_info) }.ok_or(StubError::NullAddress("the API information"))?;
        let [name, path, method] = api.texts()?;
        // SAFETY: handed through.
        let info = unsafe { request_info(addresses.request_info) }?;
        // SAFETY: handed through.
        let credentials = unsafe { Credentials::read(info) }?;
        let server = info.get(SERVER_URI..).map(trimmed).filter(|server| !server.is_empty());
        // SAFETY: handed through.
        let (request, response) = unsafe { (request(addresses)?, response(addresses)?) };
        Ok(Self { name, path, method, credentials, server, request, response: Some(response) })
    }
}

impl<'a> ApiInfo<'a> {
    /// # Safety
    /// The address is null or that of API information that stays as it is while the value lives.
    pub(crate) unsafe fn at(address: *const u8) -> Option<Self> {
        // SAFETY: handed through; both forms have so many bytes.
        let api = unsafe { view(address, API_INFO) }?;
        // Of level 5.0: the texts are behind an eye-catcher and three numbers, of which the last is zero. No name is like that.
        Some(Self(match api.starts_with(b"BAQA") && number(api, HOST_HEAD - 4) == 0 {
            // SAFETY: this form is longer.
            true => unsafe { view(address.wrapping_add(HOST_HEAD), API_INFO) }?,
            false => api,
        }))
    }

    /// Name, path and method.
    pub(crate) fn texts(&self) -> Result<[&'a [u8]; 3], StubError> {
        let Self(api) = *self;
        let name = text(api, 0, API_TEXT).filter(|name| !name.is_empty()).ok_or(StubError::Name(number(api, 256)))?;
        let path = text(api, 260, API_TEXT).filter(|path| !path.is_empty()).ok_or(StubError::Path(number(api, 516)))?;
        let method =
            text(api, 520, API_TEXT).filter(|method| is_method(method)).ok_or(StubError::Method(number(api, 776)))?;
        Ok([name, path, method])
    }
}

impl<'a> Credentials<'a> {
    /// # Safety
    /// The scope's address is null or that of as many bytes as its length says.
    unsafe fn read(info: &'a [u8]) -> Result<Self, StubError> {
        let mut credentials = Self::default();
        if info.len() >= REQUEST_INFO[1] {
            credentials.oauth_username = credential(info, 4, "BAQ-OAUTH-USERNAME")?;
            credentials.oauth_password = credential(info, 264, "BAQ-OAUTH-PASSWORD")?;
            credentials.oauth_client_id = credential(info, 524, "BAQ-OAUTH-CLIENTID")?;
            credentials.oauth_client_secret = credential(info, 784, "BAQ-OAUTH-CLIENT-SECRET")?;
            // SAFETY: handed through.
            credentials.oauth_scope = unsafe { scope(info) }?;
        }
        if info.len() >= REQUEST_INFO[2] {
            credentials.token_username = credential(info, 1056, "BAQ-TOKEN-USERNAME")?;
            credentials.token_password = credential(info, 1316, "BAQ-TOKEN-PASSWORD")?;
        }
        Ok(credentials)
    }
}

impl ResponseArea {
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// What is left of it from `at` on: its address and length.
    pub(crate) fn rest(&self, at: usize) -> (*mut u8, usize) {
        let at = at.min(self.length);
        (self.address.wrapping_add(at), self.length - at)
    }

    /// Writes at `at`. False, and nothing written, when the bytes do not fit.
    pub(crate) fn write(&self, at: usize, bytes: &[u8]) -> bool {
        let (address, room) = self.rest(at);
        if bytes.len() > room {
            return false;
        }
        if bytes.is_empty() {
            return true;
        }
        // SAFETY: `Call::read` was promised that the area has `length` bytes; `bytes` are the stub's own.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address, bytes.len()) };
        true
    }
}

impl RequestRecord {
    /// Whether all its bytes can be read. The kernel is asked for one byte of each page, as many as it takes at a time; a kernel
    /// that does not answer counts as yes.
    pub(crate) fn is_in_memory(self) -> bool {
        /// No page is shorter.
        const PAGE: usize = 4096;
        const MOST: usize = 1024;
        if self.length == 0 {
            return true;
        }
        let last = self.length - 1;
        let places: Vec<usize> = (0..last).step_by(PAGE).chain([last]).collect();
        places.chunks(MOST).all(|places| {
            let mut bytes = [0u8; MOST];
            let local = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: places.len() };
            let remote: Vec<libc::iovec> = places
                .iter()
                .map(|&place| libc::iovec { iov_base: self.address.wrapping_add(place).cast_mut().cast(), iov_len: 1 })
                .collect();
            // SAFETY: the kernel writes into `bytes` alone, and looks whether it may read the rest.
            let read = unsafe {
                libc::process_vm_readv(
                    libc::getpid(),
                    &raw const local,
                    1,
                    remote.as_ptr(),
                    remote.len() as libc::c_ulong,
                    0,
                )
            };
            match usize::try_from(read) {
                Ok(read) => read == places.len(),
                Err(_) => std::io::Error::last_os_error().raw_os_error() != Some(libc::EFAULT),
            }
        })
    }
}

/// # Safety
/// The address is null or that of a BAQ-REQUEST-INFO of its comp level.
unsafe fn request_info<'a>(address: *const u8) -> Result<&'a [u8], StubError> {
    const NULL: StubError = StubError::NullAddress("BAQ-REQUEST-INFO");
    // SAFETY: every level has the four bytes of the level.
    let level = number(unsafe { view(address, REQUEST_INFO[0]) }.ok_or(NULL)?, 0);
    let length = usize::try_from(level).ok().and_then(|level| REQUEST_INFO.get(level));
    let length = *length.ok_or(StubError::CompLevel(level))?;
    // SAFETY: the level promises this many.
    unsafe { view(address, length) }.ok_or(NULL)
}

/// # Safety
/// As `Call::read`.
unsafe fn request(addresses: &Addresses) -> Result<RequestRecord, StubError> {
    // SAFETY: a pointer item and a length item.
    let (address, length) = unsafe {
        (
            pointer(addresses.request_pointer).ok_or(StubError::NullAddress("BAQ-REQUEST-PTR"))?,
            integer(addresses.request_length).ok_or(StubError::NullAddress("BAQ-REQUEST-LEN"))?,
        )
    };
    let bytes = fitting(address, length).ok_or(StubError::RequestLength(length))?;
    Ok(RequestRecord { address, length: bytes })
}

/// # Safety
/// As `Call::read`.
unsafe fn response(addresses: &Addresses) -> Result<ResponseArea, StubError> {
    // SAFETY: a pointer item and a length item.
    let (address, length) = unsafe {
        (
            pointer(addresses.response_pointer).ok_or(StubError::NullAddress("BAQ-RESPONSE-PTR"))?,
            integer(addresses.response_length).ok_or(StubError::NullAddress("BAQ-RESPONSE-LEN"))?,
        )
    };
    let bytes = fitting(address, length).ok_or(StubError::ResponseLength(length))?;
    Ok(ResponseArea { address: address.cast_mut(), length: bytes })
}

/// A length that is not negative, and not above 0 for the address null.
fn fitting(address: *const u8, length: i32) -> Option<usize> {
    let length = usize::try_from(length).ok()?;
    (length == 0 || !address.is_null()).then_some(length)
}

/// # Safety
/// The address in it is null or that of as many bytes as the length says.
unsafe fn scope(info: &[u8]) -> Result<&[u8], StubError> {
    const NAME: &str = "BAQ-OAUTH-SCOPE";
    let length = number(info, SCOPE_LENGTH);
    // SAFETY: these bytes are within `info`.
    let address = unsafe { pointer(info[SCOPE_POINTER..].as_ptr()) };
    let (Some(address), Some(bytes)) = (address, usize::try_from(length).ok().filter(|bytes| *bytes <= SCOPE_LIMIT))
    else {
        return Err(StubError::Credential(NAME, length));
    };
    if bytes == 0 {
        return Ok(&[]);
    }
    // SAFETY: the promise about the scope.
    unsafe { view(address, bytes) }.map(trimmed).ok_or(StubError::Credential(NAME, length))
}

fn credential<'a>(info: &'a [u8], at: usize, name: &'static str) -> Result<&'a [u8], StubError> {
    text(info, at, TEXT).ok_or_else(|| StubError::Credential(name, number(info, at + TEXT)))
}

/// A text at `at` in a room of `room` bytes with its length item behind it, on the next multiple of four, without the blanks at
/// its end. `None` when the length is not 0 to `room`.
fn text(area: &[u8], at: usize, room: usize) -> Option<&[u8]> {
    let length = usize::try_from(number(area, (at + room).next_multiple_of(4))).ok()?;
    (length <= room).then(|| trimmed(&area[at..at + length]))
}

/// Without blanks and NULs at the end: C programs pad with NULs.
fn trimmed(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| !matches!(byte, b' ' | 0)).map_or(0, |last| last + 1);
    &text[..end]
}

fn is_method(method: &[u8]) -> bool {
    (1..=METHOD_LIMIT).contains(&method.len()) && method.iter().all(u8::is_ascii_alphabetic)
}

/// The native 4-byte number at `at`, which the caller knows to be inside.
fn number(area: &[u8], at: usize) -> i32 {
    area.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| i32::from_ne_bytes(*bytes))
}

/// # Safety
/// The address is null or that of a number of four bytes, on any boundary.
unsafe fn integer(address: *const u8) -> Option<i32> {
    // SAFETY: four bytes; `read_unaligned` wants no boundary.
    (!address.is_null()).then(|| unsafe { address.cast::<i32>().read_unaligned() })
}

/// # Safety
/// The address is null or that of an address, on any boundary.
unsafe fn pointer(address: *const u8) -> Option<*const u8> {
    // SAFETY: the bytes of an address; `read_unaligned` wants no boundary.
    (!address.is_null()).then(|| unsafe { address.cast::<*const u8>().read_unaligned() })
}

/// # Safety
/// The address is null or that of `length` bytes that stay unchanged as long as the slice lives.
unsafe fn view<'a>(address: *const u8, length: usize) -> Option<&'a [u8]> {
    // SAFETY: the promise above; bytes want no boundary, and no area has more than isize::MAX of them.
    (!address.is_null()).then(|| unsafe { std::slice::from_raw_parts(address, length) })
}

#[cfg(test)]
mod tests;
