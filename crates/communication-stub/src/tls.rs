//! TLS, out of a library of its own (`libbaqctls.so`) that is loaded at the first call over https.
//!
//! Programs that never use https neither need nor load it. It is looked for beside this library, then where the system looks.

use std::ffi::{CStr, CString, c_int, c_void};
use std::path::Path;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::call_area::RequestRecord;
use crate::deadline::Deadline;
use crate::error::StubError;
use crate::settings::TlsFiles;
use crate::socket::{Socket, Trouble};
use crate::target::Target;

#[path = "../../communication-stub-tls/src/functions.rs"]
mod functions;

use functions::{BROKEN, CONNECTED, FILES, Problem, REFUSED, TIMED_OUT, Text, TlsFunctions, VERSION, Wanted};

const LIBRARY: &str = "libbaqctls.so";
/// Name of the library's function `extern "C" fn() -> *const c_void`, which tells the address of its `TlsFunctions`.
const ENTRY: &CStr = c"baqctls_functions";

/// The table of the library that was loaded; null before.
static LOADED: AtomicPtr<TlsFunctions> = AtomicPtr::new(std::ptr::null_mut());

/// A TLS session on a socket.
pub(crate) struct Session {
    functions: &'static TlsFunctions,
    session: *mut c_void,
}

// SAFETY: a session is used by one thread at a time, and the library keeps nothing of a thread in it.
unsafe impl Send for Session {}

impl Session {
    /// # Errors
    /// No library, files that cannot be used, a handshake that failed or took too long.
    pub(crate) fn open(
        socket: &mut Socket,
        target: &Target,
        files: &TlsFiles,
        deadline: &Deadline,
    ) -> Result<Self, StubError> {
        let functions = load()?;
        let late = || StubError::ConnectTimeout(target.to_string());
        socket.arm(deadline).map_err(|_| late())?;
        let wanted = Wanted {
            descriptor: socket.descriptor(),
            limit: limit(deadline),
            host: text(target.host.as_bytes()),
            signers: optional(files.signers.as_ref()),
            certificate: optional(files.certificate.as_ref()),
            key: optional(files.key.as_ref()),
        };
        let mut problem = Problem { text: [0; 512], length: 0 };
        let mut session = std::ptr::null_mut();
        // SAFETY: the texts live to the end of this function, and the library knows this version of the table.
        let result = unsafe { (functions.connect)(&raw const wanted, &raw mut problem, &raw mut session) };
        socket.forget();
        if result == CONNECTED {
            return Ok(Self { functions, session });
        }
        if deadline.remaining().is_some_and(|remaining| remaining.is_zero()) {
            return Err(late());
        }
        let problem = &problem.text[..problem.length.min(problem.text.len())];
        let problem = String::from_utf8_lossy(problem).into_owned();
        Err(match result {
            FILES => StubError::Files(problem),
            _ => StubError::Handshake { server: target.to_string(), problem },
        })
    }

    /// # Errors
    /// `Broken`: the server cannot have the whole request. `NoMemory`: the program has no such record.
    pub(crate) fn send(
        &mut self,
        socket: &mut Socket,
        head: &[u8],
        record: RequestRecord,
        deadline: &Deadline,
    ) -> Result<(), Trouble> {
        socket.arm(deadline)?;
        if !record.is_in_memory() {
            return Err(Trouble::NoMemory);
        }
        let record = Text { address: record.address, length: record.length };
        // SAFETY: a live session, and pieces that the caller promised for the call.
        let sent =
            unsafe { (self.functions.send)(self.session, socket.descriptor(), limit(deadline), text(head), record) };
        socket.forget();
        moved(sent).map(drop)
    }

    /// # Safety
    /// `into` is the address of `room` bytes that may be written.
    ///
    /// # Errors
    /// As `Socket::receive`.
    pub(crate) unsafe fn receive(
        &mut self,
        socket: &mut Socket,
        into: *mut u8,
        room: usize,
        deadline: &Deadline,
    ) -> Result<usize, Trouble> {
        socket.arm(deadline)?;
        // SAFETY: a live session; the promise about `into`.
        let received =
            unsafe { (self.functions.receive)(self.session, socket.descriptor(), limit(deadline), into, room) };
        socket.forget();
        moved(received)
    }

    /// Whether unrequested bytes were received.
    pub(crate) fn holds_more(&self) -> bool {
        // SAFETY: a live session.
        unsafe { (self.functions.pending)(self.session) != 0 }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: made by `connect`, freed once.
        unsafe { (self.functions.free)(self.session) };
    }
}

/// What is left, in nanoseconds, at least one; 0: no limit.
fn limit(deadline: &Deadline) -> u64 {
    deadline.remaining().map_or(0, |remaining| u64::try_from(remaining.as_nanos()).unwrap_or(u64::MAX).max(1))
}

fn moved(result: isize) -> Result<usize, Trouble> {
    match result {
        TIMED_OUT => Err(Trouble::TimedOut),
        BROKEN => Err(Trouble::Broken),
        REFUSED => Err(Trouble::Refused),
        bytes => usize::try_from(bytes).map_err(|_| Trouble::Broken),
    }
}

fn text(bytes: &[u8]) -> Text {
    Text { address: bytes.as_ptr(), length: bytes.len() }
}

fn optional(text: Option<&String>) -> Text {
    text.map_or(Text { address: std::ptr::null(), length: 0 }, |each| self::text(each.as_bytes()))
}

/// The table, from the library when this is the first time. Two threads may load it at once: the system counts, and both get
/// the same table.
fn load() -> Result<&'static TlsFunctions, StubError> {
    let mut table = LOADED.load(Ordering::Acquire);
    if table.is_null() {
        table = open()?;
        LOADED.store(table, Ordering::Release);
    }
    // SAFETY: `open` checked the version; the library is never unloaded.
    Ok(unsafe { &*table })
}

fn open() -> Result<*mut TlsFunctions, StubError> {
    let handle = beside().and_then(|path| open_file(&path)).or_else(|| open_file(&CString::new(LIBRARY).ok()?));
    let handle = handle.ok_or_else(|| StubError::TlsLibrary(last_problem()))?;
    // SAFETY: a handle of a loaded library and a name that ends with NUL.
    let entry = unsafe { libc::dlsym(handle, ENTRY.as_ptr()) };
    if entry.is_null() {
        return Err(StubError::TlsLibrary(last_problem()));
    }
    // SAFETY: the name belongs to a function of this type.
    let entry = unsafe { std::mem::transmute::<*mut c_void, extern "C" fn() -> *const c_void>(entry) };
    let table = entry().cast::<TlsFunctions>();
    // SAFETY: the version is the first item of every version of the table.
    let version = unsafe { table.as_ref() }.map(|functions| functions.version);
    match version {
        Some(VERSION) => Ok(table.cast_mut()),
        _ => Err(StubError::TlsLibrary("it belongs to another version of libbaqcstub".to_owned())),
    }
}

fn open_file(path: &CStr) -> Option<*mut c_void> {
    // SAFETY: a name that ends with NUL.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    (!handle.is_null()).then_some(handle)
}

/// The path of the library in the folder of what this function was linked into.
fn beside() -> Option<CString> {
    // SAFETY: all zeros is an empty answer.
    let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
    let here: *const c_void = (beside as fn() -> Option<CString>) as *const c_void;
    // SAFETY: an address of code and room for the answer.
    let is_found: c_int = unsafe { libc::dladdr(here, &raw mut found) };
    if is_found == 0 || found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: a name that ends with NUL and lives as long as the library is loaded.
    let file = unsafe { CStr::from_ptr(found.dli_fname) }.to_str().ok()?;
    let folder = Path::new(file).parent()?;
    CString::new(folder.join(LIBRARY).to_str()?).ok()
}

fn last_problem() -> String {
    // SAFETY: no arguments; the text is copied before anything else asks.
    let problem = unsafe { libc::dlerror() };
    if problem.is_null() {
        return "no reason was given".to_owned();
    }
    // SAFETY: a text that ends with NUL.
    unsafe { CStr::from_ptr(problem) }.to_string_lossy().into_owned()
}
