//! Putting a message, outside a unit of work.

use model::message::Message;
use model::timestamp::Timestamp;
use std::sync::atomic::Ordering;

use crate::private::content::Incoming;
use crate::private::log::append::{Class, Refused};
use crate::private::log::extent::Place;
use crate::private::log::record::{UNIT_HEADER_BYTES, UnitKind, unit_head};
use crate::private::queue::{Holder, Home, Key, Queue};
use crate::private::store::{Core, QueueSlot};
use crate::{Placement, Position, PutOutcome, QueueId, StoreError, UnitOfWorkId};

impl Core {
    pub(crate) async fn put(
        &self,
        unit: Option<UnitOfWorkId>,
        queue: QueueId,
        message: &Message,
        placement: &Placement,
        now: Timestamp,
    ) -> Result<PutOutcome, StoreError> {
        self.open()?;
        let slot = self.queue(queue)?;
        let apart = self.set_apart(&message.body, placement).await?;
        let mut incoming = Incoming::new(self, message, placement, apart, now).await?;
        loop {
            let attempt = match unit {
                None => self.try_put(&slot, &mut incoming, placement.maximum_depth),
                Some(unit) => {
                    let outcome = self.try_put_in_unit(unit, &slot, &mut incoming, placement.maximum_depth);
                    outcome.map(|outcome| (outcome, None))
                }
            };
            match attempt {
                Ok((outcome, place)) => {
                    self.durable(place).await?;
                    return Ok(outcome);
                }
                Err(Refused::NotYet) => self.space().await,
                Err(Refused::Error(error)) => return Err(error),
            }
        }
    }

    fn try_put(
        &self,
        slot: &QueueSlot,
        incoming: &mut Incoming<'_>,
        maximum_depth: u32,
    ) -> Result<(PutOutcome, Option<Place>), Refused> {
        let mut queue = slot.queue.lock();
        let (key, depth_before) = self.next_key(&queue, incoming.rank, maximum_depth)?;
        let mut place = None;
        let mut home = None;
        if let Some(log) = self.log.as_ref().filter(|_| incoming.logged) {
            let record = incoming.record(slot.id, key);
            let bytes = record.record_length();
            let head = unit_head(UnitKind::Complete, UnitOfWorkId(0), None, bytes);
            let mut appender = log.lock();
            let unit = appender.append(Class::Growing, &[head.as_bytes(), &record.head(false), record.content])?;
            let bytes = u32::try_from(bytes).expect("append takes no unit longer than an extent");
            let at = unit.plus(UNIT_HEADER_BYTES);
            appender.state.lives(at, bytes);
            place = Some(unit);
            home = Some(Home::Log { place: at, bytes });
        }
        queue.insert(incoming.enter(key, home, Holder::Nobody));
        Ok((PutOutcome { key: key.delivery_key(), depth_before }, place))
    }

    /// The key of the message that enters now, under the queue's lock, and how many are there before it.
    pub(crate) fn next_key(&self, queue: &Queue, rank: u8, maximum_depth: u32) -> Result<(Key, u32), StoreError> {
        if queue.dropped {
            return Err(StoreError::UnknownQueue);
        }
        let depth = u32::try_from(queue.len()).unwrap_or(u32::MAX);
        if depth >= maximum_depth {
            return Err(StoreError::QueueFull { maximum_depth });
        }
        let position = Position(self.next_position.fetch_add(1, Ordering::Relaxed));
        Ok((Key::new(rank, position), depth))
    }
}
