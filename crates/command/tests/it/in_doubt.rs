//! DISPLAY THREAD and RESOLVE INDOUBT: operators see units of recovery of both dispositions, and end them at any member.

use command::{Outcome, run};
use expect_test::expect;
use model::descriptor::MessageDescriptor;
use model::name::QueueManagerName;
use model::options::{ObjectDescriptor, PutFlags, PutOptions};
use queue_manager::{Connection, XaFlags, Xid};

use crate::scope::{Member, on_members};
use crate::support::{administrator, connect};

fn program(member: &Member) -> Connection {
    connect(&member.queue_manager, administrator(), "test")
}

/// Leaves a message for ORDERS in doubt.
async fn prepare(connection: &Connection, number: u8) {
    let xid = Xid { format_id: 1, global_transaction: vec![number; 3], branch: vec![number] };
    connection.xa_start(&xid, XaFlags::empty()).unwrap();
    let object = ObjectDescriptor { name: QueueManagerName::literal("ORDERS"), ..ObjectDescriptor::default() };
    let options = PutOptions { flags: PutFlags::SYNCPOINT, context: None };
    connection.put1(&administrator(), &object, MessageDescriptor::default(), &options, "order".into()).await.unwrap();
    connection.xa_end(&xid, XaFlags::SUCCESS).unwrap();
    assert_eq!(connection.xa_prepare(&xid).await, Ok(true));
}

#[test]
fn units_of_both_dispositions_are_shown_and_resolved() {
    on_members(&[true, true], async |members| {
        let [one, two] = members else { panic!("two members") };
        let mut said = String::new();
        for member in members {
            said += &member.mqsc("ALTER QMGR GROUPUR(ENABLED)").await;
            said += "\n";
        }
        let (to_group, own) = (program(one), program(one));
        to_group.xa_open("QSG1").unwrap();
        prepare(&to_group, 1).await;
        prepare(&to_group, 2).await;
        prepare(&own, 3).await;
        for (member, text) in [
            (one, "DISPLAY THREAD(*) TYPE(INDOUBT)"),
            (two, "DIS THD(*) TYPE(*) WHERE(URDISP EQ GROUP)"),
            (two, "RESOLVE INDOUBT(*) ACTION(COMMIT) NID('00000001.030303.03')"),
            (two, "RESOLVE INDOUBT(*) ACTION(COMMIT) NID('00000001.010101.01')"),
            (two, "RESOLVE IND(*) ACTION(BACKOUT) NID('00000001.020202.02')"),
            (one, "RESOLVE INDOUBT(*) ACTION(COMMIT) NID('00000001.030303.03')"),
            (one, "RESOLVE INDOUBT(*) ACTION(COMMIT) NID(A)"),
            (one, "DISPLAY THREAD(*) TYPE(INDOUBT)"),
        ] {
            said += &format!("> {text}\n{}\n", member.mqsc(text).await);
        }
        expect![[r#"
            AMQ8005I: Queue manager changed.
            AMQ8005I: Queue manager changed.
            > DISPLAY THREAD(*) TYPE(INDOUBT)
            CSQV406I: Display thread details.
               NID(00000001.030303.03)                 TYPE(INDOUBT)
               URDISP(QMGR)                            QMNAME(QM1)
            CSQV406I: Display thread details.
               NID(00000001.010101.01)                 TYPE(INDOUBT)
               URDISP(GROUP)                           QMNAME(QM1)
            CSQV406I: Display thread details.
               NID(00000001.020202.02)                 TYPE(INDOUBT)
               URDISP(GROUP)                           QMNAME(QM1)
            > DIS THD(*) TYPE(*) WHERE(URDISP EQ GROUP)
            CSQV406I: Display thread details.
               NID(00000001.010101.01)                 TYPE(INDOUBT)
               URDISP(GROUP)                           QMNAME(QM1)
            CSQV406I: Display thread details.
               NID(00000001.020202.02)                 TYPE(INDOUBT)
               URDISP(GROUP)                           QMNAME(QM1)
            > RESOLVE INDOUBT(*) ACTION(COMMIT) NID('00000001.030303.03')
            CSQV417I: Unit of recovery 00000001.030303.03 is not in doubt.
            > RESOLVE INDOUBT(*) ACTION(COMMIT) NID('00000001.010101.01')
            CSQV414I: Unit of recovery 00000001.010101.01 is committed.
            > RESOLVE IND(*) ACTION(BACKOUT) NID('00000001.020202.02')
            CSQV415I: Unit of recovery 00000001.020202.02 is backed out.
            > RESOLVE INDOUBT(*) ACTION(COMMIT) NID('00000001.030303.03')
            CSQV414I: Unit of recovery 00000001.030303.03 is committed.
            > RESOLVE INDOUBT(*) ACTION(COMMIT) NID(A)
            CSQV417I: Unit of recovery A is not in doubt.
            > DISPLAY THREAD(*) TYPE(INDOUBT)
            AMQ8147E: No object matches the command.
        "#]]
        .assert_eq(&said);
        // What the other member has done here is known a moment later.
        let two_messages = |queue_manager: &queue_manager::QueueManager| {
            let status = queue_manager.queue_status(&QueueManagerName::literal("ORDERS"));
            status.is_some_and(|status| status.depth.current == 2)
        };
        one.until(two_messages).await;
    });
}

#[test]
fn only_who_may_control_the_queue_manager_resolves() {
    on_members(&[true], async |members| {
        let stranger = model::authority::Principal::user("stranger");
        for text in ["DISPLAY THREAD(*) TYPE(INDOUBT)", "RESOLVE INDOUBT(*) ACTION(COMMIT) NID('00000001.01.01')"] {
            let answer = run(&members[0].queue_manager, &stranger, text).await;
            assert_eq!(answer.outcome, Outcome::Failed);
            assert!(answer.lines.iter().any(|line| line.starts_with("AMQ8135E")), "{:?}", answer.lines);
        }
        for text in ["DISPLAY THREAD(*)", "DISPLAY THREAD(A) TYPE(INDOUBT)", "RESOLVE INDOUBT(*) NID('1.1.1')"] {
            assert_eq!(run(&members[0].queue_manager, &stranger, text).await.outcome, Outcome::SyntaxError, "{text}");
        }
    });
}
