//! Searches by selector on long queues: they give way to others, an arrival costs one look, and whatever happens between looks,
//! the answer is that of a model that looks at every message each time.

use std::sync::Arc;

use model::definition::QueueDefinition;
use model::identifier::CorrelationId;
use model::options::{GetFlags, GetOptions, MatchOptions, PutFlags};
use model::reason::Reason;
use proptest::prelude::*;
use queue_manager::connection::ObjectHandle;
use queue_manager::{Connection, QueueManager};

use crate::script::{FakeClock, PATIENCE, administrator, connect, ephemeral, name};
use crate::selectors::{bench, open, put, put_with, start_get, text};

/// Puts so many messages that nobody of these tests selects.
async fn fill(connection: &Connection, count: usize) {
    for _ in 0..count {
        put(connection, "<colour>green</colour>", "green").await;
    }
}

fn looks(queue_manager: &QueueManager) -> u64 {
    queue_manager.status().store.messages_scanned
}

/// On a runtime of one thread, as `tokio::test` is.
#[tokio::test]
async fn a_search_gives_its_thread_back_after_each_slice() {
    let (_queue_manager, connection) = bench().await;
    fill(&connection, 3000).await;
    let handle = open(&connection, "colour = 'red'").await;
    let searching = tokio::spawn(async move {
        let options = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
        text(connection.get(handle, &options).await)
    });
    let mut turns = 0;
    while !searching.is_finished() {
        tokio::task::yield_now().await;
        turns += 1;
    }
    assert_eq!(searching.await.unwrap(), Err(Reason::NoMsgAvailable));
    assert!(turns >= 3000 / 64, "others ran {turns} times");
}

#[tokio::test]
async fn each_arrival_costs_one_look_however_long_the_queue_is() {
    let queue_manager = ephemeral(FakeClock::new());
    let mut definition = QueueDefinition::local(name("Q"));
    definition.as_local_mut().unwrap().maximum_depth = 100_000;
    queue_manager.define_queue(&administrator(), definition, false).await.unwrap();
    let connection = Arc::new(connect(&queue_manager, administrator()));
    fill(&connection, 70_000).await;
    let handle = open(&connection, "colour = 'red'").await;
    let waiting = start_get(&connection, handle).await;
    while looks(&queue_manager) < 70_000 {
        tokio::task::yield_now().await;
    }
    let before = looks(&queue_manager);
    for _ in 0..100 {
        put(&connection, "<colour>blue</colour>", "blue").await;
        for _ in 0..4 {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(looks(&queue_manager) - before, 100);
    put(&connection, "<colour>red</colour>", "red").await;
    assert_eq!(waiting.await.unwrap(), "red");
}

#[tokio::test]
async fn puts_and_gets_without_selectors_cost_no_look() {
    let (queue_manager, connection) = bench().await;
    let handle = open(&connection, "").await;
    fill(&connection, 100).await;
    for _ in 0..100 {
        connection.get(handle, &GetOptions::default()).await.unwrap();
    }
    assert_eq!(looks(&queue_manager), 0);
}

/// A waiter whose first look is long holds up nobody behind it in line.
#[tokio::test]
async fn what_arrives_during_a_search_goes_to_those_behind_in_line() {
    let (_queue_manager, connection) = bench().await;
    let red = open(&connection, "colour = 'red'").await;
    let first = start_get(&connection, red).await;
    fill(&connection, 3000).await;
    // The first in line has begun its search.
    for _ in 0..4 {
        tokio::task::yield_now().await;
    }
    let any = open(&connection, "").await;
    let other = connection.clone();
    let wanted = CorrelationId::new([1; 24]);
    let second = tokio::spawn(async move {
        let options = GetOptions {
            flags: GetFlags::WAIT,
            match_options: MatchOptions::CORREL_ID,
            correlation_id: wanted,
            wait: None,
            ..GetOptions::default()
        };
        text(other.get(any, &options).await)
    });
    tokio::task::yield_now().await;
    put_with(&connection, "<colour>blue</colour>", "this", PutFlags::NO_SYNCPOINT, |descriptor| {
        descriptor.correlation_id = wanted;
    })
    .await;
    let mut turns = 0;
    while !second.is_finished() && turns < 3000 {
        tokio::task::yield_now().await;
        turns += 1;
    }
    assert!(turns < 16, "it waited for {turns} turns of the one before it");
    assert_eq!(second.await.unwrap(), Ok("this".to_owned()));
    put(&connection, "<colour>red</colour>", "red").await;
    assert_eq!(first.await.unwrap(), "red");
}

/// A get dropped between two slices: the next one of the handle sees everything that was not refused.
#[tokio::test]
async fn a_search_that_is_dropped_half_way_has_missed_nothing() {
    let (_queue_manager, connection) = bench().await;
    fill(&connection, 50).await;
    put(&connection, "<colour>red</colour>", "red").await;
    fill(&connection, 50).await;
    let handle = open(&connection, "colour = 'red'").await;
    for polls in 1..6 {
        let options = GetOptions { flags: GetFlags::BROWSE_FIRST, ..GetOptions::default() };
        let mut searching = Box::pin(connection.get(handle, &options));
        for _ in 0..polls {
            if let std::task::Poll::Ready(got) = poll_once(&mut searching).await {
                assert_eq!(text(got), Ok("red".to_owned()));
                break;
            }
        }
    }
    let options = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
    assert_eq!(text(connection.get(handle, &options).await), Ok("red".to_owned()));
}

/// Polls once.
async fn poll_once<F: Future + Unpin>(future: &mut F) -> std::task::Poll<F::Output> {
    std::future::poll_fn(|context| std::task::Poll::Ready(std::pin::Pin::new(&mut *future).poll(context))).await
}

const COLOURS: [&str; 3] = ["red", "blue", "green"];

/// What the handles of the model select, of colour and backout count.
type Selects = fn(&str, u32) -> bool;
const SELECTORS: [(&str, Selects); 4] = [
    ("colour = 'red'", |colour, _| colour == "red"),
    ("colour <> 'green' AND NOT JMSRedelivered", |colour, count| colour != "green" && count == 0),
    ("JMSXDeliveryCount > 1", |_, count| count > 0),
    ("colour = 'blue' OR Root.MQMD.BackoutCount = 1", |colour, count| colour == "blue" || count == 1),
];

#[derive(Debug, Clone)]
enum Step {
    Put {
        colour: usize,
        priority: i32,
        unit: bool,
    },
    /// Many that few select.
    PutMany,
    Get {
        handle: usize,
        unit: bool,
    },
    /// Without a selector, in the unit of work of the other connection.
    Take,
    /// As `Get`, by the identifier of a message.
    GetById {
        handle: usize,
        message: usize,
    },
    Browse {
        handle: usize,
        first: bool,
        lock: bool,
    },
    End {
        connection: usize,
        commits: bool,
    },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..3_usize, 0..4, any::<bool>()).prop_map(|(colour, priority, unit)| Step::Put { colour, priority, unit }),
        1 => Just(Step::PutMany),
        4 => (0..4_usize, any::<bool>()).prop_map(|(handle, unit)| Step::Get { handle, unit }),
        3 => Just(Step::Take),
        1 => (0..4_usize, 0..100_usize).prop_map(|(handle, message)| Step::GetById { handle, message }),
        3 => (0..4_usize, any::<bool>(), any::<bool>())
            .prop_map(|(handle, first, lock)| Step::Browse { handle, first, lock }),
        3 => (0..2_usize, any::<bool>()).prop_map(|(connection, commits)| Step::End { connection, commits }),
    ]
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Holder {
    Nobody,
    Put(usize),
    Got(usize),
}

struct Known {
    /// Its text.
    number: usize,
    colour: &'static str,
    priority: i32,
    backout_count: u32,
    holder: Holder,
    locked_by: Option<usize>,
}

impl Known {
    fn key(&self) -> (i32, usize) {
        (-self.priority, self.number)
    }
}

/// The queue as a list that every search reads from the start.
#[derive(Default)]
struct Naive {
    messages: Vec<Known>,
    next: usize,
    cursors: [Option<(i32, usize)>; 4],
}

impl Naive {
    fn put(&mut self, colour: usize, priority: i32, holder: Holder) -> (usize, &'static str) {
        let (number, colour) = (self.next, COLOURS[colour]);
        self.next += 1;
        self.messages.push(Known { number, colour, priority, backout_count: 0, holder, locked_by: None });
        (number, colour)
    }

    /// The first message behind `after` that a handle may have, if it is wanted.
    fn first(&self, handle: usize, after: Option<(i32, usize)>, wanted: impl Fn(&Known) -> bool) -> Option<usize> {
        let free = |message: &&Known| {
            message.holder == Holder::Nobody && message.locked_by.is_none_or(|locker| locker == handle)
        };
        let found = self.messages.iter().filter(free).filter(|message| wanted(message));
        let behind = found.filter(|message| after.is_none_or(|after| message.key() > after));
        behind.min_by_key(|message| message.key()).map(|message| message.number)
    }

    fn of(&mut self, number: usize) -> &mut Known {
        self.messages.iter_mut().find(|message| message.number == number).expect("it is there")
    }

    fn take(&mut self, number: usize, unit: Option<usize>) {
        match unit {
            Some(connection) => {
                let message = self.of(number);
                message.holder = Holder::Got(connection);
                message.locked_by = None;
            }
            None => self.messages.retain(|message| message.number != number),
        }
    }

    fn end(&mut self, connection: usize, commits: bool) {
        let gone = if commits { Holder::Got(connection) } else { Holder::Put(connection) };
        self.messages.retain(|message| message.holder != gone);
        for message in &mut self.messages {
            if message.holder == Holder::Got(connection) {
                message.backout_count += 1;
            }
            if matches!(message.holder, Holder::Got(by) | Holder::Put(by) if by == connection) {
                message.holder = Holder::Nobody;
            }
        }
    }
}

/// Connection 0 has the handles with selectors; connection 1 gets without.
struct Bench {
    connections: [Arc<Connection>; 2],
    handles: Vec<ObjectHandle>,
    plain: ObjectHandle,
    naive: Naive,
}

impl Bench {
    async fn run(&mut self, step: &Step) {
        match *step {
            Step::Put { colour, priority, unit } => self.put(colour, priority, unit).await,
            Step::PutMany => {
                for _ in 0..40 {
                    self.put(2, 1, false).await;
                }
            }
            Step::Get { handle, unit } => {
                let expected = self.naive.first(handle, None, |message| selects(handle, message));
                let flags = if unit { GetFlags::SYNCPOINT } else { GetFlags::NO_SYNCPOINT };
                let got = self.get(handle, flags, MatchOptions::empty(), 0).await;
                self.taken(got, expected, unit.then_some(0));
            }
            Step::Take => {
                let expected = self.naive.first(usize::MAX, None, |_| true);
                let options = GetOptions { flags: GetFlags::SYNCPOINT, ..GetOptions::default() };
                let got = number_of(text(self.connections[1].get(self.plain, &options).await));
                self.taken(got, expected, Some(1));
            }
            Step::GetById { handle, message } => {
                let expected =
                    self.naive.first(handle, None, |known| known.number == message && selects(handle, known));
                let got = self.get(handle, GetFlags::NO_SYNCPOINT, MatchOptions::CORREL_ID, message).await;
                self.taken(got, expected, None);
            }
            Step::Browse { handle, first, lock } => self.browse(handle, first, lock).await,
            Step::End { connection, commits } => {
                let of = &self.connections[connection];
                if commits {
                    of.commit().await.unwrap();
                } else {
                    of.back_out().await.unwrap();
                }
                self.naive.end(connection, commits);
            }
        }
    }

    async fn put(&mut self, colour: usize, priority: i32, unit: bool) {
        let (holder, flags) =
            if unit { (Holder::Put(1), PutFlags::SYNCPOINT) } else { (Holder::Nobody, PutFlags::NO_SYNCPOINT) };
        let (number, colour) = self.naive.put(colour, priority, holder);
        let properties = format!("<colour>{colour}</colour>");
        put_with(&self.connections[1], &properties, &number.to_string(), flags, |descriptor| {
            descriptor.priority = priority;
            descriptor.correlation_id = correlation(number);
        })
        .await;
    }

    async fn get(
        &self,
        handle: usize,
        flags: GetFlags,
        match_options: MatchOptions,
        message: usize,
    ) -> Result<usize, Reason> {
        let correlation_id = correlation(message);
        let options = GetOptions { flags, match_options, correlation_id, ..GetOptions::default() };
        number_of(text(self.connections[0].get(self.handles[handle], &options).await))
    }

    fn taken(&mut self, got: Result<usize, Reason>, expected: Option<usize>, unit: Option<usize>) {
        assert_eq!(got, expected.ok_or(Reason::NoMsgAvailable));
        if let Some(number) = expected {
            self.naive.take(number, unit);
        }
    }

    async fn browse(&mut self, handle: usize, first: bool, lock: bool) {
        for message in self.naive.messages.iter_mut().filter(|message| message.locked_by == Some(handle)) {
            message.locked_by = None;
        }
        if first {
            self.naive.cursors[handle] = None;
        }
        let after = self.naive.cursors[handle];
        let expected = self.naive.first(handle, after, |message| selects(handle, message));
        let which = if first { GetFlags::BROWSE_FIRST } else { GetFlags::BROWSE_NEXT };
        let flags = if lock { which | GetFlags::LOCK } else { which };
        assert_eq!(self.get(handle, flags, MatchOptions::empty(), 0).await, expected.ok_or(Reason::NoMsgAvailable));
        if let Some(number) = expected {
            let message = self.naive.of(number);
            message.locked_by = message.locked_by.or(lock.then_some(handle));
            self.naive.cursors[handle] = Some(message.key());
        }
    }
}

fn selects(handle: usize, message: &Known) -> bool {
    SELECTORS[handle].1(message.colour, message.backout_count)
}

fn number_of(text: Result<String, Reason>) -> Result<usize, Reason> {
    text.map(|text| text.parse().unwrap())
}

fn correlation(number: usize) -> CorrelationId {
    let mut bytes = [1; 24];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    CorrelationId::new(bytes)
}

fn run(future: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(future);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn handles_with_selectors_find_what_a_model_finds_that_looks_at_everything(
        steps in prop::collection::vec(step(), 1..120),
    ) {
        run(async {
            let (queue_manager, connection) = bench().await;
            let other = Arc::new(connect(&queue_manager, administrator()));
            let mut handles = Vec::new();
            for (selector, _) in SELECTORS {
                handles.push(open(&connection, selector).await);
            }
            let plain = open(&other, "").await;
            let mut bench = Bench { connections: [connection, other], handles, plain, naive: Naive::default() };
            for step in &steps {
                bench.run(step).await;
            }
        });
    }

    /// Getters that wait, and whatever happens: once all is quiet, nobody waits for a message that is there.
    #[test]
    fn nobody_waits_for_a_message_that_is_there(
        colours in prop::collection::vec(0..3_usize, 1..8),
        steps in prop::collection::vec((0..8_u8, 0..3_usize, 0..4), 1..60),
    ) {
        run(async {
            let (queue_manager, connection) = bench().await;
            let other = connect(&queue_manager, administrator());
            let plain = open(&other, "").await;
            let mut waiting = Vec::new();
            for colour in colours {
                let handle = open(&connection, &format!("colour = '{}'", COLOURS[colour])).await;
                waiting.push((colour, start_get(&connection, handle).await));
            }
            for (kind, colour, priority) in steps {
                let properties = format!("<colour>{}</colour>", COLOURS[colour]);
                let change = |descriptor: &mut model::descriptor::MessageDescriptor| descriptor.priority = priority;
                match kind {
                    0..3 => drop(put_with(&other, &properties, "x", PutFlags::NO_SYNCPOINT, change).await),
                    3 => drop(put_with(&other, &properties, "x", PutFlags::SYNCPOINT, change).await),
                    4 => {
                        let options = GetOptions { flags: GetFlags::SYNCPOINT, ..GetOptions::default() };
                        drop(other.get(plain, &options).await);
                    }
                    5 => other.commit().await.unwrap(),
                    6 => other.back_out().await.unwrap(),
                    _ => {
                        for _ in 0..50 {
                            put(&other, &properties, "x").await;
                        }
                    }
                }
                tokio::task::yield_now().await;
            }
            for _ in 0..3000 {
                tokio::task::yield_now().await;
            }
            for (colour, task) in waiting {
                let seen = open(&other, &format!("colour = '{}'", COLOURS[colour])).await;
                let options = GetOptions { flags: GetFlags::BROWSE_FIRST, ..GetOptions::default() };
                let there = other.get(seen, &options).await.is_ok();
                assert!(task.is_finished() || !there, "one waits for {} that is there", COLOURS[colour]);
                task.abort();
            }
        });
    }
}

/// A message that a unit of work hid from the search is looked at when it comes back, and by a waiter too.
#[tokio::test]
async fn a_waiter_is_given_what_comes_back_from_before_the_end_of_its_search() {
    let (queue_manager, connection) = bench().await;
    let other = connect(&queue_manager, administrator());
    put(&connection, "<colour>red</colour>", "red").await;
    let plain = open(&other, "").await;
    other.get(plain, &GetOptions { flags: GetFlags::SYNCPOINT, ..GetOptions::default() }).await.unwrap();
    fill(&connection, 200).await;
    let handle = open(&connection, "colour = 'red'").await;
    let waiting = start_get(&connection, handle).await;
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    let before = looks(&queue_manager);
    other.back_out().await.unwrap();
    let got = tokio::time::timeout(PATIENCE, waiting).await.expect("woken").unwrap();
    assert_eq!(got, "red");
    assert_eq!(looks(&queue_manager) - before, 1);
    assert_eq!(queue_manager.queue_status(&name("Q")).unwrap().depth.current, 200);
}
