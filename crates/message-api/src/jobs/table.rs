//! The jobs of one start of a queue manager: as many as there are slots for records.

use std::sync::Arc;

use model::reason::Reason;
use model::timestamp::Timestamp;
use queue_manager::QueueManager;

use super::record::{Record, State, key};
use super::trail::Trail;
use super::{Job, SLOTS};

pub(super) struct Table {
    queue_manager: QueueManager,
    slots: Vec<Option<Arc<Job>>>,
}

impl Table {
    /// What earlier starts have left.
    ///
    /// # Errors
    /// The queue manager does not run.
    pub(super) async fn read(queue_manager: &QueueManager) -> Result<Self, Reason> {
        let mut slots = Vec::with_capacity(SLOTS);
        for slot in 0..SLOTS {
            let value = queue_manager.receipt(&key(slot)).await?;
            let record = value.and_then(|value| Record::read(&value));
            slots.push(record.map(|record| Arc::new(Job::new(slot, record, None))));
        }
        Ok(Self { queue_manager: queue_manager.clone(), slots })
    }

    pub(super) fn is_of(&self, queue_manager: &QueueManager) -> bool {
        self.queue_manager.is_same(queue_manager)
    }

    /// Those that are remembered.
    pub(super) fn jobs(&mut self, now: Timestamp) -> Vec<Arc<Job>> {
        self.forget(now);
        self.slots.iter().flatten().cloned().collect()
    }

    /// Of this user; `None`: of all.
    pub(super) fn running(&self, user: Option<&str>) -> usize {
        let is_one = |job: &Job| {
            let record = job.record.lock();
            record.state == State::Running && user.is_none_or(|user| record.user == user)
        };
        self.slots.iter().flatten().filter(|job| is_one(job)).count()
    }

    /// In a free slot, or in that of the job that began first of those that are over.
    pub(super) fn enter(&mut self, record: Record, trail: Option<Arc<Trail>>, now: Timestamp) -> Option<Arc<Job>> {
        self.forget(now);
        let oldest = |(slot, job): (usize, &Option<Arc<Job>>)| {
            let Some(job) = job else { return Some((None, slot)) };
            let record = job.record.lock();
            (record.state != State::Running).then_some((Some(record.started), slot))
        };
        let (_, slot) = self.slots.iter().enumerate().filter_map(oldest).min()?;
        let job = Arc::new(Job::new(slot, record, trail));
        self.slots[slot] = Some(Arc::clone(&job));
        Some(job)
    }

    fn forget(&mut self, now: Timestamp) {
        for slot in &mut self.slots {
            slot.take_if(|job| job.record.lock().is_forgotten(now));
        }
    }
}
