//! Receipts: what was answered to a request under a key of the caller's choice, so that the same request again finds the answer.
//!
//! A receipt becomes durable in the record of the commit or put that it belongs to, so that both are there after a crash, or neither.
//! The value stays on disk: memory holds key, place and expiry. Receipts end by their time, or as the oldest of too many;
//! the log does not say so, and a start that finds one of those again forgets it the same way.
//!
//! Invariants
//! - A receipt is in `known` and in `by_expiry`, or in neither.
//! - Its record is live in the log exactly while it is in `known`, or for the moment between the append and its entry under the
//!   lock of the receipts.

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use hashbrown::HashMap;
use model::timestamp::Timestamp;

use crate::private::get::unreadable;
use crate::private::log::cursor::Cursor;
use crate::private::log::extent::Place;
use crate::private::log::record::{Operation, RECEIPT_HEAD_BYTES, next_operation};
use crate::private::log::writer::Log;
use crate::private::store::Core;
use crate::{RecoveryLogError, StoreError};

/// What a receipt is found by: a digest of all that makes two requests the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReceiptKey(pub [u8; 16]);

/// Made durable with a commit or a put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    pub key: ReceiptKey,
    /// Kept until then, in whole seconds.
    pub expires: Timestamp,
    /// At most `RECEIPT_MAXIMUM` bytes.
    pub value: Bytes,
}

/// Longest value of a receipt, in bytes.
pub const RECEIPT_MAXIMUM: usize = 64 << 10;

/// Seconds since 1970, until the year 2106.
type Seconds = u32;

/// All receipts of a store.
pub(crate) struct Receipts {
    known: HashMap<ReceiptKey, Known, foldhash::fast::RandomState>,
    by_expiry: BTreeSet<(Seconds, ReceiptKey)>,
    /// Values, where nothing is on disk.
    values: HashMap<ReceiptKey, Bytes, foldhash::fast::RandomState>,
    maximum: usize,
}

#[derive(Debug, Clone, Copy)]
struct Known {
    /// Of its record; meaningless where nothing is on disk.
    place: Place,
    /// Of the record, in bytes.
    bytes: u32,
    expires: Seconds,
}

/// A receipt whose record is needed no more.
pub(crate) struct Ended {
    pub(crate) place: Place,
    pub(crate) bytes: u32,
}

impl Receipts {
    pub(crate) fn new(maximum: u32) -> Self {
        Self {
            known: HashMap::default(),
            by_expiry: BTreeSet::new(),
            values: HashMap::default(),
            maximum: maximum as usize,
        }
    }

    /// Enters a receipt whose record is in the log. Returns those that end by it: one of the same key, and the ones that expire
    /// first of too many.
    pub(crate) fn enter(&mut self, key: ReceiptKey, expires: Timestamp, place: Place, bytes: u32) -> Vec<Ended> {
        let expires = seconds(expires);
        let mut ended = Vec::new();
        if let Some(old) = self.known.insert(key, Known { place, bytes, expires }) {
            self.by_expiry.remove(&(old.expires, key));
            ended.push(Ended { place: old.place, bytes: old.bytes });
        }
        self.by_expiry.insert((expires, key));
        while self.known.len() > self.maximum {
            ended.extend(self.remove_first());
        }
        ended
    }

    fn enter_value(&mut self, receipt: &Receipt) {
        self.enter(receipt.key, receipt.expires, Place::START, 0);
        // One that came when there were too many may have ended at once.
        if self.known.contains_key(&receipt.key) {
            self.values.insert(receipt.key, receipt.value.clone());
        }
    }

    fn remove_first(&mut self) -> Option<Ended> {
        let (_, key) = self.by_expiry.pop_first()?;
        self.values.remove(&key);
        self.known.remove(&key).map(|known| Ended { place: known.place, bytes: known.bytes })
    }

    fn expire(&mut self, now: Timestamp) -> Vec<Ended> {
        let now = now.0 / MICROSECONDS;
        let mut ended = Vec::new();
        while self.by_expiry.first().is_some_and(|(expires, _)| u64::from(*expires) <= now) {
            ended.extend(self.remove_first());
        }
        ended
    }

    fn find(&self, key: &ReceiptKey, now: Timestamp) -> Option<Known> {
        let known = self.known.get(key)?;
        (u64::from(known.expires) > now.0 / MICROSECONDS).then_some(*known)
    }

    /// The record of a receipt, when it is at `place`.
    pub(crate) fn record_at(&mut self, key: &ReceiptKey, place: Place) -> Option<&mut Place> {
        self.known.get_mut(key).map(|known| &mut known.place).filter(|at| **at == place)
    }

    /// Keys of those whose record is in this extent of the log, with place and length in bytes.
    pub(crate) fn in_extent(&self, sequence: u32) -> Vec<(ReceiptKey, Place, u32)> {
        let there = self.known.iter().filter(|(_, known)| known.place.extent() == sequence);
        there.map(|(key, known)| (*key, known.place, known.bytes)).collect()
    }

    /// Places of all records, with lengths in bytes, in the order of the log.
    pub(crate) fn places(&self) -> Vec<(Place, u32)> {
        let mut places: Vec<_> = self.known.values().map(|known| (known.place, known.bytes)).collect();
        places.sort_unstable();
        places
    }

    pub(crate) fn count(&self) -> usize {
        self.known.len()
    }
}

const MICROSECONDS: u64 = 1_000_000;

fn seconds(at: Timestamp) -> Seconds {
    Seconds::try_from(at.0.div_ceil(MICROSECONDS)).unwrap_or(Seconds::MAX)
}

impl Receipt {
    /// Of its record in the log, in bytes.
    pub(crate) fn record_length(&self) -> u64 {
        (RECEIPT_HEAD_BYTES + self.value.len()) as u64
    }

    /// As it goes to the log.
    pub(crate) fn record(&self) -> Vec<u8> {
        let mut record = Vec::with_capacity(RECEIPT_HEAD_BYTES + self.value.len());
        let (key, expires, crc) = (self.key, self.expires.0, crc32c::crc32c(&self.value));
        Operation::Receipt { key, expires, crc, value: &self.value }.encode(&mut record);
        record
    }
}

impl Core {
    /// The value of a receipt that has not expired. It is durable when it is returned.
    pub(crate) async fn receipt(&self, key: &ReceiptKey, now: Timestamp) -> Result<Option<Bytes>, StoreError> {
        self.open()?;
        loop {
            let known = {
                let receipts = self.receipts.lock();
                let Some(known) = receipts.find(key, now) else { return Ok(None) };
                if let Some(value) = receipts.values.get(key) {
                    return Ok(Some(value.clone()));
                }
                known
            };
            if self.log.is_none() {
                return Ok(None);
            }
            self.durable(Some(known.place)).await?;
            match self.read_receipt(*key, known).await {
                Ok(value) => return Ok(Some(value)),
                // Moved forward in the log while it was read, or ended.
                Err(_) if self.receipts.lock().record_at(key, known.place).is_none() => {}
                Err(error) => return Err(unreadable(error)),
            }
        }
    }

    async fn read_receipt(&self, key: ReceiptKey, known: Known) -> Result<Bytes, RecoveryLogError> {
        let Known { place, bytes, .. } = known;
        let record = self.read_log(place, bytes as usize).await?;
        match next_operation(&mut Cursor::new(&record)) {
            Some(Operation::Receipt { key: there, value, crc, .. }) if there == key && crc32c::crc32c(value) == crc => {
                Ok(record.slice_ref(value))
            }
            _ => Err(RecoveryLogError::Damaged { extent: u64::from(place.extent()), offset: place.offset() }),
        }
    }

    /// Enters one whose record is at `place`.
    pub(crate) fn enter_receipt(&self, receipts: &mut Receipts, receipt: &Receipt, at: Option<(Place, u32)>) {
        match (at, &self.log) {
            (Some((place, bytes)), Some(log)) => {
                log.lock().state.lives(place, bytes);
                let ended = receipts.enter(receipt.key, receipt.expires, place, bytes);
                end(log, ended);
            }
            _ => receipts.enter_value(receipt),
        }
    }

    /// Forgets those whose time has come. Returns when that is for the next one.
    pub(crate) fn expire_receipts(&self, now: Timestamp) -> Option<Timestamp> {
        let mut receipts = self.receipts.lock();
        let ended = receipts.expire(now);
        let next = receipts.by_expiry.first().map(|(expires, _)| Duration::from_secs(u64::from(*expires)));
        if let Some(log) = &self.log {
            end(log, ended);
        }
        next.map(|next| Timestamp(0).saturating_add(next))
    }
}

fn end(log: &Log, ended: Vec<Ended>) {
    if ended.is_empty() {
        return;
    }
    let mut appender = log.lock();
    for Ended { place, bytes } in ended {
        appender.state.died(place, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u8) -> ReceiptKey {
        ReceiptKey([number; 16])
    }

    fn at(seconds: u64) -> Timestamp {
        Timestamp(seconds * MICROSECONDS)
    }

    #[test]
    fn the_receipts_that_expire_first_end_when_there_are_too_many() {
        let mut receipts = Receipts::new(2);
        assert!(receipts.enter(key(1), at(30), Place::new(1, 1), 10).is_empty());
        assert!(receipts.enter(key(2), at(10), Place::new(1, 2), 20).is_empty());
        let ended = receipts.enter(key(3), at(20), Place::new(1, 3), 30);
        assert_eq!(ended.iter().map(|ended| ended.bytes).collect::<Vec<_>>(), [20]);
        assert!(receipts.find(&key(2), at(0)).is_none());
        assert!(receipts.find(&key(1), at(29)).is_some() && receipts.find(&key(1), at(30)).is_none());
    }

    #[test]
    fn a_receipt_of_the_same_key_takes_the_place_of_the_first() {
        let mut receipts = Receipts::new(9);
        receipts.enter(key(1), at(30), Place::new(1, 1), 10);
        let ended = receipts.enter(key(1), at(40), Place::new(1, 2), 20);
        assert_eq!(ended.iter().map(|ended| ended.bytes).collect::<Vec<_>>(), [10]);
        assert_eq!(receipts.expire(at(30)).len(), 0);
        assert_eq!(receipts.expire(at(40)).len(), 1);
        assert_eq!((receipts.count(), receipts.by_expiry.len()), (0, 0));
    }
}
