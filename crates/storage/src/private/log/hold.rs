//! Holding the log, so that a backup can copy it while it goes on: nothing that is in it is freed or removed meanwhile.
//!
//! A full disk ends every hold, because freeing is the way out of it. Whoever holds the log asks at the end whether the
//! hold still stands, and throws the copy away if not.

use std::sync::Arc;

use crate::private::log::append::{Class, Refused, State};
use crate::private::log::extent::Place;
use crate::private::log::record::{UnitKind, unit_head};
use crate::private::log::writer::Log;
use crate::{StoreError, UnitOfWorkId};

/// The holds of one log.
#[derive(Default)]
pub(crate) struct Holds {
    standing: u32,
    /// How often all holds were ended together.
    ended: u64,
}

impl Holds {
    pub(crate) fn any(&self) -> bool {
        self.standing > 0
    }
}

impl State {
    /// The log has no space: what is held has to go. The keeper frees it.
    pub(crate) fn end_holds(&mut self) {
        if self.holds.any() {
            tracing::warn!("the recovery log has no space left: the backup that runs is given up");
            self.holds.standing = 0;
            self.holds.ended += 1;
            self.keeper_work = true;
        }
    }
}

/// From the oldest extent to the end of a durable batch: what a start would find there is the state at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// Number of the extent.
    pub oldest: u32,
    /// Extent in the upper four bytes, offset in the lower four.
    pub end: u64,
}

/// The log up to `point` stays as it is, until this value is dropped.
pub struct Held {
    log: Arc<Log>,
    ended: u64,
    point: Point,
}

impl Held {
    /// # Errors
    /// As an append's; `LogFailed` also when the sync failed.
    pub(crate) async fn new(log: &Arc<Log>) -> Result<Self, StoreError> {
        let (mut held, place) = loop {
            match Self::begin(log) {
                Ok(begun) => break begun,
                Err(Refused::NotYet) => log.space().await,
                Err(Refused::Error(error)) => return Err(error),
            }
        };
        // What was freed before the hold is said in batches up to this place; since then nothing is freed.
        log.durable(place).await?;
        held.point.end = log.durable_up_to().0;
        Ok(held)
    }

    fn begin(log: &Arc<Log>) -> Result<(Self, Place), Refused> {
        let mut appender = log.lock();
        let nothing = unit_head(UnitKind::Complete, UnitOfWorkId(0), None, 0);
        let place = appender.append(Class::Essential, &[nothing.as_bytes()])?;
        let state = &mut *appender.state;
        state.holds.standing += 1;
        let point = Point { oldest: state.oldest(), end: place.0 };
        Ok((Self { log: Arc::clone(log), ended: state.holds.ended, point }, place))
    }

    pub fn point(&self) -> Point {
        self.point
    }

    /// False once the disk was full, or the log has ended: what was copied may lack something.
    pub fn stands(&self) -> bool {
        self.log.closed_error().is_none() && self.log.state.lock().holds.ended == self.ended
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut appender = self.log.lock();
        if appender.state.holds.ended == self.ended {
            appender.state.holds.standing -= 1;
        }
        appender.wake_keeper();
    }
}
