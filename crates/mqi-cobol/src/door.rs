//! What every function does: numbers are read where their addresses are, and the function of C is called.

use std::ffi::c_void;

/// MQCC_FAILED.
const FAILED: i32 = 2;
/// MQRC_LIBRARY_LOAD_ERROR.
const LIBRARY_LOAD_ERROR: i32 = 6000;

/// A parameter as C has it, made of the address that COBOL hands in.
pub(crate) trait Parameter {
    /// What is at the address.
    type There;

    /// # Safety
    /// The address is null or that of what is there.
    unsafe fn of(address: *mut Self::There) -> Self;
}

macro_rules! number {
    ($($kind:ty),*) => {
        $(
            impl Parameter for $kind {
                type There = Self;

                unsafe fn of(address: *mut Self) -> Self {
                    // SAFETY: the promise; items of COBOL begin at any byte.
                    if address.is_null() { 0 } else { unsafe { address.read_unaligned() } }
                }
            }
        )*
    };
}

number!(i32, i64);

impl Parameter for *mut c_void {
    type There = c_void;

    unsafe fn of(address: Self) -> Self {
        address
    }
}

/// A function of COBOL: its name, that of the function of C, and the parameters as C has them. The two numbers that every
/// prototype ends with are added.
macro_rules! by_reference {
    (fn $name:ident = $there:ident($($parameter:ident: $kind:ty),* $(,)?)) => {
        /// # Safety
        /// As the crate says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            $($parameter: *mut <$kind as $crate::door::Parameter>::There,)*
            completion: *mut i32,
            reason: *mut i32,
        ) -> i32 {
            type Function = unsafe extern "C" fn($($kind,)* *mut i32, *mut i32);
            static PLACE: $crate::library::Place = $crate::library::Place::new();
            match PLACE.find(concat!(stringify!($there), "\0")) {
                // SAFETY: the library has a function of this form under the name, and the caller's promise is handed on.
                Some(address) => unsafe {
                    let function = std::mem::transmute::<std::ptr::NonNull<std::ffi::c_void>, Function>(address);
                    function($(<$kind as $crate::door::Parameter>::of($parameter),)* completion, reason);
                },
                // SAFETY: the caller's promise.
                None => unsafe { $crate::door::not_loaded(completion, reason) },
            }
            0
        }
    };
}

/// How every call ends when libmqm_r.so cannot be loaded.
///
/// # Safety
/// Both addresses are null or those of an MQLONG.
pub(crate) unsafe fn not_loaded(completion: *mut i32, reason: *mut i32) {
    for (address, value) in [(completion, FAILED), (reason, LIBRARY_LOAD_ERROR)] {
        if !address.is_null() {
            // SAFETY: the promise; no boundary is asked for.
            unsafe { address.write_unaligned(value) };
        }
    }
}
