//! Intra-group queuing: puts to private queues of another member arrive there, once, or on its dead-letter queue.

use bytes::Bytes;
use group_harness::postgres::Database;
use model::definition::queue::{Disposition, RemoteQueue, Usage};
use model::definition::{IntraGroupAuthority, QueueDefinition, QueueKind};
use model::descriptor::{Expiry, MessageDescriptor, Persistence};
use model::header::dead_letter::DeadLetterHeader;
use model::identifier::MessageId;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use model::text::Text;
use queue_manager::Connection;

use super::{Member, PATIENCE, administrator, name, object, on_database, open_for, put, two};

const TRANSMISSION: &str = "SYSTEM.QSG.TRANSMIT.QUEUE";

/// Two members that send to each other, the second with the private queue STOCK and a dead-letter queue.
async fn sending(database: &Database) -> (Member, Member) {
    let (one, two) = two(database).await;
    one.define_with(TRANSMISSION, Disposition::Shared, |local| local.usage = Usage::Transmission).await.unwrap();
    two.until_known(TRANSMISSION).await;
    one.until("they know each other", |member| member.group_members().len() == 2).await;
    for queue in ["STOCK", "DEAD"] {
        two.queue_manager.define_queue(&administrator(), QueueDefinition::local(name(queue)), false).await.unwrap();
    }
    for member in [&one, &two] {
        member
            .alter(|manager| {
                manager.intra_group_queuing = true;
                manager.dead_letter_queue = name("DEAD");
            })
            .await;
    }
    (one, two)
}

fn at(queue: &str, queue_manager: &str) -> ObjectDescriptor {
    ObjectDescriptor { queue_manager: name(queue_manager), ..object(queue) }
}

async fn send(connection: &Connection, to: &ObjectDescriptor, body: &'static str) -> Result<MessageId, Reason> {
    let options = PutOptions { flags: PutFlags::NO_SYNCPOINT, ..PutOptions::default() };
    let descriptor = MessageDescriptor {
        persistence: Persistence::Persistent,
        priority: 7,
        expiry: Expiry(6000),
        ..MessageDescriptor::default()
    };
    let caller = administrator();
    let put = connection.put1(&caller, to, descriptor, &options, Bytes::from(body)).await;
    put.map(|put| put.message.descriptor.message_id)
}

/// What arrives at a member, with its descriptor.
async fn receive(member: &Member, queue: &str) -> Result<(MessageDescriptor, Bytes), Reason> {
    let connection = member.connect();
    let handle = open_for(&connection, queue, OpenOptions::INPUT_SHARED).await.unwrap();
    let wait = Some(PATIENCE);
    let options = GetOptions { flags: GetFlags::WAIT | GetFlags::NO_SYNCPOINT, wait, ..GetOptions::default() };
    connection.get(handle, &options).await.map(|got| (got.descriptor.clone(), got.body.clone()))
}

#[test]
fn a_put_to_a_private_queue_of_another_member_arrives_as_it_was_put() {
    on_database(async |database| {
        let (one, two) = sending(database).await;
        let sent = send(&one.connect(), &at("STOCK", "QM2"), "by its names").await.unwrap();
        let (descriptor, body) = receive(&two, "STOCK").await.unwrap();
        assert_eq!((descriptor.message_id, descriptor.priority, &body[..]), (sent, 7, &b"by its names"[..]));
        assert_eq!(descriptor.persistence, Persistence::Persistent);
        assert!((1..=6000).contains(&descriptor.expiry.0), "{:?}", descriptor.expiry);

        let remote =
            RemoteQueue { remote_queue: name("STOCK"), remote_queue_manager: name("QM2"), ..RemoteQueue::default() };
        let definition =
            QueueDefinition { kind: QueueKind::Remote(remote), ..QueueDefinition::local(name("TO.STOCK")) };
        one.queue_manager.define_queue(&administrator(), definition, false).await.unwrap();
        let connection = one.connect();
        put(&connection, "TO.STOCK", "by a definition", PutFlags::SYNCPOINT).await;
        put(&connection, "TO.STOCK", "and another", PutFlags::SYNCPOINT).await;
        connection.commit().await.unwrap();
        assert_eq!(receive(&two, "STOCK").await.unwrap().1, "by a definition");
        assert_eq!(receive(&two, "STOCK").await.unwrap().1, "and another");
        two.until("nothing is on its way", |member| {
            member.queue_status(&name(TRANSMISSION)).is_some_and(|status| status.depth.current == 0)
        })
        .await;
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn what_a_queue_of_another_member_does_not_take_is_on_its_dead_letter_queue() {
    on_database(async |database| {
        let (one, two) = sending(database).await;
        send(&one.connect(), &at("NOWHERE", "QM2"), "lost").await.unwrap();
        send(&one.connect(), &at("STOCK", "QM2"), "goes on").await.unwrap();
        let (descriptor, body) = receive(&two, "DEAD").await.unwrap();
        let header = DeadLetterHeader::decode(&body, descriptor.encoding).unwrap();
        assert_eq!(header.reason, Reason::UnknownObjectName.number());
        assert_eq!(header.destination_queue.to_text().trim_end(), "NOWHERE");
        assert!(body.ends_with(b"lost"));
        assert_eq!(receive(&two, "STOCK").await.unwrap().1, "goes on");
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn messages_wait_for_a_member_that_is_away_and_without_a_dead_letter_queue_for_their_queue() {
    on_database(async |database| {
        let (one, two) = sending(database).await;
        two.stop().await;
        for body in ["first", "second"] {
            send(&one.connect(), &at("LATER", "QM2"), body).await.unwrap();
        }
        let again = Member::start(database, "QM2").await;
        let definition = QueueDefinition::local(name("LATER"));
        again.queue_manager.define_queue(&administrator(), definition, false).await.unwrap();
        assert_eq!(receive(&again, "LATER").await.unwrap().1, "first");
        assert_eq!(receive(&again, "LATER").await.unwrap().1, "second");
        one.stop().await;
        again.stop().await;
    });
}

#[test]
fn igq_decides_whether_and_the_queue_has_to_be_there() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        one.until("they know each other", |member| member.group_members().len() == 2).await;
        let send = async || send(&one.connect(), &at("STOCK", "QM2"), "x").await.err();
        assert_eq!(send().await, Some(Reason::UnknownRemoteQMgr), "IGQ(DISABLED)");
        one.alter(|manager| manager.intra_group_queuing = true).await;
        assert_eq!(send().await, Some(Reason::UnknownXmitQ), "the queue is not defined");
        one.define(TRANSMISSION, Disposition::Shared).await.unwrap();
        assert_eq!(send().await, Some(Reason::XmitQUsageError));
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn sqqmname_says_whether_a_shared_queue_of_another_member_is_opened_here() {
    on_database(async |database| {
        let (one, two) = sending(database).await;
        one.define("ORDERS", Disposition::Shared).await.unwrap();
        two.until_known("ORDERS").await;
        let destination = async || {
            let opened = one.connect().open(&administrator(), &at("ORDERS", "QM2"), OpenOptions::OUTPUT).await.unwrap();
            opened.resolved_queue_manager
        };
        assert_eq!(destination().await, name("QM1"), "IGNORE");
        one.alter(|manager| manager.uses_shared_queue_manager = true).await;
        assert_eq!(destination().await, name("QM2"), "USE");
        send(&one.connect(), &at("ORDERS", "QM2"), "by way of QM2").await.unwrap();
        assert_eq!(receive(&one, "ORDERS").await.unwrap().1, "by way of QM2", "it is one queue");
        one.alter(|manager| manager.intra_group_queuing = false).await;
        assert_eq!(send(&one.connect(), &at("ORDERS", "QM2"), "x").await.err(), Some(Reason::UnknownRemoteQMgr));
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn igqaut_says_whose_authority_counts() {
    on_database(async |database| {
        let (one, two) = sending(database).await;
        // The message has the name of a user who may nothing.
        let stranger = async || {
            let connection = one.connect();
            let descriptor =
                MessageDescriptor { user_identifier: Text::new("stranger"), ..MessageDescriptor::default() };
            let flags = PutFlags::NO_SYNCPOINT | PutFlags::SET_IDENTITY_CONTEXT;
            let put_options = PutOptions { flags, ..PutOptions::default() };
            let to = at("STOCK", "QM2");
            connection.put1(&administrator(), &to, descriptor, &put_options, Bytes::from("work")).await.unwrap();
        };
        for (authority, user, arrives) in [
            (IntraGroupAuthority::Default, "", false),
            (IntraGroupAuthority::Context, "", false),
            (IntraGroupAuthority::OnlyAgent, "", true),
            (IntraGroupAuthority::OnlyAgent, "nobody", false),
            (IntraGroupAuthority::AlternateOrAgent, "", false),
        ] {
            two.alter(|manager| {
                manager.intra_group_authority = authority;
                user.clone_into(&mut manager.intra_group_user);
            })
            .await;
            stranger().await;
            let queue = if arrives { "STOCK" } else { "DEAD" };
            let (descriptor, body) =
                receive(&two, queue).await.unwrap_or_else(|reason| panic!("{authority:?}: {reason}"));
            if !arrives {
                let header = DeadLetterHeader::decode(&body, descriptor.encoding).unwrap();
                assert_eq!(header.reason, Reason::NotAuthorized.number(), "{authority:?}");
            }
        }
        one.stop().await;
        two.stop().await;
    });
}
