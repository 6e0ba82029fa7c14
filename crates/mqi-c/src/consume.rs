//! MQCB and MQCTL: functions of the program that the library calls.

use std::ffi::c_void;
use std::sync::Arc;

use model::reason::Reason;
use mqi_client::constant::MQOP_REGISTER;
use mqi_client::consume::{self, Call, Registration};
use mqi_client::structure::{Mqcbc, Mqcbd, Mqctlo, Mqgmo, Structure};
use mqi_client::{Ended, failed};

use crate::memory::Copied;
use crate::verb::Descriptor;

/// MQCB_FUNCTION.
type Function = unsafe extern "C" fn(i32, *mut c_void, *mut c_void, *mut c_void, *mut c_void);
/// Such a function in COBOL.
type FunctionByReference = unsafe extern "C" fn(*mut i32, *mut c_void, *mut c_void, *mut c_void, *mut c_void);

/// How the program's function takes the connection handle.
#[derive(Debug, Clone, Copy)]
enum Handle {
    ByValue,
    ByReference,
}

door! {
    /// The function stays where it is as long as it is registered.
    fn MQCB(
        hconn: i32,
        operation: i32,
        description: *mut c_void,
        hobj: i32,
        descriptor: *mut c_void,
        options: *mut c_void,
    ) {
        callback(hconn, operation, description, hobj, (descriptor, options), Handle::ByValue)
    }
}

door! {
    /// MQCB of libmqicb_r: the function is one in COBOL.
    fn quaymaster_callback_by_reference(
        hconn: i32,
        operation: i32,
        description: *mut c_void,
        hobj: i32,
        descriptor: *mut c_void,
        options: *mut c_void,
    ) {
        callback(hconn, operation, description, hobj, (descriptor, options), Handle::ByReference)
    }
}

/// # Safety
/// As `MQCB`.
unsafe fn callback(
    hconn: i32,
    operation: i32,
    description: *mut c_void,
    hobj: i32,
    (descriptor, options): (*mut c_void, *mut c_void),
    handle: Handle,
) -> Result<Ended, Ended> {
    if description.is_null() && operation & MQOP_REGISTER == 0 {
        return consume::callback(hconn, operation, hobj, None);
    }
    // SAFETY: the caller's promise.
    let registration = unsafe {
        let cbd = Copied::<Mqcbd>::read(description, Reason::CbdError)?.value;
        registration(&cbd, operation, descriptor, options, handle)?
    };
    consume::callback(hconn, operation, hobj, Some(registration))
}

/// # Safety
/// As `MQCB`.
unsafe fn registration(
    cbd: &Mqcbd,
    operation: i32,
    descriptor: *mut c_void,
    options: *mut c_void,
    handle: Handle,
) -> Result<Registration, Ended> {
    let registers = operation & MQOP_REGISTER != 0;
    if registers && cbd.callback_function == 0 {
        return Err(failed(Reason::CallbackRoutineError));
    }
    let function = cbd.callback_function;
    // SAFETY: the caller's promise.
    unsafe {
        Ok(Registration {
            callback_type: cbd.callback_type,
            options: cbd.options,
            callback_area: cbd.callback_area,
            function: Arc::new(move |call| deliver(function, handle, call)),
            maximum_length: cbd.max_msg_length,
            md: if descriptor.is_null() { None } else { Some(Descriptor::read(descriptor)?.image) },
            gmo: if options.is_null() { None } else { Some(Copied::<Mqgmo>::read(options, Reason::GmoError)?.value) },
        })
    }
}

/// Calls the program's function. What it is handed is the library's, and lives as long as the call.
fn deliver(address: usize, handle: Handle, call: &Call<'_>) {
    if address == 0 {
        return;
    }
    let mut context = Mqcbc {
        struc_id: *b"CBC ",
        version: 2,
        call_type: call.call_type,
        hobj: call.hobj,
        callback_area: call.callback_area,
        connection_area: call.connection_area,
        comp_code: call.completion,
        reason: call.reason,
        data_length: i32::try_from(call.data_length).unwrap_or(i32::MAX),
        reconnect_delay: call.reconnect_delay.get(),
        ..Mqcbc::DEFAULT
    };
    let mut message = call.message.map(|(md, gmo, body)| (md.native().to_vec(), *gmo, body.to_vec()));
    let (mut md, mut gmo, mut body) = (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
    if let Some((descriptor, options, data)) = &mut message {
        context.buffer_length = i32::try_from(data.len()).unwrap_or(i32::MAX);
        md = descriptor.as_mut_ptr().cast::<c_void>();
        gmo = (&raw mut *options).cast::<c_void>();
        body = data.as_mut_ptr().cast::<c_void>();
    }
    // SAFETY: the program registered this address as that of such a function; what it is handed lives until it returns.
    unsafe {
        let address_of_context = (&raw mut context).cast::<c_void>();
        match handle {
            Handle::ByValue => {
                let function = std::mem::transmute::<usize, Function>(address);
                function(call.hconn, md, gmo, body, address_of_context);
            }
            Handle::ByReference => {
                let mut hconn = call.hconn;
                let function = std::mem::transmute::<usize, FunctionByReference>(address);
                function(&raw mut hconn, md, gmo, body, address_of_context);
            }
        }
    }
    call.reconnect_delay.set(context.reconnect_delay);
}

door! {
    fn MQCTL(hconn: i32, operation: i32, options: *mut c_void) {
        let ctlo = Copied::<Mqctlo>::read_or_default(options, Reason::CtloError)?.value;
        consume::control(hconn, operation, ctlo.connection_area)
    }
}
