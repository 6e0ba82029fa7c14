//! Expired messages of shared queues: one member removes them for all, and another one when that is gone.

use std::time::Duration;

use bytes::Bytes;
use model::definition::queue::Disposition;
use model::descriptor::{Expiry, MessageDescriptor, Report};
use model::options::{GetFlags, PutFlags, PutOptions};
use model::reason::Reason;
use queue_manager::Connection;
use tokio::time::Instant;

use super::{Member, PATIENCE, administrator, get, name, object, on_database, run_apart, two, until_ok};
use crate::postgres::Database;

/// Puts messages that live for a tenth of a second and ask for a report.
async fn put_short_lived(connection: &Connection, count: usize) {
    for _ in 0..count {
        let descriptor = MessageDescriptor {
            expiry: Expiry(1),
            report: Report::EXPIRATION,
            reply_to_queue: name("REPORTS"),
            ..MessageDescriptor::default()
        };
        let options = PutOptions { flags: PutFlags::NO_SYNCPOINT, ..PutOptions::default() };
        let (caller, object, body) = (administrator(), object("Q"), Bytes::from_static(b"x"));
        connection.put1(&caller, &object, descriptor, &options, body).await.unwrap();
    }
}

/// How many reports there are; they are taken away.
async fn reports(member: &Member) -> usize {
    let connection = member.connect();
    let mut count = 0;
    while get(&connection, "REPORTS", GetFlags::NO_SYNCPOINT).await.is_ok() {
        count += 1;
    }
    count
}

async fn until_reported(member: &Member, expected: usize) {
    let (mut count, begun) = (0, Instant::now());
    while count < expected {
        assert!(begun.elapsed() < PATIENCE, "{count} reports of {expected}");
        tokio::time::sleep(Duration::from_millis(100)).await;
        count += reports(member).await;
    }
    assert_eq!(count, expected);
}

/// Until every message's life has been over for a moment, by the clock of the database, which is the group's.
async fn until_over(database: &Database) {
    let sql =
        "SELECT count(*) FROM message WHERE expires + 200000 > (extract(epoch FROM clock_timestamp()) * 1000000)::int8";
    let begun = Instant::now();
    while run_apart(|| database.run(sql)) != [[Some("0".to_owned())]] {
        assert!(begun.elapsed() < PATIENCE, "messages live for a tenth of a second");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn duty(database: &Database) -> Option<String> {
    let sql = "SELECT m.name FROM duty d JOIN member m ON m.number = d.member WHERE d.name = 'expiry'";
    run_apart(|| database.run(sql)).into_iter().next().and_then(|row| row.into_iter().next().flatten())
}

async fn with_reports(database: &Database) -> (Member, Member) {
    let (one, two) = two(database).await;
    one.define("REPORTS", Disposition::Shared).await.unwrap();
    two.until_known("REPORTS").await;
    (one, two)
}

#[test]
fn a_message_that_expires_is_reported_once_whoever_finds_it() {
    on_database(async |database| {
        let (one, two) = with_reports(database).await;
        for _ in 0..3 {
            let (ours, theirs) = (one.connect(), two.connect());
            tokio::join!(put_short_lived(&ours, 15), put_short_lived(&theirs, 15));
            until_over(database).await;
            let found = tokio::join!(
                get(&ours, "Q", GetFlags::NO_SYNCPOINT),
                get(&theirs, "Q", GetFlags::NO_SYNCPOINT),
                get(&ours, "Q", GetFlags::NO_SYNCPOINT),
            );
            for found in [found.0, found.1, found.2] {
                assert_eq!(found, Err(Reason::NoMsgAvailable));
            }
            until_reported(&one, 30).await;
        }
        assert_eq!(reports(&two).await, 0);
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn another_member_takes_the_duty_over_when_its_holder_leaves_or_dies() {
    on_database(async |database| {
        let (one, two) = with_reports(database).await;
        let holder = until_ok(async || duty(database).ok_or("nobody has the duty")).await;
        let (first, second) = if holder == "QM1" { (one, two) } else { (two, one) };
        // Nobody gets: the holder finds what is over.
        put_short_lived(&second.connect(), 3).await;
        first.clock.advance(Duration::from_secs(1));
        until_reported(&second, 3).await;
        first.stop().await;
        put_short_lived(&second.connect(), 4).await;
        second.clock.advance(Duration::from_secs(1));
        until_reported(&second, 4).await;
        // A member that has died had taken it.
        let sql = "INSERT INTO member (number, name, epoch, process, state, address, level) VALUES (900, 'DEAD', 1, 0, 'ACTIVE', '', 1); \
                   UPDATE duty SET member = 900";
        run_apart(|| database.run(sql));
        put_short_lived(&second.connect(), 5).await;
        second.clock.advance(Duration::from_secs(1));
        until_reported(&second, 5).await;
        second.stop().await;
    });
}
