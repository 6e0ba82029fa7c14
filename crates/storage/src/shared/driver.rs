//! Keeps a member connected: opens sessions, replaces them, watches over the group while one is open.
//!
//! A session is all connections of the member together. As soon as one of them is of no use, all are given up: a lane left behind on an
//! old primary would go on handing out messages that can never be committed. On the next session the lanes first learn what became
//! of their last batches; then what the database holds for this member and nobody here knows of is given back; then work goes on.
//!
//! Each database of the group has a driver of its own. That of the home joins the group; those of structures take part in the epoch that
//! the home has given (`structure.rs`).

mod restating;
mod threads;

pub(super) use threads::Threads;

use std::collections::{HashMap, HashSet};
use std::error::Error as _;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::try_join_all;
use parking_lot::Mutex;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};
use tracing::{error, info, warn};

use crate::shared::batch::{Connected, opened_by, owner};
use crate::shared::depth::AllFigures;
use crate::shared::error::SharedError;
use crate::shared::handles::SealedQueues;
use crate::shared::hint::{Heard, Hints};
use crate::shared::in_common::{Enrolled, Enrolment, InCommon};
use crate::shared::inbox::Inbox;
use crate::shared::lane::{LANES, LAZY, Lane};
use crate::shared::low_water::Opened;
use crate::shared::member::{self, Beaten, GivenBack, Identity, MemberStatus, Membership, Watch};
use crate::shared::operation::{AllDeciding, Place};
use crate::shared::options::SharedOptions;
use crate::shared::position::Positions;
use crate::shared::primary::{self, HighestTimeline, Primary};
use crate::shared::row::{delivery_key, moment, position, queue_id, queue_number, rank, timestamp};
use crate::shared::schema::{self, Label, SchemaVersions};
use crate::shared::statements::Statements;
use crate::shared::statistics::Counts;
use crate::shared::structure;
use crate::shared::upkeep::{clean, first_connection, observe, warn_of};
use crate::{ClusterNumber, DeliveryKey, QueueId, StoreError};
use model::timestamp::Timestamp;

/// An attempt to connect, to all that a session needs, takes no longer.
const ATTEMPT: Duration = Duration::from_secs(10);
/// An orderly end takes no longer; else a peer recovers what the member held.
const LEAVING: Duration = Duration::from_secs(2);
/// A peer's recovery waits this long for transactions of the dead member that are under way.
const RECOVERY: Duration = Duration::from_secs(60);
/// Longest pause between two attempts to connect.
const BACKOFF: Duration = Duration::from_secs(1);
/// Between two looks at queues that somebody waits for.
const POLL: Duration = Duration::from_millis(100);
/// A look at all of them while hints arrive, in units of `POLL`.
const POLLS_OF_ALL: u32 = 10;
/// Between two looks at what the others have done to queues in use.
const REFRESH: Duration = Duration::from_millis(250);
/// The same for all queues, in units of `REFRESH`.
const REFRESHES_OF_ALL: u32 = 40;

/// Where the member is.
#[derive(Clone)]
pub(super) enum Phase {
    Connecting,
    /// The lanes ask what became of their batches.
    Resolving(Arc<Session>),
    Open(Arc<Session>),
    /// Not connected for longer than callers wait.
    Away,
    /// Another process is this member now.
    TakenOver,
    Closed,
}

/// Connections of one life of the member.
pub(super) struct Session {
    pub(super) generation: u64,
    pub(super) member: i32,
    pub(super) epoch: i64,
    pub(super) primary: Primary,
    pub(super) lanes: Vec<Connected>,
    /// Looks; and changes definitions, whose commits are waited for.
    pub(super) reader: Connected,
    /// Membership; its commits are not waited for.
    pub(super) admin: Connected,
}

impl Session {
    pub(super) fn owner(&self) -> i64 {
        owner(self.member, self.epoch)
    }
}

/// What of the group a driver's database has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Role {
    Home,
    /// Messages of the structure with this name.
    Structure(String),
}

/// What all parts of a member share, as far as it works with one database.
pub(super) struct Driver {
    role: Role,
    pub(super) in_common: Arc<InCommon>,
    /// Of a structure known once the home has been reached.
    cluster: OnceLock<ClusterNumber>,
    pub(super) options: SharedOptions,
    pub(super) phase: watch::Sender<Phase>,
    pub(super) inboxes: [Arc<Inbox>; LANES],
    pub(super) figures: AllFigures,
    pub(super) positions: Positions,
    /// Messages that are this member's in the database, outside prepared units of work, and since which epoch.
    pub(super) claims: Mutex<HashMap<Place, i64>>,
    pub(super) deciding: AllDeciding,
    /// Peers that this member recovers at present.
    recovering: Mutex<HashSet<i32>>,
    /// Somebody waits for messages on these queues: how many.
    watched: Mutex<HashMap<QueueId, usize>>,
    /// Numbers of requests to other members that are waited for.
    pub(super) asked: Mutex<HashSet<i64>>,
    /// Requests of others, or answers, may have come.
    pub(super) requests: watch::Sender<()>,
    events: mpsc::UnboundedSender<Event>,
    highest: HighestTimeline,
    generation: AtomicU64,
    pub(super) counts: Counts,
    /// Why the last attempt to connect failed.
    trouble: Mutex<Option<String>>,
    /// Rows that this member has changed or removed since it last cleaned the table.
    pub(super) dead_rows: AtomicUsize,
    /// Queues that no member can open any more, and that this one had open: what it was asked before comes too late.
    pub(super) sealed: SealedQueues,
    /// In which epoch the database was last told what is open here.
    stated: AtomicI64,
    has_expiry_duty: AtomicBool,
    /// The operator was told once what is not well with the database.
    has_warned: AtomicBool,
    is_closed: watch::Sender<bool>,
}

enum Event {
    LaneResolved(u64),
    /// It has done all that it was asked, and takes nothing more.
    LaneEnded,
    Lost(u64),
    Fenced(u64),
}

impl Driver {
    /// Starts the threads. The first session may come later.
    pub(super) fn start(
        options: SharedOptions,
        role: Role,
        in_common: Arc<InCommon>,
    ) -> Result<(Arc<Self>, Threads), SharedError> {
        let (events, received) = mpsc::unbounded_channel();
        let cluster = if role == Role::Home { OnceLock::from(ClusterNumber::HOME) } else { OnceLock::new() };
        let driver = Arc::new(Self {
            role,
            in_common,
            cluster,
            options,
            phase: watch::Sender::new(Phase::Connecting),
            inboxes: Default::default(),
            figures: AllFigures::default(),
            positions: Positions::default(),
            claims: Mutex::default(),
            deciding: AllDeciding::default(),
            recovering: Mutex::default(),
            watched: Mutex::default(),
            asked: Mutex::default(),
            requests: watch::Sender::new(()),
            events,
            highest: HighestTimeline::default(),
            generation: AtomicU64::new(0),
            counts: Counts::default(),
            trouble: Mutex::default(),
            dead_rows: AtomicUsize::new(0),
            sealed: SealedQueues::default(),
            stated: AtomicI64::new(0),
            has_expiry_duty: AtomicBool::new(false),
            has_warned: AtomicBool::new(false),
            is_closed: watch::Sender::new(false),
        });
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("shared-store")
            .enable_all()
            .build()
            .map_err(SharedError::Thread)?;
        let mut lanes = Vec::new();
        for number in 0..LANES {
            let lane = Lane::new(number, Arc::clone(&driver));
            let handle = runtime.handle().clone();
            let thread = std::thread::Builder::new()
                .name(format!("shared-lane-{number}"))
                .spawn(move || handle.block_on(lane.run()))
                .map_err(SharedError::Thread)?;
            lanes.push(thread);
        }
        driver.in_common.add(&driver);
        runtime.spawn(supervise(Arc::clone(&driver), received));
        Ok((driver, Threads { runtime: Some(runtime), lanes }))
    }

    /// The open session; waits for one for as long as callers wait.
    pub(super) async fn session(&self) -> Result<Arc<Session>, StoreError> {
        if let Phase::Open(session) = &*self.phase.borrow() {
            return Ok(Arc::clone(session));
        }
        let mut phases = self.phase.subscribe();
        let settled = |phase: &Phase| !matches!(phase, Phase::Connecting | Phase::Resolving(_));
        match phases.wait_for(settled).await.as_deref() {
            Ok(Phase::Open(session)) => Ok(Arc::clone(session)),
            Ok(Phase::Closed) | Err(_) => Err(StoreError::Closed),
            Ok(_) => Err(StoreError::Unreachable),
        }
    }

    /// That of the open session.
    pub(super) fn open_generation(&self) -> Option<u64> {
        match &*self.phase.borrow() {
            Phase::Open(session) => Some(session.generation),
            Phase::Connecting | Phase::Resolving(_) | Phase::Away | Phase::TakenOver | Phase::Closed => None,
        }
    }

    /// Returns when the session is given up.
    pub(super) async fn until_over(&self, generation: u64) {
        let is_over = |phase: &Phase| match phase {
            Phase::Resolving(session) | Phase::Open(session) => session.generation != generation,
            Phase::Connecting | Phase::Away | Phase::TakenOver | Phase::Closed => true,
        };
        let _ = self.phase.subscribe().wait_for(is_over).await;
    }

    pub(super) fn lane_ended(&self) {
        let _ = self.events.send(Event::LaneEnded);
    }

    pub(super) fn lane_resolved(&self, generation: u64) {
        let _ = self.events.send(Event::LaneResolved(generation));
    }

    pub(super) fn broken(&self, generation: u64, error: &tokio_postgres::Error) {
        if generation == self.generation.load(Ordering::Acquire) && !self.is_closed() {
            let cause = error.source().map(ToString::to_string);
            warn!(%error, cause, "a connection to the group's database broke");
        }
        let _ = self.events.send(Event::Lost(generation));
    }

    pub(super) fn too_slow(&self, generation: u64) {
        warn!(deadline_s = self.options.deadline.as_secs(), "the group's database did not answer a batch in time");
        let _ = self.events.send(Event::Lost(generation));
    }

    pub(super) fn fenced(&self, generation: u64) {
        let _ = self.events.send(Event::Fenced(generation));
    }

    /// This member has ended the work of a peer; `None`: another one has.
    pub(super) fn gave_back(&self, given_back: Option<GivenBack>) {
        let Some(GivenBack { queues, messages }) = given_back else { return };
        self.counts.recovered(messages);
        queues.into_iter().for_each(|queue| self.in_common.arrived(queue));
    }

    /// Why the database cannot be reached; `None`: it can, or nothing has failed yet.
    pub(super) fn trouble(&self) -> Option<String> {
        self.trouble.lock().clone()
    }

    pub(super) fn has_expiry_duty(&self) -> bool {
        self.has_expiry_duty.load(Ordering::Relaxed)
    }

    pub(super) fn is_closed(&self) -> bool {
        *self.is_closed.borrow()
    }

    async fn closed(&self) {
        let _ = self.is_closed.subscribe().wait_for(|closed| *closed).await;
    }

    pub(super) fn close(&self) {
        self.is_closed.send_replace(true);
    }

    /// `None`: of a structure, and the home has not been reached, or does not know it.
    pub(super) fn cluster(&self) -> Option<ClusterNumber> {
        if let Some(known) = self.cluster.get() {
            return Some(*known);
        }
        let Enrolment::Enrolled(enrolled) = self.in_common.enrolment() else { return None };
        let cluster = *enrolled.structures.get(self.structure()?)?;
        Some(*self.cluster.get_or_init(|| cluster))
    }

    /// The session, if there is one at this moment.
    /// It had a session once.
    pub(super) fn was_open(&self) -> bool {
        self.generation.load(Ordering::Acquire) > 0
    }

    pub(super) fn open_session(&self) -> Option<Arc<Session>> {
        match &*self.phase.borrow() {
            Phase::Open(session) => Some(Arc::clone(session)),
            _ => None,
        }
    }

    pub(super) fn watch(&self, queue: QueueId) {
        let mut watched = self.watched.lock();
        let count = watched.entry(queue).or_default();
        *count += 1;
        if *count == 1
            && let Some(hints) = self.in_common.hints()
        {
            hints.tell_waits(&[queue]);
        }
    }

    pub(super) fn unwatch(&self, queue: QueueId) {
        let mut watched = self.watched.lock();
        if let Some(count) = watched.get_mut(&queue) {
            *count -= 1;
            if *count == 0 {
                watched.remove(&queue);
            }
        }
    }

    fn show(&self, phase: Phase) {
        self.phase.send_replace(phase);
        self.inboxes.iter().for_each(|inbox| inbox.interrupt());
        self.requests.send_modify(|()| {});
    }
}

/// One session after the other, until the store is closed or another process has taken the member over.
async fn supervise(driver: Arc<Driver>, mut events: mpsc::UnboundedReceiver<Event>) {
    let mut identity = Identity::new(driver.options.schema.version);
    loop {
        // Callers wait from here on.
        let give_up = Instant::now() + driver.options.patience;
        let session = tokio::select! {
            session = open_one(&driver, &mut identity, give_up, &mut events) => session,
            () = driver.closed() => None,
        };
        let Some(session) = session else {
            let is_closed = driver.is_closed();
            if !is_closed && driver.role == Role::Home {
                driver.in_common.enrol(Enrolment::TakenOver);
            }
            return driver.show(if is_closed { Phase::Closed } else { Phase::TakenOver });
        };
        let structure = driver.structure();
        info!(member = session.member, epoch = session.epoch, structure, "the member is connected to its group");
        if !driver.has_warned.swap(true, Ordering::Relaxed) {
            warn_of(&session).await;
        }
        driver.counts.connected();
        *driver.trouble.lock() = None;
        driver.show(Phase::Open(Arc::clone(&session)));
        driver.in_common.look_at_group();
        let is_closed = tokio::select! {
            () = driver.closed() => true,
            () = wait_for_end(&session, &mut events) => false,
            () = take_part(&driver, &session) => false,
            () = poll(&driver, &session) => false,
            () = refresh(&driver, &session) => false,
            () = look_around(&driver, &session) => false,
            () = hear(&driver) => false,
            () = clean(&driver, &session) => false,
            () = observe(&driver, &session) => false,
        };
        driver.has_expiry_duty.store(false, Ordering::Relaxed);
        if is_closed {
            leave(&driver, &session, &mut events).await;
            return driver.show(Phase::Closed);
        }
        driver.show(Phase::Connecting);
    }
}

/// A session whose lanes know what became of their batches. `None`: another process is this member.
async fn open_one(
    driver: &Arc<Driver>,
    identity: &mut Identity,
    give_up: Instant,
    events: &mut mpsc::UnboundedReceiver<Event>,
) -> Option<Arc<Session>> {
    loop {
        let session = connect(driver, identity, give_up).await?;
        let until = give_up.max(Instant::now() + ATTEMPT);
        if matches!(timeout_at(until, resolve(driver, &session, events)).await, Ok(true)) {
            return Some(session);
        }
        driver.show(Phase::Connecting);
    }
}

/// What shows the others that this member lives, and recovers those that do not. Returns when the session is lost.
async fn take_part(driver: &Arc<Driver>, session: &Arc<Session>) {
    match driver.role {
        Role::Home => beat(driver, session, &mut Watch::new(driver.options.silence)).await,
        Role::Structure(_) => {
            tokio::select! {
                () = structure::follow_members(driver, session) => {}
                () = driver.in_common.until_epoch_is_over(session.epoch) => {}
            }
        }
    }
}

async fn wait_for_end(session: &Session, events: &mut mpsc::UnboundedReceiver<Event>) {
    while let Some(event) = events.recv().await {
        match event {
            Event::Lost(generation) | Event::Fenced(generation) if generation == session.generation => return,
            Event::Lost(_) | Event::Fenced(_) | Event::LaneResolved(_) | Event::LaneEnded => {}
        }
    }
}

/// All of them: what the database says is below what its client says.
fn causes(problem: &SharedError) -> String {
    let causes = std::iter::successors(problem.source(), |&cause| cause.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// `None`: taken over. From `give_up` on callers wait no longer.
async fn connect(driver: &Arc<Driver>, identity: &mut Identity, give_up: Instant) -> Option<Arc<Session>> {
    let mut pause = Duration::from_millis(20);
    let mut is_told = false;
    loop {
        let problem = match attempt(driver, identity, give_up).await {
            Ok(Ok(Some(session))) => return Some(session),
            Ok(Ok(None)) => {
                error!("another process is this member of the group now; shared queues are refused here");
                return None;
            }
            Ok(Err(problem)) => Some(problem),
            Err(_) => None,
        };
        *driver.trouble.lock() =
            Some(problem.as_ref().map_or_else(|| "no answer in time".to_owned(), |problem| primary::chain(problem)));
        if !is_told {
            is_told = true;
            let cause = problem.as_ref().map(causes);
            let problem = problem.map_or_else(|| "no answer in time".to_owned(), |problem| problem.to_string());
            let structure = driver.structure();
            warn!(error = problem, cause, structure, "the group's database cannot be used; the member goes on trying");
        }
        sleep(pause).await;
        pause = (pause * 2).min(BACKOFF);
    }
}

type OpenedSession = Result<Option<Arc<Session>>, SharedError>;

/// One attempt, which ends; meanwhile callers may lose their patience.
async fn attempt(
    driver: &Arc<Driver>,
    identity: &mut Identity,
    give_up: Instant,
) -> Result<OpenedSession, tokio::time::error::Elapsed> {
    let mut opening = std::pin::pin!(timeout(ATTEMPT, open(driver, identity)));
    tokio::select! {
        opened = &mut opening => return opened,
        () = sleep_until(give_up) => {}
    }
    if !matches!(*driver.phase.borrow(), Phase::Away) {
        error!("the group's database is away for longer than programs wait: shared queues are refused");
        driver.show(Phase::Away);
    }
    opening.await
}

/// `None`: another process has taken the member over.
async fn open(driver: &Arc<Driver>, identity: &mut Identity) -> OpenedSession {
    let enrolled = match driver.role {
        Role::Home => None,
        Role::Structure(_) => Some(driver.in_common.enrolled().await),
    };
    // Of a structure: the home has said so.
    if matches!(enrolled, Some(None)) {
        return Ok(None);
    }
    let primary = primary::find(&driver.options, &driver.highest).await?;
    let (admin, label) = first_connection(&primary, &driver.options.schema).await?;
    let joined = match enrolled.flatten() {
        Some(enrolled) => driver.enter(&admin, &label, &enrolled).await?,
        None => match driver.join(&admin, label, identity).await? {
            Some(joined) => joined,
            None => return Ok(None),
        },
    };
    let others =
        try_join_all([true, false, true].map(|lasting| connected(&primary, lasting, &driver.options.schema))).await?;
    let mut others: Vec<Connected> = others.into_iter().map(|(connected, _)| connected).collect();
    let reader = others.pop().expect("three were opened");
    driver.positions.begin(joined.number, joined.clock);
    let generation = driver.generation.fetch_add(1, Ordering::AcqRel) + 1;
    if driver.role == Role::Home {
        driver.in_common.set_hints(open_hints(&driver.in_common, &primary, &admin, &joined).await?);
    }
    let session =
        Session { generation, member: joined.number, epoch: joined.epoch, primary, lanes: others, reader, admin };
    Ok(Some(Arc::new(session)))
}

async fn open_hints(
    in_common: &InCommon,
    primary: &Primary,
    admin: &Connected,
    joined: &Membership,
) -> Result<Option<Arc<Hints>>, SharedError> {
    let refused = |source| SharedError::Refused { action: "exchange addresses of members", source };
    let row = admin.client.query_one(&admin.statements.secret, &[]).await.map_err(refused)?;
    let secret: [u8; 32] = row.get::<_, &[u8]>(0).try_into().map_err(|_| SharedError::NoGroup)?;
    let counts = Arc::clone(&in_common.hint_counts);
    match Hints::open(primary.address().await, secret, (joined.number, joined.epoch), counts) {
        Ok(hints) => {
            let address = hints.address().to_string();
            member::tell_address(admin, joined.number, joined.epoch, &address).await.map_err(refused)?;
            Ok(Some(Arc::new(hints)))
        }
        Err(error) => {
            warn!(%error, "members cannot tell each other of arrivals: waits on shared queues take up to 100 ms longer");
            Ok(None)
        }
    }
}

/// A connection, and what its database says of itself. `lasting`: its commits are waited for until they are on disk.
pub(super) async fn connected(
    primary: &Primary,
    lasting: bool,
    known: &SchemaVersions,
) -> Result<(Connected, Label), SharedError> {
    let commits = if lasting { "on" } else { "off" };
    let client = primary
        .connect(&format!(
            "-c synchronous_commit={commits} -c plan_cache_mode=force_generic_plan -c enable_sort=off \
             -c enable_bitmapscan=off -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off \
             -c statement_timeout=0 -c idle_in_transaction_session_timeout=5s"
        ))
        .await?;
    let label = schema::check(&client, known).await?;
    let statements = Statements::prepare(&client)
        .await
        .map_err(|source| SharedError::Refused { action: "prepare the statements", source })?;
    Ok((Connected { client, statements }, label))
}

/// False when the session is lost again.
async fn resolve(driver: &Arc<Driver>, session: &Arc<Session>, events: &mut mpsc::UnboundedReceiver<Event>) -> bool {
    driver.show(Phase::Resolving(Arc::clone(session)));
    let mut left = LANES;
    while left > 0 {
        match events.recv().await {
            Some(Event::LaneResolved(generation)) if generation == session.generation => left -= 1,
            Some(Event::Lost(generation) | Event::Fenced(generation)) if generation == session.generation => {
                return false;
            }
            None => return false,
            Some(_) => {}
        }
    }
    match reconcile(driver, session).await {
        Ok(()) => true,
        Err(error) => {
            driver.broken(session.generation, &error);
            false
        }
    }
}

/// Gives back what the database holds for this member and nobody here knows of: a lazy commit that returned it was lost with a
/// primary, or the answer to a claim was. And learns what is on the queues.
async fn reconcile(driver: &Driver, session: &Session) -> Result<(), tokio_postgres::Error> {
    let reader = &session.reader;
    let rows = reader.client.query(&reader.statements.claims, &[&session.owner()]).await?;
    let unknown: Vec<Place> = {
        let known = driver.claims.lock();
        rows.iter()
            .map(|row| Place { queue: queue_id(row.get(0)), key: delivery_key(row.get(1), row.get(2)) })
            .filter(|place| known.get(place) != Some(&session.epoch))
            .collect()
    };
    if !unknown.is_empty() {
        info!(messages = unknown.len(), "messages that no unit of work of this member has any more are given back");
        driver.inboxes[LAZY].release(unknown, session.epoch);
    }
    // A primary that was lost may have taken claims with it that were not on disk.
    driver.figures.all().iter().for_each(|figures| figures.low_water.reset());
    restating::restate_handles(driver, session).await?;
    let queues: Vec<QueueId> = driver.figures.all().iter().map(|figures| figures.queue).collect();
    read_depths(driver, session, &queues, true).await?;
    if driver.role == Role::Home {
        return Ok(());
    }
    // Queues may have moved here while this member did not reach the database.
    let numbers: Vec<i32> = queues.iter().map(|queue| queue_number(*queue)).collect();
    let rows = reader.client.query(&reader.statements.last_positions, &[&numbers]).await?;
    let last = rows.iter().map(|row| row.get::<_, i64>(0).unsigned_abs()).max();
    last.into_iter().for_each(|last| driver.positions.follow(last));
    Ok(())
}

/// Ranks and positions where looks begin; `None` is the queue's beginning.
fn places(keys: impl Iterator<Item = Option<DeliveryKey>>) -> (Vec<i16>, Vec<i64>) {
    keys.map(|key| key.map_or((0, 0), |key| (rank(key), position(key)))).unzip()
}

/// `with_own`: also what this member has added itself, which nothing changes meanwhile.
pub(super) async fn read_depths(
    driver: &Driver,
    session: &Session,
    queues: &[QueueId],
    with_own: bool,
) -> Result<(), tokio_postgres::Error> {
    if queues.is_empty() {
        return Ok(());
    }
    let s = &session.reader.statements;
    let numbers: Vec<i32> = queues.iter().map(|queue| queue_number(*queue)).collect();
    let client = &session.reader.client;
    let begins = queues.iter().map(|queue| driver.figures.of(*queue).and_then(|figures| figures.low_water.place()));
    let (ranks, positions) = places(begins);
    let (depths, ends) =
        tokio::try_join!(async { client.query(&s.depths, &[&numbers, &session.member]).await }, async {
            client.query(&s.next_expiries, &[&numbers, &ranks, &positions]).await
        },)?;
    for row in depths {
        let Some(figures) = driver.figures.of(queue_id(row.get(0))) else { continue };
        figures.set_others(row.get(1), row.get(2));
        if with_own {
            figures.set_own(row.get(3), row.get(4));
        }
    }
    for row in ends {
        let Some(figures) = driver.figures.of(queue_id(row.get(0))) else { continue };
        figures.set_next_expiry(row.get::<_, Option<i64>>(1).map(timestamp));
        figures.set_oldest(row.get::<_, Option<i64>>(2).map(timestamp));
    }
    Ok(())
}

/// Shows the others that this member lives, and recovers those that do not. Returns when the session is lost.
async fn beat(driver: &Arc<Driver>, session: &Session, watch: &mut Watch) {
    loop {
        let began = Instant::now();
        let beaten = member::beat(&session.admin, session.member, session.epoch, watch);
        match timeout(driver.options.deadline, beaten).await {
            Ok(Ok(Some(Beaten { members, definition_version, has_expiry_duty }))) => {
                driver.counts.round_trip(began.elapsed());
                driver.has_expiry_duty.store(has_expiry_duty, Ordering::Relaxed);
                driver.in_common.see_definitions(definition_version);
                if let Some(hints) = driver.in_common.hints() {
                    hints.meet(&members);
                }
                watch.dead(&members, session.member).into_iter().for_each(|dead| recover(driver, dead));
                driver.in_common.see_members(members);
            }
            Ok(Ok(None)) => {
                warn!("a peer has recovered this member: its open units of work on shared queues are lost");
                return driver.fenced(session.generation);
            }
            Ok(Err(error)) => return driver.broken(session.generation, &error),
            Err(_) => return driver.too_slow(session.generation),
        }
        sleep(Duration::from_secs(1)).await;
    }
}

/// On a connection of its own: it may wait for the dead member's transactions, and this member's beat must not.
pub(super) fn recover(driver: &Arc<Driver>, dead: MemberStatus) {
    if !driver.recovering.lock().insert(dead.number) {
        return;
    }
    let structure = driver.structure();
    warn!(member = %dead.name, structure, "a member of the group shows no life; its open units of work are backed out");
    let driver = Arc::clone(driver);
    tokio::spawn(async move {
        let recovered = async {
            let primary = primary::find(&driver.options, &driver.highest).await?;
            let (helper, _) = connected(&primary, false, &driver.options.schema).await?;
            let recovered = match driver.role {
                Role::Home => member::recover(&helper, &dead, &driver.options.member).await,
                Role::Structure(_) => structure::end_epochs(&helper, &dead, &driver.options.member).await,
            };
            recovered.map_err(|source| SharedError::Refused { action: "recover a member", source })
        };
        match timeout(RECOVERY, recovered).await {
            Ok(Ok(given_back)) => driver.gave_back(given_back),
            Ok(Err(error)) => {
                let cause = error.source().map(ToString::to_string);
                warn!(member = %dead.name, %error, cause, "the recovery of a member is tried again");
            }
            Err(_) => warn!(member = %dead.name, "the recovery of a member takes long, and is tried again"),
        }
        driver.recovering.lock().remove(&dead.number);
    });
}

/// Takes the peers' hints, of all databases; for ever.
async fn hear(driver: &Driver) {
    let hints = if driver.role == Role::Home { driver.in_common.hints() } else { None };
    match hints {
        Some(hints) => {
            let hear = |heard| match heard {
                Heard::Arrived(queues) => queues.into_iter().for_each(|queue| driver.in_common.arrived(queue)),
                Heard::Changed(queues) => {
                    for queue in queues {
                        let of_queue = driver.in_common.driver_of(queue.cluster());
                        if let Some(figures) = of_queue.and_then(|driver| driver.figures.of(queue)) {
                            figures.use_it();
                        }
                    }
                }
                Heard::Requests => driver.requests.send_modify(|()| {}),
            };
            hints.listen(hear).await;
        }
        None => std::future::pending().await,
    }
}

/// The net below hints: tells those who wait that there is something to take. Returns when the session is lost.
///
/// A wait that has begun since the last round may have missed the hint that its peer did not know to send, so it is looked at in the
/// next one; the others once a second while all peers are heard.
async fn poll(driver: &Driver, session: &Session) {
    let mut known: HashSet<QueueId> = HashSet::new();
    for round in 0_u32.. {
        sleep(POLL).await;
        let watched: HashSet<QueueId> = driver.watched.lock().keys().copied().collect();
        if round.is_multiple_of(POLLS_OF_ALL) || !driver.asked.lock().is_empty() {
            driver.requests.send_modify(|()| {});
        }
        let hints = driver.in_common.hints();
        let is_net = round.is_multiple_of(POLLS_OF_ALL) || !hints.as_ref().is_some_and(|hints| hints.are_heard());
        if let Some(hints) = hints.filter(|_| round.is_multiple_of(POLLS_OF_ALL)) {
            hints.tell_waits(&watched.iter().copied().collect::<Vec<_>>());
        }
        let queues: Vec<QueueId> = watched.iter().filter(|queue| is_net || !known.contains(*queue)).copied().collect();
        known = watched;
        if queues.is_empty() {
            continue;
        }
        match look_for_arrivals(driver, session, &queues).await {
            Ok(arrived) => arrived.into_iter().for_each(|queue| driver.in_common.arrived(queue)),
            Err(error) => return driver.broken(session.generation, &error),
        }
    }
}

/// Queues that have something to take, or where a look may have begun too late to know.
async fn look_for_arrivals(
    driver: &Driver,
    session: &Session,
    queues: &[QueueId],
) -> Result<HashSet<QueueId>, tokio_postgres::Error> {
    let (client, s) = (&session.reader.client, &session.reader.statements);
    let looks: Vec<_> = queues.iter().map(|queue| (*queue, driver.figures.know(*queue))).collect();
    let looks: Vec<_> = looks.iter().map(|(queue, figures)| (*queue, figures, figures.low_water.look(None))).collect();
    let numbers: Vec<i32> = queues.iter().map(|queue| queue_number(*queue)).collect();
    let (ranks, positions) = places(looks.iter().map(|(_, _, look)| look.from));
    let now = moment(Timestamp::from_millis(driver.positions.clock()));
    let waiting = client.query(&s.waiting, &[&numbers, &now, &ranks, &positions]).await?;
    let mut arrived: HashSet<QueueId> = waiting.iter().map(|row| queue_id(row.get(0))).collect();
    let mut opened: HashMap<QueueId, Vec<Opened>> = HashMap::new();
    for row in client.query(&s.opened, &[&numbers]).await? {
        opened.entry(queue_id(row.get(0))).or_default().push(opened_by(&row));
    }
    for (queue, figures, look) in looks {
        let opened = opened.remove(&queue).unwrap_or_default();
        if !look.has_missed_nothing(&opened) {
            figures.low_water.missed(&look, &opened);
            arrived.insert(queue);
        }
    }
    Ok(arrived)
}

/// Learns what the others have done. Returns when the session is lost.
async fn refresh(driver: &Driver, session: &Session) {
    for round in 0_u32.. {
        sleep(REFRESH).await;
        if let Some(hints) = driver.in_common.hints() {
            hints.tell_changes();
        }
        let all = driver.figures.all();
        all.iter().for_each(|figures| figures.handles.sweep(driver, figures));
        let is_whole = round.is_multiple_of(REFRESHES_OF_ALL);
        let queues: Vec<QueueId> =
            all.iter().filter(|figures| figures.was_used() || is_whole).map(|figures| figures.queue).collect();
        let done = async {
            read_depths(driver, session, &queues, false).await?;
            if is_whole {
                let now = moment(Timestamp::from_millis(driver.positions.clock()));
                session.admin.client.execute(&session.admin.statements.expire_receipts, &[&now]).await?;
            }
            Ok(())
        };
        if let Err(error) = done.await {
            return driver.broken(session.generation, &error);
        }
    }
}

/// Watches the other hosts. Returns when one has a newer history: all connections leave this one together.
async fn look_around(driver: &Driver, session: &Session) {
    let newer = primary::newer_elsewhere(&driver.options, &driver.highest, &session.primary).await;
    let timeline = session.primary.timeline;
    warn!(timeline, newer, "another host of the database has a newer history; the member goes there");
}

/// The last word of an orderly end: what the lanes were asked is done, and what the member still held is free.
async fn leave(driver: &Driver, session: &Session, events: &mut mpsc::UnboundedReceiver<Event>) {
    driver.inboxes.iter().for_each(|inbox| inbox.close());
    let left = async {
        let mut lanes = LANES;
        while lanes > 0 {
            match events.recv().await {
                Some(Event::LaneEnded) => lanes -= 1,
                Some(Event::Lost(generation) | Event::Fenced(generation)) if generation == session.generation => {
                    return Ok(false);
                }
                Some(_) => {}
                None => return Ok(false),
            }
        }
        match driver.role {
            Role::Home => member::leave(&session.admin, session.member, session.epoch).await,
            Role::Structure(_) => structure::withdraw(&session.admin, session.member, session.epoch).await,
        }
    };
    match timeout(LEAVING, left).await {
        Ok(Ok(true)) => {}
        Ok(Err(error)) => warn!(%error, "the member could not say that it leaves its group; a peer recovers it"),
        Ok(Ok(false)) | Err(_) => warn!("the member could not say that it leaves its group; a peer recovers it"),
    }
}

impl Driver {
    /// For lines of the log; `None` of the home.
    pub(super) fn structure(&self) -> Option<&str> {
        match &self.role {
            Role::Home => None,
            Role::Structure(name) => Some(name),
        }
    }

    /// The home says who the member is. `None`: another process has taken it over.
    async fn join(
        &self,
        admin: &Connected,
        label: Label,
        identity: &mut Identity,
    ) -> Result<Option<Membership>, SharedError> {
        let group = self.options.group.clone().unwrap_or_else(|| label.group.clone());
        label.expect(&Label { group, cluster: ClusterNumber::HOME, structure: None, ..label.clone() })?;
        let Some(joined) = member::join(admin, &self.options.member, identity).await? else { return Ok(None) };
        let structures = schema::structures(&admin.client)
            .await
            .map_err(|source| SharedError::Refused { action: "name the databases of structures", source })?;
        self.in_common.enrol(Enrolment::Enrolled(Arc::new(Enrolled {
            member: joined.number,
            epoch: joined.epoch,
            home: label,
            structures: structures.into_iter().collect(),
        })));
        Ok(Some(joined))
    }

    /// The member takes part at the database of a structure, in the epoch that the home has given.
    async fn enter(&self, admin: &Connected, label: &Label, enrolled: &Enrolled) -> Result<Membership, SharedError> {
        let cluster = self.cluster().ok_or(SharedError::UnknownStructure)?;
        let structure = self.structure().map(str::to_owned);
        label.expect(&Label { cluster, structure, ..enrolled.home.clone() })?;
        structure::enter(admin, enrolled.member, enrolled.epoch).await
    }
}
