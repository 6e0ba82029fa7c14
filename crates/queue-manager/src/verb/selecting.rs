//! Getting and browsing by way of a handle with a selector: which message comes next that it selects.
//!
//! Messages are looked at a few at a time, without the queue's lock; the one that is selected is then got or browsed like
//! any other, and when another handle was quicker, the search continues. What a selector has refused, and will always refuse,
//! is remembered by the handle: a waiter that is woken for one message does not read a long queue again.

use std::collections::HashSet;

use model::reason::Reason;
use model::timestamp::Timestamp;
use storage::{Candidate, DeliveryKey, Glimpse, Position, PrivateStore, Selection};

use crate::reason;
use crate::selection::matching::Filter;
use crate::selection::selector::{Selector, headers_end};
use crate::verb::get::Get;

/// Messages looked at together.
const BATCH: usize = 64;
/// Most refusals that are remembered; then it begins anew.
const MAXIMUM_REFUSED: usize = 1 << 16;

/// Arrival numbers are never used again, so a refusal stays true.
#[derive(Default)]
pub(crate) struct Refused(HashSet<Position, foldhash::fast::RandomState>);

impl Refused {
    fn add(&mut self, position: Position) {
        if self.0.len() >= MAXIMUM_REFUSED {
            self.0.clear();
        }
        self.0.insert(position);
    }
}

/// The next message behind `after` that `exact`, the filter and the selector accept. Nothing is reserved.
pub(crate) async fn next(
    get: &Get<'_>,
    selector: &Selector,
    exact: &Selection<'static>,
    filter: &Filter<'_>,
    after: Option<DeliveryKey>,
    now: Timestamp,
) -> Result<Option<DeliveryKey>, Reason> {
    // Taken out, so that the search need not lock it for each message; two searches at once remember less.
    let mut search = Search { get, selector, refused: std::mem::take(&mut get.open.memory.lock().refused) };
    let found = search.run(exact, filter, after, now).await;
    // What the filter remembers of the last message it saw is of another one.
    filter.take_segments();
    found
}

struct Search<'a> {
    get: &'a Get<'a>,
    selector: &'a Selector,
    refused: Refused,
}

impl Drop for Search<'_> {
    fn drop(&mut self) {
        let refused = std::mem::take(&mut self.refused);
        let mut memory = self.get.open.memory.lock();
        if memory.refused.0.len() < refused.0.len() {
            memory.refused = refused;
        }
    }
}

impl Search<'_> {
    async fn run(
        &mut self,
        exact: &Selection<'static>,
        filter: &Filter<'_>,
        mut after: Option<DeliveryKey>,
        now: Timestamp,
    ) -> Result<Option<DeliveryKey>, Reason> {
        let (store, queue) = (&self.get.engine.store, self.get.queue.id);
        let mut batch = 4;
        loop {
            let refused = &self.refused;
            let accept =
                |candidate: &Candidate<'_>| !refused.0.contains(&candidate.position) && filter.accepts(candidate);
            let selection = Selection { accept: Some(&accept), ..*exact };
            let glimpses = store.glimpse(queue, after, &selection, batch, now).await;
            let glimpses = glimpses.map_err(|error| reason::of_store(&error))?;
            let Some(last) = glimpses.last().map(|glimpse| glimpse.key) else { return Ok(None) };
            for glimpse in glimpses {
                if self.selects(store, &glimpse, now).await? {
                    return Ok(Some(glimpse.key));
                }
                if !self.selector.changes() {
                    self.refused.add(glimpse.key.position);
                }
            }
            after = Some(last);
            batch = BATCH;
        }
    }

    async fn selects(&self, store: &PrivateStore, glimpse: &Glimpse, now: Timestamp) -> Result<bool, Reason> {
        let Glimpse { key, descriptor, beginning, is_whole } = glimpse;
        if *is_whole || headers_end(descriptor, beginning) <= beginning.len() {
            return Ok(self.selector.matches(descriptor, beginning));
        }
        let selection = self.get.at(key.position);
        let whole = store.browse(self.get.queue.id, None, &selection, now).await;
        let whole = whole.map_err(|error| reason::of_store(&error))?;
        Ok(whole.is_some_and(|whole| self.selector.matches(&whole.message.descriptor, &whole.message.body)))
    }
}
