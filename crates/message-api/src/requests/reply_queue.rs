//! The reply queue that the requests of a server share in one queue manager: a temporary queue that only the server reads.
//!
//! One handle serves all: a get asks for one CorrelId, and no two requests have the same. What nothing waits for is swept away, so
//! that replies without an expiry leave nothing behind.
//!
//! Responders need +put for queues named as `PATTERN` says.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use connection::error::ConnectionError;
use connection::verbs::{Local, ObjectHandle};
use model::authority::Principal;
use model::identifier::CorrelationId;
use model::message::Message;
use model::name::QueueName;
use model::options::{GetFlags, GetOptions, MatchOptions, ObjectDescriptor, OpenOptions};
use model::reason::Reason;
use parking_lot::Mutex;
use queue_manager::{ConnectOptions, QueueManager};
use tokio::time::Instant;

use super::get_options;

pub(super) const MODEL: &str = "SYSTEM.DEFAULT.MODEL.QUEUE";
pub(super) const PATTERN: &str = "QUAYMASTER.REPLY.*";
pub(super) const BETWEEN_SWEEPS: Duration = Duration::from_secs(1);
/// Messages that a sweep sees before others may run.
const SLICE: u32 = 32;
/// MQAT_QMGR.
const QUEUE_MANAGER: i32 = 7;

type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

pub(super) struct ReplyQueue {
    local: Local,
    handle: ObjectHandle,
    name: QueueName,
    awaited: Mutex<Map<CorrelationId, Wait>>,
}

/// Who waits for a reply.
#[derive(Debug, Clone, Copy)]
struct Wait {
    requests: u32,
    /// A repetition of the request may still come for it.
    kept_until: Option<Instant>,
}

/// A reply that is awaited. Dropped, nothing waits for it.
pub(super) struct Awaiting {
    queue: Arc<ReplyQueue>,
    correlation: CorrelationId,
    is_over: bool,
}

impl ReplyQueue {
    /// # Errors
    /// Those of connecting and opening.
    pub(super) async fn open(
        beside: &Local,
        queue_manager: &QueueManager,
        server: &Principal,
    ) -> Result<Self, ConnectionError> {
        let connection = queue_manager.connect(ConnectOptions {
            principal: server.clone(),
            application_name: "quaymaster message API".to_owned(),
            application_type: QUEUE_MANAGER,
            channel: String::new(),
            connection_name: String::new(),
        })?;
        let local = beside.sibling(connection);
        let object = ObjectDescriptor {
            name: QueueName::literal(MODEL),
            dynamic_queue: PATTERN.to_owned(),
            ..ObjectDescriptor::default()
        };
        let options = OpenOptions::INPUT_AS_Q_DEF | OpenOptions::BROWSE | OpenOptions::FAIL_IF_QUIESCING;
        let opened = local.connection().open(server, &object, options).await?;
        let (handle, name) = (ObjectHandle::Local(opened.handle), opened.object_name);
        Ok(Self { local, handle, name, awaited: Mutex::default() })
    }

    pub(super) fn name(&self) -> QueueName {
        self.name
    }

    pub(super) fn is_of(&self, queue_manager: &QueueManager) -> bool {
        self.local.connection().queue_manager().is_same(queue_manager)
    }

    /// To be called before the request is put. `is_kept`: a repetition of the request may come for the reply until then.
    pub(super) fn awaiting(self: &Arc<Self>, correlation: CorrelationId, until: Instant, is_kept: bool) -> Awaiting {
        let wait = Wait { requests: 1, kept_until: is_kept.then_some(until) };
        self.awaited.lock().insert(correlation, wait);
        Awaiting { queue: Arc::clone(self), correlation, is_over: false }
    }

    /// `None`: the reply was taken, or is kept no longer.
    pub(super) fn awaiting_again(self: &Arc<Self>, correlation: CorrelationId, until: Instant) -> Option<Awaiting> {
        let mut awaited = self.awaited.lock();
        let wait = awaited.get_mut(&correlation)?;
        wait.requests += 1;
        wait.kept_until = wait.kept_until.max(Some(until));
        drop(awaited);
        Some(Awaiting { queue: Arc::clone(self), correlation, is_over: false })
    }

    /// The reply; `None` when it has not come by then.
    pub(super) async fn get(
        &self,
        correlation: CorrelationId,
        until: Instant,
    ) -> Result<Option<Box<Message>>, ConnectionError> {
        let options = get_options(Some(correlation), until, GetFlags::NO_SYNCPOINT);
        match self.local.get_placed(self.handle, &options).await {
            Ok(got) => Ok(Some(got.message)),
            Err(error) if error.reason() == Reason::NoMsgAvailable => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Discards what nothing waits for.
    pub(super) async fn sweep(&self) {
        self.awaited.lock().retain(|_, wait| wait.is_on(Instant::now()));
        let status = self.local.connection().queue_manager().queue_status(&self.name);
        if status.is_none_or(|status| status.depth.current == 0) {
            return;
        }
        let mut flags = GetFlags::BROWSE_FIRST | GetFlags::FAIL_IF_QUIESCING;
        let mut seen = 0_u32;
        loop {
            let browsed = self.local.get_placed(self.handle, &GetOptions { flags, ..GetOptions::default() }).await;
            let Ok(browsed) = browsed else { return };
            flags = GetFlags::BROWSE_NEXT | GetFlags::FAIL_IF_QUIESCING;
            if !self.awaited.lock().contains_key(&browsed.descriptor.correlation_id) {
                let options = GetOptions {
                    flags: GetFlags::NO_SYNCPOINT | GetFlags::FAIL_IF_QUIESCING,
                    match_options: MatchOptions::MSG_TOKEN,
                    message_token: browsed.message_token,
                    ..GetOptions::default()
                };
                if self.local.get_placed(self.handle, &options).await.is_ok() {
                    tracing::debug!(queue = self.name.as_str(), "a late reply was discarded: its request had ended");
                }
            }
            seen += 1;
            if seen.is_multiple_of(SLICE) {
                tokio::task::yield_now().await;
            }
        }
    }
}

impl Wait {
    fn is_on(&self, now: Instant) -> bool {
        self.requests > 0 || self.kept_until.is_some_and(|until| until > now)
    }
}

impl Awaiting {
    /// It has come, or its time is over.
    pub(super) fn over(mut self) {
        self.is_over = true;
    }
}

impl Drop for Awaiting {
    fn drop(&mut self) {
        let mut awaited = self.queue.awaited.lock();
        let Some(wait) = awaited.get_mut(&self.correlation) else { return };
        wait.requests -= 1;
        if self.is_over {
            wait.kept_until = None;
        }
        if !wait.is_on(Instant::now()) {
            awaited.remove(&self.correlation);
        }
    }
}
