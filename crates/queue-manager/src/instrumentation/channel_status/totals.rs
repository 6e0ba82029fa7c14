//! What went through each channel since the start of the process, instances that have ended included.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};

use super::{ChannelTable, MAXIMUM_FIGURES, Registered};
use crate::QueueManager;

/// Of all instances of one channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChannelTotals {
    /// That run now.
    pub instances: u64,
    /// On these instances.
    pub conversations: u64,
    pub messages: u64,
    pub bytes_sent: u64,
    pub bytes_received: u64,
}

/// By channel: instances that have ended.
#[derive(Default)]
pub(super) struct Former(HashMap<String, ChannelTotals>);

impl Former {
    pub(super) fn add(&mut self, channel: &str, registered: &Registered) {
        if let Some(totals) = self.0.get_mut(channel) {
            totals.add_traffic(registered);
        } else if self.0.len() < MAXIMUM_FIGURES {
            let mut totals = ChannelTotals::default();
            totals.add_traffic(registered);
            self.0.insert(channel.to_owned(), totals);
        }
    }
}

impl ChannelTotals {
    fn add_traffic(&mut self, registered: &Registered) {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        self.messages += count(&registered.counters.messages);
        self.bytes_sent += count(&registered.counters.bytes_sent);
        self.bytes_received += count(&registered.counters.bytes_received);
    }
}

impl ChannelTable {
    pub(super) fn totals(&self) -> BTreeMap<String, ChannelTotals> {
        let state = self.state.lock();
        let mut all: BTreeMap<_, _> =
            state.former.0.iter().map(|(channel, totals)| (channel.clone(), *totals)).collect();
        for registered in state.instances.values() {
            let instance = registered.instance.lock();
            let totals = match all.get_mut(&instance.channel) {
                Some(totals) => totals,
                None => all.entry(instance.channel.clone()).or_default(),
            };
            totals.instances += 1;
            totals.conversations += registered.counters.sharing_conversations.load(Ordering::Relaxed);
            totals.add_traffic(registered);
        }
        all
    }
}

impl QueueManager {
    /// Of every channel that has had an instance.
    pub fn channel_totals(&self) -> BTreeMap<String, ChannelTotals> {
        self.engine().channels.totals()
    }
}
