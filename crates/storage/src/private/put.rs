//! Putting a message: outside a unit of work here, with the receipt of its answer if it has one; under syncpoint in `syncpoint.rs`.

use model::message::Message;
use model::timestamp::Timestamp;
use std::sync::atomic::Ordering;

use crate::private::content::Incoming;
use crate::private::log::append::{Class, Refused};
use crate::private::log::cursor::length_field;
use crate::private::log::extent::Place;
use crate::private::log::record::{PutRecord, UNIT_HEADER_BYTES, UnitKind, unit_head};
use crate::private::queue::{Holder, Home, Key, Queue};
use crate::private::receipts::{RECEIPT_MAXIMUM, Receipt};
use crate::private::store::{Core, QueueSlot};
use crate::{Placement, Position, PutOutcome, QueueId, StoreError, UnitOfWorkId};

/// Makes the receipt of a put, whose answer says where the message is. Asked under the queue's lock, perhaps more than once.
pub type ReceiptOfPut<'a> = dyn Fn(Position) -> Receipt + Send + Sync + 'a;

/// What a put is durable and visible with.
#[derive(Clone, Copy)]
pub(crate) enum Manner<'a> {
    Alone,
    WithReceipt(&'a ReceiptOfPut<'a>),
    InUnit(UnitOfWorkId),
}

/// Where what a put has written is in the log.
#[derive(Default)]
struct Logged {
    unit: Option<Place>,
    home: Option<Home>,
    receipt: Option<(Place, u32)>,
}

impl Core {
    pub(crate) async fn put(
        &self,
        manner: Manner<'_>,
        queue: QueueId,
        message: &Message,
        placement: &Placement,
        now: Timestamp,
    ) -> Result<PutOutcome, StoreError> {
        self.open()?;
        let slot = self.queue(queue)?;
        let admitted = self.admit()?;
        let apart = self.set_apart(&message.body, placement).await?;
        let mut incoming = Incoming::new(admitted, message, placement, apart, now).await?;
        loop {
            let attempt = match manner {
                Manner::Alone => self.try_put(&slot, &mut incoming, placement.maximum_depth, None),
                Manner::WithReceipt(receipt) => {
                    self.try_put(&slot, &mut incoming, placement.maximum_depth, Some(receipt))
                }
                Manner::InUnit(unit) => {
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
        receipt: Option<&ReceiptOfPut<'_>>,
    ) -> Result<(PutOutcome, Option<Place>), Refused> {
        let mut queue = slot.queue.lock();
        let (key, depth_before) = self.next_key(&queue, incoming.rank, maximum_depth)?;
        let receipt = receipt.map(|receipt| receipt(key.position()));
        // From before the append until it is entered: no record is moved between them.
        let mut receipts = receipt.as_ref().map(|receipt| (receipt, self.receipts.lock()));
        let logged = self.log_put(slot.id, key, incoming, receipt.as_ref())?;
        queue.insert(incoming.enter(key, logged.home, Holder::Nobody));
        if let Some((receipt, receipts)) = &mut receipts {
            self.enter_receipt(receipts, receipt, logged.receipt);
        }
        Ok((PutOutcome { key: key.delivery_key(), depth_before }, logged.unit))
    }

    /// Appends what has to be durable: one unit of the message, if it is persistent, and the receipt.
    fn log_put(
        &self,
        queue: QueueId,
        key: Key,
        incoming: &Incoming<'_>,
        receipt: Option<&Receipt>,
    ) -> Result<Logged, Refused> {
        let Some(log) = self.log.as_ref().filter(|_| incoming.logged || receipt.is_some()) else {
            return Ok(Logged::default());
        };
        assert!(receipt.is_none_or(|receipt| receipt.value.len() <= RECEIPT_MAXIMUM), "values of receipts are bounded");
        let put = incoming.logged.then(|| incoming.record(queue, key));
        let put_bytes = put.as_ref().map_or(0, PutRecord::record_length);
        let receipt_record = receipt.map(Receipt::record).unwrap_or_default();
        let head = unit_head(UnitKind::Complete, UnitOfWorkId(0), None, put_bytes + receipt_record.len());
        let put_head = put.as_ref().map(|put| put.head(false));
        let pieces = [
            head.as_bytes(),
            put_head.as_ref().map_or(&[], |head| &head[..]),
            put.as_ref().map_or(&[], |put| put.content),
            &receipt_record,
        ];
        let mut appender = log.lock();
        let unit = appender.append(Class::Growing, &pieces)?;
        let at = unit.plus(UNIT_HEADER_BYTES);
        let home = put.map(|_| {
            let bytes = length_field(put_bytes);
            appender.state.lives(at, bytes);
            Home::Log { place: at, bytes }
        });
        let receipt = receipt.map(|_| (at.plus(put_bytes), length_field(receipt_record.len())));
        Ok(Logged { unit: Some(unit), home, receipt })
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
