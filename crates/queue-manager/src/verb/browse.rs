//! Browsing: the browse cursor, locks under it, and marks of cooperating browsers.
//!
//! Source: MQ reference, "MQGMO_BROWSE_*", "MQGMO_LOCK", "MQGMO_MARK_BROWSE_*", 9.3.

use std::time::Duration;

use model::options::{GetFlags, OpenOptions};
use model::reason::Reason;
use model::timestamp::Timestamp;
use storage::{Candidate, DeliveryKey, GroupMember, Position, Selection, Store, StoredMessage};

use crate::engine::Engine;
use crate::queue::Queue;
use crate::queue::group::place_after;
use crate::reason;
use crate::selection::matching;
use crate::selection::matching::Filter;
use crate::selection::selector::Selector;
use crate::verb::connection::GetResult;
use crate::verb::get::{Get, no_message};
use crate::verb::handle::Handle;
use crate::verb::{complete_message, selecting};

/// The next message for this handle, which stays where it is.
pub(crate) async fn look(get: &Get<'_>, now: Timestamp) -> Result<Option<Box<GetResult>>, Reason> {
    // A lock lives until the handle browses again.
    unlock(&get.engine.store, get.queue, get.open);
    if get.has(GetFlags::BROWSE_FIRST) {
        let mut memory = get.open.memory.lock();
        memory.cursor.at = None;
        memory.cursor.behind = None;
        memory.cursor.browse_place = None;
    }
    loop {
        let Some((seen, segments)) = find(get, now).await? else { return Ok(None) };
        if !reserve(get, seen.key, now).await? {
            continue;
        }
        let key = seen.key;
        let whole = complete_message::join(get, seen, &segments, now).await?;
        let Some(whole) = whole else { continue };
        get.queue.counters.count_browse();
        let place = place_after(&whole.message.descriptor, whole.message.body.len(), false);
        let result = get.result(whole, now);
        if result.warning != Some(Reason::TruncatedMsgFailed) {
            let mut memory = get.open.memory.lock();
            let cursor = &mut memory.cursor;
            let logical = get.has(GetFlags::LOGICAL_ORDER);
            // The others of a group may lie anywhere; the search goes on behind its first.
            if !logical || cursor.browse_place.is_none() {
                cursor.behind = Some(key);
            }
            cursor.at = Some(key);
            cursor.browse_place = place.filter(|_| logical);
        }
        return Ok(Some(result));
    }
}

/// # Errors
/// `NotOpenForBrowse` (2036).
pub(super) fn begin_behind(open: &Handle, place: DeliveryKey) -> Result<(), Reason> {
    if !open.options.contains(OpenOptions::BROWSE) {
        return Err(Reason::NotOpenForBrowse);
    }
    begin(open, Some(place));
    Ok(())
}

/// # Errors
/// `NotOpenForBrowse` (2036), `NotOpenForInput` (2037): no local queue.
pub(super) async fn begin_back(
    engine: &Engine,
    open: &Handle,
    before: Option<DeliveryKey>,
    count: usize,
) -> Result<Option<DeliveryKey>, Reason> {
    if !open.options.contains(OpenOptions::BROWSE) {
        return Err(Reason::NotOpenForBrowse);
    }
    let source = open.source()?;
    let place = engine.store.back_from(source.queue.id, before, count).await;
    let place = place.map_err(|error| reason::of_store(engine, &error))?;
    begin(open, place);
    Ok(place)
}

fn begin(open: &Handle, behind: Option<DeliveryKey>) {
    let mut memory = open.memory.lock();
    memory.cursor.at = None;
    memory.cursor.behind = behind;
    memory.cursor.browse_place = None;
}

/// A message that may be browsed now, with its segments when it is to be complete.
async fn find(get: &Get<'_>, now: Timestamp) -> Result<Option<(StoredMessage, Vec<GroupMember>)>, Reason> {
    let place = get.place(true);
    let (at, behind) = {
        let memory = get.open.memory.lock();
        (memory.cursor.at, memory.cursor.behind)
    };
    let (exact, after) = if get.has(GetFlags::BROWSE_MSG_UNDER_CURSOR) {
        (at.map(|key| get.at(key.position)), None)
    } else {
        (matching::exact(get.options, get.open, get.queue, place), behind.filter(|_| place.is_none()))
    };
    let Some(exact) = exact else { return Ok(None) };
    let filter = Filter::new(get.options, get.open, get.queue, place.is_some(), now);
    if let Some(selector) = get.selector() {
        return find_selected(get, selector, exact, &filter, after, now).await;
    }
    let store = &get.engine.store;
    let seen = if filter.is_trivial() {
        store.browse(get.queue.id, after, &exact, now).await
    } else {
        let accept = |candidate: &Candidate<'_>| filter.accepts(candidate);
        let selected = Selection { accept: Some(&accept), ..exact };
        store.browse(get.queue.id, after, &selected, now).await
    };
    let seen = seen.map_err(|error| reason::of_store(get.engine, &error))?;
    Ok(seen.map(|seen| (seen, filter.take_segments())))
}

/// As `find`, of those that the handle's selector selects.
async fn find_selected(
    get: &Get<'_>,
    selector: &Selector,
    exact: Selection<'static>,
    filter: &Filter<'_>,
    after: Option<DeliveryKey>,
    now: Timestamp,
) -> Result<Option<(StoredMessage, Vec<GroupMember>)>, Reason> {
    loop {
        let next = Box::pin(selecting::next(get, selector, &exact, filter, after, now)).await?;
        let Some(selected) = next else { return Ok(None) };
        let accept = |candidate: &Candidate<'_>| filter.accepts(candidate);
        let at = Selection { position: Some(selected.position), accept: Some(&accept), ..exact };
        let seen = get.engine.store.browse(get.queue.id, None, &at, now).await;
        if let Some(seen) = seen.map_err(|error| reason::of_store(get.engine, &error))? {
            return Ok(Some((seen, filter.take_segments())));
        }
        // Somebody else was quicker.
    }
}

/// Locks and marks as asked. False when another handle was quicker.
async fn reserve(get: &Get<'_>, key: DeliveryKey, now: Timestamp) -> Result<bool, Reason> {
    if get.has(GetFlags::LOCK) {
        let locked = get.engine.store.lock(get.queue.id, key, get.open.owner).await;
        if !locked.map_err(|error| reason::of_store(get.engine, &error))? {
            return Ok(false);
        }
        get.open.memory.lock().cursor.locked = Some(key);
    }
    if get.has(GetFlags::UNMARK_BROWSE_CO_OP) {
        get.queue.unmark(key.position);
        get.queue.waiters.wake_all();
    }
    if get.has(GetFlags::MARK_BROWSE_CO_OP) {
        let interval = get.engine.definition.read().mark_browse_interval_ms;
        let until = interval.map(|ms| now.saturating_add(Duration::from_millis(u64::from(ms))));
        let was_free = get.queue.mark(key.position, until, now);
        if !was_free && get.has(GetFlags::UNMARKED_BROWSE_MSG) {
            unlock(&get.engine.store, get.queue, get.open);
            return Ok(false);
        }
    }
    let mut memory = get.open.memory.lock();
    if get.has(GetFlags::UNMARK_BROWSE_HANDLE) {
        memory.cursor.marks.remove(&key.position);
    }
    if get.has(GetFlags::MARK_BROWSE_HANDLE) {
        memory.cursor.marks.insert(key.position);
    }
    Ok(true)
}

/// MQGMO_UNLOCK.
///
/// # Errors
/// `NoMsgLocked` (2209) is a warning in MQ; here it ends the call all the same.
pub(super) fn unlock_message(get: &Get<'_>) -> Result<Box<GetResult>, Reason> {
    if unlock(&get.engine.store, get.queue, get.open) { Ok(no_message(get.queue)) } else { Err(Reason::NoMsgLocked) }
}

/// Gives up the handle's lock, and lets those look who passed over the message. False when it had none.
pub(super) fn unlock(store: &Store, queue: &Queue, open: &Handle) -> bool {
    let Some(key) = open.memory.lock().cursor.locked.take() else { return false };
    if store.unlock(queue.id, key, open.owner) {
        queue.waiters.wake_all();
    }
    true
}

impl Queue {
    /// Marks a message for cooperating browsers. False when it was marked already.
    fn mark(&self, position: Position, until: Option<Timestamp>, now: Timestamp) -> bool {
        let mut marks = self.marks.lock();
        if marks.len() >= MANY_MARKS {
            marks.retain(|_, until| until.is_none_or(|until| until > now));
        }
        let before = marks.insert(position, until);
        before.is_none_or(|until| until.is_some_and(|until| until <= now))
    }

    pub(super) fn unmark(&self, position: Position) {
        let mut marks = self.marks.lock();
        if !marks.is_empty() {
            marks.remove(&position);
        }
    }

    pub(crate) fn is_marked(&self, position: Position, now: Timestamp) -> bool {
        self.marks.lock().get(&position).is_some_and(|until| until.is_none_or(|until| until > now))
    }

    /// When the first of the marks ends by its time, of those that had not ended then.
    pub(super) fn first_mark_end(&self, then: Timestamp) -> Option<Timestamp> {
        self.marks.lock().values().flatten().copied().filter(|until| *until > then).min()
    }
}

/// From this many marks on, those whose time is over are dropped first.
const MANY_MARKS: usize = 10_000;
