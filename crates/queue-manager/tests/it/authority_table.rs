//! Which authority each verb asks for: with all others but that one it is refused with 2035, with that one alone it works.

use bytes::Bytes;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::definition::queue::{AliasQueue, AliasTarget, DefinitionType, LocalQueue, ModelQueue, RemoteQueue, Usage};
use model::definition::{QueueDefinition, QueueKind, TopicDefinition};
use model::descriptor::MessageDescriptor;
use model::options::{CloseOptions, ObjectDescriptor, ObjectKind, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use model::subscribe::{SubscribeFlags, SubscriptionDescriptor};
use queue_manager::{ConnectOptions, Connection, QueueManager};

use crate::script::{FakeClock, administrator, connect, ephemeral, name};

const QUEUE: AuthorityObject = AuthorityObject::Queue;
const TOPIC: AuthorityObject = AuthorityObject::Topic;
const QUEUE_MANAGER: AuthorityObject = AuthorityObject::QueueManager;

/// One call that asks for authority.
#[derive(Debug, Clone, Copy)]
enum Call {
    Connect,
    OpenQueue(OpenOptions),
    OpenAlias(OpenOptions),
    OpenRemote(OpenOptions),
    OpenModel(OpenOptions),
    /// A queue of another queue manager, by its name.
    OpenElsewhere,
    OpenTopic(OpenOptions),
    OpenQueueManager,
    AsAlternate,
    Put1(PutFlags),
    Publish1,
    Subscribe,
    SubscribeTo,
    Resume,
    AlterSubscription,
    DeletePermanent,
}

const OUTPUT: OpenOptions = OpenOptions::OUTPUT;

/// The call, the object whose records count, and what has to be granted there.
const CALLS: &[(Call, AuthorityObject, &str, Authority)] = &[
    (Call::Connect, QUEUE_MANAGER, "QM1", Authority::CONNECT),
    (Call::OpenQueueManager, QUEUE_MANAGER, "QM1", Authority::INQUIRE),
    (Call::AsAlternate, QUEUE_MANAGER, "QM1", Authority::ALTERNATE_USER),
    (Call::OpenQueue(OpenOptions::INPUT_AS_Q_DEF), QUEUE, "Q", Authority::GET),
    (Call::OpenQueue(OpenOptions::INPUT_SHARED), QUEUE, "Q", Authority::GET),
    (Call::OpenQueue(OpenOptions::INPUT_EXCLUSIVE), QUEUE, "Q", Authority::GET),
    (Call::OpenQueue(OpenOptions::BROWSE), QUEUE, "Q", Authority::BROWSE),
    (Call::OpenQueue(OUTPUT), QUEUE, "Q", Authority::PUT),
    (Call::OpenQueue(OpenOptions::INQUIRE), QUEUE, "Q", Authority::INQUIRE),
    (Call::OpenQueue(OpenOptions::SET), QUEUE, "Q", Authority::SET),
    (Call::OpenQueue(OUTPUT.union(OpenOptions::PASS_IDENTITY_CONTEXT)), QUEUE, "Q", Authority::PASS_IDENTITY_CONTEXT),
    (Call::OpenQueue(OUTPUT.union(OpenOptions::PASS_ALL_CONTEXT)), QUEUE, "Q", Authority::PASS_ALL_CONTEXT),
    (Call::OpenQueue(OUTPUT.union(OpenOptions::SET_IDENTITY_CONTEXT)), QUEUE, "Q", Authority::SET_IDENTITY_CONTEXT),
    (Call::OpenQueue(OUTPUT.union(OpenOptions::SET_ALL_CONTEXT)), QUEUE, "Q", Authority::SET_ALL_CONTEXT),
    (Call::OpenAlias(OUTPUT), QUEUE, "ALIAS", Authority::PUT),
    (Call::OpenAlias(OpenOptions::BROWSE), QUEUE, "ALIAS", Authority::BROWSE),
    (Call::OpenRemote(OUTPUT), QUEUE, "REMOTE", Authority::PUT),
    (Call::OpenModel(OpenOptions::INPUT_SHARED), QUEUE, "MODEL", Authority::GET),
    (Call::OpenElsewhere, QUEUE, "QM2", Authority::PUT),
    (Call::OpenTopic(OUTPUT), TOPIC, "NEWS", Authority::PUBLISH),
    (Call::OpenTopic(OUTPUT.union(OpenOptions::SET_ALL_CONTEXT)), TOPIC, "NEWS", Authority::SET_ALL_CONTEXT),
    (Call::Put1(PutFlags::empty()), QUEUE, "Q", Authority::PUT),
    (Call::Put1(PutFlags::SET_IDENTITY_CONTEXT), QUEUE, "Q", Authority::SET_IDENTITY_CONTEXT),
    (Call::Put1(PutFlags::SET_ALL_CONTEXT), QUEUE, "Q", Authority::SET_ALL_CONTEXT),
    (Call::Publish1, TOPIC, "NEWS", Authority::PUBLISH),
    (Call::Subscribe, TOPIC, "NEWS", Authority::SUBSCRIBE),
    (Call::SubscribeTo, QUEUE, "Q", Authority::PUT),
    (Call::Resume, TOPIC, "NEWS", Authority::RESUME),
    (Call::AlterSubscription, TOPIC, "NEWS", Authority::SUBSCRIBE),
    (Call::DeletePermanent, QUEUE, "PERMANENT", Authority::DELETE),
];

fn app() -> Principal {
    Principal::user("app")
}

async fn allow(queue_manager: &QueueManager, user: &str, object: AuthorityObject, profile: &str, granted: Authority) {
    let entity = Entity::Principal(user.to_owned());
    let record = AuthorityRecord { profile: profile.to_owned(), object, entity, authorities: granted };
    queue_manager.set_authority(&administrator(), record).await.unwrap();
}

/// The objects that the calls are about.
async fn prepared() -> QueueManager {
    let queue_manager = ephemeral(FakeClock::new());
    let alias = AliasQueue { target: name("Q"), target_type: AliasTarget::Queue, ..AliasQueue::default() };
    let remote = RemoteQueue { remote_queue: name("FAR"), remote_queue_manager: name("QM2"), ..RemoteQueue::default() };
    let transmission = LocalQueue { usage: Usage::Transmission, ..LocalQueue::default() };
    let permanent = LocalQueue {
        definition_type: DefinitionType::PermanentDynamic,
        shareable: true,
        ..ModelQueue::default().local
    };
    let template = LocalQueue { definition_type: DefinitionType::TemporaryDynamic, ..permanent.clone() };
    for (queue, kind) in [
        ("Q", QueueKind::Local(Box::default())),
        ("ALIAS", QueueKind::Alias(alias)),
        ("QM2", QueueKind::Local(Box::new(transmission))),
        ("REMOTE", QueueKind::Remote(remote)),
        ("MODEL", QueueKind::Model(Box::new(ModelQueue { local: template }))),
        ("PERMANENT.MODEL", QueueKind::Model(Box::new(ModelQueue { local: permanent }))),
    ] {
        queue_manager.define_queue(&administrator(), QueueDefinition::new(name(queue), kind), false).await.unwrap();
    }
    let topic = TopicDefinition { name: name("NEWS"), topic_string: "news".to_owned(), ..TopicDefinition::default() };
    queue_manager.define_topic(&administrator(), topic, false).await.unwrap();
    queue_manager
}

fn object(queue: &str) -> ObjectDescriptor {
    ObjectDescriptor { name: name(queue), ..ObjectDescriptor::default() }
}

fn news() -> ObjectDescriptor {
    ObjectDescriptor { object: ObjectKind::Topic, topic_string: "news/today".to_owned(), ..ObjectDescriptor::default() }
}

async fn open(connection: &Connection, object: ObjectDescriptor, options: OpenOptions) -> Result<(), Reason> {
    connection.open(&app(), &object, options).await.map(|_| ())
}

async fn put1(connection: &Connection, object: ObjectDescriptor, flags: PutFlags) -> Result<(), Reason> {
    let options = PutOptions { flags, context: None };
    connection.put1(&app(), &object, MessageDescriptor::default(), &options, Bytes::new()).await.map(|_| ())
}

async fn subscribe(connection: &Connection, flags: SubscribeFlags, named: &str, user_data: &str) -> Result<(), Reason> {
    let descriptor = SubscriptionDescriptor {
        flags,
        name: named.to_owned(),
        topic_string: "news/today".to_owned(),
        user_data: user_data.to_owned(),
        ..Default::default()
    };
    connection.subscribe(&app(), &descriptor, None).await.map(|_| ())
}

async fn make(queue_manager: &QueueManager, call: Call) -> Result<(), Reason> {
    if let Call::Connect = call {
        let options = ConnectOptions {
            principal: app(),
            application_name: String::new(),
            application_type: 6,
            channel: String::new(),
            connection_name: String::new(),
        };
        return queue_manager.connect(options).map(|_| ());
    }
    // The connection is another user's, so that what `app` may do is asked of the call alone.
    let connection = connect(queue_manager, administrator());
    match call {
        Call::Connect => unreachable!("done above"),
        Call::OpenQueue(options) => open(&connection, object("Q"), options).await,
        Call::OpenAlias(options) => open(&connection, object("ALIAS"), options).await,
        Call::OpenRemote(options) => open(&connection, object("REMOTE"), options).await,
        Call::OpenModel(options) => open(&connection, object("MODEL"), options).await,
        Call::OpenElsewhere => {
            let object = ObjectDescriptor { queue_manager: name("QM2"), ..object("FAR") };
            open(&connection, object, OUTPUT).await
        }
        Call::OpenTopic(options) => open(&connection, news(), options).await,
        Call::OpenQueueManager => {
            let object = ObjectDescriptor { object: ObjectKind::QueueManager, ..ObjectDescriptor::default() };
            open(&connection, object, OpenOptions::INQUIRE).await
        }
        Call::AsAlternate => {
            allow(queue_manager, "other", QUEUE, "Q", Authority::PUT).await;
            let object = ObjectDescriptor { alternate_user: "other".to_owned(), ..object("Q") };
            open(&connection, object, OUTPUT | OpenOptions::ALTERNATE_USER_AUTHORITY).await
        }
        Call::Put1(flags) => put1(&connection, object("Q"), flags).await,
        Call::Publish1 => put1(&connection, news(), PutFlags::empty()).await,
        Call::Subscribe => subscribe(&connection, SubscribeFlags::CREATE | SubscribeFlags::MANAGED, "", "").await,
        Call::SubscribeTo => {
            // Topic and opening of the queue are granted beside it: the question is the queue as a destination.
            allow(queue_manager, "app", TOPIC, "NEWS", Authority::SUBSCRIBE).await;
            let queue = connection.open(&administrator(), &object("Q"), OpenOptions::INPUT_SHARED).await.unwrap();
            let descriptor = SubscriptionDescriptor {
                flags: SubscribeFlags::CREATE,
                topic_string: "news/today".to_owned(),
                ..Default::default()
            };
            connection.subscribe(&app(), &descriptor, Some(queue.handle)).await.map(|_| ())
        }
        Call::Resume | Call::AlterSubscription => {
            let made = SubscribeFlags::CREATE | SubscribeFlags::MANAGED | SubscribeFlags::DURABLE;
            let had = queue_manager.authority_record(TOPIC, "NEWS", &Entity::Principal("app".to_owned())).unwrap();
            allow(queue_manager, "app", TOPIC, "NEWS", Authority::SUBSCRIBE).await;
            subscribe(&connection, made, "S", "").await.unwrap();
            connection.disconnect().await.unwrap();
            queue_manager.set_authority(&administrator(), had).await.unwrap();
            let connection = connect(queue_manager, administrator());
            let verb = if matches!(call, Call::Resume) { SubscribeFlags::RESUME } else { SubscribeFlags::ALTER };
            subscribe(&connection, verb | SubscribeFlags::MANAGED | SubscribeFlags::DURABLE, "S", "new").await
        }
        Call::DeletePermanent => {
            let template = ObjectDescriptor { dynamic_queue: "PERMANENT".to_owned(), ..object("PERMANENT.MODEL") };
            let options = OpenOptions::INPUT_SHARED;
            let had = queue_manager.authority_record(QUEUE, "PERMANENT", &Entity::Principal("app".to_owned())).unwrap();
            connection.open(&administrator(), &template, options).await.unwrap();
            // Opened with +get, deleted with +dlt.
            let with_get = AuthorityRecord { authorities: had.authorities | Authority::GET, ..had.clone() };
            queue_manager.set_authority(&administrator(), with_get).await.unwrap();
            let opened = connection.open(&app(), &object("PERMANENT"), options).await.unwrap();
            queue_manager.set_authority(&administrator(), had).await.unwrap();
            connection.close(opened.handle, CloseOptions::DELETE_PURGE).await
        }
    }
}

/// What a context option asks for beside +put or +pub.
fn beside(call: Call) -> Authority {
    match call {
        Call::OpenQueue(options) if options.contains(OUTPUT) => Authority::PUT,
        Call::OpenTopic(options) if options.contains(OUTPUT) => Authority::PUBLISH,
        Call::Put1(_) => Authority::PUT,
        _ => Authority::empty(),
    }
}

#[tokio::test]
async fn each_verb_is_refused_without_its_authority_and_works_with_it_alone() {
    for &(call, object, profile, wanted) in CALLS {
        // +sub does for a resumption, too.
        let stands_in = if matches!(call, Call::Resume) { Authority::SUBSCRIBE } else { Authority::empty() };
        for (granted, expected) in
            [(Authority::all() - wanted - stands_in, Err(Reason::NotAuthorized)), (wanted | beside(call), Ok(()))]
        {
            let queue_manager = prepared().await;
            for other in AuthorityObject::ALL.into_iter().filter(|other| *other != object) {
                let everything = if expected.is_ok() { Authority::empty() } else { Authority::all() };
                allow(&queue_manager, "app", other, "**", everything).await;
            }
            allow(&queue_manager, "app", object, profile, granted).await;
            assert_eq!(make(&queue_manager, call).await, expected, "{call:?} with {}", granted.list());
        }
    }
}
