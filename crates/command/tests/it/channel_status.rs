//! Channels, listeners and services as they run.

use std::sync::atomic::Ordering;

use expect_test::expect;
use model::authority::{AuthorityObject, Principal};
use model::definition::AdministeredObject;
use model::definition::attribute::Kind;
use model::name::ObjectName;
use queue_manager::QueueManager;
use queue_manager::channel_status::{ChannelDisposition, ChannelInstance, ChannelState};
use queue_manager::started::Started;

use crate::support::{administrator, start, transcript_on, wait_for};

/// Defines one object of each of these kinds.
fn define(queue_manager: &QueueManager, objects: &[(Kind, &str)]) {
    for (kind, name) in objects {
        let mut object = AdministeredObject::blank(*kind).unwrap();
        object.set_name(ObjectName::literal(name));
        if let AdministeredObject::Channel(channel) = &mut object {
            channel.connection_name = "localhost".to_owned();
            channel.transmission_queue = ObjectName::literal("XMITQ");
        }
        wait_for(queue_manager.define_object(&administrator(), object, true)).unwrap();
    }
}

fn with_channels() -> QueueManager {
    let queue_manager = start();
    define(&queue_manager, &[(Kind::ServerConnection, "APP.SVRCONN"), (Kind::ReceiverChannel, "TO.ME")]);
    queue_manager
}

fn instance(address: &str) -> ChannelInstance {
    ChannelInstance {
        channel: "APP.SVRCONN".to_owned(),
        channel_type: "SVRCONN",
        connection_name: address.to_owned(),
        state: ChannelState::Running,
        substate: "RECEIVE",
        user: "app".to_owned(),
        remote_application: "program".to_owned(),
        heartbeat_interval_s: 300,
        maximum_message_length: 4_194_304,
        maximum_sharing_conversations: 10,
        ..ChannelInstance::default()
    }
}

#[test]
fn running_channels_show_what_they_do_until_they_are_stopped() {
    let queue_manager = with_channels();
    let check = |script: &str| transcript_on(&queue_manager, &administrator(), script);
    expect![[r#"
        > DIS CHSTATUS(*)
        AMQ8420I: Channel status of * not found.
        > STOP CHANNEL(APP.SVRCONN) STATUS(INACTIVE)
        AMQ9533W: Channel APP.SVRCONN is not active.
    "#]]
    .assert_eq(&check("DIS CHSTATUS(*)\nSTOP CHANNEL(APP.SVRCONN) STATUS(INACTIVE)"));
    let one = queue_manager.register_channel(instance("192.0.2.1")).unwrap();
    let other = queue_manager.register_channel(instance("192.0.2.2")).unwrap();
    one.counters().count_message(queue_manager.now());
    one.counters().bytes_sent.store(1234, Ordering::Relaxed);
    let script = "DIS CHSTATUS(APP*)\n\
                  DIS CHS(APP.SVRCONN) CONNAME(192.0.2.1) ALL\n\
                  DIS CHS(*) WHERE(MSGS GT 0) MCAUSER\n\
                  DIS CHS(*) SAVED\n\
                  STOP CHANNEL(APP.SVRCONN) CONNAME(192.0.2.1) MODE(FORCE)\n\
                  DIS CHS(*) STOPREQ\n\
                  STOP CHANNEL(APP.SVRCONN)";
    expect![[r#"
        > DIS CHSTATUS(APP*)
        AMQ8417I: Display Channel Status details.
           CHANNEL(APP.SVRCONN)                    CHLTYPE(SVRCONN)
           CONNAME(192.0.2.1)                      CURRENT
           STATUS(RUNNING)                         SUBSTATE(RECEIVE)
        AMQ8417I: Display Channel Status details.
           CHANNEL(APP.SVRCONN)                    CHLTYPE(SVRCONN)
           CONNAME(192.0.2.2)                      CURRENT
           STATUS(RUNNING)                         SUBSTATE(RECEIVE)
        > DIS CHS(APP.SVRCONN) CONNAME(192.0.2.1) ALL
        AMQ8417I: Display Channel Status details.
           CHANNEL(APP.SVRCONN)                    CHLTYPE(SVRCONN)
           BUFSRCVD(0)                             BUFSSENT(0)
           BYTSRCVD(0)                             BYTSSENT(1234)
           CHSTADA(*)                     CHSTATI(*)
           CONNAME(192.0.2.1)                      CURRENT
           CURSHCNV(0)                             HBINT(300)
           JOBNAME(*)               LOCLADDR( )
           LSTMSGDA(*)                    LSTMSGTI(*)
           MAXMSGL(4194304)                        MAXSHCNV(10)
           MCASTAT(RUNNING)                        MCAUSER(app)
           MONCHL(OFF)                             MSGS(1)
           RAPPLTAG(program)                       RPRODUCT( )
           RQMNAME( )                              RVERSION( )
           SECPROT(NONE)                           SSLCERTI( )
           SSLCIPH( )                              SSLPEER( )
           STATCHL(OFF)                            STATUS(RUNNING)
           STOPREQ(NO)                             SUBSTATE(RECEIVE)
           XMITQ( )
        > DIS CHS(*) WHERE(MSGS GT 0) MCAUSER
        AMQ8417I: Display Channel Status details.
           CHANNEL(APP.SVRCONN)                    CHLTYPE(SVRCONN)
           CONNAME(192.0.2.1)                      CURRENT
           MCAUSER(app)                            MSGS(1)
           STATUS(RUNNING)                         SUBSTATE(RECEIVE)
        > DIS CHS(*) SAVED
        AMQ8420I: Channel status of * not found.
        > STOP CHANNEL(APP.SVRCONN) CONNAME(192.0.2.1) MODE(FORCE)
        AMQ8019I: The channel is asked to stop.
        > DIS CHS(*) STOPREQ
        AMQ8417I: Display Channel Status details.
           CHANNEL(APP.SVRCONN)                    CHLTYPE(SVRCONN)
           CONNAME(192.0.2.1)                      CURRENT
           STATUS(RUNNING)                         STOPREQ(YES)
           SUBSTATE(RECEIVE)
        AMQ8417I: Display Channel Status details.
           CHANNEL(APP.SVRCONN)                    CHLTYPE(SVRCONN)
           CONNAME(192.0.2.2)                      CURRENT
           STATUS(RUNNING)                         STOPREQ(NO)
           SUBSTATE(RECEIVE)
        > STOP CHANNEL(APP.SVRCONN)
        AMQ8019I: The channel is asked to stop.
    "#]]
    .assert_eq(&check(script));
    drop((one, other));
    assert!(queue_manager.register_channel(instance("192.0.2.3")).is_none());
    expect![[r#"
        > DIS CHS(*)
        AMQ8417I: Display Channel Status details.
           CHANNEL(APP.SVRCONN)                    CHLTYPE(SVRCONN)
           CONNAME( )                              CURRENT
           STATUS(STOPPED)                         SUBSTATE( )
        > START CHANNEL(APP.SVRCONN)
        AMQ8018I: The channel may start.
        > DIS CHS(*)
        AMQ8420I: Channel status of * not found.
    "#]]
    .assert_eq(&check("DIS CHS(*)\nSTART CHANNEL(APP.SVRCONN)\nDIS CHS(*)"));
    assert!(queue_manager.register_channel(instance("192.0.2.3")).is_some());
}

#[test]
fn channels_are_started_stopped_and_asked_as_their_type_allows() {
    let queue_manager = with_channels();
    define(&queue_manager, &[(Kind::SenderChannel, "TO.YOU"), (Kind::ClientConnection, "APP.CLIENT")]);
    let script = "START CHANNEL(NONE)\n\
                  START CHANNEL(TO.ME)\n\
                  START CHANNEL(TO.YOU)\n\
                  START CHANNEL(APP.CLIENT)\n\
                  STOP CHANNEL(NONE)\n\
                  STOP CHANNEL(APP.CLIENT)\n\
                  STOP CHANNEL(TO.YOU) MODE(TERMINATE) STATUS(INACTIVE) IGNSTATE(YES)\n\
                  PING CHANNEL(TO.YOU) DATALEN(64)\n\
                  PING CHANNEL(APP.SVRCONN)\n\
                  RESET CHANNEL(TO.ME) SEQNUM(1)\n\
                  RESET CHANNEL(APP.SVRCONN)\n\
                  RESOLVE CHANNEL(TO.YOU) ACTION(COMMIT)\n\
                  RESOLVE CHANNEL(TO.ME) ACTION(BACKOUT)\n\
                  RESOLVE CHANNEL(TO.YOU)\n\
                  PING CHANNEL(TO.YOU) DATALEN(1)\n\
                  START CHANNEL(A.NAME.THAT.IS.TOO.LONG)";
    expect![[r#"
        > START CHANNEL(NONE)
        AMQ8147E: Object NONE not found.
        > START CHANNEL(TO.ME)
        AMQ8018I: The channel may start.
        QUA0001W: Channel TO.ME is kept as a definition only. Channels of type RCVR do not run here.
        > START CHANNEL(TO.YOU)
        AMQ8404E: START CHANNEL is not supported by this queue manager yet.
        > START CHANNEL(APP.CLIENT)
        AMQ8151E: START CHANNEL does not go with the type of channel APP.CLIENT.
        > STOP CHANNEL(NONE)
        AMQ8147E: Object NONE not found.
        > STOP CHANNEL(APP.CLIENT)
        AMQ8151E: STOP CHANNEL does not go with the type of channel APP.CLIENT.
        > STOP CHANNEL(TO.YOU) MODE(TERMINATE) STATUS(INACTIVE) IGNSTATE(YES)
        AMQ8019I: The channel is asked to stop.
        > PING CHANNEL(TO.YOU) DATALEN(64)
        AMQ8404E: PING CHANNEL is not supported by this queue manager yet.
        > PING CHANNEL(APP.SVRCONN)
        AMQ8151E: PING CHANNEL does not go with the type of channel APP.SVRCONN.
        > RESET CHANNEL(TO.ME) SEQNUM(1)
        AMQ8404E: RESET CHANNEL is not supported by this queue manager yet.
        > RESET CHANNEL(APP.SVRCONN)
        AMQ8151E: RESET CHANNEL does not go with the type of channel APP.SVRCONN.
        > RESOLVE CHANNEL(TO.YOU) ACTION(COMMIT)
        AMQ8404E: RESOLVE CHANNEL is not supported by this queue manager yet.
        > RESOLVE CHANNEL(TO.ME) ACTION(BACKOUT)
        AMQ8151E: RESOLVE CHANNEL does not go with the type of channel TO.ME.
        > RESOLVE CHANNEL(TO.YOU)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        RESOLVE CHANNEL(TO.YOU)

        AMQ8421E: Keyword missing: ACTION.
        > PING CHANNEL(TO.YOU) DATALEN(1)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        PING CHANNEL(TO.YOU) DATALEN(1)

        AMQ8412E: Number out of range: DATALEN(1): expected a number from 16 to 32768.
        > START CHANNEL(A.NAME.THAT.IS.TOO.LONG)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        START CHANNEL(A.NAME.THAT.IS.TOO.LONG)

        AMQ8424E: Not a name: A.NAME.THAT.IS.TOO.LONG is longer than 20 characters.
    "#]]
    .assert_eq(&transcript_on(&queue_manager, &administrator(), script));
}

#[test]
fn listeners_and_services_show_what_runs_and_can_be_stopped() {
    let queue_manager = start();
    define(&queue_manager, &[(Kind::Listener, "L"), (Kind::Listener, "IDLE"), (Kind::Service, "S")]);
    let check = |script: &str| transcript_on(&queue_manager, &administrator(), script);
    let script = "DIS LSSTATUS(*)\nSTART LISTENER(L)\nSTART LISTENER(NONE)\nSTOP LISTENER(L)\n\
                  DIS SVSTATUS(*)\nSTART SERVICE(S)\nSTOP SERVICE(S)\nSTOP SERVICE(NONE)";
    expect![[r#"
        > DIS LSSTATUS(*)
        AMQ8147E: Object * not found.
        > START LISTENER(L)
        AMQ8021I: The listener is asked to start.
        > START LISTENER(NONE)
        AMQ8147E: Object NONE not found.
        > STOP LISTENER(L)
        AMQ8731E: Listener L is not active.
        > DIS SVSTATUS(*)
        AMQ8147E: Object * not found.
        > START SERVICE(S)
        AMQ8404E: START SERVICE is not supported by this queue manager yet.
        > STOP SERVICE(S)
        AMQ8738E: Service S is not active.
        > STOP SERVICE(NONE)
        AMQ8147E: Object NONE not found.
    "#]]
    .assert_eq(&check(script));
    let listener = Started {
        family: AuthorityObject::Listener,
        name: "L".to_owned(),
        process_id: 1,
        address: "*".to_owned(),
        port: 1414,
        backlog: 100,
        disposition: ChannelDisposition::Private,
    };
    let service = Started { family: AuthorityObject::Service, name: "S".to_owned(), port: 0, ..listener.clone() };
    let running = queue_manager.register_started(listener.clone()).unwrap();
    let _service = queue_manager.register_started(service).unwrap();
    assert!(queue_manager.register_started(listener).is_none());
    let script = "DIS LSSTATUS(*) ALL\nSTART LISTENER(L)\nSTOP LISTENER(L)\nDIS LSSTATUS(L)\nDIS SVSTATUS(S) ALL\nSTART SERVICE(S)";
    expect![[r#"
        > DIS LSSTATUS(*) ALL
        AMQ8631I: Display listener status details.
           LISTENER(L)                             STATUS(RUNNING)
           PID(*)                                  STARTDA(*)
           STARTTI(*)                       DESCR( )
           TRPTYPE(TCP)                            CONTROL(MANUAL)
           IPADDR(*)                               PORT(1414)
           BACKLOG(100)
        > START LISTENER(L)
        AMQ8730E: Listener L is active already.
        > STOP LISTENER(L)
        AMQ8706I: The listener is asked to stop.
        > DIS LSSTATUS(L)
        AMQ8631I: Display listener status details.
           LISTENER(L)                             STATUS(STOPPING)
           PID(*)
        > DIS SVSTATUS(S) ALL
        AMQ8632I: Display service status details.
           SERVICE(S)                              STATUS(RUNNING)
           PID(*)                                  SERVTYPE(COMMAND)
           STARTDA(*)                     STARTTI(*)
           CONTROL(MANUAL)                         DESCR( )
           STARTCMD( )                             STARTARG( )
           STOPCMD( )                              STOPARG( )
           STDOUT( )                               STDERR( )
        > START SERVICE(S)
        AMQ8737E: Service S is active already.
    "#]]
    .assert_eq(&check(script));
    wait_for(running.stop_wanted());
}

#[test]
fn what_runs_is_deleted_once_it_was_asked_to_end() {
    let queue_manager = start();
    define(&queue_manager, &[(Kind::Listener, "L"), (Kind::Service, "S")]);
    let started = |family, name: &str| Started {
        family,
        name: name.to_owned(),
        process_id: 1,
        address: "*".to_owned(),
        port: 1414,
        backlog: 100,
        disposition: ChannelDisposition::Private,
    };
    let _listener = queue_manager.register_started(started(AuthorityObject::Listener, "L")).unwrap();
    let _service = queue_manager.register_started(started(AuthorityObject::Service, "S")).unwrap();
    let script = "DELETE LISTENER(L)\nDIS LISTENER(L) PORT\nSTOP LISTENER(L)\nDELETE LISTENER(L)\n\
                  DELETE SERVICE(S)\nSTOP SERVICE(S)\nDELETE SERVICE(S)";
    expect![[r#"
        > DELETE LISTENER(L)
        AMQ8730E: Listener L is active already.
        > DIS LISTENER(L) PORT
        AMQ8630I: Display listener information details.
           LISTENER(L)                             PORT(0)
        > STOP LISTENER(L)
        AMQ8706I: The listener is asked to stop.
        > DELETE LISTENER(L)
        AMQ8628I: Listener deleted.
        > DELETE SERVICE(S)
        AMQ8737E: Service S is active already.
        > STOP SERVICE(S)
        AMQ8732I: The service is asked to stop.
        > DELETE SERVICE(S)
        AMQ8624I: Service deleted.
    "#]]
    .assert_eq(&transcript_on(&queue_manager, &administrator(), script));
}

#[test]
fn a_start_without_a_name_is_of_the_default_listener_and_states_can_be_ignored() {
    let queue_manager = start();
    define(&queue_manager, &[(Kind::Listener, "IDLE"), (Kind::Service, "S"), (Kind::Service, "IDLE")]);
    let check = |caller: &Principal, script: &str| transcript_on(&queue_manager, caller, script);
    expect![[r#"
        > START LISTENER
        AMQ8021I: The listener is asked to start.
        > STOP LISTENER
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        STOP LISTENER

        AMQ8421E: Keyword missing: LISTENER needs a name.
    "#]]
    .assert_eq(&check(&administrator(), "START LISTENER\nSTOP LISTENER"));
    let listener = Started {
        family: AuthorityObject::Listener,
        name: "SYSTEM.DEFAULT.LISTENER.TCP".to_owned(),
        process_id: 1,
        address: "*".to_owned(),
        port: 1414,
        backlog: 100,
        disposition: ChannelDisposition::Private,
    };
    let service = Started { family: AuthorityObject::Service, name: "S".to_owned(), port: 0, ..listener.clone() };
    let _running = queue_manager.register_started(listener).unwrap();
    let _service = queue_manager.register_started(service).unwrap();
    let script = "START LISTENER\nSTART LISTENER IGNSTATE(YES)\nSTOP LISTENER(IDLE) IGNSTATE(NO)\n\
                  STOP LISTENER(IDLE) IGNSTATE(YES)\nSTART SERVICE(S) IGNSTATE(YES)\nSTOP SERVICE(IDLE) IGNSTATE(YES)\n\
                  START SERVICE(IDLE) IGNSTATE(YES)\nSTOP LISTENER(NONE) IGNSTATE(YES)";
    expect![[r#"
        > START LISTENER
        AMQ8730E: Listener SYSTEM.DEFAULT.LISTENER.TCP is active already.
        > START LISTENER IGNSTATE(YES)
        AMQ8021I: The listener is asked to start.
        > STOP LISTENER(IDLE) IGNSTATE(NO)
        AMQ8731E: Listener IDLE is not active.
        > STOP LISTENER(IDLE) IGNSTATE(YES)
        AMQ8706I: The listener is asked to stop.
        > START SERVICE(S) IGNSTATE(YES)
        AMQ8733I: The service is asked to start.
        > STOP SERVICE(IDLE) IGNSTATE(YES)
        AMQ8732I: The service is asked to stop.
        > START SERVICE(IDLE) IGNSTATE(YES)
        AMQ8404E: START SERVICE is not supported by this queue manager yet.
        > STOP LISTENER(NONE) IGNSTATE(YES)
        AMQ8147E: Object NONE not found.
    "#]]
    .assert_eq(&check(&administrator(), script));
    let script = "START LISTENER IGNSTATE(YES)\nSTOP SERVICE(IDLE) IGNSTATE(YES)";
    expect![[r#"
        > START LISTENER IGNSTATE(YES)
        AMQ8135E: Not authorized: user guest lacks CTRL on SYSTEM.DEFAULT.LISTENER.TCP.
        > STOP SERVICE(IDLE) IGNSTATE(YES)
        AMQ8135E: Not authorized: user guest lacks CTRL on IDLE.
    "#]]
    .assert_eq(&check(&Principal::user("guest"), script));
}

#[test]
fn who_controls_no_channel_starts_and_stops_none_and_sees_none() {
    let queue_manager = with_channels();
    let _running = queue_manager.register_channel(instance("192.0.2.1")).unwrap();
    let script = "START CHANNEL(APP.SVRCONN)\nSTOP CHANNEL(APP.SVRCONN)\nDIS CHS(*)\nRESET CHANNEL(TO.ME)";
    expect![[r#"
        > START CHANNEL(APP.SVRCONN)
        AMQ8135E: Not authorized: user guest lacks CTRL on APP.SVRCONN.
        > STOP CHANNEL(APP.SVRCONN)
        AMQ8135E: Not authorized: user guest lacks CTRL on APP.SVRCONN.
        > DIS CHS(*)
        AMQ8420I: Channel status of * not found.
        > RESET CHANNEL(TO.ME)
        AMQ8135E: Not authorized: user guest lacks CTRLX on TO.ME.
    "#]]
    .assert_eq(&transcript_on(&queue_manager, &Principal::user("guest"), script));
}
