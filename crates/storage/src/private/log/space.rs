//! Space of the log: who may take what is prepared, and what is kept back so that the oldest extent can always be moved,
//! whatever it holds.
//!
//! Invariants
//! - The reserve: one whole ready extent, as long as any extent in use, is kept back. Only moving (and saying that an
//!   extent is free) goes on into it. A log of one extent needs none: there puts leave half of it.
//! - What is moved of a batch takes no more than the batch took (`checkpoint.rs`), and each extent keeps
//!   [`FREEING_BYTES`] for saying that others are free. So the reserve has room for any extent, and the file of the
//!   extent that was moved is the next reserve: the log can be moved through from its oldest to its newest extent on a full
//!   disk, and all that nobody needs is gained.
//! - An extent shorter than the reserve would not be the next one: room for its live records is left besides, and it is moved
//!   as soon as a longer one follows it.
//! - Puts leave a quarter of an extent to gets, commits and back outs, and what staged units of work were promised. What
//!   those append is not needed afterwards, so moving gains it.
//!
//! On a full disk the log is moved through in rounds: another one begins only when an eighth of an extent has ended
//! since the last began. A log in which everything is needed is not moved for nothing.

use crate::StoreOptions;
use crate::private::log::append::{Appender, Class, Extent, State};
use crate::private::log::extent::{BATCH_ALIGNMENT, BATCH_HEADER_BYTES, EXTENT_HEADER_BYTES, Place};
use crate::private::log::record::UNIT_HEADER_BYTES;

/// What an extent with one batch has besides units, in bytes.
const OVERHEAD_BYTES: usize = EXTENT_HEADER_BYTES + BATCH_BYTES;
/// What a batch has besides units at most, in bytes.
pub(super) const BATCH_BYTES: usize = BATCH_HEADER_BYTES + BATCH_ALIGNMENT;
/// What everybody leaves in each extent to the records that say an extent is free, in bytes.
const FREEING_BYTES: usize = 1 << 10;
/// What a batch with such a record takes, in bytes.
const FREEING_BATCH_BYTES: usize = UNIT_HEADER_BYTES + BATCH_BYTES;
/// The extents beyond twice its live data that a log may have.
const SLACK_EXTENTS: u64 = 2;
/// The extents beyond a log's bound that are kept as spares or ready.
const KEPT_EXTENTS: u64 = 3;

/// What the thread that frees extents does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Rest,
    /// Move what is live in the oldest extent, and free it.
    Reclaim,
    /// As `Reclaim`; it is the only one, so that the log goes on in the reserve first.
    GoOn,
}

/// What units of this class leave of an extent's end, in bytes.
fn left_in_extent(class: Class) -> usize {
    match class {
        Class::Growing | Class::Staging | Class::Essential => FREEING_BYTES,
        Class::Moving => FREEING_BATCH_BYTES,
        Class::Freeing => 0,
    }
}

/// Longest unit that an extent of this length can take, in bytes.
pub(super) fn largest_unit(class: Class, extent_length: u64) -> usize {
    usize::try_from(extent_length).unwrap_or(usize::MAX).saturating_sub(OVERHEAD_BYTES + left_in_extent(class))
}

impl Extent {
    /// Bytes that units in one batch can take.
    pub(super) fn capacity(&self) -> usize {
        largest_unit(Class::Growing, self.length as u64)
    }

    /// Bytes that moving its live records takes at most.
    fn moving_bytes(&self) -> usize {
        let each = (UNIT_HEADER_BYTES + BATCH_BYTES) as u64;
        let bytes = self.live_bytes + self.overhead_bytes.min(self.live_records * each);
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }

    /// What counts as much: so many bytes have to end before a full log is moved through again.
    fn worth(&self) -> u64 {
        self.capacity() as u64 / 8
    }
}

impl State {
    /// Bytes that a unit can take in the current extent.
    fn room(&self) -> usize {
        let (end, current) = (self.end_of_gathered(), self.current());
        let used = if end.extent() == current.sequence {
            usize::try_from(end.offset()).unwrap_or(usize::MAX)
        } else {
            EXTENT_HEADER_BYTES
        };
        current.length.saturating_sub(used).saturating_sub(BATCH_BYTES)
    }

    /// Does a unit of this length fit into the current extent?
    pub(super) fn fits(&self, class: Class, length: usize) -> bool {
        length.saturating_add(left_in_extent(class)) <= self.room()
    }

    fn reserve(&self) -> Option<usize> {
        self.ready.iter().rposition(|extent| extent.length >= self.longest)
    }

    /// Bytes that are prepared besides the reserve.
    fn available(&self) -> usize {
        let reserve = self.reserve();
        let others = self.ready.iter().enumerate().filter(|(index, _)| Some(*index) != reserve);
        self.room().saturating_sub(FREEING_BYTES) + others.map(|(_, extent)| extent.capacity()).sum::<usize>()
    }

    /// The log may go on in the next ready extent, and there is a reserve afterwards.
    fn keeps_reserve(&self) -> bool {
        let Some(next) = self.ready.front() else { return false };
        self.ready.iter().skip(1).any(|extent| extent.length >= self.longest.max(next.length))
    }

    /// The oldest extent, if it is not the only one.
    fn oldest_sealed(&self) -> Option<&Extent> {
        self.extents.front().filter(|_| self.extents.len() > 1)
    }

    fn is_short(&self, extent: &Extent) -> bool {
        extent.length < self.longest
    }

    /// What everybody leaves to moving, besides the reserve. Without a reserve the oldest extent can be moved only to what is left
    /// of the current one: nothing takes that room, however late the thread that moves gets to it.
    fn left_to_moving(&self) -> usize {
        let has_reserve = self.reserve().is_some();
        let is_moved = |oldest| self.is_moving || self.is_about_to_move(oldest);
        self.oldest_sealed()
            .filter(|oldest| self.is_short(oldest) || (!has_reserve && is_moved(*oldest)))
            .map_or(0, Extent::moving_bytes)
    }

    /// Of a log without reserve: the next step is to move its oldest extent into the current one.
    fn is_about_to_move(&self, oldest: &Extent) -> bool {
        !self.moves_nothing()
            && self.needs_space_of(oldest)
            && oldest.moving_bytes() + FREEING_BATCH_BYTES <= self.room()
    }

    /// What puts leave to gets, commits and back outs.
    fn left_to_ending(&self) -> usize {
        let capacity = self.current().capacity();
        if self.extents.len() == 1 { capacity / 2 } else { capacity / 4 }
    }

    /// May a unit be appended now?
    pub(super) fn admits(&self, class: Class, length: usize) -> bool {
        let next = self.ready.front().map(|next| largest_unit(class, next.length as u64));
        let fits_next = next.is_some_and(|largest| length <= largest);
        let left = match class {
            Class::Freeing => return self.fits(class, length) || next.is_some(),
            Class::Moving => {
                let becomes_reserve = self.oldest_sealed().is_some_and(|oldest| !self.is_short(oldest));
                let may_go_on = becomes_reserve || self.keeps_reserve();
                return self.fits(class, length) || (fits_next && may_go_on);
            }
            Class::Essential => 0,
            Class::Staging => self.left_to_ending() / 2,
            Class::Growing => {
                if self.extents.len() > 1 && self.reserve().is_none() {
                    return false;
                }
                self.left_to_ending().saturating_add(usize::try_from(self.reserved).unwrap_or(usize::MAX))
            }
        };
        // A log that has no reserve yet may be drained all the same.
        let goes_on = fits_next && (self.keeps_reserve() || self.reserve().is_none());
        let needed = length.saturating_add(left).saturating_add(self.left_to_moving());
        (self.fits(class, length) || goes_on) && needed <= self.available()
    }

    /// Another extent should be made ready before it is needed.
    pub(crate) fn lacks_extent(&self) -> bool {
        let promised = usize::try_from(self.reserved).unwrap_or(usize::MAX);
        let wanted = promised.saturating_add(self.left_to_moving()).saturating_add(self.current().capacity() / 4 * 3);
        self.reserve().is_none() || self.available() < wanted
    }

    /// Puts are refused, or soon will be.
    fn lacks_space(&self) -> bool {
        !self.admits(Class::Growing, self.current().capacity() / 8)
    }

    /// Little is left of the quota of disk, and moving the log through would give much of it back.
    fn wastes_quota(&self) -> bool {
        self.is_pressed && self.used_bytes() > self.compact_bytes()
    }

    fn is_short_of_space(&self) -> bool {
        self.refuses_puts() || self.wastes_quota()
    }

    /// The disk is full, and puts are refused for that.
    pub(crate) fn refuses_puts(&self) -> bool {
        self.full && self.lacks_space()
    }

    /// Waiting for space is of no use: the disk is full, and nothing can be freed.
    pub(super) fn hopeless(&self, options: &StoreOptions) -> bool {
        self.full && !self.space_gained && !self.is_moving && self.next_step(options) == Step::Rest
    }

    /// So much has ended that moving the log through gains something worth it.
    pub(super) fn has_much_to_gain(&self) -> bool {
        self.ended_bytes >= self.current().worth()
    }

    pub(super) fn next_step(&self, options: &StoreOptions) -> Step {
        if self.moves_nothing() {
            return Step::Rest;
        }
        let Some(oldest) = self.oldest_sealed() else {
            let becomes_reserve = self.reserve().is_some_and(|at| self.current().length >= self.ready[at].length);
            let is_worth_it = self.refuses_puts() && self.has_much_to_gain();
            return if becomes_reserve && is_worth_it { Step::GoOn } else { Step::Rest };
        };
        if oldest.live_records == 0 {
            return Step::Reclaim;
        }
        let needs_space = self.needs_space_of(oldest);
        let is_damaged = self.damaged.last_key_value().is_some_and(|(last, _)| oldest.sequence <= *last);
        let is_wanted = needs_space || is_damaged || self.is_short(oldest) || self.used_bytes() > self.bound(options);
        if is_wanted && self.can_move(oldest) { Step::Reclaim } else { Step::Rest }
    }

    /// Nothing is moved now, whatever there is.
    fn moves_nothing(&self) -> bool {
        self.stopping || self.holds.any() || (self.is_stuck && !self.has_much_to_gain())
    }

    /// Puts are refused or soon will be, and moving the oldest extent may change that.
    fn needs_space_of(&self, oldest: &Extent) -> bool {
        self.is_short_of_space() && (oldest.sequence <= self.round_end || self.has_much_to_gain())
    }

    fn can_move(&self, oldest: &Extent) -> bool {
        let takes = oldest.moving_bytes() + FREEING_BATCH_BYTES;
        let fits = takes <= self.room() || (takes <= self.available() && self.keeps_reserve());
        let becomes_reserve = self.reserve().is_some() && !self.is_short(oldest);
        fits || becomes_reserve || !self.full
    }

    /// Bytes below which the log is kept.
    fn bound(&self, options: &StoreOptions) -> u64 {
        let slack = SLACK_EXTENTS * self.new_length(options);
        options.minimum_log_bytes.max(2 * self.live_bytes() + slack)
    }

    /// The log has more files than it needs, `spares` bytes of them without any use.
    pub(crate) fn has_too_much(&self, options: &StoreOptions, spares: u64) -> bool {
        if self.lacks_extent() {
            return false;
        }
        let ready: u64 = self.ready.iter().map(|extent| extent.length as u64).sum();
        let bound = if self.is_pressed { self.compact_bytes() } else { self.bound(options) };
        self.log_bytes() + ready + spares > bound + KEPT_EXTENTS * self.new_length(options)
    }

    /// What the log has at most of a quota that is nearly used: a quarter more than is needed, and two extents.
    fn compact_bytes(&self) -> u64 {
        let needed = self.moving_bytes();
        needed + needed / 4 + SLACK_EXTENTS * self.longest as u64
    }

    /// Bytes that moving all live records would take.
    fn moving_bytes(&self) -> u64 {
        self.extents.iter().map(|extent| extent.moving_bytes() as u64).sum()
    }

    /// What the log cannot give back: what is needed of it, and the extents that it keeps for itself.
    pub(crate) fn needed_bytes(&self, options: &StoreOptions) -> u64 {
        let length = self.new_length(options);
        let capacity = largest_unit(Class::Growing, length).max(1) as u64;
        (self.moving_bytes().div_ceil(capacity) + KEPT_EXTENTS) * length
    }

    /// Of an extent that is made now, in bytes: so long that it can be the reserve.
    pub(crate) fn new_length(&self, options: &StoreOptions) -> u64 {
        options.extent_bytes.max(self.longest as u64)
    }

    /// Takes back the promise made for a unit of work.
    pub(crate) fn unreserve(&mut self, bytes: u64) {
        self.reserved = self.reserved.saturating_sub(bytes);
    }

    /// Bytes of the extents that recovery has to read.
    pub(crate) fn log_bytes(&self) -> u64 {
        self.extents.iter().map(|extent| extent.length as u64).sum()
    }

    /// As `log_bytes`, without what is still unused of the current extent.
    fn used_bytes(&self) -> u64 {
        self.log_bytes() - self.room() as u64
    }

    fn live_bytes(&self) -> u64 {
        self.extents.iter().map(|extent| extent.live_bytes).sum()
    }

    /// Live records of an extent in use.
    pub(crate) fn live_records_of(&self, sequence: u32) -> u64 {
        self.index_of(sequence).map_or(0, |index| self.extents[index].live_records)
    }

    /// A record that recovery needs now lies at `place`.
    pub(crate) fn lives(&mut self, place: Place, bytes: u32) {
        if let Some(index) = self.index_of(place.extent()) {
            self.extents[index].live_records += 1;
            self.extents[index].live_bytes += u64::from(bytes);
        }
    }

    /// The record at `place` is needed no more.
    pub(crate) fn died(&mut self, place: Place, bytes: u32) {
        self.ended(u64::from(bytes));
        self.left(place, bytes);
    }

    /// So many bytes of the log are needed no more.
    pub(super) fn ended(&mut self, bytes: u64) {
        self.ended_bytes += bytes;
        self.unseen_bytes += bytes;
    }

    /// True once for what is worth that the thread that frees extents looks again.
    pub(super) fn is_worth_a_look(&mut self) -> bool {
        let is_much = self.unseen_bytes >= self.current().worth();
        if is_much {
            self.unseen_bytes = 0;
        }
        is_much
    }

    /// A live record was appended again.
    pub(crate) fn relocated(&mut self, old: Place, new: Place, bytes: u32) {
        self.left(old, bytes);
        self.lives(new, bytes);
    }

    fn left(&mut self, place: Place, bytes: u32) {
        if let Some(index) = self.index_of(place.extent()) {
            let extent = &mut self.extents[index];
            debug_assert!(extent.live_records > 0, "a record dies once");
            extent.live_records = extent.live_records.saturating_sub(1);
            extent.live_bytes = extent.live_bytes.saturating_sub(u64::from(bytes));
        }
    }

    /// An extent was added to those in use, or taken away.
    pub(super) fn measure(&mut self) {
        self.longest = self.extents.iter().map(|extent| extent.length).max().unwrap_or(0);
    }

    /// What a start knows of what has ended: all that moving would gain.
    pub(super) fn gains(&self) -> u64 {
        let gain = |extent: &Extent| extent.length.saturating_sub(EXTENT_HEADER_BYTES + extent.moving_bytes());
        self.extents.iter().rev().skip(1).map(|extent| gain(extent) as u64).sum()
    }
}

impl Appender<'_> {
    /// Number and live records of the oldest extent, when it is to be moved and freed now.
    pub(crate) fn begin_reclaim(&mut self) -> Option<(u32, u64)> {
        match self.state.next_step(&self.log.options) {
            Step::Rest => return None,
            Step::Reclaim => {}
            Step::GoOn => self.roll(),
        }
        let state = &mut *self.state;
        let oldest = state.oldest_sealed().map(|oldest| (oldest.sequence, oldest.live_records))?;
        if state.is_short_of_space() && oldest.0 > state.round_end {
            state.round_end = state.current().sequence;
            state.ended_bytes = 0;
        }
        state.is_stuck = false;
        state.is_moving = true;
        Some(oldest)
    }

    /// What was moved stays moved; the extent is tried again when there is more to gain, or space.
    pub(crate) fn end_reclaim(&mut self, is_freed: bool) {
        self.state.is_moving = false;
        if !is_freed && !self.state.holds.any() {
            self.state.is_stuck = true;
            self.state.ended_bytes = 0;
        }
    }
}

#[cfg(test)]
mod tests;
