//! Jobs and their undos in any order, beside programs that take messages, against lists of messages.

use model::descriptor::{Format, MessageDescriptor};
use model::options::{GetFlags, GetOptions, OpenOptions};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::client;
use super::super::jobs::{dead_letter, define, described, grant, run};
use super::super::server::TestServer;
use super::{Authority, browse_all, counts, open, undo, undo_server};

const QUEUES: [&str; 3] = ["Q", "TO", "TO2"];

#[derive(Debug, Clone)]
enum Step {
    /// On the first queue: a message, or a dead letter of one of the others.
    Put(Option<usize>),
    Move {
        from: usize,
        to: usize,
        most: u64,
    },
    Replay {
        most: u64,
    },
    Take(usize),
    /// A program gets the first message and puts it again.
    PutAgain(usize),
    Undo {
        job: usize,
        is_dry: bool,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let queue = || 0..QUEUES.len();
    prop_oneof![
        4 => prop::option::of(1..QUEUES.len()).prop_map(Step::Put),
        2 => (queue(), 1..QUEUES.len(), 1..4_u64)
            .prop_map(|(from, by, most)| Step::Move { from, to: (from + by) % QUEUES.len(), most }),
        2 => (1..4_u64).prop_map(|most| Step::Replay { most }),
        1 => queue().prop_map(Step::Take),
        1 => queue().prop_map(Step::PutAgain),
        3 => (0..8_usize, any::<bool>()).prop_map(|(job, is_dry)| Step::Undo { job, is_dry }),
    ]
}

/// A message as it lies on a queue; put once more it has another number.
#[derive(Debug, Clone, Copy)]
struct Lying {
    number: u64,
    label: u8,
    dead: Option<usize>,
}

#[derive(Default)]
struct Model {
    queues: [Vec<Lying>; QUEUES.len()],
    /// Of each job, its messages: where they are, and what they were where.
    jobs: Vec<Vec<(u64, usize, Lying, usize)>>,
    last: u64,
}

impl Model {
    fn put(&mut self, queue: usize, label: u8, dead: Option<usize>) -> u64 {
        self.last += 1;
        self.queues[queue].push(Lying { number: self.last, label, dead });
        self.last
    }

    fn carry(&mut self, from: usize, most: u64, to: impl Fn(&Lying) -> Option<(usize, Option<usize>)>) -> u64 {
        let mut done = Vec::new();
        for message in self.queues[from].clone() {
            let Some((queue, dead)) = to(&message) else { continue };
            if done.len() as u64 == most {
                break;
            }
            self.queues[from].retain(|one| one.number != message.number);
            done.push((self.put(queue, message.label, dead), queue, message, from));
        }
        self.jobs.push(done);
        self.jobs.last().expect("one").len() as u64
    }

    /// How many come back, and how many are gone.
    fn undo(&mut self, job: usize, is_dry: bool) -> (u64, u64) {
        let (mut back, mut gone) = (0, 0);
        for (number, on, was, from) in self.jobs[job].clone() {
            let Some(at) = self.queues[on].iter().position(|one| one.number == number) else {
                gone += 1;
                continue;
            };
            back += 1;
            if !is_dry {
                self.queues[on].remove(at);
                self.put(from, was.label, was.dead);
            }
        }
        (back, gone)
    }
}

/// Label, and whether it has a dead-letter header.
fn seen(server: &TestServer, queue: &str) -> Vec<(u8, bool)> {
    let is_dead = |descriptor: &MessageDescriptor| descriptor.format == Format::DEAD_LETTER_HEADER;
    let all = browse_all(server, queue).into_iter();
    all.map(|(descriptor, body)| (*body.last().expect("a label"), is_dead(&descriptor))).collect()
}

fn take(server: &TestServer, queue: &str) -> Option<(MessageDescriptor, bytes::Bytes)> {
    let connection = server.connect();
    let handle = open(server, &connection, queue, OpenOptions::INPUT_SHARED);
    let options = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
    let got = server.block_on(connection.get(handle, &options)).ok()?;
    Some((got.message.descriptor, got.message.body))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn undos_do_to_queues_what_they_do_to_lists(steps in prop::collection::vec(step(), 1..40)) {
        let server = undo_server();
        define(&server, "TO2");
        grant(&server, "TO2", Authority::PASS_ALL_CONTEXT);
        let mut client = client::plain(&server);
        let (mut model, mut jobs, mut label) = (Model::default(), Vec::<Value>::new(), 0_u8);
        for step in steps {
            match step {
                Step::Put(dead) => {
                    label += 1;
                    model.put(0, label, dead);
                    // One identifier for all of them.
                    let (format, body) = match dead {
                        Some(to) => (Format::DEAD_LETTER_HEADER, dead_letter(QUEUES[to], &[label])),
                        None => (Format::NONE, vec![label]),
                    };
                    let encoding = model::descriptor::Encoding::LITTLE_ENDIAN;
                    server.put("Q", MessageDescriptor { format, encoding, ..described(1) }, body);
                }
                Step::Move { from, to, most } => {
                    let done = model.carry(from, most, |message| Some((to, message.dead)));
                    let wish = json!({ "action": "move", "to": { "queue": QUEUES[to] }, "limit": most });
                    let job = run(&mut client, QUEUES[from], &wish);
                    prop_assert_eq!(&job["counts"]["done"], done);
                    jobs.push(job);
                }
                Step::Replay { most } => {
                    let done = model.carry(0, most, |message| message.dead.map(|to| (to, None)));
                    let job = run(&mut client, "Q", &json!({ "action": "replay", "limit": most }));
                    prop_assert_eq!(&job["counts"]["done"], done);
                    jobs.push(job);
                }
                Step::Take(queue) => {
                    let is_there = take(&server, QUEUES[queue]).is_some();
                    prop_assert_eq!(is_there, !model.queues[queue].is_empty());
                    model.queues[queue].drain(..usize::from(is_there));
                }
                Step::PutAgain(queue) => {
                    let Some((descriptor, body)) = take(&server, QUEUES[queue]) else { continue };
                    server.put(QUEUES[queue], descriptor, body);
                    let Lying { label, dead, .. } = model.queues[queue].remove(0);
                    model.put(queue, label, dead);
                }
                Step::Undo { job, is_dry } => {
                    let Some(of) = jobs.get(job) else { continue };
                    if model.jobs[job].is_empty() {
                        prop_assert_eq!(&of["undo"], false);
                        continue;
                    }
                    let (back, gone) = model.undo(job, is_dry);
                    let done = undo(&mut client, of, &json!({ "dryRun": is_dry }));
                    prop_assert_eq!(counts(&done), (back, gone, 0));
                }
            }
            for (queue, expected) in QUEUES.iter().zip(&model.queues) {
                let expected: Vec<_> = expected.iter().map(|message| (message.label, message.dead.is_some())).collect();
                prop_assert_eq!(seen(&server, queue), expected, "{}", queue);
            }
        }
    }
}
