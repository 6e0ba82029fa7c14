//! Channels as they run: which instances there are, what they did, and which channels somebody stopped.
//!
//! The channel listener registers each connection, keeps its figures current through the handle it is given, and asks it
//! whether to end; DISPLAY CHSTATUS reads, STOP CHANNEL asks instances to end and keeps a channel from starting anew,
//! START CHANNEL lets it start again. Nothing here lasts: a restart knows no instance and no stopped channel.
//!
//! Source: MQ reference, "DISPLAY CHSTATUS", "STOP CHANNEL", 9.3.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use model::timestamp::Timestamp;
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::QueueManager;

/// STATUS of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChannelState {
    Starting,
    #[default]
    Binding,
    Initializing,
    Running,
    Stopping,
    Retrying,
    Paused,
    Stopped,
    Requesting,
    Switching,
}

/// What is known of an instance; figures are kept beside it.
#[derive(Debug, Clone, Default)]
pub struct ChannelInstance {
    pub channel: String,
    /// CHLTYPE as MQSC spells it.
    pub channel_type: &'static str,
    /// Address of the partner.
    pub connection_name: String,
    pub local_address: String,
    pub state: ChannelState,
    /// SUBSTATE: RECEIVE, SEND, MQGET, ...; blank for none.
    pub substate: &'static str,
    /// User the instance runs as.
    pub user: String,
    /// Queue manager at the other end of a message channel.
    pub remote_queue_manager: String,
    pub transmission_queue: String,
    pub remote_application: String,
    /// RPRODUCT and RVERSION: what the partner says it is.
    pub remote_product: String,
    pub remote_version: String,
    pub heartbeat_interval_s: u32,
    pub maximum_message_length: u32,
    pub maximum_sharing_conversations: u32,
    /// SECPROT and SSLCIPH of a TLS connection; blank for none.
    pub security_protocol: String,
    pub cipher: String,
    /// Distinguished names of the partner's certificate and its issuer.
    pub certificate_subject: String,
    pub certificate_issuer: String,
}

/// What an instance has done so far.
#[derive(Debug, Default)]
pub struct ChannelCounters {
    pub messages: AtomicU64,
    pub bytes_sent: AtomicU64,
    pub bytes_received: AtomicU64,
    pub buffers_sent: AtomicU64,
    pub buffers_received: AtomicU64,
    pub sharing_conversations: AtomicU64,
    /// Microseconds since 1970; 0 for never.
    pub last_message: AtomicU64,
}

impl ChannelCounters {
    /// A message or an MQI call went through.
    pub fn count_message(&self, now: Timestamp) {
        self.messages.fetch_add(1, Ordering::Relaxed);
        self.last_message.store(now.0, Ordering::Relaxed);
    }
}

/// How an instance is asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopMode {
    /// After the unit of work or the call under way.
    Quiesce,
    /// Now.
    Force,
    /// Now, and its task as well.
    Terminate,
}

/// An instance as DISPLAY CHSTATUS reads it.
#[derive(Debug, Clone)]
pub struct ChannelStatus {
    pub instance: ChannelInstance,
    /// `None` for a channel that is stopped and of which nothing runs.
    pub started: Option<Timestamp>,
    pub messages: u64,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    pub buffers_sent: u64,
    pub buffers_received: u64,
    pub sharing_conversations: u64,
    pub last_message: Option<Timestamp>,
    pub stop_requested: bool,
}

struct Registered {
    instance: Mutex<ChannelInstance>,
    started: Timestamp,
    counters: ChannelCounters,
    stop: Mutex<Option<StopMode>>,
    asked: Notify,
}

/// The instances of one queue manager, and the channels that are stopped.
#[derive(Default)]
pub(crate) struct ChannelTable {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    next: u64,
    instances: BTreeMap<u64, Arc<Registered>>,
    stopped: BTreeSet<String>,
}

/// An instance in the hands of who runs it. Dropping it takes it out of the table.
pub struct ChannelHandle {
    table: Arc<ChannelTable>,
    number: u64,
    registered: Arc<Registered>,
}

impl ChannelHandle {
    pub fn counters(&self) -> &ChannelCounters {
        &self.registered.counters
    }

    /// Changes what is shown of the instance.
    pub fn update(&self, change: impl FnOnce(&mut ChannelInstance)) {
        change(&mut self.registered.instance.lock());
    }

    /// Whether somebody wants the instance to end, and how.
    pub fn stop_requested(&self) -> Option<StopMode> {
        *self.registered.stop.lock()
    }

    /// Waits until somebody wants the instance to end.
    pub async fn stop_wanted(&self) -> StopMode {
        self.stop_wanted_beyond(None).await
    }

    /// Waits until somebody wants the instance to end sooner than `known`, which was asked before.
    pub async fn stop_wanted_beyond(&self, known: Option<StopMode>) -> StopMode {
        loop {
            let asked = self.registered.asked.notified();
            if let Some(mode) = self.stop_requested().filter(|&mode| Some(mode) > known) {
                return mode;
            }
            asked.await;
        }
    }
}

impl Drop for ChannelHandle {
    fn drop(&mut self) {
        self.table.state.lock().instances.remove(&self.number);
    }
}

impl ChannelTable {
    fn register(self: &Arc<Self>, instance: ChannelInstance, now: Timestamp) -> Option<ChannelHandle> {
        let mut state = self.state.lock();
        if state.stopped.contains(&instance.channel) {
            return None;
        }
        let registered = Arc::new(Registered {
            instance: Mutex::new(instance),
            started: now,
            counters: ChannelCounters::default(),
            stop: Mutex::new(None),
            asked: Notify::new(),
        });
        state.next += 1;
        let number = state.next;
        state.instances.insert(number, registered.clone());
        drop(state);
        Some(ChannelHandle { table: self.clone(), number, registered })
    }

    fn all(&self) -> Vec<ChannelStatus> {
        let instances: Vec<_> = self.state.lock().instances.values().cloned().collect();
        let mut statuses: Vec<_> = instances.iter().map(|registered| status(registered)).collect();
        statuses.sort_by(|a, b| a.instance.channel.cmp(&b.instance.channel));
        statuses
    }

    fn stop(&self, stop: &StopChannel<'_>) -> usize {
        let mut state = self.state.lock();
        if stop.disable {
            state.stopped.insert(stop.channel.to_owned());
        }
        let mut asked = 0;
        for registered in state.instances.values() {
            let wanted = {
                let instance = registered.instance.lock();
                instance.channel == stop.channel
                    && stop.connection_name.is_none_or(|name| instance.connection_name == name)
                    && stop.queue_manager.is_none_or(|name| instance.remote_queue_manager == name)
            };
            if wanted {
                let mut mode = registered.stop.lock();
                *mode = (*mode).max(Some(stop.mode));
                drop(mode);
                registered.asked.notify_waiters();
                asked += 1;
            }
        }
        asked
    }
}

fn status(registered: &Registered) -> ChannelStatus {
    let counters = &registered.counters;
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    ChannelStatus {
        instance: registered.instance.lock().clone(),
        started: Some(registered.started),
        messages: count(&counters.messages),
        bytes_sent: count(&counters.bytes_sent),
        bytes_received: count(&counters.bytes_received),
        buffers_sent: count(&counters.buffers_sent),
        buffers_received: count(&counters.buffers_received),
        sharing_conversations: count(&counters.sharing_conversations),
        last_message: Some(count(&counters.last_message)).filter(|&at| at > 0).map(Timestamp),
        stop_requested: registered.stop.lock().is_some(),
    }
}

impl ChannelStatus {
    /// Of a channel that is stopped and of which nothing runs.
    pub fn of_stopped(instance: ChannelInstance) -> Self {
        Self {
            instance,
            started: None,
            messages: 0,
            bytes_sent: 0,
            bytes_received: 0,
            buffers_sent: 0,
            buffers_received: 0,
            sharing_conversations: 0,
            last_message: None,
            stop_requested: true,
        }
    }
}

/// Which instances are to end.
#[derive(Debug, Clone, Copy)]
pub struct StopChannel<'a> {
    pub channel: &'a str,
    pub connection_name: Option<&'a str>,
    /// Queue manager at the other end.
    pub queue_manager: Option<&'a str>,
    pub mode: StopMode,
    /// STATUS(STOPPED): no new instance until START CHANNEL.
    pub disable: bool,
}

impl QueueManager {
    /// Makes a running instance known; `None` when somebody stopped the channel (AMQ9558).
    pub fn register_channel(&self, instance: ChannelInstance) -> Option<ChannelHandle> {
        self.engine().channels.register(instance, self.now())
    }

    /// By channel, then in order of starting.
    pub fn channel_statuses(&self) -> Vec<ChannelStatus> {
        self.engine().channels.all()
    }

    /// Asks instances to end. Returns how many there were.
    pub fn stop_channel(&self, stop: &StopChannel<'_>) -> usize {
        self.engine().channels.stop(stop)
    }

    /// Lets a stopped channel start again. False when it was not stopped.
    pub fn start_channel(&self, channel: &str) -> bool {
        self.engine().channels.state.lock().stopped.remove(channel)
    }

    /// Channels that were stopped and not started since, sorted.
    pub fn stopped_channels(&self) -> Vec<String> {
        self.engine().channels.state.lock().stopped.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(channel: &str, connection_name: &str) -> ChannelInstance {
        ChannelInstance {
            channel: channel.to_owned(),
            connection_name: connection_name.to_owned(),
            ..ChannelInstance::default()
        }
    }

    fn stop<'a>(channel: &'a str, connection_name: Option<&'a str>, mode: StopMode, disable: bool) -> StopChannel<'a> {
        StopChannel { channel, connection_name, queue_manager: None, mode, disable }
    }

    #[test]
    fn instances_are_shown_while_they_are_held() {
        let table = Arc::new(ChannelTable::default());
        let first = table.register(instance("B", "10.0.0.1"), Timestamp(1)).expect("not stopped");
        let second = table.register(instance("A", "10.0.0.2"), Timestamp(2)).expect("not stopped");
        second.update(|instance| instance.state = ChannelState::Running);
        second.counters().count_message(Timestamp(3));
        let shown: Vec<_> = table.all().iter().map(|s| (s.instance.channel.clone(), s.messages)).collect();
        assert_eq!(shown, [("A".to_owned(), 1), ("B".to_owned(), 0)]);
        assert_eq!(table.all()[0].instance.state, ChannelState::Running);
        drop(first);
        assert_eq!(table.all().len(), 1);
    }

    #[test]
    fn stopping_asks_instances_to_end_and_keeps_new_ones_away() {
        let table = Arc::new(ChannelTable::default());
        let one = table.register(instance("A", "10.0.0.1"), Timestamp(1)).expect("not stopped");
        let other = table.register(instance("A", "10.0.0.2"), Timestamp(1)).expect("not stopped");
        assert_eq!(table.stop(&stop("A", Some("10.0.0.1"), StopMode::Quiesce, false)), 1);
        assert_eq!((one.stop_requested(), other.stop_requested()), (Some(StopMode::Quiesce), None));
        assert_eq!(table.stop(&stop("A", None, StopMode::Force, true)), 2);
        assert_eq!(one.stop_requested(), Some(StopMode::Force));
        table.stop(&stop("A", None, StopMode::Quiesce, true));
        assert_eq!(one.stop_requested(), Some(StopMode::Force), "a gentler request does not soften a harder one");
        assert!(table.register(instance("A", "10.0.0.3"), Timestamp(2)).is_none());
        assert!(table.register(instance("B", "10.0.0.3"), Timestamp(2)).is_some());
    }

    #[tokio::test]
    async fn who_waits_for_a_stop_learns_of_it() {
        let table = Arc::new(ChannelTable::default());
        let handle = table.register(instance("A", "10.0.0.1"), Timestamp(1)).expect("not stopped");
        let (mode, asked) = tokio::join!(handle.stop_wanted(), async {
            tokio::task::yield_now().await;
            table.stop(&stop("A", None, StopMode::Terminate, false))
        });
        assert_eq!((mode, asked), (StopMode::Terminate, 1));
    }

    #[tokio::test]
    async fn who_knows_of_a_stop_learns_of_a_harder_one() {
        let table = Arc::new(ChannelTable::default());
        let handle = table.register(instance("A", "10.0.0.1"), Timestamp(1)).expect("not stopped");
        table.stop(&stop("A", None, StopMode::Quiesce, false));
        let mode = handle.stop_wanted().await;
        let (harder, _) = tokio::join!(handle.stop_wanted_beyond(Some(mode)), async {
            tokio::task::yield_now().await;
            table.stop(&stop("A", None, StopMode::Quiesce, false));
            table.stop(&stop("A", None, StopMode::Force, false))
        });
        assert_eq!((mode, harder), (StopMode::Quiesce, StopMode::Force));
    }
}
