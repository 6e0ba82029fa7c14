//! Moments by this member's clock as moments of the group's time, and back.
//!
//! What is in the database carries the group's time, which is the database's. Members whose clocks differ by hours see the same
//! messages expire at the same moment, each by its own clock.

use model::timestamp::Timestamp;

use super::SharedStore;
use crate::{Placement, Receipt, StoredMessage};

impl SharedStore {
    /// The group's time when it is `at` here.
    pub(super) fn there(&self, at: Timestamp) -> Timestamp {
        shifted(at, self.ahead())
    }

    /// What this member's clock shows when it is `at` in the group.
    pub(super) fn here(&self, at: Timestamp) -> Timestamp {
        shifted(at, -self.ahead())
    }

    pub(super) fn placed(&self, placement: &Placement) -> Placement {
        Placement { expires: placement.expires.map(|at| self.there(at)), ..*placement }
    }

    pub(super) fn kept(&self, receipt: &Receipt) -> Receipt {
        Receipt { expires: self.there(receipt.expires), ..receipt.clone() }
    }

    pub(super) fn shown(&self, stored: StoredMessage) -> StoredMessage {
        let expires = stored.expires.map(|at| self.here(at));
        StoredMessage { expires, arrived: self.here(stored.arrived), ..stored }
    }

    /// How far the group's time is ahead of this member's clock, in microseconds.
    fn ahead(&self) -> i64 {
        let driver = &self.running.driver;
        let group = Timestamp::from_millis(driver.positions.clock());
        match &driver.options.clock {
            Some(clock) if group > Timestamp::from_millis(UNKNOWN) => group.0.cast_signed() - clock().0.cast_signed(),
            _ => 0,
        }
    }
}

/// The group's time, in milliseconds since 1970, of a member that has never been connected is below it.
const UNKNOWN: u64 = 1_000_000_000_000;

fn shifted(at: Timestamp, by: i64) -> Timestamp {
    Timestamp(at.0.saturating_add_signed(by))
}
