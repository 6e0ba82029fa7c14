//! The connections that this process keeps between calls.
//!
//! There is no lock that a fork could leave held in the child: a slot that was being changed at that moment is lost to the child,
//! nothing more. A child process finds its parent's connections at its first call and drops them, which closes its
//! descriptors and sends nothing.
//!
//! A slot's mark says what may be done with it: `EMPTY` and a connection's own mark may be claimed, by whoever exchanges them for
//! `CLAIMED` first; only the claimant touches the address. A call claims what leads to its own server. Only where there is no empty
//! slot does a thread look at what another may want, which makes a new connection if it comes at that moment.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use crate::connection::Connection;
use crate::deadline;
use crate::settings::TlsFiles;
use crate::target::Target;

const SLOTS: usize = 64;
const EMPTY: u64 = 0;
const CLAIMED: u64 = 1;

static KEPT: [Slot; SLOTS] = [const { Slot::new() }; SLOTS];
/// The process that used the slots last.
static USER: AtomicU32 = AtomicU32::new(0);

struct Slot {
    mark: AtomicU64,
    connection: AtomicPtr<Connection>,
}

/// A connection to `target` that can carry a call now.
pub(crate) fn take(target: &Target, files: &TlsFiles, now: Instant) -> Option<Box<Connection>> {
    let process = std::process::id();
    let before = USER.swap(process, Ordering::AcqRel);
    if before != process && before != 0 {
        close_all();
    }
    let wanted = mark(target);
    for slot in &KEPT {
        let Some(connection) = slot.empty(wanted) else { continue };
        if connection.is_own(process) && connection.leads_to(target, files) && connection.is_fresh(now) {
            return Some(connection);
        }
        // Stale, or one of very few whose mark is the same by chance: closed.
    }
    None
}

/// Keeps a connection, or closes it when all slots have one that can carry a call.
pub(crate) fn keep(mut connection: Box<Connection>) {
    let now = deadline::now();
    connection.rest(now);
    let empty = KEPT.iter().find(|slot| slot.claim(EMPTY));
    if let Some(slot) = empty.or_else(|| KEPT.iter().find(|slot| slot.claim_stale(now))) {
        slot.fill(mark(connection.target()), connection);
    }
}

pub(crate) fn close_all() {
    for slot in &KEPT {
        let mark = slot.mark.load(Ordering::Relaxed);
        if mark != CLAIMED {
            drop(slot.empty(mark));
        }
    }
}

impl Slot {
    const fn new() -> Self {
        Self { mark: AtomicU64::new(EMPTY), connection: AtomicPtr::new(ptr::null_mut()) }
    }

    fn claim(&self, mark: u64) -> bool {
        self.mark.load(Ordering::Relaxed) == mark
            && self.mark.compare_exchange(mark, CLAIMED, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Claims a slot whose connection can carry no call any more, and closes that.
    fn claim_stale(&self, now: Instant) -> bool {
        let mark = self.mark.load(Ordering::Relaxed);
        if mark == CLAIMED || !self.claim(mark) {
            return false;
        }
        match self.claimed() {
            Some(connection) if connection.is_fresh(now) => {
                self.fill(mark, connection);
                false
            }
            _ => true,
        }
    }

    /// Takes out the connection of this mark.
    fn empty(&self, mark: u64) -> Option<Box<Connection>> {
        if mark == EMPTY || !self.claim(mark) {
            return None;
        }
        let connection = self.claimed();
        self.mark.store(EMPTY, Ordering::Release);
        connection
    }

    /// Takes out the connection; for the claimant.
    fn claimed(&self) -> Option<Box<Connection>> {
        let address = self.connection.swap(ptr::null_mut(), Ordering::Relaxed);
        // SAFETY: `fill` stored the address of a box before it set a mark, and this claimant alone has read it since.
        (!address.is_null()).then(|| unsafe { Box::from_raw(address) })
    }

    /// Puts a connection in, and ends the claim; for the claimant.
    fn fill(&self, mark: u64, connection: Box<Connection>) {
        self.connection.store(Box::into_raw(connection), Ordering::Relaxed);
        self.mark.store(mark, Ordering::Release);
    }
}

/// Neither `EMPTY` nor `CLAIMED`, and as good as different for different targets (FNV-1a).
fn mark(target: &Target) -> u64 {
    let port = target.port.to_ne_bytes();
    let bytes = target.host.bytes().chain(port).chain([u8::from(target.is_tls)]);
    let hash = bytes
        .fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3));
    hash | 2
}
