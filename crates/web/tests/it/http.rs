//! The HTTP interface against a real server and a client that shows every byte that matters.

mod admin;
mod admin_change;
mod admin_channel;
mod admin_queue;
mod admin_resources;
mod admin_stream;
mod archives;
mod attacks;
mod bearers;
mod bodies;
mod book;
pub(crate) mod client;
mod connect_card;
mod connections;
mod console;
mod exports;
mod grammar;
mod group;
mod held_disk;
mod history;
mod issuer_sign_in;
mod jobs;
mod lists;
mod live;
mod log;
mod message_api;
mod messaging;
mod mqsc;
mod pools;
mod problems;
mod publications;
mod push;
mod queue_managers;
mod reference_rows;
mod requesters;
mod requests;
mod resources;
mod selection;
pub(crate) mod server;
mod services;
mod session;
mod sign_in;
mod streams;
mod transport;
mod undo;
mod why;

use expect_test::Expect;

use self::server::TestServer;

/// Runs a script over plain HTTP against a fresh server.
fn check(script: &str, expected: Expect) {
    check_on(&TestServer::start(), script, expected);
}

fn check_on(server: &TestServer, script: &str, expected: Expect) {
    expected.assert_eq(&client::plain(server).run(script));
}
