//! Discarding what has expired, a bounded number of messages at a time.
//!
//! Their contents are needed for reports. All messages of one call are held, read and removed, or none is.

use std::collections::VecDeque;

use model::message::Message;
use model::timestamp::Timestamp;

use crate::private::get::Reading;
use crate::private::log::append::{Class, Refused};
use crate::private::log::extent::Place;
use crate::private::log::record::{GET_BYTES, UnitKind, get_record, unit_head};
use crate::private::read_back::Whereabouts;
use crate::private::store::{Core, QueueSlot};
use crate::{QueueId, StoreError, StoredMessage, UnitOfWorkId};

/// Most messages that one `discard_expired` removes.
const MESSAGES_MAXIMUM: usize = 256;
/// Most bytes of bodies that one `discard_expired` reads, unless a single one is longer.
const BYTES_MAXIMUM: u64 = 8 << 20;

/// A held message and its content.
type Read<'a> = (Reading<'a>, Box<Message>);

impl Core {
    pub(crate) async fn discard_expired(
        &self,
        queue: QueueId,
        now: Timestamp,
        gone: &mut VecDeque<StoredMessage>,
    ) -> Result<(), StoreError> {
        self.open()?;
        let slot = self.queue(queue)?;
        loop {
            let (held, too_early) = self.hold_expired(&slot, now);
            if let (Some(place), true) = (too_early, held.is_empty()) {
                self.durable(Some(place)).await?;
                continue;
            }
            let Some(mut expired) = self.read_expired(held).await? else { continue };
            let place = loop {
                match self.try_discard(&slot, &mut expired, gone) {
                    Ok(place) => break place,
                    Err(Refused::NotYet) => self.space().await,
                    Err(Refused::Error(error)) => return Err(error),
                }
            };
            return self.durable(place).await;
        }
    }

    /// Holds expired messages up to the bounds, or up to one that has to be read back but is not on disk yet.
    fn hold_expired<'a>(&self, slot: &'a QueueSlot, now: Timestamp) -> (Vec<Reading<'a>>, Option<Place>) {
        let mut queue = slot.queue.lock();
        let mut held = Vec::new();
        let mut bytes = 0;
        while held.len() < MESSAGES_MAXIMUM {
            let Some(expired) = queue.expired(now) else { break };
            let entry = queue.entry(expired);
            bytes += u64::from(entry.body_bytes);
            if bytes > BYTES_MAXIMUM && !held.is_empty() {
                break;
            }
            if let Some(place) = self.too_early(entry) {
                return (held, Some(place));
            }
            held.push(Reading::hold(slot, &mut queue, expired));
        }
        (held, None)
    }

    /// `None`: one that cannot be read back was set aside, and the others are available again.
    async fn read_expired<'a>(&self, held: Vec<Reading<'a>>) -> Result<Option<Vec<Read<'a>>>, StoreError> {
        let mut expired = Vec::with_capacity(held.len());
        for mut reading in held {
            let Some(message) = self.read_held(&mut reading).await? else { return Ok(None) };
            expired.push((reading, message));
        }
        Ok(Some(expired))
    }

    /// Removes the messages, and adds them to those that are gone. Returns where the log says so.
    fn try_discard(
        &self,
        slot: &QueueSlot,
        expired: &mut Vec<Read<'_>>,
        gone: &mut VecDeque<StoredMessage>,
    ) -> Result<Option<Place>, Refused> {
        let mut queue = slot.queue.lock();
        if queue.dropped {
            return Err(StoreError::UnknownQueue.into());
        }
        let logged = |reading: &Reading<'_>| {
            let held = queue.slot(reading.key)?;
            queue.entry(held).persistent.then(|| get_record(slot.id, reading.key))
        };
        let records: Vec<[u8; GET_BYTES]> = expired.iter().filter_map(|(reading, _)| logged(reading)).collect();
        let records = records.as_flattened();
        let mut appender = self.log.as_ref().map(|log| log.lock());
        let place = match &mut appender {
            Some(appender) if !records.is_empty() => {
                let head = unit_head(UnitKind::Complete, UnitOfWorkId(0), None, records.len());
                Some(appender.append(Class::Essential, &[head.as_bytes(), records])?)
            }
            _ => None,
        };
        for (mut reading, message) in expired.drain(..) {
            let held = queue.slot(reading.key).expect("a held message stays while its queue is there");
            let entry = queue.remove(held);
            reading.is_over = true;
            self.forget(&entry, appender.as_mut(), place.unwrap_or(Place::START));
            gone.push_back(Whereabouts::from_removed(slot.id, entry).stored(message));
        }
        Ok(place)
    }
}
