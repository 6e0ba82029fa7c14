//! Publications of monitoring, decoded and compared with what a test did.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use expect_test::expect;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::definition::QueueDefinition;
use model::descriptor::{Format, Persistence};
use model::name::QueueName;
use model::options::{CloseOptions, GetFlags, GetOptions, OpenOptions};
use model::pcf::{self, Parameter, ParameterValue};
use model::reason::Reason;
use model::subscribe::{SubscribeFlags, SubscriptionDescriptor};
use queue_manager::Connection;
use queue_manager::QueueManager;
use queue_manager::connection::ObjectHandle;
use queue_manager::subscribe::Subscribed;

use crate::accounting::{alter, define, get, housekeep, list, open, put, records, text};
use crate::script::{EVERYTHING, FakeClock, administrator, connect, ephemeral, name};

const ROOT: &str = "$SYS/MQ/INFO/QMGR/QM1/Monitor";
const INTERVAL: Duration = Duration::from_secs(10);

const MONITOR_CLASS: i32 = 839;
const MONITOR_TYPE: i32 = 840;
const MONITOR_ELEMENT: i32 = 841;
const MONITOR_DATATYPE: i32 = 842;
const MONITOR_FLAGS: i32 = 843;
const MONITOR_INTERVAL: i32 = 845;
const TOPIC_STRING: i32 = 2094;
const CLASS_NAME: i32 = 2713;
const TYPE_NAME: i32 = 2714;
const DESCRIPTION: i32 = 2715;

/// A queue manager with queue Q, and an administrator who monitors it.
struct House {
    clock: Arc<FakeClock>,
    queue_manager: QueueManager,
    monitor: Connection,
}

/// A type that is there to be monitored, as descriptions tell it.
struct Type {
    class: String,
    name: String,
    values: String,
    /// Number, unit, name.
    elements: Vec<(i64, i64, String)>,
}

impl House {
    async fn new() -> Self {
        let clock = FakeClock::new();
        let queue_manager = ephemeral(clock.clone());
        define(&queue_manager, QueueDefinition::local(name("Q"))).await;
        let monitor = connect(&queue_manager, administrator());
        Self { clock, queue_manager, monitor }
    }

    async fn subscribe(&self, topic: &str, flags: SubscribeFlags) -> Subscribed {
        let descriptor = managed(topic, flags);
        self.monitor.subscribe(&administrator(), &descriptor, None).await.unwrap()
    }

    /// A subscription to what is published below the root.
    async fn listen(&self, below: &str) -> Subscribed {
        self.subscribe(&format!("{ROOT}/{below}"), SubscribeFlags::empty()).await
    }

    async fn take(&self, queue: ObjectHandle) -> Option<pcf::Message> {
        let got = self.monitor.get(queue, &GetOptions::default()).await.ok()?;
        assert_eq!(got.descriptor.format, Format::ADMIN);
        let (message, length) = pcf::decode(&got.body, got.descriptor.encoding, got.descriptor.ccsid).unwrap();
        assert_eq!(length, got.body.len());
        Some(message)
    }

    /// What a new subscription to a topic string of descriptions is sent at once.
    async fn described(&self, topic: &str) -> pcf::Message {
        let subscribed = self.subscribe(topic, SubscribeFlags::empty()).await;
        let described = self.take(subscribed.queue).await.unwrap_or_else(|| panic!("nothing on {topic}"));
        assert!(self.take(subscribed.queue).await.is_none());
        for handle in [subscribed.queue, subscribed.subscription] {
            self.monitor.close(handle, CloseOptions::empty()).await.unwrap();
        }
        described
    }

    /// Everything that is described, found as exporters find it: from the classes on.
    async fn types(&self) -> Vec<Type> {
        let mut found = Vec::new();
        for class in groups(&self.described(&format!("{ROOT}/METADATA/CLASSES")).await) {
            let class_name = text(&class, CLASS_NAME).unwrap();
            for of in groups(&self.described(&text(&class, TOPIC_STRING).unwrap()).await) {
                let described = self.described(&text(&of, TOPIC_STRING).unwrap()).await;
                let values = text(&described.parameters, TOPIC_STRING).unwrap();
                let is_of_objects = list(&class, MONITOR_FLAGS) == [1];
                assert_eq!(values.contains("%s"), is_of_objects, "{values}");
                let element = |element: &Vec<Parameter>| {
                    let (number, unit) = (list(element, MONITOR_ELEMENT)[0], list(element, MONITOR_DATATYPE)[0]);
                    assert_eq!(element.len(), 3, "exporters refuse what they do not know");
                    (number, unit, text(element, DESCRIPTION).unwrap())
                };
                found.push(Type {
                    class: class_name.clone(),
                    name: text(&of, TYPE_NAME).unwrap(),
                    values,
                    elements: groups(&described).iter().map(element).collect(),
                });
            }
        }
        found
    }

    /// Numbers of the elements of a queue's type, by name.
    async fn numbers(&self, of: &str) -> HashMap<String, i32> {
        let types = self.types().await;
        let of = types.into_iter().find(|one| one.class == "STATQ" && one.name == of).unwrap();
        of.elements.into_iter().map(|(number, _, name)| (name, i32::try_from(number).unwrap())).collect()
    }

    /// Lets an interval go by, and returns what a subscription is sent then.
    async fn interval(&self, subscribed: &Subscribed) -> pcf::Message {
        self.clock.advance(INTERVAL);
        housekeep(&self.queue_manager, subscribed.queue_name.as_str(), 1).await;
        self.take(subscribed.queue).await.unwrap()
    }

    /// Lets time go by, and the queue manager do what is due then.
    async fn pass(&self, time: Duration) {
        self.clock.advance(time);
        let turns = async {
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            () = self.queue_manager.run() => panic!("the queue manager stopped"),
            () = turns => {}
        }
    }

    /// A value for a page of metrics: of a queue, or of the queue manager.
    fn monitored(&self, class: &str, element: &str, queue: Option<&str>) -> Option<f64> {
        let families = self.queue_manager.monitored();
        let family = families.into_iter().find(|family| (family.class, family.element) == (class, element)).unwrap();
        let is_wanted = |name: Option<QueueName>| name.as_ref().map(QueueName::as_str) == queue;
        family.samples.into_iter().find(|&(name, _)| is_wanted(name)).map(|(_, value)| value)
    }
}

fn managed(topic: &str, flags: SubscribeFlags) -> SubscriptionDescriptor {
    SubscriptionDescriptor {
        topic_string: topic.to_owned(),
        flags: SubscribeFlags::CREATE | SubscribeFlags::MANAGED | flags,
        ..SubscriptionDescriptor::default()
    }
}

fn groups(message: &pcf::Message) -> Vec<Vec<Parameter>> {
    let group = |parameter: &Parameter| match &parameter.value {
        ParameterValue::Group(members) => Some(members.clone()),
        _ => None,
    };
    message.parameters.iter().filter_map(group).collect()
}

#[tokio::test]
async fn exporters_find_every_class_type_and_element_from_one_topic_on() {
    let house = House::new().await;
    let types = house.types().await;
    let mut shown = String::new();
    for of in &types {
        shown += &format!("{}/{}: {} elements at {}\n", of.class, of.name, of.elements.len(), of.values);
    }
    expect![[r"
        CPU/SystemSummary: 7 elements at $SYS/MQ/INFO/QMGR/QM1/Monitor/CPU/SystemSummary
        CPU/QMgrSummary: 3 elements at $SYS/MQ/INFO/QMGR/QM1/Monitor/CPU/QMgrSummary
        DISK/QMgrSummary: 2 elements at $SYS/MQ/INFO/QMGR/QM1/Monitor/DISK/QMgrSummary
        DISK/Log: 6 elements at $SYS/MQ/INFO/QMGR/QM1/Monitor/DISK/Log
        STATMQI/CONNDISC: 4 elements at $SYS/MQ/INFO/QMGR/QM1/Monitor/STATMQI/CONNDISC
        STATMQI/OPENCLOSE: 4 elements at $SYS/MQ/INFO/QMGR/QM1/Monitor/STATMQI/OPENCLOSE
        STATMQI/INQSET: 4 elements at $SYS/MQ/INFO/QMGR/QM1/Monitor/STATMQI/INQSET
        STATMQI/PUT: 11 elements at $SYS/MQ/INFO/QMGR/QM1/Monitor/STATMQI/PUT
        STATMQI/GET: 14 elements at $SYS/MQ/INFO/QMGR/QM1/Monitor/STATMQI/GET
        STATMQI/SYNCPOINT: 2 elements at $SYS/MQ/INFO/QMGR/QM1/Monitor/STATMQI/SYNCPOINT
        STATMQI/SUBSCRIBE: 14 elements at $SYS/MQ/INFO/QMGR/QM1/Monitor/STATMQI/SUBSCRIBE
        STATMQI/PUBLISH: 7 elements at $SYS/MQ/INFO/QMGR/QM1/Monitor/STATMQI/PUBLISH
        STATQ/OPENCLOSE: 2 elements at $SYS/MQ/INFO/QMGR/QM1/Monitor/STATQ/%s/OPENCLOSE
        STATQ/INQSET: 2 elements at $SYS/MQ/INFO/QMGR/QM1/Monitor/STATQ/%s/INQSET
        STATQ/PUT: 11 elements at $SYS/MQ/INFO/QMGR/QM1/Monitor/STATQ/%s/PUT
        STATQ/GET: 17 elements at $SYS/MQ/INFO/QMGR/QM1/Monitor/STATQ/%s/GET
        STATQ/GENERAL: 6 elements at $SYS/MQ/INFO/QMGR/QM1/Monitor/STATQ/%s/GENERAL
    "]]
    .assert_eq(&shown);
    for is_of_queues in [false, true] {
        let mut names = BTreeSet::new();
        for of in types.iter().filter(|of| (of.class == "STATQ") == is_of_queues) {
            for (number, (element, unit, name)) in of.elements.iter().enumerate() {
                assert_eq!(usize::try_from(*element), Ok(number), "{name}");
                assert!([1, 2, 100, 10_000, 1_000_000, 1_048_576].contains(unit), "{name}: {unit}");
                assert!(names.insert(name.clone()), "exporters want each name once: {name}");
            }
        }
    }
}

#[tokio::test]
async fn a_queue_is_told_interval_by_interval_whenever_its_handles_were_opened() {
    let house = House::new().await;
    let application = connect(&house.queue_manager, administrator());
    let handle = open(&application, "Q", EVERYTHING).await;
    put(&application, handle, Persistence::NonPersistent, "before").await;
    let (puts, general) = (house.listen("STATQ/Q/PUT").await, house.listen("STATQ/Q/GENERAL").await);
    let (of_puts, of_queue) = (house.numbers("PUT").await, house.numbers("GENERAL").await);

    put(&application, handle, Persistence::NonPersistent, "12345").await;
    put(&application, handle, Persistence::Persistent, "1234567").await;
    assert_eq!(get(&application, handle, GetFlags::empty()).await, Ok(6));
    let told = house.interval(&puts).await.parameters;
    assert_eq!(text(&told, 2015).unwrap().trim_end(), "QM1");
    assert_eq!(text(&told, 2016).unwrap().trim_end(), "Q");
    assert_eq!((list(&told, 1016), list(&told, MONITOR_CLASS), list(&told, MONITOR_TYPE)), (vec![1], vec![3], vec![2]));
    assert_eq!(list(&told, MONITOR_INTERVAL), [10_000_000]);
    assert_eq!(list(&told, of_puts["MQPUT/MQPUT1 count"]), [2]);
    assert_eq!(list(&told, of_puts["MQPUT byte count"]), [12]);
    assert_eq!(list(&told, of_puts["MQPUT persistent message count"]), [1]);
    let told = house.take(general.queue).await.unwrap().parameters;
    assert_eq!(list(&told, of_queue["Queue depth"]), [2]);
    assert_eq!(list(&told, of_queue["open input count"]), [1]);

    let told = house.interval(&puts).await.parameters;
    assert_eq!(list(&told, of_puts["MQPUT/MQPUT1 count"]), [0], "an interval's figures are told once");
}

#[tokio::test]
async fn gets_browses_rollbacks_and_failures_of_a_queue_are_told_apart() {
    let house = House::new().await;
    let gets = house.listen("STATQ/Q/GET").await;
    let numbers = house.numbers("GET").await;
    let application = connect(&house.queue_manager, administrator());
    let handle = open(&application, "Q", EVERYTHING).await;
    put(&application, handle, Persistence::NonPersistent, "12345").await;
    assert_eq!(get(&application, handle, GetFlags::BROWSE_FIRST).await, Ok(5));
    assert_eq!(get(&application, handle, GetFlags::BROWSE_NEXT).await, Err(Reason::NoMsgAvailable));
    assert_eq!(get(&application, handle, GetFlags::SYNCPOINT).await, Ok(5));
    application.back_out().await.unwrap();
    let short = GetOptions { buffer_length: Some(3), ..GetOptions::default() };
    assert_eq!(application.get(handle, &short).await.unwrap().warning, Some(Reason::TruncatedMsgFailed));
    assert_eq!(get(&application, handle, GetFlags::empty()).await, Ok(5));
    assert_eq!(get(&application, handle, GetFlags::empty()).await, Err(Reason::NoMsgAvailable));
    let told = house.interval(&gets).await.parameters;
    for (element, expected) in [
        ("MQGET count", 3),
        ("MQGET byte count", 15),
        ("destructive MQGET non-persistent message count", 2),
        ("destructive MQGET persistent message count", 0),
        ("MQGET browse non-persistent message count", 1),
        ("rolled back MQGET count", 1),
        ("destructive MQGET fails", 2),
        ("destructive MQGET fails with MQRC_NO_MSG_AVAILABLE", 1),
        ("destructive MQGET fails with MQRC_TRUNCATED_MSG_FAILED", 1),
        ("MQGET browse fails", 1),
        ("MQGET browse fails with MQRC_NO_MSG_AVAILABLE", 1),
    ] {
        assert_eq!(list(&told, numbers[element]), [expected], "{element}");
    }
}

#[tokio::test]
async fn slashes_in_the_name_of_a_queue_are_ampersands_in_its_topics() {
    let house = House::new().await;
    define(&house.queue_manager, QueueDefinition::local(name("A/B"))).await;
    let general = house.listen("STATQ/A&B/GENERAL").await;
    let told = house.interval(&general).await.parameters;
    assert_eq!(text(&told, 2016).unwrap().trim_end(), "A/B");
}

#[tokio::test]
async fn statistics_records_and_monitoring_take_nothing_from_each_other() {
    let house = House::new().await;
    alter(&house.queue_manager, |definition| definition.statistics_mqi = true).await;
    let calls = house.listen("STATMQI/PUT").await;
    let application = connect(&house.queue_manager, administrator());
    let handle = open(&application, "Q", EVERYTHING).await;
    put(&application, handle, Persistence::NonPersistent, "12345").await;
    let told = house.interval(&calls).await.parameters;
    assert_eq!((list(&told, 0), list(&told, 1)), (vec![1], vec![5]), "puts and bytes");
    put(&application, handle, Persistence::NonPersistent, "1").await;
    application.disconnect().await.unwrap();
    let told = house.interval(&calls).await.parameters;
    assert_eq!((list(&told, 0), list(&told, 1)), (vec![1], vec![1]), "of a connection that has ended");
    house.queue_manager.reset_statistics(&administrator()).await.unwrap();
    let records = records(&house.queue_manager, "SYSTEM.ADMIN.STATISTICS.QUEUE", 164).await;
    assert_eq!(list(&records[0].parameters, 735), [2, 0], "the record has both intervals");
}

#[tokio::test]
async fn the_machine_is_told_as_linux_tells_it() {
    let house = House::new().await;
    let types = house.types().await;
    let summary = types.iter().find(|of| of.class == "CPU" && of.name == "SystemSummary").unwrap();
    let total = summary.elements.iter().find(|(_, _, name)| name == "RAM total bytes").unwrap();
    let told = house.interval(&house.listen("CPU/SystemSummary").await).await.parameters;
    assert_eq!((list(&told, 1016), list(&told, MONITOR_CLASS)), (vec![5], vec![0]));
    assert!(told.iter().all(|parameter| parameter.id != 2016), "no queue");
    assert!(list(&told, i32::try_from(total.0).unwrap())[0] > 0);
}

#[tokio::test]
async fn a_wildcard_below_the_topics_of_monitoring_gets_everything_and_one_above_them_nothing() {
    let house = House::new().await;
    let everything = house.subscribe("#", SubscribeFlags::empty()).await;
    let below = house.listen("STATQ/+/OPENCLOSE").await;
    let requested = house.subscribe(&format!("{ROOT}/STATQ/Q/PUT"), SubscribeFlags::PUBLICATIONS_ON_REQUEST).await;
    let described = house.listen("METADATA/#").await;
    let mut number = 0;
    while house.take(described.queue).await.is_some() {
        number += 1;
    }
    assert_eq!(number, 1 + 4 + 17, "classes, types of each, elements of each type");
    house.interval(&below).await;
    assert!(house.take(below.queue).await.is_some(), "other queues are told as well");
    assert!(house.take(described.queue).await.is_none());
    assert!(house.take(requested.queue).await.is_none());
    assert!(house.take(everything.queue).await.is_none());
}

#[tokio::test]
async fn with_the_last_subscription_the_counting_ends_and_another_one_begins_anew() {
    let house = House::new().await;
    let application = connect(&house.queue_manager, administrator());
    let handle = open(&application, "Q", EVERYTHING).await;
    let first = house.listen("STATQ/Q/PUT").await;
    put(&application, handle, Persistence::NonPersistent, "x").await;
    assert_eq!(list(&house.interval(&first).await.parameters, 0), [1]);
    house.monitor.close(first.subscription, CloseOptions::empty()).await.unwrap();
    // An interval without a subscription ends the monitoring, which nothing shows at that time.
    house.pass(INTERVAL).await;
    put(&application, handle, Persistence::NonPersistent, "nobody hears").await;
    let second = house.listen("STATQ/Q/PUT").await;
    put(&application, handle, Persistence::NonPersistent, "x").await;
    assert_eq!(list(&house.interval(&second).await.parameters, 0), [1]);
}

#[tokio::test]
async fn a_page_of_metrics_gets_sums_from_the_first_look_on_and_from_zero_after_a_long_pause() {
    let house = House::new().await;
    let puts = || house.monitored("STATQ", "MQPUT/MQPUT1 count", Some("Q"));
    let application = connect(&house.queue_manager, administrator());
    let handle = open(&application, "Q", EVERYTHING).await;
    put(&application, handle, Persistence::NonPersistent, "before the first look").await;
    assert_eq!(puts(), None);
    for interval in 1..=3 {
        put(&application, handle, Persistence::NonPersistent, "12345").await;
        house.pass(INTERVAL).await;
        assert_eq!(puts(), Some(f64::from(interval)));
    }
    assert_eq!(house.monitored("STATQ", "Queue depth", Some("Q")), Some(4.0), "as it is, not added up");
    assert_eq!(house.monitored("STATMQI", "Interval total MQPUT/MQPUT1 byte count", None), Some(15.0));
    assert_eq!(house.monitored("DISK", "Log - bytes in use", None), None, "nothing is on disk");
    let free = house.monitored("CPU", "RAM free percentage", None).unwrap();
    assert!(free > 0.0 && free <= 100.0, "{free}");
    house.pass(Duration::from_secs(301)).await;
    assert_eq!(puts(), None, "nobody has looked for five minutes");
    put(&application, handle, Persistence::NonPersistent, "x").await;
    house.pass(INTERVAL).await;
    assert_eq!(puts(), Some(1.0));
}

#[tokio::test]
async fn a_page_of_metrics_takes_nothing_from_subscribers_and_forgets_queues_that_are_gone() {
    let house = House::new().await;
    house.queue_manager.monitored();
    let puts = house.listen("STATQ/Q/PUT").await;
    let application = connect(&house.queue_manager, administrator());
    let handle = open(&application, "Q", EVERYTHING).await;
    put(&application, handle, Persistence::NonPersistent, "x").await;
    assert_eq!(list(&house.interval(&puts).await.parameters, 0), [1]);
    assert_eq!(house.monitored("STATQ", "MQPUT/MQPUT1 count", Some("Q")), Some(1.0));
    define(&house.queue_manager, QueueDefinition::local(name("GONE"))).await;
    house.pass(INTERVAL).await;
    assert_eq!(house.monitored("STATQ", "Queue depth", Some("GONE")), Some(0.0));
    house.queue_manager.delete_queue(&administrator(), &name("GONE"), false).await.unwrap();
    house.pass(INTERVAL).await;
    assert_eq!(house.monitored("STATQ", "Queue depth", Some("GONE")), None);
}

#[tokio::test]
async fn a_user_needs_the_authority_to_subscribe_below_system_admin_topic() {
    let house = House::new().await;
    let grant = async |object, profile: &str, authorities| {
        let entity = Entity::Principal("watcher".to_owned());
        let record = AuthorityRecord { profile: profile.to_owned(), object, entity, authorities };
        house.queue_manager.set_authority(&administrator(), record).await.unwrap();
    };
    grant(AuthorityObject::QueueManager, "QM1", Authority::CONNECT).await;
    let watcher = Principal::user("watcher");
    let connection = connect(&house.queue_manager, watcher.clone());
    let descriptor = managed(&format!("{ROOT}/METADATA/CLASSES"), SubscribeFlags::empty());
    assert_eq!(connection.subscribe(&watcher, &descriptor, None).await.err(), Some(Reason::NotAuthorized));
    grant(AuthorityObject::Topic, "SYSTEM.ADMIN.TOPIC", Authority::SUBSCRIBE).await;
    let subscribed = connection.subscribe(&watcher, &descriptor, None).await.unwrap();
    assert!(connection.get(subscribed.queue, &GetOptions::default()).await.is_ok());
}

#[tokio::test]
async fn an_exporter_that_does_not_read_loses_publications_and_fills_no_other_queue() {
    let house = House::new().await;
    let mut small = QueueDefinition::local(name("SMALL"));
    small.as_local_mut().unwrap().maximum_depth = 1;
    define(&house.queue_manager, small).await;
    define(&house.queue_manager, QueueDefinition::local(name("DLQ"))).await;
    alter(&house.queue_manager, |definition| definition.dead_letter_queue = name("DLQ")).await;
    let queue = open(&house.monitor, "SMALL", OpenOptions::INPUT_SHARED).await;
    let descriptor = SubscriptionDescriptor {
        flags: SubscribeFlags::CREATE,
        ..managed(&format!("{ROOT}/STATQ/Q/PUT"), SubscribeFlags::empty())
    };
    let subscribed = house.monitor.subscribe(&administrator(), &descriptor, Some(queue)).await.unwrap();
    let other = house.listen("STATQ/Q/GENERAL").await;
    for _ in 0..3 {
        house.interval(&other).await;
    }
    let depth = |queue| house.queue_manager.queue_status(&name(queue)).unwrap().depth.current;
    assert_eq!((depth("SMALL"), depth("DLQ")), (1, 0));
    house.monitor.close(subscribed.subscription, CloseOptions::empty()).await.unwrap();
}
