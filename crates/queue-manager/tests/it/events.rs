//! Event messages: which calls make which, and what they say. Each line is `reason` and the parameters by number.

use std::time::Duration;

use bytes::Bytes;
use expect_test::{Expect, expect};
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::definition::attribute::Kind;
use model::definition::queue::{AliasQueue, AliasTarget, LocalQueue, RemoteQueue, ServiceIntervalEvent};
use model::definition::{QueueDefinition, QueueKind, QueueManagerDefinition};
use model::descriptor::{Encoding, Format, MessageDescriptor, Persistence};
use model::name::ObjectName;
use model::options::{CloseOptions, GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::pcf::{self, Parameter, ParameterValue};
use model::reason::Reason;
use model::subscribe::{SubscribeFlags, SubscriptionDescriptor};
use queue_manager::connection::{Connection, GetResult};
use queue_manager::event::command::{Issued, Issuer, Origin};
use queue_manager::event::tap::Missed;
use queue_manager::{ConnectOptions, QueueManager};

use crate::script::{FakeClock, administrator, connect, ephemeral, name};

const QUEUE_MANAGER: &str = "SYSTEM.ADMIN.QMGR.EVENT";
const PERFORMANCE: &str = "SYSTEM.ADMIN.PERFM.EVENT";
const COMMAND: &str = "SYSTEM.ADMIN.COMMAND.EVENT";
const CONFIGURATION: &str = "SYSTEM.ADMIN.CONFIG.EVENT";

/// A queue manager with every event switched on, and a queue Q that a user `app` may not use.
async fn with_events(clock: std::sync::Arc<FakeClock>) -> QueueManager {
    let queue_manager = ephemeral(clock);
    alter(&queue_manager, |definition| {
        definition.authority_event = true;
        definition.inhibit_event = true;
        definition.local_event = true;
        definition.remote_event = true;
        definition.performance_event = true;
        definition.command_event = true;
        definition.configuration_event = true;
    })
    .await;
    define(&queue_manager, QueueDefinition::local(name("Q"))).await;
    allow(&queue_manager, AuthorityObject::QueueManager, "QM1", Authority::CONNECT).await;
    queue_manager
}

async fn alter(queue_manager: &QueueManager, change: impl FnOnce(&mut QueueManagerDefinition)) {
    let mut definition = (*queue_manager.definition()).clone();
    change(&mut definition);
    queue_manager.alter_queue_manager(&administrator(), definition).await.unwrap();
}

async fn define(queue_manager: &QueueManager, queue: QueueDefinition) {
    queue_manager.define_queue(&administrator(), queue, true).await.unwrap();
}

async fn allow(queue_manager: &QueueManager, object: AuthorityObject, profile: &str, authorities: Authority) {
    let entity = Entity::Principal("app".to_owned());
    let record = AuthorityRecord { profile: profile.to_owned(), object, entity, authorities };
    queue_manager.set_authority(&administrator(), record).await.unwrap();
}

fn local(queue: &str, change: impl FnOnce(&mut LocalQueue)) -> QueueDefinition {
    let mut definition = QueueDefinition::local(name(queue));
    change(definition.as_local_mut().unwrap());
    definition
}

fn app() -> Principal {
    Principal::user("app")
}

fn object(queue: &str) -> ObjectDescriptor {
    ObjectDescriptor { name: name(queue), ..ObjectDescriptor::default() }
}

async fn put1(connection: &Connection, queue: &str, flags: PutFlags) -> Result<(), Reason> {
    let options = PutOptions { flags, context: None };
    let (caller, descriptor) = (administrator(), MessageDescriptor::default());
    connection.put1(&caller, &object(queue), descriptor, &options, Bytes::from_static(b"x")).await.map(|_| ())
}

async fn get(connection: &Connection, queue: &str, flags: GetFlags) -> Option<Box<GetResult>> {
    let opened = connection.open(&administrator(), &object(queue), OpenOptions::INPUT_SHARED).await.unwrap();
    let got = connection.get(opened.handle, &GetOptions { flags, ..GetOptions::default() }).await.ok();
    connection.close(opened.handle, CloseOptions::empty()).await.unwrap();
    got
}

/// Takes what is on an event queue.
async fn take(queue_manager: &QueueManager, queue: &str) -> Vec<(MessageDescriptor, pcf::Message)> {
    let connection = connect(queue_manager, administrator());
    let mut taken = Vec::new();
    while let Some(got) = get(&connection, queue, GetFlags::NO_SYNCPOINT).await {
        let (message, length) = pcf::decode(&got.body, got.descriptor.encoding, got.descriptor.ccsid).unwrap();
        assert_eq!(length, got.body.len());
        taken.push((got.message.descriptor, message));
    }
    taken
}

fn shown(parameters: &[Parameter]) -> String {
    let one = |parameter: &Parameter| {
        let value = match &parameter.value {
            ParameterValue::Integer(number) => number.to_string(),
            ParameterValue::Text(text) => text.trim_end().to_owned(),
            ParameterValue::Texts(texts) => format!("{texts:?}"),
            ParameterValue::Integers(numbers) => format!("{numbers:?}"),
            ParameterValue::Group(members) => format!("[{}]", shown(members)),
            other => format!("{other:?}"),
        };
        format!("{}={value}", parameter.id)
    };
    parameters.iter().map(one).collect::<Vec<_>>().join(" ")
}

async fn expect_events(queue_manager: &QueueManager, queue: &str, expected: Expect) {
    let lines: Vec<_> = take(queue_manager, queue)
        .await
        .iter()
        .map(|(_, message)| format!("{} {}\n", message.header.reason, shown(&message.parameters)))
        .collect();
    expected.assert_eq(&lines.concat());
}

async fn expect_reasons(queue_manager: &QueueManager, queue: &str, expected: &[i32]) {
    let reasons: Vec<_> = take(queue_manager, queue).await.iter().map(|(_, message)| message.header.reason).collect();
    assert_eq!(reasons, expected);
}

#[tokio::test]
async fn an_event_is_a_pcf_message_of_the_queue_manager() {
    let queue_manager = with_events(FakeClock::new()).await;
    let connection = connect(&queue_manager, administrator());
    assert_eq!(put1(&connection, "NONE", PutFlags::empty()).await, Err(Reason::UnknownObjectName));
    let (descriptor, message) = take(&queue_manager, QUEUE_MANAGER).await.remove(0);
    assert_eq!(descriptor.format, Format::EVENT);
    assert_eq!(descriptor.encoding, Encoding::NATIVE);
    assert_eq!(descriptor.put_application_type, 7);
    assert_eq!(descriptor.put_application_name.to_text(), "QM1");
    assert_eq!(descriptor.persistence, Persistence::NonPersistent);
    assert!(descriptor.correlation_id.is_none() && !descriptor.message_id.is_none());
    let header = message.header;
    assert_eq!((header.kind.0, header.version, header.command), (7, 1, 44));
    assert_eq!((header.sequence, header.is_last, header.completion), (1, true, 1));
}

#[tokio::test]
async fn each_call_without_authority_is_told_by_its_type() {
    let queue_manager = with_events(FakeClock::new()).await;
    let connection = connect(&queue_manager, app());
    let open = async |object: ObjectDescriptor, options| connection.open(&app(), &object, options).await.unwrap_err();
    assert_eq!(open(object("Q"), OpenOptions::OUTPUT | OpenOptions::INPUT_SHARED).await, Reason::NotAuthorized);
    let topic = ObjectDescriptor {
        object: model::options::ObjectKind::Topic,
        topic_string: "news/today".to_owned(),
        ..ObjectDescriptor::default()
    };
    assert_eq!(open(topic, OpenOptions::OUTPUT).await, Reason::NotAuthorized);
    let options = PutOptions { flags: PutFlags::SET_ALL_CONTEXT, context: None };
    let put = connection.put1(&app(), &object("Q"), MessageDescriptor::default(), &options, Bytes::new()).await;
    assert_eq!(put.unwrap_err(), Reason::NotAuthorized);
    let flags = SubscribeFlags::CREATE | SubscribeFlags::MANAGED;
    let descriptor = SubscriptionDescriptor { flags, topic_string: "news".to_owned(), ..Default::default() };
    let subscribed = connection.subscribe(&app(), &descriptor, None).await;
    assert_eq!(subscribed.unwrap_err(), Reason::NotAuthorized);
    queue_manager.command_refused("app", 11).await;
    expect_events(
        &queue_manager,
        QUEUE_MANAGER,
        expect![[r#"
            2035 2015=QM1 1020=2 1022=18 3025=app 1=6 3024=script 2016=Q
            2035 2015=QM1 1020=2 1022=16 3025=app 1=6 3024=script 2094=news/today 2105=["SYSTEM.BASE.TOPIC"]
            2035 2015=QM1 1020=2 1022=2064 3025=app 1=6 3024=script 2016=Q
            2035 2015=QM1 1020=17 1303=34 3025=app 1=6 3024=script 2094=news 2105=["SYSTEM.BASE.TOPIC"]
            2035 2015=QM1 1020=4 1021=11 3025=app
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_refused_connection_is_told_by_housekeeping() {
    let queue_manager = with_events(FakeClock::new()).await;
    let options = ConnectOptions {
        principal: Principal::user("stranger"),
        application_name: "try".to_owned(),
        application_type: 6,
        channel: "APP.SVRCONN".to_owned(),
        connection_name: "127.0.0.1".to_owned(),
    };
    assert_eq!(queue_manager.connect(options.clone()).err(), Some(Reason::NotAuthorized));
    queue_manager.password_refused(&options);
    let running = queue_manager.clone();
    let task = tokio::spawn(async move { running.run().await });
    let event_queue = name(QUEUE_MANAGER);
    // The start of the queue manager is an event too.
    while queue_manager.queue_status(&event_queue).unwrap().depth.current < 3 {
        tokio::task::yield_now().await;
    }
    let events = take(&queue_manager, QUEUE_MANAGER).await;
    assert_eq!(events[0].1.header.reason, 2222);
    assert_eq!(
        shown(&events[1].1.parameters),
        "2015=QM1 1020=1 3025=stranger 1=6 3024=try 3506=127.0.0.1 3501=APP.SVRCONN"
    );
    assert!(shown(&events[2].1.parameters).starts_with("2015=QM1 1020=29 3025=stranger "), "the password was wrong");
    queue_manager.stop().await;
    task.await.unwrap();
}

#[tokio::test]
async fn what_is_inhibited_and_what_names_lead_nowhere_are_told() {
    let queue_manager = with_events(FakeClock::new()).await;
    define(&queue_manager, local("Q", |local| local.get_inhibited = true)).await;
    define(&queue_manager, QueueDefinition { put_inhibited: true, ..QueueDefinition::local(name("P")) }).await;
    let alias = |queue: &str, target: &str| {
        let alias = AliasQueue { target: name(target), target_type: AliasTarget::Queue, ..AliasQueue::default() };
        QueueDefinition::new(name(queue), QueueKind::Alias(alias))
    };
    define(&queue_manager, QueueDefinition::new(name("M"), QueueKind::Model(Box::default()))).await;
    define(&queue_manager, alias("A", "NONE")).await;
    define(&queue_manager, alias("B", "M")).await;
    let remote = |queue: &str, manager: &str, transmission: &str| {
        let remote_queue_manager = name(manager);
        let remote = RemoteQueue {
            remote_queue: name("FAR"),
            remote_queue_manager,
            transmission_queue: if transmission.is_empty() { ObjectName::BLANK } else { name(transmission) },
            ..RemoteQueue::default()
        };
        QueueDefinition::new(name(queue), QueueKind::Remote(remote))
    };
    define(&queue_manager, remote("R1", "QM2", "NONE")).await;
    define(&queue_manager, remote("R2", "QM2", "M")).await;
    define(&queue_manager, remote("R3", "QM2", "Q")).await;
    define(&queue_manager, remote("R4", "QM2", "")).await;
    let connection = connect(&queue_manager, administrator());
    for queue in ["P", "NONE", "A", "B", "R1", "R2", "R3", "R4"] {
        put1(&connection, queue, PutFlags::empty()).await.unwrap_err();
    }
    assert!(get(&connection, "Q", GetFlags::NO_SYNCPOINT).await.is_none());
    let elsewhere = ObjectDescriptor { queue_manager: name("QM9"), ..object("FAR") };
    connection.open(&administrator(), &elsewhere, OpenOptions::OUTPUT).await.unwrap_err();
    alter(&queue_manager, |definition| definition.default_transmission_queue = name("Q")).await;
    put1(&connection, "R4", PutFlags::empty()).await.unwrap_err();
    expect_events(
        &queue_manager,
        QUEUE_MANAGER,
        expect![[r#"
            2051 2015=QM1 1=6 3024=script 2016=P
            2085 2015=QM1 1=6 3024=script 2016=NONE
            2082 2015=QM1 1=6 3024=script 2016=A 2002=NONE 193=1
            2001 2015=QM1 1=6 3024=script 2016=B 2002=M 20=2 193=1
            2196 2015=QM1 1=6 3024=script 2016=R1 2024=NONE
            2091 2015=QM1 1=6 3024=script 2016=R2 2024=M 20=2
            2092 2015=QM1 1=6 3024=script 2016=R3 2024=Q
            2087 2015=QM1 1=6 3024=script 2016=R4
            2016 2015=QM1 2016=Q 1=6 3024=script
            2087 2015=QM1 1=6 3024=script 3023=QM9 2016=FAR
            2199 2015=QM1 1=6 3024=script 2016=R4 2024=Q
        "#]],
    )
    .await;
}

#[tokio::test]
async fn nothing_is_told_that_is_switched_off() {
    let queue_manager = with_events(FakeClock::new()).await;
    alter(&queue_manager, |definition| {
        definition.authority_event = false;
        definition.inhibit_event = false;
        definition.local_event = false;
        definition.remote_event = false;
        definition.performance_event = false;
    })
    .await;
    define(&queue_manager, local("Q", |local| local.maximum_depth = 1)).await;
    let connection = connect(&queue_manager, app());
    connection.open(&app(), &object("Q"), OpenOptions::OUTPUT).await.unwrap_err();
    put1(&connection, "NONE", PutFlags::empty()).await.unwrap_err();
    put1(&connection, "Q", PutFlags::empty()).await.unwrap();
    assert_eq!(put1(&connection, "Q", PutFlags::empty()).await, Err(Reason::QFull));
    expect_reasons(&queue_manager, QUEUE_MANAGER, &[]).await;
    expect_reasons(&queue_manager, PERFORMANCE, &[]).await;
}

#[tokio::test]
async fn a_queue_that_fills_and_empties_is_told_of_once_each_time() {
    let clock = FakeClock::new();
    let queue_manager = with_events(clock.clone()).await;
    // High at 4 of 5 messages, low at 1.
    define(
        &queue_manager,
        local("Q", |local| {
            local.maximum_depth = 5;
            local.depth_high_event = true;
        }),
    )
    .await;
    let switches = || {
        let queue = queue_manager.queue(&name("Q")).unwrap();
        let local = queue.as_local().unwrap();
        (local.depth_maximum_event, local.depth_high_event, local.depth_low_event)
    };
    let connection = connect(&queue_manager, administrator());
    let fill = async |number: usize| {
        for _ in 0..number {
            put1(&connection, "Q", PutFlags::empty()).await.unwrap();
        }
    };
    let empty = async |number: usize| {
        for _ in 0..number {
            get(&connection, "Q", GetFlags::NO_SYNCPOINT).await.unwrap();
        }
    };
    clock.advance(Duration::from_secs(10));
    fill(3).await;
    expect_reasons(&queue_manager, PERFORMANCE, &[]).await;
    fill(1).await;
    assert_eq!(switches(), (true, false, true));
    expect_events(
        &queue_manager,
        PERFORMANCE,
        expect![[r#"
            2224 2015=QM1 2002=Q 35=10 36=4 37=4 38=0
        "#]],
    )
    .await;
    clock.advance(Duration::from_secs(5));
    // Falls and rises without becoming low: high is off until then. Full comes once, too.
    empty(1).await;
    fill(2).await;
    assert_eq!(put1(&connection, "Q", PutFlags::empty()).await, Err(Reason::QFull));
    assert_eq!(put1(&connection, "Q", PutFlags::empty()).await, Err(Reason::QFull));
    assert_eq!(switches(), (false, false, true));
    expect_events(
        &queue_manager,
        PERFORMANCE,
        expect![[r#"
            2053 2015=QM1 2002=Q 35=5 36=5 37=2 38=1
        "#]],
    )
    .await;
    empty(4).await;
    assert_eq!(switches(), (true, true, false));
    empty(1).await;
    expect_events(
        &queue_manager,
        PERFORMANCE,
        expect![[r#"
            2225 2015=QM1 2002=Q 35=0 36=5 37=0 38=4
        "#]],
    )
    .await;
    fill(4).await;
    expect_reasons(&queue_manager, PERFORMANCE, &[2224]).await;
}

#[tokio::test]
async fn a_get_under_syncpoint_makes_the_queue_low_when_it_is_committed() {
    let queue_manager = with_events(FakeClock::new()).await;
    define(
        &queue_manager,
        local("Q", |local| {
            local.maximum_depth = 5;
            local.depth_low_event = true;
        }),
    )
    .await;
    let connection = connect(&queue_manager, administrator());
    for _ in 0..2 {
        put1(&connection, "Q", PutFlags::empty()).await.unwrap();
    }
    get(&connection, "Q", GetFlags::SYNCPOINT).await.unwrap();
    expect_reasons(&queue_manager, PERFORMANCE, &[]).await;
    connection.commit().await.unwrap();
    expect_reasons(&queue_manager, PERFORMANCE, &[2225]).await;
}

#[tokio::test]
async fn service_intervals_alternate_between_high_and_ok() {
    let clock = FakeClock::new();
    let queue_manager = with_events(clock.clone()).await;
    define(
        &queue_manager,
        local("Q", |local| {
            local.service_interval_event = ServiceIntervalEvent::High;
            local.service_interval_ms = 1000;
        }),
    )
    .await;
    let connection = connect(&queue_manager, administrator());
    let put = async || put1(&connection, "Q", PutFlags::empty()).await.unwrap();
    let got = async || assert!(get(&connection, "Q", GetFlags::NO_SYNCPOINT).await.is_some());
    let wait = |milliseconds| clock.advance(Duration::from_millis(milliseconds));
    let events = async |expected: &[i32]| expect_reasons(&queue_manager, PERFORMANCE, expected).await;
    put().await;
    wait(1000);
    got().await;
    events(&[]).await;
    // The queue was empty: the timer was off.
    wait(5000);
    put().await;
    wait(1001);
    put().await;
    events(&[2226]).await;
    wait(5000);
    put().await;
    events(&[]).await;
    got().await;
    events(&[]).await;
    wait(1000);
    got().await;
    let ok = take(&queue_manager, PERFORMANCE).await;
    assert_eq!((ok[0].1.header.reason, ok[0].1.header.completion), (2227, 0));
    wait(1001);
    got().await;
    events(&[2226]).await;
}

#[tokio::test]
async fn an_event_that_cannot_be_put_is_dropped_and_nothing_else_happens() {
    let queue_manager = with_events(FakeClock::new()).await;
    let definition = local(QUEUE_MANAGER, |local| local.maximum_depth = 1);
    define(&queue_manager, definition).await;
    let connection = connect(&queue_manager, administrator());
    for _ in 0..3 {
        assert_eq!(put1(&connection, "NONE", PutFlags::empty()).await, Err(Reason::UnknownObjectName));
    }
    expect_reasons(&queue_manager, QUEUE_MANAGER, &[2085]).await;
    expect_reasons(&queue_manager, PERFORMANCE, &[]).await;
    queue_manager.delete_queue(&administrator(), &name(QUEUE_MANAGER), true).await.unwrap();
    assert_eq!(put1(&connection, "NONE", PutFlags::empty()).await, Err(Reason::UnknownObjectName));
}

#[tokio::test]
async fn a_put_that_is_refused_on_a_handle_names_the_queue() {
    let queue_manager = with_events(FakeClock::new()).await;
    let connection = connect(&queue_manager, administrator());
    let opened = connection.open(&administrator(), &object("Q"), OpenOptions::OUTPUT | OpenOptions::SET).await.unwrap();
    connection.set(opened.handle, &[10], &[1], &[]).await.unwrap();
    let put = connection.put(opened.handle, MessageDescriptor::default(), &PutOptions::default(), Bytes::new()).await;
    assert_eq!(put.unwrap_err(), Reason::PutInhibited);
    expect_events(
        &queue_manager,
        QUEUE_MANAGER,
        expect![[r#"
            2051 2015=QM1 2016=Q 1=6 3024=script
        "#]],
    )
    .await;
    // MQSET itself is a change: the queue before it and after it.
    let events = take(&queue_manager, CONFIGURATION).await;
    let told: Vec<_> = events
        .iter()
        .map(|(descriptor, message)| {
            let number = |id| message.parameter(id).and_then(ParameterValue::number);
            let header = message.header;
            assert_eq!((header.version, header.command, header.reason), (2, 43, 2368));
            assert_eq!(descriptor.correlation_id, events[0].0.correlation_id);
            (header.sequence, header.is_last, number(1011), number(1016), number(10))
        })
        .collect();
    assert_eq!(told, [(1, false, Some(4), Some(1), Some(0)), (2, true, Some(4), Some(1), Some(1))]);
    assert!(!events[0].0.correlation_id.is_none());
}

#[tokio::test]
async fn a_command_is_told_with_who_issued_it_and_its_words() {
    let queue_manager = with_events(FakeClock::new()).await;
    let principal = administrator();
    let issuer = Issuer::new(&principal, Origin::Console);
    queue_manager.command_succeeded(&issuer, 11, false, Issued::Mqsc("DEFINE QLOCAL(X)")).await;
    queue_manager.command_succeeded(&issuer, 13, true, Issued::Mqsc("DISPLAY QLOCAL(X)")).await;
    alter(&queue_manager, |definition| definition.command_event_without_display = true).await;
    queue_manager.command_succeeded(&issuer, 13, true, Issued::Mqsc("DISPLAY QLOCAL(X)")).await;
    let message = MessageDescriptor { put_application_type: 28, ..MessageDescriptor::default() };
    let issuer = Issuer { origin: Origin::Message, message: Some(&message), ..issuer };
    let secrets = [3518, 2048, 2051].map(|id| Parameter::text(id, "secret"));
    let escape = Parameter::text(3014, "ALTER CHANNEL(X) PASSWORD,('secret')");
    let group = Parameter::group(8010, vec![Parameter::text(3518, "secret")]);
    let parameters = [vec![Parameter::text(2016, "X")], secrets.to_vec(), vec![escape, group]].concat();
    queue_manager.command_succeeded(&issuer, 12, false, Issued::Pcf(&parameters)).await;
    expect_events(
        &queue_manager,
        COMMAND,
        expect![[r#"
            2412 8001=[3045=mqadmin 1011=1 3047=QM1 1021=11] 8002=[3075=DEFINE QLOCAL(X)]
            2412 8001=[3045=mqadmin 1011=1 3047=QM1 1021=13] 8002=[3075=DISPLAY QLOCAL(X)]
            2413 8001=[3045=mqadmin 1011=3 3047=QM1 7001=Bytes([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]) 3049= 1010=28 3050= 3051= 1021=12] 8002=[2016=X 3518=******** 2048=******** 2051=******** 3014=ALTER CHANNEL(X) PASSWORD,(********) 8010=[3518=********]]
        "#]],
    )
    .await;
}

#[tokio::test]
async fn configuration_events_tell_every_attribute_that_pcf_names() {
    let queue_manager = with_events(FakeClock::new()).await;
    let principal = administrator();
    let issuer = Issuer::new(&principal, Origin::Console);
    let queue = queue_manager.snapshot(Kind::QueueLocal, "Q").unwrap();
    queue_manager.configuration_changed(&issuer, None, Some(&queue)).await;
    queue_manager.configuration_changed(&issuer, Some(&queue), None).await;
    let is_wanted = |kind, queue: &str| kind == Kind::QueueLocal && ["Q", CONFIGURATION].contains(&queue);
    queue_manager.refresh_configuration(&issuer, &is_wanted, None).await;
    let later = queue_manager.now().saturating_add(Duration::from_secs(1));
    queue_manager.refresh_configuration(&issuer, &is_wanted, Some(later)).await;
    let events = take(&queue_manager, CONFIGURATION).await;
    let reasons: Vec<_> = events.iter().map(|(_, message)| message.header.reason).collect();
    assert_eq!(reasons, [2367, 2369, 2370, 2370]);
    let message = &events[0].1;
    assert_eq!(message.parameter(2016).and_then(ParameterValue::as_text), Some("Q"));
    assert_eq!(message.parameter(15).and_then(ParameterValue::number), Some(5000));
    assert_eq!(message.parameter(1016).and_then(ParameterValue::number), Some(1));
    assert!(message.parameters.len() > 60, "{}", message.parameters.len());
    // What is never told of.
    assert_eq!(queue_manager.snapshot(Kind::QueueLocal, CONFIGURATION), None);
    assert_eq!(queue_manager.snapshot(Kind::QueueLocal, "NONE"), None);
}

#[tokio::test]
async fn a_listener_hears_events_as_they_happen_and_learns_that_it_has_missed_some() {
    let queue_manager = with_events(FakeClock::new()).await;
    let connection = connect(&queue_manager, administrator());
    assert_eq!(put1(&connection, "BEFORE", PutFlags::empty()).await, Err(Reason::UnknownObjectName));
    let mut listener = queue_manager.listen_to_events();
    assert!(listener.take().unwrap().is_none(), "what was before is not heard");
    assert_eq!(put1(&connection, "NONE", PutFlags::empty()).await, Err(Reason::UnknownObjectName));
    let told = listener.take().unwrap().unwrap();
    assert_eq!((told.queue, told.message.header.reason), (QUEUE_MANAGER, 2085));
    let (_, message) = take(&queue_manager, QUEUE_MANAGER).await.remove(1);
    let mut heard = told.message.clone();
    for parameter in &mut heard.parameters {
        // Fields have their full length until they are read.
        if let ParameterValue::Text(text) = &mut parameter.value {
            text.truncate(text.trim_end().len());
        }
    }
    assert_eq!(heard, message, "as the message on the queue says it");
    for _ in 0..300 {
        let _ = put1(&connection, "NONE", PutFlags::empty()).await;
    }
    assert_eq!(listener.take().err(), Some(Missed));
    assert!(listener.take().unwrap().is_some(), "the later ones follow");
}
