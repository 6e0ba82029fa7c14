//! The message API of the real process: killed under load, left by its clients, held at its limits, and used by programs as its page
//! says.

mod abandoned;
mod killed;
mod limits;
mod page;
mod problems;
mod push;
mod streams;
mod why;
mod worker;

use std::net::SocketAddr;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use system_tests::http::{Answer, Client};
use system_tests::server::{ADMIN_PASSWORD, APP_PASSWORD, Server};

pub(crate) const BASE: &str = "/api/v1/qmgr/QM1";
const JSON: &str = "Content-Type: application/json\r\n";

/// User `app`, by plain HTTP.
pub(crate) fn connect(server: &Server) -> Result<Client> {
    connect_to(server.ready.http.context("the server speaks HTTP")?)
}

fn connect_to(address: SocketAddr) -> Result<Client> {
    Client::connect(address, &STANDARD.encode(format!("app:{APP_PASSWORD}")))
}

fn connect_as(server: &Server, user: &str, password: &str) -> Result<Client> {
    let address = server.ready.http.context("the server speaks HTTP")?;
    Client::connect(address, &STANDARD.encode(format!("{user}:{password}")))
}

#[expect(clippy::disallowed_methods, reason = "waiting has a bound")]
fn now() -> Instant {
    Instant::now()
}

/// POST of JSON that must be answered with success.
fn post(client: &mut Client, path: &str, body: &Value) -> Result<Value> {
    good(client.ask("POST", &format!("{BASE}{path}"), JSON, body.to_string().as_bytes())?)
}

fn good(answer: Answer) -> Result<Value> {
    ensure!((200..300).contains(&answer.status), "{} {}", answer.status, answer.text());
    Ok(answer.json())
}

fn put_text(client: &mut Client, queue: &str, text: &str) -> Result<Value> {
    let headers = "Content-Type: text/plain\r\nmq-persistence: persistent\r\n";
    good(client.ask("POST", &format!("{BASE}/queue/{queue}/messages"), headers, text.as_bytes())?)
}

/// Messages of an answer.
fn messages(answer: &Value) -> &[Value] {
    answer["messages"].as_array().map_or(&[], Vec::as_slice)
}

fn receive(client: &mut Client, queue: &str, wanted: &Value) -> Result<Vec<Value>> {
    let answer = post(client, &format!("/queue/{queue}/deliveries"), wanted)?;
    Ok(messages(&answer).to_vec())
}

/// Takes everything off a queue; the texts in order.
fn take_texts(client: &mut Client, queue: &str) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    loop {
        let answer = client.ask("DELETE", &format!("{BASE}/queue/{queue}/messages?max=500&body=text"), "", b"")?;
        let answer = good(answer)?;
        if messages(&answer).is_empty() {
            return Ok(texts);
        }
        for message in messages(&answer) {
            texts.push(message["body"]["text"].as_str().context("a text")?.to_owned());
        }
    }
}

fn text(value: &Value, member: &str) -> Result<String> {
    value[member].as_str().map(str::to_owned).with_context(|| format!("no {member} in {value}"))
}

/// One of the figures of a queue that a channel or a monitor would ask for.
fn status(server: &Server, queue: &str, figure: &str) -> Result<Value> {
    let path = format!("/ibmmq/rest/v1/admin/qmgr/QM1/queue/{queue}?status=status.{figure}");
    let answer = good(connect_as(server, "admin", ADMIN_PASSWORD)?.ask("GET", &path, "", b"")?)?;
    Ok(answer["queue"][0]["status"][figure].clone())
}
