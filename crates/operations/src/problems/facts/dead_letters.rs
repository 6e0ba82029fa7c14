//! What the messages on the dead-letter queue say: why they are there, and for which queue they were.
//!
//! The queue is browsed again only after something was put to it or got from it.

use std::sync::Arc;

use message_api::dead_letters::{Group, Groups, Kind, header_of};
use model::authority::Principal;
use model::header::dead_letter::DeadLetterHeader;
use model::name::QueueName;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions};
use model::timestamp::Timestamp;
use queue_manager::{ConnectOptions, QueueManager};

use super::QueueFacts;

/// Messages that are looked at, the first of the queue.
const MOST_LOOKED_AT: usize = 500;
/// Of each, its headers.
const BEGINNING: usize = 4 << 10;
/// MQAT_QMGR.
const QUEUE_MANAGER: i32 = 7;
const SLICE: usize = 32;

#[derive(Default)]
pub(in super::super) struct DeadLetters {
    mark: Option<Mark>,
    /// The largest group first.
    pub(in super::super) groups: Vec<(Kind, Group)>,
    /// There are more messages than were looked at.
    pub(in super::super) is_cut: bool,
}

/// Differs when the queue has changed.
#[derive(PartialEq, Eq)]
struct Mark {
    queue: QueueName,
    depth: u32,
    last_put: Option<Timestamp>,
    last_get: Option<Timestamp>,
}

impl DeadLetters {
    /// `queue`: the dead-letter queue, where it holds messages.
    pub(super) async fn gather(
        queue_manager: &QueueManager,
        queue: Option<&QueueFacts>,
        known: Option<Arc<Self>>,
    ) -> Arc<Self> {
        let Some(queue) = queue else { return Arc::default() };
        let mark = Mark { queue: queue.name, depth: queue.depth, last_put: queue.last_put, last_get: queue.last_get };
        if let Some(known) = known.filter(|known| known.mark.as_ref() == Some(&mark)) {
            return known;
        }
        // Without an answer, as while the queue is open exclusively, nothing is known of it.
        let (groups, is_cut) = browse(queue_manager, queue.name).await.unwrap_or_default();
        Arc::new(Self { mark: Some(mark), groups: groups.into_sorted(), is_cut })
    }
}

async fn browse(queue_manager: &QueueManager, queue: QueueName) -> Option<(Groups, bool)> {
    let server = Principal::administrator("server");
    let options = ConnectOptions {
        principal: server.clone(),
        application_name: "Problems".to_owned(),
        application_type: QUEUE_MANAGER,
        channel: String::new(),
        connection_name: String::new(),
    };
    let connection = queue_manager.connect(options).ok()?;
    let object = ObjectDescriptor { name: queue, ..ObjectDescriptor::default() };
    let opened = connection.open(&server, &object, OpenOptions::BROWSE | OpenOptions::FAIL_IF_QUIESCING).await.ok()?;
    let options = GetOptions {
        flags: GetFlags::NO_SYNCPOINT
            | GetFlags::BROWSE_NEXT
            | GetFlags::ACCEPT_TRUNCATED_MSG
            | GetFlags::FAIL_IF_QUIESCING,
        buffer_length: Some(BEGINNING),
        ..GetOptions::default()
    };
    let mut groups = Groups::default();
    for number in 0..MOST_LOOKED_AT {
        let Ok(got) = connection.get(opened.handle, &options).await else { return Some((groups, false)) };
        let header = header_of(&got.message);
        let length = got.data_length.saturating_sub(header.as_ref().map_or(0, |_| DeadLetterHeader::LENGTH));
        groups.add(Kind::of(&got.message, header.as_ref()), got.position(), got.arrived, length);
        if number % SLICE == SLICE - 1 {
            tokio::task::yield_now().await;
        }
    }
    Some((groups, true))
}
