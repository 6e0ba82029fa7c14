//! Queue managers that come and go while the server runs.

use std::sync::Arc;

use expect_test::expect;
use model::name::QueueManagerName;
use queue_manager::registry::State;
use queue_manager::{Home, QueueManager, StartOptions, SystemClock};
use storage::StoreOptions;

use super::check_on;
use super::client;
use super::server::TestServer;

fn another(name: &str) -> QueueManager {
    QueueManager::start(StartOptions {
        name: QueueManagerName::parse(name).expect("a name"),
        home: Home::Ephemeral,
        store: StoreOptions::default(),
        clock: Arc::new(SystemClock),
        server_user: "server".to_owned(),
    })
    .expect("a queue manager")
}

const ASK_QM2: &str = "GET /ibmmq/rest/v1/messaging/qmgr/QM2/queue/SYSTEM.DEFAULT.LOCAL.QUEUE/message";

#[test]
fn a_queue_manager_that_quiesces_or_has_ended_is_503_and_others_go_on() {
    let server = TestServer::start();
    let table = &server.queue_managers;
    let second = another("QM2");
    table.enter(second.name(), State::Starting).expect("new");
    check_on(
        &server,
        ASK_QM2,
        expect![[r#"
            503
              content-type: application/json; charset=utf-8
              pcf 2/2059 MQWB0004E: The queue manager could not do what was asked of it: reason '2059 (MQRC_Q_MGR_NOT_AVAILABLE)'.
        "#]],
    );
    table.started(second);
    server.web.queue_managers_changed();
    assert_eq!(client::plain(&server).exchange(ASK_QM2).status, 403, "it has no authorities for app");

    server.queue_manager.quiesce();
    check_on(
        &server,
        "GET v1/queue/Q/message",
        expect![[r#"
            503
              content-type: application/json; charset=utf-8
              pcf 2/2161 MQWB0004E: The queue manager could not do what was asked of it: reason '2161 (MQRC_Q_MGR_QUIESCING)'.
        "#]],
    );
    server.block_on(server.queue_manager.stop());
    table.ended(&server.queue_manager.name(), State::EndedNormally, None);
    server.web.queue_managers_changed();
    check_on(
        &server,
        "GET v1/queue/Q/message",
        expect![[r#"
            503
              content-type: application/json; charset=utf-8
              pcf 2/2059 MQWB0004E: The queue manager could not do what was asked of it: reason '2059 (MQRC_Q_MGR_NOT_AVAILABLE)'.
        "#]],
    );
    assert_eq!(client::plain(&server).exchange(ASK_QM2).status, 403, "QM2 is not touched");

    table.started(another("QM1"));
    server.web.queue_managers_changed();
    assert_eq!(
        client::plain(&server).exchange("GET v1/queue/Q/message").status,
        404,
        "started anew, it has no queue Q"
    );
}

#[test]
fn the_pool_of_a_queue_manager_that_ends_keeps_no_connection() {
    let server = TestServer::start();
    assert_eq!(client::plain(&server).exchange("GET v1/queue/Q/message").status, 204);
    assert_eq!(server.queue_manager.status().connections, 1);
    let name = server.queue_manager.name();
    server.queue_managers.claim(&name, State::EndingImmediately, |state| state == State::Running).expect("it runs");
    server.queue_managers.ended(&name, State::EndedImmediately, None);
    server.web.queue_managers_changed();
    assert_eq!(server.queue_manager.status().connections, 0);
}

#[test]
fn metrics_tell_which_queue_managers_run() {
    let server = TestServer::start();
    server.queue_managers.enter(QueueManagerName::literal("QM2"), State::EndedUnexpectedly).expect("new");
    let page = client::metrics(&server).exchange("GET /metrics\n-authorization").text();
    assert!(page.contains("quaymaster_queue_manager_running{qmgr=\"QM1\"} 1\n"), "{page}");
    assert!(page.contains("quaymaster_queue_manager_running{qmgr=\"QM2\"} 0\n"), "{page}");
    assert!(!page.contains("quaymaster_queue_manager_connections{qmgr=\"QM2\"}"), "{page}");
    for family in ["quaymaster_records_total", "quaymaster_records_dropped_total"] {
        for kind in ["accounting", "statistics"] {
            let line = format!("{family}{{qmgr=\"QM1\",kind=\"{kind}\"}} 0\n");
            assert!(page.contains(&line), "{line}: {page}");
        }
    }
}
