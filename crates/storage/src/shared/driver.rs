//! Keeps a member connected: opens sessions, replaces them, watches over the group while one is open.
//!
//! A session is all connections of the member together. As soon as one of them is of no use, all are given up: a lane left behind on an
//! old primary would go on handing out messages that can never be committed. On the next session the lanes first learn what became
//! of their last batches; then what the database holds for this member and nobody here knows of is given back; then work goes on.
//!
//! Each database of the group has a driver of its own. That of the home joins the group; those of structures take part in the epoch that
//! the home has given (`structure.rs`).

mod connecting;
mod restating;
mod tending;
mod threads;

pub(super) use connecting::connected;
pub(super) use tending::{read_depths, recover};
pub(super) use threads::Threads;

use std::collections::{HashMap, HashSet};
use std::error::Error as _;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout, timeout_at};
use tracing::{info, warn};

use crate::shared::batch::{Connected, owner};
use crate::shared::depth::AllFigures;
use crate::shared::driver::connecting::{ATTEMPT, connect};
use crate::shared::driver::tending::{beat, hear, look_around, poll, reconcile, refresh};
use crate::shared::error::SharedError;
use crate::shared::handles::SealedQueues;
use crate::shared::in_common::{Enrolled, Enrolment, InCommon};
use crate::shared::inbox::Inbox;
use crate::shared::lane::{LANES, Lane};
use crate::shared::member::{self, GivenBack, Identity, Membership, Watch};
use crate::shared::operation::{AllDeciding, Place};
use crate::shared::options::SharedOptions;
use crate::shared::position::Positions;
use crate::shared::primary::{HighestTimeline, Primary};
use crate::shared::schema::{self, Label};
use crate::shared::statistics::Counts;
use crate::shared::structure;
use crate::shared::upkeep::{clean, observe, warn_of};
use crate::{ClusterNumber, QueueId, StoreError};

/// An orderly end takes no longer; else a peer recovers what the member held.
const LEAVING: Duration = Duration::from_secs(2);

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

type OpenedSession = Result<Option<Arc<Session>>, SharedError>;

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
