//! The pool of messaging requests as the configuration bounds it, and as the metrics show it.

use model::descriptor::{Format, MessageDescriptor};
use web::options::FullPoolBehavior;

use super::client;
use super::server::{TestServer, eventually};

/// The value of a family of the pool of QM1 for messaging; `labels` begin with a comma.
fn metric(server: &TestServer, family: &str, labels: &str) -> u64 {
    let page = client::metrics(server).exchange("GET /metrics\n-authorization").text();
    let start =
        format!("quaymaster_connection_pool_{family}{{used_by=\"messaging\",qmgr=\"QM1\",remote=\"false\"{labels}}} ");
    let line = page.lines().find_map(|line| line.strip_prefix(start.as_str()));
    line.unwrap_or_else(|| panic!("no {start} in {page}")).parse().expect("a whole number")
}

/// A client whose DELETE waits for a message, on a connection of the pool.
fn waiting(server: &TestServer) -> client::Client {
    let before = server.status("Q").waiters;
    let mut waiting = client::plain(server);
    waiting.send("DELETE v1/queue/Q/message?wait=600000");
    eventually("a waiter", || server.status("Q").waiters == before + 1);
    waiting
}

fn text() -> MessageDescriptor {
    MessageDescriptor { format: Format::STRING, ..MessageDescriptor::default() }
}

#[test]
fn one_connection_serves_many_requests_and_none_is_left_without_a_pool() {
    let server = TestServer::start();
    let mut one = client::plain(&server);
    for _ in 0..20 {
        assert_eq!(one.exchange("POST v1/queue/Q/message\n\nx").status, 201);
        assert_eq!(one.exchange("DELETE v1/queue/Q/message").status, 200);
    }
    assert_eq!((metric(&server, "created_total", ""), metric(&server, "idle", "")), (1, 1));

    let server = TestServer::start_with(|options| options.messaging.max_pool_size = 0);
    for _ in 0..20 {
        assert_eq!(client::plain(&server).exchange("POST v1/queue/Q/message\n\nx").status, 201);
    }
    assert_eq!((metric(&server, "created_total", ""), metric(&server, "idle", "")), (20, 0));
    assert_eq!(metric(&server, "closed_total", ",reason=\"overflow\""), 20);
}

#[test]
fn a_bounded_wait_for_a_connection_ends_in_503() {
    let server = TestServer::start_with(|options| {
        options.messaging.max_pool_size = 1;
        options.messaging.full_pool_behavior = FullPoolBehavior::Block;
        options.messaging.block_timeout = 1;
    });
    let mut first = waiting(&server);
    assert_eq!(metric(&server, "in_use", ""), 1);
    let refused = client::plain(&server).exchange("GET v1/queue/Q/message");
    assert_eq!((refused.status, &*refused.error_id()), (503, "MQWB0910E"));
    assert_eq!((metric(&server, "waited_total", ""), metric(&server, "refused_total", "")), (1, 1));
    server.put("Q", text(), "x");
    assert_eq!(first.receive(false).status, 200);
    assert_eq!(client::plain(&server).exchange("GET v1/queue/Q/message").status, 204);
    assert_eq!((metric(&server, "in_use", ""), metric(&server, "idle", "")), (0, 1));
}

#[test]
fn a_reload_lets_in_those_who_wait_and_closes_what_is_too_much() {
    let server = TestServer::start_with(|options| {
        options.messaging.max_pool_size = 1;
        options.messaging.full_pool_behavior = FullPoolBehavior::Block;
    });
    let mut first = waiting(&server);
    let mut blocked = client::plain(&server);
    blocked.send("GET v1/queue/Q/message");
    eventually("it waits for a connection", || metric(&server, "waiting", "") == 1);
    let mut options = server.options.clone();
    options.messaging.max_pool_size = 2;
    server.block_on(async { server.web.reload(options.clone()) }).expect("reloaded");
    assert_eq!(blocked.receive(false).status, 204);
    options.messaging.max_pool_size = 1;
    server.block_on(async { server.web.reload(options) }).expect("reloaded");
    assert_eq!(metric(&server, "closed_total", ",reason=\"retired\""), 1);
    server.put("Q", text(), "x");
    assert_eq!(first.receive(false).status, 200);
    assert_eq!((metric(&server, "in_use", ""), metric(&server, "idle", "")), (0, 1));
}

#[test]
fn a_client_that_goes_away_in_its_wait_leaves_its_place() {
    let server = TestServer::start_with(|options| {
        options.messaging.max_pool_size = 1;
        options.messaging.full_pool_behavior = FullPoolBehavior::Block;
    });
    drop(waiting(&server));
    assert_eq!(client::plain(&server).exchange("GET v1/queue/Q/message").status, 204);
    assert_eq!(metric(&server, "closed_total", ",reason=\"abandoned\""), 1);
}
