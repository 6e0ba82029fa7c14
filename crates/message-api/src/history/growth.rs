//! How the depth of one queue has come to what it is: for those who ask since when, and where it leads.
//!
//! The last moments are known by rounds, those before them by minutes. What is not known is not guessed.

use std::time::Duration;

use model::name::{QueueManagerName, QueueName};
use model::timestamp::Timestamp;

use super::names::Subject;
use super::timeline::Clocks;
use super::track::Sample;
use super::{History, State};

/// How much a depth has grown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Growth {
    /// Messages more than at the begin.
    pub messages: u64,
    pub time: Duration,
}

impl History {
    /// Since when the depth has been at least this, as far back as anything is known. `None`: it is not known, or less now.
    pub fn at_least_since(&self, queue_manager: QueueManagerName, queue: QueueName, depth: u64) -> Option<Timestamp> {
        self.at_least_since_at(self.clocks(), queue_manager, queue, depth)
    }

    pub(super) fn at_least_since_at(
        &self,
        clocks: Clocks,
        queue_manager: QueueManagerName,
        queue: QueueName,
        depth: u64,
    ) -> Option<Timestamp> {
        let state = self.state.lock();
        let state = state.as_ref()?;
        let ahead = state.timeline.ahead(clocks);
        let begin = state.depths(queue_manager, queue).into_iter().rev().map_while(|sample| {
            let known = sample.filter(|sample| sample.value >= depth)?;
            Some(known.end)
        });
        // A sample says what the depth was at its end.
        begin.last().map(|time| Timestamp::from_millis(time.saturating_sub(ahead)))
    }

    /// How the depth has grown over the last `most`, of which at least half is known. `None` where it did not grow from each half to
    /// the next.
    pub fn growth(&self, queue_manager: QueueManagerName, queue: QueueName, most: Duration) -> Option<Growth> {
        let state = self.state.lock();
        let state = state.as_ref()?;
        let now = state.timeline.rounds.end();
        let begin = now.saturating_sub(u64::try_from(most.as_millis()).unwrap_or(u64::MAX));
        let samples = state.recent_depths(queue_manager, queue);
        let known: Vec<Sample> = samples.into_iter().rev().map_while(|sample| sample).collect();
        let within: Vec<Sample> = known.into_iter().take_while(|sample| sample.end >= begin).collect();
        let (last, first) = (within.first()?, within.last()?);
        let middle = within[within.len() / 2];
        let time = Duration::from_millis(last.end - first.end);
        let grows = first.value < middle.value && middle.value < last.value;
        (grows && time >= most / 2).then(|| Growth { messages: last.value - first.value, time })
    }
}

impl State {
    /// By minutes, then by rounds, the oldest first.
    fn depths(&self, queue_manager: QueueManagerName, queue: QueueName) -> Vec<Option<Sample>> {
        let Some(series) = self.table.get(&(queue_manager, Subject::Queue(queue))) else { return Vec::new() };
        let (begin, track) = (self.timeline.rounds.begin(), &series.tracks[0]);
        let minutes = track.by_minute(&self.timeline);
        let spans = self.timeline.minutes.spans();
        let before = minutes.into_iter().zip(spans).filter(|(_, (_, end))| *end <= begin).map(|(sample, _)| sample);
        before.chain(track.by_round(&self.timeline)).collect()
    }

    fn recent_depths(&self, queue_manager: QueueManagerName, queue: QueueName) -> Vec<Option<Sample>> {
        let series = self.table.get(&(queue_manager, Subject::Queue(queue)));
        series.map(|series| series.tracks[0].by_round(&self.timeline)).unwrap_or_default()
    }
}
