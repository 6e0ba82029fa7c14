//! A member that starts while the group's database is away knows none of the group's queues.

use std::time::Duration;

use model::definition::queue::{AliasQueue, Disposition};
use model::definition::{QueueDefinition, QueueKind};
use model::options::{CloseOptions, OpenOptions};
use model::reason::Reason;

use super::{Member, administrator, name, open_for, run_apart};
use crate::postgres::Database;

#[test]
fn a_name_that_the_group_may_have_is_refused_with_2345_until_its_definitions_are_learned() {
    let database = Database::of_group_to_be_killed("QSG1");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let first = Member::start(&database, "QM1").await;
        first.define_structure().await;
        first.define("Q", Disposition::Shared).await.unwrap();
        first.stop().await;
        run_apart(|| database.server.kill("KILL"));
        let again = Member::start_alone(&database, "QM1", |options| options.patience = Duration::from_secs(5));
        let alias = QueueKind::Alias(AliasQueue { target: name("Q"), ..AliasQueue::default() });
        for definition in [
            QueueDefinition::local(name("OWN")),
            QueueDefinition { kind: alias, ..QueueDefinition::local(name("TO.Q")) },
        ] {
            again.queue_manager.define_queue(&administrator(), definition, false).await.unwrap();
        }
        let connection = again.connect();
        let open = async |queue| {
            let handle = open_for(&connection, queue, OpenOptions::INPUT_SHARED).await?;
            connection.close(handle, CloseOptions::empty()).await
        };
        assert_eq!(open("OWN").await, Ok(()), "private queues go on");
        for queue in ["Q", "TO.Q", "NOWHERE"] {
            assert_eq!(open(queue).await, Err(Reason::CfNotAvailable), "{queue}");
        }
        run_apart(|| database.server.start_again());
        again.until_known("Q").await;
        for (queue, opened) in [("Q", Ok(())), ("TO.Q", Ok(())), ("NOWHERE", Err(Reason::UnknownObjectName))] {
            assert_eq!(open(queue).await, opened, "{queue}");
        }
        again.stop().await;
    });
}
