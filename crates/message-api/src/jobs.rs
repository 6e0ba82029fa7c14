//! Jobs: messages of a queue moved, copied, purged or replayed in the background, while the client does something else.
//!
//! A job is a task of its own. It looks at the messages that were on the queue when it began, and works in batches; each batch
//! is one record of the recovery log, and so is the job's record with its counts (`record.rs`). A message is on one queue or on
//! the other, and after a crash the record says exactly how far the job came.
//!
//! Never here: more rights than those of the user who started the job. It opens, gets and puts as that user.
//!
//! Invariants
//! - A job never meets its own output: what came after its beginning is not looked at.
//! - A job ends by itself: with the messages, with its limit, when it is cancelled, and with its queue manager.
//! - Running jobs are bounded, of the server and of each user. `SLOTS` jobs of a queue manager are remembered, for `REMEMBERED`.

mod batch;
mod carrying;
mod record;
mod run;
mod table;
mod trail;
mod undoing;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use connection::error::ConnectionError;
use connection::pool::{Lent, Pool};
use connection::target::Acting;
use model::authority::Principal;
use model::identifier::MessageId;
use model::name::QueueName;
use model::options::{CloseOptions, GetOptions, ObjectDescriptor, OpenOptions, PutFlags};
use model::reason::Reason;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use queue_manager::connection::{Connection, ObjectHandle, Opened};
use queue_manager::{Position, QueueManager, QueueManagers};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::content::Wanted;
use crate::dead_letters::Kind;

use self::carrying::Carrying;
pub use self::record::{Counts, Failure, JobId, Record, State};
use self::run::{Runner, Work};
use self::table::Table;
pub use self::trail::NoUndo;
use self::trail::{Place, Trail, Trails};
pub use self::undoing::UndoOrder;
use self::undoing::Undoing;

/// Jobs that run at once, of all users and of one.
pub const MOST_RUNNING: usize = 16;
pub const MOST_RUNNING_OF_USER: usize = 4;
/// Jobs of a queue manager that are remembered.
pub const SLOTS: usize = 256;
/// For how long after its end.
pub const REMEMBERED: Duration = Duration::from_secs(24 * 3600);

/// Longer names of users start no job, in bytes: a record is bounded.
const LONGEST_USER: usize = 4096;

/// What is done with the messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    Move,
    Copy,
    Purge,
    /// Takes the dead-letter header off and puts the message where that says, or to the queue of the order.
    Replay,
    /// Puts back what another job has put.
    Undo,
}

/// What a client wants done.
#[derive(Debug, Clone)]
pub struct Order {
    pub action: Action,
    pub queue: QueueName,
    /// What to match.
    pub matched: GetOptions,
    /// An SQL-92 selector; empty for none.
    pub selector: String,
    /// Only messages at these positions.
    pub positions: Option<BTreeSet<Position>>,
    /// Only messages with these identifiers.
    pub ids: Option<BTreeSet<MessageId>>,
    /// Only dead letters of this kind.
    pub dead_letter: Option<DeadLetter>,
    /// Only messages before this position: those that an earlier job has counted.
    pub before: Option<Position>,
    /// Only messages with such data.
    pub wanted: Wanted,
    /// Most messages that are done.
    pub limit: Option<u64>,
    pub to: Option<QueueName>,
    /// Counts, and changes nothing.
    pub is_dry: bool,
    /// The context of the user who started the job, in place of the message's own.
    pub has_new_context: bool,
}

/// Which dead letters; what is `None` may be anything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeadLetter {
    /// `Some(None)`: messages without an MQDLH.
    pub reason: Option<Option<i32>>,
    pub queue: Option<String>,
    pub user: Option<String>,
    pub application: Option<String>,
}

impl DeadLetter {
    fn fits(&self, kind: &Kind) -> bool {
        let is = |wanted: &Option<String>, is: &str| wanted.as_deref().is_none_or(|wanted| wanted == is);
        self.reason.is_none_or(|wanted| wanted == kind.reason)
            && is(&self.queue, &kind.queue)
            && is(&self.user, &kind.user)
            && is(&self.application, &kind.application)
    }
}

/// Why no job was started.
#[derive(Debug, thiserror::Error)]
pub enum NotStarted {
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// Jobs are for queue managers of this server.
    #[error("the queue manager is a remote one")]
    Remote,
    #[error("the queue cannot be opened")]
    Queue(#[source] ConnectionError),
    #[error("the queue to put to cannot be opened")]
    Destination(#[source] ConnectionError),
    #[error("both are the same queue")]
    SameQueue,
    #[error("too many jobs run")]
    TooMany,
    #[error("the job cannot be undone: {0}")]
    NoUndo(#[from] NoUndo),
}

/// All jobs of a server.
pub struct Jobs {
    queue_managers: QueueManagers,
    tables: Mutex<Vec<Table>>,
    trails: Arc<Trails>,
}

/// A job, running or over.
pub struct Job {
    id: JobId,
    /// Where its record is kept.
    slot: usize,
    record: Mutex<Record>,
    /// Of a job whose messages can be put back: one of this start of the queue manager.
    trail: Option<Arc<Trail>>,
    is_cancelled: AtomicBool,
}

impl Job {
    fn new(slot: usize, record: Record, trail: Option<Arc<Trail>>) -> Self {
        Self { id: record.id, slot, record: Mutex::new(record), trail, is_cancelled: AtomicBool::new(false) }
    }

    pub fn id(&self) -> JobId {
        self.id
    }

    /// As it is now. Its counts are those of what is committed.
    pub fn record(&self) -> Record {
        self.record.lock().clone()
    }

    /// As its user sees it, at the moment of this record of it.
    pub fn show(&self, record: &Record) -> Value {
        let mut shown = record.shown();
        let trail = self.trail_of(record).and_then(Trail::check);
        shown["undo"] = json!(trail.is_ok());
        if let Err(why) = trail {
            shown["undoProblem"] = json!(why.to_string());
        }
        shown
    }

    /// The queues that an undo would take messages from, and the one that it would put to.
    ///
    /// # Errors
    /// Why there is no undo.
    pub fn undo_queues(&self) -> Result<(Vec<QueueName>, Option<QueueName>), NoUndo> {
        let record = self.record();
        let trail = self.trail_of(&record)?;
        let from = trail.kept()?.places.iter().map(|place| place.name).collect();
        Ok((from, home(trail, &record).map(|home| home.name)))
    }

    fn trail_of(&self, record: &Record) -> Result<&Trail, NoUndo> {
        match record.action {
            Action::Purge => return Err(NoUndo::Purge),
            Action::Undo => return Err(NoUndo::Undo),
            Action::Move | Action::Copy | Action::Replay => {}
        }
        if record.is_dry {
            return Err(NoUndo::Dry);
        }
        if record.state == State::Running {
            return Err(NoUndo::Running);
        }
        self.trail.as_deref().ok_or(NoUndo::Restarted)
    }

    /// It ends with the message that it has in hand. Of a job that is over nothing changes.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Release);
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Acquire)
    }
}

impl Jobs {
    pub fn new(queue_managers: QueueManagers) -> Self {
        Self { queue_managers, tables: Mutex::default(), trails: Arc::default() }
    }

    /// Starts a job of this user. It is on record when this returns, and goes on when the future is dropped.
    ///
    /// # Errors
    /// Those of MQOPEN; nothing was done then. 2035 (`Destination`) also when the user may not pass on the context of messages.
    pub async fn start(
        &self,
        pool: &Arc<Pool>,
        acting: Acting<'_>,
        user: &str,
        order: Order,
        now: Timestamp,
    ) -> Result<Arc<Job>, NotStarted> {
        let mut lent = lend(pool, user).await?;
        let connection = local(&mut lent)?;
        let ways = Ways::open(connection, acting.principal(), &order).await?;
        let queue_manager = connection.queue_manager();
        let record = Record { bound: ways.bound.0, ..Record::begun(user, queue_manager.name(), &order, now) };
        let home = Place { name: order.queue, resolved: ways.resolved };
        let has_trail = !order.is_dry && order.action != Action::Purge;
        let trail = has_trail.then(|| Trail::begin(&self.trails, home));
        let carrying = Carrying::new(order, acting.principal().clone(), ways);
        self.begin(lent, &queue_manager, record, trail, Work::Carry(Box::new(carrying)), now).await
    }

    /// Starts an undo of a job that is over, as `start`.
    ///
    /// # Errors
    /// `NoUndo`. Those of MQOPEN: `Destination` of the queue that the messages go back to, `Queue` of the one they are on.
    pub async fn undo(
        &self,
        pool: &Arc<Pool>,
        acting: Acting<'_>,
        user: &str,
        of: &Job,
        order: UndoOrder,
        now: Timestamp,
    ) -> Result<Arc<Job>, NotStarted> {
        let undone = of.record();
        let trail = of.trail_of(&undone)?;
        let kept = trail.kept()?;
        let mut lent = lend(pool, user).await?;
        let connection = local(&mut lent)?;
        let undoing = Undoing::open(connection, acting.principal(), kept, home(trail, &undone), order).await?;
        let queue_manager = connection.queue_manager();
        let record = undone.undoing(user, order.is_dry, now);
        self.begin(lent, &queue_manager, record, None, Work::Undo(Box::new(undoing)), now).await
    }

    async fn begin(
        &self,
        lent: Lent,
        queue_manager: &QueueManager,
        record: Record,
        trail: Option<Arc<Trail>>,
        work: Work,
        now: Timestamp,
    ) -> Result<Arc<Job>, NotStarted> {
        let of_store = |reason: Reason| NotStarted::Connection(reason.into());
        self.load(queue_manager).await.map_err(of_store)?;
        let job = self.enter(queue_manager, record, trail, now).ok_or(NotStarted::TooMany)?;
        let runner = Runner::new(Arc::clone(&job), work);
        let (begun, has_begun) = oneshot::channel();
        tokio::spawn(runner.run(lent, begun));
        match has_begun.await {
            Ok(Ok(())) => Ok(job),
            Ok(Err(reason)) => Err(of_store(reason)),
            Err(_) => Err(of_store(Reason::UnexpectedError)),
        }
    }

    /// All that are remembered, the newest first.
    pub async fn list(&self, now: Timestamp) -> Vec<Arc<Job>> {
        for queue_manager in self.queue_managers.running() {
            if let Err(reason) = self.load(&queue_manager).await {
                tracing::debug!(queue_manager = queue_manager.name().as_str(), %reason, "jobs cannot be read back");
            }
        }
        let mut tables = self.tables.lock();
        let mut jobs: Vec<_> = tables.iter_mut().flat_map(|table| table.jobs(now)).collect();
        drop(tables);
        jobs.sort_by_cached_key(|job| std::cmp::Reverse((job.record.lock().started, job.id)));
        jobs
    }

    /// Those that have been read back or started, in no order. Unlike `list` it waits for nothing.
    pub fn loaded(&self, now: Timestamp) -> Vec<Arc<Job>> {
        self.tables.lock().iter_mut().flat_map(|table| table.jobs(now)).collect()
    }

    /// Has to be called when a queue manager has started or ended: what is remembered of one that has ended is read back when
    /// it runs again.
    pub fn queue_managers_changed(&self) {
        let running = self.queue_managers.running();
        self.tables.lock().retain(|table| running.iter().any(|known| table.is_of(known)));
    }

    pub fn running(&self) -> usize {
        self.tables.lock().iter().map(|table| table.running(None)).sum()
    }

    /// Reads back what is on record of a queue manager, once for each of its starts.
    async fn load(&self, queue_manager: &QueueManager) -> Result<(), Reason> {
        if self.tables.lock().iter().any(|table| table.is_of(queue_manager)) {
            return Ok(());
        }
        let found = Table::read(queue_manager).await?;
        let mut tables = self.tables.lock();
        if !tables.iter().any(|table| table.is_of(queue_manager)) {
            tables.push(found);
        }
        Ok(())
    }

    /// `None` when too many run.
    fn enter(
        &self,
        queue_manager: &QueueManager,
        record: Record,
        trail: Option<Arc<Trail>>,
        now: Timestamp,
    ) -> Option<Arc<Job>> {
        let mut tables = self.tables.lock();
        let running = |user| tables.iter().map(|table| table.running(user)).sum::<usize>();
        if running(None) >= MOST_RUNNING || running(Some(&record.user)) >= MOST_RUNNING_OF_USER {
            return None;
        }
        tables.iter_mut().find(|table| table.is_of(queue_manager))?.enter(record, trail, now)
    }
}

/// A connection for a job.
async fn lend(pool: &Arc<Pool>, user: &str) -> Result<Lent, NotStarted> {
    if pool.is_remote() {
        return Err(NotStarted::Remote);
    }
    if user.len() > LONGEST_USER {
        return Err(NotStarted::Connection(Reason::SecurityError.into()));
    }
    Ok(pool.lend().await?)
}

/// Where an undo puts to; `None`: it removes copies.
fn home(trail: &Trail, record: &Record) -> Option<Place> {
    (record.action != Action::Copy).then_some(trail.home)
}

fn local(lent: &mut Lent) -> Result<&Connection, NotStarted> {
    lent.connection().local().map(connection::verbs::Local::connection).ok_or(NotStarted::Remote)
}

/// What the job found open to it.
struct Ways {
    source: ObjectHandle,
    /// The queue that its name leads to.
    resolved: QueueName,
    /// What to say of the context in each put.
    context: PutFlags,
    /// What is on the queue already has a lower position.
    bound: Position,
}

impl Ways {
    async fn open(connection: &Connection, principal: &Principal, order: &Order) -> Result<Self, NotStarted> {
        let source = ObjectDescriptor { name: order.queue, selector: order.selector.clone(), ..Default::default() };
        // A dry run is refused what the job would be refused.
        let takes = order.action != Action::Copy;
        let input =
            if takes { OpenOptions::INPUT_AS_Q_DEF | OpenOptions::SAVE_ALL_CONTEXT } else { OpenOptions::empty() };
        let options = OpenOptions::BROWSE | OpenOptions::FAIL_IF_QUIESCING | input;
        let opened = connection.open(principal, &source, options).await;
        let opened = opened.map_err(|reason| NotStarted::Queue(reason.into()))?;
        let next = connection.next_position_on(opened.handle).map_err(|reason| NotStarted::Queue(reason.into()));
        let probed = match next {
            Ok(next) => probe(connection, principal, order, &opened).await.map(|context| (next, context)),
            Err(refusal) => Err(refusal),
        };
        match probed {
            Ok((next, context)) => {
                let bound = order.before.map_or(next, |before| before.min(next));
                Ok(Self { source: opened.handle, resolved: opened.resolved_queue, context, bound })
            }
            Err(refusal) => {
                let _ = connection.close(opened.handle, CloseOptions::empty()).await;
                Err(refusal)
            }
        }
    }
}

/// A way to put: what the open asks for, and what each put says.
type Way = (OpenOptions, PutFlags);

const PASS: Way = (OpenOptions::PASS_ALL_CONTEXT, PutFlags::PASS_ALL_CONTEXT);
const SET: Way = (OpenOptions::SET_ALL_CONTEXT, PutFlags::SET_ALL_CONTEXT);
const NEW: Way = (OpenOptions::empty(), PutFlags::empty());

/// Finds out how messages may be put: with their own context by those who may pass on or set it.
async fn probe(
    connection: &Connection,
    principal: &Principal,
    order: &Order,
    source: &Opened,
) -> Result<PutFlags, NotStarted> {
    let ways: &[_] = match order.action {
        _ if order.has_new_context => &[NEW],
        // A message that is browsed has no context to pass on.
        Action::Copy => &[SET],
        Action::Move | Action::Replay | Action::Purge | Action::Undo => &[PASS, SET],
    };
    let Some(name) = order.to else { return Ok(ways[0].1) };
    let (flags, opened) = way_to(connection, principal, name, ways).await?;
    if is_same_queue(source, &opened) && order.action != Action::Copy {
        return Err(NotStarted::SameQueue);
    }
    Ok(flags)
}

/// The first of these ways by which this user may put to a queue, and what its name leads to.
///
/// # Errors
/// `Destination`: those of MQOPEN.
async fn way_to(
    connection: &Connection,
    principal: &Principal,
    name: QueueName,
    ways: &[Way],
) -> Result<(PutFlags, Opened), NotStarted> {
    let refused = |reason: Reason| NotStarted::Destination(reason.into());
    let object = ObjectDescriptor { name, ..ObjectDescriptor::default() };
    for (option, flags) in ways {
        let options = OpenOptions::OUTPUT | OpenOptions::FAIL_IF_QUIESCING | *option;
        match connection.open(principal, &object, options).await {
            Ok(opened) => {
                let _ = connection.close(opened.handle, CloseOptions::empty()).await;
                // A model queue would be another queue for each message.
                let is_one = opened.object_name == name;
                return if is_one { Ok((*flags, opened)) } else { Err(refused(Reason::ObjectTypeError)) };
            }
            Err(Reason::NotAuthorized) => {}
            Err(reason) => return Err(refused(reason)),
        }
    }
    Err(refused(Reason::NotAuthorized))
}

fn is_same_queue(one: &Opened, other: &Opened) -> bool {
    (one.resolved_queue, one.resolved_queue_manager) == (other.resolved_queue, other.resolved_queue_manager)
}
