//! Objects without messages: defined, changed, deleted, kept over a restart, authorised, and read by verbs.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::definition::attribute::{Kind, Target, Value, find};
use model::definition::{AdministeredObject, ChannelType, QueueDefinition, QueueManagerDefinition};
use model::descriptor::{Encoding, MessageDescriptor};
use model::header::trigger::TriggerMessage;
use model::options::{GetOptions, ObjectDescriptor, ObjectKind, OpenOptions, PutOptions};
use model::reason::Reason;
use queue_manager::objects::ObjectError;
use queue_manager::{Home, QueueManager};
use storage::private::log::disk::DirectoryDisk;
use storage::{DefinitionChange, PrivateStore, StoreOptions};

use crate::script::{EVERYTHING, FakeClock, administrator, connect, ephemeral, name, start};

fn start_in(directory: &Path) -> QueueManager {
    let disk = DirectoryDisk::open(directory.to_owned()).unwrap();
    start(Home::Disk(Arc::new(disk)), FakeClock::new())
}

/// A definition with attributes by their MQSC keywords.
fn object(kind: Kind, named: &str, attributes: &[(&str, Value)]) -> AdministeredObject {
    let mut object = AdministeredObject::blank(kind).unwrap();
    object.set_name(name(named));
    for (keyword, value) in attributes {
        (find(kind, keyword).unwrap().write)(Target::Object(&mut object), value).unwrap();
    }
    object
}

/// Something valid of each kind.
fn sample(kind: Kind, named: &str) -> AdministeredObject {
    let needed: &[(&str, Value)] = match kind {
        Kind::SenderChannel => &[("CONNAME", Value::from("host(1414)")), ("XMITQ", Value::from("X"))],
        Kind::ServerChannel => &[("XMITQ", Value::from("X"))],
        Kind::RequesterChannel | Kind::ClientConnection | Kind::ClusterSender | Kind::AuthenticationCrl => {
            &[("CONNAME", Value::from("host(1414)"))]
        }
        Kind::AuthenticationOcsp => &[("OCSPURL", Value::from("http://host"))],
        Kind::AuthenticationLdap => &[("CONNAME", Value::from("host")), ("SHORTUSR", Value::from("sn"))],
        _ => &[],
    };
    object(kind, named, needed)
}

fn administered() -> impl Iterator<Item = Kind> {
    Kind::ALL.into_iter().filter(|kind| kind.is_administered())
}

/// A name of its own for each kind.
fn name_of(kind: Kind) -> String {
    format!("MY.{kind:?}").chars().take(20).collect()
}

#[tokio::test]
async fn every_kind_is_defined_altered_and_deleted_and_lasts() {
    let directory = tempfile::tempdir().unwrap();
    let queue_manager = start_in(directory.path());
    for kind in administered() {
        let mut object = sample(kind, &name_of(kind));
        queue_manager.define_object(&administrator(), object.clone(), false).await.unwrap();
        let taken = queue_manager.define_object(&administrator(), object.clone(), false).await;
        assert_eq!(taken, Err(ObjectError::AlreadyExists { name: name_of(kind) }), "{kind:?}");
        let description = Value::from("altered");
        (find(kind, "DESCR").unwrap().write)(Target::Object(&mut object), &description).unwrap();
        queue_manager.alter_object(&administrator(), object).await.unwrap();
    }
    let all = |queue_manager: &QueueManager| -> Vec<Arc<AdministeredObject>> {
        AdministeredObject::FAMILIES.into_iter().flat_map(|family| queue_manager.objects(family)).collect()
    };
    let before = all(&queue_manager);
    assert_eq!(
        before.iter().filter(|object| object.name().as_str().starts_with("MY.")).count(),
        administered().count()
    );
    queue_manager.stop().await;
    drop(queue_manager);

    let queue_manager = start_in(directory.path());
    assert_eq!(all(&queue_manager), before);
    for kind in administered() {
        let family = kind.authority_object();
        queue_manager.delete_object(&administrator(), family, &name(&name_of(kind))).await.unwrap();
        let gone = queue_manager.delete_object(&administrator(), family, &name(&name_of(kind))).await;
        assert_eq!(gone, Err(ObjectError::NotFound { name: name_of(kind) }));
    }
    assert!(all(&queue_manager).iter().all(|object| object.name().as_str().starts_with("SYSTEM.")));
}

#[tokio::test]
async fn a_client_connection_may_have_the_name_of_another_channel_and_no_type_changes() {
    let queue_manager = ephemeral(FakeClock::new());
    let define = async |object, replace| queue_manager.define_object(&administrator(), object, replace).await;
    define(sample(Kind::ServerConnection, "C"), false).await.unwrap();
    define(sample(Kind::ClientConnection, "C"), false).await.unwrap();
    define(sample(Kind::Listener, "C"), false).await.unwrap();
    let wrong = Err(ObjectError::WrongType { name: "C".to_owned() });
    assert_eq!(define(sample(Kind::SenderChannel, "C"), true).await, wrong);
    assert_eq!(queue_manager.alter_object(&administrator(), sample(Kind::ReceiverChannel, "C")).await, wrong);
    let family = AuthorityObject::ClientChannel;
    queue_manager.delete_object(&administrator(), family, &name("C")).await.unwrap();
    let left = queue_manager.object(AuthorityObject::Channel, &name("C")).unwrap();
    assert_eq!(left.as_channel().unwrap().channel_type, ChannelType::ServerConnection);
}

#[tokio::test]
async fn definitions_that_make_no_sense_are_refused_by_attribute() {
    let queue_manager = ephemeral(FakeClock::new());
    let missing = |attribute| Err(ObjectError::Missing { name: "A".to_owned(), attribute });
    let name_error = Err(ObjectError::Reason(Reason::ObjectNameError));
    let too_many = vec!["N".to_owned(); 257];
    let cases = [
        (object(Kind::SenderChannel, "A", &[]), missing("CONNAME")),
        (object(Kind::ServerChannel, "A", &[]), missing("XMITQ")),
        (object(Kind::AuthenticationOcsp, "A", &[]), missing("OCSPURL")),
        (object(Kind::AuthenticationLdap, "A", &[("CONNAME", Value::from("host"))]), missing("SHORTUSR")),
        (object(Kind::ServerConnection, "A.NAME.OF.21.LETTERS.", &[]), name_error.clone()),
        (object(Kind::Process, "", &[]), name_error),
        (
            object(Kind::NameList, "A", &[("NAMES", Value::List(too_many))]),
            Err(ObjectError::Attribute {
                name: "A".to_owned(),
                attribute: "NAMES",
                problem: "more than 256 values".to_owned(),
            }),
        ),
    ];
    for (object, expected) in cases {
        assert_eq!(queue_manager.define_object(&administrator(), object, false).await, expected);
    }
    let longest = object(Kind::Listener, &"L".repeat(48), &[]);
    queue_manager.define_object(&administrator(), longest, false).await.unwrap();
}

#[tokio::test]
async fn each_change_needs_its_authority_on_its_own_type_of_object() {
    let queue_manager = ephemeral(FakeClock::new());
    let app = Principal::user("app");
    let refused = |missing: &str| {
        let (user, name) = ("app".to_owned(), "P".to_owned());
        Err(ObjectError::NotAuthorized { user, name, missing: missing.to_owned() })
    };
    let allow = async |object, authorities| {
        let entity = Entity::Principal("app".to_owned());
        let record = AuthorityRecord { profile: "**".to_owned(), object, entity, authorities };
        queue_manager.set_authority(&administrator(), record).await.unwrap();
    };
    allow(AuthorityObject::Service, Authority::all()).await;
    let process = sample(Kind::Process, "P");
    assert_eq!(queue_manager.define_object(&app, process.clone(), false).await, refused("CRT"));
    queue_manager.define_object(&administrator(), process.clone(), false).await.unwrap();
    allow(AuthorityObject::Process, Authority::DISPLAY).await;
    assert_eq!(queue_manager.define_object(&app, process.clone(), true).await, refused("CHG"));
    assert_eq!(queue_manager.alter_object(&app, process.clone()).await, refused("CHG"));
    let delete = async || queue_manager.delete_object(&app, AuthorityObject::Process, &name("P")).await;
    assert_eq!(delete().await, refused("DLT"));
    allow(AuthorityObject::Process, Authority::CHANGE | Authority::DELETE).await;
    queue_manager.alter_object(&app, process).await.unwrap();
    delete().await.unwrap();
}

#[tokio::test]
async fn a_trigger_message_says_what_the_process_definition_says() {
    let queue_manager = ephemeral(FakeClock::new());
    let process = object(
        Kind::Process,
        "P",
        &[
            ("APPLICID", Value::from("/opt/start")),
            ("APPLTYPE", Value::Integer(9)),
            ("ENVRDATA", Value::from("env")),
            ("USERDATA", Value::from("user")),
        ],
    );
    queue_manager.define_object(&administrator(), process, false).await.unwrap();
    queue_manager.define_queue(&administrator(), QueueDefinition::local(name("I")), false).await.unwrap();
    let connection = connect(&queue_manager, administrator());
    let descriptor = |queue: &str| ObjectDescriptor { name: name(queue), ..ObjectDescriptor::default() };
    let served = connection.open(&administrator(), &descriptor("I"), EVERYTHING).await.unwrap().handle;
    for (queue, process, expected) in
        [("T1", "P", (9, "/opt/start", "env", "user")), ("T2", "NONE", (0, "", "", "")), ("T3", "", (0, "", "", ""))]
    {
        let mut triggered = QueueDefinition::local(name(queue));
        let local = triggered.as_local_mut().unwrap();
        local.trigger.enabled = true;
        local.initiation_queue = name("I");
        local.process = name(process);
        queue_manager.define_queue(&administrator(), triggered, false).await.unwrap();
        let options = PutOptions::default();
        let message = MessageDescriptor::default();
        connection.put1(&administrator(), &descriptor(queue), message, &options, Bytes::from("x")).await.unwrap();
        let got = connection.get(served, &GetOptions::default()).await.unwrap();
        let header = TriggerMessage::decode(&got.body, Encoding::NATIVE).unwrap();
        assert_eq!(header.process.to_text(), process);
        let seen = (
            header.application_type,
            &*header.application_identifier.to_text(),
            &*header.environment_data.to_text(),
            &*header.user_data.to_text(),
        );
        assert_eq!(seen, expected, "{queue}");
    }
}

#[tokio::test]
async fn processes_and_namelists_are_opened_for_their_attributes() {
    let queue_manager = ephemeral(FakeClock::new());
    let names = Value::List(vec!["ONE".to_owned(), "TWO".to_owned()]);
    let define = async |object| queue_manager.define_object(&administrator(), object, false).await.unwrap();
    define(object(Kind::NameList, "N", &[("NAMES", names)])).await;
    define(object(Kind::Process, "P", &[("APPLICID", Value::from("run"))])).await;
    let connection = connect(&queue_manager, administrator());
    let descriptor =
        |object, named: &str| ObjectDescriptor { object, name: name(named), ..ObjectDescriptor::default() };
    let open = async |object, named, options| {
        connection.open(&administrator(), &descriptor(object, named), options).await.map(|opened| opened.handle)
    };

    let name_list = open(ObjectKind::NameList, "N", OpenOptions::INQUIRE).await.unwrap();
    // MQIA_NAME_COUNT and MQCA_NAMES; MQIA_MAX_Q_DEPTH is not for namelists, MQIACH_CHANNEL_TYPE not for MQINQ.
    let inquired = connection.inquire(name_list, &[19, 2020]).unwrap();
    assert_eq!(inquired.integers, [2]);
    assert_eq!(inquired.characters, format!("{:48}{:48}", "ONE", "TWO").into_bytes());
    assert_eq!(connection.inquire(name_list, &[15]).unwrap().warning, Some(Reason::SelectorNotForType));
    assert_eq!(connection.inquire(name_list, &[1511]), Err(Reason::SelectorError));
    let process = open(ObjectKind::Process, "P", OpenOptions::INQUIRE).await.unwrap();
    let inquired = connection.inquire(process, &[1, 2001]).unwrap();
    assert_eq!((inquired.integers, inquired.characters), (vec![6], format!("{:256}", "run").into_bytes()));

    let output = open(ObjectKind::Process, "P", OpenOptions::OUTPUT).await;
    assert_eq!(output, Err(Reason::OptionNotValidForType));
    assert_eq!(open(ObjectKind::Process, "N", OpenOptions::INQUIRE).await, Err(Reason::UnknownObjectName));
    queue_manager.delete_object(&administrator(), AuthorityObject::Process, &name("P")).await.unwrap();
    assert_eq!(connection.inquire(process, &[1]), Err(Reason::ObjectChanged));
}

#[tokio::test]
async fn default_objects_are_added_to_an_older_queue_manager_and_stay_away_once_deleted() {
    let directory = tempfile::tempdir().unwrap();
    let disk = DirectoryDisk::open(directory.path().to_owned()).unwrap();
    let (store, _) = PrivateStore::open(Arc::new(disk), StoreOptions::default()).unwrap();
    let mut queue = QueueDefinition::local(name("SYSTEM.DEFAULT.LOCAL.QUEUE"));
    let local = queue.as_local_mut().unwrap();
    local.maximum_depth = 7;
    local.store_id = store.create_queue().0;
    let manager = QueueManagerDefinition { name: name("QM1"), ..QueueManagerDefinition::default() };
    let save = |key: &str, value| DefinitionChange::Save { key: key.to_owned(), value };
    let changes = vec![
        save("qmgr", serde_json::to_vec(&manager).unwrap()),
        save("queue/SYSTEM.DEFAULT.LOCAL.QUEUE", serde_json::to_vec(&queue).unwrap()),
    ];
    store.change_definitions(changes).await.unwrap();
    store.close();
    drop(store);

    let queue_manager = start_in(directory.path());
    let kept = queue_manager.queue(&queue.name).unwrap();
    assert_eq!(kept.as_local().unwrap().maximum_depth, 7);
    for kind in Kind::ALL {
        let Some(default) = kind.default_object() else { continue };
        let found = match kind {
            Kind::Topic => queue_manager.topic(&name(default)).is_some(),
            Kind::Subscription => queue_manager.subscription(default).is_some(),
            queue if queue.is_queue() => queue_manager.queue(&name(default)).is_some(),
            other => queue_manager.object(other.authority_object(), &name(default)).is_some_and(|o| o.kind() == kind),
        };
        assert!(found, "{default}");
    }

    let deleted = name("SYSTEM.DEFAULT.SERVICE");
    queue_manager.delete_object(&administrator(), AuthorityObject::Service, &deleted).await.unwrap();
    queue_manager.stop().await;
    drop(queue_manager);
    let queue_manager = start_in(directory.path());
    assert!(queue_manager.object(AuthorityObject::Service, &deleted).is_none());
}
