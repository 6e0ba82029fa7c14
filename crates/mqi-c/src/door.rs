//! What every function does around its call: nothing unwinds, and both numbers are written at the end.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::sync::Once;

use model::reason::Reason;
use mqi_client::{Ended, failed};

use crate::memory;

static FIRST_CALL: Once = Once::new();

/// A function of the C prototype: its parameters, and what it does. The two numbers that every prototype ends with are added, and
/// what the body is: within `call`, where addresses are what the caller promises.
macro_rules! door {
    ($(#[$doc:meta])* fn $name:ident($($parameter:ident: $kind:ty),* $(,)?) $body:block) => {
        $(#[$doc])*
        /// # Safety
        /// As the crate says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($parameter: $kind,)* completion: *mut i32, reason: *mut i32) {
            // SAFETY: the caller's promise.
            unsafe { $crate::door::call(completion, reason, || $body) };
        }
    };
}

/// Runs a call and says how it ended.
///
/// # Safety
/// Both addresses are null or those of an MQLONG.
pub(crate) unsafe fn call(completion: *mut i32, reason: *mut i32, call: impl FnOnce() -> Result<Ended, Ended>) {
    begin();
    let ended = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| Err(failed(Reason::UnexpectedError)));
    let ended = ended.unwrap_or_else(|ended| ended);
    // SAFETY: the caller's promise.
    unsafe {
        memory::store(completion, ended.completion);
        memory::store(reason, ended.reason);
    }
}

/// To be called before anything else that a program calls.
pub(crate) fn begin() {
    FIRST_CALL.call_once(prepare);
}

/// Once a process: a panic prints nothing, and a child after a fork has no connections.
fn prepare() {
    set_hook(Box::new(|_| {}));
    // SAFETY: the function is a plain one that lives as long as the library, which is never unloaded.
    unsafe {
        libc::pthread_atfork(None, None, Some(forked));
    }
}

extern "C" fn forked() {
    mqi_client::per_process::forked();
}
