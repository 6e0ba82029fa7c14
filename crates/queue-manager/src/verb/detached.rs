//! Units of work off their connection: what a program got or put, to be committed or backed out later, alone or with others.
//!
//! For doors whose programs have no connection between two calls. The unit of work stays what it is for the store; only the
//! connection that began it is free for another one. The queue manager keeps what follows its end (waiters, triggers).
//!
//! Invariants
//! - A detached unit of work is in `Engine::detached`, or in the hands of the one call that ends it.
//! - It is backed out when its handle is dropped and when the queue manager ends.

use std::sync::Arc;

use bytes::Bytes;
use model::message::Message;
use model::reason::Reason;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use storage::{Receipt, ReceiptKey, StoreError, UnitOfWorkId};

use crate::QueueManager;
use crate::engine::Engine;
use crate::engine::housekeeping::Work;
use crate::engine::map::Map;
use crate::queue::expiry;
use crate::reason;
use crate::verb::connection::Connection;
use crate::verb::unit_of_work::{self, OpenUnit};

/// Those of one queue manager.
#[derive(Default)]
pub(crate) struct DetachedUnits {
    units: Mutex<Map<UnitOfWorkId, OpenUnit>>,
}

impl DetachedUnits {
    fn keep(&self, unit: OpenUnit) {
        self.units.lock().insert(unit.id, unit);
    }

    /// When one was begun, if it is here.
    pub(crate) fn since(&self, id: UnitOfWorkId) -> Option<Timestamp> {
        self.units.lock().get(&id).map(|unit| unit.since)
    }

    fn take(&self, id: UnitOfWorkId) -> Option<OpenUnit> {
        self.units.lock().remove(&id)
    }

    pub(crate) fn take_all(&self) -> Vec<OpenUnit> {
        std::mem::take(&mut *self.units.lock()).into_values().collect()
    }
}

/// A unit of work off its connection. Dropping it backs it out.
pub struct DetachedUnit {
    engine: Arc<Engine>,
    id: UnitOfWorkId,
}

/// Units of work that were not committed, each as it was.
pub struct NotCommitted {
    pub reason: Reason,
    /// Those that can be tried again; without those that are gone.
    pub units: Vec<DetachedUnit>,
}

impl Connection {
    /// Takes the unit of work off this connection; `None` when nothing was done in it, or when it is an XA branch.
    pub fn detach(&self) -> Option<DetachedUnit> {
        if self.is_in_branch() {
            return None;
        }
        let unit = self.state.unit.lock().take_if(|unit| unit.has_work())?;
        let id = unit.id;
        self.engine.detached.keep(unit);
        Some(DetachedUnit { engine: self.engine.clone(), id })
    }

    /// Makes it the unit of work of this connection, which must have none.
    ///
    /// # Errors
    /// `UowInProgress` (2128): it has one, and the unit of work is backed out. `BackedOut` (2003): it is gone.
    pub fn attach(&self, unit: DetachedUnit) -> Result<(), Reason> {
        let mut own = self.state.unit.lock();
        if self.is_in_branch() || own.as_ref().is_some_and(OpenUnit::has_work) {
            return Err(Reason::UowInProgress);
        }
        *own = Some(unit.take().ok_or(Reason::BackedOut)?);
        Ok(())
    }

    /// Commits the unit of work of this connection and detached ones as one: all of it becomes durable and visible, or
    /// nothing. The receipt becomes durable with them.
    ///
    /// # Errors
    /// Those of `commit`; `BackedOut` (2003) also when one of them is gone. The unit of work of the connection is then as it was.
    pub async fn commit_together(
        &self,
        units: Vec<DetachedUnit>,
        receipt: Option<Receipt>,
    ) -> Result<(), NotCommitted> {
        if let Err(reason) = self.state.check() {
            return Err(NotCommitted { reason, units });
        }
        if self.is_in_branch() {
            return Err(NotCommitted { reason: Reason::EnvironmentError, units });
        }
        let Some(observation) = self.state.observation() else { return commit_together(self, units, receipt).await };
        let outcome = observation.time(commit_together(self, units, receipt)).await;
        observation.committed(&self.engine, &outcome.as_ref().copied().map_err(|refused| refused.reason));
        outcome
    }
}

impl DetachedUnit {
    /// # Errors
    /// As `Connection::commit`.
    pub async fn commit(self) -> Result<(), NotCommitted> {
        let engine = self.engine.clone();
        let Some(unit) = self.take() else {
            return Err(NotCommitted { reason: Reason::BackedOut, units: Vec::new() });
        };
        unit_of_work::commit_unit(&engine, unit).await.map_err(|refused| {
            let unit = refused.unit.map(|unit| Self::keep(&engine, *unit));
            NotCommitted { reason: refused.reason, units: unit.into_iter().collect() }
        })
    }

    /// # Errors
    /// As `Connection::back_out`.
    pub async fn back_out(self) -> Result<(), Reason> {
        let engine = self.engine.clone();
        match self.take() {
            Some(unit) => unit_of_work::back_out_unit(&engine, unit).await,
            None => Ok(()),
        }
    }

    /// The message that was got first in it, with the lifetime that it has left; `None` when there is none.
    ///
    /// # Errors
    /// 2009, 2102, 2071, 2208.
    pub async fn message(&self) -> Result<Option<Box<Message>>, Reason> {
        let engine = &self.engine;
        let got = engine.store.got_first(self.id).await;
        let got = got.map_err(|error| reason::of_store_at_large(engine, &error))?;
        Ok(got.map(|stored| {
            let mut message = stored.message;
            if let Some(expires) = stored.expires {
                message.descriptor.expiry = expiry::left(expires, engine.now());
            }
            message
        }))
    }

    /// Its number in the store: what was not committed is recognised by it.
    pub fn id(&self) -> UnitOfWorkId {
        self.id
    }

    fn take(&self) -> Option<OpenUnit> {
        self.engine.detached.take(self.id)
    }

    fn keep(engine: &Arc<Engine>, unit: OpenUnit) -> Self {
        let id = unit.id;
        engine.detached.keep(unit);
        Self { engine: engine.clone(), id }
    }
}

impl Drop for DetachedUnit {
    fn drop(&mut self) {
        if let Some(unit) = self.take() {
            self.engine.left_over.push(Work::BackOut(unit));
        }
    }
}

impl QueueManager {
    /// What a commit with a receipt of this key has left, until it expires.
    ///
    /// # Errors
    /// 2009, 2162, and 2102, 2071 or 2208 when it cannot be read back.
    pub async fn receipt(&self, key: &ReceiptKey) -> Result<Option<Bytes>, Reason> {
        let engine = self.engine();
        engine.admit(false)?;
        engine.store.receipt(key, engine.now()).await.map_err(|error| reason::of_store_at_large(engine, &error))
    }
}

async fn commit_together(
    connection: &Connection,
    units: Vec<DetachedUnit>,
    receipt: Option<Receipt>,
) -> Result<(), NotCommitted> {
    let engine = &connection.engine;
    let mut together =
        Together { engine, own: None, detached: Vec::with_capacity(units.len()), receipt, is_over: false };
    for unit in &units {
        match unit.take() {
            Some(open) => together.detached.push(open),
            None => return Err(together.refused(connection, Reason::BackedOut)),
        }
    }
    drop(units);
    together.own = connection.state.unit.lock().take();
    let ids: Vec<UnitOfWorkId> = together.units().map(|unit| unit.id).collect();
    match engine.store.commit_together(&ids, together.receipt.as_ref(), engine.now()).await {
        Ok(()) => {
            for unit in together.over() {
                unit_of_work::after_commit(engine, unit).await;
            }
            Ok(())
        }
        Err(error @ (StoreError::NoSpace | StoreError::File(_))) => {
            Err(together.refused(connection, reason::of_store_at_large(engine, &error)))
        }
        Err(error) => {
            let reason = reason::of_store_at_large(engine, &error);
            for unit in together.over() {
                // What the store does not know any more is over; the others end with it.
                let _ = unit_of_work::back_out_unit(engine, unit).await;
            }
            Err(NotCommitted { reason, units: Vec::new() })
        }
    }
}

/// Units of work while they are committed. When the task that does so is dropped, housekeeping goes on with it.
struct Together<'a> {
    engine: &'a Arc<Engine>,
    /// Of the connection.
    own: Option<OpenUnit>,
    detached: Vec<OpenUnit>,
    receipt: Option<Receipt>,
    is_over: bool,
}

impl Together<'_> {
    fn units(&self) -> impl Iterator<Item = &OpenUnit> {
        self.own.iter().chain(&self.detached)
    }

    fn take_units(&mut self) -> Vec<OpenUnit> {
        self.own.take().into_iter().chain(std::mem::take(&mut self.detached)).collect()
    }

    fn over(mut self) -> Vec<OpenUnit> {
        self.is_over = true;
        self.take_units()
    }

    /// Nothing has changed: each has its unit of work again.
    fn refused(mut self, connection: &Connection, reason: Reason) -> NotCommitted {
        self.is_over = true;
        if let Some(own) = self.own.take() {
            connection.state.unit.lock().get_or_insert(own);
        }
        let detached = std::mem::take(&mut self.detached);
        let units = detached.into_iter().map(|unit| DetachedUnit::keep(self.engine, unit)).collect();
        NotCommitted { reason, units }
    }
}

impl Drop for Together<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            let (units, receipt) = (self.take_units(), self.receipt.take());
            self.engine.left_over.push(Work::CommitTogether(units, receipt));
        }
    }
}

/// What a dropped task has left of its commit.
pub(crate) async fn finish_commit(engine: &Engine, units: Vec<OpenUnit>, receipt: Option<Receipt>) {
    let ids: Vec<UnitOfWorkId> = units.iter().map(|unit| unit.id).collect();
    let committed = engine.store.commit_together(&ids, receipt.as_ref(), engine.now()).await;
    if let Err(error) = &committed {
        let reason = reason::of_store_at_large(engine, error);
        tracing::warn!(%reason, "a commit could not be completed after its caller had gone: it is backed out");
    }
    for unit in units {
        match committed {
            Ok(()) => unit_of_work::after_commit(engine, unit).await,
            Err(_) => {
                let _ = unit_of_work::back_out_unit(engine, unit).await;
            }
        }
    }
}
