//! Looks at many messages for what they say, a slice at a time, each message once.
//!
//! The queue's lock is held only to find the messages of a slice; what is in memory is shared, and the rest is read back
//! afterwards.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use model::timestamp::Timestamp;

use crate::private::get::unreadable;
use crate::private::log::extent::Place;
use crate::private::log::leader::write_what_is_left;
use crate::private::log::writer::moment;
use crate::private::quarantine::is_lasting;
use crate::private::queue::{Beginning, Home, Key, Search, Terms};
use crate::private::read_back::Whereabouts;
use crate::private::store::{Core, QueueSlot};
use crate::{DeliveryKey, Glimpse, Selection, Slice, StoreError};

/// Most bytes of a body that are read when it lies in a file of its own.
const BEGINNING_BYTES: usize = 64 << 10;
/// After this time no further message of a slice is read back from disk.
const SLICE_TIME: Duration = Duration::from_micros(500);

/// What one reader of a queue has seen of it: of each message whether it was refused, as long as the message is available.
///
/// A message that is taken and comes back, or is committed later, is shown again. Dropping it forgets everything.
pub struct Scan {
    slot: Arc<QueueSlot>,
    number: u64,
    /// The look that begins with the next slice.
    beginning: Option<Beginning>,
    /// Of the slice shown last.
    refused: Vec<Key>,
}

impl Scan {
    pub(crate) fn of(slot: Arc<QueueSlot>) -> Self {
        let number = slot.queue.lock().open_scan();
        Self { slot, number, beginning: None, refused: Vec::new() }
    }

    /// Begins a look at all messages behind `after` that have not been refused. `accept` of the selection may change from
    /// look to look; when something else has changed, or `after` comes before that of the look before, refusals are forgotten.
    pub fn begin(&mut self, selection: &Selection<'_>, after: Option<DeliveryKey>) {
        self.beginning = Some(Beginning { terms: Terms::of(selection), after: after.map(Into::into) });
    }

    /// A message of the last slice is not to be shown again.
    pub fn refuse(&mut self, key: DeliveryKey) {
        self.refused.push(key.into());
    }
}

impl Drop for Scan {
    fn drop(&mut self) {
        self.slot.queue.lock().close_scan(self.number);
    }
}

/// Messages of a slice before they are read.
struct Found {
    messages: Vec<Whereabouts>,
    /// Messages looked at to find them.
    seen: usize,
    is_last: bool,
    /// What has to be durable before the next message can be read.
    too_early: Option<Place>,
}

impl Core {
    pub(crate) async fn scan(
        &self,
        scan: &mut Scan,
        selection: &Selection<'_>,
        maximum: usize,
        now: Timestamp,
    ) -> Result<Slice, StoreError> {
        self.open()?;
        self.queue(scan.slot.id)?;
        if scan.beginning.is_none() {
            // A thread that searches does not sleep: what its other tasks have appended would wait for another thread.
            write_what_is_left();
        }
        loop {
            let found = self.find_slice(scan, selection, maximum, now);
            match found.too_early {
                Some(place) if found.messages.is_empty() => self.durable(Some(place)).await?,
                _ => return self.read_slice(scan, found).await,
            }
        }
    }

    fn find_slice(&self, scan: &mut Scan, selection: &Selection<'_>, maximum: usize, now: Timestamp) -> Found {
        let Scan { slot, number, beginning, refused } = scan;
        let must_wait = |entry: &_| self.too_early(entry).is_some();
        let search = Search { selection, maximum, now, must_wait: &must_wait };
        let mut queue = slot.queue.lock();
        let scanned = queue.scan(*number, beginning.take().as_ref(), refused, &search);
        refused.clear();
        Found {
            messages: scanned.found.iter().map(|found| Whereabouts::of(slot.id, queue.entry(*found))).collect(),
            seen: scanned.seen,
            is_last: scanned.is_last,
            too_early: scanned.waits_for.and_then(|found| self.too_early(queue.entry(found))),
        }
    }

    async fn read_slice(&self, scan: &Scan, found: Found) -> Result<Slice, StoreError> {
        let started = moment();
        let mut messages = found.messages.into_iter();
        let mut glimpses = Vec::with_capacity(messages.len());
        for message in messages.by_ref() {
            let is_on_disk = message.cached.is_none();
            glimpses.extend(self.beginning(&scan.slot, message).await?);
            if is_on_disk && started.elapsed() > SLICE_TIME {
                break;
            }
        }
        let unread: Vec<Key> = messages.map(|message| message.key).collect();
        self.scanned.fetch_add((found.seen - unread.len()) as u64, Ordering::Relaxed);
        if !unread.is_empty() {
            scan.slot.queue.lock().give_back(scan.number, &unread);
        }
        Ok(Slice { glimpses, is_last: found.is_last && unread.is_empty() })
    }

    /// `None` when the message has gone meanwhile, or cannot be read back.
    async fn beginning(&self, slot: &QueueSlot, mut whereabouts: Whereabouts) -> Result<Option<Glimpse>, StoreError> {
        loop {
            let read = self.read_beginning(&whereabouts, BEGINNING_BYTES).await;
            if whereabouts.cached.is_none() && (read.is_err() || matches!(whereabouts.home, Home::Spill { .. })) {
                let Some(now) = self.readable(slot, whereabouts.key).await? else { return Ok(None) };
                if now.home != whereabouts.home {
                    // Moved forward in the log while it was read.
                    whereabouts = now;
                    continue;
                }
            }
            let (message, is_whole) = match read {
                Ok(read) => read,
                Err(error) if is_lasting(&error) => {
                    self.set_aside_seen(slot, &whereabouts, &error);
                    return Ok(None);
                }
                Err(error) => return Err(unreadable(error)),
            };
            let key = whereabouts.key.delivery_key();
            let stored = whereabouts.stored(message);
            let (descriptor, beginning) = (stored.message.descriptor, stored.message.body);
            return Ok(Some(Glimpse { key, descriptor, beginning, is_whole }));
        }
    }
}
