//! Events of the depth of shared queues: one member makes each.

use bytes::Bytes;
use model::definition::QueueDefinition;
use model::definition::queue::Disposition;
use model::descriptor::MessageDescriptor;
use model::options::{GetFlags, PutFlags, PutOptions};
use queue_manager::QueueManager;

use super::{Member, administrator, get, name, object, on_database, put, two};

async fn with_events(member: &Member) {
    let mut definition = (*member.queue_manager.definition()).clone();
    definition.performance_event = true;
    member.queue_manager.alter_queue_manager(&administrator(), definition).await.unwrap();
}

fn events(members: [&Member; 2]) -> u32 {
    let depth = |member: &QueueManager| {
        member.queue_status(&name("SYSTEM.ADMIN.PERFM.EVENT")).map_or(0, |status| status.depth.current)
    };
    members.iter().map(|member| depth(&member.queue_manager)).sum()
}

async fn until_both(members: [&Member; 2], what: &str, is_so: impl Fn(&QueueDefinition) -> bool) {
    for member in members {
        member.until(what, |member| member.queue(&name("D")).is_some_and(|queue| is_so(&queue))).await;
    }
}

#[test]
fn an_event_of_the_depth_of_a_shared_queue_is_made_by_one_member_and_turns_the_switches_of_all() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        let members = [&one, &two];
        for member in members {
            with_events(member).await;
        }
        let set = |local: &mut model::definition::queue::LocalQueue| {
            local.maximum_depth = 20;
            (local.depth_high_percent, local.depth_low_percent) = (50, 20);
            local.depth_high_event = true;
            local.depth_maximum_event = true;
        };
        one.define_with("D", Disposition::Shared, set).await.unwrap();
        two.until_known("D").await;
        let low_is_on = |queue: &QueueDefinition| queue.as_local().unwrap().depth_low_event;
        for round in 0..3 {
            let fill = async |member: &Member| {
                let connection = member.connect();
                for _ in 0..8 {
                    put(&connection, "D", "x", PutFlags::NO_SYNCPOINT).await;
                }
            };
            tokio::join!(fill(&one), fill(&two));
            // Each knows what the other has put a moment later, and both see that the depth is high.
            for member in members {
                let knows = |member: &QueueManager| member.queue_status(&name("D")).unwrap().depth.current == 16;
                member.until("the depth is known", knows).await;
            }
            let (ours, theirs) = (one.connect(), two.connect());
            tokio::join!(put(&ours, "D", "x", PutFlags::NO_SYNCPOINT), put(&theirs, "D", "x", PutFlags::NO_SYNCPOINT));
            assert_eq!(events(members), 1 + 2 * round, "high, round {round}");
            until_both(members, "low is on", low_is_on).await;
            let drain = async |member: &Member| {
                let connection = member.connect();
                for _ in 0..9 {
                    get(&connection, "D", GetFlags::NO_SYNCPOINT).await.unwrap();
                }
            };
            tokio::join!(drain(&one), drain(&two));
            // A member knows what the others have got a moment later: the low of the last messages may be seen by the next get only.
            if events(members) == 1 + 2 * round {
                two.until("the depth is known", |member| member.queue_status(&name("D")).unwrap().depth.current == 0)
                    .await;
                put(&two.connect(), "D", "x", PutFlags::NO_SYNCPOINT).await;
                get(&two.connect(), "D", GetFlags::NO_SYNCPOINT).await.unwrap();
            }
            assert_eq!(events(members), 2 + 2 * round, "low, round {round}");
            until_both(members, "high is on", |queue| queue.as_local().unwrap().depth_high_event).await;
        }
        // Full: both are refused, one tells.
        let fill = async |member: &Member| {
            let connection = member.connect();
            let options = PutOptions { flags: PutFlags::NO_SYNCPOINT, ..PutOptions::default() };
            let (caller, object) = (administrator(), object("D"));
            let put = || connection.put1(&caller, &object, MessageDescriptor::default(), &options, Bytes::new());
            while put().await.is_ok() {}
        };
        tokio::join!(fill(&one), fill(&two));
        let full_is_off = |queue: &QueueDefinition| !queue.as_local().unwrap().depth_maximum_event;
        until_both(members, "full is off", full_is_off).await;
        assert_eq!(events(members), 8, "high and full");
        one.stop().await;
        two.stop().await;
    });
}
