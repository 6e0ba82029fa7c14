//! A connection in a request's hands, and its place in the pool: given back, replaced, or given up by being dropped.

use std::sync::Arc;

use crate::error::ConnectionError;
use crate::pool::Pool;
use crate::statistics::ClosedBy;
use crate::verbs::Connection;

/// The right to one connection. Dropped, it is free for another request.
pub(super) struct Place {
    /// `None` once it has been given up.
    pub(super) pool: Option<Arc<Pool>>,
    pub(super) overflows: bool,
    /// Why the connection in this place is closed if it is dropped; `None`: there is none.
    pub(super) closed_by: Option<ClosedBy>,
}

/// A connection for one request. Dropped without `give_back` it is closed, and what was under way on it is ended.
pub struct Lent {
    // The connection goes before its place.
    pub(super) connection: Connection,
    pub(super) place: Place,
    is_reused: bool,
}

impl Place {
    pub(super) fn of(pool: &Arc<Pool>, overflows: bool) -> Self {
        Self { pool: Some(Arc::clone(pool)), overflows, closed_by: None }
    }

    pub(super) fn with(mut self, connection: Connection) -> Lent {
        self.closed_by = Some(ClosedBy::Abandoned);
        Lent { connection, place: self, is_reused: false }
    }

    pub(super) fn with_kept(self, connection: Connection) -> Lent {
        Lent { is_reused: true, ..self.with(connection) }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some(pool) = self.pool.take() else { return };
        if let Some(closed_by) = self.closed_by {
            pool.counters.closed(closed_by, 1);
        }
        pool.take_back(None, self.overflows);
    }
}

impl std::fmt::Debug for Lent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lent").field("is_reused", &self.is_reused).finish_non_exhaustive()
    }
}

impl Lent {
    pub fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// It served another request before.
    pub(crate) fn is_reused(&self) -> bool {
        self.is_reused
    }

    /// Nothing is open on it any more, and nothing under syncpoint: the next request may have it.
    pub fn give_back(self) {
        let Self { connection, mut place, .. } = self;
        if !connection.is_clean() {
            // Dropped: what it has open must not meet the next request.
            drop(connection);
            return;
        }
        if let Some(pool) = place.pool.take() {
            pool.take_back(Some(connection), place.overflows);
        }
    }

    /// As `give_back`, unless `error` says that the connection is of no further use.
    pub fn give_back_after(mut self, error: &ConnectionError) {
        if error.is_lost() {
            self.place.closed_by = Some(ClosedBy::Lost);
        } else {
            self.give_back();
        }
    }

    /// Replaces a connection that turned out to be dead.
    ///
    /// # Errors
    /// `NotConnected`: there is no new one, and this one is still as dead.
    pub(crate) async fn renew(&mut self) -> Result<(), ConnectionError> {
        let Some(pool) = self.place.pool.clone() else { return Ok(()) };
        self.place.closed_by = Some(ClosedBy::Lost);
        self.connection = pool.make().await?;
        pool.counters.closed(ClosedBy::Lost, 1);
        self.place.closed_by = Some(ClosedBy::Abandoned);
        self.is_reused = false;
        Ok(())
    }
}
