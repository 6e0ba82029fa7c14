//! Channels as they run: running instances, their activity, and stopped channels.
//!
//! The channel listener registers each connection, keeps its figures current through the handle it is given, and asks it
//! whether to end; DISPLAY CHSTATUS reads, STOP CHANNEL asks instances to end and keeps a channel from starting anew,
//! START CHANNEL lets it start again. Nothing here lasts: a restart knows no instance and no stopped channel.
//!
//! Where an instance starts and ends is also where the log says so: CSQX511I and CSQX512I, which SET SYSTEM EXCLMSG may leave
//! out.
//!
//! At a member of a queue-sharing group an instance is shared when its client called the group (a listener with INDISP(GROUP)),
//! and private otherwise. Both are known to their member alone, and count together for MAXINST and MAXINSTC. What the members
//! of a group have is joined by commands with CMDSCOPE; the database knows none of it.
//!
//! Source: MQ reference, "DISPLAY CHSTATUS", "STOP CHANNEL", "MAXINST", "MAXINSTC", "Shared channels", 9.3.

mod totals;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use model::name::QueueManagerName;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use tokio::sync::Notify;

pub use self::totals::ChannelTotals;
use crate::QueueManager;
use crate::instrumentation::statistics::{self, ByChannel, ChannelFigures};

/// CHLDISP of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ChannelDisposition {
    #[default]
    Private,
    Shared,
}

impl ChannelDisposition {
    /// As MQSC spells it.
    pub const fn mqsc(self) -> &'static str {
        match self {
            Self::Private => "PRIVATE",
            Self::Shared => "SHARED",
        }
    }

    /// As clients of JSON know it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Shared => "shared",
        }
    }
}

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

impl ChannelState {
    /// As clients of JSON know it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Binding => "binding",
            Self::Initializing => "initializing",
            Self::Running => "running",
            Self::Stopping => "stopping",
            Self::Retrying => "retrying",
            Self::Paused => "paused",
            Self::Stopped => "stopped",
            Self::Requesting => "requesting",
            Self::Switching => "switching",
        }
    }
}

/// What is known of an instance; figures are kept beside it.
#[derive(Debug, Clone, Default)]
pub struct ChannelInstance {
    pub channel: String,
    /// CHLTYPE as MQSC spells it.
    pub channel_type: &'static str,
    pub disposition: ChannelDisposition,
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
    /// After the call under way: the queue manager ends, and backs out what is open.
    Ended,
    /// Now.
    Force,
    /// Now, and its task as well.
    Terminate,
}

/// An instance as DISPLAY CHSTATUS reads it.
#[derive(Debug, Clone)]
pub struct ChannelStatus {
    pub instance: ChannelInstance,
    /// Whose instance it is.
    pub queue_manager: QueueManagerName,
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
    queue_manager: QueueManagerName,
    /// By whose address it was counted.
    client: String,
    started: Timestamp,
    counters: ChannelCounters,
    stop: Mutex<Option<StopMode>>,
    asked: Notify,
    /// What statistics have told of already, if they count the instance: messages and bytes.
    told: Option<Mutex<(u64, u64)>>,
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
    stopped: BTreeSet<StoppedChannel>,
    counts: HashMap<String, Count>,
    /// Of instances that ended since statistics were told last.
    ended: ByChannel,
    /// Of all instances that have ended.
    former: totals::Former,
    /// The queue manager ends: no more instances.
    closed: bool,
}

/// A channel that was stopped and not started since: of one disposition, it lets nobody in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoppedChannel {
    pub channel: String,
    pub disposition: ChannelDisposition,
}

/// Instances of one channel, in all and of each partner's address.
#[derive(Default)]
struct Count {
    all: u32,
    of_client: HashMap<String, u32>,
}

/// How many instances of a channel there may be: MAXINST and MAXINSTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstanceLimits {
    pub all: u32,
    /// From one address.
    pub of_client: u32,
}

impl InstanceLimits {
    pub const NONE: Self = Self { all: u32::MAX, of_client: u32::MAX };
}

/// Why an instance may not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAdmitted {
    #[error("the channel is stopped")]
    Stopped,
    #[error("as many instances of the channel run as MAXINST allows")]
    Instances,
    #[error("as many instances of the channel run from this address as MAXINSTC allows")]
    InstancesOfClient,
    #[error("the queue manager is ending")]
    Ending,
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

    /// Whether the instance is to end, and how.
    pub fn stop_requested(&self) -> Option<StopMode> {
        *self.registered.stop.lock()
    }

    /// Waits until the instance is to end.
    pub async fn stop_wanted(&self) -> StopMode {
        self.stop_wanted_beyond(None).await
    }

    /// Waits until the instance is to end sooner than `known`, an earlier request.
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
        let mut state = self.table.state.lock();
        state.instances.remove(&self.number);
        self.registered.move_figures(&mut state.ended);
        let instance = self.registered.instance.lock();
        state.former.add(&instance.channel, &self.registered);
        state.discount(&instance.channel, &self.registered.client);
        drop(state);
        let (channel, partner) = (&instance.channel, &instance.connection_name);
        tracing::info!(
            queue_manager = self.registered.queue_manager.as_str(),
            "CSQX512I: channel {channel} has ended an instance for {partner}"
        );
    }
}

impl ChannelTable {
    fn register(
        self: &Arc<Self>,
        instance: ChannelInstance,
        limits: InstanceLimits,
        queue_manager: QueueManagerName,
        now: Timestamp,
        is_counted: bool,
    ) -> Result<ChannelHandle, NotAdmitted> {
        let mut state = self.state.lock();
        state.admits(&instance.channel, instance.disposition, &instance.connection_name, limits)?;
        state.count(&instance.channel, &instance.connection_name);
        let registered = Arc::new(Registered {
            client: instance.connection_name.clone(),
            instance: Mutex::new(instance),
            queue_manager,
            started: now,
            counters: ChannelCounters::default(),
            stop: Mutex::new(None),
            asked: Notify::new(),
            told: is_counted.then(Mutex::default),
        });
        state.next += 1;
        let number = state.next;
        state.instances.insert(number, registered.clone());
        drop(state);
        Ok(ChannelHandle { table: self.clone(), number, registered })
    }

    /// For statistics: what went through counted instances since this was asked last.
    pub(crate) fn take_figures(&self) -> ByChannel {
        let mut state = self.state.lock();
        let mut figures = std::mem::take(&mut state.ended);
        for registered in state.instances.values() {
            registered.move_figures(&mut figures);
        }
        figures
    }

    fn end(&self, mode: StopMode) -> usize {
        let mut state = self.state.lock();
        state.closed = true;
        for registered in state.instances.values() {
            registered.ask_to_end(mode);
        }
        state.instances.len()
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
            state.stopped.insert(StoppedChannel { channel: stop.channel.to_owned(), disposition: stop.disposition });
        }
        let mut asked = 0;
        for registered in state.instances.values() {
            let wanted = {
                let instance = registered.instance.lock();
                instance.channel == stop.channel
                    && instance.disposition == stop.disposition
                    && stop.connection_name.is_none_or(|name| instance.connection_name == name)
                    && stop.queue_manager.is_none_or(|name| instance.remote_queue_manager == name)
            };
            if wanted {
                registered.ask_to_end(stop.mode);
                asked += 1;
            }
        }
        asked
    }
}

impl State {
    /// Whether one more instance may start.
    ///
    /// # Errors
    /// By reason; see [`NotAdmitted`].
    fn admits(
        &self,
        channel: &str,
        disposition: ChannelDisposition,
        client: &str,
        limits: InstanceLimits,
    ) -> Result<(), NotAdmitted> {
        if self.closed {
            return Err(NotAdmitted::Ending);
        }
        if self.stopped.iter().any(|stopped| stopped.channel == channel && stopped.disposition == disposition) {
            return Err(NotAdmitted::Stopped);
        }
        let count = self.counts.get(channel);
        if count.map_or(0, |count| count.all) >= limits.all {
            return Err(NotAdmitted::Instances);
        }
        let of_client = count.and_then(|count| count.of_client.get(client)).copied();
        if of_client.unwrap_or(0) >= limits.of_client {
            return Err(NotAdmitted::InstancesOfClient);
        }
        Ok(())
    }

    fn count(&mut self, channel: &str, client: &str) {
        let count = self.counts.entry(channel.to_owned()).or_default();
        count.all += 1;
        *count.of_client.entry(client.to_owned()).or_default() += 1;
    }

    fn discount(&mut self, channel: &str, client: &str) {
        let Some(count) = self.counts.get_mut(channel) else { return };
        count.all -= 1;
        if let Some(of_client) = count.of_client.get_mut(client) {
            *of_client -= 1;
            if *of_client == 0 {
                count.of_client.remove(client);
            }
        }
        if count.all == 0 {
            self.counts.remove(channel);
        }
    }
}

impl Registered {
    /// A gentler request does not soften a harder one.
    fn ask_to_end(&self, mode: StopMode) {
        let mut wanted = self.stop.lock();
        *wanted = (*wanted).max(Some(mode));
        drop(wanted);
        self.asked.notify_waiters();
    }
}

/// Channels and addresses of which figures are kept at most; what went through others is lost to statistics.
const MAXIMUM_FIGURES: usize = 10_000;

impl Registered {
    /// Adds what has not been told of yet.
    fn move_figures(&self, figures: &mut ByChannel) {
        let Some(told) = &self.told else { return };
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let counters = &self.counters;
        let now = (count(&counters.messages), count(&counters.bytes_sent) + count(&counters.bytes_received));
        let before = std::mem::replace(&mut *told.lock(), now);
        if now == before {
            return;
        }
        let instance = self.instance.lock();
        let key = (instance.channel.clone(), instance.connection_name.clone());
        if figures.len() >= MAXIMUM_FIGURES && !figures.contains_key(&key) {
            return;
        }
        let figures = figures.entry(key).or_insert_with(|| ChannelFigures {
            channel_type: instance.channel_type,
            remote_queue_manager: instance.remote_queue_manager.clone(),
            ..ChannelFigures::default()
        });
        figures.messages += now.0.saturating_sub(before.0);
        figures.bytes += now.1.saturating_sub(before.1);
    }
}

fn status(registered: &Registered) -> ChannelStatus {
    let counters = &registered.counters;
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    ChannelStatus {
        instance: registered.instance.lock().clone(),
        queue_manager: registered.queue_manager,
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
    pub fn of_stopped(instance: ChannelInstance, queue_manager: QueueManagerName) -> Self {
        Self {
            instance,
            queue_manager,
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
    pub disposition: ChannelDisposition,
    pub connection_name: Option<&'a str>,
    /// Queue manager at the other end.
    pub queue_manager: Option<&'a str>,
    pub mode: StopMode,
    /// STATUS(STOPPED): no new instance until START CHANNEL.
    pub disable: bool,
}

impl<'a> StopChannel<'a> {
    /// All private instances, whoever they are for; others may start.
    pub fn of(channel: &'a str, mode: StopMode) -> Self {
        let disposition = ChannelDisposition::Private;
        Self { channel, disposition, connection_name: None, queue_manager: None, mode, disable: false }
    }
}

impl QueueManager {
    /// Makes a running instance known; `None` when the channel is stopped (AMQ9558).
    pub fn register_channel(&self, instance: ChannelInstance) -> Option<ChannelHandle> {
        self.admit_channel(instance, InstanceLimits::NONE).ok()
    }

    /// Makes a running instance known, if there may be one more.
    ///
    /// # Errors
    /// By reason; see [`NotAdmitted`].
    pub fn admit_channel(
        &self,
        instance: ChannelInstance,
        limits: InstanceLimits,
    ) -> Result<ChannelHandle, NotAdmitted> {
        let is_counted = statistics::collects_channel(self.engine(), &instance.channel);
        let handle = self.engine().channels.register(instance, limits, self.name(), self.now(), is_counted)?;
        let instance = handle.registered.instance.lock();
        let (channel, partner) = (&instance.channel, &instance.connection_name);
        tracing::info!(
            queue_manager = self.name().as_str(),
            "CSQX511I: channel {channel} has started an instance for {partner}"
        );
        drop(instance);
        Ok(handle)
    }

    /// Whether `admit_channel` would let one more instance start now.
    ///
    /// # Errors
    /// By reason; see [`NotAdmitted`].
    pub fn would_admit_channel(
        &self,
        channel: &str,
        disposition: ChannelDisposition,
        client: &str,
        limits: InstanceLimits,
    ) -> Result<(), NotAdmitted> {
        self.engine().channels.state.lock().admits(channel, disposition, client, limits)
    }

    /// Asks every instance to end and admits none any more: the queue manager ends. Returns how many there are.
    pub fn end_channels(&self, mode: StopMode) -> usize {
        self.engine().channels.end(mode)
    }

    pub fn channel_instances(&self) -> usize {
        self.engine().channels.state.lock().instances.len()
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
    pub fn start_channel(&self, channel: &str, disposition: ChannelDisposition) -> bool {
        let stopped = StoppedChannel { channel: channel.to_owned(), disposition };
        self.engine().channels.state.lock().stopped.remove(&stopped)
    }

    /// Channels that were stopped and not started since, sorted.
    pub fn stopped_channels(&self) -> Vec<StoppedChannel> {
        self.engine().channels.state.lock().stopped.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests;
