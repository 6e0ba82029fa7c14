//! libmqm_r.so: loaded at the first call, from the folder of this library, else from where the system looks for libraries.
//!
//! The library is loaded for this one alone, so that its names do not stand before those that COBOL programs look for. A process
//! that has loaded it already has it once.

use std::ffi::{CStr, CString, c_void};
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::OnceLock;

const NAME: &CStr = c"libmqm_r.so";

/// As `dlopen` returns it.
static LIBRARY: OnceLock<Option<Address>> = OnceLock::new();

/// Where a function is, once it was looked for.
pub(crate) struct Place(OnceLock<Option<Address>>);

/// Of a loaded library, or of a function in it.
#[derive(Clone, Copy)]
struct Address(NonNull<c_void>);

// SAFETY: any thread may use it, and it stays as long as the process.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

impl Place {
    pub(crate) const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// The function of this name, which ends with a NUL.
    pub(crate) fn find(&self, name: &'static str) -> Option<NonNull<c_void>> {
        let found = self.0.get_or_init(|| {
            let library = LIBRARY.get_or_init(load).as_ref()?;
            let name = CStr::from_bytes_with_nul(name.as_bytes()).ok()?;
            // SAFETY: the handle is that of a loaded library, and the name ends with a NUL.
            NonNull::new(unsafe { libc::dlsym(library.0.as_ptr(), name.as_ptr()) }).map(Address)
        });
        found.map(|address| address.0)
    }
}

fn load() -> Option<Address> {
    let beside = beside().and_then(|path| open(&path));
    beside.or_else(|| open(NAME)).map(Address)
}

fn open(path: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: the path ends with a NUL. The library is one that may be loaded by any program.
    NonNull::new(unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) })
}

/// The library in the folder of this one.
fn beside() -> Option<CString> {
    let mut found = MaybeUninit::<libc::Dl_info>::zeroed();
    let own = (&raw const LIBRARY).cast::<c_void>();
    // SAFETY: the address is one of this library's; what is found is written.
    let found = unsafe {
        match libc::dladdr(own, found.as_mut_ptr()) {
            0 => return None,
            _ => found.assume_init(),
        }
    };
    if found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's name of this library, which stays as long as the library.
    let own = unsafe { CStr::from_ptr(found.dli_fname) }.to_bytes();
    let folder = own.iter().rposition(|&byte| byte == b'/')?;
    CString::new([&own[..=folder], NAME.to_bytes()].concat()).ok()
}
