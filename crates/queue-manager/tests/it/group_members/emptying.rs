//! MOVE QLOCAL with TOQLOCAL: the messages of a private queue become those of a shared one, as they are.

use bytes::Bytes;
use model::authority::Principal;
use model::definition::QueueDefinition;
use model::definition::queue::{Disposition, Usage};
use model::descriptor::{Expiry, Feedback, MessageDescriptor, Persistence, Report};
use model::identifier::{CorrelationId, MessageId};
use model::options::{CloseOptions, GetFlags, GetOptions, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use queue_manager::objects::ObjectError;

use super::{Member, administrator, get, name, object, on_database, open_for, put, two, until_ok};

/// Two members, the first with the private queue OLD, both with the shared queue NEW.
async fn with_queues(database: &group_harness::postgres::Database) -> (Member, Member) {
    let (one, two) = two(database).await;
    for queue in ["OLD", "REPORTS"] {
        let definition = QueueDefinition::local(name(queue));
        one.queue_manager.define_queue(&administrator(), definition, false).await.unwrap();
    }
    one.define("NEW", Disposition::Shared).await.unwrap();
    two.until_known("NEW").await;
    (one, two)
}

async fn move_all(member: &Member, from: &str, to: &str, adds: bool) -> Result<u64, ObjectError> {
    member.queue_manager.move_messages(&administrator(), &name(from), &name(to), adds).await
}

#[test]
fn messages_of_a_private_queue_become_those_of_a_shared_one_in_order_and_as_they_are() {
    on_database(async |database| {
        let (one, two) = with_queues(database).await;
        let connection = one.connect();
        for (number, priority) in [(1, 2), (2, 7), (3, 2)] {
            let descriptor = MessageDescriptor {
                persistence: Persistence::Persistent,
                priority,
                expiry: Expiry(60_000),
                message_id: MessageId::new([number; 24]),
                correlation_id: CorrelationId::new([9; 24]),
                ..MessageDescriptor::default()
            };
            let options = PutOptions { flags: PutFlags::NO_SYNCPOINT, ..PutOptions::default() };
            let body = Bytes::from(format!("message {number}"));
            connection.put1(&administrator(), &object("OLD"), descriptor, &options, body).await.unwrap();
        }
        assert_eq!(move_all(&one, "OLD", "NEW", false).await.unwrap(), 3);
        assert_eq!(get(&connection, "OLD", GetFlags::NO_SYNCPOINT).await, Err(Reason::NoMsgAvailable));
        let other = two.connect();
        let handle = open_for(&other, "NEW", OpenOptions::INPUT_SHARED).await.unwrap();
        for (number, priority) in [(2, 7), (1, 2), (3, 2)] {
            let options = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
            let got = other.get(handle, &options).await.unwrap();
            assert_eq!(got.body, format!("message {number}"));
            assert_eq!((got.descriptor.message_id, got.descriptor.priority), (MessageId::new([number; 24]), priority));
            assert_eq!(got.descriptor.correlation_id, CorrelationId::new([9; 24]));
            assert_eq!(got.descriptor.persistence, Persistence::Persistent);
            assert!((1..=60_000).contains(&got.descriptor.expiry.0), "{:?}", got.descriptor.expiry);
        }
        put(&other, "NEW", "back", PutFlags::NO_SYNCPOINT).await;
        other.close(handle, CloseOptions::empty()).await.unwrap();
        one.until("the shared queue is free", |member| member.queue_status(&name("NEW")).is_some()).await;
        // The other member tells a moment later that nothing has it open.
        let moved = until_ok(async || move_all(&one, "NEW", "OLD", false).await).await;
        assert_eq!(moved, 1, "the other way round");
        assert_eq!(get(&connection, "OLD", GetFlags::NO_SYNCPOINT).await.unwrap(), "back");
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn a_queue_that_is_in_use_or_another_kind_and_a_target_with_messages_are_refused_and_nothing_moves() {
    on_database(async |database| {
        let (one, two) = with_queues(database).await;
        let connection = one.connect();
        put(&connection, "OLD", "a", PutFlags::NO_SYNCPOINT).await;
        put(&connection, "NEW", "b", PutFlags::NO_SYNCPOINT).await;
        one.define_with("XMIT", Disposition::Shared, |local| local.usage = Usage::Transmission).await.unwrap();
        let refused = async |from: &str, to: &str| move_all(&one, from, to, false).await.unwrap_err();
        assert!(matches!(refused("OLD", "NEW").await, ObjectError::NotEmpty { name } if name == "NEW"));
        assert!(matches!(refused("OLD", "XMIT").await, ObjectError::WrongType { .. }));
        assert!(matches!(refused("OLD", "OLD").await, ObjectError::WrongType { .. }));
        assert!(matches!(refused("OLD", "NONE").await, ObjectError::NotFound { .. }));
        let handle = open_for(&connection, "OLD", OpenOptions::OUTPUT).await.unwrap();
        assert!(matches!(refused("OLD", "NEW").await, ObjectError::InUse { .. }), "a program has it open");
        connection.close(handle, CloseOptions::empty()).await.unwrap();
        let stranger = Principal::user("stranger");
        let refused = one.queue_manager.move_messages(&stranger, &name("OLD"), &name("NEW"), true).await;
        assert!(matches!(refused, Err(ObjectError::NotAuthorized { .. })));
        assert_eq!(move_all(&one, "OLD", "NEW", true).await.unwrap(), 1, "TYPE(ADD)");
        assert_eq!(get(&connection, "NEW", GetFlags::NO_SYNCPOINT).await.unwrap(), "b");
        assert_eq!(get(&connection, "NEW", GetFlags::NO_SYNCPOINT).await.unwrap(), "a");
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn a_target_that_is_full_ends_the_move_and_each_message_is_on_one_queue() {
    on_database(async |database| {
        let (one, two) = with_queues(database).await;
        let connection = one.connect();
        for _ in 0..120 {
            put(&connection, "OLD", "m", PutFlags::NO_SYNCPOINT).await;
        }
        one.define_with("SMALL", Disposition::Shared, |local| local.maximum_depth = 70).await.unwrap();
        let ended = move_all(&one, "OLD", "SMALL", false).await;
        assert!(matches!(ended, Err(ObjectError::Reason(Reason::QFull))), "{ended:?}");
        let mut counts = [0, 0];
        for (count, queue) in counts.iter_mut().zip(["SMALL", "OLD"]) {
            while get(&connection, queue, GetFlags::NO_SYNCPOINT).await.is_ok() {
                *count += 1;
            }
        }
        assert_eq!(counts, [50, 70], "whole units of work have moved");
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn a_message_that_moves_arrives_and_is_not_delivered() {
    on_database(async |database| {
        let (one, two) = with_queues(database).await;
        let connection = one.connect();
        let descriptor = MessageDescriptor {
            report: Report::COA | Report::COD,
            reply_to_queue: name("REPORTS"),
            ..MessageDescriptor::default()
        };
        let options = PutOptions { flags: PutFlags::NO_SYNCPOINT, ..PutOptions::default() };
        connection.put1(&administrator(), &object("OLD"), descriptor, &options, Bytes::from("x")).await.unwrap();
        assert!(get(&connection, "REPORTS", GetFlags::NO_SYNCPOINT).await.is_ok(), "it has arrived on OLD");
        assert_eq!(move_all(&one, "OLD", "NEW", false).await.unwrap(), 1);
        let handle = open_for(&connection, "REPORTS", OpenOptions::INPUT_SHARED).await.unwrap();
        let options = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
        let report = connection.get(handle, &options).await.expect("it has arrived on NEW");
        assert_eq!(report.descriptor.feedback, Feedback::COA);
        let none = connection.get(handle, &options).await.err();
        assert_eq!(none, Some(Reason::NoMsgAvailable), "nobody has got it yet");
        get(&two.connect(), "NEW", GetFlags::NO_SYNCPOINT).await.unwrap();
        one.stop().await;
        two.stop().await;
    });
}
