//! Problems of a queue manager that is really there, by a clock that the test moves.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use message_api::jobs::Jobs;
use message_api::live::Concern;
use model::authority::Principal;
use model::definition::QueueDefinition;
use model::definition::queue::LocalQueue;
use model::descriptor::MessageDescriptor;
use model::group::GroupName;
use model::name::QueueName;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutOptions};
use queue_manager::connection::Connection;
use queue_manager::{Clock, ConnectOptions, GroupOptions, Home, StartOptions};

use super::*;
use crate::activity::Observed;

mod families;
mod surroundings;

const START: u64 = 1_795_219_200_000;

struct TestClock(AtomicU64);

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Relaxed))
    }
}

struct Engine {
    runtime: tokio::runtime::Runtime,
    queue_manager: QueueManager,
    connection: Connection,
    clock: Arc<TestClock>,
    problems: Problems,
    around: Mutex<Surroundings>,
}

/// What the server says, as the test wants it.
#[derive(Default)]
struct Surroundings {
    deployed: Vec<Observed>,
    pools: Vec<around::Pool>,
    certificates: Vec<around::Certificate>,
    initial_users: Vec<String>,
}

impl Around for Surroundings {
    fn deployed(&self) -> Vec<Observed> {
        self.deployed.clone()
    }

    fn pools(&self) -> Vec<around::Pool> {
        self.pools.clone()
    }

    fn certificates(&self) -> Vec<around::Certificate> {
        self.certificates.clone()
    }

    fn initial_users(&self) -> Vec<String> {
        self.initial_users.clone()
    }
}

fn server() -> Principal {
    Principal::administrator("server")
}

fn object(queue: &str) -> ObjectDescriptor {
    ObjectDescriptor { name: QueueName::literal(queue), ..ObjectDescriptor::default() }
}

impl Engine {
    fn start() -> Self {
        Self::started_by(QueueManager::start)
    }

    /// A member of a queue-sharing group whose database is the memory of this process.
    fn start_member() -> Self {
        let group = GroupOptions { name: GroupName::parse("QSG1").expect("a name"), database: None };
        Self::started_by(|options| QueueManager::start_member(options, group))
    }

    fn started_by<E: std::fmt::Debug>(start: impl FnOnce(StartOptions) -> Result<QueueManager, E>) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let clock = Arc::new(TestClock(AtomicU64::new(START)));
        let queue_manager = start(StartOptions {
            name: QueueManagerName::literal("QM1"),
            home: Home::Ephemeral,
            store: storage::StoreOptions::default(),
            clock: Arc::clone(&clock) as _,
            server_user: "server".to_owned(),
        })
        .expect("a queue manager");
        // As a server does that takes requests from the command queue.
        std::mem::forget(queue_manager.command_server().serving());
        let connection = queue_manager
            .connect(ConnectOptions {
                principal: server(),
                application_name: "test".to_owned(),
                application_type: 6,
                channel: String::new(),
                connection_name: String::new(),
            })
            .expect("connected");
        let managers = QueueManagers::of_running([queue_manager.clone()]);
        let live = Arc::new(Live::new(managers.clone(), Arc::new(Jobs::new(managers.clone())), Arc::default()));
        let history = Arc::new(History::new(managers.clone()));
        let problems = Problems::new(managers, live, history);
        Self { runtime, queue_manager, connection, clock, problems, around: Mutex::default() }
    }

    fn define(&self, queue: &str, change: impl FnOnce(&mut LocalQueue)) {
        let mut definition = QueueDefinition::local(QueueName::literal(queue));
        change(definition.as_local_mut().expect("local"));
        self.runtime.block_on(self.queue_manager.define_queue(&server(), definition, false)).expect("defined");
    }

    fn connect(&self, principal: Principal, application: &str, channel: &str) -> Connection {
        let options = ConnectOptions {
            principal,
            application_name: application.to_owned(),
            application_type: 6,
            channel: channel.to_owned(),
            connection_name: String::new(),
        };
        self.queue_manager.connect(options).expect("connected")
    }

    fn put(&self, queue: &str, messages: usize) {
        let (server, options) = (server(), PutOptions::default());
        for _ in 0..messages {
            let object = object(queue);
            let put = self.connection.put1(&server, &object, MessageDescriptor::default(), &options, "x".into());
            self.runtime.block_on(put).expect("put");
        }
    }

    fn open(&self, queue: &str) -> queue_manager::connection::Opened {
        self.runtime
            .block_on(self.connection.open(&server(), &object(queue), OpenOptions::INPUT_SHARED))
            .expect("opened")
    }

    fn get(&self, queue: &str) {
        let opened = self.open(queue);
        let options = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
        self.runtime.block_on(self.connection.get(opened.handle, &options)).expect("a message");
        self.runtime.block_on(self.connection.close(opened.handle, Default::default())).expect("closed");
    }

    fn pass(&self, seconds: u64) {
        self.clock.0.fetch_add(seconds * 1000, Relaxed);
    }

    fn problems(&self) -> Vec<Value> {
        let list = self.runtime.block_on(self.problems.list(&self.queue_manager, &*self.around.lock(), |_| true));
        list["problems"].as_array().expect("a list").clone()
    }

    /// Identifiers, and seconds since the start since when.
    fn ids(&self) -> Vec<(String, u64)> {
        let seconds = |since: &Value| {
            let since = message_api::time_text::read_moment(since.as_str().expect("text")).expect("a moment");
            (since.as_millis() - START) / 1000
        };
        let id = |problem: &Value| (problem["id"].as_str().expect("an id").to_owned(), seconds(&problem["since"]));
        self.problems().iter().map(id).collect()
    }
}

fn one(id: &str, since: u64) -> Vec<(String, u64)> {
    vec![(id.to_owned(), since)]
}

#[test]
fn a_full_queue_is_told_since_the_put_that_filled_it_with_the_command_that_makes_room() {
    let engine = Engine::start();
    engine.define("ORDERS", |local| local.maximum_depth = 3);
    engine.put("ORDERS", 2);
    engine.pass(100);
    engine.put("ORDERS", 1);
    engine.pass(60);
    assert_eq!(engine.ids(), one("queue-full:ORDERS", 100));
    let problem = &engine.problems()[0];
    assert_eq!((&problem["severity"], &problem["values"]["readers"]), (&json!("error"), &json!(0)));
    assert_eq!(
        problem["text"],
        "ORDERS is full: 3 of 3 messages. Puts fail with 2053 (MQRC_Q_FULL). No application reads it. Start or speed up a reader, or \
         raise MAXDEPTH."
    );
    assert_eq!(problem["next"][2]["mqsc"], json!(["ALTER QLOCAL('ORDERS') MAXDEPTH(6)"]));
    engine.get("ORDERS");
    engine.get("ORDERS");
    engine.pass(3);
    assert!(engine.ids().is_empty());
}

#[test]
fn a_queue_is_nearly_full_from_eighty_percent() {
    let engine = Engine::start();
    engine.define("ORDERS", |local| local.maximum_depth = 10);
    engine.put("ORDERS", 7);
    assert!(engine.ids().is_empty());
    engine.put("ORDERS", 1);
    engine.pass(3);
    assert_eq!(engine.ids(), one("queue-nearly-full:ORDERS", 3));
    engine.pass(3);
    assert_eq!(engine.ids(), one("queue-nearly-full:ORDERS", 3));
    engine.put("ORDERS", 2);
    engine.pass(3);
    assert_eq!(engine.ids()[0].0, "queue-full:ORDERS");
}

#[test]
fn messages_without_a_reader_are_told_after_five_minutes_also_when_no_client_watched() {
    let engine = Engine::start();
    engine.define("PAY.REQ", |_| {});
    engine.put("PAY.REQ", 3);
    engine.pass(299);
    assert!(engine.ids().is_empty());
    engine.pass(3);
    assert_eq!(engine.ids(), one("queue-no-reader:PAY.REQ", 0));
    // A reader that has gone: since its last get.
    engine.get("PAY.REQ");
    engine.pass(301);
    assert_eq!(engine.ids(), one("queue-no-reader:PAY.REQ", 302));
    let opened = engine.open("PAY.REQ");
    engine.pass(3);
    assert!(engine.ids().is_empty(), "it is read");
    engine.runtime.block_on(engine.connection.close(opened.handle, Default::default())).expect("closed");
}

#[test]
fn queues_that_are_to_keep_messages_need_no_reader() {
    let engine = Engine::start();
    engine.define("SYSTEM.OWN", |_| {});
    engine.put("SYSTEM.OWN", 1);
    engine.put("SYSTEM.DEAD.LETTER.QUEUE", 1);
    let mut definition = (*engine.queue_manager.definition()).clone();
    definition.dead_letter_queue = QueueName::literal("DLQ");
    engine.define("DLQ", |_| {});
    engine.runtime.block_on(engine.queue_manager.alter_queue_manager(&server(), definition)).expect("altered");
    engine.put("DLQ", 1);
    engine.pass(4000);
    let rules: Vec<_> = engine.ids().into_iter().filter(|(id, _)| id.starts_with("queue-")).collect();
    assert!(rules.is_empty(), "{rules:?}");
}

#[test]
fn an_old_message_is_told_after_an_hour_or_the_service_interval() {
    let engine = Engine::start();
    engine.define("SLOW", |_| {});
    engine.define("FAST", |local| local.service_interval_ms = 30_000);
    let (_slow, _fast) = (engine.open("SLOW"), engine.open("FAST"));
    engine.put("SLOW", 1);
    engine.put("FAST", 1);
    engine.pass(29);
    assert!(engine.ids().is_empty());
    engine.pass(10);
    assert_eq!(engine.ids(), one("queue-old-message:FAST", 30));
    engine.pass(3600);
    let ids = engine.ids();
    assert_eq!(ids[1], ("queue-old-message:SLOW".to_owned(), 3600));
}

#[test]
fn a_muted_problem_stays_in_the_list_and_says_until_when() {
    let engine = Engine::start();
    engine.define("ORDERS", |local| local.maximum_depth = 1);
    engine.put("ORDERS", 1);
    let mute = |id: &str, mute: Option<Mute>| {
        engine
            .runtime
            .block_on(engine.problems.mute(&engine.queue_manager, &Surroundings::default(), id, mute, |_| true))
    };
    let muted = mute("queue-full:ORDERS", Some(Mute::For(Duration::from_secs(3600)))).expect("muted");
    assert_eq!(muted["mutedUntil"], "2026-11-21T01:00:00.000Z");
    assert_eq!(engine.problems()[0]["mutedUntil"], "2026-11-21T01:00:00.000Z");
    assert_eq!(mute("queue-full:ORDERS", None).expect("unmuted")["mutedUntil"], Value::Null);
    assert_eq!(mute("queue-full:OTHER", None), Err(NoProblem));
    let around = Surroundings::default();
    let blind = engine.problems.mute(&engine.queue_manager, &around, "queue-full:ORDERS", None, |_: &Concern| false);
    assert_eq!(engine.runtime.block_on(blind), Err(NoProblem), "what is not seen is not muted");
}

/// Prints what a look costs.
#[test]
fn a_look_at_ten_thousand_queues_costs_little() {
    let engine = Engine::start();
    let name = |number: usize| format!("Q.{number:05}");
    (0..10_000).for_each(|number| engine.define(&name(number), |_| {}));
    (0..10_000).step_by(4).for_each(|number| engine.put(&name(number), 1));
    engine.problems();
    let mut quickest = Duration::MAX;
    for _ in 0..20 {
        engine.pass(5);
        let begun = tokio::time::Instant::now();
        assert!(engine.problems().is_empty());
        quickest = quickest.min(begun.elapsed());
    }
    println!("{quickest:?} a look");
    // Others may have the processor most of the time, but not in each look.
    assert!(quickest < Duration::from_millis(250), "{quickest:?} a look");
}
