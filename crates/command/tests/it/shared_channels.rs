//! Shared channels of a queue-sharing group: CHLDISP, DEFCDISP and INDISP, at one member and over several.

use expect_test::expect;
use model::authority::AuthorityObject;
use model::pcf::{Header, Message, Parameter, ParameterValue};
use queue_manager::QueueManager;
use queue_manager::channel_status::{ChannelDisposition, ChannelHandle, ChannelInstance, ChannelState};
use queue_manager::event::command::{Issuer, Origin};
use queue_manager::started::Started;

use crate::scope::on_members;
use crate::support::{administrator, run_script, start, start_member, transcript_on, wait_for};

const CHANNEL: &str = "DEFINE CHANNEL(APP.SVRCONN) CHLTYPE(SVRCONN)";

fn instance(disposition: ChannelDisposition, address: &str) -> ChannelInstance {
    ChannelInstance {
        channel: "APP.SVRCONN".to_owned(),
        channel_type: "SVRCONN",
        disposition,
        connection_name: address.to_owned(),
        state: ChannelState::Running,
        substate: "RECEIVE",
        ..ChannelInstance::default()
    }
}

fn run(queue_manager: &QueueManager, disposition: ChannelDisposition, address: &str) -> Option<ChannelHandle> {
    queue_manager.register_channel(instance(disposition, address))
}

/// A member with the channel, and an instance of it of each disposition.
fn with_instances() -> (QueueManager, [ChannelHandle; 2]) {
    let member = start_member();
    run_script(&member, CHANNEL);
    let private = run(&member, ChannelDisposition::Private, "192.0.2.1").expect("not stopped");
    let shared = run(&member, ChannelDisposition::Shared, "192.0.2.2").expect("not stopped");
    (member, [private, shared])
}

#[test]
fn status_of_shared_and_of_private_channels_is_told_apart() {
    let (member, _running) = with_instances();
    expect![[r#"
        > DISPLAY CHSTATUS(*)
        AMQ8417I: Display Channel Status details.
           CHANNEL(APP.SVRCONN)                    CHLTYPE(SVRCONN)
           CHLDISP(PRIVATE)                        CONNAME(192.0.2.1)
           CURRENT                                 STATUS(RUNNING)
           SUBSTATE(RECEIVE)
        AMQ8417I: Display Channel Status details.
           CHANNEL(APP.SVRCONN)                    CHLTYPE(SVRCONN)
           CHLDISP(SHARED)                         CONNAME(192.0.2.2)
           CURRENT                                 STATUS(RUNNING)
           SUBSTATE(RECEIVE)
        > DISPLAY CHSTATUS(APP*) CHLDISP(SHARED) QMNAME
        AMQ8417I: Display Channel Status details.
           CHANNEL(APP.SVRCONN)                    CHLTYPE(SVRCONN)
           CHLDISP(SHARED)                         CONNAME(192.0.2.2)
           CURRENT                                 QMNAME(QM1)
           STATUS(RUNNING)                         SUBSTATE(RECEIVE)
        > DISPLAY CHSTATUS(APP*) CHLDISP(PRIVATE)
        AMQ8417I: Display Channel Status details.
           CHANNEL(APP.SVRCONN)                    CHLTYPE(SVRCONN)
           CHLDISP(PRIVATE)                        CONNAME(192.0.2.1)
           CURRENT                                 STATUS(RUNNING)
           SUBSTATE(RECEIVE)
        > DISPLAY CHSTATUS(*) CHLDISP(ALL) MSGS WHERE(CHLDISP EQ SHARED)
        AMQ8417I: Display Channel Status details.
           CHANNEL(APP.SVRCONN)                    CHLTYPE(SVRCONN)
           CHLDISP(SHARED)                         CONNAME(192.0.2.2)
           CURRENT                                 MSGS(0)
           STATUS(RUNNING)                         SUBSTATE(RECEIVE)
        > DISPLAY CHSTATUS(*) CHLDISP(FIXSHARED)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DISPLAY CHSTATUS(*) CHLDISP(FIXSHARED)

        AMQ8425E: Not a value: CHLDISP(FIXSHARED): expected one of ALL, PRIVATE, SHARED.
    "#]]
    .assert_eq(&transcript_on(
        &member,
        &administrator(),
        "DISPLAY CHSTATUS(*)
         DISPLAY CHSTATUS(APP*) CHLDISP(SHARED) QMNAME
         DISPLAY CHSTATUS(APP*) CHLDISP(PRIVATE)
         DISPLAY CHSTATUS(*) CHLDISP(ALL) MSGS WHERE(CHLDISP EQ SHARED)
         DISPLAY CHSTATUS(*) CHLDISP(FIXSHARED)",
    ));
}

#[test]
fn a_shared_channel_is_stopped_and_started_apart_from_the_private_one() {
    let (member, running) = with_instances();
    expect![[r#"
        > STOP CHANNEL(APP.SVRCONN) CHLDISP(SHARED)
        CSQN121I: Command responses from QM1.
        AMQ8019I: The channel is asked to stop.
        > DISPLAY CHSTATUS(*) STOPREQ
        AMQ8417I: Display Channel Status details.
           CHANNEL(APP.SVRCONN)                    CHLTYPE(SVRCONN)
           CHLDISP(PRIVATE)                        CONNAME(192.0.2.1)
           CURRENT                                 STATUS(RUNNING)
           STOPREQ(NO)                             SUBSTATE(RECEIVE)
        AMQ8417I: Display Channel Status details.
           CHANNEL(APP.SVRCONN)                    CHLTYPE(SVRCONN)
           CHLDISP(SHARED)                         CONNAME(192.0.2.2)
           CURRENT                                 STATUS(RUNNING)
           STOPREQ(YES)                            SUBSTATE(RECEIVE)
    "#]]
    .assert_eq(&transcript_on(
        &member,
        &administrator(),
        "STOP CHANNEL(APP.SVRCONN) CHLDISP(SHARED)
         DISPLAY CHSTATUS(*) STOPREQ",
    ));
    drop(running);
    assert!(run(&member, ChannelDisposition::Shared, "192.0.2.3").is_none());
    assert!(run(&member, ChannelDisposition::Private, "192.0.2.3").is_some());
    expect![[r#"
        > DISPLAY CHSTATUS(*)
        AMQ8417I: Display Channel Status details.
           CHANNEL(APP.SVRCONN)                    CHLTYPE(SVRCONN)
           CHLDISP(SHARED)                         CONNAME( )
           CURRENT                                 STATUS(STOPPED)
           SUBSTATE( )
        > STOP CHANNEL(APP.SVRCONN) CHLDISP(SHARED) STATUS(INACTIVE)
        CSQN121I: Command responses from QM1.
        AMQ9533W: Channel APP.SVRCONN is not active.
        > START CHANNEL(APP.SVRCONN)
        AMQ8018I: The channel may start.
        > DISPLAY CHSTATUS(*)
        AMQ8417I: Display Channel Status details.
           CHANNEL(APP.SVRCONN)                    CHLTYPE(SVRCONN)
           CHLDISP(SHARED)                         CONNAME( )
           CURRENT                                 STATUS(STOPPED)
           SUBSTATE( )
        > START CHANNEL(APP.SVRCONN) CHLDISP(SHARED)
        CSQN121I: Command responses from QM1.
        AMQ8018I: The channel may start.
        > DISPLAY CHSTATUS(*)
        AMQ8420I: Channel status of * not found.
    "#]]
    .assert_eq(&transcript_on(
        &member,
        &administrator(),
        "DISPLAY CHSTATUS(*)
         STOP CHANNEL(APP.SVRCONN) CHLDISP(SHARED) STATUS(INACTIVE)
         START CHANNEL(APP.SVRCONN)
         DISPLAY CHSTATUS(*)
         START CHANNEL(APP.SVRCONN) CHLDISP(SHARED)
         DISPLAY CHSTATUS(*)",
    ));
    assert!(run(&member, ChannelDisposition::Shared, "192.0.2.3").is_some());
}

#[test]
fn defcdisp_says_which_channel_start_and_stop_are_about() {
    let (member, [private, shared]) = with_instances();
    expect![[r#"
        > DISPLAY CHANNEL(APP.SVRCONN) DEFCDISP
        AMQ8414I: Display Channel details.
           CHANNEL(APP.SVRCONN)                    CHLTYPE(SVRCONN)
           DEFCDISP(PRIVATE)
        > ALTER CHANNEL(APP.SVRCONN) CHLTYPE(SVRCONN) DEFCDISP(SHARED)
        AMQ8016I: Channel changed.
        > STOP CHANNEL(APP.SVRCONN)
        CSQN121I: Command responses from QM1.
        AMQ8019I: The channel is asked to stop.
    "#]]
    .assert_eq(&transcript_on(
        &member,
        &administrator(),
        "DISPLAY CHANNEL(APP.SVRCONN) DEFCDISP
         ALTER CHANNEL(APP.SVRCONN) CHLTYPE(SVRCONN) DEFCDISP(SHARED)
         STOP CHANNEL(APP.SVRCONN)",
    ));
    assert!(private.stop_requested().is_none() && shared.stop_requested().is_some());
    run_script(&member, "STOP CHANNEL(APP.SVRCONN) CHLDISP(PRIVATE)");
    assert!(private.stop_requested().is_some());
    run_script(&member, "START CHANNEL(APP.SVRCONN)");
    let stopped = member.stopped_channels();
    assert_eq!(stopped.iter().map(|one| one.disposition).collect::<Vec<_>>(), [ChannelDisposition::Private]);
}

#[test]
fn a_listener_is_one_of_the_group_by_indisp() {
    let member = start_member();
    let listener = Started {
        family: AuthorityObject::Listener,
        name: "GROUP".to_owned(),
        process_id: 1,
        address: String::new(),
        port: 1500,
        backlog: 0,
        disposition: ChannelDisposition::Shared,
    };
    let _running = member.register_started(listener).expect("it does not run yet");
    expect![[r#"
        > DEFINE LISTENER(OWN) TRPTYPE(TCP) PORT(1415)
        AMQ8626I: Listener created.
        > DEFINE LISTENER(GROUP) TRPTYPE(TCP) PORT(1500) INDISP(GROUP)
        AMQ8626I: Listener created.
        > DISPLAY LISTENER(*) INDISP PORT WHERE(PORT GT 1414)
        AMQ8630I: Display listener information details.
           LISTENER(GROUP)                         PORT(1500)
           INDISP(GROUP)
        AMQ8630I: Display listener information details.
           LISTENER(OWN)                           PORT(1415)
           INDISP(QMGR)
        > DISPLAY LSSTATUS(*) INDISP
        AMQ8631I: Display listener status details.
           LISTENER(GROUP)                         STATUS(RUNNING)
           PID(*)                                  INDISP(GROUP)
    "#]]
    .assert_eq(&transcript_on(
        &member,
        &administrator(),
        "DEFINE LISTENER(OWN) TRPTYPE(TCP) PORT(1415)
         DEFINE LISTENER(GROUP) TRPTYPE(TCP) PORT(1500) INDISP(GROUP)
         DISPLAY LISTENER(*) INDISP PORT WHERE(PORT GT 1414)
         DISPLAY LSSTATUS(*) INDISP",
    ));
}

#[test]
fn a_queue_manager_in_no_group_has_no_keyword_of_shared_channels() {
    let alone = start();
    run_script(&alone, CHANNEL);
    for command in [
        "DISPLAY CHSTATUS(*) CHLDISP(ALL)",
        "DISPLAY CHSTATUS(*) CHLDISP",
        "START CHANNEL(APP.SVRCONN) CHLDISP(PRIVATE)",
        "STOP CHANNEL(APP.SVRCONN) CHLDISP(PRIVATE)",
        "ALTER CHANNEL(APP.SVRCONN) CHLTYPE(SVRCONN) DEFCDISP(PRIVATE)",
        "DEFINE LISTENER(L) TRPTYPE(TCP) INDISP(QMGR)",
        "DISPLAY LSSTATUS(*) INDISP",
    ] {
        let outcome = crate::support::try_script(&alone, &administrator(), command).1;
        assert_eq!(outcome, [command::Outcome::SyntaxError], "{command}");
    }
    let _running = run(&alone, ChannelDisposition::Private, "192.0.2.1");
    let shown = run_script(&alone, "DISPLAY CHSTATUS(*) ALL").join("\n");
    assert!(!shown.contains("CHLDISP") && !shown.contains(" QMNAME("), "{shown}");
}

const MQIACH_CHANNEL_DISP: i32 = 1580;
const MQCHLD_SHARED: i32 = 2;
const MQCACH_CHANNEL_NAME: i32 = 3501;
const MQCACH_CONNECTION_NAME: i32 = 3506;
const MQCMD_INQUIRE_CHANNEL_STATUS: i32 = 42;
const MQCMD_STOP_CHANNEL: i32 = 29;

fn ask(queue_manager: &QueueManager, command: i32, parameters: Vec<Parameter>) -> Vec<Message> {
    let caller = administrator();
    let issuer = Issuer::new(&caller, Origin::Console);
    let request = Message { header: Header::command(command), parameters };
    wait_for(command::pcf::run(queue_manager, &issuer, &request))
}

fn value(answer: &Message, id: i32) -> Option<&ParameterValue> {
    answer.parameters.iter().find(|parameter| parameter.id == id).map(|parameter| &parameter.value)
}

#[test]
fn programs_ask_for_shared_channels_by_their_disposition() {
    let (member, [private, shared]) = with_instances();
    let of_shared = || {
        vec![
            Parameter::text(MQCACH_CHANNEL_NAME, "APP.SVRCONN"),
            Parameter::integer(MQIACH_CHANNEL_DISP, MQCHLD_SHARED),
        ]
    };
    let shown = ask(&member, MQCMD_INQUIRE_CHANNEL_STATUS, of_shared());
    assert_eq!(shown.len(), 1);
    assert!(matches!(value(&shown[0], MQIACH_CHANNEL_DISP), Some(ParameterValue::Integer(MQCHLD_SHARED))));
    let address = value(&shown[0], MQCACH_CONNECTION_NAME);
    assert!(matches!(address, Some(ParameterValue::Text(text)) if text.trim() == "192.0.2.2"), "{address:?}");
    assert_eq!(ask(&member, MQCMD_STOP_CHANNEL, of_shared())[0].header.reason, 0);
    assert!(private.stop_requested().is_none() && shared.stop_requested().is_some());
    let alone = start();
    run_script(&alone, CHANNEL);
    assert_eq!(ask(&alone, MQCMD_INQUIRE_CHANNEL_STATUS, of_shared())[0].header.reason, 3014, "as any unknown one");
}

#[test]
fn shared_channels_of_the_group_are_shown_stopped_and_started_from_any_member() {
    on_members(&[true, true], async |members| {
        let mut seen = String::new();
        let mut tell = async |text: &str| {
            seen.push_str(&format!("> {text}\n{}\n", members[0].mqsc(text).await));
        };
        let instances: Vec<_> = {
            for member in members {
                member.mqsc(CHANNEL).await;
            }
            let of = |index: usize, disposition| run(&members[index].queue_manager, disposition, "192.0.2.1");
            [of(0, ChannelDisposition::Private), of(1, ChannelDisposition::Private), of(1, ChannelDisposition::Shared)]
                .map(|handle| handle.expect("not stopped"))
                .into()
        };
        tell("DISPLAY CHSTATUS(*) CHLDISP(SHARED)").await;
        tell("DISPLAY CHSTATUS(*) CHLDISP(SHARED) CMDSCOPE(*)").await;
        tell("STOP CHANNEL(APP.SVRCONN) CHLDISP(SHARED) STATUS(INACTIVE) MODE(FORCE)").await;
        let asked: Vec<_> = instances.iter().map(|one| one.stop_requested().is_some()).collect();
        assert_eq!(asked, [false, false, true]);
        tell("STOP CHANNEL(APP.SVRCONN) CHLDISP(SHARED)").await;
        for member in members {
            assert!(run(&member.queue_manager, ChannelDisposition::Shared, "192.0.2.1").is_none(), "it is stopped");
            assert!(run(&member.queue_manager, ChannelDisposition::Private, "192.0.2.1").is_some());
        }
        tell("START CHANNEL(APP.SVRCONN) CHLDISP(SHARED) CMDSCOPE(QM2)").await;
        assert!(run(&members[0].queue_manager, ChannelDisposition::Shared, "192.0.2.1").is_none());
        assert!(run(&members[1].queue_manager, ChannelDisposition::Shared, "192.0.2.1").is_some());
        tell("START CHANNEL(APP.SVRCONN) CHLDISP(SHARED)").await;
        assert!(run(&members[0].queue_manager, ChannelDisposition::Shared, "192.0.2.1").is_some());
        tell("STOP CHANNEL(APP.SVRCONN) CHLDISP(SHARED) CMDSCOPE('QM1')").await;
        assert!(run(&members[0].queue_manager, ChannelDisposition::Shared, "192.0.2.1").is_none());
        assert!(run(&members[1].queue_manager, ChannelDisposition::Shared, "192.0.2.1").is_some());
        expect![[r#"
            > DISPLAY CHSTATUS(*) CHLDISP(SHARED)
            AMQ8420I: Channel status of * not found.
            > DISPLAY CHSTATUS(*) CHLDISP(SHARED) CMDSCOPE(*)
            CSQN121I: Command responses from QM2.
            AMQ8417I: Display Channel Status details.
               CHANNEL(APP.SVRCONN)                    CHLTYPE(SVRCONN)
               CHLDISP(SHARED)                         CONNAME(192.0.2.1)
               CURRENT                                 STATUS(RUNNING)
               SUBSTATE(RECEIVE)
            > STOP CHANNEL(APP.SVRCONN) CHLDISP(SHARED) STATUS(INACTIVE) MODE(FORCE)
            CSQN121I: Command responses from QM2.
            AMQ8019I: The channel is asked to stop.
            > STOP CHANNEL(APP.SVRCONN) CHLDISP(SHARED)
            CSQN121I: Command responses from QM1.
            AMQ8019I: The channel is asked to stop.
            CSQN121I: Command responses from QM2.
            AMQ8019I: The channel is asked to stop.
            > START CHANNEL(APP.SVRCONN) CHLDISP(SHARED) CMDSCOPE(QM2)
            CSQN121I: Command responses from QM2.
            AMQ8018I: The channel may start.
            > START CHANNEL(APP.SVRCONN) CHLDISP(SHARED)
            CSQN121I: Command responses from QM1.
            AMQ8018I: The channel may start.
            CSQN121I: Command responses from QM2.
            AMQ8018I: The channel may start.
            > STOP CHANNEL(APP.SVRCONN) CHLDISP(SHARED) CMDSCOPE('QM1')
            AMQ8019I: The channel is asked to stop.
        "#]]
        .assert_eq(&seen);
    });
}
