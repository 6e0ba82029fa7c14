//! The queue manager: the MQI verbs and everything they mean.
//!
//! Doors (REST, command line, client channels) make a `Connection` and call verbs; this crate decides; a store makes it
//! durable. It knows neither HTTP, channels nor SQL, and reads time only through `engine/clock.rs`.
//!
//! Rooms, each entered through the file of its name: `verb` (what programs ask), `queue`, `publish`, `selection`,
//! `definition`, `security`, `group`, `instrumentation`, and `engine`, the state that they share. Beside them: `registry.rs`, the
//! queue managers of one server, and `reason.rs`, which turns inner errors into reasons.

mod definition;
mod engine;
mod group;
mod instrumentation;
mod publish;
mod queue;
mod security;
mod selection;
mod verb;

mod reason;
pub mod registry;

use std::sync::Arc;

use model::authority::Principal;
use model::name::QueueManagerName;
use storage::private::log::disk::Disk;
use storage::private::log::hold::Held;
use storage::shared::SharedError;
use storage::{RecoveryLogError, StoreError, StoreOptions};
use telemetry::Tracer;
use test_control::TestControl;

pub use definition::rename::rename;
pub use definition::salvaged::{SalvagedQueues, salvaged_queues};
pub use definition::{objects, queue_list};
pub use engine::clock::{Clock, SystemClock};
pub use engine::snapshot::Snapshot;
pub use engine::turn::Turn;
pub use engine::{clock, command_server, system_settings};
pub use group::{
    ConnectionTag, GroupLook, GroupOptions, LostStructure, Master, Member, MemberAnswer, MemberState, StructureContent,
    StructureLook, UnitDisposition, UnitInDoubt, shared_queue,
};
pub use instrumentation::monitoring::kept::MonitoredFamily;
pub use instrumentation::{accounting, changes, channel_status, event, started, status, topic_status};
pub use publish::{durable_limit, subscription};
pub use queue::delayed::Due;
pub use queue::insight;
pub use queue::quarantine::QuarantinedMessage;
pub use queue::waiters::Changes;
pub use registry::QueueManagers;
pub use security::authority::decision;
pub use security::{access, channel_admission, channel_authentication, recent};
pub use selection::selector;
pub use storage::{DeliveryKey as Place, Position, Receipt, ReceiptKey, UnitOfWorkId};
pub use storage::{SharedOptions, StructureConnection, StructureDatabase, Xid};

/// A group as operators see it.
pub mod group_view {
    pub use storage::shared::administration::{
        Check, DatabaseFacts, DatabaseView, GroupStatus, GroupView, Holder, Host, HostRole, MemberLook, Recovery,
        Standby, Verdict,
    };
}

/// What a member of a group counts of its work with the group.
pub mod group_statistics {
    pub use storage::shared::{
        BATCH_BOUNDS_US, DatabaseStatistics, GroupStatistics, HINT_KINDS, HintStatistics, LaneStatistics, MemberState,
        MemberStatus,
    };
}
pub use verb::connection::Connection;
pub use verb::follow::Follower;
pub use verb::get::{Accept, Terms};
pub use verb::interrupt::{Closing, Interrupt};
pub use verb::put::ReceiptOf;
pub use verb::traced::{context_among, context_of, give_context, name_of_object};
pub use verb::xa::{XaError, XaFlags};
pub use verb::{connection, detached, inquire, subscribe};

use crate::engine::{Engine, Phase, housekeeping, start};
use crate::instrumentation::event::starting;
use crate::queue::quarantine;

/// Where the queue manager keeps what lasts.
pub enum Home {
    Disk(Arc<dyn Disk>),
    /// Nothing on disk.
    Ephemeral,
    /// The same, as it was when the snapshot was taken.
    Restored(Arc<Snapshot>),
}

pub struct StartOptions {
    pub name: QueueManagerName,
    pub home: Home,
    pub store: StoreOptions,
    pub clock: Arc<dyn Clock>,
    /// The user the server runs as: always an administrator.
    pub server_user: String,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("cannot recover queue manager {name}")]
    RecoveryLog {
        name: QueueManagerName,
        #[source]
        source: RecoveryLogError,
    },
    #[error("definition {key} in the recovery log of {name} cannot be read")]
    Definition {
        name: QueueManagerName,
        key: String,
        #[source]
        source: serde_json::Error,
    },
    #[error("the recovery log of {name} holds definition {key}, which this version does not know")]
    UnknownDefinition { name: QueueManagerName, key: String },
    #[error("the recovery log of {name} belongs to queue manager {found}")]
    OtherQueueManager { name: QueueManagerName, found: QueueManagerName },
    #[error("{name} cannot take part in its queue-sharing group")]
    Group {
        name: QueueManagerName,
        #[source]
        source: SharedError,
    },
    #[error("cannot write the definitions of a new queue manager {name}")]
    Write {
        name: QueueManagerName,
        #[source]
        source: StoreError,
    },
}

/// How a door presents itself.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// Whose authority counts where a verb does not name another caller.
    pub principal: Principal,
    /// MQMD PutApplName and DISPLAY CONN APPLTAG, at most 28 characters.
    pub application_name: String,
    /// MQAT_*: 6 UNIX, 28 JAVA, ...
    pub application_type: i32,
    /// DISPLAY CONN CHANNEL and CONNAME; empty for local doors.
    pub channel: String,
    pub connection_name: String,
}

/// One running queue manager. Cheap to clone.
#[derive(Clone)]
pub struct QueueManager {
    engine: Arc<Engine>,
}

impl QueueManager {
    /// Recovers the log; on first start makes the SYSTEM objects. Not async: nothing else runs yet.
    pub fn start(options: StartOptions) -> Result<Self, StartError> {
        Self::start_with(options, None)
    }

    /// As `start`, of a member of a queue-sharing group.
    ///
    /// # Errors
    /// Those of `start`.
    pub fn start_member(options: StartOptions, group: GroupOptions) -> Result<Self, StartError> {
        Self::start_with(options, Some(group))
    }

    fn start_with(options: StartOptions, group: Option<GroupOptions>) -> Result<Self, StartError> {
        let engine = Arc::new(start::start(options, group)?);
        quarantine::tell(&engine);
        group::arrivals::listen(&engine);
        Ok(Self { engine })
    }

    pub fn name(&self) -> QueueManagerName {
        self.engine.name
    }

    /// Runs until `stop`: expiry scan, housekeeping. The server spawns it once and joins it.
    pub async fn run(&self) {
        tokio::select! {
            () = housekeeping::run(&self.engine) => {}
            () = self.follow_group() => {}
            () = self.follow_triggers() => {}
            () = self.deliver_within_group() => {}
        }
    }

    /// No new connections; verbs that ask for it fail with 2161, and so do their waits. Idempotent.
    pub fn quiesce(&self) {
        self.engine.advance(Phase::Quiescing);
    }

    /// Wakes waiters with 2162, backs out what is open, closes the log. Idempotent. After the log has failed waiters get
    /// 2009, and what is open is left to the next start.
    pub async fn stop(&self) {
        let was_quiesced = self.engine.phase() == Phase::Quiescing;
        let is_first = self.engine.advance(Phase::Stopping);
        if self.engine.failure.has_happened() {
            self.engine.left_over.wake();
            self.set_excluded(&[]);
            self.engine.store.close();
            return;
        }
        if !is_first {
            return;
        }
        self.engine.left_over.wake();
        self.set_excluded(&[]);
        for state in self.engine.connections.all() {
            let unit = state.unit.lock().take();
            if let Some(unit) = unit {
                self.engine.left_over.push(housekeeping::Work::BackOut(unit));
            }
        }
        for unit in self.engine.detached.take_all() {
            self.engine.left_over.push(housekeeping::Work::BackOut(unit));
        }
        for unit in self.engine.branches.abandon_all() {
            self.engine.left_over.push(housekeeping::Work::BackOut(unit));
        }
        housekeeping::finish_left_over(&self.engine).await;
        self.write_last_records().await;
        starting::stopping(&self.engine, was_quiesced).await;
        self.engine.store.close();
    }

    /// Keeps all that its recovery log holds now, for a backup. `None` when nothing is on disk.
    ///
    /// # Errors
    /// The log has failed or ended, or there is no space.
    pub async fn hold_log(&self) -> Result<Option<Held>, StoreError> {
        self.engine.store.hold().await
    }

    /// Returns once the recovery log has failed. Nothing is admitted from then on, and gets that wait end while `run` runs;
    /// `stop` has to follow.
    pub async fn log_failed(&self) {
        self.engine.failure.happened().await;
    }

    /// Why the recovery log has failed, if it has.
    pub fn log_failure(&self) -> Option<Arc<RecoveryLogError>> {
        self.engine.failure.cause()
    }

    /// Faults of `control` hit its calls from now on. Its clock is the one that the queue manager was started with.
    pub fn put_in_hand(&self, control: Arc<TestControl>) {
        // A queue manager stays in the hand that has it.
        let _ = self.engine.test_control.set(control);
    }

    /// Puts and gets are spans of the traces of their messages from now on.
    pub fn trace_with(&self, tracer: Tracer) {
        // One tracer serves for the life of a server.
        let _ = self.engine.tracer.set(tracer);
    }

    /// It runs for tests.
    pub fn is_in_hand(&self) -> bool {
        self.engine.test_control.get().is_some()
    }

    /// The clock was moved: whoever waits for a time looks again.
    pub fn clock_moved(&self) {
        self.engine.wake_all_waiters();
        self.engine.delayed.look_again(std::time::Duration::ZERO);
        self.engine.left_over.wake();
    }

    /// Whether both are the same start of the same queue manager.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.engine, &other.engine)
    }

    pub(crate) fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }
}
