//! Connection tags: at most one program at a time works under a tag, in the queue manager or in its whole group.
//!
//! The member knows its own holders; that it holds a tag of the group stands in the group's database. A tag is free when its connection has
//! ended and its unit of work with it: the connection says so (`release`), and the next round gives it back. Of a member that fails,
//! its peers give the tags back at the end of its recovery.
//!
//! Invariants
//! - Claims and rounds take turns: what a round gives back is not claimed meanwhile.
//! - A queue manager in no group takes no notice of tags, as on platforms without groups.
//!
//! Source: MQ reference, "MQCNO", connection-tag options, 9.3.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use model::reason::Reason;
use parking_lot::Mutex;
use tracing::warn;

use crate::engine::Engine;
use crate::engine::turn::Turn;
use crate::reason;

/// A round waits for the database no longer than that: other work of housekeeping waits for it.
const LONGEST: Duration = Duration::from_secs(5);

/// MQCNO `ConnTag` and the option that goes with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionTag {
    pub tag: [u8; 128],
    /// MQCNO_..._CONN_TAG_QSG; otherwise it is of the queue manager alone.
    pub is_of_group: bool,
    /// MQCNO_RESTRICT_...: the process whose other connections may hold the tag too. `None`: MQCNO_SERIALIZE_....
    pub process: Option<u64>,
}

#[derive(Default)]
pub(crate) struct Tags {
    turn: Turn,
    held: Mutex<Held>,
    /// Connections that hold a tag, so that all others pass by.
    holders: AtomicUsize,
}

#[derive(Default)]
struct Held {
    tags: HashMap<[u8; 128], Holding>,
    by_connection: HashMap<u64, [u8; 128]>,
    /// Connections that have ended since the last round.
    ended: Vec<u64>,
}

struct Holding {
    process: Option<u64>,
    connections: HashSet<u64>,
    is_of_group: bool,
}

/// The connection with this number works under the tag from now on.
///
/// # Errors
/// `ConnTagInUse` (2271): another one does, here or at another member. The reason why the database cannot be used.
pub(crate) async fn claim(engine: &Engine, connection: u64, wanted: &ConnectionTag) -> Result<(), Reason> {
    let Some(group) = &engine.group else { return Ok(()) };
    if wanted.tag == [0; 128] {
        return Ok(());
    }
    let tags = &group.tags;
    let _turn = tags.turn.take().await;
    let is_known = match tags.held.lock().tags.get(&wanted.tag) {
        Some(holding) if wanted.process.is_none() || holding.process != wanted.process => {
            return Err(Reason::ConnTagInUse);
        }
        Some(holding) => holding.is_of_group,
        None => false,
    };
    if wanted.is_of_group
        && !is_known
        && let Some(shared) = engine.store.shared()
    {
        let claimed = shared.claim_tag(&wanted.tag).await;
        if !claimed.map_err(|error| reason::of_store_at_large(engine, &error))? {
            return Err(Reason::ConnTagInUse);
        }
    }
    let mut held = tags.held.lock();
    let holding = held.tags.entry(wanted.tag).or_insert_with(|| Holding {
        process: wanted.process,
        connections: HashSet::new(),
        is_of_group: false,
    });
    holding.is_of_group |= wanted.is_of_group;
    holding.connections.insert(connection);
    held.by_connection.insert(connection, wanted.tag);
    tags.holders.fetch_add(1, Ordering::AcqRel);
    Ok(())
}

/// The connection has ended. True: `give_back` has something to do once its unit of work is over.
pub(crate) fn release(engine: &Engine, connection: u64) -> bool {
    let Some(group) = engine.group.as_ref().filter(|group| group.tags.holders.load(Ordering::Acquire) > 0) else {
        return false;
    };
    let mut held = group.tags.held.lock();
    let is_holder = held.by_connection.contains_key(&connection) && !held.ended.contains(&connection);
    if is_holder {
        held.ended.push(connection);
    }
    is_holder
}

/// Makes the tags of connections that have ended free, or that of one of them. The units of work of those are over.
pub(crate) async fn give_back(engine: &Engine, only: Option<u64>) {
    let Some(group) = engine.group.as_ref().filter(|group| group.tags.holders.load(Ordering::Acquire) > 0) else {
        return;
    };
    let tags = &group.tags;
    let _turn = tags.turn.take().await;
    let is_meant = |connection: &mut u64| only.is_none_or(|only| only == *connection);
    let ended: Vec<u64> = tags.held.lock().ended.extract_if(.., is_meant).collect();
    for connection in ended {
        let last = tags.held.lock().without(connection);
        if let Some(tag) = last
            && let Some(shared) = engine.store.shared()
            && !matches!(tokio::time::timeout(LONGEST, shared.release_tag(&tag)).await, Ok(Ok(())))
        {
            warn!("a connection tag stays in use in the group: its database cannot be reached; it is tried again");
            let mut held = tags.held.lock();
            held.tags.insert(tag, Holding { process: None, connections: HashSet::new(), is_of_group: true });
            held.by_connection.insert(connection, tag);
            held.ended.push(connection);
            continue;
        }
        tags.holders.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Held {
    /// Forgets a connection. The tag, if it was the last one that held it and the group knows it.
    fn without(&mut self, connection: u64) -> Option<[u8; 128]> {
        let tag = self.by_connection.remove(&connection)?;
        let holding = self.tags.get_mut(&tag)?;
        holding.connections.remove(&connection);
        if !holding.connections.is_empty() {
            return None;
        }
        let is_of_group = holding.is_of_group;
        self.tags.remove(&tag);
        is_of_group.then_some(tag)
    }
}
