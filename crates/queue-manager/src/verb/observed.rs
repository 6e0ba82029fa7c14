//! One call as the application makes it: timed and noted while its connection is observed, and told as an event when it is
//! refused. Every verb that may wait goes through here; MQINQ, which does not wait, notes its call in place. Faults of tests
//! (`faults.rs`) hit calls here and nowhere else.
//!
//! Never: changes what a call answers, on a server that was not started for tests.
//!
//! Invariant: a call of a connection that is not observed, and is not refused, pays two loads.

use std::future::Future;

use model::reason::Reason;

use crate::instrumentation::accounting::observation::Observation;
use crate::instrumentation::event::calls::{self, Call};
use crate::verb::connection::Connection;
use crate::verb::faults::{self, What};

impl Connection {
    /// `call` begins the call: a future made here needs no second place in the caller's. `note` is run once it has ended.
    pub(super) async fn observed<T, F: Future<Output = Result<T, Reason>>>(
        &self,
        what: impl Into<What<'_>>,
        call: impl FnOnce() -> F,
        note: impl FnOnce(&Observation, &Result<T, Reason>),
    ) -> Result<T, Reason> {
        match self.engine.test_control.get() {
            None => self.noted(call, note).await,
            Some(control) => Box::pin(faults::around(self, control, what.into(), || self.noted(call, note))).await,
        }
    }

    async fn noted<T, F: Future<Output = Result<T, Reason>>>(
        &self,
        call: impl FnOnce() -> F,
        note: impl FnOnce(&Observation, &Result<T, Reason>),
    ) -> Result<T, Reason> {
        let Some(observation) = self.state.observation() else { return call().await };
        let outcome = observation.time(call()).await;
        note(observation, &outcome);
        outcome
    }

    /// As `observed`; a refusal is then told as the event of `about`.
    pub(super) async fn observed_and_told<T, F: Future<Output = Result<T, Reason>>>(
        &self,
        what: impl Into<What<'_>>,
        call: impl FnOnce() -> F,
        note: impl FnOnce(&Observation, &Result<T, Reason>),
        about: Call<'_>,
    ) -> Result<T, Reason> {
        match self.observed(what, call, note).await {
            Ok(done) => Ok(done),
            Err(reason) => Err(self.tell(reason, about).await),
        }
    }

    /// Puts the event that a refusal is, if its switch is on. The reason stays what it is.
    pub(super) async fn tell(&self, reason: Reason, call: Call<'_>) -> Reason {
        if calls::is_wanted(&self.engine, reason) {
            Box::pin(calls::refused(self, reason, &call)).await;
        }
        reason
    }
}
