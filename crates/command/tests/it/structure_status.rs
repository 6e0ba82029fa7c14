//! DISPLAY CFSTATUS of a structure whose database goes away and comes back, and of one that the member does not know.

use std::time::Duration;

use group_harness::postgres::Database;

use crate::scope::Member;

/// STATUS of both types, once they are as wanted.
async fn until(member: &Member, structure: &str, wanted: [&str; 2]) {
    let mut said = [String::new(), String::new()];
    for _ in 0..6000 {
        for (said, kind) in said.iter_mut().zip(["CONNECT", "SUMMARY"]) {
            *said = member.mqsc(&format!("DISPLAY CFSTATUS({structure}) TYPE({kind}) STATUS")).await;
        }
        if said.iter().zip(wanted).all(|(said, wanted)| said.contains(&format!("STATUS({wanted})"))) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("not {wanted:?}: {said:?}");
}

#[test]
fn a_structure_whose_database_is_away_is_not_active() {
    let database = Database::of_group_to_be_killed("QSG1");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let member = Member::start(&database, "QM1", true).await;
        member.mqsc("DEFINE CFSTRUCT(APP1) RECOVER(YES)").await;
        until(&member, "APP1", ["ACTIVE", "EMPTY"]).await;
        member.mqsc("DEFINE QLOCAL(ORDERS) QSGDISP(SHARED) CFSTRUCT(APP1)").await;
        until(&member, "APP1", ["ACTIVE", "ACTIVE"]).await;
        database.server.kill("KILL");
        until(&member, "APP1", ["FAILED", "FAILED"]).await;
        // Apart from the test's own runtime.
        std::thread::scope(|scope| scope.spawn(|| database.server.start_again()).join().unwrap());
        until(&member, "APP1", ["ACTIVE", "ACTIVE"]).await;
        member.stop().await;
    });
}

#[test]
fn a_structure_with_a_database_that_the_member_does_not_know_was_never_connected() {
    let database = Database::of_group("QSG1");
    database.run("INSERT INTO structure_database (cluster, structure) VALUES (1, 'APP2')");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let member = Member::start(&database, "QM1", true).await;
        member.mqsc("DEFINE CFSTRUCT(APP2) RECOVER(YES)").await;
        until(&member, "APP2", ["NONE", "UNKNOWN"]).await;
        member.stop().await;
    });
}
