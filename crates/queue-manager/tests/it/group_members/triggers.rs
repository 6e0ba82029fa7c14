//! Triggers of shared queues: one event has one trigger message, or one at each member that has an initiation queue of its own.

use std::time::Duration;

use model::definition::QueueDefinition;
use model::definition::queue::{Disposition, LocalQueue, TriggerType};
use model::options::{CloseOptions, GetFlags, OpenOptions, PutFlags};
use queue_manager::Connection;
use queue_manager::connection::ObjectHandle;
use queue_manager::objects::ObjectError;

use super::{Member, administrator, get, name, on_database, open_for, put, run_apart, two};
use crate::postgres::Database;

fn triggers(kind: TriggerType) -> impl FnOnce(&mut LocalQueue) {
    move |local| {
        local.trigger.enabled = true;
        local.trigger.kind = kind;
        local.trigger.depth = 3;
        local.initiation_queue = name("I");
    }
}

/// Two members with a triggered queue T, known to both, and an initiation queue I: shared, or one at each.
struct Triggered {
    one: Member,
    two: Member,
    /// A trigger monitor at each.
    _monitors: [(Connection, ObjectHandle); 2],
}

impl Triggered {
    async fn start(database: &Database, kind: TriggerType, initiation: Disposition) -> Self {
        let (one, two) = two(database).await;
        if initiation == Disposition::Shared {
            one.define("I", Disposition::Shared).await.unwrap();
            two.until_known("I").await;
        } else {
            for member in [&one, &two] {
                member
                    .queue_manager
                    .define_queue(&administrator(), QueueDefinition::local(name("I")), false)
                    .await
                    .unwrap();
            }
        }
        one.define_with("T", Disposition::Shared, triggers(kind)).await.unwrap();
        two.until_known("T").await;
        let mut monitors = Vec::new();
        for member in [&one, &two] {
            let connection = member.connect();
            let handle = open_for(&connection, "I", OpenOptions::INPUT_SHARED).await.unwrap();
            monitors.push((connection, handle));
        }
        let Ok(monitors) = monitors.try_into() else { panic!("one at each") };
        Self { one, two, _monitors: monitors }
    }

    /// Waits until each member sees so many trigger messages on its initiation queue.
    async fn until_made(&self, what: &str, each: u32) {
        for member in [&self.one, &self.two] {
            member.until(what, |member| depth(member, "I") >= each).await;
        }
        for member in [&self.one, &self.two] {
            assert_eq!(depth(&member.queue_manager, "I"), each, "{what}");
        }
    }

    async fn stop(self) {
        self.one.stop().await;
        self.two.stop().await;
    }
}

fn depth(queue_manager: &queue_manager::QueueManager, queue: &str) -> u32 {
    queue_manager.queue_status(&name(queue)).map_or(0, |status| status.depth.current)
}

async fn put_at(member: &Member, count: u32) {
    let connection = member.connect();
    for _ in 0..count {
        put(&connection, "T", "x", PutFlags::NO_SYNCPOINT).await;
    }
}

/// A program that serves the queue, and gets so many messages.
async fn serve(member: &Member, count: u32) {
    let connection = member.connect();
    let handle = open_for(&connection, "T", OpenOptions::INPUT_SHARED).await.unwrap();
    for _ in 0..count {
        get(&connection, "T", GetFlags::NO_SYNCPOINT).await.unwrap();
    }
    connection.close(handle, CloseOptions::empty()).await.unwrap();
}

#[test]
fn first_makes_one_message_at_each_member_with_an_initiation_queue_of_its_own() {
    on_database(async |database| {
        let triggered = Triggered::start(database, TriggerType::First, Disposition::QueueManager).await;
        put_at(&triggered.one, 1).await;
        triggered.until_made("the queue is not empty any more", 1).await;
        put_at(&triggered.one, 2).await;
        put_at(&triggered.two, 2).await;
        serve(&triggered.two, 4).await;
        triggered.until_made("a message is left that nobody serves", 2).await;
        serve(&triggered.one, 1).await;
        put_at(&triggered.two, 3).await;
        triggered.until_made("a new event", 3).await;
        triggered.stop().await;
    });
}

#[test]
fn first_makes_one_message_on_a_shared_initiation_queue_however_many_members_put() {
    on_database(async |database| {
        let triggered = Triggered::start(database, TriggerType::First, Disposition::Shared).await;
        for event in 1..=4 {
            tokio::join!(put_at(&triggered.one, 4), put_at(&triggered.two, 4));
            triggered.until_made("one event", event).await;
            // One program more, so that no close leaves messages that nobody serves.
            let third = triggered.one.connect();
            let handle = open_for(&third, "T", OpenOptions::INPUT_SHARED).await.unwrap();
            tokio::join!(serve(&triggered.one, 4), serve(&triggered.two, 4));
            third.close(handle, CloseOptions::empty()).await.unwrap();
        }
        triggered.stop().await;
    });
}

#[test]
fn nothing_is_triggered_while_a_program_of_any_member_serves_the_queue_or_before_the_commit() {
    on_database(async |database| {
        let triggered = Triggered::start(database, TriggerType::First, Disposition::Shared).await;
        let server = triggered.two.connect();
        let handle = open_for(&server, "T", OpenOptions::INPUT_SHARED).await.unwrap();
        put_at(&triggered.one, 2).await;
        server.close(handle, CloseOptions::empty()).await.unwrap();
        triggered.until_made("its close", 1).await;
        serve(&triggered.one, 2).await;
        let producer = triggered.one.connect();
        put(&producer, "T", "uncommitted", PutFlags::SYNCPOINT).await;
        // The other puts and takes, so that the queue is looked at.
        put_at(&triggered.two, 1).await;
        triggered.until_made("the other's message", 2).await;
        serve(&triggered.two, 1).await;
        producer.commit().await.unwrap();
        triggered.until_made("the commit", 3).await;
        triggered.stop().await;
    });
}

#[test]
fn depth_makes_one_message_in_the_group_and_switches_triggering_off_for_all() {
    on_database(async |database| {
        for initiation in [Disposition::QueueManager, Disposition::Shared] {
            let database = run_apart(|| Database::of_group("QSG1"));
            let triggered = Triggered::start(&database, TriggerType::Depth, initiation).await;
            let made = || {
                let depths = [&triggered.one, &triggered.two].map(|member| depth(&member.queue_manager, "I"));
                if initiation == Disposition::Shared { depths[0] } else { depths.iter().sum() }
            };
            let is_on = |member: &queue_manager::QueueManager| {
                member.queue(&name("T")).unwrap().as_local().unwrap().trigger.enabled
            };
            for event in 1..=2 {
                tokio::join!(put_at(&triggered.one, 2), put_at(&triggered.two, 2));
                for member in [&triggered.one, &triggered.two] {
                    member.until("triggering is off", |member| !is_on(member)).await;
                }
                triggered.one.until("a trigger message is known", |_| made() >= event).await;
                assert_eq!(made(), event, "{initiation:?}");
                tokio::join!(put_at(&triggered.one, 2), put_at(&triggered.two, 2));
                serve(&triggered.one, 8).await;
                let switch_on = |queue: &mut QueueDefinition| {
                    queue.as_local_mut().unwrap().trigger.enabled = true;
                    Ok::<(), ObjectError>(())
                };
                triggered.two.queue_manager.change_queue(&administrator(), &name("T"), false, switch_on).await.unwrap();
                triggered.one.until("triggering is on", is_on).await;
            }
            triggered.stop().await;
        }
        let _ = database;
    });
}

#[test]
fn every_makes_one_message_for_each_message_also_when_the_monitor_is_at_another_member() {
    on_database(async |database| {
        let triggered = Triggered::start(database, TriggerType::Every, Disposition::Shared).await;
        let [ours, _] = &triggered._monitors;
        ours.0.close(ours.1, CloseOptions::empty()).await.unwrap();
        put_at(&triggered.one, 3).await;
        triggered.until_made("three messages", 3).await;
        put_at(&triggered.two, 2).await;
        triggered.until_made("two more", 5).await;
        triggered.stop().await;
    });
}

#[test]
fn messages_of_a_program_that_died_with_its_member_are_an_event() {
    on_database(async |database| {
        let triggered = Triggered::start(database, TriggerType::First, Disposition::Shared).await;
        let sql = "INSERT INTO member (number, name, epoch, process, state, address, level) VALUES (900, 'DEAD', 1, 0, 'ACTIVE', '', 1); \
                   INSERT INTO queue_open (queue, member, level) SELECT max(queue), 900, 2 FROM queue_state; \
                   UPDATE queue_state SET episode = episode + 1";
        run_apart(|| database.run(sql));
        put_at(&triggered.one, 1).await;
        put_at(&triggered.two, 1).await;
        triggered.until_made("its peers recover it", 1).await;
        triggered.stop().await;
    });
}

#[test]
fn a_queue_that_has_become_empty_by_expiry_or_a_clear_triggers_again() {
    on_database(async |database| {
        let triggered = Triggered::start(database, TriggerType::First, Disposition::Shared).await;
        put_at(&triggered.one, 2).await;
        triggered.until_made("messages", 1).await;
        tokio::time::sleep(Duration::from_millis(10)).await;
        triggered.two.queue_manager.clear_queue(&administrator(), &name("T")).await.unwrap();
        put_at(&triggered.one, 1).await;
        triggered.until_made("messages after the clear", 2).await;
        triggered.stop().await;
    });
}

#[test]
fn switching_triggering_on_and_the_first_monitor_look_at_what_is_there() {
    on_database(async |database| {
        let triggered = Triggered::start(database, TriggerType::First, Disposition::Shared).await;
        let switch = |is_on: bool| {
            move |queue: &mut QueueDefinition| {
                queue.as_local_mut().unwrap().trigger.enabled = is_on;
                Ok::<(), ObjectError>(())
            }
        };
        let (one, two) = (&triggered.one.queue_manager, &triggered.two);
        put_at(&triggered.one, 1).await;
        triggered.until_made("messages", 1).await;
        one.change_queue(&administrator(), &name("T"), false, switch(false)).await.unwrap();
        one.change_queue(&administrator(), &name("T"), false, switch(true)).await.unwrap();
        triggered.until_made("it was switched on", 2).await;
        // One more monitor is no event while others watch.
        let third = two.connect();
        open_for(&third, "I", OpenOptions::INPUT_SHARED).await.unwrap();
        for (connection, handle) in &triggered._monitors {
            connection.close(*handle, CloseOptions::empty()).await.unwrap();
        }
        third.disconnect().await.unwrap();
        let first = two.connect();
        open_for(&first, "I", OpenOptions::INPUT_SHARED).await.unwrap();
        triggered.until_made("the first monitor", 3).await;
        triggered.stop().await;
    });
}
