//! Getting and browsing by way of a handle with a selector: which message comes next that it selects.
//!
//! The handle keeps a scan of its queue (`storage::Scan`), which shows each message once: what the selector refused is not
//! looked at again, unless it was taken and came back. So an arrival costs one look, however long the queue is. A search
//! gives its thread back after each slice of messages. The message that is selected is then got or browsed like any
//! other, and when another handle was quicker, the search continues.
//!
//! Order of locks: a queue of the store, then the handle's memory (filters ask it under the queue's lock). So a scan is opened and
//! dropped without the handle's memory.

use std::time::Duration;

use model::reason::Reason;
use model::timestamp::Timestamp;
use storage::{Candidate, DeliveryKey, Glimpse, Scan, Selection, Store};
use tokio::time::Instant;

use crate::reason;
use crate::selection::matching::Filter;
use crate::selection::selector::{Selector, headers_end};
use crate::verb::get::Get;

/// Most messages looked at before others may run.
const SLICE: usize = 32;
/// The same for the first slice of a search: often the first message is selected.
const FIRST_SLICE: usize = 4;
/// Others may run after this time, however few messages were looked at: conditions and headers may be long.
const TURN: Duration = Duration::from_micros(100);

/// The next message behind `after` that `exact`, the filter and the selector accept. Nothing is reserved.
pub(crate) async fn next(
    get: &Get<'_>,
    selector: &Selector,
    exact: &Selection<'static>,
    filter: &Filter<'_>,
    after: Option<DeliveryKey>,
    now: Timestamp,
) -> Result<Option<DeliveryKey>, Reason> {
    let mut search = Search { get, selector, scan: None, is_kept: !is_of_one_message(exact) };
    let found = search.run(exact, filter, after, now).await;
    // What the filter remembers of the last message it saw is of another one.
    filter.take_segments();
    found
}

/// Such a search must not replace what the handle remembers of its queue.
fn is_of_one_message(exact: &Selection<'_>) -> bool {
    exact.position.is_some() || exact.group_id.is_some() && exact.sequence_number.is_some() && exact.offset.is_some()
}

/// A search has the handle's scan for itself; a second one at the same time has its own.
struct Search<'a> {
    get: &'a Get<'a>,
    selector: &'a Selector,
    scan: Option<Scan>,
    is_kept: bool,
}

impl Drop for Search<'_> {
    fn drop(&mut self) {
        let Some(scan) = self.scan.take().filter(|_| self.is_kept) else { return };
        let before = self.get.open.memory.lock().scan.replace(scan);
        drop(before);
    }
}

impl Search<'_> {
    async fn run(
        &mut self,
        exact: &Selection<'static>,
        filter: &Filter<'_>,
        after: Option<DeliveryKey>,
        now: Timestamp,
    ) -> Result<Option<DeliveryKey>, Reason> {
        let store = &self.get.engine.store;
        let kept = if self.is_kept { self.get.open.memory.lock().scan.take() } else { None };
        let opened = match kept {
            Some(kept) => Ok(kept),
            None => store.open_scan(self.get.queue.id).await,
        };
        let scan = self.scan.insert(opened.map_err(|error| reason::of_store(self.get.engine, &error))?);
        let accept = |candidate: &Candidate<'_>| filter.accepts(candidate);
        let selection = Selection { accept: Some(&accept), ..*exact };
        scan.begin(&selection, after);
        let mut maximum = FIRST_SLICE;
        let mut turn = Instant::now();
        loop {
            let slice = store.scan(scan, &selection, maximum, now).await;
            let slice = slice.map_err(|error| reason::of_store(self.get.engine, &error))?;
            for glimpse in slice.glimpses {
                if selects(self.get, self.selector, &glimpse, now).await? {
                    return Ok(Some(glimpse.key));
                }
                scan.refuse(glimpse.key);
                if turn.elapsed() > TURN {
                    give_way(self.get).await?;
                    turn = Instant::now();
                }
            }
            if slice.is_last || self.get.is_to_end() {
                return Ok(None);
            }
            give_way(self.get).await?;
            turn = Instant::now();
            maximum = SLICE;
        }
    }
}

/// Lets others run in the midst of a search.
async fn give_way(get: &Get<'_>) -> Result<(), Reason> {
    if let Some(waiter) = get.waiter {
        waiter.step_aside();
    }
    tokio::task::yield_now().await;
    get.check_possible()
}

async fn selects(get: &Get<'_>, selector: &Selector, glimpse: &Glimpse, now: Timestamp) -> Result<bool, Reason> {
    let Glimpse { key, descriptor, beginning, is_whole } = glimpse;
    if *is_whole || headers_end(descriptor, beginning) <= beginning.len() {
        return Ok(selector.matches(descriptor, beginning));
    }
    let store: &Store = &get.engine.store;
    let whole = store.browse(get.queue.id, None, &get.at(key.position), now).await;
    let whole = whole.map_err(|error| reason::of_store(get.engine, &error))?;
    Ok(whole.is_some_and(|whole| selector.matches(&whole.message.descriptor, &whole.message.body)))
}
