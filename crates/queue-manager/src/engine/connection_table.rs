//! Who is connected: state of every connection, and the table that DISPLAY CONN reads.
//!
//! Connections are made and ended for each REST request, so the table is cut into parts with a lock each.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use model::authority::Principal;
use model::identifier::AccountingToken;
use model::identity_context;
use model::name::ObjectName;
use model::reason::Reason;
use model::text::Text;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use storage::Xid;

use crate::ConnectOptions;
use crate::engine::map::Map;
use crate::group::units::UnitDisposition;
use crate::instrumentation::accounting::observation::Observation;
use crate::instrumentation::accounting::record::Ending;
use crate::verb::connection::ObjectHandle;
use crate::verb::handle::Handle;
use crate::verb::unit_of_work::OpenUnit;

/// One connection, shared between its owner and the table.
pub(crate) struct ConnectionState {
    pub(crate) number: u64,
    pub(crate) options: ConnectOptions,
    pub(crate) connected: Timestamp,
    /// Context of messages put here: MQMD `UserIdentifier`, `AccountingToken` and `PutApplName`.
    pub(crate) user: (Text<12>, AccountingToken),
    /// What `user` does not say: `MessageDescriptor::principal` of messages put here.
    pub(crate) principal: Option<Arc<Principal>>,
    pub(crate) application_name: Text<28>,
    pub(crate) handles: Mutex<Vec<Option<Arc<Handle>>>>,
    pub(crate) unit: Mutex<Option<OpenUnit>>,
    /// Messages put or published, and got.
    pub(crate) puts: AtomicU64,
    pub(crate) gets: AtomicU64,
    /// The XA transaction branch that the unit of work is, if it is one. Locked before `unit`.
    pub(crate) branch: Mutex<Option<Xid>>,
    /// It has named the queue-sharing group: its branches are of disposition GROUP.
    is_of_group: AtomicBool,
    /// What the connection did, while accounting is on.
    observation: OnceLock<Box<Observation>>,
    /// Its connect was counted, and its end was not yet. The queue manager's own connections are never counted.
    is_counted: AtomicBool,
    /// MQDISC was called.
    pub(crate) is_disconnecting: AtomicBool,
    /// STOP CONN: every verb fails from now on.
    is_broken: AtomicBool,
    /// Its channel is being stopped: gets that ask to fail when quiescing do so.
    is_quiescing: AtomicBool,
    /// What it gets goes to another queue: nothing is delivered yet.
    pub(crate) carries: bool,
}

impl ConnectionState {
    pub(crate) fn new(number: u64, options: ConnectOptions, connected: Timestamp) -> Self {
        Self {
            number,
            user: identity_context::of_user(&options.principal.user),
            principal: identity_context::beyond(
                &options.principal,
                &identity_context::of_user(&options.principal.user),
            )
            .then(|| Arc::new(options.principal.clone())),
            application_name: Text::new(&options.application_name),
            options,
            connected,
            handles: Mutex::default(),
            unit: Mutex::new(None),
            puts: AtomicU64::new(0),
            gets: AtomicU64::new(0),
            branch: Mutex::new(None),
            is_of_group: AtomicBool::new(false),
            observation: OnceLock::new(),
            is_counted: AtomicBool::new(false),
            is_disconnecting: AtomicBool::new(false),
            is_broken: AtomicBool::new(false),
            is_quiescing: AtomicBool::new(false),
            carries: false,
        }
    }

    pub(crate) fn disposition(&self) -> UnitDisposition {
        if self.is_of_group.load(Ordering::Acquire) { UnitDisposition::Group } else { UnitDisposition::QueueManager }
    }

    pub(crate) fn set_of_group(&self) {
        self.is_of_group.store(true, Ordering::Release);
    }

    /// `None` while nobody collects anything.
    pub(crate) fn observation(&self) -> Option<&Observation> {
        self.observation.get().map(|observation| &**observation)
    }

    /// Begins to observe the connection, unless it is observed already.
    pub(crate) fn observe(&self, observation: Observation) {
        self.observation.get_or_init(|| Box::new(observation));
    }

    pub(crate) fn count_put(&self) {
        self.puts.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_get(&self) {
        self.gets.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn begin_account(&self) {
        self.is_counted.store(true, Ordering::Release);
    }

    /// True once: for the caller that counts the end of the connection and writes its last record.
    pub(crate) fn end_account(&self) -> bool {
        self.is_counted.swap(false, Ordering::AcqRel)
    }

    /// How the connection ends, if it ends now.
    pub(crate) fn ending(&self) -> Ending {
        if self.is_broken.load(Ordering::Acquire) {
            Ending::QueueManager
        } else if self.is_disconnecting.load(Ordering::Acquire) {
            Ending::Normal
        } else {
            Ending::Implicit
        }
    }

    /// # Errors
    /// `ConnectionBroken` (2009): the connection was stopped.
    pub(crate) fn check(&self) -> Result<(), Reason> {
        if self.is_broken.load(Ordering::Acquire) { Err(Reason::ConnectionBroken) } else { Ok(()) }
    }

    pub(crate) fn is_quiescing(&self) -> bool {
        self.is_quiescing.load(Ordering::Acquire)
    }

    pub(crate) fn quiesce(&self) {
        self.is_quiescing.store(true, Ordering::Release);
    }

    /// Every verb fails from now on. False when it was so already.
    pub(crate) fn break_off(&self) -> bool {
        !self.is_broken.swap(true, Ordering::AcqRel)
    }

    /// # Errors
    /// `HobjError` (2019): not an open handle of this connection. `ConnectionBroken` (2009).
    pub(crate) fn handle(&self, handle: ObjectHandle) -> Result<Arc<Handle>, Reason> {
        self.check()?;
        let index = (handle.0 as usize).checked_sub(1).ok_or(Reason::HobjError)?;
        self.handles.lock().get(index).and_then(Clone::clone).ok_or(Reason::HobjError)
    }

    /// # Errors
    /// `HandleNotAvailable` (2017): MAXHANDS are open.
    pub(crate) fn add_handle(&self, handle: Arc<Handle>, maximum: u32) -> Result<ObjectHandle, Reason> {
        let mut handles = self.handles.lock();
        let free = handles.iter().position(Option::is_none).unwrap_or(handles.len());
        let number = u32::try_from(free).ok().filter(|&index| index < maximum).ok_or(Reason::HandleNotAvailable)?;
        if free == handles.len() {
            handles.push(Some(handle));
        } else {
            handles[free] = Some(handle);
        }
        Ok(ObjectHandle(number + 1))
    }

    pub(crate) fn remove_handle(&self, handle: ObjectHandle) -> Result<Arc<Handle>, Reason> {
        let index = (handle.0 as usize).checked_sub(1).ok_or(Reason::HobjError)?;
        self.handles.lock().get_mut(index).and_then(Option::take).ok_or(Reason::HobjError)
    }

    pub(crate) fn take_handles(&self) -> Vec<Arc<Handle>> {
        std::mem::take(&mut *self.handles.lock()).into_iter().flatten().collect()
    }
}

/// Principal of an alternate user; blank is no user at all.
pub(crate) fn alternate(user: &str) -> Option<Principal> {
    let user = user.trim_end();
    (!user.is_empty() && user.len() <= ObjectName::MAXIMUM).then(|| Principal::user(user))
}

const PARTS: usize = 16;

#[derive(Default)]
pub(crate) struct ConnectionTable {
    parts: [Mutex<Map<u64, Arc<ConnectionState>>>; PARTS],
}

impl ConnectionTable {
    pub(crate) fn add(&self, state: Arc<ConnectionState>) {
        self.part(state.number).lock().insert(state.number, state);
    }

    pub(crate) fn remove(&self, number: u64) {
        self.part(number).lock().remove(&number);
    }

    /// In order of connecting.
    pub(crate) fn all(&self) -> Vec<Arc<ConnectionState>> {
        let mut all: Vec<_> =
            self.parts.iter().flat_map(|part| part.lock().values().cloned().collect::<Vec<_>>()).collect();
        all.sort_by_key(|state| state.number);
        all
    }

    pub(crate) fn count(&self) -> usize {
        self.parts.iter().map(|part| part.lock().len()).sum()
    }

    fn part(&self, number: u64) -> &Mutex<Map<u64, Arc<ConnectionState>>> {
        let index = usize::try_from(number % PARTS as u64).expect("less than 16");
        &self.parts[index]
    }
}
