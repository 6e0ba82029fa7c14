//! How many connections, and how the server stops.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use super::client::{self, Client};
use super::server::{PATIENCE, TestServer, eventually};

#[test]
fn at_the_limit_the_idlest_connection_makes_room() {
    let server = TestServer::start_with(|options| options.limits.connections = 2);
    let mut first = client::plain(&server);
    assert_eq!(first.exchange("GET /livez").status, 200);
    let mut waiting = client::plain(&server);
    waiting.send("DELETE v1/queue/Q/message?wait=600000");
    eventually("a waiter", || server.status("Q").waiters == 1);
    let mut third = client::plain(&server);
    assert_eq!(third.exchange("GET /livez").status, 200);
    assert!(first.is_closed_by_server());
    assert_eq!(third.exchange("POST v1/queue/Q/message\n\nx").status, 201);
    assert_eq!(waiting.receive(false).status, 200, "a busy connection is not the one to go");
}

#[test]
fn when_all_connections_are_busy_a_new_one_is_refused() {
    let server = TestServer::start_with(|options| options.limits.connections = 1);
    let mut waiting = client::plain(&server);
    waiting.send("DELETE v1/queue/Q/message?wait=600000");
    eventually("a waiter", || server.status("Q").waiters == 1);
    assert!(client::plain(&server).is_closed_by_server());
}

#[test]
fn a_shutdown_ends_waits_refuses_newcomers_and_is_quick() {
    let server = TestServer::start();
    let mut waiting = client::plain(&server);
    waiting.send("DELETE v1/queue/Q/message?wait=600000");
    eventually("a waiter", || server.status("Q").waiters == 1);
    let mut idle = client::tls(&server);
    assert_eq!(idle.exchange("GET /livez").status, 200);
    let begun = tokio::time::Instant::now();
    let web = Arc::clone(&server.web);
    server.block_on(async move { web.shutdown(Duration::from_secs(3600)).await });
    assert!(begun.elapsed() < PATIENCE, "idle and waiting connections do not use up the grace");
    let answer = waiting.receive(false);
    assert_eq!((answer.status, &*answer.error_id()), (503, "MQWB0004E"));
    assert!(waiting.is_closed_by_server() && idle.is_closed_by_server());
    assert!(std::net::TcpStream::connect(server.http()).is_err());
}

#[test]
fn a_shutdown_waits_for_no_connection_that_has_asked_nothing() {
    let server = TestServer::start();
    let mut silent = client::plain(&server);
    let mut half_a_head = client::plain(&server);
    half_a_head.stream.write_all(b"GET /livez HTTP/1.1\r\nhos").expect("sent");
    let mut no_hello = Client::over(client::connect(server.https()));
    let mut half_a_hello = Client::over(client::connect(server.https()));
    half_a_hello.stream.write_all(&[22, 3, 1]).expect("sent");
    let asking = RefCell::new(client::metrics(&server));
    let page = || asking.borrow_mut().exchange("GET /metrics").text();
    eventually("five connections", || page().contains("\nquaymaster_http_connections 5\n"));
    let begun = tokio::time::Instant::now();
    let web = Arc::clone(&server.web);
    server.block_on(async move { web.shutdown(Duration::from_secs(3600)).await });
    assert!(begun.elapsed() < PATIENCE, "they do not use up the grace");
    for client in [&mut silent, &mut half_a_head, &mut no_hello, &mut half_a_hello] {
        assert!(client.is_closed_by_server());
    }
}

#[test]
fn an_address_in_use_is_named() {
    let server = TestServer::start();
    let mut options = server.options.clone();
    (options.https, options.metrics, options.http) = (None, None, Some(server.http()));
    let workers = Arc::new(workers::Workers::start("https", storage::before_sleep).expect("threads"));
    let started = server.block_on(web::WebServer::start(options, queue_manager::QueueManagers::new(), workers));
    let error = started.err().expect("the address is taken").to_string();
    assert!(error.contains(&server.http().to_string()), "{error}");
}
