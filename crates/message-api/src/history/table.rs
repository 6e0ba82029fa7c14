//! All series, in a bounded number of bytes.
//!
//! When there is no room, the subject that changed longest ago is dropped first; of those that changed together, the one that is
//! known for the shortest time. A subject that is new in a round displaces none that changed in this round.
//!
//! Invariant: `bytes` is what all series take, and no more than `most` after a round.

use std::collections::HashMap;

use model::name::QueueManagerName;

use super::names::Subject;
use super::timeline::{Round, Timeline};
use super::track::{Since, Track};

pub(super) type Key = (QueueManagerName, Subject);

pub(super) struct Series {
    pub(super) tracks: Box<[Track]>,
    /// Round of its last change, and from when on it is kept.
    changed: u32,
    since: u32,
    bytes: usize,
}

pub(super) struct Table {
    series: HashMap<Key, Series>,
    bytes: usize,
    most: usize,
    /// In this round there was no room that anything cold could make.
    is_full_in: u32,
}

impl Series {
    /// `levels` is what the figures were before: zeros for those that are counts.
    pub(super) fn starting(subject: Subject, since: Since, levels: &[u64]) -> Self {
        let tracks = subject.figures().iter().zip(levels);
        let tracks = tracks.map(|(figure, level)| Track::starting(figure.kind, since, *level)).collect();
        Self { tracks, changed: since.round, since: since.round, bytes: 0 }
    }

    fn record(&mut self, round: Round, figures: &[u64]) {
        for (track, figure) in self.tracks.iter_mut().zip(figures) {
            track.record(round, *figure);
        }
        self.changed = round.number;
    }

    fn measure(&mut self) -> usize {
        let packed: usize = self.tracks.iter().map(Track::allocated).sum();
        // The place in the table, which has some that are free.
        packed + self.tracks.len() * size_of::<Track>() + 3 * size_of::<(Key, Self)>() / 2
    }
}

impl Table {
    pub(super) fn new(most: usize) -> Self {
        Self { series: HashMap::new(), bytes: 0, most, is_full_in: 0 }
    }

    pub(super) fn get(&self, key: &Key) -> Option<&Series> {
        self.series.get(key)
    }

    pub(super) fn len(&self) -> usize {
        self.series.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn set_most(&mut self, most: usize) {
        self.most = most;
    }

    /// False when the subject has no series.
    pub(super) fn record(&mut self, key: &Key, round: Round, figures: &[u64]) -> bool {
        let Some(series) = self.series.get_mut(key) else { return false };
        series.record(round, figures);
        self.bytes -= std::mem::take(&mut series.bytes);
        series.bytes = series.measure();
        self.bytes += series.bytes;
        true
    }

    /// Begins a series, if there is room.
    pub(super) fn admit(&mut self, key: Key, mut series: Series, round: Round, figures: &[u64]) {
        series.record(round, figures);
        series.bytes = series.measure();
        if self.bytes + series.bytes > self.most && self.is_full_in != round.number {
            self.drop_coldest(series.bytes, Some(round.number));
        }
        if self.bytes + series.bytes > self.most {
            self.is_full_in = round.number;
            return;
        }
        self.bytes += series.bytes;
        self.series.insert(key, series);
    }

    pub(super) fn lose_one(&mut self, round: Round, key: &Key) {
        if let Some(series) = self.series.get_mut(key) {
            series.tracks.iter_mut().for_each(|track| track.lose(round));
        }
    }

    /// Nothing is known of these from this round on.
    pub(super) fn lose(&mut self, round: Round, is_lost: impl Fn(&Key) -> bool) {
        for (_, series) in self.series.iter_mut().filter(|(key, _)| is_lost(key)) {
            series.tracks.iter_mut().for_each(|track| track.lose(round));
        }
    }

    pub(super) fn remove(&mut self, is_gone: impl Fn(&Key) -> bool) {
        self.series.retain(|key, series| {
            let stays = !is_gone(key);
            if !stays {
                self.bytes -= series.bytes;
            }
            stays
        });
    }

    pub(super) fn end_round(&mut self, round: Round, timeline: &Timeline) {
        if round.ends_minute {
            for series in self.series.values_mut() {
                for track in &mut series.tracks {
                    track.end_minute(round);
                    track.forget(timeline);
                }
                self.bytes -= std::mem::take(&mut series.bytes);
                series.bytes = series.measure();
                self.bytes += series.bytes;
            }
        }
        if self.bytes > self.most {
            self.drop_coldest(0, None);
        }
    }

    /// Makes room for so many bytes and some more, so that this is not done again for each. Only what changed before round `hot`
    /// is dropped, if that is given.
    fn drop_coldest(&mut self, wanted: usize, hot: Option<u32>) {
        let is_cold = |series: &Series| hot.is_none_or(|hot| series.changed < hot);
        let mut coldest: Vec<_> = self
            .series
            .iter()
            .filter(|((_, subject), series)| *subject != Subject::QueueManager && is_cold(series))
            .map(|(key, series)| ((series.changed, std::cmp::Reverse(series.since)), *key))
            .collect();
        coldest.sort_unstable();
        let enough = (self.most - self.most / 32).saturating_sub(wanted);
        for (_, key) in coldest {
            if self.bytes <= enough {
                break;
            }
            if let Some(dropped) = self.series.remove(&key) {
                self.bytes -= dropped.bytes;
            }
        }
    }
}
