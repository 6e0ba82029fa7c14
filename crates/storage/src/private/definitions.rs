//! Definitions, and what is done to whole queues: dropping and clearing.
//!
//! The messages of a queue are gone with one record of the log and one look at the queue. What each of them holds in memory
//! and in the log is released afterwards: of a long queue by another thread, a slice at a time, because the log is locked
//! for it.

use std::sync::Arc;

use hashbrown::HashMap;
use parking_lot::MutexGuard;

use crate::private::log::append::{Class, Refused};
use crate::private::log::extent::Place;
use crate::private::log::failure::FailsOnPanic;
use crate::private::log::record::{Operation, UNIT_HEADER_BYTES, UnitKind, unit_head};
use crate::private::log::writer::Log;
use crate::private::queue::{Emptied, Entry, Queue};
use crate::private::store::{Core, QueueSlot};
use crate::{DefinitionChange, QueueId, StoreError, UnitOfWorkId};

/// Most messages that are released before others have their turn with the log.
const SLICE: usize = 256;

/// Where the newest record of each definition is; the values stay on disk.
#[derive(Default)]
pub(crate) struct Definitions {
    records: HashMap<String, (Place, u32), foldhash::fast::RandomState>,
}

impl Definitions {
    pub(crate) fn set(&mut self, key: String, place: Place, bytes: u32) -> Option<(Place, u32)> {
        self.records.insert(key, (place, bytes))
    }

    /// Keys of those whose record is in this extent of the log, with place and length in bytes.
    pub(crate) fn in_extent(&self, sequence: u32) -> Vec<(String, Place, u32)> {
        let there = self.records.iter().filter(|(_, (place, _))| place.extent() == sequence);
        there.map(|(key, (place, bytes))| (key.clone(), *place, *bytes)).collect()
    }

    /// The record of a definition, when it lies at `place`.
    pub(crate) fn record_at(&mut self, key: &str, place: Place) -> Option<&mut (Place, u32)> {
        self.records.get_mut(key).filter(|(at, _)| *at == place)
    }
}

/// Changes of definitions that are in the log.
#[must_use = "they may not be durable yet"]
pub struct AppendedDefinitions(pub(crate) Option<Place>);

impl Core {
    pub(crate) async fn append_definitions(
        self: &Arc<Self>,
        changes: &[DefinitionChange],
    ) -> Result<AppendedDefinitions, StoreError> {
        self.open()?;
        loop {
            match self.try_change(changes) {
                Ok(place) => return Ok(AppendedDefinitions(place)),
                Err(Refused::NotYet) => self.space().await,
                Err(Refused::Error(error)) => return Err(error),
            }
        }
    }

    fn try_change(self: &Arc<Self>, changes: &[DefinitionChange]) -> Result<Option<Place>, Refused> {
        let mut definitions = self.definitions.lock();
        let slots = self.dropped_queues(changes);
        let mut queues: Vec<MutexGuard<'_, Queue>> = slots.iter().map(|slot| slot.queue.lock()).collect();
        let place = match &self.log {
            Some(log) => Some(append_changes(log, &mut definitions, changes)?),
            None => None,
        };
        for queue in &mut queues {
            queue.dropped = true;
            self.forget_all(queue, place);
        }
        drop(queues);
        let mut known = self.queues.write();
        for slot in &slots {
            known.remove(&slot.id);
        }
        Ok(place)
    }

    /// The queues that are there and to be dropped, in the order of locking.
    fn dropped_queues(&self, changes: &[DefinitionChange]) -> Vec<Arc<QueueSlot>> {
        let mut ids: Vec<QueueId> = changes
            .iter()
            .filter_map(|change| match change {
                DefinitionChange::DropQueue(id) => Some(*id),
                DefinitionChange::Save { .. } | DefinitionChange::Delete { .. } => None,
            })
            .collect();
        ids.sort_unstable();
        ids.dedup();
        ids.into_iter().filter_map(|id| self.queue(id).ok()).collect()
    }

    /// Empties a queue in memory, and says how many messages went; `place` is where the log says so.
    fn forget_all(self: &Arc<Self>, queue: &mut Queue, place: Option<Place>) -> u32 {
        let emptied = queue.empty();
        let count = emptied.len();
        let left = Left { core: Arc::clone(self), emptied: Some(emptied), place: place.unwrap_or(Place::START) };
        if count > self.options.large_unit_messages {
            // Refused, it is dropped, and with it the messages are released here.
            let _ = self.outcomes.post(move || drop(left));
        }
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    fn forget_slice(&self, entries: impl Iterator<Item = Entry>, place: Place) -> bool {
        let mut appender = self.log.as_ref().map(|log| log.lock());
        let mut count = 0;
        for entry in entries.take(SLICE) {
            self.forget(&entry, appender.as_mut(), place);
            count += 1;
        }
        if let Some(appender) = &mut appender {
            appender.wake_keeper();
        }
        count == SLICE
    }

    pub(crate) async fn clear(self: &Arc<Self>, queue: QueueId) -> Result<u32, StoreError> {
        self.open()?;
        let slot = self.queue(queue)?;
        loop {
            match self.try_clear(&slot) {
                Ok((count, place)) => {
                    self.durable(place).await?;
                    return Ok(count);
                }
                Err(Refused::NotYet) => self.space().await,
                Err(Refused::Error(error)) => return Err(error),
            }
        }
    }

    fn try_clear(self: &Arc<Self>, slot: &QueueSlot) -> Result<(u32, Option<Place>), Refused> {
        let mut queue = slot.queue.lock();
        if queue.dropped {
            return Err(StoreError::UnknownQueue.into());
        }
        if queue.has_held() {
            return Err(StoreError::Uncommitted.into());
        }
        if queue.len() == 0 && queue.quarantine().len() == 0 {
            return Ok((0, None));
        }
        let place = match &self.log {
            Some(log) => {
                let mut record = Vec::new();
                Operation::ClearQueue(slot.id).encode(&mut record);
                let head = unit_head(UnitKind::Complete, UnitOfWorkId(0), None, record.len());
                Some(log.lock().append(Class::Essential, &[head.as_bytes(), &record])?)
            }
            None => None,
        };
        Ok((self.forget_all(&mut queue, place), place))
    }
}

/// What messages that are gone still hold in memory and in the log: released when this is dropped, on whichever thread that is.
struct Left {
    core: Arc<Core>,
    emptied: Option<Emptied>,
    /// Where the log says that they are gone.
    place: Place,
}

impl Drop for Left {
    fn drop(&mut self) {
        let Some(emptied) = self.emptied.take() else { return };
        let _guard = self.core.log.as_deref().map(FailsOnPanic);
        let mut entries = emptied.into_entries();
        while self.core.forget_slice(&mut entries, self.place) {}
    }
}

/// Appends all changes as one unit and keeps the records' places.
fn append_changes(log: &Log, definitions: &mut Definitions, changes: &[DefinitionChange]) -> Result<Place, Refused> {
    let mut records = Vec::new();
    let mut starts = Vec::with_capacity(changes.len());
    let mut class = Class::Essential;
    for change in changes {
        starts.push(records.len());
        match change {
            DefinitionChange::Save { key, value } => {
                class = Class::Growing;
                Operation::SaveDefinition { key, value, crc: crc32c::crc32c(value) }.encode(&mut records);
            }
            DefinitionChange::Delete { key } => Operation::DeleteDefinition { key }.encode(&mut records),
            DefinitionChange::DropQueue(id) => Operation::DropQueue(*id).encode(&mut records),
        }
    }
    let head = unit_head(UnitKind::Complete, UnitOfWorkId(0), None, records.len());
    let mut appender = log.lock();
    let unit = appender.append(class, &[head.as_bytes(), &records])?;
    let ends = starts.iter().skip(1).copied().chain([records.len()]);
    for ((change, start), end) in changes.iter().zip(&starts).zip(ends) {
        let place = unit.plus(UNIT_HEADER_BYTES + start);
        let bytes = u32::try_from(end - start).expect("append takes no unit longer than an extent");
        let old = match change {
            DefinitionChange::Save { key, .. } => {
                appender.state.lives(place, bytes);
                definitions.set(key.clone(), place, bytes)
            }
            DefinitionChange::Delete { key } => definitions.records.remove(key),
            DefinitionChange::DropQueue(_) => None,
        };
        if let Some((place, bytes)) = old {
            appender.state.died(place, bytes);
        }
    }
    Ok(unit)
}
