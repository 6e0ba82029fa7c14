//! The engine: the state of one running queue manager that every verb works on, and its life from start to stop.
//!
//! Owns: `Engine` with its tables, the start (`start.rs`), the clock (`clock.rs`), the table of connections
//! (`connection_table.rs`), work that no caller waits for (`housekeeping.rs`), the failure of the log (`failure.rs`), snapshots (`snapshot.rs`), identifiers (`identifiers.rs`), and the
//! switches that no definition holds (`system_settings.rs`, `command_server.rs`), how often a log line comes (`spaced_line.rs`), and warnings of quotas (`quota.rs`).
//!
//! Never: decides what a verb means. Other rooms own what the tables hold; this room owns that there is one of each.
//!
//! Circle: `Engine` holds the tables of every room, and the functions of the rooms take `&Engine`. A function that needs one
//! table only takes that table.
//!
//! Invariants
//! - A lock of a table is held for one lookup or one change, never across an `.await`; what lasts longer is a `Turn`.
//! - Time is read from `Engine::clock` only.
//! - The phase moves from running to quiescing to stopping, and never back.

pub mod clock;
pub mod command_server;
pub(crate) mod connection_table;
pub(crate) mod failure;
pub(crate) mod housekeeping;
pub(crate) mod identifiers;
pub(crate) mod map;
pub(crate) mod quota;
pub(crate) mod snapshot;
pub(crate) mod spaced_line;
pub(crate) mod start;
pub mod system_settings;
pub(crate) mod turn;

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use model::definition::queue_manager::Control;
use model::definition::{QueueManagerDefinition, SubscriptionDefinition, TopicDefinition};
use model::name::{ObjectName, QueueManagerName, QueueName, TopicName};
use model::reason::Reason;
use model::timestamp::Timestamp;
use parking_lot::RwLock;
use storage::Store;
use telemetry::Tracer;
use test_control::TestControl;

use crate::definition::administered::AdministeredObjects;
use crate::definition::queue_list::Order;
use crate::engine::clock::Clock;
use crate::engine::connection_table::ConnectionTable;
use crate::engine::failure::Failure;
use crate::engine::housekeeping::LeftOver;
use crate::engine::identifiers::Identifiers;
use crate::engine::map::Map;
use crate::engine::quota::QuotaWatch;
use crate::engine::spaced_line::SpacedLine;
use crate::engine::system_settings::SystemSettings;
use crate::engine::turn::Turn;
use crate::group::Group;
use crate::instrumentation::accounting::collection::{self, Overrides};
use crate::instrumentation::accounting::writer::Records;
use crate::instrumentation::changes::RecentChanges;
use crate::instrumentation::channel_status::ChannelTable;
use crate::instrumentation::connects::Connects;
use crate::instrumentation::event;
use crate::instrumentation::monitoring::Monitoring;
use crate::instrumentation::started::StartedTable;
use crate::instrumentation::statistics::Statistics;
use crate::instrumentation::status::FormerTraffic;
use crate::publish::PublishSubscribe;
use crate::queue::Queue;
use crate::queue::delayed::Delayed;
use crate::reason::RefusedCalls;
use crate::security::authority::Authorities;
use crate::security::channel_authentication::ChannelAuthentications;
use crate::security::recent::RecentRefusals;
use crate::verb::detached::DetachedUnits;
use crate::verb::xa::Branches;

pub(crate) struct Engine {
    pub(crate) name: QueueManagerName,
    pub(crate) store: Store,
    /// `None`: in no queue-sharing group.
    pub(crate) group: Option<Group>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) started: Timestamp,
    pub(crate) definition: RwLock<Arc<QueueManagerDefinition>>,
    pub(crate) queues: RwLock<Map<QueueName, Arc<Queue>>>,
    pub(crate) order: Order,
    /// Of queues that are deleted.
    pub(crate) former_traffic: FormerTraffic,
    /// Queues that triggers send messages to, or once did: a hint for opens.
    pub(crate) initiation_queues: RwLock<HashSet<QueueName>>,
    pub(crate) topics: RwLock<Map<TopicName, Arc<TopicDefinition>>>,
    pub(crate) subscriptions: RwLock<BTreeMap<String, Arc<SubscriptionDefinition>>>,
    pub(crate) objects: RwLock<AdministeredObjects>,
    pub(crate) publish: PublishSubscribe,
    pub(crate) authorities: Authorities,
    pub(crate) channel_authentications: ChannelAuthentications,
    pub(crate) refusals: RecentRefusals,
    pub(crate) recent_changes: RecentChanges,
    pub(crate) connects: Connects,
    pub(crate) connections: ConnectionTable,
    pub(crate) channels: Arc<ChannelTable>,
    pub(crate) started_objects: Arc<StartedTable>,
    pub(crate) system: SystemSettings,
    pub(crate) identifiers: Identifiers,
    /// Definitions change one at a time, so that what is checked still holds when it is written.
    pub(crate) changes: Turn,
    pub(crate) left_over: LeftOver,
    pub(crate) events: event::Switches,
    pub(crate) event_tap: event::tap::Tap,
    pub(crate) statistics: Statistics,
    pub(crate) monitoring: Monitoring,
    pub(crate) overrides: Overrides,
    pub(crate) records: Records,
    /// ACCTINT as it was then, and when the next interval record of a connection is due.
    pub(crate) accounting_due: parking_lot::Mutex<Option<(u32, Timestamp)>>,
    pub(crate) branches: Branches,
    pub(crate) detached: DetachedUnits,
    pub(crate) delayed: Delayed,
    pub(crate) reports_given_up: parking_lot::Mutex<SpacedLine>,
    pub(crate) refused_calls: RefusedCalls,
    pub(crate) quota_watch: QuotaWatch,
    pub(crate) failure: Arc<Failure>,
    /// Set once, on a server that was started for tests.
    pub(crate) test_control: OnceLock<Arc<TestControl>>,
    /// Set once, on a server that has traces.
    pub(crate) tracer: OnceLock<Tracer>,
    phase: AtomicU8,
}

/// How far the end of the queue manager has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    Running = 0,
    Quiescing = 1,
    Stopping = 2,
}

/// What a start has read from the store.
pub(crate) struct Loaded {
    pub(crate) definition: QueueManagerDefinition,
    pub(crate) queues: Vec<Queue>,
    pub(crate) topics: Map<TopicName, Arc<TopicDefinition>>,
    pub(crate) subscriptions: BTreeMap<String, Arc<SubscriptionDefinition>>,
    pub(crate) objects: AdministeredObjects,
    pub(crate) authorities: Authorities,
    pub(crate) channel_authentications: ChannelAuthentications,
    pub(crate) group: Option<Group>,
}

impl Engine {
    pub(crate) fn new(name: QueueManagerName, store: Store, clock: Arc<dyn Clock>, loaded: Loaded) -> Self {
        let started = clock.now();
        let starts_command_server = loaded.definition.command_server_control == Control::QueueManager;
        let engine = Self {
            name,
            failure: Failure::of_store(&store, name),
            store,
            group: loaded.group,
            clock,
            started,
            events: event::Switches::new(&loaded.definition),
            event_tap: event::tap::Tap::default(),
            statistics: Statistics::new(&loaded.definition, started),
            monitoring: Monitoring::default(),
            overrides: Overrides::default(),
            records: Records::default(),
            accounting_due: parking_lot::Mutex::new(None),
            definition: RwLock::new(Arc::new(loaded.definition)),
            queues: RwLock::default(),
            order: Order::default(),
            former_traffic: FormerTraffic::default(),
            initiation_queues: RwLock::default(),
            topics: RwLock::new(loaded.topics),
            subscriptions: RwLock::new(loaded.subscriptions),
            objects: RwLock::new(loaded.objects),
            publish: PublishSubscribe::default(),
            authorities: loaded.authorities,
            channel_authentications: loaded.channel_authentications,
            refusals: RecentRefusals::default(),
            recent_changes: RecentChanges::default(),
            connects: Connects::default(),
            connections: ConnectionTable::default(),
            channels: Arc::default(),
            started_objects: Arc::default(),
            system: SystemSettings::new(starts_command_server),
            identifiers: Identifiers::new(name, started),
            changes: Turn::default(),
            left_over: LeftOver::default(),
            branches: Branches::default(),
            detached: DetachedUnits::default(),
            delayed: Delayed::default(),
            reports_given_up: parking_lot::Mutex::default(),
            refused_calls: RefusedCalls::default(),
            quota_watch: QuotaWatch::default(),
            test_control: OnceLock::new(),
            tracer: OnceLock::new(),
            phase: AtomicU8::new(Phase::Running as u8),
        };
        for queue in loaded.queues {
            engine.add_queue(Arc::new(queue));
        }
        engine
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn definition(&self) -> Arc<QueueManagerDefinition> {
        self.definition.read().clone()
    }

    /// Shows a changed definition of the queue manager to everybody.
    pub(crate) fn show_definition(&self, definition: QueueManagerDefinition) {
        self.events.set(&definition);
        *self.definition.write() = Arc::new(definition);
        collection::changed(self);
    }

    pub(crate) fn queue(&self, name: &QueueName) -> Option<Arc<Queue>> {
        self.queues.read().get(name).cloned()
    }

    /// Every queue object, in no order.
    pub(crate) fn all_queues(&self) -> Vec<Arc<Queue>> {
        self.queues.read().values().cloned().collect()
    }

    pub(crate) fn topic(&self, name: &TopicName) -> Option<Arc<TopicDefinition>> {
        self.topics.read().get(name).cloned()
    }

    /// Whether a queue-manager name means this one: blank, its own, or that of its queue-sharing group.
    pub(crate) fn is_this(&self, queue_manager: &ObjectName) -> bool {
        let is_group = || self.group.as_ref().is_some_and(|group| group.name.as_str() == queue_manager.as_str());
        queue_manager.is_blank() || *queue_manager == self.name || is_group()
    }

    pub(crate) fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Acquire) {
            0 => Phase::Running,
            1 => Phase::Quiescing,
            _ => Phase::Stopping,
        }
    }

    /// Moves on, never back. False when the queue manager was that far already.
    pub(crate) fn advance(&self, phase: Phase) -> bool {
        let before = self.phase.fetch_max(phase as u8, Ordering::AcqRel);
        if before >= phase as u8 {
            return false;
        }
        self.wake_all_waiters();
        self.system.command_server.end();
        true
    }

    /// Every get that waits is to look again whether it may.
    pub(crate) fn wake_all_waiters(&self) {
        for queue in self.all_queues() {
            queue.waiters.wake_all();
        }
    }

    /// # Errors
    /// `ConnectionBroken` (2009): the recovery log has failed. `QMgrStopping` (2162); `QMgrQuiescing` (2161) for verbs that
    /// ask to fail then.
    pub(crate) fn admit(&self, fail_if_quiescing: bool) -> Result<(), Reason> {
        if self.failure.has_happened() {
            return Err(Reason::ConnectionBroken);
        }
        match self.phase() {
            Phase::Running => Ok(()),
            Phase::Quiescing if fail_if_quiescing => Err(Reason::QMgrQuiescing),
            Phase::Quiescing => Ok(()),
            Phase::Stopping => Err(Reason::QMgrStopping),
        }
    }

    /// As `admit`, of a connection that is not there yet.
    ///
    /// # Errors
    /// `QMgrNotAvailable` (2059): the recovery log has failed. 2161, 2162.
    pub(crate) fn admit_connection(&self) -> Result<(), Reason> {
        self.admit(true).map_err(|reason| match reason {
            Reason::ConnectionBroken => Reason::QMgrNotAvailable,
            other => other,
        })
    }
}
