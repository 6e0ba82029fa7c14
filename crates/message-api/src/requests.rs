//! A request and its reply in one call: the request is put, its reply awaited, and a reply that comes too late is looked after.
//!
//! Most requests share one reply queue of the server's in each queue manager, and find their replies by identifiers that the queue
//! manager made for them (`reply_queue.rs`). Opening a queue for each would cost more than the rest. A request whose identifiers the
//! caller chose, or whose reply is found by none, has a temporary queue of its own: on the shared one it could take another's reply.
//!
//! Invariants
//! - What is awaited is known before the request is put. Whatever ends the wait without the reply, its guard says so.
//! - A reply is taken off a named queue in a unit of work that is committed before it is answered.

mod late;
mod reply_queue;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use connection::error::ConnectionError;
use connection::pool::{Lent, Pool};
use connection::target::Acting;
use connection::verbs::{Identifiers, ObjectHandle};
use model::authority::Principal;
use model::descriptor::{MessageType, Report};
use model::identifier::{CorrelationId, MessageId};
use model::message::Message;
use model::name::{QueueManagerName, QueueName};
use model::options::{GetFlags, GetOptions, MatchOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use parking_lot::Mutex;
use queue_manager::{QueueManagers, Receipt};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::outgoing::expiry_of;

use self::late::{Awaited, Fate, LateReplies};
use self::reply_queue::{MODEL, ReplyQueue};

/// How a reply is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Correlation {
    /// Its CorrelId is the request's MsgId.
    #[default]
    MessageId,
    /// Its CorrelId is the request's.
    CorrelationId,
    /// It is the next message.
    None,
}

/// What becomes of a reply that comes too late.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LateReply {
    /// It goes, and so does the request where it was not read.
    #[default]
    Expire,
    /// It stays on its queue, which was named.
    Keep,
    /// It is moved to this queue.
    Move(QueueName),
}

/// A request to be put.
pub struct Request {
    pub object: ObjectDescriptor,
    pub message: Box<Message>,
    /// Without a flag of syncpoint.
    pub options: PutOptions,
    pub wait: Duration,
    /// `None`: a temporary one.
    pub reply_queue: Option<QueueName>,
    pub correlation: Correlation,
    pub late: LateReply,
}

/// A request that was put: enough to wait for its reply again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    pub id: MessageId,
    reply_queue: QueueName,
    /// Of the reply.
    correlation: Option<CorrelationId>,
    is_named: bool,
}

/// How an exchange ended.
pub enum Exchanged {
    Reply(Box<Message>),
    /// None came in time.
    Nothing(MessageId),
}

#[derive(Debug, thiserror::Error)]
pub enum NotExchanged {
    #[error("the reply queue '{queue}' cannot be used")]
    ReplyQueue {
        queue: String,
        #[source]
        source: ConnectionError,
    },
    #[error("the late replies cannot be moved to '{queue}'")]
    LateQueue {
        queue: String,
        #[source]
        source: ConnectionError,
    },
    #[error("the request cannot be put")]
    Put(#[source] ConnectionError),
    /// The request was put.
    #[error("the reply cannot be got")]
    Get(#[source] ConnectionError),
    /// A receipt is of a queue manager of this server.
    #[error("the queue manager is a remote one")]
    Remote,
}

/// Makes the receipt of a request that is being put.
pub type MakeReceipt<'a> = &'a (dyn Fn(&Sent) -> Option<Receipt> + Sync);

/// The requests of a server.
pub struct Requests {
    server: Principal,
    queue_managers: QueueManagers,
    shared: Mutex<HashMap<QueueManagerName, Arc<ReplyQueue>>>,
    late: Arc<LateReplies>,
}

impl Requests {
    pub(crate) fn new(queue_managers: QueueManagers, server: Principal) -> Self {
        Self { server, queue_managers, shared: Mutex::default(), late: Arc::default() }
    }

    /// Puts the request and waits for its reply. Dropped while it waits, the reply is a late one.
    ///
    /// # Errors
    /// As `NotExchanged` says.
    pub async fn exchange(
        &self,
        pool: &Arc<Pool>,
        acting: Acting<'_>,
        request: Request,
        receipt: Option<MakeReceipt<'_>>,
    ) -> Result<Exchanged, NotExchanged> {
        if pool.is_remote() && receipt.is_some() {
            return Err(NotExchanged::Remote);
        }
        if let LateReply::Move(queue) = request.late {
            may_put(pool, acting, queue).await?;
        }
        let is_chosen = match request.correlation {
            Correlation::MessageId => !request.options.flags.contains(PutFlags::NEW_MSG_ID),
            Correlation::CorrelationId => !request.message.descriptor.correlation_id.is_none(),
            Correlation::None => true,
        };
        if request.reply_queue.is_some() || is_chosen || pool.is_remote() {
            return Box::pin(self.exchange_by_own_queue(pool, acting, request, receipt)).await;
        }
        self.exchange_by_shared_queue(pool, acting, request, receipt).await
    }

    async fn exchange_by_shared_queue(
        &self,
        pool: &Arc<Pool>,
        acting: Acting<'_>,
        mut request: Request,
        receipt: Option<MakeReceipt<'_>>,
    ) -> Result<Exchanged, NotExchanged> {
        let mut lent = pool.lend().await.map_err(NotExchanged::Put)?;
        let queue = match self.shared_queue(&mut lent).await {
            Ok(queue) => queue,
            Err(source) => {
                lent.give_back();
                return Err(NotExchanged::ReplyQueue { queue: MODEL.to_owned(), source });
            }
        };
        let local = lent.connection().local().ok_or(NotExchanged::Remote)?;
        let identifier = local.connection().reserve_message_ids();
        let correlation = CorrelationId::new(identifier);
        request.choose(identifier);
        request.address(queue.name());
        let until = Instant::now() + request.wait;
        let awaited = queue.awaiting(correlation, until, receipt.is_some());
        let sent = put(&mut lent, acting, request, Some(correlation), false, receipt).await;
        let sent = match sent {
            Ok(sent) => {
                lent.give_back();
                sent
            }
            Err(error) => {
                lent.give_back_after(&error);
                awaited.over();
                return Err(NotExchanged::Put(error));
            }
        };
        let got = queue.get(correlation, until).await;
        self.answered_by_shared_queue(&queue, got, sent.id, || awaited.over())
    }

    fn answered_by_shared_queue(
        &self,
        queue: &Arc<ReplyQueue>,
        got: Result<Option<Box<Message>>, ConnectionError>,
        id: MessageId,
        over: impl FnOnce(),
    ) -> Result<Exchanged, NotExchanged> {
        over();
        match got {
            Ok(Some(reply)) => Ok(Exchanged::Reply(reply)),
            Ok(None) => Ok(Exchanged::Nothing(id)),
            Err(error) => {
                self.shared.lock().retain(|_, known| !Arc::ptr_eq(known, queue));
                Err(NotExchanged::Get(error))
            }
        }
    }

    /// The reply queue of the server in the queue manager of this connection.
    async fn shared_queue(&self, lent: &mut Lent) -> Result<Arc<ReplyQueue>, ConnectionError> {
        let foreign = || ConnectionError::Refused(Reason::HconnError);
        let local = lent.connection().local().ok_or_else(foreign)?;
        let queue_manager = local.connection().queue_manager();
        let known = self.shared.lock().get(&queue_manager.name()).cloned();
        if let Some(known) = known.filter(|known| known.is_of(&queue_manager)) {
            return Ok(known);
        }
        let made = Arc::new(ReplyQueue::open(local, &queue_manager, &self.server).await?);
        let mut shared = self.shared.lock();
        let entry = shared.entry(queue_manager.name()).or_insert_with(|| made.clone());
        if !entry.is_of(&queue_manager) {
            *entry = made;
        }
        Ok(entry.clone())
    }

    async fn exchange_by_own_queue(
        &self,
        pool: &Arc<Pool>,
        acting: Acting<'_>,
        mut request: Request,
        receipt: Option<MakeReceipt<'_>>,
    ) -> Result<Exchanged, NotExchanged> {
        let is_named = request.reply_queue.is_some();
        let (mut lent, handle, name) = self.open(pool, acting, request.reply_queue).await?;
        request.address(name);
        let until = Instant::now() + request.wait;
        let chosen = match request.correlation {
            Correlation::MessageId if lent.connection().is_local() => {
                let is_chosen = !request.options.flags.contains(PutFlags::NEW_MSG_ID);
                if !is_chosen && let Some(local) = lent.connection().local() {
                    request.choose(local.connection().reserve_message_ids());
                }
                Some(CorrelationId::new(*request.message.descriptor.message_id.as_bytes()))
            }
            Correlation::MessageId if !request.options.flags.contains(PutFlags::NEW_MSG_ID) => {
                Some(CorrelationId::new(*request.message.descriptor.message_id.as_bytes()))
            }
            Correlation::MessageId | Correlation::None => None,
            Correlation::CorrelationId => {
                if request.message.descriptor.correlation_id.is_none() {
                    request.message.descriptor.correlation_id = CorrelationId::new(rand::random());
                }
                Some(request.message.descriptor.correlation_id)
            }
        };
        let by_message_id = request.correlation == Correlation::MessageId;
        let fate = Fate::of(request.late).filter(|_| is_named);
        let awaited = |correlation| {
            let kept_until = receipt.is_some().then_some(until);
            fate.map(|fate| Awaited::new(&self.late, pool, acting, name, correlation, fate, kept_until))
        };
        let mut guard = chosen.and_then(awaited);
        let sent = match put(&mut lent, acting, request, chosen, is_named, receipt).await {
            Ok(sent) => sent,
            Err(error) => {
                if let Some(guard) = guard.filter(|_| !error.is_lost()) {
                    guard.has_come();
                }
                close(lent, handle, Some(&error)).await;
                return Err(NotExchanged::Put(error));
            }
        };
        let correlation = chosen.or_else(|| by_message_id.then(|| CorrelationId::new(*sent.id.as_bytes())));
        if guard.is_none() {
            guard = correlation.and_then(awaited);
        }
        wait(lent, handle, correlation, until, guard, sent.id).await
    }

    /// Waits again for the reply of a request that was put before.
    ///
    /// # Errors
    /// As `exchange`.
    pub async fn await_again(
        &self,
        pool: &Arc<Pool>,
        acting: Acting<'_>,
        sent: &Sent,
        time: Duration,
        late: LateReply,
    ) -> Result<Exchanged, NotExchanged> {
        let until = Instant::now() + time;
        if !sent.is_named {
            let queue = self.shared.lock().values().find(|queue| queue.name() == sent.reply_queue).cloned();
            let (Some(queue), Some(correlation)) = (queue, sent.correlation) else {
                return Ok(Exchanged::Nothing(sent.id));
            };
            let Some(awaited) = queue.awaiting_again(correlation, until) else {
                return Ok(Exchanged::Nothing(sent.id));
            };
            let got = queue.get(correlation, until).await;
            return self.answered_by_shared_queue(&queue, got, sent.id, || awaited.over());
        }
        let (lent, handle, name) = self.open(pool, acting, Some(sent.reply_queue)).await?;
        let guard = Fate::of(late)
            .zip(sent.correlation)
            .map(|(fate, correlation)| Awaited::new(&self.late, pool, acting, name, correlation, fate, Some(until)));
        wait(lent, handle, sent.correlation, until, guard, sent.id).await
    }

    /// The named queue as the caller, or a temporary one as the server.
    async fn open(
        &self,
        pool: &Arc<Pool>,
        acting: Acting<'_>,
        named: Option<QueueName>,
    ) -> Result<(Lent, ObjectHandle, QueueName), NotExchanged> {
        let options = OpenOptions::INPUT_AS_Q_DEF | OpenOptions::FAIL_IF_QUIESCING;
        let name = named.unwrap_or(QueueName::literal(MODEL));
        let object = ObjectDescriptor { name, dynamic_queue: reply_queue::PATTERN.to_owned(), ..Default::default() };
        let as_server = named.is_none() && !pool.is_remote();
        let acting = if as_server { Acting::AsConnected(&self.server) } else { acting };
        let failed = |source| NotExchanged::ReplyQueue { queue: name.to_string(), source };
        let (lent, opened) = pool.open(acting, &object, options).await.map_err(failed)?;
        Ok((lent, opened.handle, opened.name))
    }

    /// Discards replies that nothing waits for. Runs until it is dropped.
    pub(crate) async fn run(&self) {
        let sweep = async {
            loop {
                tokio::time::sleep(reply_queue::BETWEEN_SWEEPS).await;
                let queues: Vec<_> = self.shared.lock().values().cloned().collect();
                for queue in queues {
                    queue.sweep().await;
                }
            }
        };
        tokio::join!(sweep, self.late.run(&self.server));
    }

    /// Reply queues of queue managers that have ended are gone.
    pub(crate) fn queue_managers_changed(&self) {
        let running = self.queue_managers.running();
        self.shared.lock().retain(|_, queue| running.iter().any(|known| queue.is_of(known)));
    }
}

impl Request {
    /// Makes it a request for a reply there, which lives no longer than its wait where late replies expire.
    fn address(&mut self, queue: QueueName) {
        let descriptor = &mut self.message.descriptor;
        descriptor.message_type = MessageType::REQUEST;
        descriptor.reply_to_queue = queue;
        descriptor.reply_to_queue_manager = QueueManagerName::BLANK;
        if self.correlation == Correlation::CorrelationId {
            descriptor.report |= Report::PASS_CORREL_ID;
        }
        if self.late == LateReply::Expire {
            let limit = expiry_of(self.wait);
            if descriptor.expiry.0 < 0 || descriptor.expiry.0 > limit.0 {
                descriptor.expiry = limit;
            }
            descriptor.report |= Report::PASS_DISCARD_AND_EXPIRY;
        }
    }

    /// Gives the request the identifier by which its reply is found.
    fn choose(&mut self, identifier: [u8; 24]) {
        match self.correlation {
            Correlation::MessageId => {
                self.message.descriptor.message_id = MessageId::new(identifier);
                self.options.flags.remove(PutFlags::NEW_MSG_ID);
            }
            Correlation::CorrelationId => self.message.descriptor.correlation_id = CorrelationId::new(identifier),
            Correlation::None => {}
        }
    }
}

/// Puts the request, with its receipt in the same record of the log.
async fn put(
    lent: &mut Lent,
    acting: Acting<'_>,
    request: Request,
    correlation: Option<CorrelationId>,
    is_named: bool,
    receipt: Option<MakeReceipt<'_>>,
) -> Result<Sent, ConnectionError> {
    let Request { object, message, mut options, .. } = request;
    let reply_queue = message.descriptor.reply_to_queue;
    options.flags |= if receipt.is_some() { PutFlags::SYNCPOINT } else { PutFlags::NO_SYNCPOINT };
    let Identifiers { message_id, .. } = lent.connection().put1(acting, &object, message, &options).await?;
    let sent = Sent { id: message_id, reply_queue, correlation, is_named };
    if let (Some(receipt), Some(local)) = (receipt, lent.connection().local())
        && let Err(refused) = local.connection().commit_together(Vec::new(), receipt(&sent)).await
    {
        let _ = local.connection().back_out().await;
        return Err(refused.reason.into());
    }
    Ok(sent)
}

/// Takes the reply off a queue that is open.
async fn wait(
    mut lent: Lent,
    handle: ObjectHandle,
    correlation: Option<CorrelationId>,
    until: Instant,
    guard: Option<Awaited>,
    id: MessageId,
) -> Result<Exchanged, NotExchanged> {
    let options = get_options(correlation, until, GetFlags::SYNCPOINT);
    let got = match lent.connection().get(handle, &options).await {
        Ok(reply) => lent.connection().commit().await.map(|()| Some(reply)),
        Err(error) if error.reason() == Reason::NoMsgAvailable => Ok(None),
        Err(error) => Err(error),
    };
    if let Some(guard) = guard {
        match &got {
            Ok(Some(_)) => guard.has_come(),
            Ok(None) | Err(_) => drop(guard),
        }
    }
    close(lent, handle, got.as_ref().err()).await;
    match got {
        Ok(Some(reply)) => Ok(Exchanged::Reply(reply)),
        Ok(None) => Ok(Exchanged::Nothing(id)),
        Err(error) => Err(NotExchanged::Get(error)),
    }
}

fn get_options(correlation: Option<CorrelationId>, until: Instant, syncpoint: GetFlags) -> GetOptions {
    let mut options = GetOptions {
        flags: GetFlags::WAIT | GetFlags::FAIL_IF_QUIESCING | GetFlags::PROPERTIES_FORCE_MQRFH2 | syncpoint,
        wait: Some(until.saturating_duration_since(Instant::now())),
        ..GetOptions::default()
    };
    if let Some(correlation) = correlation {
        options.match_options |= MatchOptions::CORREL_ID;
        options.correlation_id = correlation;
    }
    options
}

async fn close(mut lent: Lent, handle: ObjectHandle, error: Option<&ConnectionError>) {
    if error.is_some_and(ConnectionError::is_lost) {
        return;
    }
    match lent.connection().close(handle).await {
        Ok(()) => lent.give_back(),
        Err(error) => lent.give_back_after(&error),
    }
}

/// # Errors
/// `LateQueue`: the caller may not put there, or it is not there.
async fn may_put(pool: &Arc<Pool>, acting: Acting<'_>, queue: QueueName) -> Result<(), NotExchanged> {
    let object = ObjectDescriptor { name: queue, ..ObjectDescriptor::default() };
    let opened = pool.open(acting, &object, OpenOptions::OUTPUT | OpenOptions::FAIL_IF_QUIESCING).await;
    let (lent, opened) = opened.map_err(|source| NotExchanged::LateQueue { queue: queue.to_string(), source })?;
    close(lent, opened.handle, None).await;
    Ok(())
}
