//! Where the first message of a queue may be that can be taken.
//!
//! A row that is gone leaves its entry in the index until a vacuum has passed, and no vacuum cleans it while any program holds an older
//! snapshot. A look from the queue's beginning walks over all those entries. So a look begins shortly before the place where the last
//! one ended.
//!
//! The database says when that is wrong. A transaction that makes messages available counts itself in its lane's row of `queue_depth`,
//! with the lowest places of the last few such transactions. Who looks reads these rows after the look (`Opened`). If one has opened a
//! place before the look's beginning since the mark was set (`openings` of the statements decides it), the transaction is rolled back,
//! and the look begins there. A message that was only late makes later looks begin a little earlier. After one of a higher priority no
//! look begins behind its place for a moment: others may follow it.
//!
//! Invariants
//! - A mark rests on counts that were read before the look that set it, and is compared with counts that were read after the look that
//!   uses it: what becomes available in between is never missed.
//! - A message that was locked for a moment by a transaction that was rolled back, which no count tells, is found by the next look from the
//!   beginning, after `HOLDS` or a hundred times what such a look takes.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::{DeliveryKey, Position, QueueId};

/// Time between two looks from the beginning, at least.
const HOLDS: Duration = Duration::from_secs(5);
/// They may take a hundredth of the time: while a snapshot is held, they pass all that is dead.
const SHARE: u32 = 100;

/// Time for which no look begins behind a place that one has missed.
const WARNED: Duration = Duration::from_millis(500);

/// A look begins a little before the last place, since what others put at the same time comes a little later: so many times as far as
/// messages came behind that place of late.
const MARGIN: u64 = 2;
/// The least and the most: 2 and 50 ms of positions.
const STEP_BACK: RangeInclusive<u64> = 2 << 22..=50 << 22;
/// Each look forgets this part of how far messages came behind.
const FORGOTTEN: u64 = 64;

/// Transactions of a lane whose lowest places are said. A mark that is older rests on nothing.
const REMEMBERED: usize = 16;
/// Bytes of a place in a lane's row.
const PLACE: usize = 9;
/// Queues of which a lane remembers them.
const MOST_QUEUES: usize = 4096;

/// Member and lane.
type By = (i32, i32);
/// How often each lane has made messages of a queue available.
type Counts = BTreeMap<By, i64>;

/// What a lane's row says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Opened {
    pub(super) by: By,
    pub(super) count: i64,
    /// Of the last transactions, the last one last.
    pub(super) lowest: Vec<DeliveryKey>,
    /// The look has missed what the lane has made available.
    pub(super) is_missed: bool,
}

/// The mark of one queue.
#[derive(Default)]
pub(super) struct LowWater(Mutex<State>);

struct State {
    mark: Option<Mark>,
    /// How far behind the last place messages came of late, in positions.
    lag: u64,
    /// As they were last read.
    counts: Arc<Counts>,
    /// When the last look from the beginning began.
    whole: Option<Instant>,
    /// How long the last one that was committed took.
    took: Duration,
    /// A place that a look has missed, and when.
    missed: Option<(DeliveryKey, Instant)>,
}

impl Default for State {
    fn default() -> Self {
        let lag = STEP_BACK.end() / MARGIN;
        Self { mark: None, lag, counts: Arc::default(), whole: None, took: Duration::ZERO, missed: None }
    }
}

/// Nothing before the place could be taken when the counts were these, or afterwards.
struct Mark {
    place: DeliveryKey,
    /// The last message that was taken.
    last: Option<DeliveryKey>,
    counts: Arc<Counts>,
}

/// A look that is under way.
#[derive(Debug, Clone)]
pub(super) struct Look {
    /// `None`: the queue's beginning.
    pub(super) from: Option<DeliveryKey>,
    /// The last message that the look before it took.
    last: Option<DeliveryKey>,
    /// On which the place rests.
    of_mark: Arc<Counts>,
    /// Read before the look.
    before: Arc<Counts>,
    began: Instant,
}

impl LowWater {
    /// `opens`: the lowest place that the same transaction makes available itself.
    pub(super) fn look(&self, opens: Option<DeliveryKey>) -> Look {
        let mut state = self.0.lock();
        let is_fresh = state.whole.is_some_and(|at| at.elapsed() < HOLDS.max(state.took * SHARE));
        let (before, began) = (Arc::clone(&state.counts), now());
        match state.mark.as_ref().filter(|_| is_fresh) {
            Some(mark) => {
                let from = opens.map_or(mark.place, |opens| opens.min(mark.place));
                Look { from: Some(from), last: mark.last, of_mark: Arc::clone(&mark.counts), before, began }
            }
            None => {
                state.whole = Some(began);
                Look { from: None, last: None, of_mark: Arc::default(), before, began }
            }
        }
    }

    /// The look's transaction is committed, and no place was missed; `last` is the last message that it took.
    pub(super) fn looked(&self, look: &Look, last: Option<DeliveryKey>, opened: &[Opened]) {
        let mut state = self.0.lock();
        state.note_time(look);
        if let Some(lag) = look.lag(opened) {
            state.lag = lag.max(state.lag - state.lag.div_ceil(FORGOTTEN));
        }
        // Nothing could be taken anywhere: what comes next comes where the last messages have come, and what is given back is counted.
        let last = last.or_else(|| opened.iter().flat_map(|opened| &opened.lowest).max().copied());
        if let Some(last) = last {
            let step = (state.lag * MARGIN).clamp(*STEP_BACK.start(), *STEP_BACK.end());
            let place = DeliveryKey { position: Position(last.position.0.saturating_sub(step)), ..last };
            let place = state.floor().map_or(place, |floor| floor.min(place));
            state.mark = Some(Mark { place, last: Some(last), counts: Arc::clone(&look.before) });
        } else if let Some(mark) = &mut state.mark {
            mark.counts = Arc::clone(&look.before);
        }
        state.counts = Arc::new(opened.iter().map(|opened| (opened.by, opened.count)).collect());
    }

    /// Whether the look began behind a message that could be taken; then the next ones begin there.
    pub(super) fn check(&self, look: &Look, opened: &[Opened]) -> bool {
        let has_missed = opened.iter().any(|opened| opened.is_missed);
        if has_missed {
            self.missed(look, opened);
        }
        has_missed
    }

    fn missed(&self, look: &Look, opened: &[Opened]) {
        let mut state = self.0.lock();
        let lowest: Option<Vec<_>> = opened.iter().map(|opened| opened.since(look.count_of(opened))).collect();
        let lowest = lowest.and_then(|lists| lists.into_iter().flatten().min().copied());
        let lag = look.lag(opened).unwrap_or(0);
        state.lag = state.lag.max(lag);
        // The next looks begin earlier if it was only late; what is more urgent, or very late, may be followed by more of its kind.
        let was_late = look.last.zip(lowest).is_some_and(|(last, lowest)| last.rank == lowest.rank);
        let place = lowest.map(|lowest| state.floor().map_or(lowest, |floor| floor.min(lowest)));
        if !was_late || lag >= STEP_BACK.end() / MARGIN {
            state.missed = place.map(|place| (place, now()));
        }
        state.mark = place.map(|place| Mark { place, last: look.last, counts: Arc::clone(&look.of_mark) });
    }

    /// A look that takes nothing, of those who only want to know about where the queue begins: they need not check it. `first` is the first
    /// message of all from its beginning.
    pub(super) fn seen(&self, look: &Look, first: Option<DeliveryKey>, opened: &[Opened]) {
        let Some(first) = first else { return self.looked(look, None, opened) };
        let mut state = self.0.lock();
        state.note_time(look);
        state.mark = Some(Mark { place: first, last: None, counts: Arc::clone(&look.before) });
    }

    /// The next look begins at the queue's beginning.
    pub(super) fn reset(&self) {
        self.0.lock().mark = None;
    }
}

impl State {
    fn note_time(&mut self, look: &Look) {
        if look.from.is_none() {
            self.took = look.began.elapsed();
        }
    }

    fn floor(&self) -> Option<DeliveryKey> {
        self.missed.filter(|(_, at)| at.elapsed() < WARNED).map(|(place, _)| place)
    }
}

impl Look {
    /// How often each lane had made messages available when the mark was set; nothing when it begins at the queue's beginning.
    pub(super) fn known(&self) -> impl Iterator<Item = (By, i64)> {
        let is_marked = self.from.is_some();
        self.of_mark.iter().filter(move |_| is_marked).map(|(by, count)| (*by, *count))
    }

    /// How far behind the mark's last message others have come since, in positions; those of another priority do not count.
    fn lag(&self, opened: &[Opened]) -> Option<u64> {
        let last = self.last?;
        let places = opened.iter().filter_map(|opened| opened.since(self.count_of(opened))).flatten();
        let behind = places.filter(|place| place.rank == last.rank);
        let most = behind.map(|place| last.position.0.saturating_sub(place.position.0)).max();
        Some(most.unwrap_or(0).min(*STEP_BACK.end()))
    }

    /// What the mark says of the lane.
    fn count_of(&self, opened: &Opened) -> i64 {
        self.of_mark.get(&opened.by).copied().unwrap_or(0)
    }
}

impl Opened {
    /// The lowest places of the transactions after number `count`; `None`: they are not known.
    fn since(&self, count: i64) -> Option<&[DeliveryKey]> {
        let after = usize::try_from(self.count - count).ok()?;
        self.lowest.get(self.lowest.len().checked_sub(after)?..)
    }

    /// As `Recent::with` has written them.
    pub(super) fn places(bytes: &[u8]) -> Vec<DeliveryKey> {
        let place = |bytes: &[u8; PLACE]| {
            let (&[rank], position) = bytes.split_first_chunk().expect("a place has nine bytes");
            DeliveryKey { rank, position: Position(u64::from_be_bytes(position.try_into().expect("eight are left"))) }
        };
        bytes.as_chunks().0.iter().map(place).collect()
    }
}

/// Of two places the earlier one has the lower bytes.
pub(super) fn place_bytes(place: DeliveryKey) -> [u8; PLACE] {
    let mut bytes = [0; PLACE];
    bytes[0] = place.rank;
    bytes[1..].copy_from_slice(&place.position.0.to_be_bytes());
    bytes
}

/// What a lane's rows of `queue_depth` have in the database, by queue.
#[derive(Default)]
pub(super) struct Recent {
    /// The lowest places of the last transactions.
    lowest: HashMap<QueueId, VecDeque<DeliveryKey>>,
    with_row: HashSet<QueueId>,
}

impl Recent {
    /// The lowest places of the last transactions and of one that opens this one.
    pub(super) fn with(&self, queue: QueueId, opens: DeliveryKey) -> Vec<u8> {
        let recent = self.lowest.get(&queue).into_iter().flatten();
        let mut bytes = Vec::with_capacity(REMEMBERED * PLACE);
        recent.chain([&opens]).for_each(|place| bytes.extend(place_bytes(*place)));
        bytes
    }

    /// It is committed.
    pub(super) fn note(&mut self, queue: QueueId, opens: DeliveryKey) {
        if self.lowest.len() >= MOST_QUEUES && !self.lowest.contains_key(&queue) {
            self.lowest.clear();
        }
        let recent = self.lowest.entry(queue).or_default();
        recent.push_back(opens);
        if recent.len() >= REMEMBERED {
            recent.pop_front();
        }
    }

    /// The lane's row of the queue is there.
    pub(super) fn has_row(&self, queue: QueueId) -> bool {
        self.with_row.contains(&queue)
    }

    /// A transaction that has changed the rows of these queues is committed.
    pub(super) fn note_rows(&mut self, queues: impl Iterator<Item = QueueId>) {
        self.with_row.extend(queues);
    }

    /// It is not known which transactions have been committed.
    pub(super) fn forget(&mut self) {
        self.lowest.clear();
        self.with_row.clear();
    }
}

#[expect(clippy::disallowed_methods, reason = "how long a mark holds; no caller sees it")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUEUE: QueueId = QueueId(1 << 31);

    /// Milliseconds after the first position.
    fn key(milliseconds: u64) -> DeliveryKey {
        DeliveryKey { rank: 4, position: Position(milliseconds << 22) }
    }

    fn opened(count: i64, lowest: &[u64]) -> Opened {
        Opened { by: (1, 0), count, lowest: lowest.iter().map(|at| key(*at)).collect(), is_missed: false }
    }

    /// A mark that a look has set when the lane had made messages available so often.
    fn marked(count: i64, last: u64) -> LowWater {
        let water = LowWater::default();
        water.looked(&water.look(None), None, &[opened(count, &[])]);
        water.looked(&water.look(None), Some(key(last)), &[opened(count, &[])]);
        water
    }

    #[test]
    fn a_look_begins_shortly_before_the_last_message_that_was_taken() {
        let water = marked(3, 1000);
        assert_eq!(water.look(None).from, Some(key(950)));
        assert_eq!(water.look(Some(key(100))).from, Some(key(100)));
        water.reset();
        assert_eq!(water.look(None).from, None);
    }

    #[test]
    fn a_look_begins_twice_as_far_back_as_messages_came_of_late() {
        let water = marked(0, 1000);
        let mut count = 0;
        let mut take = |behind: u64| {
            count += 1;
            let now = [opened(count, &[1000 - behind; 4])];
            water.looked(&water.look(None), Some(key(1000)), &now);
            water.look(None).from.expect("there is a mark")
        };
        // What was far behind is forgotten with time, and what is gets room at once.
        for _ in 0..2000 {
            take(2);
        }
        assert_eq!(take(2), key(996));
        assert_eq!(take(10), key(980));
        for _ in 0..2000 {
            take(0);
        }
        assert_eq!(take(0), key(998));
    }

    #[test]
    fn a_look_that_has_missed_a_message_begins_there_and_so_do_the_next_ones() {
        let water = marked(3, 1000);
        let now = [opened(4, &[10])];
        water.missed(&water.look(None), &now);
        let again = water.look(None);
        assert_eq!(again.from, Some(key(10)));
        water.looked(&again, Some(key(2000)), &now);
        assert_eq!(water.look(None).from, Some(key(10)));
        water.missed(&water.look(None), &[opened(40, &[1, 1, 1])]);
        assert_eq!(water.look(None).from, None);
    }

    #[test]
    fn a_mark_rests_on_what_was_read_before_its_look() {
        let water = LowWater::default();
        water.looked(&water.look(None), None, &[opened(3, &[])]);
        let look = water.look(None);
        // Another lane of the member reads the counts while the look is under way.
        water.looked(&water.look(None), None, &[opened(4, &[10])]);
        water.looked(&look, Some(key(1000)), &[opened(4, &[10])]);
        assert_eq!(water.look(None).known().collect::<Vec<_>>(), [((1, 0), 3)]);
    }

    #[test]
    fn a_lane_says_the_lowest_places_of_its_last_transactions() {
        let said = |recent: &Recent, at: u64| Opened::places(&recent.with(QUEUE, key(at)));
        let mut recent = Recent::default();
        assert_eq!(said(&recent, 7), [key(7)]);
        recent.note(QUEUE, key(5));
        assert_eq!(said(&recent, 7), [key(5), key(7)]);
        (0..20).for_each(|_| recent.note(QUEUE, key(9)));
        assert_eq!(said(&recent, 1).len(), REMEMBERED);
        recent.forget();
        assert_eq!(said(&recent, 7), [key(7)]);
    }
}
