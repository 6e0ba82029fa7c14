//! Putting and getting under syncpoint, and preparing. `outcome.rs` commits and backs out.

use std::sync::Arc;

use model::timestamp::Timestamp;

use crate::private::content::Incoming;
use crate::private::get::unreadable;
use crate::private::log::append::{Refused, unit_maximum};
use crate::private::log::extent::Place;
use crate::private::log::record::{GET_BYTES, UnitKind, get_record, xid_fits};
use crate::private::quarantine::is_lasting;
use crate::private::queue::{Holder, Key, Queue, Slot};
use crate::private::read_back::Whereabouts;
use crate::private::store::{Core, QueueSlot};
use crate::private::unit_of_work::{LockedQueues, Prepared, Record, UnitOfWork, Work};
use crate::{DeliveryKey, LockOwner, PutOutcome, QueueId, Selection, StoreError, StoredMessage, UnitOfWorkId, Xid};

impl Core {
    /// Puts under syncpoint: out of sight until the commit.
    pub(crate) fn try_put_in_unit(
        &self,
        id: UnitOfWorkId,
        slot: &Arc<QueueSlot>,
        incoming: &mut Incoming<'_>,
        maximum_depth: u32,
    ) -> Result<PutOutcome, Refused> {
        let unit = self.units.open(id)?;
        let mut unit = unit.lock();
        unit.active()?;
        self.make_room(id, &mut unit)?;
        let mut queue = slot.queue.lock();
        let (key, depth_before) = self.next_key(&queue, incoming.rank, maximum_depth)?;
        let mut record = Record::None;
        if let Some(log) = self.log.as_ref().filter(|_| incoming.logged) {
            let put = incoming.record(slot.id, key);
            let bytes = put.record_length() as u64;
            log.lock().reserve(bytes)?;
            unit.reserved += bytes;
            record = unit.stage(&[&put.head(false), put.content]);
        }
        queue.insert(incoming.enter(key, None, Holder::Put(id)));
        unit.works.push(Work { queue: Arc::clone(slot), key, got: false, record });
        Ok(PutOutcome { key: key.delivery_key(), depth_before })
    }

    /// Writes what is staged as a part when it has grown large.
    fn make_room(&self, id: UnitOfWorkId, unit: &mut UnitOfWork) -> Result<(), Refused> {
        let maximum = STAGED_MAXIMUM.min(unit_maximum(&self.options) / 2);
        let Some(log) = self.log.as_ref().filter(|_| unit.staged.len() >= maximum) else { return Ok(()) };
        let slots = unit.queues();
        unit.append_staged(log, &mut LockedQueues::of(&slots), id, UnitKind::Part, None)?;
        Ok(())
    }

    pub(crate) async fn get_in_unit(
        &self,
        id: UnitOfWorkId,
        queue: QueueId,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Option<StoredMessage>, StoreError> {
        self.open()?;
        let slot = self.queue(queue)?;
        loop {
            let whereabouts = match self.try_get_in_unit(id, &slot, selection, now) {
                Ok(None) => return Ok(None),
                Ok(Some(Held::Message(whereabouts))) => whereabouts,
                Ok(Some(Held::TooEarly(place))) => {
                    self.durable(Some(place)).await?;
                    continue;
                }
                Err(Refused::NotYet) => {
                    self.space().await;
                    continue;
                }
                Err(Refused::Error(error)) => return Err(error),
            };
            let mut undo = Undo { core: self, id, slot: &slot, key: whereabouts.key, armed: true };
            if let Some((message, place)) = self.read_in_unit(id, &slot, whereabouts).await? {
                self.durable(place).await?;
                undo.armed = false;
                return Ok(Some(message));
            }
        }
    }

    fn try_get_in_unit(
        &self,
        id: UnitOfWorkId,
        slot: &Arc<QueueSlot>,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Option<Held>, Refused> {
        let unit = self.units.open(id)?;
        let mut unit = unit.lock();
        unit.active()?;
        self.make_room(id, &mut unit)?;
        let mut queue = slot.queue.lock();
        let Some(found) = queue.find(selection, None, now) else { return Ok(None) };
        let entry = queue.entry(found);
        if let Some(place) = self.too_early(entry) {
            return Ok(Some(Held::TooEarly(place)));
        }
        self.hold_in_unit(id, &mut unit, slot, &mut queue, found);
        Ok(Some(Held::Message(Whereabouts::of(slot.id, queue.entry(found)))))
    }

    /// The message is the unit's.
    fn hold_in_unit(
        &self,
        id: UnitOfWorkId,
        unit: &mut UnitOfWork,
        of: &Arc<QueueSlot>,
        queue: &mut Queue,
        slot: Slot,
    ) {
        queue.hold(slot, Holder::Got(id));
        let entry = queue.entry(slot);
        let key = entry.key;
        let logged = entry.persistent && self.log.is_some();
        let record = if logged { unit.stage(&[&get_record(of.id, key)]) } else { Record::None };
        unit.works.push(Work { queue: Arc::clone(of), key, got: true, record });
    }

    pub(crate) async fn get_all_in_unit(
        &self,
        id: UnitOfWorkId,
        queue: QueueId,
        keys: &[DeliveryKey],
        owner: LockOwner,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.open()?;
        let slot = self.queue(queue)?;
        loop {
            match self.try_get_all(id, &slot, keys, owner, now) {
                Ok(all) => return Ok(all),
                Err(Refused::NotYet) => self.space().await,
                Err(Refused::Error(error)) => return Err(error),
            }
        }
    }

    /// Whatever refuses comes before the first message is held.
    fn try_get_all(
        &self,
        id: UnitOfWorkId,
        slot: &Arc<QueueSlot>,
        keys: &[DeliveryKey],
        owner: LockOwner,
        now: Timestamp,
    ) -> Result<bool, Refused> {
        if keys.len().saturating_mul(GET_BYTES) > unit_maximum(&self.options) / 2 {
            return Err(StoreError::NoSpace.into());
        }
        let unit = self.units.open(id)?;
        let mut unit = unit.lock();
        unit.active()?;
        self.make_room(id, &mut unit)?;
        let mut queue = slot.queue.lock();
        let find = |key: &DeliveryKey| {
            let position = Some(key.position);
            queue.find(&Selection { position, lock_owner: Some(owner), ..Selection::default() }, None, now)
        };
        let Some(found) = keys.iter().map(find).collect::<Option<Vec<Slot>>>() else { return Ok(false) };
        for message in found {
            self.hold_in_unit(id, &mut unit, slot, &mut queue, message);
        }
        Ok(true)
    }

    /// Reads a message that a unit of work holds; it may be moved in the log meanwhile, but not go away. `None`: it cannot
    /// be read back, the unit does not hold it any more, and it was set aside.
    async fn read_in_unit(
        &self,
        id: UnitOfWorkId,
        slot: &Arc<QueueSlot>,
        mut whereabouts: Whereabouts,
    ) -> Result<Option<(StoredMessage, Option<Place>)>, StoreError> {
        loop {
            let read = match whereabouts.message_in_memory() {
                Some(message) => Ok(message),
                None => Box::pin(self.read(&whereabouts)).await,
            };
            let error = match read {
                Ok(message) => {
                    let place = whereabouts.place();
                    return Ok(Some((whereabouts.stored(message), place)));
                }
                Err(error) => error,
            };
            let has_moved = {
                let queue = slot.queue.lock();
                let held = queue.slot(whereabouts.key).ok_or(StoreError::UnknownQueue)?;
                queue.entry(held).home != whereabouts.home
            };
            if has_moved {
                whereabouts = self.readable(slot, whereabouts.key).await?.ok_or(StoreError::UnknownQueue)?;
                continue;
            }
            if is_lasting(&error) {
                self.undo_get(id, slot, whereabouts.key);
                if !is_held(slot, whereabouts.key, id) {
                    self.set_aside_seen(slot, &whereabouts, &error);
                    return Ok(None);
                }
            }
            return Err(unreadable(error));
        }
    }

    /// Reads again what a unit of work has got first.
    pub(crate) async fn got_first(&self, id: UnitOfWorkId) -> Result<Option<StoredMessage>, StoreError> {
        self.open()?;
        let first = self.units.existing(id)?.and_then(|unit| {
            let unit = unit.lock();
            let work = unit.works.iter().find(|work| work.got)?;
            Some((Arc::clone(&work.queue), work.key))
        });
        let Some((slot, key)) = first else { return Ok(None) };
        let Some(whereabouts) = self.readable(&slot, key).await? else { return Ok(None) };
        let read = self.read_in_unit(id, &slot, whereabouts).await?;
        Ok(read.map(|(message, _)| message))
    }

    /// Takes one get out of a unit of work again, as if it had not been.
    fn undo_get(&self, id: UnitOfWorkId, slot: &Arc<QueueSlot>, key: Key) {
        let Ok(Some(unit)) = self.units.existing(id) else { return };
        let mut unit = unit.lock();
        let of_this = |work: &Work| work.got && work.key == key && Arc::ptr_eq(&work.queue, slot);
        let Some(index) = unit.works.iter().rposition(of_this) else { return };
        if unit.active().is_err() || matches!(unit.works[index].record, Record::Logged { .. }) {
            // Too late: its record is in the log, and the unit's outcome decides.
            return;
        }
        let work = unit.works.remove(index);
        if let Record::Staged { offset, bytes } = work.record {
            unit.unstage(offset, bytes);
        }
        let mut queue = slot.queue.lock();
        if let Some(held) = queue.slot(key).filter(|held| queue.entry(*held).holder == Holder::Got(id)) {
            queue.release(held);
        }
    }

    pub(crate) async fn prepare(&self, id: UnitOfWorkId, xid: Option<Xid>) -> Result<(), StoreError> {
        self.open()?;
        if xid.as_ref().is_some_and(|xid| !xid_fits(xid)) {
            return Err(StoreError::UnknownUnitOfWork);
        }
        loop {
            match self.try_prepare(id, xid.as_ref()) {
                Ok(place) => return self.durable(place).await,
                Err(Refused::NotYet) => self.space().await,
                Err(Refused::Error(error)) => return Err(error),
            }
        }
    }

    fn try_prepare(&self, id: UnitOfWorkId, xid: Option<&Xid>) -> Result<Option<Place>, Refused> {
        let unit = self.units.open(id)?;
        let mut unit = unit.lock();
        unit.active()?;
        let mut record = None;
        if let Some(log) = &self.log {
            let slots = unit.queues();
            let mut queues = LockedQueues::of(&slots);
            let appended = unit.append_staged(log, &mut queues, id, UnitKind::Prepared, xid)?;
            let place = appended.unit;
            let bytes = u32::try_from(appended.operations.0 - place.0).expect("a unit's head is short");
            log.lock().state.lives(place, bytes);
            record = Some((place, bytes));
        }
        unit.prepared = Some(Prepared { xid: xid.cloned(), record });
        Ok(record.map(|(place, _)| place))
    }
}

/// True while the unit of work has got the message.
fn is_held(slot: &QueueSlot, key: Key, id: UnitOfWorkId) -> bool {
    let queue = slot.queue.lock();
    queue.slot(key).is_some_and(|held| queue.entry(held).holder == Holder::Got(id))
}

/// What one look of a get under syncpoint found.
enum Held {
    Message(Whereabouts),
    TooEarly(Place),
}

/// Undoes a get under syncpoint whose future ended before it returned.
struct Undo<'a> {
    core: &'a Core,
    id: UnitOfWorkId,
    slot: &'a Arc<QueueSlot>,
    key: Key,
    armed: bool,
}

impl Drop for Undo<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.core.undo_get(self.id, self.slot, self.key);
        }
    }
}

/// Staged bytes from which on a unit of work writes parts.
const STAGED_MAXIMUM: usize = 1 << 20;
