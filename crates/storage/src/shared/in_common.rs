//! What the connections of one member to all databases of its group have in common.
//!
//! The home says who the member is: its number, and the epoch of its present life. At the other databases the member takes part under
//! both, and in no epoch that the home has not given.
//!
//! Invariant: an epoch that is shown here is on disk at the home, and no other process has it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::shared::driver::Driver;
use crate::shared::hint::Hints;
use crate::shared::member::MemberStatus;
use crate::shared::operation::UnitNumber;
use crate::shared::schema::Label;
use crate::shared::statistics::HintCounts;
use crate::{ClusterNumber, QueueId, UnitOfWorkId};

pub(super) type DefinitionsListener = Box<dyn Fn(i64) + Send + Sync>;
pub(super) type Listener = Box<dyn Fn(QueueId) + Send + Sync>;

/// Set in the numbers of units of work that were prepared in an earlier life of the member.
pub(super) const RECOVERED: u64 = 1 << 63;

/// What the home has said of this member.
#[derive(Clone)]
pub(super) enum Enrolment {
    /// Not reached yet.
    Unknown,
    Enrolled(Arc<Enrolled>),
    /// Another process is this member now.
    TakenOver,
}

pub(super) struct Enrolled {
    pub(super) member: i32,
    pub(super) epoch: i64,
    /// What the home says of itself.
    pub(super) home: Label,
    /// Those with a database of their own.
    pub(super) structures: HashMap<String, ClusterNumber>,
}

/// A member as beats have seen it.
struct Seen {
    status: MemberStatus,
    /// Its beat has not changed.
    since: Instant,
}

pub(super) struct InCommon {
    enrolment: watch::Sender<Enrolment>,
    /// As the last beat has seen them.
    members: Mutex<Vec<Seen>>,
    hints: RwLock<Option<Arc<Hints>>>,
    pub(super) hint_counts: Arc<HintCounts>,
    listener: OnceLock<Listener>,
    definitions_listener: OnceLock<DefinitionsListener>,
    definition_version: AtomicI64,
    next_unit: AtomicI64,
    next_recovered: AtomicU64,
    drivers: RwLock<Vec<Weak<Driver>>>,
}

impl Default for InCommon {
    fn default() -> Self {
        Self {
            enrolment: watch::Sender::new(Enrolment::Unknown),
            members: Mutex::default(),
            hints: RwLock::default(),
            hint_counts: Arc::default(),
            listener: OnceLock::new(),
            definitions_listener: OnceLock::new(),
            definition_version: AtomicI64::new(0),
            next_unit: AtomicI64::new(1),
            next_recovered: AtomicU64::new(RECOVERED),
            drivers: RwLock::default(),
        }
    }
}

impl InCommon {
    pub(super) fn enrol(&self, enrolment: Enrolment) {
        self.enrolment.send_replace(enrolment);
    }

    pub(super) fn enrolment(&self) -> Enrolment {
        self.enrolment.borrow().clone()
    }

    /// `None`: another process is this member. Waits until the home has said one or the other.
    pub(super) async fn enrolled(&self) -> Option<Arc<Enrolled>> {
        let mut told = self.enrolment.subscribe();
        let is_known = |enrolment: &Enrolment| !matches!(enrolment, Enrolment::Unknown);
        match told.wait_for(is_known).await.as_deref() {
            Ok(Enrolment::Enrolled(enrolled)) => Some(Arc::clone(enrolled)),
            _ => None,
        }
    }

    /// Returns when the member is in another epoch than this.
    pub(super) async fn until_epoch_is_over(&self, epoch: i64) {
        let is_over = |enrolment: &Enrolment| match enrolment {
            Enrolment::Unknown => false,
            Enrolment::Enrolled(enrolled) => enrolled.epoch != epoch,
            Enrolment::TakenOver => true,
        };
        let _ = self.enrolment.subscribe().wait_for(is_over).await;
    }

    pub(super) fn members(&self) -> Vec<MemberStatus> {
        self.members.lock().iter().map(|seen| seen.status.clone()).collect()
    }

    pub(super) fn see_members(&self, members: Vec<MemberStatus>) {
        let mut known = self.members.lock();
        let seen = members.into_iter().map(|status| {
            let same = known.iter().find(|seen| seen.status.life() == status.life() && seen.status.name == status.name);
            let since = same.map_or_else(Instant::now, |seen| seen.since);
            Seen { status, since }
        });
        *known = seen.collect();
    }

    /// Members, and how long each has shown no life as far as this member knows.
    pub(super) fn beats(&self) -> Vec<(MemberStatus, Duration)> {
        self.members.lock().iter().map(|seen| (seen.status.clone(), seen.since.elapsed())).collect()
    }

    /// `None`: this machine has no datagrams, or the home has not been reached; polls do.
    pub(super) fn hints(&self) -> Option<Arc<Hints>> {
        self.hints.read().clone()
    }

    pub(super) fn set_hints(&self, hints: Option<Arc<Hints>>) {
        *self.hints.write() = hints;
    }

    /// The first listener stays.
    pub(super) fn listen(&self, listener: Listener) {
        let _ = self.listener.set(listener);
    }

    /// The first listener stays.
    pub(super) fn listen_to_definitions(&self, listener: DefinitionsListener) {
        let _ = self.definitions_listener.set(listener);
    }

    /// Messages may have become available on a queue by what others did.
    pub(super) fn arrived(&self, queue: QueueId) {
        if let Some(listener) = self.listener.get() {
            listener(queue);
        }
    }

    /// As a beat has seen it.
    pub(super) fn see_definitions(&self, version: i64) {
        if self.definition_version.swap(version, Ordering::Relaxed) != version {
            self.look_at_group();
        }
    }

    /// Who follows the group looks at it again.
    pub(super) fn look_at_group(&self) {
        if let Some(listener) = self.definitions_listener.get() {
            listener(self.definition_version.load(Ordering::Relaxed));
        }
    }

    /// No other unit of the member ever had it, at any database.
    pub(super) fn unit_number(&self, epoch: i64) -> UnitNumber {
        UnitNumber::new(epoch, self.next_unit.fetch_add(1, Ordering::Relaxed))
    }

    /// For a unit of work of an earlier life.
    pub(super) fn recovered_unit(&self) -> UnitOfWorkId {
        UnitOfWorkId(self.next_recovered.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) fn add(&self, driver: &Arc<Driver>) {
        self.drivers.write().push(Arc::downgrade(driver));
    }

    /// `None`: this member does not know how to reach it.
    pub(super) fn driver_of(&self, cluster: ClusterNumber) -> Option<Arc<Driver>> {
        self.drivers.read().iter().filter_map(Weak::upgrade).find(|driver| driver.cluster() == Some(cluster))
    }
}
