//! Notifications to the server's supervisor over `$NOTIFY_SOCKET`: sd_notify(3), without a library.

use std::ffi::OsStr;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// Sends `state`, such as `READY=1`. Without a supervisor nothing happens; one that does not listen is not waited for.
pub(crate) fn notify(state: &str) {
    let Some(name) = std::env::var_os("NOTIFY_SOCKET").filter(|name| !name.is_empty()) else { return };
    if let Err(error) = send(&name, state) {
        tracing::warn!("cannot send {state} to the supervisor's socket {}: {error}", name.display());
    }
}

/// Tells a supervisor that watches, as `WatchdogSec=` of a systemd unit does, twice in its time that the runtime works. Ends with
/// the server; without such a supervisor at once.
pub(crate) async fn keep_alive() {
    let variable = |name: &str| std::env::var(name).ok();
    let Some(pause) = pause(variable("WATCHDOG_USEC"), variable("WATCHDOG_PID"), std::process::id()) else { return };
    loop {
        notify("WATCHDOG=1");
        tokio::time::sleep(pause).await;
    }
}

/// Half of the time in which a supervisor wants to hear of this process.
fn pause(micros: Option<String>, of: Option<String>, own: u32) -> Option<Duration> {
    let is_for_us = of.is_none_or(|process| process.parse() == Ok(own));
    let micros: u64 = micros?.parse().ok().filter(|micros| *micros > 1 && is_for_us)?;
    Some(Duration::from_micros(micros / 2))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_process_that_is_watched_answers_twice_in_the_time() {
        let of = |micros: &str, process: Option<&str>| pause(Some(micros.to_owned()), process.map(str::to_owned), 7);
        assert_eq!(of("3000000", Some("7")), Some(Duration::from_millis(1500)));
        assert_eq!(of("3000000", None), Some(Duration::from_millis(1500)));
        assert_eq!(of("3000000", Some("8")), None, "another process is watched");
        assert_eq!(of("0", Some("7")), None, "no process is watched");
        assert_eq!(pause(None, None, 7), None);
    }
}
