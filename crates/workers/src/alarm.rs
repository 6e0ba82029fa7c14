//! Waking a thread's runtime after some microseconds; the runtime's own timers count in milliseconds.
//!
//! One `timerfd` a thread, which the runtime watches like a socket. Only the thread itself sets it, before it sleeps.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

pub(crate) struct Alarm {
    descriptor: OwnedFd,
    /// When it rings, or has rung.
    at: Mutex<Option<Instant>>,
}

impl Alarm {
    /// # Errors
    /// No more descriptors.
    pub(crate) fn new() -> io::Result<Self> {
        let descriptor = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        Ok(Self { descriptor, at: Mutex::new(None) })
    }

    /// Rings at this time. One that is not wanted any more is left to ring, or to be set to another time: a call of the
    /// system costs more than waking up once in vain.
    pub(crate) fn set(&self, time: Instant) {
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        if *at == Some(time) {
            return;
        }
        *at = Some(time);
        // Zero would mean never.
        let after = time.saturating_duration_since(now()).max(Duration::from_nanos(1));
        let setting = Itimerspec { it_interval: timespec(Duration::ZERO), it_value: timespec(after) };
        if let Err(error) = timerfd_settime(&self.descriptor, TimerfdTimerFlags::empty(), &setting) {
            tracing::debug!(%error, "a thread's alarm cannot be set");
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "how long a thread sleeps; decides no outcome")]
fn now() -> Instant {
    Instant::now()
}

fn timespec(duration: Duration) -> Timespec {
    Timespec { tv_sec: duration.as_secs().try_into().unwrap_or(i64::MAX), tv_nsec: duration.subsec_nanos().into() }
}

impl AsRawFd for Alarm {
    fn as_raw_fd(&self) -> RawFd {
        self.descriptor.as_raw_fd()
    }
}

/// Has the runtime woken each time the alarm rings; ends with the runtime.
pub(crate) async fn listen(alarm: Arc<Alarm>) {
    #[expect(
        deprecated,
        reason = "an alarm's descriptor never changes, which is what the unsafe form makes its callers promise"
    )]
    let watched = match AsyncFd::with_interest(alarm, Interest::READABLE) {
        Ok(watched) => watched,
        Err(error) => return tracing::warn!(%error, "a thread goes without its alarm"),
    };
    while let Ok(mut ready) = watched.readable().await {
        // How often it rang; nothing, if it has been set anew since.
        let _ = rustix::io::read(&watched.get_ref().descriptor, &mut [0; 8]);
        ready.clear_ready();
    }
}
