//! The batch server: gets requests from a queue, answers each on its reply-to queue, until it is told to stop.
//!
//! A reply has the request's message identifier as its correlation identifier, the request's persistence, and as many bytes
//! as wanted: the first 48 of the request, which name the driver's messages, then filler. A persistent request is got, and
//! its reply put, in one unit of work, so that a responder that dies loses and doubles nothing; others are not worth it.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use channel_client::client::Client;
use channel_client::connection::{Connection, Got, ObjectHandle};
use channel_client::error::ChannelError;
use model::descriptor::{MessageDescriptor, MessageType, Persistence};
use model::identifier::CorrelationId;
use model::name::QueueName;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use tokio::sync::watch;
use tokio::task::LocalSet;

use crate::client::channel::open;
use crate::error::WorkloadError;
use crate::payload::{Payload, PutId};

/// How long a get waits before it looks whether to go on.
const GET_WAIT: Duration = Duration::from_secs(5);
/// Pause after a failure, before a new connection is made.
const PAUSE_AFTER_ERROR: Duration = Duration::from_millis(200);
/// Reply queues that a responder keeps open.
const MOST_OPEN: usize = 256;

/// A checked plan of a responder.
pub struct ResponderPlan {
    pub client: Arc<Client>,
    pub queue: QueueName,
    /// Connections, each with a get of its own.
    pub connections: u32,
    /// Bytes of a reply.
    pub response_size: usize,
}

/// What all connections did together.
#[derive(Debug, Default)]
pub struct Counts {
    pub replies: AtomicU64,
    pub errors: AtomicU64,
}

/// Answers until `stop` is true. `ready` is called once, when every connection has its queue open.
///
/// # Errors
/// A connection cannot be made at the start.
pub async fn respond(
    plan: ResponderPlan,
    counts: Arc<Counts>,
    stop: watch::Receiver<bool>,
    ready: impl FnOnce(),
) -> Result<(), WorkloadError> {
    let plan = Rc::new(plan);
    let local = LocalSet::new();
    local
        .run_until(async {
            let mut tasks = Vec::new();
            for number in 0..plan.connections {
                let responder = Responder::start(Rc::clone(&plan), Arc::clone(&counts)).await;
                let responder =
                    responder.map_err(|source| WorkloadError::Start { client: number, source: source.into() })?;
                tasks.push((responder, stop.clone()));
            }
            ready();
            let tasks: Vec<_> =
                tasks.into_iter().map(|(responder, stop)| tokio::task::spawn_local(responder.run(stop))).collect();
            for task in tasks {
                // One that panicked has been reported; the others go on until they are told.
                let _ = task.await;
            }
            Ok(())
        })
        .await
}

struct Responder {
    plan: Rc<ResponderPlan>,
    counts: Arc<Counts>,
    payload: Payload,
    connection: Connection,
    requests: ObjectHandle,
    replies: HashMap<QueueName, ObjectHandle>,
}

impl Responder {
    async fn start(plan: Rc<ResponderPlan>, counts: Arc<Counts>) -> Result<Self, ChannelError> {
        let (connection, requests) = Self::connect(&plan).await?;
        let payload = Payload::new(plan.response_size);
        Ok(Self { plan, counts, payload, connection, requests, replies: HashMap::new() })
    }

    async fn connect(plan: &ResponderPlan) -> Result<(Connection, ObjectHandle), ChannelError> {
        let mut connection = plan.client.connect().await?;
        let requests = open(&mut connection, plan.queue, OpenOptions::INPUT_SHARED).await?;
        Ok((connection, requests))
    }

    async fn run(mut self, mut stop: watch::Receiver<bool>) {
        loop {
            let result = tokio::select! {
                biased;
                // Also when nobody can tell any more.
                _ = stop.wait_for(|stop| *stop) => return,
                result = self.one() => result,
            };
            let Err(error) = result else { continue };
            self.counts.errors.fetch_add(1, Ordering::Relaxed);
            eprintln!("responder: {error}");
            if self.recover().await.is_err() {
                tokio::time::sleep(PAUSE_AFTER_ERROR).await;
            }
        }
    }

    /// Gets one request and answers it; nothing came: nothing to do.
    async fn one(&mut self) -> Result<(), ChannelError> {
        let options = GetOptions {
            flags: GetFlags::WAIT | GetFlags::SYNCPOINT_IF_PERSISTENT | GetFlags::FAIL_IF_QUIESCING,
            wait: Some(GET_WAIT),
            ..GetOptions::default()
        };
        let request = match self.connection.get(self.requests, &options).await {
            Ok(request) => request,
            Err(error) if error.reason() == Reason::NoMsgAvailable => return Ok(()),
            Err(error) => return Err(error),
        };
        let persistent = request.descriptor.persistence == Persistence::Persistent;
        let answered = self.answer(&request, persistent).await;
        if persistent {
            match answered {
                Ok(()) => self.connection.commit().await?,
                Err(_) => self.connection.back_out().await?,
            }
        }
        answered?;
        self.counts.replies.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    async fn answer(&mut self, request: &Got, persistent: bool) -> Result<(), ChannelError> {
        let descriptor = MessageDescriptor {
            message_type: MessageType::REPLY,
            format: request.descriptor.format,
            ccsid: request.descriptor.ccsid,
            encoding: request.descriptor.encoding,
            persistence: request.descriptor.persistence,
            correlation_id: CorrelationId::from(request.descriptor.message_id),
            ..MessageDescriptor::default()
        };
        let syncpoint = if persistent { PutFlags::SYNCPOINT } else { PutFlags::NO_SYNCPOINT };
        let options = PutOptions { flags: syncpoint | PutFlags::FAIL_IF_QUIESCING, context: None };
        let queue = request.descriptor.reply_to_queue;
        let reply = self.reply(&request.body);
        let foreign = !request.descriptor.reply_to_queue_manager.is_blank()
            && request.descriptor.reply_to_queue_manager != *self.connection.queue_manager();
        if foreign || queue.is_blank() || (self.replies.len() >= MOST_OPEN && !self.replies.contains_key(&queue)) {
            let object = ObjectDescriptor {
                name: queue,
                queue_manager: request.descriptor.reply_to_queue_manager,
                ..ObjectDescriptor::default()
            };
            return self.connection.put1(&object, descriptor, &options, reply).await.map(drop);
        }
        let handle = match self.replies.get(&queue) {
            Some(handle) => *handle,
            None => {
                let handle = open(&mut self.connection, queue, OpenOptions::OUTPUT).await?;
                self.replies.insert(queue, handle);
                handle
            }
        };
        self.connection.put(handle, descriptor, &options, reply).await.map(drop)
    }

    fn reply(&self, request: &[u8]) -> Bytes {
        let name = request.get(..PutId::LENGTH.min(request.len())).unwrap_or_default();
        let mut reply = self.payload.behind(name);
        reply.truncate(self.plan.response_size);
        reply.freeze()
    }

    /// Forgets reply queues that may be gone, and makes a lost connection again.
    async fn recover(&mut self) -> Result<(), ChannelError> {
        for (_, handle) in self.replies.drain() {
            // It may be gone with the connection.
            let _ = self.connection.close(handle, model::options::CloseOptions::empty()).await;
        }
        if self.connection.is_broken() {
            (self.connection, self.requests) = Self::connect(&self.plan).await?;
        }
        Ok(())
    }
}
