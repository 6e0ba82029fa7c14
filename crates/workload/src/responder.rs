//! The batch server: gets requests from a queue, answers each on its reply-to queue, until it is stopped.
//!
//! What a reply holds comes from a program (`program.rs`), or is filler: as many bytes as wanted, the first 48 of the request,
//! which name the driver's messages, before it. Its descriptor follows the request's (`reply.rs`).
//!
//! Invariants
//! - A request that a program answers is got, and its reply put, in one unit of work, so that a program or a responder that
//!   dies loses and doubles nothing. Without a program only persistent requests are: others are not worth it.
//! - A request that was backed out as often as its queue allows is answered no more (`backout.rs`).

mod arguments;
mod backout;
pub mod program;
pub mod records;
mod reply;

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use channel_client::client::Client;
use channel_client::connection::consume::ReadAhead;
use channel_client::connection::{Connection, Got, ObjectHandle};
use channel_client::error::ChannelError;
use model::descriptor::Persistence;
use model::name::QueueName;
use model::options::{CloseOptions, GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use tokio::sync::watch;
use tokio::task::LocalSet;

use crate::client::channel::{open, unasked_for};
use crate::client::{ClientError, NotAuthorized};
use crate::error::WorkloadError;
use crate::payload::{Payload, PutId};

pub use self::arguments::ProgramArguments;
use self::program::{Program, ProgramError, ProgramPlan};

/// How long a get waits before it looks whether to go on.
const GET_WAIT: Duration = Duration::from_secs(5);
/// Pause after a failure, and the longest that it grows to while failures follow each other.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// Reply queues that a responder keeps open.
const MOST_OPEN: usize = 256;

/// A checked plan of a responder.
pub struct ResponderPlan {
    pub client: Arc<Client>,
    pub queue: QueueName,
    /// Connections, each with a get of its own, and a program of its own.
    pub connections: u32,
    pub answer: Answer,
    /// Requests come without being asked for, outside units of work, whether persistent or not.
    pub streaming: bool,
}

impl ResponderPlan {
    /// What a failure with a queue is called: 2035 alone would not say whose authority is missing.
    fn failed(&self, verb: &'static str, queue: QueueName, source: ChannelError) -> ClientError {
        if source.reason() != Reason::NotAuthorized {
            return source.into();
        }
        let options = self.client.options();
        let user = options.credentials.as_ref().map_or(&options.asserted_user, |known| &known.user);
        ClientError::NotAuthorized(Box::new(NotAuthorized { user: user.clone(), verb, queue, source }))
    }
}

/// Where replies come from.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Bytes of a reply.
    Filler(usize),
    Program(ProgramPlan),
}

/// What all connections did together.
#[derive(Debug, Default)]
pub struct Counts {
    pub replies: AtomicU64,
    pub errors: AtomicU64,
}

/// Why a request was not answered.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Channel(#[from] ClientError),
    #[error("{0}; the request is backed out")]
    Program(#[from] ProgramError),
    /// Of a request that was got outside a unit of work.
    #[error("{0}; the request gets no reply")]
    Reply(ClientError),
}

impl Failure {
    /// The same again, unless something changes meanwhile.
    fn will_recur(&self) -> bool {
        !matches!(self, Self::Reply(_))
    }
}

/// Answers until `stop` is true. `ready` is called once, when every connection has its queue open and its program runs.
///
/// # Errors
/// A connection cannot be made, or a program not be started, at the start.
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
                tasks.push((Responder::start(number, Rc::clone(&plan), Arc::clone(&counts)).await?, stop.clone()));
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
    source: Source,
    connection: Connection,
    requests: ObjectHandle,
    replies: HashMap<QueueName, ObjectHandle>,
}

/// `Answer`, ready to be asked.
enum Source {
    Filler(Payload, usize),
    Program(Box<Program>),
}

impl Responder {
    async fn start(number: u32, plan: Rc<ResponderPlan>, counts: Arc<Counts>) -> Result<Self, WorkloadError> {
        let connected = Self::connect(&plan).await;
        let (connection, requests) = connected.map_err(|source| WorkloadError::Start { client: number, source })?;
        let source = match &plan.answer {
            Answer::Filler(size) => Source::Filler(Payload::new(*size), *size),
            Answer::Program(program) => Source::Program(Box::new(Program::start(program.clone())?)),
        };
        Ok(Self { plan, counts, source, connection, requests, replies: HashMap::new() })
    }

    async fn connect(plan: &ResponderPlan) -> Result<(Connection, ObjectHandle), ClientError> {
        let mut connection = plan.client.connect().await?;
        let opened = open(&mut connection, plan.queue, OpenOptions::INPUT_SHARED).await;
        let requests = opened.map_err(|error| plan.failed("get from", plan.queue, error))?;
        if plan.streaming {
            connection.consume(requests, &unasked_for(), ReadAhead::DEFAULT).await?;
        }
        Ok((connection, requests))
    }

    async fn run(mut self, mut stop: watch::Receiver<bool>) {
        let mut pause = FIRST_PAUSE;
        loop {
            let result = tokio::select! {
                biased;
                // Also when nobody can tell any more.
                _ = stop.wait_for(|stop| *stop) => break,
                result = self.one() => result,
            };
            let Err(failure) = result else {
                pause = FIRST_PAUSE;
                continue;
            };
            self.counts.errors.fetch_add(1, Ordering::Relaxed);
            eprintln!("responder: {failure}");
            let was_lost = self.connection.is_broken();
            let recovered = self.recover().await.is_ok();
            if !recovered || failure.will_recur() && !was_lost {
                tokio::select! {
                    _ = stop.wait_for(|stop| *stop) => break,
                    () = tokio::time::sleep(pause) => pause = LONGEST_PAUSE.min(pause * 2),
                }
            }
        }
        if let Source::Program(program) = &mut self.source {
            program.finish().await;
        }
    }

    /// Gets one request and answers it; nothing came: nothing to do.
    async fn one(&mut self) -> Result<(), Failure> {
        if self.plan.streaming {
            let request = self.connection.next_message().await.map_err(ClientError::from)?.got;
            return self.answer_for_good(&request).await;
        }
        let syncpoint = match &self.source {
            Source::Filler(..) => GetFlags::SYNCPOINT_IF_PERSISTENT,
            Source::Program(_) => GetFlags::SYNCPOINT,
        };
        let options = GetOptions {
            flags: GetFlags::WAIT | syncpoint | GetFlags::FAIL_IF_QUIESCING,
            wait: Some(GET_WAIT),
            ..GetOptions::default()
        };
        let request = match self.connection.get(self.requests, &options).await {
            Ok(request) => request,
            Err(error) if error.reason() == Reason::NoMsgAvailable => return Ok(()),
            Err(error) => return Err(self.plan.failed("get from", self.plan.queue, error).into()),
        };
        let in_unit_of_work =
            syncpoint == GetFlags::SYNCPOINT || request.descriptor.persistence == Persistence::Persistent;
        if !in_unit_of_work {
            return self.answer_for_good(&request).await;
        }
        match self.answer_or_put_aside(&request).await {
            Ok(replied) => {
                let replies = request.descriptor.reply_to_queue;
                self.commit().await.map_err(|error| self.plan.failed("put to", replies, error))?;
                self.count(replied);
                Ok(())
            }
            Err(failure) => {
                // A lost connection has backed out already; what matters is why.
                let _ = self.connection.back_out().await;
                Err(failure)
            }
        }
    }

    /// Answers a request that does not come again.
    async fn answer_for_good(&mut self, request: &Got) -> Result<(), Failure> {
        let replied = self.answer(request, PutFlags::NO_SYNCPOINT).await.map_err(|failure| match failure {
            Failure::Channel(error) => Failure::Reply(error),
            other => other,
        })?;
        self.count(replied);
        Ok(())
    }

    /// Says of a unit of work that was backed out because of a put what became of that.
    async fn commit(&mut self) -> Result<(), ChannelError> {
        let Err(error) = self.connection.commit().await else { return Ok(()) };
        let cause = if error.reason() == Reason::BackedOut { self.connection.failed_put().await? } else { None };
        Err(cause.unwrap_or(error))
    }

    fn count(&self, replied: bool) {
        self.counts.replies.fetch_add(u64::from(replied), Ordering::Relaxed);
    }

    /// Whether there is a reply.
    async fn answer_or_put_aside(&mut self, request: &Got) -> Result<bool, Failure> {
        if request.descriptor.backout_count > 0
            && let Some(queue) = self.put_aside(request).await?
        {
            eprintln!(
                "responder: a request that was backed out {} times went to {queue}",
                request.descriptor.backout_count
            );
            return Ok(false);
        }
        self.answer(request, PutFlags::SYNCPOINT).await
    }

    /// Where the request went, if it was backed out too often.
    async fn put_aside(&mut self, request: &Got) -> Result<Option<QueueName>, ClientError> {
        let put = backout::put_aside(&mut self.connection, self.plan.queue, request).await;
        put.map_err(|(queue, error)| self.plan.failed("put to", queue, error))
    }

    /// Whether there is a reply.
    async fn answer(&mut self, request: &Got, syncpoint: PutFlags) -> Result<bool, Failure> {
        let reply = match &mut self.source {
            Source::Filler(payload, size) => filler(payload, *size, &request.body),
            Source::Program(program) => program.answer(&request.body).await?,
        };
        if request.descriptor.reply_to_queue.is_blank() {
            // Nobody wants to know.
            return Ok(false);
        }
        self.put(request, syncpoint, reply).await?;
        Ok(true)
    }

    async fn put(&mut self, request: &Got, syncpoint: PutFlags, reply: Bytes) -> Result<(), ClientError> {
        let put = self.put_reply(request, syncpoint, reply).await;
        put.map_err(|error| self.plan.failed("put to", request.descriptor.reply_to_queue, error))
    }

    async fn put_reply(&mut self, request: &Got, syncpoint: PutFlags, reply: Bytes) -> Result<(), ChannelError> {
        let descriptor = reply::descriptor(&request.descriptor);
        // A commit tells whether a put that nobody waited for has failed: both go out in one write.
        let needs_no_answer = self.plan.streaming || syncpoint.contains(PutFlags::SYNCPOINT);
        let answer = if needs_no_answer { PutFlags::ASYNC_RESPONSE } else { PutFlags::empty() };
        let options = PutOptions { flags: syncpoint | PutFlags::FAIL_IF_QUIESCING | answer, context: None };
        let queue = request.descriptor.reply_to_queue;
        let queue_manager = request.descriptor.reply_to_queue_manager;
        let foreign = !queue_manager.is_blank() && queue_manager != *self.connection.queue_manager();
        if foreign || (self.replies.len() >= MOST_OPEN && !self.replies.contains_key(&queue)) {
            let object = ObjectDescriptor { name: queue, queue_manager, ..ObjectDescriptor::default() };
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

    /// Forgets reply queues that may be gone, and makes a lost connection again.
    async fn recover(&mut self) -> Result<(), ClientError> {
        for (_, handle) in self.replies.drain() {
            // It may be gone with the connection.
            let _ = self.connection.close(handle, CloseOptions::empty()).await;
        }
        if self.connection.is_broken() {
            (self.connection, self.requests) = Self::connect(&self.plan).await?;
        }
        Ok(())
    }
}

/// `size` bytes that begin with the name of the driver's request, or with all of a request that is shorter than a name.
fn filler(payload: &Payload, size: usize, request: &[u8]) -> Bytes {
    let length = PutId::LENGTH.min(request.len());
    let mut name = [b'.'; PutId::LENGTH];
    name[..length].copy_from_slice(&request[..length]);
    let mut reply = payload.behind(&name);
    reply.truncate(size);
    reply.freeze()
}
