//! A look at many messages for what they say, without the queue's lock while they are read.
//!
//! The lock is held only to find the messages; what is in memory is shared, and the rest is read back afterwards.

use model::timestamp::Timestamp;

use crate::private::content::Whereabouts;
use crate::private::get::unreadable;
use crate::private::log::extent::Place;
use crate::private::quarantine::is_lasting;
use crate::private::queue::{Home, Key};
use crate::private::store::{Core, QueueSlot};
use crate::{Glimpse, QueueId, Selection, StoreError};

/// Most bytes of a body that are read when it lies in a file of its own.
const BEGINNING_BYTES: usize = 64 << 10;

impl Core {
    pub(crate) async fn glimpse(
        &self,
        queue: QueueId,
        after: Option<Key>,
        selection: &Selection<'_>,
        maximum: usize,
        now: Timestamp,
    ) -> Result<Vec<Glimpse>, StoreError> {
        self.open()?;
        let slot = self.queue(queue)?;
        loop {
            let (found, too_early) = self.whereabouts(&slot, after, selection, maximum, now);
            if let (true, Some(place)) = (found.is_empty(), too_early) {
                self.durable(Some(place)).await?;
                continue;
            }
            let more = found.len() == maximum || too_early.is_some();
            let last = found.last().map(|whereabouts| whereabouts.key);
            let read = found.into_iter().filter_map(|whereabouts| self.beginning(&slot, whereabouts).transpose());
            let glimpses = read.collect::<Result<Vec<Glimpse>, StoreError>>()?;
            // All of them gone meanwhile: what is behind them?
            match last.filter(|_| glimpses.is_empty() && more) {
                Some(last) => return Box::pin(self.glimpse(queue, Some(last), selection, maximum, now)).await,
                None => return Ok(glimpses),
            }
        }
    }

    /// Those that match, up to one that has to be read back but is not on disk yet.
    fn whereabouts(
        &self,
        slot: &QueueSlot,
        after: Option<Key>,
        selection: &Selection<'_>,
        maximum: usize,
        now: Timestamp,
    ) -> (Vec<Whereabouts>, Option<Place>) {
        let queue = slot.queue.lock();
        let mut found = Vec::new();
        let mut after = after;
        while found.len() < maximum {
            let Some(next) = queue.find(selection, after, now) else { break };
            let entry = queue.entry(next);
            if let Some(place) = self.too_early(entry) {
                return (found, Some(place));
            }
            after = Some(entry.key);
            found.push(Whereabouts::of(slot.id, entry));
        }
        (found, None)
    }

    /// `None` when the message has gone meanwhile, or cannot be read back.
    fn beginning(&self, slot: &QueueSlot, mut whereabouts: Whereabouts) -> Result<Option<Glimpse>, StoreError> {
        loop {
            let read = self.read_beginning(&whereabouts, BEGINNING_BYTES);
            if whereabouts.cached.is_none() && (read.is_err() || matches!(whereabouts.home, Home::Spill { .. })) {
                let queue = slot.queue.lock();
                let Some(found) = queue.slot(whereabouts.key) else { return Ok(None) };
                let now = Whereabouts::of(slot.id, queue.entry(found));
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
