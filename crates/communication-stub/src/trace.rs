//! BAQVERBOSE: lines on standard error. They hold names, codes and times, never credentials or records.
//!
//! Written by one call of the kernel each, without a lock and without a buffer that a fork could double, and without a signal
//! where nobody reads them.

use std::{io, mem, ptr};

use crate::deadline::Deadline;
use crate::error::{SUCCESS, StubError};
use crate::exchange::Reply;
use crate::settings::Verbose;
use crate::target::Target;

/// The request line of `head`, when something will be written about it.
pub(crate) fn line(verbose: Verbose, head: &[u8]) -> String {
    if verbose == Verbose::Off {
        return String::new();
    }
    let line = head.split(|&byte| byte == b'\r').next().unwrap_or_default();
    let line = line.strip_suffix(b" HTTP/1.1").unwrap_or(line);
    String::from_utf8_lossy(line).into_owned()
}

/// A call that has ended.
pub(crate) fn call(verbose: Verbose, line: &str, answered: &Result<Reply, StubError>, deadline: &Deadline) {
    let is_well = matches!(answered, Ok(reply) if reply.return_code == SUCCESS);
    if verbose < if is_well { Verbose::Calls } else { Verbose::Errors } {
        return;
    }
    let (return_code, status, problem) = match answered {
        Ok(reply) => (reply.return_code, reply.status, String::new()),
        Err(error) => (error.return_code(), error.status(), format!(": {error}")),
    };
    let milliseconds = deadline.elapsed().as_secs_f64() * 1000.0;
    let asked = if line.is_empty() { "nothing asked" } else { line };
    write(&format!("return code {return_code}, status {status}, {milliseconds:.3} ms: {asked}{problem}"));
}

/// Which connection a call takes.
pub(crate) fn connection(verbose: Verbose, which: &str, target: &Target) {
    if verbose == Verbose::All {
        write(&format!("{which} connection to {target}{}", if target.is_tls { ", TLS" } else { "" }));
    }
}

fn write(text: &str) {
    let text = format!("BAQCSTUB {}: {text}\n", std::process::id());
    without_signal(|| {
        // SAFETY: the bytes of a string. What is not written is lost, as the program goes on in any case.
        let written = unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
        written < 0 && io::Error::last_os_error().kind() == io::ErrorKind::BrokenPipe
    });
}

/// Holds SIGPIPE back from this thread while `write`, which tells whether a pipe had no reader, runs. One that it raised is
/// taken away; one that waited before still does.
fn without_signal(write: impl FnOnce() -> bool) {
    // SAFETY: all zeros are sets of signals, and the addresses are theirs.
    unsafe {
        let (mut pipe, mut before, mut waiting) = mem::zeroed::<(libc::sigset_t, libc::sigset_t, libc::sigset_t)>();
        libc::sigemptyset(&raw mut pipe);
        libc::sigaddset(&raw mut pipe, libc::SIGPIPE);
        if libc::pthread_sigmask(libc::SIG_BLOCK, &raw const pipe, &raw mut before) != 0 {
            return;
        }
        libc::sigpending(&raw mut waiting);
        let waited = libc::sigismember(&raw const waiting, libc::SIGPIPE) == 1;
        if write() && !waited {
            let at_once = libc::timespec { tv_sec: 0, tv_nsec: 0 };
            libc::sigtimedwait(&raw const pipe, ptr::null_mut(), &raw const at_once);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut());
    }
}
