//! Getting outside a unit of work, and browsing.
//!
//! Invariant: a message that a get reads back is held meanwhile. Whatever ends the get before the message is taken makes
//! it available again, at its place.

use std::sync::Arc;

use model::message::Message;
use model::timestamp::Timestamp;
use parking_lot::MutexGuard;

use crate::private::log::append::{Class, Refused};
use crate::private::log::extent::Place;
use crate::private::log::record::{GET_BYTES, UnitKind, get_record, unit_head};
use crate::private::quarantine::is_lasting;
use crate::private::queue::{Entry, Holder, Home, Key, Queue, Slot};
use crate::private::read_back::Whereabouts;
use crate::private::store::{Core, QueueSlot};
use crate::{LockOwner, QueueId, RecoveryLogError, Selection, StoreError, StoredMessage, UnitOfWorkId};

/// What came of one look at a queue.
enum Look<'a> {
    Nothing,
    /// The message, and what must be durable before it is returned.
    Found(StoredMessage, Option<Place>),
    /// The message is held, and has to be read back.
    Held(Reading<'a>),
    /// Its body is not in memory and its record not on disk yet: look again when it is.
    TooEarly(Place),
}

/// A message that is held while it is read back. Dropped, it is available again.
pub(crate) struct Reading<'a> {
    pub(crate) slot: &'a QueueSlot,
    pub(crate) key: Key,
    /// It was taken, or set aside.
    pub(crate) is_over: bool,
}

impl<'a> Reading<'a> {
    /// The lock that `queue` is must be given up before this is dropped.
    pub(crate) fn hold(slot: &'a QueueSlot, queue: &mut Queue, found: Slot) -> Self {
        queue.hold(found, Holder::Reading);
        Self { slot, key: queue.entry(found).key, is_over: false }
    }

    /// Locked; unknown when it was dropped meanwhile.
    pub(crate) fn lock(&self) -> Result<(MutexGuard<'a, Queue>, Slot), StoreError> {
        let queue = self.slot.queue.lock();
        let held = queue.slot(self.key).ok_or(StoreError::UnknownQueue)?;
        Ok((queue, held))
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let mut queue = self.slot.queue.lock();
        if let Some(held) = queue.slot(self.key).filter(|held| queue.entry(*held).holder == Holder::Reading) {
            queue.release(held);
        }
    }
}

impl Core {
    pub(crate) async fn get(
        &self,
        queue: QueueId,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Option<StoredMessage>, StoreError> {
        self.open()?;
        let slot = self.queue(queue)?;
        loop {
            match self.try_get(&slot, selection, now) {
                Ok(Look::Nothing) => return Ok(None),
                Ok(Look::Found(message, place)) => {
                    self.durable(place).await?;
                    return Ok(Some(message));
                }
                // Boxed, so that the state of every get need not hold it.
                Ok(Look::Held(reading)) => {
                    if let Some((message, place)) = Box::pin(self.get_held(reading)).await? {
                        self.durable(place).await?;
                        return Ok(Some(message));
                    }
                }
                Ok(Look::TooEarly(place)) => self.durable(Some(place)).await?,
                Err(Refused::NotYet) => self.space().await,
                Err(Refused::Error(error)) => return Err(error),
            }
        }
    }

    fn try_get<'a>(&self, slot: &'a QueueSlot, selection: &Selection<'_>, now: Timestamp) -> Result<Look<'a>, Refused> {
        let mut queue = slot.queue.lock();
        let Some(found) = queue.find(selection, None, now) else { return Ok(Look::Nothing) };
        let entry = queue.entry(found);
        if entry.cached.is_some() {
            let (entry, gone_at) = self.take(&mut queue, slot.id, found)?;
            drop(queue);
            let whereabouts = Whereabouts::from_removed(slot.id, entry);
            let message = whereabouts.message_in_memory().expect("it was in memory");
            return Ok(Look::Found(whereabouts.stored(message), gone_at));
        }
        match self.too_early(entry) {
            Some(place) => Ok(Look::TooEarly(place)),
            None => Ok(Look::Held(Reading::hold(slot, &mut queue, found))),
        }
    }

    /// Reads a held message, then takes it. `None`: it cannot be read back and was set aside.
    async fn get_held(&self, mut reading: Reading<'_>) -> Result<Option<(StoredMessage, Option<Place>)>, StoreError> {
        let Some(message) = self.read_held(&mut reading).await? else { return Ok(None) };
        loop {
            let taken = {
                let (mut queue, held) = reading.lock()?;
                self.take(&mut queue, reading.slot.id, held)
            };
            match taken {
                Ok((entry, gone_at)) => {
                    reading.is_over = true;
                    return Ok(Some((Whereabouts::from_removed(reading.slot.id, entry).stored(message), gone_at)));
                }
                Err(Refused::NotYet) => self.space().await,
                Err(Refused::Error(error)) => return Err(error),
            }
        }
    }

    /// Takes a message that is known already: nothing is read.
    pub(crate) async fn take_browsed(
        &self,
        queue: QueueId,
        seen: &StoredMessage,
        owner: LockOwner,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.open()?;
        let slot = self.queue(queue)?;
        loop {
            match self.try_take(&slot, seen, owner, now) {
                Ok(None) => return Ok(false),
                Ok(Some(gone_at)) => {
                    self.durable(gone_at).await?;
                    return Ok(true);
                }
                Err(Refused::NotYet) => self.space().await,
                Err(Refused::Error(error)) => return Err(error),
            }
        }
    }

    /// Where its get record is, if it has one; `None`: it is not available as it was seen.
    fn try_take(
        &self,
        slot: &QueueSlot,
        seen: &StoredMessage,
        owner: LockOwner,
        now: Timestamp,
    ) -> Result<Option<Option<Place>>, Refused> {
        let mut queue = slot.queue.lock();
        let as_seen = |slot: &Slot| queue.entry(*slot).backout_count == seen.message.descriptor.backout_count;
        let Some(found) = queue.available(seen.key.into(), owner, now).filter(as_seen) else { return Ok(None) };
        let (_, gone_at) = self.take(&mut queue, slot.id, found)?;
        Ok(Some(gone_at))
    }

    /// The place of a record that has to be read back but is not on disk yet.
    pub(crate) fn too_early(&self, entry: &Entry) -> Option<Place> {
        match (entry.home, &self.log) {
            (Home::Log { place, .. }, Some(log)) if entry.cached.is_none() && !log.is_durable(place) => Some(place),
            _ => None,
        }
    }

    /// What reading a message needs that was seen before: it may have been moved in the log since, to a place that is not on disk yet. `None`:
    /// it has gone.
    pub(crate) async fn readable(&self, slot: &QueueSlot, key: Key) -> Result<Option<Whereabouts>, StoreError> {
        loop {
            let place = {
                let queue = slot.queue.lock();
                let Some(found) = queue.slot(key) else { return Ok(None) };
                let entry = queue.entry(found);
                let Some(place) = self.too_early(entry) else { return Ok(Some(Whereabouts::of(slot.id, entry))) };
                place
            };
            self.durable(Some(place)).await?;
        }
    }

    /// Reads a held message, without the queue's lock. `None`: it cannot be read back and was set aside. The queue is
    /// unknown when it was dropped meanwhile.
    pub(crate) async fn read_held(&self, reading: &mut Reading<'_>) -> Result<Option<Box<Message>>, StoreError> {
        loop {
            let whereabouts = self.readable(reading.slot, reading.key).await?.ok_or(StoreError::UnknownQueue)?;
            let error = match self.read(&whereabouts).await {
                Ok(message) => return Ok(Some(message)),
                Err(error) => error,
            };
            let (queue, held) = reading.lock()?;
            // Otherwise it was moved forward in the log while it was read.
            if queue.entry(held).home == whereabouts.home {
                if !is_lasting(&error) {
                    return Err(unreadable(error));
                }
                reading.is_over = true;
                self.set_aside(reading.slot, queue, held, &error);
                return Ok(None);
            }
        }
    }

    /// Takes a message for good: its get record first, then out of the queue.
    pub(crate) fn take(&self, queue: &mut Queue, id: QueueId, slot: Slot) -> Result<(Entry, Option<Place>), Refused> {
        let entry = queue.entry(slot);
        let Some(log) = self.log.as_ref().filter(|_| entry.persistent) else {
            let entry = queue.remove(slot);
            self.forget(&entry, None, Place::START);
            return Ok((entry, None));
        };
        let head = unit_head(UnitKind::Complete, UnitOfWorkId(0), None, GET_BYTES);
        let record = get_record(id, entry.key);
        let mut appender = log.lock();
        let place = appender.append(Class::Essential, &[head.as_bytes(), &record])?;
        let entry = queue.remove(slot);
        self.forget(&entry, Some(&mut appender), place);
        Ok((entry, Some(place)))
    }

    pub(crate) async fn browse(
        &self,
        queue: QueueId,
        after: Option<Key>,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Option<StoredMessage>, StoreError> {
        self.open()?;
        let slot = self.queue(queue)?;
        loop {
            let whereabouts = {
                let queue = slot.queue.lock();
                let Some(found) = queue.find(selection, after, now) else { return Ok(None) };
                let entry = queue.entry(found);
                self.too_early(entry).ok_or_else(|| Whereabouts::of(slot.id, entry))
            };
            let whereabouts = match whereabouts {
                Ok(place) => {
                    self.durable(Some(place)).await?;
                    continue;
                }
                Err(whereabouts) => whereabouts,
            };
            let message = match whereabouts.message_in_memory() {
                Some(message) => message,
                None => match Box::pin(self.read_seen(&slot, &whereabouts)).await? {
                    Some(message) => message,
                    None => continue,
                },
            };
            self.durable(whereabouts.place()).await?;
            return Ok(Some(whereabouts.stored(message)));
        }
    }

    /// Reads a message that is not held. `None`: it has gone or moved meanwhile, or cannot be read back and was set aside.
    async fn read_seen(&self, slot: &QueueSlot, whereabouts: &Whereabouts) -> Result<Option<Box<Message>>, StoreError> {
        let read = self.read(whereabouts).await;
        let certain = read.is_ok() && !matches!(whereabouts.home, Home::Spill { .. });
        if !certain && !still_there(slot, whereabouts) {
            return Ok(None);
        }
        match read {
            Ok(message) => Ok(Some(message)),
            Err(error) if is_lasting(&error) => {
                self.set_aside_seen(slot, whereabouts, &error);
                Ok(None)
            }
            Err(error) => Err(unreadable(error)),
        }
    }
}

/// False when a message that was read without the queue's lock has gone or moved meanwhile.
fn still_there(slot: &QueueSlot, whereabouts: &Whereabouts) -> bool {
    let queue = slot.queue.lock();
    queue.slot(whereabouts.key).is_some_and(|found| queue.entry(found).home == whereabouts.home)
}

/// A record that could not be read for a reason that may pass: this operation is refused, the log goes on.
pub(crate) fn unreadable(error: RecoveryLogError) -> StoreError {
    StoreError::File(Arc::new(error))
}
