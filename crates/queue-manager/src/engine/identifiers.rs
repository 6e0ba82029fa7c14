//! Identifiers that the queue manager makes: message ids, correlation ids, group ids, connection ids.
//!
//! ```text
//! 0 "AMQ "             4
//! 4 queue manager     12   first characters of its name, padded with blanks
//! 16 number            8   high byte first
//! ```
//!
//! A range of message ids that an application counts out itself has the number further to the front:
//!
//! ```text
//! 0 "AMQR"             4
//! 4 queue manager      8
//! 12 number            8   high byte first
//! 20 zero              4   the application's
//! ```
//!
//! The number begins each start at the microseconds since 1970 times 256 and grows by one: it never repeats as long as
//! the clock is not set back across a restart, and fewer than 256 identifiers a microsecond are made.

use std::sync::atomic::{AtomicU64, Ordering};

use model::name::QueueManagerName;
use model::timestamp::Timestamp;

pub(crate) struct Identifiers {
    prefix: [u8; 16],
    next: AtomicU64,
}

impl Identifiers {
    pub(crate) fn new(name: QueueManagerName, started: Timestamp) -> Self {
        let mut prefix = [b' '; 16];
        prefix[..4].copy_from_slice(b"AMQ ");
        prefix[4..].copy_from_slice(&name.padded()[..12]);
        Self { prefix, next: AtomicU64::new(started.0 << 8) }
    }

    /// Never the same twice, and ever growing.
    pub(crate) fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn make(&self) -> [u8; 24] {
        self.with_number(self.number())
    }

    /// The first of a range of message ids: whoever gets it may change its last four bytes at will.
    pub(crate) fn reserve(&self) -> [u8; 24] {
        let mut identifier = [0; 24];
        identifier[..12].copy_from_slice(&self.prefix[..12]);
        identifier[3] = b'R';
        identifier[12..20].copy_from_slice(&self.number().to_be_bytes());
        identifier
    }

    /// The connection's identifier: EXTCONN and CONN.
    pub(crate) fn of_connection(&self, number: u64) -> [u8; 24] {
        let mut identifier = self.with_number(number);
        identifier[3] = b'C';
        identifier
    }

    fn with_number(&self, number: u64) -> [u8; 24] {
        let mut identifier = [0; 24];
        identifier[..16].copy_from_slice(&self.prefix);
        identifier[16..].copy_from_slice(&number.to_be_bytes());
        identifier
    }
}
