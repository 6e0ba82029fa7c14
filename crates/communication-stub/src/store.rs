//! The connections that this process keeps between calls.
//!
//! There is no lock that a fork could leave held in the child: a slot that was being changed at that moment is lost to the child,
//! nothing more. A child process finds its parent's connections at its first call and drops them, which closes its
//! descriptors and sends nothing.
//!
//! A slot's mark says what may be done with it: `EMPTY` and a connection's own mark may be claimed, by whoever exchanges them for
//! `CLAIMED` first; only the claimant touches the address. So no thread ever takes away, to look at it, what another wants.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use crate::connection::Connection;
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

/// Keeps a connection, or closes it when all slots are taken.
pub(crate) fn keep(mut connection: Box<Connection>) {
    connection.rest();
    let mark = mark(connection.target());
    if let Some(slot) = KEPT.iter().find(|slot| slot.claim(EMPTY)) {
        slot.connection.store(Box::into_raw(connection), Ordering::Relaxed);
        slot.mark.store(mark, Ordering::Release);
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

    /// Takes out the connection of this mark.
    fn empty(&self, mark: u64) -> Option<Box<Connection>> {
        if mark == EMPTY || !self.claim(mark) {
            return None;
        }
        let address = self.connection.swap(ptr::null_mut(), Ordering::Relaxed);
        self.mark.store(EMPTY, Ordering::Release);
        // SAFETY: `keep` stored the address of a box before it set a mark, and this claimant alone has read it since.
        (!address.is_null()).then(|| unsafe { Box::from_raw(address) })
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
