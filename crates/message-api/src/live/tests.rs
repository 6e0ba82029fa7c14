//! Streams without HTTP: what is taken of them after looks that the test makes.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use serde_json::{Value, json};

use super::*;
use crate::test_engine::{TestEngine, server};

const LIMITS: Limits = Limits { of_all: 200, of_user: 200 };

/// Sees everything, until it is blinded.
struct Eyes {
    user: &'static str,
    is_blind: AtomicBool,
}

impl Viewer for Eyes {
    fn user(&self) -> &str {
        self.user
    }

    fn sees(&self, _: Sight<'_>) -> bool {
        !self.is_blind.load(Relaxed)
    }
}

fn eyes(user: &'static str) -> Arc<Eyes> {
    Arc::new(Eyes { user, is_blind: AtomicBool::new(false) })
}

struct Engine {
    engine: TestEngine,
    live: Arc<Live>,
}

impl Deref for Engine {
    type Target = TestEngine;

    fn deref(&self) -> &TestEngine {
        &self.engine
    }
}

impl Engine {
    fn start() -> Self {
        let engine = TestEngine::start();
        let queue_managers = engine.queue_managers();
        let live = Arc::new(Live::new(queue_managers.clone(), Arc::new(Jobs::new(queue_managers)), Arc::default()));
        Self { engine, live }
    }

    fn attach(&self, viewer: &Arc<Eyes>) -> Attached {
        self.live.attach(Arc::clone(viewer) as _, None, LIMITS).expect("a stream")
    }

    fn watch(&self, stream: &Attached, user: &str, queues: &[&str]) -> usize {
        let queues = queues.iter().map(|queue| (QueueManagerName::literal("QM1"), QueueName::literal(queue)));
        let watch = Watch { queues: queues.collect(), ..Watch::default() };
        self.live.watch(stream.id, user, &watch).expect("the stream").len()
    }

    fn look(&self) {
        self.live.look(Instant::now());
    }
}

/// Everything that is to be sent, and the last id.
fn take(stream: &Attached) -> (Vec<(&'static str, Value)>, Option<EventId>) {
    let (mut events, mut last) = (Vec::new(), None);
    stream
        .take(usize::MAX, |event| {
            events.push((event.name, serde_json::from_str(event.data.get()).expect("JSON")));
            last = event.id.or(last);
            1
        })
        .expect("the stream goes on");
    (events, last)
}

fn rows(stream: &Attached) -> Vec<Value> {
    take(stream).0.into_iter().map(|(_, data)| data).collect()
}

/// Members of a row, its name aside.
fn members(row: &Value) -> Vec<&str> {
    let all = row.as_object().expect("an object").keys().map(String::as_str);
    all.filter(|name| !["view", "qmgr", "key"].contains(name)).collect()
}

#[test]
fn a_row_is_sent_whole_once_and_then_what_has_changed_of_it() {
    let engine = Engine::start();
    engine.define("Q");
    engine.define("OTHER");
    let stream = engine.attach(&eyes("app"));
    assert_eq!(engine.watch(&stream, "app", &["Q", "OTHER", "NONE"]), 1, "one is not there");
    let first = rows(&stream);
    assert_eq!(first.iter().map(|row| &row["key"]).collect::<Vec<_>>(), ["OTHER", "Q"]);
    assert_eq!((members(&first[1]).len(), &first[1]["depth"], &first[1]["lastPut"]), (11, &json!(0), &Value::Null));
    engine.put("Q", 1);
    engine.look();
    let changed = rows(&stream);
    assert_eq!(changed.len(), 1);
    assert_eq!(members(&changed[0]), ["depth", "bytes", "oldest", "lastPut"]);
    assert_eq!((&changed[0]["view"], &changed[0]["depth"]), (&json!("queues"), &json!(1)));
    engine.look();
    assert!(rows(&stream).is_empty(), "nothing has changed");
}

#[test]
fn a_slow_reader_gets_the_latest_values_once_and_nothing_waits_for_it() {
    let engine = Engine::start();
    engine.define("Q");
    engine.define("LATER");
    let stream = engine.attach(&eyes("app"));
    engine.watch(&stream, "app", &["Q", "LATER"]);
    rows(&stream);
    for _ in 0..500 {
        engine.put("Q", 1);
        engine.look();
    }
    engine.put("LATER", 1);
    engine.look();
    assert_eq!(engine.live.state.lock().streams[&stream.id].dirty.len(), 2, "two names wait");
    let changed = rows(&stream);
    assert_eq!(changed.iter().map(|row| &row["depth"]).collect::<Vec<_>>(), [1, 500]);
    // A piece ends where it is full, and the rest comes with the next.
    engine.put("Q", 1);
    engine.put("LATER", 1);
    engine.look();
    let mut keys = Vec::new();
    for _ in 0..2 {
        let taken = stream.take(1, |event| {
            keys.push(event.id.is_some());
            100
        });
        taken.expect("the stream goes on");
    }
    assert_eq!(keys, [false, true], "only the last row says that all are known");
}

#[test]
fn a_client_that_comes_back_goes_on_behind_what_it_has_read() {
    let engine = Engine::start();
    ["A", "B"].iter().for_each(|queue| engine.define(queue));
    let viewer = eyes("app");
    let stream = engine.attach(&viewer);
    engine.watch(&stream, "app", &["A", "B"]);
    let read = take(&stream).1.expect("an id");
    assert_eq!(EventId::parse(&read.to_string()), Some(read));
    engine.put("A", 1);
    engine.look();
    assert_eq!(rows(&stream).len(), 1, "sent, and lost with the connection");
    drop(stream);
    engine.put("B", 1);
    engine.look();
    let again = engine.live.attach(Arc::clone(&viewer) as _, Some(read), LIMITS).expect("a stream");
    assert!(again.is_resumed);
    let rows = rows(&again);
    assert_eq!(
        rows.iter().map(|row| (&row["key"], &row["depth"])).collect::<Vec<_>>(),
        [(&json!("A"), &json!(1)), (&json!("B"), &json!(1))]
    );
    assert!(!members(&rows[0]).contains(&"readers"), "what it knows is not sent again");
    // The connection before, if there still is one, sends nothing more.
    let third = engine.live.attach(viewer, Some(read), LIMITS).expect("a stream");
    assert_eq!(again.take(usize::MAX, |_| 1), Err(Ended));
    drop(again);
    assert!(third.take(usize::MAX, |_| 1).is_ok(), "the end of the earlier one is not its own");
}

#[test]
fn a_stream_that_is_not_known_has_to_be_loaded_again_and_nobody_elses_is_known() {
    let engine = Engine::start();
    engine.define("Q");
    let stream = engine.attach(&eyes("app"));
    engine.watch(&stream, "app", &["Q"]);
    let read = take(&stream).1.expect("an id");
    let other = engine.live.attach(eyes("other"), Some(read), LIMITS).expect("a stream");
    assert!(!other.is_resumed && other.id != stream.id);
    assert_eq!(take(&other).0, [("reload", json!({ "reason": "the stream is not known any more" }))]);
    assert_eq!(engine.live.watch(stream.id, "other", &Watch::default()), Err(Ended));
    drop(stream);
    engine.live.look(Instant::now() + KEPT + Duration::from_secs(1));
    let late = engine.live.attach(eyes("app"), Some(read), LIMITS).expect("a stream");
    assert!(!late.is_resumed, "it was kept for a minute");
}

#[test]
fn what_a_viewer_may_not_see_is_not_sent_and_what_it_may_see_no_longer_is_gone() {
    let engine = Engine::start();
    engine.define("Q");
    let viewer = eyes("app");
    viewer.is_blind.store(true, Relaxed);
    let stream = engine.attach(&viewer);
    assert_eq!(engine.watch(&stream, "app", &["Q"]), 1);
    engine.put("Q", 1);
    engine.look();
    assert!(rows(&stream).is_empty());
    viewer.is_blind.store(false, Relaxed);
    engine.put("Q", 1);
    engine.look();
    assert_eq!(members(&rows(&stream)[0]).len(), 11);
    viewer.is_blind.store(true, Relaxed);
    engine.put("Q", 1);
    engine.look();
    assert_eq!(rows(&stream), [json!({ "view": "queues", "qmgr": "QM1", "key": "Q", "gone": true })]);
    engine.put("Q", 1);
    engine.look();
    assert!(rows(&stream).is_empty(), "told once");
}

#[test]
fn a_queue_that_is_deleted_is_gone_and_one_that_is_made_again_is_sent_whole() {
    let engine = Engine::start();
    engine.define("Q");
    let stream = engine.attach(&eyes("app"));
    engine.watch(&stream, "app", &["Q"]);
    rows(&stream);
    let name = QueueName::literal("Q");
    engine.runtime.block_on(engine.queue_manager.delete_queue(&server(), &name, false)).expect("deleted");
    engine.look();
    assert_eq!(rows(&stream), [json!({ "view": "queues", "qmgr": "QM1", "key": "Q", "gone": true })]);
    engine.define("Q");
    engine.look();
    assert_eq!(members(&rows(&stream)[0]).len(), 11);
}

#[test]
fn streams_are_limited_and_those_that_wait_for_their_clients_give_way() {
    let engine = Engine::start();
    let limits = Limits { of_all: 3, of_user: 2 };
    let attach = |user| engine.live.attach(eyes(user), None, limits);
    let first = attach("app").expect("one");
    let _second = attach("app").expect("two");
    assert_eq!(attach("app").err(), Some(TooMany::OfUser));
    let _third = attach("other").expect("three");
    assert_eq!(attach("third").err(), Some(TooMany::OfAll));
    let id = first.id;
    drop(first);
    let _fourth = attach("third").expect("the parked one has given way");
    assert!(!engine.live.state.lock().streams.contains_key(&id));
    engine.live.end();
    assert_eq!(attach("app").err(), Some(TooMany::OfAll), "the server stops");
}

#[test]
fn queue_managers_are_rows_of_their_own() {
    let engine = Engine::start();
    let stream = engine.attach(&eyes("app"));
    let watch = Watch { queue_managers: true, ..Watch::default() };
    engine.live.watch(stream.id, "app", &watch).expect("the stream");
    let row = json!({ "view": "qmgrs", "key": "QM1", "state": "running", "connections": 1 });
    assert_eq!(rows(&stream), [row]);
    engine.look();
    assert!(rows(&stream).is_empty());
    engine.live.queue_managers.ended(&engine.queue_manager.name(), queue_manager::registry::State::EndedNormally, None);
    engine.look();
    let row = json!({ "view": "qmgrs", "key": "QM1", "state": "ended", "connections": null });
    assert_eq!(rows(&stream), [row]);
    // A second stream is told what the first one knows.
    let second = engine.attach(&eyes("app"));
    engine.live.watch(second.id, "app", &watch).expect("the stream");
    assert_eq!(rows(&second).len(), 1);
}

#[test]
fn rows_that_nothing_watches_are_not_kept() {
    let engine = Engine::start();
    ["A", "B"].iter().for_each(|queue| engine.define(queue));
    let (one, two) = (engine.attach(&eyes("app")), engine.attach(&eyes("app")));
    engine.watch(&one, "app", &["A", "B"]);
    engine.watch(&two, "app", &["B"]);
    assert_eq!(engine.live.counts(), Counts { streams: 2, rows: 2 });
    engine.watch(&one, "app", &[]);
    assert_eq!(engine.live.counts().rows, 1);
    two.end();
    assert_eq!(engine.live.counts(), Counts { streams: 1, rows: 0 });
}

/// Prints what fifty streams of two hundred rows cost.
#[test]
fn many_streams_of_the_same_rows_cost_little() {
    let engine = Engine::start();
    let names: Vec<String> = (0..200).map(|number| format!("Q.{number:03}")).collect();
    names.iter().for_each(|name| engine.define(name));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let streams: Vec<_> = (0..50).map(|_| engine.attach(&eyes("app"))).collect();
    for stream in &streams {
        engine.watch(stream, "app", &names);
        assert_eq!(rows(stream).len(), 200);
    }
    let time = |changed: usize| {
        let mut quickest = Duration::MAX;
        for _ in 0..10 {
            names[..changed].iter().for_each(|name| engine.put(name, 1));
            let begun = Instant::now();
            engine.look();
            let mut sent = 0;
            for stream in &streams {
                stream
                    .take(usize::MAX, |event| {
                        sent += 1;
                        event.data.get().len()
                    })
                    .expect("the stream goes on");
            }
            quickest = quickest.min(begun.elapsed());
            assert_eq!(sent, 50 * changed);
        }
        quickest
    };
    let (idle, busy) = (time(0), time(200));
    println!("a look and 50 streams of 200 rows: {idle:?} when nothing has changed, {busy:?} when all rows have");
    // Others may have the processor most of the time, but not in each look.
    assert!(idle < Duration::from_millis(200) && busy < Duration::from_secs(2), "{idle:?} {busy:?}");
}
