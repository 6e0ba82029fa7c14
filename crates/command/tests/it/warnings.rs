//! What a definition asks for and does not get is told behind the line that says what was done.

use std::sync::Arc;

use expect_test::{Expect, expect};
use model::definition::attribute::Membership;
use model::definition::listener::ListenerDefinition;
use queue_manager::QueueManager;
use queue_manager::event::command::{Issuer, Origin};
use queue_manager::started::ListenerHost;
use serde_json::Value;

use crate::support::{administrator, run_script, start, wait_for};

/// What `script`, which succeeds, prints beside what it always prints.
fn check(script: &str, expected: Expect) {
    let lines = run_script(&start(), script);
    let told: String = lines.iter().filter(|line| line.starts_with("QUA")).map(|line| format!("{line}\n")).collect();
    expected.assert_eq(&told);
}

#[test]
fn a_channel_that_never_runs_is_told_at_its_definition() {
    check(
        "DEFINE CHANNEL(TO.QM2) CHLTYPE(SDR) CONNAME('h(1414)') XMITQ(QM2)
         DEFINE CHANNEL(FROM.QM2) CHLTYPE(RCVR)
         START CHANNEL(FROM.QM2)
         DEFINE CHANNEL(IOT) CHLTYPE(AMQP) PORT(5672)
         DEFINE CHANNEL(PROGRAMS) CHLTYPE(SVRCONN)
         START CHANNEL(PROGRAMS)
         DEFINE CHANNEL(PROGRAMS) CHLTYPE(CLNTCONN) CONNAME('h(1414)')",
        expect![[r#"
            QUA0001W: Channel TO.QM2 is kept as a definition only. Channels of type SDR do not run here.
            QUA0001W: Channel FROM.QM2 is kept as a definition only. Channels of type RCVR do not run here.
            QUA0001W: Channel FROM.QM2 is kept as a definition only. Channels of type RCVR do not run here.
            QUA0001W: Channel IOT is kept as a definition only. Channels of type AMQP do not run here.
        "#]],
    );
}

#[test]
fn a_remote_queue_whose_messages_stay_here_is_told_at_its_definition() {
    check(
        "DEFINE QREMOTE(NOWHERE) RNAME(A) RQMNAME(QM9)
         DEFINE QLOCAL(QM2) USAGE(XMITQ)
         DEFINE QREMOTE(BY.NAME) RNAME(A) RQMNAME(QM2)
         DEFINE QREMOTE(BY.XMITQ) RNAME(A) RQMNAME(QM3) XMITQ(QM2)
         ALTER QMGR DEFXMITQ(QM2)
         ALTER QREMOTE(NOWHERE) RNAME(B)
         DEFINE QREMOTE(ALIAS.OF.THIS) RQMNAME(QM1)
         DEFINE QREMOTE(REPLY.ALIAS)",
        expect![[r#"
            QUA0003W: No transmission queue leads to queue manager QM9, so puts to NOWHERE fail. Message channels do not run here.
            QUA0002W: No program reads transmission queue QM2. Messages for QM2 stay there, because message channels do not run here.
            QUA0002W: No program reads transmission queue QM2. Messages for QM3 stay there, because message channels do not run here.
            QUA0002W: No program reads transmission queue QM2. Messages for QM9 stay there, because message channels do not run here.
        "#]],
    );
}

#[test]
fn what_a_script_says_of_clusters_exits_and_services_is_told() {
    check(
        "DEFINE QLOCAL(A) CLUSTER(INVENTORY) STREAMQ(B)
         DEFINE QLOCAL(B) CLUSTER(' ')
         ALTER QLOCAL(B) CLUSTER(INVENTORY)
         DEFINE TOPIC(T) TOPICSTR('t') CLUSTER(INVENTORY)
         ALTER QMGR REPOS(INVENTORY) DESCR('a repository')
         ALTER QMGR REPOS(' ')
         DEFINE CHANNEL(C) CHLTYPE(SVRCONN) SCYEXIT('check(Main)')
         ALTER NAMELIST(SYSTEM.QPUBSUB.QUEUE.NAMELIST) NAMES(SYSTEM.BROKER.DEFAULT.STREAM,SYSTEM.FTE)
         DEFINE NAMELIST(MINE) NAMES(SYSTEM.FTE)
         DEFINE SERVICE(MONITOR) CONTROL(QMGR) STARTCMD('/bin/true')",
        expect![[r#"
            QUA0004W: CLUSTER(INVENTORY) of QLOCAL(A) has no effect: there are no clusters.
            QUA0004W: STREAMQ(B) of QLOCAL(A) has no effect: messages are not streamed to a second queue.
            QUA0004W: CLUSTER(INVENTORY) of QLOCAL(B) has no effect: there are no clusters.
            QUA0004W: CLUSTER(INVENTORY) of TOPIC(T) has no effect: there are no clusters.
            QUA0004W: REPOS(INVENTORY) of QMGR(QM1) has no effect: there are no clusters.
            QUA0004W: SCYEXIT(check(Main)) of CHANNEL(C) has no effect: client channels have nothing of the kind here.
            QUA0004W: NAMES(SYSTEM.BROKER.DEFAULT.STREAM,SYSTEM.FTE) of NAMELIST(SYSTEM.QPUBSUB.QUEUE.NAMELIST) has no effect: there is no queued publish/subscribe.
            QUA0005W: Service MONITOR is kept as a definition only. Services are not started here.
        "#]],
    );
}

#[test]
fn a_warning_follows_the_message_and_changes_no_code_in_json_and_escape() {
    let queue_manager = start();
    let ask = |request: &str| {
        let prepared = command::json::Request::read(request.as_bytes()).unwrap().prepare(Membership::Alone).unwrap();
        serde_json::from_slice::<Value>(&wait_for(
            prepared.run(&queue_manager, &Issuer::new(&administrator(), Origin::Rest)),
        ))
        .unwrap()
    };
    let words = ask(
        r#"{"type":"runCommandJSON","command":"define","qualifier":"channel","name":"A","parameters":{"chltype":"rcvr"}}"#,
    );
    let text = ask(r#"{"type":"runCommand","parameters":{"command":"DEFINE CHANNEL(B) CHLTYPE(RCVR)"}}"#);
    for (answer, member, name) in [(words, "message", "A"), (text, "text", "B")] {
        assert_eq!(answer["overallCompletionCode"], 0);
        assert_eq!(answer["overallReasonCode"], 0);
        let lines = &answer["commandResponse"][0][member];
        assert_eq!(lines[0], "AMQ8014I: Channel created.");
        let warning =
            format!("QUA0001W: Channel {name} is kept as a definition only. Channels of type RCVR do not run here.");
        assert_eq!(lines[1], warning.as_str());
        assert_eq!(lines[2], Value::Null);
    }
}

/// A server whose certificate is an ECDSA one.
struct EcdsaOnly;

impl ListenerHost for EcdsaOnly {
    fn start_listener(&self, _: &QueueManager, _: &ListenerDefinition) -> std::io::Result<()> {
        Ok(())
    }

    fn why_not_served(&self, cipher_specification: &str) -> Option<String> {
        cipher_specification.contains("_RSA_").then(|| "there is no RSA certificate".to_owned())
    }
}

#[test]
fn a_channel_whose_cipher_spec_the_server_cannot_serve_is_told_at_define_and_alter() {
    let queue_manager = start();
    queue_manager.set_listener_host(Arc::new(EcdsaOnly));
    let lines = run_script(
        &queue_manager,
        "DEFINE CHANNEL(A) CHLTYPE(SVRCONN) SSLCIPH(ECDHE_RSA_AES_128_GCM_SHA256)
         DEFINE CHANNEL(B) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER)
         ALTER CHANNEL(B) CHLTYPE(SVRCONN) SSLCIPH(ECDHE_RSA_AES_256_GCM_SHA384)
         ALTER CHANNEL(B) CHLTYPE(SVRCONN) SSLCIPH(ECDHE_ECDSA_AES_128_GCM_SHA256)
         DEFINE CHANNEL(A) CHLTYPE(CLNTCONN) CONNAME('h(1414)') SSLCIPH(ECDHE_RSA_AES_128_GCM_SHA256)",
    );
    let told: Vec<_> = lines.iter().filter(|line| line.starts_with("QUA")).collect();
    assert_eq!(
        told,
        [
            "QUA0006W: Channel A refuses every client: there is no RSA certificate.",
            "QUA0006W: Channel B refuses every client: there is no RSA certificate.",
        ]
    );
}
