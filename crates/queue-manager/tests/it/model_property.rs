//! Random verbs of several connections against a naive model: a list of messages with owners.

use std::time::Duration;

use bytes::Bytes;
use model::definition::QueueDefinition;
use model::descriptor::{Expiry, MessageDescriptor};
use model::identifier::CorrelationId;
use model::options::{GetFlags, GetOptions, MatchOptions, ObjectDescriptor, PutFlags, PutOptions};
use model::reason::Reason;
use proptest::prelude::*;
use queue_manager::connection::ObjectHandle;
use queue_manager::{Connection, QueueManager};

use crate::script::{EVERYTHING, FakeClock, administrator, connect, ephemeral, name};

const CONNECTIONS: usize = 3;
const QUEUES: [&str; 2] = ["Q1", "Q2"];
const MAXIMUM_DEPTH: usize = 12;

#[derive(Debug, Clone)]
enum Verb {
    Put { queue: usize, priority: u8, correlation: u8, expiry: Option<u8>, syncpoint: bool },
    Get { queue: usize, correlation: Option<u8>, syncpoint: bool },
    BrowseFirst { queue: usize, correlation: Option<u8> },
    BrowseNext { queue: usize },
    GetUnderCursor { queue: usize, syncpoint: bool },
    Commit,
    BackOut,
    Advance { seconds: u8 },
}

fn verbs() -> impl Strategy<Value = Vec<(usize, Verb)>> {
    let queue = 0..QUEUES.len();
    let wanted = proptest::option::weighted(0.4, 0..3_u8);
    let verb = prop_oneof![
        8 => (queue.clone(), 0..4_u8, 0..3_u8, proptest::option::weighted(0.2, 1..6_u8), any::<bool>()).prop_map(
            |(queue, priority, correlation, expiry, syncpoint)| Verb::Put { queue, priority, correlation, expiry, syncpoint }
        ),
        6 => (queue.clone(), wanted.clone(), any::<bool>())
            .prop_map(|(queue, correlation, syncpoint)| Verb::Get { queue, correlation, syncpoint }),
        2 => (queue.clone(), wanted).prop_map(|(queue, correlation)| Verb::BrowseFirst { queue, correlation }),
        3 => queue.clone().prop_map(|queue| Verb::BrowseNext { queue }),
        1 => (queue, any::<bool>()).prop_map(|(queue, syncpoint)| Verb::GetUnderCursor { queue, syncpoint }),
        2 => Just(Verb::Commit),
        2 => Just(Verb::BackOut),
        1 => (1..4_u8).prop_map(|seconds| Verb::Advance { seconds }),
    ];
    proptest::collection::vec((0..CONNECTIONS, verb), 1..120)
}

/// A message as the model sees it.
#[derive(Debug, Clone)]
struct Held {
    number: usize,
    priority: u8,
    correlation: u8,
    expires: Option<u64>,
    backout_count: u32,
    /// Put and not committed by this connection.
    put_by: Option<usize>,
    got_by: Option<usize>,
}

/// Priority downwards, then number: delivery order.
type Place = (u8, usize);

#[derive(Default)]
struct Model {
    now: u64,
    numbers: usize,
    queues: [Vec<Held>; QUEUES.len()],
    cursors: [[Option<Place>; QUEUES.len()]; CONNECTIONS],
}

impl Held {
    fn place(&self) -> Place {
        (9 - self.priority, self.number)
    }
}

impl Model {
    fn visible(&self, queue: usize, correlation: Option<u8>, after: Option<Place>) -> Option<usize> {
        let now = self.now;
        self.queues[queue]
            .iter()
            .enumerate()
            .filter(|(_, held)| held.put_by.is_none() && held.got_by.is_none())
            .filter(|(_, held)| held.expires.is_none_or(|at| at > now))
            .filter(|(_, held)| correlation.is_none_or(|wanted| wanted == 0 || wanted == held.correlation))
            .filter(|(_, held)| after.is_none_or(|after| held.place() > after))
            .min_by_key(|(_, held)| held.place())
            .map(|(index, _)| index)
    }

    /// What a look at the queue throws away.
    fn discard(&mut self, queue: usize) {
        let now = self.now;
        self.queues[queue]
            .retain(|held| held.expires.is_none_or(|at| at > now) || held.put_by.is_some() || held.got_by.is_some());
    }

    fn take(&mut self, queue: usize, index: usize, by: usize, syncpoint: bool) -> String {
        let printed = print(&self.queues[queue][index]);
        if syncpoint {
            self.queues[queue][index].got_by = Some(by);
        } else {
            self.queues[queue].remove(index);
        }
        printed
    }

    fn apply(&mut self, by: usize, verb: &Verb) -> String {
        match *verb {
            Verb::Put { queue, priority, correlation, expiry, syncpoint } => {
                if self.queues[queue].len() >= MAXIMUM_DEPTH {
                    return Reason::QFull.to_string();
                }
                self.numbers += 1;
                self.queues[queue].push(Held {
                    number: self.numbers,
                    priority,
                    correlation,
                    expires: expiry.map(|seconds| self.now + u64::from(seconds)),
                    backout_count: 0,
                    put_by: syncpoint.then_some(by),
                    got_by: None,
                });
                self.numbers.to_string()
            }
            Verb::Get { queue, correlation, syncpoint } => {
                self.discard(queue);
                match self.visible(queue, correlation, None) {
                    Some(index) => self.take(queue, index, by, syncpoint),
                    None => Reason::NoMsgAvailable.to_string(),
                }
            }
            Verb::BrowseFirst { queue, correlation } => {
                self.cursors[by][queue] = None;
                self.browse(by, queue, correlation, None)
            }
            Verb::BrowseNext { queue } => self.browse(by, queue, None, self.cursors[by][queue]),
            Verb::GetUnderCursor { queue, syncpoint } => {
                self.discard(queue);
                let at = self.cursors[by][queue];
                let now = self.now;
                let index = self.queues[queue].iter().position(|held| {
                    Some(held.place()) == at
                        && held.put_by.is_none()
                        && held.got_by.is_none()
                        && held.expires.is_none_or(|expires| expires > now)
                });
                match index {
                    Some(index) => self.take(queue, index, by, syncpoint),
                    None => Reason::NoMsgUnderCursor.to_string(),
                }
            }
            Verb::Commit => {
                for queue in &mut self.queues {
                    queue.retain(|held| held.got_by != Some(by));
                    for held in queue.iter_mut().filter(|held| held.put_by == Some(by)) {
                        held.put_by = None;
                    }
                }
                String::new()
            }
            Verb::BackOut => {
                for queue in &mut self.queues {
                    queue.retain(|held| held.put_by != Some(by));
                    for held in queue.iter_mut().filter(|held| held.got_by == Some(by)) {
                        held.got_by = None;
                        held.backout_count += 1;
                    }
                }
                String::new()
            }
            Verb::Advance { seconds } => {
                self.now += u64::from(seconds);
                String::new()
            }
        }
    }

    fn browse(&mut self, by: usize, queue: usize, correlation: Option<u8>, after: Option<Place>) -> String {
        self.discard(queue);
        match self.visible(queue, correlation, after) {
            Some(index) => {
                self.cursors[by][queue] = Some(self.queues[queue][index].place());
                print(&self.queues[queue][index])
            }
            None => Reason::NoMsgAvailable.to_string(),
        }
    }
}

fn print(held: &Held) -> String {
    format!("{} p{} b{}", held.number, held.priority, held.backout_count)
}

struct Real {
    queue_manager: QueueManager,
    clock: std::sync::Arc<FakeClock>,
    connections: Vec<Connection>,
    handles: Vec<[ObjectHandle; QUEUES.len()]>,
    numbers: usize,
}

impl Real {
    async fn new() -> Self {
        let clock = FakeClock::new();
        let queue_manager = ephemeral(clock.clone());
        for queue in QUEUES {
            let mut definition = QueueDefinition::local(name(queue));
            definition.as_local_mut().unwrap().maximum_depth = u32::try_from(MAXIMUM_DEPTH).unwrap();
            queue_manager.define_queue(&administrator(), definition, false).await.unwrap();
        }
        let mut real = Self { queue_manager, clock, connections: Vec::new(), handles: Vec::new(), numbers: 0 };
        for _ in 0..CONNECTIONS {
            let connection = connect(&real.queue_manager, administrator());
            let mut handles = [ObjectHandle(0); QUEUES.len()];
            for (handle, queue) in handles.iter_mut().zip(QUEUES) {
                let object = ObjectDescriptor { name: name(queue), ..ObjectDescriptor::default() };
                *handle = connection.open(&administrator(), &object, EVERYTHING).await.unwrap().handle;
            }
            real.connections.push(connection);
            real.handles.push(handles);
        }
        real
    }

    async fn apply(&mut self, by: usize, verb: &Verb) -> String {
        let connection = &self.connections[by];
        match *verb {
            Verb::Put { queue, priority, correlation, expiry, syncpoint } => {
                let descriptor = MessageDescriptor {
                    priority: i32::from(priority),
                    correlation_id: CorrelationId::new([correlation; 24]),
                    expiry: expiry.map_or(Expiry::UNLIMITED, |seconds| Expiry(i32::from(seconds) * 10)),
                    ..MessageDescriptor::default()
                };
                let flags = if syncpoint { PutFlags::SYNCPOINT } else { PutFlags::NO_SYNCPOINT };
                let body = Bytes::from((self.numbers + 1).to_string());
                let options = PutOptions { flags, context: None };
                match connection.put(self.handles[by][queue], descriptor, &options, body).await {
                    Ok(_) => {
                        self.numbers += 1;
                        self.numbers.to_string()
                    }
                    Err(reason) => reason.to_string(),
                }
            }
            Verb::Get { queue, correlation, syncpoint } => {
                self.get(by, queue, correlation, syncpoint_flag(syncpoint)).await
            }
            Verb::BrowseFirst { queue, correlation } => self.get(by, queue, correlation, GetFlags::BROWSE_FIRST).await,
            Verb::BrowseNext { queue } => self.get(by, queue, None, GetFlags::BROWSE_NEXT).await,
            Verb::GetUnderCursor { queue, syncpoint } => {
                self.get(by, queue, None, GetFlags::MSG_UNDER_CURSOR | syncpoint_flag(syncpoint)).await
            }
            Verb::Commit => connection.commit().await.map_or_else(|reason| reason.to_string(), |()| String::new()),
            Verb::BackOut => connection.back_out().await.map_or_else(|reason| reason.to_string(), |()| String::new()),
            Verb::Advance { seconds } => {
                self.clock.advance(Duration::from_secs(u64::from(seconds)));
                String::new()
            }
        }
    }

    async fn get(&self, by: usize, queue: usize, correlation: Option<u8>, flags: GetFlags) -> String {
        let options = GetOptions {
            flags,
            match_options: if correlation.is_some() { MatchOptions::CORREL_ID } else { MatchOptions::empty() },
            correlation_id: CorrelationId::new([correlation.unwrap_or(0); 24]),
            ..GetOptions::default()
        };
        match self.connections[by].get(self.handles[by][queue], &options).await {
            Ok(result) => format!(
                "{} p{} b{}",
                String::from_utf8_lossy(&result.body),
                result.descriptor.priority,
                result.descriptor.backout_count
            ),
            Err(reason) => reason.to_string(),
        }
    }
}

fn looks_long_after() -> Vec<Verb> {
    let looks = (0..QUEUES.len()).map(|queue| Verb::BrowseFirst { queue, correlation: None });
    std::iter::once(Verb::Advance { seconds: 10 }).chain(looks).collect()
}

fn syncpoint_flag(syncpoint: bool) -> GetFlags {
    if syncpoint { GetFlags::SYNCPOINT } else { GetFlags::NO_SYNCPOINT }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_queue_manager_answers_as_the_naive_model_does(script in verbs()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut real = Real::new().await;
            let mut model = Model::default();
            for (step, (by, verb)) in script.iter().enumerate() {
                let expected = model.apply(*by, verb);
                let answered = real.apply(*by, verb).await;
                prop_assert_eq!(answered, expected, "step {} by {}: {:?}", step, by, verb);
            }
            // Looks at each queue long after: what has expired and was held by a unit of work goes then at the latest.
            for verb in looks_long_after() {
                prop_assert_eq!(real.apply(0, &verb).await, model.apply(0, &verb), "at the end: {:?}", verb);
            }
            for (index, queue) in QUEUES.iter().enumerate() {
                let depth = real.queue_manager.queue_status(&name(queue)).unwrap().depth.current as usize;
                prop_assert_eq!(depth, model.queues[index].len(), "depth of {}", queue);
            }
            Ok(())
        })?;
    }
}
