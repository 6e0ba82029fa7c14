//! A member of a queue-sharing group: what is refused on shared queues, and what a start finds again.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use model::authority::AuthorityObject;
use model::definition::queue::Disposition;
use model::definition::structure::StructureDefinition;
use model::definition::{AdministeredObject, QueueDefinition};
use model::descriptor::{MessageDescriptor, Persistence};
use model::group::GroupName;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use queue_manager::objects::ObjectError;
use queue_manager::{Follower, GroupOptions, Home, Master, QueueManager, StartOptions, Terms};
use storage::StoreOptions;
use storage::private::log::disk::DirectoryDisk;

use crate::script::{EVERYTHING, FakeClock, administrator, connect, ephemeral, name};

fn options(home: Home, clock: &Arc<FakeClock>) -> StartOptions {
    StartOptions {
        name: name("QM1"),
        home,
        store: StoreOptions::default(),
        clock: clock.clone(),
        server_user: "mqadmin".to_owned(),
    }
}

fn group() -> GroupOptions {
    GroupOptions { name: GroupName::parse("QSG1").unwrap(), database: None }
}

fn member() -> QueueManager {
    QueueManager::start_member(options(Home::Ephemeral, &FakeClock::new()), group()).unwrap()
}

fn structure(text: &str, recover: bool) -> AdministeredObject {
    AdministeredObject::Structure(Box::new(StructureDefinition {
        name: name(text),
        recover,
        ..StructureDefinition::default()
    }))
}

fn queue(text: &str, disposition: Disposition, structure: &str) -> QueueDefinition {
    let mut queue = QueueDefinition::local(name(text));
    queue.disposition = disposition;
    queue.as_local_mut().unwrap().structure = name(structure);
    queue
}

fn object(text: &str) -> ObjectDescriptor {
    ObjectDescriptor { name: name(text), ..ObjectDescriptor::default() }
}

/// With the shared queues SAFE, of a structure with RECOVER(YES), and FAST, of one without.
async fn with_shared_queues() -> QueueManager {
    let member = member();
    for (of, queue_name, recover) in [("SAFE1", "SAFE", true), ("FAST1", "FAST", false)] {
        member.define_object(&administrator(), structure(of, recover), false).await.unwrap();
        member.define_queue(&administrator(), queue(queue_name, Disposition::Shared, of), false).await.unwrap();
    }
    member
}

fn persistent(persistence: Persistence) -> MessageDescriptor {
    MessageDescriptor { persistence, ..MessageDescriptor::default() }
}

#[tokio::test]
async fn a_structure_that_does_not_recover_takes_no_persistent_message() {
    let member = with_shared_queues().await;
    let connection = connect(&member, administrator());
    let put = async |queue: &str, persistence| {
        let options = PutOptions { flags: PutFlags::NO_SYNCPOINT, ..PutOptions::default() };
        let descriptor = persistent(persistence);
        let put = connection.put1(&administrator(), &object(queue), descriptor, &options, Bytes::from("x")).await;
        put.map(drop)
    };
    assert_eq!(put("SAFE", Persistence::Persistent).await, Ok(()));
    assert_eq!(put("FAST", Persistence::NonPersistent).await, Ok(()));
    assert_eq!(put("FAST", Persistence::Persistent).await, Err(Reason::PersistentNotAllowed));
    assert_eq!(member.queue_status(&name("FAST")).unwrap().depth.current, 1);
}

#[tokio::test]
async fn messages_of_a_shared_queue_are_got_in_units_of_work_like_any_others() {
    let member = with_shared_queues().await;
    let connection = connect(&member, administrator());
    let opened = connection.open(&administrator(), &object("SAFE"), EVERYTHING).await.unwrap().handle;
    let put = PutOptions { flags: PutFlags::SYNCPOINT, ..PutOptions::default() };
    connection
        .put1(&administrator(), &object("SAFE"), MessageDescriptor::default(), &put, Bytes::from("x"))
        .await
        .unwrap();
    let get = GetOptions { flags: GetFlags::SYNCPOINT, ..GetOptions::default() };
    connection.commit().await.unwrap();
    assert_eq!(connection.get(opened, &get).await.unwrap().body, "x");
    connection.back_out().await.unwrap();
    assert_eq!(connection.get(opened, &get).await.unwrap().descriptor.backout_count, 1);
    connection.commit().await.unwrap();
    assert_eq!(connection.get(opened, &get).await.unwrap_err(), Reason::NoMsgAvailable);
}

#[tokio::test]
async fn a_shared_queue_is_not_followed() {
    let member = with_shared_queues().await;
    let connection = connect(&member, administrator());
    let browse = connection.open(&administrator(), &object("SAFE"), OpenOptions::BROWSE).await.unwrap().handle;
    let get = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
    let followed = connection.follow(browse, &mut Follower::default(), &get, &Terms::default()).await;
    assert_eq!(followed.map(drop), Err(Reason::FunctionNotSupported));
}

#[tokio::test]
async fn a_queue_manager_in_no_group_makes_no_queue_of_a_group() {
    let alone = ephemeral(FakeClock::new());
    for disposition in [Disposition::Shared, Disposition::Copy] {
        let made = alone.define_queue(&administrator(), queue("Q", disposition, "APP1"), false).await;
        assert_eq!(made, Err(ObjectError::NotInGroup));
    }
    let made = alone.define_master(&administrator(), Master::Queue(queue("Q", Disposition::Group, "")), false).await;
    assert_eq!(made, Err(ObjectError::NotInGroup));
}

fn on_disk(directory: &Path) -> Home {
    Home::Disk(Arc::new(DirectoryDisk::open(directory.to_owned()).unwrap()))
}

#[tokio::test]
async fn a_member_finds_its_structures_and_group_definitions_again_and_one_that_left_shows_none() {
    let directory = tempfile::tempdir().unwrap();
    let clock = FakeClock::new();
    let member = QueueManager::start_member(options(on_disk(directory.path()), &clock), group()).unwrap();
    member.define_object(&administrator(), structure("APP1", true), false).await.unwrap();
    member.define_master(&administrator(), Master::Queue(queue("STOCK", Disposition::Group, "")), false).await.unwrap();
    let shared = member.define_queue(&administrator(), queue("ORDERS", Disposition::Shared, "APP1"), false).await;
    assert_eq!(shared, Err(ObjectError::Reason(Reason::CfNotAvailable)), "there is no database");
    member.stop().await;
    drop(member);

    let member = QueueManager::start_member(options(on_disk(directory.path()), &clock), group()).unwrap();
    assert!(member.object(AuthorityObject::Structure, &name("APP1")).is_some());
    assert_eq!(member.group_queue(&name("STOCK")).unwrap().disposition, Disposition::Group);
    assert_eq!(member.queue(&name("STOCK")).unwrap().disposition, Disposition::Copy);
    assert_eq!(member.definition().group.map(|group| group.to_string()), Some("QSG1".to_owned()));
    member.stop().await;
    drop(member);

    let alone = QueueManager::start(options(on_disk(directory.path()), &clock)).unwrap();
    assert!(alone.masters(AuthorityObject::Queue).is_empty());
    assert_eq!(alone.definition().group, None);
    alone.stop().await;
}
