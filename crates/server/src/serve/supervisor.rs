//! Notifications to the server's supervisor over `$NOTIFY_SOCKET`: sd_notify(3), without a library.

use std::ffi::OsStr;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// Sends `state`, such as `READY=1`. Without a supervisor nothing happens; one that does not listen is not waited for.
pub(crate) fn notify(state: &str) {
    let Some(name) = std::env::var_os("NOTIFY_SOCKET").filter(|name| !name.is_empty()) else { return };
    if let Err(error) = send(&name, state) {
        tracing::warn!("cannot send {state} to the supervisor's socket {}: {error}", name.display());
    }
}

fn send(name: &OsStr, state: &str) -> std::io::Result<()> {
    // A leading @ is Linux's namespace without files.
    let address = match name.as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name)?,
        None => SocketAddr::from_pathname(name)?,
    };
    let socket = UnixDatagram::unbound()?;
    socket.set_nonblocking(true)?;
    socket.send_to_addr(state.as_bytes(), &address).map(drop)
}
