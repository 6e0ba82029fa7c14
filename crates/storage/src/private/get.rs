//! Getting outside a unit of work, browsing, and discarding what has expired.

use std::collections::VecDeque;
use std::sync::Arc;

use model::message::Message;
use model::timestamp::Timestamp;
use parking_lot::MutexGuard;

use crate::private::content::Whereabouts;
use crate::private::log::append::{Appender, Class, Refused};
use crate::private::log::extent::Place;
use crate::private::log::record::{GET_BYTES, UnitKind, get_record, unit_head};
use crate::private::log::writer::Log;
use crate::private::quarantine::is_lasting;
use crate::private::queue::{Entry, Holder, Home, Key, Queue, Slot};
use crate::private::store::{Core, QueueSlot};
use crate::{LockOwner, QueueId, RecoveryLogError, Selection, StoreError, StoredMessage, UnitOfWorkId};

/// Most messages that one `discard_expired` removes.
const EXPIRED_MAXIMUM: usize = 256;
/// Most bytes of bodies that one `discard_expired` reads, unless a single one is longer.
const EXPIRED_BYTES_MAXIMUM: u64 = 8 << 20;

/// What came of one look at a queue.
enum Look {
    Nothing,
    /// The message, and what must be durable before it is returned.
    Found(StoredMessage, Option<Place>),
    /// Its body is not in memory and its record not on disk yet: look again when it is.
    TooEarly(Place),
    /// One that cannot be read back was set aside: look for the next.
    Again,
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
                Ok(Look::TooEarly(place)) => self.durable(Some(place)).await?,
                Ok(Look::Again) => {}
                Err(Refused::NotYet) => self.space().await,
                Err(Refused::Error(error)) => return Err(error),
            }
        }
    }

    fn try_get(&self, slot: &QueueSlot, selection: &Selection<'_>, now: Timestamp) -> Result<Look, Refused> {
        let mut queue = slot.queue.lock();
        let Some(found) = queue.find(selection, None, now) else { return Ok(Look::Nothing) };
        let entry = queue.entry(found);
        if entry.cached.is_some() {
            let (entry, gone_at) = self.take(&mut queue, slot.id, found)?;
            drop(queue);
            let whereabouts = Whereabouts::from_removed(slot.id, entry);
            let message = self.read(&whereabouts).expect("what is in memory can be read");
            return Ok(Look::Found(whereabouts.stored(message), gone_at));
        }
        if let Some(place) = self.too_early(entry) {
            return Ok(Look::TooEarly(place));
        }
        queue.hold(found, Holder::Reading);
        let key = queue.entry(found).key;
        let Some((mut queue, message)) = self.read_held(slot, queue, key)? else { return Ok(Look::Again) };
        let found = queue.slot(key).expect("a held message stays");
        let (entry, gone_at) = match self.take(&mut queue, slot.id, found) {
            Ok(taken) => taken,
            Err(refused) => {
                queue.release(found);
                return Err(refused);
            }
        };
        Ok(Look::Found(Whereabouts::from_removed(slot.id, entry).stored(message), gone_at))
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

    /// Reads a message that is held as `Reading`, without the queue's lock. `None`: it cannot be read back and was set
    /// aside. When the read is refused the message is available again; when its queue was dropped meanwhile, the queue is
    /// unknown.
    fn read_held<'a>(
        &self,
        slot: &'a QueueSlot,
        mut queue: MutexGuard<'a, Queue>,
        key: Key,
    ) -> Result<Option<ReadHeld<'a>>, StoreError> {
        loop {
            let held = queue.slot(key).ok_or(StoreError::UnknownQueue)?;
            let whereabouts = Whereabouts::of(slot.id, queue.entry(held));
            drop(queue);
            let read = self.read(&whereabouts);
            queue = slot.queue.lock();
            let held = queue.slot(key).ok_or(StoreError::UnknownQueue)?;
            match read {
                Ok(message) => return Ok(Some((queue, message))),
                // Moved forward in the log while it was read.
                Err(_) if queue.entry(held).home != whereabouts.home => {}
                Err(error) if is_lasting(&error) => {
                    self.set_aside(slot, queue, held, &error);
                    return Ok(None);
                }
                Err(error) => {
                    queue.release(held);
                    return Err(unreadable(error));
                }
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
            match self.try_browse(&slot, after, selection, now)? {
                Look::Nothing => return Ok(None),
                Look::Found(message, place) => {
                    self.durable(place).await?;
                    return Ok(Some(message));
                }
                Look::TooEarly(place) => self.durable(Some(place)).await?,
                Look::Again => {}
            }
        }
    }

    fn try_browse(
        &self,
        slot: &QueueSlot,
        after: Option<Key>,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Look, StoreError> {
        loop {
            let queue = slot.queue.lock();
            let Some(found) = queue.find(selection, after, now) else { return Ok(Look::Nothing) };
            let entry = queue.entry(found);
            if let Some(place) = self.too_early(entry) {
                return Ok(Look::TooEarly(place));
            }
            let whereabouts = Whereabouts::of(slot.id, entry);
            drop(queue);
            let read = self.read(&whereabouts);
            let certain = read.is_ok() && !matches!(whereabouts.home, Home::Spill { .. });
            if whereabouts.cached.is_none() && !certain && !still_there(slot, &whereabouts) {
                continue;
            }
            let message = match read {
                Ok(message) => message,
                Err(error) if is_lasting(&error) => {
                    self.set_aside_seen(slot, &whereabouts, &error);
                    continue;
                }
                Err(error) => return Err(unreadable(error)),
            };
            let place = whereabouts.place();
            return Ok(Look::Found(whereabouts.stored(message), place));
        }
    }

    pub(crate) async fn discard_expired(
        &self,
        queue: QueueId,
        now: Timestamp,
        gone: &mut VecDeque<StoredMessage>,
    ) -> Result<(), StoreError> {
        self.open()?;
        let slot = self.queue(queue)?;
        loop {
            match self.try_discard(&slot, now) {
                Ok(Discarded::Done(messages, place)) => {
                    gone.extend(messages);
                    return self.durable(place).await;
                }
                Ok(Discarded::TooEarly(place)) => self.durable(Some(place)).await?,
                Ok(Discarded::Again) => {}
                Err(Refused::NotYet) => self.space().await,
                Err(Refused::Error(error)) => return Err(error),
            }
        }
    }

    /// Holds, reads and removes as many messages as the bounds allow; all of them or none.
    fn try_discard(&self, slot: &QueueSlot, now: Timestamp) -> Result<Discarded, Refused> {
        let mut queue = slot.queue.lock();
        let (held, too_early) = self.hold_expired(&mut queue, now);
        if let (Some(place), true) = (too_early, held.is_empty()) {
            return Ok(Discarded::TooEarly(place));
        }
        let mut messages = Vec::with_capacity(held.len());
        for key in &held {
            match self.read_held(slot, queue, *key) {
                Ok(Some((relocked, message))) => {
                    queue = relocked;
                    messages.push(message);
                }
                Ok(None) => {
                    release_all(&mut slot.queue.lock(), &held);
                    return Ok(Discarded::Again);
                }
                Err(error) => {
                    release_all(&mut slot.queue.lock(), &held);
                    return Err(error.into());
                }
            }
        }
        let appended = self.append_gets(&queue, slot.id, &held);
        let (mut appender, place) = match appended {
            Ok(appended) => appended,
            Err(refused) => {
                release_all(&mut queue, &held);
                return Err(refused);
            }
        };
        let discarded = held.into_iter().zip(messages).map(|(key, message)| {
            let held = queue.slot(key).expect("held above");
            let entry = queue.remove(held);
            self.forget(&entry, appender.as_mut(), place.unwrap_or(Place::START));
            Whereabouts::from_removed(slot.id, entry).stored(message)
        });
        Ok(Discarded::Done(discarded.collect(), place))
    }

    /// Holds expired messages up to the bounds, or up to one that has to be read back but is not on disk yet.
    fn hold_expired(&self, queue: &mut Queue, now: Timestamp) -> (Vec<Key>, Option<Place>) {
        let mut held = Vec::new();
        let mut bytes = 0;
        while held.len() < EXPIRED_MAXIMUM {
            let Some(expired) = queue.expired(now) else { break };
            let entry = queue.entry(expired);
            bytes += u64::from(entry.body_bytes);
            if bytes > EXPIRED_BYTES_MAXIMUM && !held.is_empty() {
                break;
            }
            if let Some(place) = self.too_early(entry) {
                return (held, Some(place));
            }
            held.push(entry.key);
            queue.hold(expired, Holder::Reading);
        }
        (held, None)
    }

    /// One unit with the gets of those messages that are in the log, when there are any.
    fn append_gets(
        &self,
        queue: &Queue,
        id: QueueId,
        keys: &[Key],
    ) -> Result<(Option<Appender<'_>>, Option<Place>), Refused> {
        let Some(log) = &self.log else { return Ok((None, None)) };
        let log: &Arc<Log> = log;
        let records: Vec<[u8; GET_BYTES]> = keys
            .iter()
            .filter(|key| queue.slot(**key).is_some_and(|slot| queue.entry(slot).persistent))
            .map(|key| get_record(id, *key))
            .collect();
        let mut appender = log.lock();
        if records.is_empty() {
            return Ok((Some(appender), None));
        }
        let records = records.as_flattened();
        let head = unit_head(UnitKind::Complete, UnitOfWorkId(0), None, records.len());
        let place = appender.append(Class::Essential, &[head.as_bytes(), records])?;
        Ok((Some(appender), Some(place)))
    }
}

/// The queue, locked again, and the message.
type ReadHeld<'a> = (MutexGuard<'a, Queue>, Box<Message>);

enum Discarded {
    Done(Vec<StoredMessage>, Option<Place>),
    TooEarly(Place),
    /// One that cannot be read back was set aside.
    Again,
}

fn release_all(queue: &mut Queue, keys: &[Key]) {
    for key in keys {
        if let Some(held) = queue.slot(*key).filter(|held| queue.entry(*held).holder == Holder::Reading) {
            queue.release(held);
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
