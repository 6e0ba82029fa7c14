//! Following a queue: each message once, whenever it becomes visible, against a model that knows what was put and taken.

use std::collections::{BTreeMap, BTreeSet};

use model::descriptor::MessageDescriptor;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, PutFlags, PutOptions};
use model::reason::Reason;
use proptest::prelude::*;
use queue_manager::connection::ObjectHandle;
use queue_manager::{Connection, Follower, Place, QueueManager, Terms};

use crate::script::{FakeClock, administrator, connect, ephemeral, name};
use model::definition::QueueDefinition;
use model::options::OpenOptions;

#[derive(Debug, Clone)]
enum Step {
    Put {
        priority: i32,
    },
    /// In the unit of work of this connection.
    PutLater {
        unit: usize,
        priority: i32,
    },
    End {
        unit: usize,
        commits: bool,
    },
    Take,
    Follow {
        most: usize,
    },
    /// The follower is lost, and another one goes on where it was.
    Resume,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let priority = || 0..4_i32;
    let step = prop_oneof![
        4 => priority().prop_map(|priority| Step::Put { priority }),
        4 => (0..3_usize, priority()).prop_map(|(unit, priority)| Step::PutLater { unit, priority }),
        3 => (0..3_usize, any::<bool>()).prop_map(|(unit, commits)| Step::End { unit, commits }),
        1 => Just(Step::Take),
        4 => (1..4_usize).prop_map(|most| Step::Follow { most }),
        1 => Just(Step::Resume),
    ];
    prop::collection::vec(step, 1..60)
}

struct Bench {
    queue_manager: QueueManager,
    connection: Connection,
    units: Vec<Connection>,
    browse: ObjectHandle,
    input: ObjectHandle,
    next: usize,
}

impl Bench {
    async fn new() -> Self {
        let queue_manager = ephemeral(FakeClock::new());
        queue_manager.define_queue(&administrator(), QueueDefinition::local(name("Q")), false).await.unwrap();
        let connection = connect(&queue_manager, administrator());
        let units = (0..3).map(|_| connect(&queue_manager, administrator())).collect();
        let open = async |options| {
            let object = ObjectDescriptor { name: name("Q"), ..ObjectDescriptor::default() };
            connection.open(&administrator(), &object, options).await.unwrap().handle
        };
        let (browse, input) = (open(OpenOptions::BROWSE).await, open(OpenOptions::INPUT_SHARED).await);
        Self { queue_manager, connection, units, browse, input, next: 0 }
    }

    async fn put(&mut self, unit: Option<usize>, priority: i32) -> String {
        self.next += 1;
        let text = format!("m{}", self.next);
        let connection = unit.map_or(&self.connection, |unit| &self.units[unit]);
        let object = ObjectDescriptor { name: name("Q"), ..ObjectDescriptor::default() };
        let flags = if unit.is_some() { PutFlags::SYNCPOINT } else { PutFlags::NO_SYNCPOINT };
        let options = PutOptions { flags, ..PutOptions::default() };
        let descriptor = MessageDescriptor { priority, ..MessageDescriptor::default() };
        let body = text.clone().into();
        connection.put1(&administrator(), &object, descriptor, &options, body).await.unwrap();
        text
    }

    async fn follow(&self, follower: &mut Follower) -> Option<String> {
        let options = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
        match self.connection.follow(self.browse, follower, &options, &Terms::default()).await {
            Ok(got) => Some(String::from_utf8(got.body.to_vec()).unwrap()),
            Err(Reason::NoMsgAvailable) => None,
            Err(reason) => panic!("{reason}"),
        }
    }

    async fn take(&self) -> Option<String> {
        let options = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
        let got = self.connection.get(self.input, &options).await.ok()?;
        Some(String::from_utf8(got.body.to_vec()).unwrap())
    }
}

/// Runs the steps, then commits what is left and follows to the end.
async fn run(steps: &[Step]) -> Result<(), TestCaseError> {
    let mut bench = Bench::new().await;
    let mut follower = Follower::default();
    let mut there: BTreeSet<String> = BTreeSet::new();
    let mut uncommitted: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut shown: Vec<String> = Vec::new();
    let ends = (0..3).map(|unit| Step::End { unit, commits: true });
    for step in steps.iter().cloned().chain(ends).chain([Step::Follow { most: usize::MAX }]) {
        match step {
            Step::Put { priority } => drop(there.insert(bench.put(None, priority).await)),
            Step::PutLater { unit, priority } => {
                let text = bench.put(Some(unit), priority).await;
                uncommitted.entry(unit).or_default().push(text);
            }
            Step::End { unit, commits } => {
                let put = uncommitted.remove(&unit).unwrap_or_default();
                if commits {
                    bench.units[unit].commit().await.unwrap();
                    there.extend(put);
                } else {
                    bench.units[unit].back_out().await.unwrap();
                }
            }
            Step::Take => drop(bench.take().await.map(|taken| there.remove(&taken))),
            Step::Follow { most } => {
                for _ in 0..most {
                    let Some(text) = bench.follow(&mut follower).await else { break };
                    prop_assert!(there.contains(&text), "{text} is not there");
                    shown.push(text);
                }
            }
            Step::Resume => {
                let places = |places: &mut dyn Iterator<Item = Place>| places.collect::<Vec<_>>();
                let (seen, late) = (places(&mut follower.seen()), places(&mut follower.late()));
                let next = bench.queue_manager.next_position();
                follower = Follower::resumed(seen.into_iter(), late.into_iter(), next);
            }
        }
    }
    let once: BTreeSet<&String> = shown.iter().collect();
    prop_assert_eq!(once.len(), shown.len(), "one comes twice: {:?}", shown);
    let missing: Vec<&String> = there.iter().filter(|text| !once.contains(text)).collect();
    prop_assert!(missing.is_empty(), "{:?} were never shown", missing);
    Ok(())
}

proptest! {
    #[test]
    fn each_message_that_stays_is_shown_once_whatever_the_order_in_which_messages_become_visible(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(run(&steps))?;
    }
}
