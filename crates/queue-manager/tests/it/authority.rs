//! Authority through the verbs: connect, open, put1, context, alternate users, commands.

use bytes::Bytes;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::definition::QueueDefinition;
use model::definition::QueueKind;
use model::definition::queue::{AliasQueue, LocalQueue, ModelQueue};
use model::descriptor::MessageDescriptor;
use model::options::{ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use queue_manager::objects::ObjectError;
use queue_manager::{ConnectOptions, Connection, QueueManager};

use crate::script::{FakeClock, administrator, connect, ephemeral, name};

fn app() -> Principal {
    Principal::user("app")
}

async fn allow(queue_manager: &QueueManager, object: AuthorityObject, profile: &str, authorities: Authority) {
    let entity = Entity::Principal("app".to_owned());
    let record = AuthorityRecord { profile: profile.to_owned(), object, entity, authorities };
    queue_manager.set_authority(&administrator(), record).await.unwrap();
}

/// A queue manager with queue APP.Q and a user `app` that may connect.
async fn with_app() -> QueueManager {
    let queue_manager = ephemeral(FakeClock::new());
    queue_manager.define_queue(&administrator(), QueueDefinition::local(name("APP.Q")), false).await.unwrap();
    allow(&queue_manager, AuthorityObject::QueueManager, "QM1", Authority::CONNECT).await;
    queue_manager
}

fn object(queue: &str) -> ObjectDescriptor {
    ObjectDescriptor { name: name(queue), ..ObjectDescriptor::default() }
}

async fn open(connection: &Connection, queue: &str, options: OpenOptions) -> Result<(), Reason> {
    connection.open(&app(), &object(queue), options).await.map(|_| ())
}

#[tokio::test]
async fn connecting_needs_authority() {
    let queue_manager = ephemeral(FakeClock::new());
    let options = ConnectOptions {
        principal: app(),
        application_name: String::new(),
        application_type: 6,
        channel: String::new(),
        connection_name: String::new(),
    };
    assert_eq!(queue_manager.connect(options.clone()).err(), Some(Reason::NotAuthorized));
    allow(&queue_manager, AuthorityObject::QueueManager, "**", Authority::CONNECT).await;
    assert!(queue_manager.connect(options).is_ok());
}

#[tokio::test]
async fn each_open_option_needs_its_authority_and_changes_count_at_once() {
    let queue_manager = with_app().await;
    let connection = connect(&queue_manager, app());
    for (options, authority) in [
        (OpenOptions::INPUT_SHARED, Authority::GET),
        (OpenOptions::BROWSE, Authority::BROWSE),
        (OpenOptions::OUTPUT, Authority::PUT),
        (OpenOptions::INQUIRE, Authority::INQUIRE),
        (OpenOptions::SET, Authority::SET),
        (OpenOptions::OUTPUT | OpenOptions::SET_ALL_CONTEXT, Authority::PUT | Authority::SET_ALL_CONTEXT),
        (OpenOptions::OUTPUT | OpenOptions::PASS_ALL_CONTEXT, Authority::PUT | Authority::PASS_ALL_CONTEXT),
    ] {
        allow(&queue_manager, AuthorityObject::Queue, "APP.**", Authority::all() - authority).await;
        assert_eq!(open(&connection, "APP.Q", options).await, Err(Reason::NotAuthorized), "{options:?}");
        allow(&queue_manager, AuthorityObject::Queue, "APP.**", authority).await;
        assert_eq!(open(&connection, "APP.Q", options).await, Ok(()), "{options:?}");
    }
}

#[tokio::test]
async fn put1_is_checked_like_an_open() {
    let queue_manager = with_app().await;
    let connection = connect(&queue_manager, app());
    let put1 = async |flags| {
        let options = PutOptions { flags, context: None };
        let descriptor = MessageDescriptor::default();
        connection.put1(&app(), &object("APP.Q"), descriptor, &options, Bytes::new()).await.map(|_| ())
    };
    assert_eq!(put1(PutFlags::empty()).await, Err(Reason::NotAuthorized));
    allow(&queue_manager, AuthorityObject::Queue, "APP.*", Authority::PUT).await;
    assert_eq!(put1(PutFlags::empty()).await, Ok(()));
    assert_eq!(put1(PutFlags::SET_ALL_CONTEXT).await, Err(Reason::NotAuthorized));
}

#[tokio::test]
async fn an_alias_is_checked_by_its_own_name() {
    let queue_manager = with_app().await;
    let alias = AliasQueue { target: name("APP.Q"), ..AliasQueue::default() };
    let alias = QueueDefinition::new(name("ALIAS"), QueueKind::Alias(alias));
    queue_manager.define_queue(&administrator(), alias, false).await.unwrap();
    allow(&queue_manager, AuthorityObject::Queue, "ALIAS", Authority::PUT).await;
    let connection = connect(&queue_manager, app());
    assert_eq!(open(&connection, "ALIAS", OpenOptions::OUTPUT).await, Ok(()));
    assert_eq!(open(&connection, "APP.Q", OpenOptions::OUTPUT).await, Err(Reason::NotAuthorized));
}

#[tokio::test]
async fn the_maker_of_a_dynamic_queue_may_use_it_and_others_may_not() {
    let queue_manager = with_app().await;
    let model =
        QueueKind::Model(Box::new(ModelQueue { local: LocalQueue { shareable: true, ..ModelQueue::default().local } }));
    queue_manager.define_queue(&administrator(), QueueDefinition::new(name("MODEL"), model), false).await.unwrap();
    allow(&queue_manager, AuthorityObject::Queue, "MODEL", Authority::GET).await;
    let connection = connect(&queue_manager, app());
    let template = ObjectDescriptor { dynamic_queue: "T.ONE".to_owned(), ..object("MODEL") };
    connection.open(&app(), &template, OpenOptions::INPUT_SHARED).await.unwrap();
    assert_eq!(open(&connection, "T.ONE", OpenOptions::OUTPUT).await, Ok(()));
    let other = Principal::user("other");
    let opened = connection.open(&other, &object("T.ONE"), OpenOptions::OUTPUT).await;
    assert_eq!(opened.err(), Some(Reason::NotAuthorized));
}

#[tokio::test]
async fn an_alternate_user_needs_authority_to_be_named_and_then_counts() {
    let queue_manager = with_app().await;
    allow(&queue_manager, AuthorityObject::Queue, "APP.Q", Authority::PUT).await;
    let connection = connect(&queue_manager, app());
    let other = Principal::user("other");
    let as_app = ObjectDescriptor { alternate_user: "app".to_owned(), ..object("APP.Q") };
    let options = OpenOptions::OUTPUT | OpenOptions::ALTERNATE_USER_AUTHORITY;
    assert_eq!(connection.open(&other, &as_app, options).await.err(), Some(Reason::NotAuthorized));
    let record = AuthorityRecord {
        profile: "QM1".to_owned(),
        object: AuthorityObject::QueueManager,
        entity: Entity::Principal("other".to_owned()),
        authorities: Authority::ALTERNATE_USER,
    };
    queue_manager.set_authority(&administrator(), record).await.unwrap();
    let opened = connection.open(&other, &as_app, options).await.unwrap();
    let put = connection
        .put(opened.handle, MessageDescriptor::default(), &PutOptions::default(), Bytes::new())
        .await
        .unwrap();
    assert_eq!(put.message.descriptor.user_identifier.to_text(), "app");
}

#[tokio::test]
async fn commands_are_authorised_by_object() {
    let queue_manager = with_app().await;
    let define = async |queue: &str, replace| {
        queue_manager.define_queue(&app(), QueueDefinition::local(name(queue)), replace).await
    };
    let lacks = |outcome: Result<(), ObjectError>, word: &str| match outcome.unwrap_err() {
        ObjectError::NotAuthorized { missing, .. } => assert_eq!(missing, word),
        other => panic!("{other}"),
    };
    lacks(define("APP.R", false).await, "CRT");
    lacks(define("APP.Q", false).await, "CRT");
    lacks(define("APP.Q", true).await, "CHG");
    allow(&queue_manager, AuthorityObject::Queue, "APP.**", Authority::CREATE | Authority::CLEAR).await;
    define("APP.R", false).await.unwrap();
    queue_manager.clear_queue(&app(), &name("APP.Q")).await.unwrap();
    lacks(queue_manager.delete_queue(&app(), &name("APP.Q"), false).await, "DLT");
    lacks(queue_manager.alter_queue(&app(), QueueDefinition::local(name("APP.Q")), false).await, "CHG");
}

#[tokio::test]
async fn who_makes_an_object_may_do_everything_with_it_until_it_is_gone() {
    let queue_manager = with_app().await;
    allow(&queue_manager, AuthorityObject::Queue, "@class", Authority::CREATE).await;
    queue_manager.define_queue(&app(), QueueDefinition::local(name("MINE")), false).await.unwrap();
    let connection = connect(&queue_manager, app());
    assert_eq!(open(&connection, "MINE", OpenOptions::OUTPUT | OpenOptions::SET).await, Ok(()));
    assert_eq!(open(&connection, "APP.Q", OpenOptions::OUTPUT).await, Err(Reason::NotAuthorized));
    connection.disconnect().await.unwrap();
    let records = |queue: &str| queue_manager.authority_records().iter().filter(|r| r.profile == queue).count();
    assert_eq!(records("MINE"), 1);
    queue_manager.forget_authorities(AuthorityObject::Queue, &name("MINE")).await.unwrap();
    assert_eq!(records("MINE"), 1, "it is still there");
    queue_manager.delete_queue(&app(), &name("MINE"), false).await.unwrap();
    queue_manager.forget_authorities(AuthorityObject::Queue, &name("MINE")).await.unwrap();
    assert_eq!(records("MINE"), 0);
}

#[tokio::test]
async fn what_is_added_and_taken_away_at_once_is_taken_away() {
    let queue_manager = with_app().await;
    let (object, entity) = (AuthorityObject::Queue, Entity::Principal("app".to_owned()));
    let authorities = Authority::PUT | Authority::GET;
    let record = AuthorityRecord { profile: "**".to_owned(), object, entity, authorities };
    let (before, after) = queue_manager.change_authority(&administrator(), record, Authority::PUT).await.unwrap();
    assert_eq!((before, after.authorities), (None, Authority::GET));
}
