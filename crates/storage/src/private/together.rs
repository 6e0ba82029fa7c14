//! Committing several units of work as one: for a moment one of them has the work of all.
//!
//! Only one of them may have parts in the log, because the log has one outcome for each unit of work. What the others have is
//! staged in memory, and goes into the record of that one's commit.
//!
//! Invariant: refused, each unit of work has again what it had. Those that were joined stay so: they have parts in databases too, and end
//! with what a database decides.

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use crate::private::log::append::Refused;
use crate::private::log::extent::Place;
use crate::private::outcome::Outcome;
use crate::private::receipts::{RECEIPT_MAXIMUM, Receipt};
use crate::private::store::Core;
use crate::private::unit_of_work::{Record, UnitOfWork};
use crate::{StoreError, UnitOfWorkId};

type Shared = (UnitOfWorkId, Arc<Mutex<UnitOfWork>>);

impl Core {
    pub(crate) async fn commit_together(
        &self,
        ids: &[UnitOfWorkId],
        receipt: Option<&Receipt>,
    ) -> Result<(), StoreError> {
        self.open()?;
        assert!(receipt.is_none_or(|receipt| receipt.value.len() <= RECEIPT_MAXIMUM), "values of receipts are bounded");
        let units = self.existing(ids)?;
        if units.is_empty() && receipt.is_none() {
            return Ok(());
        }
        let place = loop {
            match self.try_commit_together(&units, receipt) {
                Ok(place) => break place,
                Err(Refused::NotYet) => {}
                Err(Refused::Error(error)) => return Err(error),
            }
            self.space().await;
        };
        for (id, _) in &units {
            self.units.close(*id);
        }
        self.durable(place).await
    }

    /// One of these units of work has the work of all, and the others are over. Answers it; `None`: none has any.
    pub(crate) fn join(&self, ids: &[UnitOfWorkId]) -> Result<Option<UnitOfWorkId>, StoreError> {
        let units = self.existing(ids)?;
        let mut locked: Vec<(UnitOfWorkId, MutexGuard<'_, UnitOfWork>)> =
            units.iter().map(|(id, unit)| (*id, unit.lock())).collect();
        if locked.is_empty() {
            return Ok(None);
        }
        let (id, mut main) = locked.swap_remove(main_of(&locked)?);
        for (other, mut unit) in locked {
            main.absorb(&mut unit);
            unit.end(None);
            drop(unit);
            self.units.close(other);
        }
        Ok(Some(id))
    }

    /// Those that have done something, in the order of locking.
    fn existing(&self, ids: &[UnitOfWorkId]) -> Result<Vec<Shared>, StoreError> {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ids.dedup();
        let mut units: Vec<Shared> = Vec::with_capacity(ids.len());
        for id in ids {
            if let Some(unit) = self.units.existing(id)? {
                units.push((id, unit));
            }
        }
        Ok(units)
    }

    fn try_commit_together(&self, units: &[Shared], receipt: Option<&Receipt>) -> Result<Option<Place>, Refused> {
        let mut locked: Vec<(UnitOfWorkId, MutexGuard<'_, UnitOfWork>)> =
            units.iter().map(|(id, unit)| (*id, unit.lock())).collect();
        let first = main_of(&locked)?;
        let mut alone = UnitOfWork::new();
        let (id, mut main) = match locked.is_empty() {
            true => (UnitOfWorkId(0), None),
            false => {
                let (id, main) = locked.swap_remove(first);
                (id, Some(main))
            }
        };
        let main = main.as_deref_mut().unwrap_or(&mut alone);
        self.promise(main, receipt)?;
        let shares: Vec<Share> = locked.iter_mut().map(|(_, other)| main.absorb(other)).collect();
        let committed = self.try_end(id, main, Outcome::Commit, receipt);
        if committed.is_err() {
            for ((_, other), share) in locked.iter_mut().zip(shares).rev() {
                main.give_back(other, share);
            }
            self.withdraw_promise(main, receipt);
            return committed;
        }
        for (_, other) in &mut locked {
            other.end(None);
        }
        committed
    }

    /// A receipt grows the log as a put does, so it must not take what is kept for gets and outcomes.
    fn promise(&self, unit: &mut UnitOfWork, receipt: Option<&Receipt>) -> Result<(), Refused> {
        let (Some(log), Some(receipt)) = (&self.log, receipt) else { return Ok(()) };
        let bytes = receipt.record_length();
        log.lock().reserve(bytes)?;
        unit.reserved += bytes;
        Ok(())
    }

    fn withdraw_promise(&self, unit: &mut UnitOfWork, receipt: Option<&Receipt>) {
        let (Some(log), Some(receipt)) = (&self.log, receipt) else { return };
        let bytes = receipt.record_length();
        log.lock().state.unreserve(bytes);
        unit.reserved -= bytes;
    }
}

/// Which of them has the work of all for a moment.
fn main_of(units: &[(UnitOfWorkId, MutexGuard<'_, UnitOfWork>)]) -> Result<usize, StoreError> {
    let mut in_log = units.iter().enumerate().filter(|(_, (_, unit))| unit.in_log).map(|(index, _)| index);
    let first = in_log.next().unwrap_or(0);
    if in_log.next().is_some() || units.iter().any(|(_, unit)| unit.active().is_err()) {
        return Err(StoreError::UnknownUnitOfWork);
    }
    Ok(first)
}

/// What a unit of work took over from another one.
struct Share {
    works: usize,
    reserved: u64,
}

impl UnitOfWork {
    fn absorb(&mut self, other: &mut Self) -> Share {
        let share = Share { works: other.works.len(), reserved: other.reserved };
        let behind = self.staged.len();
        self.staged.append(&mut other.staged);
        self.works.extend(other.works.drain(..).map(|mut work| {
            if let Record::Staged { offset, .. } = &mut work.record {
                *offset += behind;
            }
            work
        }));
        self.reserved += std::mem::take(&mut other.reserved);
        share
    }

    /// Undoes `absorb`; the shares go back in the reverse order.
    fn give_back(&mut self, other: &mut Self, share: Share) {
        let mut works = self.works.split_off(self.works.len() - share.works);
        // Bytes that were staged for a queue that was dropped meanwhile are gone: the records say where those of the others begin.
        let offsets = works.iter_mut().filter_map(|work| match &mut work.record {
            Record::Staged { offset, .. } => Some(offset),
            Record::None | Record::Logged { .. } => None,
        });
        let offsets: Vec<&mut usize> = offsets.collect();
        let behind = offsets.iter().map(|offset| **offset).min().unwrap_or(self.staged.len());
        offsets.into_iter().for_each(|offset| *offset -= behind);
        other.staged = self.staged.split_off(behind);
        other.works = works;
        self.reserved -= share.reserved;
        other.reserved = share.reserved;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::QueueId;
    use crate::private::message_count::MessageCounts;
    use crate::private::queue::{Key, Queue};
    use crate::private::store::QueueSlot;
    use crate::private::unit_of_work::Work;

    fn unit(slot: &Arc<QueueSlot>, records: &[&[u8]]) -> UnitOfWork {
        let mut unit = UnitOfWork::new();
        for record in records {
            let staged = unit.stage(&[record]);
            unit.works.push(Work {
                queue: Arc::clone(slot),
                key: Key(u64::from(record[0])),
                got: true,
                record: staged,
            });
            unit.reserved += 1;
        }
        unit
    }

    /// Key, record and reserved bytes of all its work.
    fn described(unit: &UnitOfWork) -> (Vec<(u64, Vec<u8>)>, u64) {
        let of = |work: &Work| {
            let Record::Staged { offset, bytes } = work.record else { return (work.key.0, Vec::new()) };
            (work.key.0, unit.staged[offset..offset + bytes as usize].to_vec())
        };
        (unit.works.iter().map(of).collect(), unit.reserved)
    }

    #[test]
    fn a_refused_commit_leaves_each_unit_of_work_what_it_had() {
        let counts = MessageCounts::default();
        let slot = QueueSlot::new(QueueId(1), Queue::new(counts.of(QueueId(1))));
        let mut main = unit(&slot, &[b"a", b"bb"]);
        let mut second = unit(&slot, &[b"ccc"]);
        let mut nonpersistent = unit(&slot, &[]);
        let (key, record) = (Key(7), Record::None);
        nonpersistent.works.push(Work { queue: Arc::clone(&slot), key, got: true, record });
        let mut third = unit(&slot, &[b"d", b"eeee"]);
        let before = [&main, &second, &nonpersistent, &third].map(described);
        let shares = [main.absorb(&mut second), main.absorb(&mut nonpersistent), main.absorb(&mut third)];
        assert_eq!(described(&main).0.len(), 6);
        assert_eq!(main.staged, b"abbcccdeeee");
        // The queue of one record was dropped meanwhile.
        let dropped = main.works.iter().position(|work| work.key.0 == u64::from(b'd')).expect("it is there");
        let Record::Staged { offset, bytes } = main.works[dropped].record else { panic!("it is staged") };
        main.works[dropped].record = Record::None;
        main.unstage(offset, bytes);
        let others = [&mut second, &mut nonpersistent, &mut third];
        for (other, share) in others.into_iter().zip(shares).rev() {
            main.give_back(other, share);
        }
        let mut expected = before;
        expected[3].0[0].1.clear();
        assert_eq!([&main, &second, &nonpersistent, &third].map(described), expected);
    }
}
